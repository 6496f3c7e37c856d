// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Files of lines: `v` and `l` of OBJ; POINTS with LINES, or CELLS and CELL_TYPES, of legacy VTK in
// text; nodes and elements of type 1 of Gmsh 2.2 in text. All else is passed over.

#include "base/base.h"
#include "base/file.h"
#include "base/scanner.h"
#include "mesh/builder.h"
#include "mesh/lines.h"
#include "mesh/sort.h"

#include <string.h>

#define VERTICES_MAX 100000000

// what is being read
typedef struct Reader {
    LyraContext *ctx;
    LyScanner in;
    int64_t vertices, edges; // counts
    int64_t vertex_room, edge_room, id_room, place_room, cell_room;
    double *positions, *radius;
    int32_t *pairs;
    // Gmsh: numbers of the vertices, ascending, and which vertices they are
    uint64_t *ids;
    int32_t *places;
    int64_t *cells; // first edge of each cell of VTK, and the end
    int64_t cell_count;
} Reader;

static LyraStatus add_vertex(Reader *reader, const double x[3])
{
    if (reader->vertices >= VERTICES_MAX) {
        return ly_fail(LYRA_TOO_LARGE, "%s: more than %d vertices", reader->in.path, VERTICES_MAX);
    }
    LY_TRY(ly_grow_array(reader->ctx, reader->vertices + 1, 3 * sizeof(double),
                         &reader->vertex_room, &reader->positions));
    memcpy(reader->positions + 3 * reader->vertices++, x, 3 * sizeof *x);
    return LYRA_OK;
}

static LyraStatus add_edge(Reader *reader, int32_t a, int32_t b)
{
    if (reader->edges >= VERTICES_MAX) {
        return ly_fail(LYRA_TOO_LARGE, "%s: more than %d edges", reader->in.path, VERTICES_MAX);
    }
    LY_TRY(ly_grow_array(reader->ctx, reader->edges + 1, 2 * sizeof(int32_t), &reader->edge_room,
                         &reader->pairs));
    reader->pairs[2 * reader->edges] = a;
    reader->pairs[2 * reader->edges++ + 1] = b;
    return LYRA_OK;
}

static LyraStatus read_point(Reader *reader, double x[3])
{
    static const char *const names[3] = {"x", "y", "z"};
    for (int i = 0; i < 3; ++i) {
        LY_TRY(ly_scanner_double(&reader->in, &x[i], names[i]));
    }
    return LYRA_OK;
}

// ---- OBJ ----------------------------------------------------------------------------------------

// "7", "7/2" or "-1"
static LyraStatus read_obj_vertex(Reader *reader, int32_t *out)
{
    const char *at = (ly_scanner_skip_blanks(&reader->in), reader->in.at);
    LySlice token = ly_scanner_token(&reader->in);
    int64_t value = 0, sign = 1;
    size_t i = 0;
    if (i < token.length && token.text[0] == '-') {
        sign = -1;
        ++i;
    }
    size_t first = i;
    for (; i < token.length && token.text[i] >= '0' && token.text[i] <= '9' && i < first + 9; ++i) {
        value = 10 * value + (token.text[i] - '0');
    }
    bool ends = i > first && (i == token.length || token.text[i] == '/');
    int64_t place = sign > 0 ? value - 1 : reader->vertices - value;
    if (!ends || value == 0 || place < 0 || place >= reader->vertices) {
        return ly_scanner_fail_at(&reader->in, at, LYRA_BAD_FORMAT,
                                  "a vertex of the %lld that stand before",
                                  (long long)reader->vertices);
    }
    *out = (int32_t)place;
    return LYRA_OK;
}

