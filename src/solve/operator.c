// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Matrices as solvers see them: one struct over blocks, scalars, dense arrays and callbacks, and
// what the front end asks of each: products, the size of the diagonal, entries that are no numbers.

#include "solve/front.h"
#include "solve/vector_kernels.h"

#include <math.h>
#include <string.h>

// numbers of a piece when values are looked through
#define VECTOR_GRAIN 8192
// of matrices, whose next loops run on one thread below this
#define MATRIX_GRAIN 65536

LyraOperator lyra_operator_block(const LyraBlockMatrix *matrix, bool symmetric)
{
    LYRA_ASSERT(matrix);
    LyraBlockPatternView view = lyra_block_pattern_view(lyra_block_matrix_pattern(matrix));
    return (LyraOperator){.kind = LYRA_OPERATOR_BLOCK,
                          .size = view.row_count <= INT32_MAX / 3 ? 3 * view.row_count : -1,
                          .symmetric = symmetric || view.storage == LYRA_STORAGE_UPPER,
                          .block = matrix};
}

LyraOperator lyra_operator_csr(const LyraCsrMatrix *matrix, bool symmetric)
{
    LYRA_ASSERT(matrix);
    LyraCsrPatternView view = lyra_csr_pattern_view(lyra_csr_matrix_pattern(matrix));
    return (LyraOperator){.kind = LYRA_OPERATOR_CSR,
                          .size = view.row_count,
                          .symmetric = symmetric || view.storage == LYRA_STORAGE_UPPER,
                          .csr = matrix};
}

LyraOperator lyra_operator_dense(int32_t size, const double *values, bool symmetric)
{
    LYRA_ASSERT(values || size == 0);
    return (LyraOperator){
        .kind = LYRA_OPERATOR_DENSE, .size = size, .symmetric = symmetric, .dense = values};
}

LyraOperator lyra_operator_callback(int32_t size, bool symmetric,
                                    void (*apply)(void *user, const double *x, double *y),
                                    void *user, const double *diagonal)
{
    LYRA_ASSERT(apply);
    return (LyraOperator){.kind = LYRA_OPERATOR_CALLBACK,
                          .size = size,
                          .symmetric = symmetric,
                          .apply = apply,
                          .user = user,
                          .diagonal = diagonal};
}

static void apply_dense(int32_t size, const double *A, const double *x, double *y)
{
    memset(y, 0, (size_t)size * sizeof *y);
    for (int32_t j = 0; j < size; ++j) {
        const double *column = A + (int64_t)j * size;
        double xj = x[j];
        for (int32_t i = 0; i < size; ++i) {
            y[i] += column[i] * xj;
        }
    }
}

void lyra_operator_apply(const LyraOperator *A, const double *x, double *y)
{
    LYRA_ASSERT(A && ((x && y) || A->size == 0));
    switch (A->kind) {
    case LYRA_OPERATOR_BLOCK:
        lyra_block_matrix_multiply(A->block, x, y);
        break;
    case LYRA_OPERATOR_CSR:
        lyra_csr_matrix_multiply(A->csr, x, y);
        break;
    case LYRA_OPERATOR_DENSE:
        apply_dense(A->size, A->dense, x, y);
        break;
    case LYRA_OPERATOR_CALLBACK:
        A->apply(A->user, x, y);
        break;
    }
}

bool ly_operator_diagonal(const LyraOperator *A, double *diagonal)
{
    switch (A->kind) {
    case LYRA_OPERATOR_BLOCK:
        lyra_block_matrix_diagonal(A->block, diagonal);
        return true;
    case LYRA_OPERATOR_CSR:
        lyra_csr_matrix_diagonal(A->csr, diagonal);
        return true;
    case LYRA_OPERATOR_DENSE:
        for (int32_t i = 0; i < A->size; ++i) {
            diagonal[i] = A->dense[(int64_t)i * A->size + i];
        }
        return true;
    case LYRA_OPERATOR_CALLBACK:
        if (A->diagonal) {
            memcpy(diagonal, A->diagonal, (size_t)A->size * sizeof(double));
        }
        return A->diagonal != NULL;
    }
    return false;
}

// ---- numbers that are none ----------------------------------------------------------------------

