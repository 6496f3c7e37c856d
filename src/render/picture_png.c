// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// PNG through the simplified interface of libpng, which reports failures as values and converts
// every kind of PNG to eight bits of red, green, blue and opacity.

#include "render/picture.h"

#include "config.h"

#if LY_HAVE_PNG

#include <png.h>
#include <string.h>

LyraStatus ly_png_parse(const LyPictureFile *file, LyraPicture **out)
{
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_memory(&image, file->bytes, file->length)) {
        return ly_fail(LYRA_BAD_FORMAT, "%s: %s", file->path, image.message);
    }
    LyraPicture *picture = NULL;
    LyraStatus status = ly_picture_check_size(file->path, image.width, image.height);
    if (status == LYRA_OK) {
        status =
            ly_picture_create(file->ctx, (int32_t)image.width, (int32_t)image.height, &picture);
    }
    if (status == LYRA_OK) {
        image.format = PNG_FORMAT_RGBA;
        if (!png_image_finish_read(&image, NULL, picture->pixels, 0, NULL)) {
            status = ly_fail(LYRA_BAD_FORMAT, "%s: %s", file->path, image.message);
        } else if (image.warning_or_error & PNG_IMAGE_ERROR) {
            status = ly_fail(LYRA_BAD_FORMAT, "%s: %s", file->path, image.message);
        }
    }
    png_image_free(&image);
    if (status != LYRA_OK) {
        lyra_picture_destroy(picture);
        return status;
    }
    *out = picture;
    return LYRA_OK;
}

LyraStatus ly_png_write(const LyraPicture *picture, const char *path, LyWriter *writer)
{
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = (png_uint_32)picture->width;
    image.height = (png_uint_32)picture->height;
    // opacity is left out where every pixel is opaque: a third less to store
    int64_t count = (int64_t)picture->width * picture->height;
    bool opaque = true;
    for (int64_t i = 0; i < count && opaque; ++i) {
        opaque = picture->pixels[4 * i + 3] == 255;
    }
    image.format = opaque ? PNG_FORMAT_RGB : PNG_FORMAT_RGBA;
    int32_t channels = opaque ? 3 : 4;
    uint8_t *packed = NULL, *bytes = NULL;
    png_alloc_size_t length = PNG_IMAGE_PNG_SIZE_MAX(image);
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(picture->ctx, count, (size_t)channels, (void *)&packed));
    for (int64_t i = 0; i < count; ++i) {
        memcpy(packed + channels * i, picture->pixels + 4 * i, (size_t)channels);
    }
    LY_TRY_DONE(ly_allocate_array(picture->ctx, (int64_t)length, 1, (void *)&bytes));
    if (!png_image_write_to_memory(&image, bytes, &length, 0, packed, 0, NULL)) {
        status = ly_fail(LYRA_IO_FAILED, "%s: %s", path, image.message);
        goto done;
    }
    ly_writer_bytes(writer, bytes, length);
done:
    ly_release(picture->ctx, packed);
    ly_release(picture->ctx, bytes);
    return status;
}

#else

LyraStatus ly_png_parse(const LyPictureFile *file, LyraPicture **out)
{
    (void)out;
    return ly_fail(LYRA_UNSUPPORTED, "%s: this build reads no PNG, as it has no libpng",
                   file->path);
}

LyraStatus ly_png_write(const LyraPicture *picture, const char *path, LyWriter *writer)
{
    (void)picture;
    (void)writer;
    return ly_fail(LYRA_UNSUPPORTED,
                   "%s: this build writes no PNG, as it has no libpng; .ppm can be written", path);
}

#endif
