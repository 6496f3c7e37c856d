// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Writer of .vtu: one piece; numbers as raw bytes behind the tags ("appended"), which is exact,
// compact, and what ParaView itself writes; compressed, in the same place; or between the tags, as
// text or base64. What VTK has no word for goes into field data, where
// our reader finds it and others leave it alone: as text, and names as bytes with a zero behind
// each, because some readers refuse a file for an array of strings or stumble over small appended
// ones.

#include "lyra/lines.h"
#include "mesh/format.h"

#include "base/file.h"
#include "mesh/vtk.h"
#include "mesh/vtu.h"

#include <string.h>

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define NATIVE_BIG true
#else
#define NATIVE_BIG false
#endif

typedef enum Section { POINTS, CELLS, CELL_DATA, POINT_DATA } Section;

typedef struct Array {
    Section section;
    LyScalar type;
    const char *name;
    int32_t components;
    const void *data;
    int64_t bytes;
    void *owned; // the data, where it was made for the file
} Array;

typedef struct VtuWriter {
    LyWriter *writer;
    const LyExport *data;
    const double *time; // of a frame; NULL for a mesh alone
    int32_t field_count;
    const LyraField *fields;
    Array *arrays;
    int32_t array_count;
    int64_t offset; // of the next array in the appended data
    bool wide;      // ids and ends of cells take 64 bits
} VtuWriter;

// ---- field data ---------------------------------------------------------------------------------

/// Starts an array as text, of one line for each tuple.
static void begin_text(LyWriter *writer, const char *type, const char *name, int32_t components,
                       int64_t tuples)
{
    ly_writer_print(writer,
                    "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" "
                    "NumberOfTuples=\"%lld\" format=\"ascii\">\n",
                    type, name, components, (long long)tuples);
}

static void end_text(LyWriter *writer)
{
    ly_writer_string(writer, "</DataArray>\n");
}

static void write_line(LyWriter *writer, int64_t value)
{
    ly_writer_int(writer, value);
    ly_writer_char(writer, '\n');
}

static void write_name(LyWriter *writer, const char *name)
{
    for (; *name; ++name) {
        ly_writer_int(writer, (uint8_t)*name);
        ly_writer_char(writer, ' ');
    }
    ly_writer_string(writer, "0\n");
}

static void write_constants(LyWriter *writer, const LyraMeshMaterial *material)
{
    double c[LY_VTU_CONSTANT_COUNT] = {material->density};
    const LyraMaterialOrthotropic *ortho = &material->orthotropic;
    switch (material->kind) {
    case LYRA_MESH_MATERIAL_ENU:
        c[1] = material->enu.young;
        c[2] = material->enu.poisson;
        break;
    case LYRA_MESH_MATERIAL_MOONEY_RIVLIN:
        c[1] = material->mooney_rivlin.mu01;
        c[2] = material->mooney_rivlin.mu10;
        c[3] = material->mooney_rivlin.v1;
        break;
    default:
        memcpy(c + 1, ortho->young, sizeof ortho->young);
        memcpy(c + 4, ortho->poisson, sizeof ortho->poisson);
        memcpy(c + 7, ortho->shear, sizeof ortho->shear);
        memcpy(c + 10, ortho->axes, sizeof ortho->axes);
        break;
    }
    for (int32_t i = 0; i < LY_VTU_CONSTANT_COUNT; ++i) {
        ly_writer_double(writer, c[i]);
        ly_writer_char(writer, i + 1 < LY_VTU_CONSTANT_COUNT ? ' ' : '\n');
    }
}

static void write_materials(LyWriter *writer, const LyraMesh *mesh)
{
    int64_t name_bytes = 0;
    for (int32_t m = 0; m < mesh->material_count; ++m) {
        name_bytes += (int64_t)strlen(mesh->materials[m].name) + 1;
    }
    begin_text(writer, "UInt8", LY_VTU_MATERIAL_NAMES, 1, name_bytes);
    for (int32_t m = 0; m < mesh->material_count; ++m) {
        write_name(writer, mesh->materials[m].name);
    }
    end_text(writer);
    begin_text(writer, "Int32", LY_VTU_MATERIAL_KINDS, 1, mesh->material_count);
    for (int32_t m = 0; m < mesh->material_count; ++m) {
        write_line(writer, (int64_t)mesh->materials[m].kind);
    }
    end_text(writer);
    begin_text(writer, "Float64", LY_VTU_MATERIAL_CONSTANTS, LY_VTU_CONSTANT_COUNT,
               mesh->material_count);
    for (int32_t m = 0; m < mesh->material_count; ++m) {
        write_constants(writer, &mesh->materials[m]);
    }
    end_text(writer);
}

