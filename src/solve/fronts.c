// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Factors by fronts. Front f, with the pivots 1 and the rows 2 below them, collects its entries of
// the matrix and what its children passed to it, and is then dense:
//
//     F11        L11 S L11^T
//     F21 F22  = L21 S L11^T   P + L21 S L21^T,    S = 1, or signs for an indefinite matrix,
//
// L11 and L21 are columns of the factor, and P is passed to the parent.
//
// Threads. Subtrees (fronts_analyze.c) are pieces of one loop. The fronts above them come one after
// the other, each on all threads: blocks of rows of L21, tiles of P, panels of what a child passed.
// Each number is written by one piece and summed in an order that depends on the pattern alone:
// same bits at any number of threads. A piece reads what earlier loops wrote and what is its own.
//
// Solves go up the tree with L and down with L^T. On the way up a front adds what its children
// passed on to its part of b, y2 = sum - L21 y1; on the way down it takes x2 from its parent.

#include "solve/fronts.h"
#include "lyra/csr.h"

#include <math.h>
#include <string.h>

/// Panels of rows that are finished together: with a depth of 256, half of a second cache.
#define CHUNK 30
// Factors of at most so many numbers keep their memory: short steps allocate nothing.
#define KEPT_ROOM 400000
/// Numbers that are stored together.
#define STORE_CHUNK 65536
/// Panels of a piece of a solve.
#define SOLVE_CHUNK 32
/// Numbers of the factor from which a solve runs on threads.
#define SOLVE_PARALLEL 100000

typedef struct FrontLoop {
    LyFrontFactor *factor;
    const LyFrontInput *input;
    const double *matrix; // its values
    // the front at hand
    const LyFront *front;
    LyTrapezoid trapezoid;
    double *passed;
    double *signs; // NULL for Cholesky
    int32_t begin, end;
    // the child at hand
    const double *from;
    int32_t height, split;      // unknowns of its rows, and those that are pivots of the front
    const int64_t *row, *row_p; // where its rows are in the trapezoid and in what is passed on
    const int64_t *column;
    // solves
    bool group;
    double *x, *y;
} FrontLoop;

// ---- memory -------------------------------------------------------------------------------------

// the rows of a matrix of nodes, and how many it stores
static int64_t matrix_rows(const LyraOperator *A, const int64_t **start, const int32_t **column)
{
    if (A->kind == LYRA_OPERATOR_BLOCK) {
        LyraBlockPatternView view = lyra_block_pattern_view(lyra_block_matrix_pattern(A->block));
        *start = view.row_start;
        *column = view.column;
        return view.block_count;
    }
    LyraCsrPatternView view = lyra_csr_pattern_view(lyra_csr_matrix_pattern(A->csr));
    *start = view.row_start;
    *column = view.column;
    return view.entry_count;
}

// where the nodes of the matrix go, fronts in order
static LyraStatus find_entries(const LyFronts *fronts, const int64_t *start, const int32_t *column,
                               LyFrontFactor *out)
{
    LyraContext *ctx = fronts->ctx;
    LyraStatus status = LYRA_OK;
    int32_t *at = NULL, size = fronts->node_size;
    int64_t *fill = NULL;
    LY_TRY_DONE(ly_allocate_array(ctx, fronts->node_count, sizeof *at, &at));
    LY_TRY_DONE(ly_allocate_array(ctx, fronts->count, sizeof *fill, &fill));
    memset(out->entry_start, 0, ((size_t)fronts->count + 1) * sizeof *out->entry_start);
    // nodes by fronts, at first with their new numbers
    for (int32_t pass = 0; pass < 2; ++pass) {
        for (int32_t i = 0; i < fronts->node_count; ++i) {
            for (int64_t k = start[i]; k < start[i + 1]; ++k) {
                int32_t ni = fronts->inverse[i], nj = fronts->inverse[column[k]];
                bool transposed = ni <= nj;
                int32_t row = transposed ? nj : ni, f = fronts->front_of[transposed ? ni : nj];
                if (column[k] < i) {
                    continue;
                }
                if (pass == 0) {
                    ++out->entry_start[f + 1];
                } else {
                    out->entries[fill[f]++] =
                        (LyFrontEntry){2 * k + transposed, row, transposed ? ni : nj};
                }
            }
        }
        for (int32_t f = 0; f < fronts->count && pass == 0; ++f) {
            fill[f] = out->entry_start[f];
            out->entry_start[f + 1] += out->entry_start[f];
        }
        if (pass == 0) {
            out->entry_count = out->entry_start[fronts->count];
            LY_TRY_DONE(
                ly_allocate_array(ctx, out->entry_count, sizeof *out->entries, &out->entries));
        }
    }
    // places
    for (int32_t f = 0; f < fronts->count; ++f) {
        const LyFront *front = &fronts->fronts[f];
        for (int32_t k = 0; k < front->height; ++k) {
            at[fronts->rows[front->rows + k]] = front->width + k;
        }
        for (int64_t e = out->entry_start[f]; e < out->entry_start[f + 1]; ++e) {
            LyFrontEntry *entry = &out->entries[e];
            int32_t own = entry->row - front->first;
            entry->row = size * (own < front->width ? own : at[entry->row]);
            entry->column = size * (entry->column - front->first);
        }
    }
done:
    ly_release(ctx, at);
    ly_release(ctx, fill);
    return status;
}

