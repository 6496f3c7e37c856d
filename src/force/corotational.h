// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the kernels of small strain and their set-up share.

#ifndef LY_FORCE_COROTATIONAL_H
#define LY_FORCE_COROTATIONAL_H

#include "force/elastic.h"
#include "force/mapped.h"
#include "lyra/corotational.h"

/// Constants of a cube. With the signs s_p of a node for a set p of axes (the product of its sides
/// along them, see ly_cube_sign) and the sums w_p = sum over nodes of s_p x:
enum {
    LY_BOX_REST = 0,     ///< w_p of the rest positions for p = 1 to 7, bit i for axis i.
    LY_BOX_Q = 21,       ///< 1 / (4 h_i), 1/m.
    LY_BOX_VOLUME = 24,  ///< m^3.
    LY_BOX_INVERSE = 25, ///< B of the frame's gradient F = [d_1 d_2 d_3] B, 1/m.
    LY_BOX_CONSTANTS = 34
};

/// History where frames are kept: rotation, row-major, and how many steps have used it.
enum { LY_FRAME_ROTATION = 0, LY_FRAME_AGE = 9, LY_FRAME_HISTORY };

/// The force's own data.
typedef struct LyCorotational {
    LyraContext *ctx;
    LyraForceType type;
    LyraCorotationalModel model;
    bool isotropic;      // parameters are lambda, mu; else the 21 of a 6x6 matrix
    bool vega_frame;     // of cubes
    int32_t frame_steps; // 1: no history
    LyMappedRule mapped; // tets of 10 nodes, hexahedra
    LyRest rest;
    double pairs[8][8][9]; // integral of d_j N_a d_l N_b over a cube is V q_j q_l pairs[a][b][3j+l]
} LyCorotational;

LY_KERNEL_DECLARE(LyElasticKernel, ly_corotational_tet);
LY_KERNEL_DECLARE(LyElasticKernel, ly_corotational_cube);
LY_KERNEL_DECLARE(LyElasticKernel, ly_mapped_strain);

#endif
