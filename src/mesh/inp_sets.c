// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sets of elements and of nodes of .inp files. Their pieces (ranges of numbers, those read under
// ELSET= or NSET=, other sets, nodes of a set of elements) are noted while the file is read and put
// together at its end, when all elements and nodes are known. Numbers that none of them has are
// passed over, as the programs do. Members are cells, or nodes in the order of the file.

#include "mesh/inp_reader.h"

#include "mesh/sort.h"

#include <string.h>

// pieces that are no ranges of numbers
enum { PIECE_MEMBERS = 0, PIECE_SET = -1, PIECE_NODES_OF = -2 };

// ---- reading ------------------------------------------------------------------------------------

LyraStatus ly_inp_name(LyraContext *ctx, LyInpNames *names, LySlice name, int32_t *id)
{
    char upper[LY_INP_NAME_MAX];
    size_t length = 0;
    if (!ly_inp_upper(name, upper, &length)) {
        char quoted[LY_QUOTE_CHARS];
        return ly_fail(LYRA_BAD_FORMAT, "found the name %s, expected one of at most %zu characters",
                       ly_quote(quoted, name), sizeof upper);
    }
    names->upper.ctx = names->written.ctx = ctx;
    bool added;
    int32_t written;
    LY_TRY(ly_names_add(&names->upper, (LySlice){upper, length}, id, &added));
    return added ? ly_names_add(&names->written, name, &written, NULL) : LYRA_OK;
}

