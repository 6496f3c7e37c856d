// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// JPEG through libjpeg. Its errors leave by a jump; so do its warnings, which are about damage (a
// file that was cut off, say), and a file of very many scans, which would take for ever.

#include "render/picture.h"

#include "config.h"

#if LY_HAVE_JPEG

// jpeglib.h needs FILE
#include <stdio.h>

#include <jpeglib.h>
#include <setjmp.h>
#include <string.h>

enum { SCANS_MAX = 100 };

typedef struct Reader {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf leave;
    char message[JMSG_LENGTH_MAX];
    LyraPicture *picture;
    uint8_t *row;
} Reader;

static void leave(j_common_ptr jpeg)
{
    Reader *reader = jpeg->client_data;
    jpeg->err->format_message(jpeg, reader->message);
    longjmp(reader->leave, 1);
}

static void take_message(j_common_ptr jpeg, int level)
{
    if (level < 0) {
        leave(jpeg);
    }
}

static void drop_output(j_common_ptr jpeg)
{
    (void)jpeg;
}

static void watch_scans(j_common_ptr jpeg)
{
    Reader *reader = jpeg->client_data;
    if (reader->jpeg.input_scan_number > SCANS_MAX) {
        snprintf(reader->message, sizeof reader->message, "more than %d scans", (int)SCANS_MAX);
        longjmp(reader->leave, 1);
    }
}

/// Decodes into reader->picture. Jumps on damage.
static LyraStatus decode(Reader *reader, const LyPictureFile *file)
{
    struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    jpeg_mem_src(jpeg, file->bytes, (unsigned long)file->length);
    jpeg_read_header(jpeg, TRUE);
    LY_TRY(ly_picture_check_size(file->path, jpeg->image_width, jpeg->image_height));
    // a block of 64 pixels takes a bit at the least, in each of its scans
    if ((uint64_t)jpeg->image_width * jpeg->image_height > 1024 * (uint64_t)file->length) {
        return ly_fail(LYRA_BAD_FORMAT, "%s: too short for %u x %u pixels", file->path,
                       jpeg->image_width, jpeg->image_height);
    }
    if (jpeg->num_components == 4) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "%s: holds four inks, expected grey or red, green and blue", file->path);
    }
    jpeg->out_color_space = jpeg->num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    // one way to decode, whatever the vector units of the machine
    jpeg->dct_method = JDCT_ISLOW;
    jpeg_start_decompress(jpeg);
    LY_TRY(ly_picture_create(file->ctx, (int32_t)jpeg->output_width, (int32_t)jpeg->output_height,
                             &reader->picture));
    LY_TRY(ly_allocate_array(file->ctx, (int64_t)jpeg->output_width * jpeg->output_components, 1,
                             (void *)&reader->row));
    while (jpeg->output_scanline < jpeg->output_height) {
        uint8_t *to = reader->picture->pixels +
                      (size_t)jpeg->output_scanline * 4 * (size_t)jpeg->output_width;
        JSAMPROW rows[1] = {reader->row};
        jpeg_read_scanlines(jpeg, rows, 1);
        for (JDIMENSION x = 0; x < jpeg->output_width; ++x) {
            const uint8_t *from = reader->row + (size_t)x * (size_t)jpeg->output_components;
            for (int c = 0; c < 3; ++c) {
                to[4 * x + (JDIMENSION)c] = from[jpeg->output_components == 1 ? 0 : c];
            }
            to[4 * x + 3] = 255;
        }
    }
    jpeg_finish_decompress(jpeg);
    return LYRA_OK;
}

LyraStatus ly_jpeg_parse(const LyPictureFile *file, LyraPicture **out)
{
    // on the heap, so that nothing is lost in a jump
    Reader *reader = NULL;
    LY_TRY(ly_allocate_zeroed(file->ctx, 1, sizeof *reader, &reader));
    reader->jpeg.err = jpeg_std_error(&reader->errors);
    reader->errors.error_exit = leave;
    reader->errors.emit_message = take_message;
    reader->errors.output_message = drop_output;
    reader->progress.progress_monitor = watch_scans;
    reader->jpeg.client_data = reader;
    volatile LyraStatus status = LYRA_OK;
    if (setjmp(reader->leave) == 0) {
        jpeg_create_decompress(&reader->jpeg);
        reader->jpeg.client_data = reader;
        reader->jpeg.progress = &reader->progress;
        status = decode(reader, file);
    } else {
        status = ly_fail(LYRA_BAD_FORMAT, "%s: %s", file->path, reader->message);
    }
    jpeg_destroy_decompress(&reader->jpeg);
    ly_release(file->ctx, reader->row);
    if (status == LYRA_OK) {
        *out = reader->picture;
    } else {
        lyra_picture_destroy(reader->picture);
    }
    ly_release(file->ctx, reader);
    return status;
}

#else

LyraStatus ly_jpeg_parse(const LyPictureFile *file, LyraPicture **out)
{
    (void)out;
    return ly_fail(LYRA_UNSUPPORTED, "%s: this build reads no JPEG, as it has no libjpeg",
                   file->path);
}

#endif
