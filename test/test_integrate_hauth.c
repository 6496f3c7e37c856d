// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The bar and the sheared cube of [Hau04]: orders of the implicit methods against dopri853, and
// live loads held for 20 s. benchmark/hauth.h states both.

#include "integrate_hauth.h"

LYRA_TEST(orders_hold_on_the_bar)
{
    // steps where truncation rules: larger ones feel the next term, smaller ones rounding
    static const struct {
        const char *name;
        int32_t order, steps;
    } methods[] = {
        {"backward-euler", 1, 400},
        {"newmark", 2, 100},
        {"generalized-alpha", 2, 100},
        {"implicit-midpoint", 2, 100},
        {"bdf2", 2, 200},
        {"bdf3", 3, 400},
        {"bdf4", 4, 400},
    };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Motion exact = {0};
    run_bar(ctx, "dopri853", 0.5, 1, &exact);
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; ++m) {
        double error[2];
        for (int32_t k = 0; k < 2; ++k) {
            Motion motion = {0};
            run_bar(ctx, methods[m].name, 0.5, methods[m].steps << k, &motion);
            error[k] = hauth_distance(BAR_SIZE, motion.values[0], exact.values[0]);
        }
        double slope = log2(error[0] / error[1]);
        printf("%s: %.3g and %.3g m, slope %.3f\n", methods[m].name, error[0], error[1], slope);
        TEST_CHECK_MSG(fabs(slope - methods[m].order) <= 0.1 * test_tolerance_scale(),
                       "%s: slope %.3f, expected %d", methods[m].name, slope, methods[m].order);
    }
    test_context_end(ctx);
}

// The bar stretches as it falls: its spectrum grows, which has to be seen. With an estimate every
// 100 steps rkc2 was lost at 400 steps and less.
static void follow_bar(const char *name, double most, double ratio)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Motion exact = {0};
    double error[5];
    run_bar(ctx, "dopri853", 0.5, 1, &exact);
    for (int32_t k = 0; k < 5; ++k) {
        Motion motion = {0};
        run_bar(ctx, name, 0.5, 50 << k, &motion);
        error[k] = hauth_distance(BAR_SIZE, motion.values[0], exact.values[0]);
        printf("%d steps: %.3g m\n", 50 << k, error[k]);
        // of a motion of 0.57 m, and by what halved steps are to lessen it
        TEST_CHECK_MSG(error[k] <= most && (k == 0 || error[k] <= error[k - 1] / ratio),
                       "%d steps: %.3g m", 50 << k, error[k]);
    }
    test_context_end(ctx);
}

LYRA_TEST(rkc2_follows_the_bar_as_it_stiffens)
{
    follow_bar("rkc2", 1e-3, 3);
}

// its stages are of order 1, and where stages are many its errors are larger and less even
LYRA_TEST(rock2_follows_the_bar_as_it_stiffens)
{
    follow_bar("rock2", 3e-3, 1.8);
}

// The viscosity damps the fastest modes at rates J of 1e4 per second and more, and Rosenbrock
// methods show their order where h J is small. Here they go on from where dopri853 took the bar,
// for 2 ms in which such steps are few. Displacements of rosenbrock4 are at rounding there, so that
// its velocities are looked at.
LYRA_TEST(orders_of_rosenbrock_methods_hold_on_the_bar)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Motion begin = {0};
    run_bar(ctx, "dopri853", 0.278, 1, &begin);
    Motion exact = begin;
    run_bar(ctx, "dopri853", 0.28, 1, &exact);
    check_limit(ctx, "rosenbrock2", 2, 0, 25, 0.1, &begin, &exact);
    check_limit(ctx, "rosenbrock3", 3, 0, 25, 0.1, &begin, &exact);
    check_limit(ctx, "amf-rk32", 3, 0, 50, 0.15, &begin, &exact);
    check_limit(ctx, "rosenbrock4", 4, 1, 100, 0.15, &begin, &exact);
    test_context_end(ctx);
}

