// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef LY_SPARSE_GRAPH_H
#define LY_SPARSE_GRAPH_H

#include "base/base.h"
#include "lyra/reorder.h"

/// Neighbours of every vertex, ascending, in both directions, without the vertex itself.
typedef struct LyAdjacency {
    int32_t vertex_count;
    int64_t *start;     // [vertex_count + 1]
    int32_t *neighbour; // [start[vertex_count]]
} LyAdjacency;

LyraStatus ly_adjacency_create(LyraContext *ctx, LyraGraph graph, LyAdjacency *out);
void ly_adjacency_destroy(LyraContext *ctx, LyAdjacency *adjacency);

/// Fill-reducing order by nested dissection of our own, [vertex_count], for builds without METIS.
/// LYRA_OUT_OF_MEMORY only; the same graph gives the same order.
LyraStatus ly_reorder_dissect(LyraContext *ctx, LyraGraph graph, int32_t *order);

#endif
