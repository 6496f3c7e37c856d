// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Evaluations and linear solves: what the explicit and the linearly implicit methods do at every
// stage.

#include "integrate/explicit.h"

// ---- steps --------------------------------------------------------------------------------------

LyraStatus ly_explicit_acceleration(LyraIntegrator *it, LyraState *trial, double t, double dt,
                                    const LyraVector *u, const LyraVector *v, LyraVector *a)
{
    if (!(lyra_system_traits(it->system) & LYRA_SYSTEM_UNDAMPED)) {
        LY_TRY(ly_update_damping(it, t, dt, u, v, trial));
    }
    return ly_acceleration(it, t, dt, u, v, trial, a);
}

void ly_release_self(LyraIntegrator *it)
{
    ly_release(it->ctx, it->self);
    it->self = NULL;
}

LyraStatus ly_explicit_finish(LyraIntegrator *it, LyraState *trial, double t, double dt)
{
    LyraStateView view = lyra_state_view(trial);
    double end = ly_moment(it, t, dt);
    ly_impose(it, end, view.u, view.v);
    lyra_system_merge(it->system, it->prescribed[2], view.a);
    if (!lyra_vector_is_finite(view.u) || !lyra_vector_is_finite(view.v)) {
        return ly_step_fail(it, LYRA_STEP_NOT_FINITE,
                            ly_fail(LYRA_NOT_FINITE,
                                    "%s: displacements or velocities are not finite at time %g, "
                                    "after a step of %g",
                                    it->type->facts.name, end, dt));
    }
    return ly_commit_material(it, trial, end, dt);
}

LyraStatus ly_linearise_at(LyraIntegrator *it, LyraState *trial, double t, bool update_damping)
{
    LyraStateView view = lyra_state_view(trial);
    if (update_damping) {
        LY_TRY(ly_update_damping(it, t, 0, view.u, view.v, trial));
    }
    LY_TRY(ly_reach_or_fail(it, view.u, t));
    double start = ly_time();
    LyraPoint at = {.time = t, .u = view.u, .v = view.v, .committed = trial};
    LY_TRY(lyra_system_linearise(it->system, &at, false));
    it->report.assembly_seconds += ly_time() - start;
    return LYRA_OK;
}

bool ly_prescribed_acceleration(LyraIntegrator *it, double t, LyraVector *a)
{
    if (lyra_system_constraint_count(it->system) == 0) {
        return false;
    }
    ly_prescribe(it, t);
    lyra_vector_fill(a, 0);
    lyra_system_merge(it->system, it->prescribed[2], a);
    return true;
}

LyraStatus ly_linear_form(LyraIntegrator *it, double a, double b, double c)
{
    double start = ly_time();
    LyraStatus status = lyra_system_form(it->system, a, b, c);
    it->report.solve_seconds += ly_time() - start;
    it->report.factorisations += 1;
    return status == LYRA_OK ? LYRA_OK : ly_step_fail(it, LYRA_STEP_SOLVER, status);
}

LyraStatus ly_linear_solve(LyraIntegrator *it, const LyraVector *b, double tolerance, LyraVector *x)
{
    double start = ly_time();
    LyraSolveReport report = {.solver = ""};
    LyraStatus status = lyra_system_solve(it->system, b, tolerance, x, &report);
    it->report.solve_seconds += ly_time() - start;
    it->report.linear_iterations += report.iterations;
    it->report.solver = report.solver ? report.solver : "";
    if (status == LYRA_NOT_FINITE && !lyra_vector_is_finite(b)) {
        return ly_step_fail(it, LYRA_STEP_NOT_FINITE,
                            ly_fail(LYRA_NOT_FINITE,
                                    "the forces in a step from %g s are not finite",
                                    lyra_state_view(it->work).time));
    }
    return status == LYRA_OK ? LYRA_OK : ly_step_fail(it, LYRA_STEP_SOLVER, status);
}
