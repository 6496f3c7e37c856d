// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The solver "bicgstab": stabilised bi-conjugate gradients for any regular matrix, preconditioned
// from the right, so that its residual is that of the system [Vor92]. The method may break down
// (rho or omega near zero) and its recurrence may drift; both end a run, and the next one starts
// from the true residual with a new shadow. Runs that do not halve it end the iteration.

#include "solve/krylov.h"

#include <math.h>

#define STALLS_MAX 4

// what counts as zero against the norms of its factors
#define BREAKDOWN 1e-14

// runs from the residual in r, of norm `start`
static LyraStatus run(LyKrylov *krylov, double start, double target, const double *b, double *x,
                      LyraSolveReport *report)
{
    (void)b;
    LyraContext *ctx = krylov->ctx;
    int64_t n = krylov->size;
    double *r = krylov->work, *shadow = r + n, *p = shadow + n, *v = p + n, *t = v + n;
    double *ph = t + n, *rh = ph + n;
    ly_vector_copy(ctx, n, r, shadow);
    ly_vector_copy(ctx, n, r, p);
    double rho = start * start, r_norm = start;
    while (report->iterations < krylov->iterations_max) {
        // half a step along p
        ly_krylov_precondition(krylov, p, ph);
        lyra_operator_apply(&krylov->A, ph, v);
        double shadow_v = ly_vector_dot(ctx, n, shadow, v), v_norm = ly_vector_norm(ctx, n, v);
        if (!isfinite(shadow_v) || !isfinite(v_norm)) {
            return ly_krylov_not_finite(krylov);
        }
        if (fabs(shadow_v) <= BREAKDOWN * start * v_norm) {
            return LYRA_OK;
        }
        double alpha = rho / shadow_v;
        ly_vector_axpby(ctx, n, alpha, ph, 1.0, x);
        ly_vector_axpby(ctx, n, -alpha, v, 1.0, r);
        ++report->iterations;
        r_norm = ly_vector_norm(ctx, n, r);
        if (r_norm <= target) {
            return LYRA_OK;
        }
        // half a step that makes the residual smallest
        ly_krylov_precondition(krylov, r, rh);
        lyra_operator_apply(&krylov->A, rh, t);
        double tt = ly_vector_dot(ctx, n, t, t), tr = ly_vector_dot(ctx, n, t, r);
        if (!isfinite(tt) || !isfinite(tr)) {
            return ly_krylov_not_finite(krylov);
        }
        if (fabs(tr) <= BREAKDOWN * sqrt(tt) * r_norm) {
            return LYRA_OK;
        }
        double omega = tr / tt;
        ly_vector_axpby(ctx, n, omega, rh, 1.0, x);
        ly_vector_axpby(ctx, n, -omega, t, 1.0, r);
        r_norm = ly_vector_norm(ctx, n, r);
        double rho_new = ly_vector_dot(ctx, n, shadow, r);
        if (r_norm <= target || fabs(rho_new) <= BREAKDOWN * start * r_norm) {
            return LYRA_OK;
        }
        // p = r + beta (p - omega v)
        double beta = rho_new / rho * (alpha / omega);
        ly_vector_axpby(ctx, n, -omega, v, 1.0, p);
        ly_vector_axpby(ctx, n, 1.0, r, beta, p);
        rho = rho_new;
    }
    return LYRA_OK;
}

static LyraStatus bicgstab(LyKrylov *krylov, const double *b, double b_norm, double *x,
                           LyraSolveReport *report)
{
    return ly_krylov_repeat(krylov, run, 0.5, STALLS_MAX, b, b_norm, x, report);
}

static LyraStatus create(LyraContext *ctx, const LyraSolverDef *def, void **self)
{
    return ly_krylov_create(ctx, def, "bicgstab", bicgstab, false, 7, false, self);
}

const LyraSolverType ly_solver_bicgstab = {
    .name = "bicgstab",
    .traits = LYRA_SOLVES_BLOCK | LYRA_SOLVES_CSR | LYRA_SOLVES_DENSE | LYRA_SOLVES_CALLBACK |
              LYRA_SOLVES_UNSYMMETRIC | LYRA_SOLVES_INDEFINITE,
    .create = create,
    LY_KRYLOV_FUNCTIONS,
};
