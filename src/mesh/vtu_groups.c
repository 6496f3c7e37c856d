// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Materials, sets and regions of .vtu files, from the field data that vtu_write.c makes.
//
// A program that took cells away may have kept the field data as it was. Sets and regions are
// therefore taken only if the count of elements noted beside them is that of the cells; otherwise
// each material becomes a set and a region, by the material that the cell data gives each cell.

#include "mesh/vtu_reader.h"

#include <string.h>

// ---- materials, sets, regions -------------------------------------------------------------------

/// Number of values of an array of integers.
static LyraStatus count_values(const LyVtuReader *reader, LyVtuArrayId id, int64_t *count)
{
    LyVtuValues values;
    LY_TRY(ly_vtu_values_open(&values, &reader->file, &reader->arrays[id], -1));
    LyraStatus status = LYRA_OK;
    int64_t sum = 0;
    for (; ly_vtu_values_more(&values); ++sum) {
        int64_t number;
        LY_TRY_DONE(ly_vtu_values_integer(&values, INT64_MIN, INT64_MAX, &number));
    }
    *count = sum;
done:
    ly_vtu_values_close(&values);
    return status;
}

/// Room for a name; zero-initialise, release `text`.
typedef struct NameBuffer {
    char *text;
    int64_t capacity;
} NameBuffer;

/// Reads the next name of an array of them: bytes with a zero behind.
static LyraStatus read_name(LyVtuValues *values, NameBuffer *buffer, LySlice *name)
{
    for (int64_t length = 0;; ++length) {
        int64_t byte = 0;
        LY_TRY(ly_vtu_values_integer(values, 0, 255, &byte));
        if (length == buffer->capacity) {
            int64_t capacity = ly_max_i64(64, 2 * buffer->capacity);
            LY_TRY(ly_resize_array(values->file->ctx, capacity, 1, &buffer->text));
            buffer->capacity = capacity;
        }
        if (byte == 0) {
            *name = (LySlice){buffer->text, (size_t)length};
            return LYRA_OK;
        }
        buffer->text[length] = (char)byte;
    }
}

static LyraMeshMaterial make_material(int32_t kind, const double *c)
{
    LyraMeshMaterial material = {.kind = (LyraMeshMaterialKind)kind, .density = c[0]};
    switch (material.kind) {
    case LYRA_MESH_MATERIAL_ENU:
        material.enu = (LyraMaterialEnu){c[1], c[2]};
        break;
    case LYRA_MESH_MATERIAL_MOONEY_RIVLIN:
        material.mooney_rivlin = (LyraMaterialMooneyRivlin){c[1], c[2], c[3]};
        break;
    default:
        memcpy(material.orthotropic.young, c + 1, 3 * sizeof *c);
        memcpy(material.orthotropic.poisson, c + 4, 3 * sizeof *c);
        memcpy(material.orthotropic.shear, c + 7, 3 * sizeof *c);
        memcpy(material.orthotropic.axes, c + 10, 9 * sizeof *c);
        break;
    }
    return material;
}

static LyraStatus fail_twice(const LyVtuReader *reader, LyVtuArrayId id, LySlice name)
{
    char quoted[LY_QUOTE_CHARS];
    return ly_vtu_fail(&reader->file, &reader->arrays[id], LYRA_BAD_FORMAT,
                       "found %s twice, expected names that differ", ly_quote(quoted, name));
}

