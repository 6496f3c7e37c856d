// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sparse Cholesky factors by CHOLMOD [CDHR08], supernodal, for symmetric matrices.
//
// Order. Nested dissection of the graph of vertices, each vertex then standing for its unknowns:
// the graph is a ninth of the scalar one and the separators are better; AMD of the same graph where
// the build has no METIS. CHOLMOD postorders what it is given.
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

#include "solve/direct.h"

#if LY_HAVE_CHOLMOD

#include "lyra/reorder.h"

#include <math.h>
#include <string.h>

#include <cholmod.h>

/// Right-hand sides that go through the factor at once.
#define GROUP 16
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

typedef struct Cholmod {
    LyraContext *ctx;
    LyraSolverDef def;
    cholmod_common common;
    LyColumns columns;
    cholmod_sparse matrix;    // the columns, as CHOLMOD sees them
    int64_t *order;           // order[new] = old unknown, [size]
    cholmod_factor *cholesky; // supernodal; only symbolic before the first factor
    cholmod_factor *ldl;      // simplicial, made when first needed
    cholmod_dense *solution, *solve_y, *solve_e; // kept from solve to solve
    double *weight;                              // what a shift multiplies, > 0, [size]
    double *work;                                // [5 size]
    LyraOperator A;                              // as factored
    Mode mode;
    const LyraSolverType *other; // took over, and its instance
    void *other_self;
} Cholmod;

// ---- life ---------------------------------------------------------------------------------------

static void forget_other(Cholmod *self)
{
    if (self->other) {
        self->other->destroy(self->other_self);
    }
    self->other = NULL;
    self->other_self = NULL;
}

// back to before analyze
static void forget(Cholmod *self)
{
    forget_other(self);
    cholmod_l_free_factor(&self->cholesky, &self->common);
    cholmod_l_free_factor(&self->ldl, &self->common);
    cholmod_l_free_dense(&self->solution, &self->common);
    cholmod_l_free_dense(&self->solve_y, &self->common);
    cholmod_l_free_dense(&self->solve_e, &self->common);
    ly_columns_destroy(&self->columns);
    ly_release(self->ctx, self->order);
    ly_release(self->ctx, self->weight);
    ly_release(self->ctx, self->work);
    self->order = NULL;
    self->weight = self->work = NULL;
    self->mode = MODE_NONE;
}

static LyraStatus cholmod_create(LyraContext *ctx, const LyraSolverDef *def, void **out)
{
    Cholmod *self;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *self, &self));
    self->ctx = ctx;
    self->def = *def;
    self->def.positions = NULL;
    if (!cholmod_l_start(&self->common)) {
        ly_release(ctx, self);
        return ly_fail(LYRA_UNSUPPORTED, "cholmod: the library does not start");
    }
    self->common.print = 0;
    self->common.error_handler = NULL;
    self->common.useGPU = 0;
    self->common.supernodal = CHOLMOD_SUPERNODAL;
    self->common.quick_return_if_not_posdef = 1;
    self->common.nmethods = 1;
    self->common.method[0].ordering = CHOLMOD_GIVEN;
    self->common.postorder = 1;
    *out = self;
    return LYRA_OK;
}

static void cholmod_destroy(void *data)
{
    Cholmod *self = data;
    if (self) {
        forget(self);
        cholmod_l_finish(&self->common);
        ly_release(self->ctx, self);
    }
}

// the status of CHOLMOD as ours; what it calls "not positive definite" is no failure here
static LyraStatus check_library(const Cholmod *self, const char *doing)
{
    switch (self->common.status) {
    case CHOLMOD_OK:
    case CHOLMOD_NOT_POSDEF:
    case CHOLMOD_DSMALL:
        return LYRA_OK;
    case CHOLMOD_OUT_OF_MEMORY:
        return ly_fail(LYRA_OUT_OF_MEMORY, "cholmod: out of memory while %s %d unknowns", doing,
                       self->columns.size);
    case CHOLMOD_TOO_LARGE:
        return ly_fail(LYRA_TOO_LARGE, "cholmod: %d unknowns are too many for %s them",
                       self->columns.size, doing);
    default:
        return ly_fail(LYRA_UNSUPPORTED, "cholmod: the library failed with code %d while %s",
                       self->common.status, doing);
    }
}

