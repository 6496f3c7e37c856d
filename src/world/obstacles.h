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

/// Points of one body against the obstacles that concern it.
typedef struct LyBodyObstacles {
    int32_t body;
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
};

/// The points of a body that are held off: those of its surface, or all. Their areas, the distance
/// of the barrier and its stiffness.
LyraStatus ly_obstacle_points(LyraWorld *world, int32_t body, bool all, double dt,
                              LyObstaclePoints *out);

#endif
