// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Factors by fronts: the analysis against plain elimination, the numbers against dense factors on
// every instruction set, and the same bits at any number of threads. What "cholesky" shares with
// other factors is in test_solve_direct.c.

#include "solve/direct.h"
#include "solve/fronts.h"
#include "solve/solve.h"
#include "solve_cases.h"

// ---- analysis -----------------------------------------------------------------------------------

// entries of the factor of a graph in an order, diagonals counted, and the sum of their squares
static int64_t eliminate(LyraGraph graph, const int32_t *order, double *flops)
{
    int32_t n = graph.vertex_count;
    int32_t *place = case_allocate((size_t)n, sizeof *place);
    TEST_OK(lyra_permutation_invert(n, order, place));
    bool *linked = case_allocate((size_t)n * (size_t)n, sizeof *linked);
    for (int32_t v = 0; v < n; ++v) {
        for (int64_t k = graph.row_start[v]; k < graph.row_start[v + 1]; ++k) {
            int32_t i = place[v], j = place[graph.column[k]];
            linked[i * n + j] = linked[j * n + i] = true;
        }
    }
    int64_t entries = 0;
    *flops = 0;
    for (int32_t p = 0; p < n; ++p) {
        int64_t column = 1;
        for (int32_t i = p + 1; i < n; ++i) {
            column += linked[p * n + i];
            for (int32_t j = p + 1; linked[p * n + i] && j < n; ++j) {
                linked[i * n + j] |= linked[p * n + j];
            }
        }
        entries += column;
        *flops += (double)column * (double)column;
    }
    free(place);
    free(linked);
    return entries;
}

// a tree of fronts that covers each node once and hands every row on
static void check_fronts(const LyFronts *fronts)
{
    int32_t next = 0;
    int64_t stored = 0;
    for (int32_t f = 0; f < fronts->count; ++f) {
        const LyFront *front = &fronts->fronts[f];
        TEST_EQUAL(front->first, next);
        TEST_CHECK(front->parent < 0 ? front->height == 0 : front->parent > f);
        next += front->width;
        for (int32_t k = 0; k < front->height; ++k) {
            int32_t row = fronts->rows[front->rows + k];
            TEST_CHECK(row >= next && (k == 0 || row > fronts->rows[front->rows + k - 1]));
            const LyFront *parent = &fronts->fronts[front->parent];
            int32_t place = fronts->place[front->rows + k];
            int32_t there = place < parent->width
                                ? parent->first + place
                                : fronts->rows[parent->rows + place - parent->width];
            TEST_EQUAL(there, row);
        }
        int64_t w = front->width, h = front->height;
        stored += w * (w + 1) / 2 + w * h;
    }
    TEST_EQUAL(next, fronts->node_count);
    TEST_CHECK(fronts->node_size > 1 || stored >= fronts->entries);
}

LYRA_TEST(analysis_counts_what_elimination_fills)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(3);
    for (int32_t trial = 0; trial < 60; ++trial) {
        int32_t count = trial < 3 ? trial + 1 : 2 + test_random_below(&random, 70);
        CaseStencils some = case_random(&random, count, 2, count < 2 ? 0 : count * (trial % 4) / 2);
        LyraBlockPattern *pattern = case_pattern(ctx, &some, LYRA_STORAGE_UPPER);
        LyraGraph graph = lyra_block_pattern_graph(pattern);
        int32_t *order = case_shuffle(&random, count);
        double flops;
        int64_t entries = eliminate(graph, order, &flops);
        LyFronts fronts;
        TEST_REQUIRE_OK(ly_fronts_create(ctx, graph, 1, order, &fronts));
        TEST_EQUAL(fronts.entries, entries);
        TEST_NEAR(fronts.flops, flops, 0.0);
        check_fronts(&fronts);
        ly_fronts_destroy(&fronts);
        // a node of three unknowns has nine entries for each of its own, but on the diagonal
        TEST_REQUIRE_OK(ly_fronts_create(ctx, graph, 3, order, &fronts));
        TEST_EQUAL(fronts.entries, 9 * entries - 3 * count);
        check_fronts(&fronts);
        ly_fronts_destroy(&fronts);
        free(order);
        lyra_block_pattern_destroy(pattern);
        free(some.ids);
    }
    test_context_end(ctx);
}

