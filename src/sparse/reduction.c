// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Rows and columns of fixed dofs out of matrices and back. A reduction knows, for each value (or
// block) of the reduced matrix, its place in the full one, so an update is one pass over the
// reduced values that reads the full ones nearly in order.

#include "sparse/dofs.h"
#include "sparse/sparse.h"

struct LyraReduction {
    LyraContext *ctx;
    // one full and one reduced pattern each
    const LyraBlockPattern *full_block;
    const LyraCsrPattern *full_csr;
    LyraBlockPattern *block;
    LyraCsrPattern *csr;
    const LyraDofs *rows, *columns; // NULL: all free
    int64_t *source; // place in the full values of each reduced value; of blocks, in blocks
};

static inline int32_t reduced_of(const LyraDofs *dofs, int32_t i)
{
    return dofs ? dofs->reduced[i] : i;
}

// Entries of a pattern as the reduction sees them: of blocks, or their scalars.
typedef struct Entries {
    int32_t row_count;
    const int64_t *row_start;
    const int32_t *column;
    bool scalars; // of 3x3 blocks
    bool upper;   // with `scalars`: leave out what lies below the diagonal
} Entries;

// Lists row `row` of the reduced matrix: reduced columns and places; either may be NULL.
static int64_t list_row(const Entries *entries, const LyraDofs *columns, int32_t row,
                        int32_t *column, int64_t *source)
{
    int64_t count = 0;
    int32_t i = entries->scalars ? row / 3 : row, width = entries->scalars ? 3 : 1;
    for (int64_t k = entries->row_start[i]; k < entries->row_start[i + 1]; ++k) {
        for (int32_t c = 0; c < width; ++c) {
            int32_t j = width * entries->column[k] + c, to = reduced_of(columns, j);
            if (to < 0 || (entries->upper && j < row)) {
                continue;
            }
            if (column) {
                column[count] = to;
                source[count] = entries->scalars ? 9 * k + 3 * (row % 3) + c : k;
            }
            ++count;
        }
    }
    return count;
}

static LyraStatus reduce(LyraReduction *reduction, const Entries *entries, int64_t **row_start_out,
                         int32_t **column_out)
{
    LyraContext *ctx = reduction->ctx;
    LyraStatus status = LYRA_OK;
    int64_t *row_start = NULL;
    int32_t *column = NULL;
    int32_t rows = reduction->rows ? reduction->rows->free_count : entries->row_count;
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)rows + 1, sizeof(int64_t), &row_start));
    row_start[0] = 0;
    for (int32_t r = 0; r < rows; ++r) {
        int32_t row = reduction->rows ? reduction->rows->free[r] : r;
        row_start[r + 1] = row_start[r] + list_row(entries, reduction->columns, row, NULL, NULL);
    }
    LY_TRY_DONE(ly_allocate_array(ctx, row_start[rows], sizeof(int32_t), &column));
    LY_TRY_DONE(ly_allocate_array(ctx, row_start[rows], sizeof(int64_t), &reduction->source));
    for (int32_t r = 0; r < rows; ++r) {
        int32_t row = reduction->rows ? reduction->rows->free[r] : r;
        list_row(entries, reduction->columns, row, column + row_start[r],
                 reduction->source + row_start[r]);
    }
    *row_start_out = row_start;
    *column_out = column;
    return LYRA_OK;
done:
    ly_release(ctx, row_start);
    ly_release(ctx, column);
    return status;
}

static LyraStatus check_count(const LyraDofs *dofs, int64_t count)
{
    if (dofs && dofs->count != count) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "reduction: a set of %d dofs for a matrix of %lld",
                       (int)dofs->count, (long long)count);
    }
    return LYRA_OK;
}

