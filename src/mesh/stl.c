// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// STL: triangles with all their corners, as text or as bytes.
//
//     solid name                            80 bytes of any content
//       facet normal nx ny nz               number of triangles, uint32
//         outer loop                        for each: normal, three corners (12 floats),
//           vertex x y z   (three times)              2 bytes of any content
//         endloop
//       endfacet
//     endsolid name
//
// Normals follow from the corners and are passed over. A file may hold several solids: each of text
// becomes a group if there is more than one. Which of the two it is cannot be seen at the word
// "solid", as bytes may start with it too: it is bytes if its size is what the count asks for.

#include "mesh/format.h"

#include "mesh/values.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define HEAD_BYTES 80
#define FACET_BYTES 50

// ---- reading ------------------------------------------------------------------------------------

static bool next_word(LyScanner *scanner, LySlice *word)
{
    ly_scanner_skip_space(scanner);
    *word = ly_scanner_token(scanner);
    return word->length > 0;
}

static LyraStatus require_word(LyScanner *scanner, const char *expected)
{
    LySlice word;
    ly_scanner_skip_space(scanner);
    const char *at = scanner->at;
    if (!next_word(scanner, &word) || !ly_slice_is_word(word, expected)) {
        return ly_scanner_fail_at(scanner, at, LYRA_BAD_FORMAT, "the word %s", expected);
    }
    return LYRA_OK;
}

/// Room for a triangle of three vertices of its own.
static LyraStatus add_triangle(LyImport *import, int32_t tag, double **positions)
{
    int32_t *corners, first = (int32_t)import->builder.vertex_count;
    LY_TRY(ly_import_vertices(import, 3, positions, NULL));
    LY_TRY(ly_import_cells(import, LY_CELL_TRIANGLE, tag, 1, &corners));
    for (int32_t a = 0; a < 3; ++a) {
        corners[a] = first + a;
    }
    return LYRA_OK;
}

static LyraStatus read_facet(LyImport *import, int32_t solid)
{
    LyScanner *scanner = &import->scanner;
    const LyValues values = {.scanner = scanner};
    double *x;
    LY_TRY(add_triangle(import, solid, &x));
    LY_TRY(require_word(scanner, "normal"));
    // some writers have NaN in normals of flat triangles
    LY_TRY(ly_values_skip(&values, LY_SCALAR_FLOAT32, 3, "a normal"));
    LY_TRY(require_word(scanner, "outer"));
    LY_TRY(require_word(scanner, "loop"));
    for (int32_t a = 0; a < 3; ++a) {
        LY_TRY(require_word(scanner, "vertex"));
        LY_TRY(ly_values_doubles(&values, LY_SCALAR_FLOAT32, 3, x + 3 * a, "a vertex"));
    }
    LY_TRY(require_word(scanner, "endloop"));
    return require_word(scanner, "endfacet");
}

static LyraStatus read_text(LyImport *import)
{
    LyScanner *scanner = &import->scanner;
    int32_t solids = 0;
    LySlice word;
    LY_TRY(require_word(scanner, "solid"));
    for (bool more = true; more;) {
        LySlice name = ly_scanner_rest_of_line(scanner);
        bool nameless = name.length == 0 || memchr(name.text, '\0', name.length);
        LY_TRY(ly_import_tag_set(import, false, solids, nameless ? (LySlice){"solid", 5} : name));
        const char *at;
        do {
            ly_scanner_skip_space(scanner);
            at = scanner->at;
            more = next_word(scanner, &word);
            if (more && ly_slice_is_word(word, "facet")) {
                LY_TRY(read_facet(import, solids));
            }
        } while (more && ly_slice_is_word(word, "facet"));
        if (!more || !ly_slice_is_word(word, "endsolid")) {
            LY_TRY(ly_scanner_fail_at(scanner, at, LYRA_BAD_FORMAT, "the word facet or endsolid"));
        }
        ly_scanner_next_line(scanner);
        more = next_word(scanner, &word);
        if (more && !ly_slice_is_word(word, "solid")) {
            LY_TRY(ly_scanner_fail(scanner, LYRA_BAD_FORMAT, "the word solid"));
        }
        ++solids;
    }
    // one solid is the whole surface, and needs no group
    if (solids == 1) {
        import->tag_set_count = 0;
    }
    return LYRA_OK;
}

static LyraStatus read_binary(LyImport *import)
{
    const LyValues values = {.scanner = &import->scanner, .binary = true};
    const char *data = NULL;
    int64_t count;
    LY_TRY(ly_values_bytes(&values, HEAD_BYTES, "a head", &data));
    LY_TRY(ly_values_int64(&values, LY_SCALAR_UINT32, 0, INT32_MAX / 3, &count,
                           "the number of triangles"));
    LY_TRY(ly_values_bytes(&values, FACET_BYTES * count, "triangles", &data));
    double *x;
    int32_t *corners;
    LY_TRY(ly_import_vertices(import, 3 * count, &x, NULL));
    LY_TRY(ly_import_cells(import, LY_CELL_TRIANGLE, 0, count, &corners));
    bool finite = true;
    for (int64_t f = 0; f < count; ++f) {
        finite =
            ly_bytes_doubles(data + FACET_BYTES * f + 12, LY_SCALAR_FLOAT32, false, 9, x + 9 * f) &&
            finite;
    }
    for (int64_t i = 0; i < 3 * count; ++i) {
        corners[i] = (int32_t)i;
    }
    if (!finite) {
        return ly_fail(LYRA_NOT_FINITE,
                       "%s: found a NaN or an infinity in a vertex, expected finite numbers",
                       import->path);
    }
    return LYRA_OK;
}

