// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The front end of solvers: what it refuses, what it reports, and types of the user's own.

#include "base/base.h"
#include "lyra/csr.h"
#include "solve_bodies.h"

static LyraSolver *make_solver(LyraContext *ctx, const char *name)
{
    LyraSolverDef def = lyra_solver_def_default();
    LyraSolver *solver = NULL;
    def.name = name;
    TEST_OK(lyra_solver_create(ctx, &def, &solver));
    return solver;
}

// ---- settings and order of calls ----------------------------------------------------------------

LYRA_TEST(settings_out_of_range_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSolver *solver = NULL;
    LyraSolverDef def = lyra_solver_def_default();
    def.name = "gauss";
    TEST_STATUS(lyra_solver_create(ctx, &def, &solver), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "\"gauss\"");
    TEST_CONTAINS(lyra_error_message(), "auto, ");
    TEST_CONTAINS(lyra_error_message(), "dense");
    for (int32_t k = 0; k < 9; ++k) {
        def = lyra_solver_def_default();
        def.name = "dense";
        def.preconditioner = k == 0 ? "magic" : k == 1 ? NULL : "auto";
        def.name = k == 2 ? NULL : "dense";
        def.tolerance = k == 3 ? 0.0 : k == 4 ? 1.0 : k == 5 ? NAN : 1e-6;
        def.iterations_max = k == 6 ? -1 : 0;
        def.constrain = (LyraConstraintMethod)(k == 7 ? 9 : 0);
        def.cookie = k == 8 ? 0 : def.cookie;
        TEST_STATUS(lyra_solver_create(ctx, &def, &solver), LYRA_INVALID_ARGUMENT);
    }
    TEST_CONTAINS(lyra_error_message(), "lyra_solver_def_default");
    TEST_CHECK(solver == NULL);
    // every name of the table makes a solver, and none has its name twice
    for (int32_t k = 0; lyra_solver_name(k, NULL); ++k) {
        const LyraSolverType *type = NULL;
        const char *name = lyra_solver_name(k, &type);
        TEST_STRING(type->name, name);
        solver = make_solver(ctx, name);
        TEST_STRING(lyra_solver_choice(solver), name);
        TEST_STATUS(lyra_solver_set_tolerance(solver, 1.5), LYRA_INVALID_ARGUMENT);
        TEST_OK(lyra_solver_set_tolerance(solver, 1e-9));
        lyra_solver_destroy(solver);
    }
    TEST_CHECK(lyra_solver_name(-1, NULL) == NULL);
    solver = make_solver(ctx, "auto");
    TEST_STRING(lyra_solver_choice(solver), "auto");
    lyra_solver_destroy(solver);
    lyra_solver_destroy(NULL);
    test_context_end(ctx);
}

LYRA_TEST(calls_out_of_order_or_off_the_pattern_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = body_box(ctx, 2, 1, 1), other = body_box(ctx, 2, 1, 1);
    LyraBlockMatrix *S = body_dynamics(&body, 0.01);
    LyraOperator A = lyra_operator_block(S, true), off = lyra_operator_block(other.K, true);
    double *b = body_random(body.size, 1), *x = body_random(body.size, 2);
    double *kept = body_random(body.size, 2);
    LyraConstraints *set = NULL, *small = NULL;
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, body.size, &set));
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, 3, &small));
    for (int32_t k = 0; lyra_solver_name(k, NULL); ++k) {
        LyraSolver *solver = make_solver(ctx, lyra_solver_name(k, NULL));
        LyraSolveReport report;
        TEST_STATUS(lyra_solver_factor(solver, &A), LYRA_INVALID_ARGUMENT);
        TEST_STATUS(lyra_solver_solve(solver, b, false, x, &report), LYRA_INVALID_ARGUMENT);
        TEST_STATUS(lyra_solver_analyze(solver, &A, small), LYRA_INVALID_ARGUMENT);
        TEST_STATUS(lyra_solver_factor(solver, &A), LYRA_INVALID_ARGUMENT);
        TEST_OK(lyra_solver_analyze(solver, &A, set));
        TEST_STATUS(lyra_solver_solve(solver, b, false, x, &report), LYRA_INVALID_ARGUMENT);
        TEST_STATUS(lyra_solver_factor(solver, &off), LYRA_INVALID_ARGUMENT);
        TEST_CONTAINS(lyra_error_message(), "not on the analyzed pattern");
        TEST_OK(lyra_solver_factor(solver, &A));
        TEST_STATUS(lyra_solver_solve_columns(solver, -1, b, false, x, &report),
                    LYRA_INVALID_ARGUMENT);
        TEST_CHECK(memcmp(x, kept, (size_t)body.size * sizeof *x) == 0);
        TEST_OK(lyra_solver_solve_columns(solver, 0, b, false, x, &report));
        TEST_OK(lyra_solver_solve(solver, b, false, x, NULL));
        // analyzing anew drops the factor
        TEST_OK(lyra_solver_analyze(solver, &off, NULL));
        TEST_STATUS(lyra_solver_solve(solver, b, false, x, NULL), LYRA_INVALID_ARGUMENT);
        memcpy(x, kept, (size_t)body.size * sizeof *x);
        lyra_solver_destroy(solver);
    }
    free(b);
    free(x);
    free(kept);
    lyra_constraints_destroy(set);
    lyra_constraints_destroy(small);
    lyra_block_matrix_destroy(S);
    body_end(&body);
    body_end(&other);
    test_context_end(ctx);
}

// ---- sizes and numbers --------------------------------------------------------------------------

