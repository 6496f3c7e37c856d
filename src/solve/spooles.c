// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sparse LDL^T factors with pivoting by SPOOLES [AG99], its serial part; pivoted.c does the rest.
// For symmetric matrices: SPOOLES does not solve with the transpose, which judging others needs.
// The library ends the process when it runs out of memory, which is why no build has it unless
// asked.

#include "solve/direct.h"

#if LY_HAVE_SPOOLES

#include <string.h>

#include <DenseMtx.h>
#include <FrontMtx.h>
#include <SymbFac.h>
#include <misc.h>

/// Largest entry of the factor that pivoting allows, as the manual recommends.
#define TAU 100.0
#define SEED 4711
/// Unknowns of a domain of nested dissection, zeros of a front and pivots of one.
#define DOMAIN 100
#define ZEROS 1000
#define PIVOTS 64

typedef struct Spooles {
    LyraContext *ctx;
    const LyColumns *rows;
    ETree *tree;
    IV *to_new, *to_old;
    IVL *symbolic;
    // of the factor
    FrontMtx *front;
    SubMtxManager *manager;
} Spooles;

static void forget_factor(Spooles *self)
{
    if (self->front) {
        FrontMtx_free(self->front);
    }
    if (self->manager) {
        SubMtxManager_free(self->manager);
    }
    self->front = NULL;
    self->manager = NULL;
}

static void forget(Spooles *self)
{
    forget_factor(self);
    if (self->tree) {
        ETree_free(self->tree);
        IV_free(self->to_new);
        IV_free(self->to_old);
    }
    if (self->symbolic) {
        IVL_free(self->symbolic);
    }
    self->tree = NULL;
    self->to_new = self->to_old = NULL;
    self->symbolic = NULL;
    self->rows = NULL;
}

static LyraStatus create(LyraContext *ctx, void **out)
{
    Spooles *self;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *self, &self));
    self->ctx = ctx;
    *out = self;
    return LYRA_OK;
}

static void destroy(void *data)
{
    Spooles *self = data;
    forget(self);
    ly_release(self->ctx, self);
}

// the matrix in the new order, as the factorization reads it; values may be unset
static InpMtx *make_matrix(const Spooles *self, bool valued)
{
    const LyColumns *rows = self->rows;
    InpMtx *matrix = InpMtx_new();
    InpMtx_init(matrix, INPMTX_BY_ROWS, SPOOLES_REAL, (int)rows->count, rows->size);
    for (int32_t i = 0; i < rows->size; ++i) {
        for (int64_t k = rows->start[i]; k < rows->start[i + 1]; ++k) {
            InpMtx_inputRealEntry(matrix, i, (int)rows->index[k], valued ? rows->values[k] : 1.0);
        }
    }
    if (self->to_new) {
        InpMtx_permute(matrix, IV_entries(self->to_new), IV_entries(self->to_new));
        InpMtx_mapToUpperTriangle(matrix);
        InpMtx_changeCoordType(matrix, INPMTX_BY_CHEVRONS);
    }
    InpMtx_changeStorageMode(matrix, INPMTX_BY_VECTORS);
    return matrix;
}

static LyraStatus analyze(void *data, bool symmetric, const LyColumns *rows)
{
    Spooles *self = data;
    LYRA_ASSERT(symmetric);
    (void)symmetric;
    forget(self);
    if (rows->count > INT32_MAX) {
        return ly_fail(LYRA_TOO_LARGE, "spooles: %lld entries are more than it can hold",
                       (long long)rows->count);
    }
    self->rows = rows;
    // order
    InpMtx *matrix = make_matrix(self, false);
    IVL *neighbours = InpMtx_fullAdjacency(matrix);
    int edges = IVL_tsize(neighbours);
    Graph *graph = Graph_new();
    Graph_init2(graph, 0, rows->size, 0, edges, rows->size, edges, neighbours, NULL, NULL);
    self->tree = orderViaBestOfNDandMS(graph, DOMAIN, ZEROS, PIVOTS, SEED, 0, NULL);
    Graph_free(graph);
    InpMtx_free(matrix);
    self->to_new = ETree_oldToNewVtxPerm(self->tree);
    self->to_old = ETree_newToOldVtxPerm(self->tree);
    ETree_permuteVertices(self->tree, self->to_new);
    // rows of fronts
    matrix = make_matrix(self, false);
    self->symbolic = SymbFac_initFromInpMtx(self->tree, matrix);
    InpMtx_free(matrix);
    return LYRA_OK;
}

