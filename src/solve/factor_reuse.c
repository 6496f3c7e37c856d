// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// An old factor as the preconditioner of conjugate gradients. The tangent of one step is near that
// of the step before, so (A_old)^-1 A_new is near the identity and a few iterations do what a new
// factor would; each costs one product and one solve with the factor.
//
// When is a new factor made? Never by time, so that runs repeat:
//   - at the first values;
//   - at the next values, when a solve took more than `reuse_iterations` iterations;
//   - at once, with the values at hand, when the iteration fails: it needs four times as many, or
//     meets negative curvature, which is the factor's to judge.
// The report of the first solve with a new factor has `refactored` set: with the values at that
// point the same factor is made again, which is what a restart needs to know.

#include "solve/solve.h"

#include <string.h>

typedef struct FactorReuse {
    LyraContext *ctx;
    LyraSolverDef def;
    const LyraSolverType *direct; // makes and keeps the factor
    void *direct_self;
    LyraOperator A;
    double *work;    // of the iteration, [4 size]
    double *start;   // start values, for a second try, [size]
    bool factored;   // there is a factor
    bool current;    // it is one of the values at hand
    bool due;        // the next values get a new one
    bool unreported; // no solve has told of it yet
    LyraSolveReport factor_report;
} FactorReuse;

static void forget(FactorReuse *self)
{
    if (self->direct_self) {
        self->direct->destroy(self->direct_self);
    }
    ly_release(self->ctx, self->work);
    ly_release(self->ctx, self->start);
    self->direct = NULL;
    self->direct_self = NULL;
    self->work = self->start = NULL;
    self->factored = self->current = self->due = self->unreported = false;
}

static LyraStatus create(LyraContext *ctx, const LyraSolverDef *def, void **out)
{
    FactorReuse *self;
    if (def->reuse_iterations < 1) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "factor-reuse: reuse_iterations is %d, expected 1 or more",
                       def->reuse_iterations);
    }
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *self, &self));
    self->ctx = ctx;
    self->def = *def;
    self->def.positions = NULL;
    // a preconditioner is positive definite or useless
    self->def.indefinite = LYRA_INDEFINITE_REFUSE;
    *out = self;
    return LYRA_OK;
}

static void destroy(void *data)
{
    FactorReuse *self = data;
    if (self) {
        forget(self);
        ly_release(self->ctx, self);
    }
}

static void choose_direct(FactorReuse *self, const LyraOperator *A)
{
    bool sparse = A->kind == LYRA_OPERATOR_BLOCK || A->kind == LYRA_OPERATOR_CSR;
    self->direct = sparse ? &ly_solver_cholesky : &ly_solver_dense;
}

static LyraStatus analyze(void *data, const LyraOperator *A, const LyraConstraints *constraints)
{
    (void)constraints;
    FactorReuse *self = data;
    LyraStatus status = LYRA_OK;
    forget(self);
    choose_direct(self, A);
    LY_TRY_DONE(self->direct->create(self->ctx, &self->def, &self->direct_self));
    LY_TRY_DONE(self->direct->analyze(self->direct_self, A, NULL));
    LY_TRY_DONE(
        ly_allocate_array(self->ctx, 4 * (int64_t)A->size, sizeof *self->work, &self->work));
    LY_TRY_DONE(ly_allocate_array(self->ctx, A->size, sizeof *self->start, &self->start));
done:
    if (status != LYRA_OK) {
        forget(self);
    }
    return status;
}

// a new factor, of the values at hand
static LyraStatus make_factor(FactorReuse *self)
{
    self->factored = self->current = false;
    self->factor_report = (LyraSolveReport){0};
    LY_TRY(self->direct->factor(self->direct_self, &self->A, &self->factor_report));
    self->factored = self->current = self->unreported = true;
    self->due = false;
    return LYRA_OK;
}

static void copy_factor_report(const FactorReuse *self, LyraSolveReport *report)
{
    report->factor_entries = self->factor_report.factor_entries;
    report->definiteness =
        self->current ? self->factor_report.definiteness : LYRA_DEFINITENESS_UNKNOWN;
}

