// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Factors, solutions, inertia, determinants and inverses, in both implementations.

#include "dense_test.h"

static const LyraFactorKind kinds[] = {LYRA_FACTOR_LU, LYRA_FACTOR_CHOLESKY, LYRA_FACTOR_LDL};

/// |A X - B| relative to |A| |X|.
static double solve_residual(int32_t n, int32_t columns, const double *A, const double *X,
                             const double *B)
{
    double residual = 0;
    for (int32_t j = 0; j < columns; ++j) {
        for (int32_t i = 0; i < n; ++i) {
            double sum = -B[i + j * n], magnitude = fabs(B[i + j * n]);
            for (int32_t l = 0; l < n; ++l) {
                sum += A[i + l * n] * X[l + j * n];
                magnitude += fabs(A[i + l * n] * X[l + j * n]);
            }
            sum = magnitude > 0 ? fabs(sum) / magnitude : fabs(sum);
            residual = isnan(sum) ? INFINITY : fmax(residual, sum);
        }
    }
    return residual;
}

LYRA_TEST(factors_solve)
{
    static double A[DENSE_ROOM], B[DENSE_ROOM], X[2][DENSE_ROOM];
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(11);
    for (int32_t round = 0; round < 120; ++round) {
        LyraFactorKind kind = kinds[round % 3];
        int32_t n = round < 12 ? round / 3 : test_random_below(&random, DENSE_MAX + 1);
        int32_t columns = test_random_below(&random, 5), found = 0;
        double rcond = 1;
        if (kind == LYRA_FACTOR_CHOLESKY) {
            dense_random_definite(&random, n, A);
        } else if (kind == LYRA_FACTOR_LDL) {
            dense_random_symmetric(&random, DENSE_NORMAL, n, A);
        } else {
            dense_random(&random, DENSE_NORMAL, n, n, A);
        }
        dense_random(&random, DENSE_NORMAL, n, columns, B);
        FOR_EACH_BACKEND(ctx)
        {
            LyraDenseFactor *factor = NULL;
            TEST_REQUIRE_OK(lyra_dense_factor_create(ctx, kind, n, A, &factor));
            memcpy(X[found], B, sizeof B);
            int64_t before = test_allocation_count();
            TEST_OK(lyra_dense_factor_solve(factor, columns, X[found], X[found]));
            TEST_EQUAL(test_allocation_count(), before);
            // backward stable: growth of pivots apart, n * EPS row by row is too much to ask of a
            // row with cancellation, hence the factor
            TEST_NEAR(solve_residual(n, columns, A, X[found], B), 0, 1e-11);
            rcond = lyra_dense_factor_rcond(factor);
            TEST_CHECK(rcond > 0 && rcond <= 1);
            lyra_dense_factor_destroy(factor);
            ++found;
        }
        if (found == 2) {
            double top = dense_max(n * columns, X[0]);
            TEST_NEAR(dense_distance(n * columns, X[0], X[1]), 0,
                      100 * (n + 1) * EPS * top / rcond);
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(badly_scaled_systems_solve)
{
    // D A D with units from 1e-120 to 1e120: singular for a test that looks at bare pivots
    static double A[DENSE_ROOM], B[DENSE_MAX], X[DENSE_MAX], scale[DENSE_MAX];
    const int32_t n = 20;
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(12);
    FOR_EACH_BACKEND(ctx)
    {
        for (int32_t k = 0; k < 3; ++k) {
            dense_random_definite(&random, n, A);
            for (int32_t i = 0; i < n; ++i) {
                scale[i] = ldexp(1, test_random_below(&random, 800) - 400);
            }
            for (int32_t j = 0; j < n; ++j) {
                B[j] = scale[j] * test_random_normal(&random);
                for (int32_t i = 0; i < n; ++i) {
                    A[i + j * n] *= scale[i] * scale[j];
                }
            }
            LyraDenseFactor *factor = NULL;
            TEST_REQUIRE_OK(lyra_dense_factor_create(ctx, kinds[k], n, A, &factor));
            TEST_OK(lyra_dense_factor_solve(factor, 1, B, X));
            TEST_CHECK(lyra_dense_factor_rcond(factor) > 1e-6);
            TEST_NEAR(solve_residual(n, 1, A, X, B), 0, 1e-13);
            lyra_dense_factor_destroy(factor);
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(singular_matrices_are_refused)
{
    static double A[DENSE_ROOM];
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(13);
    const DenseKind bad[] = {DENSE_LOW_RANK, DENSE_ZERO, DENSE_EQUAL};
    FOR_EACH_BACKEND(ctx)
    {
        for (int32_t n = 2; n <= 42; n += 8) {
            for (int32_t b = 0; b < 3; ++b) {
                LyraDenseFactor *factor = NULL;
                dense_random(&random, bad[b], n, n, A);
                TEST_STATUS(lyra_dense_factor_create(ctx, LYRA_FACTOR_LU, n, A, &factor),
                            LYRA_SINGULAR);
                TEST_CONTAINS(lyra_error_message(), "singular");
                // X X^T of low rank
                static double S[DENSE_ROOM];
                dense_multiply(n, n, n, A, false, A, true, S);
                TEST_STATUS(lyra_dense_factor_create(ctx, LYRA_FACTOR_LDL, n, S, &factor),
                            LYRA_SINGULAR);
                TEST_STATUS(lyra_dense_factor_create(ctx, LYRA_FACTOR_CHOLESKY, n, S, &factor),
                            LYRA_NOT_POSITIVE_DEFINITE);
                TEST_CONTAINS(lyra_error_message(), "not positive definite");
                TEST_CHECK(factor == NULL);
                double inverse[4] = {5, 5, 5, 5};
                TEST_STATUS(lyra_dense_inverse(ctx, n, A, inverse), LYRA_SINGULAR);
                TEST_CHECK(inverse[0] == 5);
            }
        }
        // positive diagonal, indefinite
        double indefinite[4] = {1, 2, 2, 1};
        LyraDenseFactor *factor = NULL;
        TEST_STATUS(lyra_dense_factor_create(ctx, LYRA_FACTOR_CHOLESKY, 2, indefinite, &factor),
                    LYRA_NOT_POSITIVE_DEFINITE);
    }
    test_context_end(ctx);
}

LYRA_TEST(hilbert_matrices_are_refused_from_size_13)
{
    static double A[DENSE_ROOM];
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    FOR_EACH_BACKEND(ctx)
    {
        for (int32_t n = 1; n <= 20; ++n) {
            for (int32_t j = 0; j < n; ++j) {
                for (int32_t i = 0; i < n; ++i) {
                    A[i + j * n] = 1.0 / (i + j + 1);
                }
            }
            for (int32_t k = 0; k < 3; ++k) {
                LyraDenseFactor *factor = NULL;
                LyraStatus status = lyra_dense_factor_create(ctx, kinds[k], n, A, &factor);
                // condition 1e16 is reached at 12 to 13 (a little later when scaled)
                if (n <= 10) {
                    TEST_OK(status);
                } else if (n >= 14) {
                    TEST_CHECK(status == LYRA_SINGULAR || status == LYRA_NOT_POSITIVE_DEFINITE);
                }
                lyra_dense_factor_destroy(factor);
            }
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(update_keeps_the_old_factor_on_failure)
{
    const double good[4] = {2, 1, 1, 3}, other[4] = {4, 0, 0, 8}, bad[4] = {1, 1, 1, 1};
    const double nan[4] = {1, NAN, NAN, 1}, b[2] = {4, 8};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    FOR_EACH_BACKEND(ctx)
    {
        for (int32_t k = 0; k < 3; ++k) {
            LyraDenseFactor *factor = NULL;
            double x[2] = {0, 0}, y[2] = {0, 0};
            TEST_REQUIRE_OK(lyra_dense_factor_create(ctx, kinds[k], 2, good, &factor));
            TEST_OK(lyra_dense_factor_solve(factor, 1, b, x));
            TEST_NEAR(2 * x[0] + x[1], 4, 1e-14);
            int64_t before = test_allocation_count();
            TEST_CHECK(lyra_dense_factor_update(factor, bad) != LYRA_OK);
            TEST_STATUS(lyra_dense_factor_update(factor, nan), LYRA_NOT_FINITE);
            TEST_OK(lyra_dense_factor_solve(factor, 1, b, y));
            TEST_CHECK(memcmp(x, y, sizeof x) == 0);
            TEST_OK(lyra_dense_factor_update(factor, other));
            TEST_OK(lyra_dense_factor_solve(factor, 1, b, y));
            TEST_NEAR(y[0], 1, 1e-15);
            TEST_NEAR(y[1], 1, 1e-15);
            memcpy(x, y, sizeof x);
            const double bad_rhs[2] = {1, INFINITY};
            TEST_STATUS(lyra_dense_factor_solve(factor, 1, bad_rhs, y), LYRA_NOT_FINITE);
            TEST_STATUS(lyra_dense_factor_solve(factor, -1, b, y), LYRA_INVALID_ARGUMENT);
            TEST_CHECK(memcmp(x, y, sizeof x) == 0);
            TEST_EQUAL(test_allocation_count(), before);
            lyra_dense_factor_destroy(factor);
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(inertia_counts_signs)
{
    static double A[DENSE_ROOM], w[DENSE_MAX];
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(14);
    for (int32_t round = 0; round < 60; ++round) {
        int32_t n = round < 4 ? round : test_random_below(&random, DENSE_MAX + 1);
        LyraInertia truth = {0};
        dense_random_symmetric(&random, DENSE_NORMAL, n, A);
        // zero diagonals force blocks of two
        for (int32_t i = 0; i < n && round % 2; ++i) {
            A[i + i * n] = 0;
        }
        TEST_REQUIRE_OK(lyra_dense_eigen(ctx, n, A, w, NULL));
        for (int32_t i = 0; i < n; ++i) {
            truth.positive += w[i] > 0;
            truth.negative += w[i] < 0;
        }
        FOR_EACH_BACKEND(ctx)
        {
            LyraInertia inertia = {9, 9, 9};
            TEST_OK(lyra_dense_inertia(ctx, n, A, &inertia));
            if (n == 1 && A[0] == 0) {
                TEST_EQUAL(inertia.zero, 1);
                continue;
            }
            TEST_EQUAL(inertia.positive, truth.positive);
            TEST_EQUAL(inertia.negative, truth.negative);
            LyraDenseFactor *factor = NULL;
            TEST_REQUIRE_OK(lyra_dense_factor_create(ctx, LYRA_FACTOR_LDL, n, A, &factor));
            TEST_OK(lyra_dense_factor_inertia(factor, &inertia));
            TEST_EQUAL(inertia.positive, truth.positive);
            TEST_EQUAL(inertia.negative, truth.negative);
            TEST_EQUAL(inertia.zero, 0);
            lyra_dense_factor_destroy(factor);
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(inertia_counts_zeros_of_singular_matrices)
{
    // L diag(+, -, 0) L^T: a free chain has one zero eigenvalue, a zero matrix has all
    double chain[25] = {0}, zero[9] = {0};
    for (int32_t i = 0; i + 1 < 5; ++i) {
        chain[i + 5 * i] += 1;
        chain[(i + 1) + 5 * (i + 1)] += 1;
        chain[i + 5 * (i + 1)] = chain[i + 1 + 5 * i] = -1;
    }
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    FOR_EACH_BACKEND(ctx)
    {
        LyraInertia inertia = {0};
        TEST_OK(lyra_dense_inertia(ctx, 5, chain, &inertia));
        TEST_CHECK(inertia.positive == 4 && inertia.negative == 0 && inertia.zero == 1);
        TEST_OK(lyra_dense_inertia(ctx, 3, zero, &inertia));
        TEST_CHECK(inertia.positive == 0 && inertia.negative == 0 && inertia.zero == 3);
        LyraDenseFactor *factor = NULL;
        const double one = 2;
        TEST_REQUIRE_OK(lyra_dense_factor_create(ctx, LYRA_FACTOR_LU, 1, &one, &factor));
        TEST_STATUS(lyra_dense_factor_inertia(factor, &inertia), LYRA_INVALID_ARGUMENT);
        lyra_dense_factor_destroy(factor);
        TEST_REQUIRE_OK(lyra_dense_factor_create(ctx, LYRA_FACTOR_CHOLESKY, 1, &one, &factor));
        TEST_OK(lyra_dense_factor_inertia(factor, &inertia));
        TEST_CHECK(inertia.positive == 1 && inertia.negative == 0 && inertia.zero == 0);
        lyra_dense_factor_destroy(factor);
    }
    test_context_end(ctx);
}

LYRA_TEST(determinants_are_known)
{
    static double A[DENSE_ROOM];
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    FOR_EACH_BACKEND(ctx)
    {
        double det = 0, log_det = 0;
        TEST_OK(lyra_dense_determinant(ctx, 0, NULL, &det, &log_det));
        TEST_CHECK(det == 1 && log_det == 0);
        // second difference: n + 1
        for (int32_t n = 1; n <= DENSE_MAX; n += 5) {
            memset(A, 0, sizeof A);
            for (int32_t i = 0; i < n; ++i) {
                A[i + i * n] = 2;
                if (i > 0) {
                    A[i + (i - 1) * n] = A[i - 1 + i * n] = -1;
                }
            }
            TEST_OK(lyra_dense_determinant(ctx, n, A, &det, &log_det));
            TEST_NEAR(det, n + 1, 1e-12 * n);
            TEST_NEAR(log_det, log(n + 1), 1e-12);
        }
        // odd permutation, singular, and one beyond the range of a double
        const double swap[9] = {0, 1, 0, 1, 0, 0, 0, 0, 3}, flat[4] = {1, 2, 2, 4};
        const double huge[4] = {1e200, 0, 0, -1e200};
        TEST_OK(lyra_dense_determinant(ctx, 3, swap, &det, NULL));
        TEST_NEAR(det, -3, 1e-15);
        TEST_OK(lyra_dense_determinant(ctx, 2, flat, &det, &log_det));
        TEST_CHECK(det == 0 && log_det == -INFINITY);
        TEST_STATUS(lyra_dense_determinant(ctx, 2, huge, &det, NULL), LYRA_NOT_FINITE);
        TEST_OK(lyra_dense_determinant(ctx, 2, huge, NULL, &log_det));
        TEST_NEAR(log_det, 400 * log(10), 1e-10);
    }
    test_context_end(ctx);
}

LYRA_TEST(inverse_times_matrix_is_identity)
{
    static double A[DENSE_ROOM], X[DENSE_ROOM], product[DENSE_ROOM];
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(15);
    FOR_EACH_BACKEND(ctx)
    {
        for (int32_t n = 0; n <= DENSE_MAX; n += 6) {
            dense_random(&random, DENSE_NORMAL, n, n, A);
            memcpy(X, A, sizeof A);
            TEST_REQUIRE_OK(lyra_dense_inverse(ctx, n, X, X));
            dense_multiply(n, n, n, X, false, A, false, product);
            for (int32_t i = 0; i < n; ++i) {
                product[i + i * n] -= 1;
            }
            TEST_NEAR(dense_max(n * n, product), 0, 1e-10);
        }
    }
    test_context_end(ctx);
}
