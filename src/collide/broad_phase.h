// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The inside of a broad phase.

#ifndef LY_COLLIDE_BROAD_PHASE_H
#define LY_COLLIDE_BROAD_PHASE_H

#include "collide/boxes.h"
#include "lyra/collide.h"

/// Kinds of primitives; each has one vertex more than its number.
typedef enum LyPrimitive { LY_POINT = 0, LY_EDGE, LY_TRIANGLE, LY_PRIMITIVE_COUNT } LyPrimitive;

/// Pairs that one chunk of the first tree found: `found` of them, of which the first `room` are
/// written. `found` < 0: not searched yet.
typedef struct LyPairChunk {
    int64_t found, room;
    int32_t (*pairs)[2];
} LyPairChunk;

typedef struct LyPairChunks {
    int32_t count;
    LyPairChunk *lists;
} LyPairChunks;

/// Box of some vertices, and whether all their coordinates are in range.
typedef struct LyPieceBounds {
    double low[3], high[3];
    bool accepted;
} LyPieceBounds;

struct LyraBroadPhase {
    LyraContext *ctx;
    int32_t vertex_count;
    bool ready; // updated at least once
    LyBoxFrame frame;
    LyBoxes trees[LY_PRIMITIVE_COUNT];
    int32_t bound_pieces;
    LyPieceBounds *bounds;
    LyPairChunks chunks[LYRA_PAIR_KIND_COUNT];
    // the list of the last call
    int64_t *begin; // where the pairs of each first end
    int64_t room;
    int32_t begin_room;
    int32_t *seconds, (*pairs)[2];
};

#endif
