// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Numbers as text. Nothing here looks at the process locale or at the rounding mode: the same text
// gives the same bits everywhere, and the same bits the same text.

#ifndef LY_BASE_NUMBER_H
#define LY_BASE_NUMBER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// ---- reading ------------------------------------------------------------------------------------

/// Reads the longest decimal number at the start of [text, end):
///     [+-] (digits [. digits*] | . digits) [(e|E) [+-] digits]
/// rounded to nearest, ties to even, like strtod in the C locale: too large gives an infinity, too
/// small a denormal or a zero of the right sign. Also reads "inf", "infinity" and "nan" in any case
/// with an optional sign, so that callers can refuse them by isfinite(). No blanks in front; no hex
/// ("0x10" is the number 0 followed by "x10"); no "nan(...)" (the bracket is what follows). Returns
/// where the number ends, or NULL, with `value` untouched, if none starts here. Never looks at
/// `end` or beyond.
const char *ly_parse_double(const char *text, const char *end, double *value);

/// Reads [+-] digits at the start of [text, end). Returns where they end, or NULL, with `value`
/// untouched, if there is no digit or the number does not fit.
const char *ly_parse_int64(const char *text, const char *end, int64_t *value);
const char *ly_parse_int32(const char *text, const char *end, int32_t *value);

// ---- eight digits at once -----------------------------------------------------------------------

/// Eight bytes of text, each less '0' (by exclusive or), the first in the lowest byte.
static inline uint64_t ly_eight_load(const char *text)
{
    uint64_t word;
    memcpy(&word, text, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word ^ 0x3030303030303030u;
}

/// Zero if all eight bytes are digits; otherwise the lowest bit set is the top bit of the first
/// byte that is none (bytes above it may be wrong, because sums carry).
static inline uint64_t ly_eight_non_digits(uint64_t eight)
{
    return ((eight + 0x7676767676767676u) | eight) & 0x8080808080808080u;
}

/// Value of eight digits: pairs, then fours, then all. For fewer, shift the word left by whole
/// bytes so that zeros lead.
static inline uint32_t ly_eight_value(uint64_t eight)
{
    // the top byte of each product is no sum of two digits, and is not used
    eight = eight * 10 + (eight >> 8);
    const uint64_t mask = 0x000000ff000000ffu;
    uint64_t even = (eight & mask) * (100 + (UINT64_C(1000000) << 32));
    uint64_t odd = ((eight >> 16) & mask) * (1 + (UINT64_C(10000) << 32));
    return (uint32_t)((even + odd) >> 32);
}

// ---- printing -----------------------------------------------------------------------------------

/// Enough for any double, zero byte included.
#define LY_DOUBLE_CHARS 32

/// Enough for any 64-bit integer, zero byte included.
#define LY_INT_CHARS 24

/// Writes the shortest decimal that reads back to the same bits, the closest one to `value` among
/// several, with a zero byte after it, and returns its length. Plain form ("0.25", "-1500", "3": no
/// point after integers), or exponent form ("1e-7", "6.02e23") where that saves three characters or
/// more. Also "-0", "inf", "-inf" and "nan".
size_t ly_format_double(char buffer[LY_DOUBLE_CHARS], double value);

/// Writes `value` with a zero byte after it and returns its length.
size_t ly_format_int64(char buffer[LY_INT_CHARS], int64_t value);

#endif
