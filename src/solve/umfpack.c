// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sparse LU factors by UMFPACK [Dav04], for matrices that need not be symmetric. UMFPACK reads
// columns; our rows, read as columns, are A^T, so it factors A^T and solves with the transpose. It
// scales rows, pivots for size and sparsity, and refines its answers by itself.
//
// A matrix is singular when a pivot is exactly zero, or when the smallest pivot is below the root
// of the rounding unit of the largest and the condition of A, scaled by the sums of its rows and
// then of its columns, says so.

#include "solve/direct.h"

#if LY_HAVE_UMFPACK

#include <math.h>
#include <string.h>

#include <umfpack.h>

/// Ratio of pivots below which the condition is looked at: root of the rounding unit.
#define PIVOT_SUSPECT 1.5e-8

typedef struct Umfpack {
    LyraContext *ctx;
    LyColumns columns; // rows of A
    double control[UMFPACK_CONTROL];
    double info[UMFPACK_INFO];
    void *symbolic, *numeric;
    int64_t *integers; // scratch of UMFPACK, [size]
    double *work;      // scratch of UMFPACK, [5 size], and of ours, [5 size]
    int64_t numeric_bytes, symbolic_bytes;
    bool factored;
} Umfpack;

static void forget_factor(Umfpack *self)
{
    umfpack_dl_free_numeric(&self->numeric);
    self->numeric_bytes = 0;
    self->factored = false;
}

static void forget(Umfpack *self)
{
    forget_factor(self);
    umfpack_dl_free_symbolic(&self->symbolic);
    self->symbolic_bytes = 0;
    ly_columns_destroy(&self->columns);
    ly_release(self->ctx, self->integers);
    ly_release(self->ctx, self->work);
    self->integers = NULL;
    self->work = NULL;
}

static LyraStatus create(LyraContext *ctx, const LyraSolverDef *def, void **out)
{
    (void)def;
    Umfpack *self;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *self, &self));
    self->ctx = ctx;
    umfpack_dl_defaults(self->control);
    self->control[UMFPACK_PRL] = 0;
    *out = self;
    return LYRA_OK;
}

static void destroy(void *data)
{
    Umfpack *self = data;
    if (self) {
        forget(self);
        ly_release(self->ctx, self);
    }
}

static LyraStatus check_library(const Umfpack *self, SuiteSparse_long code, const char *doing)
{
    switch (code) {
    case UMFPACK_OK:
    case UMFPACK_WARNING_singular_matrix:
        return LYRA_OK;
    case UMFPACK_ERROR_out_of_memory:
        return ly_fail(LYRA_OUT_OF_MEMORY, "umfpack: out of memory while %s %d unknowns", doing,
                       self->columns.size);
    default:
        return ly_fail(LYRA_UNSUPPORTED, "umfpack: the library failed with code %lld while %s",
                       (long long)code, doing);
    }
}

