// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Building an assembly: an order of the vertices, a tree of vertex ranges, and for each force its
// stencils in batches with the places of their blocks.

#include "force/force.h"

#include "lyra/reorder.h"

#include <math.h>
#include <string.h>

#define WIDTH LYRA_BATCH_WIDTH

// vertices of a leaf, at least: enough work for a task, few enough to stay in the second-level
// cache
#define LEAF_VERTICES 512
#define LEVELS_MAX 16

// stencils are shuffled in windows, so that neighbours, which add to the same blocks, don't wait
// for one another's stores
#define WINDOW 32

static LyTree make_tree(int32_t vertex_count)
{
    LyTree tree = {.vertex_count = vertex_count, .levels = 1};
    while (tree.levels < LEVELS_MAX && (vertex_count >> tree.levels) >= LEAF_VERTICES) {
        ++tree.levels;
    }
    tree.node_count = (1 << tree.levels) - 1;
    return tree;
}

// leaf of an internal place: the inverse of ly_tree_leaf_begin
static int32_t find_leaf(const LyTree *tree, int32_t place)
{
    int32_t leaves = 1 << (tree->levels - 1);
    int32_t each = tree->vertex_count / leaves, rest = tree->vertex_count % leaves;
    int32_t long_part = rest * (each + 1);
    return place < long_part ? place / (each + 1) : rest + (place - long_part) / each;
}

// smallest node of the tree that holds both places
static int32_t find_node(const LyTree *tree, int32_t low, int32_t high)
{
    int32_t a = find_leaf(tree, low), b = find_leaf(tree, high), level = 0;
    while (a != b) {
        a >>= 1;
        b >>= 1;
        ++level;
    }
    return ly_tree_level_begin(tree, level) + a;
}

// ---- one force ----------------------------------------------------------------------------------

// what sorting a force's stencils needs, released when its batches stand
typedef struct Sorting {
    int32_t *ids;        // [stencil][nodes], internal places, ascending where the type allows
    int32_t *order;      // [stencil][nodes], local node that stands at each place of ids
    int32_t *node;       // [stencil], node of the tree
    int32_t *low;        // [stencil], lowest vertex
    int32_t *sequence;   // [stencil], stencils in their final order
    int32_t *buffer;     // [stencil]
    int32_t *start;      // [max(vertices, tree nodes) + 2]
    int32_t slot_count;  // with the diagonal
    int32_t *slots;      // [stencil][slot_count], in the order of `sequence`
    int32_t *sorted_ids; // [stencil][nodes], in the order of `sequence`
} Sorting;

static void release_sorting(LyraContext *ctx, Sorting *s)
{
    ly_release(ctx, s->ids);
    ly_release(ctx, s->order);
    ly_release(ctx, s->node);
    ly_release(ctx, s->low);
    ly_release(ctx, s->sequence);
    ly_release(ctx, s->buffer);
    ly_release(ctx, s->start);
    ly_release(ctx, s->slots);
    ly_release(ctx, s->sorted_ids);
}

static LyraStatus allocate_sorting(LyraContext *ctx, const LyraForce *force, const LyTree *tree,
                                   Sorting *s)
{
    int64_t stencils = force->stencil_count, nodes = force->type->nodes;
    int64_t keys = ly_max_i64(tree->vertex_count, tree->node_count);
    LY_TRY(ly_allocate_array(ctx, stencils * nodes, sizeof *s->ids, &s->ids));
    LY_TRY(ly_allocate_array(ctx, stencils * nodes, sizeof *s->order, &s->order));
    LY_TRY(ly_allocate_array(ctx, stencils, sizeof *s->node, &s->node));
    LY_TRY(ly_allocate_array(ctx, stencils, sizeof *s->low, &s->low));
    LY_TRY(ly_allocate_array(ctx, stencils, sizeof *s->sequence, &s->sequence));
    LY_TRY(ly_allocate_array(ctx, stencils, sizeof *s->buffer, &s->buffer));
    LY_TRY(ly_allocate_array(ctx, keys + 2, sizeof *s->start, &s->start));
    LY_TRY(ly_allocate_array(ctx, stencils * s->slot_count, sizeof *s->slots, &s->slots));
    return ly_allocate_array(ctx, stencils * nodes, sizeof *s->sorted_ids, &s->sorted_ids);
}

