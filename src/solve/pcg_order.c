// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The order of rows in which pcg sweeps, and its cut into domains and separators (see pcg.h).
//
// What SSOR gains from a sweep depends on the order. On boxes of tets a sweep along an axis needs a
// quarter fewer iterations than one along a Hilbert curve, breadth-first levels are in between, and
// all three fit the caches. Cutting the sweep into domains that ignore each other (block Jacobi
// between them) costs a third more iterations from two domains on; domains of one size of two
// colours cost a fifth, since half of all rows come after their neighbours on both sides.
//
// So domains of one size are kept apart by separators as thin as the pattern allows: one layer of
// vertices. Every second domain is swept against the others, so that two of them end at the same
// separator, as in a twisted factorisation. Only rows at separators see another order than that of
// one uncut sweep, and the cut costs hardly an iteration: docs/solvers.md has the figures. Nearly
// all rows belong to domains, which are swept up and down at once while they are in the caches.

#include "lyra/reorder.h"
#include "solve/pcg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// rows that a domain has at least: fewer are swept before another thread is awake
#define DOMAIN_ROWS 800
#define DOMAINS_MAX ((LY_PCG_DOMAINS_MAX + 1) / 2)
// separators may have a THICK-th part of all rows
#define THICK 8

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

// ---- domains ------------------------------------------------------------------------------------

// where domains and the separators between them begin and end in the sweep: domain d is
// [begin[d], end[d]), separator d is [end[d], begin[d + 1])
typedef struct Cut {
    int32_t domains;
    int32_t begin[DOMAINS_MAX], end[DOMAINS_MAX];
} Cut;

// reach[p]: one after the last place in the sweep that the rows at places up to p touch
static void find_reach(const LyraBlockPatternView *view, const int32_t *place, int32_t *reach)
{
    for (int32_t p = 0; p < view->row_count; ++p) {
        reach[p] = p + 1;
    }
    for (int32_t i = 0; i < view->row_count; ++i) {
        for (int64_t k = view->diagonal[i] + 1; k < view->row_start[i + 1]; ++k) {
            int32_t a = place[i], b = place[view->column[k]];
            int32_t low = a < b ? a : b, high = a < b ? b : a;
            reach[low] = reach[low] > high + 1 ? reach[low] : high + 1;
        }
    }
    for (int32_t p = 1; p < view->row_count; ++p) {
        reach[p] = reach[p] > reach[p - 1] ? reach[p] : reach[p - 1];
    }
}

// Cuts the sweep into `domains` of one size; false where separators would touch each other or be a
// large part of all rows. `out` is written on success only.
static bool cut(int32_t rows, int32_t domains, const int32_t *reach, Cut *out)
{
    // separators are about as wide as at even cuts
    int64_t between = 0;
    for (int32_t d = 1; d < domains; ++d) {
        int32_t p = (int32_t)ly_piece_begin(rows, domains, d);
        between += reach[p - 1] - p;
    }
    if (THICK * between > rows) {
        return false;
    }
    int32_t size = (int32_t)((rows - between) / domains);
    Cut found = {.domains = domains};
    for (int32_t d = 0; d < domains; ++d) {
        int32_t begin = d > 0 ? reach[found.end[d - 1] - 1] : 0;
        int32_t end = d + 1 < domains ? begin + size : rows;
        if (begin >= end || end > rows || (d > 0 && d + 1 < domains && reach[begin - 1] > end)) {
            return false;
        }
        found.begin[d] = begin;
        found.end[d] = end;
    }
    *out = found;
    return true;
}

// domains first, up and down the sweep in turn, then the separators
static void colour(int32_t rows, const Cut *cut, const int32_t *sweep, int32_t *order,
                   LyPcgOrder *out)
{
    int32_t count = 0;
    out->domains = 0;
    for (int32_t d = 0; d < cut->domains; ++d) {
        int32_t begin = cut->begin[d], end = cut->end[d];
        out->begin[out->domains++] = count;
        for (int32_t i = begin; i < end; ++i) {
            order[count++] = sweep[d % 2 == 1 ? begin + end - 1 - i : i];
        }
    }
    out->firsts = out->domains;
    for (int32_t d = 0; d + 1 < cut->domains; ++d) {
        out->begin[out->domains++] = count;
        for (int32_t i = cut->end[d]; i < cut->begin[d + 1]; ++i) {
            order[count++] = sweep[i];
        }
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
    // powers of two, so that threads have equal shares
    int32_t domains = 1;
    while (!one && domains < DOMAINS_MAX && rows / (2 * domains) >= DOMAIN_ROWS) {
        domains *= 2;
    }
    Cut cuts = {.domains = 1, .end = {rows}};
    if (domains > 1) {
        // `order` is free to hold the reach until it is written
        find_reach(&view, place, order);
        while (domains > 1 && !cut(rows, domains, order, &cuts)) {
            domains /= 2;
        }
    }
    colour(rows, &cuts, sweep, order, out);
done:
    ly_release(ctx, sweep);
    ly_release(ctx, place);
    return status;
}
