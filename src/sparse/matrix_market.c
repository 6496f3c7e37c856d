// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Matrix Market files.
//
//   %%MatrixMarket matrix coordinate|array real|integer|pattern general|symmetric|skew-symmetric
//   % comments and blank lines
//   rows columns entries          (coordinate)      rows columns   (array)
//   row column value              1-based           value          column by column
//
// Symmetric files hold the lower triangle, skew-symmetric ones what is strictly below the diagonal.
// Counts are checked against the bytes that are there before memory is asked for.

#include "lyra/matrix_market.h"
#include "base/file.h"
#include "base/scanner.h"
#include "sparse/sparse.h"

#include <math.h>

typedef enum Symmetry { GENERAL, SYMMETRIC, SKEW } Symmetry;
typedef enum Field { FIELD_REAL, FIELD_INTEGER, FIELD_PATTERN } Field;

// a file on its way in
typedef struct Reader {
    LyScanner scanner;
    bool array;
    Field field;
    Symmetry symmetry;
    int32_t row_count, column_count;
    int64_t count; // entries read, with the mirrored ones of skew-symmetric files
    int32_t *row, *column;
    double *value;
} Reader;

// ---- reading ------------------------------------------------------------------------------------

// one word of the first line out of `words`, ended by NULL
static LyraStatus read_word(LyScanner *scanner, const char *const *words, const char *expected,
                            int32_t *index)
{
    LySlice token = ly_scanner_peek(scanner);
    for (int32_t i = 0; words[i]; ++i) {
        if (ly_slice_is_word(token, words[i])) {
            ly_scanner_token(scanner);
            *index = i;
            return LYRA_OK;
        }
    }
    bool complex = ly_slice_is_word(token, "complex") || ly_slice_is_word(token, "hermitian");
    return ly_scanner_fail(scanner, complex ? LYRA_UNSUPPORTED : LYRA_BAD_FORMAT, "%s", expected);
}

static LyraStatus read_banner(Reader *reader)
{
    static const char *const banner[] = {"%%MatrixMarket", NULL}, *const object[] = {"matrix",
                                                                                     NULL};
    static const char *const format[] = {"coordinate", "array", NULL};
    static const char *const field[] = {"real", "integer", "pattern", "double", NULL};
    static const char *const symmetry[] = {"general", "symmetric", "skew-symmetric", NULL};
    LyScanner *scanner = &reader->scanner;
    int32_t index = 0;
    LY_TRY(read_word(scanner, banner, "%%MatrixMarket", &index));
    LY_TRY(read_word(scanner, object, "the word matrix", &index));
    LY_TRY(read_word(scanner, format, "coordinate or array", &index));
    reader->array = index == 1;
    const char *at = scanner->at;
    LY_TRY(read_word(scanner, field, "real, integer or pattern", &index));
    reader->field = index == 3 ? FIELD_REAL : (Field)index;
    if (reader->array && reader->field == FIELD_PATTERN) {
        return ly_scanner_fail_at(scanner, at, LYRA_BAD_FORMAT, "real or integer for an array");
    }
    at = scanner->at;
    LY_TRY(read_word(scanner, symmetry, "general, symmetric or skew-symmetric", &index));
    reader->symmetry = (Symmetry)index;
    if (reader->field == FIELD_PATTERN && reader->symmetry == SKEW) {
        return ly_scanner_fail_at(scanner, at, LYRA_BAD_FORMAT,
                                  "general or symmetric for a pattern");
    }
    LY_TRY(ly_scanner_end_line(scanner));
    scanner->comment = '%';
    return LYRA_OK;
}

static LyraStatus read_size(Reader *reader, int64_t *entries)
{
    LyScanner *scanner = &reader->scanner;
    ly_scanner_next_content(scanner);
    const char *at = scanner->at;
    LY_TRY(ly_scanner_int32_in(scanner, 0, INT32_MAX, &reader->row_count, "the rows"));
    LY_TRY(ly_scanner_int32_in(scanner, 0, INT32_MAX, &reader->column_count, "the columns"));
    int64_t rows = reader->row_count, columns = reader->column_count;
    if (reader->array) {
        *entries = reader->symmetry == GENERAL     ? rows * columns
                   : reader->symmetry == SYMMETRIC ? rows * (rows + 1) / 2
                                                   : rows * (rows - 1) / 2;
    } else {
        LY_TRY(ly_scanner_int64_in(scanner, 0, INT64_MAX, entries, "the entries"));
    }
    LY_TRY(ly_scanner_end_line(scanner));
    if (reader->symmetry != GENERAL && rows != columns) {
        return ly_scanner_complain(scanner, at, LYRA_BAD_FORMAT,
                                   "found %lld rows and %lld columns, expected a square matrix",
                                   (long long)rows, (long long)columns);
    }
    int64_t bytes = scanner->end - scanner->begin, limit = 1000000 + 16 * bytes;
    if (rows > limit || columns > limit) {
        return ly_scanner_complain(
            scanner, at, LYRA_TOO_LARGE,
            "found %lld rows and %lld columns, expected at most %lld for a file of %lld bytes",
            (long long)rows, (long long)columns, (long long)limit, (long long)bytes);
    }
    // shortest entries, with the end of their line, which the last one may lack
    int64_t shortest = reader->array ? 2 : reader->field == FIELD_PATTERN ? 4 : 6;
    int64_t room = (scanner->end - scanner->at + 1) / shortest;
    if (*entries > room) {
        return ly_scanner_complain(
            scanner, at, LYRA_BAD_FORMAT,
            "found a count of %lld entries, but the rest of the file has room for %lld at most",
            (long long)*entries, (long long)room);
    }
    return LYRA_OK;
}

