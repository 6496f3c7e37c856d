// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Preparing a set of stencils for evaluations: batches, distinct targets, and the contributions to
// each. Contributions are written in the order of the set, sorted by target, and dealt to the
// chunks of their stencils, both stably: a chunk has them by target, and those of one target in the
// order of the set.

#include "force/changing.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define WIDTH LYRA_BATCH_WIDTH

// stencils and contributions that are worth waking a thread for
#define STENCIL_GRAIN 1024
#define DEAL_GRAIN 8192
#define PIECES_MAX 32

// ---- batches ------------------------------------------------------------------------------------

// what the kernel sees of a point at rest
static void place_point(const LyraStencilSet *set, int64_t point, double out[3])
{
    bool near = ly_force_place(set->type) == LY_PLACE_NEAR;
    const double *w = set->weights, *middle = set->middle;
    double sum = 0, size = 0;
    out[0] = out[1] = out[2] = 0;
    for (int64_t e = set->start[point]; e < set->start[point + 1]; ++e) {
        const double *X = set->positions + 3 * (int64_t)set->vertices[e];
        for (int i = 0; i < 3; ++i) {
            out[i] += w[e] * (near ? X[i] - middle[i] : X[i]);
        }
        sum += w[e];
        size += fabs(w[e]);
    }
    // weights that do not sum to 1 leave some of the middle; those that do but for rounding none
    double rounding = (double)(set->start[point + 1] - set->start[point]) * DBL_EPSILON * size;
    if (near && fabs(sum - 1) > rounding) {
        for (int i = 0; i < 3; ++i) {
            out[i] += (sum - 1) * middle[i];
        }
    }
}

static void fill_lane(LyraStencilSet *set, int64_t batch, int32_t lane, int64_t stencil)
{
    int32_t nodes = set->type->nodes, parameters = set->type->parameter_count;
    set->element[batch * WIDTH + lane] = (int32_t)stencil;
    for (int32_t i = 0; i < parameters; ++i) {
        set->lane_parameters[(batch * parameters + i) * WIDTH + lane] =
            set->parameters[stencil * parameters + i];
    }
    for (int32_t a = 0; set->rest && a < nodes; ++a) {
        double place[3];
        place_point(set, stencil * nodes + a, place);
        for (int32_t i = 0; i < 3; ++i) {
            set->rest[(batch * 3 * nodes + 3 * a + i) * WIDTH + lane] = place[i];
        }
    }
}

static void fill_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    LyraStencilSet *set = data;
    int32_t pieces = ly_piece_count(set->batch_count, STENCIL_GRAIN / WIDTH);
    int64_t end = ly_piece_begin(set->batch_count, pieces, index + 1);
    for (int64_t b = ly_piece_begin(set->batch_count, pieces, index); b < end; ++b) {
        for (int32_t lane = 0; lane < WIDTH; ++lane) {
            fill_lane(set, b, lane, ly_min_i64(b * WIDTH + lane, set->count - (int64_t)1));
        }
    }
}

// ---- contributions in the order of the set ------------------------------------------------------

// one of the two sums on its way
typedef struct Sum {
    LyraStencilSet *set;
    LyContributions *to;
    const int64_t *first; // of each stencil, every `step`-th
    int32_t step;
    int32_t sources; // of a stencil
    int64_t count;
    int32_t row_bits;
    int32_t pieces;
} Sum;

static void put(const Sum *sum, int64_t at, uint64_t key, bool transposed, int64_t source,
                double weight)
{
    LyRadixRoom *room = &sum->set->sort;
    room->items[at] = (LyRadixItem){key, (uint32_t)(2 * at + transposed)};
    // in plain sets the source is the place
    if (!sum->set->plain) {
        room->source[at] = (int32_t)source;
        room->weight[at] = weight;
    }
}

static void emit_gradient(const Sum *sum, int64_t stencil)
{
    const LyraStencilSet *set = sum->set;
    int64_t nodes = set->type->nodes;
    for (int64_t p = stencil * nodes; p < (stencil + 1) * nodes; ++p) {
        for (int64_t e = set->start[p]; e < set->start[p + 1]; ++e) {
            put(sum, e, (uint64_t)set->vertices[e], false, p, set->weights[e]);
        }
    }
}

static uint64_t pair_key(const Sum *sum, int32_t low, int32_t high)
{
    return (uint64_t)low << sum->row_bits | (uint64_t)high;
}

