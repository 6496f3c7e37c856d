// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Integrators on bodies of tets: orders with all that a model can have, sparse against dense, and
// what a free body keeps.

#include "lyra/lyra.h"
#include "lyra_test.h"

#include <stdlib.h>
#include <string.h>

typedef struct BodyDef {
    bool dense, consistent, viscous, free, loaded, matrix;
    bool symmetric, corotational, live; // tangents that lack something
    bool target;                        // the end is moved by values, not by a prescription
    double alpha, beta;
    int32_t cells[3];
} BodyDef;

typedef struct Body {
    LyraMesh *mesh;
    LyraForce *forces[2];
    LyraMassMatrix *mass_matrix;
    LyraBlockPattern *damping_pattern;
    LyraBlockMatrix *damping;
    LyraModel *model;
    LyraSystem *system;
    LyraState *state;
} Body;

// one end is shaken along y and z
static void shake(void *user, double t, double *u, double *v, double *a)
{
    int32_t n = *(int32_t *)user;
    double w = 30, A = 0.01;
    for (int32_t i = 0; i < n; ++i) {
        for (int k = 1; k < 3; ++k) {
            u[3 * i + k] = A * k * sin(w * t) * sin(w * t);
            if (v) {
                v[3 * i + k] = A * k * w * sin(2 * w * t);
            }
            if (a) {
                a[3 * i + k] = 2 * A * k * w * w * cos(2 * w * t);
            }
        }
    }
}

// the rest is pulled along x
static void pull(void *user, double t, const double *u, const double *v, double *f)
{
    (void)u, (void)v;
    int32_t n = *(int32_t *)user;
    for (int32_t i = 0; i < n; ++i) {
        f[3 * i] += 0.5 * sin(40 * t) * (1 + 0.1 * i);
    }
}

// the same by a pull that leans with the body and with its velocity
static void lean(void *user, double t, const double *u, const double *v, double *f)
{
    int32_t n = *(int32_t *)user;
    pull(user, t, u, v, f);
    for (int32_t i = 0; i < n; ++i) {
        f[3 * i + 1] -= 4 * u[3 * i] * (1 + u[3 * i + 2]) + 0.3 * v[3 * i + 1];
    }
}

#define SIZE 72 // 12 vertices, u and v

static int32_t vertex_count;

static bool make_forces(LyraContext *ctx, const BodyDef *def, Body *body)
{
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    shape.kind = LYRA_ELEMENT_TET4;
    for (int i = 0; i < 3; ++i) {
        shape.cells[i] = def->cells[i] ? def->cells[i] : 1 + (i == 0);
        shape.size[i] = 0.1 * shape.cells[i];
    }
    LyraElasticDef law = lyra_elastic_def_default();
    law.young = 1e4;
    law.poisson = 0.3;
    LyraViscosityDef viscosity = lyra_viscosity_def_default();
    viscosity.lambda = 30;
    viscosity.mu = 7;
    viscosity.symmetric = def->symmetric;
    LyraCorotationalDef turned = lyra_corotational_def_default();
    turned.young = 1e4;
    turned.poisson = 0.3;
    return TEST_OK(lyra_mesh_generate(ctx, &shape, &body->mesh)) &&
           (def->corotational
                ? TEST_OK(lyra_corotational_create(ctx, body->mesh, &turned, &body->forces[0]))
                : TEST_OK(lyra_elastic_create(ctx, body->mesh, &law, &body->forces[0]))) &&
           (!def->viscous ||
            TEST_OK(lyra_viscosity_create(ctx, body->mesh, &viscosity, &body->forces[1])));
}

