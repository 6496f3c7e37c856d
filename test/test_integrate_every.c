// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What every integrator of the list promises, on sparse and dense systems of a model with
// constraints that move: the same bits after a restart and at any number of threads, no allocation
// after the first step, the same motion; and what it does with bodies that are hardly held, with
// steps of any length and with vertices without mass.

#include "integrate_cases.h"

#define SIZE (3 * 3 * 2 * 2)
#define STEP 1e-4

// from when on, and in which of u, v and a, the prescribed motion is not finite
static double broken_from = INFINITY;
static int32_t broken;

// the held end goes up and down
static void shake(void *user, double t, double *u, double *v, double *a)
{
    (void)user;
    const double w = 40;
    double *const out[3] = {u, v, a};
    if (t >= broken_from && out[broken]) {
        out[broken][1] = broken == 1 ? INFINITY : NAN;
    }
    for (int32_t i = 1; i < SIZE; i += 3) {
        u[i] += 0.01 * (1 - cos(w * t));
        if (v) {
            v[i] += 0.01 * w * sin(w * t);
        }
        if (a) {
            a[i] += 0.01 * w * w * cos(w * t);
        }
    }
}

// An integrator on one of the two kinds of systems.
typedef struct Case {
    char name[32];
    const char *solver; // "pcg" or "dense"
} Case;

// the next case: each integrator on both systems; false past the last
static bool next_case(int32_t index, Case *out)
{
    LyraIntegratorFacts facts;
    bool found = lyra_integrator_name(index / 2, &facts) && !facts.constant;
    snprintf(out->name, sizeof out->name, "%s", found ? facts.name : "");
    out->solver = index % 2 ? "dense" : "pcg";
    return found;
}

static void count_steps(void *user, const LyraState *state, const LyraStepReport *report)
{
    (void)state;
    *(int32_t *)user += report->outcome == LYRA_STEP_ACCEPTED;
}

static bool make(LyraContext *ctx, const Case *c, int32_t *seen, Body *body, LyraIntegrator **it)
{
    BodyDef settings = body_def();
    settings.cells[0] = 2;
    settings.cells[1] = settings.cells[2] = 1;
    settings.gravity = -9.81;
    settings.mass_damping = 0.5;
    settings.stiffness_damping = 1e-3;
    settings.prescription = shake;
    settings.solver = c->solver;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = c->name;
    def.critical_interval = 3;
    def.callback = seen ? count_steps : NULL;
    def.callback_user = seen;
    return make_body(ctx, &settings, body) &&
           TEST_OK(lyra_integrator_create(ctx, &def, body->system, it));
}

static void step(LyraIntegrator *it, LyraState *state, int32_t begin, int32_t end)
{
    for (int32_t i = begin; i < end; ++i) {
        TEST_OK(lyra_integrator_step(it, state, i < 9 ? STEP : 0.7 * STEP, NULL));
    }
}

LYRA_TEST(every_restart_continues_with_the_same_bits)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Case c;
    int32_t count = 0;
    for (; next_case(count, &c); ++count) {
        Body body, other;
        LyraIntegrator *it = NULL, *fresh = NULL;
        int32_t seen = 0;
        bool made = make(ctx, &c, &seen, &body, &it);
        made = make(ctx, &c, NULL, &other, &fresh) && made;
        if (made) {
            step(it, body.state, 0, 7);
            size_t bytes = lyra_state_packed_size(body.state);
            void *packed = malloc(bytes);
            lyra_state_pack(body.state, packed);
            step(it, body.state, 7, 13);
            TEST_OK(lyra_state_unpack(other.state, packed, bytes));
            step(fresh, other.state, 7, 13);
            TEST_CHECK_MSG(lyra_state_equal(body.state, other.state), "%s, %s: other bits", c.name,
                           c.solver);
            TEST_CHECK_MSG(seen == 13, "%s: the callback saw %d steps of 13", c.name, (int)seen);
            free(packed);
        }
        lyra_integrator_destroy(it);
        lyra_integrator_destroy(fresh);
        end_body(&body);
        end_body(&other);
    }
    TEST_CHECK_MSG(count >= 42, "%d cases", (int)count);
    test_context_end(ctx);
}

