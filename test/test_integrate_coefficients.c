// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Coefficients of the one-step methods against the conditions of order, and their stability; the
// settings by default.

#include "integrate_toys.h"

#include "integrate/explicit.h"

#include <complex.h>

// ---- trees --------------------------------------------------------------------------------------

// A rooted tree of `order` nodes by its levels in depth-first order, level[0] = 0. The canonical
// sequences, each once, in decreasing order from the path to the bush [Beyer, Hedetniemi 1980].
#define ORDER_MAX 8

static bool next_tree(int32_t order, int32_t *level)
{
    int32_t p = order - 1;
    while (p > 0 && level[p] == 1) {
        --p;
    }
    if (p <= 0) {
        return false;
    }
    int32_t q = p - 1;
    while (level[q] != level[p] - 1) {
        --q;
    }
    for (int32_t i = p; i < order; ++i) {
        level[i] = level[i - (p - q)];
    }
    return true;
}

// phi[i] of the subtree at `node`, and its density gamma, for internal stages and, with `weights`,
// for the sum at the root
static int32_t weigh(const LyTableau *tableau, int32_t order, const int32_t *level, int32_t node,
                     double *phi, double *gamma)
{
    int32_t count = 1, s = LY_STAGES_MAX;
    double product[LY_STAGES_MAX];
    *gamma = 1;
    for (int32_t i = 0; i < s; ++i) {
        product[i] = 1;
    }
    for (int32_t child = node + 1; child < order && level[child] > level[node];) {
        double inner[LY_STAGES_MAX], density;
        int32_t size = weigh(tableau, order, level, child, inner, &density);
        for (int32_t i = 0; i < s; ++i) {
            double sum = 0;
            for (int32_t j = 0; j < s; ++j) {
                sum += tableau->a[i][j] * inner[j];
            }
            product[i] *= sum;
        }
        *gamma *= density;
        count += size;
        child += size;
    }
    *gamma *= count;
    memcpy(phi, product, sizeof product);
    return count;
}

// the largest error of sum b phi = 1/gamma over the trees of one order, and how many there are
static double condition_error(const LyTableau *tableau, const double *b, int32_t order,
                              int32_t *trees)
{
    int32_t level[ORDER_MAX];
    double worst = 0;
    *trees = 0;
    for (int32_t i = 0; i < order; ++i) {
        level[i] = i;
    }
    do {
        double phi[LY_STAGES_MAX], gamma, sum = 0, size = 0;
        weigh(tableau, order, level, 0, phi, &gamma);
        for (int32_t i = 0; i < LY_STAGES_MAX; ++i) {
            sum += b[i] * phi[i];
            size += fabs(b[i] * phi[i]);
        }
        worst = fmax(worst, fabs(sum - 1 / gamma) / fmax(size, 1));
        *trees += 1;
    } while (next_tree(order, level));
    return worst;
}

static void check_order(const char *name, const LyTableau *tableau, const double *b, int32_t order)
{
    static const int32_t counts[ORDER_MAX + 1] = {0, 1, 1, 2, 4, 9, 20, 48, 115};
    for (int32_t p = 1; p <= order + 1 && p <= ORDER_MAX; ++p) {
        int32_t trees;
        double error = condition_error(tableau, b, p, &trees);
        TEST_EQUAL(trees, counts[p]);
        if (p <= order) {
            TEST_CHECK_MSG(error <= 1e-14 * test_tolerance_scale(), "%s: order %d off by %.3g",
                           name, p, error);
        } else {
            TEST_CHECK_MSG(error > 1e-6, "%s is of order %d, said to be %d", name, p, order);
        }
    }
}

LYRA_TEST(runge_kutta_methods_meet_their_order_conditions)
{
    check_order("midpoint", &ly_tableau_midpoint, ly_tableau_midpoint.b, 2);
    check_order("rk4", &ly_tableau_rk4, ly_tableau_rk4.b, 4);
    check_order("rk38", &ly_tableau_rk38, ly_tableau_rk38.b, 4);
    check_order("dopri5", &ly_pair_dopri5.tableau, ly_pair_dopri5.tableau.b, 5);
    check_order("dopri853", &ly_pair_dopri853.tableau, ly_pair_dopri853.tableau.b, 8);
}

