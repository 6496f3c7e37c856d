// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Obstacles of a world, and the points of bodies that they hold off.

#ifndef LY_WORLD_OBSTACLES_H
#define LY_WORLD_OBSTACLES_H

#include "collide/obstacles.h"
#include "lyra/dense.h"
#include "world/world.h"

typedef struct LyWorldObstacle {
    const LyraObstacleDef *def; // on the world's arena, names filled in
    LyraShape *shape;           // owned; made when the world is prepared
    LyraSurface *surface;       // owned. Nullable
    LyraDense *heights;         // owned. Nullable
    bool moves;
} LyWorldObstacle;

/// Points of one body, or of several, against the obstacles that concern them. Bodies that meet
/// the same ones with the same friction are together, unless these move or hold them: each body
/// has its own time for those that move.
typedef struct LyBodyObstacles {
    int32_t body;           // the first
    LyObstacleGroup *group; // ends with its forces
    const LyraForce *barrier;
    int32_t model_group;
    int32_t count;
    int32_t *obstacles; // of the world, [count]; owned
} LyBodyObstacles;

struct LyWorldObstacles {
    int32_t count;
    LyWorldObstacle **list; // [count]
    bool made;
    int32_t group_count;
    LyBodyObstacles *groups; // [group_count]
    double *targets;         // of what is held, [3 vertices]; made by the first step. Nullable
    LyraVector *reaction;    // the same
    uint8_t *freed;          // what pulled in this step, [points of groups x obstacles]; the same
};

/// The points of a body that are held off: those of its surface, or all. Their areas, the distance
/// of the barrier and its stiffness.
LyraStatus ly_obstacle_points(LyraWorld *world, int32_t body, bool all, double dt,
                              LyObstaclePoints *out);

/// Where an obstacle is at a time.
void ly_world_pose(const LyraObstacleDef *def, double time, LyPose *out);

/// What the state of the world has of a group's points and one of its obstacles, [points][4]: 1
/// where a point is held, and the force on it, N. NULL where nothing is held.
const double *ly_world_held(const LyraWorld *world, int32_t group, int32_t obstacle);

#endif
