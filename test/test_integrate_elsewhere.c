// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Integrators take no pointer into a vector: with vectors that lie elsewhere, whose numbers the
// host can't see, every one of them gives the bits that it gives on the host.

#include "integrate_elsewhere.h"

#include <math.h>

// ---- a body with everything ---------------------------------------------------------------------

// tets, springs that remember, damping, a load and a motion of functions, and held directions
typedef struct Everything {
    LyraMesh *mesh;
    LyraSolid *solid;
    LyraSprings *springs;
    LyraForce *forces[2];
    LyraModel *model;
    LyraSystem *inner, *system; // of the host; the one under test, maybe the same
    LyraState *state;
    LyraIntegrator *it;
} Everything;

typedef struct Settings {
    bool elsewhere, history, callbacks;
    const char *solver;
    LyraIntegratorDef def;
} Settings;

#define VERTICES (3 * 2 * 2)
#define SIZE (3 * VERTICES)

static void shake(void *user, double t, double *u, double *v, double *a)
{
    (void)user;
    const double w = 40;
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

static void push(void *user, double t, const double *u, const double *v, double *f)
{
    (void)user, (void)u;
    f[SIZE - 3] += 5 * sin(30 * t) - 0.1 * v[SIZE - 3];
}

static bool make_springs(LyraContext *ctx, Everything *e)
{
    static const int32_t pairs[8] = {0, 1, 1, 2, 3, 4, 4, 5};
    LyraSpringsDef list = lyra_springs_def_default();
    list.vertex_count = VERTICES;
    list.spring_count = 4;
    list.vertices = pairs;
    list.positions = lyra_mesh_view(e->mesh).positions;
    LyraMaxwellSpringDef law = lyra_maxwell_spring_def_default();
    law.stiffness = 20;
    law.branch_stiffness = 400;
    law.relaxation_time = 0.01;
    return TEST_OK(lyra_springs_create(ctx, &list, &e->springs)) &&
           TEST_OK(lyra_maxwell_spring_create(ctx, e->springs, &law, &e->forces[1]));
}

static bool make_model(LyraContext *ctx, const Settings *settings, Everything *e)
{
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraMeshMaterial material = lyra_mesh_material_default();
    material.density = 1000;
    shape.material = &material;
    for (int i = 0; i < 3; ++i) {
        shape.cells[i] = i == 0 ? 2 : 1;
        shape.size[i] = 0.1 * shape.cells[i];
    }
    LyraSolidDef solid = lyra_solid_def_default();
    solid.model = "neo-hookean";
    solid.young = 1e5;
    solid.poisson = 0.4;
    solid.inversion = LYRA_INVERSION_EXTEND;
    if (!TEST_OK(lyra_mesh_generate(ctx, &shape, &e->mesh)) ||
        !TEST_OK(lyra_solid_create(ctx, e->mesh, &solid, &e->solid)) ||
        (settings->history && !make_springs(ctx, e))) {
        return false;
    }
    LyraMeshView view = lyra_mesh_view(e->mesh);
    double masses[VERTICES];
    if (!TEST_EQUAL(view.vertex_count, VERTICES)) {
        return false;
    }
    lyra_mesh_lumped_masses(e->mesh, NULL, masses);
    int32_t count = 0;
    e->forces[0] = lyra_solid_forces(e->solid, &count)[0];
    TEST_EQUAL(count, 1);
    LyraModelDef def = lyra_model_def_default();
    def.vertex_count = VERTICES;
    def.positions = view.positions;
    def.forces = e->forces;
    def.force_count = settings->history ? 2 : 1;
    def.masses = masses;
    def.mass_damping = 0.5;
    def.stiffness_damping = 1e-3;
    def.gravity[1] = -9.81;
    def.prescription = settings->callbacks ? shake : NULL;
    def.load = settings->callbacks ? push : NULL;
    def.load_moves = settings->callbacks;
    if (!TEST_OK(lyra_model_create(ctx, &def, &e->model))) {
        return false;
    }
    LyraConstraints *constraints = lyra_model_constraints(e->model);
    bool ok = true;
    for (int32_t i = 0; i < VERTICES; ++i) {
        if (view.positions[3 * i] < -0.09) {
            ok = ok && TEST_OK(lyra_constraints_fix_vertices(constraints, 1, &i));
        }
    }
    // and one that may slide
    return ok && TEST_OK(lyra_constraints_add_direction(constraints, VERTICES - 1,
                                                        (const double[3]){1, 2, -0.5}));
}

static bool make(LyraContext *ctx, const Settings *settings, Everything *out)
{
    Everything e = {0};
    bool ok = make_model(ctx, settings, &e);
    if (ok) {
        LyraSolverDef solver = lyra_solver_def_default();
        solver.name = settings->solver;
        ok = TEST_OK(lyra_system_create_sparse(ctx, e.model, &solver, &e.inner));
    }
    if (ok) {
        e.system = settings->elsewhere ? make_elsewhere(ctx, e.inner) : e.inner;
        ok = e.system && TEST_OK(lyra_system_state_create(e.system, &e.state)) &&
             TEST_OK(lyra_integrator_create(ctx, &settings->def, e.system, &e.it));
    }
    *out = e;
    return ok;
}

static void end(Everything *e)
{
    lyra_integrator_destroy(e->it);
    lyra_state_destroy(e->state);
    if (e->system != e->inner) {
        lyra_system_destroy(e->system);
    }
    lyra_system_destroy(e->inner);
    lyra_model_destroy(e->model);
    lyra_force_destroy(e->forces[1]);
    lyra_springs_destroy(e->springs);
    lyra_solid_destroy(e->solid);
    lyra_mesh_destroy(e->mesh);
}

// ---- runs ---------------------------------------------------------------------------------------

static void start(Everything *e)
{
    double values[SIZE];
    TestRandom random = test_random(7);
    for (int32_t i = 0; i < SIZE; ++i) {
        values[i] = test_random_in(&random, -0.3, 0.3);
    }
    lyra_vector_write(lyra_state_view(e->state).v, 0, SIZE, values);
}

static void move_held(Everything *e, int32_t step)
{
    double values[SIZE] = {0};
    for (int32_t i = 0; i < SIZE; ++i) {
        values[i] = 1e-5 * step * step * (i % 3 + 1);
    }
    TEST_OK(lyra_constraints_set_values(lyra_model_constraints(e->model), values));
}

static char *pack(const LyraState *state, size_t *bytes)
{
    *bytes = lyra_state_packed_size(state);
    char *packed = malloc(*bytes);
    lyra_state_pack(state, packed);
    return packed;
}

#define STEPS 9

// runs with a change of the step and constraints that begin to move, a restart in the middle if
// asked for; what the state is in the end, bytes
static char *run(LyraContext *ctx, const Settings *settings, double dt, bool restart, size_t *bytes,
                 LyraStepReport *last)
{
    Everything e, other;
    char *packed = NULL;
    if (make(ctx, settings, &e)) {
        start(&e);
        for (int32_t i = 0; i < STEPS; ++i) {
            if (i >= 3) {
                move_held(&e, i - 2);
            }
            if (restart && i == 5) {
                size_t length = 0;
                char *middle = pack(e.state, &length);
                end(&e);
                TEST_CHECK(make(ctx, settings, &other));
                e = other;
                move_held(&e, i - 2);
                TEST_OK(lyra_state_unpack(e.state, middle, length));
                free(middle);
            }
            if (!TEST_OK(lyra_integrator_step(e.it, e.state, i < 6 ? dt : 0.7 * dt, last))) {
                printf("%s, policy %d, elsewhere %d, step %d: %s\n", settings->def.name,
                       (int)settings->def.newton.policy, settings->elsewhere, (int)i,
                       lyra_error_message());
                break;
            }
        }
        packed = pack(e.state, bytes);
    }
    end(&e);
    return packed;
}

static void check_same(LyraContext *ctx, Settings settings, double dt)
{
    size_t plain_bytes = 0, bytes = 0;
    LyraStepReport plain, report;
    settings.elsewhere = false;
    char *expected = run(ctx, &settings, dt, false, &plain_bytes, &plain);
    settings.elsewhere = true;
    for (int32_t restart = 0; restart < 2; ++restart) {
        char *found = run(ctx, &settings, dt, restart == 1, &bytes, &report);
        TEST_CHECK_MSG(
            expected && found && bytes == plain_bytes && memcmp(expected, found, bytes) == 0,
            "%s, policy %d, solver %s, history %d, restart %d: other bits", settings.def.name,
            (int)settings.def.newton.policy, settings.solver, settings.history, (int)restart);
        TEST_EQUAL(report.newton_iterations, plain.newton_iterations);
        TEST_EQUAL(report.evaluations, plain.evaluations);
        TEST_CHECK(plain.staged == 0 && (report.staged > 0) == settings.callbacks);
        free(found);
    }
    free(expected);
}

LYRA_TEST(every_integrator_gives_the_same_bits_with_vectors_elsewhere)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraIntegratorFacts facts;
    int32_t count = 0;
    for (; lyra_integrator_name(count, &facts) && !facts.constant; ++count) {
        for (int32_t k = 0; k < 4; ++k) {
            Settings settings = {.history = k % 2 == 1,
                                 .callbacks = k >= 2,
                                 .solver = k % 2 ? "pcg" : "cholesky",
                                 .def = lyra_integrator_def_default()};
            settings.def.name = facts.name;
            settings.def.critical_interval = 3;
            settings.def.damping_update = 2;
            check_same(ctx, settings, 1e-4);
        }
    }
    TEST_CHECK(count >= 23);
    test_context_end(ctx);
}

