// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Newton's method for the equation of a stage, R(q) = M a + g + r_0 = 0, S = a_q M + v_q C + u_q K.
//
// Iteration. The exact tangent first. An iterative solver that does not reach its tolerance (large
// contrasts of stiffness, residuals near rounding) is asked again for FORCING_MAX. Where it gives
// no direction of descent, the solver finds it indefinite or fails, or the search along its
// direction finds nothing, the positive tangent; it stays until a whole step was taken.
//
// Stopping. With the decrement, dec^2 = -u_q R . d in J, the residual |P R| in N and the largest
// entry of the step, u_q |d|_max in m, all after a whole step:
//
//   dec^2 <= decrement * E   or   |P R| <= residual * F and step <= step * L   or   |P R| <= floor,
//
// E the sum of the sizes of the parts of the incremental potential, F the sum of the norms of
// inertial, internal, damping and external forces, L the size of the body (of the displacements
// where the system does not say), so that units and sizes of bodies do not matter. Where loads
// follow, and there is no potential, the decrement is that of the symmetric part of S; it ends the
// iteration where the step it belongs to takes the residual down to LEADS of what it was.
//
// The floor is what rounding leaves of the forces: 2 eps |P K z| + 2 eps |P C w| + 2 eps F, where z
// and w have signs that look random. |w| are the velocities; |z| the displacements, plus the
// lengths that forces are computed from besides: edges of elements for laws that are not linear
// (F = 1 + grad u is rounded to eps), positions for forces that need them. Where a solid is does
// not matter, and a linear law knows no length: it answers in proportion to loads of any size.
// Below NEAR_FLOOR times the floor a step that does not halve the residual is the last. A step that
// was computed is taken there, too, as the residual at the start may be known better than the floor
// says: at rest it is the load, exactly. Nowhere else does the iteration end unless the residual
// fell or is below its limit.
//
// Statics are solved more exactly, as no next step makes up for an error: with kappa the ratio
// of the residuals after and before the last step, kappa/(1 - kappa) |s| estimates the error that
// is left, and has to be below SETTLED times the limit of steps, beside the displacements, or
// SETTLING_MAX further iterations are done. Exact tangents settle at once; those of corotational
// laws converge linearly.
//
// Simplified policy [Hau04]: the tangent is kept over iterations and steps. With Theta =
// |s_k|/|s_k-1| it stops when Theta/(1 - Theta) |s| is below the limit of steps; a tangent is kept
// while fewer than 4 iterations were needed or Theta < 1e-3, and renewed at once when Theta > 0.5
// or the search had to shorten a step.
//
// Inexact policy [EW96]: the linear system is solved to eta, which starts at 0.01 and follows
// choice 2, eta = 0.9 (|R_k| / |R_k-1|)^2, safeguarded by 0.9 eta_k-1^2 where that is above 0.1, in
// [1e-8, 0.1].

#include "integrate/newton.h"

#include <float.h>
#include <math.h>

#define THETA_KEEP 1e-3
#define THETA_RENEW 0.5
#define ITERATIONS_KEEP 4
#define WAIT_MAX 15
#define FORCING_FIRST 0.01
#define FORCING_MAX 0.1
#define FORCING_MIN 1e-8
#define NEAR_FLOOR 8
#define LEADS 0.1
#define SETTLED 0.1
#define SETTLING_MAX 20
#define CHUNK 256
#define NO_WAY 1e-12                 // part of the body's size that is no way to go
#define TINY (DBL_MIN / DBL_EPSILON) // smaller numbers are rounded by more than eps
#define STALLED 0.9                  // a residual that falls by less has stopped falling

// ---- life ---------------------------------------------------------------------------------------

// the same signs in every run
static void fill_signs(LyraVector *z)
{
    double part[CHUNK];
    int32_t size = lyra_vector_size(z);
    uint64_t s = 0x9e3779b97f4a7c15u;
    for (int32_t i = 0; i < size; i += CHUNK) {
        int32_t count = size - i < CHUNK ? size - i : CHUNK;
        for (int32_t k = 0; k < count; ++k) {
            s ^= s << 13;
            s ^= s >> 7;
            s ^= s << 17;
            part[k] = s & 0x100 ? 1 : -1;
        }
        lyra_vector_write(z, i, count, part);
    }
}

