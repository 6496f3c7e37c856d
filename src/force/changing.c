// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sets of stencils over points: making them, filling them, and finding stencils again by their
// keys. changing_build.c prepares them for evaluations, changing_evaluate.c evaluates them.

#include "force/changing.h"

#include <math.h>
#include <string.h>

#define WIDTH LYRA_BATCH_WIDTH

// bytes of the blocks of a chunk: few enough to stay in the caches, enough work for the threads
#define CHUNK_BYTES (1 << 21)

int64_t ly_grown(int64_t room, int64_t need)
{
    return ly_max_i64(ly_max_i64(2 * room, need), 16);
}

// ---- making a set -------------------------------------------------------------------------------

static LyraStatus check_type(const LyraForceType *type)
{
    if (!type || !type->name || !type->evaluate) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "stencil set: the type needs a name and evaluate");
    }
    if (type->nodes < 1 || type->nodes > LYRA_STENCIL_NODES_MAX || type->parameter_count < 0 ||
        type->history_count < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "force %s: %d points, %d parameters and %d numbers of history, expected 1 "
                       "to %d points and counts of 0 or more",
                       type->name, type->nodes, type->parameter_count, type->history_count,
                       LYRA_STENCIL_NODES_MAX);
    }
    if (!(type->traits & LYRA_FORCE_SYMMETRIC)) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "force %s: its tangent is not symmetric, as that of stencils that come and "
                       "go must be",
                       type->name);
    }
    if (type->constant_count != 0) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "force %s: %d constants per stencil; stencils that come and go have "
                       "parameters alone",
                       type->name, type->constant_count);
    }
    return LYRA_OK;
}

// most bytes that an evaluation of a batch pushes
static size_t scratch_bytes(const LyraForceType *type)
{
    // positions, velocities, gradient; two sets of blocks; history before and after; rounding
    size_t n = (size_t)type->nodes, blocks = n * (n + 1) / 2;
    size_t numbers = 3 * 3 * n + 2 * 9 * blocks + 2 * (size_t)type->history_count;
    return numbers * WIDTH * sizeof(double) + 8 * LY_ALIGNMENT + type->scratch_bytes;
}

LyraStatus ly_stencil_set_create(LyraContext *ctx, const LyraForceType *type, const void *self,
                                 int32_t vertex_count, const double *positions,
                                 const double middle[3], const int32_t *place, LyraStencilSet **out)
{
    LY_TRY(check_type(type));
    LyraStencilSet *set = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *set, &set));
    set->ctx = ctx;
    set->type = type;
    set->self = self;
    set->vertex_count = vertex_count;
    set->positions = positions;
    memcpy(set->middle, middle, sizeof set->middle);
    set->place = place;
    set->built = -1;
    size_t batch_bytes = (size_t)ly_set_blocks(set) * 9 * WIDTH * sizeof(double);
    set->chunk_batches = (int32_t)(CHUNK_BYTES / batch_bytes);
    LyraStatus status = LYRA_OK;
    int32_t threads = lyra_context_thread_count(ctx);
    LY_TRY_DONE(ly_allocate_zeroed(ctx, threads, sizeof(void *), &set->arenas));
    for (int32_t t = 0; t < threads; ++t) {
        LY_TRY_DONE(ly_arena_create(ctx, scratch_bytes(type), &set->arenas[t]));
    }
    LY_TRY_DONE(ly_allocate_zeroed(ctx, 1, sizeof *set->start, &set->start));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, 1, sizeof *set->pair_start, &set->pair_start));
    LY_TRY_DONE(lyra_stencil_set_clear(set));
    LY_TRY_DONE(ly_stencil_set_finish(set));
    *out = set;
done:
    if (status != LYRA_OK) {
        ly_stencil_set_destroy(set);
    }
    return status;
}

static void release_contributions(LyraContext *ctx, LyContributions *contributions)
{
    ly_release(ctx, contributions->chunk_start);
    ly_release(ctx, contributions->target);
    ly_release(ctx, contributions->source);
    ly_release(ctx, contributions->weight);
}

void ly_stencil_set_destroy(LyraStencilSet *set)
{
    if (!set) {
        return;
    }
    LyraContext *ctx = set->ctx;
    for (int32_t t = 0; set->arenas && t < lyra_context_thread_count(ctx); ++t) {
        ly_arena_destroy(ctx, set->arenas[t]);
    }
    ly_release(ctx, set->arenas);
    ly_release(ctx, set->keys);
    ly_release(ctx, set->parameters);
    ly_release(ctx, set->start);
    ly_release(ctx, set->pair_start);
    ly_release(ctx, set->vertices);
    ly_release(ctx, set->weights);
    ly_release(ctx, set->element);
    ly_release(ctx, set->lane_parameters);
    ly_release(ctx, set->rest);
    ly_release(ctx, set->energy);
    ly_release(ctx, set->rates);
    release_contributions(ctx, &set->of_gradient);
    release_contributions(ctx, &set->of_blocks);
    ly_release(ctx, set->touched);
    ly_release(ctx, set->pairs);
    ly_release(ctx, set->sort.items);
    ly_release(ctx, set->sort.other);
    ly_release(ctx, set->sort.counts);
    ly_release(ctx, set->sort.source);
    ly_release(ctx, set->sort.weight);
    ly_release(ctx, set->gradients);
    ly_release(ctx, set->dfdx);
    ly_release(ctx, set->dfdv);
    ly_release(ctx, set);
}

