// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Pairs of items whose boxes overlap. The eight items of a node of the first tree walk down the
// second together, by the box around them; at its lowest nodes each asks for itself.

#include "collide/boxes.h"
#include "math/lanes.h"

typedef float Floats __attribute__((vector_size(4 * LY_BOXES_WIDTH)));
typedef int32_t Ints __attribute__((vector_size(4 * LY_BOXES_WIDTH)));

// Bits of the boxes of a node that overlap a box.
LY_INLINE uint32_t overlaps(const LyBoxes8 *node, const float low[3], const float high[3])
{
#if LY_LANES == 1
    uint32_t bits = 0;
    for (int32_t k = 0; k < LY_BOXES_WIDTH; ++k) {
        bool hit = true;
        for (int32_t i = 0; i < 3; ++i) {
            hit = hit && node->low[i][k] <= high[i] && node->high[i][k] >= low[i];
        }
        bits |= (uint32_t)hit << k;
    }
    return bits;
#elif LY_LANES_AVX512
    __mmask8 hit = 0xff;
    for (int32_t i = 0; i < 3; ++i) {
        __m256 below = _mm256_set1_ps(high[i]), above = _mm256_set1_ps(low[i]);
        hit = _mm256_mask_cmp_ps_mask(hit, _mm256_loadu_ps(node->low[i]), below, _CMP_LE_OQ);
        hit = _mm256_mask_cmp_ps_mask(hit, _mm256_loadu_ps(node->high[i]), above, _CMP_GE_OQ);
    }
    return hit;
#else
    Ints hit = ~(Ints){0};
    for (int32_t i = 0; i < 3; ++i) {
        Floats lows, highs;
        memcpy(&lows, node->low[i], sizeof lows);
        memcpy(&highs, node->high[i], sizeof highs);
        hit &= (lows <= high[i] - (Floats){0}) & (highs >= low[i] - (Floats){0});
    }
#if LY_LANES_AVX
    return (uint32_t)_mm256_movemask_ps((__m256)hit);
#elif LY_LANES_SSE2
    __m128 halves[2];
    memcpy(halves, &hit, sizeof halves);
    return (uint32_t)(_mm_movemask_ps(halves[0]) | _mm_movemask_ps(halves[1]) << 4);
#else
    uint32_t bits = 0;
    for (int32_t k = 0; k < LY_BOXES_WIDTH; ++k) {
        bits |= (uint32_t)(hit[k] & 1) << k;
    }
    return bits;
#endif
#endif
}

// the box of lane k
LY_INLINE void box_of(const LyBoxes8 *node, int32_t k, float low[3], float high[3])
{
    for (int32_t i = 0; i < 3; ++i) {
        low[i] = node->low[i][k];
        high[i] = node->high[i][k];
    }
}

LY_INLINE void box_around(const LyBoxes8 *node, float low[3], float high[3])
{
    box_of(node, 0, low, high);
    for (int32_t k = 1; k < LY_BOXES_WIDTH; ++k) {
        for (int32_t i = 0; i < 3; ++i) {
            low[i] = node->low[i][k] < low[i] ? node->low[i][k] : low[i];
            high[i] = node->high[i][k] > high[i] ? node->high[i][k] : high[i];
        }
    }
}

LY_INLINE bool share_vertex(const LyBoxes *a, int32_t item, const LyBoxes *b, int32_t other)
{
    const int32_t *v = a->vertices + (int64_t)a->corners * item;
    const int32_t *w = b->vertices + (int64_t)b->corners * other;
    bool share = false;
    for (int32_t i = 0; i < a->corners; ++i) {
        for (int32_t j = 0; j < b->corners; ++j) {
            share = share || v[i] == w[j];
        }
    }
    return share;
}

// pairs of the items of two nodes; `lanes`: those of the first that may have some
LY_INLINE int64_t pair_leaves(const LyBoxSearch *search, int64_t leaf, uint32_t lanes,
                              int64_t other, int64_t found, int64_t room, int32_t (*pairs)[2])
{
    const LyBoxes *first = search->first, *second = search->second;
    for (; lanes; lanes &= lanes - 1) {
        int32_t k = __builtin_ctz(lanes);
        float low[3], high[3];
        box_of(&first->nodes[leaf], k, low, high);
        uint32_t hits = overlaps(&second->nodes[other], low, high);
        // of a node with itself each pair once
        hits &= search->self && other == leaf ? 0xffu << (k + 1) : 0xffu;
        int32_t item = first->items[LY_BOXES_WIDTH * leaf + k];
        for (; hits; hits &= hits - 1) {
            int32_t met = second->items[LY_BOXES_WIDTH * other + __builtin_ctz(hits)];
            if (share_vertex(first, item, second, met)) {
                continue;
            }
            if (found < room) {
                bool swap = search->self && met < item;
                pairs[found][0] = swap ? met : item;
                pairs[found][1] = swap ? item : met;
            }
            ++found;
        }
    }
    return found;
}

int64_t LY_KERNEL(ly_box_pairs)(const LyBoxSearch *search, int64_t leaf, int64_t room,
                                int32_t (*pairs)[2])
{
    // a node that is still to be visited
    struct {
        int64_t node;
        int32_t level;
    } stack[(LY_BOXES_WIDTH - 1) * LY_BOXES_LEVELS + 1];
    const LyBoxes *second = search->second;
    const LyBoxes8 *own = &search->first->nodes[leaf];
    float low[3], high[3];
    box_around(own, low, high);
    int64_t found = 0;
    int32_t top = 0;
    if (second->level_count > 0) {
        stack[top].node = 0;
        stack[top++].level = second->level_count - 1;
    }
    while (top > 0) {
        int32_t level = stack[--top].level;
        int64_t at = stack[top].node;
        const LyBoxes8 *node = &second->nodes[second->level_begin[level] + at];
        if (level == 0) {
            float around[2][3];
            box_around(node, around[0], around[1]);
            uint32_t lanes = overlaps(own, around[0], around[1]);
            found = pair_leaves(search, leaf, lanes, at, found, room, pairs);
            continue;
        }
        uint32_t hits = overlaps(node, low, high);
        for (; hits; hits &= hits - 1) {
            int64_t child = LY_BOXES_WIDTH * at + __builtin_ctz(hits);
            // of a tree with itself, what ends before the node has met it already
            if (search->self && ((child + 1) << (3 * (level - 1))) <= leaf) {
                continue;
            }
            stack[top].node = child;
            stack[top++].level = level - 1;
        }
    }
    return found;
}
