// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A growing list of names without repeats, each found by its text in constant time.

#ifndef LY_MESH_NAMES_H
#define LY_MESH_NAMES_H

#include "base/scanner.h"

/// Zero-initialise and set `ctx`.
typedef struct LyNames {
    LyraContext *ctx;
    int32_t count;
    char **names; // [count], each with a zero byte at its end; a name never moves
    int32_t capacity;
    int32_t *slots; // id + 1, 0 for an empty one
    int64_t slot_count;
    uint64_t key;         // of the hash
    struct LyText *texts; // blocks that hold the names, the one with room first
} LyNames;

/// Id of a name, -1 if there is none.
int32_t ly_names_find(const LyNames *names, LySlice name);

/// Id of a name, which is added if it is new; `added`: Nullable. The bytes hold no zero.
LyraStatus ly_names_add(LyNames *names, LySlice name, int32_t *id, bool *added);

/// Releases all names.
void ly_names_release(LyNames *names);

#endif
