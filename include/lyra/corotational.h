// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Solids of small strain: linear elasticity, and the same in a frame that turns with each element,
/// on all elements, isotropic and orthotropic. docs/theory/corotational.md derives them.

#ifndef LYRA_COROTATIONAL_H
#define LYRA_COROTATIONAL_H

#include "lyra/elastic.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Models, by the names that scenes, commands and benches use.
typedef enum LyraCorotationalModel {
    LYRA_COROTATIONAL_LINEAR = 0,  ///< "linear": no rotation; constant tangent.
    LYRA_COROTATIONAL_APPROXIMATE, ///< "corotational": tangent R K R^T, symmetric and PSD.
    LYRA_COROTATIONAL_EXACT,       ///< "corotational-exact": the derivative of the force.
    LYRA_COROTATIONAL_MODEL_COUNT
} LyraCorotationalModel;

/// Name of a model, "unknown" outside the list.
LYRA_API const char *lyra_corotational_model_name(LyraCorotationalModel model);

/// Where the rotation of a cube comes from.
typedef enum LyraCubeFrame {
    LYRA_CUBE_FRAME_CENTRE = 0, ///< Deformation gradient at the centre.
    LYRA_CUBE_FRAME_VEGA,       ///< Deformation gradient of the tet of nodes 3, 4, 1, 6.
    LYRA_CUBE_FRAME_COUNT
} LyraCubeFrame;

/// Parameters of a force with an orthotropic material, for lyra_assembly_set_parameter(): the upper
/// triangle, row by row, of the 6x6 matrix that gives stress from strain in world axes, Pa. Order
/// xx, yy, zz, xy, yz, zx with engineering shears. Forces whose materials are all ENU have
/// LyraElasticParameter instead.
#define LYRA_STIFFNESS_PARAMETER_COUNT 21

/// Settings. Start from lyra_corotational_def_default().
typedef struct LyraCorotationalDef {
    LyraCorotationalModel model; ///< Default LYRA_COROTATIONAL_APPROXIMATE.
    LyraCubeFrame cube_frame;    ///< Cubes only. Default LYRA_CUBE_FRAME_CENTRE.
    /// Rotations are renewed every so many steps, >= 1. Above 1 the force has history: a step whose
    /// committed history is zero or this old takes the rotation of the present state, the steps
    /// after it keep the one that was committed. No effect on `linear`. Default 1.
    int32_t frame_steps;
    double young;   ///< Pa; of all elements, in place of the mesh's materials. Default 0: theirs.
    double poisson; ///< Of all elements, in (-1, 0.5); read only if `young` is given. Default 0.45.
    uint32_t cookie; ///< Written by the default function only.
} LyraCorotationalDef;

LYRA_API LyraCorotationalDef lyra_corotational_def_default(void);

/// Force of the elements of `mesh` with the constants of `def` or, without, the materials that the
/// mesh names, ENU or orthotropic. Copies what it needs.
///
/// What it is: conservative for `linear` and for ENU tets. Orthotropic tets and cubes have the
/// force R K z, which is not the gradient of the energy z^T K z / 2 and does not balance torque;
/// the exact tangent of those is not symmetric. PSD mode: `linear` and `corotational` are PSD as
/// they are; `corotational-exact` clamps the eigenvalues of ENU tets; for orthotropic tets, for
/// cubes, and where frames are kept, it takes the tangent of `corotational` unless the symmetric
/// part of the exact one has no negative eigenvalue.
///
/// Tets of 10 nodes and hexahedra have a frame at each Gauss point: ENU ones are conservative. They
/// have no frames that are kept, and no exact tangent of orthotropic materials: LYRA_UNSUPPORTED.
///
/// Fails with LYRA_BAD_MESH, naming the first one, for an element of zero or negative volume, a
/// cube that is no axis-aligned box or one that folds over; with LYRA_INVALID_ARGUMENT, naming
/// material and number, unless E > 0, -1 < nu < 0.5, or the orthotropic constants make a positive
/// definite stiffness and their axes a rotation to 1e-3.
LYRA_API LyraStatus lyra_corotational_create(LyraContext *ctx, const LyraMesh *mesh,
                                             const LyraCorotationalDef *def, LyraForce **out);

#ifdef __cplusplus
}
#endif

#endif