LYRA_TEST(embedded_methods_meet_theirs)
{
    const struct {
        const char *name;
        const LyPair *pair;
        const double *error;
        int32_t order;
    } cases[] = {
        {"dopri5", &ly_pair_dopri5, ly_pair_dopri5.error, 4},
        {"dopri853, 5", &ly_pair_dopri853, ly_pair_dopri853.error, 5},
        {"dopri853, 3", &ly_pair_dopri853, ly_pair_dopri853.error3, 3},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        double b[LY_STAGES_MAX];
        for (int32_t i = 0; i < LY_STAGES_MAX; ++i) {
            b[i] = cases[k].pair->tableau.b[i] - cases[k].error[i];
        }
        check_order(cases[k].name, &cases[k].pair->tableau, b, cases[k].order);
    }
}

LYRA_TEST(times_of_stages_are_sums_of_rows)
{
    const LyTableau *all[] = {&ly_tableau_midpoint, &ly_tableau_rk4, &ly_tableau_rk38,
                              &ly_pair_dopri5.tableau, &ly_pair_dopri853.tableau};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        for (int32_t i = 0; i < LY_STAGES_MAX; ++i) {
            double sum = 0;
            for (int32_t j = 0; j < LY_STAGES_MAX; ++j) {
                sum += all[k]->a[i][j];
            }
            TEST_NEAR(sum, all[k]->c[i], 4e-14);
        }
    }
}

// y(theta): the same conditions with theta^order/gamma on the right, up to the order of the output
LYRA_TEST(dense_outputs_meet_theirs)
{
    const struct {
        const LyPair *pair;
        int32_t order;
    } cases[] = {{&ly_pair_dopri5, 4}, {&ly_pair_dopri853, 7}};
    for (size_t k = 0; k < 2; ++k) {
        for (double theta = 0; theta <= 1; theta += 0.125) {
            double w[LY_STAGES_MAX];
            ly_dense_weights(cases[k].pair, theta, w);
            for (int32_t p = 1; p <= cases[k].order; ++p) {
                int32_t trees;
                // scaled so that the right-hand side is 1/gamma again
                double scaled[LY_STAGES_MAX];
                for (int32_t i = 0; i < LY_STAGES_MAX; ++i) {
                    scaled[i] = w[i] / (theta > 0 ? pow(theta, p) : 1);
                }
                double error = theta > 0
                                   ? condition_error(&cases[k].pair->tableau, scaled, p, &trees) *
                                         pow(theta, p)
                                   : fabs(w[0]) + fabs(w[1]);
                TEST_CHECK_MSG(error <= 1e-13 * test_tolerance_scale(),
                               "order %d at %g: off by %.3g", p, theta, error);
            }
        }
    }
}

// ---- Rosenbrock ---------------------------------------------------------------------------------

// alpha, Gamma and b of the usual form from the one without products
static void usual_form(const LyRosenbrock *method, double alpha[4][4], double gamma[4][4],
                       double b[4])
{
    int32_t s = method->stages;
    memset(gamma, 0, 16 * sizeof(double));
    // Gamma^-1 = 1/gamma - c; lower triangular
    for (int32_t j = 0; j < s; ++j) {
        gamma[j][j] = method->gamma;
        for (int32_t i = j + 1; i < s; ++i) {
            for (int32_t k = j; k < i; ++k) {
                gamma[i][j] += method->gamma * method->c[i][k] * gamma[k][j];
            }
        }
    }
    memset(alpha, 0, 16 * sizeof(double));
    for (int32_t j = 0; j < s; ++j) {
        b[j] = 0;
        for (int32_t k = 0; k < s; ++k) {
            b[j] += method->m[k] * gamma[k][j];
            for (int32_t i = 0; i < s; ++i) {
                alpha[i][j] += method->a[i][k] * gamma[k][j];
            }
        }
    }
}

// x_i = sum_j A_ij y_j
static void times(int32_t s, double A[4][4], const double *y, double *x)
{
    for (int32_t i = 0; i < s; ++i) {
        x[i] = 0;
        for (int32_t j = 0; j < s; ++j) {
            x[i] += A[i][j] * y[j];
        }
    }
}

static double dot3(int32_t s, const double *b, const double *x, const double *y, const double *z)
{
    double sum = 0;
    for (int32_t i = 0; i < s; ++i) {
        sum += b[i] * x[i] * y[i] * z[i];
    }
    return sum;
}

