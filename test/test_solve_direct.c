// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Direct sparse solvers against dense factors, and what they say of matrices that have none. In a
// build without the library of a solver its tests check that it says so.

#include "solve_cases.h"

// by a symmetric factor without pivoting; by any factor; and by one that is reused besides
static const char *const symmetric[] = {"cholesky", "band", "cholmod"};
static const char *const any[] = {"umfpack", "mumps", "pardiso"}; // unsymmetric ones too
static const char *const direct[] = {"cholesky", "band",    "cholmod", "umfpack",
                                     "mumps",    "spooles", "pardiso"};
static const char *const factoring[] = {"cholesky", "cholmod", "umfpack",
                                        "mumps",    "pardiso", "factor-reuse"};

enum {
    ANY = sizeof any / sizeof any[0],
    SYMMETRIC = sizeof symmetric / sizeof symmetric[0],
    DIRECT = sizeof direct / sizeof direct[0],
    FACTORING = sizeof factoring / sizeof factoring[0]
};

// forms that a solver takes, the first ones: "band" is for block matrices
static int32_t forms_of(const char *name)
{
    return strcmp(name, "band") == 0 ? SOLVE_BLOCK_FULL + 1 : SOLVE_FORMS;
}

LYRA_TEST(solvers_that_the_build_lacks_say_so)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t n = 0; n < DIRECT; ++n) {
        LyraSolver *solver = NULL;
        LyraSolverDef def = lyra_solver_def_default();
        def.name = direct[n];
        LyraStatus status = lyra_solver_create(ctx, &def, &solver);
        if (solve_has(direct[n])) {
            TEST_OK(status);
        } else {
            TEST_EQUAL(status, LYRA_UNSUPPORTED);
            TEST_CONTAINS(lyra_error_message(), direct[n]);
        }
        lyra_solver_destroy(solver);
    }
    test_context_end(ctx);
}

// ---- positive definite --------------------------------------------------------------------------

LYRA_TEST(symmetric_factors_agree_with_dense_in_every_form)
{
    for (int32_t n = 0; n < SYMMETRIC; ++n) {
        const char *name = symmetric[n];
        if (!solve_has(name)) {
            continue;
        }
        LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
        SolveCase c = solve_case(ctx, 4, 0.5, 1);
        for (int32_t form = 0; form < forms_of(name); ++form) {
            SolveRun run = solve_run(&c, form, name, LYRA_INDEFINITE_REFUSE);
            TEST_OK(run.status);
            TEST_STRING(run.report.solver, name);
            TEST_EQUAL(run.report.definiteness, LYRA_DEFINITENESS_POSITIVE);
            TEST_CHECK(run.report.factor_entries > c.size && run.report.bytes > 8 * c.size);
            TEST_CHECK(run.report.iterations == 0 && run.report.shift == 0);
            // the condition is below 1e3: all but a few digits agree
            TEST_NEAR(solve_difference(&c, run.x), 0.0, 1e-12);
        }
        solve_case_end(&c);
        test_context_end(ctx);
    }
}

LYRA_TEST(symmetric_factors_take_new_values_on_one_pattern)
{
    for (int32_t n = 0; n < SYMMETRIC; ++n) {
        const char *name = symmetric[n];
        if (!solve_has(name)) {
            continue;
        }
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        SolveCase c = solve_case(ctx, 3, 0.5, 2);
        LyraSolver *solver = solve_solver(ctx, name, LYRA_INDEFINITE_REFUSE);
        LyraOperator A = lyra_operator_block(c.upper, true);
        TEST_REQUIRE_OK(lyra_solver_analyze(solver, &A, NULL));
        for (int32_t round = 0; round < 3; ++round) {
            lyra_block_matrix_add_diagonal(c.upper, 1.0 + round, NULL);
            // a factor that fails in between does no harm
            if (round == 1) {
                lyra_block_matrix_scale(c.upper, -1.0);
                TEST_STATUS(lyra_solver_factor(solver, &A), LYRA_NOT_POSITIVE_DEFINITE);
                TEST_STATUS(lyra_solver_solve(solver, c.b, false, c.x, NULL),
                            LYRA_INVALID_ARGUMENT);
                lyra_block_matrix_scale(c.upper, -1.0);
            }
            TEST_REQUIRE_OK(lyra_solver_factor(solver, &A));
            TEST_OK(lyra_solver_solve(solver, c.b, false, c.x, NULL));
            solve_reference(&c);
            TEST_NEAR(solve_difference(&c, c.x), 0.0, 1e-12);
        }
        lyra_solver_destroy(solver);
        solve_case_end(&c);
        test_context_end(ctx);
    }
}

