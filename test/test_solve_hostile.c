// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Whatever solvers and constraints are given, the outcome is the right answer or a status with a
// sentence and outputs untouched. Tables of matrices, right-hand sides, settings and arguments go
// through every solver of the build, in every form of operator.

#include "solve_hostile.h"

#include "solve/front.h"

// ---- matrices -----------------------------------------------------------------------------------

// What an answer may leave: ten times the tolerance of iterations, and what the spacing of the
// smallest numbers adds. A matrix that is not what its operator says, symmetric, gets as far as a
// direct solver lets answers go.
static double allowed_residual(const Hostile *hostile, double spacing)
{
    bool lies = hostile->symmetric && hostile->fill == fill_triangle;
    return (lies ? 1e-3 : 1e-5) + spacing;
}

// spacing of the smallest numbers against the right-hand side, times what rows add up
static double spacing_of(const Forms *forms)
{
    double load = 0.0;
    for (int32_t i = 0; i < forms->size; ++i) {
        load = fmax(load, fabs(forms->b[i]));
    }
    return load > 0.0 ? 50.0 * 0x1p-1074 / load : 0.0;
}

// one table row by one solver in one form
static void check_run(LyraContext *ctx, const Hostile *hostile, Forms *forms,
                      const LyraSolverDef *def, LyraOperatorKind kind, Outcome expected)
{
    LyraSolver *solver = NULL;
    LyraSolveReport report = {0};
    double x[SIZE_MAX_];
    for (int32_t i = 0; i < SIZE_MAX_; ++i) {
        x[i] = UNTOUCHED;
    }
    TEST_OK(lyra_solver_create(ctx, def, &solver));
    LyraOperator A = operator_of(forms, kind);
    LyraStatus status = run_all(solver, &A, NULL, forms->b, x, &report);
    char what[200];
    snprintf(what, sizeof what, "%s by %s (%s), form %d, indefinite %d: %s", hostile->name,
             def->name, lyra_solver_choice(solver), (int)kind, (int)def->indefinite,
             status == LYRA_OK ? "ok" : lyra_error_message());
    if (status == LYRA_OK) {
        // a shifted factor answers for another matrix, and says so
        bool shifted = def->indefinite == LYRA_INDEFINITE_SHIFT && report.shift > 0.0;
        double residual = residual_of(forms, x), spacing = spacing_of(forms);
        TEST_CHECK_MSG(shifted || residual <= allowed_residual(hostile, spacing), "%s, residual %g",
                       what, residual);
        TEST_CHECK_MSG(fabs(report.residual - residual) <= 1e-2 * residual + 1e-12 + spacing,
                       "%s, residual %g, reported %g", what, residual, report.residual);
        TEST_CHECK_MSG(expected != STATUS || shifted, "%s", what);
    } else if (status != LYRA_UNSUPPORTED) {
        TEST_CHECK_MSG(is_of_numbers(status), "%s: %s", what, lyra_status_name(status));
        TEST_CHECK_MSG(expected != ANSWER, "%s", what);
    }
    TEST_CHECK(status == LYRA_OK || strlen(lyra_error_message()) > 10);
    for (int32_t i = status == LYRA_OK ? hostile->size : 0; i < SIZE_MAX_; ++i) {
        TEST_CHECK_MSG(x[i] == UNTOUCHED, "%s: x[%d] is %g", what, (int)i, x[i]);
    }
    lyra_solver_destroy(solver);
}

// what a row has to come to by one solver
static Outcome expected_of(const Hostile *hostile, const char *name, LyraIndefinite indefinite)
{
    static const char *const for_any[] = {"minres", "bicgstab", "gmres", "umfpack"};
    bool any = false, factors = strcmp(name, "cholesky") == 0 || strcmp(name, "band") == 0 ||
                                strcmp(name, "cholmod") == 0 || strcmp(name, "mumps") == 0 ||
                                strcmp(name, "spooles") == 0 || strcmp(name, "pardiso") == 0 ||
                                strcmp(name, "dense") == 0;
    for (int32_t k = 0; k < LY_COUNT_OF(for_any); ++k) {
        any |= strcmp(name, for_any[k]) == 0;
    }
    any |= factors && (indefinite == LYRA_INDEFINITE_LDL || !hostile->symmetric);
    if (any) {
        return hostile->any;
    }
    bool refuses = strcmp(name, "pcg") == 0 || (factors && indefinite == LYRA_INDEFINITE_REFUSE);
    return refuses || hostile->any == hostile->definite ? hostile->definite : EITHER;
}

