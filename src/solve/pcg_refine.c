// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Refinement around the inner iteration of pcg: r = P (b - A x) in doubles from A itself, a
// correction from the copy, x += correction, until the true residual is small enough. With floats
// inside, each correction gains what floats can give, so any tolerance that doubles reach is
// reached; with doubles inside one correction mostly does.
//
// A recurrence in floats drifts from the true residual, so a correction is asked for a reduction by
// REDUCTION at most; then x takes it, the residual is computed anew, and the iteration goes on with
// its old direction [VY00]: the true residual is still close to that of the recurrence, so nothing
// of what the iteration has gathered is lost, whereas to start anew would cost up to a third more
// iterations. Only where the two have come apart it does start anew.
//
// Where floats end. A correction that does far less than its recurrence said, numbers that leave
// the range, and curvature that is negative in floats but not in doubles are not answers: conjugate
// gradients in doubles (cg.c) then go on from the last x, with the copy as their preconditioner.
// The log says so.

#include "solve/pcg.h"

#include <math.h>
#include <string.h>

// the most that one correction in floats is asked to reduce the residual by
#define REDUCTION 1e-2

// A true residual this many times that of the recurrence is another one: to go on with the old
// direction would be wrong. At FAR times, floats have come to their end.
#define APART 1.5
#define FAR 10.0

// Without rounding as many iterations as there are unknowns end in the solution. A correction that
// needs so many more than that is not for floats.
#define SPARE 20

typedef struct Refinement {
    LyraContext *ctx;
    LyPcgRefine *refine;
    LyraSolveReport *report;
    const double *b;
    double *x, *r, *d; // [size]; d: a direction, or z of the method in doubles
    int64_t size;
    double b_norm, r_norm;
    double start;  // |r| of the first x
    bool measured; // r_norm is that of x
    double factor; // with which the last residual entered
} Refinement;

static void project(const Refinement *it, double *v)
{
    if (it->refine->constraints) {
        lyra_constraints_project(it->refine->constraints, v);
    }
}

// ---- between doubles and the copy ---------------------------------------------------------------

typedef struct MoveLoop {
    const LyPcgMatrix *matrix;
    double a;
    const double *from; // enter
    void *v;
    double *to; // leave
    bool finite[LY_PCG_DOMAINS_MAX];
} MoveLoop;

static void enter_task(void *data, int32_t share, int32_t worker)
{
    (void)worker;
    MoveLoop *loop = data;
    const LyPcgMatrix *matrix = loop->matrix;
    for (int32_t d = share; d >= 0; d = matrix->share_next[d]) {
        LyPcgPiece piece = ly_pcg_piece(matrix, d, false);
        loop->finite[d] = matrix->kernels.enter(piece.row_begin, piece.row_end, matrix->order,
                                                matrix->scale, loop->a, loop->from, loop->v);
        matrix->kernels.project(&piece, loop->v);
    }
}

// v = a P~ C^-1 b
static bool enter(LyraContext *ctx, const LyPcgMatrix *matrix, double a, const double *b, void *v)
{
    MoveLoop loop = {.matrix = matrix, .a = a, .from = b, .v = v};
    ly_parallel_for(ctx, matrix->shares, enter_task, &loop);
    bool finite = true;
    for (int32_t d = 0; d < matrix->domains; ++d) {
        finite = finite && loop.finite[d];
    }
    return finite;
}

static void leave_task(void *data, int32_t share, int32_t worker)
{
    (void)worker;
    MoveLoop *loop = data;
    const LyPcgMatrix *matrix = loop->matrix;
    for (int32_t d = share; d >= 0; d = matrix->share_next[d]) {
        LyPcgPiece piece = ly_pcg_piece(matrix, d, false);
        matrix->kernels.leave(piece.row_begin, piece.row_end, matrix->order, matrix->scale, loop->a,
                              loop->v, loop->to);
    }
}

