// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Obstacles of a world: shapes that bodies do not enter.

#ifndef LYRA_WORLD_OBSTACLES_H
#define LYRA_WORLD_OBSTACLES_H

#include "lyra/base.h"
#include "lyra/curve.h"
#include "lyra/obstacle.h"
#include "lyra/surface.h"
#include "lyra/world_bodies.h"
#include "lyra/world_loads.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct LyraWorld LyraWorld;

/// Which vertices of a body an obstacle holds off.
typedef enum LyraObstacleVertices {
    LYRA_OBSTACLE_SURFACE = 0, ///< Those of its surface, mid-edge ones of quadratic faces too.
    LYRA_OBSTACLE_ALL,         ///< Also those inside: for obstacles that are small beside elements.
    LYRA_OBSTACLE_VERTICES_COUNT
} LyraObstacleVertices;

/// How an obstacle holds bodies off.
typedef enum LyraObstacleResponse {
    LYRA_OBSTACLE_BARRIER = 0, ///< They never get inside.
    LYRA_OBSTACLE_PENALTY,     ///< They are pushed back in proportion to the depth.
    /// Those inside are set on the surface where a step begins, and held there along its normal
    /// until they are pulled. Without friction.
    LYRA_OBSTACLE_RELOCATE,
    /// Those that would get inside end the step on the surface, and are held there the same way.
    LYRA_OBSTACLE_CONSTRAINT,
    LYRA_OBSTACLE_RESPONSE_COUNT
} LyraObstacleResponse;

/// Friction of an obstacle with one body, in place of that of the obstacle.
typedef struct LyraObstaclePair {
    const char *body;
    double friction; ///< >= 0.
} LyraObstaclePair;

/// What bodies do not enter: docs/obstacles.md. Start from lyra_obstacle_def_default().
typedef struct LyraObstacleDef {
    const char *name;           ///< Unique, for probes. Nullable: "obstacle1", ...
    const char *body;           ///< That is held off. Nullable: all.
    LyraShapeKind shape;        ///< lyra/obstacle.h. Default a plane.
    double point[3];            ///< m. Default 0.
    double normal[3];           ///< Of a plane, axis of a torus. Default y.
    double end[3];              ///< Of a capsule or cylinder, m. Default y.
    double radius, tube;        ///< m, > 0. Default 0.5, 0.1.
    double size[3];             ///< Of a box, m, > 0. Default 1.
    bool inside;                ///< Bodies are inside of it. Default false.
    const char *file;           ///< Of a mesh: a closed surface; heights as `.npy`. Nullable.
    const LyraSurface *surface; ///< In place of `file`; copied. Nullable.
    double spacing;             ///< Of heights, m, > 0. Default 1.
    int32_t resolution;         ///< Of a mesh: cells along its longest edge, [4, 1024]. Default 64.
    LyraTurn rotate;            ///< Before all motion.
    LyraCurve displacement[3];  ///< Over time, m. Default 0.
    LyraRotation rotation;      ///< Over time, before the displacement.
    double friction;            ///< Of Coulomb, >= 0. Default 0.
    const LyraObstaclePair *pairs; ///< [pair_count].
    int32_t pair_count;
    double slip;      ///< Speed up to which what sticks may creep, m/s, > 0. Default 1e-3.
    double distance;  ///< At which it begins to push, m, > 0. Default NaN: by the body's mesh.
    double stiffness; ///< Of its push, Pa, > 0. Default NaN: by the body's own.
    LyraObstacleVertices vertices; ///< Default LYRA_OBSTACLE_SURFACE.
    LyraObstacleResponse response; ///< Default LYRA_OBSTACLE_BARRIER.
} LyraObstacleDef;

LYRA_API LyraObstacleDef lyra_obstacle_def_default(void);

/// Adds an obstacle. `index`: Nullable: its number, from 0.
LYRA_API LyraStatus lyra_world_add_obstacle(LyraWorld *world, const LyraObstacleDef *def,
                                            int32_t *index);

LYRA_API int32_t lyra_world_obstacle_count(const LyraWorld *world);

/// Number of an obstacle, -1 for none of that name.
LYRA_API int32_t lyra_world_find_obstacle(const LyraWorld *world, const char *name);

/// An obstacle now.
typedef struct LyraObstacleReport {
    const char *name;
    double min_gap;     ///< Of all points, m; INFINITY without any.
    int32_t min_vertex; ///< Of the model, nearest to it (of an affine body a particle); -1: none.
    double reaction[3]; ///< Force of the bodies on it, N.
    double normal;      ///< Sum of the normal forces, N.
    int32_t touching;   ///< Points that it pushes.
    int32_t sliding;    ///< Of these, faster than `slip`.
} LyraObstacleReport;

LYRA_API LyraStatus lyra_world_obstacle(LyraWorld *world, int32_t index, LyraObstacleReport *out);

/// Makes a surface to show an obstacle by, at its rest; the caller ends it. Planes are squares of
/// 2 `extent`, m, about `center`, m, [3].
LYRA_API LyraStatus lyra_world_obstacle_surface(const LyraWorld *world, int32_t index,
                                                const double center[3], double extent,
                                                LyraSurface **out);

/// Where an obstacle is at a time: x = R X + t of its place at rest. R row-major.
LYRA_API LyraStatus lyra_world_obstacle_pose(const LyraWorld *world, int32_t index, double time,
                                             double R[9], double t[3]);

#ifdef __cplusplus
}
#endif

#endif