typedef struct FiniteJob {
    const LyVectorKernels *kernels;
    const double *values;
    int64_t count;
    int32_t pieces;
    int64_t bad[256]; // first bad entry of each piece, -1: none
} FiniteJob;

static void finite_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    FiniteJob *job = data;
    int64_t begin = ly_piece_begin(job->count, job->pieces, index);
    int64_t end = ly_piece_begin(job->count, job->pieces, index + 1);
    int64_t first = begin;
    if (!job->kernels->is_finite(end - begin, job->values + begin)) {
        while (isfinite(job->values[first])) {
            ++first;
        }
        job->bad[index] = first;
    } else {
        job->bad[index] = -1;
    }
}

static int64_t find_not_finite(LyraContext *ctx, int64_t grain, int64_t count, const double *values)
{
    static const LyVectorKernels *const all[] = LY_KERNEL_TABLE(&ly_vector_kernels);
    FiniteJob job = {all[lyra_context_isa(ctx)], values, count, ly_piece_count(count, grain), {0}};
    if (job.pieces > LY_COUNT_OF(job.bad)) {
        job.pieces = LY_COUNT_OF(job.bad);
    }
    ly_parallel_for(ctx, job.pieces, finite_task, &job);
    for (int32_t p = 0; p < job.pieces; ++p) {
        if (job.bad[p] >= 0) {
            return job.bad[p];
        }
    }
    return -1;
}

int64_t ly_find_not_finite(LyraContext *ctx, int64_t count, const double *values)
{
    return find_not_finite(ctx, VECTOR_GRAIN, count, values);
}

static int32_t row_of(const int64_t *row_start, int32_t row_count, int64_t place)
{
    int32_t low = 0, high = row_count;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (row_start[middle] <= place) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static LyraStatus fail_entry(const int32_t *labels, int64_t row, int64_t column, double value)
{
    return ly_fail(LYRA_NOT_FINITE, "matrix: entry (%lld, %lld), at vertices %lld and %lld, is %g",
                   (long long)ly_unknown_label(labels, row),
                   (long long)ly_unknown_label(labels, column),
                   (long long)ly_vertex_label(labels, row / 3),
                   (long long)ly_vertex_label(labels, column / 3), value);
}

LyraStatus ly_operator_check_finite(LyraContext *ctx, const LyraOperator *A, const int32_t *labels)
{
    switch (A->kind) {
    case LYRA_OPERATOR_BLOCK: {
        LyraBlockPatternView view = lyra_block_pattern_view(lyra_block_matrix_pattern(A->block));
        const double *values = lyra_block_matrix_values(A->block);
        int64_t bad = find_not_finite(ctx, MATRIX_GRAIN, 9 * view.block_count, values);
        if (bad >= 0) {
            int64_t row = row_of(view.row_start, view.row_count, bad / 9);
            return fail_entry(labels, 3 * row + bad % 9 / 3,
                              3 * (int64_t)view.column[bad / 9] + bad % 3, values[bad]);
        }
        return LYRA_OK;
    }
    case LYRA_OPERATOR_CSR: {
        LyraCsrPatternView view = lyra_csr_pattern_view(lyra_csr_matrix_pattern(A->csr));
        const double *values = lyra_csr_matrix_values(A->csr);
        int64_t bad = find_not_finite(ctx, MATRIX_GRAIN, view.entry_count, values);
        return bad < 0 ? LYRA_OK
                       : fail_entry(labels, row_of(view.row_start, view.row_count, bad),
                                    view.column[bad], values[bad]);
    }
    case LYRA_OPERATOR_DENSE: {
        int64_t bad = find_not_finite(ctx, MATRIX_GRAIN, (int64_t)A->size * A->size, A->dense);
        return bad < 0 ? LYRA_OK : fail_entry(labels, bad % A->size, bad / A->size, A->dense[bad]);
    }
    case LYRA_OPERATOR_CALLBACK: {
        int64_t bad = A->diagonal ? ly_find_not_finite(ctx, A->size, A->diagonal) : -1;
        return bad < 0 ? LYRA_OK : fail_entry(labels, bad, bad, A->diagonal[bad]);
    }
    }
    return LYRA_OK;
}
