// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Products, norms, least squares, pseudo-inverse, exponential and principal components, in both
// implementations.

#include "dense_test.h"

LYRA_TEST(products_match_plain_sums)
{
    static double A[DENSE_ROOM], B[DENSE_ROOM], C[2 * DENSE_ROOM], plain[DENSE_ROOM];
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(21);
    for (int32_t round = 0; round < 120; ++round) {
        int32_t m = test_random_below(&random, round < 40 ? 4 : DENSE_MAX + 1);
        int32_t n = test_random_below(&random, round < 40 ? 3 : DENSE_MAX + 1);
        int32_t k = test_random_below(&random, round < 40 ? 4 : DENSE_MAX + 1);
        bool ta = round & 1, tb = round & 2;
        int32_t stride = m + test_random_below(&random, 3);
        dense_random(&random, DENSE_NORMAL, m, k, A);
        dense_random(&random, DENSE_NORMAL, k, n, B);
        dense_multiply(m, n, k, A, ta, B, tb, plain);
        FOR_EACH_BACKEND(ctx)
        {
            for (int32_t b = 0; b < 2; ++b) {
                // with beta = 0, C may hold anything
                double beta = b ? 0.5 : 0;
                for (int32_t i = 0; i < 2 * DENSE_ROOM; ++i) {
                    C[i] = b ? 2 : NAN;
                }
                int64_t before = test_allocation_count();
                TEST_OK(lyra_dense_multiply(ctx, &(LyraDenseProduct){.A_transposed = ta,
                                                                     .B_transposed = tb,
                                                                     .rows = m,
                                                                     .columns = n,
                                                                     .inner = k,
                                                                     .alpha = -2,
                                                                     .A = A,
                                                                     .A_stride = ta ? k : m,
                                                                     .B = B,
                                                                     .B_stride = tb ? n : k,
                                                                     .beta = beta,
                                                                     .C = C,
                                                                     .C_stride = stride}));
                TEST_EQUAL(test_allocation_count(), before);
                for (int32_t j = 0; j < n; ++j) {
                    for (int32_t i = 0; i < m; ++i) {
                        TEST_NEAR(C[i + j * stride], -2 * plain[i + j * m] + b, 20 * (k + 1) * EPS);
                    }
                    // the room between columns is not touched
                    for (int32_t i = m; i < stride; ++i) {
                        TEST_CHECK(b ? C[i + j * stride] == 2 : isnan(C[i + j * stride]));
                    }
                }
            }
            if (n == 1 && !tb) {
                int32_t rows = ta ? k : m, columns = ta ? m : k;
                C[0] = NAN;
                TEST_OK(lyra_dense_apply(ctx, ta, 1, (LyraDenseView){rows, columns, A}, B, 0, C));
                TEST_NEAR(dense_distance(m, C, plain), 0, 20 * (k + 1) * EPS);
            }
        }
    }
    double x = 1;
    TEST_STATUS(lyra_dense_multiply(ctx, &(LyraDenseProduct){.rows = -1,
                                                             .columns = 1,
                                                             .inner = 1,
                                                             .alpha = 1,
                                                             .A = &x,
                                                             .A_stride = 1,
                                                             .B = &x,
                                                             .B_stride = 1,
                                                             .C = &x,
                                                             .C_stride = 1}),
                LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_dense_multiply(ctx, &(LyraDenseProduct){.rows = 2,
                                                             .columns = 1,
                                                             .inner = 1,
                                                             .alpha = 1,
                                                             .A = &x,
                                                             .A_stride = 1,
                                                             .B = &x,
                                                             .B_stride = 1,
                                                             .C = &x,
                                                             .C_stride = 2}),
                LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "stride 1 of A is below its height 2");
    TEST_STATUS(lyra_dense_multiply(ctx, &(LyraDenseProduct){.rows = INT32_MAX,
                                                             .columns = INT32_MAX,
                                                             .inner = INT32_MAX,
                                                             .alpha = 1,
                                                             .A = &x,
                                                             .A_stride = INT32_MAX,
                                                             .B = &x,
                                                             .B_stride = INT32_MAX,
                                                             .C = &x,
                                                             .C_stride = INT32_MAX}),
                LYRA_TOO_LARGE);
    test_context_end(ctx);
}

