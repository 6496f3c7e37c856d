// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sets of elements of .inp files. Their pieces (ranges of numbers, cells read under ELSET=, other
// sets) are noted while the file is read and put together at its end, when all elements are known.
// Numbers that no element has are passed over, as the programs do.

#include "mesh/inp_reader.h"

#include "mesh/sort.h"

#include <string.h>

LyraStatus ly_inp_name(LyraContext *ctx, LyInpNames *names, LySlice name, int32_t *id)
{
    char upper[256];
    if (name.length > sizeof upper || memchr(name.text, '\0', name.length)) {
        char quoted[LY_QUOTE_CHARS];
        return ly_fail(LYRA_BAD_FORMAT, "found the name %s, expected one of at most %zu characters",
                       ly_quote(quoted, name), sizeof upper);
    }
    for (size_t i = 0; i < name.length; ++i) {
        char c = name.text[i];
        upper[i] = (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    }
    names->upper.ctx = names->written.ctx = ctx;
    bool added;
    int32_t written;
    LY_TRY(ly_names_add(&names->upper, (LySlice){upper, name.length}, id, &added));
    return added ? ly_names_add(&names->written, name, &written, NULL) : LYRA_OK;
}

static LyraStatus add_piece(LyInpReader *reader, LyInpPiece piece)
{
    LY_TRY(ly_grow_array(reader->import->ctx, reader->piece_count + 1, sizeof *reader->pieces,
                         &reader->piece_capacity, &reader->pieces));
    reader->pieces[reader->piece_count++] = piece;
    return LYRA_OK;
}

LyraStatus ly_inp_add_cells(LyInpReader *reader, LySlice set, int64_t first, int64_t last)
{
    LyInpPiece piece = {.first = (int32_t)first, .last = (int32_t)last};
    LY_TRY(ly_inp_name(reader->import->ctx, &reader->sets, set, &piece.set));
    return add_piece(reader, piece);
}

LyraStatus ly_inp_read_set(LyInpReader *reader, const LyInpKeyword *keyword)
{
    LyScanner *scanner = &reader->import->scanner;
    LySlice name = {0};
    LY_TRY(ly_inp_require(reader, keyword, "ELSET", &name));
    bool generate = ly_inp_option(keyword, "GENERATE") != NULL;
    int32_t set;
    LY_TRY(ly_inp_name(reader->import->ctx, &reader->sets, name, &set));
    while (ly_inp_next_data(scanner)) {
        LyInpPiece piece = {.set = set, .step = 1};
        if (generate) {
            LY_TRY(ly_scanner_int32(scanner, &piece.first, "the first element"));
            LY_TRY(ly_scanner_int32(scanner, &piece.last, "the last element"));
            if (!ly_scanner_at_line_end(scanner)) {
                LY_TRY(ly_scanner_int32_in(scanner, 1, INT32_MAX, &piece.step, "the step"));
            }
            LY_TRY(add_piece(reader, piece));
        }
        while (!generate && !ly_scanner_at_line_end(scanner)) {
            char c = *scanner->at;
            if ((c >= '0' && c <= '9') || c == '-' || c == '+') {
                LY_TRY(ly_scanner_int32(scanner, &piece.first, "the number of an element"));
                piece.last = piece.first;
            } else {
                piece.step = -1;
                LY_TRY(ly_inp_name(reader->import->ctx, &reader->sets, ly_scanner_token(scanner),
                                   &piece.first));
            }
            LY_TRY(add_piece(reader, piece));
            piece.step = 1;
        }
        ly_scanner_next_line(scanner);
    }
    return LYRA_OK;
}

// ---- putting together ---------------------------------------------------------------------------

/// Elements in the order of their numbers.
typedef struct Order {
    uint64_t *numbers; // less INT32_MIN, ascending
    int32_t *cells;
    uint8_t *marks; // of the cells of the set being made
    int64_t most;   // members that all sets together may have
} Order;

static LyraStatus make_order(const LyInpReader *reader, Order *order)
{
    const LyImport *import = reader->import;
    int64_t count = import->cell_count;
    LY_TRY(ly_allocate_array(import->ctx, count, sizeof *order->numbers, &order->numbers));
    LY_TRY(ly_allocate_array(import->ctx, count, sizeof *order->cells, &order->cells));
    LY_TRY(ly_allocate_zeroed(import->ctx, count, 1, &order->marks));
    for (int64_t c = 0; c < count; ++c) {
        order->numbers[c] = (uint64_t)((int64_t)import->tags[c] - INT32_MIN);
        order->cells[c] = (int32_t)c;
    }
    // a short text can ask for many large sets
    order->most = 4 * (int64_t)(import->scanner.end - import->scanner.begin);
    return ly_sort_keys(import->ctx, count, order->numbers, order->cells);
}

static int64_t first_from(const Order *order, int64_t count, int64_t number)
{
    uint64_t key = (uint64_t)(number - INT32_MIN);
    int64_t low = 0, high = count;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (order->numbers[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static LyraStatus add_member(LyInpReader *reader, Order *order, int32_t cell)
{
    if (order->marks[cell]) {
        return LYRA_OK;
    }
    order->marks[cell] = 1;
    if (reader->import->builder.id_count >= order->most) {
        return ly_fail(LYRA_TOO_LARGE, "%s: its sets have more than %lld members",
                       reader->import->path, (long long)order->most);
    }
    return ly_mesh_builder_add_ids(&reader->import->builder, &cell, 1);
}

/// Adds a piece to the set being made, whose members start at `begin`.
static LyraStatus add_members(LyInpReader *reader, Order *order, const LyInpPiece *piece,
                              const int32_t *map, int64_t begin)
{
    LyImport *import = reader->import;
    LyMeshBuilder *builder = &import->builder;
    if (piece->step == 0) {
        for (int32_t c = piece->first; c < piece->last; ++c) {
            LY_TRY(add_member(reader, order, c));
        }
        return LYRA_OK;
    }
    if (piece->step > 0) {
        for (int64_t i = first_from(order, import->cell_count, piece->first);
             i < import->cell_count; ++i) {
            int64_t number = (int64_t)order->numbers[i] + INT32_MIN;
            if (number > piece->last) {
                break;
            }
            if ((number - piece->first) % piece->step == 0) {
                LY_TRY(add_member(reader, order, order->cells[i]));
            }
        }
        return LYRA_OK;
    }
    if (piece->first >= piece->set) {
        return ly_fail(LYRA_BAD_FORMAT,
                       "%s: the set \"%s\" names the set \"%s\", which does not "
                       "precede it",
                       import->path, reader->sets.written.names[piece->set],
                       reader->sets.written.names[piece->first]);
    }
    int32_t other = map[piece->first];
    if (other == LYRA_MESH_ALL_ELEMENTS) {
        for (int32_t c = 0; c < import->cell_count; ++c) {
            LY_TRY(add_member(reader, order, c));
        }
        return LYRA_OK;
    }
    bool last = other + 1 == builder->set_names.count;
    int64_t end = last ? begin : builder->set_begins[other + 1];
    for (int64_t i = builder->set_begins[other]; i < end; ++i) {
        LY_TRY(add_member(reader, order, builder->ids[i]));
    }
    return LYRA_OK;
}

/// Drops the set made last if it is that of all elements.
static bool drop_all(LyInpReader *reader, int64_t begin, const char *name)
{
    LyMeshBuilder *builder = &reader->import->builder;
    if (strcmp(name, "EALL") != 0 || builder->id_count - begin != reader->import->cell_count) {
        return false;
    }
    builder->id_count = begin;
    return true;
}

LyraStatus ly_inp_finish_sets(LyInpReader *reader, int32_t *map)
{
    LyImport *import = reader->import;
    LyMeshBuilder *builder = &import->builder;
    LyraContext *ctx = import->ctx;
    int32_t set_count = reader->sets.upper.count, *order_of = NULL;
    uint64_t *keys = NULL;
    Order order = {0};
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(make_order(reader, &order));
    // pieces by set
    LY_TRY_DONE(ly_allocate_array(ctx, reader->piece_count, sizeof *keys, &keys));
    LY_TRY_DONE(ly_allocate_array(ctx, reader->piece_count, sizeof *order_of, &order_of));
    for (int64_t p = 0; p < reader->piece_count; ++p) {
        keys[p] = (uint64_t)reader->pieces[p].set;
        order_of[p] = (int32_t)p;
    }
    LY_TRY_DONE(ly_sort_keys(ctx, reader->piece_count, keys, order_of));
    int64_t p = 0;
    for (int32_t s = 0; s < set_count; ++s) {
        const char *name = reader->sets.written.names[s];
        int64_t begin = builder->id_count, mine = p;
        // members first: a set of all has no name to add
        while (p < reader->piece_count && keys[p] == (uint64_t)s) {
            LY_TRY_DONE(add_members(reader, &order, &reader->pieces[order_of[p++]], map, begin));
        }
        for (int64_t i = begin; i < builder->id_count; ++i) {
            order.marks[builder->ids[i]] = 0;
        }
        map[s] = LYRA_MESH_ALL_ELEMENTS;
        if (p > mine && drop_all(reader, begin, reader->sets.upper.names[s])) {
            continue;
        }
        map[s] = builder->set_names.count;
        LY_TRY_DONE(ly_mesh_builder_add_set(builder, (LySlice){name, strlen(name)}));
        builder->set_begins[map[s]] = begin;
    }
done:
    ly_release(ctx, order_of);
    ly_release(ctx, keys);
    ly_release(ctx, order.marks);
    ly_release(ctx, order.cells);
    ly_release(ctx, order.numbers);
    return status;
}
