// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Integrals over one element.
//
// Tet with vertices x_0..x_3: V = ((x1-x0) x (x2-x0)) . (x3-x0) / 6,
//     int N_a N_b = |V|/20 (1 + delta_ab),  int r = |V| m,  m = mean of r_a,
//     int r r^T = |V|/20 (sum_a r_a r_a^T + 16 m m^T).
//
// Axis-aligned box with edges e_i and middle c: V = e_1 e_2 e_3,
//     int N_a N_b = |V|/27 2^-d, d the number of axes along which a and b differ,
//     int r r^T = |V| (c c^T + diag(e_i^2)/12).
//
// Any other cube is integrated as the trilinear element: with J = dx/dxi, N_a N_b det J has degree
// 4 in each variable and r r^T det J as well, so 3 Gauss points per axis (exact to degree 5) are
// exact.
//
// A tet of 10 nodes whose middles are those of its edges is a tet, with the table of its quadratics
// for the mass. A curved one has det J of degree 3, and the others of degree 7 in xi: by
// xi = (r, (1-r) s, (1-r)(1-s) t) it is integrated over a cube, where 3 Gauss points per axis are
// exact for the volume (degree 3 + 2) and 5 for the others (degree 7 + 2).

#include "mesh/element.h"

#include "lyra/mesh_ops.h"
#include "math/vec3.h"
#include "mesh/element_map.h"
#include "mesh/topology.h"

#include <math.h>
#include <string.h>

// a cube counts as a box for the closed forms when this close, relative to its shortest edge
#define BOX_TOLERANCE 1e-14

static const double *vertex_of(const LyraMesh *mesh, int32_t element, int32_t a)
{
    int32_t nodes = lyra_element_kind_nodes(mesh->kind);
    return mesh->positions + 3 * (int64_t)mesh->elements[(int64_t)nodes * element + a];
}

static double tet_volume(const LyraMesh *mesh, int32_t element)
{
    const double *x0 = vertex_of(mesh, element, 0);
    double d1[3], d2[3], d3[3];
    ly_subtract3(vertex_of(mesh, element, 1), x0, d1);
    ly_subtract3(vertex_of(mesh, element, 2), x0, d2);
    ly_subtract3(vertex_of(mesh, element, 3), x0, d3);
    return ly_determinant3(d1, d2, d3) / 6;
}

// ---- cubes --------------------------------------------------------------------------------------

