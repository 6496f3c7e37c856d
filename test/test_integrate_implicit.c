// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Orders of accuracy of the implicit integrators.

#include "integrate_cases.h"

// slope of the error between two numbers of steps
static double find_order(LyraContext *ctx, LyraSystem *system, const LyraIntegratorDef *def,
                         int32_t steps)
{
    double coarse = toy_error(ctx, system, def, steps);
    double fine = toy_error(ctx, system, def, 2 * steps);
    return log2(coarse / fine);
}

static void check_toy(const char *name, double expected, bool vega)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSystem *system = make_toy(ctx);
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = name;
    def.vega = vega;
    double order = find_order(ctx, system, &def, expected < 1.5 ? 6400 : 800);
    TEST_CHECK_MSG(fabs(order - expected) <= 0.1, "%s: order %.3f, expected %g", name, order,
                   expected);
    lyra_system_destroy(system);
    test_context_end(ctx);
}

LYRA_TEST(toy_orders_are_as_stated)
{
    static const char *const names[] = {
        "backward-euler", "newmark", "generalized-alpha", "implicit-midpoint", "bdf2",
        "bdf3",           "bdf4"};
    for (int32_t i = 0; i < (int32_t)(sizeof names / sizeof names[0]); ++i) {
        LyraIntegratorFacts facts = {0};
        for (int32_t k = 0; lyra_integrator_name(k, &facts) && strcmp(facts.name, names[i]) != 0;) {
            ++k;
        }
        TEST_STRING(facts.name, names[i]);
        check_toy(names[i], facts.order, false);
    }
}

// 0.5, the default, has alpha_m = 0; the others weigh the accelerations of both ends
LYRA_TEST(generalized_alpha_keeps_its_order_at_any_spectral_radius)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSystem *system = make_toy(ctx);
    static const double radii[] = {0, 0.3, 0.8, 1};
    for (int32_t i = 0; i < 4; ++i) {
        LyraIntegratorDef def = lyra_integrator_def_default();
        def.name = "generalized-alpha";
        def.spectral_radius = radii[i];
        double order = find_order(ctx, system, &def, 800);
        TEST_CHECK_MSG(fabs(order - 2) <= 0.1, "radius %g: order %.3f", radii[i], order);
    }
    lyra_system_destroy(system);
    test_context_end(ctx);
}

LYRA_TEST(newmark_of_vega_falls_to_order_one)
{
    check_toy("newmark", 1, true);
}

// as the toy equation, with steps of changing length
// an integrator, and the toy where it starts
static void start_toy(LyraContext *ctx, LyraSystem *system, const char *name, LyraState **state,
                      LyraIntegrator **it)
{
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = name;
    TEST_REQUIRE_OK(lyra_system_state_create(system, state));
    TEST_REQUIRE_OK(lyra_integrator_create(ctx, &def, system, it));
    lyra_vector_values_mutable(lyra_state_view(*state).u)[0] = -1;
    lyra_vector_values_mutable(lyra_state_view(*state).v)[0] = -5;
}

LYRA_TEST(bdf_keeps_its_order_with_changing_steps)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSystem *system = make_toy(ctx);
    static const char *const names[] = {"bdf2", "bdf3", "bdf4"};
    for (int32_t i = 0; i < 3; ++i) {
        double error[2] = {0, 0};
        for (int32_t k = 0; k < 2; ++k) {
            LyraState *state = NULL;
            LyraIntegrator *it = NULL;
            start_toy(ctx, system, names[i], &state, &it);
            double h = 1e-3 / (1 << k);
            // lengths h (1 + sin/3) in a pattern that is the same for both
            for (double t = 0; t < 1 - 1e-9;) {
                double dt = fmin(h * (1 + sin(20 * t) / 3), 1 - t);
                TEST_REQUIRE_OK(lyra_integrator_step(it, state, dt, NULL));
                LyraStateView view = lyra_state_view(state);
                t = view.time;
                double e = fabs(lyra_vector_values(view.u)[0] - toy_solution(t));
                error[k] = fmax(error[k], e);
            }
            lyra_integrator_destroy(it);
            lyra_state_destroy(state);
        }
        double order = log2(error[0] / error[1]);
        TEST_CHECK_MSG(fabs(order - (i + 2)) <= 0.15, "%s: order %.3f", names[i], order);
    }
    lyra_system_destroy(system);
    test_context_end(ctx);
}

