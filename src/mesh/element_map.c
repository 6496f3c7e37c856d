// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Tet of 10 nodes, with barycentric L_0..L_3: corners N_a = L_a (2 L_a - 1), middles of edges
// N_ab = 4 L_a L_b. Hexahedron: products of xi_i and 1 - xi_i.
//
// x(xi) = p is solved by Newton's method from the affine guess, steps bounded by one in xi. A point
// is inside where no reference coordinate is beyond its face by more than the tolerance, turned
// into a length by the gradient of the coordinate.
//
// The closest point lies on a face. A face is x(u, v) over the unit triangle or square; the
// distance is minimised over it by Gauss-Newton steps from the nearest of a grid of samples,
// coordinates clipped to the face, halved until the distance falls.
//
// Outside, where quadratics grow without bound, weights are continued from the closest point xi_c:
// w_a = N_a(xi_c) + grad N_a . J^-1 (p - x(xi_c)). They sum to 1 and reproduce linear fields.

#include "mesh/element_map.h"

#include "lyra/mesh_ops.h"
#include "math/vec3.h"
#include "mesh/topology.h"

#include <float.h>
#include <math.h>
#include <string.h>

// sides of a hexahedron's corners along each axis, as bits
static const uint8_t hex_corner[8] = {0, 1, 3, 2, 4, 5, 7, 6};

// ---- shape functions ----------------------------------------------------------------------------

static void tet10_functions(const double xi[3], double *N, double (*dN)[3])
{
    static const double dL[4][3] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double L[4] = {1 - xi[0] - xi[1] - xi[2], xi[0], xi[1], xi[2]};
    for (int32_t a = 0; a < 4; ++a) {
        if (N) {
            N[a] = L[a] * (2 * L[a] - 1);
        }
        for (int32_t i = 0; i < 3; ++i) {
            dN[a][i] = (4 * L[a] - 1) * dL[a][i];
        }
    }
    for (int32_t e = 0; e < 6; ++e) {
        const int32_t *ends = lyra_element_kind_edge(LYRA_ELEMENT_TET10, e);
        int32_t a = ends[0], b = ends[1];
        if (N) {
            N[4 + e] = 4 * L[a] * L[b];
        }
        for (int32_t i = 0; i < 3; ++i) {
            dN[4 + e][i] = 4 * (L[a] * dL[b][i] + L[b] * dL[a][i]);
        }
    }
}

static void hex_functions(const double xi[3], double *N, double (*dN)[3])
{
    for (int32_t a = 0; a < 8; ++a) {
        double f[3], d[3];
        for (int32_t i = 0; i < 3; ++i) {
            bool far = hex_corner[a] >> i & 1;
            f[i] = far ? xi[i] : 1 - xi[i];
            d[i] = far ? 1 : -1;
        }
        if (N) {
            N[a] = f[0] * f[1] * f[2];
        }
        dN[a][0] = d[0] * f[1] * f[2];
        dN[a][1] = f[0] * d[1] * f[2];
        dN[a][2] = f[0] * f[1] * d[2];
    }
}

void ly_shape_functions(LyraElementKind kind, const double xi[3], double *N, double (*dN)[3])
{
    if (kind == LYRA_ELEMENT_TET10) {
        tet10_functions(xi, N, dN);
    } else {
        hex_functions(xi, N, dN);
    }
}

double ly_map_jacobian(LyraElementKind kind, const double r[][3], const double xi[3],
                       double J[3][3])
{
    double dN[LY_ELEMENT_NODES_MAX][3], n[3];
    ly_shape_functions(kind, xi, NULL, dN);
    memset(J, 0, 9 * sizeof(double));
    for (int32_t a = 0; a < lyra_element_kind_nodes(kind); ++a) {
        for (int32_t k = 0; k < 9; ++k) {
            J[k / 3][k % 3] += dN[a][k / 3] * r[a][k % 3];
        }
    }
    ly_cross3(J[0], J[1], n);
    return ly_dot3(n, J[2]);
}

int32_t ly_map_points(LyraElementKind kind, double xi[8][3], double weight[8])
{
    if (kind == LYRA_ELEMENT_TET10) {
        double far = (5 + 3 * sqrt(5.0)) / 20, near = (5 - sqrt(5.0)) / 20;
        for (int32_t q = 0; q < 4; ++q) {
            weight[q] = 1.0 / 24;
            for (int32_t i = 0; i < 3; ++i) {
                xi[q][i] = q == i + 1 ? far : near;
            }
        }
        return 4;
    }
    double half = 0.5 * sqrt(1.0 / 3);
    for (int32_t q = 0; q < 8; ++q) {
        weight[q] = 0.125;
        for (int32_t i = 0; i < 3; ++i) {
            xi[q][i] = 0.5 + (q >> i & 1 ? half : -half);
        }
    }
    return 8;
}