LYRA_TEST(direct_solvers_take_many_right_hand_sides)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    SolveCase c = solve_case(ctx, 2, 0.5, 3);
    enum { COLUMNS = 37 };
    double *B = case_vector((int64_t)COLUMNS * c.size, 5);
    double *X = case_allocate((size_t)COLUMNS * (size_t)c.size, sizeof *X);
    for (int32_t n = 0; n < DIRECT; ++n) {
        if (!solve_has(direct[n])) {
            continue;
        }
        LyraSolver *solver = solve_solver(ctx, direct[n], LYRA_INDEFINITE_REFUSE);
        LyraOperator A = lyra_operator_block(c.upper, true);
        TEST_REQUIRE_OK(lyra_solver_analyze(solver, &A, NULL));
        TEST_REQUIRE_OK(lyra_solver_factor(solver, &A));
        TEST_OK(lyra_solver_solve_columns(solver, COLUMNS, B, false, X, NULL));
        for (int32_t column = 0; column < COLUMNS; ++column) {
            memcpy(c.b, B + (int64_t)column * c.size, (size_t)c.size * sizeof(double));
            solve_reference(&c);
            TEST_NEAR(solve_difference(&c, X + (int64_t)column * c.size), 0.0, 1e-12);
        }
        lyra_solver_destroy(solver);
    }
    free(B);
    free(X);
    solve_case_end(&c);
    test_context_end(ctx);
}

// units of single unknowns that differ by 1e16 do not make a matrix singular
LYRA_TEST(direct_solvers_do_not_mind_units)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    SolveCase c = solve_case(ctx, 2, 0.5, 4);
    solve_rescale(&c, 8);
    for (int32_t n = 0; n < DIRECT; ++n) {
        if (solve_has(direct[n])) {
            SolveRun run = solve_run(&c, SOLVE_BLOCK_UPPER, direct[n], LYRA_INDEFINITE_REFUSE);
            TEST_OK(run.status);
            TEST_NEAR(run.report.residual, 0.0, 1e-12);
        }
    }
    solve_case_end(&c);
    test_context_end(ctx);
}

// ---- sizes at the edge --------------------------------------------------------------------------

LYRA_TEST(direct_solvers_take_matrices_of_any_size)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t n = 0; n < FACTORING; ++n) {
        if (!solve_has(factoring[n])) {
            continue;
        }
        for (int32_t size = 0; size <= 2; ++size) {
            // diag(4, 2) or its first
            int32_t at[2] = {0, 1};
            double value[2] = {4, 2}, b[2] = {8, 8}, x[2] = {-1, -1};
            LyraCsrPattern *pattern = NULL;
            LyraCsrMatrix *matrix = NULL;
            TEST_REQUIRE_OK(
                lyra_csr_matrix_create_entries(ctx,
                                               &(LyraCsrEntries){.row_count = size,
                                                                 .column_count = size,
                                                                 .storage = LYRA_STORAGE_UPPER,
                                                                 .count = size,
                                                                 .row = at,
                                                                 .column = at,
                                                                 .value = value},
                                               &pattern, &matrix));
            LyraOperator A = lyra_operator_csr(matrix, true);
            LyraSolver *solver = solve_solver(ctx, factoring[n], LYRA_INDEFINITE_REFUSE);
            TEST_OK(lyra_solver_analyze(solver, &A, NULL));
            TEST_OK(lyra_solver_factor(solver, &A));
            TEST_OK(lyra_solver_solve(solver, b, false, x, NULL));
            TEST_NEAR(x[0], size > 0 ? 2.0 : -1.0, 1e-15);
            TEST_NEAR(x[1], size > 1 ? 4.0 : -1.0, 1e-15);
            lyra_solver_destroy(solver);
            lyra_csr_matrix_destroy(matrix);
            lyra_csr_pattern_destroy(pattern);
        }
    }
    test_context_end(ctx);
}