static LyraStatus read_materials(LyVtuReader *reader)
{
    LyraContext *ctx = reader->file.ctx;
    int32_t *kinds = NULL;
    double *constants = NULL;
    int64_t count = 0;
    LyVtuValues names = {0};
    NameBuffer buffer = {0};
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(count_values(reader, LY_VTU_ARRAY_MATERIAL_KINDS, &count));
    LY_TRY_DONE(ly_vtu_read_integers(reader, LY_VTU_ARRAY_MATERIAL_KINDS, count, 0,
                                     LYRA_MESH_MATERIAL_KIND_COUNT - 1, &kinds));
    LY_TRY_DONE(ly_vtu_read_doubles(reader, LY_VTU_ARRAY_MATERIAL_CONSTANTS,
                                    LY_VTU_CONSTANT_COUNT * count, LY_VTU_CONSTANT_COUNT,
                                    &constants));
    LY_TRY_DONE(ly_vtu_values_open(&names, &reader->file,
                                   &reader->arrays[LY_VTU_ARRAY_MATERIAL_NAMES], -1));
    for (int64_t m = 0; m < count; ++m) {
        LySlice name;
        LY_TRY_DONE(read_name(&names, &buffer, &name));
        if (ly_names_find(&reader->builder->material_names, name) >= 0) {
            status = fail_twice(reader, LY_VTU_ARRAY_MATERIAL_NAMES, name);
            goto done;
        }
        LyraMeshMaterial material = make_material(kinds[m], constants + LY_VTU_CONSTANT_COUNT * m);
        LY_TRY_DONE(ly_mesh_builder_add_material(reader->builder, name, &material));
    }
done:
    ly_vtu_values_close(&names);
    ly_release(ctx, buffer.text);
    ly_release(ctx, constants);
    ly_release(ctx, kinds);
    return status;
}

static LyraStatus read_sets(LyVtuReader *reader)
{
    LyraContext *ctx = reader->file.ctx;
    int32_t *sizes = NULL, *ids = NULL;
    int64_t count = 0, id_count = 0;
    LyVtuValues names = {0};
    NameBuffer buffer = {0};
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(count_values(reader, LY_VTU_ARRAY_SET_SIZES, &count));
    LY_TRY_DONE(ly_vtu_read_integers(reader, LY_VTU_ARRAY_SET_SIZES, count, 0, INT32_MAX, &sizes));
    for (int64_t s = 0; s < count; ++s) {
        id_count += sizes[s];
    }
    LY_TRY_DONE(ly_vtu_read_integers(reader, LY_VTU_ARRAY_SET_ELEMENTS, id_count, 0,
                                     (int32_t)reader->element_count - 1, &ids));
    LY_TRY_DONE(
        ly_vtu_values_open(&names, &reader->file, &reader->arrays[LY_VTU_ARRAY_SET_NAMES], -1));
    int64_t begin = 0;
    for (int64_t s = 0; s < count; ++s) {
        LySlice name;
        LY_TRY_DONE(read_name(&names, &buffer, &name));
        if (ly_names_find(&reader->builder->set_names, name) >= 0) {
            status = fail_twice(reader, LY_VTU_ARRAY_SET_NAMES, name);
            goto done;
        }
        LY_TRY_DONE(ly_mesh_builder_add_set(reader->builder, name));
        LY_TRY_DONE(ly_mesh_builder_add_ids(reader->builder, ids + begin, sizes[s]));
        begin += sizes[s];
    }
done:
    ly_vtu_values_close(&names);
    ly_release(ctx, buffer.text);
    ly_release(ctx, ids);
    ly_release(ctx, sizes);
    return status;
}

static LyraStatus read_regions(LyVtuReader *reader)
{
    int32_t *pairs = NULL;
    int64_t count = 0;
    LyMeshBuilder *builder = reader->builder;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(count_values(reader, LY_VTU_ARRAY_REGIONS, &count));
    count -= count % 2;
    LY_TRY_DONE(ly_vtu_read_integers(reader, LY_VTU_ARRAY_REGIONS, count, LYRA_MESH_ALL_ELEMENTS,
                                     INT32_MAX, &pairs));
    for (int64_t r = 0; r < count; r += 2) {
        int32_t material = pairs[r], set = pairs[r + 1];
        if (material < 0 || material >= builder->material_names.count ||
            set >= builder->set_names.count) {
            status = ly_vtu_fail(
                &reader->file, &reader->arrays[LY_VTU_ARRAY_REGIONS], LYRA_BAD_FORMAT,
                "found material %d and set %d, expected some of the file", material, set);
            goto done;
        }
        LY_TRY_DONE(ly_mesh_builder_add_region(builder, set, material));
    }
done:
    ly_release(reader->file.ctx, pairs);
    return status;
}

