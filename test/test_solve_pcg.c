// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// pcg on M + h^2 K of generated bodies: every preconditioner in both precisions against a dense
// solution, constraints, ends of all kinds, threads and memory.

#include "lyra/dense.h"
#include "lyra/mesh_generate.h"
#include "lyra/mesh_ops.h"
#include "lyra/solid.h"
#include "lyra/solver.h"
#include "lyra_test.h"
#include "solve/pcg.h"

#include <stdlib.h>
#include <string.h>

// ---- bodies -------------------------------------------------------------------------------------

typedef struct Body {
    LyraMesh *mesh;
    LyraSolid *solid;
    LyraAssembly *assembly;
    LyraBlockMatrix *A;
    int32_t size;
    double *positions, *b; // in the order of the matrix
} Body;

// A = M + h^2 K of a box of cells of 0.1 m, slightly stretched
static LyraStatus body_create(LyraContext *ctx, int32_t nx, int32_t ny, int32_t nz, double h,
                              Body *body)
{
    *body = (Body){0};
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    int32_t cells[3] = {nx, ny, nz};
    for (int d = 0; d < 3; ++d) {
        shape.cells[d] = cells[d];
        shape.size[d] = 0.1 * cells[d];
    }
    LyraStatus status = lyra_mesh_generate(ctx, &shape, &body->mesh);
    if (status != LYRA_OK) {
        return status;
    }
    LyraMeshView view = lyra_mesh_view(body->mesh);
    LyraSolidDef def = lyra_solid_def_default();
    def.model = "corotational";
    def.young = 1e6;
    int32_t count = 0;
    if ((status = lyra_solid_create(ctx, body->mesh, &def, &body->solid)) != LYRA_OK) {
        return status;
    }
    LyraForce *const *forces = lyra_solid_forces(body->solid, &count);
    if ((status = lyra_assembly_create(ctx, view.vertex_count, view.positions, count, forces,
                                       &body->assembly)) != LYRA_OK ||
        (status = lyra_block_matrix_create(lyra_assembly_pattern(body->assembly), &body->A)) !=
            LYRA_OK) {
        return status;
    }
    body->size = 3 * view.vertex_count;
    size_t n = (size_t)body->size;
    double *x = malloc(n * 8), *mass = malloc(n * 8);
    body->positions = malloc(n * 8);
    body->b = malloc(n * 8);
    for (size_t i = 0; i < n; ++i) {
        x[i] = view.positions[i] * (i % 3 == 0 ? 1.02 : 1.0);
    }
    LyraEvaluation evaluation = {.x = x, .dfdx = body->A, .psd = true};
    status = lyra_assembly_evaluate(body->assembly, &evaluation);
    const int32_t *order = lyra_assembly_order(body->assembly);
    double *masses = malloc(n * 8);
    lyra_mesh_lumped_masses(body->mesh, NULL, masses);
    for (size_t i = 0; i < n; ++i) {
        mass[i] = masses[order[i / 3]];
        body->positions[i] = view.positions[3 * (size_t)order[i / 3] + i % 3];
        body->b[i] = mass[i] * (sin(7.0 * body->positions[i]) - (i % 3 == 1 ? 0.1 : 0.0));
    }
    lyra_block_matrix_scale(body->A, h > 0 ? h * h : 1.0);
    if (h > 0) {
        lyra_block_matrix_add_diagonal(body->A, 1.0, mass);
    }
    free(x);
    free(mass);
    free(masses);
    return status;
}

static void body_end(Body *body)
{
    lyra_block_matrix_destroy(body->A);
    lyra_assembly_destroy(body->assembly);
    lyra_solid_destroy(body->solid);
    lyra_mesh_destroy(body->mesh);
    free(body->positions);
    free(body->b);
}

// solution by a dense factor of P A P + (I - P)
static void dense_solution(LyraContext *ctx, const Body *body, const LyraConstraints *constraints,
                           double *x)
{
    int32_t n = body->size;
    double *D = malloc((size_t)n * (size_t)n * 8), *e = malloc((size_t)n * 8);
    double *column = malloc((size_t)n * 8);
    for (int32_t j = 0; j < n; ++j) {
        memset(e, 0, (size_t)n * 8);
        e[j] = 1.0;
        if (constraints) {
            lyra_constraints_project(constraints, e);
        }
        lyra_block_matrix_multiply(body->A, e, column);
        if (constraints) {
            lyra_constraints_project(constraints, column);
        }
        for (int32_t i = 0; i < n; ++i) {
            D[i + (size_t)j * (size_t)n] = column[i] + (i == j) - e[i];
        }
    }
    memcpy(x, body->b, (size_t)n * 8);
    if (constraints) {
        lyra_constraints_project(constraints, x);
    }
    LyraDenseFactor *factor = NULL;
    TEST_OK(lyra_dense_factor_create(ctx, LYRA_FACTOR_LU, n, D, &factor));
    TEST_OK(lyra_dense_factor_solve(factor, 1, x, x));
    lyra_dense_factor_destroy(factor);
    free(D);
    free(e);
    free(column);
}

static double difference(int32_t n, const double *x, const double *y)
{
    double sum = 0.0, size = 0.0;
    for (int32_t i = 0; i < n; ++i) {
        sum += (x[i] - y[i]) * (x[i] - y[i]);
        size += y[i] * y[i];
    }
    return sqrt(sum / size);
}

typedef struct Case {
    const char *preconditioner;
    bool single, coarse;
} Case;

