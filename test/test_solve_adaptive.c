// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// How "auto" decides between sweeps and a kept factor: by the shape of the body, by the first
// iterations, by what solves with an old factor cost. All of it is counted, so it can be checked.

#include "solve/sections.h"
#include "solve/solve.h"
#include "solve_bodies.h"

// cells along the edges, edges in m
static Body make_body(LyraContext *ctx, const int32_t cells[3], const double size[3])
{
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraMesh *mesh = NULL;
    memcpy(shape.cells, cells, sizeof shape.cells);
    memcpy(shape.size, size, sizeof shape.size);
    TEST_OK(lyra_mesh_generate(ctx, &shape, &mesh));
    return body_of_mesh(ctx, mesh, 1e6);
}

// ---- shapes -------------------------------------------------------------------------------------

// a box of n cells
static void check_sections(LyraContext *ctx, LyraElementKind kind, const int32_t n[3])
{
    Body body = body_box_of(ctx, kind, n[0], n[1], n[2]);
    LyraSolverDef def = lyra_solver_def_default();
    LyraOperator A = lyra_operator_block(body.K, true);
    void *direct = NULL;
    double entries, flops, layers = (kind == LYRA_ELEMENT_TET10 ? 2 : 1) * n[2] + 1;
    TEST_OK(ly_solver_cholesky.create(ctx, &def, &direct));
    TEST_OK(ly_solver_cholesky.analyze(direct, &A, NULL));
    ly_cholesky_work(direct, &entries, &flops);
    ly_solver_cholesky.destroy(direct);
    LySections found;
    TEST_OK(ly_sections(ctx, lyra_block_pattern_graph(lyra_block_matrix_pattern(body.K)), &found));
    TEST_CHECK_MSG(found.entries > 0.6 * entries && found.entries < 1.7 * entries,
                   "%d x %d x %d: %g entries expected, %g found", n[0], n[1], n[2], found.entries,
                   entries);
    TEST_CHECK_MSG(found.flops > 0.4 * flops && found.flops < 2.5 * flops,
                   "%d x %d x %d: %g operations expected, %g found", n[0], n[1], n[2], found.flops,
                   flops);
    double size = found.length * found.width * found.thickness;
    TEST_NEAR(size / body.vertex_count, 1.0, 1e-9);
    TEST_CHECK_MSG(found.thickness > 0.6 * layers && found.thickness < 1.5 * layers,
                   "%d x %d x %d: thickness %g", n[0], n[1], n[2], found.thickness);
    body_end(&body);
}

LYRA_TEST(sections_foretell_the_cost_of_a_factor)
{
    static const int32_t boxes[][3] = {{6, 6, 6},   {14, 14, 14}, {48, 6, 6}, {60, 2, 2},
                                       {90, 12, 3}, {30, 30, 2},  {50, 50, 1}};
    static const int32_t wide[][3] = {{3, 3, 3}, {6, 6, 6}, {24, 3, 3}, {30, 1, 1}, {15, 15, 1}};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t k = 0; k < LY_COUNT_OF(boxes); ++k) {
        check_sections(ctx, LYRA_ELEMENT_TET4, boxes[k]);
    }
    // these have elements that reach over two layers of vertices
    for (int32_t k = 0; k < LY_COUNT_OF(wide); ++k) {
        check_sections(ctx, LYRA_ELEMENT_TET10, wide[k]);
    }
    test_context_end(ctx);
}

LYRA_TEST(sections_of_several_bodies_add_up)
{
    // two chains, of three vertices and of two, and a vertex alone
    static const int64_t start[] = {0, 1, 2, 2, 3, 3, 3};
    static const int32_t column[] = {1, 2, 4};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LySections found, one;
    TEST_OK(ly_sections(ctx, (LyraGraph){6, start, column}, &found));
    TEST_CHECK(found.length == 3 && found.width == 1 && found.thickness == 1);
    TEST_OK(ly_sections(ctx, (LyraGraph){3, start, column}, &one));
    TEST_CHECK(one.length == 3 && one.entries < found.entries && one.flops < found.flops);
    TEST_OK(ly_sections(ctx, (LyraGraph){0, start, column}, &one));
    TEST_CHECK(one.length == 0 && one.entries == 0 && one.flops == 0);
    test_context_end(ctx);
}