// stable counting sort of `from` by key[from[i]] in [0, key_count)
static void sort_by_key(int32_t count, const int32_t *from, const int32_t *key, int32_t key_count,
                        int32_t *start, int32_t *to)
{
    memset(start, 0, ((size_t)key_count + 1) * sizeof *start);
    for (int32_t i = 0; i < count; ++i) {
        ++start[key[from[i]] + 1];
    }
    for (int32_t k = 0; k < key_count; ++k) {
        start[k + 1] += start[k];
    }
    for (int32_t i = 0; i < count; ++i) {
        to[start[key[from[i]]]++] = from[i];
    }
}

// nodes of each stencil by internal place, its lowest vertex and its node of the tree
static void place_stencils(const LyraForce *force, const LyTree *tree, const int32_t *place,
                           Sorting *s)
{
    int32_t nodes = force->type->nodes;
    bool reorderable = force->type->traits & LYRA_FORCE_REORDERABLE;
    for (int32_t e = 0; e < force->stencil_count; ++e) {
        const int32_t *stencil = force->stencils + (int64_t)e * nodes;
        int32_t *ids = s->ids + (int64_t)e * nodes, *order = s->order + (int64_t)e * nodes;
        int32_t low = INT32_MAX, high = -1;
        for (int32_t a = 0; a < nodes; ++a) {
            int32_t id = place[stencil[a]], at = a;
            // insertion keeps them ascending
            for (; reorderable && at > 0 && ids[at - 1] > id; --at) {
                ids[at] = ids[at - 1];
                order[at] = order[at - 1];
            }
            ids[at] = id;
            order[at] = a;
            low = id < low ? id : low;
            high = id > high ? id : high;
        }
        s->low[e] = low;
        s->node[e] = find_node(tree, low, high);
    }
}

static void shuffle_window(int32_t *sequence, int32_t count)
{
    // a fixed sequence of a linear congruential generator
    uint32_t random = 12345;
    for (int32_t i = count - 1; i > 0; --i) {
        random = random * 1664525u + 1013904223u;
        int32_t j = (int32_t)(((uint64_t)random * (uint64_t)(i + 1)) >> 32);
        int32_t swap = sequence[i];
        sequence[i] = sequence[j];
        sequence[j] = swap;
    }
}

// by node of the tree, in it by lowest vertex, then shuffled in windows; leaves start[k] the end of
// the stencils of node k
static void sort_stencils(int32_t count, const LyTree *tree, Sorting *s)
{
    for (int32_t e = 0; e < count; ++e) {
        s->buffer[e] = e;
    }
    sort_by_key(count, s->buffer, s->low, tree->vertex_count, s->start, s->sequence);
    memcpy(s->buffer, s->sequence, (size_t)count * sizeof *s->buffer);
    sort_by_key(count, s->buffer, s->node, tree->node_count, s->start, s->sequence);
    int32_t begin = 0;
    for (int32_t node = 0; node < tree->node_count; ++node) {
        int32_t end = s->start[node];
        for (; begin < end; begin += WINDOW) {
            shuffle_window(s->sequence + begin, begin + WINDOW < end ? WINDOW : end - begin);
        }
        begin = end;
    }
}

// [stencil][n] values of one stencil into lane `lane` of a batch's [n][WIDTH]
static void store_lane_i32(int32_t n, const int32_t *from, int32_t *batch, int32_t lane)
{
    for (int32_t i = 0; i < n; ++i) {
        batch[i * WIDTH + lane] = from[i];
    }
}

static void store_lane(int32_t n, const double *from, double *batch, int32_t lane)
{
    for (int32_t i = 0; i < n; ++i) {
        batch[i * WIDTH + lane] = from[i];
    }
}

