// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Obstacles that hold points at their surface [Hau04]: directions of constraints that come and go
// with the steps of the world. A point is held along the normal n, from the step in which it is met
// until its reaction pulls, n . r < 0, where a step ends: then that step is taken again without it,
// at most PASSES_MAX times.
//
//   relocate    Points that are inside where a step begins are set on the surface, with the normal
//               velocity of the obstacle, and go with it along n.
//   constraint  Points that would be inside where a step ends, as they move now, end the step on
//               the surface, and have the normal velocity of the obstacle there. Those that are
//               inside come out by the distance of the barrier a step.
//
// Which points are held, and their reactions, are a block of the state: [group][obstacle][point] of
// whether it is held, and n . r n.

#include "world/obstacles.h"

#include "integrate/integrate.h"
#include "math/vec3.h"
#include "model/state.h"

#include <math.h>
#include <string.h>

#define PASSES_MAX 3
#define NUMBERS 4      // of a point and an obstacle: held, reaction
#define LEAST_FREE 0.1 // of a normal beside what holds the vertex already

static bool holds(const LyraObstacleDef *def)
{
    return def->response == LYRA_OBSTACLE_RELOCATE || def->response == LYRA_OBSTACLE_CONSTRAINT;
}

bool ly_world_holds(const LyraWorld *world)
{
    bool any = false;
    for (int32_t o = 0; world->obstacles && o < world->obstacles->count; ++o) {
        any |= holds(world->obstacles->list[o]->def);
    }
    return any;
}

LyraStatus ly_world_check_holding(const LyraWorld *world, const LyraIntegrator *integrator)
{
    if (!ly_world_holds(world)) {
        return LYRA_OK;
    }
    if (strcmp(integrator->def.name, "static") == 0 || integrator->type->facts.adaptive) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "found integrator \"%s\" with obstacles that relocate or constrain, which "
                       "hold points from step to step, expected one with steps of dt",
                       integrator->def.name);
    }
    for (int32_t g = 0; g < world->obstacles->group_count; ++g) {
        const LyBodyObstacles *group = &world->obstacles->groups[g];
        for (int32_t k = 0; k < group->count; ++k) {
            const LyraObstacleDef *def = world->obstacles->list[group->obstacles[k]]->def;
            if (holds(def) && world->bodies[group->body].type->weighted) {
                return ly_fail(LYRA_UNSUPPORTED,
                               "found obstacle \"%.60s\", which holds vertices, with body "
                               "\"%.60s\", which has none of its own, expected response barrier "
                               "or penalty",
                               def->name, world->views[group->body].name);
            }
        }
    }
    return LYRA_OK;
}

// points of groups times their obstacles
static int64_t count_pairs(const LyraWorld *world)
{
    int64_t count = 0;
    for (int32_t g = 0; g < world->obstacles->group_count; ++g) {
        const LyBodyObstacles *group = &world->obstacles->groups[g];
        count += group->count > 0
                     ? (int64_t)group->count * ly_obstacle_group_points(group->group)->count
                     : 0;
    }
    return count;
}

static LyraStatus find_block(const LyraWorld *world, LyraState *state, double **numbers)
{
    int64_t count = count_pairs(world);
    const LyraStateBlockDef def = {
        .name = "obstacles", .version = 1, .owner = LYRA_STATE_MATERIAL, .count = NUMBERS * count};
    void *values = NULL;
    bool fresh = false;
    LY_TRY(lyra_state_block(state, &def, &values, &fresh));
    *numbers = values;
    return LYRA_OK;
}

const double *ly_world_held(const LyraWorld *world, int32_t group, int32_t obstacle)
{
    LyraStateBlock block;
    int64_t at = 0;
    if (!ly_world_holds(world) ||
        !lyra_state_find_block(world->state, "obstacles", LYRA_STATE_MATERIAL, &block)) {
        return NULL;
    }
    for (int32_t g = 0; g < group; ++g) {
        const LyBodyObstacles *before = &world->obstacles->groups[g];
        at += before->count > 0
                  ? (int64_t)before->count * ly_obstacle_group_points(before->group)->count
                  : 0;
    }
    const LyBodyObstacles *own = &world->obstacles->groups[group];
    at += (int64_t)obstacle * ly_obstacle_group_points(own->group)->count;
    return (const double *)block.values + NUMBERS * at;
}