// dampers between vertices and their next: positive semi-definite, and other than M and K
static bool make_damping(LyraContext *ctx, int32_t count, Body *body)
{
    static const double block[9] = {0.03, 0.01, 0, 0.01, 0.05, 0, 0, 0, 0.02};
    int64_t *row_start = malloc(((size_t)count + 1) * sizeof *row_start);
    int32_t *column = malloc((size_t)count * sizeof *column);
    for (int32_t i = 0; i <= count; ++i) {
        row_start[i] = i < count ? i : count - 1;
    }
    for (int32_t i = 0; i + 1 < count; ++i) {
        column[i] = i + 1;
    }
    bool ok = TEST_OK(lyra_block_pattern_create_rows(ctx, count, LYRA_STORAGE_UPPER, row_start,
                                                     column, &body->damping_pattern)) &&
              TEST_OK(lyra_block_matrix_create(body->damping_pattern, &body->damping));
    for (int32_t i = 0; ok && i + 1 < count; ++i) {
        ok = TEST_OK(lyra_block_matrix_add_block(body->damping, i, i, 1, block)) &&
             TEST_OK(lyra_block_matrix_add_block(body->damping, i + 1, i + 1, 1, block)) &&
             TEST_OK(lyra_block_matrix_add_block(body->damping, i, i + 1, -1, block));
    }
    free(row_start);
    free(column);
    return ok;
}

static bool make_body(LyraContext *ctx, const BodyDef *def, Body *body)
{
    *body = (Body){0};
    if (!make_forces(ctx, def, body)) {
        return false;
    }
    LyraMeshView view = lyra_mesh_view(body->mesh);
    vertex_count = view.vertex_count;
    double *masses = malloc((size_t)view.vertex_count * sizeof *masses);
    lyra_mesh_lumped_masses(body->mesh, NULL, masses);
    LyraModelDef model = lyra_model_def_default();
    model.vertex_count = view.vertex_count;
    model.positions = view.positions;
    model.force_count = def->viscous ? 2 : 1;
    model.forces = body->forces;
    model.masses = masses;
    model.mass_damping = def->alpha;
    model.stiffness_damping = def->beta;
    model.damping_exact = true;
    model.load = def->live ? lean : def->loaded ? pull : NULL;
    model.load_user = &vertex_count;
    model.load_moves = def->live;
    model.prescription = def->target ? NULL : shake;
    model.prescription_user = &vertex_count;
    if (def->consistent) {
        TEST_OK(lyra_mass_matrix_create(body->mesh, NULL, true, &body->mass_matrix));
        model.mass_matrix = body->mass_matrix;
    }
    if (def->matrix && make_damping(ctx, view.vertex_count, body)) {
        model.damping = body->damping;
    }
    LyraSolverDef solver = lyra_solver_def_default();
    solver.tolerance = 1e-13;
    bool ok = TEST_OK(lyra_model_create(ctx, &model, &body->model));
    double low = INFINITY;
    for (int32_t i = 0; i < view.vertex_count; ++i) {
        low = fmin(low, view.positions[3 * i]);
    }
    for (int32_t i = 0; ok && !def->free && i < view.vertex_count; ++i) {
        if (view.positions[3 * i] < low + 1e-6) {
            LyraConstraints *constraints = lyra_model_constraints(body->model);
            ok = TEST_OK(lyra_constraints_fix_vertices(constraints, 1, &i));
        }
    }
    ok = ok && (def->dense
                    ? TEST_OK(lyra_system_create_dense(ctx, body->model, &body->system))
                    : TEST_OK(lyra_system_create_sparse(ctx, body->model, &solver, &body->system)));
    ok = ok && TEST_OK(lyra_system_state_create(body->system, &body->state));
    free(masses);
    return ok;
}

static void end_body(Body *body)
{
    lyra_state_destroy(body->state);
    lyra_system_destroy(body->system);
    lyra_model_destroy(body->model);
    lyra_force_destroy(body->forces[0]);
    lyra_force_destroy(body->forces[1]);
    lyra_mass_matrix_destroy(body->mass_matrix);
    lyra_block_matrix_destroy(body->damping);
    lyra_block_pattern_destroy(body->damping_pattern);
    lyra_mesh_destroy(body->mesh);
}

// moves the end of a body to where it is to be after a step of dt
static void set_target(Body *body, double dt)
{
    double x_bar[SIZE / 2] = {0};
    shake(&vertex_count, lyra_state_next_time(body->state, dt), x_bar, NULL, NULL);
    TEST_OK(lyra_constraints_set_values(lyra_model_constraints(body->model), x_bar));
}