// what only the iteration needs, and the policies that count their steps do without
static LyraStatus prepare_iteration(LyNewton *newton)
{
    LyraVector **vectors[] = {&newton->rest, &newton->signs, &newton->lengths};
    if (newton->iterates) {
        return LYRA_OK;
    }
    for (int32_t i = 0; i < LY_COUNT_OF(vectors); ++i) {
        if (!*vectors[i]) {
            LY_TRY(lyra_system_vector_create(newton->system, newton->size, vectors[i]));
        }
    }
    fill_signs(newton->signs);
    lyra_system_lengths(newton->system, newton->lengths);
    newton->spread = lyra_vector_largest(newton->lengths) > 0 ? newton->extent : 0;
    newton->iterates = true;
    return LYRA_OK;
}

LyraStatus ly_newton_create(LyraContext *ctx, const LyraNewtonDef *def, LyraSystem *system,
                            LyNewton **out)
{
    LyraStatus status = LYRA_OK;
    LyNewton *newton = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *newton, &newton));
    newton->ctx = ctx;
    newton->def = *def;
    newton->system = system;
    newton->size = lyra_system_size(system);
    LyraVector **vectors[] = {&newton->q_try, &newton->r,    &newton->r_try,    &newton->d,
                              &newton->moved, &newton->b,    &newton->u,        &newton->v,
                              &newton->a,     &newton->mass, &newton->external, &newton->damping,
                              &newton->start, &newton->next};
    for (int32_t i = 0; i < LY_COUNT_OF(vectors); ++i) {
        LY_TRY_DONE(lyra_system_vector_create(system, newton->size, vectors[i]));
    }
    newton->extent = lyra_system_extent(system);
    if (def->policy != LYRA_NEWTON_ONE && def->policy != LYRA_NEWTON_COUNTED) {
        LY_TRY_DONE(prepare_iteration(newton));
    }
    if (def->policy == LYRA_NEWTON_SIMPLIFIED) {
        LY_TRY_DONE(lyra_system_state_create(system, &newton->kept.point));
    }
    *out = newton;
    return LYRA_OK;
done:
    ly_newton_destroy(newton);
    return status;
}

void ly_newton_destroy(LyNewton *newton)
{
    if (!newton) {
        return;
    }
    LyraVector *vectors[] = {newton->q_try, newton->r,    newton->r_try,    newton->d,
                             newton->moved, newton->b,    newton->u,        newton->v,
                             newton->a,     newton->mass, newton->external, newton->damping,
                             newton->start, newton->rest, newton->signs,    newton->lengths,
                             newton->next};
    for (int32_t i = 0; i < LY_COUNT_OF(vectors); ++i) {
        lyra_vector_destroy(vectors[i]);
    }
    lyra_state_destroy(newton->kept.point);
    ly_release(newton->ctx, newton);
}

LyraTangentNeed ly_newton_need_tangent(const LyraNewtonDef *def)
{
    if (def->policy != LYRA_NEWTON_ONE && def->policy != LYRA_NEWTON_COUNTED) {
        return LYRA_TANGENT_NONE;
    }
    return def->psd_always ? LYRA_TANGENT_PSD : LYRA_TANGENT_EXACT;
}

// ---- directions ---------------------------------------------------------------------------------

bool ly_newton_can_retry(LyraStatus status)
{
    return status == LYRA_NOT_POSITIVE_DEFINITE || status == LYRA_SINGULAR ||
           status == LYRA_NOT_CONVERGED || status == LYRA_NOT_FINITE;
}

