// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sets of stencils over points, as those who own and evaluate them see them, and their inside.
//
//     ly_stencil_set_create(...)
//     again and again: lyra_stencil_set_clear, lyra_stencil_set_add ..., ly_stencil_set_finish
//                      ly_stencil_set_evaluate as often as needed
//
// With x_p = sum over i of w_pi x_i the energy of the vertices has the gradient J^T g and, as the
// weights are constant, the Hessian J^T K J:
//
//     g_i = sum over p of w_pi g_p,   K_ij = sum over p, q of w_pi w_qj K_pq.
//
// Each term of these sums is a contribution: a source (a point's gradient, a pair's block), a
// weight, and a target (a vertex, a pair of rows). Stencils are worked off in chunks whose sources
// fit the cache: all threads run the kernel over a chunk, then all threads sum its contributions,
// which are sorted by target and, for one target, stand in the order of the set. So every sum has
// the same bits at any thread count.

#ifndef LY_FORCE_CHANGING_H
#define LY_FORCE_CHANGING_H

#include "force/force.h"
#include "lyra/points.h"

// ---- for owners ---------------------------------------------------------------------------------

/// Makes an empty, finished set. `positions` [vertex_count][3] are those at rest, `middle` the
/// point that translation-invariant types count from, `place` [vertex_count] the internal row of
/// each vertex; type, self, positions and place must outlive the set. Fails with LYRA_UNSUPPORTED
/// for types that are not symmetric or have constants.
LyraStatus ly_stencil_set_create(LyraContext *ctx, const LyraForceType *type, const void *self,
                                 int32_t vertex_count, const double *positions,
                                 const double middle[3], const int32_t *place,
                                 LyraStencilSet **out);

/// Accepts NULL.
void ly_stencil_set_destroy(LyraStencilSet *set);

/// Prepares the stencils added for evaluations. Fails if two keys of a type with history are equal;
/// the set is then as before. Nothing is allocated once the room is there.
LyraStatus ly_stencil_set_finish(LyraStencilSet *set);

/// Pairs of internal rows that the blocks of a finished set touch, [pair_count][2], distinct, row
/// <= column, sorted by row, then column. Each vertex that is touched has its diagonal pair.
typedef struct LyStencilPairs {
    int64_t count;
    const int32_t *pairs;
} LyStencilPairs;

LyStencilPairs ly_stencil_set_pairs(const LyraStencilSet *set);

/// Checksum of keys, points, weights and parameters, the same in another process.
uint64_t ly_stencil_set_checksum(const LyraStencilSet *set);

/// For each stencil the index of its key among `old_keys`, the lowest if there are several, or -1.
/// Nothing is allocated once the room is there.
LyraStatus ly_stencil_set_match(LyraStencilSet *set, int32_t old_count, const uint64_t *old_keys,
                                int32_t *from);

/// Input and outputs of an evaluation; NULL outputs are not computed. As in LyraEvaluation unless
/// said otherwise.
typedef struct LyStencilEvaluation {
    const double *u; // [vertex_count][3]
    const double *v; // [vertex_count][3]. Nullable: zero
    double time, dt;
    double unloaded;
    bool psd;
    const double *history; // committed, [count][history_count]. Nullable without history
    double *trial_history; // [count][history_count]. Nullable
    double *energy;        // overwritten
    double *gradient;      // added to, [vertex_count][3], the caller's order
    double *dfdx;          // overwritten, [pair_count][9]
    double *dfdv;          // overwritten, [pair_count][9]; zero for types without velocities
    double *rates;         // added to, [LYRA_RATE_COUNT]; by types that have them
} LyStencilEvaluation;

/// Evaluates a finished set. Allocates nothing.
LyraStatus ly_stencil_set_evaluate(LyraStencilSet *set, const LyStencilEvaluation *at);

// ---- inside -------------------------------------------------------------------------------------

/// What sums are made of: chunk by chunk, in a chunk by target, for a target in the order of the
/// set.
typedef struct LyContributions {
    int64_t room, weight_room, chunk_room;
    int64_t *chunk_start; // [chunk_count + 1]
    int32_t *target;      // index of a distinct target
    int32_t *source;      // in the chunk; ~source where the transpose counts
    double *weight;       // those of plain sets are 1 and not here
} LyContributions;