LYRA_TEST(cost_is_known_before_any_number)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    CaseStencils box = case_box(1, 1, 1);
    SolveCase c = solve_case_stencils(ctx, &box, 1.0, 1);
    LyraOperator A = lyra_operator_block(c.upper, true);
    LyraSolverDef def = lyra_solver_def_default();
    void *self = NULL;
    TEST_REQUIRE_OK(ly_solver_cholesky.create(ctx, &def, &self));
    TEST_REQUIRE_OK(ly_solver_cholesky.analyze(self, &A, NULL));
    double entries, flops;
    ly_cholesky_work(self, &entries, &flops);
    TEST_CHECK(entries > c.size && entries <= 0.5 * c.size * (c.size + 1));
    TEST_CHECK(flops >= entries);
    ly_solver_cholesky.destroy(self);
    solve_case_end(&c);
    free(box.ids);
    test_context_end(ctx);
}

// ---- numbers ------------------------------------------------------------------------------------

// the largest difference from the dense answer, for one right-hand side and in a group
static void check_agrees(LyraContext *ctx, SolveCase *c, LyraIndefinite indefinite,
                         double tolerance)
{
    LyraSolver *solver = solve_solver(ctx, "cholesky", indefinite);
    LyraOperator A = lyra_operator_block(c->upper, true);
    TEST_REQUIRE_OK(lyra_solver_analyze(solver, &A, NULL));
    TEST_REQUIRE_OK(lyra_solver_factor(solver, &A));
    TEST_OK(lyra_solver_solve(solver, c->b, false, c->x, NULL));
    TEST_NEAR(solve_difference(c, c->x), 0.0, tolerance);
    enum { COLUMNS = 11 };
    double *B = case_vector((int64_t)COLUMNS * c->size, 5), *X = case_vector(COLUMNS * c->size, 6);
    memcpy(B + 9 * (int64_t)c->size, c->b, (size_t)c->size * sizeof *B);
    TEST_OK(lyra_solver_solve_columns(solver, COLUMNS, B, false, X, NULL));
    TEST_NEAR(solve_difference(c, X + 9 * (int64_t)c->size), 0.0, tolerance);
    free(B);
    free(X);
    lyra_solver_destroy(solver);
}

LYRA_TEST(every_instruction_set_agrees_with_dense)
{
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(1, isa);
        SolveCase c = solve_case(ctx, 5, 0.5, 11);
        check_agrees(ctx, &c, LYRA_INDEFINITE_REFUSE, 1e-12);
        lyra_block_matrix_add_diagonal(c.upper, -2.0, NULL);
        solve_reference(&c);
        check_agrees(ctx, &c, LYRA_INDEFINITE_LDL, 1e-9);
        solve_case_end(&c);
        test_context_end(ctx);
    }
}

// all vertices linked: one front, wider than the depth of a product
LYRA_TEST(wide_fronts_agree_with_dense)
{
    enum { VERTICES = 93, PAIRS = VERTICES * (VERTICES - 1) / 2 };
    static int32_t ids[2 * PAIRS];
    for (int32_t i = 0, k = 0; i < VERTICES; ++i) {
        for (int32_t j = i + 1; j < VERTICES; ++j) {
            ids[k++] = i;
            ids[k++] = j;
        }
    }
    CaseStencils all = {2, VERTICES, PAIRS, ids};
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(2, isa);
        SolveCase c = solve_case_stencils(ctx, &all, 0.5, 12);
        check_agrees(ctx, &c, LYRA_INDEFINITE_REFUSE, 1e-12);
        solve_case_end(&c);
        test_context_end(ctx);
    }
}

LYRA_TEST(graphs_of_any_shape_agree_with_dense)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    TestRandom random = test_random(8);
    for (int32_t trial = 0; trial < 30; ++trial) {
        int32_t count = 2 + test_random_below(&random, 60);
        CaseStencils some = case_random(&random, count, 2, count * (1 + trial % 4) / 2);
        SolveCase c = solve_case_stencils(ctx, &some, 0.5, 100 + (uint64_t)trial);
        check_agrees(ctx, &c, LYRA_INDEFINITE_REFUSE, 1e-12);
        solve_case_end(&c);
        free(some.ids);
    }
    test_context_end(ctx);
}

// ---- threads and memory -------------------------------------------------------------------------

enum { CELLS = 9, SIZE = 3 * 10 * 10 * 10, GROUP = 3 };

