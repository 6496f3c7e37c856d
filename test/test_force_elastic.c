// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Elastic forces on tets: derivatives, physics, instruction sets, threads.

#include "force_bodies.h"
#include "lyra/elastic.h"

// ---- a body -------------------------------------------------------------------------------------

// jittered tets of two materials
static LyraMesh *make_tets(LyraContext *ctx, int32_t nx, int32_t ny, int32_t nz)
{
    LyraMeshMaterial materials[2] = {enu_material(2e5, 0.3), enu_material(3e4, 0.45)};
    return make_box(ctx, LYRA_ELEMENT_TET4, nx, ny, nz, 2, materials);
}

static Body make_elastic(LyraContext *ctx, LyraMaterialLaw model, int32_t nx, int32_t ny,
                         int32_t nz)
{
    LyraMesh *mesh = make_tets(ctx, nx, ny, nz);
    LyraElasticDef def = lyra_elastic_def_default();
    LyraForce *force = NULL;
    def.model = model;
    TEST_OK(lyra_elastic_create(ctx, mesh, &def, &force));
    return make_body(ctx, mesh, force);
}

// uniform growth by 1.3 where large
static void set_elastic_state(const Body *body, StateKind kind, TestRandom *random, double *x)
{
    double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (kind == STATE_ROTATED) {
        test_random_rotation(random, R);
    }
    double size = kind == STATE_SMALL ? 1e-3 : 0.012;
    for (int32_t i = 0; i < body->n; ++i) {
        for (int c = 0; c < 3; ++c) {
            x[3 * i + c] = size * test_random_normal(random);
            for (int k = 0; k < 3; ++k) {
                x[3 * i + c] +=
                    (kind == STATE_LARGE ? 1.3 : 1) * R[3 * c + k] * body->rest[3 * i + k];
            }
        }
    }
}

// ---- derivatives --------------------------------------------------------------------------------

