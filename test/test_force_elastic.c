// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Elastic forces on tets: derivatives, physics, instruction sets, threads.

#include "lyra/elastic.h"
#include "lyra_test.h"

#include <stdlib.h>
#include <string.h>

// ---- a body -------------------------------------------------------------------------------------

typedef struct Body {
    LyraContext *ctx;
    LyraMesh *mesh;
    LyraForce *force;
    LyraAssembly *assembly;
    LyraBlockMatrix *K;
    int32_t n;    // vertices
    double *rest; // [n][3]
} Body;

// box of nx x ny x nz cells with 6 tets each, jittered, vertices renumbered at random
static LyraMesh *make_box(LyraContext *ctx, int32_t nx, int32_t ny, int32_t nz, uint64_t seed)
{
    TestRandom random = test_random(seed);
    int32_t n = (nx + 1) * (ny + 1) * (nz + 1), count = 0;
    int32_t *name = malloc((size_t)n * sizeof *name);
    double *x = malloc((size_t)n * 3 * sizeof *x);
    int32_t *tets = malloc((size_t)nx * (size_t)ny * (size_t)nz * 24 * sizeof *tets);
    for (int32_t i = 0; i < n; ++i) {
        int32_t j = test_random_below(&random, i + 1);
        name[i] = i;
        name[i] = name[j];
        name[j] = i;
    }
    for (int32_t i = 0; i < n; ++i) {
        double *p = x + 3 * name[i];
        p[0] = 0.1 * (i % (nx + 1)) + test_random_in(&random, -0.015, 0.015);
        p[1] = 0.1 * (i / (nx + 1) % (ny + 1)) + test_random_in(&random, -0.015, 0.015);
        p[2] = 0.1 * (i / (nx + 1) / (ny + 1)) + test_random_in(&random, -0.015, 0.015);
    }
    // six paths from corner 0 to corner 7 of a cell, one axis at a time; odd ones swap two vertices
    static const int32_t axes[6][3] = {{1, 2, 4}, {2, 4, 1}, {4, 1, 2},
                                       {1, 4, 2}, {4, 2, 1}, {2, 1, 4}};
    for (int32_t c = 0; c < nx * ny * nz; ++c) {
        int32_t cell[3] = {c % nx, c / nx % ny, c / nx / ny};
        for (int32_t k = 0; k < 6; ++k) {
            int32_t corners[4] = {0, axes[k][0], axes[k][0] | axes[k][1], 7};
            for (int32_t a = 0; a < 4; ++a) {
                int32_t at = k >= 3 && (a == 1 || a == 2) ? corners[3 - a] : corners[a];
                int32_t i = cell[0] + (at & 1), j = cell[1] + (at >> 1 & 1),
                        l = cell[2] + (at >> 2);
                tets[count++] = name[i + (nx + 1) * (j + (ny + 1) * l)];
            }
        }
    }
    LyraMeshMaterial materials[2] = {lyra_mesh_material_default(), lyra_mesh_material_default()};
    materials[0].enu = (LyraMaterialEnu){.young = 2e5, .poisson = 0.3};
    materials[1].enu = (LyraMaterialEnu){.young = 3e4, .poisson = 0.45};
    int32_t some[3] = {0, 2, 5};
    LyraMeshSet set = {.name = "some", .elements = some, .count = 3};
    LyraMeshRegion region = {.material = 0, .set = 0};
    LyraMeshView data = {
        .kind = LYRA_ELEMENT_TET4,
        .vertex_count = n,
        .element_count = count / 4,
        .positions = x,
        .elements = tets,
        .material_count = 2,
        .materials = materials,
        .set_count = 1,
        .sets = &set,
        .region_count = 1,
        .regions = &region,
    };
    LyraMesh *mesh = NULL;
    TEST_OK(lyra_mesh_create(ctx, &data, &mesh));
    free(name);
    free(x);
    free(tets);
    return mesh;
}

