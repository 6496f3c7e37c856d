// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "base/number.h"
#include "lyra_test.h"

#include <fenv.h>
#include <stdlib.h>
#include <string.h>

// ---- helpers ------------------------------------------------------------------------------------

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Random finite double: any bit pattern, or a magnitude as files have it.
static double random_double(TestRandom *random)
{
    if (test_random_below(random, 4) == 0) {
        return test_random_in(random, -1000, 1000);
    }
    double value;
    do {
        value = from_bits(test_random_bits(random));
    } while (!isfinite(value));
    return value;
}

// Reads all of `text` from memory of just its size, so that sanitizers see a byte too far, and
// compares with strtod. Returns whether they agree.
static bool agrees_with_strtod(const char *text)
{
    size_t length = strlen(text);
    char *copy = malloc(length ? length : 1);
    if (!copy) {
        return false;
    }
    memcpy(copy, text, length);
    char *expected_end = NULL;
    double expected = strtod(text, &expected_end);
    double found = -77;
    const char *end = ly_parse_double(copy, copy + length, &found);
    bool agrees = end && end - copy == expected_end - text && bits_of(found) == bits_of(expected);
    TEST_CHECK_MSG(agrees, "\"%.60s\" (%zu bytes): found %a to byte %td, strtod gives %a to %td",
                   text, length, found, end ? end - copy : -1, expected, expected_end - text);
    free(copy);
    return agrees;
}

// ---- reading ------------------------------------------------------------------------------------

LYRA_TEST(parse_agrees_with_strtod_on_random_digits)
{
    TestRandom random = test_random(1);
    for (int32_t i = 0; i < 600000; ++i) {
        char text[512];
        int32_t digits = i % 25;
        double value = random_double(&random);
        if (i % 3 == 0 && fabs(value) < 1e30 && fabs(value) > 1e-30) {
            snprintf(text, sizeof text, "%.*f", digits, value);
        } else {
            snprintf(text, sizeof text, "%.*e", digits, value);
        }
        if (!agrees_with_strtod(text)) {
            return;
        }
    }
}

LYRA_TEST(parse_agrees_with_strtod_on_random_texts)
{
    // digits, points, signs and exponents in any order
    static const char alphabet[] = "0123456789012345678900000999.eE+-";
    TestRandom random = test_random(2);
    for (int32_t i = 0; i < 400000; ++i) {
        char text[64];
        int32_t length = 1 + test_random_below(&random, 30);
        for (int32_t k = 0; k < length; ++k) {
            text[k] = alphabet[test_random_below(&random, (int32_t)sizeof alphabet - 1)];
        }
        text[length] = '\0';
        char *end = NULL;
        strtod(text, &end);
        double value = -77;
        if (end == text) {
            TEST_CHECK_MSG(!ly_parse_double(text, text + length, &value), "%s", text);
            TEST_CHECK(value == -77);
        } else if (!agrees_with_strtod(text)) {
            return;
        }
    }
}

// The middle between `value` >= 0 and the next double, printed exactly, is rounded to even; a digit
// more or less behind its last decides otherwise.
static bool middle_is_rounded(double value)
{
    static char text[1300];
    double next = from_bits(bits_of(value) + 1);
    // by two steps that are exact in long double, where that has 64 bits or more
    long double middle = (long double)value + ((long double)next - (long double)value) / 2;
    if (!(middle > value) || !(middle < next)) {
        return true;
    }
    snprintf(text, 1200, "%.1100Lf", middle);
    size_t length = strlen(text);
    while (text[length - 1] == '0') {
        text[--length] = '\0';
    }
    bool agrees = agrees_with_strtod(text);
    if (text[length - 1] != '.') {
        // just below, with nines behind
        char last = text[length - 1];
        text[length - 1] = (char)(last - 1);
        memcpy(text + length, "9999999999", 11);
        agrees = agrees && agrees_with_strtod(text);
        text[length - 1] = last;
        text[length] = '\0';
    }
    // just above, far behind
    memcpy(text + length, "00000000000000000000000000000000000000000000000000000001", 57);
    return agrees && agrees_with_strtod(text);
}

