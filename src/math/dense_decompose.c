// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Singular values and eigenvalues, and what follows from the singular values: least squares, the
// pseudo-inverse and principal components.
//
// Matrices are scaled by a power of two first, so that huge and tiny ones neither overflow nor
// underflow on the way.
//
// Generalised problem A x = l B x. With S B S = L L^T (S powers of two) and x = S L^-T y it becomes
// C y = l y, C = L^-1 (S A S) L^-T; y^T y = 1 makes x^T B x = 1.
//
// Least squares and pseudo-inverse. A = U diag(s) V^T, A^+ = V diag(1/s) U^T over the singular
// values above rcond times the largest.
//
// Principal components. With row weights m and sample weights w, Y = diag(m)^1/2 (X - mean)
// diag(w)^1/2 = U diag(s) V^T; the components are diag(m)^-1/2 U, the variances s^2 / sum w.

#include "math/dense.h"
#include "math/dense_tiles.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

static void copy_out(int64_t count, const double *from, double *to)
{
    if (to && count > 0) {
        memcpy(to, from, (size_t)count * sizeof *to);
    }
}

static void copy_scaled(int64_t count, double scale, const double *from, double *to)
{
    LYRA_ASSERT(count == 0 || (from && to));
    for (int64_t i = 0; i < count; ++i) {
        to[i] = scale * from[i];
    }
}

// ---- singular values ----------------------------------------------------------------------------

LyraStatus lyra_dense_svd(LyraContext *ctx, int32_t rows, int32_t columns, const double *A,
                          double *U, double *s, double *V)
{
    LYRA_ASSERT(ctx);
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_dense_check("singular values", rows, columns, A));
    int32_t k = rows < columns ? rows : columns;
    if (k == 0) {
        return LYRA_OK;
    }
    LYRA_ASSERT(A && s);
    int64_t count = (int64_t)rows * columns;
    int64_t U_count = U ? (int64_t)rows * k : 0, V_count = V ? (int64_t)columns * k : 0;
    double *work = NULL;
    LY_TRY(ly_allocate_array(ctx, count + U_count + V_count + k, sizeof *work, &work));
    double *U_new = work + count, *V_new = U_new + U_count, *s_new = V_new + V_count;

    double scale = ly_dense_scale(count, A);
    copy_scaled(count, scale, A, work);
    LY_TRY_DONE(ly_dense_type(ctx)->svd(ctx, rows, columns, work, U ? U_new : NULL, s_new,
                                        V ? V_new : NULL));
    copy_scaled(k, 1 / scale, s_new, s_new);
    LY_TRY_DONE(ly_dense_check_result("singular values", k, s_new));
    if (V) {
        ly_dense_fix_signs(columns, k, V_new, rows, U ? U_new : NULL);
    } else if (U) {
        ly_dense_fix_signs(rows, k, U_new, 0, NULL);
    }
    copy_out(U_count, U_new, U);
    copy_out(V_count, V_new, V);
    copy_out(k, s_new, s);
done:
    ly_release(ctx, work);
    return status;
}

// ---- eigenvalues --------------------------------------------------------------------------------

/// Eigenvalues and vectors of the full symmetric matrix A, in place, scaled on the way.
static LyraStatus eigen_in_place(LyraContext *ctx, int32_t size, double *A, double *values,
                                 bool vectors)
{
    int64_t square = (int64_t)size * size;
    double scale = ly_dense_scale(square, A);
    copy_scaled(square, scale, A, A);
    LY_TRY(ly_dense_type(ctx)->eigen(ctx, size, A, values, vectors));
    copy_scaled(size, 1 / scale, values, values);
    return ly_dense_check_result("eigenvalues", size, values);
}

