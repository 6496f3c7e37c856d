// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Decimal text to the nearest double [Lemire21, ML23].
//
// The digits give w 10^q with a 64-bit integer w. Let T(q) be 10^q scaled into [2^127, 2^128), from
// the table, and w' = w shifted left until its top bit is set. The upper 64 bits of the 192-bit
// product w' T(q) hold the 53 bits of the result, one bit for rounding and at least 9 bits more.
// One multiplication, w' times the upper half of T, leaves an error below one unit of the last of
// these 9 bits: it can matter only where all nine are ones, and then the lower half of T is taken
// in too. tools/generate_number_table.py --verify proves that the bits above the nine are then
// those of the exact product for every w and q. What is left are ties: w 10^q half way between two
// doubles needs 5^-q to divide w (q >= -4) or w 5^q to be an odd number of 54 bits times a power of
// two (q <= 23), and there T is exact or rounded up, so that the product shows zeros below the
// rounding bit.
//
// More than 19 digits: cut to 19, the number lies between w 10^q and (w + 1) 10^q. Where both give
// one double, that is the answer; otherwise they give neighbours, and whole integers decide on
// which side of the middle between them the number lies.

#include "base/number.h"

#include "base/number_table.h"

#include <stdbool.h>
#include <string.h>

typedef unsigned __int128 uint128;

#define DIGITS_MAX 19 // always fit into 64 bits
#define INFINITE_BITS 0x7ff0000000000000u
#define SIGN_BIT 0x8000000000000000u

// Kept out of the way of the common case, which needs few registers then.
#define COLD __attribute__((noinline, cold))

// ---- digits ------------------------------------------------------------------------------------

static inline bool is_digit(char c)
{
    return (uint8_t)(c - '0') < 10;
}

// Appends the digits at `text` to `mantissa`, modulo 2^64, and returns where they end.
static inline const char *read_digits(const char *text, const char *end, uint64_t *mantissa)
{
    static const uint32_t powers[9] = {1,      10,      100,      1000,     10000,
                                       100000, 1000000, 10000000, 100000000};
    uint64_t sum = *mantissa;
    while (end - text >= 8) {
        uint64_t word = ly_eight_load(text);
        uint64_t others = ly_eight_non_digits(word);
        if (others) {
            // the digits in front, moved up so that zeros lead; by two shifts, as 64 is too many
            uint32_t count = (uint32_t)__builtin_ctzll(others) >> 3;
            word = word << 8 << (56 - 8 * count);
            *mantissa = sum * powers[count] + ly_eight_value(word);
            return text + count;
        }
        sum = sum * 100000000 + ly_eight_value(word);
        text += 8;
    }
    for (; text < end && is_digit(*text); ++text) {
        sum = sum * 10 + (uint64_t)(*text - '0');
    }
    *mantissa = sum;
    return text;
}

// ---- w 10^q to the nearest double ---------------------------------------------------------------

static inline double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Bits of the double nearest to w 10^q, for any w and q.
static inline uint64_t nearest(uint64_t w, int64_t q)
{
    // w < 2^64 < 10^20: below 10^-343 the result is under half of the least denormal
    if (w == 0 || q < LY_POWER_FIRST) {
        return 0;
    }
    if (q > 308) {
        return INFINITE_BITS;
    }
    int32_t zeros = __builtin_clzll(w);
    w <<= zeros;
    const uint64_t *power = ly_power_table[q - LY_POWER_FIRST];
    uint128 product = (uint128)w * power[0];
    if ((product >> 64 & 0x1ff) == 0x1ff) {
        product += (uint128)w * power[1] >> 64;
    }
    uint64_t upper = (uint64_t)(product >> 64), lower = (uint64_t)product;

    // 54 bits: the mantissa and the bit for rounding
    int32_t top = (int32_t)(upper >> 63);
    uint64_t mantissa = upper >> (top + 9);
    // biased exponent; 217706 / 2^16 is log2(10), exact after the cut for all q of the table
    int32_t exponent = (int32_t)((217706 * q) >> 16) + 1023 + 63 + top - zeros;
    if (exponent <= 0) {
        // denormal, where no tie is possible; it may round up to the least normal number
        if (exponent <= -63) {
            return 0;
        }
        mantissa >>= 1 - exponent;
        return (mantissa + (mantissa & 1)) >> 1;
    }
    if (lower <= 1 && q >= -4 && q <= 23 && (mantissa & 3) == 1 && mantissa << (top + 9) == upper) {
        mantissa -= 1; // a tie, and the number below is even
    }
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    // the leading bit, and a carry out of the rounding, go into the exponent by the sum
    uint64_t bits = ((uint64_t)exponent << 52) + mantissa - (UINT64_C(1) << 52);
    return bits < INFINITE_BITS ? bits : INFINITE_BITS;
}

