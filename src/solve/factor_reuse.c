// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Conjugate gradients on an old factor (kept.h).
//
// When is a new factor made? Never by time, so that runs repeat:
//   - at the first values;
//   - at the next values, when a solve took more than `reuse_iterations` iterations;
//   - at once, with the values at hand, when the iteration fails: it needs four times as many, or
//     meets negative curvature, which is the factor's to judge.
// The report of the first solve with a new factor has `refactored` set: with the values at that
// point the same factor is made again, which is what a restart needs to know.

#include "solve/kept.h"

#include <string.h>

typedef struct FactorReuse {
    LyraContext *ctx;
    LyraSolverDef def;
    LyKept kept;
    LyraOperator A;
    bool held;       // factor() is given what it had before
    bool due;        // the next values get a new factor
    bool unreported; // no solve has told of it yet
    uint64_t serial; // of the factor
} FactorReuse;

static void forget(FactorReuse *self)
{
    ly_kept_destroy(&self->kept);
    self->due = self->unreported = false;
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

static LyraStatus analyze(void *data, const LyraOperator *A, const LyraConstraints *constraints)
{
    FactorReuse *self = data;
    forget(self);
    bool sparse = A->kind == LYRA_OPERATOR_BLOCK || A->kind == LYRA_OPERATOR_CSR;
    const LyraSolverType *direct = sparse ? &ly_solver_cholesky : &ly_solver_dense;
    return ly_kept_create(self->ctx, direct, &self->def, A, constraints, &self->kept);
}

// a new factor
static LyraStatus make_factor(FactorReuse *self, const LyraOperator *A)
{
    LY_TRY(ly_kept_factor(&self->kept, A));
    ++self->serial;
    self->unreported = true;
    self->due = false;
    return LYRA_OK;
}

static LyraStatus factor(void *data, const LyraOperator *A, LyraSolveReport *report)
{
    FactorReuse *self = data;
    LYRA_ASSERT(self->kept.self);
    self->A = *A;
    self->kept.current &= self->held;
    LyraStatus status = LYRA_OK;
    if (!self->kept.factored || (self->due && !self->held)) {
        status = make_factor(self, A);
    }
    bool known = status != LYRA_OK || self->kept.current;
    report->preconditioner = self->kept.direct->name;
    report->definiteness = known ? self->kept.report.definiteness : LYRA_DEFINITENESS_UNKNOWN;
    report->factor_entries = status == LYRA_OK ? self->kept.report.factor_entries : 0;
    return status;
}

static LyraStatus solve_column(FactorReuse *self, const double *b, bool warm, double *x,
                               LyraSolveReport *report)
{
    size_t bytes = (size_t)self->A.size * sizeof *x;
    int64_t most = 4 * (int64_t)self->def.reuse_iterations;
    if (self->def.iterations_max > 0) {
        most = ly_min_i64(most, self->def.iterations_max);
    }
    LyKeptSolve ask = {
        .A = &self->A,
        .stop = self->def.stop,
        .tolerance = self->def.tolerance,
        .iterations_max = (int32_t)ly_min_i64(most, INT32_MAX),
        .truncate = self->def.truncate,
    };
    int32_t iterations;
    if (warm) {
        memcpy(self->kept.start, x, bytes);
    }
    LyraStatus status = ly_kept_solve(&self->kept, &ask, b, warm, x, report, &iterations);
    bool failed = status == LYRA_NOT_CONVERGED || status == LYRA_NOT_POSITIVE_DEFINITE;
    if (failed && !self->kept.current) {
        status = make_factor(self, &self->A);
        report->definiteness = self->kept.report.definiteness;
        LY_TRY(status);
        if (warm) {
            memcpy(x, self->kept.start, bytes);
        }
        status = ly_kept_solve(&self->kept, &ask, b, warm, x, report, &iterations);
    }
    self->due = self->due || iterations > self->def.reuse_iterations;
    return status;
}

static LyraStatus solve(void *data, int32_t columns, const double *B, bool warm, double *X,
                        LyraSolveReport *report)
{
    FactorReuse *self = data;
    if (!self->kept.factored) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "factor-reuse: there is no factor to solve with");
    }
    LyraStatus status = LYRA_OK;
    for (int32_t c = 0; c < columns && status == LYRA_OK && self->A.size > 0; ++c) {
        int64_t begin = (int64_t)c * self->A.size;
        status = solve_column(self, B + begin, warm, X + begin, report);
    }
    report->refactored = self->unreported;
    self->unreported = false;
    report->factor_entries = self->kept.report.factor_entries;
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
    return (int64_t)sizeof *self + ly_kept_bytes(&self->kept);
}

// ---- memory -------------------------------------------------------------------------------------

static uint64_t kept(const void *data)
{
    const FactorReuse *self = data;
    return self->kept.factored ? self->serial : 0;
}

static void renew(void *data)
{
    ((FactorReuse *)data)->due = true;
}

static void hold(void *data, bool held)
{
    ((FactorReuse *)data)->held = held;
}

static void remember(const void *data, double *memory)
{
    const FactorReuse *self = data;
    memset(memory, 0, LYRA_SOLVER_MEMORY * sizeof *memory);
    memory[0] = self->kept.factored;
    memory[1] = self->due;
    memory[2] = self->kept.current;
}

static LyraStatus recall(void *data, const double *memory, const LyraOperator *A)
{
    FactorReuse *self = data;
    self->kept.factored = false;
    self->due = false;
    if (memory && memory[0] != 0 && A) {
        LY_TRY(make_factor(self, A));
        self->unreported = false;
        self->due = memory[1] != 0;
        self->kept.current = memory[2] != 0;
    }
    return LYRA_OK;
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
    .kept = kept,
    .renew = renew,
    .hold = hold,
    .remember = remember,
    .recall = recall,
    .destroy = destroy,
};
