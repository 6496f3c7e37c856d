// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// A model: vertices with masses, forces, damping, loads and constraints. Topology is frozen when
/// it is made; numbers that people turn while it runs (gravity, damping, parameters of forces) have
/// setters. One model serves many states.
///
/// M a + D v + f_int(u, v) = f_ext(t, u, v),   D = alpha M + beta K + D_user,   x = X + u.

#ifndef LYRA_MODEL_H
#define LYRA_MODEL_H

#include "lyra/base.h"
#include "lyra/constraint.h"
#include "lyra/force.h"
#include "lyra/mesh.h"
#include "lyra/mesh_ops.h"
#include "lyra/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Adds external forces, N, to f [3 vertex_count] at time t and displacements u, velocities v.
typedef void LyraLoad(void *user, double t, const double *u, const double *v, double *f);

/// Writes where the constraints hold the body at time t: displacements, m, velocities and
/// accelerations, each [3 vertex_count], zero before the call. Entries off the constraints are not
/// read. `v` and `a` are to be the derivatives of `u`. `v`, `a`: Nullable.
typedef void LyraPrescription(void *user, double t, double *u, double *v, double *a);

typedef struct LyraModel LyraModel;

/// Moves a body, or what drives it, where adding displacements is wrong: rotations, masses that
/// depend on where the body is. Its numbers are a block of LYRA_STATE_MATERIAL in the state; the
/// systems of the model call it as a step begins and as it is committed. It writes into the state
/// that it gets and nowhere else, so that a step that failed leaves no trace.
typedef struct LyraStepper {
    const char *name; ///< Of its block, which is "stepper." and this; 1 to 23 bytes, unique.
    int32_t version;  ///< Of the meaning of the numbers; those of another are not continued.
    int32_t count;    ///< Numbers in the state, >= 0.
    /// The numbers of a state that lacks them, [count]. Nullable: zeros.
    void (*init)(const void *self, double *values);
    /// Before a step of dt from the state's time on; `state` may be read, and histories of forces
    /// written by lyra_model_write_history(). `dt` is 0 outside of a step: then everything is to be
    /// as the state has it. Nullable.
    LyraStatus (*begin)(const void *self, const LyraModel *model, LyraState *state, double dt,
                        double *values);
    /// After a step of dt that the integrator accepts, with u and v at its end; the state's time is
    /// still that of the begin. What fails the step here by LYRA_NOT_CONVERGED makes an implicit
    /// integrator halve it. Nullable.
    LyraStatus (*commit)(const void *self, const LyraModel *model, LyraState *state, double dt,
                         double *values);
    /// Adds forces on vertices of the model at time t, N, [3 vertex_count]. Nullable.
    void (*load)(const void *self, const double *values, double t, double *f);
    /// Writes where constraints hold vertices of the model, as LyraPrescription. Nullable.
    void (*prescribe)(const void *self, const double *values, double t, double *u, double *v,
                      double *a);
    const void *self; ///< Handed to the functions; must outlive the model. Nullable.
} LyraStepper;

/// A body of a model: a range of its vertices with a name.
typedef struct LyraModelBody {
    const char *name; ///< Nullable in a def: "body1" and so on.
    int32_t first_vertex, vertex_count;
    /// What moves it beside the forces on its vertices, of which it may have none. Copied.
    /// Nullable.
    const LyraStepper *stepper;
    /// The last `scalar_count` of the vertices are scalar nodes: unknowns of edges (turns of the
    /// normal of a shell, of a rod about itself), which are no places. The first component of its
    /// displacement is the unknown, as a length, m: the angle times a length of the body that its
    /// forces know, so that forces on it are in N and its mass, the rotary inertia over the square
    /// of that length, in kg. The model holds the other two at 0. Gravity does not pull on it.
    /// Default 0.
    int32_t scalar_count;
} LyraModelBody;

/// Settings of a model. Start from lyra_model_def_default(). Arrays are copied.
typedef struct LyraModelDef {
    int32_t vertex_count;
    const double *positions; ///< Rest positions X, m, [vertex_count][3].
    /// Bodies, whose vertices follow one another and are all there are. [body_count]. Nullable:
    /// one of all vertices.
    const LyraModelBody *bodies;
    int32_t body_count;
    int32_t force_count;
    /// The force groups; must outlive the model. Names that are taken get a number. [force_count].
    LyraForce *const *forces;
    /// Masses, kg, [vertex_count], >= 0; a vertex without mass must be fixed (dynamics refuses it
    /// otherwise). Nullable with `mass_matrix`.
    const double *masses;
    /// Consistent masses, one row per vertex; used in place of `masses`. Nullable.
    const LyraMassMatrix *mass_matrix;
    double mass_damping;      ///< alpha, 1/s, >= 0. Default 0.
    double stiffness_damping; ///< beta, s, >= 0. Default 0.
    /// D takes K as it is, indefinite or not, as Vega does. Default false: the positive one.
    bool damping_exact;
    /// Further damping D_user, N s/m, symmetric positive semi-definite, rows by vertex. Nullable.
    const LyraBlockMatrix *damping;
    double gravity[3];              ///< m/s^2. Default 0.
    LyraLoad *load;                 ///< Nullable.
    void *load_user;                ///< Nullable.
    bool load_moves;                ///< `load` depends on u or v. Default true.
    LyraPrescription *prescription; ///< Nullable: constraints hold at their values.
    void *prescription_user;        ///< Nullable.
    uint32_t cookie;                ///< Written by the default function only.
} LyraModelDef;

