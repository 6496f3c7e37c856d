// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Materials, sets and regions of .vtu files, from the field data that vtu_write.c makes.
//
// A program that took cells away may have kept the field data as it was. Sets and regions are
// therefore taken only if the count of elements noted beside them is that of the cells; otherwise
// each material becomes a set and a region, by the material that the cell data gives each cell.
// Whole numbers on cells and points of other programs make sets where they group them.

#include "mesh/vtu_reader.h"

#include "mesh/edit.h"

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

/// Where sets of one kind stand.
typedef struct SetArrays {
    LyVtuArrayId names, sizes, ids;
    int32_t components; // ids of a member
    int32_t high;       // largest id
} SetArrays;

static LyraStatus read_sets(LyVtuReader *reader, const SetArrays *arrays, LySetList *list)
{
    LyraContext *ctx = reader->file.ctx;
    int32_t *sizes = NULL, *ids = NULL;
    int64_t count = 0, id_count = 0;
    LyVtuValues names = {0};
    NameBuffer buffer = {0};
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(count_values(reader, arrays->sizes, &count));
    LY_TRY_DONE(ly_vtu_read_integers(reader, arrays->sizes, count, 0, INT32_MAX, &sizes));
    for (int64_t s = 0; s < count; ++s) {
        id_count += (int64_t)arrays->components * sizes[s];
    }
    LY_TRY_DONE(ly_vtu_read_integers(reader, arrays->ids, id_count, 0, arrays->high, &ids));
    LY_TRY_DONE(ly_vtu_values_open(&names, &reader->file, &reader->arrays[arrays->names], -1));
    int64_t begin = 0;
    for (int64_t s = 0; s < count; ++s) {
        LySlice name;
        int64_t length = (int64_t)arrays->components * sizes[s];
        LY_TRY_DONE(read_name(&names, &buffer, &name));
        if (ly_names_find(&list->names, name) >= 0) {
            status = fail_twice(reader, arrays->names, name);
            goto done;
        }
        LY_TRY_DONE(ly_set_list_add(ctx, list, name));
        LY_TRY_DONE(ly_set_list_add_ids(ctx, list, ids + begin, length));
        begin += length;
    }
done:
    ly_vtu_values_close(&names);
    ly_release(ctx, buffer.text);
    ly_release(ctx, ids);
    ly_release(ctx, sizes);
    return status;
}

/// Checks the pairs of the sets of faces and sorts those of each set.
static LyraStatus sort_faces(LyVtuReader *reader, LySetList *raw)
{
    LyraContext *ctx = reader->file.ctx;
    const LyImport *import = reader->import;
    bool tets = import->cell_count > 0 &&
                (import->shapes[0] == LY_CELL_TET || import->shapes[0] == LY_CELL_TET10);
    int32_t sides = tets ? 4 : 6;
    for (int32_t s = 0; s < raw->names.count; ++s) {
        int64_t begin = raw->begins[s], count = (ly_set_list_end(raw, s) - begin) / 2;
        uint64_t *keys = NULL;
        int32_t *pairs = NULL;
        LyraStatus status = LYRA_OK;
        LY_TRY(ly_allocate_array(ctx, count, sizeof *keys, &keys));
        for (int64_t i = 0; i < count; ++i) {
            int32_t element = raw->ids[begin + 2 * i], side = raw->ids[begin + 2 * i + 1];
            if (element >= reader->element_count || side >= sides) {
                LY_TRY_DONE(ly_vtu_fail(
                    &reader->file, &reader->arrays[LY_VTU_ARRAY_FACE_SET_FACES], LYRA_BAD_FORMAT,
                    "found face %d of element %d, expected 0 to %d of one of %lld elements", side,
                    element, sides - 1, (long long)reader->element_count));
            }
            keys[i] = (uint64_t)element * (uint64_t)sides + (uint64_t)side;
        }
        LY_TRY_DONE(ly_sort_face_keys(ctx, sides, &count, keys, &pairs));
        const char *name = raw->names.names[s];
        LySetList *list = &reader->builder->face_sets;
        LY_TRY_DONE(ly_set_list_add(ctx, list, (LySlice){name, strlen(name)}));
        LY_TRY_DONE(ly_set_list_add_ids(ctx, list, pairs, 2 * count));
    done:
        ly_release(ctx, pairs);
        ly_release(ctx, keys);
        LY_TRY(status);
    }
    return LYRA_OK;
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
            set >= builder->sets.names.count) {
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
                ly_mesh_builder_add_region(builder, builder->sets.names.count - 1, (int32_t)m));
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