LYRA_TEST(parse_rounds_ties_to_even)
{
    TestRandom random = test_random(3);
    for (int32_t i = 0; i < 3000; ++i) {
        uint64_t exponent = 1023 - 400 + (uint64_t)test_random_below(&random, 430);
        uint64_t fraction = test_random_bits(&random) >> 12;
        if (!middle_is_rounded(from_bits(exponent << 52 | fraction))) {
            return;
        }
    }
    // denormals and the numbers around the least normal one: middles with up to 767 digits
    for (int32_t i = 0; i < 300; ++i) {
        uint64_t bits = i < 100 ? (uint64_t)i : test_random_bits(&random) >> (12 + i % 50);
        if (!middle_is_rounded(from_bits(bits)) ||
            !middle_is_rounded(from_bits((UINT64_C(1) << 52) - 50 + (uint64_t)(i % 100)))) {
            return;
        }
    }
    static const char *const ties[] = {
        "9007199254740993",
        "9007199254740995",
        "9007199254740993.0000000000000000000000000000000000000000000000000000000",
        "9007199254740993.0000000000000000000000000000000000000000000000000000001",
        "9007199254740992.9999999999999999999999999999999999999999999999999999999",
        "900719925474099300000000000000000000000e-23",
        "4503599627370496.5",
        "4503599627370497.5",
        "1e23",
        "8.5e22",
        "9.5367431640625e-7",
        "0.500000000000000166533453693773481063544750213623046875",
        "3.518437208883201171875e13",
        "7205759403792793199999e-5",
        "10141204801825834086073718800384e0",
        "10141204801825835211973625643008",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126",
    };
    for (size_t i = 0; i < sizeof ties / sizeof *ties; ++i) {
        agrees_with_strtod(ties[i]);
    }
}

LYRA_TEST(parse_meets_the_limits)
{
    static const char *const texts[] = {
        "0",
        "-0",
        "+0",
        "0.0",
        ".0",
        "0.",
        "-.0e5",
        "0e999999999999",
        "00000000000000000000000000000000000000000000000000001",
        "0.00000000000000000000000000000000000000000000000000000000000000000000001",
        "000000000000000000000000000000123456789012345678901234567890.5",
        "0.000000000000000000000000000000000000000012345678901234567890123456789",
        "1e308",
        "1e309",
        "-1e309",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1.797693134862315807e308",
        "1.797693134862315808e308",
        "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017"
        "977"
        "587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854"
        "845"
        "817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711"
        "559"
        "699508093042880177904174497791",
        "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017"
        "977"
        "587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854"
        "845"
        "817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711"
        "559"
        "699508093042880177904174497792",
        "2.2250738585072014e-308",
        "2.2250738585072011e-308",
        "2.225073858507201136057409796709131975934819546351645648023426109724822222021e-308",
        "4.9406564584124654e-324",
        "4.9e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.47032822920623272088284396434110686182e-324",
        "2.47032822920623272088284396434110686183e-324",
        "1e-323",
        "1e-324",
        "9999999999999999999e-343",
        "18446744073709551615e-344",
        "1e-400",
        "1e-99999999999999999999999999",
        "1e99999999999999999999999999",
        "-1e+00000000000000000000000000000000000000000000000000000000000012",
        "18446744073709551615",
        "18446744073709551616",
        "9999999999999999999",
        "99999999999999999999",
        "12345678901234567890123456789012345678901234567890e-50",
        "1.",
        "1.e5",
        ".5e-1",
        "5e",
        "5e+",
        "5e-x",
        "5ee",
        "5.5.5",
        "1-2",
        "1,5",
        "12345678",
        "123456789",
        "0.12345678",
        "0.1234567812345678",
        "0.1234567:",
        "0.123456/8",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        agrees_with_strtod(texts[i]);
    }
}