// makes the reduced pattern of a reduction whose full pattern and sets are filled in
static LyraStatus create(LyraReduction prototype, const Entries *entries, bool to_block,
                         int32_t column_count, LyraStorage storage, LyraReduction **out)
{
    LyraContext *ctx = prototype.ctx;
    LyraReduction *reduction = NULL;
    LyraStatus status = LYRA_OK;
    int64_t *row_start = NULL;
    int32_t *column = NULL;
    LY_TRY(ly_allocate_array(ctx, 1, sizeof *reduction, &reduction));
    *reduction = prototype;
    LY_TRY_DONE(reduce(reduction, entries, &row_start, &column));
    int32_t rows = reduction->rows ? reduction->rows->free_count : entries->row_count;
    int32_t columns = reduction->columns ? reduction->columns->free_count : column_count;
    if (to_block) {
        LY_TRY_DONE(
            ly_block_pattern_take(ctx, rows, storage, row_start, column, &reduction->block));
    } else {
        LY_TRY_DONE(
            ly_csr_pattern_take(ctx, rows, columns, storage, row_start, column, &reduction->csr));
    }
    *out = reduction;
    return LYRA_OK;
done:
    lyra_reduction_destroy(reduction);
    return status;
}

LyraStatus lyra_reduction_create_block(const LyraBlockPattern *full, const LyraDofs *vertices,
                                       LyraReduction **out)
{
    LYRA_ASSERT(full && vertices && out);
    LY_TRY(check_count(vertices, full->row_count));
    LyraReduction prototype = {
        .ctx = full->ctx, .full_block = full, .rows = vertices, .columns = vertices};
    Entries entries = {full->row_count, full->row_start, full->column, false, false};
    return create(prototype, &entries, true, full->row_count, full->storage, out);
}

LyraStatus lyra_reduction_create_block_dofs(const LyraBlockPattern *full, const LyraDofs *dofs,
                                            LyraReduction **out)
{
    LYRA_ASSERT(full && dofs && out);
    LY_TRY(check_count(dofs, 3 * (int64_t)full->row_count));
    LyraReduction prototype = {.ctx = full->ctx, .full_block = full, .rows = dofs, .columns = dofs};
    Entries entries = {3 * full->row_count, full->row_start, full->column, true,
                       full->storage == LYRA_STORAGE_UPPER};
    return create(prototype, &entries, false, 3 * full->row_count, full->storage, out);
}

LyraStatus lyra_reduction_create_csr(const LyraCsrPattern *full, const LyraDofs *rows,
                                     const LyraDofs *columns, LyraReduction **out)
{
    LYRA_ASSERT(full && out);
    LY_TRY(check_count(rows, full->row_count));
    LY_TRY(check_count(columns, full->column_count));
    if (full->storage == LYRA_STORAGE_UPPER && rows != columns) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "reduction: upper storage takes one set for rows and columns");
    }
    LyraReduction prototype = {
        .ctx = full->ctx, .full_csr = full, .rows = rows, .columns = columns};
    Entries entries = {full->row_count, full->row_start, full->column, false, false};
    return create(prototype, &entries, false, full->column_count, full->storage, out);
}

void lyra_reduction_destroy(LyraReduction *reduction)
{
    if (reduction) {
        lyra_block_pattern_destroy(reduction->block);
        lyra_csr_pattern_destroy(reduction->csr);
        ly_release(reduction->ctx, reduction->source);
        ly_release(reduction->ctx, reduction);
    }
}

const LyraBlockPattern *lyra_reduction_block_pattern(const LyraReduction *reduction)
{
    LYRA_ASSERT(reduction);
    return reduction->block;
}

const LyraCsrPattern *lyra_reduction_csr_pattern(const LyraReduction *reduction)
{
    LYRA_ASSERT(reduction);
    return reduction->csr;
}

// ---- values -------------------------------------------------------------------------------------

typedef struct CopyLoop {
    const int64_t *source;
    const double *from;
    double *to;
    int64_t count;
    int32_t size, pieces; // doubles per value
    bool scatter;         // to[source] = from rather than to = from[source]
} CopyLoop;

