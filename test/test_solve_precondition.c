// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Preconditioners of pcg by what they are, not only by the solution, which a poor one finds too:
// where nothing is left out they are the inverse, and one or two iterations end it.

#include "lyra/solver.h"
#include "lyra_test.h"
#include "solve/pcg.h"

#include <stdlib.h>
#include <string.h>

// symmetric positive definite, of `vertices` vertices that all couple, or none with another
static LyraBlockMatrix *make_matrix(LyraContext *ctx, int32_t vertices, bool coupled)
{
    int64_t *row_start = malloc(((size_t)vertices + 1) * sizeof *row_start);
    int32_t *column = malloc((size_t)vertices * (size_t)vertices * sizeof *column);
    int64_t count = 0;
    for (int32_t i = 0; i < vertices; ++i) {
        row_start[i] = count;
        for (int32_t j = i; j < (coupled ? vertices : i + 1); ++j) {
            column[count++] = j;
        }
    }
    row_start[vertices] = count;
    LyraBlockPattern *pattern = NULL;
    LyraBlockMatrix *A = NULL;
    TEST_OK(lyra_block_pattern_create_rows(ctx, vertices, LYRA_STORAGE_UPPER, row_start, column,
                                           &pattern));
    TEST_OK(lyra_block_matrix_create(pattern, &A));
    free(row_start);
    free(column);

    // A = B^T B + I with rows of different sizes, so that no block is near a multiple of another
    int32_t n = 3 * vertices;
    double *B = malloc((size_t)n * (size_t)n * sizeof *B);
    TestRandom random = test_random(5);
    for (int32_t i = 0; i < n * n; ++i) {
        B[i] = test_random_normal(&random) * (1 + i % n % 3);
    }
    for (int32_t i = 0; i < vertices; ++i) {
        for (int32_t j = i; j < (coupled ? vertices : i + 1); ++j) {
            double block[9];
            for (int e = 0; e < 9; ++e) {
                int32_t r = 3 * i + e / 3, c = 3 * j + e % 3;
                block[e] = r == c;
                for (int32_t k = 0; k < n; ++k) {
                    block[e] += B[k * n + r] * B[k * n + c];
                }
            }
            TEST_OK(lyra_block_matrix_add_block(A, i, j, 1, block));
        }
    }
    free(B);
    return A;
}

static void matrix_end(LyraBlockMatrix *A)
{
    LyraBlockPattern *pattern = (LyraBlockPattern *)lyra_block_matrix_pattern(A);
    lyra_block_matrix_destroy(A);
    lyra_block_pattern_destroy(pattern);
}

// iterations to a residual of 1e-10 on right sides of all kinds; -1 when one fails
static int32_t count_iterations(LyraContext *ctx, const LyraBlockMatrix *A, int32_t vertices,
                                const char *preconditioner)
{
    int32_t n = 3 * vertices, most = 0;
    LyraSolverDef def = lyra_solver_def_default();
    def.name = "pcg";
    def.preconditioner = preconditioner;
    def.single = false;
    def.coarse = false;
    def.tolerance = 1e-10;
    LyraOperator whole = lyra_operator_block(A, true);
    LyraSolver *solver = NULL;
    double *b = malloc((size_t)n * sizeof *b), *x = malloc((size_t)n * sizeof *x);
    TEST_OK(lyra_solver_create(ctx, &def, &solver));
    TEST_OK(lyra_solver_analyze(solver, &whole, NULL));
    TEST_OK(lyra_solver_factor(solver, &whole));
    TestRandom random = test_random(9);
    for (int trial = 0; trial < 5; ++trial) {
        for (int32_t i = 0; i < n; ++i) {
            b[i] = test_random_normal(&random);
        }
        LyraSolveReport report = {0};
        TEST_OK(lyra_solver_solve(solver, b, false, x, &report));
        most = report.iterations > most ? (int32_t)report.iterations : most;
    }
    lyra_solver_destroy(solver);
    free(b);
    free(x);
    return most;
}

// with every pair of vertices in the pattern nothing is dropped: the factor is Cholesky's
LYRA_TEST(incomplete_factors_of_a_full_matrix_are_complete)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t vertices = 1; vertices <= 9; vertices += 4) {
        LyraBlockMatrix *A = make_matrix(ctx, vertices, true);
        int32_t iterations = count_iterations(ctx, A, vertices, "ic0");
        TEST_CHECK_MSG(iterations >= 1 && iterations <= 2, "%d vertices: %d iterations", vertices,
                       iterations);
        // the others do not know the whole matrix
        TEST_CHECK(vertices == 1 || count_iterations(ctx, A, vertices, "block-jacobi") > 3);
        matrix_end(A);
    }
    test_context_end(ctx);
}

// without any pair the diagonal blocks are all there is
LYRA_TEST(preconditioners_of_separate_vertices_are_inverses)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const char *const names[] = {"block-jacobi", "ssor", "ic0"};
    LyraBlockMatrix *A = make_matrix(ctx, 40, false);
    for (int k = 0; k < 3; ++k) {
        int32_t iterations = count_iterations(ctx, A, 40, names[k]);
        TEST_CHECK_MSG(iterations >= 1 && iterations <= 2, "%s: %d iterations", names[k],
                       iterations);
    }
    // a diagonal is less than a block
    TEST_CHECK(count_iterations(ctx, A, 40, "jacobi") > 3);
    matrix_end(A);
    test_context_end(ctx);
}

