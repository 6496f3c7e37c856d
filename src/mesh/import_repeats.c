// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Cells that a file holds several times, once for each set they belong to, become one that belongs
// to all. Cells are alike if their shape and the sorted numbers of their vertices are: they are
// sorted by a hash of these, and compared where hashes agree.

#include "mesh/import.h"

#include "mesh/sort.h"

#include <string.h>

#define NODES_MAX 10

/// Sorted numbers of a cell; 0 of them for a polygon, which no file repeats.
static int32_t sorted_corners(LyCellShape shape, const int32_t *corners, int32_t out[NODES_MAX])
{
    int32_t nodes = ly_cell_nodes(shape);
    for (int32_t a = 0; a < nodes; ++a) {
        int32_t at = a;
        for (; at > 0 && out[at - 1] > corners[a]; --at) {
            out[at] = out[at - 1];
        }
        out[at] = corners[a];
    }
    return nodes;
}

static uint64_t hash_cell(LyCellShape shape, int64_t cell, const int32_t *corners)
{
    int32_t sorted[NODES_MAX];
    int32_t nodes = sorted_corners(shape, corners, sorted);
    uint64_t hash = nodes > 0 ? (uint64_t)shape : ly_hash_bits((uint64_t)cell);
    for (int32_t a = 0; a < nodes; ++a) {
        hash = ly_hash_bits(hash ^ (uint32_t)sorted[a]) + (uint64_t)a;
    }
    return hash;
}

static bool are_alike(const LyImport *import, const int64_t *begins, int32_t a, int32_t b)
{
    LyCellShape shape = import->shapes[a];
    int32_t x[NODES_MAX], y[NODES_MAX];
    if (import->shapes[b] != shape) {
        return false;
    }
    int32_t nodes = sorted_corners(shape, import->corners + begins[a], x);
    sorted_corners(shape, import->corners + begins[b], y);
    return nodes > 0 && memcmp(x, y, (size_t)nodes * sizeof *x) == 0;
}

/// Writes the first cell that is like each one; how many are not the first.
static LyraStatus find_first(const LyImport *import, const int64_t *begins, int32_t *first,
                             int64_t *repeats)
{
    LyraContext *ctx = import->ctx;
    int64_t count = import->cell_count;
    uint64_t *keys = NULL;
    int32_t *order = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *keys, &keys));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *order, &order));
    for (int64_t c = 0; c < count; ++c) {
        keys[c] = hash_cell(import->shapes[c], c, import->corners + begins[c]);
        order[c] = (int32_t)c;
        first[c] = (int32_t)c;
    }
    // stable, so the first of equals comes first
    LY_TRY_DONE(ly_sort_keys(ctx, count, keys, order));
    for (int64_t i = 1, start = 0; i < count; ++i) {
        start = keys[i] == keys[start] ? start : i;
        if (i > start && are_alike(import, begins, order[start], order[i])) {
            first[order[i]] = order[start];
            *repeats += 1;
        }
    }
done:
    ly_release(ctx, order);
    ly_release(ctx, keys);
    return status;
}

/// Moves the cells that stay together; `first` becomes the new id of each cell.
static void drop_repeats(LyImport *import, const int64_t *begins, int32_t *first)
{
    int64_t kept = 0, write = 0;
    for (int64_t c = 0; c < import->cell_count; ++c) {
        if (first[c] < c) {
            first[c] = first[first[c]];
            continue;
        }
        int64_t length = begins[c + 1] - begins[c];
        memmove(import->corners + write, import->corners + begins[c],
                (size_t)length * sizeof *import->corners);
        import->shapes[kept] = import->shapes[c];
        import->tags[kept] = import->tags[c];
        first[c] = (int32_t)kept++;
        write += length;
    }
    import->cell_count = kept;
    import->corner_count = write;
    for (int64_t i = 0; i < import->builder.sets.id_count; ++i) {
        import->builder.sets.ids[i] = first[import->builder.sets.ids[i]];
    }
    for (int64_t f = 0; f < import->face_count; ++f) {
        int32_t *cell = &import->faces[f].cell;
        *cell = *cell < 0 ? -1 : first[*cell];
    }
}

LyraStatus ly_import_join_repeats(LyImport *import)
{
    LyraContext *ctx = import->ctx;
    int32_t *first = NULL;
    int64_t *begins = NULL, repeats = 0;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, import->cell_count, sizeof *first, &first));
    LY_TRY_DONE(ly_allocate_array(ctx, import->cell_count + 1, sizeof *begins, &begins));
    begins[0] = 0;
    for (int64_t c = 0; c < import->cell_count; ++c) {
        LyCellShape shape = import->shapes[c];
        begins[c + 1] = begins[c] + (shape == LY_CELL_POLYGON ? 1 + import->corners[begins[c]]
                                                              : ly_cell_nodes(shape));
    }
    LY_TRY_DONE(find_first(import, begins, first, &repeats));
    if (repeats > 0) {
        drop_repeats(import, begins, first);
        ly_log(ctx, LYRA_LOG_INFO, "%s: %lld elements that stand there again joined", import->path,
               (long long)repeats);
    }
done:
    ly_release(ctx, begins);
    ly_release(ctx, first);
    return status;
}
