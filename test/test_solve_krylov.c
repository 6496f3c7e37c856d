// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// MINRES, BiCGStab and GMRES on dense, scalar, block and callback operators: indefinite,
// unsymmetric, singular, and the vectors they rest on.

#include "lyra/csr.h"
#include "lyra/dense.h"
#include "lyra/solver.h"
#include "lyra_test.h"
#include "solve/solve.h"

#include <stdlib.h>
#include <string.h>

#define SIZE 60

// symmetric indefinite, or unsymmetric, with eigenvalues away from zero
static void fill(bool symmetric, double *A)
{
    TestRandom random = test_random(5);
    for (int32_t j = 0; j < SIZE; ++j) {
        for (int32_t i = 0; i < SIZE; ++i) {
            A[i + j * SIZE] = 0.3 * test_random_normal(&random) / sqrt(SIZE);
        }
    }
    for (int32_t j = 0; j < SIZE; ++j) {
        for (int32_t i = 0; symmetric && i < j; ++i) {
            A[i + j * SIZE] = A[j + i * SIZE];
        }
        A[j + j * SIZE] += symmetric && j % 3 == 0 ? -2.0 - 0.05 * j : 2.0 + 0.1 * j;
    }
}

static LyraStatus solve_once(LyraContext *ctx, const char *name, const LyraOperator *A,
                             double tolerance, const double *b, double *x, LyraSolveReport *report)
{
    LyraSolverDef def = lyra_solver_def_default();
    def.name = name;
    def.tolerance = tolerance;
    LyraSolver *solver = NULL;
    LyraStatus status = lyra_solver_create(ctx, &def, &solver);
    if (status == LYRA_OK) {
        status = lyra_solver_analyze(solver, A, NULL);
    }
    if (status == LYRA_OK) {
        status = lyra_solver_factor(solver, A);
    }
    if (status == LYRA_OK) {
        status = lyra_solver_solve(solver, b, false, x, report);
    }
    lyra_solver_destroy(solver);
    return status;
}

static void apply_dense(void *user, const double *x, double *y)
{
    const double *A = user;
    for (int32_t i = 0; i < SIZE; ++i) {
        y[i] = 0.0;
        for (int32_t j = 0; j < SIZE; ++j) {
            y[i] += A[i + j * SIZE] * x[j];
        }
    }
}

static void check_forms(const char *name, bool symmetric)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    double *A = malloc(SIZE * SIZE * 8), b[SIZE], x[SIZE], exact[SIZE];
    fill(symmetric, A);
    for (int32_t i = 0; i < SIZE; ++i) {
        b[i] = cos(i);
    }
    LyraDenseFactor *factor = NULL;
    TEST_OK(lyra_dense_factor_create(ctx, LYRA_FACTOR_LU, SIZE, A, &factor));
    TEST_OK(lyra_dense_factor_solve(factor, 1, b, exact));
    lyra_dense_factor_destroy(factor);
    // the same matrix in four forms
    int32_t row[SIZE * SIZE], column[SIZE * SIZE];
    for (int32_t k = 0; k < SIZE * SIZE; ++k) {
        row[k] = k % SIZE;
        column[k] = k / SIZE;
    }
    LyraCsrPattern *pattern = NULL;
    LyraCsrMatrix *csr = NULL;
    TEST_OK(lyra_csr_matrix_create_entries(ctx,
                                           &(LyraCsrEntries){.row_count = SIZE,
                                                             .column_count = SIZE,
                                                             .storage = LYRA_STORAGE_FULL,
                                                             .count = SIZE * SIZE,
                                                             .row = row,
                                                             .column = column,
                                                             .value = A},
                                           &pattern, &csr));
    int64_t row_start[SIZE / 3 + 1];
    for (int32_t i = 0; i <= SIZE / 3; ++i) {
        row_start[i] = i * (SIZE / 3);
    }
    for (int32_t k = 0; k < SIZE * SIZE / 9; ++k) {
        column[k] = k % (SIZE / 3);
    }
    LyraBlockPattern *block_pattern = NULL;
    LyraBlockMatrix *block = NULL;
    TEST_OK(lyra_block_pattern_create_rows(ctx, SIZE / 3, LYRA_STORAGE_FULL, row_start, column,
                                           &block_pattern));
    TEST_OK(lyra_block_matrix_create(block_pattern, &block));
    TEST_OK(lyra_block_matrix_assign_csr(block, csr));
    LyraOperator forms[] = {lyra_operator_dense(SIZE, A, symmetric),
                            lyra_operator_csr(csr, symmetric),
                            lyra_operator_block(block, symmetric),
                            lyra_operator_callback(SIZE, symmetric, apply_dense, A, NULL)};
    for (int32_t f = 0; f < 4; ++f) {
        LyraSolveReport report = {0};
        TEST_OK(solve_once(ctx, name, &forms[f], 1e-12, b, x, &report));
        TEST_CHECK(report.iterations > 0 && report.residual <= 1e-12);
        for (int32_t i = 0; i < SIZE; ++i) {
            TEST_NEAR(x[i], exact[i], 1e-10);
        }
    }
    lyra_block_matrix_destroy(block);
    lyra_block_pattern_destroy(block_pattern);
    lyra_csr_matrix_destroy(csr);
    lyra_csr_pattern_destroy(pattern);
    free(A);
    test_context_end(ctx);
}