static SolveCase large_case(LyraContext *ctx, double mass)
{
    SolveCase c = solve_case(ctx, CELLS, 0.0, 21);
    lyra_block_matrix_add_diagonal(c.upper, mass, NULL);
    return c;
}

// answers for one and for several right-hand sides, and those of LDL^T
static void solve_for_bits(LyraContext *ctx, void *data, void *out)
{
    (void)data;
    double *X = out;
    double *B = case_vector(GROUP * SIZE, 31);
    for (int32_t indefinite = 0; indefinite < 2; ++indefinite) {
        SolveCase c = large_case(ctx, indefinite ? -0.01 : 0.5);
        LyraSolver *solver = solve_solver(
            ctx, "cholesky", indefinite ? LYRA_INDEFINITE_LDL : LYRA_INDEFINITE_REFUSE);
        LyraOperator A = lyra_operator_block(c.upper, true);
        TEST_REQUIRE_OK(lyra_solver_analyze(solver, &A, NULL));
        TEST_REQUIRE_OK(lyra_solver_factor(solver, &A));
        TEST_OK(lyra_solver_solve(solver, B, false, X, NULL));
        X += SIZE;
        TEST_OK(lyra_solver_solve_columns(solver, GROUP, B, false, X, NULL));
        X += GROUP * SIZE;
        lyra_solver_destroy(solver);
        solve_case_end(&c);
    }
    free(B);
}

LYRA_TEST(factors_have_the_same_bits_at_any_thread_count)
{
    test_same_bits(solve_for_bits, NULL, (size_t)2 * (1 + GROUP) * SIZE * sizeof(double));
}

// pivots that fail in several subtrees: the first of the elimination is named
static void fail_for_bits(LyraContext *ctx, void *data, void *out)
{
    (void)data;
    SolveCase c = large_case(ctx, 0.5);
    const double push[9] = {-90, 0, 0, 0, -90, 0, 0, 0, -90};
    for (int32_t v = 5; v < SIZE / 3; v += 97) {
        TEST_REQUIRE_OK(lyra_block_matrix_add_block(c.upper, v, v, 1.0, push));
    }
    SolveRun run = solve_run(&c, SOLVE_BLOCK_UPPER, "cholesky", LYRA_INDEFINITE_REFUSE);
    TEST_EQUAL(run.status, LYRA_NOT_POSITIVE_DEFINITE);
    snprintf(out, 128, "%.127s", run.message);
    solve_case_end(&c);
}

LYRA_TEST(the_pivot_that_fails_does_not_hang_on_threads)
{
    test_same_bits(fail_for_bits, NULL, 128);
}

LYRA_TEST(new_values_allocate_nothing)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    SolveCase c = large_case(ctx, 0.5);
    LyraSolver *solver = solve_solver(ctx, "cholesky", LYRA_INDEFINITE_REFUSE);
    LyraOperator A = lyra_operator_block(c.upper, true);
    TEST_REQUIRE_OK(lyra_solver_analyze(solver, &A, NULL));
    TEST_REQUIRE_OK(lyra_solver_factor(solver, &A));
    TEST_OK(lyra_solver_solve(solver, c.b, false, c.x, NULL));
    int64_t before = test_allocation_count();
    for (int32_t round = 0; round < 3; ++round) {
        lyra_block_matrix_add_diagonal(c.upper, 1.0, NULL);
        TEST_OK(lyra_solver_factor(solver, &A));
        TEST_OK(lyra_solver_solve(solver, c.b, false, c.x, NULL));
    }
    TEST_EQUAL(test_allocation_count(), before);
    lyra_solver_destroy(solver);
    solve_case_end(&c);
    test_context_end(ctx);
}

// ---- factors that are kept ----------------------------------------------------------------------

// a factor and its solution in `x`; gives the memory that the solver holds
static int64_t solve_by(const LyraSolverType *type, const SolveCase *c, void **self, double *x)
{
    LyraSolverDef def = lyra_solver_def_default();
    LyraOperator A = lyra_operator_block(c->upper, true);
    LyraSolveReport report = {0};
    TEST_OK(type->create(c->ctx, &def, self));
    TEST_OK(type->analyze(*self, &A, NULL));
    TEST_OK(type->factor(*self, &A, &report));
    TEST_OK(type->solve(*self, 1, c->b, false, x, &report));
    return type->bytes(*self);
}

