// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Newton's method: its potential, its policies, what stops it, and bodies that are far from fine.

#include "integrate_cases.h"

#include "integrate/newton.h"

// ---- the incremental potential ------------------------------------------------------------------

typedef struct Look {
    LyraIntegrator *it;
    LyStage stage;
    LyraVector *q, *r;
} Look;

// u_q F at q
static void potential(void *data, const double *q, double *f)
{
    Look *look = data;
    LyEvaluation seen;
    memcpy(lyra_vector_values_mutable(look->q), q, (size_t)lyra_vector_size(look->q) * sizeof *q);
    TEST_OK(ly_newton_evaluate(look->it->newton, look->it, &look->stage, look->q, look->r, &seen));
    *f = seen.potential;
}

LYRA_TEST(the_residual_is_the_gradient_of_the_potential)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    BodyDef settings = body_def();
    settings.gravity = -9.81;
    settings.mass_damping = 3;
    settings.stiffness_damping = 0.01;
    settings.solver = "dense";
    Body body;
    LyraIntegrator *it = NULL;
    LyraIntegratorDef def = lyra_integrator_def_default();
    if (make_body(ctx, &settings, &body) &&
        TEST_OK(lyra_integrator_create(ctx, &def, body.system, &it))) {
        TestRandom random = test_random(7);
        LyraVector *vectors[6] = {NULL};
        int32_t n = body.size;
        for (int32_t k = 0; k < 6; ++k) {
            TEST_OK(lyra_vector_create(ctx, n, &vectors[k]));
            for (int32_t i = 0; i < n; ++i) {
                lyra_vector_values_mutable(vectors[k])[i] = 0.02 * test_random_normal(&random);
            }
            lyra_system_merge(it->system, NULL, vectors[k]);
        }
        // all terms: inertia with an offset, damping, loads, a bias
        Look look = {.it = it,
                     .stage = {.time = 0.1,
                               .dt = 0.1,
                               .u_q = 0.7,
                               .v_q = 11,
                               .a_q = 130,
                               .u_0 = vectors[0],
                               .v_0 = vectors[1],
                               .a_0 = vectors[2],
                               .r_0 = vectors[3]},
                     .q = vectors[4],
                     .r = vectors[5]};
        const LyraPoint at = {.time = 0, .u = vectors[0], .v = vectors[1]};
        TEST_OK(lyra_system_update_damping(body.system, &at));
        double *q = malloc(2 * (size_t)n * sizeof *q), *d = q + n, value, slope = 0;
        for (int32_t i = 0; i < n; ++i) {
            q[i] = 0.02 * test_random_normal(&random);
            d[i] = lyra_vector_values(vectors[0])[i] != 0 ? 0.02 * test_random_normal(&random) : 0;
        }
        potential(&look, q, &value);
        for (int32_t i = 0; i < n; ++i) {
            slope += look.stage.u_q * lyra_vector_values(look.r)[i] * d[i];
        }
        test_check_difference(test_difference(potential, &look, n, 1, q, d, &slope, 0.5), 1e-7,
                              "incremental potential");
        free(q);
        for (int32_t k = 0; k < 6; ++k) {
            lyra_vector_destroy(vectors[k]);
        }
    }
    lyra_integrator_destroy(it);
    end_body(&body);
    test_context_end(ctx);
}

// ---- policies -----------------------------------------------------------------------------------

// ten steps of a beam under gravity; sums of counts in `total`
static void swing(LyraNewtonPolicy policy, const char *solver, double *u, LyraStepReport *total)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    BodyDef settings = body_def();
    settings.gravity = -9.81;
    settings.stiffness_damping = 1e-3;
    settings.solver = solver;
    Body body;
    LyraIntegrator *it = NULL;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = "newmark";
    def.newton.policy = policy;
    *total = (LyraStepReport){0};
    if (make_body(ctx, &settings, &body) &&
        TEST_OK(lyra_integrator_create(ctx, &def, body.system, &it))) {
        for (int32_t s = 0; s < 10; ++s) {
            LyraStepReport report;
            TEST_OK(lyra_integrator_step(it, body.state, 0.01, &report));
            total->newton_iterations += report.newton_iterations;
            total->factorisations += report.factorisations;
            total->linear_iterations += report.linear_iterations;
            TEST_EQUAL(report.substeps, 1);
        }
        memcpy(u, body_u(&body), (size_t)body.size * sizeof *u);
    }
    lyra_integrator_destroy(it);
    end_body(&body);
    test_context_end(ctx);
}

