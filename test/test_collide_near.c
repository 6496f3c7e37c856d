// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Distances are the least over all places, their derivatives agree with differences in every case,
// and bounds of motion stop before things meet, but not long before.

#include "lyra/collide.h"
#include "lyra_test.h"

#include <string.h>

typedef double NearFunction(const double x[4][3], LyraNear *near);
typedef double BoundFunction(const double x[4][3], const double dx[4][3], double gap);

static NearFunction *const nears[] = {lyra_near_point_triangle, lyra_near_edge_edge};
static BoundFunction *const bounds[] = {lyra_bound_point_triangle, lyra_bound_edge_edge};

static void strew(TestRandom *random, double scale, double x[4][3])
{
    for (int v = 0; v < 4; ++v) {
        for (int i = 0; i < 3; ++i) {
            x[v][i] = scale * test_random_normal(random);
        }
    }
}

// ---- distances ----------------------------------------------------------------------------------

// Distance between the places of two coordinates in the primitives, 0 to 1 each.
static double distance_at(int kind, const double x[4][3], double a, double b)
{
    double c[4] = {1, -(1 - a) * (1 - b), -a, -(1 - a) * b}, sum = 0;
    if (kind == 1) {
        memcpy(c, (double[]){1 - a, a, -(1 - b), -b}, sizeof c);
    }
    for (int i = 0; i < 3; ++i) {
        double r = c[0] * x[0][i] + c[1] * x[1][i] + c[2] * x[2][i] + c[3] * x[3][i];
        sum += r * r;
    }
    return sqrt(sum);
}

LYRA_TEST(distances_are_the_least)
{
    enum { NET = 40 };
    TestRandom random = test_random(4);
    int32_t counts[4] = {0};
    for (int trial = 0; trial < 2000; ++trial) {
        int kind = trial % 2;
        double x[4][3], least = INFINITY, r[3] = {0}, sums[2] = {0};
        LyraNear near;
        strew(&random, 1, x);
        for (int v = 0; v < 4 && trial % 10 > 7; ++v) {
            x[v][1] = floor(x[v][1]); // parallel edges, flat triangles, things without length
            x[v][2] = 0;
        }
        double distance = nears[kind](x, &near);
        ++counts[near.kind];
        for (int i = 0; i <= NET; ++i) {
            for (int j = 0; j <= NET; ++j) {
                least = fmin(least, distance_at(kind, x, (double)i / NET, (double)j / NET));
            }
        }
        for (int v = 0; v < 4; ++v) {
            sums[v >= (kind ? 2 : 1)] += near.c[v];
            for (int i = 0; i < 3; ++i) {
                r[i] += near.c[v] * x[v][i];
            }
        }
        TEST_CHECK_MSG(distance <= least + 1e-12 && distance > least - 0.1,
                       "trial %d: %.17g beside %.17g", trial, distance, least);
        TEST_NEAR(hypot(hypot(r[0], r[1]), r[2]), distance, 1e-14);
        TEST_NEAR(sums[0], 1, 1e-14);
        TEST_NEAR(sums[1], -1, 1e-14);
    }
    for (int k = 0; k < 4; ++k) {
        TEST_CHECK(counts[k] > 50);
    }
}

// Edges that are parallel, at places that are known.
LYRA_TEST(parallel_edges_have_their_distance)
{
    const struct {
        double x[4][3], distance;
        LyraNearKind kind;
    } cases[] = {
        {{{0, 0, 0}, {1, 0, 0}, {0.2, 1, 0}, {0.7, 1, 0}}, 1, LYRA_NEAR_POINT_EDGE},
        {{{0, 0, 0}, {1, 0, 0}, {2, 1, 0}, {3, 1, 0}}, 1.4142135623730951, LYRA_NEAR_POINT_POINT},
        {{{0, 0, 0}, {1, 0, 0}, {0.5, 1, 0}, {2, 1, 1e-9}}, 1, LYRA_NEAR_POINT_EDGE},
        {{{0, 0, 0}, {0, 0, 0}, {2, 1, 0}, {-1, 1, 0}}, 1, LYRA_NEAR_POINT_EDGE},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        LyraNear near;
        TEST_NEAR(lyra_near_edge_edge(cases[k].x, &near), cases[k].distance, 1e-15);
        TEST_EQUAL(near.kind, cases[k].kind);
    }
}

