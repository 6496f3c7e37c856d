// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Reader of .vtu, VTK's unstructured grids in XML, of one piece. First all tags are read and the
// arrays of interest noted, then the arrays are read.

#include "mesh/format.h"
#include "mesh/vtk.h"
#include "mesh/vtu_reader.h"

#include <string.h>

/// Where the arrays of interest stand. That of the points has any name.
static const struct {
    LyVtuSection section;
    const char *name;
} known_arrays[LY_VTU_ARRAY_COUNT] = {
    [LY_VTU_ARRAY_POINTS] = {LY_VTU_POINTS, "Points"},
    [LY_VTU_ARRAY_CONNECTIVITY] = {LY_VTU_CELLS, "connectivity"},
    [LY_VTU_ARRAY_OFFSETS] = {LY_VTU_CELLS, "offsets"},
    [LY_VTU_ARRAY_TYPES] = {LY_VTU_CELLS, "types"},
    [LY_VTU_ARRAY_MATERIAL] = {LY_VTU_CELL_DATA, LY_VTU_MATERIAL},
    [LY_VTU_ARRAY_MATERIAL_NAMES] = {LY_VTU_FIELD_DATA, LY_VTU_MATERIAL_NAMES},
    [LY_VTU_ARRAY_MATERIAL_KINDS] = {LY_VTU_FIELD_DATA, LY_VTU_MATERIAL_KINDS},
    [LY_VTU_ARRAY_MATERIAL_CONSTANTS] = {LY_VTU_FIELD_DATA, LY_VTU_MATERIAL_CONSTANTS},
    [LY_VTU_ARRAY_SET_NAMES] = {LY_VTU_FIELD_DATA, LY_VTU_SET_NAMES},
    [LY_VTU_ARRAY_SET_SIZES] = {LY_VTU_FIELD_DATA, LY_VTU_SET_SIZES},
    [LY_VTU_ARRAY_SET_ELEMENTS] = {LY_VTU_FIELD_DATA, LY_VTU_SET_ELEMENTS},
    [LY_VTU_ARRAY_VERTEX_SET_NAMES] = {LY_VTU_FIELD_DATA, LY_VTU_VERTEX_SET_NAMES},
    [LY_VTU_ARRAY_VERTEX_SET_SIZES] = {LY_VTU_FIELD_DATA, LY_VTU_VERTEX_SET_SIZES},
    [LY_VTU_ARRAY_VERTEX_SET_VERTICES] = {LY_VTU_FIELD_DATA, LY_VTU_VERTEX_SET_VERTICES},
    [LY_VTU_ARRAY_FACE_SET_NAMES] = {LY_VTU_FIELD_DATA, LY_VTU_FACE_SET_NAMES},
    [LY_VTU_ARRAY_FACE_SET_SIZES] = {LY_VTU_FIELD_DATA, LY_VTU_FACE_SET_SIZES},
    [LY_VTU_ARRAY_FACE_SET_FACES] = {LY_VTU_FIELD_DATA, LY_VTU_FACE_SET_FACES},
    [LY_VTU_ARRAY_REGIONS] = {LY_VTU_FIELD_DATA, LY_VTU_REGIONS},
    [LY_VTU_ARRAY_ELEMENT_COUNT] = {LY_VTU_FIELD_DATA, LY_VTU_ELEMENT_COUNT},
    [LY_VTU_ARRAY_HEXAHEDRA] = {LY_VTU_FIELD_DATA, LY_VTU_HEXAHEDRA},
};

// ---- tags ---------------------------------------------------------------------------------------

static LyraStatus read_file_tag(LyVtuReader *reader, const LyXmlTag *tag)
{
    LyVtuFile *file = &reader->file;
    LySlice type = ly_xml_attribute(tag, "type");
    if (!type.text || !ly_slice_is(type, "UnstructuredGrid")) {
        char quoted[LY_QUOTE_CHARS];
        return ly_scanner_complain(&file->scanner, tag->at, LYRA_BAD_FORMAT,
                                   "found the type %s, expected UnstructuredGrid",
                                   ly_quote(quoted, type));
    }
    LySlice order = ly_xml_attribute(tag, "byte_order");
    LySlice header = ly_xml_attribute(tag, "header_type");
    file->big_endian = order.text && ly_slice_is(order, "BigEndian");
    file->header_64 = header.text && ly_slice_is(header, "UInt64");
    LySlice compressor = ly_xml_attribute(tag, "compressor");
    file->compressed = compressor.length > 0;
    file->zlib = file->compressed && ly_slice_is(compressor, "vtkZLibDataCompressor");
    reader->has_grid = true;
    return LYRA_OK;
}

