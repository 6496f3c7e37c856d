// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Laws, forces, integrators and solvers of a program's own, named in scenes and in settings: twins
// of ours move as ours do, methods have the order they should, and what is wrong is refused.

#include "lyra/registry.h"
#include "lyra/scene.h"
#include "lyra_test.h"
#include "scene_yaml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- scenes -------------------------------------------------------------------------------------

static LyraStatus load(LyraContext *ctx, const char *text, LyraWorld **out)
{
    *out = NULL;
    return lyra_world_load_memory(ctx, text, strlen(text), NULL, NULL, out, NULL);
}

#define BODY(element, material)                                                                    \
    "bodies:\n"                                                                                    \
    "  - name: beam\n"                                                                             \
    "    generate: {size: [0.5, 0.1, 0.1], cells: [5, 1, 1], element: " element "}\n"              \
    "    material: " material "\n"                                                                 \
    "gravity: [0, -9.81, 0]\n"                                                                     \
    "constraints:\n"                                                                               \
    "  - {select: {half-space: {point: [-0.249, 0, 0], normal: [-1, 0, 0]}},\n"                    \
    "     displacement: [0, 0, 0.01*sin(20*t)]}\n"

static void run(LyraWorld *world, int steps)
{
    for (int s = 0; s < steps; ++s) {
        TEST_OK(lyra_world_step(world, NULL));
    }
}

// largest difference of displacements over the largest displacement
static double difference(const LyraWorld *a, const LyraWorld *b)
{
    LyraVector *u = lyra_state_view(lyra_world_view(a).state).u;
    LyraVector *w = lyra_state_view(lyra_world_view(b).state).u;
    double most = 0, size = lyra_vector_largest(u);
    const double *x = lyra_vector_values(u), *y = lyra_vector_values(w);
    for (int32_t i = 0; i < lyra_vector_size(u); ++i) {
        most = fmax(most, fabs(x[i] - y[i]));
    }
    return most / size;
}

static void check_message(LyraStatus status, const char *part)
{
    TEST_CHECK(status != LYRA_OK);
    TEST_CHECK_MSG(strstr(lyra_error_message(), part) != NULL, "\"%s\" is not in: %s", part,
                   lyra_error_message());
}

static void check_scene_fails(LyraContext *ctx, const char *scene, const char *part)
{
    LyraWorld *world = NULL;
    check_message(load(ctx, scene, &world), part);
    TEST_CHECK(world == NULL);
    lyra_world_destroy(world);
}

// ---- laws ---------------------------------------------------------------------------------------

static LyraMaterialType twin(LyraContext *ctx, LyraMaterialLaw law, const char *name)
{
    LyraMaterialType type = *lyra_material_type(law, lyra_context_isa(ctx));
    type.name = name;
    return type;
}

static void compare_laws(LyraContext *ctx, const char *own_scene, const char *scene, bool same_bits)
{
    LyraWorld *own = NULL, *ours = NULL;
    TEST_REQUIRE_OK(load(ctx, own_scene, &own));
    TEST_REQUIRE_OK(load(ctx, scene, &ours));
    for (int turn = 0; turn < 2; ++turn) {
        run(own, 5);
        run(ours, 5);
        double off = difference(own, ours);
        TEST_CHECK_MSG(same_bits ? off == 0 : off < 1e-9, "they differ by %g", off);
        // moduli are turned alike
        TEST_OK(lyra_world_set(own, "bodies.beam.material.young", 3e5));
        TEST_OK(lyra_world_set(ours, "bodies.beam.material.young", 3e5));
    }
    lyra_world_destroy(own);
    lyra_world_destroy(ours);
}

