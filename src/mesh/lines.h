// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The inside of lines.

#ifndef LY_MESH_LINES_H
#define LY_MESH_LINES_H

#include "lyra/lines.h"

struct LyraLines {
    LyraContext *ctx;
    LyraLinesView view;
    double *positions, *radii;
    int32_t *edges;
};

/// Reads text with a zero byte at text[length], of the format that the extension of `path` names.
LyraStatus ly_lines_parse(LyraContext *ctx, const char *path, const char *text, size_t length,
                          LyraLines **out);

#endif
