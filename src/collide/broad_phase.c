// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Pairs are found in chunks of the first tree, each of which writes its own list; lists that were
// too short grow, and their chunks run again. A count by the first of each pair then puts them in
// order, which hangs neither on the threads nor on the trees.

#include "collide/broad_phase.h"

#include "mesh/box_tree.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 512, LEAVES = 64, ROOM = 512 };

// which primitives each kind of pair is of
static const LyPrimitive pair_of[LYRA_PAIR_KIND_COUNT][2] = {
    [LYRA_PAIR_POINT_TRIANGLE] = {LY_POINT, LY_TRIANGLE},
    [LYRA_PAIR_EDGE_EDGE] = {LY_EDGE, LY_EDGE},
    [LYRA_PAIR_EDGE_TRIANGLE] = {LY_EDGE, LY_TRIANGLE},
    [LYRA_PAIR_POINT_EDGE] = {LY_POINT, LY_EDGE},
    [LYRA_PAIR_POINT_POINT] = {LY_POINT, LY_POINT},
};

// ---- making -------------------------------------------------------------------------------------

static LyraStatus check_ids(const char *what, int32_t count, int32_t corners,
                            const int32_t *vertices, int32_t vertex_count)
{
    if (count < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "broad phase: the number of %ss is %d, expected >= 0",
                       what, count);
    }
    for (int64_t k = 0; k < (int64_t)corners * count; ++k) {
        if (vertices[k] < 0 || vertices[k] >= vertex_count) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "broad phase: %s %lld names vertex %d, expected 0 to %d", what,
                           (long long)(k / corners), vertices[k], vertex_count - 1);
        }
    }
    return LYRA_OK;
}

LyraStatus lyra_broad_phase_create(LyraContext *ctx, const LyraPrimitives *primitives,
                                   LyraBroadPhase **out)
{
    static const char *const words[] = {"point", "edge", "triangle"};
    const int32_t counts[] = {primitives->point_count, primitives->edge_count,
                              primitives->triangle_count};
    const int32_t *const vertices[] = {primitives->points, primitives->edges,
                                       primitives->triangles};
    if (primitives->vertex_count < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "broad phase: the number of vertices is %d, expected >= 0",
                       primitives->vertex_count);
    }
    for (int32_t p = 0; p < LY_PRIMITIVE_COUNT; ++p) {
        LY_TRY(check_ids(words[p], counts[p], p + 1, vertices[p], primitives->vertex_count));
    }
    LyraStatus status = LYRA_OK;
    LyraBroadPhase *phase = NULL;
    LY_TRY_DONE(ly_allocate_zeroed(ctx, 1, sizeof *phase, &phase));
    phase->ctx = ctx;
    phase->vertex_count = primitives->vertex_count;
    for (int32_t p = 0; p < LY_PRIMITIVE_COUNT; ++p) {
        LY_TRY_DONE(ly_boxes_make(ctx, counts[p], p + 1, vertices[p], &phase->trees[p]));
    }
    phase->bound_pieces = ly_piece_count(phase->vertex_count, GRAIN);
    LY_TRY_DONE(ly_allocate_array(ctx, phase->bound_pieces, sizeof *phase->bounds, &phase->bounds));
    *out = phase;
done:
    if (status != LYRA_OK) {
        lyra_broad_phase_destroy(phase);
    }
    return status;
}

void lyra_broad_phase_destroy(LyraBroadPhase *phase)
{
    if (!phase) {
        return;
    }
    LyraContext *ctx = phase->ctx;
    for (int32_t p = 0; p < LY_PRIMITIVE_COUNT; ++p) {
        ly_boxes_release(ctx, &phase->trees[p]);
    }
    for (int32_t k = 0; k < LYRA_PAIR_KIND_COUNT; ++k) {
        LyPairChunks *chunks = &phase->chunks[k];
        for (int32_t c = 0; c < chunks->count; ++c) {
            ly_release(ctx, chunks->lists[c].pairs);
        }
        ly_release(ctx, chunks->lists);
    }
    ly_release(ctx, phase->bounds);
    ly_release(ctx, phase->begin);
    ly_release(ctx, phase->seconds);
    ly_release(ctx, phase->pairs);
    ly_release(ctx, phase);
}

// ---- updates ------------------------------------------------------------------------------------

typedef struct Bounds {
    LyraBroadPhase *phase;
    const double *places[2];
} Bounds;

