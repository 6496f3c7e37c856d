// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the kernels of loads on surfaces and their set-up share.

#ifndef LY_FORCE_TRACTION_H
#define LY_FORCE_TRACTION_H

#include "lyra/traction.h"
#include "math/kernel.h"

/// Constants of a triangle.
enum {
    LY_TRACTION_REST = 0,  // rest positions of the nodes from `centre`, m, [3][3]
    LY_TRACTION_LOAD = 9,  // dead: a third of the load, N, [3]
    LY_TRACTION_ALPHA = 9, // live: tangent d = alpha e1 + beta e2
    LY_TRACTION_BETA,      // live
    LY_TRACTION_TANGENT,   // live: tangential load, Pa
    LY_TRACTION_NORMAL,    // live: load along the normal, Pa
    LY_TRACTION_CONSTANTS
};

typedef struct LyTraction {
    LyraContext *ctx;
    LyraForceType type;
    double *constants; // [triangle][LY_TRACTION_CONSTANTS]
    double centre[3];  // of the triangles: positions and volumes are measured from here
    double pressure;   // of closed surfaces
    double (*amplitude)(void *user, double t);
    void *user;
} LyTraction;

typedef void LyTractionKernel(const void *self, const LyraBatch *batch, LyraArena *scratch);

LY_KERNEL_DECLARE(LyTractionKernel, ly_traction_dead);           // six blocks
LY_KERNEL_DECLARE(LyTractionKernel, ly_traction_live);           // nine blocks
LY_KERNEL_DECLARE(LyTractionKernel, ly_traction_live_symmetric); // six blocks
LY_KERNEL_DECLARE(LyTractionKernel, ly_traction_closed);         // six blocks

#endif
