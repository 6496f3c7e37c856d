// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The solver "pcg": conjugate gradients for symmetric positive definite systems. Block matrices go
// through a scaled copy (pcg.h) with any preconditioner; scalar and dense matrices and callbacks
// through the plain method (cg.c) with their diagonal or nothing.
//
// What the settings leave open is chosen by the values. With 1 the vector of ones,
//     sigma = 1^T A 1 / 1^T diag A 1
// is the part that masses have in M + h^2 K, because translations do not strain: SSOR takes about
// 4 / sqrt(sigma) iterations until the size of the body ends that, a coarse space 25 to 60 that
// cost twice as much, and its set-up 25 to 40. So it pays from about 180 iterations of SSOR on
// while the copy fits the caches, and from 140 on beyond, where sweeps wait for memory and what the
// coarse space adds weighs less: measured on bodies of 5,000 to a million tets that hang, are
// clamped or are free (docs/solvers.md). Sheets have more soft motions than the rigid ones, as
// their fabric shears easily: there a coarse space saves half of the iterations or two thirds, and
// pays from about 600 on, measured on cloth of 100,000 triangles. And sigma is an eigenvalue, or
// nearly so, of a free body: near the precision of floats those are no use, unless a coarse space
// takes the rigid motions out.
//
// Constraints are filtered, so new directions need no new factor. Where the preconditioner has them
// in it (a coarse space; a vertex whose diagonal block needs them) it is made anew at the next
// solve.

#include "solve/pcg.h"
#include "lyra/csr.h"

#include <math.h>
#include <string.h>

// share of masses below which a coarse space pays from LY_PCG_COARSE_ROWS vertices on, and from
// LARGE_ROWS
#define COARSE_PAYS 5e-4
#define COARSE_PAYS_LARGE 8e-4
#define COARSE_PAYS_SHEET 5e-5
#define LARGE_ROWS 40000

// a vertex whose neighbours lie this near to a plane is one of a sheet: determinant over cube of
// the mean of the eigenvalues of sum d d^T, over the edges d at it
#define FLAT 0.01

// smallest eigenvalue of the scaled matrix, against its largest, below which floats are not tried
#define FLOATS_END 4e-6

typedef struct Pcg {
    LyraContext *ctx;
    LyraSolverDef def;
    LyPcgKind kind;
    bool coarse;        // wanted
    bool may_coarse;    // where the values say that it pays
    bool sheet;         // most vertices lie in a plane with their neighbours
    double *positions;  // of vertices, for a coarse space that comes later, [size]. Nullable
    LyPcgCoarse *space; // made when it is first used
    const LyraConstraints *constraints;
    LyraOperator A;
    int32_t iterations_max;
    double *work; // [4 size]
    int64_t bytes;
    // block matrices
    LyPcgMatrix *matrix;
    LyPcgInner inner;
    // the others, and block matrices that the copy can't hold
    bool plain;
    bool doubles;    // floats would only waste iterations
    LyWatch *watch;  // Nullable
    double *inverse; // of the diagonal, [size]; NULL: none
} Pcg;

static const char *const names[] = {"none", "jacobi", "block-jacobi", "ssor", "ic0"};
static const char *const coarse_names[] = {
    "none + coarse", "jacobi + coarse", "block-jacobi + coarse", "ssor + coarse", "ic0 + coarse"};

static LyraStatus take(Pcg *pcg, int64_t count, size_t size, void *out)
{
    LY_TRY(ly_allocate_zeroed(pcg->ctx, count, size, out));
    pcg->bytes += count * (int64_t)size;
    return LYRA_OK;
}

static LyraStatus create(LyraContext *ctx, const LyraSolverDef *def, void **self)
{
    Pcg *pcg = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *pcg, &pcg));
    pcg->ctx = ctx;
    pcg->def = *def;
    *self = pcg;
    return LYRA_OK;
}

// drops what analyze made
static void forget(Pcg *pcg)
{
    LyraContext *ctx = pcg->ctx;
    ly_pcg_coarse_destroy(pcg->space);
    ly_release(ctx, pcg->positions);
    ly_pcg_matrix_destroy(pcg->matrix);
    ly_release(ctx, pcg->work);
    ly_release(ctx, pcg->inverse);
    ly_release(ctx, pcg->inner.x);
    ly_release(ctx, pcg->inner.r);
    ly_release(ctx, pcg->inner.z);
    ly_release(ctx, pcg->inner.p);
    ly_release(ctx, pcg->inner.q);
    ly_release(ctx, pcg->inner.w);
    pcg->inner = (LyPcgInner){0};
    pcg->matrix = NULL;
    pcg->work = pcg->inverse = pcg->positions = NULL;
    pcg->space = NULL;
    pcg->bytes = 0;
}

