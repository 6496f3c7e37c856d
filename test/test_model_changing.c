// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Groups whose stencils change, inside models and their systems: forces and tangents, patterns that
// widen and narrow, stencils by step and by iteration, history by key, bounds of motions.

#include "lyra/elastic.h"
#include "lyra/integrator.h"
#include "lyra/mesh_generate.h"
#include "lyra/model.h"
#include "lyra/points.h"
#include "lyra/system.h"

#include "lyra_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define W LYRA_BATCH_WIDTH

// ---- forces -------------------------------------------------------------------------------------

// E = k/2 |u_1 - u_0|^2 between two points, a spring of displacements
static void spring(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)self, (void)scratch;
    for (int e = 0; e < W; ++e) {
        double k = batch->parameters[e], energy = 0;
        for (int i = 0; i < 3; ++i) {
            double d = batch->u[(3 + i) * W + e] - batch->u[i * W + e];
            energy += 0.5 * k * d * d;
            if (batch->gradient) {
                batch->gradient[i * W + e] = -k * d;
                batch->gradient[(3 + i) * W + e] = k * d;
            }
            for (int j = 0; batch->dfdx && j < 3; ++j) {
                batch->dfdx[(3 * i + j) * W + e] = i == j ? -k : 0;
            }
        }
        if (batch->energy) {
            batch->energy[e] = energy;
        }
    }
}

static const char *const spring_names[] = {"stiffness"};
static const LyraForceType spring_type = {
    .name = "loose-spring",
    .nodes = 2,
    .traits = LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_SYMMETRIC | LYRA_FORCE_TRANSLATION_INVARIANT |
              LYRA_FORCE_LINEAR | LYRA_FORCE_DISPLACEMENT,
    .parameter_count = 1,
    .parameter_names = spring_names,
    .evaluate = spring,
};

/// Springs between pairs of vertices, set by a test.
typedef struct Loose {
    uint64_t version;
    int32_t count;
    int32_t pairs[8][2];
    double stiffness;
    int32_t steps, iterations; // calls
    int32_t more;              // pairs that appear at the first iteration of a step
} Loose;

static LyraStatus update(const void *self, const LyraUpdate *at, LyraStencilSet *set,
                         uint64_t *version)
{
    Loose *loose = (Loose *)self;
    int32_t count = loose->count;
    if (at->moment == LYRA_UPDATE_ITERATION) {
        ++loose->iterations;
        count += loose->more;
    } else {
        ++loose->steps;
    }
    *version = loose->version;
    LyraStatus status = lyra_stencil_set_clear(set);
    for (int32_t i = 0; status == LYRA_OK && i < count; ++i) {
        const LyraSurfacePoint points[2] = {{.count = 1, .vertices = &loose->pairs[i][0]},
                                            {.count = 1, .vertices = &loose->pairs[i][1]}};
        status = lyra_stencil_set_add(set, (uint64_t)i + 100, points, &loose->stiffness);
    }
    return status;
}

// ---- bodies -------------------------------------------------------------------------------------

/// Two boxes side by side that no element couples.
typedef struct Body {
    LyraMesh *mesh;
    int32_t n; // vertices of one box
    double *X, *masses;
    LyraForce *forces[3];
    Loose loose;
    LyraModel *model;
    LyraSystem *system;
    LyraState *state;
    LyraIntegrator *it;
} Body;