LYRA_TEST(laws_move_as_their_twins)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMaterialType stvk = twin(ctx, LYRA_MATERIAL_STVK, "own-stvk");
    LyraMaterialType stable = twin(ctx, LYRA_MATERIAL_STABLE_NEO_HOOKEAN, "own-stable");
    TEST_OK(lyra_register_law(ctx, &stvk, NULL));
    TEST_OK(lyra_register_law(ctx, &stable, NULL));
    // tets of stvk have a kernel of their own
    compare_laws(ctx, BODY("tet", "{model: own-stvk, young: 200 kPa, poisson: 0.3}"),
                 BODY("tet", "{model: stvk, young: 200 kPa, poisson: 0.3}"), false);
    compare_laws(ctx, BODY("tet", "{model: own-stable, young: 200 kPa}"),
                 BODY("tet", "{model: stable-neo-hookean, young: 200 kPa}"), true);
    compare_laws(ctx, BODY("cube", "{model: own-stable, young: 200 kPa, poisson: 0.3}"),
                 BODY("cube", "{model: stable-neo-hookean, young: 200 kPa, poisson: 0.3}"), true);
    test_context_end(ctx);
}

LYRA_TEST(laws_without_moduli_take_their_parameters_by_name)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMaterialType law = twin(ctx, LYRA_MATERIAL_STABLE_NEO_HOOKEAN, "plain");
    law.from_enu = NULL;
    TEST_OK(lyra_register_law(ctx, &law, NULL));
    check_scene_fails(ctx, BODY("tet", "{model: plain, parameters: {mu: 1e5}}"),
                      "law plain needs all its parameters by name");
    LyraWorld *own = NULL, *ours = NULL;
    LyraWorldParameter young;
    TEST_REQUIRE_OK(
        load(ctx,
             BODY("tet", "{model: plain, parameters: {lambda: 3e5, mu: 1e5}}") "changes: "
                                                                               "[{parameter: mu, "
                                                                               "factor: 1+t}]\n",
             &own));
    TEST_REQUIRE_OK(load(ctx,
                         BODY("tet", "{model: stable-neo-hookean, parameters: {lambda: 3e5, mu: "
                                     "1e5}}") "chang"
                                              "es: [{parameter: mu, factor: 1+t}]\n",
                         &ours));
    run(own, 5);
    run(ours, 5);
    TEST_CHECK(difference(own, ours) == 0);
    // there is no modulus to turn or to change
    check_message(lyra_world_get(own, "bodies.beam.material.young", &young), "no parameter");
    check_scene_fails(
        ctx,
        BODY("tet", "{model: plain, parameters: {lambda: 3e5, mu: 1e5}}") "changes: "
                                                                          "[{factor: 1+t}]\n",
        "whose law plain has no moduli");
    lyra_world_destroy(own);
    lyra_world_destroy(ours);
    test_context_end(ctx);
}

// ---- integrators --------------------------------------------------------------------------------

// Heun's method
typedef struct Heun {
    LyraVector *u, *v, *a;
} Heun;

static void heun_destroy(void *self)
{
    Heun *heun = self;
    lyra_vector_destroy(heun->u);
    lyra_vector_destroy(heun->v);
    lyra_vector_destroy(heun->a);
    free(heun);
}

static LyraStatus heun_create(LyraContext *ctx, const LyraIntegratorDef *def, LyraSystem *system,
                              void **self)
{
    (void)ctx, (void)def;
    Heun *heun = *self = calloc(1, sizeof *heun);
    LyraStatus status = heun ? LYRA_OK : LYRA_OUT_OF_MEMORY;
    for (int i = 0; i < 3 && status == LYRA_OK; ++i) {
        LyraVector **to[3] = {&heun->u, &heun->v, &heun->a};
        status = lyra_system_vector_create(system, lyra_system_size(system), to[i]);
    }
    return status;
}

