// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The life of a world: made empty, filled, prepared (model, system, integrator, state), ended.

#include "world/world.h"
#include "world/probe.h"
#include "world/start.h"

#include "base/file.h"
#include "world/curve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- defaults -----------------------------------------------------------------------------------

LyraWorldDef lyra_world_def_default(void)
{
    return (LyraWorldDef){.integrator = lyra_integrator_def_default(),
                          .solver = lyra_solver_def_default(),
                          .time = {.dt = 0.01, .duration = NAN, .substeps = 1},
                          .cookie = LY_DEF_COOKIE};
}

LyraSelector lyra_selector_default(void)
{
    return (LyraSelector){.first = 1, .component = -1};
}

// ---- making -------------------------------------------------------------------------------------

static LyraStatus set_time(LyraWorld *world, const LyraTiming *time)
{
    world->dt = time->dt;
    world->steps = time->steps;
    world->substeps = time->substeps;
    if (time->substeps > 1000000) {
        return ly_fail_key(LYRA_BAD_FORMAT, "time.substeps",
                           "found %d, expected at most 1000000 substeps", (int)time->substeps);
    }
    if (isnan(time->duration)) {
        return LYRA_OK;
    }
    if (time->steps != 0) {
        return ly_fail_key(LYRA_BAD_FORMAT, "time.duration",
                           "found duration beside steps, expected one of them");
    }
    double steps = ceil(time->duration / time->dt * (1 - 1e-12));
    if (steps > 1e15) {
        return ly_fail_key(LYRA_BAD_FORMAT, "time.duration",
                           "found %g s, expected at most 1e15 steps of dt", time->duration);
    }
    world->steps = (int64_t)steps;
    return LYRA_OK;
}

static LyraStatus take_def(LyraWorld *world, const LyraWorldDef *def)
{
    LyWorldSpec *spec = &world->spec;
    *spec = (LyWorldSpec){.title = def->title,
                          .mass = (int32_t)def->mass,
                          .damping = def->damping,
                          .integrator = def->integrator,
                          .solver = def->solver,
                          .time = def->time};
    memcpy(spec->gravity, def->gravity, sizeof spec->gravity);
    LY_TRY(ly_keys_copy(world->arena, &ly_world_keys, spec, spec));
    for (int i = 0; i < 3; ++i) {
        world->gravity_changes |= !ly_curve_is_constant(&spec->gravity[i]);
    }
    return set_time(world, &spec->time);
}

LyraStatus lyra_world_create(LyraContext *ctx, const LyraWorldDef *def, LyraWorld **out)
{
    LyraWorldDef defaults = lyra_world_def_default();
    LyraContext *own = NULL;
    LyraWorld *world = NULL;
    LyraStatus status = LYRA_OK;
    def = def ? def : &defaults;
    LY_CHECK_DEF(def, "lyra_world_def_default");
    if (!ctx) {
        LY_TRY(lyra_context_create(NULL, &own));
    }
    ctx = ctx ? ctx : own;
    status = ly_allocate_zeroed(ctx, 1, sizeof *world, &world);
    if (status != LYRA_OK) {
        lyra_context_destroy(own);
        return status;
    }
    world->ctx = world->undo.ctx = ctx;
    world->own_ctx = own != NULL;
    world->digest = 0xcbf29ce484222325u;
    LY_TRY_DONE(ly_string_copy(ctx, "", 0, &world->folder));
    LY_TRY_DONE(ly_arena_create(ctx, 0, &world->arena));
    LY_TRY_DONE(take_def(world, def));
    *out = world;
    return LYRA_OK;
done:
    lyra_world_destroy(world);
    return status;
}

static void destroy_rules(LyraWorld *world, int32_t from)
{
    for (int32_t r = from; r < world->rule_count; ++r) {
        if (world->rules[r].destroy) {
            world->rules[r].destroy(world->ctx, world->rules[r].self);
        }
    }
    world->rule_count = from;
}

