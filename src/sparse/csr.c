// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Scalar patterns and matrices.

#include "sparse/entries.h"
#include "sparse/sparse.h"

#include <math.h>

// ---- patterns -----------------------------------------------------------------------------------

static LyraStatus check_shape(int32_t row_count, int32_t column_count, LyraStorage storage)
{
    if ((uint32_t)storage >= LYRA_STORAGE_COUNT) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "scalar pattern: storage %d is unknown",
                       (int)storage);
    }
    if (row_count < 0 || column_count < 0 ||
        (storage == LYRA_STORAGE_UPPER && row_count != column_count)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "scalar pattern: %d rows and %d columns%s",
                       (int)row_count, (int)column_count,
                       storage == LYRA_STORAGE_UPPER ? " in upper storage" : "");
    }
    return LYRA_OK;
}

LyraStatus ly_csr_pattern_take(LyraContext *ctx, int32_t row_count, int32_t column_count,
                               LyraStorage storage, int64_t *row_start, int32_t *column,
                               LyraCsrPattern **out)
{
    LyraStatus status = LYRA_OK;
    LyraCsrPattern *pattern = NULL;
    LyPlan plan = {0};
    LY_TRY_DONE(ly_plan_create(ctx, row_count, column_count, row_start, column,
                               LY_PLAN_GRAIN_SCALARS, &plan));
    LY_TRY_DONE(ly_allocate_array(ctx, 1, sizeof *pattern, &pattern));
    *pattern = (LyraCsrPattern){ctx,       row_count, column_count, storage, row_start[row_count],
                                row_start, column,    plan};
    *out = pattern;
    return LYRA_OK;
done:
    ly_plan_destroy(ctx, &plan);
    ly_release(ctx, row_start);
    ly_release(ctx, column);
    return status;
}

static LyraStatus from_rows(LyraContext *ctx, const LyRows *rows, LyraStorage storage,
                            LyRowsChange change, LyraCsrPattern **out)
{
    int64_t *row_start = NULL;
    int32_t *column = NULL;
    LY_TRY(ly_rows_rebuild(ctx, rows, change, &row_start, &column));
    return ly_csr_pattern_take(ctx, change.transpose ? rows->column_count : rows->row_count,
                               change.transpose ? rows->row_count : rows->column_count, storage,
                               row_start, column, out);
}

LyraStatus lyra_csr_pattern_create_rows(LyraContext *ctx, int32_t row_count, int32_t column_count,
                                        LyraStorage storage, const int64_t *row_start,
                                        const int32_t *column, LyraCsrPattern **out)
{
    LYRA_ASSERT(ctx && row_start && out);
    LY_TRY(check_shape(row_count, column_count, storage));
    LyRows rows = {row_count, column_count, row_start, column};
    LyRowsChange change = {.upper = storage == LYRA_STORAGE_UPPER};
    return from_rows(ctx, &rows, storage, change, out);
}

LyraStatus lyra_csr_pattern_transpose(const LyraCsrPattern *pattern, LyraCsrPattern **out)
{
    LYRA_ASSERT(pattern && out);
    LyRows rows = {pattern->row_count, pattern->column_count, pattern->row_start, pattern->column};
    LyRowsChange change = {.transpose = pattern->storage == LYRA_STORAGE_FULL};
    return from_rows(pattern->ctx, &rows, pattern->storage, change, out);
}

LyraStatus lyra_csr_pattern_convert(const LyraCsrPattern *pattern, LyraStorage storage,
                                    LyraCsrPattern **out)
{
    LYRA_ASSERT(pattern && out);
    LY_TRY(check_shape(pattern->row_count, pattern->column_count, storage));
    LyRows rows = {pattern->row_count, pattern->column_count, pattern->row_start, pattern->column};
    LyRowsChange change = {.upper = storage == LYRA_STORAGE_UPPER,
                           .mirror = storage == LYRA_STORAGE_FULL &&
                                     pattern->storage == LYRA_STORAGE_UPPER};
    return from_rows(pattern->ctx, &rows, storage, change, out);
}

void lyra_csr_pattern_destroy(LyraCsrPattern *pattern)
{
    if (pattern) {
        LyraContext *ctx = pattern->ctx;
        ly_plan_destroy(ctx, &pattern->plan);
        ly_release(ctx, pattern->row_start);
        ly_release(ctx, pattern->column);
        ly_release(ctx, pattern);
    }
}

LyraCsrPatternView lyra_csr_pattern_view(const LyraCsrPattern *pattern)
{
    LYRA_ASSERT(pattern);
    return (LyraCsrPatternView){pattern->row_count, pattern->column_count, pattern->entry_count,
                                pattern->storage,   pattern->row_start,    pattern->column};
}

