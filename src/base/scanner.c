// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "base/scanner.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const uint8_t ly_char_class[256] = {
    [' '] = LY_CHAR_BLANK,     ['\t'] = LY_CHAR_BLANK,    ['\v'] = LY_CHAR_BLANK,
    ['\f'] = LY_CHAR_BLANK,    ['\n'] = LY_CHAR_LINE_END, ['\r'] = LY_CHAR_LINE_END,
    ['\0'] = LY_CHAR_LINE_END,
};

LyScanner ly_scanner_make(const char *path, const char *text, size_t length, char comment)
{
    LyScanner scanner = {
        .at = text, .end = text + length, .begin = text, .path = path, .comment = comment};
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        scanner.at += 3;
    }
    return scanner;
}

// ---- where we are -------------------------------------------------------------------------------

// Whether a line ends at `at`: a zero byte inside the text is no end.
static bool is_line_end(const LyScanner *scanner, const char *at)
{
    return (ly_char_class[(uint8_t)*at] & LY_CHAR_LINE_END) && (*at || at >= scanner->end);
}

static const char *find_line_end(const LyScanner *scanner, const char *at)
{
    while (!is_line_end(scanner, at)) {
        ++at;
    }
    return at;
}

// Behind the line end at `at`.
static const char *skip_line_end(const LyScanner *scanner, const char *at)
{
    if (at >= scanner->end) {
        return at;
    }
    return at + (at[0] == '\r' && at[1] == '\n' ? 2 : 1);
}

static bool is_comment(const LyScanner *scanner, const char *at)
{
    return scanner->comment && *at == scanner->comment;
}

bool ly_scanner_at_line_end(LyScanner *scanner)
{
    ly_scanner_skip_blanks(scanner);
    if (is_comment(scanner, scanner->at)) {
        scanner->at = find_line_end(scanner, scanner->at);
    }
    return is_line_end(scanner, scanner->at);
}

bool ly_scanner_next_line(LyScanner *scanner)
{
    scanner->at = skip_line_end(scanner, find_line_end(scanner, scanner->at));
    return scanner->at < scanner->end;
}

bool ly_scanner_next_content(LyScanner *scanner)
{
    while (ly_scanner_at_line_end(scanner)) {
        if (scanner->at >= scanner->end) {
            return false;
        }
        scanner->at = skip_line_end(scanner, scanner->at);
    }
    return true;
}

// ---- words and lines ----------------------------------------------------------------------------

// Whether a token ends in front of `at`.
static bool is_token_end(const LyScanner *scanner, const char *at)
{
    return (ly_char_class[(uint8_t)*at] & LY_CHAR_BLANK) || is_line_end(scanner, at) ||
           is_comment(scanner, at) || (scanner->commas && *at == ',');
}

static LySlice token_at(const LyScanner *scanner, const char *at)
{
    const char *end = at;
    while (!is_token_end(scanner, end)) {
        ++end;
    }
    return (LySlice){at, (size_t)(end - at)};
}

LySlice ly_scanner_token(LyScanner *scanner)
{
    ly_scanner_skip_blanks(scanner);
    LySlice token = token_at(scanner, scanner->at);
    scanner->at += token.length;
    return token;
}

LySlice ly_scanner_peek(const LyScanner *scanner)
{
    LyScanner copy = *scanner;
    return ly_scanner_token(&copy);
}

LySlice ly_scanner_rest_of_line(LyScanner *scanner)
{
    ly_scanner_skip_blanks(scanner);
    const char *begin = scanner->at, *end = begin;
    while (!is_line_end(scanner, end) && !is_comment(scanner, end)) {
        ++end;
    }
    scanner->at = find_line_end(scanner, end);
    while (end > begin && (ly_char_class[(uint8_t)end[-1]] & LY_CHAR_BLANK)) {
        --end;
    }
    return (LySlice){begin, (size_t)(end - begin)};
}

