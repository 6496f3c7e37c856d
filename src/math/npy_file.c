// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// NumPy's .npy files: the bytes 0x93 "NUMPY", a version (two bytes), the length of the header (two
// bytes in version 1, four in version 2, little-endian), the header, then the numbers.
//
// The header is a Python dictionary with the keys 'descr', 'fortran_order' and 'shape', each once
// and in any order, followed by spaces and a newline:
//     {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
// The reader below takes exactly what such a dictionary may hold, and nothing else.

#include "math/matrix_file.h"

#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { MAGIC_BYTES = 6, VERSION_BYTES = 2 };
static const char magic[MAGIC_BYTES] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

typedef enum NumberKind { NUMBER_REAL, NUMBER_INTEGER } NumberKind;

typedef struct NpyHeader {
    NumberKind kind;
    int32_t number_bytes; ///< 4 or 8.
    bool big_endian;
    bool column_major;
    int32_t dimensions; ///< 1 to 3.
    uint64_t shape[3];  ///< Below 2^63.
    size_t data_begin;  ///< Where the numbers begin.
} NpyHeader;

// ---- header text --------------------------------------------------------------------------------

/// A place in the text of a header.
typedef struct Cursor {
    const char *at, *end;
} Cursor;

static void skip_spaces(Cursor *cursor)
{
    while (cursor->at < cursor->end && (*cursor->at == ' ' || *cursor->at == '\t' ||
                                        *cursor->at == '\n' || *cursor->at == '\r')) {
        ++cursor->at;
    }
}

/// Takes `c` if it is next, after spaces.
static bool accept(Cursor *cursor, char c)
{
    skip_spaces(cursor);
    if (cursor->at < cursor->end && *cursor->at == c) {
        ++cursor->at;
        return true;
    }
    return false;
}

static LyraStatus expect(Cursor *cursor, char c)
{
    if (!accept(cursor, c)) {
        return ly_fail(LYRA_BAD_FORMAT, "the header of the .npy file lacks a '%c'", c);
    }
    return LYRA_OK;
}

/// Takes a word of letters if it is next.
static bool accept_word(Cursor *cursor, const char *word)
{
    skip_spaces(cursor);
    size_t length = strlen(word);
    if ((size_t)(cursor->end - cursor->at) >= length && memcmp(cursor->at, word, length) == 0) {
        cursor->at += length;
        return true;
    }
    return false;
}

/// String in single or double quotes, without escapes, of less than `room` characters.
static LyraStatus read_string(Cursor *cursor, char *text, size_t room)
{
    skip_spaces(cursor);
    if (cursor->at == cursor->end || (*cursor->at != '\'' && *cursor->at != '"')) {
        return ly_fail(LYRA_BAD_FORMAT, "the header of the .npy file lacks a string in quotes");
    }
    char quote = *cursor->at++;
    size_t length = 0;
    while (cursor->at < cursor->end && *cursor->at != quote) {
        // nothing but printable ASCII, so that messages can show it
        if (*cursor->at < ' ' || *cursor->at > '~' || length + 1 == room) {
            return ly_fail(LYRA_BAD_FORMAT, "a string in the header of the .npy file is %s",
                           length + 1 == room ? "too long" : "not plain text");
        }
        text[length++] = *cursor->at++;
    }
    text[length] = 0;
    return expect(cursor, quote);
}

/// Decimal digits, and the L that old versions of Python added.
static LyraStatus read_count(Cursor *cursor, uint64_t *count)
{
    skip_spaces(cursor);
    const char *begin = cursor->at;
    uint64_t value = 0;
    while (cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9') {
        value = 10 * value + (uint64_t)(*cursor->at++ - '0');
        if (value > (uint64_t)INT64_MAX / 16) {
            return ly_fail(LYRA_BAD_FORMAT,
                           "a size in the header of the .npy file is out of range");
        }
    }
    if (cursor->at == begin) {
        return ly_fail(LYRA_BAD_FORMAT,
                       "the shape in the header of the .npy file is not made of sizes");
    }
    if (cursor->at < cursor->end && *cursor->at == 'L') {
        ++cursor->at;
    }
    *count = value;
    return LYRA_OK;
}

