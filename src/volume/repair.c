// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Surfaces that agree on what is outside.
//
// 1. Vertices in one place become one; polygons become fans; triangles without area go, and so do
//    those on three vertices that another already has.
// 2. Across edges of exactly two triangles a walk gives every triangle of a patch a sign relative
//    to the first one.
// 3. A patch is turned as a whole. A shell, closed or with holes that are small beside it: the way
//    most of its area faces already, so that a cavity given as a shell that faces inward stays one.
//    Other open patches: the way in which the volume between them and the middle of the surface is
//    positive, unless that volume is too small to tell anything.

#include "math/vec3.h"
#include "mesh/merge.h"
#include "mesh/sort.h"
#include "mesh/surface.h"
#include "volume/volume.h"

#include <math.h>
#include <string.h>

typedef struct Soup {
    LyraContext *ctx;
    int32_t vertex_count, count;
    double *positions;
    int32_t (*triangles)[3];
    double center[3]; // of area
} Soup;

// ---- one vertex per place, one triangle per three vertices --------------------------------------

static void vector_area(const Soup *soup, const int32_t v[3], double area[3])
{
    double e[2][3];
    for (int32_t i = 0; i < 3; ++i) {
        e[0][i] = soup->positions[3 * (int64_t)v[1] + i] - soup->positions[3 * (int64_t)v[0] + i];
        e[1][i] = soup->positions[3 * (int64_t)v[2] + i] - soup->positions[3 * (int64_t)v[0] + i];
    }
    for (int32_t i = 0; i < 3; ++i) {
        int32_t j = (i + 1) % 3, k = (i + 2) % 3;
        area[i] = 0.5 * (e[0][j] * e[1][k] - e[0][k] * e[1][j]);
    }
}

static LyraStatus collect(const LyraSurface *surface, Soup *soup, LyraSurfaceRepair *report)
{
    LyraContext *ctx = soup->ctx;
    const LySurfaceArrays *arrays = &surface->arrays;
    LyraStatus status = LYRA_OK;
    int32_t *kept = NULL;
    int64_t count = (int64_t)surface->corner_count - 2 * (int64_t)surface->face_count;
    LY_TRY_DONE(ly_allocate_array(ctx, surface->vertex_count, sizeof *kept, &kept));
    LY_TRY_DONE(ly_find_kept_vertices(ctx, surface->vertex_count, arrays->positions, 0, kept));
    LY_TRY_DONE(ly_allocate_array(ctx, 3 * (int64_t)surface->vertex_count, sizeof *soup->positions,
                                  &soup->positions));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *soup->triangles, &soup->triangles));
    for (int32_t v = 0; v < surface->vertex_count; ++v) {
        report->merged_vertices += kept[v] != v;
        // kept ones come before those that join them
        int32_t id = kept[v] == v ? soup->vertex_count++ : kept[kept[v]];
        if (kept[v] == v) {
            memcpy(soup->positions + 3 * (int64_t)id, arrays->positions + 3 * (int64_t)v,
                   3 * sizeof(double));
        }
        kept[v] = id;
    }
    for (int32_t f = 0; f < surface->face_count; ++f) {
        int32_t first = arrays->face_begin[f];
        for (int32_t c = first + 1; c + 1 < arrays->face_begin[f + 1]; ++c) {
            const int32_t v[3] = {kept[arrays->corner_vertices[first]],
                                  kept[arrays->corner_vertices[c]],
                                  kept[arrays->corner_vertices[c + 1]]};
            double area[3];
            vector_area(soup, v, area);
            if (ly_length3(area) > 0) {
                memcpy(soup->triangles[soup->count++], v, sizeof v);
            } else {
                ++report->degenerate_faces;
            }
        }
    }
done:
    ly_release(ctx, kept);
    return status;
}

static void sort_three(int32_t v[3])
{
    for (int32_t pass = 0; pass < 2; ++pass) {
        for (int32_t a = 0; a < 2 - pass; ++a) {
            if (v[a] > v[a + 1]) {
                int32_t swap = v[a];
                v[a] = v[a + 1];
                v[a + 1] = swap;
            }
        }
    }
}

static LyraStatus drop_duplicates(Soup *soup, LyraSurfaceRepair *report)
{
    LySortItem *items = NULL;
    LY_TRY(ly_allocate_array(soup->ctx, soup->count, sizeof *items, &items));
    for (int32_t t = 0; t < soup->count; ++t) {
        int32_t v[3];
        memcpy(v, soup->triangles[t], sizeof v);
        sort_three(v);
        items[t] = (LySortItem){{(uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2]}, t};
    }
    ly_sort_items(soup->count, items);
    for (int32_t k = 1; k < soup->count; ++k) {
        if (memcmp(items[k].key, items[k - 1].key, sizeof items[k].key) == 0) {
            soup->triangles[items[k].owner][0] = -1;
        }
    }
    ly_release(soup->ctx, items);
    int32_t left = 0;
    for (int32_t t = 0; t < soup->count; ++t) {
        if (soup->triangles[t][0] >= 0) {
            memmove(soup->triangles[left++], soup->triangles[t], sizeof soup->triangles[t]);
        }
    }
    report->duplicate_faces = soup->count - left;
    soup->count = left;
    return LYRA_OK;
}

