// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A wall that the system bounds steps by: no integrator, no policy of Newton's method, no start, no
// load step and no prescribed motion passes it, or even looks behind it; and a step begins, and is
// committed or discarded, in pairs, with all that outlives it in the state.

#include "lyra_test.h"

#include "lyra/lyra.h"
#include "model/system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VERTICES (3 * 2 * 2)
#define SIZE (3 * VERTICES)
#define EDGE 0.1

// ---- the wall -----------------------------------------------------------------------------------

// y of the wall, m, and what was seen of it
static struct {
    double y;
    const double *X;
    int32_t behind;      // points looked at behind it
    int32_t bounds;      // ways that ended at it
    int32_t unannounced; // linearisations without begin_iteration
    double iteration[SIZE];
    bool iterated;
    // the life of steps
    bool open;
    int32_t begins, commits, discards, wrong;
} wall;

static const LyraSystemType *plain_type;

static void note(const LyraVector *u)
{
    const double *values = lyra_vector_values(u);
    for (int32_t i = 1; i < SIZE; i += 3) {
        if (!(wall.X[i] + values[i] >= wall.y)) {
            ++wall.behind;
            return;
        }
    }
}

static LyraStatus wall_evaluate(void *self, const LyraPoint *at, const LyraResponse *response)
{
    note(at->u);
    return plain_type->evaluate(self, at, response);
}

static LyraStatus wall_update_damping(void *self, const LyraPoint *at)
{
    note(at->u);
    return plain_type->update_damping(self, at);
}

static LyraStatus wall_linearise(void *self, const LyraPoint *at, bool psd)
{
    note(at->u);
    wall.unannounced += !wall.iterated || memcmp(wall.iteration, lyra_vector_values(at->u),
                                                 sizeof wall.iteration) != 0;
    return plain_type->linearise(self, at, psd);
}

// exact, but for what rounding may add
static LyraStatus wall_step_bound(void *self, const LyraVector *u, const LyraVector *d,
                                  double *bound)
{
    (void)self;
    const double *from = lyra_vector_values(u), *way = lyra_vector_values(d);
    note(u);
    *bound = 1;
    for (int32_t i = 1; i < SIZE; i += 3) {
        double gap = wall.X[i] + from[i] - wall.y - 1e-15;
        if (way[i] < 0 && gap + way[i] < 0) {
            *bound = fmin(*bound, fmax(gap, 0) / -way[i]);
        }
    }
    wall.bounds += *bound < 1;
    return LYRA_OK;
}

// what begins and ends is counted in the state as well
static LyraStatus count_in(LyraState *state, int32_t which)
{
    const LyraStateBlockDef def = {.name = "life",
                                   .version = 1,
                                   .owner = LYRA_STATE_MATERIAL,
                                   .type = LYRA_STATE_INT64,
                                   .count = 2};
    void *values = NULL;
    bool fresh;
    LyraStatus status = lyra_state_block(state, &def, &values, &fresh);
    if (status == LYRA_OK) {
        ++((int64_t *)values)[which];
    }
    return status;
}

static LyraStatus wall_begin_step(void *self, LyraState *state, double dt)
{
    (void)self;
    wall.wrong += wall.open || !(dt >= 0);
    wall.open = true;
    ++wall.begins;
    return count_in(state, 0);
}

static LyraStatus wall_begin_iteration(void *self, const LyraPoint *at, bool *changed)
{
    (void)self;
    note(at->u);
    memcpy(wall.iteration, lyra_vector_values(at->u), sizeof wall.iteration);
    wall.iterated = true;
    *changed = false;
    return LYRA_OK;
}

static LyraStatus wall_commit(void *self, LyraState *state)
{
    (void)self;
    wall.wrong += !wall.open;
    wall.open = false;
    ++wall.commits;
    return count_in(state, 1);
}

static void wall_discard(void *self)
{
    (void)self;
    wall.wrong += !wall.open;
    wall.open = false;
    ++wall.discards;
}

