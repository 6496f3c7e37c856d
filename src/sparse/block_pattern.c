// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Block patterns from stencils, and slots.
//
// For every vertex the stencils around it are listed by a counting sort; the columns of its row are
// the distinct ids in them, found with one mark per vertex, and sorted. Rows are counted first and
// written second, so that memory is exact. Each vertex is looked at once per stencil around it:
// linear in the pairs, but for the sort of short rows.

#include "sparse/sparse.h"

#define STENCIL_NODES_MAX 64

// ---- pattern from stencils ----------------------------------------------------------------------

// stencils around each vertex for one set
typedef struct Incidence {
    int64_t *start;   // [row_count + 1]
    int32_t *stencil; // ascending around each vertex
} Incidence;

typedef struct Builder {
    int32_t row_count, set_count, pieces;
    LyraStorage storage;
    const LyraStencils *sets;
    Incidence *incidence; // [set_count]
    int32_t **mark;       // [workers][row_count]: last row that met this vertex
    int64_t *row_start;   // counts in the first pass
    int32_t *column;      // NULL in the first pass
} Builder;

static LyraStatus check_stencils(int32_t row_count, int32_t set, const LyraStencils *stencils)
{
    if (stencils->nodes < 1 || stencils->nodes > STENCIL_NODES_MAX) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "stencil set %d has %d nodes per stencil, expected 1 to %d", (int)set,
                       (int)stencils->nodes, STENCIL_NODES_MAX);
    }
    if (stencils->count < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "stencil set %d has a count of %lld", (int)set,
                       (long long)stencils->count);
    }
    if (stencils->count > INT32_MAX) {
        return ly_fail(LYRA_TOO_LARGE, "stencil set %d has %lld stencils, more than 2147483647",
                       (int)set, (long long)stencils->count);
    }
    int32_t nodes = stencils->nodes;
    for (int64_t s = 0; s < stencils->count; ++s) {
        const int32_t *ids = stencils->ids + s * nodes;
        bool repeated = false, outside = false;
        for (int32_t a = 0; a < nodes; ++a) {
            outside |= (uint32_t)ids[a] >= (uint32_t)row_count;
            for (int32_t b = 0; b < a; ++b) {
                repeated |= ids[a] == ids[b];
            }
        }
        for (int32_t a = 0; outside && a < nodes; ++a) {
            if ((uint32_t)ids[a] >= (uint32_t)row_count) {
                return ly_fail(LYRA_INVALID_ARGUMENT,
                               "stencil %lld of set %d names vertex %d, expected 0 to %d",
                               (long long)s, (int)set, (int)ids[a], (int)row_count - 1);
            }
        }
        if (repeated) {
            return ly_fail(LYRA_INVALID_ARGUMENT, "stencil %lld of set %d names a vertex twice",
                           (long long)s, (int)set);
        }
    }
    return LYRA_OK;
}

static LyraStatus list_incidence(LyraContext *ctx, int32_t row_count, const LyraStencils *stencils,
                                 Incidence *out)
{
    int64_t id_count = stencils->count * stencils->nodes;
    LY_TRY(ly_allocate_zeroed(ctx, (int64_t)row_count + 1, sizeof(int64_t), &out->start));
    LY_TRY(ly_allocate_array(ctx, id_count, sizeof(int32_t), &out->stencil));
    for (int64_t i = 0; i < id_count; ++i) {
        ++out->start[stencils->ids[i]];
    }
    // ends, then filled from the back, which leaves starts and ascending stencils
    int64_t total = 0;
    for (int32_t v = 0; v < row_count; ++v) {
        total += out->start[v];
        out->start[v] = total;
    }
    out->start[row_count] = total;
    for (int64_t s = stencils->count - 1; s >= 0; --s) {
        const int32_t *ids = stencils->ids + s * stencils->nodes;
        for (int32_t a = 0; a < stencils->nodes; ++a) {
            out->stencil[--out->start[ids[a]]] = (int32_t)s;
        }
    }
    return LYRA_OK;
}

// the columns of row v beside the diagonal into `column`, which may be NULL; returns their number
static int64_t list_row(const Builder *builder, int32_t v, int32_t *mark, int32_t *column)
{
    int64_t count = 0;
    int32_t lowest = builder->storage == LYRA_STORAGE_UPPER ? v + 1 : 0;
    mark[v] = v;
    for (int32_t set = 0; set < builder->set_count; ++set) {
        const Incidence *around = &builder->incidence[set];
        int32_t nodes = builder->sets[set].nodes;
        const int32_t *ids = builder->sets[set].ids;
        for (int64_t k = around->start[v]; k < around->start[v + 1]; ++k) {
            const int32_t *stencil = ids + (int64_t)around->stencil[k] * nodes;
            for (int32_t a = 0; a < nodes; ++a) {
                int32_t w = stencil[a];
                if (w >= lowest && mark[w] != v) {
                    mark[w] = v;
                    if (column) {
                        column[count] = w;
                    }
                    ++count;
                }
            }
        }
    }
    return count;
}

