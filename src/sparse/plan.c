// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Plans of products (see sparse.h), sorting of short rows, and loops over values.

#include "sparse/sparse.h"

// ---- plans --------------------------------------------------------------------------------------

// first row at which at least `entries` entries lie behind
static int32_t row_of_entry(const int64_t *row_start, int32_t row_count, int64_t entries)
{
    int32_t low = 0, high = row_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (row_start[middle] < entries) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Lists the columns that piece `index` writes but does not own, ascending, and numbers its
// off-piece entries by them. With `fill` false only counts. `place` has one cell per column.
static void plan_piece(LyPlan *plan, const int64_t *row_start, const int32_t *column, int32_t index,
                       int32_t *place, bool fill)
{
    int32_t row_begin = plan->row_begin[index], row_end = plan->row_begin[index + 1];
    int32_t own_begin = plan->owns ? row_begin : 0, own_end = plan->owns ? row_end : 0;
    int64_t halo_start = plan->halo_start[index], entry = plan->entry_start[index];
    int64_t halo_count = 0;
    // in the counting pass a cell that holds `index` was seen; cells start at -1
    for (int64_t k = row_start[row_begin]; k < row_start[row_end]; ++k) {
        int32_t j = column[k];
        if (j >= own_begin && j < own_end) {
            continue;
        }
        if (!fill) {
            halo_count += place[j] != index;
            ++entry;
        } else if (place[j] != index) {
            plan->halo_column[halo_start + halo_count++] = j;
        }
        place[j] = index;
    }
    if (!fill) {
        plan->halo_start[index + 1] = halo_start + halo_count;
        plan->entry_start[index + 1] = entry;
        return;
    }
    ly_sort_i32(plan->halo_column + halo_start, halo_count);
    for (int64_t h = 0; h < halo_count; ++h) {
        place[plan->halo_column[halo_start + h]] = (int32_t)h;
    }
    for (int64_t k = row_start[row_begin]; k < row_start[row_end]; ++k) {
        int32_t j = column[k];
        if (j < own_begin || j >= own_end) {
            plan->entry_halo[entry++] = place[j];
        }
    }
    // leave no cell that a later piece could take for its own number
    for (int64_t h = 0; h < halo_count; ++h) {
        place[plan->halo_column[halo_start + h]] = -1;
    }
}

// the places in every halo at which the outputs of each target piece begin
static void plan_targets(LyPlan *plan)
{
    for (int32_t t = 0; t <= plan->target_pieces; ++t) {
        for (int32_t p = 0; p < plan->pieces; ++p) {
            plan->target_halo[(int64_t)t * plan->pieces + p] =
                ly_lower_bound(plan->halo_column, plan->halo_start[p], plan->halo_start[p + 1],
                               plan->target_begin[t]);
        }
    }
}

LyraStatus ly_plan_create(LyraContext *ctx, int32_t row_count, int32_t column_count,
                          const int64_t *row_start, const int32_t *column, int64_t grain,
                          LyPlan *out)
{
    int64_t entry_count = row_start[row_count];
    LyPlan plan = {.owns = row_count == column_count};
    int32_t *place = NULL;
    LyraStatus status = LYRA_OK;

    plan.pieces = (int32_t)ly_min_i64(ly_piece_count(entry_count, grain), LY_PLAN_PIECES_MAX);
    plan.pieces = (int32_t)ly_max_i64(ly_min_i64(plan.pieces, row_count), 1);
    plan.target_pieces =
        plan.owns ? plan.pieces : (int32_t)ly_max_i64(ly_min_i64(column_count, plan.pieces), 1);
    LY_TRY_DONE(ly_allocate_array(ctx, plan.pieces + 1, sizeof(int32_t), &plan.row_begin));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, plan.pieces + 1, sizeof(int64_t), &plan.halo_start));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, plan.pieces + 1, sizeof(int64_t), &plan.entry_start));
    LY_TRY_DONE(
        ly_allocate_array(ctx, plan.target_pieces + 1, sizeof(int32_t), &plan.target_begin));
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)(plan.target_pieces + 1) * plan.pieces,
                                  sizeof(int64_t), &plan.target_halo));
    LY_TRY_DONE(ly_allocate_array(ctx, column_count, sizeof(int32_t), &place));

    // rows by equal numbers of entries
    for (int32_t p = 0; p <= plan.pieces; ++p) {
        plan.row_begin[p] =
            p == plan.pieces
                ? row_count
                : row_of_entry(row_start, row_count, ly_piece_begin(entry_count, plan.pieces, p));
    }
    plan.row_begin[0] = 0;
    for (int32_t t = 0; t <= plan.target_pieces; ++t) {
        plan.target_begin[t] = plan.owns
                                   ? plan.row_begin[t]
                                   : (int32_t)ly_piece_begin(column_count, plan.target_pieces, t);
    }

    // count, then list
    memset(place, 0xff, (size_t)column_count * sizeof(int32_t));
    for (int32_t p = 0; p < plan.pieces; ++p) {
        plan_piece(&plan, row_start, column, p, place, false);
    }
    LY_TRY_DONE(
        ly_allocate_array(ctx, plan.halo_start[plan.pieces], sizeof(int32_t), &plan.halo_column));
    LY_TRY_DONE(
        ly_allocate_array(ctx, plan.entry_start[plan.pieces], sizeof(int32_t), &plan.entry_halo));
    memset(place, 0xff, (size_t)column_count * sizeof(int32_t));
    for (int32_t p = 0; p < plan.pieces; ++p) {
        plan_piece(&plan, row_start, column, p, place, true);
    }
    plan_targets(&plan);
    *out = plan;
    plan = (LyPlan){0};
