// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Physical points and curves of .msh files: the nodes of their points and lines make sets of
// vertices. Nodes are noted as they come and put together at the end of the file, when all groups
// are known. In version 2 the tag of an element is its group; in version 4.1 it is an entity, which
// may belong to several.

#include "mesh/gmsh.h"

#include "mesh/sort.h"

#include <stdio.h>
#include <string.h>

#define TAGS_MAX 1000

static uint64_t key_of(int32_t dimension, int32_t tag)
{
    return (uint64_t)dimension << 32 | (uint32_t)tag;
}

LyraStatus ly_gmsh_add_points(LyGmshReader *reader, int32_t dimension, int32_t tag, int64_t count,
                              const int32_t *numbers)
{
    LyraContext *ctx = reader->import->ctx;
    int64_t total = reader->point_count + count, capacity = reader->point_capacity;
    LY_TRY(ly_grow_array(ctx, total, sizeof *reader->points, &reader->point_capacity,
                         &reader->points));
    if (reader->point_capacity > capacity) {
        LY_TRY(ly_resize_array(ctx, reader->point_capacity, sizeof *reader->point_keys,
                               &reader->point_keys));
    }
    for (int64_t i = 0; i < count; ++i) {
        reader->points[reader->point_count + i] = numbers[i];
        reader->point_keys[reader->point_count + i] = key_of(dimension, tag);
    }
    reader->point_count = total;
    return LYRA_OK;
}

LyraStatus ly_gmsh_add_group(LyGmshReader *reader, int32_t dimension, int32_t tag, LySlice name)
{
    LyraContext *ctx = reader->import->ctx;
    LY_TRY(ly_grow_array(ctx, reader->group_count + 1, sizeof *reader->groups,
                         &reader->group_capacity, &reader->groups));
    LyGmshGroup *group = &reader->groups[reader->group_count];
    reader->group_names.ctx = ctx;
    group->key = key_of(dimension, tag);
    LY_TRY(ly_names_add(&reader->group_names, name, &group->name, NULL));
    reader->group_count += 1;
    return LYRA_OK;
}

/// Version 2: a group of each tag of the points and of the lines, which are sorted.
static LyraStatus group_tags(LyGmshReader *reader)
{
    int64_t tags = 0;
    for (int64_t i = 0; i < reader->point_count; ++i) {
        tags += i == 0 || reader->point_keys[i] != reader->point_keys[i - 1];
    }
    for (int64_t i = 0; i < reader->point_count && tags <= TAGS_MAX; ++i) {
        if (i == 0 || reader->point_keys[i] != reader->point_keys[i - 1]) {
            int32_t dimension = (int32_t)(reader->point_keys[i] >> 32);
            int32_t tag = (int32_t)(uint32_t)reader->point_keys[i];
            const LyGmshName *name = ly_gmsh_find_name(reader, dimension, tag);
            char buffer[32];
            int length = snprintf(buffer, sizeof buffer, "physical_%d", tag);
            LY_TRY(ly_gmsh_add_group(reader, dimension, tag,
                                     name ? name->name : (LySlice){buffer, (size_t)length}));
        }
    }
    return LYRA_OK;
}

static int64_t first_point(const LyGmshReader *reader, uint64_t key)
{
    int64_t low = 0, high = reader->point_count;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (reader->point_keys[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

LyraStatus ly_gmsh_finish_points(LyGmshReader *reader)
{
    LyImport *import = reader->import;
    LyraContext *ctx = import->ctx;
    LySetList *sets = &import->builder.vertex_sets;
    uint64_t *keys = NULL;
    int32_t *order = NULL;
    LyraStatus status = LYRA_OK;
    if (reader->point_count == 0) {
        return LYRA_OK;
    }
    LY_TRY(ly_sort_keys(ctx, reader->point_count, reader->point_keys, reader->points));
    if (!reader->version4) {
        LY_TRY(group_tags(reader));
    }
    // groups by name
    LY_TRY_DONE(ly_allocate_array(ctx, reader->group_count, sizeof *keys, &keys));
    LY_TRY_DONE(ly_allocate_array(ctx, reader->group_count, sizeof *order, &order));
    for (int64_t g = 0; g < reader->group_count; ++g) {
        keys[g] = (uint64_t)reader->groups[g].name;
        order[g] = (int32_t)g;
    }
    LY_TRY_DONE(ly_sort_keys(ctx, reader->group_count, keys, order));
    int64_t most = 4 * (int64_t)(import->scanner.end - import->scanner.begin);
    for (int64_t g = 0; g < reader->group_count; ++g) {
        uint64_t key = reader->groups[order[g]].key;
        int64_t begin = first_point(reader, key), end = first_point(reader, key + 1);
        const char *name = reader->group_names.names[keys[g]];
        LySlice slice = {name, strlen(name)};
        if (end > begin && ly_names_find(&sets->names, slice) < 0) {
            LY_TRY_DONE(ly_set_list_add(ctx, sets, slice));
        }
        // a short text can ask for many large sets
        if (sets->id_count + end - begin > most) {
            LY_TRY_DONE(ly_fail(LYRA_TOO_LARGE, "%s: its sets have more than %lld members",
                                import->path, (long long)most));
        }
        LY_TRY_DONE(ly_set_list_add_ids(ctx, sets, reader->points + begin, end - begin));
    }
done:
    ly_release(ctx, order);
    ly_release(ctx, keys);
    return status;
}

void ly_gmsh_release_points(LyGmshReader *reader)
{
    LyraContext *ctx = reader->import->ctx;
    ly_release(ctx, reader->points);
    ly_release(ctx, reader->point_keys);
    ly_release(ctx, reader->groups);
    reader->group_names.ctx = ctx;
    ly_names_release(&reader->group_names);
}