static const Case cases[] = {
    {"none", true, false},        {"none", false, false},        {"jacobi", true, false},
    {"jacobi", false, false},     {"block-jacobi", true, false}, {"block-jacobi", false, false},
    {"ssor", true, false},        {"ssor", false, false},        {"ic0", true, false},
    {"ic0", false, false},        {"ssor", true, true},          {"ssor", false, true},
    {"block-jacobi", true, true}, {"ic0", true, true},
};
#define CASES ((int32_t)(sizeof cases / sizeof cases[0]))

static LyraSolverDef def_of(const Case *c, const Body *body, double tolerance)
{
    LyraSolverDef def = lyra_solver_def_default();
    def.name = "pcg";
    def.preconditioner = c->preconditioner;
    def.single = c->single;
    def.coarse = c->coarse;
    def.positions = body->positions;
    def.tolerance = tolerance;
    return def;
}

static LyraStatus solve_once(LyraContext *ctx, const LyraSolverDef *def, const LyraOperator *A,
                             const LyraConstraints *constraints, const double *b, double *x,
                             LyraSolveReport *report)
{
    LyraSolver *solver = NULL;
    LyraStatus status = lyra_solver_create(ctx, def, &solver);
    if (status == LYRA_OK) {
        status = lyra_solver_analyze(solver, A, constraints);
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

// |P (b - A x)| / |P b|, by a product of our own
static double true_residual(const Body *body, const LyraConstraints *constraints, const double *x)
{
    double *r = malloc((size_t)body->size * 8), *b = malloc((size_t)body->size * 8);
    lyra_block_matrix_multiply(body->A, x, r);
    for (int32_t i = 0; i < body->size; ++i) {
        b[i] = body->b[i];
        r[i] = b[i] - r[i];
    }
    if (constraints) {
        lyra_constraints_project(constraints, r);
        lyra_constraints_project(constraints, b);
    }
    double rr = 0, bb = 0;
    for (int32_t i = 0; i < body->size; ++i) {
        rr += r[i] * r[i];
        bb += b[i] * b[i];
    }
    free(r);
    free(b);
    return sqrt(rr / bb);
}

// ---- answers ------------------------------------------------------------------------------------

LYRA_TEST(every_preconditioner_gives_the_dense_solution)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    Body body;
    TEST_OK(body_create(ctx, 5, 3, 3, 0.01, &body));
    double *x = malloc((size_t)body.size * 8), *exact = malloc((size_t)body.size * 8);
    dense_solution(ctx, &body, NULL, exact);
    LyraOperator A = lyra_operator_block(body.A, true);
    for (int32_t c = 0; c < CASES; ++c) {
        LyraSolverDef def = def_of(&cases[c], &body, 1e-12);
        LyraSolveReport report = {0};
        TEST_OK(solve_once(ctx, &def, &A, NULL, body.b, x, &report));
        // the condition of this matrix is about 1e3
        double error = difference(body.size, x, exact);
        TEST_CHECK_MSG(error < 1e-9, "%s %d %d: error %g, %d iterations", cases[c].preconditioner,
                       cases[c].single, cases[c].coarse, error, (int)report.iterations);
        TEST_CHECK(report.residual <= 1e-12 && report.iterations > 0);
        TEST_NEAR(report.residual, true_residual(&body, NULL, x), 1e-14);
    }
    free(x);
    free(exact);
    body_end(&body);
    test_context_end(ctx);
}

LYRA_TEST(every_instruction_set_gives_the_dense_solution)
{
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(1, isa);
        Body body;
        TEST_OK(body_create(ctx, 4, 3, 2, 0.01, &body));
        double *x = malloc((size_t)body.size * 8), *exact = malloc((size_t)body.size * 8);
        dense_solution(ctx, &body, NULL, exact);
        LyraOperator A = lyra_operator_block(body.A, true);
        for (int32_t c = 0; c < CASES; ++c) {
            LyraSolverDef def = def_of(&cases[c], &body, 1e-11);
            TEST_OK(solve_once(ctx, &def, &A, NULL, body.b, x, NULL));
            TEST_CHECK(difference(body.size, x, exact) < 1e-8);
        }
        free(x);
        free(exact);
        body_end(&body);
        test_context_end(ctx);
    }
}

static void hold(const Body *body, LyraConstraints *constraints)
{
    for (int32_t i = 0; i < body->size / 3; ++i) {
        const double *X = body->positions + 3 * (size_t)i;
        if (X[0] < -0.24) {
            TEST_OK(lyra_constraints_fix_vertices(constraints, 1, &i));
        } else if (X[1] > 0.14) {
            TEST_OK(
                lyra_constraints_add_direction(constraints, i, (double[3]){1.0, 2.0, 0.5 + X[0]}));
            if (X[2] > 0.1) {
                TEST_OK(lyra_constraints_add_direction(constraints, i, (double[3]){0, 1, 1}));
            }
        }
    }
}

