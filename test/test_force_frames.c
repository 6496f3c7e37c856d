// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Corotational forces: kept frames, bad input, instruction sets, threads, memory.

#include "force_bodies.h"
#include "lyra/corotational.h"

#define EXACT LYRA_COROTATIONAL_EXACT

static Body make_case(LyraContext *ctx, LyraElementKind element, bool orthotropic,
                      LyraCorotationalModel model, int32_t n, int32_t frame_steps)
{
    LyraMeshMaterial materials[2] = {enu_material(2e5, 0.3), enu_material(3e4, 0.45)};
    if (orthotropic) {
        materials[0] = orthotropic_material();
    }
    LyraMesh *mesh = make_box(ctx, element, n + 1, n, n, 2, materials);
    LyraCorotationalDef def = lyra_corotational_def_default();
    def.model = model;
    def.frame_steps = frame_steps;
    LyraForce *force = NULL;
    TEST_OK(lyra_corotational_create(ctx, mesh, &def, &force));
    return make_body(ctx, mesh, force);
}

// ---- kept frames --------------------------------------------------------------------------------

// frames of 3 steps: step 1 renews, 2 and 3 keep, 4 renews
LYRA_TEST(frames_are_kept_and_renewed)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int k = 0; k < 4; ++k) {
        LyraElementKind element = k % 2 ? LYRA_ELEMENT_CUBE8 : LYRA_ELEMENT_TET4;
        Body kept = make_case(ctx, element, k / 2, EXACT, 2, 3);
        Body fresh = make_case(ctx, element, k / 2, EXACT, 2, 1);
        TestRandom random = test_random(3);
        size_t size = (size_t)lyra_assembly_history_size(kept.assembly);
        TEST_CHECK(size > 0 && lyra_assembly_history_size(fresh.assembly) == 0);
        int32_t dofs = 3 * kept.n;
        double *x = malloc((size_t)dofs * 5 * sizeof *x), *g = x + dofs, *h = g + dofs;
        double *Kd = h + dofs, *Ld = Kd + dofs, *trial = malloc(size * sizeof *trial);
        for (int step = 1; step <= 4; ++step) {
            bool renews = step == 1 || step == 4;
            set_state(&kept, STATE_LARGE, &random, x);
            // also turned, differently in every step
            double R[9];
            rotation_by(&random, 0.4 * step, R);
            memcpy(g, x, (size_t)dofs * sizeof *g);
            for (int32_t i = 0; i < dofs; ++i) {
                x[i] = 0;
                for (int c = 0; c < 3; ++c) {
                    x[i] += R[3 * (i % 3) + c] * g[i - i % 3 + c];
                }
            }
            evaluate(&kept, x, NULL, g, true);
            evaluate(&fresh, x, NULL, h, true);
            apply_tangent(&kept, kept.rest, Kd);
            apply_tangent(&fresh, kept.rest, Ld);
            if (renews) {
                TEST_NEAR(apart(dofs, g, h), 0, 1e-12);
                TEST_NEAR(apart(dofs, Kd, Ld), 0, 1e-12);
            } else {
                TEST_CHECK(apart(dofs, g, h) > 1e-3);
            }
            // the tangent is the derivative either way; kept frames have an energy too
            char what[64];
            snprintf(what, sizeof what, "kept frames %d, step %d", k, step);
            check_derivatives(&kept, x, 0.3, &random, !renews || k == 0, what);
            LyraEvaluation evaluation = {
                .x = x, .history = kept.history, .trial_history = trial, .gradient = g};
            TEST_OK(lyra_assembly_evaluate(kept.assembly, &evaluation));
            memcpy(kept.history, trial, size * sizeof *trial);
        }
        free(x);
        free(trial);
        end_body(&kept);
        end_body(&fresh);
    }
    test_context_end(ctx);
}

// ---- bad input ----------------------------------------------------------------------------------