// ---- analyze ------------------------------------------------------------------------------------

#if !LY_HAVE_METIS
// minimum degree on a graph in upper or full storage
static LyraStatus order_by_degree(Cholmod *self, LyraGraph graph, int32_t *order)
{
    LyraStatus status = LYRA_OK;
    int64_t *start = NULL, *index = NULL, *result = NULL;
    int32_t count = graph.vertex_count;
    int64_t entries = 0;
    LY_TRY_DONE(ly_allocate_array(self->ctx, (int64_t)count + 1, sizeof *start, &start));
    LY_TRY_DONE(ly_allocate_array(self->ctx, graph.row_start[count], sizeof *index, &index));
    LY_TRY_DONE(ly_allocate_array(self->ctx, count, sizeof *result, &result));
    for (int32_t i = 0; i < count; ++i) {
        start[i] = entries;
        for (int64_t k = graph.row_start[i]; k < graph.row_start[i + 1]; ++k) {
            if (graph.column[k] >= i) {
                index[entries++] = graph.column[k];
            }
        }
    }
    start[count] = entries;
    cholmod_sparse pattern = {
        .nrow = (size_t)count,
        .ncol = (size_t)count,
        .nzmax = (size_t)entries,
        .p = start,
        .i = index,
        .stype = -1,
        .itype = CHOLMOD_LONG,
        .xtype = CHOLMOD_PATTERN,
        .sorted = 1,
        .packed = 1,
    };
    cholmod_l_amd(&pattern, NULL, 0, result, &self->common);
    LY_TRY_DONE(check_library(self, "ordering"));
    for (int32_t i = 0; i < count; ++i) {
        order[i] = (int32_t)result[i];
    }
done:
    ly_release(self->ctx, start);
    ly_release(self->ctx, index);
    ly_release(self->ctx, result);
    return status;
}
#endif

// order of the unknowns, from that of the vertices for blocks
static LyraStatus find_order(Cholmod *self, const LyraOperator *A)
{
    LyraStatus status = LYRA_OK;
    bool block = A->kind == LYRA_OPERATOR_BLOCK;
    LyraGraph graph = block ? lyra_block_pattern_graph(lyra_block_matrix_pattern(A->block))
                            : lyra_csr_pattern_graph(lyra_csr_matrix_pattern(A->csr));
    int32_t width = block ? 3 : 1;
    int32_t *order = NULL;
    LY_TRY_DONE(ly_allocate_array(self->ctx, graph.vertex_count, sizeof *order, &order));
#if LY_HAVE_METIS
    LY_TRY_DONE(lyra_reorder_metis(self->ctx, graph, order));
#else
    LY_TRY_DONE(order_by_degree(self, graph, order));
#endif
    for (int32_t i = 0; i < graph.vertex_count; ++i) {
        for (int32_t d = 0; d < width; ++d) {
            self->order[width * (int64_t)i + d] = width * (int64_t)order[i] + d;
        }
    }
done:
    ly_release(self->ctx, order);
    return status;
}

static LyraStatus analyze(void *data, const LyraOperator *A, const LyraConstraints *constraints)
{
    (void)constraints;
    Cholmod *self = data;
    LyraStatus status = LYRA_OK;
    int32_t size = A->size;
    forget(self);
    LY_TRY_DONE(ly_columns_create(self->ctx, A, LY_COLUMNS_LOWER, &self->columns));
    LY_TRY_DONE(ly_allocate_array(self->ctx, size, sizeof *self->order, &self->order));
    LY_TRY_DONE(ly_allocate_array(self->ctx, size, sizeof *self->weight, &self->weight));
    LY_TRY_DONE(ly_allocate_array(self->ctx, 5 * (int64_t)size, sizeof *self->work, &self->work));
    if (size == 0) {
        return LYRA_OK;
    }
    LY_TRY_DONE(find_order(self, A));
    self->matrix = (cholmod_sparse){
        .nrow = (size_t)size,
        .ncol = (size_t)size,
        .nzmax = (size_t)self->columns.count,
        .p = self->columns.start,
        .i = self->columns.index,
        .x = self->columns.values,
        .stype = -1,
        .itype = CHOLMOD_LONG,
        .xtype = CHOLMOD_REAL,
        .dtype = CHOLMOD_DOUBLE,
        .sorted = 1,
        .packed = 1,
    };
    int levels = ly_openmp_pause();
    self->cholesky = cholmod_l_analyze_p(&self->matrix, self->order, NULL, 0, &self->common);
    ly_openmp_resume(levels);
    LY_TRY_DONE(check_library(self, "analyzing"));
done:
    if (status != LYRA_OK) {
        forget(self);
    }
    return status;
}

