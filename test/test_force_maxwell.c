// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Springs with memory: closed forms in time, derivatives at a step, history, threads.

#include "force_cases.h"
#include "lyra/springs.h"

#define K 200.0
#define K1 500.0
#define TAU 0.3
#define PI 3.14159265358979323846

// a single spring of rest length 1 along x; its second end is moved
static Case make_single(LyraContext *ctx)
{
    const int32_t pair[2] = {0, 1};
    const double x[6] = {0, 0, 0, 1, 0, 0};
    LyraSpringsDef list = lyra_springs_def_default();
    list.vertex_count = 2;
    list.spring_count = 1;
    list.vertices = pair;
    list.positions = x;
    LyraMaxwellSpringDef def = lyra_maxwell_spring_def_default();
    def.stiffness = K;
    def.branch_stiffness = K1;
    def.relaxation_time = TAU;
    LyraSprings *springs = NULL;
    LyraForce *force = NULL;
    TEST_OK(lyra_springs_create(ctx, &list, &springs));
    TEST_OK(lyra_maxwell_spring_create(ctx, springs, &def, &force));
    lyra_springs_destroy(springs);
    return make_case(ctx, 2, x, force);
}

static Case make_body(LyraContext *ctx, int32_t nx, int32_t ny, int32_t nz)
{
    LyraMesh *mesh = make_box(ctx, LYRA_ELEMENT_TET4, nx, ny, nz);
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraMaxwellSpringDef def = lyra_maxwell_spring_def_default();
    LyraSprings *springs = NULL;
    LyraForce *force = NULL;
    TEST_OK(lyra_springs_create_from_mesh(ctx, mesh, &springs));
    int32_t count = lyra_springs_view(springs).spring_count;
    double *times = malloc((size_t)count * sizeof *times);
    for (int32_t s = 0; s < count; ++s) {
        times[s] = 0.01 + 0.02 * (s % 7);
    }
    def.stiffness = K;
    def.branch_stiffness = K1;
    def.spring_relaxation_time = times;
    TEST_OK(lyra_maxwell_spring_create(ctx, springs, &def, &force));
    Case c = make_case(ctx, view.vertex_count, view.positions, force);
    free(times);
    lyra_springs_destroy(springs);
    lyra_mesh_destroy(mesh);
    return c;
}

// a step of dt to extension e; commits, and returns the tension of the whole spring
static double step(Case *c, double e, double dt)
{
    const double x[6] = {0, 0, 0, 1 + e, 0, 0};
    double g[6];
    LyraEvaluation evaluation = {.x = x, .dt = dt, .gradient = g};
    evaluation.history = c->history;
    evaluation.trial_history = c->history; // lanes read before they write
    TEST_OK(lyra_assembly_evaluate(c->assembly, &evaluation));
    return g[3];
}

static void forget(Case *c)
{
    memset(c->history, 0, (size_t)lyra_assembly_history_size(c->assembly) * sizeof *c->history);
}

// ---- closed forms -------------------------------------------------------------------------------

LYRA_TEST(maxwell_relaxes_as_the_closed_form)
{
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(1, isa);
        Case c = make_single(ctx);
        static const double steps[] = {1e-6, 1e-3, 0.1, 2};
        for (int s = 0; s < 4; ++s) {
            // stretched at once, then held: exact for any step
            forget(&c);
            TEST_NEAR(step(&c, 0.2, 0), (K + K1) * 0.2, 1e-12);
            for (int i = 1; i <= 20; ++i) {
                double expected = K * 0.2 + K1 * 0.2 * exp(-i * steps[s] / TAU);
                TEST_NEAR(step(&c, 0.2, steps[s]), expected, 1e-12);
            }
            // stretched at a constant rate: exact as well
            forget(&c);
            for (int i = 1; i <= 20; ++i) {
                double t = i * steps[s], rate = 0.03;
                double expected = K * rate * t - K1 * rate * TAU * expm1(-t / TAU);
                TEST_NEAR(step(&c, rate * t, steps[s]), expected, 1e-12 * (1 + expected));
            }
        }
        // all the time in the world
        forget(&c);
        TEST_NEAR(step(&c, 0.2, 1e300), K * 0.2, 1e-12);
        TEST_NEAR(step(&c, 0.3, INFINITY), K * 0.3, 1e-12);
        end_case(&c);
        test_context_end(ctx);
    }
}

