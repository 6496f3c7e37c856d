// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Least significant digit first, 11 bits at a time: six stable passes at most, of which those
// over a digit that all keys share are skipped. One sweep over the keys counts all digits.

#include "mesh/radix.h"

#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 6, BUCKETS = 1 << DIGIT_BITS };

static uint32_t digit_of(uint64_t key, int32_t digit)
{
    return (uint32_t)(key >> (digit * DIGIT_BITS)) & (BUCKETS - 1);
}

static void count_digits(int64_t count, const uint64_t *keys, int64_t *counts)
{
    memset(counts, 0, sizeof *counts * DIGITS * BUCKETS);
    for (int64_t i = 0; i < count; ++i) {
        for (int32_t d = 0; d < DIGITS; ++d) {
            ++counts[d * BUCKETS + (int32_t)digit_of(keys[i], d)];
        }
    }
}

LyraStatus ly_radix_sort(LyraContext *ctx, int64_t count, uint64_t *keys, int32_t *values)
{
    if (count < 2) {
        return LYRA_OK;
    }
    LyraStatus status = LYRA_OK;
    int64_t *counts = NULL;
    uint64_t *other_keys = NULL;
    int32_t *other_values = NULL;
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)DIGITS * BUCKETS, sizeof *counts, &counts));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *other_keys, &other_keys));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *other_values, &other_values));
    count_digits(count, keys, counts);
    uint64_t *from_keys = keys, *to_keys = other_keys;
    int32_t *from_values = values, *to_values = other_values;
    for (int32_t d = 0; d < DIGITS; ++d) {
        int64_t *places = counts + (int64_t)d * BUCKETS;
        if (places[digit_of(keys[0], d)] == count) {
            continue;
        }
        // counts to first places
        int64_t begin = 0;
        for (int32_t b = 0; b < BUCKETS; ++b) {
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
