// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// An old factor as the preconditioner of conjugate gradients.

#include "solve_cases.h"

typedef struct Reuse {
    SolveCase c;
    LyraSolver *solver;
    LyraOperator A;
} Reuse;

static Reuse reuse_create(LyraContext *ctx, int32_t reuse_iterations, uint64_t seed)
{
    Reuse reuse = {.c = solve_case(ctx, 4, 0.5, seed)};
    LyraSolverDef def = lyra_solver_def_default();
    def.name = "factor-reuse";
    def.tolerance = 1e-12;
    def.reuse_iterations = reuse_iterations;
    TEST_OK(lyra_solver_create(ctx, &def, &reuse.solver));
    reuse.A = lyra_operator_block(reuse.c.upper, true);
    TEST_OK(lyra_solver_analyze(reuse.solver, &reuse.A, NULL));
    return reuse;
}

static void reuse_end(Reuse *reuse)
{
    lyra_solver_destroy(reuse->solver);
    solve_case_end(&reuse->c);
}

// factors, solves, and checks the answer
static LyraSolveReport reuse_step(Reuse *reuse)
{
    LyraSolveReport report = {0};
    TEST_OK(lyra_solver_factor(reuse->solver, &reuse->A));
    TEST_OK(lyra_solver_solve(reuse->solver, reuse->c.b, false, reuse->c.x, &report));
    solve_reference(&reuse->c);
    TEST_NEAR(solve_difference(&reuse->c, reuse->c.x), 0.0, 1e-9);
    TEST_STRING(report.solver, "factor-reuse");
    return report;
}

LYRA_TEST(an_old_factor_serves_the_next_values)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Reuse reuse = reuse_create(ctx, 30, 1);
    LyraSolveReport report = reuse_step(&reuse);
    TEST_CHECK(report.refactored && report.iterations <= 2);
    TEST_CHECK(report.factor_entries > reuse.c.size);
    TEST_STRING(report.preconditioner, "cholesky");
    int32_t before = report.iterations;
    for (int32_t step = 0; step < 4; ++step) {
        lyra_block_matrix_add_diagonal(reuse.c.upper, 0.1, NULL);
        report = reuse_step(&reuse);
        TEST_CHECK(!report.refactored);
        // the farther from the factor, the more iterations
        TEST_CHECK(report.iterations >= before && report.iterations <= 30);
        before = report.iterations;
    }
    TEST_CHECK(before > 2);
    reuse_end(&reuse);
    test_context_end(ctx);
}

// a slow solve has the next values factored; the one after finds the new factor
LYRA_TEST(slow_solves_ask_for_a_new_factor)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Reuse reuse = reuse_create(ctx, 6, 2);
    TEST_CHECK(reuse_step(&reuse).refactored);
    lyra_block_matrix_add_diagonal(reuse.c.upper, 2.0, NULL);
    LyraSolveReport report = reuse_step(&reuse);
    TEST_CHECK(!report.refactored && report.iterations > 6 && report.iterations <= 24);
    lyra_block_matrix_add_diagonal(reuse.c.upper, 1e-3, NULL);
    report = reuse_step(&reuse);
    TEST_CHECK(report.refactored && report.iterations <= 2);
    lyra_block_matrix_add_diagonal(reuse.c.upper, 1e-3, NULL);
    report = reuse_step(&reuse);
    TEST_CHECK(!report.refactored && report.iterations <= 6);
    reuse_end(&reuse);
    test_context_end(ctx);
}

LYRA_TEST(failed_solves_get_a_new_factor_at_once)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Reuse reuse = reuse_create(ctx, 1, 3);
    TEST_CHECK(reuse_step(&reuse).refactored);
    // far away: four iterations do not do
    lyra_block_matrix_add_diagonal(reuse.c.upper, 300.0, NULL);
    solve_rescale(&reuse.c, 1);
    LyraSolveReport report = reuse_step(&reuse);
    TEST_CHECK(report.refactored);
    TEST_EQUAL(report.definiteness, LYRA_DEFINITENESS_POSITIVE);
    reuse_end(&reuse);
    test_context_end(ctx);
}

LYRA_TEST(values_that_turn_indefinite_are_found)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Reuse reuse = reuse_create(ctx, 30, 4);
    TEST_CHECK(reuse_step(&reuse).refactored);
    lyra_block_matrix_add_diagonal(reuse.c.upper, -3.0, NULL);
    LyraSolveReport report;
    TEST_OK(lyra_solver_factor(reuse.solver, &reuse.A));
    TEST_STATUS(lyra_solver_solve(reuse.solver, reuse.c.b, false, reuse.c.x, &report),
                LYRA_NOT_POSITIVE_DEFINITE);
    TEST_EQUAL(report.definiteness, LYRA_DEFINITENESS_INDEFINITE);
    // and nothing stays of it
    lyra_block_matrix_add_diagonal(reuse.c.upper, 3.0, NULL);
    TEST_CHECK(reuse_step(&reuse).refactored);
    reuse_end(&reuse);
    test_context_end(ctx);
}

// a run that starts anew at the values of the last factor goes on with the same bits
LYRA_TEST(a_restart_at_the_factored_values_repeats)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Reuse first = reuse_create(ctx, 30, 5), second = reuse_create(ctx, 30, 5);
    for (int32_t step = 0; step < 3; ++step) {
        lyra_block_matrix_add_diagonal(first.c.upper, step == 0 ? 0.0 : 0.05, NULL);
        TEST_CHECK(reuse_step(&first).refactored == (step == 0));
    }
    TEST_CHECK(reuse_step(&second).refactored);
    for (int32_t step = 1; step < 3; ++step) {
        lyra_block_matrix_add_diagonal(second.c.upper, 0.05, NULL);
    }
    TEST_CHECK(!reuse_step(&second).refactored);
    TEST_CHECK(case_equal(first.c.x, second.c.x, first.c.size));
    reuse_end(&first);
    reuse_end(&second);
    test_context_end(ctx);
}

LYRA_TEST(start_values_and_tolerances_are_heeded)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Reuse reuse = reuse_create(ctx, 30, 6);
    reuse_step(&reuse);
    lyra_block_matrix_add_diagonal(reuse.c.upper, 1.0, NULL);
    LyraSolveReport tight = reuse_step(&reuse), loose, warm;
    TEST_OK(lyra_solver_solve(reuse.solver, reuse.c.b, true, reuse.c.x, &warm));
    TEST_CHECK(warm.iterations <= 1);
    TEST_OK(lyra_solver_set_tolerance(reuse.solver, 1e-2));
    TEST_OK(lyra_solver_solve(reuse.solver, reuse.c.b, false, reuse.c.x, &loose));
    TEST_CHECK(loose.iterations < tight.iterations && loose.residual <= 1e-2);
    reuse_end(&reuse);
    test_context_end(ctx);
}
