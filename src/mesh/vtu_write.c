// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Writer of .vtu: one piece, numbers as raw bytes behind the tags ("appended"), which is exact,
// compact, and what ParaView itself writes. What VTK has no word for goes into field data, where
// our reader finds it and others leave it alone: as text, and names as bytes with a zero behind
// each, because some readers refuse a file for an array of strings or stumble over small appended
// ones.

#include "mesh/format.h"

#include "base/file.h"
#include "mesh/vtu.h"

#include <string.h>

typedef struct VtuWriter {
    LyWriter *writer;
    const LyraMesh *mesh;
    const double *positions; // [vertex_count][3]
    const double *time;      // of a frame; NULL for a mesh alone
    int32_t field_count;
    const LyraField *fields;
    int64_t offset; // of the next array in the appended data
    bool wide;      // ids and offsets of cells take 64 bits; some readers want both alike
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

static void write_sets(LyWriter *writer, const LyraMesh *mesh)
{
    int64_t name_bytes = 0, member_count = 0;
    for (int32_t s = 0; s < mesh->set_count; ++s) {
        name_bytes += (int64_t)strlen(mesh->sets[s].name) + 1;
        member_count += mesh->sets[s].count;
    }
    begin_text(writer, "UInt8", LY_VTU_SET_NAMES, 1, name_bytes);
    for (int32_t s = 0; s < mesh->set_count; ++s) {
        write_name(writer, mesh->sets[s].name);
    }
    end_text(writer);
    begin_text(writer, "Int32", LY_VTU_SET_SIZES, 1, mesh->set_count);
    for (int32_t s = 0; s < mesh->set_count; ++s) {
        write_line(writer, mesh->sets[s].count);
    }
    end_text(writer);
    begin_text(writer, "Int32", LY_VTU_SET_ELEMENTS, 1, member_count);
    for (int32_t s = 0; s < mesh->set_count; ++s) {
        for (int32_t i = 0; i < mesh->sets[s].count; ++i) {
            write_line(writer, mesh->sets[s].elements[i]);
        }
    }
    end_text(writer);
}

static void write_field_data(LyWriter *writer, const LyraMesh *mesh, const double *time)
{
    ly_writer_string(writer, "<FieldData>\n");
    if (time) {
        begin_text(writer, "Float64", "TimeValue", 1, 1);
        ly_writer_double(writer, *time);
        ly_writer_char(writer, '\n');
        end_text(writer);
    }
    begin_text(writer, "Int32", LY_VTU_ELEMENT_COUNT, 1, 1);
    write_line(writer, mesh->element_count);
    end_text(writer);
    write_materials(writer, mesh);
    if (mesh->set_count > 0) {
        write_sets(writer, mesh);
    }
    if (mesh->region_count > 0) {
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

// ---- tags ---------------------------------------------------------------------------------------

/// Writes the tag of an array and takes its place in the appended data.
static void write_tag(VtuWriter *vtu, const char *type, const char *name, int32_t components,
                      int64_t bytes)
{
    LyWriter *writer = vtu->writer;
    ly_writer_print(writer, "<DataArray type=\"%s\" Name=\"%s\"", type, name);
    if (components > 1) {
        ly_writer_print(writer, " NumberOfComponents=\"%d\"", components);
    }
    ly_writer_print(writer, " format=\"appended\" offset=\"%lld\"/>\n", (long long)vtu->offset);
    vtu->offset += bytes + 8;
}

static int64_t field_bytes(const VtuWriter *vtu, const LyraField *field)
{
    int64_t tuples = field->on_elements ? vtu->mesh->element_count : vtu->mesh->vertex_count;
    return 8 * tuples * field->components;
}

static void write_field_tags(VtuWriter *vtu, bool on_elements)
{
    for (int32_t f = 0; f < vtu->field_count; ++f) {
        const LyraField *field = &vtu->fields[f];
        if (field->on_elements == on_elements) {
            write_tag(vtu, "Float64", field->name, field->components, field_bytes(vtu, field));
        }
    }
}

static void write_piece_tags(VtuWriter *vtu)
{
    LyWriter *writer = vtu->writer;
    int64_t vertices = vtu->mesh->vertex_count, elements = vtu->mesh->element_count;
    int64_t nodes = lyra_element_kind_nodes(vtu->mesh->kind);
    ly_writer_print(writer, "<Piece NumberOfPoints=\"%lld\" NumberOfCells=\"%lld\">\n",
                    (long long)vertices, (long long)elements);
    ly_writer_string(writer, "<Points>\n");
    write_tag(vtu, "Float64", "Points", 3, 24 * vertices);
    ly_writer_string(writer, "</Points>\n<Cells>\n");
    const char *type = vtu->wide ? "Int64" : "Int32";
    int64_t size = vtu->wide ? 8 : 4;
    write_tag(vtu, type, "connectivity", 1, size * nodes * elements);
    write_tag(vtu, type, "offsets", 1, size * elements);
    write_tag(vtu, "UInt8", "types", 1, elements);
    ly_writer_string(writer, "</Cells>\n<CellData Scalars=\"" LY_VTU_MATERIAL "\">\n");
    write_tag(vtu, "Int32", LY_VTU_MATERIAL, 1, 4 * elements);
    write_field_tags(vtu, true);
    ly_writer_string(writer, "</CellData>\n");
    if (vtu->field_count > 0) {
        ly_writer_string(writer, "<PointData>\n");
        write_field_tags(vtu, false);
        ly_writer_string(writer, "</PointData>\n");
    }
    ly_writer_string(writer, "</Piece>\n");
}

// ---- data, in the order of the tags -------------------------------------------------------------

static void write_head(VtuWriter *vtu, int64_t bytes)
{
    uint64_t head = (uint64_t)bytes;
    ly_writer_bytes(vtu->writer, &head, sizeof head);
}

static void write_block(VtuWriter *vtu, const void *data, int64_t bytes)
{
    write_head(vtu, bytes);
    ly_writer_bytes(vtu->writer, data, (size_t)bytes);
}

static void write_integer(VtuWriter *vtu, int64_t value)
{
    int32_t narrow = (int32_t)value;
    if (vtu->wide) {
        ly_writer_bytes(vtu->writer, &value, sizeof value);
    } else {
        ly_writer_bytes(vtu->writer, &narrow, sizeof narrow);
    }
}

static void write_piece_data(VtuWriter *vtu)
{
    const LyraMesh *mesh = vtu->mesh;
    int64_t elements = mesh->element_count;
    int64_t nodes = lyra_element_kind_nodes(mesh->kind);
    write_block(vtu, vtu->positions, 24 * (int64_t)mesh->vertex_count);
    int64_t size = vtu->wide ? 8 : 4;
    write_head(vtu, size * nodes * elements);
    for (int64_t i = 0; i < nodes * elements; ++i) {
        write_integer(vtu, mesh->elements[i]);
    }
    write_head(vtu, size * elements);
    for (int64_t e = 1; e <= elements; ++e) {
        write_integer(vtu, nodes * e);
    }
    write_head(vtu, elements);
    char type = mesh->kind == LYRA_ELEMENT_TET4 ? LY_VTU_TETRA : LY_VTU_HEXAHEDRON;
    for (int64_t e = 0; e < elements; ++e) {
        ly_writer_char(vtu->writer, type);
    }
    write_block(vtu, mesh->element_materials, 4 * elements);
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t f = 0; f < vtu->field_count; ++f) {
            if (vtu->fields[f].on_elements == (pass == 0)) {
                write_block(vtu, vtu->fields[f].values, field_bytes(vtu, &vtu->fields[f]));
            }
        }
    }
}

static LyraStatus write_file(VtuWriter *vtu, const char *path)
{
    const LyraMesh *mesh = vtu->mesh;
    int64_t ids = (int64_t)lyra_element_kind_nodes(mesh->kind) * mesh->element_count;
    vtu->wide = ids > INT32_MAX;
    LY_TRY(ly_writer_create(mesh->ctx, path, &vtu->writer));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    const char *byte_order = "BigEndian";
#else
    const char *byte_order = "LittleEndian";
#endif
    ly_writer_print(vtu->writer,
                    "<?xml version=\"1.0\"?>\n"
                    "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"%s\" "
                    "header_type=\"UInt64\">\n<UnstructuredGrid>\n",
                    byte_order);
    write_field_data(vtu->writer, mesh, vtu->time);
    write_piece_tags(vtu);
    ly_writer_string(vtu->writer, "</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_");
    write_piece_data(vtu);
    ly_writer_string(vtu->writer, "\n</AppendedData>\n</VTKFile>\n");
    return ly_writer_commit(vtu->writer);
}

LyraStatus ly_vtu_save(const LyraMesh *mesh, const char *path)
{
    VtuWriter vtu = {.mesh = mesh, .positions = mesh->positions};
    return write_file(&vtu, path);
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

LyraStatus lyra_mesh_save_fields(const LyraMesh *mesh, const char *path, const double *positions,
                                 double time, int32_t field_count, const LyraField *fields)
{
    for (int32_t f = 0; f < field_count; ++f) {
        LY_TRY(check_field(fields, f));
    }
    VtuWriter vtu = {.mesh = mesh,
                     .positions = positions ? positions : mesh->positions,
                     .time = &time,
                     .field_count = field_count,
                     .fields = fields};
    return write_file(&vtu, path);
}