static void build_task(void *data, int32_t index, int32_t worker)
{
    Builder *builder = data;
    int32_t *mark = builder->mark[worker];
    int32_t begin = (int32_t)ly_piece_begin(builder->row_count, builder->pieces, index);
    int32_t end = (int32_t)ly_piece_begin(builder->row_count, builder->pieces, index + 1);
    for (int32_t v = begin; v < end; ++v) {
        if (!builder->column) {
            builder->row_start[v + 1] = list_row(builder, v, mark, NULL) + 1;
            continue;
        }
        int32_t *row = builder->column + builder->row_start[v];
        row[0] = v;
        int64_t count = list_row(builder, v, mark, row + 1);
        ly_sort_i32(row, count + 1);
    }
}

static void clear_marks(Builder *builder, int32_t workers)
{
    for (int32_t w = 0; w < workers; ++w) {
        memset(builder->mark[w], 0xff, (size_t)builder->row_count * sizeof(int32_t));
    }
}

LyraStatus lyra_block_pattern_create(LyraContext *ctx, int32_t row_count, LyraStorage storage,
                                     int32_t set_count, const LyraStencils *sets,
                                     LyraBlockPattern **out)
{
    LYRA_ASSERT(ctx && out && (sets || set_count == 0));
    if (row_count < 0 || set_count < 0 || (uint32_t)storage >= LYRA_STORAGE_COUNT) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "block pattern: %d rows, %d stencil sets, storage %d are not all in range",
                       (int)row_count, (int)set_count, (int)storage);
    }
    for (int32_t set = 0; set < set_count; ++set) {
        LY_TRY(check_stencils(row_count, set, &sets[set]));
    }
    LyraStatus status = LYRA_OK;
    int32_t workers = lyra_context_thread_count(ctx);
    Builder builder = {row_count, set_count, ly_piece_count(row_count, 4096),
                       storage,   sets,      NULL,
                       NULL,      NULL,      NULL};
    LY_TRY_DONE(ly_allocate_zeroed(ctx, set_count, sizeof(Incidence), &builder.incidence));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, workers, sizeof(int32_t *), &builder.mark));
    LY_TRY_DONE(
        ly_allocate_zeroed(ctx, (int64_t)row_count + 1, sizeof(int64_t), &builder.row_start));
    for (int32_t w = 0; w < workers; ++w) {
        LY_TRY_DONE(ly_allocate_array(ctx, row_count, sizeof(int32_t), &builder.mark[w]));
    }
    for (int32_t set = 0; set < set_count; ++set) {
        LY_TRY_DONE(list_incidence(ctx, row_count, &sets[set], &builder.incidence[set]));
    }

    // count
    clear_marks(&builder, workers);
    ly_parallel_for(ctx, builder.pieces, build_task, &builder);
    for (int32_t v = 0; v < row_count; ++v) {
        builder.row_start[v + 1] += builder.row_start[v];
    }
    if (builder.row_start[row_count] > INT32_MAX) {
        status = ly_fail(LYRA_TOO_LARGE, "block pattern: %lld blocks, more than 2147483647",
                         (long long)builder.row_start[row_count]);
        goto done;
    }

    // write
    LY_TRY_DONE(
        ly_allocate_array(ctx, builder.row_start[row_count], sizeof(int32_t), &builder.column));
    clear_marks(&builder, workers);
    ly_parallel_for(ctx, builder.pieces, build_task, &builder);
    status = ly_block_pattern_take(ctx, row_count, storage, builder.row_start, builder.column, out);
    builder.row_start = NULL;
    builder.column = NULL;
done:
    for (int32_t set = 0; builder.incidence && set < set_count; ++set) {
        ly_release(ctx, builder.incidence[set].start);
        ly_release(ctx, builder.incidence[set].stencil);
    }
    for (int32_t w = 0; builder.mark && w < workers; ++w) {
        ly_release(ctx, builder.mark[w]);
    }
    ly_release(ctx, builder.incidence);
    ly_release(ctx, builder.mark);
    ly_release(ctx, builder.row_start);
    ly_release(ctx, builder.column);
    return status;
}

LyraStatus ly_block_pattern_take(LyraContext *ctx, int32_t row_count, LyraStorage storage,
                                 int64_t *row_start, int32_t *column, LyraBlockPattern **out)
{
    LyraStatus status = LYRA_OK;
    LyraBlockPattern *pattern = NULL;
    LyPlan plan = {0};
    int32_t *diagonal = NULL;
    if (row_start[row_count] > INT32_MAX) {
        status = ly_fail(LYRA_TOO_LARGE, "block pattern: %lld blocks, more than 2147483647",
                         (long long)row_start[row_count]);
        goto done;
    }
    LY_TRY_DONE(ly_allocate_array(ctx, row_count, sizeof(int32_t), &diagonal));
    LY_TRY_DONE(
        ly_plan_create(ctx, row_count, row_count, row_start, column, LY_PLAN_GRAIN_BLOCKS, &plan));
    LY_TRY_DONE(ly_allocate_array(ctx, 1, sizeof *pattern, &pattern));
    for (int32_t v = 0; v < row_count; ++v) {
        diagonal[v] = (int32_t)(storage == LYRA_STORAGE_UPPER
                                    ? row_start[v]
                                    : ly_lower_bound(column, row_start[v], row_start[v + 1], v));
    }
    *pattern = (LyraBlockPattern){ctx,       row_count, storage,  row_start[row_count],
                                  row_start, column,    diagonal, plan};
    *out = pattern;
    return LYRA_OK;
done:
    ly_plan_destroy(ctx, &plan);
    ly_release(ctx, diagonal);
    ly_release(ctx, row_start);
    ly_release(ctx, column);
    return status;
}

