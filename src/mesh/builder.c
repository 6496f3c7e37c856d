// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/builder.h"

#include <string.h>

void ly_mesh_builder_finish(LyMeshBuilder *builder)
{
    LyraContext *ctx = builder->ctx;
    void *const owned[] = {
        builder->positions,
        builder->elements,
        builder->materials,
        builder->regions,
        builder->set_names,
        builder->material_names,
        builder->text,
        builder->ids,
        builder->material_table.slots,
        builder->set_begins,
        builder->set_table.slots,
    };
    for (int32_t i = 0; i < LY_COUNT_OF(owned); ++i) {
        ly_release(ctx, owned[i]);
    }
    *builder = (LyMeshBuilder){.ctx = ctx};
}

// ---- growing ------------------------------------------------------------------------------------

/// Room for `needed` elements, in steps that double.
static LyraStatus grow(LyraContext *ctx, int64_t needed, size_t size, int64_t *capacity,
                       void *array)
{
    if (needed <= *capacity) {
        return LYRA_OK;
    }
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

// ---- names --------------------------------------------------------------------------------------

static uint32_t hash_name(LySlice name)
{
    // FNV-1a
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < name.length; ++i) {
        hash = (hash ^ (uint8_t)name.text[i]) * 16777619u;
    }
    return hash;
}

static LySlice name_at(const LyMeshBuilder *builder, int64_t offset)
{
    const char *text = builder->text + offset;
    return (LySlice){text, strlen(text)};
}

/// Slot that holds `name`, or the free one where it belongs. The table must not be full.
static int32_t *find_slot(const LyMeshBuilder *builder, const LyNameTable *table,
                          const int64_t *names, LySlice name)
{
    uint32_t mask = (uint32_t)table->slot_count - 1;
    uint32_t slot = hash_name(name) & mask;
    for (;; slot = (slot + 1) & mask) {
        int32_t index = table->slots[slot];
        if (index < 0) {
            break;
        }
        LySlice other = name_at(builder, names[index]);
        if (other.length == name.length && memcmp(other.text, name.text, name.length) == 0) {
            break;
        }
    }
    return &table->slots[slot];
}

static int32_t find_name(const LyMeshBuilder *builder, const LyNameTable *table,
                         const int64_t *names, LySlice name)
{
    return table->slot_count > 0 ? *find_slot(builder, table, names, name) : -1;
}

static LyraStatus grow_table(LyMeshBuilder *builder, LyNameTable *table, const int64_t *names)
{
    // at least half of the slots stay free
    if (2 * (table->used + 1) <= table->slot_count) {
        return LYRA_OK;
    }
    LyNameTable larger = {.slot_count = table->slot_count > 0 ? 2 * table->slot_count : 16,
                          .used = table->used};
    LY_TRY(ly_allocate_array(builder->ctx, larger.slot_count, sizeof *larger.slots, &larger.slots));
    memset(larger.slots, 0xff, (size_t)larger.slot_count * sizeof *larger.slots);
    for (int32_t index = 0; index < table->used; ++index) {
        *find_slot(builder, &larger, names, name_at(builder, names[index])) = index;
    }
    ly_release(builder->ctx, table->slots);
    *table = larger;
    return LYRA_OK;
}

/// Stores a name and enters it into a table as the next index. Leaves all as it was on failure.
static LyraStatus add_name(LyMeshBuilder *builder, LyNameTable *table, int64_t **names,
                           int64_t *capacity, LySlice name)
{
    LyraContext *ctx = builder->ctx;
    if (table->used >= INT32_MAX / 4) {
        return ly_fail(LYRA_TOO_LARGE, "mesh: too many names");
    }
    LY_TRY(grow(ctx, table->used + 1, sizeof **names, capacity, names));
    LY_TRY(grow(ctx, builder->text_length + (int64_t)name.length + 1, 1, &builder->text_capacity,
                &builder->text));
    LY_TRY(grow_table(builder, table, *names));
    char *copy = builder->text + builder->text_length;
    memcpy(copy, name.text, name.length);
    copy[name.length] = '\0';
    *find_slot(builder, table, *names, name) = table->used;
    (*names)[table->used++] = builder->text_length;
    builder->text_length += (int64_t)name.length + 1;
    return LYRA_OK;
}

int32_t ly_mesh_builder_find_material(const LyMeshBuilder *builder, LySlice name)
{
    return find_name(builder, &builder->material_table, builder->material_names, name);
}

