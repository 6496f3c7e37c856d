// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What all methods need around their formulas: counted evaluations, prescribed motion, history, and
// the acceleration that belongs to a state.

#include "integrate/integrate.h"

#include <float.h>
#include <math.h>
#include <string.h>

LyraStatus ly_step_fail(LyraIntegrator *it, LyraStepOutcome outcome, LyraStatus status)
{
    it->report.outcome = outcome;
    it->report.status = status;
    return status;
}

double ly_moment(const LyraIntegrator *it, double t, double dt)
{
    double moment = t + dt;
    bool rounding = fabs(moment - it->end) <= 4 * DBL_EPSILON * fabs(it->end);
    return rounding && fabs(moment - it->end) <= 0.1 * dt ? it->end : moment;
}

LyraStatus ly_evaluate(LyraIntegrator *it, const LyraPoint *at, const LyraResponse *response)
{
    LY_TRY(ly_reach_or_fail(it, at->u, at->time));
    double begin = ly_time();
    LyraStatus status = lyra_system_evaluate(it->system, at, response);
    it->report.assembly_seconds += ly_time() - begin;
    ++it->report.evaluations;
    return status;
}

LyraStatus ly_update_damping(LyraIntegrator *it, double t, double dt, const LyraVector *u,
                             const LyraVector *v, const LyraState *committed)
{
    bool can = true;
    LY_TRY(ly_reach(it, u, &can));
    return ly_update_damping_known(it, t, dt, can ? u : it->reached, v, committed);
}

LyraStatus ly_update_damping_known(LyraIntegrator *it, double t, double dt, const LyraVector *u,
                                   const LyraVector *v, const LyraState *committed)
{
    double begin = ly_time();
    const LyraPoint at = {.time = t, .dt = dt, .u = u, .v = v, .committed = committed};
    if (it->damped[0]) {
        lyra_vector_copy(u, it->damped[0]);
        lyra_vector_copy(v, it->damped[1]);
    }
    it->damped_time = t;
    it->damped_dt = dt;
    LyraStatus status = lyra_system_update_damping(it->system, &at);
    it->report.assembly_seconds += ly_time() - begin;
    return status;
}

// ---- matrices -----------------------------------------------------------------------------------

LyraStatus ly_form_at(LyraIntegrator *it, const LyraPoint *at, bool psd, const double factors[3])
{
    double begin = ly_time();
    LyraStatus status = lyra_system_linearise(it->system, at, psd);
    double middle = ly_time();
    it->report.assembly_seconds += middle - begin;
    LY_TRY(status);
    status = lyra_system_form(it->system, factors[0], factors[1], factors[2]);
    it->report.solve_seconds += ly_time() - middle;
    ++it->report.factorisations;
    return status;
}

LyraStatus ly_form_constant(LyraIntegrator *it, const LyraPoint *at, bool psd,
                            const double factors[3], LyFormed *formed)
{
    bool same = formed->known && formed->stamp == lyra_system_stamp(it->system) &&
                formed->fingerprint == lyra_system_fingerprint(it->system) &&
                memcmp(formed->factors, factors, sizeof formed->factors) == 0;
    if (same) {
        return LYRA_OK;
    }
    formed->known = false;
    LY_TRY(ly_form_at(it, at, psd, factors));
    formed->known = true;
    formed->stamp = lyra_system_stamp(it->system);
    formed->fingerprint = lyra_system_fingerprint(it->system);
    memcpy(formed->factors, factors, sizeof formed->factors);
    return LYRA_OK;
}

// ---- constraints --------------------------------------------------------------------------------

void ly_prescribe(LyraIntegrator *it, double t)
{
    LyraVector *const *to = it->prescribed;
    lyra_system_prescribe(it->system, t, to[0], to[1], to[2]);
    ly_targets_add(it, t, to[0], to[1], to[2]);
}

void ly_impose(LyraIntegrator *it, double t, LyraVector *u, LyraVector *v)
{
    ly_prescribe(it, t);
    if (u) {
        lyra_system_merge(it->system, it->prescribed[0], u);
    }
    if (v) {
        lyra_system_merge(it->system, it->prescribed[1], v);
    }
}