LyraStatus lyra_dense_eigen(LyraContext *ctx, int32_t size, const double *A, double *values,
                            double *vectors)
{
    LYRA_ASSERT(ctx);
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_dense_check_lower("eigenvalues", size, A));
    if (size == 0) {
        return LYRA_OK;
    }
    int64_t square = (int64_t)size * size;
    double *work = NULL;
    LY_TRY(ly_allocate_array(ctx, square + size, sizeof *work, &work));
    double *values_new = work + square;
    ly_dense_fill_symmetric(size, 1, A, work);
    LY_TRY_DONE(eigen_in_place(ctx, size, work, values_new, vectors != NULL));
    if (vectors) {
        ly_dense_fix_signs(size, size, work, 0, NULL);
        copy_out(square, work, vectors);
    }
    copy_out(size, values_new, values);
done:
    ly_release(ctx, work);
    return status;
}

static int exponent_of(double x)
{
    int exponent = 0;
    frexp(x, &exponent);
    return exponent;
}

/// C = S A S / 2^e, with both halves filled, for powers of two S and an e, returned, that brings
/// the largest entry to about 1. S A S itself might overflow.
static int congruence(int32_t size, const double *A, const double *S, double *C)
{
    int largest = INT_MIN;
    for (int32_t j = 0; j < size; ++j) {
        for (int32_t i = j; i < size; ++i) {
            double a = A[i + (int64_t)j * size];
            int exponent = exponent_of(a) + exponent_of(S[i]) + exponent_of(S[j]);
            largest = a != 0 && exponent > largest ? exponent : largest;
        }
    }
    largest = largest == INT_MIN ? 0 : largest;
    for (int32_t j = 0; j < size; ++j) {
        for (int32_t i = j; i < size; ++i) {
            int shift = exponent_of(S[i]) - 1 + exponent_of(S[j]) - 1 - largest;
            double entry = ldexp(A[i + (int64_t)j * size], shift);
            C[i + (int64_t)j * size] = C[j + (int64_t)i * size] = entry;
        }
    }
    return largest;
}

LyraStatus lyra_dense_eigen_generalised(LyraContext *ctx, int32_t size, const double *A,
                                        const double *B, double *values, double *vectors)
{
    LYRA_ASSERT(ctx);
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_dense_check_lower("generalised eigenvalues, A", size, A));
    LY_TRY(ly_dense_check_lower("generalised eigenvalues, B", size, B));
    if (size == 0) {
        return LYRA_OK;
    }
    const LyDenseType *type = ly_dense_type(ctx);
    int64_t square = (int64_t)size * size;
    double *work = NULL;
    LyraDenseFactor *factor = NULL;
    LY_TRY_DONE(lyra_dense_factor_create(ctx, LYRA_FACTOR_CHOLESKY, size, B, &factor));
    bool tiled = ly_dense_factor_is_tiled(factor);
    LY_TRY_DONE(ly_allocate_array(ctx, (tiled ? 3 : 2) * square + size, sizeof *work, &work));
    double *C = work, *half = C + square, *values_new = half + square;
    const double *L = factor->now.values, *S = factor->now.row_scale;
    if (tiled) {
        double *unpacked = values_new + size;
        ly_dense_tiles_unpack(size, factor->now.values, unpacked);
        L = unpacked;
    }

    int exponent = congruence(size, A, S, C);
    // L^-1 (S A S), then L^-1 of its transpose
    type->solve_triangle(false, false, false, size, size, L, C);
    ly_dense_transpose(size, size, C, half);
    type->solve_triangle(false, false, false, size, size, L, half);
    LY_TRY_DONE(ly_dense_check_result("generalised eigenvalues", square, half));
    // the mean of both halves
    for (int32_t j = 0; j < size; ++j) {
        for (int32_t i = j; i < size; ++i) {
            double mean = 0.5 * half[i + (int64_t)j * size] + 0.5 * half[j + (int64_t)i * size];
            C[i + (int64_t)j * size] = C[j + (int64_t)i * size] = mean;
        }
    }
    LY_TRY_DONE(eigen_in_place(ctx, size, C, values_new, vectors != NULL));
    for (int32_t i = 0; i < size; ++i) {
        values_new[i] = ldexp(values_new[i], exponent);
    }
    LY_TRY_DONE(ly_dense_check_result("generalised eigenvalues", size, values_new));
    if (vectors) {
        type->solve_triangle(false, true, false, size, size, L, C);
        for (int32_t j = 0; j < size; ++j) {
            for (int32_t i = 0; i < size; ++i) {
                C[i + (int64_t)j * size] *= S[i];
            }
        }
        LY_TRY_DONE(ly_dense_check_result("generalised eigenvectors", square, C));
        ly_dense_fix_signs(size, size, C, 0, NULL);
        copy_out(square, C, vectors);
    }
    copy_out(size, values_new, values);