// ---- header values ------------------------------------------------------------------------------

/// Type of the numbers: byte order, kind, size.
static LyraStatus read_descr(Cursor *cursor, NpyHeader *header)
{
    char text[32];
    skip_spaces(cursor);
    if (cursor->at < cursor->end && *cursor->at == '[') {
        return ly_fail(LYRA_UNSUPPORTED, "the .npy file holds records, not plain numbers");
    }
    LY_TRY(read_string(cursor, text, sizeof text));
    bool good = strlen(text) == 3 && strchr("<>=", text[0]) && strchr("fi", text[1]) &&
                strchr("48", text[2]);
    if (!good) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "the .npy file holds numbers of type '%s'; f4, f8, i4 and i8 can be read",
                       text);
    }
    const uint16_t probe = 1;
    unsigned char first = 0;
    memcpy(&first, &probe, 1);
    header->big_endian = text[0] == '>' || (text[0] == '=' && first == 0);
    header->kind = text[1] == 'f' ? NUMBER_REAL : NUMBER_INTEGER;
    header->number_bytes = text[2] - '0';
    return LYRA_OK;
}

static LyraStatus read_shape(Cursor *cursor, NpyHeader *header)
{
    LY_TRY(expect(cursor, '('));
    int32_t count = 0;
    bool comma = true;
    while (!accept(cursor, ')')) {
        uint64_t size = 0;
        if (!comma) {
            return ly_fail(LYRA_BAD_FORMAT, "the shape in the header of the .npy file lacks a ','");
        }
        LY_TRY(read_count(cursor, &size));
        if (count < 3) {
            header->shape[count] = size;
        }
        ++count;
        comma = accept(cursor, ',');
    }
    // (3) is a number in Python, (3,) a tuple
    if (count == 1 && !comma) {
        return ly_fail(LYRA_BAD_FORMAT, "the shape in the header of the .npy file is no tuple");
    }
    header->dimensions = count;
    return LYRA_OK;
}

static LyraStatus read_order(Cursor *cursor, NpyHeader *header)
{
    header->column_major = accept_word(cursor, "True");
    if (!header->column_major && !accept_word(cursor, "False")) {
        return ly_fail(LYRA_BAD_FORMAT,
                       "'fortran_order' in the header of the .npy file is neither True nor False");
    }
    return LYRA_OK;
}

static LyraStatus read_dictionary(Cursor *cursor, NpyHeader *header)
{
    static const char *const names[] = {"descr", "fortran_order", "shape"};
    bool found[3] = {false};
    LY_TRY(expect(cursor, '{'));
    bool comma = true;
    while (!accept(cursor, '}')) {
        char key[32];
        int32_t which = 0;
        if (!comma) {
            return ly_fail(LYRA_BAD_FORMAT, "the header of the .npy file lacks a ','");
        }
        LY_TRY(read_string(cursor, key, sizeof key));
        while (which < 3 && strcmp(key, names[which]) != 0) {
            ++which;
        }
        if (which == 3 || found[which]) {
            return ly_fail(LYRA_BAD_FORMAT, "the header of the .npy file has %s key '%s'",
                           which == 3 ? "an unknown" : "a second", key);
        }
        found[which] = true;
        LY_TRY(expect(cursor, ':'));
        switch (which) {
        case 0:
            LY_TRY(read_descr(cursor, header));
            break;
        case 1:
            LY_TRY(read_order(cursor, header));
            break;
        default:
            LY_TRY(read_shape(cursor, header));
            break;
        }
        comma = accept(cursor, ',');
    }
    for (int32_t i = 0; i < 3; ++i) {
        if (!found[i]) {
            return ly_fail(LYRA_BAD_FORMAT, "the header of the .npy file lacks the key '%s'",
                           names[i]);
        }
    }
    skip_spaces(cursor);
    if (cursor->at != cursor->end) {
        return ly_fail(LYRA_BAD_FORMAT, "the header of the .npy file goes on after its '}'");
    }
    return LYRA_OK;
}