static void make_model(LyraContext *ctx, Body *body, const LyraForceType *type, bool fixed)
{
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    shape.kind = LYRA_ELEMENT_TET4;
    for (int i = 0; i < 3; ++i) {
        shape.cells[i] = 2;
        shape.size[i] = 0.2;
    }
    TEST_REQUIRE_OK(lyra_mesh_generate(ctx, &shape, &body->mesh));
    LyraMeshView view = lyra_mesh_view(body->mesh);
    int32_t n = body->n = view.vertex_count;
    body->X = calloc(6 * (size_t)n, sizeof(double));
    body->masses = calloc(2 * (size_t)n, sizeof(double));
    for (int32_t i = 0; i < 6 * n; ++i) {
        body->X[i] = view.positions[i % (3 * n)] + (i >= 3 * n && i % 3 == 0 ? 1 : 0);
        body->masses[i / 3] = 0.02;
    }
    LyraElasticDef law = lyra_elastic_def_default();
    law.young = 1e4;
    law.poisson = 0.3;
    const LyraModelBody bodies[2] = {{.name = "left", .first_vertex = 0, .vertex_count = n},
                                     {.name = "right", .first_vertex = n, .vertex_count = n}};
    for (int b = 0; b < 2; ++b) {
        TEST_REQUIRE_OK(lyra_elastic_create(ctx, body->mesh, &law, &body->forces[b]));
        TEST_REQUIRE_OK(lyra_force_set_owner(body->forces[b], b, b ? "right" : "left"));
    }
    LyraForceDef force = lyra_force_def_default();
    force.type = type;
    force.self = &body->loose;
    force.name = "loose";
    // with given stencils the same springs are an ordinary group
    if (fixed) {
        double stiffness[8];
        for (int i = 0; i < 8; ++i) {
            stiffness[i] = body->loose.stiffness;
        }
        force.stencil_count = body->loose.count;
        force.stencils = &body->loose.pairs[0][0];
        force.parameters = stiffness;
        TEST_REQUIRE_OK(lyra_force_create(ctx, &force, &body->forces[2]));
    } else {
        force.update = update;
        TEST_REQUIRE_OK(lyra_force_create(ctx, &force, &body->forces[2]));
    }
    LyraModelDef def = lyra_model_def_default();
    def.vertex_count = 2 * n;
    def.positions = body->X;
    def.masses = body->masses;
    def.forces = body->forces;
    def.force_count = 3;
    def.bodies = bodies;
    def.body_count = 2;
    def.gravity[1] = -9.81;
    TEST_REQUIRE_OK(lyra_model_create(ctx, &def, &body->model));
    // the left box is held
    LyraConstraints *held = lyra_model_constraints(body->model);
    for (int32_t i = 0; i < n; ++i) {
        if (body->X[3 * i] < 0) {
            TEST_REQUIRE_OK(lyra_constraints_fix_vertices(held, 1, &i));
        }
    }
}

static void make_body(LyraContext *ctx, Body *body, const LyraForceType *type, bool fixed,
                      bool dense, const char *integrator)
{
    make_model(ctx, body, type, fixed);
    LyraSolverDef solver = lyra_solver_def_default();
    solver.tolerance = 1e-12;
    TEST_REQUIRE_OK(dense ? lyra_system_create_dense(ctx, body->model, &body->system)
                          : lyra_system_create_sparse(ctx, body->model, &solver, &body->system));
    TEST_REQUIRE_OK(lyra_system_state_create(body->system, &body->state));
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = integrator;
    TEST_REQUIRE_OK(lyra_integrator_create(ctx, &def, body->system, &body->it));
}

static void end_body(Body *body)
{
    lyra_integrator_destroy(body->it);
    lyra_state_destroy(body->state);
    lyra_system_destroy(body->system);
    lyra_model_destroy(body->model);
    for (int i = 0; i < 3; ++i) {
        lyra_force_destroy(body->forces[i]);
    }
    lyra_mesh_destroy(body->mesh);
    free(body->X);
    free(body->masses);
}

// pairs across the gap, which no element couples
static Loose across(int32_t n, int32_t count)
{
    Loose loose = {.version = 1, .count = count, .stiffness = 300};
    for (int32_t i = 0; i < 8; ++i) {
        loose.pairs[i][0] = n - 1 - i;
        loose.pairs[i][1] = n + i;
    }
    return loose;
}

#define BOX_VERTICES 27

static double gap(const Body *a, const Body *b)
{
    const double *u = lyra_vector_values(lyra_state_view(a->state).u);
    const double *v = lyra_vector_values(lyra_state_view(b->state).u);
    double largest = 0;
    for (int32_t i = 0; i < 6 * a->n; ++i) {
        largest = fmax(largest, fabs(u[i] - v[i]));
    }
    return largest;
}

static void take_steps(Body *body, int32_t count)
{
    for (int32_t s = 0; s < count; ++s) {
        TEST_OK(lyra_integrator_step(body->it, body->state, 0.01, NULL));
    }
}

// ---- tests --------------------------------------------------------------------------------------