// bodies apart, and vertices that nothing touches but their mass
LYRA_TEST(direct_solvers_take_bodies_apart)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(6);
    CaseStencils some = case_random(&random, 60, 2, 20);
    SolveCase c = solve_case_stencils(ctx, &some, 0.5, 7);
    for (int32_t n = 0; n < DIRECT; ++n) {
        if (solve_has(direct[n])) {
            SolveRun run = solve_run(&c, SOLVE_BLOCK_UPPER, direct[n], LYRA_INDEFINITE_REFUSE);
            TEST_OK(run.status);
            TEST_NEAR(solve_difference(&c, run.x), 0.0, 1e-12);
        }
    }
    solve_case_end(&c);
    free(some.ids);
    test_context_end(ctx);
}

// ---- matrices that have no Cholesky factor ------------------------------------------------------

LYRA_TEST(symmetric_factors_refuse_indefinite_matrices_and_say_where)
{
    for (int32_t n = 0; n < SYMMETRIC; ++n) {
        const char *name = symmetric[n];
        if (!solve_has(name)) {
            continue;
        }
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        SolveCase c = solve_case(ctx, 3, 0.5, 8);
        double push[9] = {-40, 0, 0, 0, -40, 0, 0, 0, -40};
        TEST_REQUIRE_OK(lyra_block_matrix_add_block(c.upper, 17, 17, 1.0, push));
        for (int32_t form = 0; form < forms_of(name); ++form) {
            SolveRun run = solve_run(&c, form, name, LYRA_INDEFINITE_REFUSE);
            TEST_EQUAL(run.status, LYRA_NOT_POSITIVE_DEFINITE);
            TEST_EQUAL(run.report.definiteness, LYRA_DEFINITENESS_INDEFINITE);
            TEST_CONTAINS(run.message, "not positive definite");
            TEST_CONTAINS(run.message, form <= SOLVE_BLOCK_FULL ? "vertex" : "unknown");
        }
        solve_case_end(&c);
        test_context_end(ctx);
    }
}

LYRA_TEST(symmetric_factors_name_the_vertex)
{
    for (int32_t n = 0; n < SYMMETRIC; ++n) {
        const char *name = symmetric[n];
        if (!solve_has(name)) {
            continue;
        }
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        // a diagonal matrix fails where it is negative and nowhere else
        CaseStencils none = {2, 9, 0, NULL};
        SolveCase c = solve_case_stencils(ctx, &none, 1.0, 9);
        double push[9] = {0, 0, 0, 0, -3, 0, 0, 0, 0};
        TEST_REQUIRE_OK(lyra_block_matrix_add_block(c.upper, 5, 5, 1.0, push));
        SolveRun run = solve_run(&c, SOLVE_BLOCK_UPPER, name, LYRA_INDEFINITE_REFUSE);
        TEST_EQUAL(run.status, LYRA_NOT_POSITIVE_DEFINITE);
        TEST_CONTAINS(run.message, "vertex 5");
        if (forms_of(name) == SOLVE_FORMS) {
            run = solve_run(&c, SOLVE_CSR_UPPER, name, LYRA_INDEFINITE_REFUSE);
            TEST_CONTAINS(run.message, "unknown 16");
        }
        solve_case_end(&c);
        test_context_end(ctx);
    }
}

