// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the fibre kernels and their set-up share.

#ifndef LY_FORCE_FIBRE_H
#define LY_FORCE_FIBRE_H

#include "force/mapped.h"
#include "lyra/fibre.h"
#include "math/kernel.h"

/// Constants of a tet: m_a = b_a . a of nodes 1 to 3, 1/m, the volume, m^3, and a. Of a cube: a_i /
/// h_i, the volume and a. Of mapped elements those of their points, then a.
enum { LY_FIBRE_M = 0, LY_FIBRE_VOLUME = 3, LY_FIBRE_DIRECTION, LY_FIBRE_CONSTANTS = 7 };

typedef struct LyFibre {
    LyraContext *ctx;
    LyraForceType type;
    bool tension_only;
    LyMappedRule mapped; // tets of 10 nodes, hexahedra
    LyRest rest;
    double *directions; // [element][3], unit
} LyFibre;

typedef void LyFibreKernel(const void *self, const LyraBatch *batch, LyraArena *scratch);

LY_KERNEL_DECLARE(LyFibreKernel, ly_fibre_tet);
LY_KERNEL_DECLARE(LyFibreKernel, ly_fibre_cube);
LY_KERNEL_DECLARE(LyFibreKernel, ly_fibre_mapped);

#endif
