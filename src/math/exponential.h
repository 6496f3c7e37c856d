// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The exponential function in lanes.

#ifndef LY_MATH_EXPONENTIAL_H
#define LY_MATH_EXPONENTIAL_H

#include "math/lanes.h"

/// e^x - 1 and, in `*exponential`, e^x, both within 2 units in the last place. `x` is taken to be
/// in
/// [-708, 709]; NaN gives NaN.
///
/// x = k ln 2 + r with |r| <= ln(2)/2 and p = e^r - 1 by its series: e^x = 2^k (1 + p) and
/// e^x - 1 = 2^k p + (2^k - 1), where the sum loses at most a bit.
LY_INLINE LyReal ly_expm1_lanes(LyReal x, LyReal *exponential)
{
    // the constant first, so that NaN stays
    x = ly_min(ly_set(709), ly_max(ly_set(-708), x));
    // adding 1.5 2^52 rounds to an integer and leaves it in the low bits
    const double shift = 0x1.8p52;
    LyReal shifted = x * 0x1.71547652b82fep0 + shift, k = shifted - shift;
    LyBits exponent = ly_bits(shifted) - INT64_C(0x4338000000000000) + 1023;
    LyReal power = ly_from_bits((exponent & 0x7ff) << 52);
    // ln 2 in two parts, the first with trailing zeros so that k * high is exact
    const double high = 0x1.62e42fee00000p-1, low = 0x1.a39ef35793c76p-33;
    LyReal r = (x - k * high) - k * low;
    // 1/2 + r/3! + ... + r^11/13!
    LyReal q = ly_set(1.0 / 6227020800.0);
    q = q * r + 1.0 / 479001600.0;
    q = q * r + 1.0 / 39916800.0;
    q = q * r + 1.0 / 3628800.0;
    q = q * r + 1.0 / 362880.0;
    q = q * r + 1.0 / 40320.0;
    q = q * r + 1.0 / 5040.0;
    q = q * r + 1.0 / 720.0;
    q = q * r + 1.0 / 120.0;
    q = q * r + 1.0 / 24.0;
    q = q * r + 1.0 / 6.0;
    q = q * r + 1.0 / 2.0;
    LyReal p = r + r * r * q;
    *exponential = power + power * p;
    return power * p + (power - 1.0);
}

#endif
