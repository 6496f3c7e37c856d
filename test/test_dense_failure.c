// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Every function with bad numbers, bad sizes and failing memory: a status, outputs untouched,
// nothing leaked.

#include "dense_test.h"

/// One call of a function with A (and, where there is a second matrix, B) of size `size`. `out` has
/// room for every output.
typedef LyraStatus Call(LyraContext *ctx, int32_t size, const double *A, const double *B,
                        double *out);

static LyraStatus call_create(LyraContext *ctx, int32_t size, const double *A, const double *B,
                              double *out)
{
    (void)A;
    (void)B;
    (void)out;
    LyraDense *matrix = NULL;
    LY_TRY(lyra_dense_create(ctx, size, size, &matrix));
    LyraDenseView view = lyra_dense_view(matrix);
    bool good = view.rows == size && view.columns == size && view.values[0] == 0;
    lyra_dense_values(matrix)[0] = 1;
    good = good && view.values[0] == 1;
    lyra_dense_destroy(matrix);
    return good ? LYRA_OK : LYRA_INVALID_ARGUMENT;
}

static LyraStatus call_norm(LyraContext *ctx, int32_t size, const double *A, const double *B,
                            double *out)
{
    (void)B;
    return lyra_dense_norm(ctx, LYRA_NORM_TWO, size, size, A, out);
}

static LyraStatus call_factor(LyraContext *ctx, LyraFactorKind kind, int32_t size, const double *A,
                              const double *B, double *out)
{
    LyraDenseFactor *factor = NULL;
    LY_TRY(lyra_dense_factor_create(ctx, kind, size, A, &factor));
    LyraStatus status = lyra_dense_factor_solve(factor, size, B, out);
    lyra_dense_factor_destroy(factor);
    return status;
}

static LyraStatus call_lu(LyraContext *ctx, int32_t size, const double *A, const double *B,
                          double *out)
{
    return call_factor(ctx, LYRA_FACTOR_LU, size, A, B, out);
}

static LyraStatus call_cholesky(LyraContext *ctx, int32_t size, const double *A, const double *B,
                                double *out)
{
    return call_factor(ctx, LYRA_FACTOR_CHOLESKY, size, A, B, out);
}

static LyraStatus call_ldl(LyraContext *ctx, int32_t size, const double *A, const double *B,
                           double *out)
{
    return call_factor(ctx, LYRA_FACTOR_LDL, size, A, B, out);
}

static LyraStatus call_inertia(LyraContext *ctx, int32_t size, const double *A, const double *B,
                               double *out)
{
    (void)B;
    LyraInertia inertia = {0};
    LY_TRY(lyra_dense_inertia(ctx, size, A, &inertia));
    out[0] = inertia.positive;
    return LYRA_OK;
}

static LyraStatus call_determinant(LyraContext *ctx, int32_t size, const double *A, const double *B,
                                   double *out)
{
    (void)B;
    return lyra_dense_determinant(ctx, size, A, out, out + 1);
}

static LyraStatus call_inverse(LyraContext *ctx, int32_t size, const double *A, const double *B,
                               double *out)
{
    (void)B;
    return lyra_dense_inverse(ctx, size, A, out);
}

static LyraStatus call_svd(LyraContext *ctx, int32_t size, const double *A, const double *B,
                           double *out)
{
    (void)B;
    int32_t square = size > 0 && size < 100 ? size * size : 0;
    return lyra_dense_svd(ctx, size, size, A, out, out + square, out + square + 10);
}

static LyraStatus call_svd_wide(LyraContext *ctx, int32_t size, const double *A, const double *B,
                                double *out)
{
    (void)B;
    int32_t square = size > 0 && size < 100 ? size * size : 0;
    return lyra_dense_svd(ctx, size < 0 ? size : 1, size, A, out, out + square, out + square + 10);
}

static LyraStatus call_eigen(LyraContext *ctx, int32_t size, const double *A, const double *B,
                             double *out)
{
    (void)B;
    return lyra_dense_eigen(ctx, size, A, out, out + 10);
}