// x += a C^-T v
static void leave(LyraContext *ctx, const LyPcgMatrix *matrix, double a, const void *v, double *x)
{
    MoveLoop loop = {.matrix = matrix, .a = a, .v = (void *)v, .to = x};
    ly_parallel_for(ctx, matrix->shares, leave_task, &loop);
}

// the factor that brings a vector of this norm to about 1 in the copy
static double entering(const LyPcgMatrix *matrix, double norm)
{
    return 1.0 / norm / matrix->scale_max;
}

// z = P C^-T M^-1 C^-1 r, the preconditioner of the copy for doubles
static LyraStatus precondition(void *user, const double *r, double *z)
{
    Refinement *it = user;
    LyPcgInner *inner = it->refine->inner;
    double norm = ly_vector_norm(it->ctx, it->size, r);
    memset(z, 0, (size_t)it->size * sizeof(double));
    if (norm == 0.0) {
        return LYRA_OK;
    }
    double a = entering(inner->matrix, norm);
    if (!isfinite(a) || !enter(it->ctx, inner->matrix, a, r, inner->r)) {
        return ly_fail(LYRA_NOT_FINITE, "pcg: a residual of %g is beyond the range of numbers",
                       norm);
    }
    ly_pcg_precondition(it->ctx, inner, inner->r, inner->z);
    leave(it->ctx, inner->matrix, 1.0 / a, inner->z, z);
    return LYRA_OK;
}

// ---- ends ---------------------------------------------------------------------------------------

// goes on in doubles from x
static LyraStatus go_on_in_doubles(Refinement *it, const char *why)
{
    LyPcgRefine *refine = it->refine;
    ly_log(it->ctx, LYRA_LOG_INFO,
           "pcg: %s at residual %g after %d iterations; going on in double precision", why,
           it->r_norm / it->b_norm, (int)it->report->iterations);
    it->report->refinements += it->report->iterations > 0;
    it->measured = false;
    LyCg cg = {
        .A = refine->A,
        .constraints = refine->constraints,
        .precondition = precondition,
        .user = it,
        .stop = refine->stop,
        .tolerance = refine->tolerance,
        .iterations_max = refine->iterations_max - it->report->iterations,
        .truncate = refine->truncate,
        .follows = it->report->iterations > 0,
        .watch = refine->watch,
        .watch_start = it->start,
        .work = refine->work,
    };
    return ly_cg(it->ctx, &cg, it->b, true, it->x, it->report);
}

// The inner iteration met curvature that is not positive: looks at it in doubles.
static LyraStatus end_at_curvature(Refinement *it, double a)
{
    LyPcgRefine *refine = it->refine;
    LyPcgInner *inner = refine->inner;
    bool first = it->report->iterations == 0;
    memset(it->d, 0, (size_t)it->size * sizeof(double));
    leave(it->ctx, inner->matrix, 1.0 / a, inner->direction, it->d);
    project(it, it->d);
    lyra_operator_apply(refine->A, it->d, it->r);
    double curvature = ly_vector_dot(it->ctx, it->size, it->d, it->r);
    if (!(curvature <= 0.0)) {
        return go_on_in_doubles(it, "rounding made curvature negative");
    }
    it->report->negative_curvature = true;
    it->report->definiteness =
        curvature < 0.0 ? LYRA_DEFINITENESS_INDEFINITE : LYRA_DEFINITENESS_SINGULAR;
    if (!refine->truncate) {
        return ly_fail(LYRA_NOT_POSITIVE_DEFINITE,
                       "pcg: d . A d = %g for a search direction d after %d iterations: the matrix "
                       "is not positive definite",
                       curvature, (int)it->report->iterations);
    }
    if (first) {
        ly_vector_copy(it->ctx, it->size, it->b, it->r);
        project(it, it->r);
        LY_TRY(precondition(it, it->r, it->x));
        project(it, it->x);
    }
    return LYRA_OK;
}

// ---- the loop -----------------------------------------------------------------------------------