static Body make_body(LyraContext *ctx, LyraElasticModel model, int32_t nx, int32_t ny, int32_t nz)
{
    Body body = {.ctx = ctx, .mesh = make_box(ctx, nx, ny, nz, 7)};
    LyraMeshView view = lyra_mesh_view(body.mesh);
    LyraElasticDef def = lyra_elastic_def_default();
    def.model = model;
    TEST_OK(lyra_elastic_create(ctx, body.mesh, &def, &body.force));
    TEST_OK(lyra_assembly_create(ctx, view.vertex_count, view.positions, 1, &body.force,
                                 &body.assembly));
    TEST_OK(lyra_block_matrix_create(lyra_assembly_pattern(body.assembly), &body.K));
    body.n = view.vertex_count;
    body.rest = malloc((size_t)body.n * 3 * sizeof *body.rest);
    memcpy(body.rest, view.positions, (size_t)body.n * 3 * sizeof *body.rest);
    return body;
}

static void end_body(Body *body)
{
    lyra_block_matrix_destroy(body->K);
    lyra_assembly_destroy(body->assembly);
    lyra_force_destroy(body->force);
    lyra_mesh_destroy(body->mesh);
    free(body->rest);
}

// kinds of states
typedef enum StateKind { SMALL, LARGE, ROTATED, STATE_COUNT } StateKind;

static void set_state(const Body *body, StateKind kind, TestRandom *random, double *x)
{
    double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (kind == ROTATED) {
        test_random_rotation(random, R);
    }
    double size = kind == SMALL ? 1e-3 : 0.012;
    for (int32_t i = 0; i < body->n; ++i) {
        for (int c = 0; c < 3; ++c) {
            x[3 * i + c] = size * test_random_normal(random);
            for (int k = 0; k < 3; ++k) {
                x[3 * i + c] += (kind == LARGE ? 1.3 : 1) * R[3 * c + k] * body->rest[3 * i + k];
            }
        }
    }
}

// ---- derivatives --------------------------------------------------------------------------------

static void energy_at(void *data, const double *x, double *f)
{
    Body *body = data;
    LyraEvaluation evaluation = {.x = x, .energy = f};
    TEST_OK(lyra_assembly_evaluate(body->assembly, &evaluation));
}

static void gradient_at(void *data, const double *x, double *f)
{
    Body *body = data;
    LyraEvaluation evaluation = {.x = x, .gradient = f};
    TEST_OK(lyra_assembly_evaluate(body->assembly, &evaluation));
}

// y = K d in the caller's order
static void apply_tangent(const Body *body, const double *d, double *y)
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

static void check_derivatives(Body *body, const double *x, TestRandom *random, const char *what)
{
    int32_t dofs = 3 * body->n;
    double *d = malloc((size_t)dofs * 3 * sizeof *d), *g = d + dofs, *Kd = g + dofs;
    for (int32_t i = 0; i < dofs; ++i) {
        d[i] = 0.1 * test_random_normal(random);
    }
    double energy;
    LyraEvaluation evaluation = {.x = x, .energy = &energy, .gradient = g, .dfdx = body->K};
    TEST_OK(lyra_assembly_evaluate(body->assembly, &evaluation));
    double slope = 0;
    for (int32_t i = 0; i < dofs; ++i) {
        slope += g[i] * d[i];
    }
    char text[128];
    snprintf(text, sizeof text, "%s, force", what);
    test_check_difference(test_difference(energy_at, body, dofs, 1, x, d, &slope, 0.01), 1e-7,
                          text);
    apply_tangent(body, d, Kd);
    snprintf(text, sizeof text, "%s, tangent", what);
    test_check_difference(test_difference(gradient_at, body, dofs, dofs, x, d, Kd, 0.01), 1e-7,
                          text);
    free(d);
}

LYRA_TEST(elastic_derivatives_match_differences)
{
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        for (int model = 0; model < LYRA_ELASTIC_MODEL_COUNT; ++model) {
            LyraContext *ctx = test_context(1, isa);
            Body body = make_body(ctx, (LyraElasticModel)model, 3, 2, 2);
            TestRandom random = test_random(3);
            double *x = malloc((size_t)body.n * 3 * sizeof *x);
            for (int kind = 0; kind < STATE_COUNT; ++kind) {
                char what[100];
                snprintf(what, sizeof what, "%s, %s, state %d",
                         lyra_elastic_model_name((LyraElasticModel)model), lyra_isa_name(isa),
                         kind);
                set_state(&body, (StateKind)kind, &random, x);
                check_derivatives(&body, x, &random, what);
            }
            free(x);
            end_body(&body);
            test_context_end(ctx);
        }
    }
}