static LyraStatus call_generalised(LyraContext *ctx, int32_t size, const double *A, const double *B,
                                   double *out)
{
    return lyra_dense_eigen_generalised(ctx, size, B, A, out, out + 10);
}

static LyraStatus call_least_squares(LyraContext *ctx, int32_t size, const double *A,
                                     const double *B, double *out)
{
    return lyra_dense_least_squares(ctx, (LyraDenseView){size, size, A}, size, B, -1, out, NULL);
}

static LyraStatus call_pseudo_inverse(LyraContext *ctx, int32_t size, const double *A,
                                      const double *B, double *out)
{
    (void)B;
    return lyra_dense_pseudo_inverse(ctx, size, size, A, -1, out, NULL);
}

static LyraStatus call_exponential(LyraContext *ctx, int32_t size, const double *A, const double *B,
                                   double *out)
{
    (void)B;
    return lyra_dense_exponential(ctx, size, A, out);
}

static LyraStatus call_pca(LyraContext *ctx, int32_t size, const double *A, const double *B,
                           double *out)
{
    (void)B;
    return lyra_dense_pca(ctx, NULL, size, size, A, out, out + 20, out + 10);
}

typedef struct Case {
    const char *name;
    Call *call;
    bool reads_B;
    bool reads_values, allocates_all;
} Case;

static const Case cases[] = {
    {"create", call_create, false, false, true},
    {"norm", call_norm, false, true, true},
    {"lu", call_lu, true, true, true},
    {"cholesky", call_cholesky, true, true, true},
    {"ldl", call_ldl, true, true, true},
    {"inertia", call_inertia, false, true, true},
    {"determinant", call_determinant, false, true, true},
    {"inverse", call_inverse, false, true, true},
    {"svd", call_svd, false, true, true},
    {"svd_wide", call_svd_wide, false, true, false},
    {"eigen", call_eigen, false, true, true},
    {"generalised", call_generalised, true, true, true},
    {"least_squares", call_least_squares, true, true, true},
    {"pseudo_inverse", call_pseudo_inverse, false, true, true},
    {"exponential", call_exponential, false, true, true},
    {"pca", call_pca, false, true, true},
};
enum { CASE_COUNT = sizeof cases / sizeof *cases };

/// Symmetric positive definite, of size 5.
static const double good[25] = {4, 1, 0, 0, 1, 1, 5, 1, 0, 0, 0, 1, 6,
                                1, 0, 0, 0, 1, 5, 1, 1, 0, 0, 1, 4};

typedef struct Scenario {
    const Case *test;
    LyDenseBackend backend;
} Scenario;

static LyraStatus run_scenario(LyraContext *ctx, void *data)
{
    const Scenario *scenario = data;
    double out[128];
    ly_dense_force(ctx, scenario->backend);
    return scenario->test->call(ctx, 5, good, good, out);
}

LYRA_TEST(failing_allocations_leak_nothing)
{
    for (int32_t i = 0; i < CASE_COUNT; ++i) {
        for (int32_t backend = LY_DENSE_BUILTIN; backend <= LY_DENSE_LAPACK; ++backend) {
            LyraContext *probe = test_context(1, LYRA_ISA_AUTO);
            bool available = ly_dense_force(probe, (LyDenseBackend)backend);
            test_context_end(probe);
            if (available) {
                Scenario scenario = {&cases[i], (LyDenseBackend)backend};
                test_fail_each_allocation(run_scenario, &scenario);
            }
        }
    }
}

