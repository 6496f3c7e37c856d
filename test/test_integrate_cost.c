// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What a step may cost: how often forces and tangents are evaluated, the account of energies
// included, and that what is known from before changes no bit of what comes after.

#include "integrate_cases.h"

#include <stdatomic.h>

// ---- a force that counts ------------------------------------------------------------------------

// between two vertices at distance d: energy k (d.d)^2 / 4
typedef struct Counter {
    atomic_int forces, tangents; // evaluations without and with dfdx
} Counter;

static void evaluate_pair(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)scratch;
    Counter *counter = (Counter *)(uintptr_t)self;
    atomic_fetch_add(batch->dfdx ? &counter->tangents : &counter->forces, 1);
    enum { W = LYRA_BATCH_WIDTH };
    const double k = 1e4;
    for (int e = 0; e < batch->count; ++e) {
        double d[3], square = 0;
        for (int i = 0; i < 3; ++i) {
            d[i] = batch->x[(3 + i) * W + e] - batch->x[i * W + e];
            square += d[i] * d[i];
        }
        if (batch->energy) {
            batch->energy[e] = 0.25 * k * square * square;
        }
        for (int i = 0; batch->gradient && i < 3; ++i) {
            batch->gradient[(3 + i) * W + e] = k * square * d[i];
            batch->gradient[i * W + e] = -k * square * d[i];
        }
        for (int n = 0; batch->dfdx && n < 9; ++n) {
            batch->dfdx[n * W + e] = -k * ((n % 4 == 0) * square + 2 * d[n / 3] * d[n % 3]);
        }
    }
}

static const LyraForceType pair_type = {
    .name = "counted pair",
    .nodes = 2,
    .traits = LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_SYMMETRIC | LYRA_FORCE_TRANSLATION_INVARIANT,
    .evaluate = evaluate_pair,
};

typedef struct Pair {
    Counter counter;
    LyraForce *force;
    LyraModel *model;
    LyraSystem *system;
    LyraState *state;
    LyraIntegrator *it;
} Pair;

// the same, and it says that its tangents are never indefinite
static const LyraForceType definite_type = {
    .name = "counted pair",
    .nodes = 2,
    .traits = LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_SYMMETRIC | LYRA_FORCE_TRANSLATION_INVARIANT |
              LYRA_FORCE_DEFINITE,
    .evaluate = evaluate_pair,
};

static void end_pair(Pair *pair)
{
    lyra_integrator_destroy(pair->it);
    lyra_state_destroy(pair->state);
    lyra_system_destroy(pair->system);
    lyra_model_destroy(pair->model);
    lyra_force_destroy(pair->force);
}

// one vertex is fixed, the other falls and swings
static void make_pair(LyraContext *ctx, const LyraForceType *type,
                      const LyraIntegratorDef *settings, double stiffness_damping, Pair *pair)
{
    static const double x[6] = {0, 0, 0, 0.1, 0, 0}, masses[2] = {1, 1};
    static const int32_t stencil[2] = {0, 1}, fixed = 0;
    memset(pair, 0, sizeof *pair);
    LyraForceDef force = lyra_force_def_default();
    force.type = type;
    force.self = &pair->counter;
    force.stencil_count = 1;
    force.stencils = stencil;
    TEST_OK(lyra_force_create(ctx, &force, &pair->force));
    LyraModelDef def = lyra_model_def_default();
    def.vertex_count = 2;
    def.positions = x;
    def.force_count = 1;
    def.forces = &pair->force;
    def.masses = masses;
    def.gravity[1] = -9.81;
    def.stiffness_damping = stiffness_damping;
    def.damping_exact = type == &pair_type;
    TEST_OK(lyra_model_create(ctx, &def, &pair->model));
    TEST_OK(lyra_constraints_fix_vertices(lyra_model_constraints(pair->model), 1, &fixed));
    TEST_OK(lyra_system_create_sparse(ctx, pair->model, NULL, &pair->system));
    TEST_OK(lyra_system_state_create(pair->system, &pair->state));
    TEST_OK(lyra_integrator_create(ctx, settings, pair->system, &pair->it));
}

