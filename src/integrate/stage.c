// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What all methods need around their formulas: counted evaluations, prescribed motion, history, and
// the acceleration that belongs to a state.

#include "integrate/integrate.h"

#include <float.h>
#include <math.h>

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
    double begin = ly_time();
    LyraStatus status = lyra_system_evaluate(it->system, at, response);
    it->report.assembly_seconds += ly_time() - begin;
    ++it->report.evaluations;
    return status;
}

LyraStatus ly_update_damping(LyraIntegrator *it, double t, double dt, const LyraVector *u,
                             const LyraVector *v, const double *history)
{
    double begin = ly_time();
    const LyraPoint at = {.time = t, .dt = dt, .u = u, .v = v, .history = history};
    lyra_vector_copy(u, it->damped[0]);
    lyra_vector_copy(v, it->damped[1]);
    it->damped_time = t;
    LyraStatus status = lyra_system_update_damping(it->system, &at);
    it->report.assembly_seconds += ly_time() - begin;
    return status;
}

// ---- constraints --------------------------------------------------------------------------------

void ly_prescribe(LyraIntegrator *it, double t)
{
    LyraVector *const *to = it->prescribed;
    lyra_system_prescribe(it->system, t, to[0], to[1], to[2]);
    ly_targets_add(it, t, to[0], to[1], to[2]);
}

void ly_merge_constrained(LyraIntegrator *it, const LyraVector *x, LyraVector *y)
{
    const LyraConstraints *constraints = lyra_system_constraints(it->system);
    if (!constraints) {
        return;
    }
    LyraConstraintsView view = lyra_constraints_view(constraints);
    const double *from = x ? lyra_vector_values(x) : NULL;
    double *to = lyra_vector_values_mutable(y);
    for (int32_t k = 0; k < view.count; ++k) {
        const double *n = view.direction + 3 * (int64_t)k;
        int64_t first = 3 * (int64_t)view.vertex[k];
        int32_t width = (int32_t)ly_min_i64(3, it->size - first);
        // a direction along an axis takes the very bits
        int32_t axis = 0, parts = 0;
        for (int32_t i = 0; i < width; ++i) {
            axis = fabs(n[i]) == 1 ? i : axis;
            parts += n[i] != 0;
        }
        if (fabs(n[axis]) == 1 && parts == 1) {
            to[first + axis] = from ? from[first + axis] : 0;
            continue;
        }
        double along = 0;
        for (int32_t i = 0; i < width; ++i) {
            along += n[i] * ((from ? from[first + i] : 0) - to[first + i]);
        }
        for (int32_t i = 0; i < width; ++i) {
            to[first + i] += n[i] * along;
        }
    }
}

void ly_impose(LyraIntegrator *it, double t, LyraVector *u, LyraVector *v)
{
    ly_prescribe(it, t);
    if (u) {
        ly_merge_constrained(it, it->prescribed[0], u);
    }
    if (v) {
        ly_merge_constrained(it, it->prescribed[1], v);
    }
}

// ---- history ------------------------------------------------------------------------------------

double *ly_state_history(LyraIntegrator *it, LyraState *state)
{
    // the driver made the block, so that finding it cannot fail
    int64_t count = lyra_system_history_count(it->system);
    double *values = NULL;
    bool fresh = false;
    if (count == 0 || lyra_state_block(state, LYRA_HISTORY_BLOCK, LYRA_HISTORY_VERSION, count,
                                       &values, &fresh) != LYRA_OK) {
        return NULL;
    }
    return values;
}

LyraStatus ly_commit_history(LyraIntegrator *it, LyraState *trial, double t, double dt)
{
    if (!it->history) {
        return LYRA_OK;
    }
    LyraStateView view = lyra_state_view(trial);
    double *history = ly_state_history(it, trial);
    const LyraPoint at = {.time = t, .dt = dt, .u = view.u, .v = view.v, .history = history};
    const LyraResponse response = {.trial_history = it->history};
    LY_TRY(ly_evaluate(it, &at, &response));
    int64_t count = lyra_system_history_count(it->system);
    for (int64_t i = 0; i < count; ++i) {
        history[i] = it->history[i];
    }
    return LYRA_OK;
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
        return ly_step_fail(
            it, LYRA_STEP_NOT_FINITE,
            ly_fail(LYRA_NOT_FINITE, "the forces at %g s are not finite", at->time));
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
                           const LyraVector *v, const double *history, LyraVector *a)
{
    const LyraPoint at = {.time = t, .dt = dt, .u = u, .v = v, .history = history};
    ly_prescribe(it, t);
    LyraVector *held = it->prescribed[0];
    lyra_vector_fill(held, 0);
    ly_merge_constrained(it, it->prescribed[2], held);
    return accelerate(it, &at, held, it->prescribed[1], a);
}

LyraStatus ly_free_acceleration(LyraIntegrator *it, LyraState *state)
{
    LyraStateView y = lyra_state_view(state);
    const LyraPoint at = {
        .time = y.time, .u = y.u, .v = y.v, .history = ly_state_history(it, state)};
    LyraVector *held = it->account[0];
    lyra_vector_fill(held, 0);
    ly_merge_constrained(it, y.a, held);
    return accelerate(it, &at, held, it->account[1], y.a);
}

// name and layout of the block that says at which time the acceleration of a state was right
#define ACCELERATION_BLOCK "acceleration"

LyraStatus ly_keep_acceleration(LyraState *trial, double t)
{
    double *time = NULL;
    bool fresh = false;
    LY_TRY(lyra_state_block(trial, ACCELERATION_BLOCK, 1, 2, &time, &fresh));
    time[0] = 1;
    time[1] = t;
    return LYRA_OK;
}

LyraStatus ly_start_acceleration(LyraIntegrator *it, LyraState *trial)
{
    double *note = NULL;
    bool fresh = false;
    LyraStateView view = lyra_state_view(trial);
    LY_TRY(lyra_state_block(trial, ACCELERATION_BLOCK, 1, 2, &note, &fresh));
    // substeps end at times rounded otherwise than by their method
    if (note[0] == 1 && fabs(note[1] - view.time) <= 1e-12 * fabs(view.time)) {
        return LYRA_OK;
    }
    if (it->def.vega) {
        lyra_vector_fill(view.a, 0);
        return LYRA_OK;
    }
    const double *history = ly_state_history(it, trial);
    LY_TRY(ly_update_damping(it, view.time, 0, view.u, view.v, history));
    return ly_acceleration(it, view.time, 0, view.u, view.v, history, view.a);
}