// ---- a body above it ----------------------------------------------------------------------------

// a barrier in front of the wall: E = -k (g - r)^2 log(g/r) for gaps g < r, m
#define RANGE 0.01
#define STRENGTH 2e3 // N/m

static void evaluate_barrier(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)self, (void)scratch;
    const int width = LYRA_BATCH_WIDTH;
    for (int e = 0; e < width; ++e) {
        double g = batch->x[width + e] - wall.y, s = g - RANGE, E = 0, slope = 0, curvature = 0;
        if (g < RANGE) {
            double log_g = log(g / RANGE);
            E = -STRENGTH * s * s * log_g;
            slope = -STRENGTH * (2 * s * log_g + s * s / g);
            curvature = -STRENGTH * (2 * log_g + 4 * s / g - s * s / (g * g));
        }
        for (int i = 0; i < 3; ++i) {
            if (batch->gradient) {
                batch->gradient[i * width + e] = i == 1 ? slope : 0;
            }
            for (int j = 0; batch->dfdx && j < 3; ++j) {
                batch->dfdx[(3 * i + j) * width + e] = i == 1 && j == 1 ? curvature : 0;
            }
        }
        if (batch->energy) {
            batch->energy[e] = E;
        }
    }
}

static const LyraForceType barrier_type = {
    .name = "test barrier",
    .nodes = 1,
    .traits = LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_SYMMETRIC,
    .evaluate = evaluate_barrier,
};

typedef struct Fall {
    LyraMesh *mesh;
    LyraSolid *solid;
    LyraForce *forces[2];
    LyraModel *model;
    LyraSystem *system;
    LyraSystemType type;
    LyraState *state, *before;
    LyraIntegrator *it;
} Fall;

typedef struct FallDef {
    double gap, speed; // m above the wall, m/s towards it
    double gravity;
    bool barrier, held; // held: the upper face
    bool constant;      // a body whose matrices are constant
    LyraPrescription *prescription;
    LyraIntegratorDef def;
} FallDef;

static bool make_model(LyraContext *ctx, const FallDef *def, Fall *f)
{
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraMeshMaterial material = lyra_mesh_material_default();
    material.density = 1000;
    shape.material = &material;
    for (int i = 0; i < 3; ++i) {
        shape.cells[i] = i == 0 ? 2 : 1;
        shape.size[i] = EDGE * shape.cells[i];
    }
    LyraSolidDef solid = lyra_solid_def_default();
    solid.model = def->constant ? "linear" : "neo-hookean";
    solid.young = 1e5;
    solid.poisson = 0.4;
    solid.inversion = LYRA_INVERSION_EXTEND;
    if (!TEST_OK(lyra_mesh_generate(ctx, &shape, &f->mesh)) ||
        !TEST_OK(lyra_solid_create(ctx, f->mesh, &solid, &f->solid))) {
        return false;
    }
    int32_t ids[VERTICES], count = 0;
    double masses[VERTICES];
    for (int32_t i = 0; i < VERTICES; ++i) {
        ids[i] = i;
    }
    LyraForceDef force = lyra_force_def_default();
    force.type = &barrier_type;
    force.stencil_count = VERTICES;
    force.stencils = ids;
    if (!TEST_OK(lyra_force_create(ctx, &force, &f->forces[1]))) {
        return false;
    }
    f->forces[0] = lyra_solid_forces(f->solid, &count)[0];
    wall.X = lyra_mesh_view(f->mesh).positions;
    wall.y = -0.5 * EDGE - def->gap;
    lyra_mesh_lumped_masses(f->mesh, NULL, masses);
    LyraModelDef model = lyra_model_def_default();
    model.vertex_count = VERTICES;
    model.positions = wall.X;
    model.forces = f->forces;
    model.force_count = def->barrier ? 2 : 1;
    model.masses = masses;
    model.mass_damping = 0.5;
    model.stiffness_damping = 1e-4;
    model.gravity[1] = -def->gravity;
    model.prescription = def->prescription;
    if (!TEST_OK(lyra_model_create(ctx, &model, &f->model))) {
        return false;
    }
    for (int32_t i = 0; def->held && i < VERTICES; ++i) {
        if (wall.X[3 * i + 1] > 0) {
            TEST_OK(lyra_constraints_fix_vertices(lyra_model_constraints(f->model), 1, &i));
        }
    }
    return true;
}

