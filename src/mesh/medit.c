// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Medit's .mesh: words, each with a count and as many rows of numbers, the last of which is a
// reference (a tag). Everything is separated by blanks or ends of lines.
//
//     MeshVersionFormatted 2   Dimension 3
//     Vertices 4     0 0 0 0 ...
//     Tetrahedra 1   1 2 3 4 7
//     End
//
// Tets of 10 nodes have the middles of edges 01 12 20 03 13 23 behind their corners.
// References become sets region_<reference> if cells differ in them. Words of no use here (edges,
// corners, normals) are passed over with all numbers behind them.

#include "mesh/format.h"

#include "mesh/values.h"

#include <string.h>

static const struct {
    const char *word;
    LyCellType type;
} kinds[] = {
    {"Triangles", {LY_CELL_TRIANGLE, 3}},    {"Quadrilaterals", {LY_CELL_QUAD, 4}},
    {"Tetrahedra", {LY_CELL_TET, 4}},        {"Pyramids", {LY_CELL_PYRAMID, 5}},
    {"Prisms", {LY_CELL_PRISM, 6}},          {"Pentahedra", {LY_CELL_PRISM, 6}},
    {"Hexahedra", {LY_CELL_HEX, 8}},         {"Hexaedra", {LY_CELL_HEX, 8}},
    {"TrianglesP2", {LY_CELL_TRIANGLE, 6}},  {"TetrahedraP2", {LY_CELL_TET10, 10}},
    {"TrianglesP3", {LY_CELL_TRIANGLE, 10}}, {"TetrahedraP3", {LY_CELL_TET, 20}},
    {"QuadrilateralsQ2", {LY_CELL_QUAD, 9}}, {"HexahedraQ2", {LY_CELL_HEX, 27}},
    {"PrismsP2", {LY_CELL_PRISM, 18}},       {"PyramidsP2", {LY_CELL_PYRAMID, 14}},
};

// nodes of a cell behind its corners
#define MIDDLES_MAX 19

// ---- reading ------------------------------------------------------------------------------------

static LyraStatus read_count(const LyValues *values, int64_t *count)
{
    LY_TRY(ly_values_int64(values, LY_SCALAR_INT32, 0, INT32_MAX - 1, count, "a count"));
    // rows have two numbers at least
    return ly_values_fit(values, LY_SCALAR_INT32, 2 * *count, "rows");
}

static LyraStatus read_vertices(LyImport *import, const LyValues *values, int64_t dimension)
{
    int64_t count;
    double *x;
    int32_t reference;
    LY_TRY(read_count(values, &count));
    LY_TRY(ly_import_vertices(import, count, &x, NULL));
    for (int64_t v = 0; v < count; ++v, x += 3) {
        x[2] = 0;
        LY_TRY(ly_values_doubles(values, LY_SCALAR_FLOAT64, dimension, x, "a vertex"));
        LY_TRY(ly_values_int32(values, LY_SCALAR_INT32, 1, &reference, "a reference"));
    }
    return LYRA_OK;
}

static LyraStatus read_cells(LyImport *import, const LyValues *values, LyCellType type)
{
    int64_t count, first = import->cell_count;
    int32_t *corners, rest[MIDDLES_MAX], nodes = ly_cell_nodes(type.shape);
    LY_TRY(read_count(values, &count));
    LY_TRY(ly_import_cells(import, type.shape, 0, count, &corners));
    import->quadratic[ly_cell_is_solid(type.shape)] |= type.nodes > nodes && count > 0;
    for (int64_t c = 0; c < count; ++c, corners += nodes) {
        LY_TRY(ly_values_int32(values, LY_SCALAR_INT32, nodes, corners, "a vertex of a cell"));
        LY_TRY(ly_values_int32(values, LY_SCALAR_INT32, type.nodes - nodes, rest,
                               "a vertex of a cell"));
        LY_TRY(
            ly_values_int32(values, LY_SCALAR_INT32, 1, &import->tags[first + c], "a reference"));
    }
    return LYRA_OK;
}

/// Passes over numbers to the next word.
static void skip_numbers(LyScanner *scanner)
{
    for (;;) {
        ly_scanner_skip_space(scanner);
        LyScanner peek = *scanner;
        LySlice token = ly_scanner_token(&peek);
        double number;
        if (token.length == 0 || !ly_parse_double(token.text, token.text + token.length, &number)) {
            return;
        }
        *scanner = peek;
    }
}