void ly_world_drop(LyraWorld *world, int32_t force_count, int32_t rule_count)
{
    for (int32_t f = force_count; f < world->force_count; ++f) {
        lyra_force_destroy(world->forces[f]);
    }
    world->force_count = force_count;
    destroy_rules(world, rule_count);
}

// what lyra_world_prepare() made
static void end_run(LyraWorld *world)
{
    lyra_vector_destroy(world->momentum);
    for (int k = 0; k < 3; ++k) {
        lyra_vector_destroy(world->projected[k]);
        world->projected[k] = NULL;
    }
    lyra_state_destroy(world->work);
    lyra_state_destroy(world->state);
    lyra_integrator_destroy(world->integrator);
    lyra_system_destroy(world->system);
    lyra_model_destroy(world->model);
    ly_world_end_rigid(world);
    ly_world_end_parameters(world);
    ly_release(world->ctx, world->strains);
    world->momentum = NULL;
    world->work = world->state = NULL;
    world->strains = NULL;
    world->integrator = NULL;
    world->system = NULL;
    world->model = NULL;
}

void lyra_world_destroy(LyraWorld *world)
{
    if (!world) {
        return;
    }
    LyraContext *ctx = world->ctx, *own = world->own_ctx ? ctx : NULL;
    ly_world_end_probes(world);
    end_run(world);
    ly_world_drop(world, 0, 0);
    ly_world_end_obstacles(world);
    for (int32_t b = 0; b < world->body_count; ++b) {
        ly_body_end(ctx, &world->views[b], &world->bodies[b]);
    }
    lyra_block_matrix_destroy(world->damping);
    lyra_block_pattern_destroy(world->damping_pattern);
    ly_world_end_step_forces(world);
    ly_undo_end(&world->undo);
    ly_name_index_release(ctx, &world->names);
    ly_release(ctx, world->rules);
    ly_release(ctx, world->forces);
    ly_release(ctx, world->motions);
    ly_release(ctx, world->nodals);
    ly_release(ctx, world->ties);
    ly_release(ctx, world->views);
    ly_release(ctx, world->bodies);
    ly_release(ctx, world->folder);
    ly_arena_destroy(ctx, world->arena);
    ly_release(ctx, world);
    lyra_context_destroy(own);
}

// ---- filling ------------------------------------------------------------------------------------

LyraContext *lyra_world_context(const LyraWorld *world)
{
    return world->ctx;
}

LyraStatus ly_world_check_open(const LyraWorld *world, const char *what)
{
    return world->model ? ly_fail(LYRA_INVALID_ARGUMENT,
                                  "the world is prepared, expected %s before its first step", what)
                        : LYRA_OK;
}

void ly_world_digest(LyraWorld *world, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; ++i) {
        world->digest = (world->digest ^ at[i]) * 0x100000001b3u;
    }
}

LyraStatus ly_world_take_rule(LyraWorld *world, LyRule rule)
{
    LyraStatus status =
        ly_grow_array(world->ctx, world->rule_count, sizeof *world->rules, &world->rules);
    if (status != LYRA_OK) {
        if (rule.destroy) {
            rule.destroy(world->ctx, rule.self);
        }
        return status;
    }
    world->rules[world->rule_count++] = rule;
    return LYRA_OK;
}

// gives a force to a body as "NAME.TYPE"
static LyraStatus name_force(int32_t body, const char *name, LyraForce *force)
{
    char made[120];
    snprintf(made, sizeof made, "%.80s.%.30s", name, lyra_force_type(force)->name);
    return lyra_force_set_owner(force, body, made);
}

LyraStatus ly_world_own_force(LyraWorld *world, int32_t body, const char *name, LyraForce *take)
{
    LyraStatus status = body >= 0 ? name_force(body, name, take) : LYRA_OK;
    if (status == LYRA_OK) {
        status =
            ly_grow_array(world->ctx, world->force_count, sizeof *world->forces, &world->forces);
    }
    if (status != LYRA_OK) {
        lyra_force_destroy(take);
        return status;
    }
    world->forces[world->force_count++] = take;
    return LYRA_OK;
}

