// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Elements as images of a reference element: tets of 10 nodes and general hexahedra. Reference
// coordinates xi are the barycentric ones of corners 1 to 3 of a tet, and those of the unit cube.

#ifndef LY_MESH_ELEMENT_MAP_H
#define LY_MESH_ELEMENT_MAP_H

#include "mesh/element_shape.h"

/// Whether a kind is made by a map that is not affine or a scaling along the axes.
static inline bool ly_kind_is_mapped(LyraElementKind kind)
{
    return kind == LYRA_ELEMENT_TET10 || kind == LYRA_ELEMENT_HEX8;
}

/// Shape functions [nodes] and their derivatives by xi, [nodes][3]. N: Nullable.
void ly_shape_functions(LyraElementKind kind, const double xi[3], double *N, double (*dN)[3]);

/// det dx/dxi at xi for nodes r; writes the columns J[j] = dx/dxi_j.
double ly_map_jacobian(LyraElementKind kind, const double r[][3], const double xi[3],
                       double J[3][3]);

/// Reference coordinates of node a of a tet of 10 nodes.
void ly_tet10_place(int32_t a, double xi[3]);

/// Smallest det dx/dxi at the vertices and at the Gauss points of the forces (4 of a tet, 8 of a
/// hexahedron), for nodes r.
double ly_map_least_jacobian(LyraElementKind kind, const double r[][3]);

/// The Gauss points of the forces: coordinates and weights, which sum to the reference volume. How
/// many: 4 of a tet, 8 of a hexahedron, x fastest.
int32_t ly_map_points(LyraElementKind kind, double xi[8][3], double weight[8]);

/// Box of a mapped element; for a tet of 10 nodes that of the control points of its quadratics.
void ly_map_box(const LyElementShape *shape, double low[3], double high[3]);

bool ly_map_is_flat(const LyElementShape *shape, double tolerance);
bool ly_map_contains(const LyElementShape *shape, const double p[3], double tolerance);
double ly_map_distance2(const LyElementShape *shape, const double p[3], double closest[3]);

/// Shape functions at the place of p; outside of the element, those of its closest point, continued
/// by their gradients.
void ly_map_weights(const LyElementShape *shape, const double p[3], double *weights);

#endif