static void copy_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const CopyLoop *loop = data;
    int32_t size = loop->size;
    for (int64_t k = ly_piece_begin(loop->count, loop->pieces, index);
         k < ly_piece_begin(loop->count, loop->pieces, index + 1); ++k) {
        const double *from = loop->from + size * (loop->scatter ? k : loop->source[k]);
        double *to = loop->to + size * (loop->scatter ? loop->source[k] : k);
        for (int32_t d = 0; d < size; ++d) {
            to[d] = from[d];
        }
    }
}

static void copy_values(const LyraReduction *reduction, const double *from, double *to,
                        bool scatter)
{
    int64_t count = reduction->block ? reduction->block->block_count : reduction->csr->entry_count;
    CopyLoop loop = {reduction->source,
                     from,
                     to,
                     count,
                     reduction->block ? 9 : 1,
                     ly_piece_count(count, 32768),
                     scatter};
    ly_parallel_for(reduction->ctx, loop.pieces, copy_task, &loop);
}

static LyraStatus check_patterns(const LyraReduction *reduction, const void *full,
                                 const void *reduced)
{
    const void *own_full =
        reduction->full_block ? (const void *)reduction->full_block : reduction->full_csr;
    const void *own = reduction->block ? (const void *)reduction->block : reduction->csr;
    if (full != own_full || reduced != own) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "reduction: the %s matrix was made on another pattern",
                       full != own_full ? "full" : "reduced");
    }
    return LYRA_OK;
}

LyraStatus lyra_reduction_remove_block(const LyraReduction *reduction, const LyraBlockMatrix *full,
                                       LyraBlockMatrix *reduced)
{
    LYRA_ASSERT(reduction && full && reduced);
    LY_TRY(check_patterns(reduction, full->pattern, reduced->pattern));
    copy_values(reduction, full->values, reduced->values, false);
    return LYRA_OK;
}

LyraStatus lyra_reduction_remove_block_dofs(const LyraReduction *reduction,
                                            const LyraBlockMatrix *full, LyraCsrMatrix *reduced)
{
    LYRA_ASSERT(reduction && full && reduced);
    LY_TRY(check_patterns(reduction, full->pattern, reduced->pattern));
    copy_values(reduction, full->values, reduced->values, false);
    return LYRA_OK;
}

LyraStatus lyra_reduction_remove_csr(const LyraReduction *reduction, const LyraCsrMatrix *full,
                                     LyraCsrMatrix *reduced)
{
    LYRA_ASSERT(reduction && full && reduced);
    LY_TRY(check_patterns(reduction, full->pattern, reduced->pattern));
    copy_values(reduction, full->values, reduced->values, false);
    return LYRA_OK;
}

LyraStatus lyra_reduction_insert_block(const LyraReduction *reduction,
                                       const LyraBlockMatrix *reduced, double diagonal,
                                       LyraBlockMatrix *full)
{
    LYRA_ASSERT(reduction && full && reduced);
    LY_TRY(check_patterns(reduction, full->pattern, reduced->pattern));
    lyra_block_matrix_zero(full);
    copy_values(reduction, reduced->values, full->values, true);
    const LyraDofs *vertices = reduction->rows;
    for (int32_t f = 0; f < vertices->fixed_count; ++f) {
        double *block = full->values + 9 * (int64_t)full->pattern->diagonal[vertices->fixed[f]];
        for (int32_t d = 0; d < 3; ++d) {
            block[4 * d] = diagonal;
        }
    }
    return LYRA_OK;
}

LyraStatus lyra_reduction_insert_block_dofs(const LyraReduction *reduction,
                                            const LyraCsrMatrix *reduced, double diagonal,
                                            LyraBlockMatrix *full)
{
    LYRA_ASSERT(reduction && full && reduced);
    LY_TRY(check_patterns(reduction, full->pattern, reduced->pattern));
    lyra_block_matrix_zero(full);
    copy_values(reduction, reduced->values, full->values, true);
    const LyraDofs *dofs = reduction->rows;
    const int32_t *diagonals = full->pattern->diagonal;
    for (int32_t f = 0; f < dofs->fixed_count; ++f) {
        int32_t i = dofs->fixed[f];
        full->values[9 * (int64_t)diagonals[i / 3] + 4 * (i % 3)] = diagonal;
    }
    // below the diagonal of diagonal blocks, which upper storage of scalars leaves out
    for (int32_t v = 0;
         full->pattern->storage == LYRA_STORAGE_UPPER && v < full->pattern->row_count; ++v) {
        double *block = full->values + 9 * (int64_t)diagonals[v];
        block[3] = block[1];
        block[6] = block[2];
        block[7] = block[5];
    }
    return LYRA_OK;
}

