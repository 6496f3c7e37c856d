// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Forces from outside.

#include "force/force.h"
#include "lyra/traction.h"
#include "world/curve.h"
#include "world/start.h"
#include "world/target_springs.h"
#include "world/tendon.h"

#include <math.h>
#include <string.h>

// ---- on vertices --------------------------------------------------------------------------------

// a force on a point of an affine body is one on its particles, by their weights
static LyraStatus share_nodal(LyraWorld *world, const LySelection *found, LyNodal *nodal)
{
    int32_t *vertices = NULL, *own = NULL;
    double *shares = NULL, *weights = NULL;
    if (found->point_count > (INT32_MAX - found->count) / 4) {
        return ly_fail(LYRA_TOO_LARGE, "a force on %d points of affine bodies", found->point_count);
    }
    int32_t count = found->count + 4 * found->point_count;
    LY_TRY(ly_arena_allocate(world->arena, count, sizeof *vertices, &vertices));
    LY_TRY(ly_arena_allocate(world->arena, count, sizeof *shares, &shares));
    LY_TRY(ly_world_point_weights(world, found->point_count, found->points, &own, &weights));
    for (int32_t i = 0; i < count; ++i) {
        int32_t at = i - found->count;
        vertices[i] = at < 0 ? found->vertices[i] : own[at];
        shares[i] = at < 0 ? 1 : weights[at];
    }
    nodal->count = count;
    nodal->vertices = vertices;
    nodal->shares = shares;
    return LYRA_OK;
}

static LyraStatus take_nodal(LyraWorld *world, LyNodal nodal)
{
    LY_TRY(ly_grow_array(world->ctx, world->nodal_count, sizeof *world->nodals, &world->nodals));
    world->nodals[world->nodal_count++] = nodal;
    return LYRA_OK;
}

static LyraStatus add_nodal(LyraWorld *world, const LyraLoadDef *def)
{
    LyNodal made = {.def = def}, *nodal = &made;
    LySelection found;
    LY_TRY(ly_select_vertices(world, def->body, &def->select, &found));
    nodal->scale = def->total ? 1.0 / ((double)found.count + found.point_count) : 1;
    nodal->count = found.count;
    nodal->vertices = found.vertices;
    LY_TRY(found.point_count > 0 ? share_nodal(world, &found, nodal) : LYRA_OK);
    return take_nodal(world, made);
}

void ly_world_load(void *user, double t, const double *u, const double *v, double *f)
{
    const LyraWorld *world = user;
    for (int i = 0; i < 3 && world->gravity_changes; ++i) {
        double size = ly_curve_at(&world->spec.gravity[i], t).value;
        for (int32_t b = 0; b < world->body_count; ++b) {
            const LyraBodyView *body = &world->views[b];
            double g = world->bodies[b].mass * size;
            for (int64_t k = 0; k < body->vertex_count; ++k) {
                f[3 * (body->first_vertex + k) + i] += world->bodies[b].masses[k] * g;
            }
        }
    }
    ly_world_add_nodals(world, t, u, v, f);
}

void ly_world_add_nodals(const LyraWorld *world, double t, const double *u, const double *v,
                         double *f)
{
    for (int32_t n = 0; n < world->nodal_count; ++n) {
        const LyNodal *nodal = &world->nodals[n];
        if (nodal->function) {
            nodal->function(nodal->user, t, u, v, f);
            continue;
        }
        double factor = nodal->scale * ly_curve_at(&nodal->def->factor, t).value;
        for (int i = 0; i < 3; ++i) {
            double force = factor * ly_curve_at(&nodal->def->force[i], t).value;
            for (int32_t k = 0; k < nodal->count; ++k) {
                f[3 * (int64_t)nodal->vertices[k] + i] +=
                    nodal->shares ? nodal->shares[k] * force : force;
            }
        }
    }
}

// ---- on surfaces --------------------------------------------------------------------------------

static double traction_factor(void *user, double t)
{
    return ly_curve_at(&((const LyraLoadDef *)user)->factor, t).value;
}

static double pressure_factor(void *user, double t)
{
    const LyraLoadDef *def = user;
    return ly_curve_at(&def->factor, t).value * ly_curve_at(&def->pressure, t).value;
}

// rest positions of all vertices, to ly_release()
static LyraStatus gather_positions(const LyraWorld *world, double **out)
{
    double *positions = NULL;
    LY_TRY(ly_allocate_array(world->ctx, 3 * (int64_t)world->vertex_count, sizeof *positions,
                             &positions));
    for (int32_t b = 0; b < world->body_count; ++b) {
        memcpy(positions + 3 * (int64_t)world->views[b].first_vertex, world->bodies[b].positions,
               3 * sizeof *positions * (size_t)ly_body_nodes(&world->views[b]));
    }
    *out = positions;
    return LYRA_OK;
}