LYRA_TEST(corotational_bad_rest_elements_are_named)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraCorotationalDef def = lyra_corotational_def_default();
    const double x[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0};
    int32_t tets[8] = {0, 1, 2, 3, 0, 2, 1, 3};
    double corners[24] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
    int32_t cube[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    LyraMeshView data[2] = {{.kind = LYRA_ELEMENT_TET4,
                             .vertex_count = 5,
                             .element_count = 2,
                             .positions = x,
                             .elements = tets},
                            {.kind = LYRA_ELEMENT_CUBE8,
                             .vertex_count = 8,
                             .element_count = 1,
                             .positions = corners,
                             .elements = cube}};
    static const char *const messages[5] = {"element 1 has negative", "element 1 has zero",
                                            "element 0 is no axis-aligned box",
                                            "element 0 has zero", "element 0 has negative"};
    for (int round = 0; round < 5; ++round) {
        LyraMesh *mesh = NULL;
        LyraForce *force = NULL;
        if (round == 1) {
            tets[7] = 4; // four points of a plane
        } else if (round == 2) {
            corners[18] = 1.1;
        }
        for (int a = 4; a < 8 && round >= 3; ++a) {
            corners[18] = 1;
            corners[3 * a + 2] = round == 3 ? 0 : -1;
        }
        TEST_REQUIRE_OK(lyra_mesh_create(ctx, &data[round >= 2], &mesh));
        TEST_STATUS(lyra_corotational_create(ctx, mesh, &def, &force), LYRA_BAD_MESH);
        TEST_CONTAINS(lyra_error_message(), messages[round]);
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}

LYRA_TEST(corotational_bad_constants_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraCorotationalDef def = lyra_corotational_def_default();
    static const char *const messages[] = {"\"wood\" needs E2 > 0, found -1",
                                           "\"wood\" needs G23 > 0, found 0",
                                           "needs nu12^2 < E1 / E2, found nu12 = 1.8",
                                           "2 nu21 nu32 nu13 = ",
                                           "axes that are no rotation",
                                           "axes that are no rotation",
                                           "needs E > 0 and -1 < nu < 0.5",
                                           "neither ENU nor orthotropic"};
    for (int round = 0; round < 8; ++round) {
        LyraMeshMaterial m = orthotropic_material();
        if (round == 0) {
            m.orthotropic.young[1] = -1;
        } else if (round == 1) {
            m.orthotropic.shear[1] = 0;
        } else if (round == 2) {
            m.orthotropic.poisson[0] = 1.8;
        } else if (round == 3) {
            for (int i = 0; i < 3; ++i) {
                m.orthotropic.young[i] = 1;
                m.orthotropic.poisson[i] = 0.6;
            }
        } else if (round == 4) {
            m.orthotropic.axes[0] = 2;
        } else if (round == 5) {
            for (int i = 0; i < 9; ++i) {
                m.orthotropic.axes[i] *= -1;
            }
        } else if (round == 6) {
            m = enu_material(1, 0.5);
        } else {
            m.kind = LYRA_MESH_MATERIAL_MOONEY_RIVLIN;
        }
        LyraMesh *mesh = make_single(ctx, LYRA_ELEMENT_TET4, &m);
        LyraForce *force = NULL;
        TEST_STATUS(lyra_corotational_create(ctx, mesh, &def, &force),
                    round == 7 ? LYRA_UNSUPPORTED : LYRA_INVALID_ARGUMENT);
        TEST_CONTAINS(lyra_error_message(), messages[round]);
        lyra_mesh_destroy(mesh);
    }
    LyraMeshMaterial fine = enu_material(1, 0.3);
    LyraMesh *mesh = make_single(ctx, LYRA_ELEMENT_CUBE8, &fine);
    LyraForce *force = NULL;
    def.frame_steps = 0;
    TEST_STATUS(lyra_corotational_create(ctx, mesh, &def, &force), LYRA_INVALID_ARGUMENT);
    def = lyra_corotational_def_default();
    def.model = LYRA_COROTATIONAL_MODEL_COUNT;
    TEST_STATUS(lyra_corotational_create(ctx, mesh, &def, &force), LYRA_INVALID_ARGUMENT);
    def = (LyraCorotationalDef){0};
    TEST_STATUS(lyra_corotational_create(ctx, mesh, &def, &force), LYRA_INVALID_ARGUMENT);
    def = lyra_corotational_def_default();
    def.young = -1;
    TEST_STATUS(lyra_corotational_create(ctx, mesh, &def, &force), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "needs E > 0 and -1 < nu < 0.5, found E = -1, nu = 0.45");
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

// constants of the settings overrule the materials of the mesh, of any kind
LYRA_TEST(corotational_constants_of_the_settings)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMeshMaterial materials[2] = {orthotropic_material(), enu_material(7, 0.3)};
    double energy[2];
    for (int way = 0; way < 2; ++way) {
        LyraMesh *mesh = make_single(ctx, LYRA_ELEMENT_CUBE8, &materials[way]);
        LyraCorotationalDef def = lyra_corotational_def_default();
        def.young = way ? 0 : 7;
        def.poisson = 0.3;
        LyraForce *force = NULL;
        TEST_OK(lyra_corotational_create(ctx, mesh, &def, &force));
        Body body = make_body(ctx, mesh, force);
        TestRandom random = test_random(1);
        double x[24];
        set_state(&body, STATE_LARGE, &random, x);
        evaluate(&body, x, &energy[way], NULL, false);
        end_body(&body);
    }
    TEST_CHECK(energy[0] == energy[1] && energy[0] > 0);
    test_context_end(ctx);
}

// ---- twins, threads, memory ---------------------------------------------------------------------

static Body make_numbered(LyraContext *ctx, const void *data)
{
    int k = *(const int *)data;
    LyraElementKind element = k % 2 ? LYRA_ELEMENT_CUBE8 : LYRA_ELEMENT_TET4;
    return make_case(ctx, element, k / 2 % 2, (LyraCorotationalModel)(k / 4), 3, 1);
}

LYRA_TEST(corotational_instruction_sets_agree)
{
    for (int k = 0; k < 12; ++k) {
        check_instruction_sets(make_numbered, &k, 1e-12);
    }
}

#define BIG 14

static void evaluate_big(LyraContext *ctx, void *data, void *out)
{
    int k = *(int *)data;
    Body body =
        make_case(ctx, k % 2 ? LYRA_ELEMENT_CUBE8 : LYRA_ELEMENT_TET4, k / 2, EXACT, BIG, 1);
    TestRandom random = test_random(3);
    int32_t dofs = 3 * body.n;
    double *x = malloc((size_t)dofs * sizeof *x), *result = out;
    set_state(&body, STATE_LARGE, &random, x);
    evaluate(&body, x, result, result + 1, true);
    apply_tangent(&body, body.rest, result + 1 + dofs);
    free(x);
    end_body(&body);
}

LYRA_TEST(corotational_bits_do_not_depend_on_threads)
{
    size_t vertices = (BIG + 2) * (BIG + 1) * (BIG + 1);
    for (int k = 0; k < 3; ++k) {
        test_same_bits(evaluate_big, &k, (1 + 6 * vertices) * sizeof(double));
    }
}

LYRA_TEST(corotational_evaluation_allocates_nothing)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    for (int k = 0; k < 4; ++k) {
        Body body = make_case(ctx, k % 2 ? LYRA_ELEMENT_CUBE8 : LYRA_ELEMENT_TET4, k / 2, EXACT, 6,
                              1 + k / 2);
        double energy, *g = malloc((size_t)body.n * 3 * sizeof *g);
        evaluate(&body, body.rest, &energy, g, true);
        int64_t before = test_allocation_count();
        evaluate(&body, body.rest, &energy, g, true);
        TEST_EQUAL(test_allocation_count(), before);
        free(g);
        end_body(&body);
    }
    test_context_end(ctx);
}

