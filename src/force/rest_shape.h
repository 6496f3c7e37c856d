// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Rest shapes of elements: corners, their checks, and shape gradients.

#ifndef LY_FORCE_REST_SHAPE_H
#define LY_FORCE_REST_SHAPE_H

#include "lyra/mesh.h"

/// Corner of a unit cube that each node stands at: bit 0 for x, 1 for y, 2 for z.
static const int32_t ly_cube_bits[8] = {0, 1, 3, 2, 4, 5, 7, 6};

/// +1 or -1: side of the cube on which `node` stands along `axis`.
static inline double ly_cube_sign(int32_t node, int32_t axis)
{
    return ly_cube_bits[node] >> axis & 1 ? 1 : -1;
}

/// Rest positions of the nodes of all elements, [element_count][nodes][3], once all elements are
/// found fit: of positive volume, and cubes axis-aligned boxes. The caller releases `corners`.
LyraStatus ly_rest_corners(LyraContext *ctx, const LyraMesh *mesh, double **corners);

/// Gradients b_1, b_2, b_3 of the shape functions of a tet with nodes in the order given, 1/m, and
/// its volume, m^3.
void ly_rest_tet(const double corners[12], const int32_t order[4], double b[9], double *volume);

/// Edge lengths of a box along x, y, z, signed as its nodes stand, m; the mean of four each.
void ly_rest_cube(const double corners[24], double edges[3]);

#endif
