// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A stable radix sort on all threads, from the lowest digit up. Each pass counts the digits of each
// piece of the items; item after item of a piece then goes behind those with lower digits and those
// with the same digit in earlier pieces. As the sort is stable, its result does not depend on the
// pieces.

#include "force/changing.h"

#include <string.h>

#define DIGIT_MAX 11
#define GRAIN 8192
#define PIECES_MAX 32
#define FEW 48 // items that are sorted one by one

typedef struct Pass {
    const LyRadixItem *from;
    LyRadixItem *to;
    int64_t *counts; // [piece][digit values]
    int64_t count;
    int32_t pieces, shift, digit; // digit: bits
} Pass;

static int32_t piece_count(int64_t count)
{
    return (int32_t)ly_min_i64(ly_piece_count(count, GRAIN), PIECES_MAX);
}

LyraStatus ly_radix_reserve(LyraContext *ctx, int64_t count, LyRadixRoom *room)
{
    if (count > room->item_room) {
        int64_t items = ly_grown(room->item_room, count);
        LY_TRY(ly_resize_array(ctx, items, sizeof *room->items, &room->items));
        LY_TRY(ly_resize_array(ctx, items, sizeof *room->other, &room->other));
        room->item_room = items;
    }
    int64_t counts = count > FEW ? (int64_t)piece_count(count) << DIGIT_MAX : 0;
    if (counts > room->count_room) {
        LY_TRY(ly_resize_array(ctx, counts, sizeof *room->counts, &room->counts));
        room->count_room = counts;
    }
    return LYRA_OK;
}

static void count_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Pass *pass = data;
    uint64_t mask = (1u << pass->digit) - 1;
    int64_t *counts = pass->counts + ((int64_t)index << pass->digit);
    int64_t end = ly_piece_begin(pass->count, pass->pieces, index + 1);
    memset(counts, 0, sizeof *counts << pass->digit);
    for (int64_t i = ly_piece_begin(pass->count, pass->pieces, index); i < end; ++i) {
        ++counts[pass->from[i].key >> pass->shift & mask];
    }
}

static void move_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Pass *pass = data;
    uint64_t mask = (1u << pass->digit) - 1;
    int64_t *next = pass->counts + ((int64_t)index << pass->digit);
    int64_t end = ly_piece_begin(pass->count, pass->pieces, index + 1);
    for (int64_t i = ly_piece_begin(pass->count, pass->pieces, index); i < end; ++i) {
        pass->to[next[pass->from[i].key >> pass->shift & mask]++] = pass->from[i];
    }
}

// counts to first places, digit by digit, in each piece by piece; false if all items have one digit
static bool place_digits(const Pass *pass)
{
    int64_t before = 0, values = (int64_t)1 << pass->digit;
    for (int64_t value = 0; value < values; ++value) {
        int64_t begin = before;
        for (int32_t piece = 0; piece < pass->pieces; ++piece) {
            int64_t *place = &pass->counts[piece * values + value], here = *place;
            *place = before;
            before += here;
        }
        if (before - begin == pass->count) {
            return false;
        }
    }
    return true;
}

// stable too, so nobody sees which of the two sorted
static void sort_few(int64_t count, LyRadixItem *items)
{
    for (int64_t i = 1; i < count; ++i) {
        LyRadixItem item = items[i];
        int64_t at = i;
        for (; at > 0 && items[at - 1].key > item.key; --at) {
            items[at] = items[at - 1];
        }
        items[at] = item;
    }
}

void ly_radix_sort(LyraContext *ctx, int64_t count, int32_t bits, LyRadixRoom *room)
{
    if (count <= FEW) {
        sort_few(count, room->items);
        return;
    }
    int32_t passes = (bits + DIGIT_MAX - 1) / DIGIT_MAX;
    for (int32_t k = 0; k < passes; ++k) {
        // digits of nearly one length
        int32_t shift = bits * k / passes, digit = bits * (k + 1) / passes - shift;
        Pass pass = {
            room->items,    room->other,   room->counts, count, .pieces = piece_count(count),
            .shift = shift, .digit = digit};
        ly_parallel_for(ctx, pass.pieces, count_task, &pass);
        if (place_digits(&pass)) {
            ly_parallel_for(ctx, pass.pieces, move_task, &pass);
            LyRadixItem *sorted = room->other;
            room->other = room->items;
            room->items = sorted;
        }
    }
}