static LyraStatus run(LyraSolver *solver, const LyraOperator *A, const LyraConstraints *set,
                      const double *b, double *x, LyraSolveReport *report)
{
    LY_TRY(lyra_solver_analyze(solver, A, set));
    LY_TRY(lyra_solver_factor(solver, A));
    return lyra_solver_solve(solver, b, false, x, report);
}

LYRA_TEST(empty_and_single_systems_are_solved_by_all)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraBlockPattern *none = NULL, *one = NULL;
    LyraBlockMatrix *empty = NULL, *block = NULL;
    LyraCsrPattern *scalar_pattern = NULL;
    LyraCsrMatrix *scalar = NULL;
    LyraConstraints *set = NULL;
    const int32_t zero = 0;
    const double four = 4.0, diagonal[3] = {2, 4, 8};
    TEST_REQUIRE_OK(lyra_block_pattern_create(ctx, 0, LYRA_STORAGE_UPPER, 0, NULL, &none));
    TEST_REQUIRE_OK(lyra_block_pattern_create(ctx, 1, LYRA_STORAGE_UPPER, 0, NULL, &one));
    TEST_REQUIRE_OK(lyra_block_matrix_create(none, &empty));
    TEST_REQUIRE_OK(lyra_block_matrix_create(one, &block));
    lyra_block_matrix_add_diagonal(block, 1.0, diagonal);
    TEST_REQUIRE_OK(lyra_csr_matrix_create_entries(ctx,
                                                   &(LyraCsrEntries){.row_count = 1,
                                                                     .column_count = 1,
                                                                     .storage = LYRA_STORAGE_UPPER,
                                                                     .count = 1,
                                                                     .row = &zero,
                                                                     .column = &zero,
                                                                     .value = &four},
                                                   &scalar_pattern, &scalar));
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, 0, &set));
    for (int32_t k = -1; k < 0 || lyra_solver_name(k, NULL); ++k) {
        const LyraSolverType *type = NULL;
        const char *name = k < 0 ? "auto" : lyra_solver_name(k, &type);
        LyraSolver *solver = make_solver(ctx, name);
        LyraSolveReport report = {0};
        LyraOperator A = lyra_operator_block(empty, true);
        TEST_OK(run(solver, &A, set, NULL, NULL, &report));
        TEST_CHECK(report.residual == 0.0);
        A = lyra_operator_block(block, true);
        double b[3] = {2, 2, 2}, x[3];
        TEST_OK(run(solver, &A, NULL, b, x, &report));
        TEST_NEAR(x[0], 1.0, 1e-6);
        TEST_NEAR(x[1], 0.5, 1e-6);
        TEST_NEAR(x[2], 0.25, 1e-6);
        if (!type || type->traits & LYRA_SOLVES_CSR) {
            A = lyra_operator_csr(scalar, true);
            TEST_OK(run(solver, &A, NULL, b, x, &report));
            TEST_NEAR(x[0], 0.5, 1e-6);
        }
        if (!type || type->traits & LYRA_SOLVES_DENSE) {
            A = lyra_operator_dense(1, &four, true);
            TEST_OK(run(solver, &A, NULL, b, x, &report));
            TEST_NEAR(x[0], 0.5, 1e-6);
            A = lyra_operator_dense(0, NULL, true);
            TEST_OK(run(solver, &A, NULL, b, x, &report));
        }
        lyra_solver_destroy(solver);
    }
    lyra_constraints_destroy(set);
    lyra_csr_matrix_destroy(scalar);
    lyra_csr_pattern_destroy(scalar_pattern);
    lyra_block_matrix_destroy(block);
    lyra_block_matrix_destroy(empty);
    lyra_block_pattern_destroy(one);
    lyra_block_pattern_destroy(none);
    test_context_end(ctx);
}

LYRA_TEST(numbers_that_are_none_are_found_with_their_place)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    Body body = body_box(ctx, 3, 2, 2);
    LyraBlockMatrix *S = body_dynamics(&body, 0.01);
    LyraOperator A = lyra_operator_block(S, true);
    double *b = body_random(body.size, 1), *x = body_random(body.size, 2);
    double *kept = body_random(body.size, 2);
    const LyraBlockPattern *pattern = lyra_block_matrix_pattern(S);
    int32_t place = lyra_block_pattern_view(pattern).diagonal[7];
    double *entry = lyra_block_matrix_values_mutable(S) + 9 * (int64_t)place + 5, value = *entry;
    for (int32_t k = 0; lyra_solver_name(k, NULL); ++k) {
        LyraSolver *solver = make_solver(ctx, lyra_solver_name(k, NULL));
        LyraSolveReport report;
        TEST_OK(lyra_solver_analyze(solver, &A, NULL));
        *entry = NAN;
        TEST_STATUS(lyra_solver_factor(solver, &A), LYRA_NOT_FINITE);
        TEST_CONTAINS(lyra_error_message(), "entry (22, 23), at vertices 7 and 7");
        *entry = -INFINITY;
        TEST_STATUS(lyra_solver_factor(solver, &A), LYRA_NOT_FINITE);
        *entry = value;
        TEST_STATUS(lyra_solver_solve(solver, b, false, x, &report), LYRA_INVALID_ARGUMENT);
        TEST_OK(lyra_solver_factor(solver, &A));
        b[10] = NAN;
        TEST_STATUS(lyra_solver_solve(solver, b, false, x, &report), LYRA_NOT_FINITE);
        TEST_CONTAINS(lyra_error_message(), "right-hand side 10, at vertex 3");
        b[10] = 0.5;
        x[4] = INFINITY;
        TEST_STATUS(lyra_solver_solve(solver, b, true, x, &report), LYRA_NOT_FINITE);
        TEST_CONTAINS(lyra_error_message(), "start 4");
        x[4] = kept[4];
        TEST_CHECK(memcmp(x, kept, (size_t)body.size * sizeof *x) == 0);
        // a start that is not asked for may be anything
        x[4] = NAN;
        TEST_OK(lyra_solver_solve(solver, b, false, x, &report));
        memcpy(x, kept, (size_t)body.size * sizeof *x);
        lyra_solver_destroy(solver);
    }
    free(b);
    free(x);
    free(kept);
    lyra_block_matrix_destroy(S);
    body_end(&body);
    test_context_end(ctx);
}