// One integrator that moves two states in turn gives each the bits that one of its own would: what
// it keeps beside the states is not seen.
LYRA_TEST(every_one_serves_two_states)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Case c;
    for (int32_t i = 0; next_case(i, &c); ++i) {
        Body body, other;
        LyraIntegrator *both = NULL, *own = NULL;
        LyraState *second = NULL;
        bool made = make(ctx, &c, NULL, &body, &both);
        made = make(ctx, &c, NULL, &other, &own) && made;
        if (made && TEST_OK(lyra_system_state_create(body.system, &second))) {
            double *v[2] = {lyra_vector_values_mutable(lyra_state_view(second).v), body_v(&other)};
            for (int32_t k = 0; k < 2 * SIZE; ++k) {
                v[k % 2][k / 2] = 0.3 * sin(1.7 * (k / 2));
            }
            for (int32_t k = 0; k < 12; ++k) {
                step(both, body.state, k, k + 1);
                step(both, second, k, k + 1);
            }
            step(own, other.state, 0, 12);
            TEST_CHECK_MSG(lyra_state_equal(second, other.state), "%s, %s: other bits", c.name,
                           c.solver);
        }
        lyra_state_destroy(second);
        lyra_integrator_destroy(both);
        lyra_integrator_destroy(own);
        end_body(&body);
        end_body(&other);
    }
    test_context_end(ctx);
}

enum { GRAVITY, DAMPING, NO_DAMPING, MASSES, LOADS, HELD, FREE, CHANGE_COUNT };

static void change(const Body *body, int32_t what)
{
    const double gravity[3] = {0, 3, 1};
    const int32_t vertices[2] = {9, 10};
    double force[SIZE];
    for (int32_t i = 0; i < SIZE; ++i) {
        force[i] = cos(i);
    }
    switch (what) {
    case GRAVITY:
        TEST_OK(lyra_model_set_gravity(body->model, gravity));
        break;
    case DAMPING:
    case NO_DAMPING:
        TEST_OK(lyra_model_set_damping(body->model, what == DAMPING ? 0.1 : 0,
                                       what == DAMPING ? 4e-3 : 0));
        break;
    case MASSES:
        TEST_OK(lyra_model_set_mass_factor(body->model, 3));
        break;
    case LOADS:
        TEST_OK(lyra_model_set_force(body->model, force));
        break;
    case HELD:
        TEST_OK(lyra_constraints_fix_vertices(lyra_model_constraints(body->model), 2, vertices));
        break;
    default:
        lyra_constraints_clear(lyra_model_constraints(body->model));
    }
}

// An integrator that goes on after a change takes the steps of one made after it.
LYRA_TEST(every_one_sees_what_changes_between_steps)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Case c;
    for (int32_t i = 0; next_case(i / CHANGE_COUNT, &c); ++i) {
        Body body, other;
        LyraIntegrator *it = NULL, *fresh = NULL;
        // each change on one of the two systems; a body in the air has no equilibrium
        if ((i / CHANGE_COUNT + i) % 2 ||
            (i % CHANGE_COUNT == FREE && strcmp(c.name, "static") == 0)) {
            continue;
        }
        bool made = make(ctx, &c, NULL, &body, &it);
        made = make(ctx, &c, NULL, &other, &fresh) && made;
        if (made) {
            step(it, body.state, 0, 5);
            TEST_OK(lyra_state_assign(other.state, body.state));
            change(&body, i % CHANGE_COUNT);
            change(&other, i % CHANGE_COUNT);
            step(it, body.state, 5, 8);
            step(fresh, other.state, 5, 8);
            TEST_CHECK_MSG(lyra_state_equal(body.state, other.state),
                           "%s, %s: other bits after change %d", c.name, c.solver,
                           i % CHANGE_COUNT);
        }
        lyra_integrator_destroy(it);
        lyra_integrator_destroy(fresh);
        end_body(&body);
        end_body(&other);
    }
    test_context_end(ctx);
}

