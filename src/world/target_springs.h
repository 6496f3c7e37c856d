// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Springs from points to their places at rest plus an offset over time: LyraForce "target".

#ifndef LY_WORLD_TARGET_SPRINGS_H
#define LY_WORLD_TARGET_SPRINGS_H

#include "base/base.h"
#include "lyra/curve.h"
#include "lyra/force.h"

typedef struct LyTargetSprings {
    int32_t count;
    int32_t nodes;             // of a point: 1, or 4 with weights
    const int32_t *vertices;   // [count][nodes]
    const double *weights;     // [count][nodes]; must outlive the force. Nullable with one node
    double stiffness, damping; // N/m, N s/m
    const LyraCurve *offset;   // compiled, [3]; must outlive the force
} LyTargetSprings;

LyraStatus ly_target_springs_create(LyraContext *ctx, const LyTargetSprings *springs,
                                    LyraForce **out);

#endif