// what rounding makes of the residual, with K and C at hand
static void find_floor(LyNewton *newton, LyraIntegrator *it, const LyEvaluation *evaluation)
{
    lyra_vector_noise(newton->signs, newton->lengths, newton->u, newton->b);
    lyra_system_apply_stiffness(newton->system, newton->b, newton->d);
    lyra_system_merge(it->system, NULL, newton->d);
    double noise = lyra_vector_norm(newton->d);
    if (!(lyra_system_traits(newton->system) & LYRA_SYSTEM_UNDAMPED)) {
        lyra_vector_noise(newton->signs, NULL, newton->v, newton->b);
        lyra_system_apply_damping(newton->system, newton->b, newton->d);
        lyra_system_merge(it->system, NULL, newton->d);
        noise += lyra_vector_norm(newton->d);
    }
    newton->floor = 2 * DBL_EPSILON * (noise + evaluation->force);
}

// whether one matrix serves in place of all tangents; linear systems take their own
static bool is_constant(const LyNewton *newton)
{
    uint32_t traits = lyra_system_traits(newton->system);
    return traits & LYRA_SYSTEM_CONSTANT && !(traits & LYRA_SYSTEM_LINEAR);
}

// to 32 bits, so that steps that differ by the rounding of their ends have one matrix
static double shorten(double factor)
{
    int exponent;
    double bits = frexp(factor, &exponent);
    return ldexp(round(ldexp(bits, 32)), exponent - 32);
}

LyraStatus ly_newton_form(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                          const LyraVector *q, bool psd)
{
    ly_newton_place(newton, stage, q);
    const LyraPoint at = {.time = stage->time,
                          .dt = stage->dt,
                          .u = newton->u,
                          .v = newton->v,
                          .committed = stage->committed,
                          .unloaded = stage->unloaded};
    const double factors[3] = {stage->a_q, stage->v_q, stage->u_q};
    if (is_constant(newton) && newton->need_tangent == LYRA_TANGENT_NONE) {
        const double shorter[3] = {shorten(stage->a_q), shorten(stage->v_q), shorten(stage->u_q)};
        return ly_form_constant(it, &at, psd, shorter, &newton->formed);
    }
    return ly_form_at(it, &at, psd, factors);
}

LyraStatus ly_newton_direction(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                               const LyraVector *r, double forcing, LyDirection *direction)
{
    LyraSolveReport report = {.solver = "", .preconditioner = ""};
    lyra_vector_axpby(-1, r, 0, newton->b);
    double begin = ly_time();
    LyraStatus status = (newton->warm ? lyra_system_solve_from : lyra_system_solve)(
        newton->system, newton->b, forcing, newton->d, &report);
    newton->warm = false;
    it->report.solve_seconds += ly_time() - begin;
    it->report.linear_iterations += report.iterations;
    it->report.solver = report.solver ? report.solver : "";
    LY_TRY(status);
    if (!lyra_vector_is_finite(newton->d)) {
        return ly_fail(LYRA_NOT_FINITE, "linear solver \"%s\" returned non-finite values",
                       it->report.solver);
    }
    direction->slope = stage->u_q * lyra_vector_dot(r, newton->d);
    direction->largest = stage->u_q * lyra_vector_largest(newton->d);
    bool definite =
        !report.negative_curvature && report.definiteness != LYRA_DEFINITENESS_INDEFINITE;
    direction->usable = !ly_newton_is_symmetric(newton) || (definite && direction->slope < 0);
    return LYRA_OK;
}

// a direction at q by a fresh tangent: the exact one unless `psd`, then the positive one
static LyraStatus find_direction(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                                 const LyraVector *q, const LyEvaluation *evaluation, bool psd,
                                 double forcing, LyDirection *direction)
{
    *direction = (LyDirection){.psd = psd};
    for (;;) {
        LyraStatus status = ly_newton_form(newton, it, stage, q, direction->psd);
        if (status == LYRA_OK) {
            find_floor(newton, it, evaluation);
            status = ly_newton_direction(newton, it, stage, newton->r, forcing, direction);
            if (status == LYRA_NOT_CONVERGED) {
                // an iterative solver at its end: a rough direction does, more of them will follow
                status = ly_newton_direction(newton, it, stage, newton->r, FORCING_MAX, direction);
            }
        }
        if (status != LYRA_OK && (!ly_newton_can_retry(status) || direction->psd)) {
            return ly_step_fail(it, LYRA_STEP_SOLVER, status);
        }
        if (status == LYRA_OK && (direction->usable || direction->psd)) {
            it->report.psd_iterations += direction->psd;
            return LYRA_OK;
        }
        direction->psd = true;
    }
}