LYRA_TEST(minres_solves_indefinite_systems_in_all_forms)
{
    check_forms("minres", true);
}

LYRA_TEST(bicgstab_solves_unsymmetric_systems_in_all_forms)
{
    check_forms("bicgstab", false);
}

LYRA_TEST(gmres_solves_unsymmetric_systems_in_all_forms)
{
    check_forms("gmres", false);
}

LYRA_TEST(gmres_survives_restarts)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double *A = malloc(SIZE * SIZE * 8), b[SIZE], x[SIZE];
    fill(false, A);
    for (int32_t i = 0; i < SIZE; ++i) {
        b[i] = sin(3.0 * i);
    }
    LyraOperator op = lyra_operator_dense(SIZE, A, false);
    LyraSolverDef def = lyra_solver_def_default();
    def.name = "gmres";
    def.restart = 4;
    def.tolerance = 1e-10;
    LyraSolver *solver = NULL;
    LyraSolveReport report = {0};
    TEST_OK(lyra_solver_create(ctx, &def, &solver));
    TEST_OK(lyra_solver_analyze(solver, &op, NULL));
    TEST_OK(lyra_solver_factor(solver, &op));
    TEST_OK(lyra_solver_solve(solver, b, false, x, &report));
    TEST_CHECK(report.refinements > 0 && report.residual <= 1e-10);
    int64_t before = test_allocation_count();
    TEST_OK(lyra_solver_solve(solver, b, true, x, &report));
    TEST_EQUAL(report.iterations, 0);
    TEST_EQUAL(test_allocation_count(), before);
    lyra_solver_destroy(solver);
    free(A);
    test_context_end(ctx);
}

// units of the matrix and of the load change the answer by their ratio, and nothing else
LYRA_TEST(units_do_not_matter)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double *A = malloc(SIZE * SIZE * 8), *scaled = malloc(SIZE * SIZE * 8);
    double b[SIZE], x[SIZE], y[SIZE];
    const char *names[] = {"minres", "bicgstab", "gmres"};
    const double sizes[] = {0x1p-120, 0x1p120};
    for (int32_t k = 0; k < 3; ++k) {
        fill(k == 0, A);
        for (int32_t i = 0; i < SIZE; ++i) {
            b[i] = sin(3.0 * i);
        }
        LyraOperator op = lyra_operator_dense(SIZE, A, k == 0);
        TEST_OK(solve_once(ctx, names[k], &op, 1e-10, b, x, NULL));
        for (int32_t s = 0; s < 2; ++s) {
            for (int32_t i = 0; i < SIZE * SIZE; ++i) {
                scaled[i] = sizes[s] * A[i];
            }
            op = lyra_operator_dense(SIZE, scaled, k == 0);
            TEST_OK(solve_once(ctx, names[k], &op, 1e-10, b, y, NULL));
            for (int32_t i = 0; i < SIZE; ++i) {
                // powers of two: the very same roundings
                TEST_CHECK_MSG(sizes[s] * y[i] == x[i], "%s: %g and %g", names[k], sizes[s] * y[i],
                               x[i]);
            }
        }
    }
    free(scaled);
    free(A);
    test_context_end(ctx);
}