static LyraStatus allocate_batches(LyraContext *ctx, LyBatches *b, const LyTree *tree,
                                   const Sorting *s)
{
    const LyraForceType *type = b->force->type;
    LY_TRY(ly_allocate_array(ctx, (int64_t)tree->node_count + 1, sizeof *b->begin, &b->begin));
    int64_t batch_count = 0;
    int32_t begin = 0;
    for (int32_t node = 0; node < tree->node_count; ++node) {
        b->begin[node] = (int32_t)batch_count;
        batch_count += (s->start[node] - begin + WIDTH - 1) / WIDTH;
        begin = s->start[node];
    }
    b->begin[tree->node_count] = b->batch_count = (int32_t)batch_count;
    int64_t lanes = batch_count * WIDTH;
    LY_TRY(ly_allocate_array(ctx, batch_count, sizeof *b->count, &b->count));
    LY_TRY(ly_allocate_array(ctx, lanes, sizeof *b->element, &b->element));
    LY_TRY(ly_allocate_array(ctx, lanes * type->nodes, sizeof *b->vertex, &b->vertex));
    LY_TRY(ly_allocate_array(ctx, lanes * b->slot_count, sizeof *b->slot, &b->slot));
    LY_TRY(ly_allocate_array(ctx, lanes * type->constant_count, sizeof(double), &b->constants));
    return ly_allocate_array(ctx, lanes * type->parameter_count, sizeof(double), &b->parameters);
}

// slots of one stencil, with zero_sums those beside the diagonal
static void store_slots(LyBatches *b, bool zero_sums, const int32_t *from, int32_t *batch,
                        int32_t lane)
{
    if (!zero_sums) {
        store_lane_i32(b->slot_count, from, batch, lane);
        return;
    }
    // rows of the upper triangle begin with the diagonal
    int32_t nodes = b->force->type->nodes;
    for (int32_t a = 0; a < nodes; ++a) {
        int32_t count = nodes - 1 - a;
        store_lane_i32(count, from + 1, batch, lane);
        from += count + 1;
        batch += count * WIDTH;
    }
}

static void fill_lane(LyBatches *b, bool zero_sums, const Sorting *s, int32_t at, int32_t batch,
                      int32_t lane, double *constants)
{
    const LyraForce *force = b->force;
    const LyraForceType *type = force->type;
    int32_t e = s->sequence[at];
    b->element[(int64_t)batch * WIDTH + lane] = e;
    store_lane_i32(type->nodes, s->sorted_ids + (int64_t)at * type->nodes,
                   b->vertex + (int64_t)batch * type->nodes * WIDTH, lane);
    store_slots(b, zero_sums, s->slots + (int64_t)at * s->slot_count,
                b->slot + (int64_t)batch * b->slot_count * WIDTH, lane);
    store_lane(type->parameter_count, force->parameters + (int64_t)e * type->parameter_count,
               b->parameters + (int64_t)batch * type->parameter_count * WIDTH, lane);
    if (type->setup) {
        type->setup(force->self, e, s->order + (int64_t)e * type->nodes, constants);
        store_lane(type->constant_count, constants,
                   b->constants + (int64_t)batch * type->constant_count * WIDTH, lane);
    }
}

static void fill_batches(LyBatches *b, bool zero_sums, const LyTree *tree, const Sorting *s,
                         double *constants)
{
    int32_t at = 0, batch = 0;
    for (int32_t node = 0; node < tree->node_count; ++node) {
        for (; at < s->start[node]; ++batch) {
            int32_t live = s->start[node] - at < WIDTH ? s->start[node] - at : WIDTH;
            b->count[batch] = live;
            for (int32_t lane = 0; lane < WIDTH; ++lane) {
                // lanes past the last live one repeat it
                int32_t from = at + (lane < live ? lane : live - 1);
                fill_lane(b, zero_sums, s, from, batch, lane, constants);
            }
            at += live;
        }
    }
}

void ly_batches_set_stride(LyBatches *b)
{
    int64_t each = (int64_t)b->force->type->parameter_count * WIDTH;
    b->parameter_stride = 0;
    for (int64_t i = 0; i < b->batch_count * each; ++i) {
        // lane 0 of the same parameter in the first batch
        if (b->parameters[i] != b->parameters[i % each / WIDTH * WIDTH]) {
            b->parameter_stride = each;
            return;
        }
    }
}

