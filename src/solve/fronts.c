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

#include <math.h>
#include <string.h>

/// Panels of rows that are finished together: with a depth of 256, half of a second cache.
#define CHUNK 30
/// Panels of a piece of a solve.
#define SOLVE_CHUNK 32
/// Numbers of the factor from which a solve runs on threads.
#define SOLVE_PARALLEL 100000

typedef struct FrontLoop {
    LyFrontFactor *factor;
    const double *matrix; // values of the matrix
    bool indefinite;
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

static int64_t tree_room(const LyFronts *fronts)
{
    return fronts->tree_stack[0] + fronts->tree_stack[1];
}

// where entry k of column j of the matrix goes, fronts in order
static LyraStatus find_targets(const LyFronts *fronts, const int64_t *start, const int64_t *index,
                               LyFrontFactor *out)
{
    LyraContext *ctx = fronts->ctx;
    LyraStatus status = LYRA_OK;
    int32_t size = fronts->node_size, *at = NULL;
    int64_t columns = (int64_t)fronts->node_count * size, *column_of = NULL, *fill = NULL;
    LY_TRY_DONE(ly_allocate_array(ctx, fronts->node_count, sizeof *at, &at));
    LY_TRY_DONE(ly_allocate_array(ctx, out->entry_count, sizeof *column_of, &column_of));
    LY_TRY_DONE(ly_allocate_array(ctx, fronts->count, sizeof *fill, &fill));
    // entries by fronts
    memset(out->entry_start, 0, ((size_t)fronts->count + 1) * sizeof *out->entry_start);
    for (int32_t pass = 0; pass < 2; ++pass) {
        for (int64_t j = 0; j < columns; ++j) {
            int32_t nj = fronts->inverse[j / size];
            for (int64_t k = start[j]; k < start[j + 1]; ++k) {
                int32_t ni = fronts->inverse[index[k] / size];
                int32_t f = fronts->front_of[ni < nj ? ni : nj];
                if (pass == 0) {
                    ++out->entry_start[f + 1];
                } else {
                    out->entry_source[fill[f]] = k;
                    column_of[fill[f]++] = j;
                }
            }
        }
        for (int32_t f = 0; f < fronts->count && pass == 0; ++f) {
            fill[f] = out->entry_start[f];
            out->entry_start[f + 1] += out->entry_start[f];
        }
    }
    // places
    for (int32_t f = 0; f < fronts->count; ++f) {
        const LyFront *front = &fronts->fronts[f];
        int32_t width = front->width * size, pivots = ly_panel_count(width);
        for (int32_t k = 0; k < front->height; ++k) {
            at[fronts->rows[front->rows + k]] = k;
        }
        for (int64_t e = out->entry_start[f]; e < out->entry_start[f + 1]; ++e) {
            int64_t i = index[out->entry_source[e]], j = column_of[e];
            int32_t ni = fronts->inverse[i / size], nj = fronts->inverse[j / size];
            int32_t row_node = ni > nj ? ni : nj, column_node = ni > nj ? nj : ni;
            int32_t row_part = (int32_t)((ni >= nj ? i : j) % size);
            int32_t column_part = (int32_t)((ni >= nj ? j : i) % size);
            int64_t column = (int64_t)(column_node - front->first) * size + column_part;
            int64_t target = front->values + LY_PANEL * column;
            if (row_node < front->first + front->width) {
                int64_t row = (int64_t)(row_node - front->first) * size + row_part;
                target += ly_triangle_room(row / LY_PANEL) + row % LY_PANEL;
            } else {
                int64_t row = (int64_t)at[row_node] * size + row_part;
                target += ly_triangle_room(pivots) + (int64_t)LY_PANEL * width * (row / LY_PANEL) +
                          row % LY_PANEL;
            }
            out->entry_target[e] = target;
        }
    }
done:
    ly_release(ctx, at);
    ly_release(ctx, column_of);
    ly_release(ctx, fill);
    return status;
}

LyraStatus ly_front_factor_create(const LyFronts *fronts, const int64_t *start,
                                  const int64_t *index, LyFrontFactor *out)
{
    static const LyFrontKernels *const kernels[] = LY_KERNEL_TABLE(&ly_front_kernels);
    LyraContext *ctx = fronts->ctx;
    LyraStatus status = LYRA_OK;
    int64_t threads = lyra_context_thread_count(ctx);
    int64_t entries = start[(int64_t)fronts->node_count * fronts->node_size];
    int64_t top = fronts->top_stack[0] + fronts->top_stack[1];
    *out = (LyFrontFactor){
        .fronts = fronts, .kernels = kernels[lyra_context_isa(ctx)], .entry_count = entries};
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)fronts->count + 1, 8, &out->entry_start));
    LY_TRY_DONE(ly_allocate_array(ctx, entries, 8, &out->entry_source));
    LY_TRY_DONE(ly_allocate_array(ctx, entries, 8, &out->entry_target));
    LY_TRY_DONE(find_targets(fronts, start, index, out));
    LY_TRY_DONE(ly_allocate_array(ctx, fronts->values_room, 8, &out->values));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, fronts->pivot_room, 8, &out->signs));
    LY_TRY_DONE(ly_allocate_array(ctx, threads * tree_room(fronts), 8, &out->tree_memory));
    LY_TRY_DONE(ly_allocate_array(ctx, top, 8, &out->top_memory));
    LY_TRY_DONE(ly_allocate_array(ctx, fronts->kept_room, 8, &out->kept));
    LY_TRY_DONE(ly_allocate_array(ctx, threads * 3 * fronts->widest, 8, &out->base));
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)fronts->tree_count + 1, 8, &out->failed));
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
        ly_release(ctx, factor->entry_source);
        ly_release(ctx, factor->entry_target);
        ly_release(ctx, factor->values);
        ly_release(ctx, factor->signs);
        ly_release(ctx, factor->tree_memory);
        ly_release(ctx, factor->top_memory);
        ly_release(ctx, factor->kept);
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
    return 8 * (2 * factor->entry_count + fronts->count + fronts->values_room + fronts->pivot_room +
                threads * (tree_room(fronts) + 3 * (int64_t)fronts->widest) + fronts->top_stack[0] +
                fronts->top_stack[1] + fronts->kept_room + fronts->tree_count +
                factor->group * (fronts->pivot_room + fronts->below_room));
}

