// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Obstacles of a world: their shapes, how they move, and pairs of forces for bodies.

#include "world/obstacles.h"

#include "integrate/integrate.h"
#include "lyra/matrix_file.h"
#include "math/vec3.h"
#include "model/changing.h"
#include "world/motion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

LyraObstacleDef lyra_obstacle_def_default(void)
{
    LyraShapeDef shape = lyra_shape_def_default();
    return (LyraObstacleDef){.normal = {0, 1, 0},
                             .end = {0, 1, 0},
                             .radius = shape.radius,
                             .tube = shape.tube,
                             .size = {1, 1, 1},
                             .spacing = shape.spacing,
                             .resolution = shape.resolution,
                             .rotate.axis = {0, 0, 1},
                             .rotation.axis = {0, 0, 1},
                             .slip = 1e-3,
                             .distance = NAN,
                             .stiffness = NAN};
}

// ---- motion -------------------------------------------------------------------------------------

static void find_pose(const void *user, double time, LyPose *out)
{
    const LyraObstacleDef *def = user;
    LyMotionFrame frame = ly_frame_at(&def->rotation, def->displacement, time);
    ly_turn_matrix(frame.axis, 0, out->R);
    // columns of R, and t, are where unit vectors and 0 go
    double zero[3] = {0}, u[3], v[3], a[3];
    ly_frame_move(&frame, zero, out->t, v, a);
    for (int k = 0; k < 3; ++k) {
        double unit[3] = {0};
        unit[k] = 1;
        ly_frame_move(&frame, unit, u, v, a);
        for (int i = 0; i < 3; ++i) {
            out->R[3 * i + k] = unit[i] + u[i] - out->t[i];
        }
    }
    // the velocity of the point of space where 0 is now
    ly_frame_move(&frame, zero, u, out->v, a);
    for (int i = 0; i < 3; ++i) {
        out->w[i] = frame.rate * frame.axis[i];
    }
}

void ly_world_pose(const LyraObstacleDef *def, double time, LyPose *out)
{
    find_pose(def, time, out);
}

static bool moves(const LyraObstacleDef *def)
{
    bool any = !ly_curve_is_zero(&def->rotation.angle);
    for (int i = 0; i < 3; ++i) {
        any |= !ly_curve_is_zero(&def->displacement[i]);
    }
    return any;
}

// ---- adding -------------------------------------------------------------------------------------

static LyraStatus check_def(const LyraWorld *world, const LyraObstacleDef *def)
{
    bool file = def->file || def->surface;
    bool field = def->shape == LYRA_SHAPE_MESH || def->shape == LYRA_SHAPE_HEIGHT_FIELD;
    if (field != file) {
        return ly_fail_key(LYRA_BAD_FORMAT, "file",
                           field ? "found none, expected the file of a mesh or of heights"
                                 : "found it with another shape, expected it of mesh and "
                                   "height-field alone");
    }
    LY_TRY(ly_within_key(ly_check_direction("axis", def->rotate.axis), "rotate"));
    LY_TRY(ly_within_key(ly_check_direction("axis", def->rotation.axis), "rotation"));
    int32_t body;
    if (def->body) {
        LY_TRY(ly_find_body(world, "body", def->body, &body));
    }
    for (int32_t p = 0; p < def->pair_count; ++p) {
        LyraStatus status = ly_find_body(world, "body", def->pairs[p].body, &body);
        if (status != LYRA_OK) {
            return ly_within_item(status, "pairs", p);
        }
    }
    bool holds =
        def->response == LYRA_OBSTACLE_RELOCATE || def->response == LYRA_OBSTACLE_CONSTRAINT;
    if (holds && (def->friction > 0 || def->pair_count > 0)) {
        return ly_fail_key(LYRA_UNSUPPORTED, def->friction > 0 ? "friction" : "pairs",
                           "found friction with response %s, whose points slide freely, expected "
                           "none, or response barrier",
                           def->response == LYRA_OBSTACLE_RELOCATE ? "relocate" : "constraint");
    }
    if (lyra_world_find_obstacle(world, def->name) >= 0) {
        return ly_fail_key(LYRA_BAD_FORMAT, "name",
                           "found a second obstacle called \"%.60s\", expected names to differ",
                           def->name);
    }
    return LYRA_OK;
}

