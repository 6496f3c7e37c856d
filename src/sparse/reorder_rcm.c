// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Graphs, and the reverse Cuthill-McKee order: breadth first from a vertex at the far end of its
// component, neighbours by ascending degree, and the whole reversed. The start is found by walking
// to a vertex of least degree in the last level until the number of levels stops growing.

#include "sparse/entries.h"
#include "sparse/graph.h"
#include "sparse/sparse.h"

LyraGraph lyra_block_pattern_graph(const LyraBlockPattern *pattern)
{
    LYRA_ASSERT(pattern);
    return (LyraGraph){pattern->row_count, pattern->row_start, pattern->column};
}

LyraGraph lyra_csr_pattern_graph(const LyraCsrPattern *pattern)
{
    LYRA_ASSERT(pattern && pattern->row_count == pattern->column_count);
    return (LyraGraph){pattern->row_count, pattern->row_start, pattern->column};
}

LyraStatus ly_adjacency_create(LyraContext *ctx, LyraGraph graph, LyAdjacency *out)
{
    LyAdjacency adjacency = {.vertex_count = graph.vertex_count};
    LyRows rows = {graph.vertex_count, graph.vertex_count, graph.row_start, graph.column};
    LyRowsChange change = {.mirror = true};
    LY_TRY(ly_rows_rebuild(ctx, &rows, change, &adjacency.start, &adjacency.neighbour));
    // drop the diagonal in place
    int64_t next = 0, begin = 0;
    for (int32_t v = 0; v < graph.vertex_count; ++v) {
        int64_t end = adjacency.start[v + 1];
        for (int64_t k = begin; k < end; ++k) {
            int32_t w = adjacency.neighbour[k];
            adjacency.neighbour[next] = w;
            next += w != v;
        }
        adjacency.start[v + 1] = next;
        begin = end;
    }
    *out = adjacency;
    return LYRA_OK;
}

void ly_adjacency_destroy(LyraContext *ctx, LyAdjacency *adjacency)
{
    ly_release(ctx, adjacency->start);
    ly_release(ctx, adjacency->neighbour);
    *adjacency = (LyAdjacency){0};
}

static inline int64_t degree(const LyAdjacency *graph, int32_t v)
{
    return graph->start[v + 1] - graph->start[v];
}

// Sorts every list of neighbours by ascending degree, then number, in linear time: vertices are
// taken in that order and appended to the lists of their neighbours.
static LyraStatus sort_by_degree(LyraContext *ctx, LyAdjacency *graph)
{
    LyraStatus status = LYRA_OK;
    int32_t count = graph->vertex_count;
    int64_t *bucket = NULL, *fill = NULL;
    int32_t *by_degree = NULL, *sorted = NULL;
    LY_TRY_DONE(ly_allocate_zeroed(ctx, (int64_t)count + 1, sizeof(int64_t), &bucket));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof(int32_t), &by_degree));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof(int64_t), &fill));
    LY_TRY_DONE(ly_allocate_array(ctx, graph->start[count], sizeof(int32_t), &sorted));
    for (int32_t v = 0; v < count; ++v) {
        ++bucket[degree(graph, v) + 1];
        fill[v] = graph->start[v];
    }
    for (int32_t d = 0; d < count; ++d) {
        bucket[d + 1] += bucket[d];
    }
    for (int32_t v = 0; v < count; ++v) {
        by_degree[bucket[degree(graph, v)]++] = v;
    }
    for (int32_t i = 0; i < count; ++i) {
        int32_t v = by_degree[i];
        for (int64_t k = graph->start[v]; k < graph->start[v + 1]; ++k) {
            sorted[fill[graph->neighbour[k]]++] = v;
        }
    }
    int32_t *unsorted = graph->neighbour;
    graph->neighbour = sorted;
    sorted = unsorted;
done:
    ly_release(ctx, bucket);
    ly_release(ctx, by_degree);
    ly_release(ctx, fill);
    ly_release(ctx, sorted);
    return status;
}

// Breadth first from `start` into `queue`; `seen` cells get `stamp`. Returns the number of vertices
// and writes the number of levels and the first place of the last one.
static int32_t walk(const LyAdjacency *graph, int32_t start, int32_t *seen, int32_t stamp,
                    int32_t *queue, int32_t *levels, int32_t *last_level)
{
    int32_t head = 0, tail = 1, level_end = 1;
    queue[0] = start;
    seen[start] = stamp;
    *levels = 1;
    *last_level = 0;
    while (head < tail) {
        if (head == level_end) {
            ++*levels;
            *last_level = head;
            level_end = tail;
        }
        int32_t v = queue[head++];
        for (int64_t k = graph->start[v]; k < graph->start[v + 1]; ++k) {
            int32_t w = graph->neighbour[k];
            if (seen[w] != stamp) {
                seen[w] = stamp;
                queue[tail++] = w;
            }
        }
    }
    return tail;
}

LyraStatus lyra_reorder_rcm(LyraContext *ctx, LyraGraph graph, int32_t *order)
{
    LYRA_ASSERT(ctx && (order || graph.vertex_count == 0));
    LyraStatus status = LYRA_OK;
    LyAdjacency adjacency = {0};
    int32_t *seen = NULL;
    LY_TRY(ly_adjacency_create(ctx, graph, &adjacency));
    LY_TRY_DONE(sort_by_degree(ctx, &adjacency));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, graph.vertex_count, sizeof(int32_t), &seen));
    int32_t count = graph.vertex_count, done_count = 0, stamp = 0;
    for (int32_t v = 0; v < count; ++v) {
        // numbers of finished components are stamps too, so that later walks pass them by
        if (seen[v] != 0) {
            continue;
        }
        int32_t levels = 0, last = 0, start = v, *queue = order + done_count;
        int32_t size = walk(&adjacency, start, seen, ++stamp, queue, &levels, &last);
        // a walk that gains no level ends the search; each gain makes the component's path longer,
        // and a few rounds are enough in practice
        for (int32_t round = 0; round < 8; ++round) {
            int32_t far = queue[last], best_levels = levels;
            for (int32_t i = last; i < size; ++i) {
                far = degree(&adjacency, queue[i]) < degree(&adjacency, far) ? queue[i] : far;
            }
            walk(&adjacency, far, seen, ++stamp, queue, &levels, &last);
            if (levels <= best_levels) {
                break;
            }
        }
        done_count += size;
    }
    for (int32_t i = 0; i < count / 2; ++i) {
        int32_t front = order[i];
        order[i] = order[count - 1 - i];
        order[count - 1 - i] = front;
    }
done:
    ly_release(ctx, seen);
    ly_adjacency_destroy(ctx, &adjacency);
    return status;
}