static LyraStatus heun_step(void *self, LyraIntegrator *driver, LyraState *trial, double dt,
                            LyraStepReport *report)
{
    Heun *heun = self;
    LyraStateView y = lyra_state_view(trial);
    LyraStatus status = lyra_integrator_acceleration(driver, trial, y.time, y.u, y.v, y.a);
    if (status != LYRA_OK) {
        return status;
    }
    lyra_vector_sum(dt, y.v, y.u, heun->u);
    lyra_vector_sum(dt, y.a, y.v, heun->v);
    status = lyra_integrator_acceleration(driver, trial, y.time + dt, heun->u, heun->v, heun->a);
    if (status != LYRA_OK) {
        return status;
    }
    TEST_CHECK(report->evaluations >= 2);
    lyra_vector_sum(dt / 2, y.v, y.u, y.u);
    lyra_vector_sum(dt / 2, heun->v, y.u, y.u);
    lyra_vector_sum(dt / 2, y.a, y.v, y.v);
    lyra_vector_sum(dt / 2, heun->a, y.v, y.v);
    lyra_vector_copy(heun->a, y.a);
    return LYRA_OK;
}

static const LyraIntegratorType heun_type = {.facts = {.name = "heun", .order = 2},
                                             .create = heun_create,
                                             .step = heun_step,
                                             .destroy = heun_destroy};

LYRA_TEST(integrators_have_their_order)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TEST_OK(lyra_register_integrator(ctx, &heun_type));
    LyraWorld *exact = NULL;
    TEST_REQUIRE_OK(
        load(ctx,
             BODY("tet", "{young: 50 kPa, poisson: 0.3}") "damping: {mass: 1}\n"
                                                          "integrator: {name: rk4}\ntime: {dt: 2 "
                                                          "ms, substeps: 32}\n",
             &exact));
    run(exact, 20);
    double errors[3];
    for (int i = 0; i < 3; ++i) {
        char scene[1200];
        LyraWorld *world = NULL;
        snprintf(scene, sizeof scene,
                 BODY("tet", "{young: 50 kPa, poisson: 0.3}") "damping: {mass: 1}\n"
                                                              "integrator: {name: heun}\ntime: "
                                                              "{dt: 2 ms, substeps: %d}\n",
                 4 << i);
        TEST_REQUIRE_OK(load(ctx, scene, &world));
        TEST_STRING(lyra_world_integrator(world), "heun");
        run(world, 20);
        errors[i] = difference(exact, world);
        // what is held ends where it is held, without the method's doing
        const double *rest = lyra_mesh_view(lyra_world_view(world).bodies[0].mesh).positions;
        int32_t count = 0, held = 0;
        const double *x = lyra_world_positions(world, 0, &count);
        for (int32_t v = 0; v < count; ++v) {
            if (rest[3 * v] < -0.249) {
                ++held;
                TEST_NEAR(x[3 * v + 2] - rest[3 * v + 2], 0.01 * sin(20 * 0.04), 1e-15);
            }
        }
        TEST_EQUAL(held, 4);
        lyra_world_destroy(world);
    }
    for (int i = 0; i < 2; ++i) {
        double order = log2(errors[i] / errors[i + 1]);
        TEST_CHECK_MSG(order > 1.8 && order < 2.3, "order %g of errors %g, %g", order, errors[i],
                       errors[i + 1]);
    }
    lyra_world_destroy(exact);
    test_context_end(ctx);
}

// the midpoint velocity and the force at the start: explicit, but it says that it is implicit and
// does not converge in long steps
static LyraStatus shy_step(void *self, LyraIntegrator *driver, LyraState *trial, double dt,
                           LyraStepReport *report)
{
    (void)self;
    LyraStateView y = lyra_state_view(trial);
    lyra_integrator_hold(driver, y.time, y.u, y.v);
    if (dt > 0.6e-3) {
        report->outcome = LYRA_STEP_NOT_CONVERGED;
        lyra_vector_fill(y.u, NAN);
        return LYRA_NOT_CONVERGED;
    }
    LyraStatus status = lyra_integrator_acceleration(driver, trial, y.time, y.u, y.v, y.a);
    lyra_vector_sum(dt, y.a, y.v, y.v);
    lyra_vector_sum(dt, y.v, y.u, y.u);
    return status;
}

static const LyraIntegratorType shy_type = {
    .facts = {.name = "shy", .order = 1, .is_implicit = true}, .step = shy_step};