// ---- factor -------------------------------------------------------------------------------------

static LyraStatus solve_group(Cholmod *self, int32_t columns, const double *B, double *X)
{
    cholmod_dense b = {
        .nrow = (size_t)self->columns.size,
        .ncol = (size_t)columns,
        .nzmax = (size_t)self->columns.size * (size_t)columns,
        .d = (size_t)self->columns.size,
        .x = (void *)B, // CHOLMOD only reads it
        .xtype = CHOLMOD_REAL,
        .dtype = CHOLMOD_DOUBLE,
    };
    cholmod_factor *factor = self->mode == MODE_LDL ? self->ldl : self->cholesky;
    int levels = ly_openmp_pause();
    int done = cholmod_l_solve2(CHOLMOD_A, factor, &b, NULL, &self->solution, NULL, &self->solve_y,
                                &self->solve_e, &self->common);
    ly_openmp_resume(levels);
    LY_TRY(check_library(self, "solving with"));
    LYRA_ASSERT(done);
    (void)done;
    memcpy(X, self->solution->x, b.nzmax * sizeof(double));
    return LYRA_OK;
}

static LyraStatus solve_once(void *data, bool transposed, const double *b, double *x)
{
    (void)transposed; // symmetric
    return solve_group(data, 1, b, x);
}

// largest sum of magnitudes in a column of S A S
static double scaled_norm(const Cholmod *self, const double *scale, double *sums)
{
    const LyColumns *a = &self->columns;
    memset(sums, 0, (size_t)a->size * sizeof *sums);
    for (int32_t j = 0; j < a->size; ++j) {
        for (int64_t k = a->start[j]; k < a->start[j + 1]; ++k) {
            int64_t i = a->index[k];
            double magnitude = fabs(a->values[k]) * scale[i] * scale[j];
            sums[j] += magnitude;
            sums[i] += i != j ? magnitude : 0.0;
        }
    }
    double norm = 0;
    for (int32_t j = 0; j < a->size; ++j) {
        norm = sums[j] > norm ? sums[j] : norm;
    }
    return norm;
}