// ---- dense --------------------------------------------------------------------------------------

LYRA_TEST(dense_goes_by_symmetry_and_settings)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    // indefinite, unsymmetric and singular matrices of 3 unknowns, by columns
    const double indefinite[9] = {1, 2, 0, 2, 1, 0, 0, 0, 5}, b[3] = {3, 3, 5};
    const double unsymmetric[9] = {1, 0, 0, 1, 1, 0, 0, 1, 1},
                 singular[9] = {1, 1, 0, 1, 1, 0, 0, 0, 1};
    LyraSolveReport report = {0};
    double x[3] = {7, 7, 7};
    LyraSolverDef def = lyra_solver_def_default();
    def.name = "dense";
    for (int32_t k = 0; k < 3; ++k) {
        LyraSolver *solver = NULL;
        def.indefinite = (LyraIndefinite)k;
        TEST_REQUIRE_OK(lyra_solver_create(ctx, &def, &solver));
        LyraOperator A = lyra_operator_dense(3, indefinite, true);
        if (k == LYRA_INDEFINITE_REFUSE) {
            TEST_STATUS(run(solver, &A, NULL, b, x, &report), LYRA_NOT_POSITIVE_DEFINITE);
            TEST_CHECK(x[0] == 7 && x[1] == 7 && x[2] == 7);
        } else {
            TEST_OK(run(solver, &A, NULL, b, x, &report));
            TEST_EQUAL(report.definiteness, LYRA_DEFINITENESS_INDEFINITE);
        }
        if (k == LYRA_INDEFINITE_LDL) {
            TEST_EQUAL(report.negative, 1);
            TEST_CHECK(report.shift == 0.0);
            for (int32_t i = 0; i < 3; ++i) {
                TEST_NEAR(x[i], 1.0, 1e-15);
            }
        }
        if (k == LYRA_INDEFINITE_SHIFT) {
            // |A + t diag A| is positive definite from t > 1 on: the first of 1e-3, 1e-2, ... is 10
            TEST_NEAR(report.shift, 10.0, 1e-9);
            TEST_NEAR((1 + report.shift) * x[0] + 2 * x[1], 3.0, 1e-14);
            TEST_NEAR(5 * (1 + report.shift) * x[2], 5.0, 1e-14);
        }
        A = lyra_operator_dense(3, unsymmetric, false);
        TEST_OK(run(solver, &A, NULL, b, x, &report));
        TEST_NEAR(x[0], 5.0, 1e-15);
        TEST_NEAR(x[1], -2.0, 1e-15);
        TEST_NEAR(x[2], 5.0, 1e-15);
        A = lyra_operator_dense(3, singular, false);
        TEST_STATUS(run(solver, &A, NULL, b, x, &report), LYRA_SINGULAR);
        lyra_solver_destroy(solver);
    }
    // too large is said before any memory is asked for
    LyraSolver *solver = make_solver(ctx, "dense");
    LyraOperator A = lyra_operator_dense(20001, indefinite, true);
    TEST_STATUS(lyra_solver_analyze(solver, &A, NULL), LYRA_TOO_LARGE);
    lyra_solver_destroy(solver);
    test_context_end(ctx);
}

LYRA_TEST(solvers_of_symmetric_matrices_say_who_takes_others)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = body_box(ctx, 1, 1, 1);
    LyraBlockPattern *pattern = NULL;
    LyraBlockMatrix *full = NULL;
    TEST_REQUIRE_OK(
        lyra_block_pattern_convert(lyra_block_matrix_pattern(body.K), LYRA_STORAGE_FULL, &pattern));
    TEST_REQUIRE_OK(lyra_block_matrix_create(pattern, &full));
    TEST_OK(lyra_block_matrix_assign(full, body.K));
    LyraOperator A = lyra_operator_block(full, false);
    double value = 1.0;
    LyraOperator D = lyra_operator_dense(1, &value, true);
    for (int32_t k = 0; lyra_solver_name(k, NULL); ++k) {
        const LyraSolverType *type = NULL;
        LyraSolver *solver = make_solver(ctx, lyra_solver_name(k, &type));
        bool able = type->traits & LYRA_SOLVES_UNSYMMETRIC;
        TEST_STATUS(lyra_solver_analyze(solver, &A, NULL), able ? LYRA_OK : LYRA_UNSUPPORTED);
        if (!able) {
            TEST_CONTAINS(lyra_error_message(), "dense takes any");
        }
        able = type->traits & LYRA_SOLVES_DENSE;
        TEST_STATUS(lyra_solver_analyze(solver, &D, NULL), able ? LYRA_OK : LYRA_UNSUPPORTED);
        lyra_solver_destroy(solver);
    }
    lyra_block_matrix_destroy(full);
    lyra_block_pattern_destroy(pattern);
    body_end(&body);
    test_context_end(ctx);
}

