// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What readers of every format fill while they read, and what becomes a mesh at the end. Arrays
// grow with what is really there, never by what a file claims.

#ifndef LY_MESH_BUILDER_H
#define LY_MESH_BUILDER_H

#include "mesh/mesh.h"
#include "mesh/names.h"

/// Named sets of ids, one after another. Zero-initialise.
typedef struct LySetList {
    LyNames names;
    int64_t *begins; // [names.count], first of each set in `ids`
    int32_t *ids;
    int64_t capacity, id_count, id_capacity;
} LySetList;

/// Starts a set; its name must be new. Ids added from now on go to it, in any order.
LyraStatus ly_set_list_add(LyraContext *ctx, LySetList *list, LySlice name);

/// Adds ids to the set added last.
LyraStatus ly_set_list_add_ids(LyraContext *ctx, LySetList *list, const int32_t *ids,
                               int64_t count);

/// Behind the last id of a set.
static inline int64_t ly_set_list_end(const LySetList *list, int32_t set)
{
    return set + 1 < list->names.count ? list->begins[set + 1] : list->id_count;
}

void ly_set_list_release(LyraContext *ctx, LySetList *list);

/// Zero-initialise, then set `ctx`.
typedef struct LyMeshBuilder {
    LyraContext *ctx;
    LyraElementKind kind;
    double *positions; ///< [vertex_capacity][3]
    int32_t *elements; ///< [element_capacity][nodes]
    int64_t vertex_count, vertex_capacity;
    int64_t element_count, element_capacity;

    LyraMeshMaterial *materials; ///< [material_names.count], names not filled in.
    LyNames material_names;
    int64_t material_capacity;

    LySetList sets;        ///< Of elements.
    LySetList vertex_sets; ///< Of vertices.
    LySetList face_sets;   ///< Of faces: two ids each, the element and its local face.

    LyraMeshRegion *regions;
    int64_t region_count, region_capacity;
} LyMeshBuilder;

/// Room for `needed` items in an array, in steps that double. `array` is a pointer to the typed
/// pointer; `capacity`, 0 while that is NULL, is in items of `size` bytes.
LyraStatus ly_grow_array(LyraContext *ctx, int64_t needed, size_t size, int64_t *capacity,
                         void *array);

/// Accepts a builder in any state.
void ly_mesh_builder_finish(LyMeshBuilder *builder);

/// Makes sure of room for `row` + 1 rows of a table of `count` rows. The first time it makes room
/// for all that `bytes_left` bytes of text can hold, so that honest files need no second.
LyraStatus ly_mesh_builder_reserve_vertices(LyMeshBuilder *builder, int64_t row, int64_t count,
                                            uint64_t bytes_left);
LyraStatus ly_mesh_builder_reserve_elements(LyMeshBuilder *builder, int64_t row, int64_t count,
                                            uint64_t bytes_left);

/// Adds a material; its name must be new. The name in `material` is not used.
LyraStatus ly_mesh_builder_add_material(LyMeshBuilder *builder, LySlice name,
                                        const LyraMeshMaterial *material);

/// Starts a set; its name must be new. Ids added from now on go to it, in any order.
LyraStatus ly_mesh_builder_add_set(LyMeshBuilder *builder, LySlice name);

/// Adds ids, from 0, to the set added last.
LyraStatus ly_mesh_builder_add_ids(LyMeshBuilder *builder, const int32_t *ids, int64_t count);

LyraStatus ly_mesh_builder_add_region(LyMeshBuilder *builder, int32_t set, int32_t material);

/// Makes the mesh, which takes the positions and elements.
LyraStatus ly_mesh_builder_create(LyMeshBuilder *builder, LyraMesh **out);

#endif
