// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Constraints on a factor of the whole matrix, without refactoring.
//
// With the directions as columns of N (n x k, N^T N = I) and prescribed values v, x is to satisfy
//
//   A x = b + N l,   N^T x = v,                                                            (1)
//
// l being the reactions. With x^ = A^-1 b and U^ = A^-1 N the first line is x = x^ + U^ l, and the
// second gives C l = v - N^T x^ with C = N^T U^:
//
//   x = x^ - U^ C^-1 (N^T x^ - v).                                                         (2)
//
// Hauth [Hau04] writes the constrained system as [P A + (I - P)] x = P b + (I - P) x_bar =: b' and
// inverts it as a change A + U W^T of A by U = N, W = (I - A)^T N, since P A + I - P =
// A + N N^T (I - A):
//
//   x = x' - U^ (I + W^T U^)^-1 W^T x',   x' = A^-1 b'.                                    (3)
//
// W^T U^ = N^T (I - A) A^-1 N = N^T U^ - I, so I + W^T U^ is C; and W^T x' = N^T x' - N^T b' =
// N^T x' - v. As b' = b + N (v - N^T b), x' and x^ differ by U^ times something, which the
// correction takes out of both alike: (3) and (2) are the same x. We compute (2), because the 1 of
// I - A in (3) has no unit: C alone, of the unit of 1/A, keeps its condition when A is scaled, and
// its factor equilibrates what differs between directions. C is symmetric if A is, and positive
// definite if A is.
//
// A itself must be regular: a body that only the constraints hold has no A^-1. Columns of U^ are
// kept by direction; a direction that comes costs one solve, one that goes costs none.
//
// The front end has prescribed values in b already, so v = 0 here.

#include "solve/front.h"

#include <string.h>

// columns that are solved for at once
#define CHUNK 16

void ly_low_rank_create(LyraContext *ctx, const LyraOperator *A, LyLowRank *out)
{
    *out = (LyLowRank){.ctx = ctx, .size = A->size, .symmetric = A->symmetric};
}

void ly_low_rank_reset(LyLowRank *low_rank)
{
    low_rank->count = 0;
    low_rank->version = 0;
}

static LyraStatus reserve(LyLowRank *low_rank, int32_t count)
{
    if (count <= low_rank->capacity && low_rank->unit) {
        return LYRA_OK;
    }
    LyraContext *ctx = low_rank->ctx;
    int64_t old = low_rank->capacity, capacity = ly_max_i64(count, old + old / 2 + 4);
    if (!low_rank->unit) {
        LY_TRY(ly_allocate_array(ctx, 2 * CHUNK * (int64_t)low_rank->size, sizeof(double),
                                 &low_rank->unit));
    }
    LY_TRY(ly_resize_array(ctx, capacity, sizeof(int32_t), &low_rank->vertex));
    LY_TRY(ly_resize_array(ctx, 3 * capacity, sizeof(double), &low_rank->direction));
    LY_TRY(ly_resize_array(ctx, capacity, sizeof(int32_t), &low_rank->slot));
    LY_TRY(ly_resize_array(ctx, capacity, sizeof(double), &low_rank->lambda));
    LY_TRY(ly_resize_array(ctx, capacity * capacity, sizeof(double), &low_rank->matrix));
    LY_TRY(ly_resize_array(ctx, capacity, sizeof(double *), &low_rank->columns));
    for (int64_t k = old; k < capacity; ++k) {
        low_rank->columns[k] = NULL;
    }
    low_rank->capacity = (int32_t)capacity;
    return LYRA_OK;
}

// lists the directions of `view`, with the columns of those that are known; both lists ascend by
// vertex. `used` [capacity] marks columns that stay. Directions without one get slot -1.
static void match(LyLowRank *low_rank, const LyraConstraintsView *view, const int32_t *old_vertex,
                  const double *old_direction, const int32_t *old_slot, uint8_t *used)
{
    int32_t begin = 0;
    for (int32_t k = 0; k < view->count; ++k) {
        const double *n = view->direction + 3 * (int64_t)k;
        while (begin < low_rank->count && old_vertex[begin] < view->vertex[k]) {
            ++begin;
        }
        low_rank->slot[k] = -1;
        for (int32_t o = begin; o < low_rank->count && old_vertex[o] == view->vertex[k]; ++o) {
            if (memcmp(old_direction + 3 * (int64_t)o, n, 3 * sizeof(double)) == 0) {
                low_rank->slot[k] = old_slot[o];
                used[old_slot[o]] = 1;
            }
        }
        low_rank->vertex[k] = view->vertex[k];
        memcpy(low_rank->direction + 3 * (int64_t)k, n, 3 * sizeof(double));
    }
}