// blocks (a, a): each pair of entries once. The two orders of a pair give one block above the
// diagonal and its transpose below, or, for a vertex that is given twice, both on it.
static int64_t emit_diagonal(const Sum *sum, int64_t at, int64_t point, int64_t source)
{
    const LyraStencilSet *set = sum->set;
    const int32_t *v = set->vertices;
    for (int64_t e = set->start[point]; e < set->start[point + 1]; ++e) {
        for (int64_t f = e; f < set->start[point + 1]; ++f) {
            int32_t i = set->place[v[e]], j = set->place[v[f]];
            double twice = e != f && i == j ? 2 : 1;
            put(sum, at++, pair_key(sum, i < j ? i : j, i < j ? j : i), false, source,
                twice * set->weights[e] * set->weights[f]);
        }
    }
    return at;
}

// blocks (a, b), a < b: the entries of a with those of b. Rows in descending order take the
// transpose; a vertex of both points takes both.
static int64_t emit_pair(const Sum *sum, int64_t at, int64_t a, int64_t b, int64_t source)
{
    const LyraStencilSet *set = sum->set;
    const int32_t *v = set->vertices;
    for (int64_t e = set->start[a]; e < set->start[a + 1]; ++e) {
        for (int64_t f = set->start[b]; f < set->start[b + 1]; ++f) {
            int32_t i = set->place[v[e]], j = set->place[v[f]];
            double weight = set->weights[e] * set->weights[f];
            put(sum, at++, pair_key(sum, i < j ? i : j, i < j ? j : i), i > j, source, weight);
            if (v[e] == v[f]) {
                put(sum, at++, pair_key(sum, i, i), true, source, weight);
            }
        }
    }
    return at;
}

static void emit_blocks(const Sum *sum, int64_t stencil)
{
    int64_t nodes = sum->set->type->nodes, first = stencil * nodes;
    int64_t at = sum->first[stencil], source = stencil * sum->sources;
    for (int64_t a = first; a < first + nodes; ++a) {
        at = emit_diagonal(sum, at, a, source++);
        for (int64_t b = a + 1; b < first + nodes; ++b) {
            at = emit_pair(sum, at, a, b, source++);
        }
    }
}

static void emit_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Sum *sum = data;
    int32_t count = sum->set->count;
    int64_t end = ly_piece_begin(count, sum->pieces, index + 1);
    for (int64_t s = ly_piece_begin(count, sum->pieces, index); s < end; ++s) {
        if (sum->to == &sum->set->of_gradient) {
            emit_gradient(sum, s);
        } else {
            emit_blocks(sum, s);
        }
    }
}

// ---- dealing them to their chunks ---------------------------------------------------------------

// counts of a piece: contributions to each chunk, then targets that begin in it
static int64_t *piece_counts(const Sum *sum, int32_t piece)
{
    return sum->set->sort.counts + piece * ((int64_t)sum->set->chunk_count + 1);
}

static uint32_t source_of(const Sum *sum, uint32_t value)
{
    return sum->set->plain ? value >> 1 : (uint32_t)sum->set->sort.source[value >> 1];
}

static uint32_t chunk_sources(const Sum *sum)
{
    return (uint32_t)(sum->set->chunk_batches * WIDTH * sum->sources);
}

static void count_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Sum *sum = data;
    const LyRadixItem *items = sum->set->sort.items;
    int32_t chunks = sum->set->chunk_count;
    uint32_t each = chunk_sources(sum);
    int64_t *counts = piece_counts(sum, index);
    int64_t end = ly_piece_begin(sum->count, sum->pieces, index + 1);
    memset(counts, 0, ((size_t)chunks + 1) * sizeof *counts);
    for (int64_t i = ly_piece_begin(sum->count, sum->pieces, index); i < end; ++i) {
        ++counts[source_of(sum, items[i].value) / each];
        counts[chunks] += i == 0 || items[i].key != items[i - 1].key;
    }
}

static void store_target(const Sum *sum, int64_t target, uint64_t key)
{
    LyraStencilSet *set = sum->set;
    if (sum->to == &set->of_gradient) {
        set->touched[target] = (int32_t)key;
        return;
    }
    set->pairs[2 * target] = (int32_t)(key >> sum->row_bits);
    set->pairs[2 * target + 1] = (int32_t)(key & (((uint64_t)1 << sum->row_bits) - 1));
}

static void deal_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Sum *sum = data;
    LyContributions *to = sum->to;
    const LyRadixItem *items = sum->set->sort.items;
    const double *weight = sum->set->sort.weight;
    bool plain = sum->set->plain;
    uint32_t each = chunk_sources(sum);
    int64_t *next = piece_counts(sum, index), target = next[sum->set->chunk_count] - 1;
    int64_t end = ly_piece_begin(sum->count, sum->pieces, index + 1);
    for (int64_t i = ly_piece_begin(sum->count, sum->pieces, index); i < end; ++i) {
        uint32_t value = items[i].value, source = source_of(sum, value);
        if (i == 0 || items[i].key != items[i - 1].key) {
            store_target(sum, ++target, items[i].key);
        }
        int64_t at = next[source / each]++;
        int32_t here = (int32_t)(source % each);
        to->target[at] = (int32_t)target;
        to->source[at] = value & 1 ? ~here : here;
        if (!plain) {
            to->weight[at] = weight[value >> 1];
        }
    }
}

