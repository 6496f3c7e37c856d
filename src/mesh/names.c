// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A hash table with open addressing over a list; at most half of its slots are full. The hash takes
// a key that no file can know, so that none can be made of names that all fall into one slot; ids
// don't depend on it. The names lie one behind the other in blocks, because allocations of their
// own would take many times their length.

#include "mesh/names.h"

#include "mesh/sort.h"

#include <string.h>

#define BLOCK_MIN ((size_t)256)
#define BLOCK_MAX ((size_t)1 << 18)

struct LyText {
    struct LyText *next;
    size_t capacity, used;
    char bytes[];
};

static uint64_t hash(const LyNames *names, LySlice name)
{
    uint64_t h = names->key ^ name.length;
    for (size_t at = 0; at < name.length; at += 8) {
        uint64_t eight = 0;
        memcpy(&eight, name.text + at, name.length - at < 8 ? name.length - at : 8);
        h = ly_hash_bits(h ^ eight);
    }
    return h;
}

// slot of the name or the empty slot where it belongs
static int64_t find_slot(const LyNames *names, LySlice name)
{
    int64_t mask = names->slot_count - 1;
    int64_t slot = (int64_t)(hash(names, name) & (uint64_t)mask);
    while (names->slots[slot]) {
        const char *other = names->names[names->slots[slot] - 1];
        if (strncmp(other, name.text, name.length) == 0 && other[name.length] == '\0') {
            break;
        }
        slot = (slot + 1) & mask;
    }
    return slot;
}

static LyraStatus grow(LyNames *names)
{
    if (names->count >= INT32_MAX / 4) {
        return ly_fail(LYRA_TOO_LARGE, "more than %d names", names->count);
    }
    int32_t capacity = names->capacity ? 2 * names->capacity : 8;
    LY_TRY(ly_resize_array(names->ctx, capacity, sizeof *names->names, &names->names));
    int32_t *slots = NULL;
    LY_TRY(ly_allocate_zeroed(names->ctx, 2 * (int64_t)capacity, sizeof *slots, &slots));
    if (!names->slots) {
        double now = ly_time();
        memcpy(&names->key, &now, sizeof now);
        names->key = ly_hash_bits(names->key ^ ly_hash_bits((uint64_t)(uintptr_t)slots));
    }
    ly_release(names->ctx, names->slots);
    names->slots = slots;
    names->slot_count = 2 * (int64_t)capacity;
    names->capacity = capacity;
    for (int32_t i = 0; i < names->count; ++i) {
        LySlice name = {names->names[i], strlen(names->names[i])};
        names->slots[find_slot(names, name)] = i + 1;
    }
    return LYRA_OK;
}

static LyraStatus copy_text(LyNames *names, LySlice name, char **out)
{
    struct LyText *text = names->texts;
    size_t needed = name.length + 1;
    if (!text || text->capacity - text->used < needed) {
        size_t capacity = text ? 2 * text->capacity : BLOCK_MIN;
        capacity = capacity < BLOCK_MAX ? capacity : BLOCK_MAX;
        capacity = capacity > needed ? capacity : needed;
        struct LyText *block = NULL;
        LY_TRY(ly_allocate_array(names->ctx, (int64_t)(sizeof *block + capacity), 1, &block));
        *block = (struct LyText){.next = text, .capacity = capacity};
        names->texts = text = block;
    }
    *out = text->bytes + text->used;
    memcpy(*out, name.text, name.length);
    (*out)[name.length] = '\0';
    text->used += needed;
    return LYRA_OK;
}

int32_t ly_names_find(const LyNames *names, LySlice name)
{
    return names->slots ? names->slots[find_slot(names, name)] - 1 : -1;
}

LyraStatus ly_names_add(LyNames *names, LySlice name, int32_t *id, bool *added)
{
    if (names->count == names->capacity) {
        LY_TRY(grow(names));
    }
    int64_t slot = find_slot(names, name);
    bool is_new = names->slots[slot] == 0;
    if (is_new) {
        LY_TRY(copy_text(names, name, &names->names[names->count]));
        names->slots[slot] = ++names->count;
    }
    *id = names->slots[slot] - 1;
    if (added) {
        *added = is_new;
    }
    return LYRA_OK;
}

void ly_names_release(LyNames *names)
{
    while (names->texts) {
        struct LyText *next = names->texts->next;
        ly_release(names->ctx, names->texts);
        names->texts = next;
    }
    ly_release(names->ctx, names->names);
    ly_release(names->ctx, names->slots);
    *names = (LyNames){.ctx = names->ctx};
}
