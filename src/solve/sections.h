// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// How long, wide and thick a body is, by its graph alone: breadth-first levels from one end of it
// are sections across it, and those of a section are lines across that. So without positions it is
// known what a nested dissection costs about, and how badly the body bends.

#ifndef LY_SOLVE_SECTIONS_H
#define LY_SOLVE_SECTIONS_H

#include "lyra/reorder.h"

typedef struct LySections {
    double length, width, thickness; // vertices along the largest component, longest first
    double entries, flops;           // of a factor of 3x3 blocks by nested dissection, about
} LySections;

/// Takes linear time.
LyraStatus ly_sections(LyraContext *ctx, LyraGraph graph, LySections *out);

#endif