LYRA_TEST(changing_stencils_move_bodies_as_given_ones_do)
{
    static const char *const names[] = {
        "backward-euler", "newmark", "bdf2", "rosenbrock3", "rk4", "static", "implicit-midpoint"};
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
        for (int dense = 0; dense < 2; ++dense) {
            Body given = {.loose = across(BOX_VERTICES, 5)};
            Body changing = {.loose = across(BOX_VERTICES, 5)};
            bool small = strcmp(names[k], "rk4") == 0;
            make_body(ctx, &given, &spring_type, true, dense, names[k]);
            make_body(ctx, &changing, &spring_type, false, dense, names[k]);
            for (int32_t s = 0; s < 10; ++s) {
                TEST_OK(lyra_integrator_step(given.it, given.state, small ? 1e-4 : 0.01, NULL));
                TEST_OK(
                    lyra_integrator_step(changing.it, changing.state, small ? 1e-4 : 0.01, NULL));
            }
            double difference = gap(&given, &changing);
            TEST_CHECK_MSG(difference < 1e-8, "%s, %s: %g", names[k], dense ? "dense" : "sparse",
                           difference);
            TEST_CHECK(changing.loose.steps > 0);
            end_body(&given);
            end_body(&changing);
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(stencils_that_go_leave_nothing_behind)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body bare = {.loose = across(BOX_VERTICES, 0)}, pulled = {.loose = across(BOX_VERTICES, 4)};
    make_body(ctx, &bare, &spring_type, false, false, "backward-euler");
    make_body(ctx, &pulled, &spring_type, false, false, "backward-euler");
    take_steps(&pulled, 3);
    TEST_CHECK(gap(&bare, &pulled) > 0);
    // from the same state without them, the same bits as one that never had any
    TEST_OK(lyra_state_assign(pulled.state, bare.state));
    pulled.loose.count = 0;
    ++pulled.loose.version;
    take_steps(&pulled, 5);
    take_steps(&bare, 5);
    TEST_CHECK(lyra_state_equal(bare.state, pulled.state));
    end_body(&bare);
    end_body(&pulled);
    test_context_end(ctx);
}

LYRA_TEST(stencils_that_come_at_an_iteration_are_felt_in_the_step)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int dense = 0; dense < 2; ++dense) {
        // one pair at the begin of a step, four more from the first iteration on
        Body grows = {.loose = across(BOX_VERTICES, 1)}, whole = {.loose = across(BOX_VERTICES, 5)};
        grows.loose.more = 4;
        make_body(ctx, &grows, &spring_type, false, dense, "backward-euler");
        make_body(ctx, &whole, &spring_type, false, dense, "backward-euler");
        take_steps(&grows, 4);
        take_steps(&whole, 4);
        TEST_CHECK(grows.loose.iterations > 0);
        TEST_CHECK_MSG(gap(&grows, &whole) < 1e-7, "%g", gap(&grows, &whole));
        end_body(&grows);
        end_body(&whole);
    }
    test_context_end(ctx);
}

LYRA_TEST(restarts_with_stencils_across_a_gap_keep_the_bits)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    Body first = {.loose = across(BOX_VERTICES, 4)}, second = {.loose = across(BOX_VERTICES, 4)};
    make_body(ctx, &first, &spring_type, false, false, "backward-euler");
    take_steps(&first, 5);
    make_body(ctx, &second, &spring_type, false, false, "backward-euler");
    size_t bytes = lyra_state_packed_size(first.state);
    void *packed = malloc(bytes);
    lyra_state_pack(first.state, packed);
    TEST_OK(lyra_state_unpack(second.state, packed, bytes));
    free(packed);
    take_steps(&first, 5);
    take_steps(&second, 5);
    TEST_CHECK(lyra_state_equal(first.state, second.state));
    end_body(&first);
    end_body(&second);
    test_context_end(ctx);
}

