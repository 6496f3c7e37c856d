// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What every step promises: refusals with a reason, a state that is whole after a failure, the same
// bits after a restart and at any number of threads, no allocation after the first step.

#include "integrate_cases.h"

static const char *const METHODS[] = {
    "backward-euler", "newmark", "generalized-alpha", "static", "bdf2",
    "bdf3",           "bdf4",    "implicit-midpoint"};
#define METHOD_COUNT ((int32_t)(sizeof METHODS / sizeof METHODS[0]))

// a beam under gravity that starts with a velocity
static bool make_swing(LyraContext *ctx, const char *solver, Body *body)
{
    BodyDef def = body_def();
    def.gravity = -9.81;
    def.stiffness_damping = 1e-3;
    def.mass_damping = 0.1;
    def.solver = solver;
    if (!make_body(ctx, &def, body)) {
        return false;
    }
    const double *X = lyra_mesh_view(body->mesh).positions;
    for (int32_t i = 0; i < body->vertex_count; ++i) {
        double x = X[3 * i] + 0.2;
        body_v(body)[3 * i + 2] = 5 * x * x;
    }
    return true;
}

// ---- refusals -----------------------------------------------------------------------------------

LYRA_TEST(bad_arguments_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body;
    LyraIntegrator *it = NULL;
    LyraIntegratorDef def = lyra_integrator_def_default();
    LyraState *copy = NULL, *other = NULL;
    if (make_swing(ctx, "dense", &body) &&
        TEST_OK(lyra_integrator_create(ctx, &def, body.system, &it)) &&
        TEST_OK(lyra_state_copy(body.state, &copy)) && TEST_OK(lyra_state_create(ctx, 5, &other))) {
        const double steps[] = {0, -0.01, 1e-300, NAN, INFINITY};
        for (int32_t i = 0; i < 5; ++i) {
            LyraStepReport report;
            TEST_STATUS(lyra_integrator_step(it, body.state, steps[i], &report),
                        LYRA_INVALID_ARGUMENT);
            TEST_EQUAL(report.outcome, LYRA_STEP_REFUSED);
            TEST_EQUAL(report.status, LYRA_INVALID_ARGUMENT);
            TEST_CHECK(lyra_state_equal(copy, body.state));
        }
        TEST_STATUS(lyra_integrator_step(it, other, 0.01, NULL), LYRA_INVALID_ARGUMENT);
        TEST_CONTAINS(lyra_error_message(), "5 unknowns");
        body_u(&body)[7] = NAN;
        TEST_STATUS(lyra_integrator_step(it, body.state, 0.01, NULL), LYRA_NOT_FINITE);
        lyra_state_set_time(copy, 1e20, 0);
        TEST_STATUS(lyra_integrator_step(it, copy, 0.01, NULL), LYRA_INVALID_ARGUMENT);
        TEST_CONTAINS(lyra_error_message(), "does not move the time");
        // there times are 2 ms apart
        lyra_state_set_time(copy, 1e13, 0);
        TEST_STATUS(lyra_integrator_step(it, copy, 0.003, NULL), LYRA_INVALID_ARGUMENT);
        TEST_STATUS(lyra_integrator_interpolate(it, 0, lyra_state_view(copy).u, NULL),
                    LYRA_UNSUPPORTED);
    }
    lyra_state_destroy(copy);
    lyra_state_destroy(other);
    lyra_integrator_destroy(it);
    it = NULL;

    // settings
    def.name = "runge-kutta-99";
    TEST_STATUS(lyra_integrator_create(ctx, &def, body.system, &it), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "generalized-alpha");
    def = lyra_integrator_def_default();
    def.spectral_radius = 1.5;
    TEST_STATUS(lyra_integrator_create(ctx, &def, body.system, &it), LYRA_INVALID_ARGUMENT);
    def = lyra_integrator_def_default();
    def.beta = NAN;
    TEST_STATUS(lyra_integrator_create(ctx, &def, body.system, &it), LYRA_INVALID_ARGUMENT);
    def = lyra_integrator_def_default();
    def.newton.halvings_max = 99;
    TEST_STATUS(lyra_integrator_create(ctx, &def, body.system, &it), LYRA_INVALID_ARGUMENT);
    def = lyra_integrator_def_default();
    def.name = "rosenbrock4";
    def.rosenbrock_set = "shampain";
    TEST_STATUS(lyra_integrator_create(ctx, &def, body.system, &it), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "shampine, grk4a, grk4t, veldhuizen-s, veldhuizen-d");
    def.rosenbrock_set = NULL;
    TEST_STATUS(lyra_integrator_create(ctx, &def, body.system, &it), LYRA_INVALID_ARGUMENT);
    def = lyra_integrator_def_default();
    def.name = "rock2";
    def.stages = 2;
    TEST_STATUS(lyra_integrator_create(ctx, &def, body.system, &it), LYRA_INVALID_ARGUMENT);
    def = (LyraIntegratorDef){.name = "newmark"};
    TEST_STATUS(lyra_integrator_create(ctx, &def, body.system, &it), LYRA_INVALID_ARGUMENT);
    end_body(&body);
    test_context_end(ctx);
}