done:
    ly_release(ctx, place);
    ly_plan_destroy(ctx, &plan);
    return status;
}

void ly_plan_destroy(LyraContext *ctx, LyPlan *plan)
{
    ly_release(ctx, plan->row_begin);
    ly_release(ctx, plan->halo_start);
    ly_release(ctx, plan->halo_column);
    ly_release(ctx, plan->entry_start);
    ly_release(ctx, plan->entry_halo);
    ly_release(ctx, plan->target_begin);
    ly_release(ctx, plan->target_halo);
    *plan = (LyPlan){0};
}

// ---- sorting ------------------------------------------------------------------------------------

static void sift_down(int32_t *values, int64_t root, int64_t count)
{
    int32_t value = values[root];
    for (;;) {
        int64_t child = 2 * root + 1;
        if (child >= count) {
            break;
        }
        if (child + 1 < count && values[child + 1] > values[child]) {
            ++child;
        }
        if (values[child] <= value) {
            break;
        }
        values[root] = values[child];
        root = child;
    }
    values[root] = value;
}

void ly_sort_i32(int32_t *values, int64_t count)
{
    if (count <= 48) {
        for (int64_t i = 1; i < count; ++i) {
            int32_t value = values[i];
            int64_t j = i;
            for (; j > 0 && values[j - 1] > value; --j) {
                values[j] = values[j - 1];
            }
            values[j] = value;
        }
        return;
    }
    for (int64_t root = count / 2 - 1; root >= 0; --root) {
        sift_down(values, root, count);
    }
    for (int64_t last = count - 1; last > 0; --last) {
        int32_t top = values[0];
        values[0] = values[last];
        values[last] = top;
        sift_down(values, 0, last);
    }
}

// ---- loops over values --------------------------------------------------------------------------

typedef enum ValuesOperation {
    VALUES_ZERO,
    VALUES_COPY,
    VALUES_SCALE,
    VALUES_AXPY,
} ValuesOperation;

typedef struct ValuesLoop {
    ValuesOperation operation;
    double *y;
    const double *x;
    double a;
    int64_t count;
    int32_t pieces;
} ValuesLoop;

static void values_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const ValuesLoop *loop = data;
    int64_t begin = ly_piece_begin(loop->count, loop->pieces, index);
    int64_t count = ly_piece_begin(loop->count, loop->pieces, index + 1) - begin;
    double *y = loop->y + begin;
    const double *x = loop->x ? loop->x + begin : NULL;
    double a = loop->a;
    switch (loop->operation) {
    case VALUES_ZERO:
        memset(y, 0, (size_t)count * sizeof(double));
        break;
    case VALUES_COPY:
        memcpy(y, x, (size_t)count * sizeof(double));
        break;
    case VALUES_SCALE:
        for (int64_t i = 0; i < count; ++i) {
            y[i] *= a;
        }
        break;
    case VALUES_AXPY:
        for (int64_t i = 0; i < count; ++i) {
            y[i] += a * x[i];
        }
        break;
    }
}

static void values_loop(LyraContext *ctx, ValuesOperation operation, double *y, double a,
                        const double *x, int64_t count)
{
    ValuesLoop loop = {operation, y, x, a, count, ly_piece_count(count, 131072)};
    ly_parallel_for(ctx, loop.pieces, values_task, &loop);
}

void ly_values_zero(LyraContext *ctx, double *y, int64_t count)
{
    values_loop(ctx, VALUES_ZERO, y, 0.0, NULL, count);
}

void ly_values_copy(LyraContext *ctx, double *y, const double *x, int64_t count)
{
    if (y != x) {
        values_loop(ctx, VALUES_COPY, y, 0.0, x, count);
    }
}

void ly_values_scale(LyraContext *ctx, double *y, double a, int64_t count)
{
    values_loop(ctx, VALUES_SCALE, y, a, NULL, count);
}

void ly_values_axpy(LyraContext *ctx, double *y, double a, const double *x, int64_t count)
{
    values_loop(ctx, VALUES_AXPY, y, a, x, count);
}