/// A set of any kind.
typedef struct SetRow {
    const char *name;
    const int32_t *ids;
    int32_t count;
} SetRow;

static SetRow cell_set(const LyExport *data, int32_t s)
{
    return (SetRow){data->sets[s].name, data->sets[s].elements, data->sets[s].count};
}

static SetRow vertex_set(const LyExport *data, int32_t s)
{
    const LyraMeshVertexSet *set = &data->mesh->vertex_sets[s];
    return (SetRow){set->name, set->vertices, set->count};
}

static SetRow face_set(const LyExport *data, int32_t s)
{
    const LyraMeshFaceSet *set = &data->mesh->face_sets[s];
    return (SetRow){set->name, set->faces, set->count};
}

/// Sets of one kind in three arrays of these names.
static void write_sets(LyWriter *writer, const LyExport *data, const char *const arrays[3],
                       int32_t count, int32_t components, SetRow (*row)(const LyExport *, int32_t))
{
    int64_t name_bytes = 0, member_count = 0;
    for (int32_t s = 0; s < count; ++s) {
        name_bytes += (int64_t)strlen(row(data, s).name) + 1;
        member_count += row(data, s).count;
    }
    if (count == 0) {
        return;
    }
    begin_text(writer, "UInt8", arrays[0], 1, name_bytes);
    for (int32_t s = 0; s < count; ++s) {
        write_name(writer, row(data, s).name);
    }
    end_text(writer);
    begin_text(writer, "Int32", arrays[1], 1, count);
    for (int32_t s = 0; s < count; ++s) {
        write_line(writer, row(data, s).count);
    }
    end_text(writer);
    begin_text(writer, "Int32", arrays[2], components, member_count);
    for (int32_t s = 0; s < count; ++s) {
        SetRow set = row(data, s);
        for (int64_t i = 0; i < (int64_t)components * set.count; ++i) {
            write_line(writer, set.ids[i]);
        }
    }
    end_text(writer);
}

static void write_all_sets(LyWriter *writer, const LyExport *data)
{
    static const char *const cells[3] = {LY_VTU_SET_NAMES, LY_VTU_SET_SIZES, LY_VTU_SET_ELEMENTS};
    static const char *const vertices[3] = {LY_VTU_VERTEX_SET_NAMES, LY_VTU_VERTEX_SET_SIZES,
                                            LY_VTU_VERTEX_SET_VERTICES};
    static const char *const faces[3] = {LY_VTU_FACE_SET_NAMES, LY_VTU_FACE_SET_SIZES,
                                         LY_VTU_FACE_SET_FACES};
    write_sets(writer, data, cells, data->set_count, 1, cell_set);
    if (data->mesh) {
        write_sets(writer, data, vertices, data->mesh->vertex_set_count, 1, vertex_set);
        write_sets(writer, data, faces, data->mesh->face_set_count, 2, face_set);
    }
}

static void write_field_data(LyWriter *writer, const LyExport *data, const double *time)
{
    const LyraMesh *mesh = data->mesh;
    ly_writer_string(writer, "<FieldData>\n");
    if (time) {
        begin_text(writer, "Float64", "TimeValue", 1, 1);
        ly_writer_double(writer, *time);
        ly_writer_char(writer, '\n');
        end_text(writer);
    }
    begin_text(writer, "Int32", LY_VTU_ELEMENT_COUNT, 1, 1);
    write_line(writer, data->cell_count);
    end_text(writer);
    if (mesh && mesh->kind == LYRA_ELEMENT_HEX8) {
        begin_text(writer, "Int32", LY_VTU_HEXAHEDRA, 1, 1);
        write_line(writer, 1);
        end_text(writer);
    }
    if (mesh) {
        write_materials(writer, mesh);
    }
    write_all_sets(writer, data);
    if (mesh && mesh->region_count > 0) {
        begin_text(writer, "Int32", LY_VTU_REGIONS, 2, mesh->region_count);
        for (int32_t r = 0; r < mesh->region_count; ++r) {
            ly_writer_int(writer, mesh->regions[r].material);
            ly_writer_char(writer, ' ');
            write_line(writer, mesh->regions[r].set);
        }
        end_text(writer);
    }
    ly_writer_string(writer, "</FieldData>\n");
}

// ---- arrays -------------------------------------------------------------------------------------

