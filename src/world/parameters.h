// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Numbers that are turned while a world runs: how each is found and set. The rows of the tables of
// keys point here; a path of such a row is a parameter.

#ifndef LY_WORLD_PARAMETERS_H
#define LY_WORLD_PARAMETERS_H

#include "world/world.h"

/// A number of bodies that is turned as a factor on what each started with.
typedef struct LyScaled {
    const char *name; // in messages
    const char *unit;
    double range;   // a slider goes so many times up and down
    size_t factor;  // of which member of LyBody it is
    int32_t number; // handed to the functions
    /// What a body started with: NaN: its elements differ; 0: it has none.
    double (*start)(const LyraWorld *world, int32_t body, int32_t number);
    /// Whether it changes over time by itself. Nullable.
    bool (*changes)(const LyraWorld *world, int32_t body, int32_t number);
    /// Sets it in the model, through `undo`; the member of the body follows.
    LyraStatus (*set)(LyraWorld *world, LyUndo *undo, int32_t body, int32_t number, double factor);
} LyScaled;

/// How a number is turned. `body`: its number; -1: all bodies at once, or the world's own.
struct LyLive {
    /// Whether the world has it, and does not change it by itself.
    bool (*has)(const LyraWorld *world, int32_t body);
    /// Writes all but `path` and `name`.
    void (*read)(const LyraWorld *world, int32_t body, LyraWorldParameter *out);
    /// Sets it; what it changes in the model goes through `undo`. On failure the caller takes that
    /// back.
    LyraStatus (*set)(LyraWorld *world, LyUndo *undo, int32_t body, double value);
    const LyScaled *scaled; // in place of the three. Nullable
};

/// The same, whatever way it is turned.
bool ly_live_has(const LyLive *live, const LyraWorld *world, int32_t body);
void ly_live_read(const LyLive *live, const LyraWorld *world, int32_t body,
                  LyraWorldParameter *out);
LyraStatus ly_live_set(const LyLive *live, LyraWorld *world, LyUndo *undo, int32_t body,
                       double value);

/// Writes a number that is a factor, or where all agree on it (`base`, else NaN) the number itself;
/// a slider goes `range` times up and down.
void ly_read_scaled(double base, const char *unit, double factor, double range,
                    LyraWorldParameter *out);

/// `value` over what the world started with; an error unless above 0.
LyraStatus ly_find_factor(const char *name, double value, double start, double *factor);

extern const LyLive ly_live_young, ly_live_poisson, ly_live_mass_damping, ly_live_stiffness_damping,
    ly_live_dt, ly_live_gravity, ly_live_cloth_stretch, ly_live_cloth_shear, ly_live_cloth_bend_u,
    ly_live_cloth_bend_v, ly_live_affine, ly_live_rod_damping;

/// Of the numbers that masses of bodies go by, the one that those of a body do.
extern const LyLive ly_live_density, ly_live_springs_density, ly_live_springs_mass,
    ly_live_cloth_density, ly_live_cloth_mass, ly_live_particles_density, ly_live_particles_mass,
    ly_live_rod_density, ly_live_rod_mass, ly_live_rigid_mass;

/// The number that all elements of a mesh agree on, NaN where they don't. `first`: that of the
/// first element. Nullable.
typedef double LyMaterialNumber(const LyraMeshMaterial *material);
double ly_common_number(const LyraMesh *mesh, LyMaterialNumber *number, double *first);

/// Whether a change over time sets the number of a key that has `live`, of a body or of all.
bool ly_world_changes_key(const LyraWorld *world, const LyKey *key, int32_t body);

/// The key of a path below a group that can be turned, as "material.young"; NULL for none.
const LyKey *ly_find_turned(const LyGroup *group, const char *path);

/// Whether a change over time sets a parameter of a force; NULL: any.
bool ly_world_changes(const LyraWorld *world, const LyraForce *force, const char *parameter);

/// Parameter p of a group as that of `like` times `factor`.
LyraStatus ly_copy_parameter(LyraWorld *world, LyUndo *undo, int32_t group, const LyraForce *like,
                             int32_t p, double factor);

// ---- keys that are a parameter of forces (LyKey::turns) -----------------------------------------

/// Whether forces of a type, of a body, are those that a key means.
bool ly_turns_is_of(const LyraWorld *world, int32_t body, const LyraForceType *type,
                    const LyTurns *turns);

/// Whether bodies have forces with the parameter of a key, not below 0 and not all 0 where a factor
/// turns it, and the world does not change it. `start`: what all stencils have; NaN where they
/// differ.
bool ly_turns_find(const LyraWorld *world, int32_t body, const LyKey *key, double *start);

/// As LyLive::read. `turned`: what ly_turns_set() wrote last, of a body; NaN: nothing yet.
void ly_turns_read(const LyKey *key, double start, double turned, LyraWorldParameter *out);

/// As LyLive::set. `turned` is the same for a body alone and for all of them.
LyraStatus ly_turns_set(LyraWorld *world, LyUndo *undo, int32_t body, const LyKey *key,
                        double start, double value, double *turned);

#endif