// ---- the iteration ------------------------------------------------------------------------------

// where an iteration stands
typedef struct Progress {
    double theta, last;  // |s_k| / |s_k-1|, and |s_k-1|, m
    double forcing;      // tolerance of the linear solver; 0: its own
    bool psd, renew;     // what the next tangent is to be
    int32_t wait, waits; // iterations with the positive tangent before the exact one is tried
    int32_t settling;    // iterations since the limits were met
} Progress;

// a direction by the tangent kept in the state, or by a fresh one, which is noted there
static LyraStatus choose_direction(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                                   LyraState *trial, const LyraVector *q,
                                   const LyEvaluation *evaluation, const Progress *progress,
                                   LyDirection *direction)
{
    bool simplified = newton->def.policy == LYRA_NEWTON_SIMPLIFIED;
    bool forced = progress->psd && !newton->def.psd_always;
    if (simplified && !progress->renew && !forced) {
        bool found = false;
        LY_TRY(ly_keep_find(newton, it, stage, trial, &found));
        if (found) {
            ly_newton_place(newton, stage, q);
            find_floor(newton, it, evaluation);
            *direction = (LyDirection){.kept = true};
            LyraStatus status = ly_newton_direction(newton, it, stage, newton->r, 0, direction);
            if (status == LYRA_OK && direction->usable) {
                return LYRA_OK;
            }
            if (status != LYRA_OK && !ly_newton_can_retry(status)) {
                return ly_step_fail(it, LYRA_STEP_SOLVER, status);
            }
        }
    }
    LY_TRY(find_direction(newton, it, stage, q, evaluation, progress->psd, progress->forcing,
                          direction));
    return simplified ? ly_keep_note(newton, it, stage, direction->psd, trial) : LYRA_OK;
}

// Statics, where the other limits are met: whether what is left of the error, as far as a step
// along `direction` that took the residual from `before` to that of `evaluation` tells, is small
// beside the displacements. True after SETTLING_MAX that said otherwise.
static bool has_settled(const LyNewton *newton, const LyStage *stage,
                        const LyEvaluation *evaluation, const LyDirection *direction, double before,
                        Progress *progress)
{
    double kappa = evaluation->residual / before;
    double limit = SETTLED * newton->def.step * lyra_vector_largest(newton->u);
    return stage->a_q != 0 || kappa > STALLED || evaluation->residual <= newton->floor ||
           kappa * direction->largest <= (1 - kappa) * limit || ++progress->settling > SETTLING_MAX;
}

// whether the iteration may end after a step along `direction` to `evaluation`
static bool has_converged(const LyNewton *newton, const LyStage *stage,
                          const LyEvaluation *evaluation, const LyDirection *direction,
                          double alpha, double before, Progress *progress)
{
    const LyraNewtonDef *def = &newton->def;
    double length = newton->extent > 0
                        ? newton->extent
                        : fmax(lyra_vector_largest(newton->u), lyra_vector_largest(newton->start));
    if (evaluation->residual <= newton->floor) {
        return true;
    }
    if (alpha < 1) {
        return false;
    }
    double left = 1; // error after this step, as a part of the step
    bool kept = false;
    if (direction->kept) {
        left = progress->theta > 0 && progress->theta < 1 ? progress->theta / (1 - progress->theta)
                                                          : INFINITY;
        bool decrement = -direction->slope * left * left <= def->decrement * evaluation->energy;
        kept = left * direction->largest <= def->step * length ||
               (decrement && ly_newton_has_potential(newton));
    }
    bool small = evaluation->residual <= def->residual * evaluation->force &&
                 direction->largest <= def->step * length;
    return (kept || small) && has_settled(newton, stage, evaluation, direction, before, progress);
}