// r = P (b - A x)
static LyraStatus true_residual(Refinement *it, bool zero)
{
    if (zero) {
        ly_vector_copy(it->ctx, it->size, it->b, it->r);
    } else {
        lyra_operator_apply(it->refine->A, it->x, it->r);
        ly_vector_axpby(it->ctx, it->size, 1.0, it->b, -1.0, it->r);
    }
    project(it, it->r);
    it->r_norm = ly_vector_norm(it->ctx, it->size, it->r);
    it->measured = true;
    return isfinite(it->r_norm) ? LYRA_OK
                                : ly_fail(LYRA_NOT_FINITE, "pcg: the residual is not finite");
}

static void set_goal(Refinement *it, double a)
{
    LyPcgRefine *refine = it->refine;
    LyPcgInner *inner = refine->inner;
    bool single = inner->matrix->real == sizeof(float);
    double wanted = refine->tolerance * it->b_norm,
           possible = single ? REDUCTION * it->r_norm : 0.0;
    inner->stop = refine->stop;
    inner->iterations_max = refine->iterations_max - it->report->iterations;
    if (single && inner->iterations_max > it->size + SPARE) {
        inner->iterations_max = (int32_t)it->size + SPARE;
    }
    if (refine->watch && inner->iterations_max > refine->watch->next - it->report->iterations) {
        inner->iterations_max =
            (int32_t)ly_max_i64(1, refine->watch->next - it->report->iterations);
    }
    // a little below, so that the true residual is not just above
    wanted = refine->stop == LYRA_STOP_RESIDUAL ? 0.9 * wanted : 0.0;
    inner->target = a * fmax(wanted, possible);
    inner->rescale = it->factor / a;
    inner->tolerance = refine->tolerance;
    if (refine->stop == LYRA_STOP_ENERGY) {
        // |x*|_A^2 = x . (b + r) + |x* - x|_A^2 for any x
        double energy = ly_vector_dot(it->ctx, it->size, it->x, it->b) +
                        ly_vector_dot(it->ctx, it->size, it->x, it->r);
        inner->energy_base = energy * a * a;
        // what was gained before is in `energy` now
        inner->gained = 0.0;
    }
    double square = inner->rescale * inner->rescale;
    inner->gained /= inner->resume ? square : 1.0;
    for (int32_t i = 0; inner->resume && i < LY_PCG_DELAY; ++i) {
        inner->terms[i] /= square;
    }
}

// Whether a watch lets the iteration go on. Residuals of slender bodies rise before they fall, so
// progress is that of the error in the energy norm.
static bool goes_on(Refinement *it)
{
    LyPcgRefine *refine = it->refine;
    const LyPcgInner *inner = refine->inner;
    double base = refine->stop == LYRA_STOP_ENERGY ? inner->energy_base : 0.0;
    double left = sqrt(ly_pcg_last_gain(inner) / (base + inner->gained));
    double residual = it->r_norm / it->start;
    return ly_watch_goes_on(refine->watch, it->report->iterations, it->start,
                            it->start * fmin(left, residual), refine->tolerance * it->b_norm);
}

// Whether an energy-norm iteration that says it is done is so: the true residual, in the variables
// of the iteration, is what the recurrence says.
static bool energy_is_true(Refinement *it, double a)
{
    LyPcgInner *inner = it->refine->inner;
    double said = inner->end;
    if (!enter(it->ctx, inner->matrix, a, it->r, inner->r)) {
        return false;
    }
    inner->iterations_max = 0;
    inner->resume = false;
    (void)ly_pcg_inner(it->ctx, inner);
    return inner->start <= APART * said;
}

static LyraStatus not_converged(Refinement *it)
{
    return ly_fail(LYRA_NOT_CONVERGED,
                   "pcg: residual %g of the right-hand side after %d iterations, tolerance %g",
                   it->r_norm / it->b_norm, (int)it->report->iterations, it->refine->tolerance);
}

