// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Values on block patterns: life, element-wise operations, single blocks, conversions.

#include "sparse/sparse.h"

#include <math.h>

static int64_t value_count(const LyraBlockMatrix *matrix)
{
    return 9 * matrix->pattern->block_count;
}

static LyraStatus create(const LyraBlockPattern *pattern, const double *values,
                         LyraBlockMatrix **out)
{
    LyraContext *ctx = pattern->ctx;
    LyraStatus status = LYRA_OK;
    LyraBlockMatrix *matrix = NULL;
    int64_t count = 9 * pattern->block_count;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *matrix, &matrix));
    matrix->ctx = ctx;
    matrix->pattern = pattern;
    matrix->columns = 1;
    LY_TRY_DONE(ly_allocate_array(ctx, count + LY_VALUES_PAD, sizeof(double), &matrix->values));
    LY_TRY_DONE(ly_allocate_array(ctx, 4 * ly_plan_local_count(&pattern->plan), sizeof(double),
                                  &matrix->scratch));
    if (values) {
        ly_values_copy(ctx, matrix->values, values, count);
    } else {
        ly_values_zero(ctx, matrix->values, count);
    }
    memset(matrix->values + count, 0, LY_VALUES_PAD * sizeof(double));
    *out = matrix;
    return LYRA_OK;
done:
    lyra_block_matrix_destroy(matrix);
    return status;
}

LyraStatus lyra_block_matrix_create(const LyraBlockPattern *pattern, LyraBlockMatrix **out)
{
    LYRA_ASSERT(pattern && out);
    return create(pattern, NULL, out);
}

LyraStatus lyra_block_matrix_copy(const LyraBlockMatrix *matrix, LyraBlockMatrix **out)
{
    LYRA_ASSERT(matrix && out);
    return create(matrix->pattern, matrix->values, out);
}

void lyra_block_matrix_destroy(LyraBlockMatrix *matrix)
{
    if (matrix) {
        ly_release(matrix->ctx, matrix->values);
        ly_release(matrix->ctx, matrix->scratch);
        ly_release(matrix->ctx, matrix);
    }
}

LyraStatus lyra_block_matrix_reserve_columns(LyraBlockMatrix *matrix, int32_t columns)
{
    LYRA_ASSERT(matrix);
    if (columns < 1 || columns > 4) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "columns at once: %d, expected 1 to 4", (int)columns);
    }
    double *scratch = NULL;
    LY_TRY(ly_allocate_array(matrix->ctx, 4 * columns * ly_plan_local_count(&matrix->pattern->plan),
                             sizeof(double), &scratch));
    ly_release(matrix->ctx, matrix->scratch);
    matrix->scratch = scratch;
    matrix->columns = columns;
    return LYRA_OK;
}

const LyraBlockPattern *lyra_block_matrix_pattern(const LyraBlockMatrix *matrix)
{
    LYRA_ASSERT(matrix);
    return matrix->pattern;
}

const double *lyra_block_matrix_values(const LyraBlockMatrix *matrix)
{
    LYRA_ASSERT(matrix);
    return matrix->values;
}

double *lyra_block_matrix_values_mutable(LyraBlockMatrix *matrix)
{
    LYRA_ASSERT(matrix);
    return matrix->values;
}

// ---- all values ---------------------------------------------------------------------------------

void lyra_block_matrix_zero(LyraBlockMatrix *matrix)
{
    LYRA_ASSERT(matrix);
    ly_values_zero(matrix->ctx, matrix->values, value_count(matrix));
}

void lyra_block_matrix_scale(LyraBlockMatrix *matrix, double a)
{
    LYRA_ASSERT(matrix);
    ly_values_scale(matrix->ctx, matrix->values, a, value_count(matrix));
}

LyraStatus lyra_block_matrix_axpy(LyraBlockMatrix *matrix, double a, const LyraBlockMatrix *other)
{
    LYRA_ASSERT(matrix && other);
    if (matrix->pattern != other->pattern) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "axpy: the two block matrices share no pattern");
    }
    ly_values_axpy(matrix->ctx, matrix->values, a, other->values, value_count(matrix));
    return LYRA_OK;
}

