// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Elementary functions in lanes.

#ifndef LY_MATH_ELEMENTARY_H
#define LY_MATH_ELEMENTARY_H

#include "math/lanes.h"

/// Natural logarithm, within 1.5 units in the last place for normal positive `x`. NaN for x < 0 and
/// NaN, -infinity for 0, +infinity for itself; subnormal numbers count as 0.
///
/// x = 2^k m with m in [sqrt(1/2), sqrt(2)); ln m = 2 atanh s with s = (m - 1) / (m + 1), |s| <
/// 0.1716, by its series; the sum is taken as f - (s (f - R)) with f = m - 1 so that the leading
/// term is exact.
LY_INLINE LyReal ly_log_lanes(LyReal x)
{
    LyMask ordinary = ly_and(ly_greater_equal(x, ly_set(0x1p-1022)), ly_less(x, ly_set(INFINITY)));
    LyBits bits = ly_bits(ly_select(ordinary, x, ly_set(1)));
    // k + 1023 from the exponent's bits once the mantissa is centred on 1, that is less the bits of
    // sqrt(1/2); positive, so that shifting right needs no sign
    LyBits biased = (bits - INT64_C(0x3fe6a09e667f3bcd) + (INT64_C(1023) << 52)) >> 52 & 0x7ff;
    LyReal m = ly_from_bits(bits - ly_shift_left(biased - 1023, 52));
    // the integer as the low bits of a double near 1.5 * 2^52
    const double shift = 0x1.8p52;
    LyReal exponent = ly_from_bits(biased + INT64_C(0x4338000000000000)) - (shift + 1023);
    LyReal f = m - 1.0, s = f / (2.0 + f), z = s * s;
    // series of 2 atanh(s) / s - 2 = 2 z (1/3 + z/5 + z^2/7 + ...)
    LyReal r = ly_set(2.0 / 23);
    r = r * z + 2.0 / 21;
    r = r * z + 2.0 / 19;
    r = r * z + 2.0 / 17;
    r = r * z + 2.0 / 15;
    r = r * z + 2.0 / 13;
    r = r * z + 2.0 / 11;
    r = r * z + 2.0 / 9;
    r = r * z + 2.0 / 7;
    r = r * z + 2.0 / 5;
    r = r * z + 2.0 / 3;
    // ln m = 2 s + s z r, and 2 s = f - s f
    LyReal tail = s * (f - z * r);
    // ln 2 in two parts, the first with trailing zeros so that exponent * high is exact
    const double high = 0x1.62e42fee00000p-1, low = 0x1.a39ef35793c76p-33;
    LyReal result = exponent * high + ((exponent * low - tail) + f);
    LyReal infinity = ly_set(INFINITY);
    result = ly_select(ly_less(x, ly_set(0x1p-1022)), -infinity, result);
    result = ly_select(ly_equal(x, infinity), infinity, result);
    // NaN fails the comparison
    return ly_select(ly_greater_equal(x, ly_set(0)), result, ly_set(NAN));
}

/// Exponential, within 1.5 units in the last place. 0 below -708.39, +infinity above 709.78, NaN
/// for NaN.
///
/// x = n ln 2 + r with |r| <= ln(2)/2; e^r by its series, 2^n by its exponent.
LY_INLINE LyReal ly_exp_lanes(LyReal x)
{
    LyMask small = ly_less(x, ly_set(-708.39)), large = ly_greater(x, ly_set(709.78));
    LyReal y = ly_max(ly_min(x, ly_set(709.78)), ly_set(-708.39));
    // adding 1.5 * 2^52 rounds to the nearest integer, which stands in the low bits
    const double shift = 0x1.8p52;
    LyReal shifted = y * 0x1.71547652b82fep0 + shift, n = shifted - shift;
    const double high = 0x1.62e42fee00000p-1, low = 0x1.a39ef35793c76p-33;
    LyReal r = (y - n * high) - n * low;
    LyReal e = ly_set(1.0 / 6227020800);
    e = e * r + 1.0 / 479001600;
    e = e * r + 1.0 / 39916800;
    e = e * r + 1.0 / 3628800;
    e = e * r + 1.0 / 362880;
    e = e * r + 1.0 / 40320;
    e = e * r + 1.0 / 5040;
    e = e * r + 1.0 / 720;
    e = e * r + 1.0 / 120;
    e = e * r + 1.0 / 24;
    e = e * r + 1.0 / 6;
    e = e * r + 0.5;
    e = 1.0 + (r + r * r * e);
    // 2^n in two factors, as 2^1024 has no double
    LyBits whole = ly_bits(shifted) - INT64_C(0x4338000000000000);
    LyReal power = ly_from_bits(ly_bits(ly_set(0.5)) + (whole << 52));
    LyReal result = (e * power) * 2.0;
    result = ly_select(small, ly_set(0), result);
    result = ly_select(large, ly_set(INFINITY), result);
    return ly_select(ly_equal(x, x), result, x);
}

/// x^p for x > 0; the relative error grows as |p ln x| units in the last place.
LY_INLINE LyReal ly_pow_lanes(LyReal x, LyReal p)
{
    return ly_exp_lanes(p * ly_log_lanes(x));
}

#endif