// ---- holding ------------------------------------------------------------------------------------

// the least distance of x from a shape at a pose, and its direction in space
static double find_gap(const LyraShape *shape, const LyPose *pose, const double x[3], double n[3])
{
    double q[3], own[3], best = INFINITY, nearest[3] = {0};
    ly_pose_back(pose, x, q);
    for (int32_t t = 0; t < shape->term_count; ++t) {
        double gap = ly_term_distance(&shape->terms[t], q, own, NULL);
        if (gap < best) {
            best = gap;
            memcpy(nearest, own, sizeof nearest);
        }
    }
    double length = ly_length3(nearest);
    for (int i = 0; i < 3; ++i) {
        n[i] = length > 0 ? ly_dot3(pose->R + 3 * i, nearest) / length : 0;
    }
    return best;
}

typedef struct Hold {
    LyraWorld *world;
    const LyraObstacleDef *def;
    const LyraShape *shape;
    LyPose poses[2]; // where the step begins and ends
    double range, dt;
    LyraConstraints *constraints;
    double *targets; // displacements where the step ends, along directions, [3 vertices]
    double *u, *v;
} Hold;

// holds a vertex along n so that n . u is `value` where the step ends; false where it can't move
static LyraStatus hold_vertex(const Hold *hold, int32_t vertex, const double n[3], double value,
                              bool *held)
{
    LyraConstraintsView view = lyra_constraints_view(hold->constraints);
    double free[3] = {n[0], n[1], n[2]}, *target = hold->targets + 3 * (int64_t)vertex;
    // directions of a vertex are together, and ascend by vertex
    int32_t low = 0, high = view.count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (view.vertex[middle] < vertex) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < view.count && view.vertex[low] == vertex; ++low) {
        const double *d = view.direction + 3 * (int64_t)low;
        double along = ly_dot3(d, free);
        for (int i = 0; i < 3; ++i) {
            free[i] -= along * d[i];
        }
    }
    double length = ly_length3(free);
    *held = length >= LEAST_FREE;
    if (!*held) {
        return LYRA_OK;
    }
    // keeps what other directions of the vertex ask for
    double missing = (value - ly_dot3(n, target)) / ly_dot3(n, free);
    for (int i = 0; i < 3; ++i) {
        target[i] += missing * free[i];
    }
    return lyra_constraints_add_direction(hold->constraints, vertex, free);
}

static LyraStatus relocate(const Hold *hold, int32_t vertex, const double X[3], double *number)
{
    double n[3], x[3], w[3], back[3], end[3];
    int64_t at = 3 * (int64_t)vertex;
    for (int i = 0; i < 3; ++i) {
        x[i] = X[i] + hold->u[at + i];
    }
    double gap = find_gap(hold->shape, &hold->poses[0], x, n);
    bool held = false;
    if (!(number[0] > 0) && !(gap < 0)) {
        return LYRA_OK;
    }
    // where the surface goes with the obstacle
    for (int i = 0; i < 3; ++i) {
        back[i] = 0;
        for (int k = 0; k < 3; ++k) {
            back[i] += hold->poses[0].R[3 * k + i] * (x[k] - gap * n[k] - hold->poses[0].t[k]);
        }
    }
    for (int i = 0; i < 3; ++i) {
        end[i] = ly_dot3(hold->poses[1].R + 3 * i, back) + hold->poses[1].t[i];
    }
    double value = 0;
    for (int i = 0; i < 3; ++i) {
        value += n[i] * (end[i] - X[i]);
    }
    LY_TRY(hold_vertex(hold, vertex, n, value, &held));
    number[0] = held;
    if (!held) {
        return LYRA_OK;
    }
    ly_pose_velocity(&hold->poses[0], x, w);
    double speed = 0;
    for (int i = 0; i < 3; ++i) {
        speed += n[i] * (w[i] - hold->v[at + i]);
    }
    for (int i = 0; i < 3; ++i) {
        hold->u[at + i] -= gap * n[i];
        hold->v[at + i] += speed * n[i];
    }
    return LYRA_OK;
}