// the triangle that a front passes on
static double *passed_at(const LyFrontFactor *factor, const LyFront *front, int32_t worker)
{
    const LyFronts *fronts = factor->fronts;
    if (front->area == 2) {
        return factor->kept + front->passed;
    }
    double *memory =
        front->top ? factor->top_memory : factor->tree_memory + worker * tree_room(fronts);
    int64_t first = front->top ? fronts->top_stack[0] : fronts->tree_stack[0];
    return memory + (front->area ? first : 0) + front->passed;
}

static LyTrapezoid trapezoid_of(const LyFrontFactor *factor, const LyFront *front)
{
    int32_t size = factor->fronts->node_size;
    return (LyTrapezoid){factor->values + front->values, front->width * size, front->height * size};
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
    loop->trapezoid = trapezoid_of(factor, front);
    loop->passed = passed_at(factor, front, worker);
    loop->signs = loop->indefinite ? factor->signs + front->pivot : NULL;
    LyTrapezoid *t = &loop->trapezoid;
    int32_t pivots = ly_panel_count(t->width), panels = ly_panel_count(t->height);

    // collect
    memset(t->values, 0, (size_t)ly_trapezoid_room(t->width, t->height) * sizeof(double));
    run(loop, chunks(panels, CHUNK), clear_task, worker);
    for (int64_t e = factor->entry_start[f]; e < factor->entry_start[f + 1]; ++e) {
        factor->values[factor->entry_target[e]] = loop->matrix[factor->entry_source[e]];
    }
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

void ly_front_factor_compute(LyFrontFactor *factor, const double *values, bool indefinite,
                             int64_t *failed)
{
    const LyFronts *fronts = factor->fronts;
    FrontLoop loop = {.factor = factor, .matrix = values, .indefinite = indefinite};
    for (int64_t k = 0; k < fronts->pivot_room && !indefinite; ++k) {
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
}

void ly_front_factor_pivots(const LyFrontFactor *factor, double *pivots)
{
    const LyFronts *fronts = factor->fronts;
    int32_t size = fronts->node_size;
    for (int32_t f = 0; f < fronts->count; ++f) {
        const LyFront *front = &fronts->fronts[f];
        for (int32_t k = 0; k < front->width * size; ++k) {
            double root = factor->values[front->values + ly_triangle_room(k / LY_PANEL) +
                                         (int64_t)LY_PANEL * k + k % LY_PANEL];
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
    int32_t group = columns > 1 ? LY_FRONT_GROUP : 1;
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
    for (int32_t c = 0; c < columns; c += LY_FRONT_GROUP) {
        solve_some(factor, least(LY_FRONT_GROUP, columns - c), B + c * size, X + c * size);
    }
    return LYRA_OK;
}