static LyraStatus fail_search(LyraIntegrator *it, const LyStage *stage,
                              const LyEvaluation *evaluation)
{
    LyraStatus status =
        ly_fail(LYRA_NOT_CONVERGED,
                "Newton at %g s: no step along the direction lowers %s, with a residual of %g N",
                stage->time, it->def.newton.line_search ? "the potential or residual" : "anything",
                evaluation->residual);
    return ly_step_fail(it, LYRA_STEP_LINE_SEARCH, status);
}

// choice 2 of [EW96]
static double next_forcing(double forcing, double residual, double before)
{
    double ratio = residual / before, next = 0.9 * ratio * ratio;
    double guard = 0.9 * forcing * forcing;
    next = guard > 0.1 ? fmax(next, guard) : next;
    return fmin(fmax(next, FORCING_MIN), FORCING_MAX);
}

// what a step along `direction` means for the next one
static void advance(const LyNewton *newton, const LyDirection *direction, double alpha,
                    double residual, double before, Progress *progress)
{
    progress->last = direction->largest;
    // the positive tangent stays for a while, longer each time that it is needed again
    if (!direction->psd) {
        progress->wait = progress->waits = 0;
    } else if (progress->waits == 0) {
        progress->wait = progress->wait < WAIT_MAX ? 2 * progress->wait + 1 : WAIT_MAX;
        progress->waits = progress->wait;
    } else {
        --progress->waits;
    }
    progress->psd = newton->def.psd_always || progress->waits > 0;
    progress->renew = direction->kept && (alpha < 1 || progress->theta > THETA_RENEW);
    if (newton->def.policy == LYRA_NEWTON_INEXACT) {
        progress->forcing = next_forcing(progress->forcing, residual, before);
    }
}

// whether the decrement is the size of a step: where there is a potential, and in the part of an
// exact tangent that is symmetric, R . d = - d . S d, where loads follow
static bool has_decrement(const LyNewton *newton, double slope)
{
    bool exact = !(lyra_system_traits(newton->system) & LYRA_SYSTEM_INEXACT);
    // a constant tangent in place of the derivative is far too stiff: its steps tell nothing
    return (ly_newton_has_potential(newton) && (exact || !is_constant(newton))) ||
           (exact && slope < 0 && !ly_newton_is_symmetric(newton));
}

typedef struct Last {
    bool moved; // q is another
    bool done;  // the iteration has ended
} Last;

// A whole step, where the decrement says that it leads to the answer or the residual is near its
// floor: taken unless the residual grows by more than rounding.
static LyraStatus take_last(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                            const LyDirection *direction, LyraVector *q, LyEvaluation *evaluation,
                            Progress *progress, Last *last)
{
    LyEvaluation next;
    double before = evaluation->residual, rounding = NEAR_FLOOR * newton->floor;
    lyra_vector_sum(1, newton->d, q, newton->q_try);
    LY_TRY(ly_newton_evaluate(newton, it, stage, newton->q_try, newton->r_try, &next));
    bool near = before <= rounding;
    last->moved = next.finite && next.residual <= fmax(before, rounding);
    // without a potential the residual has to tell that the tangent leads there
    bool leads = ly_newton_has_potential(newton) || next.residual <= LEADS * before;
    last->done = near ? !(next.residual < 0.5 * before)
                 : last->moved
                     ? leads && has_settled(newton, stage, &next, direction, before, progress)
                     : before <= newton->def.residual * evaluation->force;
    if (last->moved) {
        lyra_vector_copy(newton->q_try, q);
        lyra_vector_copy(newton->r_try, newton->r);
        *evaluation = next;
        last->done = last->done || next.residual <= newton->floor;
    }
    it->report.residual_last = evaluation->residual;
    return LYRA_OK;
}

// whether the end that the iteration has come to stays one when forces are found anew there
static LyraStatus check_end(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                            const LyraVector *q, LyEvaluation *evaluation, bool *done)
{
    double before = evaluation->residual;
    LY_TRY(ly_newton_begin_iteration(newton, it, stage, LYRA_UPDATE_ITERATION, q, newton->r,
                                     evaluation));
    double limit = fmax(newton->floor, newton->def.residual * evaluation->force);
    *done = evaluation->finite && evaluation->residual <= fmax(before, limit);
    return LYRA_OK;
}