static LyraStatus constrain(const Hold *hold, int32_t vertex, const double X[3], double *number)
{
    double n[3], x[3], next[3];
    int64_t at = 3 * (int64_t)vertex;
    for (int i = 0; i < 3; ++i) {
        x[i] = X[i] + hold->u[at + i];
        next[i] = x[i] + hold->dt * hold->v[at + i];
    }
    bool held = number[0] > 0;
    if (!held && !(find_gap(hold->shape, &hold->poses[1], next, n) < 0)) {
        return LYRA_OK;
    }
    double first = find_gap(hold->shape, &hold->poses[0], x, n);
    double gap = find_gap(hold->shape, &hold->poses[1], x, n), value = 0;
    // what stays inside, so that it comes out without a blow
    gap += fmax(-first - hold->range, 0);
    for (int i = 0; i < 3; ++i) {
        value += n[i] * hold->u[at + i];
    }
    LY_TRY(hold_vertex(hold, vertex, n, value - gap, &held));
    number[0] = held;
    return LYRA_OK;
}

LyraStatus ly_world_hold(LyraWorld *world, LyraState *state, double end, int32_t pass)
{
    LyWorldObstacles *all = world->obstacles;
    if (!ly_world_holds(world)) {
        return LYRA_OK;
    }
    LyraStateView view = lyra_state_view(state);
    int64_t size = lyra_vector_size(view.u);
    double *numbers = NULL;
    // one by one: a step that lacked memory is taken again
    if (!all->targets) {
        LY_TRY(ly_allocate_array(world->ctx, size, sizeof(double), &all->targets));
    }
    if (!all->freed) {
        LY_TRY(ly_allocate_array(world->ctx, count_pairs(world), 1, &all->freed));
    }
    if (!all->reaction) {
        LY_TRY(lyra_system_vector_create(world->system, (int32_t)size, &all->reaction));
    }
    if (pass == 0) {
        memset(all->freed, 0, (size_t)count_pairs(world));
    }
    const uint8_t *freed = all->freed;
    LY_TRY(find_block(world, state, &numbers));
    LyraConstraints *constraints = lyra_model_constraints(world->model);
    lyra_constraints_clear(constraints);
    LY_TRY(ly_world_constrain(world));
    memset(all->targets, 0, (size_t)size * sizeof(double));
    Hold hold = {.world = world,
                 .constraints = constraints,
                 .targets = all->targets,
                 .dt = end - view.time,
                 .u = lyra_vector_values_mutable(view.u),
                 .v = lyra_vector_values_mutable(view.v)};
    const double *X = lyra_model_view(world->model).positions;
    for (int32_t g = 0; g < all->group_count; ++g) {
        const LyBodyObstacles *group = &all->groups[g];
        const LyObstaclePoints *points =
            group->count > 0 ? ly_obstacle_group_points(group->group) : NULL;
        for (int32_t k = 0; k < group->count;
             ++k, numbers += NUMBERS * (int64_t)points->count, freed += points->count) {
            const LyWorldObstacle *obstacle = all->list[group->obstacles[k]];
            hold.def = obstacle->def;
            hold.shape = obstacle->shape;
            ly_world_pose(hold.def, view.time, &hold.poses[0]);
            ly_world_pose(hold.def, end, &hold.poses[1]);
            for (int32_t p = 0; holds(hold.def) && p < points->count; ++p) {
                int32_t vertex = points->vertices[points->start[p]];
                double *number = numbers + NUMBERS * (int64_t)p;
                hold.range = isnan(hold.def->distance) ? points->distance[p] : hold.def->distance;
                if (freed[p]) {
                    number[0] = 0;
                    continue;
                }
                LY_TRY((hold.def->response == LYRA_OBSTACLE_RELOCATE ? relocate : constrain)(
                    &hold, vertex, X + 3 * (int64_t)vertex, number));
            }
        }
    }
    ly_state_outdate(state);
    return lyra_constraints_set_values(constraints, all->targets);
}

// v gets the normal velocity of the obstacle; whether it had another
static bool stop(const LyPose *pose, const double x[3], const double n[3], double *v)
{
    double w[3], speed = 0;
    ly_pose_velocity(pose, x, w);
    for (int i = 0; i < 3; ++i) {
        speed += n[i] * (w[i] - v[i]);
    }
    for (int i = 0; i < 3; ++i) {
        v[i] += speed * n[i];
    }
    return speed != 0;
}

