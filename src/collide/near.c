// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Closest places, distances and their derivatives [theory: collide]. With r = sum c_i x_i the
// vector between the two places, d its length, n = r / d, and the free coordinates b_k of the
// places,
//
//     t_k = sum dc_i/db_k x_i,   t'_k an orthonormal base of their span, e_k the same combinations
//                                of dc/db_k,   q what n and t'_k lack for a base of space
//     dd/dx = c (x) n
//     d2d/dx2 = -sum_k [a_k E_k^T + E_k a_k^T + d E_k E_k^T] + 1/d sum_q (c (x) q) (c (x) q)^T
//     a_k = c (x) t'_k,  E_k = e_k (x) n
//
// since r is normal to all t_k where it is shortest.

#include "math/vec3.h"

#include "lyra/collide.h"

#include <string.h>

// edges whose squared sine is below this count as parallel
#define PARALLEL 2.5e-16

// Squared sine of edges, or of two sides of a triangle, below which rounding may move what is
// closest inside: the ends, or the sides, are asked as well.
#define THIN 1e-8

// ---- places -------------------------------------------------------------------------------------

static double length_between(const double x[4][3], const double c[4])
{
    double r[3];
    for (int32_t i = 0; i < 3; ++i) {
        // from the first vertex on, as the weights sum to zero
        r[i] = c[1] * (x[1][i] - x[0][i]) + c[2] * (x[2][i] - x[0][i]) + c[3] * (x[3][i] - x[0][i]);
    }
    return ly_length3(r);
}

// Takes the vertex p and the edge from a to b, if they are closer than `least`; `sign` is the
// weight of p. Returns the lesser distance.
static double near_on_edge(const double x[4][3], int32_t p, int32_t a, int32_t b, double sign,
                           double least, LyraNear *near)
{
    double u[3], w[3];
    ly_subtract3(x[b], x[a], u);
    ly_subtract3(x[p], x[a], w);
    double length2 = ly_dot3(u, u), t = length2 > 0 ? ly_dot3(u, w) / length2 : 0;
    bool inside = t > 0 && t < 1;
    t = t > 0 ? t < 1 ? t : 1 : 0;
    LyraNear trial = {.kind = inside ? LYRA_NEAR_POINT_EDGE : LYRA_NEAR_POINT_POINT,
                      .count = inside ? 1 : 0};
    trial.c[p] = sign;
    trial.c[a] = -sign * (1 - t);
    trial.c[b] = -sign * t;
    if (inside) {
        trial.c_k[0][a] = sign;
        trial.c_k[0][b] = -sign;
    }
    double distance = length_between(x, trial.c);
    if (distance < least) {
        *near = trial;
        return distance;
    }
    return least;
}

double lyra_near_point_triangle(const double x[4][3], LyraNear *near)
{
    double u[3], v[3], w[3], n[3], side[3];
    ly_subtract3(x[2], x[1], u);
    ly_subtract3(x[3], x[1], v);
    ly_subtract3(x[0], x[1], w);
    ly_cross3(u, v, n);
    double area2 = ly_dot3(n, n);
    ly_cross3(w, v, side);
    double a = ly_dot3(side, n) / area2;
    ly_cross3(u, w, side);
    double b = ly_dot3(side, n) / area2, least = INFINITY;
    *near = (LyraNear){.kind = LYRA_NEAR_POINT_POINT, .c = {1, -1, 0, 0}};
    if (area2 > 0 && a > 0 && b > 0 && a + b < 1) {
        *near = (LyraNear){
            .kind = LYRA_NEAR_POINT_TRIANGLE,
            .c = {1, -(1 - a - b), -a, -b},
            .count = 2,
            .c_k = {{0, 1, -1, 0}, {0, 1, 0, -1}},
        };
        least = length_between(x, near->c);
        if (area2 > THIN * ly_dot3(u, u) * ly_dot3(v, v)) {
            return least;
        }
    }
    for (int32_t k = 0; k < 3; ++k) {
        least = near_on_edge(x, 0, 1 + k, 1 + (k + 1) % 3, 1, least, near);
    }
    return least;
}

