// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The front end of all solvers. It checks, keeps times and memory, and turns a system with
// constraints into one that a type of solver understands.
//
// With P = I - N N^T and prescribed values v, x = y + c where c = N v and y = P x. The system
// P A x = P b becomes
//
//   P A P y = P (b - A c),
//
// with homogeneous constraints only. A type that filters solves this as it stands; for the others
// the matrix is changed (eliminated.c) or a factor of the whole matrix corrected (low_rank.c). What
// comes out is projected once more, so that constraints hold to the last bit, and judged by its
// true residual |P (b - A x)| / |P (b - A c)|.
//
// A direct solver has no tolerance, so its residual shows how much a matrix has lost to rounding:
// above REFINE the answer is corrected with the residual as right-hand side, and above REFUSE it
// is no answer, whatever the factor said.
//
// Where there are many scalar nodes, all of this works on a packed matrix (packed.h).

#include "solve/front.h"
#include "solve/packed.h"

#include <math.h>
#include <string.h>

#define REFINE 1e-10
#define REFUSE 1e-3
#define REFINEMENTS_MAX 3

struct LyraSolver {
    LyraContext *ctx;
    LyraSolverDef def; // its strings are those below
    char *name, *preconditioner;
    bool chooses; // "auto"
    const LyraSolverType *type;
    void *self;

    // from analyze
    bool analyzed;
    LyraOperator pattern; // only its form, size and pattern are read
    const LyraConstraints *constraints;
    LyPacked packed; // where there is one, `pattern`, `constraints` and all else are of it
    const double *given_positions; // of the def, before that
    const int32_t *given_labels;
    LyraConstraintMethod method;
    LyEliminated eliminated;
    LyLowRank low_rank;
    double *positions;  // [size], NULL: unknown
    double *prescribed; // c, [size]
    double *carried;    // A c, [size]
    double *product;    // scratch, [size]

    // from factor
    bool factored;
    LyraOperator A;
    uint64_t version;      // of the constraints
    uint64_t held_version; // of constraints that are known to hold every part; 0: none

    // of a solve
    bool moved;      // c is not zero
    int32_t columns; // that those below have room for
    double *rhs;     // [columns][size]
    double *sought;  // y, [columns][size]
    double *refined; // for direct solvers, [columns][size]
    double *scale;   // |rhs|, [columns]
    LyraSolveReport report;
};

// ---- making -------------------------------------------------------------------------------------

LyraSolverDef lyra_solver_def_default(void)
{
    return (LyraSolverDef){
        .name = "auto",
        .preconditioner = "auto",
        .single = true,
        .tolerance = 1e-6,
        .restart = 50,
        .reuse_iterations = 30,
        .cookie = LY_DEF_COOKIE,
    };
}

static LyraStatus check_def(const LyraSolverDef *def, bool ours)
{
    static const char *const names[] = {"auto", "none", "jacobi", "block-jacobi",
                                        "ssor", "ic0",  "ilu0"};
    if (!def->name || !def->preconditioner) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "solver: the name of the %s is NULL",
                       def->name ? "preconditioner" : "solver");
    }
    bool known = !ours;
    for (int32_t k = 0; k < LY_COUNT_OF(names); ++k) {
        known |= strcmp(def->preconditioner, names[k]) == 0;
    }
    if (!known) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "solver: preconditioner \"%s\" is unknown; there are auto, none, jacobi, "
                       "block-jacobi, ssor, ic0 and ilu0",
                       def->preconditioner);
    }
    if (!(def->tolerance > 0.0 && def->tolerance < 1.0)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "solver: a tolerance of %g, expected in (0, 1)",
                       def->tolerance);
    }
    if (def->iterations_max < 0 || def->aggregate < 0 || def->restart < 1 ||
        def->reuse_iterations < 1) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "solver: iterations_max %d, aggregate %d, restart %d, reuse_iterations %d; "
                       "expected >= 0, >= 0, >= 1, >= 1",
                       (int)def->iterations_max, (int)def->aggregate, (int)def->restart,
                       (int)def->reuse_iterations);
    }
    if ((uint32_t)def->task > LYRA_SOLVER_MANY || (uint32_t)def->stop > LYRA_STOP_ENERGY ||
        (uint32_t)def->indefinite > LYRA_INDEFINITE_SHIFT ||
        (uint32_t)def->constrain > LYRA_CONSTRAIN_LOW_RANK) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "solver: task %d, stop %d, indefinite %d or constrain %d is unknown",
                       (int)def->task, (int)def->stop, (int)def->indefinite, (int)def->constrain);
    }
    return LYRA_OK;
}

