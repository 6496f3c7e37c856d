// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Newton's method where its directions are bad: linear solvers that give up, whole steps that
// overshoot, and residuals that damping keeps at rounding.

#include "integrate_cases.h"

#include "integrate/integrate.h"
#include "model/system.h"

// ---- solvers that give up -----------------------------------------------------------------------

static const LyraSystemType *plain_type;
static LyraStatus trouble;
static bool positive;

static LyraStatus noting_linearise(void *self, const LyraPoint *at, bool psd)
{
    positive = psd;
    return plain_type->linearise(self, at, psd);
}

// fails with exact tangents
static LyraStatus failing_solve(void *self, const LyraVector *b, double tolerance, LyraVector *x,
                                LyraSolveReport *report)
{
    return positive ? plain_type->solve(self, b, tolerance, x, report)
                    : ly_fail(trouble, "no solution");
}

static LyraStatus step_with_trouble(LyraContext *ctx, LyraStatus status, LyraStepReport *report)
{
    BodyDef settings = body_def();
    settings.gravity = -9.81;
    Body body;
    LyraIntegrator *it = NULL;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.newton.halvings_max = 0;
    LyraStatus result = LYRA_OK;
    if (make_body(ctx, &settings, &body) &&
        TEST_OK(lyra_integrator_create(ctx, &def, body.system, &it))) {
        plain_type = body.system->type;
        trouble = status;
        LyraSystemType type = *plain_type;
        type.linearise = noting_linearise;
        type.solve = failing_solve;
        type.solve_from = NULL;
        body.system->type = &type;
        result = lyra_integrator_step(it, body.state, 0.02, report);
        body.system->type = plain_type;
    }
    lyra_integrator_destroy(it);
    end_body(&body);
    return result;
}

LYRA_TEST(positive_tangents_serve_where_solvers_give_up)
{
    static const LyraStatus helped[] = {LYRA_NOT_POSITIVE_DEFINITE, LYRA_SINGULAR,
                                        LYRA_NOT_CONVERGED, LYRA_NOT_FINITE};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraStepReport report;
    for (int32_t k = 0; k < 4; ++k) {
        TEST_OK(step_with_trouble(ctx, helped[k], &report));
        TEST_CHECK(report.psd_iterations > 0);
        TEST_EQUAL(report.psd_iterations, report.newton_iterations);
    }
    // no tangent helps against these
    TEST_EQUAL(step_with_trouble(ctx, LYRA_OUT_OF_MEMORY, &report), LYRA_OUT_OF_MEMORY);
    TEST_EQUAL(report.outcome, LYRA_STEP_SOLVER);
    test_context_end(ctx);
}

// ---- steps that overshoot -----------------------------------------------------------------------

// W = log(1 + u^2): its slope is largest at 1, next to which Newton's steps lead far out, to higher
// energies and small slopes
static void valley_force(void *user, double t, const double *u, const double *v, double *g,
                         double *energy)
{
    (void)user, (void)t, (void)v;
    g[0] += 2 * u[0] / (1 + u[0] * u[0]);
    if (energy) {
        *energy += log(1 + u[0] * u[0]);
    }
}

static void valley_tangent(void *user, double t, const double *u, const double *v, double *K,
                           double *C)
{
    (void)user, (void)t, (void)v, (void)C;
    double s = 1 + u[0] * u[0];
    K[0] += 2 * (1 - u[0] * u[0]) / (s * s);
}

// From 0.9 the whole step ends at -7.7, where slopes are smaller but the energy is higher; and
// beyond the inflections at 1 and -1 tangents are negative.
LYRA_TEST(energies_decide_about_steps_not_slopes)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double mass = 1;
    LyraDenseSystemDef system_def = lyra_dense_system_def_default();
    system_def.size = 1;
    system_def.mass = &mass;
    system_def.force = valley_force;
    system_def.tangent = valley_tangent;
    system_def.traits = LYRA_SYSTEM_SYMMETRIC | LYRA_SYSTEM_POTENTIAL | LYRA_SYSTEM_STATIONARY;
    LyraSystem *system = NULL;
    LyraState *state = NULL;
    LyraIntegrator *it = NULL;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = "static";
    def.newton.halvings_max = 0;
    if (TEST_OK(lyra_system_create_dense_functions(ctx, &system_def, &system)) &&
        TEST_OK(lyra_system_state_create(system, &state)) &&
        TEST_OK(lyra_integrator_create(ctx, &def, system, &it))) {
        double *u = lyra_vector_values_mutable(lyra_state_view(state).u);
        LyraStepReport report;
        u[0] = 0.9;
        TEST_OK(lyra_integrator_step(it, state, 1, &report));
        TEST_NEAR(u[0], 0, 1e-7);
        // no tangent was taken beyond the inflections
        TEST_EQUAL(report.psd_iterations, 0);
        TEST_CHECK(report.line_search_steps > 0 && report.newton_iterations <= 10);
    }
    lyra_integrator_destroy(it);
    lyra_state_destroy(state);
    lyra_system_destroy(system);
    test_context_end(ctx);
}

// ---- rounding of damping ------------------------------------------------------------------------

// Damping forces that cancel leave residuals far above the rounding of all others: limits of zero
// mean those, too.
LYRA_TEST(rounding_of_damping_ends_the_iteration)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    BodyDef settings = body_def();
    settings.fixed = false;
    settings.stiffness_damping = 1e3;
    Body body;
    LyraIntegrator *it = NULL;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.newton.decrement = def.newton.residual = def.newton.step = 0;
    def.newton.halvings_max = 0;
    if (make_body(ctx, &settings, &body) &&
        TEST_OK(lyra_integrator_create(ctx, &def, body.system, &it))) {
        TestRandom random = test_random(4);
        for (int32_t i = 0; i < body.size; ++i) {
            body_v(&body)[i] = 100 * (i % 3) + test_random_in(&random, -1e-3, 1e-3);
        }
        for (int32_t s = 0; s < 5; ++s) {
            LyraStepReport report;
            TEST_OK(lyra_integrator_step(it, body.state, 1e-5, &report));
            printf("%d iterations, residual %.3g N\n", (int)report.newton_iterations,
                   report.residual_last);
            TEST_CHECK(report.newton_iterations <= 6);
        }
    }
    lyra_integrator_destroy(it);
    end_body(&body);
    test_context_end(ctx);
}
