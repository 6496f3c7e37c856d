// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The solver "dense": Cholesky, LDL^T or LU of the whole matrix, for dense operators and for sparse
// ones that are small.
//
// A matrix not known to be symmetric takes LU with partial pivoting. A symmetric one takes
// Cholesky; if it is not positive definite, the settings decide: refuse, LDL^T by Bunch and
// Kaufman, or a shift A + t diag|A| with t = 1e-3, 1e-2, ... until Cholesky goes through.

#include "lyra/dense.h"

#include "lyra/csr.h"
#include "solve/solve.h"

#include <math.h>
#include <string.h>

// beyond this the factor alone has 3.2 GB and takes minutes
#define SIZE_MAX_DENSE 20000

#define SHIFT_FIRST 1e-3
#define SHIFT_LAST 1e3

typedef struct Dense {
    LyraContext *ctx;
    LyraIndefinite indefinite;
    int32_t size;
    double *matrix;   // [size][size]
    double *diagonal; // [size]
    LyraFactorKind kind;
    LyraDenseFactor *factor; // NULL: none
} Dense;

static void destroy(void *self)
{
    Dense *dense = self;
    lyra_dense_factor_destroy(dense->factor);
    ly_release(dense->ctx, dense->matrix);
    ly_release(dense->ctx, dense->diagonal);
    ly_release(dense->ctx, dense);
}

static LyraStatus create(LyraContext *ctx, const LyraSolverDef *def, void **self)
{
    Dense *dense = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *dense, &dense));
    dense->ctx = ctx;
    dense->indefinite = def->indefinite;
    *self = dense;
    return LYRA_OK;
}

static LyraStatus analyze(void *self, const LyraOperator *A, const LyraConstraints *constraints)
{
    (void)constraints;
    Dense *dense = self;
    if (A->size > SIZE_MAX_DENSE) {
        return ly_fail(LYRA_TOO_LARGE, "dense: %d unknowns, at most %d", (int)A->size,
                       SIZE_MAX_DENSE);
    }
    int64_t count = (int64_t)A->size * A->size;
    LY_TRY(ly_resize_array(dense->ctx, count, sizeof(double), &dense->matrix));
    LY_TRY(ly_resize_array(dense->ctx, A->size, sizeof(double), &dense->diagonal));
    lyra_dense_factor_destroy(dense->factor);
    dense->factor = NULL;
    dense->size = A->size;
    return LYRA_OK;
}

// ---- values -------------------------------------------------------------------------------------

static void fill_block(const LyraBlockMatrix *source, int64_t size, double *matrix)
{
    LyraBlockPatternView view = lyra_block_pattern_view(lyra_block_matrix_pattern(source));
    const double *values = lyra_block_matrix_values(source);
    for (int64_t i = 0; i < view.row_count; ++i) {
        for (int64_t k = view.row_start[i]; k < view.row_start[i + 1]; ++k) {
            for (int64_t e = 0; e < 9; ++e) {
                int64_t row = 3 * i + e / 3, column = 3 * (int64_t)view.column[k] + e % 3;
                matrix[row + column * size] = values[9 * k + e];
                if (view.storage == LYRA_STORAGE_UPPER && view.column[k] != i) {
                    matrix[column + row * size] = values[9 * k + e];
                }
            }
        }
    }
}

static void fill_csr(const LyraCsrMatrix *source, int64_t size, double *matrix)
{
    LyraCsrPatternView view = lyra_csr_pattern_view(lyra_csr_matrix_pattern(source));
    const double *values = lyra_csr_matrix_values(source);
    for (int64_t i = 0; i < view.row_count; ++i) {
        for (int64_t k = view.row_start[i]; k < view.row_start[i + 1]; ++k) {
            matrix[i + view.column[k] * size] = values[k];
            if (view.storage == LYRA_STORAGE_UPPER) {
                matrix[view.column[k] + i * size] = values[k];
            }
        }
    }
}

static void fill(Dense *dense, const LyraOperator *A)
{
    size_t bytes = (size_t)A->size * (size_t)A->size * sizeof(double);
    switch (A->kind) {
    case LYRA_OPERATOR_BLOCK:
        memset(dense->matrix, 0, bytes);
        fill_block(A->block, A->size, dense->matrix);
        break;
    case LYRA_OPERATOR_CSR:
        memset(dense->matrix, 0, bytes);
        fill_csr(A->csr, A->size, dense->matrix);
        break;
    case LYRA_OPERATOR_DENSE:
    case LYRA_OPERATOR_CALLBACK:
        memcpy(dense->matrix, A->dense, bytes);
        break;
    }
}