static void compute_bits(LyraContext *ctx, void *data, void *out)
{
    Body body;
    LyraIntegrator *it = NULL;
    if (make(ctx, data, NULL, &body, &it)) {
        TEST_EQUAL(body.size, SIZE);
        step(it, body.state, 0, 5);
        memcpy(out, body_u(&body), SIZE * sizeof(double));
        memcpy((double *)out + SIZE, body_v(&body), SIZE * sizeof(double));
    }
    lyra_integrator_destroy(it);
    end_body(&body);
}

LYRA_TEST(threads_change_no_bit_of_any)
{
    Case c;
    for (int32_t i = 0; next_case(i, &c); ++i) {
        test_same_bits(compute_bits, &c, 2 * SIZE * sizeof(double));
    }
}

LYRA_TEST(no_step_after_the_first_allocates)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    Case c;
    for (int32_t i = 0; next_case(i, &c); ++i) {
        Body body;
        LyraIntegrator *it = NULL;
        if (make(ctx, &c, NULL, &body, &it)) {
            step(it, body.state, 0, 1);
            int64_t before = test_allocation_count();
            step(it, body.state, 1, 12);
            TEST_CHECK_MSG(test_allocation_count() == before, "%s, %s: %lld requests", c.name,
                           c.solver, (long long)(test_allocation_count() - before));
        }
        lyra_integrator_destroy(it);
        end_body(&body);
    }
    test_context_end(ctx);
}

// ---- motion -------------------------------------------------------------------------------------

// u after 20 ms, and v where the body is held
static void move(LyraContext *ctx, const Case *c, int32_t steps, double *u)
{
    Body body;
    LyraIntegrator *it = NULL;
    if (make(ctx, c, NULL, &body, &it)) {
        for (int32_t i = 0; i < steps; ++i) {
            TEST_OK(lyra_integrator_step(it, body.state, 0.02 / steps, NULL));
        }
        double prescribed[2][SIZE] = {{0}};
        shake(NULL, lyra_state_view(body.state).time, prescribed[0], prescribed[1], NULL);
        const double *X = lyra_mesh_view(body.mesh).positions;
        for (int32_t i = 0; i < SIZE; ++i) {
            bool held = X[i - i % 3] < -0.099;
            TEST_CHECK_MSG(
                !held || (body_u(&body)[i] == prescribed[0][i] &&
                          (body_v(&body)[i] == prescribed[1][i] || strcmp(c->name, "static") == 0)),
                "%s, %s: %.17g and %.17g where %.17g and %.17g are prescribed", c->name, c->solver,
                body_u(&body)[i], body_v(&body)[i], prescribed[0][i], prescribed[1][i]);
        }
        memcpy(u, body_u(&body), SIZE * sizeof *u);
    }
    lyra_integrator_destroy(it);
    end_body(&body);
}

LYRA_TEST(all_move_alike)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Case c = {.name = "dopri853", .solver = "dense"};
    double exact[SIZE] = {0}, u[SIZE] = {0}, size = 0;
    move(ctx, &c, 4, exact);
    for (int32_t i = 0; i < SIZE; ++i) {
        size = fmax(size, fabs(exact[i]));
    }
    TEST_CHECK(size > 1e-3);
    for (int32_t i = 0; next_case(i, &c); ++i) {
        double error = 0;
        move(ctx, &c, 200, u);
        for (int32_t k = 0; k < SIZE; ++k) {
            error = fmax(error, fabs(u[k] - exact[k]));
        }
        // first order, and 200 steps; statics goes elsewhere
        TEST_CHECK_MSG(strcmp(c.name, "static") == 0 || error <= 1e-2 * size,
                       "%s, %s: off by %.3g of %.3g m", c.name, c.solver, error, size);
    }
    test_context_end(ctx);
}

// ---- few constraints, any step ------------------------------------------------------------------

