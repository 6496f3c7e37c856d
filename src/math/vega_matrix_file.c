// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Binary matrices of Vega: int32 rows, int32 columns, rows * columns float64 by columns, all
// little-endian and without padding; a list is a number of them one after another.

#include "math/matrix_file.h"

#include "base/file.h"

#include <string.h>

enum { HEAD_BYTES = 8 };

// ---- parsing ------------------------------------------------------------------------------------

/// Sizes of the matrix that begins at bytes[*at], whose values are then known to be all there.
/// Moves *at to the values.
static LyraStatus read_head(const char *bytes, size_t length, size_t *at, int32_t *rows,
                            int32_t *columns)
{
    if (length - *at < HEAD_BYTES) {
        return ly_fail(LYRA_BAD_FORMAT,
                       "byte %zu: expected the sizes of a matrix, 8 bytes, found the end of the "
                       "file after %zu",
                       *at, length - *at);
    }
    int64_t m = (int32_t)ly_bytes_little(bytes + *at, 4);
    int64_t n = (int32_t)ly_bytes_little(bytes + *at + 4, 4);
    if (m < 0 || n < 0) {
        return ly_fail(LYRA_BAD_FORMAT, "byte %zu: a matrix of %lld x %lld has a negative size",
                       *at, (long long)m, (long long)n);
    }
    size_t left = length - *at - HEAD_BYTES;
    if ((uint64_t)(m * n) > left / sizeof(double)) {
        return ly_fail(LYRA_BAD_FORMAT,
                       "byte %zu: a matrix of %lld x %lld does not fit in the %zu bytes left", *at,
                       (long long)m, (long long)n, left);
    }
    *at += HEAD_BYTES;
    *rows = (int32_t)m;
    *columns = (int32_t)n;
    return LYRA_OK;
}

static void read_values(const char *bytes, int64_t count, double *values)
{
    for (int64_t i = 0; i < count; ++i) {
        uint64_t bits = ly_bytes_little(bytes + 8 * i, 8);
        memcpy(&values[i], &bits, sizeof bits);
    }
}

LyraStatus ly_dense_parse_vega(LyraContext *ctx, const char *bytes, size_t length, LyraDense **out)
{
    size_t at = 0;
    int32_t rows = 0, columns = 0;
    LY_TRY(read_head(bytes, length, &at, &rows, &columns));
    int64_t count = (int64_t)rows * columns;
    if (length - at != (size_t)count * 8) {
        return ly_fail(LYRA_BAD_FORMAT,
                       "expected %lld bytes for one matrix of %d x %d, found %zu; is this a list?",
                       8 + 8 * (long long)count, rows, columns, length);
    }
    LyraDense *matrix = NULL;
    LY_TRY(lyra_dense_create(ctx, rows, columns, &matrix));
    read_values(bytes + at, count, lyra_dense_values(matrix));
    *out = matrix;
    return LYRA_OK;
}

struct LyraDenseList {
    LyraContext *ctx;
    int32_t count;
    LyraDenseView *views; ///< [count], into `values`.
    double *values;
};

LyraStatus ly_dense_list_parse_vega(LyraContext *ctx, const char *bytes, size_t length,
                                    LyraDenseList **out)
{
    LyraStatus status = LYRA_OK;
    LyraDenseList *list = NULL;
    // first count, then read
    int64_t matrices = 0, numbers = 0;
    int32_t rows = 0, columns = 0;
    for (size_t at = 0; at < length; ++matrices) {
        LY_TRY(read_head(bytes, length, &at, &rows, &columns));
        int64_t count = (int64_t)rows * columns;
        at += (size_t)count * 8;
        numbers += count;
    }
    if (matrices > INT32_MAX) {
        return ly_fail(LYRA_TOO_LARGE, "a list of %lld matrices is too long", (long long)matrices);
    }
    LY_TRY_DONE(ly_allocate_zeroed(ctx, 1, sizeof *list, &list));
    list->ctx = ctx;
    LY_TRY_DONE(ly_allocate_array(ctx, matrices, sizeof *list->views, &list->views));
    LY_TRY_DONE(ly_allocate_array(ctx, numbers, sizeof *list->values, &list->values));
    double *values = list->values;
    for (size_t at = 0; at < length;) {
        LY_TRY_DONE(read_head(bytes, length, &at, &rows, &columns));
        int64_t count = (int64_t)rows * columns;
        read_values(bytes + at, count, values);
        list->views[list->count++] =
            (LyraDenseView){.rows = rows, .columns = columns, .values = values};
        values += count;
        at += (size_t)count * 8;
    }
    *out = list;
    return LYRA_OK;
done:
    lyra_dense_list_destroy(list);
    return status;
}

