// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Loads on surfaces: settings, constants per triangle, closed surfaces. The mathematics is in
// traction_kernel.c.

#include "force/traction.h"

#include "base/base.h"
#include "force/force.h"
#include "lyra/math3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void destroy_traction(void *self)
{
    LyTraction *traction = self;
    if (traction) {
        ly_release(traction->ctx, traction->constants);
        ly_release(traction->ctx, traction);
    }
}

static void setup_triangle(const void *self, int32_t element, const int32_t *order,
                           double *constants)
{
    const LyTraction *traction = self;
    (void)order; // nodes come as they were given
    int32_t count = traction->type.constant_count;
    memcpy(constants, traction->constants + (int64_t)element * count,
           (size_t)count * sizeof *constants);
}

// ---- checks -------------------------------------------------------------------------------------

static LyraStatus check_triangles(int32_t vertex_count, const LyraTractionDef *def)
{
    if (def->triangle_count < 0 || (def->triangle_count > 0 && !def->triangles)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "traction: %d triangles %s", def->triangle_count,
                       def->triangle_count < 0 ? "were given, expected 0 or more"
                                               : "come without their vertices");
    }
    if (def->nodes != 3 && def->nodes != 6) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "traction: triangles of %d vertices, expected 3 or 6",
                       def->nodes);
    }
    for (int64_t i = 0; i < def->nodes * (int64_t)def->triangle_count; ++i) {
        if (def->triangles[i] < 0 || def->triangles[i] >= vertex_count) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "traction: triangle %d has vertex %d, expected one in [0, %d)",
                           (int)(i / def->nodes), def->triangles[i], vertex_count);
        }
    }
    return LYRA_OK;
}

static LyraStatus check_load(const LyraTractionDef *def)
{
    if ((int)def->kind < 0 || def->kind >= LYRA_TRACTION_COUNT) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "traction: there is no kind %d", (int)def->kind);
    }
    bool finite = isfinite(def->pressure);
    for (int i = 0; i < 3; ++i) {
        finite = finite && isfinite(def->traction[i]);
    }
    if (!finite) {
        return ly_fail(LYRA_NOT_FINITE, "traction: the load is (%g, %g, %g) Pa and pressure %g Pa",
                       def->traction[0], def->traction[1], def->traction[2], def->pressure);
    }
    return LYRA_OK;
}

// ---- closed surfaces ----------------------------------------------------------------------------

static int compare_edges(const void *a, const void *b)
{
    const int32_t *p = a, *q = b;
    if (p[0] != q[0]) {
        return p[0] < q[0] ? -1 : 1;
    }
    return (p[1] > q[1]) - (p[1] < q[1]);
}

// whether every edge, or half of one, is run through once in each direction
static LyraStatus find_closed(LyraContext *ctx, const LyraTractionDef *def, bool *closed)
{
    // from each vertex on the way around to the next
    static const int8_t three[3] = {0, 1, 2}, six[6] = {0, 3, 1, 4, 2, 5};
    const int8_t *around = def->nodes == 6 ? six : three;
    int64_t count = def->nodes * (int64_t)def->triangle_count;
    int32_t *edges = NULL, *turned;
    LY_TRY(ly_allocate_array(ctx, 4 * count, sizeof *edges, &edges));
    turned = edges + 2 * count;
    for (int64_t i = 0; i < count; ++i) {
        const int32_t *triangle = def->triangles + i / def->nodes * def->nodes;
        int64_t k = i % def->nodes;
        int32_t from = triangle[around[k]], to = triangle[around[(k + 1) % def->nodes]];
        edges[2 * i] = turned[2 * i + 1] = from;
        edges[2 * i + 1] = turned[2 * i] = to;
    }
    qsort(edges, (size_t)count, 2 * sizeof *edges, compare_edges);
    qsort(turned, (size_t)count, 2 * sizeof *edges, compare_edges);
    *closed = count > 0 && memcmp(edges, turned, (size_t)(2 * count) * sizeof *edges) == 0;
    for (int64_t i = 1; i < count && *closed; ++i) {
        *closed = compare_edges(edges + 2 * i - 2, edges + 2 * i) != 0;
    }
    ly_release(ctx, edges);
    return LYRA_OK;
}

