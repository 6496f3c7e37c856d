// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Vertices at one place.

#ifndef LY_MESH_MERGE_H
#define LY_MESH_MERGE_H

#include "mesh/mesh.h"

/// Writes for each vertex the kept one that it joins, itself if it is kept: see
/// lyra_mesh_merge_vertices.
LyraStatus ly_find_kept_vertices(LyraContext *ctx, int32_t vertex_count, const double *positions,
                                 double tolerance, int32_t *kept);

#endif