void ly_tet10_place(int32_t a, double xi[3])
{
    const int32_t *ends = lyra_element_kind_edge(LYRA_ELEMENT_TET10, a < 4 ? 0 : a - 4);
    const int32_t first = a < 4 ? a : ends[0], second = a < 4 ? a : ends[1];
    for (int32_t i = 0; i < 3; ++i) {
        xi[i] = 0.5 * (first == i + 1) + 0.5 * (second == i + 1);
    }
}

double ly_map_least_jacobian(LyraElementKind kind, const double r[][3])
{
    double xi[8][3], weight[8], J[3][3], least = INFINITY;
    int32_t count = ly_map_points(kind, xi, weight);
    for (int32_t q = 0; q < count; ++q) {
        least = fmin(least, ly_map_jacobian(kind, r, xi[q], J));
    }
    for (int32_t a = 0; a < lyra_element_kind_nodes(kind); ++a) {
        double at[3] = {0};
        if (kind == LYRA_ELEMENT_HEX8) {
            for (int32_t i = 0; i < 3; ++i) {
                at[i] = hex_corner[a] >> i & 1;
            }
        } else {
            ly_tet10_place(a, at);
        }
        least = fmin(least, ly_map_jacobian(kind, r, at, J));
    }
    return least;
}

// ---- places -------------------------------------------------------------------------------------

// Nodes relative to p.
typedef struct Mapped {
    LyraElementKind kind;
    int32_t nodes;
    double r[LY_ELEMENT_NODES_MAX][3];
} Mapped;

static Mapped mapped_of(const LyElementShape *shape, const double p[3])
{
    Mapped map = {.kind = shape->kind, .nodes = lyra_element_kind_nodes(shape->kind)};
    for (int32_t a = 0; a < map.nodes; ++a) {
        for (int32_t i = 0; i < 3; ++i) {
            map.r[a][i] = shape->x[a][i] - p[i];
        }
    }
    return map;
}

// x(xi) - p; writes the columns of dx/dxi.
static void place(const Mapped *map, const double xi[3], double x[3], double J[3][3])
{
    double N[LY_ELEMENT_NODES_MAX], dN[LY_ELEMENT_NODES_MAX][3];
    ly_shape_functions(map->kind, xi, N, dN);
    memset(x, 0, 3 * sizeof *x);
    memset(J, 0, 9 * sizeof(double));
    for (int32_t a = 0; a < map->nodes; ++a) {
        for (int32_t i = 0; i < 3; ++i) {
            x[i] += N[a] * map->r[a][i];
            for (int32_t j = 0; j < 3; ++j) {
                J[j][i] += dN[a][j] * map->r[a][i];
            }
        }
    }
}

// Rows of J^-1, the gradients of the coordinates; false where there are none.
static bool gradients(const double J[3][3], double g[3][3])
{
    for (int32_t i = 0; i < 3; ++i) {
        ly_cross3(J[(i + 1) % 3], J[(i + 2) % 3], g[i]);
    }
    double D = ly_dot3(J[0], g[0]);
    for (int32_t k = 0; k < 9; ++k) {
        g[k / 3][k % 3] /= D;
    }
    return D != 0 && isfinite(g[0][0] + g[1][1] + g[2][2]);
}

// Finds xi with x(xi) = p, from the middle of the element on; false where the search fails.
static bool invert(const Mapped *map, double xi[3])
{
    double middle = map->kind == LYRA_ELEMENT_TET10 ? 0.25 : 0.5;
    xi[0] = xi[1] = xi[2] = middle;
    for (int32_t round = 0; round < 40; ++round) {
        double x[3], J[3][3], g[3][3], step[3], longest = 0;
        place(map, xi, x, J);
        if (!gradients(J, g)) {
            return false;
        }
        for (int32_t i = 0; i < 3; ++i) {
            step[i] = -ly_dot3(g[i], x);
            longest = fmax(longest, fabs(step[i]));
        }
        double scale = longest > 1 ? 1 / longest : 1;
        for (int32_t i = 0; i < 3; ++i) {
            xi[i] += scale * step[i];
        }
        if (longest < 1e-14) {
            return true;
        }
        // where rounding of the coordinates keeps it from there
        if (round > 10 && longest < 1e-9) {
            return true;
        }
        if (!(fabs(xi[0]) + fabs(xi[1]) + fabs(xi[2]) < 1e3)) {
            return false;
        }
    }
    return false;
}

