// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Parts of the reader of .veg files.

#ifndef LY_MESH_VEG_H
#define LY_MESH_VEG_H

#include "mesh/builder.h"
#include "mesh/stream.h"

/// Files may include files to this depth, the first one counted.
#define LY_VEG_DEPTH_MAX 16
/// Inclusions in all, and of one file.
#define LY_VEG_INCLUDES_MAX 256
#define LY_VEG_REPEATS_MAX 16

/// Lines of a file and of those it includes, in reading order. Zero-initialise, then ly_veg_open().
typedef struct LyVegLines {
    LyraContext *ctx;
    const LyFileSource *source;
    LyStream streams[LY_VEG_DEPTH_MAX]; // the file that is read, on top of those that include it
    int32_t depth;
    int32_t include_count;
    uint64_t included[LY_VEG_INCLUDES_MAX][2]; // identities of the files included so far
} LyVegLines;

LyraStatus ly_veg_open(LyVegLines *lines, LyraContext *ctx, const LyFileSource *source,
                       const char *path);

void ly_veg_close(LyVegLines *lines);

/// The file that is read now.
static inline LyScanner *ly_veg_scanner(LyVegLines *lines)
{
    return &lines->streams[lines->depth - 1].scanner;
}

/// Goes to the start of the next line with content, through *INCLUDE and the ends of included
/// files. `found` becomes false at the end of everything.
LyraStatus ly_veg_next_line(LyVegLines *lines, bool *found);

/// Bytes left in all open files.
uint64_t ly_veg_bytes_left(const LyVegLines *lines);

/// Reads a material such as "ENU, 1000, 1e6, 0.45" from the current line. Leaves the name alone.
LyraStatus ly_veg_read_material(LyScanner *scanner, LyraMeshMaterial *material);

#endif