LYRA_TEST(filtered_constraints_give_the_dense_solution_and_follow_changes)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body;
    TEST_OK(body_create(ctx, 5, 3, 3, 0.01, &body));
    double *x = malloc((size_t)body.size * 8), *exact = malloc((size_t)body.size * 8);
    LyraOperator A = lyra_operator_block(body.A, true);
    for (int32_t c = 0; c < CASES; ++c) {
        LyraConstraints *constraints = NULL;
        TEST_OK(lyra_constraints_create(ctx, body.size, &constraints));
        hold(&body, constraints);
        LyraSolverDef def = def_of(&cases[c], &body, 1e-12);
        def.constrain = LYRA_CONSTRAIN_FILTER;
        LyraSolver *solver = NULL;
        TEST_OK(lyra_solver_create(ctx, &def, &solver));
        TEST_OK(lyra_solver_analyze(solver, &A, constraints));
        TEST_OK(lyra_solver_factor(solver, &A));
        for (int32_t turn = 0; turn < 2; ++turn) {
            dense_solution(ctx, &body, constraints, exact);
            LyraSolveReport report = {0};
            TEST_OK(lyra_solver_solve(solver, body.b, false, x, &report));
            double error = difference(body.size, x, exact);
            TEST_CHECK_MSG(error < 1e-9, "%s %d: error %g", cases[c].preconditioner,
                           cases[c].single, error);
            TEST_NEAR(report.residual, true_residual(&body, constraints, x), 1e-14);
            // a loose one, so that the two are far from zero
            TEST_OK(lyra_solver_set_tolerance(solver, 1e-3));
            TEST_OK(lyra_solver_solve(solver, body.b, false, x, &report));
            TEST_CHECK(report.residual > 1e-9 && report.residual <= 1e-3);
            TEST_NEAR(report.residual, true_residual(&body, constraints, x),
                      1e-9 * report.residual);
            TEST_OK(lyra_solver_set_tolerance(solver, 1e-12));
            // new directions hold at once
            int32_t freed[2] = {0, 5};
            TEST_OK(lyra_constraints_release_vertices(constraints, 2, freed));
            TEST_OK(lyra_constraints_add_direction(constraints, 7, (double[3]){1, -1, 3}));
        }
        lyra_solver_destroy(solver);
        lyra_constraints_destroy(constraints);
    }
    free(x);
    free(exact);
    body_end(&body);
    test_context_end(ctx);
}

// `count` bars apart from each other along x, [cells + 1] x side x side vertices each, of cubes,
// with `springs` from the middle of the first face to vertices all along them
static LyraBlockPattern *spring_pattern(LyraContext *ctx, int32_t count, int32_t cells,
                                        int32_t side, int32_t springs, double **positions)
{
    int32_t area = side * side, each = (cells + 1) * area, cubes = 0;
    int32_t *stencils = malloc((size_t)(count * each) * 8 * sizeof *stencils);
    int32_t *pairs = malloc(2 * (size_t)(springs + 1) * sizeof *pairs);
    *positions = malloc((size_t)count * (size_t)each * 3 * sizeof **positions);
    for (int32_t i = 0; i < count * each; ++i) {
        int32_t y = i % area / side, z = i % side;
        (*positions)[3 * i] = i / area + 10.0 * (i / each);
        (*positions)[3 * i + 1] = y;
        (*positions)[3 * i + 2] = z;
        if (i / area % (cells + 1) < cells && y < side - 1 && z < side - 1) {
            for (int32_t c = 0; c < 8; ++c) {
                stencils[8 * cubes + c] = i + c % 2 + side * (c / 2 % 2) + area * (c / 4);
            }
            ++cubes;
        }
    }
    for (int32_t s = 0; s < springs; ++s) {
        pairs[2 * s] = area / 2;
        pairs[2 * s + 1] = count * each - 1 - s * (count * each / 2 / springs);
    }
    LyraBlockPattern *pattern = NULL;
    const LyraStencils sets[2] = {{.nodes = 8, .count = cubes, .ids = stencils},
                                  {.nodes = 2, .count = springs, .ids = pairs}};
    TEST_OK(lyra_block_pattern_create(ctx, count * each, LYRA_STORAGE_UPPER, 2, sets, &pattern));
    free(stencils);
    free(pairs);
    return pattern;
}

static LyraBlockPattern *bars_pattern(LyraContext *ctx, int32_t count, int32_t cells, int32_t side,
                                      double **positions)
{
    return spring_pattern(ctx, count, cells, side, 0, positions);
}

// orders the rows of a body: each is in one domain, and domains of one colour do not touch
static void check_order(LyraContext *ctx, const LyraBlockPattern *pattern, const double *positions,
                        LyPcgOrder *out)
{
    LyraBlockPatternView view = lyra_block_pattern_view(pattern);
    int32_t rows = view.row_count, *order = malloc((size_t)rows * sizeof *order);
    int32_t *domain = malloc((size_t)rows * sizeof *domain);
    int32_t colour[LY_PCG_DOMAINS_MAX] = {0};
    LyPcgOrder cut;
    TEST_REQUIRE_OK(ly_pcg_order(ctx, pattern, positions, false, order, &cut));
    TEST_REQUIRE(cut.domains <= LY_PCG_DOMAINS_MAX && cut.colours <= LY_PCG_COLOURS_MAX);
    TEST_EQUAL(cut.colour_begin[cut.colours], cut.domains);
    for (int32_t c = 0; c < cut.colours; ++c) {
        TEST_CHECK(cut.colour_begin[c] < cut.colour_begin[c + 1]);
        for (int32_t d = cut.colour_begin[c]; d < cut.colour_begin[c + 1]; ++d) {
            colour[d] = c;
        }
    }
    memset(domain, 0xff, (size_t)rows * sizeof *domain);
    for (int32_t d = 0; d < cut.domains; ++d) {
        for (int32_t p = cut.begin[d]; p < cut.begin[d + 1]; ++p) {
            TEST_EQUAL(domain[order[p]], -1);
            domain[order[p]] = d;
        }
    }
    TEST_EQUAL(cut.begin[cut.domains], rows);
    for (int32_t i = 0; i < rows; ++i) {
        for (int64_t k = view.row_start[i]; k < view.row_start[i + 1]; ++k) {
            int32_t a = domain[i], b = domain[view.column[k]];
            TEST_CHECK(a == b || colour[a] != colour[b]);
        }
    }
    free(domain);
    free(order);
    *out = cut;
}