// extension a sin(w t), from rest
static double sine_tension(double a, double w, double t)
{
    double b = K1 * a * w * TAU / (1 + w * w * TAU * TAU);
    return K * a * sin(w * t) + b * (cos(w * t) + w * TAU * sin(w * t) - exp(-t / TAU));
}

LYRA_TEST(maxwell_is_of_second_order_in_time)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Case c = make_single(ctx);
    double before = 0;
    for (int n = 20; n <= 320; n *= 2) {
        forget(&c);
        double error = 0;
        for (int i = 1; i <= n; ++i) {
            double t = 2.0 * i / n;
            error =
                fmax(error, fabs(step(&c, 0.1 * sin(5 * t), 2.0 / n) - sine_tension(0.1, 5, t)));
        }
        double order = log2(before / error);
        TEST_CHECK_MSG(n == 20 || fabs(order - 2) < 0.1, "%d steps: order %.3f", n, order);
        before = error;
    }
    end_case(&c);
    test_context_end(ctx);
}

LYRA_TEST(maxwell_loop_takes_energy)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Case c = make_single(ctx);
    static const double frequencies[] = {0.3, 1 / TAU, 40};
    for (int f = 0; f < 3; ++f) {
        double w = frequencies[f], period = 2 * PI / w, work = 0, last = 0, lost[2];
        int n = 2000, cycles = 3 + (int)(30 * TAU / period);
        forget(&c);
        for (int i = 1; i <= n * cycles; ++i) {
            if (i == n * (cycles - 1) + 1) {
                TEST_OK(lyra_assembly_read_history(c.assembly, 0, 2, c.history, &lost[0]));
            }
            double before = 0.1 * sin(2 * PI * (i - 1) / n);
            double now = 0.1 * sin(2 * PI * i / n);
            double tension = step(&c, now, period / n);
            if (i > n * (cycles - 1)) {
                work += 0.5 * (tension + last) * (now - before);
            }
            last = tension;
        }
        // the loss modulus times pi a^2; the trapezoids are good to 1e-6
        double expected = PI * 0.01 * K1 * w * TAU / (1 + w * w * TAU * TAU);
        TEST_NEAR(work, expected, 1e-4 * expected);
        TEST_OK(lyra_assembly_read_history(c.assembly, 0, 2, c.history, &lost[1]));
        TEST_NEAR(lost[1] - lost[0], expected, 1e-4 * expected);
    }
    end_case(&c);
    test_context_end(ctx);
}

// ---- a step -------------------------------------------------------------------------------------

// a history that something has happened to
static void set_past(Case *c, TestRandom *random)
{
    double *x = malloc((size_t)c->n * 3 * sizeof *x);
    for (int i = 0; i < 3; ++i) {
        set_state(c, STATE_SMALL, random, x);
        LyraEvaluation evaluation = {
            .x = x, .dt = 0.01, .history = c->history, .trial_history = c->history};
        TEST_OK(lyra_assembly_evaluate(c->assembly, &evaluation));
    }
    free(x);
}

LYRA_TEST(maxwell_derivatives_match_differences)
{
    static const double steps[] = {0, 1e-5, 0.02, 10};
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(1, isa);
        Case c = make_body(ctx, 2, 2, 1);
        TestRandom random = test_random(3);
        double *x = malloc((size_t)c.n * 3 * sizeof *x);
        set_past(&c, &random);
        for (int s = 0; s < 4; ++s) {
            c.dt = steps[s];
            for (int kind = 0; kind < STATE_COUNT; ++kind) {
                char what[100];
                snprintf(what, sizeof what, "%s, step %g, state %d", lyra_isa_name(isa), c.dt,
                         kind);
                set_state(&c, (StateKind)kind, &random, x);
                check_derivatives(&c, x, NULL, &random, HAS_ENERGY | HAS_CONTRACTION, what);
            }
        }
        free(x);
        end_case(&c);
        test_context_end(ctx);
    }
}

