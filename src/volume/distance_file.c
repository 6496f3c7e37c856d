// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Distance fields as structured points of VTK's legacy format: a header of text lines, then the
// numbers as big-endian doubles, x fastest. ParaView opens them as they are.

#include "base/file.h"
#include "base/scanner.h"
#include "volume/distance_field.h"

#include <stdio.h>
#include <string.h>

// 8 bytes of a big-endian double, to or from this machine's order
static uint64_t big_endian(uint64_t bits)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return __builtin_bswap64(bits);
#else
    return bits;
#endif
}

static int64_t sample_count(const LyraDistanceFieldView *shape)
{
    return (int64_t)shape->dimensions[0] * shape->dimensions[1] * (int64_t)shape->dimensions[2];
}

// ---- writing ------------------------------------------------------------------------------------

LyraStatus lyra_distance_field_save(const LyraDistanceField *field, const char *path)
{
    const LyraDistanceFieldView *shape = &field->shape;
    LyWriter *writer = NULL;
    LY_TRY(ly_writer_create(field->ctx, path, &writer));
    ly_writer_string(writer, "# vtk DataFile Version 3.0\nsigned distance, negative inside\n"
                             "BINARY\nDATASET STRUCTURED_POINTS\n");
    ly_writer_print(writer, "DIMENSIONS %d %d %d\nORIGIN", shape->dimensions[0],
                    shape->dimensions[1], shape->dimensions[2]);
    for (int32_t i = 0; i < 3; ++i) {
        ly_writer_char(writer, ' ');
        ly_writer_double(writer, shape->origin[i]);
    }
    ly_writer_string(writer, "\nSPACING");
    for (int32_t i = 0; i < 3; ++i) {
        ly_writer_char(writer, ' ');
        ly_writer_double(writer, shape->spacing);
    }
    int64_t count = sample_count(shape);
    ly_writer_print(writer, "\nPOINT_DATA %lld\nSCALARS distance double 1\nLOOKUP_TABLE default\n",
                    (long long)count);
    for (int64_t i = 0; i < count; ++i) {
        uint64_t bits;
        memcpy(&bits, &field->values[i], sizeof bits);
        bits = big_endian(bits);
        ly_writer_bytes(writer, &bits, sizeof bits);
    }
    ly_writer_char(writer, '\n');
    return ly_writer_commit(writer);
}

// ---- reading ------------------------------------------------------------------------------------

static LyraStatus expect_words(LyScanner *scanner, const char *words)
{
    LySlice line = ly_scanner_rest_of_line(scanner);
    if (!ly_slice_is(line, words)) {
        return ly_scanner_fail_at(scanner, line.text, LYRA_BAD_FORMAT, "the line %s", words);
    }
    ly_scanner_next_line(scanner);
    return LYRA_OK;
}

static LyraStatus expect_keyword(LyScanner *scanner, const char *keyword)
{
    const char *at = scanner->at;
    if (!ly_slice_is(ly_scanner_token(scanner), keyword)) {
        return ly_scanner_fail_at(scanner, at, LYRA_BAD_FORMAT, "%s", keyword);
    }
    return LYRA_OK;
}

static LyraStatus read_three(LyScanner *scanner, const char *keyword, double numbers[3])
{
    LY_TRY(expect_keyword(scanner, keyword));
    for (int32_t i = 0; i < 3; ++i) {
        LY_TRY(ly_scanner_double(scanner, &numbers[i], keyword));
    }
    return ly_scanner_end_line(scanner);
}