// ---- factors ------------------------------------------------------------------------------------

static LyraStatus factor_kind(Dense *dense, LyraFactorKind kind)
{
    if (dense->factor && dense->kind == kind) {
        return lyra_dense_factor_update(dense->factor, dense->matrix);
    }
    lyra_dense_factor_destroy(dense->factor);
    dense->factor = NULL;
    dense->kind = kind;
    return lyra_dense_factor_create(dense->ctx, kind, dense->size, dense->matrix, &dense->factor);
}

// Cholesky of A + t diag|A| with growing t; where the diagonal is zero, its largest entry serves
static LyraStatus factor_shifted(Dense *dense, LyraSolveReport *report)
{
    int64_t size = dense->size;
    double largest = 0.0;
    for (int64_t i = 0; i < size; ++i) {
        dense->diagonal[i] = dense->matrix[i + i * size];
        largest = fmax(largest, fabs(dense->diagonal[i]));
    }
    largest = largest > 0.0 ? largest : 1.0;
    LyraStatus status = LYRA_NOT_POSITIVE_DEFINITE;
    for (double t = SHIFT_FIRST; t <= SHIFT_LAST && status == LYRA_NOT_POSITIVE_DEFINITE; t *= 10) {
        for (int64_t i = 0; i < size; ++i) {
            double a = dense->diagonal[i];
            dense->matrix[i + i * size] = a + t * (a != 0.0 ? fabs(a) : largest);
        }
        report->shift = t;
        status = factor_kind(dense, LYRA_FACTOR_CHOLESKY);
    }
    return status;
}

static LyraStatus factor(void *self, const LyraOperator *A, LyraSolveReport *report)
{
    Dense *dense = self;
    fill(dense, A);
    report->factor_entries = (int64_t)A->size * A->size;
    bool ldl = dense->indefinite == LYRA_INDEFINITE_LDL;
    LyraFactorKind kind = !A->symmetric ? LYRA_FACTOR_LU
                          : ldl         ? LYRA_FACTOR_LDL
                                        : LYRA_FACTOR_CHOLESKY;
    LyraStatus status = factor_kind(dense, kind);
    if (status == LYRA_SINGULAR) {
        report->definiteness = LYRA_DEFINITENESS_SINGULAR;
    }
    if (status == LYRA_NOT_POSITIVE_DEFINITE && dense->indefinite == LYRA_INDEFINITE_SHIFT) {
        report->definiteness = LYRA_DEFINITENESS_INDEFINITE;
        return factor_shifted(dense, report);
    }
    LY_TRY(status);
    if (kind != LYRA_FACTOR_LU) {
        LyraInertia inertia = {0};
        LY_TRY(lyra_dense_factor_inertia(dense->factor, &inertia));
        report->negative = inertia.negative;
        report->definiteness =
            inertia.negative ? LYRA_DEFINITENESS_INDEFINITE : LYRA_DEFINITENESS_POSITIVE;
    }
    return LYRA_OK;
}

static LyraStatus solve(void *self, int32_t columns, const double *B, bool warm, double *X,
                        LyraSolveReport *report)
{
    (void)warm;
    (void)report;
    const Dense *dense = self;
    return lyra_dense_factor_solve(dense->factor, columns, B, X);
}

static int64_t bytes(const void *self)
{
    const Dense *dense = self;
    int64_t numbers = (int64_t)dense->size * dense->size * (dense->factor ? 2 : 1) + dense->size;
    return (int64_t)sizeof *dense + numbers * (int64_t)sizeof(double);
}

const LyraSolverType ly_solver_dense = {
    .name = "dense",
    .traits = LYRA_SOLVES_BLOCK | LYRA_SOLVES_CSR | LYRA_SOLVES_DENSE | LYRA_SOLVES_UNSYMMETRIC |
              LYRA_SOLVES_INDEFINITE | LYRA_SOLVES_DIRECTLY,
    .create = create,
    .analyze = analyze,
    .factor = factor,
    .solve = solve,
    .bytes = bytes,
    .destroy = destroy,
};
