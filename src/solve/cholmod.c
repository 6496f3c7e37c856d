// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sparse Cholesky factors by CHOLMOD [CDHR08], supernodal, for symmetric matrices; simplicial LDL^T
// where asked for. symmetric.c does the rest.
//
// Order. Nested dissection of the graph of vertices, each vertex then standing for its unknowns:
// the graph is a ninth of the scalar one and the separators are better; AMD of the same graph where
// the build has no METIS. CHOLMOD postorders what it is given.

#include "solve/direct.h"

#if LY_HAVE_CHOLMOD

#include "lyra/reorder.h"

#include <string.h>

#include <cholmod.h>

/// Right-hand sides that go through the factor at once.
#define GROUP 16

typedef struct Cholmod {
    LyraContext *ctx;
    cholmod_common common;
    int32_t size;
    cholmod_sparse matrix;    // the columns, as CHOLMOD sees them
    int64_t *order;           // order[new] = old unknown, [size]
    cholmod_factor *cholesky; // supernodal; only symbolic before the first factor
    cholmod_factor *ldl;      // simplicial, made when first needed
    cholmod_factor *current;  // one of the two
    cholmod_dense *solution, *solve_y, *solve_e; // kept from solve to solve
} Cholmod;

// ---- life ---------------------------------------------------------------------------------------

// back to before analyze
static void forget(Cholmod *self)
{
    cholmod_l_free_factor(&self->cholesky, &self->common);
    cholmod_l_free_factor(&self->ldl, &self->common);
    cholmod_l_free_dense(&self->solution, &self->common);
    cholmod_l_free_dense(&self->solve_y, &self->common);
    cholmod_l_free_dense(&self->solve_e, &self->common);
    ly_release(self->ctx, self->order);
    self->order = NULL;
    self->current = NULL;
    self->size = 0;
}

static LyraStatus create(LyraContext *ctx, void **out)
{
    Cholmod *self;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *self, &self));
    self->ctx = ctx;
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

static void destroy(void *data)
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
                       self->size);
    case CHOLMOD_TOO_LARGE:
        return ly_fail(LYRA_TOO_LARGE, "cholmod: %d unknowns are too many for %s them", self->size,
                       doing);
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

static LyraStatus analyze(void *data, const LyraOperator *A, const LyColumns *columns)
{
    Cholmod *self = data;
    LyraStatus status = LYRA_OK;
    int32_t size = A->size;
    forget(self);
    self->size = size;
    LY_TRY_DONE(ly_allocate_array(self->ctx, size, sizeof *self->order, &self->order));
    LY_TRY_DONE(find_order(self, A));
    self->matrix = (cholmod_sparse){
        .nrow = (size_t)size,
        .ncol = (size_t)size,
        .nzmax = (size_t)columns->count,
        .p = columns->start,
        .i = columns->index,
        .x = columns->values,
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

static LyraStatus factor(void *data, const LyraOperator *A, const double *added, bool ldl,
                         int64_t *failed)
{
    (void)A;
    (void)added;
    Cholmod *self = data;
    if (ldl && !self->ldl) {
        self->common.supernodal = CHOLMOD_SIMPLICIAL;
        self->ldl = cholmod_l_analyze_p(&self->matrix, self->order, NULL, 0, &self->common);
        self->common.supernodal = CHOLMOD_SUPERNODAL;
        LY_TRY(check_library(self, "analyzing"));
    }
    self->current = ldl ? self->ldl : self->cholesky;
    int levels = ly_openmp_pause();
    cholmod_l_factorize(&self->matrix, self->current, &self->common);
    ly_openmp_resume(levels);
    LY_TRY(check_library(self, "factoring"));
    const cholmod_factor *L = self->current;
    *failed = L->minor < L->n ? ((const int64_t *)L->Perm)[L->minor] : -1;
    return LYRA_OK;
}

static void find_pivots(const void *data, double *pivots)
{
    const Cholmod *self = data;
    const cholmod_factor *L = self->current;
    const int64_t *perm = L->Perm, *p = L->p;
    const double *x = L->x;
    if (!L->is_super) {
        for (size_t j = 0; j < L->n; ++j) {
            pivots[perm[j]] = x[p[j]];
        }
        return;
    }
    const int64_t *super = L->super, *pi = L->pi, *px = L->px;
    for (size_t s = 0; s < L->nsuper; ++s) {
        int64_t height = pi[s + 1] - pi[s];
        for (int64_t j = super[s]; j < super[s + 1]; ++j) {
            int64_t local = j - super[s];
            double root = x[px[s] + local * height + local];
            pivots[perm[j]] = root * root;
        }
    }
}

static int64_t entries(const void *data)
{
    const Cholmod *self = data;
    const cholmod_factor *L = self->current;
    if (L->is_super) {
        return (int64_t)L->xsize;
    }
    const int64_t *nz = L->nz;
    int64_t sum = 0;
    for (size_t j = 0; j < L->n; ++j) {
        sum += nz[j];
    }
    return sum;
}

// ---- solve --------------------------------------------------------------------------------------

static LyraStatus solve_group(Cholmod *self, int32_t columns, const double *B, double *X)
{
    cholmod_dense b = {
        .nrow = (size_t)self->size,
        .ncol = (size_t)columns,
        .nzmax = (size_t)self->size * (size_t)columns,
        .d = (size_t)self->size,
        .x = (void *)B, // CHOLMOD only reads it
        .xtype = CHOLMOD_REAL,
        .dtype = CHOLMOD_DOUBLE,
    };
    int levels = ly_openmp_pause();
    int done = cholmod_l_solve2(CHOLMOD_A, self->current, &b, NULL, &self->solution, NULL,
                                &self->solve_y, &self->solve_e, &self->common);
    ly_openmp_resume(levels);
    LY_TRY(check_library(self, "solving with"));
    LYRA_ASSERT(done);
    (void)done;
    memcpy(X, self->solution->x, b.nzmax * sizeof(double));
    return LYRA_OK;
}

static LyraStatus solve(void *data, int32_t columns, const double *B, double *X)
{
    Cholmod *self = data;
    int64_t size = self->size;
    for (int32_t begin = 0; begin < columns; begin += GROUP) {
        int32_t count = columns - begin < GROUP ? columns - begin : GROUP;
        LY_TRY(solve_group(self, count, B + begin * size, X + begin * size));
    }
    return LYRA_OK;
}

static int64_t bytes(const void *data)
{
    const Cholmod *self = data;
    return (int64_t)sizeof *self + self->size * (int64_t)sizeof *self->order +
           (int64_t)self->common.memory_inuse;
}

static LyraStatus create_solver(LyraContext *ctx, const LyraSolverDef *def, void **out)
{
    static const LySymmetricType type = {
        .name = "cholmod",
        .create = create,
        .analyze = analyze,
        .factor = factor,
        .pivots = find_pivots,
        .solve = solve,
        .entries = entries,
        .bytes = bytes,
        .destroy = destroy,
    };
    return ly_symmetric_create(ctx, def, &type, out);
}

const LyraSolverType ly_solver_cholmod = {
    .name = "cholmod",
    .traits = LYRA_SOLVES_BLOCK | LYRA_SOLVES_CSR | LYRA_SOLVES_INDEFINITE | LYRA_SOLVES_DIRECTLY,
    .create = create_solver,
    LY_SYMMETRIC_FUNCTIONS,
};

#endif
