// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The inside of a distance field.

#ifndef LY_VOLUME_DISTANCE_FIELD_H
#define LY_VOLUME_DISTANCE_FIELD_H

#include "base/base.h"
#include "lyra/distance.h"

struct LyraDistanceField {
    LyraContext *ctx;
    LyraDistanceFieldView shape; // its values stay NULL
    double *values;
};

/// A field of the shape of `shape`, whose values are ignored and whose sizes are checked; the
/// values of the new one are not set.
LyraStatus ly_distance_field_allocate(LyraContext *ctx, const LyraDistanceFieldView *shape,
                                      LyraDistanceField **out);

#endif