LYRA_TEST(policies_agree)
{
    enum { SIZE = 3 * 5 * 3 * 3 };
    double full[SIZE] = {0}, u[SIZE] = {0}, size = 0;
    LyraStepReport counts[3];
    swing(LYRA_NEWTON_FULL, "pcg", full, &counts[0]);
    for (int32_t i = 0; i < SIZE; ++i) {
        size = fmax(size, fabs(full[i]));
    }
    TEST_CHECK(size > 0.01);
    static const LyraNewtonPolicy others[] = {LYRA_NEWTON_SIMPLIFIED, LYRA_NEWTON_INEXACT};
    for (int32_t k = 0; k < 2; ++k) {
        double error = 0;
        swing(others[k], k == 0 ? "dense" : "pcg", u, &counts[k + 1]);
        for (int32_t i = 0; i < SIZE; ++i) {
            error = fmax(error, fabs(u[i] - full[i]));
        }
        TEST_CHECK_MSG(error <= 1e-6 * size, "policy %d: off by %.3g of %.3g", (int)others[k],
                       error, size);
    }
    // the simplified one factors less, the inexact one iterates less
    TEST_CHECK_MSG(2 * counts[1].factorisations <= counts[0].factorisations,
                   "%d against %d factors", (int)counts[1].factorisations,
                   (int)counts[0].factorisations);
    TEST_CHECK_MSG(counts[2].linear_iterations < counts[0].linear_iterations,
                   "%d against %d linear iterations", (int)counts[2].linear_iterations,
                   (int)counts[0].linear_iterations);
}

// ---- stopping -----------------------------------------------------------------------------------

// A body scaled in length by s, with stiffness by 1/s^0 and gravity by 1/s, has displacements
// scaled by s at times scaled by s: iterations must not change.
LYRA_TEST(sizes_from_micrometres_to_kilometres_take_the_same_iterations)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    int32_t first = 0;
    for (int32_t k = -6; k <= 4; k += 2) {
        double s = pow(10, k);
        BodyDef settings = body_def();
        settings.edge *= s;
        settings.gravity = -9.81 / s;
        settings.solver = "dense";
        Body body;
        LyraIntegrator *it = NULL;
        LyraIntegratorDef def = lyra_integrator_def_default();
        int32_t iterations = 0;
        if (make_body(ctx, &settings, &body) &&
            TEST_OK(lyra_integrator_create(ctx, &def, body.system, &it))) {
            for (int32_t i = 0; i < 5; ++i) {
                LyraStepReport report;
                TEST_OK(lyra_integrator_step(it, body.state, 0.03 * s, &report));
                iterations += report.newton_iterations;
            }
        }
        first = first ? first : iterations;
        TEST_CHECK_MSG(abs(iterations - first) <= 2, "scale %g: %d iterations, %d at the first", s,
                       (int)iterations, (int)first);
        lyra_integrator_destroy(it);
        end_body(&body);
    }
    test_context_end(ctx);
}

