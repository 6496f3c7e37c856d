// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Singular values and eigenvalues by residuals against the matrix itself, in both implementations,
// and against known spectra. Tolerances are size * EPS times a small factor, the backward error
// that orthogonal transformations promise.

#include "dense_test.h"

static const double pi = 3.14159265358979323846;

/// |A - U diag(s) V^T| relative to the largest singular value.
static double svd_residual(int32_t m, int32_t n, const double *A, const double *U, const double *s,
                           const double *V)
{
    int32_t k = m < n ? m : n;
    double residual = 0;
    for (int32_t j = 0; j < n; ++j) {
        for (int32_t i = 0; i < m; ++i) {
            double sum = A[i + j * m] / (s[0] > 0 ? s[0] : 1);
            for (int32_t l = 0; l < k; ++l) {
                sum -= U[i + l * m] * (s[l] / (s[0] > 0 ? s[0] : 1)) * V[j + l * n];
            }
            residual = isnan(sum) ? INFINITY : fmax(residual, fabs(sum));
        }
    }
    return residual;
}

LYRA_TEST(svd_holds_for_all_kinds_and_sizes)
{
    static double A[DENSE_ROOM], U[DENSE_ROOM], s[2][DENSE_MAX], V[DENSE_ROOM], s2[DENSE_MAX];
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(1);
    for (int32_t round = 0; round < 160; ++round) {
        DenseKind kind = (DenseKind)(round % DENSE_KIND_COUNT);
        int32_t m = round < 10 ? round / 4 : test_random_below(&random, DENSE_MAX + 1);
        int32_t n = round < 10 ? round % 4 : test_random_below(&random, DENSE_MAX + 1);
        int32_t k = m < n ? m : n, largest = m > n ? m : n, found = 0;
        dense_random(&random, kind, m, n, A);
        FOR_EACH_BACKEND(ctx)
        {
            double *values = s[found++];
            TEST_REQUIRE_OK(lyra_dense_svd(ctx, m, n, A, U, values, V));
            if (k == 0) {
                continue;
            }
            double tolerance = 8 * (largest + 2) * EPS;
            TEST_NEAR(svd_residual(m, n, A, U, values, V), 0, tolerance);
            TEST_NEAR(dense_orthogonality(m, k, U), 0, tolerance);
            TEST_NEAR(dense_orthogonality(n, k, V), 0, tolerance);
            for (int32_t i = 0; i < k; ++i) {
                TEST_CHECK(values[i] >= 0 && (i == 0 || values[i] <= values[i - 1]));
            }
            // the same values without vectors, and with one side only
            double top = values[0] > 0 ? values[0] : 1;
            TEST_REQUIRE_OK(lyra_dense_svd(ctx, m, n, A, NULL, s2, NULL));
            TEST_NEAR(dense_distance(k, s2, values) / top, 0, tolerance);
            TEST_REQUIRE_OK(lyra_dense_svd(ctx, m, n, A, U, s2, NULL));
            TEST_NEAR(dense_orthogonality(m, k, U), 0, tolerance);
            TEST_REQUIRE_OK(lyra_dense_svd(ctx, m, n, A, NULL, s2, V));
            TEST_NEAR(dense_orthogonality(n, k, V), 0, tolerance);
        }
        if (found == 2 && k > 0) {
            double top = s[0][0] > 0 ? s[0][0] : 1;
            TEST_NEAR(dense_distance(k, s[0], s[1]) / top, 0, 8 * (largest + 2) * EPS);
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(svd_keeps_sign_convention_and_bits)
{
    double A[15], U[9], s[3], V[15], U2[9], s2[3], V2[15];
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(2);
    FOR_EACH_BACKEND(ctx)
    {
        dense_random(&random, DENSE_NORMAL, 3, 5, A);
        TEST_REQUIRE_OK(lyra_dense_svd(ctx, 3, 5, A, U, s, V));
        for (int32_t j = 0; j < 3; ++j) {
            double largest = 0;
            for (int32_t i = 0; i < 5; ++i) {
                largest = fabs(V[i + 5 * j]) > fabs(largest) ? V[i + 5 * j] : largest;
            }
            TEST_CHECK(largest > 0);
        }
        TEST_REQUIRE_OK(lyra_dense_svd(ctx, 3, 5, A, U2, s2, V2));
        TEST_CHECK(memcmp(U, U2, sizeof U) == 0 && memcmp(s, s2, sizeof s) == 0 &&
                   memcmp(V, V2, sizeof V) == 0);
        // the output may be the input
        TEST_REQUIRE_OK(lyra_dense_svd(ctx, 3, 5, A, NULL, s2, A));
        TEST_CHECK(dense_distance(15, A, V) < 1e-13);
    }
    test_context_end(ctx);
}

LYRA_TEST(hilbert_singular_values_match_reference)
{
    // condition number of the Hilbert matrix of size 8, 1.5257575538060041e10, and its largest
    // singular value, from tables in many digits
    double A[64], s[8];
    for (int32_t j = 0; j < 8; ++j) {
        for (int32_t i = 0; i < 8; ++i) {
            A[i + 8 * j] = 1.0 / (i + j + 1);
        }
    }
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    FOR_EACH_BACKEND(ctx)
    {
        TEST_REQUIRE_OK(lyra_dense_svd(ctx, 8, 8, A, NULL, s, NULL));
        TEST_NEAR(s[0], 1.6959389969219494, 1e-14);
        TEST_NEAR(s[0] / s[7] / 1.5257575538060041e10, 1, 2e-5);
    }
    test_context_end(ctx);
}

/// |A X - X diag(w)| relative to the largest eigenvalue.
static double eigen_residual(int32_t n, const double *A, const double *w, const double *X)
{
    double top = fmax(fabs(w[0]), fabs(w[n - 1])), residual = 0;
    top = top > 0 ? top : 1;
    for (int32_t j = 0; j < n; ++j) {
        for (int32_t i = 0; i < n; ++i) {
            double sum = -(w[j] / top) * X[i + j * n];
            for (int32_t l = 0; l < n; ++l) {
                sum += (A[i + l * n] / top) * X[l + j * n];
            }
            residual = isnan(sum) ? INFINITY : fmax(residual, fabs(sum));
        }
    }
    return residual;
}

LYRA_TEST(eigen_holds_for_all_kinds_and_sizes)
{
    static double A[DENSE_ROOM], X[DENSE_ROOM], w[2][DENSE_MAX], w2[DENSE_MAX], half[DENSE_ROOM];
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(3);
    for (int32_t round = 0; round < 160; ++round) {
        DenseKind kind = (DenseKind)(round % DENSE_KIND_COUNT);
        int32_t n = round < 40 ? round / 9 : test_random_below(&random, DENSE_MAX + 1), found = 0;
        dense_random_symmetric(&random, kind, n, A);
        // the upper triangle is not to be read
        memcpy(half, A, sizeof A);
        for (int32_t j = 0; j < n; ++j) {
            for (int32_t i = 0; i < j; ++i) {
                half[i + j * n] = NAN;
            }
        }
        FOR_EACH_BACKEND(ctx)
        {
            double *values = w[found++], tolerance = 8 * (n + 2) * EPS;
            TEST_REQUIRE_OK(lyra_dense_eigen(ctx, n, half, values, X));
            if (n == 0) {
                continue;
            }
            TEST_NEAR(eigen_residual(n, A, values, X), 0, tolerance);
            TEST_NEAR(dense_orthogonality(n, n, X), 0, tolerance);
            for (int32_t i = 1; i < n; ++i) {
                TEST_CHECK(values[i - 1] <= values[i]);
            }
            double top = fmax(fabs(values[0]), fabs(values[n - 1]));
            TEST_REQUIRE_OK(lyra_dense_eigen(ctx, n, half, w2, NULL));
            TEST_NEAR(dense_distance(n, w2, values) / (top > 0 ? top : 1), 0, tolerance);
        }
        if (found == 2 && n > 0) {
            double top = fmax(fabs(w[0][0]), fabs(w[0][n - 1]));
            TEST_NEAR(dense_distance(n, w[0], w[1]) / (top > 0 ? top : 1), 0, 8 * (n + 2) * EPS);
        }
    }
    test_context_end(ctx);
}

/// The second difference, with eigenvalues 2 - 2 cos(pi k / (n + 1)).
static void second_difference(int32_t n, double *A)
{
    memset(A, 0, (size_t)(n * n) * sizeof *A);
    for (int32_t i = 0; i < n; ++i) {
        A[i + i * n] = 2;
        if (i > 0) {
            A[i + (i - 1) * n] = A[i - 1 + i * n] = -1;
        }
    }
}

LYRA_TEST(eigenvalues_of_second_difference_are_known)
{
    static double A[DENSE_ROOM], w[DENSE_MAX], X[DENSE_ROOM];
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    FOR_EACH_BACKEND(ctx)
    {
        for (int32_t n = 1; n <= DENSE_MAX; n += 7) {
            second_difference(n, A);
            TEST_REQUIRE_OK(lyra_dense_eigen(ctx, n, A, w, X));
            for (int32_t k = 0; k < n; ++k) {
                TEST_NEAR(w[k], 2 - 2 * cos(pi * (k + 1) / (n + 1)), 40 * EPS);
            }
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(repeated_eigenvalues_keep_orthonormal_vectors)
{
    static double A[DENSE_ROOM], Q[DENSE_ROOM], D[DENSE_ROOM], T[DENSE_ROOM], w[DENSE_MAX];
    static double S[DENSE_ROOM], s[DENSE_MAX];
    const int32_t n = 40;
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(4);
    FOR_EACH_BACKEND(ctx)
    {
        dense_random(&random, DENSE_NORMAL, n, n, S);
        TEST_REQUIRE_OK(lyra_dense_svd(ctx, n, n, S, Q, s, NULL));
        memset(D, 0, sizeof D);
        for (int32_t i = 0; i < n; ++i) {
            D[i + i * n] = i < 10 ? -1 : i < 25 ? 0 : 3;
        }
        dense_multiply(n, n, n, Q, false, D, false, T);
        dense_multiply(n, n, n, T, false, Q, true, A);
        TEST_REQUIRE_OK(lyra_dense_eigen(ctx, n, A, w, S));
        TEST_NEAR(dense_orthogonality(n, n, S), 0, 100 * EPS);
        for (int32_t i = 0; i < n; ++i) {
            TEST_NEAR(w[i], i < 10 ? -1 : i < 25 ? 0 : 3, 100 * EPS);
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(generalised_eigen_holds)
{
    static double A[DENSE_ROOM], B[DENSE_ROOM], X[DENSE_ROOM], AX[DENSE_ROOM], BX[DENSE_ROOM];
    static double G[DENSE_ROOM], w[2][DENSE_MAX], w2[DENSE_MAX];
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(5);
    for (int32_t round = 0; round < 60; ++round) {
        int32_t n = round < 5 ? round : test_random_below(&random, DENSE_MAX + 1), found = 0;
        dense_random_symmetric(&random, round % 2 ? DENSE_NORMAL : DENSE_LOW_RANK, n, A);
        dense_random_definite(&random, n, B);
        FOR_EACH_BACKEND(ctx)
        {
            double *values = w[found++];
            TEST_REQUIRE_OK(lyra_dense_eigen_generalised(ctx, n, A, B, values, X));
            dense_multiply(n, n, n, A, false, X, false, AX);
            dense_multiply(n, n, n, B, false, X, false, BX);
            // X^T B X = I and A X = B X diag(w), to the condition of B
            dense_multiply(n, n, n, X, true, BX, false, G);
            for (int32_t j = 0; j < n; ++j) {
                for (int32_t i = 0; i < n; ++i) {
                    TEST_NEAR(G[i + j * n], i == j, 1e-12);
                    TEST_NEAR(AX[i + j * n], BX[i + j * n] * values[j], 2e-11);
                }
            }
            TEST_REQUIRE_OK(lyra_dense_eigen_generalised(ctx, n, A, B, w2, NULL));
            TEST_NEAR(dense_distance(n, w2, values), 0, 1e-12);
        }
        if (found == 2) {
            TEST_NEAR(dense_distance(n, w[0], w[1]), 0, 1e-12);
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(generalised_eigen_does_not_depend_on_units)
{
    // a chain of masses with units 1e-150 apart: the frequencies stay
    const int32_t n = 12;
    double A[144], B[144] = {0}, w[12], X[144];
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    FOR_EACH_BACKEND(ctx)
    {
        second_difference(n, A);
        for (int32_t j = 0; j < n; ++j) {
            for (int32_t i = 0; i < n; ++i) {
                double unit = (i % 2 ? 1e-75 : 1e20) * (j % 2 ? 1e-75 : 1e20);
                A[i + j * n] *= unit;
                B[i + j * n] = i == j ? unit : 0;
            }
        }
        TEST_REQUIRE_OK(lyra_dense_eigen_generalised(ctx, n, A, B, w, X));
        for (int32_t k = 0; k < n; ++k) {
            TEST_NEAR(w[k], 2 - 2 * cos(pi * (k + 1) / (n + 1)), 1e-14);
        }
        B[5 + 5 * n] = -B[5 + 5 * n];
        TEST_STATUS(lyra_dense_eigen_generalised(ctx, n, A, B, w, X), LYRA_NOT_POSITIVE_DEFINITE);
        TEST_CONTAINS(lyra_error_message(), "not positive definite");
    }
    test_context_end(ctx);
}
