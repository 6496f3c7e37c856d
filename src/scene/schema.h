// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What a YAML scene may say: one table of keys from which values are read and checked, defaults
// taken, the commented scene of all defaults printed, and the tables of docs/scenes.md made.

#ifndef LY_SCENE_SCHEMA_H
#define LY_SCENE_SCHEMA_H

#include "base/file.h"
#include "scene/curve.h"
#include "scene/tree.h"

// ---- values as they are read --------------------------------------------------------------------

typedef struct LyIntegers {
    int32_t count;
    const int32_t *values;
} LyIntegers;

typedef struct LyNamedNumber {
    const char *name;
    double value;
    const LyNode *node;
} LyNamedNumber;

typedef struct LyNamedNumbers {
    int32_t count;
    const LyNamedNumber *items;
} LyNamedNumbers;

/// Three curves: x, y, z.
typedef struct LyCurves {
    LyCurve axis[3];
} LyCurves;

/// A list of groups: `items` is an array of their struct.
typedef struct LyList {
    int32_t count;
    const void *items;
} LyList;

// Each group's struct opens with the mapping it was read from, NULL where the scene has none.

typedef struct LyBoxSpec {
    const LyNode *node;
    double min[3], max[3];
} LyBoxSpec;

typedef struct LySphereSpec {
    const LyNode *node;
    double center[3], radius;
} LySphereSpec;

typedef struct LyHalfSpaceSpec {
    const LyNode *node;
    double point[3], normal[3];
} LyHalfSpaceSpec;

typedef struct LyNormalSpec {
    const LyNode *node;
    double direction[3], angle;
} LyNormalSpec;

typedef struct LyNearSpec {
    const LyNode *node;
    double point[3], distance;
    int64_t count;
} LyNearSpec;

/// What a selector says of the surface.
typedef enum LySurfaceWord {
    LY_SURFACE_FALSE = 0,
    LY_SURFACE_TRUE,
    LY_SURFACE_INNER,
    LY_SURFACE_OUTER,
} LySurfaceWord;

typedef struct LySelectSpec {
    const LyNode *node;
    bool all, invert;
    int32_t surface; // LySurfaceWord
    LyIntegers vertices;
    const char *file, *set;
    int64_t first;
    LyBoxSpec box;
    LySphereSpec sphere;
    LyHalfSpaceSpec half_space;
    LyNormalSpec normal;
    int64_t component;
    double component_at[3];
    LyNearSpec near;
} LySelectSpec;

typedef struct LyTurnSpec {
    const LyNode *node;
    double axis[3], center[3], angle;
} LyTurnSpec;

typedef struct LyTransformSpec {
    const LyNode *node;
    double scale[3], translate[3];
    LyTurnSpec rotate;
} LyTransformSpec;

typedef struct LyStartSpec {
    const LyNode *node;
    double scale[3], translate[3], velocity[3], angular_velocity[3];
    LyTurnSpec rotate;
} LyStartSpec;

typedef struct LyGenerateSpec {
    const LyNode *node;
    int32_t shape, element, pattern;
    int64_t elements;
    LyIntegers cells;
    double center[3], size[3], radius, tube_radius, height;
} LyGenerateSpec;

typedef struct LyMaterialSpec {
    const LyNode *node;
    const char *model;
    double young, poisson, density, inversion_threshold, compression_resistance;
    double stiffness, damping;
    int32_t inversion;
    LyNamedNumbers parameters;
} LyMaterialSpec;

typedef struct LyRegionSpec {
    const LyNode *node;
    LySelectSpec select;
    double young, poisson, density;
} LyRegionSpec;

typedef struct LyViscositySpec {
    const LyNode *node;
    double lambda, mu;
    bool symmetric;
} LyViscositySpec;

typedef struct LyFibreSpec {
    const LyNode *node;
    double direction[3], stiffness, exponent, active_stress;
    LyCurve activation;
    bool tension_only;
} LyFibreSpec;

typedef struct LySurfaceSpec {
    const LyNode *node;
    const char *name, *file, *weights;
} LySurfaceSpec;

typedef enum LyBodyKind {
    LY_BODY_SOLID = 0,
    LY_BODY_AFFINE,
} LyBodyKind;

typedef struct LyBodySpec {
    const LyNode *node;
    const char *name, *mesh;
    int32_t kind; // LyBodyKind
    double stiffness;
    LyGenerateSpec generate;
    LyTransformSpec transform;
    LyMaterialSpec material;
    LyList regions, surfaces; // LyRegionSpec, LySurfaceSpec
    LyViscositySpec viscosity;
    LyFibreSpec fibre;
    LyStartSpec start;
} LyBodySpec;

typedef struct LyRotationSpec {
    const LyNode *node;
    double axis[3], center[3];
    LyCurve angle;
} LyRotationSpec;

typedef struct LyConstraintSpec {
    const LyNode *node;
    const char *body;
    LySelectSpec select;
    int32_t axes; // bits 1 x, 2 y, 4 z
    double direction[3];
    LyCurves displacement;
    LyRotationSpec rotation;
} LyConstraintSpec;

typedef enum LyLoadType {
    LY_LOAD_FORCE = 0,
    LY_LOAD_TRACTION,
    LY_LOAD_PRESSURE,
    LY_LOAD_SPRING,
} LyLoadType;