// what the method lost by taking velocities
static LyraStatus book_loss(LyraWorld *world, LyraState *state, LyraStepReport *report)
{
    LyraEnergies energies;
    ly_state_outdate(state);
    LY_TRY(ly_world_energies_of(world, state, &energies));
    report->numerical += report->kinetic - energies.kinetic;
    report->kinetic = energies.kinetic;
    return LYRA_OK;
}

LyraStatus ly_world_find_pulled(LyraWorld *world, LyraState *state, int32_t pass, bool *again)
{
    LyWorldObstacles *all = world->obstacles;
    *again = false;
    if (!ly_world_holds(world)) {
        return LYRA_OK;
    }
    double *numbers = NULL;
    LY_TRY(lyra_integrator_reaction(world->integrator, state, all->reaction));
    LY_TRY(find_block(world, state, &numbers));
    LyraStateView view = lyra_state_view(state);
    const double *r = lyra_vector_values(all->reaction), *u = lyra_vector_values(view.u);
    uint8_t *freed = all->freed;
    for (int32_t g = 0; g < all->group_count; ++g) {
        const LyBodyObstacles *group = &all->groups[g];
        const LyObstaclePoints *points =
            group->count > 0 ? ly_obstacle_group_points(group->group) : NULL;
        for (int32_t k = 0; k < group->count;
             ++k, numbers += NUMBERS * (int64_t)points->count, freed += points->count) {
            const LyWorldObstacle *obstacle = all->list[group->obstacles[k]];
            LyPose pose;
            ly_world_pose(obstacle->def, view.time, &pose);
            for (int32_t p = 0; p < points->count; ++p) {
                double *number = numbers + NUMBERS * (int64_t)p, x[3], n[3];
                if (!(number[0] > 0)) {
                    memset(number, 0, NUMBERS * sizeof *number);
                    continue;
                }
                ly_obstacle_place(points, p, lyra_model_view(world->model).positions, u, x);
                find_gap(obstacle->shape, &pose, x, n);
                double push = ly_dot3(n, r + 3 * (int64_t)points->vertices[points->start[p]]);
                freed[p] = push < 0;
                *again |= push < 0;
                for (int i = 0; i < 3; ++i) {
                    number[1 + i] = push * n[i];
                }
            }
        }
    }
    *again = *again && pass + 1 < PASSES_MAX;
    return LYRA_OK;
}

LyraStatus ly_world_release(LyraWorld *world, LyraState *state, LyraStepReport *report)
{
    LyWorldObstacles *all = world->obstacles;
    if (!ly_world_holds(world)) {
        return LYRA_OK;
    }
    double *numbers = NULL;
    bool stopped = false;
    LY_TRY(find_block(world, state, &numbers));
    LyraStateView view = lyra_state_view(state);
    const double *u = lyra_vector_values(view.u);
    double *v = lyra_vector_values_mutable(view.v);
    const uint8_t *freed = all->freed;
    for (int32_t g = 0; g < all->group_count; ++g) {
        const LyBodyObstacles *group = &all->groups[g];
        const LyObstaclePoints *points =
            group->count > 0 ? ly_obstacle_group_points(group->group) : NULL;
        for (int32_t k = 0; k < group->count;
             ++k, numbers += NUMBERS * (int64_t)points->count, freed += points->count) {
            const LyWorldObstacle *obstacle = all->list[group->obstacles[k]];
            LyPose pose;
            ly_world_pose(obstacle->def, view.time, &pose);
            for (int32_t p = 0; p < points->count; ++p) {
                double *number = numbers + NUMBERS * (int64_t)p, x[3], n[3];
                if (number[0] > 0 && obstacle->def->response == LYRA_OBSTACLE_CONSTRAINT) {
                    int64_t at = 3 * (int64_t)points->vertices[points->start[p]];
                    ly_obstacle_place(points, p, lyra_model_view(world->model).positions, u, x);
                    find_gap(obstacle->shape, &pose, x, n);
                    stopped |= stop(&pose, x, n, v + at);
                }
                if (number[0] > 0 && freed[p]) {
                    memset(number, 0, NUMBERS * sizeof *number);
                }
            }
        }
    }
    return stopped ? book_loss(world, state, report) : LYRA_OK;
}