int32_t ly_mesh_builder_find_set(const LyMeshBuilder *builder, LySlice name)
{
    return find_name(builder, &builder->set_table, builder->set_names, name);
}

// ---- materials, sets, regions -------------------------------------------------------------------

LyraStatus ly_mesh_builder_add_material(LyMeshBuilder *builder, LySlice name,
                                        const LyraMeshMaterial *material)
{
    LY_TRY(grow(builder->ctx, builder->material_count + 1, sizeof *builder->materials,
                &builder->material_capacity, &builder->materials));
    LY_TRY(add_name(builder, &builder->material_table, &builder->material_names,
                    &builder->material_name_capacity, name));
    builder->materials[builder->material_count] = *material;
    builder->materials[builder->material_count++].name = NULL;
    return LYRA_OK;
}

LyraStatus ly_mesh_builder_add_set(LyMeshBuilder *builder, LySlice name)
{
    LY_TRY(grow(builder->ctx, builder->set_count + 1, sizeof *builder->set_begins,
                &builder->set_begin_capacity, &builder->set_begins));
    LY_TRY(add_name(builder, &builder->set_table, &builder->set_names, &builder->set_name_capacity,
                    name));
    builder->set_begins[builder->set_count++] = builder->id_count;
    return LYRA_OK;
}

LyraStatus ly_mesh_builder_add_ids(LyMeshBuilder *builder, const int32_t *ids, int64_t count)
{
    LY_TRY(grow(builder->ctx, builder->id_count + count, sizeof *builder->ids,
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
    LY_TRY(grow(builder->ctx, builder->region_count + 1, sizeof *builder->regions,
                &builder->region_capacity, &builder->regions));
    builder->regions[builder->region_count++] = (LyraMeshRegion){.material = material, .set = set};
    return LYRA_OK;
}

// ---- sorting ------------------------------------------------------------------------------------

static void sift_down(int32_t *heap, int64_t root, int64_t count)
{
    int32_t value = heap[root];
    for (int64_t child; (child = 2 * root + 1) < count; root = child) {
        child += child + 1 < count && heap[child + 1] > heap[child];
        if (heap[child] <= value) {
            break;
        }
        heap[root] = heap[child];
    }
    heap[root] = value;
}

int64_t ly_sort_ids(int32_t *ids, int64_t count)
{
    int64_t ascending = 1;
    while (ascending < count && ids[ascending] > ids[ascending - 1]) {
        ++ascending;
    }
    if (ascending >= count) {
        return count;
    }
    // heap sort: in place, and no order of the input makes it slow
    for (int64_t root = count / 2; root-- > 0;) {
        sift_down(ids, root, count);
    }
    for (int64_t last = count - 1; last > 0; --last) {
        int32_t largest = ids[0];
        ids[0] = ids[last];
        ids[last] = largest;
        sift_down(ids, 0, last);
    }
    int64_t kept = 0;
    for (int64_t i = 0; i < count; ++i) {
        if (kept == 0 || ids[i] != ids[kept - 1]) {
            ids[kept++] = ids[i];
        }
    }
    return kept;
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
    for (int64_t m = 0; m < builder->material_count; ++m) {
        builder->materials[m].name = builder->text + builder->material_names[m];
    }
    LyraMeshSet *sets = NULL;
    LY_TRY(ly_allocate_array(ctx, builder->set_count, sizeof *sets, &sets));
    for (int64_t s = 0; s < builder->set_count; ++s) {
        int64_t begin = builder->set_begins[s];
        int64_t end = s + 1 < builder->set_count ? builder->set_begins[s + 1] : builder->id_count;
        // there is no array if all sets are empty
        int32_t *ids = builder->ids ? builder->ids + begin : NULL;
        int64_t count = ly_sort_ids(ids, end - begin);
        sets[s] = (LyraMeshSet){
            .name = builder->text + builder->set_names[s],
            .elements = ids,
            .count = (int32_t)count,
        };
    }
    LyraMeshView view = {
        .kind = builder->kind,
        .vertex_count = (int32_t)builder->vertex_count,
        .element_count = (int32_t)builder->element_count,
        .material_count = (int32_t)builder->material_count,
        .set_count = (int32_t)builder->set_count,
        .region_count = (int32_t)builder->region_count,
        .materials = builder->materials,
        .sets = sets,
        .regions = builder->regions,
    };
    LyraStatus status = ly_mesh_create_take(ctx, &view, builder->positions, builder->elements, out);
    if (status == LYRA_OK) {
        builder->positions = NULL;
        builder->elements = NULL;
    }
    ly_release(ctx, sets);
    return status;
}