// u, v and reactions after 0.1 s; 0 steps: by the tolerance
static void run(LyraContext *ctx, const BodyDef *def, const char *name, int32_t steps, double *out)
{
    Body body;
    LyraIntegrator *it = NULL;
    LyraIntegratorDef settings = lyra_integrator_def_default();
    settings.name = name;
    settings.critical = LYRA_CRITICAL_IGNORE;
    settings.stages = 5;
    settings.relative_tolerance = settings.absolute_tolerance = 1e-11;
    settings.newton.decrement = settings.newton.residual = settings.newton.step = 0;
    if (make_body(ctx, def, &body) &&
        TEST_OK(lyra_integrator_create(ctx, &settings, body.system, &it))) {
        int32_t count = steps > 0 ? steps : 1;
        for (int32_t i = 0; i < count; ++i) {
            if (def->target) {
                set_target(&body, 0.1 / count);
            }
            TEST_OK(lyra_integrator_step(it, body.state, 0.1 / count, NULL));
        }
        LyraStateView view = lyra_state_view(body.state);
        size_t n = (size_t)lyra_vector_size(view.u);
        memcpy(out, lyra_vector_values(view.u), n * sizeof *out);
        memcpy(out + n, lyra_vector_values(view.v), n * sizeof *out);
        LyraVector *reaction = NULL;
        TEST_OK(lyra_vector_create(ctx, (int32_t)n, &reaction));
        TEST_OK(lyra_integrator_reaction(it, body.state, reaction));
        memcpy(out + 2 * n, lyra_vector_values(reaction), n * sizeof *out);
        lyra_vector_destroy(reaction);
    }
    lyra_integrator_destroy(it);
    end_body(&body);
}

static double difference(int32_t n, const double *a, const double *b)
{
    double worst = 0;
    for (int32_t i = 0; i < n; ++i) {
        worst = fmax(worst, fabs(a[i] - b[i]));
    }
    return worst;
}

typedef struct Method {
    const char *name;
    int32_t order, steps;
} Method;

static void check_orders(const BodyDef *def, const Method *methods, int32_t count)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double exact[3 * SIZE / 2], coarse[3 * SIZE / 2], fine[3 * SIZE / 2];
    run(ctx, def, "dopri853", 0, exact);
    for (int32_t m = 0; m < count; ++m) {
        run(ctx, def, methods[m].name, methods[m].steps, coarse);
        run(ctx, def, methods[m].name, 2 * methods[m].steps, fine);
        double a = difference(SIZE, coarse, exact), b = difference(SIZE, fine, exact);
        TEST_CHECK_MSG(fabs(log2(a / b) - methods[m].order) <= 0.1 * test_tolerance_scale(),
                       "%s: errors %.3g and %.3g, slope %.3f, expected %d", methods[m].name, a, b,
                       log2(a / b), methods[m].order);
    }
    test_context_end(ctx);
}

static const Method all_methods[] = {
    {"euler", 1, 3200},
    {"symplectic-euler", 1, 3200},
    {"verlet", 1, 1600},
    {"central-differences", 2, 400},
    {"explicit-implicit-newmark", 2, 400},
    {"explicit-midpoint", 2, 400},
    {"rkc2", 2, 400},
    {"rock2", 2, 400},
    {"rk4", 4, 200},
    {"rk38", 4, 200},
    {"rosenbrock2", 2, 800},
    {"rosenbrock3", 3, 400},
    {"amf-rk32", 3, 400},
    {"rosenbrock4", 4, 200},
    {"backward-euler", 1, 1600},
    {"newmark", 2, 400},
    {"generalized-alpha", 2, 400},
    {"implicit-midpoint", 2, 400},
    {"bdf2", 2, 400},
    {"bdf3", 3, 400},
    {"bdf4", 4, 400},
};
#define METHOD_COUNT ((int32_t)(sizeof all_methods / sizeof all_methods[0]))

