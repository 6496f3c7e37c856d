// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Tet (a, b, c, d) with edges e_i from a, n_1 = e_2 x e_3, n_2 = e_3 x e_1, n_3 = e_1 x e_2,
// n_0 = -(n_1 + n_2 + n_3) and D = e_1 . n_1. For q = p - a the unscaled weights are s_i = q . n_i
// and s_0 = D - s_1 - s_2 - s_3; the weights are s_i / D. n_i is normal to the face opposite of
// vertex i and as long as twice its area, so that s_i sign(D) / |n_i| is the height of p above that
// face, and |D| / |n_i| the height of vertex i. Heights, unlike weights, are as exact in slivers as
// in good tets, which is why tolerances are lengths.
//
// Cube: along each axis the coordinate is t = (p - x_0) / (x_6 - x_0), the weights are products of
// t and 1 - t.

#include "math/vec3.h"
#include "mesh/element_map.h"

#include <float.h>
#include <math.h>

// ---- tets ---------------------------------------------------------------------------------------

typedef struct Tet {
    double n[4][3]; // normals, see above
    double D;
} Tet;

static Tet tet_of(const LyElementShape *shape)
{
    Tet tet;
    double e1[3], e2[3], e3[3];
    ly_subtract3(shape->x[1], shape->x[0], e1);
    ly_subtract3(shape->x[2], shape->x[0], e2);
    ly_subtract3(shape->x[3], shape->x[0], e3);
    ly_cross3(e2, e3, tet.n[1]);
    ly_cross3(e3, e1, tet.n[2]);
    ly_cross3(e1, e2, tet.n[3]);
    for (int32_t i = 0; i < 3; ++i) {
        tet.n[0][i] = -(tet.n[1][i] + tet.n[2][i] + tet.n[3][i]);
    }
    tet.D = ly_dot3(e1, tet.n[1]);
    return tet;
}

// s_i, with the sign of D taken out: all positive inside
static void tet_heights(const LyElementShape *shape, const Tet *tet, const double p[3], double s[4])
{
    double q[3];
    ly_subtract3(p, shape->x[0], q);
    s[1] = ly_dot3(q, tet->n[1]);
    s[2] = ly_dot3(q, tet->n[2]);
    s[3] = ly_dot3(q, tet->n[3]);
    s[0] = tet->D - s[1] - s[2] - s[3];
    if (tet->D < 0) {
        for (int32_t i = 0; i < 4; ++i) {
            s[i] = -s[i];
        }
    }
}

static bool tet_contains(const LyElementShape *shape, const double p[3], double tolerance)
{
    Tet tet = tet_of(shape);
    double s[4];
    tet_heights(shape, &tet, p, s);
    for (int32_t i = 0; i < 4; ++i) {
        if (s[i] < 0 && -s[i] > tolerance * sqrt(ly_dot3(tet.n[i], tet.n[i]))) {
            return false;
        }
    }
    return true;
}

// keeps the point a + t u, 0 <= t <= 1, if it is closer to p than what is there
static void try_segment(const double p[3], const double a[3], const double u[3], double *distance2,
                        double closest[3])
{
    double q[3];
    ly_subtract3(p, a, q);
    double uu = ly_dot3(u, u), qu = ly_dot3(q, u);
    double t = uu > 0 ? qu / uu : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    double r[3] = {q[0] - t * u[0], q[1] - t * u[1], q[2] - t * u[2]};
    double d2 = ly_dot3(r, r);
    if (d2 < *distance2) {
        *distance2 = d2;
        for (int32_t i = 0; i < 3; ++i) {
            closest[i] = a[i] + t * u[i];
        }
    }
}

// The minimum of |q - s u - t v| over the plane counts if it lies in the triangle. The edges are
// tried in any case, so that a needle whose plane is badly known still gives a good answer.
static void try_triangle(const double p[3], const double a[3], const double b[3], const double c[3],
                         double *distance2, double closest[3])
{
    double u[3], v[3], w[3], q[3];
    ly_subtract3(b, a, u);
    ly_subtract3(c, a, v);
    ly_subtract3(c, b, w);
    ly_subtract3(p, a, q);
    double uu = ly_dot3(u, u), uv = ly_dot3(u, v), vv = ly_dot3(v, v), qu = ly_dot3(q, u),
           qv = ly_dot3(q, v);
    double determinant = uu * vv - uv * uv;
    double s = vv * qu - uv * qv, t = uu * qv - uv * qu;
    if (determinant > 0 && s >= 0 && t >= 0 && s + t <= determinant) {
        s /= determinant;
        t /= determinant;
        double r[3], d2;
        for (int32_t i = 0; i < 3; ++i) {
            r[i] = q[i] - s * u[i] - t * v[i];
        }
        d2 = ly_dot3(r, r);
        if (d2 < *distance2) {
            *distance2 = d2;
            for (int32_t i = 0; i < 3; ++i) {
                closest[i] = a[i] + s * u[i] + t * v[i];
            }
        }
    }
    try_segment(p, a, u, distance2, closest);
    try_segment(p, a, v, distance2, closest);
    try_segment(p, b, w, distance2, closest);
}