LYRA_TEST(domains_touch_thin_separators_only)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t bars = 1; bars <= 3; ++bars) {
        double *positions = NULL;
        LyraBlockPattern *pattern = bars_pattern(ctx, bars, 300 / bars, 7, &positions);
        LyPcgOrder cut = {0};
        check_order(ctx, pattern, positions, &cut);
        TEST_EQUAL(cut.colours, 2);
        TEST_EQUAL(cut.colour_begin[1], 16); // 14,700 rows, 800 or more each
        TEST_EQUAL(cut.domains, 31);
        for (int32_t d = cut.colour_begin[1]; d < cut.domains; ++d) {
            TEST_CHECK(cut.begin[d + 1] - cut.begin[d] <= 2 * 49);
        }
        free(positions);
        lyra_block_pattern_destroy(pattern);
    }
    test_context_end(ctx);
}

// springs across a body, from one vertex to any number of others, cost one row of the last colour
LYRA_TEST(a_spring_across_a_body_leaves_its_domains)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const int32_t springs[] = {1, 40};
    for (int32_t k = 0; k < 2; ++k) {
        double *positions = NULL;
        LyPcgOrder without = {0}, cut = {0};
        LyraBlockPattern *plain = bars_pattern(ctx, 1, 48, 12, &positions);
        check_order(ctx, plain, positions, &without);
        free(positions);
        LyraBlockPattern *pattern = spring_pattern(ctx, 1, 48, 12, springs[k], &positions);
        check_order(ctx, pattern, positions, &cut);
        TEST_EQUAL(cut.colours, without.colours + 1);
        TEST_EQUAL(cut.domains, without.domains + 1);
        TEST_EQUAL(cut.colour_begin[1], 4);
        TEST_EQUAL(cut.begin[cut.domains] - cut.begin[cut.domains - 1], 1);
        free(positions);
        lyra_block_pattern_destroy(plain);
        lyra_block_pattern_destroy(pattern);
    }
    test_context_end(ctx);
}

LYRA_TEST(separators_of_few_domains_are_halved)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    // a cube of two domains, and bars of four and eight
    for (int32_t domains = 2; domains <= 8; domains *= 2) {
        int32_t side = domains == 2 ? 16 : 12;
        double *positions = NULL;
        LyraBlockPattern *pattern =
            bars_pattern(ctx, 1, domains == 2 ? 15 : 12 * domains, side, &positions);
        LyPcgOrder cut = {0};
        check_order(ctx, pattern, positions, &cut);
        TEST_EQUAL(cut.colours, 3);
        TEST_EQUAL(cut.colour_begin[1], domains);
        TEST_EQUAL(cut.colour_begin[2], domains + 2 * (domains - 1));
        TEST_EQUAL(cut.domains, domains + 3 * (domains - 1));
        for (int32_t d = cut.colour_begin[1]; d < cut.domains; ++d) {
            int32_t rows = cut.begin[d + 1] - cut.begin[d], halves = side * side / 2;
            // halves of one size, and thin parts between them
            TEST_CHECK_MSG(d < cut.colour_begin[2] ? abs(rows - halves) <= 2 * side
                                                   : rows <= 2 * side + 2,
                           "domain %d of %d: %d rows", (int)d, (int)domains, (int)rows);
        }
        // without positions they stay whole
        LyPcgOrder blind = {0};
        check_order(ctx, pattern, NULL, &blind);
        TEST_EQUAL(blind.colours, 2);
        free(positions);
        lyra_block_pattern_destroy(pattern);
    }
    test_context_end(ctx);
}

LYRA_TEST(domains_and_separators_are_the_whole_matrix)
{
    // 7,000 vertices: several domains; the residual is the judge
    LyraContext *ctx = test_context(3, LYRA_ISA_AUTO);
    Body body;
    TEST_OK(body_create(ctx, 100, 7, 7, 0.01, &body));
    double *x = malloc((size_t)body.size * 8);
    LyraOperator A = lyra_operator_block(body.A, true);
    int32_t iterations[2];
    for (int32_t known = 0; known < 2; ++known) {
        LyraSolverDef def = def_of(&cases[6], &body, 1e-10);
        def.positions = known ? body.positions : NULL;
        LyraSolveReport report = {0};
        TEST_OK(solve_once(ctx, &def, &A, NULL, body.b, x, &report));
        TEST_CHECK(true_residual(&body, NULL, x) <= 1e-10);
        iterations[known] = report.iterations;
    }
    // and they precondition: jacobi needs three times as many
    LyraSolverDef def = def_of(&cases[3], &body, 1e-10);
    LyraSolveReport report = {0};
    TEST_OK(solve_once(ctx, &def, &A, NULL, body.b, x, &report));
    TEST_CHECK_MSG(2 * iterations[0] < report.iterations && 2 * iterations[1] < report.iterations,
                   "ssor %d and %d, jacobi %d iterations", (int)iterations[0], (int)iterations[1],
                   (int)report.iterations);
    free(x);
    body_end(&body);
    test_context_end(ctx);
}

