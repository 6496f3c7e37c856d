// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The object behind MINRES, BiCGStab and GMRES (krylov.h). Preconditioners come from the diagonal:
// jacobi, or the inverses of 3x3 diagonal blocks; MINRES needs a positive one and takes magnitudes
// of the diagonal. The two others also sweep, by SSOR or ILU(0), and do the latter unless told
// otherwise. Constraints are the front end's, which eliminates them.

#include "solve/krylov.h"
#include "lyra/csr.h"

#include <math.h>
#include <string.h>

LyraStatus ly_krylov_create(LyraContext *ctx, const LyraSolverDef *def, const char *name,
                            LyKrylovMethod *method, bool positive, int32_t vectors, bool basis,
                            void **self)
{
    LyKrylov *krylov = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *krylov, &krylov));
    *krylov = (LyKrylov){.ctx = ctx,
                         .def = *def,
                         .name = name,
                         .method = method,
                         .positive = positive,
                         .vectors = vectors,
                         .basis = basis};
    *self = krylov;
    return LYRA_OK;
}

static void forget(LyKrylov *krylov)
{
    ly_sweeps_destroy(krylov->sweeps);
    ly_release(krylov->ctx, krylov->inverse);
    ly_release(krylov->ctx, krylov->work);
    ly_release(krylov->ctx, krylov->small);
    krylov->inverse = krylov->work = krylov->small = NULL;
    krylov->sweeps = NULL;
}

void ly_krylov_destroy(void *self)
{
    LyKrylov *krylov = self;
    if (krylov) {
        forget(krylov);
        ly_release(krylov->ctx, krylov);
    }
}

static int64_t small_count(const LyKrylov *krylov)
{
    int64_t m = krylov->restart;
    return m > 0 ? (m + 1) * m + 4 * (m + 1) : 0;
}

static int64_t work_count(const LyKrylov *krylov)
{
    return ((int64_t)krylov->vectors + krylov->restart) * krylov->size;
}

// what the def names, or the best for this form
static LyraStatus choose_preconditioner(LyKrylov *krylov, const LyraOperator *A)
{
    const char *name = krylov->def.preconditioner;
    bool chooses = strcmp(name, "auto") == 0, blocks = A->kind == LYRA_OPERATOR_BLOCK;
    bool sparse = blocks || A->kind == LYRA_OPERATOR_CSR;
    bool has_diagonal = A->kind != LYRA_OPERATOR_CALLBACK || A->diagonal;
    bool block = chooses ? blocks && !krylov->positive : strcmp(name, "block-jacobi") == 0;
    bool none = chooses ? !has_diagonal : strcmp(name, "none") == 0;
    bool ilu = chooses ? sparse && !krylov->positive : strcmp(name, "ilu0") == 0;
    bool ssor = strcmp(name, "ssor") == 0, sweeps = ilu || ssor;
    if (!block && !none && !sweeps && !chooses && strcmp(name, "jacobi") != 0) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "%s: the preconditioner %s is for pcg; there are none, jacobi%s",
                       krylov->name, name, krylov->positive ? "" : ", block-jacobi, ssor and ilu0");
    }
    if (((block || sweeps) && krylov->positive) || (block && !blocks) || (sweeps && !sparse) ||
        (!none && !has_diagonal)) {
        return ly_fail(LYRA_UNSUPPORTED, "%s: the preconditioner %s needs %s", krylov->name, name,
                       !has_diagonal      ? "the diagonal of the operator"
                       : krylov->positive ? "a solver that does not need a positive one"
                       : sweeps           ? "a sparse matrix"
                                          : "a matrix of 3x3 blocks");
    }
    krylov->blocks = block ? A->size / 3 : 0;
    if (sweeps) {
        LY_TRY(ly_sweeps_create(krylov->ctx, A, ilu, &krylov->sweeps));
    }
    // where "auto" finds no sweeps in the values, the diagonal serves
    return none || (sweeps && !chooses)
               ? LYRA_OK
               : ly_allocate_zeroed(krylov->ctx, (block ? 3 : 1) * (int64_t)A->size, sizeof(double),
                                    &krylov->inverse);
}

LyraStatus ly_krylov_analyze(void *self, const LyraOperator *A, const LyraConstraints *constraints)
{
    (void)constraints;
    LyKrylov *krylov = self;
    forget(krylov);
    krylov->size = A->size;
    int64_t limit = 10 * (int64_t)A->size + 100;
    krylov->iterations_max = krylov->def.iterations_max > 0 ? krylov->def.iterations_max
                                                            : (int32_t)ly_min_i64(limit, 100000);
    // a basis of all unknowns is whole
    int32_t basis = krylov->def.restart < A->size ? krylov->def.restart : A->size;
    krylov->restart = krylov->basis ? basis : 0;
    LY_TRY(choose_preconditioner(krylov, A));
    LY_TRY(ly_allocate_zeroed(krylov->ctx, work_count(krylov), sizeof(double), &krylov->work));
    return ly_allocate_zeroed(krylov->ctx, small_count(krylov), sizeof(double), &krylov->small);
}