static void find_centre(const double *positions, const LyraTractionDef *def, double centre[3])
{
    int64_t count = def->nodes * (int64_t)def->triangle_count;
    for (int i = 0; i < 3; ++i) {
        centre[i] = 0;
        for (int64_t k = 0; k < count; ++k) {
            centre[i] += positions[3 * (int64_t)def->triangles[k] + i] / (double)count;
        }
    }
}

// ---- constants ----------------------------------------------------------------------------------

// T = alpha E1 + beta E2 + T_n N, by the edges' Gram matrix; |n| is twice the area
// Writes alpha, beta, the tangential and the normal load.
static void split_live(const LyraTractionDef *def, LyraVec3 E1, LyraVec3 E2, LyraVec3 n,
                       double out[4])
{
    LyraVec3 load = lyra_vec3(def->traction[0], def->traction[1], def->traction[2]);
    double area = lyra_vec3_length(n);
    if (def->kind == LYRA_TRACTION_PRESSURE) {
        out[3] = -def->pressure;
        return;
    }
    double normal = lyra_vec3_dot(load, n) / area;
    LyraVec3 T = lyra_vec3_add_scaled(load, -normal / area, n);
    double size = lyra_vec3_length(T);
    out[3] = normal;
    // what rounding leaves of a load along the normal has no direction
    if (size <= 1e-14 * fabs(normal) || size == 0) {
        return;
    }
    double g11 = lyra_vec3_dot(E1, E1), g12 = lyra_vec3_dot(E1, E2), g22 = lyra_vec3_dot(E2, E2);
    double t1 = lyra_vec3_dot(T, E1) / size, t2 = lyra_vec3_dot(T, E2) / size;
    out[0] = (g22 * t1 - g12 * t2) / (area * area);
    out[1] = (g11 * t2 - g12 * t1) / (area * area);
    out[2] = size;
}

static LyraStatus fill_constants(const double *positions, const LyraTractionDef *def,
                                 const double centre[3], double *constants)
{
    for (int32_t t = 0; t < def->triangle_count; ++t) {
        const int32_t *nodes = def->triangles + 3 * (int64_t)t;
        double *c = constants + (int64_t)t * LY_TRACTION_CONSTANTS;
        LyraVec3 X[3];
        for (int a = 0; a < 3; ++a) {
            const double *p = positions + 3 * (int64_t)nodes[a];
            X[a] = lyra_vec3(p[0], p[1], p[2]);
            for (int i = 0; i < 3; ++i) {
                c[LY_TRACTION_REST + 3 * a + i] = p[i] - centre[i];
            }
        }
        LyraVec3 E1 = lyra_vec3_subtract(X[1], X[0]), E2 = lyra_vec3_subtract(X[2], X[0]);
        LyraVec3 n = lyra_vec3_cross(E1, E2);
        double area = lyra_vec3_length(n), edges = lyra_vec3_length(E1) * lyra_vec3_length(E2);
        if (!(area > 1e-14 * edges) || !isfinite(edges)) {
            return ly_fail(LYRA_BAD_MESH,
                           "traction: triangle %d (vertices %d, %d, %d) has no area at rest", t,
                           nodes[0], nodes[1], nodes[2]);
        }
        if (def->kind == LYRA_TRACTION_DEAD) {
            for (int i = 0; i < 3; ++i) {
                c[LY_TRACTION_LOAD + i] = def->traction[i] * area / 6;
            }
        } else {
            split_live(def, E1, E2, n, c + LY_TRACTION_ALPHA);
        }
    }
    return LYRA_OK;
}

// ---- triangles of 6 nodes -----------------------------------------------------------------------

