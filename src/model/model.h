// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The inside of models: masses, external forces, and what systems ask of them. Vectors are in the
// caller's order of vertices; matrices on the assembly's pattern in the internal one.

#ifndef LY_MODEL_MODEL_H
#define LY_MODEL_MODEL_H

#include "base/base.h"
#include "base/name_index.h"
#include "force/force.h"
#include "lyra/model.h"
#include "lyra/state.h"

/// Masses of the vertices, each a multiple of the 3x3 identity.
typedef struct LyMass {
    bool consistent;
    double *factor; // of bodies, on all that the def said, [body_count]
    double *base;   // lumped, as the def said, [vertex_count]
    double *lumped; // with the factors, [vertex_count]
    int32_t *empty; // vertices without mass, ascending
    int32_t empty_count;
    // consistent only: full rows, and one number per block of the assembly's pattern
    int64_t *row_start; // [vertex_count + 1]
    int32_t *column;    // [row_start[vertex_count]]
    double *base_rows;  // as the def said, [row_start[vertex_count]]
    double *values;     // with the factors, [row_start[vertex_count]]
    double *on_pattern; // the same, [block_count]
} LyMass;

/// Force groups that are evaluated, kept and summed together, because they are alike in what they
/// depend on and how their matrices are stored. What one part is leaves the others as they are.
typedef struct LyPart {
    LyraAssembly *assembly;
    uint32_t some, all; // traits that some group has, that all have
    /// Vertices it touches, by internal place, where these are few: gradients have these alone.
    /// NULL: all vertices, in the model's order.
    int32_t *vertices;
    int32_t *place; // of each vertex among `vertices`, -1: none. NULL: the model's
    /// Place of each of its blocks in the model's pattern, ~place for the transpose. NULL: it has
    /// the model's pattern, or its matrix stays beside the others'.
    int32_t *slot;
    bool beside;        // its matrix is not symmetric, while that of the model is
    int32_t *transpose; // of such: place of the transpose of each of its blocks. Nullable
    int32_t *groups;    // [forces of the assembly]
} LyPart;

/// The stepper of a body, with a name of its own, and the place of its numbers among all.
typedef struct LyStepper {
    LyraStepper stepper;
    int64_t first;
} LyStepper;

struct LyraModel {
    LyraContext *ctx;
    int32_t vertex_count;
    double *positions; // [vertex_count][3]
    int32_t body_count;
    LyraModelBody *bodies; // [body_count], with names of their own
    uint8_t *scalar;       // whether a vertex is a scalar node, [vertex_count]. NULL: none is
    int32_t stepper_count;
    LyStepper *steppers;    // [stepper_count]
    int64_t stepping_count; // numbers of all of them
    bool stepper_loads, stepper_prescribes;
    int32_t force_count;
    LyraForce **forces;        // the groups, [force_count]
    char **names;              // of the groups, [force_count]
    LyNameIndex name_index;    // of these
    uint32_t force_mask;       // of `force_slots`, a power of two less one
    int32_t *force_slots;      // groups by a hash of their forces, -1: free
    int32_t *group_part;       // part of each group, -1: its stencils change, [force_count]
    int32_t *group_index;      // ... and its place there
    int32_t *history_versions; // of the groups, [force_count]
    uint32_t force_traits;     // that some force has
    uint32_t force_traits_all; // that all forces have
    int32_t *order, *place;    // vertex at each internal place, and the other way, [vertex_count]
    double middle[3];          // of the box of the rest positions
    LyraBlockPattern *pattern; // of matrices in the internal order
    int32_t part_count;
    LyPart *parts;         // [part_count]
    bool beside;           // some part is
    bool bounded;          // some group bounds motions
    int64_t history_count; // of all parts, one after another
    LyMass mass;
    double mass_damping, stiffness_damping;
    bool damping_exact;
    LyraBlockMatrix *damping; // D_user on the pattern. Nullable
    double gravity[3];
    double *force; // constant forces, [3 vertex_count]
    LyraLoad *load;
    void *load_user;
    bool load_moves;
    LyraPrescription *prescription;
    void *prescription_user;
    LyraConstraints *constraints;
    int32_t component_count;    // sets of vertices that no force connects
    int32_t *component_start;   // of `component_vertex`, [component_count + 1]
    int32_t *component_vertex;  // vertices by component, [vertex_count]
    double extent;              // longest edge of the box of rest positions, m
    uint64_t version;           // of all numbers
    uint64_t mass_version;      // of the masses
    uint64_t parameter_version; // of the parameters of forces
};

