// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What a solver by Cholesky factors does around the factor itself.
//
// Singular or not. A pivot d_j of the factor is compared with the entry a_jj it started from, which
// makes the comparison independent of units. When the smallest ratio is below the root of the
// rounding unit, the condition of D^-1/2 A D^-1/2, D = diag A, is estimated, and that decides. A
// factor that breaks down says nothing about why: the matrix may be positive semi-definite, with
// zeros that rounding made negative, or indefinite. A second factor of A + 1e-12 D tells: if it
// exists, no eigenvalue of the scaled matrix is below -1e-12, and A is singular.
//
// Indefinite on request. LDL^T without pivoting exists for almost all indefinite matrices but may
// grow without bound, so it is tried on a known solution, and refined; when it does not reproduce
// that, LU takes over, or a dense LDL^T where the matrix is small. A shift adds s |a_jj|, with s
// from 1e-6 in steps of 10, until a Cholesky factor exists; answers are those of the shifted
// matrix.
//
// Answers are refined and judged by their true residual in the front end.

#include "lyra/csr.h"
#include "solve/direct.h"
#include "solve/front.h"

#include <math.h>
#include <string.h>

/// Pivot over diagonal below which the condition is looked at: root of the rounding unit.
#define PIVOT_SUSPECT 1.5e-8
/// Shift that tells zero eigenvalues, rounded, from negative ones.
#define SHIFT_PROBE 1e-12
#define SHIFT_FIRST 1e-6
#define SHIFT_LAST 1e6
/// Residual of the known solution, over |A| |x|, beyond which LDL^T is not trusted.
#define LDL_RESIDUAL 1e-13
/// Unknowns up to which a dense factor takes over.
#define DENSE_MAX 3000

typedef enum Mode { MODE_NONE, MODE_CHOLESKY, MODE_SHIFTED, MODE_LDL, MODE_OTHER } Mode;

typedef struct Symmetric {
    LyraContext *ctx;
    LyraSolverDef def;
    const LySymmetricType *type;
    void *inner;
    int32_t size;
    LyColumns columns; // empty for types that read the operator
    double *weight;    // what a shift multiplies, > 0, [size]
    double *work;      // [5 size]
    LyraOperator A;    // as factored
    Mode mode;
    int64_t failed;              // unknown where the last factor ended, -1: none
    double smallest;             // pivot of it over its diagonal entry
    const LyraSolverType *other; // took over, and its instance
    void *other_self;
} Symmetric;

// ---- life ---------------------------------------------------------------------------------------

static void forget_other(Symmetric *self)
{
    if (self->other) {
        self->other->destroy(self->other_self);
    }
    self->other = NULL;
    self->other_self = NULL;
}

// back to before analyze
static void forget(Symmetric *self)
{
    forget_other(self);
    ly_columns_destroy(&self->columns);
    ly_release(self->ctx, self->weight);
    ly_release(self->ctx, self->work);
    self->weight = self->work = NULL;
    self->mode = MODE_NONE;
}

LyraStatus ly_symmetric_create(LyraContext *ctx, const LyraSolverDef *def,
                               const LySymmetricType *type, void **out)
{
    Symmetric *self;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *self, &self));
    self->ctx = ctx;
    self->def = *def;
    self->def.positions = NULL;
    self->type = type;
    LyraStatus status = type->create(ctx, &self->inner);
    if (status != LYRA_OK) {
        ly_release(ctx, self);
        return status;
    }
    *out = self;
    return LYRA_OK;
}

void ly_symmetric_destroy(void *data)
{
    Symmetric *self = data;
    if (self) {
        self->type->destroy(self->inner);
        forget(self);
        ly_release(self->ctx, self);
    }
}

const void *ly_symmetric_inner(const void *data)
{
    const Symmetric *self = data;
    return self->inner;
}

double ly_symmetric_smallest_pivot(const void *data)
{
    const Symmetric *self = data;
    return self->smallest;
}