LYRA_TEST(symmetric_factors_solve_indefinite_matrices_on_request)
{
    for (int32_t n = 0; n < SYMMETRIC; ++n) {
        const char *name = symmetric[n];
        if (!solve_has(name)) {
            continue;
        }
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        int32_t counted = 0;
        for (int32_t trial = 0; trial < 6; ++trial) {
            SolveCase c = solve_case(ctx, 3, 0.5, 10 + (uint64_t)trial);
            lyra_block_matrix_add_diagonal(c.upper, -1.0 - 0.4 * trial, NULL);
            solve_reference(&c);
            double *dense = case_dense(c.upper);
            LyraInertia inertia;
            TEST_OK(lyra_dense_inertia(ctx, c.size, dense, &inertia));
            free(dense);
            TEST_REQUIRE(inertia.negative > 0 && inertia.positive > 0);
            for (int32_t form = 0; form < forms_of(name); ++form) {
                SolveRun run = solve_run(&c, form, name, LYRA_INDEFINITE_LDL);
                TEST_OK(run.status);
                TEST_EQUAL(run.report.definiteness, LYRA_DEFINITENESS_INDEFINITE);
                // not known where another factor took over
                TEST_CHECK(run.report.negative == inertia.negative || run.report.negative == 0);
                counted += run.report.negative > 0;
                TEST_NEAR(solve_difference(&c, run.x), 0.0, 1e-9);
            }
            solve_case_end(&c);
        }
        TEST_CHECK(counted >= 4 * forms_of(name));
        test_context_end(ctx);
    }
}

// a factor without pivoting has no way to begin, or ends in rounding: another takes over
LYRA_TEST(symmetric_factors_give_way_where_pivots_are_needed)
{
    for (int32_t n = 0; n < SYMMETRIC; ++n) {
        const char *name = symmetric[n];
        if (!solve_has(name) || forms_of(name) < SOLVE_FORMS) {
            continue;
        }
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        static const double small[] = {0.0, 1e-20, -1e-17, 1e-12};
        for (int32_t s = 0; s < 4; ++s) {
            // pairs of unknowns with [small 1; 1 small]
            enum { PAIRS = 20, SIZE = 2 * PAIRS };
            int32_t row[3 * PAIRS], column[3 * PAIRS];
            double value[3 * PAIRS], b[SIZE], x[SIZE];
            for (int32_t p = 0; p < PAIRS; ++p) {
                for (int32_t e = 0; e < 3; ++e) {
                    row[3 * p + e] = 2 * p + (e == 1);
                    column[3 * p + e] = 2 * p + (e > 0);
                    value[3 * p + e] = e < 2 ? small[s] : 1.0;
                }
                b[2 * p] = 1 + p;
                b[2 * p + 1] = -2.0 * p;
            }
            LyraCsrPattern *pattern = NULL;
            LyraCsrMatrix *matrix = NULL;
            TEST_REQUIRE_OK(
                lyra_csr_matrix_create_entries(ctx,
                                               &(LyraCsrEntries){.row_count = SIZE,
                                                                 .column_count = SIZE,
                                                                 .storage = LYRA_STORAGE_UPPER,
                                                                 .count = 3 * PAIRS,
                                                                 .row = row,
                                                                 .column = column,
                                                                 .value = value},
                                               &pattern, &matrix));
            LyraOperator A = lyra_operator_csr(matrix, true);
            LyraSolver *solver = solve_solver(ctx, name, LYRA_INDEFINITE_LDL);
            TEST_OK(lyra_solver_analyze(solver, &A, NULL));
            TEST_OK(lyra_solver_factor(solver, &A));
            TEST_OK(lyra_solver_solve(solver, b, false, x, NULL));
            for (int32_t p = 0; p < PAIRS; ++p) {
                TEST_NEAR(x[2 * p], b[2 * p + 1], 1e-9);
                TEST_NEAR(x[2 * p + 1], b[2 * p], 1e-9);
            }
            lyra_solver_destroy(solver);
            lyra_csr_matrix_destroy(matrix);
            lyra_csr_pattern_destroy(pattern);
        }
        test_context_end(ctx);
    }
}