// the loads of the cube grow with time, also where nothing has moved
LYRA_TEST(loads_that_grow_are_seen_at_rest)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Hauth cube;
    LyraVector *g = NULL;
    double size[2] = {0, 0};
    if (TEST_OK(hauth_make(ctx, HAUTH_SHEAR, false, &cube)) &&
        TEST_OK(lyra_vector_create(ctx, cube.size, &g))) {
        TEST_CHECK(!(lyra_system_traits(cube.system) & LYRA_SYSTEM_STATIONARY));
        LyraStateView view = lyra_state_view(cube.state);
        for (int32_t k = 0; k < 2; ++k) {
            LyraPoint at = {.time = k == 0 ? 0.25 : 0.75, .u = view.u, .v = view.v};
            TEST_OK(lyra_system_evaluate(cube.system, &at, &(LyraResponse){.g = g}));
            size[k] = lyra_vector_norm(g);
        }
        TEST_CHECK(size[0] > 0);
        TEST_NEAR(size[1], 3 * size[0], 1e-12 * size[0]);
    }
    lyra_vector_destroy(g);
    hauth_end(&cube);
    test_context_end(ctx);
}

// displacements of the cube after 10 ms
static void run_cube(LyraContext *ctx, const char *name, int32_t steps, double *u, int32_t *size)
{
    Hauth cube;
    LyraIntegrator *it = NULL;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = name;
    def.relative_tolerance = def.absolute_tolerance = 1e-14;
    if (TEST_OK(hauth_make(ctx, HAUTH_SHEAR, false, &cube)) &&
        TEST_OK(lyra_integrator_create(ctx, &def, cube.system, &it))) {
        for (int32_t s = 0; s < steps; ++s) {
            TEST_OK(lyra_integrator_step(it, cube.state, 0.01 / steps, NULL));
        }
        *size = cube.size;
        memcpy(u, lyra_vector_values(lyra_state_view(cube.state).u), (size_t)cube.size * sizeof *u);
    }
    lyra_integrator_destroy(it);
    hauth_end(&cube);
}

// ... and Rosenbrock methods take their growth into the step: without it rosenbrock4, which is not
// a W-method, is of order 1 there
LYRA_TEST(rosenbrock_methods_follow_loads_that_grow)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const char *const names[] = {"rosenbrock2", "rosenbrock3", "rosenbrock4", "amf-rk32"};
    double exact[3 * 125] = {0}, u[3 * 125] = {0};
    const double zero[3 * 125] = {0};
    int32_t size = 0;
    run_cube(ctx, "dopri853", 1, exact, &size);
    TEST_EQUAL(size, 3 * 125);
    double most = hauth_distance(size, exact, zero);
    for (int32_t m = 0; m < 4; ++m) {
        run_cube(ctx, names[m], 40, u, &size);
        double error = hauth_distance(size, u, exact) / most;
        printf("%s: %.3g of %.3g m\n", names[m], error, most);
        TEST_CHECK_MSG(error <= 1e-4, "%s: off by %.3g", names[m], error);
    }
    test_context_end(ctx);
}

// 20 s of 10 ms; the largest displacement stays where it was after 3 s
LYRA_TEST(live_loads_are_held_for_20_seconds)
{
    static const char *const names[] = {
        "newmark", "generalized-alpha", "implicit-midpoint", "bdf2",        "bdf3",
        "bdf4",    "rosenbrock2",       "rosenbrock3",       "rosenbrock4", "amf-rk32"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (size_t m = 0; m < sizeof names / sizeof names[0]; ++m) {
        Hauth cube;
        LyraIntegrator *it = NULL;
        LyraIntegratorDef def = lyra_integrator_def_default();
        def.name = names[m];
        double early = 0, late = 0, least = INFINITY;
        if (TEST_OK(hauth_make(ctx, HAUTH_SHEAR, false, &cube)) &&
            TEST_OK(lyra_integrator_create(ctx, &def, cube.system, &it))) {
            for (int32_t s = 1; s <= 2000; ++s) {
                LyraStepReport report;
                if (!TEST_OK(lyra_integrator_step(it, cube.state, 0.01, &report))) {
                    break;
                }
                TEST_CHECK_MSG(report.substeps == 1, "%s, step %d: halved", names[m], (int)s);
                double most = 0;
                const double *u = lyra_vector_values(lyra_state_view(cube.state).u);
                for (int32_t i = 0; i < cube.size; ++i) {
                    most = fmax(most, fabs(u[i]));
                }
                least = fmin(least, report.min_det);
                early = s == 300 ? most : early;
                late = most;
            }
        }
        printf("%s: %.4f mm after 3 s, %.4f mm after 20 s\n", names[m], 1e3 * early, 1e3 * late);
        TEST_CHECK_MSG(early > 5e-3 && fabs(late - early) <= 0.05 * early && least > 0.5,
                       "%s: %g m after 3 s, %g m after 20 s, det F down to %g", names[m], early,
                       late, least);
        lyra_integrator_destroy(it);
        hauth_end(&cube);
    }
    test_context_end(ctx);
}
