// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// *INCLUDE takes the lines of another file in its place. Three limits keep a few hundred bytes from
// becoming endless work: a file cannot include itself, by whatever detour; the depth is limited;
// and so is the number of inclusions, in all and of one file.

#include "mesh/veg.h"

#include "base/file.h"

#include <string.h>

LyraStatus ly_veg_open(LyVegLines *lines, LyraContext *ctx, const LyFileSource *source,
                       const char *path)
{
    lines->ctx = ctx;
    lines->source = source;
    LY_TRY(ly_stream_open(&lines->streams[0], ctx, source, path, false));
    lines->depth = 1;
    return LYRA_OK;
}

void ly_veg_close(LyVegLines *lines)
{
    while (lines->depth > 0) {
        ly_stream_close(&lines->streams[--lines->depth]);
    }
}

uint64_t ly_veg_bytes_left(const LyVegLines *lines)
{
    uint64_t sum = 0;
    for (int32_t i = 0; i < lines->depth; ++i) {
        sum += ly_stream_bytes_left(&lines->streams[i]);
    }
    return sum;
}

static bool is_same_file(const uint64_t a[2], const uint64_t b[2])
{
    return a[0] == b[0] && a[1] == b[1];
}

/// Checks the file just opened, which is not on the stack yet, against the limits.
static LyraStatus check_include(LyVegLines *lines, const LyStream *file, const LyScanner *place,
                                const char *at)
{
    for (int32_t i = 0; i < lines->depth; ++i) {
        if (is_same_file(lines->streams[i].identity, file->identity)) {
            return ly_scanner_fail_at(place, at, LYRA_BAD_FORMAT,
                                      "a file that does not include itself");
        }
    }
    int32_t repeats = 0;
    for (int32_t i = 0; i < lines->include_count; ++i) {
        repeats += is_same_file(lines->included[i], file->identity);
    }
    if (lines->include_count == LY_VEG_INCLUDES_MAX || repeats == LY_VEG_REPEATS_MAX) {
        return ly_scanner_complain(place, at, LYRA_BAD_FORMAT,
                                   "found one *INCLUDE too many, expected at most %d, and %d of "
                                   "one file",
                                   LY_VEG_INCLUDES_MAX, LY_VEG_REPEATS_MAX);
    }
    memcpy(lines->included[lines->include_count++], file->identity, sizeof file->identity);
    return LYRA_OK;
}

/// Opens `name` as seen from the folder of the file on level `from`.
static LyraStatus open_beside(LyVegLines *lines, int32_t from, const char *name)
{
    char *path = NULL;
    LY_TRY(ly_path_beside(lines->ctx, lines->streams[from].path, name, &path));
    LyraStatus status =
        ly_stream_open(&lines->streams[lines->depth], lines->ctx, lines->source, path, true);
    ly_release(lines->ctx, path);
    return status;
}

static LyraStatus include(LyVegLines *lines)
{
    LyScanner *scanner = ly_veg_scanner(lines);
    ly_scanner_token(scanner);
    const char *at = scanner->at;
    LySlice slice = ly_scanner_rest_of_line(scanner);
    if (slice.length == 0 || memchr(slice.text, '\0', slice.length)) {
        return ly_scanner_fail_at(scanner, at, LYRA_BAD_FORMAT, "the name of a file to include");
    }
    if (lines->depth == LY_VEG_DEPTH_MAX) {
        return ly_scanner_fail_at(scanner, at, LYRA_BAD_FORMAT, "files included %d deep at most",
                                  LY_VEG_DEPTH_MAX - 1);
    }
    char *name = NULL;
    LY_TRY(ly_string_copy(lines->ctx, slice.text, slice.length, &name));
    // beside the including file, then beside the first one
    LyraStatus status = open_beside(lines, lines->depth - 1, name);
    if (status == LYRA_IO_FAILED && lines->depth > 1) {
        status = open_beside(lines, 0, name);
    }
    ly_release(lines->ctx, name);
    if (status == LYRA_IO_FAILED) {
        char reason[400];
        size_t length = strlen(lyra_error_message());
        length = length < sizeof reason - 1 ? length : sizeof reason - 1;
        memcpy(reason, lyra_error_message(), length);
        reason[length] = '\0';
        return ly_scanner_fail_at(scanner, at, LYRA_IO_FAILED, "a file to include, but %s", reason);
    }
    LY_TRY(status);
    LyStream *file = &lines->streams[lines->depth];
    status = check_include(lines, file, scanner, at);
    if (status != LYRA_OK) {
        ly_stream_close(file);
        return status;
    }
    lines->depth += 1;
    return LYRA_OK;
}

LyraStatus ly_veg_next_line(LyVegLines *lines, bool *found)
{
    for (;;) {
        LyStream *stream = &lines->streams[lines->depth - 1];
        if (ly_scanner_next_content(&stream->scanner)) {
            bool command = *stream->scanner.at == '*';
            if (command && ly_slice_is_word(ly_scanner_peek(&stream->scanner), "*INCLUDE")) {
                LY_TRY(include(lines));
                continue;
            }
            *found = true;
            return LYRA_OK;
        }
        if (!stream->ended) {
            LY_TRY(ly_stream_refill(stream));
        } else if (lines->depth > 1) {
            ly_stream_close(stream);
            lines->depth -= 1;
        } else {
            *found = false;
            return LYRA_OK;
        }
    }
}
