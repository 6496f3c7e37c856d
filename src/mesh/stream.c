// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The buffer holds [begin, end) of the scanner, which is the window, and behind it the start of a
// line whose end has not been read yet:
//
//     buffer                 scanner.at        scanner.end             filled      capacity
//     | lines read already   | lines to read   | part of the next line | free ...  | padding
//
// A refill moves everything from scanner.at to the front and reads on. A line that is longer than
// the buffer makes the buffer grow, so its size is bounded by that of the file.

#include "mesh/stream.h"

#include "base/file.h"

#include <errno.h>
#include <string.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define WINDOW_BYTES ((size_t)1 << 18)
#define PADDING 16

// ---- opening ------------------------------------------------------------------------------------

static LyraStatus open_memory(LyStream *stream, const LyFileSource *source, const char *path)
{
    for (int32_t i = 0; i < source->count; ++i) {
        const LyraMemoryFile *file = &source->files[i];
        if (strcmp(file->path, path) == 0) {
            stream->memory = file->bytes;
            stream->left = file->length;
            stream->identity[0] = UINT64_MAX;
            stream->identity[1] = (uint64_t)i;
            return LYRA_OK;
        }
    }
    return ly_fail(LYRA_IO_FAILED, "cannot read %s: it is not among the files in memory", path);
}

static LyraStatus open_disk(LyStream *stream, const char *path, bool regular_only)
{
    // ask before opening: to open some devices has effects, and a pipe may make us wait
    struct stat info;
    if (stat(path, &info) != 0) {
        return ly_fail_system("read", path, errno);
    }
    if (S_ISDIR(info.st_mode)) {
        return ly_fail_system("read", path, EISDIR);
    }
    if (!S_ISREG(info.st_mode) && (regular_only || !S_ISFIFO(info.st_mode))) {
        return ly_fail(LYRA_IO_FAILED, "cannot read %s: it is not a file", path);
    }
    do {
        stream->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    } while (stream->descriptor < 0 && errno == EINTR);
    if (stream->descriptor < 0) {
        return ly_fail_system("read", path, errno);
    }
    stream->left = S_ISREG(info.st_mode) && info.st_size > 0 ? (uint64_t)info.st_size : 0;
    stream->identity[0] = (uint64_t)info.st_dev;
    stream->identity[1] = (uint64_t)info.st_ino;
    return LYRA_OK;
}

static LyraStatus read_window(LyStream *stream);

LyraStatus ly_stream_open(LyStream *stream, LyraContext *ctx, const LyFileSource *source,
                          const char *path, bool regular_only)
{
    *stream = (LyStream){.ctx = ctx, .descriptor = -1};
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_string_copy(ctx, path, strlen(path), &stream->path));
    LY_TRY_DONE(source->files ? open_memory(stream, source, path)
                              : open_disk(stream, path, regular_only));
    // a small file needs no large buffer; its size may be a lie (as in /proc), so read to its end
    stream->capacity = stream->left < WINDOW_BYTES ? (size_t)stream->left + 64 : WINDOW_BYTES;
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)(stream->capacity + PADDING), 1, &stream->buffer));
    LY_TRY_DONE(read_window(stream));
    // this one skips a byte order mark
    size_t length = (size_t)(stream->scanner.end - stream->scanner.begin);
    stream->scanner = ly_scanner_make(stream->path, stream->buffer, length, '#');
    stream->scanner.commas = true;
done:
    if (status != LYRA_OK) {
        ly_stream_close(stream);
    }
    return status;
}

void ly_stream_close(LyStream *stream)
{
    if (!stream->ctx) {
        return;
    }
    if (stream->descriptor >= 0) {
        close(stream->descriptor);
    }
    ly_release(stream->ctx, stream->buffer);
    ly_release(stream->ctx, stream->path);
    *stream = (LyStream){0};
}

// ---- reading ------------------------------------------------------------------------------------

static LyraStatus read_memory(LyStream *stream)
{
    size_t count = stream->capacity - stream->filled;
    count = stream->left < count ? (size_t)stream->left : count;
    if (count > 0) {
        memcpy(stream->buffer + stream->filled, stream->memory, count);
        stream->memory += count;
    }
    stream->filled += count;
    stream->left -= count;
    stream->ended = stream->left == 0;
    return LYRA_OK;
}

