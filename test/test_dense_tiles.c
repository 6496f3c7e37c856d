// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Cholesky factors in tiles: against the plain ones of both implementations, at and around the
// edges of tiles, on every instruction set and any number of threads.

#include "dense_test.h"
#include "math/dense_tiles.h"

#include <stdio.h>

#define TILE LY_DENSE_TILE

/// Positive definite with condition about 1e4: R R^T of rank 8, and a diagonal from 0.1 to 1.
static double *create_definite(int32_t n, uint64_t seed)
{
    TestRandom random = test_random(seed);
    double *A = malloc((size_t)n * (size_t)n * sizeof *A), *R = malloc((size_t)n * 8 * sizeof *R);
    for (int32_t i = 0; i < 8 * n; ++i) {
        R[i] = test_random_normal(&random);
    }
    for (int64_t j = 0; j < n; ++j) {
        for (int64_t i = 0; i < n; ++i) {
            double sum = i == j ? 0.1 + 0.9 * ((7 * i) % 11) / 10.0 : 0.0;
            for (int32_t l = 0; l < 8; ++l) {
                sum += R[8 * i + l] * R[8 * j + l];
            }
            A[i + j * n] = sum;
        }
    }
    free(R);
    return A;
}

static double *take(int64_t count)
{
    double *numbers = aligned_alloc(64, ((size_t)count * sizeof(double) + 63) / 64 * 64);
    // what nobody wrote must not matter
    for (int64_t i = 0; i < count; ++i) {
        numbers[i] = NAN;
    }
    return numbers;
}

/// The tiles of L for a matrix, and the pivot that failed, if any.
static double *factor_in_tiles(LyraContext *ctx, int32_t n, const double *A, const double *scale,
                               int32_t *failed, double *norm)
{
    double *tiles = take(ly_dense_tiles_room(n)), *work = take((int64_t)LY_DENSE_LDL_WORK * n);
    *norm = ly_dense_tiles_scale(ctx, n, scale, A, tiles, work);
    *failed = ly_dense_tiles_factor(ctx, n, tiles);
    free(work);
    return tiles;
}

static const int32_t sizes[] = {
    1, 2, 7, 8, TILE - 1, TILE, TILE + 1, 2 * TILE, 2 * TILE + 1, 3 * TILE - 5, 4 * TILE + 9};

LYRA_TEST(tiles_agree_with_the_plain_factor)
{
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(2, isa);
        for (int32_t s = 0; s < LY_COUNT_OF(sizes); ++s) {
            int32_t n = sizes[s], failed = -1;
            size_t square = (size_t)n * (size_t)n;
            double *A = create_definite(n, 51), *S = malloc(square * 8), *L = malloc(square * 8);
            double *scale = malloc((size_t)n * 8), norm = 0.0, norm_plain = 0.0;
            for (int32_t i = 0; i < n; ++i) {
                scale[i] = ldexp(1.0, i % 3 - 1);
            }
            for (int64_t j = 0; j < n; ++j) {
                double sum = 0.0;
                for (int64_t i = 0; i < n; ++i) {
                    S[i + j * n] = scale[i] * A[i + j * n] * scale[j];
                    sum += fabs(S[i + j * n]);
                    // the upper triangle is not read
                    A[i + j * n] = i < j ? NAN : A[i + j * n];
                }
                norm_plain = fmax(norm_plain, sum);
            }
            double *tiles = factor_in_tiles(ctx, n, A, scale, &failed, &norm);
            TEST_EQUAL(failed, 0);
            TEST_NEAR(norm, norm_plain, 1e-13 * norm_plain);
            ly_dense_tiles_unpack(n, tiles, L);
            FOR_EACH_BACKEND(ctx)
            {
                double *plain = malloc(square * 8), error = 0.0;
                memcpy(plain, S, square * 8);
                TEST_EQUAL(ly_dense_type(ctx)->cholesky(n, plain), 0);
                for (int64_t j = 0; j < n; ++j) {
                    for (int64_t i = j; i < n; ++i) {
                        double d = fabs(L[i + j * n] - plain[i + j * n]);
                        error = isnan(d) ? INFINITY : fmax(error, d);
                    }
                }
                // the condition, 1e5 with the scales, times rounding, times the largest of L
                TEST_NEAR(error, 0.0, 1e5 * EPS * 10);
                // three solutions at once, against those with the plain factor
                double *x = malloc((size_t)n * 24), *y = malloc((size_t)n * 24), top = 0.0;
                for (int32_t i = 0; i < 3 * n; ++i) {
                    x[i] = y[i] = cos(i);
                }
                ly_dense_tiles_solve(ctx, n, tiles, 1, x);
                ly_dense_tiles_solve(ctx, n, tiles, 2, x + n);
                ly_dense_type(ctx)->solve_triangle(false, false, false, n, 3, plain, y);
                ly_dense_type(ctx)->solve_triangle(false, true, false, n, 3, plain, y);
                top = dense_max(3 * n, y);
                TEST_NEAR(dense_distance(3 * n, x, y), 0.0, 1e5 * EPS * top);
                free(x);
                free(y);
                free(plain);
            }
            free(tiles);
            free(scale);
            free(L);
            free(S);
            free(A);
        }
        test_context_end(ctx);
    }
}

