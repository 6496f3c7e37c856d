// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Accuracy of SVD, nearest rotation and symmetric eigenvalues over a million matrices of every kind
// and scale, on every instruction set.

#include "lyra/math3.h"
#include "lyra_test.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#define CASE_COUNT 1020000 // for all kinds together; 1020000 / 17 each
#define BLOCK 4096
#define TOLERANCE 1e-13

// largest error of each kind
typedef struct Worst {
    double residual, orthogonal, other;
} Worst;

static void take_worst(double *worst, double error)
{
    if (!(error <= *worst)) {
        *worst = error;
    }
}

static void report(const char *what, LyraIsa isa, const Worst worst[TEST_MATRIX_KIND_COUNT])
{
    double tolerance = TOLERANCE * test_tolerance_scale();
    for (int kind = 0; kind < TEST_MATRIX_KIND_COUNT; ++kind) {
        const Worst *w = &worst[kind];
        TEST_CHECK_MSG(
            w->residual <= tolerance && w->orthogonal <= tolerance && w->other <= tolerance,
            "%s, %s, %s: residual %.3g, not orthogonal by %.3g, other %.3g, tolerance %.3g", what,
            lyra_isa_name(isa), test_matrix_kind_name((TestMatrixKind)kind), w->residual,
            w->orthogonal, w->other, tolerance);
    }
}

// A kind per index in turn; half of them at scale 1, the rest from 1e-150 to 1e150.
static void fill_block(TestRandom *random, int32_t count, LyraMat3 *F)
{
    for (int32_t i = 0; i < count; ++i) {
        bool scaled = test_random_below(random, 2);
        double scale = scaled ? pow(10, test_random_in(random, -150, 150)) : 1;
        test_random_matrix3(random, (TestMatrixKind)(i % TEST_MATRIX_KIND_COUNT), scale,
                            (double *)&F[i]);
    }
}

// Power of two that brings the largest entry to about 1; 1 for the zero matrix.
static double normalizer(LyraMat3 F)
{
    double largest = 0;
    for (int k = 0; k < 9; ++k) {
        largest = fmax(largest, fabs(F.m[k / 3][k % 3]));
    }
    int exponent = 0;
    frexp(largest, &exponent);
    return ldexp(1, -exponent);
}

// distance from the rotations: |Q^T Q - I| and the determinant
static double rotation_error(LyraMat3 Q)
{
    LyraMat3 gram = lyra_mat3_transposed_multiply(Q, Q);
    double error = lyra_mat3_norm(lyra_mat3_subtract(gram, lyra_mat3_identity()));
    return fmax(error, fabs(lyra_mat3_determinant(Q) - 1));
}

static LyraMat3 compose(LyraMat3 U, LyraVec3 s, LyraMat3 V)
{
    LyraMat3 US = lyra_mat3_multiply(U, lyra_mat3_diagonal(s.x, s.y, s.z));
    return lyra_mat3_multiply_transposed(US, V);
}

// |A - B| / |A| where A is normalised; |B| for A = 0
static double relative_error(LyraMat3 A, LyraMat3 B)
{
    double norm = lyra_mat3_norm(A);
    return lyra_mat3_norm(lyra_mat3_subtract(A, B)) / (norm > 0 ? norm : 1);
}

static void check_svd(LyraMat3 F, LyraMat3 U, LyraVec3 s, LyraMat3 V, Worst *worst)
{
    double f = normalizer(F);
    LyraMat3 G = lyra_mat3_scale(F, f);
    take_worst(&worst->residual, relative_error(G, compose(U, lyra_vec3_scale(s, f), V)));
    take_worst(&worst->orthogonal, fmax(rotation_error(U), rotation_error(V)));
    // order and sign are exact
    take_worst(&worst->other, s.x >= s.y && s.y >= fabs(s.z) ? 0 : 1);
}