// numbers of scratch: stacks, and the front at hand of a factor in single precision
static int64_t tree_room(const LyFrontFactor *factor)
{
    const LyFronts *fronts = factor->fronts;
    return fronts->tree_stack[0] + fronts->tree_stack[1] +
           (factor->holding.single ? fronts->tree_front : 0);
}

static int64_t top_room(const LyFrontFactor *factor)
{
    const LyFronts *fronts = factor->fronts;
    return fronts->top_stack[0] + fronts->top_stack[1] +
           (factor->holding.single ? fronts->top_front : 0);
}

static int64_t scratch_room(const LyFrontFactor *factor)
{
    int64_t threads = lyra_context_thread_count(factor->fronts->ctx);
    return threads * tree_room(factor) + top_room(factor) + factor->fronts->kept_room;
}

static LyraStatus take_scratch(LyFrontFactor *factor)
{
    return factor->scratch ? LYRA_OK
                           : ly_allocate_array(factor->fronts->ctx, scratch_room(factor),
                                               sizeof *factor->scratch, &factor->scratch);
}

static LyraStatus take_numbers(LyFrontFactor *factor)
{
    LyraContext *ctx = factor->fronts->ctx;
    int64_t room = factor->fronts->values_room;
    if (factor->values || factor->singles) {
        return LYRA_OK;
    }
    return factor->holding.single ? ly_allocate_array(ctx, room, 4, &factor->singles)
                                  : ly_allocate_array(ctx, room, 8, &factor->values);
}

void ly_front_factor_rest(LyFrontFactor *factor)
{
    LyraContext *ctx = factor->fronts->ctx;
    if (!factor->holding.transient) {
        return;
    }
    ly_release(ctx, factor->values);
    ly_release(ctx, factor->singles);
    factor->values = NULL;
    factor->singles = NULL;
}

LyraStatus ly_front_factor_create(const LyFronts *fronts, const LyraOperator *A,
                                  LyFrontHolding holding, LyFrontFactor *out)
{
    static const LyFrontKernels *const kernels[] = LY_KERNEL_TABLE(&ly_front_kernels);
    LyraContext *ctx = fronts->ctx;
    LyraStatus status = LYRA_OK;
    int64_t threads = lyra_context_thread_count(ctx);
    const int64_t *start;
    const int32_t *column;
    *out = (LyFrontFactor){
        .fronts = fronts, .kernels = kernels[lyra_context_isa(ctx)], .holding = holding};
    out->holding.transient = holding.transient && fronts->values_room > KEPT_ROOM;
    out->source_count = matrix_rows(A, &start, &column);
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)fronts->count + 1, 8, &out->entry_start));
    LY_TRY_DONE(find_entries(fronts, start, column, out));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, fronts->pivot_room, 8, &out->signs));
    LY_TRY_DONE(ly_allocate_array(ctx, threads * 3 * fronts->widest, 8, &out->base));
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)fronts->tree_count + 1, 8, &out->failed));
    if (!out->holding.transient) {
        LY_TRY_DONE(take_numbers(out));
        LY_TRY_DONE(take_scratch(out));
    }