LYRA_TEST(maxwell_energy_is_what_is_stored)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Case c = make_single(ctx);
    const double x[6] = {0, 0, 0, 1.2, 0, 0};
    double energy, zero = 0;
    // untouched: both springs; relaxed for two tau: the branch holds exp(-2) of its tension
    energy_of_x(&c, x, &energy);
    TEST_NEAR(energy, 0.5 * (K + K1) * 0.04, 1e-12);
    step(&c, 0.2, 0);
    step(&c, 0.2, 2 * TAU);
    energy_of_x(&c, x, &energy);
    TEST_NEAR(energy, 0.5 * (K + K1 * exp(-4)) * 0.04, 1e-12);
    // no branch, no memory
    TEST_OK(lyra_assembly_set_parameter(c.assembly, 0, LYRA_MAXWELL_BRANCH_STIFFNESS, &zero));
    energy_of_x(&c, x, &energy);
    TEST_NEAR(energy, 0.5 * K * 0.04, 1e-12);
    // a relaxation time far below the step is a branch without effect
    double stiff = K1, tiny = 1e-300;
    TEST_OK(lyra_assembly_set_parameter(c.assembly, 0, LYRA_MAXWELL_BRANCH_STIFFNESS, &stiff));
    TEST_OK(lyra_assembly_set_parameter(c.assembly, 0, LYRA_MAXWELL_RELAXATION_TIME, &tiny));
    TEST_NEAR(step(&c, 0.5, 0.1), K * 0.5, 1e-12);
    TEST_STATUS(lyra_assembly_set_parameter(c.assembly, 0, LYRA_MAXWELL_RELAXATION_TIME, &zero),
                LYRA_INVALID_ARGUMENT);
    end_case(&c);
    test_context_end(ctx);
}

LYRA_TEST(maxwell_history_is_trial_until_committed)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Case c = make_body(ctx, 2, 1, 1);
    TestRandom random = test_random(3);
    int64_t size = lyra_assembly_history_size(c.assembly);
    TEST_CHECK(size > 0 && size % (3 * LYRA_BATCH_WIDTH) == 0);
    size_t bytes = (size_t)size * sizeof(double);
    double *x = malloc((size_t)c.n * 6 * sizeof *x), *g = x + 3 * c.n;
    double *before = malloc(bytes), *trial = malloc(bytes), *again = malloc(bytes);
    set_past(&c, &random);
    memcpy(before, c.history, bytes);
    set_state(&c, STATE_LARGE, &random, x);
    LyraEvaluation evaluation = {.x = x, .dt = 0.01, .history = c.history, .gradient = g};
    TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
    TEST_CHECK(memcmp(before, c.history, bytes) == 0);
    // asked for: only the trial is written, the same however often
    evaluation.trial_history = trial;
    TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
    evaluation.trial_history = again;
    evaluation.gradient = NULL;
    TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
    TEST_CHECK(memcmp(before, c.history, bytes) == 0);
    TEST_CHECK(memcmp(trial, again, bytes) == 0);
    TEST_CHECK(memcmp(trial, before, bytes) != 0);
    evaluation.history = NULL;
    TEST_STATUS(lyra_assembly_evaluate(c.assembly, &evaluation), LYRA_INVALID_ARGUMENT);
    free(x);
    free(before);
    free(trial);
    free(again);
    end_case(&c);
    test_context_end(ctx);
}

LYRA_TEST(maxwell_tangent_is_symmetric_and_projects)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Case c = make_body(ctx, 2, 1, 1);
    TestRandom random = test_random(6);
    int32_t dofs = 3 * c.n;
    double *x = malloc((size_t)dofs * 4 * sizeof *x), *g = x + dofs, force, torque;
    set_past(&c, &random);
    for (int repeat = 0; repeat < 40; ++repeat) {
        c.dt = repeat % 3 * 0.01;
        set_state(&c, (StateKind)(repeat % STATE_COUNT), &random, x);
        LyraEvaluation evaluation = evaluation_of(&c, x, NULL);
        evaluation.dfdx = c.dfdx;
        evaluation.gradient = g;
        TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
        TEST_NEAR(asymmetry(&c, c.dfdx), 0, 1e-14);
        find_balance(c.n, x, g, &force, &torque);
        TEST_NEAR(force, 0, 1e-13);
        TEST_NEAR(torque, 0, 1e-13);
        evaluation.psd = true;
        TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
        TEST_CHECK(smallest_eigenvalue(&c, c.dfdx) > -1e-12);
    }
    // all vertices in one place
    memset(x, 0, (size_t)dofs * sizeof *x);
    evaluate_all(&c, x, NULL, g);
    TEST_CHECK(matrix_finite(c.dfdx) && all_finite(3 * dofs, g));
    free(x);
    end_case(&c);
    test_context_end(ctx);
}