static void bound_piece(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Bounds *job = data;
    LyraBroadPhase *phase = job->phase;
    LyPieceBounds bounds = {{DBL_MAX, DBL_MAX, DBL_MAX}, {-DBL_MAX, -DBL_MAX, -DBL_MAX}, true};
    int64_t end = ly_piece_begin(phase->vertex_count, phase->bound_pieces, index + 1);
    for (int32_t s = 0; s < 2 && job->places[s]; ++s) {
        for (int64_t v = ly_piece_begin(phase->vertex_count, phase->bound_pieces, index); v < end;
             ++v) {
            const double *x = job->places[s] + 3 * v;
            bounds.accepted = bounds.accepted && ly_box_tree_accepts(x);
            for (int32_t i = 0; i < 3; ++i) {
                bounds.low[i] = x[i] < bounds.low[i] ? x[i] : bounds.low[i];
                bounds.high[i] = x[i] > bounds.high[i] ? x[i] : bounds.high[i];
            }
        }
    }
    phase->bounds[index] = bounds;
}

LyraStatus lyra_broad_phase_update(LyraBroadPhase *phase, const double *positions,
                                   const double *ends, double radius)
{
    if (!(radius >= 0 && radius < LY_BOX_TREE_LIMIT)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "broad phase: the radius is %g m, expected 0 to 1e50",
                       radius);
    }
    Bounds job = {.phase = phase, .places = {positions, ends}};
    ly_parallel_for(phase->ctx, phase->bound_pieces, bound_piece, &job);
    LyBoxFrame frame = {.grow = 0.5 * radius};
    double size = 0;
    for (int32_t i = 0; i < 3; ++i) {
        double low = DBL_MAX, high = -DBL_MAX;
        for (int32_t p = 0; p < phase->bound_pieces; ++p) {
            const LyPieceBounds *bounds = &phase->bounds[p];
            if (!bounds->accepted) {
                return ly_fail(LYRA_NOT_FINITE, "broad phase: a coordinate is not finite or not "
                                                "below 1e50");
            }
            low = bounds->low[i] < low ? bounds->low[i] : low;
            high = bounds->high[i] > high ? bounds->high[i] : high;
        }
        frame.origin[i] = low < DBL_MAX ? low : 0;
        size = high - low > size ? high - low : size;
    }
    // points that all lie within 1e-100 m are one
    frame.scale = size > 1e-100 ? 1 / size : 1;
    phase->frame = frame;
    phase->ready = true;
    for (int32_t p = 0; p < LY_PRIMITIVE_COUNT; ++p) {
        ly_boxes_build(phase->ctx, &phase->trees[p], &frame, positions, ends);
    }
    return LYRA_OK;
}

// ---- pairs --------------------------------------------------------------------------------------

typedef struct Job {
    LyBoxSearch search;
    LyBoxPairs *find;
    LyPairChunks *chunks;
} Job;

static void find_chunk(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Job *job = data;
    LyPairChunk *list = &job->chunks->lists[index];
    if (list->found >= 0) {
        return; // done in an earlier round
    }
    int64_t leaves = job->search.first->level_begin[1];
    int64_t begin = LEAVES * (int64_t)index, end = ly_min_i64(leaves, begin + LEAVES), found = 0;
    for (int64_t leaf = begin; leaf < end; ++leaf) {
        int64_t at = ly_min_i64(found, list->room);
        found += job->find(&job->search, leaf, list->room - at, list->pairs + at);
    }
    list->found = found;
}

static LyraStatus make_chunks(LyraBroadPhase *phase, const LyBoxes *first, LyPairChunks *chunks)
{
    if (!chunks->lists) {
        int64_t count = (first->level_begin[1] + LEAVES - 1) / LEAVES;
        LY_TRY(ly_allocate_zeroed(phase->ctx, count, sizeof *chunks->lists, &chunks->lists));
        chunks->count = (int32_t)count;
    }
    for (int32_t c = 0; c < chunks->count; ++c) {
        LyPairChunk *list = &chunks->lists[c];
        if (!list->pairs) {
            LY_TRY(ly_allocate_array(phase->ctx, ROOM, sizeof *list->pairs, &list->pairs));
            list->room = ROOM;
        }
        list->found = -1;
    }
    return LYRA_OK;
}

// Runs all chunks, those whose list was too short again. Writes the number of pairs.
static LyraStatus find_pairs(LyraBroadPhase *phase, Job *job, int64_t *count)
{
    LyPairChunks *chunks = job->chunks;
    for (bool again = true; again;) {
        ly_parallel_for(phase->ctx, chunks->count, find_chunk, job);
        again = false;
        *count = 0;
        for (int32_t c = 0; c < chunks->count; ++c) {
            LyPairChunk *list = &chunks->lists[c];
            *count += list->found;
            if (list->found > list->room) {
                int64_t room = list->found + list->found / 4;
                // nothing of the old list is needed
                ly_release(phase->ctx, list->pairs);
                list->pairs = NULL;
                list->room = 0;
                LY_TRY(ly_allocate_array(phase->ctx, room, sizeof *list->pairs, &list->pairs));
                list->room = room;
                list->found = -1;
                again = true;
            }
        }
    }
    return LYRA_OK;
}

