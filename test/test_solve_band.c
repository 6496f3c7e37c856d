// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The solver "band" on chains, trees, rings, nets and strips against "cholesky", with constraints
// of every kind and with scalar nodes; where "auto" takes it; and what it leaves to "cholesky".

#include "solve/band.h"
#include "solve/solve.h"
#include "solve_cases.h"

/// Vertices joined by edges, numbered at random.
typedef struct Net {
    const char *name;
    int32_t vertices, edges;
    int32_t edge[2 * 4000];
} Net;

static Net *make_net(const char *name, int32_t vertices)
{
    Net *net = case_allocate(1, sizeof *net);
    *net = (Net){.name = name, .vertices = vertices};
    return net;
}

static void join(Net *net, int32_t a, int32_t b)
{
    net->edge[2 * net->edges] = a;
    net->edge[2 * net->edges + 1] = b;
    ++net->edges;
}

static void shuffle(Net *net, uint64_t seed)
{
    TestRandom random = test_random(seed);
    int32_t *number = case_allocate((size_t)net->vertices, sizeof *number);
    for (int32_t i = 0; i < net->vertices; ++i) {
        int32_t j = (int32_t)test_random_in(&random, 0, i + 0.999);
        number[i] = number[j];
        number[j] = i;
    }
    for (int32_t e = 0; e < 2 * net->edges; ++e) {
        net->edge[e] = number[net->edge[e]];
    }
    free(number);
}

// neighbours up to `reach` apart, as the joints of rods have them
static Net *make_chain(int32_t vertices, int32_t reach, bool closed)
{
    Net *net = make_net(closed ? "ring" : "chain", vertices);
    for (int32_t i = 0; i < vertices; ++i) {
        for (int32_t k = 1; k <= reach && (closed || i + k < vertices); ++k) {
            join(net, i, (i + k) % vertices);
        }
    }
    return net;
}

static Net *make_star(int32_t arms, int32_t length)
{
    Net *net = make_net("star", 1 + arms * length);
    for (int32_t a = 0; a < arms; ++a) {
        for (int32_t k = 0; k < length; ++k) {
            join(net, k ? a * length + k : 0, 1 + a * length + k);
        }
    }
    return net;
}

static Net *make_strip(int32_t length, int32_t width)
{
    Net *net = make_net("strip", length * width);
    for (int32_t i = 0; i < length * width; ++i) {
        if (i % width + 1 < width) {
            join(net, i, i + 1);
        }
        if (i + width < net->vertices) {
            join(net, i, i + width);
        }
    }
    return net;
}

static SolveCase case_of(LyraContext *ctx, Net *net, double mass, uint64_t seed)
{
    shuffle(net, seed);
    CaseStencils stencils = {2, net->vertices, net->edges, net->edge};
    // without mass there is no solution by a dense factor, which would take long
    SolveCase c = solve_case_stencils(ctx, &stencils, 0, seed);
    lyra_block_matrix_add_diagonal(c.upper, mass, NULL);
    return c;
}

// vertices held whole, in one direction, in two, and prescribed; every seventh a scalar node
static LyraConstraints *hold(LyraContext *ctx, int32_t vertices, bool scalars)
{
    LyraConstraints *set = NULL;
    uint8_t *scalar = case_allocate((size_t)vertices, 1);
    TEST_OK(lyra_constraints_create(ctx, 3 * vertices, &set));
    for (int32_t v = 0; v < vertices; ++v) {
        scalar[v] = scalars && v % 7 == 5;
    }
    if (scalars) {
        TEST_OK(ly_constraints_set_scalars(set, scalar, NULL, true));
    }
    for (int32_t v = 0; v < vertices; v += 9) {
        const double n[2][3] = {{0.6, 0.8, 0}, {0, 0.6, -0.8}};
        if (v % 4 == 0 || scalar[v]) {
            TEST_OK(lyra_constraints_fix_vertices(set, 1, &v));
            continue;
        }
        for (int32_t d = 0; d < v % 4 && d < 2; ++d) {
            TEST_OK(lyra_constraints_add_direction(set, v, n[d]));
        }
    }
    free(scalar);
    return set;
}

static LyraStatus run_on(LyraContext *ctx, const char *name, SolveCase *c, LyraConstraints *set,
                         double *x, LyraSolveReport *report)
{
    LyraSolver *solver = solve_solver(ctx, name, LYRA_INDEFINITE_REFUSE);
    LyraOperator A = lyra_operator_block(c->upper, true);
    LyraStatus status = lyra_solver_analyze(solver, &A, set);
    status = status == LYRA_OK ? lyra_solver_factor(solver, &A) : status;
    status = status == LYRA_OK ? lyra_solver_solve(solver, c->b, false, x, report) : status;
    lyra_solver_destroy(solver);
    return status;
}

