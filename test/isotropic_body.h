// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A body of tets or cubes with an elastic model, and states to put it in.

#ifndef LYRA_TEST_ISOTROPIC_BODY_H
#define LYRA_TEST_ISOTROPIC_BODY_H

#include "force_bodies.h"
#include "lyra/elastic.h"
#include "lyra/mesh_ops.h"

// ---- a body -------------------------------------------------------------------------------------

// constants that use all terms of a model
static inline int32_t choose_constants(LyraMaterialLaw model, LyraElasticConstant *constants)
{
    static const LyraElasticConstant yeoh[] = {{"c20", 2e3}, {"c30", 3e2}};
    static const LyraElasticConstant reduced[] = {{"c20", 2e3}, {"c40", 10}, {"c60", 0.1}};
    static const LyraElasticConstant ogden[] = {{"mu2", 2e3}, {"mu3", -4e3}};
    const LyraElasticConstant *from = model == LYRA_MATERIAL_YEOH                 ? yeoh
                                      : model == LYRA_MATERIAL_REDUCED_POLYNOMIAL ? reduced
                                      : model == LYRA_MATERIAL_OGDEN              ? ogden
                                                                                  : NULL;
    int32_t count = !from ? 0 : from == reduced ? 3 : 2;
    for (int32_t i = 0; i < count; ++i) {
        constants[i] = from[i];
    }
    return count;
}

// the vertices of a mesh of mapped elements moved: all of a small one, which makes tets curved;
// else those inside, and middles stay between their corners, as patch tests want it
static inline void bend_mesh(LyraContext *ctx, int32_t cells, const double size[3], LyraMesh **mesh)
{
    LyraMeshView view = lyra_mesh_view(*mesh);
    if (view.kind != LYRA_ELEMENT_TET10 && view.kind != LYRA_ELEMENT_HEX8) {
        return;
    }
    double *x = malloc((size_t)view.vertex_count * 3 * sizeof *x);
    TestRandom random = test_random(23);
    for (int32_t v = 0; v < view.vertex_count; ++v) {
        const double *p = view.positions + 3 * v;
        bool inside = true;
        for (int i = 0; i < 3; ++i) {
            inside = inside && fabs(p[i]) < 0.499 * size[i];
        }
        for (int i = 0; i < 3; ++i) {
            double move = 0.04 * CELL * test_random_in(&random, -1, 1);
            x[3 * v + i] = p[i] + (cells <= 2 || inside ? move : 0);
        }
    }
    for (int32_t e = 0; e < view.element_count && cells > 2 && view.kind == LYRA_ELEMENT_TET10;
         ++e) {
        const int32_t *v = view.elements + 10 * e;
        for (int32_t m = 0; m < 18; ++m) {
            const int32_t *ends = lyra_element_kind_edge(view.kind, m / 3);
            x[3 * v[4 + m / 3] + m % 3] =
                0.5 * (x[3 * v[ends[0]] + m % 3] + x[3 * v[ends[1]] + m % 3]);
        }
    }
    LyraMesh *bent = NULL;
    view.positions = x;
    TEST_OK(lyra_mesh_create(ctx, &view, &bent));
    lyra_mesh_destroy(*mesh);
    *mesh = bent;
    free(x);
}

static inline Body make_isotropic(LyraContext *ctx, LyraElasticDef def, LyraElementKind kind,
                                  int32_t nx, int32_t ny, int32_t nz)
{
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    shape.kind = kind;
    int32_t cells[3] = {nx, ny, nz};
    for (int i = 0; i < 3; ++i) {
        shape.cells[i] = cells[i];
        shape.size[i] = CELL * cells[i];
    }
    shape.shuffle = true;
    LyraElasticConstant constants[4];
    if (!def.constants && !def.law) {
        def.constant_count = choose_constants(def.model, constants);
        def.constants = constants;
        def.young = 1e5;
        def.poisson = 0.3;
    }
    LyraMesh *mesh = NULL;
    LyraForce *force = NULL;
    TEST_OK(lyra_mesh_generate(ctx, &shape, &mesh));
    bend_mesh(ctx, nx * ny * nz, shape.size, &mesh);
    TEST_OK(lyra_elastic_create(ctx, mesh, &def, &force));
    return make_body(ctx, mesh, force);
}

// all outputs, the tangent as it is or projected
static inline void evaluate_psd(Body *body, const double *x, bool psd, double *energy,
                                double *gradient)
{
    body->psd = psd;
    evaluate(body, x, energy, gradient, true);
    body->psd = false;
}

// ---- states -------------------------------------------------------------------------------------

typedef enum IsotropicState {
    SMALL,
    LARGE,     // 50 %
    ROTATED,   // 170 degrees
    RANDOM,    // every vertex on its own
    FLATTENED, // to a thickness of 2 %
    INVERTED,  // mirrored, not quite
    COLLAPSED, // to 1 % of its size
    ISOTROPIC_STATE_COUNT
} IsotropicState;

static const char *const isotropic_state_names[] = {"small",     "large",    "rotated",  "random",
                                                    "flattened", "inverted", "collapsed"};

static inline void set_isotropic_state(const Body *body, IsotropicState kind, TestRandom *random,
                                       double *x)
{
    double A[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, R[9], noise = 0.002;
    test_random_rotation(random, R);
    const double angle = 170 * acos(-1) / 180, c = cos(angle), s = sin(angle);
    const double turned[9] = {c, -s, 0, s, c, 0, 0, 0, 1.1};
    const double large[9] = {1.5, 0.2, 0, -0.1, 0.8, 0.1, 0, 0.3, 0.7};
    const double flat[3] = {1.1, 0.9, 0.02}, mirrored[3] = {1.1, 0.9, -0.6};
    switch (kind) {
    case SMALL:
        // below the bend of the resistance at J = 1
        for (int i = 0; i < 9; ++i) {
            A[i] *= 0.98;
        }
        noise = 2e-4;
        break;
    case LARGE:
        memcpy(A, large, sizeof A);
        break;
    case ROTATED:
        memcpy(A, turned, sizeof A);
        break;
    case RANDOM:
        noise = 0.04;
        break;
    case FLATTENED:
    case INVERTED:
        for (int i = 0; i < 9; ++i) {
            A[i] = R[i] * (kind == FLATTENED ? flat : mirrored)[i % 3];
        }
        break;
    default:
        for (int i = 0; i < 9; ++i) {
            A[i] = 0.01 * R[i];
        }
        noise = 1e-5;
    }
    for (int32_t i = 0; i < body->n; ++i) {
        for (int k = 0; k < 3; ++k) {
            x[3 * i + k] = noise * test_random_normal(random);
            for (int l = 0; l < 3; ++l) {
                x[3 * i + k] += A[3 * k + l] * body->rest[3 * i + l];
            }
        }
    }
}

#endif