// Counts the pairs by their first and puts their seconds there; begin[f] becomes where those of f
// end.
static void group_pairs(LyraBroadPhase *phase, const LyPairChunks *chunks, int32_t first_count)
{
    int64_t *begin = phase->begin, sum = 0;
    memset(begin, 0, (size_t)first_count * sizeof *begin);
    for (int32_t c = 0; c < chunks->count; ++c) {
        const LyPairChunk *list = &chunks->lists[c];
        for (int64_t k = 0; k < list->found; ++k) {
            ++begin[list->pairs[k][0]];
        }
    }
    for (int32_t f = 0; f < first_count; ++f) {
        int64_t count = begin[f];
        begin[f] = sum;
        sum += count;
    }
    for (int32_t c = 0; c < chunks->count; ++c) {
        const LyPairChunk *list = &chunks->lists[c];
        for (int64_t k = 0; k < list->found; ++k) {
            phase->seconds[begin[list->pairs[k][0]]++] = list->pairs[k][1];
        }
    }
}

static void sift(int32_t *x, int64_t count, int64_t at)
{
    for (int64_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && x[child + 1] > x[child];
        if (x[at] >= x[child]) {
            return;
        }
        int32_t swap = x[at];
        x[at] = x[child];
        x[child] = swap;
        at = child;
    }
}

// few by insertion, many by a heap
static void sort_numbers(int32_t *x, int64_t count)
{
    if (count <= 32) {
        for (int64_t i = 1; i < count; ++i) {
            int32_t number = x[i];
            int64_t at = i;
            for (; at > 0 && x[at - 1] > number; --at) {
                x[at] = x[at - 1];
            }
            x[at] = number;
        }
        return;
    }
    for (int64_t i = count / 2; i-- > 0;) {
        sift(x, count, i);
    }
    for (int64_t end = count - 1; end > 0; --end) {
        int32_t most = x[0];
        x[0] = x[end];
        x[end] = most;
        sift(x, end, 0);
    }
}

typedef struct Order {
    LyraBroadPhase *phase;
    int32_t first_count, pieces;
} Order;

static void order_piece(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Order *order = data;
    LyraBroadPhase *phase = order->phase;
    int64_t end = ly_piece_begin(order->first_count, order->pieces, index + 1);
    for (int64_t f = ly_piece_begin(order->first_count, order->pieces, index); f < end; ++f) {
        int64_t from = f > 0 ? phase->begin[f - 1] : 0, to = phase->begin[f];
        sort_numbers(phase->seconds + from, to - from);
        for (int64_t k = from; k < to; ++k) {
            phase->pairs[k][0] = (int32_t)f;
            phase->pairs[k][1] = phase->seconds[k];
        }
    }
}

// room for the list of a kind; what is in it is not kept
static LyraStatus reserve_pairs(LyraBroadPhase *phase, int64_t count, int32_t first_count)
{
    if (first_count > phase->begin_room) {
        LY_TRY(ly_resize_array(phase->ctx, first_count, sizeof *phase->begin, &phase->begin));
        phase->begin_room = first_count;
    }
    if (count > phase->room) {
        int64_t room = count + count / 4;
        LY_TRY(ly_resize_array(phase->ctx, room, sizeof *phase->pairs, &phase->pairs));
        LY_TRY(ly_resize_array(phase->ctx, room, sizeof *phase->seconds, &phase->seconds));
        phase->room = room;
    }
    return LYRA_OK;
}

LyraStatus lyra_broad_phase_pairs(LyraBroadPhase *phase, LyraPairKind kind, LyraPairList *out)
{
    static LyBoxPairs *const finders[] = LY_KERNEL_TABLE(ly_box_pairs);
    if (kind < 0 || kind >= LYRA_PAIR_KIND_COUNT) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "broad phase: no kind %d of pairs", (int)kind);
    }
    if (!phase->ready) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "broad phase: no update gave positions yet; call lyra_broad_phase_update()");
    }
    const LyBoxes *first = &phase->trees[pair_of[kind][0]];
    const LyBoxes *second = &phase->trees[pair_of[kind][1]];
    if (first->count == 0 || second->count == 0) {
        *out = (LyraPairList){.count = 0, .pairs = NULL};
        return LYRA_OK;
    }
    Job job = {
        .search = {.first = first, .second = second, .self = first == second},
        .find = finders[lyra_context_isa(phase->ctx)],
        .chunks = &phase->chunks[kind],
    };
    int64_t count = 0;
    LY_TRY(make_chunks(phase, first, job.chunks));
    LY_TRY(find_pairs(phase, &job, &count));
    LY_TRY(reserve_pairs(phase, count, first->count));
    group_pairs(phase, job.chunks, first->count);
    Order order = {
        .phase = phase,
        .first_count = first->count,
        .pieces = ly_piece_count(first->count, GRAIN),
    };
    ly_parallel_for(phase->ctx, order.pieces, order_piece, &order);
    *out = (LyraPairList){.count = count, .pairs = phase->pairs[0]};
    return LYRA_OK;
}
