// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Matrices with many scalar nodes, which solvers see three to a vertex: the same answers as of the
// whole matrix, under constraints that come, go and have values.

#include "solve/packed.h"

#include "lyra/lyra.h"
#include "lyra_test.h"

#include <math.h>
#include <string.h>

enum { VERTICES = 150, SIZE = 3 * VERTICES, COLUMNS = 2 };

typedef struct Problem {
    LyraContext *ctx;
    uint8_t scalar[VERTICES];
    double positions[SIZE];
    LyraBlockPattern *pattern;
    LyraBlockMatrix *block;
    double dense[SIZE * SIZE];
    LyraConstraints *constraints;
    double B[COLUMNS * SIZE], x[COLUMNS * SIZE];
} Problem;

static double noise(int32_t seed)
{
    uint32_t x = (uint32_t)seed * 2654435761u;
    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    return (double)x / 4294967296.0 - 0.5;
}

// a chain with two neighbours on each side, three of four rows of which are scalar nodes
static void fill(Problem *p, double scale)
{
    LyraBlockPatternView view = lyra_block_pattern_view(p->pattern);
    double *values = lyra_block_matrix_values_mutable(p->block);
    memset(p->dense, 0, sizeof p->dense);
    for (int32_t i = 0; i < VERTICES; ++i) {
        for (int64_t k = view.row_start[i]; k < view.row_start[i + 1]; ++k) {
            int32_t j = view.column[k];
            for (int e = 0; e < 9; ++e) {
                int a = e / 3, b = e % 3;
                bool used = (!p->scalar[i] || a == 0) && (!p->scalar[j] || b == 0);
                int32_t seed = i == j ? (a < b ? e : 3 * b + a) : e;
                double x = used ? scale * noise(1000 * i + 10 * j + seed) : 0;
                x += used && i == j && a == b ? 8 * scale : 0;
                values[9 * k + e] = x;
                p->dense[(3 * i + a) + SIZE * (3 * j + b)] = x;
                p->dense[(3 * j + b) + SIZE * (3 * i + a)] = x;
            }
        }
    }
}

static void begin(Problem *p)
{
    static int32_t ids[VERTICES * 3];
    *p = (Problem){.ctx = test_context(2, LYRA_ISA_AUTO)};
    for (int32_t i = 0; i < VERTICES; ++i) {
        p->scalar[i] = i % 4 != 1;
        p->positions[3 * i] = i;
        p->positions[3 * i + 1] = i % 7;
        for (int k = 0; k < 3; ++k) {
            ids[3 * i + k] = (i + (k == 2 ? 5 : k)) % VERTICES;
        }
    }
    const LyraStencils set = {3, VERTICES, ids};
    TEST_OK(lyra_block_pattern_create(p->ctx, VERTICES, LYRA_STORAGE_UPPER, 1, &set, &p->pattern));
    TEST_OK(lyra_block_matrix_create(p->pattern, &p->block));
    fill(p, 1);
    TEST_OK(lyra_constraints_create(p->ctx, SIZE, &p->constraints));
    TEST_OK(ly_constraints_set_scalars(p->constraints, p->scalar, NULL, true));
    for (int32_t i = 0; i < COLUMNS * SIZE; ++i) {
        p->B[i] = noise(i);
    }
}

static void end(Problem *p)
{
    lyra_constraints_destroy(p->constraints);
    lyra_block_matrix_destroy(p->block);
    lyra_block_pattern_destroy(p->pattern);
    test_context_end(p->ctx);
}

static LyraSolver *make(const Problem *p, const char *name, const LyraOperator *A)
{
    LyraSolverDef def = lyra_solver_def_default();
    LyraSolver *solver = NULL;
    def.name = name;
    def.tolerance = 1e-12;
    def.positions = p->positions;
    TEST_OK(lyra_solver_create(p->ctx, &def, &solver));
    TEST_OK(lyra_solver_analyze(solver, A, p->constraints));
    return solver;
}

