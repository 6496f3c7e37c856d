// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Where Newton's method starts: the one of these with the lowest potential.
//
//   1. The method's own guess.
//   2. The body where it was (`previous`).
//   3. When constraints move: both have moved the held vertices alone and crush the elements next
//      to them; so one Newton step from the old place of all vertices, with the motion d_c of the
//      constraints as part of it, S d = -R - S d_c.
//   4. When the body has inverted or flat elements: one such step from the rest shape, each part of
//      the body placed by the rigid motion that fits it best, and, if anything is held, from u = 0.
//
// Why the last. A step of backward Euler is a minimum of F = |u - u_0 - h v_0|_M^2 / (2 h^2) + W(u)
// and, as a discrete gradient flow, the lowest one [AGS08]. Which of the minima Newton's method
// finds depends on its start, and a tangled body has many: descent from the tangle ends in one
// nearby, where other elements take the place of those that were inverted. The linear response of
// the rest shape, S d = -R at the rigid placement, is the minimum of F with W replaced by its
// expansion there; it knows no tangles. Real bodies do have several stable shapes, and keep the one
// they are in: so there are no such candidates while all det F > 0.
//
// Without a potential (clamped stretches) 1. to 3. are judged by their residual, but that can't
// judge 4.: a tangle at rest solves the equation, and so does the way home. Potentials don't help
// soft bodies out either, for which the way home within a step is longer than their energy pays
// for. So, without a potential or when a tenth of the body is inverted, which is then in no shape
// worth keeping, 4. is taken if it has fewer inverted elements, or as many and is better.
//
// Those that the body can't reach from where it was are dropped.

#include "integrate/newton.h"

#include <float.h>
#include <math.h>

#define TANGLED 0.1 // part of the elements

LyraStatus ly_newton_fail_at(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                             const LyEvaluation *evaluation)
{
    if (evaluation->blocked) {
        return ly_fail_blocked(it, stage->time);
    }
    return ly_fail_forces(it, "the forces", stage->time, newton->u);
}

// q of the displacements `from`: on all unknowns, or on the free ones only
static void place_at(LyraIntegrator *it, const LyStage *stage, const LyraVector *from,
                     const LyraVector *q, bool free_only, LyraVector *out)
{
    lyra_vector_copy(from, out);
    if (stage->u_0) {
        lyra_vector_axpby(-1, stage->u_0, 1, out);
    }
    lyra_vector_axpby(1 / stage->u_q, out, 0, out);
    if (free_only) {
        lyra_system_merge(it->system, q, out);
    }
}

// Shortens the step newton->d from `old` to what it can go together with what moves by itself and
// with the motion d_c of the constraints, which has to go all of its way.
static LyraStatus shorten_ahead(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                                const LyraVector *old, const LyraVector *d_c)
{
    ly_newton_place(newton, stage, old);
    ly_reach_return(it, newton->u);
    lyra_vector_sum(1, d_c, newton->d, newton->next);
    LY_TRY(ly_reach_part(it, stage->u_q, newton->next, &newton->limit));
    if (newton->limit < 1 && lyra_vector_largest(d_c) > 0) {
        return ly_fail_blocked(it, stage->time);
    }
    lyra_vector_axpby(newton->limit, newton->d, 0, newton->d);
    return LYRA_OK;
}

// Shortens the step newton->d from the displacements of `old`, where the body has been, to what it
// can go after the motion d_c of the constraints, or with it. Blocked where that can't be gone.
static LyraStatus shorten_step(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                               const LyraVector *old, const LyraVector *d_c)
{
    if (!it->reached) {
        return LYRA_OK;
    }
    if (newton->ahead) {
        return shorten_ahead(newton, it, stage, old, d_c);
    }
    LY_TRY(ly_newton_bound(newton, it, stage, old));
    if (lyra_vector_largest(d_c) > 0) {
        bool can = true;
        LyraVector *u = newton->next;
        // all at once
        lyra_vector_sum(stage->u_q, d_c, it->reached, u);
        lyra_vector_axpby(stage->u_q, newton->d, 1, u);
        LY_TRY(ly_reach(it, u, &can));
        if (can) {
            return LYRA_OK;
        }
        // one after the other
        lyra_vector_sum(stage->u_q, d_c, it->reached, u);
        LY_TRY(ly_reach_or_fail(it, u, stage->time));
        LY_TRY(ly_reach_part(it, stage->u_q, newton->d, &newton->limit));
    }
    lyra_vector_axpby(newton->limit, newton->d, 0, newton->d);
    return LYRA_OK;
}

