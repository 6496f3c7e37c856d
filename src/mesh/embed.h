// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The inside of an embedding.

#ifndef LY_MESH_EMBED_H
#define LY_MESH_EMBED_H

#include "base/base.h"
#include "lyra/embed.h"
#include "mesh/tube.h"

struct LyraEmbedding {
    LyraContext *ctx;
    int32_t point_count, node_count, vertex_count;
    int32_t *vertices; // [point_count][node_count]
    double *weights;   // [point_count][node_count]
    LyTube *tube;      // around lines: its points turn too. Owned. Nullable
};

/// Makes an embedding that takes the arrays (made by ly_allocate_array). Ids are the caller's to
/// check. On failure the arrays stay the caller's.
LyraStatus ly_embedding_create_take(LyraContext *ctx, LyraEmbedding data, LyraEmbedding **out);

/// Reads `.interp` text with a zero byte at text[length]; `path` is for messages.
LyraStatus ly_interp_parse(LyraContext *ctx, const char *path, const char *text, size_t length,
                           int32_t vertex_count, LyraEmbedding **out);

#endif
