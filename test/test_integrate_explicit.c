// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the explicit and linearly implicit integrators promise besides their order: critical steps,
// momentum, energy, control of errors, dense output, restarts, threads, memory.

#include "integrate_toys.h"

#include "integrate/explicit.h"

static const char *const names[] = {
    "euler",
    "symplectic-euler",
    "verlet",
    "central-differences",
    "explicit-midpoint",
    "rk4",
    "rk38",
    "dopri5",
    "dopri853",
    "rkc2",
    "rock2",
    "rosenbrock2",
    "rosenbrock3",
    "rosenbrock4",
    "amf-rk32",
};
#define NAME_COUNT ((int32_t)(sizeof names / sizeof names[0]))

static LyraIntegrator *make(LyraContext *ctx, LyraIntegratorDef def, const char *name,
                            LyraSystem *system)
{
    LyraIntegrator *it = NULL;
    def.name = name;
    TEST_OK(lyra_integrator_create(ctx, &def, system, &it));
    return it;
}

static LyraState *make_state(LyraSystem *system)
{
    LyraState *state = NULL;
    TEST_OK(lyra_system_state_create(system, &state));
    return state;
}

// a smooth bump of velocities
static void kick(LyraState *state)
{
    LyraStateView view = lyra_state_view(state);
    int32_t n = lyra_vector_size(view.v);
    for (int32_t i = 0; i < n; ++i) {
        lyra_vector_values_mutable(view.v)[i] = sin(0.7 * i + 0.3) + (i % 5 == 2);
    }
}

// ---- critical steps -----------------------------------------------------------------------------

static LyraStatus step_once(LyraContext *ctx, Chain chain, const char *name,
                            LyraCriticalStep critical, double h, LyraStepReport *report)
{
    LyraSystem *system = chain_system(ctx, chain);
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.critical = critical;
    LyraIntegrator *it = make(ctx, def, name, system);
    LyraState *state = make_state(system), *before = NULL;
    kick(state);
    TEST_OK(lyra_state_copy(state, &before));
    LyraStatus status = lyra_integrator_step(it, state, h, report);
    TEST_CHECK(lyra_state_equal(state, before) == (status != LYRA_OK));
    lyra_state_destroy(before);
    lyra_state_destroy(state);
    lyra_integrator_destroy(it);
    lyra_system_destroy(system);
    return status;
}

LYRA_TEST(critical_steps_are_those_of_the_chain)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double xi = 0.15;
    for (int held = 0; held < 2; ++held) {
        Chain chain = {.n = 40, .m = 0.3, .k = 50, .moved = held};
        double w = sqrt(chain_largest(&chain));
        Chain damped = chain;
        damped.beta = 2 * xi / w; // fraction xi of critical at the largest frequency
        // root of |R| = 1 for rk4 is on the axis at 2 sqrt 2; with damping, central differences
        // keep 2/w, and symplectic Euler has h w = sqrt(4 + 4 xi^2) - 2 xi
        const struct {
            const char *name;
            Chain chain;
            double h;
        } cases[] = {
            {"symplectic-euler", chain, 2 / w},
            {"verlet", chain, 2 / w},
            {"central-differences", chain, 2 / w},
            {"explicit-implicit-newmark", chain, 2 / w},
            {"explicit-implicit-newmark", damped, 2 * (sqrt(1 + xi * xi) + xi) / w},
            {"rk4", chain, sqrt(8) / w},
            {"rk38", chain, sqrt(8) / w},
            {"symplectic-euler", damped, 2 * (sqrt(1 + xi * xi) - xi) / w},
            {"verlet", damped, 2 * (sqrt(1 + xi * xi) - xi) / w},
            {"central-differences", damped, 2 / w},
            {"euler", damped, 2 * xi / w},
        };
        for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
            LyraStepReport report;
            TEST_OK(step_once(ctx, cases[k].chain, cases[k].name, LYRA_CRITICAL_REFUSE,
                              0.98 * cases[k].h, &report));
            TEST_CHECK_MSG(fabs(report.critical_dt / cases[k].h - 1) <= 0.01,
                           "%s: critical step %.6g, expected %.6g", cases[k].name,
                           report.critical_dt, cases[k].h);
            TEST_CHECK(step_once(ctx, cases[k].chain, cases[k].name, LYRA_CRITICAL_REFUSE,
                                 1.02 * cases[k].h, &report) != LYRA_OK);
            TEST_EQUAL(report.outcome, LYRA_STEP_UNSTABLE);
            TEST_CONTAINS(lyra_error_message(), "beyond the critical step");
            TEST_OK(step_once(ctx, cases[k].chain, cases[k].name, LYRA_CRITICAL_WARN,
                              1.02 * cases[k].h, &report));
            TEST_OK(step_once(ctx, cases[k].chain, cases[k].name, LYRA_CRITICAL_IGNORE,
                              1.02 * cases[k].h, &report));
            TEST_NEAR(report.critical_dt, 0, 0);
        }
    }
    test_context_end(ctx);
}