LYRA_TEST(columns_solve_together_as_one_by_one)
{
    const int32_t n = 4 * TILE + 37, most = 19;
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    double *A = create_definite(n, 52);
    LyraDenseFactor *factor = NULL;
    TEST_REQUIRE_OK(lyra_dense_factor_create(ctx, LYRA_FACTOR_CHOLESKY, n, A, &factor));
    TEST_CHECK(ly_dense_factor_is_tiled(factor));
    double *B = malloc((size_t)(n * most) * 8), *X = malloc((size_t)(n * most) * 8);
    TestRandom random = test_random(53);
    for (int32_t i = 0; i < n * most; ++i) {
        B[i] = test_random_normal(&random);
    }
    for (int32_t columns = 1; columns <= most; columns += columns < 8 ? 7 : 11) {
        TEST_OK(lyra_dense_factor_solve(factor, columns, B, X));
        for (int32_t c = 0; c < columns; ++c) {
            double residual = 0.0, *one = malloc((size_t)n * 8);
            for (int32_t i = 0; i < n; ++i) {
                double sum = -B[i + c * n], magnitude = fabs(B[i + c * n]);
                for (int64_t j = 0; j < n; ++j) {
                    sum += A[i + j * n] * X[j + c * n];
                    magnitude += fabs(A[i + j * n] * X[j + c * n]);
                }
                residual = fmax(residual, isnan(sum) ? INFINITY : fabs(sum) / magnitude);
            }
            TEST_NEAR(residual, 0.0, 1e-13);
            // the same kernels in the same order
            TEST_OK(lyra_dense_factor_solve(factor, 1, B + c * n, one));
            TEST_CHECK(memcmp(one, X + c * n, (size_t)n * 8) == 0);
            free(one);
        }
    }
    free(B);
    free(X);
    lyra_dense_factor_destroy(factor);
    free(A);
    test_context_end(ctx);
}

LYRA_TEST(rcond_is_that_of_the_plain_factor)
{
    // a matrix whose inverse is known: 1 on the diagonal, a beside it in pairs
    const int32_t n = 4 * TILE + 2;
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double *A = calloc((size_t)n * (size_t)n, 8);
    for (int64_t i = 0; i < n; ++i) {
        A[i + i * n] = 0.75;
        A[(i ^ 1) + i * n] = 0.375;
    }
    LyraDenseFactor *factor = NULL;
    TEST_REQUIRE_OK(lyra_dense_factor_create(ctx, LYRA_FACTOR_CHOLESKY, n, A, &factor));
    // |A| = 9/8, the blocks of the inverse are [16/9 -8/9; -8/9 16/9]
    TEST_NEAR(lyra_dense_factor_rcond(factor), 1.0 / (9.0 / 8.0 * 24.0 / 9.0), 1e-14);
    lyra_dense_factor_destroy(factor);
    free(A);
    test_context_end(ctx);
}

