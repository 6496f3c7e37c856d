// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The checks of test_math_lanes.c, compiled once per instruction set: every operation on lanes
// against plain C, lane by lane, and the lane functions that no batch function covers against their
// scalar twins.

#include "math_lanes_kernel.h"

#include "lyra/math3.h"
#include "lyra_test.h"
#include "math/decompose.h"
#include "math/elementary.h"

#define ISA_TEXT_(isa) #isa
#define ISA_TEXT(isa) ISA_TEXT_(isa)

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

// the same bits, or both NaN
static bool same(double a, double b)
{
    return bits_of(a) == bits_of(b) || (a != a && b != b);
}

static double random_number(TestRandom *random)
{
    static const double special[] = {0.0,       -0.0, 1.0,    -1.0,  INFINITY,
                                     -INFINITY, NAN,  5e-324, 1e308, -2.5};
    return test_random_below(random, 3) == 0
               ? special[test_random_below(random, 10)]
               : test_random_normal(random) * pow(10, test_random_in(random, -300, 300));
}

static void check_one(const char *what, LyReal found, const double *expected)
{
    for (int i = 0; i < LY_LANES; ++i) {
        TEST_CHECK_MSG(same(ly_lane(found, i), expected[i]), "%s on %s, lane %d: %g, expected %g",
                       what, ISA_TEXT(LY_ISA), i, ly_lane(found, i), expected[i]);
    }
}

static void check_mask(const char *what, LyMask mask, uint32_t expected)
{
    uint32_t all = (1u << LY_LANES) - 1;
    TEST_CHECK_MSG(ly_mask_bits(mask) == expected, "%s on %s: %x, expected %x", what,
                   ISA_TEXT(LY_ISA), ly_mask_bits(mask), expected);
    TEST_CHECK(ly_any(mask) == (expected != 0));
    TEST_CHECK(ly_all(mask) == (expected == all));
    TEST_CHECK(ly_mask_bits(ly_not(mask)) == (~expected & all));
}

void LY_KERNEL(test_lanes_operations)(void)
{
    TestRandom random = test_random(1);
    for (int repeat = 0; repeat < 3000; ++repeat) {
        double a[LY_LANES], b[LY_LANES], expected[6][LY_LANES];
        uint32_t less = 0, less_equal = 0, equal = 0, first = 0;
        int count = test_random_below(&random, LY_LANES + 3) - 1;
        for (int i = 0; i < LY_LANES; ++i) {
            a[i] = random_number(&random);
            b[i] = test_random_below(&random, 4) ? random_number(&random) : a[i];
            less |= (a[i] < b[i] ? 1u : 0u) << i;
            less_equal |= (a[i] <= b[i] ? 1u : 0u) << i;
            equal |= (a[i] == b[i] ? 1u : 0u) << i;
            first |= (i < count ? 1u : 0u) << i;
            expected[0][i] = a[i] > b[i] ? a[i] : b[i];
            expected[1][i] = a[i] < b[i] ? a[i] : b[i];
            expected[2][i] = a[i] < b[i] ? a[i] : b[i];
            expected[3][i] = fabs(a[i]);
            expected[4][i] = copysign(a[i], b[i]);
            expected[5][i] = sqrt(a[i]);
        }
        LyReal x = ly_load(a), y = ly_load(b);
        check_one("load", x, a);
        check_mask("less", ly_less(x, y), less);
        check_mask("less or equal", ly_less_equal(x, y), less_equal);
        check_mask("greater", ly_greater(y, x), less);
        check_mask("greater or equal", ly_greater_equal(y, x), less_equal);
        check_mask("equal", ly_equal(x, y), equal);
        check_mask("first", ly_mask_first(count), first);
        check_mask("and", ly_and(ly_less(x, y), ly_mask_first(count)), less & first);
        check_mask("or", ly_or(ly_less(x, y), ly_mask_first(count)), less | first);
        check_one("max", ly_max(x, y), expected[0]);
        check_one("min", ly_min(x, y), expected[1]);
        check_one("select", ly_select(ly_less(x, y), x, y), expected[2]);
        check_one("abs", ly_abs(x), expected[3]);
        check_one("copysign", ly_copysign(x, y), expected[4]);
        check_one("sqrt", ly_sqrt(x), expected[5]);
    }
}