// ---- statics ------------------------------------------------------------------------------------

// factors K of `body` as statics under `set` with every solver, and returns the last sentence
static const char *statics_message(LyraContext *ctx, const Body *body, const LyraBlockMatrix *K,
                                   const LyraConstraints *set, LyraStatus expected)
{
    LyraOperator A = lyra_operator_block(K, true);
    for (int32_t k = 0; lyra_solver_name(k, NULL); ++k) {
        LyraSolver *solver = NULL;
        LyraSolverDef def = lyra_solver_def_default();
        def.name = lyra_solver_name(k, NULL);
        def.task = LYRA_SOLVER_STATICS;
        def.positions = body->positions;
        TEST_OK(lyra_solver_create(ctx, &def, &solver));
        TEST_OK(lyra_solver_analyze(solver, &A, set));
        TEST_STATUS(lyra_solver_factor(solver, &A), expected);
        if (expected == LYRA_SINGULAR) {
            TEST_EQUAL(lyra_solver_report(solver).definiteness, LYRA_DEFINITENESS_SINGULAR);
        }
        lyra_solver_destroy(solver);
    }
    return lyra_error_message();
}

LYRA_TEST(statics_with_too_few_constraints_names_what_is_free)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = body_box(ctx, 2, 2, 2);
    LyraConstraints *set = NULL;
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, body.size, &set));
    const char *message = statics_message(ctx, &body, body.K, set, LYRA_SINGULAR);
    TEST_CONTAINS(message, "6 rigid motions free");
    TEST_CONTAINS(message, "translation along (0, 1, 0)");
    TEST_CONTAINS(message, "rotation about the axis along (0, 0, 1) through (0, 0, 0)");
    // a hinge along the edge x = -0.5, z = 0.5
    for (int32_t v = 0; v < body.vertex_count; ++v) {
        const double *p = body.positions + 3 * v;
        if (fabs(p[0] + 0.5) < 1e-9 && fabs(p[2] - 0.5) < 1e-9) {
            TEST_OK(lyra_constraints_fix_vertices(set, 1, &v));
        }
    }
    message = statics_message(ctx, &body, body.K, set, LYRA_SINGULAR);
    TEST_CONTAINS(message, "leave 1 rigid motion free: rotation about the axis along (0, 1, 0) "
                           "through (-0.5, 0, 0.5)");
    // one vertex
    lyra_constraints_clear(set);
    int32_t corner = -1;
    for (int32_t v = 0; v < body.vertex_count; ++v) {
        const double *p = body.positions + 3 * v;
        corner = p[0] > 0.4 && p[1] > 0.4 && p[2] > 0.4 ? v : corner;
    }
    TEST_OK(lyra_constraints_fix_vertices(set, 1, &corner));
    message = statics_message(ctx, &body, body.K, set, LYRA_SINGULAR);
    TEST_CONTAINS(message, "leave 3 rigid motions free: rotation");
    TEST_CONTAINS(message, "along (1, 0, 0) through");
    TEST_CHECK(strstr(message, "translation") == NULL);
    // a plane: enough
    body_constrain(&body, BODY_FIXED, set);
    statics_message(ctx, &body, body.K, set, LYRA_OK);
    // a matrix that resists by itself: enough without constraints
    LyraBlockMatrix *S = body_dynamics(&body, 0.01);
    lyra_constraints_clear(set);
    statics_message(ctx, &body, S, set, LYRA_OK);
    lyra_block_matrix_destroy(S);
    // one that resists translation along x and y only
    TEST_REQUIRE_OK(lyra_block_matrix_copy(body.K, &S));
    double *d = body_allocate(body.size, sizeof *d);
    for (int32_t i = 0; i < body.size; ++i) {
        d[i] = i % 3 < 2 ? 1e3 : 0.0;
    }
    lyra_block_matrix_add_diagonal(S, 1.0, d);
    message = statics_message(ctx, &body, S, set, LYRA_SINGULAR);
    TEST_CONTAINS(message, "1 rigid motion free: translation along (0, 0, 1)");
    free(d);
    lyra_block_matrix_destroy(S);
    lyra_constraints_destroy(set);
    body_end(&body);
    test_context_end(ctx);
}

LYRA_TEST(releasing_too_much_after_factor_is_found_too)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = body_box(ctx, 2, 2, 2);
    LyraConstraints *set = NULL;
    LyraOperator A = lyra_operator_block(body.K, true);
    double *b = body_random(body.size, 1), *x = body_allocate(body.size, sizeof *x);
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, body.size, &set));
    for (int32_t k = 0; lyra_solver_name(k, NULL); ++k) {
        const LyraSolverType *type = NULL;
        LyraSolverDef def = lyra_solver_def_default();
        LyraSolver *solver = NULL;
        def.name = lyra_solver_name(k, &type);
        def.task = LYRA_SOLVER_STATICS;
        def.positions = body.positions;
        if (!(type->traits & LYRA_SOLVES_FILTERED)) {
            continue;
        }
        body_constrain(&body, BODY_FIXED, set);
        TEST_REQUIRE_OK(lyra_solver_create(ctx, &def, &solver));
        TEST_OK(run(solver, &A, set, b, x, NULL));
        // again and again, until there is enough
        lyra_constraints_clear(set);
        TEST_STATUS(lyra_solver_solve(solver, b, false, x, NULL), LYRA_SINGULAR);
        TEST_STATUS(lyra_solver_solve(solver, b, false, x, NULL), LYRA_SINGULAR);
        TEST_CONTAINS(lyra_error_message(), "6 rigid motions free");
        body_constrain(&body, BODY_MOVED, set);
        TEST_OK(lyra_solver_solve(solver, b, false, x, NULL));
        lyra_solver_destroy(solver);
    }
    free(b);
    free(x);
    lyra_constraints_destroy(set);
    body_end(&body);
    test_context_end(ctx);
}

