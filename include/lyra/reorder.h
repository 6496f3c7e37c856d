// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Orders of vertices: less bandwidth, better locality, less fill. An order is an array with
/// order[new] = old; its inverse has inverse[old] = new.
///
/// A part: it may change between minor versions, and lyra/lyra.h leaves it out (lyra/parts.h).

#ifndef LYRA_REORDER_H
#define LYRA_REORDER_H

#include "lyra/csr.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- orders -------------------------------------------------------------------------------------

/// Graph of a square pattern: i and j are neighbours if (i, j) or (j, i) is an entry. Entries may
/// be in any order and repeated; the diagonal does not count.
typedef struct LyraGraph {
    int32_t vertex_count;     ///< Rows.
    const int64_t *row_start; ///< [vertex_count + 1].
    const int32_t *column;    ///< [row_start[vertex_count]].
} LyraGraph;

/// Graph of a block pattern: one vertex per block row. Valid while the pattern lives.
LYRA_API LyraGraph lyra_block_pattern_graph(const LyraBlockPattern *pattern);

/// Graph of a scalar pattern, which must be square. Valid while the pattern lives.
LYRA_API LyraGraph lyra_csr_pattern_graph(const LyraCsrPattern *pattern);

/// Reverse Cuthill-McKee order, [vertex_count], each component from a pseudo-peripheral vertex.
/// Takes linear time.
LYRA_API LyraStatus lyra_reorder_rcm(LyraContext *ctx, LyraGraph graph, int32_t *order);

/// Order along a Hilbert curve through the bounding cube of `positions`, [count][3]; equal cells
/// keep their order. Fails with LYRA_NOT_FINITE if a coordinate is.
LYRA_API LyraStatus lyra_reorder_hilbert(LyraContext *ctx, int32_t count, const double *positions,
                                         int32_t *order);

/// Fill-reducing order by nested dissection, [vertex_count], from METIS with a fixed seed: the same
/// graph gives the same order. Fails with LYRA_UNSUPPORTED in a build without METIS. METIS sets the
/// C library's random seed.
LYRA_API LyraStatus lyra_reorder_metis(LyraContext *ctx, LyraGraph graph, int32_t *order);

// ---- permutations -------------------------------------------------------------------------------

/// Writes inverse[order[i]] = i, [count]. LYRA_INVALID_ARGUMENT if `order`, [count], is no
/// permutation of [0, count) or count < 0; `inverse` is then undefined. The two may not overlap.
LYRA_API LyraStatus lyra_permutation_invert(int32_t count, const int32_t *order, int32_t *inverse);

/// LYRA_INVALID_ARGUMENT, with a sentence that names the place, if `order`, [count], is no
/// permutation of [0, count) or count < 0.
LYRA_API LyraStatus lyra_permutation_check(LyraContext *ctx, int32_t count, const int32_t *order);

/// new_vector[i] = old_vector[order[i]] for entries of `width` doubles (3 for displacements). The
/// vectors, [count][width], may not overlap; `order` is a permutation.
LYRA_API void lyra_permutation_apply(int32_t count, const int32_t *order, int32_t width,
                                     const double *old_vector, double *new_vector);

/// old_vector[order[i]] = new_vector[i], the reverse of lyra_permutation_apply().
LYRA_API void lyra_permutation_undo(int32_t count, const int32_t *order, int32_t width,
                                    const double *new_vector, double *old_vector);

/// Distance of entries from the diagonal.
typedef struct LyraBandwidth {
    int32_t bandwidth; ///< Largest |i - j| over entries.
    int64_t profile;   ///< Sum over rows i of i - j for the smallest neighbour j <= i.
    double mean;       ///< Mean |i - j| over entries beside the diagonal.
} LyraBandwidth;

/// Measures a graph in a new order. `order`: Nullable: as it is.
LYRA_API LyraStatus lyra_graph_bandwidth(LyraContext *ctx, LyraGraph graph, const int32_t *order,
                                         LyraBandwidth *out);

// ---- patterns and matrices ----------------------------------------------------------------------

/// Pattern with rows and columns in a new order.
LYRA_API LyraStatus lyra_block_pattern_permute(const LyraBlockPattern *pattern,
                                               const int32_t *order, LyraBlockPattern **out);

/// Gives `matrix` the values of `source` in a new order; its pattern is that of
/// lyra_block_pattern_permute() or one that holds it. LYRA_INVALID_ARGUMENT if a block has no
/// place; the values are then as before.
LYRA_API LyraStatus lyra_block_matrix_permute(LyraBlockMatrix *matrix,
                                              const LyraBlockMatrix *source, const int32_t *order);

/// Pattern with rows and columns in new orders. `row_order`, `column_order`: Nullable: as they are.
/// Upper storage takes one order for both.
LYRA_API LyraStatus lyra_csr_pattern_permute(const LyraCsrPattern *pattern,
                                             const int32_t *row_order, const int32_t *column_order,
                                             LyraCsrPattern **out);

/// Gives `matrix` the values of `source` in new orders, as lyra_block_matrix_permute().
LYRA_API LyraStatus lyra_csr_matrix_permute(LyraCsrMatrix *matrix, const LyraCsrMatrix *source,
                                            const int32_t *row_order, const int32_t *column_order);

#ifdef __cplusplus
}
#endif

#endif
