// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Elastic constants of small strain from the materials of meshes.

#ifndef LY_FORCE_STIFFNESS_H
#define LY_FORCE_STIFFNESS_H

#include "lyra/mesh.h"

/// LYRA_OK for ENU and orthotropic materials whose stiffness is positive definite.
LyraStatus ly_stiffness_check(const LyraMeshMaterial *material);

/// Lame constants of a checked ENU material, Pa.
void ly_stiffness_lame(const LyraMaterialEnu *enu, double *lambda, double *mu);

/// Stress from strain in world axes for a checked material, Pa, 6x6: order xx, yy, zz, xy, yz, zx
/// with engineering shears, upper triangle row by row.
void ly_stiffness_matrix(const LyraMeshMaterial *material, double upper[21]);

#endif
