// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sparse systems: the matrices of a model on the pattern of its assembly, in the internal order of
// vertices, and a linear solver. Vectors come and go in the caller's order, so solves and products
// permute into scratch and back. Constraints are the model's, with their vertices renamed when they
// change. They hold at zero here: an integrator looks for corrections, in the range of P.

#include "lyra/system.h"

#include "force/force.h"
#include "lyra/reorder.h"
#include "model/mass_solve.h"
#include "model/remembered.h"
#include "model/system.h"
#include "model/tangent.h"
#include "solve/solve.h"

#include <string.h>

// A matrix with its solver and the constraints it was last told of.
typedef struct Solving {
    LyraBlockMatrix *matrix;
    LyraSolver *solver;
    bool analyzed, constrained; // constrained: analyzed with constraints
    double tolerance;           // that the solver was told; 0: none yet
} Solving;

typedef struct SparseSystem {
    LyraContext *ctx;
    LyTangent tangent;
    LyFollowed followed;     // constraints in the internal order
    double *positions;       // for the solver, internal order, [size]
    double *b, *x;           // internal order, [size]
    LyRemembered remembered; // of the solver of S
    Solving main, mass;      // S, and M where it is consistent and directions are slanted
    LyMassSolver masses;     // and where they are not
    double tolerance;        // the solver's own
    bool mass_factored;
    uint64_t mass_version, mass_constraints; // what the factor of M was made with
} SparseSystem;

static int32_t sparse_size(const void *self)
{
    return ((const SparseSystem *)self)->tangent.size;
}

static uint32_t sparse_traits(const void *self)
{
    return ly_model_traits(((const SparseSystem *)self)->tangent.model);
}

static int64_t sparse_history_count(const void *self)
{
    return lyra_assembly_history_size(((const SparseSystem *)self)->tangent.model->assembly);
}

static const LyraConstraints *sparse_constraints(const void *self)
{
    return ((const SparseSystem *)self)->tangent.model->constraints;
}

static double sparse_extent(const void *self)
{
    return ((const SparseSystem *)self)->tangent.model->extent;
}

static void sparse_lengths(const void *self, LyraVector *lengths)
{
    ly_model_lengths(((const SparseSystem *)self)->tangent.model,
                     lyra_vector_values_mutable(lengths));
}

static uint64_t sparse_fingerprint(void *self)
{
    return ly_tangent_fingerprint(&((SparseSystem *)self)->tangent);
}

// ---- at a point ---------------------------------------------------------------------------------

static void sparse_prescribe(void *self, double t, LyraVector *u, LyraVector *v, LyraVector *a)
{
    ly_tangent_prescribe(&((SparseSystem *)self)->tangent, t, u, v, a);
}

static LyraStatus sparse_evaluate(void *self, const LyraPoint *at, const LyraResponse *response)
{
    return ly_tangent_evaluate(&((SparseSystem *)self)->tangent, at, response);
}

static LyraStatus sparse_update_damping(void *self, const LyraPoint *at)
{
    return ly_tangent_update_damping(&((SparseSystem *)self)->tangent, at);
}

static LyraStatus sparse_linearise(void *self, const LyraPoint *at, bool psd)
{
    SparseSystem *s = self;
    LY_TRY(ly_remembered_linearise(&s->remembered, &s->tangent, at));
    return ly_tangent_linearise(&s->tangent, at, psd);
}

static LyraDetF sparse_det_f(void *self, const LyraVector *u)
{
    return ly_tangent_det_f(&((SparseSystem *)self)->tangent, u);
}

static void sparse_rest(void *self, const LyraVector *u, LyraVector *rest)
{
    ly_rest_place(((SparseSystem *)self)->tangent.model, lyra_vector_values(u),
                  lyra_vector_values_mutable(rest));
}

// ---- matrices -----------------------------------------------------------------------------------

static LyraStatus follow_constraints(SparseSystem *s)
{
    const LyraModel *model = s->tangent.model;
    return ly_followed_update(&s->followed, model->constraints,
                              lyra_assembly_order(model->assembly));
}

static bool has_constraints(const SparseSystem *s)
{
    return lyra_constraints_view(s->followed.constraints).count > 0;
}

