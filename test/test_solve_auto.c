// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The choice of "auto": the rule of docs/solvers.md, line by line; and the settings by default.

#include "solve_cases.h"

/// Settings and a matrix, and what serves.
typedef struct Choice {
    int32_t unknowns; // of a diagonal matrix
    LyraOperatorKind kind;
    bool symmetric;
    LyraSolverDef def;
} Choice;

static Choice choice(int32_t unknowns, LyraSolverTask task)
{
    Choice c = {unknowns, LYRA_OPERATOR_BLOCK, true, lyra_solver_def_default()};
    c.def.task = task;
    return c;
}

static void apply_nothing(void *user, const double *x, double *y)
{
    (void)user;
    (void)x;
    (void)y;
}

static bool chooses(LyraContext *ctx, const Choice *c, const char *expected)
{
    LyraBlockPattern *pattern = NULL;
    LyraBlockMatrix *block = NULL;
    LyraSolver *solver = NULL;
    double one = 1;
    LyraOperator A;
    if (c->kind == LYRA_OPERATOR_BLOCK) {
        TEST_OK(lyra_block_pattern_create(ctx, c->unknowns / 3,
                                          c->symmetric ? LYRA_STORAGE_UPPER : LYRA_STORAGE_FULL, 0,
                                          NULL, &pattern));
        TEST_OK(lyra_block_matrix_create(pattern, &block));
        A = lyra_operator_block(block, c->symmetric);
    } else if (c->kind == LYRA_OPERATOR_DENSE) {
        A = lyra_operator_dense(c->unknowns, &one, c->symmetric);
    } else {
        A = lyra_operator_callback(c->unknowns, c->symmetric, apply_nothing, NULL, NULL);
    }
    TEST_OK(lyra_solver_create(ctx, &c->def, &solver));
    TEST_STRING(lyra_solver_choice(solver), "auto");
    TEST_OK(lyra_solver_analyze(solver, &A, NULL));
    bool holds = strcmp(lyra_solver_choice(solver), expected) == 0;
    TEST_CHECK_MSG(holds, "%d unknowns, task %d: %s, expected %s", c->unknowns, (int)c->def.task,
                   lyra_solver_choice(solver), expected);
    lyra_solver_destroy(solver);
    lyra_block_matrix_destroy(block);
    lyra_block_pattern_destroy(pattern);
    return holds;
}

LYRA_TEST(auto_chooses_for_symmetric_matrices)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Choice c = choice(60, LYRA_SOLVER_DYNAMICS);
    chooses(ctx, &c, "dense");
    c = choice(63, LYRA_SOLVER_DYNAMICS);
    chooses(ctx, &c, "pcg");
    c = choice(60, LYRA_SOLVER_STATICS);
    chooses(ctx, &c, "dense");
    c = choice(63, LYRA_SOLVER_STATICS);
    chooses(ctx, &c, "pcg");
    c = choice(300000, LYRA_SOLVER_DYNAMICS);
    chooses(ctx, &c, "pcg");
    c = choice(3000, LYRA_SOLVER_STATICS);
    chooses(ctx, &c, "pcg");
    c = choice(99999, LYRA_SOLVER_STATICS);
    chooses(ctx, &c, "pcg");
    c = choice(100002, LYRA_SOLVER_STATICS);
    chooses(ctx, &c, "pcg");
    c = choice(300000, LYRA_SOLVER_MANY);
    chooses(ctx, &c, "cholesky");
    c = choice(300003, LYRA_SOLVER_MANY);
    chooses(ctx, &c, "pcg");
    // with positions conjugate gradients have a coarse space
    double *positions = case_vector(60000, 1);
    c = choice(49998, LYRA_SOLVER_STATICS);
    c.def.positions = positions;
    chooses(ctx, &c, "pcg");
    c.unknowns = 50001;
    chooses(ctx, &c, "pcg");
    free(positions);
    test_context_end(ctx);
}

LYRA_TEST(auto_heeds_the_other_settings)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Choice c = choice(3000, LYRA_SOLVER_STATICS);
    c.def.preconditioner = "jacobi";
    chooses(ctx, &c, "pcg");
    c = choice(3000, LYRA_SOLVER_STATICS);
    c.def.constrain = LYRA_CONSTRAIN_FILTER;
    chooses(ctx, &c, "pcg");
    c = choice(3000, LYRA_SOLVER_DYNAMICS);
    c.def.constrain = LYRA_CONSTRAIN_LOW_RANK;
    chooses(ctx, &c, "cholesky");
    c = choice(3000, LYRA_SOLVER_DYNAMICS);
    c.def.indefinite = LYRA_INDEFINITE_SHIFT;
    chooses(ctx, &c, "cholesky");
    c.def.indefinite = LYRA_INDEFINITE_LDL;
    chooses(ctx, &c, "cholesky");
    c = choice(300003, LYRA_SOLVER_DYNAMICS);
    c.def.indefinite = LYRA_INDEFINITE_LDL;
    chooses(ctx, &c, "minres");
    test_context_end(ctx);
}

LYRA_TEST(auto_chooses_for_other_matrices)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const char *lu = solve_has("umfpack") ? "umfpack" : solve_has("mumps") ? "mumps" : NULL;
    Choice c = choice(99, LYRA_SOLVER_DYNAMICS);
    c.symmetric = false;
    chooses(ctx, &c, "dense");
    c.unknowns = 252;
    chooses(ctx, &c, lu ? lu : "dense");
    c.unknowns = 2400;
    chooses(ctx, &c, lu ? lu : "dense");
    c.unknowns = 60000;
    chooses(ctx, &c, lu ? lu : "gmres");
    c.unknowns = 120000;
    chooses(ctx, &c, "gmres");
    c = choice(1, LYRA_SOLVER_DYNAMICS);
    c.kind = LYRA_OPERATOR_DENSE;
    chooses(ctx, &c, "dense");
    c = choice(3000, LYRA_SOLVER_STATICS);
    c.kind = LYRA_OPERATOR_CALLBACK;
    chooses(ctx, &c, "pcg");
    c.symmetric = false;
    chooses(ctx, &c, "gmres");
    test_context_end(ctx);
}

LYRA_TEST(defaults_are_those_of_the_header)
{
    LyraSolverDef def = lyra_solver_def_default();
    TEST_STRING(def.name, "auto");
    TEST_STRING(def.preconditioner, "auto");
    TEST_EQUAL(def.task, LYRA_SOLVER_DYNAMICS);
    TEST_CHECK(!def.coarse && def.aggregate == 0 && def.single && !def.truncate);
    TEST_EQUAL(def.stop, LYRA_STOP_RESIDUAL);
    TEST_CHECK(def.tolerance == 1e-6);
    TEST_EQUAL(def.iterations_max, 0);
    TEST_EQUAL(def.restart, 50);
    TEST_EQUAL(def.indefinite, LYRA_INDEFINITE_REFUSE);
    TEST_EQUAL(def.constrain, LYRA_CONSTRAIN_AUTO);
    TEST_EQUAL(def.reuse_iterations, 30);
    TEST_CHECK(!def.positions && !def.labels);
}
