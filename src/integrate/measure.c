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
//   plastic = what the material lost to flow,
//   viscous = h (p_0 + p_1) / 2 + what it lost otherwise,
//   work = (f_0 + f_1) . du / 2 + (r_0 + r_1) . (I - P) du / 2.
//
// Of forces with a dissipation potential p is what they tell themselves, as the power of sliding on
// something that moves; what moves by itself (obstacles) adds its power to the work.
//
// Where the numbers of the material are others than at the end of the step before, the energy at
// the begin is another one: the difference is the work of the change. What is left, numerical =
// work + change - plastic - viscous - the growth of kinetic + elastic, is what the method itself
// loses, and the error of the rule, which is of second order.
//
// Cost. Energies and loads are asked for at the end of a step, where the next one begins, and once
// more there; the system knows them by then. D is that of the step, so that nothing is frozen for
// the account alone: two products with it. Reactions do no work where constraints do not move, and
// are not looked at. Only forces that depend on velocities, and loads that move with the body, are
// evaluated twice for each state, with D frozen at the begin of the step.

#include "integrate/integrate.h"

#include <math.h>

static LyraPoint point_of(const LyraState *state)
{
    LyraStateView view = lyra_state_view(state);
    return (LyraPoint){.time = view.time, .dt = 0, .u = view.u, .v = view.v, .committed = state};
}

// whether D v is all that depends on velocities
static bool loses_by_damping_alone(const LyraIntegrator *it)
{
    uint32_t traits = lyra_system_traits(it->system);
    return traits & (LYRA_SYSTEM_UNDAMPED | LYRA_SYSTEM_POTENTIAL);
}

// ---- changes of the material --------------------------------------------------------------------

enum { ENERGY, DIGEST, ACCOUNT };

// as many bits of the digest as a double counts with
static double find_digest(LyraIntegrator *it)
{
    return (double)(lyra_system_material_digest(it->system) >> 11);
}

double ly_measure_change(LyraIntegrator *it, const LyraState *state)
{
    LyraStateBlock block;
    bool known = lyra_state_find_block(state, "account", LYRA_STATE_METHOD, &block);
    const double *values = known ? block.values : NULL;
    return known && values[DIGEST] != find_digest(it) ? it->energy - values[ENERGY] : 0;
}

LyraStatus ly_measure_keep(LyraIntegrator *it, LyraState *state)
{
    const LyraStateBlockDef def = {.name = "account", .version = 1, .count = ACCOUNT};
    void *values = NULL;
    bool fresh = false;
    LY_TRY(lyra_state_block(state, &def, &values, &fresh));
    ((double *)values)[ENERGY] = it->measure[0].kinetic + it->measure[0].elastic;
    ((double *)values)[DIGEST] = find_digest(it);
    return LYRA_OK;
}

// ---- a step -------------------------------------------------------------------------------------

// with stencils as they are where the state is
static LyraStatus measure_rates(LyraIntegrator *it, const LyraState *state, int32_t k)
{
    if (!(lyra_system_traits(it->system) & LYRA_SYSTEM_RATES)) {
        return LYRA_OK;
    }
    const LyraPoint at = point_of(state);
    const LyraResponse response = {.rates = it->measure[k].rates};
    return lyra_system_evaluate(it->system, &at, &response);
}

LyraStatus ly_measure_begin(LyraIntegrator *it, LyraState *state)
{
    LY_TRY(ly_measure(it, state, 0));
    LY_TRY(measure_rates(it, state, 0));
    if (!loses_by_damping_alone(it)) {
        LyraStateView view = lyra_state_view(state);
        LY_TRY(ly_update_damping(it, view.time, 0, view.u, view.v, state));
        return ly_measure_losses(it, state, 0);
    }
    return LYRA_OK;
}

LyraStatus ly_measure(LyraIntegrator *it, LyraState *state, int32_t k)
{
    LyMeasure *measure = &it->measure[k];
    const LyraPoint at = point_of(state);
    const LyraResponse response = {.external = measure->external,
                                   .elastic = &measure->elastic,
                                   .need_tangent = it->need_tangent};
    measure->elastic = 0;
    measure->lost = lyra_system_lost(it->system, state, &measure->plastic);
    ly_reach_return(it, at.u);
    LY_TRY(ly_evaluate(it, &at, &response));
    lyra_system_apply_mass(it->system, at.v, it->account[0]);
    measure->kinetic = 0.5 * lyra_vector_dot(at.v, it->account[0]);
    return LYRA_OK;
}