static bool make(LyraContext *ctx, const FallDef *def, Fall *f)
{
    memset(&wall, 0, sizeof wall);
    *f = (Fall){0};
    if (!make_model(ctx, def, f) ||
        !TEST_OK(lyra_system_create_sparse(ctx, f->model, NULL, &f->system)) ||
        !TEST_OK(lyra_system_state_create(f->system, &f->state))) {
        return false;
    }
    plain_type = f->system->type;
    f->type = *plain_type;
    f->type.hooks = NULL; // all of its own
    f->type.evaluate = wall_evaluate;
    f->type.update_damping = wall_update_damping;
    f->type.linearise = wall_linearise;
    f->type.step_bound = wall_step_bound;
    f->type.begin_step = wall_begin_step;
    f->type.begin_iteration = wall_begin_iteration;
    f->type.commit = wall_commit;
    f->type.discard = wall_discard;
    f->system->type = &f->type;
    double *v = lyra_vector_values_mutable(lyra_state_view(f->state).v);
    for (int32_t i = 1; i < SIZE; i += 3) {
        v[i] = def->held && wall.X[i] > 0 ? 0 : -def->speed;
    }
    return TEST_OK(lyra_state_copy(f->state, &f->before)) &&
           TEST_OK(lyra_integrator_create(ctx, &def->def, f->system, &f->it));
}

static void end(Fall *f)
{
    lyra_integrator_destroy(f->it);
    if (f->system) {
        f->system->type = plain_type;
    }
    lyra_state_destroy(f->state);
    lyra_state_destroy(f->before);
    lyra_system_destroy(f->system);
    lyra_model_destroy(f->model);
    lyra_force_destroy(f->forces[1]);
    lyra_solid_destroy(f->solid);
    lyra_mesh_destroy(f->mesh);
}

static double lowest(const Fall *f)
{
    const double *u = lyra_vector_values(lyra_state_view(f->state).u);
    double y = INFINITY;
    for (int32_t i = 1; i < SIZE; i += 3) {
        y = fmin(y, wall.X[i] + u[i]);
    }
    return y;
}

// begins and commits that the state has counted
static int64_t counted(const Fall *f, int32_t which)
{
    LyraStateBlock block;
    bool found = lyra_state_find_block(f->state, "life", LYRA_STATE_MATERIAL, &block);
    return found ? ((const int64_t *)block.values)[which] : 0;
}

static void check_wall(const Fall *f, const char *name)
{
    TEST_CHECK_MSG(wall.behind == 0, "%s: looked behind the wall %d times", name, (int)wall.behind);
    TEST_CHECK_MSG(wall.wrong == 0 && !wall.open && wall.begins == wall.commits + wall.discards,
                   "%s: %d begins, %d commits, %d discards, %d out of order", name,
                   (int)wall.begins, (int)wall.commits, (int)wall.discards, (int)wall.wrong);
    TEST_CHECK_MSG(lowest(f) >= wall.y, "%s: ended %g m behind the wall", name, wall.y - lowest(f));
}