void LY_KERNEL(test_lanes_memory)(void)
{
    TestRandom random = test_random(2);
    double numbers[11 * LY_LANES], lanes[LY_LANES], set[LY_LANES], back[11 * LY_LANES];
    int32_t index[LY_LANES], integers[LY_LANES];
    for (int i = 0; i < 11 * LY_LANES; ++i) {
        numbers[i] = test_random_normal(&random);
    }
    for (int i = 0; i < LY_LANES; ++i) {
        index[i] = test_random_below(&random, 11 * LY_LANES);
        integers[i] = test_random_below(&random, 2000) - 1000;
        set[i] = -0.0;
    }
    check_one("set", ly_set(-0.0), set);
    // any alignment
    check_one("load", ly_load(numbers + 1), numbers + 1);
    ly_store(back + 3, ly_load(numbers + 1));
    TEST_CHECK(memcmp(back + 3, numbers + 1, sizeof lanes) == 0);
    for (int stride = 1; stride <= 9; ++stride) {
        for (int i = 0; i < LY_LANES; ++i) {
            lanes[i] = numbers[2 + i * stride];
        }
        LyReal x = ly_load_strided(numbers + 2, stride);
        check_one("strided load", x, lanes);
        ly_store_strided(back + 2, stride, x);
        for (int i = 0; i < LY_LANES; ++i) {
            TEST_CHECK(back[2 + i * stride] == lanes[i]);
        }
    }
    for (int i = 0; i < LY_LANES; ++i) {
        lanes[i] = numbers[index[i]];
    }
    check_one("gather", ly_gather(numbers, index), lanes);
    for (int i = 0; i < LY_LANES; ++i) {
        lanes[i] = integers[i];
    }
    check_one("integers", ly_from_int32(integers), lanes);
    // a matrix by components, and back by lanes
    double components[9 * LY_LANES + 9], matrices[9 * LY_LANES];
    LyMat3 A = ly_mat3_load(numbers);
    ly_mat3_store_components(components, LY_LANES + 1, &A);
    for (int k = 0; k < 9; ++k) {
        for (int i = 0; i < LY_LANES; ++i) {
            TEST_CHECK(components[k * (LY_LANES + 1) + i] == numbers[9 * i + k]);
        }
    }
    A = ly_mat3_load_components(components, LY_LANES + 1);
    ly_mat3_store(matrices, &A);
    TEST_CHECK(memcmp(matrices, numbers, sizeof matrices) == 0);
    // powers of two
    for (int exponent = -1021; exponent <= 1021; ++exponent) {
        double power = ldexp(1, exponent), x = ldexp(1.75, exponent);
        TEST_CHECK(ly_lane(ly_power_of_two_below(ly_set(x)), LY_LANES - 1) == power);
        TEST_CHECK(ly_lane(ly_power_of_two_inverse(ly_set(power)), LY_LANES - 1) == 1 / power);
    }
    // across lanes
    double sum = numbers[0], largest = numbers[0], smallest = numbers[0];
    for (int i = 1; i < LY_LANES; ++i) {
        sum += numbers[i];
        largest = fmax(largest, numbers[i]);
        smallest = fmin(smallest, numbers[i]);
    }
    TEST_CHECK(ly_sum(ly_load(numbers)) == sum);
    TEST_CHECK(ly_largest(ly_load(numbers)) == largest);
    TEST_CHECK(ly_smallest(ly_load(numbers)) == smallest);
    if (LY_LANES > 1) {
        numbers[0] = NAN;
        TEST_CHECK(ly_largest(ly_load(numbers)) == ly_largest(ly_load(numbers)));
        TEST_CHECK(ly_smallest(ly_load(numbers)) == ly_smallest(ly_load(numbers)));
    }
}

// matrix of one lane
static LyraMat3 lane_of(const LyMat3 *A, int i)
{
    LyraMat3 out;
    for (int k = 0; k < 9; ++k) {
        out.m[k / 3][k % 3] = ly_lane(A->m[k / 3][k % 3], i);
    }
    return out;
}

