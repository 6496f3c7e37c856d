// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Places that move: rotations and displacements over time, of what is held and what ties lead to.

#ifndef LY_WORLD_MOTION_H
#define LY_WORLD_MOTION_H

#include "lyra/world.h"
#include "world/curve.h"

/// Where and how fast all places of a motion go at one time.
typedef struct LyMotionFrame {
    double axis[3];
    const double *center;
    double c, s, rate, rate2; // of the angle
    LyraRates displacement[3];
} LyMotionFrame;

/// `displacement`: [3], compiled, as the curve of `rotation`, whose axis has a length.
LyMotionFrame ly_frame_at(const LyraRotation *rotation, const LyraCurve *displacement, double t);

/// Displacement, velocity and acceleration of a place that is X at rest.
void ly_frame_move(const LyMotionFrame *frame, const double X[3], double u[3], double v[3],
                   double a[3]);

#endif
