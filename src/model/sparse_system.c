// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sparse systems: the matrices of a model on the pattern of its assembly, in the internal order of
// vertices, and a linear solver. Vectors come and go in the caller's order, so solves and products
// permute into scratch and back. Constraints are the model's, with their vertices renamed when they
// change. They hold at zero here: an integrator looks for corrections, in the range of P.

#include "lyra/system.h"

#include "force/force.h"
#include "lyra/reorder.h"
#include "model/history.h"
#include "model/mass_solve.h"
#include "model/remembered.h"
#include "model/state.h"
#include "model/system.h"
#include "model/tangent.h"
#include "model/whole.h"
#include "solve/outer.h"
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
    LyraBlockPattern *wide;  // of S where changing groups have blocks that the model's lacks
    uint64_t wide_key;       // of the pairs that a step began with; 0: others have come since
    int64_t rebuilds;        // of the pattern of S
    bool relearn;            // the next analysis is of a new pattern: `learnt` still holds
    double learnt[LYRA_SOLVER_MEMORY];
    Solving main, mass;  // S, and M where it is consistent and directions are slanted
    LyMassSolver masses; // and where they are not
    LyOuter outer;       // where a part of the matrix stands beside S
    LyWhole whole;       // the same as one matrix: for solvers of such, or where S does not do
    bool as_whole;       // at once
    bool factored, whole_formed; // S, and the whole, since the last form
    double tolerance;            // the solver's own
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

static LyraStatus sparse_init_state(void *self, LyraState *state)
{
    return ly_tangent_init_state(&((SparseSystem *)self)->tangent, state);
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
    SparseSystem *s = self;
    LY_TRY(ly_remembered_damping(&s->remembered, &s->tangent, at));
    return ly_tangent_update_damping(&s->tangent, at);
}

static void sparse_thaw_damping(void *self)
{
    ly_tangent_thaw_damping(&((SparseSystem *)self)->tangent);
}

static LyraStatus sparse_linearise(void *self, const LyraPoint *at, bool psd)
{
    SparseSystem *s = self;
    LY_TRY(ly_remembered_linearise(&s->remembered, &s->tangent, at, psd));
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
    return ly_followed_update(&s->followed, model->constraints, model->order);
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
        if (solving == &s->main && s->relearn) {
            s->relearn = false;
            LY_TRY(ly_solver_recall(solving->solver, s->learnt, NULL));
        }
    }
    return LYRA_OK;
}

// S and what stands beside as one matrix, if it is not there yet
static LyraStatus form_whole(SparseSystem *s)
{
    if (!s->whole_formed) {
        LY_TRY(ly_whole_form(&s->whole, &s->tangent, s->main.matrix,
                             has_constraints(s) ? s->followed.constraints : NULL));
        s->whole_formed = true;
    }
    return LYRA_OK;
}

static const LyraBlockPattern *pattern_of(const SparseSystem *s)
{
    return s->wide ? s->wide : s->tangent.model->pattern;
}

// a pattern with the rows of `base` and all pairs of changing groups that it lacks, `missing`
static LyraStatus widen(SparseSystem *s, const LyraBlockPattern *base, int64_t missing,
                        LyraBlockPattern **out)
{
    LyraBlockPatternView view = lyra_block_pattern_view(base);
    int32_t *pairs = NULL;
    int64_t count = missing;
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_allocate_array(s->ctx, 2 * (view.block_count + missing), sizeof *pairs, &pairs));
    (void)ly_changings_missing(&s->tangent.changing, base, pairs, NULL);
    for (int32_t row = 0; row < view.row_count; ++row) {
        for (int64_t k = view.row_start[row]; k < view.row_start[row + 1]; ++k) {
            if (view.column[k] != row) {
                pairs[2 * count] = row;
                pairs[2 * count++ + 1] = view.column[k];
            }
        }
    }
    const LyraStencils stencils = {.nodes = 2, .count = count, .ids = pairs};
    LY_TRY_DONE(lyra_block_pattern_create(s->ctx, view.row_count, view.storage, 1, &stencils, out));
