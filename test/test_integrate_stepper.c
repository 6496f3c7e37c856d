// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Bodies with a stepper of their own. The client is a free rigid rotor, moved by the Lie midpoint
// rule: with the spin w and the momentum I w in its own frame,
//   exp(h [w_m]) I w_1 = I w_0,   R_1 = R_0 exp(h [w_m]),   w_m = (w_0 + w_1) / 2,
// which keeps R I w and w . I w / 2 to rounding. Springs pull a block of tets to its points.

#include "lyra_test.h"

#include "lyra/lyra.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define W LYRA_BATCH_WIDTH
#define VERTICES 12
#define HELD 2

// ---- the rotor ----------------------------------------------------------------------------------

// what it keeps in the state
typedef struct Numbers {
    double R[9], w[3];           // now
    double next_R[9], next_w[3]; // at the end of the step
    double dt, commits;
} Numbers;

typedef struct Rotor {
    double inertia[3], spin[3];
    double points[HELD][3];  // in its frame, which is that of the world at first
    int32_t group;           // of the springs
    double longest, refused; // commits longer steps not; refuses the one that ends past a time
} Rotor;

// R exp([a]), by Rodrigues; the two may be one
static void turn(const double from[9], const double a[3], double out[9])
{
    double R[9];
    memcpy(R, from, sizeof R);
    double t = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]), E[9];
    double s = t > 0 ? sin(t) / t : 1, c = t > 0 ? 2 * pow(sin(t / 2) / t, 2) : 0.5;
    const double K[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
    for (int i = 0; i < 9; ++i) {
        E[i] = (i % 4 == 0) + s * K[i];
        for (int k = 0; k < 3; ++k) {
            E[i] += c * K[3 * (i / 3) + k] * K[3 * k + i % 3];
        }
    }
    for (int i = 0; i < 9; ++i) {
        out[i] = 0;
        for (int k = 0; k < 3; ++k) {
            out[i] += R[3 * (i / 3) + k] * E[3 * k + i % 3];
        }
    }
}

static void rotor_move(const Rotor *rotor, double h, const double R[9], const double w[3],
                       double next_R[9], double next_w[3])
{
    static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double mean[3], E[9], spin[3] = {w[0], w[1], w[2]};
    for (int iteration = 0; iteration < 100; ++iteration) {
        for (int i = 0; i < 3; ++i) {
            mean[i] = -h * 0.5 * (w[i] + spin[i]);
        }
        turn(one, mean, E);
        for (int i = 0; i < 3; ++i) {
            double momentum = 0;
            for (int k = 0; k < 3; ++k) {
                momentum += E[3 * i + k] * rotor->inertia[k] * w[k];
            }
            spin[i] = momentum / rotor->inertia[i];
        }
    }
    for (int i = 0; i < 3; ++i) {
        mean[i] = h * 0.5 * (w[i] + spin[i]);
    }
    turn(R, mean, next_R);
    memcpy(next_w, spin, sizeof spin);
}

static void rotor_init(const void *self, double *values)
{
    const Rotor *rotor = self;
    Numbers *n = (Numbers *)values;
    for (int i = 0; i < 9; ++i) {
        n->R[i] = n->next_R[i] = i % 4 == 0;
        n->w[i % 3] = n->next_w[i % 3] = rotor->spin[i % 3];
    }
}

// where a point of it has gone
static void rotor_point(const double R[9], const double p[3], double u[3])
{
    for (int i = 0; i < 3; ++i) {
        u[i] = R[3 * i] * p[0] + R[3 * i + 1] * p[1] + R[3 * i + 2] * p[2] - p[i];
    }
}

static LyraStatus rotor_begin(const void *self, const LyraModel *model, LyraState *state, double dt,
                              double *values)
{
    const Rotor *rotor = self;
    Numbers *n = (Numbers *)values;
    rotor_move(rotor, dt, n->R, n->w, n->next_R, n->next_w);
    n->dt = dt;
    double targets[3][HELD], u[3];
    for (int k = 0; k < HELD; ++k) {
        rotor_point(n->next_R, rotor->points[k], u);
        for (int i = 0; i < 3; ++i) {
            targets[i][k] = u[i];
        }
    }
    for (int i = 0; i < 3 && rotor->group >= 0; ++i) {
        LyraStatus status = lyra_model_write_history(model, rotor->group, state, i, targets[i]);
        if (status != LYRA_OK) {
            return status;
        }
    }
    return LYRA_OK;
}