// whether the policy counts its steps, of which none begins at another start
static bool is_single(const LyNewton *newton)
{
    return newton->def.policy == LYRA_NEWTON_ONE || newton->def.policy == LYRA_NEWTON_COUNTED;
}

// one Newton step from the displacements `from` of all vertices, the way of the constraints from
// there, q - q_from, being part of it. Leaves the result in q_try.
static LyraStatus find_step(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                            const LyraVector *from, const LyraVector *q, LyEvaluation *evaluation)
{
    LyraVector *old = newton->q_try, *d_c = newton->moved;
    place_at(it, stage, from, q, false, old);
    lyra_vector_sum(-1, old, q, d_c);
    lyra_vector_fill(newton->r_try, 0);
    lyra_system_merge(it->system, d_c, newton->r_try);
    lyra_vector_copy(newton->r_try, d_c);
    ly_reach_return(it, stage->previous);
    LY_TRY(ly_newton_evaluate(newton, it, stage, old, newton->r_try, evaluation));
    newton->ahead = false;
    if (evaluation->finite && is_single(newton)) {
        LY_TRY(ly_newton_look_ahead(newton, it, stage, old, 1, newton->r_try, evaluation,
                                    &newton->ahead));
    }
    if (evaluation->finite && !newton->ahead) {
        LY_TRY(ly_newton_begin_iteration(newton, it, stage, LYRA_UPDATE_ITERATION, old,
                                         newton->r_try, evaluation));
    }
    if (!evaluation->finite) {
        return ly_newton_fail_at(newton, it, stage, evaluation);
    }
    LyDirection direction = {.psd = newton->def.psd_always};
    for (;;) {
        LyraStatus status = ly_newton_form(newton, it, stage, old, direction.psd);
        if (status == LYRA_OK) {
            // r + S d_c on the free unknowns
            lyra_vector_copy(newton->r_try, newton->r);
            if (lyra_vector_largest(d_c) > 0) {
                lyra_system_apply(newton->system, d_c, newton->b);
                lyra_vector_axpby(1, newton->b, 1, newton->r);
                lyra_system_merge(it->system, NULL, newton->r);
            }
            // from the old place to where q is, on the free unknowns: most of the way
            lyra_vector_sum(-1, old, q, newton->d);
            lyra_system_merge(it->system, NULL, newton->d);
            newton->warm = from == stage->previous;
            status = ly_newton_direction(newton, it, stage, newton->r, 0, &direction);
        }
        if (status == LYRA_OK) {
            break;
        }
        if (!ly_newton_can_retry(status) || direction.psd) {
            return ly_step_fail(it, LYRA_STEP_SOLVER, status);
        }
        direction.psd = true;
    }
    ++it->report.newton_iterations;
    it->report.psd_iterations += direction.psd;
    it->report.decrement = sqrt(fmax(-direction.slope, 0));
    it->report.step_last = direction.largest;
    LY_TRY(shorten_step(newton, it, stage, old, d_c));
    lyra_vector_axpby(1, d_c, 1, old);
    lyra_vector_axpby(1, newton->d, 1, old);
    return LYRA_OK;
}

// what moves by itself goes back to where `previous` is allowed
static LyraStatus begin_solve(LyraIntegrator *it, const LyStage *stage)
{
    if (!lyra_system_has_iterations(it->system)) {
        return LYRA_OK;
    }
    bool changed = false;
    LyraStateView view = lyra_state_view(stage->committed);
    const LyraPoint at = {.time = stage->time,
                          .dt = stage->dt,
                          .u = stage->previous,
                          .v = view.v,
                          .committed = stage->committed,
                          .moment = LYRA_UPDATE_SOLVE};
    return lyra_system_begin_iteration(it->system, &at, &changed);
}

LyraStatus ly_newton_step_from_previous(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                                        const LyraVector *q, LyEvaluation *evaluation)
{
    if (is_single(newton)) {
        ly_reach_return(it, stage->previous);
        LY_TRY(begin_solve(it, stage));
    }
    newton->at_previous = true;
    LyraStatus status = find_step(newton, it, stage, stage->previous, q, evaluation);
    newton->at_previous = false;
    return status;
}