static LyraStatus load(LyraWorld *world, LyWorldObstacle *obstacle)
{
    const LyraObstacleDef *def = obstacle->def;
    char *path = NULL;
    if (def->surface) {
        LyraSurfaceView view = lyra_surface_view(def->surface);
        return lyra_surface_create(world->ctx, &view, &obstacle->surface);
    }
    if (!def->file) {
        return LYRA_OK;
    }
    LY_TRY(ly_world_path(world, def->file, &path));
    LyraStatus status =
        def->shape == LYRA_SHAPE_MESH
            ? lyra_surface_load(world->ctx, path, LYRA_MESH_FORMAT_AUTO, &obstacle->surface)
            : lyra_dense_load_npy(world->ctx, path, &obstacle->heights);
    ly_release(world->ctx, path);
    return ly_within_key(status, "file");
}

// x = c + R (X - c) of all terms
static void turn_shape(LyraShape *shape, const LyraTurn *turn)
{
    double R[9];
    ly_turn_matrix(turn->axis, turn->angle, R);
    if (turn->angle == 0) {
        return;
    }
    for (int32_t t = -1; t < shape->term_count; ++t) {
        double *place = t < 0 ? shape->center : shape->terms[t].origin, d[3];
        ly_subtract3(place, turn->center, d);
        for (int i = 0; i < 3; ++i) {
            place[i] = turn->center[i] + ly_dot3(R + 3 * i, d);
        }
        for (int k = 0; t >= 0 && k < 3; ++k) {
            double *axis = shape->terms[t].axes + 3 * k, old[3] = {axis[0], axis[1], axis[2]};
            for (int i = 0; i < 3; ++i) {
                axis[i] = ly_dot3(R + 3 * i, old);
            }
        }
    }
}

static LyraStatus make_shape(LyraWorld *world, LyWorldObstacle *obstacle, double reach)
{
    const LyraObstacleDef *def = obstacle->def;
    LyraShapeDef shape = lyra_shape_def_default();
    if (obstacle->shape) {
        return LYRA_OK;
    }
    shape.kind = def->shape;
    memcpy(shape.point, def->point, sizeof shape.point);
    memcpy(shape.normal, def->normal, sizeof shape.normal);
    memcpy(shape.end, def->end, sizeof shape.end);
    memcpy(shape.size, def->size, sizeof shape.size);
    shape.radius = def->radius;
    shape.tube = def->tube;
    shape.inside = def->inside;
    shape.surface = obstacle->surface;
    shape.resolution = def->resolution;
    shape.reach = reach;
    shape.spacing = def->spacing;
    double *heights = NULL;
    if (obstacle->heights) {
        // rows along z, columns along x
        LyraDenseView view = lyra_dense_view(obstacle->heights);
        int64_t rows = view.rows, columns = view.columns;
        LY_TRY(ly_allocate_array(world->ctx, rows * columns, sizeof *heights, &heights));
        for (int64_t k = 0; k < rows * columns; ++k) {
            heights[k] = view.values[k / columns + rows * (k % columns)];
        }
        shape.heights = heights;
        shape.count[0] = view.columns;
        shape.count[1] = view.rows;
    }
    LyraStatus status = lyra_shape_create(world->ctx, &shape, &obstacle->shape);
    ly_release(world->ctx, heights);
    if (status == LYRA_OK) {
        turn_shape(obstacle->shape, &def->rotate);
    }
    return status;
}