LYRA_TEST(every_matrix_gets_the_right_answer_or_a_status)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t t = 0; t < LY_COUNT_OF(table); ++t) {
        Forms forms;
        make_forms(ctx, &table[t], &forms);
        for (int32_t k = -1; k < 0 || lyra_solver_name(k, NULL); ++k) {
            LyraSolverDef def = lyra_solver_def_default();
            def.name = k < 0 ? "auto" : lyra_solver_name(k, NULL);
            for (int32_t kind = 0; kind <= LYRA_OPERATOR_CALLBACK; ++kind) {
                bool given = kind != LYRA_OPERATOR_BLOCK || forms.block;
                for (int32_t i = 0; given && i <= LYRA_INDEFINITE_SHIFT; ++i) {
                    def.indefinite = (LyraIndefinite)i;
                    check_run(ctx, &table[t], &forms, &def, (LyraOperatorKind)kind,
                              expected_of(&table[t], def.name, def.indefinite));
                }
            }
        }
        end_forms(&forms);
    }
    test_context_end(ctx);
}

// ---- settings -----------------------------------------------------------------------------------

// a body of 8 vertices and a setting that is at the end of its range, or beyond what fits
typedef struct Setting {
    const char *name;
    LyraStatus status; // of the run; LYRA_OK: and the right answer
    void (*change)(LyraSolverDef *def);
    const char *part; // of the message
} Setting;

static double box_positions[24], same_positions[24], far_positions[24], bad_positions[24];

static void change_limit(LyraSolverDef *def)
{
    def->name = "pcg";
    def->iterations_max = 1;
}

static void change_smallest_tolerance(LyraSolverDef *def)
{
    def->name = "pcg";
    def->tolerance = 1e-300;
}

static void change_largest_tolerance(LyraSolverDef *def)
{
    def->name = "pcg";
    def->tolerance = 0.999999;
}

static void change_long_restart(LyraSolverDef *def)
{
    def->name = "gmres";
    def->restart = INT32_MAX;
}

static void change_short_restart(LyraSolverDef *def)
{
    def->name = "gmres";
    def->restart = 1;
}

static void change_one_aggregate(LyraSolverDef *def)
{
    def->coarse = true;
    def->aggregate = INT32_MAX;
    def->positions = box_positions;
}

static void change_small_aggregates(LyraSolverDef *def)
{
    def->coarse = true;
    def->aggregate = 1;
    def->positions = box_positions;
}

static void change_one_place(LyraSolverDef *def)
{
    def->coarse = true;
    def->positions = same_positions;
}

static void change_far(LyraSolverDef *def)
{
    def->coarse = true;
    def->positions = far_positions;
}

static void change_no_place(LyraSolverDef *def)
{
    def->positions = bad_positions;
}

static void change_coarse_without_positions(LyraSolverDef *def)
{
    def->coarse = true;
}

static void change_filter_of_factor(LyraSolverDef *def)
{
    def->name = "dense";
    def->constrain = LYRA_CONSTRAIN_FILTER;
}

static void change_low_rank_of_iteration(LyraSolverDef *def)
{
    def->name = "pcg";
    def->constrain = LYRA_CONSTRAIN_LOW_RANK;
}

static const Setting settings[] = {
    {"one iteration", LYRA_NOT_CONVERGED, change_limit, "1 iteration"},
    {"smallest tolerance", LYRA_NOT_CONVERGED, change_smallest_tolerance, "rounding"},
    {"largest tolerance", LYRA_OK, change_largest_tolerance, ""},
    {"long restart", LYRA_OK, change_long_restart, ""},
    {"short restart", LYRA_OK, change_short_restart, ""},
    {"one aggregate", LYRA_OK, change_one_aggregate, ""},
    {"small aggregates", LYRA_OK, change_small_aggregates, ""},
    {"positions in one place", LYRA_OK, change_one_place, ""},
    {"positions far out", LYRA_OK, change_far, ""},
    {"positions that are none", LYRA_NOT_FINITE, change_no_place, "position 2 of vertex 3"},
    {"coarse without positions", LYRA_INVALID_ARGUMENT, change_coarse_without_positions,
     "needs the positions"},
    {"filter of a factor", LYRA_UNSUPPORTED, change_filter_of_factor, "filtering"},
    {"low rank of an iteration", LYRA_UNSUPPORTED, change_low_rank_of_iteration, "low-rank"},
};

