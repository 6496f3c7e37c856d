// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Triangles in homogeneous coordinates, after [OG97]. Let v_i = (x_i w_i, y_i w_i, w_i) be the
// vertices and p = (x, y, 1) a pixel. The point of the triangle that is seen there is W p, with
// depth W and weights l_i that sum to 1:  W p = sum_i l_i v_i. With the planes
//     e_0 = v_1 x v_2,   e_1 = v_2 x v_0,   e_2 = v_0 x v_1,   D = v_0 . e_0
// the product with e_i gives  W e_i . p = l_i D, so
//     l_i = e_i . p / sum_j e_j . p ,     1/W = sum_j e_j . p / D .
// The first has perspective in it, the second is linear over the picture and serves as depth. A
// triangle is seen where all l_i >= 0 and W > 0: with the signs turned so that D > 0, where all
// e_i . p >= 0. That holds for vertices behind the eye as well, so nothing has to be cut off.
//
// Two triangles that share an edge take its plane from the same two vectors in the same order, one
// with the sign turned; rounding is symmetric, so the values at a sample are exact opposites, and
// if they are zero, the side that owns the edge (a > 0, or a = 0 and b > 0) draws.

#include "render/raster.h"

#include <float.h>
#include <math.h>

/// The plane through edge (from, to), the same bits up to sign whichever way it is run along.
static void edge_plane(LyraVec3 from, LyraVec3 to, bool turned, double plane[3])
{
    LyraVec3 e = turned ? lyra_vec3_cross(to, from) : lyra_vec3_cross(from, to);
    double sign = turned ? -1 : 1;
    plane[0] = sign * e.x;
    plane[1] = sign * e.y;
    plane[2] = sign * e.z;
}

static void widen(double box[4], double x, double y)
{
    box[0] = fmin(box[0], x);
    box[1] = fmin(box[1], y);
    box[2] = fmax(box[2], x);
    box[3] = fmax(box[3], y);
}

/// The box of the part with w >= near.
static void find_box(const LyraVec3 v[3], double near, double box[4])
{
    box[0] = box[1] = INFINITY;
    box[2] = box[3] = -INFINITY;
    for (int i = 0; i < 3; ++i) {
        LyraVec3 a = v[i], b = v[(i + 1) % 3];
        if (a.z >= near) {
            widen(box, a.x / a.z, a.y / a.z);
        }
        if ((a.z >= near) != (b.z >= near)) {
            double t = (near - a.z) / (b.z - a.z);
            widen(box, (a.x + t * (b.x - a.x)) / near, (a.y + t * (b.y - a.y)) / near);
        }
    }
}

bool ly_raster_setup(const LyraVec3 v[3], const int64_t ids[3], double near, const double *heights,
                     LyRasterTriangle *triangle)
{
    find_box(v, near, triangle->box);
    if (!(triangle->box[0] <= triangle->box[2])) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        int from = (i + 1) % 3, to = (i + 2) % 3;
        edge_plane(v[from], v[to], ids[from] > ids[to], triangle->edge[i]);
    }
    const double *e = triangle->edge[0];
    double D = e[0] * v[0].x + e[1] * v[0].y + e[2] * v[0].z;
    if (!(fabs(D) > 0) || !isfinite(1 / D)) {
        return false;
    }
    for (int c = 0; c < 3; ++c) {
        triangle->depth[c] = 0;
        for (int i = 0; i < 3; ++i) {
            triangle->depth[c] += triangle->edge[i][c] * (heights ? heights[i] : 1) / D;
        }
        if (!isfinite(triangle->depth[c])) {
            return false;
        }
    }
    for (int i = 0; i < 3; ++i) {
        double *plane = triangle->edge[i];
        for (int c = 0; c < 3 && D < 0; ++c) {
            plane[c] = -plane[c];
        }
        bool owns = plane[0] > 0 || (plane[0] == 0 && plane[1] > 0);
        triangle->threshold[i] = owns ? 0 : DBL_TRUE_MIN;
    }
    return true;
}

void ly_raster_weights(const LyRasterTriangle *triangle, double x, double y, double weights[3])
{
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
        const double *e = triangle->edge[i];
        weights[i] = fmax(e[0] * x + e[1] * y + e[2], 0);
        sum += weights[i];
    }
    for (int i = 0; i < 3; ++i) {
        weights[i] = sum > 0 ? weights[i] / sum : 1.0 / 3;
    }
}

bool ly_raster_range(const LyRasterGrid *grid, const double box[4], int32_t range[4])
{
    double origin[2] = {grid->x, grid->y};
    int32_t size[2] = {grid->columns, grid->rows};
    for (int i = 0; i < 2; ++i) {
        double low = fmax(floor((box[i] - origin[i]) / grid->step), 0);
        double high = fmin(ceil((box[i + 2] - origin[i]) / grid->step) + 1, size[i]);
        if (!(low < high)) {
            return false;
        }
        range[i] = (int32_t)low;
        range[i + 2] = (int32_t)high;
    }
    return true;
}

void ly_raster_draw(const LyRasterTriangle *triangle, int32_t id, const LyRasterGrid *grid)
{
    int32_t range[4];
    if (!ly_raster_range(grid, triangle->box, range)) {
        return;
    }
    const double(*e)[3] = triangle->edge, *d = triangle->depth, *limit = triangle->threshold;
    for (int32_t j = range[1]; j < range[3]; ++j) {
        double y = grid->y + j * grid->step;
        double r0 = e[0][1] * y + e[0][2], r1 = e[1][1] * y + e[1][2], r2 = e[2][1] * y + e[2][2];
        double rd = d[1] * y + d[2];
        double *depth = grid->depth + (int64_t)j * grid->columns;
        int32_t *ids = grid->ids ? grid->ids + (int64_t)j * grid->columns : NULL;
        for (int32_t i = range[0]; i < range[2]; ++i) {
            double x = grid->x + i * grid->step;
            bool inside = (e[0][0] * x + r0 >= limit[0]) & (e[1][0] * x + r1 >= limit[1]) &
                          (e[2][0] * x + r2 >= limit[2]);
            double near = d[0] * x + rd;
            if (inside & (near > depth[i]) & (near <= grid->depth_max)) {
                depth[i] = near;
                if (ids) {
                    ids[i] = id;
                }
            }
        }
    }
}
