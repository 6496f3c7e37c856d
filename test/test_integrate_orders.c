// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Orders of the explicit and linearly implicit integrators on problems with known motion.

#include "integrate_toys.h"

typedef struct Method {
    const char *name;
    int32_t order, damped_order;
    int32_t steps[4]; // on each toy and the chain, before they are doubled
} Method;

// Verlet evaluates damping at the velocity half a step ago. The steps are where truncation rules
// and the next term of the error does not; rounding leaves little room to order 8.
static const Method methods[] = {
    {"euler", 1, 1, {4000, 16000, 4000, 4000}},
    {"symplectic-euler", 1, 1, {4000, 4000, 4000, 4000}},
    {"verlet", 2, 1, {2000, 2000, 2000, 2000}},
    {"central-differences", 2, 2, {400, 800, 400, 400}},
    {"explicit-implicit-newmark", 2, 2, {400, 800, 400, 400}},
    {"explicit-midpoint", 2, 2, {400, 2000, 400, 400}},
    {"rkc2", 2, 2, {400, 2000, 400, 400}},
    {"rock2", 2, 2, {400, 2000, 400, 400}},
    {"rosenbrock2", 2, 2, {800, 2000, 800, 800}},
    {"rosenbrock3", 3, 3, {400, 1600, 400, 400}},
    {"amf-rk32", 3, 3, {400, 1600, 400, 400}},
    {"rosenbrock4", 4, 4, {200, 800, 200, 200}},
    {"rosenbrock4: shampine", 4, 4, {200, 800, 200, 200}},
    {"rosenbrock4: grk4a", 4, 4, {200, 800, 200, 400}},
    {"rosenbrock4: grk4t", 4, 4, {200, 800, 200, 200}},
    {"rosenbrock4: veldhuizen-s", 4, 4, {200, 800, 200, 200}},
    {"rosenbrock4: veldhuizen-d", 4, 4, {200, 800, 200, 200}},
    {"rk4", 4, 4, {160, 640, 160, 160}},
    {"rk38", 4, 4, {160, 640, 160, 160}},
    {"dopri5", 5, 5, {80, 320, 80, 160}},
    {"dopri853", 8, 8, {14, 46, 18, 20}},
};

static LyraIntegrator *make(LyraContext *ctx, const char *name, LyraSystem *system)
{
    LyraIntegratorDef def = lyra_integrator_def_default();
    LyraIntegrator *it = NULL;
    const char *set = strstr(name, ": ");
    char plain[32];
    snprintf(plain, sizeof plain, "%.*s", (int)(set ? set - name : 31), name);
    def.name = plain;
    def.rosenbrock_set = set ? set + 2 : def.rosenbrock_set;
    def.critical = LYRA_CRITICAL_IGNORE;
    def.stages = 5;
    // all steps of the caller are taken as they are
    def.absolute_tolerance = def.relative_tolerance = 1e12;
    TEST_OK(lyra_integrator_create(ctx, &def, system, &it));
    return it;
}

// largest error of so many steps, from exact values
static double run(LyraContext *ctx, const Toy *toy, const char *name, int32_t steps)
{
    LyraSystem *system = toy_system(ctx, toy);
    LyraIntegrator *it = make(ctx, name, system);
    LyraState *state = NULL;
    TEST_OK(lyra_system_state_create(system, &state));
    double h = toy->end / steps;
    toy_set(toy, state, 0);
    if (strncmp(name, "dopri", 5) == 0) {
        // the first call feels its way; set back to exact values after it
        TEST_OK(lyra_integrator_step(it, state, h, NULL));
        toy_set(toy, state, 0);
        lyra_state_set_time(state, 0, 0);
    }
    LyraStepReport report = {0};
    double error = 0;
    for (int32_t i = 0; i < steps; ++i) {
        TEST_OK(lyra_integrator_step(it, state, h, &report));
        TEST_CHECK(report.outcome == LYRA_STEP_ACCEPTED && report.substeps == 1);
        error = fmax(error, toy_error(toy, state));
    }
    lyra_state_destroy(state);
    lyra_integrator_destroy(it);
    lyra_system_destroy(system);
    return error;
}

static void check_toy(int32_t number)
{
    const Toy *toy = &toys[number];
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; ++m) {
        double coarse = run(ctx, toy, methods[m].name, methods[m].steps[number]);
        double fine = run(ctx, toy, methods[m].name, 2 * methods[m].steps[number]);
        double slope = log2(coarse / fine);
        int32_t order = toy->damped ? methods[m].damped_order : methods[m].order;
        TEST_CHECK_MSG(fabs(slope - order) <= 0.1 * test_tolerance_scale(),
                       "%s on %s: errors %.3g and %.3g, slope %.3f, expected %d", methods[m].name,
                       toy->name, coarse, fine, slope, order);
    }
    test_context_end(ctx);
}

