// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Order along a Hilbert curve.
//
// A cube is cut into eight, visited in the order of the Gray code g(w) = w ^ (w >> 1), w = 0..7, so
// that successive octants share a face. Each octant holds a smaller copy of the curve, turned so
// that it is entered at corner e(w) and left along axis d(w). With corners as 3-bit numbers:
//   e(0) = 0, e(w) = g(2 floor((w - 1) / 2));
//   d(0) = 0, d(w) = t(w - 1) mod 3 for even w, t(w) mod 3 for odd w, t = number of trailing ones.
// From the top bit down, the corner l of a point is brought into the frame (e, d) of the curve at
// hand by l -> rotate_right(l ^ e, d + 1), decoded by the inverse Gray code to w, and the frame
// composed: e ^= rotate_left(e(w), d + 1), d += d(w) + 1 mod 3. [HR08]

#include "lyra/reorder.h"
#include "sparse/sparse.h"

#include <math.h>

#define BITS 21 // per axis: 63 in all

static inline uint32_t rotate_left3(uint32_t b, uint32_t by)
{
    by %= 3;
    return ((b << by) | (b >> (3 - by))) & 7;
}

static inline uint32_t rotate_right3(uint32_t b, uint32_t by)
{
    return rotate_left3(b, 3 - by % 3);
}

static uint64_t hilbert_index(const uint32_t cell[3])
{
    static const uint8_t gray_inverse[8] = {0, 1, 3, 2, 7, 6, 4, 5};
    static const uint8_t entry[8] = {0, 0, 0, 3, 3, 6, 6, 5};
    static const uint8_t direction[8] = {0, 1, 1, 2, 2, 1, 1, 0};
    uint64_t index = 0;
    uint32_t e = 0, d = 0;
    for (int32_t bit = BITS - 1; bit >= 0; --bit) {
        uint32_t l = 0;
        for (uint32_t axis = 0; axis < 3; ++axis) {
            l |= ((cell[axis] >> bit) & 1) << axis;
        }
        uint32_t w = gray_inverse[rotate_right3(l ^ e, d + 1)];
        index = (index << 3) | w;
        e ^= rotate_left3(entry[w], d + 1);
        d = (d + direction[w] + 1) % 3;
    }
    return index;
}

// stable sort by key, 11 bits at a time
static void radix_sort(int32_t count, uint64_t *key, uint64_t *other_key, int32_t *order,
                       int32_t *other_order)
{
    enum { DIGIT = 11, BUCKETS = 1 << DIGIT, PASSES = 6 };
    for (int32_t pass = 0; pass < PASSES; ++pass) {
        int32_t start[BUCKETS + 1] = {0};
        int32_t shift = pass * DIGIT;
        for (int32_t i = 0; i < count; ++i) {
            ++start[((key[i] >> shift) & (BUCKETS - 1)) + 1];
        }
        for (int32_t b = 0; b < BUCKETS; ++b) {
            start[b + 1] += start[b];
        }
        for (int32_t i = 0; i < count; ++i) {
            int32_t to = start[(key[i] >> shift) & (BUCKETS - 1)]++;
            other_key[to] = key[i];
            other_order[to] = order[i];
        }
        // an even number of passes brings the result home
        uint64_t *swap_key = key;
        key = other_key;
        other_key = swap_key;
        int32_t *swap_order = order;
        order = other_order;
        other_order = swap_order;
    }
}

LyraStatus lyra_reorder_hilbert(LyraContext *ctx, int32_t count, const double *positions,
                                int32_t *order)
{
    LYRA_ASSERT(ctx && ((positions && order) || count == 0));
    if (count < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "Hilbert order: %d positions", (int)count);
    }
    // bounding box; halves keep differences of the largest doubles finite
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int64_t i = 0; i < 3 * (int64_t)count; ++i) {
        if (!isfinite(positions[i])) {
            return ly_fail(LYRA_NOT_FINITE, "Hilbert order: position %lld is not finite",
                           (long long)(i / 3));
        }
        low[i % 3] = fmin(low[i % 3], 0.5 * positions[i]);
        high[i % 3] = fmax(high[i % 3], 0.5 * positions[i]);
    }
    double extent = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));

    LyraStatus status = LYRA_OK;
    uint64_t *key = NULL, *other_key = NULL;
    int32_t *other_order = NULL;
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof(uint64_t), &key));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof(uint64_t), &other_key));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof(int32_t), &other_order));
    for (int32_t i = 0; i < count; ++i) {
        uint32_t cell[3];
        for (int32_t axis = 0; axis < 3; ++axis) {
            double along = 0.5 * positions[3 * (int64_t)i + axis] - low[axis];
            double part = extent > 0.0 ? along / extent : 0.0;
            cell[axis] = (uint32_t)(part * ((1 << BITS) - 1));
        }
        key[i] = hilbert_index(cell);
        order[i] = i;
    }
    radix_sort(count, key, other_key, order, other_order);
done:
    ly_release(ctx, key);
    ly_release(ctx, other_key);
    ly_release(ctx, other_order);
    return status;
}
