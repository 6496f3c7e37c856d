// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The smallest det F of a mesh at given positions.

#include "lyra/elastic.h"

#include "force/rest_shape.h"

#include <math.h>

static double determinant(double A[3][3])
{
    return A[0][0] * (A[1][1] * A[2][2] - A[1][2] * A[2][1]) +
           A[0][1] * (A[1][2] * A[2][0] - A[1][0] * A[2][2]) +
           A[0][2] * (A[1][0] * A[2][1] - A[1][1] * A[2][0]);
}

// determinant of the edges from corner 0
static double tet_determinant(const int32_t *ids, const double *x)
{
    double edges[3][3];
    const double *origin = x + 3 * (int64_t)ids[0];
    for (int a = 0; a < 3; ++a) {
        for (int i = 0; i < 3; ++i) {
            edges[a][i] = x[3 * (int64_t)ids[a + 1] + i] - origin[i];
        }
    }
    return determinant(edges);
}

// determinant of dx/dxi at Gauss point q of eight
static double cube_determinant(const int32_t *ids, const double *x, int q)
{
    const double root = 0.57735026918962576451;
    double at[3], A[3][3] = {{0}};
    for (int i = 0; i < 3; ++i) {
        at[i] = 0.5 + (q >> i & 1 ? 0.5 : -0.5) * root;
    }
    for (int a = 0; a < 8; ++a) {
        for (int j = 0; j < 3; ++j) {
            int k = (j + 1) % 3, l = (j + 2) % 3;
            double slope = (ly_cube_bits[a] >> j & 1 ? 1 : -1) *
                           (ly_cube_bits[a] >> k & 1 ? at[k] : 1 - at[k]) *
                           (ly_cube_bits[a] >> l & 1 ? at[l] : 1 - at[l]);
            for (int i = 0; i < 3; ++i) {
                A[i][j] += slope * (x[3 * (int64_t)ids[a] + i] - x[3 * (int64_t)ids[0] + i]);
            }
        }
    }
    return determinant(A);
}

void lyra_elastic_min_det(const LyraMesh *mesh, const double *x, double *min_det, int32_t *element)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    bool cubes = view.kind == LYRA_ELEMENT_CUBE8;
    int nodes = cubes ? 8 : 4, points = cubes ? 8 : 1;
    *min_det = INFINITY;
    *element = -1;
    for (int32_t e = 0; e < view.element_count; ++e) {
        const int32_t *ids = view.elements + (int64_t)nodes * e;
        for (int q = 0; q < points; ++q) {
            double rest = cubes ? cube_determinant(ids, view.positions, q)
                                : tet_determinant(ids, view.positions);
            if (rest == 0) {
                continue;
            }
            double det = (cubes ? cube_determinant(ids, x, q) : tet_determinant(ids, x)) / rest;
            if (!(det >= *min_det)) {
                *min_det = det;
                *element = e;
            }
            if (isnan(det)) {
                return;
            }
        }
    }
}