static LyraStatus build_all(LyraContext *ctx, void *data)
{
    const LyraMeshView *view = data;
    LyraMesh *mesh = NULL;
    LyraForce *force = NULL;
    LyraAssembly *assembly = NULL;
    LyraCorotationalDef def = lyra_corotational_def_default();
    def.model = EXACT;
    LyraStatus status = lyra_mesh_create(ctx, view, &mesh);
    status = status == LYRA_OK ? lyra_corotational_create(ctx, mesh, &def, &force) : status;
    status = status == LYRA_OK ? lyra_assembly_create(ctx, view->vertex_count, view->positions, 1,
                                                      &force, &assembly)
                               : status;
    lyra_assembly_destroy(assembly);
    lyra_force_destroy(force);
    lyra_mesh_destroy(mesh);
    return status;
}

LYRA_TEST(corotational_allocation_failures_leak_nothing)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMeshMaterial material = orthotropic_material();
    for (int element = 0; element < LYRA_ELEMENT_TET10; ++element) {
        LyraMesh *mesh = make_box(ctx, (LyraElementKind)element, 2, 1, 1, 1, &material);
        LyraMeshView view = lyra_mesh_view(mesh);
        test_fail_each_allocation(build_all, &view);
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}

LYRA_TEST(corotational_parameters_change_while_running)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int k = 0; k < 4; ++k) {
        Body body =
            make_case(ctx, k % 2 ? LYRA_ELEMENT_CUBE8 : LYRA_ELEMENT_TET4, k / 2, EXACT, 2, 1);
        TestRandom random = test_random(9);
        int32_t elements = lyra_mesh_view(body.mesh).element_count;
        int32_t count = lyra_force_type(body.force)->parameter_count;
        TEST_EQUAL(count, k / 2 ? LYRA_STIFFNESS_PARAMETER_COUNT : LYRA_ELASTIC_PARAMETER_COUNT);
        double *zero = calloc((size_t)elements, sizeof *zero), energy;
        double *x = malloc((size_t)body.n * 3 * sizeof *x);
        set_state(&body, STATE_LARGE, &random, x);
        evaluate(&body, x, &energy, NULL, false);
        TEST_CHECK(energy > 0);
        for (int32_t p = 0; p < count; ++p) {
            TEST_OK(lyra_assembly_set_parameter(body.assembly, 0, p, zero));
        }
        evaluate(&body, x, &energy, NULL, false);
        TEST_CHECK(energy == 0);
        free(zero);
        free(x);
        end_body(&body);
    }
    test_context_end(ctx);
}

LYRA_TEST(corotational_model_names)
{
    TEST_STRING(lyra_corotational_model_name(LYRA_COROTATIONAL_LINEAR), "linear");
    TEST_STRING(lyra_corotational_model_name(EXACT), "corotational-exact");
    TEST_STRING(lyra_corotational_model_name(LYRA_COROTATIONAL_MODEL_COUNT), "unknown");
}