// evaluations of the third step without and with the tangent
static void check_cost_of(const LyraForceType *type, const LyraIntegratorDef *settings,
                          double stiffness_damping, int32_t forces, int32_t tangents)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Pair pair;
    make_pair(ctx, type, settings, stiffness_damping, &pair);
    for (int32_t i = 0; i < 3; ++i) {
        atomic_store(&pair.counter.forces, 0);
        atomic_store(&pair.counter.tangents, 0);
        TEST_OK(lyra_integrator_step(pair.it, pair.state, 1e-3, NULL));
    }
    TEST_CHECK_MSG(atomic_load(&pair.counter.forces) == forces &&
                       atomic_load(&pair.counter.tangents) == tangents,
                   "%s, policy %d: %d forces and %d tangents, expected %d and %d", settings->name,
                   (int)settings->newton.policy, atomic_load(&pair.counter.forces),
                   atomic_load(&pair.counter.tangents), forces, tangents);
    end_pair(&pair);
    test_context_end(ctx);
}

static void check_cost(const LyraIntegratorDef *settings, double stiffness_damping, int32_t forces,
                       int32_t tangents)
{
    check_cost_of(&pair_type, settings, stiffness_damping, forces, tangents);
}

LYRA_TEST(one_newton_step_is_one_evaluation)
{
    static const char *const names[] = {"backward-euler", "newmark", "generalized-alpha"};
    for (int32_t i = 0; i < 3; ++i) {
        LyraIntegratorDef def = lyra_integrator_def_default();
        def.name = names[i];
        def.newton.policy = LYRA_NEWTON_ONE;
        check_cost(&def, 0, 0, 1);
        // D where the step begins
        def.vega = true;
        check_cost(&def, 1e-4, 0, 1);
        // D elsewhere
        def.vega = false;
        check_cost(&def, 1e-4, 0, i == 0 ? 1 : 2);
        // a positive D is the tangent itself where that is definite
        def.vega = true;
        check_cost_of(&definite_type, &def, 1e-4, 0, 1);
    }
}

LYRA_TEST(explicit_methods_evaluate_once_a_stage)
{
    static const struct {
        const char *name;
        int32_t forces;
    } cases[] = {{"euler", 1},
                 {"symplectic-euler", 1},
                 {"verlet", 1},
                 {"central-differences", 1},
                 {"explicit-midpoint", 2},
                 {"rk4", 4}};
    for (int32_t i = 0; i < (int32_t)(sizeof cases / sizeof cases[0]); ++i) {
        LyraIntegratorDef def = lyra_integrator_def_default();
        def.name = cases[i].name;
        def.critical = LYRA_CRITICAL_IGNORE;
        check_cost(&def, 0, cases[i].forces, 0);
    }
}

LYRA_TEST(central_differences_keep_their_damping)
{
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = "central-differences";
    def.critical = LYRA_CRITICAL_IGNORE;
    def.damping_update = 0;
    check_cost(&def, 1e-4, 1, 0);
    def.damping_update = 1;
    check_cost(&def, 1e-4, 1, 1);
}

// ---- bits ---------------------------------------------------------------------------------------

static bool same_reports(const LyraStepReport *a, const LyraStepReport *b)
{
    return a->kinetic == b->kinetic && a->elastic == b->elastic && a->dissipated == b->dissipated &&
           a->work == b->work && a->numerical == b->numerical &&
           a->residual_first == b->residual_first && a->linear_iterations == b->linear_iterations;
}