LYRA_TEST(singular_systems_end_with_a_status_or_a_solution)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double A[9] = {1, 0, 0, 0, -2, 0, 0, 0, 0}, in[3] = {1, 1, 0}, out[3] = {1, 1, 1}, x[3];
    const char *names[] = {"minres", "bicgstab", "gmres"};
    for (int32_t k = 0; k < 3; ++k) {
        LyraOperator op = lyra_operator_dense(3, A, true);
        TEST_OK(solve_once(ctx, names[k], &op, 1e-10, in, x, NULL));
        TEST_NEAR(x[0], 1.0, 1e-9);
        TEST_NEAR(x[1], -0.5, 1e-9);
        TEST_STATUS(solve_once(ctx, names[k], &op, 1e-10, out, x, NULL), LYRA_NOT_CONVERGED);
    }
    test_context_end(ctx);
}

// few distinct eigenvalues, one of them zero: the space of the iteration ends after as many steps,
// and what is left of the right-hand side is seen then, not at the limit of the iterations
LYRA_TEST(exhausted_spaces_end_the_iteration)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double *A = calloc((size_t)SIZE * SIZE, sizeof *A), b[SIZE], x[SIZE];
    const char *names[] = {"minres", "gmres"};
    for (int32_t k = 0; k < 4; ++k) {
        // -1, 0, 1 or 0, 1
        double whole = 0, left = 0, residual = 0;
        for (int32_t i = 0; i < SIZE; ++i) {
            A[i + i * SIZE] = k < 2 ? i % 3 - 1 : i % 2;
            b[i] = 1 + 0.01 * i;
            whole += b[i] * b[i];
            left += A[i + i * SIZE] == 0 ? b[i] * b[i] : 0;
        }
        LyraOperator op = lyra_operator_dense(SIZE, A, true);
        int iterations = 0;
        TEST_STATUS(solve_once(ctx, names[k % 2], &op, 1e-10, b, x, NULL), LYRA_NOT_CONVERGED);
        const char *beyond = strstr(lyra_error_message(), "beyond residual ");
        TEST_CHECK(beyond && sscanf(beyond, "beyond residual %lf of the right-hand side after %d",
                                    &residual, &iterations) == 2);
        // the least that can be left, or not much more
        double least = sqrt(left / whole);
        TEST_CHECK_MSG(residual > 0.9999 * least && residual < 1.05 * least,
                       "%s: residual %g of %g", names[k % 2], residual, least);
        // some runs of two to four, and no more than these
        TEST_CHECK_MSG(iterations <= 30, "%s: %d iterations", names[k % 2], iterations);
    }
    free(A);
    test_context_end(ctx);
}

LYRA_TEST(small_systems_are_solved)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double A[1] = {-4}, b[1] = {2}, x[1], plus[1] = {4};
    const char *names[] = {"minres", "bicgstab", "gmres", "pcg"};
    for (int32_t k = 0; k < 4; ++k) {
        LyraOperator op = lyra_operator_dense(1, k < 3 ? A : plus, true);
        TEST_OK(solve_once(ctx, names[k], &op, 1e-10, b, x, NULL));
        TEST_NEAR(fabs(x[0]), 0.5, 1e-12);
        b[0] = 0;
        TEST_OK(solve_once(ctx, names[k], &op, 1e-10, b, x, NULL));
        TEST_NEAR(x[0], 0.0, 0.0);
        b[0] = 2;
        LyraOperator empty = lyra_operator_dense(0, NULL, true);
        TEST_OK(solve_once(ctx, names[k], &empty, 1e-10, NULL, x, NULL));
    }
    test_context_end(ctx);
}

LYRA_TEST(norms_hold_at_the_ends_of_the_range)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TEST_NEAR(ly_vector_norm(ctx, 2, (double[]){3e200, 4e200}) / 5e200, 1.0, 1e-15);
    TEST_NEAR(ly_vector_norm(ctx, 2, (double[]){3e-200, 4e-200}) / 5e-200, 1.0, 1e-15);
    TEST_NEAR(ly_vector_norm(ctx, 2, (double[]){0, 0}), 0.0, 0.0);
    TEST_CHECK(isnan(ly_vector_norm(ctx, 2, (double[]){NAN, 1})));
    test_context_end(ctx);
}

// ---- conjugate gradients ------------------------------------------------------------------------

LYRA_TEST(the_limit_of_conjugate_gradients_is_that_of_one_call)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double A[4] = {2.0, 1.0, 1.0, 3.0}, b[2] = {1.0, -2.0}, x[2], work[8];
    LyraOperator matrix = lyra_operator_dense(2, A, true);
    LyCg cg = {.A = &matrix, .tolerance = 1e-12, .iterations_max = 4, .work = work};
    // what other columns took is in the report already
    LyraSolveReport report = {.iterations = 100};
    TEST_OK(ly_cg(ctx, &cg, b, false, x, &report));
    TEST_CHECK(report.iterations > 100 && report.iterations <= 104);
    TEST_NEAR(x[0], 1.0, 1e-12);
    TEST_NEAR(x[1], -1.0, 1e-12);
    // and a limit that is too small is still one
    cg.iterations_max = 1;
    TEST_STATUS(ly_cg(ctx, &cg, b, false, x, &report), LYRA_NOT_CONVERGED);
    test_context_end(ctx);
}