void ly_map_box(const LyElementShape *shape, double low[3], double high[3])
{
    int32_t nodes = lyra_element_kind_nodes(shape->kind);
    for (int32_t i = 0; i < 3; ++i) {
        low[i] = high[i] = shape->x[0][i];
        for (int32_t a = 1; a < nodes; ++a) {
            double x = shape->x[a][i];
            if (shape->kind == LYRA_ELEMENT_TET10 && a >= 4) {
                const int32_t *ends = lyra_element_kind_edge(LYRA_ELEMENT_TET10, a - 4);
                x = 2 * x - 0.5 * (shape->x[ends[0]][i] + shape->x[ends[1]][i]);
            }
            low[i] = fmin(low[i], x);
            high[i] = fmax(high[i], x);
        }
    }
}

bool ly_map_is_flat(const LyElementShape *shape, double tolerance)
{
    double middle = shape->kind == LYRA_ELEMENT_TET10 ? 0.25 : 0.5, x[3], J[3][3], area = 0;
    double xi[3] = {middle, middle, middle};
    Mapped map = mapped_of(shape, shape->x[0]);
    place(&map, xi, x, J);
    for (int32_t i = 0; i < 3; ++i) {
        double n[3];
        ly_cross3(J[i], J[(i + 1) % 3], n);
        area = fmax(area, sqrt(ly_dot3(n, n)));
    }
    double n[3];
    ly_cross3(J[0], J[1], n);
    return !(fabs(ly_dot3(n, J[2])) > tolerance * area);
}

bool ly_map_contains(const LyElementShape *shape, const double p[3], double tolerance)
{
    Mapped map = mapped_of(shape, p);
    double xi[3], x[3], J[3][3], g[3][3];
    if (!invert(&map, xi)) {
        return false;
    }
    place(&map, xi, x, J);
    if (!gradients(J, g)) {
        return false;
    }
    for (int32_t i = 0; i < 3; ++i) {
        double reach = tolerance * sqrt(ly_dot3(g[i], g[i]));
        if (xi[i] < -reach || (shape->kind == LYRA_ELEMENT_HEX8 && xi[i] > 1 + reach)) {
            return false;
        }
    }
    if (shape->kind == LYRA_ELEMENT_TET10) {
        double last[3];
        for (int32_t i = 0; i < 3; ++i) {
            last[i] = g[0][i] + g[1][i] + g[2][i];
        }
        return 1 - xi[0] - xi[1] - xi[2] >= -tolerance * sqrt(ly_dot3(last, last));
    }
    return true;
}

// ---- closest point ------------------------------------------------------------------------------

// A face: xi = from + u along[0] + v along[1], u and v in the unit triangle or square.
typedef struct Face {
    double from[3], along[2][3];
} Face;

static Face face_of(LyraElementKind kind, int32_t side)
{
    static const int8_t tet_corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int32_t *local = lyra_element_kind_face(kind, side);
    double corner[4][3];
    for (int32_t a = 0; a < ly_kind_face_corners(kind); ++a) {
        for (int32_t i = 0; i < 3; ++i) {
            corner[a][i] =
                ly_kind_is_tet(kind) ? tet_corner[local[a]][i] : hex_corner[local[a]] >> i & 1;
        }
    }
    Face face;
    int32_t last = ly_kind_face_corners(kind) - 1;
    for (int32_t i = 0; i < 3; ++i) {
        face.from[i] = corner[0][i];
        face.along[0][i] = corner[1][i] - corner[0][i];
        face.along[1][i] = corner[last][i] - corner[0][i];
    }
    return face;
}

static void on_face(const Face *face, const double u[2], double xi[3])
{
    for (int32_t i = 0; i < 3; ++i) {
        xi[i] = face->from[i] + u[0] * face->along[0][i] + u[1] * face->along[1][i];
    }
}

static void clip(bool triangle, double u[2])
{
    for (int32_t i = 0; i < 2; ++i) {
        u[i] = fmin(fmax(u[i], 0), 1);
    }
    double beyond = u[0] + u[1] - 1;
    if (triangle && beyond > 0) {
        u[0] = fmin(fmax(u[0] - 0.5 * beyond, 0), 1);
        u[1] = 1 - u[0];
    }
}

static double distance2_at(const Mapped *map, const Face *face, const double u[2], double x[3],
                           double J[3][3])
{
    double xi[3];
    on_face(face, u, xi);
    place(map, xi, x, J);
    return ly_dot3(x, x);
}

