// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Permutations of vectors, patterns and matrices, and what they do to the bandwidth.

#include "lyra/reorder.h"
#include "sparse/entries.h"
#include "sparse/graph.h"
#include "sparse/sparse.h"

#include <stdlib.h>

// ---- permutations -------------------------------------------------------------------------------

LyraStatus lyra_permutation_invert(int32_t count, const int32_t *order, int32_t *inverse)
{
    LYRA_ASSERT((order && inverse) || count <= 0);
    if (count < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "permutation: a count of %d", (int)count);
    }
    for (int32_t i = 0; i < count; ++i) {
        inverse[i] = -1;
    }
    for (int32_t i = 0; i < count; ++i) {
        int32_t old = order[i];
        if (old < 0 || old >= count) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "permutation: place %d holds %d, expected 0 to %d", (int)i, (int)old,
                           (int)count - 1);
        }
        if (inverse[old] >= 0) {
            return ly_fail(LYRA_INVALID_ARGUMENT, "permutation: places %d and %d both hold %d",
                           (int)inverse[old], (int)i, (int)old);
        }
        inverse[old] = i;
    }
    return LYRA_OK;
}

// new inverse, or NULL for a NULL order
static LyraStatus make_inverse(LyraContext *ctx, int32_t count, const int32_t *order, int32_t **out)
{
    if (!order) {
        return LYRA_OK;
    }
    int32_t *inverse = NULL;
    LY_TRY(ly_allocate_array(ctx, count, sizeof(int32_t), &inverse));
    LyraStatus status = lyra_permutation_invert(count, order, inverse);
    if (status == LYRA_OK) {
        *out = inverse;
    } else {
        ly_release(ctx, inverse);
    }
    return status;
}

LyraStatus lyra_permutation_check(LyraContext *ctx, int32_t count, const int32_t *order)
{
    LYRA_ASSERT(ctx && (order || count <= 0));
    int32_t *inverse = NULL;
    LY_TRY(ly_allocate_array(ctx, ly_max_i64(count, 0), sizeof(int32_t), &inverse));
    LyraStatus status = lyra_permutation_invert(count, order, inverse);
    ly_release(ctx, inverse);
    return status;
}

void lyra_permutation_apply(int32_t count, const int32_t *order, int32_t width,
                            const double *old_vector, double *new_vector)
{
    for (int32_t i = 0; i < count; ++i) {
        for (int32_t d = 0; d < width; ++d) {
            new_vector[(int64_t)i * width + d] = old_vector[(int64_t)order[i] * width + d];
        }
    }
}

void lyra_permutation_undo(int32_t count, const int32_t *order, int32_t width,
                           const double *new_vector, double *old_vector)
{
    for (int32_t i = 0; i < count; ++i) {
        for (int32_t d = 0; d < width; ++d) {
            old_vector[(int64_t)order[i] * width + d] = new_vector[(int64_t)i * width + d];
        }
    }
}

// ---- bandwidth ----------------------------------------------------------------------------------

LyraStatus lyra_graph_bandwidth(LyraContext *ctx, LyraGraph graph, const int32_t *order,
                                LyraBandwidth *out)
{
    LYRA_ASSERT(ctx && out);
    LyraStatus status = LYRA_OK;
    int32_t *inverse = NULL;
    LyAdjacency adjacency = {0};
    LY_TRY(ly_adjacency_create(ctx, graph, &adjacency));
    LY_TRY_DONE(make_inverse(ctx, graph.vertex_count, order, &inverse));
    LyraBandwidth found = {0};
    double sum = 0.0;
    for (int32_t v = 0; v < graph.vertex_count; ++v) {
        int32_t i = inverse ? inverse[v] : v, first = i;
        for (int64_t k = adjacency.start[v]; k < adjacency.start[v + 1]; ++k) {
            int32_t w = adjacency.neighbour[k], j = inverse ? inverse[w] : w;
            int32_t distance = i < j ? j - i : i - j;
            found.bandwidth = distance > found.bandwidth ? distance : found.bandwidth;
            first = j < first ? j : first;
            sum += distance;
        }
        found.profile += i - first;
    }
    int64_t entries = adjacency.start[graph.vertex_count];
    found.mean = entries > 0 ? sum / (double)entries : 0.0;
    *out = found;
done:
    ly_release(ctx, inverse);
    ly_adjacency_destroy(ctx, &adjacency);
    return status;
}

// ---- patterns -----------------------------------------------------------------------------------

// Rows in a new order, sorted; `row_order` and `column_place` (an inverse) may be NULL.
static LyraStatus permute_rows(LyraContext *ctx, const LyRows *rows, const int32_t *row_order,
                               const int32_t *column_place, bool upper, int64_t **row_start_out,
                               int32_t **column_out)
{
    LyraStatus status = LYRA_OK;
    int64_t *row_start = NULL;
    int32_t *column = NULL;
    int32_t count = rows->row_count;
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)count + 1, sizeof(int64_t), &row_start));
    LY_TRY_DONE(ly_allocate_array(ctx, rows->row_start[count], sizeof(int32_t), &column));
    int64_t next = 0;
    for (int32_t i = 0; i < count; ++i) {
        int32_t old = row_order ? row_order[i] : i;
        row_start[i] = next;
        for (int64_t k = rows->row_start[old]; k < rows->row_start[old + 1]; ++k) {
            int32_t j = rows->column[k];
            column[next++] = column_place ? column_place[j] : j;
        }
    }
    row_start[count] = next;
    LyRows moved = {count, rows->column_count, row_start, column};
    LyRowsChange change = {.upper = upper};
    status = ly_rows_rebuild(ctx, &moved, change, row_start_out, column_out);
done:
    ly_release(ctx, row_start);
    ly_release(ctx, column);
    return status;
}