// analyzes the pattern at first, and again when the first constraint comes
static LyraStatus analyze(SparseSystem *s, Solving *solving, const LyraOperator *A)
{
    bool constrained = has_constraints(s);
    if (!solving->analyzed || (constrained && !solving->constrained)) {
        solving->analyzed = false;
        solving->tolerance = 0;
        LY_TRY(
            lyra_solver_analyze(solving->solver, A, constrained ? s->followed.constraints : NULL));
        solving->analyzed = true;
        solving->constrained = constrained;
    }
    return LYRA_OK;
}

static LyraStatus factor(SparseSystem *s, Solving *solving)
{
    LyraOperator A = lyra_operator_block(solving->matrix, false);
    LY_TRY(analyze(s, solving, &A));
    return lyra_solver_factor(solving->solver, &A);
}

// `warm`: from x
static LyraStatus solve(SparseSystem *s, Solving *solving, double tolerance, const LyraVector *b,
                        bool warm, LyraVector *x, LyraSolveReport *report)
{
    const int32_t *order = lyra_assembly_order(s->tangent.model->assembly);
    int32_t n = s->tangent.model->vertex_count;
    if (solving->tolerance != tolerance) {
        LY_TRY(lyra_solver_set_tolerance(solving->solver, tolerance));
        solving->tolerance = tolerance;
    }
    ly_vector_sort(s->ctx, n, order, lyra_vector_values(b), s->b);
    if (warm) {
        ly_vector_sort(s->ctx, n, order, lyra_vector_values(x), s->x);
    }
    LY_TRY(lyra_solver_solve(solving->solver, s->b, warm, s->x, report));
    ly_vector_unsort(s->ctx, n, order, s->x, lyra_vector_values_mutable(x));
    return LYRA_OK;
}

static LyraStatus sparse_form(void *self, double a, double b, double c)
{
    SparseSystem *s = self;
    const double factors[3] = {a, b, c};
    LY_TRY(follow_constraints(s));
    memcpy(s->remembered.factors, factors, sizeof factors);
    ly_tangent_combine(&s->tangent, a, b, c, s->main.matrix);
    if (ly_remembered_is_old(&s->remembered, &s->tangent)) {
        ly_solver_renew(s->main.solver);
    }
    LY_TRY(factor(s, &s->main));
    return ly_remembered_note(&s->remembered, &s->tangent, s->main.solver);
}

static LyraStatus sparse_form_again(void *self, double a, double b, double c)
{
    SparseSystem *s = self;
    ly_solver_hold(s->main.solver, true);
    LyraStatus status = sparse_form(self, a, b, c);
    ly_solver_hold(s->main.solver, false);
    return status;
}

static LyraStatus solve_main(SparseSystem *s, const LyraVector *b, double tolerance, bool warm,
                             LyraVector *x, LyraSolveReport *report)
{
    LY_TRY(follow_constraints(s));
    if (!s->main.constrained && has_constraints(s)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "system sparse: the first constraint came after form: form again");
    }
    LY_TRY(solve(s, &s->main, tolerance > 0 ? tolerance : s->tolerance, b, warm, x, report));
    return ly_remembered_note(&s->remembered, &s->tangent, s->main.solver);
}

static LyraStatus sparse_solve(void *self, const LyraVector *b, double tolerance, LyraVector *x,
                               LyraSolveReport *report)
{
    return solve_main(self, b, tolerance, false, x, report);
}

static LyraStatus sparse_solve_from(void *self, const LyraVector *b, double tolerance,
                                    LyraVector *x, LyraSolveReport *report)
{
    return solve_main(self, b, tolerance, true, x, report);
}

static void sparse_apply(void *self, const LyraVector *x, LyraVector *y)
{
    SparseSystem *s = self;
    const int32_t *order = lyra_assembly_order(s->tangent.model->assembly);
    int32_t n = s->tangent.model->vertex_count;
    ly_vector_sort(s->ctx, n, order, lyra_vector_values(x), s->x);
    lyra_block_matrix_multiply(s->main.matrix, s->x, s->b);
    ly_vector_unsort(s->ctx, n, order, s->b, lyra_vector_values_mutable(y));
}

