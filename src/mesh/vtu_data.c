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
    LyScalar type;
} types[] = {
    {"Int8", LY_SCALAR_INT8},       {"UInt8", LY_SCALAR_UINT8},   {"Int16", LY_SCALAR_INT16},
    {"UInt16", LY_SCALAR_UINT16},   {"Int32", LY_SCALAR_INT32},   {"UInt32", LY_SCALAR_UINT32},
    {"Int64", LY_SCALAR_INT64},     {"UInt64", LY_SCALAR_UINT64}, {"Float32", LY_SCALAR_FLOAT32},
    {"Float64", LY_SCALAR_FLOAT64}, {"String", LY_SCALAR_INT8},
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
    int32_t found = -1;
    for (int32_t t = 0; t < LY_COUNT_OF(types); ++t) {
        found = type.text && ly_slice_is(type, types[t].name) ? t : found;
    }
    if (found < 0) {
        return ly_vtu_fail(file, array, LYRA_BAD_FORMAT,
                           "found the type %s, expected Float64, Int32 or another of VTK's",
                           ly_quote(quoted, type));
    }
    array->type = types[found].type;
    array->type_name = types[found].name;
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
    if (file->compressed && !file->zlib && array->format != LY_VTU_ASCII) {
        return ly_vtu_fail(file, array, LYRA_UNSUPPORTED,
                           "found data of another compressor, expected vtkZLibDataCompressor or "
                           "none");
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

/// Decodes the start of a base64 text to at least `bytes` bytes, or all there are.
static LyraStatus decode_start(LyVtuValues *values, LySlice text, uint64_t bytes, LySlice *out)
{
    // padding behind the head, and ends of lines
    uint64_t most = bytes / 3 * 4 + 32 + bytes / 16;
    text.length = most < text.length ? (size_t)most : text.length;
    ly_release(values->file->ctx, values->decoded);
    values->decoded = NULL;
    LY_TRY(ly_allocate_array(values->file->ctx, (int64_t)(text.length / 4 * 3 + 3), 1,
                             &values->decoded));
    *out = (LySlice){values->decoded, decode_base64(text, values->decoded)};
    return LYRA_OK;
}

/// Bytes of an array with its head, as far as `start` tells.
static uint64_t whole_bytes(const LyVtuFile *file, LySlice start)
{
    size_t head = file->header_64 ? 8 : 4;
    if (file->compressed) {
        return ly_vtu_packed_bytes(file, start);
    }
    if (start.length < head) {
        return head;
    }
    uint64_t size = ly_bytes_load(start.text, (int32_t)head, file->big_endian);
    return size > UINT64_MAX / 4 ? size : size + head;
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
    }
    // others may follow: the head tells how much belongs to this one, padding included
    *bytes = (LySlice){"", 0};
    uint64_t known = 0;
    for (;;) {
        uint64_t wanted = whole_bytes(file, *bytes);
        if (wanted <= known || known > source.length) {
            return LYRA_OK;
        }
        known = wanted;
        LY_TRY(decode_start(values, source, wanted, bytes));
    }
}

// ---- values -------------------------------------------------------------------------------------

static LyraStatus fail_count(const LyVtuValues *values, int64_t found, int64_t expected)
{
    return ly_vtu_fail(values->file, values->array, LYRA_BAD_FORMAT,
                       "found %lld values, expected %lld", (long long)found, (long long)expected);
}

/// Finds the data behind the head.
static LyraStatus find_data(LyVtuValues *values, LySlice *data)
{
    const LyVtuFile *file = values->file;
    size_t head = file->header_64 ? 8 : 4, length = 0;
    LY_TRY(find_bytes(values, data));
    if (data->length < head) {
        // VTK leaves out everything for an empty array
        *data = (LySlice){"", 0};
        return LYRA_OK;
    }
    if (file->compressed) {
        LY_TRY(ly_vtu_unpack(file, values->array, *data, &values->unpacked, &length));
        *data = (LySlice){values->unpacked, length};
        return LYRA_OK;
    }
    uint64_t size = ly_bytes_load(data->text, (int32_t)head, file->big_endian);
    if (size > data->length - head) {
        return ly_vtu_fail(file, values->array, LYRA_BAD_FORMAT,
                           "found %zu bytes of data, expected %llu as its head says",
                           data->length - head, (unsigned long long)size);
    }
    *data = (LySlice){data->text + head, (size_t)size};
    return LYRA_OK;
}

static LyraStatus open_bytes(LyVtuValues *values, int64_t count)
{
    LySlice data = {0};
    LY_TRY(find_data(values, &data));
    values->at = data.text;
    values->most = (int64_t)(data.length / (size_t)ly_scalar_size(values->array->type));
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
        ly_release(values->file->ctx, values->unpacked);
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

LyraStatus ly_vtu_values_doubles(LyVtuValues *values, int64_t count, double *numbers)
{
    const LyVtuArray *array = values->array;
    if (array->format == LY_VTU_ASCII) {
        for (int64_t i = 0; i < count; ++i) {
            LY_TRY(next_value(values));
            LY_TRY(ly_scanner_double(&values->text, &numbers[i], array->name));
        }
        return LYRA_OK;
    }
    if (array->type < LY_SCALAR_FLOAT32) {
        return ly_vtu_fail(values->file, array, LYRA_BAD_FORMAT,
                           "found the type %s, expected Float32 or Float64", array->type_name);
    }
    if (count > values->left) {
        return fail_count(values, values->left, count);
    }
    if (!ly_bytes_doubles(values->at, array->type, values->file->big_endian, count, numbers)) {
        return ly_vtu_fail(values->file, array, LYRA_NOT_FINITE,
                           "found a NaN or an infinity, expected finite numbers");
    }
    values->at += count * ly_scalar_size(array->type);
    values->left -= count;
    return LYRA_OK;
}

LyraStatus ly_vtu_values_integer(LyVtuValues *values, int64_t low, int64_t high, int64_t *value)
{
    LY_TRY(next_value(values));
    if (values->array->format == LY_VTU_ASCII) {
        return ly_scanner_int64_in(&values->text, low, high, value, values->array->name);
    }
    LyScalar type = values->array->type;
    if (type >= LY_SCALAR_FLOAT32) {
        return ly_vtu_fail(values->file, values->array, LYRA_BAD_FORMAT,
                           "found the type %s, expected integers", values->array->type_name);
    }
    int64_t number = ly_bytes_integer(values->at, type, values->file->big_endian);
    values->at += ly_scalar_size(type);
    if (number < low || number > high) {
        return ly_vtu_fail(values->file, values->array, LYRA_BAD_FORMAT,
                           "found %lld, expected an integer from %lld to %lld", (long long)number,
                           (long long)low, (long long)high);
    }
    *value = number;
    return LYRA_OK;
}

LyraStatus ly_vtu_values_integers(LyVtuValues *values, int32_t low, int32_t high, int64_t count,
                                  int32_t *numbers)
{
    const LyVtuArray *array = values->array;
    // bytes in bulk; where one of them does not fit, one after another, to say which
    if (array->format != LY_VTU_ASCII && count <= values->left &&
        ly_bytes_int32(values->at, array->type, values->file->big_endian, count, numbers)) {
        bool fits = true;
        for (int64_t i = 0; i < count; ++i) {
            fits &= (numbers[i] >= low) & (numbers[i] <= high);
        }
        if (fits) {
            values->at += count * ly_scalar_size(array->type);
            values->left -= count;
            return LYRA_OK;
        }
    }
    for (int64_t i = 0; i < count; ++i) {
        int64_t number = 0;
        LY_TRY(ly_vtu_values_integer(values, low, high, &number));
        numbers[i] = (int32_t)number;
    }
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