// what is called stable stays bounded, and what is not does not
LYRA_TEST(critical_steps_divide_bounded_from_growing)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Chain chain = {.n = 20, .m = 0.3, .k = 50, .beta = 0.004, .alpha = 0.05};
    for (int32_t k = 0; k < NAME_COUNT; ++k) {
        LyraStepReport report;
        if (strncmp(names[k], "rosen", 5) == 0 || strncmp(names[k], "amf", 3) == 0 ||
            strncmp(names[k], "dopri", 5) == 0) {
            continue;
        }
        TEST_OK(step_once(ctx, chain, names[k], LYRA_CRITICAL_WARN, 1e-3, &report));
        // "rkc2" and "rock2" answer for the stages of their step
        double critical = report.critical_dt;
        for (int beyond = 0; beyond < 2; ++beyond) {
            LyraSystem *system = chain_system(ctx, chain);
            LyraIntegratorDef def = lyra_integrator_def_default();
            def.critical = LYRA_CRITICAL_IGNORE;
            def.stages = strcmp(names[k], "rock2") == 0 ? 3 : 2;
            LyraIntegrator *it = make(ctx, def, names[k], system);
            LyraState *state = make_state(system);
            kick(state);
            double h = critical * (beyond ? 1.05 : 0.98), first = 0, last = 0;
            for (int i = 0; i < 3000 && last < 1e6; ++i) {
                TEST_OK(lyra_integrator_step(it, state, h, &report));
                last = report.kinetic + report.elastic;
                first = i == 0 ? last : first;
            }
            TEST_CHECK_MSG(beyond ? last > first : last < first,
                           "%s: at %g of the critical step %g the energy went from %g to %g",
                           names[k], h / critical, critical, first, last);
            lyra_state_destroy(state);
            lyra_integrator_destroy(it);
            lyra_system_destroy(system);
        }
    }
    test_context_end(ctx);
}

static void count_warnings(void *user, LyraLogLevel level, const char *message)
{
    *(int32_t *)user += level == LYRA_LOG_WARNING && strstr(message, "critical step") != NULL;
}

LYRA_TEST(warnings_come_with_the_estimates)
{
    int32_t warnings = 0;
    LyraContextDef context = lyra_context_def_default();
    LyraContext *ctx = NULL;
    context.log = count_warnings;
    context.log_user = &warnings;
    TEST_REQUIRE_OK(lyra_context_create(&context, &ctx));
    Chain chain = {.n = 10, .m = 1, .k = 100};
    LyraSystem *system = chain_system(ctx, chain);
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.critical_interval = 4;
    LyraIntegrator *it = make(ctx, def, "verlet", system);
    LyraState *state = make_state(system);
    for (int i = 0; i < 10; ++i) {
        TEST_OK(lyra_integrator_step(it, state, 1, NULL));
    }
    TEST_EQUAL(warnings, 3);
    lyra_state_destroy(state);
    lyra_integrator_destroy(it);
    // "rkc2" takes its stages from them: at the steps 0, 1, 3, 7, 15, ... of a chain that does not
    // change, 100 apart at most; test_integrate_hauth.c has a body that does
    static const int32_t counts[][2] = {{1, 1},   {2, 2},   {3, 2},   {4, 3},   {127, 7}, {128, 8},
                                        {191, 8}, {192, 8}, {227, 8}, {228, 9}, {328, 10}};
    def.critical_interval = 100;
    it = make(ctx, def, "rkc2", system);
    state = make_state(system);
    warnings = 0;
    int32_t steps = 0;
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; ++k) {
        for (; steps < counts[k][0]; ++steps) {
            TEST_OK(lyra_integrator_step(it, state, 1, NULL));
        }
        TEST_EQUAL(warnings, counts[k][1]);
    }
    lyra_state_destroy(state);
    lyra_integrator_destroy(it);
    lyra_system_destroy(system);
    lyra_context_destroy(ctx);
}