// ---- patches ------------------------------------------------------------------------------------

// Sides of triangles by edge, neighbours across edges of two, signs within a patch.
typedef struct Patches {
    uint64_t *keys;       // lower vertex << 32 | higher, sorted
    int32_t *sides;       // 3 triangle + side, in the order of the keys
    int32_t (*across)[3]; // side of the neighbour, -1: none or several
    int8_t *sign;         // 1 or -1 relative to the first of the patch; 0: not visited
    bool *rim;            // has a side without a neighbour
    int32_t *queue;
} Patches;

static LyraStatus make_neighbours(const Soup *soup, Patches *patches, LyraSurfaceRepair *report)
{
    int64_t count = 3 * (int64_t)soup->count;
    if (count > INT32_MAX) {
        return ly_fail(LYRA_TOO_LARGE, "surface repair: %d triangles, at most %d", soup->count,
                       INT32_MAX / 3);
    }
    for (int32_t t = 0; t < soup->count; ++t) {
        patches->rim[t] = false;
        for (int32_t a = 0; a < 3; ++a) {
            uint64_t u = (uint64_t)soup->triangles[t][a];
            uint64_t v = (uint64_t)soup->triangles[t][(a + 1) % 3];
            patches->keys[3 * (int64_t)t + a] = u < v ? u << 32 | v : v << 32 | u;
            patches->sides[3 * (int64_t)t + a] = 3 * t + a;
            patches->across[t][a] = -1;
        }
    }
    LY_TRY(ly_sort_keys(soup->ctx, count, patches->keys, patches->sides));
    for (int64_t k = 0; k < count;) {
        int64_t end = k + 1;
        while (end < count && patches->keys[end] == patches->keys[k]) {
            ++end;
        }
        if (end == k + 2) {
            int32_t a = patches->sides[k], b = patches->sides[k + 1];
            patches->across[a / 3][a % 3] = b;
            patches->across[b / 3][b % 3] = a;
        } else if (end == k + 1) {
            ++report->boundary_edges;
        }
        for (int64_t i = k; i < end && end != k + 2; ++i) {
            patches->rim[patches->sides[i] / 3] = true;
        }
        k = end;
    }
    return LYRA_OK;
}

// Gives signs to the patch of `first`; returns the number of its triangles, which the queue lists.
static int32_t walk_patch(const Soup *soup, Patches *patches, int32_t first)
{
    int32_t count = 0;
    patches->queue[count++] = first;
    patches->sign[first] = 1;
    for (int32_t at = 0; at < count; ++at) {
        int32_t t = patches->queue[at];
        for (int32_t a = 0; a < 3; ++a) {
            int32_t other = patches->across[t][a];
            if (other < 0 || patches->sign[other / 3] != 0) {
                continue;
            }
            // neighbours that agree run along their edge in opposite ways
            bool agree = soup->triangles[t][a] != soup->triangles[other / 3][other % 3];
            patches->sign[other / 3] = (int8_t)(agree ? patches->sign[t] : -patches->sign[t]);
            patches->queue[count++] = other / 3;
        }
    }
    return count;
}

// 1 or -1: how a patch is to be turned, relative to its first triangle.
static int32_t choose_turn(const Soup *soup, const Patches *patches, int32_t count)
{
    double total = 0, given = 0, volume = 0, sum[3] = {0};
    bool open = false;
    for (int32_t k = 0; k < count; ++k) {
        int32_t t = patches->queue[k];
        double area[3];
        vector_area(soup, soup->triangles[t], area);
        const double *x = soup->positions + 3 * (int64_t)soup->triangles[t][0];
        total += ly_length3(area);
        given += patches->sign[t] * ly_length3(area);
        for (int32_t i = 0; i < 3; ++i) {
            sum[i] += patches->sign[t] * area[i];
            volume += patches->sign[t] * area[i] * (x[i] - soup->center[i]) / 3;
        }
        open = open || patches->rim[t];
    }
    // The area of what closes the holes: 0 for a closed patch, 1/5 of the patch for a cube without
    // a face, 1/2 for a hemisphere, all of it for a triangle. Half of it facing either way would
    // say nothing about which way it was meant.
    if (open && ly_length3(sum) < 0.25 * total && fabs(given) > 0.5 * total) {
        return given > 0 ? 1 : -1;
    }
    // a flat patch through the middle has no volume; a hemisphere has 0.13 of this measure
    if (open && fabs(volume) > 0.01 * total * sqrt(total)) {
        return volume > 0 ? 1 : -1;
    }
    return given >= 0 ? 1 : -1;
}

