// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The solver "minres": minimal residuals for symmetric systems, definite or not [PS75]. The Lanczos
// process builds an orthonormal basis in the norm of the preconditioner; rotations turn its
// tridiagonal matrix into a triangle, row by row, and the residual, in that norm, never grows.
//
// The norm at hand is that of the preconditioner. Their ratio, as seen last, says when to compute
// the true residual; the iteration goes on where it is not yet small enough, and starts anew from
// it where the basis is exhausted.

#include "solve/krylov.h"

#include <math.h>

// starts without progress that end the iteration
#define STALLS_MAX 2

typedef struct Lanczos {
    double *r1, *r2, *y, *v, *w, *w1, *w2, *t;
    double alpha, beta, beta_old;
} Lanczos;

// the next basis vector: A v is orthogonalised against the last two
static void lanczos_step(const LyKrylov *krylov, Lanczos *l, bool first)
{
    LyraContext *ctx = krylov->ctx;
    int64_t n = krylov->size;
    ly_vector_axpby(ctx, n, 1.0 / l->beta, l->y, 0.0, l->v);
    lyra_operator_apply(&krylov->A, l->v, l->y);
    if (!first) {
        ly_vector_axpby(ctx, n, -l->beta / l->beta_old, l->r1, 1.0, l->y);
    }
    l->alpha = ly_vector_dot(ctx, n, l->v, l->y);
    ly_vector_axpby(ctx, n, -l->alpha / l->beta, l->r2, 1.0, l->y);
    double *free = l->r1;
    l->r1 = l->r2;
    l->r2 = l->y;
    l->y = free;
    ly_krylov_precondition(krylov, l->r2, l->y);
    l->beta_old = l->beta;
    l->beta = sqrt(fmax(ly_vector_dot(ctx, n, l->r2, l->y), 0.0));
}

// runs from the residual, of norm `start`
static LyraStatus run(LyKrylov *krylov, double start, double target, const double *b, double *x,
                      LyraSolveReport *report)
{
    LyraContext *ctx = krylov->ctx;
    int64_t n = krylov->size;
    double *work = krylov->work;
    Lanczos vectors = {.r2 = work,
                       .r1 = work + n,
                       .y = work + 2 * n,
                       .v = work + 3 * n,
                       .w = work + 4 * n,
                       .w1 = work + 5 * n,
                       .w2 = work + 6 * n,
                       .t = work + 7 * n};
    Lanczos *l = &vectors;
    ly_krylov_precondition(krylov, l->r2, l->y);
    l->beta = sqrt(fmax(ly_vector_dot(ctx, n, l->r2, l->y), 0.0));
    double first = l->beta, phi_bar = l->beta, cs = -1.0, sn = 0.0, d_bar = 0.0, epsilon = 0.0;
    double ratio = start / l->beta, largest = 0.0; // entry of the tridiagonal matrix
    for (int64_t k = 0; report->iterations < krylov->iterations_max; ++k) {
        lanczos_step(krylov, l, k == 0);
        ++report->iterations;
        largest = fmax(largest, fmax(fabs(l->alpha), l->beta));
        double epsilon_old = epsilon, delta = cs * d_bar + sn * l->alpha;
        double g_bar = sn * d_bar - cs * l->alpha;
        epsilon = sn * l->beta;
        d_bar = -cs * l->beta;
        double gamma = hypot(g_bar, l->beta);
        if (!isfinite(gamma)) {
            return ly_krylov_not_finite(krylov);
        }
        if (gamma == 0.0) {
            return LYRA_OK; // singular: nothing more to gain here
        }
        cs = g_bar / gamma;
        sn = l->beta / gamma;
        double phi = cs * phi_bar;
        phi_bar *= sn;
        // w = (v - epsilon w1 - delta w2) / gamma
        double *w = l->w1;
        l->w1 = l->w2;
        l->w2 = l->w;
        l->w = w;
        ly_vector_axpby(ctx, n, 1.0 / gamma, l->v, 0.0, w);
        if (k > 0) {
            ly_vector_axpby(ctx, n, -delta / gamma, l->w2, 1.0, w);
        }
        if (k > 1) {
            ly_vector_axpby(ctx, n, -epsilon_old / gamma, l->w1, 1.0, w);
        }
        ly_vector_axpby(ctx, n, phi, w, 1.0, x);
        bool exhausted = l->beta <= 1e-15 * largest || fabs(phi_bar) <= 1e-14 * first;
        if (fabs(phi_bar) * ratio <= target || exhausted) {
            double r_norm = ly_krylov_residual(krylov, b, x, l->t);
            if (!(r_norm > target) || exhausted) {
                return LYRA_OK;
            }
            // check again only after a fall
            ratio = fmax(r_norm, 1.1 * target) / fabs(phi_bar);
        }
    }
    return LYRA_OK;
}

static LyraStatus minres(LyKrylov *krylov, const double *b, double b_norm, double *x,
                         LyraSolveReport *report)
{
    return ly_krylov_repeat(krylov, run, 0.5, STALLS_MAX, b, b_norm, x, report);
}

static LyraStatus create(LyraContext *ctx, const LyraSolverDef *def, void **self)
{
    return ly_krylov_create(ctx, def, "minres", minres, true, 8, false, self);
}

const LyraSolverType ly_solver_minres = {
    .name = "minres",
    .traits = LYRA_SOLVES_BLOCK | LYRA_SOLVES_CSR | LYRA_SOLVES_DENSE | LYRA_SOLVES_CALLBACK |
              LYRA_SOLVES_INDEFINITE,
    .create = create,
    LY_KRYLOV_FUNCTIONS,
};
