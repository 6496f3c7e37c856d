// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// PLY: tables ("elements") of rows of properties, as text or as bytes in either order, with a head
// that says what they are:
//
//     ply
//     format ascii 1.0                      or binary_little_endian, binary_big_endian
//     element vertex 8
//     property float x
//     property list uchar int vertex_indices
//     end_header
//
// Of the table "vertex" the properties x, y, z are read, of "face" the list vertex_indices (also
// called vertex_index); all others are passed over.

#include "mesh/format.h"

#include "mesh/values.h"

#include <string.h>

#define TABLES_MAX 16
#define PROPERTIES_MAX 64

typedef struct Property {
    LyScalar type;
    bool list;
    LyScalar count_type; // of a list
    int8_t axis;         // 0 to 2 for x, y, z of a vertex; -1 for others
    bool corners;        // the list of a face that is read
} Property;

typedef struct Table {
    enum { OTHER, VERTICES, FACES } kind;
    int64_t rows;
    int32_t property_count;
    Property properties[PROPERTIES_MAX];
} Table;

typedef struct Reader {
    LyImport *import;
    LyValues values;
    int32_t table_count;
    Table tables[TABLES_MAX];
} Reader;

// ---- the head -----------------------------------------------------------------------------------

static LyraStatus read_type(LyScanner *scanner, LyScalar *type)
{
    static const LyScalarName types[] = {
        {"char", LY_SCALAR_INT8},      {"int8", LY_SCALAR_INT8},
        {"uchar", LY_SCALAR_UINT8},    {"uint8", LY_SCALAR_UINT8},
        {"short", LY_SCALAR_INT16},    {"int16", LY_SCALAR_INT16},
        {"ushort", LY_SCALAR_UINT16},  {"uint16", LY_SCALAR_UINT16},
        {"int", LY_SCALAR_INT32},      {"int32", LY_SCALAR_INT32},
        {"uint", LY_SCALAR_UINT32},    {"uint32", LY_SCALAR_UINT32},
        {"float", LY_SCALAR_FLOAT32},  {"float32", LY_SCALAR_FLOAT32},
        {"double", LY_SCALAR_FLOAT64}, {"float64", LY_SCALAR_FLOAT64},
        {"int64", LY_SCALAR_INT64},    {"uint64", LY_SCALAR_UINT64},
    };
    const char *at = scanner->at;
    LySlice word = ly_scanner_token(scanner);
    *type = ly_scalar_find(types, LY_COUNT_OF(types), word);
    return *type < LY_SCALAR_COUNT ? LYRA_OK
                                   : ly_scanner_fail_at(scanner, at, LYRA_BAD_FORMAT,
                                                        "a type such as float, int or uchar");
}

static LyraStatus read_format(Reader *reader)
{
    LyScanner *scanner = reader->values.scanner;
    ly_scanner_skip_blanks(scanner);
    const char *at = scanner->at;
    LySlice word = ly_scanner_token(scanner);
    reader->values.binary = !ly_slice_is(word, "ascii");
    reader->values.big_endian = ly_slice_is(word, "binary_big_endian");
    if (reader->values.binary && !reader->values.big_endian &&
        !ly_slice_is(word, "binary_little_endian")) {
        return ly_scanner_fail_at(scanner, at, LYRA_BAD_FORMAT,
                                  "ascii, binary_little_endian or binary_big_endian");
    }
    return LYRA_OK;
}

static LyraStatus read_table(Reader *reader)
{
    LyScanner *scanner = reader->values.scanner;
    if (reader->table_count == TABLES_MAX) {
        return ly_scanner_fail(scanner, LYRA_UNSUPPORTED, "at most %d elements", TABLES_MAX);
    }
    Table *table = &reader->tables[reader->table_count++];
    *table = (Table){0};
    LySlice name = ly_scanner_token(scanner);
    table->kind = ly_slice_is(name, "vertex") ? VERTICES
                  : ly_slice_is(name, "face") ? FACES
                                              : OTHER;
    return ly_scanner_int64_in(scanner, 0, INT32_MAX - 1, &table->rows, "the number of rows");
}

