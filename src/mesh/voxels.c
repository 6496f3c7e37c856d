// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Cube meshes from voxels.
//
// The eight corners of every voxel are looked up in a hash table of the corners seen so far; what
// remains is sorted by x, then y, then z (each stably), so that vertices come out in the order of
// (z, y, x). Coordinates may be any 32-bit numbers; a corner's is at most one more, so they are
// kept as unsigned distances from the smallest.

#include "mesh/generate.h"
#include "mesh/sort.h"

#include <math.h>

#define EMPTY (-1)

// Lattice points without repeats.
typedef struct PointTable {
    int32_t *slots; // [slot_count] point ids or EMPTY
    int64_t slot_count;
    int64_t count, capacity;
    uint32_t *coordinate[3]; // [capacity]
} PointTable;

static int64_t table_find(const PointTable *table, const uint32_t p[3])
{
    uint64_t hash = ly_hash_bits(ly_hash_bits(p[0] | (uint64_t)p[1] << 32) + p[2]);
    int64_t slot = (int64_t)(hash & (uint64_t)(table->slot_count - 1));
    for (; table->slots[slot] != EMPTY; slot = (slot + 1) & (table->slot_count - 1)) {
        int32_t id = table->slots[slot];
        if (table->coordinate[0][id] == p[0] && table->coordinate[1][id] == p[1] &&
            table->coordinate[2][id] == p[2]) {
            break;
        }
    }
    return slot;
}

static LyraStatus table_set_slots(LyraContext *ctx, PointTable *table, int64_t slot_count)
{
    int32_t *slots = NULL;
    LY_TRY(ly_allocate_array(ctx, slot_count, sizeof *slots, &slots));
    for (int64_t i = 0; i < slot_count; ++i) {
        slots[i] = EMPTY;
    }
    ly_release(ctx, table->slots);
    table->slots = slots;
    table->slot_count = slot_count;
    for (int64_t id = 0; id < table->count; ++id) {
        uint32_t p[3] = {table->coordinate[0][id], table->coordinate[1][id],
                         table->coordinate[2][id]};
        table->slots[table_find(table, p)] = (int32_t)id;
    }
    return LYRA_OK;
}

// Makes room for `more` points at a load of at most one half.
static LyraStatus table_reserve(LyraContext *ctx, PointTable *table, int64_t more)
{
    int64_t needed = table->count + more;
    if (needed > table->capacity) {
        int64_t capacity = ly_max_i64(needed, table->capacity + table->capacity / 2);
        for (int32_t i = 0; i < 3; ++i) {
            LY_TRY(ly_resize_array(ctx, capacity, sizeof(uint32_t), &table->coordinate[i]));
        }
        table->capacity = capacity;
    }
    int64_t slot_count = ly_max_i64(table->slot_count, 16);
    while (slot_count < 2 * needed) {
        slot_count *= 2;
    }
    return slot_count > table->slot_count ? table_set_slots(ctx, table, slot_count) : LYRA_OK;
}

static void table_end(LyraContext *ctx, PointTable *table)
{
    ly_release(ctx, table->slots);
    for (int32_t i = 0; i < 3; ++i) {
        ly_release(ctx, table->coordinate[i]);
    }
}

// Id of a point, added if new. Room must be there.
static int32_t table_add(PointTable *table, const uint32_t p[3], bool *added)
{
    int64_t slot = table_find(table, p);
    *added = table->slots[slot] == EMPTY;
    if (*added) {
        for (int32_t i = 0; i < 3; ++i) {
            table->coordinate[i][table->count] = p[i];
        }
        table->slots[slot] = (int32_t)table->count++;
    }
    return table->slots[slot];
}

static LyraStatus check_voxels(LyraContext *ctx, int64_t count, const int32_t *voxels)
{
    PointTable table = {0};
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(table_reserve(ctx, &table, count));
    for (int64_t v = 0; v < count; ++v) {
        uint32_t p[3] = {(uint32_t)voxels[3 * v], (uint32_t)voxels[3 * v + 1],
                         (uint32_t)voxels[3 * v + 2]};
        bool added = false;
        table_add(&table, p, &added);
        if (!added) {
            status = ly_fail(LYRA_INVALID_ARGUMENT, "voxel %lld (%d, %d, %d) is given twice",
                             (long long)v, (int)voxels[3 * v], (int)voxels[3 * v + 1],
                             (int)voxels[3 * v + 2]);
            goto done;
        }
    }
done:
    table_end(ctx, &table);
    return status;
}

// Corner bits of the vertices of a cube in the order of the convention.
static const uint32_t cube_corner[8] = {0, 1, 3, 2, 4, 5, 7, 6};