/// Whether a vertex is a scalar node.
static inline bool ly_model_is_scalar(const LyraModel *model, int64_t vertex)
{
    return model->scalar && model->scalar[vertex];
}

/// First vertex of the model that the stencils of a group count from.
static inline int32_t ly_group_first(const LyraModel *model, int32_t group)
{
    int32_t owner = model->forces[group]->owner;
    return owner < 0 ? 0 : model->bodies[owner].first_vertex;
}

/// Gives the groups their names and makes them findable; see groups.c.
LyraStatus ly_model_name_groups(LyraModel *model);

/// Energies and gradients of the stencils of a group in a state, as
/// lyra_assembly_evaluate_stencils() has them.
LyraStatus ly_model_evaluate_group(const LyraModel *model, int32_t group, const LyraState *state,
                                   double *energies, double *gradients);

/// See history.c.
int32_t ly_history_version(const LyraModel *model, int32_t group);

// ---- parts (parts.c) ----------------------------------------------------------------------------

/// Makes order, pattern (which also holds `pairs` of vertices) and parts.
LyraStatus ly_model_make_parts(LyraModel *model, int64_t pair_count, const int32_t *pairs);
void ly_model_destroy_parts(LyraModel *model);

/// Unknowns of the gradient of a part.
static inline int64_t ly_part_size(const LyPart *part)
{
    return 3 * (int64_t)part->assembly->vertex_count;
}

// ---- masses -------------------------------------------------------------------------------------

/// Pairs of vertices that the mass matrix couples, i < j: writes [count][2] unless NULL.
int64_t ly_mass_pairs(const LyraMassMatrix *matrix, int32_t *pairs);

/// Reads the masses of a def; the pattern must stand.
LyraStatus ly_mass_create(LyraModel *model, const LyraModelDef *def);
void ly_mass_destroy(LyraContext *ctx, LyMass *mass);

/// Multiplies the masses of a body by `factor` of what the def said; what couples two bodies, by
/// the root of both factors, which keeps M positive definite. False where they have this factor.
bool ly_mass_scale(LyraModel *model, int32_t body, double factor);

/// y = M x, in the caller's order, [3 vertex_count].
void ly_mass_apply(const LyraModel *model, const double *x, double *y);

/// Solves M x = b for lumped masses and x in the range of P, which commutes with a mass that is the
/// same in all directions. The two may be one.
void ly_mass_divide(const LyraModel *model, const double *b, double *x);

/// LYRA_SINGULAR, with its name, if a vertex is free in a direction and has no mass.
LyraStatus ly_mass_check(const LyraModel *model);

// ---- rest shape ---------------------------------------------------------------------------------

/// Finds the components; forces must stand.
LyraStatus ly_components_create(LyraModel *model);

/// Displacements of the rest shape, each component placed by the rigid motion that fits `u` best in
/// the least squares, with masses as weights. Both [3 vertex_count], not the same.
void ly_rest_place(const LyraModel *model, const double *u, double *rest);

// ---- forces -------------------------------------------------------------------------------------

/// External forces at (t, u, v), [3 vertex_count], and the work f . u of those that do not move.
/// `stepping`: the numbers of steppers. `work`: Nullable.
void ly_model_external(const LyraModel *model, const double *stepping, double t, const double *u,
                       const double *v, double *f, double *work);

/// The same without gravity.
void ly_model_loads(const LyraModel *model, double t, const double *u, const double *v, double *f);

/// Sizes of the numbers that forces at each unknown are computed from, m, [3 vertex_count]: edges
/// of elements whose law is not linear; positions, counted from the middle or not, of forces that
/// see these. Nothing for those that compute from displacements alone.
void ly_model_lengths(const LyraModel *model, double *lengths);

/// Whether D is not zero.
bool ly_model_damped(const LyraModel *model);

/// LyraSystemTrait bits of systems of the model.
uint32_t ly_model_traits(const LyraModel *model);

#endif