LYRA_TEST(parse_takes_long_inputs)
{
    static char text[1 << 20];
    // 800 random digits, the point anywhere
    TestRandom random = test_random(4);
    for (int32_t i = 0; i < 2000; ++i) {
        int32_t length = 700 + test_random_below(&random, 400);
        int32_t point = test_random_below(&random, length);
        for (int32_t k = 0; k < length; ++k) {
            text[k] = (char)(k == point ? '.' : '0' + test_random_below(&random, 10));
        }
        snprintf(text + length, 16, "e%d", test_random_below(&random, 1800) - 1300);
        if (!agrees_with_strtod(text)) {
            return;
        }
    }
    // many zeros made up for by the exponent, and not
    memset(text, '0', 100000);
    memcpy(text, "1", 1);
    memcpy(text + 100000, "e-99999", 8);
    agrees_with_strtod(text);
    memcpy(text, "0.", 2);
    memcpy(text + 100000, "25e100001", 10);
    agrees_with_strtod(text);
    memcpy(text + 100000, "25e99999", 9);
    agrees_with_strtod(text);
    // a tie with the deciding digit 100,000 places behind
    memset(text, '0', 100000);
    memcpy(text, "9007199254740993.", 17);
    memcpy(text + 100000, "1", 2);
    agrees_with_strtod(text);
    memcpy(text + 100000, "0", 2);
    agrees_with_strtod(text);
}

LYRA_TEST(parse_reads_names_and_refuses_the_rest)
{
    double value = -77;
    static const char *const none[] = {"",   "+",  "-",   ".",   "-.", "e5", ".e5", "in", "na",
                                       "x1", " 1", "--1", "+-1", "\n", "i",  "INX", "-e"};
    for (size_t i = 0; i < sizeof none / sizeof *none; ++i) {
        TEST_CHECK_MSG(!ly_parse_double(none[i], none[i] + strlen(none[i]), &value), "%s", none[i]);
        TEST_CHECK(value == -77);
    }
    static const char *const names[] = {"inf",       "-inf", "+INF", "Infinity", "-iNFINITy",
                                        "infinitly", "nan",  "-NaN", "infx",     "nano"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        char *expected_end = NULL;
        double expected = strtod(names[i], &expected_end);
        const char *end = ly_parse_double(names[i], names[i] + strlen(names[i]), &value);
        TEST_CHECK_MSG(end == expected_end, "%s", names[i]);
        TEST_CHECK(isnan(expected) ? isnan(value) : value == expected);
    }
    const char *text = "0x1p4";
    TEST_CHECK(ly_parse_double(text, text + 5, &value) == text + 1 && value == 0);
    text = "nan(12)";
    TEST_CHECK(ly_parse_double(text, text + 7, &value) == text + 3 && isnan(value));
    // the end is respected, whatever stands behind
    text = "1234567890.123456789e12";
    for (size_t length = 0; length <= strlen(text); ++length) {
        char copy[32];
        memcpy(copy, text, length);
        copy[length] = '\0';
        if (length > 0) {
            agrees_with_strtod(copy);
        }
    }
}

LYRA_TEST(numbers_ignore_the_locale)
{
    if (!test_comma_locale()) {
        TEST_SKIP("no locale with a decimal comma");
    }
    TEST_CHECK(strtod("0,5", NULL) == 0.5);
    double value = 0;
    const char *text = "-1.25e2;";
    TEST_CHECK(ly_parse_double(text, text + 8, &value) == text + 7 && value == -125);
    text = "1,5";
    TEST_CHECK(ly_parse_double(text, text + 3, &value) == text + 1 && value == 1);
    char buffer[LY_DOUBLE_CHARS];
    ly_format_double(buffer, 1234567.5);
    TEST_STRING(buffer, "1234567.5");
}

LYRA_TEST(numbers_ignore_the_rounding_mode)
{
#ifdef FE_UPWARD
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    static const char *const texts[] = {"0.1", "1e23", "123456.789", "3.3e-320", "1e-22"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        const char *end = texts[i] + strlen(texts[i]);
        double expected = strtod(texts[i], NULL);
        for (int32_t m = 0; m < 3; ++m) {
            double value = 0;
            char buffer[LY_DOUBLE_CHARS];
            fesetround(modes[m]);
            ly_parse_double(texts[i], end, &value);
            ly_format_double(buffer, value);
            fesetround(FE_TONEAREST);
            TEST_CHECK(bits_of(value) == bits_of(expected));
            TEST_CHECK(bits_of(strtod(buffer, NULL)) == bits_of(expected));
        }
    }
#endif
}