done:
    if (status != LYRA_OK) {
        ly_front_factor_destroy(out);
    }
    return status;
}

void ly_front_factor_destroy(LyFrontFactor *factor)
{
    if (factor->fronts) {
        LyraContext *ctx = factor->fronts->ctx;
        ly_release(ctx, factor->entry_start);
        ly_release(ctx, factor->entries);
        ly_release(ctx, factor->values);
        ly_release(ctx, factor->singles);
        ly_release(ctx, factor->signs);
        ly_release(ctx, factor->scratch);
        ly_release(ctx, factor->base);
        ly_release(ctx, factor->failed);
        ly_release(ctx, factor->x);
        ly_release(ctx, factor->y);
    }
    *factor = (LyFrontFactor){0};
}

int64_t ly_front_factor_bytes(const LyFrontFactor *factor)
{
    const LyFronts *fronts = factor->fronts;
    if (!fronts) {
        return 0;
    }
    int64_t threads = lyra_context_thread_count(fronts->ctx);
    int64_t numbers = (factor->scratch ? scratch_room(factor) : 0) + fronts->count +
                      fronts->pivot_room + threads * 3 * fronts->widest + fronts->tree_count +
                      factor->group * (fronts->pivot_room + fronts->below_room);
    return 8 * numbers + factor->entry_count * (int64_t)sizeof(LyFrontEntry) +
           fronts->values_room * (factor->singles  ? 4
                                  : factor->values ? 8
                                                   : 0);
}

// stacks of a thread, or of the fronts at the top; behind them a front at hand
static double *stacks_of(const LyFrontFactor *factor, const LyFront *front, int32_t worker)
{
    int64_t threads = lyra_context_thread_count(factor->fronts->ctx);
    return factor->scratch + (front->top ? threads : worker) * tree_room(factor);
}

// the triangle that a front passes on
static double *passed_at(const LyFrontFactor *factor, const LyFront *front, int32_t worker)
{
    const LyFronts *fronts = factor->fronts;
    if (front->area == 2) {
        return factor->scratch + scratch_room(factor) - fronts->kept_room + front->passed;
    }
    int64_t first = front->top ? fronts->top_stack[0] : fronts->tree_stack[0];
    return stacks_of(factor, front, worker) + (front->area ? first : 0) + front->passed;
}

// a front that is done
static LyTrapezoid trapezoid_of(const LyFrontFactor *factor, const LyFront *front)
{
    int32_t size = factor->fronts->node_size;
    LyTrapezoid t = {.width = front->width * size, .height = front->height * size};
    if (factor->holding.single) {
        t.singles = factor->singles + front->values;
    } else {
        t.values = factor->values + front->values;
    }
    return t;
}

// ... and one at hand
static LyTrapezoid trapezoid_at_hand(const LyFrontFactor *factor, const LyFront *front,
                                     int32_t worker)
{
    LyTrapezoid t = trapezoid_of(factor, front);
    if (factor->holding.single) {
        const LyFronts *fronts = factor->fronts;
        const int64_t *stack = front->top ? fronts->top_stack : fronts->tree_stack;
        t.values = stacks_of(factor, front, worker) + stack[0] + stack[1];
    }
    return t;
}

// pieces of a front: on all threads at the top, else here
static void run(const FrontLoop *loop, int32_t count, LyraTask *task, int32_t worker)
{
    if (loop->front->top) {
        ly_parallel_for(loop->factor->fronts->ctx, count, task, (void *)loop);
        return;
    }
    for (int32_t i = 0; i < count; ++i) {
        task((void *)loop, i, worker);
    }
}

static int32_t chunks(int32_t panels, int32_t chunk)
{
    return (panels + chunk - 1) / chunk;
}

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

// ---- assembly -----------------------------------------------------------------------------------

