// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Backward Euler, of first order and L-stable:
//
//   M a + g(t_1, u_1, v_1) = 0,   v_1 = v_0 + h a,   u_1 = u_0 + h v_1 = u_0 + h v_0 + h^2 a,
//
// in the unknown q = a, which loses no digits however small h is. The damping is frozen at u_0. One
// Newton step from u_1 = u_0, hence v_1 = 0 and a = -v_0/h, is Vega's semi-implicit step: with
// v_1 = v_0 + dv, S da = -R reads
//
//   (M + h D + h^2 K) dv = h (f_ext - f_int - (h K + D) v_0).

#include "integrate/methods.h"

enum { Q, U_0, V_0, A_0, COUNT };

static LyraStatus step(LyraIntegrator *it, LyraState *trial, double h)
{
    LyraStateView view = lyra_state_view(trial);
    double t = view.time, end = ly_moment(it, t, h);
    LyraVector *q = it->scratch[Q], *u_0 = it->scratch[U_0];
    LyraVector *v_0 = it->scratch[V_0], *a_0 = it->scratch[A_0];
    LY_TRY(ly_update_damping(it, t, h, view.u, view.v, trial));

    // u_1 without q, and the start q = 0: u_1 = u_0 + h v_0
    lyra_vector_sum(h, view.v, view.u, u_0);
    lyra_vector_copy(view.v, v_0);
    lyra_vector_fill(a_0, 0);
    const LyStage stage = {.time = end,
                           .dt = h,
                           .u_q = h * h,
                           .v_q = h,
                           .a_q = 1,
                           .u_0 = u_0,
                           .v_0 = v_0,
                           .a_0 = a_0,
                           .previous = view.u,
                           .still = true,
                           .committed = trial};
    lyra_vector_fill(q, 0);
    if (ly_predicts(it)) {
        LY_TRY(ly_predict(it, trial, h, q));
    }
    ly_start_constrained(it, &stage, end, q);
    ly_hold_rates(it, &stage, q, v_0, a_0);
    LY_TRY(ly_newton_solve(it->newton, it, &stage, trial, q));
    LY_TRY(ly_predict_note(it, trial, h, q));

    // u_1 and v_1 as Newton saw them last, to the last bit
    lyra_vector_sum(h, q, v_0, view.v);
    lyra_vector_sum(h * h, q, u_0, view.u);
    lyra_vector_copy(q, view.a);
    LY_TRY(ly_end_step(it, trial, end, h));
    return ly_keep_acceleration(trial, end);
}

const LyIntegratorType ly_backward_euler = {
    .facts = {.name = "backward-euler", .order = 1, .is_implicit = true},
    .vector_count = COUNT,
    .newton = true,
    .step = step,
};