done:
    ly_release(s->ctx, pairs);
    return status;
}

// S on another pattern, `wide` or the model's; what the solver has learnt stays
static LyraStatus change_pattern(SparseSystem *s, LyraBlockPattern *wide, uint64_t key)
{
    LyraBlockMatrix *matrix = NULL;
    LyraStatus status = lyra_block_matrix_create(wide ? wide : s->tangent.model->pattern, &matrix);
    if (status != LYRA_OK) {
        lyra_block_pattern_destroy(wide);
        return status;
    }
    // not where it has learnt nothing yet
    s->relearn = s->main.analyzed && ly_solver_remember(s->main.solver, s->learnt);
    lyra_block_matrix_destroy(s->main.matrix);
    lyra_block_pattern_destroy(s->wide);
    s->wide = wide;
    s->wide_key = key;
    s->main.matrix = matrix;
    s->main.analyzed = s->factored = s->whole_formed = false;
    ly_whole_forget_pattern(&s->whole);
    ++s->rebuilds;
    return LYRA_OK;
}

// The pattern at the begin of a step: that of the model and the blocks of its stencils now,
// whatever it was before, so that a run that is restarted here goes on with the same bits.
static LyraStatus reset_pattern(SparseSystem *s)
{
    const LyraModel *model = s->tangent.model;
    LyraBlockPattern *wide = NULL;
    uint64_t key = LY_CHECKSUM_START;
    int64_t missing = ly_changings_missing(&s->tangent.changing, model->pattern, NULL, &key);
    if (missing == 0) {
        return s->wide ? change_pattern(s, NULL, 0) : LYRA_OK;
    }
    if (s->wide && s->wide_key == key) {
        return LYRA_OK;
    }
    LY_TRY(widen(s, model->pattern, missing, &wide));
    return change_pattern(s, wide, key);
}

// ... and inside of it: it only grows
static LyraStatus grow_pattern(SparseSystem *s)
{
    LyraBlockPattern *wide = NULL;
    int64_t missing = ly_changings_missing(&s->tangent.changing, pattern_of(s), NULL, NULL);
    if (missing == 0) {
        return LYRA_OK;
    }
    LY_TRY(widen(s, pattern_of(s), missing, &wide));
    return change_pattern(s, wide, 0);
}

static LyraStatus factor(SparseSystem *s, Solving *solving)
{
    LyraOperator A = lyra_operator_block(solving->matrix, false);
    LY_TRY(analyze(s, solving, &A));
    return lyra_solver_factor(solving->solver, &A);
}

// y = S x and what stands beside, in the internal order
static void apply_whole(void *self, const double *x, double *y)
{
    SparseSystem *s = self;
    lyra_block_matrix_multiply(s->main.matrix, x, y);
    ly_tangent_add_beside(&s->tangent, x, y);
}

static bool can_retry(LyraStatus status)
{
    return status == LYRA_NOT_POSITIVE_DEFINITE || status == LYRA_SINGULAR ||
           status == LYRA_NOT_CONVERGED || status == LYRA_NOT_FINITE;
}

// Solves with S and what stands beside, from s->b into s->x. S is a good preconditioner while what
// stands beside is small; where it is not, or S alone is not definite, the whole matrix serves.
static LyraStatus solve_beside(SparseSystem *s, double tolerance, bool warm,
                               LyraSolveReport *report)
{
    if (!s->as_whole && s->factored) {
        LyraStatus status =
            ly_outer_solve(&s->outer, has_constraints(s) ? s->followed.constraints : NULL,
                           tolerance, s->b, warm, s->x, report);
        if (!can_retry(status)) {
            return status;
        }
    }
    LY_TRY(form_whole(s));
    return ly_whole_solve(&s->whole, tolerance, s->b, warm && s->as_whole, s->x, report);
}