LyraStatus ly_stl_read(LyImport *import)
{
    LyScanner *scanner = &import->scanner;
    import->vertex_first = 0;
    size_t length = (size_t)(scanner->end - scanner->begin);
    bool binary = length >= HEAD_BYTES + 4 &&
                  length == HEAD_BYTES + 4 +
                                FACET_BYTES * ly_bytes_load(scanner->begin + HEAD_BYTES, 4, false);
    LyScanner start = *scanner;
    LySlice word;
    // bytes that were cut short say so, and don't look like a bad text
    if (!binary && (!next_word(&start, &word) || !ly_slice_is_word(word, "solid"))) {
        binary = length >= HEAD_BYTES + 4;
    }
    return binary ? read_binary(import) : read_text(import);
}

// ---- writing ------------------------------------------------------------------------------------

/// Unit normal of a triangle, zero where it has no area.
static void normal_of(const double *const x[3], double n[3])
{
    double u[3], w[3];
    for (int32_t i = 0; i < 3; ++i) {
        u[i] = x[1][i] - x[0][i];
        w[i] = x[2][i] - x[0][i];
    }
    n[0] = u[1] * w[2] - u[2] * w[1];
    n[1] = u[2] * w[0] - u[0] * w[2];
    n[2] = u[0] * w[1] - u[1] * w[0];
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int32_t i = 0; i < 3; ++i) {
        n[i] = length > 0 && isfinite(length) ? n[i] / length : 0;
    }
}

static void write_triple(LyWriter *writer, const char *word, const double *x)
{
    ly_writer_string(writer, word);
    for (int32_t i = 0; i < 3; ++i) {
        ly_writer_char(writer, ' ');
        ly_writer_double(writer, x[i]);
    }
    ly_writer_char(writer, '\n');
}

static void write_facet(LyWriter *writer, const LyExport *data, int64_t face, bool binary)
{
    const int32_t *corners = ly_export_corners(data, face);
    const double *x[3];
    double n[3];
    for (int32_t a = 0; a < 3; ++a) {
        x[a] = data->positions + 3 * (int64_t)corners[a];
    }
    normal_of(x, n);
    if (!binary) {
        write_triple(writer, "facet normal", n);
        ly_writer_string(writer, " outer loop\n");
        for (int32_t a = 0; a < 3; ++a) {
            write_triple(writer, "  vertex", x[a]);
        }
        ly_writer_string(writer, " endloop\nendfacet\n");
        return;
    }
    char bytes[FACET_BYTES] = {0};
    for (int32_t i = 0; i < 12; ++i) {
        float value = (float)(i < 3 ? n[i] : x[i / 3 - 1][i % 3]);
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        for (int32_t b = 0; b < 4; ++b) {
            bytes[4 * i + b] = (char)(bits >> 8 * b);
        }
    }
    ly_writer_bytes(writer, bytes, sizeof bytes);
}

LyraStatus ly_stl_save(const LyExport *data)
{
    bool binary = data->encoding == LYRA_MESH_ENCODING_BINARY;
    for (int64_t i = 0; binary && i < 3 * data->vertex_count; ++i) {
        if (!(fabs(data->positions[i]) <= FLT_MAX)) {
            return ly_fail(LYRA_UNSUPPORTED,
                           "%s: found a position beyond the range of float, expected numbers that "
                           "binary STL can hold",
                           data->path);
        }
    }
    LyWriter *writer = NULL;
    LY_TRY(ly_writer_create(data->ctx, data->path, &writer));
    if (binary) {
        char head[HEAD_BYTES + 4] = "Surface by Lyra";
        for (int32_t b = 0; b < 4; ++b) {
            head[HEAD_BYTES + b] = (char)((uint64_t)data->cell_count >> 8 * b);
        }
        ly_writer_bytes(writer, head, sizeof head);
    }
    // groups of text are solids
    int64_t parts = binary || data->set_count == 0 ? 1 : data->set_count;
    for (int64_t s = 0; s < parts; ++s) {
        const LyraMeshSet *set = data->set_count > 0 && !binary ? &data->sets[s] : NULL;
        const char *name = set ? set->name : "lyra";
        if (!binary) {
            ly_writer_string(writer, "solid ");
            ly_writer_string(writer, name);
            ly_writer_char(writer, '\n');
        }
        for (int64_t f = 0; f < (set ? set->count : data->cell_count); ++f) {
            write_facet(writer, data, set ? set->elements[f] : f, binary);
        }
        if (!binary) {
            ly_writer_string(writer, "endsolid ");
            ly_writer_string(writer, name);
            ly_writer_char(writer, '\n');
        }
    }
    return ly_writer_commit(writer);
}