// n . x of direction k
static double part(const LyLowRank *low_rank, int32_t k, const double *x)
{
    int32_t v = low_rank->vertex[k], width = ly_vertex_width(low_rank->size, v);
    const double *n = low_rank->direction + 3 * (int64_t)k;
    double sum = 0.0;
    for (int32_t i = 0; i < width; ++i) {
        sum += n[i] * x[3 * (int64_t)v + i];
    }
    return sum;
}

// columns A^-1 n of `count` directions, those numbered `which`, into their slots
static LyraStatus solve_columns(LyLowRank *low_rank, int32_t count, const int32_t *which,
                                const LyraSolverType *type, void *self)
{
    int64_t size = low_rank->size;
    double *sought = low_rank->unit + CHUNK * size;
    for (int32_t c = 0; c < count; ++c) {
        int32_t k = which[c], v = low_rank->vertex[k], slot = low_rank->slot[k];
        if (!low_rank->columns[slot]) {
            LY_TRY(
                ly_allocate_array(low_rank->ctx, size, sizeof(double), &low_rank->columns[slot]));
        }
        double *rhs = low_rank->unit + c * size;
        memset(rhs, 0, (size_t)size * sizeof(double));
        memcpy(rhs + 3 * (int64_t)v, low_rank->direction + 3 * (int64_t)k,
               (size_t)ly_vertex_width(low_rank->size, v) * sizeof(double));
    }
    LyraSolveReport unused = {0};
    LY_TRY(type->solve(self, count, low_rank->unit, false, sought, &unused));
    for (int32_t c = 0; c < count; ++c) {
        ly_vector_copy(low_rank->ctx, size, sought + c * size,
                       low_rank->columns[low_rank->slot[which[c]]]);
    }
    return LYRA_OK;
}

// gives directions without a column one that is free, and solves for them
static LyraStatus solve_new(LyLowRank *low_rank, int32_t count, const uint8_t *used,
                            const LyraSolverType *type, void *self)
{
    int32_t which[CHUNK], waiting = 0, slot = 0;
    for (int32_t k = 0; k < count; ++k) {
        if (low_rank->slot[k] < 0) {
            while (used[slot]) {
                ++slot;
            }
            low_rank->slot[k] = slot++;
            which[waiting++] = k;
        }
        if (waiting == CHUNK || (waiting > 0 && k + 1 == count)) {
            LY_TRY(solve_columns(low_rank, waiting, which, type, self));
            waiting = 0;
        }
    }
    return LYRA_OK;
}

// C = N^T U^ and its factor
static LyraStatus factor_matrix(LyLowRank *low_rank, int32_t count)
{
    for (int32_t j = 0; j < count; ++j) {
        const double *column = low_rank->columns[low_rank->slot[j]];
        for (int32_t i = 0; i < count; ++i) {
            low_rank->matrix[i + (int64_t)j * count] = part(low_rank, i, column);
        }
    }
    LyraStatus status = LYRA_OK;
    if (low_rank->factor && low_rank->factor_size == count) {
        status = lyra_dense_factor_update(low_rank->factor, low_rank->matrix);
    } else {
        lyra_dense_factor_destroy(low_rank->factor);
        low_rank->factor = NULL;
        low_rank->factor_size = count;
        status = lyra_dense_factor_create(low_rank->ctx,
                                          low_rank->symmetric ? LYRA_FACTOR_LDL : LYRA_FACTOR_LU,
                                          count, low_rank->matrix, &low_rank->factor);
    }
    return status == LYRA_OK || status == LYRA_OUT_OF_MEMORY
               ? status
               : ly_fail_within(LYRA_SINGULAR, "constraints in low-rank form");
}

