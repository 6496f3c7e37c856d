// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Keys of how it is computed: integrator, solver, time.

#include "integrate/integrate.h"
#include "solve/solve.h"
#include "world/keys_rows.h"
#include "world/parameters.h"

const char *ly_solver_word(const LyraContext *ctx, int32_t index)
{
    return index == 0 ? "auto" : ly_solver_choice(ctx, index - 1);
}

static const char *set_choice(const LyraContext *ctx, int32_t index)
{
    (void)ctx;
    return lyra_rosenbrock_set(index);
}

static const char *preconditioner_choice(const LyraContext *ctx, int32_t index)
{
    (void)ctx;
    static const char *const names[] = {"auto", "none", "jacobi", "block-jacobi",
                                        "ssor", "ic0",  "ilu0"};
    return index < LY_COUNT_OF(names) ? names[index] : NULL;
}

static const LyKey newton_keys[] = {
    {"policy", LY_KEY_WORD, AT(LyraNewtonDef, policy),
     .choices = "full|one|simplified|inexact|counted",
     .meaning = "To convergence; one step; with a kept tangent; with loose inner solves; up to "
                "`iterations` whole steps whatever is left."},
    {"iterations", LY_KEY_INTEGER, AT(LyraNewtonDef, iterations_max), .range = LY_RANGE_POSITIVE,
     .meaning = "At most."},
    {"decrement", LY_KEY_NUMBER, AT(LyraNewtonDef, decrement), .range = LY_RANGE_NOT_NEGATIVE,
     .meaning = "Limit of the decrement squared over the energy scale."},
    {"residual", LY_KEY_NUMBER, AT(LyraNewtonDef, residual), .range = LY_RANGE_NOT_NEGATIVE,
     .meaning = "Limit of the residual over the size of the forces."},
    {"step", LY_KEY_NUMBER, AT(LyraNewtonDef, step), .range = LY_RANGE_NOT_NEGATIVE,
     .meaning = "Limit of a step over the size of the body."},
    {"line-search", LY_KEY_BOOL, AT(LyraNewtonDef, line_search),
     .meaning = "Shortens steps that do not help."},
    {"psd-always", LY_KEY_BOOL, AT(LyraNewtonDef, psd_always),
     .meaning = "Always the positive tangent."},
    {"halvings", LY_KEY_INTEGER, AT(LyraNewtonDef, halvings_max), .range = LY_RANGE_NOT_NEGATIVE,
     .meaning = "Of a time step that fails, at most."},
};
GROUP(newton, LyraNewtonDef, NULL, "newton", "Newton's method of implicit integrators.");

static const LyKey rosenbrock4_keys[] = {
    {"set", LY_KEY_NAME, AT(LyraIntegratorDef, rosenbrock_set), .choice = set_choice,
     .meaning = "Coefficients."},
};
GROUP(rosenbrock4, LyraIntegratorDef, NULL, "rosenbrock4", "The method `rosenbrock4`.");