static double distance(LyraMat3 a, LyraMat3 b)
{
    return lyra_mat3_norm(lyra_mat3_subtract(a, b));
}

void LY_KERNEL(test_lanes_matrices)(void)
{
    TestRandom random = test_random(3);
    for (int repeat = 0; repeat < 2000; ++repeat) {
        LyraMat3 F[LY_LANES], dF1[LY_LANES], dF2[LY_LANES];
        for (int i = 0; i < LY_LANES; ++i) {
            TestMatrixKind kind = (TestMatrixKind)(repeat % TEST_MATRIX_KIND_COUNT);
            test_random_matrix3(&random, i % 2 ? TEST_MATRIX_NORMAL : kind, 1, (double *)&F[i]);
            test_random_matrix3(&random, TEST_MATRIX_NORMAL, 1, (double *)&dF1[i]);
            test_random_matrix3(&random, TEST_MATRIX_NORMAL, 1, (double *)&dF2[i]);
        }
        LyMat3 A = ly_mat3_load((const double *)F), A1 = ly_mat3_load((const double *)dF1);
        LyMat3 A2 = ly_mat3_load((const double *)dF2);
        LyMat3 K = ly_mat3_cofactor(&A), inverse, dR, d2R;
        LyReal det = ly_mat3_determinant(&A);
        uint32_t regular = ly_mask_bits(ly_mat3_inverse(&A, &inverse));
        LySvd3 svd;
        ly_mat3_svd(&A, &svd);
        ly_polar_derivative(&svd, &A1, &dR);
        ly_polar_second_derivative(&svd, &A1, &A2, &d2R);
        for (int i = 0; i < LY_LANES; ++i) {
            double norm = 1 + lyra_mat3_norm(F[i]);
            TEST_NEAR(ly_lane(det, i), lyra_mat3_determinant(F[i]), 1e-15 * norm * norm * norm);
            TEST_NEAR(distance(lane_of(&K, i), lyra_mat3_cofactor(F[i])), 0, 1e-15 * norm * norm);
            LyraMat3 twin = {{{0}}};
            LyraSvd3 svd_twin = lyra_mat3_svd(F[i]);
            double condition = svd_twin.s.x / fabs(svd_twin.s.z);
            if (condition < 1e6) {
                TEST_CHECK((regular >> i & 1) && lyra_mat3_inverse(F[i], &twin) == LYRA_OK);
                TEST_NEAR(distance(lane_of(&inverse, i), twin) / lyra_mat3_norm(twin), 0,
                          1e-14 * condition);
            } else if (condition > 1e18) {
                TEST_CHECK(!(regular >> i & 1));
            }
            double turn = svd_twin.s.x / (svd_twin.s.y + svd_twin.s.z);
            if (turn < 1e3) {
                LyraMat3 dR_twin = lyra_polar_derivative(&svd_twin, dF1[i]);
                LyraMat3 d2R_twin = lyra_polar_second_derivative(&svd_twin, dF1[i], dF2[i]);
                TEST_NEAR(distance(lane_of(&dR, i), dR_twin) / lyra_mat3_norm(dR_twin), 0,
                          1e-12 * turn);
                TEST_NEAR(distance(lane_of(&d2R, i), d2R_twin) / lyra_mat3_norm(d2R_twin), 0,
                          1e-12 * turn * turn);
            }
        }
    }
}

// units in the last place between a number and what it should be
static double units_off(double found, long double expected)
{
    double near = fabs((double)expected);
    return (double)(fabsl(found - expected) / (nextafter(near, INFINITY) - near));
}

// of numbers of all sizes up to the ends of exp
static double random_exponent(TestRandom *random)
{
    double size = fmin(pow(10, test_random_in(random, -20, 2.85)), 708);
    return test_random_below(random, 2) ? size : -size;
}

