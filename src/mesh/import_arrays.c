// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sets from arrays of whole numbers on cells or points, as VTK's files have them. One that holds
// nothing but 0 and 1 marks a set of its own name. Any other of a few values, as those of regions,
// makes a set <name>_<value> of each. An array of one value says nothing, and one of many counts
// things rather than grouping them.

#include "mesh/import.h"

#include "mesh/sort.h"

#include <stdio.h>
#include <string.h>

// sets of all arrays together
#define VALUES_MAX 1000
#define NAME_MAX_BYTES 200

/// Adds a set of the members `order` [count], as ids of points or as places of cells.
static LyraStatus add_set(LyImport *import, bool points, LySlice name, int64_t count,
                          const int32_t *order, const int32_t *cells)
{
    LySetList *sets = points ? &import->builder.vertex_sets : &import->builder.sets;
    if (ly_names_find(&sets->names, name) >= 0) {
        return LYRA_OK;
    }
    LY_TRY(ly_set_list_add(import->ctx, sets, name));
    for (int64_t i = 0; i < count; ++i) {
        int32_t id = points ? order[i] : cells[order[i]];
        LY_TRY(id >= 0 ? ly_set_list_add_ids(import->ctx, sets, &id, 1) : LYRA_OK);
    }
    return LYRA_OK;
}

static int32_t value_of(uint64_t key)
{
    return (int32_t)((int64_t)key + INT32_MIN);
}

/// Makes the sets of an array sorted by value.
static LyraStatus add_sets(LyImport *import, bool points, LySlice name, int64_t count,
                           const uint64_t *keys, const int32_t *order, const int32_t *cells)
{
    int64_t distinct = 1;
    for (int64_t i = 1; i < count; ++i) {
        distinct += keys[i] != keys[i - 1];
    }
    bool mask = distinct == 2 && value_of(keys[0]) == 0 && value_of(keys[count - 1]) == 1;
    bool groups =
        distinct >= 2 && 2 * distinct <= count && import->array_sets + distinct <= VALUES_MAX;
    for (int64_t i = 0, next; i < count && (mask || groups); i = next) {
        for (next = i + 1; next < count && keys[next] == keys[i];) {
            ++next;
        }
        char buffer[NAME_MAX_BYTES + 40];
        int length = snprintf(buffer, sizeof buffer, "%.*s_%d", (int)name.length, name.text,
                              value_of(keys[i]));
        LySlice numbered = {buffer, (size_t)length};
        if (!mask || value_of(keys[i]) == 1) {
            LY_TRY(add_set(import, points, mask ? name : numbered, next - i, order + i, cells));
        }
    }
    import->array_sets += mask ? 1 : groups ? distinct : 0;
    return LYRA_OK;
}

LyraStatus ly_import_array_sets(LyImport *import, bool points, LySlice name, int64_t count,
                                const int32_t *values, const int32_t *cells)
{
    uint64_t *keys = NULL;
    int32_t *order = NULL;
    if (name.length == 0 || name.length > NAME_MAX_BYTES || count == 0 ||
        memchr(name.text, '\0', name.length)) {
        return LYRA_OK;
    }
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(import->ctx, count, sizeof *keys, &keys));
    LY_TRY_DONE(ly_allocate_array(import->ctx, count, sizeof *order, &order));
    for (int64_t i = 0; i < count; ++i) {
        keys[i] = (uint64_t)((int64_t)values[i] - INT32_MIN);
        order[i] = (int32_t)i;
    }
    LY_TRY_DONE(ly_sort_keys(import->ctx, count, keys, order));
    status = add_sets(import, points, name, count, keys, order, cells);
done:
    ly_release(import->ctx, order);
    ly_release(import->ctx, keys);
    return status;
}
