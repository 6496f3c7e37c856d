// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// VTK's legacy format: unstructured grids and polygonal data, as text or as bytes, the highest
// first.
//
//     # vtk DataFile Version 3.0
//     title
//     ASCII                                  or BINARY
//     DATASET UNSTRUCTURED_GRID              or POLYDATA
//     POINTS 8 double                        3 coordinates each
//     CELLS 1 9                              cells, and numbers: vertices of a cell behind their
//     count CELL_TYPES 1                           of polygonal data: POLYGONS 6 30 instead of both
//
// From version 5 on, CELLS 2 8 has the counts of two arrays, OFFSETS type and CONNECTIVITY type.
// Fields and metadata between are passed over. Of the data of points and cells behind, whole
// numbers make sets where they group them (import_arrays.c); what is not known ends the reading.

#include "mesh/format.h"

#include "mesh/values.h"
#include "mesh/vtk.h"

#include <string.h>

typedef struct Reader {
    LyImport *import;
    LyValues values;
    bool polygons;
    int64_t cell_count;
    int64_t *offsets;      // [cell_count + 1], into the vertices
    int32_t *connectivity; // vertices
    int32_t *cells;        // which cell of the import each is, -1 for none
    int64_t data_count;    // cells of `cells`
    bool own;              // written by Lyra
} Reader;

// ---- pieces -------------------------------------------------------------------------------------

static LyraStatus read_type(LyScanner *scanner, LyScalar *type)
{
    static const LyScalarName types[] = {
        {"float", LY_SCALAR_FLOAT32},
        {"double", LY_SCALAR_FLOAT64},
        {"int", LY_SCALAR_INT32},
        {"unsigned_int", LY_SCALAR_UINT32},
        {"long", LY_SCALAR_INT64},
        {"unsigned_long", LY_SCALAR_UINT64},
        {"vtktypeint64", LY_SCALAR_INT64},
        {"vtktypeuint64", LY_SCALAR_UINT64},
        {"vtktypeint32", LY_SCALAR_INT32},
        {"vtktypeuint32", LY_SCALAR_UINT32},
        {"vtkIdType", LY_SCALAR_INT32},
        {"short", LY_SCALAR_INT16},
        {"unsigned_short", LY_SCALAR_UINT16},
        {"char", LY_SCALAR_INT8},
        {"unsigned_char", LY_SCALAR_UINT8},
    };
    ly_scanner_skip_blanks(scanner);
    const char *at = scanner->at;
    LySlice word = ly_scanner_token(scanner);
    *type = ly_scalar_find(types, LY_COUNT_OF(types), word);
    return *type < LY_SCALAR_COUNT ? LYRA_OK
                                   : ly_scanner_fail_at(scanner, at, LYRA_UNSUPPORTED,
                                                        "a type such as double, float or int");
}

/// Goes to the next word; false at the end of the file.
static bool next_word(LyScanner *scanner, const char **at, LySlice *word)
{
    ly_scanner_skip_space(scanner);
    *at = scanner->at;
    *word = ly_scanner_token(scanner);
    return word->length > 0;
}

static LyraStatus read_head(Reader *reader)
{
    LyScanner *scanner = reader->values.scanner;
    const char *at = scanner->at;
    LySlice word = ly_scanner_rest_of_line(scanner);
    if (word.length < 14 || memcmp(word.text, "# vtk DataFile", 14) != 0) {
        return ly_scanner_fail_at(scanner, at, LYRA_BAD_FORMAT, "# vtk DataFile Version 3.0");
    }
    // the title may be empty
    ly_scanner_next_line(scanner);
    reader->own = ly_slice_is(ly_scanner_rest_of_line(scanner), LY_VTK_TITLE);
    ly_scanner_next_line(scanner);
    next_word(scanner, &at, &word);
    reader->values.binary = ly_slice_is_word(word, "BINARY");
    reader->values.big_endian = true;
    if (!reader->values.binary && !ly_slice_is_word(word, "ASCII")) {
        return ly_scanner_fail_at(scanner, at, LYRA_BAD_FORMAT, "ASCII or BINARY");
    }
    next_word(scanner, &at, &word);
    if (!ly_slice_is_word(word, "DATASET")) {
        return ly_scanner_fail_at(scanner, at, LYRA_BAD_FORMAT, "DATASET");
    }
    ly_scanner_skip_blanks(scanner);
    at = scanner->at;
    word = ly_scanner_token(scanner);
    reader->polygons = ly_slice_is_word(word, "POLYDATA");
    if (!reader->polygons && !ly_slice_is_word(word, "UNSTRUCTURED_GRID")) {
        return ly_scanner_fail_at(scanner, at, LYRA_UNSUPPORTED, "UNSTRUCTURED_GRID or POLYDATA");
    }
    return LYRA_OK;
}