// what a report calls the memory of the solver is what the context gave it
LYRA_TEST(the_memory_of_a_solver_is_told)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const char *const names[] = {"none", "jacobi", "block-jacobi", "ssor", "ic0"};
    enum { VERTICES = 60 };
    LyraBlockMatrix *A = make_matrix(ctx, VERTICES, true);
    double b[3 * VERTICES] = {1}, x[3 * VERTICES];
    for (int name = 0; name < 5; ++name) {
        LyraSolverDef def = lyra_solver_def_default();
        def.name = "pcg";
        def.preconditioner = names[name];
        LyraOperator whole = lyra_operator_block(A, true);
        LyraSolver *solver = NULL;
        LyraSolveReport report = {0};
        size_t before = lyra_context_byte_count(ctx);
        TEST_OK(lyra_solver_create(ctx, &def, &solver));
        TEST_OK(lyra_solver_analyze(solver, &whole, NULL));
        TEST_OK(lyra_solver_factor(solver, &whole));
        TEST_OK(lyra_solver_solve(solver, b, false, x, &report));
        double held = (double)(lyra_context_byte_count(ctx) - before);
        // all but the names in the settings and the heads of two small objects
        double left = held - (double)report.bytes;
        TEST_CHECK_MSG(left > 0 && left < 700, "%s: %lld bytes told, %.0f held", names[name],
                       (long long)report.bytes, held);
        lyra_solver_destroy(solver);
    }
    matrix_end(A);
    test_context_end(ctx);
}

// a diagonal of zero is told from a negative one, by blocks and by entries
LYRA_TEST(zero_and_negative_diagonals_have_names_of_their_own)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const char *const names[] = {"jacobi", "block-jacobi", "ssor", "ic0"};
    static const double last[] = {0, -1};
    for (int k = 0; k < 2; ++k) {
        for (int name = 0; name < 4; ++name) {
            LyraBlockMatrix *A = make_matrix(ctx, 3, false);
            double block[9];
            lyra_block_matrix_get_block(A, 2, 2, block);
            TEST_OK(lyra_block_matrix_add_block(A, 2, 2, -1, block));
            memset(block, 0, sizeof block);
            block[0] = block[4] = 1;
            block[8] = last[k];
            TEST_OK(lyra_block_matrix_add_block(A, 2, 2, 1, block));
            LyraSolverDef def = lyra_solver_def_default();
            def.name = "pcg";
            def.preconditioner = names[name];
            def.single = false;
            LyraOperator whole = lyra_operator_block(A, true);
            LyraSolver *solver = NULL;
            TEST_OK(lyra_solver_create(ctx, &def, &solver));
            TEST_OK(lyra_solver_analyze(solver, &whole, NULL));
            TEST_STATUS(lyra_solver_factor(solver, &whole),
                        k == 0 ? LYRA_SINGULAR : LYRA_NOT_POSITIVE_DEFINITE);
            TEST_CONTAINS(lyra_error_message(), "vertex 2");
            lyra_solver_destroy(solver);
            matrix_end(A);
        }
    }
    test_context_end(ctx);
}

// blocks of rank 1 are singular, whatever sign rounding gives the pivot that should be zero
LYRA_TEST(pivots_of_rounding_are_zero_and_not_negative)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(19);
    for (int round = 0; round < 100; ++round) {
        LyraBlockMatrix *A = make_matrix(ctx, 1, false);
        double *block = lyra_block_matrix_values_mutable(A), v[3];
        for (int i = 0; i < 3; ++i) {
            v[i] = test_random_in(&random, 0.5, 2);
        }
        for (int e = 0; e < 9; ++e) {
            block[e] = v[e / 3] * v[e % 3];
        }
        LyraSolverDef def = lyra_solver_def_default();
        def.name = "pcg";
        def.preconditioner = "block-jacobi";
        LyraOperator whole = lyra_operator_block(A, true);
        LyraSolver *solver = NULL;
        TEST_OK(lyra_solver_create(ctx, &def, &solver));
        TEST_OK(lyra_solver_analyze(solver, &whole, NULL));
        TEST_STATUS(lyra_solver_factor(solver, &whole), LYRA_SINGULAR);
        // negative without doubt
        block[4] *= 0.99;
        TEST_STATUS(lyra_solver_factor(solver, &whole), LYRA_NOT_POSITIVE_DEFINITE);
        lyra_solver_destroy(solver);
        matrix_end(A);
    }
    test_context_end(ctx);
}

// rows are swept along the longest edge of the body's box, then the next, wherever it stands
LYRA_TEST(sweeps_follow_the_longest_axis)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    enum { VERTICES = 60 };
    static const int axes[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                   {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    LyraBlockMatrix *A = make_matrix(ctx, VERTICES, false);
    TestRandom random = test_random(3);
    for (int k = 0; k < 6; ++k) {
        double positions[3 * VERTICES];
        const double length[3] = {9, 4, 1}, shift[3] = {-20, 7, -100};
        for (int32_t i = 0; i < VERTICES; ++i) {
            // few values along the longest, so that the second axis decides as well
            double part[3] = {test_random_below(&random, 4) / 3.0, test_random_in(&random, 0, 1),
                              test_random_in(&random, 0, 1)};
            for (int d = 0; d < 3; ++d) {
                positions[3 * i + axes[k][d]] = shift[d] + length[d] * part[d];
            }
        }
        int32_t order[VERTICES];
        LyPcgOrder cut;
        TEST_OK(ly_pcg_order(ctx, lyra_block_matrix_pattern(A), positions, true, order, &cut));
        TEST_EQUAL(cut.domains, 1);
        for (int32_t i = 1; i < VERTICES; ++i) {
            const double *p = positions + 3 * order[i - 1], *q = positions + 3 * order[i];
            int first = axes[k][0], second = axes[k][1];
            TEST_CHECK(p[first] < q[first] || (p[first] == q[first] && p[second] <= q[second]));
        }
    }
    matrix_end(A);
    test_context_end(ctx);
}
