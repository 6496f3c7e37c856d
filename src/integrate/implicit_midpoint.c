// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The implicit midpoint rule, of second order, A-stable and symplectic. In the unknown q, the mean
// acceleration of the step:
//
//   M q + g(t_0 + h/2, u_m, v_m) = 0,   v_m = v_0 + h q/2,   u_m = u_0 + h v_m/2,
//   v_1 = v_0 + h q,   u_1 = u_0 + h v_m.
//
// It keeps linear and angular momentum of a free body: h sum f(u_m) is zero, and so is
// u_m x f(u_m), the change of sum x x m v being exactly h sum x_m x f. The damping is frozen at
// u_0 + h v_0/2.

#include "integrate/methods.h"

enum { Q, U_0, V_0, A_0, U_D, COUNT };

static LyraStatus step(LyraIntegrator *it, LyraState *trial, double h)
{
    LyraStateView view = lyra_state_view(trial);
    double t = view.time, middle = t + 0.5 * h, end = ly_moment(it, t, h);
    LyraVector *q = it->scratch[Q], *u_0 = it->scratch[U_0];
    LyraVector *v_0 = it->scratch[V_0], *a_0 = it->scratch[A_0];

    lyra_vector_sum(0.5 * h, view.v, view.u, u_0);
    LY_TRY(ly_update_damping(it, t, h, u_0, view.v, trial));
    lyra_vector_copy(view.v, v_0);
    lyra_vector_fill(a_0, 0);
    const LyStage stage = {.time = middle,
                           .dt = 0.5 * h,
                           .u_q = 0.25 * h * h,
                           .v_q = 0.5 * h,
                           .a_q = 1,
                           .u_0 = u_0,
                           .v_0 = v_0,
                           .a_0 = a_0,
                           .previous = view.u,
                           .committed = trial};
    // u_1 = u_0 + h v_0 + h^2 q/2 is prescribed where constrained, and v and a of the middle
    LyraVector *u_d = it->scratch[U_D];
    lyra_vector_sum(h, view.v, view.u, u_d);
    const LyStage whole = {.u_q = 0.5 * h * h, .u_0 = u_d};
    lyra_vector_copy(view.a, q);
    ly_start_constrained(it, &whole, end, q);
    ly_prescribe(it, middle);
    ly_hold_rates(it, &stage, q, v_0, a_0);
    LY_TRY(ly_newton_solve(it->newton, it, &stage, trial, q));

    lyra_vector_axpby(h, view.v, 1, view.u);
    lyra_vector_axpby(0.5 * h * h, q, 1, view.u);
    lyra_vector_axpby(h, q, 1, view.v);
    lyra_vector_copy(q, view.a);
    return ly_end_step(it, trial, end, h);
}

const LyIntegratorType ly_implicit_midpoint = {
    .facts = {.name = "implicit-midpoint", .order = 2, .is_implicit = true},
    .vector_count = COUNT,
    .newton = true,
    .step = step,
};