static LyraStatus read_piece_tag(LyVtuReader *reader, const LyXmlTag *tag)
{
    const LyScanner *scanner = &reader->file.scanner;
    if (reader->has_piece) {
        return ly_scanner_complain(scanner, tag->at, LYRA_UNSUPPORTED,
                                   "found a second Piece, expected one");
    }
    LY_TRY(ly_xml_integer(scanner, tag, "NumberOfPoints", 0, INT32_MAX, -1, &reader->vertex_count));
    LY_TRY(ly_xml_integer(scanner, tag, "NumberOfCells", 0, INT32_MAX, -1, &reader->element_count));
    reader->has_piece = true;
    return LYRA_OK;
}

/// Notes an array of whole numbers on cells or points; VTK's own are passed over.
static LyraStatus note_extra(LyVtuReader *reader, const LyXmlTag *tag, LySlice name, LySlice text)
{
    LySlice type = ly_xml_attribute(tag, "type");
    bool integer = type.length > 3 && (memcmp(type.text, "Int", 3) == 0 ||
                                       (type.length > 4 && memcmp(type.text, "UInt", 4) == 0));
    bool own = name.length >= 3 && memcmp(name.text, "vtk", 3) == 0;
    if (!integer || own || name.length == 0 || memchr(name.text, '\0', name.length)) {
        return LYRA_OK;
    }
    LyraContext *ctx = reader->file.ctx;
    LY_TRY(ly_grow_array(ctx, reader->extra_count + 1, sizeof *reader->extras,
                         &reader->extra_capacity, &reader->extras));
    LyVtuExtra *extra = &reader->extras[reader->extra_count];
    int32_t id;
    reader->extra_names.ctx = ctx;
    LY_TRY(ly_names_add(&reader->extra_names, name, &id, NULL));
    *extra = (LyVtuExtra){.points = reader->section == LY_VTU_POINT_DATA,
                          .array = {.name = reader->extra_names.names[id], .text = text}};
    LY_TRY(ly_vtu_array_read(&reader->file, tag, &extra->array));
    reader->extra_count += extra->array.components == 1;
    return LYRA_OK;
}

static LyraStatus read_array_tag(LyVtuReader *reader, const LyXmlTag *tag)
{
    LyScanner *scanner = &reader->file.scanner;
    // what follows up to the next tag is the content
    const char *begin = scanner->at;
    const char *end = memchr(begin, '<', (size_t)(scanner->end - begin));
    scanner->at = tag->empty ? begin : end ? end : scanner->end;
    LySlice name = ly_xml_attribute(tag, "Name");
    for (int32_t i = 0; i < LY_VTU_ARRAY_COUNT; ++i) {
        LyVtuArray *array = &reader->arrays[i];
        bool named =
            i == LY_VTU_ARRAY_POINTS || (name.text && ly_slice_is(name, known_arrays[i].name));
        if (known_arrays[i].section == reader->section && named && !array->at) {
            array->name = known_arrays[i].name;
            array->text = (LySlice){begin, (size_t)(scanner->at - begin)};
            return ly_vtu_array_read(&reader->file, tag, array);
        }
    }
    if (reader->section == LY_VTU_CELL_DATA || reader->section == LY_VTU_POINT_DATA) {
        return note_extra(reader, tag, name, (LySlice){begin, (size_t)(scanner->at - begin)});
    }
    return LYRA_OK;
}

static LyraStatus read_appended_tag(LyVtuReader *reader, const LyXmlTag *tag)
{
    LyVtuFile *file = &reader->file;
    LySlice encoding = ly_xml_attribute(tag, "encoding");
    file->appended_base64 = encoding.text && ly_slice_is(encoding, "base64");
    if (!file->appended_base64 && !(encoding.text && ly_slice_is(encoding, "raw"))) {
        char quoted[LY_QUOTE_CHARS];
        return ly_scanner_complain(&file->scanner, tag->at, LYRA_BAD_FORMAT,
                                   "found the encoding %s, expected raw or base64",
                                   ly_quote(quoted, encoding));
    }
    const char *begin = file->scanner.at;
    size_t left = (size_t)(file->scanner.end - begin);
    const char *underscore = memchr(begin, '_', left);
    if (!underscore) {
        return ly_scanner_complain(&file->scanner, tag->at, LYRA_BAD_FORMAT,
                                   "found no underscore in front of the appended data, expected "
                                   "one");
    }
    ++underscore;
    file->appended = (LySlice){underscore, (size_t)(file->scanner.end - underscore)};
    // raw bytes may look like tags: nothing behind is read
    file->scanner.at = file->scanner.end;
    return LYRA_OK;
}