LYRA_TEST(threads_do_not_change_bits_of_changing_groups)
{
    double *before = NULL;
    for (int32_t threads = 1; threads <= 7; threads += 3) {
        LyraContext *ctx = test_context(threads, LYRA_ISA_AUTO);
        Body body = {.loose = across(BOX_VERTICES, 6)};
        make_body(ctx, &body, &spring_type, false, false, "newmark");
        take_steps(&body, 5);
        const double *u = lyra_vector_values(lyra_state_view(body.state).u);
        size_t size = 6 * (size_t)body.n * sizeof(double);
        if (!before) {
            before = malloc(size);
            memcpy(before, u, size);
        }
        TEST_CHECK(memcmp(before, u, size) == 0);
        end_body(&body);
        test_context_end(ctx);
    }
    free(before);
}

LYRA_TEST(steps_with_changing_groups_allocate_nothing)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = {.loose = across(BOX_VERTICES, 5)};
    make_body(ctx, &body, &spring_type, false, false, "backward-euler");
    take_steps(&body, 15);
    int64_t before = test_allocation_count();
    take_steps(&body, 3);
    TEST_EQUAL(test_allocation_count(), before);
    end_body(&body);
    test_context_end(ctx);
}

// ---- history ------------------------------------------------------------------------------------

enum { AGE, WAY, MEMORY };

// a spring that remembers how many steps it has seen, and a number of its begin
static void ageing(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    spring(self, batch, scratch);
    for (int e = 0; batch->trial_history && e < W; ++e) {
        batch->trial_history[AGE * W + e] = batch->history[AGE * W + e] + 1;
        batch->trial_history[WAY * W + e] = batch->history[WAY * W + e];
    }
}

static void begin(const void *self, int32_t element, const int32_t *order, double *history)
{
    (void)self, (void)element, (void)order;
    history[AGE] = 0;
    history[WAY] = 7;
}

static const LyraForceType ageing_type = {
    .name = "ageing-spring",
    .nodes = 2,
    .traits = LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_SYMMETRIC | LYRA_FORCE_TRANSLATION_INVARIANT |
              LYRA_FORCE_DISPLACEMENT | LYRA_FORCE_HISTORY,
    .parameter_count = 1,
    .parameter_names = spring_names,
    .history_count = MEMORY,
    .history_init = begin,
    .evaluate = ageing,
};

static const double *history_of(const Body *body, int64_t *count)
{
    LyraStateBlock values, keys;
    if (!TEST_CHECK(
            lyra_state_find_block(body->state, "history.2", LYRA_STATE_MATERIAL, &values)) ||
        !TEST_CHECK(lyra_state_find_block(body->state, "keys.2", LYRA_STATE_MATERIAL, &keys))) {
        return NULL;
    }
    *count = keys.count;
    return lyra_vector_values(values.vectors[0]);
}

LYRA_TEST(history_follows_the_keys_of_stencils)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = {.loose = across(BOX_VERTICES, 2)};
    make_body(ctx, &body, &ageing_type, false, false, "backward-euler");
    take_steps(&body, 3);
    int64_t count = 0;
    const double *history = history_of(&body, &count);
    TEST_REQUIRE(history && count == 2);
    TEST_CHECK(history[AGE] == 3 && history[MEMORY + AGE] == 3 && history[WAY] == 7);
    // three more come, with keys of their own: they begin, the others go on
    body.loose.count = 5;
    ++body.loose.version;
    take_steps(&body, 2);
    history = history_of(&body, &count);
    TEST_REQUIRE(history && count == 5);
    TEST_CHECK(history[AGE] == 5 && history[4 * MEMORY + AGE] == 2);
    TEST_CHECK(history[4 * MEMORY + WAY] == 7);
    // those that are gone are forgotten
    body.loose.count = 1;
    ++body.loose.version;
    take_steps(&body, 1);
    body.loose.count = 2;
    ++body.loose.version;
    take_steps(&body, 1);
    history = history_of(&body, &count);
    TEST_REQUIRE(history && count == 2);
    TEST_CHECK(history[AGE] == 7 && history[MEMORY + AGE] == 1);
    end_body(&body);
    test_context_end(ctx);
}

// ---- bounds and bad use -------------------------------------------------------------------------

// nothing may sink below y = -0.15
static double above(const void *self, const LyraStencilSet *set, int32_t vertex_count,
                    const double *X, const double *u, const double *d)
{
    (void)self, (void)set;
    double bound = 1;
    for (int32_t i = 0; i < vertex_count; ++i) {
        double y = X[3 * i + 1] + u[3 * i + 1], way = d[3 * i + 1];
        if (y + way < -0.15) {
            bound = fmin(bound, fmax(0, (-0.15 - y) / way));
        }
    }
    return bound;
}

