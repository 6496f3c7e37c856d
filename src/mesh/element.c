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

#include "mesh/element.h"

#include "lyra/mesh_ops.h"
#include "math/vec3.h"
#include "mesh/topology.h"

#include <math.h>
#include <string.h>

// a cube counts as a box for the closed forms when this close, relative to its shortest edge
#define BOX_TOLERANCE 1e-14

static const double *vertex_of(const LyraMesh *mesh, int32_t element, int32_t a)
{
    int32_t nodes = mesh->kind == LYRA_ELEMENT_TET4 ? 4 : 8;
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

double ly_element_volume(const LyraMesh *mesh, int32_t element)
{
    return mesh->kind == LYRA_ELEMENT_TET4 ? tet_volume(mesh, element) : cube_volume(mesh, element);
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
    *volume = fabs(signed_volume);
    for (int32_t i = 0; i < 6 && signed_volume < 0; ++i) {
        second[i] = -second[i];
        if (i < 3) {
            first[i] = -first[i];
        }
    }
}

void ly_element_moments(const LyraMesh *mesh, int32_t element, const double origin[3],
                        double *volume, double first[3], double second[6])
{
    if (mesh->kind == LYRA_ELEMENT_TET4) {
        tet_moments(mesh, element, origin, volume, first, second);
    } else {
        cube_moments(mesh, element, origin, volume, first, second);
    }
}

// ---- mass ---------------------------------------------------------------------------------------

void ly_element_mass(const LyraMesh *mesh, int32_t element, double *mass)
{
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
    double longest = ly_element_longest_edge(mesh, element);
    // a volume that is NaN or infinite is of no use either
    return !(fabs(volume) > LYRA_MESH_DEGENERATE * longest * longest * longest) ||
           !isfinite(volume);
}