LYRA_TEST(norms_are_known)
{
    const double A[6] = {1, -2, 3, -4, 5, -6}; // [1 3 5; -2 -4 -6]
    const double huge[2] = {3e307, 4e307}, over[2] = {1.5e308, 1.5e308};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    FOR_EACH_BACKEND(ctx)
    {
        double norm = 0;
        TEST_OK(lyra_dense_norm(ctx, LYRA_NORM_MAX, 2, 3, A, &norm));
        TEST_CHECK(norm == 6);
        TEST_OK(lyra_dense_norm(ctx, LYRA_NORM_ONE, 2, 3, A, &norm));
        TEST_CHECK(norm == 11);
        TEST_OK(lyra_dense_norm(ctx, LYRA_NORM_INFINITY, 2, 3, A, &norm));
        TEST_CHECK(norm == 12);
        TEST_OK(lyra_dense_norm(ctx, LYRA_NORM_FROBENIUS, 2, 3, A, &norm));
        TEST_NEAR(norm, sqrt(91), 1e-14);
        // A A^T = [35 -44; -44 56]
        TEST_OK(lyra_dense_norm(ctx, LYRA_NORM_TWO, 2, 3, A, &norm));
        TEST_NEAR(norm, sqrt(45.5 + hypot(10.5, 44)), 1e-14);
        TEST_OK(lyra_dense_norm(ctx, LYRA_NORM_FROBENIUS, 2, 1, huge, &norm));
        TEST_NEAR(norm / 5e307, 1, 1e-15);
        TEST_OK(lyra_dense_norm(ctx, LYRA_NORM_TWO, 1, 2, huge, &norm));
        TEST_NEAR(norm / 5e307, 1, 1e-15);
        for (int32_t kind = LYRA_NORM_ONE; kind <= LYRA_NORM_TWO; ++kind) {
            LyraStatus status =
                lyra_dense_norm(ctx, (LyraNorm)kind, kind == LYRA_NORM_INFINITY ? 1 : 2,
                                kind == LYRA_NORM_INFINITY ? 2 : 1, over, &norm);
            TEST_STATUS(status, LYRA_NOT_FINITE);
            TEST_OK(lyra_dense_norm(ctx, (LyraNorm)kind, 0, 3, NULL, &norm));
            TEST_CHECK(norm == 0);
        }
        TEST_STATUS(lyra_dense_norm(ctx, (LyraNorm)77, 2, 1, huge, &norm), LYRA_INVALID_ARGUMENT);
        TEST_STATUS(lyra_dense_norm(ctx, (LyraNorm)77, 0, 0, huge, &norm), LYRA_INVALID_ARGUMENT);
    }
    test_context_end(ctx);
}

/// The four conditions of Penrose: A X A = A, X A X = X, A X and X A symmetric.
static void check_penrose(int32_t m, int32_t n, const double *A, const double *X, double tolerance)
{
    static double AX[DENSE_ROOM], XA[DENSE_ROOM], T[DENSE_ROOM];
    double A_top = fmax(1, dense_max(m * n, A)), X_top = fmax(1, dense_max(m * n, X));
    dense_multiply(m, m, n, A, false, X, false, AX);
    dense_multiply(n, n, m, X, false, A, false, XA);
    dense_multiply(m, n, m, AX, false, A, false, T);
    TEST_NEAR(dense_distance(m * n, T, A), 0, tolerance * A_top * A_top * X_top);
    dense_multiply(n, m, n, XA, false, X, false, T);
    TEST_NEAR(dense_distance(m * n, T, X), 0, tolerance * X_top * X_top * A_top);
    for (int32_t j = 0; j < m; ++j) {
        for (int32_t i = 0; i < m; ++i) {
            TEST_NEAR(AX[i + j * m], AX[j + i * m], tolerance * A_top * X_top);
        }
    }
    for (int32_t j = 0; j < n; ++j) {
        for (int32_t i = 0; i < n; ++i) {
            TEST_NEAR(XA[i + j * n], XA[j + i * n], tolerance * A_top * X_top);
        }
    }
}

