// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// PPM and PGM: `P6` (colour) or `P5` (grey) with bytes, or two bytes each beyond 255, highest
// first; `P3` and `P2` with numbers as text. In front: the mark, width, height and the largest
// value, with white space and comments (# to the end of the line) between; then one white space.

#include "render/picture.h"

#include <string.h>

typedef struct Cursor {
    const LyPictureFile *file;
    size_t at;
} Cursor;

static bool is_space(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/// The next whole number, after white space and comments.
static LyraStatus read_number(Cursor *cursor, const char *what, int32_t high, int32_t *value)
{
    const uint8_t *bytes = cursor->file->bytes;
    size_t length = cursor->file->length, at = cursor->at;
    while (at < length && (is_space(bytes[at]) || bytes[at] == '#')) {
        if (bytes[at] == '#') {
            while (at < length && bytes[at] != '\n' && bytes[at] != '\r') {
                ++at;
            }
        } else {
            ++at;
        }
    }
    int64_t number = 0;
    size_t begin = at;
    while (at < length && bytes[at] >= '0' && bytes[at] <= '9' && number <= high) {
        number = 10 * number + (bytes[at++] - '0');
    }
    if (at == begin || number > high) {
        return ly_fail(LYRA_BAD_FORMAT, "%s: byte %zu: expected %s, a number of at most %d",
                       cursor->file->path, begin, what, high);
    }
    cursor->at = at;
    *value = (int32_t)number;
    return LYRA_OK;
}

static uint8_t to_byte(int32_t value, int32_t high)
{
    return (uint8_t)((value * 255 + high / 2) / high);
}

static LyraStatus read_text(Cursor *cursor, int32_t channels, int32_t high, LyraPicture *picture)
{
    int64_t count = (int64_t)picture->width * picture->height;
    for (int64_t i = 0; i < count; ++i) {
        int32_t value = 0;
        for (int32_t c = 0; c < 3; ++c) {
            if (c < channels) {
                LY_TRY(read_number(cursor, "a value", high, &value));
            }
            picture->pixels[4 * i + c] = to_byte(value, high);
        }
        picture->pixels[4 * i + 3] = 255;
    }
    return LYRA_OK;
}

static LyraStatus read_bytes(const Cursor *cursor, int32_t channels, int32_t high,
                             LyraPicture *picture)
{
    int64_t count = (int64_t)picture->width * picture->height;
    int32_t size = high > 255 ? 2 : 1;
    const uint8_t *from = cursor->file->bytes + cursor->at;
    for (int64_t i = 0; i < count; ++i) {
        int32_t value = 0;
        for (int32_t c = 0; c < 3; ++c) {
            if (c < channels) {
                value = size == 1 ? from[0] : from[0] << 8 | from[1];
                from += size;
            }
            if (value > high) {
                return ly_fail(LYRA_BAD_FORMAT, "%s: pixel %lld: found %d, expected at most %d",
                               cursor->file->path, (long long)i, value, high);
            }
            picture->pixels[4 * i + c] = to_byte(value, high);
        }
        picture->pixels[4 * i + 3] = 255;
    }
    return LYRA_OK;
}

LyraStatus ly_pnm_parse(const LyPictureFile *file, LyraPicture **out)
{
    Cursor cursor = {file, 2};
    int32_t width, height, high;
    int32_t channels = file->bytes[1] == '3' || file->bytes[1] == '6' ? 3 : 1;
    bool text = file->bytes[1] <= '3';
    LY_TRY(read_number(&cursor, "the width", INT32_MAX / 16, &width));
    LY_TRY(read_number(&cursor, "the height", INT32_MAX / 16, &height));
    LY_TRY(read_number(&cursor, "the largest value", 65535, &high));
    LY_TRY(ly_picture_check_size(file->path, width, height));
    if (high < 1 || cursor.at == file->length || !is_space(file->bytes[cursor.at])) {
        return ly_fail(LYRA_BAD_FORMAT,
                       "%s: expected a largest value from 1 to 65535 and white space behind it",
                       file->path);
    }
    ++cursor.at;
    // what is left must hold all pixels: a byte each for text, which has blanks between besides
    uint64_t left = file->length - cursor.at;
    uint64_t needed = (uint64_t)width * (uint64_t)height * (uint64_t)channels;
    needed = text ? 2 * needed - 1 : needed * (high > 255 ? 2 : 1);
    if (left < needed) {
        return ly_fail(LYRA_BAD_FORMAT, "%s: ends early: found %llu bytes of pixels, expected %llu",
                       file->path, (unsigned long long)left, (unsigned long long)needed);
    }
    LyraPicture *picture = NULL;
    LY_TRY(ly_picture_create(file->ctx, width, height, &picture));
    LyraStatus status = text ? read_text(&cursor, channels, high, picture)
                             : read_bytes(&cursor, channels, high, picture);
    if (status != LYRA_OK) {
        lyra_picture_destroy(picture);
        return status;
    }
    *out = picture;
    return LYRA_OK;
}

void ly_ppm_write(const LyraPicture *picture, LyWriter *writer)
{
    ly_writer_print(writer, "P6\n%d %d\n255\n", picture->width, picture->height);
    int64_t count = (int64_t)picture->width * picture->height;
    for (int64_t i = 0; i < count; ++i) {
        ly_writer_bytes(writer, picture->pixels + 4 * i, 3);
    }
}