LyraStatus lyra_block_matrix_set(LyraBlockMatrix *matrix, const LyraBlockMatrix *other)
{
    LYRA_ASSERT(matrix && other);
    if (matrix->pattern != other->pattern) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "set: the two block matrices share no pattern");
    }
    ly_values_copy(matrix->ctx, matrix->values, other->values, value_count(matrix));
    return LYRA_OK;
}

void lyra_block_matrix_add_diagonal(LyraBlockMatrix *matrix, double a, const double *d)
{
    LYRA_ASSERT(matrix);
    for (int32_t i = 0; i < matrix->pattern->row_count; ++i) {
        double *block = matrix->values + 9 * (int64_t)matrix->pattern->diagonal[i];
        for (int32_t k = 0; k < 3; ++k) {
            block[4 * k] += d ? a * d[3 * (int64_t)i + k] : a;
        }
    }
}

void lyra_block_matrix_diagonal_blocks(const LyraBlockMatrix *matrix, double *blocks)
{
    LYRA_ASSERT(matrix && (blocks || matrix->pattern->row_count == 0));
    for (int32_t i = 0; i < matrix->pattern->row_count; ++i) {
        memcpy(blocks + 9 * (int64_t)i, matrix->values + 9 * (int64_t)matrix->pattern->diagonal[i],
               9 * sizeof(double));
    }
}

void lyra_block_matrix_diagonal(const LyraBlockMatrix *matrix, double *diagonal)
{
    LYRA_ASSERT(matrix && (diagonal || matrix->pattern->row_count == 0));
    for (int32_t i = 0; i < matrix->pattern->row_count; ++i) {
        const double *block = matrix->values + 9 * (int64_t)matrix->pattern->diagonal[i];
        for (int32_t k = 0; k < 3; ++k) {
            diagonal[3 * (int64_t)i + k] = block[4 * k];
        }
    }
}

// ---- single blocks ------------------------------------------------------------------------------

static bool in_range(const LyraBlockMatrix *matrix, int32_t row, int32_t column)
{
    uint32_t count = (uint32_t)matrix->pattern->row_count;
    return (uint32_t)row < count && (uint32_t)column < count;
}

void lyra_block_matrix_get_block(const LyraBlockMatrix *matrix, int32_t row, int32_t column,
                                 double block[9])
{
    LYRA_ASSERT(matrix && block && in_range(matrix, row, column));
    bool flip = matrix->pattern->storage == LYRA_STORAGE_UPPER && row > column;
    int64_t k = flip ? lyra_block_pattern_find(matrix->pattern, column, row)
                     : lyra_block_pattern_find(matrix->pattern, row, column);
    for (int32_t i = 0; i < 9; ++i) {
        int32_t from = flip ? 3 * (i % 3) + i / 3 : i;
        block[i] = k < 0 ? 0.0 : matrix->values[9 * k + from];
    }
}

LyraStatus lyra_block_matrix_add_block(LyraBlockMatrix *matrix, int32_t row, int32_t column,
                                       double a, const double block[9])
{
    LYRA_ASSERT(matrix && block);
    bool flip = matrix->pattern->storage == LYRA_STORAGE_UPPER && row > column;
    int64_t k = -1;
    if (in_range(matrix, row, column)) {
        k = flip ? lyra_block_pattern_find(matrix->pattern, column, row)
                 : lyra_block_pattern_find(matrix->pattern, row, column);
    }
    if (k < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "add block: the pattern has no block (%d, %d)",
                       (int)row, (int)column);
    }
    for (int32_t i = 0; i < 9; ++i) {
        int32_t from = flip ? 3 * (i % 3) + i / 3 : i;
        matrix->values[9 * k + i] += a * block[from];
    }
    return LYRA_OK;
}

