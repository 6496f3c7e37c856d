// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Dense systems of a model: the same forces and tangents as the sparse one, written out as
// column-major matrices in the caller's order, with products and factors of dense algebra. For
// small models, and as the second implementation that shows the seam to hold.

#include "lyra/system.h"

#include "lyra/dense.h"
#include "model/history.h"
#include "model/system.h"
#include "model/tangent.h"

#include <string.h>

typedef struct DenseSystem {
    LyraContext *ctx;
    LyTangent tangent;
    LyFollowed followed;       // constraints with zero values
    LyraBlockMatrix *block;    // what is being written out
    double *M, *C, *K, *S;     // [size * size]
    double *x;                 // [size]
    uint64_t written;          // version of the masses in M; 0: none
    LyraSolver *solver, *mass; // of S and of M
    bool analyzed, mass_analyzed, mass_factored;
    uint64_t mass_version, mass_constraints; // what the factor of M was made with
} DenseSystem;

static int32_t dense_size(const void *self)
{
    return ((const DenseSystem *)self)->tangent.size;
}

static uint32_t dense_traits(const void *self)
{
    return ly_model_traits(((const DenseSystem *)self)->tangent.model);
}

static LyraStatus dense_init_state(void *self, LyraState *state)
{
    return ly_tangent_init_state(&((DenseSystem *)self)->tangent, state);
}

static const LyraConstraints *dense_constraints(const void *self)
{
    return ((const DenseSystem *)self)->tangent.model->constraints;
}

static double dense_extent(const void *self)
{
    return ((const DenseSystem *)self)->tangent.model->extent;
}

static void dense_lengths(const void *self, LyraVector *lengths)
{
    ly_model_lengths(((const DenseSystem *)self)->tangent.model,
                     lyra_vector_values_mutable(lengths));
}

static uint64_t dense_fingerprint(void *self)
{
    return ly_tangent_fingerprint(&((DenseSystem *)self)->tangent);
}

// ---- at a point ---------------------------------------------------------------------------------

static void dense_prescribe(void *self, double t, LyraVector *u, LyraVector *v, LyraVector *a)
{
    ly_tangent_prescribe(&((DenseSystem *)self)->tangent, t, u, v, a);
}

static LyraStatus dense_evaluate(void *self, const LyraPoint *at, const LyraResponse *response)
{
    return ly_tangent_evaluate(&((DenseSystem *)self)->tangent, at, response);
}

static LyraStatus dense_update_damping(void *self, const LyraPoint *at)
{
    return ly_tangent_update_damping(&((DenseSystem *)self)->tangent, at);
}

static LyraDetF dense_det_f(void *self, const LyraVector *u)
{
    return ly_tangent_det_f(&((DenseSystem *)self)->tangent, u);
}

static void dense_rest(void *self, const LyraVector *u, LyraVector *rest)
{
    ly_rest_place(((DenseSystem *)self)->tangent.model, lyra_vector_values(u),
                  lyra_vector_values_mutable(rest));
}

// ---- matrices -----------------------------------------------------------------------------------

// adds a times a block, or its transpose, at vertices i and j
static void add_block(double a, const double *block, bool transposed, int64_t i, int64_t j,
                      int64_t size, double *A)
{
    for (int32_t e = 0; e < 9; ++e) {
        A[3 * i + e / 3 + (3 * j + e % 3) * size] +=
            a * block[transposed ? 3 * (e % 3) + e / 3 : e];
    }
}

// adds a matrix that stands beside the others
static void add_beside(const LyPartTangent *pt, int64_t size, double *A)
{
    const LyraAssembly *assembly = pt->part->assembly;
    LyraBlockPatternView view = lyra_block_pattern_view(assembly->pattern);
    const double *values = lyra_block_matrix_values(pt->beside);
    for (int32_t row = 0; row < view.row_count; ++row) {
        for (int64_t k = view.row_start[row]; k < view.row_start[row + 1]; ++k) {
            add_block(1, values + 9 * k, false, assembly->order[row],
                      assembly->order[view.column[k]], size, A);
        }
    }
}