static LyraStatus read_points(Reader *reader)
{
    LyScanner *scanner = reader->values.scanner;
    int32_t count;
    LyScalar type;
    double *x;
    LY_TRY(ly_scanner_int32_in(scanner, 0, INT32_MAX - 1, &count, "the number of points"));
    LY_TRY(read_type(scanner, &type));
    ly_scanner_next_line(scanner);
    LY_TRY(ly_values_fit(&reader->values, type, 3 * (int64_t)count, "points"));
    LY_TRY(ly_import_vertices(reader->import, count, &x, NULL));
    return ly_values_doubles(&reader->values, type, 3 * (int64_t)count, x, "a point");
}

// ---- cells --------------------------------------------------------------------------------------

/// Room for cells and their vertices, in place of those before.
static LyraStatus allocate_cells(Reader *reader, int64_t cells, int64_t vertices)
{
    LyraContext *ctx = reader->import->ctx;
    reader->cell_count = 0;
    LY_TRY(ly_resize_array(ctx, cells + 1, sizeof *reader->offsets, &reader->offsets));
    LY_TRY(ly_resize_array(ctx, vertices, sizeof *reader->connectivity, &reader->connectivity));
    reader->offsets[0] = 0;
    reader->cell_count = cells;
    return LYRA_OK;
}

/// Before version 5: vertices behind their counts. They are moved together.
static LyraStatus read_counted(Reader *reader, int64_t cells, int64_t numbers)
{
    LyScanner *scanner = reader->values.scanner;
    // a cell has a count at least
    LY_TRY(ly_values_fit(&reader->values, LY_SCALAR_INT32, ly_max_i64(cells, numbers), "cells"));
    LY_TRY(allocate_cells(reader, cells, numbers));
    int32_t *list = reader->connectivity;
    LY_TRY(ly_values_int32(&reader->values, LY_SCALAR_INT32, numbers, list, "a cell"));
    int64_t at = 0, write = 0;
    for (int64_t c = 0; c < cells; ++c) {
        int64_t count = at < numbers ? list[at++] : -1;
        if (count < 0 || count > numbers - at) {
            return ly_scanner_complain(scanner, scanner->at, LYRA_BAD_FORMAT,
                                       "found the end of %lld numbers in cell %lld, expected %lld "
                                       "cells",
                                       (long long)numbers, (long long)c + 1, (long long)cells);
        }
        memmove(list + write, list + at, (size_t)count * sizeof *list);
        at += count;
        write += count;
        reader->offsets[c + 1] = write;
    }
    return LYRA_OK;
}

static LyraStatus read_array_head(Reader *reader, const char *name, LyScalar *type)
{
    LyScanner *scanner = reader->values.scanner;
    const char *at;
    LySlice word;
    next_word(scanner, &at, &word);
    if (!ly_slice_is_word(word, name)) {
        return ly_scanner_fail_at(scanner, at, LYRA_BAD_FORMAT, "%s", name);
    }
    LY_TRY(read_type(scanner, type));
    ly_scanner_next_line(scanner);
    return LYRA_OK;
}

/// From version 5 on.
static LyraStatus read_offsets(Reader *reader, int64_t offset_count, int64_t vertices)
{
    LyScalar type;
    LY_TRY(read_array_head(reader, "OFFSETS", &type));
    LY_TRY(ly_values_fit(&reader->values, type, offset_count, "offsets"));
    LY_TRY(ly_values_fit(&reader->values, LY_SCALAR_INT8, vertices, "vertices"));
    LY_TRY(allocate_cells(reader, offset_count > 0 ? offset_count - 1 : 0, vertices));
    int64_t last = 0;
    for (int64_t i = 0; i < offset_count; ++i) {
        LY_TRY(ly_values_int64(&reader->values, type, last, i == 0 ? 0 : vertices,
                               &reader->offsets[i], "an offset"));
        last = reader->offsets[i];
    }
    LY_TRY(read_array_head(reader, "CONNECTIVITY", &type));
    return ly_values_int32(&reader->values, type, vertices, reader->connectivity, "a cell");
}

