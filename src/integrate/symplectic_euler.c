// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// "symplectic-euler": v += h a(t, u, v) from the start of the step, then u += h v with the new v.
// Order 1. Without damping and with constant steps it is central differences seen half a step
// apart: symplectic, stable up to 2/w, and it keeps linear and angular momentum, as
//   sum m x' x v' = sum m x x v' = sum m x x v + h sum x x f   with   x' = x + h v'.
// Vega's method of that name has mass damping only; a model without stiffness damping gives the
// same numbers.

#include "integrate/explicit.h"

// v' = v - h (k u + c v), u' = u + h v' on (u, v)
static double amplification(const void *method, double h, double k, double c)
{
    (void)method;
    const double A[4] = {1 - h * h * k, h * (1 - h * c), -h * k, 1 - h * c};
    return ly_spectral_radius2(A);
}

static LyraStatus step(LyraIntegrator *it, LyraState *trial, double dt)
{
    LyraStateView y = lyra_state_view(trial);
    ly_impose(it, y.time, y.u, y.v);
    LY_TRY(ly_check_critical(it, trial, dt, it->scratch, amplification, NULL));
    LY_TRY(ly_explicit_acceleration(it, trial, y.time, 0, y.u, y.v, y.a));
    lyra_vector_axpby(dt, y.a, 1, y.v);
    lyra_vector_axpby(dt, y.v, 1, y.u);
    return ly_explicit_finish(it, trial, y.time, dt);
}

const LyIntegratorType ly_symplectic_euler = {
    .facts = {.name = "symplectic-euler", .order = 1},
    .vector_count = 2,
    .step = step,
};