static void check_net(LyraContext *ctx, Net *net, bool scalars)
{
    SolveCase c = case_of(ctx, net, 0.01, 40 + (uint64_t)net->vertices);
    LyraConstraints *set = hold(ctx, net->vertices, scalars);
    LyraSolveReport report = {0};
    TEST_OK(run_on(ctx, "cholesky", &c, set, c.expected, &report));
    TEST_OK(run_on(ctx, "band", &c, set, c.x, &report));
    TEST_STRING(report.solver, "band");
    TEST_EQUAL(report.definiteness, LYRA_DEFINITENESS_POSITIVE);
    TEST_CHECK_MSG(solve_difference(&c, c.x) < 1e-11, "%s of %d: %g", net->name, net->vertices,
                   solve_difference(&c, c.x));
    TEST_CHECK(report.residual < 1e-12 && report.refinements == 0);
    // by a band of its own, not by what takes over
    LyBandOrder order = {0};
    TEST_OK(ly_band_order_create(ctx, lyra_block_pattern_graph(c.pattern),
                                 ly_constraints_scalars(set), &order));
    TEST_CHECK((double)report.factor_entries == order.entries);
    ly_band_order_destroy(&order);
    lyra_constraints_destroy(set);
    solve_case_end(&c);
    free(net);
}

LYRA_TEST(bands_agree_with_fronts)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t scalars = 0; scalars < 2; ++scalars) {
        for (int32_t n = 2; n < 12; ++n) {
            check_net(ctx, make_chain(n, 1, false), scalars);
        }
        check_net(ctx, make_chain(400, 2, false), scalars);
        check_net(ctx, make_chain(401, 2, true), scalars);
        check_net(ctx, make_star(5, 40), scalars);
        check_net(ctx, make_strip(60, 3), scalars);
        check_net(ctx, make_strip(14, 12), scalars);
    }
    test_context_end(ctx);
}

LYRA_TEST(bands_agree_on_every_instruction_set)
{
    for (int32_t isa = 0; isa < LYRA_ISA_COUNT; ++isa) {
        if (!lyra_isa_available((LyraIsa)isa)) {
            continue;
        }
        LyraContext *ctx = test_context(1, (LyraIsa)isa);
        check_net(ctx, make_chain(101, 2, false), true);
        check_net(ctx, make_strip(20, 7), false);
        test_context_end(ctx);
    }
}

// constraints that change between factors; the analysis stays
LYRA_TEST(bands_take_constraints_as_they_are)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Net *net = make_chain(120, 2, false);
    SolveCase c = case_of(ctx, net, 0.01, 5);
    LyraConstraints *set = hold(ctx, net->vertices, true);
    LyraSolver *solver = solve_solver(ctx, "band", LYRA_INDEFINITE_REFUSE);
    LyraOperator A = lyra_operator_block(c.upper, true);
    TEST_OK(lyra_solver_analyze(solver, &A, set));
    for (int32_t v = 1; v < 40; v += 3) {
        const double direction[3] = {0, 0.28, 0.96};
        TEST_OK(v % 2 ? lyra_constraints_fix_vertices(set, 1, &v)
                      : lyra_constraints_add_direction(set, v + 41, direction));
        TEST_STATUS(lyra_solver_factor(solver, &A), LYRA_OK);
        TEST_OK(lyra_solver_solve(solver, c.b, false, c.x, NULL));
        TEST_OK(run_on(ctx, "cholesky", &c, set, c.expected, NULL));
        TEST_NEAR(solve_difference(&c, c.x), 0, 1e-11);
    }
    lyra_solver_destroy(solver);
    lyra_constraints_destroy(set);
    solve_case_end(&c);
    free(net);
    test_context_end(ctx);
}