int64_t lyra_csr_pattern_find(const LyraCsrPattern *pattern, int32_t row, int32_t column)
{
    LYRA_ASSERT(pattern && row >= 0 && row < pattern->row_count);
    int64_t end = pattern->row_start[row + 1];
    int64_t k = ly_lower_bound(pattern->column, pattern->row_start[row], end, column);
    return k < end && pattern->column[k] == column ? k : -1;
}

// ---- matrices -----------------------------------------------------------------------------------

static LyraStatus create(const LyraCsrPattern *pattern, const double *values, LyraCsrMatrix **out)
{
    LyraContext *ctx = pattern->ctx;
    LyraStatus status = LYRA_OK;
    LyraCsrMatrix *matrix = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *matrix, &matrix));
    matrix->ctx = ctx;
    matrix->pattern = pattern;
    LY_TRY_DONE(ly_allocate_array(ctx, pattern->entry_count, sizeof(double), &matrix->values));
    LY_TRY_DONE(ly_allocate_array(ctx, ly_plan_local_count(&pattern->plan), sizeof(double),
                                  &matrix->scratch));
    if (values) {
        ly_values_copy(ctx, matrix->values, values, pattern->entry_count);
    } else {
        ly_values_zero(ctx, matrix->values, pattern->entry_count);
    }
    *out = matrix;
    return LYRA_OK;
done:
    lyra_csr_matrix_destroy(matrix);
    return status;
}

LyraStatus lyra_csr_matrix_create(const LyraCsrPattern *pattern, LyraCsrMatrix **out)
{
    LYRA_ASSERT(pattern && out);
    return create(pattern, NULL, out);
}

LyraStatus lyra_csr_matrix_copy(const LyraCsrMatrix *matrix, LyraCsrMatrix **out)
{
    LYRA_ASSERT(matrix && out);
    return create(matrix->pattern, matrix->values, out);
}

LyraStatus lyra_csr_matrix_create_entries(LyraContext *ctx, const LyraCsrEntries *entries,
                                          LyraCsrPattern **pattern_out, LyraCsrMatrix **out)
{
    LYRA_ASSERT(ctx && entries && pattern_out && out);
    LyraCsrEntries given = *entries;
    const int32_t row_count = given.row_count, column_count = given.column_count;
    const int64_t count = given.count;
    const int32_t *row = given.row, *column = given.column;
    LYRA_ASSERT((row && column) || count == 0);
    LY_TRY(check_shape(row_count, column_count, given.storage));
    if (count < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "entries: a count of %lld", (long long)count);
    }
    for (int64_t e = 0; e < count; ++e) {
        if ((uint32_t)row[e] >= (uint32_t)row_count ||
            (uint32_t)column[e] >= (uint32_t)column_count) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "entry %lld is at (%d, %d) of a matrix of %d rows and %d columns",
                           (long long)e, (int)row[e], (int)column[e], (int)row_count,
                           (int)column_count);
        }
    }
    LyraStatus status = LYRA_OK;
    LyraCsrPattern *pattern = NULL;
    LyraCsrMatrix *matrix = NULL;
    int32_t *upper_row = NULL, *upper_column = NULL, *columns = NULL;
    int64_t *place = NULL, *row_start = NULL;
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof(int64_t), &place));
    if (given.storage == LYRA_STORAGE_UPPER) {
        LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof(int32_t), &upper_row));
        LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof(int32_t), &upper_column));
        for (int64_t e = 0; e < count; ++e) {
            upper_row[e] = row[e] < column[e] ? row[e] : column[e];
            upper_column[e] = row[e] < column[e] ? column[e] : row[e];
        }
        given.row = upper_row;
        given.column = upper_column;
    }
    LY_TRY_DONE(ly_entries_sort(ctx, &given, &row_start, &columns, place));
    LY_TRY_DONE(ly_csr_pattern_take(ctx, row_count, column_count, given.storage, row_start, columns,
                                    &pattern));
    LY_TRY_DONE(create(pattern, NULL, &matrix));
    for (int64_t e = 0; given.value && e < count; ++e) {
        matrix->values[place[e]] += given.value[e];
    }
    *pattern_out = pattern;
    *out = matrix;
    pattern = NULL;
done:
    ly_release(ctx, place);
    ly_release(ctx, upper_row);
    ly_release(ctx, upper_column);
    lyra_csr_pattern_destroy(pattern);
    return status;
}

void lyra_csr_matrix_destroy(LyraCsrMatrix *matrix)
{
    if (matrix) {
        ly_release(matrix->ctx, matrix->values);
        ly_release(matrix->ctx, matrix->scratch);
        ly_release(matrix->ctx, matrix);
    }
}

const LyraCsrPattern *lyra_csr_matrix_pattern(const LyraCsrMatrix *matrix)
{
    LYRA_ASSERT(matrix);
    return matrix->pattern;
}

const double *lyra_csr_matrix_values(const LyraCsrMatrix *matrix)
{
    LYRA_ASSERT(matrix);
    return matrix->values;
}