static LyraStatus read_header(const char *bytes, size_t length, NpyHeader *header)
{
    size_t at = MAGIC_BYTES + VERSION_BYTES;
    if (length < at || memcmp(bytes, magic, MAGIC_BYTES) != 0) {
        return ly_fail(LYRA_BAD_FORMAT, "this is no .npy file: it does not begin with \\x93NUMPY");
    }
    int major = (unsigned char)bytes[MAGIC_BYTES], minor = (unsigned char)bytes[MAGIC_BYTES + 1];
    if ((major != 1 && major != 2) || minor != 0) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "the .npy file has format version %d.%d; 1.0 and 2.0 can be read", major,
                       minor);
    }
    int32_t length_bytes = major == 1 ? 2 : 4;
    if (length - at < (size_t)length_bytes ||
        length - at - (size_t)length_bytes < ly_bytes_little(bytes + at, length_bytes)) {
        return ly_fail(LYRA_BAD_FORMAT, "the .npy file ends within its header");
    }
    size_t text_length = (size_t)ly_bytes_little(bytes + at, length_bytes);
    at += (size_t)length_bytes;
    Cursor cursor = {.at = bytes + at, .end = bytes + at + text_length};
    header->data_begin = at + text_length;
    return read_dictionary(&cursor, header);
}

// ---- numbers ------------------------------------------------------------------------------------

static LyraStatus check_dimensions(const NpyHeader *header, int32_t most)
{
    if (header->dimensions == 0 || header->dimensions > most) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "the .npy file holds an array of %d dimensions; 1 %s %d can be read",
                       header->dimensions, most == 2 ? "and" : "to", most);
    }
    return LYRA_OK;
}

/// False for an integer that a double cannot hold.
static bool read_number(const NpyHeader *header, const char *bytes, double *value)
{
    int32_t size = header->number_bytes;
    uint64_t bits = header->big_endian ? ly_bytes_big(bytes, size) : ly_bytes_little(bytes, size);
    if (header->kind == NUMBER_REAL && size == 8) {
        memcpy(value, &bits, sizeof *value);
    } else if (header->kind == NUMBER_REAL) {
        uint32_t short_bits = (uint32_t)bits;
        float real = 0;
        memcpy(&real, &short_bits, sizeof real);
        *value = real;
    } else {
        int64_t integer = size == 4 ? (int32_t)(uint32_t)bits : (int64_t)bits;
        *value = (double)integer;
        // 2^63 is a double, but no int64
        return *value < 0x1p63 && (int64_t)*value == integer;
    }
    return true;
}

/// Numbers of an array of one or two dimensions, which are all of `data` [found].
static LyraStatus read_array(LyraContext *ctx, const NpyHeader *head, const char *data,
                             uint64_t found, LyraDense **out)
{
    NpyHeader header = *head;
    uint64_t rows = header.shape[0], columns = header.dimensions == 2 ? header.shape[1] : 1;
    if (rows > INT32_MAX || columns > INT32_MAX) {
        return ly_fail(LYRA_TOO_LARGE, "the .npy file holds an array of %llu x %llu, too large",
                       (unsigned long long)rows, (unsigned long long)columns);
    }
    uint64_t expected = rows * columns * (uint64_t)header.number_bytes;
    if (rows * columns > found / (uint64_t)header.number_bytes || expected != found) {
        return ly_fail(LYRA_BAD_FORMAT,
                       "the .npy file should hold %llu numbers of %d bytes, but has %llu bytes of "
                       "data",
                       (unsigned long long)(rows * columns), header.number_bytes,
                       (unsigned long long)found);
    }
    LyraDense *matrix = NULL;
    LY_TRY(lyra_dense_create(ctx, (int32_t)rows, (int32_t)columns, &matrix));
    double *values = lyra_dense_values(matrix);
    for (uint64_t i = 0; i < rows * columns; ++i) {
        // where number i of the file stands in column-major order
        uint64_t place = header.column_major ? i : i / columns + i % columns * rows;
        if (!read_number(&header, data + i * (uint64_t)header.number_bytes, &values[place])) {
            lyra_dense_destroy(matrix);
            return ly_fail(LYRA_UNSUPPORTED,
                           "number %llu (from 0) in the .npy file is an integer that a double "
                           "cannot hold exactly",
                           (unsigned long long)i);
        }
    }
    *out = matrix;
    return LYRA_OK;
}