static LyraStatus rotor_commit(const void *self, const LyraModel *model, LyraState *state,
                               double dt, double *values)
{
    (void)model, (void)state;
    const Rotor *rotor = self;
    Numbers *n = (Numbers *)values;
    memcpy(n->R, n->next_R, sizeof n->R);
    memcpy(n->w, n->next_w, sizeof n->w);
    n->commits += 1;
    TEST_CHECK(n->dt == dt);
    if (dt > rotor->longest) {
        return LYRA_NOT_CONVERGED;
    }
    return n->commits > rotor->refused ? LYRA_INVALID_ARGUMENT : LYRA_OK;
}

static double rotor_energy(const Rotor *rotor, const Numbers *n)
{
    double energy = 0;
    for (int i = 0; i < 3; ++i) {
        energy += 0.5 * rotor->inertia[i] * n->w[i] * n->w[i];
    }
    return energy;
}

static void rotor_momentum(const Rotor *rotor, const Numbers *n, double L[3])
{
    for (int i = 0; i < 3; ++i) {
        L[i] = 0;
        for (int k = 0; k < 3; ++k) {
            L[i] += n->R[3 * i + k] * rotor->inertia[k] * n->w[k];
        }
    }
}

static const Rotor plain = {.inertia = {1, 2, 3},
                            .spin = {0.1, 4, 0.1},
                            .points = {{0.2, 0.05, 0.05}, {0.2, -0.05, 0.05}},
                            .group = 1,
                            .longest = INFINITY,
                            .refused = INFINITY};

static LyraStepper stepper_of(const Rotor *rotor)
{
    return (LyraStepper){.name = "rotor",
                         .version = 1,
                         .count = sizeof(Numbers) / sizeof(double),
                         .init = rotor_init,
                         .begin = rotor_begin,
                         .commit = rotor_commit,
                         .self = rotor};
}

// ---- springs to targets that their history holds ------------------------------------------------

static void spring_evaluate(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)self, (void)scratch;
    const double k = 50;
    if (batch->dfdx) {
        memset(batch->dfdx, 0, 9 * W * sizeof *batch->dfdx);
    }
    for (int i = 0; i < 3; ++i) {
        for (int e = 0; e < W; ++e) {
            double d = batch->u[i * W + e] - batch->history[i * W + e];
            if (batch->trial_history) {
                batch->trial_history[i * W + e] = batch->history[i * W + e];
            }
            if (batch->energy) {
                batch->energy[e] = (i ? batch->energy[e] : 0) + 0.5 * k * d * d;
            }
            if (batch->gradient) {
                batch->gradient[i * W + e] = k * d;
            }
            if (batch->dfdx) {
                batch->dfdx[4 * i * W + e] = k;
            }
        }
    }
}

static const LyraForceType spring_type = {
    .name = "rope",
    .nodes = 1,
    .traits = LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_SYMMETRIC | LYRA_FORCE_LINEAR |
              LYRA_FORCE_DISPLACEMENT | LYRA_FORCE_HISTORY,
    .history_count = 3,
    .evaluate = spring_evaluate,
};

// ---- worlds -------------------------------------------------------------------------------------

typedef struct World {
    LyraContext *ctx;
    LyraMesh *mesh;
    LyraForce *elastic, *springs;
    LyraModel *model;
    LyraSystem *system;
    LyraIntegrator *integrator;
    LyraState *state;
} World;

static void make_integrator(World *w, const char *name, bool dense)
{
    TEST_OK(dense ? lyra_system_create_dense(w->ctx, w->model, &w->system)
                  : lyra_system_create_sparse(w->ctx, w->model, NULL, &w->system));
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = name;
    def.critical = LYRA_CRITICAL_IGNORE;
    TEST_OK(lyra_integrator_create(w->ctx, &def, w->system, &w->integrator));
    TEST_OK(lyra_system_state_create(w->system, &w->state));
}