LYRA_TEST(settings_at_the_end_of_their_range_serve_or_say_why_not)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    SolveCase c = solve_case(ctx, 1, 0.5, 3);
    TEST_REQUIRE(c.size == 24);
    for (int32_t i = 0; i < 24; ++i) {
        box_positions[i] = (double)(i / 3 >> i % 3 & 1);
        same_positions[i] = 3.0;
        far_positions[i] = 1e150 * (1.0 + box_positions[i]);
        bad_positions[i] = i == 11 ? NAN : 0.0;
    }
    LyraConstraints *set = NULL;
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, c.size, &set));
    LyraOperator A = lyra_operator_block(c.upper, true);
    for (int32_t k = 0; k < LY_COUNT_OF(settings); ++k) {
        LyraSolverDef def = lyra_solver_def_default();
        LyraSolver *solver = NULL;
        def.tolerance = 1e-10;
        settings[k].change(&def);
        memset(c.x, 0, (size_t)c.size * sizeof *c.x);
        TEST_OK(lyra_solver_create(ctx, &def, &solver));
        LyraStatus status = run_all(solver, &A, set, c.b, c.x, NULL);
        TEST_CHECK_MSG(status == settings[k].status, "%s: %s, %s", settings[k].name,
                       lyra_status_name(status), status ? lyra_error_message() : "");
        if (status == LYRA_OK) {
            double limit = fmax(1e-8, 100.0 * def.tolerance);
            TEST_CHECK_MSG(solve_difference(&c, c.x) <= limit, "%s: %g", settings[k].name,
                           solve_difference(&c, c.x));
        } else {
            TEST_CONTAINS(lyra_error_message(), settings[k].part);
            TEST_CHECK(c.x[0] == 0.0 && c.x[23] == 0.0);
        }
        lyra_solver_destroy(solver);
    }
    lyra_constraints_destroy(set);
    solve_case_end(&c);
    test_context_end(ctx);
}

// ---- operators ----------------------------------------------------------------------------------

static void multiply_none(void *user, const double *x, double *y)
{
    (void)x;
    for (int32_t i = 0; i < 6; ++i) {
        y[i] = *(double *)user;
    }
}

LYRA_TEST(operators_that_are_none_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Forms forms;
    make_forms(ctx, &table[0], &forms);
    LyraCsrPattern *pattern = NULL;
    LyraCsrMatrix *oblong = NULL;
    const int32_t zero = 0;
    TEST_REQUIRE_OK(lyra_csr_matrix_create_entries(ctx,
                                                   &(LyraCsrEntries){.row_count = 6,
                                                                     .column_count = 5,
                                                                     .storage = LYRA_STORAGE_FULL,
                                                                     .count = 1,
                                                                     .row = &zero,
                                                                     .column = &zero,
                                                                     .value = forms.A},
                                                   &pattern, &oblong));
    LyraOperator block = lyra_operator_block(forms.block, true);
    LyraOperator csr = lyra_operator_csr(forms.csr, true), dense = csr, less = block, kind = block;
    LyraOperator below = lyra_operator_dense(-3, forms.A, true), apply = csr, more = csr;
    dense.kind = LYRA_OPERATOR_DENSE;
    apply.kind = LYRA_OPERATOR_CALLBACK;
    kind.kind = (LyraOperatorKind)9;
    less.size = 3;
    more.size = 7;
    LyraOperator bad[] = {
        (LyraOperator){0}, dense, apply, kind, less, more, below, lyra_operator_csr(oblong, true)};
    for (int32_t k = -1; k < 0 || lyra_solver_name(k, NULL); ++k) {
        LyraSolver *solver =
            solve_solver(ctx, k < 0 ? "auto" : lyra_solver_name(k, NULL), LYRA_INDEFINITE_REFUSE);
        for (int32_t o = 0; o < LY_COUNT_OF(bad); ++o) {
            TEST_STATUS(lyra_solver_analyze(solver, &bad[o], NULL), LYRA_INVALID_ARGUMENT);
        }
        TEST_OK(lyra_solver_analyze(solver, &block, NULL));
        for (int32_t o = 0; o < LY_COUNT_OF(bad); ++o) {
            TEST_STATUS(lyra_solver_factor(solver, &bad[o]), LYRA_INVALID_ARGUMENT);
        }
        TEST_STATUS(lyra_solver_factor(solver, &csr), LYRA_INVALID_ARGUMENT);
        lyra_solver_destroy(solver);
    }
    // callbacks and diagonals that give no numbers, zeros, or nothing definite
    const double values[] = {NAN, INFINITY, 0.0, -1.0};
    for (int32_t k = 0; lyra_solver_name(k, NULL); ++k) {
        const LyraSolverType *type = NULL;
        const char *name = lyra_solver_name(k, &type);
        for (int32_t v = 0; type->traits & LYRA_SOLVES_CALLBACK && v < LY_COUNT_OF(values); ++v) {
            double value = values[v], x[6] = {UNTOUCHED}, diagonal[6] = {1, 1, value, 1, 1, 1};
            LyraSolver *solver = solve_solver(ctx, name, LYRA_INDEFINITE_REFUSE);
            LyraOperator A = lyra_operator_callback(6, true, multiply_none, &value, NULL);
            LyraStatus status = run_all(solver, &A, NULL, forms.b, x, NULL);
            TEST_CHECK_MSG(is_of_numbers(status), "%s, %g: %s", name, value,
                           lyra_status_name(status));
            TEST_CHECK(x[0] == UNTOUCHED);
            A = lyra_operator_callback(6, true, multiply_dense, &forms, diagonal);
            status = run_all(solver, &A, NULL, forms.b, x, NULL);
            TEST_CHECK_MSG(status == LYRA_OK ? residual_of(&forms, x) <= 1e-9
                                             : is_of_numbers(status),
                           "%s, diagonal of %g: %s", name, value, lyra_status_name(status));
            lyra_solver_destroy(solver);
        }
    }
    lyra_csr_matrix_destroy(oblong);
    lyra_csr_pattern_destroy(pattern);
    end_forms(&forms);
    test_context_end(ctx);
}