// ---- preconditioner -----------------------------------------------------------------------------

// inverse of a block by cofactors; of its diagonal where it has none
static void invert(const double *A, double *B)
{
    double c0 = A[4] * A[8] - A[5] * A[7], c1 = A[5] * A[6] - A[3] * A[8];
    double c2 = A[3] * A[7] - A[4] * A[6], det = A[0] * c0 + A[1] * c1 + A[2] * c2;
    double C[9] = {c0, A[2] * A[7] - A[1] * A[8], A[1] * A[5] - A[2] * A[4],
                   c1, A[0] * A[8] - A[2] * A[6], A[2] * A[3] - A[0] * A[5],
                   c2, A[1] * A[6] - A[0] * A[7], A[0] * A[4] - A[1] * A[3]};
    double largest = 0.0, s = 1.0 / det;
    for (int k = 0; k < 9; ++k) {
        largest = fmax(largest, fabs(A[k]));
    }
    bool regular = fabs(det) > 1e-12 * largest * largest * largest && isfinite(s);
    for (int k = 0; k < 9; ++k) {
        double entry = k % 4 == 0 ? 1.0 / A[k] : 0.0;
        B[k] = regular ? s * C[k] : isfinite(entry) ? entry : 1.0;
    }
}

// tries the sweeps; only "auto" does without where they fail
static LyraStatus factor_sweeps(LyKrylov *krylov, const LyraOperator *A, LyraSolveReport *report)
{
    krylov->swept = false;
    if (!krylov->sweeps) {
        return LYRA_OK;
    }
    LY_TRY(ly_sweeps_factor(krylov->sweeps, A, &krylov->swept, &report->shift));
    bool ssor = strcmp(krylov->def.preconditioner, "ssor") == 0;
    if (!krylov->swept && !krylov->inverse) {
        return ly_fail(LYRA_SINGULAR,
                       "%s: the preconditioner %s needs a diagonal without zeros; jacobi does not",
                       krylov->name, krylov->def.preconditioner);
    }
    if (krylov->swept) {
        report->preconditioner = ssor ? "ssor" : "ilu0";
    } else {
        report->shift = 0.0;
    }
    return LYRA_OK;
}

LyraStatus ly_krylov_factor(void *self, const LyraOperator *A, LyraSolveReport *report)
{
    LyKrylov *krylov = self;
    krylov->A = *A;
    LY_TRY(factor_sweeps(krylov, A, report));
    if (krylov->swept) {
        return LYRA_OK;
    }
    report->preconditioner = krylov->blocks ? "block-jacobi" : krylov->inverse ? "jacobi" : "none";
    double *inverse = krylov->inverse;
    if (!inverse) {
        return LYRA_OK;
    }
    if (krylov->blocks) {
        lyra_block_matrix_diagonal_blocks(A->block, inverse);
        for (int64_t i = 0; i < krylov->blocks; ++i) {
            double block[9];
            memcpy(block, inverse + 9 * i, sizeof block);
            invert(block, inverse + 9 * i);
        }
        return LYRA_OK;
    }
    if (A->kind == LYRA_OPERATOR_BLOCK) {
        lyra_block_matrix_diagonal(A->block, inverse);
    }
    for (int64_t i = 0; i < A->size; ++i) {
        double entry = inverse[i];
        if (A->kind == LYRA_OPERATOR_CSR) {
            int64_t k =
                lyra_csr_pattern_find(lyra_csr_matrix_pattern(A->csr), (int32_t)i, (int32_t)i);
            entry = k < 0 ? 0.0 : lyra_csr_matrix_values(A->csr)[k];
        } else if (A->kind == LYRA_OPERATOR_DENSE) {
            entry = A->dense[i + i * A->size];
        } else if (A->kind == LYRA_OPERATOR_CALLBACK) {
            entry = A->diagonal[i];
        }
        double value = 1.0 / (krylov->positive ? fabs(entry) : entry);
        inverse[i] = isfinite(value) && value != 0.0 ? value : 1.0;
    }
    return LYRA_OK;
}

typedef struct ScaleLoop {
    const LyKrylov *krylov;
    const double *r;
    double *z;
    int32_t pieces;
} ScaleLoop;

static void scale_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    ScaleLoop *loop = data;
    const double *Q = loop->krylov->inverse, *r = loop->r;
    int64_t count = loop->krylov->blocks ? loop->krylov->blocks : loop->krylov->size;
    int64_t end = ly_piece_begin(count, loop->pieces, index + 1);
    for (int64_t i = ly_piece_begin(count, loop->pieces, index); i < end; ++i) {
        if (!loop->krylov->blocks) {
            loop->z[i] = Q[i] * r[i];
            continue;
        }
        for (int d = 0; d < 3; ++d) {
            const double *row = Q + 9 * i + 3 * d;
            loop->z[3 * i + d] = row[0] * r[3 * i] + row[1] * r[3 * i + 1] + row[2] * r[3 * i + 2];
        }
    }
}