// ---- sweeps -------------------------------------------------------------------------------------

// flow along x over a square of SIDE^2 points: upwind differences, unsymmetric, three unknowns per
// point that are coupled
enum { SIDE = 20, FLOW_SIZE = 3 * SIDE * SIDE };

static void make_flow(LyraContext *ctx, LyraBlockPattern **pattern, LyraBlockMatrix **matrix)
{
    int64_t row_start[SIDE * SIDE + 1] = {0};
    int32_t column[5 * SIDE * SIDE], count = 0;
    double values[5 * SIDE * SIDE];
    for (int32_t i = 0; i < SIDE * SIDE; ++i) {
        int32_t x = i % SIDE, y = i / SIDE;
        const int32_t dx[5] = {0, -1, 0, 1, 0}, dy[5] = {-1, 0, 0, 0, 1};
        const double weight[5] = {-1.0, -6.0, 9.01, -1.0, -1.0};
        for (int32_t k = 0; k < 5; ++k) {
            if (x + dx[k] >= 0 && x + dx[k] < SIDE && y + dy[k] >= 0 && y + dy[k] < SIDE) {
                values[count] = weight[k];
                column[count++] = i + dx[k] + SIDE * dy[k];
            }
        }
        row_start[i + 1] = count;
    }
    TEST_OK(lyra_block_pattern_create_rows(ctx, SIDE * SIDE, LYRA_STORAGE_FULL, row_start, column,
                                           pattern));
    TEST_OK(lyra_block_matrix_create(*pattern, matrix));
    double *blocks = lyra_block_matrix_values_mutable(*matrix);
    for (int32_t k = 0; k < count; ++k) {
        const double coupling[9] = {1, 0.1, 0, -0.1, 1, 0.2, 0, -0.2, 1};
        for (int32_t e = 0; e < 9; ++e) {
            blocks[9 * k + e] = values[k] * coupling[e];
        }
    }
}

// a matrix of blocks on the diagonal alone is inverted by its blocks: one iteration is all
LYRA_TEST(blocks_without_couplings_take_one_iteration)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    enum { VERTICES = 7 };
    int32_t ids[VERTICES];
    for (int32_t i = 0; i < VERTICES; ++i) {
        ids[i] = i;
    }
    const LyraStencils alone = {.count = VERTICES, .nodes = 1, .ids = ids};
    LyraBlockPattern *pattern = NULL;
    LyraBlockMatrix *A = NULL;
    TEST_REQUIRE_OK(
        lyra_block_pattern_create(ctx, VERTICES, LYRA_STORAGE_FULL, 1, &alone, &pattern));
    TEST_REQUIRE_OK(lyra_block_matrix_create(pattern, &A));
    TestRandom random = test_random(31);
    double *values = lyra_block_matrix_values_mutable(A);
    double b[3 * VERTICES], x[3 * VERTICES], Ax[3 * VERTICES];
    for (int32_t i = 0; i < 9 * VERTICES; ++i) {
        values[i] = test_random_normal(&random) + (i % 4 == 0 ? 1 : 0);
    }
    for (int32_t i = 0; i < 3 * VERTICES; ++i) {
        b[i] = test_random_normal(&random);
    }
    LyraOperator whole = lyra_operator_block(A, false);
    static const char *const solvers[] = {"bicgstab", "gmres"};
    static const char *const ways[] = {"block-jacobi", "ssor", "ilu0"};
    for (int32_t k = 0; k < 6; ++k) {
        LyraSolverDef def = lyra_solver_def_default();
        def.name = solvers[k / 3];
        def.preconditioner = ways[k % 3];
        def.tolerance = 1e-10;
        LyraSolver *solver = NULL;
        LyraSolveReport report = {0};
        TEST_OK(lyra_solver_create(ctx, &def, &solver));
        TEST_OK(lyra_solver_analyze(solver, &whole, NULL));
        TEST_OK(lyra_solver_factor(solver, &whole));
        TEST_OK(lyra_solver_solve(solver, b, false, x, &report));
        TEST_CHECK_MSG(report.iterations == 1, "%s, %s: %d iterations", def.name,
                       def.preconditioner, report.iterations);
        lyra_operator_apply(&whole, x, Ax);
        for (int32_t i = 0; i < 3 * VERTICES; ++i) {
            TEST_NEAR(Ax[i], b[i], 1e-9);
        }
        lyra_solver_destroy(solver);
    }
    lyra_block_matrix_destroy(A);
    lyra_block_pattern_destroy(pattern);
    test_context_end(ctx);
}

