// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The two ends of an evaluation of a set of stencils, compiled once per instruction set: what a
// kernel wrote in lanes goes to rows, one block's nine numbers side by side, and blocks are summed
// by target. A block is two vectors of four and a last number.

#include "force/changing.h"
#include "force/tiles.h"

#define WIDTH LYRA_BATCH_WIDTH

// contributions between a prefetch and its use
#define PREFETCH 16

typedef int64_t QuadBits __attribute__((vector_size(32)));

// ---- lanes to rows ------------------------------------------------------------------------------

// [9][lane] to nine neighbours per lane, `stride` doubles from lane to lane
LY_INLINE void spread_block(const double *block, int64_t stride, double *out)
{
    for (int32_t half = 0; half < WIDTH; half += 4) {
        LyQuad low[4], high[4];
        for (int c = 0; c < 4; ++c) {
            low[c] = ly_load_quad(block + c * WIDTH + half);
            high[c] = ly_load_quad(block + (c + 4) * WIDTH + half);
        }
        ly_transpose_quads(low);
        ly_transpose_quads(high);
        for (int i = 0; i < 4; ++i) {
            double *to = out + (half + i) * stride;
            ly_store_quad(to, low[i]);
            ly_store_quad(to + 4, high[i]);
            to[8] = block[8 * WIDTH + half + i];
        }
    }
}

void LY_KERNEL(ly_spread_blocks)(int32_t nodes, bool without_diagonal, const double *blocks,
                                 double *out)
{
    double diagonal[LYRA_STENCIL_NODES_MAX * 9 * WIDTH] __attribute__((aligned(64)));
    int64_t stride = 9 * (int64_t)(nodes * (nodes + 1) / 2);
    if (without_diagonal) {
        ly_sum_diagonal(nodes, blocks, diagonal);
    }
    for (int32_t a = 0; a < nodes; ++a) {
        for (int32_t b = a; b < nodes; ++b, out += 9) {
            if (without_diagonal && a == b) {
                spread_block(diagonal + a * 9 * WIDTH, stride, out);
                continue;
            }
            spread_block(blocks, stride, out);
            blocks += 9 * WIDTH;
        }
    }
}

void LY_KERNEL(ly_spread_gradient)(int32_t nodes, const double *gradient, double *out)
{
    for (int32_t a = 0; a < nodes; ++a) {
        for (int32_t half = 0; half < WIDTH; half += 4) {
            const double *from = gradient + 3 * a * WIDTH + half;
            LyQuad q[4] = {ly_load_quad(from),
                           ly_load_quad(from + WIDTH),
                           ly_load_quad(from + 2 * WIDTH),
                           {0}};
            ly_transpose_quads(q);
            for (int i = 0; i < 4; ++i) {
                ly_store_quad(out + 4 * ((half + i) * nodes + a), q[i]);
            }
        }
    }
}

// ---- sums by target -----------------------------------------------------------------------------

LY_INLINE void add_masked(LyQuad q, QuadBits transposed, LyQuad *straight, LyQuad *turned)
{
    *straight += (LyQuad)((QuadBits)q & ~transposed);
    *turned += (LyQuad)((QuadBits)q & transposed);
}

LY_INLINE void sum_blocks(const LyContributions *from, bool plain, int64_t begin, int64_t end,
                          const double *sources, double *out)
{
    const int32_t *target = from->target, *source = from->source;
    for (int64_t k = begin; k < end;) {
        int32_t place = target[k];
        // blocks that are added as they are, and transposed; the last entry is the same in both
        LyQuad low = {0}, high = {0}, turned_low = {0}, turned_high = {0};
        double last = 0;
        do {
            if (k + PREFETCH < end) {
                int32_t later = source[k + PREFETCH];
                const double *to = out + 9 * (int64_t)target[k + PREFETCH];
                const double *block = sources + 9 * (int64_t)(later ^ later >> 31);
                __builtin_prefetch(to, 1);
                __builtin_prefetch(to + 8, 1);
                __builtin_prefetch(block);
                __builtin_prefetch(block + 8);
            }
            // all bits where the source is transposed; no branch, as no one could guess it
            int64_t sign = source[k] >> 31;
            const double *block = sources + 9 * (source[k] ^ sign);
            QuadBits transposed = {sign, sign, sign, sign};
            double weight = plain ? 1 : from->weight[k];
            add_masked(weight * ly_load_quad(block), transposed, &low, &turned_low);
            add_masked(weight * ly_load_quad(block + 4), transposed, &high, &turned_high);
            last += weight * block[8];
        } while (++k < end && target[k] == place);
        double *to = out + 9 * (int64_t)place;
        low += __builtin_shufflevector(turned_low, turned_high, 0, 3, 6, 1);
        high += __builtin_shufflevector(turned_low, turned_high, 4, 7, 2, 5);
        ly_store_quad(to, ly_load_quad(to) + low);
        ly_store_quad(to + 4, ly_load_quad(to + 4) + high);
        to[8] += last;
    }
}

void LY_KERNEL(ly_sum_blocks)(const LyContributions *from, bool plain, int64_t begin, int64_t end,
                              const double *sources, double *out)
{
    if (plain) {
        sum_blocks(from, true, begin, end, sources, out);
    } else {
        sum_blocks(from, false, begin, end, sources, out);
    }
}