bool ly_slice_is(LySlice slice, const char *word)
{
    return strlen(word) == slice.length && memcmp(slice.text, word, slice.length) == 0;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

bool ly_slice_is_word(LySlice slice, const char *word)
{
    if (strlen(word) != slice.length) {
        return false;
    }
    for (size_t i = 0; i < slice.length; ++i) {
        if (lower(slice.text[i]) != lower(word[i])) {
            return false;
        }
    }
    return true;
}

// ---- numbers ------------------------------------------------------------------------------------

// The expected thing with the name the caller gave it, if any.
static LyraStatus fail_number(const LyScanner *scanner, LyraStatus status, const char *kind,
                              const char *what)
{
    return ly_scanner_fail(scanner, status, "%s%s%s", kind, what ? " for " : "", what ? what : "");
}

LyraStatus ly_scanner_double_slow(LyScanner *scanner, double *value, const char *what)
{
    ly_scanner_skip_blanks(scanner);
    double number = 0;
    const char *end = ly_parse_double(scanner->at, scanner->end, &number);
    if (!end || !is_token_end(scanner, end)) {
        return fail_number(scanner, LYRA_BAD_FORMAT, "a number", what);
    }
    if (!isfinite(number)) {
        return fail_number(scanner, LYRA_NOT_FINITE, "a finite number", what);
    }
    scanner->at = end;
    *value = number;
    return LYRA_OK;
}

// Whether a token is an integer, of any size.
static bool is_integer(LySlice token)
{
    size_t at = token.length > 0 && (token.text[0] == '-' || token.text[0] == '+');
    bool any = at < token.length;
    for (; at < token.length; ++at) {
        any = any && token.text[at] >= '0' && token.text[at] <= '9';
    }
    return any;
}

// Reads an integer in [low, high], which `range` says in words.
static LyraStatus read_integer(LyScanner *scanner, int64_t low, int64_t high, const char *range,
                               int64_t *value, const char *what)
{
    ly_scanner_skip_blanks(scanner);
    if (!is_integer(token_at(scanner, scanner->at))) {
        return fail_number(scanner, LYRA_BAD_FORMAT, "an integer", what);
    }
    int64_t number = 0;
    const char *end = ly_parse_int64(scanner->at, scanner->end, &number);
    if (!end || number < low || number > high) {
        return fail_number(scanner, LYRA_BAD_FORMAT, range, what);
    }
    scanner->at = end;
    *value = number;
    return LYRA_OK;
}

LyraStatus ly_scanner_int64(LyScanner *scanner, int64_t *value, const char *what)
{
    return read_integer(scanner, INT64_MIN, INT64_MAX, "an integer of 64 bits", value, what);
}

LyraStatus ly_scanner_int32_slow(LyScanner *scanner, int32_t *value, const char *what)
{
    int64_t number = 0;
    LY_TRY(read_integer(scanner, INT32_MIN, INT32_MAX, "an integer of 32 bits", &number, what));
    *value = (int32_t)number;
    return LYRA_OK;
}

LyraStatus ly_scanner_int64_in(LyScanner *scanner, int64_t low, int64_t high, int64_t *value,
                               const char *what)
{
    // the range in words costs more than the number, and only errors need it
    ly_scanner_skip_blanks(scanner);
    int64_t number;
    const char *end = ly_parse_int64(scanner->at, scanner->end, &number);
    if (end && ly_scanner_ends_number(scanner, *end) && number >= low && number <= high) {
        scanner->at = end;
        *value = number;
        return LYRA_OK;
    }
    char range[80];
    snprintf(range, sizeof range, "an integer from %" PRId64 " to %" PRId64, low, high);
    return read_integer(scanner, low, high, range, value, what);
}

LyraStatus ly_scanner_int32_in(LyScanner *scanner, int32_t low, int32_t high, int32_t *value,
                               const char *what)
{
    int64_t number = 0;
    LY_TRY(ly_scanner_int64_in(scanner, low, high, &number, what));
    *value = (int32_t)number;
    return LYRA_OK;
}

LyraStatus ly_scanner_end_line(LyScanner *scanner)
{
    if (!ly_scanner_at_line_end(scanner)) {
        return ly_scanner_fail(scanner, LYRA_BAD_FORMAT, "the end of the line");
    }
    scanner->at = skip_line_end(scanner, scanner->at);
    return LYRA_OK;
}

// ---- errors -------------------------------------------------------------------------------------

int64_t ly_scanner_line_number(const LyScanner *scanner, const char *at)
{
    int64_t line = scanner->lines_before + 1;
    for (const char *p = scanner->begin; p < at; ++p) {
        // CR LF counts at its LF
        line += *p == '\n' || (*p == '\r' && p[1] != '\n');
    }
    return line;
}

// Length of the UTF-8 character at `text` (1 to 4) if it is well formed and printable, else 0.
static size_t printable_length(const uint8_t *text, size_t left)
{
    uint8_t first = text[0];
    if (first < 0x80) {
        return first >= 0x20 && first != 0x7f;
    }
    size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || length > left) {
        return 0;
    }
    uint32_t code = first & (0x7fu >> length);
    for (size_t i = 1; i < length; ++i) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
        code = code << 6 | (text[i] & 0x3fu);
    }
    bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    bool surrogate = code >= 0xd800 && code <= 0xdfff;
    bool control = code < 0xa0;
    return overlong || surrogate || control || code > 0x10ffff ? 0 : length;
}

