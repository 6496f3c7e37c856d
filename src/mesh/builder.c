// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/builder.h"

#include "mesh/sort.h"

#include <string.h>

void ly_mesh_builder_finish(LyMeshBuilder *builder)
{
    LyraContext *ctx = builder->ctx;
    void *const owned[] = {builder->positions, builder->elements, builder->materials,
                           builder->regions};
    for (int32_t i = 0; i < LY_COUNT_OF(owned); ++i) {
        ly_release(ctx, owned[i]);
    }
    ly_names_release(&builder->material_names);
    ly_set_list_release(ctx, &builder->sets);
    ly_set_list_release(ctx, &builder->vertex_sets);
    ly_set_list_release(ctx, &builder->face_sets);
    *builder = (LyMeshBuilder){.ctx = ctx};
}

// ---- growing ------------------------------------------------------------------------------------

LyraStatus ly_grow_array(LyraContext *ctx, int64_t needed, size_t size, int64_t *capacity,
                         void *array)
{
    if (needed <= *capacity) {
        return LYRA_OK;
    }
    // a large table is told of in advance, and needs no more
    int64_t larger = ly_max_i64(needed, ly_max_i64(16, 2 * *capacity));
    LY_TRY(ly_resize_array(ctx, larger, size, array));
    *capacity = larger;
    return LYRA_OK;
}

/// Room for row `row` of a table whose rows take at least `text_bytes` bytes of text each.
static LyraStatus reserve_rows(LyraContext *ctx, int64_t row, int64_t count, uint64_t bytes_left,
                               int32_t text_bytes, size_t size, int64_t *capacity, void *array)
{
    if (row < *capacity || row >= count) {
        return LYRA_OK;
    }
    // rows that may come from included files are not among the bytes left
    int64_t possible = (int64_t)(bytes_left / (uint64_t)text_bytes) + 1;
    int64_t larger = *capacity == 0 ? possible : ly_max_i64(2 * *capacity, row + 1);
    larger = ly_min_i64(larger, count);
    LY_TRY(ly_resize_array(ctx, larger, size, array));
    *capacity = larger;
    return LYRA_OK;
}

LyraStatus ly_mesh_builder_reserve_vertices(LyMeshBuilder *builder, int64_t row, int64_t count,
                                            uint64_t bytes_left)
{
    // "1 0 0 0" and the end of the line
    return reserve_rows(builder->ctx, row, count, bytes_left, 8, 3 * sizeof *builder->positions,
                        &builder->vertex_capacity, &builder->positions);
}

LyraStatus ly_mesh_builder_reserve_elements(LyMeshBuilder *builder, int64_t row, int64_t count,
                                            uint64_t bytes_left)
{
    int32_t nodes = lyra_element_kind_nodes(builder->kind);
    return reserve_rows(builder->ctx, row, count, bytes_left, 2 * (nodes + 1),
                        (size_t)nodes * sizeof *builder->elements, &builder->element_capacity,
                        &builder->elements);
}

// ---- materials, sets, regions -------------------------------------------------------------------

LyraStatus ly_mesh_builder_add_material(LyMeshBuilder *builder, LySlice name,
                                        const LyraMeshMaterial *material)
{
    LyNames *names = &builder->material_names;
    names->ctx = builder->ctx;
    LY_TRY(ly_grow_array(builder->ctx, (int64_t)names->count + 1, sizeof *builder->materials,
                         &builder->material_capacity, &builder->materials));
    int32_t id;
    LY_TRY(ly_names_add(names, name, &id, NULL));
    builder->materials[id] = *material;
    builder->materials[id].name = NULL;
    return LYRA_OK;
}

LyraStatus ly_set_list_add(LyraContext *ctx, LySetList *list, LySlice name)
{
    list->names.ctx = ctx;
    LY_TRY(ly_grow_array(ctx, (int64_t)list->names.count + 1, sizeof *list->begins, &list->capacity,
                         &list->begins));
    int32_t id;
    LY_TRY(ly_names_add(&list->names, name, &id, NULL));
    list->begins[id] = list->id_count;
    return LYRA_OK;
}

LyraStatus ly_set_list_add_ids(LyraContext *ctx, LySetList *list, const int32_t *ids, int64_t count)
{
    LY_TRY(ly_grow_array(ctx, list->id_count + count, sizeof *list->ids, &list->id_capacity,
                         &list->ids));
    if (count > 0) {
        memcpy(list->ids + list->id_count, ids, (size_t)count * sizeof *ids);
    }
    list->id_count += count;
    return LYRA_OK;
}

void ly_set_list_release(LyraContext *ctx, LySetList *list)
{
    ly_release(ctx, list->begins);
    ly_release(ctx, list->ids);
    list->names.ctx = ctx;
    ly_names_release(&list->names);
    *list = (LySetList){0};
}

LyraStatus ly_mesh_builder_add_set(LyMeshBuilder *builder, LySlice name)
{
    return ly_set_list_add(builder->ctx, &builder->sets, name);
}

LyraStatus ly_mesh_builder_add_ids(LyMeshBuilder *builder, const int32_t *ids, int64_t count)
{
    return ly_set_list_add_ids(builder->ctx, &builder->sets, ids, count);
}