// ---- whole integers, for what 19 digits leave open ----------------------------------------------

#define BIG_DIGITS 800 // a middle between two doubles has at most 767 digits
#define BIG_WORDS 72   // 4608 bits; see compare_with_middle

typedef struct Big {
    int32_t count; // words in use, without leading zeros
    uint64_t words[BIG_WORDS];
} Big;

static void big_multiply_add(Big *big, uint64_t factor, uint64_t summand)
{
    uint64_t carry = summand;
    for (int32_t i = 0; i < big->count; ++i) {
        uint128 product = (uint128)big->words[i] * factor + carry;
        big->words[i] = (uint64_t)product;
        carry = (uint64_t)(product >> 64);
    }
    if (carry && big->count < BIG_WORDS) {
        big->words[big->count++] = carry;
    }
}

static void big_multiply_power_of_5(Big *big, int64_t exponent)
{
    const uint64_t five_27 = 7450580596923828125u;
    for (; exponent >= 27; exponent -= 27) {
        big_multiply_add(big, five_27, 0);
    }
    for (; exponent > 0; --exponent) {
        big_multiply_add(big, 5, 0);
    }
}

static void big_shift_left(Big *big, int64_t bits)
{
    int32_t whole = (int32_t)(bits / 64);
    if (big->count + whole > BIG_WORDS) {
        whole = BIG_WORDS - big->count; // not reached: see compare_with_middle
    }
    memmove(big->words + whole, big->words, (size_t)big->count * sizeof *big->words);
    memset(big->words, 0, (size_t)whole * sizeof *big->words);
    big->count += whole;
    big_multiply_add(big, UINT64_C(1) << (bits % 64), 0);
}

static int32_t big_compare(const Big *a, const Big *b)
{
    if (a->count != b->count) {
        return a->count < b->count ? -1 : 1;
    }
    for (int32_t i = a->count; i-- > 0;) {
        if (a->words[i] != b->words[i]) {
            return a->words[i] < b->words[i] ? -1 : 1;
        }
    }
    return 0;
}

// Digits of a number, sign, leading zeros and exponent taken away.
typedef struct Digits {
    const char *begin, *end; // with at most one point among them
    int64_t count;           // of digits, at least 1
    int64_t exponent;        // the number is the integer of all digits times 10^exponent
} Digits;

// Sign of (number - middle), where the middle lies between the double of `bits` and the next one.
//
// With D the integer of the digits and (2 m + 1) 2^p the middle: D 5^e 2^(e - p) against 2 m + 1,
// each power taken to the side where its exponent is positive. Both sides agree to 19 digits, so
// their sizes are alike; D has up to 2,661 bits, and where it is shifted up, by at most 1074 bits,
// the other side holds 5^-e with as many. 4608 bits are enough for all.
static int32_t compare_with_middle(Digits digits, uint64_t bits)
{
    Big number = {0}, middle = {0};
    int64_t count = 0, exponent = digits.exponent;
    bool more = false;
    uint64_t chunk = 0, scale = 1;
    for (const char *p = digits.begin; p < digits.end; ++p) {
        if (*p == '.') {
            continue;
        }
        if (count == BIG_DIGITS) {
            // what follows can only tell a tie from a number above it
            exponent += 1;
            more |= *p != '0';
            continue;
        }
        chunk = chunk * 10 + (uint64_t)(*p - '0');
        scale *= 10;
        ++count;
        if (count % DIGITS_MAX == 0) {
            big_multiply_add(&number, scale, chunk);
            chunk = 0;
            scale = 1;
        }
    }
    big_multiply_add(&number, scale, chunk);

    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    int64_t biased = (int64_t)(bits >> 52);
    uint64_t m = biased ? fraction | UINT64_C(1) << 52 : fraction;
    int64_t p = (biased ? biased : 1) - 1075 - 1;
    big_multiply_add(&middle, 1, 2 * m + 1);

    if (exponent >= 0) {
        big_multiply_power_of_5(&number, exponent);
    } else {
        big_multiply_power_of_5(&middle, -exponent);
    }
    int64_t shift = exponent - p;
    if (shift >= 0) {
        big_shift_left(&number, shift);
    } else {
        big_shift_left(&middle, -shift);
    }
    int32_t order = big_compare(&number, &middle);
    return order == 0 && more ? 1 : order;
}

