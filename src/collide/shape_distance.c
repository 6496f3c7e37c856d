// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Signed distances with gradients and second derivatives.
//
// Bodies of revolution. In the half-plane of rho = |(q_x, q_z)| and y = q_y let phi(rho, y) be the
// distance, e the unit vector along rho, t the tangential one and m that in the half-plane across
// n = phi_rho e + phi_y a. Then
//
//   hess phi = k m m^T + (phi_rho / rho) t t^T,                                               (1)
//
// with k = 1/s at a distance s from a point of the half-plane (rim, ring), 0 along a line.
//
// Boxes outside: v = max(|q| - half, 0) with the signs of q, phi = |v|, n = v/phi and, with P the
// projection to the axes where v is not zero, hess phi = (P - n n^T) / phi.                   (2)
//
// Grids. phi = sum of B_i(x) B_j(y) B_k(z) phi_ijk with uniform cubic B-splines B, which have two
// continuous derivatives. It does not pass through the samples: corners are rounded over a cell,
// flat parts are exact. Its partial derivatives are means of differences of neighbours, each at
// most 1, so |grad phi| <= sqrt(3), whatever is sampled. Outside of the grid the distance to it,
// plus the least distance of the surface from its border, is a lower bound.
//
// Height fields. phi = (y - h(x, z)) / sqrt(1 + L^2) with h a surface of such splines and L a bound
// of its slope: a lower bound of the distance with |grad phi| <= 1.

#include "collide/shape.h"

#include "math/vec3.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define TINY 1e-300

// H += k a a^T
static void add_outer(double k, const double a[3], double H[9])
{
    for (int i = 0; i < 9; ++i) {
        H[i] += k * a[i / 3] * a[i % 3];
    }
}

// (1): n and H from the slopes along rho and y and the curvature k in the half-plane
static void revolve(const double q[3], double rho, double along, double up, double k, double n[3],
                    double H[9])
{
    double e[3] = {1, 0, 0}, t[3], m[3];
    if (rho > TINY) {
        e[0] = q[0] / rho;
        e[2] = q[2] / rho;
    }
    t[0] = -e[2];
    t[1] = 0;
    t[2] = e[0];
    n[0] = along * e[0];
    n[1] = up;
    n[2] = along * e[2];
    if (H) {
        m[0] = up * e[0];
        m[1] = -along;
        m[2] = up * e[2];
        add_outer(k, m, H);
        add_outer(rho > TINY ? along / rho : 0, t, H);
    }
}

// distance from a point of the half-plane, whose offset is (a, b)
static double round_corner(const double q[3], double rho, double a, double b, double n[3],
                           double H[9])
{
    double s = hypot(a, b);
    double along = s > TINY ? a / s : 1, up = s > TINY ? b / s : 0;
    revolve(q, rho, along, up, s > TINY ? 1 / s : 0, n, H);
    return s;
}

static double capsule(const LyTerm *term, const double q[3], double n[3], double H[9])
{
    double rho = hypot(q[0], q[2]), half = term->half[1];
    double y = q[1] > half ? q[1] - half : q[1] < -half ? q[1] + half : 0;
    if (y == 0 && half > 0) {
        revolve(q, rho, 1, 0, 0, n, H);
        return rho - term->radius;
    }
    return round_corner(q, rho, rho, y, n, H) - term->radius;
}

static double cylinder(const LyTerm *term, const double q[3], double n[3], double H[9])
{
    double rho = hypot(q[0], q[2]), side = rho - term->radius;
    double cap = fabs(q[1]) - term->half[1], sign = q[1] < 0 ? -1 : 1;
    if (side > 0 && cap > 0) {
        return round_corner(q, rho, side, sign * cap, n, H);
    }
    if (side >= cap) {
        revolve(q, rho, 1, 0, 0, n, H);
        return side;
    }
    revolve(q, rho, 0, sign, 0, n, H);
    return cap;
}