LYRA_TEST(parse_integers_to_their_limits)
{
    static const struct {
        const char *text;
        int32_t length; // of the number; 0: none
        int64_t value;
    } cases[] = {
        {"0", 1, 0},
        {"-0", 2, 0},
        {"+7", 2, 7},
        {"12x", 2, 12},
        {"1.5", 1, 1},
        {"000000000000000000000000012", 27, 12},
        {"9223372036854775807", 19, INT64_MAX},
        {"-9223372036854775808", 20, INT64_MIN},
        {"9223372036854775808", 0, 0},
        {"-9223372036854775809", 0, 0},
        {"99999999999999999999", 0, 0},
        {"92233720368547758070", 0, 0},
        {"", 0, 0},
        {"-", 0, 0},
        {"x", 0, 0},
        {" 1", 0, 0},
        {"+-1", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const char *text = cases[i].text;
        int64_t value = -77;
        const char *end = ly_parse_int64(text, text + strlen(text), &value);
        TEST_CHECK_MSG(end == (cases[i].length ? text + cases[i].length : NULL), "%s", text);
        TEST_EQUAL(value, cases[i].length ? cases[i].value : -77);
    }
    int32_t value = -77;
    const char *text = "2147483647";
    TEST_CHECK(ly_parse_int32(text, text + 10, &value) && value == INT32_MAX);
    text = "-2147483648";
    TEST_CHECK(ly_parse_int32(text, text + 11, &value) && value == INT32_MIN);
    text = "2147483648";
    TEST_CHECK(!ly_parse_int32(text, text + 10, &value) && value == INT32_MIN);
    text = "-2147483649";
    TEST_CHECK(!ly_parse_int32(text, text + 11, &value));
    // the end is respected
    text = "123";
    TEST_CHECK(ly_parse_int32(text, text + 2, &value) == text + 2 && value == 12);
    TEST_CHECK(!ly_parse_int32(text, text, &value));
}

// ---- printing -----------------------------------------------------------------------------------

// Digits of the mantissa in a printed number, without zeros at its ends.
static int32_t digit_count(const char *text)
{
    int32_t count = 0, zeros = 0;
    for (; *text && *text != 'e'; ++text) {
        if (*text == '0') {
            zeros += count > 0;
        } else if (*text > '0' && *text <= '9') {
            count += zeros + 1;
            zeros = 0;
        }
    }
    return count;
}

// Reads back to the same bits; no shorter text does; no text of this length is closer.
static bool is_shortest(double value)
{
    char text[LY_DOUBLE_CHARS], other[64], closest[64] = "";
    size_t length = ly_format_double(text, value);
    double back = 0;
    const char *end = ly_parse_double(text, text + length, &back);
    bool same = strlen(text) == length && length < LY_DOUBLE_CHARS && end == text + length &&
                bits_of(back) == bits_of(value) && bits_of(strtod(text, NULL)) == bits_of(value);
    // %e rounds correctly, so if n digits can do it, those of %e do; but where numbers below lie
    // closer than above, n digits further above may serve when %e's, below, don't
    int32_t least = 0;
    for (int32_t n = 1; n <= 17 && !least; ++n) {
        snprintf(other, sizeof other, "%.*e", n - 1, value);
        if (strtod(other, NULL) == value) {
            least = n;
            memcpy(closest, other, sizeof closest);
        }
    }
    int32_t count = digit_count(text);
    bool short_enough = value == 0 || count <= least;
    // where %e serves with as many digits, it is the closest, and ours is the same decimal
    if (count == digit_count(closest) && value != 0) {
        long double a = strtold(text, NULL), b = strtold(closest, NULL);
        short_enough = short_enough && fabsl(a - value) <= fabsl(b - value);
    }
    return TEST_CHECK_MSG(same && short_enough, "%a gives \"%s\", %%e gives \"%s\"", value, text,
                          closest);
}

LYRA_TEST(format_is_shortest_and_reads_back)
{
    TestRandom random = test_random(5);
    for (int32_t i = 0; i < 150000; ++i) {
        if (!is_shortest(random_double(&random))) {
            return;
        }
    }
    // few digits and few bits
    for (int32_t i = 0; i < 50000; ++i) {
        char text[64];
        snprintf(text, sizeof text, "%d.%de%d", test_random_below(&random, 1000),
                 test_random_below(&random, 10000), test_random_below(&random, 600) - 300);
        uint64_t bits = test_random_bits(&random) & ~UINT64_C(0) << test_random_below(&random, 52);
        double value = from_bits(bits);
        if (!is_shortest(strtod(text, NULL)) || (isfinite(value) && !is_shortest(value))) {
            return;
        }
    }
}

LYRA_TEST(format_is_shortest_at_the_limits)
{
    for (int32_t exponent = -1074; exponent <= 1023; ++exponent) {
        uint64_t bits = bits_of(ldexp(1, exponent));
        for (int32_t step = -3; step <= 3; ++step) {
            double value = from_bits(bits + (uint64_t)(int64_t)step);
            if (value > 0 && isfinite(value) && (!is_shortest(value) || !is_shortest(-value))) {
                return;
            }
        }
    }
    for (int32_t exponent = -323; exponent <= 308; ++exponent) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", exponent);
        uint64_t bits = bits_of(strtod(text, NULL));
        for (int32_t step = -2; step <= 2; ++step) {
            if (!is_shortest(from_bits(bits + (uint64_t)(int64_t)step))) {
                return;
            }
        }
    }
    for (uint64_t bits = 0; bits < 2000; ++bits) {
        if (!is_shortest(from_bits(bits)) ||
            !is_shortest(from_bits((UINT64_C(1) << 53) - 1000 + bits)) ||
            !is_shortest(9007199254740992.0 - 1000 + (double)bits) ||
            !is_shortest(from_bits(bits_of(1.7976931348623157e308) - bits))) {
            return;
        }
    }
}

