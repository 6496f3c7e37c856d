// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Elementary functions in lanes.

#ifndef LY_MATH_ELEMENTARY_H
#define LY_MATH_ELEMENTARY_H

#include "math/lanes.h"

// ---- logarithm ----------------------------------------------------------------------------------

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

// ---- exponentials -------------------------------------------------------------------------------

/// x = k ln 2 + r with |r| <= ln(2)/2, and q = (e^r - 1 - r) / r^2 by its series.
typedef struct LyExponent {
    LyBits k;
    LyReal r, q; // e^x = 2^k (1 + r + r^2 q)
} LyExponent;

/// For x in [-708.39, 709.78]. NaN gives NaN in `r` and `q` and anything in `k`.
LY_INLINE LyExponent ly_exponent_split(LyReal x)
{
    // adding 1.5 * 2^52 rounds to the nearest integer, which stands in the low bits
    const double shift = 0x1.8p52;
    LyReal shifted = x * 0x1.71547652b82fep0 + shift, k = shifted - shift;
    // ln 2 in two parts, the first with trailing zeros so that k * high is exact
    const double high = 0x1.62e42fee00000p-1, low = 0x1.a39ef35793c76p-33;
    LyReal r = (x - k * high) - k * low;
    // 1/2 + r/3! + ... + r^11/13!
    LyReal q = ly_set(1.0 / 6227020800);
    q = q * r + 1.0 / 479001600;
    q = q * r + 1.0 / 39916800;
    q = q * r + 1.0 / 3628800;
    q = q * r + 1.0 / 362880;
    q = q * r + 1.0 / 40320;
    q = q * r + 1.0 / 5040;
    q = q * r + 1.0 / 720;
    q = q * r + 1.0 / 120;
    q = q * r + 1.0 / 24;
    q = q * r + 1.0 / 6;
    q = q * r + 0.5;
    return (LyExponent){ly_bits(shifted) - INT64_C(0x4338000000000000), r, q};
}

/// Exponential, within 1.5 units in the last place. 0 below -708.39, +infinity above 709.78, NaN
/// for NaN.
LY_INLINE LyReal ly_exp_lanes(LyReal x)
{
    LyMask small = ly_less(x, ly_set(-708.39)), large = ly_greater(x, ly_set(709.78));
    // NaN becomes a number until the end
    LyReal y = ly_max(ly_min(x, ly_set(709.78)), ly_set(-708.39));
    LyExponent split = ly_exponent_split(y);
    LyReal e = 1.0 + (split.r + split.r * split.r * split.q);
    // times 2^k in the exponent's bits: 2^k alone has no double at k = 1024
    LyReal result = ly_from_bits(ly_bits(e) + ly_shift_left(split.k, 52));
    result = ly_select(small, ly_set(0), result);
    result = ly_select(large, ly_set(INFINITY), result);
    return ly_select(ly_equal(x, x), result, x);
}

/// e^x - 1, (e^x - 1) / x and e^x together, each within 2.5 units in the last place.
typedef struct LyExponential {
    LyReal less_one, slope, value;
} LyExponential;

/// e^x is taken at [-708, 709] for `x` outside; NaN gives NaN.
///
/// With p = e^r - 1, e^x = 2^k (1 + p) and e^x - 1 = 2^k p + (2^k - 1), where the sum loses at most
/// a bit.
LY_INLINE LyExponential ly_exponential_lanes(LyReal x)
{
    // the constant first, so that NaN stays
    LyExponent split = ly_exponent_split(ly_min(ly_set(709), ly_max(ly_set(-708), x)));
    LyReal power = ly_from_bits(ly_shift_left((split.k + 1023) & 0x7ff, 52));
    LyReal p = split.r + split.r * split.r * split.q, less_one = power * p + (power - 1.0);
    // where k = 0, r is x; elsewhere x is not 0
    LyMask near = ly_less_equal(ly_abs(x), ly_set(0.25));
    LyReal slope =
        ly_select(near, 1.0 + split.r * split.q, less_one / ly_select(near, ly_set(1), x));
    return (LyExponential){less_one, slope, power + power * p};
}

// ---- powers -------------------------------------------------------------------------------------

/// x^p for x > 0, within 2 + 4 |p ln x| units in the last place. Ends as ly_exp_lanes() does.
LY_INLINE LyReal ly_pow_lanes(LyReal x, LyReal p)
{
    return ly_exp_lanes(p * ly_log_lanes(x));
}

// ---- angles -------------------------------------------------------------------------------------

