// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Reading text files of numbers and words, line by line, with errors that say where, what was found
// and what was expected:  beam.veg:17: found "0.5x", expected a number for y
//
// Blanks are space, tab, vertical tab and form feed; lines end with LF, CR LF, CR or the end of the
// text. A byte order mark of UTF-8 in front is skipped. Zero bytes are ordinary bytes that fit
// nowhere. Lines are counted only when an error is reported.

#ifndef LY_BASE_SCANNER_H
#define LY_BASE_SCANNER_H

#include "base/base.h"
#include "base/number.h"

#include <math.h>

/// Text being read. Copy it to remember a place and to come back to it.
typedef struct LyScanner {
    const char *at;    ///< Next byte.
    const char *end;   ///< One past the last byte; *end is a zero byte that may be read.
    const char *begin; ///< First byte, for counting lines.
    const char *path;  ///< For messages. Must outlive the scanner.
    char comment;      ///< From this byte to the end of the line is a comment; 0: none.
    bool commas;       ///< Commas count as blanks.
} LyScanner;

/// Part of a text, without a zero byte at its end.
typedef struct LySlice {
    const char *text;
    size_t length;
} LySlice;

/// Scanner over [text, text + length) with a readable zero byte at text[length], as ly_file_read
/// gives. `comment`: first byte of comments, 0 for none. Commas don't count as blanks; set `commas`
/// where they do.
LyScanner ly_scanner_make(const char *path, const char *text, size_t length, char comment);

// ---- where we are -------------------------------------------------------------------------------

#define LY_CHAR_BLANK 1u
#define LY_CHAR_LINE_END 2u // LF, CR, and zero: the last may be the end of the text

/// Kinds of the 256 bytes.
extern const uint8_t ly_char_class[256];

static inline void ly_scanner_skip_blanks(LyScanner *scanner)
{
    const char *at = scanner->at;
    for (;;) {
        while (ly_char_class[(uint8_t)*at] & LY_CHAR_BLANK) {
            ++at;
        }
        if (*at != ',' || !scanner->commas) {
            break;
        }
        ++at;
    }
    scanner->at = at;
}

/// Skips blanks and a comment; whether the line ends there.
bool ly_scanner_at_line_end(LyScanner *scanner);

/// Whether all text is read, to the last byte.
static inline bool ly_scanner_at_end(const LyScanner *scanner)
{
    return scanner->at >= scanner->end;
}

/// Goes to the start of the next line, whatever is left on this one. False at the end of the text.
bool ly_scanner_next_line(LyScanner *scanner);

/// Goes on, from here, to the first byte that is no blank, no comment and no end of a line: the
/// next thing on this line or a later one. False at the end of the text.
bool ly_scanner_next_content(LyScanner *scanner);

// ---- words and lines ----------------------------------------------------------------------------

/// Skips blanks and reads up to the next blank, comment or end of line; length 0 if nothing is left
/// on the line.
LySlice ly_scanner_token(LyScanner *scanner);

/// The token that ly_scanner_token() would read, without reading it.
LySlice ly_scanner_peek(const LyScanner *scanner);

/// Rest of the line without comment and without blanks at its ends; goes to the end of the line.
LySlice ly_scanner_rest_of_line(LyScanner *scanner);

/// Whether a slice is `word`, exactly or upper and lower case (of ASCII) alike.
bool ly_slice_is(LySlice slice, const char *word);
bool ly_slice_is_word(LySlice slice, const char *word);

// ---- numbers ------------------------------------------------------------------------------------

// The slow ways of the functions below.
LyraStatus ly_scanner_double_slow(LyScanner *scanner, double *value, const char *what);
LyraStatus ly_scanner_int32_slow(LyScanner *scanner, int32_t *value, const char *what);

// Whether a number may end in front of `c`. Zero may be the end of the text or not: the slow ways
// look closer.
static inline bool ly_scanner_ends_number(const LyScanner *scanner, char c)
{
    return c && (ly_char_class[(uint8_t)c] || (c == ',' && scanner->commas));
}

/// Reads a finite number from this line. `what` names it in the sentence of an error, as in
/// "expected a number for density"; NULL: just "expected a number". On failure the scanner stays in
/// front of it.
static inline LyraStatus ly_scanner_double(LyScanner *scanner, double *value, const char *what)
{
    ly_scanner_skip_blanks(scanner);
    double number;
    const char *end = ly_parse_double(scanner->at, scanner->end, &number);
    if (end && ly_scanner_ends_number(scanner, *end) && isfinite(number)) {
        scanner->at = end;
        *value = number;
        return LYRA_OK;
    }
    return ly_scanner_double_slow(scanner, value, what);
}

/// Reads an integer from this line, as ly_scanner_double() does.
static inline LyraStatus ly_scanner_int32(LyScanner *scanner, int32_t *value, const char *what)
{
    ly_scanner_skip_blanks(scanner);
    // up to 7 digits without a sign
    const char *at = scanner->at;
    if (scanner->end - at >= 8) {
        uint64_t eight = ly_eight_load(at);
        uint64_t others = ly_eight_non_digits(eight);
        int32_t bits = others ? __builtin_ctzll(others) & ~7 : 0;
        if (bits > 0 && ly_scanner_ends_number(scanner, at[bits >> 3])) {
            scanner->at = at + (bits >> 3);
            *value = (int32_t)ly_eight_value(eight << (64 - bits));
            return LYRA_OK;
        }
    }
    return ly_scanner_int32_slow(scanner, value, what);
}

LyraStatus ly_scanner_int64(LyScanner *scanner, int64_t *value, const char *what);

/// Reads an integer in [low, high]; says so if it is another.
LyraStatus ly_scanner_int32_in(LyScanner *scanner, int32_t low, int32_t high, int32_t *value,
                               const char *what);
LyraStatus ly_scanner_int64_in(LyScanner *scanner, int64_t low, int64_t high, int64_t *value,
                               const char *what);

/// Fails unless nothing but blanks and a comment is left on this line; then goes to the next one.
LyraStatus ly_scanner_end_line(LyScanner *scanner);

// ---- errors -------------------------------------------------------------------------------------

/// Line of a place in the text, from 1.
int64_t ly_scanner_line_number(const LyScanner *scanner, const char *at);

/// Fails with the sentence `path:line: found "...", expected <format>` about the token ahead, or
/// "found the end of the line", "... of the file".
LyraStatus ly_scanner_fail(const LyScanner *scanner, LyraStatus status, const char *format, ...)
    LYRA_PRINTF(3, 4);

/// The same about the token at `at`, a place remembered from before.
LyraStatus ly_scanner_fail_at(const LyScanner *scanner, const char *at, LyraStatus status,
                              const char *format, ...) LYRA_PRINTF(4, 5);

/// Fails with the sentence `path:line: <format>`, for what is wrong with more than a token.
LyraStatus ly_scanner_complain(const LyScanner *scanner, const char *at, LyraStatus status,
                               const char *format, ...) LYRA_PRINTF(4, 5);

/// Enough for ly_quote().
#define LY_QUOTE_CHARS 200

/// Writes a token for a message: in double quotes, cut after about 40 characters with "..." behind,
/// bytes that are not printable ASCII or well-formed UTF-8 as \n, \t, \x00. Returns `buffer`.
const char *ly_quote(char buffer[LY_QUOTE_CHARS], LySlice token);

#endif