// a stiff, strongly damped chain: the number of stages grows with the step, and the motion decays
static void check_stages(const char *name)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Chain chain = {.n = 30, .m = 0.1, .k = 1000, .beta = 0.05};
    int32_t before = 0;
    for (double h = 1e-3; h < 0.1; h *= 3) {
        LyraSystem *system = chain_system(ctx, chain);
        LyraIntegratorDef def = lyra_integrator_def_default();
        def.critical = LYRA_CRITICAL_REFUSE;
        LyraIntegrator *it = make(ctx, def, name, system);
        LyraState *state = make_state(system);
        LyraStepReport report;
        kick(state);
        TEST_OK(lyra_integrator_step(it, state, h, &report));
        TEST_OK(lyra_integrator_step(it, state, h, &report));
        int32_t stages = report.evaluations;
        double energy = report.kinetic + report.elastic;
        TEST_CHECK_MSG(stages > before && report.critical_dt >= h,
                       "%d evaluations at %g, %d before, critical step %g", stages, h, before,
                       report.critical_dt);
        before = stages;
        for (int i = 0; i < 200; ++i) {
            TEST_OK(lyra_integrator_step(it, state, h, &report));
            TEST_CHECK(report.kinetic + report.elastic <= energy * (1 + 1e-12));
            energy = report.kinetic + report.elastic;
        }
        lyra_state_destroy(state);
        lyra_integrator_destroy(it);
        lyra_system_destroy(system);
    }
    test_context_end(ctx);
}

LYRA_TEST(chebyshev_takes_the_stages_that_it_needs)
{
    check_stages("rkc2");
}

LYRA_TEST(orthogonal_polynomials_take_the_stages_that_they_need)
{
    check_stages("rock2");
}

// the fewest evaluations of all that are stable at dt: so many parts of so many stages
static int32_t fewest_evaluations(const LySpectrum *spectrum, double dt)
{
    static LyRock method;
    int32_t best = INT32_MAX;
    for (int32_t s = 3; s <= 60; ++s) {
        ly_rock(s, &method);
        for (int32_t parts = 1; parts <= 256 && parts * s < best; ++parts) {
            if (ly_is_stable(spectrum, ly_rock_amplification, &method, dt / parts)) {
                best = parts * s;
            }
        }
    }
    return best;
}

// From modes that are damped beyond critical, where one part of many stages is best, to light
// damping, which wants short steps: the energy falls, and no choice of parts and stages takes
// a fifth fewer evaluations. Without damping there is no such choice.
LYRA_TEST(stages_and_steps_of_rock2_are_in_balance)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    int32_t parts_before = 0;
    for (double beta = 0.05; beta > 1e-4; beta /= 5) {
        Chain chain = {.n = 20, .m = 0.1, .k = 1000, .beta = beta};
        LyraSystem *system = chain_system(ctx, chain);
        LyraIntegratorDef def = lyra_integrator_def_default();
        def.critical = LYRA_CRITICAL_REFUSE;
        LyraIntegrator *it = make(ctx, def, "rock2", system);
        LyraState *state = make_state(system);
        LyraStepReport report;
        double dt = 0.05, first = 0;
        kick(state);
        for (int i = 0; i < 200; ++i) {
            TEST_OK(lyra_integrator_step(it, state, dt, &report));
            first = i == 0 ? report.kinetic + report.elastic : first;
        }
        TEST_CHECK(report.kinetic + report.elastic < first);
        // the driver looks at the forces six times for its account
        report.evaluations -= 6;
        LySpectrum grown = {.stiffness = 1.12 * chain_largest(&chain), .beta = beta};
        int32_t best = fewest_evaluations(&grown, dt);
        TEST_CHECK_MSG(report.evaluations <= 1.2 * best && report.evaluations >= best &&
                           report.critical_dt >= dt,
                       "beta %g: %d evaluations in %d parts, the best takes %d", beta,
                       report.evaluations, report.substeps, best);
        TEST_CHECK(report.substeps >= parts_before && report.error > 0);
        parts_before = report.substeps;
        lyra_state_destroy(state);
        lyra_integrator_destroy(it);
        lyra_system_destroy(system);
    }
    TEST_CHECK(parts_before > 4);
    LyraStepReport report;
    Chain undamped = {.n = 20, .m = 0.1, .k = 1000};
    TEST_CHECK(step_once(ctx, undamped, "rock2", LYRA_CRITICAL_REFUSE, 0.05, &report) != LYRA_OK);
    TEST_EQUAL(report.outcome, LYRA_STEP_UNSTABLE);
    test_context_end(ctx);
}