// up to `steps` steps until one fails; whether none did. What failed left the state as it was.
static bool fall(Fall *f, const char *name, double dt, int32_t steps, LyraStepReport *report)
{
    int64_t substeps = 0;
    for (int32_t i = 0; i < steps; ++i) {
        TEST_OK(lyra_state_assign(f->before, f->state));
        LyraStatus status = lyra_integrator_step(f->it, f->state, dt, report);
        check_wall(f, name);
        if (status != LYRA_OK) {
            TEST_CHECK_MSG(lyra_state_equal(f->state, f->before), "%s: another state", name);
            return false;
        }
        substeps += report->substeps;
        // of the begins only those count whose steps were committed
        TEST_CHECK_MSG(counted(f, 0) == counted(f, 1), "%s: %d begins and %d commits in the state",
                       name, (int)counted(f, 0), (int)counted(f, 1));
        // statics and rock2 count parts of one step
        bool parts = strcmp(name, "static") == 0 || strcmp(name, "rock2") == 0;
        TEST_CHECK_MSG(parts || counted(f, 1) == substeps, "%s: %d commits of %d substeps", name,
                       (int)counted(f, 1), (int)substeps);
    }
    return true;
}

static FallDef fall_def(void)
{
    return (FallDef){
        .gap = 0.002, .speed = 2, .gravity = 9.81, .def = lyra_integrator_def_default()};
}

// ---- every integrator ---------------------------------------------------------------------------

LYRA_TEST(no_integrator_passes_the_wall)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraIntegratorFacts facts;
    for (int32_t k = 0; lyra_integrator_name(k, &facts); ++k) {
        for (int32_t barrier = 0; barrier < (facts.constant ? 1 : 2); ++barrier) {
            FallDef def = fall_def();
            Fall f;
            LyraStepReport report = {0};
            def.barrier = barrier == 1;
            def.constant = facts.constant;
            def.held = strcmp(facts.name, "static") == 0;
            def.gravity = def.held ? 3000 : def.gravity;
            def.def.name = facts.name;
            def.def.critical_interval = 5;
            if (make(ctx, &def, &f)) {
                bool fell = fall(&f, facts.name, 2e-4, 60, &report);
                if (barrier) {
                    TEST_CHECK_MSG(fell, "%s: %s", facts.name, lyra_error_message());
                } else {
                    TEST_CHECK_MSG(!fell && report.outcome == LYRA_STEP_BLOCKED, "%s: outcome %s",
                                   facts.name, lyra_step_outcome_name(report.outcome));
                    TEST_CONTAINS(lyra_error_message(), "blocked");
                    // up to the wall, nearly
                    TEST_CHECK_MSG(lowest(&f) - wall.y <= 0.5 * def.gap || def.held,
                                   "%s: stopped %g m before the wall", facts.name,
                                   lowest(&f) - wall.y);
                }
                TEST_CHECK(wall.bounds > 0 || barrier);
            }
            end(&f);
        }
    }
    test_context_end(ctx);
}

// ---- Newton's method ----------------------------------------------------------------------------

