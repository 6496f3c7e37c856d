// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A body of tets or cubes with an elastic model, and states to put it in.

#ifndef LYRA_TEST_ISOTROPIC_BODY_H
#define LYRA_TEST_ISOTROPIC_BODY_H

#include "lyra/elastic.h"
#include "lyra/mesh_generate.h"
#include "lyra_test.h"

#include <stdlib.h>
#include <string.h>

// ---- a body -------------------------------------------------------------------------------------

typedef struct Body {
    LyraMesh *mesh;
    LyraForce *force;
    LyraAssembly *assembly;
    LyraBlockMatrix *K;
    int32_t n;    // vertices
    double *rest; // [n][3]
} Body;

static inline void end_body(Body *body)
{
    lyra_block_matrix_destroy(body->K);
    lyra_assembly_destroy(body->assembly);
    lyra_force_destroy(body->force);
    lyra_mesh_destroy(body->mesh);
    free(body->rest);
}

// constants that use all terms of a model
static inline int32_t choose_constants(LyraElasticModel model, LyraElasticConstant *constants)
{
    static const LyraElasticConstant yeoh[] = {{"c20", 2e3}, {"c30", 3e2}};
    static const LyraElasticConstant reduced[] = {{"c20", 2e3}, {"c40", 10}, {"c60", 0.1}};
    static const LyraElasticConstant ogden[] = {{"mu2", 2e3}, {"mu3", -4e3}};
    const LyraElasticConstant *from = model == LYRA_ELASTIC_YEOH                 ? yeoh
                                      : model == LYRA_ELASTIC_REDUCED_POLYNOMIAL ? reduced
                                      : model == LYRA_ELASTIC_OGDEN              ? ogden
                                                                                 : NULL;
    int32_t count = !from ? 0 : from == reduced ? 3 : 2;
    for (int32_t i = 0; i < count; ++i) {
        constants[i] = from[i];
    }
    return count;
}

static inline Body make_body(LyraContext *ctx, LyraElasticDef def, LyraElementKind kind, int32_t nx,
                             int32_t ny, int32_t nz)
{
    Body body = {0};
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    shape.kind = kind;
    int32_t cells[3] = {nx, ny, nz};
    for (int i = 0; i < 3; ++i) {
        shape.cells[i] = cells[i];
        shape.size[i] = 0.1 * cells[i];
    }
    shape.shuffle = true;
    LyraElasticConstant constants[4];
    if (!def.constants && !def.law) {
        def.constant_count = choose_constants(def.model, constants);
        def.constants = constants;
        def.young = 1e5;
        def.poisson = 0.3;
    }
    TEST_OK(lyra_mesh_generate(ctx, &shape, &body.mesh));
    LyraMeshView view = lyra_mesh_view(body.mesh);
    TEST_OK(lyra_elastic_create(ctx, body.mesh, &def, &body.force));
    TEST_OK(lyra_assembly_create(ctx, view.vertex_count, view.positions, 1, &body.force,
                                 &body.assembly));
    TEST_OK(lyra_block_matrix_create(lyra_assembly_pattern(body.assembly), &body.K));
    body.n = view.vertex_count;
    body.rest = malloc((size_t)body.n * 3 * sizeof *body.rest);
    memcpy(body.rest, view.positions, (size_t)body.n * 3 * sizeof *body.rest);
    return body;
}

static inline void evaluate(const Body *body, const double *x, bool psd, double *energy,
                            double *gradient)
{
    LyraEvaluation evaluation = {
        .x = x, .energy = energy, .gradient = gradient, .dfdx = body->K, .psd = psd};
    TEST_OK(lyra_assembly_evaluate(body->assembly, &evaluation));
}

static inline void energy_at(void *data, const double *x, double *f)
{
    LyraEvaluation evaluation = {.x = x, .energy = f};
    TEST_OK(lyra_assembly_evaluate(((Body *)data)->assembly, &evaluation));
}

static inline void gradient_at(void *data, const double *x, double *f)
{
    LyraEvaluation evaluation = {.x = x, .gradient = f};
    TEST_OK(lyra_assembly_evaluate(((Body *)data)->assembly, &evaluation));
}

// y = K d in the caller's order
static inline void apply_tangent(const Body *body, const double *d, double *y)
{
    const int32_t *order = lyra_assembly_order(body->assembly);
    double *inner = malloc((size_t)body->n * 6 * sizeof *inner), *result = inner + 3 * body->n;
    for (int32_t i = 0; i < body->n; ++i) {
        memcpy(inner + 3 * i, d + 3 * order[i], 3 * sizeof *d);
    }
    lyra_block_matrix_multiply(body->K, inner, result);
    for (int32_t i = 0; i < body->n; ++i) {
        memcpy(y + 3 * order[i], result + 3 * i, 3 * sizeof *y);
    }
    free(inner);
}

// ---- states -------------------------------------------------------------------------------------

typedef enum StateKind {
    SMALL,
    LARGE,     // 50 %
    ROTATED,   // 170 degrees
    RANDOM,    // every vertex on its own
    FLATTENED, // to a thickness of 2 %
    INVERTED,  // mirrored, not quite
    COLLAPSED, // to 1 % of its size
    STATE_COUNT
} StateKind;

static const char *const state_names[] = {"small",     "large",    "rotated",  "random",
                                          "flattened", "inverted", "collapsed"};

static inline void set_state(const Body *body, StateKind kind, TestRandom *random, double *x)
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
