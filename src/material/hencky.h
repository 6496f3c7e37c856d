// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The logarithm of a stretch, extended to stretches of any size and sign:
//
//   s >= s0: l = ln s;
//   s <  s0: l = ln s0 - s0 x - (1 - s0)(1 - e^-x),   x = (s0 - s)/s0,   s0 = 0.1.
//
// Value and slope are continuous at s0, the curvature jumps. Far below, the slope falls to 1: an
// inverted element has a strain of the size of its stretch, and is pushed out.

#ifndef LY_MATERIAL_HENCKY_H
#define LY_MATERIAL_HENCKY_H

#include "math/elementary.h"

#define LY_HENCKY_THRESHOLD 0.1
#define LY_HENCKY_LOG_THRESHOLD (-2.302585092994045684)

typedef struct LyExtendedLog {
    LyReal value, slope, curvature;
} LyExtendedLog;

LY_INLINE LyExtendedLog ly_extended_log(LyReal s)
{
    const double s0 = LY_HENCKY_THRESHOLD;
    LyMask below = ly_less(s, ly_set(s0));
    LyReal inverse = 1.0 / ly_select(below, ly_set(s0), s);
    LyExtendedLog l = {ly_log_lanes(s), inverse, -inverse * inverse};
    if (ly_any(below)) {
        LyReal x = (s0 - ly_min(s, ly_set(s0))) * (1 / s0), decay = ly_exp_lanes(-x);
        LyReal value = LY_HENCKY_LOG_THRESHOLD - s0 * x - (1 - s0) * (1.0 - decay);
        l.value = ly_select(below, value, l.value);
        l.slope = ly_select(below, 1.0 + (1 / s0 - 1) * decay, l.slope);
        l.curvature = ly_select(below, ((1 - s0) / (s0 * s0)) * decay, l.curvature);
    }
    return l;
}

#endif