LYRA_TEST(no_policy_of_newton_passes_the_wall)
{
    static const char *const names[] = {
        "backward-euler", "newmark", "generalized-alpha", "implicit-midpoint", "bdf2",
        "bdf4",           "static"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (size_t m = 0; m < sizeof names / sizeof names[0]; ++m) {
        for (int32_t k = 0; k < 4 * (LYRA_NEWTON_COUNTED + 1); ++k) {
            FallDef def = fall_def();
            Fall f;
            LyraStepReport report = {0};
            LyraNewtonPolicy policy = (LyraNewtonPolicy)(k / 4);
            char what[64];
            def.barrier = k % 2 == 1;
            def.held = strcmp(names[m], "static") == 0;
            def.gravity = def.held ? 3000 : def.gravity;
            def.def.name = names[m];
            def.def.newton.policy = policy;
            def.def.newton.psd_always = k % 4 >= 2;
            def.def.newton.iterations_max = policy == LYRA_NEWTON_COUNTED ? 4 : 400;
            snprintf(what, sizeof what, "%s", names[m]);
            if (make(ctx, &def, &f)) {
                // starts lead behind the wall from the first step on
                bool fell = fall(&f, what, 5e-3, 20, &report);
                bool counts = policy != LYRA_NEWTON_ONE && policy != LYRA_NEWTON_COUNTED;
                TEST_CHECK_MSG(!counts || fell == def.barrier, "%s, policy %d, barrier %d: %s",
                               names[m], (int)policy, def.barrier,
                               fell ? "fell" : lyra_error_message());
                TEST_CHECK(fell || report.outcome == LYRA_STEP_BLOCKED);
                // starts behind the wall are dropped, and single steps end in front of it: where
                // the end of a step is the point of its equation, nothing is left to be halved
                bool ends = m == 0 && (def.barrier || !counts);
                TEST_CHECK_MSG(!ends || (fell && wall.discards == 0),
                               "%s, policy %d, barrier %d: %d steps discarded", names[m],
                               (int)policy, def.barrier, (int)wall.discards);
                TEST_CHECK_MSG(wall.bounds > 0 || def.barrier, "%s, policy %d: never at the wall",
                               names[m], (int)policy);
                // kept tangents are taken at points of their own
                TEST_CHECK_MSG(wall.unannounced == 0 || policy == LYRA_NEWTON_SIMPLIFIED,
                               "%s, policy %d: %d tangents unannounced", names[m], (int)policy,
                               (int)wall.unannounced);
            }
            end(&f);
        }
    }
    test_context_end(ctx);
}

// a flat body with inverted elements above the wall, whose rest shape does not fit there
LYRA_TEST(rest_shapes_behind_the_wall_are_no_start)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t k = 0; k < 2; ++k) {
        FallDef def = fall_def();
        Fall f;
        LyraStepReport report = {0};
        def.speed = 0;
        def.barrier = true;
        def.gap = 0.02;
        def.def.newton.psd_always = k == 1;
        if (make(ctx, &def, &f)) {
            double *u = lyra_vector_values_mutable(lyra_state_view(f.state).u);
            for (int32_t i = 1; i < SIZE; i += 3) {
                // mirrored, thin, close to the wall
                u[i] = wall.y + 0.012 - 0.02 * wall.X[i] - wall.X[i];
            }
            TEST_CHECK(lyra_system_det_f(f.system, lyra_state_view(f.state).u).inverted > 0);
            fall(&f, "backward-euler", 1.0 / 60, 20, &report);
            TEST_CHECK(wall.bounds > 0);
        }
        end(&f);
    }
    test_context_end(ctx);
}

LYRA_TEST(load_steps_stop_at_the_wall)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t steps = 1; steps <= 8; steps *= 2) {
        for (int32_t barrier = 0; barrier < 2; ++barrier) {
            FallDef def = fall_def();
            Fall f;
            LyraStepReport report = {0};
            def.def.name = "static";
            def.def.load_steps = steps;
            def.held = true;
            def.speed = 0;
            def.gravity = 3000;
            def.barrier = barrier == 1;
            if (make(ctx, &def, &f)) {
                bool done = fall(&f, "static", 1, 1, &report);
                TEST_CHECK_MSG(done == def.barrier, "%d load steps: %s", (int)steps,
                               lyra_step_outcome_name(report.outcome));
                TEST_CHECK(done || report.outcome == LYRA_STEP_BLOCKED);
            }
            end(&f);
        }
    }
    test_context_end(ctx);
}

// ---- prescribed motion --------------------------------------------------------------------------

// the upper face goes down by 2 m/s, from its place
static void press(void *user, double t, double *u, double *v, double *a)
{
    (void)user, (void)a;
    for (int32_t i = 1; i < SIZE; i += 3) {
        u[i] -= 40 * t;
        if (v) {
            v[i] -= 40;
        }
    }
}

// the upper face is said to be behind the wall from the first
static void jump(void *user, double t, double *u, double *v, double *a)
{
    (void)user, (void)t, (void)v, (void)a;
    for (int32_t i = 1; i < SIZE; i += 3) {
        u[i] -= 0.4;
    }
}