static LyraStatus copy_string(LyraContext *ctx, const char *text, char **out)
{
    size_t bytes = strlen(text) + 1;
    LY_TRY(ly_allocate_array(ctx, (int64_t)bytes, 1, out));
    memcpy(*out, text, bytes);
    return LYRA_OK;
}

// `type`: NULL for "auto", whose type analyze makes
static LyraStatus create(LyraContext *ctx, const LyraSolverType *type, const LyraSolverDef *def,
                         LyraSolver **out)
{
    LyraStatus status = LYRA_OK;
    LyraSolver *solver = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *solver, &solver));
    solver->ctx = ctx;
    solver->def = *def;
    solver->given_positions = def->positions;
    solver->given_labels = def->labels;
    solver->chooses = type == NULL;
    LY_TRY_DONE(copy_string(ctx, def->name, &solver->name));
    LY_TRY_DONE(copy_string(ctx, def->preconditioner, &solver->preconditioner));
    solver->def.name = solver->name;
    solver->def.preconditioner = solver->preconditioner;
    if (type) {
        LY_TRY_DONE(type->create(ctx, &solver->def, &solver->self));
        solver->type = type;
    }
    solver->report = (LyraSolveReport){.solver = type ? type->name : "auto", .preconditioner = ""};
    *out = solver;
    return LYRA_OK;
done:
    lyra_solver_destroy(solver);
    return status;
}

LyraStatus lyra_solver_create(LyraContext *ctx, const LyraSolverDef *def, LyraSolver **out)
{
    LYRA_ASSERT(ctx && def && out);
    LY_CHECK_DEF(def, "lyra_solver_def_default");
    LY_TRY(check_def(def, true));
    const LyraSolverType *type = NULL;
    if (strcmp(def->name, "auto") != 0) {
        LY_TRY(ly_solver_find(ctx, def->name, &type));
    }
    return create(ctx, type, def, out);
}

LyraStatus ly_solver_type_check(const LyraSolverType *type)
{
    bool whole = type->name && type->create && type->analyze && type->factor && type->solve &&
                 type->bytes && type->destroy &&
                 (!type->remember || (type->kept && type->renew && type->hold && type->recall));
    return whole ? LYRA_OK
                 : ly_fail(LYRA_INVALID_ARGUMENT, "solver: type \"%s\" lacks a function",
                           type->name ? type->name : "");
}

LyraStatus lyra_solver_create_type(LyraContext *ctx, const LyraSolverType *type,
                                   const LyraSolverDef *def, LyraSolver **out)
{
    LYRA_ASSERT(ctx && type && def && out);
    LY_CHECK_DEF(def, "lyra_solver_def_default");
    LY_TRY(check_def(def, false));
    LY_TRY(ly_solver_type_check(type));
    return create(ctx, type, def, out);
}

// drops what analyze made
static void forget(LyraSolver *solver)
{
    LyraContext *ctx = solver->ctx;
    ly_packed_destroy(&solver->packed);
    ly_eliminated_destroy(&solver->eliminated);
    ly_low_rank_destroy(&solver->low_rank);
    ly_release(ctx, solver->positions);
    ly_release(ctx, solver->prescribed);
    ly_release(ctx, solver->carried);
    ly_release(ctx, solver->product);
    ly_release(ctx, solver->rhs);
    ly_release(ctx, solver->sought);
    ly_release(ctx, solver->refined);
    ly_release(ctx, solver->scale);
    solver->positions = solver->prescribed = solver->carried = solver->product = NULL;
    solver->rhs = solver->sought = solver->refined = solver->scale = NULL;
    solver->columns = 0;
    solver->constraints = NULL;
    solver->method = LYRA_CONSTRAIN_AUTO;
    solver->analyzed = solver->factored = false;
    solver->held_version = 0;
}

static void drop_type(LyraSolver *solver)
{
    if (solver->type) {
        solver->type->destroy(solver->self);
        solver->type = NULL;
        solver->self = NULL;
    }
}

void lyra_solver_destroy(LyraSolver *solver)
{
    if (solver) {
        LyraContext *ctx = solver->ctx;
        drop_type(solver);
        forget(solver);
        ly_release(ctx, solver->name);
        ly_release(ctx, solver->preconditioner);
        ly_release(ctx, solver);
    }
}

// ---- analyze ------------------------------------------------------------------------------------

