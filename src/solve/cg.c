// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The preconditioned conjugate gradient method [HS52] in doubles, for an operator and a
// preconditioner of any kind, with constraints filtered and with three ways to end.
//
// Filtering. With P the orthogonal projection on the free motions, x in the range of P solves
// P A P x = P b. P A P is symmetric and positive definite there when A is, and so is P B P for a
// positive definite preconditioner B, so the method runs as ever once residuals and preconditioned
// residuals are projected: r = P (b - A x), z = P B r, q = P A p; directions p then stay in the
// range by themselves [BW98].
//
// Residual. The recurrence for r drifts from b - A x. When it says that the tolerance is met, the
// true residual is computed; if that is still too large the iteration starts anew from it. When two
// such starts in a row do not halve the true residual, rounding has the last word: not converged.
//
// Energy. The error in the energy norm falls by alpha_j (r_j . z_j) with each step j, so
//     |x - x_k|_A^2 = sum_{j = k}^{k+d-1} alpha_j (r_j . z_j) + |x - x_{k+d}|_A^2,
// and the sum of the last d terms estimates, from below, the error d steps ago [ST02]. |x_k|_A^2 is
// x_k . (b - r_k). What is returned is the newest iterate, whose error is smaller still.
//
// Curvature. p . A p <= 0 says that A is not positive definite. Newton then still wants a direction
// of descent: the last iterate, which is one for a start at 0, because x_k . b rises with k; when
// there is none yet, the preconditioned right-hand side.

#include "solve/solve.h"

#include <float.h>
#include <math.h>
#include <string.h>

// steps the estimate of the energy norm lags behind
#define DELAY 10

// starts from the true residual without progress that end the iteration
#define STALLS_MAX 2

typedef struct Iteration {
    LyraContext *ctx;
    const LyCg *cg;
    LyraSolveReport *report;
    const double *b;
    double *x, *r, *z, *p, *q;
    int64_t size;
    double b_norm; // of P b
    double target; // of the residual; 0 when the energy norm decides
    double start;  // |r| from which a watch sees progress
    double goal;   // ... and to which
    double terms[DELAY];
    int64_t term_count; // since the last start
    int32_t iterations; // of this call
} Iteration;

bool ly_watch_goes_on(LyWatch *watch, int32_t iterations, double start, double now, double goal)
{
    double progress =
        goal > 0.0 && start > goal && now > 0.0 ? log(start / now) / log(start / goal) : 1.0;
    // a restart may throw the residual back, not the iterate
    watch->best = fmax(watch->best, progress);
    watch->ended = !watch->go_on(watch->user, iterations, watch->best, &watch->next);
    return !watch->ended;
}

static void project(const Iteration *it, double *v)
{
    if (it->cg->constraints) {
        lyra_constraints_project(it->cg->constraints, v);
    }
}

// r = P (b - A x)
static void true_residual(Iteration *it)
{
    lyra_operator_apply(it->cg->A, it->x, it->r);
    ly_vector_axpby(it->ctx, it->size, 1.0, it->b, -1.0, it->r);
    project(it, it->r);
}

// z = P B r, and r . z
static LyraStatus precondition(Iteration *it, double *rz)
{
    if (it->cg->precondition) {
        LY_TRY(it->cg->precondition(it->cg->user, it->r, it->z));
    } else {
        ly_vector_copy(it->ctx, it->size, it->r, it->z);
    }
    project(it, it->z);
    *rz = ly_vector_dot(it->ctx, it->size, it->r, it->z);
    if (!isfinite(*rz)) {
        return ly_fail(LYRA_NOT_FINITE, "cg: the iteration met numbers that are not finite");
    }
    if (*rz <= 0.0) {
        return ly_fail(LYRA_NOT_POSITIVE_DEFINITE,
                       "cg: the preconditioner is not positive definite");
    }
    return LYRA_OK;
}

// whether the error of DELAY steps ago was small enough already
static bool energy_is_small(Iteration *it, double term)
{
    it->terms[it->term_count++ % DELAY] = term;
    if (it->term_count < DELAY) {
        return false;
    }
    double error = 0.0;
    for (int32_t i = 0; i < DELAY; ++i) {
        error += it->terms[i];
    }
    double tolerance = it->cg->tolerance;
    double energy = ly_vector_dot(it->ctx, it->size, it->x, it->b) -
                    ly_vector_dot(it->ctx, it->size, it->x, it->r);
    return error <= tolerance * tolerance * energy;
}

static LyraStatus end_at_curvature(Iteration *it, double curvature, bool first)
{
    LyraSolveReport *report = it->report;
    report->negative_curvature = true;
    report->definiteness =
        curvature < 0.0 ? LYRA_DEFINITENESS_INDEFINITE : LYRA_DEFINITENESS_SINGULAR;
    if (!it->cg->truncate) {
        return ly_fail(LYRA_NOT_POSITIVE_DEFINITE,
                       "cg: d . A d = %g for a search direction d after %d iterations: the matrix "
                       "is not positive definite",
                       curvature, (int)report->iterations);
    }
    if (first) {
        double rz = 0.0;
        ly_vector_copy(it->ctx, it->size, it->b, it->r);
        project(it, it->r);
        LY_TRY(precondition(it, &rz));
        ly_vector_copy(it->ctx, it->size, it->z, it->x);
    }
    return LYRA_OK;
}

