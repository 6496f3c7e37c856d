// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the operations that make new meshes share.

#ifndef LY_MESH_EDIT_H
#define LY_MESH_EDIT_H

#include "lyra/mesh_edit.h"
#include "mesh/mesh.h"

/// How a mesh becomes another.
typedef struct LyMeshEdit {
    const LyraMesh *mesh; ///< The old one.
    int32_t vertex_count, element_count;
    double *positions;          ///< Of the new one, taken.
    int32_t *elements;          ///< Of the new one, taken.
    const int32_t *vertex_map;  ///< New id of each old vertex or -1; NULL: old ones keep theirs.
    const int32_t *element_map; ///< New id of each old element or -1; NULL: element e became
                                ///< `children` elements from e * children on.
    int32_t children;           ///< 1, or 8 as refine.c has them; 1 with a map.
    const LyraMeshMaterial *materials; ///< As many as the old ones; NULL: the same.
} LyMeshEdit;

/// Makes a mesh with the materials, sets and regions of the old one from new vertices and elements,
/// which it takes; on failure they are given back to the allocator.
LyraStatus ly_mesh_edit_finish(const LyMeshEdit *edit, LyraMesh **out);

/// The sets of the old mesh in the new one, into `view`, whose sets are empty; call
/// ly_carried_sets_release in any case.
LyraStatus ly_carry_sets(const LyMeshEdit *edit, LyraMeshView *view);
void ly_carried_sets_release(LyraContext *ctx, LyraMeshView *view);

/// Side of an element that has just the corners `vertices` [count], looking at side `first` first;
/// -1 if none has.
int32_t ly_find_side(LyraElementKind kind, const int32_t *element, int32_t count,
                     const int32_t *vertices, int32_t first);

/// Sorts faces given as element * sides + side, drops repeats, and makes the pairs of a face set;
/// `*count` becomes what is left. Free `*out` with ly_release.
LyraStatus ly_sort_face_keys(LyraContext *ctx, int32_t sides, int64_t *count, uint64_t *keys,
                             int32_t **out);

/// Makes a mesh of the elements `list` [count] (NULL: all) whose vertices v become vertex_map[v];
/// vertices mapped to -1 are dropped, and of several mapped to one the first gives its position.
LyraStatus ly_mesh_edit_renumber(const LyraMesh *mesh, int32_t vertex_count,
                                 const int32_t *vertex_map, int32_t count, const int32_t *list,
                                 const int32_t *element_map, LyraMesh **out);

#endif