static LyraStatus read_obj(Reader *reader)
{
    do {
        LySlice word = ly_scanner_token(&reader->in);
        if (ly_slice_is(word, "v")) {
            double x[3];
            LY_TRY(read_point(reader, x));
            LY_TRY(add_vertex(reader, x));
        } else if (ly_slice_is(word, "l")) {
            int32_t before = 0, next = 0;
            LY_TRY(read_obj_vertex(reader, &before));
            do {
                LY_TRY(read_obj_vertex(reader, &next));
                LY_TRY(add_edge(reader, before, next));
                before = next;
            } while (!ly_scanner_at_line_end(&reader->in));
        }
    } while (ly_scanner_next_line(&reader->in));
    return LYRA_OK;
}

// ---- VTK ----------------------------------------------------------------------------------------

static LyraStatus next_number(Reader *reader)
{
    return ly_scanner_next_content(&reader->in)
               ? LYRA_OK
               : ly_scanner_fail(&reader->in, LYRA_BAD_FORMAT, "a number");
}

static LyraStatus read_count(Reader *reader, int32_t *count, const char *what)
{
    return ly_scanner_int32_in(&reader->in, 0, VERTICES_MAX, count, what);
}

static LyraStatus read_vtk_points(Reader *reader)
{
    int32_t count;
    LY_TRY(read_count(reader, &count, "a count of points"));
    (void)ly_scanner_token(&reader->in); // the type
    for (int32_t v = 0; v < count; ++v) {
        double x[3];
        for (int i = 0; i < 3; ++i) {
            LY_TRY(next_number(reader));
            LY_TRY(ly_scanner_double(&reader->in, &x[i], "a coordinate"));
        }
        LY_TRY(add_vertex(reader, x));
    }
    return LYRA_OK;
}

// rows of a count and as many vertices; all become edges, and those that are no lines go later
static LyraStatus read_vtk_cells(Reader *reader)
{
    int32_t count, size;
    LY_TRY(read_count(reader, &count, "a count of cells"));
    LY_TRY(ly_scanner_int32_in(&reader->in, 0, INT32_MAX, &size, "a count of numbers"));
    if (reader->cells) {
        return ly_scanner_complain(&reader->in, reader->in.at, LYRA_UNSUPPORTED,
                                   "found a second list of cells, expected one");
    }
    for (int32_t c = 0; c < count; ++c) {
        int32_t nodes, before = 0, next = 0;
        LY_TRY(ly_grow_array(reader->ctx, reader->cell_count + 1, sizeof(int64_t),
                             &reader->cell_room, &reader->cells));
        reader->cells[reader->cell_count++] = reader->edges;
        LY_TRY(next_number(reader));
        LY_TRY(ly_scanner_int32_in(&reader->in, 1, VERTICES_MAX, &nodes, "a count of vertices"));
        for (int32_t k = 0; k < nodes; ++k) {
            LY_TRY(next_number(reader));
            LY_TRY(ly_scanner_int32_in(&reader->in, 0, (int32_t)reader->vertices - 1, &next,
                                       "a vertex"));
            LY_TRY(k > 0 ? add_edge(reader, before, next) : LYRA_OK);
            before = next;
        }
    }
    LY_TRY(ly_grow_array(reader->ctx, reader->cell_count + 1, sizeof(int64_t), &reader->cell_room,
                         &reader->cells));
    reader->cells[reader->cell_count] = reader->edges;
    return LYRA_OK;
}

// drops the edges of cells that are neither a line (3) nor a polyline (4)
static LyraStatus read_vtk_types(Reader *reader)
{
    int32_t count, type;
    int64_t kept = 0;
    LY_TRY(read_count(reader, &count, "a count of cells"));
    if (count != reader->cell_count) {
        return ly_scanner_complain(&reader->in, reader->in.at, LYRA_BAD_FORMAT,
                                   "found types of %d cells, expected %lld", (int)count,
                                   (long long)reader->cell_count);
    }
    for (int32_t c = 0; c < count; ++c) {
        int64_t begin = reader->cells[c], end = reader->cells[c + 1];
        LY_TRY(next_number(reader));
        LY_TRY(ly_scanner_int32_in(&reader->in, 0, 1000, &type, "a type of a cell"));
        bool line = type == 3 || type == 4;
        reader->cells[c] = kept;
        if (line) {
            memmove(reader->pairs + 2 * kept, reader->pairs + 2 * begin,
                    2 * sizeof(int32_t) * (size_t)(end - begin));
            kept += end - begin;
        }
    }
    if (reader->cells) {
        reader->cells[reader->cell_count] = kept;
    }
    reader->edges = kept;
    return LYRA_OK;
}

