// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Our own solvers give the same bits at any thread count, with every form of constraints they take.

#include "solve_bodies.h"

// vertices of the box below, enough for several pieces of every loop
#define CELLS_X 24
#define CELLS_YZ 12
#define SIZE (3 * (CELLS_X + 1) * (CELLS_YZ + 1) * (CELLS_YZ + 1))

typedef struct BitsCase {
    const char *solver, *preconditioner;
    LyraConstraintMethod method;
    bool coarse, single;
} BitsCase;

static void solve_bits(LyraContext *ctx, void *data, void *out)
{
    const BitsCase *bits = data;
    Body body = body_box(ctx, CELLS_X, CELLS_YZ, CELLS_YZ);
    TEST_REQUIRE(body.size == SIZE);
    LyraBlockMatrix *S = body_dynamics(&body, 0.003);
    LyraOperator A = lyra_operator_block(S, true);
    LyraConstraints *set = NULL;
    LyraSolver *solver = NULL;
    double *b = body_random(SIZE, 1);
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, SIZE, &set));
    body_constrain(&body, BODY_SLANTED, set);
    LyraSolverDef def = lyra_solver_def_default();
    def.name = bits->solver;
    def.preconditioner = bits->preconditioner;
    def.constrain = bits->method;
    def.coarse = bits->coarse;
    def.single = bits->single;
    def.positions = body.positions;
    def.tolerance = 1e-5;
    TEST_OK(lyra_solver_create(ctx, &def, &solver));
    TEST_OK(lyra_solver_analyze(solver, &A, set));
    TEST_OK(lyra_solver_factor(solver, &A));
    TEST_OK(lyra_solver_solve(solver, b, false, out, NULL));
    free(b);
    lyra_solver_destroy(solver);
    lyra_constraints_destroy(set);
    lyra_block_matrix_destroy(S);
    body_end(&body);
}

static void check_bits(BitsCase bits)
{
    test_same_bits(solve_bits, &bits, (size_t)SIZE * sizeof(double));
}

LYRA_TEST(iterative_solvers_have_the_same_bits)
{
    for (int32_t k = 0; lyra_solver_name(k, NULL); ++k) {
        const LyraSolverType *type = NULL;
        const char *name = lyra_solver_name(k, &type);
        // "factor-reuse" rests on another library's factor
        if (type->traits & LYRA_SOLVES_DIRECTLY || strcmp(name, "factor-reuse") == 0) {
            continue;
        }
        check_bits((BitsCase){name, "auto", LYRA_CONSTRAIN_AUTO, false, true});
        check_bits((BitsCase){name, "auto", LYRA_CONSTRAIN_ELIMINATE, false, true});
    }
}

LYRA_TEST(coarse_spaces_have_the_same_bits)
{
    check_bits((BitsCase){"pcg", "ssor", LYRA_CONSTRAIN_FILTER, true, true});
    check_bits((BitsCase){"pcg", "ic0", LYRA_CONSTRAIN_FILTER, true, false});
}