// steps of a body in the air, or held by one vertex or two: they end well, or they are refused
// in words and leave the state as it was
static void try_steps(LyraContext *ctx, const Case *c, int32_t held, double h, int32_t steps)
{
    BodyDef settings = body_def();
    settings.fixed = false;
    settings.cells[0] = 2;
    settings.cells[1] = settings.cells[2] = 1;
    settings.gravity = -9.81;
    settings.mass_damping = 0.1;
    settings.solver = c->solver;
    const int32_t vertices[2] = {0, 2};
    Body body;
    LyraIntegrator *it = NULL;
    LyraState *before = NULL;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = c->name;
    def.critical = LYRA_CRITICAL_REFUSE;
    if (make_body(ctx, &settings, &body) &&
        TEST_OK(
            lyra_constraints_fix_vertices(lyra_model_constraints(body.model), held, vertices)) &&
        TEST_OK(lyra_integrator_create(ctx, &def, body.system, &it)) &&
        TEST_OK(lyra_state_copy(body.state, &before))) {
        LyraStepReport report = {0};
        for (int32_t s = 0; s < steps; ++s) {
            TEST_OK(lyra_state_assign(before, body.state));
            LyraStatus status = lyra_integrator_step(it, body.state, h, &report);
            LyraStateView view = lyra_state_view(body.state);
            if (status == LYRA_OK) {
                TEST_CHECK_MSG(lyra_vector_is_finite(view.u) && lyra_vector_is_finite(view.v) &&
                                   isfinite(report.kinetic + report.elastic),
                               "%s, h %g, %d held: not finite", c->name, h, (int)held);
                continue;
            }
            bool words = lyra_error_message()[0] && report.outcome != LYRA_STEP_ACCEPTED;
            TEST_CHECK_MSG(words && lyra_state_equal(before, body.state),
                           "%s, h %g, %d held: no reason, or another state", c->name, h, (int)held);
            // a body that flies or turns has no equilibrium; all else takes a tiny step
            TEST_CHECK_MSG(h > 1 || strcmp(c->name, "static") == 0, "%s, h %g, %d held: %s",
                           c->name, h, (int)held, lyra_error_message());
        }
    }
    lyra_state_destroy(before);
    lyra_integrator_destroy(it);
    end_body(&body);
}

LYRA_TEST(steps_of_any_length_end_well_or_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Case c;
    for (int32_t i = 0; next_case(i, &c); ++i) {
        // in the air or by two vertices: sparse; by one: dense
        for (int32_t held = i % 2; held <= 2; held += 2) {
            try_steps(ctx, &c, held, 1e-9, 2);
            try_steps(ctx, &c, held, 10, 1);
        }
    }
    test_context_end(ctx);
}

// what is held has no error, and meets tolerances that are relative alone
LYRA_TEST(error_control_needs_no_absolute_tolerance)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const char *const names[] = {"dopri5", "dopri853"};
    for (int32_t i = 0; i < 2; ++i) {
        BodyDef settings = body_def();
        settings.cells[0] = 2;
        settings.cells[1] = settings.cells[2] = 1;
        settings.gravity = -9.81;
        Body body;
        LyraIntegrator *it = NULL;
        LyraIntegratorDef def = lyra_integrator_def_default();
        def.name = names[i];
        def.absolute_tolerance = 0;
        if (make_body(ctx, &settings, &body) &&
            TEST_OK(lyra_integrator_create(ctx, &def, body.system, &it))) {
            const double *X = lyra_mesh_view(body.mesh).positions;
            LyraStepReport report;
            // all that is free is far from zero
            for (int32_t k = 0; k < SIZE; ++k) {
                bool held = X[k - k % 3] < -0.099;
                body_u(&body)[k] = held ? 0 : 1e-3 * (1 + 0.1 * sin(k));
                body_v(&body)[k] = held ? 0 : 0.1 * (1 + 0.1 * cos(k));
            }
            TEST_OK(lyra_integrator_step(it, body.state, 1e-3, &report));
            TEST_CHECK(report.error > 0 && report.error <= 1);
        }
        lyra_integrator_destroy(it);
        end_body(&body);
    }
    test_context_end(ctx);
}