typedef struct LyLoadSpec {
    const LyNode *node;
    const char *body;
    int32_t type; // LyLoadType
    LySelectSpec select;
    LyCurves force;
    int32_t share; // 0 each vertex, 1 all together
    double traction[3];
    int32_t follow; // 0 dead, 1 live
    LyCurve pressure, factor;
    bool symmetric;
    double stiffness, damping;
    LyCurves offset;
} LyLoadSpec;

typedef struct LyChangeSpec {
    const LyNode *node;
    const char *body, *parameter;
    LyCurve value, factor;
} LyChangeSpec;

typedef struct LyDampingSpec {
    const LyNode *node;
    double mass, stiffness;
    bool exact;
} LyDampingSpec;

typedef struct LyNewtonSpec {
    const LyNode *node;
    int32_t policy;
    int64_t iterations, halvings;
    double decrement, residual, step;
    bool line_search, psd_always;
} LyNewtonSpec;

typedef struct LyRosenbrockSpec {
    const LyNode *node;
    const char *set;
} LyRosenbrockSpec;

typedef struct LyIntegratorSpec {
    const LyNode *node;
    const char *name;
    LyNewtonSpec newton;
    LyRosenbrockSpec rosenbrock4;
    double beta, gamma, spectral_radius, relative_tolerance, absolute_tolerance;
    int64_t damping_update, critical_interval, stages, load_steps;
    int32_t critical;
} LyIntegratorSpec;

typedef struct LySolverSpec {
    const LyNode *node;
    const char *name, *preconditioner;
    double tolerance;
    int64_t iterations, restart, reuse_iterations;
    bool coarse, single;
} LySolverSpec;

typedef struct LyTimeSpec {
    const LyNode *node;
    double dt, duration;
    int64_t steps, substeps;
} LyTimeSpec;

typedef struct LyOutputSpec {
    const LyNode *node;
    int64_t save_every, vtu_every, obj_every, checkpoint_every, snapshot_every;
    int32_t snapshot_field;
    LyIntegers snapshot_size;
    bool pc2, gltf, snapshot_edges;
} LyOutputSpec;

typedef struct LyCameraSpec {
    const LyNode *node;
    double azimuth, elevation, eye[3], target[3], up[3], field_of_view;
} LyCameraSpec;

typedef struct LySceneSpec {
    const LyNode *node;
    const char *title;
    LyList bodies, constraints, loads, changes;
    LyCurves gravity;
    int32_t mass; // 0 lumped, 1 consistent
    LyDampingSpec damping;
    LyIntegratorSpec integrator;
    LySolverSpec solver;
    LyTimeSpec time;
    LyOutputSpec output;
    LyCameraSpec camera;
} LySceneSpec;

// ---- the table ----------------------------------------------------------------------------------

typedef enum LyKeyKind {
    LY_KEY_NUMBER = 0, // double
    LY_KEY_INTEGER,    // int64_t
    LY_KEY_BOOL,       // bool
    LY_KEY_WORD,       // int32_t, place in `choices`
    LY_KEY_NAME,       // const char *, one of `choice`
    LY_KEY_TEXT,       // const char *
    LY_KEY_VECTOR,     // double[3]
    LY_KEY_SCALE,      // double[3], from one number or three
    LY_KEY_CURVE,      // LyCurve
    LY_KEY_CURVES,     // LyCurves
    LY_KEY_INTEGERS,   // LyIntegers
    LY_KEY_AXES,       // int32_t
    LY_KEY_NAMED,      // LyNamedNumbers
    LY_KEY_GROUP,      // a struct of `group`
    LY_KEY_LIST,       // LyList of structs of `group`
} LyKeyKind;

typedef enum LyRange {
    LY_RANGE_ANY = 0,
    LY_RANGE_POSITIVE,     // > 0
    LY_RANGE_NOT_NEGATIVE, // >= 0
    LY_RANGE_FRACTION,     // [0, 1]
    LY_RANGE_INSIDE,       // (0, 1)
    LY_RANGE_POISSON,      // (-1, 0.5)
    LY_RANGE_FIELD,        // (0, pi): an angle of view
    LY_RANGE_COUNT
} LyRange;

typedef struct LyGroup LyGroup;

typedef struct LyKey {
    const char *name;
    LyKeyKind kind;
    size_t offset;        // in the group's struct
    const char *unit;     // NULL and "": none
    const char *fallback; // as a scene would say it; NULL: none
    LyRange range;
    bool required;
    bool shown;          // a group that stands in the scene of all defaults, not as a comment
    const char *choices; // words with | between
    const char *(*choice)(int32_t index);
    const LyGroup *group;
    const char *only; // for this `type` of the group only
    const char *meaning;
} LyKey;

struct LyGroup {
    const char *name;
    const char *meaning;
    size_t size; // of the struct
    int32_t key_count;
    const LyKey *keys;
};

extern const LyGroup ly_scene_schema;

/// In words, as "greater than 0".
const char *ly_range_text(LyRange range);
bool ly_range_holds(LyRange range, double value);

/// Reads a mapping by a group into its struct; keys that are missing take their defaults. `node`:
/// Nullable.
LyraStatus ly_schema_read(LyraArena *arena, const LyGroup *group, const LyNode *node, void *out);

/// Whether the scene says this key of a group.
bool ly_schema_says(const void *group, const char *key);

/// A scene with every key, its default, unit and meaning.
void ly_schema_write_defaults(LyWriter *writer);

/// The tables of docs/scenes.md.
void ly_schema_write_tables(LyWriter *writer);

#endif
