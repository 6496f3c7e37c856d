// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Runs of the bar of [Hau04] for tests of orders; benchmark/hauth.h states it.

#ifndef INTEGRATE_HAUTH_H
#define INTEGRATE_HAUTH_H

#include "lyra_test.h"

#include "../benchmark/hauth.h"

#include <string.h>

#define BAR_SIZE (3 * 63)

// displacements, then velocities
typedef struct Motion {
    double time, values[2][BAR_SIZE];
} Motion;

static inline void copy(const LyraVector *from, double *to)
{
    memcpy(to, lyra_vector_values(from), BAR_SIZE * sizeof *to);
}

// moves the bar to `end`; dopri853 goes there in one step, with tight tolerances
static inline void run_bar(LyraContext *ctx, const char *name, double end, int32_t steps,
                           Motion *motion)
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
        LyraStateView view = lyra_state_view(bar.state);
        lyra_state_set_time(bar.state, motion->time, 0);
        memcpy(lyra_vector_values_mutable(view.u), motion->values[0], sizeof motion->values[0]);
        memcpy(lyra_vector_values_mutable(view.v), motion->values[1], sizeof motion->values[1]);
        for (int32_t i = 0; i < steps; ++i) {
            TEST_OK(lyra_integrator_step(it, bar.state, (end - motion->time) / steps, NULL));
        }
        copy(view.u, motion->values[0]);
        copy(view.v, motion->values[1]);
        motion->time = end;
    }
    lyra_integrator_destroy(it);
    hauth_end(&bar);
}

// Three runs with halved steps, from `begin` to `exact`, and the errors of displacements (field 0)
// or velocities (1). Where the leading term is not alone yet, slopes are off by a part of h: they
// are to be within `near` of the order, and within 0.1 when extrapolated to h = 0.
static inline void check_limit(LyraContext *ctx, const char *name, int32_t order, int32_t field,
                               int32_t steps, double near, const Motion *begin, const Motion *exact)
{
    double error[3];
    for (int32_t k = 0; k < 3; ++k) {
        Motion motion = *begin;
        run_bar(ctx, name, exact->time, steps << k, &motion);
        error[k] = hauth_distance(BAR_SIZE, motion.values[field], exact->values[field]);
    }
    double first = log2(error[0] / error[1]), slope = log2(error[1] / error[2]);
    double limit = 2 * slope - first, scale = test_tolerance_scale();
    printf("%s: %.3g, %.3g and %.3g %s, slopes %.3f and %.3f, in the limit %.3f\n", name, error[0],
           error[1], error[2], field ? "m/s" : "m", first, slope, limit);
    TEST_CHECK_MSG(fabs(slope - order) <= near * scale && fabs(limit - order) <= 0.1 * scale,
                   "%s: slope %.3f, in the limit %.3f, expected %d", name, slope, limit,
                   (int)order);
}

#endif