LYRA_TEST(format_takes_the_documented_form)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {-1, "-1"},
        {10, "10"},
        {-1500, "-1500"},
        {10000, "10000"},
        {100000, "1e5"},
        {120000, "120000"},
        {1e21, "1e21"},
        {1e22, "1e22"},
        {1e23, "1e23"},
        {6.02214076e23, "6.02214076e23"},
        {123456789012345680.0, "123456789012345680"},
        {0.1, "0.1"},
        {0.25, "0.25"},
        {0.001, "0.001"},
        {0.0001, "0.0001"},
        {0.00001, "1e-5"},
        {0.0000123, "0.0000123"},
        {0.000001234, "1.234e-6"},
        {1.0 / 3, "0.3333333333333333"},
        {2.0 / 3, "0.6666666666666666"},
        {100.0 / 3, "33.333333333333336"},
        {9007199254740992.0, "9007199254740992"},
        {9007199254740993.0, "9007199254740992"},
        {5e-324, "5e-324"},
        {2.2250738585072014e-308, "2.2250738585072014e-308"},
        {-1.7976931348623157e308, "-1.7976931348623157e308"},
        {9.5367431640625e-7, "9.5367431640625e-7"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
        {NAN, "nan"},
        {-NAN, "nan"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[LY_DOUBLE_CHARS];
        TEST_EQUAL(ly_format_double(text, cases[i].value), strlen(cases[i].text));
        TEST_STRING(text, cases[i].text);
    }
}

LYRA_TEST(format_integers)
{
    static const int64_t values[] = {0,   1,    -1,         9,         10,        -10,
                                     99,  100,  12345,      INT32_MIN, INT32_MAX, INT64_MAX,
                                     999, 1000, 1000000007, INT64_MIN};
    for (size_t i = 0; i < sizeof values / sizeof *values; ++i) {
        char text[LY_INT_CHARS], expected[LY_INT_CHARS];
        snprintf(expected, sizeof expected, "%lld", (long long)values[i]);
        TEST_EQUAL(ly_format_int64(text, values[i]), strlen(expected));
        TEST_STRING(text, expected);
        int64_t back = 0;
        TEST_CHECK(ly_parse_int64(text, text + strlen(text), &back) && back == values[i]);
    }
}
