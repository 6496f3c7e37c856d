// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Shortest decimal that reads back to the same double [Giulietti20].
//
// A double v = c 2^q is what every real of its rounding interval reads as: from half way to the
// number below to half way to the number above, ends included where c is even. In units of 2^q / 4
// these are cl = 4 c - 2 (or 4 c - 1 where c = 2^52, because numbers below lie twice as dense),
// cb = 4 c and cr = 4 c + 2. Let k be the greatest integer with 10^k <= width of the interval. Then
// multiples of 10^k inside are at least one and at most ten, and of 10^(k+1) at most one: if there
// is one, it has fewer digits than all others; otherwise the closest multiple of 10^k is the
// answer.
//
// So cl, cb and cr are scaled to units of 10^k / 4: x = c. 2^q 10^-k, and compared with multiples
// of 4 and 40. For that x may be replaced by its integer part with the last bit set where something
// was cut off (round to odd). 10^-k 2^s is taken from the table as g, up to one unit too large; the
// product then exceeds the exact one by at most cp 2^-128, with cp < 2^60 the shifted c.; and
// tools/generate_number_table.py --verify shows that no exact x lies closer than 2^-67 to an
// integer without being one. So the integer part is right, and something was cut off exactly if the
// rest of the product exceeds cp.

#include "base/number.h"

#include "base/number_table.h"

#include <stdbool.h>
#include <string.h>

typedef unsigned __int128 uint128;

typedef struct Decimal {
    uint64_t digits;
    int32_t exponent; // the number is digits 10^exponent
} Decimal;

// Integer part of cp g 2^-128, its last bit set where something was cut off.
static inline uint64_t round_to_odd(uint64_t g_high, uint64_t g_low, uint64_t cp)
{
    uint128 low = (uint128)g_low * cp;
    uint128 high = (uint128)g_high * cp + (uint64_t)(low >> 64);
    bool cut = (uint64_t)high != 0 || (uint64_t)low > cp;
    return (uint64_t)(high >> 64) | cut;
}

// `fraction`, `biased`: the fields of a finite positive double.
static Decimal shortest(uint64_t fraction, int32_t biased)
{
    uint64_t c = biased ? fraction | UINT64_C(1) << 52 : fraction;
    int32_t q = (biased ? biased : 1) - 1075;
    if (q <= 0 && q > -53 && (c & ((UINT64_C(1) << -q) - 1)) == 0) {
        // integers below 2^53 are their own shortest form, but for zeros at the end
        return (Decimal){c >> -q, 0};
    }
    bool odd = c & 1;
    bool closer_below = fraction == 0 && biased > 1;

    // floor(log10(2^q)), or of 3/4 2^q, and floor(log2(10^-k)): exact in the range of doubles
    int32_t k = (q * 1262611 - (closer_below ? 524031 : 0)) >> 22;
    int32_t shift = q + ((-k * 1741647) >> 19) + 1;
    const uint64_t *power = ly_power_table[-k - LY_POWER_FIRST];
    // the table is cut except between -27 and -1; the low word is never all ones
    uint64_t g_low = power[1] + !(-k >= -27 && -k < 0);
    uint64_t below = round_to_odd(power[0], g_low, (4 * c - 2 + closer_below) << shift);
    uint64_t value = round_to_odd(power[0], g_low, (4 * c) << shift);
    uint64_t above = round_to_odd(power[0], g_low, (4 * c + 2) << shift);
    // the ends belong to the interval of an even c only
    below += odd;
    above -= odd;

    uint64_t s = value / 4;
    if (s >= 10) {
        uint64_t tens = s / 10;
        bool down_inside = below <= 40 * tens;
        bool up_inside = 40 * tens + 40 <= above;
        if (down_inside != up_inside) {
            return (Decimal){tens + up_inside, k + 1};
        }
    }
    bool down_inside = below <= 4 * s;
    bool up_inside = 4 * s + 4 <= above;
    if (down_inside != up_inside) {
        return (Decimal){s + up_inside, k};
    }
    // both or neither: the closer one, the even one of two that are equally close
    uint64_t middle = 4 * s + 2;
    bool up = value > middle || (value == middle && (s & 1));
    return (Decimal){s + up, k};
}