/// What sorting moves around.
typedef struct LyRadixItem {
    uint64_t key;
    uint32_t value;
} LyRadixItem;

/// Room of sorts, and of contributions before they are sorted.
typedef struct LyRadixRoom {
    int64_t item_room, count_room, source_room;
    LyRadixItem *items, *other;
    int64_t *counts; // of pieces
    int32_t *source; // of each contribution, in the whole set; for sets that are not plain
    double *weight;  // the same
} LyRadixRoom;

struct LyraStencilSet {
    LyraContext *ctx;
    const LyraForceType *type;
    const void *self;
    int32_t vertex_count;
    const double *positions;
    double middle[3];
    const int32_t *place;
    LyraArena **arenas; // [thread_count]
    // the stencils as they came
    int32_t count;
    bool plain; // all points are vertices, those of a stencil distinct
    bool finished;
    int32_t built; // stencils that the sums are made for, as they stand here; -1: for others
    int64_t stencil_room, entry_room;
    uint64_t *keys;      // [count]
    double *parameters;  // [count][parameter_count]
    int64_t *start;      // [count * nodes + 1], first entry of each point
    int64_t *pair_start; // [count + 1], contributions of blocks before each stencil
    int32_t *vertices;   // [entries]
    double *weights;     // [entries]
    // what finish makes of them; lanes past the last stencil repeat it
    int32_t batch_count, chunk_count;
    int64_t batch_room;
    int32_t *element;        // [batch][lane]
    double *lane_parameters; // [batch][parameter_count][lane]
    double *rest;            // [batch][3 nodes][lane], of the points; NULL where u alone counts
    double *energy;          // [batch]
    double *rates;           // [batch][LYRA_RATE_COUNT]; NULL for types without
    LyContributions of_gradient, of_blocks;
    int64_t touched_room, touched_count, pair_room, pair_count;
    int32_t *touched; // [touched_count], vertices, ascending
    int32_t *pairs;   // [pair_count][2]
    LyRadixRoom sort;
    // sources of one chunk
    int32_t chunk_batches;
    int64_t source_room; // batches
    double *gradients;   // [stencil in chunk][nodes][4]
    double *dfdx;        // [stencil in chunk][blocks][9], blocks (a, b) with a <= b row by row
    double *dfdv;        // the same; NULL for types without velocities
};

/// Blocks with a <= b of a stencil.
static inline int32_t ly_set_blocks(const LyraStencilSet *set)
{
    return set->type->nodes * (set->type->nodes + 1) / 2;
}

/// Room for `need` that has grown from `room` at least twofold.
int64_t ly_grown(int64_t room, int64_t need);

/// Makes room for sorting `count` items.
LyraStatus ly_radix_reserve(LyraContext *ctx, int64_t count, LyRadixRoom *room);

/// Sorts the first `count` items by the lowest `bits` bits of their keys, which have no others set;
/// equal ones keep their order.
void ly_radix_sort(LyraContext *ctx, int64_t count, int32_t bits, LyRadixRoom *room);

/// Lanes to rows: what a kernel wrote, [blocks][9][lane], to [lane][blocks][9], with a diagonal
/// from zero row sums where it has none; and [3 nodes][lane] to [lane][nodes][4].
typedef void LySpreadBlocksKernel(int32_t nodes, bool without_diagonal, const double *blocks,
                                  double *out);
LY_KERNEL_DECLARE(LySpreadBlocksKernel, ly_spread_blocks);
typedef void LySpreadGradientKernel(int32_t nodes, const double *gradient, double *out);
LY_KERNEL_DECLARE(LySpreadGradientKernel, ly_spread_gradient);

/// Adds contributions [begin, end), all those of their targets, to [target][9].
typedef void LySumBlocksKernel(const LyContributions *from, bool plain, int64_t begin, int64_t end,
                               const double *sources, double *out);
LY_KERNEL_DECLARE(LySumBlocksKernel, ly_sum_blocks);

#endif