LYRA_TEST(energy_norm_stops_where_the_error_is_small)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body;
    TEST_OK(body_create(ctx, 6, 3, 3, 0.03, &body));
    size_t bytes = (size_t)body.size * 8;
    double *x = malloc(bytes), *exact = malloc(bytes), *Ae = malloc(bytes);
    dense_solution(ctx, &body, NULL, exact);
    LyraOperator A = lyra_operator_block(body.A, true);
    for (int32_t c = 0; c < CASES; ++c) {
        LyraSolverDef def = def_of(&cases[c], &body, 1e-5);
        def.stop = LYRA_STOP_ENERGY;
        LyraSolveReport report = {0};
        TEST_OK(solve_once(ctx, &def, &A, NULL, body.b, x, &report));
        double error = 0.0, energy = 0.0;
        for (int32_t i = 0; i < body.size; ++i) {
            energy += exact[i] * body.b[i];
            x[i] -= exact[i];
        }
        lyra_block_matrix_multiply(body.A, x, Ae);
        for (int32_t i = 0; i < body.size; ++i) {
            error += x[i] * Ae[i];
        }
        TEST_CHECK_MSG(sqrt(error / energy) < 1e-5, "%s: error %g", cases[c].preconditioner,
                       sqrt(error / energy));
        // and not long after, where each iteration gains little
        bool slow = strcmp(cases[c].preconditioner, "none") == 0 ||
                    strcmp(cases[c].preconditioner, "jacobi") == 0;
        TEST_CHECK_MSG(!slow || cases[c].coarse || sqrt(error / energy) > 1e-7, "%s: error %g",
                       cases[c].preconditioner, sqrt(error / energy));
    }
    free(x);
    free(exact);
    free(Ae);
    body_end(&body);
    test_context_end(ctx);
}

LYRA_TEST(a_start_near_the_solution_saves_iterations)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body;
    TEST_OK(body_create(ctx, 5, 3, 3, 0.01, &body));
    double *x = malloc((size_t)body.size * 8);
    LyraOperator A = lyra_operator_block(body.A, true);
    LyraSolverDef def = def_of(&cases[6], &body, 1e-8);
    LyraSolver *solver = NULL;
    LyraSolveReport cold = {0}, warm = {0};
    TEST_OK(lyra_solver_create(ctx, &def, &solver));
    TEST_OK(lyra_solver_analyze(solver, &A, NULL));
    TEST_OK(lyra_solver_factor(solver, &A));
    TEST_OK(lyra_solver_solve(solver, body.b, false, x, &cold));
    int64_t before = test_allocation_count();
    TEST_OK(lyra_solver_solve(solver, body.b, true, x, &warm));
    TEST_EQUAL(warm.iterations, 0);
    x[3] *= 1.0001;
    TEST_OK(lyra_solver_solve(solver, body.b, true, x, &warm));
    TEST_CHECK(warm.iterations > 0 && warm.iterations < cold.iterations);
    TEST_OK(lyra_solver_factor(solver, &A));
    TEST_OK(lyra_solver_solve(solver, body.b, false, x, &warm));
    TEST_EQUAL(test_allocation_count(), before);
    TEST_EQUAL(warm.iterations, cold.iterations);
    lyra_solver_destroy(solver);
    free(x);
    body_end(&body);
    test_context_end(ctx);
}

// ---- scales and bad matrices --------------------------------------------------------------------

LYRA_TEST(units_far_from_one_change_nothing)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body;
    TEST_OK(body_create(ctx, 4, 3, 3, 0.01, &body));
    double *x = malloc((size_t)body.size * 8), *exact = malloc((size_t)body.size * 8);
    dense_solution(ctx, &body, NULL, exact);
    LyraOperator A = lyra_operator_block(body.A, true);
    double factors[] = {1e60, 1e-120};
    for (int32_t f = 0; f < 2; ++f) {
        lyra_block_matrix_scale(body.A, factors[f]);
        for (int32_t c = 0; c < CASES; ++c) {
            LyraSolverDef def = def_of(&cases[c], &body, 1e-10);
            TEST_OK(solve_once(ctx, &def, &A, NULL, body.b, x, NULL));
            for (int32_t i = 0; i < body.size; ++i) {
                x[i] *= f == 0 ? 1e60 : 1e-60;
            }
            TEST_CHECK(difference(body.size, x, exact) < 1e-7);
        }
    }
    free(x);
    free(exact);
    body_end(&body);
    test_context_end(ctx);
}

// two vertices with the block [[1, k], [k, 1]] times the identity: eigenvalues 1 +- k
static LyraStatus pair_create(LyraContext *ctx, double k, LyraBlockPattern **pattern,
                              LyraBlockMatrix **A)
{
    int64_t row_start[3] = {0, 1, 1};
    int32_t column[1] = {1};
    LyraStatus status =
        lyra_block_pattern_create_rows(ctx, 2, LYRA_STORAGE_UPPER, row_start, column, pattern);
    if (status == LYRA_OK) {
        status = lyra_block_matrix_create(*pattern, A);
    }
    if (status == LYRA_OK) {
        double off[9] = {k, 0, 0, 0, k, 0, 0, 0, k};
        lyra_block_matrix_add_diagonal(*A, 1.0, NULL);
        status = lyra_block_matrix_add_block(*A, 0, 1, 1.0, off);
    }
    return status;
}