static void turn_points(const LyraTurn *turn, int32_t count, const double *from, double *to)
{
    double R[9];
    ly_turn_matrix(turn->axis, turn->angle, R);
    for (int64_t v = 0; v < count; ++v) {
        double d[3];
        ly_subtract3(from + 3 * v, turn->center, d);
        for (int i = 0; i < 3; ++i) {
            to[3 * v + i] = turn->center[i] + ly_dot3(R + 3 * i, d);
        }
    }
}

static void end_obstacle(LyraContext *ctx, LyWorldObstacle *obstacle)
{
    lyra_shape_destroy(obstacle->shape);
    lyra_surface_destroy(obstacle->surface);
    lyra_dense_destroy(obstacle->heights);
    ly_release(ctx, obstacle);
}

static LyraStatus add(LyraWorld *world, const LyraObstacleDef *def, LyWorldObstacles *all)
{
    LyWorldObstacle *obstacle = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_grow_array(world->ctx, all->count, sizeof *all->list, &all->list));
    LY_TRY(ly_allocate_zeroed(world->ctx, 1, sizeof *obstacle, &obstacle));
    obstacle->def = def;
    obstacle->moves = moves(def);
    LY_TRY_DONE(load(world, obstacle));
    if (def->shape != LYRA_SHAPE_MESH) {
        // a mesh is sampled when it is known how far it must reach
        LY_TRY_DONE(make_shape(world, obstacle, 0));
    }
    all->list[all->count++] = obstacle;
    return LYRA_OK;
done:
    end_obstacle(world->ctx, obstacle);
    return status;
}

LyraStatus lyra_world_add_obstacle(LyraWorld *world, const LyraObstacleDef *def, int32_t *index)
{
    LYRA_ASSERT(world && def);
    LyraObstacleDef *own = NULL;
    LY_TRY(ly_world_check_open(world, "an obstacle"));
    if (!world->obstacles) {
        LY_TRY(ly_allocate_zeroed(world->ctx, 1, sizeof *world->obstacles, &world->obstacles));
    }
    LyWorldObstacles *all = world->obstacles;
    LY_TRY(ly_arena_allocate(world->arena, 1, sizeof *own, &own));
    LY_TRY(ly_keys_copy(world->arena, &ly_obstacle_keys, def, own));
    own->surface = def->surface;
    if (!own->name) {
        char *name = NULL;
        LY_TRY(ly_arena_allocate(world->arena, 24, 1, &name));
        snprintf(name, 24, "obstacle%d", (int)all->count + 1);
        own->name = name;
    }
    LY_TRY(check_def(world, own));
    LY_TRY(add(world, own, all));
    own->surface = NULL;
    ly_world_digest(world, own->point, sizeof own->point);
    ly_world_digest(world, own->normal, sizeof own->normal);
    ly_world_digest(world, own->end, sizeof own->end);
    ly_world_digest(world, own->size, sizeof own->size);
    ly_world_digest(world, &own->shape, sizeof own->shape);
    ly_world_digest(world, &own->radius, sizeof own->radius);
    if (index) {
        *index = all->count - 1;
    }
    return LYRA_OK;
}

int32_t lyra_world_obstacle_count(const LyraWorld *world)
{
    LYRA_ASSERT(world);
    return world->obstacles ? world->obstacles->count : 0;
}

int32_t lyra_world_find_obstacle(const LyraWorld *world, const char *name)
{
    LYRA_ASSERT(world && name);
    for (int32_t o = 0; world->obstacles && o < world->obstacles->count; ++o) {
        if (strcmp(world->obstacles->list[o]->def->name, name) == 0) {
            return o;
        }
    }
    return -1;
}

