// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Building an assembly: an order of the vertices, a tree of vertex ranges, and for each force its
// stencils in batches with the places of their blocks.

#include "force/force.h"
#include "force/nodal.h"

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

static LyRangeTree make_tree(int32_t vertex_count)
{
    LyRangeTree tree = {.vertex_count = vertex_count, .levels = 1};
    while (tree.levels < LEVELS_MAX && (vertex_count >> tree.levels) >= LEAF_VERTICES) {
        ++tree.levels;
    }
    tree.node_count = (1 << tree.levels) - 1;
    return tree;
}

// leaf of an internal place: the inverse of ly_range_tree_leaf_begin
static int32_t find_leaf(const LyRangeTree *tree, int32_t place)
{
    int32_t leaves = 1 << (tree->levels - 1);
    int32_t each = tree->vertex_count / leaves, rest = tree->vertex_count % leaves;
    int32_t long_part = rest * (each + 1);
    return place < long_part ? place / (each + 1) : rest + (place - long_part) / each;
}

// smallest node of the tree that holds both places
static int32_t find_node(const LyRangeTree *tree, int32_t low, int32_t high)
{
    int32_t a = find_leaf(tree, low), b = find_leaf(tree, high), level = 0;
    while (a != b) {
        a >>= 1;
        b >>= 1;
        ++level;
    }
    return ly_range_tree_level_begin(tree, level) + a;
}

// ---- the order of stencils ----------------------------------------------------------------------

// Stencils of all forces, one force after another: sorted together, so that many small forces cost
// as much as a large one.
typedef struct Sequence {
    int64_t *first;         // of each force, [force_count + 1]
    int32_t *node;          // [stencil], node of the tree
    int32_t *key, *scratch; // [stencil]
    int32_t *start;         // [max(vertices, tree nodes, forces) + 1]
    int32_t *order;         // [stencil], by force, in it by node, in it by lowest vertex
    int64_t run_count, run_capacity;
    int32_t *run_node; // [run]
    LyNodeRun *runs;   // by force, in it by node
} Sequence;

static void release_sequence(LyraContext *ctx, Sequence *s)
{
    ly_release(ctx, s->first);
    ly_release(ctx, s->node);
    ly_release(ctx, s->key);
    ly_release(ctx, s->scratch);
    ly_release(ctx, s->start);
    ly_release(ctx, s->order);
    ly_release(ctx, s->run_node);
    ly_release(ctx, s->runs);
}

static LyraStatus allocate_sequence(LyraAssembly *assembly, Sequence *s)
{
    LyraContext *ctx = assembly->ctx;
    int32_t forces = assembly->force_count;
    LY_TRY(ly_allocate_array(ctx, (int64_t)forces + 1, sizeof *s->first, &s->first));
    s->first[0] = 0;
    for (int32_t f = 0; f < forces; ++f) {
        s->first[f + 1] = s->first[f] + assembly->batches[f].force->stencil_count;
    }
    int64_t total = s->first[forces];
    if (total > INT32_MAX) {
        return ly_fail(LYRA_TOO_LARGE, "assembly: %lld stencils, more than %d", (long long)total,
                       INT32_MAX);
    }
    int64_t keys = ly_max_i64(assembly->vertex_count, assembly->tree.node_count);
    keys = ly_max_i64(keys, forces);
    LY_TRY(ly_allocate_array(ctx, total, sizeof *s->node, &s->node));
    LY_TRY(ly_allocate_array(ctx, total, sizeof *s->key, &s->key));
    LY_TRY(ly_allocate_array(ctx, total, sizeof *s->scratch, &s->scratch));
    LY_TRY(ly_allocate_array(ctx, keys + 1, sizeof *s->start, &s->start));
    return ly_allocate_array(ctx, total, sizeof *s->order, &s->order);
}

