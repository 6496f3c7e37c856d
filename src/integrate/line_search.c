// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The equation of a stage evaluated at a point q, and the search along a direction.
//
// Incremental potential. Where g - D v is the gradient of a potential W(u), and D is symmetric and
// frozen, the residual R = M a + g + r_0 with u = u_q q + u_0, v = v_q q + v_0, a = a_q q + a_0 is
// the gradient by q of
//
//   F(q) = a . M a / (2 a_q) + W(u) / u_q + v . D v / (2 v_q) + r_0 . q,
//
// since d/dq of the four is M a, dW/du, D v and r_0. A dissipation potential R(v) enters as
// R(v) / v_q. A vanishing a_q or v_q (statics) takes its
// term away, as a and v are zero then. We use u_q F, in J: its slope along d is u_q R . d, and
// minus that slope at the Newton direction is the square of the decrement. Backward Euler
// minimises in this way |v - v_n|_M^2 / 2 + W + h v.Dv / 2; a step that lowers u_q F enough
// (Armijo) can't run away.
//
// Without a potential the norm of the residual takes its place, as in inexact Newton methods
// [EW96]: |R(q + alpha d)| <= (1 - 1e-4 alpha) |R(q)|.
//
// Where tangents are symmetric but there is no potential (clamped stretches: the stress is nearly a
// gradient) a step is also taken when the work along it, by the trapezoidal rule, is negative:
// u_q R(q + alpha d).d <= -(1 - 2e-4) u_q R(q).d [MS79].
//
// Where tangents are not symmetric (live loads) the residual is a bad judge: whole steps that bend
// a slender body also stretch it, and its residual grows a hundredfold on the way to the answer. So
// a step is also taken when the next one, by the same tangent, is shorter [Deu04]:
//
//   |s'| <= (1 - alpha/4) |d|,   S s' = -R(q + alpha d),
//
// else alpha becomes alpha^2 |d| / (2 |s' - (1 - alpha) d|), where that is shorter yet.
//
// Backtracking: from alpha = 1, first the minimum of the parabola through both values and the
// slope, then that of the cubic through the last two trials, kept inside [0.1, 0.5] of the last
// alpha [DS83]; where a trial has no finite value, half of the last.
//
// Lengthening. The positive tangent is too stiff where the exact one is negative, so its whole
// steps may be too short by far. They are doubled while that pays: an evaluation is much cheaper
// than a factor. The tangent of clamped stretches is too stiff as well, being that of stretches
// which the force no longer follows; without a potential the work over the length that is added, by
// the trapezoidal rule as above, has to be negative.
//
// Bounds. Where the system lets the body go a part of the direction only, the search begins there.
//
// Rounding. Near the minimum differences of F drown. The potential is known to `noise`: 32 eps of
// its parts, and what the rounding of forces (newton.c) does over the displacements, and over the
// body where laws are not linear (a neo-Hookean body at rest has energies of many times eps mu V,
// though zero is right). Where the change is smaller, slopes decide, which are known much better:
// the slope at the trial may not be larger in size than at the start [HZ05].

#include "integrate/newton.h"

#include <float.h>
#include <math.h>

#define ARMIJO 1e-4
#define TRIALS_MAX 40
#define ROUNDED_MAX 8 // halvings of a part that rounding takes beyond the bound
#define STEP_MAX 64.0 // of lengthened steps

bool ly_newton_has_potential(const LyNewton *newton)
{
    const uint32_t needed = LYRA_SYSTEM_POTENTIAL | LYRA_SYSTEM_SYMMETRIC;
    return (lyra_system_traits(newton->system) & needed) == needed;
}

bool ly_newton_is_symmetric(const LyNewton *newton)
{
    return (lyra_system_traits(newton->system) & LYRA_SYSTEM_SYMMETRIC) != 0;
}

// y = x_q q + x_0
static void place(double x_q, const LyraVector *q, const LyraVector *x_0, LyraVector *y)
{
    if (x_0) {
        lyra_vector_sum(x_q, q, x_0, y);
    } else {
        lyra_vector_axpby(x_q, q, 0, y);
    }
}

void ly_newton_place(LyNewton *newton, const LyStage *stage, const LyraVector *q)
{
    if (newton->at_previous) {
        lyra_vector_copy(stage->previous, newton->u);
    } else {
        place(stage->u_q, q, stage->u_0, newton->u);
    }
    if (newton->at_previous && stage->still) {
        lyra_vector_fill(newton->v, 0);
    } else {
        place(stage->v_q, q, stage->v_0, newton->v);
    }
    place(stage->a_q, q, stage->a_0, newton->a);
}