// ---- physics ------------------------------------------------------------------------------------

LYRA_TEST(elastic_rest_and_rigid_motion_give_no_force)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int model = 0; model < LYRA_ELASTIC_MODEL_COUNT; ++model) {
        Body body = make_body(ctx, (LyraElasticModel)model, 3, 3, 2);
        TestRandom random = test_random(5);
        double R[9], *x = malloc((size_t)body.n * 6 * sizeof *x), *g = x + 3 * body.n;
        test_random_rotation(&random, R);
        bool rotates = model != LYRA_ELASTIC_LINEAR;
        for (int32_t i = 0; i < body.n; ++i) {
            for (int c = 0; c < 3; ++c) {
                x[3 * i + c] = 0.3 * c + (rotates ? 0 : body.rest[3 * i + c]);
                for (int k = 0; rotates && k < 3; ++k) {
                    x[3 * i + c] += R[3 * c + k] * body.rest[3 * i + k];
                }
            }
        }
        double energy;
        LyraEvaluation evaluation = {.x = x, .energy = &energy, .gradient = g};
        TEST_OK(lyra_assembly_evaluate(body.assembly, &evaluation));
        // stiffness 2e5 Pa x faces of 1e-2 m^2, rounding 1e-15
        for (int32_t i = 0; i < 3 * body.n; ++i) {
            TEST_NEAR(g[i], 0, 1e-10);
        }
        TEST_NEAR(energy, 0, 1e-12);
        free(x);
        end_body(&body);
    }
    test_context_end(ctx);
}

LYRA_TEST(elastic_net_force_and_torque_vanish)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int model = 0; model < LYRA_ELASTIC_MODEL_COUNT; ++model) {
        Body body = make_body(ctx, (LyraElasticModel)model, 3, 3, 2);
        TestRandom random = test_random(5);
        double *x = malloc((size_t)body.n * 6 * sizeof *x), *g = x + 3 * body.n;
        set_state(&body, LARGE, &random, x);
        LyraEvaluation evaluation = {.x = x, .gradient = g};
        TEST_OK(lyra_assembly_evaluate(body.assembly, &evaluation));
        double force[3] = {0}, torque[3] = {0}, size = 0;
        // linear elasticity balances torque about the rest positions
        const double *arms = model == LYRA_ELASTIC_LINEAR ? body.rest : x;
        for (int32_t i = 0; i < body.n; ++i) {
            for (int c = 0; c < 3; ++c) {
                int c1 = (c + 1) % 3, c2 = (c + 2) % 3;
                force[c] += g[3 * i + c];
                torque[c] += arms[3 * i + c1] * g[3 * i + c2] - arms[3 * i + c2] * g[3 * i + c1];
                size += fabs(g[3 * i + c]);
            }
        }
        TEST_CHECK(size > 1);
        for (int c = 0; c < 3; ++c) {
            TEST_NEAR(force[c], 0, 1e-13 * size);
            TEST_NEAR(torque[c], 0, 1e-13 * size);
        }
        free(x);
        end_body(&body);
    }
    test_context_end(ctx);
}