// adds the blocks of changing groups
static void add_changing(const LyChangings *changings, double b, double c, const int32_t *order,
                         int64_t size, double *A)
{
    for (int32_t i = 0; i < changings->count; ++i) {
        const LyChanging *group = &changings->groups[i];
        const int32_t *pairs = ly_stencil_set_pairs(group->set).pairs;
        for (int64_t k = 0; k < group->pair_count; ++k) {
            int64_t row = order[pairs[2 * k]], column = order[pairs[2 * k + 1]];
            double block[9];
            ly_changing_block(group, b, c, k, block);
            add_block(1, block, false, row, column, size, A);
            if (row != column) {
                add_block(1, block, true, column, row, size, A);
            }
        }
    }
}

// A = a M + b C + c K, both triangles, in the caller's order
static void write_out(DenseSystem *d, double a, double b, double c, double *A)
{
    LyraBlockPatternView view = lyra_block_pattern_view(lyra_block_matrix_pattern(d->block));
    const int32_t *order = d->tangent.model->order;
    const double *values = lyra_block_matrix_values(d->block);
    int64_t size = d->tangent.size;
    bool upper = view.storage == LYRA_STORAGE_UPPER;
    ly_tangent_combine_fixed(&d->tangent, a, b, c, d->block);
    memset(A, 0, (size_t)(size * size) * sizeof *A);
    for (int32_t row = 0; row < view.row_count; ++row) {
        for (int64_t k = view.row_start[row]; k < view.row_start[row + 1]; ++k) {
            int64_t i = order[row], j = order[view.column[k]];
            add_block(1, values + 9 * k, false, i, j, size, A);
            if (upper && i != j) {
                add_block(1, values + 9 * k, true, j, i, size, A);
            }
        }
    }
    add_changing(&d->tangent.changing, b, c, order, size, A);
    ly_tangent_form_beside(&d->tangent, b, c);
    for (int32_t p = 0; p < d->tangent.part_count; ++p) {
        if (d->tangent.parts[p].beside) {
            add_beside(&d->tangent.parts[p], size, A);
        }
    }
}

static void refresh_mass(DenseSystem *d)
{
    if (d->written != d->tangent.model->mass_version) {
        write_out(d, 1, 0, 0, d->M);
        d->written = d->tangent.model->mass_version;
    }
}

static void dense_thaw_damping(void *self)
{
    ly_tangent_thaw_damping(&((DenseSystem *)self)->tangent);
}

static LyraStatus dense_linearise(void *self, const LyraPoint *at, bool psd)
{
    DenseSystem *d = self;
    LY_TRY(ly_tangent_linearise(&d->tangent, at, psd));
    write_out(d, 0, 0, 1, d->K);
    write_out(d, 0, 1, 0, d->C);
    return LYRA_OK;
}

static LyraStatus dense_form(void *self, double a, double b, double c)
{
    DenseSystem *d = self;
    int64_t count = (int64_t)d->tangent.size * d->tangent.size;
    LY_TRY(ly_followed_update(&d->followed, d->tangent.model->constraints, NULL));
    refresh_mass(d);
    for (int64_t i = 0; i < count; ++i) {
        d->S[i] = a * d->M[i] + b * d->C[i] + c * d->K[i];
    }
    bool symmetric = ly_model_traits(d->tangent.model) & LYRA_SYSTEM_SYMMETRIC;
    LyraOperator A = lyra_operator_dense(d->tangent.size, d->S, symmetric);
    if (!d->analyzed) {
        LY_TRY(lyra_solver_analyze(d->solver, &A, d->followed.constraints));
        d->analyzed = true;
    }
    return lyra_solver_factor(d->solver, &A);
}

static void apply(const DenseSystem *d, const double *A, const LyraVector *x, LyraVector *y)
{
    // sizes were checked, so it cannot fail
    (void)lyra_dense_apply(d->ctx, false, 1, (LyraDenseView){d->tangent.size, d->tangent.size, A},
                           lyra_vector_values(x), 0, lyra_vector_values_mutable(y));
}