static LyraStatus estimate_condition(Cholmod *self, double *rcond)
{
    double *scale = self->work, *rest = scale + self->columns.size;
    for (int32_t j = 0; j < self->columns.size; ++j) {
        scale[j] = 1.0 / sqrt(self->weight[j]);
    }
    LyCondition condition = {
        .size = self->columns.size,
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
static const char *unknown_kind(const Cholmod *self)
{
    return self->columns.kind == LYRA_OPERATOR_BLOCK ? "vertex" : "unknown";
}

static int64_t unknown_name(const Cholmod *self, const cholmod_factor *factor, int64_t column)
{
    int64_t unknown = ((const int64_t *)factor->Perm)[column];
    return self->columns.kind == LYRA_OPERATOR_BLOCK
               ? ly_vertex_label(self->def.labels, unknown / 3)
               : unknown;
}

// smallest pivot over the entry it started from, and its column
static double smallest_pivot(const Cholmod *self, int64_t *column)
{
    const cholmod_factor *L = self->cholesky;
    const int64_t *super = L->super, *pi = L->pi, *px = L->px, *perm = L->Perm;
    const double *x = L->x;
    double smallest = INFINITY;
    *column = 0;
    for (size_t s = 0; s < L->nsuper; ++s) {
        int64_t height = pi[s + 1] - pi[s];
        for (int64_t j = super[s]; j < super[s + 1]; ++j) {
            int64_t local = j - super[s];
            double pivot = x[px[s] + local * height + local];
            double ratio = pivot * pivot / self->weight[perm[j]];
            if (ratio < smallest) {
                smallest = ratio;
                *column = j;
            }
        }
    }
    return smallest;
}

static LyraStatus factorize(Cholmod *self, cholmod_factor *factor)
{
    int levels = ly_openmp_pause();
    cholmod_l_factorize(&self->matrix, factor, &self->common);
    ly_openmp_resume(levels);
    return check_library(self, "factoring");
}

// Cholesky factor of A + shift W: LYRA_OK, LYRA_NOT_POSITIVE_DEFINITE, or LYRA_SINGULAR where the
// condition says so
static LyraStatus try_cholesky(Cholmod *self, double shift)
{
    LyColumns *a = &self->columns;
    LY_TRY(ly_columns_gather(a, &self->A));
    for (int32_t j = 0; j < a->size && shift > 0; ++j) {
        a->values[a->start[j]] += shift * self->weight[j];
    }
    LY_TRY(factorize(self, self->cholesky));
    if (self->cholesky->minor < self->cholesky->n) {
        return ly_fail(
            LYRA_NOT_POSITIVE_DEFINITE,
            "cholmod: the matrix is not positive definite, found at %s %lld", unknown_kind(self),
            (long long)unknown_name(self, self->cholesky, (int64_t)self->cholesky->minor));
    }
    int64_t column;
    double smallest = smallest_pivot(self, &column), rcond = 1;
    if (shift == 0 && !(smallest > PIVOT_SUSPECT)) {
        LY_TRY(estimate_condition(self, &rcond));
    }
    if (rcond < LY_RCOND_SINGULAR) {
        return ly_fail(LYRA_SINGULAR,
                       "cholmod: the matrix is singular to working precision, reciprocal condition "
                       "%.1e, found at %s %lld",
                       rcond, unknown_kind(self),
                       (long long)unknown_name(self, self->cholesky, column));
    }
    return LYRA_OK;
}

// what shifts multiply: |a_jj|, or where that is 0 the sum of the column, or 1
static void weigh(Cholmod *self)
{
    const LyColumns *a = &self->columns;
    double *sums = self->work;
    for (int32_t j = 0; j < a->size; ++j) {
        self->weight[j] = 1.0;
    }
    scaled_norm(self, self->weight, sums);
    for (int32_t j = 0; j < a->size; ++j) {
        double diagonal = fabs(a->values[a->start[j]]);
        self->weight[j] = diagonal > 0 ? diagonal : sums[j] > 0 ? sums[j] : 1.0;
    }
}

static LyraStatus factor_shifted(Cholmod *self, LyraSolveReport *report)
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
static double find_residual(Cholmod *self, const double *b, const double *x, double *r)
{
    lyra_operator_apply(&self->A, x, r);
    ly_vector_axpby(self->ctx, self->columns.size, 1.0, b, -1.0, r);
    return ly_vector_norm(self->ctx, self->columns.size, r);
}

// whether the LDL^T factor gives back a known solution, refined; LYRA_SINGULAR by its condition
static LyraStatus prove_ldl(Cholmod *self, bool *good)
{
    int32_t size = self->columns.size;
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
    LY_TRY(solve_group(self, 1, b, x));
    double residual = find_residual(self, b, x, r);
    for (int32_t step = 0; step < 2 && residual > enough; ++step) {
        LY_TRY(solve_group(self, 1, r, dx));
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
                       "cholmod: the matrix is indefinite, and singular to working precision, "
                       "reciprocal condition %.1e",
                       rcond);
    }
    return LYRA_OK;
}

static LyraStatus factor_ldl(Cholmod *self, LyraSolveReport *report, bool *good)
{
    *good = false;
    LY_TRY(ly_columns_gather(&self->columns, &self->A));
    if (!self->ldl) {
        self->common.supernodal = CHOLMOD_SIMPLICIAL;
        self->ldl = cholmod_l_analyze_p(&self->matrix, self->order, NULL, 0, &self->common);
        self->common.supernodal = CHOLMOD_SUPERNODAL;
        LY_TRY(check_library(self, "analyzing"));
    }
    LY_TRY(factorize(self, self->ldl));
    if (self->ldl->minor < self->ldl->n) {
        return LYRA_OK;
    }
    self->mode = MODE_LDL;
    LyraStatus status = prove_ldl(self, good);
    if (status != LYRA_OK || !*good) {
        self->mode = MODE_NONE;
        return status;
    }
    const int64_t *p = self->ldl->p, *nz = self->ldl->nz;
    const double *x = self->ldl->x;
    for (size_t j = 0; j < self->ldl->n; ++j) {
        report->negative += x[p[j]] < 0;
        report->factor_entries += nz[j];
    }
    return LYRA_OK;
}

// a factor with pivoting, by another solver
static LyraStatus take_over(Cholmod *self, LyraSolveReport *report)
{
    const LyraSolverType *types[] = {
#if LY_HAVE_UMFPACK
        &ly_solver_umfpack,
#endif
        self->columns.size <= DENSE_MAX ? &ly_solver_dense : NULL,
    };
    LyraStatus status = ly_fail(LYRA_UNSUPPORTED,
                                "cholmod: LDL^T without pivoting is not accurate for this matrix, "
                                "and this build has no other factor for %d unknowns",
                                self->columns.size);
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

static LyraStatus factor_indefinite(Cholmod *self, LyraSolveReport *report)
{
    bool good;
    LY_TRY(factor_ldl(self, report, &good));
    return good ? LYRA_OK : take_over(self, report);
}

static LyraStatus factor(void *data, const LyraOperator *A, LyraSolveReport *report)
{
    Cholmod *self = data;
    LYRA_ASSERT(self->columns.ctx);
    self->mode = MODE_NONE;
    self->A = *A;
    report->shift = 0;
    report->negative = 0;
    report->factor_entries = 0;
    LY_TRY(ly_columns_gather(&self->columns, A));
    if (A->size == 0) {
        report->definiteness = LYRA_DEFINITENESS_POSITIVE;
        self->mode = MODE_CHOLESKY;
        return LYRA_OK;
    }
    weigh(self);
    LyraStatus status = try_cholesky(self, 0);
    if (status == LYRA_OK) {
        report->definiteness = LYRA_DEFINITENESS_POSITIVE;
        report->factor_entries = (int64_t)self->cholesky->xsize;
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
        report->factor_entries = (int64_t)self->cholesky->xsize;
        return LYRA_OK;
    }
    if (status == LYRA_NOT_POSITIVE_DEFINITE) {
        int64_t place = unknown_name(self, self->cholesky, (int64_t)self->cholesky->minor);
        status = try_cholesky(self, SHIFT_PROBE);
        if (status == LYRA_OK) {
            report->definiteness = LYRA_DEFINITENESS_SINGULAR;
            status = ly_fail(LYRA_SINGULAR,
                             "cholmod: the matrix is singular to working precision, found at %s "
                             "%lld",
                             unknown_kind(self), (long long)place);
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

static LyraStatus solve(void *data, int32_t columns, const double *B, bool warm, double *X,
                        LyraSolveReport *report)
{
    Cholmod *self = data;
    if (self->mode == MODE_NONE) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "cholmod: there is no factor to solve with");
    }
    if (self->mode == MODE_OTHER) {
        return self->other->solve(self->other_self, columns, B, warm, X, report);
    }
    int64_t size = self->columns.size;
    for (int32_t begin = 0; begin < columns && size > 0; begin += GROUP) {
        int32_t count = columns - begin < GROUP ? columns - begin : GROUP;
        LY_TRY(solve_group(self, count, B + begin * size, X + begin * size));
    }
    return LYRA_OK;
}

static int64_t bytes(const void *data)
{
    const Cholmod *self = data;
    int64_t size = self->columns.size;
    int64_t own = (int64_t)sizeof *self + ly_columns_bytes(&self->columns) +
                  size * (int64_t)(sizeof *self->order + 6 * sizeof(double));
    int64_t other = self->other ? self->other->bytes(self->other_self) : 0;
    return own + other + (int64_t)self->common.memory_inuse;
}

const LyraSolverType ly_solver_cholmod = {
    .name = "cholmod",
    .traits = LYRA_SOLVES_BLOCK | LYRA_SOLVES_CSR | LYRA_SOLVES_INDEFINITE | LYRA_SOLVES_DIRECTLY,
    .create = cholmod_create,
    .analyze = analyze,
    .factor = factor,
    .solve = solve,
    .bytes = bytes,
    .destroy = cholmod_destroy,
};

#endif
void ly_cholesky_work(const void *data, double *entries, double *flops)
{
    const Cholmod *self = data;
    *entries = self->common.lnz;
    *flops = self->common.fl;
}
