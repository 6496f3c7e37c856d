// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A hash table with open addressing over a list; at most half of its slots are full.

#include "mesh/names.h"

#include <string.h>

// FNV-1a, 64 bits
static uint64_t hash(const char *text, size_t length)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; ++i) {
        h = (h ^ (uint8_t)text[i]) * 0x100000001b3u;
    }
    return h ^ h >> 29;
}

// slot of the name or the empty slot where it belongs
static int64_t find_slot(const LyNames *names, const char *text, size_t length)
{
    int64_t mask = names->slot_count - 1;
    int64_t slot = (int64_t)(hash(text, length) & (uint64_t)mask);
    while (names->slots[slot]) {
        const char *name = names->names[names->slots[slot] - 1];
        if (strncmp(name, text, length) == 0 && name[length] == '\0') {
            break;
        }
        slot = (slot + 1) & mask;
    }
    return slot;
}

static LyraStatus grow(LyNames *names)
{
    if (names->count == INT32_MAX / 4) {
        return ly_fail(LYRA_TOO_LARGE, "more than %d names", names->count);
    }
    int32_t capacity = names->capacity ? 2 * names->capacity : 8;
    LY_TRY(ly_resize_array(names->ctx, capacity, sizeof *names->names, &names->names));
    int32_t *slots = NULL;
    LY_TRY(ly_allocate_zeroed(names->ctx, 2 * (int64_t)capacity, sizeof *slots, &slots));
    ly_release(names->ctx, names->slots);
    names->slots = slots;
    names->slot_count = 2 * (int64_t)capacity;
    names->capacity = capacity;
    for (int32_t i = 0; i < names->count; ++i) {
        names->slots[find_slot(names, names->names[i], strlen(names->names[i]))] = i + 1;
    }
    return LYRA_OK;
}

LyraStatus ly_names_add(LyNames *names, const char *text, size_t length, int32_t *id, bool *added)
{
    if (names->count == names->capacity) {
        LY_TRY(grow(names));
    }
    int64_t slot = find_slot(names, text, length);
    bool is_new = names->slots[slot] == 0;
    if (is_new) {
        char *name = NULL;
        LY_TRY(ly_allocate_array(names->ctx, (int64_t)length + 1, 1, &name));
        memcpy(name, text, length);
        name[length] = '\0';
        names->names[names->count++] = name;
        names->slots[slot] = names->count;
    }
    *id = names->slots[slot] - 1;
    if (added) {
        *added = is_new;
    }
    return LYRA_OK;
}

void ly_names_release(LyNames *names)
{
    for (int32_t i = 0; i < names->count; ++i) {
        ly_release(names->ctx, names->names[i]);
    }
    ly_release(names->ctx, names->names);
    ly_release(names->ctx, names->slots);
    *names = (LyNames){.ctx = names->ctx};
}
