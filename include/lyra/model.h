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

#ifdef __cplusplus
extern "C" {
#endif

/// Adds external forces, N, to f [3 vertex_count] at time t and displacements u, velocities v.
typedef void LyraLoad(void *user, double t, const double *u, const double *v, double *f);

/// Writes where the constraints hold the body at time t: displacements, m, velocities and
/// accelerations, each [3 vertex_count], zero before the call. Entries off the constraints are not
/// read. `v` and `a` are to be the derivatives of `u`. `v`, `a`: Nullable.
typedef void LyraPrescription(void *user, double t, double *u, double *v, double *a);

/// Settings of a model. Start from lyra_model_def_default(). Arrays are copied.
typedef struct LyraModelDef {
    int32_t vertex_count;
    const double *positions; ///< Rest positions X, m, [vertex_count][3].
    int32_t force_count;
    LyraForce *const *forces; ///< Must outlive the model. [force_count].
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

typedef struct LyraModel LyraModel;

LYRA_API LyraStatus lyra_model_create(LyraContext *ctx, const LyraModelDef *def, LyraModel **out);

/// Accepts NULL. Systems of the model must be gone.
LYRA_API void lyra_model_destroy(LyraModel *model);

/// A look at a model, valid while it lives and until a setter changes it.
typedef struct LyraModelView {
    int32_t vertex_count;
    const double *positions; ///< [vertex_count][3].
    const double *masses;    ///< Lumped masses (row sums where consistent), kg, [vertex_count].
    bool consistent;         ///< The mass matrix is not diagonal.
    double mass_damping, stiffness_damping;
    double gravity[3];
    uint64_t version; ///< Changes with every setter.
} LyraModelView;

LYRA_API LyraModelView lyra_model_view(const LyraModel *model);

/// The assembly of the forces, for parameters (lyra_assembly_set_parameter) and evaluations.
LYRA_API LyraAssembly *lyra_model_assembly(const LyraModel *model);

/// The constraints, over 3 vertex_count unknowns in the caller's order: to be filled, and changed
/// between steps.
LYRA_API LyraConstraints *lyra_model_constraints(const LyraModel *model);

LYRA_API LyraStatus lyra_model_set_gravity(LyraModel *model, const double gravity[3]);
LYRA_API LyraStatus lyra_model_set_damping(LyraModel *model, double mass_damping,
                                           double stiffness_damping);
/// Multiplies all masses by `factor` > 0 of what they were at creation.
LYRA_API LyraStatus lyra_model_set_mass_factor(LyraModel *model, double factor);

/// Constant forces, N, [3 vertex_count], on top of gravity and `load`. Nullable: none.
LYRA_API LyraStatus lyra_model_set_force(LyraModel *model, const double *force);

#ifdef __cplusplus
}
#endif

#endif
