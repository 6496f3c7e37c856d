// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Reader of .veg, the text format of the Vega library; docs/mesh_files.md has its rules. The file
// is read once, from front to back: vertices come before the elements that name them, elements
// before sets, sets and materials before the regions that name them.

#include "mesh/format.h"
#include "mesh/rows.h"
#include "mesh/veg.h"

#include <string.h>

typedef struct VegReader {
    LyVegLines lines;
    LyMeshBuilder builder;
    LyRowTable vertices, elements;
    bool has_vertices, has_elements;
} VegReader;

// ---- vertices and elements ----------------------------------------------------------------------

/// Goes to the next line, which must be there; `expected` says what it should hold.
static LyraStatus require_line(VegReader *reader, const char *expected)
{
    bool found;
    LY_TRY(ly_veg_next_line(&reader->lines, &found));
    if (!found || *ly_veg_scanner(&reader->lines)->at == '*') {
        return ly_scanner_fail(ly_veg_scanner(&reader->lines), LYRA_BAD_FORMAT, "%s", expected);
    }
    return LYRA_OK;
}

/// Reads a line `count columns [number...]`.
static LyraStatus read_header(VegReader *reader, LyRowTable *table, const char *count_name,
                              int32_t columns, const char *columns_name)
{
    LY_TRY(require_line(reader, count_name));
    LyScanner *scanner = ly_veg_scanner(&reader->lines);
    int32_t count, found_columns;
    LY_TRY(ly_scanner_int32_in(scanner, 0, INT32_MAX, &count, count_name));
    LY_TRY(ly_scanner_int32_in(scanner, columns, columns, &found_columns, columns_name));
    // attributes and markers, which rows then have and which are of no use here
    while (!ly_scanner_at_line_end(scanner)) {
        double announced;
        LY_TRY(ly_scanner_double(scanner, &announced, NULL));
        table->extra_columns |= announced != 0;
    }
    LY_TRY(ly_scanner_end_line(scanner));
    table->count = count;
    table->first = -1;
    return LYRA_OK;
}

static LyraStatus fail_short(VegReader *reader, const LyRowTable *table)
{
    return ly_scanner_fail(ly_veg_scanner(&reader->lines), LYRA_BAD_FORMAT, "%s %lld of %lld",
                           table->what, (long long)table->row + 1, (long long)table->count);
}

static LyraStatus read_vertices(VegReader *reader)
{
    LyRowTable *table = &reader->vertices;
    LyMeshBuilder *builder = &reader->builder;
    LY_TRY(read_header(reader, table, "the number of vertices", 3, "the number of coordinates"));
    while (table->row < table->count) {
        bool found;
        LY_TRY(ly_veg_next_line(&reader->lines, &found));
        if (!found || *ly_veg_scanner(&reader->lines)->at == '*') {
            return fail_short(reader, table);
        }
        LY_TRY(ly_mesh_builder_reserve_vertices(builder, table->row, table->count,
                                                ly_veg_bytes_left(&reader->lines)));
        LY_TRY(ly_rows_read_positions(ly_veg_scanner(&reader->lines), table,
                                      ly_min_i64(table->count, builder->vertex_capacity),
                                      builder->positions));
    }
    builder->vertex_count = table->count;
    reader->has_vertices = true;
    return LYRA_OK;
}

static LyraStatus read_element_kind(VegReader *reader)
{
    const char *expected = "the kind of the elements: TET, TETS or CUBIC";
    LY_TRY(require_line(reader, expected));
    LyScanner *scanner = ly_veg_scanner(&reader->lines);
    const char *at = scanner->at;
    LySlice word = ly_scanner_token(scanner);
    if (ly_slice_is_word(word, "TET") || ly_slice_is_word(word, "TETS")) {
        reader->builder.kind = LYRA_ELEMENT_TET4;
    } else if (ly_slice_is_word(word, "CUBIC")) {
        reader->builder.kind = LYRA_ELEMENT_CUBE8;
    } else {
        return ly_scanner_fail_at(scanner, at, LYRA_BAD_FORMAT, "%s", expected);
    }
    return ly_scanner_end_line(scanner);
}