void LY_KERNEL(test_lanes_exponential)(void)
{
    TestRandom random = test_random(4);
    double worst[4] = {0};
    for (int repeat = 0; repeat < 20000; ++repeat) {
        double x[LY_LANES];
        for (int i = 0; i < LY_LANES; ++i) {
            x[i] = random_exponent(&random);
        }
        LyReal value = ly_exp_lanes(ly_load(x));
        LyExponential all = ly_exponential_lanes(ly_load(x));
        for (int i = 0; i < LY_LANES; ++i) {
            long double less_one = expm1l(x[i]), e = expl(x[i]);
            worst[0] = fmax(worst[0], units_off(ly_lane(value, i), e));
            worst[1] = fmax(worst[1], units_off(ly_lane(all.value, i), e));
            worst[2] = fmax(worst[2], units_off(ly_lane(all.less_one, i), less_one));
            worst[3] = fmax(worst[3], units_off(ly_lane(all.slope, i), less_one / x[i]));
        }
    }
    TEST_NEAR(worst[0], 0, 1.5);
    for (int k = 1; k < 4; ++k) {
        TEST_NEAR(worst[k], 0, 2.5);
    }
    // the ends
    static const double ends[] = {-708.389, -708.2, -708.06, -708.04, 709.43, 709.44, 709.779};
    for (int k = 0; k < (int)(sizeof ends / sizeof *ends); ++k) {
        TEST_NEAR(units_off(ly_lane(ly_exp_lanes(ly_set(ends[k])), 0), expl(ends[k])), 0, 1.5);
    }
    static const double special[][2] = {{-0.0, 1},      {-708.4, 0},         {-1e300, 0},
                                        {-INFINITY, 0}, {709.8, INFINITY},   {1e300, INFINITY},
                                        {NAN, NAN},     {INFINITY, INFINITY}};
    for (int k = 0; k < (int)(sizeof special / sizeof *special); ++k) {
        TEST_CHECK(same(ly_lane(ly_exp_lanes(ly_set(special[k][0])), LY_LANES - 1), special[k][1]));
    }
    LyExponential all = ly_exponential_lanes(ly_set(-0.0));
    TEST_CHECK(ly_lane(all.less_one, 0) == 0 && ly_lane(all.value, 0) == 1);
    TEST_CHECK(ly_lane(all.slope, 0) == 1);
    all = ly_exponential_lanes(ly_set(-INFINITY));
    TEST_CHECK(ly_lane(all.less_one, 0) == -1 && ly_lane(all.value, 0) < 1e-300);
    TEST_CHECK(ly_lane(all.slope, 0) == 0);
    all = ly_exponential_lanes(ly_set(-1e6));
    TEST_CHECK(ly_lane(all.slope, 0) == 1e-6);
    all = ly_exponential_lanes(ly_set(NAN));
    TEST_CHECK(isnan(ly_lane(all.less_one, 0)) && isnan(ly_lane(all.value, 0)));
    TEST_CHECK(isnan(ly_lane(all.slope, 0)));
}

void LY_KERNEL(test_lanes_logarithm)(void)
{
    TestRandom random = test_random(5);
    double log_worst = 0, pow_worst = 0;
    for (int repeat = 0; repeat < 20000; ++repeat) {
        double x[LY_LANES], p[LY_LANES];
        for (int i = 0; i < LY_LANES; ++i) {
            // all sizes, and all distances from 1
            double size = pow(10, test_random_in(&random, -307, 308));
            double near = 1 + pow(10, test_random_in(&random, -15, -0.3)) * (i % 2 ? 1 : -1);
            x[i] = test_random_below(&random, 2) ? size : near;
            p[i] = random_exponent(&random) / fmax(fabs(log(x[i])), 1);
        }
        LyReal logarithm = ly_log_lanes(ly_load(x)), power = ly_pow_lanes(ly_load(x), ly_load(p));
        for (int i = 0; i < LY_LANES; ++i) {
            double exponent = fabs(p[i] * log(x[i]));
            log_worst = fmax(log_worst, units_off(ly_lane(logarithm, i), logl(x[i])));
            pow_worst = fmax(pow_worst,
                             units_off(ly_lane(power, i), powl(x[i], p[i])) / (2 + 4 * exponent));
        }
    }
    TEST_NEAR(log_worst, 0, 1.5);
    TEST_NEAR(pow_worst, 0, 1);
    static const double special[][2] = {{1, 0},           {0.0, -INFINITY}, {-0.0, -INFINITY},
                                        {-1, NAN},        {-1e-310, NAN},   {1e-310, -INFINITY},
                                        {-INFINITY, NAN}, {NAN, NAN},       {INFINITY, INFINITY}};
    for (int k = 0; k < (int)(sizeof special / sizeof *special); ++k) {
        TEST_CHECK(same(ly_lane(ly_log_lanes(ly_set(special[k][0])), LY_LANES - 1), special[k][1]));
    }
}

