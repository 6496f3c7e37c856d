// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The pair of text files that TetGen and Stellar use: vertices in .node, tets in .ele.
//
//     .node:  count 3 attributes markers        .ele:  count 4 attributes
//             i x y z [attribute...] [marker]          i v1 v2 v3 v4 [attribute...]
//
// Rows are numbered from 0 or 1, the same in both files. Attributes and markers of vertices are
// skipped. The first attribute of an element is the region of the generator; where elements differ
// in it and it is a whole number, each value makes a set.

#include "mesh/format.h"

#include "base/file.h"
#include "mesh/builder.h"
#include "mesh/rows.h"
#include "mesh/sort.h"

#include <stdio.h>
#include <string.h>

#define REGIONS_MAX 1000

typedef struct TetgenReader {
    LyMeshBuilder builder;
    LyStream stream; // of the file being read
    LyRowTable vertices, elements;
    bool has_regions;
    double *regions; // first attribute of each element, [region_capacity]
    int64_t region_capacity;
} TetgenReader;

/// `path` with the extension of one of the two files; one that has neither is taken as a stem.
static LyraStatus sibling(LyraContext *ctx, const char *path, const char *extension, char **out)
{
    bool known = ly_path_has_extension(path, ".node") || ly_path_has_extension(path, ".ele");
    size_t stem = known ? (size_t)(ly_path_extension(path) - path) : strlen(path);
    size_t length = strlen(extension);
    LY_TRY(ly_allocate_array(ctx, (int64_t)(stem + length + 1), 1, out));
    memcpy(*out, path, stem);
    memcpy(*out + stem, extension, length + 1);
    return LYRA_OK;
}

// ---- reading ------------------------------------------------------------------------------------

static LyraStatus next_line(LyStream *stream, bool *found)
{
    while (!ly_scanner_next_content(&stream->scanner)) {
        if (stream->ended) {
            *found = false;
            return LYRA_OK;
        }
        LY_TRY(ly_stream_refill(stream));
    }
    *found = true;
    return LYRA_OK;
}

/// Goes to the next row of a table that is not at its end.
static LyraStatus require_row(LyStream *stream, const LyRowTable *table)
{
    bool found;
    LY_TRY(next_line(stream, &found));
    if (!found || *stream->scanner.at == '*') {
        return ly_scanner_fail(&stream->scanner, LYRA_BAD_FORMAT, "%s %lld of %lld", table->what,
                               (long long)table->row + 1, (long long)table->count);
    }
    return LYRA_OK;
}

static LyraStatus require_end(LyStream *stream, const LyRowTable *table)
{
    bool found;
    LY_TRY(next_line(stream, &found));
    if (found) {
        return ly_scanner_fail(&stream->scanner, LYRA_BAD_FORMAT,
                               "the end of the file after %lld rows", (long long)table->count);
    }
    return LYRA_OK;
}

/// Reads the rest of a header; whether it announces further columns.
static LyraStatus end_header(LyScanner *scanner, bool *extra_columns)
{
    while (!ly_scanner_at_line_end(scanner)) {
        double number;
        LY_TRY(ly_scanner_double(scanner, &number, NULL));
        *extra_columns |= number != 0;
    }
    return ly_scanner_end_line(scanner);
}

static LyraStatus read_vertices(TetgenReader *reader)
{
    LyStream *stream = &reader->stream;
    LyRowTable *table = &reader->vertices;
    LyMeshBuilder *builder = &reader->builder;
    bool found;
    int32_t count, dimensions;
    LY_TRY(next_line(stream, &found));
    LY_TRY(ly_scanner_int32_in(&stream->scanner, 0, INT32_MAX, &count, "the number of vertices"));
    LY_TRY(ly_scanner_int32_in(&stream->scanner, 3, 3, &dimensions, "the number of coordinates"));
    LY_TRY(end_header(&stream->scanner, &table->extra_columns));
    table->count = count;
    while (table->row < table->count) {
        LY_TRY(require_row(stream, table));
        LY_TRY(ly_mesh_builder_reserve_vertices(builder, table->row, table->count,
                                                ly_stream_bytes_left(stream)));
        LY_TRY(ly_rows_read_positions(&stream->scanner, table,
                                      ly_min_i64(table->count, builder->vertex_capacity),
                                      builder->positions));
    }
    builder->vertex_count = count;
    return require_end(stream, table);
}

