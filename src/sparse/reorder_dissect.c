// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Nested dissection without a library [Geo73]: a separator splits a graph into two parts, which
// come first, each ordered in the same way, and the separator comes last.
//
// A first separator is found by distances. With d0 and d1 the distances from two vertices at the
// far ends of the graph, the half of the vertices with the least d0 - d1 is one part and what
// touches it is the separator. It is then improved by moves [FM82]: a vertex of the separator goes
// to one part, and those of its neighbours that are in the other part come in. A pass always takes
// the move that gains most and keeps the parts balanced, goes on a while when nothing gains, and
// returns to the best that it has seen.
//
// Parts are ranges of one array, which is the order in the end.

#include "sparse/graph.h"

#include <string.h>

/// Vertices that are not split any more.
#define LEAF 16
/// Share of the vertices that a part may have.
#define BALANCE 0.6
#define PASSES 8
/// Moves without a better separator after which a pass ends.
#define PATIENCE 60

enum { LOWER, UPPER, SEPARATOR };

typedef struct Dissection {
    const LyAdjacency *graph;
    int32_t *order;    // the ranges
    int32_t *range;    // number of the range that a vertex is in
    int32_t *distance; // d0, then d0 - d1
    int32_t *queue;
    int8_t *part;
    int8_t *locked;
    int32_t *cost[2]; // neighbours in the part that a move to LOWER, to UPPER takes from
    int32_t *list;    // vertices of the separator, and more
    int32_t *place;   // in the list, -1: not in it
    int32_t *moved;   // vertices that changed, and what they were
    int8_t *was;
    int32_t sizes[3], listed;
} Dissection;

typedef struct Range {
    int32_t begin, end;
} Range;

// breadth first within a range; returns how many vertices it reached, which are in the queue
static int32_t walk(Dissection *d, int32_t range, int32_t start, int32_t *distance)
{
    int32_t head = 0, tail = 1;
    d->queue[0] = start;
    distance[start] = 0;
    while (head < tail) {
        int32_t v = d->queue[head++];
        for (int64_t k = d->graph->start[v]; k < d->graph->start[v + 1]; ++k) {
            int32_t w = d->graph->neighbour[k];
            if (d->range[w] == range && distance[w] < 0) {
                distance[w] = distance[v] + 1;
                d->queue[tail++] = w;
            }
        }
    }
    return tail;
}

static void clear(const Dissection *d, Range r, int32_t *distance)
{
    for (int32_t i = r.begin; i < r.end; ++i) {
        distance[d->order[i]] = -1;
    }
}

// ---- separators ---------------------------------------------------------------------------------

static void list_vertex(Dissection *d, int32_t v)
{
    if (d->place[v] < 0) {
        d->place[v] = d->listed;
        d->list[d->listed++] = v;
    }
}

static void unlist_vertex(Dissection *d, int32_t v)
{
    int32_t last = d->list[--d->listed];
    d->list[d->place[v]] = last;
    d->place[last] = d->place[v];
    d->place[v] = -1;
}

static void find_costs(Dissection *d, int32_t range, int32_t v)
{
    d->cost[LOWER][v] = d->cost[UPPER][v] = 0;
    for (int64_t k = d->graph->start[v]; k < d->graph->start[v + 1]; ++k) {
        int32_t w = d->graph->neighbour[k];
        if (d->range[w] == range && d->part[w] != SEPARATOR) {
            ++d->cost[1 - d->part[w]][v];
        }
    }
}

// a vertex changes its part; the costs of its neighbours in the separator follow
static void set_part(Dissection *d, int32_t range, int32_t v, int8_t part)
{
    int8_t old = d->part[v];
    if (old == SEPARATOR) {
        unlist_vertex(d, v);
    }
    --d->sizes[old];
    ++d->sizes[part];
    d->part[v] = part;
    for (int64_t k = d->graph->start[v]; k < d->graph->start[v + 1]; ++k) {
        int32_t w = d->graph->neighbour[k];
        if (d->range[w] == range && d->part[w] == SEPARATOR) {
            if (old != SEPARATOR) {
                --d->cost[1 - old][w];
            }
            if (part != SEPARATOR) {
                ++d->cost[1 - part][w];
            }
        }
    }
    if (part == SEPARATOR) {
        find_costs(d, range, v);
        list_vertex(d, v);
    }
}

