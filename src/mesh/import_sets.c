// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sets of cells: from tags of the cells, and on to elements or faces.

#include "mesh/import.h"

#include "mesh/sort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAGS_MAX 1000

// ---- tags ---------------------------------------------------------------------------------------

LyraStatus ly_import_tag_set(LyImport *import, bool solid, int32_t tag, LySlice name)
{
    LY_TRY(ly_grow_array(import->ctx, import->tag_set_count + 1, sizeof *import->tag_sets,
                         &import->tag_set_capacity, &import->tag_sets));
    LyTagSet *set = &import->tag_sets[import->tag_set_count];
    *set = (LyTagSet){.solid = solid, .tag = tag};
    import->tag_names.ctx = import->ctx;
    LY_TRY(ly_names_add(&import->tag_names, name, &set->name, NULL));
    import->tag_set_count += 1;
    return LYRA_OK;
}

/// Tags of the solids or of the faces, ascending.
static LyraStatus collect_tags(const LyImport *import, bool solid, int32_t **out, int64_t *count)
{
    int32_t *tags = NULL;
    LY_TRY(ly_allocate_array(import->ctx, import->cell_count, sizeof *tags, &tags));
    int64_t found = 0;
    for (int64_t c = 0; c < import->cell_count; ++c) {
        if (ly_cell_is_solid(import->shapes[c]) == solid) {
            tags[found++] = import->tags[c];
        }
    }
    LyraStatus status = ly_sort_unique(import->ctx, &found, tags);
    if (status != LYRA_OK) {
        ly_release(import->ctx, tags);
        return status;
    }
    *out = tags;
    *count = found;
    return LYRA_OK;
}

LyraStatus ly_import_tag_all(LyImport *import, const char *prefix, LyTagName *namer, void *user)
{
    for (int32_t solid = 0; solid < 2; ++solid) {
        int32_t *tags = NULL;
        int64_t count = 0;
        LY_TRY(collect_tags(import, solid, &tags, &count));
        LyraStatus status = LYRA_OK;
        // one tag for all says nothing, unless it has a name
        bool wanted = count <= TAGS_MAX && (namer || count >= 2);
        for (int64_t i = 0; wanted && i < count; ++i) {
            char buffer[64];
            int length = snprintf(buffer, sizeof buffer, "%s_%d", prefix, tags[i]);
            LySlice name = {buffer, (size_t)length};
            if (!namer || namer(user, solid, tags[i], &name)) {
                LY_TRY_DONE(ly_import_tag_set(import, solid, tags[i], name));
            }
        }
    done:
        ly_release(import->ctx, tags);
        LY_TRY(status);
    }
    return LYRA_OK;
}

static int compare_tags(const void *a, const void *b)
{
    const LyTagSet *x = a, *y = b;
    if (x->solid != y->solid) {
        return x->solid ? 1 : -1;
    }
    if (x->tag != y->tag) {
        return x->tag < y->tag ? -1 : 1;
    }
    return (x->name > y->name) - (x->name < y->name);
}