void LY_KERNEL(test_lanes_angle)(void)
{
    TestRandom random = test_random(6);
    double worst = 0;
    for (int repeat = 0; repeat < 20000; ++repeat) {
        double x[LY_LANES], y[LY_LANES];
        for (int i = 0; i < LY_LANES; ++i) {
            // all directions, those near the axes too, and all sizes
            double size = pow(10, test_random_in(&random, -100, 100));
            double near = pow(10, test_random_in(&random, -18, 0.5));
            x[i] = size * (i % 2 ? test_random_normal(&random) : near);
            y[i] = size * (i % 3 ? test_random_normal(&random) : near);
        }
        LyReal angle = ly_atan2_lanes(ly_load(y), ly_load(x));
        for (int i = 0; i < LY_LANES; ++i) {
            worst = fmax(worst, units_off(ly_lane(angle, i), atan2l(y[i], x[i])));
        }
    }
    TEST_NEAR(worst, 0, 2.5);
    const double pi = 3.14159265358979323846;
    const double special[][3] = {{0, 0, 0},        {-0.0, 0, -0.0}, {0, -0.0, pi},
                                 {-0.0, -1, -pi},  {0, -1, pi},     {1, 0, pi / 2},
                                 {-1, 0, -pi / 2}, {1, 1, pi / 4},  {-1, -1, -3 * pi / 4},
                                 {NAN, 1, NAN},    {1, NAN, NAN},   {5e-324, 1, 5e-324}};
    for (int k = 0; k < (int)(sizeof special / sizeof *special); ++k) {
        LyReal angle = ly_atan2_lanes(ly_set(special[k][0]), ly_set(special[k][1]));
        TEST_CHECK_MSG(same(ly_lane(angle, LY_LANES - 1), special[k][2]), "angle of %g, %g: %g",
                       special[k][0], special[k][1], ly_lane(angle, 0));
    }
}

void LY_KERNEL(test_lanes_sine)(void)
{
    TestRandom random = test_random(7);
    double worst = 0;
    for (int repeat = 0; repeat < 20000; ++repeat) {
        double x[LY_LANES];
        for (int i = 0; i < LY_LANES; ++i) {
            // all sizes, and close to multiples of pi/4
            double size = pow(10, test_random_in(&random, -18, 6));
            double near = 0.78539816339744830962 * (double)test_random_below(&random, 100);
            x[i] = repeat % 3 == 0 ? near : repeat % 3 == 1 ? size : near - 1e-8 * size;
            x[i] *= i % 2 ? -1 : 1;
        }
        LyReal sine, cosine;
        ly_sin_cos_lanes(ly_load(x), &sine, &cosine);
        for (int i = 0; i < LY_LANES; ++i) {
            worst = fmax(worst, fabs(ly_lane(sine, i) - (double)sinl(x[i])) / 0x1p-53);
            worst = fmax(worst, fabs(ly_lane(cosine, i) - (double)cosl(x[i])) / 0x1p-53);
        }
    }
    TEST_NEAR(worst, 0, 2.5);
    LyReal sine, cosine;
    ly_sin_cos_lanes(ly_set(-0.0), &sine, &cosine);
    TEST_CHECK(ly_lane(sine, 0) == 0 && ly_lane(cosine, 0) == 1);
    ly_sin_cos_lanes(ly_set(NAN), &sine, &cosine);
    TEST_CHECK(ly_lane(sine, 0) != ly_lane(sine, 0) && ly_lane(cosine, 0) != ly_lane(cosine, 0));
}