LYRA_API LyraModelDef lyra_model_def_default(void);

LYRA_API LyraStatus lyra_model_create(LyraContext *ctx, const LyraModelDef *def, LyraModel **out);

/// Accepts NULL. Systems of the model must be gone.
LYRA_API void lyra_model_destroy(LyraModel *model);

/// A view of a model, valid while it lives and until a setter changes it.
typedef struct LyraModelView {
    int32_t vertex_count;
    const double *positions; ///< [vertex_count][3].
    const double *masses;    ///< Lumped masses (row sums where consistent), kg, [vertex_count].
    bool consistent;         ///< The mass matrix is not diagonal.
    /// Whether a vertex is a scalar node, [vertex_count]: its position, displacement and mass are
    /// none of the body's. NULL without any.
    const uint8_t *scalar;
    double mass_damping, stiffness_damping;
    double gravity[3];
    uint64_t version; ///< Changes with every setter.
} LyraModelView;

LYRA_API LyraModelView lyra_model_view(const LyraModel *model);

/// Body `index`; false past the last.
LYRA_API bool lyra_model_body(const LyraModel *model, int32_t index, LyraModelBody *out);

// ---- force groups -------------------------------------------------------------------------------

/// A force as a group of a model. Its id is its place in LyraModelDef::forces.
typedef struct LyraForceGroup {
    int32_t id;
    int32_t owner;    ///< Body, -1: none.
    const char *name; ///< Unique in the model.
    const LyraForceType *type;
    const LyraForce *force;
    const LyraMesh *mesh; ///< Whose elements the stencils are. Nullable.
    int32_t first_vertex; ///< Of the model, from which the stencils count.
    int32_t stencil_count;
    bool changing; ///< Its stencils come and go; a system has them.
} LyraForceGroup;

/// Group `id`; false past the last.
LYRA_API bool lyra_model_group(const LyraModel *model, int32_t id, LyraForceGroup *out);

/// Id of a force of the model, -1 if it is none of its own.
LYRA_API int32_t lyra_model_group_of(const LyraModel *model, const LyraForce *force);

/// Id of the group called `name`, -1 for none.
LYRA_API int32_t lyra_model_find_group(const LyraModel *model, const char *name);

/// Sets a parameter of all stencils of a group, by its name: `values` [stencil_count]. Fails,
/// naming group, parameter, stencil and value, if one is not of the parameter's kind. Constants
/// bound to one another, as 3 lambda + 2 mu > 0, change one after another and are the caller's
/// care.
LYRA_API LyraStatus lyra_model_set_parameter(LyraModel *model, int32_t group, const char *parameter,
                                             const double *values);

/// Reads number `component` of the history of all stencils of a group in a state, [stencil_count].
/// LyraForceType::history_names and history_units say what it is.
LYRA_API LyraStatus lyra_model_read_history(const LyraModel *model, int32_t group,
                                            const LyraState *state, int32_t component,
                                            double *values);

/// Writes it: for steppers, whose motion forces are to see. The state must have the history.
LYRA_API LyraStatus lyra_model_write_history(const LyraModel *model, int32_t group,
                                             LyraState *state, int32_t component,
                                             const double *values);

/// Lends the numbers of the stepper of a body in a state, [count]; NULL where it has none.
LYRA_API const double *lyra_model_stepper_values(const LyraModel *model, int32_t body,
                                                 const LyraState *state);

/// Values of a parameter of a group as they are now, [stencil_count].
LYRA_API LyraStatus lyra_model_get_parameter(const LyraModel *model, int32_t group,
                                             const char *parameter, double *values);

/// The constraints, over 3 vertex_count unknowns in the caller's order: to be filled, and changed
/// between steps.
LYRA_API LyraConstraints *lyra_model_constraints(const LyraModel *model);

LYRA_API LyraStatus lyra_model_set_gravity(LyraModel *model, const double gravity[3]);
LYRA_API LyraStatus lyra_model_set_damping(LyraModel *model, double mass_damping,
                                           double stiffness_damping);
/// Sets all masses to `factor` > 0 times what they were at creation. Velocities stay; a step books
/// the energy that this takes as LyraStepReport::change.
LYRA_API LyraStatus lyra_model_set_mass_factor(LyraModel *model, double factor);

/// The same for the masses of a body. Entries of a consistent matrix that couple two bodies get the
/// root of both factors.
LYRA_API LyraStatus lyra_model_set_body_mass_factor(LyraModel *model, int32_t body, double factor);

/// Constant forces, N, [3 vertex_count], on top of gravity and `load`. Nullable: none.
LYRA_API LyraStatus lyra_model_set_force(LyraModel *model, const double *force);

#ifdef __cplusplus
}
#endif

#endif
