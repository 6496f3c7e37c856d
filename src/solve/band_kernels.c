// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The work in a band, compiled once per instruction set. A panel of four columns takes what the
// panels before it subtract, LY_BAND_ROWS rows at a time in registers, and is then eliminated in
// itself. In a chain two or three panels reach to each: there is little to do, and waiting for one
// number after the other takes most of the time.

#include "math/lanes.h"
#include "solve/band.h"

#define PARTS (LY_BAND_ROWS / LY_LANES)

// rows of four columns
typedef struct Tile {
    LyReal x[LY_BAND][PARTS];
} Tile;

// LY_BAND_ROWS numbers, of which the last half is past the end of a column if `half`
LY_INLINE void load_rows(const double *p, bool half, LyReal out[PARTS])
{
#if LY_LANES == LY_BAND_ROWS
    out[0] = ly_load(p);
    if (half) {
        double rows[LY_BAND_ROWS] = {p[0], p[1], p[2], p[3]};
        out[0] = ly_load(rows);
    }
#else
    for (int v = 0; v < PARTS; ++v) {
        out[v] = half && LY_LANES * v >= LY_BAND_ROWS / 2 ? ly_set(0) : ly_load(p + LY_LANES * v);
    }
#endif
}

// what panel p takes away from the rows that are `at` below its first
LY_INLINE void subtract(const LyBandFactor *factor, int32_t p, int32_t at, const double *products,
                        Tile *tile)
{
    int32_t stride = factor->stride[p];
    const double *column = factor->values + factor->start[p] + at;
    bool half = stride - at < LY_BAND_ROWS;
    for (int k = 0; k < LY_BAND; ++k, column += stride) {
        LyReal rows[PARTS];
        load_rows(column, half, rows);
        for (int c = 0; c < LY_BAND; ++c) {
            LyReal by = ly_set(products[LY_BAND * k + c]);
            for (int v = 0; v < PARTS; ++v) {
                tile->x[c][v] -= rows[v] * by;
            }
        }
    }
}

// D L^T at the columns of a panel, for each panel that reaches to it
LY_INLINE void find_products(const LyBandFactor *factor, int32_t panel)
{
    double *products = factor->products;
    for (int32_t p = factor->source[panel]; p < panel; ++p, products += LY_BAND * LY_BAND) {
        const double *column = factor->values + factor->start[p] + LY_BAND * (panel - p);
        for (int k = 0; k < LY_BAND; ++k, column += factor->stride[p]) {
            for (int c = 0; c < LY_BAND; ++c) {
                products[LY_BAND * k + c] = factor->pivots[p].d[k] * column[c];
            }
        }
    }
}

// the 4x4 triangle `a` by rows; false where a pivot is not above `least` times its diagonal
LY_INLINE bool eliminate(double a[10], const double diagonal[LY_BAND], double least,
                         LyBandPivots *out)
{
    double *l = out->l, *d = out->d;
    out->inverse[0] = 1 / (d[0] = a[0]);
    l[0] = a[1] * out->inverse[0];
    l[1] = a[3] * out->inverse[0];
    l[3] = a[6] * out->inverse[0];
    out->inverse[1] = 1 / (d[1] = a[2] - l[0] * a[1]);
    double a21 = a[4] - l[0] * a[3], a31 = a[7] - l[0] * a[6];
    l[2] = a21 * out->inverse[1];
    l[4] = a31 * out->inverse[1];
    out->inverse[2] = 1 / (d[2] = a[5] - l[1] * a[3] - l[2] * a21);
    double a32 = a[8] - l[1] * a[6] - l[2] * a31;
    l[5] = a32 * out->inverse[2];
    out->inverse[3] = 1 / (d[3] = a[9] - l[3] * a[6] - l[4] * a31 - l[5] * a32);
    bool good = true;
    for (int k = 0; k < LY_BAND; ++k) {
        good &= d[k] > least * diagonal[k] && d[k] > 1e-290 && d[k] < 1e290;
    }
    return good;
}

// rows of A, less what came before, to rows of L
LY_INLINE void divide(const LyBandPivots *pivots, Tile *tile)
{
    const double *l = pivots->l;
    for (int v = 0; v < PARTS; ++v) {
        LyReal x0 = tile->x[0][v], x1 = tile->x[1][v] - l[0] * x0;
        LyReal x2 = tile->x[2][v] - l[1] * x0 - l[2] * x1;
        LyReal x3 = tile->x[3][v] - l[3] * x0 - l[4] * x1 - l[5] * x2;
        tile->x[0][v] = x0 * pivots->inverse[0];
        tile->x[1][v] = x1 * pivots->inverse[1];
        tile->x[2][v] = x2 * pivots->inverse[2];
        tile->x[3][v] = x3 * pivots->inverse[3];
    }
}