static void svd_sweep(LyraIsa isa, int32_t case_count)
{
    LyraContext *ctx = test_context(1, isa);
    TestRandom random = test_random(1);
    static LyraMat3 F[BLOCK], U[BLOCK], V[BLOCK];
    static LyraVec3 s[BLOCK];
    Worst worst[TEST_MATRIX_KIND_COUNT] = {0};
    for (int32_t done = 0; done < case_count; done += BLOCK) {
        fill_block(&random, BLOCK, F);
        lyra_mat3_svd_batch(ctx, BLOCK, F, U, s, V);
        for (int32_t i = 0; i < BLOCK; ++i) {
            check_svd(F[i], U[i], s[i], V[i], &worst[i % TEST_MATRIX_KIND_COUNT]);
        }
    }
    report("svd", isa, worst);
    test_context_end(ctx);
}

LYRA_TEST(svd_is_exact_for_a_million_matrices)
{
    svd_sweep(LYRA_ISA_AUTO, CASE_COUNT);
}

LYRA_TEST(svd_is_exact_on_every_isa)
{
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        svd_sweep(isa, CASE_COUNT / 5);
    }
}

LYRA_TEST(svd_scalar_is_exact)
{
    TestRandom random = test_random(2);
    static LyraMat3 F[BLOCK];
    Worst worst[TEST_MATRIX_KIND_COUNT] = {0};
    for (int32_t done = 0; done < CASE_COUNT / 5; done += BLOCK) {
        fill_block(&random, BLOCK, F);
        for (int32_t i = 0; i < BLOCK; ++i) {
            LyraSvd3 svd = lyra_mat3_svd(F[i]);
            check_svd(F[i], svd.U, svd.s, svd.V, &worst[i % TEST_MATRIX_KIND_COUNT]);
        }
    }
    report("svd of one", LYRA_ISA_SCALAR, worst);
}

// ---- nearest rotation ---------------------------------------------------------------------------

static void check_polar(LyraMat3 F, LyraMat3 R, LyraMat3 S, LyraVec3 s, Worst *worst)
{
    double f = normalizer(F);
    LyraMat3 G = lyra_mat3_scale(F, f);
    take_worst(&worst->residual, relative_error(G, lyra_mat3_multiply(R, lyra_mat3_scale(S, f))));
    take_worst(&worst->orthogonal, rotation_error(R));
    // nearest: tr R^T F is the sum of the signed stretches, no rotation has more
    double trace = lyra_mat3_dot(R, G), sum = f * (s.x + s.y + s.z);
    double norm = lyra_mat3_norm(G);
    take_worst(&worst->other, fabs(trace - sum) / (norm > 0 ? norm : 1));
}

static void polar_sweep(LyraIsa isa, int32_t case_count)
{
    LyraContext *ctx = test_context(1, isa);
    TestRandom random = test_random(3);
    static LyraMat3 F[BLOCK], R[BLOCK], S[BLOCK];
    static LyraVec3 s[BLOCK];
    Worst worst[TEST_MATRIX_KIND_COUNT] = {0};
    for (int32_t done = 0; done < case_count; done += BLOCK) {
        fill_block(&random, BLOCK, F);
        lyra_mat3_polar_batch(ctx, BLOCK, F, R, S);
        lyra_mat3_svd_batch(ctx, BLOCK, F, NULL, s, NULL);
        for (int32_t i = 0; i < BLOCK; ++i) {
            check_polar(F[i], R[i], S[i], s[i], &worst[i % TEST_MATRIX_KIND_COUNT]);
            TEST_CHECK(S[i].m[0][1] == S[i].m[1][0] && S[i].m[1][2] == S[i].m[2][1] &&
                       S[i].m[2][0] == S[i].m[0][2]);
        }
    }
    report("polar", isa, worst);
    test_context_end(ctx);
}

LYRA_TEST(polar_is_exact_for_a_million_matrices)
{
    polar_sweep(LYRA_ISA_AUTO, CASE_COUNT);
}

LYRA_TEST(polar_is_exact_on_every_isa)
{
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        polar_sweep(isa, CASE_COUNT / 5);
    }
}