LYRA_TEST(steps_of_implicit_methods_are_halved)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TEST_OK(lyra_register_integrator(ctx, &shy_type));
    LyraWorld *world = NULL;
    LyraStepReport report;
    TEST_REQUIRE_OK(load(ctx,
                         BODY("tet", "{young: 50 kPa}") "integrator: {name: shy}\n"
                                                        "time: {dt: 2 ms}\n",
                         &world));
    TEST_OK(lyra_world_step(world, &report));
    TEST_EQUAL(report.substeps, 4);
    TEST_CHECK(report.rejected >= 2);
    TEST_CHECK(report.kinetic > 0);
    // without halvings the step fails, and nothing has changed
    LyraState *before = NULL;
    TEST_OK(lyra_world_set(world, "time.dt", 1));
    TEST_OK(lyra_state_copy(lyra_world_view(world).state, &before));
    TEST_STATUS(lyra_world_step(world, &report), LYRA_NOT_CONVERGED);
    TEST_EQUAL(report.outcome, LYRA_STEP_NOT_CONVERGED);
    TEST_CHECK(lyra_state_equal(before, lyra_world_view(world).state));
    lyra_state_destroy(before);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// ---- solvers ------------------------------------------------------------------------------------

// Gaussian elimination with the largest pivot of each column
typedef struct Gauss {
    int32_t n;
    double *A;
    int32_t *pivots;
} Gauss;

static LyraStatus gauss_create(LyraContext *ctx, const LyraSolverDef *def, void **self)
{
    (void)ctx, (void)def;
    return (*self = calloc(1, sizeof(Gauss))) ? LYRA_OK : LYRA_OUT_OF_MEMORY;
}

static void gauss_destroy(void *self)
{
    Gauss *g = self;
    free(g->A);
    free(g->pivots);
    free(g);
}

static LyraStatus gauss_analyze(void *self, const LyraOperator *A,
                                const LyraConstraints *constraints)
{
    (void)constraints;
    Gauss *g = self;
    size_t n = (size_t)(g->n = A->size);
    free(g->A);
    free(g->pivots);
    g->A = calloc(n * n + n, sizeof *g->A);
    g->pivots = calloc(n, sizeof *g->pivots);
    return g->A && g->pivots ? LYRA_OK : LYRA_OUT_OF_MEMORY;
}

static void swap_rows(double *M, int64_t n, int64_t p, int64_t k)
{
    for (int64_t j = 0; j < n; ++j) {
        double held = M[n * j + k];
        M[n * j + k] = M[n * j + p];
        M[n * j + p] = held;
    }
}

static LyraStatus gauss_factor(void *self, const LyraOperator *A, LyraSolveReport *report)
{
    Gauss *g = self;
    int64_t n = g->n;
    double *M = g->A, *unit = M + n * n;
    for (int64_t j = 0; j < n; ++j) {
        unit[j] = 1;
        lyra_operator_apply(A, unit, M + n * j);
        unit[j] = 0;
    }
    for (int64_t k = 0; k < n; ++k) {
        int64_t p = k;
        for (int64_t i = k; i < n; ++i) {
            p = fabs(M[n * k + i]) > fabs(M[n * k + p]) ? i : p;
        }
        if (M[n * k + p] == 0) {
            return LYRA_SINGULAR;
        }
        g->pivots[k] = (int32_t)p;
        swap_rows(M, n, p, k);
        for (int64_t i = k + 1; i < n; ++i) {
            M[n * k + i] /= M[n * k + k];
        }
        for (int64_t j = k + 1; j < n; ++j) {
            for (int64_t i = k + 1; i < n; ++i) {
                M[n * j + i] -= M[n * k + i] * M[n * j + k];
            }
        }
    }
    report->factor_entries = n * n;
    return LYRA_OK;
}