LYRA_TEST(numbers_that_are_not_finite_are_refused)
{
    const double values[] = {NAN, INFINITY, -INFINITY};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    FOR_EACH_BACKEND(ctx)
    {
        for (int32_t i = 0; i < CASE_COUNT; ++i) {
            for (int32_t v = 0; v < 3 && cases[i].reads_values; ++v) {
                double A[25], out[128], before[128];
                for (int32_t k = 0; k < 128; ++k) {
                    out[k] = before[k] = k;
                }
                memcpy(A, good, sizeof A);
                A[4] = values[v]; // row 4, column 0
                TEST_STATUS(cases[i].call(ctx, 5, A, good, out), LYRA_NOT_FINITE);
                TEST_CONTAINS(lyra_error_message(), v == 0 ? "not a number" : "infinite");
                if (cases[i].reads_B) {
                    TEST_STATUS(cases[i].call(ctx, 5, good, A, out), LYRA_NOT_FINITE);
                }
                if (!TEST_CHECK(memcmp(out, before, sizeof out) == 0)) {
                    fprintf(stderr, "by %s\n", cases[i].name);
                }
            }
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(bad_sizes_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double out[4] = {7, 7, 7, 7};
    for (int32_t i = 0; i < CASE_COUNT; ++i) {
        TEST_STATUS(cases[i].call(ctx, -1, good, good, out), LYRA_INVALID_ARGUMENT);
        if (cases[i].allocates_all) {
            TEST_STATUS(cases[i].call(ctx, INT32_MAX, good, good, out), LYRA_TOO_LARGE);
        }
        TEST_CHECK(out[0] == 7);
    }
    LyraDenseFactor *factor = NULL;
    TEST_STATUS(lyra_dense_factor_create(ctx, (LyraFactorKind)9, 1, good, &factor),
                LYRA_INVALID_ARGUMENT);
    lyra_dense_factor_destroy(NULL);
    lyra_dense_destroy(NULL);
    test_context_end(ctx);
}

LYRA_TEST(sizes_0_and_1_work)
{
    const double two = 2;
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    FOR_EACH_BACKEND(ctx)
    {
        for (int32_t i = 1; i < CASE_COUNT; ++i) {
            double out[128] = {0};
            TEST_OK(cases[i].call(ctx, 1, &two, &two, out));
            if (cases[i].call != call_svd_wide) {
                TEST_OK(cases[i].call(ctx, 0, NULL, NULL, out));
            }
        }
        double value = 0, vector = 0;
        TEST_OK(lyra_dense_eigen(ctx, 1, &two, &value, &vector));
        TEST_CHECK(value == 2 && vector == 1);
        TEST_OK(lyra_dense_inverse(ctx, 1, &two, &value));
        TEST_CHECK(value == 0.5);
        TEST_OK(lyra_dense_exponential(ctx, 1, &two, &value));
        TEST_NEAR(value, exp(2), 4 * EPS * exp(2));
    }
    test_context_end(ctx);
}

LYRA_TEST(results_beyond_range_are_refused)
{
    const double huge[4] = {1.7e308, 1.7e308, 1.7e308, 1.7e308}, tiny[1] = {1e-310};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    FOR_EACH_BACKEND(ctx)
    {
        double out[4] = {7, 7, 7, 7};
        TEST_STATUS(lyra_dense_svd(ctx, 2, 2, huge, NULL, out, NULL), LYRA_NOT_FINITE);
        TEST_CONTAINS(lyra_error_message(), "beyond the range of a double");
        TEST_STATUS(lyra_dense_eigen(ctx, 2, huge, out, NULL), LYRA_NOT_FINITE);
        TEST_STATUS(lyra_dense_inverse(ctx, 1, tiny, out), LYRA_NOT_FINITE);
        TEST_STATUS(lyra_dense_pseudo_inverse(ctx, 1, 1, tiny, -1, out, NULL), LYRA_NOT_FINITE);
        TEST_CHECK(out[0] == 7);
        for (int32_t kind = LYRA_FACTOR_LU; kind <= LYRA_FACTOR_LDL; ++kind) {
            const double small = 1e-300, large = 1e100;
            LyraDenseFactor *factor = NULL;
            TEST_REQUIRE_OK(
                lyra_dense_factor_create(ctx, (LyraFactorKind)kind, 1, &small, &factor));
            TEST_STATUS(lyra_dense_factor_solve(factor, 1, &large, out), LYRA_NOT_FINITE);
            TEST_OK(lyra_dense_factor_solve(factor, 1, &small, out));
            TEST_NEAR(out[0], 1, 4 * EPS);
            lyra_dense_factor_destroy(factor);
        }
    }
    test_context_end(ctx);
}
