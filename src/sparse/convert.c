// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Scalar matrices from block matrices and back, and between scalar patterns.

#include "sparse/sparse.h"

#include <stdatomic.h>

// ---- scalar pattern of a block pattern ----------------------------------------------------------

static LyraStatus expand_pattern(const LyraBlockPattern *blocks, LyraCsrPattern **out)
{
    LyraContext *ctx = blocks->ctx;
    bool upper = blocks->storage == LYRA_STORAGE_UPPER;
    int32_t row_count = 3 * blocks->row_count;
    int64_t *row_start = NULL;
    int32_t *column = NULL;
    LyraStatus status = LYRA_OK;
    // upper storage leaves out 3 entries of each diagonal block
    int64_t count = 9 * blocks->block_count - (upper ? (int64_t)row_count : 0);
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)row_count + 1, sizeof(int64_t), &row_start));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof(int32_t), &column));
    int64_t next = 0;
    for (int32_t row = 0; row < row_count; ++row) {
        row_start[row] = next;
        int32_t i = row / 3;
        for (int64_t k = blocks->row_start[i]; k < blocks->row_start[i + 1]; ++k) {
            for (int32_t c = 3 * blocks->column[k]; c < 3 * blocks->column[k] + 3; ++c) {
                if (!upper || c >= row) {
                    column[next++] = c;
                }
            }
        }
    }
    row_start[row_count] = next;
    return ly_csr_pattern_take(ctx, row_count, row_count, blocks->storage, row_start, column, out);
done:
    ly_release(ctx, row_start);
    ly_release(ctx, column);
    return status;
}

LyraStatus lyra_csr_pattern_create_block(const LyraBlockPattern *pattern, LyraStorage storage,
                                         LyraCsrPattern **out)
{
    LYRA_ASSERT(pattern && out);
    if (pattern->row_count > INT32_MAX / 3) {
        return ly_fail(LYRA_TOO_LARGE, "scalar pattern: 3 times %d rows exceed 2147483647",
                       (int)pattern->row_count);
    }
    if (storage == pattern->storage) {
        return expand_pattern(pattern, out);
    }
    LyraBlockPattern *converted = NULL;
    LY_TRY(lyra_block_pattern_convert(pattern, storage, &converted));
    LyraStatus status = expand_pattern(converted, out);
    lyra_block_pattern_destroy(converted);
    return status;
}

// ---- scalar values from blocks ------------------------------------------------------------------

typedef struct ExpandLoop {
    const LyraBlockMatrix *source;
    const LyraCsrPattern *pattern;
    double *values; // NULL: only count
    int32_t pieces;
    _Atomic(int64_t) found; // entries that have a block
} ExpandLoop;

static void expand_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    ExpandLoop *loop = data;
    const LyraBlockPattern *blocks = loop->source->pattern;
    const LyraCsrPattern *pattern = loop->pattern;
    bool mirror = blocks->storage == LYRA_STORAGE_UPPER && pattern->storage == LYRA_STORAGE_FULL;
    int32_t begin = (int32_t)ly_piece_begin(pattern->row_count, loop->pieces, index);
    int32_t end = (int32_t)ly_piece_begin(pattern->row_count, loop->pieces, index + 1);
    int64_t found = 0;
    for (int32_t row = begin; row < end; ++row) {
        int32_t i = row / 3, r = row % 3, last = -1;
        int64_t place = -1, k = blocks->row_start[i];
        for (int64_t e = pattern->row_start[row]; e < pattern->row_start[row + 1]; ++e) {
            int32_t j = pattern->column[e] / 3, c = pattern->column[e] % 3;
            bool flip = mirror && j < i;
            if (j != last && flip) {
                place = lyra_block_pattern_find(blocks, j, i);
            } else if (j != last) {
                while (k < blocks->row_start[i + 1] && blocks->column[k] < j) {
                    ++k;
                }
                place = k < blocks->row_start[i + 1] && blocks->column[k] == j ? k : -1;
            }
            last = j;
            found += place >= 0;
            if (loop->values) {
                int32_t within = flip ? 3 * c + r : 3 * r + c;
                loop->values[e] = place < 0 ? 0.0 : loop->source->values[9 * place + within];
            }
        }
    }
    atomic_fetch_add_explicit(&loop->found, found, memory_order_relaxed);
}

// scalar entries that the blocks of `blocks` need in a pattern of the given storage
static int64_t entries_needed(const LyraBlockPattern *blocks, LyraStorage storage)
{
    int64_t beside = 0;
    for (int32_t i = 0; i < blocks->row_count; ++i) {
        bool all = blocks->storage == LYRA_STORAGE_UPPER || storage == LYRA_STORAGE_FULL;
        int64_t from = all ? blocks->row_start[i] : blocks->diagonal[i];
        beside += blocks->row_start[i + 1] - from - 1;
    }
    if (blocks->storage == LYRA_STORAGE_UPPER && storage == LYRA_STORAGE_FULL) {
        beside *= 2;
    }
    return 9 * beside + (storage == LYRA_STORAGE_UPPER ? 6 : 9) * (int64_t)blocks->row_count;
}