static LyraStatus factor(void *data, LyPivotedFacts *facts)
{
    Spooles *self = data;
    double times[10] = {0};
    int counts[20] = {0}, failed = -1, zero = 0, positive = 0;
    forget_factor(self);
    InpMtx *matrix = make_matrix(self, true);
    self->manager = SubMtxManager_new();
    SubMtxManager_init(self->manager, NO_LOCK, 0);
    self->front = FrontMtx_new();
    FrontMtx_init(self->front, self->tree, self->symbolic, SPOOLES_REAL, SPOOLES_SYMMETRIC,
                  FRONTMTX_DENSE_FRONTS, SPOOLES_PIVOTING, NO_LOCK, 0, NULL, self->manager, 0,
                  NULL);
    ChvManager *chevrons = ChvManager_new();
    ChvManager_init(chevrons, NO_LOCK, 1);
    Chv *rest = FrontMtx_factorInpMtx(self->front, matrix, TAU, 0.0, chevrons, &failed, times,
                                      counts, 0, NULL);
    // what could not be eliminated stays behind
    facts->singular = rest || failed >= 0;
    if (rest) {
        ChvManager_releaseListOfObjects(chevrons, rest);
    }
    ChvManager_free(chevrons);
    InpMtx_free(matrix);
    if (facts->singular) {
        forget_factor(self);
        return LYRA_OK;
    }
    FrontMtx_postProcess(self->front, 0, NULL);
    FrontMtx_inertia(self->front, &facts->negative, &zero, &positive);
    facts->entries = self->front->nentD + self->front->nentU;
    return LYRA_OK;
}

static LyraStatus solve(void *data, bool transposed, int32_t columns, const double *B, double *X)
{
    (void)transposed;
    Spooles *self = data;
    int32_t size = self->rows->size;
    double times[10] = {0};
    DenseMtx *b = DenseMtx_new(), *x = DenseMtx_new();
    DenseMtx_init(b, SPOOLES_REAL, 0, 0, size, columns, 1, size);
    DenseMtx_init(x, SPOOLES_REAL, 0, 0, size, columns, 1, size);
    size_t bytes = (size_t)columns * (size_t)size * sizeof *X;
    memcpy(DenseMtx_entries(b), B, bytes);
    DenseMtx_permuteRows(b, self->to_new);
    DenseMtx_zero(x);
    FrontMtx_solve(self->front, x, b, self->manager, times, 0, NULL);
    DenseMtx_permuteRows(x, self->to_old);
    memcpy(X, DenseMtx_entries(x), bytes);
    DenseMtx_free(b);
    DenseMtx_free(x);
    return LYRA_OK;
}

static int64_t bytes(const void *data)
{
    const Spooles *self = data;
    int64_t factor = self->front ? 12 * (int64_t)(self->front->nentD + self->front->nentU) : 0;
    return (int64_t)sizeof *self + factor;
}

static LyraStatus create_solver(LyraContext *ctx, const LyraSolverDef *def, void **out)
{
    static const LyPivotedType type = {
        .name = "spooles",
        .create = create,
        .analyze = analyze,
        .factor = factor,
        .solve = solve,
        .bytes = bytes,
        .destroy = destroy,
    };
    return ly_pivoted_create(ctx, def, &type, out);
}

const LyraSolverType ly_solver_spooles = {
    .name = "spooles",
    .traits = LYRA_SOLVES_BLOCK | LYRA_SOLVES_CSR | LYRA_SOLVES_INDEFINITE | LYRA_SOLVES_DIRECTLY,
    .create = create_solver,
    LY_PIVOTED_FUNCTIONS,
};

#endif
