// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "base/scanner.h"
#include "lyra_test.h"

#include <stdlib.h>
#include <string.h>

static LyScanner scan(const char *text)
{
    return ly_scanner_make("beam.veg", text, strlen(text), '#');
}

LYRA_TEST(rows_of_numbers_are_read)
{
    LyScanner scanner = scan("# head\n"
                             "\n"
                             "1 0.5 -2.5e-3 1e3   # first\n"
                             "  2\t.5 +7 -0\t\r\n"
                             "   \n"
                             "3 1. 2 3");
    double expected[3][3] = {{0.5, -2.5e-3, 1e3}, {0.5, 7, 0}, {1, 2, 3}};
    int32_t row = 0;
    for (; ly_scanner_next_content(&scanner); ++row) {
        TEST_REQUIRE(row < 3);
        int32_t id = 0;
        TEST_REQUIRE_OK(ly_scanner_int32(&scanner, &id, "the vertex number"));
        TEST_EQUAL(id, row + 1);
        for (int32_t i = 0; i < 3; ++i) {
            double x = 0;
            TEST_REQUIRE_OK(ly_scanner_double(&scanner, &x, "x"));
            TEST_CHECK(x == expected[row][i]);
        }
        TEST_REQUIRE_OK(ly_scanner_end_line(&scanner));
    }
    TEST_EQUAL(row, 3);
    TEST_CHECK(ly_scanner_at_end(&scanner));
}

LYRA_TEST(every_line_end_is_known)
{
    static const char *const texts[] = {"1\n2\n\n3\n", "1\r\n2\r\n\r\n3\r\n", "1\r2\r\r3\r",
                                        "1\r\n2\n\r3", "\xef\xbb\xbf\x31\n2\n\n3"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        LyScanner scanner = scan(texts[i]);
        for (int32_t n = 1; n <= 3; ++n) {
            TEST_CHECK(ly_scanner_next_content(&scanner));
            int32_t line = n == 3 ? 4 : n;
            TEST_EQUAL(ly_scanner_line_number(&scanner, scanner.at), line);
            int32_t value = 0;
            TEST_OK(ly_scanner_int32(&scanner, &value, NULL));
            TEST_EQUAL(value, n);
            TEST_OK(ly_scanner_end_line(&scanner));
        }
        TEST_CHECK(!ly_scanner_next_content(&scanner));
        TEST_CHECK(!ly_scanner_next_line(&scanner));
    }
    LyScanner scanner = scan("a\nb\r\nc\rd");
    for (int32_t line = 1; line <= 4; ++line) {
        TEST_EQUAL(ly_scanner_line_number(&scanner, scanner.at), line);
        TEST_EQUAL(*scanner.at, 'a' + line - 1);
        TEST_CHECK(ly_scanner_next_line(&scanner) == (line < 4));
    }
    scanner = scan("");
    TEST_CHECK(!ly_scanner_next_content(&scanner));
    TEST_CHECK(ly_scanner_at_line_end(&scanner));
    TEST_EQUAL(ly_scanner_token(&scanner).length, 0);
    TEST_EQUAL(ly_scanner_rest_of_line(&scanner).length, 0);
}

LYRA_TEST(words_are_read)
{
    LyScanner scanner = scan("*Material  Steel \xc3\xa4,b#c\n  the rest of it \t # not this\nlast");
    TEST_CHECK(ly_slice_is_word(ly_scanner_peek(&scanner), "*MATERIAL"));
    LySlice word = ly_scanner_token(&scanner);
    TEST_CHECK(ly_slice_is(word, "*Material"));
    TEST_CHECK(!ly_slice_is(word, "*MATERIAL"));
    TEST_CHECK(!ly_slice_is_word(word, "*MATERIA"));
    TEST_CHECK(!ly_slice_is_word(word, "*MATERIAM"));
    TEST_CHECK(ly_slice_is(ly_scanner_token(&scanner), "Steel"));
    LyScanner commas = scanner;
    TEST_CHECK(ly_slice_is(ly_scanner_token(&scanner), "\xc3\xa4,b"));
    commas.commas = true;
    TEST_CHECK(ly_slice_is(ly_scanner_token(&commas), "\xc3\xa4"));
    TEST_CHECK(ly_slice_is(ly_scanner_token(&commas), "b"));
    TEST_EQUAL(ly_scanner_token(&commas).length, 0);
    TEST_CHECK(ly_scanner_at_line_end(&scanner));
    TEST_CHECK(ly_scanner_next_line(&scanner));
    TEST_CHECK(ly_slice_is(ly_scanner_rest_of_line(&scanner), "the rest of it"));
    TEST_OK(ly_scanner_end_line(&scanner));
    TEST_CHECK(ly_slice_is(ly_scanner_rest_of_line(&scanner), "last"));
}