/// The sets of a tag: from the one returned to in front of `*end`.
static int64_t find_tag(const LyImport *import, bool solid, int32_t tag, int64_t *end)
{
    const LyTagSet key = {.solid = solid, .tag = tag, .name = -1};
    const LyTagSet *sets = import->tag_sets;
    int64_t low = 0, high = import->tag_set_count;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (compare_tags(&sets[middle], &key) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *end = low;
    while (*end < import->tag_set_count && sets[*end].solid == solid && sets[*end].tag == tag) {
        *end += 1;
    }
    return low;
}

/// Cells by name, counting sort: counts them if `ids` is NULL, else puts each where next[name]
/// says.
static void sort_cells(const LyImport *import, int64_t *next, int32_t *ids)
{
    int64_t begin = 0, end = 0;
    for (int64_t c = 0; c < import->cell_count; ++c) {
        bool solid = ly_cell_is_solid(import->shapes[c]);
        // cells of one tag follow each other
        if (c == 0 || import->tags[c] != import->tags[c - 1] ||
            solid != ly_cell_is_solid(import->shapes[c - 1])) {
            begin = find_tag(import, solid, import->tags[c], &end);
        }
        for (int64_t i = begin; i < end; ++i) {
            int64_t place = next[import->tag_sets[i].name]++;
            if (ids) {
                ids[place] = (int32_t)c;
            }
        }
    }
}

LyraStatus ly_import_tags_to_sets(LyImport *import)
{
    LyraContext *ctx = import->ctx;
    int32_t name_count = import->tag_names.count, *ids = NULL;
    int64_t *next = NULL, begin = 0;
    if (import->tag_set_count == 0) {
        return LYRA_OK;
    }
    LyraStatus status = LYRA_OK;
    qsort(import->tag_sets, (size_t)import->tag_set_count, sizeof *import->tag_sets, compare_tags);
    LY_TRY_DONE(ly_allocate_zeroed(ctx, name_count, sizeof *next, &next));
    sort_cells(import, next, NULL);
    for (int32_t n = 0; n < name_count; ++n) {
        int64_t count = next[n];
        next[n] = begin;
        begin += count;
    }
    // a short text can ask for many large sets
    int64_t bytes = import->scanner.end - import->scanner.begin;
    if (begin > 4 * bytes) {
        LY_TRY_DONE(ly_fail(LYRA_TOO_LARGE, "%s: its sets have %lld members, expected at most %lld",
                            import->path, (long long)begin, (long long)(4 * bytes)));
    }
    LY_TRY_DONE(ly_allocate_array(ctx, begin, sizeof *ids, &ids));
    sort_cells(import, next, ids);
    begin = 0;
    for (int32_t n = 0; n < name_count; ++n) {
        const char *name = import->tag_names.names[n];
        LY_TRY_DONE(ly_mesh_builder_add_set(&import->builder, (LySlice){name, strlen(name)}));
        LY_TRY_DONE(ly_mesh_builder_add_ids(&import->builder, ids + begin, next[n] - begin));
        begin = next[n];
    }
done:
    ly_release(ctx, ids);
    ly_release(ctx, next);
    return status;
}

// ---- on to elements -----------------------------------------------------------------------------

/// Rebuilds the sets of `old` in `builder` through `firsts`; `map`: new index of each set or -1.
static LyraStatus map_ids(const LyImport *import, const LySetList *old, const int32_t *firsts,
                          LyMeshBuilder *builder, int32_t *map, int32_t *emptied)
{
    for (int32_t s = 0; s < old->names.count; ++s) {
        int64_t begin = old->begins[s], end = ly_set_list_end(old, s), total = 0;
        for (int64_t i = begin; i < end; ++i) {
            total += firsts[old->ids[i] + 1] - firsts[old->ids[i]];
        }
        // sets of the other dimension end here; those that were empty in the file stay
        map[s] = -1;
        const char *text = old->names.names[s];
        LySlice name = {text, strlen(text)};
        if (total == 0 && end > begin) {
            *emptied += ly_names_find(&import->face_sets.names, name) < 0;
            continue;
        }
        map[s] = builder->sets.names.count;
        LY_TRY(ly_mesh_builder_add_set(builder, name));
        for (int64_t i = begin; i < end; ++i) {
            for (int32_t e = firsts[old->ids[i]]; e < firsts[old->ids[i] + 1]; ++e) {
                LY_TRY(ly_mesh_builder_add_ids(builder, &e, 1));
            }
        }
    }
    return LYRA_OK;
}

LyraStatus ly_import_map_sets(LyImport *import, const int32_t *firsts)
{
    LyMeshBuilder *builder = &import->builder;
    LyraContext *ctx = import->ctx;
    // the sets change hands, and what is left behind is released
    LySetList old = builder->sets;
    builder->sets = (LySetList){0};
    int32_t *map = NULL, emptied = 0;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, old.names.count, sizeof *map, &map));
    LY_TRY_DONE(map_ids(import, &old, firsts, builder, map, &emptied));
    if (emptied > 0) {
        ly_log(ctx, LYRA_LOG_INFO, "%s: %d sets of other cells left out", import->path, emptied);
    }
    int64_t kept = 0;
    for (int64_t r = 0; r < builder->region_count; ++r) {
        LyraMeshRegion region = builder->regions[r];
        region.set = region.set == LYRA_MESH_ALL_ELEMENTS ? region.set : map[region.set];
        if (region.set >= 0 || builder->regions[r].set == LYRA_MESH_ALL_ELEMENTS) {
            builder->regions[kept++] = region;
        }
    }
    builder->region_count = kept;
done:
    ly_release(ctx, map);
    ly_set_list_release(ctx, &old);
    return status;
}