// takes q_try for q if it is better: if it has fewer inverted elements than q, of which there are
// `inverted`, or as many and a better evaluation. Of -1 the evaluation alone decides.
static LyraStatus try_candidate(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                                LyraVector *q, int32_t inverted, LyEvaluation *evaluation)
{
    LyEvaluation other;
    ly_reach_return(it, stage->previous);
    LY_TRY(ly_newton_evaluate(newton, it, stage, newton->q_try, newton->r_try, &other));
    bool better = ly_evaluation_is_better(newton, &other, evaluation);
    if (inverted >= 0 && other.finite && evaluation->finite) {
        int32_t count = lyra_system_det_f(newton->system, newton->u).inverted;
        better = count < inverted || (count == inverted && better);
    }
    evaluation->blocked |= other.blocked;
    if (better) {
        *evaluation = other;
        lyra_vector_copy(newton->q_try, q);
        lyra_vector_copy(newton->r_try, newton->r);
    }
    return LYRA_OK;
}

// by how much the constraints move from where the body was, m
static double find_motion(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                          const LyraVector *q)
{
    place_at(it, stage, stage->previous, q, false, newton->b);
    lyra_vector_axpby(-1, q, 1, newton->b);
    lyra_vector_fill(newton->d, 0);
    lyra_system_merge(it->system, newton->b, newton->d);
    return stage->u_q * lyra_vector_largest(newton->d);
}

// tries what step_from_previous or find_step left in q_try, if it succeeded; by inverted elements
// if these are to count. They use r as scratch.
static LyraStatus try_step(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                           LyraStatus status, bool count, LyraVector *q, LyEvaluation *evaluation)
{
    if (status != LYRA_OK && !ly_newton_can_retry(status)) {
        return status;
    }
    LyEvaluation again;
    lyra_vector_copy(newton->q_try, newton->moved);
    ly_reach_return(it, stage->previous);
    LY_TRY(ly_newton_evaluate(newton, it, stage, q, newton->r, &again));
    int32_t inverted = count ? lyra_system_det_f(newton->system, newton->u).inverted : -1;
    lyra_vector_copy(newton->moved, newton->q_try);
    return status == LYRA_OK ? try_candidate(newton, it, stage, q, inverted, evaluation) : LYRA_OK;
}

// steps from the rest shape, for a body that has inverted elements
static LyraStatus try_rest(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                           LyraVector *q, LyEvaluation *evaluation)
{
    LyEvaluation old;
    LyraDetF det_f = lyra_system_det_f(newton->system, stage->previous);
    if (det_f.min > 0 || !lyra_system_rest(newton->system, stage->previous, newton->rest)) {
        return LYRA_OK;
    }
    bool count = !ly_newton_has_potential(newton) || det_f.inverted > TANGLED * det_f.elements;
    LyraStatus status = find_step(newton, it, stage, newton->rest, q, &old);
    LY_TRY(try_step(newton, it, stage, status, count, q, evaluation));
    if (lyra_system_constraint_count(newton->system) > 0) {
        lyra_vector_fill(newton->rest, 0);
        status = find_step(newton, it, stage, newton->rest, q, &old);
        LY_TRY(try_step(newton, it, stage, status, count, q, evaluation));
    }
    return LYRA_OK;
}

LyraStatus ly_newton_start(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                           LyraVector *q, LyEvaluation *evaluation)
{
    if (stage->previous) {
        ly_reach_return(it, stage->previous);
        LY_TRY(begin_solve(it, stage));
    }
    LY_TRY(ly_newton_evaluate(newton, it, stage, q, newton->r, evaluation));
    if (stage->previous) {
        double rounding = DBL_EPSILON * lyra_vector_largest(stage->previous);
        double motion = find_motion(newton, it, stage, q);
        place_at(it, stage, stage->previous, q, true, newton->q_try);
        newton->at_previous = motion == 0;
        LyraStatus tried = try_candidate(newton, it, stage, q, -1, evaluation);
        newton->at_previous = false;
        LY_TRY(tried);
        if (motion > 4 * rounding) {
            LyEvaluation old;
            LyraStatus status = ly_newton_step_from_previous(newton, it, stage, q, &old);
            LY_TRY(try_step(newton, it, stage, status, false, q, evaluation));
        }
        LY_TRY(try_rest(newton, it, stage, q, evaluation));
    }
    return evaluation->finite ? LYRA_OK : ly_newton_fail_at(newton, it, stage, evaluation);
}
