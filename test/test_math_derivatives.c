// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Derivatives of the nearest rotation against central differences, and their rule where the
// rotation is not unique.

#include "lyra/math3.h"
#include "lyra_test.h"

#include <string.h>

static LyraMat3 from_stretches(TestRandom *random, double a, double b, double c)
{
    LyraMat3 U, V;
    test_random_rotation(random, (double *)&U);
    test_random_rotation(random, (double *)&V);
    LyraMat3 US = lyra_mat3_multiply(U, lyra_mat3_diagonal(a, b, c));
    return lyra_mat3_multiply_transposed(US, V);
}

static LyraMat3 random_direction(TestRandom *random, double scale)
{
    LyraMat3 dF;
    test_random_matrix3(random, TEST_MATRIX_NORMAL, scale, (double *)&dF);
    return dF;
}

static void polar_at(void *data, const double *x, double *f)
{
    LyraMat3 F, R;
    (void)data;
    memcpy(&F, x, sizeof F);
    R = lyra_mat3_polar(F);
    memcpy(f, &R, sizeof R);
}

// the first derivative along the fixed direction in `data`
static void derivative_at(void *data, const double *x, double *f)
{
    LyraMat3 F, dR;
    memcpy(&F, x, sizeof F);
    LyraSvd3 svd = lyra_mat3_svd(F);
    dR = lyra_polar_derivative(&svd, *(const LyraMat3 *)data);
    memcpy(f, &dR, sizeof dR);
}

typedef struct Place {
    const char *name;
    double s[3];
} Place;

static const Place places[] = {
    {"rest", {1, 1, 1}},
    {"distinct", {1.3, 1.0, 0.7}},
    {"large", {5, 2, 0.5}},
    {"two equal", {1.5, 1.5, 0.4}},
    {"flat", {1.2, 0.8, 0}},
    {"inverted", {1.2, 0.9, -0.3}},
    {"two equal, inverted", {0.9, 0.9, -0.4}},
    {"needle", {1, 0.05, 0.02}},
    {"tiny", {1e-120, 8e-121, 5e-121}},
    {"huge", {1e120, 8e119, -5e119}},
};

LYRA_TEST(polar_derivative_matches_differences)
{
    TestRandom random = test_random(1);
    for (int k = 0; k < (int)(sizeof places / sizeof places[0]); ++k) {
        const double *s = places[k].s;
        // sums of stretches set the scale on which R turns
        double scale = s[1] + s[2];
        for (int i = 0; i < 5; ++i) {
            LyraMat3 F = from_stretches(&random, s[0], s[1], s[2]);
            LyraMat3 dF = random_direction(&random, scale);
            LyraSvd3 svd = lyra_mat3_svd(F);
            LyraMat3 dR = lyra_polar_derivative(&svd, dF);
            TestDifference d = test_difference(polar_at, NULL, 9, 9, (const double *)&F,
                                               (const double *)&dF, (const double *)&dR, 0x1p-5);
            // rounding eps s1 / (s2 + s3) over a step of about 1e-3
            test_check_difference(d, 1e-8, places[k].name);
        }
    }
}

LYRA_TEST(polar_second_derivative_matches_differences)
{
    TestRandom random = test_random(2);
    for (int k = 0; k < (int)(sizeof places / sizeof places[0]); ++k) {
        const double *s = places[k].s;
        double scale = s[1] + s[2];
        for (int i = 0; i < 5; ++i) {
            LyraMat3 F = from_stretches(&random, s[0], s[1], s[2]);
            LyraMat3 dF1 = random_direction(&random, scale);
            LyraMat3 dF2 = random_direction(&random, scale);
            LyraSvd3 svd = lyra_mat3_svd(F);
            LyraMat3 d2R = lyra_polar_second_derivative(&svd, dF1, dF2);
            LyraMat3 swapped = lyra_polar_second_derivative(&svd, dF2, dF1);
            TestDifference d = test_difference(derivative_at, &dF1, 9, 9, (const double *)&F,
                                               (const double *)&dF2, (const double *)&d2R, 0x1p-6);
            test_check_difference(d, 1e-8, places[k].name);
            double asymmetry = lyra_mat3_norm(lyra_mat3_subtract(d2R, swapped));
            TEST_NEAR(asymmetry / lyra_mat3_norm(d2R), 0, 1e-11);
        }
    }
}