// 8 rows of a column, each to its own place
static inline void add_rows(int32_t first, int32_t count, const double *from, double *to,
                            const int64_t *row)
{
    for (int32_t l = first; l < count; ++l) {
        to[row[l]] += from[l];
    }
}

// some panels of what a child passed
static void add_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const FrontLoop *loop = data;
    int32_t panels = ly_panel_count(loop->height);
    for (int32_t i = CHUNK * index; i < least(CHUNK * (index + 1), panels); ++i) {
        const double *from = loop->from + ly_triangle_room(i);
        const int64_t *row = loop->row + LY_PANEL * i, *row_p = loop->row_p + LY_PANEL * i;
        int32_t count = least(LY_PANEL, loop->height - LY_PANEL * i);
        int32_t full = LY_PANEL * i, end = full + count;
        for (int32_t j = 0; j < end; ++j) {
            int32_t first = j < full ? 0 : j - full;
            double *to =
                (j < loop->split ? loop->trapezoid.values : loop->passed) + loop->column[j];
            if (first == 0 && count == LY_PANEL) {
                add_rows(0, LY_PANEL, from + LY_PANEL * j, to, j < loop->split ? row : row_p);
            } else {
                add_rows(first, count, from + LY_PANEL * j, to, j < loop->split ? row : row_p);
            }
        }
    }
}

// adds what child `c` passed
static void add_child(FrontLoop *loop, int32_t c, int32_t worker)
{
    LyFrontFactor *factor = loop->factor;
    const LyFronts *fronts = factor->fronts;
    const LyFront *child = &fronts->fronts[c], *front = loop->front;
    int32_t size = fronts->node_size, width = loop->trapezoid.width;
    int64_t pivots = ly_triangle_room(ly_panel_count(width));
    int64_t *row = factor->base + worker * 3 * (int64_t)fronts->widest;
    int64_t *row_p = row + fronts->widest, *column = row_p + fronts->widest;
    int32_t n = 0, split = 0;
    for (int32_t k = 0; k < child->height; ++k) {
        int32_t place = fronts->place[child->rows + k];
        bool pivot = place < front->width;
        for (int32_t d = 0; d < size; ++d, ++n) {
            int64_t r = (int64_t)(pivot ? place : place - front->width) * size + d;
            int64_t triangle = ly_triangle_room(r / LY_PANEL) + r % LY_PANEL;
            row[n] = pivot ? triangle
                           : pivots + (int64_t)LY_PANEL * width * (r / LY_PANEL) + r % LY_PANEL;
            row_p[n] = triangle;
            column[n] = LY_PANEL * r;
            split += pivot;
        }
    }
    loop->from = passed_at(factor, child, worker);
    loop->height = n;
    loop->split = split;
    loop->row = row;
    loop->row_p = row_p;
    loop->column = column;
    run(loop, chunks(ly_panel_count(n), CHUNK), add_task, worker);
}

// place of an entry of a front
static inline int64_t entry_place(const LyTrapezoid *t, int32_t row, int32_t column)
{
    int32_t pivots = ly_panel_count(t->width), below = row - t->width;
    int64_t at = LY_PANEL * (int64_t)column;
    return below < 0 ? at + ly_triangle_room(row / LY_PANEL) + row % LY_PANEL
                     : at + ly_triangle_room(pivots) +
                           (int64_t)LY_PANEL * t->width * (below / LY_PANEL) + below % LY_PANEL;
}

// the entries of the matrix
static void set_entries(const FrontLoop *loop, int32_t f)
{
    const LyFrontFactor *factor = loop->factor;
    const LyTrapezoid *t = &loop->trapezoid;
    int32_t size = factor->fronts->node_size;
    for (int64_t e = factor->entry_start[f]; e < factor->entry_start[f + 1]; ++e) {
        const LyFrontEntry *entry = &factor->entries[e];
        const double *from = loop->matrix + (entry->source >> 1) * size * size;
        int32_t along = entry->source & 1 ? 1 : size, across = entry->source & 1 ? size : 1;
        for (int32_t r = 0; r < size; ++r) {
            double *to = t->values + entry_place(t, entry->row + r, entry->column);
            // up to the diagonal
            int32_t end = least(size, entry->row + r - entry->column + 1);
            for (int32_t c = 0; c < end; ++c) {
                to[LY_PANEL * c] = from[along * r + across * c];
            }
        }
    }
    const LyFronts *fronts = factor->fronts;
    for (int32_t k = 0; k < t->width && loop->input->added; ++k) {
        int64_t old = fronts->order[fronts->fronts[f].first + k / size];
        t->values[entry_place(t, k, k)] += loop->input->added[old * size + k % size];
    }
}

