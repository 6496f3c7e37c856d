// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The inside of pictures, and readers of each format from bytes in memory. Memory taken is bounded
// by the limits of pictures, and by what a file of `length` bytes can hold.

#ifndef LY_RENDER_PICTURE_H
#define LY_RENDER_PICTURE_H

#include "base/base.h"
#include "base/file.h"
#include "lyra/picture.h"

struct LyraPicture {
    LyraContext *ctx;
    int32_t width, height;
    uint8_t *pixels; // [height][width][4]
};

/// Fails unless the size is within the limits; `what` is in front of the sentence.
LyraStatus ly_picture_check_size(const char *what, int64_t width, int64_t height);

/// A picture whose pixels are not set.
LyraStatus ly_picture_create(LyraContext *ctx, int32_t width, int32_t height, LyraPicture **out);

/// A file being read.
typedef struct LyPictureFile {
    LyraContext *ctx;
    const char *path; ///< For messages.
    const uint8_t *bytes;
    size_t length;
} LyPictureFile;

LyraStatus ly_pnm_parse(const LyPictureFile *file, LyraPicture **out);
LyraStatus ly_tga_parse(const LyPictureFile *file, LyraPicture **out);
LyraStatus ly_png_parse(const LyPictureFile *file, LyraPicture **out);
LyraStatus ly_jpeg_parse(const LyPictureFile *file, LyraPicture **out);

/// Whether the bytes start as a TGA file of a kind that can be read.
bool ly_tga_is(const uint8_t *bytes, size_t length);

/// Write a picture to an open file. On failure the writer is as before.
LyraStatus ly_png_write(const LyraPicture *picture, const char *path, LyWriter *writer);
void ly_ppm_write(const LyraPicture *picture, LyWriter *writer);

#endif
