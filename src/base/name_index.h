// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Numbers found by their names in constant time: a hash table with open addresses.

#ifndef LY_BASE_NAME_INDEX_H
#define LY_BASE_NAME_INDEX_H

#include "base/base.h"

typedef struct LyNameSlot {
    const char *name; // the caller's; NULL: free
    int32_t number;
} LyNameSlot;

/// Zero-initialised it is empty and may be searched and released.
typedef struct LyNameIndex {
    uint32_t mask; // slots less one
    LyNameSlot *slots;
} LyNameIndex;

/// A hash of a name, the same everywhere.
uint64_t ly_name_hash(const char *name);

/// Room for `count` names.
LyraStatus ly_name_index_create(LyraContext *ctx, int32_t count, LyNameIndex *out);
void ly_name_index_release(LyraContext *ctx, LyNameIndex *index);

/// Adds a name, which stays the caller's and must outlive the index. A name that is there already
/// keeps its number.
void ly_name_index_add(LyNameIndex *index, const char *name, int32_t number);

/// Number of a name, -1: none has it.
int32_t ly_name_index_find(const LyNameIndex *index, const char *name);

#endif