// ---- preparing ----------------------------------------------------------------------------------

// arrays of the model's def
typedef struct Gathered {
    LyraForce **forces;
    LyraModelBody *bodies;
    double *positions, *masses;
    LyraMassMatrix *matrix;
    LyraForce *rigid; // of all rigid bodies. Nullable
    LyraStepper stepper;
} Gathered;

static LyraForce *const *body_forces(const LyraWorld *world, int32_t body, int32_t *count)
{
    *count = 0;
    const LyBodyType *type = world->bodies[body].type;
    return type->forces ? type->forces(&world->views[body], count) : NULL;
}

// forces of the bodies, each body's own, then the others
static LyraStatus gather_forces(LyraWorld *world, Gathered *to, LyraModelDef *def)
{
    int32_t total = world->force_count + (to->rigid != NULL), at = 0, count;
    for (int32_t b = 0; b < world->body_count; ++b) {
        body_forces(world, b, &count);
        total += count;
    }
    LY_TRY(ly_allocate_array(world->ctx, total, sizeof *to->forces, &to->forces));
    for (int32_t b = 0; b < world->body_count; ++b) {
        LyraForce *const *own = body_forces(world, b, &count);
        for (int32_t f = 0; f < count; ++f) {
            LY_TRY(name_force(b, world->views[b].name, own[f]));
            to->forces[at++] = own[f];
        }
    }
    for (int32_t f = 0; f < world->force_count; ++f) {
        to->forces[at++] = world->forces[f];
    }
    if (to->rigid) {
        to->forces[at++] = to->rigid;
    }
    def->forces = to->forces;
    def->force_count = total;
    return LYRA_OK;
}

static LyraStatus gather_bodies(LyraWorld *world, Gathered *to, LyraModelDef *def)
{
    int64_t vertices = world->vertex_count;
    LY_TRY(ly_allocate_array(world->ctx, world->body_count, sizeof *to->bodies, &to->bodies));
    LY_TRY(ly_allocate_array(world->ctx, 3 * vertices, sizeof *to->positions, &to->positions));
    LY_TRY(ly_allocate_array(world->ctx, vertices, sizeof *to->masses, &to->masses));
    for (int32_t b = 0; b < world->body_count; ++b) {
        const LyraBodyView *view = &world->views[b];
        size_t count = (size_t)ly_body_nodes(view);
        to->bodies[b] = (LyraModelBody){.name = view->name,
                                        .first_vertex = view->first_vertex,
                                        .vertex_count = ly_body_nodes(view),
                                        .scalar_count = view->scalar_count};
        memcpy(to->positions + 3 * (int64_t)view->first_vertex, world->bodies[b].positions,
               3 * sizeof(double) * count);
        memcpy(to->masses + view->first_vertex, world->bodies[b].masses, sizeof(double) * count);
    }
    def->vertex_count = world->vertex_count;
    def->positions = to->positions;
    def->masses = to->masses;
    def->bodies = to->bodies;
    def->body_count = world->body_count;
    return LYRA_OK;
}

