// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Bodies in a bad way: tangled, flat, gone to a point, wrung, of unequal stiffness, held by one or
// two vertices or by none, and steps of any length. test_integrate_robust_long.c has more seeds.

#include "integrate_robust.h"

#define SEEDS 2

LYRA_TEST(the_rest_shape_is_placed_by_the_rigid_motion_of_the_body)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    BodyDef settings = body_def();
    Body body;
    LyraVector *rest = NULL;
    if (make_body(ctx, &settings, &body) && TEST_OK(lyra_vector_create(ctx, body.size, &rest))) {
        const double *X = lyra_mesh_view(body.mesh).positions;
        double R[9], *u = body_u(&body);
        TestRandom random = test_random(5);
        test_random_rotation(&random, R);
        for (int32_t i = 0; i < body.size; ++i) {
            const double *x = X + i - i % 3, *row = R + 3 * (i % 3);
            u[i] = row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + 0.1 * (i % 3) - X[i];
        }
        TEST_CHECK(lyra_system_rest(body.system, lyra_state_view(body.state).u, rest));
        for (int32_t i = 0; i < body.size; ++i) {
            TEST_NEAR(lyra_vector_values(rest)[i], u[i], 1e-13);
        }
    }
    lyra_vector_destroy(rest);
    end_body(&body);
    test_context_end(ctx);
}

LYRA_TEST(strewn_bodies_recover)
{
    for (int32_t l = 0; l < LAW_COUNT; ++l) {
        check_recovery(l, STREWN, 0.45, SEEDS);
    }
}

// A law without a potential, whose tangent is too stiff where stretches are clamped, on the way out
// of a tangle: with positive steps that are not lengthened it took ten times the iterations, and
// halved steps.
LYRA_TEST(clamped_bodies_leave_tangles_without_halving)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Recovery r = recover(ctx, &laws[3], STREWN, 0.3, 5);
    printf("%d steps, %d iterations, at most %d in a step, %d rejected\n", (int)r.steps,
           (int)r.iterations, (int)r.most, (int)r.rejected);
    TEST_CHECK(r.recovered && r.finite);
    TEST_EQUAL(r.rejected, 0);
    TEST_CHECK(r.iterations <= 2000);
    test_context_end(ctx);
}

LYRA_TEST(flattened_bodies_recover)
{
    for (int32_t l = 0; l < LAW_COUNT; ++l) {
        check_recovery(l, FLATTENED, 0.45, SEEDS);
    }
}

LYRA_TEST(collapsed_bodies_recover)
{
    for (int32_t l = 0; l < LAW_COUNT; ++l) {
        check_recovery(l, COLLAPSED, 0.45, SEEDS);
    }
}

// ---- wringing -----------------------------------------------------------------------------------

// ends turned against each other by 720 degrees and pulled to three times the length in a second
static void wring(void *user, double t, double *u, double *v, double *a)
{
    const LyraMeshView *mesh = user;
    const double w = 2 * 3.14159265358979323846;
    for (int32_t i = 0; i < mesh->vertex_count; ++i) {
        const double *X = mesh->positions + 3 * i;
        double rate = X[0] > 0 ? w : -w, c = cos(rate * t), s = sin(rate * t);
        u[3 * i] = 2 * t * X[0];
        u[3 * i + 1] = c * X[1] - s * X[2] - X[1];
        u[3 * i + 2] = s * X[1] + c * X[2] - X[2];
        if (v) {
            v[3 * i] = 2 * X[0];
            v[3 * i + 1] = -rate * (s * X[1] + c * X[2]);
            v[3 * i + 2] = rate * (c * X[1] - s * X[2]);
        }
        if (a) {
            a[3 * i + 1] = -rate * rate * (c * X[1] - s * X[2]);
            a[3 * i + 2] = -rate * rate * (s * X[1] + c * X[2]);
        }
    }
}