static LyraStatus check_operator(const LyraOperator *A)
{
    bool given = (A->kind == LYRA_OPERATOR_BLOCK && A->block) ||
                 (A->kind == LYRA_OPERATOR_CSR && A->csr) ||
                 (A->kind == LYRA_OPERATOR_DENSE && (A->dense || A->size == 0)) ||
                 (A->kind == LYRA_OPERATOR_CALLBACK && A->apply);
    if (!given) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "solver: an operator of kind %d without its matrix",
                       (int)A->kind);
    }
    if (A->size < 0) {
        return ly_fail(A->kind == LYRA_OPERATOR_BLOCK ? LYRA_TOO_LARGE : LYRA_INVALID_ARGUMENT,
                       "solver: an operator of %s unknowns",
                       A->kind == LYRA_OPERATOR_BLOCK ? "more than 2^31 - 1"
                                                      : "a negative number of");
    }
    int64_t rows = A->size;
    if (A->kind == LYRA_OPERATOR_CSR) {
        LyraCsrPatternView view = lyra_csr_pattern_view(lyra_csr_matrix_pattern(A->csr));
        if (view.row_count != view.column_count) {
            return ly_fail(LYRA_INVALID_ARGUMENT, "solver: a matrix of %d rows and %d columns",
                           (int)view.row_count, (int)view.column_count);
        }
        rows = view.row_count;
    } else if (A->kind == LYRA_OPERATOR_BLOCK) {
        rows = 3 * (int64_t)lyra_block_pattern_view(lyra_block_matrix_pattern(A->block)).row_count;
    }
    if (rows != A->size) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "solver: an operator of %d unknowns on a matrix of %lld rows", (int)A->size,
                       (long long)rows);
    }
    return LYRA_OK;
}

// whether the type can take A at all
static LyraStatus check_suits(const LyraSolver *solver, const LyraOperator *A)
{
    static const char *const kinds[] = {"block", "scalar sparse", "dense", "callback"};
    uint32_t form = 1u << A->kind, traits = solver->type->traits;
    uint32_t unsymmetric = A->symmetric ? 0 : LYRA_SOLVES_UNSYMMETRIC;
    char list[256];
    if (!(traits & form)) {
        ly_solver_list(form | unsymmetric, sizeof list, list);
        return ly_fail(LYRA_UNSUPPORTED, "solver: %s takes no %s operators; %s would",
                       solver->type->name, kinds[A->kind], list);
    }
    if ((traits & unsymmetric) != unsymmetric) {
        ly_solver_list(form | unsymmetric, sizeof list, list);
        return ly_fail(LYRA_UNSUPPORTED,
                       "solver: %s is for symmetric matrices, and the operator is not known to be "
                       "one; %s takes any",
                       solver->type->name, list);
    }
    return LYRA_OK;
}

static LyraStatus choose_method(const LyraSolver *solver, const LyraOperator *A,
                                const LyraConstraints *constraints, LyraConstraintMethod *out)
{
    uint32_t traits = solver->type->traits;
    LyraConstraintMethod method = solver->def.constrain;
    *out = LYRA_CONSTRAIN_AUTO;
    if (!constraints) {
        return LYRA_OK;
    }
    if (constraints->size != A->size) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "solver: constraints over %d unknowns for an operator of %d",
                       (int)constraints->size, (int)A->size);
    }
    uint32_t needed = method == LYRA_CONSTRAIN_FILTER     ? LYRA_SOLVES_FILTERED
                      : method == LYRA_CONSTRAIN_LOW_RANK ? LYRA_SOLVES_DIRECTLY
                                                          : 0;
    if ((traits & needed) != needed) {
        char list[256];
        ly_solver_list(needed, sizeof list, list);
        return ly_fail(LYRA_UNSUPPORTED, "solver: %s can't take constraints by %s; %s can",
                       solver->type->name,
                       needed == LYRA_SOLVES_FILTERED ? "filtering" : "the low-rank form", list);
    }
    if (method == LYRA_CONSTRAIN_AUTO) {
        method = traits & LYRA_SOLVES_FILTERED ? LYRA_CONSTRAIN_FILTER : LYRA_CONSTRAIN_ELIMINATE;
    }
    *out = method;
    return LYRA_OK;
}

// statics looks for rigid motions by them later on
static LyraStatus copy_positions(LyraSolver *solver, int32_t size)
{
    if (!solver->def.positions || size % 3 != 0) {
        return LYRA_OK;
    }
    int64_t bad = ly_find_not_finite(solver->ctx, size, solver->def.positions);
    if (bad >= 0) {
        return ly_fail(
            LYRA_NOT_FINITE, "solver: position %lld of vertex %lld is %g", (long long)(bad % 3),
            (long long)ly_vertex_label(solver->def.labels, bad / 3), solver->def.positions[bad]);
    }
    if (solver->def.task == LYRA_SOLVER_STATICS) {
        LY_TRY(ly_allocate_array(solver->ctx, size, sizeof(double), &solver->positions));
        ly_vector_copy(solver->ctx, size, solver->def.positions, solver->positions);
    }
    return LYRA_OK;
}

