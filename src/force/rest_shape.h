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

/// Fails with LYRA_BAD_MESH, naming the first one, unless all elements are fit: of positive volume,
/// and cubes axis-aligned boxes. This is the one rule of all models.
LyraStatus ly_rest_check(const LyraMesh *mesh);

/// The elements of a force at rest.
typedef struct LyRest {
    int32_t nodes;           // of an element
    const int32_t *elements; // [element_count][nodes]: the stencils of the force, once it is there
    double *positions;       // m, [vertex_count][3]
} LyRest;

/// Takes the positions of a mesh, once its elements are found fit. The caller releases them.
LyraStatus ly_rest_create(LyraContext *ctx, const LyraMesh *mesh, LyRest *out);

/// Rest positions of the nodes of an element, [nodes][3].
void ly_rest_corners(const LyRest *rest, int32_t element, double *corners);

/// Constants of a tet in the order of its batch's nodes: gradients b_1, b_2, b_3 of the shape
/// functions of nodes 1 to 3 (b_0 = - b_1 - b_2 - b_3), 1/m, and the rest volume V, m^3.
/// LY_FORCE_REST_TET is the trait of types whose constants begin with these.
#define LY_FORCE_REST_TET (1u << 31)
enum { LY_TET_B = 0, LY_TET_VOLUME = 9, LY_TET_CONSTANTS };

/// Constants of a tet with rest positions `corners` [4][3] and nodes in the order given.
void ly_rest_tet(const double *corners, const int32_t *order, double *constants);

/// The same for an element of a force.
void ly_rest_setup_tet(const LyRest *rest, int32_t element, const int32_t *order,
                       double *constants);

/// Edge lengths of a box along x, y, z, signed as its nodes stand, m; the mean of four each.
void ly_rest_cube(const double *corners, double edges[3]);

#endif
