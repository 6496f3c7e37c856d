// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// "euler": u += h v, v += h a(t, u, v), both from the start of the step. Order 1. On a mode without
// damping the amplification is |1 + i h w| > 1: it needs c >= h w^2.

#include "integrate/explicit.h"

#include <math.h>

static double amplification(const void *method, double h, double k, double c)
{
    (void)method;
    const double r[] = {1, 1};
    return ly_polynomial_amplification(1, r, h, k, c);
}

static LyraStatus step(LyraIntegrator *it, LyraState *trial, double dt)
{
    LyraStateView y = lyra_state_view(trial);
    ly_impose(it, y.time, y.u, y.v);
    LY_TRY(ly_check_critical(it, trial, dt, it->scratch, amplification, NULL));
    LY_TRY(ly_explicit_acceleration(it, trial, y.time, 0, y.u, y.v, y.a));
    lyra_vector_axpby(dt, y.v, 1, y.u);
    lyra_vector_axpby(dt, y.a, 1, y.v);
    return ly_explicit_finish(it, trial, y.time, dt);
}

const LyIntegratorType ly_euler = {
    .facts = {.name = "euler", .order = 1},
    .vector_count = 2,
    .step = step,
};
