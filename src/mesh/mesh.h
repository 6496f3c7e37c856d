// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The inside of a volumetric mesh.

#ifndef LY_MESH_MESH_H
#define LY_MESH_MESH_H

#include "base/base.h"
#include "lyra/mesh.h"

struct LyraMesh {
    LyraContext *ctx;
    LyraElementKind kind;
    int32_t vertex_count, element_count;
    double *positions; // [vertex_count][3]
    int32_t *elements; // [element_count][nodes]
    int32_t material_count, set_count, region_count;
    LyraMeshMaterial *materials;
    LyraMeshSet *sets;
    LyraMeshRegion *regions;
    int32_t vertex_set_count, face_set_count;
    LyraMeshVertexSet *vertex_sets;
    LyraMeshFaceSet *face_sets;
    char *names;                // of materials and sets, one behind the other
    int32_t *set_members;       // of all sets, one behind the other
    int32_t *element_materials; // [element_count]
};

/// Whether elements have the corners, edges and faces of a tet; otherwise those of a cube.
static inline bool ly_kind_is_tet(LyraElementKind kind)
{
    return kind == LYRA_ELEMENT_TET4 || kind == LYRA_ELEMENT_TET10;
}

/// Makes a mesh that takes the arrays `positions` and `elements` (made by ly_allocate_array)
/// instead of copying those of `data`, which may be NULL there; materials, sets and regions are
/// copied. On failure the arrays stay the caller's.
LyraStatus ly_mesh_create_take(LyraContext *ctx, const LyraMeshView *data, double *positions,
                               int32_t *elements, LyraMesh **out);

#endif