LYRA_TEST(statics_of_two_parts_names_the_free_one)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    // two tets side by side and a vertex of no element
    const int32_t elements[] = {0, 1, 2, 3, 4, 5, 6, 7};
    double positions[27] = {0};
    for (int32_t k = 0; k < 8; ++k) {
        for (int32_t i = 0; i < 3; ++i) {
            positions[3 * k + i] = (k % 4 == i + 1) + (k >= 4 && i == 0 ? 3 : 0);
        }
    }
    positions[24] = 10;
    LyraMeshView view = {.kind = LYRA_ELEMENT_TET4,
                         .vertex_count = 9,
                         .element_count = 2,
                         .positions = positions,
                         .elements = elements};
    LyraMesh *mesh = NULL;
    TEST_REQUIRE_OK(lyra_mesh_create(ctx, &view, &mesh));
    Body body = body_of_mesh(ctx, mesh, 1e6);
    LyraConstraints *set = NULL;
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, body.size, &set));
    // the internal order is the assembly's: the first tet and the lone vertex by their places
    int32_t second = -1;
    for (int32_t v = 0; v < body.vertex_count; ++v) {
        double x = body.positions[3 * v];
        if (x < 2 || x > 9) {
            TEST_OK(lyra_constraints_fix_vertices(set, 1, &v));
        } else if (second < 0) {
            second = v;
        }
    }
    char expected[64];
    snprintf(expected, sizeof expected, "of the part at vertex %d", (int)second);
    const char *message = statics_message(ctx, &body, body.K, set, LYRA_SINGULAR);
    TEST_CONTAINS(message, "6 rigid motions");
    TEST_CONTAINS(message, expected);
    // by the names that the caller has for vertices, the least of the part
    LyraSolver *solver = NULL;
    LyraSolverDef def = lyra_solver_def_default();
    def.task = LYRA_SOLVER_STATICS;
    def.positions = body.positions;
    def.labels = lyra_assembly_order(body.assembly);
    LyraOperator K = lyra_operator_block(body.K, true);
    TEST_OK(lyra_solver_create(ctx, &def, &solver));
    TEST_OK(lyra_solver_analyze(solver, &K, set));
    TEST_STATUS(lyra_solver_factor(solver, &K), LYRA_SINGULAR);
    TEST_CONTAINS(lyra_error_message(), "of the part at vertex 4");
    lyra_solver_destroy(solver);
    // all three: 6, 6 and 3; the first six are named
    lyra_constraints_clear(set);
    message = statics_message(ctx, &body, body.K, set, LYRA_SINGULAR);
    TEST_CONTAINS(message, "15 rigid motions");
    TEST_CONTAINS(message, "and 9 more");
    lyra_constraints_destroy(set);
    body_end(&body);
    test_context_end(ctx);
}

// ---- types of the user's own --------------------------------------------------------------------

// A type that hands everything to "dense" and counts; it sees no constraints.
typedef struct Counter {
    const LyraSolverType *inner;
    void *self;
} Counter;

static int32_t counted_columns;

static LyraStatus counter_create(LyraContext *ctx, const LyraSolverDef *def, void **self)
{
    Counter *counter = body_allocate(1, sizeof *counter);
    for (int32_t k = 0; lyra_solver_name(k, NULL); ++k) {
        if (strcmp(lyra_solver_name(k, NULL), "dense") == 0) {
            lyra_solver_name(k, &counter->inner);
        }
    }
    LyraStatus status = counter->inner->create(ctx, def, &counter->self);
    if (status != LYRA_OK) {
        free(counter);
        return status;
    }
    *self = counter;
    return LYRA_OK;
}

static LyraStatus counter_analyze(void *self, const LyraOperator *A, const LyraConstraints *set)
{
    Counter *counter = self;
    TEST_CHECK(set == NULL);
    return counter->inner->analyze(counter->self, A, NULL);
}

static LyraStatus counter_factor(void *self, const LyraOperator *A, LyraSolveReport *report)
{
    Counter *counter = self;
    return counter->inner->factor(counter->self, A, report);
}

static LyraStatus counter_solve(void *self, int32_t columns, const double *B, bool warm, double *X,
                                LyraSolveReport *report)
{
    Counter *counter = self;
    counted_columns += columns;
    return counter->inner->solve(counter->self, columns, B, warm, X, report);
}

static int64_t counter_bytes(const void *self)
{
    const Counter *counter = self;
    return counter->inner->bytes(counter->self);
}

static void counter_destroy(void *self)
{
    Counter *counter = self;
    counter->inner->destroy(counter->self);
    free(counter);
}

static const LyraSolverType counter_type = {
    .name = "counter",
    .traits = LYRA_SOLVES_BLOCK | LYRA_SOLVES_DIRECTLY,
    .create = counter_create,
    .analyze = counter_analyze,
    .factor = counter_factor,
    .solve = counter_solve,
    .bytes = counter_bytes,
    .destroy = counter_destroy,
};

