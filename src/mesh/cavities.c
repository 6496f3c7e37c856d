// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Cavities of a body.
//
// The boundary falls into shells, closed surfaces whose triangles hang together by edges. All of
// them point out of the body, so that the divergence theorem gives the volume within a shell,
//
//     V = 1/6 sum (p - o) . ((q - o) x (r - o)),
//
// a positive sign where the body is inside of it, and a negative one where a cavity is. Edges of
// more than two triangles, where shells touch, join nothing.

#include "mesh/cavities.h"

#include "base/forest.h"
#include "mesh/sort.h"

// Joins the triangles that share an edge with just one other.
static LyraStatus join_triangles(LyraContext *ctx, int32_t count, const int32_t *triangles,
                                 int32_t *parents)
{
    uint64_t *keys = NULL;
    int32_t *owners = NULL;
    int64_t total = 3 * (int64_t)count;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, total, sizeof *keys, &keys));
    LY_TRY_DONE(ly_allocate_array(ctx, total, sizeof *owners, &owners));
    for (int64_t i = 0; i < total; ++i) {
        uint64_t a = (uint64_t)triangles[i];
        uint64_t b = (uint64_t)triangles[i % 3 < 2 ? i + 1 : i - 2];
        keys[i] = a < b ? a << 32 | b : b << 32 | a;
        owners[i] = (int32_t)(i / 3);
    }
    LY_TRY_DONE(ly_sort_keys(ctx, total, keys, owners));
    for (int64_t i = 0, next; i < total; i = next) {
        for (next = i + 1; next < total && keys[next] == keys[i];) {
            ++next;
        }
        if (next - i == 2) {
            ly_forest_join(parents, owners[i], owners[i + 1]);
        }
    }
done:
    ly_release(ctx, owners);
    ly_release(ctx, keys);
    return status;
}

// Six times the signed volume between the origin of a shell and a triangle.
static double volume_under(const double *positions, const double *origin, const int32_t *triangle)
{
    double e[3][3];
    for (int i = 0; i < 9; ++i) {
        e[i / 3][i % 3] = positions[3 * (int64_t)triangle[i / 3] + i % 3] - origin[i % 3];
    }
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
           e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

LyraStatus ly_mark_cavities(LyraContext *ctx, const double *positions, int32_t count,
                            const int32_t *triangles, bool *inner)
{
    int32_t *parents = NULL;
    double *volumes = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *parents, &parents));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, count, sizeof *volumes, &volumes));
    for (int32_t f = 0; f < count; ++f) {
        parents[f] = f;
    }
    LY_TRY_DONE(join_triangles(ctx, count, triangles, parents));
    for (int32_t f = 0; f < count; ++f) {
        int32_t root = ly_forest_root(parents, f);
        const double *origin = positions + 3 * (int64_t)triangles[3 * (int64_t)root];
        volumes[root] += volume_under(positions, origin, triangles + 3 * (int64_t)f);
    }
    for (int32_t f = 0; f < count; ++f) {
        inner[f] = volumes[ly_forest_root(parents, f)] < 0;
    }
done:
    ly_release(ctx, volumes);
    ly_release(ctx, parents);
    return status;
}
