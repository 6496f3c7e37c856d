// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Points against single elements: inside or not, closest point, weights.

#ifndef LY_MESH_ELEMENT_SHAPE_H
#define LY_MESH_ELEMENT_SHAPE_H

#include "mesh/mesh.h"

enum { LY_ELEMENT_NODES_MAX = 10 };

/// Positions of the vertices of an element.
typedef struct LyElementShape {
    LyraElementKind kind;
    const double *x[LY_ELEMENT_NODES_MAX]; // [nodes][3]
} LyElementShape;

static inline LyElementShape ly_element_shape(const LyraMesh *mesh, int32_t element)
{
    LyElementShape shape; // no more of it is set than the kind has
    shape.kind = mesh->kind;
    // tets are most of what is asked for: their loop has a length that the compiler knows
    int32_t nodes = mesh->kind == LYRA_ELEMENT_TET4 ? 4 : lyra_element_kind_nodes(mesh->kind);
    const int32_t *vertices = mesh->elements + (int64_t)nodes * element;
    for (int32_t a = 0; a < 4; ++a) {
        shape.x[a] = mesh->positions + 3 * (int64_t)vertices[a];
    }
    for (int32_t a = 4; a < nodes; ++a) {
        shape.x[a] = mesh->positions + 3 * (int64_t)vertices[a];
    }
    return shape;
}

/// Whether the element has a height (tet) or an edge (cube) of at most `tolerance`.
bool ly_element_is_flat(const LyElementShape *shape, double tolerance);

/// Whether a cube is aligned with the axes to a thousandth of its size; other kinds always are.
bool ly_element_is_aligned(const LyElementShape *shape);

/// Whether the point is inside, or outside of no face by more than `tolerance`. For elements that
/// are not flat and points in their box, grown by the tolerance.
bool ly_element_contains(const LyElementShape *shape, const double p[3], double tolerance);

/// Squared distance from the point to the element, and its closest point; for elements that are not
/// flat. 0 inside.
double ly_element_distance2(const LyElementShape *shape, const double p[3], double closest[3]);

/// Values of the shape functions [nodes] at the point, which may be outside: then they
/// extrapolate. For elements that are not flat.
void ly_element_weights(const LyElementShape *shape, const double p[3], double *weights);

#endif