// the first of each pair is the last value that serves, the second the next one, which does not
LYRA_TEST(settings_end_where_the_header_says)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body;
    LyraIntegratorDef def = lyra_integrator_def_default();
    const struct {
        double *real;
        int32_t *whole;
        double serves, fails;
    } ends[] = {
        {.real = &def.beta, .serves = 0x1p-1022, .fails = 0},
        {.real = &def.beta, .serves = 0.5, .fails = 0.5000001},
        {.real = &def.gamma, .serves = 0, .fails = -1e-9},
        {.real = &def.gamma, .serves = 1, .fails = 1.0000001},
        {.real = &def.spectral_radius, .serves = 0, .fails = -1e-9},
        {.real = &def.spectral_radius, .serves = 1, .fails = 1.0000001},
        {.real = &def.relative_tolerance, .serves = 0, .fails = -1e-9},
        {.real = &def.absolute_tolerance, .serves = 0, .fails = -1e-12},
        {.real = &def.newton.decrement, .serves = 0, .fails = -1e-12},
        {.real = &def.newton.residual, .serves = 0, .fails = -1e-12},
        {.real = &def.newton.step, .serves = 0, .fails = NAN},
        {.whole = &def.newton.iterations_max, .serves = 1, .fails = 0},
        {.whole = &def.newton.halvings_max, .serves = 0, .fails = -1},
        {.whole = &def.newton.halvings_max, .serves = 30, .fails = 31},
        {.whole = &def.load_steps, .serves = 1, .fails = 0},
        {.whole = &def.critical_interval, .serves = 1, .fails = 0},
        {.whole = &def.damping_update, .serves = 0, .fails = -1},
        {.whole = &def.stages, .serves = 0, .fails = -1},
    };
    if (make_swing(ctx, "dense", &body)) {
        for (size_t k = 0; k < sizeof ends / sizeof ends[0]; ++k) {
            for (int fails = 0; fails < 2; ++fails) {
                LyraIntegrator *it = NULL;
                double value = fails ? ends[k].fails : ends[k].serves;
                def = lyra_integrator_def_default();
                if (ends[k].real) {
                    *ends[k].real = value;
                } else {
                    *ends[k].whole = (int32_t)value;
                }
                LyraStatus status = lyra_integrator_create(ctx, &def, body.system, &it);
                TEST_CHECK_MSG(status == (fails ? LYRA_INVALID_ARGUMENT : LYRA_OK),
                               "setting %zu of %g: %s", k, value, lyra_status_name(status));
                lyra_integrator_destroy(it);
            }
        }
        // one of the two tolerances is needed
        LyraIntegrator *it = NULL;
        def = lyra_integrator_def_default();
        def.relative_tolerance = def.absolute_tolerance = 0;
        TEST_STATUS(lyra_integrator_create(ctx, &def, body.system, &it), LYRA_INVALID_ARGUMENT);
        def = lyra_integrator_def_default();
        def.newton.policy = (LyraNewtonPolicy)(LYRA_NEWTON_COUNTED + 1);
        TEST_STATUS(lyra_integrator_create(ctx, &def, body.system, &it), LYRA_INVALID_ARGUMENT);
        def = lyra_integrator_def_default();
        def.name = NULL;
        TEST_STATUS(lyra_integrator_create(ctx, &def, body.system, &it), LYRA_INVALID_ARGUMENT);
        TEST_CHECK(it == NULL);
        end_body(&body);
    }
    test_context_end(ctx);
}