static double box(const LyTerm *term, const double q[3], double n[3], double H[9])
{
    double v[3], most = -INFINITY, sum = 0;
    int face = 0;
    for (int i = 0; i < 3; ++i) {
        double d = fabs(q[i]) - term->half[i], sign = q[i] < 0 ? -1 : 1;
        v[i] = d > 0 ? sign * d : 0;
        sum += v[i] * v[i];
        face = d > most ? i : face;
        most = d > most ? d : most;
    }
    if (most <= 0) {
        n[0] = n[1] = n[2] = 0;
        n[face] = q[face] < 0 ? -1 : 1;
        return most;
    }
    double phi = sqrt(sum);
    for (int i = 0; i < 3; ++i) {
        n[i] = v[i] / phi;
    }
    for (int i = 0; H && i < 3; ++i) {
        H[4 * i] += v[i] != 0 ? 1 / phi : 0;
    }
    if (H) {
        add_outer(-1 / phi, n, H);
    }
    return phi;
}

// ---- samples ------------------------------------------------------------------------------------

typedef struct Basis {
    int32_t at[4];
    double value[4], slope[4], curve[4];
} Basis;

// the four splines at x, in cells, of `count` samples; those beyond the border count as the last
static void find_basis(double x, int32_t count, Basis *out)
{
    double cell = floor(x);
    cell = cell < 0 ? 0 : cell > count - 2 ? count - 2 : cell;
    double t = x - cell, s = 1 - t;
    double value[4] = {s * s * s, 4 - 6 * t * t + 3 * t * t * t, 4 - 6 * s * s + 3 * s * s * s,
                       t * t * t};
    double slope[4] = {-s * s, -4 * t + 3 * t * t, 4 * s - 3 * s * s, t * t};
    double curve[4] = {s, 3 * t - 2, 3 * s - 2, t};
    for (int i = 0; i < 4; ++i) {
        int32_t at = (int32_t)cell - 1 + i;
        out->at[i] = at < 0 ? 0 : at > count - 1 ? count - 1 : at;
        out->value[i] = value[i] / 6;
        out->slope[i] = 0.5 * slope[i];
        out->curve[i] = curve[i];
    }
}

static double heights(const LyTerm *term, const double q[3], double n[3], double H[9])
{
    double x[2], end[2] = {term->count[0] - 1, term->count[2] - 1};
    Basis basis[2];
    for (int i = 0; i < 2; ++i) {
        x[i] = fmin(fmax(q[2 * i] / term->spacing, 0), end[i]);
        find_basis(x[i], term->count[2 * i], &basis[i]);
    }
    double h = 0, g[2] = {0}, c[3] = {0};
    for (int j = 0; j < 4; ++j) {
        for (int i = 0; i < 4; ++i) {
            double value = term->values[(int64_t)basis[1].at[j] * term->count[0] + basis[0].at[i]];
            h += value * basis[0].value[i] * basis[1].value[j];
            g[0] += value * basis[0].slope[i] * basis[1].value[j];
            g[1] += value * basis[0].value[i] * basis[1].slope[j];
            c[0] += value * basis[0].curve[i] * basis[1].value[j];
            c[1] += value * basis[0].slope[i] * basis[1].slope[j];
            c[2] += value * basis[0].value[i] * basis[1].curve[j];
        }
    }
    double scale = term->scale, per = scale / term->spacing, per2 = per / term->spacing;
    // beyond the border the height stays
    bool flat[2];
    for (int i = 0; i < 2; ++i) {
        flat[i] = x[i] * term->spacing != q[2 * i];
    }
    n[0] = flat[0] ? 0 : -per * g[0];
    n[1] = scale;
    n[2] = flat[1] ? 0 : -per * g[1];
    if (H) {
        H[0] = flat[0] ? 0 : -per2 * c[0];
        H[2] = H[6] = flat[0] || flat[1] ? 0 : -per2 * c[1];
        H[8] = flat[1] ? 0 : -per2 * c[2];
    }
    return scale * (q[1] - h);
}