static void write_text(LyWriter *writer, const Array *array)
{
    int32_t size = ly_scalar_size(array->type);
    int64_t count = array->bytes / size;
    for (int64_t i = 0; i < count; ++i) {
        const char *at = (const char *)array->data + size * i;
        if (array->type == LY_SCALAR_FLOAT64) {
            double number;
            memcpy(&number, at, sizeof number);
            ly_writer_double(writer, number);
        } else {
            ly_writer_int(writer, ly_bytes_integer(at, array->type, NATIVE_BIG));
        }
        ly_writer_char(writer, (i + 1) % array->components == 0 ? '\n' : ' ');
    }
}

static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Writes bytes as base64; `carry` [2] holds those that are left over, `*carried` of them.
static void write_base64(LyWriter *writer, const uint8_t *bytes, int64_t count, uint8_t carry[2],
                         int32_t *carried)
{
    for (int64_t i = 0; i < count; ++i) {
        if (*carried < 2) {
            carry[(*carried)++] = bytes[i];
            continue;
        }
        uint32_t bits = (uint32_t)carry[0] << 16 | (uint32_t)carry[1] << 8 | bytes[i];
        const char four[4] = {base64[bits >> 18], base64[bits >> 12 & 63], base64[bits >> 6 & 63],
                              base64[bits & 63]};
        ly_writer_bytes(writer, four, sizeof four);
        *carried = 0;
    }
}

/// The head and the data together.
static void write_encoded(LyWriter *writer, const Array *array)
{
    uint64_t head = (uint64_t)array->bytes;
    uint8_t carry[2];
    int32_t carried = 0;
    write_base64(writer, (const uint8_t *)&head, sizeof head, carry, &carried);
    write_base64(writer, array->data, array->bytes, carry, &carried);
    // the last one or two bytes and zeros, whose digits give way to padding
    int32_t rest = carried;
    if (rest > 0) {
        uint32_t bits = (uint32_t)carry[0] << 16 | (uint32_t)(rest > 1 ? carry[1] : 0) << 8;
        const char tail[4] = {base64[bits >> 18], base64[bits >> 12 & 63],
                              rest > 1 ? base64[bits >> 6 & 63] : '=', '='};
        ly_writer_bytes(writer, tail, sizeof tail);
    }
    ly_writer_char(writer, '\n');
}

/// Notes an array; one that is `owned` is released in the end.
static Array *add_array(VtuWriter *vtu, Section section, LyScalar type, const char *name,
                        int32_t components, int64_t count, const void *data, void *owned)
{
    Array *array = &vtu->arrays[vtu->array_count++];
    *array = (Array){.section = section,
                     .type = type,
                     .name = name,
                     .components = components,
                     .data = data,
                     .bytes = count * ly_scalar_size(type),
                     .owned = owned};
    return array;
}

/// Ids of vertices or ends of cells, in as many bytes as they need; some readers want both alike.
static LyraStatus add_integers(VtuWriter *vtu, const char *name, int64_t count, const int32_t *ids)
{
    const LyExport *data = vtu->data;
    if (ids && !vtu->wide) {
        add_array(vtu, CELLS, LY_SCALAR_INT32, name, 1, count, ids, NULL);
        return LYRA_OK;
    }
    char *bytes = NULL;
    size_t size = vtu->wide ? 8 : 4;
    LY_TRY(ly_allocate_array(data->ctx, count, size, &bytes));
    int64_t end = 0;
    for (int64_t i = 0; i < count; ++i) {
        end += ids ? 0 : ly_export_nodes(data, i);
        int64_t wide = ids ? ids[i] : end;
        int32_t narrow = (int32_t)wide;
        memcpy(bytes + (size_t)i * size, vtu->wide ? (const void *)&wide : &narrow, size);
    }
    add_array(vtu, CELLS, vtu->wide ? LY_SCALAR_INT64 : LY_SCALAR_INT32, name, 1, count, bytes,
              bytes);
    return LYRA_OK;
}