static bool factor_panel(const LyBandFactor *factor, int32_t panel, double least)
{
    int32_t stride = factor->stride[panel], first = factor->source[panel];
    double *values = factor->values + factor->start[panel], diagonal[LY_BAND];
    LyBandPivots *pivots = &factor->pivots[panel];
    find_products(factor, panel);
    for (int c = 0; c < LY_BAND; ++c) {
        diagonal[c] = values[c * stride + c];
    }
    for (int32_t row = 0; row < stride; row += LY_BAND_ROWS) {
        Tile tile;
        for (int c = 0; c < LY_BAND; ++c) {
            load_rows(values + c * stride + row, false, tile.x[c]);
        }
        for (int32_t p = first; p < panel; ++p) {
            int32_t at = LY_BAND * (panel - p) + row;
            if (at < factor->stride[p]) {
                const double *products =
                    factor->products + LY_BAND * LY_BAND * (p - factor->source[panel]);
                subtract(factor, p, at, products, &tile);
            } else {
                first = p + 1; // those before it end above, and so for all rows below
            }
        }
        if (row == 0) {
            double top[LY_BAND][LY_BAND_ROWS];
            for (int c = 0; c < LY_BAND; ++c) {
                for (int v = 0; v < PARTS; ++v) {
                    ly_store(top[c] + LY_LANES * v, tile.x[c][v]);
                }
            }
            double a[10] = {top[0][0], top[0][1], top[1][1], top[0][2], top[1][2],
                            top[2][2], top[0][3], top[1][3], top[2][3], top[3][3]};
            if (!eliminate(a, diagonal, least, pivots)) {
                return false;
            }
        }
        divide(pivots, &tile);
        for (int c = 0; c < LY_BAND; ++c) {
            for (int v = 0; v < PARTS; ++v) {
                ly_store(values + c * stride + row + LY_LANES * v, tile.x[c][v]);
            }
        }
    }
    // the rows of the panel itself are in `pivots`
    for (int c = 0; c < LY_BAND; ++c) {
        for (int r = 0; r < LY_BAND; ++r) {
            values[c * stride + r] = 0;
        }
    }
    return true;
}

static int32_t factor_band(const LyBandFactor *factor, double least)
{
    for (int32_t p = 0; p < factor->panel_count; ++p) {
        if (!factor_panel(factor, p, least)) {
            return p;
        }
    }
    return -1;
}

// ---- solve --------------------------------------------------------------------------------------

LY_INLINE void solve_down(const LyBandFactor *factor, int32_t panel, double *x)
{
    int32_t stride = factor->stride[panel];
    const double *values = factor->values + factor->start[panel];
    const double *l = factor->pivots[panel].l;
    double x0 = x[0], x1 = x[1] - l[0] * x0;
    double x2 = x[2] - l[1] * x0 - l[2] * x1;
    double x3 = x[3] - l[3] * x0 - l[4] * x1 - l[5] * x2;
    x[0] = x0;
    x[1] = x1;
    x[2] = x2;
    x[3] = x3;
    for (int32_t row = 0; row < stride; row += LY_LANES) {
        const double *at = values + row;
        LyReal y = ly_load(x + row);
        y -= ly_load(at) * x0 + ly_load(at + stride) * x1;
        y -= ly_load(at + 2 * stride) * x2 + ly_load(at + 3 * stride) * x3;
        ly_store(x + row, y);
    }
}

LY_INLINE double sum_lanes(LyReal x)
{
    double lanes[LY_LANES], sum = 0;
    ly_store(lanes, x);
    for (int i = 0; i < LY_LANES; ++i) {
        sum += lanes[i];
    }
    return sum;
}

LY_INLINE void solve_up(const LyBandFactor *factor, int32_t panel, double *x)
{
    int32_t stride = factor->stride[panel];
    const double *values = factor->values + factor->start[panel];
    const LyBandPivots *pivots = &factor->pivots[panel];
    const double *l = pivots->l, *inverse = pivots->inverse;
    LyReal sum[LY_BAND] = {ly_set(0), ly_set(0), ly_set(0), ly_set(0)};
    for (int32_t row = 0; row < stride; row += LY_LANES) {
        LyReal y = ly_load(x + row);
        for (int c = 0; c < LY_BAND; ++c) {
            sum[c] += ly_load(values + c * stride + row) * y;
        }
    }
    double x3 = x[3] * inverse[3] - sum_lanes(sum[3]);
    double x2 = x[2] * inverse[2] - sum_lanes(sum[2]) - l[5] * x3;
    double x1 = x[1] * inverse[1] - sum_lanes(sum[1]) - l[2] * x2 - l[4] * x3;
    x[0] = x[0] * inverse[0] - sum_lanes(sum[0]) - l[0] * x1 - l[1] * x2 - l[3] * x3;
    x[1] = x1;
    x[2] = x2;
    x[3] = x3;
}

static void solve_band(const LyBandFactor *factor, double *x)
{
    for (int32_t p = 0; p < factor->panel_count; ++p) {
        solve_down(factor, p, x + LY_BAND * (int64_t)p);
    }
    for (int32_t p = factor->panel_count; p-- > 0;) {
        solve_up(factor, p, x + LY_BAND * (int64_t)p);
    }
}

const LyBandKernels LY_KERNEL(ly_band_kernels) = {.factor = factor_band, .solve = solve_band};