LyraStatus ly_medit_read(LyImport *import)
{
    LyScanner *scanner = &import->scanner;
    const LyValues values = {.scanner = scanner};
    int64_t dimension = 3, version;
    scanner->comment = '#';
    for (;;) {
        ly_scanner_skip_space(scanner);
        if (ly_scanner_at_end(scanner)) {
            break;
        }
        const char *at = scanner->at;
        LySlice word = ly_scanner_token(scanner);
        const LyCellType *type = NULL;
        for (int32_t k = 0; k < LY_COUNT_OF(kinds); ++k) {
            type = ly_slice_is_word(word, kinds[k].word) ? &kinds[k].type : type;
        }
        bool letter = (word.length > 0) && ((*word.text | 32) >= 'a' && (*word.text | 32) <= 'z');
        if (type) {
            LY_TRY(read_cells(import, &values, *type));
        } else if (ly_slice_is_word(word, "MeshVersionFormatted")) {
            LY_TRY(ly_values_int64(&values, LY_SCALAR_INT32, 1, 4, &version, "the version"));
        } else if (ly_slice_is_word(word, "Dimension")) {
            LY_TRY(ly_values_int64(&values, LY_SCALAR_INT32, 2, 3, &dimension, "the dimension"));
        } else if (ly_slice_is_word(word, "Vertices")) {
            LY_TRY(read_vertices(import, &values, dimension));
        } else if (ly_slice_is_word(word, "End")) {
            break;
        } else if (letter) {
            skip_numbers(scanner);
        } else {
            return ly_scanner_fail_at(scanner, at, LYRA_BAD_FORMAT,
                                      "a word such as Vertices, Tetrahedra or End");
        }
    }
    return ly_import_tag_all(import, "region", NULL, NULL);
}

// ---- writing ------------------------------------------------------------------------------------

static void write_cells(LyWriter *writer, const LyExport *data, const char *word, int32_t nodes,
                        const int32_t *groups)
{
    int64_t count = 0;
    for (int64_t c = 0; c < data->cell_count; ++c) {
        count += ly_export_nodes(data, c) == nodes;
    }
    if (count == 0) {
        return;
    }
    ly_writer_print(writer, "%s\n%lld\n", word, (long long)count);
    for (int64_t c = 0; c < data->cell_count; ++c) {
        const int32_t *corners = ly_export_corners(data, c);
        for (int32_t a = 0; ly_export_nodes(data, c) == nodes && a <= nodes; ++a) {
            ly_writer_int(writer, a < nodes ? (int64_t)corners[a] + 1 : groups[c]);
            ly_writer_char(writer, a < nodes ? ' ' : '\n');
        }
    }
}

LyraStatus ly_medit_save(const LyExport *data)
{
    int32_t *groups = NULL;
    LyWriter *writer = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_export_groups(data, &groups));
    // without sets, elements differ in their material
    for (int64_t c = 0; data->set_count == 0 && c < data->cell_count; ++c) {
        groups[c] = ly_export_material(data, c) + 1;
    }
    LY_TRY_DONE(ly_writer_create(data->ctx, data->path, &writer));
    ly_writer_print(writer, "MeshVersionFormatted 2\nDimension 3\nVertices\n%lld\n",
                    (long long)data->vertex_count);
    for (int64_t v = 0; v < data->vertex_count; ++v) {
        for (int32_t i = 0; i < 3; ++i) {
            ly_writer_double(writer, data->positions[3 * v + i]);
            ly_writer_char(writer, ' ');
        }
        ly_writer_string(writer, "0\n");
    }
    if (data->mesh) {
        write_cells(writer, data,
                    data->nodes == 4    ? "Tetrahedra"
                    : data->nodes == 10 ? "TetrahedraP2"
                                        : "Hexahedra",
                    data->nodes, groups);
    } else {
        write_cells(writer, data, "Triangles", 3, groups);
        write_cells(writer, data, "Quadrilaterals", 4, groups);
    }
    ly_writer_string(writer, "End\n");
    status = ly_writer_commit(writer);
done:
    ly_release(data->ctx, groups);
    return status;
}