LyraStatus ly_mesh_builder_add_region(LyMeshBuilder *builder, int32_t set, int32_t material)
{
    if (builder->region_count >= INT32_MAX) {
        return ly_fail(LYRA_TOO_LARGE, "mesh: too many regions");
    }
    LY_TRY(ly_grow_array(builder->ctx, builder->region_count + 1, sizeof *builder->regions,
                         &builder->region_capacity, &builder->regions));
    builder->regions[builder->region_count++] = (LyraMeshRegion){.material = material, .set = set};
    return LYRA_OK;
}

// ---- the mesh -----------------------------------------------------------------------------------

static LyraStatus fit_rows(LyraContext *ctx, int64_t count, size_t size, int64_t *capacity,
                           void *array)
{
    // an array that was never needed, or grew by included files
    if (*capacity == count && count > 0) {
        return LYRA_OK;
    }
    LY_TRY(ly_resize_array(ctx, count, size, array));
    *capacity = count;
    return LYRA_OK;
}

/// Sorts the ids of a set and drops repeats; there is no array if all sets are empty.
static LyraStatus sort_set(const LyMeshBuilder *builder, LySetList *list, int32_t s, int32_t **ids,
                           int32_t *count)
{
    int64_t left = ly_set_list_end(list, s) - list->begins[s];
    *ids = list->ids ? list->ids + list->begins[s] : NULL;
    LY_TRY(ly_sort_unique(builder->ctx, &left, *ids));
    *count = (int32_t)left;
    return LYRA_OK;
}

/// The sets as a mesh has them; those of faces are sorted already.
static LyraStatus make_sets(LyMeshBuilder *builder, LyraMeshSet *sets,
                            LyraMeshVertexSet *vertex_sets, LyraMeshFaceSet *face_sets)
{
    int32_t *ids;
    for (int32_t s = 0; s < builder->sets.names.count; ++s) {
        LY_TRY(sort_set(builder, &builder->sets, s, &ids, &sets[s].count));
        sets[s].name = builder->sets.names.names[s];
        sets[s].elements = ids;
    }
    for (int32_t s = 0; s < builder->vertex_sets.names.count; ++s) {
        LY_TRY(sort_set(builder, &builder->vertex_sets, s, &ids, &vertex_sets[s].count));
        vertex_sets[s].name = builder->vertex_sets.names.names[s];
        vertex_sets[s].vertices = ids;
    }
    const LySetList *faces = &builder->face_sets;
    for (int32_t s = 0; s < faces->names.count; ++s) {
        face_sets[s] = (LyraMeshFaceSet){
            .name = faces->names.names[s],
            .faces = faces->ids ? faces->ids + faces->begins[s] : NULL,
            .count = (int32_t)((ly_set_list_end(faces, s) - faces->begins[s]) / 2),
        };
    }
    return LYRA_OK;
}

LyraStatus ly_mesh_builder_create(LyMeshBuilder *builder, LyraMesh **out)
{
    LyraContext *ctx = builder->ctx;
    size_t nodes = (size_t)lyra_element_kind_nodes(builder->kind);
    LY_TRY(fit_rows(ctx, builder->vertex_count, 3 * sizeof *builder->positions,
                    &builder->vertex_capacity, &builder->positions));
    LY_TRY(fit_rows(ctx, builder->element_count, nodes * sizeof *builder->elements,
                    &builder->element_capacity, &builder->elements));
    int32_t material_count = builder->material_names.count;
    for (int32_t m = 0; m < material_count; ++m) {
        builder->materials[m].name = builder->material_names.names[m];
    }
    LyraMeshView view = {
        .kind = builder->kind,
        .vertex_count = (int32_t)builder->vertex_count,
        .element_count = (int32_t)builder->element_count,
        .material_count = material_count,
        .set_count = builder->sets.names.count,
        .region_count = (int32_t)builder->region_count,
        .vertex_set_count = builder->vertex_sets.names.count,
        .face_set_count = builder->face_sets.names.count,
        .materials = builder->materials,
        .regions = builder->regions,
    };
    LyraMeshSet *sets = NULL;
    LyraMeshVertexSet *vertex_sets = NULL;
    LyraMeshFaceSet *face_sets = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, view.set_count, sizeof *sets, &sets));
    LY_TRY_DONE(ly_allocate_array(ctx, view.vertex_set_count, sizeof *vertex_sets, &vertex_sets));
    LY_TRY_DONE(ly_allocate_array(ctx, view.face_set_count, sizeof *face_sets, &face_sets));
    LY_TRY_DONE(make_sets(builder, sets, vertex_sets, face_sets));
    view.sets = sets;
    view.vertex_sets = vertex_sets;
    view.face_sets = face_sets;
    status = ly_mesh_create_take(ctx, &view, builder->positions, builder->elements, out);
    if (status == LYRA_OK) {
        builder->positions = NULL;
        builder->elements = NULL;
    }
done:
    ly_release(ctx, face_sets);
    ly_release(ctx, vertex_sets);
    ly_release(ctx, sets);
    return status;
}
