// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Operations that make a new mesh from another, which stays as it is. Materials, sets and regions
/// are carried over: a set keeps its name and the elements, vertices or faces that came from its
/// own. Maps from old to new ids are optional outputs; -1 marks what is gone.

#ifndef LYRA_MESH_EDIT_H
#define LYRA_MESH_EDIT_H

#include "lyra/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What lyra_mesh_orient found.
typedef struct LyraOrientReport {
    int32_t flipped;    ///< Elements whose vertices were reordered.
    int32_t degenerate; ///< Elements without a sign to go by, left alone (LYRA_MESH_DEGENERATE).
} LyraOrientReport;

/// Gives every element the positive orientation. Inverted tets swap their last two corners. A cube
/// whose vertices are the corners of an axis-aligned box in any order gets the order of the
/// convention; any other inverted cube swaps its two z-faces. `report`: Nullable.
LYRA_API LyraStatus lyra_mesh_orient(const LyraMesh *mesh, LyraOrientReport *report,
                                     LyraMesh **out);

/// The elements `elements` [count], in that order, and the vertices they use, in their old order.
/// `vertex_map`: [vertex_count], Nullable. `element_map`: [element_count], Nullable. Fails with
/// LYRA_INVALID_ARGUMENT for an id that is out of range or repeated.
LYRA_API LyraStatus lyra_mesh_submesh(const LyraMesh *mesh, int32_t count, const int32_t *elements,
                                      int32_t *vertex_map, int32_t *element_map, LyraMesh **out);

/// Drops vertices that no element uses. `vertex_map`: [vertex_count], Nullable.
LYRA_API LyraStatus lyra_mesh_remove_orphans(const LyraMesh *mesh, int32_t *vertex_map,
                                             LyraMesh **out);

/// Makes one vertex of those within `tolerance` (m, >= 0) of each other: in order of ids, a vertex
/// joins the first kept one that is near enough, or is kept where it is. 0 merges equal positions
/// only. All elements stay, also those that collapse. `vertex_map`: [vertex_count], Nullable.
LYRA_API LyraStatus lyra_mesh_merge_vertices(const LyraMesh *mesh, double tolerance,
                                             int32_t *vertex_map, LyraMesh **out);

/// Makes tets of 10 nodes from tets of 4: the middles of edges become vertices behind the old ones.
/// Sets of vertices gain the middles of edges whose ends both belong to them. Fails with
/// LYRA_UNSUPPORTED for other elements, with LYRA_BAD_MESH for one that names a vertex twice, with
/// LYRA_TOO_LARGE beyond 2^31 - 1 vertices.
LYRA_API LyraStatus lyra_mesh_quadratic(const LyraMesh *mesh, LyraMesh **out);

/// The way back: the corners of tets of 10 nodes alone; curved edges become straight. `vertex_map`:
/// [vertex_count], Nullable. Fails with LYRA_UNSUPPORTED for other elements.
LYRA_API LyraStatus lyra_mesh_linear(const LyraMesh *mesh, int32_t *vertex_map, LyraMesh **out);

/// Cuts every element in eight by the midpoints of its edges (cubes: of faces and body too); the
/// four inner tets of a tet meet at the shortest diagonal. Curved tets keep their shape: new nodes
/// lie on the old curves, and a set of vertices gains those between two of its members. Element e
/// becomes 8 e to 8 e + 7; old vertices keep their ids, and sets of vertices gain none; a face
/// becomes its four parts. Fails with LYRA_TOO_LARGE beyond 2^31 - 1, with LYRA_BAD_MESH for an
/// element that names a vertex twice.
LYRA_API LyraStatus lyra_mesh_refine(const LyraMesh *mesh, LyraMesh **out);

/// x -> matrix x + translation. `matrix`: row-major. A mirroring one also turns the elements, so
/// that they keep their orientation. If it is a rotation and a scale, axes of orthotropic materials
/// turn along; otherwise they stay. Cubes that end up skew are allowed: see lyra_mesh_quality.
LYRA_API LyraStatus lyra_mesh_transform(const LyraMesh *mesh, const double matrix[9],
                                        const double translation[3], LyraMesh **out);

/// Random order of vertices and elements, the same for one seed everywhere. `vertex_map`:
/// [vertex_count], Nullable. `element_map`: [element_count], Nullable.
LYRA_API LyraStatus lyra_mesh_shuffle(const LyraMesh *mesh, uint64_t seed, int32_t *vertex_map,
                                      int32_t *element_map, LyraMesh **out);

#ifdef __cplusplus
}
#endif

#endif