static void destroy(void *self)
{
    Pcg *pcg = self;
    if (pcg) {
        forget(pcg);
        ly_release(pcg->ctx, pcg);
    }
}

// ---- analyze ------------------------------------------------------------------------------------

// the preconditioner that the def names, or the best for this form
static LyraStatus choose_kind(Pcg *pcg, const LyraOperator *A)
{
    const LyraSolverDef *def = &pcg->def;
    bool blocks = A->kind == LYRA_OPERATOR_BLOCK;
    bool has_diagonal = A->kind != LYRA_OPERATOR_CALLBACK || A->diagonal;
    bool chooses = strcmp(def->preconditioner, "auto") == 0;
    pcg->coarse = def->coarse;
    pcg->may_coarse = chooses && blocks && def->positions && A->size / 3 >= LY_PCG_COARSE_ROWS;
    pcg->kind = blocks ? LY_PCG_SSOR : has_diagonal ? LY_PCG_JACOBI : LY_PCG_NONE;
    bool known = chooses;
    for (int32_t k = 0; !chooses && k < LY_COUNT_OF(names); ++k) {
        if (strcmp(def->preconditioner, names[k]) == 0) {
            pcg->kind = (LyPcgKind)k;
            known = true;
        }
    }
    if (!known) {
        return ly_fail(LYRA_UNSUPPORTED, "pcg: the preconditioner %s is not symmetric",
                       def->preconditioner);
    }
    if (!blocks && (pcg->kind > LY_PCG_JACOBI || pcg->coarse)) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "pcg: %s needs a matrix of 3x3 blocks; others have none and jacobi",
                       pcg->coarse ? "a coarse space" : def->preconditioner);
    }
    if (!has_diagonal && pcg->kind == LY_PCG_JACOBI) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "pcg: the preconditioner jacobi needs the diagonal of a callback");
    }
    if (pcg->coarse && !def->positions) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "pcg: a coarse space needs the positions");
    }
    return LYRA_OK;
}

// adds d d^T to the upper triangle C
static void add_edge(double C[6], const double d[3])
{
    const double products[6] = {d[0] * d[0], d[0] * d[1], d[0] * d[2],
                                d[1] * d[1], d[1] * d[2], d[2] * d[2]};
    for (int k = 0; k < 6; ++k) {
        C[k] += products[k];
    }
}

static bool is_flat(const double C[6])
{
    double mean = (C[0] + C[3] + C[5]) / 3;
    double det = C[0] * (C[3] * C[5] - C[4] * C[4]) - C[1] * (C[1] * C[5] - C[4] * C[2]) +
                 C[2] * (C[1] * C[4] - C[3] * C[2]);
    return det < FLAT * mean * mean * mean;
}

// whether most vertices lie in a plane with their neighbours
static LyraStatus find_sheet(Pcg *pcg, const LyraBlockPattern *pattern, const double *positions)
{
    LyraBlockPatternView view = lyra_block_pattern_view(pattern);
    double *C = NULL;
    LY_TRY(ly_allocate_zeroed(pcg->ctx, 6 * (int64_t)view.row_count, sizeof *C, &C));
    for (int32_t i = 0; i < view.row_count; ++i) {
        for (int64_t k = view.row_start[i]; k < view.row_start[i + 1]; ++k) {
            int64_t j = view.column[k];
            double d[3];
            for (int c = 0; c < 3; ++c) {
                d[c] = positions[3 * j + c] - positions[3 * (int64_t)i + c];
            }
            add_edge(C + 6 * (int64_t)i, d);
            add_edge(C + 6 * j, d);
        }
    }
    int32_t flat = 0;
    for (int32_t i = 0; i < view.row_count; ++i) {
        flat += is_flat(C + 6 * (int64_t)i);
    }
    pcg->sheet = 2 * (int64_t)flat > view.row_count;
    ly_release(pcg->ctx, C);
    return LYRA_OK;
}

static LyraStatus make_space(Pcg *pcg, const LyraBlockPattern *pattern)
{
    if (!pcg->inner.w) {
        LY_TRY(take(pcg, 4 * (int64_t)pcg->matrix->rows, pcg->matrix->real, &pcg->inner.w));
    }
    return ly_pcg_coarse_create(pcg->matrix, pattern, pcg->positions, pcg->def.aggregate,
                                &pcg->space);
}

