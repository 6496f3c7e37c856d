// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// CSV tables. The text is gone through twice: once to see that every line has as many cells as the
// first, which bounds the memory of the table by that of the text, and once to read the numbers.

#include "base/file.h"
#include "base/number.h"
#include "base/scanner.h"
#include "lyra/plot.h"

#include <math.h>
#include <string.h>

struct LyraTable {
    LyraContext *ctx;
    int64_t row_count;
    int32_t column_count;
    char *name_text;
    const char **names;
    double *values;
    int64_t *lines;
};

typedef struct Csv {
    const char *path, *at, *end;
    int64_t line; // from 1, of the line at hand
} Csv;

/// A cell without its quotes and the blanks around it.
typedef struct Cell {
    LySlice text;
    bool quoted;
    bool last; // of its line
} Cell;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool at_line_end(const Csv *csv)
{
    return csv->at == csv->end || *csv->at == '\n' || *csv->at == '\r';
}

static void end_line(Csv *csv)
{
    if (csv->at < csv->end) {
        bool pair = *csv->at == '\r' && csv->end - csv->at > 1 && csv->at[1] == '\n';
        csv->at += pair ? 2 : 1;
        ++csv->line;
    }
}

/// Goes to the next line with something on it; false at the end of the text.
static bool next_line(Csv *csv)
{
    for (;;) {
        const char *at = csv->at;
        while (at < csv->end && is_blank(*at)) {
            ++at;
        }
        if (at == csv->end) {
            return false;
        }
        if (*at != '\n' && *at != '\r') {
            return true;
        }
        csv->at = at;
        end_line(csv);
    }
}

static LyraStatus next_cell(Csv *csv, Cell *cell)
{
    while (csv->at < csv->end && is_blank(*csv->at)) {
        ++csv->at;
    }
    const char *begin = csv->at, *end;
    cell->quoted = csv->at < csv->end && *csv->at == '"';
    if (cell->quoted) {
        begin = ++csv->at;
        // two quotes stand for one
        while (!at_line_end(csv) &&
               (*csv->at != '"' || (csv->end - csv->at > 1 && csv->at[1] == '"'))) {
            csv->at += *csv->at == '"' ? 2 : 1;
        }
        if (at_line_end(csv)) {
            return ly_fail(LYRA_BAD_FORMAT, "%s:%lld: a quote is not closed on its line", csv->path,
                           (long long)csv->line);
        }
        end = csv->at++;
        while (csv->at < csv->end && is_blank(*csv->at)) {
            ++csv->at;
        }
        if (!at_line_end(csv) && *csv->at != ',') {
            return ly_fail(LYRA_BAD_FORMAT, "%s:%lld: found text behind a quote, expected a comma",
                           csv->path, (long long)csv->line);
        }
    } else {
        while (!at_line_end(csv) && *csv->at != ',') {
            ++csv->at;
        }
        end = csv->at;
        while (end > begin && is_blank(end[-1])) {
            --end;
        }
    }
    cell->text = (LySlice){begin, (size_t)(end - begin)};
    cell->last = at_line_end(csv);
    csv->at += cell->last ? 0 : 1;
    return LYRA_OK;
}

/// Counts the cells of a line and goes to its end.
static LyraStatus count_cells(Csv *csv, int64_t *count)
{
    Cell cell = {.last = false};
    *count = 0;
    while (!cell.last) {
        LY_TRY(next_cell(csv, &cell));
        ++*count;
    }
    return LYRA_OK;
}

static bool is_number(LySlice text, double *value)
{
    const char *end = text.text + text.length;
    return ly_parse_double(text.text, end, value) == end;
}

// ---- reading ------------------------------------------------------------------------------------

static LyraStatus read_names(Csv *csv, LyraTable *table)
{
    Csv line = *csv;
    size_t bytes = 0;
    int32_t numbers = 0;
    double value;
    for (int32_t c = 0; c < table->column_count; ++c) {
        Cell cell;
        LY_TRY(next_cell(&line, &cell));
        bytes += cell.text.length + LY_INT_CHARS + 8;
        numbers += cell.text.length > 0 && is_number(cell.text, &value);
    }
    if (numbers == table->column_count) {
        return ly_fail(LYRA_BAD_FORMAT, "%s:%lld: found numbers, expected the names of the columns",
                       csv->path, (long long)csv->line);
    }
    LY_TRY(ly_allocate_array(table->ctx, (int64_t)bytes, 1, (void *)&table->name_text));
    LY_TRY(ly_allocate_array(table->ctx, table->column_count, sizeof *table->names, &table->names));
    char *to = table->name_text;
    for (int32_t c = 0; c < table->column_count; ++c) {
        Cell cell;
        LY_TRY(next_cell(csv, &cell));
        table->names[c] = to;
        for (size_t i = 0; i < cell.text.length; ++i) {
            // zero bytes would end the name
            char letter = cell.text.text[i];
            *to++ = letter ? letter : '?';
            i += cell.quoted && letter == '"';
        }
        if (cell.text.length == 0) {
            memcpy(to, "column ", 7);
            to += 7 + ly_format_int64(to + 7, c + 1);
        }
        *to++ = '\0';
    }
    return LYRA_OK;
}