static void find_center(Soup *soup)
{
    double total = 0, sum[3] = {0};
    for (int32_t t = 0; t < soup->count; ++t) {
        double area[3];
        vector_area(soup, soup->triangles[t], area);
        double weight = ly_length3(area);
        total += weight;
        for (int32_t i = 0; i < 3; ++i) {
            for (int32_t a = 0; a < 3; ++a) {
                sum[i] += weight * soup->positions[3 * (int64_t)soup->triangles[t][a] + i] / 3;
            }
        }
    }
    for (int32_t i = 0; i < 3; ++i) {
        soup->center[i] = total > 0 ? sum[i] / total : 0;
    }
}

// enclosed, about a point near by, as the fan to it closes holes
static double find_volume(const Soup *soup)
{
    double volume = 0;
    for (int32_t t = 0; t < soup->count; ++t) {
        double area[3];
        vector_area(soup, soup->triangles[t], area);
        const double *x = soup->positions + 3 * (int64_t)soup->triangles[t][0];
        for (int32_t i = 0; i < 3; ++i) {
            volume += area[i] * (x[i] - soup->center[i]) / 3;
        }
    }
    return volume;
}

static LyraStatus turn_patches(Soup *soup, LyraSurfaceRepair *report)
{
    LyraContext *ctx = soup->ctx;
    LyraStatus status = LYRA_OK;
    Patches patches = {0};
    int64_t sides = 3 * (int64_t)soup->count;
    LY_TRY_DONE(ly_allocate_array(ctx, sides, sizeof *patches.keys, &patches.keys));
    LY_TRY_DONE(ly_allocate_array(ctx, sides, sizeof *patches.sides, &patches.sides));
    LY_TRY_DONE(ly_allocate_array(ctx, soup->count, sizeof *patches.across, &patches.across));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, soup->count, sizeof *patches.sign, &patches.sign));
    LY_TRY_DONE(ly_allocate_array(ctx, soup->count, sizeof *patches.rim, &patches.rim));
    LY_TRY_DONE(ly_allocate_array(ctx, soup->count, sizeof *patches.queue, &patches.queue));
    LY_TRY_DONE(make_neighbours(soup, &patches, report));
    find_center(soup);
    for (int32_t first = 0; first < soup->count; ++first) {
        if (patches.sign[first] != 0) {
            continue;
        }
        int32_t count = walk_patch(soup, &patches, first);
        int32_t turn = choose_turn(soup, &patches, count);
        ++report->patches;
        for (int32_t k = 0; k < count; ++k) {
            int32_t *v = soup->triangles[patches.queue[k]];
            if (patches.sign[patches.queue[k]] != turn) {
                int32_t swap = v[1];
                v[1] = v[2];
                v[2] = swap;
                ++report->flipped_faces;
            }
        }
    }
done:
    ly_release(ctx, patches.keys);
    ly_release(ctx, patches.sides);
    ly_release(ctx, patches.across);
    ly_release(ctx, patches.sign);
    ly_release(ctx, patches.rim);
    ly_release(ctx, patches.queue);
    return status;
}

// ---- all of it ----------------------------------------------------------------------------------

static LyraStatus make_surface(Soup *soup, LyraSurface **out)
{
    LySurfaceArrays arrays = {.positions = soup->positions,
                              .corner_vertices = (int32_t *)soup->triangles};
    LyraSurfaceView data = {
        .vertex_count = soup->vertex_count,
        .face_count = soup->count,
        .corner_count = 3 * soup->count,
    };
    LY_TRY(ly_allocate_array(soup->ctx, (int64_t)soup->count + 1, sizeof *arrays.face_begin,
                             &arrays.face_begin));
    for (int32_t t = 0; t <= soup->count; ++t) {
        arrays.face_begin[t] = 3 * t;
    }
    LyraStatus status = ly_surface_create_take(soup->ctx, &data, &arrays, out);
    if (status != LYRA_OK) {
        ly_release(soup->ctx, arrays.face_begin);
        return status;
    }
    soup->positions = NULL;
    soup->triangles = NULL;
    return LYRA_OK;
}

LyraStatus lyra_surface_repair(const LyraSurface *surface, LyraSurfaceRepair *report,
                               LyraSurface **out)
{
    LyraStatus status = LYRA_OK;
    LyraSurfaceRepair found = {0};
    Soup soup = {.ctx = surface->ctx};
    LY_TRY_DONE(collect(surface, &soup, &found));
    find_center(&soup);
    found.volume_before = find_volume(&soup);
    LY_TRY_DONE(drop_duplicates(&soup, &found));
    LY_TRY_DONE(turn_patches(&soup, &found));
    found.volume_after = find_volume(&soup);
    LY_TRY_DONE(make_surface(&soup, out));
    if (report) {
        *report = found;
    }
done:
    ly_release(soup.ctx, soup.positions);
    ly_release(soup.ctx, soup.triangles);
    return status;
}