// fits slots to the directions of `view`; `scratch` has room for what was known before
static LyraStatus update(LyLowRank *low_rank, const LyraConstraintsView *view,
                         const LyraSolverType *type, void *self, void *scratch)
{
    size_t known = (size_t)low_rank->count;
    double *direction = scratch;
    int32_t *vertex = (int32_t *)(direction + 3 * known), *slot = vertex + known;
    uint8_t *used = (uint8_t *)(slot + known);
    if (known > 0) {
        memcpy(direction, low_rank->direction, 3 * known * sizeof(double));
        memcpy(vertex, low_rank->vertex, known * sizeof(int32_t));
        memcpy(slot, low_rank->slot, known * sizeof(int32_t));
    }
    memset(used, 0, (size_t)low_rank->capacity);
    match(low_rank, view, vertex, direction, slot, used);
    LY_TRY(solve_new(low_rank, view->count, used, type, self));
    if (view->count > 0) {
        LY_TRY(factor_matrix(low_rank, view->count));
    }
    low_rank->count = view->count;
    low_rank->version = view->version;
    return LYRA_OK;
}

LyraStatus ly_low_rank_update(LyLowRank *low_rank, const LyraConstraints *constraints,
                              const LyraSolverType *type, void *self)
{
    LyraConstraintsView view = lyra_constraints_view(constraints);
    if (view.version == low_rank->version) {
        return LYRA_OK;
    }
    LY_TRY(reserve(low_rank, view.count));
    int64_t bytes = (int64_t)low_rank->count * (int64_t)(3 * sizeof(double) + 2 * sizeof(int32_t));
    void *scratch = NULL;
    LY_TRY(ly_allocate_array(low_rank->ctx, bytes + low_rank->capacity, 1, &scratch));
    LyraStatus status = update(low_rank, &view, type, self, scratch);
    ly_release(low_rank->ctx, scratch);
    if (status != LYRA_OK) {
        ly_low_rank_reset(low_rank);
    }
    return status;
}

LyraStatus ly_low_rank_correct(const LyLowRank *low_rank, double *x)
{
    if (low_rank->count == 0) {
        return LYRA_OK;
    }
    // eq. 2 of the head with v = 0
    for (int32_t k = 0; k < low_rank->count; ++k) {
        low_rank->lambda[k] = -part(low_rank, k, x);
    }
    LY_TRY(lyra_dense_factor_solve(low_rank->factor, 1, low_rank->lambda, low_rank->lambda));
    for (int32_t k = 0; k < low_rank->count; ++k) {
        ly_vector_axpby(low_rank->ctx, low_rank->size, low_rank->lambda[k],
                        low_rank->columns[low_rank->slot[k]], 1.0, x);
    }
    return LYRA_OK;
}

int64_t ly_low_rank_bytes(const LyLowRank *low_rank)
{
    int64_t numbers = low_rank->unit ? 2 * CHUNK * (int64_t)low_rank->size : 0;
    for (int32_t k = 0; k < low_rank->capacity; ++k) {
        numbers += low_rank->columns[k] ? low_rank->size : 0;
    }
    numbers += (int64_t)low_rank->capacity * low_rank->capacity;
    numbers += (int64_t)low_rank->factor_size * low_rank->factor_size;
    return numbers * (int64_t)sizeof(double);
}

void ly_low_rank_destroy(LyLowRank *low_rank)
{
    LyraContext *ctx = low_rank->ctx;
    if (!ctx) {
        return;
    }
    for (int32_t k = 0; k < low_rank->capacity; ++k) {
        ly_release(ctx, low_rank->columns[k]);
    }
    ly_release(ctx, low_rank->columns);
    ly_release(ctx, low_rank->vertex);
    ly_release(ctx, low_rank->direction);
    ly_release(ctx, low_rank->slot);
    ly_release(ctx, low_rank->matrix);
    ly_release(ctx, low_rank->lambda);
    ly_release(ctx, low_rank->unit);
    lyra_dense_factor_destroy(low_rank->factor);
    *low_rank = (LyLowRank){0};
}
