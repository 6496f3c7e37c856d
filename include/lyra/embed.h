// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Points in meshes: trees that find the closest vertex, the containing and the closest element,
/// and embeddings, which carry the motion of a volumetric mesh over to points. Tolerances and ties
/// are in docs/surfaces.md.

#ifndef LYRA_EMBED_H
#define LYRA_EMBED_H

#include "lyra/base.h"
#include "lyra/lines.h"
#include "lyra/mesh.h"
#include "lyra/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- closest vertex -----------------------------------------------------------------------------

/// A tree over points, to find the closest one.
typedef struct LyraVertexTree LyraVertexTree;

/// Makes a tree over a copy of `positions` [count][3]; magnitudes below 1e50.
LYRA_API LyraStatus lyra_vertex_tree_create(LyraContext *ctx, int32_t count,
                                            const double *positions, LyraVertexTree **out);

/// Accepts NULL.
LYRA_API void lyra_vertex_tree_destroy(LyraVertexTree *tree);

/// For each of `points` [count][3], the closest point of the tree, of several the lowest id; -1 in
/// a tree of none. `ids` [count]; `distances`: m, [count]. Nullable. Threaded; the same bits at any
/// thread count. Points of magnitude 1e50 and above, or not finite, find -1 and infinity.
LYRA_API void lyra_vertex_tree_closest(const LyraVertexTree *tree, int32_t count,
                                       const double *points, int32_t *ids, double *distances);

// ---- containing and closest element -------------------------------------------------------------

/// A tree over the elements of a mesh.
typedef struct LyraElementTree LyraElementTree;

/// Makes a tree over the elements of `mesh`, which must outlive it. Elements of no volume are left
/// out; inverted ones are not. Of a curved element, what its map makes of the reference element
/// counts as its inside. Fails with LYRA_BAD_MESH for coordinates of magnitude 1e50 and above and
/// for cubes that are not aligned with the axes to a thousandth of their size.
LYRA_API LyraStatus lyra_element_tree_create(const LyraMesh *mesh, LyraElementTree **out);

/// Accepts NULL.
LYRA_API void lyra_element_tree_destroy(LyraElementTree *tree);

/// Length within which a point outside of an element still counts as inside, and elements count as
/// equally far: 1e-12 times the size of the mesh and its distance from the origin, m.
LYRA_API double lyra_element_tree_tolerance(const LyraElementTree *tree);

/// For each of `points` [count][3], the element that contains it, of several the lowest id; -1
/// where none does. `elements` [count]; `weights` of its vertices (its shape functions there), zero
/// where none does, [count][nodes]. Nullable. Threaded; the same bits at any thread count.
LYRA_API void lyra_element_tree_containing(const LyraElementTree *tree, int32_t count,
                                           const double *points, int32_t *elements,
                                           double *weights);

/// What lyra_element_tree_closest() writes, each [count]. Nullable, each.
typedef struct LyraClosestElements {
    int32_t *elements; ///< Containing or else closest element, of several the lowest id; -1: none.
    double *distances; ///< m; 0 inside. Infinite where there is no element.
    double *points;    ///< Closest point of the element, [count][3]; the point itself inside.
    double *weights;   ///< Of the point itself, not the closest one: negative outside. [..][nodes].
} LyraClosestElements;

/// Finds the closest element of each of `points` [count][3]. Points of magnitude 1e50 and above, or
/// not finite, find none. Threaded; the same bits at any thread count.
LYRA_API void lyra_element_tree_closest(const LyraElementTree *tree, int32_t count,
                                        const double *points, const LyraClosestElements *out);

// ---- embedding ----------------------------------------------------------------------------------

/// The data of an embedding: point p is the sum over a of weights[p][a] times vertex
/// vertices[p][a].
typedef struct LyraEmbeddingView {
    int32_t point_count;
    int32_t node_count;      ///< Vertices per point: 4, 8 or 10, as the elements have; at least 1.
    int32_t vertex_count;    ///< Vertices of the volumetric mesh.
    const int32_t *vertices; ///< Ids from 0, [point_count][node_count].
    const double *weights;   ///< [point_count][node_count].
} LyraEmbeddingView;

/// What was found while weights were made.
typedef struct LyraEmbeddingReport {
    int32_t outside; ///< Points in no element; they take the closest one, with negative weights.
    int32_t zeroed;  ///< Points beyond the threshold, whose weights are all zero.
    double distance; ///< Largest distance of an outside point from the mesh, m.
} LyraEmbeddingReport;

/// Weights of points. Immutable.
typedef struct LyraEmbedding LyraEmbedding;

/// Embeds `points` [count][3] in `mesh`: weights of the containing element, and outside of the
/// closest one, where they extrapolate. With a positive `threshold` (m), points farther than it
/// from every vertex of the mesh get weights of zero. `report`: Nullable. Fails with LYRA_BAD_MESH
/// for a mesh without an element that has volume, LYRA_NOT_FINITE for points that are not finite.
LYRA_API LyraStatus lyra_embedding_create(const LyraMesh *mesh, int32_t count, const double *points,
                                          double threshold, LyraEmbedding **out,
                                          LyraEmbeddingReport *report);

/// Makes an embedding from a copy of `data`. Fails with LYRA_BAD_MESH for ids out of range.
LYRA_API LyraStatus lyra_embedding_create_from_weights(LyraContext *ctx,
                                                       const LyraEmbeddingView *data,
                                                       LyraEmbedding **out);

/// A tube of `sides` corners around lines with radii, and its embedding on their vertices: each
/// point goes along with one vertex, and lyra_embedding_move() turns it with the line, too.
LYRA_API LyraStatus lyra_embedding_create_tube(LyraContext *ctx, const LyraLinesView *lines,
                                               int32_t sides, LyraSurface **surface,
                                               LyraEmbedding **out);

/// Accepts NULL.
LYRA_API void lyra_embedding_destroy(LyraEmbedding *embedding);

/// Data of the embedding, valid while it lives.
LYRA_API LyraEmbeddingView lyra_embedding_view(const LyraEmbedding *embedding);

/// Reads an `.interp` file: rows `i v0 w0 v1 w1 ...`, all numbers from 0, with one number of
/// vertices in all rows. `vertex_count`: vertices of the volumetric mesh.
LYRA_API LyraStatus lyra_embedding_load(LyraContext *ctx, const char *path, int32_t vertex_count,
                                        LyraEmbedding **out);

/// Writes an `.interp` file, whole or not at all. Numbers read back to the same bits.
LYRA_API LyraStatus lyra_embedding_save(const LyraEmbedding *embedding, const char *path);

/// Writes the displacements of the points, [point_count][3], from those of the vertices,
/// [vertex_count][3]: the weighted sums. The arrays may not overlap. Threaded, allocates nothing,
/// the same bits at any thread count.
LYRA_API void lyra_embedding_interpolate(const LyraEmbedding *embedding, const double *vertices,
                                         double *points);

/// Writes rest + displacement for each point, [point_count][3]: `rest` [point_count][3] and `out`
/// may be one array. Points of a tube turn with its line. Otherwise as lyra_embedding_interpolate.
LYRA_API void lyra_embedding_move(const LyraEmbedding *embedding, const double *displacements,
                                  const double *rest, double *out);

#ifdef __cplusplus
}
#endif

#endif