// whether constraints are eliminated here, not by the type
static bool eliminates(const LyraSolver *solver)
{
    return solver->method == LYRA_CONSTRAIN_ELIMINATE &&
           !(solver->type->traits & LYRA_SOLVES_ELIMINATING);
}

// the type that serves, for "auto" by the rule
static LyraStatus settle_type(LyraSolver *solver, const LyraOperator *A,
                              const LyraConstraints *constraints)
{
    if (solver->chooses) {
        const LyraSolverType *type;
        LY_TRY(ly_solver_choose(solver->ctx, A, &solver->def, constraints, &type));
        drop_type(solver);
        LY_TRY(type->create(solver->ctx, &solver->def, &solver->self));
        solver->type = type;
    }
    solver->report = (LyraSolveReport){.solver = solver->type->name, .preconditioner = ""};
    return LYRA_OK;
}

static LyraStatus analyze(LyraSolver *solver, const LyraOperator *A,
                          const LyraConstraints *constraints)
{
    LyraContext *ctx = solver->ctx;
    LY_TRY(settle_type(solver, A, constraints));
    LY_TRY(check_suits(solver, A));
    LY_TRY(choose_method(solver, A, constraints, &solver->method));
    LY_TRY(copy_positions(solver, A->size));
    LY_TRY(ly_allocate_array(ctx, A->size, sizeof(double), &solver->prescribed));
    LY_TRY(ly_allocate_array(ctx, A->size, sizeof(double), &solver->carried));
    LY_TRY(ly_allocate_array(ctx, A->size, sizeof(double), &solver->product));
    const LyraOperator *seen = A;
    if (eliminates(solver)) {
        LY_TRY(ly_eliminated_create(ctx, A, constraints, &solver->eliminated));
        seen = &solver->eliminated.E;
    }
    if (solver->method == LYRA_CONSTRAIN_LOW_RANK) {
        ly_low_rank_create(ctx, A, &solver->low_rank);
    }
    if (A->size > 0) {
        bool own = solver->method == LYRA_CONSTRAIN_FILTER ||
                   (solver->method == LYRA_CONSTRAIN_ELIMINATE && !eliminates(solver));
        LY_TRY(solver->type->analyze(solver->self, seen, own ? constraints : NULL));
    }
    solver->pattern = *A;
    solver->constraints = constraints;
    solver->report.constrain = solver->method;
    return LYRA_OK;
}

// packs what has many scalar nodes, and tells the type, which may have been told before
static LyraStatus pack(LyraSolver *solver, const LyraOperator *A,
                       const LyraConstraints *constraints)
{
    // packed matrices always have labels of their own
    const int32_t *told = solver->def.labels;
    const LyraSolverType *type = solver->type;
    if (solver->chooses) {
        LY_TRY(ly_solver_choose(solver->ctx, A, &solver->def, constraints, &type));
    }
    // bands leave out what scalar nodes do not use, and would be wider
    if (!(type->traits & LYRA_SOLVES_ELIMINATING)) {
        LY_TRY(ly_packed_create(solver->ctx, A, constraints, solver->given_positions,
                                solver->given_labels, &solver->packed));
    }
    bool packed = solver->packed.ctx != NULL;
    solver->def.positions = packed ? solver->packed.positions : solver->given_positions;
    solver->def.labels = packed ? solver->packed.labels : solver->given_labels;
    if (solver->chooses || (!packed && told == solver->given_labels)) {
        return LYRA_OK;
    }
    void *self = NULL;
    LY_TRY(solver->type->create(solver->ctx, &solver->def, &self));
    solver->type->destroy(solver->self);
    solver->self = self;
    return LYRA_OK;
}

LyraStatus lyra_solver_analyze(LyraSolver *solver, const LyraOperator *A,
                               const LyraConstraints *constraints)
{
    LYRA_ASSERT(solver && A);
    LY_TRY(check_operator(A));
    double start = ly_time();
    forget(solver);
    LyraStatus status = pack(solver, A, constraints);
    bool packed = status == LYRA_OK && solver->packed.ctx;
    if (status == LYRA_OK) {
        status = analyze(solver, packed ? &solver->packed.A : A,
                         packed ? solver->packed.constraints : constraints);
    }
    if (status != LYRA_OK) {
        forget(solver);
        return status;
    }
    solver->analyzed = true;
    solver->report.analyze_seconds = ly_time() - start;
    return LYRA_OK;
}