static int32_t imbalance(const Dissection *d)
{
    int32_t difference = d->sizes[LOWER] - d->sizes[UPPER];
    return difference < 0 ? -difference : difference;
}

// the move that adds least to the separator; false where none is left
static bool find_move(const Dissection *d, int32_t most, int32_t *vertex, int8_t *to)
{
    int32_t least = INT32_MAX;
    for (int32_t i = 0; i < d->listed; ++i) {
        int32_t v = d->list[i];
        for (int8_t side = LOWER; side <= UPPER && !d->locked[v]; ++side) {
            int32_t cost = d->cost[side][v];
            bool better = cost < least || (cost == least && d->sizes[side] < d->sizes[*to]);
            if (better && d->sizes[side] < most) {
                least = cost;
                *vertex = v;
                *to = side;
            }
        }
    }
    return least < INT32_MAX;
}

// one pass; whether the separator is better than before
static bool improve(Dissection *d, Range r, int32_t range)
{
    int32_t most = (int32_t)(BALANCE * (r.end - r.begin));
    int32_t best = d->sizes[SEPARATOR], best_imbalance = imbalance(d);
    int32_t changes = 0, kept = 0, idle = 0, room = r.end - r.begin;
    for (int32_t i = r.begin; i < r.end; ++i) {
        d->locked[d->order[i]] = 0;
    }
    int32_t v = 0;
    int8_t to = LOWER;
    while (idle < PATIENCE && find_move(d, most, &v, &to)) {
        int32_t other = 1 - to;
        if (changes + 1 + d->cost[to][v] > room) {
            break;
        }
        d->locked[v] = 1;
        d->moved[changes] = v;
        d->was[changes++] = SEPARATOR;
        set_part(d, range, v, to);
        for (int64_t k = d->graph->start[v]; k < d->graph->start[v + 1]; ++k) {
            int32_t w = d->graph->neighbour[k];
            if (d->range[w] == range && d->part[w] == other) {
                d->moved[changes] = w;
                d->was[changes++] = (int8_t)other;
                set_part(d, range, w, SEPARATOR);
            }
        }
        ++idle;
        int32_t size = d->sizes[SEPARATOR];
        if (size < best || (size == best && imbalance(d) < best_imbalance)) {
            idle = size < best ? 0 : idle;
            best = size;
            best_imbalance = imbalance(d);
            kept = changes;
        }
    }
    while (changes > kept) {
        --changes;
        set_part(d, range, d->moved[changes], d->was[changes]);
    }
    return kept > 0;
}

// parts by the rank of d0 - d1; the separator is what of UPPER touches LOWER
static void split(Dissection *d, Range r, int32_t range)
{
    int32_t count = r.end - r.begin, least = INT32_MAX, largest = INT32_MIN;
    for (int32_t i = r.begin; i < r.end; ++i) {
        int32_t value = d->distance[d->order[i]];
        least = value < least ? value : least;
        largest = value > largest ? value : largest;
    }
    // counts of values; there are at most twice as many as vertices
    int32_t *counts = d->queue, cut = least, below = 0;
    int32_t values = largest - least + 1;
    memset(counts, 0, (size_t)values * sizeof *counts);
    for (int32_t i = r.begin; i < r.end; ++i) {
        ++counts[d->distance[d->order[i]] - least];
    }
    while (below < count / 2) {
        below += counts[cut++ - least];
    }
    d->sizes[LOWER] = d->sizes[UPPER] = d->sizes[SEPARATOR] = 0;
    d->listed = 0;
    for (int32_t i = r.begin; i < r.end; ++i) {
        int32_t v = d->order[i];
        d->part[v] = d->distance[v] < cut ? LOWER : UPPER;
        d->place[v] = -1;
        ++d->sizes[d->part[v]];
    }
    for (int32_t i = r.begin; i < r.end; ++i) {
        int32_t v = d->order[i];
        bool touches = false;
        for (int64_t k = d->graph->start[v]; k < d->graph->start[v + 1] && !touches; ++k) {
            int32_t w = d->graph->neighbour[k];
            touches = d->range[w] == range && d->part[w] == LOWER;
        }
        if (touches && d->part[v] == UPPER) {
            set_part(d, range, v, SEPARATOR);
        }
    }
    for (int32_t pass = 0; pass < PASSES && improve(d, r, range); ++pass) {
    }
}