LYRA_TEST(orders_hold_on_a_damped_oscillator)
{
    check_toy(0);
}

LYRA_TEST(orders_hold_on_an_orbit)
{
    check_toy(1);
}

// unsymmetric, nonlinear in velocities, loads in time
LYRA_TEST(orders_hold_on_a_made_up_motion)
{
    check_toy(2);
}

// The first step of bdf3 and bdf4, which have no history yet, is one of SDIRK4: a local error of
// order 5, with loads in time.
LYRA_TEST(the_start_of_bdf_has_order_four)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const char *const names[] = {"bdf3", "bdf4"};
    const Toy *toy = &toys[2];
    for (int m = 0; m < 2; ++m) {
        double error[2];
        for (int k = 0; k < 2; ++k) {
            LyraSystem *system = toy_system(ctx, toy);
            LyraIntegratorDef def = lyra_integrator_def_default();
            def.name = names[m];
            def.newton.residual = def.newton.step = 1e-13;
            def.newton.decrement = 0;
            LyraIntegrator *it = NULL;
            LyraState *state = NULL;
            TEST_OK(lyra_integrator_create(ctx, &def, system, &it));
            TEST_OK(lyra_system_state_create(system, &state));
            toy_set(toy, state, 0);
            TEST_OK(lyra_integrator_step(it, state, 0.04 / (1 + k), NULL));
            error[k] = toy_error(toy, state);
            lyra_state_destroy(state);
            lyra_integrator_destroy(it);
            lyra_system_destroy(system);
        }
        double slope = log2(error[0] / error[1]);
        TEST_CHECK_MSG(fabs(slope - 5) <= 0.3 * test_tolerance_scale(),
                       "%s: errors %.3g and %.3g, slope %.3f, expected 5", names[m], error[0],
                       error[1], slope);
    }
    test_context_end(ctx);
}

// ---- constraints that move ----------------------------------------------------------------------

static const Chain moved = {.n = 6,
                            .m = 0.5,
                            .k = 20,
                            .q = 200,
                            .alpha = 0.2,
                            .beta = 0.01,
                            .amplitude = 0.1,
                            .moved = true,
                            .loaded = true};

static void run_chain(LyraContext *ctx, Chain settings, const char *name, int32_t steps,
                      double *out)
{
    LyraSystem *system = chain_system(ctx, settings);
    LyraIntegrator *it = make(ctx, name, system);
    LyraState *state = NULL;
    TEST_OK(lyra_system_state_create(system, &state));
    if (strncmp(name, "dopri", 5) == 0) {
        TEST_OK(lyra_integrator_step(it, state, 1.0 / steps, NULL));
        LyraStateView view = lyra_state_view(state);
        lyra_vector_fill(view.u, 0);
        lyra_vector_fill(view.v, 0);
        lyra_state_set_time(state, 0, 0);
    }
    for (int32_t i = 0; i < steps; ++i) {
        TEST_OK(lyra_integrator_step(it, state, 1.0 / steps, NULL));
    }
    LyraStateView view = lyra_state_view(state);
    double bar = settings.amplitude * sin(2 * view.time) * sin(2 * view.time);
    TEST_NEAR(lyra_vector_values(view.u)[0], bar, 0);
    memcpy(out, lyra_vector_values(view.u), (size_t)settings.n * sizeof *out);
    memcpy(out + settings.n, lyra_vector_values(view.v), (size_t)settings.n * sizeof *out);
    lyra_state_destroy(state);
    lyra_integrator_destroy(it);
    lyra_system_destroy(system);
}

LYRA_TEST(orders_hold_with_a_moving_constraint)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double exact[12], x[2][12];
    run_chain(ctx, moved, "dopri853", 400, exact);
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; ++m) {
        double error[2] = {0, 0};
        int32_t steps = methods[m].steps[3];
        for (int k = 0; k < 2; ++k) {
            run_chain(ctx, moved, methods[m].name, steps << k, x[k]);
            for (int i = 0; i < 12; ++i) {
                error[k] = fmax(error[k], fabs(x[k][i] - exact[i]));
            }
        }
        double slope = log2(error[0] / error[1]);
        TEST_CHECK_MSG(fabs(slope - methods[m].damped_order) <= 0.1 * test_tolerance_scale(),
                       "%s: errors %.3g and %.3g, slope %.3f, expected %d", methods[m].name,
                       error[0], error[1], slope, methods[m].damped_order);
    }
    test_context_end(ctx);
}