LYRA_TEST(sweeps_save_iterations_on_blocks_and_scalars)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    LyraBlockPattern *pattern = NULL;
    LyraBlockMatrix *block = NULL;
    make_flow(ctx, &pattern, &block);
    LyraCsrPattern *csr_pattern = NULL;
    LyraCsrMatrix *csr = NULL;
    TEST_OK(lyra_csr_pattern_create_block(pattern, LYRA_STORAGE_FULL, &csr_pattern));
    TEST_OK(lyra_csr_matrix_create(csr_pattern, &csr));
    TEST_OK(lyra_csr_matrix_assign_block(csr, block));
    LyraOperator forms[2] = {lyra_operator_block(block, false), lyra_operator_csr(csr, false)};
    double *b = malloc(FLOW_SIZE * 8), *x = malloc(FLOW_SIZE * 8), *first = malloc(FLOW_SIZE * 8);
    for (int32_t i = 0; i < FLOW_SIZE; ++i) {
        b[i] = cos(i);
    }
    const char *const solvers[] = {"bicgstab", "gmres"};
    const char *const ways[] = {"jacobi", "ssor", "ilu0", "auto"};
    bool known = false;
    for (int32_t s = 0; s < 2; ++s) {
        for (int32_t f = 0; f < 2; ++f) {
            int32_t iterations[4] = {0};
            for (int32_t w = 0; w < 4; ++w) {
                LyraSolverDef def = lyra_solver_def_default();
                def.name = solvers[s];
                def.preconditioner = ways[w];
                def.tolerance = 1e-12;
                LyraSolver *solver = NULL;
                LyraSolveReport report = {0};
                TEST_OK(lyra_solver_create(ctx, &def, &solver));
                TEST_OK(lyra_solver_analyze(solver, &forms[f], NULL));
                TEST_OK(lyra_solver_factor(solver, &forms[f]));
                TEST_OK(lyra_solver_solve(solver, b, false, x, &report));
                TEST_STRING(report.preconditioner, w == 3 ? "ilu0" : ways[w]);
                lyra_solver_destroy(solver);
                iterations[w] = report.iterations;
                memcpy(known ? x : first, x, FLOW_SIZE * 8);
                for (int32_t i = 0; known && i < FLOW_SIZE; ++i) {
                    TEST_NEAR(x[i], first[i], 1e-10);
                }
                known = true;
            }
            TEST_CHECK_MSG(2 * iterations[1] < iterations[0] && iterations[2] <= iterations[1] &&
                               iterations[3] == iterations[2],
                           "%s, form %d: %d, %d, %d", solvers[s], (int)f, (int)iterations[0],
                           (int)iterations[1], (int)iterations[2]);
        }
    }
    free(b);
    free(x);
    free(first);
    lyra_csr_matrix_destroy(csr);
    lyra_csr_pattern_destroy(csr_pattern);
    lyra_block_matrix_destroy(block);
    lyra_block_pattern_destroy(pattern);
    test_context_end(ctx);
}

