// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The life of a group of points against obstacles, and what it looks like at a state.

#include "collide/obstacles.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

void ly_obstacle_points_release(LyraContext *ctx, LyObstaclePoints *points)
{
    ly_release(ctx, points->start);
    ly_release(ctx, points->vertices);
    ly_release(ctx, points->weights);
    ly_release(ctx, points->area);
    ly_release(ctx, points->distance);
    ly_release(ctx, points->stiffness);
    *points = (LyObstaclePoints){0};
}

static LyraStatus make_force(LyObstacleGroup *group, bool friction, LyraForce **out)
{
    LyraForceDef def = lyra_force_def_default();
    def.type = friction ? &ly_friction_types[group->moves] : &ly_barrier_types[group->moves];
    def.self = group;
    def.update = friction ? ly_friction_update : ly_obstacle_update;
    def.bound = friction ? NULL : ly_obstacle_bound;
    LY_TRY(lyra_force_create(group->ctx, &def, out));
    ++group->owners;
    return LYRA_OK;
}

LyraStatus ly_obstacle_group_create(LyraContext *ctx, int32_t count, const LyObstacle *obstacles,
                                    LyObstaclePoints *points, double dt, LyObstacleGroup **out,
                                    LyraForce *forces[2])
{
    LyObstacleGroup *group = NULL;
    LyraStatus status = ly_allocate_zeroed(ctx, 1, sizeof *group, &group);
    if (status != LYRA_OK) {
        ly_obstacle_points_release(ctx, points);
        return status;
    }
    group->ctx = ctx;
    group->dt = dt;
    group->points = *points;
    *points = (LyObstaclePoints){0};
    forces[0] = forces[1] = NULL;
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *group->obstacles, &group->obstacles));
    group->count = count;
    for (int32_t o = 0; o < count; ++o) {
        group->obstacles[o] = obstacles[o];
        group->moves |= obstacles[o].pose != NULL;
    }
    LY_TRY_DONE(make_force(group, false, &forces[0]));
    LY_TRY_DONE(make_force(group, true, &forces[1]));
    *out = group;
    return LYRA_OK;
done:
    if (forces[0]) {
        // the last force ends the group
        lyra_force_destroy(forces[0]);
        forces[0] = NULL;
    } else {
        ly_obstacle_points_release(ctx, &group->points);
        ly_release(ctx, group->obstacles);
        ly_release(ctx, group);
    }
    return status;
}

const LyObstaclePoints *ly_obstacle_group_points(const LyObstacleGroup *group)
{
    return &group->points;
}

void ly_obstacle_group_set_friction(LyObstacleGroup *group, int32_t obstacle, double friction)
{
    group->obstacles[obstacle].friction = friction;
}

// ---- looking ------------------------------------------------------------------------------------

// a point in front of an obstacle
typedef struct Place {
    int32_t p;
    double x[3], v[3];
    double soft;
} Place;

// adds what a term at the distance phi, with the gradient `own` seen from the obstacle, does
static void add_term(const LyObstacleGroup *group, const LyObstacle *o, const LyPose *pose,
                     const Place *at, double phi, const double own[3], LyObstacleState *state,
                     LyPointState *point)
{
    double range = o->distance > 0 ? o->distance : group->points.distance[at->p];
    double stiffness = o->stiffness > 0 ? o->stiffness : group->points.stiffness[at->p];
    double area = group->points.area[at->p], psi[3], n[3], w[3], y[3];
    if (phi >= ly_reach_of(o) * range) {
        return;
    }
    ly_response(o, phi / range, at->soft, psi);
    double load = -area * stiffness * psi[1], length = ly_length3(own);
    ly_pose_velocity(pose, at->x, w);
    for (int i = 0; i < 3; ++i) {
        n[i] = ly_dot3(pose->R + 3 * i, own);
        w[i] = at->v[i] - w[i];
    }
    double along = length > 0 ? ly_dot3(n, w) / (length * length) : 0;
    for (int i = 0; i < 3; ++i) {
        y[i] = w[i] - along * n[i];
    }
    double speed = ly_length3(y), s = speed / o->slip;
    double drag = o->friction * load * length * (s < 1 ? (2 - s) / o->slip : 1 / speed);
    for (int i = 0; i < 3; ++i) {
        double f = load * n[i] - drag * y[i];
        state->force[i] += f;
        if (point) {
            point->force[i] += f;
        }
    }
    state->normal += load * length;
    ++state->touching;
    state->sliding += s >= 1;
    if (point) {
        point->pressure += area > 0 ? load * length / area : 0;
        point->sliding = fmax(point->sliding, speed);
    }
}

void ly_obstacle_group_read(const LyObstacleGroup *group, const double *positions, const double *u,
                            const double *v, double time, const double *modes,
                            LyObstacleState *states, LyPointState *points)
{
    for (int32_t p = 0; points && p < group->points.count; ++p) {
        points[p] = (LyPointState){.gap = INFINITY};
    }
    for (int32_t o = 0; o < group->count; ++o) {
        const LyObstacle *obstacle = &group->obstacles[o];
        LyObstacleState none = {.min_gap = INFINITY, .min_point = -1};
        LyObstacleState *state = states ? &states[o] : &none;
        LyPose pose;
        ly_obstacle_pose(obstacle, time, &pose);
        for (int32_t p = 0; p < group->points.count; ++p) {
            Place at = {.p = p, .soft = modes && modes[p] == LY_SOFT ? LY_HALF_OUT : 0};
            double q[3], n[3];
            ly_obstacle_place(&group->points, p, positions, u, at.x);
            if (v) {
                ly_obstacle_place(&group->points, p, NULL, v, at.v);
            }
            ly_pose_back(&pose, at.x, q);
            for (int32_t t = 0; t < obstacle->shape->term_count; ++t) {
                double phi = ly_term_distance(&obstacle->shape->terms[t], q, n, NULL);
                if (phi < state->min_gap) {
                    state->min_gap = phi;
                    state->min_point = p;
                }
                if (points) {
                    points[p].gap = fmin(points[p].gap, phi);
                }
                add_term(group, obstacle, &pose, &at, phi, n, state, points ? &points[p] : NULL);
            }
        }
    }
}