static LyraStatus read_elements(VegReader *reader)
{
    LyRowTable *table = &reader->elements;
    LyMeshBuilder *builder = &reader->builder;
    LY_TRY(read_element_kind(reader));
    int32_t nodes = lyra_element_kind_nodes(builder->kind);
    LY_TRY(read_header(reader, table, "the number of elements", nodes,
                       "the number of vertices of an element"));
    table->vertex_first = reader->vertices.first < 0 ? 1 : reader->vertices.first;
    table->vertex_count = (int32_t)reader->vertices.count;
    while (table->row < table->count) {
        bool found;
        LY_TRY(ly_veg_next_line(&reader->lines, &found));
        if (!found || *ly_veg_scanner(&reader->lines)->at == '*') {
            return fail_short(reader, table);
        }
        LY_TRY(ly_mesh_builder_reserve_elements(builder, table->row, table->count,
                                                ly_veg_bytes_left(&reader->lines)));
        LY_TRY(ly_rows_read_elements(ly_veg_scanner(&reader->lines), table,
                                     ly_min_i64(table->count, builder->element_capacity), nodes,
                                     builder->elements, NULL));
    }
    builder->element_count = table->count;
    reader->has_elements = true;
    return LYRA_OK;
}

// ---- materials, sets, regions -------------------------------------------------------------------

/// Reads the name behind a command.
static LyraStatus read_name(VegReader *reader, const char *what, LySlice *name)
{
    LyScanner *scanner = ly_veg_scanner(&reader->lines);
    const char *at = scanner->at;
    *name = ly_scanner_rest_of_line(scanner);
    if (name->length == 0 || memchr(name->text, '\0', name->length)) {
        return ly_scanner_fail_at(scanner, at, LYRA_BAD_FORMAT, "the name of a %s", what);
    }
    return LYRA_OK;
}

static LyraStatus fail_taken(VegReader *reader, LySlice name, const char *what)
{
    return ly_scanner_fail_at(ly_veg_scanner(&reader->lines), name.text, LYRA_BAD_FORMAT,
                              "a name that no %s above has", what);
}

static LyraStatus read_material(VegReader *reader)
{
    LySlice name;
    LY_TRY(read_name(reader, "material", &name));
    if (ly_names_find(&reader->builder.material_names, name) >= 0) {
        return fail_taken(reader, name, "material");
    }
    // added first, because its name is gone with the next line
    LyraMeshMaterial material = {0};
    LY_TRY(ly_mesh_builder_add_material(&reader->builder, name, &material));
    LY_TRY(require_line(reader, "the constants of a material"));
    return ly_veg_read_material(
        ly_veg_scanner(&reader->lines),
        &reader->builder.materials[reader->builder.material_names.count - 1]);
}

/// Reads the ids of a set from the lines at hand.
static LyraStatus read_ids(VegReader *reader, bool keep)
{
    LyScanner *scanner = ly_veg_scanner(&reader->lines);
    int64_t first = reader->elements.first < 0 ? 1 : reader->elements.first;
    while (!ly_scanner_at_line_end(scanner)) {
        int64_t id = 0;
        LY_TRY(ly_scanner_int64_in(scanner, first, first + reader->elements.count - 1, &id,
                                   "an element"));
        int32_t index = (int32_t)(id - first);
        if (keep) {
            LY_TRY(ly_mesh_builder_add_ids(&reader->builder, &index, 1));
        }
    }
    return ly_scanner_end_line(scanner);
}

static LyraStatus read_set(VegReader *reader)
{
    LyScanner *scanner = ly_veg_scanner(&reader->lines);
    LySlice name;
    LY_TRY(read_name(reader, "set", &name));
    if (!reader->has_elements) {
        return ly_scanner_fail_at(scanner, name.text, LYRA_BAD_FORMAT,
                                  "*ELEMENTS in front of the first set");
    }
    // this name always means all elements, so such a set adds nothing
    bool keep = !ly_slice_is(name, "allElements");
    if (keep) {
        if (ly_names_find(&reader->builder.sets.names, name) >= 0) {
            return fail_taken(reader, name, "set");
        }
        LY_TRY(ly_mesh_builder_add_set(&reader->builder, name));
    }
    for (;;) {
        bool found;
        LY_TRY(ly_veg_next_line(&reader->lines, &found));
        if (!found || *ly_veg_scanner(&reader->lines)->at == '*') {
            return LYRA_OK;
        }
        LY_TRY(read_ids(reader, keep));
    }
}

static bool is_blank(char c)
{
    return ly_char_class[(uint8_t)c] & LY_CHAR_BLANK;
}