// ---- factor -------------------------------------------------------------------------------------

static LyraStatus check_pattern(const LyraSolver *solver, const LyraOperator *A)
{
    if (!solver->analyzed) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "solver: factor before analyze");
    }
    const LyraOperator *pattern = &solver->pattern;
    bool same = A->kind == pattern->kind && A->size == pattern->size;
    if (same && A->kind == LYRA_OPERATOR_BLOCK) {
        same = lyra_block_matrix_pattern(A->block) == lyra_block_matrix_pattern(pattern->block);
    } else if (same && A->kind == LYRA_OPERATOR_CSR) {
        same = lyra_csr_matrix_pattern(A->csr) == lyra_csr_matrix_pattern(pattern->csr);
    }
    return same ? LYRA_OK
                : ly_fail(LYRA_INVALID_ARGUMENT,
                          "solver: the operator, of %d unknowns, is not on the analyzed pattern, "
                          "of %d",
                          (int)A->size, (int)pattern->size);
}

// what a factor that failed in low-rank form may be for want of
static LyraStatus explain_low_rank(LyraStatus status)
{
    bool numbers = status == LYRA_SINGULAR || status == LYRA_NOT_POSITIVE_DEFINITE;
    return numbers ? ly_fail_within(status, "the low-rank form of constraints needs a whole matrix "
                                            "with an inverse; elimination does not")
                   : status;
}

// whether statics is held; constraints that hold everything are asked only once
static LyraStatus check_statics(LyraSolver *solver)
{
    bool asked = solver->def.task == LYRA_SOLVER_STATICS && solver->positions &&
                 solver->A.kind == LYRA_OPERATOR_BLOCK;
    if (!asked || (solver->held_version != 0 && solver->held_version == solver->version)) {
        return LYRA_OK;
    }
    bool whole = solver->method == LYRA_CONSTRAIN_LOW_RANK, always = false;
    LyraStatus status = ly_check_held(solver->ctx, &solver->A, whole ? NULL : solver->constraints,
                                      solver->positions, solver->def.labels, &always);
    solver->held_version = status == LYRA_OK && always ? solver->version : 0;
    if (status == LYRA_SINGULAR) {
        solver->report.definiteness = LYRA_DEFINITENESS_SINGULAR;
    }
    return status;
}

static LyraStatus factor(LyraSolver *solver, const LyraOperator *A)
{
    LY_TRY(ly_operator_check_finite(solver->ctx, A, solver->def.labels));
    bool low_rank = solver->method == LYRA_CONSTRAIN_LOW_RANK;
    const LyraOperator *seen = &solver->A;
    if (eliminates(solver)) {
        LY_TRY(ly_eliminated_update(&solver->eliminated, A));
        seen = &solver->eliminated.E;
    }
    if (low_rank) {
        ly_low_rank_reset(&solver->low_rank);
    }
    LyraStatus status = check_statics(solver);
    if (status == LYRA_OK) {
        status = solver->type->factor(solver->self, seen, &solver->report);
    }
    return low_rank ? explain_low_rank(status) : status;
}

LyraStatus lyra_solver_factor(LyraSolver *solver, const LyraOperator *A)
{
    LYRA_ASSERT(solver && A);
    LY_TRY(check_operator(A));
    double start = ly_time();
    if (solver->packed.ctx) {
        LY_TRY(ly_packed_update(&solver->packed, A));
        solver->factored = false;
        LY_TRY(ly_packed_follow(&solver->packed));
        A = &solver->packed.A;
    }
    LY_TRY(check_pattern(solver, A));
    LY_TRY(check_suits(solver, A));
    solver->factored = false;
    solver->report.definiteness = LYRA_DEFINITENESS_UNKNOWN;
    solver->report.negative = 0;
    solver->report.shift = 0.0;
    solver->report.factor_entries = 0;
    solver->A = *A;
    solver->version = solver->constraints ? solver->constraints->version : 0;
    LyraStatus status = A->size > 0 ? factor(solver, A) : LYRA_OK;
    solver->factored = status == LYRA_OK;
    solver->report.factor_seconds = ly_time() - start;
    return status;
}

// ---- solve --------------------------------------------------------------------------------------