LYRA_TEST(symmetric_factors_shift_on_request_and_say_by_how_much)
{
    for (int32_t n = 0; n < SYMMETRIC; ++n) {
        const char *name = symmetric[n];
        if (!solve_has(name)) {
            continue;
        }
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        SolveCase c = solve_case(ctx, 3, 0.5, 20);
        lyra_block_matrix_add_diagonal(c.upper, -1.0, NULL);
        double *diagonal = case_allocate((size_t)c.size, sizeof *diagonal);
        lyra_block_matrix_diagonal(c.upper, diagonal);
        SolveRun run = solve_run(&c, SOLVE_BLOCK_UPPER, name, LYRA_INDEFINITE_SHIFT);
        TEST_REQUIRE_OK(run.status);
        TEST_CHECK(run.report.shift > 0 && run.report.shift <= 10);
        TEST_EQUAL(run.report.definiteness, LYRA_DEFINITENESS_INDEFINITE);
        // the answer is that of the shifted matrix
        for (int32_t i = 0; i < c.size; ++i) {
            diagonal[i] = fabs(diagonal[i]);
        }
        lyra_block_matrix_add_diagonal(c.upper, run.report.shift, diagonal);
        solve_reference(&c);
        TEST_NEAR(solve_difference(&c, run.x), 0.0, 1e-8);
        // nothing is added to a matrix that needs nothing
        run = solve_run(&c, SOLVE_BLOCK_UPPER, name, LYRA_INDEFINITE_SHIFT);
        TEST_OK(run.status);
        TEST_CHECK(run.report.shift == 0);
        free(diagonal);
        solve_case_end(&c);
        test_context_end(ctx);
    }
}

// ---- singular matrices --------------------------------------------------------------------------

// a body that nothing holds: rounding decides whether a factor exists
LYRA_TEST(singular_matrices_are_a_status)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t cells = 1; cells <= 7; ++cells) {
        SolveCase c = solve_case(ctx, cells, 0.0, 30 + (uint64_t)cells);
        for (int32_t n = 0; n < FACTORING; ++n) {
            for (int32_t mode = 0; mode < 2; ++mode) {
                if (solve_has(factoring[n])) {
                    SolveRun run =
                        solve_run(&c, SOLVE_BLOCK_UPPER, factoring[n], (LyraIndefinite)mode);
                    TEST_CHECK_MSG(run.status == LYRA_SINGULAR, "%s at %d cells: %s, %s",
                                   factoring[n], cells, lyra_status_name(run.status), run.message);
                    TEST_CHECK(run.report.definiteness == LYRA_DEFINITENESS_SINGULAR);
                }
            }
        }
        for (int32_t n = 0; n < SYMMETRIC; ++n) {
            if (solve_has(symmetric[n])) {
                SolveRun run =
                    solve_run(&c, SOLVE_BLOCK_UPPER, symmetric[n], LYRA_INDEFINITE_SHIFT);
                TEST_OK(run.status);
                TEST_CHECK(run.report.shift > 0);
            }
        }
        // held by a little, it is not singular
        lyra_block_matrix_add_diagonal(c.upper, 1e-7, NULL);
        for (int32_t n = 0; n < DIRECT; ++n) {
            if (solve_has(direct[n])) {
                SolveRun run = solve_run(&c, SOLVE_BLOCK_UPPER, direct[n], LYRA_INDEFINITE_REFUSE);
                TEST_OK(run.status);
                TEST_CHECK(run.report.residual < 1e-6);
            }
        }
        solve_case_end(&c);
    }
    test_context_end(ctx);
}

