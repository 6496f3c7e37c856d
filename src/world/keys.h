// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the settings of a world are: one table row per number, text or group of the public structs
// of world.h and scene.h. From it scenes are read, settings checked and copied, the commented scene
// of all defaults printed, the tables of docs/scenes.md made, and parameters found by their path.
// A key is added by its row (and its field), a slider by the row's `turns` or `live`.

#ifndef LY_WORLD_KEYS_H
#define LY_WORLD_KEYS_H

#include "base/base.h"
#include "lyra/curve.h"
#include "lyra/joint.h"
#include "lyra/registry.h"
#include "lyra/world.h"

typedef enum LyKeyKind {
    LY_KEY_NUMBER = 0, // double
    LY_KEY_INTEGER,    // int64_t or int32_t, by `size`
    LY_KEY_BOOL,       // bool
    LY_KEY_WORD,       // an enum, place in `choices`
    LY_KEY_NAME,       // const char *, one of `choice`
    LY_KEY_TEXT,       // const char *
    LY_KEY_VECTOR,     // double[3]
    LY_KEY_SCALE,      // double[3], from one number or three
    LY_KEY_PAIR,       // double[2], low and high
    LY_KEY_CURVE,      // LyraCurve
    LY_KEY_CURVES,     // LyraCurve[3]
    LY_KEY_INTEGERS,   // const int32_t *, with `count_offset`
    LY_KEY_AXES,       // int32_t, bits 1 x, 2 y, 4 z
    LY_KEY_NAMED,      // const LyraElasticConstant *, with `count_offset`
    LY_KEY_GROUP,      // a struct of `group`
    LY_KEY_LIST,       // const T * of structs of `group`, with `count_offset`
} LyKeyKind;

typedef enum LyRange {
    LY_RANGE_ANY = 0,
    LY_RANGE_POSITIVE,     // > 0
    LY_RANGE_NOT_NEGATIVE, // >= 0
    LY_RANGE_FRACTION,     // [0, 1]
    LY_RANGE_INSIDE,       // (0, 1)
    LY_RANGE_POISSON,      // (-1, 0.5)
    LY_RANGE_ANGLE,        // (0, pi)
    LY_RANGE_COUNT
} LyRange;

typedef struct LyGroup LyGroup;
typedef struct LyLive LyLive; // parameters.h

/// A parameter of those forces of a body that are of a type; NULL, all: none.
typedef struct LyTurns {
    const char *force;     // name of the type; NULL: any that has the parameter
    const char *parameter; // of LyraForceType::parameter_names
    const char *kind;      // of bodies; NULL: any
} LyTurns;

typedef struct LyKey {
    const char *name;
    LyKeyKind kind;
    size_t offset;       // in the group's struct
    size_t size;         // of the field
    size_t count_offset; // of the int32_t count of lists
    // The field is a pointer to the value, NULL where it is not given: of VECTOR, CURVE and GROUP.
    bool pointer;
    const char *unit;          // NULL and "": none
    const char *shown_default; // what docs say in place of the number, as "of the mesh"; Nullable
    LyRange range;
    bool required;
    bool shown;          // a group that stands in the scene of all defaults, not as a comment
    const char *choices; // words with | between
    const char *(*choice)(const LyraContext *ctx, int32_t index); // NULL past the last
    const LyGroup *group;
    const char *only; // for this `type` of the group only
    const char *meaning;
    LyTurns turns;      // the parameter that it sets: turned while the world runs, by this alone
    const LyLive *live; // how it is turned where it is no such parameter; NULL: not
} LyKey;

struct LyGroup {
    const char *name;
    const char *meaning;
    size_t size;             // of the struct
    void (*init)(void *out); // writes the defaults: those of the public default function
    int32_t key_count;
    const LyKey *keys;
};

/// All that is said of a world: the settings of a scene, and what a program added.
typedef struct LyWorldSpec {
    const char *title;
    LyraCurve gravity[3];
    LyraMassKind mass;
    LyraDamping damping;
    LyraIntegratorDef integrator;
    LyraSolverDef solver;
    LyraTiming time;
    const LyraBodyDef *bodies;
    const LyraConstraintDef *constraints;
    const LyraLoadDef *loads;
    const LyraWorldForceDef *forces;
    const LyraChangeDef *changes;
    const LyraTieDef *ties;
    const LyraJointDef *joints;
    const LyraObstacleDef *obstacles;
    int32_t body_count, constraint_count, load_count, force_count, change_count, tie_count;
    int32_t obstacle_count, joint_count;
} LyWorldSpec;

extern const LyGroup ly_world_keys;      // LyWorldSpec
extern const LyGroup ly_body_keys;       // LyraBodyDef
extern const LyGroup ly_constraint_keys; // LyraConstraintDef
extern const LyGroup ly_load_keys;       // LyraLoadDef
extern const LyGroup ly_force_keys;      // LyraWorldForceDef
extern const LyGroup ly_change_keys;     // LyraChangeDef
extern const LyGroup ly_tie_keys;        // LyraTieDef
extern const LyGroup ly_joint_keys;      // LyraJointDef
extern const LyGroup ly_obstacle_keys;   // LyraObstacleDef
extern const LyGroup ly_select_keys;     // LyraSelector
extern const LyGroup ly_probe_keys;      // LyraProbeDef

/// Names of registered forces, for rows of kind NAME.
const char *ly_force_choice(const LyraContext *ctx, int32_t index);

/// Names of solvers, "auto" first, for rows of kind NAME.
const char *ly_solver_word(const LyraContext *ctx, int32_t index);

/// What is expected of a name where there is none to choose.
#define LY_NONE_REGISTERED "one that is registered, and none is"

/// In words, as "above 0".
const char *ly_range_text(LyRange range);
bool ly_range_holds(LyRange range, double value);

/// Memory that lives as long as the arena, cleared. `out` is a pointer to the typed pointer.
LyraStatus ly_arena_allocate(LyraArena *arena, int64_t count, size_t size, void *out);

/// Checks settings by their rows and copies them with all they point to onto the arena, curves
/// compiled. Whether a number is given (not NaN) is not asked of those whose default is NaN.
/// Failures name the key: ly_fail_key(). `from` and `to` may be one struct.
LyraStatus ly_keys_copy(LyraArena *arena, const LyGroup *group, const void *from, void *to);

#endif