LyraStatus lyra_csr_matrix_assign_block(LyraCsrMatrix *matrix, const LyraBlockMatrix *source)
{
    LYRA_ASSERT(matrix && source);
    const LyraCsrPattern *pattern = matrix->pattern;
    const LyraBlockPattern *blocks = source->pattern;
    if (pattern->row_count != 3 * (int64_t)blocks->row_count ||
        pattern->column_count != pattern->row_count) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "assign: %d block rows to a matrix of %d rows and %d columns",
                       (int)blocks->row_count, (int)pattern->row_count, (int)pattern->column_count);
    }
    // all entries have a place if as many are found as there should be
    ExpandLoop loop = {
        .source = source, .pattern = pattern, .pieces = ly_piece_count(pattern->row_count, 8192)};
    ly_parallel_for(matrix->ctx, loop.pieces, expand_task, &loop);
    if (atomic_load(&loop.found) != entries_needed(blocks, pattern->storage)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "assign: the scalar pattern lacks entries of the block matrix");
    }
    loop.values = matrix->values;
    ly_parallel_for(matrix->ctx, loop.pieces, expand_task, &loop);
    return LYRA_OK;
}

// ---- blocks from scalar values ------------------------------------------------------------------

// Sets entry (row, column) of a block matrix that stores it; false if there is no block.
static bool put_scalar(LyraBlockMatrix *matrix, int32_t row, int32_t column, double value,
                       bool write)
{
    int32_t i = row / 3, j = column / 3;
    if (matrix->pattern->storage == LYRA_STORAGE_UPPER && i > j) {
        return true;
    }
    int64_t k = lyra_block_pattern_find(matrix->pattern, i, j);
    if (k >= 0 && write) {
        matrix->values[9 * k + 3 * (row % 3) + column % 3] = value;
    }
    return k >= 0;
}

LyraStatus lyra_block_matrix_assign_csr(LyraBlockMatrix *matrix, const LyraCsrMatrix *source)
{
    LYRA_ASSERT(matrix && source);
    const LyraCsrPattern *pattern = source->pattern;
    if (pattern->row_count != 3 * (int64_t)matrix->pattern->row_count ||
        pattern->column_count != pattern->row_count) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "assign: a matrix of %d rows and %d columns to one of %d block rows",
                       (int)pattern->row_count, (int)pattern->column_count,
                       (int)matrix->pattern->row_count);
    }
    bool mirror = pattern->storage == LYRA_STORAGE_UPPER;
    for (int32_t write = 0; write < 2; ++write) {
        for (int32_t row = 0; row < pattern->row_count; ++row) {
            for (int64_t e = pattern->row_start[row]; e < pattern->row_start[row + 1]; ++e) {
                int32_t column = pattern->column[e];
                double value = source->values[e];
                if (!put_scalar(matrix, row, column, value, write == 1) ||
                    (mirror && !put_scalar(matrix, column, row, value, write == 1))) {
                    return ly_fail(LYRA_INVALID_ARGUMENT,
                                   "assign: the block pattern has no place for entry (%d, %d)",
                                   (int)row, (int)column);
                }
            }
        }
        // all entries have a place
        if (write == 0) {
            lyra_block_matrix_zero(matrix);
        }
    }
    return LYRA_OK;
}

// ---- scalar from scalar -------------------------------------------------------------------------

// as place_blocks in block_matrix.c
static LyraStatus place_entries(LyraCsrMatrix *matrix, const LyraCsrMatrix *source, bool transpose,
                                bool write)
{
    const LyraCsrPattern *from = source->pattern, *to = matrix->pattern;
    bool from_upper = from->storage == LYRA_STORAGE_UPPER;
    bool to_upper = to->storage == LYRA_STORAGE_UPPER;
    for (int32_t i = 0; i < from->row_count; ++i) {
        for (int64_t k = from->row_start[i]; k < from->row_start[i + 1]; ++k) {
            int32_t j = from->column[k];
            for (int32_t mirror = 0; mirror <= (from_upper && i != j); ++mirror) {
                bool flip = transpose != (mirror == 1);
                int32_t row = flip ? j : i, column = flip ? i : j;
                if (to_upper && row > column) {
                    continue;
                }
                int64_t place = lyra_csr_pattern_find(to, row, column);
                if (place < 0) {
                    return ly_fail(LYRA_INVALID_ARGUMENT,
                                   "assign: the target pattern has no entry (%d, %d)", (int)row,
                                   (int)column);
                }
                if (write) {
                    matrix->values[place] = source->values[k];
                }
            }
        }
    }
    return LYRA_OK;
}

static LyraStatus assign(LyraCsrMatrix *matrix, const LyraCsrMatrix *source, bool transpose)
{
    LYRA_ASSERT(matrix && source && matrix != source);
    const LyraCsrPattern *from = source->pattern, *to = matrix->pattern;
    if (to->row_count != (transpose ? from->column_count : from->row_count) ||
        to->column_count != (transpose ? from->row_count : from->column_count)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "assign: %d x %d entries%s to a matrix of %d x %d",
                       (int)from->row_count, (int)from->column_count,
                       transpose ? " transposed" : "", (int)to->row_count, (int)to->column_count);
    }
    LY_TRY(place_entries(matrix, source, transpose, false));
    lyra_csr_matrix_zero(matrix);
    return place_entries(matrix, source, transpose, true);
}

LyraStatus lyra_csr_matrix_assign(LyraCsrMatrix *matrix, const LyraCsrMatrix *source)
{
    if (matrix->pattern == source->pattern) {
        return lyra_csr_matrix_set(matrix, source);
    }
    return assign(matrix, source, false);
}

LyraStatus lyra_csr_matrix_assign_transpose(LyraCsrMatrix *matrix, const LyraCsrMatrix *source)
{
    return assign(matrix, source, true);
}
