// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A solver in a scene. docs/extending.md has this program.

#include "extending.h"

// the conjugate gradient method without a preconditioner
typedef struct Plain {
    LyraOperator A;
    double *r, *p, *q; // [size] each, in one block
    double tolerance;
} Plain;

static LyraStatus create(LyraContext *ctx, const LyraSolverDef *def, void **self)
{
    (void)ctx;
    Plain *cg = *self = calloc(1, sizeof *cg);
    if (cg) {
        cg->tolerance = def->tolerance;
    }
    return cg ? LYRA_OK : LYRA_OUT_OF_MEMORY;
}

static void destroy(void *self)
{
    free(((Plain *)self)->r);
    free(self);
}

static LyraStatus analyze(void *self, const LyraOperator *A, const LyraConstraints *constraints)
{
    (void)constraints; // those are for solvers that filter; here the library eliminates
    Plain *cg = self;
    free(cg->r);
    cg->r = calloc(3 * (size_t)A->size, sizeof *cg->r);
    cg->p = cg->r + (cg->r ? A->size : 0);
    cg->q = cg->p + (cg->r ? A->size : 0);
    return cg->r ? LYRA_OK : LYRA_OUT_OF_MEMORY;
}

static LyraStatus factor(void *self, const LyraOperator *A, LyraSolveReport *report)
{
    (void)report;
    ((Plain *)self)->A = *A;
    return LYRA_OK;
}

static double dot(int32_t n, const double *x, const double *y)
{
    double sum = 0;
    for (int32_t i = 0; i < n; ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

static LyraStatus solve(void *self, int32_t columns, const double *B, bool warm, double *X,
                        LyraSolveReport *report)
{
    Plain *cg = self;
    int32_t n = cg->A.size;
    for (int32_t c = 0; c < columns; ++c) {
        const double *b = B + (int64_t)c * n;
        double *x = X + (int64_t)c * n;
        memset(x, 0, warm ? 0 : sizeof *x * (size_t)n);
        lyra_operator_apply(&cg->A, x, cg->q);
        for (int32_t i = 0; i < n; ++i) {
            cg->p[i] = cg->r[i] = b[i] - cg->q[i];
        }
        double rr = dot(n, cg->r, cg->r), end = cg->tolerance * sqrt(dot(n, b, b));
        for (; sqrt(rr) > end; ++report->iterations) {
            lyra_operator_apply(&cg->A, cg->p, cg->q);
            double pq = dot(n, cg->p, cg->q), before = rr;
            if (!(pq > 0) || report->iterations > 10 * n) {
                return pq > 0 ? LYRA_NOT_CONVERGED : LYRA_NOT_POSITIVE_DEFINITE;
            }
            for (int32_t i = 0; i < n; ++i) {
                x[i] += rr / pq * cg->p[i];
                cg->r[i] -= rr / pq * cg->q[i];
            }
            rr = dot(n, cg->r, cg->r);
            for (int32_t i = 0; i < n; ++i) {
                cg->p[i] = cg->r[i] + rr / before * cg->p[i];
            }
        }
    }
    return LYRA_OK;
}

static void set_tolerance(void *self, double tolerance)
{
    ((Plain *)self)->tolerance = tolerance;
}

static int64_t bytes(const void *self)
{
    return 3 * (int64_t)sizeof(double) * ((const Plain *)self)->A.size;
}

static const LyraSolverType plain = {
    "plain-cg", LYRA_SOLVES_BLOCK, create, analyze,           factor,
    solve,      set_tolerance,     bytes,  .destroy = destroy};

int main(void)
{
    LyraContext *ctx = make_context();
    check(lyra_register_solver(ctx, &plain));
    double own = sag(ctx, BEAM("{young: 3 MPa}") "solver: {name: plain-cg}\n");
    double ours = sag(ctx, BEAM("{young: 3 MPa}") "solver: {name: cholesky}\n");
    printf("a beam sags by %.6f mm, and by %.6f mm with cholesky\n", 1e3 * own, 1e3 * ours);
    lyra_context_destroy(ctx);
    return fabs(own / ours - 1) < 1e-5 ? 0 : 1;
}