LyraStatus lyra_block_pattern_permute(const LyraBlockPattern *pattern, const int32_t *order,
                                      LyraBlockPattern **out)
{
    LYRA_ASSERT(pattern && (order || pattern->row_count == 0) && out);
    LyraContext *ctx = pattern->ctx;
    int32_t *place = NULL, *column = NULL;
    int64_t *row_start = NULL;
    LyRows rows = {pattern->row_count, pattern->row_count, pattern->row_start, pattern->column};
    LY_TRY(make_inverse(ctx, pattern->row_count, order, &place));
    LyraStatus status = permute_rows(ctx, &rows, order, place,
                                     pattern->storage == LYRA_STORAGE_UPPER, &row_start, &column);
    ly_release(ctx, place);
    LY_TRY(status);
    return ly_block_pattern_take(ctx, pattern->row_count, pattern->storage, row_start, column, out);
}

LyraStatus lyra_csr_pattern_permute(const LyraCsrPattern *pattern, const int32_t *row_order,
                                    const int32_t *column_order, LyraCsrPattern **out)
{
    LYRA_ASSERT(pattern && out);
    LyraContext *ctx = pattern->ctx;
    bool upper = pattern->storage == LYRA_STORAGE_UPPER;
    if (upper && row_order != column_order) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "permutation: upper storage takes one order for rows and columns");
    }
    int32_t *place = NULL, *column = NULL;
    int64_t *row_start = NULL;
    LyRows rows = {pattern->row_count, pattern->column_count, pattern->row_start, pattern->column};
    LY_TRY(row_order ? lyra_permutation_check(ctx, pattern->row_count, row_order) : LYRA_OK);
    LY_TRY(make_inverse(ctx, pattern->column_count, column_order, &place));
    LyraStatus status = permute_rows(ctx, &rows, row_order, place, upper, &row_start, &column);
    ly_release(ctx, place);
    LY_TRY(status);
    return ly_csr_pattern_take(ctx, pattern->row_count, pattern->column_count, pattern->storage,
                               row_start, column, out);
}

// ---- matrices -----------------------------------------------------------------------------------

LyraStatus lyra_block_matrix_permute(LyraBlockMatrix *matrix, const LyraBlockMatrix *source,
                                     const int32_t *order)
{
    LYRA_ASSERT(matrix && source && matrix != source);
    LYRA_ASSERT(order || source->pattern->row_count == 0);
    const LyraBlockPattern *from = source->pattern, *to = matrix->pattern;
    if (from->row_count != to->row_count || from->storage != to->storage) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "permutation: the two block matrices differ in size or storage");
    }
    int32_t *place = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(make_inverse(matrix->ctx, from->row_count, order, &place));
    bool upper = from->storage == LYRA_STORAGE_UPPER;
    for (int32_t write = 0; write < 2; ++write) {
        for (int32_t i = 0; i < from->row_count; ++i) {
            for (int64_t k = from->row_start[i]; k < from->row_start[i + 1]; ++k) {
                int32_t row = place ? place[i] : i, j = from->column[k];
                int32_t column = place ? place[j] : j;
                bool flip = upper && row > column;
                int64_t at = flip ? lyra_block_pattern_find(to, column, row)
                                  : lyra_block_pattern_find(to, row, column);
                if (at < 0) {
                    status = ly_fail(LYRA_INVALID_ARGUMENT,
                                     "permutation: the target pattern has no block (%d, %d)",
                                     (int)row, (int)column);
                    goto done;
                }
                for (int32_t d = 0; write && d < 9; ++d) {
                    int32_t within = flip ? 3 * (d % 3) + d / 3 : d;
                    matrix->values[9 * at + d] = source->values[9 * k + within];
                }
            }
        }
        if (write == 0) {
            lyra_block_matrix_zero(matrix);
        }
    }
done:
    ly_release(matrix->ctx, place);
    return status;
}

LyraStatus lyra_csr_matrix_permute(LyraCsrMatrix *matrix, const LyraCsrMatrix *source,
                                   const int32_t *row_order, const int32_t *column_order)
{
    LYRA_ASSERT(matrix && source && matrix != source);
    const LyraCsrPattern *from = source->pattern, *to = matrix->pattern;
    bool upper = from->storage == LYRA_STORAGE_UPPER;
    if (from->row_count != to->row_count || from->column_count != to->column_count ||
        from->storage != to->storage || (upper && row_order != column_order)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "permutation: the two scalar matrices differ in size, storage or order");
    }
    int32_t *row_place = NULL, *column_place = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(make_inverse(matrix->ctx, from->row_count, row_order, &row_place));
    LY_TRY_DONE(make_inverse(matrix->ctx, from->column_count, column_order, &column_place));
    for (int32_t write = 0; write < 2; ++write) {
        for (int32_t i = 0; i < from->row_count; ++i) {
            for (int64_t k = from->row_start[i]; k < from->row_start[i + 1]; ++k) {
                int32_t j = from->column[k];
                int32_t row = row_place ? row_place[i] : i;
                int32_t column = column_place ? column_place[j] : j;
                int64_t at = upper && row > column ? lyra_csr_pattern_find(to, column, row)
                                                   : lyra_csr_pattern_find(to, row, column);
                if (at < 0) {
                    status = ly_fail(LYRA_INVALID_ARGUMENT,
                                     "permutation: the target pattern has no entry (%d, %d)",
                                     (int)row, (int)column);
                    goto done;
                }
                if (write) {
                    matrix->values[at] = source->values[k];
                }
            }
        }
        if (write == 0) {
            lyra_csr_matrix_zero(matrix);
        }
    }
done:
    ly_release(matrix->ctx, row_place);
    ly_release(matrix->ctx, column_place);
    return status;
}
