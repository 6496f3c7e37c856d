// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// det F of a mesh at given positions: the smallest, and how many elements are inverted.

#include "force/force.h"
#include "lyra/elastic.h"
#include "math/vec3.h"
#include "mesh/mesh.h"

#include "force/mapped.h"

#include <math.h>

// elements that are worth waking a thread for, and the most pieces
#define GRAIN 4096
#define PIECES_MAX 64

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
    return ly_determinant3(edges[0], edges[1], edges[2]);
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
    return ly_determinant3(A[0], A[1], A[2]);
}

// determinant of dx/dxi at point q of a tet of 10 nodes
static double tet10_determinant(const int32_t *ids, const double *x, const double slope[][3])
{
    double A[3][3] = {{0}};
    for (int a = 1; a < 10; ++a) {
        for (int k = 0; k < 9; ++k) {
            double d = x[3 * (int64_t)ids[a] + k / 3] - x[3 * (int64_t)ids[0] + k / 3];
            A[k / 3][k % 3] += slope[a][k % 3] * d;
        }
    }
    return ly_determinant3(A[0], A[1], A[2]);
}

void ly_det_f_join(LyraDetF *all, const LyraDetF *other)
{
    if (!isnan(all->min) && !(other->min >= all->min)) {
        all->min = other->min;
        all->element = other->element;
    }
    all->inverted += other->inverted;
    all->elements += other->elements;
}

typedef struct DetFLoop {
    int32_t nodes, element_count, pieces;
    const int32_t *elements;
    const double *rest, *x;
    LyMappedRule rule; // of tets of 10 nodes
    LyraDetF found[PIECES_MAX];
} DetFLoop;

static double point_determinant(const DetFLoop *loop, const int32_t *ids, const double *x, int q)
{
    return loop->nodes == 8    ? cube_determinant(ids, x, q)
           : loop->nodes == 10 ? tet10_determinant(ids, x, loop->rule.shape[q])
                               : tet_determinant(ids, x);
}

static void det_f_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    DetFLoop *loop = data;
    bool cubes = loop->nodes == 8;
    int points = cubes ? 8 : loop->nodes == 10 ? 4 : 1;
    LyraDetF found = {.min = INFINITY, .element = -1};
    int64_t begin = ly_piece_begin(loop->element_count, loop->pieces, index);
    int64_t end = ly_piece_begin(loop->element_count, loop->pieces, index + 1);
    for (int64_t e = begin; e < end && !isnan(found.min); ++e) {
        const int32_t *ids = loop->elements + loop->nodes * e;
        bool inverted = false, solid = false;
        for (int q = 0; q < points && !isnan(found.min); ++q) {
            double rest = point_determinant(loop, ids, loop->rest, q);
            if (rest == 0) {
                continue;
            }
            solid = true;
            double now = point_determinant(loop, ids, loop->x, q);
            inverted = inverted || now / rest <= 0;
            if (!(now / rest >= found.min)) {
                found.min = now / rest;
                found.element = (int32_t)e;
            }
        }
        found.inverted += inverted;
        found.elements += solid;
    }
    loop->found[index] = found;
}

LyraDetF ly_det_f(LyraContext *ctx, int32_t nodes, int32_t element_count, const int32_t *elements,
                  const double *rest, const double *x)
{
    int64_t grain = ly_max_i64(GRAIN, ((int64_t)element_count + PIECES_MAX - 1) / PIECES_MAX);
    DetFLoop loop = {.nodes = nodes,
                     .element_count = element_count,
                     .pieces = ly_piece_count(element_count, grain),
                     .elements = elements,
                     .rest = rest,
                     .x = x};
    if (nodes == 10) {
        ly_mapped_rule(LYRA_ELEMENT_TET10, &loop.rule);
    }
    ly_parallel_for(ctx, loop.pieces, det_f_task, &loop);
    LyraDetF all = {.min = INFINITY, .element = -1};
    for (int32_t i = 0; i < loop.pieces; ++i) {
        ly_det_f_join(&all, &loop.found[i]);
    }
    return all;
}

LyraDetF lyra_elastic_det_f(const LyraMesh *mesh, const double *x)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    return ly_det_f(mesh->ctx, lyra_element_kind_nodes(view.kind), view.element_count,
                    view.elements, view.positions, x);
}