static LyraStatus gauss_solve(void *self, int32_t columns, const double *B, bool warm, double *X,
                              LyraSolveReport *report)
{
    (void)warm, (void)report;
    Gauss *g = self;
    int64_t n = g->n;
    memcpy(X, B, sizeof *X * (size_t)(n * columns));
    for (double *x = X; x < X + n * columns; x += n) {
        for (int64_t k = 0; k < n; ++k) {
            double pivot = x[g->pivots[k]];
            x[g->pivots[k]] = x[k];
            x[k] = pivot;
        }
        for (int64_t k = 0; k < n; ++k) {
            for (int64_t i = k + 1; i < n; ++i) {
                x[i] -= g->A[n * k + i] * x[k];
            }
        }
        for (int64_t k = n - 1; k >= 0; --k) {
            x[k] /= g->A[n * k + k];
            for (int64_t i = 0; i < k; ++i) {
                x[i] -= g->A[n * k + i] * x[k];
            }
        }
    }
    return LYRA_OK;
}

static int64_t gauss_bytes(const void *self)
{
    return (int64_t)sizeof(double) * ((const Gauss *)self)->n * ((const Gauss *)self)->n;
}

static const LyraSolverType gauss_type = {
    .name = "gauss",
    .traits =
        LYRA_SOLVES_BLOCK | LYRA_SOLVES_UNSYMMETRIC | LYRA_SOLVES_INDEFINITE | LYRA_SOLVES_DIRECTLY,
    .create = gauss_create,
    .analyze = gauss_analyze,
    .factor = gauss_factor,
    .solve = gauss_solve,
    .bytes = gauss_bytes,
    .destroy = gauss_destroy,
};

LYRA_TEST(solvers_solve)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TEST_OK(lyra_register_solver(ctx, &gauss_type));
    LyraWorld *own = NULL, *ours = NULL;
    LyraStepReport report;
    // a pressure that makes the matrix unsymmetric, which the solver takes as a whole
    static const char pressure[] = "loads: [{type: pressure, select: {normal: {direction: [1, 0, "
                                   "0]}}, pressure: 10 kPa}]\n";
    char scenes[2][1200];
    snprintf(scenes[0], sizeof scenes[0], "%s%ssolver: {name: gauss}\n",
             BODY("tet", "{young: 200 kPa}"), pressure);
    snprintf(scenes[1], sizeof scenes[1], "%s%ssolver: {name: dense}\n",
             BODY("tet", "{young: 200 kPa}"), pressure);
    TEST_REQUIRE_OK(load(ctx, scenes[0], &own));
    TEST_REQUIRE_OK(load(ctx, scenes[1], &ours));
    TEST_STRING(lyra_world_solver(own), "gauss");
    TEST_OK(lyra_world_step(own, &report));
    TEST_STRING(report.solver, "gauss");
    run(own, 4);
    run(ours, 5);
    TEST_CHECK_MSG(difference(own, ours) < 1e-9, "they differ by %g", difference(own, ours));
    // names that are registered can be chosen while a world runs
    TEST_OK(lyra_register_integrator(ctx, &shy_type));
    TEST_OK(lyra_world_set_solver(ours, "gauss"));
    TEST_OK(lyra_world_step(ours, &report));
    TEST_STRING(report.solver, "gauss");
    TEST_OK(lyra_world_set_integrator(ours, "shy"));
    TEST_OK(lyra_world_step(ours, &report));
    TEST_STRING(lyra_world_integrator(ours), "shy");
    check_message(lyra_world_set_solver(ours, "gaus"), "registered: gauss");
    check_message(lyra_world_set_integrator(ours, "shi"), "shy");
    lyra_world_destroy(own);
    lyra_world_destroy(ours);
    test_context_end(ctx);
}

// ---- forces -------------------------------------------------------------------------------------

enum { STIFFNESS, DRAG, WIDTH = LYRA_BATCH_WIDTH };

