// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The account of a step: energies of a state, and what loads, constraints and damping did to it.
//
// At a state: kinetic v.Mv/2, elastic as the forces say it, loads f_ext, the power that is lost to
// damping and to forces that depend on velocities,
//
//   p = v . (D v + f_int(u, v) - f_int(u, 0)),
//
// and the reactions of the constraints, (I - P)(M a + g). Between two states, by the trapezoidal
// rule, with du = u_1 - u_0:
//
//   dissipated = h (p_0 + p_1) / 2,   work = (f_0 + f_1) . du / 2 + (r_0 + r_1) . (I - P) du / 2.
//
// The balance, the change of kinetic + elastic, + dissipated - work, is what the method itself
// loses or gains, and the error of the rule, which is of second order.

#include "integrate/integrate.h"

// power lost, with g, loads and D v at hand; `still` and `load` are scratch
static LyraStatus measure_power(LyraIntegrator *it, const LyraPoint *at, LyMeasure *measure,
                                const LyraVector *damping, double *power)
{
    uint32_t traits = lyra_system_traits(it->system);
    if (traits & LYRA_SYSTEM_UNDAMPED) {
        *power = 0;
        return LYRA_OK;
    }
    if (traits & LYRA_SYSTEM_POTENTIAL) {
        *power = lyra_vector_dot(at->v, damping);
        return LYRA_OK;
    }
    // f_int(u, v) + D v - f_int(u, 0) = g(u, v) + f_ext(u, v) - g(u, 0) - f_ext(u, 0)
    LyraVector *still = it->account[0], *g = it->account[1], *load = it->account[2];
    lyra_vector_fill(still, 0);
    LyraPoint rest = *at;
    rest.v = still;
    const LyraResponse response = {.g = g, .external = load};
    LY_TRY(ly_evaluate(it, &rest, &response));
    *power = lyra_vector_dot(at->v, it->force) + lyra_vector_dot(at->v, measure->external) -
             lyra_vector_dot(at->v, g) - lyra_vector_dot(at->v, load);
    return LYRA_OK;
}

LyraStatus ly_measure(LyraIntegrator *it, LyraState *state, int32_t k)
{
    LyMeasure *measure = &it->measure[k];
    LyraStateView view = lyra_state_view(state);
    const LyraPoint at = {.time = view.time,
                          .dt = 0,
                          .u = view.u,
                          .v = view.v,
                          .history = ly_state_history(it, state)};
    LyraVector *damping = it->account[0];
    const LyraResponse response = {.g = it->force,
                                   .external = measure->external,
                                   .damping = damping,
                                   .elastic = &measure->elastic};
    measure->elastic = 0;
    LY_TRY(ly_evaluate(it, &at, &response));
    LY_TRY(measure_power(it, &at, measure, damping, &measure->power));
    lyra_system_apply_mass(it->system, view.v, it->account[0]);
    measure->kinetic = 0.5 * lyra_vector_dot(view.v, it->account[0]);

    // what holds the body
    lyra_vector_fill(measure->reaction, 0);
    const LyraConstraints *constraints = lyra_system_constraints(it->system);
    if (constraints && lyra_constraints_view(constraints).count > 0) {
        lyra_system_apply_mass(it->system, view.a, it->account[0]);
        lyra_vector_axpby(1, it->account[0], 1, it->force);
        ly_merge_constrained(it, it->force, measure->reaction);
    }
    return LYRA_OK;
}

void ly_measure_work(LyraIntegrator *it, LyraState *begin, LyraState *end, double h)
{
    LyraVector *du = it->account[0];
    lyra_vector_copy(lyra_state_view(end).u, du);
    lyra_vector_axpby(-1, lyra_state_view(begin).u, 1, du);
    for (int32_t k = 0; k < 2; ++k) {
        it->report.work += 0.5 * lyra_vector_dot(it->measure[k].external, du);
        it->report.work += 0.5 * lyra_vector_dot(it->measure[k].reaction, du);
        it->report.dissipated += 0.5 * h * it->measure[k].power;
    }
}