LYRA_TEST(commas_are_blanks_on_demand)
{
    LyScanner scanner = scan("ENU, 1000,1E7 ,0.45\n");
    TEST_CHECK(ly_slice_is(ly_scanner_token(&scanner), "ENU,"));
    scanner = scan("ENU, 1000,1E7 ,0.45\n");
    scanner.commas = true;
    TEST_CHECK(ly_slice_is(ly_scanner_token(&scanner), "ENU"));
    int32_t density = 0;
    double young = 0, nu = 0;
    TEST_OK(ly_scanner_int32(&scanner, &density, NULL));
    TEST_OK(ly_scanner_double(&scanner, &young, NULL));
    TEST_OK(ly_scanner_double(&scanner, &nu, NULL));
    TEST_CHECK(density == 1000 && young == 1e7 && nu == 0.45);
    TEST_OK(ly_scanner_end_line(&scanner));
}

// One number read by `kind` from `text`, and the sentence it must fail with.
static void check_failure(char kind, const char *text, size_t length, LyraStatus expected,
                          const char *sentence)
{
    // memory of just this size, so that sanitizers see a byte too far
    char *copy = malloc(length + 1);
    TEST_REQUIRE(copy);
    memcpy(copy, text, length);
    copy[length] = '\0';
    LyScanner scanner = ly_scanner_make("beam.veg", copy, length, '#');
    const char *before = scanner.at;
    LyraStatus status = LYRA_OK;
    double x = -77;
    int32_t i = -77;
    int64_t wide = -77;
    switch (kind) {
    case 'd':
        status = ly_scanner_double(&scanner, &x, "density");
        break;
    case 'i':
        status = ly_scanner_int32(&scanner, &i, "the vertex number");
        break;
    case 'l':
        status = ly_scanner_int64(&scanner, &wide, NULL);
        break;
    case 'r':
        status = ly_scanner_int32_in(&scanner, 1, 8, &i, "a corner");
        break;
    default:
        status = ly_scanner_end_line(&scanner);
    }
    TEST_EQUAL(status, expected);
    TEST_STRING(lyra_error_message(), sentence);
    TEST_CHECK(x == -77 && i == -77 && wide == -77);
    // in front of what was refused, but for blanks
    while (ly_char_class[(uint8_t)*before] == LY_CHAR_BLANK) {
        ++before;
    }
    TEST_CHECK(scanner.at <= before);
    free(copy);
}

