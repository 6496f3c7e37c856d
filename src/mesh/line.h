// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Lines as OBJ and MTL files have them: a keyword and what belongs to it, gone on with on the next
// line where a backslash ends one. Lines that start with # are comments; behind numbers a # starts
// one too, but in names it is a letter like others.

#ifndef LY_MESH_LINE_H
#define LY_MESH_LINE_H

#include "base/scanner.h"

/// Where the line that `at` (a backslash) ends goes on, or NULL if it does not end there.
static inline const char *ly_line_continued(const LyScanner *scanner, const char *at)
{
    if (at + 1 >= scanner->end) {
        return scanner->end;
    }
    if (at[1] == '\r') {
        return at[2] == '\n' ? at + 3 : at + 2;
    }
    return at[1] == '\n' ? at + 2 : NULL;
}

/// Skips blanks and ends of lines behind a backslash.
static inline void ly_line_skip(LyScanner *scanner)
{
    ly_scanner_skip_blanks(scanner);
    while (*scanner->at == '\\' && !ly_scanner_at_end(scanner)) {
        const char *next = ly_line_continued(scanner, scanner->at);
        if (!next) {
            return;
        }
        scanner->at = next;
        ly_scanner_skip_blanks(scanner);
    }
}

/// Whether a number may end in front of `at`.
static inline bool ly_line_ends_token(const LyScanner *scanner, const char *at)
{
    if (ly_char_class[(uint8_t)*at]) {
        return *at != '\0' || at >= scanner->end;
    }
    return *at == '#' || (*at == '\\' && ly_line_continued(scanner, at));
}

/// Whether nothing but a comment is left on the line. Skips blanks.
static inline bool ly_line_at_end(LyScanner *scanner)
{
    ly_line_skip(scanner);
    char c = *scanner->at;
    return c == '\n' || c == '\r' || c == '#' || scanner->at >= scanner->end;
}

/// Reads a finite number of this line; `what` names it in errors.
static inline LyraStatus ly_line_double(LyScanner *scanner, double *value, const char *what)
{
    ly_line_skip(scanner);
    double number;
    const char *end = ly_parse_double(scanner->at, scanner->end, &number);
    if (end && ly_line_ends_token(scanner, end) && isfinite(number)) {
        scanner->at = end;
        *value = number;
        return LYRA_OK;
    }
    return ly_scanner_fail(scanner, LYRA_BAD_FORMAT, "a finite number for %s", what);
}

/// Whether the line starts with `keyword`; then goes behind it.
bool ly_line_keyword(LyScanner *scanner, const char *keyword);

/// Fails unless only a comment is left, then goes to the next line.
LyraStatus ly_line_end(LyScanner *scanner);

/// Goes to the next line, whatever is left on this one and on those that go on with it.
void ly_line_ignore(LyScanner *scanner);

/// Reads what is left of the line, without blanks at its ends, as a name; ends of lines behind a
/// backslash become a blank. Goes to the next line. Length 0 if nothing is left. `*buffer`, NULL at
/// first, holds names that had to be put together: release it at the end.
LyraStatus ly_line_name(LyraContext *ctx, LyScanner *scanner, char **buffer, LySlice *name);

#endif
