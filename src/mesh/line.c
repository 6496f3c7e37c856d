// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/line.h"

#include <string.h>

bool ly_line_keyword(LyScanner *scanner, const char *keyword)
{
    size_t length = strlen(keyword);
    if ((size_t)(scanner->end - scanner->at) < length ||
        memcmp(scanner->at, keyword, length) != 0 ||
        !ly_line_ends_token(scanner, scanner->at + length)) {
        return false;
    }
    scanner->at += length;
    return true;
}

static bool ends_line(const LyScanner *scanner, const char *at)
{
    return at >= scanner->end || *at == '\n' || *at == '\r';
}

static void step_over_end(LyScanner *scanner)
{
    if (ly_scanner_at_end(scanner)) {
        return;
    }
    scanner->at += scanner->at[0] == '\r' && scanner->at[1] == '\n' ? 2 : 1;
}

// to the end of this line; lines that go on are another if `whole`
static void to_line_end(LyScanner *scanner, bool whole)
{
    const char *at = scanner->at;
    while (!ends_line(scanner, at)) {
        const char *next = whole && *at == '\\' ? ly_line_continued(scanner, at) : NULL;
        at = next ? next : at + 1;
    }
    scanner->at = at;
}

LyraStatus ly_line_end(LyScanner *scanner)
{
    if (!ly_line_at_end(scanner)) {
        return ly_scanner_fail(scanner, LYRA_BAD_FORMAT, "the end of the line");
    }
    // comments don't go on
    to_line_end(scanner, false);
    step_over_end(scanner);
    return LYRA_OK;
}

void ly_line_ignore(LyScanner *scanner)
{
    to_line_end(scanner, *scanner->at != '#');
    step_over_end(scanner);
}

static bool is_blank(char c)
{
    return (ly_char_class[(uint8_t)c] & LY_CHAR_BLANK) != 0;
}

LyraStatus ly_line_name(LyraContext *ctx, LyScanner *scanner, char **buffer, LySlice *name)
{
    ly_line_skip(scanner);
    const char *begin = scanner->at;
    to_line_end(scanner, true);
    const char *end = scanner->at;
    if (memchr(begin, '\0', (size_t)(end - begin))) {
        return ly_scanner_fail_at(scanner, begin, LYRA_BAD_FORMAT, "a name without zero bytes");
    }
    // put lines that go on together
    for (const char *at = begin; at < end; ++at) {
        if (*at == '\\' && ly_line_continued(scanner, at)) {
            ly_release(ctx, *buffer);
            *buffer = NULL;
            LY_TRY(ly_allocate_array(ctx, end - begin, 1, buffer));
            size_t length = 0;
            while (begin < end) {
                const char *next = *begin == '\\' ? ly_line_continued(scanner, begin) : NULL;
                (*buffer)[length++] = next ? ' ' : *begin;
                begin = next ? next : begin + 1;
            }
            begin = *buffer;
            end = begin + length;
            break;
        }
    }
    while (begin < end && is_blank(end[-1])) {
        --end;
    }
    if (begin < end && end[-1] == '\\') {
        return ly_scanner_fail(scanner, LYRA_BAD_FORMAT, "no backslash at the end of a name");
    }
    step_over_end(scanner);
    *name = (LySlice){.text = begin, .length = (size_t)(end - begin)};
    return LYRA_OK;
}