// ---- files --------------------------------------------------------------------------------------

LyraStatus lyra_dense_load_vega(LyraContext *ctx, const char *path, LyraDense **out)
{
    LYRA_ASSERT(ctx && path && out);
    char *bytes = NULL;
    size_t length = 0;
    LY_TRY(ly_file_read(ctx, path, &bytes, &length));
    LyraStatus status = ly_dense_parse_vega(ctx, bytes, length, out);
    ly_release(ctx, bytes);
    return status == LYRA_OK ? status : ly_fail_within(status, "%s", path);
}

LyraStatus lyra_dense_list_load_vega(LyraContext *ctx, const char *path, LyraDenseList **out)
{
    LYRA_ASSERT(ctx && path && out);
    char *bytes = NULL;
    size_t length = 0;
    LY_TRY(ly_file_read(ctx, path, &bytes, &length));
    LyraStatus status = ly_dense_list_parse_vega(ctx, bytes, length, out);
    ly_release(ctx, bytes);
    return status == LYRA_OK ? status : ly_fail_within(status, "%s", path);
}

LyraStatus lyra_dense_list_save_vega(LyraContext *ctx, const char *path, int32_t count,
                                     const LyraDenseView *matrices)
{
    LYRA_ASSERT(ctx && path);
    if (count < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "%s: a list of %d matrices", path, count);
    }
    for (int32_t k = 0; k < count; ++k) {
        if (matrices[k].rows < 0 || matrices[k].columns < 0) {
            return ly_fail(LYRA_INVALID_ARGUMENT, "%s: matrix %d has a negative size of %d x %d",
                           path, k, matrices[k].rows, matrices[k].columns);
        }
    }
    LyWriter *writer = NULL;
    LY_TRY(ly_writer_create(ctx, path, &writer));
    for (int32_t k = 0; k < count; ++k) {
        char bytes[8];
        ly_bytes_put_little(bytes, 4, (uint32_t)matrices[k].rows);
        ly_bytes_put_little(bytes + 4, 4, (uint32_t)matrices[k].columns);
        ly_writer_bytes(writer, bytes, sizeof bytes);
        int64_t numbers = (int64_t)matrices[k].rows * matrices[k].columns;
        for (int64_t i = 0; i < numbers && ly_writer_status(writer) == LYRA_OK; ++i) {
            uint64_t bits = 0;
            memcpy(&bits, &matrices[k].values[i], sizeof bits);
            ly_bytes_put_little(bytes, 8, bits);
            ly_writer_bytes(writer, bytes, sizeof bytes);
        }
    }
    return ly_writer_commit(writer);
}

LyraStatus lyra_dense_save_vega(LyraContext *ctx, const char *path, LyraDenseView matrix)
{
    return lyra_dense_list_save_vega(ctx, path, 1, &matrix);
}

int32_t lyra_dense_list_count(const LyraDenseList *list)
{
    LYRA_ASSERT(list);
    return list->count;
}

LyraDenseView lyra_dense_list_view(const LyraDenseList *list, int32_t index)
{
    LYRA_ASSERT(list && index >= 0 && index < list->count);
    return list->views[index];
}

void lyra_dense_list_destroy(LyraDenseList *list)
{
    if (list) {
        ly_release(list->ctx, list->views);
        ly_release(list->ctx, list->values);
        ly_release(list->ctx, list);
    }
}