static void fill_rule(LyTractionRule *rule)
{
    static const double a[2] = {0.44594849091596489, 0.091576213509770743};
    static const double weight[2] = {0.11169079483900574, 0.054975871827660934};
    for (int p = 0; p < LY_TRACTION_POINTS; ++p) {
        double L[3] = {a[p / 3], a[p / 3], a[p / 3]};
        const double dL[3][2] = {{-1, -1}, {1, 0}, {0, 1}};
        L[p % 3] = 1 - 2 * a[p / 3];
        rule->weight[p] = weight[p / 3];
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3;
            rule->N[p][i] = L[i] * (2 * L[i] - 1);
            rule->N[p][3 + i] = 4 * L[i] * L[j];
            for (int k = 0; k < 2; ++k) {
                rule->dN[p][i][k] = (4 * L[i] - 1) * dL[i][k];
                rule->dN[p][3 + i][k] = 4 * (L[i] * dL[j][k] + L[j] * dL[i][k]);
            }
        }
    }
}

static LyraStatus fill_constants6(const double *positions, const LyraTractionDef *def,
                                  const double centre[3], const LyTractionRule *rule,
                                  double *constants)
{
    for (int32_t t = 0; t < def->triangle_count; ++t) {
        const int32_t *nodes = def->triangles + 6 * (int64_t)t;
        double *c = constants + (int64_t)t * LY_TRACTION6_CONSTANTS;
        for (int k = 0; k < 18; ++k) {
            c[LY_TRACTION6_REST + k] = positions[3 * (int64_t)nodes[k / 3] + k % 3] - centre[k % 3];
        }
        for (int p = 0; p < LY_TRACTION_POINTS; ++p) {
            LyraVec3 E[2] = {lyra_vec3(0, 0, 0), lyra_vec3(0, 0, 0)};
            for (int a = 0; a < 6; ++a) {
                const double *x = c + LY_TRACTION6_REST + 3 * a;
                for (int k = 0; k < 2; ++k) {
                    E[k] =
                        lyra_vec3_add_scaled(E[k], rule->dN[p][a][k], lyra_vec3(x[0], x[1], x[2]));
                }
            }
            LyraVec3 n = lyra_vec3_cross(E[0], E[1]);
            double area = lyra_vec3_length(n);
            double edges = lyra_vec3_length(E[0]) * lyra_vec3_length(E[1]);
            if (!(area > 1e-14 * edges) || !isfinite(edges)) {
                return ly_fail(LYRA_BAD_MESH,
                               "traction: triangle %d (vertices %d, %d, %d) has no area at rest", t,
                               nodes[0], nodes[1], nodes[2]);
            }
            if (def->kind != LYRA_TRACTION_DEAD) {
                split_live(def, E[0], E[1], n, c + LY_TRACTION6_POINT + 4 * p);
                continue;
            }
            for (int k = 0; k < 18; ++k) {
                c[LY_TRACTION6_LOAD + k] +=
                    rule->weight[p] * area * rule->N[p][k / 3] * def->traction[k % 3];
            }
        }
    }
    return LYRA_OK;
}

// ---- creation -----------------------------------------------------------------------------------

LyraTractionDef lyra_traction_def_default(void)
{
    return (LyraTractionDef){.nodes = 3, .cookie = LY_DEF_COOKIE};
}

static const char *const parameter_names[LYRA_TRACTION_PARAMETER_COUNT] = {
    [LYRA_TRACTION_FACTOR] = "factor",
};