// viscosity with its unsymmetric tangent, a damping matrix of the user's, consistent masses, an end
// that is shaken, loads in time
LYRA_TEST(orders_hold_on_a_shaken_viscous_body)
{
    const BodyDef def = {
        .consistent = true, .viscous = true, .loaded = true, .matrix = true, .alpha = 0.5};
    check_orders(&def, all_methods, METHOD_COUNT);
}

// D moves with the body, and its derivative is not in the matrices
LYRA_TEST(orders_hold_with_stiffness_damping)
{
    const BodyDef def = {.consistent = true, .loaded = true, .beta = 0.005, .dense = true};
    check_orders(&def, all_methods, METHOD_COUNT);
}

// ---- constraints moved by their values ----------------------------------------------------------

// The shaken end, told step by step where to be and nothing else: motion and reactions are those of
// the prescription, to the order of the method and of the differences.
LYRA_TEST(targets_without_derivatives_are_followed)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    BodyDef def = {.consistent = true, .loaded = true, .alpha = 0.5};
    double exact[3 * SIZE / 2], x[2][3 * SIZE / 2];
    run(ctx, &def, "dopri853", 0, exact);
    LyraIntegratorFacts facts;
    def.target = true;
    for (int32_t i = 0; lyra_integrator_name(i, &facts) && !facts.constant; ++i) {
        // forces of a body at rest are all that statics knows
        if (facts.order == 0) {
            continue;
        }
        bool low = facts.order == 1 || strcmp(facts.name, "verlet") == 0;
        int32_t order = low               ? 1
                        : facts.order > 3 ? 3
                                          : facts.order,
                steps = low         ? 800
                        : order < 3 ? 200
                                    : 400;
        for (int k = 0; k < 2; ++k) {
            run(ctx, &def, facts.name, steps << k, x[k]);
        }
        for (int part = 0; part < 3; ++part) {
            static const char *const names[] = {"displacements", "velocities", "reactions"};
            int32_t n = SIZE / 2;
            double a = difference(n, x[0] + part * n, exact + part * n);
            double b = difference(n, x[1] + part * n, exact + part * n);
            TEST_CHECK_MSG(log2(a / b) >= order - 0.1 * test_tolerance_scale(),
                           "%s, %s: errors %.3g and %.3g, slope %.3f, expected %d", facts.name,
                           names[part], a, b, log2(a / b), order);
        }
    }
    test_context_end(ctx);
}

// a restart: another integrator, and a state from bytes
static void restart(LyraContext *ctx, const LyraIntegratorDef *settings, Body *body,
                    LyraIntegrator **it)
{
    size_t bytes = lyra_state_packed_size(body->state);
    void *packed = malloc(bytes);
    lyra_state_pack(body->state, packed);
    lyra_state_destroy(body->state);
    lyra_integrator_destroy(*it);
    *it = NULL;
    body->state = NULL;
    TEST_OK(lyra_integrator_create(ctx, settings, body->system, it));
    TEST_OK(lyra_system_state_create(body->system, &body->state));
    TEST_OK(lyra_state_unpack(body->state, packed, bytes));
    free(packed);
}

// a step towards a place far from all that could be followed leaves the state as it was
static void fail_step(Body *body, LyraIntegrator *it, double dt)
{
    double far[SIZE / 2];
    LyraState *before = NULL;
    for (int32_t j = 0; j < SIZE / 2; ++j) {
        far[j] = 1e300;
    }
    TEST_OK(lyra_state_copy(body->state, &before));
    TEST_OK(lyra_constraints_set_values(lyra_model_constraints(body->model), far));
    TEST_CHECK(lyra_integrator_step(it, body->state, dt, NULL) != LYRA_OK);
    TEST_CHECK(lyra_state_equal(before, body->state));
    lyra_state_destroy(before);
}