/// Makes a set and a region of each material, from the cell data.
static LyraStatus make_sets_of_materials(LyVtuReader *reader)
{
    LyMeshBuilder *builder = reader->builder;
    LyraContext *ctx = builder->ctx;
    int64_t count = reader->element_count, material_count = builder->material_names.count;
    int32_t *materials = NULL, *ids = NULL;
    int64_t *begins = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_vtu_read_integers(reader, LY_VTU_ARRAY_MATERIAL, count, 0,
                                     (int32_t)material_count - 1, &materials));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *ids, &ids));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, material_count + 2, sizeof *begins, &begins));
    // sort the elements by their material, counting; begins[m + 1] moves from the first place of
    // material m to that of m + 1
    for (int64_t e = 0; e < count; ++e) {
        begins[materials[e] + 2] += 1;
    }
    for (int64_t m = 0; m < material_count; ++m) {
        begins[m + 2] += begins[m + 1];
    }
    for (int64_t e = 0; e < count; ++e) {
        ids[begins[materials[e] + 1]++] = (int32_t)e;
    }
    for (int64_t m = 0; m < material_count; ++m) {
        if (begins[m + 1] > begins[m]) {
            const char *name = builder->material_names.names[m];
            LY_TRY_DONE(ly_mesh_builder_add_set(builder, (LySlice){name, strlen(name)}));
            LY_TRY_DONE(
                ly_mesh_builder_add_ids(builder, ids + begins[m], begins[m + 1] - begins[m]));
            LY_TRY_DONE(
                ly_mesh_builder_add_region(builder, builder->set_names.count - 1, (int32_t)m));
        }
    }
done:
    ly_release(ctx, begins);
    ly_release(ctx, ids);
    ly_release(ctx, materials);
    return status;
}

static bool has(const LyVtuReader *reader, LyVtuArrayId id)
{
    return reader->arrays[id].at != NULL;
}

LyraStatus ly_vtu_read_groups(LyVtuReader *reader)
{
    if (has(reader, LY_VTU_ARRAY_MATERIAL_NAMES) && has(reader, LY_VTU_ARRAY_MATERIAL_KINDS) &&
        has(reader, LY_VTU_ARRAY_MATERIAL_CONSTANTS)) {
        LY_TRY(read_materials(reader));
    }
    // were the cells changed since?
    bool fits = false;
    if (has(reader, LY_VTU_ARRAY_ELEMENT_COUNT)) {
        int32_t *count = NULL;
        LY_TRY(ly_vtu_read_integers(reader, LY_VTU_ARRAY_ELEMENT_COUNT, 1, 0, INT32_MAX, &count));
        fits = *count == reader->element_count && reader->import->passed == 0;
        ly_release(reader->file.ctx, count);
    }
    if (fits && has(reader, LY_VTU_ARRAY_SET_NAMES) && has(reader, LY_VTU_ARRAY_SET_SIZES) &&
        has(reader, LY_VTU_ARRAY_SET_ELEMENTS)) {
        LY_TRY(read_sets(reader));
    }
    if (fits && has(reader, LY_VTU_ARRAY_REGIONS)) {
        LY_TRY(read_regions(reader));
    }
    reader->import->as_is = fits;
    bool numbered = reader->import->passed == 0;
    if (!fits && numbered && has(reader, LY_VTU_ARRAY_MATERIAL) &&
        reader->builder->material_names.count > 0) {
        LY_TRY(make_sets_of_materials(reader));
    }
    return LYRA_OK;
}