const char *ly_quote(char buffer[LY_QUOTE_CHARS], LySlice token)
{
    const size_t shown_max = 40; // characters; up to 4 bytes each
    char *out = buffer;
    *out++ = '"';
    const uint8_t *text = (const uint8_t *)token.text;
    size_t at = 0;
    for (size_t shown = 0; at < token.length && shown < shown_max; ++shown) {
        size_t length = printable_length(text + at, token.length - at);
        if (text[at] == '"' || text[at] == '\\') {
            *out++ = '\\';
            *out++ = (char)text[at++];
        } else if (length) {
            memcpy(out, text + at, length);
            out += length;
            at += length;
        } else {
            static const char digits[] = "0123456789abcdef";
            char escape[4] = {'\\', 'x', digits[text[at] >> 4], digits[text[at] & 15]};
            memcpy(out, escape, 4);
            out += 4;
            ++at;
        }
    }
    *out++ = '"';
    memcpy(out, at < token.length ? "..." : "", at < token.length ? 4 : 1);
    return buffer;
}

static LyraStatus fail_found(const LyScanner *scanner, const char *at, LyraStatus status,
                             const char *format, va_list arguments)
{
    LyScanner place = *scanner;
    place.at = at;
    ly_scanner_skip_blanks(&place);
    char expected[400];
    vsnprintf(expected, sizeof expected, format, arguments);

    char quoted[LY_QUOTE_CHARS];
    const char *found = quoted;
    if (place.at >= place.end) {
        found = "the end of the file";
    } else if (is_comment(&place, place.at) || is_line_end(&place, place.at)) {
        found = "the end of the line";
    } else {
        ly_quote(quoted, token_at(&place, place.at));
    }
    return ly_fail(status, "%s:%" PRId64 ": found %s, expected %s", scanner->path,
                   ly_scanner_line_number(scanner, place.at), found, expected);
}

LyraStatus ly_scanner_fail(const LyScanner *scanner, LyraStatus status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    status = fail_found(scanner, scanner->at, status, format, arguments);
    va_end(arguments);
    return status;
}

LyraStatus ly_scanner_fail_at(const LyScanner *scanner, const char *at, LyraStatus status,
                              const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    status = fail_found(scanner, at, status, format, arguments);
    va_end(arguments);
    return status;
}

LyraStatus ly_scanner_complain(const LyScanner *scanner, const char *at, LyraStatus status,
                               const char *format, ...)
{
    char sentence[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return ly_fail(status, "%s:%" PRId64 ": %s", scanner->path, ly_scanner_line_number(scanner, at),
                   sentence);
}