// F = R S with known R and stretches s: an error of eps s1 in F turns R by eps s1 / (s2 + s3).
LYRA_TEST(polar_finds_the_rotation)
{
    TestRandom random = test_random(4);
    double worst = 0;
    for (int32_t i = 0; i < 100000; ++i) {
        LyraMat3 R, V;
        test_random_rotation(&random, (double *)&R);
        test_random_rotation(&random, (double *)&V);
        double s1 = test_random_in(&random, 1, 2), s2 = pow(10, test_random_in(&random, -6, 0));
        double s3 = s2 * test_random_in(&random, -0.99, 1);
        LyraMat3 F = lyra_mat3_multiply(R, compose(V, lyra_vec3(s1, s2, s3), V));
        double error = lyra_mat3_norm(lyra_mat3_subtract(lyra_mat3_polar(F), R));
        take_worst(&worst, error * (s2 + s3) / (s1 * DBL_EPSILON));
    }
    TEST_CHECK_MSG(worst <= 100 * test_tolerance_scale(),
                   "rotation off by %.3g eps s1 / (s2 + s3), tolerance 100", worst);
}

// ---- symmetric eigenvalues ----------------------------------------------------------------------

static void eigen_sweep(LyraIsa isa, int32_t case_count)
{
    LyraContext *ctx = test_context(1, isa);
    TestRandom random = test_random(5);
    static LyraMat3 A[BLOCK], V[BLOCK];
    static LyraVec3 values[BLOCK];
    Worst worst[TEST_MATRIX_KIND_COUNT] = {0};
    for (int32_t done = 0; done < case_count; done += BLOCK) {
        fill_block(&random, BLOCK, A);
        for (int32_t i = 0; i < BLOCK; ++i) {
            // halves first: the sum may overflow
            LyraMat3 half = lyra_mat3_scale(A[i], 0.5);
            A[i] = lyra_mat3_add(half, lyra_mat3_transpose(half));
        }
        lyra_mat3_eigen_batch(ctx, BLOCK, A, values, V);
        for (int32_t i = 0; i < BLOCK; ++i) {
            Worst *w = &worst[i % TEST_MATRIX_KIND_COUNT];
            double f = normalizer(A[i]);
            LyraMat3 G = lyra_mat3_scale(A[i], f);
            LyraVec3 l = values[i];
            take_worst(&w->residual, relative_error(G, compose(V[i], lyra_vec3_scale(l, f), V[i])));
            take_worst(&w->orthogonal, rotation_error(V[i]));
            take_worst(&w->other, l.x >= l.y && l.y >= l.z ? 0 : 1);
        }
    }
    report("eigen", isa, worst);
    test_context_end(ctx);
}

LYRA_TEST(eigen_is_exact_for_a_million_matrices)
{
    eigen_sweep(LYRA_ISA_AUTO, CASE_COUNT);
}

LYRA_TEST(eigen_is_exact_on_every_isa)
{
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        eigen_sweep(isa, CASE_COUNT / 5);
    }
}

LYRA_TEST(eigen_reads_the_upper_triangle)
{
    LyraMat3 A = lyra_mat3_from_rows(lyra_vec3(4, 1, -2), lyra_vec3(NAN, 3, 0.5),
                                     lyra_vec3(INFINITY, 1e300, -1));
    LyraEigen3 found = lyra_mat3_eigen(A);
    LyraMat3 full =
        lyra_mat3_from_rows(lyra_vec3(4, 1, -2), lyra_vec3(1, 3, 0.5), lyra_vec3(-2, 0.5, -1));
    LyraMat3 again = compose(found.vectors, found.values, found.vectors);
    TEST_NEAR(relative_error(full, again), 0, TOLERANCE);
}

// ---- edges --------------------------------------------------------------------------------------

LYRA_TEST(zero_gives_identity)
{
    LyraMat3 zero = lyra_mat3_scale(lyra_mat3_identity(), 0);
    LyraMat3 identity = lyra_mat3_identity(), R = lyra_mat3_polar(zero);
    LyraSvd3 svd = lyra_mat3_svd(zero);
    TEST_CHECK(lyra_mat3_norm(lyra_mat3_subtract(svd.U, identity)) == 0);
    TEST_CHECK(lyra_mat3_norm(lyra_mat3_subtract(svd.V, identity)) == 0);
    TEST_CHECK(svd.s.x == 0 && svd.s.y == 0 && svd.s.z == 0);
    TEST_CHECK(lyra_mat3_norm(lyra_mat3_subtract(R, identity)) == 0);
}