// Prescribed motion that is not finite, from the begin or from the midst of a step on: the step
// fails in words that name it, the state is as it was, and what follows has the bits that it would
// have had without.
LYRA_TEST(a_broken_prescription_is_named_and_leaves_no_trace)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Case c;
    for (int32_t i = 0; next_case(i / 3, &c); ++i) {
        Body body, other;
        LyraIntegrator *it = NULL, *calm = NULL;
        LyraState *before = NULL;
        broken = i % 3;
        // statics has no use for velocities and accelerations
        if (broken > 0 && strcmp(c.name, "static") == 0) {
            continue;
        }
        bool made = make(ctx, &c, NULL, &body, &it);
        made = make(ctx, &c, NULL, &other, &calm) && made;
        if (made) {
            LyraStepReport report;
            step(it, body.state, 0, 4);
            step(calm, other.state, 0, 4);
            TEST_OK(lyra_state_copy(body.state, &before));
            broken_from = lyra_state_view(body.state).time + (i % 2 ? 0.6 : 1e-6) * STEP;
            TEST_STATUS(lyra_integrator_step(it, body.state, STEP, &report), LYRA_NOT_FINITE);
            broken_from = INFINITY;
            TEST_CONTAINS(lyra_error_message(), "the motion prescribed at 0.0005 s is not finite");
            TEST_EQUAL(report.outcome, LYRA_STEP_NOT_FINITE);
            TEST_CHECK_MSG(lyra_state_equal(before, body.state), "%s: another state", c.name);
            step(it, body.state, 4, 8);
            step(calm, other.state, 4, 8);
            TEST_CHECK_MSG(lyra_state_equal(body.state, other.state), "%s, %s: other bits after",
                           c.name, c.solver);
        }
        lyra_state_destroy(before);
        lyra_integrator_destroy(it);
        lyra_integrator_destroy(calm);
        end_body(&body);
        end_body(&other);
    }
    test_context_end(ctx);
}

// ---- masses -------------------------------------------------------------------------------------

// two vertices on a spring, the second without mass
LYRA_TEST(a_free_vertex_without_mass_is_refused_by_all_but_statics)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const int32_t pair[2] = {0, 1}, fixed[5] = {0, 1, 2, 4, 5};
    const double x[6] = {0, 0, 0, 1, 0, 0}, masses[2] = {1, 0};
    LyraSpringsDef list = lyra_springs_def_default();
    list.vertex_count = 2;
    list.spring_count = 1;
    list.vertices = pair;
    list.positions = x;
    LyraSprings *springs = NULL;
    LyraForce *spring = NULL;
    LyraModel *model = NULL;
    LyraMassSpringDef law = lyra_mass_spring_def_default();
    law.stiffness = 100;
    TEST_REQUIRE_OK(lyra_springs_create(ctx, &list, &springs));
    TEST_REQUIRE_OK(lyra_mass_spring_create(ctx, springs, &law, &spring));
    LyraModelDef def = lyra_model_def_default();
    def.vertex_count = 2;
    def.positions = x;
    def.force_count = 1;
    def.forces = &spring;
    def.masses = masses;
    TEST_REQUIRE_OK(lyra_model_create(ctx, &def, &model));
    TEST_OK(lyra_constraints_fix_dofs(lyra_model_constraints(model), 5, fixed));
    Case c;
    for (int32_t i = 0; next_case(i, &c); ++i) {
        LyraSystem *system = NULL;
        LyraState *state = NULL;
        LyraIntegrator *it = NULL;
        LyraIntegratorDef settings = lyra_integrator_def_default();
        settings.name = c.name;
        if (TEST_OK(i % 2 ? lyra_system_create_dense(ctx, model, &system)
                          : lyra_system_create_sparse(ctx, model, NULL, &system)) &&
            TEST_OK(lyra_system_state_create(system, &state)) &&
            TEST_OK(lyra_integrator_create(ctx, &settings, system, &it))) {
            LyraStepReport report;
            LyraStatus status = lyra_integrator_step(it, state, 1e-3, &report);
            if (strcmp(c.name, "static") == 0) {
                TEST_EQUAL(status, LYRA_OK);
            } else {
                TEST_STATUS(status, LYRA_SINGULAR);
                TEST_EQUAL(report.outcome, LYRA_STEP_REFUSED);
                TEST_CONTAINS(lyra_error_message(), "1");
            }
        }
        lyra_integrator_destroy(it);
        lyra_state_destroy(state);
        lyra_system_destroy(system);
    }
    lyra_model_destroy(model);
    lyra_force_destroy(spring);
    lyra_springs_destroy(springs);
    test_context_end(ctx);
}
