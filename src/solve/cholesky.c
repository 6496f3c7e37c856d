// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The solver "cholesky": factors by fronts (fronts.c) under the rules of symmetric.c. It needs no
// library; nested dissection is that of METIS where the build has it, else ours. The graph of a
// block matrix is that of its vertices, a ninth of the scalar one.

#include "solve/direct.h"
#include "solve/fronts.h"
#include "sparse/graph.h"

typedef struct Cholesky {
    LyraContext *ctx;
    LyFrontHolding holding;
    LyFronts fronts;
    LyFrontFactor factor;
} Cholesky;

static void forget(Cholesky *self)
{
    ly_front_factor_destroy(&self->factor);
    ly_fronts_destroy(&self->fronts);
}

static LyraStatus create_held(LyraContext *ctx, LyFrontHolding holding, void **out)
{
    Cholesky *self;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *self, &self));
    self->ctx = ctx;
    self->holding = holding;
    *out = self;
    return LYRA_OK;
}

static LyraStatus create(LyraContext *ctx, void **out)
{
    return create_held(ctx, (LyFrontHolding){0}, out);
}

static LyraStatus create_kept(LyraContext *ctx, void **out)
{
    return create_held(ctx, (LyFrontHolding){.transient = true}, out);
}

static LyraStatus create_single(LyraContext *ctx, void **out)
{
    return create_held(ctx, (LyFrontHolding){.single = true, .transient = true}, out);
}

static void destroy(void *data)
{
    Cholesky *self = data;
    forget(self);
    ly_release(self->ctx, self);
}

static LyraStatus analyze(void *data, const LyraOperator *A, const LyColumns *columns)
{
    (void)columns;
    Cholesky *self = data;
    LyraStatus status = LYRA_OK;
    bool block = A->kind == LYRA_OPERATOR_BLOCK;
    LyraGraph graph = block ? lyra_block_pattern_graph(lyra_block_matrix_pattern(A->block))
                            : lyra_csr_pattern_graph(lyra_csr_matrix_pattern(A->csr));
    int32_t *order = NULL;
    forget(self);
    LY_TRY_DONE(ly_allocate_array(self->ctx, graph.vertex_count, sizeof *order, &order));
#if LY_HAVE_METIS
    LY_TRY_DONE(lyra_reorder_metis(self->ctx, graph, order));
#else
    LY_TRY_DONE(ly_reorder_dissect(self->ctx, graph, order));
#endif
    LY_TRY_DONE(ly_fronts_create(self->ctx, graph, block ? 3 : 1, order, &self->fronts));
    LY_TRY_DONE(ly_front_factor_create(&self->fronts, A, self->holding, &self->factor));
done:
    ly_release(self->ctx, order);
    if (status != LYRA_OK) {
        forget(self);
    }
    return status;
}

static LyraStatus factor(void *data, const LyraOperator *A, const double *added, bool ldl,
                         int64_t *failed)
{
    Cholesky *self = data;
    const LyFrontInput input = {.A = A, .added = added, .indefinite = ldl};
    return ly_front_factor_compute(&self->factor, &input, failed);
}

static void find_pivots(const void *data, double *pivots)
{
    const Cholesky *self = data;
    ly_front_factor_pivots(&self->factor, pivots);
}

static LyraStatus solve(void *data, int32_t columns, const double *B, double *X)
{
    Cholesky *self = data;
    return ly_front_factor_solve(&self->factor, columns, B, X);
}

static int64_t entries(const void *data)
{
    const Cholesky *self = data;
    return self->fronts.values_room;
}

static int64_t bytes(const void *data)
{
    const Cholesky *self = data;
    return (int64_t)sizeof *self + ly_fronts_bytes(&self->fronts) +
           ly_front_factor_bytes(&self->factor);
}

void ly_cholesky_work(const void *data, double *entries, double *flops)
{
    const Cholesky *self = ly_symmetric_inner(data);
    *entries = (double)self->fronts.entries;
    *flops = self->fronts.flops;
}

void ly_cholesky_rest(void *data)
{
    Cholesky *self = (Cholesky *)ly_symmetric_inner(data);
    ly_front_factor_rest(&self->factor);
}

#define TYPE(make)                                                                                 \
    {                                                                                              \
        .name = "cholesky", .reads_operator = true, .create = make, .analyze = analyze,            \
        .factor = factor, .pivots = find_pivots, .solve = solve, .entries = entries,               \
        .bytes = bytes, .destroy = destroy,                                                        \
    }

static LyraStatus create_solver(LyraContext *ctx, const LyraSolverDef *def, void **out)
{
    static const LySymmetricType type = TYPE(create);
    return ly_symmetric_create(ctx, def, &type, out);
}

static LyraStatus create_kept_solver(LyraContext *ctx, const LyraSolverDef *def, void **out)
{
    static const LySymmetricType type = TYPE(create_kept);
    return ly_symmetric_create(ctx, def, &type, out);
}

static LyraStatus create_single_solver(LyraContext *ctx, const LyraSolverDef *def, void **out)
{
    static const LySymmetricType type = TYPE(create_single);
    return ly_symmetric_create(ctx, def, &type, out);
}

#define TRAITS (LYRA_SOLVES_BLOCK | LYRA_SOLVES_CSR | LYRA_SOLVES_INDEFINITE | LYRA_SOLVES_DIRECTLY)

const LyraSolverType ly_solver_cholesky = {
    .name = "cholesky",
    .traits = TRAITS,
    .create = create_solver,
    LY_SYMMETRIC_FUNCTIONS,
};

const LyraSolverType ly_solver_cholesky_kept = {
    .name = "cholesky",
    .traits = TRAITS,
    .create = create_kept_solver,
    LY_SYMMETRIC_FUNCTIONS,
};

const LyraSolverType ly_solver_cholesky_single = {
    .name = "cholesky",
    .traits = TRAITS,
    .create = create_single_solver,
    LY_SYMMETRIC_FUNCTIONS,
};