// k/2 |u|^2 of each vertex
static void bed_evaluate(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)self, (void)scratch;
    for (int e = 0; e < WIDTH; ++e) {
        double k = batch->parameters[STIFFNESS * WIDTH + e], sum = 0;
        for (int i = 0; i < 3; ++i) {
            double u = batch->u[i * WIDTH + e];
            sum += u * u;
            if (batch->gradient) {
                batch->gradient[i * WIDTH + e] = k * u;
            }
            for (int j = 0; batch->dfdx && j < 3; ++j) {
                batch->dfdx[(3 * i + j) * WIDTH + e] = i == j ? k : 0;
            }
        }
        if (batch->energy) {
            batch->energy[e] = k / 2 * sum;
        }
    }
}

static const char *const bed_names[] = {"stiffness"};
static const LyraForceType bed_type = {
    .name = "bed",
    .nodes = 1,
    .traits = LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_SYMMETRIC | LYRA_FORCE_DISPLACEMENT,
    .parameter_count = 1,
    .parameter_names = bed_names,
    .evaluate = bed_evaluate,
};

typedef struct Seen {
    int32_t calls, vertices;
    double factor;
    bool outside; // makes a stencil that is none of the body's
} Seen;

static LyraStatus bed_create(void *user, const LyraForceInput *input, LyraForce **out)
{
    Seen *seen = user;
    double *stiffness = calloc((size_t)input->vertex_count, sizeof *stiffness);
    int32_t *vertices = calloc((size_t)input->vertex_count, sizeof *vertices);
    ++seen->calls;
    seen->vertices += input->vertex_count;
    seen->factor = input->numbers[1];
    for (int32_t v = 0; stiffness && vertices && v < input->vertex_count; ++v) {
        stiffness[v] = input->numbers[0] * input->numbers[1];
        vertices[v] = input->vertices[v];
    }
    LyraForceDef def = lyra_force_def_default();
    if (seen->outside) {
        vertices[0] = input->body->vertex_count;
    }
    def.type = &bed_type;
    def.stencil_count = input->vertex_count;
    def.stencils = vertices;
    def.parameters = stiffness;
    LyraStatus status =
        stiffness && vertices ? lyra_force_create(input->ctx, &def, out) : LYRA_OUT_OF_MEMORY;
    free(stiffness);
    free(vertices);
    return status;
}

static const LyraForceNumber bed_numbers[] = {{"stiffness", LYRA_PARAMETER_NOT_NEGATIVE, false, 0},
                                              {"factor", LYRA_PARAMETER_POSITIVE, true, 2}};

static LyraForceMaker bed_maker(Seen *seen)
{
    return (LyraForceMaker){.name = "bed",
                            .number_count = 2,
                            .numbers = bed_numbers,
                            .create = bed_create,
                            .user = seen};
}

// two boxes that fall onto beds
#define BOXES                                                                                      \
    "bodies:\n"                                                                                    \
    "  - {name: one, generate: {size: [1, 1, 1], cells: [1, 1, 1]}, material: {young: 1 GPa}}\n"   \
    "  - {name: two, generate: {size: [1, 1, 1], cells: [1, 1, 1]}, material: {young: 1 GPa}}\n"   \
    "gravity: [0, -10, 0]\n"                                                                       \
    "integrator: {name: static}\n"