static LyraStatus build_batches(LyraAssembly *assembly, const int32_t *place, LyBatches *b)
{
    LyraContext *ctx = assembly->ctx;
    const LyraForce *force = b->force;
    const LyTree *tree = &assembly->tree;
    int32_t nodes = force->type->nodes;
    LyraStorage storage = assembly->symmetric ? LYRA_STORAGE_UPPER : LYRA_STORAGE_FULL;
    Sorting s = {.slot_count = lyra_stencil_slot_count(storage, nodes)};
    b->slot_count = assembly->zero_sums ? s.slot_count - nodes : s.slot_count;
    double *constants = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(allocate_sorting(ctx, force, tree, &s));
    LY_TRY_DONE(ly_allocate_array(ctx, force->type->constant_count, sizeof *constants, &constants));
    place_stencils(force, tree, place, &s);
    sort_stencils(force->stencil_count, tree, &s);
    for (int32_t i = 0; i < force->stencil_count; ++i) {
        memcpy(s.sorted_ids + (int64_t)i * nodes, s.ids + (int64_t)s.sequence[i] * nodes,
               (size_t)nodes * sizeof *s.ids);
    }
    LyraStencils stencils = {.nodes = nodes, .count = force->stencil_count, .ids = s.sorted_ids};
    LY_TRY_DONE(lyra_block_pattern_slots(assembly->pattern, &stencils, s.slots));
    LY_TRY_DONE(allocate_batches(ctx, b, tree, &s));
    fill_batches(b, assembly->zero_sums, tree, &s, constants);
    ly_batches_set_stride(b);
    b->history_begin = assembly->history_size;
    assembly->history_size += (int64_t)b->batch_count * force->type->history_count * WIDTH;
done:
    release_sorting(ctx, &s);
    ly_release(ctx, constants);
    return status;
}

// ---- the whole ----------------------------------------------------------------------------------

static LyraStatus check_forces(int32_t vertex_count, int32_t force_count, LyraForce *const *forces)
{
    if (vertex_count < 0 || force_count < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "assembly: %d vertices and %d forces", vertex_count,
                       force_count);
    }
    for (int32_t f = 0; f < force_count; ++f) {
        int64_t ids = (int64_t)forces[f]->stencil_count * forces[f]->type->nodes;
        for (int64_t i = 0; i < ids; ++i) {
            if (forces[f]->stencils[i] >= vertex_count) {
                return ly_fail(LYRA_INVALID_ARGUMENT,
                               "assembly: force %s has vertex %d, expected 0 to %d",
                               forces[f]->type->name, forces[f]->stencils[i], vertex_count - 1);
            }
        }
    }
    return LYRA_OK;
}

// what an assembly is made of
typedef struct Parts {
    const double *positions;
    LyraForce *const *forces;
    int64_t pair_count; // of vertices that the pattern is to hold besides
    const int32_t *pairs;
} Parts;

// pattern over all forces, and pairs, in the internal order
static LyraStatus build_pattern(LyraAssembly *assembly, const Parts *parts, const int32_t *place)
{
    LyraContext *ctx = assembly->ctx;
    int32_t force_count = assembly->force_count, set_count = force_count + 1;
    LyraStencils *sets = NULL;
    int32_t **ids = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, set_count, sizeof *sets, &sets));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, set_count, sizeof *ids, &ids));
    for (int32_t s = 0; s < set_count; ++s) {
        const LyraForce *force = s < force_count ? parts->forces[s] : NULL;
        int32_t nodes = force ? force->type->nodes : 2;
        int64_t count = force ? force->stencil_count : parts->pair_count;
        const int32_t *vertices = force ? force->stencils : parts->pairs;
        LY_TRY_DONE(ly_allocate_array(ctx, count * nodes, sizeof **ids, &ids[s]));
        for (int64_t i = 0; i < count * nodes; ++i) {
            ids[s][i] = place[vertices[i]];
        }
        sets[s] = (LyraStencils){.nodes = nodes, .count = count, .ids = ids[s]};
    }
    LY_TRY_DONE(lyra_block_pattern_create(
        ctx, assembly->vertex_count, assembly->symmetric ? LYRA_STORAGE_UPPER : LYRA_STORAGE_FULL,
        set_count, sets, &assembly->pattern));
done:
    for (int32_t s = 0; ids && s < set_count; ++s) {
        ly_release(ctx, ids[s]);
    }
    ly_release(ctx, ids);
    ly_release(ctx, sets);
    return status;
}