double lyra_near_edge_edge(const double x[4][3], LyraNear *near)
{
    double u[3], v[3], w[3];
    ly_subtract3(x[1], x[0], u);
    ly_subtract3(x[3], x[2], v);
    ly_subtract3(x[0], x[2], w);
    double uu = ly_dot3(u, u), vv = ly_dot3(v, v), uv = ly_dot3(u, v);
    double uw = ly_dot3(u, w), vw = ly_dot3(v, w), det = uu * vv - uv * uv, least = INFINITY;
    *near = (LyraNear){.kind = LYRA_NEAR_POINT_POINT, .c = {1, 0, -1, 0}};
    if (det > PARALLEL * uu * vv) {
        // b by a, so that rounding of a, which is large where det is small, moves both along
        double a = (uv * vw - vv * uw) / det, b = (vw + a * uv) / vv;
        if (a > 0 && a < 1 && b > 0 && b < 1) {
            *near = (LyraNear){
                .kind = LYRA_NEAR_EDGE_EDGE,
                .c = {1 - a, a, -(1 - b), -b},
                .count = 2,
                .c_k = {{-1, 1, 0, 0}, {0, 0, 1, -1}},
            };
            least = length_between(x, near->c);
            if (det > THIN * uu * vv) {
                return least;
            }
        }
    }
    // otherwise an end of one of them is among the closest places
    least = near_on_edge(x, 0, 2, 3, 1, least, near);
    least = near_on_edge(x, 1, 2, 3, 1, least, near);
    least = near_on_edge(x, 2, 0, 1, -1, least, near);
    return near_on_edge(x, 3, 0, 1, -1, least, near);
}

// ---- derivatives --------------------------------------------------------------------------------

static void combine(const double x[4][3], const double weights[4], double out[3])
{
    for (int32_t i = 0; i < 3; ++i) {
        out[i] = weights[1] * (x[1][i] - x[0][i]) + weights[2] * (x[2][i] - x[0][i]) +
                 weights[3] * (x[3][i] - x[0][i]);
    }
}

// Unit vectors of the span of the t_k, and the weights that make them.
static void orthonormalize(const double x[4][3], const LyraNear *near, double t[2][3],
                           double e[2][4])
{
    for (int32_t k = 0; k < near->count; ++k) {
        memcpy(e[k], near->c_k[k], sizeof e[k]);
        combine(x, e[k], t[k]);
        double along = k > 0 ? ly_dot3(t[0], t[k]) : 0;
        for (int32_t i = 0; i < 3 && k > 0; ++i) {
            t[k][i] -= along * t[0][i];
        }
        for (int32_t i = 0; i < 4 && k > 0; ++i) {
            e[k][i] -= along * e[0][i];
        }
        double length = ly_length3(t[k]);
        for (int32_t i = 0; i < 3; ++i) {
            t[k][i] /= length;
        }
        for (int32_t i = 0; i < 4; ++i) {
            e[k][i] /= length;
        }
    }
}

// Unit vectors normal to n and to the `count` of t.
static int32_t complete(const double n[3], int32_t count, double t[2][3], double q[2][3])
{
    if (count == 2) {
        return 0;
    }
    if (count == 0) {
        // the axis that n is farthest from
        int32_t axis = fabs(n[0]) <= fabs(n[1]) ? (fabs(n[0]) <= fabs(n[2]) ? 0 : 2)
                                                : (fabs(n[1]) <= fabs(n[2]) ? 1 : 2);
        double unit[3] = {axis == 0, axis == 1, axis == 2};
        ly_cross3(n, unit, q[1]);
        double length = ly_length3(q[1]);
        for (int32_t i = 0; i < 3; ++i) {
            q[1][i] /= length;
        }
        ly_cross3(q[1], n, q[0]);
        return 2;
    }
    ly_cross3(n, t[0], q[0]);
    return 1;
}

// A += scale (f (x) a) (g (x) b)^T, symmetrised
static void add_outer(double A[144], double scale, const double f[4], const double a[3],
                      const double g[4], const double b[3])
{
    for (int32_t i = 0; i < 12; ++i) {
        double left = 0.5 * scale * f[i / 3] * a[i % 3], right = 0.5 * scale * g[i / 3] * b[i % 3];
        for (int32_t j = 0; j < 12; ++j) {
            A[12 * i + j] += left * (g[j / 3] * b[j % 3]) + right * (f[j / 3] * a[j % 3]);
        }
    }
}

void lyra_near_derivatives(const double x[4][3], const LyraNear *near, double *gradient,
                           double *hessian)
{
    double n[3], t[2][3], e[2][4], q[2][3];
    const double *c = near->c;
    combine(x, c, n);
    double d = ly_length3(n);
    for (int32_t i = 0; i < 3; ++i) {
        n[i] /= d;
    }
    for (int32_t i = 0; i < 12 && gradient; ++i) {
        gradient[i] = c[i / 3] * n[i % 3];
    }
    if (!hessian) {
        return;
    }
    memset(hessian, 0, 144 * sizeof *hessian);
    orthonormalize(x, near, t, e);
    for (int32_t k = 0; k < near->count; ++k) {
        add_outer(hessian, -2, c, t[k], e[k], n);
        add_outer(hessian, -d, e[k], n, e[k], n);
    }
    int32_t lacking = complete(n, near->count, t, q);
    for (int32_t k = 0; k < lacking; ++k) {
        add_outer(hessian, 1 / d, c, q[k], c, q[k]);
    }
}
