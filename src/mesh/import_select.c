// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// From what a file holds to what is wanted of it: numbers of vertices become ids, cells of the
// other dimension go, vertices at one place become one, and those that no cell uses go too.

#include "mesh/import.h"

#include "mesh/merge.h"
#include "mesh/sort.h"

#include <string.h>

// ---- numbers of vertices ------------------------------------------------------------------------

/// Finds vertices by their number: by a table where numbers are dense, by bisection elsewhere.
typedef struct Numbers {
    int64_t first, count; // of the table, or of a file that numbers without gaps
    int32_t *table;       // id or -1, [count]; NULL: number - first
    uint64_t *sorted;     // numbers, ascending, less INT32_MIN; NULL: by the table
    int32_t *ids;         // of the sorted numbers
} Numbers;

static void release_numbers(LyraContext *ctx, Numbers *numbers)
{
    ly_release(ctx, numbers->table);
    ly_release(ctx, numbers->sorted);
    ly_release(ctx, numbers->ids);
}

static LyraStatus fail_twice(const LyImport *import, int64_t number)
{
    return ly_fail(LYRA_BAD_FORMAT, "%s: found two vertices with the number %lld, expected one",
                   import->path, (long long)number);
}

static LyraStatus make_table(const LyImport *import, Numbers *numbers)
{
    LY_TRY(ly_allocate_array(import->ctx, numbers->count, sizeof *numbers->table, &numbers->table));
    memset(numbers->table, 0xff, (size_t)numbers->count * sizeof *numbers->table);
    for (int64_t v = 0; v < import->builder.vertex_count; ++v) {
        int32_t *slot = &numbers->table[import->vertex_ids[v] - numbers->first];
        if (*slot >= 0) {
            return fail_twice(import, import->vertex_ids[v]);
        }
        *slot = (int32_t)v;
    }
    return LYRA_OK;
}

static LyraStatus sort_numbers(const LyImport *import, Numbers *numbers)
{
    int64_t count = import->builder.vertex_count;
    LY_TRY(ly_allocate_array(import->ctx, count, sizeof *numbers->sorted, &numbers->sorted));
    LY_TRY(ly_allocate_array(import->ctx, count, sizeof *numbers->ids, &numbers->ids));
    for (int64_t v = 0; v < count; ++v) {
        numbers->sorted[v] = (uint64_t)((int64_t)import->vertex_ids[v] - INT32_MIN);
        numbers->ids[v] = (int32_t)v;
    }
    LY_TRY(ly_sort_keys(import->ctx, count, numbers->sorted, numbers->ids));
    for (int64_t v = 1; v < count; ++v) {
        if (numbers->sorted[v] == numbers->sorted[v - 1]) {
            return fail_twice(import, (int64_t)numbers->sorted[v] + INT32_MIN);
        }
    }
    return LYRA_OK;
}

static LyraStatus make_numbers(const LyImport *import, Numbers *numbers)
{
    int64_t count = import->builder.vertex_count;
    *numbers = (Numbers){.first = import->vertex_first, .count = count};
    if (!import->vertex_ids || count == 0) {
        return LYRA_OK;
    }
    int64_t low = INT64_MAX, high = INT64_MIN;
    bool ascending = true;
    for (int64_t v = 0; v < count; ++v) {
        low = ly_min_i64(low, import->vertex_ids[v]);
        high = ly_max_i64(high, import->vertex_ids[v]);
        ascending = ascending && import->vertex_ids[v] == import->vertex_ids[0] + v;
    }
    numbers->first = low;
    if (ascending) {
        return LYRA_OK;
    }
    numbers->count = high - low + 1;
    return numbers->count <= 4 * count + 1024 ? make_table(import, numbers)
                                              : sort_numbers(import, numbers);
}