// ---- filling it ---------------------------------------------------------------------------------

LyraStatus lyra_stencil_set_clear(LyraStencilSet *set)
{
    LYRA_ASSERT(set);
    set->count = 0;
    set->plain = true;
    set->finished = false;
    return LYRA_OK;
}

static LyraStatus check_point(const LyraStencilSet *set, int32_t node,
                              const LyraSurfacePoint *point)
{
    const char *name = set->type->name;
    if (point->count < 1 || !point->vertices || (!point->weights && point->count > 1)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "force %s: point %d of stencil %d has %d vertices%s, expected 1 or more and "
                       "weights for more than one",
                       name, node, set->count, point->count,
                       !point->vertices  ? " that are not given"
                       : !point->weights ? " without weights"
                                         : "");
    }
    for (int32_t k = 0; k < point->count; ++k) {
        if (point->vertices[k] < 0 || point->vertices[k] >= set->vertex_count) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "force %s: point %d of stencil %d has vertex %d, expected 0 to %d", name,
                           node, set->count, point->vertices[k], set->vertex_count - 1);
        }
        if (point->weights && !isfinite(point->weights[k])) {
            return ly_fail(LYRA_NOT_FINITE,
                           "force %s: point %d of stencil %d has the weight %g, expected a finite "
                           "number",
                           name, node, set->count, point->weights[k]);
        }
    }
    return LYRA_OK;
}

static LyraStatus check_stencil(const LyraStencilSet *set, const LyraSurfacePoint *points,
                                const double *parameters)
{
    const LyraForceType *type = set->type;
    if (!points || (type->parameter_count > 0 && !parameters)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "force %s: stencil %d without %s", type->name,
                       set->count, points ? "parameters" : "points");
    }
    for (int32_t a = 0; a < type->nodes; ++a) {
        LY_TRY(check_point(set, a, &points[a]));
    }
    for (int32_t i = 0; i < type->parameter_count; ++i) {
        LY_TRY(ly_force_check_parameter(type, i, set->count, parameters[i]));
    }
    if (set->count == INT32_MAX) {
        return ly_fail(LYRA_TOO_LARGE, "force %s: more than %d stencils", type->name, INT32_MAX);
    }
    return LYRA_OK;
}

static LyraStatus reserve_stencil(LyraStencilSet *set, int64_t entries)
{
    LyraContext *ctx = set->ctx;
    int32_t nodes = set->type->nodes;
    if (set->count + (int64_t)1 > set->stencil_room) {
        int64_t room = ly_grown(set->stencil_room, set->count + (int64_t)1);
        int64_t parameters = room * set->type->parameter_count;
        LY_TRY(ly_resize_array(ctx, room, sizeof *set->keys, &set->keys));
        LY_TRY(ly_resize_array(ctx, parameters, sizeof *set->parameters, &set->parameters));
        LY_TRY(ly_resize_array(ctx, room * nodes + 1, sizeof *set->start, &set->start));
        LY_TRY(ly_resize_array(ctx, room + 1, sizeof *set->pair_start, &set->pair_start));
        set->stencil_room = room;
    }
    if (entries > set->entry_room) {
        int64_t room = ly_grown(set->entry_room, entries);
        LY_TRY(ly_resize_array(ctx, room, sizeof *set->vertices, &set->vertices));
        LY_TRY(ly_resize_array(ctx, room, sizeof *set->weights, &set->weights));
        set->entry_room = room;
    }
    return LYRA_OK;
}

// contributions of a stencil's blocks, see emit_blocks() in changing_build.c; `plain` becomes false
// if the points are more than distinct vertices
static int64_t count_pairs(const LyraStencilSet *set, const int64_t *start, bool *plain)
{
    int64_t pairs = 0;
    for (int32_t a = 0; a < set->type->nodes; ++a) {
        int64_t here = start[a + 1] - start[a];
        pairs += here * (here + 1) / 2;
        *plain = *plain && here == 1 && set->weights[start[a]] == 1;
        for (int64_t e = start[a]; e < start[a + 1]; ++e) {
            int64_t later = start[set->type->nodes];
            pairs += later - start[a + 1];
            // a vertex of two points has both the block and its transpose
            for (int64_t f = start[a + 1]; f < later; ++f) {
                bool shared = set->vertices[e] == set->vertices[f];
                pairs += shared;
                *plain = *plain && !shared;
            }
        }
    }
    return pairs;
}