static LyraStatus read_tag(LyVtuReader *reader, const LyXmlTag *tag)
{
    static const struct {
        const char *name;
        LyVtuSection section;
    } sections[] = {{"Points", LY_VTU_POINTS},
                    {"Cells", LY_VTU_CELLS},
                    {"CellData", LY_VTU_CELL_DATA},
                    {"FieldData", LY_VTU_FIELD_DATA},
                    {"PointData", LY_VTU_POINT_DATA}};
    if (!reader->has_grid && !ly_slice_is(tag->name, "VTKFile")) {
        return ly_scanner_fail_at(&reader->file.scanner, tag->at, LYRA_BAD_FORMAT,
                                  "the tag <VTKFile");
    }
    for (int32_t i = 0; i < LY_COUNT_OF(sections); ++i) {
        if (ly_slice_is(tag->name, sections[i].name)) {
            reader->section = tag->closing || tag->empty ? LY_VTU_NO_SECTION : sections[i].section;
            return LYRA_OK;
        }
    }
    if (tag->closing) {
        return LYRA_OK;
    }
    if (ly_slice_is(tag->name, "VTKFile")) {
        return read_file_tag(reader, tag);
    }
    if (ly_slice_is(tag->name, "Piece")) {
        return read_piece_tag(reader, tag);
    }
    if (ly_slice_is(tag->name, "DataArray") || ly_slice_is(tag->name, "Array")) {
        return read_array_tag(reader, tag);
    }
    return ly_slice_is(tag->name, "AppendedData") ? read_appended_tag(reader, tag) : LYRA_OK;
}

static LyraStatus read_tags(LyVtuReader *reader)
{
    for (;;) {
        LyXmlTag tag;
        bool found;
        LY_TRY(ly_xml_next_tag(&reader->file.scanner, &tag, &found));
        if (!found) {
            break;
        }
        LY_TRY(read_tag(reader, &tag));
    }
    const char *missing = !reader->has_grid ? "the tag <VTKFile" : "the tag <Piece";
    if (!reader->has_piece) {
        return ly_scanner_fail(&reader->file.scanner, LYRA_BAD_FORMAT, "%s", missing);
    }
    for (int32_t i = LY_VTU_ARRAY_POINTS; i <= LY_VTU_ARRAY_TYPES; ++i) {
        bool needed =
            i == LY_VTU_ARRAY_POINTS ? reader->vertex_count > 0 : reader->element_count > 0;
        if (needed && !reader->arrays[i].at) {
            return ly_scanner_fail(&reader->file.scanner, LYRA_BAD_FORMAT, "the array \"%s\"",
                                   known_arrays[i].name);
        }
    }
    return LYRA_OK;
}

// ---- points and cells ---------------------------------------------------------------------------

LyraStatus ly_vtu_read_doubles(const LyVtuReader *reader, LyVtuArrayId id, int64_t count,
                               int64_t components, double **out)
{
    const LyVtuArray *array = &reader->arrays[id];
    LyraContext *ctx = reader->file.ctx;
    LyVtuValues values;
    if (array->components != components) {
        return ly_vtu_fail(&reader->file, array, LYRA_BAD_FORMAT,
                           "found %lld components, expected %lld", (long long)array->components,
                           (long long)components);
    }
    LY_TRY(ly_vtu_values_open(&values, &reader->file, array, count));
    double *numbers = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *numbers, &numbers));
    LY_TRY_DONE(ly_vtu_values_doubles(&values, count, numbers));
    LY_TRY_DONE(ly_vtu_values_end(&values));
    *out = numbers;
    numbers = NULL;
done:
    ly_release(ctx, numbers);
    ly_vtu_values_close(&values);
    return status;
}

LyraStatus ly_vtu_read_integers(const LyVtuReader *reader, LyVtuArrayId id, int64_t count,
                                int32_t low, int32_t high, int32_t **out)
{
    LyraContext *ctx = reader->file.ctx;
    LyVtuValues values;
    LY_TRY(ly_vtu_values_open(&values, &reader->file, &reader->arrays[id], count));
    int32_t *numbers = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *numbers, &numbers));
    LY_TRY_DONE(ly_vtu_values_integers(&values, low, high, count, numbers));
    LY_TRY_DONE(ly_vtu_values_end(&values));
    *out = numbers;
    numbers = NULL;
done:
    ly_release(ctx, numbers);
    ly_vtu_values_close(&values);
    return status;
}

