// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Any bytes as a number: reading agrees with strtod of the C locale, integers agree with the double
// of the same text, and printing reads back. The scanner gets the same bytes, to run off no end.

#include "base/number.h"
#include "base/scanner.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void require(bool holds)
{
    if (!holds) {
        __builtin_trap();
    }
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// What strtod takes and we don't: blanks in front, hex, and a bracket behind "nan".
static bool is_beyond_us(const char *text, const char *end)
{
    text += text < end && (*text == '+' || *text == '-');
    if (text == end || strchr(" \t\n\v\f\r", *text)) {
        return true;
    }
    if (end - text >= 2 && text[0] == '0' && (text[1] | 0x20) == 'x') {
        return true;
    }
    return end - text >= 4 && (text[0] | 0x20) == 'n' && text[3] == '(';
}

static void check_text(const char *text, size_t length)
{
    const char *end = text + length;
    double value = 0;
    const char *number_end = ly_parse_double(text, end, &value);
    if (!is_beyond_us(text, end)) {
        char *copy = malloc(length + 1);
        require(copy != NULL);
        memcpy(copy, text, length);
        copy[length] = '\0';
        char *expected_end = NULL;
        double expected = strtod(copy, &expected_end);
        if (expected_end == copy) {
            require(!number_end);
        } else {
            require(number_end && number_end - text == expected_end - copy);
            require(bits_of(value) == bits_of(expected) ||
                    (value != value && expected != expected));
        }
        free(copy);
    }
    int64_t integer = 0;
    if (ly_parse_int64(text, end, &integer)) {
        // rounded alike if the text is nothing but the integer
        char printed[LY_INT_CHARS];
        size_t printed_length = ly_format_int64(printed, integer);
        double rounded = 0;
        require(ly_parse_double(printed, printed + printed_length, &rounded) != NULL);
        require(rounded == (double)integer);
    }
}

static void check_printing(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    char text[LY_DOUBLE_CHARS];
    size_t length = ly_format_double(text, value);
    require(length < LY_DOUBLE_CHARS && strlen(text) == length);
    double back = 0;
    require(ly_parse_double(text, text + length, &back) == text + length);
    require(bits_of(back) == bits || (value != value && back != back));
}

static void check_scanner(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    require(copy != NULL);
    memcpy(copy, text, length);
    copy[length] = '\0';
    LyScanner scanner = ly_scanner_make("fuzz", copy, length, '#');
    while (ly_scanner_next_content(&scanner)) {
        const char *before = scanner.at;
        double value = 0;
        int32_t integer = 0;
        if (ly_scanner_int32(&scanner, &integer, "i") != LYRA_OK &&
            ly_scanner_double(&scanner, &value, "x") != LYRA_OK) {
            ly_scanner_token(&scanner);
        }
        require(scanner.at > before && scanner.at <= scanner.end);
        // lines are counted from the start each time: not for all of a long text
        if (scanner.at - scanner.begin < 4096) {
            ly_scanner_end_line(&scanner);
        }
    }
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_text((const char *)data, size);
    if (size >= sizeof(uint64_t)) {
        uint64_t bits;
        memcpy(&bits, data, sizeof bits);
        check_printing(bits);
    }
    check_scanner((const char *)data, size);
    return 0;
}
