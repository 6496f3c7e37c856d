// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Data arrays of VTK's XML files come in four ways: text between the tags, base64 between the tags,
// and raw bytes or base64 behind the underscore of <AppendedData>. Those that are not text start
// with the number of their bytes, 4 or 8 bytes long. In base64 that head is padded and encoded on
// its own by some writers and together with the data by others: decoding goes on behind padding, so
// that both come out the same.

#include "mesh/vtu.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int32_t size;
} types[LY_VTU_TYPE_COUNT] = {
    [LY_VTU_INT8] = {"Int8", 1},       [LY_VTU_UINT8] = {"UInt8", 1},
    [LY_VTU_INT16] = {"Int16", 2},     [LY_VTU_UINT16] = {"UInt16", 2},
    [LY_VTU_INT32] = {"Int32", 4},     [LY_VTU_UINT32] = {"UInt32", 4},
    [LY_VTU_INT64] = {"Int64", 8},     [LY_VTU_UINT64] = {"UInt64", 8},
    [LY_VTU_FLOAT32] = {"Float32", 4}, [LY_VTU_FLOAT64] = {"Float64", 8},
    [LY_VTU_STRING] = {"String", 1},
};

LyraStatus ly_vtu_fail(const LyVtuFile *file, const LyVtuArray *array, LyraStatus status,
                       const char *format, ...)
{
    char sentence[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return ly_scanner_complain(&file->scanner, array->at, status, "array \"%s\": %s", array->name,
                               sentence);
}

// ---- the tag ------------------------------------------------------------------------------------

LyraStatus ly_vtu_array_read(const LyVtuFile *file, const LyXmlTag *tag, LyVtuArray *array)
{
    array->at = tag->at;
    char quoted[LY_QUOTE_CHARS];
    LySlice type = ly_xml_attribute(tag, "type");
    int32_t found = LY_VTU_TYPE_COUNT;
    for (int32_t t = 0; t < LY_VTU_TYPE_COUNT; ++t) {
        found = type.text && ly_slice_is(type, types[t].name) ? t : found;
    }
    if (found == LY_VTU_TYPE_COUNT) {
        return ly_vtu_fail(file, array, LYRA_BAD_FORMAT,
                           "found the type %s, expected Float64, Int32 or another of VTK's",
                           ly_quote(quoted, type));
    }
    array->type = (LyVtuType)found;
    LySlice format = ly_xml_attribute(tag, "format");
    if (!format.text || ly_slice_is(format, "ascii")) {
        array->format = LY_VTU_ASCII;
    } else if (ly_slice_is(format, "binary")) {
        array->format = LY_VTU_BINARY;
    } else if (ly_slice_is(format, "appended")) {
        array->format = LY_VTU_APPENDED;
    } else {
        return ly_vtu_fail(file, array, LYRA_BAD_FORMAT,
                           "found the format %s, expected ascii, binary or appended",
                           ly_quote(quoted, format));
    }
    if (file->compressed && array->format != LY_VTU_ASCII) {
        return ly_vtu_fail(file, array, LYRA_UNSUPPORTED,
                           "found compressed data, expected a file without compressor");
    }
    LY_TRY(ly_xml_integer(&file->scanner, tag, "NumberOfComponents", 1, 1000000, 1,
                          &array->components));
    int64_t no_offset = array->format == LY_VTU_APPENDED ? -1 : 0;
    return ly_xml_integer(&file->scanner, tag, "offset", 0, INT64_MAX, no_offset, &array->offset);
}

// ---- bytes --------------------------------------------------------------------------------------

/// Value of a base64 digit, -1 for other bytes.
static int32_t base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/// Decodes into `out`, which has room for 3 bytes per 4 characters, until something else comes.
static size_t decode_base64(LySlice text, char *out)
{
    size_t written = 0;
    uint32_t bits = 0, count = 0;
    for (size_t i = 0; i < text.length; ++i) {
        char c = text.text[i];
        int32_t digit = base64_digit(c);
        if (digit >= 0) {
            bits = bits << 6 | (uint32_t)digit;
            count += 1;
            if (count == 4) {
                out[written++] = (char)(bits >> 16);
                out[written++] = (char)(bits >> 8);
                out[written++] = (char)bits;
                count = 0;
            }
        } else if (c == '=') {
            // two digits stand for one byte, three for two; more padding may follow
            if (count >= 2) {
                out[written++] = (char)(bits >> (count == 2 ? 4 : 10));
            }
            if (count == 3) {
                out[written++] = (char)(bits >> 2);
            }
            count = 0;
        } else if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
            break;
        }
    }
    return written;
}

