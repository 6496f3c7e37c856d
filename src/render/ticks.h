// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Round numbers along an axis, with their texts.

#ifndef LY_RENDER_TICKS_H
#define LY_RENDER_TICKS_H

#include "base/base.h"
#include "base/number.h"

#define LY_TICKS_MAX 32
#define LY_TICKS_MINOR_MAX 128

typedef struct LyTicks {
    int32_t count;
    double values[LY_TICKS_MAX];                ///< Ascending, within the axis.
    char labels[LY_TICKS_MAX][LY_DOUBLE_CHARS]; ///< Values over 10^exponent.
    int32_t exponent;                           ///< 0 unless the numbers are large or small.
    int32_t minor_count;                        ///< Ticks without a text, on logarithmic axes.
    double minors[LY_TICKS_MINOR_MAX];
} LyTicks;

/// At most `most` ticks (2 or more) of step 1, 2 or 5 times a power of ten in [low, high]; both
/// finite, low < high.
void ly_ticks_linear(double low, double high, int32_t most, LyTicks *ticks);

/// Powers of ten in [low, high], both positive; as ly_ticks_linear where less than two lie there.
void ly_ticks_log(double low, double high, int32_t most, LyTicks *ticks);

/// Widens a range that is empty or a point, so that an axis can show it, and ends its ends on
/// numbers that are finite; `log`: both stay positive.
void ly_ticks_widen(double range[2], bool log);

#endif