LYRA_TEST(groups_bound_the_motion_of_their_model)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int dense = 0; dense < 2; ++dense) {
        Body body = {.loose = across(BOX_VERTICES, 0)};
        LyraForceDef wall = lyra_force_def_default();
        LyraForce *force = NULL;
        wall.type = &spring_type;
        wall.self = &body.loose;
        wall.update = update;
        wall.bound = above;
        TEST_REQUIRE_OK(lyra_force_create(ctx, &wall, &force));
        const double X[] = {0, 0, 0}, mass = 1;
        LyraModelDef def = lyra_model_def_default();
        def.vertex_count = 1;
        def.positions = X;
        def.masses = &mass;
        def.forces = &force;
        def.force_count = 1;
        def.gravity[1] = -10;
        LyraModel *model = NULL;
        LyraSystem *system = NULL;
        LyraState *state = NULL;
        LyraIntegrator *it = NULL;
        LyraIntegratorDef method = lyra_integrator_def_default();
        TEST_REQUIRE_OK(lyra_model_create(ctx, &def, &model));
        TEST_REQUIRE_OK(dense ? lyra_system_create_dense(ctx, model, &system)
                              : lyra_system_create_sparse(ctx, model, NULL, &system));
        TEST_CHECK(lyra_system_is_bounded(system));
        TEST_REQUIRE_OK(lyra_system_state_create(system, &state));
        TEST_REQUIRE_OK(lyra_integrator_create(ctx, &method, system, &it));
        LyraStepReport report = {0};
        LyraStatus status = LYRA_OK;
        for (int32_t s = 0; s < 40 && status == LYRA_OK; ++s) {
            status = lyra_integrator_step(it, state, 0.01, &report);
            TEST_CHECK(lyra_vector_values(lyra_state_view(state).u)[1] >= -0.15);
        }
        // it falls to the wall, where nothing pushes back, and is stopped
        TEST_CHECK(status != LYRA_OK);
        TEST_CHECK_MSG(lyra_vector_values(lyra_state_view(state).u)[1] < -0.1, "%g",
                       lyra_vector_values(lyra_state_view(state).u)[1]);
        lyra_integrator_destroy(it);
        lyra_state_destroy(state);
        lyra_system_destroy(system);
        lyra_model_destroy(model);
        lyra_force_destroy(force);
    }
    test_context_end(ctx);
}

LYRA_TEST(bad_uses_of_changing_groups_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = {.loose = across(BOX_VERTICES, 2)};
    make_body(ctx, &body, &spring_type, false, false, "backward-euler");
    int32_t group = lyra_model_find_group(body.model, "loose");
    const double values[2] = {1, 1};
    LyraForceGroup found;
    TEST_REQUIRE(lyra_model_group(body.model, group, &found) && found.changing);
    TEST_STATUS(lyra_model_set_parameter(body.model, group, "stiffness", values),
                LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "change");
    // a stencil that names no vertex of the model ends the step and leaves the state
    LyraState *before = NULL;
    take_steps(&body, 2);
    TEST_REQUIRE_OK(lyra_state_copy(body.state, &before));
    body.loose.pairs[1][1] = 1000;
    TEST_STATUS(lyra_integrator_step(body.it, body.state, 0.01, NULL), LYRA_INVALID_ARGUMENT);
    TEST_CHECK(lyra_state_equal(before, body.state));
    body.loose.pairs[1][1] = BOX_VERTICES + 1;
    take_steps(&body, 1);
    lyra_state_destroy(before);
    // given stencils and changing ones at once
    LyraForceDef def = lyra_force_def_default();
    LyraForce *none = NULL;
    const int32_t stencil[2] = {0, 1};
    def.type = &spring_type;
    def.stencil_count = 1;
    def.stencils = stencil;
    def.parameters = values;
    def.update = update;
    TEST_STATUS(lyra_force_create(ctx, &def, &none), LYRA_INVALID_ARGUMENT);
    end_body(&body);
    test_context_end(ctx);
}