static LyraStatus read_element_header(TetgenReader *reader)
{
    LyStream *stream = &reader->stream;
    LyRowTable *table = &reader->elements;
    bool found;
    int32_t count, nodes, attributes = 0;
    LY_TRY(next_line(stream, &found));
    LyScanner *scanner = &stream->scanner;
    LY_TRY(ly_scanner_int32_in(scanner, 0, INT32_MAX, &count, "the number of elements"));
    ly_scanner_skip_blanks(scanner);
    const char *at = scanner->at;
    LY_TRY(ly_scanner_int32(scanner, &nodes, "the number of vertices of an element"));
    if (nodes == 10) {
        return ly_scanner_fail_at(scanner, at, LYRA_UNSUPPORTED,
                                  "4 vertices an element: quadratic tets are not read");
    }
    if (nodes != 4) {
        return ly_scanner_fail_at(scanner, at, LYRA_BAD_FORMAT, "4 vertices an element");
    }
    if (!ly_scanner_at_line_end(scanner)) {
        LY_TRY(ly_scanner_int32_in(scanner, 0, INT32_MAX, &attributes, "the number of attributes"));
    }
    LY_TRY(ly_scanner_end_line(scanner));
    table->count = count;
    table->extra_columns = attributes > 1;
    reader->has_regions = attributes > 0;
    return LYRA_OK;
}

static LyraStatus read_elements(TetgenReader *reader)
{
    LyStream *stream = &reader->stream;
    LyRowTable *table = &reader->elements;
    LyMeshBuilder *builder = &reader->builder;
    LY_TRY(read_element_header(reader));
    table->vertex_first = reader->vertices.first < 0 ? 1 : reader->vertices.first;
    table->vertex_count = (int32_t)reader->vertices.count;
    while (table->row < table->count) {
        LY_TRY(require_row(stream, table));
        LY_TRY(ly_mesh_builder_reserve_elements(builder, table->row, table->count,
                                                ly_stream_bytes_left(stream)));
        if (reader->has_regions && reader->region_capacity < builder->element_capacity) {
            LY_TRY(ly_resize_array(builder->ctx, builder->element_capacity, sizeof *reader->regions,
                                   &reader->regions));
            reader->region_capacity = builder->element_capacity;
        }
        LY_TRY(ly_rows_read_elements(&stream->scanner, table,
                                     ly_min_i64(table->count, builder->element_capacity), 4,
                                     builder->elements, reader->regions));
    }
    builder->element_count = table->count;
    return require_end(stream, table);
}

// ---- regions ------------------------------------------------------------------------------------

static int64_t find_value(const int32_t *values, int64_t count, int32_t value)
{
    int64_t low = 0, high = count - 1;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (values[middle] < value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// One set for each of `value_count` values, ascending, with the elements that have it.
static LyraStatus add_region_sets(TetgenReader *reader, const int32_t *values, int64_t value_count,
                                  int32_t *ids)
{
    LyMeshBuilder *builder = &reader->builder;
    // sort the elements by their value, counting
    int64_t begins[REGIONS_MAX + 1] = {0};
    for (int64_t e = 0; e < builder->element_count; ++e) {
        begins[find_value(values, value_count, (int32_t)reader->regions[e]) + 1] += 1;
    }
    for (int64_t v = 0; v < value_count; ++v) {
        begins[v + 1] += begins[v];
    }
    int64_t next[REGIONS_MAX];
    memcpy(next, begins, sizeof next);
    for (int64_t e = 0; e < builder->element_count; ++e) {
        ids[next[find_value(values, value_count, (int32_t)reader->regions[e])]++] = (int32_t)e;
    }
    for (int64_t v = 0; v < value_count; ++v) {
        char name[32];
        int length = snprintf(name, sizeof name, "region_%d", values[v]);
        LY_TRY(ly_mesh_builder_add_set(builder, (LySlice){name, (size_t)length}));
        LY_TRY(ly_mesh_builder_add_ids(builder, ids + begins[v], begins[v + 1] - begins[v]));
    }
    return LYRA_OK;
}

static LyraStatus make_region_sets(TetgenReader *reader)
{
    LyraContext *ctx = reader->builder.ctx;
    int64_t count = reader->builder.element_count;
    int32_t *values = NULL, *ids = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *values, &values));
    for (int64_t e = 0; e < count; ++e) {
        double region = reader->regions[e];
        if (!(region > -2e9 && region < 2e9) || region != (double)(int32_t)region) {
            goto done;
        }
        values[e] = (int32_t)region;
    }
    int64_t value_count = count;
    LY_TRY_DONE(ly_sort_unique(ctx, &value_count, values));
    if (value_count < 2 || value_count > REGIONS_MAX) {
        goto done;
    }
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *ids, &ids));
    status = add_region_sets(reader, values, value_count, ids);