static LyraStatus read_cells(Reader *reader)
{
    LyScanner *scanner = reader->values.scanner;
    int64_t first, second;
    LY_TRY(ly_scanner_int64_in(scanner, 0, INT32_MAX - 1, &first, "the number of cells"));
    LY_TRY(ly_scanner_int64_in(scanner, 0, INT64_C(1) << 40, &second, "the number of vertices"));
    ly_scanner_next_line(scanner);
    LyScanner peek = *scanner;
    ly_scanner_skip_space(&peek);
    bool arrays = peek.end - peek.at >= 7 && memcmp(peek.at, "OFFSETS", 7) == 0;
    return arrays ? read_offsets(reader, first, second) : read_counted(reader, first, second);
}

/// Adds the cells, all of type `type` or, if that is negative, of those that follow.
static LyraStatus add_cells(Reader *reader, int32_t type)
{
    LyraContext *ctx = reader->import->ctx;
    int64_t count = reader->cell_count;
    int32_t *types = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_allocate_array(ctx, count, sizeof *types, &types));
    for (int64_t c = 0; c < count; ++c) {
        types[c] = type;
    }
    if (type < 0) {
        LY_TRY_DONE(ly_values_int32(&reader->values, LY_SCALAR_INT32, count, types, "a type"));
    }
    reader->cell_count = 0;
    LY_TRY_DONE(ly_resize_array(ctx, count, sizeof *reader->cells, &reader->cells));
    reader->data_count = count;
    status = ly_vtk_add_cells(reader->import, count, types, reader->offsets, reader->connectivity,
                              reader->cells);
done:
    ly_release(ctx, types);
    return status;
}

static LyraStatus add_typed(Reader *reader)
{
    int64_t count;
    LY_TRY(ly_scanner_int64_in(reader->values.scanner, reader->cell_count, reader->cell_count,
                               &count, "the number of cells"));
    ly_scanner_next_line(reader->values.scanner);
    // there may be no cells, and no offsets either
    return count > 0 ? add_cells(reader, -1) : LYRA_OK;
}

// ---- what is passed over ------------------------------------------------------------------------

/// METADATA runs to an empty line.
static void skip_metadata(LyScanner *scanner)
{
    while (ly_scanner_next_line(scanner) && !ly_scanner_at_line_end(scanner)) {
    }
}

// ---- data of points and cells -------------------------------------------------------------------

/// The data that follow, of points or of cells.
typedef struct Data {
    bool points;
    int64_t count; // tuples
} Data;

/// Reads an array of `total` numbers; whole ones, one for each point or cell, may make sets.
static LyraStatus read_array(Reader *reader, const Data *data, LySlice name, LyScalar type,
                             int64_t total, bool single)
{
    LyImport *import = reader->import;
    int64_t expected = data->points ? import->builder.vertex_count : reader->data_count, number;
    // the material is there to be looked at
    bool own = reader->own && ly_slice_is(name, "material");
    if (type >= LY_SCALAR_FLOAT32 || !single || total != expected || own) {
        return ly_values_skip(&reader->values, type, total, "an array");
    }
    int32_t *numbers = NULL;
    bool small = true;
    LY_TRY(ly_values_fit(&reader->values, type, total, "an array"));
    LY_TRY(ly_allocate_array(import->ctx, total, sizeof *numbers, &numbers));
    LyraStatus status = LYRA_OK;
    for (int64_t i = 0; i < total; ++i) {
        LY_TRY_DONE(
            ly_values_int64(&reader->values, type, INT64_MIN, INT64_MAX, &number, "a value"));
        small = small && number >= INT32_MIN && number <= INT32_MAX;
        numbers[i] = small ? (int32_t)number : 0;
    }
    if (small) {
        status = ly_import_array_sets(import, data->points, name, total, numbers, reader->cells);
    }
done:
    ly_release(import->ctx, numbers);
    return status;
}

/// SCALARS name type [components], then LOOKUP_TABLE name and the values.
static LyraStatus read_scalars(Reader *reader, const Data *data)
{
    LyScanner *scanner = reader->values.scanner;
    LyScalar type;
    int32_t components = 1;
    LySlice name = ly_scanner_token(scanner);
    LY_TRY(read_type(scanner, &type));
    ly_scanner_skip_blanks(scanner);
    if (!ly_scanner_at_line_end(scanner)) {
        LY_TRY(ly_scanner_int32_in(scanner, 1, 4, &components, "the number of components"));
    }
    ly_scanner_next_line(scanner);
    LyScanner peek = *scanner;
    if (ly_slice_is_word(ly_scanner_token(&peek), "LOOKUP_TABLE")) {
        ly_scanner_next_line(scanner);
    }
    return read_array(reader, data, name, type, components * data->count, components == 1);
}