// two springs in a row; the last vertex has no mass
LYRA_TEST(a_free_vertex_without_mass_is_named)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const int32_t pairs[4] = {0, 1, 1, 2};
    const double x[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0}, masses[3] = {1, 1, 0}, force[9] = {[6] = 1};
    LyraSpringsDef list = lyra_springs_def_default();
    list.vertex_count = 3;
    list.spring_count = 2;
    list.vertices = pairs;
    list.positions = x;
    LyraSprings *springs = NULL;
    LyraForce *spring = NULL;
    LyraMassSpringDef spring_def = lyra_mass_spring_def_default();
    spring_def.stiffness = 100;
    TEST_REQUIRE_OK(lyra_springs_create(ctx, &list, &springs));
    TEST_REQUIRE_OK(lyra_mass_spring_create(ctx, springs, &spring_def, &spring));
    LyraModelDef def = lyra_model_def_default();
    def.vertex_count = 3;
    def.positions = x;
    def.force_count = 1;
    def.forces = &spring;
    def.masses = masses;
    LyraModel *model = NULL;
    LyraSystem *system = NULL;
    LyraState *state = NULL;
    LyraIntegrator *it = NULL, *statics = NULL;
    TEST_REQUIRE_OK(lyra_model_create(ctx, &def, &model));
    // along x only: springs have no stiffness across
    const int32_t fixed[7] = {0, 1, 2, 4, 5, 7, 8};
    TEST_OK(lyra_constraints_fix_dofs(lyra_model_constraints(model), 7, fixed));
    TEST_OK(lyra_model_set_force(model, force));
    TEST_REQUIRE_OK(lyra_system_create_dense(ctx, model, &system));
    TEST_REQUIRE_OK(lyra_system_state_create(system, &state));
    LyraIntegratorDef settings = lyra_integrator_def_default();
    LyraStepReport report;
    TEST_REQUIRE_OK(lyra_integrator_create(ctx, &settings, system, &it));
    TEST_STATUS(lyra_integrator_step(it, state, 0.01, &report), LYRA_SINGULAR);
    TEST_EQUAL(report.outcome, LYRA_STEP_REFUSED);
    TEST_CONTAINS(lyra_error_message(), "2");

    // statics needs none: 1 N on two springs of 100 N/m
    settings.name = "static";
    TEST_REQUIRE_OK(lyra_integrator_create(ctx, &settings, system, &statics));
    TEST_OK(lyra_integrator_step(statics, state, 1, &report));
    const double *u = lyra_vector_values(lyra_state_view(state).u);
    TEST_NEAR(u[3], 0.01, 1e-12);
    TEST_NEAR(u[6], 0.02, 1e-12);

    // and what holds it is minus the load
    LyraVector *reaction = NULL;
    TEST_REQUIRE_OK(lyra_vector_create(ctx, 9, &reaction));
    TEST_OK(lyra_integrator_reaction(statics, state, reaction));
    TEST_NEAR(lyra_vector_values(reaction)[0], -1, 1e-10);
    TEST_NEAR(lyra_vector_values(reaction)[6], 0, 1e-10);
    lyra_vector_destroy(reaction);

    // a fixed vertex needs no mass
    const int32_t last = 2;
    TEST_OK(lyra_constraints_fix_vertices(lyra_model_constraints(model), 1, &last));
    lyra_vector_fill(lyra_state_view(state).u, 0);
    TEST_OK(lyra_integrator_step(it, state, 0.01, NULL));
    lyra_integrator_destroy(it);
    lyra_integrator_destroy(statics);
    lyra_state_destroy(state);
    lyra_system_destroy(system);
    lyra_model_destroy(model);
    lyra_force_destroy(spring);
    lyra_springs_destroy(springs);
    test_context_end(ctx);
}

// ---- failures and halving -----------------------------------------------------------------------

LYRA_TEST(a_failed_step_leaves_the_state_as_it_was)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t m = 0; m < METHOD_COUNT; ++m) {
        Body body;
        LyraIntegrator *it = NULL, *again = NULL;
        LyraState *copy = NULL;
        LyraIntegratorDef def = lyra_integrator_def_default();
        def.name = METHODS[m];
        if (make_swing(ctx, "dense", &body) &&
            TEST_OK(lyra_integrator_create(ctx, &def, body.system, &it))) {
            for (int32_t i = 0; i < 5; ++i) {
                TEST_OK(lyra_integrator_step(it, body.state, 0.01, NULL));
            }
            TEST_OK(lyra_state_copy(body.state, &copy));
            // one iteration to rounding is too few, at any length of step tried here
            def.newton.iterations_max = 1;
            def.newton.halvings_max = 2;
            def.newton.decrement = def.newton.residual = def.newton.step = 0;
            LyraStepReport report;
            const double heavy[3] = {0, -500, 0}, usual[3] = {0, -9.81, 0};
            TEST_OK(lyra_model_set_gravity(body.model, heavy));
            TEST_OK(lyra_integrator_create(ctx, &def, body.system, &again));
            TEST_STATUS(lyra_integrator_step(again, body.state, 10, &report), LYRA_NOT_CONVERGED);
            TEST_EQUAL(report.outcome, LYRA_STEP_NOT_CONVERGED);
            TEST_NEAR(report.time, 0.05, 1e-12);
            TEST_CHECK_MSG(lyra_state_equal(copy, body.state), "%s: the state changed", METHODS[m]);
            TEST_CHECK(report.rejected >= 2);
            // the state is good for another try
            TEST_OK(lyra_model_set_gravity(body.model, usual));
            TEST_OK(lyra_integrator_step(it, body.state, 0.01, NULL));
        }
        lyra_state_destroy(copy);
        lyra_integrator_destroy(it);
        lyra_integrator_destroy(again);
        end_body(&body);
    }
    test_context_end(ctx);
}