LYRA_TEST(negative_curvature_is_a_status_or_a_direction_of_descent)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraBlockPattern *pattern = NULL;
    LyraBlockMatrix *matrix = NULL;
    TEST_OK(pair_create(ctx, 3.0, &pattern, &matrix));
    LyraOperator A = lyra_operator_block(matrix, true);
    double b[6] = {1, 0, 0, -0.9, 0, 0}, x[6] = {9, 9, 9, 9, 9, 9};
    for (int32_t c = 0; c < 10; ++c) {
        Body none = {0};
        LyraSolverDef def = def_of(&cases[c], &none, 1e-8);
        LyraSolveReport report = {0};
        LyraStatus status = solve_once(ctx, &def, &A, NULL, b, x, &report);
        TEST_STATUS(status, LYRA_NOT_POSITIVE_DEFINITE);
        TEST_CHECK(x[0] == 9.0);
        def.truncate = true;
        double d[6] = {0};
        TEST_OK(solve_once(ctx, &def, &A, NULL, b, d, &report));
        TEST_CHECK_MSG(report.negative_curvature || report.residual <= 1e-8, "%s",
                       cases[c].preconditioner);
        TEST_CHECK(!report.negative_curvature || d[0] * b[0] + d[3] * b[3] > 0.0);
    }
    // a diagonal block that is not positive definite
    double minus[9] = {-5, 0, 0, 0, 0, 0, 0, 0, 0};
    TEST_OK(lyra_block_matrix_add_block(matrix, 0, 0, 1.0, minus));
    Body none = {0};
    LyraSolverDef def = def_of(&cases[6], &none, 1e-8);
    LyraSolveReport report = {0};
    TEST_STATUS(solve_once(ctx, &def, &A, NULL, b, x, &report), LYRA_NOT_POSITIVE_DEFINITE);
    def.truncate = true;
    double d[6] = {0};
    TEST_OK(solve_once(ctx, &def, &A, NULL, b, d, &report));
    TEST_CHECK(report.negative_curvature && d[0] * b[0] + d[3] * b[3] > 0.0);
    lyra_block_matrix_destroy(matrix);
    lyra_block_pattern_destroy(pattern);
    test_context_end(ctx);
}

LYRA_TEST(zero_rows_and_singular_matrices_are_no_answers)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraBlockPattern *pattern = NULL;
    LyraBlockMatrix *matrix = NULL;
    TEST_OK(pair_create(ctx, 0.0, &pattern, &matrix));
    LyraOperator A = lyra_operator_block(matrix, true);
    double b[6] = {1, 2, 3, 4, 5, 6}, x[6] = {0};
    // a vertex of its own
    LyraSolverDef def = lyra_solver_def_default();
    def.name = "pcg";
    TEST_OK(solve_once(ctx, &def, &A, NULL, b, x, NULL));
    TEST_NEAR(x[5], 6.0, 1e-5);
    // a vertex with nothing
    double minus[9] = {-1, 0, 0, 0, -1, 0, 0, 0, -1};
    TEST_OK(lyra_block_matrix_add_block(matrix, 1, 1, 1.0, minus));
    TEST_STATUS(solve_once(ctx, &def, &A, NULL, b, x, NULL), LYRA_SINGULAR);
    TEST_CONTAINS(lyra_error_message(), "vertex 1");
    // that is held
    LyraConstraints *constraints = NULL;
    TEST_OK(lyra_constraints_create(ctx, 6, &constraints));
    TEST_OK(lyra_constraints_fix_vertices(constraints, 1, (int32_t[]){1}));
    TEST_OK(solve_once(ctx, &def, &A, constraints, b, x, NULL));
    TEST_NEAR(x[2], 3.0, 1e-5);
    TEST_NEAR(x[4], 0.0, 0.0);
    lyra_constraints_destroy(constraints);
    lyra_block_matrix_destroy(matrix);
    lyra_block_pattern_destroy(pattern);
    // k = 1: eigenvalues 0 and 2, the right-hand side outside the range
    TEST_OK(pair_create(ctx, 1.0, &pattern, &matrix));
    A = lyra_operator_block(matrix, true);
    for (int32_t c = 0; c < 10; ++c) {
        Body none = {0};
        LyraSolverDef other = def_of(&cases[c], &none, 1e-8);
        TEST_CHECK(solve_once(ctx, &other, &A, NULL, b, x, NULL) != LYRA_OK);
    }
    lyra_block_matrix_destroy(matrix);
    lyra_block_pattern_destroy(pattern);
    test_context_end(ctx);
}

LYRA_TEST(refused_settings_say_why)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double values[4] = {2, 1, 1, 2}, b[2] = {1, 0}, x[2];
    LyraOperator A = lyra_operator_dense(2, values, true);
    LyraSolverDef def = lyra_solver_def_default();
    def.name = "pcg";
    def.preconditioner = "ssor";
    TEST_STATUS(solve_once(ctx, &def, &A, NULL, b, x, NULL), LYRA_UNSUPPORTED);
    TEST_CONTAINS(lyra_error_message(), "3x3 blocks");
    def.preconditioner = "auto";
    def.tolerance = 1e-12;
    TEST_OK(solve_once(ctx, &def, &A, NULL, b, x, NULL));
    TEST_NEAR(x[0], 2.0 / 3.0, 1e-12);
    TEST_NEAR(x[1], -1.0 / 3.0, 1e-12);
    def.iterations_max = 1;
    def.preconditioner = "none";
    values[3] = 5;
    TEST_STATUS(solve_once(ctx, &def, &A, NULL, b, x, NULL), LYRA_NOT_CONVERGED);
    test_context_end(ctx);
}

