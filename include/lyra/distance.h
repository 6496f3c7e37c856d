// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// How far a point is from a surface, and on which side: exactly, by a tree over the triangles, or
/// from a grid of samples. What is inside follows the generalised winding number, so surfaces may
/// have holes, cross themselves or be inside out. docs/theory/distance.md has the formulas.

#ifndef LYRA_DISTANCE_H
#define LYRA_DISTANCE_H

#include "lyra/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- tree of triangles --------------------------------------------------------------------------

/// A tree over the triangles of a surface. Immutable; any thread may query it.
typedef struct LyraSurfaceTree LyraSurfaceTree;

/// Makes a tree over a copy of the triangles of `surface`; polygons count as fans from their first
/// corner. Fails with LYRA_BAD_MESH for a surface without faces and for coordinates of magnitude
/// 1e50 and above.
LYRA_API LyraStatus lyra_surface_tree_create(const LyraSurface *surface, LyraSurfaceTree **out);

/// Accepts NULL.
LYRA_API void lyra_surface_tree_destroy(LyraSurfaceTree *tree);

/// What lyra_surface_tree_closest() writes, each [count]. Nullable, each.
typedef struct LyraClosestFaces {
    int32_t *faces;    ///< Closest face of the surface; of several equally far, one of them.
    double *distances; ///< m, not negative.
    double *points;    ///< Closest point of the surface, [count][3].
} LyraClosestFaces;

/// Finds the closest point of the surface for each of `points` [count][3]. Points of magnitude 1e50
/// and above, or not finite, find face -1, distance infinity and themselves. Threaded; the same
/// bits at any thread count.
LYRA_API void lyra_surface_tree_closest(const LyraSurfaceTree *tree, int32_t count,
                                        const double *points, const LyraClosestFaces *out);

/// Writes the generalised winding number of the surface around each of `points` [count][3]: the
/// signed solid angle it covers, over 4 pi. 1 inside of a closed surface that faces outward, 0
/// outside, -1 inside of one that faces inward; in between near holes. Far triangles count by a
/// multipole expansion: the error is below 0.03 (see docs/theory/distance.md). Not finite: 0.
LYRA_API void lyra_surface_tree_winding(const LyraSurfaceTree *tree, int32_t count,
                                        const double *points, double *winding);

/// Writes signed distances of `points` [count][3], m: negative inside, which is where the winding
/// number is beyond one half in magnitude. `gradients`: unit vectors away from the surface on the
/// outside, [count][3]; zero on the surface. Nullable.
LYRA_API void lyra_surface_tree_signed_distance(const LyraSurfaceTree *tree, int32_t count,
                                                const double *points, double *distances,
                                                double *gradients);

// ---- grid of samples ----------------------------------------------------------------------------

/// Signed distances on a grid, interpolated in between.
typedef struct LyraDistanceField LyraDistanceField;

/// What to sample. Start from lyra_distance_field_def_default().
typedef struct LyraDistanceFieldDef {
    int32_t resolution; ///< Cells along the longest edge of the box of the surface, >= 1.
                        ///< Default 64.
    int32_t margin;     ///< Cells added around the box, >= 0. Default 2.
    uint32_t cookie;    ///< Written by the default function only.
} LyraDistanceFieldDef;

LYRA_API LyraDistanceFieldDef lyra_distance_field_def_default(void);

/// The data of a field: what a view lends and what a create copies.
typedef struct LyraDistanceFieldView {
    int32_t dimensions[3]; ///< Samples along each axis, >= 2.
    double origin[3];      ///< Place of the first sample, m.
    double spacing;        ///< Edge of a cell, m, > 0.
    const double *values;  ///< m, negative inside; x runs fastest, then y.
} LyraDistanceFieldView;

/// Samples the signed distance of the tree's surface. Threaded. Fails with LYRA_TOO_LARGE beyond
/// 2^31 - 1 samples.
LYRA_API LyraStatus lyra_distance_field_create(const LyraSurfaceTree *tree,
                                               const LyraDistanceFieldDef *def,
                                               LyraDistanceField **out);

/// Makes a field from a copy of `data`. Fails with LYRA_INVALID_ARGUMENT for sizes out of range,
/// LYRA_NOT_FINITE for numbers that are not finite.
LYRA_API LyraStatus lyra_distance_field_create_from_values(LyraContext *ctx,
                                                           const LyraDistanceFieldView *data,
                                                           LyraDistanceField **out);

/// Accepts NULL.
LYRA_API void lyra_distance_field_destroy(LyraDistanceField *field);

/// Data of the field, valid while it lives.
LYRA_API LyraDistanceFieldView lyra_distance_field_view(const LyraDistanceField *field);

/// Writes distances of `points` [count][3] by trilinear interpolation, m. Outside of the grid: the
/// value at the closest point of the grid plus the distance to it, so that the field stays
/// continuous and grows outward. `gradients`: of what was interpolated, not scaled to length 1,
/// [count][3]. Nullable. Not finite: infinity and zero. Threaded, allocates nothing.
LYRA_API void lyra_distance_field_sample(const LyraDistanceField *field, int32_t count,
                                         const double *points, double *distances,
                                         double *gradients);

/// Writes the field as structured points of VTK's legacy format (`.vtk`, binary), whole or not at
/// all. Numbers read back to the same bits.
LYRA_API LyraStatus lyra_distance_field_save(const LyraDistanceField *field, const char *path);

/// Reads what lyra_distance_field_save() wrote.
LYRA_API LyraStatus lyra_distance_field_load(LyraContext *ctx, const char *path,
                                             LyraDistanceField **out);

/// As lyra_distance_field_load, from memory.
LYRA_API LyraStatus lyra_distance_field_load_memory(LyraContext *ctx, const LyraMemoryFile *file,
                                                    LyraDistanceField **out);

#ifdef __cplusplus
}
#endif

#endif