LYRA_TEST(forces_act_on_what_is_selected)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Seen seen = {0};
    LyraForceMaker maker = bed_maker(&seen);
    TEST_OK(lyra_register_force(ctx, &maker));
    LyraWorld *world = NULL;
    TEST_REQUIRE_OK(load(ctx,
                         BOXES "forces:\n"
                               "  - {type: bed, parameters: {stiffness: 12500}}\n"
                               "  - {type: bed, body: two, select: {half-space: {point: [0, -0.4, "
                               "0], normal: [0, -1, 0]}}, parameters: {stiffness: 25 * 1000, "
                               "factor: 1}}\n",
                         &world));
    TEST_EQUAL(seen.calls, 3);
    TEST_EQUAL(seen.vertices, 8 + 8 + 4);
    TEST_CHECK(seen.factor == 1);
    TEST_OK(lyra_world_step(world, NULL));
    // 1000 kg on 8 springs of 25 kN/m each sink by 5 cm; the other has the half as much again
    int32_t count = 0;
    for (int32_t b = 0; b < 2; ++b) {
        const double *x = lyra_world_positions(world, b, &count);
        double sink = 0;
        for (int32_t v = 0; v < count; ++v) {
            sink -= x[3 * v + 1] / count;
        }
        TEST_NEAR(sink, b == 0 ? 0.05 : 10000.0 / 300000, 1e-4);
    }
    // groups belong to the bodies, and parameters have names
    const LyraModel *model = lyra_world_view(world).model;
    TEST_CHECK(lyra_model_find_group(model, "one.bed") >= 0);
    TEST_CHECK(lyra_model_find_group(model, "two.bed") >= 0);
    lyra_world_destroy(world);

    // and change with time
    TEST_REQUIRE_OK(load(ctx,
                         BOXES "forces: [{type: bed, parameters: {stiffness: 12500}}]\n"
                               "changes: [{body: one, parameter: stiffness, factor: 2}]\n",
                         &world));
    TEST_OK(lyra_world_step(world, NULL));
    for (int32_t b = 0; b < 2; ++b) {
        const double *x = lyra_world_positions(world, b, &count);
        TEST_NEAR(x[1] + 0.5, b == 0 ? -0.025 : -0.05, 1e-4);
    }
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(forces_that_are_wrong_are_refused)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Seen seen = {0};
    LyraForceMaker maker = bed_maker(&seen);
    check_scene_fails(ctx, BOXES "forces: [{type: bed}]\n",
                      "expected one that is registered, and none is");
    TEST_OK(lyra_register_force(ctx, &maker));
    check_scene_fails(ctx, BOXES "forces: [{type: bet}]\n", "expected \"bed\" perhaps");
    check_scene_fails(ctx, BOXES "forces: [{type: bed}]\n",
                      "found no \"stiffness\", which force bed needs");
    check_scene_fails(ctx, BOXES "forces: [{type: bed, parameters: {stiffness: -1}}]\n",
                      "found -1 for stiffness, expected 0 or more");
    check_scene_fails(ctx, BOXES "forces: [{type: bed, parameters: {softness: 1}}]\n",
                      "found \"softness\" for force bed, expected one of: stiffness, factor");
    check_scene_fails(ctx, BOXES "forces: [{type: bed, body: six, parameters: {stiffness: 1}}]\n",
                      "six");
    check_scene_fails(ctx,
                      BOXES "forces: [{type: bed, select: {near: {point: [9, 9, 9], distance: 1}},"
                            " parameters: {stiffness: 1}}]\n",
                      "found no vertices in the selection");
    TEST_EQUAL(seen.calls, 0);
    seen.outside = true;
    check_scene_fails(ctx, BOXES "forces: [{type: bed, parameters: {stiffness: 1}}]\n",
                      "force bed made a stencil with vertex 8 of body \"one\", expected 0 to 7");
    // the place in the file is that of the key
    check_scene_fails(ctx, BOXES "forces:\n  - type: bed\n    parameters: {softness: 1}\n", ":8:");
    test_context_end(ctx);
}

// ---- registering --------------------------------------------------------------------------------