static LyraStatus read_value(Reader *reader, double *value)
{
    if (reader->field == FIELD_INTEGER) {
        int64_t whole = 0;
        LY_TRY(ly_scanner_int64(&reader->scanner, &whole, "the value"));
        *value = (double)whole;
        return LYRA_OK;
    }
    return ly_scanner_double(&reader->scanner, value, "the value");
}

static void keep(Reader *reader, int32_t row, int32_t column, double value)
{
    reader->row[reader->count] = row;
    reader->column[reader->count] = column;
    reader->value[reader->count++] = value;
    if (reader->symmetry == SKEW) {
        reader->row[reader->count] = column;
        reader->column[reader->count] = row;
        reader->value[reader->count++] = -value;
    }
}

// positions the scanner in front of entry `index` of `entries`
static LyraStatus find_entry(Reader *reader, int64_t index, int64_t entries)
{
    if (!ly_scanner_next_content(&reader->scanner)) {
        return ly_scanner_fail(&reader->scanner, LYRA_BAD_FORMAT, "%lld entries in all, not %lld",
                               (long long)entries, (long long)index);
    }
    return LYRA_OK;
}

static LyraStatus read_coordinates(Reader *reader, int64_t entries)
{
    LyScanner *scanner = &reader->scanner;
    for (int64_t e = 0; e < entries; ++e) {
        LY_TRY(find_entry(reader, e, entries));
        const char *at = scanner->at;
        int32_t row = 0, column = 0;
        double value = 1.0;
        LY_TRY(ly_scanner_int32_in(scanner, 1, reader->row_count, &row, "the row"));
        LY_TRY(ly_scanner_int32_in(scanner, 1, reader->column_count, &column, "the column"));
        if (reader->symmetry != GENERAL && row < column + (reader->symmetry == SKEW)) {
            return ly_scanner_complain(
                scanner, at, LYRA_BAD_FORMAT,
                "found row %d and column %d, expected an entry %s the diagonal of a %s matrix",
                (int)row, (int)column, reader->symmetry == SKEW ? "below" : "on or below",
                reader->symmetry == SKEW ? "skew-symmetric" : "symmetric");
        }
        if (reader->field != FIELD_PATTERN) {
            LY_TRY(read_value(reader, &value));
        }
        LY_TRY(ly_scanner_end_line(scanner));
        keep(reader, row - 1, column - 1, value);
    }
    return LYRA_OK;
}

static LyraStatus read_array(Reader *reader, int64_t entries)
{
    int64_t e = 0;
    for (int32_t column = 0; e < entries && column < reader->column_count; ++column) {
        int32_t first = reader->symmetry == GENERAL     ? 0
                        : reader->symmetry == SYMMETRIC ? column
                                                        : column + 1;
        for (int32_t row = first; row < reader->row_count; ++row, ++e) {
            double value = 0.0;
            LY_TRY(find_entry(reader, e, entries));
            LY_TRY(read_value(reader, &value));
            LY_TRY(ly_scanner_end_line(&reader->scanner));
            keep(reader, row, column, value);
        }
    }
    return LYRA_OK;
}

// `text` has a zero byte after its last one
static LyraStatus read_text(LyraContext *ctx, const char *path, const char *text, size_t length,
                            LyraCsrPattern **pattern, LyraCsrMatrix **out)
{
    LyraStatus status = LYRA_OK;
    Reader reader = {.scanner = ly_scanner_make(path, text, length, 0)};
    int64_t entries = 0;
    LY_TRY(read_banner(&reader));
    LY_TRY(read_size(&reader, &entries));
    int64_t room = reader.symmetry == SKEW ? 2 * entries : entries;
    LY_TRY_DONE(ly_allocate_array(ctx, room, sizeof(int32_t), &reader.row));
    LY_TRY_DONE(ly_allocate_array(ctx, room, sizeof(int32_t), &reader.column));
    LY_TRY_DONE(ly_allocate_array(ctx, room, sizeof(double), &reader.value));
    LY_TRY_DONE(reader.array ? read_array(&reader, entries) : read_coordinates(&reader, entries));
    if (ly_scanner_next_content(&reader.scanner)) {
        status = ly_scanner_fail(&reader.scanner, LYRA_BAD_FORMAT,
                                 "the end of the file after %lld entries", (long long)entries);
        goto done;
    }
    status = lyra_csr_matrix_create_entries(
        ctx,
        &(LyraCsrEntries){.row_count = reader.row_count,
                          .column_count = reader.column_count,
                          .storage =
                              reader.symmetry == SYMMETRIC ? LYRA_STORAGE_UPPER : LYRA_STORAGE_FULL,
                          .count = reader.count,
                          .row = reader.row,
                          .column = reader.column,
                          .value = reader.value},
        pattern, out);
done:
    ly_release(ctx, reader.row);
    ly_release(ctx, reader.column);
    ly_release(ctx, reader.value);
    return status;
}