LyraStatus lyra_reduction_insert_csr(const LyraReduction *reduction, const LyraCsrMatrix *reduced,
                                     double diagonal, LyraCsrMatrix *full)
{
    LYRA_ASSERT(reduction && full && reduced);
    LY_TRY(check_patterns(reduction, full->pattern, reduced->pattern));
    lyra_csr_matrix_zero(full);
    copy_values(reduction, reduced->values, full->values, true);
    const LyraDofs *rows = reduction->rows, *columns = reduction->columns;
    for (int32_t f = 0; rows && columns && f < rows->fixed_count; ++f) {
        int32_t i = rows->fixed[f];
        int64_t k = i < columns->count && columns->reduced[i] < 0
                        ? lyra_csr_pattern_find(full->pattern, i, i)
                        : -1;
        if (k >= 0) {
            full->values[k] = diagonal;
        }
    }
    return LYRA_OK;
}

// ---- larger scalar matrices ---------------------------------------------------------------------

LyraStatus lyra_csr_matrix_insert(const LyraCsrMatrix *matrix, const LyraDofs *rows,
                                  const LyraDofs *columns, double diagonal,
                                  LyraCsrPattern **pattern_out, LyraCsrMatrix **out)
{
    LYRA_ASSERT(matrix && pattern_out && out);
    const LyraCsrPattern *small = matrix->pattern;
    LyraContext *ctx = matrix->ctx;
    if ((rows && rows->free_count != small->row_count) ||
        (columns && columns->free_count != small->column_count)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "insert: the sets leave %d x %d free for a matrix of %d x %d",
                       (int)(rows ? rows->free_count : small->row_count),
                       (int)(columns ? columns->free_count : small->column_count),
                       (int)small->row_count, (int)small->column_count);
    }
    if (small->storage == LYRA_STORAGE_UPPER && rows != columns) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "insert: upper storage takes one set for rows and columns");
    }
    LyraStatus status = LYRA_OK;
    int32_t *row = NULL, *column = NULL;
    double *value = NULL;
    int64_t count = 0, room = small->entry_count + (rows ? rows->fixed_count : 0);
    LY_TRY_DONE(ly_allocate_array(ctx, room, sizeof(int32_t), &row));
    LY_TRY_DONE(ly_allocate_array(ctx, room, sizeof(int32_t), &column));
    LY_TRY_DONE(ly_allocate_array(ctx, room, sizeof(double), &value));
    for (int32_t i = 0; i < small->row_count; ++i) {
        for (int64_t k = small->row_start[i]; k < small->row_start[i + 1]; ++k, ++count) {
            int32_t j = small->column[k];
            row[count] = rows ? rows->free[i] : i;
            column[count] = columns ? columns->free[j] : j;
            value[count] = matrix->values[k];
        }
    }
    for (int32_t f = 0; rows && columns && f < rows->fixed_count; ++f) {
        int32_t i = rows->fixed[f];
        if (i < columns->count && columns->reduced[i] < 0) {
            row[count] = column[count] = i;
            value[count++] = diagonal;
        }
    }
    status = lyra_csr_matrix_create_entries(
        ctx,
        &(LyraCsrEntries){.row_count = rows ? rows->count : small->row_count,
                          .column_count = columns ? columns->count : small->column_count,
                          .storage = small->storage,
                          .count = count,
                          .row = row,
                          .column = column,
                          .value = value},
        pattern_out, out);
done:
    ly_release(ctx, row);
    ly_release(ctx, column);
    ly_release(ctx, value);
    return status;
}
