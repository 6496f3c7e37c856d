// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the elastic kernels and their set-up share.

#ifndef LY_FORCE_ELASTIC_H
#define LY_FORCE_ELASTIC_H

#include "lyra/elastic.h"
#include "math/kernel.h"

/// Constants of a tet in the order of its batch's nodes: gradients b_1, b_2, b_3 of the shape
/// functions of nodes 1 to 3 (b_0 = - b_1 - b_2 - b_3), 1/m, and the rest volume V, m^3.
enum { LY_TET_B = 0, LY_TET_VOLUME = 9, LY_TET_CONSTANTS };

typedef void LyElasticKernel(const void *self, const LyraBatch *batch, LyraArena *scratch);

/// Constants of a tet with rest positions `corners` [4][3] and nodes in the given order.
void ly_tet_setup(const double *corners, const int32_t *order, double *constants);

/// Rest positions of the corners of all tets, [element][4][3], each of positive volume.
LyraStatus ly_tet_corners_create(LyraContext *ctx, const LyraMeshView *mesh, double **out);

/// Fails unless E > 0 and -1 < nu < 0.5, naming the material.
LyraStatus ly_check_enu(const LyraMeshMaterial *material);

LY_KERNEL_DECLARE(LyElasticKernel, ly_tet_linear);
LY_KERNEL_DECLARE(LyElasticKernel, ly_tet_stvk);
LY_KERNEL_DECLARE(LyElasticKernel, ly_tet_neo_hookean);

#endif
