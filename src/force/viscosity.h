// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the viscous kernels and their set-up share.

#ifndef LY_FORCE_VISCOSITY_H
#define LY_FORCE_VISCOSITY_H

#include "lyra/viscosity.h"
#include "math/kernel.h"

/// Constants of a tet in the order of its batch's nodes: gradients b_1, b_2, b_3 of the shape
/// functions of nodes 1 to 3, 1/m, and the rest volume, m^3.
enum { LY_VISCOSITY_B = 0, LY_VISCOSITY_VOLUME = 9, LY_VISCOSITY_CONSTANTS };

typedef void LyViscosityKernel(const void *self, const LyraBatch *batch, LyraArena *scratch);

LY_KERNEL_DECLARE(LyViscosityKernel, ly_tet_viscosity);           // sixteen blocks
LY_KERNEL_DECLARE(LyViscosityKernel, ly_tet_viscosity_symmetric); // six blocks

#endif
