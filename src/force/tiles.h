// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Tiles of blocks that kernels wrote in lanes, [block][9][lane]: transposed on their way to memory,
// and summed to the blocks of the diagonal. For sources that are compiled per instruction set.

#ifndef LY_FORCE_TILES_H
#define LY_FORCE_TILES_H

#include "lyra/force.h"
#include "math/lanes.h"

#include <stdbool.h>
#include <string.h>

typedef double LyQuad __attribute__((vector_size(32)));
typedef int64_t LyQuadBits __attribute__((vector_size(32)));

LY_INLINE LyQuad ly_load_quad(const double *p)
{
    LyQuad q;
    memcpy(&q, p, sizeof q);
    return q;
}

LY_INLINE void ly_store_quad(double *p, LyQuad q)
{
    memcpy(p, &q, sizeof q);
}

// rows to columns of a 4x4 tile
LY_INLINE void ly_transpose_quads(LyQuad q[4])
{
    LyQuad a = __builtin_shufflevector(q[0], q[1], 0, 4, 2, 6);
    LyQuad b = __builtin_shufflevector(q[0], q[1], 1, 5, 3, 7);
    LyQuad c = __builtin_shufflevector(q[2], q[3], 0, 4, 2, 6);
    LyQuad d = __builtin_shufflevector(q[2], q[3], 1, 5, 3, 7);
    q[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    q[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    q[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    q[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

// *diagonal -= block or its transpose
LY_INLINE void ly_subtract_block(const double *block, bool transposed, double *diagonal)
{
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            const double *from = block + (transposed ? 3 * c + r : 3 * r + c) * LYRA_BATCH_WIDTH;
            double *to = diagonal + (3 * r + c) * LYRA_BATCH_WIDTH;
            for (int lane = 0; lane < LYRA_BATCH_WIDTH; lane += LY_LANES) {
                ly_store(to + lane, ly_load(to + lane) - ly_load(from + lane));
            }
        }
    }
}

// diagonal blocks from zero row sums: K_aa = - sum over b of K_ab, with K_ab = K_ba^T
LY_INLINE void ly_sum_diagonal(int32_t nodes, const double *blocks, double *diagonal)
{
    memset(diagonal, 0, (size_t)nodes * 9 * LYRA_BATCH_WIDTH * sizeof *diagonal);
    int32_t k = 0;
    for (int32_t a = 0; a < nodes; ++a) {
        for (int32_t b = a + 1; b < nodes; ++b, ++k) {
            ly_subtract_block(blocks + k * 9 * LYRA_BATCH_WIDTH, false,
                              diagonal + a * 9 * LYRA_BATCH_WIDTH);
            ly_subtract_block(blocks + k * 9 * LYRA_BATCH_WIDTH, true,
                              diagonal + b * 9 * LYRA_BATCH_WIDTH);
        }
    }
}

#endif
