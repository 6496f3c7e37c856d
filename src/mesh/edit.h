// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the operations that make new meshes share.

#ifndef LY_MESH_EDIT_H
#define LY_MESH_EDIT_H

#include "lyra/mesh_edit.h"
#include "mesh/mesh.h"

/// Makes a mesh with the materials, sets and regions of `mesh` from new vertices and elements,
/// which it takes; on failure they are given back to the allocator. `element_map`: new id of each
/// old element or -1; NULL: old element e became `children` elements from e * children on.
/// `materials`: those of the new mesh, as many as of the old; NULL: the same.
LyraStatus ly_mesh_edit_finish(const LyraMesh *mesh, int32_t vertex_count, double *positions,
                               int32_t element_count, int32_t *elements, const int32_t *element_map,
                               int32_t children, const LyraMeshMaterial *materials, LyraMesh **out);

/// Makes a mesh of the elements `list` [count] (NULL: all) whose vertices v become vertex_map[v];
/// vertices mapped to -1 are dropped, and of several mapped to one the first gives its position.
LyraStatus ly_mesh_edit_renumber(const LyraMesh *mesh, int32_t vertex_count,
                                 const int32_t *vertex_map, int32_t count, const int32_t *list,
                                 const int32_t *element_map, LyraMesh **out);

#endif