static double grid(const LyTerm *term, const double q[3], double n[3], double H[9])
{
    double x[3], away[3], sum = 0;
    Basis b[3];
    for (int i = 0; i < 3; ++i) {
        double end = (term->count[i] - 1) * term->spacing;
        double c = q[i] < 0 ? 0 : q[i] > end ? end : q[i];
        away[i] = q[i] - c;
        sum += away[i] * away[i];
        x[i] = c / term->spacing;
    }
    if (sum > 0) {
        double s = sqrt(sum);
        for (int i = 0; i < 3; ++i) {
            n[i] = away[i] / s;
        }
        return s + term->scale;
    }
    for (int i = 0; i < 3; ++i) {
        find_basis(x[i], term->count[i], &b[i]);
    }
    double phi = 0, g[3] = {0}, c[6] = {0};
    for (int k = 0; k < 4; ++k) {
        for (int j = 0; j < 4; ++j) {
            const double *row =
                term->values + ((int64_t)b[2].at[k] * term->count[1] + b[1].at[j]) * term->count[0];
            double v = 0, s = 0, r = 0;
            for (int i = 0; i < 4; ++i) {
                double value = row[b[0].at[i]];
                v += value * b[0].value[i];
                s += value * b[0].slope[i];
                r += value * b[0].curve[i];
            }
            double y = b[1].value[j], z = b[2].value[k], dy = b[1].slope[j], dz = b[2].slope[k];
            phi += v * y * z;
            g[0] += s * y * z;
            g[1] += v * dy * z;
            g[2] += v * y * dz;
            c[0] += r * y * z;
            c[1] += s * dy * z;
            c[2] += s * y * dz;
            c[3] += v * b[1].curve[j] * z;
            c[4] += v * dy * dz;
            c[5] += v * y * b[2].curve[k];
        }
    }
    double per = 1 / term->spacing;
    static const int place[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    for (int i = 0; i < 3; ++i) {
        n[i] = per * g[i];
    }
    for (int i = 0; H && i < 9; ++i) {
        H[i] = per * per * c[place[i]];
    }
    return phi;
}

// ---- all of them --------------------------------------------------------------------------------

static double own_distance(const LyTerm *term, const double q[3], double n[3], double H[9])
{
    double rho = 0;
    switch (term->kind) {
    case LY_TERM_PLANE:
        n[0] = n[2] = 0;
        n[1] = 1;
        return q[1];
    case LY_TERM_CAPSULE:
        return capsule(term, q, n, H);
    case LY_TERM_BOX:
        return box(term, q, n, H);
    case LY_TERM_CYLINDER:
        return cylinder(term, q, n, H);
    case LY_TERM_TUBE:
        rho = hypot(q[0], q[2]);
        revolve(q, rho, 1, 0, 0, n, H);
        return rho - term->radius;
    case LY_TERM_TORUS:
        rho = hypot(q[0], q[2]);
        return round_corner(q, rho, rho - term->radius, q[1], n, H) - term->tube;
    case LY_TERM_HEIGHTS:
        return heights(term, q, n, H);
    default:
        return grid(term, q, n, H);
    }
}

double ly_term_distance(const LyTerm *term, const double p[3], double n[3], double H[9])
{
    double d[3], q[3], own[3], second[9] = {0}, sign = term->inside ? -1 : 1;
    const double *A = term->axes;
    ly_subtract3(p, term->origin, d);
    for (int i = 0; i < 3; ++i) {
        q[i] = ly_dot3(A + 3 * i, d);
    }
    double phi = own_distance(term, q, own, H ? second : NULL);
    for (int i = 0; i < 3; ++i) {
        n[i] = sign * (A[i] * own[0] + A[3 + i] * own[1] + A[6 + i] * own[2]);
    }
    if (H) {
        // A^T H A
        double HA[9];
        for (int i = 0; i < 9; ++i) {
            const double *row = second + 3 * (i / 3);
            HA[i] = row[0] * A[i % 3] + row[1] * A[3 + i % 3] + row[2] * A[6 + i % 3];
        }
        for (int i = 0; i < 9; ++i) {
            int r = i / 3, c = i % 3;
            H[i] = sign * (A[r] * HA[c] + A[3 + r] * HA[3 + c] + A[6 + r] * HA[6 + c]);
        }
    }
    return sign * phi;
}