LyraStatus ly_symmetric_analyze(void *data, const LyraOperator *A,
                                const LyraConstraints *constraints)
{
    (void)constraints;
    Symmetric *self = data;
    LyraStatus status = LYRA_OK;
    int32_t size = A->size;
    forget(self);
    self->size = size;
    if (!self->type->reads_operator) {
        LY_TRY_DONE(ly_columns_create(self->ctx, A, LY_COLUMNS_LOWER, &self->columns));
    }
    LY_TRY_DONE(ly_allocate_array(self->ctx, size, sizeof *self->weight, &self->weight));
    LY_TRY_DONE(ly_allocate_array(self->ctx, 5 * (int64_t)size, sizeof *self->work, &self->work));
    if (size > 0) {
        LY_TRY_DONE(self->type->analyze(self->inner, A, &self->columns));
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
    (void)transposed; // symmetric
    Symmetric *self = data;
    return self->type->solve(self->inner, 1, b, x);
}

// adds the magnitude of an entry of S A S, and of its mirror image
static void add_magnitude(int64_t i, int64_t j, double value, const double *scale, double *sums)
{
    double magnitude = fabs(value) * scale[i] * scale[j];
    sums[j] += magnitude;
    sums[i] += i != j ? magnitude : 0.0;
}

// largest sum of magnitudes in a column of S A S
static double scaled_norm(const Symmetric *self, const double *scale, double *sums)
{
    const LyraOperator *A = &self->A;
    memset(sums, 0, (size_t)self->size * sizeof *sums);
    if (A->kind == LYRA_OPERATOR_BLOCK) {
        LyraBlockPatternView view = lyra_block_pattern_view(lyra_block_matrix_pattern(A->block));
        const double *values = lyra_block_matrix_values(A->block);
        for (int32_t i = 0; i < view.row_count; ++i) {
            for (int64_t k = view.row_start[i]; k < view.row_start[i + 1]; ++k) {
                int64_t r = 3 * (int64_t)i, c = 3 * (int64_t)view.column[k];
                for (int32_t d = 0; d < 9 && c >= r; ++d) {
                    if (c + d % 3 >= r + d / 3) {
                        add_magnitude(r + d / 3, c + d % 3, values[9 * k + d], scale, sums);
                    }
                }
            }
        }
    } else {
        LyraCsrPatternView view = lyra_csr_pattern_view(lyra_csr_matrix_pattern(A->csr));
        const double *values = lyra_csr_matrix_values(A->csr);
        for (int32_t r = 0; r < view.row_count; ++r) {
            for (int64_t k = view.row_start[r]; k < view.row_start[r + 1]; ++k) {
                if (view.column[k] >= r) {
                    add_magnitude(r, view.column[k], values[k], scale, sums);
                }
            }
        }
    }
    double norm = 0;
    for (int32_t j = 0; j < self->size; ++j) {
        norm = sums[j] > norm ? sums[j] : norm;
    }
    return norm;
}

static LyraStatus estimate_condition(Symmetric *self, double *rcond)
{
    double *scale = self->work, *rest = scale + self->size;
    for (int32_t j = 0; j < self->size; ++j) {
        scale[j] = 1.0 / sqrt(self->weight[j]);
    }
    LyCondition condition = {
        .size = self->size,
        .row_scale = scale,
        .column_scale = scale,
        .norm = scaled_norm(self, scale, rest),
        .solve = solve_once,
        .user = self,
        .work = rest,
    };
    return ly_condition_estimate(&condition, rcond);
}

// the unknown in a sentence: by its vertex for blocks
static const char *unknown_kind(const Symmetric *self)
{
    return self->A.kind == LYRA_OPERATOR_BLOCK ? "vertex" : "unknown";
}

static long long unknown_name(const Symmetric *self, int64_t unknown)
{
    return self->A.kind == LYRA_OPERATOR_BLOCK ? ly_vertex_label(self->def.labels, unknown / 3)
                                               : unknown;
}

// smallest pivot over the entry it started from, and its unknown
static double smallest_pivot(const Symmetric *self, int64_t *unknown)
{
    double *pivots = self->work, smallest = INFINITY;
    self->type->pivots(self->inner, pivots);
    *unknown = 0;
    for (int32_t j = 0; j < self->size; ++j) {
        double ratio = pivots[j] / self->weight[j];
        if (ratio < smallest) {
            smallest = ratio;
            *unknown = j;
        }
    }
    return smallest;
}

// the values of A, with shift W added, to where the type reads them
static LyraStatus gather(Symmetric *self, double shift, const double **added)
{
    double *push = self->work;
    *added = NULL;
    if (self->type->reads_operator) {
        for (int32_t j = 0; j < self->size && shift > 0; ++j) {
            push[j] = shift * self->weight[j];
        }
        *added = shift > 0 ? push : NULL;
        return LYRA_OK;
    }
    LyColumns *a = &self->columns;
    LY_TRY(ly_columns_gather(a, &self->A));
    for (int32_t j = 0; j < a->size && shift > 0; ++j) {
        a->values[a->start[j]] += shift * self->weight[j];
    }
    return LYRA_OK;
}

// Cholesky factor of A + shift W: LYRA_OK, LYRA_NOT_POSITIVE_DEFINITE, or LYRA_SINGULAR where the
// condition says so
static LyraStatus try_cholesky(Symmetric *self, double shift)
{
    const double *added;
    LY_TRY(gather(self, shift, &added));
    LY_TRY(self->type->factor(self->inner, &self->A, added, false, &self->failed));
    if (self->failed >= 0) {
        return ly_fail(LYRA_NOT_POSITIVE_DEFINITE,
                       "%s: the matrix is not positive definite, found at %s %lld",
                       self->type->name, unknown_kind(self), unknown_name(self, self->failed));
    }
    int64_t unknown;
    double rcond = 1;
    self->smallest = smallest_pivot(self, &unknown);
    if (shift == 0 && !(self->smallest > PIVOT_SUSPECT)) {
        LY_TRY(estimate_condition(self, &rcond));
    }
    if (rcond < LY_RCOND_SINGULAR) {
        return ly_fail(LYRA_SINGULAR,
                       "%s: the matrix is singular to working precision, reciprocal condition "
                       "%.1e, found at %s %lld",
                       self->type->name, rcond, unknown_kind(self), unknown_name(self, unknown));
    }
    return LYRA_OK;
}

// what shifts multiply: |a_jj|, or where that is 0 the sum of the column, or 1
static void find_scales(Symmetric *self)
{
    double *sums = self->work, *ones = sums + self->size;
    bool zeros = false;
    (void)ly_operator_diagonal(&self->A, self->weight);
    for (int32_t j = 0; j < self->size; ++j) {
        self->weight[j] = fabs(self->weight[j]);
        ones[j] = 1.0;
        zeros |= !(self->weight[j] > 0);
    }
    if (zeros) {
        scaled_norm(self, ones, sums);
    }
    for (int32_t j = 0; j < self->size && zeros; ++j) {
        double *weight = &self->weight[j];
        *weight = *weight > 0 ? *weight : sums[j] > 0 ? sums[j] : 1.0;
    }
}

static LyraStatus factor_shifted(Symmetric *self, LyraSolveReport *report)
{
    LyraStatus status = LYRA_NOT_POSITIVE_DEFINITE;
    double shift = SHIFT_FIRST;
    for (; shift <= SHIFT_LAST; shift *= 10) {
        status = try_cholesky(self, shift);
        if (status != LYRA_NOT_POSITIVE_DEFINITE) {
            break;
        }
    }
    if (status == LYRA_OK) {
        report->shift = shift;
        self->mode = MODE_SHIFTED;
    }
    return status;
}

// ---- indefinite matrices ------------------------------------------------------------------------

// r = b - A x; returns |r|
static double find_residual(Symmetric *self, const double *b, const double *x, double *r)
{
    lyra_operator_apply(&self->A, x, r);
    ly_vector_axpby(self->ctx, self->size, 1.0, b, -1.0, r);
    return ly_vector_norm(self->ctx, self->size, r);
}

// whether the LDL^T factor gives back a known solution, refined; LYRA_SINGULAR by its condition
static LyraStatus prove_ldl(Symmetric *self, bool *good)
{
    int32_t size = self->size;
    double *sums = self->work, *x = sums + size, *b = x + size, *r = b + size, *dx = r + size;
    // no pattern of a mesh follows this one
    for (int32_t i = 0; i < size; ++i) {
        x[i] = 1.0 + 0.5 * sin(1.0 + 2.399963 * (double)i);
        self->weight[i] = 1.0;
    }
    lyra_operator_apply(&self->A, x, b);
    double norm = scaled_norm(self, self->weight, sums);
    double enough = LDL_RESIDUAL * (norm * ly_vector_norm(self->ctx, size, x) +
                                    ly_vector_norm(self->ctx, size, b));
    LY_TRY(self->type->solve(self->inner, 1, b, x));
    double residual = find_residual(self, b, x, r);
    for (int32_t step = 0; step < 2 && residual > enough; ++step) {
        LY_TRY(self->type->solve(self->inner, 1, r, dx));
        ly_vector_axpby(self->ctx, size, 1.0, dx, 1.0, x);
        residual = find_residual(self, b, x, r);
    }
    *good = residual <= enough;
    if (!*good) {
        return LYRA_OK;
    }
    // diagonals may be small here: rows and columns are scaled by their sums
    double rcond;
    ly_vector_copy(self->ctx, size, sums, self->weight);
    LY_TRY(estimate_condition(self, &rcond));
    if (rcond < LY_RCOND_SINGULAR) {
        return ly_fail(LYRA_SINGULAR,
                       "%s: the matrix is indefinite, and singular to working precision, "
                       "reciprocal condition %.1e",
                       self->type->name, rcond);
    }
    return LYRA_OK;
}

static LyraStatus factor_ldl(Symmetric *self, LyraSolveReport *report, bool *good)
{
    *good = false;
    int64_t failed;
    const double *added;
    LY_TRY(gather(self, 0, &added));
    LY_TRY(self->type->factor(self->inner, &self->A, added, true, &failed));
    if (failed >= 0) {
        return LYRA_OK;
    }
    self->mode = MODE_LDL;
    LyraStatus status = prove_ldl(self, good);
    if (status != LYRA_OK || !*good) {
        self->mode = MODE_NONE;
        return status;
    }
    self->type->pivots(self->inner, self->work);
    for (int32_t j = 0; j < self->size; ++j) {
        report->negative += self->work[j] < 0;
    }
    report->factor_entries = self->type->entries(self->inner);
    return LYRA_OK;
}

// a factor with pivoting, by another solver
static LyraStatus take_over(Symmetric *self, LyraSolveReport *report)
{
    const LyraSolverType *types[] = {
#if LY_HAVE_UMFPACK
        &ly_solver_umfpack,
#endif
#if LY_HAVE_MUMPS
        &ly_solver_mumps,
#endif
        self->size <= DENSE_MAX ? &ly_solver_dense : NULL,
    };
    LyraStatus status = ly_fail(LYRA_UNSUPPORTED,
                                "%s: LDL^T without pivoting is not accurate for this matrix, "
                                "and this build has no other factor for %d unknowns",
                                self->type->name, self->size);
    for (int32_t t = 0; t < LY_COUNT_OF(types) && types[t]; ++t) {
        forget_other(self);
        LY_TRY(types[t]->create(self->ctx, &self->def, &self->other_self));
        self->other = types[t];
        status = self->other->analyze(self->other_self, &self->A, NULL);
        status =
            status == LYRA_OK ? self->other->factor(self->other_self, &self->A, report) : status;
        if (status == LYRA_OK) {
            self->mode = MODE_OTHER;
            return LYRA_OK;
        }
        if (status == LYRA_SINGULAR) {
            break;
        }
    }
    forget_other(self);
    return status;
}

static LyraStatus factor_indefinite(Symmetric *self, LyraSolveReport *report)
{
    bool good;
    LY_TRY(factor_ldl(self, report, &good));
    return good ? LYRA_OK : take_over(self, report);
}

LyraStatus ly_symmetric_factor(void *data, const LyraOperator *A, LyraSolveReport *report)
{
    Symmetric *self = data;
    LYRA_ASSERT(self->weight);
    self->mode = MODE_NONE;
    self->A = *A;
    report->shift = 0;
    report->negative = 0;
    report->factor_entries = 0;
    if (A->size == 0) {
        report->definiteness = LYRA_DEFINITENESS_POSITIVE;
        self->mode = MODE_CHOLESKY;
        return LYRA_OK;
    }
    find_scales(self);
    LyraStatus status = try_cholesky(self, 0);
    if (status == LYRA_OK) {
        report->definiteness = LYRA_DEFINITENESS_POSITIVE;
        report->factor_entries = self->type->entries(self->inner);
        self->mode = MODE_CHOLESKY;
        return LYRA_OK;
    }
    if (status != LYRA_SINGULAR && status != LYRA_NOT_POSITIVE_DEFINITE) {
        return status;
    }
    report->definiteness =
        status == LYRA_SINGULAR ? LYRA_DEFINITENESS_SINGULAR : LYRA_DEFINITENESS_INDEFINITE;
    if (self->def.indefinite == LYRA_INDEFINITE_SHIFT) {
        LY_TRY(factor_shifted(self, report));
        report->factor_entries = self->type->entries(self->inner);
        return LYRA_OK;
    }
    if (status == LYRA_NOT_POSITIVE_DEFINITE) {
        long long place = unknown_name(self, self->failed);
        status = try_cholesky(self, SHIFT_PROBE);
        if (status == LYRA_OK) {
            report->definiteness = LYRA_DEFINITENESS_SINGULAR;
            status = ly_fail(LYRA_SINGULAR,
                             "%s: the matrix is singular to working precision, found at %s %lld",
                             self->type->name, unknown_kind(self), place);
        }
    }
    if (status == LYRA_NOT_POSITIVE_DEFINITE && self->def.indefinite == LYRA_INDEFINITE_LDL) {
        status = factor_indefinite(self, report);
        report->definiteness =
            status == LYRA_SINGULAR ? LYRA_DEFINITENESS_SINGULAR : LYRA_DEFINITENESS_INDEFINITE;
    }
    return status;
}

// ---- solve --------------------------------------------------------------------------------------

LyraStatus ly_symmetric_solve(void *data, int32_t columns, const double *B, bool warm, double *X,
                              LyraSolveReport *report)
{
    Symmetric *self = data;
    if (self->mode == MODE_NONE) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "%s: there is no factor to solve with",
                       self->type->name);
    }
    if (self->mode == MODE_OTHER) {
        return self->other->solve(self->other_self, columns, B, warm, X, report);
    }
    return self->size > 0 ? self->type->solve(self->inner, columns, B, X) : LYRA_OK;
}

int64_t ly_symmetric_bytes(const void *data)
{
    const Symmetric *self = data;
    int64_t vectors = self->work ? 6 * (int64_t)self->size * (int64_t)sizeof(double) : 0;
    int64_t other = self->other ? self->other->bytes(self->other_self) : 0;
    return (int64_t)sizeof *self + ly_columns_bytes(&self->columns) + vectors + other +
           self->type->bytes(self->inner);
}
