// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The bar and the sheared cube of [Hau04]: orders of the implicit methods against dopri853, and
// live loads held for 20 s. benchmark/hauth.h states both.

#include "lyra_test.h"

#include "../benchmark/hauth.h"

#include <string.h>

#define BAR_SIZE (3 * 63)

// displacements after 0.5 s; 1 step and tight tolerances for dopri853
static void run_bar(LyraContext *ctx, const char *name, int32_t steps, double *u)
{
    Hauth bar;
    LyraIntegrator *it = NULL;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = name;
    def.critical = LYRA_CRITICAL_IGNORE;
    def.relative_tolerance = def.absolute_tolerance = 1e-14;
    def.newton.decrement = def.newton.residual = def.newton.step = 0; // to rounding
    if (TEST_OK(hauth_make(ctx, HAUTH_BAR, false, &bar)) &&
        TEST_OK(lyra_integrator_create(ctx, &def, bar.system, &it))) {
        TEST_EQUAL(bar.size, BAR_SIZE);
        for (int32_t i = 0; i < steps; ++i) {
            TEST_OK(lyra_integrator_step(it, bar.state, 0.5 / steps, NULL));
        }
        memcpy(u, lyra_vector_values(lyra_state_view(bar.state).u), BAR_SIZE * sizeof *u);
    }
    lyra_integrator_destroy(it);
    hauth_end(&bar);
}

LYRA_TEST(orders_hold_on_the_bar)
{
    // steps where truncation rules: larger ones feel the next term, smaller ones rounding.
    // Rosenbrock methods need steps below 0.1 ms for that and are not checked here:
    // docs/integrators.md has what they do.
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
    double exact[BAR_SIZE], u[BAR_SIZE];
    run_bar(ctx, "dopri853", 1, exact);
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; ++m) {
        double error[2];
        for (int32_t k = 0; k < 2; ++k) {
            run_bar(ctx, methods[m].name, methods[m].steps << k, u);
            error[k] = hauth_distance(BAR_SIZE, u, exact);
        }
        double slope = log2(error[0] / error[1]);
        printf("%s: %.3g and %.3g m, slope %.3f\n", methods[m].name, error[0], error[1], slope);
        TEST_CHECK_MSG(fabs(slope - methods[m].order) <= 0.1 * test_tolerance_scale(),
                       "%s: slope %.3f, expected %d", methods[m].name, slope, methods[m].order);
    }
    test_context_end(ctx);
}

// 20 s of 10 ms; the largest displacement stays where it was after 3 s
LYRA_TEST(live_loads_are_held_for_20_seconds)
{
    static const char *const names[] = {
        "newmark", "generalized-alpha", "implicit-midpoint", "bdf2",       "bdf3",
        "bdf4",    "rosenbrock2",       "rosenbrock3",       "rosenbrock4"};
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
