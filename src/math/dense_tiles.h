// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Cholesky factors of large dense matrices in square tiles, on all threads: dense_tiles.c has the
// loops, dense_tile_kernels.c what happens inside a tile, once per instruction set.

#ifndef LY_MATH_DENSE_TILES_H
#define LY_MATH_DENSE_TILES_H

#include "math/dense.h"
#include "math/kernel.h"

/// Rows and columns of a tile: a multiple of the rows and columns that the kernels of each
/// instruction set keep in registers, three vectors by eight (AVX-512) or four. Three tiles fit the
/// second-level cache, and 960 bytes from column to column reach every set of the first.
#define LY_DENSE_TILE 120

/// Rows from which on a Cholesky factor is made and kept in tiles. It is no larger than a square
/// then, and two threads have something to share.
#define LY_DENSE_TILED (4 * LY_DENSE_TILE)

/// What happens inside tiles: LY_DENSE_TILE columns of LY_DENSE_TILE numbers, aligned to 64 bytes.
typedef struct LyDenseTileKernels {
    /// D = L L^T in place in the lower triangle of the first `size` rows. Returns 0, or the number
    /// (from 1) of the column whose pivot is not positive. What is above the diagonal is lost.
    int32_t (*factor)(int32_t size, double *D);

    /// X = X L^-T with L the lower triangle of a tile.
    void (*divide)(const double *L, double *X);

    /// C -= A B^T. With `lower`, what is above the diagonal of C may be left out.
    void (*subtract)(bool lower, const double *A, const double *B, double *C);

    /// y -= A x for the first `rows` rows of A.
    void (*apply)(int32_t rows, const double *A, const double *x, double *y);

    /// y -= A^T x for the first `rows` rows of A.
    void (*apply_transposed)(int32_t rows, const double *A, const double *x, double *y);

    /// x = L^-1 x and x = L^-T x with the lower triangle of the first `size` rows of a tile.
    void (*solve)(int32_t size, const double *L, double *x);
    void (*solve_transposed)(int32_t size, const double *L, double *x);

    /// Writes a_i scale_i column_scale to `to`, adds the magnitudes to sums_i and returns their
    /// sum.
    double (*scale)(int32_t count, double column_scale, const double *scale, const double *a,
                    double *to, double *sums);
} LyDenseTileKernels;

LY_KERNEL_DECLARE(const LyDenseTileKernels, ly_dense_tile_kernels);

/// Numbers in the tiles of the lower triangle of a matrix.
int64_t ly_dense_tiles_room(int32_t size);

/// Writes diag(scale) A diag(scale), of which the lower triangle is read, to `tiles` and returns
/// its 1-norm. `work`: [LY_DENSE_LDL_WORK * size].
double ly_dense_tiles_scale(LyraContext *ctx, int32_t size, const double *scale, const double *A,
                            double *tiles, double *work);

/// Tiles of a positive definite matrix become those of L with S = L L^T. Returns 0, or the number
/// (from 1) of the column whose pivot is not positive.
int32_t ly_dense_tiles_factor(LyraContext *ctx, int32_t size, double *tiles);

/// X = (L L^T)^-1 X.
void ly_dense_tiles_solve(LyraContext *ctx, int32_t size, const double *tiles, int32_t columns,
                          double *X);

/// Writes the lower triangle of L to a column-major matrix.
void ly_dense_tiles_unpack(int32_t size, const double *tiles, double *L);

#endif