// SCALARS radius ... LOOKUP_TABLE default, one number per cell
static LyraStatus read_vtk_radii(Reader *reader)
{
    LySlice name = ly_scanner_token(&reader->in);
    if (!ly_slice_is(name, "radius") || !reader->cells || reader->radius) {
        return LYRA_OK;
    }
    (void)ly_scanner_next_line(&reader->in);
    (void)ly_scanner_next_line(&reader->in);
    LY_TRY(ly_allocate_array(reader->ctx, reader->edges, sizeof(double), &reader->radius));
    for (int64_t c = 0; c < reader->cell_count; ++c) {
        double radius;
        LY_TRY(next_number(reader));
        LY_TRY(ly_scanner_double(&reader->in, &radius, "a radius"));
        for (int64_t e = reader->cells[c]; e < reader->cells[c + 1]; ++e) {
            reader->radius[e] = radius;
        }
    }
    return LYRA_OK;
}

static LyraStatus read_vtk(Reader *reader)
{
    bool of_cells = false;
    for (int line = 0; line < 2; ++line) {
        (void)ly_scanner_next_line(&reader->in);
    }
    LySlice kind = ly_scanner_peek(&reader->in);
    if (!ly_slice_is_word(kind, "ascii")) {
        return ly_scanner_fail(&reader->in, LYRA_UNSUPPORTED, "ASCII, as lines are read from text");
    }
    while (ly_scanner_next_line(&reader->in)) {
        LySlice word = ly_scanner_token(&reader->in);
        if (ly_slice_is_word(word, "points")) {
            LY_TRY(read_vtk_points(reader));
        } else if (ly_slice_is_word(word, "lines") || ly_slice_is_word(word, "cells")) {
            LY_TRY(read_vtk_cells(reader));
        } else if (ly_slice_is_word(word, "cell_types")) {
            LY_TRY(read_vtk_types(reader));
        } else if (ly_slice_is_word(word, "cell_data")) {
            of_cells = true;
        } else if (ly_slice_is_word(word, "point_data")) {
            of_cells = false;
        } else if (ly_slice_is_word(word, "scalars") && of_cells) {
            LY_TRY(read_vtk_radii(reader));
        }
    }
    return LYRA_OK;
}

// ---- Gmsh ---------------------------------------------------------------------------------------

static LyraStatus read_gmsh_nodes(Reader *reader)
{
    int32_t count;
    LY_TRY(next_number(reader));
    LY_TRY(read_count(reader, &count, "a count of nodes"));
    for (int32_t v = 0; v < count; ++v) {
        double x[3];
        int32_t id;
        int64_t more = reader->vertices + 1;
        LY_TRY(next_number(reader));
        LY_TRY(ly_scanner_int32_in(&reader->in, 1, INT32_MAX, &id, "a number of a node"));
        LY_TRY(read_point(reader, x));
        LY_TRY(
            ly_grow_array(reader->ctx, more, sizeof *reader->ids, &reader->id_room, &reader->ids));
        LY_TRY(ly_grow_array(reader->ctx, more, sizeof *reader->places, &reader->place_room,
                             &reader->places));
        reader->ids[more - 1] = (uint64_t)id;
        reader->places[more - 1] = (int32_t)(more - 1);
        LY_TRY(add_vertex(reader, x));
    }
    return ly_sort_keys(reader->ctx, reader->vertices, reader->ids, reader->places);
}