// ---- what the material remembers ----------------------------------------------------------------

LyraStatus ly_commit_material(LyraIntegrator *it, LyraState *trial, double t, double dt)
{
    if (!(lyra_system_traits(it->system) & LYRA_SYSTEM_HISTORY)) {
        return LYRA_OK;
    }
    LyraStateView view = lyra_state_view(trial);
    const LyraPoint at = {.time = t, .dt = dt, .u = view.u, .v = view.v, .committed = trial};
    const LyraResponse response = {.trial = trial};
    return ly_evaluate(it, &at, &response);
}

// ---- accelerations ------------------------------------------------------------------------------

// a = -M^-1 g(at) on the free unknowns for a given on the constraints in `held`, zero elsewhere:
// M_ff a_f = -g_f - M_fc a_c. `work` is scratch.
static LyraStatus accelerate(LyraIntegrator *it, const LyraPoint *at, LyraVector *held,
                             LyraVector *work, LyraVector *a)
{
    const LyraResponse response = {.g = it->force};
    LY_TRY(ly_evaluate(it, at, &response));
    if (!lyra_vector_is_finite(it->force)) {
        return ly_fail_forces(it, "the forces", at->time, at->u);
    }
    lyra_system_apply_mass(it->system, held, work);
    lyra_vector_axpby(-1, work, -1, it->force);
    double begin = ly_time();
    LyraStatus status = lyra_system_solve_mass(it->system, it->force, a);
    it->report.solve_seconds += ly_time() - begin;
    if (status != LYRA_OK) {
        return ly_step_fail(it, LYRA_STEP_SOLVER, status);
    }
    lyra_vector_axpby(1, held, 1, a);
    return LYRA_OK;
}

LyraStatus ly_acceleration(LyraIntegrator *it, double t, double dt, const LyraVector *u,
                           const LyraVector *v, const LyraState *committed, LyraVector *a)
{
    const LyraPoint at = {.time = t, .dt = dt, .u = u, .v = v, .committed = committed};
    ly_prescribe(it, t);
    LyraVector *held = it->prescribed[0];
    lyra_vector_fill(held, 0);
    lyra_system_merge(it->system, it->prescribed[2], held);
    return accelerate(it, &at, held, it->prescribed[1], a);
}

LyraStatus ly_free_acceleration(LyraIntegrator *it, LyraState *state)
{
    LyraStateView y = lyra_state_view(state);
    const LyraPoint at = {.time = y.time, .u = y.u, .v = y.v, .committed = state};
    LyraVector *held = it->account[0];
    lyra_vector_fill(held, 0);
    lyra_system_merge(it->system, y.a, held);
    return accelerate(it, &at, held, it->account[1], y.a);
}

// the block that says at which time the acceleration of a state was right: whether one is, and it
static LyraStatus find_note(LyraState *trial, double **note)
{
    const LyraStateBlockDef def = {.name = "acceleration", .version = 1, .count = 2};
    void *values = NULL;
    bool fresh = false;
    LY_TRY(lyra_state_block(trial, &def, &values, &fresh));
    *note = values;
    return LYRA_OK;
}

LyraStatus ly_keep_acceleration(LyraState *trial, double t)
{
    double *note = NULL;
    LY_TRY(find_note(trial, &note));
    note[0] = 1;
    note[1] = t;
    return LYRA_OK;
}

LyraStatus ly_start_acceleration(LyraIntegrator *it, LyraState *trial)
{
    double *note = NULL;
    LyraStateView view = lyra_state_view(trial);
    LY_TRY(find_note(trial, &note));
    // substeps end at times rounded otherwise than by their method
    bool late = lyra_system_traits(it->system) & LYRA_SYSTEM_LATE; // another force since
    if (!late && note[0] == 1 && fabs(note[1] - view.time) <= 1e-12 * fabs(view.time)) {
        return LYRA_OK;
    }
    if (it->def.vega) {
        lyra_vector_fill(view.a, 0);
        return LYRA_OK;
    }
    LY_TRY(ly_update_damping(it, view.time, 0, view.u, view.v, trial));
    return ly_acceleration(it, view.time, 0, view.u, view.v, trial, view.a);
}
