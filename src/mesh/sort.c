// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sorting: by digits, the least significant first and 11 bits at a time, for long arrays of
// numbers; by insertion and heap for the short lists that matching faces and edges needs (the heap
// keeps a list that is long after all at n log n).

#include "mesh/sort.h"

#include <string.h>

#define DIGIT_BITS 11
#define DIGITS (1 << DIGIT_BITS)
#define INSERTION_LIMIT 32

void ly_sort_order(int64_t count, const uint32_t *key, int32_t *order, int32_t *scratch)
{
    uint32_t all = 0;
    for (int64_t i = 0; i < count; ++i) {
        all |= key[i];
    }
    int32_t *from = order, *to = scratch;
    for (int32_t shift = 0; shift < 32 && all >> shift != 0; shift += DIGIT_BITS) {
        int64_t start[DIGITS + 1] = {0};
        for (int64_t i = 0; i < count; ++i) {
            ++start[(key[i] >> shift & (DIGITS - 1)) + 1];
        }
        for (int32_t d = 0; d < DIGITS; ++d) {
            start[d + 1] += start[d];
        }
        for (int64_t i = 0; i < count; ++i) {
            to[start[key[from[i]] >> shift & (DIGITS - 1)]++] = from[i];
        }
        int32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != order && count > 0) {
        memcpy(order, from, (size_t)count * sizeof *order);
    }
}

// place of a number in ascending order, negative ones first
static inline uint32_t ascending(int32_t number)
{
    return (uint32_t)number ^ 0x80000000u;
}

static void sort_few(int64_t count, int32_t *numbers)
{
    for (int64_t i = 1; i < count; ++i) {
        int32_t moving = numbers[i];
        int64_t at = i;
        for (; at > 0 && moving < numbers[at - 1]; --at) {
            numbers[at] = numbers[at - 1];
        }
        numbers[at] = moving;
    }
}

static LyraStatus sort_many(LyraContext *ctx, int64_t count, int32_t *numbers)
{
    int32_t *scratch = NULL;
    LY_TRY(ly_allocate_array(ctx, count, sizeof *scratch, &scratch));
    int32_t *from = numbers, *to = scratch;
    for (int32_t shift = 0; shift < 32; shift += DIGIT_BITS) {
        int64_t start[DIGITS + 1] = {0};
        for (int64_t i = 0; i < count; ++i) {
            ++start[(ascending(from[i]) >> shift & (DIGITS - 1)) + 1];
        }
        for (int32_t d = 0; d < DIGITS; ++d) {
            start[d + 1] += start[d];
        }
        for (int64_t i = 0; i < count; ++i) {
            to[start[ascending(from[i]) >> shift & (DIGITS - 1)]++] = from[i];
        }
        int32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != numbers) {
        memcpy(numbers, from, (size_t)count * sizeof *numbers);
    }
    ly_release(ctx, scratch);
    return LYRA_OK;
}

LyraStatus ly_sort_unique(LyraContext *ctx, int64_t *count, int32_t *numbers)
{
    int64_t sorted = 1;
    while (sorted < *count && numbers[sorted - 1] < numbers[sorted]) {
        ++sorted;
    }
    if (sorted >= *count) {
        return LYRA_OK;
    }
    if (*count <= INSERTION_LIMIT) {
        sort_few(*count, numbers);
    } else {
        LY_TRY(sort_many(ctx, *count, numbers));
    }
    int64_t kept = 1;
    for (int64_t i = 1; i < *count; ++i) {
        if (numbers[i] != numbers[kept - 1]) {
            numbers[kept++] = numbers[i];
        }
    }
    *count = kept;
    return LYRA_OK;
}

static inline bool item_less(const LySortItem *a, const LySortItem *b)
{
    for (int32_t i = 0; i < 3; ++i) {
        if (a->key[i] != b->key[i]) {
            return a->key[i] < b->key[i];
        }
    }
    return a->owner < b->owner;
}

static void sift_down(LySortItem *items, int64_t root, int64_t count)
{
    LySortItem moving = items[root];
    for (int64_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && item_less(&items[child], &items[child + 1])) {
            ++child;
        }
        if (!item_less(&moving, &items[child])) {
            break;
        }
        items[root] = items[child];
    }
    items[root] = moving;
}

void ly_sort_items(int64_t count, LySortItem *items)
{
    if (count <= INSERTION_LIMIT) {
        for (int64_t i = 1; i < count; ++i) {
            LySortItem moving = items[i];
            int64_t at = i;
            for (; at > 0 && item_less(&moving, &items[at - 1]); --at) {
                items[at] = items[at - 1];
            }
            items[at] = moving;
        }
        return;
    }
    for (int64_t i = count / 2; i-- > 0;) {
        sift_down(items, i, count);
    }
    for (int64_t i = count; i-- > 1;) {
        LySortItem last = items[i];
        items[i] = items[0];
        items[0] = last;
        sift_down(items, 0, i);
    }
}

// ---- 64-bit keys --------------------------------------------------------------------------------

#define KEY_DIGITS 6 // of 64 bits

static uint32_t digit_of(uint64_t key, int32_t digit)
{
    return (uint32_t)(key >> (digit * DIGIT_BITS)) & (DIGITS - 1);
}

static void count_digits(int64_t count, const uint64_t *keys, int64_t *counts)
{
    memset(counts, 0, sizeof *counts * KEY_DIGITS * DIGITS);
    for (int64_t i = 0; i < count; ++i) {
        for (int32_t d = 0; d < KEY_DIGITS; ++d) {
            ++counts[d * DIGITS + (int32_t)digit_of(keys[i], d)];
        }
    }
}

// One sweep over the keys counts all digits; those that all keys share need no pass.
LyraStatus ly_sort_keys(LyraContext *ctx, int64_t count, uint64_t *keys, int32_t *values)
{
    if (count < 2) {
        return LYRA_OK;
    }
    LyraStatus status = LYRA_OK;
    int64_t *counts = NULL;
    uint64_t *other_keys = NULL;
    int32_t *other_values = NULL;
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)KEY_DIGITS * DIGITS, sizeof *counts, &counts));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *other_keys, &other_keys));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *other_values, &other_values));
    count_digits(count, keys, counts);
    uint64_t *from_keys = keys, *to_keys = other_keys;
    int32_t *from_values = values, *to_values = other_values;
    for (int32_t d = 0; d < KEY_DIGITS; ++d) {
        int64_t *places = counts + (int64_t)d * DIGITS;
        if (places[digit_of(keys[0], d)] == count) {
            continue;
        }
        // counts to first places
        int64_t begin = 0;
        for (int32_t b = 0; b < DIGITS; ++b) {
            int64_t size = places[b];
            places[b] = begin;
            begin += size;
        }
        for (int64_t i = 0; i < count; ++i) {
            int64_t place = places[digit_of(from_keys[i], d)]++;
            to_keys[place] = from_keys[i];
            to_values[place] = from_values[i];
        }
        uint64_t *swap_keys = from_keys;
        from_keys = to_keys;
        to_keys = swap_keys;
        int32_t *swap_values = from_values;
        from_values = to_values;
        to_values = swap_values;
    }
    if (from_keys != keys) {
        memcpy(keys, from_keys, (size_t)count * sizeof *keys);
        memcpy(values, from_values, (size_t)count * sizeof *values);
    }
done:
    ly_release(ctx, counts);
    ly_release(ctx, other_keys);
    ly_release(ctx, other_values);
    return status;
}