static void sparse_apply_mass(void *self, const LyraVector *x, LyraVector *y)
{
    ly_mass_apply(((SparseSystem *)self)->tangent.model, lyra_vector_values(x),
                  lyra_vector_values_mutable(y));
}

static void sparse_apply_damping(void *self, const LyraVector *x, LyraVector *y)
{
    ly_tangent_apply(&((SparseSystem *)self)->tangent, 0, 1, 0, lyra_vector_values(x),
                     lyra_vector_values_mutable(y));
}

static void sparse_apply_stiffness(void *self, const LyraVector *x, LyraVector *y)
{
    ly_tangent_apply(&((SparseSystem *)self)->tangent, 0, 0, 1, lyra_vector_values(x),
                     lyra_vector_values_mutable(y));
}

// ---- memory -------------------------------------------------------------------------------------

static int64_t sparse_memory_count(const void *self)
{
    const SparseSystem *s = self;
    return ly_remembered_count(&s->remembered, &s->tangent, s->main.solver);
}

static void sparse_remember(void *self, double *block)
{
    SparseSystem *s = self;
    ly_remembered_write(&s->remembered, &s->tangent, s->main.solver, block);
}

static bool sparse_remembers(void *self, const double *block, int64_t count)
{
    SparseSystem *s = self;
    return ly_remembered_is_same(&s->remembered, &s->tangent, s->main.solver, block, count);
}

// the matrix that was factored when the block was written, and its factor
static LyraStatus sparse_recall(void *self, const double *block, int64_t count)
{
    SparseSystem *s = self;
    LyraOperator A = lyra_operator_block(s->main.matrix, false);
    bool placed = false, has = count >= LY_REMEMBERED_HEAD;
    s->remembered.serial = 0;
    LY_TRY(follow_constraints(s));
    if (has) {
        LY_TRY(ly_remembered_place(&s->remembered, &s->tangent, block, count, &placed));
        LY_TRY(analyze(s, &s->main, &A));
    }
    if (placed) {
        const double *factors = s->remembered.factors;
        ly_tangent_combine(&s->tangent, factors[0], factors[1], factors[2], s->main.matrix);
    }
    LY_TRY(ly_solver_recall(s->main.solver, has ? block : NULL, placed ? &A : NULL));
    LY_TRY(ly_remembered_note(&s->remembered, &s->tangent, s->main.solver));
    // the damping is frozen anew where the step begins
    s->tangent.damping = -1;
    return LYRA_OK;
}

// ---- masses -------------------------------------------------------------------------------------

static LyraStatus factor_mass(SparseSystem *s)
{
    const LyraModel *model = s->tangent.model;
    LY_TRY(follow_constraints(s));
    if (s->mass_factored && s->mass_version == model->mass_version &&
        s->mass_constraints == s->followed.version) {
        return LYRA_OK;
    }
    s->mass_factored = false;
    if (!s->mass.matrix) {
        LY_TRY(lyra_block_matrix_create(lyra_assembly_pattern(model->assembly), &s->mass.matrix));
    }
    if (!s->mass.solver) {
        LyraSolverDef def = lyra_solver_def_default();
        def.task = LYRA_SOLVER_MANY;
        def.tolerance = LY_MASS_TOLERANCE;
        LY_TRY(lyra_solver_create(s->ctx, &def, &s->mass.solver));
    }
    ly_tangent_combine(&s->tangent, 1, 0, 0, s->mass.matrix);
    LY_TRY(factor(s, &s->mass));
    s->mass_factored = true;
    s->mass_version = model->mass_version;
    s->mass_constraints = s->followed.version;
    return LYRA_OK;
}

static LyraStatus sparse_solve_mass(void *self, const LyraVector *b, LyraVector *x)
{
    SparseSystem *s = self;
    const LyraModel *model = s->tangent.model;
    LY_TRY(ly_mass_check(model));
    if (!model->mass.consistent) {
        ly_mass_divide(model, lyra_vector_values(b), lyra_vector_values_mutable(x));
        return LYRA_OK;
    }
    if (ly_mass_solver_serves(model)) {
        return ly_mass_solver_solve(&s->masses, model, lyra_vector_values(b),
                                    lyra_vector_values_mutable(x));
    }
    LyraSolveReport report;
    LY_TRY(factor_mass(s));
    return solve(s, &s->mass, LY_MASS_TOLERANCE, b, false, x, &report);
}