static World make_world(const char *integrator, bool dense, const Rotor *rotor)
{
    World w = {.ctx = test_context(1, LYRA_ISA_AUTO)};
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    shape.cells[0] = 2;
    shape.cells[1] = shape.cells[2] = 1;
    shape.size[0] = 0.2;
    shape.size[1] = shape.size[2] = 0.1;
    TEST_OK(lyra_mesh_generate(w.ctx, &shape, &w.mesh));
    LyraMeshView mesh = lyra_mesh_view(w.mesh);
    LyraElasticDef elastic = lyra_elastic_def_default();
    elastic.young = 1e4;
    TEST_OK(lyra_elastic_create(w.ctx, w.mesh, &elastic, &w.elastic));
    const int32_t held[HELD] = {2, 5};
    LyraForceDef springs = lyra_force_def_default();
    springs.type = &spring_type;
    springs.stencil_count = HELD;
    springs.stencils = held;
    TEST_OK(lyra_force_create(w.ctx, &springs, &w.springs));
    double masses[VERTICES];
    TEST_EQUAL(mesh.vertex_count, VERTICES);
    lyra_mesh_lumped_masses(w.mesh, NULL, masses);
    LyraStepper stepper = stepper_of(rotor);
    const LyraModelBody bodies[2] = {
        {.name = "block", .vertex_count = VERTICES},
        {.name = "rotor", .first_vertex = VERTICES, .stepper = &stepper}};
    LyraForce *forces[2] = {w.elastic, w.springs};
    LyraModelDef def = lyra_model_def_default();
    def.vertex_count = VERTICES;
    def.positions = mesh.positions;
    def.masses = masses;
    def.bodies = bodies;
    def.body_count = 2;
    def.forces = forces;
    def.force_count = 2;
    TEST_OK(lyra_model_create(w.ctx, &def, &w.model));
    make_integrator(&w, integrator, dense);
    return w;
}

static void end_world(World *w)
{
    lyra_state_destroy(w->state);
    lyra_integrator_destroy(w->integrator);
    lyra_system_destroy(w->system);
    lyra_model_destroy(w->model);
    lyra_force_destroy(w->springs);
    lyra_force_destroy(w->elastic);
    lyra_mesh_destroy(w->mesh);
    test_context_end(w->ctx);
}

static const Numbers *numbers(const World *w)
{
    return (const Numbers *)lyra_model_stepper_values(w->model, 1, w->state);
}

static void take_steps(World *w, int count, double h)
{
    for (int s = 0; s < count; ++s) {
        TEST_OK(lyra_integrator_step(w->integrator, w->state, h, NULL));
    }
}

// ---- tests --------------------------------------------------------------------------------------

LYRA_TEST(a_rotor_keeps_energy_and_momentum_while_it_pulls)
{
    World w = make_world("backward-euler", false, &plain);
    TEST_REQUIRE(numbers(&w));
    double energy = rotor_energy(&plain, numbers(&w)), before[3], after[3], pulled = 0;
    rotor_momentum(&plain, numbers(&w), before);
    for (int s = 0; s < 1000; ++s) {
        TEST_OK(lyra_integrator_step(w.integrator, w.state, 0.01, NULL));
        TEST_NEAR(rotor_energy(&plain, numbers(&w)) / energy, 1, 1e-12);
    }
    rotor_momentum(&plain, numbers(&w), after);
    for (int i = 0; i < 3; ++i) {
        TEST_NEAR(after[i], before[i], 1e-12 * 8);
    }
    TEST_EQUAL(numbers(&w)->commits, 1000);
    for (int i = 0; i < 3 * VERTICES; ++i) {
        pulled = fmax(pulled, fabs(lyra_vector_values(lyra_state_view(w.state).u)[i]));
    }
    TEST_CHECK_MSG(pulled > 0.01 && pulled < 1, "pulled by %g", pulled);
    end_world(&w);
}