done:
    ly_release(ctx, work);
    lyra_dense_factor_destroy(factor);
    return status;
}

// ---- least squares and pseudo-inverse -----------------------------------------------------------

/// X = A^+ B; with B NULL, X = A^+.
static LyraStatus solve_truncated(LyraContext *ctx, const char *what, LyraDenseView A,
                                  int32_t rhs_count, const double *B, double rcond, double *X,
                                  int32_t *rank_out)
{
    const int32_t rows = A.rows, columns = A.columns;
    LyraStatus status = LYRA_OK;
    if (isnan(rcond)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "%s: rcond is not a number", what);
    }
    if (rcond < 0) {
        rcond = (rows > columns ? rows : columns) * DBL_EPSILON;
    }
    const LyDenseType *type = ly_dense_type(ctx);
    int32_t k = rows < columns ? rows : columns, rank = 0;
    int64_t U_count = (int64_t)rows * k, V_count = (int64_t)columns * k;
    int64_t Y_count = (int64_t)k * rhs_count, X_count = (int64_t)columns * rhs_count;
    double *work = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, U_count + V_count + k + Y_count + X_count, sizeof *work, &work));
    double *U = work, *V = U + U_count, *s = V + V_count, *Y = s + k, *X_new = Y + Y_count;
    LY_TRY_DONE(lyra_dense_svd(ctx, rows, columns, A.values, U, s, V));
    while (rank < k && s[rank] > 0 && s[rank] > rcond * s[0]) {
        ++rank;
    }
    if (rank > 0 && rhs_count > 0) {
        // Y = U^T B over the singular vectors kept
        if (B) {
            type->multiply(&(LyraDenseProduct){.A_transposed = true,
                                               .rows = rank,
                                               .columns = rhs_count,
                                               .inner = rows,
                                               .alpha = 1,
                                               .A = U,
                                               .A_stride = rows,
                                               .B = B,
                                               .B_stride = rows,
                                               .C = Y,
                                               .C_stride = rank});
        } else {
            for (int32_t j = 0; j < rows; ++j) {
                for (int32_t i = 0; i < rank; ++i) {
                    Y[i + (int64_t)j * rank] = U[j + (int64_t)i * rows];
                }
            }
        }
        for (int32_t j = 0; j < rhs_count; ++j) {
            for (int32_t i = 0; i < rank; ++i) {
                Y[i + (int64_t)j * rank] /= s[i];
            }
        }
        type->multiply(&(LyraDenseProduct){.rows = columns,
                                           .columns = rhs_count,
                                           .inner = rank,
                                           .alpha = 1,
                                           .A = V,
                                           .A_stride = columns,
                                           .B = Y,
                                           .B_stride = rank,
                                           .C = X_new,
                                           .C_stride = columns});
    }
    LY_TRY_DONE(ly_dense_check_result(what, X_count, X_new));
    copy_out(X_count, X_new, X);
    if (rank_out) {
        *rank_out = rank;
    }
done:
    ly_release(ctx, work);
    return status;
}

LyraStatus lyra_dense_least_squares(LyraContext *ctx, LyraDenseView A, int32_t rhs_count,
                                    const double *B, double rcond, double *X, int32_t *rank)
{
    LYRA_ASSERT(ctx);
    LY_TRY(ly_dense_check("least squares", A.rows, A.columns, A.values));
    LY_TRY(ly_dense_check("least squares, right-hand side", A.rows, rhs_count, B));
    LY_TRY(ly_dense_check_size("least squares, solution", A.columns, rhs_count));
    return solve_truncated(ctx, "least squares", A, rhs_count, B, rcond, X, rank);
}

