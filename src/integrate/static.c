// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Statics: g(t + dt, u, 0) = 0 with what constraints prescribe at t + dt. Masses and velocities
// play no part.
//
// Load stepping. With f_0 the internal forces at the start u_0 and f_ext all loads, the path
//
//   f_int(u) - s f_ext(t + dt, u) - (1 - s) f_0 = 0,   u_c = (1 - s) u_c0 + s u_c1,   s from 0 to
//   1,
//
// begins at u_0, which solves it for s = 0 whatever it is, and ends at the answer. From rest f_0 is
// 0, and s is the share of the loads that the body bears, of those that follow it, too; from a
// state in equilibrium it scales increments. Systems that do not tell loads from other forces
// take g(u) - (1 - s) g(u_0) = 0. The path is walked in `load_steps` increments; one that fails is
// halved, down to 1/2^halvings_max of the first, and two in a row that succeed double it.
//
// Under loads that follow the body Newton's method either gets there in a few iterations or
// wanders: where increments may be halved they are given up after ITERATIONS.

#include "integrate/methods.h"

#include <math.h>

#define ITERATIONS 50

enum { G_0, BIAS, HELD_0, HELD, ZERO, Q, COUNT };

// solves for the part s of the path, from u of trial
static LyraStatus solve_part(LyraIntegrator *it, LyraState *trial, double time, double dt, double s)
{
    uint32_t traits = lyra_system_traits(it->system);
    bool wanders = !(traits & LYRA_SYSTEM_SYMMETRIC) && it->def.newton.halvings_max > 0;
    LyraStateView view = lyra_state_view(trial);
    LyraVector *bias = it->scratch[BIAS], *held = it->scratch[HELD], *q = it->scratch[Q];
    lyra_vector_axpby(s - 1, it->scratch[G_0], 0, bias);
    ly_prescribe(it, time);
    lyra_vector_axpby(s, it->prescribed[0], 0, held);
    lyra_vector_axpby(1 - s, it->scratch[HELD_0], 1, held);
    const LyStage stage = {.time = time,
                           .dt = dt,
                           .u_q = 1,
                           .v_0 = it->scratch[ZERO],
                           .r_0 = s < 1 ? bias : NULL,
                           .previous = view.u,
                           .unloaded = traits & LYRA_SYSTEM_LOADS ? 1 - s : 0,
                           .iterations_max = wanders ? ITERATIONS : 0,
                           .committed = trial};
    lyra_vector_copy(view.u, q);
    lyra_system_merge(it->system, held, q);
    ly_reach_return(it, view.u);
    LY_TRY(ly_newton_solve(it->newton, it, &stage, trial, q));
    lyra_vector_copy(q, view.u);
    return LYRA_OK;
}

static LyraStatus step(LyraIntegrator *it, LyraState *trial, double dt)
{
    LyraStateView view = lyra_state_view(trial);
    double time = ly_moment(it, view.time, dt);
    lyra_vector_fill(view.v, 0);
    lyra_vector_fill(view.a, 0);
    lyra_vector_fill(it->scratch[ZERO], 0);
    lyra_vector_copy(view.u, it->scratch[HELD_0]);
    bool loads = lyra_system_traits(it->system) & LYRA_SYSTEM_LOADS;
    const LyraPoint at = {
        .time = time, .dt = dt, .u = view.u, .v = view.v, .committed = trial, .unloaded = loads};
    const LyraResponse response = {.g = it->scratch[G_0]};
    LY_TRY(ly_evaluate(it, &at, &response));

    double first = 1.0 / it->def.load_steps, part = first, done = 0;
    double least = ldexp(first, -it->def.newton.halvings_max);
    int32_t row = 0, increments = 0;
    while (done < 1) {
        // rounding must not leave a sliver at the end
        double s = done + part < 1 - 1e-9 * part ? done + part : 1;
        LyraStatus status = solve_part(it, trial, time, dt, s);
        if (status == LYRA_OK) {
            done = s;
            ++increments;
            ++row;
            if (row >= 2 && part < first) {
                part = fmin(2 * part, first);
                row = 0;
            }
            continue;
        }
        bool numbers = status == LYRA_NOT_CONVERGED || status == LYRA_NOT_FINITE ||
                       status == LYRA_SINGULAR || status == LYRA_NOT_POSITIVE_DEFINITE;
        if (!numbers || 0.5 * part < least) {
            return numbers ? ly_fail_within(status, "statics at %.4g of the %s", done,
                                            loads ? "loads" : "way from the start")
                           : status;
        }
        ++it->report.rejected;
        part *= 0.5;
        row = 0;
    }
    // the driver counts the last one
    it->report.substeps += increments - 1;
    it->report.outcome = LYRA_STEP_ACCEPTED;
    it->report.status = LYRA_OK;
    ly_impose(it, time, view.u, NULL);
    return ly_commit_material(it, trial, time, dt);
}

const LyIntegratorType ly_static = {
    .facts = {.name = "static", .order = 0, .is_implicit = true},
    .vector_count = COUNT,
    .newton = true,
    .step = step,
};