// parts of the potential, their rounding and their size
static void find_merit(LyNewton *newton, const LyStage *stage, const LyraVector *q, double elastic,
                       double potential, double rate, LyEvaluation *evaluation)
{
    double inertia = 0, loss = 0, bias = 0;
    if (stage->a_q != 0) {
        inertia = 0.5 * stage->u_q / stage->a_q * lyra_vector_dot(newton->a, newton->mass);
    }
    if (stage->v_q != 0) {
        loss = stage->u_q / stage->v_q * (0.5 * lyra_vector_dot(newton->v, newton->damping) + rate);
    }
    if (stage->r_0) {
        bias = stage->u_q * lyra_vector_dot(stage->r_0, q);
    }
    double load = lyra_vector_dot(newton->external, newton->u) -
                  lyra_vector_dot(newton->external, newton->start);
    evaluation->energy = fabs(inertia) + fabs(loss) + fabs(elastic) + fabs(load) + fabs(bias);
    evaluation->potential = 0;
    evaluation->noise = 0;
    if (ly_newton_has_potential(newton)) {
        double parts =
            fabs(inertia) + fabs(loss) + fabs(elastic) + fabs(potential - elastic) + fabs(bias);
        double moved = newton->spread + lyra_vector_largest(newton->u);
        evaluation->potential = inertia + potential + loss + bias;
        evaluation->noise =
            32 * DBL_EPSILON * parts + moved * (DBL_EPSILON * evaluation->force + newton->floor);
    }
}

LyraStatus ly_newton_evaluate(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                              const LyraVector *q, LyraVector *r, LyEvaluation *evaluation)
{
    *evaluation = (LyEvaluation){.finite = false, .residual = INFINITY};
    ly_newton_place(newton, stage, q);
    if (!lyra_vector_is_finite(newton->u) || !lyra_vector_is_finite(newton->v)) {
        return LYRA_OK;
    }
    bool can = true;
    LY_TRY(ly_reach(it, newton->u, &can));
    if (!can) {
        evaluation->blocked = true;
        return LYRA_OK;
    }
    double elastic = 0, potential = 0, rates[LYRA_RATE_COUNT] = {0};
    bool has_potential = ly_newton_has_potential(newton);
    bool has_rates = lyra_system_traits(newton->system) & LYRA_SYSTEM_RATES;
    const LyraPoint at = {.time = stage->time,
                          .dt = stage->dt,
                          .u = newton->u,
                          .v = newton->v,
                          .committed = stage->committed,
                          .unloaded = stage->unloaded};
    const LyraResponse response = {.g = r,
                                   .external = newton->external,
                                   .damping = newton->damping,
                                   .elastic = &elastic,
                                   .potential = has_potential ? &potential : NULL,
                                   .rates = has_potential && has_rates ? rates : NULL,
                                   .need_tangent = newton->need_tangent};
    LyraStatus status = ly_evaluate(it, &at, &response);
    if (status == LYRA_NOT_FINITE) {
        return LYRA_OK;
    }
    LY_TRY(status);

    // sizes of the forces: f_int = g - D v + f_ext
    lyra_vector_sum(-1, newton->damping, r, newton->mass);
    lyra_vector_axpby(1, newton->external, 1, newton->mass);
    evaluation->force = lyra_vector_norm(newton->mass) + lyra_vector_norm(newton->external) +
                        lyra_vector_norm(newton->damping);
    lyra_vector_fill(newton->mass, 0);
    if (stage->a_q != 0) {
        lyra_system_apply_mass(newton->system, newton->a, newton->mass);
        evaluation->force += lyra_vector_norm(newton->mass);
        lyra_vector_axpby(1, newton->mass, 1, r);
    }
    if (stage->r_0) {
        lyra_vector_axpby(1, stage->r_0, 1, r);
    }
    evaluation->whole = stage->reactions ? lyra_vector_norm(r) : 0;
    lyra_system_merge(it->system, NULL, r);
    evaluation->residual = lyra_vector_norm(r);
    find_merit(newton, stage, q, elastic, potential, rates[LYRA_RATE_POTENTIAL], evaluation);
    evaluation->finite = isfinite(evaluation->residual) && isfinite(evaluation->force) &&
                         isfinite(evaluation->potential) && isfinite(evaluation->energy);
    return LYRA_OK;
}