// place of each vertex along the three axes
static const int8_t cube_place[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                        {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

bool ly_cube_is_box(const LyraMesh *mesh, int32_t element, double tolerance, double edges[3])
{
    const double *low = vertex_of(mesh, element, 0), *high = vertex_of(mesh, element, 6);
    ly_subtract3(high, low, edges);
    double shortest = fmin(fabs(edges[0]), fmin(fabs(edges[1]), fabs(edges[2])));
    for (int32_t a = 1; a < 8; ++a) {
        const double *x = vertex_of(mesh, element, a);
        for (int32_t i = 0; i < 3; ++i) {
            double expected = cube_place[a][i] ? high[i] : low[i];
            if (!(fabs(x[i] - expected) <= tolerance * shortest)) {
                return false;
            }
        }
    }
    return true;
}

typedef struct CubePoint {
    double shape[8]; // N_a
    double r[3];     // position relative to the origin
    double weight;   // signed: weight times det J
} CubePoint;

// Gauss point number `q` of 27 of the trilinear element on [0, 1]^3.
static CubePoint cube_point(const double r[8][3], int32_t q)
{
    static const double place[3] = {0.5 - 0.3872983346207417, 0.5, 0.5 + 0.3872983346207417};
    static const double weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    int32_t index[3] = {q % 3, q / 3 % 3, q / 9};
    double J[3][3] = {{0}}; // J[j] = dx/dxi_j
    CubePoint point = {.weight = weight[index[0]] * weight[index[1]] * weight[index[2]]};
    for (int32_t a = 0; a < 8; ++a) {
        double factor[3], slope[3];
        for (int32_t i = 0; i < 3; ++i) {
            double xi = place[index[i]];
            factor[i] = cube_place[a][i] ? xi : 1 - xi;
            slope[i] = cube_place[a][i] ? 1 : -1;
        }
        point.shape[a] = factor[0] * factor[1] * factor[2];
        double gradient[3] = {slope[0] * factor[1] * factor[2], factor[0] * slope[1] * factor[2],
                              factor[0] * factor[1] * slope[2]};
        for (int32_t i = 0; i < 3; ++i) {
            point.r[i] += point.shape[a] * r[a][i];
            for (int32_t j = 0; j < 3; ++j) {
                J[j][i] += gradient[j] * r[a][i];
            }
        }
    }
    point.weight *= ly_determinant3(J[0], J[1], J[2]);
    return point;
}

static void load_cube(const LyraMesh *mesh, int32_t element, const double origin[3], double r[8][3])
{
    for (int32_t a = 0; a < 8; ++a) {
        ly_subtract3(vertex_of(mesh, element, a), origin, r[a]);
    }
}

static double cube_volume(const LyraMesh *mesh, int32_t element)
{
    double edges[3];
    if (ly_cube_is_box(mesh, element, BOX_TOLERANCE, edges)) {
        return edges[0] * edges[1] * edges[2];
    }
    double r[8][3], volume = 0;
    load_cube(mesh, element, vertex_of(mesh, element, 0), r);
    for (int32_t q = 0; q < 27; ++q) {
        volume += cube_point(r, q).weight;
    }
    return volume;
}

// ---- tets of 10 nodes ---------------------------------------------------------------------------

// a tet of 10 nodes counts as straight for the closed forms when its middles are this close to
// those of its edges, relative to their length
#define STRAIGHT_TOLERANCE 1e-14

static bool is_straight(const LyraMesh *mesh, int32_t element)
{
    for (int32_t e = 0; e < 6; ++e) {
        const int32_t *ends = lyra_element_kind_edge(LYRA_ELEMENT_TET10, e);
        const double *a = vertex_of(mesh, element, ends[0]), *b = vertex_of(mesh, element, ends[1]);
        const double *m = vertex_of(mesh, element, 4 + e);
        double off = 0, length = 0;
        for (int32_t i = 0; i < 3; ++i) {
            off = fmax(off, fabs(m[i] - (0.5 * a[i] + 0.5 * b[i])));
            length = fmax(length, fabs(b[i] - a[i]));
        }
        if (!(off <= STRAIGHT_TOLERANCE * length)) {
            return false;
        }
    }
    return true;
}

// Gauss points of a curved tet: [points per axis]^3.
typedef struct TetPoint {
    double shape[10], r[3];
    double weight; // signed: weight times det J
} TetPoint;

static void load_nodes(const LyraMesh *mesh, int32_t element, const double origin[3],
                       double r[LY_ELEMENT_NODES_MAX][3])
{
    for (int32_t a = 0; a < lyra_element_kind_nodes(mesh->kind); ++a) {
        ly_subtract3(vertex_of(mesh, element, a), origin, r[a]);
    }
}

static TetPoint tet_point(const double r[LY_ELEMENT_NODES_MAX][3], int32_t n, int32_t q)
{
    static const double place[2][5] = {{0.5 - 0.3872983346207417, 0.5, 0.5 + 0.3872983346207417},
                                       {0.5 - 0.4530899229693320, 0.5 - 0.2692346550528415, 0.5,
                                        0.5 + 0.2692346550528415, 0.5 + 0.4530899229693320}};
    static const double weight[2][5] = {{5.0 / 18, 8.0 / 18, 5.0 / 18},
                                        {0.1184634425280945, 0.2393143352496832, 0.2844444444444444,
                                         0.2393143352496832, 0.1184634425280945}};
    const double *x = place[n == 5], *w = weight[n == 5];
    int32_t i = q % n, j = q / n % n, k = q / n / n;
    double s = 1 - x[i], t = 1 - x[j], J[3][3], dN[10][3];
    const double xi[3] = {x[i], s * x[j], s * t * x[k]};
    TetPoint point = {.weight = w[i] * w[j] * w[k] * s * s * t};
    point.weight *= ly_map_jacobian(LYRA_ELEMENT_TET10, r, xi, J);
    ly_shape_functions(LYRA_ELEMENT_TET10, xi, point.shape, dN);
    for (int32_t a = 0; a < 10; ++a) {
        for (int32_t c = 0; c < 3; ++c) {
            point.r[c] += point.shape[a] * r[a][c];
        }
    }
    return point;
}

static double tet10_volume(const LyraMesh *mesh, int32_t element)
{
    if (is_straight(mesh, element)) {
        return tet_volume(mesh, element);
    }
    double r[LY_ELEMENT_NODES_MAX][3], volume = 0;
    load_nodes(mesh, element, vertex_of(mesh, element, 0), r);
    for (int32_t q = 0; q < 27; ++q) {
        volume += tet_point(r, 3, q).weight;
    }
    return volume;
}

double ly_element_volume(const LyraMesh *mesh, int32_t element)
{
    return mesh->kind == LYRA_ELEMENT_TET10  ? tet10_volume(mesh, element)
           : mesh->kind == LYRA_ELEMENT_TET4 ? tet_volume(mesh, element)
                                             : cube_volume(mesh, element);
}

double ly_element_least_jacobian(const LyraMesh *mesh, int32_t element)
{
    if (!ly_kind_is_mapped(mesh->kind)) {
        return ly_element_volume(mesh, element);
    }
    double r[LY_ELEMENT_NODES_MAX][3];
    load_nodes(mesh, element, vertex_of(mesh, element, 0), r);
    return ly_map_least_jacobian(mesh->kind, r);
}

bool ly_element_is_reversed(const LyraMesh *mesh, int32_t element, double volume)
{
    double corners = mesh->kind == LYRA_ELEMENT_TET10 ? tet_volume(mesh, element) : volume;
    return (corners != 0 ? corners : volume) < 0;
}

bool ly_element_is_folded(const LyraMesh *mesh, int32_t element)
{
    return ly_kind_is_mapped(mesh->kind) && !(ly_element_least_jacobian(mesh, element) > 0);
}

// ---- moments ------------------------------------------------------------------------------------

static void add_outer(double scale, const double r[3], double out[6])
{
    for (int32_t i = 0, k = 0; i < 3; ++i) {
        for (int32_t j = i; j < 3; ++j, ++k) {
            out[k] += scale * r[i] * r[j];
        }
    }
}

// takes the sign of the volume out of all moments
static void make_positive(double signed_volume, double *volume, double first[3], double second[6])
{
    *volume = fabs(signed_volume);
    for (int32_t i = 0; i < 6 && signed_volume < 0; ++i) {
        second[i] = -second[i];
        if (i < 3) {
            first[i] = -first[i];
        }
    }
}

static void tet_moments(const LyraMesh *mesh, int32_t element, const double origin[3],
                        double *volume, double first[3], double second[6])
{
    *volume = fabs(tet_volume(mesh, element));
    double mean[3] = {0};
    memset(second, 0, 6 * sizeof *second);
    for (int32_t a = 0; a < 4; ++a) {
        double r[3];
        ly_subtract3(vertex_of(mesh, element, a), origin, r);
        add_outer(*volume / 20, r, second);
        for (int32_t i = 0; i < 3; ++i) {
            mean[i] += 0.25 * r[i];
        }
    }
    add_outer(*volume * 0.8, mean, second);
    for (int32_t i = 0; i < 3; ++i) {
        first[i] = *volume * mean[i];
    }
}

static void cube_moments(const LyraMesh *mesh, int32_t element, const double origin[3],
                         double *volume, double first[3], double second[6])
{
    double edges[3];
    memset(first, 0, 3 * sizeof *first);
    memset(second, 0, 6 * sizeof *second);
    if (ly_cube_is_box(mesh, element, BOX_TOLERANCE, edges)) {
        double middle[3];
        ly_subtract3(vertex_of(mesh, element, 0), origin, middle);
        *volume = fabs(edges[0] * edges[1] * edges[2]);
        static const int32_t diagonal[3] = {0, 3, 5};
        for (int32_t i = 0; i < 3; ++i) {
            middle[i] += 0.5 * edges[i];
            first[i] = *volume * middle[i];
            second[diagonal[i]] = *volume * edges[i] * edges[i] / 12;
        }
        add_outer(*volume, middle, second);
        return;
    }
    double r[8][3], signed_volume = 0;
    load_cube(mesh, element, origin, r);
    for (int32_t q = 0; q < 27; ++q) {
        CubePoint point = cube_point(r, q);
        signed_volume += point.weight;
        add_outer(point.weight, point.r, second);
        for (int32_t i = 0; i < 3; ++i) {
            first[i] += point.weight * point.r[i];
        }
    }
    make_positive(signed_volume, volume, first, second);
}

static void tet10_moments(const LyraMesh *mesh, int32_t element, const double origin[3],
                          double *volume, double first[3], double second[6])
{
    double r[LY_ELEMENT_NODES_MAX][3], signed_volume = 0;
    memset(first, 0, 3 * sizeof *first);
    memset(second, 0, 6 * sizeof *second);
    load_nodes(mesh, element, origin, r);
    for (int32_t q = 0; q < 125; ++q) {
        TetPoint point = tet_point(r, 5, q);
        signed_volume += point.weight;
        add_outer(point.weight, point.r, second);
        for (int32_t i = 0; i < 3; ++i) {
            first[i] += point.weight * point.r[i];
        }
    }
    make_positive(signed_volume, volume, first, second);
}

void ly_element_moments(const LyraMesh *mesh, int32_t element, const double origin[3],
                        double *volume, double first[3], double second[6])
{
    if (mesh->kind == LYRA_ELEMENT_TET10 && !is_straight(mesh, element)) {
        tet10_moments(mesh, element, origin, volume, first, second);
    } else if (ly_kind_is_tet(mesh->kind)) {
        tet_moments(mesh, element, origin, volume, first, second);
    } else {
        cube_moments(mesh, element, origin, volume, first, second);
    }
}

// ---- mass ---------------------------------------------------------------------------------------

static void tet10_mass(const LyraMesh *mesh, int32_t element, double *mass)
{
    if (is_straight(mesh, element)) {
        double unit = fabs(tet_volume(mesh, element)) / 420;
        for (int32_t a = 0; a < 10; ++a) {
            for (int32_t b = a; b < 10; ++b) {
                // corners of a and of b, one or two each
                const int32_t *p = a < 4 ? NULL : lyra_element_kind_edge(LYRA_ELEMENT_TET10, a - 4);
                const int32_t *q = b < 4 ? NULL : lyra_element_kind_edge(LYRA_ELEMENT_TET10, b - 4);
                bool at_corner = q && !p && (q[0] == a || q[1] == a);
                bool touch =
                    p && q && (p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1]);
                *mass++ = unit * (!q       ? (a == b ? 6 : 1)
                                  : !p     ? (at_corner ? -4 : -6)
                                  : a == b ? 32
                                  : touch  ? 16
                                           : 8);
            }
        }
        return;
    }
    double r[LY_ELEMENT_NODES_MAX][3], signed_volume = 0;
    load_nodes(mesh, element, vertex_of(mesh, element, 0), r);
    memset(mass, 0, 55 * sizeof *mass);
    for (int32_t q = 0; q < 125; ++q) {
        TetPoint point = tet_point(r, 5, q);
        signed_volume += point.weight;
        for (int32_t a = 0, k = 0; a < 10; ++a) {
            for (int32_t b = a; b < 10; ++b, ++k) {
                mass[k] += point.weight * point.shape[a] * point.shape[b];
            }
        }
    }
    for (int32_t k = 0; k < 55 && signed_volume < 0; ++k) {
        mass[k] = -mass[k];
    }
}

void ly_element_mass(const LyraMesh *mesh, int32_t element, double *mass)
{
    if (mesh->kind == LYRA_ELEMENT_TET10) {
        tet10_mass(mesh, element, mass);
        return;
    }
    if (mesh->kind == LYRA_ELEMENT_TET4) {
        double off = fabs(tet_volume(mesh, element)) / 20;
        for (int32_t a = 0; a < 4; ++a) {
            for (int32_t b = a; b < 4; ++b) {
                *mass++ = a == b ? 2 * off : off;
            }
        }
        return;
    }
    double edges[3];
    if (ly_cube_is_box(mesh, element, BOX_TOLERANCE, edges)) {
        double volume = fabs(edges[0] * edges[1] * edges[2]);
        static const double divisor[4] = {27, 54, 108, 216};
        for (int32_t a = 0; a < 8; ++a) {
            for (int32_t b = a; b < 8; ++b) {
                int32_t differ = 0;
                for (int32_t i = 0; i < 3; ++i) {
                    differ += cube_place[a][i] != cube_place[b][i];
                }
                *mass++ = volume / divisor[differ];
            }
        }
        return;
    }
    double r[8][3], signed_volume = 0;
    load_cube(mesh, element, vertex_of(mesh, element, 0), r);
    memset(mass, 0, 36 * sizeof *mass);
    for (int32_t q = 0; q < 27; ++q) {
        CubePoint point = cube_point(r, q);
        signed_volume += point.weight;
        for (int32_t a = 0, k = 0; a < 8; ++a) {
            for (int32_t b = a; b < 8; ++b, ++k) {
                mass[k] += point.weight * point.shape[a] * point.shape[b];
            }
        }
    }
    for (int32_t k = 0; k < 36 && signed_volume < 0; ++k) {
        mass[k] = -mass[k];
    }
}

// ---- degenerate ---------------------------------------------------------------------------------

double ly_element_longest_edge(const LyraMesh *mesh, int32_t element)
{
    double square = 0, longest = 0;
    for (int32_t e = 0; e < ly_kind_edges(mesh->kind); ++e) {
        const int32_t *ends = lyra_element_kind_edge(mesh->kind, e);
        double d[3];
        ly_subtract3(vertex_of(mesh, element, ends[1]), vertex_of(mesh, element, ends[0]), d);
        square = fmax(square, d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    }
    if (square > 1e-200 && square < 1e200) {
        return sqrt(square);
    }
    // squares out of range: the slow way
    for (int32_t e = 0; e < ly_kind_edges(mesh->kind); ++e) {
        const int32_t *ends = lyra_element_kind_edge(mesh->kind, e);
        double d[3];
        ly_subtract3(vertex_of(mesh, element, ends[1]), vertex_of(mesh, element, ends[0]), d);
        longest = fmax(longest, hypot(hypot(d[0], d[1]), d[2]));
    }
    return longest;
}

bool ly_element_is_degenerate(const LyraMesh *mesh, int32_t element, double volume)
{
    double longest = ly_element_longest_edge(mesh, element), most = fabs(volume);
    // middles may take all volume from corners that have some: such an element folds over
    if (mesh->kind == LYRA_ELEMENT_TET10) {
        most = fmax(most, fabs(tet_volume(mesh, element)));
    }
    // a volume that is NaN or infinite is of no use either
    return !(most > LYRA_MESH_DEGENERATE * longest * longest * longest) || !isfinite(volume);
}