// values are not known yet: UMFPACK orders by the pattern alone
static LyraStatus analyze(void *data, const LyraOperator *A, const LyraConstraints *constraints)
{
    (void)constraints;
    Umfpack *self = data;
    LyraStatus status = LYRA_OK;
    int32_t size = A->size;
    forget(self);
    LY_TRY_DONE(ly_columns_create(self->ctx, A, LY_COLUMNS_ROWS, &self->columns));
    LY_TRY_DONE(ly_allocate_array(self->ctx, size, sizeof *self->integers, &self->integers));
    LY_TRY_DONE(ly_allocate_array(self->ctx, 10 * (int64_t)size, sizeof *self->work, &self->work));
    if (size > 0) {
        LY_TRY_DONE(
            check_library(self,
                          umfpack_dl_symbolic(size, size, self->columns.start, self->columns.index,
                                              NULL, &self->symbolic, self->control, self->info),
                          "analyzing"));
        self->symbolic_bytes =
            (int64_t)(self->info[UMFPACK_SYMBOLIC_SIZE] * self->info[UMFPACK_SIZE_OF_UNIT]);
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
    Umfpack *self = data;
    // columns hold A^T: its transpose is A
    SuiteSparse_long code =
        umfpack_dl_wsolve(transposed ? UMFPACK_A : UMFPACK_At, self->columns.start,
                          self->columns.index, self->columns.values, x, b, self->numeric,
                          self->control, self->info, self->integers, self->work);
    return check_library(self, code, "solving with");
}

static LyraStatus estimate_condition(Umfpack *self, double *rcond)
{
    const LyColumns *a = &self->columns;
    double *row = self->work + 5 * (int64_t)a->size, *column = row + a->size;
    memset(column, 0, (size_t)a->size * sizeof *column);
    for (int32_t i = 0; i < a->size; ++i) {
        double sum = 0;
        for (int64_t k = a->start[i]; k < a->start[i + 1]; ++k) {
            sum += fabs(a->values[k]);
        }
        row[i] = sum > 0 ? 1.0 / sum : 1.0;
        for (int64_t k = a->start[i]; k < a->start[i + 1]; ++k) {
            column[a->index[k]] += fabs(a->values[k]) * row[i];
        }
    }
    for (int32_t j = 0; j < a->size; ++j) {
        column[j] = column[j] > 0 ? 1.0 / column[j] : 1.0;
    }
    LyCondition condition = {
        .size = a->size,
        .row_scale = row,
        .column_scale = column,
        .norm = 1.0, // every column sums to 1 now
        .solve = solve_once,
        .user = self,
        .work = column + a->size,
    };
    return ly_condition_estimate(&condition, rcond);
}

static LyraStatus factor(void *data, const LyraOperator *A, LyraSolveReport *report)
{
    Umfpack *self = data;
    LYRA_ASSERT(self->columns.ctx);
    forget_factor(self);
    report->definiteness = LYRA_DEFINITENESS_UNKNOWN;
    report->factor_entries = 0;
    LY_TRY(ly_columns_gather(&self->columns, A));
    if (A->size == 0) {
        self->factored = true;
        return LYRA_OK;
    }
    int levels = ly_openmp_pause();
    SuiteSparse_long code =
        umfpack_dl_numeric(self->columns.start, self->columns.index, self->columns.values,
                           self->symbolic, &self->numeric, self->control, self->info);
    ly_openmp_resume(levels);
    LY_TRY(check_library(self, code, "factoring"));
    double pivots = self->info[UMFPACK_RCOND], rcond = 1;
    report->factor_entries = (int64_t)(self->info[UMFPACK_LNZ] + self->info[UMFPACK_UNZ]);
    self->numeric_bytes =
        (int64_t)(self->info[UMFPACK_NUMERIC_SIZE] * self->info[UMFPACK_SIZE_OF_UNIT]);
    if (code == UMFPACK_WARNING_singular_matrix || !(pivots > 0)) {
        rcond = 0;
    } else if (pivots < PIVOT_SUSPECT) {
        LY_TRY(estimate_condition(self, &rcond));
    }
    if (rcond < LY_RCOND_SINGULAR) {
        forget_factor(self);
        report->definiteness = LYRA_DEFINITENESS_SINGULAR;
        return ly_fail(LYRA_SINGULAR,
                       "umfpack: the matrix is singular to working precision, reciprocal condition "
                       "%.1e",
                       rcond);
    }
    self->factored = true;
    return LYRA_OK;
}

// ---- solve --------------------------------------------------------------------------------------

static LyraStatus solve(void *data, int32_t columns, const double *B, bool warm, double *X,
                        LyraSolveReport *report)
{
    (void)warm;
    Umfpack *self = data;
    int64_t size = self->columns.size;
    if (!self->factored) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "umfpack: there is no factor to solve with");
    }
    for (int32_t c = 0; c < columns && size > 0; ++c) {
        LY_TRY(solve_once(self, false, B + c * size, X + c * size));
        int32_t steps = (int32_t)self->info[UMFPACK_IR_TAKEN];
        report->refinements = steps > report->refinements ? steps : report->refinements;
    }
    return LYRA_OK;
}

static int64_t bytes(const void *data)
{
    const Umfpack *self = data;
    return (int64_t)sizeof *self + ly_columns_bytes(&self->columns) + self->symbolic_bytes +
           self->numeric_bytes +
           self->columns.size * (int64_t)(sizeof *self->integers + 10 * sizeof(double));
}

const LyraSolverType ly_solver_umfpack = {
    .name = "umfpack",
    .traits = LYRA_SOLVES_BLOCK | LYRA_SOLVES_CSR | LYRA_SOLVES_UNSYMMETRIC |
              LYRA_SOLVES_INDEFINITE | LYRA_SOLVES_DIRECTLY,
    .create = create,
    .analyze = analyze,
    .factor = factor,
    .solve = solve,
    .bytes = bytes,
    .destroy = destroy,
};

#endif