// whether a direction leads into what is in the way, and the body is there
static bool is_blocked(const LyNewton *newton, const LyDirection *direction)
{
    double length = newton->extent > 0 ? newton->extent : lyra_vector_largest(newton->u);
    return newton->limit < 1 && newton->limit * direction->largest <= NO_WAY * length;
}

// iterates from q, where `evaluation` was made; writes the number of iterations
static LyraStatus iterate(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                          LyraState *trial, LyraVector *q, LyEvaluation *evaluation,
                          Progress *progress, int32_t *count)
{
    LyraStepReport *report = &it->report;
    int32_t most = newton->def.iterations_max;
    most = stage->iterations_max > 0 && stage->iterations_max < most ? stage->iterations_max : most;
    for (*count = 0; *count < most;) {
        bool went = false;
        LY_TRY(ly_newton_go_ahead(newton, it, stage, q, evaluation, &went));
        if (went) {
            ++*count;
            progress->last = 0;
            report->residual_last = evaluation->residual;
        }
        if (went && evaluation->finite && newton->limit >= LY_STUCK) {
            continue;
        }
        LY_TRY(ly_newton_begin_iteration(newton, it, stage, LYRA_UPDATE_ITERATION, q, newton->r,
                                         evaluation));
        if (!evaluation->finite) {
            return ly_newton_fail_at(newton, it, stage, evaluation);
        }
        if (evaluation->residual <= TINY) {
            return LYRA_OK;
        }
        LyDirection direction;
        LY_TRY(choose_direction(newton, it, stage, trial, q, evaluation, progress, &direction));
        ++*count;
        ++report->newton_iterations;
        report->decrement = sqrt(fmax(-direction.slope, 0));
        report->step_last = direction.largest;
        progress->theta = progress->last > 0 ? direction.largest / progress->last : 0;

        LyEvaluation next;
        double alpha = 0, before = evaluation->residual;
        bool exact = !direction.kept && !direction.psd && has_decrement(newton, direction.slope);
        bool near = before <= NEAR_FLOOR * newton->floor;
        if (near || (exact && -direction.slope <= newton->def.decrement * evaluation->energy)) {
            Last last;
            LY_TRY(take_last(newton, it, stage, &direction, q, evaluation, progress, &last));
            if (last.done) {
                LY_TRY(check_end(newton, it, stage, q, evaluation, &last.done));
            }
            if (last.done) {
                return LYRA_OK;
            }
            if (last.moved) {
                advance(newton, &direction, 1, evaluation->residual, before, progress);
                continue;
            }
        }
        LY_TRY(ly_line_search(newton, it, stage, q, evaluation, &direction, &next, &alpha));
        if (is_blocked(newton, &direction)) {
            return ly_fail_blocked(it, stage->time);
        }
        if (alpha == 0) {
            if (direction.psd) {
                return newton->limit < 1 ? ly_fail_blocked(it, stage->time)
                                         : fail_search(it, stage, evaluation);
            }
            progress->renew = direction.kept;
            progress->psd = !direction.kept;
            progress->last = 0;
            continue;
        }
        lyra_vector_copy(newton->q_try, q);
        lyra_vector_copy(newton->r_try, newton->r);
        *evaluation = next;
        report->residual_last = evaluation->residual;
        bool done = has_converged(newton, stage, evaluation, &direction, alpha, before, progress);
        if (done) {
            LY_TRY(check_end(newton, it, stage, q, evaluation, &done));
        }
        if (done) {
            return LYRA_OK;
        }
        advance(newton, &direction, alpha, evaluation->residual, before, progress);
    }
    if (newton->limit < 1) {
        return ly_fail_blocked(it, stage->time);
    }
    LyraStatus status = ly_fail(LYRA_NOT_CONVERGED,
                                "Newton at %g s: residual %g N and step %g m after %d iterations",
                                stage->time, evaluation->residual, report->step_last, (int)*count);
    return ly_step_fail(it, LYRA_STEP_NOT_CONVERGED, status);
}

