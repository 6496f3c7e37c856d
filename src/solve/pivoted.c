// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What a solver by factors with pivoting does around the factor itself. A matrix is singular when a
// pivot is zero or when the condition of A, scaled by the sums of its rows and then of its columns,
// says so; it is estimated for every factor, at the price of some five solves. A symmetric matrix
// that is not singular is positive definite when no pivot is negative. A shift adds s |a_jj|, with
// s from 1e-6 in steps of 10, until that is so.

#include "solve/direct.h"

#include <math.h>
#include <string.h>

#define SHIFT_FIRST 1e-6
#define SHIFT_LAST 1e6

typedef struct Pivoted {
    LyraContext *ctx;
    LyraIndefinite indefinite;
    const LyPivotedType *type;
    void *inner;
    LyColumns rows;
    bool symmetric, factored;
    double *work; // [5 size]
} Pivoted;

static void forget(Pivoted *self)
{
    ly_columns_destroy(&self->rows);
    ly_release(self->ctx, self->work);
    self->work = NULL;
    self->factored = false;
}

LyraStatus ly_pivoted_create(LyraContext *ctx, const LyraSolverDef *def, const LyPivotedType *type,
                             void **out)
{
    Pivoted *self;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *self, &self));
    self->ctx = ctx;
    self->indefinite = def->indefinite;
    self->type = type;
    LyraStatus status = type->create(ctx, &self->inner);
    if (status != LYRA_OK) {
        ly_release(ctx, self);
        return status;
    }
    *out = self;
    return LYRA_OK;
}

void ly_pivoted_destroy(void *data)
{
    Pivoted *self = data;
    if (self) {
        self->type->destroy(self->inner);
        forget(self);
        ly_release(self->ctx, self);
    }
}

LyraStatus ly_pivoted_analyze(void *data, const LyraOperator *A, const LyraConstraints *constraints)
{
    (void)constraints;
    Pivoted *self = data;
    LyraStatus status = LYRA_OK;
    forget(self);
    self->symmetric = A->symmetric;
    // columns of the lower triangle are rows of the upper one
    LyColumnsPart part = A->symmetric ? LY_COLUMNS_LOWER : LY_COLUMNS_ROWS;
    LY_TRY_DONE(ly_columns_create(self->ctx, A, part, &self->rows));
    LY_TRY_DONE(
        ly_allocate_array(self->ctx, 5 * (int64_t)A->size, sizeof *self->work, &self->work));
    if (A->size > 0) {
        LY_TRY_DONE(self->type->analyze(self->inner, A->symmetric, &self->rows));
    }
done:
    if (status != LYRA_OK) {
        forget(self);
    }
    return status;
}

// ---- factor -------------------------------------------------------------------------------------

static LyraStatus solve_once(void *data, bool transposed, const double *b, double *x)
{
    Pivoted *self = data;
    return self->type->solve(self->inner, transposed && !self->symmetric, 1, b, x);
}

// sums of the magnitudes of rows, or of columns, scaled by `scale` of the others. Nullable: 1
static void sum_magnitudes(const Pivoted *self, bool by_rows, const double *scale, double *sums)
{
    const LyColumns *a = &self->rows;
    memset(sums, 0, (size_t)a->size * sizeof *sums);
    for (int32_t i = 0; i < a->size; ++i) {
        for (int64_t k = a->start[i]; k < a->start[i + 1]; ++k) {
            int64_t j = a->index[k];
            double value = fabs(a->values[k]);
            int64_t to = by_rows ? i : j, from = by_rows ? j : i;
            sums[to] += value * (scale ? scale[from] : 1.0);
            if (self->symmetric && i != j) {
                sums[from] += value * (scale ? scale[to] : 1.0);
            }
        }
    }
}

static void invert(int32_t count, double *sums)
{
    for (int32_t i = 0; i < count; ++i) {
        sums[i] = sums[i] > 0 ? 1.0 / sums[i] : 1.0;
    }
}