// counts to first places; returns the number of targets
static int64_t place_pieces(const Sum *sum)
{
    int32_t chunks = sum->set->chunk_count;
    int64_t targets = 0;
    for (int32_t chunk = 0; chunk < chunks; ++chunk) {
        int64_t before = sum->to->chunk_start[chunk];
        for (int32_t piece = 0; piece < sum->pieces; ++piece) {
            int64_t *place = &piece_counts(sum, piece)[chunk], here = *place;
            *place = before;
            before += here;
        }
    }
    for (int32_t piece = 0; piece < sum->pieces; ++piece) {
        int64_t *place = &piece_counts(sum, piece)[chunks], here = *place;
        *place = targets;
        targets += here;
    }
    return targets;
}

// ---- room ---------------------------------------------------------------------------------------

static LyraStatus reserve_batches(LyraStencilSet *set)
{
    LyraContext *ctx = set->ctx;
    const LyraForceType *type = set->type;
    if (set->batch_count > set->batch_room) {
        int64_t room = ly_grown(set->batch_room, set->batch_count), lanes = room * WIDTH;
        LY_TRY(ly_resize_array(ctx, lanes, sizeof *set->element, &set->element));
        LY_TRY(ly_resize_array(ctx, lanes * type->parameter_count, sizeof(double),
                               &set->lane_parameters));
        if (ly_force_place(type) != LY_PLACE_DISPLACED) {
            LY_TRY(ly_resize_array(ctx, lanes * 3 * type->nodes, sizeof(double), &set->rest));
        }
        LY_TRY(ly_resize_array(ctx, room, sizeof *set->energy, &set->energy));
        if (set->type->traits & LYRA_FORCE_RATES) {
            LY_TRY(ly_resize_array(ctx, room * LYRA_RATE_COUNT, sizeof *set->rates, &set->rates));
        }
        set->batch_room = room;
    }
    int64_t sources = ly_min_i64(set->batch_count, set->chunk_batches);
    if (sources > set->source_room) {
        int64_t room = ly_min_i64(ly_grown(set->source_room, sources), set->chunk_batches);
        int64_t lanes = room * WIDTH, blocks = lanes * ly_set_blocks(set) * 9;
        LY_TRY(ly_resize_array(ctx, lanes * type->nodes * 4, sizeof(double), &set->gradients));
        LY_TRY(ly_resize_array(ctx, blocks, sizeof(double), &set->dfdx));
        if (type->traits & LYRA_FORCE_VELOCITY) {
            LY_TRY(ly_resize_array(ctx, blocks, sizeof(double), &set->dfdv));
        }
        set->source_room = room;
    }
    return LYRA_OK;
}

static LyraStatus reserve_sum(const Sum *sum)
{
    LyraStencilSet *set = sum->set;
    LyraContext *ctx = set->ctx;
    LyRadixRoom *sort = &set->sort;
    LyContributions *to = sum->to;
    LY_TRY(ly_radix_reserve(ctx, sum->count, sort));
    int64_t counts = sum->pieces * ((int64_t)set->chunk_count + 1);
    if (counts > sort->count_room) {
        LY_TRY(ly_resize_array(ctx, counts, sizeof *sort->counts, &sort->counts));
        sort->count_room = counts;
    }
    if (!set->plain && sum->count > sort->source_room) {
        int64_t room = ly_grown(sort->source_room, sum->count);
        LY_TRY(ly_resize_array(ctx, room, sizeof *sort->source, &sort->source));
        LY_TRY(ly_resize_array(ctx, room, sizeof *sort->weight, &sort->weight));
        sort->source_room = room;
    }
    if (set->chunk_count >= to->chunk_room) {
        int64_t room = ly_grown(to->chunk_room, (int64_t)set->chunk_count + 1);
        LY_TRY(ly_resize_array(ctx, room, sizeof *to->chunk_start, &to->chunk_start));
        to->chunk_room = room;
    }
    if (sum->count > to->room) {
        int64_t room = ly_grown(to->room, sum->count);
        LY_TRY(ly_resize_array(ctx, room, sizeof *to->target, &to->target));
        LY_TRY(ly_resize_array(ctx, room, sizeof *to->source, &to->source));
        to->room = room;
    }
    if (!set->plain && sum->count > to->weight_room) {
        int64_t room = ly_grown(to->weight_room, sum->count);
        LY_TRY(ly_resize_array(ctx, room, sizeof *to->weight, &to->weight));
        to->weight_room = room;
    }
    return LYRA_OK;
}