LyraStatus lyra_stencil_set_add(LyraStencilSet *set, uint64_t key, const LyraSurfacePoint *points,
                                const double *parameters)
{
    LYRA_ASSERT(set);
    const LyraForceType *type = set->type;
    LY_TRY(check_stencil(set, points, parameters));
    int64_t *start = set->start + (int64_t)set->count * type->nodes, entries = start[0];
    for (int32_t a = 0; a < type->nodes; ++a) {
        entries += points[a].count;
    }
    LY_TRY(reserve_stencil(set, entries));
    start = set->start + (int64_t)set->count * type->nodes;
    bool same = set->count < set->built && set->keys[set->count] == key;
    for (int32_t a = 0; a < type->nodes; ++a) {
        int64_t at = start[a], end = at + points[a].count;
        same = same && start[a + 1] == end;
        for (int32_t k = 0; k < points[a].count; ++k) {
            double weight = points[a].weights ? points[a].weights[k] : 1;
            same = same && set->vertices[at + k] == points[a].vertices[k] &&
                   memcmp(&set->weights[at + k], &weight, sizeof weight) == 0;
            set->vertices[at + k] = points[a].vertices[k];
            set->weights[at + k] = weight;
        }
        start[a + 1] = end;
    }
    set->built = same ? set->built : -1;
    set->pair_start[set->count + 1] =
        set->pair_start[set->count] + count_pairs(set, start, &set->plain);
    for (int32_t i = 0; i < type->parameter_count; ++i) {
        set->parameters[(int64_t)set->count * type->parameter_count + i] = parameters[i];
    }
    set->keys[set->count++] = key;
    set->finished = false;
    return LYRA_OK;
}

LyraStencilSetView lyra_stencil_set_view(const LyraStencilSet *set)
{
    return (LyraStencilSetView){
        .count = set->count,
        .nodes = set->type->nodes,
        .keys = set->keys,
        .start = set->start,
        .vertices = set->vertices,
        .weights = set->weights,
        .parameters = set->parameters,
    };
}

LyStencilPairs ly_stencil_set_pairs(const LyraStencilSet *set)
{
    LYRA_ASSERT(set->finished);
    return (LyStencilPairs){.count = set->pair_count, .pairs = set->pairs};
}

// ---- telling stencils apart ---------------------------------------------------------------------

uint64_t ly_stencil_set_checksum(const LyraStencilSet *set)
{
    int64_t points = (int64_t)set->count * set->type->nodes;
    uint64_t sum = ly_checksum(LY_CHECKSUM_START, &points, 1);
    sum = ly_checksum(sum, set->keys, set->count);
    sum = ly_checksum(sum, set->parameters, (int64_t)set->count * set->type->parameter_count);
    // the first vertex of a point has their number beside it
    for (int64_t p = 0; p < points; ++p) {
        uint64_t head = (uint64_t)(set->start[p + 1] - set->start[p]) << 32;
        for (int64_t e = set->start[p]; e < set->start[p + 1]; ++e) {
            uint64_t word = head | (uint32_t)set->vertices[e];
            sum = ly_checksum(sum, &word, 1);
            head = 0;
        }
    }
    return ly_checksum(sum, set->weights, set->start[points]);
}

// first of the sorted items whose key is not below `key`
static int32_t lower_bound(const LyRadixItem *items, int32_t count, uint64_t key)
{
    int32_t low = 0, high = count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (items[middle].key < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

LyraStatus ly_stencil_set_match(LyraStencilSet *set, int32_t old_count, const uint64_t *old_keys,
                                int32_t *from)
{
    // keys of a finished set with history are distinct
    bool distinct = set->finished && set->type->history_count > 0;
    if (set->count == 0 || old_count == 0 ||
        (distinct && set->count == old_count &&
         memcmp(set->keys, old_keys, (size_t)old_count * sizeof *old_keys) == 0)) {
        for (int32_t s = 0; s < set->count; ++s) {
            from[s] = old_count > 0 ? s : -1;
        }
        return LYRA_OK;
    }
    LY_TRY(ly_radix_reserve(set->ctx, old_count, &set->sort));
    LyRadixItem *items = set->sort.items;
    for (int32_t i = 0; i < old_count; ++i) {
        items[i] = (LyRadixItem){old_keys[i], (uint32_t)i};
    }
    ly_radix_sort(set->ctx, old_count, 64, &set->sort);
    items = set->sort.items;
    for (int32_t s = 0; s < set->count; ++s) {
        int32_t at = lower_bound(items, old_count, set->keys[s]);
        bool found = at < old_count && items[at].key == set->keys[s];
        from[s] = found ? (int32_t)items[at].value : -1;
    }
    return LYRA_OK;
}
