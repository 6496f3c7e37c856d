// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Cholesky factors of the diagonal blocks of many vertices side by side, for those that are well
// inside the range of numbers and well positive; the others are left to pcg_matrix.c.

#include "math/lanes.h"
#include "solve/pcg.h"

// entry k of the blocks at `block`, one per lane
LY_INLINE LyReal entry(const double *const block[LY_LANES], int k)
{
#if LY_LANES == 1
    return block[0][k];
#elif LY_LANES == 2
    return (LyReal){block[0][k], block[1][k]};
#elif LY_LANES == 4
    return (LyReal){block[0][k], block[1][k], block[2][k], block[3][k]};
#else
    return (LyReal){block[0][k], block[1][k], block[2][k], block[3][k],
                    block[4][k], block[5][k], block[6][k], block[7][k]};
#endif
}

uint32_t LY_KERNEL(ly_pcg_roots)(const double *const *block, double *C, double *S)
{
    LyReal a00 = entry(block, 0), a01 = entry(block, 1), a02 = entry(block, 2);
    LyReal a11 = entry(block, 4), a12 = entry(block, 5), a22 = entry(block, 8);
    LyReal largest = ly_max(ly_max(ly_abs(a00), ly_abs(a11)), ly_abs(a22));
    LyMask good = ly_and(ly_greater_equal(largest, ly_set(LY_PCG_ORDINARY_MIN)),
                         ly_less_equal(largest, ly_set(LY_PCG_ORDINARY_MAX)));
    good = ly_and(good, ly_greater(a00, ly_set(0)));
    LyReal c00 = ly_sqrt(a00), s0 = 1.0 / c00, c10 = a01 * s0, c20 = a02 * s0;
    LyReal p1 = a11 - c10 * c10;
    good = ly_and(good, ly_greater(p1, LY_PCG_PIVOT_MIN * ly_abs(a11)));
    LyReal c11 = ly_sqrt(p1), s1 = 1.0 / c11, c21 = (a12 - c20 * c10) * s1;
    LyReal p2 = a22 - c20 * c20 - c21 * c21;
    good = ly_and(good, ly_greater(p2, LY_PCG_PIVOT_MIN * ly_abs(a22)));
    LyReal c22 = ly_sqrt(p2), s2 = 1.0 / c22;
    LyReal s10 = -s1 * c10 * s0, s21 = -s2 * c21 * s1, s20 = -s2 * (c20 * s0 + c21 * s10);
    // what is above the diagonal is zero already
    const LyReal factor[6] = {c00, c10, c11, c20, c21, c22};
    const LyReal inverse[6] = {s0, s10, s1, s20, s21, s2};
    static const int place[6] = {0, 3, 4, 6, 7, 8};
#pragma GCC unroll 6
    for (int k = 0; k < 6; ++k) {
        ly_store_strided(C + place[k], 9, factor[k]);
        ly_store_strided(S + place[k], 9, inverse[k]);
    }
    return ly_mask_bits(good);
}