static LyraStatus reserve_targets(LyraContext *ctx, int64_t count, int64_t *room, int32_t each,
                                  int32_t **targets)
{
    if (count > *room) {
        int64_t grown = ly_grown(*room, count);
        LY_TRY(ly_resize_array(ctx, grown * each, sizeof **targets, targets));
        *room = grown;
    }
    return LYRA_OK;
}

// ---- the whole ----------------------------------------------------------------------------------

static int32_t bits_of(int32_t count)
{
    int32_t bits = 1;
    while (bits < 31 && (count - 1) >> bits > 0) {
        ++bits;
    }
    return bits;
}

static LyraStatus build_sum(Sum *sum)
{
    LyraStencilSet *set = sum->set;
    LyraContext *ctx = set->ctx;
    bool vertices = sum->to == &set->of_gradient;
    sum->row_bits = bits_of(set->vertex_count);
    sum->pieces = (int32_t)ly_min_i64(ly_piece_count(sum->count, DEAL_GRAIN), PIECES_MAX);
    LY_TRY(reserve_sum(sum));
    for (int32_t chunk = 0; chunk <= set->chunk_count; ++chunk) {
        int64_t stencil = ly_min_i64((int64_t)chunk * set->chunk_batches * WIDTH, set->count);
        sum->to->chunk_start[chunk] = sum->first[stencil * sum->step];
    }
    ly_parallel_for(ctx, sum->pieces, emit_task, sum);
    ly_radix_sort(ctx, sum->count, vertices ? sum->row_bits : 2 * sum->row_bits, &set->sort);
    ly_parallel_for(ctx, sum->pieces, count_task, sum);
    int64_t targets = place_pieces(sum);
    if (vertices) {
        LY_TRY(reserve_targets(ctx, targets, &set->touched_room, 1, &set->touched));
        set->touched_count = targets;
    } else {
        LY_TRY(reserve_targets(ctx, targets, &set->pair_room, 2, &set->pairs));
        set->pair_count = targets;
    }
    ly_parallel_for(ctx, sum->pieces, deal_task, sum);
    return LYRA_OK;
}

static LyraStatus check_keys(LyraStencilSet *set)
{
    LY_TRY(ly_radix_reserve(set->ctx, set->count, &set->sort));
    for (int32_t s = 0; s < set->count; ++s) {
        set->sort.items[s] = (LyRadixItem){set->keys[s], (uint32_t)s};
    }
    ly_radix_sort(set->ctx, set->count, 64, &set->sort);
    const LyRadixItem *items = set->sort.items;
    for (int32_t s = 1; s < set->count; ++s) {
        if (items[s].key == items[s - 1].key) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "force %s: stencils %u and %u have the key %llu, expected distinct keys "
                           "where there is history",
                           set->type->name, items[s - 1].value, items[s].value,
                           (unsigned long long)items[s].key);
        }
    }
    return LYRA_OK;
}

LyraStatus ly_stencil_set_finish(LyraStencilSet *set)
{
    if (set->finished) {
        return LYRA_OK;
    }
    int64_t nodes = set->type->nodes, blocks = ly_set_blocks(set);
    int64_t entries = set->start[set->count * nodes], pairs = set->pair_start[set->count];
    if (entries > INT32_MAX || pairs > INT32_MAX || set->count * blocks > INT32_MAX) {
        return ly_fail(LYRA_TOO_LARGE,
                       "force %s: %d stencils with %lld contributions to blocks, expected at most "
                       "%d",
                       set->type->name, set->count,
                       (long long)ly_max_i64(pairs, set->count * blocks), INT32_MAX);
    }
    bool same = set->built == set->count;
    if (set->type->history_count > 0 && !same) {
        LY_TRY(check_keys(set));
    }
    set->batch_count = (int32_t)((set->count + (int64_t)WIDTH - 1) / WIDTH);
    set->chunk_count = (set->batch_count + set->chunk_batches - 1) / set->chunk_batches;
    LY_TRY(reserve_batches(set));
    if (set->batch_count > 0) {
        ly_parallel_for(set->ctx, ly_piece_count(set->batch_count, STENCIL_GRAIN / WIDTH),
                        fill_task, set);
    }
    if (same) {
        // other parameters alone
        set->finished = true;
        return LYRA_OK;
    }
    set->built = -1;
    Sum gradient = {.set = set,
                    .to = &set->of_gradient,
                    .first = set->start,
                    .step = (int32_t)nodes,
                    .sources = (int32_t)nodes,
                    .count = entries};
    Sum matrix = {.set = set,
                  .to = &set->of_blocks,
                  .first = set->pair_start,
                  .step = 1,
                  .sources = (int32_t)blocks,
                  .count = pairs};
    LY_TRY(build_sum(&gradient));
    LY_TRY(build_sum(&matrix));
    set->built = set->count;
    set->finished = true;
    return LYRA_OK;
}