static LyraStatus factor(void *data, const LyraOperator *A, LyraSolveReport *report)
{
    FactorReuse *self = data;
    LYRA_ASSERT(self->direct_self);
    self->A = *A;
    self->current = false;
    LyraStatus status = LYRA_OK;
    if (!self->factored || self->due) {
        status = make_factor(self);
    }
    report->definiteness = self->factor_report.definiteness;
    if (status == LYRA_OK) {
        copy_factor_report(self, report);
    }
    return status;
}

// direct solvers solve with what they factored, and do not look at the matrix
static LyraStatus precondition(void *data, const double *r, double *z)
{
    FactorReuse *self = data;
    LyraSolveReport ignored = {0};
    return self->direct->solve(self->direct_self, 1, r, false, z, &ignored);
}

// conjugate gradients on one right-hand side; `iterations` are those of this call
static LyraStatus iterate(FactorReuse *self, const double *b, bool warm, double *x,
                          LyraSolveReport *report, int32_t *iterations)
{
    int64_t most = 4 * (int64_t)self->def.reuse_iterations;
    if (self->def.iterations_max > 0) {
        most = ly_min_i64(most, self->def.iterations_max);
    }
    LyCg cg = {
        .A = &self->A,
        .precondition = precondition,
        .user = self,
        .stop = self->def.stop,
        .tolerance = self->def.tolerance,
        .iterations_max = (int32_t)ly_min_i64(most, INT32_MAX),
        .truncate = self->def.truncate,
        .work = self->work,
    };
    LyraSolveReport now = {.definiteness = report->definiteness};
    LyraStatus status = ly_cg(self->ctx, &cg, b, warm, x, &now);
    *iterations = now.iterations;
    report->iterations += now.iterations;
    report->definiteness = now.definiteness;
    report->negative_curvature = now.negative_curvature;
    return status;
}

static LyraStatus solve_column(FactorReuse *self, const double *b, bool warm, double *x,
                               LyraSolveReport *report)
{
    size_t bytes = (size_t)self->A.size * sizeof *x;
    int32_t iterations;
    if (warm) {
        memcpy(self->start, x, bytes);
    }
    LyraStatus status = iterate(self, b, warm, x, report, &iterations);
    bool failed = status == LYRA_NOT_CONVERGED || status == LYRA_NOT_POSITIVE_DEFINITE;
    if (failed && !self->current) {
        status = make_factor(self);
        report->definiteness = self->factor_report.definiteness;
        LY_TRY(status);
        if (warm) {
            memcpy(x, self->start, bytes);
        }
        status = iterate(self, b, warm, x, report, &iterations);
    }
    self->due = self->due || iterations > self->def.reuse_iterations;
    return status;
}

static LyraStatus solve(void *data, int32_t columns, const double *B, bool warm, double *X,
                        LyraSolveReport *report)
{
    FactorReuse *self = data;
    if (!self->factored) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "factor-reuse: there is no factor to solve with");
    }
    LyraStatus status = LYRA_OK;
    report->preconditioner = self->direct->name;
    for (int32_t c = 0; c < columns && status == LYRA_OK && self->A.size > 0; ++c) {
        int64_t begin = (int64_t)c * self->A.size;
        status = solve_column(self, B + begin, warm, X + begin, report);
    }
    report->refactored = self->unreported;
    self->unreported = false;
    report->factor_entries = self->factor_report.factor_entries;
    return status;
}

static void set_tolerance(void *data, double tolerance)
{
    FactorReuse *self = data;
    self->def.tolerance = tolerance;
}

static int64_t bytes(const void *data)
{
    const FactorReuse *self = data;
    int64_t direct = self->direct_self ? self->direct->bytes(self->direct_self) : 0;
    int64_t vectors = self->work ? 5 * (int64_t)self->A.size * (int64_t)sizeof(double) : 0;
    return (int64_t)sizeof *self + direct + vectors;
}

const LyraSolverType ly_solver_factor_reuse = {
    .name = "factor-reuse",
    .traits = LYRA_SOLVES_BLOCK | LYRA_SOLVES_CSR | LYRA_SOLVES_DENSE,
    .create = create,
    .analyze = analyze,
    .factor = factor,
    .solve = solve,
    .set_tolerance = set_tolerance,
    .bytes = bytes,
    .destroy = destroy,
};
