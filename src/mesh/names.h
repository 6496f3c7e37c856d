// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A growing list of names without repeats, each found by its text in constant time.

#ifndef LY_MESH_NAMES_H
#define LY_MESH_NAMES_H

#include "base/base.h"

/// Zero-initialise and set `ctx`.
typedef struct LyNames {
    LyraContext *ctx;
    int32_t count;
    char **names; // [count], owned, each with a zero byte at its end
    int32_t capacity;
    int32_t *slots; // id + 1, 0 for an empty one
    int64_t slot_count;
} LyNames;

/// Id of the name of `length` bytes, which is added if it is new; `added`: Nullable. The bytes hold
/// no zero.
LyraStatus ly_names_add(LyNames *names, const char *text, size_t length, int32_t *id, bool *added);

/// Releases all names.
void ly_names_release(LyNames *names);

#endif
