// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Many millions of random numbers, read and printed against the C library.

#include "base/number.h"
#include "lyra_test.h"

#include <stdlib.h>
#include <string.h>

#define SWEEP_COUNT 20000000

// Value of `text` by both; whether they agree to the bit.
static bool agrees(const char *text, size_t length)
{
    double expected = strtod(text, NULL), found = 0;
    const char *end = ly_parse_double(text, text + length, &found);
    return TEST_CHECK_MSG(end == text + length && memcmp(&found, &expected, sizeof found) == 0,
                          "\"%s\": found %a, strtod gives %a", text, found, expected);
}

LYRA_TEST(sweep_of_digits_agrees_with_strtod)
{
    TestRandom random = test_random(11);
    for (int32_t i = 0; i < SWEEP_COUNT; ++i) {
        // 1 to 25 digits, any exponent
        char text[64];
        int32_t count = 1 + i % 25;
        for (int32_t k = 0; k < count; ++k) {
            text[k] = (char)('0' + test_random_below(&random, 10));
        }
        int32_t exponent = test_random_below(&random, 680) - 350 - count / 2;
        int32_t length = count + snprintf(text + count, sizeof text - 25, "e%d", exponent);
        if (!agrees(text, (size_t)length)) {
            return;
        }
    }
}

LYRA_TEST(sweep_of_bits_prints_shortest)
{
    TestRandom random = test_random(12);
    for (int32_t i = 0; i < SWEEP_COUNT; ++i) {
        uint64_t bits = test_random_bits(&random);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        char text[LY_DOUBLE_CHARS], digits[64];
        size_t length = ly_format_double(text, value);
        double back = strtod(text, NULL);
        bool same = memcmp(&back, &value, sizeof back) == 0 && agrees(text, length);
        // one digit less, rounded, must not do; zeros at the ends don't count
        int32_t count = 0, zeros = 0;
        for (const char *p = text; *p && *p != 'e'; ++p) {
            zeros += *p == '0' && count > 0;
            if (*p > '0' && *p <= '9') {
                count += 1 + zeros;
                zeros = 0;
            }
        }
        snprintf(digits, sizeof digits, "%.*e", count > 1 ? count - 2 : 0, value);
        bool shortest = count < 2 || strtod(digits, NULL) != value;
        if (!TEST_CHECK_MSG(same && shortest, "%a gives %s", value, text)) {
            return;
        }
    }
}