// F = R S turned with a rate w turns R with it: dR = [w]x R, d2R = [w]x [w]x R for F = exp(t w) F0,
// of which the second derivative of F itself has a part in dR.
LYRA_TEST(polar_turns_with_its_argument)
{
    TestRandom random = test_random(3);
    for (int k = 0; k < (int)(sizeof places / sizeof places[0]); ++k) {
        LyraMat3 F = from_stretches(&random, places[k].s[0], places[k].s[1], places[k].s[2]);
        LyraVec3 w = lyra_vec3(test_random_normal(&random), test_random_normal(&random),
                               test_random_normal(&random));
        LyraMat3 X = lyra_mat3_cross(w), R = lyra_mat3_polar(F);
        LyraMat3 dF = lyra_mat3_multiply(X, F), d2F = lyra_mat3_multiply(X, dF);
        LyraSvd3 svd = lyra_mat3_svd(F);
        LyraMat3 dR = lyra_mat3_multiply(X, R), d2R = lyra_mat3_multiply(X, dR);
        LyraMat3 found = lyra_polar_derivative(&svd, dF);
        LyraMat3 found2 = lyra_mat3_add(lyra_polar_derivative(&svd, d2F),
                                        lyra_polar_second_derivative(&svd, dF, dF));
        double condition = places[k].s[0] / (places[k].s[1] + places[k].s[2]);
        double error = lyra_mat3_norm(lyra_mat3_subtract(found, dR)) / lyra_mat3_norm(dR);
        double error2 = lyra_mat3_norm(lyra_mat3_subtract(found2, d2R)) / lyra_mat3_norm(d2R);
        TEST_NEAR(error, 0, 1e-14 * condition);
        TEST_NEAR(error2, 0, 1e-14 * condition * condition);
    }
}

LYRA_TEST(derivatives_stay_finite_where_the_rotation_is_not_unique)
{
    TestRandom random = test_random(4);
    const TestMatrixKind kinds[] = {TEST_MATRIX_ZERO, TEST_MATRIX_RANK_1, TEST_MATRIX_REFLECTION,
                                    TEST_MATRIX_OPPOSITE, TEST_MATRIX_PERMUTATION};
    for (int k = 0; k < (int)(sizeof kinds / sizeof kinds[0]); ++k) {
        for (int i = 0; i < 100; ++i) {
            LyraMat3 F;
            test_random_matrix3(&random, kinds[k], 1, (double *)&F);
            LyraMat3 dF1 = random_direction(&random, 1), dF2 = random_direction(&random, 1);
            LyraSvd3 svd = lyra_mat3_svd(F);
            double first = lyra_mat3_norm(lyra_polar_derivative(&svd, dF1));
            double second = lyra_mat3_norm(lyra_polar_second_derivative(&svd, dF1, dF2));
            TEST_CHECK(isfinite(first) && isfinite(second));
            // the turns that are determined have sums of stretches of about 1
            double sum = svd.s.x + svd.s.z;
            TEST_CHECK_MSG(sum < 0.1 || (first < 100 / sum && second < 1000 / (sum * sum)),
                           "%s: %g, %g", test_matrix_kind_name(kinds[k]), first, second);
        }
    }
    // exactly there, with nothing but the rule at work: no turn about the first axis
    LyraMat3 I = lyra_mat3_identity();
    LyraSvd3 svd = {I, {2, 1, -1}, I};
    LyraMat3 dR = lyra_polar_derivative(&svd, lyra_mat3_cross(lyra_vec3(1, 1, 1)));
    TEST_NEAR(dR.m[2][1], 0, 0);
    TEST_NEAR(dR.m[0][2], 2.0 / (2 - 1), 1e-15);
    TEST_NEAR(dR.m[1][0], 2.0 / (2 + 1), 1e-15);
    LyraSvd3 zero = {I, {0, 0, 0}, I};
    TEST_NEAR(lyra_mat3_norm(lyra_polar_derivative(&zero, I)), 0, 0);
}