static void check_rosenbrock(const char *name, const LyRosenbrock *method, bool any_matrix)
{
    int32_t s = method->stages;
    double A[4][4], G[4][4], B[4][4], b[4], one[4] = {1, 1, 1, 1};
    double a[4], g[4], be[4], bb[4], ab[4], bbb[4], baa[4], aa[4], aaa[4], t[4], ag[4], ga[4],
        gg[4];
    usual_form(method, A, G, b);
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            B[i][j] = A[i][j] + G[i][j];
        }
    }
    times(s, A, one, a);
    times(s, G, one, g);
    times(s, B, one, be);
    for (int32_t i = 0; i < s; ++i) {
        aa[i] = a[i] * a[i];
        TEST_NEAR(a[i], method->alpha[i], 1e-13);
        TEST_NEAR(g[i], method->gamma_sum[i], 1e-13);
    }
    times(s, B, be, bb);
    times(s, A, be, ab);
    times(s, B, bb, bbb);
    times(s, B, aa, baa);
    times(s, A, a, aaa);
    times(s, A, g, ag);
    times(s, G, a, ga);
    times(s, G, g, gg);
    memcpy(t, a, sizeof t);
    // [HW96, IV.7], and with any matrix [Rang, Angermann 2005]
    const struct {
        int32_t order;
        bool any;
        double found, expected;
    } conditions[] = {
        {1, false, dot3(s, b, one, one, one), 1},
        {2, false, dot3(s, b, be, one, one), 1.0 / 2},
        {3, false, dot3(s, b, a, a, one), 1.0 / 3},
        {3, false, dot3(s, b, bb, one, one), 1.0 / 6},
        {4, false, dot3(s, b, a, a, a), 1.0 / 4},
        {4, false, dot3(s, b, a, ab, one), 1.0 / 8},
        {4, false, dot3(s, b, baa, one, one), 1.0 / 12},
        {4, false, dot3(s, b, bbb, one, one), 1.0 / 24},
        {2, true, dot3(s, b, g, one, one), 0},
        {3, true, dot3(s, b, aaa, one, one), 1.0 / 6},
        {3, true, dot3(s, b, ag, one, one), 0},
        {3, true, dot3(s, b, ga, one, one), 0},
        {3, true, dot3(s, b, gg, one, one), 0},
    };
    for (size_t k = 0; k < sizeof conditions / sizeof conditions[0]; ++k) {
        if (conditions[k].order <= method->order && (any_matrix || !conditions[k].any)) {
            TEST_CHECK_MSG(fabs(conditions[k].found - conditions[k].expected) <= 2e-14,
                           "%s: condition %d of order %d is %.17g, expected %.17g", name, (int)k,
                           conditions[k].order, conditions[k].found, conditions[k].expected);
        }
    }
}

LYRA_TEST(rosenbrock_methods_meet_their_order_conditions)
{
    check_rosenbrock("ros2", &ly_ros2, true);
    check_rosenbrock("ros34pw2", &ly_ros34pw2, true);
    check_rosenbrock("amf-rk32", &ly_amf_rk32, true);
    for (int32_t i = 0; i < LY_ROSENBROCK_SETS; ++i) {
        check_rosenbrock(ly_ros4[i].name, &ly_ros4[i], false);
    }
}

// the solution inside "amf-rk32" is that of "rosenbrock2", of order 2 with any matrix
LYRA_TEST(embedded_rosenbrock_methods_meet_theirs)
{
    LyRosenbrock inside = ly_amf_rk32;
    inside.order = 2;
    memcpy(inside.m, inside.embedded, sizeof inside.m);
    check_rosenbrock("amf-rk32, inside", &inside, true);
    for (int i = 0; i < 2; ++i) {
        TEST_NEAR(inside.m[i], ly_ros2.m[i], 1e-14);
        TEST_NEAR(inside.c[1][i], ly_ros2.c[1][i], 1e-14);
    }
    TEST_CHECK(inside.m[2] == 0 && inside.m[3] == 0);
}

// R(z) = 1 + z b^T (1 - z B)^-1 1, B = A + Gamma lower triangular
static double complex stability(const LyRosenbrock *method, double complex z)
{
    double A[4][4], G[4][4], b[4];
    double complex x[4], R = 1;
    usual_form(method, A, G, b);
    for (int32_t i = 0; i < method->stages; ++i) {
        double complex sum = 1;
        for (int32_t j = 0; j < i; ++j) {
            sum += z * (A[i][j] + G[i][j]) * x[j];
        }
        x[i] = sum / (1 - z * method->gamma);
        R += z * b[i] * x[i];
    }
    return R;
}