// ---- ranges -------------------------------------------------------------------------------------

// sorts a range by parts
static void arrange(Dissection *d, Range r, int32_t sizes[3])
{
    int32_t next[3] = {0, sizes[LOWER], sizes[LOWER] + sizes[UPPER]};
    for (int32_t i = r.begin; i < r.end; ++i) {
        d->queue[next[d->part[d->order[i]]]++] = d->order[i];
    }
    memcpy(d->order + r.begin, d->queue, (size_t)(r.end - r.begin) * sizeof *d->queue);
}

// splits a range; the sizes of its parts
static void dissect(Dissection *d, Range r, int32_t range)
{
    int32_t count = r.end - r.begin;
    clear(d, r, d->distance);
    int32_t reached = walk(d, range, d->order[r.begin], d->distance);
    if (reached < count) {
        // pieces apart need no separator
        for (int32_t i = r.begin; i < r.end; ++i) {
            d->part[d->order[i]] = d->distance[d->order[i]] >= 0 ? LOWER : UPPER;
        }
        d->sizes[LOWER] = reached;
        d->sizes[UPPER] = count - reached;
        d->sizes[SEPARATOR] = 0;
        return;
    }
    // to a far end, and from there to the other
    int32_t *other = d->cost[0], end = d->queue[count - 1];
    for (int32_t step = 0; step < 2; ++step) {
        clear(d, r, d->distance);
        walk(d, range, end, d->distance);
        end = d->queue[count - 1];
    }
    clear(d, r, other);
    walk(d, range, end, other);
    for (int32_t i = r.begin; i < r.end; ++i) {
        d->distance[d->order[i]] -= other[d->order[i]];
    }
    split(d, r, range);
}

LyraStatus ly_reorder_dissect(LyraContext *ctx, LyraGraph graph, int32_t *order)
{
    LyraStatus status = LYRA_OK;
    LyAdjacency adjacency = {0};
    int32_t count = graph.vertex_count, depth = 0, ranges = 0;
    Dissection d = {.graph = &adjacency, .order = order};
    Range *stack = NULL;
    LY_TRY(ly_adjacency_create(ctx, graph, &adjacency));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, count, sizeof(int32_t), &d.range));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof(int32_t), &d.distance));
    LY_TRY_DONE(ly_allocate_array(ctx, 2 * (int64_t)count + 1, sizeof(int32_t), &d.queue));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof(int8_t), &d.part));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof(int8_t), &d.locked));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof(int32_t), &d.cost[0]));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof(int32_t), &d.cost[1]));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof(int32_t), &d.list));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof(int32_t), &d.place));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof(int32_t), &d.moved));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof(int8_t), &d.was));
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)count + 1, sizeof *stack, &stack));
    for (int32_t v = 0; v < count; ++v) {
        order[v] = v;
    }
    stack[depth++] = (Range){0, count};
    while (depth > 0) {
        Range r = stack[--depth];
        if (r.end - r.begin <= LEAF) {
            continue;
        }
        ++ranges;
        for (int32_t i = r.begin; i < r.end; ++i) {
            d.range[order[i]] = ranges;
        }
        dissect(&d, r, ranges);
        int32_t sizes[3] = {d.sizes[LOWER], d.sizes[UPPER], d.sizes[SEPARATOR]};
        // a graph that is nearly complete has no separator worth its name
        if (sizes[LOWER] == 0 || sizes[UPPER] == 0) {
            continue;
        }
        arrange(&d, r, sizes);
        stack[depth++] = (Range){r.begin, r.begin + sizes[LOWER]};
        stack[depth++] = (Range){r.begin + sizes[LOWER], r.end - sizes[SEPARATOR]};
    }
done:
    ly_release(ctx, d.range);
    ly_release(ctx, d.distance);
    ly_release(ctx, d.queue);
    ly_release(ctx, d.part);
    ly_release(ctx, d.locked);
    ly_release(ctx, d.cost[0]);
    ly_release(ctx, d.cost[1]);
    ly_release(ctx, d.list);
    ly_release(ctx, d.place);
    ly_release(ctx, d.moved);
    ly_release(ctx, d.was);
    ly_release(ctx, stack);
    ly_adjacency_destroy(ctx, &adjacency);
    return status;
}