static void dense_apply(void *self, const LyraVector *x, LyraVector *y)
{
    const DenseSystem *d = self;
    apply(d, d->S, x, y);
}

static void dense_apply_mass(void *self, const LyraVector *x, LyraVector *y)
{
    DenseSystem *d = self;
    refresh_mass(d);
    apply(d, d->M, x, y);
}

static void dense_apply_damping(void *self, const LyraVector *x, LyraVector *y)
{
    const DenseSystem *d = self;
    apply(d, d->C, x, y);
}

static void dense_apply_stiffness(void *self, const LyraVector *x, LyraVector *y)
{
    const DenseSystem *d = self;
    apply(d, d->K, x, y);
}

// ---- the life of a step ------------------------------------------------------------------------

static uint32_t dense_hooks(const void *self)
{
    const DenseSystem *d = self;
    return (d->tangent.changing.count > 0 ? LYRA_HOOK_STEP | LYRA_HOOK_ITERATION : 0u) |
           (d->tangent.model->stepper_count > 0 ? LYRA_HOOK_STEP : 0u) |
           (d->tangent.model->bounded ? LYRA_HOOK_BOUND : 0u);
}

static LyraStatus dense_begin_step(void *self, LyraState *state, double dt)
{
    DenseSystem *d = self;
    LyraStateView view = lyra_state_view(state);
    const LyraPoint at = {
        .time = view.time, .dt = dt, .u = view.u, .v = view.v, .committed = state};
    bool changed = false;
    LY_TRY(ly_tangent_begin_step(&d->tangent, state, dt));
    return ly_changings_update(&d->tangent.changing, LYRA_UPDATE_STEP, &at, &changed);
}

static LyraStatus dense_begin_iteration(void *self, const LyraPoint *at, bool *changed)
{
    LyraUpdateMoment moment = at->moment ? at->moment : LYRA_UPDATE_ITERATION;
    return ly_changings_update(&((DenseSystem *)self)->tangent.changing, moment, at, changed);
}

static LyraStatus dense_commit(void *self, LyraState *state)
{
    return ly_tangent_commit(&((DenseSystem *)self)->tangent, state);
}

static LyraStatus dense_step_bound(void *self, const LyraVector *u, const LyraVector *d,
                                   double *bound)
{
    *bound = ly_changings_bound(&((DenseSystem *)self)->tangent.changing, lyra_vector_values(u),
                                lyra_vector_values(d));
    return LYRA_OK;
}

// ---- solves -------------------------------------------------------------------------------------

static LyraStatus solve(DenseSystem *d, LyraSolver *solver, const LyraVector *b, LyraVector *x,
                        LyraSolveReport *report)
{
    LY_TRY(lyra_solver_solve(solver, lyra_vector_values(b), false, d->x, report));
    if (d->tangent.size > 0) {
        memcpy(lyra_vector_values_mutable(x), d->x, (size_t)d->tangent.size * sizeof *d->x);
    }
    return LYRA_OK;
}

static LyraStatus dense_solve(void *self, const LyraVector *b, double tolerance, LyraVector *x,
                              LyraSolveReport *report)
{
    (void)tolerance; // a direct solve is exact to rounding
    DenseSystem *d = self;
    LY_TRY(ly_followed_update(&d->followed, d->tangent.model->constraints, NULL));
    return solve(d, d->solver, b, x, report);
}

static LyraStatus dense_solve_mass(void *self, const LyraVector *b, LyraVector *x)
{
    DenseSystem *d = self;
    const LyraModel *model = d->tangent.model;
    LyraSolveReport report;
    LY_TRY(ly_mass_check(model));
    LY_TRY(ly_followed_update(&d->followed, model->constraints, NULL));
    refresh_mass(d);
    uint64_t constraints = d->followed.version;
    if (!d->mass_factored || d->mass_version != d->written || d->mass_constraints != constraints) {
        LyraOperator A = lyra_operator_dense(d->tangent.size, d->M, true);
        d->mass_factored = false;
        if (!d->mass_analyzed) {
            LY_TRY(lyra_solver_analyze(d->mass, &A, d->followed.constraints));
            d->mass_analyzed = true;
        }
        LY_TRY(lyra_solver_factor(d->mass, &A));
        d->mass_factored = true;
        d->mass_version = d->written;
        d->mass_constraints = constraints;
    }
    return solve(d, d->mass, b, x, &report);
}