// What the books say of them: |R| at infinity, and the half angle about the negative axis inside
// which |R| <= 1, 90 degrees for A-stable ones [HW96, table IV.7.2].
LYRA_TEST(rosenbrock_methods_are_as_stable_as_published)
{
    LyRosenbrock inside = ly_amf_rk32;
    memcpy(inside.m, inside.embedded, sizeof inside.m);
    const struct {
        const char *name;
        const LyRosenbrock *method;
        double angle, infinity;
    } all[] = {
        {"rosenbrock2", &ly_ros2, 90, 0},           {"rosenbrock3", &ly_ros34pw2, 90, 0},
        {"amf-rk32", &ly_amf_rk32, 90, 0},          {"amf-rk32, inside", &inside, 90, 0},
        {"l-stable", &ly_ros4[0], 90, 0},           {"shampine", &ly_ros4[1], 90, 1.0 / 3},
        {"grk4a", &ly_ros4[2], 90, 0.995},          {"grk4t", &ly_ros4[3], 89.3, 0.454},
        {"veldhuizen-s", &ly_ros4[4], 89.5, 0.242}, {"veldhuizen-d", &ly_ros4[5], 90, 1.0 / 3},
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        TEST_CHECK(!all[k].method->name || strncmp(all[k].name, all[k].method->name, 8) == 0);
        double found = cabs(stability(all[k].method, -1e9));
        TEST_CHECK_MSG(fabs(found - all[k].infinity) <= 5e-4, "%s: |R| = %g at infinity",
                       all[k].name, found);
        // along the border, and half a degree beyond it where there is a beyond
        double worst[2] = {0, 0};
        for (int e = -200; e <= 600; ++e) {
            for (int side = 0; side < 2; ++side) {
                double angle = (180 - all[k].angle + 0.1 - 0.7 * side) * 3.14159265358979 / 180;
                angle = all[k].angle == 90 && side == 0 ? 3.14159265358979 / 2 : angle;
                double complex z = pow(10, e / 100.0) * cexp(I * angle);
                worst[side] = fmax(worst[side], cabs(stability(all[k].method, z)));
            }
        }
        TEST_CHECK_MSG(worst[0] <= 1 + 1e-12, "%s: |R| = 1 + %g on the border", all[k].name,
                       worst[0] - 1);
        TEST_CHECK_MSG(all[k].angle == 90 || worst[1] > 1, "%s: |R| <= 1 beyond the border",
                       all[k].name);
    }
}

// ---- stability ----------------------------------------------------------------------------------

// second order at the origin and the real interval of Runge-Kutta-Chebyshev
LYRA_TEST(chebyshev_polynomials_are_stable_on_the_real_axis)
{
    for (int32_t s = 2; s <= 60; s += 7) {
        LyChebyshev method = ly_chebyshev(s);
        // R(z) = 1 + z + z^2/2 + O(z^3): for k = 0 the roots are -c and 0, so R(0) = 1 caps it;
        // c^2 = 4 k gives the double root -c/2
        double h = 1e-3, R = ly_chebyshev_amplification(&method, h, 1, 2);
        TEST_NEAR(R, 1 - h + 0.5 * h * h, 2 * h * h * h);
        double limit = 0.65 * (s * s - 1);
        for (int i = 1; i <= 500; ++i) {
            double z = limit * i / 500; // double root -z
            TEST_CHECK(ly_chebyshev_amplification(&method, 1, z * z, 2 * z) <= 1);
        }
        TEST_CHECK(ly_chebyshev_amplification(&method, 1, limit * limit * 1.1, 2 * limit * 1.05) >
                   1);
    }
}