// ---- what is kept -------------------------------------------------------------------------------

// the orbit is a free body about a centre: its angular momentum is that of internal forces
LYRA_TEST(angular_momentum_is_kept)
{
    static const char *const keep[] = {"symplectic-euler", "verlet", "central-differences"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (size_t k = 0; k < 3; ++k) {
        LyraSystem *system = toy_system(ctx, &toys[1]);
        LyraIntegratorDef def = lyra_integrator_def_default();
        def.critical = LYRA_CRITICAL_IGNORE;
        LyraIntegrator *it = make(ctx, def, keep[k], system);
        LyraState *state = make_state(system);
        toy_set(&toys[1], state, 0);
        LyraStateView view = lyra_state_view(state);
        const double *u = lyra_vector_values(view.u), *v = lyra_vector_values(view.v);
        double first = u[0] * v[1] - u[1] * v[0];
        double energy_first = 0.5 * (v[0] * v[0] + v[1] * v[1]) - 1 / hypot(u[0], u[1]);
        double worst = 0, drift[2] = {0, 0}, h = 0.02;
        int32_t steps = 20000;
        LyraStepReport report;
        for (int32_t i = 0; i < steps; ++i) {
            TEST_OK(lyra_integrator_step(it, state, h, &report));
            view = lyra_state_view(state);
            u = lyra_vector_values(view.u), v = lyra_vector_values(view.v);
            worst = fmax(worst, fabs((u[0] * v[1] - u[1] * v[0]) / first - 1));
            double *half = &drift[i >= steps / 2];
            *half = fmax(*half, fabs(report.kinetic + report.elastic - energy_first));
        }
        // central differences report velocities that are right to second order only
        if (k < 2) {
            TEST_CHECK_MSG(worst <= 1e-12, "%s: angular momentum off by %.3g", keep[k], worst);
        }
        // 64 orbits: the error of the energy oscillates and does not grow
        TEST_CHECK_MSG(drift[1] < 1.05 * drift[0] && drift[0] < 0.02,
                       "%s: energy off by %.3g in the first half, %.3g in the second", keep[k],
                       drift[0], drift[1]);
        lyra_state_destroy(state);
        lyra_integrator_destroy(it);
        lyra_system_destroy(system);
    }
    test_context_end(ctx);
}

// the acceleration at the end of a step is that of the next one's start
LYRA_TEST(verlet_evaluates_once_a_step)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    int32_t evaluations[2] = {0, 0};
    for (int k = 0; k < 2; ++k) {
        LyraSystem *system = chain_system(ctx, (Chain){.n = 10, .m = 1, .k = 100, .q = 3});
        LyraIntegrator *it = make(ctx, lyra_integrator_def_default(), names[1 + k], system);
        LyraState *state = make_state(system);
        LyraStepReport report;
        kick(state);
        for (int i = 0; i < 5; ++i) {
            TEST_OK(lyra_integrator_step(it, state, 0.01, &report));
            evaluations[k] = report.evaluations;
        }
        lyra_state_destroy(state);
        lyra_integrator_destroy(it);
        lyra_system_destroy(system);
    }
    TEST_STRING(names[2], "verlet");
    TEST_EQUAL(evaluations[0], evaluations[1]);
    test_context_end(ctx);
}

// ---- control of errors --------------------------------------------------------------------------