// stress of a homogeneous state against the closed form in the principal stretches
LYRA_TEST(elastic_energy_of_a_single_tet_matches_the_closed_form)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, s[3] = {1.2, 0.9, 1.1};
    const int32_t tet[4] = {0, 1, 2, 3};
    LyraMeshMaterial material = lyra_mesh_material_default();
    material.enu = (LyraMaterialEnu){.young = 1, .poisson = 0.3};
    LyraMeshView data = {.kind = LYRA_ELEMENT_TET4,
                         .vertex_count = 4,
                         .element_count = 1,
                         .positions = x,
                         .elements = tet,
                         .material_count = 1,
                         .materials = &material};
    LyraMesh *mesh = NULL;
    TEST_REQUIRE_OK(lyra_mesh_create(ctx, &data, &mesh));
    double lambda = 0.3 / (1.3 * 0.4), mu = 1 / 2.6, J = s[0] * s[1] * s[2], I = 0, II = 0;
    double trace = 0, square = 0, y[12];
    for (int c = 0; c < 3; ++c) {
        I += s[c] * s[c];
        II += s[c] * s[c] * s[c] * s[c];
        trace += s[c] - 1;
        square += (s[c] - 1) * (s[c] - 1);
    }
    double expected[3] = {
        [LYRA_ELASTIC_LINEAR] = lambda / 2 * trace * trace + mu * square,
        [LYRA_ELASTIC_STVK] = lambda / 8 * (I - 3) * (I - 3) + mu / 4 * (II - 2 * I + 3),
        [LYRA_ELASTIC_NEO_HOOKEAN] = mu / 2 * (I - 3) - mu * log(J) + lambda / 2 * log(J) * log(J),
    };
    for (int i = 0; i < 12; ++i) {
        y[i] = s[i % 3] * x[i];
    }
    for (int model = 0; model < 3; ++model) {
        LyraElasticDef def = lyra_elastic_def_default();
        def.model = (LyraElasticModel)model;
        LyraForce *force = NULL;
        LyraAssembly *assembly = NULL;
        TEST_REQUIRE_OK(lyra_elastic_create(ctx, mesh, &def, &force));
        TEST_REQUIRE_OK(lyra_assembly_create(ctx, 4, x, 1, &force, &assembly));
        double energy;
        LyraEvaluation evaluation = {.x = y, .energy = &energy};
        TEST_OK(lyra_assembly_evaluate(assembly, &evaluation));
        TEST_NEAR(energy, expected[model] / 6, 1e-16);
        lyra_assembly_destroy(assembly);
        lyra_force_destroy(force);
    }
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

// ---- twins, threads, memory ---------------------------------------------------------------------

LYRA_TEST(elastic_instruction_sets_agree)
{
    for (int model = 0; model < LYRA_ELASTIC_MODEL_COUNT; ++model) {
        double *reference = NULL;
        for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
            LyraContext *ctx = test_context(1, isa);
            // 5 x 3 x 3 cells: batches with a tail
            Body body = make_body(ctx, (LyraElasticModel)model, 5, 3, 3);
            TestRandom random = test_random(3);
            int32_t dofs = 3 * body.n;
            double *x = malloc((size_t)dofs * 3 * sizeof *x), *g = x + dofs, *Kg = g + dofs;
            set_state(&body, LARGE, &random, x);
            LyraEvaluation evaluation = {.x = x, .gradient = g, .dfdx = body.K};
            TEST_OK(lyra_assembly_evaluate(body.assembly, &evaluation));
            apply_tangent(&body, body.rest, Kg);
            if (!reference) {
                reference = malloc((size_t)dofs * 2 * sizeof *reference);
                memcpy(reference, g, (size_t)dofs * 2 * sizeof *reference);
            }
            double size = 0, apart = 0;
            for (int32_t i = 0; i < 2 * dofs; ++i) {
                size = fmax(size, fabs(reference[i]));
                apart = fmax(apart, fabs(g[i] - reference[i]));
            }
            TEST_NEAR(apart, 0, 1e-13 * size);
            free(x);
            end_body(&body);
            test_context_end(ctx);
        }
        free(reference);
    }
}

#define BIG 22

static void evaluate_big(LyraContext *ctx, void *data, void *out)
{
    Body body = make_body(ctx, *(LyraElasticModel *)data, BIG, BIG, BIG);
    TestRandom random = test_random(3);
    int32_t dofs = 3 * body.n;
    double *x = malloc((size_t)dofs * sizeof *x), *result = out;
    set_state(&body, LARGE, &random, x);
    LyraEvaluation evaluation = {.x = x, .energy = result, .gradient = result + 1, .dfdx = body.K};
    TEST_OK(lyra_assembly_evaluate(body.assembly, &evaluation));
    apply_tangent(&body, body.rest, result + 1 + dofs);
    free(x);
    end_body(&body);
}

LYRA_TEST(elastic_bits_do_not_depend_on_threads)
{
    LyraElasticModel model = LYRA_ELASTIC_NEO_HOOKEAN;
    size_t vertices = (BIG + 1) * (BIG + 1) * (BIG + 1);
    test_same_bits(evaluate_big, &model, (1 + 6 * vertices) * sizeof(double));
}