// R' = R'' = 1 at the origin to rounding, |R| <= 0.95 but near it on an interval of 0.81 s^2 but
// for a few stages, and the recurrence of the stages is consistent: their times are sums
LYRA_TEST(orthogonal_polynomials_are_stable_on_the_real_axis)
{
    static LyRock method;
    for (int32_t s = 3; s <= LY_ROCK_STAGES_MAX; s += 1 + s / 5) {
        ly_rock(s, &method);
        double z = 1e-3, R = ly_rock_amplification(&method, z, 1, 2);
        TEST_NEAR(R, 1 - z + 0.5 * z * z, z * z * z);
        // the time of the last stage of the recurrence, and the two of the end
        double c[3] = {0, 0, 0}, second[3] = {0, 0, 0};
        for (int32_t j = 0; j < s - 2; ++j) {
            TEST_NEAR(method.nu[j] + method.ka[j], 1, 1e-12);
            c[2] = method.mu[j] + method.nu[j] * c[1] + method.ka[j] * c[0];
            second[2] = method.mu[j] * c[1] + method.nu[j] * second[1] + method.ka[j] * second[0];
            for (int i = 0; i < 2; ++i) {
                c[i] = c[i + 1];
                second[i] = second[i + 1];
            }
        }
        // order 1: b.1 = 1, order 2: b.c = 1/2, both from 1 + 2 sigma z + (1 + q) sigma^2 z^2
        TEST_NEAR(c[1] + 2 * method.sigma, 1, 1e-11);
        TEST_NEAR(second[1] + 2 * method.sigma * c[1] +
                      (1 + method.q) * method.sigma * method.sigma,
                  0.5, 1e-11);
        TEST_CHECK_MSG(method.limit >= 0.806 * s * s - 1.3, "%d stages: limit %g s^2", s,
                       method.limit / s / s);
        for (int i = 1; i <= 20 * s; ++i) {
            double x = method.limit * i / (20 * s);
            R = ly_rock_amplification(&method, 1, x * x, 2 * x);
            TEST_CHECK_MSG(R <= (x < 0.6 ? 1 : 0.951), "%d stages: |R(-%g)| = %g", s, x, R);
        }
        double beyond = 1.02 * method.limit + 0.5;
        TEST_CHECK(ly_rock_amplification(&method, 1, beyond * beyond, 2 * beyond) > 1);
    }
}

// The larger eigenvalue by absolute value, of matrices X diag(l_1, l_2) X^-1 and of those that turn
// and stretch, whose eigenvalues are known.
LYRA_TEST(spectral_radius_is_that_of_known_eigenvalues)
{
    TestRandom random = test_random(11);
    for (int i = 0; i < 200; ++i) {
        double l1 = test_random_in(&random, -2, 2), l2 = test_random_in(&random, -2, 2);
        double x = test_random_in(&random, -0.7, 0.7), y = test_random_in(&random, -0.7, 0.7);
        // X = (1 x; y 1)
        double det = 1 - x * y;
        const double real[4] = {(l1 - l2 * x * y) / det, x * (l2 - l1) / det, y * (l1 - l2) / det,
                                (l2 - l1 * x * y) / det};
        TEST_NEAR(ly_spectral_radius2(real), fmax(fabs(l1), fabs(l2)), 1e-14 / fabs(det));
        // r (cos, -q sin; sin / q, cos): the eigenvalues r exp(+- i angle)
        double r = fabs(l1) + 0.01, angle = test_random_in(&random, 0.1, 3), q = exp(l2);
        const double turned[4] = {r * cos(angle), -q * r * sin(angle), r * sin(angle) / q,
                                  r * cos(angle)};
        TEST_NEAR(ly_spectral_radius2(turned), r, 1e-14);
    }
}

// ---- settings -----------------------------------------------------------------------------------

LYRA_TEST(defaults_are_those_of_the_header)
{
    LyraIntegratorDef def = lyra_integrator_def_default();
    const LyraNewtonDef both[] = {def.newton, lyra_newton_def_default()};
    for (int k = 0; k < 2; ++k) {
        TEST_EQUAL(both[k].policy, LYRA_NEWTON_FULL);
        TEST_EQUAL(both[k].iterations_max, 400);
        TEST_CHECK(both[k].decrement == 1e-12 && both[k].residual == 1e-8 && both[k].step == 1e-8);
        TEST_CHECK(both[k].line_search && !both[k].psd_always);
        TEST_EQUAL(both[k].halvings_max, 8);
    }
    TEST_STRING(def.name, "backward-euler");
    TEST_CHECK(!def.vega && def.beta == 0.25 && def.gamma == 0.5 && def.spectral_radius == 0.5);
    TEST_EQUAL(def.damping_update, 1);
    TEST_EQUAL(def.critical, LYRA_CRITICAL_WARN);
    TEST_EQUAL(def.critical_interval, 100);
    TEST_CHECK(def.relative_tolerance == 1e-6 && def.absolute_tolerance == 1e-9);
    TEST_CHECK(def.stages == 0 && def.load_steps == 1);
    TEST_STRING(def.rosenbrock_set, lyra_rosenbrock_set(0));
    TEST_CHECK(!lyra_rosenbrock_set(-1) && lyra_rosenbrock_set(5) && !lyra_rosenbrock_set(6));
}