void ly_world_end_obstacles(LyraWorld *world)
{
    LyWorldObstacles *all = world->obstacles;
    if (!all) {
        return;
    }
    for (int32_t o = 0; o < all->count; ++o) {
        end_obstacle(world->ctx, all->list[o]);
    }
    for (int32_t g = 0; g < all->group_count; ++g) {
        ly_release(world->ctx, all->groups[g].obstacles);
    }
    lyra_vector_destroy(all->reaction);
    ly_release(world->ctx, all->targets);
    ly_release(world->ctx, all->freed);
    ly_release(world->ctx, all->list);
    ly_release(world->ctx, all->groups);
    ly_release(world->ctx, all);
    world->obstacles = NULL;
}

// ---- preparing ----------------------------------------------------------------------------------

static bool concerns(const LyraWorld *world, const LyraObstacleDef *def, int32_t body)
{
    return !def->body || strcmp(def->body, world->views[body].name) == 0;
}

static double friction_with(const LyraWorld *world, const LyraObstacleDef *def, int32_t body)
{
    double friction = def->friction;
    for (int32_t p = 0; p < def->pair_count; ++p) {
        if (strcmp(def->pairs[p].body, world->views[body].name) == 0) {
            friction = def->pairs[p].friction;
        }
    }
    return friction;
}

static LyraStatus check_points(const LyraWorld *world, int32_t body, int32_t obstacle,
                               const LyObstaclePoints *points)
{
    const LyraObstacleDef *def = world->obstacles->list[obstacle]->def;
    bool range = !isnan(def->distance) || (points->count > 0 && points->distance[0] > 0);
    bool push = !isnan(def->stiffness) || (points->count > 0 && points->stiffness[0] > 0);
    const char *key = !range ? "distance" : "stiffness";
    if (range && push) {
        return LYRA_OK;
    }
    return ly_within_item(ly_fail_key(LYRA_BAD_FORMAT, key,
                                      "found none, and body \"%.60s\" has no %s to tell it by, "
                                      "expected it given",
                                      world->views[body].name, !range ? "edges" : "mass"),
                          "obstacles", obstacle);
}

static const LyResponse responses[LYRA_OBSTACLE_RESPONSE_COUNT] = {
    [LYRA_OBSTACLE_BARRIER] = LY_BARRIER,
    [LYRA_OBSTACLE_PENALTY] = LY_PENALTY,
    [LYRA_OBSTACLE_RELOCATE] = LY_HELD,
    [LYRA_OBSTACLE_CONSTRAINT] = LY_HELD,
};

// what a group is made of
typedef struct Making {
    LyObstacle *obstacles; // [count], as those of LyBodyObstacles
    LyObstaclePoints points;
    int32_t point_room;
    int64_t entry_room;
    bool weighted; // points are sums over several vertices
    bool alone;    // of one body, whatever the others are
} Making;

static void end_making(LyraContext *ctx, LyBodyObstacles *group, Making *making)
{
    ly_obstacle_points_release(ctx, &making->points);
    ly_release(ctx, making->obstacles);
    ly_release(ctx, group->obstacles);
    *making = (Making){0};
    *group = (LyBodyObstacles){0};
}

static LyraStatus add_obstacle(LyraWorld *world, int32_t o, LyBodyObstacles *out, Making *making)
{
    LyWorldObstacle *obstacle = world->obstacles->list[o];
    const LyraObstacleDef *def = obstacle->def;
    const LyObstaclePoints *points = &making->points;
    double own = points->count > 0 ? points->distance[0] : 0;
    double range = isnan(def->distance) ? own : def->distance;
    LY_TRY(check_points(world, out->body, o, points));
    LY_TRY(ly_within_item(make_shape(world, obstacle, range), "obstacles", o));
    making->alone |= obstacle->moves || responses[def->response] == LY_HELD;
    making->obstacles[out->count] =
        (LyObstacle){.shape = obstacle->shape,
                     .pose = obstacle->moves ? find_pose : NULL,
                     .user = def,
                     .response = responses[def->response],
                     .friction = friction_with(world, def, out->body),
                     .slip = def->slip,
                     .distance = isnan(def->distance) ? 0 : def->distance,
                     .stiffness = isnan(def->stiffness) ? 0 : def->stiffness};
    out->obstacles[out->count++] = o;
    return LYRA_OK;
}

