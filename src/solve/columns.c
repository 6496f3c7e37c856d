// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Scalar matrices as direct sparse libraries read them. Rows are visited in order, and each stored
// entry (r, c) goes to the end of list r and, where only one triangle of a symmetric matrix is
// stored and both are wanted, to that of list c. A list c gets its entries below c from the rows
// before c and the others from row c itself, so every list ascends without sorting.

#include "lyra/csr.h"
#include "solve/direct.h"

#include <math.h>
#include <stdatomic.h>

#define GATHER_GRAIN 65536

typedef struct Scan {
    LyColumns *columns;
    int64_t *next; // where the next entry of each list goes; counts in the first pass
    bool fill;
} Scan;

static void add(Scan *scan, int64_t list, int64_t index, int64_t source)
{
    int64_t place = scan->next[list]++;
    if (scan->fill) {
        scan->columns->index[place] = index;
        scan->columns->source[place] = source;
    }
}

static void visit_block(Scan *scan, const LyraBlockMatrix *matrix)
{
    LyraBlockPatternView view = lyra_block_pattern_view(lyra_block_matrix_pattern(matrix));
    bool lower = scan->columns->part == LY_COLUMNS_LOWER;
    bool mirror = !lower && view.storage == LYRA_STORAGE_UPPER;
    for (int32_t i = 0; i < view.row_count; ++i) {
        for (int64_t k = view.row_start[i]; k < view.row_start[i + 1]; ++k) {
            int32_t j = view.column[k];
            if (lower && j < i) {
                continue;
            }
            for (int32_t d = 0; d < 9; ++d) {
                int64_t r = 3 * (int64_t)i + d / 3, c = 3 * (int64_t)j + d % 3;
                if (lower && c < r) {
                    continue;
                }
                add(scan, r, c, 9 * k + d);
                if (mirror && j != i) {
                    add(scan, c, r, 9 * k + d);
                }
            }
        }
    }
}

static void visit_csr(Scan *scan, const LyraCsrMatrix *matrix)
{
    LyraCsrPatternView view = lyra_csr_pattern_view(lyra_csr_matrix_pattern(matrix));
    bool lower = scan->columns->part == LY_COLUMNS_LOWER;
    bool mirror = !lower && view.storage == LYRA_STORAGE_UPPER;
    for (int32_t r = 0; r < view.row_count; ++r) {
        int64_t k = view.row_start[r], end = view.row_start[r + 1];
        if (lower) {
            while (k < end && view.column[k] < r) {
                ++k;
            }
            if (k == end || view.column[k] != r) {
                add(scan, r, r, -1);
            }
        }
        for (; k < end; ++k) {
            int32_t c = view.column[k];
            add(scan, r, c, k);
            if (mirror && c != r) {
                add(scan, c, r, k);
            }
        }
    }
}

static void visit(Scan *scan, const LyraOperator *A)
{
    if (A->kind == LYRA_OPERATOR_BLOCK) {
        visit_block(scan, A->block);
    } else {
        visit_csr(scan, A->csr);
    }
}

static int64_t value_count(const LyraOperator *A)
{
    return A->kind == LYRA_OPERATOR_BLOCK
               ? 9 * lyra_block_pattern_view(lyra_block_matrix_pattern(A->block)).block_count
               : lyra_csr_pattern_view(lyra_csr_matrix_pattern(A->csr)).entry_count;
}

LyraStatus ly_columns_create(LyraContext *ctx, const LyraOperator *A, LyColumnsPart part,
                             LyColumns *out)
{
    LYRA_ASSERT(A->kind == LYRA_OPERATOR_BLOCK || A->kind == LYRA_OPERATOR_CSR);
    LyraStatus status = LYRA_OK;
    int32_t size = A->size;
    *out = (LyColumns){
        .ctx = ctx, .part = part, .kind = A->kind, .size = size, .source_count = value_count(A)};
    Scan scan = {.columns = out};
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)size + 1, sizeof(int64_t), &out->start));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, size, sizeof(int64_t), &scan.next));

    // count, then fill
    visit(&scan, A);
    for (int32_t i = 0; i < size; ++i) {
        int64_t count = scan.next[i];
        out->start[i] = scan.next[i] = out->count;
        out->count += count;
    }
    out->start[size] = out->count;
    LY_TRY_DONE(ly_allocate_array(ctx, out->count, sizeof(int64_t), &out->index));
    LY_TRY_DONE(ly_allocate_array(ctx, out->count, sizeof(int64_t), &out->source));
    LY_TRY_DONE(ly_allocate_array(ctx, out->count, sizeof(double), &out->values));
    scan.fill = true;
    visit(&scan, A);
done:
    ly_release(ctx, scan.next);
    if (status != LYRA_OK) {
        ly_columns_destroy(out);
    }
    return status;
}

void ly_columns_destroy(LyColumns *columns)
{
    if (columns->ctx) {
        ly_release(columns->ctx, columns->start);
        ly_release(columns->ctx, columns->index);
        ly_release(columns->ctx, columns->source);
        ly_release(columns->ctx, columns->values);
    }
    *columns = (LyColumns){0};
}

int64_t ly_columns_bytes(const LyColumns *columns)
{
    return columns->count * (int64_t)(2 * sizeof(int64_t) + sizeof(double)) +
           ((int64_t)columns->size + 1) * (int64_t)sizeof(int64_t);
}

typedef struct Gather {
    LyColumns *columns;
    const double *values;
    int32_t pieces;
    atomic_bool bad;
} Gather;

static void gather_piece(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    Gather *gather = data;
    const LyColumns *columns = gather->columns;
    const double *restrict from = gather->values;
    double *restrict to = columns->values;
    int64_t end = ly_piece_begin(columns->count, gather->pieces, index + 1);
    double zero = 0.0;
    for (int64_t k = ly_piece_begin(columns->count, gather->pieces, index); k < end; ++k) {
        int64_t source = columns->source[k];
        double value = source < 0 ? 0.0 : from[source];
        to[k] = value;
        // NaN from here on once a value is NaN or infinite
        zero += 0.0 * value;
    }
    if (zero != 0.0) {
        atomic_store_explicit(&gather->bad, true, memory_order_relaxed);
    }
}

LyraStatus ly_columns_gather(LyColumns *columns, const LyraOperator *A)
{
    if (A->kind != columns->kind || A->size != columns->size ||
        value_count(A) != columns->source_count) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "the matrix is not on the analyzed pattern: %d unknowns and %lld values, "
                       "expected %d and %lld",
                       A->size, (long long)value_count(A), columns->size,
                       (long long)columns->source_count);
    }
    Gather gather = {
        .columns = columns,
        .values = A->kind == LYRA_OPERATOR_BLOCK ? lyra_block_matrix_values(A->block)
                                                 : lyra_csr_matrix_values(A->csr),
        .pieces = ly_piece_count(columns->count, GATHER_GRAIN),
    };
    ly_parallel_for(columns->ctx, gather.pieces, gather_piece, &gather);
    if (atomic_load_explicit(&gather.bad, memory_order_relaxed)) {
        return ly_fail(LYRA_NOT_FINITE, "the matrix has an entry that is not finite");
    }
    return LYRA_OK;
}