/// Reads the vertices of all cells; how many there are, only the end of a text tells.
static LyraStatus read_connectivity(const LyVtuReader *reader, int32_t **out, int64_t *count)
{
    const LyVtuArray *array = &reader->arrays[LY_VTU_ARRAY_CONNECTIVITY];
    LyraContext *ctx = reader->file.ctx;
    int32_t *ids = NULL, last = (int32_t)reader->vertex_count - 1;
    int64_t found = 0;
    LyVtuValues values;
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_vtu_values_open(&values, &reader->file, array, -1));
    LY_TRY_DONE(ly_allocate_array(ctx, values.most, sizeof *ids, &ids));
    while (ly_vtu_values_more(&values)) {
        int64_t some = array->format == LY_VTU_ASCII ? 1 : values.most;
        LY_TRY_DONE(ly_vtu_values_integers(&values, 0, last, some, ids + found));
        found += some;
    }
    *count = found;
    *out = ids;
    ids = NULL;
done:
    ly_release(ctx, ids);
    ly_vtu_values_close(&values);
    return status;
}

/// Reads where each cell ends in the connectivity, behind a zero.
static LyraStatus read_offsets(const LyVtuReader *reader, int64_t vertex_total, int64_t **out)
{
    LyraContext *ctx = reader->file.ctx;
    int64_t *offsets = NULL, count = reader->element_count;
    LyVtuValues values;
    LyraStatus status = LYRA_OK;
    LY_TRY(
        ly_vtu_values_open(&values, &reader->file, &reader->arrays[LY_VTU_ARRAY_OFFSETS], count));
    LY_TRY_DONE(ly_allocate_array(ctx, count + 1, sizeof *offsets, &offsets));
    offsets[0] = 0;
    for (int64_t c = 0; c < count; ++c) {
        LY_TRY_DONE(ly_vtu_values_integer(&values, offsets[c], vertex_total, &offsets[c + 1]));
    }
    LY_TRY_DONE(ly_vtu_values_end(&values));
    *out = offsets;
    offsets = NULL;
done:
    ly_release(ctx, offsets);
    ly_vtu_values_close(&values);
    return status;
}

static LyraStatus read_cells(LyVtuReader *reader)
{
    LyraContext *ctx = reader->file.ctx;
    int32_t *connectivity = NULL, *types = NULL;
    int64_t *offsets = NULL, vertex_total = 0;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(read_connectivity(reader, &connectivity, &vertex_total));
    LY_TRY_DONE(read_offsets(reader, vertex_total, &offsets));
    LY_TRY_DONE(
        ly_vtu_read_integers(reader, LY_VTU_ARRAY_TYPES, reader->element_count, 0, 255, &types));
    LY_TRY_DONE(
        ly_allocate_array(ctx, reader->element_count, sizeof *reader->cells, &reader->cells));
    status = ly_vtk_add_cells(reader->import, reader->element_count, types, offsets, connectivity,
                              reader->cells);
done:
    ly_release(ctx, types);
    ly_release(ctx, offsets);
    ly_release(ctx, connectivity);
    return status;
}

// ---- the file -----------------------------------------------------------------------------------

LyraStatus ly_vtu_read(LyImport *import)
{
    LyVtuReader *reader = NULL;
    LyMeshBuilder *builder = &import->builder;
    LY_TRY(ly_allocate_zeroed(import->ctx, 1, sizeof *reader, &reader));
    reader->file.ctx = import->ctx;
    reader->file.scanner = import->scanner;
    reader->import = import;
    reader->builder = builder;
    import->vertex_first = 0;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(read_tags(reader));
    if (reader->vertex_count > 0) {
        LY_TRY_DONE(ly_vtu_read_doubles(reader, LY_VTU_ARRAY_POINTS, 3 * reader->vertex_count, 3,
                                        &builder->positions));
        builder->vertex_count = builder->vertex_capacity = reader->vertex_count;
    }
    if (reader->element_count > 0) {
        LY_TRY_DONE(read_cells(reader));
    }
    LY_TRY_DONE(ly_vtu_read_groups(reader));
    // cells of several kinds are none of ours, whatever the file says
    for (int64_t c = 0; c < import->cell_count; ++c) {
        LyCellShape shape = import->shapes[c];
        import->as_is =
            import->as_is &&
            (!ly_cell_is_solid(shape) ||
             (shape == import->shapes[0] &&
              (shape == LY_CELL_TET || shape == LY_CELL_HEX || shape == LY_CELL_TET10)));
    }
    if (!import->as_is) {
        ly_set_list_release(import->ctx, &builder->face_sets);
    }
done:
    ly_release(import->ctx, reader->extras);
    ly_release(import->ctx, reader->cells);
    reader->extra_names.ctx = import->ctx;
    ly_names_release(&reader->extra_names);
    ly_release(import->ctx, reader);
    return status;
}