// the one-step policy: linearised where the body was
static LyraStatus solve_once(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                             LyraVector *q, LyEvaluation *evaluation)
{
    newton->need_tangent = ly_newton_need_tangent(&newton->def);
    LyraStatus status = ly_newton_step_from_previous(newton, it, stage, q, evaluation);
    newton->need_tangent = LYRA_TANGENT_NONE;
    LY_TRY(status);
    it->report.residual_first = it->report.residual_last = evaluation->residual;
    lyra_vector_copy(newton->q_try, q);
    if (!newton->ahead) {
        return LYRA_OK;
    }
    LyEvaluation moved;
    LY_TRY(ly_newton_moved(newton, it, stage, q, newton->limit, newton->r, &moved));
    return moved.finite ? ly_newton_arrive(newton, it, stage, q)
                        : ly_newton_fail_at(newton, it, stage, &moved);
}

// a whole step from q, where r was seen, whatever the tangent is like, or as far as the body can go
static LyraStatus step_whole(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                             LyraVector *q)
{
    LyDirection direction = {.psd = newton->def.psd_always};
    for (;;) {
        LyraStatus status = ly_newton_form(newton, it, stage, q, direction.psd);
        if (status == LYRA_OK) {
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
    LY_TRY(ly_newton_bound(newton, it, stage, q));
    lyra_vector_axpby(newton->limit, newton->d, 1, q);
    return LYRA_OK;
}

// the counted policy: the one step, then more of them from where they lead, until the residual is
// small beside the first or their number is reached. By Vega's convention the damping belongs to
// the place of each iterate, and follows here too.
static LyraStatus solve_counted(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                                LyraVector *q)
{
    LyEvaluation first, evaluation;
    LY_TRY(solve_once(newton, it, stage, q, &first));
    for (int32_t count = 1; count < newton->def.iterations_max; ++count) {
        if (it->def.vega) {
            ly_newton_place(newton, stage, q);
            LY_TRY(ly_update_damping(it, stage->time, stage->dt, newton->u, newton->v,
                                     stage->committed));
        }
        LY_TRY(ly_newton_evaluate(newton, it, stage, q, newton->r, &evaluation));
        if (evaluation.finite) {
            LY_TRY(ly_newton_begin_iteration(newton, it, stage, LYRA_UPDATE_ITERATION, q, newton->r,
                                             &evaluation));
        }
        if (!evaluation.finite) {
            return ly_newton_fail_at(newton, it, stage, &evaluation);
        }
        it->report.residual_last = evaluation.residual;
        if (stage->reactions ? evaluation.whole <= newton->def.residual * first.whole
                             : evaluation.residual <= newton->def.residual * first.residual) {
            break;
        }
        LY_TRY(step_whole(newton, it, stage, q));
    }
    return LYRA_OK;
}

LyraStatus ly_newton_solve(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                           LyraState *trial, LyraVector *q)
{
    LYRA_ASSERT(stage->u_q > 0);
    // loads work from here
    ly_newton_place(newton, stage, q);
    lyra_vector_copy(stage->previous ? stage->previous : newton->u, newton->start);
    LyEvaluation evaluation;
    if (newton->def.policy == LYRA_NEWTON_ONE && stage->previous) {
        return solve_once(newton, it, stage, q, &evaluation);
    }
    if (newton->def.policy == LYRA_NEWTON_COUNTED && stage->previous) {
        return solve_counted(newton, it, stage, q);
    }
    int32_t count = 0;
    newton->floor = 0;
    newton->limit = 1;
    LY_TRY(prepare_iteration(newton));
    LY_TRY(ly_newton_start(newton, it, stage, q, &evaluation));
    it->report.residual_first = it->report.residual_last = evaluation.residual;
    Progress progress = {.psd = newton->def.psd_always,
                         .forcing = newton->def.policy == LYRA_NEWTON_INEXACT ? FORCING_FIRST : 0};
    LY_TRY(iterate(newton, it, stage, trial, q, &evaluation, &progress, &count));
    if (newton->def.policy == LYRA_NEWTON_SIMPLIFIED && count >= ITERATIONS_KEEP &&
        progress.theta >= THETA_KEEP) {
        return ly_keep_drop(newton, trial);
    }
    return LYRA_OK;
}