// some numbers of a front that is done, to single precision
static void store_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const FrontLoop *loop = data;
    const LyTrapezoid *t = &loop->trapezoid;
    int64_t begin = (int64_t)STORE_CHUNK * index, end = begin + STORE_CHUNK;
    float *to = loop->factor->singles + loop->front->values;
    end = ly_min_i64(end, ly_trapezoid_room(t->width, t->height));
    for (int64_t k = begin; k < end; ++k) {
        to[k] = (float)t->values[k];
    }
}

// clears panels of what is passed on
static void clear_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const FrontLoop *loop = data;
    int32_t panels = ly_panel_count(loop->trapezoid.height);
    int64_t begin = ly_triangle_room(CHUNK * index);
    int64_t end = ly_triangle_room(least(CHUNK * (index + 1), panels));
    memset(loop->passed + begin, 0, (size_t)(end - begin) * sizeof(double));
}

// ---- factor -------------------------------------------------------------------------------------

static void below_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const FrontLoop *loop = data;
    const LyTrapezoid *t = &loop->trapezoid;
    int32_t panels = ly_panel_count(t->width) + ly_panel_count(t->height);
    int32_t first = ly_panel_count(loop->end) + CHUNK * index;
    loop->factor->kernels->below(t, loop->begin, loop->end, first, least(first + CHUNK, panels),
                                 loop->signs);
}

// tile `index` of the lower triangle, row by row
static void update_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const FrontLoop *loop = data;
    int32_t panels = ly_panel_count(loop->trapezoid.height), i = 0;
    while (index > i) {
        index -= ++i;
    }
    int32_t last = least(CHUNK * (i + 1), panels);
    loop->factor->kernels->update(&loop->trapezoid, loop->passed, CHUNK * i, last, CHUNK * index,
                                  least(CHUNK * (index + 1), last), loop->signs);
}

// one front; returns 0 or the number of the pivot that failed, from 1
static int32_t compute_front(FrontLoop *loop, int32_t f, int32_t worker)
{
    LyFrontFactor *factor = loop->factor;
    const LyFront *front = &factor->fronts->fronts[f];
    loop->front = front;
    loop->trapezoid = trapezoid_at_hand(factor, front, worker);
    loop->passed = passed_at(factor, front, worker);
    loop->signs = loop->input->indefinite ? factor->signs + front->pivot : NULL;
    LyTrapezoid *t = &loop->trapezoid;
    int32_t pivots = ly_panel_count(t->width), panels = ly_panel_count(t->height);

    // collect
    memset(t->values, 0, (size_t)ly_trapezoid_room(t->width, t->height) * sizeof(double));
    run(loop, chunks(panels, CHUNK), clear_task, worker);
    set_entries(loop, f);
    for (int32_t c = front->child; c >= 0; c = factor->fronts->fronts[c].next) {
        add_child(loop, c, worker);
    }

    // eliminate
    for (loop->begin = 0; loop->begin < t->width; loop->begin = loop->end) {
        loop->end = least(loop->begin + LY_FRONT_BLOCK, t->width);
        int32_t failed = factor->kernels->diagonal(t, loop->begin, loop->end, loop->signs);
        if (failed) {
            return failed;
        }
        int32_t rest = pivots + panels - ly_panel_count(loop->end);
        run(loop, chunks(rest, CHUNK), below_task, worker);
    }
    int32_t tiles = chunks(panels, CHUNK);
    run(loop, tiles * (tiles + 1) / 2, update_task, worker);
    if (factor->holding.single) {
        int64_t room = ly_trapezoid_room(t->width, t->height);
        run(loop, (int32_t)((room + STORE_CHUNK - 1) / STORE_CHUNK), store_task, worker);
    }
    return 0;
}

