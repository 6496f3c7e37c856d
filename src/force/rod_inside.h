// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The inside of a rod.

#ifndef LY_FORCE_ROD_INSIDE_H
#define LY_FORCE_ROD_INSIDE_H

#include "force/rod.h"
#include "lyra/springs.h"

struct LyraRod {
    LyraContext *ctx;
    LyraRodView view;
    LyraForce *forces[2];
    int32_t force_count;
    LyraSprings *springs;
    int32_t section_count;
    LyraRodSection *sections;
    int32_t *edges, *joints, *joint_edges;
    double *lengths, *stiffness, *frames, *positions, *masses;
    double *constants;  // [joint][LY_ROD_CONSTANTS]
    double *history;    // at rest, [joint][LY_ROD_HISTORY]
    double *parameters; // [joint][LYRA_ROD_PARAMETER_COUNT]
    double damping;
    int64_t *around_begin; // edges of vertex v: around[around_begin[v]] up to that of v + 1
    int32_t *around;
};

/// Make the forces along edges and of joints.
LyraStatus ly_rod_make_stretch(LyraRod *rod);
LyraStatus ly_rod_make_joints(LyraRod *rod);

#endif