LyraStatus ly_measure_losses(LyraIntegrator *it, LyraState *state, int32_t k)
{
    LyMeasure *measure = &it->measure[k];
    const LyraPoint at = point_of(state);
    measure->power = 0;
    ly_reach_return(it, at.u);
    if (lyra_system_traits(it->system) & LYRA_SYSTEM_UNDAMPED) {
        return LYRA_OK;
    }
    LyraVector *damping = it->account[0], *load = it->account[1];
    if (loses_by_damping_alone(it)) {
        const LyraResponse response = {.damping = damping};
        LY_TRY(lyra_system_evaluate(it->system, &at, &response));
        measure->power = lyra_vector_dot(at.v, damping);
        return LYRA_OK;
    }
    // f_int(u, v) + D v - f_int(u, 0) = g(u, v) + f_ext(u, v) - g(u, 0) - f_ext(u, 0)
    LyraVector *still = it->account[0];
    lyra_vector_fill(still, 0);
    LyraPoint rest = at;
    rest.v = still;
    const LyraResponse moving = {.g = it->force};
    LY_TRY(ly_evaluate(it, &at, &moving));
    measure->power = lyra_vector_dot(at.v, it->force) + lyra_vector_dot(at.v, measure->external);
    const LyraResponse resting = {.g = it->force, .external = load};
    LY_TRY(ly_evaluate(it, &rest, &resting));
    measure->power -= lyra_vector_dot(at.v, it->force) + lyra_vector_dot(at.v, load);
    return LYRA_OK;
}

LyraStatus ly_find_reaction(LyraIntegrator *it, LyraState *state, LyraVector *reaction)
{
    const LyraPoint at = point_of(state);
    const LyraResponse response = {.g = it->force};
    ly_reach_return(it, at.u);
    LY_TRY(ly_evaluate(it, &at, &response));
    lyra_system_apply_mass(it->system, lyra_state_view(state).a, it->account[1]);
    lyra_vector_axpby(1, it->account[1], 1, it->force);
    lyra_vector_fill(reaction, 0);
    lyra_system_merge(it->system, it->force, reaction);
    return LYRA_OK;
}

LyraStatus ly_measure_step(LyraIntegrator *it, LyraState *begin, LyraState *end, double h)
{
    LyraState *states[2] = {begin, end};
    bool alone = loses_by_damping_alone(it);
    if (alone) {
        LY_TRY(ly_measure_losses(it, begin, 0));
        LY_TRY(ly_measure_losses(it, end, 1));
    }
    // what is prescribed was needed for the last time; the next step does so anew
    LyraVector *du = it->prescribed[0], *reaction = it->prescribed[1], *held = it->account[2];
    double reactions[2] = {0, 0};
    lyra_vector_sum(-1, lyra_state_view(begin).u, lyra_state_view(end).u, du);
    lyra_vector_fill(held, 0);
    lyra_system_merge(it->system, du, held);
    bool moved = lyra_vector_largest(held) > 0;
    for (int32_t k = 0; moved && k < 2; ++k) {
        LY_TRY(ly_find_reaction(it, states[k], reaction));
        reactions[k] = lyra_vector_dot(reaction, held);
    }
    // the tangent where the step ends may take the place of that of the damping
    if (alone && it->need_tangent != LYRA_TANGENT_NONE) {
        lyra_system_thaw_damping(it->system);
    }
    LY_TRY(ly_measure(it, end, 1));
    LY_TRY(measure_rates(it, end, 1));
    LY_TRY(alone ? LYRA_OK : ly_measure_losses(it, end, 1));
    double plastic = it->measure[1].plastic - it->measure[0].plastic;
    it->report.plastic += plastic;
    it->report.viscous += it->measure[1].lost - it->measure[0].lost - plastic;
    for (int32_t k = 0; k < 2; ++k) {
        it->report.work += 0.5 * lyra_vector_dot(it->measure[k].external, du);
        it->report.viscous += 0.5 * h * it->measure[k].power;
        it->report.viscous += alone ? 0.5 * h * it->measure[k].rates[LYRA_RATE_LOST] : 0;
        it->report.work += 0.5 * h * it->measure[k].rates[LYRA_RATE_SUPPLIED];
        it->report.work += 0.5 * reactions[k];
    }
    // a method need not look at forces where a step ends; the next one would begin with them
    const LyMeasure *last = &it->measure[1];
    if (!isfinite(last->kinetic + last->elastic + it->report.work + it->report.plastic +
                  it->report.viscous)) {
        LyraStateView view = lyra_state_view(end);
        return ly_fail_forces(it, "the forces or energies", view.time, view.u);
    }
    return LYRA_OK;
}
