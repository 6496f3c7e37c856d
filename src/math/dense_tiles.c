// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Cholesky factors of large matrices, S = L L^T, in tiles of LY_DENSE_TILE rows and columns, on all
// threads. The tiles depend on the size alone, each is written by one piece of a loop, and what
// comes together in it does so in a fixed order: same bits at any number of threads.
//
// The tiles of the lower triangle lie one after the other, down the first column of tiles, then the
// second, so that all of them are read straight through. The last row of tiles is padded with 0;
// what is above the diagonal, and columns beyond the last, hold anything and change nothing.
//
// The factor is right-looking. With the tiles of column k,
//     S_kk = L_kk L_kk^T         by the caller,
//     L_ik = S_ik L_kk^-T        for all i > k at once,
//     S_ij -= L_ik L_jk^T        for all i >= j > k at once.
//
// So are the sweeps of a solve: with x_k known, x_i -= L_ik x_k for all i > k at once on the way
// down, x_j -= L_kj^T x_k for all j < k at once on the way up. They wait for memory, so that many
// columns are solved in groups which share what they read, each group by one thread.
//
// These are kernels of our own whatever else dense algebra goes through: a BLAS made for one thread
// need not bear calls from two, and one that has threads would set them against ours.

#include "math/dense_tiles.h"

#include <math.h>
#include <string.h>

#define TILE LY_DENSE_TILE

// columns that are solved together
#define GROUP 8

typedef struct TileLoop {
    const LyDenseTileKernels *kernels;
    int64_t size;
    int32_t count; // tiles of a column
    int32_t k;     // the one at hand
    double *tiles;
    // scaling
    const double *A, *scale;
    int32_t pieces;
    double *sums; // [pieces][size]
    // solving
    const double *L;
    double *X;
    int32_t columns;
} TileLoop;

// parts of `size` items in full ones of `part` and a rest
static int32_t count_parts(int32_t size, int32_t part)
{
    return (int32_t)(((int64_t)size + part - 1) / part);
}

static TileLoop loop_of(LyraContext *ctx, int32_t size)
{
    static const LyDenseTileKernels *const kernels[] = LY_KERNEL_TABLE(&ly_dense_tile_kernels);
    return (TileLoop){
        .kernels = kernels[lyra_context_isa(ctx)], .size = size, .count = count_parts(size, TILE)};
}

// where tile (i, j) lies, i >= j: after those of the columns before it
static int64_t place(int32_t count, int32_t i, int32_t j)
{
    return TILE * TILE * ((int64_t)j * (2 * (int64_t)count - j + 1) / 2 + i - j);
}

static double *tile_at(const TileLoop *loop, int32_t i, int32_t j)
{
    return loop->tiles + place(loop->count, i, j);
}

// rows of a tile: all but the last are full
static int32_t rows_of(const TileLoop *loop, int32_t tile)
{
    return (int32_t)ly_min_i64(TILE, loop->size - (int64_t)TILE * tile);
}

int64_t ly_dense_tiles_room(int32_t size)
{
    int32_t count = count_parts(size, TILE);
    return place(count, count, count);
}

// ---- scaling ------------------------------------------------------------------------------------

// Column `j` of the matrix. Magnitudes of an entry count for its column and, by symmetry, for that
// of its row.
static void scale_column(const TileLoop *loop, int64_t j, double *sums)
{
    int32_t tile = (int32_t)(j / TILE);
    const double *A = loop->A + j * loop->size;
    double sum = 0.0;
    for (int32_t i = tile; i < loop->count; ++i) {
        int32_t rows = rows_of(loop, i), begin = i == tile ? (int32_t)(j % TILE) : 0;
        int64_t first = (int64_t)TILE * i + begin;
        double *to = tile_at(loop, i, tile) + j % TILE * TILE;
        sum += loop->kernels->scale(rows - begin, loop->scale[j], loop->scale + first, A + first,
                                    to + begin, sums + first);
        memset(to + rows, 0, (size_t)(TILE - rows) * sizeof(double));
    }
    // the diagonal has counted as part of its row
    sums[j] += sum - fabs(tile_at(loop, tile, tile)[j % TILE * (TILE + 1)]);
}

// some columns of tiles, with sums of their own
static void scale_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const TileLoop *loop = data;
    double *sums = loop->sums + loop->size * index;
    memset(sums, 0, (size_t)loop->size * sizeof *sums);
    int64_t begin = TILE * ly_piece_begin(loop->count, loop->pieces, index);
    int64_t end = TILE * ly_piece_begin(loop->count, loop->pieces, index + 1);
    for (int64_t j = begin; j < ly_min_i64(end, loop->size); ++j) {
        scale_column(loop, j, sums);
    }
}

double ly_dense_tiles_scale(LyraContext *ctx, int32_t size, const double *scale, const double *A,
                            double *tiles, double *work)
{
    TileLoop loop = loop_of(ctx, size);
    loop.tiles = tiles;
    loop.A = A;
    loop.scale = scale;
    loop.pieces = loop.count < LY_DENSE_LDL_WORK ? loop.count : LY_DENSE_LDL_WORK;
    loop.sums = work;
    ly_parallel_for(ctx, loop.pieces, scale_task, &loop);
    double norm = 0.0;
    for (int32_t j = 0; j < size; ++j) {
        double sum = 0.0;
        for (int32_t p = 0; p < loop.pieces; ++p) {
            sum += work[(int64_t)size * p + j];
        }
        norm = fmax(norm, sum);
    }
    return norm;
}

// ---- factor -------------------------------------------------------------------------------------