// limits of zero are reached at the rounding of forces, and steps of any length are taken
LYRA_TEST(rounding_ends_the_iteration)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double lengths[] = {1e-9, 1e-6, 1e-3, 0.03, 1, 10};
    for (int32_t k = 0; k < 6; ++k) {
        for (int32_t free_body = 0; free_body < 2; ++free_body) {
            BodyDef settings = body_def();
            settings.gravity = -9.81;
            settings.solver = "dense";
            settings.fixed = !free_body;
            Body body;
            LyraIntegrator *it = NULL;
            LyraIntegratorDef def = lyra_integrator_def_default();
            def.newton.decrement = def.newton.residual = def.newton.step = 0;
            if (make_body(ctx, &settings, &body) &&
                TEST_OK(lyra_integrator_create(ctx, &def, body.system, &it))) {
                double before = 0;
                for (int32_t i = 0; i < 4; ++i) {
                    LyraStepReport report;
                    TEST_OK(lyra_integrator_step(it, body.state, lengths[k], &report));
                    TEST_CHECK_MSG(report.newton_iterations <= 30 && report.substeps == 1,
                                   "h = %g, step %d: %d iterations, %d substeps", lengths[k],
                                   (int)i, (int)report.newton_iterations, (int)report.substeps);
                    // a free body falls: v = g t, to rounding
                    double v = body_v(&body)[1], fall = -9.81 * lengths[k];
                    if (free_body) {
                        TEST_NEAR((v - before) / fall, 1, 1e-7);
                    }
                    before = v;
                }
            }
            lyra_integrator_destroy(it);
            end_body(&body);
        }
    }
    test_context_end(ctx);
}

// ---- bodies in a bad way ------------------------------------------------------------------------

typedef enum Damage { FLAT, COLLAPSED, SHAKEN } Damage;

static void recover(const char *model, LyraInversion inversion, Damage damage, const char *solver)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    BodyDef settings = body_def();
    settings.model = model;
    settings.inversion = inversion;
    settings.threshold = 0.5; // with 0.1 a tangle of neo-Hookean tets can hold itself
    settings.solver = solver;
    settings.fixed = false;
    settings.cells[0] = 2;
    Body body;
    LyraIntegrator *it = NULL;
    LyraIntegratorDef def = lyra_integrator_def_default();
    if (make_body(ctx, &settings, &body) &&
        TEST_OK(lyra_integrator_create(ctx, &def, body.system, &it))) {
        TestRandom random = test_random(11);
        const double *X = lyra_mesh_view(body.mesh).positions;
        for (int32_t i = 0; i < body.size; ++i) {
            double noise = test_random_in(&random, -0.12, 0.12);
            bool gone = damage == COLLAPSED || (damage == FLAT && i % 3 == 1);
            body_u(&body)[i] = damage == SHAKEN ? noise : gone ? -X[i] : 0;
        }
        LyraStepReport report = {0};
        for (int32_t s = 0; s < 150; ++s) {
            if (!TEST_OK(lyra_integrator_step(it, body.state, 1.0 / 30, &report))) {
                break;
            }
        }
        TEST_CHECK_MSG(report.elastic < 1e-6 && fabs(report.min_det - 1) < 1e-3,
                       "%s, damage %d: %.3g J and det %.3g are left", model, (int)damage,
                       report.elastic, report.min_det);
    }
    lyra_integrator_destroy(it);
    end_body(&body);
    test_context_end(ctx);
}

LYRA_TEST(flat_collapsed_and_shaken_bodies_recover)
{
    recover("neo-hookean", LYRA_INVERSION_EXTEND, FLAT, "dense");
    recover("neo-hookean", LYRA_INVERSION_EXTEND, COLLAPSED, "dense");
    recover("neo-hookean", LYRA_INVERSION_EXTEND, SHAKEN, "dense");
    recover("neo-hookean", LYRA_INVERSION_CLAMP, FLAT, "dense");
    recover("stvk", LYRA_INVERSION_EXTEND, COLLAPSED, "dense");
    recover("stvk", LYRA_INVERSION_CLAMP, FLAT, "dense");
    recover("stable-neo-hookean", LYRA_INVERSION_NONE, FLAT, "pcg");
}

// ends turned against each other by 720 degrees and pulled to three times the length in a second
static void twist(void *user, double t, double *u, double *v, double *a)
{
    const LyraMeshView *mesh = user;
    (void)v, (void)a;
    for (int32_t i = 0; i < mesh->vertex_count; ++i) {
        const double *X = mesh->positions + 3 * i;
        double angle = (X[0] > 0 ? 2 : -2) * 3.14159265358979 * t;
        u[3 * i] = 2 * t * X[0];
        u[3 * i + 1] = cos(angle) * X[1] - sin(angle) * X[2] - X[1];
        u[3 * i + 2] = sin(angle) * X[1] + cos(angle) * X[2] - X[2];
    }
}