// ---- statics ------------------------------------------------------------------------------------

// the first solve of a body that is held at its left end and pulled at
static LyraSolveReport solve_statics(LyraContext *ctx, const Body *body)
{
    LyraSolverDef def = lyra_solver_def_default();
    def.task = LYRA_SOLVER_STATICS;
    def.positions = body->positions;
    LyraConstraints *constraints = NULL;
    TEST_OK(lyra_constraints_create(ctx, body->size, &constraints));
    body_constrain(body, BODY_FIXED, constraints);
    LyraSolver *solver = NULL;
    LyraOperator A = lyra_operator_block(body->K, true);
    LyraSolveReport report = {0};
    double *x = body_allocate(body->size, sizeof *x);
    TEST_OK(lyra_solver_create(ctx, &def, &solver));
    TEST_OK(lyra_solver_analyze(solver, &A, constraints));
    TEST_OK(lyra_solver_factor(solver, &A));
    TEST_OK(lyra_solver_solve(solver, body->mass, false, x, &report));
    TEST_CHECK(report.residual < 1e-6);
    lyra_solver_destroy(solver);
    lyra_constraints_destroy(constraints);
    free(x);
    return report;
}

LYRA_TEST(statics_of_slender_and_flat_bodies_begins_with_a_factor)
{
    static const int32_t slender[][3] = {{60, 2, 2}, {100, 4, 4}, {24, 24, 2}};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t k = 0; k < LY_COUNT_OF(slender); ++k) {
        Body body = body_box(ctx, slender[k][0], slender[k][1], slender[k][2]);
        LyraSolveReport report = solve_statics(ctx, &body);
        TEST_STRING(report.solver, "factor-reuse");
        TEST_CHECK_MSG(report.iterations <= 2, "%d iterations", (int)report.iterations);
        TEST_CHECK(report.refactored);
        body_end(&body);
    }
    test_context_end(ctx);
}

LYRA_TEST(statics_of_thick_bodies_takes_sweeps)
{
    static const int32_t thick[][3] = {{3, 4, 4}, {8, 8, 8}, {12, 14, 10}, {40, 8, 8}};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t k = 0; k < LY_COUNT_OF(thick); ++k) {
        Body body = body_box(ctx, thick[k][0], thick[k][1], thick[k][2]);
        LyraSolveReport report = solve_statics(ctx, &body);
        TEST_STRING(report.solver, "pcg");
        body_end(&body);
    }
    test_context_end(ctx);
}

// too small for a coarse space, so that sweeps creep at first, and nearly all of them serve better
LYRA_TEST(statics_of_tets_of_10_nodes)
{
    static const struct {
        int32_t cells[3];
        const char *solver;
    } bodies[] = {{{3, 3, 3}, "pcg"},           {{4, 4, 4}, "pcg"}, {{4, 4, 2}, "pcg"},
                  {{6, 3, 3}, "pcg"},           {{8, 8, 8}, "pcg"}, {{8, 2, 2}, "factor-reuse"},
                  {{10, 10, 1}, "factor-reuse"}};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t k = 0; k < LY_COUNT_OF(bodies); ++k) {
        const int32_t *n = bodies[k].cells;
        Body body = body_box_of(ctx, LYRA_ELEMENT_TET10, n[0], n[1], n[2]);
        LyraSolveReport report = solve_statics(ctx, &body);
        TEST_CHECK_MSG(strcmp(report.solver, bodies[k].solver) == 0, "%d x %d x %d: %s", n[0], n[1],
                       n[2], report.solver);
        body_end(&body);
    }
    test_context_end(ctx);
}

