// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Small volumetric meshes for tests of trees and embeddings.

#ifndef LYRA_TEST_MESH_SHAPES_H
#define LYRA_TEST_MESH_SHAPES_H

#include "lyra/mesh.h"
#include "lyra_test.h"

#include <stdlib.h>

/// Unit box of n^3 cells at `offset`, six tets or one cube each. Vertices inside are moved by up to
/// `jitter` cells (tets only). With `inverted`, every third tet has two vertices swapped.
static inline LyraMesh *shapes_box(LyraContext *ctx, LyraElementKind kind, int32_t n, double offset,
                                   double jitter, bool inverted)
{
    static const int32_t paths[6][2] = {{1, 3}, {3, 2}, {2, 6}, {6, 4}, {4, 5}, {5, 1}};
    static const int32_t ring[8] = {0, 1, 3, 2, 4, 5, 7, 6};
    int32_t side = n + 1, vertices = side * side * side, cells = n * n * n;
    bool tets = kind == LYRA_ELEMENT_TET4;
    double *positions = malloc(sizeof *positions * 3 * (size_t)vertices);
    int32_t *elements = malloc(sizeof *elements * 24 * (size_t)cells);
    TestRandom random = test_random(7);
    for (int32_t v = 0; v < vertices; ++v) {
        int32_t at[3] = {v % side, v / side % side, v / side / side};
        for (int32_t i = 0; i < 3; ++i) {
            double move = test_random_in(&random, -jitter, jitter);
            move = at[i] > 0 && at[i] < n && tets ? move : 0;
            positions[3 * v + i] = offset + (at[i] + move) / n;
        }
    }
    int32_t count = 0;
    for (int32_t c = 0; c < cells; ++c) {
        int32_t first = c % n + side * (c / n % n + side * (c / n / n)), corners[8];
        for (int32_t k = 0; k < 8; ++k) {
            corners[k] = first + (k & 1) + side * (k >> 1 & 1) + side * side * (k >> 2);
        }
        for (int32_t k = 0; k < 8 && !tets; ++k) {
            elements[count++] = corners[ring[k]];
        }
        for (int32_t t = 0; t < 6 && tets; ++t) {
            bool swap = inverted && (6 * c + t) % 3 == 0;
            elements[count++] = corners[0];
            elements[count++] = corners[paths[t][swap]];
            elements[count++] = corners[paths[t][!swap]];
            elements[count++] = corners[7];
        }
    }
    LyraMesh *mesh = NULL;
    LyraMeshView data = {
        .kind = kind,
        .vertex_count = vertices,
        .element_count = count / (tets ? 4 : 8),
        .positions = positions,
        .elements = elements,
    };
    TEST_OK(lyra_mesh_create(ctx, &data, &mesh));
    free(positions);
    free(elements);
    return mesh;
}

static inline const double *shapes_vertex(const LyraMeshView *view, int32_t element, int32_t node)
{
    int32_t nodes = lyra_element_kind_nodes(view->kind);
    return view->positions +
           3 * (size_t)view->elements[(size_t)nodes * (size_t)element + (size_t)node];
}

/// Barycentric coordinates by determinants of long doubles.
static inline void shapes_barycentric(const LyraMeshView *view, int32_t element, const double p[3],
                                      long double w[4])
{
    long double r[4][3], sum = 0;
    for (int32_t a = 0; a < 4; ++a) {
        for (int32_t i = 0; i < 3; ++i) {
            r[a][i] = (long double)shapes_vertex(view, element, a)[i] - p[i];
        }
    }
    for (int32_t a = 0; a < 4; ++a) {
        const long double *x = r[(a + 1) % 4], *y = r[(a + 2) % 4], *z = r[(a + 3) % 4];
        w[a] = (x[0] * (y[1] * z[2] - y[2] * z[1]) + x[1] * (y[2] * z[0] - y[0] * z[2]) +
                x[2] * (y[0] * z[1] - y[1] * z[0])) *
               (a % 2 ? -1 : 1);
        sum += w[a];
    }
    for (int32_t a = 0; a < 4; ++a) {
        w[a] /= sum;
    }
}

/// How deep a point is inside an element: the least weight, negative outside.
static inline double shapes_depth(const LyraMeshView *view, int32_t element, const double p[3])
{
    double depth = INFINITY;
    if (view->kind == LYRA_ELEMENT_TET4) {
        long double w[4];
        shapes_barycentric(view, element, p, w);
        for (int32_t a = 0; a < 4; ++a) {
            depth = fmin(depth, (double)w[a]);
        }
        return depth;
    }
    const double *low = shapes_vertex(view, element, 0), *high = shapes_vertex(view, element, 6);
    for (int32_t i = 0; i < 3; ++i) {
        depth = fmin(depth, fmin(p[i] - low[i], high[i] - p[i]) / (high[i] - low[i]));
    }
    return depth;
}

/// Distance from a point to the convex hull of `count` points: the least of the distances to the
/// feet on the hulls of all subsets that are inside of them. In long double.
static inline double shapes_distance(const LyraMeshView *view, int32_t element, const double p[3])
{
    if (view->kind == LYRA_ELEMENT_CUBE8) {
        const double *low = shapes_vertex(view, element, 0);
        const double *high = shapes_vertex(view, element, 6);
        double sum = 0;
        for (int32_t i = 0; i < 3; ++i) {
            double d = fmax(0, fmax(low[i] - p[i], p[i] - high[i]));
            sum += d * d;
        }
        return sqrt(sum);
    }
    long double best = INFINITY;
    for (int32_t subset = 1; subset < 16; ++subset) {
        const double *x[4];
        int32_t n = 0;
        for (int32_t a = 0; a < 4; ++a) {
            if (subset >> a & 1) {
                x[n++] = shapes_vertex(view, element, a);
            }
        }
        // normal equations of p - x_0 = sum t_i (x_i - x_0), by elimination
        long double m[3][4] = {{0}}, t[4] = {1, 0, 0, 0};
        for (int32_t r = 1; r < n; ++r) {
            for (int32_t i = 0; i < 3; ++i) {
                long double e = (long double)x[r][i] - x[0][i];
                for (int32_t c = 1; c < n; ++c) {
                    m[r - 1][c - 1] += e * ((long double)x[c][i] - x[0][i]);
                }
                m[r - 1][3] += e * ((long double)p[i] - x[0][i]);
            }
        }
        for (int32_t k = 0; k < n - 1; ++k) {
            for (int32_t r = 0; r < n - 1; ++r) {
                long double f = r == k ? 0 : m[r][k] / m[k][k];
                for (int32_t c = 0; c < 4; ++c) {
                    m[r][c] -= f * m[k][c];
                }
            }
        }
        bool inside = true;
        for (int32_t r = 1; r < n; ++r) {
            t[r] = m[r - 1][3] / m[r - 1][r - 1];
            t[0] -= t[r];
        }
        for (int32_t r = 0; r < n; ++r) {
            inside = inside && t[r] >= 0;
        }
        long double d2 = 0;
        for (int32_t i = 0; i < 3; ++i) {
            long double foot = 0;
            for (int32_t r = 0; r < n; ++r) {
                foot += t[r] * x[r][i];
            }
            d2 += (foot - p[i]) * (foot - p[i]);
        }
        best = inside && d2 < best ? d2 : best;
    }
    return (double)sqrtl(best);
}

#endif