// what is not positive definite goes to "cholesky" and comes back from there
LYRA_TEST(bands_leave_hard_matrices_to_cholesky)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Net *net = make_chain(90, 2, false);
    SolveCase c = case_of(ctx, net, 0.5, 6);
    LyraConstraints *set = hold(ctx, net->vertices, true);
    LyraSolver *solver = solve_solver(ctx, "band", LYRA_INDEFINITE_LDL);
    LyraOperator A = lyra_operator_block(c.upper, true);
    TEST_OK(lyra_solver_analyze(solver, &A, set));
    for (int32_t round = 0; round < 4; ++round) {
        bool indefinite = round % 2;
        LyraSolveReport report = {0};
        lyra_block_matrix_add_diagonal(c.upper, indefinite ? -1.6 : round ? 1.6 : 0, NULL);
        TEST_OK(lyra_solver_factor(solver, &A));
        TEST_OK(lyra_solver_solve(solver, c.b, false, c.x, &report));
        TEST_EQUAL(report.definiteness,
                   indefinite ? LYRA_DEFINITENESS_INDEFINITE : LYRA_DEFINITENESS_POSITIVE);
        TEST_CHECK(!indefinite || report.negative > 0);
        TEST_CHECK(report.residual < 1e-9);
    }
    lyra_solver_destroy(solver);
    solver = solve_solver(ctx, "band", LYRA_INDEFINITE_REFUSE);
    TEST_OK(lyra_solver_analyze(solver, &A, set));
    TEST_STATUS(lyra_solver_factor(solver, &A), LYRA_NOT_POSITIVE_DEFINITE);
    TEST_STATUS(lyra_solver_solve(solver, c.b, false, c.x, NULL), LYRA_INVALID_ARGUMENT);
    lyra_solver_destroy(solver);
    lyra_constraints_destroy(set);
    solve_case_end(&c);
    free(net);
    test_context_end(ctx);
}

static bool is_narrow(LyraContext *ctx, Net *net)
{
    bool narrow = false;
    SolveCase c = case_of(ctx, net, 0, 7);
    LyraSolver *solver = solve_solver(ctx, "auto", LYRA_INDEFINITE_REFUSE);
    LyraOperator A = lyra_operator_block(c.upper, true);
    TEST_OK(ly_band_is_narrow(ctx, lyra_block_pattern_graph(c.pattern), NULL, &narrow));
    TEST_OK(lyra_solver_analyze(solver, &A, NULL));
    TEST_EQUAL(strcmp(lyra_solver_choice(solver), "band") == 0, narrow);
    lyra_solver_destroy(solver);
    solve_case_end(&c);
    free(net);
    return narrow;
}

LYRA_TEST(auto_takes_bands_where_they_are_narrow)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TEST_CHECK(is_narrow(ctx, make_chain(1000, 2, false)));
    TEST_CHECK(is_narrow(ctx, make_chain(1000, 2, true)));
    TEST_CHECK(is_narrow(ctx, make_star(5, 200)));
    TEST_CHECK(is_narrow(ctx, make_strip(200, 4)));
    TEST_CHECK(!is_narrow(ctx, make_strip(60, 25)));
    TEST_CHECK(!is_narrow(ctx, make_star(60, 20)));
    test_context_end(ctx);
}

// the factor of a rod holds hardly more than the matrix, whatever the numbers of its vertices
LYRA_TEST(orders_of_chains_are_narrow)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    enum { PLACES = 1000, JOINTS = PLACES - 2 };
    uint8_t scalar[2 * PLACES - 1] = {0};
    int32_t *nodes = case_allocate(5 * JOINTS, sizeof *nodes);
    CaseStencils joints = {5, 2 * PLACES - 1, JOINTS, nodes};
    for (int32_t j = 0; j < JOINTS; ++j) {
        // by a step that has no divisor in common with them, so that neighbours lie apart
        for (int32_t k = 0; k < 3; ++k) {
            nodes[5 * j + k] = (j + k) * 387 % PLACES;
        }
        nodes[5 * j + 3] = PLACES + j;
        nodes[5 * j + 4] = PLACES + j + 1;
    }
    memset(scalar + PLACES, 1, PLACES - 1);
    LyraBlockPattern *pattern = case_pattern(ctx, &joints, LYRA_STORAGE_UPPER);
    LyBandOrder order = {0};
    TEST_OK(ly_band_order_create(ctx, lyra_block_pattern_graph(pattern), scalar, &order));
    TEST_EQUAL(order.size, 4 * PLACES - 1);
    // 8 numbers below the diagonal in the mean, and what fills panels up
    TEST_CHECK(order.entries < 11.5 * order.size);
    ly_band_order_destroy(&order);
    lyra_block_pattern_destroy(pattern);
    free(nodes);
    test_context_end(ctx);
}

typedef struct BitsCase {
    Net *net;
    SolveCase c;
} BitsCase;

static void solve_bits(LyraContext *ctx, void *data, void *out)
{
    BitsCase *bits = data;
    LyraConstraints *set = hold(ctx, bits->net->vertices, true);
    TEST_OK(run_on(ctx, "band", &bits->c, set, out, NULL));
    lyra_constraints_destroy(set);
}

LYRA_TEST(bands_have_the_same_bits)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    BitsCase bits = {.net = make_chain(1990, 2, false)};
    bits.c = case_of(ctx, bits.net, 0.01, 8);
    test_same_bits(solve_bits, &bits, (size_t)bits.c.size * sizeof(double));
    solve_case_end(&bits.c);
    free(bits.net);
    test_context_end(ctx);
}