static LyraStatus read_row(Csv *csv, LyraTable *table, int64_t row)
{
    for (int32_t c = 0; c < table->column_count; ++c) {
        Cell cell;
        double value = NAN;
        LY_TRY(next_cell(csv, &cell));
        if (cell.text.length > 0 && !is_number(cell.text, &value)) {
            char quote[LY_QUOTE_CHARS];
            return ly_fail(LYRA_BAD_FORMAT, "%s:%lld: found %s, expected a number for \"%s\"",
                           csv->path, (long long)csv->line, ly_quote(quote, cell.text),
                           table->names[c]);
        }
        table->values[c * table->row_count + row] = value;
    }
    return LYRA_OK;
}

static LyraStatus count_rows(Csv csv, LyraTable *table)
{
    int64_t columns = 0;
    if (!next_line(&csv)) {
        return ly_fail(LYRA_BAD_FORMAT, "%s: found nothing, expected a line of names", csv.path);
    }
    LY_TRY(count_cells(&csv, &columns));
    if (columns > INT32_MAX / 2) {
        return ly_fail(LYRA_TOO_LARGE, "%s: %lld columns are too many", csv.path,
                       (long long)columns);
    }
    end_line(&csv);
    while (next_line(&csv)) {
        int64_t cells = 0;
        LY_TRY(count_cells(&csv, &cells));
        if (cells != columns) {
            return ly_fail(LYRA_BAD_FORMAT, "%s:%lld: found %lld cells, expected %lld", csv.path,
                           (long long)csv.line, (long long)cells, (long long)columns);
        }
        ++table->row_count;
        end_line(&csv);
    }
    table->column_count = (int32_t)columns;
    return LYRA_OK;
}

static LyraStatus read_table(Csv csv, LyraTable *table)
{
    LY_TRY(count_rows(csv, table));
    next_line(&csv);
    LY_TRY(read_names(&csv, table));
    LY_TRY(ly_allocate_array(table->ctx, table->column_count * table->row_count, sizeof(double),
                             &table->values));
    LY_TRY(ly_allocate_array(table->ctx, table->row_count, sizeof *table->lines, &table->lines));
    for (int64_t row = 0; row < table->row_count; ++row) {
        end_line(&csv);
        next_line(&csv);
        table->lines[row] = csv.line;
        LY_TRY(read_row(&csv, table, row));
    }
    return LYRA_OK;
}

LyraStatus lyra_table_load_memory(LyraContext *ctx, const LyraMemoryFile *file, LyraTable **out)
{
    LYRA_ASSERT(ctx && file && out);
    const char *text = file->length > 0 ? file->bytes : "";
    Csv csv = {.path = file->path, .at = text, .end = text + file->length, .line = 1};
    if (file->length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        csv.at += 3;
    }
    LyraTable *table = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *table, &table));
    table->ctx = ctx;
    LyraStatus status = read_table(csv, table);
    if (status != LYRA_OK) {
        lyra_table_destroy(table);
        return status;
    }
    *out = table;
    return LYRA_OK;
}

LyraStatus lyra_table_load(LyraContext *ctx, const char *path, LyraTable **out)
{
    LYRA_ASSERT(ctx && path && out);
    LyraMemoryFile file = {.path = path};
    char *text = NULL;
    LY_TRY(ly_file_read(ctx, path, &text, &file.length));
    file.bytes = text;
    LyraStatus status = lyra_table_load_memory(ctx, &file, out);
    ly_release(ctx, text);
    return status;
}

void lyra_table_destroy(LyraTable *table)
{
    if (table) {
        ly_release(table->ctx, table->name_text);
        ly_release(table->ctx, (void *)table->names);
        ly_release(table->ctx, table->values);
        ly_release(table->ctx, table->lines);
        ly_release(table->ctx, table);
    }
}

LyraTableView lyra_table_view(const LyraTable *table)
{
    LYRA_ASSERT(table);
    return (LyraTableView){table->row_count, table->column_count, table->names, table->values,
                           table->lines};
}

int32_t lyra_table_find(const LyraTableView *table, const char *name)
{
    LYRA_ASSERT(table && name);
    for (int32_t c = 0; c < table->column_count; ++c) {
        if (strcmp(table->names[c], name) == 0) {
            return c;
        }
    }
    return -1;
}