// the points of a body and the obstacles that concern it, none at all without any
static LyraStatus take_body(LyraWorld *world, int32_t body, LyBodyObstacles *out, Making *making)
{
    LyWorldObstacles *all = world->obstacles;
    int32_t count = 0;
    bool inner = false;
    *making = (Making){.weighted = world->bodies[body].type->weighted};
    *out = (LyBodyObstacles){.body = body, .model_group = -1};
    for (int32_t o = 0; o < all->count; ++o) {
        const LyraObstacleDef *def = all->list[o]->def;
        count += concerns(world, def, body);
        inner |= concerns(world, def, body) && def->vertices == LYRA_OBSTACLE_ALL;
    }
    if (count == 0) {
        return LYRA_OK;
    }
    double dt = world->dt / world->substeps;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_obstacle_points(world, body, inner, dt, &making->points));
    LY_TRY_DONE(ly_allocate_array(world->ctx, count, sizeof(int32_t), &out->obstacles));
    LY_TRY_DONE(
        ly_allocate_array(world->ctx, count, sizeof *making->obstacles, &making->obstacles));
    for (int32_t o = 0; o < all->count; ++o) {
        if (concerns(world, all->list[o]->def, body)) {
            LY_TRY_DONE(add_obstacle(world, o, out, making));
        }
    }
    return LYRA_OK;
done:
    end_making(world->ctx, out, making);
    return status;
}

static bool may_join(const LyBodyObstacles *a, const Making *p, const LyBodyObstacles *b,
                     const Making *q)
{
    bool fit = !p->alone && !q->alone && p->weighted == q->weighted && a->count == b->count;
    for (int32_t k = 0; fit && k < a->count; ++k) {
        fit = a->obstacles[k] == b->obstacles[k] &&
              p->obstacles[k].friction == q->obstacles[k].friction;
    }
    return fit;
}

// appends the points of `from`
static LyraStatus join(LyraContext *ctx, const LyObstaclePoints *from, Making *making)
{
    LyObstaclePoints *to = &making->points;
    int32_t count = to->count + from->count;
    int64_t first = to->start[to->count], entries = first + from->start[from->count];
    if (count > making->point_room) {
        int32_t room = 2 * count;
        LY_TRY(ly_resize_array(ctx, room + (int64_t)1, sizeof *to->start, &to->start));
        LY_TRY(ly_resize_array(ctx, room, sizeof *to->area, &to->area));
        LY_TRY(ly_resize_array(ctx, room, sizeof *to->distance, &to->distance));
        LY_TRY(ly_resize_array(ctx, room, sizeof *to->stiffness, &to->stiffness));
        making->point_room = room;
    }
    if (entries > making->entry_room) {
        int64_t room = 2 * entries;
        LY_TRY(ly_resize_array(ctx, room, sizeof *to->vertices, &to->vertices));
        LY_TRY(ly_resize_array(ctx, room, sizeof *to->weights, &to->weights));
        making->entry_room = room;
    }
    for (int64_t k = first; k < entries; ++k) {
        to->vertices[k] = from->vertices[k - first];
        to->weights[k] = from->weights[k - first];
    }
    for (int32_t p = 0; p < from->count; ++p) {
        int32_t at = to->count++;
        to->area[at] = from->area[p];
        to->distance[at] = from->distance[p];
        to->stiffness[at] = from->stiffness[p];
        to->start[at + 1] = first + from->start[p + 1];
    }
    return LYRA_OK;
}

