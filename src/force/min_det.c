// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The smallest det F of a mesh at given positions.

#include "force/force.h"
#include "lyra/elastic.h"
#include "mesh/mesh.h"

#include <math.h>

// elements that are worth waking a thread for, and the most pieces
#define GRAIN 4096
#define PIECES_MAX 64

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
    static const int place[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                    {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    const double root = 0.57735026918962576451;
    double at[3], A[3][3] = {{0}};
    for (int i = 0; i < 3; ++i) {
        at[i] = 0.5 + (q >> i & 1 ? 0.5 : -0.5) * root;
    }
    for (int a = 0; a < 8; ++a) {
        for (int j = 0; j < 3; ++j) {
            int k = (j + 1) % 3, l = (j + 2) % 3;
            double slope = (place[a][j] ? 1 : -1) * (place[a][k] ? at[k] : 1 - at[k]) *
                           (place[a][l] ? at[l] : 1 - at[l]);
            for (int i = 0; i < 3; ++i) {
                A[i][j] += slope * (x[3 * (int64_t)ids[a] + i] - x[3 * (int64_t)ids[0] + i]);
            }
        }
    }
    return determinant(A);
}

typedef struct MinDetLoop {
    int32_t nodes, element_count, pieces;
    const int32_t *elements;
    const double *rest, *x;
    double min_det[PIECES_MAX];
    int32_t element[PIECES_MAX];
} MinDetLoop;

static void min_det_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    MinDetLoop *loop = data;
    bool cubes = loop->nodes == 8;
    int points = cubes ? 8 : 1;
    double *least = &loop->min_det[index];
    int64_t begin = ly_piece_begin(loop->element_count, loop->pieces, index);
    int64_t end = ly_piece_begin(loop->element_count, loop->pieces, index + 1);
    *least = INFINITY;
    loop->element[index] = -1;
    for (int64_t e = begin; e < end && !isnan(*least); ++e) {
        const int32_t *ids = loop->elements + loop->nodes * e;
        for (int q = 0; q < points && !isnan(*least); ++q) {
            double rest =
                cubes ? cube_determinant(ids, loop->rest, q) : tet_determinant(ids, loop->rest);
            if (rest == 0) {
                continue;
            }
            double now = cubes ? cube_determinant(ids, loop->x, q) : tet_determinant(ids, loop->x);
            if (!(now / rest >= *least)) {
                *least = now / rest;
                loop->element[index] = (int32_t)e;
            }
        }
    }
}

void ly_min_det(LyraContext *ctx, int32_t nodes, int32_t element_count, const int32_t *elements,
                const double *rest, const double *x, double *min_det, int32_t *element)
{
    int64_t grain = ly_max_i64(GRAIN, ((int64_t)element_count + PIECES_MAX - 1) / PIECES_MAX);
    MinDetLoop loop = {.nodes = nodes,
                       .element_count = element_count,
                       .pieces = ly_piece_count(element_count, grain),
                       .elements = elements,
                       .rest = rest,
                       .x = x};
    ly_parallel_for(ctx, loop.pieces, min_det_task, &loop);
    *min_det = INFINITY;
    *element = -1;
    for (int32_t i = 0; i < loop.pieces && !isnan(*min_det); ++i) {
        if (!(loop.min_det[i] >= *min_det)) {
            *min_det = loop.min_det[i];
            *element = loop.element[i];
        }
    }
}

void lyra_elastic_min_det(const LyraMesh *mesh, const double *x, double *min_det, int32_t *element)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    ly_min_det(mesh->ctx, lyra_element_kind_nodes(view.kind), view.element_count, view.elements,
               view.positions, x, min_det, element);
}