// blocks above the diagonal column by column
static LyraStatus build_diagonal(LyraAssembly *assembly)
{
    LyraContext *ctx = assembly->ctx;
    LyDiagonal *d = &assembly->diagonal;
    LyraBlockPatternView pattern = lyra_block_pattern_view(assembly->pattern);
    int32_t n = pattern.row_count;
    d->row_start = pattern.row_start;
    LY_TRY(ly_allocate_zeroed(ctx, (int64_t)n + 2, sizeof *d->column_start, &d->column_start));
    LY_TRY(
        ly_allocate_array(ctx, pattern.block_count - n, sizeof *d->column_block, &d->column_block));
    // counts two places ahead, so that filling leaves the beginnings
    int64_t *start = d->column_start + 1;
    for (int32_t row = 0; row < n; ++row) {
        for (int64_t k = pattern.row_start[row] + 1; k < pattern.row_start[row + 1]; ++k) {
            ++start[pattern.column[k] + 1];
        }
    }
    for (int32_t column = 0; column < n; ++column) {
        start[column + 1] += start[column];
    }
    for (int32_t row = 0; row < n; ++row) {
        for (int64_t k = pattern.row_start[row] + 1; k < pattern.row_start[row + 1]; ++k) {
            d->column_block[start[pattern.column[k]]++] = (int32_t)k;
        }
    }
    return LYRA_OK;
}

// rest positions, their middle, and room for what forces see of places
static LyraStatus build_places(LyraAssembly *assembly, const Parts *parts)
{
    LyraContext *ctx = assembly->ctx;
    int32_t n = assembly->vertex_count;
    LY_TRY(ly_allocate_array(ctx, 3 * (int64_t)n, sizeof(double), &assembly->rest));
    for (int i = 0; i < 3; ++i) {
        double low = INFINITY, high = -INFINITY;
        for (int32_t k = 0; k < n; ++k) {
            double x = parts->positions[3 * (int64_t)assembly->order[k] + i];
            assembly->rest[3 * (int64_t)k + i] = x;
            low = fmin(low, x);
            high = fmax(high, x);
        }
        assembly->middle[i] = n > 0 ? 0.5 * low + 0.5 * high : 0;
    }
    for (int32_t f = 0; f < assembly->force_count; ++f) {
        double **places = &assembly->places[ly_force_place(parts->forces[f]->type)];
        if (!*places) {
            LY_TRY(ly_allocate_zeroed(ctx, 4 * (int64_t)n, sizeof(double), places));
        }
    }
    return LYRA_OK;
}

static LyraStatus build(LyraAssembly *assembly, const Parts *parts)
{
    LyraContext *ctx = assembly->ctx;
    int32_t n = assembly->vertex_count, *place = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, n, sizeof *assembly->order, &assembly->order));
    LY_TRY_DONE(ly_allocate_array(ctx, n, sizeof *place, &place));
    LY_TRY_DONE(lyra_reorder_hilbert(ctx, n, parts->positions, assembly->order));
    for (int32_t i = 0; i < n; ++i) {
        place[assembly->order[i]] = i;
    }
    LY_TRY_DONE(build_pattern(assembly, parts, place));
    if (assembly->zero_sums) {
        LY_TRY_DONE(build_diagonal(assembly));
    }
    LY_TRY_DONE(ly_allocate_zeroed(ctx, assembly->force_count, sizeof *assembly->batches,
                                   &assembly->batches));
    size_t scratch = 0;
    bool viscous = false;
    for (int32_t f = 0; f < assembly->force_count; ++f) {
        assembly->batches[f].force = parts->forces[f];
        LY_TRY_DONE(build_batches(assembly, place, &assembly->batches[f]));
        size_t bytes = parts->forces[f]->type->scratch_bytes;
        scratch = bytes > scratch ? bytes : scratch;
        viscous = viscous || parts->forces[f]->type->traits & LYRA_FORCE_VELOCITY;
    }
    LY_TRY_DONE(build_places(assembly, parts));
    if (viscous) {
        LY_TRY_DONE(ly_allocate_zeroed(ctx, 4 * (int64_t)n, sizeof(double), &assembly->v));
    }
    LY_TRY_DONE(ly_allocate_zeroed(ctx, 4 * (int64_t)n, sizeof(double), &assembly->gradient));
    LY_TRY_DONE(
        ly_allocate_zeroed(ctx, assembly->tree.node_count, sizeof(double), &assembly->energy));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, assembly->tree.node_count, sizeof *assembly->arrivals,
                                   &assembly->arrivals));
    int32_t threads = lyra_context_thread_count(ctx);
    LY_TRY_DONE(ly_allocate_zeroed(ctx, threads, sizeof(void *), &assembly->arenas));
    for (int32_t t = 0; t < threads; ++t) {
        LY_TRY_DONE(ly_arena_create(ctx, ly_run_scratch() + scratch, &assembly->arenas[t]));
    }