LYRA_TEST(elastic_evaluation_allocates_nothing)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    Body body = make_body(ctx, LYRA_ELASTIC_STVK, 12, 12, 12);
    double energy, *g = malloc((size_t)body.n * 3 * sizeof *g);
    LyraEvaluation evaluation = {.x = body.rest, .energy = &energy, .gradient = g, .dfdx = body.K};
    TEST_OK(lyra_assembly_evaluate(body.assembly, &evaluation));
    int64_t before = test_allocation_count();
    TEST_OK(lyra_assembly_evaluate(body.assembly, &evaluation));
    TEST_EQUAL(test_allocation_count(), before);
    free(g);
    end_body(&body);
    test_context_end(ctx);
}

static LyraStatus build_all(LyraContext *ctx, void *data)
{
    const LyraMeshView *view = data;
    LyraMesh *mesh = NULL;
    LyraForce *force = NULL;
    LyraAssembly *assembly = NULL;
    LyraElasticDef def = lyra_elastic_def_default();
    LyraStatus status = lyra_mesh_create(ctx, view, &mesh);
    status = status == LYRA_OK ? lyra_elastic_create(ctx, mesh, &def, &force) : status;
    status = status == LYRA_OK ? lyra_assembly_create(ctx, view->vertex_count, view->positions, 1,
                                                      &force, &assembly)
                               : status;
    lyra_assembly_destroy(assembly);
    lyra_force_destroy(force);
    lyra_mesh_destroy(mesh);
    return status;
}

LYRA_TEST(elastic_allocation_failures_leak_nothing)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = make_box(ctx, 2, 1, 1, 1);
    LyraMeshView view = lyra_mesh_view(mesh);
    test_fail_each_allocation(build_all, &view);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(elastic_parameters_change_while_running)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = make_body(ctx, LYRA_ELASTIC_NEO_HOOKEAN, 3, 3, 3);
    int32_t elements = lyra_mesh_view(body.mesh).element_count;
    double *zero = calloc((size_t)elements, sizeof *zero), energy[3];
    double *x = malloc((size_t)body.n * 3 * sizeof *x);
    TestRandom random = test_random(9);
    set_state(&body, LARGE, &random, x);
    energy_at(&body, x, &energy[0]);
    TEST_OK(lyra_assembly_set_parameter(body.assembly, 0, LYRA_ELASTIC_LAMBDA, zero));
    energy_at(&body, x, &energy[1]);
    TEST_OK(lyra_assembly_set_parameter(body.assembly, 0, LYRA_ELASTIC_MU, zero));
    energy_at(&body, x, &energy[2]);
    TEST_CHECK(energy[0] > energy[1] && energy[1] > 0 && energy[2] == 0);
    TEST_STATUS(lyra_assembly_set_parameter(body.assembly, 0, 3, zero), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_assembly_set_parameter(body.assembly, 1, 0, zero), LYRA_INVALID_ARGUMENT);
    zero[5] = NAN;
    TEST_STATUS(lyra_assembly_set_parameter(body.assembly, 0, 0, zero), LYRA_NOT_FINITE);
    free(zero);
    free(x);
    end_body(&body);
    test_context_end(ctx);
}

LYRA_TEST(elastic_bad_rest_elements_are_named)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double x[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0};
    int32_t tets[8] = {0, 1, 2, 3, 0, 2, 1, 3};
    LyraMeshView data = {.kind = LYRA_ELEMENT_TET4,
                         .vertex_count = 5,
                         .element_count = 2,
                         .positions = x,
                         .elements = tets};
    LyraElasticDef def = lyra_elastic_def_default();
    for (int round = 0; round < 2; ++round) {
        LyraMesh *mesh = NULL;
        LyraForce *force = NULL;
        TEST_REQUIRE_OK(lyra_mesh_create(ctx, &data, &mesh));
        TEST_STATUS(lyra_elastic_create(ctx, mesh, &def, &force), LYRA_BAD_MESH);
        TEST_CONTAINS(lyra_error_message(),
                      round ? "element 1 has zero" : "element 1 has negative");
        lyra_mesh_destroy(mesh);
        // four points of a plane
        tets[7] = 4;
    }
    test_context_end(ctx);
}

LYRA_TEST(elastic_model_names_are_found)
{
    LyraElasticModel model;
    TEST_OK(lyra_elastic_model_find("stvk", &model));
    TEST_EQUAL(model, LYRA_ELASTIC_STVK);
    TEST_STATUS(lyra_elastic_model_find("rubber", &model), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "linear, stvk, neo-hookean");
}
