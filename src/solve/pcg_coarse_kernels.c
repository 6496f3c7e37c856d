// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the set-up of a coarse space spends its time in: rows of A Y, compiled once per instruction
// set. The rows of six of Y are read as rows of eight, whose last two belong to what follows and
// land in sums that nobody reads.

#include "math/lanes.h"
#include "solve/pcg_coarse.h"

void LY_KERNEL(ly_pcg_expand)(int64_t count, const int32_t *row, const int32_t *source,
                              const int32_t *slot, const double *values, const double *Y,
                              double *sum)
{
    for (int64_t k = 0; k < count; ++k) {
        bool transposed = source[k] < 0;
        const double *A = values + 9 * (int64_t)(transposed ? ~source[k] : source[k]);
        const double *y = Y + 18 * (int64_t)row[k];
        double *restrict out = sum + 24 * (int64_t)slot[k];
        int across = transposed ? 3 : 1, down = transposed ? 1 : 3;
        for (int e = 0; e < 8; e += LY_LANES) {
            const LyReal y0 = ly_load(y + e), y1 = ly_load(y + 6 + e), y2 = ly_load(y + 12 + e);
            for (int r = 0; r < 3; ++r) {
                const double *a = A + down * r;
                ly_store(out + 8 * r + e, ly_load(out + 8 * r + e) + a[0] * y0 + a[across] * y1 +
                                              a[2 * across] * y2);
            }
        }
    }
}