LyraStatus ly_dense_parse_npy(LyraContext *ctx, const char *bytes, size_t length, LyraDense **out)
{
    NpyHeader header = {0};
    LY_TRY(read_header(bytes, length, &header));
    LY_TRY(check_dimensions(&header, 2));
    return read_array(ctx, &header, bytes + header.data_begin, length - header.data_begin, out);
}

LyraStatus lyra_dense_load_npy(LyraContext *ctx, const char *path, LyraDense **out)
{
    LYRA_ASSERT(ctx && path && out);
    char *bytes = NULL;
    size_t length = 0;
    LY_TRY(ly_file_read(ctx, path, &bytes, &length));
    LyraStatus status = ly_dense_parse_npy(ctx, bytes, length, out);
    ly_release(ctx, bytes);
    return status == LYRA_OK ? status : ly_fail_within(status, "%s", path);
}

// ---- one frame of many --------------------------------------------------------------------------

enum { HEADER_MAX = 1 << 16 };

/// Turns the header of all frames into that of one, and finds the bytes it takes.
static LyraStatus choose_frame(NpyHeader *header, int64_t frame, uint64_t *begin, uint64_t *bytes)
{
    uint64_t frames = 1, numbers = header->dimensions > 1 ? header->shape[1] : 1;
    if (header->dimensions == 3) {
        frames = header->shape[0];
        if (header->column_major) {
            return ly_fail(LYRA_UNSUPPORTED,
                           "the .npy file holds frames in Fortran order; C order can be read");
        }
        header->shape[0] = header->shape[1];
        header->shape[1] = header->shape[2];
        header->dimensions = 2;
        numbers = header->shape[1];
    }
    uint64_t chosen = frame < 0 ? frames + (uint64_t)frame : (uint64_t)frame;
    if (chosen >= frames) {
        return ly_fail(
            LYRA_INVALID_ARGUMENT,
            "the .npy file has %llu frame%s, and no frame %lld; frames count from 0, and "
            "from -1 backwards from the end",
            (unsigned long long)frames, frames == 1 ? "" : "s", (long long)frame);
    }
    if (header->shape[0] > INT32_MAX || numbers > INT32_MAX) {
        return ly_fail(LYRA_TOO_LARGE, "a frame of the .npy file is too large");
    }
    *bytes = header->shape[0] * numbers * (uint64_t)header->number_bytes;
    if (*bytes > 0 && chosen > (uint64_t)INT64_MAX / 2 / *bytes) {
        return ly_fail(LYRA_BAD_FORMAT, "the .npy file is too short for its frames");
    }
    *begin = header->data_begin + chosen * *bytes;
    return LYRA_OK;
}