// stiffness of a box of tets at rest, on springs at its end of least x if `held`
static SolveCase solid_case(LyraContext *ctx, const int32_t cells[3], const double size[3],
                            bool held)
{
    LyraMesh *mesh = NULL;
    LyraSolid *solid = NULL;
    LyraAssembly *assembly = NULL;
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    memcpy(shape.cells, cells, sizeof shape.cells);
    memcpy(shape.size, size, sizeof shape.size);
    LyraSolidDef def = lyra_solid_def_default();
    TEST_OK(lyra_mesh_generate(ctx, &shape, &mesh));
    TEST_OK(lyra_solid_create(ctx, mesh, &def, &solid));
    LyraMeshView view = lyra_mesh_view(mesh);
    int32_t count;
    LyraForce *const *forces = lyra_solid_forces(solid, &count);
    TEST_OK(lyra_assembly_create(ctx, view.vertex_count, view.positions, count, forces, &assembly));
    SolveCase c = {.ctx = ctx, .size = 3 * view.vertex_count};
    TEST_OK(lyra_block_pattern_convert(lyra_assembly_pattern(assembly), LYRA_STORAGE_UPPER,
                                       &c.pattern));
    LyraBlockMatrix *K = NULL;
    TEST_OK(lyra_block_matrix_create(lyra_assembly_pattern(assembly), &K));
    TEST_OK(lyra_block_matrix_create(c.pattern, &c.upper));
    LyraEvaluation evaluation = {.x = view.positions, .dfdx = K};
    TEST_OK(lyra_assembly_evaluate(assembly, &evaluation));
    TEST_OK(lyra_block_matrix_assign(c.upper, K));
    const double stiff[9] = {1e6, 0, 0, 0, 1e6, 0, 0, 0, 1e6};
    for (int32_t i = 0; i < view.vertex_count && held; ++i) {
        if (view.positions[3 * i] < -0.499 * size[0]) {
            TEST_OK(lyra_block_matrix_add_block(c.upper, i, i, 1.0, stiff));
        }
    }
    c.b = case_vector(c.size, 1);
    c.x = case_vector(c.size, 2);
    c.expected = case_vector(c.size, 3);
    lyra_block_matrix_destroy(K);
    lyra_assembly_destroy(assembly);
    lyra_solid_destroy(solid);
    lyra_mesh_destroy(mesh);
    return c;
}

LYRA_TEST(free_solids_are_singular_and_held_ones_are_not)
{
    static const struct {
        int32_t cells[3];
        double size[3];
    } boxes[] = {
        {{1, 1, 1}, {1, 1, 1}},          {{4, 4, 4}, {1, 1, 1}},
        {{8, 8, 8}, {1, 1, 1}},          {{14, 14, 14}, {1, 1, 1}},
        {{100, 1, 1}, {100, 0.5, 0.25}}, {{300, 2, 1}, {1e-3, 1e-5, 1e-5}},
    };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t box = 0; box < 6; ++box) {
        for (int32_t held = 0; held < 2; ++held) {
            SolveCase c = solid_case(ctx, boxes[box].cells, boxes[box].size, held);
            // LU of the largest takes its time
            for (int32_t n = 0; n < DIRECT; ++n) {
                bool slow = box == 3 && strcmp(direct[n], "umfpack") == 0;
                if (slow || !solve_has(direct[n])) {
                    continue;
                }
                SolveRun run = solve_run(&c, SOLVE_BLOCK_UPPER, direct[n], LYRA_INDEFINITE_REFUSE);
                TEST_CHECK_MSG(run.status == (held ? LYRA_OK : LYRA_SINGULAR),
                               "%s, box %d, held %d: %s, %s", direct[n], box, held,
                               lyra_status_name(run.status), run.message);
                TEST_CHECK(!held || run.report.residual < 1e-7);
            }
            solve_case_end(&c);
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(singular_and_indefinite_is_singular)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t trial = 0; trial < 4; ++trial) {
        // springs, some of which push: translations stay free
        SolveCase c = solve_case(ctx, 2, 0.0, 40 + (uint64_t)trial);
        solve_springs(&c, -3.0, 50 + (uint64_t)trial);
        for (int32_t n = 0; n < DIRECT; ++n) {
            if (solve_has(direct[n])) {
                SolveRun run = solve_run(&c, SOLVE_BLOCK_UPPER, direct[n], LYRA_INDEFINITE_LDL);
                TEST_CHECK_MSG(run.status == LYRA_SINGULAR, "%s: %s, %s", direct[n],
                               lyra_status_name(run.status), run.message);
            }
        }
        solve_case_end(&c);
    }
    test_context_end(ctx);
}