static LyraStatus correct(Refinement *it, bool *done)
{
    LyPcgRefine *refine = it->refine;
    LyPcgInner *inner = refine->inner;
    double a = entering(inner->matrix, it->r_norm), before = it->r_norm, said = 0.0;
    *done = true;
    if (!isfinite(a) || !enter(it->ctx, inner->matrix, a, it->r, inner->r)) {
        return go_on_in_doubles(it, "numbers left the range of floats");
    }
    set_goal(it, a);
    LyPcgEnd end = ly_pcg_inner(it->ctx, inner);
    it->factor = a;
    said = inner->target / a;
    if (end == LY_PCG_BROKEN) {
        return go_on_in_doubles(it, "numbers left the range of floats");
    }
    it->report->iterations += inner->iterations;
    leave(it->ctx, inner->matrix, 1.0 / a, inner->x, it->x);
    project(it, it->x);
    it->measured = false;
    if (end == LY_PCG_CURVATURE) {
        return end_at_curvature(it, a);
    }
    LY_TRY(true_residual(it, false));
    if (refine->stop == LYRA_STOP_RESIDUAL && it->r_norm <= refine->tolerance * it->b_norm) {
        return LYRA_OK;
    }
    if (it->r_norm == 0.0 ||
        (refine->stop == LYRA_STOP_ENERGY && end == LY_PCG_MET && energy_is_true(it, a))) {
        return LYRA_OK;
    }
    if (end == LY_PCG_LIMIT && it->report->iterations >= refine->iterations_max) {
        return not_converged(it);
    }
    if (end == LY_PCG_LIMIT && refine->watch && it->report->iterations >= refine->watch->next) {
        *done = !goes_on(it);
        inner->resume = true;
        return *done ? not_converged(it) : LYRA_OK;
    }
    if (end == LY_PCG_LIMIT) {
        return go_on_in_doubles(it, "more iterations than unknowns say that floats have ended");
    }
    if (!(it->r_norm <= 0.5 * before && it->r_norm <= FAR * said)) {
        return go_on_in_doubles(it, "corrections in single precision end");
    }
    ++it->report->refinements;
    inner->resume = it->r_norm <= APART * said;
    *done = false;
    return LYRA_OK;
}

static bool is_small(const Refinement *it)
{
    return it->r_norm == 0.0 || (it->refine->stop == LYRA_STOP_RESIDUAL &&
                                 it->r_norm <= it->refine->tolerance * it->b_norm);
}

// the part of x along a coarse space that the iteration leaves out
static LyraStatus correct_coarse(Refinement *it)
{
    ly_pcg_coarse_correct(it->refine->inner->coarse, it->r, it->x);
    project(it, it->x);
    return true_residual(it, false);
}

LyraStatus ly_pcg_refine(LyraContext *ctx, LyPcgRefine *refine, const double *b, bool warm,
                         double *x, LyraSolveReport *report)
{
    int64_t n = refine->A->size;
    Refinement it = {.ctx = ctx, .refine = refine, .report = report, .b = b, .x = x, .size = n};
    it.r = refine->work;
    it.d = it.r + n;
    refine->inner->resume = false;
    // the size of what is to be met, and the start
    LY_TRY(true_residual(&it, true));
    it.b_norm = it.r_norm;
    if (!warm || it.b_norm == 0.0) {
        memset(x, 0, (size_t)n * sizeof(double));
    } else {
        project(&it, x);
        LY_TRY(true_residual(&it, false));
    }
    it.start = it.r_norm;
    if (refine->doubles && !is_small(&it)) {
        return go_on_in_doubles(&it, "the matrix is beyond single precision");
    }
    bool done = is_small(&it), deflated = ly_pcg_is_deflated(refine->inner);
    while (!done) {
        if (deflated) {
            LY_TRY(correct_coarse(&it));
            if (is_small(&it)) {
                break;
            }
        }
        if (report->iterations >= refine->iterations_max) {
            return not_converged(&it);
        }
        LY_TRY(correct(&it, &done));
    }
    if (it.measured && it.b_norm > 0.0) {
        report->residual = it.r_norm / it.b_norm;
    }
    return LYRA_OK;
}