static LyraStatus read_property(Reader *reader)
{
    static const char *const axes[3] = {"x", "y", "z"};
    LyScanner *scanner = reader->values.scanner;
    Table *table = reader->table_count > 0 ? &reader->tables[reader->table_count - 1] : NULL;
    if (!table || table->property_count == PROPERTIES_MAX) {
        return ly_scanner_fail(scanner, LYRA_UNSUPPORTED,
                               "an element in front of it, and at most %d properties each",
                               PROPERTIES_MAX);
    }
    Property *property = &table->properties[table->property_count++];
    *property = (Property){.axis = -1};
    if (ly_slice_is(ly_scanner_peek(scanner), "list")) {
        ly_scanner_token(scanner);
        property->list = true;
        LY_TRY(read_type(scanner, &property->count_type));
    }
    LY_TRY(read_type(scanner, &property->type));
    LySlice name = ly_scanner_token(scanner);
    for (int8_t i = 0; i < 3 && table->kind == VERTICES && !property->list; ++i) {
        property->axis = ly_slice_is(name, axes[i]) ? i : property->axis;
    }
    property->corners = table->kind == FACES && property->list &&
                        (ly_slice_is(name, "vertex_indices") || ly_slice_is(name, "vertex_index"));
    return LYRA_OK;
}

static LyraStatus read_head(Reader *reader)
{
    LyScanner *scanner = reader->values.scanner;
    if (!ly_slice_is(ly_scanner_token(scanner), "ply")) {
        return ly_scanner_complain(scanner, scanner->begin, LYRA_BAD_FORMAT,
                                   "found no ply in the first line, expected it");
    }
    for (;;) {
        if (!ly_scanner_next_line(scanner)) {
            return ly_scanner_fail(scanner, LYRA_BAD_FORMAT, "end_header");
        }
        const char *at = scanner->at;
        LySlice word = ly_scanner_token(scanner);
        if (ly_slice_is(word, "end_header")) {
            ly_scanner_next_line(scanner);
            return LYRA_OK;
        }
        if (ly_slice_is(word, "format")) {
            LY_TRY(read_format(reader));
        } else if (ly_slice_is(word, "element")) {
            LY_TRY(read_table(reader));
        } else if (ly_slice_is(word, "property")) {
            LY_TRY(read_property(reader));
        } else if (word.length > 0 && !ly_slice_is(word, "comment") &&
                   !ly_slice_is(word, "obj_info")) {
            return ly_scanner_fail_at(scanner, at, LYRA_BAD_FORMAT,
                                      "format, element, property, comment or end_header");
        }
    }
}

// ---- rows ---------------------------------------------------------------------------------------

/// Reads one property of a row; the corners of a face become a cell.
static LyraStatus read_value(Reader *reader, const Property *property, double *x)
{
    const LyValues *values = &reader->values;
    int64_t count = 1;
    if (property->list) {
        LY_TRY(ly_values_int64(values, property->count_type, 0, INT32_MAX - 1, &count,
                               "the length of a list"));
    }
    if (property->axis >= 0) {
        return ly_values_doubles(values, property->type, 1, &x[property->axis], "a vertex");
    }
    if (!property->corners) {
        return ly_values_skip(values, property->type, count, "a property");
    }
    LY_TRY(ly_values_fit(values, property->type, count, "a face"));
    if (count < 3) {
        reader->import->passed += 1;
        return ly_values_skip(values, property->type, count, "a face");
    }
    int32_t *corners;
    LY_TRY(ly_import_polygon(reader->import, 0, (int32_t)count, &corners));
    return ly_values_int32(values, property->type, count, corners, "a face");
}

/// Reads the common case of bytes in bulk: x, y, z and fixed properties; or nothing but triangles
/// behind a count. `done`: rows read.
static LyraStatus read_vertex_bytes(Reader *reader, const Table *table, double *x, bool *done)
{
    int64_t stride = 0, offsets[3] = {-1, -1, -1};
    LyScalar types[3] = {LY_SCALAR_FLOAT32, LY_SCALAR_FLOAT32, LY_SCALAR_FLOAT32};
    for (int32_t p = 0; p < table->property_count; ++p) {
        const Property *property = &table->properties[p];
        if (property->list) {
            return LYRA_OK;
        }
        if (property->axis >= 0) {
            offsets[property->axis] = stride;
            types[property->axis] = property->type;
        }
        stride += ly_scalar_size(property->type);
    }
    const char *data = NULL;
    LY_TRY(ly_values_bytes(&reader->values, stride * table->rows, "vertices", &data));
    bool finite = true;
    for (int64_t v = 0; v < table->rows; ++v) {
        for (int32_t i = 0; i < 3; ++i) {
            finite = ly_bytes_doubles(data + stride * v + offsets[i], types[i],
                                      reader->values.big_endian, 1, &x[3 * v + i]) &&
                     finite;
        }
    }
    *done = true;
    return finite ? LYRA_OK
                  : ly_scanner_complain(reader->values.scanner, data, LYRA_NOT_FINITE,
                                        "found a NaN or an infinity in a vertex, expected finite "
                                        "numbers");
}