LYRA_TEST(what_is_taken_or_lacks_something_is_not_registered)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Seen seen = {0};
    LyraForceMaker maker = bed_maker(&seen);
    LyraMaterialType law = twin(ctx, LYRA_MATERIAL_STVK, "stvk");
    LyraSolverType solver = gauss_type;
    LyraIntegratorType integrator = heun_type;
    LyraForceNumber bad = {"", LYRA_PARAMETER_ANY, false, 0};
    check_message(lyra_register_law(ctx, &law, NULL), "found a second law called \"stvk\"");
    law.name = "";
    check_message(lyra_register_law(ctx, &law, NULL), "found a law without a name");
    law.name = "own";
    law.evaluate = NULL;
    check_message(lyra_register_law(ctx, &law, NULL), "law \"own\" needs a function `evaluate`");
    solver.name = "auto";
    check_message(lyra_register_solver(ctx, &solver), "found a second solver called \"auto\"");
    solver.name = "pcg";
    check_message(lyra_register_solver(ctx, &solver), "found a second solver called \"pcg\"");
    solver.name = "own";
    solver.factor = NULL;
    check_message(lyra_register_solver(ctx, &solver), "type \"own\" lacks a function");
    integrator.facts.name = "newmark";
    check_message(lyra_register_integrator(ctx, &integrator), "found a second integrator");
    integrator.facts.name = "own";
    integrator.facts.order = -1;
    check_message(lyra_register_integrator(ctx, &integrator), "has the order -1");
    integrator.facts.order = 1;
    integrator.create = NULL;
    check_message(lyra_register_integrator(ctx, &integrator), "`destroy` and no `create`");
    integrator.step = NULL;
    check_message(lyra_register_integrator(ctx, &integrator), "lacks a function `step`");
    maker.create = NULL;
    check_message(lyra_register_force(ctx, &maker), "force \"bed\" needs a function `create`");
    maker = bed_maker(&seen);
    maker.numbers = &bad;
    check_message(lyra_register_force(ctx, &maker), "number 0 of force \"bed\" needs a name");
    maker.numbers = bed_numbers;
    TEST_OK(lyra_register_force(ctx, &maker));
    check_message(lyra_register_force(ctx, &maker), "found a second force called \"bed\"");
    // another context knows nothing of it
    LyraContext *other = test_context(1, LYRA_ISA_AUTO);
    TEST_OK(lyra_register_force(other, &maker));
    test_context_end(other);
    test_context_end(ctx);
}

// all of it at once, from C
static LyraStatus scenario(LyraContext *ctx, void *data)
{
    Seen seen = {0};
    LyraForceMaker *maker = data;
    static LyraMaterialType law;
    LyraMeshShapeDef box = lyra_mesh_shape_def_default();
    LyraBodyDef body = lyra_body_def_default();
    LyraWorldDef def = lyra_world_def_default();
    LyraElasticConstant stiffness = {"stiffness", 1e4};
    LyraWorldForceDef force = lyra_world_force_def_default();
    LyraWorld *world = NULL;
    *maker = bed_maker(&seen);
    law = twin(ctx, LYRA_MATERIAL_STVK, "own-stvk");
    box.cells[0] = box.cells[1] = box.cells[2] = 1;
    body.generate = &box;
    body.material.model = "own-stvk";
    body.material.young = 1e6;
    def.integrator.name = "heun";
    def.solver.name = "gauss";
    def.time.dt = 1e-4;
    force.type = "bed";
    force.parameters = &stiffness;
    force.parameter_count = 1;
    LyraStatus status = lyra_register_law(ctx, &law, NULL);
    status = status == LYRA_OK ? lyra_register_solver(ctx, &gauss_type) : status;
    status = status == LYRA_OK ? lyra_register_integrator(ctx, &heun_type) : status;
    status = status == LYRA_OK ? lyra_register_force(ctx, maker) : status;
    status = status == LYRA_OK ? lyra_world_create(ctx, &def, &world) : status;
    status = status == LYRA_OK ? lyra_world_add_body(world, &body, NULL) : status;
    status = status == LYRA_OK ? lyra_world_add_force(world, &force) : status;
    status = status == LYRA_OK ? lyra_world_step(world, NULL) : status;
    if (status == LYRA_OK) {
        int64_t before = test_allocation_count();
        TEST_OK(lyra_world_step(world, NULL));
        TEST_EQUAL(test_allocation_count(), before);
    }
    lyra_world_destroy(world);
    return status;
}

LYRA_TEST(allocations_may_fail)
{
    LyraForceMaker maker;
    test_fail_each_allocation(scenario, &maker);
}