LYRA_TEST(the_column_that_fails_is_named_in_every_tile)
{
    const int32_t n = 4 * TILE + 13;
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    double *A = create_definite(n, 54), *L = malloc((size_t)n * (size_t)n * 8);
    double *b = malloc((size_t)n * 8), *x = malloc((size_t)n * 8), *y = malloc((size_t)n * 8);
    memcpy(L, A, (size_t)n * (size_t)n * 8);
    TEST_EQUAL(ly_dense_builtin.cholesky(n, L), 0);
    LyraDenseFactor *factor = NULL;
    TEST_REQUIRE_OK(lyra_dense_factor_create(ctx, LYRA_FACTOR_CHOLESKY, n, A, &factor));
    for (int32_t i = 0; i < n; ++i) {
        b[i] = cos(i);
    }
    TEST_OK(lyra_dense_factor_solve(factor, 1, b, x));
    int64_t allocations = test_allocation_count();
    for (int32_t tile = 0; tile <= 4; ++tile) {
        const int32_t within[] = {0, 1, 12, tile < 4 ? TILE - 1 : 11};
        for (int32_t w = 0; w < 4; ++w) {
            int64_t c = (int64_t)TILE * tile + within[w], at = c + c * n;
            double kept = A[at];
            // the pivot is L_cc^2, and minus that now
            A[at] -= 2.0 * L[at] * L[at];
            char column[40];
            (void)snprintf(column, sizeof column, "column %d (from 0)", (int)c);
            TEST_STATUS(lyra_dense_factor_update(factor, A), LYRA_NOT_POSITIVE_DEFINITE);
            TEST_CONTAINS(lyra_error_message(), column);
            A[at] = kept;
        }
    }
    // zero instead of a pivot is as bad
    A[n * (int64_t)n - 1] -= L[n * (int64_t)n - 1] * L[n * (int64_t)n - 1];
    TEST_STATUS(lyra_dense_factor_update(factor, A), LYRA_NOT_POSITIVE_DEFINITE);
    // the factor of before still stands
    TEST_OK(lyra_dense_factor_solve(factor, 1, b, y));
    TEST_CHECK(memcmp(x, y, (size_t)n * 8) == 0);
    TEST_EQUAL(test_allocation_count(), allocations);
    lyra_dense_factor_destroy(factor);
    free(A);
    free(L);
    free(b);
    free(x);
    free(y);
    test_context_end(ctx);
}

LYRA_TEST(pivots_of_zero_are_refused_at_once)
{
    // the identity but for two rows that are equal, in one tile and in two
    const int32_t n = 2 * TILE + 5, where[] = {1, 8, TILE, TILE + 1, 2 * TILE, n - 1};
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    double *A = malloc((size_t)n * (size_t)n * 8), *ones = malloc((size_t)n * 8), norm = 0.0;
    for (int32_t w = 0; w < LY_COUNT_OF(where); ++w) {
        int32_t failed = 0;
        for (int64_t j = 0; j < n; ++j) {
            ones[j] = 1.0;
            for (int64_t i = 0; i < n; ++i) {
                A[i + j * n] = i == j || (i == where[w] && j == i - 1);
            }
        }
        free(factor_in_tiles(ctx, n, A, ones, &failed, &norm));
        TEST_EQUAL(failed, where[w] + 1);
    }
    free(A);
    free(ones);
    test_context_end(ctx);
}

LYRA_TEST(generalised_eigenvalues_know_tiles)
{
    // A = 2 B has the eigenvalue 2 only
    const int32_t n = LY_DENSE_TILED + 3;
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double *B = create_definite(n, 55), *A = malloc((size_t)n * (size_t)n * 8);
    double *values = malloc((size_t)n * 8);
    for (int64_t i = 0; i < (int64_t)n * n; ++i) {
        A[i] = 2.0 * B[i];
    }
    TEST_OK(lyra_dense_eigen_generalised(ctx, n, A, B, values, NULL));
    TEST_NEAR(values[0], 2.0, 1e-9);
    TEST_NEAR(values[n - 1], 2.0, 1e-9);
    free(A);
    free(B);
    free(values);
    test_context_end(ctx);
}

typedef struct Bits {
    int32_t size;
    const double *A;
} Bits;

/// L, one solution, and nine at once.
static void compute_bits(LyraContext *ctx, void *data, void *out)
{
    const Bits *bits = data;
    int64_t n = bits->size;
    LyraDenseFactor *factor = NULL;
    double *to = out;
    TEST_REQUIRE_OK(
        lyra_dense_factor_create(ctx, LYRA_FACTOR_CHOLESKY, bits->size, bits->A, &factor));
    ly_dense_tiles_unpack(bits->size, factor->now.values, to);
    to += n * n;
    TEST_OK(lyra_dense_factor_solve(factor, 1, bits->A, to));
    TEST_OK(lyra_dense_factor_solve(factor, 9, bits->A, to + n));
    to[10 * n] = lyra_dense_factor_rcond(factor);
    lyra_dense_factor_destroy(factor);
}

LYRA_TEST(threads_do_not_change_bits)
{
    int32_t n = 5 * TILE + 50;
    double *A = create_definite(n, 56);
    Bits bits = {n, A};
    test_same_bits(compute_bits, &bits, ((size_t)n * (size_t)n + 10 * (size_t)n + 1) * 8);
    free(A);
}