// the pivot that failed, counted along the elimination
static int64_t failed_pivot(const LyFronts *fronts, int32_t f, int32_t failed)
{
    return (int64_t)fronts->fronts[f].first * fronts->node_size + failed - 1;
}

static void tree_task(void *data, int32_t index, int32_t worker)
{
    FrontLoop loop = *(const FrontLoop *)data;
    const LyFronts *fronts = loop.factor->fronts;
    loop.factor->failed[index] = -1;
    for (int32_t f = fronts->tree_begin[index]; f <= fronts->tree_end[index]; ++f) {
        int32_t failed = compute_front(&loop, f, worker);
        if (failed) {
            loop.factor->failed[index] = failed_pivot(fronts, f, failed);
            return;
        }
    }
}

LyraStatus ly_front_factor_compute(LyFrontFactor *factor, const LyFrontInput *input,
                                   int64_t *failed)
{
    const LyFronts *fronts = factor->fronts;
    const LyraOperator *A = input->A;
    const int64_t *start;
    const int32_t *column;
    int64_t count = matrix_rows(A, &start, &column);
    if (count != factor->source_count ||
        A->size != (int64_t)fronts->node_count * fronts->node_size) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "the matrix is not on the analyzed pattern: %d unknowns and %lld stored "
                       "blocks or entries, expected %lld and %lld",
                       A->size, (long long)count, (long long)fronts->node_count * fronts->node_size,
                       (long long)factor->source_count);
    }
    LY_TRY(take_numbers(factor));
    LY_TRY(take_scratch(factor));
    FrontLoop loop = {.factor = factor, .input = input};
    loop.matrix = A->kind == LYRA_OPERATOR_BLOCK ? lyra_block_matrix_values(A->block)
                                                 : lyra_csr_matrix_values(A->csr);
    for (int64_t k = 0; k < fronts->pivot_room && !input->indefinite; ++k) {
        factor->signs[k] = 1.0;
    }
    ly_parallel_for(fronts->ctx, fronts->tree_count, tree_task, &loop);
    int64_t first = -1;
    for (int32_t t = 0; t < fronts->tree_count; ++t) {
        int64_t pivot = factor->failed[t];
        first = pivot >= 0 && (first < 0 || pivot < first) ? pivot : first;
    }
    for (int32_t f = 0; f < fronts->count && first < 0; ++f) {
        if (fronts->fronts[f].top) {
            int32_t number = compute_front(&loop, f, 0);
            first = number ? failed_pivot(fronts, f, number) : -1;
        }
    }
    *failed = first < 0 ? -1
                        : (int64_t)fronts->order[first / fronts->node_size] * fronts->node_size +
                              first % fronts->node_size;
    if (factor->holding.transient) {
        ly_release(fronts->ctx, factor->scratch);
        factor->scratch = NULL;
    }
    return LYRA_OK;
}

void ly_front_factor_pivots(const LyFrontFactor *factor, double *pivots)
{
    const LyFronts *fronts = factor->fronts;
    int32_t size = fronts->node_size;
    for (int32_t f = 0; f < fronts->count; ++f) {
        const LyFront *front = &fronts->fronts[f];
        for (int32_t k = 0; k < front->width * size; ++k) {
            int64_t at = front->values + ly_triangle_room(k / LY_PANEL) + (int64_t)LY_PANEL * k +
                         k % LY_PANEL;
            double root = factor->holding.single ? (double)factor->singles[at] : factor->values[at];
            // numbers that left the range of single precision have no pivot
            root = isfinite(root) ? root : 0;
            int64_t old = fronts->order[front->first + k / size];
            pivots[old * size + k % size] = factor->signs[front->pivot + k] * root * root;
        }
    }
}

// ---- solve --------------------------------------------------------------------------------------

static void apply_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const FrontLoop *loop = data;
    int32_t panels = ly_panel_count(loop->trapezoid.height);
    loop->factor->kernels->apply(&loop->trapezoid, loop->group, loop->x, SOLVE_CHUNK * index,
                                 least(SOLVE_CHUNK * (index + 1), panels), loop->y);
}

