// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Central differences with a measured order. The error of (f(x + h d) - f(x - h d)) / 2h falls by 4
// per halving of h until rounding takes over; the order is the steepest slope between neighbours
// that are both clear of rounding.

#include "lyra_test.h"

#include <stdlib.h>
#include <string.h>

#define STEP_COUNT 16

static double norm(int32_t n, const double *v)
{
    double sum = 0;
    for (int32_t i = 0; i < n; ++i) {
        sum += v[i] * v[i];
    }
    return sqrt(sum);
}

TestDifference test_difference(TestVectorFunction *f, void *data, int32_t n, int32_t m,
                               const double *x, const double *direction, const double *dfdx,
                               double step)
{
    double *point = malloc((size_t)n * sizeof *point);
    double *forward = malloc((size_t)m * sizeof *forward);
    double *backward = malloc((size_t)m * sizeof *backward);
    double scale = norm(m, dfdx), error[STEP_COUNT];
    TestDifference result = {.error_best = INFINITY};
    for (int k = 0; k < STEP_COUNT; ++k) {
        double h = ldexp(step, -k);
        for (int32_t i = 0; i < n; ++i) {
            point[i] = x[i] + h * direction[i];
        }
        f(data, point, forward);
        for (int32_t i = 0; i < n; ++i) {
            point[i] = x[i] - h * direction[i];
        }
        f(data, point, backward);
        bool equal = m > 0 && scale > 0;
        for (int32_t i = 0; i < m; ++i) {
            double slope = (forward[i] - backward[i]) / (2 * h);
            equal = equal && slope == dfdx[i];
            forward[i] = slope - dfdx[i];
        }
        result.bit_equal = result.bit_equal || (equal && m > 3);
        error[k] = norm(m, forward) / (scale > 0 ? scale : 1);
        result.error_best = fmin(result.error_best, error[k]);
    }
    int best = 0;
    while (error[best] > result.error_best) {
        ++best;
    }
    // slope over two halvings on the way to the best step, where the smaller error is still well
    // above the best and above the rounding that even an exact difference shows
    for (int k = 0; k + 2 < best; ++k) {
        if (error[k + 2] > 30 * result.error_best && error[k + 2] > 3e-10) {
            double slope = 0.5 * log2(error[k] / error[k + 2]);
            if (fabs(slope - 2) < fabs(result.order - 2)) {
                result.order = slope;
            }
        }
    }
    free(point);
    free(forward);
    free(backward);
    return result;
}

void test_check_difference(TestDifference difference, double tolerance, const char *what)
{
    double scale = test_tolerance_scale();
    TEST_CHECK_MSG(difference.error_best <= tolerance * scale,
                   "%s: best error %.3g, tolerance %.3g", what, difference.error_best, tolerance);
    // a quadratic shows no truncation error, hence no slope
    bool exact = difference.order == 0;
    TEST_CHECK_MSG(exact || fabs(difference.order - 2) <= 0.1, "%s: order %.3f, expected 2", what,
                   difference.order);
    TEST_CHECK_MSG(!difference.bit_equal,
                   "%s: the derivative equals its difference to the last bit", what);
}
