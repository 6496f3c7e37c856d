// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Factors L D L^T in a narrow band, whose width changes along it.

#ifndef LY_SOLVE_BAND_H
#define LY_SOLVE_BAND_H

#include "base/base.h"
#include "lyra/constraint.h"
#include "lyra/reorder.h"
#include "math/kernel.h"

// ---- order --------------------------------------------------------------------------------------

/// Columns of a panel.
#define LY_BAND 4
/// Rows that are worked on together.
#define LY_BAND_ROWS 8

/// Where the unknowns of vertices go, and how far down each panel reaches.
typedef struct LyBandOrder {
    LyraContext *ctx;
    int32_t vertex_count;
    int32_t size;        // unknowns that are in the band
    int32_t panel_count; // the last one is filled up with ones
    int32_t *place;      // of the first unknown of a vertex, [vertex_count]
    uint8_t *width;      // 3 unknowns, or 1 of a scalar node, [vertex_count]
    int32_t *height;     // rows of a panel, its own included, [panel_count]
    double entries;      // numbers of the factor
    double products;     // that make it
} LyBandOrder;

/// Orders the vertices of a block matrix so that their band is narrow. `scalar` [vertices]: those
/// whose first unknown alone is free. Nullable. On failure `out` is empty.
LyraStatus ly_band_order_create(LyraContext *ctx, LyraGraph graph, const uint8_t *scalar,
                                LyBandOrder *out);
void ly_band_order_destroy(LyBandOrder *order);

/// Whether a band is so narrow that a factor of it costs about as much as some iterations do. Most
/// bodies are told apart without an order.
LyraStatus ly_band_is_narrow(LyraContext *ctx, LyraGraph graph, const uint8_t *scalar, bool *out);

// ---- kernels ------------------------------------------------------------------------------------

/// Beside the columns of a panel: D, 1/D, and the rows of L inside it, 10, 20, 21, 30, 31, 32.
typedef struct LyBandPivots {
    double d[LY_BAND], inverse[LY_BAND], l[6];
} LyBandPivots;

/// A factor. Panel p starts at row LY_BAND p; column c of it, `stride[p]` numbers, at values +
/// start[p] + c stride[p]. Strides are multiples of LY_BAND_ROWS, what is below the height is 0.
typedef struct LyBandFactor {
    int32_t panel_count;
    int64_t *start;       // [panel_count]
    int32_t *stride;      // [panel_count]
    int32_t *source;      // first panel that reaches to the rows of this one, [panel_count]
    double *values;       // [start of the end]
    LyBandPivots *pivots; // [panel_count]
    double *products;     // scratch, LY_BAND^2 numbers for each source of a panel
} LyBandFactor;

typedef struct LyBandKernels {
    /// Makes the factor of the lower triangle that is in `values`. Returns -1, or a panel with a
    /// pivot that is not above `least` times the diagonal it comes from.
    int32_t (*factor)(const LyBandFactor *factor, double least);
    /// x = A^-1 x, [LY_BAND panel_count + LY_BAND_ROWS and the longest stride], 0 past the panels.
    void (*solve)(const LyBandFactor *factor, double *x);
} LyBandKernels;

LY_KERNEL_DECLARE(const LyBandKernels, ly_band_kernels);

#endif