// ---- life ---------------------------------------------------------------------------------------

static void dense_destroy(void *self)
{
    DenseSystem *d = self;
    lyra_solver_destroy(d->solver);
    lyra_solver_destroy(d->mass);
    lyra_block_matrix_destroy(d->block);
    ly_followed_destroy(&d->followed);
    ly_tangent_destroy(&d->tangent);
    ly_release(d->ctx, d->M);
    ly_release(d->ctx, d->C);
    ly_release(d->ctx, d->K);
    ly_release(d->ctx, d->S);
    ly_release(d->ctx, d->x);
    ly_release(d->ctx, d);
}

static double dense_lost(void *self, const LyraState *state, double *plastic)
{
    return ly_history_lost(((DenseSystem *)self)->tangent.model, state, plastic);
}

static uint64_t dense_material_digest(void *self)
{
    return ly_tangent_material_digest(&((DenseSystem *)self)->tangent);
}

static const LyraSolidDiagnostics dense_solid = {
    .det_f = dense_det_f,
    .rest = dense_rest,
};

static const LyraSystemType dense_type = {
    .name = "dense",
    .size = dense_size,
    .traits = dense_traits,
    .init_state = dense_init_state,
    .lost = dense_lost,
    .material_digest = dense_material_digest,
    .constraints = dense_constraints,
    .prescribe = dense_prescribe,
    .evaluate = dense_evaluate,
    .update_damping = dense_update_damping,
    .thaw_damping = dense_thaw_damping,
    .linearise = dense_linearise,
    .form = dense_form,
    .apply = dense_apply,
    .apply_mass = dense_apply_mass,
    .apply_damping = dense_apply_damping,
    .apply_stiffness = dense_apply_stiffness,
    .solve = dense_solve,
    .solve_mass = dense_solve_mass,
    .solid = &dense_solid,
    .extent = dense_extent,
    .lengths = dense_lengths,
    .fingerprint = dense_fingerprint,
    .hooks = dense_hooks,
    .begin_step = dense_begin_step,
    .begin_iteration = dense_begin_iteration,
    .commit = dense_commit,
    .step_bound = dense_step_bound,
    .destroy = dense_destroy,
};

static LyraStatus fill(DenseSystem *d, LyraModel *model)
{
    LyraContext *ctx = d->ctx;
    LY_TRY(ly_tangent_create(ctx, model, &d->tangent));
    LY_TRY(ly_followed_create(ctx, model->vertex_count, &d->followed));
    int64_t size = d->tangent.size;
    double **matrices[4] = {&d->M, &d->C, &d->K, &d->S};
    for (int32_t i = 0; i < 4; ++i) {
        LY_TRY(ly_allocate_zeroed(ctx, size * size, sizeof(double), matrices[i]));
    }
    LY_TRY(ly_allocate_zeroed(ctx, size, sizeof(double), &d->x));
    LY_TRY(lyra_block_matrix_create(model->pattern, &d->block));
    LyraSolverDef def = lyra_solver_def_default();
    def.name = "dense";
    def.positions = model->positions;
    LY_TRY(lyra_solver_create(ctx, &def, &d->solver));
    return lyra_solver_create(ctx, &def, &d->mass);
}

LyraStatus lyra_system_create_dense(LyraContext *ctx, LyraModel *model, LyraSystem **out)
{
    LYRA_ASSERT(ctx && model && out);
    DenseSystem *d = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *d, &d));
    d->ctx = d->tangent.ctx = d->followed.ctx = ctx;
    LyraStatus status = fill(d, model);
    if (status == LYRA_OK) {
        status = lyra_system_create(ctx, &dense_type, d, out);
    }
    if (status != LYRA_OK) {
        dense_destroy(d);
    }
    return status;
}