// ---- life ---------------------------------------------------------------------------------------

static void sparse_destroy(void *self)
{
    SparseSystem *s = self;
    Solving *all[2] = {&s->main, &s->mass};
    for (int32_t i = 0; i < 2; ++i) {
        lyra_solver_destroy(all[i]->solver);
        lyra_block_matrix_destroy(all[i]->matrix);
    }
    ly_mass_solver_destroy(&s->masses);
    ly_remembered_destroy(s->ctx, &s->remembered);
    ly_followed_destroy(&s->followed);
    ly_tangent_destroy(&s->tangent);
    ly_release(s->ctx, s->positions);
    ly_release(s->ctx, s->b);
    ly_release(s->ctx, s->x);
    ly_release(s->ctx, s);
}

static const LyraSystemType sparse_type = {
    .name = "sparse",
    .size = sparse_size,
    .traits = sparse_traits,
    .history_count = sparse_history_count,
    .constraints = sparse_constraints,
    .prescribe = sparse_prescribe,
    .evaluate = sparse_evaluate,
    .update_damping = sparse_update_damping,
    .linearise = sparse_linearise,
    .form = sparse_form,
    .form_again = sparse_form_again,
    .apply = sparse_apply,
    .apply_mass = sparse_apply_mass,
    .apply_damping = sparse_apply_damping,
    .apply_stiffness = sparse_apply_stiffness,
    .solve = sparse_solve,
    .solve_from = sparse_solve_from,
    .solve_mass = sparse_solve_mass,
    .memory_count = sparse_memory_count,
    .remember = sparse_remember,
    .remembers = sparse_remembers,
    .recall = sparse_recall,
    .det_f = sparse_det_f,
    .extent = sparse_extent,
    .lengths = sparse_lengths,
    .fingerprint = sparse_fingerprint,
    .rest = sparse_rest,
    .destroy = sparse_destroy,
};

static LyraStatus fill(SparseSystem *s, LyraModel *model, const LyraSolverDef *wanted)
{
    LyraContext *ctx = s->ctx;
    LyraSolverDef def = wanted ? *wanted : lyra_solver_def_default();
    LY_TRY(ly_tangent_create(ctx, model, &s->tangent));
    int32_t n = model->vertex_count, size = s->tangent.size;
    LY_TRY(ly_allocate_array(ctx, size, sizeof(double), &s->positions));
    LY_TRY(ly_allocate_zeroed(ctx, size, sizeof(double), &s->b));
    LY_TRY(ly_allocate_zeroed(ctx, size, sizeof(double), &s->x));
    LY_TRY(ly_followed_create(ctx, n, &s->followed));
    LY_TRY(lyra_block_matrix_create(lyra_assembly_pattern(model->assembly), &s->main.matrix));
    lyra_permutation_apply(n, lyra_assembly_order(model->assembly), 3,
                           def.positions ? def.positions : model->positions, s->positions);
    // counted from the middle, so that a body far away is the same to the solver
    for (int32_t i = 0; i < size; ++i) {
        s->positions[i] -= model->assembly->middle[i % 3];
    }
    def.positions = s->positions;
    def.labels = lyra_assembly_order(model->assembly);
    s->tolerance = def.tolerance;
    return lyra_solver_create(ctx, &def, &s->main.solver);
}

LyraStatus lyra_system_create_sparse(LyraContext *ctx, LyraModel *model,
                                     const LyraSolverDef *solver, LyraSystem **out)
{
    LYRA_ASSERT(ctx && model && out);
    if (solver) {
        LY_CHECK_DEF(solver, "lyra_solver_def_default");
    }
    SparseSystem *s = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *s, &s));
    s->ctx = s->tangent.ctx = s->followed.ctx = s->masses.ctx = ctx;
    LyraStatus status = fill(s, model, solver);
    if (status == LYRA_OK) {
        status = lyra_system_create(ctx, &sparse_type, s, out);
    }
    if (status != LYRA_OK) {
        sparse_destroy(s);
    }
    return status;
}