LyraStatus ly_newton_begin_iteration(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                                     LyraUpdateMoment moment, const LyraVector *q, LyraVector *r,
                                     LyEvaluation *evaluation)
{
    if (!lyra_system_has_iterations(newton->system)) {
        return LYRA_OK;
    }
    bool changed = false;
    ly_newton_place(newton, stage, q);
    const LyraPoint at = {.time = stage->time,
                          .dt = stage->dt,
                          .u = newton->u,
                          .v = newton->v,
                          .committed = stage->committed,
                          .unloaded = stage->unloaded,
                          .moment = moment};
    LY_TRY(lyra_system_begin_iteration(newton->system, &at, &changed));
    return changed ? ly_newton_evaluate(newton, it, stage, q, r, evaluation) : LYRA_OK;
}

bool ly_evaluation_is_better(const LyNewton *newton, const LyEvaluation *trial,
                             const LyEvaluation *best)
{
    if (!trial->finite || !best->finite) {
        return trial->finite;
    }
    return ly_newton_has_potential(newton) ? trial->potential < best->potential
                                           : trial->residual < best->residual;
}

// ---- search -------------------------------------------------------------------------------------

// smallest point of the cubic through f_0, slope and two trials, by [DS83] A6.3.1
static double cubic_minimum(double f_0, double slope, double a, double f_a, double b, double f_b)
{
    double ra = (f_a - f_0 - a * slope) / (a * a), rb = (f_b - f_0 - b * slope) / (b * b);
    double c3 = (ra - rb) / (a - b), c2 = (a * rb - b * ra) / (a - b);
    double root = c2 * c2 - 3 * c3 * slope;
    if (c3 == 0) {
        return -slope / (2 * c2);
    }
    return root < 0 ? 0.5 * a : (-c2 + sqrt(root)) / (3 * c3);
}

// the next alpha after a trial that did not do
static double shorten(double f_0, double slope, double alpha, double f, double last, double f_last)
{
    double next = 0.5 * alpha;
    if (isfinite(f) && last == 0) {
        next = -slope * alpha * alpha / (2 * (f - f_0 - slope * alpha));
    } else if (isfinite(f) && isfinite(f_last)) {
        next = cubic_minimum(f_0, slope, alpha, f, last, f_last);
    }
    // NaN takes the half
    next = next >= 0.1 * alpha ? next : 0.1 * alpha;
    return next <= 0.5 * alpha ? next : 0.5 * alpha;
}

// doubles a step that did while the slope at its end is more than half of that at the begin and
// the potential falls, or what stands for it. Leaves the best in q_try, r_try and evaluation.
static LyraStatus lengthen(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                           const LyraVector *q, double slope, LyEvaluation *evaluation,
                           double *alpha)
{
    double step = 1;
    while (step < STEP_MAX) {
        step *= 2;
        double end = stage->u_q * lyra_vector_dot(newton->r_try, newton->d);
        if (end > 0.5 * slope) {
            return LYRA_OK;
        }
        LyEvaluation further;
        lyra_vector_sum(step, newton->d, q, newton->q_try);
        LY_TRY(ly_newton_evaluate(newton, it, stage, newton->q_try, newton->r_try, &further));
        ++it->report.line_search_steps;
        double beyond = stage->u_q * lyra_vector_dot(newton->r_try, newton->d);
        if (ly_newton_has_potential(newton) ? !ly_evaluation_is_better(newton, &further, evaluation)
                                            : !further.finite || end + beyond >= 0) {
            break;
        }
        *alpha = step;
        *evaluation = further;
        if (step == STEP_MAX) {
            return LYRA_OK;
        }
    }
    // back to the last that was better
    lyra_vector_sum(*alpha, newton->d, q, newton->q_try);
    return ly_newton_evaluate(newton, it, stage, newton->q_try, newton->r_try, evaluation);
}