LYRA_TEST(halved_steps_grow_back)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body;
    LyraIntegrator *it = NULL;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.newton.iterations_max = 3;
    BodyDef settings = body_def();
    settings.solver = "dense";
    settings.mass_damping = 5;
    if (make_body(ctx, &settings, &body) &&
        TEST_OK(lyra_integrator_create(ctx, &def, body.system, &it))) {
        // a violent start that calms down
        for (int32_t i = 0; i < body.vertex_count; ++i) {
            double x = lyra_mesh_view(body.mesh).positions[3 * i] + 0.2;
            body_v(&body)[3 * i + 1] = 60 * x * x;
        }
        LyraStepReport report;
        TEST_OK(lyra_integrator_step(it, body.state, 0.02, &report));
        TEST_CHECK(report.rejected > 0 && report.substeps > 1);
        TEST_NEAR(report.time, 0.02, 0);
        // the level is remembered: a step that starts there need not find it again
        LyraStateBlock halving = {0};
        int32_t steps = 1, last = report.substeps, rejected = report.rejected;
        TEST_CHECK(lyra_state_find_block(body.state, "halving", LYRA_STATE_METHOD, &halving));
        TEST_CHECK(halving.type == LYRA_STATE_INT32 && ((const int32_t *)halving.values)[0] > 0);
        TEST_OK(lyra_integrator_step(it, body.state, 0.02, &report));
        TEST_CHECK_MSG(report.rejected < rejected, "%d rejected, then %d", (int)rejected,
                       (int)report.rejected);
        ++steps;
        for (; steps < 60 && last > 1; ++steps) {
            TEST_OK(lyra_integrator_step(it, body.state, 0.02, &report));
            last = report.substeps;
        }
        TEST_EQUAL(last, 1);
        TEST_EQUAL(lyra_state_view(body.state).steps, steps);
    }
    lyra_integrator_destroy(it);
    end_body(&body);
    test_context_end(ctx);
}

// ---- the same bits ------------------------------------------------------------------------------

// steps of a length that changes once
static void run_steps(LyraIntegrator *it, LyraState *state, int32_t begin, int32_t end)
{
    for (int32_t i = begin; i < end; ++i) {
        TEST_OK(lyra_integrator_step(it, state, i < 7 ? 0.01 : 0.007, NULL));
    }
}

static void check_restart(const char *name, LyraNewtonPolicy policy)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body, other;
    LyraIntegrator *it = NULL, *fresh = NULL;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = name;
    def.newton.policy = policy;
    bool made = make_swing(ctx, "dense", &body);
    made = make_swing(ctx, "dense", &other) && made;
    if (made && TEST_OK(lyra_integrator_create(ctx, &def, body.system, &it)) &&
        TEST_OK(lyra_integrator_create(ctx, &def, other.system, &fresh))) {
        run_steps(it, body.state, 0, 6);
        size_t bytes = lyra_state_packed_size(body.state);
        void *packed = malloc(bytes);
        lyra_state_pack(body.state, packed);
        run_steps(it, body.state, 6, 12);
        TEST_OK(lyra_state_unpack(other.state, packed, bytes));
        run_steps(fresh, other.state, 6, 12);
        TEST_CHECK_MSG(lyra_state_equal(body.state, other.state), "%s, policy %d: other bits", name,
                       (int)policy);
        free(packed);
    }
    lyra_integrator_destroy(it);
    lyra_integrator_destroy(fresh);
    end_body(&body);
    end_body(&other);
    test_context_end(ctx);
}

LYRA_TEST(a_restart_continues_with_the_same_bits)
{
    for (int32_t m = 0; m < METHOD_COUNT; ++m) {
        for (int32_t policy = 0; policy <= LYRA_NEWTON_COUNTED; ++policy) {
            check_restart(METHODS[m], (LyraNewtonPolicy)policy);
        }
    }
}