done:
    ly_release(ctx, ids);
    ly_release(ctx, values);
    return status;
}

// ---- the pair -----------------------------------------------------------------------------------

static LyraStatus read_pair(TetgenReader *reader, LyraContext *ctx, const LyFileSource *source,
                            const char *node_path, const char *ele_path)
{
    LY_TRY(ly_stream_open(&reader->stream, ctx, source, node_path, false));
    LY_TRY(read_vertices(reader));
    ly_stream_close(&reader->stream);
    LY_TRY(ly_stream_open(&reader->stream, ctx, source, ele_path, false));
    LY_TRY(read_elements(reader));
    ly_stream_close(&reader->stream);
    return reader->has_regions ? make_region_sets(reader) : LYRA_OK;
}

LyraStatus ly_tetgen_load(LyraContext *ctx, const LyFileSource *source, const char *path,
                          LyraMesh **out)
{
    TetgenReader reader = {
        .builder = {.ctx = ctx, .kind = LYRA_ELEMENT_TET4},
        .vertices = {.what = "vertex", .first = -1},
        .elements = {.what = "element", .first = -1},
    };
    char *node_path = NULL, *ele_path = NULL;
    LyraMesh *mesh = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(sibling(ctx, path, ".node", &node_path));
    LY_TRY_DONE(sibling(ctx, path, ".ele", &ele_path));
    LY_TRY_DONE(read_pair(&reader, ctx, source, node_path, ele_path));
    ly_release(ctx, reader.regions);
    reader.regions = NULL;
    LY_TRY_DONE(ly_mesh_builder_create(&reader.builder, &mesh));
    LY_TRY_DONE(ly_mesh_repair(&mesh, path));
    *out = mesh;
    mesh = NULL;
done:
    lyra_mesh_destroy(mesh);
    ly_stream_close(&reader.stream);
    ly_mesh_builder_finish(&reader.builder);
    ly_release(ctx, reader.regions);
    ly_release(ctx, ele_path);
    ly_release(ctx, node_path);
    return status;
}

// ---- writing ------------------------------------------------------------------------------------

static void write_elements(LyWriter *writer, const LyraMesh *mesh)
{
    // the material as region, where elements differ in it
    bool regions = false;
    for (int32_t e = 1; e < mesh->element_count; ++e) {
        regions |= mesh->element_materials[e] != mesh->element_materials[0];
    }
    ly_writer_print(writer, "%d 4 %d\n", mesh->element_count, regions ? 1 : 0);
    for (int64_t e = 0; e < mesh->element_count; ++e) {
        ly_writer_int(writer, e + 1);
        for (int32_t a = 0; a < 4; ++a) {
            ly_writer_char(writer, ' ');
            ly_writer_int(writer, (int64_t)mesh->elements[4 * e + a] + 1);
        }
        if (regions) {
            ly_writer_char(writer, ' ');
            ly_writer_int(writer, (int64_t)mesh->element_materials[e] + 1);
        }
        ly_writer_char(writer, '\n');
    }
}

LyraStatus ly_tetgen_save(const LyraMesh *mesh, const char *path)
{
    if (mesh->kind != LYRA_ELEMENT_TET4) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "%s: found %s elements, expected tets: .node and .ele hold no other", path,
                       lyra_element_kind_name(mesh->kind));
    }
    LyraContext *ctx = mesh->ctx;
    char *node_path = NULL, *ele_path = NULL;
    LyWriter *writers[2] = {NULL, NULL};
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(sibling(ctx, path, ".node", &node_path));
    LY_TRY_DONE(sibling(ctx, path, ".ele", &ele_path));
    LY_TRY_DONE(ly_writer_create(ctx, node_path, &writers[0]));
    LY_TRY_DONE(ly_writer_create(ctx, ele_path, &writers[1]));
    ly_writer_print(writers[0], "%d 3 0 0\n", mesh->vertex_count);
    ly_rows_write_positions(writers[0], mesh->vertex_count, mesh->positions);
    write_elements(writers[1], mesh);
    status = ly_writer_commit_all(writers, 2);
    writers[0] = writers[1] = NULL;
done:
    ly_writer_discard(writers[0]);
    ly_writer_discard(writers[1]);
    ly_release(ctx, ele_path);
    ly_release(ctx, node_path);
    return status;
}
