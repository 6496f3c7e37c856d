// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Newmark's method and the generalised-alpha method of Chung and Hulbert [CH93], in the unknown
// q = a_1:
//
//   u_1 = u_0 + h v_0 + h^2 ((1/2 - beta) a_0 + beta a_1),   v_1 = v_0 + h ((1 - gamma) a_0 + gamma
//   a_1), M a_m + g(t_f, u_f, v_f) = 0, a_m = (1 - am) a_1 + am a_0,   x_f = (1 - af) x_1 + af x_0
//   for x = u, v, t.
//
// Newmark has am = af = 0 and is of second order for gamma = 1/2; beta = 1/4 keeps the energy of
// linear bodies. Generalised-alpha takes the spectral radius r at infinite frequency,
//
//   am = (2 r - 1)/(r + 1),  af = r/(r + 1),  gamma = 1/2 - am + af,  beta = (1 - am + af)^2 / 4,
//
// the least damping of low frequencies for that damping of high ones. Both need the acceleration at
// the start, a_0 = -M^-1 g; with a_0 = 0, as Vega starts, the order falls to 1. One Newton step
// from u_1 = u_0 is Vega's semi-implicit Newmark step. The damping is frozen at u_0 + (1 - af) h
// v_0, or at u_0 when the convention is Vega's, whose test of convergence counts the reactions of
// the constraints too.

#include "integrate/methods.h"

enum { Q, U_0, V_0, U_F, V_F, A_F, PREVIOUS, COUNT };

static LyraStatus step_alpha(LyraIntegrator *it, LyraState *trial, double h, double am, double af,
                             double beta, double gamma)
{
    LY_TRY(ly_start_acceleration(it, trial));
    LyraStateView view = lyra_state_view(trial);
    double t = view.time, end = ly_moment(it, t, h);
    LyraVector *q = it->scratch[Q], *u_0 = it->scratch[U_0], *v_0 = it->scratch[V_0];
    LyraVector *u_f = it->scratch[U_F], *v_f = it->scratch[V_F], *a_f = it->scratch[A_F];

    // what u_1, v_1 are without q
    lyra_vector_sum(h, view.v, view.u, u_0);
    lyra_vector_axpby(h * h * (0.5 - beta), view.a, 1, u_0);
    lyra_vector_sum(h * (1 - gamma), view.a, view.v, v_0);

    lyra_vector_copy(view.u, it->scratch[PREVIOUS]);
    lyra_vector_copy(view.u, u_f);
    if (!it->def.vega) {
        lyra_vector_axpby((1 - af) * h, view.v, 1, u_f);
    }
    LY_TRY(ly_update_damping(it, t, h, u_f, view.v, trial));

    // the point at which the equation holds
    lyra_vector_copy(u_0, u_f);
    lyra_vector_axpby(af, view.u, 1 - af, u_f);
    lyra_vector_copy(v_0, v_f);
    lyra_vector_axpby(af, view.v, 1 - af, v_f);
    lyra_vector_axpby(am, view.a, 0, a_f);
    const LyStage stage = {.time = ly_moment(it, t, (1 - af) * h),
                           .dt = (1 - af) * h,
                           .u_q = (1 - af) * beta * h * h,
                           .v_q = (1 - af) * gamma * h,
                           .a_q = 1 - am,
                           .u_0 = u_f,
                           .v_0 = v_f,
                           .a_0 = a_f,
                           .previous = it->scratch[PREVIOUS],
                           .committed = trial,
                           .reactions = it->def.vega};

    // the start: the acceleration goes on; where constrained, u_1 is prescribed
    const LyStage whole = {.u_q = beta * h * h, .u_0 = u_0};
    lyra_vector_copy(view.a, q);
    if (ly_predicts(it)) {
        LY_TRY(ly_predict(it, trial, h, q));
    }
    ly_start_constrained(it, &whole, end, q);
    // ... and so are v and a where the equation holds: the method's a_m is one of that time, too
    ly_prescribe(it, stage.time);
    ly_hold_rates(it, &stage, q, v_f, a_f);
    LY_TRY(ly_newton_solve(it->newton, it, &stage, trial, q));
    LY_TRY(ly_predict_note(it, trial, h, q));

    lyra_vector_sum(beta * h * h, q, u_0, view.u);
    lyra_vector_sum(gamma * h, q, v_0, view.v);
    lyra_vector_copy(q, view.a);
    LY_TRY(ly_end_step(it, trial, end, h));
    return ly_keep_acceleration(trial, end);
}

static LyraStatus step_newmark(LyraIntegrator *it, LyraState *trial, double h)
{
    return step_alpha(it, trial, h, 0, 0, it->def.beta, it->def.gamma);
}

static LyraStatus step_generalized(LyraIntegrator *it, LyraState *trial, double h)
{
    double r = it->def.spectral_radius;
    double am = (2 * r - 1) / (r + 1), af = r / (r + 1), sum = 1 - am + af;
    return step_alpha(it, trial, h, am, af, 0.25 * sum * sum, 0.5 - am + af);
}

const LyIntegratorType ly_newmark = {
    .facts = {.name = "newmark", .order = 2, .is_implicit = true},
    .vector_count = COUNT,
    .newton = true,
    .step = step_newmark,
};

const LyIntegratorType ly_generalized_alpha = {
    .facts = {.name = "generalized-alpha", .order = 2, .is_implicit = true},
    .vector_count = COUNT,
    .newton = true,
    .step = step_generalized,
};