static LyraStatus check_solve(const LyraSolver *solver, int32_t columns, const double *B, bool warm,
                              const double *X)
{
    if (columns < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "solver: %d right-hand sides", (int)columns);
    }
    if (!solver->factored) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "solver: solve before a factor that succeeded");
    }
    if (solver->method == LYRA_CONSTRAIN_ELIMINATE &&
        solver->version != solver->constraints->version) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "solver: directions changed since factor, and they are eliminated from the "
                       "matrix; factor again, or let them be filtered or in low-rank form");
    }
    int32_t size = solver->A.size;
    for (int32_t pass = 0; pass < (warm ? 2 : 1); ++pass) {
        const double *values = pass == 0 ? B : X;
        int64_t bad = ly_find_not_finite(solver->ctx, (int64_t)columns * size, values);
        if (bad >= 0) {
            return ly_fail(LYRA_NOT_FINITE, "solver: %s %lld, at vertex %lld of column %lld, is %g",
                           pass == 0 ? "entry of the right-hand side" : "entry of the start",
                           (long long)ly_unknown_label(solver->def.labels, bad % size),
                           (long long)ly_vertex_label(solver->def.labels, bad % size / 3),
                           (long long)(bad / size), values[bad]);
        }
    }
    return LYRA_OK;
}

static LyraStatus reserve(LyraSolver *solver, int32_t columns)
{
    if (columns <= solver->columns) {
        return LYRA_OK;
    }
    LyraContext *ctx = solver->ctx;
    int64_t count = (int64_t)columns * solver->A.size;
    LY_TRY(ly_resize_array(ctx, columns, sizeof(double), &solver->scale));
    LY_TRY(ly_resize_array(ctx, count, sizeof(double), &solver->rhs));
    LY_TRY(ly_resize_array(ctx, count, sizeof(double), &solver->sought));
    if (solver->type->traits & LYRA_SOLVES_DIRECTLY) {
        LY_TRY(ly_resize_array(ctx, count, sizeof(double), &solver->refined));
    }
    solver->columns = columns;
    return LYRA_OK;
}

static void project(const LyraSolver *solver, double *x)
{
    if (solver->constraints) {
        lyra_constraints_project(solver->constraints, x);
    }
}

// rhs = P (b - A c) and its norms; false if all are zero
static bool set_right_sides(LyraSolver *solver, int32_t columns, const double *B)
{
    int32_t size = solver->A.size;
    bool any = false;
    for (int32_t c = 0; c < columns; ++c) {
        double *rhs = solver->rhs + (int64_t)c * size;
        ly_vector_copy(solver->ctx, size, B + (int64_t)c * size, rhs);
        if (solver->moved) {
            ly_vector_axpby(solver->ctx, size, -1.0, solver->carried, 1.0, rhs);
        }
        project(solver, rhs);
        solver->scale[c] = ly_vector_norm(solver->ctx, size, rhs);
        any |= solver->scale[c] != 0.0;
    }
    return any;
}

// rhs -= P A y for all columns; the largest |rhs| / scale
static double subtract_product(LyraSolver *solver, int32_t columns, const double *y)
{
    int32_t size = solver->A.size;
    double largest = 0.0;
    for (int32_t c = 0; c < columns; ++c) {
        double *rhs = solver->rhs + (int64_t)c * size;
        lyra_operator_apply(&solver->A, y + (int64_t)c * size, solver->product);
        ly_vector_axpby(solver->ctx, size, -1.0, solver->product, 1.0, rhs);
        project(solver, rhs);
        double norm = ly_vector_norm(solver->ctx, size, rhs);
        double relative = norm == 0.0 ? 0.0 : norm / solver->scale[c];
        largest = relative > largest || isnan(relative) ? relative : largest;
    }
    return largest;
}

// sought = A^-1 rhs on the constrained space, for all columns
static LyraStatus solve_type(LyraSolver *solver, int32_t columns, bool warm,
                             LyraSolveReport *report)
{
    int32_t size = solver->A.size;
    LyraStatus status =
        solver->type->solve(solver->self, columns, solver->rhs, warm, solver->sought, report);
    if (status != LYRA_OK && status != LYRA_NOT_CONVERGED) {
        return status;
    }
    for (int32_t c = 0; c < columns; ++c) {
        double *y = solver->sought + (int64_t)c * size;
        if (solver->method == LYRA_CONSTRAIN_LOW_RANK) {
            LY_TRY(ly_low_rank_correct(&solver->low_rank, y));
        }
        project(solver, y);
    }
    int64_t bad = ly_find_not_finite(solver->ctx, (int64_t)columns * size, solver->sought);
    return bad < 0 ? status
                   : ly_fail(LYRA_NOT_FINITE, "solver: unknown %lld of the answer of %s is %g",
                             (long long)ly_unknown_label(solver->def.labels, bad % size),
                             solver->type->name, solver->sought[bad]);
}

