// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sorting: by digits for long arrays of numbers, by insertion and heap for the short lists that
// matching faces and edges needs (the heap keeps a list that is long after all at n log n).

#include "mesh/sort.h"

#include <string.h>

#define DIGIT_BITS 11
#define DIGITS (1 << DIGIT_BITS)
#define INSERTION_LIMIT 24

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

LyraStatus ly_sort_ids(LyraContext *ctx, int64_t count, int32_t *ids)
{
    bool sorted = true;
    for (int64_t i = 1; i < count && sorted; ++i) {
        sorted = ids[i - 1] <= ids[i];
    }
    if (sorted) {
        return LYRA_OK;
    }
    int32_t *to = NULL;
    LY_TRY(ly_allocate_array(ctx, count, sizeof *to, &to));
    int32_t *from = ids;
    for (int32_t shift = 0; shift < 32; shift += DIGIT_BITS) {
        int64_t start[DIGITS + 1] = {0};
        for (int64_t i = 0; i < count; ++i) {
            ++start[((uint32_t)from[i] >> shift & (DIGITS - 1)) + 1];
        }
        for (int32_t d = 0; d < DIGITS; ++d) {
            start[d + 1] += start[d];
        }
        for (int64_t i = 0; i < count; ++i) {
            to[start[(uint32_t)from[i] >> shift & (DIGITS - 1)]++] = from[i];
        }
        int32_t *swap = from;
        from = to;
        to = swap;
    }
    // three passes: the result stands in the other array
    memcpy(ids, from, (size_t)count * sizeof *ids);
    ly_release(ctx, to == ids ? from : to);
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