LYRA_TEST(prescribed_motion_that_begins_behind_the_wall_is_blocked)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraIntegratorFacts facts;
    for (int32_t k = 0; lyra_integrator_name(k, &facts) && !facts.constant; ++k) {
        FallDef def = fall_def();
        Fall f;
        LyraStepReport report = {0};
        def.speed = 0;
        def.held = true;
        def.prescription = jump;
        def.def.name = facts.name;
        def.def.newton.halvings_max = 2;
        if (make(ctx, &def, &f)) {
            TEST_CHECK(!fall(&f, facts.name, 1e-4, 1, &report));
            TEST_CHECK_MSG(report.outcome == LYRA_STEP_BLOCKED, "%s: %s, %s", facts.name,
                           lyra_step_outcome_name(report.outcome), lyra_error_message());
        }
        end(&f);
    }
    test_context_end(ctx);
}

// differences that rosenbrock4 takes beside the body, closer to the wall than they are long
LYRA_TEST(differences_are_not_taken_behind_the_wall)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    FallDef def = fall_def();
    Fall f;
    LyraStepReport report = {0};
    def.def.name = "rosenbrock4";
    def.gap = 1e-9;
    def.speed = 1e-8;
    def.gravity = 0;
    if (make(ctx, &def, &f)) {
        TEST_CHECK(fall(&f, "rosenbrock4", 1e-4, 5, &report));
        TEST_CHECK(wall.bounds > 0 && wall.discards == 0);
    }
    end(&f);
    test_context_end(ctx);
}

LYRA_TEST(prescribed_motion_into_the_wall_is_blocked_and_leaves_no_trace)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraIntegratorFacts facts;
    for (int32_t k = 0; lyra_integrator_name(k, &facts) && !facts.constant; ++k) {
        for (int32_t by_values = 0; by_values < 2; ++by_values) {
            for (int32_t policy = 0; policy <= (facts.is_implicit ? LYRA_NEWTON_COUNTED : 0);
                 ++policy) {
                FallDef def = fall_def();
                Fall f;
                LyraStepReport report = {0};
                def.speed = 0;
                def.gravity = 0;
                def.held = true;
                def.prescription = by_values ? NULL : press;
                def.def.name = facts.name;
                def.def.newton.policy = (LyraNewtonPolicy)policy;
                def.def.newton.halvings_max = 3;
                if (make(ctx, &def, &f)) {
                    double values[SIZE];
                    for (int32_t i = 0; i < SIZE; ++i) {
                        values[i] = i % 3 == 1 ? -0.4 : 0;
                    }
                    if (by_values) {
                        TEST_OK(
                            lyra_constraints_set_values(lyra_model_constraints(f.model), values));
                    }
                    // the face itself would end behind the wall
                    TEST_CHECK_MSG(!fall(&f, facts.name, 0.01, 1, &report),
                                   "%s, policy %d: not stopped", facts.name, (int)policy);
                    TEST_CHECK_MSG(report.outcome == LYRA_STEP_BLOCKED, "%s, policy %d: %s, %s",
                                   facts.name, (int)policy, lyra_step_outcome_name(report.outcome),
                                   lyra_error_message());
                }
                end(&f);
            }
        }
    }
    test_context_end(ctx);
}

// ---- the life of steps --------------------------------------------------------------------------