// a body that goes on, disturbed by questions between its steps, against one that begins anew from
// each of its states
static void check_known(const char *model, const char *name, LyraNewtonPolicy policy, bool vega)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    BodyDef body_settings = body_def();
    body_settings.model = model;
    body_settings.gravity = -9.81;
    body_settings.stiffness_damping = 1e-3;
    body_settings.damping_exact = vega;
    body_settings.solver = "pcg";
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = name;
    def.newton.policy = policy;
    def.vega = vega;
    Body body;
    LyraIntegrator *it = NULL;
    LyraVector *reaction = NULL;
    bool made = make_body(ctx, &body_settings, &body) &&
                TEST_OK(lyra_integrator_create(ctx, &def, body.system, &it)) &&
                TEST_OK(lyra_vector_create(ctx, body.size, &reaction));
    for (int32_t i = 0; made && i < 5; ++i) {
        Body other;
        LyraIntegrator *fresh = NULL;
        LyraStepReport report, again;
        made = make_body(ctx, &body_settings, &other) &&
               TEST_OK(lyra_integrator_create(ctx, &def, other.system, &fresh)) &&
               TEST_OK(lyra_state_assign(other.state, body.state));
        if (made && i % 3 == 1) {
            TEST_OK(lyra_integrator_reaction(it, body.state, reaction));
        }
        if (made && i % 3 == 2) {
            LyraPoint at = {.u = reaction, .v = reaction};
            lyra_vector_fill(reaction, 1e-4);
            TEST_OK(lyra_system_linearise(body.system, &at, false));
        }
        if (made && TEST_OK(lyra_integrator_step(it, body.state, 0.01, &report)) &&
            TEST_OK(lyra_integrator_step(fresh, other.state, 0.01, &again))) {
            TEST_CHECK_MSG(
                lyra_state_equal(body.state, other.state) && same_reports(&report, &again),
                "%s, %s, policy %d: other bits after step %d", model, name, (int)policy, (int)i);
        }
        lyra_integrator_destroy(fresh);
        end_body(&other);
    }
    lyra_vector_destroy(reaction);
    lyra_integrator_destroy(it);
    end_body(&body);
    test_context_end(ctx);
}

LYRA_TEST(what_is_known_changes_no_bit)
{
    static const char *const names[] = {"backward-euler", "newmark", "symplectic-euler", "rk4"};
    static const char *const models[] = {"corotational", "stvk", "neo-hookean"};
    for (int32_t m = 0; m < 3; ++m) {
        for (int32_t n = 0; n < 4; ++n) {
            check_known(models[m], names[n], LYRA_NEWTON_ONE, false);
            check_known(models[m], names[n], LYRA_NEWTON_ONE, true);
            check_known(models[m], names[n], LYRA_NEWTON_FULL, false);
        }
    }
}

// linear iterations of 20 steps of a swinging body; `forgets`: without what the state remembers
static int32_t count_iterations(const char *name, bool forgets)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = {0};
    LyraIntegrator *it = NULL;
    BodyDef settings = body_def();
    settings.gravity = -9.81;
    settings.solver = "pcg";
    settings.stiffness_damping = 0.01;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = name;
    def.newton.policy = LYRA_NEWTON_ONE;
    int32_t iterations = 0;
    bool made = make_body(ctx, &settings, &body) &&
                TEST_OK(lyra_integrator_create(ctx, &def, body.system, &it));
    for (int32_t i = 0; made && i < 20; ++i) {
        LyraStepReport report;
        made = TEST_OK(lyra_integrator_step(it, body.state, 5e-3, &report));
        iterations += report.linear_iterations;
        if (forgets) {
            lyra_state_forget(body.state, LYRA_STATE_METHOD);
        }
    }
    lyra_integrator_destroy(it);
    end_body(&body);
    test_context_end(ctx);
    return iterations;
}

LYRA_TEST(solvers_start_where_accelerations_lead)
{
    static const char *const names[] = {"backward-euler", "newmark"};
    for (int32_t n = 0; n < 2; ++n) {
        int32_t led = count_iterations(names[n], false), alone = count_iterations(names[n], true);
        TEST_CHECK_MSG(6 * led < 5 * alone, "%s: %d iterations, %d without prediction", names[n],
                       (int)led, (int)alone);
    }
}