LYRA_TEST(every_policy_of_newton_gives_the_same_bits_with_vectors_elsewhere)
{
    static const char *const names[] = {"backward-euler",    "newmark", "generalized-alpha",
                                        "implicit-midpoint", "bdf3",    "static"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (size_t m = 0; m < sizeof names / sizeof names[0]; ++m) {
        for (int32_t policy = 0; policy <= LYRA_NEWTON_COUNTED; ++policy) {
            for (int32_t k = 0; k < 3; ++k) {
                Settings settings = {.history = k == 1,
                                     .callbacks = false,
                                     .solver = k == 2 ? "cholesky" : "pcg",
                                     .def = lyra_integrator_def_default()};
                settings.def.name = names[m];
                settings.def.newton.policy = (LyraNewtonPolicy)policy;
                settings.def.newton.iterations_max = policy == LYRA_NEWTON_COUNTED ? 3 : 400;
                settings.def.vega = k == 2 && policy == LYRA_NEWTON_COUNTED;
                check_same(ctx, settings, 5e-3);
            }
        }
    }
    test_context_end(ctx);
}

// ---- around steps -------------------------------------------------------------------------------

LYRA_TEST(reactions_and_values_inside_steps_are_the_same_elsewhere)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double found[2][3][SIZE];
    for (int32_t k = 0; k < 2; ++k) {
        Settings settings = {.elsewhere = k == 1,
                             .callbacks = true,
                             .solver = "pcg",
                             .def = lyra_integrator_def_default()};
        settings.def.name = "dopri5";
        Everything e;
        LyraVector *out[3] = {0};
        if (make(ctx, &settings, &e)) {
            start(&e);
            TEST_OK(lyra_integrator_step(e.it, e.state, 1e-4, NULL));
            for (int32_t i = 0; i < 3; ++i) {
                TEST_OK(lyra_system_vector_create(e.system, SIZE, &out[i]));
            }
            double time = lyra_state_view(e.state).time;
            TEST_OK(lyra_integrator_interpolate(e.it, time * (1 - 1e-3), out[0], out[1]));
            TEST_OK(lyra_integrator_reaction(e.it, e.state, out[2]));
            for (int32_t i = 0; i < 3; ++i) {
                lyra_vector_read(out[i], 0, SIZE, found[k][i]);
                lyra_vector_destroy(out[i]);
            }
        }
        end(&e);
    }
    TEST_CHECK(memcmp(found[0], found[1], sizeof found[0]) == 0);
    TEST_CHECK(found[0][2][1] != 0);
    test_context_end(ctx);
}

