// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Signs agree with whole numbers of 128 bits where doubles round; edges meet triangles exactly
// where the distance of the two, found over all their features, is zero.

#include "lyra/collide.h"
#include "lyra_test.h"

#include <string.h>

// ---- signs --------------------------------------------------------------------------------------

__extension__ typedef __int128 Wide;

static int32_t sign_of_whole(const int64_t a[3], const int64_t b[3], const int64_t c[3],
                             const int64_t d[3])
{
    Wide u[3], v[3], w[3], det = 0;
    for (int i = 0; i < 3; ++i) {
        u[i] = b[i] - a[i];
        v[i] = c[i] - a[i];
        w[i] = d[i] - a[i];
    }
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        det += w[i] * (u[j] * v[k] - u[k] * v[j]);
    }
    return det > 0 ? 1 : det < 0 ? -1 : 0;
}

LYRA_TEST(signs_are_those_of_whole_numbers)
{
    TestRandom random = test_random(3);
    int32_t counts[3] = {0};
    for (int trial = 0; trial < 20000; ++trial) {
        int64_t x[4][3], range = (int64_t)1 << (trial % 38 + 1);
        double y[4][3];
        for (int p = 0; p < 3; ++p) {
            for (int i = 0; i < 3; ++i) {
                x[p][i] = (int64_t)(test_random_bits(&random) % (uint64_t)range);
            }
        }
        // in the plane of the others, or next to it
        int64_t s = test_random_below(&random, 5) - 2, t = test_random_below(&random, 5) - 2;
        int32_t off = test_random_below(&random, 3);
        for (int i = 0; i < 3; ++i) {
            x[3][i] = x[0][i] + s * (x[1][i] - x[0][i]) + t * (x[2][i] - x[0][i]);
        }
        x[3][off] += test_random_below(&random, 3) - 1;
        // a power of two changes no sign
        double scale = ldexp(1, trial % 60 - 40);
        for (int p = 0; p < 4; ++p) {
            for (int i = 0; i < 3; ++i) {
                y[p][i] = scale * (double)x[p][i];
            }
        }
        int32_t expected = sign_of_whole(x[0], x[1], x[2], x[3]);
        ++counts[expected + 1];
        TEST_EQUAL(lyra_orient3(y[0], y[1], y[2], y[3]), expected);
        TEST_EQUAL(lyra_orient3(y[1], y[0], y[2], y[3]), -expected);
        TEST_EQUAL(lyra_orient3(y[3], y[0], y[2], y[1]), expected);
    }
    TEST_CHECK(counts[0] > 4000 && counts[1] > 4000 && counts[2] > 4000);
}

// Coordinates whose differences are not exact: a plane through three of them, and its neighbours.
LYRA_TEST(signs_see_the_last_bit)
{
    const double a[3] = {0.1, 0.2, 0.3}, b[3] = {12.3, 4.7, 0.3}, c[3] = {-3.1, 9.9, 0.3};
    for (int k = 0; k < 50; ++k) {
        double d[3] = {1e-3 * k, 0.7 * k, 0.3};
        TEST_EQUAL(lyra_orient3(a, b, c, d), 0);
        d[2] = nextafter(0.3, 1);
        TEST_EQUAL(lyra_orient3(a, b, c, d), 1);
        d[2] = nextafter(0.3, 0);
        TEST_EQUAL(lyra_orient3(a, b, c, d), -1);
    }
}

// ---- edges and triangles ------------------------------------------------------------------------

// Solves A x = b of n <= 3 symmetric equations; false where A is singular.
static bool solve(int n, double A[3][3], double b[3])
{
    for (int p = 0; p < n; ++p) {
        if (!(fabs(A[p][p]) > 1e-9)) {
            return false;
        }
        for (int r = 0; r < n; ++r) {
            double factor = r == p ? 0 : A[r][p] / A[p][p];
            for (int c = 0; c < n; ++c) {
                A[r][c] -= factor * A[p][c];
            }
            b[r] -= factor * b[p];
        }
    }
    for (int p = 0; p < n; ++p) {
        b[p] /= A[p][p];
    }
    return true;
}