// `warm`: from x
static LyraStatus solve(SparseSystem *s, Solving *solving, double tolerance, const LyraVector *b,
                        bool warm, LyraVector *x, LyraSolveReport *report)
{
    const int32_t *order = s->tangent.model->order;
    int32_t n = s->tangent.model->vertex_count;
    bool beside = s->tangent.model->beside && solving == &s->main;
    if (!beside && solving->tolerance != tolerance) {
        LY_TRY(lyra_solver_set_tolerance(solving->solver, tolerance));
        solving->tolerance = tolerance;
    }
    ly_vector_sort(s->ctx, n, order, lyra_vector_values(b), s->b);
    if (warm) {
        ly_vector_sort(s->ctx, n, order, lyra_vector_values(x), s->x);
    }
    LY_TRY(beside ? solve_beside(s, tolerance, warm, report)
                  : lyra_solver_solve(solving->solver, s->b, warm, s->x, report));
    ly_vector_unsort(s->ctx, n, order, s->x, lyra_vector_values_mutable(x));
    return LYRA_OK;
}

static LyraStatus sparse_form(void *self, double a, double b, double c)
{
    SparseSystem *s = self;
    const double factors[3] = {a, b, c};
    LY_TRY(follow_constraints(s));
    memcpy(s->remembered.factors, factors, sizeof factors);
    LY_TRY(grow_pattern(s));
    LY_TRY(ly_tangent_combine(&s->tangent, a, b, c, s->main.matrix));
    ly_tangent_form_beside(&s->tangent, b, c);
    if (ly_remembered_is_old(&s->remembered, &s->tangent)) {
        ly_solver_renew(s->main.solver);
    }
    s->whole_formed = false;
    if (s->as_whole) {
        return form_whole(s);
    }
    LyraStatus status = factor(s, &s->main);
    s->factored = status == LYRA_OK;
    if (s->tangent.model->beside && can_retry(status)) {
        return form_whole(s);
    }
    LY_TRY(status);
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
    if (!s->main.constrained && !s->as_whole && has_constraints(s)) {
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
    const int32_t *order = s->tangent.model->order;
    int32_t n = s->tangent.model->vertex_count;
    ly_vector_sort(s->ctx, n, order, lyra_vector_values(x), s->x);
    apply_whole(s, s->x, s->b);
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

// ---- the life of a step ------------------------------------------------------------------------

// stencils of changing groups, and the pattern of S, as they are where a step begins
static LyraStatus begin_stencils(SparseSystem *s, const LyraState *state, double dt)
{
    LyraStateView view = lyra_state_view(state);
    const LyraPoint at = {
        .time = view.time, .dt = dt, .u = view.u, .v = view.v, .committed = state};
    bool changed = false;
    if (s->tangent.changing.count == 0) {
        return LYRA_OK;
    }
    LY_TRY(ly_changings_update(&s->tangent.changing, LYRA_UPDATE_STEP, &at, &changed));
    return reset_pattern(s);
}

static uint32_t sparse_hooks(const void *self)
{
    const SparseSystem *s = self;
    const LyraModel *model = s->tangent.model;
    return (s->tangent.changing.count > 0 ? LYRA_HOOK_STEP | LYRA_HOOK_ITERATION : 0u) |
           (model->stepper_count > 0 ? LYRA_HOOK_STEP : 0u) |
           (model->bounded ? LYRA_HOOK_BOUND : 0u);
}

static LyraStatus sparse_begin_step(void *self, LyraState *state, double dt)
{
    // stencils see what steppers make of the state
    LY_TRY(ly_tangent_begin_step(&((SparseSystem *)self)->tangent, state, dt));
    return begin_stencils(self, state, dt);
}

static LyraStatus sparse_begin_iteration(void *self, const LyraPoint *at, bool *changed)
{
    LyraUpdateMoment moment = at->moment ? at->moment : LYRA_UPDATE_ITERATION;
    return ly_changings_update(&((SparseSystem *)self)->tangent.changing, moment, at, changed);
}

static LyraStatus sparse_commit(void *self, LyraState *state)
{
    return ly_tangent_commit(&((SparseSystem *)self)->tangent, state);
}

static LyraStatus sparse_step_bound(void *self, const LyraVector *u, const LyraVector *d,
                                    double *bound)
{
    *bound = ly_changings_bound(&((SparseSystem *)self)->tangent.changing, lyra_vector_values(u),
                                lyra_vector_values(d));
    return LYRA_OK;
}

// ---- memory -------------------------------------------------------------------------------------

#define MEMORY_VERSION 1

// the block of a state; its count is 0 where there is none
static LyraStateBlock find_memory(const LyraState *state)
{
    LyraStateBlock block;
    bool found = lyra_state_find_block(state, LY_SOLVER_BLOCK, LYRA_STATE_METHOD, &block) &&
                 block.version == MEMORY_VERSION && block.type == LYRA_STATE_DOUBLE;
    return found ? block : (LyraStateBlock){0};
}

static LyraStatus sparse_remember(void *self, LyraState *state)
{
    SparseSystem *s = self;
    int64_t count = ly_remembered_count(&s->remembered, &s->tangent, s->main.solver);
    if (count == 0 && find_memory(state).count == 0) {
        return LYRA_OK;
    }
    const LyraStateBlockDef def = {
        .name = LY_SOLVER_BLOCK, .version = MEMORY_VERSION, .count = count};
    void *block = NULL;
    bool fresh = false;
    LY_TRY(lyra_state_block(state, &def, &block, &fresh));
    if (count > 0) {
        ly_remembered_write(&s->remembered, &s->tangent, s->main.solver, block);
    }
    return LYRA_OK;
}

// the matrix that was factored when the block was written, and its factor
static LyraStatus sparse_recall(void *self, const LyraState *state, bool *changed)
{
    SparseSystem *s = self;
    LyraStateBlock memory = find_memory(state);
    const double *block = memory.values;
    int64_t count = memory.count;
    *changed = !ly_remembered_is_same(&s->remembered, &s->tangent, s->main.solver, block, count);
    if (!*changed) {
        return LYRA_OK;
    }
    bool placed = false, has = count >= LY_REMEMBERED_HEAD;
    s->remembered.serial = 0;
    LY_TRY(follow_constraints(s));
    // stencils are those with which the state went on
    LY_TRY(begin_stencils(s, state, 0));
    s->relearn = false;
    LyraOperator A = lyra_operator_block(s->main.matrix, false);
    if (has) {
        LY_TRY(ly_remembered_place(&s->remembered, &s->tangent, block, count, &placed));
        LY_TRY(analyze(s, &s->main, &A));
    }
    if (placed) {
        const double *factors = s->remembered.factors;
        LY_TRY(ly_tangent_combine(&s->tangent, factors[0], factors[1], factors[2], s->main.matrix));
        ly_tangent_form_beside(&s->tangent, factors[1], factors[2]);
    }
    LY_TRY(ly_solver_recall(s->main.solver, has ? block : NULL, placed ? &A : NULL));
    LY_TRY(ly_remembered_note(&s->remembered, &s->tangent, s->main.solver));
    // the damping is frozen anew where the step begins
    ly_tangent_thaw_damping(&s->tangent);
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
        LY_TRY(lyra_block_matrix_create(model->pattern, &s->mass.matrix));
    }
    if (!s->mass.solver) {
        LyraSolverDef def = lyra_solver_def_default();
        def.task = LYRA_SOLVER_MANY;
        def.tolerance = LY_MASS_TOLERANCE;
        LY_TRY(lyra_solver_create(s->ctx, &def, &s->mass.solver));
    }
    ly_tangent_combine_fixed(&s->tangent, 1, 0, 0, s->mass.matrix);
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
    lyra_block_pattern_destroy(s->wide);
    ly_outer_destroy(&s->outer);
    ly_whole_destroy(&s->whole);
    ly_mass_solver_destroy(&s->masses);
    ly_remembered_destroy(s->ctx, s->tangent.model, &s->remembered);
    ly_followed_destroy(&s->followed);
    ly_tangent_destroy(&s->tangent);
    ly_release(s->ctx, s->positions);
    ly_release(s->ctx, s);
}

static double sparse_lost(void *self, const LyraState *state, double *plastic)
{
    return ly_history_lost(((SparseSystem *)self)->tangent.model, state, plastic);
}

static uint64_t sparse_material_digest(void *self)
{
    return ly_tangent_material_digest(&((SparseSystem *)self)->tangent);
}

static const LyraSolidDiagnostics sparse_solid = {
    .det_f = sparse_det_f,
    .rest = sparse_rest,
};

static const LyraSystemType sparse_type = {
    .name = "sparse",
    .size = sparse_size,
    .traits = sparse_traits,
    .init_state = sparse_init_state,
    .lost = sparse_lost,
    .material_digest = sparse_material_digest,
    .constraints = sparse_constraints,
    .prescribe = sparse_prescribe,
    .evaluate = sparse_evaluate,
    .update_damping = sparse_update_damping,
    .thaw_damping = sparse_thaw_damping,
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
    .remember = sparse_remember,
    .recall = sparse_recall,
    .solid = &sparse_solid,
    .extent = sparse_extent,
    .lengths = sparse_lengths,
    .fingerprint = sparse_fingerprint,
    .hooks = sparse_hooks,
    .begin_step = sparse_begin_step,
    .begin_iteration = sparse_begin_iteration,
    .commit = sparse_commit,
    .step_bound = sparse_step_bound,
    .destroy = sparse_destroy,
};

// The whole matrix serves at once in statics, where loads that follow are as large as what resists
// them, and where the solver that was asked for solves such matrices.
static LyraStatus make_whole(SparseSystem *s, LyraSolverDef def)
{
    const LyraSolverType *type = NULL;
    bool named = false;
    if (!s->tangent.model->beside) {
        return LYRA_OK;
    }
    if (strcmp(def.name, "auto") != 0) {
        LY_TRY(ly_solver_find(s->ctx, def.name, &type));
        named = type->traits & LYRA_SOLVES_UNSYMMETRIC;
    }
    s->as_whole = named || def.task == LYRA_SOLVER_STATICS;
    if (!named) {
        def.name = def.preconditioner = "auto";
    }
    return lyra_solver_create(s->ctx, &def, &s->whole.solver);
}

static LyraStatus fill(SparseSystem *s, LyraModel *model, const LyraSolverDef *wanted)
{
    LyraContext *ctx = s->ctx;
    LyraSolverDef def = wanted ? *wanted : lyra_solver_def_default();
    LY_TRY(ly_tangent_create(ctx, model, &s->tangent));
    int32_t n = model->vertex_count, size = s->tangent.size;
    LY_TRY(ly_allocate_array(ctx, size, sizeof(double), &s->positions));
    // no force is evaluated while the system solves
    s->b = s->tangent.f;
    s->x = s->tangent.Dv;
    LY_TRY(ly_followed_create(ctx, n, &s->followed));
    LY_TRY(lyra_block_matrix_create(model->pattern, &s->main.matrix));
    lyra_permutation_apply(n, model->order, 3, def.positions ? def.positions : model->positions,
                           s->positions);
    // counted from the middle, so that a body far away is the same to the solver
    for (int32_t i = 0; i < size; ++i) {
        s->positions[i] -= model->middle[i % 3];
    }
    def.positions = s->positions;
    def.labels = model->order;
    s->tolerance = def.tolerance;
    LY_TRY(lyra_solver_create(ctx, &def, &s->main.solver));
    LY_TRY(make_whole(s, def));
    s->outer.size = size;
    s->outer.inner = s->main.solver;
    s->outer.apply = apply_whole;
    s->outer.user = s;
    return LYRA_OK;
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
    s->outer.ctx = s->whole.ctx = ctx;
    LyraStatus status = fill(s, model, solver);
    if (status == LYRA_OK) {
        status = lyra_system_create(ctx, &sparse_type, s, out);
    }
    if (status != LYRA_OK) {
        sparse_destroy(s);
    }
    return status;
}