LYRA_TEST(error_control_meets_its_tolerances)
{
    static const char *const pairs[] = {"dopri5", "dopri853"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (size_t k = 0; k < 2; ++k) {
        for (size_t toy = 0; toy < 3; ++toy) {
            double before = INFINITY;
            int32_t cost = 0;
            for (double tolerance = 1e-4; tolerance > 1e-11; tolerance /= 100) {
                LyraSystem *system = toy_system(ctx, &toys[toy]);
                LyraIntegratorDef def = lyra_integrator_def_default();
                def.absolute_tolerance = def.relative_tolerance = tolerance;
                LyraIntegrator *it = make(ctx, def, pairs[k], system);
                LyraState *state = make_state(system);
                LyraStepReport report;
                toy_set(&toys[toy], state, 0);
                TEST_OK(lyra_integrator_step(it, state, toys[toy].end, &report));
                double error = toy_error(&toys[toy], state);
                // along the orbit errors grow
                double bound = (toy == 1 ? 600 : 60) * tolerance;
                TEST_CHECK_MSG(error <= bound && error < before,
                               "%s on %s: error %.3g with tolerance %g", pairs[k], toys[toy].name,
                               error, tolerance);
                TEST_CHECK(report.substeps > 1 && report.error <= 1 && report.error > 0);
                TEST_CHECK(report.evaluations > cost);
                cost = report.evaluations;
                before = error;
                lyra_state_destroy(state);
                lyra_integrator_destroy(it);
                lyra_system_destroy(system);
            }
        }
    }
    test_context_end(ctx);
}

// a force that ends: no step is small enough there, and the state is as before
static void wall_force(void *user, double t, const double *u, const double *v, double *g,
                       double *energy)
{
    (void)user, (void)t, (void)v, (void)energy;
    g[0] += u[0] < 1 ? 0 : NAN;
}

LYRA_TEST(error_control_gives_up_in_words)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Toy toy = toys[0];
    toy.force = wall_force;
    LyraSystem *system = toy_system(ctx, &toy);
    LyraIntegrator *it = make(ctx, lyra_integrator_def_default(), "dopri5", system);
    LyraState *state = make_state(system), *before = NULL;
    lyra_vector_values_mutable(lyra_state_view(state).v)[0] = 60;
    TEST_OK(lyra_state_copy(state, &before));
    LyraStepReport report;
    TEST_CHECK(lyra_integrator_step(it, state, 1, &report) != LYRA_OK);
    TEST_EQUAL(report.outcome, LYRA_STEP_TOO_SMALL);
    TEST_CONTAINS(lyra_error_message(), "the step shrank");
    TEST_CHECK(lyra_state_equal(state, before));
    TEST_STATUS(lyra_integrator_interpolate(it, 0, lyra_state_view(state).u, NULL),
                LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "without a step that succeeded");
    lyra_state_destroy(before);
    lyra_state_destroy(state);
    lyra_integrator_destroy(it);
    lyra_system_destroy(system);
    test_context_end(ctx);
}

// nothing, until the energy ends at 1 s
static void late_force(void *user, double t, const double *u, const double *v, double *g,
                       double *energy)
{
    (void)user, (void)u, (void)v, (void)g;
    if (energy) {
        *energy += t < 1 ? 0 : NAN;
    }
}

// a step is not accepted into a place that the next could not leave
LYRA_TEST(energies_are_finite_where_a_step_ends)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Toy toy = toys[0];
    toy.force = late_force;
    LyraSystem *system = toy_system(ctx, &toy);
    LyraIntegrator *it = make(ctx, lyra_integrator_def_default(), "euler", system);
    LyraState *state = make_state(system), *before = NULL;
    LyraStepReport report;
    TEST_OK(lyra_integrator_step(it, state, 0.5, &report));
    TEST_OK(lyra_state_copy(state, &before));
    TEST_STATUS(lyra_integrator_step(it, state, 0.5, &report), LYRA_NOT_FINITE);
    TEST_EQUAL(report.outcome, LYRA_STEP_NOT_FINITE);
    TEST_CONTAINS(lyra_error_message(), "energies at 1 s");
    TEST_CHECK(lyra_state_equal(state, before));
    TEST_OK(lyra_integrator_step(it, state, 0.25, NULL));
    lyra_state_destroy(before);
    lyra_state_destroy(state);
    lyra_integrator_destroy(it);
    lyra_system_destroy(system);
    test_context_end(ctx);
}