// a step that is halved for other reasons than a wall
LYRA_TEST(halved_steps_begin_and_end_in_pairs)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    FallDef def = fall_def();
    Fall f;
    LyraStepReport report = {0};
    def.gap = 100;
    def.speed = 0;
    def.held = true;
    def.def.newton.iterations_max = 3;
    if (make(ctx, &def, &f)) {
        double *v = lyra_vector_values_mutable(lyra_state_view(f.state).v);
        for (int32_t i = 1; i < SIZE; i += 3) {
            v[i] = wall.X[i] > 0 ? 0 : 200 * wall.X[i - 1] * wall.X[i - 1] - 4;
        }
        TEST_CHECK(fall(&f, "backward-euler", 0.02, 5, &report));
        TEST_CHECK_MSG(wall.discards > 0 && wall.commits > 5, "%d discards, %d commits",
                       (int)wall.discards, (int)wall.commits);
        // a look from outside is begun and discarded as well
        int32_t discards = wall.discards;
        LyraVector *reaction = NULL;
        TEST_OK(lyra_vector_create(ctx, SIZE, &reaction));
        TEST_OK(lyra_state_assign(f.before, f.state));
        TEST_OK(lyra_integrator_reaction(f.it, f.state, reaction));
        TEST_CHECK(lyra_state_equal(f.state, f.before));
        TEST_EQUAL(wall.discards, discards + 1);
        check_wall(&f, "reaction");
        lyra_vector_destroy(reaction);
    }
    end(&f);
    test_context_end(ctx);
}

// ---- forces that are found anew -----------------------------------------------------------------

// a spring whose other end is where begin_iteration found the body last, and a stiffer one at rest
static struct {
    double at;
    int32_t found;
} spring;

static void spring_force(void *user, double t, const double *u, const double *v, double *g,
                         double *energy)
{
    (void)user, (void)t, (void)v;
    double s = u[0] - spring.at;
    g[0] += 4 * s + 10 * (u[0] - 1);
    if (energy) {
        *energy += 2 * s * s + 5 * (u[0] - 1) * (u[0] - 1);
    }
}

static void spring_tangent(void *user, double t, const double *u, const double *v, double *K,
                           double *C)
{
    (void)user, (void)t, (void)u, (void)v, (void)C;
    K[0] += 14;
}

static LyraStatus spring_begin_iteration(void *self, const LyraPoint *at, bool *changed)
{
    (void)self;
    double u = lyra_vector_values(at->u)[0];
    *changed = u != spring.at;
    spring.at = u;
    ++spring.found;
    return LYRA_OK;
}

// The first spring pulls nowhere once the iteration rests: the answer is that of the second alone,
// which Newton's method finds only if it looks again after every change.
LYRA_TEST(forces_that_change_with_iterations_are_looked_at_again)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double mass = 1;
    LyraDenseSystemDef system_def = lyra_dense_system_def_default();
    system_def.size = 1;
    system_def.mass = &mass;
    system_def.force = spring_force;
    system_def.tangent = spring_tangent;
    system_def.traits = LYRA_SYSTEM_SYMMETRIC | LYRA_SYSTEM_POTENTIAL | LYRA_SYSTEM_STATIONARY;
    for (int32_t policy = 0; policy <= LYRA_NEWTON_INEXACT; ++policy) {
        LyraSystem *system = NULL;
        LyraState *state = NULL;
        LyraIntegrator *it = NULL;
        LyraIntegratorDef def = lyra_integrator_def_default();
        def.name = "static";
        def.newton.policy = (LyraNewtonPolicy)policy;
        spring.at = spring.found = 0;
        if (policy != LYRA_NEWTON_ONE &&
            TEST_OK(lyra_system_create_dense_functions(ctx, &system_def, &system)) &&
            TEST_OK(lyra_system_state_create(system, &state))) {
            plain_type = system->type;
            LyraSystemType type = *plain_type;
            type.hooks = NULL;
            type.begin_iteration = spring_begin_iteration;
            system->type = &type;
            TEST_OK(lyra_integrator_create(ctx, &def, system, &it));
            TEST_OK(lyra_integrator_step(it, state, 1, NULL));
            TEST_CHECK(spring.found > 3);
            TEST_NEAR(lyra_vector_values(lyra_state_view(state).u)[0], 1, 1e-7);
            lyra_integrator_destroy(it);
            system->type = plain_type;
        }
        lyra_state_destroy(state);
        lyra_system_destroy(system);
    }
    test_context_end(ctx);
}
