// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// How far primitives may move: additive continuous collision detection [LKJ21]. Without their mean
// motion, which changes no distance, two primitives come closer by at most l per unit of time, the
// sum of the longest ways of both. So from a distance d nothing comes closer than a tenth of d
// within 0.9 d / l, and then the next such step follows, until a tenth of the first distance is
// left.

#include "math/vec3.h"

#include "lyra/collide.h"

#include <float.h>

// Part of the way to the gap that a step may take.
#define PART 0.9

enum { STEPS_MAX = 1000 };

typedef double NearFunction(const double x[4][3], LyraNear *near);

// the longest way of vertices `begin` to `end`
static double longest(const double dx[4][3], int32_t begin, int32_t end)
{
    double most = 0;
    for (int32_t v = begin; v < end; ++v) {
        most = fmax(most, ly_length3(dx[v]));
    }
    return most;
}

// `split`: the vertex that the second primitive begins with
static double bound(const double given[4][3], const double given_dx[4][3], double gap,
                    int32_t split, NearFunction *near_of)
{
    double x[4][3], dx[4][3], at[4][3], reach = 0;
    bool finite = true;
    for (int32_t i = 0; i < 3; ++i) {
        double mean = 0, mean_dx = 0;
        for (int32_t v = 0; v < 4; ++v) {
            mean += 0.25 * given[v][i];
            mean_dx += 0.25 * given_dx[v][i];
        }
        finite = finite && isfinite(mean) && isfinite(mean_dx);
        for (int32_t v = 0; v < 4; ++v) {
            x[v][i] = given[v][i] - mean;
            dx[v][i] = given_dx[v][i] - mean_dx;
        }
    }
    for (int32_t v = 0; v < 4; ++v) {
        reach = fmax(reach, ly_length3(x[v]) + ly_length3(dx[v]));
    }
    LyraNear near;
    double l = longest(dx, 0, split) + longest(dx, split, 4);
    double start = near_of(x, &near) - gap, left = start;
    if (!(finite && reach < DBL_MAX && start > 1e3 * DBL_EPSILON * reach)) {
        return -1;
    }
    if (l == 0) {
        return 1;
    }
    double t = 0;
    for (int32_t step = 0; step < STEPS_MAX; ++step) {
        double next = t + PART * left / l;
        if (next >= 1) {
            return 1;
        }
        for (int32_t v = 0; v < 4; ++v) {
            for (int32_t i = 0; i < 3; ++i) {
                at[v][i] = x[v][i] + next * dx[v][i];
            }
        }
        left = near_of(at, &near) - gap;
        if (left < (1 - PART) * start && t > 0) {
            return t;
        }
        t = next;
    }
    return t;
}

double lyra_bound_point_triangle(const double x[4][3], const double dx[4][3], double gap)
{
    return bound(x, dx, gap, 1, lyra_near_point_triangle);
}

double lyra_bound_edge_edge(const double x[4][3], const double dx[4][3], double gap)
{
    return bound(x, dx, gap, 2, lyra_near_edge_edge);
}
