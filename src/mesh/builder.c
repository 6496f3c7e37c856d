// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/builder.h"

#include "mesh/sort.h"

#include <string.h>

void ly_mesh_builder_finish(LyMeshBuilder *builder)
{
    LyraContext *ctx = builder->ctx;
    void *const owned[] = {
        builder->positions,  builder->elements, builder->materials,
        builder->set_begins, builder->regions,  builder->ids,
    };
    for (int32_t i = 0; i < LY_COUNT_OF(owned); ++i) {
        ly_release(ctx, owned[i]);
    }
    ly_names_release(&builder->material_names);
    ly_names_release(&builder->set_names);
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

LyraStatus ly_mesh_builder_add_set(LyMeshBuilder *builder, LySlice name)
{
    LyNames *names = &builder->set_names;
    names->ctx = builder->ctx;
    LY_TRY(ly_grow_array(builder->ctx, (int64_t)names->count + 1, sizeof *builder->set_begins,
                         &builder->set_capacity, &builder->set_begins));
    int32_t id;
    LY_TRY(ly_names_add(names, name, &id, NULL));
    builder->set_begins[id] = builder->id_count;
    return LYRA_OK;
}

LyraStatus ly_mesh_builder_add_ids(LyMeshBuilder *builder, const int32_t *ids, int64_t count)
{
    LY_TRY(ly_grow_array(builder->ctx, builder->id_count + count, sizeof *builder->ids,
                         &builder->id_capacity, &builder->ids));
    if (count > 0) {
        memcpy(builder->ids + builder->id_count, ids, (size_t)count * sizeof *ids);
    }
    builder->id_count += count;
    return LYRA_OK;
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

LyraStatus ly_mesh_builder_create(LyMeshBuilder *builder, LyraMesh **out)
{
    LyraContext *ctx = builder->ctx;
    size_t nodes = (size_t)lyra_element_kind_nodes(builder->kind);
    LY_TRY(fit_rows(ctx, builder->vertex_count, 3 * sizeof *builder->positions,
                    &builder->vertex_capacity, &builder->positions));
    LY_TRY(fit_rows(ctx, builder->element_count, nodes * sizeof *builder->elements,
                    &builder->element_capacity, &builder->elements));
    int32_t material_count = builder->material_names.count, set_count = builder->set_names.count;
    for (int32_t m = 0; m < material_count; ++m) {
        builder->materials[m].name = builder->material_names.names[m];
    }
    LyraMeshSet *sets = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_allocate_array(ctx, set_count, sizeof *sets, &sets));
    for (int32_t s = 0; s < set_count; ++s) {
        int64_t begin = builder->set_begins[s];
        int64_t end = s + 1 < set_count ? builder->set_begins[s + 1] : builder->id_count;
        // there is no array if all sets are empty
        int32_t *ids = builder->ids ? builder->ids + begin : NULL;
        int64_t count = end - begin;
        LY_TRY_DONE(ly_sort_unique(ctx, &count, ids));
        sets[s] = (LyraMeshSet){
            .name = builder->set_names.names[s],
            .elements = ids,
            .count = (int32_t)count,
        };
    }
    LyraMeshView view = {
        .kind = builder->kind,
        .vertex_count = (int32_t)builder->vertex_count,
        .element_count = (int32_t)builder->element_count,
        .material_count = material_count,
        .set_count = set_count,
        .region_count = (int32_t)builder->region_count,
        .materials = builder->materials,
        .sets = sets,
        .regions = builder->regions,
    };
    status = ly_mesh_create_take(ctx, &view, builder->positions, builder->elements, out);
    if (status == LYRA_OK) {
        builder->positions = NULL;
        builder->elements = NULL;
    }
done:
    ly_release(ctx, sets);
    return status;
}
