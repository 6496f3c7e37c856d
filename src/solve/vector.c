// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Vectors whose sums do not depend on threads. A vector is cut into pieces by its length alone;
// each piece sums into lanes of fixed meaning (vector_kernels.c), and the lanes, then the pieces,
// are added in order.

#include "solve/solve.h"
#include "solve/vector_kernels.h"

#include <float.h>
#include <math.h>
#include <string.h>

// entries that are worth waking a thread for, and the most pieces of a vector
#define GRAIN 4096
#define PIECES_MAX 256

typedef struct VectorLoop {
    const LyVectorKernels *kernels;
    int64_t count;
    int32_t pieces;
    double a, b;
    const int32_t *order;
    const double *x, *y;
    double *out;
    double sums[PIECES_MAX];
} VectorLoop;

static int32_t piece_count(int64_t count)
{
    return ly_piece_count(count, ly_max_i64(GRAIN, (count + PIECES_MAX - 1) / PIECES_MAX));
}

static const LyVectorKernels *kernels_of(const LyraContext *ctx)
{
    static const LyVectorKernels *const all[] = LY_KERNEL_TABLE(&ly_vector_kernels);
    return all[lyra_context_isa(ctx)];
}

static void dot_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    VectorLoop *loop = data;
    int64_t begin = ly_piece_begin(loop->count, loop->pieces, index);
    int64_t end = ly_piece_begin(loop->count, loop->pieces, index + 1);
    loop->sums[index] = loop->kernels->dot(end - begin, loop->x + begin, loop->y + begin);
}

double ly_vector_dot(LyraContext *ctx, int64_t count, const double *x, const double *y)
{
    VectorLoop loop = {
        .kernels = kernels_of(ctx), .count = count, .pieces = piece_count(count), .x = x, .y = y};
    ly_parallel_for(ctx, loop.pieces, dot_task, &loop);
    double sum = loop.sums[0];
    for (int32_t i = 1; i < loop.pieces; ++i) {
        sum += loop.sums[i];
    }
    return sum;
}

double ly_vector_norm(LyraContext *ctx, int64_t count, const double *x)
{
    double square = ly_vector_dot(ctx, count, x, x);
    // squares far from the limits of the range have lost nothing
    if (square == 0.0 ? count == 0 : square > 1e-280 && square < DBL_MAX) {
        return sqrt(square);
    }
    double largest = 0.0;
    for (int64_t i = 0; i < count; ++i) {
        double size = fabs(x[i]);
        if (!(size <= DBL_MAX)) {
            return size; // NaN or infinite, whatever the others are
        }
        largest = size > largest ? size : largest;
    }
    if (largest == 0.0) {
        return 0.0;
    }
    // divided, not multiplied by the inverse, which overflows for the smallest numbers
    double sum = 0.0;
    for (int64_t i = 0; i < count; ++i) {
        double scaled = x[i] / largest;
        sum += scaled * scaled;
    }
    return largest * sqrt(sum);
}

static void axpby_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    VectorLoop *loop = data;
    int64_t begin = ly_piece_begin(loop->count, loop->pieces, index);
    int64_t end = ly_piece_begin(loop->count, loop->pieces, index + 1);
    loop->kernels->axpby(end - begin, loop->a, loop->x + begin, loop->b, loop->out + begin);
}

void ly_vector_axpby(LyraContext *ctx, int64_t count, double a, const double *x, double b,
                     double *y)
{
    VectorLoop loop = {.kernels = kernels_of(ctx),
                       .count = count,
                       .pieces = piece_count(count),
                       .a = a,
                       .b = b,
                       .x = x,
                       .out = y};
    ly_parallel_for(ctx, loop.pieces, axpby_task, &loop);
}

static void sum_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    VectorLoop *loop = data;
    int64_t begin = ly_piece_begin(loop->count, loop->pieces, index);
    int64_t end = ly_piece_begin(loop->count, loop->pieces, index + 1);
    loop->kernels->sum(end - begin, loop->a, loop->x + begin, loop->y + begin, loop->out + begin);
}