LYRA_TEST(pseudo_inverse_meets_penrose)
{
    static double A[DENSE_ROOM], X[2][DENSE_ROOM];
    const DenseKind some[] = {DENSE_NORMAL, DENSE_LOW_RANK, DENSE_ZERO, DENSE_INTEGER, DENSE_EQUAL};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(22);
    for (int32_t round = 0; round < 80; ++round) {
        DenseKind kind = some[round % 5];
        int32_t m = round < 10 ? round / 3 : test_random_below(&random, DENSE_MAX + 1);
        int32_t n = round < 10 ? round % 3 : test_random_below(&random, DENSE_MAX + 1);
        int32_t k = m < n ? m : n, found = 0, rank = -1;
        dense_random(&random, kind, m, n, A);
        FOR_EACH_BACKEND(ctx)
        {
            TEST_REQUIRE_OK(lyra_dense_pseudo_inverse(ctx, m, n, A, -1, X[found], &rank));
            if (kind != DENSE_INTEGER) {
                int32_t truth = kind == DENSE_NORMAL     ? k
                                : kind == DENSE_LOW_RANK ? (k + 2) / 3
                                : kind == DENSE_EQUAL    ? k > 0
                                                         : 0;
                TEST_EQUAL(rank, truth);
            }
            check_penrose(m, n, A, X[found], 1e-11);
            ++found;
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(least_squares_residual_is_orthogonal_and_solution_minimal)
{
    static double A[DENSE_ROOM], B[DENSE_ROOM], X[DENSE_ROOM], P[DENSE_ROOM], R[DENSE_ROOM];
    static double G[DENSE_ROOM];
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(23);
    for (int32_t round = 0; round < 60; ++round) {
        int32_t m = test_random_below(&random, DENSE_MAX + 1);
        int32_t n = test_random_below(&random, DENSE_MAX + 1), c = test_random_below(&random, 4);
        dense_random(&random, round % 2 ? DENSE_LOW_RANK : DENSE_NORMAL, m, n, A);
        dense_random(&random, DENSE_NORMAL, m, c, B);
        FOR_EACH_BACKEND(ctx)
        {
            int32_t rank = -1;
            TEST_REQUIRE_OK(
                lyra_dense_least_squares(ctx, (LyraDenseView){m, n, A}, c, B, -1, X, &rank));
            dense_multiply(m, c, n, A, false, X, false, R);
            for (int32_t i = 0; i < m * c; ++i) {
                R[i] -= B[i];
            }
            dense_multiply(n, c, m, A, true, R, false, G);
            double top = fmax(1, dense_max(n * c, X));
            TEST_NEAR(dense_max(n * c, G), 0, 1e-10 * top);
            // the minimal one is A^+ B
            TEST_REQUIRE_OK(lyra_dense_pseudo_inverse(ctx, m, n, A, -1, P, NULL));
            dense_multiply(n, c, m, P, false, B, false, G);
            TEST_NEAR(dense_distance(n * c, G, X), 0, 1e-11 * top);
        }
    }
    // rcond cuts off
    const double D[4] = {1, 0, 0, 1e-3}, b[2] = {1, 1};
    double x[2];
    int32_t rank = 0;
    TEST_OK(lyra_dense_least_squares(ctx, (LyraDenseView){2, 2, D}, 1, b, 1e-2, x, &rank));
    TEST_EQUAL(rank, 1);
    TEST_NEAR(x[1], 0, 1e-15);
    TEST_OK(lyra_dense_least_squares(ctx, (LyraDenseView){2, 2, D}, 1, b, 0, x, &rank));
    TEST_EQUAL(rank, 2);
    TEST_NEAR(x[1], 1000, 1e-9);
    TEST_STATUS(lyra_dense_least_squares(ctx, (LyraDenseView){2, 2, D}, 1, b, NAN, x, &rank),
                LYRA_INVALID_ARGUMENT);
    test_context_end(ctx);
}

LYRA_TEST(exponential_of_known_matrices)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    FOR_EACH_BACKEND(ctx)
    {
        double E[16];
        // rotations, small to large
        for (int32_t power = -24; power <= 14; ++power) {
            double angle = 1.7 * pow(10, 0.5 * power);
            const double J[4] = {0, angle, -angle, 0};
            TEST_REQUIRE_OK(lyra_dense_exponential(ctx, 2, J, E));
            double tolerance = 10 * EPS * fmax(1, angle);
            TEST_NEAR(E[0], cos(angle), tolerance);
            TEST_NEAR(E[1], sin(angle), tolerance);
            TEST_NEAR(E[2], -sin(angle), tolerance);
        }
        // nilpotent: I + N + N^2 / 2 + N^3 / 6, also where |N| is huge
        for (int32_t power = -10; power < 20; power += 2) {
            double h = pow(10, power);
            double N[16] = {0};
            N[0 + 4 * 1] = N[1 + 4 * 2] = N[2 + 4 * 3] = h;
            TEST_REQUIRE_OK(lyra_dense_exponential(ctx, 4, N, E));
            TEST_NEAR(E[0 + 4 * 1] / h, 1, 1e-14);
            TEST_NEAR(E[0 + 4 * 2] / (h * h / 2), 1, 1e-14);
            TEST_NEAR(E[0 + 4 * 3] / (h * h * h / 6), 1, 1e-14);
            TEST_NEAR(E[0], 1, 1e-15);
        }
        // far from normal: exp [1 b; 0 -1] = [e, b sinh 1; 0, 1/e]
        for (int32_t power = 0; power <= 200; power += 10) {
            double b = pow(10, power);
            const double T[4] = {1, 0, b, -1};
            TEST_REQUIRE_OK(lyra_dense_exponential(ctx, 2, T, E));
            TEST_NEAR(E[0], exp(1), 1e-14);
            TEST_NEAR(E[2] / b, sinh(1), 1e-14);
            TEST_NEAR(E[3], exp(-1), 1e-14);
        }
        // diagonal, from vanishing to almost overflowing
        const double D[4] = {-1e5, 0, 0, 700};
        TEST_REQUIRE_OK(lyra_dense_exponential(ctx, 2, D, E));
        TEST_CHECK(E[0] >= 0 && E[0] < 1e-300);
        TEST_NEAR(E[3] / exp(700), 1, 1e-12);
        const double over[1] = {710}, far[1] = {1e300}, below[1] = {-1e300};
        E[0] = 3;
        TEST_STATUS(lyra_dense_exponential(ctx, 1, over, E), LYRA_NOT_FINITE);
        TEST_STATUS(lyra_dense_exponential(ctx, 1, far, E), LYRA_NOT_FINITE);
        TEST_CHECK(E[0] == 3);
        TEST_OK(lyra_dense_exponential(ctx, 1, below, E));
        TEST_CHECK(E[0] == 0);
        TEST_OK(lyra_dense_exponential(ctx, 0, NULL, NULL));
        // I + N for N^2 = 0, with sums of magnitudes that overflow
        double N[9] = {0}, sum[9];
        N[0 + 3 * 2] = N[1 + 3 * 2] = 1.5e308;
        TEST_OK(lyra_dense_exponential(ctx, 3, N, sum));
        TEST_CHECK(sum[0] == 1 && sum[6] == 1.5e308 && sum[7] == 1.5e308 && sum[1] == 0);
    }
    test_context_end(ctx);
}

LYRA_TEST(exponential_of_symmetric_and_inverse_agree)
{
    static double A[DENSE_ROOM], E[DENSE_ROOM], F[DENSE_ROOM], w[DENSE_MAX], X[DENSE_ROOM];
    static double T[DENSE_ROOM];
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(24);
    for (int32_t round = 0; round < 40; ++round) {
        int32_t n = 1 + test_random_below(&random, 30);
        double size = pow(10, test_random_in(&random, -6, 1));
        dense_random_symmetric(&random, DENSE_NORMAL, n, A);
        for (int32_t i = 0; i < n * n; ++i) {
            A[i] *= size / n;
        }
        FOR_EACH_BACKEND(ctx)
        {
            TEST_REQUIRE_OK(lyra_dense_eigen(ctx, n, A, w, X));
            for (int32_t j = 0; j < n; ++j) {
                for (int32_t i = 0; i < n; ++i) {
                    T[i + j * n] = X[i + j * n] * exp(w[j]);
                }
            }
            dense_multiply(n, n, n, T, false, X, true, F);
            TEST_REQUIRE_OK(lyra_dense_exponential(ctx, n, A, E));
            TEST_NEAR(dense_distance(n * n, E, F) / exp(w[n - 1]), 0, 1e-13);
            // exp(A) exp(-A) = I
            for (int32_t i = 0; i < n * n; ++i) {
                F[i] = -A[i];
            }
            TEST_REQUIRE_OK(lyra_dense_exponential(ctx, n, F, F));
            dense_multiply(n, n, n, E, false, F, false, T);
            for (int32_t i = 0; i < n; ++i) {
                T[i + i * n] -= 1;
            }
            TEST_NEAR(dense_max(n * n, T) / exp(w[n - 1] - w[0]), 0, 1e-13);
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(principal_components_of_known_cloud)
{
    // points on two crossing segments: mean (1, 2), variances 8 and 2/... along the diagonals
    const double data[8] = {1 + 4, 2 + 4, 1 - 4, 2 - 4, 1 + 1, 2 - 1, 1 - 1, 2 + 1};
    const double r = sqrt(0.5);
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    FOR_EACH_BACKEND(ctx)
    {
        double mean[2], components[4], variances[2];
        TEST_REQUIRE_OK(lyra_dense_pca(ctx, NULL, 2, 4, data, mean, components, variances));
        TEST_NEAR(mean[0], 1, 1e-15);
        TEST_NEAR(mean[1], 2, 1e-15);
        TEST_NEAR(variances[0], 16, 1e-13);
        TEST_NEAR(variances[1], 1, 1e-14);
        TEST_NEAR(components[0], r, 1e-14);
        TEST_NEAR(components[1], r, 1e-14);
        TEST_NEAR(fabs(components[2]), r, 1e-14);
        // a sample of weight 0 is not there, one of weight 2 is there twice
        const double weights[4] = {2, 2, 0, 0};
        LyraPcaDef def = lyra_pca_def_default();
        def.sample_weights = weights;
        TEST_REQUIRE_OK(lyra_dense_pca(ctx, &def, 2, 4, data, mean, components, variances));
        TEST_NEAR(variances[0], 32, 1e-13);
        TEST_NEAR(variances[1], 0, 1e-14);
        // not centred
        def = lyra_pca_def_default();
        def.centred = false;
        TEST_REQUIRE_OK(lyra_dense_pca(ctx, &def, 2, 4, data, mean, NULL, variances));
        TEST_CHECK(mean[0] == 0 && mean[1] == 0);
        TEST_NEAR(variances[0] + variances[1], 17 + 5, 1e-13);
        TEST_OK(lyra_dense_pca(ctx, NULL, 2, 0, NULL, mean, components, variances));
        TEST_OK(lyra_dense_pca(ctx, NULL, 0, 0, NULL, NULL, NULL, NULL));
    }
    test_context_end(ctx);
}

LYRA_TEST(principal_components_meet_the_inner_product)
{
    static double data[DENSE_ROOM], mean[DENSE_MAX], C[DENSE_ROOM], variances[DENSE_MAX];
    const int32_t rows = 30, samples = 20;
    double masses[30], weights[20], total = 0, trace = 0;
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(25);
    dense_random(&random, DENSE_NORMAL, rows, samples, data);
    for (int32_t i = 0; i < rows; ++i) {
        masses[i] = test_random_in(&random, 0.1, 10);
    }
    for (int32_t j = 0; j < samples; ++j) {
        weights[j] = test_random_in(&random, 0, 1);
        total += weights[j];
    }
    LyraPcaDef def = lyra_pca_def_default();
    def.row_weights = masses;
    def.sample_weights = weights;
    FOR_EACH_BACKEND(ctx)
    {
        TEST_REQUIRE_OK(lyra_dense_pca(ctx, &def, rows, samples, data, mean, C, variances));
        double sum = 0;
        for (int32_t a = 0; a < samples; ++a) {
            double variance = 0;
            for (int32_t b = 0; b < samples; ++b) {
                double dot = 0, coordinate = 0;
                for (int32_t i = 0; i < rows; ++i) {
                    dot += masses[i] * C[i + a * rows] * C[i + b * rows];
                    coordinate += masses[i] * C[i + a * rows] * (data[i + b * rows] - mean[i]);
                }
                // the last direction carries no variance, but is a unit vector all the same
                TEST_NEAR(dot, a == b, 1e-13);
                variance += weights[b] * coordinate * coordinate / total;
            }
            TEST_NEAR(variance, variances[a], 1e-12);
            sum += variances[a];
        }
        trace = 0;
        for (int32_t b = 0; b < samples; ++b) {
            for (int32_t i = 0; i < rows; ++i) {
                double d = data[i + b * rows] - mean[i];
                trace += weights[b] * masses[i] * d * d / total;
            }
        }
        TEST_NEAR(sum, trace, 1e-11);
    }
    def.row_weights = weights; // long enough for 20 rows; make one bad
    weights[3] = 0;
    TEST_STATUS(lyra_dense_pca(ctx, &def, 20, 20, data, mean, C, variances), LYRA_INVALID_ARGUMENT);
    def.row_weights = NULL;
    weights[3] = -1;
    TEST_STATUS(lyra_dense_pca(ctx, &def, 20, 20, data, mean, C, variances), LYRA_INVALID_ARGUMENT);
    weights[3] = INFINITY;
    TEST_STATUS(lyra_dense_pca(ctx, &def, 20, 20, data, mean, C, variances), LYRA_INVALID_ARGUMENT);
    def.cookie = 0;
    TEST_STATUS(lyra_dense_pca(ctx, &def, 20, 20, data, mean, C, variances), LYRA_INVALID_ARGUMENT);
    test_context_end(ctx);
}