static LyraStatus analyze_block(Pcg *pcg, const LyraOperator *A)
{
    LyPcgInner *inner = &pcg->inner;
    const LyraBlockPattern *pattern = lyra_block_matrix_pattern(A->block);
    LY_TRY(ly_pcg_matrix_create(pcg->ctx, pattern, pcg->def.positions, pcg->kind, pcg->def.single,
                                pcg->constraints != NULL, &pcg->matrix));
    inner->matrix = pcg->matrix;
    pcg->matrix->labels = pcg->def.labels;
    if (pcg->coarse || pcg->may_coarse) {
        LY_TRY(take(pcg, A->size, sizeof(double), &pcg->positions));
        memcpy(pcg->positions, pcg->def.positions, (size_t)A->size * sizeof(double));
    }
    if (pcg->may_coarse) {
        LY_TRY(find_sheet(pcg, pattern, pcg->positions));
    }
    if (pcg->coarse) {
        LY_TRY(make_space(pcg, pattern));
    }
    int64_t count = 4 * (int64_t)pcg->matrix->rows;
    LY_TRY(take(pcg, count, pcg->matrix->real, &inner->x));
    LY_TRY(take(pcg, count, pcg->matrix->real, &inner->r));
    LY_TRY(take(pcg, count, pcg->matrix->real, &inner->z));
    LY_TRY(take(pcg, count, pcg->matrix->real, &inner->p));
    return take(pcg, count, pcg->matrix->real, &inner->q);
}

static LyraStatus analyze(void *self, const LyraOperator *A, const LyraConstraints *constraints)
{
    Pcg *pcg = self;
    forget(pcg);
    pcg->constraints = constraints;
    int64_t limit = 10 * (int64_t)A->size + 100;
    pcg->iterations_max =
        pcg->def.iterations_max > 0 ? pcg->def.iterations_max : (int32_t)ly_min_i64(limit, 100000);
    LY_TRY(choose_kind(pcg, A));
    LY_TRY(take(pcg, 4 * (int64_t)A->size, sizeof(double), &pcg->work));
    if (A->kind == LYRA_OPERATOR_BLOCK) {
        LY_TRY(analyze_block(pcg, A));
    }
    if (pcg->kind == LY_PCG_JACOBI || (pcg->def.truncate && A->kind == LYRA_OPERATOR_BLOCK)) {
        LY_TRY(take(pcg, A->size, sizeof(double), &pcg->inverse));
    }
    return LYRA_OK;
}

// ---- factor -------------------------------------------------------------------------------------

static void copy_diagonal(const LyraOperator *A, double *diagonal)
{
    switch (A->kind) {
    case LYRA_OPERATOR_BLOCK:
        lyra_block_matrix_diagonal(A->block, diagonal);
        break;
    case LYRA_OPERATOR_CSR: {
        const LyraCsrPattern *pattern = lyra_csr_matrix_pattern(A->csr);
        for (int32_t i = 0; i < A->size; ++i) {
            int64_t k = lyra_csr_pattern_find(pattern, i, i);
            diagonal[i] = k < 0 ? 0.0 : lyra_csr_matrix_values(A->csr)[k];
        }
        break;
    }
    case LYRA_OPERATOR_DENSE:
        for (int64_t i = 0; i < A->size; ++i) {
            diagonal[i] = A->dense[i + i * A->size];
        }
        break;
    case LYRA_OPERATOR_CALLBACK:
        memcpy(diagonal, A->diagonal, (size_t)A->size * sizeof(double));
        break;
    }
}

// 1 / diagonal; entries that are not positive are refused unless `any`, and then count by size
static LyraStatus factor_plain(Pcg *pcg, const LyraOperator *A, bool any)
{
    pcg->plain = true;
    if (!pcg->inverse) {
        return LYRA_OK;
    }
    copy_diagonal(A, pcg->inverse);
    for (int32_t i = 0; i < A->size; ++i) {
        double entry = pcg->inverse[i];
        if (!isfinite(entry)) {
            return ly_fail(LYRA_NOT_FINITE, "pcg: diagonal entry %d is %g", (int)i, entry);
        }
        // rows that constraints hold are the filter's
        if (entry <= 0.0 && !any && !pcg->constraints) {
            return ly_fail(entry < 0.0 ? LYRA_NOT_POSITIVE_DEFINITE : LYRA_SINGULAR,
                           "pcg: diagonal entry %d is %g", (int)i, entry);
        }
        double inverse = 1.0 / fabs(entry);
        pcg->inverse[i] = isfinite(inverse) && inverse > 0.0 ? inverse : 1.0;
    }
    return LYRA_OK;
}