static LyraStatus estimate_condition(Pivoted *self, double *rcond)
{
    int32_t size = self->rows.size;
    double *row = self->work, *column = row + size;
    sum_magnitudes(self, true, NULL, row);
    invert(size, row);
    sum_magnitudes(self, false, row, column);
    invert(size, column);
    LyCondition condition = {
        .size = size,
        .row_scale = row,
        .column_scale = column,
        .norm = 1.0, // every column sums to 1 now
        .solve = solve_once,
        .user = self,
        .work = column + size,
    };
    return ly_condition_estimate(&condition, rcond);
}

// a factor of A + shift |diag A|
static LyraStatus factor_values(Pivoted *self, const LyraOperator *A, double shift,
                                LyPivotedFacts *facts)
{
    LyColumns *a = &self->rows;
    LY_TRY(ly_columns_gather(a, A));
    for (int32_t j = 0; j < a->size && shift > 0; ++j) {
        double *diagonal = &a->values[a->start[j]];
        *diagonal += shift * (*diagonal != 0.0 ? fabs(*diagonal) : 1.0);
    }
    *facts = (LyPivotedFacts){0};
    LY_TRY(self->type->factor(self->inner, facts));
    double rcond = 0;
    if (!facts->singular) {
        LY_TRY(estimate_condition(self, &rcond));
    }
    if (!(rcond >= LY_RCOND_SINGULAR)) {
        return ly_fail(LYRA_SINGULAR,
                       "%s: the matrix is singular to working precision, reciprocal condition %.1e",
                       self->type->name, rcond);
    }
    return LYRA_OK;
}

static bool is_bad(LyraStatus status, const LyPivotedFacts *facts)
{
    return status == LYRA_SINGULAR || (status == LYRA_OK && facts->negative > 0);
}

LyraStatus ly_pivoted_factor(void *data, const LyraOperator *A, LyraSolveReport *report)
{
    Pivoted *self = data;
    LYRA_ASSERT(self->rows.ctx);
    LyPivotedFacts facts = {0};
    self->factored = false;
    report->definiteness = LYRA_DEFINITENESS_UNKNOWN;
    report->shift = 0;
    report->negative = 0;
    report->factor_entries = 0;
    if (A->size == 0) {
        self->factored = true;
        return LYRA_OK;
    }
    LyraStatus status = factor_values(self, A, 0.0, &facts);
    if (status == LYRA_SINGULAR) {
        report->definiteness = LYRA_DEFINITENESS_SINGULAR;
    } else if (status == LYRA_OK && self->symmetric) {
        report->definiteness =
            facts.negative > 0 ? LYRA_DEFINITENESS_INDEFINITE : LYRA_DEFINITENESS_POSITIVE;
    }
    if (self->symmetric && self->indefinite == LYRA_INDEFINITE_SHIFT) {
        for (double s = SHIFT_FIRST; s <= SHIFT_LAST && is_bad(status, &facts); s *= 10) {
            status = factor_values(self, A, s, &facts);
            report->shift = s;
        }
    }
    LY_TRY(status);
    if (self->symmetric && facts.negative > 0 && self->indefinite != LYRA_INDEFINITE_LDL) {
        return ly_fail(LYRA_NOT_POSITIVE_DEFINITE,
                       "%s: the matrix is not positive definite, %d of %d pivots are negative",
                       self->type->name, facts.negative, A->size);
    }
    report->negative = facts.negative;
    report->factor_entries = facts.entries;
    self->factored = true;
    return LYRA_OK;
}

// ---- solve --------------------------------------------------------------------------------------

LyraStatus ly_pivoted_solve(void *data, int32_t columns, const double *B, bool warm, double *X,
                            LyraSolveReport *report)
{
    (void)warm;
    (void)report;
    Pivoted *self = data;
    if (!self->factored) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "%s: there is no factor to solve with",
                       self->type->name);
    }
    return self->rows.size > 0 ? self->type->solve(self->inner, false, columns, B, X) : LYRA_OK;
}

int64_t ly_pivoted_bytes(const void *data)
{
    const Pivoted *self = data;
    int64_t vectors = self->work ? 5 * (int64_t)self->rows.size * (int64_t)sizeof(double) : 0;
    return (int64_t)sizeof *self + ly_columns_bytes(&self->rows) + vectors +
           self->type->bytes(self->inner);
}
