// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Nearly every row is plain: a number, blanks, more numbers, the end of the line. Those take a fast
// path that gives up at anything else without a word; the slow path then reads the row again with
// the scanner, which knows commas, comments and messages. Both give the same numbers.

#include "mesh/rows.h"

#include <string.h>

// ---- plain rows ---------------------------------------------------------------------------------

// Reads blanks and up to 9 digits; NULL if there is anything else.
static inline const char *plain_index(const char *at, int32_t *value)
{
    while (*at == ' ' || *at == '\t') {
        ++at;
    }
    const char *begin = at;
    uint32_t number = 0;
    for (uint32_t digit; (digit = (uint32_t)(uint8_t)*at - '0') < 10; ++at) {
        number = number * 10 + digit;
    }
    *value = (int32_t)number;
    return (size_t)(at - begin) - 1 < 9 ? at : NULL;
}

// Goes past the end of a line; NULL if something else stands there.
static inline const char *plain_line_end(const char *at)
{
    while (*at == ' ' || *at == '\t') {
        ++at;
    }
    if (*at == '\n') {
        return at + 1;
    }
    return at[0] == '\r' && at[1] == '\n' ? at + 2 : NULL;
}

static inline const char *plain_position(const char *at, const char *end, int64_t index,
                                         double position[3])
{
    int32_t number;
    at = plain_index(at, &number);
    if (!at || number != index) {
        return NULL;
    }
    for (int32_t i = 0; i < 3; ++i) {
        if (*at != ' ' && *at != '\t') {
            return NULL;
        }
        do {
            ++at;
        } while (*at == ' ' || *at == '\t');
        at = ly_parse_double(at, end, &position[i]);
        if (!at || !isfinite(position[i])) {
            return NULL;
        }
    }
    return plain_line_end(at);
}

static inline const char *plain_element(const char *at, int64_t index, int32_t first, int32_t count,
                                        int32_t nodes, int32_t *vertices)
{
    int32_t number;
    at = plain_index(at, &number);
    if (!at || number != index) {
        return NULL;
    }
    for (int32_t a = 0; a < nodes; ++a) {
        if (*at != ' ' && *at != '\t') {
            return NULL;
        }
        at = plain_index(at, &number);
        uint32_t vertex = (uint32_t)number - (uint32_t)first;
        if (!at || vertex >= (uint32_t)count) {
            return NULL;
        }
        vertices[a] = (int32_t)vertex;
    }
    return plain_line_end(at);
}

// ---- rows of any kind ---------------------------------------------------------------------------

// Whether another row of the table is at hand. The scanner then stands at its first number.
static bool next_row(LyScanner *scanner)
{
    return ly_scanner_next_content(scanner) && *scanner->at != '*';
}

static LyraStatus read_index(LyScanner *scanner, LyRowTable *table)
{
    const char *at = scanner->at;
    int64_t number = -1;
    bool whole = ly_scanner_int64(scanner, &number, NULL) == LYRA_OK;
    if (table->first < 0) {
        if (!whole || number < 0 || number > 1) {
            return ly_scanner_fail_at(scanner, at, LYRA_BAD_FORMAT,
                                      "0 or 1, the number of the first %s", table->what);
        }
        table->first = (int32_t)number;
    } else if (!whole || number != table->row + table->first) {
        return ly_scanner_fail_at(scanner, at, LYRA_BAD_FORMAT, "the number %lld of the next %s",
                                  (long long)(table->row + table->first), table->what);
    }
    return LYRA_OK;
}

static LyraStatus end_row(LyScanner *scanner, const LyRowTable *table)
{
    while (table->extra_columns && !ly_scanner_at_line_end(scanner)) {
        double ignored;
        LY_TRY(ly_scanner_double(scanner, &ignored, NULL));
    }
    return ly_scanner_end_line(scanner);
}

static LyraStatus any_position(LyScanner *scanner, LyRowTable *table, double position[3])
{
    static const char *const names[3] = {"x", "y", "z"};
    LY_TRY(read_index(scanner, table));
    for (int32_t i = 0; i < 3; ++i) {
        LY_TRY(ly_scanner_double(scanner, &position[i], names[i]));
    }
    return end_row(scanner, table);
}

static LyraStatus any_element(LyScanner *scanner, LyRowTable *table, int32_t nodes,
                              int32_t *vertices, double *attribute)
{
    LY_TRY(read_index(scanner, table));
    for (int32_t a = 0; a < nodes; ++a) {
        int64_t number = 0;
        int64_t first = table->vertex_first;
        LY_TRY(ly_scanner_int64_in(scanner, first, first + table->vertex_count - 1, &number,
                                   "a vertex"));
        vertices[a] = (int32_t)(number - first);
    }
    if (attribute) {
        LY_TRY(ly_scanner_double(scanner, attribute, "the attribute"));
    }
    return end_row(scanner, table);
}

// ---- tables -------------------------------------------------------------------------------------

LyraStatus ly_rows_read_positions(LyScanner *scanner, LyRowTable *table, int64_t limit,
                                  double *positions)
{
    while (table->row < limit) {
        // the window ends with a zero byte, at which the fast path gives up
        int64_t row = table->row, first = table->first;
        const char *at = scanner->at, *end = scanner->end;
        const char *next = at;
        while (first >= 0 && row < limit && next) {
            next = plain_position(at, end, row + first, positions + 3 * row);
            at = next ? next : at;
            row += next != NULL;
        }
        scanner->at = at;
        table->row = row;
        if (row == limit || !next_row(scanner)) {
            break;
        }
        LY_TRY(any_position(scanner, table, positions + 3 * row));
        table->row += 1;
    }
    return LYRA_OK;
}

static inline void read_plain_elements(LyScanner *scanner, LyRowTable *table, int64_t limit,
                                       int32_t nodes, int32_t *elements)
{
    int64_t row = table->row, first = table->first;
    int32_t vertex_first = table->vertex_first, vertex_count = table->vertex_count;
    const char *at = scanner->at;
    int32_t *vertices = elements + nodes * row;
    for (; row < limit; ++row, vertices += nodes) {
        const char *next =
            plain_element(at, row + first, vertex_first, vertex_count, nodes, vertices);
        if (!next) {
            break;
        }
        at = next;
    }
    scanner->at = at;
    table->row = row;
}

LyraStatus ly_rows_read_elements(LyScanner *scanner, LyRowTable *table, int64_t limit,
                                 int32_t nodes, int32_t *elements, double *attributes)
{
    while (table->row < limit) {
        // the count of nodes as a constant unrolls the loop over them
        if (table->first >= 0 && !attributes && nodes == 4) {
            read_plain_elements(scanner, table, limit, 4, elements);
        } else if (table->first >= 0 && !attributes && nodes == 8) {
            read_plain_elements(scanner, table, limit, 8, elements);
        }
        if (table->row == limit || !next_row(scanner)) {
            break;
        }
        int64_t row = table->row;
        LY_TRY(any_element(scanner, table, nodes, elements + nodes * row,
                           attributes ? attributes + row : NULL));
        table->row += 1;
    }
    return LYRA_OK;
}

void ly_rows_write_positions(LyWriter *writer, int64_t count, const double *positions)
{
    for (int64_t i = 0; i < count; ++i) {
        ly_writer_int(writer, i + 1);
        for (int32_t c = 0; c < 3; ++c) {
            ly_writer_char(writer, ' ');
            ly_writer_double(writer, positions[3 * i + c]);
        }
        ly_writer_char(writer, '\n');
    }
}
