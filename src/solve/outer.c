// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Generalised conjugate residuals [EES83] with a preconditioner that may change from one iteration
// to the next: solves with S, which are rough at first. With z_k = S^-1 r_k and w_k = A z_k,
// orthogonalised against the earlier w and scaled to length one (z_k follows),
//
//   x <- x + (r . w_k) z_k,   r <- r - (r . w_k) w_k,
//
// r is minimal over all directions that are kept. The inner tolerance is what the outer one still
// needs, but no finer than INNER: digits that U spoils anyway are not computed, and in all the
// inner iterations are about as many as one solve with S takes. A factor of S gives digits for
// little, so with one the iteration goes on until rounding stops it.

#include "solve/outer.h"

#include <math.h>
#include <string.h>

#define INNER 0.01
#define ROUGH 0.1    // ... and no rougher
#define DIRECT 1e-16 // tolerance with a factor
#define POLISHED 0.1 // ... of which a residual that falls by less has enough
#define ITERATIONS_MAX 60
#define STALLED 0.95 // a residual that falls by less ...
#define STALLS_MAX 8 // ... so many times in a row has stopped falling

void ly_outer_destroy(LyOuter *outer)
{
    ly_release(outer->ctx, outer->Z);
    ly_release(outer->ctx, outer->W);
    ly_release(outer->ctx, outer->r);
    ly_release(outer->ctx, outer->z);
    ly_release(outer->ctx, outer->w);
    outer->Z = outer->W = outer->r = outer->z = outer->w = NULL;
}

static LyraStatus prepare(LyOuter *outer)
{
    double **arrays[] = {&outer->Z, &outer->W, &outer->r, &outer->z, &outer->w};
    for (int32_t i = 0; i < LY_COUNT_OF(arrays); ++i) {
        int64_t count = (i < 2 ? LY_OUTER_ROOM : 1) * outer->size;
        if (!*arrays[i]) {
            LY_TRY(ly_allocate_zeroed(outer->ctx, count, sizeof(double), arrays[i]));
        }
    }
    return LYRA_OK;
}

static double project(const LyOuter *outer, const LyraConstraints *constraints, double *r)
{
    if (constraints) {
        lyra_constraints_project(constraints, r);
    }
    return ly_vector_norm(outer->ctx, outer->size, r);
}

// takes the direction z into place k and goes along it; what is left of the residual
static double advance(LyOuter *outer, const LyraConstraints *constraints, int32_t k, int32_t kept)
{
    LyraContext *ctx = outer->ctx;
    int64_t n = outer->size;
    outer->apply(outer->user, outer->z, outer->w);
    (void)project(outer, constraints, outer->w);
    for (int32_t round = 0; round < 2; ++round) {
        for (int32_t i = 0; i < kept; ++i) {
            double along = i == k ? 0 : ly_vector_dot(ctx, n, outer->W + i * n, outer->w);
            if (along != 0) {
                ly_vector_axpby(ctx, n, -along, outer->W + i * n, 1, outer->w);
                ly_vector_axpby(ctx, n, -along, outer->Z + i * n, 1, outer->z);
            }
        }
    }
    double length = ly_vector_norm(ctx, n, outer->w), scale = length > 0 ? 1 / length : 0;
    ly_vector_axpby(ctx, n, scale, outer->w, 0, outer->W + k * n);
    ly_vector_axpby(ctx, n, scale, outer->z, 0, outer->Z + k * n);
    return ly_vector_dot(ctx, n, outer->r, outer->W + k * n);
}

// the iteration; the solution grows in `x`, which holds the start. A residual of `target` ends it,
// one of `enough` where it falls slowly.
static LyraStatus iterate(LyOuter *outer, const LyraConstraints *constraints, double target,
                          double enough, double *x, LyraSolveReport *report)
{
    LyraContext *ctx = outer->ctx;
    int64_t n = outer->size;
    double norm = ly_vector_norm(ctx, n, outer->r);
    int32_t stalls = 0, iterations = report->iterations;
    for (int32_t k = 0; norm > target; ++k) {
        LyraSolveReport inner = {.solver = "", .preconditioner = ""};
        double wanted = fmin(fmax(0.5 * target / norm, INNER), ROUGH);
        LY_TRY(lyra_solver_set_tolerance(outer->inner, wanted));
        LyraStatus status = lyra_solver_solve(outer->inner, outer->r, false, outer->z, &inner);
        iterations += inner.iterations;
        *report = inner;
        report->iterations = iterations;
        LY_TRY(status);
        int32_t place = k % LY_OUTER_ROOM, kept = k < LY_OUTER_ROOM ? k : LY_OUTER_ROOM;
        double along = advance(outer, constraints, place, kept), before = norm;
        ly_vector_axpby(ctx, n, along, outer->Z + place * n, 1, x);
        ly_vector_axpby(ctx, n, -along, outer->W + place * n, 1, outer->r);
        norm = ly_vector_norm(ctx, n, outer->r);
        if (!isfinite(norm)) {
            return ly_fail(LYRA_NOT_FINITE, "solver %s: the residual is not finite", inner.solver);
        }
        if (norm <= enough && norm > POLISHED * before) {
            return LYRA_OK;
        }
        stalls = norm > STALLED * before ? stalls + 1 : 0;
        if (stalls > STALLS_MAX || k == ITERATIONS_MAX) {
            return ly_fail(LYRA_NOT_CONVERGED,
                           "solver %s: the part of the matrix that is not symmetric is too large "
                           "for it: residual %g after %d solves, expected %g",
                           inner.solver, norm, (int)k + 1, target);
        }
    }
    return LYRA_OK;
}

LyraStatus ly_outer_solve(LyOuter *outer, const LyraConstraints *constraints, double tolerance,
                          const double *b, bool warm, double *x, LyraSolveReport *report)
{
    LyraContext *ctx = outer->ctx;
    int64_t n = outer->size;
    LY_TRY(prepare(outer));
    *report = lyra_solver_report(outer->inner);
    report->iterations = 0;
    bool direct = !report->preconditioner || !report->preconditioner[0];
    ly_vector_copy(ctx, n, b, outer->r);
    double right = project(outer, constraints, outer->r);
    double *start = outer->w; // until the first direction
    if (warm) {
        outer->apply(outer->user, x, start);
        ly_vector_axpby(ctx, n, -1, start, 1, outer->r);
        (void)project(outer, constraints, outer->r);
    } else {
        ly_vector_fill(ctx, n, 0, x);
    }
    LY_TRY(iterate(outer, constraints, (direct ? DIRECT : tolerance) * right, tolerance * right, x,
                   report));
    report->residual = right > 0 ? ly_vector_norm(ctx, n, outer->r) / right : 0;
    return LYRA_OK;
}
