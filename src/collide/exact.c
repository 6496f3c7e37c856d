// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Signs of determinants, and the tests made of them. A determinant is computed in doubles first;
// where its magnitude is within the bound of its rounding [She97], it is computed exactly,
// as a sum of doubles that do not overlap (an expansion). All else asks for signs alone, so that it
// is exact, too.

#include "lyra/collide.h"

#include <float.h>
#include <math.h>

// half a unit in the last place of 1
#define EPSILON (0.5 * DBL_EPSILON)

// ---- expansions ---------------------------------------------------------------------------------

// Largest: three products of expansions of 16 and 2 terms, of two terms each.
enum { TERMS_MAX = 192 };

// x[0] + x[1] + ..., of rising magnitude, without zeros
typedef struct Expansion {
    int32_t count;
    double x[TERMS_MAX];
} Expansion;

// adds a number
static void add(Expansion *e, double b)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < e->count; ++i) {
        double a = e->x[i], sum = a + b;
        double part = sum - a;
        double rest = (a - (sum - part)) + (b - part);
        if (rest != 0) {
            e->x[kept++] = rest;
        }
        b = sum;
    }
    if (b != 0) {
        e->x[kept++] = b;
    }
    e->count = kept;
}

// e += sign f g, for sign = +-1
static void add_product(Expansion *e, double sign, const Expansion *f, const Expansion *g)
{
    for (int32_t i = 0; i < f->count; ++i) {
        for (int32_t j = 0; j < g->count; ++j) {
            double product = f->x[i] * g->x[j];
            add(e, sign * fma(f->x[i], g->x[j], -product));
            add(e, sign * product);
        }
    }
}

// a - b
static Expansion difference(double a, double b)
{
    Expansion e = {.count = 0};
    add(&e, a);
    add(&e, -b);
    return e;
}

static int32_t sign_of(const Expansion *e)
{
    return e->count == 0 ? 0 : e->x[e->count - 1] > 0 ? 1 : -1;
}

// e = u v' - u' v of components i, j of u and v
static void minor(const Expansion u[3], const Expansion v[3], int32_t i, int32_t j, Expansion *e)
{
    e->count = 0;
    add_product(e, 1, &u[i], &v[j]);
    add_product(e, -1, &u[j], &v[i]);
}

// ---- signs of determinants ----------------------------------------------------------------------

static int32_t orient3_exact(const double a[3], const double b[3], const double c[3],
                             const double d[3])
{
    Expansion u[3], v[3], w[3], det = {.count = 0}, part;
    for (int32_t i = 0; i < 3; ++i) {
        u[i] = difference(b[i], a[i]);
        v[i] = difference(c[i], a[i]);
        w[i] = difference(d[i], a[i]);
    }
    for (int32_t i = 0; i < 3; ++i) {
        minor(u, v, (i + 1) % 3, (i + 2) % 3, &part);
        add_product(&det, 1, &part, &w[i]);
    }
    return sign_of(&det);
}

int32_t lyra_orient3(const double a[3], const double b[3], const double c[3], const double d[3])
{
    double u[3], v[3], w[3], det = 0, size = 0;
    for (int32_t i = 0; i < 3; ++i) {
        u[i] = b[i] - a[i];
        v[i] = c[i] - a[i];
        w[i] = d[i] - a[i];
    }
    for (int32_t i = 0; i < 3; ++i) {
        int32_t j = (i + 1) % 3, k = (i + 2) % 3;
        double p = u[j] * v[k], q = u[k] * v[j];
        det += w[i] * (p - q);
        size += fabs(w[i]) * (fabs(p) + fabs(q));
    }
    double bound = (7 + 56 * EPSILON) * EPSILON * size;
    if (det > bound) {
        return 1;
    }
    if (-det > bound) {
        return -1;
    }
    return orient3_exact(a, b, c, d);
}

// Side of the line from a to b that c is on, seen along an axis.
static int32_t orient2(const double a[3], const double b[3], const double c[3], int32_t axis)
{
    int32_t i = (axis + 1) % 3, j = (axis + 2) % 3;
    double p = (b[i] - a[i]) * (c[j] - a[j]), q = (b[j] - a[j]) * (c[i] - a[i]);
    double det = p - q, bound = (3 + 16 * EPSILON) * EPSILON * (fabs(p) + fabs(q));
    if (det > bound) {
        return 1;
    }
    if (-det > bound) {
        return -1;
    }
    Expansion u[3], v[3], e;
    u[i] = difference(b[i], a[i]);
    u[j] = difference(b[j], a[j]);
    v[i] = difference(c[i], a[i]);
    v[j] = difference(c[j], a[j]);
    minor(u, v, i, j, &e);
    return sign_of(&e);
}

// ---- meetings -----------------------------------------------------------------------------------

// Whether the boxes of two edges overlap, seen along an axis.
static bool boxes_overlap(const double a[3], const double b[3], const double c[3],
                          const double d[3], int32_t axis)
{
    for (int32_t k = 1; k < 3; ++k) {
        int32_t i = (axis + k) % 3;
        if (fmax(a[i], b[i]) < fmin(c[i], d[i]) || fmax(c[i], d[i]) < fmin(a[i], b[i])) {
            return false;
        }
    }
    return true;
}

// Two edges of one plane meet if they do so seen along each of the axes: along one of these the
// plane, or the common line, is not seen from its side, and there nothing is lost.
static bool edges_meet(const double a[3], const double b[3], const double c[3], const double d[3])
{
    if (lyra_orient3(a, b, c, d) != 0) {
        return false;
    }
    for (int32_t axis = 0; axis < 3; ++axis) {
        if (!boxes_overlap(a, b, c, d, axis) ||
            orient2(a, b, c, axis) * orient2(a, b, d, axis) > 0 ||
            orient2(c, d, a, axis) * orient2(c, d, b, axis) > 0) {
            return false;
        }
    }
    return true;
}

// Whether a point in the plane of a triangle lies in it, for triangles with an area.
static bool triangle_holds(const double p[3], const double a[3], const double b[3],
                           const double c[3])
{
    bool has_area = false;
    for (int32_t axis = 0; axis < 3; ++axis) {
        int32_t side = orient2(a, b, c, axis);
        if (side == 0) {
            continue;
        }
        has_area = true;
        if (orient2(a, b, p, axis) == -side || orient2(b, c, p, axis) == -side ||
            orient2(c, a, p, axis) == -side) {
            return false;
        }
    }
    return has_area;
}

LyraMeeting lyra_edge_meets_triangle(const double p[3], const double q[3], const double a[3],
                                     const double b[3], const double c[3])
{
    int32_t below = lyra_orient3(a, b, c, p), above = lyra_orient3(a, b, c, q);
    if (below * above > 0) {
        return LYRA_MEETING_NONE;
    }
    if (below == 0 && above == 0) {
        bool meet = edges_meet(p, q, a, b) || edges_meet(p, q, b, c) || edges_meet(p, q, c, a) ||
                    triangle_holds(p, a, b, c);
        return meet ? LYRA_MEETING_TOUCH : LYRA_MEETING_NONE;
    }
    int32_t ab = lyra_orient3(p, q, a, b), bc = lyra_orient3(p, q, b, c);
    int32_t ca = lyra_orient3(p, q, c, a);
    bool apart = (ab > 0 || bc > 0 || ca > 0) && (ab < 0 || bc < 0 || ca < 0);
    if (apart) {
        return LYRA_MEETING_NONE;
    }
    return below * above * ab * bc * ca != 0 ? LYRA_MEETING_CROSS : LYRA_MEETING_TOUCH;
}
