// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A tick is k m 10^e with whole k, m in {1, 2, 5} and whole e. It is made as (k m) 10^e or
// (k m) / 10^-e, so that it is the double nearest to that decimal and prints as such: 0.3, not
// 0.30000000000000004.

#include "render/ticks.h"

#include <float.h>
#include <math.h>

static double power_of_ten(int32_t e)
{
    return pow(10, e);
}

static double decimal(double digits, int32_t e)
{
    if (e >= 0) {
        return digits * power_of_ten(e);
    }
    // beyond 10^-308 the divisor would not be finite
    return e > -300 ? digits / power_of_ten(-e) : digits / power_of_ten(-e - 20) / 1e20;
}

void ly_ticks_linear(double low, double high, int32_t most, LyTicks *ticks)
{
    *ticks = (LyTicks){0};
    most = most < 2 ? 2 : most > LY_TICKS_MAX ? LY_TICKS_MAX : most;
    // halves, as the span of huge numbers may not be finite
    double span = high / 2 - low / 2;
    double raw = span / most * 2;
    int32_t e = (int32_t)floor(log10(raw));
    double m = 1;
    for (int32_t i = 0; i < 3 && decimal(m, e) < raw * (1 - 1e-9); ++i) {
        m = i == 0 ? 2 : i == 1 ? 5 : 10;
    }
    double step = decimal(m, e);
    double first = ceil(low / step - 1e-9), last = floor(high / step + 1e-9);
    double size = fmax(fabs(low), fabs(high));
    int32_t order = (int32_t)floor(log10(size) + 1e-9);
    ticks->exponent = order >= 5 || order <= -4 ? order : 0;
    for (double k = first; k <= last && ticks->count < most + 1 && ticks->count < LY_TICKS_MAX;
         ++k) {
        ticks->values[ticks->count] = decimal(k * m, e);
        ly_format_double(ticks->labels[ticks->count], decimal(k * m, e - ticks->exponent) + 0.0);
        ++ticks->count;
    }
}

void ly_ticks_log(double low, double high, int32_t most, LyTicks *ticks)
{
    int32_t first = (int32_t)ceil(log10(low) - 1e-9), last = (int32_t)floor(log10(high) + 1e-9);
    if (last - first < 1) {
        ly_ticks_linear(low, high, most, ticks);
        return;
    }
    *ticks = (LyTicks){0};
    most = most < 2 ? 2 : most > LY_TICKS_MAX ? LY_TICKS_MAX : most;
    int32_t stride = (last - first) / most + 1;
    // on multiples of the stride, so that 1 is among them
    int32_t start = first;
    while (start % stride != 0) {
        ++start;
    }
    for (int32_t e = start; e <= last && ticks->count < LY_TICKS_MAX; e += stride) {
        ticks->values[ticks->count] = decimal(1, e);
        ly_format_double(ticks->labels[ticks->count++], decimal(1, e));
    }
    // between decades that all have a tick: 2 to 9; else the decades left out
    for (int32_t e = first - 1; e <= last; ++e) {
        for (int32_t k = stride == 1 ? 2 : 1; k <= (stride == 1 ? 9 : 1); ++k) {
            double value = decimal(k, e);
            if (value >= low && value <= high && ticks->minor_count < LY_TICKS_MINOR_MAX) {
                ticks->minors[ticks->minor_count++] = value;
            }
        }
    }
}

void ly_ticks_widen(double range[2], bool log)
{
    if (!(range[0] <= range[1])) {
        // nothing to show
        range[0] = log ? 0.1 : 0;
        range[1] = log ? 10 : 1;
    }
    if (log) {
        if (range[1] / range[0] < 1 + 1e-9) {
            range[0] /= 2;
            range[1] *= 2;
        }
        range[0] = fmax(range[0], DBL_MIN);
        range[1] = fmin(range[1], DBL_MAX);
        return;
    }
    double size = fmax(fabs(range[0]), fabs(range[1]));
    if (range[1] / 2 - range[0] / 2 < 1e-12 * size || size < 1e-290) {
        double pad = size < 1e-290 ? 1 : 0.1 * size;
        range[0] -= pad;
        range[1] += pad;
    }
    range[0] = fmax(range[0], -DBL_MAX);
    range[1] = fmin(range[1], DBL_MAX);
}