LYRA_TEST(errors_say_where_what_and_why)
{
    static const struct {
        char kind;
        const char *text;
        LyraStatus status;
        const char *sentence;
    } cases[] = {
        {'d', "abc 1\n", LYRA_BAD_FORMAT,
         "beam.veg:1: found \"abc\", expected a number for density"},
        {'d', "  0.5x 7", LYRA_BAD_FORMAT,
         "beam.veg:1: found \"0.5x\", expected a number for density"},
        {'d', "1,5 2 3 4 5 6 7", LYRA_BAD_FORMAT,
         "beam.veg:1: found \"1,5\", expected a number for density"},
        {'d', "0x10", LYRA_BAD_FORMAT, "beam.veg:1: found \"0x10\", expected a number for density"},
        {'d', "\n", LYRA_BAD_FORMAT,
         "beam.veg:1: found the end of the line, expected a number for density"},
        {'d', "  # 5\n", LYRA_BAD_FORMAT,
         "beam.veg:1: found the end of the line, expected a number for density"},
        {'d', "", LYRA_BAD_FORMAT,
         "beam.veg:1: found the end of the file, expected a number for density"},
        {'d', "nan", LYRA_NOT_FINITE,
         "beam.veg:1: found \"nan\", expected a finite number for density"},
        {'d', "-inf 2", LYRA_NOT_FINITE,
         "beam.veg:1: found \"-inf\", expected a finite number for density"},
        {'d', "1e999 and so on", LYRA_NOT_FINITE,
         "beam.veg:1: found \"1e999\", expected a finite number for density"},
        {'i', "1.5 2 3 4 5", LYRA_BAD_FORMAT,
         "beam.veg:1: found \"1.5\", expected an integer for the vertex number"},
        {'i', "12a45678 9", LYRA_BAD_FORMAT,
         "beam.veg:1: found \"12a45678\", expected an integer for the vertex number"},
        {'i', "2147483648\n", LYRA_BAD_FORMAT,
         "beam.veg:1: found \"2147483648\", expected an integer of 32 bits for the vertex number"},
        {'i', "-99999999999 12", LYRA_BAD_FORMAT,
         "beam.veg:1: found \"-99999999999\", expected an integer of 32 bits for the vertex "
         "number"},
        {'l', "99999999999999999999", LYRA_BAD_FORMAT,
         "beam.veg:1: found \"99999999999999999999\", expected an integer of 64 bits"},
        {'l', "-", LYRA_BAD_FORMAT, "beam.veg:1: found \"-\", expected an integer"},
        {'r', " 9 ", LYRA_BAD_FORMAT,
         "beam.veg:1: found \"9\", expected an integer from 1 to 8 for a corner"},
        {'r', "0", LYRA_BAD_FORMAT,
         "beam.veg:1: found \"0\", expected an integer from 1 to 8 for a corner"},
        {'r', "99999999999999999999999", LYRA_BAD_FORMAT,
         "beam.veg:1: found \"99999999999999999999999\", expected an integer from 1 to 8 for a "
         "corner"},
        {'r', "1e3", LYRA_BAD_FORMAT,
         "beam.veg:1: found \"1e3\", expected an integer for a corner"},
        {'e', " extra # words", LYRA_BAD_FORMAT,
         "beam.veg:1: found \"extra\", expected the end of the line"},
        {'d', "\xff\xfe\x80z", LYRA_BAD_FORMAT,
         "beam.veg:1: found \"\\xff\\xfe\\x80z\", expected a number for density"},
        {'d', "\x1b[31m\"\\", LYRA_BAD_FORMAT,
         "beam.veg:1: found \"\\x1b[31m\\\"\\\\\", expected a number for density"},
        {'d', "Wei\xc3\x9fglut\xe2\x82\xac", LYRA_BAD_FORMAT,
         "beam.veg:1: found \"Wei\xc3\x9fglut\xe2\x82\xac\", expected a number for density"},
        {'d', "\xc3", LYRA_BAD_FORMAT,
         "beam.veg:1: found \"\\xc3\", expected a number for density"},
        {'d', "\xed\xa0\x80\xc0\xaf", LYRA_BAD_FORMAT,
         "beam.veg:1: found \"\\xed\\xa0\\x80\\xc0\\xaf\", expected a number for density"},
        {'d', "abcdefghijabcdefghijabcdefghijabcdefghij", LYRA_BAD_FORMAT,
         "beam.veg:1: found \"abcdefghijabcdefghijabcdefghijabcdefghij\", expected a number for "
         "density"},
        {'d', "abcdefghijabcdefghijabcdefghijabcdefghijk", LYRA_BAD_FORMAT,
         "beam.veg:1: found \"abcdefghijabcdefghijabcdefghijabcdefghij\"..., expected a number "
         "for density"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        check_failure(cases[i].kind, cases[i].text, strlen(cases[i].text), cases[i].status,
                      cases[i].sentence);
    }
    // zero bytes inside the text
    check_failure('d', "1\0002 3 4 5 6", 11, LYRA_BAD_FORMAT,
                  "beam.veg:1: found \"1\\x002\", expected a number for density");
    check_failure('i', "1\0 3 4 5 6 7", 12, LYRA_BAD_FORMAT,
                  "beam.veg:1: found \"1\\x00\", expected an integer for the vertex number");
    check_failure('d', "\0", 1, LYRA_BAD_FORMAT,
                  "beam.veg:1: found \"\\x00\", expected a number for density");
    check_failure('e', " \0", 2, LYRA_BAD_FORMAT,
                  "beam.veg:1: found \"\\x00\", expected the end of the line");
}

LYRA_TEST(quotes_fit_whatever_they_hold)
{
    // four bytes for each of forty characters, in each of the ways
    static const char *const units[] = {"\xf0\x9f\x98\x80", "\x01", "\xff", "\"", "\\"};
    for (size_t i = 0; i < sizeof units / sizeof *units; ++i) {
        char text[401] = "";
        for (int32_t k = 0; k < 100; ++k) {
            strcat(text, units[i]);
        }
        char quoted[LY_QUOTE_CHARS];
        memset(quoted, 'x', sizeof quoted);
        ly_quote(quoted, (LySlice){text, strlen(text)});
        size_t length = strlen(quoted);
        TEST_CHECK(length < LY_QUOTE_CHARS);
        TEST_STRING(quoted + length - 4, "\"...");
    }
}

LYRA_TEST(errors_count_lines)
{
    LyScanner scanner = scan("one\r\ntwo\rthree\n\nfive six\nseven");
    const char *place = strstr(scanner.begin, "six");
    TEST_STATUS(ly_scanner_fail_at(&scanner, place, LYRA_BAD_FORMAT, "the number %d", 6),
                LYRA_BAD_FORMAT);
    TEST_STRING(lyra_error_message(), "beam.veg:5: found \"six\", expected the number 6");
    place += 3;
    TEST_STATUS(ly_scanner_fail_at(&scanner, place, LYRA_BAD_FORMAT, "more"), LYRA_BAD_FORMAT);
    TEST_STRING(lyra_error_message(), "beam.veg:5: found the end of the line, expected more");
    TEST_STATUS(ly_scanner_fail_at(&scanner, scanner.end, LYRA_BAD_MESH, "more"), LYRA_BAD_MESH);
    TEST_STRING(lyra_error_message(), "beam.veg:6: found the end of the file, expected more");
    TEST_STATUS(
        ly_scanner_complain(&scanner, scanner.end, LYRA_BAD_MESH, "vertex %d has no element", 3),
        LYRA_BAD_MESH);
    TEST_STRING(lyra_error_message(), "beam.veg:6: vertex 3 has no element");
    scanner.at = strstr(scanner.begin, "three");
    TEST_STATUS(ly_scanner_fail(&scanner, LYRA_BAD_FORMAT, "a %s", "word"), LYRA_BAD_FORMAT);
    TEST_STRING(lyra_error_message(), "beam.veg:3: found \"three\", expected a word");
}

LYRA_TEST(integers_of_every_length_are_read)
{
    // at the end of the text and far from it, signed or not
    static const char *const numbers[] = {
        "7",        "42",        "123",        "1234",       "12345", "123456", "1234567",
        "12345678", "123456789", "2147483647", "0000000012", "-1",    "+5",     "-2147483648"};
    static const char *const tails[] = {"", " ", "\n", "\r\n", "#", "\t1 2 3 4 5 6", "\n1 2 3 4 5"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        for (size_t k = 0; k < sizeof tails / sizeof *tails; ++k) {
            char text[64];
            snprintf(text, sizeof text, " %s%s", numbers[i], tails[k]);
            LyScanner scanner = scan(text);
            int32_t value = 0;
            int64_t wide = 0;
            double real = 0;
            TEST_OK(ly_scanner_int32(&scanner, &value, NULL));
            TEST_EQUAL(value, atoi(numbers[i]));
            TEST_CHECK(scanner.at == text + 1 + strlen(numbers[i]));
            scanner = scan(text);
            TEST_OK(ly_scanner_int64_in(&scanner, INT32_MIN, INT32_MAX, &wide, NULL));
            TEST_EQUAL(wide, atoi(numbers[i]));
            scanner = scan(text);
            TEST_OK(ly_scanner_double(&scanner, &real, NULL));
            TEST_CHECK(real == atoi(numbers[i]));
            TEST_CHECK(scanner.at == text + 1 + strlen(numbers[i]));
        }
    }
}

LYRA_TEST(any_bytes_end_somewhere)
{
    // random bytes: no function may run past the end or stand still
    TestRandom random = test_random(1);
    static const char likely[] = "0123456789 \t\n\r#,.-+eE\0*ab\xc3\xa4";
    for (int32_t round = 0; round < 20000; ++round) {
        size_t length = (size_t)test_random_below(&random, 40);
        char *text = malloc(length + 1);
        TEST_REQUIRE(text);
        for (size_t i = 0; i < length; ++i) {
            text[i] = likely[test_random_below(&random, (int32_t)sizeof likely)];
        }
        text[length] = '\0';
        LyScanner scanner = ly_scanner_make("x", text, length, round % 2 ? '#' : '\0');
        scanner.commas = round % 3 == 0;
        int32_t steps = 0;
        while (ly_scanner_next_content(&scanner) && steps < 100) {
            ++steps;
            double x = 0;
            int32_t i = 0;
            if (ly_scanner_double(&scanner, &x, "x") != LYRA_OK &&
                ly_scanner_int32(&scanner, &i, "i") != LYRA_OK) {
                TEST_CHECK(ly_scanner_token(&scanner).length > 0);
            }
            if (ly_scanner_end_line(&scanner) != LYRA_OK && round % 5 == 0) {
                ly_scanner_rest_of_line(&scanner);
            }
            TEST_CHECK(scanner.at <= scanner.end);
        }
        TEST_CHECK(steps < 100);
        free(text);
    }
}