LYRA_TEST(low_rank_form_solves_for_new_directions_only)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = body_box(ctx, 4, 2, 2);
    LyraBlockMatrix *S = body_dynamics(&body, 0.05);
    LyraOperator A = lyra_operator_block(S, true);
    LyraSolverDef def = lyra_solver_def_default();
    def.constrain = LYRA_CONSTRAIN_LOW_RANK;
    LyraSolver *solver = NULL, *check = make_solver(ctx, "dense");
    LyraConstraints *set = NULL;
    TEST_REQUIRE_OK(lyra_solver_create_type(ctx, &counter_type, &def, &solver));
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, body.size, &set));
    TEST_OK(lyra_solver_analyze(solver, &A, set));
    TEST_OK(lyra_solver_factor(solver, &A));
    TEST_STRING(lyra_solver_choice(solver), "counter");
    double *b = body_random(body.size, 1), *x = body_allocate(body.size, sizeof *x);
    double *y = body_allocate(body.size, sizeof *x);
    const double n[3] = {1, 2, -1}, m[3] = {0, 1, 1};
    const int32_t dofs[] = {0, 1, 2, 30, 40}, released = 0;
    // what happens to the set, and the new columns it costs, the right-hand side apart
    for (int32_t step = 0; step < 7; ++step) {
        static const int32_t cost[] = {0, 5, 1, 0, 1, 0, 3};
        if (step == 1) {
            TEST_OK(lyra_constraints_fix_dofs(set, 5, dofs));
        } else if (step == 2) {
            TEST_OK(lyra_constraints_add_direction(set, 5, n));
        } else if (step == 3) {
            TEST_OK(lyra_constraints_release_vertices(set, 1, &released));
        } else if (step == 4) {
            TEST_OK(lyra_constraints_add_direction(set, 5, m));
        } else if (step == 6) {
            TEST_OK(lyra_constraints_fix_vertices(set, 1, &released));
        }
        TEST_OK(lyra_constraints_set_values(set, step % 2 ? b : NULL));
        counted_columns = 0;
        LyraSolveReport report;
        TEST_OK(lyra_solver_solve(solver, b, false, x, &report));
        TEST_EQUAL(counted_columns, cost[step] + 1);
        TEST_EQUAL(report.constrain, LYRA_CONSTRAIN_LOW_RANK);
        TEST_CHECK(report.residual < 1e-12);
        TEST_OK(run(check, &A, set, b, y, &report));
        TEST_EQUAL(report.constrain, LYRA_CONSTRAIN_ELIMINATE);
        TEST_NEAR(body_distance(body.size, x, y), 0.0, 1e-11);
    }
    // a new factor forgets the columns
    TEST_OK(lyra_solver_factor(solver, &A));
    counted_columns = 0;
    TEST_OK(lyra_solver_solve(solver, b, false, x, NULL));
    TEST_EQUAL(counted_columns, 1 + lyra_constraints_view(set).count);
    free(b);
    free(x);
    free(y);
    lyra_constraints_destroy(set);
    lyra_solver_destroy(solver);
    lyra_solver_destroy(check);
    lyra_block_matrix_destroy(S);
    body_end(&body);
    test_context_end(ctx);
}

LYRA_TEST(low_rank_form_needs_an_inverse_and_does_not_mind_units)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = body_box(ctx, 3, 2, 2);
    LyraConstraints *set = NULL;
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, body.size, &set));
    body_constrain(&body, BODY_FIXED, set);
    double *b = body_random(body.size, 1), *x = body_allocate(body.size, sizeof *x);
    double *first = body_allocate(body.size, sizeof *x);
    for (int32_t k = 0; lyra_solver_name(k, NULL); ++k) {
        const LyraSolverType *type = NULL;
        LyraSolver *solver = NULL;
        LyraSolverDef def = lyra_solver_def_default();
        def.name = lyra_solver_name(k, &type);
        def.constrain = LYRA_CONSTRAIN_LOW_RANK;
        def.task = LYRA_SOLVER_STATICS;
        def.positions = body.positions;
        TEST_REQUIRE_OK(lyra_solver_create(ctx, &def, &solver));
        LyraOperator A = lyra_operator_block(body.K, true);
        if (!(type->traits & LYRA_SOLVES_DIRECTLY)) {
            TEST_STATUS(lyra_solver_analyze(solver, &A, set), LYRA_UNSUPPORTED);
            TEST_CONTAINS(lyra_error_message(), "low-rank");
            lyra_solver_destroy(solver);
            continue;
        }
        TEST_OK(lyra_solver_analyze(solver, &A, set));
        TEST_STATUS(lyra_solver_factor(solver, &A), LYRA_SINGULAR);
        TEST_CONTAINS(lyra_error_message(), "the low-rank form of constraints needs");
        // the same matrix in units that make it huge or tiny gives the same digits
        LyraBlockMatrix *S = body_dynamics(&body, 0.01);
        A = lyra_operator_block(S, true);
        for (int32_t unit = 0; unit < 3; ++unit) {
            const double factors[] = {1.0, 1e100, 1e-200};
            lyra_block_matrix_scale(S, factors[unit]);
            TEST_OK(lyra_solver_factor(solver, &A));
            TEST_OK(lyra_solver_solve(solver, b, false, unit ? x : first, NULL));
            for (int32_t i = 0; unit && i < body.size; ++i) {
                x[i] *= unit == 1 ? 1e100 : 1e-100;
            }
            if (unit) {
                TEST_NEAR(body_distance(body.size, x, first), 0.0, 1e-10);
            }
        }
        lyra_block_matrix_destroy(S);
        lyra_solver_destroy(solver);
    }
    free(b);
    free(x);
    free(first);
    lyra_constraints_destroy(set);
    body_end(&body);
    test_context_end(ctx);
}