// single precision has the answer to its digits, whatever the lanes, and columns are solved alike
LYRA_TEST(factors_in_single_precision_agree_with_dense)
{
    const LyraSolverType *type = &ly_solver_cholesky_single;
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(2, isa);
        SolveCase c = solve_case(ctx, 5, 0.5, 11);
        double *X = case_vector(2 * c.size, 1), *B = case_vector(2 * c.size, 2);
        void *self = NULL;
        (void)solve_by(type, &c, &self, X);
        double difference = solve_difference(&c, X);
        TEST_CHECK_MSG(difference < 1e-5 && difference > 1e-12, "%g", difference);
        memcpy(B + c.size, c.b, (size_t)c.size * sizeof *B);
        LyraSolveReport report = {0};
        TEST_OK(type->solve(self, 2, B, false, B, &report));
        TEST_CHECK(memcmp(B + c.size, X, (size_t)c.size * sizeof *B) == 0);
        free(B);
        free(X);
        type->destroy(self);
        solve_case_end(&c);
        test_context_end(ctx);
    }
}

LYRA_TEST(kept_factors_hold_no_more_than_they_need)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    SolveCase c = large_case(ctx, 0.5);
    void *whole = NULL, *kept = NULL, *single = NULL;
    double *x = case_vector(c.size, 1), *y = case_vector(c.size, 2), *z = case_vector(c.size, 3);
    int64_t most = solve_by(&ly_solver_cholesky, &c, &whole, x);
    int64_t less = solve_by(&ly_solver_cholesky_kept, &c, &kept, y);
    int64_t least = solve_by(&ly_solver_cholesky_single, &c, &single, z);
    TEST_CHECK_MSG(less < most && least < 0.6 * (double)less, "%lld, %lld, %lld bytes",
                   (long long)most, (long long)less, (long long)least);
    // the same numbers, and again when they were let go
    TEST_CHECK(memcmp(x, y, (size_t)c.size * sizeof *x) == 0);
    LyraOperator A = lyra_operator_block(c.upper, true);
    LyraSolveReport report = {0};
    ly_cholesky_rest(single);
    TEST_CHECK(ly_solver_cholesky_single.bytes(single) < 0.3 * (double)least);
    TEST_REQUIRE_OK(ly_solver_cholesky_single.factor(single, &A, &report));
    TEST_OK(ly_solver_cholesky_single.solve(single, 1, c.b, false, y, &report));
    TEST_CHECK(memcmp(y, z, (size_t)c.size * sizeof *x) == 0);
    ly_solver_cholesky.destroy(whole);
    ly_solver_cholesky_kept.destroy(kept);
    ly_solver_cholesky_single.destroy(single);
    free(x);
    free(y);
    free(z);
    solve_case_end(&c);
    test_context_end(ctx);
}

static void single_for_bits(LyraContext *ctx, void *data, void *out)
{
    (void)data;
    SolveCase c = large_case(ctx, 0.5);
    void *self = NULL;
    (void)solve_by(&ly_solver_cholesky_single, &c, &self, out);
    ly_solver_cholesky_single.destroy(self);
    solve_case_end(&c);
}

LYRA_TEST(single_precision_has_the_same_bits_at_any_thread_count)
{
    test_same_bits(single_for_bits, NULL, SIZE * sizeof(double));
}

// numbers that single precision can't hold are no factor, and no crash
LYRA_TEST(single_precision_knows_its_range)
{
    static const double scales[] = {1e90, 1e-100};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t k = 0; k < LY_COUNT_OF(scales); ++k) {
        SolveCase c = solve_case(ctx, 3, 0.5, 11);
        lyra_block_matrix_scale(c.upper, scales[k]);
        LyraSolverDef def = lyra_solver_def_default();
        LyraOperator A = lyra_operator_block(c.upper, true);
        LyraSolveReport report = {0};
        void *self = NULL;
        TEST_REQUIRE_OK(ly_solver_cholesky_single.create(ctx, &def, &self));
        TEST_REQUIRE_OK(ly_solver_cholesky_single.analyze(self, &A, NULL));
        LyraStatus status = ly_solver_cholesky_single.factor(self, &A, &report);
        TEST_CHECK(status == LYRA_SINGULAR || ly_symmetric_smallest_pivot(self) == 0);
        ly_solver_cholesky_single.destroy(self);
        solve_case_end(&c);
    }
    test_context_end(ctx);
}