void lyra_block_pattern_destroy(LyraBlockPattern *pattern)
{
    if (!pattern) {
        return;
    }
    LyraContext *ctx = pattern->ctx;
    ly_plan_destroy(ctx, &pattern->plan);
    ly_release(ctx, pattern->row_start);
    ly_release(ctx, pattern->column);
    ly_release(ctx, pattern->diagonal);
    ly_release(ctx, pattern);
}

LyraBlockPatternView lyra_block_pattern_view(const LyraBlockPattern *pattern)
{
    LYRA_ASSERT(pattern);
    return (LyraBlockPatternView){pattern->row_count, pattern->block_count, pattern->storage,
                                  pattern->row_start, pattern->column,      pattern->diagonal};
}

int32_t lyra_block_pattern_find(const LyraBlockPattern *pattern, int32_t row, int32_t column)
{
    LYRA_ASSERT(pattern && row >= 0 && row < pattern->row_count);
    int64_t end = pattern->row_start[row + 1];
    int64_t k = ly_lower_bound(pattern->column, pattern->row_start[row], end, column);
    return k < end && pattern->column[k] == column ? (int32_t)k : -1;
}

// ---- slots --------------------------------------------------------------------------------------

typedef struct SlotLoop {
    const LyraBlockPattern *pattern;
    const LyraStencils *stencils;
    int32_t *slots;
    int32_t pieces, slot_count;
    int64_t *missing; // first stencil of each piece with a pair that the pattern lacks, or -1
} SlotLoop;

// Place of `value` in an ascending row, -1 if it has none. Rows of meshes are short: counting the
// smaller columns, without a branch on the data, beats a search that guesses wrong half the time.
static inline int32_t find_slot(const int32_t *column, int64_t begin, int64_t end, int32_t value)
{
    int64_t k = begin;
    if (end - begin <= 16) {
        for (int64_t i = begin; i < end; ++i) {
            k += column[i] < value;
        }
    } else {
        k = ly_lower_bound(column, begin, end, value);
    }
    return k < end && column[k] == value ? (int32_t)k : -1;
}

static void slot_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const SlotLoop *loop = data;
    const LyraBlockPattern *pattern = loop->pattern;
    const int64_t *row_start = pattern->row_start;
    bool upper = pattern->storage == LYRA_STORAGE_UPPER;
    int32_t nodes = loop->stencils->nodes;
    int64_t count = loop->stencils->count;
    loop->missing[index] = -1;
    for (int64_t s = ly_piece_begin(count, loop->pieces, index);
         s < ly_piece_begin(count, loop->pieces, index + 1); ++s) {
        const int32_t *ids = loop->stencils->ids + s * nodes;
        int32_t *slot = loop->slots + s * loop->slot_count;
        for (int32_t a = 0; a < nodes; ++a) {
            for (int32_t b = upper ? a : 0; b < nodes; ++b) {
                bool flip = upper && ids[a] > ids[b];
                int32_t row = flip ? ids[b] : ids[a], column = flip ? ids[a] : ids[b];
                int32_t k = row == column ? pattern->diagonal[row]
                                          : find_slot(pattern->column, row_start[row],
                                                      row_start[row + 1], column);
                if (k < 0 && loop->missing[index] < 0) {
                    loop->missing[index] = s;
                }
                *slot++ = flip ? ~k : k;
            }
        }
    }
}

int32_t lyra_stencil_slot_count(LyraStorage storage, int32_t nodes)
{
    return storage == LYRA_STORAGE_UPPER ? nodes * (nodes + 1) / 2 : nodes * nodes;
}

LyraStatus lyra_block_pattern_slots(const LyraBlockPattern *pattern, const LyraStencils *stencils,
                                    int32_t *slots)
{
    LYRA_ASSERT(pattern && stencils && (slots || stencils->count == 0));
    LY_TRY(check_stencils(pattern->row_count, 0, stencils));
    SlotLoop loop = {pattern,
                     stencils,
                     slots,
                     ly_piece_count(stencils->count, 16384),
                     lyra_stencil_slot_count(pattern->storage, stencils->nodes),
                     NULL};
    LY_TRY(ly_allocate_array(pattern->ctx, loop.pieces, sizeof(int64_t), &loop.missing));
    ly_parallel_for(pattern->ctx, loop.pieces, slot_task, &loop);
    int64_t missing = -1;
    for (int32_t p = 0; p < loop.pieces && missing < 0; ++p) {
        missing = loop.missing[p];
    }
    ly_release(pattern->ctx, loop.missing);
    if (missing >= 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "slots: stencil %lld couples two vertices that the pattern does not",
                       (long long)missing);
    }
    return LYRA_OK;
}