// Edges along one line of any direction, 0.01 m apart, and a point beside a triangle whose corners
// lie on a line: rounding decides where they are closest, and must not decide how far.
LYRA_TEST(rounding_of_what_is_parallel_moves_no_distance)
{
    TestRandom random = test_random(9);
    for (int trial = 0; trial < 20000; ++trial) {
        double at[3][3], x[4][3], y[4][3], dx[4][3] = {{0}}, along = 0, d[3], h[3];
        LyraNear near;
        for (int i = 0; i < 9; ++i) {
            at[i / 3][i % 3] = test_random_in(&random, -1, 1);
        }
        for (int i = 0; i < 3; ++i) {
            d[i] = at[0][i] / hypot(hypot(at[0][0], at[0][1]), at[0][2]);
        }
        for (int i = 0; i < 3; ++i) {
            along += d[i] * at[1][i];
        }
        for (int i = 0; i < 3; ++i) {
            h[i] = at[1][i] - along * d[i];
        }
        double length = hypot(hypot(h[0], h[1]), h[2]);
        double shift = test_random_in(&random, -0.9, 0.9);
        for (int i = 0; i < 3; ++i) {
            x[0][i] = at[2][i];
            x[1][i] = at[2][i] + d[i];
            x[2][i] = at[2][i] + 0.01 / length * h[i] + shift * d[i];
            x[3][i] = x[2][i] + d[i];
            dx[2][i] = dx[3][i] = -0.02 / length * h[i];
            y[0][i] = x[0][i];
            y[1][i] = x[0][i] + 0.3 * d[i];
            y[2][i] = x[0][i] + 0.7 * d[i];
            y[3][i] = x[0][i] + 0.9 * d[i];
        }
        TEST_NEAR(lyra_near_edge_edge(x, &near), 0.01, 1e-9);
        TEST_CHECK(lyra_bound_edge_edge(x, dx, 0) <= 0.5 + 1e-9);
        TEST_NEAR(lyra_near_point_triangle(y, &near), 0.3, 1e-9);
    }
}

// ---- derivatives --------------------------------------------------------------------------------

static void distance_of(void *data, const double *x, double *f)
{
    LyraNear near;
    *f = (*(NearFunction **)data)((const double(*)[3])x, &near);
}

static void gradient_of(void *data, const double *x, double *f)
{
    LyraNear near;
    (*(NearFunction **)data)((const double(*)[3])x, &near);
    lyra_near_derivatives((const double(*)[3])x, &near, f, NULL);
}

LYRA_TEST(derivatives_are_those_of_the_distance)
{
    TestRandom random = test_random(6);
    int32_t counts[2][4] = {{0}};
    for (int trial = 0; trial < 200; ++trial) {
        int kind = trial % 2;
        double x[4][3], direction[12], gradient[12], hessian[144], along = 0, second[12];
        LyraNear near, moved;
        NearFunction *function = nears[kind];
        strew(&random, 1, x);
        double distance = function(x, &near);
        bool edge = distance < 0.05; // differences would pass into another case
        for (int k = 0; k < 12; ++k) {
            direction[k] = test_random_normal(&random);
        }
        for (int side = -1; side <= 1; side += 2) {
            double y[4][3];
            for (int k = 0; k < 12; ++k) {
                y[k / 3][k % 3] = x[k / 3][k % 3] + side * 0.011 * direction[k];
            }
            function(y, &moved);
            edge = edge || moved.kind != near.kind;
            for (int v = 0; v < 4; ++v) {
                edge = edge || (moved.c[v] == 0) != (near.c[v] == 0);
            }
        }
        if (edge) {
            continue;
        }
        ++counts[kind][near.kind];
        lyra_near_derivatives(x, &near, gradient, hessian);
        for (int i = 0; i < 12; ++i) {
            along += gradient[i] * direction[i];
            second[i] = 0;
            for (int j = 0; j < 12; ++j) {
                second[i] += hessian[12 * i + j] * direction[j];
                TEST_NEAR(hessian[12 * i + j], hessian[12 * j + i],
                          1e-12 * fabs(hessian[12 * i + i]) + 1e-13);
            }
        }
        test_check_difference(
            test_difference(distance_of, &function, 12, 1, x[0], direction, &along, 0.01), 1e-8,
            "gradient");
        test_check_difference(
            test_difference(gradient_of, &function, 12, 12, x[0], direction, second, 0.01), 1e-7,
            "Hessian");
    }
    TEST_CHECK(counts[0][0] > 2 && counts[0][1] > 5 && counts[0][2] > 2);
    TEST_CHECK(counts[1][0] > 2 && counts[1][1] > 5 && counts[1][3] > 5);
}

// A rigid motion changes no distance: the gradient is normal to it, and so is the Hessian to moves.
LYRA_TEST(derivatives_see_no_rigid_motion)
{
    TestRandom random = test_random(7);
    for (int trial = 0; trial < 200; ++trial) {
        double x[4][3], gradient[12], hessian[144], axis[3], sum = 0;
        LyraNear near;
        strew(&random, 1, x);
        nears[trial % 2](x, &near);
        lyra_near_derivatives(x, &near, gradient, hessian);
        for (int i = 0; i < 3; ++i) {
            axis[i] = test_random_normal(&random);
            double force = 0;
            for (int v = 0; v < 4; ++v) {
                force += gradient[3 * v + i];
            }
            TEST_NEAR(force, 0, 1e-13);
        }
        for (int v = 0; v < 4; ++v) {
            for (int i = 0; i < 3; ++i) {
                int j = (i + 1) % 3, k = (i + 2) % 3;
                sum += gradient[3 * v + i] * (axis[j] * x[v][k] - axis[k] * x[v][j]);
            }
        }
        TEST_NEAR(sum, 0, 1e-12);
    }
}