// Descends from u as far as it goes: Gauss-Newton on both coordinates, and where that is blocked by
// an edge of the face, along each of them and along the slope of a triangle.
static double descend(const Mapped *map, const Face *face, double u[2])
{
    bool triangle = ly_kind_is_tet(map->kind);
    double x[3], J[3][3], best = distance2_at(map, face, u, x, J);
    for (int32_t round = 0; round < 60; ++round) {
        double t[2][3], ways[4][2] = {{0}};
        for (int32_t i = 0; i < 3; ++i) {
            for (int32_t k = 0; k < 2; ++k) {
                t[k][i] = face->along[k][0] * J[0][i] + face->along[k][1] * J[1][i] +
                          face->along[k][2] * J[2][i];
            }
        }
        double a = ly_dot3(t[0], t[0]), b = ly_dot3(t[0], t[1]), c = ly_dot3(t[1], t[1]);
        double g0 = ly_dot3(t[0], x), g1 = ly_dot3(t[1], x), D = a * c - b * b, s = a - 2 * b + c;
        ways[0][0] = D > 0 ? -(c * g0 - b * g1) / D : 0;
        ways[0][1] = D > 0 ? -(a * g1 - b * g0) / D : 0;
        ways[1][0] = a > 0 ? -g0 / a : 0;
        ways[2][1] = c > 0 ? -g1 / c : 0;
        ways[3][0] = s > 0 ? -(g0 - g1) / s : 0;
        ways[3][1] = -ways[3][0];
        bool moved = false;
        for (int32_t way = 0; way < 4 && !moved; ++way) {
            for (double scale = 1; scale > 1e-3 && !moved; scale *= 0.5) {
                double next[2] = {u[0] + scale * ways[way][0], u[1] + scale * ways[way][1]};
                double y[3], K[3][3];
                clip(triangle, next);
                double d2 = distance2_at(map, face, next, y, K);
                if (d2 < best * (1 - 1e-15)) {
                    best = d2;
                    memcpy(u, next, sizeof next);
                    memcpy(x, y, sizeof y);
                    memcpy(J, K, sizeof K);
                    moved = true;
                }
            }
        }
        if (!moved) {
            break;
        }
    }
    return best;
}

// Closest point of the boundary: its squared distance and coordinates.
static double closest_on_faces(const Mapped *map, double xi[3])
{
    enum { STEPS = 4 };
    bool triangle = ly_kind_is_tet(map->kind);
    double best = INFINITY;
    for (int32_t side = 0; side < ly_kind_faces(map->kind); ++side) {
        Face face = face_of(map->kind, side);
        double start[2] = {0}, nearest = INFINITY;
        for (int32_t i = 0; i <= STEPS; ++i) {
            for (int32_t j = 0; j <= (triangle ? STEPS - i : STEPS); ++j) {
                double u[2] = {(double)i / STEPS, (double)j / STEPS}, x[3], J[3][3];
                double d2 = distance2_at(map, &face, u, x, J);
                if (d2 < nearest) {
                    nearest = d2;
                    memcpy(start, u, sizeof start);
                }
            }
        }
        double d2 = descend(map, &face, start);
        if (d2 < best) {
            best = d2;
            on_face(&face, start, xi);
        }
    }
    return best;
}

double ly_map_distance2(const LyElementShape *shape, const double p[3], double closest[3])
{
    memcpy(closest, p, 3 * sizeof *closest);
    if (ly_map_contains(shape, p, 0)) {
        return 0;
    }
    Mapped map = mapped_of(shape, p);
    double xi[3] = {0}, x[3], J[3][3];
    double d2 = closest_on_faces(&map, xi);
    place(&map, xi, x, J);
    for (int32_t i = 0; i < 3; ++i) {
        closest[i] = p[i] + x[i];
    }
    return d2;
}

void ly_map_weights(const LyElementShape *shape, const double p[3], double *weights)
{
    Mapped map = mapped_of(shape, p);
    double xi[3], dN[LY_ELEMENT_NODES_MAX][3], x[3], J[3][3], g[3][3];
    bool inside = invert(&map, xi);
    double last = ly_kind_is_tet(map.kind) ? xi[0] + xi[1] + xi[2] : 0;
    // rounding of a point on a face leaves it inside
    for (int32_t i = 0; i < 3; ++i) {
        inside = inside && xi[i] >= -1e-9 && xi[i] <= 1 + 1e-9;
    }
    inside = inside && last <= 1 + 1e-9;
    if (!inside) {
        (void)closest_on_faces(&map, xi);
    }
    ly_shape_functions(map.kind, xi, weights, dN);
    place(&map, xi, x, J);
    if (inside || !gradients(J, g)) {
        return;
    }
    for (int32_t a = 0; a < map.nodes; ++a) {
        for (int32_t i = 0; i < 3; ++i) {
            weights[a] -= dN[a][i] * ly_dot3(g[i], x);
        }
    }
}