// largest error of u and v at the middle of one step of h
static double dense_error(LyraContext *ctx, const char *name, double h)
{
    const Toy *toy = &toys[2];
    LyraSystem *system = toy_system(ctx, toy);
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.absolute_tolerance = def.relative_tolerance = 1e12;
    LyraIntegrator *it = make(ctx, def, name, system);
    LyraState *state = make_state(system), *middle = make_state(system);
    LyraStateView view = lyra_state_view(middle);
    toy_set(toy, state, 0);
    TEST_OK(lyra_integrator_step(it, state, h, NULL));
    toy_set(toy, state, 0);
    lyra_state_set_time(state, 0, 0);
    TEST_OK(lyra_integrator_step(it, state, h, NULL));
    TEST_OK(lyra_integrator_interpolate(it, 0.4 * h, view.u, view.v));
    lyra_state_set_time(middle, 0.4 * h, 0);
    double error = toy_error(toy, middle);
    // both ends are those of the step
    LyraStateView end = lyra_state_view(state);
    TEST_OK(lyra_integrator_interpolate(it, h, view.u, NULL));
    TEST_NEAR(lyra_vector_values(view.u)[0], lyra_vector_values(end.u)[0], 1e-14);
    TEST_STATUS(lyra_integrator_interpolate(it, 1.01 * h, view.u, view.v), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_integrator_interpolate(it, -0.01 * h, view.u, view.v), LYRA_INVALID_ARGUMENT);
    lyra_state_destroy(state);
    lyra_state_destroy(middle);
    lyra_integrator_destroy(it);
    lyra_system_destroy(system);
    return error;
}

// outputs of order 4 and 7 have errors of h^5 and h^8 in one step
LYRA_TEST(dense_output_has_its_order)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double slope5 = log2(dense_error(ctx, "dopri5", 0.1) / dense_error(ctx, "dopri5", 0.05));
    double slope8 = log2(dense_error(ctx, "dopri853", 0.5) / dense_error(ctx, "dopri853", 0.25));
    TEST_CHECK_MSG(slope5 > 4.7, "dopri5: slope %.3f", slope5);
    TEST_CHECK_MSG(slope8 > 7.7, "dopri853: slope %.3f", slope8);
    LyraSystem *system = toy_system(ctx, &toys[2]);
    LyraIntegrator *it = make(ctx, lyra_integrator_def_default(), "rk4", system);
    LyraState *state = make_state(system);
    LyraStateView view = lyra_state_view(state);
    TEST_STATUS(lyra_integrator_interpolate(it, 0, view.u, view.v), LYRA_UNSUPPORTED);
    lyra_state_destroy(state);
    lyra_integrator_destroy(it);
    lyra_system_destroy(system);
    test_context_end(ctx);
}

// ---- restarts, threads, memory ------------------------------------------------------------------

static const Chain nonlinear = {.n = 12,
                                .m = 0.5,
                                .k = 20,
                                .q = 200,
                                .alpha = 0.2,
                                .beta = 0.02,
                                .amplitude = 0.1,
                                .moved = true,
                                .loaded = true};

static LyraIntegratorDef restart_def(int32_t damping_update)
{
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.critical_interval = 7;
    def.damping_update = damping_update;
    return def;
}

static void check_restart(LyraContext *ctx, const char *name, int32_t damping_update)
{
    LyraSystem *system[2] = {chain_system(ctx, nonlinear), chain_system(ctx, nonlinear)};
    LyraIntegrator *it[2] = {make(ctx, restart_def(damping_update), name, system[0]), NULL};
    LyraState *state[2] = {make_state(system[0]), make_state(system[1])};
    kick(state[0]);
    for (int i = 0; i < 10; ++i) {
        TEST_OK(lyra_integrator_step(it[0], state[0], i % 3 ? 0.01 : 0.008, NULL));
    }
    size_t bytes = lyra_state_packed_size(state[0]);
    void *packed = malloc(bytes);
    lyra_state_pack(state[0], packed);
    TEST_OK(lyra_state_unpack(state[1], packed, bytes));
    it[1] = make(ctx, restart_def(damping_update), name, system[1]);
    for (int i = 10; i < 30; ++i) {
        for (int k = 0; k < 2; ++k) {
            TEST_OK(lyra_integrator_step(it[k], state[k], i % 3 ? 0.01 : 0.008, NULL));
        }
    }
    TEST_CHECK_MSG(lyra_state_equal(state[0], state[1]), "%s: another state after a restart", name);
    free(packed);
    for (int k = 0; k < 2; ++k) {
        lyra_state_destroy(state[k]);
        lyra_integrator_destroy(it[k]);
        lyra_system_destroy(system[k]);
    }
}

LYRA_TEST(a_restart_continues_with_the_same_bits)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t k = 0; k < NAME_COUNT; ++k) {
        check_restart(ctx, names[k], 1);
    }
    check_restart(ctx, "central-differences", 0);
    check_restart(ctx, "central-differences", 4);
    test_context_end(ctx);
}