LYRA_TEST(eliminated_directions_must_not_change_before_a_new_factor)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = body_box(ctx, 2, 1, 1);
    LyraBlockMatrix *S = body_dynamics(&body, 0.01);
    LyraOperator A = lyra_operator_block(S, true);
    LyraConstraints *set = NULL;
    LyraSolver *solver = make_solver(ctx, "dense");
    double *b = body_random(body.size, 1), *x = body_allocate(body.size, sizeof *x);
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, body.size, &set));
    body_constrain(&body, BODY_FIXED, set);
    TEST_OK(run(solver, &A, set, b, x, NULL));
    // values may change, directions not
    TEST_OK(lyra_constraints_set_values(set, b));
    TEST_OK(lyra_solver_solve(solver, b, false, x, NULL));
    body_constrain(&body, BODY_SLANTED, set);
    TEST_STATUS(lyra_solver_solve(solver, b, false, x, NULL), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "directions changed since factor");
    TEST_OK(lyra_solver_factor(solver, &A));
    TEST_OK(lyra_solver_solve(solver, b, false, x, NULL));
    free(b);
    free(x);
    lyra_constraints_destroy(set);
    lyra_solver_destroy(solver);
    lyra_block_matrix_destroy(S);
    body_end(&body);
    test_context_end(ctx);
}

// ---- singular without positions -----------------------------------------------------------------

LYRA_TEST(singular_systems_give_a_status_or_a_solution)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = body_box(ctx, 3, 2, 2);
    LyraOperator A = lyra_operator_block(body.K, true);
    double *b = body_random(body.size, 1), *x = body_random(body.size, 2);
    double *kept = body_random(body.size, 2);
    for (int32_t k = 0; lyra_solver_name(k, NULL); ++k) {
        LyraSolver *solver = make_solver(ctx, lyra_solver_name(k, NULL));
        LyraSolveReport report;
        // a load that no free body withstands
        LyraStatus status = run(solver, &A, NULL, b, x, &report);
        TEST_CHECK_MSG(status == LYRA_SINGULAR || status == LYRA_NOT_POSITIVE_DEFINITE ||
                           status == LYRA_NOT_CONVERGED,
                       "%s: %s", lyra_solver_name(k, NULL), lyra_status_name(status));
        TEST_CHECK(memcmp(x, kept, (size_t)body.size * sizeof *x) == 0);
        lyra_solver_destroy(solver);
    }
    free(b);
    free(x);
    free(kept);
    body_end(&body);
    test_context_end(ctx);
}

// ---- memory -------------------------------------------------------------------------------------

typedef struct MemoryCase {
    const char *name;
    LyraConstraintMethod method;
    LyraOperatorKind kind;
} MemoryCase;

static LyraStatus memory_scenario(LyraContext *ctx, void *data)
{
    const MemoryCase *memory = data;
    LyraStatus status = LYRA_OK;
    LyraBlockPattern *pattern = NULL;
    LyraBlockMatrix *S = NULL;
    LyraCsrPattern *csr_pattern = NULL;
    LyraCsrMatrix *csr = NULL;
    LyraConstraints *set = NULL;
    LyraSolver *solver = NULL;
    const int32_t ids[] = {0, 1, 1, 2, 2, 3}, fixed = 1;
    const double n[3] = {1, 1, 0}, block[9] = {-1, 0, 0, 0, -1, 0, 0, 0, -1},
                 d[12] = {4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4};
    const double positions[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 1};
    double b[12] = {1, 2, 3, 4, 5, 6}, x[12];
    LyraStencils edges = {2, 3, ids};
    LyraSolverDef def = lyra_solver_def_default();
    def.name = memory->name;
    def.constrain = memory->method;
    def.task = LYRA_SOLVER_STATICS;
    def.positions = positions;
    LY_TRY_DONE(lyra_block_pattern_create(ctx, 4, LYRA_STORAGE_UPPER, 1, &edges, &pattern));
    LY_TRY_DONE(lyra_block_matrix_create(pattern, &S));
    lyra_block_matrix_add_diagonal(S, 1.0, d);
    for (int32_t v = 0; v < 3; ++v) {
        LY_TRY_DONE(lyra_block_matrix_add_block(S, v, v + 1, 1.0, block));
    }
    LyraOperator A = lyra_operator_block(S, true);
    if (memory->kind == LYRA_OPERATOR_CSR) {
        LY_TRY_DONE(lyra_csr_pattern_create_block(pattern, LYRA_STORAGE_UPPER, &csr_pattern));
        LY_TRY_DONE(lyra_csr_matrix_create(csr_pattern, &csr));
        LY_TRY_DONE(lyra_csr_matrix_assign_block(csr, S));
        A = lyra_operator_csr(csr, true);
    }
    LY_TRY_DONE(lyra_constraints_create(ctx, 12, &set));
    LY_TRY_DONE(lyra_constraints_add_direction(set, 3, n));
    LY_TRY_DONE(lyra_solver_create(ctx, &def, &solver));
    LY_TRY_DONE(lyra_solver_analyze(solver, &A, set));
    LY_TRY_DONE(lyra_solver_factor(solver, &A));
    LY_TRY_DONE(lyra_solver_solve(solver, b, false, x, NULL));
    if (memory->method != LYRA_CONSTRAIN_ELIMINATE) {
        LY_TRY_DONE(lyra_constraints_fix_vertices(set, 1, &fixed));
    }
    LY_TRY_DONE(lyra_solver_solve(solver, b, false, x, NULL));
done:
    lyra_solver_destroy(solver);
    lyra_constraints_destroy(set);
    lyra_csr_matrix_destroy(csr);
    lyra_csr_pattern_destroy(csr_pattern);
    lyra_block_matrix_destroy(S);
    lyra_block_pattern_destroy(pattern);
    return status;
}