// Steps of changing length, directions that come and go: the same bits with restarts and failures
// in between, and still near the prescribed motion.
LYRA_TEST(targets_survive_restarts_failures_and_changes)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    BodyDef def = {.consistent = true, .loaded = true, .alpha = 0.5, .target = true};
    LyraIntegratorFacts facts;
    for (int32_t i = 0; lyra_integrator_name(i, &facts) && !facts.constant; ++i) {
        Body body[2];
        LyraIntegrator *it[2] = {NULL, NULL};
        LyraIntegratorDef settings = lyra_integrator_def_default();
        settings.name = facts.name;
        settings.critical = LYRA_CRITICAL_IGNORE;
        settings.stages = 5;
        for (int k = 0; k < 2; ++k) {
            TEST_REQUIRE(make_body(ctx, &def, &body[k]));
            TEST_OK(lyra_integrator_create(ctx, &settings, body[k].system, &it[k]));
        }
        for (int32_t n = 0; n < 24; ++n) {
            double dt = 1e-3 * (n % 5 == 4 ? 0.3 : n == 11 ? 1.7 : 1);
            for (int k = 0; k < 2; ++k) {
                int32_t last = vertex_count - 1, dof = 3 * last + 2;
                LyraConstraints *constraints = lyra_model_constraints(body[k].model);
                if (n == 8) {
                    TEST_OK(lyra_constraints_fix_dofs(constraints, 1, &dof));
                } else if (n == 16) {
                    TEST_OK(lyra_constraints_release_vertices(constraints, 1, &last));
                }
                if (k == 1 && n % 6 == 3) {
                    fail_step(&body[k], it[k], dt);
                    restart(ctx, &settings, &body[k], &it[k]);
                }
                set_target(&body[k], dt);
                TEST_OK(lyra_integrator_step(it[k], body[k].state, dt, NULL));
            }
        }
        TEST_CHECK_MSG(lyra_state_equal(body[0].state, body[1].state), "%s: other bits",
                       facts.name);
        LyraStateView y = lyra_state_view(body[0].state);
        double u[SIZE / 2] = {0}, v[SIZE / 2] = {0};
        shake(&vertex_count, y.time, u, v, NULL);
        for (int k = 1; k < 3; ++k) {
            TEST_NEAR(lyra_vector_values(y.u)[k], u[k], 0);
            // differences of second order are off by a third of h^2 times the third derivative
            double off = facts.order == 0 ? fabs(v[k]) : 4 * 27e3 * 0.01 * k * 1e-6 / 3;
            TEST_NEAR(lyra_vector_values(y.v)[k], v[k], off);
        }
        for (int k = 0; k < 2; ++k) {
            lyra_integrator_destroy(it[k]);
            end_body(&body[k]);
        }
    }
    test_context_end(ctx);
}

// values are added to a motion that the model prescribes
LYRA_TEST(targets_and_prescriptions_are_added)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const BodyDef def = {.loaded = true, .alpha = 0.5};
    LyraIntegratorFacts facts;
    for (int32_t i = 0; lyra_integrator_name(i, &facts) && !facts.constant; ++i) {
        Body body;
        LyraIntegrator *it = NULL;
        LyraIntegratorDef settings = lyra_integrator_def_default();
        settings.name = facts.name;
        settings.critical = LYRA_CRITICAL_IGNORE;
        TEST_REQUIRE(make_body(ctx, &def, &body));
        TEST_OK(lyra_integrator_create(ctx, &settings, body.system, &it));
        // along x, which the prescription leaves at zero, and along z, by t^2
        double x_bar[SIZE / 2] = {0}, dt = 1e-3;
        for (int32_t n = 0; n < 10; ++n) {
            double t = lyra_state_next_time(body.state, dt);
            for (int32_t k = 0; k < SIZE / 2; ++k) {
                x_bar[k] = k % 3 == 1 ? 0 : t * t;
            }
            TEST_OK(lyra_constraints_set_values(lyra_model_constraints(body.model), x_bar));
            TEST_OK(lyra_integrator_step(it, body.state, dt, NULL));
        }
        LyraStateView y = lyra_state_view(body.state);
        double own[3][SIZE / 2] = {{0}}, t = y.time;
        shake(&vertex_count, t, own[0], own[1], own[2]);
        const double more[3] = {t * t, 2 * t, 2};
        const LyraVector *found[3] = {y.u, y.v, y.a};
        for (int d = 0; d < (facts.order == 0 ? 1 : 3); ++d) {
            for (int k = 0; k < 3; ++k) {
                // differences of a parabola lose digits by their steps alone
                TEST_NEAR(lyra_vector_values(found[d])[k], own[d][k] + (k == 1 ? 0 : more[d]),
                          1e-15 * pow(30 / dt, d));
            }
        }
        lyra_integrator_destroy(it);
        end_body(&body);
    }
    test_context_end(ctx);
}