static LyraStatus read_header(LyScanner *scanner, LyraDistanceFieldView *shape)
{
    LySlice magic = ly_scanner_rest_of_line(scanner);
    if (magic.length < 22 || memcmp(magic.text, "# vtk DataFile Version", 22) != 0) {
        return ly_scanner_fail_at(scanner, magic.text, LYRA_BAD_FORMAT,
                                  "the line # vtk DataFile Version of VTK's legacy format");
    }
    ly_scanner_next_line(scanner);
    ly_scanner_next_line(scanner); // the title
    LY_TRY(expect_words(scanner, "BINARY"));
    LY_TRY(expect_words(scanner, "DATASET STRUCTURED_POINTS"));
    LY_TRY(expect_keyword(scanner, "DIMENSIONS"));
    for (int32_t i = 0; i < 3; ++i) {
        LY_TRY(ly_scanner_int32_in(scanner, 2, INT32_MAX, &shape->dimensions[i], "DIMENSIONS"));
    }
    LY_TRY(ly_scanner_end_line(scanner));
    double spacing[3];
    LY_TRY(read_three(scanner, "ORIGIN", shape->origin));
    const char *at = scanner->at;
    LY_TRY(read_three(scanner, "SPACING", spacing));
    if (spacing[0] != spacing[1] || spacing[0] != spacing[2] || !(spacing[0] > 0)) {
        return ly_scanner_complain(scanner, at, LYRA_BAD_FORMAT,
                                   "found a spacing that differs between axes or is not positive");
    }
    shape->spacing = spacing[0];
    at = scanner->at;
    int64_t count;
    LY_TRY(expect_keyword(scanner, "POINT_DATA"));
    LY_TRY(ly_scanner_int64(scanner, &count, "POINT_DATA"));
    // the first two fit together, so the product of all three does not overflow
    int64_t plane = (int64_t)shape->dimensions[0] * shape->dimensions[1];
    if (plane > INT32_MAX || count != plane * shape->dimensions[2]) {
        return ly_scanner_complain(
            scanner, at, LYRA_BAD_FORMAT, "found %lld samples, expected %d x %d x %d",
            (long long)count, shape->dimensions[0], shape->dimensions[1], shape->dimensions[2]);
    }
    LY_TRY(ly_scanner_end_line(scanner));
    LY_TRY(expect_words(scanner, "SCALARS distance double 1"));
    return expect_words(scanner, "LOOKUP_TABLE default");
}

static LyraStatus read_values(const LyScanner *scanner, LyraDistanceField *field)
{
    int64_t count = sample_count(&field->shape);
    for (int64_t i = 0; i < count; ++i) {
        uint64_t bits;
        memcpy(&bits, scanner->at + 8 * i, sizeof bits);
        bits = big_endian(bits);
        memcpy(&field->values[i], &bits, sizeof bits);
        if (!isfinite(field->values[i])) {
            return ly_fail(LYRA_BAD_FORMAT, "%s: sample %lld is not finite", scanner->path,
                           (long long)i);
        }
    }
    return LYRA_OK;
}

// `text` has a zero byte after it.
static LyraStatus read_field(LyraContext *ctx, const char *path, const char *text, size_t length,
                             LyraDistanceField **out)
{
    LyraDistanceField *field = NULL;
    LyraDistanceFieldView shape = {.spacing = 0};
    LyScanner scanner = ly_scanner_make(path, text, length, 0);
    LY_TRY(read_header(&scanner, &shape));
    int64_t left = scanner.end - scanner.at;
    // the file is asked before memory is: its header may claim anything
    if (left / 8 < sample_count(&shape)) {
        return ly_fail(LYRA_BAD_FORMAT, "%s: found %lld bytes of samples, expected %lld", path,
                       (long long)left, 8 * (long long)sample_count(&shape));
    }
    LY_TRY(ly_distance_field_allocate(ctx, &shape, &field));
    LyraStatus status = read_values(&scanner, field);
    if (status != LYRA_OK) {
        lyra_distance_field_destroy(field);
        return status;
    }
    *out = field;
    return LYRA_OK;
}

LyraStatus lyra_distance_field_load(LyraContext *ctx, const char *path, LyraDistanceField **out)
{
    char *text = NULL;
    size_t length = 0;
    LY_TRY(ly_file_read(ctx, path, &text, &length));
    LyraStatus status = read_field(ctx, path, text, length, out);
    ly_release(ctx, text);
    return status;
}

LyraStatus lyra_distance_field_load_memory(LyraContext *ctx, const LyraMemoryFile *file,
                                           LyraDistanceField **out)
{
    char *text = NULL;
    LY_TRY(ly_string_copy(ctx, file->length > 0 ? file->bytes : "", file->length, &text));
    LyraStatus status = read_field(ctx, file->path, text, file->length, out);
    ly_release(ctx, text);
    return status;
}
