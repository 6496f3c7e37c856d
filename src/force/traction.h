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

/// Points of a curved triangle, whose barycentric coordinates are a, a, 1 - 2 a: exact to degree 4.
#define LY_TRACTION_POINTS 6

/// Constants of a triangle of 6 nodes.
enum {
    LY_TRACTION6_REST = 0,   // [6][3], as above
    LY_TRACTION6_LOAD = 18,  // dead: load of each node, N, [6][3]
    LY_TRACTION6_POINT = 18, // live: alpha, beta, tangent, normal at each point, [6][4]
    LY_TRACTION6_CONSTANTS = 42
};

/// Shape functions and derivatives at the points, which `weight` [6] sums to 1/2.
typedef struct LyTractionRule {
    double weight[LY_TRACTION_POINTS], N[LY_TRACTION_POINTS][6], dN[LY_TRACTION_POINTS][6][2];
} LyTractionRule;

typedef struct LyTraction {
    LyraContext *ctx;
    LyraForceType type;
    LyTractionRule rule;
    bool closed;
    double *constants; // [triangle][constants]
    double centre[3];  // of the triangles: positions and volumes are measured from here
    double pressure;   // of closed surfaces
    double (*amplitude)(void *user, double t);
    void *user;
} LyTraction;

typedef void LyTractionKernel(const void *self, const LyraBatch *batch, LyraArena *scratch);

LY_KERNEL_DECLARE(LyTractionKernel, ly_traction_dead);            // six blocks
LY_KERNEL_DECLARE(LyTractionKernel, ly_traction_live);            // nine blocks
LY_KERNEL_DECLARE(LyTractionKernel, ly_traction_live_symmetric);  // six blocks
LY_KERNEL_DECLARE(LyTractionKernel, ly_traction_closed);          // six blocks
LY_KERNEL_DECLARE(LyTractionKernel, ly_traction6_dead);           // 21 blocks
LY_KERNEL_DECLARE(LyTractionKernel, ly_traction6_live);           // 36 blocks
LY_KERNEL_DECLARE(LyTractionKernel, ly_traction6_live_symmetric); // 21 blocks

#endif
