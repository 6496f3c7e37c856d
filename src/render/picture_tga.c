// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// TGA. Little-endian, a head of 18 bytes:
//     0  length of an identification that follows the head
//     1  1 where a colour map follows that
//     2  kind: 1 colour map, 2 colours, 3 grey; 8 more: run lengths
//     3  colour map: first index (2 bytes), entries (2), bits of an entry (1)
//     8  place of the lower left corner (2, 2)
//    12  width (2), height (2), bits of a pixel (1)
//    17  flags: 0x10 rows from the right, 0x20 from the top
// Colours are blue, green, red and, in 32 bits, opacity; in 15 and 16 bits five bits each, red
// highest. Run lengths come in packets: a byte whose low seven bits are a count less one, and whose
// high bit says that one pixel follows, to be repeated; else as many pixels follow.

#include "render/picture.h"

#include <string.h>

enum { HEAD_BYTES = 18, KIND_MAP = 1, KIND_COLOR = 2, KIND_GREY = 3, KIND_RUNS = 8 };

typedef struct Tga {
    const LyPictureFile *file;
    int32_t kind; // without runs
    bool runs;
    int32_t width, height, bits, flags;
    int32_t map_first, map_count, map_bits;
    const uint8_t *map;
    size_t at; // next byte
} Tga;

static int32_t word_at(const uint8_t *bytes)
{
    return bytes[0] | bytes[1] << 8;
}

bool ly_tga_is(const uint8_t *bytes, size_t length)
{
    if (length < HEAD_BYTES || bytes[1] > 1) {
        return false;
    }
    int32_t kind = bytes[2] & ~KIND_RUNS, bits = bytes[16];
    switch (kind) {
    case KIND_MAP:
        return bytes[1] == 1 && bits == 8;
    case KIND_COLOR:
        return bits == 15 || bits == 16 || bits == 24 || bits == 32;
    case KIND_GREY:
        return bits == 8;
    default:
        return false;
    }
}

/// Colour of `bits` bits as red, green, blue, opacity.
static void read_color(const uint8_t *from, int32_t bits, uint8_t to[4])
{
    if (bits == 8) {
        to[0] = to[1] = to[2] = from[0];
        to[3] = 255;
    } else if (bits <= 16) {
        int32_t word = word_at(from);
        for (int32_t c = 0; c < 3; ++c) {
            int32_t five = word >> (10 - 5 * c) & 31;
            to[c] = (uint8_t)(five << 3 | five >> 2);
        }
        to[3] = 255;
    } else {
        to[0] = from[2];
        to[1] = from[1];
        to[2] = from[0];
        to[3] = bits == 32 ? from[3] : 255;
    }
}

static LyraStatus read_head(Tga *tga)
{
    const LyPictureFile *file = tga->file;
    const uint8_t *head = file->bytes;
    tga->kind = head[2] & ~KIND_RUNS;
    tga->runs = head[2] & KIND_RUNS;
    tga->map_first = word_at(head + 3);
    tga->map_count = head[1] ? word_at(head + 5) : 0;
    tga->map_bits = head[7];
    tga->width = word_at(head + 12);
    tga->height = word_at(head + 14);
    tga->bits = head[16];
    tga->flags = head[17];
    LY_TRY(ly_picture_check_size(file->path, tga->width, tga->height));
    int32_t bits = tga->map_bits;
    if (tga->map_count > 0 && bits != 15 && bits != 16 && bits != 24 && bits != 32) {
        return ly_fail(LYRA_BAD_FORMAT,
                       "%s: the colour map has entries of %d bits, expected 15, 16, 24 or 32",
                       file->path, bits);
    }
    size_t map_bytes = (size_t)tga->map_count * (size_t)((bits + 7) / 8);
    if (file->length < HEAD_BYTES + (size_t)head[0] + map_bytes) {
        return ly_fail(LYRA_BAD_FORMAT, "%s: ends within its colour map", file->path);
    }
    tga->map = file->bytes + HEAD_BYTES + head[0];
    tga->at = HEAD_BYTES + (size_t)head[0] + map_bytes;
    // a packet of one byte and a pixel gives 128 pixels at the most
    uint64_t left = file->length - tga->at, pixels = (uint64_t)tga->width * (uint64_t)tga->height;
    uint64_t size = (uint64_t)(tga->bits + 7) / 8;
    if (tga->runs ? left * 128 < pixels * (1 + size) : left < pixels * size) {
        return ly_fail(LYRA_BAD_FORMAT, "%s: too short for %d x %d pixels of %d bits", file->path,
                       tga->width, tga->height, tga->bits);
    }
    return LYRA_OK;
}

/// Reads one stored pixel.
static LyraStatus read_pixel(Tga *tga, uint8_t color[4])
{
    size_t size = (size_t)(tga->bits + 7) / 8;
    if (tga->file->length - tga->at < size) {
        return ly_fail(LYRA_BAD_FORMAT, "%s: ends within its pixels", tga->file->path);
    }
    const uint8_t *from = tga->file->bytes + tga->at;
    tga->at += size;
    if (tga->kind != KIND_MAP) {
        read_color(from, tga->bits, color);
        return LYRA_OK;
    }
    int32_t index = from[0] - tga->map_first;
    if (index < 0 || index >= tga->map_count) {
        return ly_fail(LYRA_BAD_FORMAT, "%s: colour %d is not in the map of %d from %d",
                       tga->file->path, from[0], tga->map_count, tga->map_first);
    }
    read_color(tga->map + (size_t)index * (size_t)((tga->map_bits + 7) / 8), tga->map_bits, color);
    return LYRA_OK;
}

static LyraStatus read_pixels(Tga *tga, LyraPicture *picture)
{
    int64_t count = (int64_t)tga->width * tga->height;
    int32_t left = 0; // in the packet
    bool repeat = false;
    uint8_t color[4] = {0};
    for (int64_t i = 0; i < count; ++i) {
        bool first = left == 0;
        if (tga->runs && first) {
            if (tga->at >= tga->file->length) {
                return ly_fail(LYRA_BAD_FORMAT, "%s: ends within its pixels", tga->file->path);
            }
            uint8_t head = tga->file->bytes[tga->at++];
            left = (head & 127) + 1;
            repeat = head & 128;
        }
        if (!repeat || first) {
            LY_TRY(read_pixel(tga, color));
        }
        left = left > 0 ? left - 1 : 0;
        int64_t x = i % tga->width, y = i / tga->width;
        x = tga->flags & 0x10 ? tga->width - 1 - x : x;
        y = tga->flags & 0x20 ? y : tga->height - 1 - y;
        memcpy(picture->pixels + 4 * (y * tga->width + x), color, 4);
    }
    return LYRA_OK;
}

LyraStatus ly_tga_parse(const LyPictureFile *file, LyraPicture **out)
{
    Tga tga = {.file = file};
    LY_TRY(read_head(&tga));
    LyraPicture *picture = NULL;
    LY_TRY(ly_picture_create(file->ctx, tga.width, tga.height, &picture));
    LyraStatus status = read_pixels(&tga, picture);
    if (status != LYRA_OK) {
        lyra_picture_destroy(picture);
        return status;
    }
    *out = picture;
    return LYRA_OK;
}