static LyraForceType make_type(LyraContext *ctx, const LyraTractionDef *def, bool closed)
{
    static LyTractionKernel *const dead[] = LY_KERNEL_TABLE(ly_traction_dead);
    static LyTractionKernel *const live[] = LY_KERNEL_TABLE(ly_traction_live);
    static LyTractionKernel *const halves[] = LY_KERNEL_TABLE(ly_traction_live_symmetric);
    static LyTractionKernel *const volume[] = LY_KERNEL_TABLE(ly_traction_closed);
    static LyTractionKernel *const dead6[] = LY_KERNEL_TABLE(ly_traction6_dead);
    static LyTractionKernel *const live6[] = LY_KERNEL_TABLE(ly_traction6_live);
    static LyTractionKernel *const halves6[] = LY_KERNEL_TABLE(ly_traction6_live_symmetric);
    bool conservative = closed || def->kind == LYRA_TRACTION_DEAD;
    LyTractionKernel *const *table = closed                            ? volume
                                     : def->kind == LYRA_TRACTION_DEAD ? dead
                                     : def->symmetric                  ? halves
                                                                       : live;
    if (def->nodes == 6) {
        table = def->kind == LYRA_TRACTION_DEAD ? dead6
                : closed || def->symmetric      ? halves6
                                                : live6;
    }
    return (LyraForceType){
        .name = "traction",
        .nodes = def->nodes,
        .traits = LYRA_FORCE_DISPLACEMENT | LYRA_FORCE_LOAD |
                  (conservative ? LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_SYMMETRIC : 0u) |
                  (def->kind == LYRA_TRACTION_DEAD ? LYRA_FORCE_LINEAR : 0u) |
                  (def->symmetric ? LYRA_FORCE_SYMMETRIC : 0u) |
                  (def->symmetric && !conservative ? LYRA_FORCE_INEXACT : 0u) |
                  (def->amplitude ? LYRA_FORCE_TIME : 0u),
        .constant_count = def->nodes == 6 ? LY_TRACTION6_CONSTANTS : LY_TRACTION_CONSTANTS,
        .parameter_count = LYRA_TRACTION_PARAMETER_COUNT,
        .parameter_names = parameter_names,
        .setup = setup_triangle,
        .evaluate = table[lyra_context_isa(ctx)],
        .destroy = destroy_traction,
    };
}

LyraStatus lyra_traction_create(LyraContext *ctx, int32_t vertex_count, const double *positions,
                                const LyraTractionDef *def, LyraForce **out)
{
    LY_CHECK_DEF(def, "lyra_traction_def_default");
    LY_TRY(check_load(def));
    LY_TRY(check_triangles(vertex_count, def));
    LyTraction *traction = NULL;
    double *parameters = NULL;
    bool closed = false;
    LyraStatus status = LYRA_OK;
    if (def->kind == LYRA_TRACTION_PRESSURE) {
        LY_TRY(find_closed(ctx, def, &closed));
    }
    LY_TRY_DONE(ly_allocate_zeroed(ctx, 1, sizeof *traction, &traction));
    traction->ctx = ctx;
    traction->type = make_type(ctx, def, closed);
    traction->pressure = def->pressure;
    traction->amplitude = def->amplitude;
    traction->user = def->user;
    find_centre(positions, def, traction->centre);
    traction->closed = closed;
    fill_rule(&traction->rule);
    LY_TRY_DONE(ly_allocate_zeroed(ctx,
                                   (int64_t)def->triangle_count * traction->type.constant_count,
                                   sizeof(double), &traction->constants));
    LY_TRY_DONE(def->nodes == 6
                    ? fill_constants6(positions, def, traction->centre, &traction->rule,
                                      traction->constants)
                    : fill_constants(positions, def, traction->centre, traction->constants));
    LY_TRY_DONE(ly_allocate_array(ctx, def->triangle_count, sizeof *parameters, &parameters));
    for (int32_t t = 0; t < def->triangle_count; ++t) {
        parameters[t] = 1;
    }
    LyraForceDef force = lyra_force_def_default();
    force.type = &traction->type;
    force.self = traction;
    force.stencil_count = def->triangle_count;
    force.stencils = def->triangles;
    force.parameters = parameters;
    LY_TRY_DONE(lyra_force_create(ctx, &force, out));
    traction = NULL; // the force's now
done:
    destroy_traction(traction);
    ly_release(ctx, parameters);
    return status;
}