/// Cuts "set, material" at its comma, or at its only gap.
static bool split_region(LySlice line, LySlice *set, LySlice *material)
{
    const char *end = line.text + line.length;
    const char *cut = memchr(line.text, ',', line.length);
    for (const char *at = line.text; !cut && at < end; ++at) {
        cut = is_blank(*at) ? at : NULL;
    }
    if (!cut) {
        return false;
    }
    const char *set_end = cut, *begin = cut + 1;
    while (set_end > line.text && is_blank(set_end[-1])) {
        --set_end;
    }
    while (begin < end && is_blank(*begin)) {
        ++begin;
    }
    // some write a comma behind the material as well
    while (end > begin && (is_blank(end[-1]) || end[-1] == ',')) {
        --end;
    }
    *set = (LySlice){line.text, (size_t)(set_end - line.text)};
    *material = (LySlice){begin, (size_t)(end - begin)};
    return set->length > 0 && material->length > 0;
}

static LyraStatus read_region(VegReader *reader)
{
    LyScanner *scanner = ly_veg_scanner(&reader->lines);
    LY_TRY(ly_scanner_end_line(scanner));
    LY_TRY(require_line(reader, "the set and the material of a region"));
    scanner = ly_veg_scanner(&reader->lines);
    const char *at = scanner->at;
    LySlice set_name, material_name;
    LySlice line = ly_scanner_rest_of_line(scanner);
    if (!split_region(line, &set_name, &material_name)) {
        return ly_scanner_fail_at(scanner, at, LYRA_BAD_FORMAT,
                                  "a set and a material with a comma between");
    }
    int32_t set = LYRA_MESH_ALL_ELEMENTS;
    if (!ly_slice_is(set_name, "allElements")) {
        set = ly_names_find(&reader->builder.sets.names, set_name);
        if (set < 0) {
            return ly_scanner_fail_at(scanner, set_name.text, LYRA_BAD_FORMAT,
                                      "the name of a set above, or allElements");
        }
    }
    int32_t material = ly_names_find(&reader->builder.material_names, material_name);
    if (material < 0) {
        return ly_scanner_fail_at(scanner, material_name.text, LYRA_BAD_FORMAT,
                                  "the name of a material above");
    }
    return ly_mesh_builder_add_region(&reader->builder, set, material);
}

// ---- the file -----------------------------------------------------------------------------------

static LyraStatus read_command(VegReader *reader)
{
    LyScanner *scanner = ly_veg_scanner(&reader->lines);
    const char *at = scanner->at;
    LySlice word = ly_scanner_token(scanner);
    if (ly_slice_is_word(word, "*VERTICES") && !reader->has_vertices) {
        LY_TRY(ly_scanner_end_line(scanner));
        return read_vertices(reader);
    }
    if (ly_slice_is_word(word, "*ELEMENTS") && !reader->has_elements) {
        if (!reader->has_vertices) {
            return ly_scanner_fail_at(scanner, at, LYRA_BAD_FORMAT, "*VERTICES in front of it");
        }
        LY_TRY(ly_scanner_end_line(scanner));
        return read_elements(reader);
    }
    if (ly_slice_is_word(word, "*MATERIAL")) {
        return read_material(reader);
    }
    if (ly_slice_is_word(word, "*SET")) {
        return read_set(reader);
    }
    if (ly_slice_is_word(word, "*REGION")) {
        return read_region(reader);
    }
    return ly_scanner_fail_at(scanner, at, LYRA_BAD_FORMAT, "%s",
                              !reader->has_vertices   ? "*VERTICES"
                              : !reader->has_elements ? "*ELEMENTS"
                                                      : "*MATERIAL, *SET, *REGION or *INCLUDE");
}

static LyraStatus read_file(VegReader *reader)
{
    for (;;) {
        bool found;
        LY_TRY(ly_veg_next_line(&reader->lines, &found));
        if (!found) {
            break;
        }
        LY_TRY(read_command(reader));
    }
    if (!reader->has_elements) {
        return ly_scanner_fail(ly_veg_scanner(&reader->lines), LYRA_BAD_FORMAT, "%s",
                               reader->has_vertices ? "*ELEMENTS" : "*VERTICES");
    }
    return LYRA_OK;
}

LyraStatus ly_veg_load(LyraContext *ctx, const LyFileSource *source, const char *path,
                       LyraMesh **out)
{
    VegReader *reader = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *reader, &reader));
    reader->builder.ctx = ctx;
    reader->vertices.what = "vertex";
    reader->elements.what = "element";
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_veg_open(&reader->lines, ctx, source, path));
    LY_TRY_DONE(read_file(reader));
    // the text goes before the rest of the mesh comes
    ly_veg_close(&reader->lines);
    status = ly_mesh_builder_create(&reader->builder, out);
done:
    ly_veg_close(&reader->lines);
    ly_mesh_builder_finish(&reader->builder);
    ly_release(ctx, reader);
    return status;
}
