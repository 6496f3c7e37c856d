// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// "verlet", velocity Verlet:
//   v_half = v + h/2 a,   u' = u + h v_half,   a' = a(t + h, u', v_half),   v' = v_half + h/2 a'.
// One evaluation a step: a' is kept in the state for the next. Symplectic, order 2 where a does not
// depend on v. Damping is evaluated at v_half instead of v', which leaves order 1; take
// "central-differences" for damped bodies. A load that changes between two steps is seen
// from the second half of the next step on.

#include "integrate/explicit.h"

// in (u, v_half) the method is that of symplectic Euler, so the limit is the same
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
    LY_TRY(ly_start_acceleration(it, trial));
    double end = ly_moment(it, y.time, dt);
    lyra_vector_axpby(0.5 * dt, y.a, 1, y.v);
    lyra_vector_axpby(dt, y.v, 1, y.u);
    ly_impose(it, end, y.u, NULL);
    LY_TRY(ly_explicit_acceleration(it, trial, end, dt, y.u, y.v, y.a));
    lyra_vector_axpby(0.5 * dt, y.a, 1, y.v);
    LY_TRY(ly_keep_acceleration(trial, end));
    return ly_explicit_finish(it, trial, y.time, dt);
}

const LyIntegratorType ly_verlet = {
    .facts = {.name = "verlet", .order = 2},
    .vector_count = 2,
    .step = step,
};