// v^T A v / v^T diag A v for what constraints leave of a translation
static double free_share(Pcg *pcg, const LyraOperator *A)
{
    LyraContext *ctx = pcg->ctx;
    int64_t n = A->size;
    double *v = pcg->work, *Av = v + n;
    for (int64_t i = 0; i < n; ++i) {
        v[i] = 1.0;
    }
    lyra_constraints_project(pcg->constraints, v);
    lyra_operator_apply(A, v, Av);
    double whole = ly_vector_dot(ctx, n, v, Av);
    lyra_block_matrix_diagonal(A->block, Av);
    for (int64_t i = 0; i < n; ++i) {
        Av[i] *= v[i];
    }
    double parts = ly_vector_dot(ctx, n, v, Av);
    return parts > 0.0 ? whole / parts : 1.0;
}

// takes the values to the coarse space, if there is to be one
static LyraStatus factor_coarse(Pcg *pcg, const LyraOperator *A, bool pays)
{
    pcg->inner.coarse = NULL;
    if (!pcg->coarse && !(pcg->may_coarse && pays)) {
        return LYRA_OK;
    }
    if (!pcg->space) {
        LY_TRY(make_space(pcg, lyra_block_matrix_pattern(A->block)));
    }
    LyraStatus status = ly_pcg_coarse_factor(pcg->space, A->block);
    if (status == LYRA_NOT_POSITIVE_DEFINITE && !pcg->coarse) {
        ly_log(pcg->ctx, LYRA_LOG_INFO, "%s; going on without a coarse space",
               lyra_error_message());
        return LYRA_OK;
    }
    LY_TRY(status);
    pcg->inner.coarse = pcg->space;
    return LYRA_OK;
}

static LyraStatus factor_copy(Pcg *pcg, const LyraOperator *A, LyraSolveReport *report)
{
    LY_TRY(ly_pcg_matrix_set(pcg->matrix, A->block, pcg->constraints));
    if (pcg->kind == LY_PCG_IC0) {
        LY_TRY(ly_pcg_ic0_factor(pcg->matrix, &report->shift));
    }
    double share = pcg->matrix->share;
    bool large = pcg->matrix->rows >= LARGE_ROWS;
    double solid = large ? COARSE_PAYS_LARGE : COARSE_PAYS;
    LY_TRY(factor_coarse(pcg, A, share < (pcg->sheet ? COARSE_PAYS_SHEET : solid)));
    if (share < FLOATS_END && pcg->matrix->filters > 0) {
        share = free_share(pcg, A);
    }
    pcg->doubles = pcg->def.single && share < FLOATS_END && !ly_pcg_is_deflated(&pcg->inner);
    report->preconditioner = (pcg->inner.coarse ? coarse_names : names)[pcg->kind];
    report->coarse_size = ly_pcg_coarse_size(pcg->inner.coarse);
    return LYRA_OK;
}

static LyraStatus factor(void *self, const LyraOperator *A, LyraSolveReport *report)
{
    Pcg *pcg = self;
    pcg->A = *A;
    pcg->plain = false;
    report->preconditioner = (pcg->coarse ? coarse_names : names)[pcg->kind];
    report->coarse_size = ly_pcg_coarse_size(pcg->space);
    if (A->kind != LYRA_OPERATOR_BLOCK) {
        return factor_plain(pcg, A, false);
    }
    LyraStatus status = factor_copy(pcg, A, report);
    bool indefinite = status == LYRA_NOT_POSITIVE_DEFINITE || status == LYRA_SINGULAR;
    if (indefinite) {
        report->definiteness =
            status == LYRA_SINGULAR ? LYRA_DEFINITENESS_SINGULAR : LYRA_DEFINITENESS_INDEFINITE;
    }
    if (indefinite && pcg->def.truncate) {
        // Newton wants a direction: the plain method finds the curvature
        ly_log(pcg->ctx, LYRA_LOG_INFO, "%s; going on with jacobi", lyra_error_message());
        report->preconditioner = names[LY_PCG_JACOBI];
        report->coarse_size = 0;
        return factor_plain(pcg, A, true);
    }
    report->factor_entries =
        pcg->kind == LY_PCG_IC0 ? 9 * (pcg->matrix->blocks + pcg->matrix->rows) : 0;
    return status;
}

// ---- solve --------------------------------------------------------------------------------------

