// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Shapes that bodies do not enter, as signed distances: planes, spheres, capsules, boxes,
/// cylinders, tori, height fields, closed meshes. Worlds make obstacles of them: world.h.
/// docs/obstacles.md says how to use them, docs/theory/barrier.md has the formulas.

#ifndef LYRA_OBSTACLE_H
#define LYRA_OBSTACLE_H

#include "lyra/base.h"
#include "lyra/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum LyraShapeKind {
    LYRA_SHAPE_PLANE = 0,    ///< All behind a plane: `point`, `normal`.
    LYRA_SHAPE_SPHERE,       ///< `point`, `radius`.
    LYRA_SHAPE_CAPSULE,      ///< From `point` to `end`, `radius`.
    LYRA_SHAPE_BOX,          ///< About `point`, edges `size`.
    LYRA_SHAPE_CYLINDER,     ///< From `point` to `end`, `radius`.
    LYRA_SHAPE_TORUS,        ///< About `point`, axis `normal`, a ring of `radius` and `tube`.
    LYRA_SHAPE_HEIGHT_FIELD, ///< All below y = heights over x and z.
    LYRA_SHAPE_MESH,         ///< A closed surface, sampled on a grid.
    LYRA_SHAPE_KIND_COUNT
} LyraShapeKind;

/// A shape. Start from lyra_shape_def_default().
typedef struct LyraShapeDef {
    LyraShapeKind kind;
    double point[3];  ///< m. Default 0.
    double normal[3]; ///< Of a plane, out of the obstacle; axis of a torus. Default y.
    double end[3];    ///< Of a capsule or cylinder, m. Default (0, 1, 0).
    double radius;    ///< m, > 0. Default 0.5.
    double tube;      ///< Of a torus, m, > 0. Default 0.1.
    double size[3];   ///< Edges of a box, m, > 0. Default 1.
    bool inside;      ///< Bodies are inside of it. Default false.
    /// Heights of a field, m, [count[1]][count[0]], x runs fastest, from `point` on in steps of
    /// `spacing` along x and z, above the y of `point`.
    const double *heights;
    int32_t count[2];           ///< >= 2 each.
    double spacing;             ///< m, > 0. Default 1.
    const LyraSurface *surface; ///< Of a mesh; closed.
    int32_t resolution;         ///< Cells of the grid along its longest edge, >= 4. Default 64.
    double reach;               ///< Distance up to which a mesh is to be known, m, >= 0. Default 0.
    uint32_t cookie;            ///< Written by the default function only.
} LyraShapeDef;

LYRA_API LyraShapeDef lyra_shape_def_default(void);

/// Immutable; any thread may ask it.
typedef struct LyraShape LyraShape;

/// Makes a shape; all of the def is copied. Fails with LYRA_INVALID_ARGUMENT for sizes that are not
/// positive and directions without a length, LYRA_BAD_MESH for a surface that is not closed: thin
/// ones have no inside to keep bodies out of.
LYRA_API LyraStatus lyra_shape_create(LyraContext *ctx, const LyraShapeDef *def, LyraShape **out);

/// Accepts NULL.
LYRA_API void lyra_shape_destroy(LyraShape *shape);

/// Signed distances of `points` [count][3], m, below 0 where bodies must not be; gradients
/// [count][3]; second derivatives [count][9], 1/m. The latter two Nullable. Exact outside of plane,
/// sphere, capsule, box, cylinder and torus; of height fields a lower bound, of meshes smoothed
/// over a cell of their grid.
LYRA_API void lyra_shape_distance(const LyraShape *shape, int32_t count, const double *points,
                                  double *distances, double *gradients, double *hessians);

#ifdef __cplusplus
}
#endif

#endif