static LyraStatus collect_arrays(VtuWriter *vtu)
{
    const LyExport *data = vtu->data;
    int64_t corners = 0;
    for (int64_t c = 0; c < data->cell_count; ++c) {
        corners += ly_export_nodes(data, c);
    }
    vtu->wide = corners > INT32_MAX;
    LY_TRY(ly_allocate_zeroed(data->ctx, vtu->field_count + 5, sizeof *vtu->arrays, &vtu->arrays));
    add_array(vtu, POINTS, LY_SCALAR_FLOAT64, "Points", 3, 3 * data->vertex_count, data->positions,
              NULL);
    LY_TRY(add_integers(vtu, "connectivity", corners, data->corners));
    LY_TRY(add_integers(vtu, "offsets", data->cell_count, NULL));
    uint8_t *cell_types = NULL;
    LY_TRY(ly_allocate_array(data->ctx, data->cell_count, 1, &cell_types));
    for (int64_t c = 0; c < data->cell_count; ++c) {
        cell_types[c] = (uint8_t)ly_vtk_type(data, c);
    }
    add_array(vtu, CELLS, LY_SCALAR_UINT8, "types", 1, data->cell_count, cell_types, cell_types);
    if (data->mesh) {
        add_array(vtu, CELL_DATA, LY_SCALAR_INT32, LY_VTU_MATERIAL, 1, data->cell_count,
                  data->mesh->element_materials, NULL);
    }
    for (int32_t pass = 0; pass < 2; ++pass) {
        for (int32_t f = 0; f < vtu->field_count; ++f) {
            const LyraField *field = &vtu->fields[f];
            int64_t tuples = field->on_elements ? data->cell_count : data->vertex_count;
            if (field->on_elements == (pass == 0)) {
                add_array(vtu, pass == 0 ? CELL_DATA : POINT_DATA, LY_SCALAR_FLOAT64, field->name,
                          field->components, tuples * field->components, field->values, NULL);
            }
        }
    }
    return LYRA_OK;
}

/// Compresses all arrays: only then is known where each begins.
static LyraStatus pack_arrays(VtuWriter *vtu)
{
    for (int32_t a = 0; a < vtu->array_count; ++a) {
        Array *array = &vtu->arrays[a];
        LySlice bytes = {array->data, (size_t)array->bytes};
        char *packed = NULL;
        size_t length = 0;
        LY_TRY(ly_vtu_pack(vtu->data->ctx, vtu->data->path, bytes, &packed, &length));
        ly_release(vtu->data->ctx, array->owned);
        array->data = array->owned = packed;
        array->bytes = (int64_t)length;
    }
    return LYRA_OK;
}

// ---- the file -----------------------------------------------------------------------------------

/// Writes an array, or its tag alone where its data come behind.
static void write_array(VtuWriter *vtu, const Array *array)
{
    static const char *const types[LY_SCALAR_COUNT] = {"Int8",    "UInt8",  "Int16", "UInt16",
                                                       "Int32",   "UInt32", "Int64", "UInt64",
                                                       "Float32", "Float64"};
    LyWriter *writer = vtu->writer;
    LyraMeshEncoding encoding = vtu->data->encoding;
    ly_writer_print(writer, "<DataArray type=\"%s\" Name=\"%s\"", types[array->type], array->name);
    if (array->components > 1) {
        ly_writer_print(writer, " NumberOfComponents=\"%d\"", array->components);
    }
    if (encoding == LYRA_MESH_ENCODING_TEXT) {
        ly_writer_string(writer, " format=\"ascii\">\n");
        write_text(writer, array);
        ly_writer_string(writer, "</DataArray>\n");
    } else if (encoding == LYRA_MESH_ENCODING_BASE64) {
        ly_writer_string(writer, " format=\"binary\">\n");
        write_encoded(writer, array);
        ly_writer_string(writer, "</DataArray>\n");
    } else {
        ly_writer_print(writer, " format=\"appended\" offset=\"%lld\"/>\n", (long long)vtu->offset);
        // packed bytes bring a head of their own
        vtu->offset += array->bytes + (encoding == LYRA_MESH_ENCODING_COMPRESSED ? 0 : 8);
    }
}

static void write_section(VtuWriter *vtu, Section section, const char *name)
{
    bool begun = false;
    for (int32_t a = 0; a < vtu->array_count; ++a) {
        if (vtu->arrays[a].section != section) {
            continue;
        }
        if (!begun) {
            bool material = section == CELL_DATA && vtu->data->mesh;
            ly_writer_print(vtu->writer, "<%s%s>\n", name,
                            material ? " Scalars=\"" LY_VTU_MATERIAL "\"" : "");
            begun = true;
        }
        write_array(vtu, &vtu->arrays[a]);
    }
    if (begun) {
        ly_writer_print(vtu->writer, "</%s>\n", name);
    }
}

static void write_appended(VtuWriter *vtu)
{
    bool packed = vtu->data->encoding == LYRA_MESH_ENCODING_COMPRESSED;
    ly_writer_string(vtu->writer, "<AppendedData encoding=\"raw\">\n_");
    for (int32_t a = 0; a < vtu->array_count; ++a) {
        const Array *array = &vtu->arrays[a];
        uint64_t head = (uint64_t)array->bytes;
        if (!packed) {
            ly_writer_bytes(vtu->writer, &head, sizeof head);
        }
        ly_writer_bytes(vtu->writer, array->data, (size_t)array->bytes);
    }
    ly_writer_string(vtu->writer, "\n</AppendedData>\n");
}