void ly_krylov_precondition(const LyKrylov *krylov, const double *r, double *z)
{
    if (krylov->swept) {
        ly_sweeps_apply(krylov->sweeps, r, z);
        return;
    }
    if (!krylov->inverse) {
        ly_vector_copy(krylov->ctx, krylov->size, r, z);
        return;
    }
    ScaleLoop loop = {krylov, r, z, ly_piece_count(krylov->size, 16384)};
    ly_parallel_for(krylov->ctx, loop.pieces, scale_task, &loop);
}

// ---- solve --------------------------------------------------------------------------------------

double ly_krylov_residual(const LyKrylov *krylov, const double *b, const double *x, double *r)
{
    lyra_operator_apply(&krylov->A, x, r);
    ly_vector_axpby(krylov->ctx, krylov->size, 1.0, b, -1.0, r);
    return ly_vector_norm(krylov->ctx, krylov->size, r);
}

static LyraStatus not_converged(const LyKrylov *krylov, double residual,
                                const LyraSolveReport *report)
{
    return ly_fail(LYRA_NOT_CONVERGED,
                   "%s: residual %g of the right-hand side after %d iterations, tolerance %g",
                   krylov->name, residual, (int)report->iterations, krylov->def.tolerance);
}

static LyraStatus stalled(const LyKrylov *krylov, double residual, const LyraSolveReport *report)
{
    return ly_fail(LYRA_NOT_CONVERGED,
                   "%s: no progress beyond residual %g of the right-hand side after %d iterations, "
                   "tolerance %g; the matrix may be singular",
                   krylov->name, residual, (int)report->iterations, krylov->def.tolerance);
}

LyraStatus ly_krylov_not_finite(const LyKrylov *krylov)
{
    return ly_fail(LYRA_NOT_FINITE, "%s: the iteration met numbers that are not finite",
                   krylov->name);
}

LyraStatus ly_krylov_repeat(LyKrylov *krylov, LyKrylovRun *run, double gain, int32_t stalls,
                            const double *b, double b_norm, double *x, LyraSolveReport *report)
{
    double target = krylov->def.tolerance * b_norm, before = INFINITY;
    for (int32_t stalled_runs = 0;;) {
        double r_norm = ly_krylov_residual(krylov, b, x, krylov->work);
        if (!isfinite(r_norm)) {
            return ly_krylov_not_finite(krylov);
        }
        if (r_norm <= target) {
            return LYRA_OK;
        }
        stalled_runs = r_norm > gain * before ? stalled_runs + 1 : 0;
        report->refinements += before < INFINITY;
        before = fmin(before, r_norm);
        if (report->iterations >= krylov->iterations_max) {
            return not_converged(krylov, r_norm / b_norm, report);
        }
        if (stalled_runs == stalls) {
            return stalled(krylov, r_norm / b_norm, report);
        }
        LY_TRY(run(krylov, r_norm, target, b, x, report));
    }
}

LyraStatus ly_krylov_solve(void *self, int32_t columns, const double *B, bool warm, double *X,
                           LyraSolveReport *report)
{
    LyKrylov *krylov = self;
    int64_t n = krylov->size;
    report->iterations = report->refinements = 0;
    for (int32_t c = 0; c < columns; ++c) {
        const double *b = B + c * n;
        double *x = X + c * n, b_norm = ly_vector_norm(krylov->ctx, n, b);
        if (!isfinite(b_norm)) {
            return ly_krylov_not_finite(krylov);
        }
        if (!warm || b_norm == 0.0) {
            memset(x, 0, (size_t)n * sizeof(double));
        }
        // the limit is that of each right-hand side
        LyraSolveReport one = *report;
        one.iterations = 0;
        LyraStatus status = b_norm > 0.0 ? krylov->method(krylov, b, b_norm, x, &one) : LYRA_OK;
        one.iterations += report->iterations;
        *report = one;
        LY_TRY(status);
    }
    return LYRA_OK;
}

void ly_krylov_set_tolerance(void *self, double tolerance)
{
    ((LyKrylov *)self)->def.tolerance = tolerance;
}

int64_t ly_krylov_bytes(const void *self)
{
    const LyKrylov *krylov = self;
    int64_t numbers = work_count(krylov) + small_count(krylov) +
                      (krylov->blocks    ? 3
                       : krylov->inverse ? 1
                                         : 0) *
                          (int64_t)krylov->size;
    return (int64_t)sizeof *krylov + 8 * numbers + ly_sweeps_bytes(krylov->sweeps);
}