// steps of a bar, for which sweeps are dear, and bands too wide: "auto" goes over to a factor that
// it keeps. A body that goes on against one that begins anew from each of its states.
static void check_learning(const char *name, LyraNewtonPolicy policy, bool damped, int32_t least)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    BodyDef settings = body_def();
    settings.model = "corotational";
    settings.cells[0] = 40;
    settings.cells[1] = settings.cells[2] = 2;
    settings.young = 1e8;
    settings.gravity = -9.81;
    settings.stiffness_damping = damped ? 1e-3 : 0;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = name;
    def.newton.policy = policy;
    Body body;
    LyraIntegrator *it = NULL;
    bool made = make_body(ctx, &settings, &body) &&
                TEST_OK(lyra_integrator_create(ctx, &def, body.system, &it));
    int32_t kept = 0;
    for (int32_t i = 0; made && i < 24; ++i) {
        Body other;
        LyraIntegrator *fresh = NULL;
        LyraStepReport report, again;
        made = make_body(ctx, &settings, &other) &&
               TEST_OK(lyra_integrator_create(ctx, &def, other.system, &fresh)) &&
               TEST_OK(lyra_state_assign(other.state, body.state));
        // a step that fails, or of another length, leaves no trace
        if (made && i % 5 == 3) {
            LyraState *aside = NULL;
            TEST_OK(lyra_state_copy(body.state, &aside));
            (void)lyra_integrator_step(it, aside, 0.3, NULL);
            lyra_state_destroy(aside);
        }
        if (made && TEST_OK(lyra_integrator_step(it, body.state, 0.05, &report)) &&
            TEST_OK(lyra_integrator_step(fresh, other.state, 0.05, &again))) {
            TEST_CHECK_MSG(lyra_state_equal(body.state, other.state) &&
                               same_reports(&report, &again),
                           "%s, policy %d: other bits after step %d, %s and %s", name, (int)policy,
                           (int)i, report.solver, again.solver);
            kept += strcmp(report.solver, "factor-reuse") == 0;
        }
        lyra_integrator_destroy(fresh);
        end_body(&other);
    }
    TEST_CHECK_MSG(kept >= least, "%s, policy %d: %d steps with a kept factor", name, (int)policy,
                   (int)kept);
    lyra_integrator_destroy(it);
    end_body(&body);
    test_context_end(ctx);
}

LYRA_TEST(what_auto_has_learnt_survives_restarts)
{
    check_learning("backward-euler", LYRA_NEWTON_ONE, true, 5);
    check_learning("backward-euler", LYRA_NEWTON_FULL, false, 5);
    check_learning("backward-euler", LYRA_NEWTON_SIMPLIFIED, true, 5);
    check_learning("rosenbrock2", LYRA_NEWTON_FULL, true, 5);
    check_learning("generalized-alpha", LYRA_NEWTON_FULL, true, 5);
    check_learning("bdf2", LYRA_NEWTON_FULL, true, 5);
}

// all that a body holds once it moves, its mesh included
LYRA_TEST(a_body_in_motion_takes_less_than_a_kilobyte_per_tet)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    BodyDef settings = body_def();
    settings.model = "neo-hookean";
    settings.cells[0] = settings.cells[1] = settings.cells[2] = 12;
    settings.stiffness_damping = 1e-3;
    settings.damping_exact = true;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.newton.policy = LYRA_NEWTON_ONE;
    def.vega = true;
    Body body;
    LyraIntegrator *it = NULL;
    bool made = make_body(ctx, &settings, &body) &&
                TEST_OK(lyra_integrator_create(ctx, &def, body.system, &it));
    for (int32_t i = 0; made && i < 2; ++i) {
        TEST_OK(lyra_integrator_step(it, body.state, 1e-2, NULL));
    }
    double tets = 6 * 12 * 12 * 12, each = (double)lyra_context_byte_count(ctx) / tets;
    TEST_CHECK_MSG(each < 950, "%g bytes per tet", each);
    lyra_integrator_destroy(it);
    end_body(&body);
    test_context_end(ctx);
}