static LyraStatus load_frame(LyraContext *ctx, FILE *stream, int64_t frame, char **buffer,
                             LyraDense **out)
{
    NpyHeader header = {0};
    uint64_t begin = 0, bytes = 0;
    LY_TRY(ly_allocate_array(ctx, HEADER_MAX, 1, (void *)buffer));
    size_t length = fread(*buffer, 1, HEADER_MAX, stream);
    LY_TRY(read_header(*buffer, length, &header));
    LY_TRY(check_dimensions(&header, 3));
    LY_TRY(choose_frame(&header, frame, &begin, &bytes));
    // what the header claims must be there before memory is taken for it
    if (fseeko(stream, 0, SEEK_END) != 0 || ftello(stream) < 0 ||
        (uint64_t)ftello(stream) < begin + bytes || fseeko(stream, (off_t)begin, SEEK_SET) != 0) {
        return ly_fail(LYRA_BAD_FORMAT, "the .npy file ends within frame %lld", (long long)frame);
    }
    LY_TRY(ly_resize_array(ctx, (int64_t)bytes, 1, (void *)buffer));
    if (fread(*buffer, 1, bytes, stream) != bytes) {
        return ly_fail(LYRA_IO_FAILED, "frame %lld of the .npy file could not be read",
                       (long long)frame);
    }
    return read_array(ctx, &header, *buffer, bytes, out);
}

LyraStatus lyra_dense_load_npy_frame(LyraContext *ctx, const char *path, int64_t frame,
                                     LyraDense **out)
{
    LYRA_ASSERT(ctx && path && out);
    char *buffer = NULL;
    FILE *stream = fopen(path, "rb");
    if (!stream) {
        return ly_fail_system("read", path, errno);
    }
    LyraStatus status = load_frame(ctx, stream, frame, &buffer, out);
    fclose(stream);
    ly_release(ctx, buffer);
    return status == LYRA_OK ? status : ly_fail_within(status, "%s", path);
}

// ---- writing ------------------------------------------------------------------------------------

LyraStatus lyra_dense_save_npy(LyraContext *ctx, const char *path, LyraNpyLayout layout,
                               LyraDenseView matrix)
{
    LYRA_ASSERT(ctx && path);
    bool vector = layout == LYRA_NPY_VECTOR, row_major = layout == LYRA_NPY_ROW_MAJOR;
    if (!vector && !row_major && layout != LYRA_NPY_COLUMN_MAJOR) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "%s: %d is no layout of .npy files", path,
                       (int)layout);
    }
    if (matrix.rows < 0 || matrix.columns < 0 || (vector && matrix.columns != 1)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "%s: a matrix of %d x %d cannot be written as %s",
                       path, matrix.rows, matrix.columns, vector ? "a vector" : "an array");
    }
    char shape[40], text[128], head[MAGIC_BYTES + VERSION_BYTES + 2];
    if (vector) {
        snprintf(shape, sizeof shape, "(%d,)", matrix.rows);
    } else {
        snprintf(shape, sizeof shape, "(%d, %d)", matrix.rows, matrix.columns);
    }
    int written =
        snprintf(text, sizeof text, "{'descr': '<f8', 'fortran_order': %s, 'shape': %s, }",
                 layout == LYRA_NPY_COLUMN_MAJOR ? "True" : "False", shape);
    // spaces up to a newline, so that the numbers begin at byte 128
    size_t text_length = sizeof text - sizeof head;
    memset(text + written, ' ', text_length - (size_t)written);
    text[text_length - 1] = '\n';
    memcpy(head, magic, MAGIC_BYTES);
    head[MAGIC_BYTES] = 1;
    head[MAGIC_BYTES + 1] = 0;
    ly_bytes_put_little(head + MAGIC_BYTES + VERSION_BYTES, 2, text_length);

    LyWriter *writer = NULL;
    LY_TRY(ly_writer_create(ctx, path, &writer));
    ly_writer_bytes(writer, head, sizeof head);
    ly_writer_bytes(writer, text, text_length);
    int64_t rows = matrix.rows, columns = matrix.columns;
    for (int64_t i = 0; i < rows * columns && ly_writer_status(writer) == LYRA_OK; ++i) {
        int64_t place = row_major ? i / columns + i % columns * rows : i;
        uint64_t bits = 0;
        char number[8];
        memcpy(&bits, &matrix.values[place], sizeof bits);
        ly_bytes_put_little(number, 8, bits);
        ly_writer_bytes(writer, number, sizeof number);
    }
    return ly_writer_commit(writer);
}