// Runs from the residual in `r`, of norm `start`, until an end is reached or the recurrence meets
// the target; then `met` is set, and the caller looks at the true residual.
static LyraStatus run(Iteration *it, double start, bool *met, bool *ended)
{
    LyraContext *ctx = it->ctx;
    int64_t n = it->size;
    double rz = 0.0;
    *met = *ended = false;
    it->term_count = 0;
    LY_TRY(precondition(it, &rz));
    ly_vector_copy(ctx, n, it->z, it->p);
    while (it->iterations < it->cg->iterations_max) {
        lyra_operator_apply(it->cg->A, it->p, it->q);
        project(it, it->q);
        double curvature = ly_vector_dot(ctx, n, it->p, it->q);
        double alpha = rz / curvature;
        if (!isfinite(curvature) || (curvature > 0.0 && !isfinite(alpha))) {
            return ly_fail(LYRA_NOT_FINITE, "cg: the iteration met numbers that are not finite");
        }
        if (curvature <= 0.0) {
            *ended = true;
            return end_at_curvature(it, curvature, it->iterations == 0 && !it->cg->follows);
        }
        ++it->iterations;
        ++it->report->iterations;
        ly_vector_axpby(ctx, n, alpha, it->p, 1.0, it->x);
        ly_vector_axpby(ctx, n, -alpha, it->q, 1.0, it->r);
        double r_norm = ly_vector_norm(ctx, n, it->r);
        if (it->cg->stop == LYRA_STOP_ENERGY && energy_is_small(it, alpha * rz)) {
            *ended = true;
            return LYRA_OK;
        }
        // rounding is the end of an energy-norm iteration too, and what a recurrence says below it
        // is nothing
        if (r_norm <= it->target || r_norm <= DBL_EPSILON * start) {
            *met = true;
            return LYRA_OK;
        }
        LyWatch *watch = it->cg->watch;
        if (watch && it->report->iterations >= watch->next &&
            !ly_watch_goes_on(watch, it->report->iterations, it->start, r_norm, it->goal)) {
            *ended = true;
            return ly_fail(LYRA_NOT_CONVERGED, "cg: too slow after %d iterations",
                           (int)it->report->iterations);
        }
        double rz_old = rz;
        LY_TRY(precondition(it, &rz));
        ly_vector_axpby(ctx, n, 1.0, it->z, rz / rz_old, it->p);
    }
    return LYRA_OK;
}

static LyraStatus iterate(Iteration *it)
{
    const LyCg *cg = it->cg;
    double before = INFINITY;
    int32_t stalls = 0;
    for (;;) {
        true_residual(it);
        double r_norm = ly_vector_norm(it->ctx, it->size, it->r);
        if (!isfinite(r_norm)) {
            return ly_fail(LYRA_NOT_FINITE, "cg: the residual is not finite");
        }
        if (r_norm <= it->target || r_norm == 0.0) {
            return LYRA_OK;
        }
        it->start = it->start > 0.0 ? it->start : r_norm;
        stalls = r_norm > 0.5 * before ? stalls + 1 : 0;
        if (stalls == STALLS_MAX) {
            return ly_fail(LYRA_NOT_CONVERGED,
                           "cg: rounding stops the residual at %g of the right-hand side after %d "
                           "iterations, tolerance %g",
                           r_norm / it->b_norm, (int)it->report->iterations, cg->tolerance);
        }
        before = r_norm < before ? r_norm : before;
        if (it->iterations >= cg->iterations_max) {
            return ly_fail(LYRA_NOT_CONVERGED,
                           "cg: residual %g of the right-hand side after %d iterations, "
                           "tolerance %g",
                           r_norm / it->b_norm, (int)it->report->iterations, cg->tolerance);
        }
        bool met = false, ended = false;
        LY_TRY(run(it, r_norm, &met, &ended));
        if (ended) {
            return LYRA_OK;
        }
    }
}

LyraStatus ly_cg(LyraContext *ctx, const LyCg *cg, const double *b, bool warm, double *x,
                 LyraSolveReport *report)
{
    int64_t n = cg->A->size;
    if (n == 0) {
        return LYRA_OK;
    }
    Iteration it = {.ctx = ctx, .cg = cg, .report = report, .b = b, .x = x, .size = n};
    it.r = cg->work;
    it.z = it.r + n;
    it.p = it.z + n;
    it.q = it.p + n;
    // the size of what is to be met, and the start
    ly_vector_copy(ctx, n, b, it.r);
    project(&it, it.r);
    it.b_norm = ly_vector_norm(ctx, n, it.r);
    if (!isfinite(it.b_norm)) {
        return ly_fail(LYRA_NOT_FINITE, "cg: the right-hand side is not finite");
    }
    if (!warm || it.b_norm == 0.0) {
        memset(x, 0, (size_t)n * sizeof(double));
    }
    if (it.b_norm == 0.0) {
        return LYRA_OK;
    }
    project(&it, x);
    it.start = cg->watch_start;
    it.goal = cg->tolerance * it.b_norm;
    it.target = cg->stop == LYRA_STOP_RESIDUAL ? cg->tolerance * it.b_norm : 0.0;
    return iterate(&it);
}