static LyraStatus add_traction(LyraWorld *world, const LyraLoadDef *load)
{
    LyraTractionDef def = lyra_traction_def_default();
    LY_TRY(
        ly_select_triangles(world, load->body, &load->select, &def.triangle_count, &def.triangles));
    bool constant = ly_curve_is_constant(&load->factor);
    def.symmetric = load->symmetric;
    def.user = (void *)load;
    if (load->type == LYRA_LOAD_PRESSURE) {
        constant &= ly_curve_is_constant(&load->pressure);
        def.kind = LYRA_TRACTION_PRESSURE;
        def.pressure = constant ? pressure_factor(def.user, 0) : 1;
        def.amplitude = constant ? NULL : pressure_factor;
    } else {
        def.kind = load->live ? LYRA_TRACTION_LIVE : LYRA_TRACTION_DEAD;
        for (int i = 0; i < 3; ++i) {
            def.traction[i] = load->traction[i] * (constant ? traction_factor(def.user, 0) : 1);
        }
        def.amplitude = constant ? NULL : traction_factor;
    }
    double *positions = NULL;
    LyraForce *force = NULL;
    LY_TRY(gather_positions(world, &positions));
    LyraStatus status =
        lyra_traction_create(world->ctx, world->vertex_count, positions, &def, &force);
    ly_release(world->ctx, positions);
    LY_TRY(status);
    return ly_world_own_force(world, -1, NULL, force);
}

// springs from `count` points of one or four vertices
static LyraStatus add_targets(LyraWorld *world, const LyraLoadDef *load, int32_t count,
                              int32_t nodes, const int32_t *vertices, const double *weights)
{
    LyraForce *force = NULL;
    const LyTargetSprings def = {.count = count,
                                 .nodes = nodes,
                                 .vertices = vertices,
                                 .weights = weights,
                                 .stiffness = load->stiffness,
                                 .damping = load->damping,
                                 .offset = load->offset};
    LY_TRY(ly_target_springs_create(world->ctx, &def, &force));
    return ly_world_own_force(world, -1, NULL, force);
}

static LyraStatus add_springs(LyraWorld *world, const LyraLoadDef *load)
{
    LySelection found;
    int32_t *vertices = NULL;
    double *weights = NULL;
    LY_TRY(ly_select_vertices(world, load->body, &load->select, &found));
    if (found.count > 0) {
        LY_TRY(add_targets(world, load, found.count, 1, found.vertices, NULL));
    }
    if (found.point_count > 0) {
        LY_TRY(ly_world_point_weights(world, found.point_count, found.points, &vertices, &weights));
        LY_TRY(add_targets(world, load, found.point_count, 4, vertices, weights));
    }
    return LYRA_OK;
}

// ---- adding -------------------------------------------------------------------------------------

LyraLoadDef lyra_load_def_default(void)
{
    return (LyraLoadDef){
        .select = lyra_selector_default(), .factor = lyra_curve_constant(1), .rest_length = NAN};
}

// forces of a file, on top of those that are given
static LyraStatus add_file(LyraWorld *world, const LyraLoadDef *load)
{
    bool given = false;
    for (int i = 0; i < 3; ++i) {
        given |= !ly_curve_is_zero(&load->force[i]);
    }
    LY_TRY(ly_world_add_step_forces(world, load));
    return given ? add_nodal(world, load) : LYRA_OK;
}

static LyraStatus add_load(LyraWorld *world, const LyraLoadDef *load)
{
    switch (load->type) {
    case LYRA_LOAD_FORCE:
        return load->file ? add_file(world, load) : add_nodal(world, load);
    case LYRA_LOAD_SPRING:
        return add_springs(world, load);
    case LYRA_LOAD_TENDON:
        return ly_world_add_tendon(world, load);
    default:
        return add_traction(world, load);
    }
}

LyraStatus lyra_world_add_load(LyraWorld *world, const LyraLoadDef *def)
{
    LYRA_ASSERT(world && def);
    LyraLoadDef *own = NULL;
    int32_t forces = world->force_count, rules = world->rule_count;
    LY_TRY(ly_world_check_open(world, "a load"));
    LY_TRY(ly_arena_allocate(world->arena, 1, sizeof *own, &own));
    LY_TRY(ly_keys_copy(world->arena, &ly_load_keys, def, own));
    LyraStatus status = add_load(world, own);
    if (status != LYRA_OK) {
        ly_world_drop(world, forces, rules);
    }
    return status;
}

LyraStatus lyra_world_add_load_function(LyraWorld *world, LyraLoad *load, void *user)
{
    LYRA_ASSERT(world && load);
    LY_TRY(ly_world_check_open(world, "a load"));
    LY_TRY(take_nodal(world, (LyNodal){.function = load, .user = user}));
    world->load_moves = true;
    return LYRA_OK;
}

LyraStatus lyra_world_take_force(LyraWorld *world, const char *body, LyraForce *force)
{
    LYRA_ASSERT(world && force);
    int32_t first = -1, end;
    LyraStatus status = ly_world_check_open(world, "a force");
    if (status == LYRA_OK && body) {
        status = ly_select_bodies(world, body, &first, &end);
    }
    if (status != LYRA_OK) {
        lyra_force_destroy(force);
        return status;
    }
    return ly_world_own_force(world, first, body, force);
}
