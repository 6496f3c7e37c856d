// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Surfaces of .inp files. Those of elements are faces, S1 to S6, of an element or of all elements
// of a set; without a face they are the free faces of those elements. Shells are a face each. Those
// of nodes become sets of vertices.

#include "mesh/inp_reader.h"

#include "mesh/sort.h"

#include <string.h>

// what an item says in place of the number of a face
enum { FACE_FREE = 0, FACE_OF_SHELL = -1, FACE_OTHER = -2 };

// ---- reading ------------------------------------------------------------------------------------

/// The face that a word means; S1 to S6 are 1 to 6.
static bool read_face(LySlice word, int32_t *face)
{
    static const char *const others[] = {"E1", "E2", "E3", "E4", "END1", "END2"};
    if (word.length == 0) {
        *face = FACE_FREE;
        return true;
    }
    if (ly_slice_is_word(word, "SPOS") || ly_slice_is_word(word, "SNEG")) {
        *face = FACE_OF_SHELL;
        return true;
    }
    for (int32_t i = 0; i < LY_COUNT_OF(others); ++i) {
        if (ly_slice_is_word(word, others[i])) {
            *face = FACE_OTHER;
            return true;
        }
    }
    bool letter = word.text[0] == 'S' || word.text[0] == 's';
    *face = word.length == 2 ? word.text[1] - '0' : 0;
    return letter && *face >= 1 && *face <= 6;
}

/// Reads a line: an element or a set, and a face.
static LyraStatus read_item(LyInpReader *reader, int32_t surface)
{
    LyScanner *scanner = &reader->import->scanner;
    LyInpSurfaceItem item = {.surface = surface, .at = scanner->at};
    LySlice face = {scanner->at, 0};
    item.word = ly_inp_without_instance(ly_scanner_token(scanner));
    if (!ly_scanner_at_line_end(scanner)) {
        face = ly_scanner_token(scanner);
    }
    if (item.word.length == 0 || !read_face(face, &item.face)) {
        return ly_scanner_fail_at(scanner, face.text, LYRA_BAD_FORMAT,
                                  "a face, S1 to S6, SPOS or SNEG");
    }
    LY_TRY(ly_grow_array(reader->import->ctx, reader->item_count + 1, sizeof item,
                         &reader->item_capacity, &reader->items));
    reader->items[reader->item_count++] = item;
    return LYRA_OK;
}

/// Reads a line of a surface of nodes: a node or a set, and an area of no use here.
static LyraStatus read_node(LyInpReader *reader, int32_t surface)
{
    LySlice word = ly_inp_without_instance(ly_scanner_token(&reader->import->scanner));
    int32_t set = -1;
    if (!ly_inp_is_number(word)) {
        LY_TRY(ly_inp_find_set(reader, &reader->node_sets, word.text, word, &set));
    }
    // it may have the name of the set it is made of
    return set == surface ? LYRA_OK : ly_inp_add_word(reader, &reader->node_sets, surface, word);
}

LyraStatus ly_inp_read_surface(LyInpReader *reader, const LyInpKeyword *keyword)
{
    LyScanner *scanner = &reader->import->scanner;
    LyraContext *ctx = reader->import->ctx;
    LySlice name = {0};
    LY_TRY(ly_inp_require(reader, keyword, "NAME", &name));
    const LySlice *type = ly_inp_option(keyword, "TYPE");
    bool nodes = type && ly_slice_is_word(*type, "NODE");
    bool known = !type || nodes || ly_slice_is_word(*type, "ELEMENT");
    if (!known || ly_inp_option(keyword, "COMBINE")) {
        char quoted[LY_QUOTE_CHARS];
        ly_log(ctx, LYRA_LOG_WARNING,
               "%s: the surface %s is left out, as it is neither of elements nor of nodes",
               reader->import->path, ly_quote(quoted, name));
        known = false;
    }
    int32_t id = 0;
    if (known) {
        LY_TRY(ly_inp_name(ctx, nodes ? &reader->node_sets.names : &reader->surfaces, name, &id));
    }
    while (ly_inp_next_data(scanner)) {
        if (known && nodes) {
            LY_TRY(read_node(reader, id));
        } else if (known) {
            LY_TRY(read_item(reader, id));
        }
        ly_scanner_next_line(scanner);
    }
    return LYRA_OK;
}

// ---- putting together ---------------------------------------------------------------------------