LyraStatus lyra_dense_pseudo_inverse(LyraContext *ctx, int32_t rows, int32_t columns,
                                     const double *A, double rcond, double *inverse, int32_t *rank)
{
    LYRA_ASSERT(ctx);
    LY_TRY(ly_dense_check("pseudo-inverse", rows, columns, A));
    return solve_truncated(ctx, "pseudo-inverse", (LyraDenseView){rows, columns, A}, rows, NULL,
                           rcond, inverse, rank);
}

// ---- principal components -----------------------------------------------------------------------

LyraPcaDef lyra_pca_def_default(void)
{
    return (LyraPcaDef){.centred = true, .cookie = LY_DEF_COOKIE};
}

/// Checks the weights and adds up those of the samples.
static LyraStatus check_weights(const LyraPcaDef *def, int32_t rows, int32_t samples, double *total)
{
    double sum = def->sample_weights ? 0 : samples;
    for (int32_t j = 0; def->sample_weights && j < samples; ++j) {
        if (!(def->sample_weights[j] >= 0)) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "principal components: the weight of sample %d is not 0 or more", j);
        }
        sum += def->sample_weights[j];
    }
    for (int32_t i = 0; def->row_weights && i < rows; ++i) {
        if (!(def->row_weights[i] > 0) || isinf(def->row_weights[i])) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "principal components: the weight of row %d is not positive", i);
        }
    }
    if (samples > 0 && !(sum > 0 && isfinite(sum))) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "principal components: the weights of the samples do not add up to a "
                       "positive number");
    }
    *total = sum;
    return LYRA_OK;
}

LyraStatus lyra_dense_pca(LyraContext *ctx, const LyraPcaDef *def, int32_t rows, int32_t samples,
                          const double *data, double *mean, double *components, double *variances)
{
    LYRA_ASSERT(ctx);
    LyraPcaDef defaults = lyra_pca_def_default();
    def = def ? def : &defaults;
    LY_CHECK_DEF(def, "lyra_pca_def_default");
    LyraStatus status = LYRA_OK;
    double total = 0;
    LY_TRY(ly_dense_check("principal components", rows, samples, data));
    LY_TRY(check_weights(def, rows, samples, &total));
    int32_t k = rows < samples ? rows : samples;
    if (k <= 0) {
        for (int32_t i = 0; mean && i < rows; ++i) {
            mean[i] = 0;
        }
        return LYRA_OK;
    }
    int64_t count = (int64_t)rows * samples, U_count = (int64_t)rows * k;
    double *work = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, count + U_count + rows + k, sizeof *work, &work));
    double *Y = work, *U = Y + count, *mean_new = U + U_count, *s = mean_new + rows;
    const double *w = def->sample_weights, *m = def->row_weights;

    for (int32_t j = 0; def->centred && j < samples; ++j) {
        double share = (w ? w[j] : 1) / total;
        for (int32_t i = 0; i < rows; ++i) {
            mean_new[i] += share * data[i + (int64_t)j * rows];
        }
    }
    for (int32_t j = 0; j < samples; ++j) {
        double share = sqrt((w ? w[j] : 1) / total);
        for (int32_t i = 0; i < rows; ++i) {
            int64_t at = i + (int64_t)j * rows;
            Y[at] = share * (data[at] - mean_new[i]) * (m ? sqrt(m[i]) : 1);
        }
    }
    LY_TRY_DONE(ly_dense_check_result("principal components", count, Y));
    LY_TRY_DONE(lyra_dense_svd(ctx, rows, samples, Y, components ? U : NULL, s, NULL));
    for (int32_t i = 0; i < k; ++i) {
        s[i] *= s[i];
    }
    LY_TRY_DONE(ly_dense_check_result("principal components", k, s));
    if (components) {
        for (int32_t j = 0; m && j < k; ++j) {
            for (int32_t i = 0; i < rows; ++i) {
                U[i + (int64_t)j * rows] /= sqrt(m[i]);
            }
        }
        ly_dense_fix_signs(rows, k, U, 0, NULL);
        copy_out(U_count, U, components);
    }
    copy_out(rows, mean_new, mean);
    copy_out(k, s, variances);
done:
    ly_release(ctx, work);
    return status;
}
