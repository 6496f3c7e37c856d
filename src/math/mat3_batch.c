// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Decompositions of arrays: cut into pieces by the count alone, each piece to the kernel of the
// context's instruction set.

#include "lyra/math3.h"

#include "base/base.h"
#include "math/mat3_kernels.h"

// matrices per piece: some tens of microseconds, so that waking a thread pays
#define GRAIN 2048

typedef struct Batch {
    LyraIsa isa;
    int64_t count;
    int32_t pieces;
    const double *in;
    double *out[3];
} Batch;

static void run(LyraContext *ctx, int64_t count, LyraTask *task, Batch *batch)
{
    if (count <= 0) {
        return;
    }
    batch->isa = lyra_context_isa(ctx);
    batch->count = count;
    batch->pieces = ly_piece_count(count, GRAIN);
    ly_parallel_for(ctx, batch->pieces, task, batch);
}

// an output array from matrix `begin` on; NULL stays NULL
static double *from(double *array, int64_t begin, int64_t width)
{
    return array ? array + begin * width : NULL;
}

static void svd_piece(void *data, int32_t index, int32_t worker)
{
    static LySvdKernel *const kernels[LYRA_ISA_COUNT] = LY_KERNEL_TABLE(ly_mat3_svd_many);
    const Batch *batch = data;
    int64_t begin = ly_piece_begin(batch->count, batch->pieces, index);
    int64_t end = ly_piece_begin(batch->count, batch->pieces, index + 1);
    (void)worker;
    kernels[batch->isa](end - begin, batch->in + 9 * begin, from(batch->out[0], begin, 9),
                        from(batch->out[1], begin, 3), from(batch->out[2], begin, 9));
}

void lyra_mat3_svd_batch(LyraContext *ctx, int64_t count, const LyraMat3 *F, LyraMat3 *U,
                         LyraVec3 *s, LyraMat3 *V)
{
    LYRA_ASSERT(ctx && count >= 0 && (count == 0 || (F && s)));
    run(ctx, count, svd_piece,
        &(Batch){.in = (const double *)F, .out = {(double *)U, (double *)s, (double *)V}});
}

static void polar_piece(void *data, int32_t index, int32_t worker)
{
    static LyPolarKernel *const kernels[LYRA_ISA_COUNT] = LY_KERNEL_TABLE(ly_mat3_polar_many);
    const Batch *batch = data;
    int64_t begin = ly_piece_begin(batch->count, batch->pieces, index);
    int64_t end = ly_piece_begin(batch->count, batch->pieces, index + 1);
    (void)worker;
    kernels[batch->isa](end - begin, batch->in + 9 * begin, from(batch->out[0], begin, 9),
                        from(batch->out[1], begin, 9));
}

void lyra_mat3_polar_batch(LyraContext *ctx, int64_t count, const LyraMat3 *F, LyraMat3 *R,
                           LyraMat3 *S)
{
    LYRA_ASSERT(ctx && count >= 0 && (count == 0 || F));
    run(ctx, count, polar_piece,
        &(Batch){.in = (const double *)F, .out = {(double *)R, (double *)S}});
}

static void eigen_piece(void *data, int32_t index, int32_t worker)
{
    static LyEigenKernel *const kernels[LYRA_ISA_COUNT] = LY_KERNEL_TABLE(ly_mat3_eigen_many);
    const Batch *batch = data;
    int64_t begin = ly_piece_begin(batch->count, batch->pieces, index);
    int64_t end = ly_piece_begin(batch->count, batch->pieces, index + 1);
    (void)worker;
    kernels[batch->isa](end - begin, batch->in + 9 * begin, from(batch->out[0], begin, 3),
                        from(batch->out[1], begin, 9));
}

void lyra_mat3_eigen_batch(LyraContext *ctx, int64_t count, const LyraMat3 *A, LyraVec3 *values,
                           LyraMat3 *vectors)
{
    LYRA_ASSERT(ctx && count >= 0 && (count == 0 || (A && values)));
    run(ctx, count, eigen_piece,
        &(Batch){.in = (const double *)A, .out = {(double *)values, (double *)vectors}});
}