static void compare(Problem *p, LyraSolver *solver, bool warm)
{
    static double expected[COLUMNS * SIZE];
    LyraOperator A = lyra_operator_dense(SIZE, p->dense, true);
    LyraSolver *dense = make(p, "dense", &A);
    LyraSolveReport report;
    TEST_OK(lyra_solver_factor(dense, &A));
    TEST_OK(lyra_solver_solve_columns(dense, COLUMNS, p->B, false, expected, NULL));
    TEST_OK(lyra_solver_solve_columns(solver, COLUMNS, p->B, warm, p->x, &report));
    for (int32_t i = 0; i < COLUMNS * SIZE; ++i) {
        TEST_NEAR(p->x[i], expected[i], 1e-9);
    }
    TEST_CHECK_MSG(report.residual < 1e-9, "residual %g", report.residual);
    lyra_solver_destroy(dense);
}

LYRA_TEST(packed_solves_are_those_of_the_whole_matrix)
{
    static const char *const names[] = {"pcg", "cholesky", "auto", "minres", "factor-reuse"};
    static Problem p;
    for (int k = 0; k < 5; ++k) {
        begin(&p);
        LyraOperator A = lyra_operator_block(p.block, true);
        const int32_t fixed[2] = {1, 41};
        TEST_OK(lyra_constraints_fix_vertices(p.constraints, 2, fixed));
        LyraSolver *solver = make(&p, names[k], &A);
        TEST_OK(lyra_solver_factor(solver, &A));
        compare(&p, solver, false);
        // other values, and constraints of vertices and of scalar nodes that come and go
        const double slope[3] = {1, 2, -1}, along[3] = {1, 0, 0};
        fill(&p, 3);
        TEST_OK(lyra_constraints_add_direction(p.constraints, 21, slope));
        TEST_OK(lyra_constraints_add_direction(p.constraints, 30, along));
        TEST_OK(lyra_constraints_release_vertices(p.constraints, 1, fixed));
        static double moved[SIZE];
        for (int32_t i = 0; i < SIZE; ++i) {
            moved[i] = 0.1 * noise(7 * i);
        }
        TEST_OK(lyra_constraints_set_values(p.constraints, moved));
        TEST_OK(lyra_solver_factor(solver, &A));
        compare(&p, solver, true);
        TEST_NEAR(p.x[3 * 30], moved[3 * 30], 1e-12);
        TEST_OK(lyra_constraints_set_values(p.constraints, NULL));
        compare(&p, solver, true);
        TEST_EQUAL(p.x[3 * 30], 0);
        lyra_solver_destroy(solver);
        end(&p);
    }
}

LYRA_TEST(scalar_nodes_are_packed_three_to_a_vertex)
{
    static Problem p;
    begin(&p);
    LyraOperator A = lyra_operator_block(p.block, true);
    LyPacked packed = {0};
    int32_t scalars = 0;
    for (int32_t i = 0; i < VERTICES; ++i) {
        scalars += p.scalar[i];
    }
    TEST_OK(ly_packed_create(p.ctx, &A, p.constraints, p.positions, NULL, &packed));
    TEST_EQUAL(packed.rows, VERTICES - scalars + (scalars + 2) / 3);
    TEST_EQUAL(packed.A.size, 3 * packed.rows);
    // nothing is lost on the way there and back but what scalar nodes do not use
    ly_packed_reserve(&packed, 1);
    ly_packed_take(&packed, p.B, packed.B);
    ly_packed_give(&packed, packed.B, p.x);
    for (int32_t i = 0; i < SIZE; ++i) {
        TEST_EQUAL(p.x[i], p.scalar[i / 3] && i % 3 > 0 ? 0 : p.B[i]);
    }
    ly_packed_destroy(&packed);
    // without scalar nodes, or where they are few, nothing happens
    TEST_OK(ly_packed_create(p.ctx, &A, NULL, p.positions, NULL, &packed));
    TEST_CHECK(!packed.ctx);
    end(&p);
}