LYRA_TEST(values_that_are_no_numbers_are_a_status)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    SolveCase c = solve_case(ctx, 2, 0.5, 60);
    for (int32_t n = 0; n < FACTORING; ++n) {
        for (int32_t k = 0; k < 3 && solve_has(factoring[n]); ++k) {
            double *value = lyra_block_matrix_values_mutable(c.upper) + 9 * 11 + 4;
            double good = *value;
            *value = bad[k];
            SolveRun run = solve_run(&c, SOLVE_BLOCK_UPPER, factoring[n], LYRA_INDEFINITE_LDL);
            TEST_EQUAL(run.status, LYRA_NOT_FINITE);
            *value = good;
            c.b[3] = bad[k];
            run = solve_run(&c, SOLVE_BLOCK_UPPER, factoring[n], LYRA_INDEFINITE_LDL);
            TEST_EQUAL(run.status, LYRA_NOT_FINITE);
            c.b[3] = 1.0;
        }
    }
    solve_case_end(&c);
    test_context_end(ctx);
}

// ---- unsymmetric --------------------------------------------------------------------------------

LYRA_TEST(factors_with_pivots_agree_with_dense_for_any_matrix)
{
    for (int32_t n = 0; n < ANY; ++n) {
        if (!solve_has(any[n])) {
            continue;
        }
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        CaseStencils box = case_box(3, 3, 3);
        LyraBlockPattern *pattern = case_pattern(ctx, &box, LYRA_STORAGE_FULL);
        for (uint64_t seed = 1; seed <= 5; ++seed) {
            LyraBlockMatrix *matrix = case_matrix(pattern, seed);
            int32_t size = 3 * box.vertex_count;
            double *b = case_vector(size, seed + 10), *x = case_vector(size, seed + 20);
            double *dense = case_dense(matrix), *expected = case_vector(size, seed + 30);
            // row-major is the transpose of column-major
            for (int32_t i = 0; i < size; ++i) {
                for (int32_t j = 0; j < i; ++j) {
                    double keep = dense[(int64_t)i * size + j];
                    dense[(int64_t)i * size + j] = dense[(int64_t)j * size + i];
                    dense[(int64_t)j * size + i] = keep;
                }
            }
            LyraDenseFactor *lu = NULL;
            TEST_REQUIRE_OK(lyra_dense_factor_create(ctx, LYRA_FACTOR_LU, size, dense, &lu));
            TEST_OK(lyra_dense_factor_solve(lu, 1, b, expected));
            double rcond = lyra_dense_factor_rcond(lu), worst = 0, largest = 0;
            lyra_dense_factor_destroy(lu);
            LyraOperator A = lyra_operator_block(matrix, false);
            LyraSolver *solver = solve_solver(ctx, any[n], LYRA_INDEFINITE_REFUSE);
            TEST_OK(lyra_solver_analyze(solver, &A, NULL));
            TEST_OK(lyra_solver_factor(solver, &A));
            TEST_OK(lyra_solver_solve(solver, b, false, x, NULL));
            for (int32_t i = 0; i < size; ++i) {
                worst = fmax(worst, fabs(x[i] - expected[i]));
                largest = fmax(largest, fabs(expected[i]));
            }
            // both solutions are off by the rounding unit over the reciprocal condition
            TEST_NEAR(worst / largest, 0.0, 1e-14 / rcond);
            lyra_solver_destroy(solver);
            lyra_block_matrix_destroy(matrix);
            free(b);
            free(x);
            free(dense);
            free(expected);
        }
        lyra_block_pattern_destroy(pattern);
        free(box.ids);
        test_context_end(ctx);
    }
}