static void apply_transposed_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const FrontLoop *loop = data;
    int32_t panels = ly_panel_count(loop->trapezoid.width);
    loop->factor->kernels->apply_transposed(&loop->trapezoid, loop->group, loop->y,
                                            SOLVE_CHUNK * index,
                                            least(SOLVE_CHUNK * (index + 1), panels), loop->x);
}

static void begin_front(FrontLoop *loop, int32_t f)
{
    LyFrontFactor *factor = loop->factor;
    const LyFront *front = &factor->fronts->fronts[f];
    int32_t group = loop->group ? LY_FRONT_GROUP : 1;
    loop->front = front;
    loop->trapezoid = trapezoid_of(factor, front);
    loop->x = factor->x + group * front->pivot;
    loop->y = factor->y + group * front->below;
}

// up the tree
static void reduce_front(FrontLoop *loop, int32_t f, int32_t worker)
{
    begin_front(loop, f);
    const LyFrontFactor *factor = loop->factor;
    const LyFronts *fronts = factor->fronts;
    const LyFront *front = loop->front;
    const LyTrapezoid *t = &loop->trapezoid;
    int32_t group = loop->group ? LY_FRONT_GROUP : 1, size = fronts->node_size * group;
    int32_t panels = ly_panel_count(t->height);
    memset(loop->y, 0, (size_t)panels * LY_PANEL * (size_t)group * sizeof(double));
    for (int32_t c = front->child; c >= 0; c = fronts->fronts[c].next) {
        const LyFront *child = &fronts->fronts[c];
        const double *from = factor->y + group * child->below;
        for (int32_t k = 0; k < child->height; ++k) {
            int32_t place = fronts->place[child->rows + k];
            double *to = place < front->width ? loop->x + (int64_t)place * size
                                              : loop->y + (int64_t)(place - front->width) * size;
            for (int32_t d = 0; d < size; ++d) {
                to[d] += from[(int64_t)k * size + d];
            }
        }
    }
    factor->kernels->solve(t, loop->group, loop->x);
    run(loop, chunks(panels, SOLVE_CHUNK), apply_task, worker);
}

// down the tree
static void restore_front(FrontLoop *loop, int32_t f, int32_t worker)
{
    begin_front(loop, f);
    const LyFrontFactor *factor = loop->factor;
    const LyFronts *fronts = factor->fronts;
    const LyFront *front = loop->front;
    const LyTrapezoid *t = &loop->trapezoid;
    int32_t group = loop->group ? LY_FRONT_GROUP : 1, size = fronts->node_size * group;
    if (front->parent >= 0) {
        const LyFront *parent = &fronts->fronts[front->parent];
        const double *x = factor->x + group * parent->pivot;
        const double *y = factor->y + group * parent->below;
        for (int32_t k = 0; k < front->height; ++k) {
            int32_t place = fronts->place[front->rows + k];
            const double *from = place < parent->width
                                     ? x + (int64_t)place * size
                                     : y + (int64_t)(place - parent->width) * size;
            memcpy(loop->y + (int64_t)k * size, from, (size_t)size * sizeof(double));
        }
        // the last panel is full
        int32_t used = t->height * group;
        int32_t room = LY_PANEL * ly_panel_count(t->height) * group;
        memset(loop->y + used, 0, (size_t)(room - used) * sizeof(double));
    }
    if (t->height > 0) {
        run(loop, chunks(ly_panel_count(t->width), SOLVE_CHUNK), apply_transposed_task, worker);
    }
    factor->kernels->solve_transposed(t, loop->group, loop->x);
}

static void reduce_task(void *data, int32_t index, int32_t worker)
{
    FrontLoop loop = *(const FrontLoop *)data;
    const LyFronts *fronts = loop.factor->fronts;
    for (int32_t f = fronts->tree_begin[index]; f <= fronts->tree_end[index]; ++f) {
        reduce_front(&loop, f, worker);
    }
}

