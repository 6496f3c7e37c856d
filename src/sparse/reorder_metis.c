// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Nested dissection by METIS. Vertices without neighbours are kept from it and come last, so that
// it never sees an empty graph. METIS draws from the C library's random numbers, which it seeds
// itself; calls are made one at a time.

#include "config.h"
#include "lyra/reorder.h"
#include "sparse/graph.h"

#if LY_HAVE_METIS

#include <pthread.h>

#include <metis.h>

static pthread_mutex_t metis_lock = PTHREAD_MUTEX_INITIALIZER;

static int dissect(idx_t count, idx_t *start, idx_t *neighbour, idx_t *order, idx_t *inverse)
{
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_NUMBERING] = 0;
    options[METIS_OPTION_SEED] = 4711;
    options[METIS_OPTION_DBGLVL] = 0;
    pthread_mutex_lock(&metis_lock);
    int result = METIS_NodeND(&count, start, neighbour, NULL, options, order, inverse);
    pthread_mutex_unlock(&metis_lock);
    return result;
}

LyraStatus lyra_reorder_metis(LyraContext *ctx, LyraGraph graph, int32_t *order)
{
    LYRA_ASSERT(ctx && (order || graph.vertex_count == 0));
    LyraStatus status = LYRA_OK;
    LyAdjacency adjacency = {0};
    int32_t *linked = NULL, *place = NULL;
    idx_t *start = NULL, *neighbour = NULL, *metis_order = NULL, *inverse = NULL;
    LY_TRY(ly_adjacency_create(ctx, graph, &adjacency));
    int32_t count = graph.vertex_count, linked_count = 0, alone_count = 0;
    int64_t edges = adjacency.start[count];
    if (edges > IDX_MAX) {
        status = ly_fail(LYRA_TOO_LARGE, "nested dissection: %lld edges, more than METIS can hold",
                         (long long)edges);
        goto done;
    }
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof(int32_t), &linked));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof(int32_t), &place));
    for (int32_t v = 0; v < count; ++v) {
        place[v] = linked_count;
        if (adjacency.start[v + 1] > adjacency.start[v]) {
            linked[linked_count++] = v;
        }
    }
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)linked_count + 1, sizeof(idx_t), &start));
    LY_TRY_DONE(ly_allocate_array(ctx, edges, sizeof(idx_t), &neighbour));
    LY_TRY_DONE(ly_allocate_array(ctx, linked_count, sizeof(idx_t), &metis_order));
    LY_TRY_DONE(ly_allocate_array(ctx, linked_count, sizeof(idx_t), &inverse));
    for (int32_t i = 0; i < linked_count; ++i) {
        start[i] = (idx_t)adjacency.start[linked[i]];
    }
    start[linked_count] = (idx_t)edges;
    for (int64_t k = 0; k < edges; ++k) {
        neighbour[k] = place[adjacency.neighbour[k]];
    }
    if (linked_count > 0) {
        int result = dissect(linked_count, start, neighbour, metis_order, inverse);
        if (result != METIS_OK) {
            status = result == METIS_ERROR_MEMORY
                         ? ly_fail(LYRA_OUT_OF_MEMORY, "nested dissection: METIS is out of memory")
                         : ly_fail(LYRA_UNSUPPORTED, "nested dissection: METIS failed with code %d",
                                   result);
            goto done;
        }
    }
    for (int32_t i = 0; i < linked_count; ++i) {
        order[i] = linked[metis_order[i]];
    }
    for (int32_t v = 0; v < count; ++v) {
        if (adjacency.start[v + 1] == adjacency.start[v]) {
            order[linked_count + alone_count++] = v;
        }
    }
done:
    ly_release(ctx, linked);
    ly_release(ctx, place);
    ly_release(ctx, start);
    ly_release(ctx, neighbour);
    ly_release(ctx, metis_order);
    ly_release(ctx, inverse);
    ly_adjacency_destroy(ctx, &adjacency);
    return status;
}

#else

LyraStatus lyra_reorder_metis(LyraContext *ctx, LyraGraph graph, int32_t *order)
{
    (void)ctx, (void)graph, (void)order;
    return ly_fail(LYRA_UNSUPPORTED, "nested dissection: this build has no METIS");
}

#endif