// ---- conversions --------------------------------------------------------------------------------

static inline void copy_block(double *to, const double *from, bool transpose)
{
    for (int32_t i = 0; i < 9; ++i) {
        to[i] = transpose ? from[3 * (i % 3) + i / 3] : from[i];
    }
}

// Puts every block of `source` (or of its transpose) where it belongs in `matrix`. With `write`
// false only checks that there is a place for each.
static LyraStatus place_blocks(LyraBlockMatrix *matrix, const LyraBlockMatrix *source,
                               bool transpose, bool write)
{
    const LyraBlockPattern *from = source->pattern, *to = matrix->pattern;
    bool from_upper = from->storage == LYRA_STORAGE_UPPER;
    bool to_upper = to->storage == LYRA_STORAGE_UPPER;
    for (int32_t i = 0; i < from->row_count; ++i) {
        for (int64_t k = from->row_start[i]; k < from->row_start[i + 1]; ++k) {
            int32_t j = from->column[k];
            // the block stands for (i, j), and for (j, i) as well if only one triangle is stored
            for (int32_t mirror = 0; mirror <= (from_upper && i != j); ++mirror) {
                bool flip = transpose != (mirror == 1);
                int32_t row = flip ? j : i, column = flip ? i : j;
                if (to_upper && row > column) {
                    continue;
                }
                int64_t place = lyra_block_pattern_find(to, row, column);
                if (place < 0) {
                    return ly_fail(LYRA_INVALID_ARGUMENT,
                                   "assign: the target pattern has no block (%d, %d)", (int)row,
                                   (int)column);
                }
                if (write) {
                    copy_block(matrix->values + 9 * place, source->values + 9 * k, flip);
                }
            }
        }
    }
    return LYRA_OK;
}

static LyraStatus assign(LyraBlockMatrix *matrix, const LyraBlockMatrix *source, bool transpose)
{
    LYRA_ASSERT(matrix && source && matrix != source);
    if (matrix->pattern->row_count != source->pattern->row_count) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "assign: a matrix of %d block rows to one of %d",
                       (int)source->pattern->row_count, (int)matrix->pattern->row_count);
    }
    LY_TRY(place_blocks(matrix, source, transpose, false));
    lyra_block_matrix_zero(matrix);
    return place_blocks(matrix, source, transpose, true);
}

LyraStatus lyra_block_matrix_assign(LyraBlockMatrix *matrix, const LyraBlockMatrix *source)
{
    if (matrix->pattern == source->pattern) {
        return lyra_block_matrix_set(matrix, source);
    }
    return assign(matrix, source, false);
}

LyraStatus lyra_block_matrix_assign_transpose(LyraBlockMatrix *matrix,
                                              const LyraBlockMatrix *source)
{
    return assign(matrix, source, true);
}

double lyra_block_matrix_asymmetry(const LyraBlockMatrix *matrix)
{
    LYRA_ASSERT(matrix);
    const LyraBlockPattern *pattern = matrix->pattern;
    double largest = 0.0;
    bool upper = pattern->storage == LYRA_STORAGE_UPPER;
    for (int32_t i = 0; i < pattern->row_count; ++i) {
        for (int64_t k = pattern->row_start[i]; k < pattern->row_start[i + 1]; ++k) {
            int32_t j = pattern->column[k];
            if (upper && j != i) {
                continue;
            }
            int64_t mate = lyra_block_pattern_find(pattern, j, i);
            // the pair is met twice unless it has no mate
            if (mate >= 0 && j < i) {
                continue;
            }
            for (int32_t d = 0; d < 9; ++d) {
                double b = mate < 0 ? 0.0 : matrix->values[9 * mate + 3 * (d % 3) + d / 3];
                double gap = fabs(matrix->values[9 * k + d] - b);
                largest = gap > largest || isnan(gap) ? gap : largest;
                if (isnan(largest)) {
                    return largest;
                }
            }
        }
    }
    return largest;
}
