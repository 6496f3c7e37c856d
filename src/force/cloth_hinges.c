// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Hinges of a cloth: the sides of all triangles, sorted by their ends; two of one edge are a hinge.
// The first of them says which end is which and where left is.

#include "base/base.h"
#include "force/cloth.h"
#include "mesh/sort.h"

#include <math.h>
#include <string.h>

// triangles at one edge, beyond which the pairs would be too many
#define EDGE_MAX 16

typedef struct Sides {
    uint64_t *keys; // lower end << 32 | higher end
    int32_t *order; // corner that the side starts from, 3 triangle + corner
    int32_t count;
} Sides;

static LyraStatus sort_sides(LyraContext *ctx, const LyraClothView *view, Sides *sides)
{
    int64_t count = 3 * (int64_t)view->triangle_count;
    LY_TRY(ly_allocate_array(ctx, count, sizeof *sides->keys, &sides->keys));
    LY_TRY(ly_allocate_array(ctx, count, sizeof *sides->order, &sides->order));
    for (int32_t t = 0; t < view->triangle_count; ++t) {
        const int32_t *ids = view->triangles + 3 * (int64_t)t;
        for (int c = 0; c < 3; ++c) {
            uint32_t a = (uint32_t)ids[c], b = (uint32_t)ids[(c + 1) % 3];
            sides->order[sides->count] = sides->count;
            sides->keys[sides->count++] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
        }
    }
    return ly_sort_keys(ctx, sides->count, sides->keys, sides->order);
}

// the height of the corner opposite to a side over the side counts as none below this share of it
#define FLAT 1e-10

static bool has_area(const double *positions, const int32_t *ids)
{
    double e[2][3], square = 0, longest = 0;
    for (int i = 0; i < 3; ++i) {
        e[0][i] = positions[3 * (int64_t)ids[1] + i] - positions[3 * (int64_t)ids[0] + i];
        e[1][i] = positions[3 * (int64_t)ids[2] + i] - positions[3 * (int64_t)ids[0] + i];
    }
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double n = e[0][j] * e[1][k] - e[0][k] * e[1][j], d = e[1][i] - e[0][i];
        square += n * n;
        longest += e[0][i] * e[0][i] + e[1][i] * e[1][i] + d * d;
    }
    return square > FLAT * FLAT * longest * longest;
}

double ly_hinge_angle(const double x0[3], const double x1[3], const double left[3],
                      const double right[3])
{
    double e[3], a[3], b[3], N[2][3], ee = 0, s = 0, c = 0;
    for (int i = 0; i < 3; ++i) {
        e[i] = x1[i] - x0[i];
        a[i] = left[i] - x0[i];
        b[i] = right[i] - x0[i];
        ee += e[i] * e[i];
    }
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        N[0][i] = e[j] * a[k] - e[k] * a[j];
        N[1][i] = b[j] * e[k] - b[k] * e[j];
    }
    for (int i = 0; i < 3; ++i) {
        s += N[0][i] * b[i];
        c += N[0][i] * N[1][i];
    }
    return atan2(-sqrt(ee) * s, c);
}

static double find_angle(const double *positions, const int32_t *ids)
{
    const double *x[4];
    for (int k = 0; k < 4; ++k) {
        x[k] = positions + 3 * (int64_t)ids[k];
    }
    return ly_hinge_angle(x[0], x[1], x[2], x[3]);
}

// hinge between the triangles of two sides
static void add_hinge(LyraCloth *cloth, const double *positions, int32_t first, int32_t second)
{
    const int32_t *ids = cloth->triangles, triangles[2] = {first / 3, second / 3};
    int32_t h = cloth->view.hinge_count, *hinge = cloth->hinges + 4 * (int64_t)h;
    int32_t begin = 3 * triangles[0];
    hinge[0] = ids[first];
    hinge[1] = ids[begin + (first + 1) % 3];
    hinge[2] = ids[begin + (first + 2) % 3];
    hinge[3] = ids[3 * triangles[1] + (second + 2) % 3];
    if (!has_area(positions, ids + begin) || !has_area(positions, ids + 3 * triangles[1]) ||
        hinge[2] == hinge[3]) {
        ++cloth->view.hinges_left_out;
        return;
    }
    cloth->sides[2 * (int64_t)h] = triangles[0];
    cloth->sides[2 * (int64_t)h + 1] = triangles[1];
    cloth->rest_angles[h] = find_angle(positions, hinge);
    ++cloth->view.hinge_count;
}

static LyraStatus allocate(LyraCloth *cloth, int64_t count)
{
    if (count > INT32_MAX / 4) {
        return ly_fail(LYRA_TOO_LARGE, "cloth: %lld edges to bend, expected at most %d",
                       (long long)count, INT32_MAX / 4);
    }
    LyraContext *ctx = cloth->ctx;
    LY_TRY(ly_allocate_array(ctx, 4 * count, sizeof *cloth->hinges, &cloth->hinges));
    LY_TRY(ly_allocate_array(ctx, 2 * count, sizeof *cloth->sides, &cloth->sides));
    LY_TRY(ly_allocate_array(ctx, count, sizeof *cloth->rest_angles, &cloth->rest_angles));
    return ly_allocate_zeroed(ctx, count, sizeof *cloth->bend, &cloth->bend);
}

// triangles at the edge of side `k`, which is the first
static int32_t count_edge(const Sides *sides, int32_t k)
{
    int32_t end = k + 1;
    while (end < sides->count && sides->keys[end] == sides->keys[k]) {
        ++end;
    }
    return end - k;
}

static LyraStatus find_hinges(LyraCloth *cloth, const Sides *sides, const double *positions)
{
    LyraClothView *view = &cloth->view;
    int64_t pairs = 0;
    int32_t count;
    for (int32_t k = 0; k < sides->count; k += count) {
        count = count_edge(sides, k);
        view->boundary_edges += count == 1;
        view->non_manifold_edges += count > 2;
        pairs += count * (int64_t)(count - 1) / 2;
        if (count > EDGE_MAX) {
            return ly_fail(LYRA_BAD_MESH,
                           "cloth: found %d triangles at the edge of vertices %d and %d, expected "
                           "at most %d",
                           (int)count, (int)(sides->keys[k] >> 32),
                           (int)(sides->keys[k] & 0xffffffffu), EDGE_MAX);
        }
    }
    LY_TRY(allocate(cloth, pairs));
    for (int32_t k = 0; k < sides->count; k += count) {
        count = count_edge(sides, k);
        for (int32_t i = k; i < k + count; ++i) {
            for (int32_t j = i + 1; j < k + count; ++j) {
                int32_t a = sides->order[i], b = sides->order[j];
                add_hinge(cloth, positions, a < b ? a : b, a < b ? b : a);
            }
        }
    }
    return LYRA_OK;
}

LyraStatus ly_cloth_find_hinges(LyraCloth *cloth, const double *positions)
{
    Sides sides = {0};
    LyraStatus status = sort_sides(cloth->ctx, &cloth->view, &sides);
    if (status == LYRA_OK) {
        status = find_hinges(cloth, &sides, positions);
    }
    ly_release(cloth->ctx, sides.keys);
    ly_release(cloth->ctx, sides.order);
    return status;
}