/// FIELD name count, then arrays: name components tuples type, and their values. `data`: NULL to
/// pass over them.
static LyraStatus read_fields(Reader *reader, const Data *data)
{
    LyScanner *scanner = reader->values.scanner;
    int32_t count;
    ly_scanner_token(scanner);
    LY_TRY(ly_scanner_int32_in(scanner, 0, 1000000, &count, "the number of arrays"));
    for (int32_t f = 0; f < count; ++f) {
        const char *at;
        LySlice word;
        int64_t components, tuples;
        LyScalar type;
        next_word(scanner, &at, &word);
        // what is said of the array before stands in between
        if (data && ly_slice_is_word(word, "METADATA")) {
            skip_metadata(scanner);
            next_word(scanner, &at, &word);
        }
        LY_TRY(ly_scanner_int64_in(scanner, 0, INT32_MAX, &components, "the number of components"));
        LY_TRY(ly_scanner_int64_in(scanner, 0, INT32_MAX, &tuples, "the number of tuples"));
        LY_TRY(read_type(scanner, &type));
        ly_scanner_next_line(scanner);
        LY_TRY(data ? read_array(reader, data, word, type, components * tuples, components == 1)
                    : ly_values_skip(&reader->values, type, components * tuples, "a field"));
    }
    return LYRA_OK;
}

/// Reads arrays behind the first word, CELL_DATA or POINT_DATA, until something else comes.
static LyraStatus read_data(Reader *reader, LySlice word)
{
    LyScanner *scanner = reader->values.scanner;
    const char *at;
    Data data = {0};
    do {
        if (ly_slice_is_word(word, "CELL_DATA") || ly_slice_is_word(word, "POINT_DATA")) {
            data.points = ly_slice_is_word(word, "POINT_DATA");
            LY_TRY(ly_scanner_int64_in(scanner, 0, INT32_MAX, &data.count, "the number of tuples"));
            ly_scanner_next_line(scanner);
        } else if (ly_slice_is_word(word, "SCALARS")) {
            LY_TRY(read_scalars(reader, &data));
        } else if (ly_slice_is_word(word, "FIELD")) {
            LY_TRY(read_fields(reader, &data));
        } else if (ly_slice_is_word(word, "VECTORS") || ly_slice_is_word(word, "NORMALS")) {
            LyScalar type;
            ly_scanner_token(scanner);
            LY_TRY(read_type(scanner, &type));
            ly_scanner_next_line(scanner);
            LY_TRY(ly_values_skip(&reader->values, type, 3 * data.count, "vectors"));
        } else if (ly_slice_is_word(word, "METADATA")) {
            skip_metadata(scanner);
        } else {
            break;
        }
    } while (next_word(scanner, &at, &word));
    return LYRA_OK;
}

static LyraStatus read_sections(Reader *reader)
{
    LyScanner *scanner = reader->values.scanner;
    const char *at;
    LySlice word;
    while (next_word(scanner, &at, &word)) {
        if (ly_slice_is_word(word, "POINTS")) {
            LY_TRY(read_points(reader));
        } else if (ly_slice_is_word(word, "CELLS") && !reader->polygons) {
            LY_TRY(read_cells(reader));
        } else if (ly_slice_is_word(word, "CELL_TYPES") && !reader->polygons) {
            LY_TRY(add_typed(reader));
        } else if (ly_slice_is_word(word, "POLYGONS") && reader->polygons) {
            LY_TRY(read_cells(reader));
            LY_TRY(add_cells(reader, LY_VTK_POLYGON));
        } else if (reader->polygons &&
                   (ly_slice_is_word(word, "VERTICES") || ly_slice_is_word(word, "LINES"))) {
            LY_TRY(read_cells(reader));
            reader->import->passed += reader->cell_count;
            reader->cell_count = 0;
        } else if (ly_slice_is_word(word, "FIELD")) {
            LY_TRY(read_fields(reader, NULL));
        } else if (ly_slice_is_word(word, "METADATA")) {
            skip_metadata(scanner);
        } else if (ly_slice_is_word(word, "CELL_DATA") || ly_slice_is_word(word, "POINT_DATA")) {
            // an array of a type that is not read ends the data, but is no fault
            LyraStatus status = reader->cell_count == 0 ? read_data(reader, word) : LYRA_OK;
            LY_TRY(status == LYRA_UNSUPPORTED ? LYRA_OK : status);
            break;
        } else {
            return ly_scanner_fail_at(scanner, at, LYRA_BAD_FORMAT,
                                      "POINTS, CELLS, CELL_TYPES, POLYGONS, CELL_DATA or "
                                      "POINT_DATA");
        }
    }
    if (reader->cell_count > 0) {
        return ly_scanner_fail(scanner, LYRA_BAD_FORMAT, "CELL_TYPES");
    }
    return LYRA_OK;
}