// A number of more than 19 digits, in which zeros may lead.
static COLD uint64_t nearest_of_many(Digits digits)
{
    // leading zeros count for nothing, and a number may well fit then
    while (digits.begin < digits.end && (*digits.begin == '0' || *digits.begin == '.')) {
        digits.count -= *digits.begin == '0';
        ++digits.begin;
    }
    uint64_t w = 0;
    int64_t taken = 0;
    for (const char *p = digits.begin; p < digits.end && taken < DIGITS_MAX; ++p) {
        if (*p != '.') {
            w = w * 10 + (uint64_t)(*p - '0');
            ++taken;
        }
    }
    int64_t q = digits.exponent + (digits.count - taken);
    uint64_t below = nearest(w, q);
    if (taken == digits.count) {
        return below;
    }
    uint64_t above = nearest(w + 1, q);
    if (below == above) {
        return below;
    }
    // neighbours, because w has 19 digits
    int32_t order = compare_with_middle(digits, below);
    return order < 0 || (order == 0 && below % 2 == 0) ? below : above;
}

// ---- the grammar --------------------------------------------------------------------------------

// Whether `word`, in lower case, stands at `text` in any case.
static bool starts_with(const char *text, const char *end, const char *word)
{
    for (; *word; ++word, ++text) {
        if (text == end || (*text | 0x20) != *word) {
            return false;
        }
    }
    return true;
}

static COLD const char *parse_name(const char *text, const char *end, uint64_t sign, double *value)
{
    if (starts_with(text, end, "inf")) {
        *value = from_bits(sign | INFINITE_BITS);
        return text + (starts_with(text, end, "infinity") ? 8 : 3);
    }
    if (starts_with(text, end, "nan")) {
        *value = from_bits(sign | INFINITE_BITS | UINT64_C(1) << 51);
        return text + 3;
    }
    return NULL;
}

// Reads "e-12" at `text` if it is a whole exponent; returns where it ends, or `text`.
static COLD const char *parse_exponent(const char *text, const char *end, int64_t *exponent)
{
    const char *at = text + 1;
    bool negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    if (at == end || !is_digit(*at)) {
        return text;
    }
    int64_t sum = 0;
    for (; at < end && is_digit(*at); ++at) {
        // no text is long enough for its zeros to make up for such an exponent
        sum = sum < INT64_MAX / 100 ? sum * 10 + (*at - '0') : sum;
    }
    *exponent += negative ? -sum : sum;
    return at;
}

const char *ly_parse_double(const char *text, const char *end, double *value)
{
    if (text >= end) {
        return NULL;
    }
    uint64_t sign = *text == '-' ? SIGN_BIT : 0;
    const char *first = text + (*text == '-' || *text == '+');

    // digits before the point are few in most files, digits behind it many
    uint64_t mantissa = 0;
    const char *at = first;
    while (at < end && is_digit(*at)) {
        mantissa = mantissa * 10 + (uint64_t)(*at - '0');
        ++at;
    }
    int64_t count = at - first;
    int64_t exponent = 0;
    if (at < end && *at == '.') {
        const char *fraction = at + 1;
        at = read_digits(fraction, end, &mantissa);
        exponent = fraction - at;
        count -= exponent;
    }
    if (count == 0) {
        return parse_name(first, end, sign, value);
    }
    const char *digits_end = at;
    if (at < end && (*at | 0x20) == 'e') {
        at = parse_exponent(at, end, &exponent);
    }
    uint64_t bits = count <= DIGITS_MAX
                        ? nearest(mantissa, exponent)
                        : nearest_of_many((Digits){first, digits_end, count, exponent});
    *value = from_bits(sign | bits);
    return at;
}

// ---- integers -----------------------------------------------------------------------------------

const char *ly_parse_int64(const char *text, const char *end, int64_t *value)
{
    bool negative = text < end && *text == '-';
    const char *at = text + (text < end && (*text == '-' || *text == '+'));
    if (at >= end || !is_digit(*at)) {
        return NULL;
    }
    // summed below zero, which reaches one further
    int64_t sum = 0;
    for (; at < end && is_digit(*at); ++at) {
        if (__builtin_mul_overflow(sum, 10, &sum) || __builtin_sub_overflow(sum, *at - '0', &sum)) {
            return NULL;
        }
    }
    if (!negative && __builtin_sub_overflow(0, sum, &sum)) {
        return NULL;
    }
    *value = sum;
    return at;
}

const char *ly_parse_int32(const char *text, const char *end, int32_t *value)
{
    int64_t wide;
    const char *at = ly_parse_int64(text, end, &wide);
    if (!at || wide < INT32_MIN || wide > INT32_MAX) {
        return NULL;
    }
    *value = (int32_t)wide;
    return at;
}
