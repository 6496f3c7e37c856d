// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Tubes around lines, that turn with them.

#ifndef LY_MESH_TUBE_H
#define LY_MESH_TUBE_H

#include "lyra/lines.h"
#include "lyra/surface.h"

typedef struct LyTube LyTube;

/// `lines` has radii.
LyraStatus ly_tube_create(LyraContext *ctx, const LyraLinesView *lines, int32_t sides,
                          LyTube **out);

/// Accepts NULL.
void ly_tube_destroy(LyTube *tube);

int32_t ly_tube_point_count(const LyTube *tube);

/// Vertex of the lines that a point goes along with.
int32_t ly_tube_vertex(const LyTube *tube, int32_t point);

/// Its triangles at rest.
LyraStatus ly_tube_surface(const LyTube *tube, LyraSurface **out);

/// Writes where the points are, [point_count][3], for displacements u of the vertices; NULL: at
/// rest. Allocates nothing.
void ly_tube_move(const LyTube *tube, const double *u, double *out);

#endif