LYRA_TEST(elastic_derivatives_match_differences)
{
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        for (int model = 0; model < LYRA_MATERIAL_LAW_COUNT; ++model) {
            LyraContext *ctx = test_context(1, isa);
            Body body = make_elastic(ctx, (LyraMaterialLaw)model, 3, 2, 2);
            // of seed 3, the first direction is normal to the forces: a slope of nothing but
            // rounding
            TestRandom random = test_random(4);
            double *x = malloc((size_t)body.n * 3 * sizeof *x);
            for (int kind = 0; kind <= STATE_ROTATED; ++kind) {
                char what[100];
                snprintf(what, sizeof what, "%s, %s, state %d",
                         lyra_material_law_name((LyraMaterialLaw)model), lyra_isa_name(isa), kind);
                set_elastic_state(&body, (StateKind)kind, &random, x);
                check_derivatives_within(&body, x, 1, 0.01, 1e-7, &random, true, what);
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
    for (int model = 0; model < LYRA_MATERIAL_LAW_COUNT; ++model) {
        Body body = make_elastic(ctx, (LyraMaterialLaw)model, 3, 3, 2);
        TestRandom random = test_random(5);
        double R[9], *x = malloc((size_t)body.n * 6 * sizeof *x), *g = x + 3 * body.n;
        test_random_rotation(&random, R);
        for (int32_t i = 0; i < body.n; ++i) {
            for (int c = 0; c < 3; ++c) {
                x[3 * i + c] = 0.3 * c;
                for (int k = 0; k < 3; ++k) {
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
    for (int model = 0; model < LYRA_MATERIAL_LAW_COUNT; ++model) {
        Body body = make_elastic(ctx, (LyraMaterialLaw)model, 3, 3, 2);
        TestRandom random = test_random(5);
        double *x = malloc((size_t)body.n * 6 * sizeof *x), *g = x + 3 * body.n;
        set_elastic_state(&body, STATE_LARGE, &random, x);
        LyraEvaluation evaluation = {.x = x, .gradient = g};
        TEST_OK(lyra_assembly_evaluate(body.assembly, &evaluation));
        double force, torque, size = 0;
        for (int32_t i = 0; i < 3 * body.n; ++i) {
            size += fabs(g[i]);
        }
        TEST_CHECK(size > 1);
        net_force(body.n, g, x, &force, &torque);
        TEST_NEAR(force, 0, 1e-13);
        TEST_NEAR(torque, 0, 1e-13);
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
    double y[12];
    for (int c = 0; c < 3; ++c) {
        I += s[c] * s[c];
        II += s[c] * s[c] * s[c] * s[c];
    }
    double expected[2] = {
        [LYRA_MATERIAL_STVK] = lambda / 8 * (I - 3) * (I - 3) + mu / 4 * (II - 2 * I + 3),
        [LYRA_MATERIAL_NEO_HOOKEAN] = mu / 2 * (I - 3) - mu * log(J) + lambda / 2 * log(J) * log(J),
    };
    for (int i = 0; i < 12; ++i) {
        y[i] = s[i % 3] * x[i];
    }
    for (int model = 0; model < 2; ++model) {
        LyraElasticDef def = lyra_elastic_def_default();
        def.model = (LyraMaterialLaw)model;
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
    for (int model = 0; model < LYRA_MATERIAL_LAW_COUNT; ++model) {
        double *reference = NULL;
        for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
            LyraContext *ctx = test_context(1, isa);
            // 5 x 3 x 3 cells: batches with a tail
            Body body = make_elastic(ctx, (LyraMaterialLaw)model, 5, 3, 3);
            TestRandom random = test_random(3);
            int32_t dofs = 3 * body.n;
            double *x = malloc((size_t)dofs * 3 * sizeof *x), *g = x + dofs, *Kg = g + dofs;
            set_elastic_state(&body, STATE_LARGE, &random, x);
            LyraEvaluation evaluation = {.x = x, .gradient = g, .dfdx = body.K};
            TEST_OK(lyra_assembly_evaluate(body.assembly, &evaluation));
            apply_tangent(&body, body.rest, Kg);
            if (!reference) {
                reference = malloc((size_t)dofs * 2 * sizeof *reference);
                memcpy(reference, g, (size_t)dofs * 2 * sizeof *reference);
            }
            TEST_NEAR(apart(2 * dofs, g, reference), 0, 1e-13);
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
    Body body = make_elastic(ctx, *(LyraMaterialLaw *)data, BIG, BIG, BIG);
    TestRandom random = test_random(3);
    int32_t dofs = 3 * body.n;
    double *x = malloc((size_t)dofs * sizeof *x), *result = out;
    set_elastic_state(&body, STATE_LARGE, &random, x);
    LyraEvaluation evaluation = {.x = x, .energy = result, .gradient = result + 1, .dfdx = body.K};
    TEST_OK(lyra_assembly_evaluate(body.assembly, &evaluation));
    apply_tangent(&body, body.rest, result + 1 + dofs);
    free(x);
    end_body(&body);
}

LYRA_TEST(elastic_bits_do_not_depend_on_threads)
{
    LyraMaterialLaw model = LYRA_MATERIAL_NEO_HOOKEAN;
    size_t vertices = (BIG + 1) * (BIG + 1) * (BIG + 1);
    test_same_bits(evaluate_big, &model, (1 + 6 * vertices) * sizeof(double));
}

LYRA_TEST(elastic_evaluation_allocates_nothing)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    Body body = make_elastic(ctx, LYRA_MATERIAL_STVK, 12, 12, 12);
    double energy, *g = malloc((size_t)body.n * 3 * sizeof *g);
    LyraEvaluation evaluation = {.x = body.rest, .energy = &energy, .gradient = g, .dfdx = body.K};
    check_allocates_nothing(body.assembly, &evaluation);
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
    LyraMesh *mesh = make_tets(ctx, 2, 1, 1);
    LyraMeshView view = lyra_mesh_view(mesh);
    test_fail_each_allocation(build_all, &view);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(elastic_parameters_change_while_running)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = make_elastic(ctx, LYRA_MATERIAL_NEO_HOOKEAN, 3, 3, 3);
    int32_t elements = lyra_mesh_view(body.mesh).element_count;
    double *zero = calloc((size_t)elements, sizeof *zero), energy[3];
    double *x = malloc((size_t)body.n * 3 * sizeof *x);
    TestRandom random = test_random(9);
    set_elastic_state(&body, STATE_LARGE, &random, x);
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
    LyraMaterialLaw model;
    TEST_OK(lyra_material_law_find("stvk", &model));
    TEST_EQUAL(model, LYRA_MATERIAL_STVK);
    TEST_STATUS(lyra_material_law_find("rubber", &model), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "stvk, neo-hookean, mooney-rivlin");
}