LyraStatus lyra_matrix_market_read(LyraContext *ctx, const char *name, const char *text,
                                   size_t length, LyraCsrPattern **pattern, LyraCsrMatrix **out)
{
    LYRA_ASSERT(ctx && name && (text || length == 0) && pattern && out);
    char *copy = NULL;
    LY_TRY(ly_string_copy(ctx, text ? text : "", length, &copy));
    LyraStatus status = read_text(ctx, name, copy, length, pattern, out);
    ly_release(ctx, copy);
    return status;
}

LyraStatus lyra_matrix_market_load(LyraContext *ctx, const char *path, LyraCsrPattern **pattern,
                                   LyraCsrMatrix **out)
{
    LYRA_ASSERT(ctx && path && pattern && out);
    char *text = NULL;
    size_t length = 0;
    LY_TRY(ly_file_read(ctx, path, &text, &length));
    LyraStatus status = read_text(ctx, path, text, length, pattern, out);
    ly_release(ctx, text);
    return status;
}

// ---- writing ------------------------------------------------------------------------------------

static LyraStatus check_finite(const char *path, const double *values, int64_t count)
{
    for (int64_t k = 0; k < count; ++k) {
        if (!isfinite(values[k])) {
            return ly_fail(LYRA_NOT_FINITE, "%s: value %lld of the matrix is not finite", path,
                           (long long)k);
        }
    }
    return LYRA_OK;
}

static void write_head(LyWriter *writer, LyraStorage storage, int64_t rows, int64_t columns,
                       int64_t entries)
{
    ly_writer_print(writer, "%%%%MatrixMarket matrix coordinate real %s\n%lld %lld %lld\n",
                    storage == LYRA_STORAGE_UPPER ? "symmetric" : "general", (long long)rows,
                    (long long)columns, (long long)entries);
}

// an entry of the upper triangle goes to the file as one of the lower
static void write_entry(LyWriter *writer, LyraStorage storage, int64_t row, int64_t column,
                        double value)
{
    bool flip = storage == LYRA_STORAGE_UPPER;
    ly_writer_int(writer, (flip ? column : row) + 1);
    ly_writer_char(writer, ' ');
    ly_writer_int(writer, (flip ? row : column) + 1);
    ly_writer_char(writer, ' ');
    ly_writer_double(writer, value);
    ly_writer_char(writer, '\n');
}

LyraStatus lyra_csr_matrix_save(const LyraCsrMatrix *matrix, const char *path)
{
    LYRA_ASSERT(matrix && path);
    const LyraCsrPattern *pattern = matrix->pattern;
    LY_TRY(check_finite(path, matrix->values, pattern->entry_count));
    LyWriter *writer = NULL;
    LY_TRY(ly_writer_create(matrix->ctx, path, &writer));
    write_head(writer, pattern->storage, pattern->row_count, pattern->column_count,
               pattern->entry_count);
    for (int32_t i = 0; i < pattern->row_count && ly_writer_status(writer) == LYRA_OK; ++i) {
        for (int64_t k = pattern->row_start[i]; k < pattern->row_start[i + 1]; ++k) {
            write_entry(writer, pattern->storage, i, pattern->column[k], matrix->values[k]);
        }
    }
    return ly_writer_commit(writer);
}

LyraStatus lyra_block_matrix_save(const LyraBlockMatrix *matrix, const char *path)
{
    LYRA_ASSERT(matrix && path);
    const LyraBlockPattern *pattern = matrix->pattern;
    bool upper = pattern->storage == LYRA_STORAGE_UPPER;
    LY_TRY(check_finite(path, matrix->values, 9 * pattern->block_count));
    LyWriter *writer = NULL;
    LY_TRY(ly_writer_create(matrix->ctx, path, &writer));
    int64_t rows = 3 * (int64_t)pattern->row_count;
    write_head(writer, pattern->storage, rows, rows, 9 * pattern->block_count - (upper ? rows : 0));
    for (int64_t row = 0; row < rows && ly_writer_status(writer) == LYRA_OK; ++row) {
        for (int64_t k = pattern->row_start[row / 3]; k < pattern->row_start[row / 3 + 1]; ++k) {
            for (int32_t c = 0; c < 3; ++c) {
                int64_t column = 3 * (int64_t)pattern->column[k] + c;
                if (!upper || column >= row) {
                    write_entry(writer, pattern->storage, row, column,
                                matrix->values[9 * k + 3 * (row % 3) + c]);
                }
            }
        }
    }
    return ly_writer_commit(writer);
}
