// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The rest shape placed where the body is. Vertices that forces connect make up a component. For
// each, with weights m, means c of x = X + u and C of X, the rigid motion that minimises
//
//   sum of m |R (X - C) + t - x|^2
//
// has t = c, and R is the rotation nearest to A = sum of m (x - c)(X - C)^T, its polar factor.

#include "base/forest.h"
#include "lyra/math3.h"
#include "model/model.h"

#include "force/force.h"

#include <math.h>

// ---- components ---------------------------------------------------------------------------------

// joins what stencils connect
static void join_stencils(const LyraForce *force, int32_t first, int32_t *parent)
{
    int32_t nodes = force->type->nodes;
    for (int64_t e = 0; e < force->stencil_count; ++e) {
        const int32_t *vertices = force->stencils + nodes * e;
        for (int32_t k = 1; k < nodes; ++k) {
            ly_forest_join(parent, first + vertices[0], first + vertices[k]);
        }
    }
}

LyraStatus ly_components_create(LyraModel *model)
{
    int32_t n = model->vertex_count, *component = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_allocate_array(model->ctx, n, sizeof *component, &component));
    LY_TRY_DONE(ly_allocate_array(model->ctx, n, sizeof(int32_t), &model->component_vertex));
    for (int32_t i = 0; i < n; ++i) {
        component[i] = i;
    }
    for (int32_t f = 0; f < model->force_count; ++f) {
        join_stencils(model->forces[f], ly_group_first(model, f), component);
    }
    // a parent comes before its children, so that its number already stands there
    int32_t count = 0;
    for (int32_t i = 0; i < n; ++i) {
        component[i] = component[i] == i ? count++ : component[component[i]];
    }
    LY_TRY_DONE(ly_allocate_zeroed(model->ctx, (int64_t)count + 2, sizeof(int32_t),
                                   &model->component_start));
    // vertices by component: counts two places on, then begins one place on, which filling moves
    // down
    int32_t *start = model->component_start;
    for (int32_t i = 0; i < n; ++i) {
        ++start[component[i] + 2];
    }
    for (int32_t p = 0; p < count; ++p) {
        start[p + 2] += start[p + 1];
    }
    for (int32_t i = 0; i < n; ++i) {
        model->component_vertex[start[component[i] + 1]++] = i;
    }
    model->component_count = count;
done:
    ly_release(model->ctx, component);
    return status;
}

// ---- placing ------------------------------------------------------------------------------------

// of a vertex in the fit: none of scalar nodes, which are no places
static double weight_of(const LyraModel *model, int32_t vertex, bool heavy)
{
    return ly_model_is_scalar(model, vertex) ? 0 : heavy ? model->mass.lumped[vertex] : 1;
}

// the rigid motion x = R (X - C) + c that fits the vertices of a component best
static void fit(const LyraModel *model, int32_t count, const int32_t *vertices, const double *u,
                double C[3], double c[3], LyraMat3 *R)
{
    const double *X = model->positions, *mass = model->mass.lumped;
    double total = 0, places = 0;
    for (int32_t n = 0; n < count; ++n) {
        bool place = !ly_model_is_scalar(model, vertices[n]);
        total += place ? mass[vertices[n]] : 0;
        places += place;
    }
    // without any mass, all vertices count the same
    bool heavy = total > 0;
    total = heavy ? total : fmax(1, places);
    for (int k = 0; k < 3; ++k) {
        C[k] = c[k] = 0;
    }
    for (int32_t n = 0; n < count; ++n) {
        int64_t i = 3 * (int64_t)vertices[n];
        double m = weight_of(model, vertices[n], heavy) / total;
        for (int k = 0; k < 3; ++k) {
            C[k] += m * X[i + k];
            c[k] += m * (X[i + k] + u[i + k]);
        }
    }
    LyraMat3 A = {{{0}}};
    for (int32_t n = 0; n < count; ++n) {
        int64_t i = 3 * (int64_t)vertices[n];
        double m = weight_of(model, vertices[n], heavy) / total;
        for (int k = 0; k < 9; ++k) {
            int a = k / 3, b = k % 3;
            A.m[a][b] += m * (X[i + a] + u[i + a] - c[a]) * (X[i + b] - C[b]);
        }
    }
    *R = lyra_mat3_polar(A);
}

void ly_rest_place(const LyraModel *model, const double *u, double *rest)
{
    for (int32_t p = 0; p < model->component_count; ++p) {
        const int32_t *vertices = model->component_vertex + model->component_start[p];
        int32_t count = model->component_start[p + 1] - model->component_start[p];
        double C[3], c[3];
        LyraMat3 R;
        fit(model, count, vertices, u, C, c, &R);
        for (int32_t n = 0; n < count; ++n) {
            int64_t i = 3 * (int64_t)vertices[n];
            if (ly_model_is_scalar(model, vertices[n])) {
                rest[i] = rest[i + 1] = rest[i + 2] = 0;
                continue;
            }
            for (int k = 0; k < 3; ++k) {
                double x = c[k];
                for (int j = 0; j < 3; ++j) {
                    x += R.m[k][j] * (model->positions[i + j] - C[j]);
                }
                rest[i + k] = x - model->positions[i + k];
            }
        }
    }
}