// cubes by their graph, whose elements are flat, very and a little: only iterations show it, and
// already at the first look
LYRA_TEST(hopeless_sweeps_are_left_early)
{
    static const int32_t cells[3] = {10, 10, 10};
    static const double thickness[] = {0.08, 0.18};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t k = 0; k < LY_COUNT_OF(thickness); ++k) {
        Body body = make_body(ctx, cells, (const double[]){1, 1, thickness[k]});
        LyraSolveReport report = solve_statics(ctx, &body);
        TEST_STRING(report.solver, "factor-reuse");
        TEST_CHECK_MSG(report.iterations > 2 && report.iterations < 20, "%d iterations",
                       (int)report.iterations);
        body_end(&body);
    }
    test_context_end(ctx);
}

// ---- old factors --------------------------------------------------------------------------------

/// A body in dynamics for which sweeps are dear, and "auto" on it.
typedef struct Kept {
    Body body;
    LyraBlockMatrix *S;
    LyraOperator A;
    LyraSolver *solver;
    double *x;
    double *b; // NULL: the masses, which sweeps answer at once by the coarse space
} Kept;

static Kept kept_create(LyraContext *ctx, int32_t side, double thickness)
{
    const int32_t cells[3] = {side, side, side};
    Kept kept = {.body = make_body(ctx, cells, (const double[]){1, 1, thickness})};
    kept.S = body_dynamics(&kept.body, 1);
    kept.A = lyra_operator_block(kept.S, true);
    kept.x = body_allocate(kept.body.size, sizeof *kept.x);
    LyraSolverDef def = lyra_solver_def_default();
    def.positions = kept.body.positions;
    TEST_OK(lyra_solver_create(ctx, &def, &kept.solver));
    TEST_OK(lyra_solver_analyze(kept.solver, &kept.A, NULL));
    return kept;
}

static LyraSolveReport kept_step(Kept *kept)
{
    LyraSolveReport report = {0};
    TEST_OK(lyra_solver_factor(kept->solver, &kept->A));
    TEST_OK(lyra_solver_solve(kept->solver, kept->b ? kept->b : kept->body.mass, false, kept->x,
                              &report));
    return report;
}

// makes one vertex in `every` heavier
static void kept_change(Kept *kept, int32_t every, double times)
{
    double *mass = body_allocate(kept->body.size, sizeof *mass);
    for (int32_t i = 0; i < kept->body.size; ++i) {
        mass[i] = i / 3 % every == 0 ? kept->body.mass[i] * (1 + i % 7) : 0;
    }
    lyra_block_matrix_add_diagonal(kept->S, times, mass);
    free(mass);
}

// steps until there is a factor
static void kept_learn(Kept *kept)
{
    LyraSolveReport report = {0};
    for (int32_t step = 0; step < 30; ++step) {
        report = kept_step(kept);
        if (strcmp(report.solver, "factor-reuse") == 0) {
            break;
        }
    }
    TEST_STRING(report.solver, "factor-reuse");
    TEST_CHECK(report.refactored);
}

static void kept_end(Kept *kept)
{
    lyra_solver_destroy(kept->solver);
    lyra_block_matrix_destroy(kept->S);
    free(kept->x);
    free(kept->b);
    body_end(&kept->body);
}

// makes one vertex in sixty very heavy, at each step others
static void kept_stir(Kept *kept, int32_t step)
{
    enum { EVERY = 60 };
    double *mass = body_allocate(kept->body.size, sizeof *mass);
    for (int32_t i = 0; i < kept->body.size; ++i) {
        int32_t turn = i / 3 % EVERY;
        bool now = turn == step % EVERY, before = step > 0 && turn == (step - 1) % EVERY;
        mass[i] = kept->body.mass[i] * (now - before);
    }
    lyra_block_matrix_add_diagonal(kept->S, 1e5, mass);
    free(mass);
}

