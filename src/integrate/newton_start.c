// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Where Newton's method starts: the one of these with the lowest potential.
//
//   1. The method's own guess.
//   2. The body where it was (`stay`).
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
// they are in: so nothing is offered while all det F > 0.
//
// Without a potential (clamped stretches) 1. to 3. are judged by their residual, but that can't
// judge 4.: a tangle at rest solves the equation, and so does the way home. Potentials don't help
// soft bodies out either, for which the way home within a step is longer than their energy pays
// for. So, without a potential or when a tenth of the body is inverted, which is then in no shape
// worth keeping, 4. is taken if it has fewer inverted elements, or as many and is better.

#include "integrate/newton.h"

#include <float.h>
#include <math.h>

#define TANGLED 0.1 // part of the elements

LyraStatus ly_newton_fail_not_finite(LyraIntegrator *it, const LyStage *stage)
{
    return ly_step_fail(it, LYRA_STEP_NOT_FINITE,
                        ly_fail(LYRA_NOT_FINITE, "the forces at %g s are not finite", stage->time));
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
        ly_merge_constrained(it, q, out);
    }
}

// one Newton step from the displacements `from` of all vertices, the way of the constraints from
// there, q - q_from, being part of it. Leaves the result in q_try.
static LyraStatus find_step(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                            const LyraVector *from, const LyraVector *q, LyLook *look)
{
    LyraVector *old = newton->q_try, *d_c = newton->moved;
    place_at(it, stage, from, q, false, old);
    lyra_vector_sum(-1, old, q, d_c);
    lyra_vector_fill(newton->r_try, 0);
    ly_merge_constrained(it, d_c, newton->r_try);
    lyra_vector_copy(newton->r_try, d_c);
    LY_TRY(ly_newton_look(newton, it, stage, old, newton->r_try, look));
    if (!look->finite) {
        return ly_newton_fail_not_finite(it, stage);
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
                ly_merge_constrained(it, NULL, newton->r);
            }
            // from the old place to where q is, on the free unknowns: most of the way
            lyra_vector_sum(-1, old, q, newton->d);
            ly_merge_constrained(it, NULL, newton->d);
            newton->warm = from == stage->stay;
            status = ly_newton_direction(newton, it, stage, newton->r, 0, &direction);
        }
        if (status == LYRA_OK) {
            break;
        }
        if (!ly_newton_is_trouble(status) || direction.psd) {
            return ly_step_fail(it, LYRA_STEP_SOLVER, status);
        }
        direction.psd = true;
    }
    ++it->report.newton_iterations;
    it->report.psd_iterations += direction.psd;
    it->report.decrement = sqrt(fmax(-direction.slope, 0));
    it->report.step_last = direction.largest;
    lyra_vector_axpby(1, d_c, 1, old);
    lyra_vector_axpby(1, newton->d, 1, old);
    return LYRA_OK;
}

LyraStatus ly_newton_step_from_stay(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                                    const LyraVector *q, LyLook *look)
{
    newton->staying = true;
    LyraStatus status = find_step(newton, it, stage, stage->stay, q, look);
    newton->staying = false;
    return status;
}

// takes q_try for q if it is better: if it has fewer inverted elements than q, of which there are
// `inverted`, or as many and a better look. Of -1 the look alone decides.
static LyraStatus offer(LyNewton *newton, LyraIntegrator *it, const LyStage *stage, LyraVector *q,
                        int32_t inverted, LyLook *look)
{
    LyLook other;
    LY_TRY(ly_newton_look(newton, it, stage, newton->q_try, newton->r_try, &other));
    bool better = ly_look_is_better(newton, &other, look);
    if (inverted >= 0 && other.finite && look->finite) {
        int32_t count = lyra_system_det_f(newton->system, newton->u).inverted;
        better = count < inverted || (count == inverted && better);
    }
    if (better) {
        *look = other;
        lyra_vector_copy(newton->q_try, q);
        lyra_vector_copy(newton->r_try, newton->r);
    }
    return LYRA_OK;
}

// by how much the constraints move from where the body was, m
static double find_motion(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                          const LyraVector *q)
{
    place_at(it, stage, stage->stay, q, false, newton->b);
    lyra_vector_axpby(-1, q, 1, newton->b);
    lyra_vector_fill(newton->d, 0);
    ly_merge_constrained(it, newton->b, newton->d);
    return stage->u_q * lyra_vector_largest(newton->d);
}

// offers what step_from_stay or find_step left in q_try, if it succeeded; by inverted elements if
// these are to count. They use r as scratch.
static LyraStatus offer_step(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                             LyraStatus status, bool count, LyraVector *q, LyLook *look)
{
    if (status != LYRA_OK && !ly_newton_is_trouble(status)) {
        return status;
    }
    LyLook again;
    lyra_vector_copy(newton->q_try, newton->moved);
    LY_TRY(ly_newton_look(newton, it, stage, q, newton->r, &again));
    int32_t inverted = count ? lyra_system_det_f(newton->system, newton->u).inverted : -1;
    lyra_vector_copy(newton->moved, newton->q_try);
    return status == LYRA_OK ? offer(newton, it, stage, q, inverted, look) : LYRA_OK;
}

// steps from the rest shape, for a body that has inverted elements
static LyraStatus offer_rest(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                             LyraVector *q, LyLook *look)
{
    LyLook old;
    LyraDetF det_f = lyra_system_det_f(newton->system, stage->stay);
    if (det_f.min > 0 || !lyra_system_rest(newton->system, stage->stay, newton->rest)) {
        return LYRA_OK;
    }
    bool count = !ly_newton_has_potential(newton) || det_f.inverted > TANGLED * det_f.elements;
    LyraStatus status = find_step(newton, it, stage, newton->rest, q, &old);
    LY_TRY(offer_step(newton, it, stage, status, count, q, look));
    const LyraConstraints *constraints = lyra_system_constraints(newton->system);
    if (constraints && lyra_constraints_view(constraints).count > 0) {
        lyra_vector_fill(newton->rest, 0);
        status = find_step(newton, it, stage, newton->rest, q, &old);
        LY_TRY(offer_step(newton, it, stage, status, count, q, look));
    }
    return LYRA_OK;
}

LyraStatus ly_newton_start(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                           LyraVector *q, LyLook *look)
{
    LY_TRY(ly_newton_look(newton, it, stage, q, newton->r, look));
    if (stage->stay) {
        double rounding = DBL_EPSILON * lyra_vector_largest(stage->stay);
        double motion = find_motion(newton, it, stage, q);
        place_at(it, stage, stage->stay, q, true, newton->q_try);
        newton->staying = motion == 0;
        LyraStatus offered = offer(newton, it, stage, q, -1, look);
        newton->staying = false;
        LY_TRY(offered);
        if (motion > 4 * rounding) {
            LyLook old;
            LyraStatus status = ly_newton_step_from_stay(newton, it, stage, q, &old);
            LY_TRY(offer_step(newton, it, stage, status, false, q, look));
        }
        LY_TRY(offer_rest(newton, it, stage, q, look));
    }
    return look->finite ? LYRA_OK : ly_newton_fail_not_finite(it, stage);
}