// corrects the answer of a direct solver by its residual while that helps; sought is kept in
// `refined`, and comes back as the better of the two
static LyraStatus refine(LyraSolver *solver, int32_t columns, const double *B,
                         LyraSolveReport *report)
{
    int64_t count = (int64_t)columns * solver->A.size;
    for (int32_t k = 0; k < REFINEMENTS_MAX && report->residual > REFINE; ++k) {
        ly_vector_copy(solver->ctx, count, solver->sought, solver->refined);
        LY_TRY(solve_type(solver, columns, false, report));
        ly_vector_axpby(solver->ctx, count, 1.0, solver->refined, 1.0, solver->sought);
        set_right_sides(solver, columns, B);
        double after = subtract_product(solver, columns, solver->sought);
        if (!(after < 0.5 * report->residual)) {
            ly_vector_copy(solver->ctx, count, solver->refined, solver->sought);
            break;
        }
        report->residual = after;
        ++report->refinements;
    }
    if (report->residual <= REFUSE) {
        return LYRA_OK;
    }
    report->definiteness = LYRA_DEFINITENESS_SINGULAR;
    return ly_fail(LYRA_SINGULAR,
                   "solver: the matrix is singular to working precision: the factor of %s leaves "
                   "a residual of %.1e of the right-hand side",
                   solver->type->name, report->residual);
}

// leaves y, the part of the answers in the range of P, in `sought`
static LyraStatus solve(LyraSolver *solver, int32_t columns, const double *B, bool warm,
                        const double *X, LyraSolveReport *report)
{
    int32_t size = solver->A.size;
    int64_t count = (int64_t)columns * size;
    LY_TRY(reserve(solver, columns));
    if (solver->constraints && solver->version != solver->constraints->version) {
        uint64_t before = solver->version;
        solver->version = solver->constraints->version;
        LyraStatus held = check_statics(solver);
        if (held != LYRA_OK) {
            solver->version = before;
            return held;
        }
    }
    solver->moved = false;
    if (solver->constraints) {
        solver->moved = ly_constraints_prescribed(solver->constraints, solver->prescribed);
    }
    if (solver->moved) {
        lyra_operator_apply(&solver->A, solver->prescribed, solver->carried);
    }
    if (solver->method == LYRA_CONSTRAIN_LOW_RANK) {
        LY_TRY(
            ly_low_rank_update(&solver->low_rank, solver->constraints, solver->type, solver->self));
    }
    if (!set_right_sides(solver, columns, B)) {
        memset(solver->sought, 0, (size_t)count * sizeof(double));
        return LYRA_OK;
    }
    for (int32_t c = 0; warm && c < columns; ++c) {
        ly_vector_copy(solver->ctx, size, X + (int64_t)c * size,
                       solver->sought + (int64_t)c * size);
        project(solver, solver->sought + (int64_t)c * size);
    }
    report->residual = -1;
    LyraStatus status = solve_type(solver, columns, warm, report);
    bool whole = !solver->constraints || solver->method == LYRA_CONSTRAIN_FILTER;
    bool measured = whole && columns == 1 && solver->type->traits & LYRA_SOLVES_MEASURED &&
                    report->residual >= 0;
    bool answered = status == LYRA_OK || status == LYRA_NOT_CONVERGED;
    if (!measured) {
        report->residual = answered ? subtract_product(solver, columns, solver->sought) : 0;
    }
    // a shifted factor is one of another matrix, and says so
    bool direct = (solver->type->traits & LYRA_SOLVES_DIRECTLY) && report->shift == 0.0;
    return status == LYRA_OK && direct ? refine(solver, columns, B, report) : status;
}

static int64_t held_bytes(const LyraSolver *solver)
{
    int64_t size = solver->analyzed ? solver->pattern.size : 0;
    int64_t vectors = (solver->positions != NULL) + (solver->prescribed != NULL) +
                      (solver->carried != NULL) + (solver->product != NULL) +
                      (int64_t)solver->columns * (2 + (solver->refined != NULL));
    return (int64_t)sizeof *solver + vectors * size * (int64_t)sizeof(double) +
           ly_eliminated_bytes(&solver->eliminated) + ly_low_rank_bytes(&solver->low_rank) +
           solver->packed.bytes +
           (solver->self && size > 0 ? solver->type->bytes(solver->self) : 0);
}