bool ly_inp_upper(LySlice name, char upper[LY_INP_NAME_MAX], size_t *length)
{
    if (name.length > LY_INP_NAME_MAX || memchr(name.text, '\0', name.length)) {
        return false;
    }
    for (size_t i = 0; i < name.length; ++i) {
        char c = name.text[i];
        upper[i] = (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    }
    *length = name.length;
    return true;
}

LySlice ly_inp_without_instance(LySlice name)
{
    for (size_t i = name.length; i > 1; --i) {
        if (name.text[i - 1] == '.' && i < name.length) {
            return (LySlice){name.text + i, name.length - i};
        }
    }
    return name;
}

bool ly_inp_is_number(LySlice text)
{
    char c = text.length > 0 ? text.text[0] : '\0';
    return (c >= '0' && c <= '9') || c == '-' || c == '+';
}

LyraStatus ly_inp_number(const LyScanner *scanner, LySlice text, const char *what, int32_t *number)
{
    const char *stop = ly_parse_int32(text.text, text.text + text.length, number);
    return stop == text.text + text.length
               ? LYRA_OK
               : ly_scanner_fail_at(scanner, text.text, LYRA_BAD_FORMAT, "%s", what);
}

static LyraStatus add_piece(LyInpReader *reader, LyInpSets *sets, LyInpPiece piece)
{
    LY_TRY(ly_grow_array(reader->import->ctx, sets->piece_count + 1, sizeof *sets->pieces,
                         &sets->piece_capacity, &sets->pieces));
    sets->pieces[sets->piece_count++] = piece;
    return LYRA_OK;
}

LyraStatus ly_inp_add_members(LyInpReader *reader, LyInpSets *sets, LySlice name, int64_t first,
                              int64_t last)
{
    LyInpPiece piece = {.first = (int32_t)first, .last = (int32_t)last, .step = PIECE_MEMBERS};
    LY_TRY(ly_inp_name(reader->import->ctx, &sets->names, name, &piece.set));
    return add_piece(reader, sets, piece);
}

LyraStatus ly_inp_add_word(LyInpReader *reader, LyInpSets *sets, int32_t set, LySlice word)
{
    LyInpPiece piece = {.set = set, .step = 1};
    word = ly_inp_without_instance(word);
    if (ly_inp_is_number(word)) {
        LY_TRY(ly_inp_number(&reader->import->scanner, word, sets->number, &piece.first));
        piece.last = piece.first;
        return add_piece(reader, sets, piece);
    }
    // where it stands, for messages
    piece.step = PIECE_SET;
    piece.last = (int32_t)ly_min_i64(word.text - reader->import->scanner.begin, INT32_MAX);
    LY_TRY(ly_inp_name(reader->import->ctx, &sets->names, word, &piece.first));
    return add_piece(reader, sets, piece);
}

LyraStatus ly_inp_read_set(LyInpReader *reader, const LyInpKeyword *keyword, LyInpSets *sets)
{
    LyScanner *scanner = &reader->import->scanner;
    LySlice name = {0};
    LY_TRY(ly_inp_require(reader, keyword, sets->option, &name));
    bool generate = ly_inp_option(keyword, "GENERATE") != NULL;
    const LySlice *elements = sets == &reader->node_sets ? ly_inp_option(keyword, "ELSET") : NULL;
    int32_t set;
    LY_TRY(ly_inp_name(reader->import->ctx, &sets->names, name, &set));
    if (elements) {
        LyInpPiece piece = {.set = set, .step = PIECE_NODES_OF};
        LY_TRY(
            ly_inp_find_set(reader, &reader->element_sets, keyword->at, *elements, &piece.first));
        LY_TRY(add_piece(reader, sets, piece));
    }
    while (ly_inp_next_data(scanner)) {
        LyInpPiece piece = {.set = set, .step = 1};
        if (generate) {
            LY_TRY(ly_scanner_int32(scanner, &piece.first, "the first number"));
            LY_TRY(ly_scanner_int32(scanner, &piece.last, "the last number"));
            if (!ly_scanner_at_line_end(scanner)) {
                LY_TRY(ly_scanner_int32_in(scanner, 1, INT32_MAX, &piece.step, "the step"));
            }
            LY_TRY(add_piece(reader, sets, piece));
        }
        while (!generate && !ly_scanner_at_line_end(scanner)) {
            LY_TRY(ly_inp_add_word(reader, sets, set, ly_scanner_token(scanner)));
        }
        ly_scanner_next_line(scanner);
    }
    return LYRA_OK;
}

LyraStatus ly_inp_find_set(const LyInpReader *reader, const LyInpSets *sets, const char *at,
                           LySlice name, int32_t *set)
{
    char upper[LY_INP_NAME_MAX], quoted[LY_QUOTE_CHARS];
    size_t length = 0;
    LySlice plain = ly_inp_without_instance(name);
    *set = -1;
    if (ly_inp_upper(plain, upper, &length)) {
        *set = ly_names_find(&sets->names.upper, (LySlice){upper, length});
    }
    return *set >= 0 ? LYRA_OK
                     : ly_scanner_complain(&reader->import->scanner, at, LYRA_BAD_FORMAT,
                                           "found %s, expected the name of a set of %s above",
                                           ly_quote(quoted, name), sets->what);
}

// ---- putting together ---------------------------------------------------------------------------

/// Elements or nodes in the order of their numbers, and the sets that are made of them.
typedef struct Order {
    uint64_t *numbers; // less INT32_MIN, ascending
    int32_t *members;  // which have them
    uint8_t *marks;    // of the members of the set being made
    int64_t count;
    int64_t most;    // members that all sets together may have
    LySetList *list; // what is made
    int32_t *map;    // index in the list of each set, or LYRA_MESH_ALL_ELEMENTS
} Order;

static LyraStatus make_order(const LyInpReader *reader, const int32_t *numbers, Order *order)
{
    const LyImport *import = reader->import;
    int64_t count = order->count;
    LY_TRY(ly_allocate_array(import->ctx, count, sizeof *order->numbers, &order->numbers));
    LY_TRY(ly_allocate_array(import->ctx, count, sizeof *order->members, &order->members));
    LY_TRY(ly_allocate_zeroed(import->ctx, count, 1, &order->marks));
    for (int64_t c = 0; c < count; ++c) {
        order->numbers[c] = (uint64_t)((int64_t)numbers[c] - INT32_MIN);
        order->members[c] = (int32_t)c;
    }
    // a short text can ask for many large sets
    order->most = 4 * (int64_t)(import->scanner.end - import->scanner.begin);
    return ly_sort_keys(import->ctx, count, order->numbers, order->members);
}

static int64_t first_from(const Order *order, int64_t number)
{
    uint64_t key = (uint64_t)(number - INT32_MIN);
    int64_t low = 0, high = order->count;
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

static LyraStatus add_member(LyInpReader *reader, Order *order, int32_t member)
{
    if (order->marks[member]) {
        return LYRA_OK;
    }
    order->marks[member] = 1;
    if (order->list->id_count >= order->most) {
        return ly_fail(LYRA_TOO_LARGE, "%s: its sets have more than %lld members",
                       reader->import->path, (long long)order->most);
    }
    return ly_set_list_add_ids(reader->import->ctx, order->list, &member, 1);
}

/// Members with the numbers of a range.
static LyraStatus add_range(LyInpReader *reader, Order *order, const LyInpPiece *piece)
{
    for (int64_t i = first_from(order, piece->first); i < order->count; ++i) {
        int64_t number = (int64_t)order->numbers[i] + INT32_MIN;
        if (number > piece->last) {
            break;
        }
        if ((number - piece->first) % piece->step == 0) {
            LY_TRY(add_member(reader, order, order->members[i]));
        }
    }
    return LYRA_OK;
}

/// Nodes of the elements of a set.
static LyraStatus add_nodes_of(LyInpReader *reader, Order *order, int32_t set)
{
    const LyImport *import = reader->import;
    int64_t begin, end;
    ly_inp_cells(reader, set, &begin, &end);
    for (int64_t i = begin; i < end; ++i) {
        int32_t cell = ly_inp_cell(reader, set, i);
        const int32_t *corners = import->corners + reader->corner_begins[cell];
        for (int32_t a = 0; a < ly_cell_nodes(import->shapes[cell]); ++a) {
            int64_t at = first_from(order, corners[a]);
            if (at < order->count && (int64_t)order->numbers[at] + INT32_MIN == corners[a]) {
                LY_TRY(add_member(reader, order, order->members[at]));
            }
        }
    }
    return LYRA_OK;
}

/// Adds a piece to the set being made, whose members start at `begin`.
static LyraStatus add_members(LyInpReader *reader, Order *order, const LyInpSets *sets,
                              const LyInpPiece *piece, int64_t begin)
{
    if (piece->step > 0) {
        return add_range(reader, order, piece);
    }
    if (piece->step == PIECE_NODES_OF) {
        return add_nodes_of(reader, order, piece->first);
    }
    if (piece->step == PIECE_MEMBERS) {
        for (int32_t c = piece->first; c < piece->last; ++c) {
            LY_TRY(add_member(reader, order, c));
        }
        return LYRA_OK;
    }
    if (piece->first >= piece->set) {
        const LyScanner *scanner = &reader->import->scanner;
        return ly_scanner_complain(scanner, scanner->begin + piece->last, LYRA_BAD_FORMAT,
                                   "the set \"%s\" names the set \"%s\", which does not precede "
                                   "it",
                                   sets->names.written.names[piece->set],
                                   sets->names.written.names[piece->first]);
    }
    int32_t other = order->map[piece->first];
    if (other == LYRA_MESH_ALL_ELEMENTS) {
        for (int32_t c = 0; c < order->count; ++c) {
            LY_TRY(add_member(reader, order, c));
        }
        return LYRA_OK;
    }
    bool last = other + 1 == order->list->names.count;
    int64_t end = last ? begin : order->list->begins[other + 1];
    for (int64_t i = order->list->begins[other]; i < end; ++i) {
        LY_TRY(add_member(reader, order, order->list->ids[i]));
    }
    return LYRA_OK;
}

/// Drops the set made last if it is that of all elements or nodes.
static bool drop_all(const Order *order, int64_t begin, const char *name, const char *all)
{
    if (strcmp(name, all) != 0 || order->list->id_count - begin != order->count) {
        return false;
    }
    order->list->id_count = begin;
    return true;
}

/// Makes all sets of one kind, once the order is there.
static LyraStatus make_sets(LyInpReader *reader, const LyInpSets *sets, Order *order)
{
    LyraContext *ctx = reader->import->ctx;
    LySetList *list = order->list;
    int32_t *order_of = NULL;
    uint64_t *keys = NULL;
    LyraStatus status = LYRA_OK;
    // pieces by set
    LY_TRY_DONE(ly_allocate_array(ctx, sets->piece_count, sizeof *keys, &keys));
    LY_TRY_DONE(ly_allocate_array(ctx, sets->piece_count, sizeof *order_of, &order_of));
    for (int64_t p = 0; p < sets->piece_count; ++p) {
        keys[p] = (uint64_t)sets->pieces[p].set;
        order_of[p] = (int32_t)p;
    }
    LY_TRY_DONE(ly_sort_keys(ctx, sets->piece_count, keys, order_of));
    int64_t p = 0;
    for (int32_t s = 0; s < sets->names.upper.count; ++s) {
        const char *name = sets->names.written.names[s];
        int64_t begin = list->id_count, mine = p;
        // members first: a set of all has no name to add
        while (p < sets->piece_count && keys[p] == (uint64_t)s) {
            LY_TRY_DONE(add_members(reader, order, sets, &sets->pieces[order_of[p++]], begin));
        }
        for (int64_t i = begin; i < list->id_count; ++i) {
            order->marks[list->ids[i]] = 0;
        }
        order->map[s] = LYRA_MESH_ALL_ELEMENTS;
        if (p > mine && drop_all(order, begin, sets->names.upper.names[s], sets->all)) {
            continue;
        }
        order->map[s] = list->names.count;
        LY_TRY_DONE(ly_set_list_add(ctx, list, (LySlice){name, strlen(name)}));
        list->begins[order->map[s]] = begin;
    }
done:
    ly_release(ctx, order_of);
    ly_release(ctx, keys);
    return status;
}

static void release_order(LyraContext *ctx, Order *order)
{
    ly_release(ctx, order->marks);
    ly_release(ctx, order->members);
    ly_release(ctx, order->numbers);
}

LyraStatus ly_inp_finish_sets(LyInpReader *reader)
{
    LyImport *import = reader->import;
    LyraContext *ctx = import->ctx;
    LY_TRY(ly_allocate_array(ctx, reader->element_sets.names.upper.count, sizeof(int32_t),
                             &reader->element_map));
    Order order = {
        .count = import->cell_count, .list = &import->builder.sets, .map = reader->element_map};
    LyraStatus status = make_order(reader, import->tags, &order);
    if (status == LYRA_OK) {
        status = make_sets(reader, &reader->element_sets, &order);
    }
    reader->cell_numbers = order.numbers;
    reader->cells_by_number = order.members;
    order.numbers = NULL;
    order.members = NULL;
    release_order(ctx, &order);
    return status;
}

LyraStatus ly_inp_finish_node_sets(LyInpReader *reader)
{
    LyImport *import = reader->import;
    LyraContext *ctx = import->ctx;
    LySetList *list = &import->builder.vertex_sets;
    int32_t count = reader->node_sets.names.upper.count, *map = NULL;
    if (count == 0) {
        return LYRA_OK;
    }
    LY_TRY(ly_allocate_array(ctx, count, sizeof *map, &map));
    Order order = {
        .count = import->vertex_ids ? import->builder.vertex_count : 0, .list = list, .map = map};
    LyraStatus status = make_order(reader, import->vertex_ids, &order);
    if (status == LYRA_OK) {
        status = make_sets(reader, &reader->node_sets, &order);
    }
    for (int64_t i = 0; i < list->id_count && status == LYRA_OK; ++i) {
        list->ids[i] = import->vertex_ids[list->ids[i]];
    }
    release_order(ctx, &order);
    ly_release(ctx, map);
    return status;
}

// ---- sets of elements, once they are made -------------------------------------------------------

void ly_inp_cells(const LyInpReader *reader, int32_t set, int64_t *begin, int64_t *end)
{
    const LySetList *sets = &reader->import->builder.sets;
    int32_t index = reader->element_map[set];
    bool all = index == LYRA_MESH_ALL_ELEMENTS;
    *begin = all ? 0 : sets->begins[index];
    *end = all ? reader->import->cell_count : ly_set_list_end(sets, index);
}

int32_t ly_inp_cell(const LyInpReader *reader, int32_t set, int64_t i)
{
    bool all = reader->element_map[set] == LYRA_MESH_ALL_ELEMENTS;
    return all ? (int32_t)i : reader->import->builder.sets.ids[i];
}

int32_t ly_inp_find_cell(const LyInpReader *reader, int32_t number)
{
    const Order order = {.numbers = reader->cell_numbers, .count = reader->import->cell_count};
    int64_t at = first_from(&order, number);
    bool found = at < order.count && (int64_t)order.numbers[at] + INT32_MIN == number;
    return found ? reader->cells_by_number[at] : -1;
}