/// `size` bytes as an integer, zero-extended.
static uint64_t load_bytes(const char *at, int32_t size, bool big_endian)
{
    uint64_t value = 0;
    for (int32_t i = 0; i < size; ++i) {
        int32_t shift = 8 * (big_endian ? size - 1 - i : i);
        value |= (uint64_t)(uint8_t)at[i] << shift;
    }
    return value;
}

/// Finds the bytes of an array that is not text, the head in front of them included.
static LyraStatus find_bytes(LyVtuValues *values, LySlice *bytes)
{
    const LyVtuFile *file = values->file;
    const LyVtuArray *array = values->array;
    LySlice source = array->text;
    if (array->format == LY_VTU_APPENDED) {
        if (!file->appended.text || array->offset > (int64_t)file->appended.length) {
            return ly_vtu_fail(file, array, LYRA_BAD_FORMAT,
                               "found the offset %lld, expected one inside the appended data of "
                               "%zu bytes",
                               (long long)array->offset,
                               file->appended.text ? file->appended.length : 0);
        }
        source.text = file->appended.text + array->offset;
        source.length = file->appended.length - (size_t)array->offset;
        if (!file->appended_base64) {
            *bytes = source;
            return LYRA_OK;
        }
        // other arrays follow: the head tells how much belongs to this one, padding included
        char head[16];
        int32_t head_size = file->header_64 ? 8 : 4;
        LySlice start = {source.text, source.length < 12 ? source.length : 12};
        if (decode_base64(start, head) >= (size_t)head_size) {
            uint64_t size = load_bytes(head, head_size, file->big_endian);
            size_t most = size < source.length ? (size_t)size / 3 * 4 + 32 : source.length;
            source.length = most < source.length ? most : source.length;
        }
    }
    LY_TRY(ly_allocate_array(file->ctx, (int64_t)(source.length / 4 * 3 + 3), 1, &values->decoded));
    *bytes = (LySlice){values->decoded, decode_base64(source, values->decoded)};
    return LYRA_OK;
}

// ---- values -------------------------------------------------------------------------------------

static LyraStatus fail_count(const LyVtuValues *values, int64_t found, int64_t expected)
{
    return ly_vtu_fail(values->file, values->array, LYRA_BAD_FORMAT,
                       "found %lld values, expected %lld", (long long)found, (long long)expected);
}

static LyraStatus open_bytes(LyVtuValues *values, int64_t count)
{
    LySlice bytes = {0};
    LY_TRY(find_bytes(values, &bytes));
    const LyVtuFile *file = values->file;
    int32_t head = file->header_64 ? 8 : 4;
    if (bytes.length < (size_t)head) {
        // VTK leaves out everything for an empty array
        values->most = 0;
        return count > 0 ? fail_count(values, 0, count) : LYRA_OK;
    }
    uint64_t size = load_bytes(bytes.text, head, file->big_endian);
    if (size > bytes.length - (size_t)head) {
        return ly_vtu_fail(file, values->array, LYRA_BAD_FORMAT,
                           "found %zu bytes of data, expected %llu as its head says",
                           bytes.length - (size_t)head, (unsigned long long)size);
    }
    values->at = bytes.text + head;
    values->most = (int64_t)(size / (uint64_t)types[values->array->type].size);
    values->left = values->most;
    return count >= 0 && values->most != count ? fail_count(values, values->most, count) : LYRA_OK;
}

LyraStatus ly_vtu_values_open(LyVtuValues *values, const LyVtuFile *file, const LyVtuArray *array,
                              int64_t count)
{
    *values = (LyVtuValues){.file = file, .array = array};
    LyraStatus status = LYRA_OK;
    if (array->format == LY_VTU_ASCII) {
        values->text = file->scanner;
        values->text.at = array->text.text;
        values->text.end = array->text.text + array->text.length;
        values->text.comment = '<'; // the closing tag, where numbers end as in front of a blank
        // a digit and a blank
        values->most = (int64_t)(array->text.length + 1) / 2;
        status = count > values->most ? fail_count(values, values->most, count) : LYRA_OK;
    } else {
        status = open_bytes(values, count);
    }
    if (status != LYRA_OK) {
        ly_vtu_values_close(values);
    }
    return status;
}