// whatever moves the block, the rotor goes its own way; steps inside a step are steps of it too
LYRA_TEST(every_integrator_begins_and_commits_it)
{
    LyraIntegratorFacts facts;
    for (int32_t m = 0; lyra_integrator_name(m, &facts) && !facts.constant; ++m) {
        for (int dense = 0; dense < 2; ++dense) {
            World w = make_world(facts.name, dense == 1, &plain);
            Numbers expected;
            double momentum[3], kept[3];
            rotor_init(&plain, (double *)&expected);
            rotor_momentum(&plain, &expected, momentum);
            double energy = rotor_energy(&plain, &expected), h = 1e-3;
            if (strcmp(facts.name, "static") == 0) {
                lyra_constraints_fix_vertices(lyra_model_constraints(w.model), 1, (int32_t[]){0});
            }
            for (int s = 0; s < 10; ++s) {
                LyraStatus status = lyra_integrator_step(w.integrator, w.state, h, NULL);
                TEST_CHECK_MSG(status == LYRA_OK, "%s: %s", facts.name, lyra_error_message());
                rotor_move(&plain, h, expected.R, expected.w, expected.R, expected.w);
            }
            const Numbers *n = numbers(&w);
            rotor_momentum(&plain, n, kept);
            TEST_CHECK_MSG(facts.adaptive || n->commits == 10, "%s: %g", facts.name, n->commits);
            TEST_NEAR(rotor_energy(&plain, n) / energy, 1, 1e-13);
            for (int i = 0; i < 9; ++i) {
                TEST_CHECK_MSG(fabs(n->R[i] - expected.R[i]) < (facts.adaptive ? 1e-6 : 1e-15),
                               "%s: %g, not %g", facts.name, n->R[i], expected.R[i]);
                TEST_NEAR(kept[i % 3], momentum[i % 3], 1e-13 * 8);
            }
            end_world(&w);
        }
    }
}

LYRA_TEST(a_restart_has_the_same_bits)
{
    World w = make_world("bdf2", false, &plain), again = make_world("bdf2", false, &plain);
    take_steps(&w, 20, 0.01);
    size_t size = lyra_state_packed_size(w.state);
    void *bytes = malloc(size);
    lyra_state_pack(w.state, bytes);
    TEST_OK(lyra_state_unpack(again.state, bytes, size));
    take_steps(&w, 20, 0.01);
    take_steps(&again, 20, 0.01);
    TEST_CHECK(lyra_state_equal(w.state, again.state));
    free(bytes);
    end_world(&w);
    end_world(&again);
}

LYRA_TEST(a_failed_step_leaves_the_rotor_whole)
{
    static const char *const methods[] = {"backward-euler", "symplectic-euler", "dopri5"};
    for (int m = 0; m < 3; ++m) {
        Rotor strict = plain;
        World w = make_world(methods[m], false, &strict),
              free = make_world(methods[m], false, &plain);
        LyraState *before = NULL;
        take_steps(&w, 5, 1e-3);
        TEST_OK(lyra_state_copy(w.state, &before));
        strict.refused = 0;
        TEST_STATUS(lyra_integrator_step(w.integrator, w.state, 1e-3, NULL), LYRA_INVALID_ARGUMENT);
        TEST_CHECK_MSG(lyra_state_equal(w.state, before), "%s", methods[m]);
        // and the next one goes on as if nothing had been
        strict.refused = INFINITY;
        take_steps(&w, 5, 1e-3);
        take_steps(&free, 10, 1e-3);
        TEST_CHECK_MSG(memcmp(numbers(&w), numbers(&free), sizeof(Numbers)) == 0, "%s", methods[m]);
        TEST_CHECK(lyra_vector_equal(lyra_state_view(w.state).u, lyra_state_view(free.state).u));
        lyra_state_destroy(before);
        end_world(&w);
        end_world(&free);
    }
}

LYRA_TEST(a_halved_step_is_two_of_the_rotor)
{
    Rotor slow = plain;
    slow.longest = 0.006;
    World w = make_world("backward-euler", false, &slow);
    LyraStepReport report;
    Numbers expected;
    rotor_init(&plain, (double *)&expected);
    for (int s = 0; s < 2; ++s) {
        rotor_move(&plain, 0.005, expected.R, expected.w, expected.R, expected.w);
    }
    TEST_OK(lyra_integrator_step(w.integrator, w.state, 0.01, &report));
    TEST_EQUAL(report.substeps, 2);
    TEST_EQUAL(report.rejected, 1);
    TEST_EQUAL(numbers(&w)->commits, 2);
    TEST_CHECK(memcmp(numbers(&w)->R, expected.R, sizeof expected.R) == 0);
    TEST_CHECK(memcmp(numbers(&w)->w, expected.w, sizeof expected.w) == 0);
    end_world(&w);
}

// two systems of one model keep apart what steppers say
LYRA_TEST(two_states_of_one_model_do_not_mix)
{
    World w = make_world("backward-euler", false, &plain), other = w;
    World alone = make_world("backward-euler", false, &plain);
    make_integrator(&other, "backward-euler", false);
    for (int s = 0; s < 10; ++s) {
        take_steps(&w, 1, 0.01);
        take_steps(&other, 1, 0.003);
        take_steps(&alone, 1, 0.01);
    }
    TEST_CHECK(lyra_state_equal(w.state, alone.state));
    TEST_CHECK(memcmp(numbers(&other), numbers(&w), sizeof(Numbers)) != 0);
    lyra_state_destroy(other.state);
    lyra_integrator_destroy(other.integrator);
    lyra_system_destroy(other.system);
    end_world(&w);
    end_world(&alone);
}