// a group for each body, or one for several
static LyraStatus find_groups(LyraWorld *world, Making *makings)
{
    LyWorldObstacles *all = world->obstacles;
    for (int32_t b = 0; b < world->body_count; ++b) {
        LyBodyObstacles *own = &all->groups[all->group_count];
        Making *making = &makings[all->group_count];
        LY_TRY(take_body(world, b, own, making));
        int32_t g = 0;
        while (g < all->group_count && !may_join(&all->groups[g], &makings[g], own, making)) {
            ++g;
        }
        if (own->count == 0) {
            continue;
        }
        if (g == all->group_count) {
            ++all->group_count;
            continue;
        }
        LyraStatus status = join(world->ctx, &making->points, &makings[g]);
        end_making(world->ctx, own, making);
        LY_TRY(status);
    }
    return LYRA_OK;
}

static LyraStatus make_group(LyraWorld *world, LyBodyObstacles *group, Making *making)
{
    LyraForce *forces[2];
    LY_TRY(ly_obstacle_group_create(world->ctx, group->count, making->obstacles, &making->points,
                                    world->dt / world->substeps, &group->group, forces));
    group->barrier = forces[0];
    LyraStatus status = ly_world_own_force(world, -1, NULL, forces[0]);
    if (status != LYRA_OK) {
        lyra_force_destroy(forces[1]);
        return status;
    }
    return ly_world_own_force(world, -1, NULL, forces[1]);
}

LyraStatus ly_world_prepare_obstacles(LyraWorld *world)
{
    LyWorldObstacles *all = world->obstacles;
    Making *makings = NULL;
    if (!all || all->made) {
        return LYRA_OK;
    }
    int32_t forces = world->force_count;
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_allocate_zeroed(world->ctx, world->body_count, sizeof *makings, &makings));
    LY_TRY_DONE(
        ly_allocate_zeroed(world->ctx, world->body_count, sizeof *all->groups, &all->groups));
    LY_TRY_DONE(find_groups(world, makings));
    for (int32_t g = 0; g < all->group_count; ++g) {
        LY_TRY_DONE(make_group(world, &all->groups[g], &makings[g]));
    }
    all->made = true;
done:
    for (int32_t g = 0; g < all->group_count; ++g) {
        ly_obstacle_points_release(world->ctx, &makings[g].points);
        ly_release(world->ctx, makings[g].obstacles);
        if (status != LYRA_OK) {
            ly_release(world->ctx, all->groups[g].obstacles);
        }
    }
    ly_release(world->ctx, makings);
    if (status != LYRA_OK) {
        all->group_count = 0;
        ly_release(world->ctx, all->groups);
        all->groups = NULL;
        ly_world_drop(world, forces, world->rule_count);
    }
    return status;
}

void ly_world_note_obstacles(LyraWorld *world)
{
    for (int32_t g = 0; world->obstacles && g < world->obstacles->group_count; ++g) {
        LyBodyObstacles *group = &world->obstacles->groups[g];
        group->model_group =
            group->barrier ? lyra_model_group_of(world->model, group->barrier) : -1;
    }
}

LyraStatus ly_world_check_obstacles(const LyraWorld *world, const LyraIntegrator *integrator)
{
    bool moving = false;
    for (int32_t o = 0; world->obstacles && o < world->obstacles->count; ++o) {
        moving |= world->obstacles->list[o]->moves;
    }
    return moving && integrator->type->facts.adaptive
               ? ly_fail(LYRA_UNSUPPORTED,
                         "found integrator \"%s\", which chooses its steps, with obstacles that "
                         "move, expected one with steps of dt",
                         integrator->def.name)
               : LYRA_OK;
}

// ---- looking ------------------------------------------------------------------------------------

static void read_group(LyraWorld *world, const LyBodyObstacles *group, LyObstacleState *states)
{
    LyraStateView state = lyra_state_view(world->state);
    int64_t known = 0;
    const double *modes =
        ly_model_changing_history(world->model, group->model_group, world->state, &known);
    const LyObstaclePoints *points = ly_obstacle_group_points(group->group);
    ly_obstacle_group_read(group->group, lyra_model_view(world->model).positions,
                           lyra_vector_values(state.u), lyra_vector_values(state.v), state.time,
                           known == points->count ? modes : NULL, states, NULL);
}

