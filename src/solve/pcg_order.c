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
//
// A body of two domains has one separator, an eighth of the time of a sweep, in which one thread
// would work. So separators of few domains are cut once more, each like the body, along an axis of
// its own: two halves, swept towards each other, and the thin part between them. In a cube of n^3
// vertices that leaves n rows, of n^3, that cannot be shared. With many domains there are as many
// separators, which threads share as they are.
//
// A spring across the body would make a separator of all that is between its ends, and so leave one
// domain. Rows with such far entries, where they are few, come after all others, as a last piece.

#include "lyra/reorder.h"
#include "solve/pcg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// rows that a domain has at least: fewer are swept before another thread is awake
#define DOMAIN_ROWS 800
#define DOMAINS_MAX (LY_PCG_DOMAINS_MAX / 2)
// separators may have a THICK-th part of all rows, parts between halves a THICK_ACROSS-th of theirs
#define THICK 8
#define THICK_ACROSS 4
// rows of a separator whose halves are worth that threads meet twice more in an iteration
#define SEPARATOR_ROWS 128
// with more domains there are separators for all threads
#define HALVED_MAX 8
// of so many rows one may be put off because it touches others far away
#define FAR_SHARE 256

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

// axes from the longest to the shortest edge of the bounding box of the rows in `order`; false if a
// coordinate is not finite
static bool sort_axes(int32_t count, const int32_t *order, const double *positions, int axes[3])
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t i = 0; i < count; ++i) {
        const double *X = positions + 3 * (int64_t)order[i];
        for (int d = 0; d < 3; ++d) {
            if (!isfinite(X[d])) {
                return false;
            }
            low[d] = fmin(low[d], X[d]);
            high[d] = fmax(high[d], X[d]);
        }
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

// sorts the rows in `order` along the longest axis of their own
static LyraStatus order_along_axis(LyraContext *ctx, int32_t count, const double *positions,
                                   int32_t *order)
{
    int axes[3];
    if (!sort_axes(count, order, positions, axes)) {
        return ly_fail(LYRA_NOT_FINITE, "pcg: a position is not finite");
    }
    Key *keys = NULL;
    LY_TRY(ly_allocate_array(ctx, count, sizeof *keys, &keys));
    for (int32_t i = 0; i < count; ++i) {
        const double *X = positions + 3 * (int64_t)order[i];
        keys[i] = (Key){{X[axes[0]], X[axes[1]], X[axes[2]]}, order[i]};
    }
    qsort(keys, (size_t)count, sizeof *keys, compare_keys);
    for (int32_t i = 0; i < count; ++i) {
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

// The part [begin, end) of the sweep, taken by itself: reach[p] is one after the last place that
// its rows at places begin .. begin + p touch, both counted from `begin`.
static void find_reach(const LyraBlockPatternView *view, const int32_t *sweep, const int32_t *place,
                       int32_t begin, int32_t end, int32_t *reach)
{
    for (int32_t p = 0; p < end - begin; ++p) {
        reach[p] = p + 1;
    }
    for (int32_t a = begin; a < end; ++a) {
        int32_t row = sweep[a];
        for (int64_t k = view->diagonal[row] + 1; k < view->row_start[row + 1]; ++k) {
            int32_t b = place[view->column[k]];
            if (b < begin || b >= end) {
                continue;
            }
            int32_t low = (a < b ? a : b) - begin, high = (a < b ? b : a) - begin;
            reach[low] = reach[low] > high + 1 ? reach[low] : high + 1;
        }
    }
    for (int32_t p = 1; p < end - begin; ++p) {
        reach[p] = reach[p] > reach[p - 1] ? reach[p] : reach[p - 1];
    }
}

// Cuts a sweep into `domains` of one size; false where separators would touch each other or be more
// than a thick-th of all rows. `out` is written on success only.
static bool cut(int32_t rows, int32_t domains, int32_t thick, const int32_t *reach, Cut *out)
{
    // separators are about as wide as at even cuts
    int64_t between = 0;
    for (int32_t d = 1; d < domains; ++d) {
        int32_t p = (int32_t)ly_piece_begin(rows, domains, d);
        between += reach[p - 1] - p;
    }
    if (thick * between > rows) {
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

// the sweep, its inverse, its cut, and those of separators, counted from their begin: domains is 1
// for one that stays whole
typedef struct Sweep {
    int32_t *sweep, *place, *reach;
    int32_t far; // rows at its end that are put off
    Cut cut;
    Cut across[DOMAINS_MAX];
} Sweep;

// cuts separators across where that pays: they are put in an order of their own
static LyraStatus halve_separators(LyraContext *ctx, const LyraBlockPatternView *view,
                                   const double *positions, Sweep *it)
{
    for (int32_t d = 0; d + 1 < it->cut.domains; ++d) {
        int32_t begin = it->cut.end[d], end = it->cut.begin[d + 1], count = end - begin;
        it->across[d] = (Cut){.domains = 1, .end = {count}};
        if (!positions || it->cut.domains > HALVED_MAX || count < SEPARATOR_ROWS) {
            continue;
        }
        LY_TRY(order_along_axis(ctx, count, positions, it->sweep + begin));
        for (int32_t p = begin; p < end; ++p) {
            it->place[it->sweep[p]] = p;
        }
        find_reach(view, it->sweep, it->place, begin, end, it->reach);
        (void)cut(count, 2, THICK_ACROSS, it->reach, &it->across[d]);
    }
    return LYRA_OK;
}

// ---- rows that touch others far away ------------------------------------------------------------

// entries between places that are further apart than this would make separators of `domains` that
// are thicker than allowed
static int32_t far_distance(int32_t rows, int32_t domains)
{
    return rows / (THICK * (domains - 1));
}

// Counts the far entries of each row, or, with `count` known, marks for each of them the row that
// has more by a negative count. Returns the number of rows that are marked.
static int32_t mark_far(const LyraBlockPatternView *view, const int32_t *place, int32_t distance,
                        bool mark, int32_t *count)
{
    int32_t marked = 0;
    for (int32_t row = 0; row < view->row_count; ++row) {
        for (int64_t k = view->diagonal[row] + 1; k < view->row_start[row + 1]; ++k) {
            int32_t column = view->column[k];
            if (abs(place[row] - place[column]) <= distance) {
                continue;
            }
            if (!mark) {
                ++count[row];
                ++count[column];
            } else if (count[row] > 0 && count[column] > 0) {
                int32_t *more = count[row] > count[column] ? &count[row] : &count[column];
                *more = -*more;
                ++marked;
            }
        }
    }
    return marked;
}

// Puts the marked rows at the end of the sweep, the others before them, each as they were.
static LyraStatus put_off(LyraContext *ctx, int32_t rows, const int32_t *count, int32_t far,
                          Sweep *it)
{
    int32_t near = 0, last = 0, *late = NULL;
    LY_TRY(ly_allocate_array(ctx, far, sizeof *late, &late));
    for (int32_t p = 0; p < rows; ++p) {
        int32_t row = it->sweep[p];
        if (count[row] < 0) {
            late[last++] = row;
        } else {
            it->sweep[near++] = row;
        }
    }
    memcpy(it->sweep + near, late, (size_t)far * sizeof *late);
    ly_release(ctx, late);
    return lyra_permutation_invert(rows, it->sweep, it->place);
}

// Looks for a cut into more domains, `most` at best, than there are, by putting rows off that touch
// others far away. Leaves the sweep as it is where there is none.
static LyraStatus cut_without_far(LyraContext *ctx, const LyraBlockPatternView *view, int32_t most,
                                  Sweep *it)
{
    int32_t rows = view->row_count, *count = NULL, *before = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, rows, sizeof *count, &count));
    LY_TRY_DONE(ly_allocate_array(ctx, rows, sizeof *before, &before));
    memcpy(before, it->sweep, (size_t)rows * sizeof *before);
    for (int32_t domains = most; domains > it->cut.domains; domains /= 2) {
        int32_t distance = far_distance(rows, domains);
        memset(count, 0, (size_t)rows * sizeof *count);
        (void)mark_far(view, it->place, distance, false, count);
        int32_t far = mark_far(view, it->place, distance, true, count);
        if (far == 0 || far > rows / FAR_SHARE) {
            continue;
        }
        LY_TRY_DONE(put_off(ctx, rows, count, far, it));
        find_reach(view, it->sweep, it->place, 0, rows - far, it->reach);
        if (cut(rows - far, domains, THICK, it->reach, &it->cut)) {
            it->far = far;
            break;
        }
        memcpy(it->sweep, before, (size_t)rows * sizeof *before);
        LY_TRY_DONE(lyra_permutation_invert(rows, it->sweep, it->place));
    }
done:
    ly_release(ctx, count);
    ly_release(ctx, before);
    return status;
}

// ---- colours ------------------------------------------------------------------------------------

// appends the part [begin, end) of the sweep as a domain, backwards if `down`
static void append(const int32_t *sweep, int32_t begin, int32_t end, bool down, int32_t *order,
                   LyPcgOrder *out)
{
    int32_t count = out->begin[out->domains];
    for (int32_t i = begin; i < end; ++i) {
        order[count++] = sweep[down ? begin + end - 1 - i : i];
    }
    out->begin[++out->domains] = count;
}

// ends a colour, if it has a domain
static void end_colour(LyPcgOrder *out)
{
    if (out->domains > out->colour_begin[out->colours]) {
        out->colour_begin[++out->colours] = out->domains;
    }
}

// domains first, up and down the sweep in turn, then the separators or their halves, which are
// swept towards each other, then what is between halves, then what was put off
static void colour(const Sweep *it, int32_t rows, int32_t *order, LyPcgOrder *out)
{
    const Cut *cut = &it->cut;
    *out = (LyPcgOrder){0};
    for (int32_t d = 0; d < cut->domains; ++d) {
        append(it->sweep, cut->begin[d], cut->end[d], d % 2 == 1, order, out);
    }
    end_colour(out);
    for (int32_t d = 0; d + 1 < cut->domains; ++d) {
        for (int32_t h = 0; h < it->across[d].domains; ++h) {
            append(it->sweep + cut->end[d], it->across[d].begin[h], it->across[d].end[h], h == 1,
                   order, out);
        }
    }
    end_colour(out);
    for (int32_t d = 0; d + 1 < cut->domains; ++d) {
        if (it->across[d].domains == 2) {
            append(it->sweep + cut->end[d], it->across[d].end[0], it->across[d].begin[1], false,
                   order, out);
        }
    }
    end_colour(out);
    if (it->far > 0) {
        append(it->sweep, rows - it->far, rows, false, order, out);
    }
    end_colour(out);
}

LyraStatus ly_pcg_order(LyraContext *ctx, const LyraBlockPattern *pattern, const double *positions,
                        bool one, int32_t *order, LyPcgOrder *out)
{
    LyraBlockPatternView view = lyra_block_pattern_view(pattern);
    LyraStatus status = LYRA_OK;
    int32_t rows = view.row_count;
    // `order` is free to hold the reach until it is written
    Sweep it = {.reach = order, .cut = {.domains = 1, .end = {rows}}};
    LY_TRY_DONE(ly_allocate_array(ctx, rows, sizeof(int32_t), &it.sweep));
    LY_TRY_DONE(ly_allocate_array(ctx, rows, sizeof(int32_t), &it.place));
    if (positions) {
        for (int32_t i = 0; i < rows; ++i) {
            it.sweep[i] = i;
        }
        LY_TRY_DONE(order_along_axis(ctx, rows, positions, it.sweep));
    } else {
        LY_TRY_DONE(lyra_reorder_rcm(ctx, lyra_block_pattern_graph(pattern), it.sweep));
    }
    LY_TRY_DONE(lyra_permutation_invert(rows, it.sweep, it.place));
    // powers of two, so that threads have equal shares
    int32_t domains = 1, most;
    while (!one && domains < DOMAINS_MAX && rows / (2 * domains) >= DOMAIN_ROWS) {
        domains *= 2;
    }
    most = domains;
    if (domains > 1) {
        find_reach(&view, it.sweep, it.place, 0, rows, it.reach);
        while (domains > 1 && !cut(rows, domains, THICK, it.reach, &it.cut)) {
            domains /= 2;
        }
        LY_TRY_DONE(domains < most ? cut_without_far(ctx, &view, most, &it) : LYRA_OK);
        LY_TRY_DONE(halve_separators(ctx, &view, positions, &it));
    }
    colour(&it, rows, order, out);
done:
    ly_release(ctx, it.sweep);
    ly_release(ctx, it.place);
    return status;
}