/// Angle of the vector (x, y) from the x axis, in [-pi, pi], within 2.5 units in the last place;
/// that of the vector of no length is 0, or pi where x is -0, with the sign of y. Not for infinite
/// vectors: NaN, as for NaN.
///
/// By symmetry 0 <= y <= x. Of the angles 0, pi/8, pi/4 with tangent c take the nearest: with
/// t = (y - c x)/(x + c y), |t| <= tan(pi/16), the rest is atan t = t - t^3/3 + ...
LY_INLINE LyReal ly_atan2_lanes(LyReal y, LyReal x)
{
    LyReal ax = ly_abs(x), ay = ly_abs(y), zero = ly_set(0);
    LyReal big = ly_max(ax, ay), small = ly_min(ax, ay);
    const double eighth = 0x1.a827999fcef32p-2; // tan(pi/8) to 1.2e-17 of the angle
    LyMask none = ly_less_equal(small, 0x1.975f5e0553158p-3 * big); // below tan(pi/16)
    LyMask all = ly_greater(small, 0x1.561b82ab7f990p-1 * big);     // above tan(3 pi/16)
    LyReal c = ly_select(none, zero, ly_select(all, ly_set(1), ly_set(eighth)));
    LyReal at = ly_select(
        none, zero, ly_select(all, ly_set(0x1.921fb54442d18p-1), ly_set(0x1.921fb54442d18p-2)));
    LyReal over = big + c * small;
    LyReal t = (small - c * big) / ly_select(ly_equal(over, zero), ly_set(1), over), z = t * t;
    LyReal r = ly_set(-1.0 / 23);
    r = r * z + 1.0 / 21;
    r = r * z - 1.0 / 19;
    r = r * z + 1.0 / 17;
    r = r * z - 1.0 / 15;
    r = r * z + 1.0 / 13;
    r = r * z - 1.0 / 11;
    r = r * z + 1.0 / 9;
    r = r * z - 1.0 / 7;
    r = r * z + 1.0 / 5;
    r = r * z - 1.0 / 3;
    LyReal angle = at + (t + t * z * r);
    // back through the symmetries; the second parts of pi/2 and pi keep the digits
    const double half = 0x1.921fb54442d18p0, half_rest = 0x1.1a62633145c07p-54;
    angle = ly_select(ly_greater(ay, ax), half - (angle - half_rest), angle);
    LyMask behind = ly_less(ly_copysign(ly_set(1), x), zero);
    angle = ly_select(behind, 2 * half - (angle - 2 * half_rest), angle);
    // NaN and infinite sizes stay
    return ly_copysign(angle + 0.0 * (x + y), y);
}

/// Sine and cosine, each within 2.5 units in the last place of 1 for |x| < 10^6. NaN for NaN.
///
/// x = k pi/2 + r with |r| <= pi/4, by pi/2 in two parts; sin r and cos r by their series, and
/// their order and signs from the last two bits of k.
LY_INLINE void ly_sin_cos_lanes(LyReal x, LyReal *sine, LyReal *cosine)
{
    const double shift = 0x1.8p52, high = 0x1.921fb54400000p0, low = 0x1.0b4611a626331p-34;
    LyReal shifted = x * 0x1.45f306dc9c883p-1 + shift, k = shifted - shift;
    LyReal r = (x - k * high) - k * low, z = r * r;
    LyReal s = ly_set(1.0 / 355687428096000);
    s = s * z - 1.0 / 1307674368000;
    s = s * z + 1.0 / 6227020800;
    s = s * z - 1.0 / 39916800;
    s = s * z + 1.0 / 362880;
    s = s * z - 1.0 / 5040;
    s = s * z + 1.0 / 120;
    s = s * z - 1.0 / 6;
    s = r + r * z * s;
    LyReal c = ly_set(-1.0 / 6402373705728000);
    c = c * z + 1.0 / 20922789888000;
    c = c * z - 1.0 / 87178291200;
    c = c * z + 1.0 / 479001600;
    c = c * z - 1.0 / 3628800;
    c = c * z + 1.0 / 40320;
    c = c * z - 1.0 / 720;
    c = c * z + 1.0 / 24;
    c = c * z - 0.5;
    c = 1.0 + z * c;
    // odd quarters swap the two; the signs are those of the second bit of k and of k + 1
    LyBits quarter = ly_bits(shifted);
    LyReal odd = ly_from_bits((quarter & 1) + INT64_C(0x4330000000000000)) - 0x1p52;
    LyMask swap = ly_greater(odd, ly_set(0.5));
    LyBits sine_sign = ly_shift_left(quarter >> 1 & 1, 63);
    LyBits cosine_sign = ly_shift_left((quarter + 1) >> 1 & 1, 63);
    *sine = ly_from_bits(ly_bits(ly_select(swap, c, s)) ^ sine_sign);
    *cosine = ly_from_bits(ly_bits(ly_select(swap, s, c)) ^ cosine_sign);
}

#endif