static void compute_bits(LyraContext *ctx, void *data, void *out)
{
    Body body;
    LyraIntegrator *it = NULL;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = data;
    if (make_swing(ctx, "pcg", &body) &&
        TEST_OK(lyra_integrator_create(ctx, &def, body.system, &it))) {
        run_steps(it, body.state, 0, 5);
        memcpy(out, body_u(&body), (size_t)body.size * sizeof(double));
    }
    lyra_integrator_destroy(it);
    end_body(&body);
}

LYRA_TEST(threads_do_not_change_a_bit)
{
    char names[][32] = {"backward-euler", "generalized-alpha", "bdf3"};
    for (int32_t i = 0; i < 3; ++i) {
        test_same_bits(compute_bits, names[i], 3 * 5 * 3 * 3 * sizeof(double));
    }
}

// ---- memory -------------------------------------------------------------------------------------

LYRA_TEST(steps_after_the_first_allocate_nothing)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    for (int32_t m = 0; m < METHOD_COUNT; ++m) {
        for (int32_t policy = 0; policy <= LYRA_NEWTON_COUNTED; ++policy) {
            Body body;
            LyraIntegrator *it = NULL;
            LyraIntegratorDef def = lyra_integrator_def_default();
            def.name = METHODS[m];
            def.newton.policy = (LyraNewtonPolicy)policy;
            if (make_swing(ctx, "pcg", &body) &&
                TEST_OK(lyra_integrator_create(ctx, &def, body.system, &it))) {
                TEST_OK(lyra_integrator_step(it, body.state, 0.01, NULL));
                int64_t before = test_allocation_count();
                for (int32_t i = 0; i < 6; ++i) {
                    TEST_OK(lyra_integrator_step(it, body.state, 0.01, NULL));
                }
                TEST_CHECK_MSG(test_allocation_count() == before, "%s, policy %d: %lld requests",
                               METHODS[m], (int)policy,
                               (long long)(test_allocation_count() - before));
            }
            lyra_integrator_destroy(it);
            end_body(&body);
        }
    }
    test_context_end(ctx);
}

// a dense system of three unknowns, so that the requests are those of integrators
static LyraStatus step_toy(LyraContext *ctx, void *data)
{
    const double mass = 1, stiffness = 1000;
    LyraDenseSystemDef toy = lyra_dense_system_def_default();
    toy.size = 1;
    toy.mass = &mass;
    toy.stiffness = &stiffness;
    LyraSystem *system = NULL;
    LyraState *state = NULL;
    LyraIntegrator *it = NULL;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = data;
    def.newton.policy = LYRA_NEWTON_SIMPLIFIED;
    LyraStatus status = lyra_system_create_dense_functions(ctx, &toy, &system);
    if (status == LYRA_OK) {
        status = lyra_system_state_create(system, &state);
    }
    if (status == LYRA_OK) {
        lyra_vector_fill(lyra_state_view(state).u, 1);
        status = lyra_integrator_create(ctx, &def, system, &it);
    }
    for (int32_t i = 0; status == LYRA_OK && i < 3; ++i) {
        status = lyra_integrator_step(it, state, 0.01, NULL);
    }
    lyra_integrator_destroy(it);
    lyra_state_destroy(state);
    lyra_system_destroy(system);
    return status;
}

LYRA_TEST(every_allocation_may_fail)
{
    for (int32_t m = 0; m < METHOD_COUNT; ++m) {
        char name[32];
        snprintf(name, sizeof name, "%s", METHODS[m]);
        test_fail_each_allocation(step_toy, name);
    }
}

// ---- callback -----------------------------------------------------------------------------------

static void count_step(void *user, const LyraState *state, const LyraStepReport *report)
{
    double *last = user;
    TEST_EQUAL(report->outcome, LYRA_STEP_ACCEPTED);
    TEST_NEAR(report->time, lyra_state_view(state).time, 0);
    TEST_CHECK(report->time > last[0]);
    last[0] = report->time;
    last[1] += 1;
}

LYRA_TEST(the_callback_sees_each_step)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSystem *system = make_toy(ctx);
    LyraState *state = NULL;
    LyraIntegrator *it = NULL;
    double seen[2] = {0, 0};
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.callback = count_step;
    def.callback_user = seen;
    TEST_OK(lyra_system_state_create(system, &state));
    TEST_OK(lyra_integrator_create(ctx, &def, system, &it));
    for (int32_t i = 0; i < 4; ++i) {
        TEST_OK(lyra_integrator_step(it, state, 0.01, NULL));
    }
    TEST_STATUS(lyra_integrator_step(it, state, -1, NULL), LYRA_INVALID_ARGUMENT);
    TEST_EQUAL(seen[1], 4);
    lyra_integrator_destroy(it);
    lyra_state_destroy(state);
    lyra_system_destroy(system);
    test_context_end(ctx);
}