void ly_vtu_values_close(LyVtuValues *values)
{
    if (values->file) {
        ly_release(values->file->ctx, values->decoded);
    }
    *values = (LyVtuValues){0};
}

/// Goes to the next number of a text.
static bool next_text(LyVtuValues *values)
{
    LyScanner *text = &values->text;
    while (text->at < text->end && ly_char_class[(uint8_t)*text->at] && *text->at) {
        ++text->at;
    }
    return text->at < text->end;
}

bool ly_vtu_values_more(LyVtuValues *values)
{
    return values->array->format == LY_VTU_ASCII ? next_text(values) : values->left > 0;
}

/// Goes to the next value, of which there must be one.
static LyraStatus next_value(LyVtuValues *values)
{
    if (!ly_vtu_values_more(values)) {
        return ly_vtu_fail(values->file, values->array, LYRA_BAD_FORMAT,
                           "found the end of its data, expected more values");
    }
    values->left -= 1;
    return LYRA_OK;
}

LyraStatus ly_vtu_values_double(LyVtuValues *values, double *value)
{
    LY_TRY(next_value(values));
    if (values->array->format == LY_VTU_ASCII) {
        return ly_scanner_double(&values->text, value, values->array->name);
    }
    int32_t size = types[values->array->type].size;
    uint64_t bits = load_bytes(values->at, size, values->file->big_endian);
    values->at += size;
    double number;
    float narrow;
    uint32_t narrow_bits = (uint32_t)bits;
    switch (values->array->type) {
    case LY_VTU_FLOAT64:
        memcpy(&number, &bits, sizeof number);
        break;
    case LY_VTU_FLOAT32:
        memcpy(&narrow, &narrow_bits, sizeof narrow);
        number = narrow;
        break;
    default:
        return ly_vtu_fail(values->file, values->array, LYRA_BAD_FORMAT,
                           "found the type %s, expected Float32 or Float64",
                           types[values->array->type].name);
    }
    if (!isfinite(number)) {
        return ly_vtu_fail(values->file, values->array, LYRA_NOT_FINITE,
                           "found a NaN or an infinity, expected finite numbers");
    }
    *value = number;
    return LYRA_OK;
}

LyraStatus ly_vtu_values_integer(LyVtuValues *values, int64_t low, int64_t high, int64_t *value)
{
    LY_TRY(next_value(values));
    if (values->array->format == LY_VTU_ASCII) {
        return ly_scanner_int64_in(&values->text, low, high, value, values->array->name);
    }
    LyVtuType type = values->array->type;
    if (type == LY_VTU_FLOAT32 || type == LY_VTU_FLOAT64) {
        return ly_vtu_fail(values->file, values->array, LYRA_BAD_FORMAT,
                           "found the type %s, expected integers", types[type].name);
    }
    int32_t size = types[type].size;
    uint64_t bits = load_bytes(values->at, size, values->file->big_endian);
    values->at += size;
    bool is_signed = type == LY_VTU_INT8 || type == LY_VTU_INT16 || type == LY_VTU_INT32;
    if (is_signed && bits >> (8 * size - 1)) {
        bits |= ~UINT64_C(0) << (8 * size - 1);
    }
    int64_t number = (int64_t)bits;
    if (number < low || number > high || (type == LY_VTU_UINT64 && number < 0)) {
        return ly_vtu_fail(values->file, values->array, LYRA_BAD_FORMAT,
                           "found %lld, expected an integer from %lld to %lld", (long long)number,
                           (long long)low, (long long)high);
    }
    *value = number;
    return LYRA_OK;
}

LyraStatus ly_vtu_values_end(const LyVtuValues *values)
{
    LyVtuValues copy = *values;
    if (values->array->format == LY_VTU_ASCII && next_text(&copy)) {
        return ly_scanner_fail(&copy.text, LYRA_BAD_FORMAT, "the end of the array \"%s\"",
                               values->array->name);
    }
    return LYRA_OK;
}
