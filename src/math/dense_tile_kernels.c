// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What happens inside a tile of dense_tiles.c, compiled once per instruction set.
//
// Products keep a block of ROWS x COLUMNS sums in registers. For each of the inner indices they
// load three vectors of A, which has its rows in lanes, and spread one number of B after the other
// over all lanes: 3 COLUMNS products for 3 + COLUMNS loads.
//
// X = X L^-T goes over the columns of X in blocks of COLUMNS: the block less the product of what is
// left of it with the same rows of L, as above, then a triangle of COLUMNS in registers.

#include "math/dense_tiles.h"
#include "math/lanes.h"

#include <math.h>

#define TILE LY_DENSE_TILE

// what fits the registers: 32 with AVX-512, else 16
#define VECTORS 3
#define ROWS (VECTORS * LY_LANES)
#define DEPTH (TILE / LY_LANES)
#if LY_LANES == 8
#define COLUMNS 8
#else
#define COLUMNS 4
#endif

_Static_assert(TILE % ROWS == 0 && TILE % COLUMNS == 0, "a tile holds whole blocks");

// acc += A B^T over the first `depth` columns of tiles
LY_INLINE void multiply_block(int32_t depth, const double *restrict A, const double *restrict B,
                              LyReal acc[COLUMNS][VECTORS])
{
    for (int32_t p = 0; p < depth; ++p) {
        const double *a = A + TILE * p, *b = B + TILE * p;
        const LyReal a0 = ly_load(a), a1 = ly_load(a + LY_LANES), a2 = ly_load(a + 2 * LY_LANES);
#pragma GCC unroll 8
        for (int j = 0; j < COLUMNS; ++j) {
            const LyReal bj = ly_set(b[j]);
            acc[j][0] += a0 * bj;
            acc[j][1] += a1 * bj;
            acc[j][2] += a2 * bj;
        }
    }
}

static void subtract(bool lower, const double *A, const double *B, double *C)
{
    for (int32_t i = 0; i < TILE; i += ROWS) {
        for (int32_t j = 0; j < (lower ? i + ROWS : TILE); j += COLUMNS) {
            LyReal acc[COLUMNS][VECTORS] = {{ly_set(0.0)}};
            multiply_block(TILE, A + i, B + j, acc);
#pragma GCC unroll 8
            for (int k = 0; k < COLUMNS; ++k) {
                double *c = C + i + TILE * (j + k);
                for (int v = 0; v < VECTORS; ++v) {
                    ly_store(c + v * LY_LANES, ly_load(c + v * LY_LANES) - acc[k][v]);
                }
            }
        }
    }
}

static void divide(const double *L, double *X)
{
    for (int32_t i = 0; i < TILE; i += ROWS) {
        for (int32_t j = 0; j < TILE; j += COLUMNS) {
            LyReal acc[COLUMNS][VECTORS] = {{ly_set(0.0)}};
            multiply_block(j, X + i, L + j, acc);
            // x_k = (x_k - sum - sum over the earlier columns of the block) / l_kk
#pragma GCC unroll 8
            for (int k = 0; k < COLUMNS; ++k) {
                const double *l = L + j + k + TILE * j;
                double *x = X + i + TILE * (j + k);
                for (int v = 0; v < VECTORS; ++v) {
                    LyReal sum = ly_load(x + v * LY_LANES) - acc[k][v];
#pragma GCC unroll 8
                    for (int q = 0; q < k; ++q) {
                        sum -= acc[q][v] * l[TILE * q];
                    }
                    acc[k][v] = sum / l[TILE * k];
                    ly_store(x + v * LY_LANES, acc[k][v]);
                }
            }
        }
    }
}

// column j of D from row `row`, which is a multiple of lanes, on: less the product of the columns
// before it with their entries in row j
LY_INLINE void reduce_column(int32_t vectors, int32_t row, int32_t j, double *D)
{
    LyReal acc[4];
    double *to = D + row + TILE * j;
    for (int32_t v = 0; v < vectors; ++v) {
        acc[v] = ly_load(to + v * LY_LANES);
    }
    for (int32_t p = 0; p < j; ++p) {
        const double *column = D + TILE * p;
        const LyReal entry = ly_set(column[j]);
        for (int32_t v = 0; v < vectors; ++v) {
            acc[v] -= ly_load(column + row + v * LY_LANES) * entry;
        }
    }
    for (int32_t v = 0; v < vectors; ++v) {
        ly_store(to + v * LY_LANES, acc[v]);
    }
}

