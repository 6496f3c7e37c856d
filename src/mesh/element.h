// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Geometry of one element.

#ifndef LY_MESH_ELEMENT_H
#define LY_MESH_ELEMENT_H

#include "mesh/mesh.h"

/// Whether a cube's corners, in the order of the convention, are those of an axis-aligned box to
/// within `tolerance` of its shortest edge. Writes the signed edges.
bool ly_cube_is_box(const LyraMesh *mesh, int32_t element, double tolerance, double edges[3]);

/// Puts the vertices of a cube into the order of the convention if they are the corners of an
/// axis-aligned box in any order, to within `tolerance` of its edges, which it writes; false where
/// they are not.
bool ly_cube_order_corners(const double *positions, const int32_t *element, double tolerance,
                           int32_t out[8], double edges[3]);

/// Signed volume.
double ly_element_volume(const LyraMesh *mesh, int32_t element);

/// Integrals over one element with points relative to `origin`: volume (absolute), first moments
/// int r, and second moments int r r^T as xx xy xz yy yz zz.
void ly_element_moments(const LyraMesh *mesh, int32_t element, const double origin[3],
                        double *volume, double first[3], double second[6]);

/// Integrals of N_a N_b over one element, the sign of its volume removed, for pairs a <= b row by
/// row, [10, 36 or 55].
void ly_element_mass(const LyraMesh *mesh, int32_t element, double *mass);

/// Smallest det dx/dxi of a TET10 or HEX8 element at its vertices and Gauss points, m^3; of other
/// kinds the volume.
double ly_element_least_jacobian(const LyraMesh *mesh, int32_t element);

/// Whether the corners of an element of this volume stand in the wrong order: turning them helps. A
/// TET10 of negative volume whose corners are in order folds over instead.
bool ly_element_is_reversed(const LyraMesh *mesh, int32_t element, double volume);

/// Whether an element that is not reversed has det dx/dxi <= 0 at a vertex or Gauss point. Those of
/// TET4 and CUBE8 never do.
bool ly_element_is_folded(const LyraMesh *mesh, int32_t element);

/// Length of the longest edge between corners.
double ly_element_longest_edge(const LyraMesh *mesh, int32_t element);

/// See LYRA_MESH_DEGENERATE.
bool ly_element_is_degenerate(const LyraMesh *mesh, int32_t element, double volume);

#endif