void ly_vector_sum(LyraContext *ctx, int64_t count, double a, const double *x, const double *y,
                   double *out)
{
    VectorLoop loop = {.kernels = kernels_of(ctx),
                       .count = count,
                       .pieces = piece_count(count),
                       .a = a,
                       .x = x,
                       .y = y,
                       .out = out};
    ly_parallel_for(ctx, loop.pieces, sum_task, &loop);
}

static void largest_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    VectorLoop *loop = data;
    int64_t begin = ly_piece_begin(loop->count, loop->pieces, index);
    int64_t end = ly_piece_begin(loop->count, loop->pieces, index + 1);
    loop->sums[index] = loop->kernels->largest(end - begin, loop->x + begin);
}

double ly_vector_largest(LyraContext *ctx, int64_t count, const double *x)
{
    VectorLoop loop = {
        .kernels = kernels_of(ctx), .count = count, .pieces = piece_count(count), .x = x};
    ly_parallel_for(ctx, loop.pieces, largest_task, &loop);
    double most = 0.0;
    for (int32_t i = 0; i < loop.pieces; ++i) {
        most = fmax(most, loop.sums[i]);
    }
    return most;
}

static void copy_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    VectorLoop *loop = data;
    int64_t begin = ly_piece_begin(loop->count, loop->pieces, index);
    int64_t end = ly_piece_begin(loop->count, loop->pieces, index + 1);
    memcpy(loop->out + begin, loop->x + begin, (size_t)(end - begin) * sizeof(double));
}

void ly_vector_copy(LyraContext *ctx, int64_t count, const double *x, double *y)
{
    if (count > 0 && x != y) {
        VectorLoop loop = {.count = count, .pieces = piece_count(count), .x = x, .out = y};
        ly_parallel_for(ctx, loop.pieces, copy_task, &loop);
    }
}

static void fill_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    VectorLoop *loop = data;
    int64_t begin = ly_piece_begin(loop->count, loop->pieces, index);
    int64_t end = ly_piece_begin(loop->count, loop->pieces, index + 1);
    if (loop->a == 0.0 && !signbit(loop->a)) {
        memset(loop->out + begin, 0, (size_t)(end - begin) * sizeof *loop->out);
        return;
    }
    for (int64_t i = begin; i < end; ++i) {
        loop->out[i] = loop->a;
    }
}

void ly_vector_fill(LyraContext *ctx, int64_t count, double value, double *y)
{
    VectorLoop loop = {.count = count, .pieces = piece_count(count), .a = value, .out = y};
    ly_parallel_for(ctx, loop.pieces, fill_task, &loop);
}

// ---- orders of vertices -------------------------------------------------------------------------

static void sort_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    VectorLoop *loop = data;
    int64_t end = ly_piece_begin(loop->count, loop->pieces, index + 1);
    for (int64_t i = ly_piece_begin(loop->count, loop->pieces, index); i < end; ++i) {
        const double *x = loop->x + 3 * (int64_t)loop->order[i];
        for (int32_t d = 0; d < 3; ++d) {
            loop->out[3 * i + d] = x[d];
        }
    }
}

void ly_vector_sort(LyraContext *ctx, int32_t vertices, const int32_t *order, const double *x,
                    double *y)
{
    VectorLoop loop = {.count = vertices,
                       .pieces = piece_count(3 * (int64_t)vertices),
                       .order = order,
                       .x = x,
                       .out = y};
    ly_parallel_for(ctx, loop.pieces, sort_task, &loop);
}

static void unsort_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    VectorLoop *loop = data;
    int64_t end = ly_piece_begin(loop->count, loop->pieces, index + 1);
    for (int64_t i = ly_piece_begin(loop->count, loop->pieces, index); i < end; ++i) {
        double *y = loop->out + 3 * (int64_t)loop->order[i];
        for (int32_t d = 0; d < 3; ++d) {
            y[d] = loop->x[3 * i + d];
        }
    }
}

void ly_vector_unsort(LyraContext *ctx, int32_t vertices, const int32_t *order, const double *x,
                      double *y)
{
    VectorLoop loop = {.count = vertices,
                       .pieces = piece_count(3 * (int64_t)vertices),
                       .order = order,
                       .x = x,
                       .out = y};
    ly_parallel_for(ctx, loop.pieces, unsort_task, &loop);
}
