// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Steps of Newton's method ahead of what moves by itself, as obstacles do. What has not arrived
// where the stage is lets forces look ahead: one Newton step by them moves the body out of the way
// as a whole, and both go there together as far as they stay apart. What the step is worth is not
// judged, as the potential is another one afterwards; steps that do follow from there.
//
// Where forces are not finite after a step that long, a part of the way is looked ahead to.

#include "integrate/newton.h"

#define LESS 0.25   // of the way, where forces are not finite
#define LEAST 1e-3  // of the way
#define ARRIVALS 64 // steps ahead of the policies that count theirs
#define ROUGH 0.1   // tolerance of linear solvers
#define STUCK 0.05  // of a step: it hardly goes on
#define STUCK_MAX 4 // of these

static LyraStatus tell(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                       LyraUpdateMoment moment, double share, bool *ahead, bool *changed)
{
    const LyraPoint at = {.time = stage->time,
                          .dt = stage->dt,
                          .u = newton->u,
                          .v = newton->v,
                          .committed = stage->committed,
                          .unloaded = stage->unloaded,
                          .moment = moment,
                          .share = share,
                          .ahead = ahead};
    (void)it;
    return lyra_system_begin_iteration(newton->system, &at, changed);
}

LyraStatus ly_newton_look_ahead(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                                const LyraVector *q, double share, LyraVector *r,
                                LyEvaluation *evaluation, bool *ahead)
{
    bool changed = false;
    *ahead = false;
    if (!it->reached || !lyra_system_has_iterations(newton->system)) {
        return LYRA_OK;
    }
    // where it was seen last, but for rounding
    ly_newton_place(newton, stage, q);
    ly_reach_return(it, newton->u);
    LY_TRY(tell(newton, it, stage, LYRA_UPDATE_AHEAD, share, ahead, &changed));
    return changed ? ly_newton_evaluate(newton, it, stage, q, r, evaluation) : LYRA_OK;
}

LyraStatus ly_newton_moved(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                           const LyraVector *q, double share, LyraVector *r,
                           LyEvaluation *evaluation)
{
    bool changed = false;
    ly_newton_place(newton, stage, q);
    ly_reach_return(it, newton->u);
    LY_TRY(tell(newton, it, stage, LYRA_UPDATE_MOVED, share, NULL, &changed));
    return ly_newton_evaluate(newton, it, stage, q, r, evaluation);
}

// by the positive tangent; a rough one does where an iterative solver is at its end
static LyraStatus find_direction(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                                 const LyraVector *q, LyDirection *direction)
{
    *direction = (LyDirection){.psd = true};
    LyraStatus status = ly_newton_form(newton, it, stage, q, true);
    if (status == LYRA_OK) {
        status = ly_newton_direction(newton, it, stage, newton->r, 0, direction);
    }
    if (status == LYRA_NOT_CONVERGED) {
        status = ly_newton_direction(newton, it, stage, newton->r, ROUGH, direction);
    }
    it->report.psd_iterations += status == LYRA_OK;
    return status == LYRA_OK ? status : ly_step_fail(it, LYRA_STEP_SOLVER, status);
}

LyraStatus ly_newton_go_ahead(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                              LyraVector *q, LyEvaluation *evaluation, bool *went)
{
    *went = false;
    for (double share = 1; share >= LEAST; share *= LESS) {
        LyDirection direction;
        LyEvaluation next;
        bool ahead = false;
        LY_TRY(ly_newton_look_ahead(newton, it, stage, q, share, newton->r, evaluation, &ahead));
        if (!ahead || !evaluation->finite) {
            return LYRA_OK;
        }
        LY_TRY(find_direction(newton, it, stage, q, &direction));
        ++it->report.newton_iterations;
        it->report.step_last = direction.largest;
        ly_newton_place(newton, stage, q);
        ly_reach_return(it, newton->u);
        LY_TRY(ly_reach_part(it, stage->u_q, newton->d, &newton->limit));
        lyra_vector_sum(newton->limit, newton->d, q, newton->q_try);
        // the forces that look ahead are finite where the body is
        ly_newton_place(newton, stage, newton->q_try);
        ly_reach_return(it, newton->u);
        LY_TRY(ly_newton_evaluate(newton, it, stage, newton->q_try, newton->r_try, &next));
        if (!next.finite) {
            ly_newton_place(newton, stage, q);
            ly_reach_return(it, newton->u);
            continue;
        }
        lyra_vector_copy(newton->q_try, q);
        LY_TRY(ly_newton_moved(newton, it, stage, q, newton->limit, newton->r, evaluation));
        *went = true;
        return LYRA_OK;
    }
    evaluation->finite = false;
    return LYRA_OK;
}

LyraStatus ly_newton_arrive(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                            LyraVector *q)
{
    int32_t stuck = 0;
    for (int32_t k = 0; k < ARRIVALS && stuck < STUCK_MAX; ++k) {
        LyEvaluation evaluation = {.finite = true};
        bool went = false;
        LY_TRY(ly_newton_go_ahead(newton, it, stage, q, &evaluation, &went));
        if (!evaluation.finite) {
            return ly_newton_fail_at(newton, it, stage, &evaluation);
        }
        if (!went) {
            return LYRA_OK;
        }
        stuck = newton->limit < STUCK ? stuck + 1 : 0;
    }
    return ly_fail_blocked(it, stage->time);
}
