// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Points of bodies against obstacles: two changing groups of forces, the barrier and, beside it,
// friction. docs/theory/barrier.md has the formulas.

#ifndef LY_COLLIDE_OBSTACLES_H
#define LY_COLLIDE_OBSTACLES_H

#include "collide/shape.h"
#include "lyra/force.h"

#include <math.h>

/// Where an obstacle is and how it moves: x = R X + t of its place X at rest, with the velocity
/// `v` of the point of space that X = 0 is at and the spin w.
typedef struct LyPose {
    double R[9], t[3], v[3], w[3];
} LyPose;

/// Depends on `time` alone; any thread may call it.
typedef void LyPoseFunction(const void *user, double time, LyPose *out);

/// How an obstacle pushes.
typedef enum LyResponse {
    LY_BARRIER = 0, // never passed
    LY_PENALTY,     // in proportion to the depth, from the surface on
    LY_HELD,        // by constraints, not by the group
} LyResponse;

/// An obstacle. Shape and user must outlive the groups.
typedef struct LyObstacle {
    const LyraShape *shape;
    LyPoseFunction *pose; // Nullable: it stays where it is
    const void *user;
    LyResponse response;
    double friction;  // of Coulomb, >= 0
    double slip;      // speed below which it creeps, m/s, > 0
    double distance;  // of the barrier, m; 0: that of the point
    double stiffness; // Pa; 0: that of the point
} LyObstacle;

/// Points, weights on vertices of the model, as they are held off.
typedef struct LyObstaclePoints {
    int32_t count;
    int64_t *start;    // [count + 1]
    int32_t *vertices; // [entries]
    double *weights;   // [entries]
    double *area;      // m^2, [count]
    double *distance;  // at which the barrier begins, m, [count]
    double *stiffness; // Pa, [count]
} LyObstaclePoints;

typedef struct LyObstacleGroup LyObstacleGroup;

/// Makes the group and its two forces. Takes the arrays of `points`, also on failure. `obstacles`
/// are copied. `dt`: a usual step, s, > 0: how gently bodies that begin inside come out.
LyraStatus ly_obstacle_group_create(LyraContext *ctx, int32_t count, const LyObstacle *obstacles,
                                    LyObstaclePoints *points, double dt, LyObstacleGroup **group,
                                    LyraForce *forces[2]);

/// Releases the arrays.
void ly_obstacle_points_release(LyraContext *ctx, LyObstaclePoints *points);

/// What an obstacle does to the points of a group.
typedef struct LyObstacleState {
    double min_gap;    // m
    int32_t min_point; // -1 without points
    double force[3];   // on the points, N
    double normal;     // sum of the sizes of the normal forces, N
    int32_t touching;  // points in reach of the barrier
    int32_t sliding;   // of these, faster than the speed `slip`
} LyObstacleState;

/// What a point feels.
typedef struct LyPointState {
    double gap;      // m
    double force[3]; // N
    double pressure; // Pa
    double sliding;  // speed along the surface, m/s; 0 where nothing touches
} LyPointState;

/// At u, v (Nullable: at rest), at a time. `modes`: the history of the barrier, [points].
/// Nullable. `states`: [obstacles], merged into; `points`: [points of the group], overwritten.
/// Each Nullable.
void ly_obstacle_group_read(const LyObstacleGroup *group, const double *positions, const double *u,
                            const double *v, double time, const double *modes,
                            LyObstacleState *states, LyPointState *points);

const LyObstaclePoints *ly_obstacle_group_points(const LyObstacleGroup *group);

/// Sets the friction of one obstacle; between steps.
void ly_obstacle_group_set_friction(LyObstacleGroup *group, int32_t obstacle, double friction);

// ---- inside -------------------------------------------------------------------------------------

/// How a point is held off: by the barrier; softly until it is half out; by the barrier, slowed,
/// until it is all out.
enum { LY_OUT = 0, LY_SOFT, LY_SLOWED };

/// LY_AHEAD: the time that forces look ahead to; LY_TIME where they don't.
enum { LY_AREA, LY_STIFFNESS, LY_DISTANCE, LY_MODE, LY_TIME, LY_AHEAD, LY_BARRIER_PARAMETERS };
enum { LY_PLACE = LY_BARRIER_PARAMETERS, LY_FRICTION_PARAMETERS = LY_PLACE + 3 };

struct LyObstacleGroup {
    LyraContext *ctx;
    int32_t owners; // forces that have not ended
    int32_t count;
    LyObstacle *obstacles; // [count]
    LyObstaclePoints points;
    double dt;
    bool moves;
};

/// psi of an obstacle's response at s = phi/d, with two derivatives; zero from `ly_reach_of` on.
/// `soft`: as ly_barrier() has it.
void ly_response(const LyObstacle *obstacle, double s, double soft, double out[3]);

/// Share of the distance of the barrier below which an obstacle pushes.
static inline double ly_reach_of(const LyObstacle *obstacle)
{
    return obstacle->response == LY_BARRIER ? 1 : obstacle->response == LY_PENALTY ? 0 : -INFINITY;
}

/// s below which points on their way out, and those that are looked ahead for, are pushed softly.
#define LY_HALF_OUT 0.5
#define LY_GENTLE 0.25

/// -(s - 1)^2 ln s with two derivatives for s < 1; it goes on in a parabola below s = `soft`.
void ly_barrier(double s, double soft, double out[3]);

/// The share of the way d, seen from a term, of a point that is at the distance `first` that leaves
/// `floor` of the distance, > 0; 1 where all of it does.
double ly_term_way(const LyTerm *term, const double q[3], const double d[3], double first,
                   double floor);

/// The pose at a time; that at rest for obstacles that stay.
void ly_obstacle_pose(const LyObstacle *obstacle, double time, LyPose *out);

/// x seen from an obstacle, at its rest.
void ly_pose_back(const LyPose *pose, const double x[3], double out[3]);

/// Velocity of the obstacle where x is.
void ly_pose_velocity(const LyPose *pose, const double x[3], double out[3]);

/// Where the points are and go: x = sum of weights times (positions + u).
void ly_obstacle_place(const LyObstaclePoints *points, int32_t p, const double *positions,
                       const double *u, double x[3]);

/// Whether a place, seen from the obstacle, is farther than `distance` from it: quickly.
static inline bool ly_shape_is_far(const LyraShape *shape, const double p[3], double distance)
{
    double dx = p[0] - shape->center[0], dy = p[1] - shape->center[1], dz = p[2] - shape->center[2];
    double reach = shape->bound + distance;
    return dx * dx + dy * dy + dz * dz > reach * reach;
}

extern const LyraForceType ly_barrier_types[2], ly_friction_types[2]; // [moves]

LyraStatus ly_obstacle_update(const void *self, const LyraUpdate *at, LyraStencilSet *set,
                              uint64_t *version);
LyraStatus ly_friction_update(const void *self, const LyraUpdate *at, LyraStencilSet *set,
                              uint64_t *version);
double ly_obstacle_bound(const void *self, const LyraStencilSet *set, int32_t vertex_count,
                         const double *positions, const double *u, const double *d);

#endif