static LyraStatus read_rows(Reader *reader, const Table *table)
{
    double *positions = NULL, dropped[3];
    int32_t axes = 0, corners = 0;
    bool done = false;
    // every property of a row takes a byte or two at least
    LY_TRY(ly_values_fit(&reader->values, LY_SCALAR_INT8,
                         table->property_count > 0 ? table->rows : 0, "rows"));
    for (int32_t p = 0; p < table->property_count; ++p) {
        axes |= table->properties[p].axis >= 0 ? 1 << table->properties[p].axis : 0;
        corners += table->properties[p].corners;
    }
    if (table->kind == VERTICES) {
        if (axes != 7 || reader->import->builder.vertex_count > 0) {
            return ly_fail(LYRA_BAD_FORMAT, "%s: expected one element vertex with x, y and z",
                           reader->import->path);
        }
        LY_TRY(ly_import_vertices(reader->import, table->rows, &positions, NULL));
        if (reader->values.binary) {
            LY_TRY(read_vertex_bytes(reader, table, positions, &done));
        }
    }
    if (table->kind == FACES && corners != 1) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "%s: expected an element face with one list vertex_indices",
                       reader->import->path);
    }
    done = done || table->property_count == 0;
    for (int64_t row = 0; row < table->rows && !done; ++row) {
        double *x = positions ? positions + 3 * row : dropped;
        for (int32_t p = 0; p < table->property_count; ++p) {
            LY_TRY(read_value(reader, &table->properties[p], x));
        }
    }
    return LYRA_OK;
}

LyraStatus ly_ply_read(LyImport *import)
{
    Reader *reader = NULL;
    LY_TRY(ly_allocate_zeroed(import->ctx, 1, sizeof *reader, &reader));
    reader->import = import;
    reader->values.scanner = &import->scanner;
    import->vertex_first = 0;
    LyraStatus status = read_head(reader);
    for (int32_t t = 0; t < reader->table_count && status == LYRA_OK; ++t) {
        status = read_rows(reader, &reader->tables[t]);
    }
    ly_release(import->ctx, reader);
    return status;
}

// ---- writing ------------------------------------------------------------------------------------

LyraStatus ly_ply_save(const LyExport *data)
{
    bool binary = data->encoding == LYRA_MESH_ENCODING_BINARY;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    const char *bytes = "binary_big_endian";
#else
    const char *bytes = "binary_little_endian";
#endif
    int32_t most = 0;
    for (int64_t f = 0; f < data->cell_count; ++f) {
        int32_t nodes = ly_export_nodes(data, f);
        most = nodes > most ? nodes : most;
    }
    bool narrow = most <= UINT8_MAX;
    LyWriter *writer = NULL;
    LY_TRY(ly_writer_create(data->ctx, data->path, &writer));
    ly_writer_print(writer,
                    "ply\nformat %s 1.0\ncomment Surface by Lyra\nelement vertex %lld\n"
                    "property double x\nproperty double y\nproperty double z\n"
                    "element face %lld\nproperty list %s int vertex_indices\nend_header\n",
                    binary ? bytes : "ascii", (long long)data->vertex_count,
                    (long long)data->cell_count, narrow ? "uchar" : "int");
    if (binary) {
        ly_writer_bytes(writer, data->positions,
                        3 * (size_t)data->vertex_count * sizeof *data->positions);
    }
    for (int64_t i = 0; !binary && i < 3 * data->vertex_count; ++i) {
        ly_writer_double(writer, data->positions[i]);
        ly_writer_char(writer, i % 3 < 2 ? ' ' : '\n');
    }
    for (int64_t f = 0; f < data->cell_count; ++f) {
        int32_t nodes = ly_export_nodes(data, f);
        const int32_t *corners = ly_export_corners(data, f);
        if (binary && narrow) {
            ly_writer_char(writer, (char)nodes);
        } else if (binary) {
            ly_writer_bytes(writer, &nodes, sizeof nodes);
        } else {
            ly_writer_int(writer, nodes);
        }
        for (int32_t a = 0; a < nodes && !binary; ++a) {
            ly_writer_char(writer, ' ');
            ly_writer_int(writer, corners[a]);
        }
        if (binary) {
            ly_writer_bytes(writer, corners, (size_t)nodes * sizeof *corners);
        } else {
            ly_writer_char(writer, '\n');
        }
    }
    return ly_writer_commit(writer);
}