static LyraStatus read_disk(LyStream *stream)
{
    while (stream->filled < stream->capacity && !stream->ended) {
        ssize_t count = read(stream->descriptor, stream->buffer + stream->filled,
                             stream->capacity - stream->filled);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            return ly_fail_system("read", stream->path, errno);
        }
        stream->filled += (size_t)count;
        stream->left -= stream->left < (uint64_t)count ? stream->left : (uint64_t)count;
        stream->ended = count == 0;
    }
    return LYRA_OK;
}

/// End of the last whole line in [from, filled), 0 if there is none.
static size_t last_line_end(const LyStream *stream, size_t from)
{
    const char *buffer = stream->buffer;
    // a CR in the last place may belong to a CR LF
    for (size_t i = stream->filled; i > from; --i) {
        if (buffer[i - 1] == '\n' || (buffer[i - 1] == '\r' && i < stream->filled)) {
            return i;
        }
    }
    return 0;
}

/// Fills the buffer, makes it larger until it holds a whole line, and lays the window over it.
static LyraStatus read_window(LyStream *stream)
{
    size_t end = 0, searched = 0;
    for (;;) {
        LY_TRY(stream->descriptor < 0 ? read_memory(stream) : read_disk(stream));
        end = stream->ended ? stream->filled : last_line_end(stream, searched);
        if (end > 0 || stream->ended) {
            break;
        }
        searched = stream->filled > 0 ? stream->filled - 1 : 0;
        size_t capacity = 2 * stream->capacity;
        LY_TRY(ly_resize_array(stream->ctx, (int64_t)(capacity + PADDING), 1, &stream->buffer));
        stream->capacity = capacity;
    }
    memset(stream->buffer + stream->filled, 0, PADDING);
    stream->cut = stream->buffer[end];
    stream->buffer[end] = '\0';
    stream->scanner.begin = stream->buffer;
    stream->scanner.at = stream->buffer;
    stream->scanner.end = stream->buffer + end;
    return LYRA_OK;
}

/// Line ends in [text, text + length), with text[length] readable. Every byte of a large file comes
/// through here, so it counts in bytes, which the compiler turns into vectors.
static int64_t count_lines(const char *text, size_t length)
{
    int64_t sum = 0;
    while (length > 0) {
        size_t block = length < 255 ? length : 255;
        uint8_t count = 0;
        for (size_t i = 0; i < block; ++i) {
            // CR LF counts at its LF
            count = (uint8_t)(count +
                              ((text[i] == '\n') | ((text[i] == '\r') & (text[i + 1] != '\n'))));
        }
        sum += count;
        text += block;
        length -= block;
    }
    return sum;
}

LyraStatus ly_stream_refill(LyStream *stream)
{
    LyScanner *scanner = &stream->scanner;
    scanner->lines_before += count_lines(scanner->begin, (size_t)(scanner->at - scanner->begin));
    size_t read = (size_t)(scanner->at - stream->buffer);
    stream->buffer[scanner->end - stream->buffer] = stream->cut;
    memmove(stream->buffer, stream->buffer + read, stream->filled - read);
    stream->filled -= read;
    LyraStatus status = read_window(stream);
    if (status != LYRA_OK) {
        // an empty window at the end, so that nobody reads on
        stream->ended = true;
        scanner->begin = scanner->at = scanner->end = "";
    }
    return status;
}

uint64_t ly_stream_bytes_left(const LyStream *stream)
{
    return (uint64_t)(stream->buffer + stream->filled - stream->scanner.at) + stream->left;
}

LyraStatus ly_stream_read_all(LyStream *stream)
{
    size_t at = (size_t)(stream->scanner.at - stream->buffer);
    size_t begin = (size_t)(stream->scanner.begin - stream->buffer);
    while (!stream->ended) {
        stream->buffer[stream->scanner.end - stream->buffer] = stream->cut;
        // the size is known for all but pipes, and one byte more shows that it has ended
        size_t capacity =
            stream->left > 0 ? stream->filled + (size_t)stream->left + 1 : 2 * stream->capacity;
        LY_TRY(ly_resize_array(stream->ctx, (int64_t)(capacity + PADDING), 1, &stream->buffer));
        stream->capacity = capacity;
        LY_TRY(read_window(stream));
    }
    stream->scanner.begin = stream->buffer + begin;
    stream->scanner.at = stream->buffer + at;
    return LYRA_OK;
}