static bool has_sets(const LyVtuReader *reader, const SetArrays *arrays)
{
    return has(reader, arrays->names) && has(reader, arrays->sizes) && has(reader, arrays->ids);
}

/// Reads the sets of all kinds that a file of Lyra's own has.
static LyraStatus read_own_sets(LyVtuReader *reader)
{
    int32_t last_element = (int32_t)reader->element_count - 1;
    const SetArrays elements = {LY_VTU_ARRAY_SET_NAMES, LY_VTU_ARRAY_SET_SIZES,
                                LY_VTU_ARRAY_SET_ELEMENTS, 1, last_element};
    const SetArrays vertices = {LY_VTU_ARRAY_VERTEX_SET_NAMES, LY_VTU_ARRAY_VERTEX_SET_SIZES,
                                LY_VTU_ARRAY_VERTEX_SET_VERTICES, 1,
                                (int32_t)reader->vertex_count - 1};
    const SetArrays faces = {LY_VTU_ARRAY_FACE_SET_NAMES, LY_VTU_ARRAY_FACE_SET_SIZES,
                             LY_VTU_ARRAY_FACE_SET_FACES, 2, INT32_MAX};
    if (has_sets(reader, &elements)) {
        LY_TRY(read_sets(reader, &elements, &reader->builder->sets));
    }
    if (has_sets(reader, &vertices)) {
        LY_TRY(read_sets(reader, &vertices, &reader->builder->vertex_sets));
    }
    if (!has_sets(reader, &faces)) {
        return LYRA_OK;
    }
    LySetList raw = {0};
    LyraStatus status = read_sets(reader, &faces, &raw);
    if (status == LYRA_OK) {
        status = sort_faces(reader, &raw);
    }
    ly_set_list_release(reader->file.ctx, &raw);
    return status;
}

/// Makes sets of an array of whole numbers of another program, where it groups points or cells.
static LyraStatus read_extra(LyVtuReader *reader, const LyVtuArray *array, bool points)
{
    LyraContext *ctx = reader->file.ctx;
    int64_t count = points ? reader->vertex_count : reader->element_count, number;
    int32_t *numbers = NULL;
    bool small = true;
    LyVtuValues values;
    LY_TRY(ly_vtu_values_open(&values, &reader->file, array, count));
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *numbers, &numbers));
    for (int64_t i = 0; i < count && small; ++i) {
        LY_TRY_DONE(ly_vtu_values_integer(&values, INT64_MIN, INT64_MAX, &number));
        small = number >= INT32_MIN && number <= INT32_MAX;
        numbers[i] = (int32_t)number;
    }
    if (small && count > 0) {
        LY_TRY_DONE(ly_import_array_sets(reader->import, points,
                                         (LySlice){array->name, strlen(array->name)}, count,
                                         numbers, reader->cells));
    }
done:
    ly_release(ctx, numbers);
    ly_vtu_values_close(&values);
    return status;
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
    if (fits) {
        LY_TRY(read_own_sets(reader));
    }
    if (fits && has(reader, LY_VTU_ARRAY_REGIONS)) {
        LY_TRY(read_regions(reader));
    }
    reader->import->as_is = fits;
    reader->import->hexahedra = has(reader, LY_VTU_ARRAY_HEXAHEDRA);
    bool numbered = reader->import->passed == 0;
    if (!fits && numbered && has(reader, LY_VTU_ARRAY_MATERIAL) &&
        reader->builder->material_names.count > 0) {
        LY_TRY(make_sets_of_materials(reader));
    } else if (!fits && has(reader, LY_VTU_ARRAY_MATERIAL) &&
               reader->arrays[LY_VTU_ARRAY_MATERIAL].type < LY_SCALAR_FLOAT32 &&
               reader->arrays[LY_VTU_ARRAY_MATERIAL].components == 1) {
        LY_TRY(read_extra(reader, &reader->arrays[LY_VTU_ARRAY_MATERIAL], false));
    }
    for (int64_t i = 0; i < reader->extra_count && !fits; ++i) {
        LY_TRY(read_extra(reader, &reader->extras[i].array, reader->extras[i].points));
    }
    return LYRA_OK;
}