static void restore_task(void *data, int32_t index, int32_t worker)
{
    FrontLoop loop = *(const FrontLoop *)data;
    const LyFronts *fronts = loop.factor->fronts;
    for (int32_t f = fronts->tree_end[index]; f >= fronts->tree_begin[index]; --f) {
        restore_front(&loop, f, worker);
    }
}

static void run_trees(const FrontLoop *loop, LyraTask *task)
{
    const LyFronts *fronts = loop->factor->fronts;
    if (fronts->values_room > SOLVE_PARALLEL) {
        ly_parallel_for(fronts->ctx, fronts->tree_count, task, (void *)loop);
        return;
    }
    for (int32_t t = 0; t < fronts->tree_count; ++t) {
        task((void *)loop, t, 0);
    }
}

// the columns to or from the order of elimination
static void carry(const LyFrontFactor *factor, int32_t columns, int32_t group, bool in,
                  const double *B, double *X)
{
    const LyFronts *fronts = factor->fronts;
    int64_t part = fronts->node_size, size = fronts->node_count * part;
    for (int32_t f = 0; f < fronts->count; ++f) {
        const LyFront *front = &fronts->fronts[f];
        for (int32_t n = 0; n < front->width; ++n) {
            int64_t old = (int64_t)fronts->order[front->first + n] * part;
            double *at = factor->x + (front->pivot + n * part) * group;
            for (int64_t d = 0; d < part; ++d) {
                for (int32_t c = 0; c < group && in; ++c) {
                    at[d * group + c] = c < columns ? B[c * size + old + d] : 0.0;
                }
                for (int32_t c = 0; c < columns && !in; ++c) {
                    X[c * size + old + d] = at[d * group + c];
                }
            }
        }
        // up to whole panels
        int64_t used = front->width * part;
        int64_t room = LY_PANEL * (int64_t)ly_panel_count((int32_t)used);
        if (in && room > used) {
            memset(factor->x + (front->pivot + used) * group, 0,
                   (size_t)((room - used) * group) * sizeof(double));
        }
    }
}

static void solve_some(LyFrontFactor *factor, int32_t columns, const double *B, double *X)
{
    const LyFronts *fronts = factor->fronts;
    int32_t group = columns > 1 ? LY_FRONT_GROUP : 1;
    FrontLoop loop = {.factor = factor, .group = columns > 1};
    carry(factor, columns, group, true, B, X);
    run_trees(&loop, reduce_task);
    for (int32_t f = 0; f < fronts->count; ++f) {
        if (fronts->fronts[f].top) {
            reduce_front(&loop, f, 0);
        }
    }
    for (int64_t k = 0; k < fronts->pivot_room; ++k) {
        for (int32_t c = 0; c < group; ++c) {
            factor->x[k * group + c] *= factor->signs[k];
        }
    }
    for (int32_t f = fronts->count - 1; f >= 0; --f) {
        if (fronts->fronts[f].top) {
            restore_front(&loop, f, 0);
        }
    }
    run_trees(&loop, restore_task);
    carry(factor, columns, group, false, B, X);
}

LyraStatus ly_front_factor_solve(LyFrontFactor *factor, int32_t columns, const double *B, double *X)
{
    const LyFronts *fronts = factor->fronts;
    int32_t group = columns > 1 && !factor->holding.single ? LY_FRONT_GROUP : 1;
    if (factor->group < group) {
        LyraContext *ctx = fronts->ctx;
        double *x = NULL, *y = NULL;
        LY_TRY(ly_allocate_array(ctx, group * fronts->pivot_room, sizeof *x, &x));
        LyraStatus status = ly_allocate_array(ctx, group * fronts->below_room, sizeof *y, &y);
        if (status != LYRA_OK) {
            ly_release(ctx, x);
            return status;
        }
        ly_release(ctx, factor->x);
        ly_release(ctx, factor->y);
        factor->x = x;
        factor->y = y;
        factor->group = group;
    }
    int64_t size = (int64_t)fronts->node_count * fronts->node_size;
    for (int32_t c = 0; c < columns; c += group) {
        solve_some(factor, least(group, columns - c), B + c * size, X + c * size);
    }
    return LYRA_OK;
}