static double tet_distance2(const LyElementShape *shape, const double p[3], double closest[3])
{
    static const int32_t faces[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    Tet tet = tet_of(shape);
    double s[4];
    tet_heights(shape, &tet, p, s);
    double distance2 = DBL_MAX;
    // the closest point lies on a face that sees the point
    for (int32_t i = 0; i < 4; ++i) {
        if (s[i] < 0) {
            try_triangle(p, shape->x[faces[i][0]], shape->x[faces[i][1]], shape->x[faces[i][2]],
                         &distance2, closest);
        }
    }
    if (distance2 == DBL_MAX) {
        distance2 = 0;
        closest[0] = p[0];
        closest[1] = p[1];
        closest[2] = p[2];
    }
    return distance2;
}

static void tet_weights(const LyElementShape *shape, const double p[3], double weights[4])
{
    Tet tet = tet_of(shape);
    double q[3];
    ly_subtract3(p, shape->x[0], q);
    double w[4] = {0};
    // the second round takes up the residual that the first leaves in slivers
    for (int32_t round = 0; round < 2; ++round) {
        for (int32_t i = 1; i < 4; ++i) {
            w[i] += ly_dot3(q, tet.n[i]) / tet.D;
        }
        for (int32_t k = 0; k < 3; ++k) {
            q[k] = p[k] - shape->x[0][k];
            for (int32_t i = 1; i < 4; ++i) {
                q[k] -= w[i] * (shape->x[i][k] - shape->x[0][k]);
            }
        }
    }
    w[0] = 1 - w[1] - w[2] - w[3];
    for (int32_t i = 0; i < 4; ++i) {
        weights[i] = w[i];
    }
}

// ---- cubes --------------------------------------------------------------------------------------

// corner a of a cube lies at the high end of axis i if bit i is set
static const uint8_t cube_corners[8] = {0, 1, 3, 2, 4, 5, 7, 6};

static double cube_distance2(const LyElementShape *shape, const double p[3], double closest[3])
{
    double distance2 = 0;
    for (int32_t i = 0; i < 3; ++i) {
        double low = fmin(shape->x[0][i], shape->x[6][i]);
        double high = fmax(shape->x[0][i], shape->x[6][i]);
        closest[i] = p[i] < low ? low : p[i] > high ? high : p[i];
        distance2 += (p[i] - closest[i]) * (p[i] - closest[i]);
    }
    return distance2;
}

static void cube_weights(const LyElementShape *shape, const double p[3], double weights[8])
{
    double t[3];
    for (int32_t i = 0; i < 3; ++i) {
        t[i] = (p[i] - shape->x[0][i]) / (shape->x[6][i] - shape->x[0][i]);
    }
    for (int32_t a = 0; a < 8; ++a) {
        weights[a] = 1;
        for (int32_t i = 0; i < 3; ++i) {
            weights[a] *= cube_corners[a] >> i & 1 ? t[i] : 1 - t[i];
        }
    }
}

// ---- all kinds ----------------------------------------------------------------------------------

static bool tet_is_flat(const LyElementShape *shape, double tolerance)
{
    Tet tet = tet_of(shape);
    double n = 0;
    for (int32_t i = 0; i < 4; ++i) {
        n = fmax(n, sqrt(ly_dot3(tet.n[i], tet.n[i])));
    }
    return !(fabs(tet.D) > tolerance * n);
}

bool ly_element_is_flat(const LyElementShape *shape, double tolerance)
{
    if (shape->kind == LYRA_ELEMENT_TET4) {
        return tet_is_flat(shape, tolerance);
    }
    if (ly_kind_is_mapped(shape->kind)) {
        return ly_map_is_flat(shape, tolerance);
    }
    double edge = DBL_MAX;
    for (int32_t i = 0; i < 3; ++i) {
        edge = fmin(edge, fabs(shape->x[6][i] - shape->x[0][i]));
    }
    return !(edge > tolerance);
}

bool ly_element_is_aligned(const LyElementShape *shape)
{
    for (int32_t a = 0; a < 8 && shape->kind == LYRA_ELEMENT_CUBE8; ++a) {
        for (int32_t i = 0; i < 3; ++i) {
            double expected = shape->x[cube_corners[a] >> i & 1 ? 6 : 0][i];
            double edge = fabs(shape->x[6][i] - shape->x[0][i]);
            if (!(fabs(shape->x[a][i] - expected) <= 1e-3 * edge)) {
                return false;
            }
        }
    }
    return true;
}

bool ly_element_contains(const LyElementShape *shape, const double p[3], double tolerance)
{
    if (shape->kind == LYRA_ELEMENT_TET4) {
        return tet_contains(shape, p, tolerance);
    }
    if (ly_kind_is_mapped(shape->kind)) {
        return ly_map_contains(shape, p, tolerance);
    }
    for (int32_t i = 0; i < 3; ++i) {
        double low = fmin(shape->x[0][i], shape->x[6][i]);
        double high = fmax(shape->x[0][i], shape->x[6][i]);
        if (p[i] < low - tolerance || p[i] > high + tolerance) {
            return false;
        }
    }
    return true;
}

double ly_element_distance2(const LyElementShape *shape, const double p[3], double closest[3])
{
    return shape->kind == LYRA_ELEMENT_TET4 ? tet_distance2(shape, p, closest)
           : ly_kind_is_mapped(shape->kind) ? ly_map_distance2(shape, p, closest)
                                            : cube_distance2(shape, p, closest);
}

void ly_element_weights(const LyElementShape *shape, const double p[3], double *weights)
{
    if (shape->kind == LYRA_ELEMENT_TET4) {
        tet_weights(shape, p, weights);
    } else if (ly_kind_is_mapped(shape->kind)) {
        ly_map_weights(shape, p, weights);
    } else {
        cube_weights(shape, p, weights);
    }
}