// [1 c; c 1]: the second pivot of the factor is 1 + s - c^2 / (1 + s) for a diagonal multiplied by
// 1 + s, and the first s of 0, 0.01, 0.1, 1, 10 that keeps it is taken; beyond these there is none
LYRA_TEST(factors_that_lose_pivots_are_shifted_as_far_as_needed)
{
    static const struct {
        double coupling, shift;
    } cases[] = {{0.5, 0}, {-0.9, 0}, {1.04, 0.1}, {1.5, 1}, {-5, 10}, {50, -1}};
    const int32_t row[4] = {0, 0, 1, 1}, column[4] = {0, 1, 0, 1};
    const double b[2] = {1, 2};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t k = 0; k < 12; ++k) {
        double c = cases[k / 2].coupling, shift = cases[k / 2].shift, x[2] = {0, 0};
        const double values[4] = {1, c, c, 1};
        LyraCsrPattern *pattern = NULL;
        LyraCsrMatrix *matrix = NULL;
        TEST_REQUIRE_OK(
            lyra_csr_matrix_create_entries(ctx,
                                           &(LyraCsrEntries){.row_count = 2,
                                                             .column_count = 2,
                                                             .storage = LYRA_STORAGE_FULL,
                                                             .count = 4,
                                                             .row = row,
                                                             .column = column,
                                                             .value = values},
                                           &pattern, &matrix));
        LyraOperator A = lyra_operator_csr(matrix, false);
        LyraSolverDef def = lyra_solver_def_default();
        def.name = "gmres";
        def.preconditioner = k % 2 ? "auto" : "ilu0";
        def.tolerance = 1e-10;
        LyraSolver *solver = NULL;
        LyraSolveReport report = {0};
        TEST_OK(lyra_solver_create(ctx, &def, &solver));
        TEST_OK(lyra_solver_analyze(solver, &A, NULL));
        if (shift < 0 && k % 2 == 0) {
            TEST_STATUS(lyra_solver_factor(solver, &A), LYRA_SINGULAR);
        } else {
            TEST_OK(lyra_solver_factor(solver, &A));
            TEST_OK(lyra_solver_solve(solver, b, false, x, &report));
            TEST_STRING(report.preconditioner, shift < 0 ? "jacobi" : "ilu0");
            TEST_NEAR(report.shift, shift < 0 ? 0 : shift, 1e-12);
            TEST_NEAR(x[0] + c * x[1], b[0], 1e-9);
            TEST_NEAR(c * x[0] + x[1], b[1], 1e-9);
        }
        lyra_solver_destroy(solver);
        lyra_csr_matrix_destroy(matrix);
        lyra_csr_pattern_destroy(pattern);
    }
    test_context_end(ctx);
}

LYRA_TEST(sweeps_over_a_zero_diagonal_are_refused_and_auto_does_without)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    // [0 1; 1 0], once with the zeros in the pattern and once without
    for (int32_t whole = 0; whole < 2; ++whole) {
        const int32_t row[4] = {0, 1, 0, 1}, column[4] = {1, 0, 0, 1};
        const double values[4] = {1, 1, 0, 0}, b[2] = {3, 4};
        LyraCsrPattern *pattern = NULL;
        LyraCsrMatrix *matrix = NULL;
        TEST_OK(lyra_csr_matrix_create_entries(ctx,
                                               &(LyraCsrEntries){.row_count = 2,
                                                                 .column_count = 2,
                                                                 .storage = LYRA_STORAGE_FULL,
                                                                 .count = whole ? 4 : 2,
                                                                 .row = row,
                                                                 .column = column,
                                                                 .value = values},
                                               &pattern, &matrix));
        LyraOperator A = lyra_operator_csr(matrix, false);
        double x[2] = {0};
        LyraSolveReport report = {0};
        TEST_OK(solve_once(ctx, "gmres", &A, 1e-12, b, x, &report));
        TEST_STRING(report.preconditioner, "jacobi");
        TEST_NEAR(x[0], 4, 1e-12);
        TEST_NEAR(x[1], 3, 1e-12);
        for (int32_t w = 0; w < 2; ++w) {
            LyraSolverDef def = lyra_solver_def_default();
            def.name = "gmres";
            def.preconditioner = w ? "ssor" : "ilu0";
            LyraSolver *solver = NULL;
            TEST_OK(lyra_solver_create(ctx, &def, &solver));
            TEST_OK(lyra_solver_analyze(solver, &A, NULL));
            TEST_STATUS(lyra_solver_factor(solver, &A), LYRA_SINGULAR);
            lyra_solver_destroy(solver);
        }
        lyra_csr_matrix_destroy(matrix);
        lyra_csr_pattern_destroy(pattern);
    }
    // nor are they for callbacks, minres and pcg
    double A[4] = {1, 0, 0, 1};
    LyraOperator dense = lyra_operator_dense(2, A, true);
    const char *const solvers[] = {"gmres", "minres", "pcg"};
    for (int32_t s = 0; s < 3; ++s) {
        LyraSolverDef def = lyra_solver_def_default();
        def.name = solvers[s];
        def.preconditioner = "ilu0";
        LyraSolver *solver = NULL;
        TEST_OK(lyra_solver_create(ctx, &def, &solver));
        TEST_STATUS(lyra_solver_analyze(solver, &dense, NULL), LYRA_UNSUPPORTED);
        lyra_solver_destroy(solver);
    }
    test_context_end(ctx);
}