static const char digit_pairs[] = "0001020304050607080910111213141516171819"
                                  "2021222324252627282930313233343536373839"
                                  "4041424344454647484950515253545556575859"
                                  "6061626364656667686970717273747576777879"
                                  "8081828384858687888990919293949596979899";

// Writes `value` so that it ends in front of `end`; returns its first character.
static char *write_backwards(char *end, uint64_t value)
{
    while (value >= 100) {
        end -= 2;
        memcpy(end, digit_pairs + 2 * (value % 100), 2);
        value /= 100;
    }
    if (value >= 10) {
        end -= 2;
        memcpy(end, digit_pairs + 2 * value, 2);
    } else {
        *--end = (char)('0' + value);
    }
    return end;
}

// Writes digits 10^exponent, digits > 0 without a zero at the end, in its shorter form.
static char *write_decimal(char *out, Decimal decimal)
{
    char text[20];
    char *text_end = text + sizeof text;
    char *digits = write_backwards(text_end, decimal.digits);
    int32_t count = (int32_t)(text_end - digits);
    int32_t point = count + decimal.exponent; // digits in front of the point

    // lengths: 12300, 12.3 or 0.00123 against 1.23e-3
    int32_t plain = point >= count ? point : point > 0 ? count + 1 : count + 2 - point;
    int32_t power = point - 1;
    int32_t magnitude = power < 0 ? -power : power;
    int32_t power_length = (power < 0) + (magnitude >= 100 ? 3 : magnitude >= 10 ? 2 : 1);
    int32_t scientific = count + (count > 1) + 1 + power_length;

    if (plain - scientific >= 3) {
        *out++ = *digits++;
        if (count > 1) {
            *out++ = '.';
            memcpy(out, digits, (size_t)count - 1);
            out += count - 1;
        }
        *out++ = 'e';
        if (power < 0) {
            *out++ = '-';
        }
        char *power_text = write_backwards(text_end, (uint64_t)magnitude);
        memcpy(out, power_text, (size_t)(text_end - power_text));
        return out + (text_end - power_text);
    }
    if (point <= 0) {
        memcpy(out, "0.00000", 7);
        out += 2 - point;
        memcpy(out, digits, (size_t)count);
        return out + count;
    }
    if (point >= count) {
        memcpy(out, digits, (size_t)count);
        memset(out + count, '0', (size_t)(point - count));
        return out + point;
    }
    memcpy(out, digits, (size_t)point);
    out[point] = '.';
    memcpy(out + point + 1, digits + point, (size_t)(count - point));
    return out + count + 1;
}

size_t ly_format_double(char buffer[LY_DOUBLE_CHARS], double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    int32_t biased = (int32_t)(bits >> 52 & 0x7ff);
    char *out = buffer;
    if (biased == 0x7ff && fraction) {
        memcpy(out, "nan", 4);
        return 3;
    }
    if (bits >> 63) {
        *out++ = '-';
    }
    if (biased == 0x7ff) {
        memcpy(out, "inf", 3);
        out += 3;
    } else if (biased == 0 && fraction == 0) {
        *out++ = '0';
    } else {
        Decimal decimal = shortest(fraction, biased);
        while (decimal.digits % 10 == 0) {
            decimal.digits /= 10;
            decimal.exponent += 1;
        }
        out = write_decimal(out, decimal);
    }
    *out = '\0';
    return (size_t)(out - buffer);
}

size_t ly_format_int64(char buffer[LY_INT_CHARS], int64_t value)
{
    char text[LY_INT_CHARS];
    char *end = text + sizeof text;
    char *begin = write_backwards(end, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
    if (value < 0) {
        *--begin = '-';
    }
    memcpy(buffer, begin, (size_t)(end - begin));
    buffer[end - begin] = '\0';
    return (size_t)(end - begin);
}