// Least distance between the hulls of e of the ends and t of the corners, if it lies inside both;
// else infinite.
static double feature_distance(int e, const double *const ends[2], int t,
                               const double *const corners[3])
{
    double columns[3][3], A[3][3] = {{0}}, b[3] = {0}, d[3];
    int n = e - 1 + t - 1;
    for (int i = 0; i < 3; ++i) {
        d[i] = corners[0][i] - ends[0][i];
        for (int k = 0; k < n; ++k) {
            columns[k][i] = k < e - 1 ? ends[k + 1][i] - ends[0][i]
                                      : corners[0][i] - corners[k - (e - 1) + 1][i];
        }
    }
    for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) {
            A[r][c] = columns[r][0] * columns[c][0] + columns[r][1] * columns[c][1] +
                      columns[r][2] * columns[c][2];
        }
        b[r] = columns[r][0] * d[0] + columns[r][1] * d[1] + columns[r][2] * d[2];
    }
    if (!solve(n, A, b)) {
        return INFINITY;
    }
    double sums[2] = {0};
    for (int k = 0; k < n; ++k) {
        if (b[k] < -1e-9) {
            return INFINITY;
        }
        sums[k >= e - 1] += b[k];
        for (int i = 0; i < 3; ++i) {
            d[i] -= b[k] * columns[k][i];
        }
    }
    return sums[0] > 1 + 1e-9 || sums[1] > 1 + 1e-9 ? INFINITY
                                                    : sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

static double edge_triangle_distance(const double x[5][3])
{
    static const int edges[3][2] = {{0, 1}, {0, 0}, {1, 0}};
    static const int faces[7][3] = {{2, 3, 4}, {2, 3, 0}, {3, 4, 0}, {4, 2, 0},
                                    {2, 0, 0}, {3, 0, 0}, {4, 0, 0}};
    double least = INFINITY;
    for (int e = 0; e < 3; ++e) {
        for (int t = 0; t < 7; ++t) {
            const double *ends[2] = {x[edges[e][0]], x[edges[e][1]]};
            const double *corners[3] = {x[faces[t][0]], x[faces[t][1]], x[faces[t][2]]};
            double distance = feature_distance(e == 0 ? 2 : 1, ends,
                                               t == 0  ? 3
                                               : t < 4 ? 2
                                                       : 1,
                                               corners);
            least = distance < least ? distance : least;
        }
    }
    return least;
}

LYRA_TEST(edges_meet_triangles_where_their_distance_is_zero)
{
    TestRandom random = test_random(11);
    int32_t counts[3] = {0};
    for (int trial = 0; trial < 60000; ++trial) {
        double x[5][3];
        int32_t range = 2 + trial % 5;
        for (int p = 0; p < 5; ++p) {
            for (int i = 0; i < 3; ++i) {
                x[p][i] = test_random_below(&random, range);
            }
        }
        LyraMeeting meeting = lyra_edge_meets_triangle(x[0], x[1], x[2], x[3], x[4]);
        ++counts[meeting];
        double distance = edge_triangle_distance(x);
        TEST_CHECK_MSG((meeting != LYRA_MEETING_NONE) == (distance < 1e-6),
                       "trial %d: meeting %d at a distance of %g", trial, (int)meeting, distance);
        // neither the order of the ends nor that of the corners matters
        TEST_EQUAL(lyra_edge_meets_triangle(x[1], x[0], x[3], x[2], x[4]), meeting);
        TEST_EQUAL(lyra_edge_meets_triangle(x[0], x[1], x[4], x[2], x[3]), meeting);
    }
    TEST_CHECK(counts[0] > 10000 && counts[1] > 1000 && counts[2] > 1000);
}

LYRA_TEST(a_crossing_is_inside_both)
{
    const double a[3] = {0, 0, 0}, b[3] = {1, 0, 0}, c[3] = {0, 1, 0};
    const struct {
        double p[3], q[3];
        LyraMeeting meeting;
    } cases[] = {
        {{0.2, 0.2, -1}, {0.2, 0.2, 1}, LYRA_MEETING_CROSS},
        {{0.2, 0.2, -1}, {0.2, 0.2, 0}, LYRA_MEETING_TOUCH}, // ends on it
        {{0.2, 0.2, -1}, {0.2, 0.2, -1e-70}, LYRA_MEETING_NONE},
        {{0.2, 0, -1}, {0.2, 0, 1}, LYRA_MEETING_TOUCH},    // through a side
        {{0, 0, -1}, {0, 0, 1}, LYRA_MEETING_TOUCH},        // through a corner
        {{0.2, 0.2, 0}, {0.3, 0.2, 0}, LYRA_MEETING_TOUCH}, // in it
        {{-1, 0.2, 0}, {2, 0.2, 0}, LYRA_MEETING_TOUCH},    // in its plane, across
        {{2, 2, 0}, {3, 2, 0}, LYRA_MEETING_NONE},          // in its plane, beside
        {{0.6, 0.6, -1}, {0.6, 0.6, 1}, LYRA_MEETING_NONE},
        {{0.2, 0.2, 0}, {0.2, 0.2, 0}, LYRA_MEETING_TOUCH}, // a point
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        TEST_EQUAL(lyra_edge_meets_triangle(cases[k].p, cases[k].q, a, b, c), cases[k].meeting);
    }
}
