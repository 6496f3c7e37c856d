// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "base/name_index.h"

#include <string.h>

LyraStatus ly_name_index_create(LyraContext *ctx, int32_t count, LyNameIndex *out)
{
    uint32_t slots = 8;
    // at most half of them are used
    while (slots / 2 < (uint32_t)count) {
        slots *= 2;
    }
    LY_TRY(ly_allocate_zeroed(ctx, slots, sizeof *out->slots, &out->slots));
    out->mask = slots - 1;
    return LYRA_OK;
}

void ly_name_index_release(LyraContext *ctx, LyNameIndex *index)
{
    ly_release(ctx, index->slots);
    *index = (LyNameIndex){0};
}

uint64_t ly_name_hash(const char *name)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char *c = name; *c; ++c) {
        hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    }
    return hash;
}

// the slot of a name, or the free one where it would go
static LyNameSlot *find_slot(const LyNameIndex *index, const char *name)
{
    uint64_t hash = ly_name_hash(name);
    uint32_t at = (uint32_t)(hash ^ hash >> 32) & index->mask;
    while (index->slots[at].name && strcmp(index->slots[at].name, name) != 0) {
        at = (at + 1) & index->mask;
    }
    return &index->slots[at];
}

void ly_name_index_add(LyNameIndex *index, const char *name, int32_t number)
{
    LyNameSlot *slot = find_slot(index, name);
    if (!slot->name) {
        *slot = (LyNameSlot){name, number};
    }
}

int32_t ly_name_index_find(const LyNameIndex *index, const char *name)
{
    const LyNameSlot *slot = index->slots ? find_slot(index, name) : NULL;
    return slot && slot->name ? slot->number : -1;
}