LYRA_TEST(a_body_that_comes_to_rest_gets_a_factor_of_its_own)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Kept kept = kept_create(ctx, 10, 0.005);
    kept_learn(&kept);
    kept_change(&kept, 1, 1.0);
    LyraSolveReport report = kept_step(&kept);
    TEST_CHECK_MSG(!report.refactored && report.iterations >= 4, "%d iterations",
                   (int)report.iterations);
    // the same again and again: an old factor shows no rise, but a new one is better
    int32_t factors = 0;
    for (int32_t step = 0; step < 30; ++step) {
        report = kept_step(&kept);
        factors += report.refactored;
    }
    TEST_CHECK_MSG(report.iterations <= 2, "%d iterations", (int)report.iterations);
    TEST_CHECK_MSG(factors >= 1 && factors <= 3, "%d factors", (int)factors);
    kept_end(&kept);
    test_context_end(ctx);
}

LYRA_TEST(an_old_factor_that_serves_badly_is_left_early)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Kept kept = kept_create(ctx, 10, 0.005);
    kept_learn(&kept);
    kept_change(&kept, 1, 1e9);
    LyraSolveReport report = kept_step(&kept);
    TEST_CHECK(report.refactored);
    TEST_CHECK_MSG(report.iterations <= 8, "%d iterations", (int)report.iterations);
    kept_end(&kept);
    test_context_end(ctx);
}

// A body that is easy first and then hard, and whose factors are old at once: that the first one
// does not pay says nothing against one for each solve.
LYRA_TEST(bodies_that_need_a_new_factor_each_time_get_it)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Kept kept = kept_create(ctx, 10, 0.2);
    int32_t sweeps = 0, factors = 0;
    for (int32_t step = 0; step < 40; ++step) {
        if (step >= 3) {
            kept_stir(&kept, step - 3);
        }
        LyraSolveReport report = kept_step(&kept);
        sweeps += step >= 20 && strcmp(report.solver, "pcg") == 0;
        factors += step >= 20 && report.refactored;
    }
    TEST_CHECK_MSG(sweeps == 0 && factors >= 16, "%d solves with sweeps, %d factors", (int)sweeps,
                   (int)factors);
    kept_end(&kept);
    test_context_end(ctx);
}

// The same graph twice: one body is sound enough for single precision, the other, of elements as
// thin as paper, is not. What each of them was told is remembered with the rest.
LYRA_TEST(factors_are_kept_in_single_precision_where_it_serves)
{
    static const double thickness[] = {0.08, 0.01};
    int64_t bytes[2];
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t k = 0; k < 2; ++k) {
        Kept kept = kept_create(ctx, 10, thickness[k]);
        kept.b = body_allocate(kept.body.size, sizeof *kept.b);
        for (int32_t i = 0; i < kept.body.size; ++i) {
            kept.b[i] = kept.body.mass[i] * (1 + i / 3 % 5);
        }
        kept_learn(&kept);
        LyraSolveReport report = kept_step(&kept);
        TEST_CHECK_MSG(report.iterations <= 4, "%d iterations", (int)report.iterations);
        TEST_STRING(report.solver, "factor-reuse");
        bytes[k] = report.bytes;
        double memory[LYRA_SOLVER_MEMORY];
        ly_solver_remember(kept.solver, memory);
        TEST_OK(ly_solver_recall(kept.solver, NULL, NULL));
        TEST_OK(ly_solver_recall(kept.solver, memory, &kept.A));
        report = kept_step(&kept);
        TEST_NEAR((double)report.bytes, (double)bytes[k], 0.1 * (double)bytes[k]);
        kept_end(&kept);
    }
    TEST_CHECK_MSG(bytes[0] < 0.75 * (double)bytes[1], "%lld and %lld bytes", (long long)bytes[0],
                   (long long)bytes[1]);
    test_context_end(ctx);
}
