// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Orders that make bands narrow, and the look at a graph that tells whether there is one.
//
// Columns of the factor reach down to the last row that any column before them reaches: what is
// between is filled. Where vertices lie within b places of their neighbours, no more than 2 b k + 1
// are at most k edges away from any one. Bodies that are not slender have more after few steps, and
// this is how they are told apart before anything is ordered.

#include "solve/band.h"
#include "sparse/graph.h"

#include <string.h>

/// Unknowns of a band, in the quadratic mean, up to which it is narrow.
#define NARROW 30

void ly_band_order_destroy(LyBandOrder *order)
{
    ly_release(order->ctx, order->place);
    ly_release(order->ctx, order->width);
    ly_release(order->ctx, order->height);
    *order = (LyBandOrder){0};
}

// unknowns in their order
static void place(const uint8_t *scalar, const int32_t *order, LyBandOrder *out)
{
    for (int32_t k = 0; k < out->vertex_count; ++k) {
        int32_t v = order[k];
        out->width[v] = scalar && scalar[v] ? 1 : 3;
        out->place[v] = out->size;
        out->size += out->width[v];
    }
}

// how far panels reach: first to the last neighbour of a vertex of theirs, then as far as any
// before
static void reach(LyraGraph graph, LyBandOrder *out)
{
    int32_t end = 0;
    memset(out->height, 0, (size_t)out->panel_count * sizeof *out->height);
    for (int32_t i = 0; i < graph.vertex_count; ++i) {
        int32_t first = out->place[i], last = first + out->width[i];
        for (int64_t k = graph.row_start[i]; k < graph.row_start[i + 1]; ++k) {
            int32_t j = graph.column[k], p = out->place[j] / LY_BAND;
            int32_t last_j = out->place[j] + out->width[j];
            out->height[p] = last > out->height[p] ? last : out->height[p];
            p = first / LY_BAND;
            out->height[p] = last_j > out->height[p] ? last_j : out->height[p];
        }
        for (int32_t p = first / LY_BAND; p <= (last - 1) / LY_BAND; ++p) {
            out->height[p] = last > out->height[p] ? last : out->height[p];
        }
    }
    out->entries = out->products = 0;
    for (int32_t p = 0; p < out->panel_count; ++p) {
        int32_t own = LY_BAND * (p + 1);
        end = out->height[p] > end ? out->height[p] : end;
        end = own > end ? own : end;
        int32_t height = end - LY_BAND * p;
        out->height[p] = height;
        out->entries += (double)LY_BAND * height;
        out->products += (double)LY_BAND * height * height;
    }
}

LyraStatus ly_band_order_create(LyraContext *ctx, LyraGraph graph, const uint8_t *scalar,
                                LyBandOrder *out)
{
    LyraStatus status = LYRA_OK;
    int32_t *order = NULL, count = graph.vertex_count;
    *out = (LyBandOrder){.ctx = ctx, .vertex_count = count};
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *order, &order));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *out->place, &out->place));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *out->width, &out->width));
    LY_TRY_DONE(lyra_reorder_rcm(ctx, graph, order));
    place(scalar, order, out);
    out->panel_count = (out->size + LY_BAND - 1) / LY_BAND;
    LY_TRY_DONE(ly_allocate_array(ctx, out->panel_count, sizeof *out->height, &out->height));
    reach(graph, out);
done:
    ly_release(ctx, order);
    if (status != LYRA_OK) {
        ly_band_order_destroy(out);
    }
    return status;
}

// whether the surroundings of vertex `first` are those of a narrow band
static bool is_slender(const LyAdjacency *graph, int32_t first, int32_t *queue, bool *seen)
{
    int64_t size = 1, begin = 0;
    queue[0] = first;
    seen[first] = true;
    for (int64_t k = 1; begin < size; ++k) {
        int64_t end = size;
        for (; begin < end; ++begin) {
            int32_t v = queue[begin];
            for (int64_t e = graph->start[v]; e < graph->start[v + 1]; ++e) {
                int32_t w = graph->neighbour[e];
                if (!seen[w]) {
                    seen[w] = true;
                    queue[size++] = w;
                }
            }
        }
        if (size > 2 * NARROW * k + 1) {
            return false;
        }
    }
    return true;
}

LyraStatus ly_band_is_narrow(LyraContext *ctx, LyraGraph graph, const uint8_t *scalar, bool *out)
{
    LyraStatus status = LYRA_OK;
    LyAdjacency adjacency = {0};
    LyBandOrder order = {0};
    int32_t *queue = NULL, count = graph.vertex_count;
    bool *seen = NULL, slender = true;
    *out = false;
    LY_TRY_DONE(ly_adjacency_create(ctx, graph, &adjacency));
    // without couplings there is nothing to factor
    if (adjacency.start[count] == 0) {
        goto done;
    }
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *queue, &queue));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, count, sizeof *seen, &seen));
    for (int32_t v = 0; v < count && slender; ++v) {
        slender = seen[v] || is_slender(&adjacency, v, queue, seen);
    }
    if (slender) {
        LY_TRY_DONE(ly_band_order_create(ctx, graph, scalar, &order));
        *out = order.products <= (double)NARROW * NARROW * order.size;
    }
done:
    ly_band_order_destroy(&order);
    ly_adjacency_destroy(ctx, &adjacency);
    ly_release(ctx, queue);
    ly_release(ctx, seen);
    return status;
}