// lowest vertex of each stencil of a force, and its node of the tree
static void find_nodes(const LyBatches *b, const LyRangeTree *tree, const int32_t *place,
                       int32_t *lowest, int32_t *node)
{
    int32_t nodes = b->force->type->nodes;
    for (int32_t e = 0; e < b->force->stencil_count; ++e) {
        const int32_t *stencil = b->force->stencils + (int64_t)e * nodes;
        int32_t low = INT32_MAX, high = -1;
        for (int32_t a = 0; a < nodes; ++a) {
            int32_t id = place[b->first + stencil[a]];
            low = id < low ? id : low;
            high = id > high ? id : high;
        }
        lowest[e] = low;
        node[e] = find_node(tree, low, high);
    }
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

static LyraStatus make_sequence(LyraAssembly *assembly, Sequence *s)
{
    const LyRangeTree *tree = &assembly->tree;
    int32_t forces = assembly->force_count;
    LY_TRY(allocate_sequence(assembly, s));
    int32_t total = (int32_t)s->first[forces];
    for (int32_t f = 0; f < forces; ++f) {
        find_nodes(&assembly->batches[f], tree, assembly->place, s->key + s->first[f],
                   s->node + s->first[f]);
    }
    for (int32_t i = 0; i < total; ++i) {
        s->order[i] = i;
    }
    sort_by_key(total, s->order, s->key, tree->vertex_count, s->start, s->scratch);
    sort_by_key(total, s->scratch, s->node, tree->node_count, s->start, s->order);
    if (forces > 1) {
        for (int32_t f = 0; f < forces; ++f) {
            for (int64_t i = s->first[f]; i < s->first[f + 1]; ++i) {
                s->key[i] = f;
            }
        }
        memcpy(s->scratch, s->order, (size_t)total * sizeof *s->scratch);
        sort_by_key(total, s->scratch, s->key, forces, s->start, s->order);
    }
    return LYRA_OK;
}

static LyraStatus add_run(LyraContext *ctx, Sequence *s, int32_t node, LyNodeRun run)
{
    if (s->run_count == s->run_capacity) {
        int64_t capacity = s->run_capacity ? 2 * s->run_capacity : 256;
        LY_TRY(ly_resize_array(ctx, capacity, sizeof *s->run_node, &s->run_node));
        LY_TRY(ly_resize_array(ctx, capacity, sizeof *s->runs, &s->runs));
        s->run_capacity = capacity;
    }
    s->run_node[s->run_count] = node;
    s->runs[s->run_count++] = run;
    return LYRA_OK;
}

// the runs, which come force by force, node by node
static LyraStatus sort_runs(LyraAssembly *assembly, const Sequence *s)
{
    LyraContext *ctx = assembly->ctx;
    int32_t nodes = assembly->tree.node_count;
    int64_t *start = NULL;
    // counts two places ahead, so that filling leaves the beginnings
    LY_TRY(ly_allocate_zeroed(ctx, (int64_t)nodes + 2, sizeof *start, &start));
    assembly->run_start = start;
    LY_TRY(ly_allocate_array(ctx, s->run_count, sizeof *assembly->runs, &assembly->runs));
    for (int64_t r = 0; r < s->run_count; ++r) {
        ++start[s->run_node[r] + 2];
    }
    for (int32_t node = 0; node < nodes; ++node) {
        start[node + 2] += start[node + 1];
    }
    for (int64_t r = 0; r < s->run_count; ++r) {
        assembly->runs[start[s->run_node[r] + 1]++] = s->runs[r];
    }
    return LYRA_OK;
}

// ---- one force ----------------------------------------------------------------------------------

// what making a force's batches needs, released when they stand
typedef struct Sorting {
    int32_t *ids;        // [stencil][nodes], internal places, ascending where the type allows
    int32_t *order;      // [stencil][nodes], local node that stands at each place of ids
    const int32_t *node; // [stencil], node of the tree
    int32_t *sequence;   // [stencil], stencils in their final order
    int32_t slot_count;  // with the diagonal
    int32_t *slots;      // [stencil][slot_count], in the order of `sequence`
    int32_t *sorted_ids; // [stencil][nodes], in the order of `sequence`
    double *constants;   // of one stencil
} Sorting;

static void release_sorting(LyraContext *ctx, Sorting *s)
{
    ly_release(ctx, s->ids);
    ly_release(ctx, s->order);
    ly_release(ctx, s->slots);
    ly_release(ctx, s->sorted_ids);
    ly_release(ctx, s->constants);
}

static LyraStatus allocate_sorting(LyraContext *ctx, const LyraForce *force, Sorting *s)
{
    int64_t stencils = force->stencil_count, nodes = force->type->nodes;
    LY_TRY(ly_allocate_array(ctx, stencils * nodes, sizeof *s->ids, &s->ids));
    LY_TRY(ly_allocate_array(ctx, stencils * nodes, sizeof *s->order, &s->order));
    LY_TRY(ly_allocate_array(ctx, stencils * s->slot_count, sizeof *s->slots, &s->slots));
    LY_TRY(ly_allocate_array(ctx, stencils * nodes, sizeof *s->sorted_ids, &s->sorted_ids));
    return ly_allocate_array(ctx, force->type->constant_count, sizeof *s->constants, &s->constants);
}

// nodes of each stencil by internal place
static void place_stencils(const LyBatches *b, const int32_t *place, Sorting *s)
{
    const LyraForce *force = b->force;
    int32_t nodes = force->type->nodes;
    bool reorderable = force->type->traits & LYRA_FORCE_REORDERABLE;
    for (int32_t e = 0; e < force->stencil_count; ++e) {
        const int32_t *stencil = force->stencils + (int64_t)e * nodes;
        int32_t *ids = s->ids + (int64_t)e * nodes, *order = s->order + (int64_t)e * nodes;
        for (int32_t a = 0; a < nodes; ++a) {
            int32_t id = place[b->first + stencil[a]], at = a;
            // insertion keeps them ascending
            for (; reorderable && at > 0 && ids[at - 1] > id; --at) {
                ids[at] = ids[at - 1];
                order[at] = order[at - 1];
            }
            ids[at] = id;
            order[at] = a;
        }
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

// end of the stencils of one node of the tree that begin at place `begin` of the sequence
static int32_t find_end(const Sorting *s, int32_t count, int32_t begin)
{
    int32_t end = begin + 1, node = s->node[s->sequence[begin]];
    while (end < count && s->node[s->sequence[end]] == node) {
        ++end;
    }
    return end;
}

// the runs of a force, with their stencils shuffled in windows
static LyraStatus make_runs(LyraContext *ctx, int32_t force, LyBatches *b, const Sorting *s,
                            Sequence *sequence)
{
    int32_t count = b->force->stencil_count;
    int64_t batch_count = 0;
    for (int32_t begin = 0, end; begin < count; begin = end) {
        end = find_end(s, count, begin);
        int32_t node = s->node[s->sequence[begin]];
        for (int32_t at = begin; at < end; at += WINDOW) {
            shuffle_window(s->sequence + at, at + WINDOW < end ? WINDOW : end - at);
        }
        int64_t batches = (end - begin + WIDTH - 1) / WIDTH;
        LyNodeRun run = {force, (int32_t)batch_count, (int32_t)(batch_count + batches)};
        LY_TRY(add_run(ctx, sequence, node, run));
        batch_count += batches;
    }
    b->batch_count = (int32_t)batch_count;
    return LYRA_OK;
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

static LyraStatus allocate_batches(LyraContext *ctx, LyBatches *b)
{
    const LyraForceType *type = b->force->type;
    int64_t batch_count = b->batch_count;
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
                      int32_t lane)
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
        type->setup(force->self, e, s->order + (int64_t)e * type->nodes, s->constants);
        store_lane(type->constant_count, s->constants,
                   b->constants + (int64_t)batch * type->constant_count * WIDTH, lane);
    }
}

static void fill_batches(LyBatches *b, bool zero_sums, const Sorting *s)
{
    int32_t at = 0, batch = 0, count = b->force->stencil_count;
    while (at < count) {
        for (int32_t end = find_end(s, count, at); at < end; ++batch) {
            int32_t live = end - at < WIDTH ? end - at : WIDTH;
            b->count[batch] = live;
            for (int32_t lane = 0; lane < WIDTH; ++lane) {
                // lanes past the last live one repeat it
                int32_t from = at + (lane < live ? lane : live - 1);
                fill_lane(b, zero_sums, s, from, batch, lane);
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

static LyraStatus build_batches(LyraAssembly *assembly, int32_t f, Sequence *sequence)
{
    LyraContext *ctx = assembly->ctx;
    LyBatches *b = &assembly->batches[f];
    const LyraForce *force = b->force;
    int32_t nodes = force->type->nodes;
    int64_t first = sequence->first[f];
    LyraStorage storage = assembly->symmetric ? LYRA_STORAGE_UPPER : LYRA_STORAGE_FULL;
    Sorting s = {.slot_count = lyra_stencil_slot_count(storage, nodes),
                 .node = sequence->node + first,
                 .sequence = sequence->order + first};
    b->slot_count = assembly->zero_sums ? s.slot_count - nodes : s.slot_count;
    LyraStatus status = LYRA_OK;
    for (int32_t i = 0; i < force->stencil_count; ++i) {
        s.sequence[i] -= (int32_t)first;
    }
    LY_TRY_DONE(allocate_sorting(ctx, force, &s));
    place_stencils(b, assembly->place, &s);
    LY_TRY_DONE(make_runs(ctx, f, b, &s, sequence));
    for (int32_t i = 0; i < force->stencil_count; ++i) {
        memcpy(s.sorted_ids + (int64_t)i * nodes, s.ids + (int64_t)s.sequence[i] * nodes,
               (size_t)nodes * sizeof *s.ids);
    }
    LyraStencils stencils = {.nodes = nodes, .count = force->stencil_count, .ids = s.sorted_ids};
    LY_TRY_DONE(lyra_block_pattern_slots(assembly->pattern, &stencils, s.slots));
    LY_TRY_DONE(allocate_batches(ctx, b));
    fill_batches(b, assembly->zero_sums, &s);
    ly_batches_set_stride(b);
    b->history_begin = assembly->history_size;
    assembly->history_size += (int64_t)b->batch_count * force->type->history_count * WIDTH;
done:
    release_sorting(ctx, &s);
    return status;
}

static LyraStatus build_all_batches(LyraAssembly *assembly)
{
    Sequence sequence = {0};
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(make_sequence(assembly, &sequence));
    for (int32_t f = 0; f < assembly->force_count; ++f) {
        LY_TRY_DONE(build_batches(assembly, f, &sequence));
    }
    LY_TRY_DONE(sort_runs(assembly, &sequence));
done:
    release_sequence(assembly->ctx, &sequence);
    return status;
}

// ---- the whole ----------------------------------------------------------------------------------

static LyraStatus check_forces(const LyAssemblyDef *def)
{
    if (def->vertex_count < 0 || def->force_count < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "assembly: %d vertices and %d forces",
                       def->vertex_count, def->force_count);
    }
    for (int32_t f = 0; f < def->force_count && !def->place; ++f) {
        const LyraForce *force = def->forces[f];
        int32_t limit = def->vertex_count - (def->first ? def->first[f] : 0);
        int64_t ids = (int64_t)force->stencil_count * force->type->nodes;
        for (int64_t i = 0; i < ids; ++i) {
            if (force->stencils[i] >= limit) {
                return ly_fail(LYRA_INVALID_ARGUMENT,
                               "assembly: force %s has vertex %d, expected 0 to %d", force->name,
                               force->stencils[i], limit - 1);
            }
        }
    }
    return LYRA_OK;
}

// pairs that are no stencils
typedef struct Pairs {
    int64_t count;
    int32_t *ids;
} Pairs;

// the stencils of all forces with `nodes` nodes, and pairs where that is 2, in internal places;
// `own`: further pairs, of internal places; `ids` NULL: counts them
static int64_t list_stencils(const LyPatternDef *def, const Pairs *own, int32_t nodes, int32_t *ids)
{
    int64_t count = nodes == 2 ? def->pair_count : 0;
    for (int64_t i = 0; ids && i < 2 * count; ++i) {
        ids[i] = def->place[def->pairs[i]];
    }
    for (int64_t i = 0; ids && nodes == 2 && i < 2 * own->count; ++i) {
        ids[2 * count + i] = own->ids[i];
    }
    count += nodes == 2 ? own->count : 0;
    for (int32_t f = 0; f < def->force_count; ++f) {
        const LyraForce *force = def->forces[f];
        if (force->type->nodes != nodes) {
            continue;
        }
        const int32_t *place = def->place + (def->first ? def->first[f] : 0);
        for (int64_t i = 0; ids && i < (int64_t)force->stencil_count * nodes; ++i) {
            ids[count * nodes + i] = place[force->stencils[i]];
        }
        count += force->stencil_count;
    }
    return count;
}

// forces whose stencils have as many nodes are one set: a set costs a pass over all rows
LyraStatus ly_force_pattern(LyraContext *ctx, const LyPatternDef *def, LyraBlockPattern **out)
{
    LyraStencils sets[LYRA_STENCIL_NODES_MAX];
    int32_t *ids[LYRA_STENCIL_NODES_MAX] = {NULL}, set_count = 0;
    Pairs own = {0};
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_nodal_pairs(ctx, def, &own.count, &own.ids));
    for (int32_t nodes = 1; nodes <= LYRA_STENCIL_NODES_MAX; ++nodes) {
        int64_t count = list_stencils(def, &own, nodes, NULL);
        if (count > 0) {
            LY_TRY_DONE(ly_allocate_array(ctx, count * nodes, sizeof **ids, &ids[set_count]));
            list_stencils(def, &own, nodes, ids[set_count]);
            sets[set_count] = (LyraStencils){.nodes = nodes, .count = count, .ids = ids[set_count]};
            ++set_count;
        }
    }
    LY_TRY_DONE(lyra_block_pattern_create(ctx, def->row_count,
                                          def->upper ? LYRA_STORAGE_UPPER : LYRA_STORAGE_FULL,
                                          set_count, sets, out));
done:
    for (int32_t s = 0; s < LYRA_STENCIL_NODES_MAX; ++s) {
        ly_release(ctx, ids[s]);
    }
    ly_release(ctx, own.ids);
    return status;
}

static LyraStatus build_pattern(LyraAssembly *assembly, const LyAssemblyDef *def)
{
    const LyPatternDef wanted = {.row_count = def->vertex_count,
                                 .upper = def->upper,
                                 .force_count = def->force_count,
                                 .forces = def->forces,
                                 .first = def->first,
                                 .place = assembly->place};
    LyraBlockPattern *pattern = NULL;
    LY_TRY(ly_force_pattern(assembly->ctx, &wanted, &pattern));
    assembly->pattern = pattern;
    return LYRA_OK;
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

// rest positions and their middle
static LyraStatus build_rest(LyraAssembly *assembly, const LyAssemblyDef *def)
{
    int32_t n = assembly->vertex_count;
    LY_TRY(ly_allocate_array(assembly->ctx, 3 * (int64_t)n, sizeof(double), &assembly->rest));
    for (int i = 0; i < 3; ++i) {
        double low = INFINITY, high = -INFINITY;
        for (int32_t k = 0; k < n; ++k) {
            double x = def->positions[3 * (int64_t)assembly->order[k] + i];
            assembly->rest[3 * (int64_t)k + i] = x;
            low = fmin(low, x);
            high = fmax(high, x);
        }
        assembly->middle[i] = def->middle ? def->middle[i] : n > 0 ? 0.5 * low + 0.5 * high : 0;
    }
    return LYRA_OK;
}

static LyraStatus build_order(LyraAssembly *assembly, const LyAssemblyDef *def)
{
    int32_t n = def->vertex_count, *order = NULL, *place = NULL;
    assembly->order = def->order;
    assembly->place = def->place;
    if (def->order) {
        return LYRA_OK;
    }
    LY_TRY(ly_allocate_array(assembly->ctx, n, sizeof *order, &order));
    assembly->order = order;
    LY_TRY(ly_allocate_array(assembly->ctx, n, sizeof *place, &place));
    assembly->place = place;
    LY_TRY(lyra_reorder_hilbert(assembly->ctx, n, def->positions, order));
    return lyra_permutation_invert(n, order, place);
}

static LyraStatus build_nodal(LyraAssembly *assembly)
{
    for (int32_t f = 0; f < assembly->force_count; ++f) {
        LyBatches *b = &assembly->batches[f];
        if (b->force->type->traits & LY_FORCE_NODAL) {
            LY_TRY(ly_nodal_create(assembly->ctx, assembly, f, &b->nodal));
        }
    }
    return LYRA_OK;
}

static LyraStatus build(LyraAssembly *assembly, const LyAssemblyDef *def)
{
    LY_TRY(build_order(assembly, def));
    LY_TRY(ly_allocate_zeroed(assembly->ctx, assembly->force_count, sizeof *assembly->batches,
                              &assembly->batches));
    for (int32_t f = 0; f < assembly->force_count; ++f) {
        assembly->batches[f].force = def->forces[f];
        assembly->batches[f].first = def->first ? def->first[f] : 0;
    }
    assembly->pattern = def->pattern;
    if (!def->pattern) {
        LY_TRY(build_pattern(assembly, def));
    }
    if (assembly->zero_sums) {
        LY_TRY(build_diagonal(assembly));
    }
    LY_TRY(build_all_batches(assembly));
    LY_TRY(build_nodal(assembly));
    for (int32_t f = 0; f < assembly->force_count; ++f) {
        size_t bytes = def->forces[f]->type->scratch_bytes;
        assembly->scratch_bytes = bytes > assembly->scratch_bytes ? bytes : assembly->scratch_bytes;
    }
    return build_rest(assembly, def);
}

// traits that all forces have
static uint32_t common_traits(int32_t force_count, LyraForce *const *forces)
{
    uint32_t traits = ~0u;
    for (int32_t f = 0; f < force_count; ++f) {
        traits &= forces[f]->type->traits;
    }
    return traits;
}

LyraStatus lyra_assembly_create(LyraContext *ctx, int32_t vertex_count, const double *positions,
                                int32_t force_count, LyraForce *const *forces, LyraAssembly **out)
{
    LyAssemblyDef def = {.vertex_count = vertex_count,
                         .positions = positions,
                         .force_count = force_count,
                         .forces = forces};
    def.upper = common_traits(force_count, forces) & LYRA_FORCE_SYMMETRIC;
    return ly_assembly_create(ctx, &def, out);
}

LyraStatus ly_assembly_create(LyraContext *ctx, const LyAssemblyDef *def, LyraAssembly **out)
{
    LY_TRY(check_forces(def));
    LyraAssembly *assembly = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *assembly, &assembly));
    assembly->ctx = ctx;
    assembly->vertex_count = def->vertex_count;
    assembly->force_count = def->force_count;
    assembly->tree = make_tree(def->vertex_count);
    uint32_t traits = common_traits(def->force_count, def->forces);
    assembly->symmetric = def->upper;
    assembly->zero_sums = def->upper && traits & LYRA_FORCE_TRANSLATION_INVARIANT;
    assembly->lent_order = def->order != NULL;
    assembly->lent_pattern = def->pattern != NULL;
    assembly->compact = def->compact;
    pthread_mutex_init(&assembly->lock, NULL);
    LyraStatus status = build(assembly, def);
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
        ly_release(ctx, b->count);
        ly_release(ctx, b->element);
        ly_release(ctx, b->vertex);
        ly_release(ctx, b->slot);
        ly_release(ctx, b->constants);
        ly_release(ctx, b->parameters);
        ly_nodal_destroy(ctx, b->nodal);
    }
    if (!assembly->lent_pattern) {
        lyra_block_pattern_destroy((LyraBlockPattern *)assembly->pattern);
    }
    if (!assembly->lent_order) {
        ly_release(ctx, (int32_t *)assembly->order);
        ly_release(ctx, (int32_t *)assembly->place);
    }
    ly_assembly_work_destroy(assembly->shared);
    pthread_mutex_destroy(&assembly->lock);
    ly_release(ctx, assembly->batches);
    ly_release(ctx, assembly->run_start);
    ly_release(ctx, assembly->runs);
    ly_release(ctx, assembly->rest);
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
