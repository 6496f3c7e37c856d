// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Viscosity of tets by the rate of Green's strain, stated in docs/theory/viscosity.md.

#ifndef LYRA_VISCOSITY_H
#define LYRA_VISCOSITY_H

#include "lyra/force.h"
#include "lyra/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Parameters of "viscosity", for lyra_assembly_set_parameter().
typedef enum LyraViscosityParameter {
    LYRA_VISCOSITY_LAMBDA = 0, ///< Pa s.
    LYRA_VISCOSITY_MU,         ///< Pa s.
    LYRA_VISCOSITY_PARAMETER_COUNT
} LyraViscosityParameter;

/// Settings of a viscous force. Start from lyra_viscosity_def_default(). All elements must have
/// mu >= 0 and 3 lambda + 2 mu >= 0, so that nothing feeds energy.
typedef struct LyraViscosityDef {
    double lambda, mu;            ///< Pa s. Default 0.
    const double *element_lambda; ///< [element_count], overrules `lambda`. Nullable. Default NULL.
    const double *element_mu;     ///< [element_count], overrules `mu`. Nullable. Default NULL.
    /// dfdx keeps its symmetric part only, so that matrices stay symmetric. Default false: dfdx is
    /// exact, not symmetric, and makes the matrices of an assembly full.
    bool symmetric;
    uint32_t cookie; ///< Written by the default function only.
} LyraViscosityDef;

LYRA_API LyraViscosityDef lyra_viscosity_def_default(void);

/// Viscous force of the tets of `mesh`: second Piola stress S = lambda tr(E') 1 + 2 mu E' with E'
/// the rate of Green's strain. It has no energy; dfdv is symmetric and positive semi-definite; with
/// `psd` dfdx is 0. Fails with LYRA_BAD_MESH, naming the first one, if an element has zero or
/// negative volume, with LYRA_UNSUPPORTED unless the mesh is one of tets, and with
/// LYRA_INVALID_ARGUMENT for constants out of range.
LYRA_API LyraStatus lyra_viscosity_create(LyraContext *ctx, const LyraMesh *mesh,
                                          const LyraViscosityDef *def, LyraForce **out);

// ---- rates of stretches -------------------------------------------------------------------------

/// Parameters of "stretch-damping".
typedef enum LyraStretchDampingParameter {
    LYRA_STRETCH_DAMPING_SHEAR = 0, ///< "shear", Pa s, >= 0.
    LYRA_STRETCH_DAMPING_VOLUME,    ///< "volume", Pa s, >= 0.
    LYRA_STRETCH_DAMPING_PARAMETER_COUNT
} LyraStretchDampingParameter;

/// Settings of damping by the rate of the stretches. Start from lyra_stretch_damping_def_default().
typedef struct LyraStretchDampingDef {
    double shear, volume; ///< Pa s, >= 0. Default 0.
    /// The form of Irving and others, which brakes rotations of deformed bodies too. Default false.
    bool irving;
    uint32_t cookie; ///< Written by the default function only.
} LyraStretchDampingDef;

LYRA_API LyraStretchDampingDef lyra_stretch_damping_def_default(void);

/// Damping force of the tets of `mesh`: in the frames of F = U diag(s) V^T, with F'^ = U^T F' V,
///   S'_ij = (s_i F'^_ij + s_j F'^_ji)/(s_i + s_j),  T = 2 shear S' + volume tr(S') 1,
///   P^_ij = 2 T_ij s_i/(s_i + s_j):
/// no force under rigid motion, no torque, as strong for flat tets as for others. Stretches below 0
/// count as 0. With `irving` all s are 1 in these lines. dfdv is symmetric and positive
/// semi-definite; dfdx is left out (LYRA_FORCE_INEXACT). Fails as lyra_viscosity_create() does.
LYRA_API LyraStatus lyra_stretch_damping_create(LyraContext *ctx, const LyraMesh *mesh,
                                                const LyraStretchDampingDef *def, LyraForce **out);

#ifdef __cplusplus
}
#endif

#endif
