// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the sources of rods and their kernels share.

#ifndef LY_FORCE_ROD_H
#define LY_FORCE_ROD_H

#include "lyra/rod.h"
#include "math/kernel.h"

/// Constants of a joint with frames: both edges at rest, m, and the angle of each per length of its
/// unknown, 1/m, below 0 for an edge that is passed from its end to its begin.
enum { LY_ROD_EDGE_A = 0, LY_ROD_EDGE_B = 3, LY_ROD_ANGLE_A = 6, LY_ROD_ANGLE_B, LY_ROD_CONSTANTS };

/// History of a joint: the frames of both edges as quaternions (w, x, y, z), the turn between them,
/// rad, and the strains where the step ended.
enum {
    LY_ROD_FRAME_A = 0,
    LY_ROD_FRAME_B = 4,
    LY_ROD_TURN = 8,
    LY_ROD_CURVATURE_1,
    LY_ROD_CURVATURE_2,
    LY_ROD_TWIST,
    LY_ROD_HISTORY
};

/// cos^2 of half the angle between two edges is not counted below this: 180 degrees less 0.08.
#define LY_ROD_FLOOR 5e-7

/// What a force of joints is handed.
typedef struct LyRodForce {
    LyraContext *ctx;
    LyraForceType type;
    double *constants; // [joint][LY_ROD_CONSTANTS]. Nullable
    double *history;   // at rest, [joint][LY_ROD_HISTORY]. Nullable
} LyRodForce;

/// Quaternions (w, x, y, z). `out` may be none of the others.
static inline void ly_quaternion_multiply(const double a[4], const double b[4], double out[4])
{
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/// The strains of a joint whose edges have the frames `a` and `b`: two curvatures and the turn.
void ly_rod_strains(const double a[4], const double b[4], double strains[3]);

typedef void LyRodKernel(const void *self, const LyraBatch *batch, LyraArena *scratch);
LY_KERNEL_DECLARE(LyRodKernel, ly_rod_joint);
LY_KERNEL_DECLARE(LyRodKernel, ly_rod_joint_damped);
LY_KERNEL_DECLARE(LyRodKernel, ly_rod_bend);
LY_KERNEL_DECLARE(LyRodKernel, ly_rod_bend_damped);

#endif
