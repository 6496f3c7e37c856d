// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sorting and hashing for the mesh module.

#ifndef LY_MESH_SORT_H
#define LY_MESH_SORT_H

#include "base/base.h"

/// Sorts the permutation `order` [count] stably by `key[order[i]]`, in linear time. `scratch`:
/// [count].
void ly_sort_order(int64_t count, const uint32_t *key, int32_t *order, int32_t *scratch);

/// Sorts `numbers` [*count] ascending and drops repeats; `*count` becomes what is left. In linear
/// time; allocates only for more than a few that are not in order yet.
LyraStatus ly_sort_unique(LyraContext *ctx, int64_t *count, int32_t *numbers);

/// Sorts `keys` [count] ascending and `values` [count] with them, stably and in linear time.
LyraStatus ly_sort_keys(LyraContext *ctx, int64_t count, uint64_t *keys, int32_t *values);

/// What is compared when faces or edges are matched, and whose it is.
typedef struct LySortItem {
    uint32_t key[3];
    int32_t owner;
} LySortItem;

/// Sorts by key, then owner; in place, n log n at worst, fast for a few items.
void ly_sort_items(int64_t count, LySortItem *items);

/// Mixes 64 bits so that every bit of the result depends on all.
static inline uint64_t ly_hash_bits(uint64_t x)
{
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    return x;
}

/// Next number of a 64-bit sequence that visits every state (Weyl step and mix).
static inline uint64_t ly_random_next(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    return ly_hash_bits(*state);
}

/// Uniform in [0, n), n > 0.
static inline uint32_t ly_random_below(uint64_t *state, uint32_t n)
{
    // the high half of a 64-bit product; the bias is below n / 2^32, of no matter for an order
    return (uint32_t)(((ly_random_next(state) >> 32) * (uint64_t)n) >> 32);
}

#endif
