// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Merging vertices.
//
// Kept vertices live in a hash table of grid cells as wide as the tolerance; a vertex looks at its
// own cell and the 26 around. Kept ones are farther apart than the tolerance, so a cell holds only
// a few and the time is linear. Cell coordinates stay doubles, so that no position is too far out.
// With tolerance 0 the position itself takes the place of the cell.

#include "mesh/merge.h"

#include "mesh/edit.h"
#include "mesh/sort.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct VertexTable {
    int32_t *first; // [slots] newest kept vertex of the slot, -1 for none
    int32_t *next;  // [vertex_count] the one before it in the same slot
    uint64_t mask;  // slots - 1
    int32_t vertex_count;
    const double *positions;
} VertexTable;

static uint64_t hash_cell(const double cell[3])
{
    uint64_t hash = 0;
    for (int32_t i = 0; i < 3; ++i) {
        // + 0.0 makes one of the two zeros
        double c = cell[i] + 0.0;
        uint64_t bits;
        memcpy(&bits, &c, sizeof bits);
        hash = ly_hash_bits(hash ^ bits) + 0x9e3779b97f4a7c15u;
    }
    return hash;
}

static bool is_near(const double *a, const double *b, double tolerance)
{
    if (a[0] == b[0] && a[1] == b[1] && a[2] == b[2]) {
        return true;
    }
    if (tolerance == 0) {
        return false;
    }
    // scaled, so that no square under- or overflows the wrong way
    double dx = (a[0] - b[0]) / tolerance, dy = (a[1] - b[1]) / tolerance;
    double dz = (a[2] - b[2]) / tolerance;
    return dx * dx + dy * dy + dz * dz <= 1;
}

// Lowest kept vertex near `x` among those of a cell's slot, or `best` if that is lower.
static int32_t search_cell(const VertexTable *table, const double cell[3], const double *x,
                           double tolerance, int32_t best)
{
    for (int32_t v = table->first[hash_cell(cell) & table->mask]; v >= 0; v = table->next[v]) {
        if ((best < 0 || v < best) && is_near(table->positions + 3 * (int64_t)v, x, tolerance)) {
            best = v;
        }
    }
    return best;
}

static double largest_coordinate(const VertexTable *table)
{
    double largest = 0;
    for (int64_t i = 0; i < 3 * (int64_t)table->vertex_count; ++i) {
        largest = fmax(largest, fabs(table->positions[i]));
    }
    return largest;
}

static void find_kept(double tolerance, VertexTable *table, int32_t *kept)
{
    for (int32_t v = 0; v < table->vertex_count; ++v) {
        const double *x = table->positions + 3 * (int64_t)v;
        double cell[3];
        for (int32_t i = 0; i < 3; ++i) {
            cell[i] = tolerance > 0 ? floor(x[i] / tolerance) : x[i];
        }
        int32_t best = -1;
        for (int32_t n = 0; n < 27 && tolerance > 0; ++n) {
            int32_t i = n % 3, j = n / 3 % 3, k = n / 9;
            double near[3] = {cell[0] + i - 1, cell[1] + j - 1, cell[2] + k - 1};
            best = search_cell(table, near, x, tolerance, best);
        }
        if (tolerance == 0) {
            best = search_cell(table, cell, x, 0, best);
        }
        kept[v] = best >= 0 ? best : v;
        if (best < 0) {
            uint64_t slot = hash_cell(cell) & table->mask;
            table->next[v] = table->first[slot];
            table->first[slot] = v;
        }
    }
}

LyraStatus ly_find_kept_vertices(LyraContext *ctx, int32_t vertex_count, const double *positions,
                                 double tolerance, int32_t *kept)
{
    int64_t slots = 16;
    while (slots < 2 * (int64_t)vertex_count) {
        slots *= 2;
    }
    VertexTable table = {
        .mask = (uint64_t)slots - 1, .vertex_count = vertex_count, .positions = positions};
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, slots, sizeof *table.first, &table.first));
    LY_TRY_DONE(ly_allocate_array(ctx, vertex_count, sizeof *table.next, &table.next));
    for (int64_t i = 0; i < slots; ++i) {
        table.first[i] = -1;
    }
    // a tolerance so small that cells can't be counted means equal positions
    if (tolerance > 0 && !(largest_coordinate(&table) / tolerance <= DBL_MAX)) {
        tolerance = 0;
    }
    find_kept(tolerance, &table, kept);
done:
    ly_release(ctx, table.first);
    ly_release(ctx, table.next);
    return status;
}

LyraStatus lyra_mesh_merge_vertices(const LyraMesh *mesh, double tolerance, int32_t *vertex_map,
                                    LyraMesh **out)
{
    if (!(tolerance >= 0) || !isfinite(tolerance)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "merge: the tolerance is %g, expected 0 or more",
                       tolerance);
    }
    LyraContext *ctx = mesh->ctx;
    int32_t *kept = NULL;
    LY_TRY(ly_allocate_array(ctx, mesh->vertex_count, sizeof *kept, &kept));
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_find_kept_vertices(ctx, mesh->vertex_count, mesh->positions, tolerance, kept));
    // kept vertices come before those that join them
    int32_t count = 0;
    for (int32_t v = 0; v < mesh->vertex_count; ++v) {
        kept[v] = kept[v] == v ? count++ : kept[kept[v]];
    }
    LY_TRY_DONE(ly_mesh_edit_renumber(mesh, count, kept, mesh->element_count, NULL, NULL, out));
    if (vertex_map && mesh->vertex_count > 0) {
        memcpy(vertex_map, kept, (size_t)mesh->vertex_count * sizeof *kept);
    }
done:
    ly_release(ctx, kept);
    return status;
}