static LyraStatus make_model(LyraWorld *world)
{
    const LyWorldSpec *spec = &world->spec;
    LyraModelDef def = lyra_model_def_default();
    Gathered to = {0};
    LyraStatus status = LYRA_OK;
    int32_t stepping = -1;
    LY_TRY_DONE(gather_bodies(world, &to, &def));
    LY_TRY_DONE(ly_world_prepare_rigid(world, &stepping, &to.rigid, &to.stepper));
    if (stepping >= 0) {
        to.bodies[stepping].stepper = &to.stepper;
    }
    LY_TRY_DONE(gather_forces(world, &to, &def));
    def.mass_damping = spec->damping.mass;
    def.stiffness_damping = spec->damping.stiffness;
    def.damping_exact = spec->damping.exact;
    def.damping = world->damping;
    for (int i = 0; i < 3 && !world->gravity_changes; ++i) {
        def.gravity[i] = ly_curve_at(&spec->gravity[i], 0).value;
    }
    if (world->gravity_changes || world->nodal_count) {
        def.load = ly_world_load;
        def.load_user = world;
        def.load_moves = world->load_moves;
    }
    if (ly_world_moves(world)) {
        def.prescription = ly_world_prescribe;
        def.prescription_user = world;
    }
    if (spec->mass == LYRA_MASS_CONSISTENT) {
        LY_TRY_DONE(ly_world_mass_matrix(world, to.positions, &to.matrix));
    }
    def.mass_matrix = to.matrix;
    LY_TRY_DONE(lyra_model_create(world->ctx, &def, &world->model));
    ly_world_note_rigid(world);
done:
    lyra_mass_matrix_destroy(to.matrix);
    ly_release(world->ctx, to.masses);
    ly_release(world->ctx, to.positions);
    ly_release(world->ctx, to.bodies);
    ly_release(world->ctx, to.forces);
    return status;
}

static LyraStatus make_shown(LyraWorld *world)
{
    for (int32_t b = 0; b < world->body_count; ++b) {
        int64_t count = ly_body_points(world, b).count;
        for (int i = 0; i < 2; ++i) {
            LY_TRY(ly_allocate_array(world->ctx, 3 * count, sizeof(double),
                                     &world->bodies[b].shown[i]));
        }
    }
    return LYRA_OK;
}

static LyraStatus prepare(LyraWorld *world)
{
    if (world->body_count == 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "the world has no bodies, expected one at least");
    }
    if (!world->pulls) {
        LY_TRY(ly_world_add_pull(world));
    }
    LY_TRY(ly_world_prepare_step_forces(world));
    LY_TRY(ly_world_prepare_obstacles(world));
    LY_TRY(ly_world_make_laplacian(world));
    LY_TRY(make_model(world));
    ly_world_note_obstacles(world);
    LY_TRY(ly_world_constrain(world));
    LyraSolverDef *solver = &world->spec.solver;
    solver->task = ly_world_solver_task(world, world->spec.integrator.name);
    LY_TRY(lyra_system_create_sparse(world->ctx, world->model, solver, &world->system));
    LY_TRY(ly_within_key(lyra_integrator_create(world->ctx, &world->spec.integrator, world->system,
                                                &world->integrator),
                         "integrator"));
    LY_TRY(ly_within_key(ly_world_check_ties(world, world->integrator), "integrator"));
    LY_TRY(ly_within_key(ly_world_check_obstacles(world, world->integrator), "integrator"));
    LY_TRY(ly_within_key(ly_world_check_holding(world, world->integrator), "integrator"));
    LY_TRY(ly_within_key(ly_world_check_projections(world, world->integrator), "integrator"));
    LY_TRY(ly_within_key(ly_world_check_rigid(world, world->integrator), "integrator"));
    LY_TRY(lyra_system_state_create(world->system, &world->state));
    LY_TRY(ly_world_start(world));
    LY_TRY(ly_world_prepare_ties(world));
    LY_TRY(make_shown(world));
    LY_TRY(ly_world_watch_bending(world));
    ly_world_note_start(world);
    return ly_world_list_parameters(world);
}

LyraStatus lyra_world_prepare(LyraWorld *world)
{
    LYRA_ASSERT(world);
    if (world->state) {
        return LYRA_OK;
    }
    LyraStatus status = prepare(world);
    if (status != LYRA_OK) {
        end_run(world);
        ly_release(world->ctx, world->step_force);
        lyra_block_matrix_destroy(world->damping);
        lyra_block_pattern_destroy(world->damping_pattern);
        world->step_force = NULL;
        world->damping = NULL;
        world->damping_pattern = NULL;
        for (int32_t b = 0; b < world->body_count; ++b) {
            for (int i = 0; i < 2; ++i) {
                ly_release(world->ctx, world->bodies[b].shown[i]);
                world->bodies[b].shown[i] = NULL;
            }
        }
    }
    return status;
}