/// Corners of the faces S1 to S6, -1 behind those of three.
static const int8_t faces[LY_CELL_SHAPE_COUNT][6][4] = {
    [LY_CELL_TET] = {{0, 1, 2, -1}, {0, 3, 1, -1}, {1, 3, 2, -1}, {2, 3, 0, -1}},
    [LY_CELL_PYRAMID] = {{0, 1, 2, 3}, {0, 4, 1, -1}, {1, 4, 2, -1}, {2, 4, 3, -1}, {3, 4, 0, -1}},
    [LY_CELL_PRISM] = {{0, 1, 2, -1}, {3, 5, 4, -1}, {0, 3, 4, 1}, {1, 4, 5, 2}, {2, 5, 3, 0}},
    [LY_CELL_HEX] =
        {{0, 1, 2, 3}, {4, 7, 6, 5}, {0, 4, 5, 1}, {1, 5, 6, 2}, {2, 6, 7, 3}, {3, 7, 4, 0}},
    [LY_CELL_TET10] = {{0, 1, 2, -1}, {0, 3, 1, -1}, {1, 3, 2, -1}, {2, 3, 0, -1}},
};
static const int8_t face_counts[LY_CELL_SHAPE_COUNT] = {[LY_CELL_TET] = 4,
                                                        [LY_CELL_PYRAMID] = 5,
                                                        [LY_CELL_PRISM] = 5,
                                                        [LY_CELL_HEX] = 6,
                                                        [LY_CELL_TET10] = 4};

static LyraStatus add_to_set(LyImport *import, const LyImportFace *face)
{
    int32_t id;
    LY_TRY(ly_import_face(import, face, &id));
    return ly_import_face_member(import, id);
}

static LyraStatus add_face(LyInpReader *reader, const LyInpSurfaceItem *item, int32_t cell)
{
    LyImport *import = reader->import;
    LyCellShape shape = import->shapes[cell];
    const int32_t *corners = import->corners + reader->corner_begins[cell];
    LyImportFace face = {.cell = cell};
    // a short text can ask for many large sets
    int64_t most = import->scanner.end - import->scanner.begin;
    if (import->face_count >= most) {
        return ly_fail(LYRA_TOO_LARGE, "%s: its surfaces have more than %lld faces", import->path,
                       (long long)most);
    }
    if (!ly_cell_is_solid(shape)) {
        // a shell is a face, on either side
        face.cell = -1;
        face.count = ly_cell_nodes(shape);
        memcpy(face.corners, corners, (size_t)face.count * sizeof *corners);
        return item->face <= 2 ? add_to_set(import, &face) : LYRA_OK;
    }
    if (item->face == FACE_FREE) {
        return add_to_set(import, &face);
    }
    if (item->face < 0 || item->face > face_counts[shape]) {
        return ly_scanner_complain(&import->scanner, item->at, LYRA_BAD_FORMAT,
                                   "found no such face of element %d, expected S1 to S%d",
                                   import->tags[cell], face_counts[shape]);
    }
    const int8_t *local = faces[shape][item->face - 1];
    face.count = local[3] < 0 ? 3 : 4;
    for (int32_t a = 0; a < face.count; ++a) {
        face.corners[a] = corners[local[a]];
    }
    return add_to_set(import, &face);
}

static LyraStatus add_item(LyInpReader *reader, const LyInpSurfaceItem *item)
{
    const LyScanner *scanner = &reader->import->scanner;
    if (item->face == FACE_OTHER) {
        return LYRA_OK;
    }
    if (ly_inp_is_number(item->word)) {
        int32_t number;
        LY_TRY(ly_inp_number(scanner, item->word, "the number of an element", &number));
        int32_t cell = ly_inp_find_cell(reader, number);
        return cell >= 0 ? add_face(reader, item, cell) : LYRA_OK;
    }
    int32_t set;
    int64_t begin, end;
    LY_TRY(ly_inp_find_set(reader, &reader->element_sets, item->at, item->word, &set));
    ly_inp_cells(reader, set, &begin, &end);
    for (int64_t i = begin; i < end; ++i) {
        LY_TRY(add_face(reader, item, ly_inp_cell(reader, set, i)));
    }
    return LYRA_OK;
}

LyraStatus ly_inp_finish_surfaces(LyInpReader *reader)
{
    LyImport *import = reader->import;
    LyraContext *ctx = import->ctx;
    uint64_t *keys = NULL;
    int32_t *order = NULL;
    LyraStatus status = LYRA_OK;
    // items by surface
    LY_TRY_DONE(ly_allocate_array(ctx, reader->item_count, sizeof *keys, &keys));
    LY_TRY_DONE(ly_allocate_array(ctx, reader->item_count, sizeof *order, &order));
    for (int64_t i = 0; i < reader->item_count; ++i) {
        keys[i] = (uint64_t)reader->items[i].surface;
        order[i] = (int32_t)i;
    }
    LY_TRY_DONE(ly_sort_keys(ctx, reader->item_count, keys, order));
    int64_t i = 0;
    for (int32_t s = 0; s < reader->surfaces.upper.count; ++s) {
        const char *name = reader->surfaces.written.names[s];
        LY_TRY_DONE(ly_set_list_add(ctx, &import->face_sets, (LySlice){name, strlen(name)}));
        for (; i < reader->item_count && keys[i] == (uint64_t)s; ++i) {
            LY_TRY_DONE(add_item(reader, &reader->items[order[i]]));
        }
    }
done:
    ly_release(ctx, order);
    ly_release(ctx, keys);
    return status;
}