// whether the next step from the trial at q + alpha d is shorter; *next: the alpha to try else
static bool is_next_shorter(LyNewton *newton, LyraIntegrator *it, double alpha, double *next)
{
    LyraSolveReport report = {.solver = "", .preconditioner = ""};
    lyra_vector_axpby(-1, newton->r_try, 0, newton->b);
    double begin = ly_time();
    LyraStatus status = lyra_system_solve(newton->system, newton->b, 0, newton->next, &report);
    it->report.solve_seconds += ly_time() - begin;
    it->report.linear_iterations += report.iterations;
    if (status != LYRA_OK) {
        return false;
    }
    double length = lyra_vector_norm(newton->d), after = lyra_vector_norm(newton->next);
    lyra_vector_axpby(alpha - 1, newton->d, 1, newton->next);
    double shift = lyra_vector_norm(newton->next);
    double guess = shift > 0 ? 0.5 * alpha * alpha * length / shift : alpha;
    *next = fmin(fmax(guess, 0.1 * alpha), 0.5 * alpha);
    return isfinite(after) && after <= (1 - 0.25 * alpha) * length;
}

LyraStatus ly_newton_bound(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                           const LyraVector *q)
{
    newton->limit = 1;
    if (!it->reached) {
        return LYRA_OK;
    }
    ly_newton_place(newton, stage, q);
    ly_reach_return(it, newton->u);
    LY_TRY(ly_reach_part(it, stage->u_q, newton->d, &newton->limit));
    // next to the bound the iterates are rounded by more than is left of the way
    bool can = newton->limit == 1;
    for (int32_t trial = 0; !can && newton->limit > 0; ++trial) {
        newton->limit = trial == 0 ? newton->limit : trial < ROUNDED_MAX ? 0.5 * newton->limit : 0;
        lyra_vector_sum(newton->limit, newton->d, q, newton->next);
        place(stage->u_q, newton->next, stage->u_0, newton->u);
        LY_TRY(ly_reach(it, newton->u, &can));
    }
    if (newton->limit < 1) {
        ly_newton_place(newton, stage, q);
        ly_reach_return(it, newton->u);
    }
    return LYRA_OK;
}

LyraStatus ly_line_search(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                          const LyraVector *q, const LyEvaluation *from,
                          const LyDirection *direction, LyEvaluation *evaluation, double *alpha)
{
    const double slope = direction->slope;
    bool potential = ly_newton_has_potential(newton);
    double f_0 = potential ? from->potential : 0.5 * from->residual * from->residual;
    double descent = potential ? slope : -2 * f_0;
    bool works = !potential && slope < 0 && ly_newton_is_symmetric(newton);
    double last = 0, f_last = 0;
    LY_TRY(ly_newton_bound(newton, it, stage, q));
    double step = newton->limit;
    for (int32_t trial = 0; trial < TRIALS_MAX; ++trial) {
        lyra_vector_sum(step, newton->d, q, newton->q_try);
        LY_TRY(ly_newton_evaluate(newton, it, stage, newton->q_try, newton->r_try, evaluation));
        it->report.line_search_steps += trial > 0;
        double f = !evaluation->finite ? INFINITY
                   : potential         ? evaluation->potential
                                       : 0.5 * evaluation->residual * evaluation->residual;
        bool enough = potential ? f <= f_0 + ARMIJO * step * descent
                                : evaluation->residual <= (1 - ARMIJO * step) * from->residual;
        if (!enough && potential && evaluation->finite) {
            // below the noise, slopes decide
            double noise = fmax(from->noise, evaluation->noise);
            double end = stage->u_q * lyra_vector_dot(newton->r_try, newton->d);
            enough = fabs(f - f_0) <= noise && fabs(end) <= fabs(slope);
        }
        if (!enough && works && evaluation->finite) {
            double end = stage->u_q * lyra_vector_dot(newton->r_try, newton->d);
            enough = end <= -(1 - 2 * ARMIJO) * slope;
        }
        double next = 0;
        if (!enough && evaluation->finite && newton->def.line_search &&
            !ly_newton_is_symmetric(newton)) {
            enough = is_next_shorter(newton, it, step, &next);
        }
        if (evaluation->finite && (enough || !newton->def.line_search)) {
            *alpha = step;
            return direction->psd && trial == 0 && step == 1 && (potential || works) &&
                           newton->def.line_search
                       ? lengthen(newton, it, stage, q, slope, evaluation, alpha)
                       : LYRA_OK;
        }
        if (!newton->def.line_search) {
            break;
        }
        next = next > 0 ? next : shorten(f_0, descent, step, f, last, f_last);
        last = step;
        f_last = f;
        step = next;
    }
    *alpha = 0;
    return LYRA_OK;
}