static LyraStatus solve_columns(LyraSolver *solver, int32_t columns, const double *B, bool warm,
                                double *X, LyraSolveReport *report)
{
    double start = ly_time();
    LyraSolveReport now = solver->report;
    LyraStatus status = check_solve(solver, columns, B, warm, X);
    int32_t size = solver->factored ? solver->A.size : 0;
    if (status == LYRA_OK && columns > 0 && size > 0) {
        status = solve(solver, columns, B, warm, X, &now);
        for (int32_t c = 0; status == LYRA_OK && c < columns; ++c) {
            double *x = X + (int64_t)c * size;
            ly_vector_copy(solver->ctx, size, solver->sought + (int64_t)c * size, x);
            if (solver->moved) {
                lyra_constraints_impose(solver->constraints, x);
            }
        }
    }
    now.solve_seconds = ly_time() - start;
    now.bytes = held_bytes(solver);
    if (report) {
        *report = now;
    }
    // what a solve learns of the matrix holds until the next factor
    solver->report.definiteness = now.definiteness;
    solver->report.solver = now.solver;
    solver->report.preconditioner = now.preconditioner;
    solver->report.coarse_size = now.coarse_size;
    solver->report.factor_entries = now.factor_entries;
    return status;
}

LyraStatus lyra_solver_solve_columns(LyraSolver *solver, int32_t columns, const double *B,
                                     bool warm, double *X, LyraSolveReport *report)
{
    LYRA_ASSERT(solver && ((B && X) || columns <= 0 || solver->A.size == 0));
    LyPacked *packed = &solver->packed;
    if (!packed->ctx || !solver->factored || columns <= 0) {
        return solve_columns(solver, columns, B, warm, X, report);
    }
    int64_t before = 3 * (int64_t)packed->vertices, after = 3 * (int64_t)packed->rows;
    LY_TRY(ly_packed_follow(packed));
    LY_TRY(ly_packed_reserve(packed, columns));
    for (int32_t c = 0; c < columns; ++c) {
        ly_packed_take(packed, B + c * before, packed->B + c * after);
        if (warm) {
            ly_packed_take(packed, X + c * before, packed->X + c * after);
        }
    }
    LyraStatus status = solve_columns(solver, columns, packed->B, warm, packed->X, report);
    for (int32_t c = 0; c < columns && status == LYRA_OK; ++c) {
        ly_packed_give(packed, packed->X + c * after, X + c * before);
    }
    return status;
}

LyraStatus lyra_solver_solve(LyraSolver *solver, const double *b, bool warm, double *x,
                             LyraSolveReport *report)
{
    return lyra_solver_solve_columns(solver, 1, b, warm, x, report);
}

// ---- the rest -----------------------------------------------------------------------------------

LyraStatus lyra_solver_set_tolerance(LyraSolver *solver, double tolerance)
{
    LYRA_ASSERT(solver);
    if (!(tolerance > 0.0 && tolerance < 1.0)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "solver: a tolerance of %g, expected in (0, 1)",
                       tolerance);
    }
    solver->def.tolerance = tolerance;
    if (solver->type && solver->type->set_tolerance) {
        solver->type->set_tolerance(solver->self, tolerance);
    }
    return LYRA_OK;
}

const char *lyra_solver_choice(const LyraSolver *solver)
{
    LYRA_ASSERT(solver);
    return solver->type ? solver->report.solver : "auto";
}

// ---- memory -------------------------------------------------------------------------------------

static bool has_memory(const LyraSolver *solver)
{
    return solver->analyzed && solver->type->remember && solver->pattern.size > 0;
}

uint64_t ly_solver_kept(const LyraSolver *solver)
{
    return has_memory(solver) ? solver->type->kept(solver->self) : 0;
}

void ly_solver_renew(LyraSolver *solver)
{
    if (has_memory(solver)) {
        solver->type->renew(solver->self);
    }
}

void ly_solver_hold(LyraSolver *solver, bool held)
{
    if (has_memory(solver)) {
        solver->type->hold(solver->self, held);
    }
}

bool ly_solver_remember(const LyraSolver *solver, double *memory)
{
    if (has_memory(solver)) {
        solver->type->remember(solver->self, memory);
    }
    return has_memory(solver);
}

LyraStatus ly_solver_recall(LyraSolver *solver, const double *memory, const LyraOperator *A)
{
    solver->factored = false;
    if (!has_memory(solver)) {
        return LYRA_OK;
    }
    if (A && solver->packed.ctx) {
        LY_TRY(ly_packed_update(&solver->packed, A));
        A = &solver->packed.A;
    }
    if (A && eliminates(solver)) {
        LY_TRY(ly_eliminated_update(&solver->eliminated, A));
        A = &solver->eliminated.E;
    }
    return solver->type->recall(solver->self, memory, A);
}

LyraSolveReport lyra_solver_report(const LyraSolver *solver)
{
    LYRA_ASSERT(solver);
    LyraSolveReport report = solver->report;
    report.bytes = held_bytes(solver);
    return report;
}