static const LyKey integrator_keys[] = {
    {"name", LY_KEY_NAME, AT(LyraIntegratorDef, name), .choice = ly_integrator_choice,
     .meaning = "Method."},
    {"newton", LY_KEY_GROUP, AT(LyraIntegratorDef, newton), .shown = true, .group = &newton,
     .meaning = "Of implicit ones."},
    {"rosenbrock4", LY_KEY_GROUP, SAME(LyraIntegratorDef), .shown = true, .group = &rosenbrock4,
     .meaning = "Of `rosenbrock4`."},
    {"beta", LY_KEY_NUMBER, AT(LyraIntegratorDef, beta), .meaning = "`newmark`."},
    {"gamma", LY_KEY_NUMBER, AT(LyraIntegratorDef, gamma), .meaning = "`newmark`."},
    {"spectral-radius", LY_KEY_NUMBER, AT(LyraIntegratorDef, spectral_radius),
     .range = LY_RANGE_FRACTION, .meaning = "`generalized-alpha`."},
    {"damping-update", LY_KEY_INTEGER, AT(LyraIntegratorDef, damping_update),
     .range = LY_RANGE_NOT_NEGATIVE,
     .meaning = "`central-differences`: damping anew every so many steps; 0: never."},
    {"critical", LY_KEY_WORD, AT(LyraIntegratorDef, critical), .choices = "warn|refuse|ignore",
     .meaning = "Explicit ones, beyond their critical step."},
    {"critical-interval", LY_KEY_INTEGER, AT(LyraIntegratorDef, critical_interval),
     .range = LY_RANGE_POSITIVE,
     .meaning = "Steps between estimates of it; `rkc2`, `rock2`: at most."},
    {"relative-tolerance", LY_KEY_NUMBER, AT(LyraIntegratorDef, relative_tolerance),
     .range = LY_RANGE_POSITIVE, .meaning = "`dopri5`, `dopri853`; scale of reported errors."},
    {"absolute-tolerance", LY_KEY_NUMBER, AT(LyraIntegratorDef, absolute_tolerance), .unit = "m",
     .range = LY_RANGE_POSITIVE, .meaning = "`dopri5`, `dopri853`."},
    {"stages", LY_KEY_INTEGER, AT(LyraIntegratorDef, stages), .range = LY_RANGE_NOT_NEGATIVE,
     .meaning = "`rkc2`, `rock2`; 0: as many as needed."},
    {"load-steps", LY_KEY_INTEGER, AT(LyraIntegratorDef, load_steps), .range = LY_RANGE_POSITIVE,
     .meaning = "`static`: increments of loads."},
    {"vega", LY_KEY_BOOL, AT(LyraIntegratorDef, vega),
     .meaning = "Goes and starts as Vega's does, flaws included."},
};
PUBLIC_GROUP(ly_integrator_keys, integrator_keys, LyraIntegratorDef, NULL, "integrator",
             "How time goes on.");

static const LyKey solver_keys[] = {
    {"name", LY_KEY_NAME, AT(LyraSolverDef, name), .choice = ly_solver_word,
     .meaning = "Linear solver."},
    {"preconditioner", LY_KEY_NAME, AT(LyraSolverDef, preconditioner),
     .choice = preconditioner_choice, .meaning = "Of iterative ones."},
    {"tolerance", LY_KEY_NUMBER, AT(LyraSolverDef, tolerance), .range = LY_RANGE_INSIDE,
     .meaning = "Relative, of iterative ones."},
    {"iterations", LY_KEY_INTEGER, AT(LyraSolverDef, iterations_max),
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "At most; 0: by size."},
    {"restart", LY_KEY_INTEGER, AT(LyraSolverDef, restart), .range = LY_RANGE_POSITIVE,
     .meaning = "`gmres`: size of its basis."},
    {"reuse-iterations", LY_KEY_INTEGER, AT(LyraSolverDef, reuse_iterations),
     .range = LY_RANGE_POSITIVE, .meaning = "`factor-reuse`: iterations before a new factor."},
    {"coarse", LY_KEY_BOOL, AT(LyraSolverDef, coarse),
     .meaning = "A coarse space of rigid motions."},
    {"single", LY_KEY_BOOL, AT(LyraSolverDef, single),
     .meaning = "Floats inside double refinement (`pcg`)."},
};
PUBLIC_GROUP(ly_solver_keys, solver_keys, LyraSolverDef, NULL, "solver",
             "How linear systems are solved.");

static const LyKey time_group_keys[] = {
    {"dt", LY_KEY_NUMBER, AT(LyraTiming, dt), .unit = "s", .range = LY_RANGE_POSITIVE,
     .meaning = "Length of a step.", .live = &ly_live_dt},
    {"steps", LY_KEY_INTEGER, AT(LyraTiming, steps), .range = LY_RANGE_NOT_NEGATIVE,
     .meaning = "Number of steps; 0 means no limit."},
    {"duration", LY_KEY_NUMBER, AT(LyraTiming, duration), .unit = "s", .range = LY_RANGE_POSITIVE,
     .meaning = "In place of `steps`."},
    {"substeps", LY_KEY_INTEGER, AT(LyraTiming, substeps), .range = LY_RANGE_POSITIVE,
     .meaning = "Steps of the integrator in a step."},
};
PUBLIC_GROUP(ly_time_keys, time_group_keys, LyraTiming, NULL, "time", "How long and how finely.");
