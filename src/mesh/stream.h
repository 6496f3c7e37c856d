// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Text files read through a window of whole lines, from the disk or from memory, so that a large
// file never stands in memory beside the arrays made from it.

#ifndef LY_MESH_STREAM_H
#define LY_MESH_STREAM_H

#include "base/scanner.h"
#include "lyra/base.h"

/// Where the files of one load come from: these, or the disk if `files` is NULL.
typedef struct LyFileSource {
    const LyraMemoryFile *files;
    int32_t count;
} LyFileSource;

/// One text. Read lines from `scanner`; when it has no more, ly_stream_refill() brings the next
/// ones, until `ended`. Zero-initialise before ly_stream_open().
typedef struct LyStream {
    LyScanner scanner; ///< Over the lines at hand, each of them whole.
    bool ended;        ///< The last line of the text is at hand.
    LyraContext *ctx;
    char *path;              // owned; of messages
    char *buffer;            // the window, what follows it, and a few bytes of padding
    size_t capacity, filled; // bytes that the buffer can hold and holds, padding not counted
    char cut;                // the byte in whose place the zero byte at scanner.end stands
    int descriptor;          // -1: memory
    const char *memory;      // next byte of a text in memory
    uint64_t left;           // bytes not yet in the buffer, as far as known
    uint64_t identity[2];    // tells files apart, whatever their path
} LyStream;

/// Opens `path` and brings its first lines. `regular_only` refuses pipes, which may have no end.
/// On failure there is nothing to close.
LyraStatus ly_stream_open(LyStream *stream, LyraContext *ctx, const LyFileSource *source,
                          const char *path, bool regular_only);

/// Accepts a stream that is zero.
void ly_stream_close(LyStream *stream);

/// Drops what was read and brings more lines. Only while not `ended`.
LyraStatus ly_stream_refill(LyStream *stream);

/// Bytes that are still to be read, as far as known: a bound for what a count in the text can
/// honestly claim.
uint64_t ly_stream_bytes_left(const LyStream *stream);

/// Reads everything into the window, for formats that are not read line by line.
LyraStatus ly_stream_read_all(LyStream *stream);

#endif