done:
    ly_release(ctx, place);
    return status;
}

LyraStatus lyra_assembly_create(LyraContext *ctx, int32_t vertex_count, const double *positions,
                                int32_t force_count, LyraForce *const *forces, LyraAssembly **out)
{
    return ly_assembly_create(ctx, vertex_count, positions, force_count, forces, 0, NULL, out);
}

LyraStatus ly_assembly_create(LyraContext *ctx, int32_t vertex_count, const double *positions,
                              int32_t force_count, LyraForce *const *forces, int64_t pair_count,
                              const int32_t *pairs, LyraAssembly **out)
{
    LY_TRY(check_forces(vertex_count, force_count, forces));
    LyraAssembly *assembly = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *assembly, &assembly));
    assembly->ctx = ctx;
    assembly->vertex_count = vertex_count;
    assembly->force_count = force_count;
    assembly->tree = make_tree(vertex_count);
    uint32_t traits = LYRA_FORCE_SYMMETRIC | LYRA_FORCE_TRANSLATION_INVARIANT;
    for (int32_t f = 0; f < force_count; ++f) {
        traits &= forces[f]->type->traits;
    }
    assembly->symmetric = traits & LYRA_FORCE_SYMMETRIC;
    assembly->zero_sums = assembly->symmetric && traits & LYRA_FORCE_TRANSLATION_INVARIANT;
    pthread_mutex_init(&assembly->lock, NULL);
    Parts parts = {positions, forces, pair_count, pairs};
    LyraStatus status = build(assembly, &parts);
    if (status != LYRA_OK) {
        lyra_assembly_destroy(assembly);
        return status;
    }
    *out = assembly;
    return LYRA_OK;
}

void lyra_assembly_destroy(LyraAssembly *assembly)
{
    if (!assembly) {
        return;
    }
    LyraContext *ctx = assembly->ctx;
    for (int32_t f = 0; assembly->batches && f < assembly->force_count; ++f) {
        LyBatches *b = &assembly->batches[f];
        ly_release(ctx, b->begin);
        ly_release(ctx, b->count);
        ly_release(ctx, b->element);
        ly_release(ctx, b->vertex);
        ly_release(ctx, b->slot);
        ly_release(ctx, b->constants);
        ly_release(ctx, b->parameters);
    }
    for (int32_t t = 0; assembly->arenas && t < lyra_context_thread_count(ctx); ++t) {
        ly_arena_destroy(ctx, assembly->arenas[t]);
    }
    lyra_block_pattern_destroy(assembly->pattern);
    pthread_mutex_destroy(&assembly->lock);
    ly_release(ctx, assembly->arenas);
    ly_release(ctx, assembly->batches);
    ly_release(ctx, assembly->order);
    for (LyPlace place = 0; place < LY_PLACES; ++place) {
        ly_release(ctx, assembly->places[place]);
    }
    ly_release(ctx, assembly->rest);
    ly_release(ctx, assembly->v);
    ly_release(ctx, assembly->gradient);
    ly_release(ctx, assembly->directions);
    ly_release(ctx, assembly->energy);
    ly_release(ctx, assembly->arrivals);
    ly_release(ctx, assembly->diagonal.column_start);
    ly_release(ctx, assembly->diagonal.column_block);
    ly_release(ctx, assembly);
}

const LyraBlockPattern *lyra_assembly_pattern(const LyraAssembly *assembly)
{
    return assembly->pattern;
}

const int32_t *lyra_assembly_order(const LyraAssembly *assembly)
{
    return assembly->order;
}

int64_t lyra_assembly_history_size(const LyraAssembly *assembly)
{
    return assembly->history_size;
}