// ---- threads and memory -------------------------------------------------------------------------

typedef struct Bits {
    int32_t length; // of the body, in cubes
    const Case *c;
    int32_t aggregate;
} Bits;

static size_t bytes_of(const Bits *bits)
{
    return 3 * 12 * 12 * sizeof(double) * (size_t)(bits->length + 1);
}

static void compute_bits(LyraContext *ctx, void *data, void *out)
{
    const Bits *bits = data;
    Body body;
    TEST_OK(body_create(ctx, bits->length, 11, 11, 0.01, &body));
    LyraConstraints *constraints = NULL;
    TEST_OK(lyra_constraints_create(ctx, body.size, &constraints));
    TEST_OK(lyra_constraints_fix_vertices(constraints, 2, (int32_t[]){3, body.size / 7}));
    TEST_EQUAL(8 * (int64_t)body.size, (int64_t)bytes_of(bits));
    LyraSolverDef def = def_of(bits->c, &body, 1e-8);
    def.aggregate = bits->aggregate;
    LyraOperator A = lyra_operator_block(body.A, true);
    TEST_OK(solve_once(ctx, &def, &A, constraints, body.b, out, NULL));
    lyra_constraints_destroy(constraints);
    body_end(&body);
}

LYRA_TEST(threads_do_not_change_bits_of_ssor)
{
    Bits bits = {60, &cases[6], 0};
    test_same_bits(compute_bits, &bits, bytes_of(&bits));
}

LYRA_TEST(threads_do_not_change_bits_of_ssor_with_a_coarse_space)
{
    Bits bits = {60, &cases[10], 0};
    test_same_bits(compute_bits, &bits, bytes_of(&bits));
}

LYRA_TEST(threads_do_not_change_bits_of_ssor_with_a_large_coarse_space)
{
    // 606 unknowns: the factor is in tiles
    Bits bits = {20, &cases[10], 30};
    test_same_bits(compute_bits, &bits, bytes_of(&bits));
}

LYRA_TEST(threads_do_not_change_bits_of_block_jacobi_with_a_coarse_space)
{
    Bits bits = {60, &cases[12], 0};
    test_same_bits(compute_bits, &bits, bytes_of(&bits));
}

static LyraStatus pair_scenario(LyraContext *ctx, void *data)
{
    const Case *c = data;
    LyraBlockPattern *pattern = NULL;
    LyraBlockMatrix *matrix = NULL;
    double b[6] = {1, 2, 3, 4, 5, 6}, x[6], positions[6] = {0, 0, 0, 1, 0, 0};
    LyraStatus status = pair_create(ctx, 0.25, &pattern, &matrix);
    if (status == LYRA_OK) {
        LyraOperator A = lyra_operator_block(matrix, true);
        Body body = {.positions = positions};
        LyraSolverDef def = def_of(c, &body, 1e-8);
        status = solve_once(ctx, &def, &A, NULL, b, x, NULL);
    }
    lyra_block_matrix_destroy(matrix);
    lyra_block_pattern_destroy(pattern);
    return status;
}

LYRA_TEST(allocations_that_fail_leak_nothing)
{
    for (int32_t c = 6; c < CASES; ++c) {
        Case one = cases[c];
        test_fail_each_allocation(pair_scenario, &one);
    }
}

// ---- the coarse space ---------------------------------------------------------------------------

// iterations of one solve, 0 and a failed check where it does not succeed
static int32_t iterations_of(LyraContext *ctx, const Body *body, LyraConstraints *constraints,
                             const LyraSolverDef *def, LyraSolveReport *report, double *x)
{
    LyraOperator A = lyra_operator_block(body->A, true);
    bool good = TEST_OK(solve_once(ctx, def, &A, constraints, body->b, x, report));
    return good ? report->iterations : 0;
}

LYRA_TEST(a_coarse_space_is_taken_where_it_pays_and_saves_iterations)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t held = 0; held < 2; ++held) {
        for (int32_t stiff = 0; stiff < 2; ++stiff) {
            Body body;
            TEST_REQUIRE_OK(body_create(ctx, 11, 9, 11, stiff ? 1.0 : 0.003, &body));
            size_t n = (size_t)body.size;
            double *x = malloc(n * 8), *y = malloc(n * 8);
            LyraConstraints *constraints = NULL;
            TEST_REQUIRE_OK(lyra_constraints_create(ctx, body.size, &constraints));
            for (int32_t v = 0; held && v < body.size / 3; ++v) {
                // one slanted direction at an end, all three at the other
                double X = body.positions[3 * v];
                if (X < -0.54) {
                    TEST_OK(lyra_constraints_fix_vertices(constraints, 1, &v));
                } else if (X > 0.54) {
                    TEST_OK(lyra_constraints_add_direction(constraints, v, (double[]){1, 2, -1}));
                }
            }
            LyraSolverDef def = lyra_solver_def_default();
            def.name = "pcg";
            def.positions = body.positions;
            LyraSolveReport report = {0}, alone = {0};
            int32_t by_rule = iterations_of(ctx, &body, constraints, &def, &report, x);
            TEST_STRING(report.preconditioner, stiff ? "ssor + coarse" : "ssor");
            TEST_CHECK(stiff == (report.coarse_size > 0));
            def.preconditioner = "ssor";
            def.single = false;
            def.tolerance = 1e-9;
            int32_t without = iterations_of(ctx, &body, constraints, &def, &alone, y);
            TEST_CHECK_MSG(!stiff || 2 * by_rule < without, "%d and %d iterations", (int)by_rule,
                           (int)without);
            // floats did not give way to doubles, and the solution is that of SSOR alone
            TEST_CHECK(report.residual <= 1e-6);
            TEST_CHECK_MSG(difference(body.size, x, y) <= 1e-4, "%g", difference(body.size, x, y));
            free(x);
            free(y);
            lyra_constraints_destroy(constraints);
            body_end(&body);
        }
    }
    test_context_end(ctx);
}