// a row of three scalar nodes has three unknowns, of which a band keeps one of a lone node's
LYRA_TEST(bands_keep_all_unknowns_of_packed_rows)
{
    static Problem p;
    begin(&p);
    LyraOperator A = lyra_operator_block(p.block, true);
    LyPacked packed = {0};
    LyraSolverDef def = lyra_solver_def_default();
    LyraSolver *solver = NULL;
    LyraSolveReport report;
    TEST_OK(ly_packed_create(p.ctx, &A, p.constraints, p.positions, NULL, &packed));
    TEST_OK(ly_packed_update(&packed, &A));
    TEST_OK(ly_packed_reserve(&packed, 1));
    ly_packed_take(&packed, p.B, packed.B);
    TEST_CHECK(ly_constraints_lone_scalars(p.constraints) != NULL);
    TEST_CHECK(ly_constraints_lone_scalars(packed.constraints) == NULL);
    def.name = "band";
    TEST_OK(lyra_solver_create(p.ctx, &def, &solver));
    TEST_OK(lyra_solver_analyze(solver, &packed.A, packed.constraints));
    TEST_OK(lyra_solver_factor(solver, &packed.A));
    TEST_OK(lyra_solver_solve(solver, packed.B, false, packed.X, &report));
    TEST_CHECK_MSG(report.residual < 1e-12, "residual %g", report.residual);
    lyra_solver_destroy(solver);
    ly_packed_destroy(&packed);
    end(&p);
}

// what is said of rigid motions of a part stays true
LYRA_TEST(packed_rows_join_no_parts)
{
    enum { HALF = VERTICES / 2 };
    static Problem p;
    begin(&p);
    int32_t ids[2 * VERTICES];
    for (int32_t i = 0; i < VERTICES; ++i) {
        ids[2 * i] = i;
        ids[2 * i + 1] = i / HALF * HALF + (i + 1) % HALF;
    }
    const LyraStencils set = {2, VERTICES, ids};
    LyraBlockPattern *pattern = NULL;
    LyraBlockMatrix *block = NULL;
    TEST_OK(lyra_block_pattern_create(p.ctx, VERTICES, LYRA_STORAGE_UPPER, 1, &set, &pattern));
    TEST_OK(lyra_block_matrix_create(pattern, &block));
    LyraOperator A = lyra_operator_block(block, true);
    LyPacked packed = {0};
    TEST_OK(ly_packed_create(p.ctx, &A, p.constraints, p.positions, NULL, &packed));
    TEST_REQUIRE(packed.ctx != NULL);
    for (int32_t i = 0; i < 3 * packed.rows; ++i) {
        int32_t v = packed.member[i], first = packed.member[i / 3 * 3];
        TEST_CHECK(v < 0 || v / HALF == first / HALF);
    }
    ly_packed_destroy(&packed);
    lyra_block_matrix_destroy(block);
    lyra_block_pattern_destroy(pattern);
    end(&p);
}

// a type that was told of packed rows is told again without them
LYRA_TEST(labels_of_packed_rows_end_with_them)
{
    static Problem p;
    begin(&p);
    LyraOperator A = lyra_operator_block(p.block, true);
    LyraSolverDef def = lyra_solver_def_default();
    LyraSolver *solver = NULL;
    const double push[9] = {-40, 0, 0, 0, -40, 0, 0, 0, -40};
    def.name = "cholesky";
    TEST_OK(lyra_solver_create(p.ctx, &def, &solver));
    TEST_OK(lyra_solver_analyze(solver, &A, p.constraints));
    TEST_OK(lyra_solver_analyze(solver, &A, NULL));
    // what scalar nodes do not use is 0
    lyra_block_matrix_add_diagonal(p.block, 1, NULL);
    TEST_OK(lyra_block_matrix_add_block(p.block, 77, 77, 1, push));
    TEST_STATUS(lyra_solver_factor(solver, &A), LYRA_NOT_POSITIVE_DEFINITE);
    TEST_CONTAINS(lyra_error_message(), "vertex 77");
    lyra_solver_destroy(solver);
    end(&p);
}

static LyraStatus make_once(LyraContext *ctx, void *data)
{
    Problem *p = data;
    LyraOperator A = lyra_operator_block(p->block, true);
    LyraSolverDef def = lyra_solver_def_default();
    LyraSolver *solver = NULL;
    def.name = "pcg";
    def.positions = p->positions;
    LY_TRY(lyra_solver_create(ctx, &def, &solver));
    LyraStatus status = lyra_solver_analyze(solver, &A, p->constraints);
    status = status == LYRA_OK ? lyra_solver_factor(solver, &A) : status;
    status = status == LYRA_OK ? lyra_solver_solve(solver, p->B, false, p->x, NULL) : status;
    lyra_solver_destroy(solver);
    return status;
}

LYRA_TEST(failing_allocations_of_packed_solvers_leak_nothing)
{
    static Problem p;
    begin(&p);
    test_fail_each_allocation(make_once, &p);
    end(&p);
}