LYRA_TEST(every_solver_survives_each_failing_allocation)
{
    for (int32_t k = 0; lyra_solver_name(k, NULL); ++k) {
        const LyraSolverType *type = NULL;
        MemoryCase memory = {.name = lyra_solver_name(k, &type)};
        for (int32_t m = LYRA_CONSTRAIN_ELIMINATE; m <= LYRA_CONSTRAIN_LOW_RANK; ++m) {
            uint32_t needed = m == LYRA_CONSTRAIN_FILTER     ? LYRA_SOLVES_FILTERED
                              : m == LYRA_CONSTRAIN_LOW_RANK ? LYRA_SOLVES_DIRECTLY
                                                             : 0;
            memory.method = (LyraConstraintMethod)m;
            memory.kind = LYRA_OPERATOR_BLOCK;
            if ((type->traits & needed) == needed) {
                test_fail_each_allocation(memory_scenario, &memory);
            }
            memory.kind = LYRA_OPERATOR_CSR;
            if ((type->traits & (needed | LYRA_SOLVES_CSR)) == (needed | LYRA_SOLVES_CSR)) {
                test_fail_each_allocation(memory_scenario, &memory);
            }
        }
    }
}

LYRA_TEST(every_solver_takes_many_right_hand_sides)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    enum { COLUMNS = 3 };
    Body body = body_box(ctx, 4, 2, 2);
    LyraBlockMatrix *S = body_dynamics(&body, 0.01);
    LyraOperator A = lyra_operator_block(S, true);
    int32_t n = body.size;
    double *B = body_random(COLUMNS * n, 7), *X = body_allocate(COLUMNS * n, sizeof *X);
    double *x = body_allocate(n, sizeof *x);
    for (int32_t k = 0; lyra_solver_name(k, NULL); ++k) {
        LyraSolver *solver = make_solver(ctx, lyra_solver_name(k, NULL));
        LyraSolveReport all, one;
        int32_t iterations = 0;
        memset(X, 0, (size_t)(COLUMNS * n) * sizeof *X);
        TEST_OK(lyra_solver_analyze(solver, &A, NULL));
        TEST_OK(lyra_solver_factor(solver, &A));
        TEST_OK(lyra_solver_solve_columns(solver, COLUMNS, B, false, X, &all));
        for (int32_t c = 0; c < COLUMNS; ++c) {
            double off = 0, size = 0;
            TEST_OK(lyra_solver_solve(solver, B + (int64_t)c * n, false, x, &one));
            iterations += one.iterations;
            for (int32_t i = 0; i < n; ++i) {
                off = fmax(off, fabs(x[i] - X[(int64_t)c * n + i]));
                size = fmax(size, fabs(x[i]));
            }
            // either is within the tolerance of iterations
            TEST_CHECK_MSG(off <= 1e-4 * size, "%s, column %d: off by %g of %g",
                           lyra_solver_name(k, NULL), c, off, size);
        }
        TEST_EQUAL(all.iterations, iterations);
        // from where they ended there is nothing left to do
        TEST_OK(lyra_solver_solve_columns(solver, COLUMNS, B, true, X, &one));
        TEST_CHECK(one.iterations <= COLUMNS && one.residual <= 1e-6);
        lyra_solver_destroy(solver);
    }
    free(B);
    free(X);
    free(x);
    lyra_block_matrix_destroy(S);
    body_end(&body);
    test_context_end(ctx);
}

LYRA_TEST(solves_after_the_first_allocate_nothing)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    Body body = body_box(ctx, 6, 3, 3);
    LyraBlockMatrix *S = body_dynamics(&body, 0.01);
    LyraOperator A = lyra_operator_block(S, true);
    LyraConstraints *set = NULL;
    double *b = body_random(body.size, 1), *x = body_allocate(body.size, sizeof *x);
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, body.size, &set));
    body_constrain(&body, BODY_MOVED, set);
    for (int32_t k = 0; lyra_solver_name(k, NULL); ++k) {
        LyraSolver *solver = make_solver(ctx, lyra_solver_name(k, NULL));
        LyraSolveReport report;
        double start = ly_time();
        TEST_OK(run(solver, &A, set, b, x, &report));
        double passed = ly_time() - start;
        TEST_CHECK(report.solve_seconds >= 0 && report.factor_seconds >= 0 &&
                   report.analyze_seconds >= 0);
        TEST_CHECK(report.solve_seconds + report.factor_seconds + report.analyze_seconds <= passed);
        TEST_CHECK(report.bytes > 0);
        int64_t before = test_allocation_count();
        TEST_OK(lyra_solver_solve(solver, b, true, x, &report));
        TEST_OK(lyra_solver_factor(solver, &A));
        TEST_OK(lyra_solver_solve(solver, b, false, x, &report));
        TEST_CHECK_MSG(test_allocation_count() == before, "%s allocated %lld times",
                       lyra_solver_name(k, NULL), (long long)(test_allocation_count() - before));
        TEST_STRING(report.solver, lyra_solver_name(k, NULL));
        lyra_solver_destroy(solver);
    }
    free(b);
    free(x);
    lyra_constraints_destroy(set);
    lyra_block_matrix_destroy(S);
    body_end(&body);
    test_context_end(ctx);
}
