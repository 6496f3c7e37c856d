// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// OBJ files.

#ifndef LY_MESH_OBJ_H
#define LY_MESH_OBJ_H

#include "base/base.h"
#include "lyra/surface.h"

/// Reads OBJ text with a zero byte at text[length]. `path` is for messages and, if `libraries`, for
/// finding material libraries, which are not looked for otherwise.
LyraStatus ly_obj_parse(LyraContext *ctx, const char *path, bool libraries, const char *text,
                        size_t length, LyraSurface **out);

/// Writes OBJ to `path`, and the materials beside it if there are any.
LyraStatus ly_obj_write(const LyraSurface *surface, const char *path);

#endif