LYRA_TEST(states_of_another_place_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Settings settings = {.elsewhere = true, .solver = "pcg", .def = lyra_integrator_def_default()};
    Everything e;
    LyraState *host = NULL, *copy = NULL;
    LyraVector *vector = NULL;
    if (make(ctx, &settings, &e) && TEST_OK(lyra_state_create(ctx, SIZE, &host)) &&
        TEST_OK(lyra_state_copy(host, &copy)) && TEST_OK(lyra_vector_create(ctx, SIZE, &vector))) {
        LyraStepReport report;
        TEST_STATUS(lyra_integrator_step(e.it, host, 1e-3, &report), LYRA_INVALID_ARGUMENT);
        TEST_EQUAL(report.outcome, LYRA_STEP_REFUSED);
        TEST_CONTAINS(lyra_error_message(), "elsewhere");
        TEST_CHECK(lyra_state_equal(host, copy) && !lyra_state_equal(host, e.state));
        TEST_STATUS(lyra_state_assign(host, e.state), LYRA_INVALID_ARGUMENT);
        TEST_STATUS(lyra_integrator_reaction(e.it, e.state, vector), LYRA_INVALID_ARGUMENT);
        LyraStateView view = lyra_state_view(host);
        const LyraPoint at = {.u = view.u, .v = view.v, .committed = host};
        TEST_STATUS(lyra_system_linearise(e.system, &at, false), LYRA_INVALID_ARGUMENT);
        LyraModes *modes = NULL;
        TEST_STATUS(lyra_modes_create(e.system, NULL, NULL, &modes, NULL), LYRA_UNSUPPORTED);
    }
    lyra_vector_destroy(vector);
    lyra_state_destroy(host);
    lyra_state_destroy(copy);
    end(&e);
    // and so are half a type of vectors, and constraints that nobody applies
    LyraVectorType half = elsewhere_vectors;
    half.noise = NULL;
    LyraSystemType type = elsewhere_type;
    LyraSystem *system = NULL;
    type.vector_type = &half;
    TEST_STATUS(lyra_system_create(ctx, &type, NULL, &system), LYRA_INVALID_ARGUMENT);
    type = elsewhere_type;
    type.merge = NULL;
    TEST_STATUS(lyra_system_create(ctx, &type, NULL, &system), LYRA_INVALID_ARGUMENT);
    test_context_end(ctx);
}
