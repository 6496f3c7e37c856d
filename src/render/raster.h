// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Triangles onto grids of samples; the mathematics is in raster.c.

#ifndef LY_RENDER_RASTER_H
#define LY_RENDER_RASTER_H

#include "base/base.h"
#include "lyra/math3.h"

/// A triangle ready to be drawn. A plane (a, b, c) has the value a x + b y + c at pixel (x, y).
typedef struct LyRasterTriangle {
    double edge[3][3];   ///< Of edge i, opposite vertex i: positive inside.
    double threshold[3]; ///< A sample is inside if no edge is below its threshold.
    double depth[3];     ///< Larger is nearer.
    double box[4];       ///< Low x, low y, high x, high y.
} LyRasterTriangle;

/// Sets up a triangle of vertices v[i] = (x w, y w, w); `ids` tell vertices apart and decide in
/// which order an edge is taken, so that triangles that share it meet without a gap. Parts nearer
/// than `near` don't widen the box. The depth is 1/w, or, if `heights` [3] is given (then all w are
/// 1), interpolates that. False if nothing would be drawn.
bool ly_raster_setup(const LyraVec3 v[3], const int64_t ids[3], double near, const double *heights,
                     LyRasterTriangle *triangle);

/// Weights of the vertices at pixel (x, y), perspective included; their sum is 1, none negative.
void ly_raster_weights(const LyRasterTriangle *triangle, double x, double y, double weights[3]);

/// A grid of samples: column i, row j is at pixel (x + i step, y + j step).
typedef struct LyRasterGrid {
    double x, y, step;
    int32_t columns, rows;
    double depth_max; ///< Nearer samples are not drawn.
    double *depth;    ///< [rows][columns].
    int32_t *ids;     ///< [rows][columns]. Nullable: depths alone.
} LyRasterGrid;

/// Draws a triangle where it is nearer than what is there.
void ly_raster_draw(const LyRasterTriangle *triangle, int32_t id, const LyRasterGrid *grid);

/// Rows and columns of a grid in a box of pixels, [low, high). False if there are none.
bool ly_raster_range(const LyRasterGrid *grid, const double box[4], int32_t range[4]);

#endif