LyraStatus lyra_world_obstacle(LyraWorld *world, int32_t index, LyraObstacleReport *out)
{
    LYRA_ASSERT(world && out);
    LyWorldObstacles *all = world->obstacles;
    LY_TRY(lyra_world_prepare(world));
    if (index < 0 || !all || index >= all->count) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "obstacle %d of %d", (int)index,
                       all ? (int)all->count : 0);
    }
    *out = (LyraObstacleReport){
        .name = all->list[index]->def->name, .min_gap = INFINITY, .min_vertex = -1};
    LyObstacleState *states = NULL;
    LY_TRY(ly_allocate_array(world->ctx, all->count, sizeof *states, &states));
    for (int32_t g = 0; g < all->group_count; ++g) {
        const LyBodyObstacles *group = &all->groups[g];
        for (int32_t k = 0; k < group->count; ++k) {
            states[k] = (LyObstacleState){.min_gap = INFINITY, .min_point = -1};
        }
        if (group->count > 0) {
            read_group(world, group, states);
        }
        for (int32_t k = 0; k < group->count; ++k) {
            const LyObstacleState *state = &states[k];
            if (group->obstacles[k] != index) {
                continue;
            }
            if (state->min_gap < out->min_gap) {
                const LyObstaclePoints *points = ly_obstacle_group_points(group->group);
                out->min_gap = state->min_gap;
                out->min_vertex = points->vertices[points->start[state->min_point]];
            }
            for (int i = 0; i < 3; ++i) {
                out->reaction[i] -= state->force[i];
            }
            const double *held = ly_world_held(world, g, k);
            int32_t count = held ? ly_obstacle_group_points(group->group)->count : 0;
            for (int64_t p = 0; p < count; ++p) {
                for (int i = 0; i < 3; ++i) {
                    out->reaction[i] -= held[4 * p + 1 + i];
                }
                out->normal += ly_length3(held + 4 * p + 1);
                out->touching += held[4 * p] > 0;
            }
            out->normal += state->normal;
            out->touching += state->touching;
            out->sliding += state->sliding;
        }
    }
    ly_release(world->ctx, states);
    return LYRA_OK;
}

LyraStatus lyra_world_obstacle_pose(const LyraWorld *world, int32_t index, double time, double R[9],
                                    double t[3])
{
    LYRA_ASSERT(world && R && t);
    const LyWorldObstacles *all = world->obstacles;
    if (index < 0 || !all || index >= all->count) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "obstacle %d of %d", (int)index,
                       all ? (int)all->count : 0);
    }
    LyPose pose;
    find_pose(all->list[index]->def, time, &pose);
    memcpy(R, pose.R, sizeof pose.R);
    memcpy(t, pose.t, sizeof pose.t);
    return LYRA_OK;
}

LyraStatus lyra_world_obstacle_surface(const LyraWorld *world, int32_t index,
                                       const double center[3], double extent, LyraSurface **out)
{
    LYRA_ASSERT(world && center && out);
    const LyWorldObstacles *all = world->obstacles;
    if (index < 0 || !all || index >= all->count) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "obstacle %d of %d", (int)index,
                       all ? (int)all->count : 0);
    }
    const LyWorldObstacle *obstacle = all->list[index];
    if (!obstacle->surface) {
        return ly_shape_surface(obstacle->shape, center, extent, out);
    }
    LyraSurfaceView view = lyra_surface_view(obstacle->surface);
    double *positions = NULL;
    LY_TRY(ly_allocate_array(world->ctx, 3 * (int64_t)view.vertex_count, sizeof *positions,
                             &positions));
    turn_points(&obstacle->def->rotate, view.vertex_count, view.positions, positions);
    view.positions = positions;
    LyraStatus status = lyra_surface_create(world->ctx, &view, out);
    ly_release(world->ctx, positions);
    return status;
}