static const Method linearised_methods[] = {
    {"rosenbrock2", 2, 800},
    {"rosenbrock3", 3, 400},
    {"amf-rk32", 3, 400},
    {"rosenbrock4", 4, 200},
};

// matrices that are not the derivatives: half of the viscosity's tangent, frames that do not turn
// with the body, a load that moves with it
LYRA_TEST(orders_hold_with_inexact_tangents)
{
    const BodyDef bodies[] = {
        {.viscous = true, .symmetric = true, .loaded = true, .alpha = 0.5},
        {.corotational = true, .loaded = true, .beta = 0.002},
        {.viscous = true, .live = true},
    };
    for (int32_t i = 0; i < 3; ++i) {
        check_orders(&bodies[i], linearised_methods, 4);
    }
}

LYRA_TEST(sparse_and_dense_systems_move_alike)
{
    static const char *const names[] = {"central-differences", "rk4", "rosenbrock4", "rkc2",
                                        "dopri5"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
        BodyDef def = {.consistent = true, .viscous = true, .loaded = true, .beta = 0.003};
        double sparse[3 * SIZE / 2], dense[3 * SIZE / 2];
        run(ctx, &def, names[k], 100, sparse);
        def.dense = true;
        run(ctx, &def, names[k], 100, dense);
        double error = difference(SIZE, sparse, dense);
        TEST_CHECK_MSG(error <= 1e-10, "%s: sparse and dense differ by %.3g", names[k], error);
    }
    test_context_end(ctx);
}

// ---- a free body --------------------------------------------------------------------------------

// linear and angular momentum, and the size of their terms
static void momentum(const Body *body, double p[6], double *size)
{
    LyraModelView model = lyra_model_view(body->model);
    LyraStateView view = lyra_state_view(body->state);
    const double *u = lyra_vector_values(view.u), *v = lyra_vector_values(view.v);
    memset(p, 0, 6 * sizeof *p);
    *size = 0;
    for (int32_t i = 0; i < model.vertex_count; ++i) {
        double x[3], m = model.masses[i];
        for (int k = 0; k < 3; ++k) {
            x[k] = model.positions[3 * i + k] + u[3 * i + k];
            p[k] += m * v[3 * i + k];
        }
        for (int k = 0; k < 3; ++k) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            p[3 + k] += m * (x[a] * v[3 * i + b] - x[b] * v[3 * i + a]);
            *size += fabs(m * x[a] * v[3 * i + b]) + fabs(m * v[3 * i + k]);
        }
    }
}