// ---- motion -------------------------------------------------------------------------------------

static double distance_along(int kind, const double x[4][3], const double dx[4][3], double t)
{
    double y[4][3];
    LyraNear near;
    for (int k = 0; k < 12; ++k) {
        y[k / 3][k % 3] = x[k / 3][k % 3] + t * dx[k / 3][k % 3];
    }
    return nears[kind](y, &near);
}

// Primitives that meet at a chosen time: their places at it are one, so no bound may reach it. The
// same in metres, kilometres and micrometres, and far away.
LYRA_TEST(bounds_stop_before_things_meet)
{
    TestRandom random = test_random(12);
    double sum = 0;
    int32_t count = 0;
    for (int trial = 0; trial < 20000; ++trial) {
        int kind = trial % 2;
        double scale = (double[]){1, 1e3, 1e-6}[trial % 3];
        double x[4][3], dx[4][3], meet = test_random_in(&random, 0.01, 1);
        double a = test_random_in(&random, 0, 0.5), b = test_random_in(&random, 0, 0.5);
        double c[4] = {1, -(1 - a - b), -a, -b}, gap[3];
        if (kind == 1) {
            memcpy(c, (double[]){1 - a, a, -(1 - b), -b}, sizeof c);
        }
        strew(&random, scale, x);
        strew(&random, scale * (double[]){0.1, 1, 10}[trial / 2 % 3], dx);
        for (int i = 0; i < 3; ++i) {
            gap[i] = 0;
            for (int v = 0; v < 4; ++v) {
                gap[i] += c[v] * (x[v][i] + meet * dx[v][i]);
            }
        }
        for (int v = 0; v < 4; ++v) {
            for (int i = 0; i < 3; ++i) {
                // move the first primitive so that the places meet
                x[v][i] -= c[v] > 0 ? gap[i] : 0;
            }
        }
        if (distance_along(kind, x, dx, 0) < 1e-9 * scale) {
            continue;
        }
        double t = bounds[kind](x, dx, 0), first = meet;
        TEST_CHECK_MSG(t >= 0 && t < meet, "trial %d: bound %g, meets at %g", trial, t, meet);
        // they may meet earlier elsewhere
        for (int k = 1; k < 400; ++k) {
            double s = meet * k / 400;
            TEST_CHECK(s > t || distance_along(kind, x, dx, s) > 0);
            first = distance_along(kind, x, dx, s) < 0.02 * scale && s < first ? s : first;
        }
        if (distance_along(kind, x, dx, 0) > 0.5 * scale) {
            sum += t / first;
            ++count;
        }
        for (int v = 0; v < 4; ++v) {
            for (int i = 0; i < 3; ++i) {
                x[v][i] += 1000 * scale;
            }
        }
        double away = bounds[kind](x, dx, 0);
        TEST_CHECK(away >= 0 && away < meet);
    }
    TEST_CHECK_MSG(count > 5000 && sum > 0.7 * count, "bounds of %g of the way", sum / count);
}

LYRA_TEST(bounds_keep_a_gap)
{
    TestRandom random = test_random(13);
    int32_t free = 0, stopped = 0;
    for (int trial = 0; trial < 5000; ++trial) {
        int kind = trial % 2;
        double x[4][3], dx[4][3];
        strew(&random, 1, x);
        strew(&random, 1, dx);
        double gap = 0.5 * distance_along(kind, x, dx, 0), t = bounds[kind](x, dx, gap);
        TEST_CHECK(t >= 0 && t <= 1);
        free += t == 1;
        stopped += t < 1;
        for (int k = 0; k <= 100; ++k) {
            TEST_CHECK(distance_along(kind, x, dx, t * k / 100) > gap);
        }
    }
    TEST_CHECK(free > 1000 && stopped > 1000);
}

LYRA_TEST(bounds_refuse_what_rounding_decides)
{
    double x[4][3] = {{0.2, 1e-14, 0.2}, {0, 0, 0}, {1, 0, 0}, {0, 0, 1}}, dx[4][3] = {{0, -1, 0}};
    TEST_CHECK(lyra_bound_point_triangle(x, dx, 0) < 0);
    x[0][1] = 0;
    TEST_CHECK(lyra_bound_point_triangle(x, dx, 0) < 0);
    x[0][1] = 1;
    TEST_NEAR(lyra_bound_point_triangle(x, dx, 0), 0.9, 0.1);
    TEST_CHECK(lyra_bound_point_triangle(x, dx, 0.9999999999999) < 0);
    // together they may go anywhere
    for (int v = 0; v < 4; ++v) {
        dx[v][1] = -100;
    }
    TEST_EQUAL(lyra_bound_point_triangle(x, dx, 0.5), 1);
    dx[2][0] = NAN;
    TEST_CHECK(lyra_bound_point_triangle(x, dx, 0) < 0);
    dx[2][0] = INFINITY;
    TEST_CHECK(lyra_bound_edge_edge(x, dx, 0) < 0);
}
