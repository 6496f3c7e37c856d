// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the viscous kernels and their set-up share.

#ifndef LY_FORCE_VISCOSITY_H
#define LY_FORCE_VISCOSITY_H

#include "force/rest_shape.h"
#include "lyra/viscosity.h"
#include "math/kernel.h"

typedef void LyViscosityKernel(const void *self, const LyraBatch *batch, LyraArena *scratch);

LY_KERNEL_DECLARE(LyViscosityKernel, ly_tet_viscosity);           // sixteen blocks
LY_KERNEL_DECLARE(LyViscosityKernel, ly_tet_viscosity_symmetric); // six blocks

LY_KERNEL_DECLARE(LyViscosityKernel, ly_tet_stretch_damping);
LY_KERNEL_DECLARE(LyViscosityKernel, ly_tet_stretch_damping_irving);

#endif