// Finds the corners of all voxels and writes them, as points of the table, to `elements`.
static LyraStatus add_corners(LyraContext *ctx, PointTable *table, int64_t count,
                              const int32_t *voxels, const int32_t low[3], int32_t *elements)
{
    for (int64_t v = 0; v < count; ++v) {
        if (table->count + 8 > table->capacity || 2 * (table->count + 8) > table->slot_count) {
            LY_TRY(table_reserve(ctx, table, ly_max_i64(8, table->count / 2)));
        }
        if (table->count + 8 > INT32_MAX) {
            return ly_fail(LYRA_TOO_LARGE, "voxels: more than %d corners", INT32_MAX);
        }
        for (int32_t a = 0; a < 8; ++a) {
            uint32_t p[3];
            for (int32_t i = 0; i < 3; ++i) {
                p[i] = (uint32_t)voxels[3 * v + i] - (uint32_t)low[i] + (cube_corner[a] >> i & 1);
            }
            bool added = false;
            elements[8 * v + a] = table_add(table, p, &added);
        }
    }
    return LYRA_OK;
}

// Order of the points by (z, y, x): `order` lists them, `place` says where each stands.
static LyraStatus order_points(LyraContext *ctx, const PointTable *table, int32_t *order)
{
    int32_t *scratch = NULL;
    LY_TRY(ly_allocate_array(ctx, table->count, sizeof *scratch, &scratch));
    for (int64_t i = 0; i < table->count; ++i) {
        order[i] = (int32_t)i;
    }
    for (int32_t i = 0; i < 3; ++i) {
        ly_sort_order(table->count, table->coordinate[i], order, scratch);
    }
    ly_release(ctx, scratch);
    return LYRA_OK;
}

static LyraStatus build(LyraContext *ctx, int64_t count, const int32_t *voxels,
                        const double origin[3], double size, const LyraMeshMaterial *material,
                        LyraMesh **out)
{
    // distances from the low corner reach 2^32 only where voxels lie at both ends of the range
    int32_t low[3] = {0}, high[3] = {0};
    for (int64_t v = 0; v < count; ++v) {
        for (int32_t i = 0; i < 3; ++i) {
            int32_t c = voxels[3 * v + i];
            low[i] = v == 0 || c < low[i] ? c : low[i];
            high[i] = v == 0 || c > high[i] ? c : high[i];
        }
    }
    for (int32_t i = 0; i < 3; ++i) {
        if ((int64_t)high[i] - low[i] >= (int64_t)UINT32_MAX) {
            return ly_fail(LYRA_TOO_LARGE, "voxels: they spread over %lld along axis %d",
                           (long long)high[i] - low[i], (int)i);
        }
    }
    PointTable table = {0};
    int32_t *elements = NULL, *order = NULL;
    double *positions = NULL;
    LyMeshBuilder builder = {.ctx = ctx, .kind = LYRA_ELEMENT_CUBE8};
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, 8 * count, sizeof *elements, &elements));
    LY_TRY_DONE(table_reserve(ctx, &table, ly_min_i64(8 * count, count + count / 4 + 64)));
    LY_TRY_DONE(add_corners(ctx, &table, count, voxels, low, elements));
    LY_TRY_DONE(ly_allocate_array(ctx, table.count, sizeof *order, &order));
    LY_TRY_DONE(order_points(ctx, &table, order));
    LY_TRY_DONE(ly_allocate_array(ctx, 3 * table.count, sizeof *positions, &positions));
    // the slots of the table, at least as many as points, now hold each point's place
    int32_t *place = table.slots;
    for (int64_t p = 0; p < table.count; ++p) {
        place[order[p]] = (int32_t)p;
        for (int32_t i = 0; i < 3; ++i) {
            double c = (double)table.coordinate[i][order[p]] + low[i];
            positions[3 * p + i] = origin[i] + c * size;
        }
    }
    for (int64_t i = 0; i < 8 * count; ++i) {
        elements[i] = place[elements[i]];
    }
    builder.vertex_count = (int32_t)table.count;
    builder.element_count = (int32_t)count;
    builder.positions = positions;
    builder.elements = elements;
    positions = NULL;
    elements = NULL;
    status = ly_mesh_builder_finish(&builder, material, out);
done:
    table_end(ctx, &table);
    ly_release(ctx, order);
    ly_release(ctx, elements);
    ly_release(ctx, positions);
    return status;
}

LyraStatus ly_mesh_create_from_voxels(LyraContext *ctx, int64_t count, const int32_t *voxels,
                                      const double origin[3], double size,
                                      const LyraMeshMaterial *material, LyraMesh **out)
{
    if (count < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "voxels: their number is %lld", (long long)count);
    }
    if (count > INT32_MAX) {
        return ly_fail(LYRA_TOO_LARGE, "voxels: %lld of them, at most %d", (long long)count,
                       INT32_MAX);
    }
    if (!(size > 0) || !isfinite(size)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "voxels: the edge is %g, expected a positive length",
                       size);
    }
    LY_TRY(check_voxels(ctx, count, voxels));
    return build(ctx, count, voxels, origin, size, material, out);
}

LyraStatus lyra_mesh_create_from_voxels(LyraContext *ctx, int64_t count, const int32_t *voxels,
                                        const double origin[3], double size, LyraMesh **out)
{
    return ly_mesh_create_from_voxels(ctx, count, voxels, origin, size, NULL, out);
}