typedef struct ScaleLoop {
    const double *inverse, *r;
    double *z;
    int64_t count;
    int32_t pieces;
} ScaleLoop;

static void scale_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    ScaleLoop *loop = data;
    int64_t end = ly_piece_begin(loop->count, loop->pieces, index + 1);
    for (int64_t i = ly_piece_begin(loop->count, loop->pieces, index); i < end; ++i) {
        loop->z[i] = loop->inverse[i] * loop->r[i];
    }
}

static LyraStatus precondition_plain(void *user, const double *r, double *z)
{
    Pcg *pcg = user;
    ScaleLoop loop = {pcg->inverse, r, z, pcg->A.size, ly_piece_count(pcg->A.size, 16384)};
    ly_parallel_for(pcg->ctx, loop.pieces, scale_task, &loop);
    return LYRA_OK;
}

static LyraStatus solve_column(Pcg *pcg, const double *b, bool warm, double *x,
                               LyraSolveReport *report)
{
    if (pcg->plain) {
        LyCg cg = {
            .A = &pcg->A,
            .constraints = pcg->constraints,
            .precondition = pcg->inverse ? precondition_plain : NULL,
            .user = pcg,
            .stop = pcg->def.stop,
            .tolerance = pcg->def.tolerance,
            .iterations_max = pcg->iterations_max,
            .truncate = pcg->def.truncate,
            .watch = pcg->watch,
            .work = pcg->work,
        };
        return ly_cg(pcg->ctx, &cg, b, warm, x, report);
    }
    LyPcgRefine refine = {
        .A = &pcg->A,
        .constraints = pcg->constraints,
        .inner = &pcg->inner,
        .doubles = pcg->doubles,
        .stop = pcg->def.stop,
        .tolerance = pcg->def.tolerance,
        .iterations_max = pcg->iterations_max,
        .truncate = pcg->def.truncate,
        .watch = pcg->watch,
        .work = pcg->work,
    };
    return ly_pcg_refine(pcg->ctx, &refine, b, warm, x, report);
}

// takes directions that changed since the last solve
static LyraStatus follow_constraints(Pcg *pcg, LyraSolveReport *report)
{
    if (pcg->plain || !pcg->constraints ||
        lyra_constraints_view(pcg->constraints).version == pcg->matrix->filter_version) {
        return LYRA_OK;
    }
    if (pcg->matrix->rescued || pcg->inner.coarse || pcg->doubles) {
        return factor_copy(pcg, &pcg->A, report);
    }
    return ly_pcg_matrix_filter(pcg->matrix, pcg->constraints);
}

static LyraStatus solve(void *self, int32_t columns, const double *B, bool warm, double *X,
                        LyraSolveReport *report)
{
    Pcg *pcg = self;
    LY_TRY(follow_constraints(pcg, report));
    report->iterations = report->refinements = 0;
    report->negative_curvature = false;
    for (int32_t c = 0; c < columns; ++c) {
        LyraSolveReport one = *report;
        one.iterations = one.refinements = 0;
        int64_t at = (int64_t)c * pcg->A.size;
        LyraStatus status = solve_column(pcg, B + at, warm, X + at, &one);
        one.iterations += report->iterations;
        one.refinements += report->refinements;
        one.negative_curvature = one.negative_curvature || report->negative_curvature;
        *report = one;
        LY_TRY(status);
    }
    return LYRA_OK;
}

void ly_pcg_watch(void *self, LyWatch *watch)
{
    ((Pcg *)self)->watch = watch;
}

double *ly_pcg_idle(void *self)
{
    return ((Pcg *)self)->work;
}

static void set_tolerance(void *self, double tolerance)
{
    ((Pcg *)self)->def.tolerance = tolerance;
}

static int64_t bytes(const void *self)
{
    const Pcg *pcg = self;
    return (int64_t)sizeof *pcg + pcg->bytes + (pcg->matrix ? pcg->matrix->bytes : 0) +
           ly_pcg_coarse_bytes(pcg->space);
}

const LyraSolverType ly_solver_pcg = {
    .name = "pcg",
    .traits = LYRA_SOLVES_BLOCK | LYRA_SOLVES_CSR | LYRA_SOLVES_DENSE | LYRA_SOLVES_CALLBACK |
              LYRA_SOLVES_FILTERED | LYRA_SOLVES_MEASURED,
    .create = create,
    .analyze = analyze,
    .factor = factor,
    .solve = solve,
    .set_tolerance = set_tolerance,
    .bytes = bytes,
    .destroy = destroy,
};