LYRA_TEST(a_twisted_and_stretched_bar_converges_without_halving)
{
    static const char *const names[] = {"backward-euler", "static"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t k = 0; k < 2; ++k) {
        LyraMeshView mesh = {0};
        BodyDef settings = body_def();
        settings.held_both = true;
        settings.prescription = twist;
        settings.prescription_user = &mesh;
        settings.cells[0] = 12;
        settings.cells[1] = settings.cells[2] = 3;
        settings.solver = "pcg";
        Body body;
        LyraIntegrator *it = NULL;
        LyraIntegratorDef def = lyra_integrator_def_default();
        def.name = names[k];
        if (make_body(ctx, &settings, &body) &&
            TEST_OK(lyra_integrator_create(ctx, &def, body.system, &it))) {
            mesh = lyra_mesh_view(body.mesh);
            for (int32_t s = 0; s < 60; ++s) {
                // statics passes points where the bar buckles
                LyraStepReport report;
                int32_t most = k == 0 ? 15 : 200;
                TEST_OK(lyra_integrator_step(it, body.state, 1.0 / 60, &report));
                TEST_CHECK_MSG(report.substeps == 1 && report.rejected == 0 &&
                                   report.newton_iterations <= most && report.min_det > 0.3,
                               "%s, step %d: %d iterations, %d substeps, det %.3g", names[k],
                               (int)s, (int)report.newton_iterations, (int)report.substeps,
                               report.min_det);
            }
        }
        lyra_integrator_destroy(it);
        end_body(&body);
    }
    test_context_end(ctx);
}

// a speckled body under gravity, every sixth element a million times stiffer
LYRA_TEST(a_stiffness_jump_of_a_million_is_held)
{
    static const char *const solvers[] = {"dense", "pcg"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double sag[2] = {0, 0};
    for (int32_t k = 0; k < 2; ++k) {
        BodyDef settings = body_def();
        settings.gravity = -9.81;
        settings.solver = solvers[k];
        settings.young = 1e4;
        Body body;
        LyraIntegrator *it = NULL;
        LyraIntegratorDef def = lyra_integrator_def_default();
        if (make_body(ctx, &settings, &body) &&
            TEST_OK(lyra_integrator_create(ctx, &def, body.system, &it))) {
            int32_t count = lyra_mesh_view(body.mesh).element_count;
            double *values = malloc((size_t)count * sizeof *values);
            double lambda = 1e4 * 0.4 / (1.4 * 0.2), mu = 1e4 / 2.8;
            for (int32_t p = 0; p < 2; ++p) {
                for (int32_t e = 0; e < count; ++e) {
                    values[e] = (p == LYRA_ELASTIC_LAMBDA ? lambda : mu) * (e % 6 ? 1 : 1e6);
                }
                const char *name = p == LYRA_ELASTIC_LAMBDA ? "lambda" : "mu";
                TEST_OK(lyra_model_set_parameter(body.model, 0, name, values));
            }
            free(values);
            for (int32_t s = 0; s < 30; ++s) {
                LyraStepReport report;
                TEST_OK(lyra_integrator_step(it, body.state, 1.0 / 30, &report));
                TEST_CHECK_MSG(report.substeps == 1 && report.newton_iterations <= 60,
                               "%s, step %d: %d iterations, %d substeps", solvers[k], (int)s,
                               (int)report.newton_iterations, (int)report.substeps);
            }
            for (int32_t i = 1; i < body.size; i += 3) {
                sag[k] = fmin(sag[k], body_u(&body)[i]);
            }
        }
        lyra_integrator_destroy(it);
        end_body(&body);
    }
    TEST_CHECK(sag[0] < -1e-4);
    TEST_NEAR(sag[1], sag[0], 1e-4 * fabs(sag[0]));
    test_context_end(ctx);
}
