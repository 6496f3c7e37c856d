// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "render/picture.h"

#include <string.h>

LyraStatus ly_picture_check_size(const char *what, int64_t width, int64_t height)
{
    if (width < 1 || height < 1 || width > LYRA_PICTURE_SIDE_MAX ||
        height > LYRA_PICTURE_SIDE_MAX || width * height > LYRA_PICTURE_PIXELS_MAX) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "%s: found %lld x %lld pixels, expected 1 to %d each and %lld in all", what,
                       (long long)width, (long long)height, LYRA_PICTURE_SIDE_MAX,
                       (long long)LYRA_PICTURE_PIXELS_MAX);
    }
    return LYRA_OK;
}

LyraStatus ly_picture_create(LyraContext *ctx, int32_t width, int32_t height, LyraPicture **out)
{
    LyraPicture *picture = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *picture, &picture));
    picture->ctx = ctx;
    picture->width = width;
    picture->height = height;
    LyraStatus status =
        ly_allocate_array(ctx, (int64_t)width * height, 4, (void *)&picture->pixels);
    if (status != LYRA_OK) {
        ly_release(ctx, picture);
        return status;
    }
    *out = picture;
    return LYRA_OK;
}

LyraStatus lyra_picture_create(LyraContext *ctx, int32_t width, int32_t height,
                               const uint8_t *pixels, LyraPicture **out)
{
    LYRA_ASSERT(ctx && out);
    LY_TRY(ly_picture_check_size("picture", width, height));
    LyraPicture *picture = NULL;
    LY_TRY(ly_picture_create(ctx, width, height, &picture));
    size_t bytes = (size_t)width * (size_t)height * 4;
    if (pixels) {
        memcpy(picture->pixels, pixels, bytes);
    } else {
        memset(picture->pixels, 255, bytes);
    }
    *out = picture;
    return LYRA_OK;
}

void lyra_picture_destroy(LyraPicture *picture)
{
    if (picture) {
        ly_release(picture->ctx, picture->pixels);
        ly_release(picture->ctx, picture);
    }
}

LyraPictureView lyra_picture_view(const LyraPicture *picture)
{
    LYRA_ASSERT(picture);
    return (LyraPictureView){picture->width, picture->height, picture->pixels};
}

// ---- files --------------------------------------------------------------------------------------

LyraStatus lyra_picture_load_memory(LyraContext *ctx, const LyraMemoryFile *memory,
                                    LyraPicture **out)
{
    LYRA_ASSERT(ctx && memory && out);
    const uint8_t *bytes = memory->bytes;
    size_t length = memory->length;
    LyPictureFile file = {ctx, memory->path, bytes, length};
    if (length >= 8 && memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0) {
        return ly_png_parse(&file, out);
    }
    if (length >= 3 && memcmp(bytes, "\xff\xd8\xff", 3) == 0) {
        return ly_jpeg_parse(&file, out);
    }
    if (length >= 2 && bytes[0] == 'P' && strchr("2356", bytes[1])) {
        return ly_pnm_parse(&file, out);
    }
    if (ly_tga_is(bytes, length)) {
        return ly_tga_parse(&file, out);
    }
    return ly_fail(LYRA_BAD_FORMAT, "%s: not a picture, expected PNG, JPEG, PPM, PGM or TGA",
                   memory->path);
}

LyraStatus lyra_picture_load(LyraContext *ctx, const char *path, LyraPicture **out)
{
    LYRA_ASSERT(ctx && path && out);
    LyraMemoryFile file = {.path = path};
    char *bytes = NULL;
    LY_TRY(ly_file_read(ctx, path, &bytes, &file.length));
    file.bytes = bytes;
    LyraStatus status = lyra_picture_load_memory(ctx, &file, out);
    ly_release(ctx, bytes);
    return status;
}

LyraStatus lyra_picture_save(const LyraPicture *picture, const char *path)
{
    LYRA_ASSERT(picture && path);
    bool png = ly_path_has_extension(path, ".png");
    if (!png && !ly_path_has_extension(path, ".ppm")) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "%s: the extension names no format of pictures, expected .png or .ppm",
                       path);
    }
    LyWriter *writer = NULL;
    LY_TRY(ly_writer_create(picture->ctx, path, &writer));
    LyraStatus status = LYRA_OK;
    if (png) {
        status = ly_png_write(picture, path, writer);
    } else {
        ly_ppm_write(picture, writer);
    }
    if (status != LYRA_OK) {
        ly_writer_discard(writer);
        return status;
    }
    return ly_writer_commit(writer);
}