/// Id of a vertex, -1 if the file has none of that number.
static inline int32_t find_number(const Numbers *numbers, int64_t vertex_count, int32_t number)
{
    if (numbers->sorted) {
        uint64_t key = (uint64_t)((int64_t)number - INT32_MIN);
        int64_t low = 0, high = vertex_count;
        while (low < high) {
            int64_t middle = (low + high) / 2;
            if (numbers->sorted[middle] < key) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low < vertex_count && numbers->sorted[low] == key ? numbers->ids[low] : -1;
    }
    int64_t slot = number - numbers->first;
    if (slot < 0 || slot >= numbers->count) {
        return -1;
    }
    return numbers->table ? numbers->table[slot] : (int32_t)slot;
}

// ---- cells --------------------------------------------------------------------------------------

/// Keeps the cells of the wanted dimension, with ids of vertices for numbers.
static LyraStatus keep_cells(LyImport *import, bool solids, const Numbers *numbers, int32_t *firsts)
{
    int64_t vertex_count = import->builder.vertex_count, cells = 0, write = 0;
    const int32_t *read = import->corners;
    for (int64_t c = 0; c < import->cell_count; ++c) {
        firsts[c] = (int32_t)cells;
        LyCellShape shape = import->shapes[c];
        int32_t nodes = shape == LY_CELL_POLYGON ? *read : ly_cell_nodes(shape);
        int32_t head = shape == LY_CELL_POLYGON;
        if (ly_cell_is_solid(shape) == solids) {
            if (head) {
                import->corners[write] = nodes;
            }
            for (int32_t a = head; a < nodes + head; ++a) {
                int32_t number = read[a], id = find_number(numbers, vertex_count, number);
                if (id < 0) {
                    return ly_fail(LYRA_BAD_FORMAT,
                                   "%s: cell %lld names vertex %d, expected one of the %lld "
                                   "vertices of the file",
                                   import->path, (long long)c + 1, number, (long long)vertex_count);
                }
                import->corners[write + a] = id;
            }
            write += nodes + head;
            import->shapes[cells++] = (uint8_t)shape;
        }
        read += nodes + head;
    }
    firsts[import->cell_count] = (int32_t)cells;
    import->cell_count = cells;
    import->corner_count = write;
    return LYRA_OK;
}

/// Calls for each corner of the wanted cells: corner = map[corner].
static void map_corners(LyImport *import, const int32_t *map)
{
    int32_t *at = import->corners;
    for (int64_t c = 0; c < import->cell_count; ++c) {
        LyCellShape shape = import->shapes[c];
        int32_t nodes = shape == LY_CELL_POLYGON ? *at++ : ly_cell_nodes(shape);
        for (int32_t a = 0; a < nodes; ++a) {
            at[a] = map[at[a]];
        }
        at += nodes;
    }
}

/// Marks in `used` [vertex_count] the vertices that cells name.
static int64_t mark_used(const LyImport *import, uint8_t *used)
{
    int64_t count = 0;
    const int32_t *at = import->corners;
    for (int64_t c = 0; c < import->cell_count; ++c) {
        LyCellShape shape = import->shapes[c];
        int32_t nodes = shape == LY_CELL_POLYGON ? *at++ : ly_cell_nodes(shape);
        for (int32_t a = 0; a < nodes; ++a) {
            count += !used[at[a]];
            used[at[a]] = 1;
        }
        at += nodes;
    }
    return count;
}

// ---- what sets name
// ------------------------------------------------------------------------------

static LyraStatus fail_number(const LyImport *import, const char *set, int32_t number)
{
    return ly_fail(LYRA_BAD_FORMAT,
                   "%s: the set \"%s\" names vertex %d, expected one of the %lld vertices of the "
                   "file",
                   import->path, set, number, (long long)import->builder.vertex_count);
}

/// Numbers of vertices in sets become ids.
static LyraStatus number_sets(LyImport *import, const Numbers *numbers)
{
    int64_t vertex_count = import->builder.vertex_count;
    const LySetList *sets = &import->builder.vertex_sets;
    for (int32_t s = 0; s < sets->names.count; ++s) {
        for (int64_t i = sets->begins[s]; i < ly_set_list_end(sets, s); ++i) {
            int32_t number = sets->ids[i];
            sets->ids[i] = find_number(numbers, vertex_count, number);
            if (sets->ids[i] < 0) {
                return fail_number(import, sets->names.names[s], number);
            }
        }
    }
    for (int64_t f = 0; f < import->face_count; ++f) {
        for (int32_t a = 0; a < import->faces[f].count; ++a) {
            int32_t *corner = &import->faces[f].corners[a];
            int32_t id = find_number(numbers, vertex_count, *corner);
            if (id < 0) {
                return ly_fail(LYRA_BAD_FORMAT,
                               "%s: a face of a set names vertex %d, expected one of the %lld "
                               "vertices of the file",
                               import->path, *corner, (long long)vertex_count);
            }
            *corner = id;
        }
    }
    return LYRA_OK;
}

/// Vertices of sets become map[vertex], or -1 where `used` says that they go. NULL: all stay.
static void map_set_vertices(LyImport *import, const int32_t *map, const uint8_t *used)
{
    const LySetList *sets = &import->builder.vertex_sets;
    for (int64_t i = 0; i < sets->id_count; ++i) {
        int32_t v = sets->ids[i];
        sets->ids[i] = v < 0 || (used && !used[v]) ? -1 : map[v];
    }
    for (int64_t f = 0; f < import->face_count; ++f) {
        for (int32_t a = 0; a < import->faces[f].count; ++a) {
            int32_t v = import->faces[f].corners[a];
            import->faces[f].corners[a] = v < 0 || (used && !used[v]) ? -1 : map[v];
        }
    }
}

/// Drops the vertices that are gone from their sets, and the sets that become empty by it.
static LyraStatus drop_gone(LyImport *import)
{
    LyraContext *ctx = import->ctx;
    LySetList old = import->builder.vertex_sets, *sets = &import->builder.vertex_sets;
    *sets = (LySetList){0};
    LyraStatus status = LYRA_OK;
    for (int32_t s = 0; s < old.names.count; ++s) {
        int64_t begin = old.begins[s], end = ly_set_list_end(&old, s), kept = begin;
        for (int64_t i = begin; i < end; ++i) {
            if (old.ids[i] >= 0) {
                old.ids[kept++] = old.ids[i];
            }
        }
        if (kept > begin || begin == end) {
            const char *name = old.names.names[s];
            LY_TRY_DONE(ly_set_list_add(ctx, sets, (LySlice){name, strlen(name)}));
            LY_TRY_DONE(ly_set_list_add_ids(ctx, sets, kept > begin ? old.ids + begin : NULL,
                                            kept - begin));
        }
    }
done:
    ly_set_list_release(ctx, &old);
    return status;
}

// ---- vertices -----------------------------------------------------------------------------------

/// Merges vertices of cells that lie at one place, and drops those that no cell uses.
static LyraStatus clean_vertices(LyImport *import)
{
    LyMeshBuilder *builder = &import->builder;
    LyraContext *ctx = import->ctx;
    int32_t count = (int32_t)builder->vertex_count, *map = NULL;
    uint8_t *used = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_zeroed(ctx, count, 1, &used));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *map, &map));
    int64_t unused = count - mark_used(import, used);
    // used vertices to the front
    int32_t kept = 0;
    for (int32_t v = 0; v < count; ++v) {
        map[v] = kept;
        if (used[v]) {
            memmove(builder->positions + 3 * (int64_t)kept++, builder->positions + 3 * (int64_t)v,
                    3 * sizeof *builder->positions);
        }
    }
    if (unused > 0) {
        map_corners(import, map);
        map_set_vertices(import, map, used);
    }
    LY_TRY_DONE(ly_find_kept_vertices(ctx, kept, builder->positions, 0, map));
    int32_t distinct = 0;
    for (int32_t v = 0; v < kept; ++v) {
        if (map[v] == v) {
            memmove(builder->positions + 3 * (int64_t)distinct, builder->positions + 3 * (int64_t)v,
                    3 * sizeof *builder->positions);
            map[v] = distinct++;
        } else {
            map[v] = map[map[v]];
        }
    }
    if (distinct < kept) {
        map_corners(import, map);
        map_set_vertices(import, map, NULL);
        ly_log(ctx, LYRA_LOG_INFO, "%s: %d duplicate vertices merged", import->path,
               kept - distinct);
    }
    if (unused > 0) {
        ly_log(ctx, LYRA_LOG_INFO, "%s: %lld unused vertices dropped", import->path,
               (long long)unused);
    }
    builder->vertex_count = distinct;
    status = drop_gone(import);
done:
    ly_release(ctx, used);
    ly_release(ctx, map);
    return status;
}

LyraStatus ly_import_select(LyImport *import, bool solids, int32_t **firsts)
{
    LyraContext *ctx = import->ctx;
    Numbers numbers = {0};
    int32_t *begins = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(make_numbers(import, &numbers));
    LY_TRY_DONE(ly_allocate_array(ctx, import->cell_count + 1, sizeof *begins, &begins));
    LY_TRY_DONE(keep_cells(import, solids, &numbers, begins));
    LY_TRY_DONE(number_sets(import, &numbers));
    ly_release(ctx, import->vertex_ids);
    import->vertex_ids = NULL;
    if (import->quadratic[solids]) {
        ly_log(ctx, LYRA_LOG_INFO, "%s: quadratic elements taken by their corners", import->path);
    }
    if (!import->as_is) {
        LY_TRY_DONE(clean_vertices(import));
    }
    *firsts = begins;
    begins = NULL;
done:
    ly_release(ctx, begins);
    release_numbers(ctx, &numbers);
    return status;
}