LYRA_TEST(a_bar_of_5000_tets_is_wrung_without_halving)
{
    // StVK gives in under compression, so single elements may fold
    static const char *const models[] = {"neo-hookean", "stable-neo-hookean", "stvk"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t k = 0; k < 3; ++k) {
        LyraMeshView mesh = {0};
        BodyDef settings = body_def();
        settings.model = models[k];
        settings.held_both = true;
        settings.prescription = wring;
        settings.prescription_user = &mesh;
        settings.cells[0] = 33;
        settings.cells[1] = settings.cells[2] = 5;
        settings.edge = 0.02;
        Body body;
        LyraIntegrator *it = NULL;
        LyraIntegratorDef def = lyra_integrator_def_default();
        int32_t sum = 0, most = 0;
        if (make_body(ctx, &settings, &body) &&
            TEST_OK(lyra_integrator_create(ctx, &def, body.system, &it))) {
            mesh = lyra_mesh_view(body.mesh);
            TEST_EQUAL(mesh.element_count, 4950);
            for (int32_t s = 0; s < 60; ++s) {
                LyraStepReport report;
                TEST_OK(lyra_integrator_step(it, body.state, 1.0 / 60, &report));
                TEST_CHECK_MSG(report.outcome == LYRA_STEP_ACCEPTED && report.substeps == 1 &&
                                   report.rejected == 0 && (k == 2 || report.min_det > 0.1),
                               "%s, step %d: %d iterations, %d substeps, det %.3g", models[k],
                               (int)s, (int)report.newton_iterations, (int)report.substeps,
                               report.min_det);
                sum += report.newton_iterations;
                most = report.newton_iterations > most ? report.newton_iterations : most;
            }
            printf("%s: %.1f iterations a step, at most %d\n", models[k], sum / 60.0, (int)most);
        }
        lyra_integrator_destroy(it);
        end_body(&body);
    }
    test_context_end(ctx);
}

// ---- few constraints, any step ------------------------------------------------------------------

// free, or held by one vertex, or by two: it falls, swings or turns for steps of length h
static void hang(LyraContext *ctx, int32_t held, double h, int32_t steps, const char *solver)
{
    BodyDef settings = body_def();
    settings.fixed = false;
    settings.gravity = -9.81;
    settings.solver = solver;
    Body body;
    LyraIntegrator *it = NULL;
    LyraIntegratorDef def = lyra_integrator_def_default();
    const int32_t vertices[2] = {0, 4};
    if (make_body(ctx, &settings, &body) &&
        TEST_OK(
            lyra_constraints_fix_vertices(lyra_model_constraints(body.model), held, vertices)) &&
        TEST_OK(lyra_integrator_create(ctx, &def, body.system, &it))) {
        double last = 0;
        for (int32_t s = 0; s < steps; ++s) {
            LyraStepReport report;
            if (!TEST_OK(lyra_integrator_step(it, body.state, h, &report))) {
                break;
            }
            double mean = 0;
            for (int32_t i = 1; i < body.size; i += 3) {
                mean += body_u(&body)[i] / body.vertex_count;
            }
            // the first step: free of forces but gravity
            double fall = -9.81 * h * h;
            TEST_CHECK_MSG(held > 0 || s > 0 || fabs(mean / fall - 1) <= 1e-6,
                           "h %g, %d held: falls by %.9g, expected %.9g", h, (int)held, mean, fall);
            TEST_CHECK(isfinite(mean) && report.elastic >= -1e-9 && isfinite(report.kinetic));
            last = mean;
        }
        // what hangs comes down, and not further than it is long
        TEST_CHECK_MSG(last < 0 && (held == 0 || last > -1), "h %g, %d held: mean %g", h, (int)held,
                       last);
        for (int32_t k = 0; k < 3 * held; ++k) {
            TEST_NEAR(body_u(&body)[3 * vertices[k / 3] + k % 3], 0, 0);
        }
    }
    lyra_integrator_destroy(it);
    end_body(&body);
}

LYRA_TEST(few_constraints_and_steps_of_any_length_are_sensible)
{
    static const double lengths[] = {1e-9, 1e-4, 1.0 / 30, 10};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t k = 0; k < 4; ++k) {
        for (int32_t held = 0; held <= 2; ++held) {
            hang(ctx, held, lengths[k], k == 2 ? 60 : 5, NULL);
            hang(ctx, held, lengths[k], k == 2 ? 60 : 5, "dense");
        }
    }
    test_context_end(ctx);
}