// ---- twins, threads, memory ---------------------------------------------------------------------

#define BIG 13

static void evaluate_big(LyraContext *ctx, void *data, void *out)
{
    (void)data;
    Case c = make_body(ctx, BIG, BIG, BIG);
    TestRandom random = test_random(3);
    double *x = malloc((size_t)c.n * 3 * sizeof *x);
    set_past(&c, &random);
    set_state(&c, STATE_LARGE, &random, x);
    c.dt = 0.01;
    evaluate_all(&c, x, NULL, out);
    free(x);
    end_case(&c);
}

LYRA_TEST(maxwell_bits_do_not_depend_on_threads)
{
    size_t vertices = (BIG + 1) * (BIG + 1) * (BIG + 1);
    test_same_bits(evaluate_big, NULL, 9 * vertices * sizeof(double));
}

LYRA_TEST(maxwell_instruction_sets_agree)
{
    size_t count = 9 * (BIG + 1) * (BIG + 1) * (BIG + 1);
    double *out = malloc(count * sizeof *out), *reference = malloc(count * sizeof *reference);
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(1, isa);
        evaluate_big(ctx, NULL, out);
        if (isa == LYRA_ISA_SCALAR) {
            memcpy(reference, out, count * sizeof *out);
        }
        TEST_NEAR(largest_difference((int64_t)count, out, reference), 0,
                  1e-13 * largest_of((int64_t)count, reference));
        test_context_end(ctx);
    }
    free(out);
    free(reference);
}

LYRA_TEST(maxwell_evaluation_allocates_nothing)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    Case c = make_body(ctx, 10, 10, 10);
    double *g = malloc((size_t)c.n * 3 * sizeof *g);
    LyraEvaluation evaluation = evaluation_of(&c, c.rest, NULL);
    evaluation.gradient = g;
    evaluation.dfdx = c.dfdx;
    evaluation.trial_history = c.history;
    check_allocates_nothing(c.assembly, &evaluation);
    free(g);
    end_case(&c);
    test_context_end(ctx);
}

static LyraStatus build_all(LyraContext *ctx, void *data)
{
    LyraMaxwellSpringDef def = lyra_maxwell_spring_def_default();
    LyraSprings *springs = NULL;
    LyraForce *force = NULL;
    LyraAssembly *assembly = NULL;
    const double x[6] = {0, 0, 0, 1, 0, 0};
    LyraStatus status = lyra_springs_create(ctx, data, &springs);
    status = status ? status : lyra_maxwell_spring_create(ctx, springs, &def, &force);
    status = status ? status : lyra_assembly_create(ctx, 2, x, 1, &force, &assembly);
    lyra_assembly_destroy(assembly);
    lyra_force_destroy(force);
    lyra_springs_destroy(springs);
    return status;
}

LYRA_TEST(maxwell_bad_constants_and_failing_allocations)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const int32_t pair[2] = {0, 1};
    const double length = 1;
    LyraSpringsDef list = lyra_springs_def_default();
    list.vertex_count = 2;
    list.spring_count = 1;
    list.vertices = pair;
    list.rest_lengths = &length;
    test_fail_each_allocation(build_all, &list);
    LyraSprings *springs = NULL;
    LyraForce *force = NULL;
    TEST_REQUIRE_OK(lyra_springs_create(ctx, &list, &springs));
    LyraMaxwellSpringDef def = {.relaxation_time = 1};
    TEST_STATUS(lyra_maxwell_spring_create(ctx, springs, &def, &force), LYRA_INVALID_ARGUMENT);
    def = lyra_maxwell_spring_def_default();
    def.relaxation_time = 0;
    TEST_STATUS(lyra_maxwell_spring_create(ctx, springs, &def, &force), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "relaxation time of element 0 is 0, expected more than 0");
    def.relaxation_time = 1;
    def.branch_stiffness = -1;
    TEST_STATUS(lyra_maxwell_spring_create(ctx, springs, &def, &force), LYRA_INVALID_ARGUMENT);
    def.branch_stiffness = INFINITY;
    TEST_STATUS(lyra_maxwell_spring_create(ctx, springs, &def, &force), LYRA_NOT_FINITE);
    lyra_springs_destroy(springs);
    test_context_end(ctx);
}