static LyraStatus write_file(VtuWriter *vtu)
{
    const LyExport *data = vtu->data;
    bool packed = data->encoding == LYRA_MESH_ENCODING_COMPRESSED;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(collect_arrays(vtu));
    if (packed) {
        LY_TRY_DONE(pack_arrays(vtu));
    }
    LY_TRY_DONE(ly_writer_create(data->ctx, data->path, &vtu->writer));
    ly_writer_print(vtu->writer,
                    "<?xml version=\"1.0\"?>\n"
                    "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"%s\" "
                    "header_type=\"UInt64\"%s>\n<UnstructuredGrid>\n",
                    NATIVE_BIG ? "BigEndian" : "LittleEndian",
                    packed ? " compressor=\"vtkZLibDataCompressor\"" : "");
    write_field_data(vtu->writer, data, vtu->time);
    ly_writer_print(vtu->writer, "<Piece NumberOfPoints=\"%lld\" NumberOfCells=\"%lld\">\n",
                    (long long)data->vertex_count, (long long)data->cell_count);
    write_section(vtu, POINTS, "Points");
    write_section(vtu, CELLS, "Cells");
    write_section(vtu, CELL_DATA, "CellData");
    write_section(vtu, POINT_DATA, "PointData");
    ly_writer_string(vtu->writer, "</Piece>\n</UnstructuredGrid>\n");
    if (packed || data->encoding == LYRA_MESH_ENCODING_BINARY) {
        write_appended(vtu);
    }
    ly_writer_string(vtu->writer, "</VTKFile>\n");
    status = ly_writer_commit(vtu->writer);
done:
    for (int32_t a = 0; a < vtu->array_count; ++a) {
        ly_release(data->ctx, vtu->arrays[a].owned);
    }
    ly_release(data->ctx, vtu->arrays);
    return status;
}

LyraStatus ly_vtu_save(const LyExport *data)
{
    VtuWriter vtu = {.data = data};
    return write_file(&vtu);
}

// ---- fields -------------------------------------------------------------------------------------

static LyraStatus check_field(const LyraField *fields, int32_t index)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 "
                                  "_-.()/";
    const LyraField *field = &fields[index];
    if (field->name[0] == '\0' || field->name[strspn(field->name, allowed)] != '\0') {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "field %d has the name \"%s\", expected letters, digits, blanks and _-.()/",
                       index, field->name);
    }
    if (field->components < 1 || field->components > 9) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "field \"%s\" has %d components, expected 1 to 9",
                       field->name, field->components);
    }
    bool taken = field->on_elements && strcmp(field->name, LY_VTU_MATERIAL) == 0;
    for (int32_t f = 0; f < index && !taken; ++f) {
        taken =
            fields[f].on_elements == field->on_elements && strcmp(fields[f].name, field->name) == 0;
    }
    if (taken) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "there are two fields with the name \"%s\"",
                       field->name);
    }
    return LYRA_OK;
}

static LyraStatus save_fields(LyExport *data, const char *path, const double *positions,
                              double time, int32_t field_count, const LyraField *fields)
{
    for (int32_t f = 0; f < field_count; ++f) {
        LY_TRY(check_field(fields, f));
    }
    data->path = path;
    data->encoding = LYRA_MESH_ENCODING_BINARY;
    data->positions = positions ? positions : data->positions;
    VtuWriter vtu = {.data = data, .time = &time, .field_count = field_count, .fields = fields};
    return write_file(&vtu);
}

LyraStatus lyra_mesh_save_fields(const LyraMesh *mesh, const char *path, const double *positions,
                                 double time, int32_t field_count, const LyraField *fields)
{
    LyExport data = {0};
    ly_export_mesh(&data, mesh);
    return save_fields(&data, path, positions, time, field_count, fields);
}

LyraStatus lyra_surface_save_fields(const LyraSurface *surface, const char *path,
                                    const double *positions, double time, int32_t field_count,
                                    const LyraField *fields)
{
    LyExport data = {0};
    LY_TRY(ly_export_surface(&data, surface, INT32_MAX));
    LyraStatus status = save_fields(&data, path, positions, time, field_count, fields);
    ly_export_finish(&data);
    return status;
}

LyraStatus lyra_lines_save_fields(LyraContext *ctx, const LyraLinesView *lines, const char *path,
                                  double time, int32_t field_count, const LyraField *fields)
{
    LyExport data = {.ctx = ctx,
                     .vertex_count = lines->vertex_count,
                     .cell_count = lines->edge_count,
                     .corners = lines->edges,
                     .nodes = 2};
    return save_fields(&data, path, lines->positions, time, field_count, fields);
}