LYRA_TEST(every_entry_of_every_form_is_looked_at)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Forms forms;
    make_forms(ctx, &table[0], &forms);
    int32_t n = forms.size;
    double *block = lyra_block_matrix_values_mutable(forms.block);
    double *csr = lyra_csr_matrix_values_mutable(forms.csr), *diagonal = forms.diagonal;
    LyraCsrPatternView view = lyra_csr_pattern_view(lyra_csr_matrix_pattern(forms.csr));
    LyraBlockPatternView blocks = lyra_block_pattern_view(lyra_block_matrix_pattern(forms.block));
    LyraOperator operators[] = {lyra_operator_block(forms.block, true),
                                lyra_operator_csr(forms.csr, true),
                                lyra_operator_dense(n, forms.A, true),
                                lyra_operator_callback(n, true, multiply_dense, &forms, diagonal)};
    double *values[] = {block, csr, forms.A, diagonal};
    int64_t counts[] = {9 * blocks.block_count, view.entry_count, (int64_t)n * n, n};
    for (int32_t k = 0; k < LY_COUNT_OF(operators); ++k) {
        TEST_OK(ly_operator_check_finite(ctx, &operators[k], NULL));
        for (int64_t i = 0; i < counts[k]; ++i) {
            double kept = values[k][i];
            values[k][i] = i % 2 ? NAN : INFINITY;
            TEST_STATUS(ly_operator_check_finite(ctx, &operators[k], NULL), LYRA_NOT_FINITE);
            values[k][i] = kept;
            // the place of the last: the last unknown with itself
            if (i == counts[k] - 1) {
                char place[64];
                snprintf(place, sizeof place, "entry (%d, %d), at vertices %d and %d", n - 1, n - 1,
                         (n - 1) / 3, (n - 1) / 3);
                TEST_CONTAINS(lyra_error_message(), place);
            }
        }
    }
    end_forms(&forms);
    test_context_end(ctx);
}

// ---- types of the user's ------------------------------------------------------------------------

LYRA_TEST(types_that_lack_a_function_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const LyraSolverType *dense = NULL;
    for (int32_t k = 0; lyra_solver_name(k, &dense) && strcmp(dense->name, "dense") != 0; ++k) {
    }
    LyraSolverDef def = lyra_solver_def_default();
    LyraSolver *solver = NULL;
    for (int32_t k = 0; k < 7; ++k) {
        LyraSolverType type = *dense;
        type.name = k == 0 ? NULL : type.name;
        type.create = k == 1 ? NULL : type.create;
        type.analyze = k == 2 ? NULL : type.analyze;
        type.factor = k == 3 ? NULL : type.factor;
        type.solve = k == 4 ? NULL : type.solve;
        type.bytes = k == 5 ? NULL : type.bytes;
        type.destroy = k == 6 ? NULL : type.destroy;
        TEST_STATUS(lyra_solver_create_type(ctx, &type, &def, &solver), LYRA_INVALID_ARGUMENT);
    }
    TEST_CHECK(solver == NULL);
    // without set_tolerance there is none to set, and that is fine
    LyraSolverType type = *dense;
    type.set_tolerance = NULL;
    TEST_OK(lyra_solver_create_type(ctx, &type, &def, &solver));
    TEST_OK(lyra_solver_set_tolerance(solver, 1e-3));
    TEST_STATUS(lyra_solver_set_tolerance(solver, NAN), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_solver_set_tolerance(solver, -INFINITY), LYRA_INVALID_ARGUMENT);
    lyra_solver_destroy(solver);
    test_context_end(ctx);
}
