// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solve/sections.h"

#include "solve/solve.h"

#include <math.h>
#include <string.h>

// vertices that are not cut further
#define LEAF 12

// Neighbours that every vertex has where elements reach over two layers of vertices: a middle node
// of a tet of 10 nodes has 9 or more, while bodies of linear elements have corners with up to 7.
#define WIDE 9

// what real cuts cost above those of a box, measured on bars, plates, rods and cubes
#define ENTRIES_MORE 1.2
#define FLOPS_MORE 1.55
// ... and what they cost more where elements are wide
#define WIDE_ENTRIES_MORE 1.1
#define WIDE_FLOPS_MORE 1.2

// neighbours in both directions: patterns may hold one triangle only
typedef struct Neighbours {
    int64_t *start;  // [count + 2]
    int32_t *column; // [2 entries]
    int32_t *queue;  // [count]
    int32_t *seen;   // mark of the last walk that came by, [count]
} Neighbours;

static void join(LyraGraph graph, Neighbours *out)
{
    int32_t count = graph.vertex_count;
    // start[i + 2] counts, then start[i + 1] is where the next of i goes
    memset(out->start, 0, ((size_t)count + 2) * sizeof *out->start);
    for (int32_t i = 0; i < count; ++i) {
        for (int64_t k = graph.row_start[i]; k < graph.row_start[i + 1]; ++k) {
            int32_t j = graph.column[k];
            out->start[i + 2] += i != j;
            out->start[j + 2] += i != j;
        }
    }
    for (int32_t i = 0; i < count; ++i) {
        out->start[i + 2] += out->start[i + 1];
    }
    for (int32_t i = 0; i < count; ++i) {
        for (int64_t k = graph.row_start[i]; k < graph.row_start[i + 1]; ++k) {
            int32_t j = graph.column[k];
            if (i != j) {
                out->column[out->start[i + 1]++] = j;
                out->column[out->start[j + 1]++] = i;
            }
        }
    }
}

// what a walk found
typedef struct Walk {
    int32_t size, levels;
    int64_t fewest;                   // neighbours of a vertex
    int32_t widest_begin, widest_end; // of the level with most vertices, in the queue
} Walk;

// breadth first from a vertex through all that are marked `from` and are connected to it, which
// become marked `to` and lie in the queue
static Walk walk(const Neighbours *graph, int32_t first, int32_t from, int32_t to)
{
    Walk found = {.size = 1, .fewest = INT64_MAX};
    graph->queue[0] = first;
    graph->seen[first] = to;
    for (int32_t begin = 0, end = 1; begin < end; begin = end, end = found.size) {
        for (int32_t q = begin; q < end; ++q) {
            int32_t v = graph->queue[q];
            int64_t neighbours = graph->start[v + 1] - graph->start[v];
            found.fewest = neighbours < found.fewest ? neighbours : found.fewest;
            for (int64_t k = graph->start[v]; k < graph->start[v + 1]; ++k) {
                int32_t w = graph->column[k];
                if (graph->seen[w] == from) {
                    graph->seen[w] = to;
                    graph->queue[found.size++] = w;
                }
            }
        }
        if (end - begin > found.widest_end - found.widest_begin) {
            found.widest_begin = begin;
            found.widest_end = end;
        }
        ++found.levels;
    }
    return found;
}

// edges of a component, from any of its vertices; returns the layers of vertices that elements take
static int32_t measure(const Neighbours *graph, int32_t v, LySections *out)
{
    enum { AWAY = 1, BACK, SECTION, ACROSS, ALONG };
    Walk away = walk(graph, v, 0, AWAY);
    // what is last in the queue is at an end of the body
    Walk body = walk(graph, graph->queue[away.size - 1], AWAY, BACK);
    int32_t span = body.fewest >= WIDE ? 2 : 1;
    out->length = span * (body.levels - 1) + 1;
    double section = body.size / out->length;
    for (int32_t q = body.widest_begin; q < body.widest_end; ++q) {
        graph->seen[graph->queue[q]] = SECTION;
    }
    Walk across = walk(graph, graph->queue[body.widest_begin], SECTION, ACROSS);
    Walk along = walk(graph, graph->queue[across.size - 1], ACROSS, ALONG);
    // levels from corner to corner of n x t vertices are n + t - 1, or n where diagonals join too;
    // wide ones (n + t)/2 + 2, because they begin and end with single layers
    double size = (double)along.size / span;
    double sum = span > 1 ? 2.0 * (along.levels - 2) : along.levels + 1.0;
    double square = sum * sum - 4 * size;
    double thickness = square > 0 ? (sum - sqrt(square)) / 2 : sqrt(size);
    out->thickness = fmin(fmax(thickness, 1), sqrt(section));
    out->width = section / out->thickness;
    return span;
}

// Adds what is eliminated when a box of vertices is cut across its longest edge until little is
// left. Each part ends at earlier cuts, at `cut` of the two sides across each edge in the mean.
static void dissect(const LySections *sections, double *entries, double *flops)
{
    double edge[3] = {sections->length, sections->width, sections->thickness}, cut[3] = {0};
    *entries = *flops = 0;
    for (double parts = 1; parts < 1e9; parts *= 2) {
        double size = edge[0] * edge[1] * edge[2], border = 0;
        int32_t longest = 0;
        for (int32_t i = 0; i < 3; ++i) {
            border += cut[i] * size / edge[i];
            longest = edge[i] > edge[longest] ? i : longest;
        }
        bool last = size <= LEAF;
        double n = 3 * (last ? size : size / edge[longest]), m = 3 * border;
        *entries += parts * n * (n / 2 + m);
        *flops += parts * n * (n * n / 3 + n * m + m * m);
        if (last) {
            break;
        }
        edge[longest] = (edge[longest] - 1) / 2;
        cut[longest] = 1 + cut[longest] / 2;
    }
}

LyraStatus ly_sections(LyraContext *ctx, LyraGraph graph, LySections *out)
{
    LyraStatus status = LYRA_OK;
    Neighbours near = {0};
    int32_t count = graph.vertex_count;
    double largest = 0;
    *out = (LySections){0};
    if (count == 0) {
        return LYRA_OK;
    }
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)count + 2, sizeof *near.start, &near.start));
    LY_TRY_DONE(
        ly_allocate_array(ctx, 2 * graph.row_start[count], sizeof *near.column, &near.column));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *near.queue, &near.queue));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, count, sizeof *near.seen, &near.seen));
    join(graph, &near);
    for (int32_t v = 0; v < count; ++v) {
        if (near.seen[v] == 0) {
            LySections one = {0};
            double entries, flops;
            bool wide = measure(&near, v, &one) > 1;
            dissect(&one, &entries, &flops);
            one.entries = out->entries + ENTRIES_MORE * (wide ? WIDE_ENTRIES_MORE : 1) * entries;
            one.flops = out->flops + FLOPS_MORE * (wide ? WIDE_FLOPS_MORE : 1) * flops;
            double size = one.length * one.width * one.thickness;
            if (size > largest) {
                *out = one;
                largest = size;
            } else {
                out->entries = one.entries;
                out->flops = one.flops;
            }
        }
    }
done:
    ly_release(ctx, near.start);
    ly_release(ctx, near.column);
    ly_release(ctx, near.queue);
    ly_release(ctx, near.seen);
    return status;
}