// Steps that grow and shrink by powers of ten, over and over. Short steps are exact, so that errors
// are those of the 60 steps of 1 ms, had they been taken alone.
LYRA_TEST(bdf_holds_where_steps_jump)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSystem *system = make_toy(ctx);
    static const char *const names[] = {"bdf2", "bdf3", "bdf4"};
    static const double bounds[] = {3e-5, 5e-7, 1e-9};
    static const double steps[] = {1e-9, 1e-9, 1e-9, 1e-9, 1e-3, 1e-3, 1e-3, 1e-6, 1e-6,  1e-6,
                                   1e-6, 1e-3, 1e-3, 1e-3, 1e-7, 2e-7, 4e-7, 8e-7, 1.6e-6};
    const int32_t count = sizeof steps / sizeof steps[0];
    for (int32_t i = 0; i < 3; ++i) {
        LyraState *state = NULL;
        LyraIntegrator *it = NULL;
        start_toy(ctx, system, names[i], &state, &it);
        double error = 0;
        for (int32_t k = 0; k < 10 * count; ++k) {
            TEST_REQUIRE_OK(lyra_integrator_step(it, state, steps[k % count], NULL));
            LyraStateView view = lyra_state_view(state);
            error = fmax(error, fabs(lyra_vector_values(view.u)[0] - toy_solution(view.time)));
        }
        TEST_CHECK_MSG(error <= bounds[i], "%s: off by %g", names[i], error);
        lyra_integrator_destroy(it);
        lyra_state_destroy(state);
    }
    lyra_system_destroy(system);
    test_context_end(ctx);
}

// ---- a nonlinear, damped body -------------------------------------------------------------------

// positions of a swinging beam after 0.05 s with `steps` steps
static void swing(const char *name, int32_t steps, double *u)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    BodyDef body_settings = body_def();
    body_settings.model = "stvk";
    body_settings.young = 2e5;
    body_settings.cells[0] = 2;
    body_settings.cells[1] = body_settings.cells[2] = 1;
    body_settings.gravity = -9.81;
    body_settings.stiffness_damping = 5e-4;
    body_settings.mass_damping = 0.5;
    body_settings.solver = "dense";
    Body body;
    LyraIntegrator *it = NULL;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = name;
    def.newton.decrement = 0;
    def.newton.residual = 1e-13;
    def.newton.step = 1e-13;
    if (make_body(ctx, &body_settings, &body)) {
        // a smooth start with large velocities
        const double *X = lyra_mesh_view(body.mesh).positions;
        for (int32_t i = 0; i < body.vertex_count; ++i) {
            double x = X[3 * i] + 0.1;
            body_v(&body)[3 * i + 1] = 20 * x * x;
        }
        TEST_OK(lyra_integrator_create(ctx, &def, body.system, &it));
        for (int32_t i = 0; i < steps; ++i) {
            TEST_OK(lyra_integrator_step(it, body.state, 0.05 / steps, NULL));
        }
        memcpy(u, body_u(&body), (size_t)body.size * sizeof *u);
        lyra_integrator_destroy(it);
    }
    end_body(&body);
    test_context_end(ctx);
}

// the slope from differences of three refinements, with no other method's answer
LYRA_TEST(orders_hold_on_a_damped_nonlinear_body)
{
    enum { SIZE = 3 * 12 };
    static const struct {
        const char *name;
        int32_t order, steps;
    } cases[] = {{"backward-euler", 1, 1280},
                 {"newmark", 2, 40},
                 {"generalized-alpha", 2, 40},
                 {"bdf2", 2, 80},
                 {"implicit-midpoint", 2, 40},
                 {"bdf3", 3, 80},
                 {"bdf4", 4, 80}};
    for (int32_t c = 0; c < (int32_t)(sizeof cases / sizeof cases[0]); ++c) {
        double u[3][SIZE] = {{0}}, difference[2] = {0, 0};
        for (int32_t k = 0; k < 3; ++k) {
            swing(cases[c].name, cases[c].steps << k, u[k]);
        }
        for (int32_t i = 0; i < SIZE; ++i) {
            difference[0] = fmax(difference[0], fabs(u[1][i] - u[0][i]));
            difference[1] = fmax(difference[1], fabs(u[2][i] - u[1][i]));
        }
        double order = log2(difference[0] / difference[1]);
        TEST_CHECK_MSG(fabs(order - cases[c].order) <= 0.1,
                       "%s: order %.3f (differences %.3g, %.3g), expected %d", cases[c].name, order,
                       difference[0], difference[1], (int)cases[c].order);
    }
}