// L_ik
static void divide_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const TileLoop *loop = data;
    int32_t k = loop->k;
    loop->kernels->divide(tile_at(loop, k, k), tile_at(loop, k + 1 + index, k));
}

// S_ij; pieces go down the columns of tiles
static void subtract_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const TileLoop *loop = data;
    int32_t k = loop->k, j = k + 1;
    for (int32_t height = loop->count - j; index >= height; --height) {
        index -= height;
        ++j;
    }
    int32_t i = j + index;
    loop->kernels->subtract(i == j, tile_at(loop, i, k), tile_at(loop, j, k), tile_at(loop, i, j));
}

int32_t ly_dense_tiles_factor(LyraContext *ctx, int32_t size, double *tiles)
{
    TileLoop loop = loop_of(ctx, size);
    loop.tiles = tiles;
    for (loop.k = 0; loop.k < loop.count; ++loop.k) {
        int32_t k = loop.k, below = loop.count - k - 1;
        int32_t failed = loop.kernels->factor(rows_of(&loop, k), tile_at(&loop, k, k));
        if (failed) {
            return TILE * k + failed;
        }
        if (below > 0) {
            ly_parallel_for(ctx, below, divide_task, &loop);
            // 32 bits count the pieces of 65,535 rows of tiles, 460 TB
            ly_parallel_for(ctx, (int32_t)((int64_t)below * (below + 1) / 2), subtract_task, &loop);
        }
    }
    return 0;
}

// ---- solve --------------------------------------------------------------------------------------

// x_i -= L_ik x_k for the column `x` of X
static void apply_down(const TileLoop *loop, int32_t i, int32_t k, double *x)
{
    loop->kernels->apply(rows_of(loop, i), loop->L + place(loop->count, i, k),
                         x + (int64_t)TILE * k, x + (int64_t)TILE * i);
}

// x_j -= L_kj^T x_k
static void apply_up(const TileLoop *loop, int32_t j, int32_t k, double *x)
{
    loop->kernels->apply_transposed(rows_of(loop, k), loop->L + place(loop->count, k, j),
                                    x + (int64_t)TILE * k, x + (int64_t)TILE * j);
}

// x_k = L_kk^-1 x_k, or that of the transpose
static void solve_tile(const TileLoop *loop, int32_t k, bool transposed, double *x)
{
    const LyDenseTileKernels *kernels = loop->kernels;
    (transposed ? kernels->solve_transposed : kernels->solve)(
        rows_of(loop, k), loop->L + place(loop->count, k, k), x + (int64_t)TILE * k);
}

// The tile next to the diagonal comes first, and x_(k + 1) is complete with it: its triangle is
// solved while others are at the tiles below.
static void down_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const TileLoop *loop = data;
    int32_t i = loop->k + 1 + index;
    apply_down(loop, i, loop->k, loop->X);
    if (index == 0) {
        solve_tile(loop, i, false, loop->X);
    }
}

static void up_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const TileLoop *loop = data;
    int32_t j = loop->k - 1 - index;
    apply_up(loop, j, loop->k, loop->X);
    if (index == 0) {
        solve_tile(loop, j, true, loop->X);
    }
}

static void solve_one(LyraContext *ctx, TileLoop *loop)
{
    int32_t last = loop->count - 1;
    solve_tile(loop, 0, false, loop->X);
    for (loop->k = 0; loop->k < last; ++loop->k) {
        ly_parallel_for(ctx, last - loop->k, down_task, loop);
    }
    solve_tile(loop, last, true, loop->X);
    for (loop->k = last; loop->k > 0; --loop->k) {
        ly_parallel_for(ctx, loop->k, up_task, loop);
    }
}

static void group_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const TileLoop *loop = data;
    double *X = loop->X + (int64_t)GROUP * index * loop->size;
    int32_t columns = (int32_t)ly_min_i64(GROUP, loop->columns - (int64_t)GROUP * index);
    for (int32_t k = 0; k < loop->count; ++k) {
        for (int32_t c = 0; c < columns; ++c) {
            solve_tile(loop, k, false, X + c * loop->size);
        }
        for (int32_t i = k + 1; i < loop->count; ++i) {
            for (int32_t c = 0; c < columns; ++c) {
                apply_down(loop, i, k, X + c * loop->size);
            }
        }
    }
    for (int32_t k = loop->count - 1; k >= 0; --k) {
        for (int32_t c = 0; c < columns; ++c) {
            solve_tile(loop, k, true, X + c * loop->size);
        }
        for (int32_t j = 0; j < k; ++j) {
            for (int32_t c = 0; c < columns; ++c) {
                apply_up(loop, j, k, X + c * loop->size);
            }
        }
    }
}

void ly_dense_tiles_solve(LyraContext *ctx, int32_t size, const double *tiles, int32_t columns,
                          double *X)
{
    TileLoop loop = loop_of(ctx, size);
    loop.L = tiles;
    loop.X = X;
    loop.columns = columns;
    if (columns == 1) {
        solve_one(ctx, &loop);
    } else {
        ly_parallel_for(ctx, count_parts(columns, GROUP), group_task, &loop);
    }
}

void ly_dense_tiles_unpack(int32_t size, const double *tiles, double *L)
{
    int32_t count = count_parts(size, TILE);
    for (int32_t j = 0; j < size; ++j) {
        for (int32_t i = j; i < size; ++i) {
            L[i + (int64_t)j * size] =
                tiles[place(count, i / TILE, j / TILE) + i % TILE + j % TILE * TILE];
        }
    }
}