LYRA_TEST(factors_with_pivots_solve_what_needs_pivots)
{
    for (int32_t n = 0; n < ANY; ++n) {
        if (!solve_has(any[n])) {
            continue;
        }
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        // a cycle: x[i] stands in row i + 1; and the same with two rows alike
        enum { SIZE = 12 };
        int32_t row[SIZE], column[SIZE];
        double value[SIZE], b[SIZE], x[SIZE];
        for (int32_t i = 0; i < SIZE; ++i) {
            row[i] = (i + 1) % SIZE;
            column[i] = i;
            value[i] = ldexp(1.0, 20 * (i % 3) - 20);
            b[row[i]] = (1.0 + i) * value[i];
        }
        for (int32_t singular = 0; singular < 2; ++singular) {
            column[3] = singular ? 4 : 3;
            LyraCsrPattern *pattern = NULL;
            LyraCsrMatrix *matrix = NULL;
            TEST_REQUIRE_OK(
                lyra_csr_matrix_create_entries(ctx,
                                               &(LyraCsrEntries){.row_count = SIZE,
                                                                 .column_count = SIZE,
                                                                 .storage = LYRA_STORAGE_FULL,
                                                                 .count = SIZE,
                                                                 .row = row,
                                                                 .column = column,
                                                                 .value = value},
                                               &pattern, &matrix));
            LyraOperator A = lyra_operator_csr(matrix, false);
            LyraSolver *solver = solve_solver(ctx, any[n], LYRA_INDEFINITE_REFUSE);
            TEST_OK(lyra_solver_analyze(solver, &A, NULL));
            if (singular) {
                TEST_STATUS(lyra_solver_factor(solver, &A), LYRA_SINGULAR);
            } else {
                TEST_OK(lyra_solver_factor(solver, &A));
                TEST_OK(lyra_solver_solve(solver, b, false, x, NULL));
                for (int32_t i = 0; i < SIZE; ++i) {
                    TEST_NEAR(x[i], 1.0 + i, 1e-14);
                }
            }
            lyra_solver_destroy(solver);
            lyra_csr_matrix_destroy(matrix);
            lyra_csr_pattern_destroy(pattern);
        }
        test_context_end(ctx);
    }
}

// ---- memory and bits ----------------------------------------------------------------------------

static LyraStatus solve_once(LyraContext *ctx, void *data)
{
    const char *name = data;
    CaseStencils box = case_box(2, 2, 1);
    LyraStencils set = case_view(&box);
    LyraBlockPattern *pattern = NULL;
    LyraBlockMatrix *matrix = NULL;
    LyraSolver *solver = NULL;
    double b[54], x[54];
    for (int32_t i = 0; i < 54; ++i) {
        b[i] = i;
    }
    LyraSolverDef def = lyra_solver_def_default();
    def.name = name;
    LyraStatus status =
        lyra_block_pattern_create(ctx, box.vertex_count, LYRA_STORAGE_UPPER, 1, &set, &pattern);
    status = status == LYRA_OK ? lyra_block_matrix_create(pattern, &matrix) : status;
    if (status == LYRA_OK) {
        lyra_block_matrix_add_diagonal(matrix, 2.0, NULL);
    }
    LyraOperator A = {0};
    if (status == LYRA_OK) {
        A = lyra_operator_block(matrix, true);
        status = lyra_solver_create(ctx, &def, &solver);
    }
    status = status == LYRA_OK ? lyra_solver_analyze(solver, &A, NULL) : status;
    status = status == LYRA_OK ? lyra_solver_factor(solver, &A) : status;
    status = status == LYRA_OK ? lyra_solver_solve(solver, b, false, x, NULL) : status;
    lyra_solver_destroy(solver);
    lyra_block_matrix_destroy(matrix);
    lyra_block_pattern_destroy(pattern);
    free(box.ids);
    return status;
}

LYRA_TEST(direct_solvers_survive_want_of_memory)
{
    for (int32_t n = 0; n < FACTORING; ++n) {
        if (solve_has(factoring[n])) {
            test_fail_each_allocation(solve_once, (void *)factoring[n]);
        }
    }
}

enum { BITS_CELLS = 6, BITS_SIZE = 3 * 7 * 7 * 7 };

static void solve_for_bits(LyraContext *ctx, void *data, void *out)
{
    SolveCase c = solve_case(ctx, BITS_CELLS, 0.5, 70);
    SolveRun run = solve_run(&c, SOLVE_BLOCK_UPPER, data, LYRA_INDEFINITE_REFUSE);
    TEST_OK(run.status);
    memcpy(out, run.x, BITS_SIZE * sizeof(double));
    solve_case_end(&c);
}

LYRA_TEST(direct_solvers_repeat_to_the_last_bit)
{
    for (int32_t n = 0; n < FACTORING; ++n) {
        if (solve_has(factoring[n])) {
            test_same_bits(solve_for_bits, (void *)factoring[n], BITS_SIZE * sizeof(double));
        }
    }
}
