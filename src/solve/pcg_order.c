// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The order of rows in which pcg sweeps, and its cut into domains of two colours (see pcg.h).
//
// What SSOR gains from a sweep depends on the order. On boxes of tets a sweep along an axis needs a
// quarter fewer iterations than one along a Hilbert curve, breadth-first levels are in between, and
// all three fit the caches. Cutting the sweep into domains that ignore each other (block Jacobi
// between them) costs a third more iterations from two domains on; sweeping the slabs with even
// numbers, then those with odd numbers, costs a few per cent: docs/solvers.md has the figures.

#include "lyra/reorder.h"
#include "solve/pcg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// rows that a slab has at least
#define SLAB_ROWS 3000

// ---- order along an axis ------------------------------------------------------------------------

typedef struct Key {
    double along[3];
    int32_t row;
} Key;

static int compare_keys(const void *a, const void *b)
{
    const Key *p = a, *q = b;
    for (int d = 0; d < 3; ++d) {
        if (p->along[d] != q->along[d]) {
            return p->along[d] < q->along[d] ? -1 : 1;
        }
    }
    return (p->row > q->row) - (p->row < q->row);
}

// axes from the longest to the shortest edge of the bounding box; false if a coordinate is not
// finite
static bool sort_axes(int32_t rows, const double *positions, int axes[3])
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int64_t k = 0; k < 3 * (int64_t)rows; ++k) {
        if (!isfinite(positions[k])) {
            return false;
        }
        low[k % 3] = fmin(low[k % 3], positions[k]);
        high[k % 3] = fmax(high[k % 3], positions[k]);
    }
    axes[0] = 2;
    axes[1] = 1;
    axes[2] = 0;
    for (int a = 0; a < 2; ++a) {
        for (int b = 0; b < 2 - a; ++b) {
            int p = axes[b], q = axes[b + 1];
            if (high[p] - low[p] < high[q] - low[q]) {
                axes[b] = q;
                axes[b + 1] = p;
            }
        }
    }
    return true;
}

static LyraStatus order_along_axis(LyraContext *ctx, int32_t rows, const double *positions,
                                   int32_t *order)
{
    int axes[3];
    if (!sort_axes(rows, positions, axes)) {
        return ly_fail(LYRA_NOT_FINITE, "pcg: a position is not finite");
    }
    Key *keys = NULL;
    LY_TRY(ly_allocate_array(ctx, rows, sizeof *keys, &keys));
    for (int32_t i = 0; i < rows; ++i) {
        const double *X = positions + 3 * (int64_t)i;
        keys[i] = (Key){{X[axes[0]], X[axes[1]], X[axes[2]]}, i};
    }
    qsort(keys, (size_t)rows, sizeof *keys, compare_keys);
    for (int32_t i = 0; i < rows; ++i) {
        order[i] = keys[i].row;
    }
    ly_release(ctx, keys);
    return LYRA_OK;
}

// ---- slabs --------------------------------------------------------------------------------------

// whether slabs of this order touch their neighbours only; `place` inverts the order
static bool slabs_are_apart(const LyraBlockPatternView *view, const int32_t *place, int32_t slabs)
{
    int32_t begin[LY_PCG_DOMAINS_MAX + 1];
    for (int32_t s = 0; s <= slabs; ++s) {
        begin[s] = (int32_t)ly_piece_begin(view->row_count, slabs, s);
    }
    for (int32_t i = 0; i < view->row_count; ++i) {
        for (int64_t k = view->diagonal[i] + 1; k < view->row_start[i + 1]; ++k) {
            int32_t a = place[i], b = place[view->column[k]];
            int32_t low = a < b ? a : b, high = a < b ? b : a, slab = 0;
            while (begin[slab + 1] <= low) {
                ++slab;
            }
            if (slab + 2 <= slabs && high >= begin[slab + 2]) {
                return false;
            }
        }
    }
    return true;
}

// even slabs first
static void colour(int32_t rows, int32_t slabs, const int32_t *sweep, int32_t *order,
                   LyPcgOrder *out)
{
    int32_t count = 0;
    out->domains = 0;
    for (int32_t parity = 0; parity < 2; ++parity) {
        for (int32_t s = parity; s < slabs; s += 2) {
            out->begin[out->domains++] = count;
            int32_t end = (int32_t)ly_piece_begin(rows, slabs, s + 1);
            for (int32_t i = (int32_t)ly_piece_begin(rows, slabs, s); i < end; ++i) {
                order[count++] = sweep[i];
            }
        }
        out->firsts = parity == 0 ? out->domains : out->firsts;
    }
    for (int32_t d = out->domains; d <= LY_PCG_DOMAINS_MAX; ++d) {
        out->begin[d] = rows;
    }
}

LyraStatus ly_pcg_order(LyraContext *ctx, const LyraBlockPattern *pattern, const double *positions,
                        bool one, int32_t *order, LyPcgOrder *out)
{
    LyraBlockPatternView view = lyra_block_pattern_view(pattern);
    LyraStatus status = LYRA_OK;
    int32_t rows = view.row_count, *sweep = NULL, *place = NULL;
    LY_TRY_DONE(ly_allocate_array(ctx, rows, sizeof(int32_t), &sweep));
    LY_TRY_DONE(ly_allocate_array(ctx, rows, sizeof(int32_t), &place));
    if (positions) {
        LY_TRY_DONE(order_along_axis(ctx, rows, positions, sweep));
    } else {
        LY_TRY_DONE(lyra_reorder_rcm(ctx, lyra_block_pattern_graph(pattern), sweep));
    }
    LY_TRY_DONE(lyra_permutation_invert(rows, sweep, place));
    int32_t slabs = one ? 1 : rows / SLAB_ROWS;
    slabs = slabs > LY_PCG_DOMAINS_MAX ? LY_PCG_DOMAINS_MAX : slabs < 1 ? 1 : slabs;
    while (slabs > 2 && !slabs_are_apart(&view, place, slabs)) {
        slabs = slabs > 4 ? slabs / 2 : slabs - 1;
    }
    colour(rows, slabs, sweep, order, out);
done:
    ly_release(ctx, sweep);
    ly_release(ctx, place);
    return status;
}