double *lyra_csr_matrix_values_mutable(LyraCsrMatrix *matrix)
{
    LYRA_ASSERT(matrix);
    return matrix->values;
}

void lyra_csr_matrix_zero(LyraCsrMatrix *matrix)
{
    LYRA_ASSERT(matrix);
    ly_values_zero(matrix->ctx, matrix->values, matrix->pattern->entry_count);
}

void lyra_csr_matrix_scale(LyraCsrMatrix *matrix, double a)
{
    LYRA_ASSERT(matrix);
    ly_values_scale(matrix->ctx, matrix->values, a, matrix->pattern->entry_count);
}

LyraStatus lyra_csr_matrix_axpy(LyraCsrMatrix *matrix, double a, const LyraCsrMatrix *other)
{
    LYRA_ASSERT(matrix && other);
    if (matrix->pattern != other->pattern) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "axpy: the two scalar matrices share no pattern");
    }
    ly_values_axpy(matrix->ctx, matrix->values, a, other->values, matrix->pattern->entry_count);
    return LYRA_OK;
}

LyraStatus lyra_csr_matrix_set(LyraCsrMatrix *matrix, const LyraCsrMatrix *other)
{
    LYRA_ASSERT(matrix && other);
    if (matrix->pattern != other->pattern) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "set: the two scalar matrices share no pattern");
    }
    ly_values_copy(matrix->ctx, matrix->values, other->values, matrix->pattern->entry_count);
    return LYRA_OK;
}

static int32_t diagonal_count(const LyraCsrPattern *pattern)
{
    return pattern->row_count < pattern->column_count ? pattern->row_count : pattern->column_count;
}

LyraStatus lyra_csr_matrix_add_diagonal(LyraCsrMatrix *matrix, double a, const double *d)
{
    LYRA_ASSERT(matrix);
    int32_t count = diagonal_count(matrix->pattern);
    for (int32_t i = 0; i < count; ++i) {
        if (lyra_csr_pattern_find(matrix->pattern, i, i) < 0) {
            return ly_fail(LYRA_INVALID_ARGUMENT, "add diagonal: the pattern has no entry (%d, %d)",
                           (int)i, (int)i);
        }
    }
    for (int32_t i = 0; i < count; ++i) {
        matrix->values[lyra_csr_pattern_find(matrix->pattern, i, i)] += d ? a * d[i] : a;
    }
    return LYRA_OK;
}

void lyra_csr_matrix_diagonal(const LyraCsrMatrix *matrix, double *diagonal)
{
    LYRA_ASSERT(matrix);
    for (int32_t i = 0; i < diagonal_count(matrix->pattern); ++i) {
        int64_t k = lyra_csr_pattern_find(matrix->pattern, i, i);
        diagonal[i] = k < 0 ? 0.0 : matrix->values[k];
    }
}

static int64_t find_stored(const LyraCsrMatrix *matrix, int32_t row, int32_t column)
{
    bool flip = matrix->pattern->storage == LYRA_STORAGE_UPPER && row > column;
    return flip ? lyra_csr_pattern_find(matrix->pattern, column, row)
                : lyra_csr_pattern_find(matrix->pattern, row, column);
}

double lyra_csr_matrix_get(const LyraCsrMatrix *matrix, int32_t row, int32_t column)
{
    LYRA_ASSERT(matrix);
    int64_t k = find_stored(matrix, row, column);
    return k < 0 ? 0.0 : matrix->values[k];
}

LyraStatus lyra_csr_matrix_add(LyraCsrMatrix *matrix, int32_t row, int32_t column, double value)
{
    LYRA_ASSERT(matrix);
    const LyraCsrPattern *pattern = matrix->pattern;
    bool inside = (uint32_t)row < (uint32_t)pattern->row_count &&
                  (uint32_t)column < (uint32_t)pattern->column_count;
    int64_t k = inside ? find_stored(matrix, row, column) : -1;
    if (k < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "add: the pattern has no entry (%d, %d)", (int)row,
                       (int)column);
    }
    matrix->values[k] += value;
    return LYRA_OK;
}

double lyra_csr_matrix_asymmetry(const LyraCsrMatrix *matrix)
{
    LYRA_ASSERT(matrix);
    const LyraCsrPattern *pattern = matrix->pattern;
    if (pattern->row_count != pattern->column_count) {
        return INFINITY;
    }
    double largest = 0.0;
    for (int32_t i = 0; pattern->storage == LYRA_STORAGE_FULL && i < pattern->row_count; ++i) {
        for (int64_t k = pattern->row_start[i]; k < pattern->row_start[i + 1]; ++k) {
            int64_t mate = lyra_csr_pattern_find(pattern, pattern->column[k], i);
            double gap = fabs(matrix->values[k] - (mate < 0 ? 0.0 : matrix->values[mate]));
            if (isnan(gap)) {
                return gap;
            }
            largest = gap > largest ? gap : largest;
        }
    }
    return largest;
}