// place of the node with the number ahead
static LyraStatus find_gmsh_node(Reader *reader, int32_t *out)
{
    int32_t id;
    int64_t begin = 0, end = reader->vertices;
    const char *at = reader->in.at;
    LY_TRY(ly_scanner_int32_in(&reader->in, 1, INT32_MAX, &id, "a node"));
    while (begin < end) {
        int64_t middle = begin + (end - begin) / 2;
        if (reader->ids[middle] < (uint64_t)id) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    if (begin == reader->vertices || reader->ids[begin] != (uint64_t)id) {
        return ly_scanner_fail_at(&reader->in, at, LYRA_BAD_FORMAT, "the number of a node");
    }
    *out = reader->places[begin];
    return LYRA_OK;
}

static LyraStatus read_gmsh_elements(Reader *reader)
{
    int32_t count;
    LY_TRY(next_number(reader));
    LY_TRY(read_count(reader, &count, "a count of elements"));
    for (int32_t e = 0; e < count; ++e) {
        int32_t id, type, tags, a = 0, b = 0;
        LY_TRY(next_number(reader));
        LY_TRY(ly_scanner_int32_in(&reader->in, 1, INT32_MAX, &id, "a number of an element"));
        LY_TRY(ly_scanner_int32_in(&reader->in, 1, 1000, &type, "a type of an element"));
        LY_TRY(ly_scanner_int32_in(&reader->in, 0, 1000, &tags, "a count of tags"));
        for (int32_t t = 0; t < tags; ++t) {
            LY_TRY(ly_scanner_int32(&reader->in, &id, "a tag"));
        }
        if (type == 1) {
            LY_TRY(find_gmsh_node(reader, &a));
            LY_TRY(find_gmsh_node(reader, &b));
            LY_TRY(add_edge(reader, a, b));
        } else {
            (void)ly_scanner_rest_of_line(&reader->in);
        }
    }
    return LYRA_OK;
}

static LyraStatus read_gmsh(Reader *reader)
{
    do {
        LySlice word = ly_scanner_token(&reader->in);
        if (ly_slice_is(word, "$MeshFormat")) {
            double version;
            int32_t binary;
            LY_TRY(next_number(reader));
            const char *at = reader->in.at;
            LY_TRY(ly_scanner_double(&reader->in, &version, "a version"));
            LY_TRY(ly_scanner_int32(&reader->in, &binary, "0 of text"));
            if (!(version >= 2 && version < 3) || binary) {
                return ly_scanner_fail_at(&reader->in, at, LYRA_UNSUPPORTED,
                                          "version 2.2 in text: lines are read from that alone");
            }
        } else if (ly_slice_is(word, "$Nodes")) {
            LY_TRY(read_gmsh_nodes(reader));
        } else if (ly_slice_is(word, "$Elements")) {
            LY_TRY(read_gmsh_elements(reader));
        }
    } while (ly_scanner_next_line(&reader->in));
    return LYRA_OK;
}

// ---- files --------------------------------------------------------------------------------------

// leaves the vertices that edges have
static LyraStatus finish(Reader *reader, LyraLines **out)
{
    int32_t *place = NULL, kept = 0;
    if (reader->edges == 0) {
        return ly_fail(LYRA_BAD_MESH, "%s: found no lines, expected some", reader->in.path);
    }
    LY_TRY(ly_allocate_zeroed(reader->ctx, reader->vertices, sizeof *place, &place));
    for (int64_t i = 0; i < 2 * reader->edges; ++i) {
        place[reader->pairs[i]] = 1;
    }
    for (int64_t v = 0; v < reader->vertices; ++v) {
        bool used = place[v];
        place[v] = kept;
        if (used) {
            memmove(reader->positions + 3 * (int64_t)kept++, reader->positions + 3 * v,
                    3 * sizeof(double));
        }
    }
    for (int64_t i = 0; i < 2 * reader->edges; ++i) {
        reader->pairs[i] = place[reader->pairs[i]];
    }
    ly_release(reader->ctx, place);
    const LyraLinesView view = {kept, (int32_t)reader->edges, reader->positions, reader->pairs,
                                reader->radius};
    return lyra_lines_create(reader->ctx, &view, out);
}

LyraStatus ly_lines_parse(LyraContext *ctx, const char *path, const char *text, size_t length,
                          LyraLines **out)
{
    static const struct {
        const char *extension;
        LyraStatus (*read)(Reader *reader);
    } formats[] = {{".obj", read_obj}, {".vtk", read_vtk}, {".msh", read_gmsh}};
    int f = 0;
    while (f < LY_COUNT_OF(formats) && !ly_path_has_extension(path, formats[f].extension)) {
        ++f;
    }
    if (f == LY_COUNT_OF(formats)) {
        return ly_fail(LYRA_UNSUPPORTED, "%s: lines are read from .obj, .vtk and .msh", path);
    }
    Reader reader = {.ctx = ctx, .in = ly_scanner_make(path, text, length, f == 0 ? '#' : 0)};
    LyraStatus status = formats[f].read(&reader);
    if (status == LYRA_OK) {
        status = finish(&reader, out);
    }
    ly_release(ctx, reader.positions);
    ly_release(ctx, reader.pairs);
    ly_release(ctx, reader.radius);
    ly_release(ctx, reader.ids);
    ly_release(ctx, reader.places);
    ly_release(ctx, reader.cells);
    return status;
}

LyraStatus lyra_lines_load(LyraContext *ctx, const char *path, LyraLines **out)
{
    LYRA_ASSERT(ctx && path && out);
    char *text = NULL;
    size_t length;
    LY_TRY(ly_file_read(ctx, path, &text, &length));
    LyraStatus status = ly_lines_parse(ctx, path, text, length, out);
    ly_release(ctx, text);
    return status;
}

static void write_obj(LyWriter *writer, const LyraLinesView *view)
{
    for (int64_t v = 0; v < view->vertex_count; ++v) {
        ly_writer_char(writer, 'v');
        for (int i = 0; i < 3; ++i) {
            ly_writer_char(writer, ' ');
            ly_writer_double(writer, view->positions[3 * v + i]);
        }
        ly_writer_char(writer, '\n');
    }
    for (int64_t e = 0; e < view->edge_count; ++e) {
        ly_writer_print(writer, "l %d %d\n", (int)view->edges[2 * e] + 1,
                        (int)view->edges[2 * e + 1] + 1);
    }
}

static void write_vtk(LyWriter *writer, const LyraLinesView *view)
{
    ly_writer_print(writer,
                    "# vtk DataFile Version 3.0\nlines\nASCII\nDATASET POLYDATA\nPOINTS %d "
                    "double\n",
                    (int)view->vertex_count);
    for (int64_t i = 0; i < 3 * (int64_t)view->vertex_count; ++i) {
        ly_writer_double(writer, view->positions[i]);
        ly_writer_char(writer, i % 3 == 2 ? '\n' : ' ');
    }
    ly_writer_print(writer, "LINES %d %lld\n", (int)view->edge_count,
                    3 * (long long)view->edge_count);
    for (int64_t e = 0; e < view->edge_count; ++e) {
        ly_writer_print(writer, "2 %d %d\n", (int)view->edges[2 * e], (int)view->edges[2 * e + 1]);
    }
    if (view->radii) {
        ly_writer_print(writer, "CELL_DATA %d\nSCALARS radius double 1\nLOOKUP_TABLE default\n",
                        (int)view->edge_count);
        for (int64_t e = 0; e < view->edge_count; ++e) {
            ly_writer_double(writer, view->radii[e]);
            ly_writer_char(writer, '\n');
        }
    }
}

LyraStatus lyra_lines_save(const LyraLines *lines, const char *path)
{
    LYRA_ASSERT(lines && path);
    bool obj = ly_path_has_extension(path, ".obj");
    if (!obj && !ly_path_has_extension(path, ".vtk")) {
        return ly_fail(LYRA_UNSUPPORTED, "%s: lines are written to .obj and .vtk", path);
    }
    LyWriter *writer = NULL;
    LY_TRY(ly_writer_create(lines->ctx, path, &writer));
    (obj ? write_obj : write_vtk)(writer, &lines->view);
    return ly_writer_commit(writer);
}