// ---- loads and prescribed motion ----------------------------------------------------------------

// numbers: an angle, how fast it grows, and the time it is of
static LyraStatus crank_begin(const void *self, const LyraModel *model, LyraState *state, double dt,
                              double *values)
{
    (void)self, (void)model, (void)dt;
    values[2] = lyra_state_view(state).time;
    return LYRA_OK;
}

static LyraStatus crank_commit(const void *self, const LyraModel *model, LyraState *state,
                               double dt, double *values)
{
    (void)self, (void)model, (void)state;
    values[0] += values[1] * dt;
    values[2] += dt;
    return LYRA_OK;
}

static void crank_init(const void *self, double *values)
{
    (void)self;
    values[1] = 2;
}

static void crank_load(const void *self, const double *values, double t, double *f)
{
    (void)self, (void)t;
    f[3 + 1] += 10 * values[1];
}

static void crank_prescribe(const void *self, const double *values, double t, double *u, double *v,
                            double *a)
{
    (void)self;
    double angle = values[0] + values[1] * (t - values[2]), rate = values[1];
    u[0] = sin(angle);
    u[1] = 1 - cos(angle);
    if (v) {
        v[0] = rate * cos(angle);
        v[1] = rate * sin(angle);
    }
    if (a) {
        a[0] = -rate * rate * sin(angle);
        a[1] = rate * rate * cos(angle);
    }
}

LYRA_TEST(loads_and_prescribed_motion_read_its_numbers)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const LyraStepper crank = {.name = "crank",
                               .count = 3,
                               .init = crank_init,
                               .begin = crank_begin,
                               .commit = crank_commit,
                               .load = crank_load,
                               .prescribe = crank_prescribe};
    const LyraModelBody body = {.vertex_count = 2, .stepper = &crank};
    const double positions[6] = {0, 0, 0, 1, 0, 0}, masses[2] = {1, 2};
    LyraModelDef def = lyra_model_def_default();
    def.vertex_count = 2;
    def.positions = positions;
    def.masses = masses;
    def.bodies = &body;
    def.body_count = 1;
    World w = {.ctx = ctx};
    TEST_REQUIRE_OK(lyra_model_create(ctx, &def, &w.model));
    TEST_OK(lyra_constraints_fix_vertices(lyra_model_constraints(w.model), 1, (int32_t[]){0}));
    make_integrator(&w, "implicit-midpoint", false);
    TEST_CHECK(lyra_system_traits(w.system) & LYRA_SYSTEM_HOST_CALLBACKS);
    TEST_CHECK(!(lyra_system_traits(w.system) & LYRA_SYSTEM_STATIONARY));
    take_steps(&w, 50, 0.02);
    const double *u = lyra_vector_values(lyra_state_view(w.state).u);
    TEST_NEAR(u[0], sin(2.0), 1e-12);
    TEST_NEAR(u[1], 1 - cos(2.0), 1e-12);
    // f t^2 / 2 m
    TEST_NEAR(u[4], 20.0 / 2 / 2, 1e-10);
    end_world(&w);
}

LYRA_TEST(steppers_without_a_name_of_their_own_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraStepper one = {.name = "one", .count = 1}, two = one;
    LyraModelBody bodies[2] = {{.stepper = &one}, {.stepper = &two}};
    LyraModelDef def = lyra_model_def_default();
    LyraModel *model = NULL;
    def.bodies = bodies;
    def.body_count = 2;
    TEST_STATUS(lyra_model_create(ctx, &def, &model), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "differ");
    two.name = "";
    TEST_STATUS(lyra_model_create(ctx, &def, &model), LYRA_INVALID_ARGUMENT);
    two.name = "a name of more than 23 bytes";
    TEST_STATUS(lyra_model_create(ctx, &def, &model), LYRA_INVALID_ARGUMENT);
    two.name = "two";
    two.count = -1;
    TEST_STATUS(lyra_model_create(ctx, &def, &model), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "numbers");
    test_context_end(ctx);
}