// gives 1^T A 1 / 1^T diag A 1 a value by masses
static void set_share(Body *body, double share)
{
    size_t n = (size_t)body->size;
    double *ones = calloc(n, 8), *y = calloc(n, 8), whole = 0, parts = 0;
    for (size_t i = 0; i < n; ++i) {
        ones[i] = 1.0;
    }
    lyra_block_matrix_multiply(body->A, ones, y);
    lyra_block_matrix_diagonal(body->A, ones);
    for (size_t i = 0; i < n; ++i) {
        whole += y[i];
        parts += ones[i];
    }
    lyra_block_matrix_add_diagonal(body->A, (share * parts - whole) / ((double)n * (1.0 - share)),
                                   NULL);
    free(ones);
    free(y);
}

LYRA_TEST(the_rule_for_a_coarse_space_knows_sizes)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    // between the limits of bodies below and above 40,000 vertices, then below both
    const double shares[] = {6.5e-4, 4e-4};
    for (int32_t large = 0; large < 2; ++large) {
        Body body;
        int32_t cells = large ? 34 : 12;
        TEST_REQUIRE_OK(body_create(ctx, cells, cells, cells, 1.0, &body));
        TEST_CHECK(large == (body.size / 3 >= 40000));
        for (int32_t k = 0; k < 2; ++k) {
            LyraSolver *solver = NULL;
            LyraSolverDef def = lyra_solver_def_default();
            LyraOperator A = lyra_operator_block(body.A, true);
            def.positions = body.positions;
            set_share(&body, shares[k]);
            TEST_REQUIRE_OK(lyra_solver_create(ctx, &def, &solver));
            TEST_OK(lyra_solver_analyze(solver, &A, NULL));
            TEST_OK(lyra_solver_factor(solver, &A));
            TEST_STRING(lyra_solver_report(solver).preconditioner,
                        large || k == 1 ? "ssor + coarse" : "ssor");
            lyra_solver_destroy(solver);
        }
        body_end(&body);
    }
    test_context_end(ctx);
}

LYRA_TEST(the_rule_for_a_coarse_space_knows_sheets)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double shares[] = {4e-4, 4e-5};
    Body body;
    TEST_REQUIRE_OK(body_create(ctx, 12, 12, 12, 1.0, &body));
    for (int32_t flat = 0; flat < 2; ++flat) {
        // the rule looks at places alone: laid flat, with waves, the body is a sheet
        for (int32_t v = 0; flat && v < body.size / 3; ++v) {
            body.positions[3 * v + 1] = 0.01 * sin(3 * body.positions[3 * v]);
        }
        for (int32_t k = 0; k < 2; ++k) {
            LyraSolver *solver = NULL;
            LyraSolverDef def = lyra_solver_def_default();
            LyraOperator A = lyra_operator_block(body.A, true);
            def.positions = body.positions;
            set_share(&body, shares[k]);
            TEST_REQUIRE_OK(lyra_solver_create(ctx, &def, &solver));
            TEST_OK(lyra_solver_analyze(solver, &A, NULL));
            TEST_OK(lyra_solver_factor(solver, &A));
            TEST_STRING(lyra_solver_report(solver).preconditioner,
                        flat && k == 0 ? "ssor" : "ssor + coarse");
            lyra_solver_destroy(solver);
        }
    }
    body_end(&body);
    test_context_end(ctx);
}

static int32_t doubles_logged;

static void count_doubles(void *user, LyraLogLevel level, const char *message)
{
    (void)user;
    (void)level;
    doubles_logged += strstr(message, "double precision") != NULL;
}

LYRA_TEST(floats_are_not_tried_on_free_bodies_with_long_steps)
{
    LyraContextDef context = lyra_context_def_default();
    context.thread_count = 1;
    context.log = count_doubles;
    LyraContext *ctx = NULL;
    TEST_REQUIRE_OK(lyra_context_create(&context, &ctx));
    Body body;
    TEST_REQUIRE_OK(body_create(ctx, 9, 9, 9, 3.0, &body));
    double *x = malloc((size_t)body.size * 8);
    LyraSolverDef def = lyra_solver_def_default();
    LyraSolveReport single = {0}, whole = {0};
    def.name = "pcg";
    doubles_logged = 0;
    int32_t by_rule = iterations_of(ctx, &body, NULL, &def, &single, x);
    TEST_EQUAL(doubles_logged, 1);
    def.single = false;
    int32_t in_doubles = iterations_of(ctx, &body, NULL, &def, &whole, x);
    TEST_CHECK_MSG(by_rule <= 1.2 * in_doubles, "%d and %d iterations", (int)by_rule,
                   (int)in_doubles);
    // the coarse space takes the rigid motions out, and floats serve
    doubles_logged = 0;
    def.single = def.coarse = true;
    def.positions = body.positions;
    TEST_CHECK(3 * iterations_of(ctx, &body, NULL, &def, &single, x) < in_doubles);
    TEST_EQUAL(doubles_logged, 0);
    free(x);
    body_end(&body);
    lyra_context_destroy(ctx);
}