LyraStatus ly_vtk_read(LyImport *import)
{
    Reader reader = {.import = import, .values = {.scanner = &import->scanner}};
    import->vertex_first = 0;
    LyraStatus status = read_head(&reader);
    if (status == LYRA_OK) {
        status = read_sections(&reader);
    }
    ly_release(import->ctx, reader.offsets);
    ly_release(import->ctx, reader.connectivity);
    ly_release(import->ctx, reader.cells);
    return status;
}

// ---- writing ------------------------------------------------------------------------------------

static void put_int(LyWriter *writer, bool binary, int32_t value, char behind)
{
    if (binary) {
        const uint32_t bits = (uint32_t)value;
        const char bytes[4] = {(char)(bits >> 24), (char)(bits >> 16), (char)(bits >> 8),
                               (char)bits};
        ly_writer_bytes(writer, bytes, sizeof bytes);
    } else {
        ly_writer_int(writer, value);
        ly_writer_char(writer, behind);
    }
}

static void put_double(LyWriter *writer, bool binary, double value, char behind)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (binary) {
        put_int(writer, true, (int32_t)(bits >> 32), ' ');
        put_int(writer, true, (int32_t)(uint32_t)bits, ' ');
    } else {
        ly_writer_double(writer, value);
        ly_writer_char(writer, behind);
    }
}

LyraStatus ly_vtk_save(const LyExport *data)
{
    bool binary = data->encoding == LYRA_MESH_ENCODING_BINARY;
    int64_t corners = 0;
    for (int64_t c = 0; c < data->cell_count; ++c) {
        corners += ly_export_nodes(data, c);
    }
    if (corners + data->cell_count > INT32_MAX) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "%s: found %lld cells, expected fewer: legacy files have "
                       "numbers of 32 bits",
                       data->path, (long long)data->cell_count);
    }
    LyWriter *writer = NULL;
    LY_TRY(ly_writer_create(data->ctx, data->path, &writer));
    ly_writer_print(writer,
                    "# vtk DataFile Version 3.0\n" LY_VTK_TITLE "\n%s\nDATASET UNSTRUCTURED_GRID\n"
                    "POINTS %lld double\n",
                    binary ? "BINARY" : "ASCII", (long long)data->vertex_count);
    for (int64_t i = 0; i < 3 * data->vertex_count; ++i) {
        put_double(writer, binary, data->positions[i], i % 3 < 2 ? ' ' : '\n');
    }
    ly_writer_print(writer, "%sCELLS %lld %lld\n", binary ? "\n" : "", (long long)data->cell_count,
                    (long long)(corners + data->cell_count));
    for (int64_t c = 0; c < data->cell_count; ++c) {
        int32_t nodes = ly_export_nodes(data, c);
        put_int(writer, binary, nodes, ' ');
        for (int32_t a = 0; a < nodes; ++a) {
            put_int(writer, binary, ly_export_corners(data, c)[a], a + 1 < nodes ? ' ' : '\n');
        }
    }
    ly_writer_print(writer, "%sCELL_TYPES %lld\n", binary ? "\n" : "", (long long)data->cell_count);
    for (int64_t c = 0; c < data->cell_count; ++c) {
        put_int(writer, binary, ly_vtk_type(data, c), '\n');
    }
    if (data->mesh) {
        ly_writer_print(writer, "%sCELL_DATA %lld\nSCALARS material int 1\nLOOKUP_TABLE default\n",
                        binary ? "\n" : "", (long long)data->cell_count);
        for (int64_t c = 0; c < data->cell_count; ++c) {
            put_int(writer, binary, ly_export_material(data, c), '\n');
        }
    }
    ly_writer_string(writer, binary ? "\n" : "");
    return ly_writer_commit(writer);
}
