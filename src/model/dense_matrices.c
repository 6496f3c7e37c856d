// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The matrices of dense systems. A symmetric S is factored by Cholesky, so that one which is not
// positive definite is a status, as Newton's method wants it; any other by LU.

#include "model/system.h"

#include <math.h>
#include <string.h>

LyraStatus ly_dense_matrices_create(LyraContext *ctx, int32_t size, bool symmetric,
                                    LyDenseMatrices *out)
{
    LyDenseMatrices dense = {.ctx = ctx, .size = size, .symmetric = symmetric};
    double **arrays[5] = {&dense.M, &dense.C, &dense.K, &dense.S, &dense.work};
    LyraStatus status = LYRA_OK;
    for (int32_t i = 0; i < 5; ++i) {
        LY_TRY_DONE(ly_allocate_zeroed(ctx, (int64_t)size * size, sizeof(double), arrays[i]));
    }
    LY_TRY_DONE(ly_allocate_zeroed(ctx, size, sizeof(double), &dense.r));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, size, sizeof(double), &dense.s));
    *out = dense;
    return LYRA_OK;
done:
    ly_dense_matrices_destroy(&dense);
    return status;
}

void ly_dense_matrices_destroy(LyDenseMatrices *dense)
{
    LyraContext *ctx = dense->ctx;
    lyra_dense_factor_destroy(dense->factor);
    ly_release(ctx, dense->M);
    ly_release(ctx, dense->C);
    ly_release(ctx, dense->K);
    ly_release(ctx, dense->S);
    ly_release(ctx, dense->work);
    ly_release(ctx, dense->r);
    ly_release(ctx, dense->s);
    *dense = (LyDenseMatrices){0};
}

LyraStatus ly_dense_matrices_form(LyDenseMatrices *dense, double a, double b, double c)
{
    int64_t count = (int64_t)dense->size * dense->size;
    for (int64_t i = 0; i < count; ++i) {
        dense->S[i] = a * dense->M[i] + b * dense->C[i] + c * dense->K[i];
    }
    double start = ly_time();
    LyraFactorKind kind = dense->symmetric ? LYRA_FACTOR_CHOLESKY : LYRA_FACTOR_LU;
    LyraStatus status = dense->factor ? lyra_dense_factor_update(dense->factor, dense->S)
                                      : lyra_dense_factor_create(dense->ctx, kind, dense->size,
                                                                 dense->S, &dense->factor);
    dense->factor_seconds = ly_time() - start;
    return status;
}

void ly_dense_matrices_apply(const LyDenseMatrices *dense, const double *A, const LyraVector *x,
                             LyraVector *y)
{
    // sizes were checked, so it cannot fail
    (void)lyra_dense_apply(dense->ctx, false, 1, (LyraDenseView){dense->size, dense->size, A},
                           lyra_vector_values(x), 0, lyra_vector_values_mutable(y));
}

LyraStatus ly_dense_matrices_solve(LyDenseMatrices *dense, const LyraVector *b, LyraVector *x,
                                   LyraSolveReport *report)
{
    int32_t n = dense->size;
    double start = ly_time(), *r = dense->r, *s = dense->s;
    *report = (LyraSolveReport){.solver = "dense", .preconditioner = ""};
    report->factor_seconds = dense->factor_seconds;
    memcpy(r, lyra_vector_values(b), (size_t)n * sizeof *r);
    double size = 0, left = 0;
    for (int32_t i = 0; i < n; ++i) {
        size = hypot(size, r[i]);
    }
    LY_TRY(lyra_dense_factor_solve(dense->factor, 1, r, s));
    LY_TRY(lyra_dense_apply(dense->ctx, false, -1, (LyraDenseView){n, n, dense->S}, s, 1, r));
    for (int32_t i = 0; i < n; ++i) {
        left = hypot(left, r[i]);
    }
    memcpy(lyra_vector_values_mutable(x), s, (size_t)n * sizeof *s);
    report->definiteness =
        dense->symmetric ? LYRA_DEFINITENESS_POSITIVE : LYRA_DEFINITENESS_UNKNOWN;
    report->residual = size > 0 ? left / size : 0;
    report->solve_seconds = ly_time() - start;
    report->factor_entries = (int64_t)n * n;
    report->bytes = 6 * (int64_t)n * n * (int64_t)sizeof(double);
    return LYRA_OK;
}

LyraStatus ly_dense_make_psd(LyraContext *ctx, int32_t size, double *A)
{
    LyraStatus status = LYRA_OK;
    double *values = NULL, *vectors = NULL;
    LY_TRY_DONE(ly_allocate_array(ctx, size, sizeof *values, &values));
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)size * size, sizeof *vectors, &vectors));
    for (int32_t j = 0; j < size; ++j) {
        for (int32_t i = 0; i < j; ++i) {
            double *upper = A + i + (int64_t)j * size, *lower = A + j + (int64_t)i * size;
            *upper = *lower = 0.5 * (*upper + *lower);
        }
    }
    LY_TRY_DONE(lyra_dense_eigen(ctx, size, A, values, vectors));
    // A minus its negative part, vector by vector
    for (int32_t k = 0; k < size && values[k] < 0; ++k) {
        const double *q = vectors + (int64_t)k * size;
        for (int32_t j = 0; j < size; ++j) {
            for (int32_t i = 0; i < size; ++i) {
                A[i + (int64_t)j * size] -= values[k] * q[i] * q[j];
            }
        }
    }
done:
    ly_release(ctx, values);
    ly_release(ctx, vectors);
    return status;
}