// a body that spins, flies and wobbles, 1000 steps
LYRA_TEST(a_free_body_keeps_its_momentum)
{
    static const char *const names[] = {"symplectic-euler", "verlet"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (size_t k = 0; k < 2; ++k) {
        const BodyDef def = {.free = true, .cells = {4, 2, 2}};
        Body body;
        LyraIntegratorDef settings = lyra_integrator_def_default();
        LyraIntegrator *it = NULL;
        settings.name = names[k];
        if (make_body(ctx, &def, &body) &&
            TEST_OK(lyra_integrator_create(ctx, &settings, body.system, &it))) {
            const double *X = lyra_model_view(body.model).positions;
            double *v = lyra_vector_values_mutable(lyra_state_view(body.state).v);
            for (int32_t i = 0; i < vertex_count; ++i) {
                v[3 * i] = 0.3 - 6 * X[3 * i + 1] + 3 * X[3 * i];
                v[3 * i + 1] = 6 * X[3 * i] - 2 * X[3 * i + 2] + 0.1;
                v[3 * i + 2] = 2 * X[3 * i + 1] + 0.5 * X[3 * i];
            }
            double before[6], after[6], size, energy[2] = {0, 0}, least = INFINITY;
            momentum(&body, before, &size);
            LyraStepReport report;
            for (int i = 0; i < 1000; ++i) {
                TEST_OK(lyra_integrator_step(it, body.state, 1e-3, &report));
                double sum = report.kinetic + report.elastic;
                energy[i >= 500] = fmax(energy[i >= 500], sum);
                least = fmin(least, sum);
            }
            momentum(&body, after, &size);
            TEST_CHECK_MSG(difference(6, before, after) <= 1e-12 * size,
                           "%s: momentum off by %.3g of %.3g", names[k],
                           difference(6, before, after), size);
            // a step of a tenth of the critical one: bounded, and of the order of the method
            TEST_CHECK_MSG(energy[1] < energy[0] * 1.01 &&
                               energy[0] - least < (k == 0 ? 0.1 : 0.01) * energy[0],
                           "%s: energies up to %.6g, then %.6g, least %.6g", names[k], energy[0],
                           energy[1], least);
        }
        lyra_integrator_destroy(it);
        end_body(&body);
    }
    test_context_end(ctx);
}

// ---- history ------------------------------------------------------------------------------------

// one spring of Maxwell's kind along x, held at its first vertex
typedef struct Maxwell {
    LyraSprings *springs;
    LyraForce *force;
    LyraModel *model;
    LyraSystem *system;
    LyraState *state;
    LyraIntegrator *it;
} Maxwell;

#define MAXWELL_K 20.0   // N/m
#define MAXWELL_K1 100.0 // N/m
#define MAXWELL_TAU 0.05 // s

static bool make_maxwell(LyraContext *ctx, const LyraIntegratorDef *settings, LyraLoad *load,
                         Maxwell *out)
{
    const int32_t pair[2] = {0, 1}, held = 0;
    const double X[6] = {0, 0, 0, 1, 0, 0}, masses[2] = {1, 1};
    Maxwell m = {0};
    LyraSpringsDef list = lyra_springs_def_default();
    list.vertex_count = 2;
    list.spring_count = 1;
    list.vertices = pair;
    list.positions = X;
    LyraMaxwellSpringDef law = lyra_maxwell_spring_def_default();
    law.stiffness = MAXWELL_K;
    law.branch_stiffness = MAXWELL_K1;
    law.relaxation_time = MAXWELL_TAU;
    LyraModelDef def = lyra_model_def_default();
    def.vertex_count = 2;
    def.positions = X;
    def.masses = masses;
    def.force_count = 1;
    def.forces = &m.force;
    def.load = load;
    def.load_moves = false;
    bool ok = TEST_OK(lyra_springs_create(ctx, &list, &m.springs)) &&
              TEST_OK(lyra_maxwell_spring_create(ctx, m.springs, &law, &m.force)) &&
              TEST_OK(lyra_model_create(ctx, &def, &m.model)) &&
              TEST_OK(lyra_constraints_fix_vertices(lyra_model_constraints(m.model), 1, &held)) &&
              TEST_OK(lyra_system_create_dense(ctx, m.model, &m.system)) &&
              TEST_OK(lyra_system_state_create(m.system, &m.state)) &&
              TEST_OK(lyra_integrator_create(ctx, settings, m.system, &m.it));
    if (ok) {
        lyra_vector_values_mutable(lyra_state_view(m.state).v)[3] = 0.5;
    }
    *out = m;
    return ok;
}

static void end_maxwell(Maxwell *m)
{
    lyra_integrator_destroy(m->it);
    lyra_state_destroy(m->state);
    lyra_system_destroy(m->system);
    lyra_model_destroy(m->model);
    lyra_force_destroy(m->force);
    lyra_springs_destroy(m->springs);
}

// the force relaxes with time, step by step the same for any method
LYRA_TEST(history_is_committed_once_per_step)
{
    static const char *const names[] = {
        "symplectic-euler",   "verlet", "rk4", "dopri5", "rkc2", "rosenbrock4",
        "central-differences"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double found[7] = {0};
    for (size_t k = 0; k < 7; ++k) {
        LyraIntegratorDef settings = lyra_integrator_def_default();
        settings.name = names[k];
        settings.stages = 3;
        settings.critical = LYRA_CRITICAL_IGNORE;
        Maxwell m;
        if (make_maxwell(ctx, &settings, NULL, &m)) {
            for (int i = 0; i < 2000; ++i) {
                TEST_OK(lyra_integrator_step(m.it, m.state, 1e-4, NULL));
            }
            found[k] = lyra_vector_values(lyra_state_view(m.state).u)[3];
        }
        end_maxwell(&m);
    }
    for (size_t k = 0; k < 7; ++k) {
        TEST_CHECK_MSG(fabs(found[k] - found[2]) <= 2e-5, "%s: %.9g, rk4 %.9g", names[k], found[k],
                       found[2]);
    }
    test_context_end(ctx);
}

// a load that is worth as much as the spring, and turns quickly
static double swing(double t)
{
    return 8 * cos(60 * t);
}

static void load_swing(void *user, double t, const double *u, const double *v, double *f)
{
    (void)user, (void)u, (void)v;
    f[3] += swing(t);
}

// x' = v, v' = f(t) - k x - q, q' = k1 v - q/tau by the classical Runge-Kutta method
static double swing_exactly(double end)
{
    const int32_t steps = 20000;
    double y[3] = {0, 0.5, 0}, h = end / steps;
    for (int32_t s = 0; s < steps; ++s) {
        static const double c[4] = {0, 0.5, 0.5, 1}, b[4] = {1, 2, 2, 1};
        double slope[3] = {0, 0, 0}, sum[3] = {0, 0, 0};
        for (int32_t i = 0; i < 4; ++i) {
            double x = y[0] + c[i] * h * slope[0], v = y[1] + c[i] * h * slope[1];
            double q = y[2] + c[i] * h * slope[2];
            slope[0] = v;
            slope[1] = swing(h * (s + c[i])) - MAXWELL_K * x - q;
            slope[2] = MAXWELL_K1 * v - q / MAXWELL_TAU;
            for (int32_t j = 0; j < 3; ++j) {
                sum[j] += b[i] * slope[j] / 6;
            }
        }
        for (int32_t j = 0; j < 3; ++j) {
            y[j] += h * sum[j];
        }
    }
    return y[0];
}

// Methods with error control fill a step with their own: each takes the load of its own time and
// the history of the one before. The history runs along straight paths, so the error falls with the
// square of the number of substeps, 0.1 m of it, for both methods; a wrong force at the begin of
// substeps leaves more, or makes the control take many more of them.
LYRA_TEST(substeps_follow_history_and_loads)
{
    static const char *const names[] = {"dopri5", "dopri853"};
    static const int32_t most[] = {150, 60}; // measured: 126 and 38
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double exact = swing_exactly(0.4);
    for (size_t k = 0; k < 2; ++k) {
        LyraIntegratorDef settings = lyra_integrator_def_default();
        settings.name = names[k];
        settings.relative_tolerance = settings.absolute_tolerance = 1e-10;
        Maxwell m;
        if (make_maxwell(ctx, &settings, load_swing, &m)) {
            LyraStepReport report;
            TEST_OK(lyra_integrator_step(m.it, m.state, 0.4, &report));
            double found = lyra_vector_values(lyra_state_view(m.state).u)[3];
            printf("%s: %.9f, exactly %.9f, %d substeps, %d rejected\n", names[k], found, exact,
                   (int)report.substeps, (int)report.rejected);
            double scaled = fabs(found - exact) * report.substeps * report.substeps;
            TEST_CHECK_MSG(scaled <= 0.12, "%s: off by %.3g m", names[k], found - exact);
            TEST_CHECK(report.substeps <= most[k] && report.rejected <= 10);
        }
        end_maxwell(&m);
    }
    test_context_end(ctx);
}