static void run_large(LyraContext *ctx, void *data, void *out)
{
    Chain chain = nonlinear;
    chain.n = 20000;
    LyraSystem *system = chain_system(ctx, chain);
    LyraIntegrator *it = make(ctx, lyra_integrator_def_default(), data, system);
    LyraState *state = make_state(system);
    kick(state);
    for (int i = 0; i < 3; ++i) {
        TEST_OK(lyra_integrator_step(it, state, 0.01, NULL));
    }
    LyraStateView view = lyra_state_view(state);
    size_t bytes = (size_t)chain.n * sizeof(double);
    memcpy(out, lyra_vector_values(view.u), bytes);
    memcpy((char *)out + bytes, lyra_vector_values(view.v), bytes);
    lyra_state_destroy(state);
    lyra_integrator_destroy(it);
    lyra_system_destroy(system);
}

LYRA_TEST(threads_do_not_change_bits)
{
    for (int32_t k = 0; k < NAME_COUNT; ++k) {
        test_same_bits(run_large, (void *)names[k], 2 * 20000 * sizeof(double));
    }
}

LYRA_TEST(steps_after_the_first_allocate_nothing)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    for (int32_t k = 0; k < NAME_COUNT; ++k) {
        LyraSystem *system = chain_system(ctx, nonlinear);
        LyraIntegrator *it = make(ctx, restart_def(3), names[k], system);
        LyraState *state = make_state(system);
        kick(state);
        TEST_OK(lyra_integrator_step(it, state, 0.01, NULL));
        int64_t before = test_allocation_count();
        for (int i = 0; i < 20; ++i) {
            TEST_OK(lyra_integrator_step(it, state, 0.01, NULL));
        }
        TEST_CHECK_MSG(test_allocation_count() == before, "%s: %lld allocations", names[k],
                       (long long)(test_allocation_count() - before));
        lyra_state_destroy(state);
        lyra_integrator_destroy(it);
        lyra_system_destroy(system);
    }
    test_context_end(ctx);
}

static LyraStatus create_and_step(LyraContext *ctx, void *data)
{
    LyraSystem *system = NULL;
    LyraIntegratorDef def = lyra_integrator_def_default();
    LyraIntegrator *it = NULL;
    LyraState *state = NULL;
    def.name = data;
    LyraStatus status = chain_create(ctx, nonlinear, &system);
    status = status == LYRA_OK ? lyra_integrator_create(ctx, &def, system, &it) : status;
    status = status == LYRA_OK ? lyra_state_create(ctx, nonlinear.n, &state) : status;
    status = status == LYRA_OK ? lyra_integrator_step(it, state, 0.01, NULL) : status;
    lyra_state_destroy(state);
    lyra_integrator_destroy(it);
    lyra_system_destroy(system);
    return status;
}

LYRA_TEST(each_failing_allocation_is_a_status)
{
    for (int32_t k = 0; k < NAME_COUNT; ++k) {
        test_fail_each_allocation(create_and_step, (void *)names[k]);
    }
}

// modes of the damping: with D constant, all three are the same motion
LYRA_TEST(damping_modes_agree_where_damping_is_constant)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraState *state[3];
    LyraSystem *system[3];
    const int32_t modes[3] = {1, 0, 5};
    for (int k = 0; k < 3; ++k) {
        system[k] = chain_system(ctx, nonlinear);
        LyraIntegrator *it = make(ctx, restart_def(modes[k]), "central-differences", system[k]);
        state[k] = make_state(system[k]);
        LyraStepReport report;
        int32_t factorisations = 0;
        kick(state[k]);
        for (int i = 0; i < 20; ++i) {
            TEST_OK(lyra_integrator_step(it, state[k], 0.01, &report));
            factorisations += report.factorisations;
        }
        // estimates, every 7 steps, take the system for themselves
        TEST_EQUAL(factorisations, k == 0 ? 20 : k == 1 ? 3 : 6);
        TEST_NEAR(lyra_vector_values(lyra_state_view(state[k]).u)[3],
                  lyra_vector_values(lyra_state_view(state[0]).u)[3], 1e-13);
        lyra_integrator_destroy(it);
    }
    for (int k = 0; k < 3; ++k) {
        lyra_state_destroy(state[k]);
        lyra_system_destroy(system[k]);
    }
    test_context_end(ctx);
}