// The largest and smallest doubles: the stretches round to what doubles hold there.
LYRA_TEST(extreme_scales_work)
{
    TestRandom random = test_random(6);
    const double scales[] = {1e-320, 1e-310, 0x1p-1022, 0x1p-1021, 0x1p-1020, 1e-300,
                             1e300,  1e307,  0x1p1020,  0x1p1021,  3e307};
    for (int k = 0; k < (int)(sizeof scales / sizeof scales[0]); ++k) {
        for (int i = 0; i < 100; ++i) {
            LyraMat3 F;
            test_random_matrix3(&random, TEST_MATRIX_NEAR_IDENTITY, scales[k], (double *)&F);
            LyraSvd3 svd = lyra_mat3_svd(F);
            // in two steps: no one power of two is the inverse of the smallest doubles
            double up = scales[k] < 1 ? 0x1p600 : 0x1p-600;
            double rest = scales[k] < 1 ? 0x1p400 : 0x1p-400;
            LyraMat3 G = lyra_mat3_scale(lyra_mat3_scale(F, up), rest);
            LyraVec3 s = lyra_vec3_scale(lyra_vec3_scale(svd.s, up), rest);
            double ulp = 4 * (0x1p-1074 * up * rest) / lyra_mat3_norm(G);
            double tolerance = fmax(TOLERANCE, scales[k] < 1 ? ulp : 0);
            TEST_NEAR(relative_error(G, compose(svd.U, s, svd.V)), 0, tolerance);
            TEST_NEAR(rotation_error(svd.U), 0, TOLERANCE);
            TEST_NEAR(rotation_error(svd.V), 0, TOLERANCE);
            LyraMat3 R = lyra_mat3_polar(F), UV = lyra_mat3_multiply_transposed(svd.U, svd.V);
            TEST_NEAR(lyra_mat3_norm(lyra_mat3_subtract(R, UV)), 0, 10 * TOLERANCE);
        }
    }
}

static bool all_nan(const void *numbers, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        double x;
        memcpy(&x, (const char *)numbers + i * sizeof x, sizeof x);
        if (x == x) {
            return false;
        }
    }
    return true;
}

LYRA_TEST(not_finite_gives_nan_in_its_own_lane)
{
    enum { COUNT = 19 };
    const double bad[] = {NAN, INFINITY, -INFINITY};
    TestRandom random = test_random(7);
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(1, isa);
        for (int k = 0; k < 27; ++k) {
            LyraMat3 F[COUNT], U[COUNT], V[COUNT], R[COUNT];
            LyraVec3 s[COUNT];
            for (int i = 0; i < COUNT; ++i) {
                test_random_matrix3(&random, TEST_MATRIX_NEAR_IDENTITY, 1, (double *)&F[i]);
            }
            int at = test_random_below(&random, COUNT);
            F[at].m[k / 3 % 3][k % 3] = bad[k / 9];
            lyra_mat3_svd_batch(ctx, COUNT, F, U, s, V);
            lyra_mat3_polar_batch(ctx, COUNT, F, R, NULL);
            for (int i = 0; i < COUNT; ++i) {
                bool nan = all_nan(&U[i], 9) && all_nan(&s[i], 3) && all_nan(&V[i], 9) &&
                           all_nan(&R[i], 9);
                TEST_CHECK_MSG(nan == (i == at), "%s, matrix %d, bad one %d", lyra_isa_name(isa), i,
                               at);
                bool fine = rotation_error(U[i]) < TOLERANCE && rotation_error(R[i]) < TOLERANCE;
                TEST_CHECK(fine == (i != at));
            }
            lyra_mat3_eigen_batch(ctx, COUNT, F, s, V);
            bool upper = k / 3 % 3 <= k % 3;
            TEST_CHECK((all_nan(&s[at], 3) && all_nan(&V[at], 9)) == upper);
        }
        test_context_end(ctx);
    }
}