static int32_t factor(int32_t size, double *D)
{
    for (int32_t j = 0; j < size; ++j) {
        int32_t row = j / LY_LANES * LY_LANES;
        for (; row + 4 * LY_LANES <= TILE && row < size; row += 4 * LY_LANES) {
            reduce_column(4, row, j, D);
        }
        for (; row < size; row += LY_LANES) {
            reduce_column(1, row, j, D);
        }
        double *column = D + TILE * j;
        if (!(column[j] > 0.0)) {
            return j + 1;
        }
        double root = sqrt(column[j]);
        column[j] = root;
        for (int32_t i = j + 1; i < size; ++i) {
            column[i] /= root;
        }
    }
    return 0;
}

// ---- vectors ------------------------------------------------------------------------------------

// sum of the lanes, in order
LY_INLINE double add_lanes(LyReal x)
{
    double lanes[LY_LANES], sum = 0.0;
    memcpy(lanes, &x, sizeof lanes);
    for (int l = 0; l < LY_LANES; ++l) {
        sum += lanes[l];
    }
    return sum;
}

// a vector of a tile's rows, with 0 after the first `rows`
LY_INLINE void load_rows(int32_t rows, const double *x, LyReal to[DEPTH])
{
    double all[TILE] = {0};
    memcpy(all, x, (size_t)rows * sizeof *x);
    for (int v = 0; v < DEPTH; ++v) {
        to[v] = ly_load(all + v * LY_LANES);
    }
}

static void apply(int32_t rows, const double *A, const double *x, double *y)
{
    LyReal acc[DEPTH];
    load_rows(rows, y, acc);
    for (int32_t j = 0; j < TILE; ++j) {
        const double *column = A + TILE * j;
        const LyReal xj = ly_set(x[j]);
#pragma GCC unroll 15
        for (int v = 0; v < DEPTH; ++v) {
            acc[v] -= ly_load(column + v * LY_LANES) * xj;
        }
    }
    memcpy(y, acc, (size_t)rows * sizeof *y);
}

static void apply_transposed(int32_t rows, const double *A, const double *x, double *y)
{
    LyReal all[DEPTH];
    load_rows(rows, x, all);
    for (int32_t j = 0; j < TILE; ++j) {
        const double *column = A + TILE * j;
        LyReal acc[3] = {ly_set(0.0), ly_set(0.0), ly_set(0.0)};
#pragma GCC unroll 15
        for (int v = 0; v < DEPTH; ++v) {
            acc[v % 3] += ly_load(column + v * LY_LANES) * all[v];
        }
        y[j] -= add_lanes(acc[0] + acc[1] + acc[2]);
    }
}

static void solve(int32_t size, const double *L, double *x)
{
    for (int32_t j = 0; j < size; ++j) {
        const double *column = L + TILE * j;
        x[j] /= column[j];
        for (int32_t i = j + 1; i < size; ++i) {
            x[i] -= column[i] * x[j];
        }
    }
}

static void solve_transposed(int32_t size, const double *L, double *x)
{
    for (int32_t j = size - 1; j >= 0; --j) {
        const double *column = L + TILE * j;
        LyReal acc = ly_set(0.0);
        double sum = 0.0;
        int32_t i = j + 1;
        for (; i + LY_LANES <= size; i += LY_LANES) {
            acc += ly_load(column + i) * ly_load(x + i);
        }
        for (; i < size; ++i) {
            sum += column[i] * x[i];
        }
        x[j] = (x[j] - (add_lanes(acc) + sum)) / column[j];
    }
}

static double scale_column(int32_t count, double column_scale, const double *restrict scale,
                           const double *restrict a, double *restrict to, double *restrict sums)
{
    LyReal total = ly_set(0.0);
    int32_t i = 0;
    for (; i + LY_LANES <= count; i += LY_LANES) {
        const LyReal value = ly_load(a + i) * ly_load(scale + i) * column_scale;
        ly_store(to + i, value);
        ly_store(sums + i, ly_load(sums + i) + ly_abs(value));
        total += ly_abs(value);
    }
    double sum = add_lanes(total);
    for (; i < count; ++i) {
        to[i] = a[i] * scale[i] * column_scale;
        sums[i] += fabs(to[i]);
        sum += fabs(to[i]);
    }
    return sum;
}

const LyDenseTileKernels LY_KERNEL(ly_dense_tile_kernels) = {
    .factor = factor,
    .divide = divide,
    .subtract = subtract,
    .apply = apply,
    .apply_transposed = apply_transposed,
    .solve = solve,
    .solve_transposed = solve_transposed,
    .scale = scale_column,
};
