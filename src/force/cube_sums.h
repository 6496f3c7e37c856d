// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sums of the blocks of trilinear elements over their n x n x n Gauss points, in lanes, by moments:
// cube_isotropic_kernel.c derives them.

#ifndef LY_FORCE_CUBE_SUMS_H
#define LY_FORCE_CUBE_SUMS_H

#include "force/isotropic.h"
#include "math/lanes.h"

#define WIDTH LYRA_BATCH_WIDTH

// corner a at place[a], as docs/conventions.md orders them
static const int place[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

// the six (k, l) in the order of the blocks: 11 22 33 12 23 13
static const int pair_k[6] = {0, 1, 2, 0, 1, 0}, pair_l[6] = {0, 1, 2, 1, 2, 2};
// moments of each along x, y, z, and where they begin
static const int moments[6][3] = {{1, 3, 3}, {3, 1, 3}, {3, 3, 1}, {2, 2, 3}, {3, 2, 2}, {2, 3, 2}};
static const int begin[6] = {0, 9, 18, 27, 39, 51};
enum { MOMENTS = 63, MOMENTS_MAX = 12, BLOCK = 9 * WIDTH };

// the six blocks of each point, and their moments; of the first three pairs, whose blocks are
// symmetric, only the upper triangles
typedef struct Sums {
    double points[LY_CUBE_POINTS_MAX * 6 * BLOCK], moments[MOMENTS * BLOCK];
} Sums;

// the factors of the moments of pair n along coordinate m: [moment][point]
LY_INLINE const double (*factors(const LyCubeRule *rule, int n, int m))[3]
{
    static const double ones[1][3] = {{1, 1, 1}};
    int count = moments[n][m];
    return count == 1 ? ones : count == 2 ? rule->value : rule->product;
}

LY_INLINE bool is_below(int component)
{
    return component / 3 > component % 3;
}

// The moments of one component of a pair: sums over x, y and z of the n x n x n points, in
// registers. `n` and `pair` are constants.
LY_INLINE void sum_component(int n, int pair, const LyCubeRule *rule, const double *from,
                             double *to)
{
    int nx = moments[pair][0], ny = moments[pair][1], nz = moments[pair][2];
    const double(*fx)[3] = factors(rule, pair, 0), (*fy)[3] = factors(rule, pair, 1);
    const double(*fz)[3] = factors(rule, pair, 2);
    LyReal sum[MOMENTS_MAX];
#pragma GCC unroll 3
    for (int z = 0; z < n; ++z) {
        LyReal lines[3][3];
#pragma GCC unroll 3
        for (int y = 0; y < n; ++y) {
            const double *line = from + (z * n + y) * n * 6 * BLOCK;
            LyReal first = ly_load(line), second = ly_load(line + 6 * BLOCK);
            LyReal third = n == 3 ? ly_load(line + 12 * BLOCK) : ly_set(0);
#pragma GCC unroll 3
            for (int i = 0; i < nx; ++i) {
                lines[i][y] = fx[i][0] * first + fx[i][1] * second;
                if (n == 3) {
                    lines[i][y] += fx[i][2] * third;
                }
            }
        }
#pragma GCC unroll 9
        for (int k = 0; k < nx * ny; ++k) {
            int i = k % nx, j = k / nx;
            LyReal plane = fy[j][0] * lines[i][0] + fy[j][1] * lines[i][1];
            if (n == 3) {
                plane += fy[j][2] * lines[i][2];
            }
#pragma GCC unroll 3
            for (int l = 0; l < nz; ++l) {
                LyReal *at = &sum[l * nx * ny + k];
                *at = z ? *at + fz[l][z] * plane : fz[l][z] * plane;
            }
        }
    }
#pragma GCC unroll 12
    for (int k = 0; k < nx * ny * nz; ++k) {
        ly_store(to + k * BLOCK, sum[k]);
    }
}

LY_INLINE void sum_pair(int n, int pair, const LyCubeRule *rule, int lane, Sums *sums)
{
#pragma GCC unroll 1
    for (int k = 0; k < 9; ++k) {
        if (pair > 2 || !is_below(k)) {
            sum_component(n, pair, rule, sums->points + pair * BLOCK + k * WIDTH + lane,
                          sums->moments + begin[pair] * BLOCK + k * WIDTH + lane);
        }
    }
}

LY_INLINE void sum_pairs(int n, const LyCubeRule *rule, int lane, Sums *sums)
{
    sum_pair(n, 0, rule, lane, sums);
    sum_pair(n, 1, rule, lane, sums);
    sum_pair(n, 2, rule, lane, sums);
    sum_pair(n, 3, rule, lane, sums);
    sum_pair(n, 4, rule, lane, sums);
    sum_pair(n, 5, rule, lane, sums);
}

// the moment of pair n (k <= l) for nodes a and c
LY_INLINE const double *find_moment(const Sums *sums, int n, int a, int c)
{
    int at = 0, stride = 1;
    for (int m = 0; m < 3; ++m) {
        bool derived_a = m == pair_k[n], derived_c = m == pair_l[n];
        at += stride * ((derived_a ? 0 : place[a][m]) + (derived_c ? 0 : place[c][m]));
        stride *= moments[n][m];
    }
    return sums->moments + (begin[n] + at) * BLOCK;
}

LY_INLINE LyReal signed_load(const double *p, bool positive)
{
    LyReal x = ly_load(p);
    return positive ? x : -x;
}

LY_INLINE void store_pair(const Sums *sums, int lane, int a, int c, double *block)
{
    LyReal K[9];
#pragma GCC unroll 6
    for (int n = 0; n < 6; ++n) {
        int k = pair_k[n], l = pair_l[n];
        const double *moment = find_moment(sums, n, a, c) + lane;
        bool positive = place[a][k] == place[c][l];
#pragma GCC unroll 9
        for (int i = 0; i < 9; ++i) {
            int stored = k == l && is_below(i) ? 3 * (i % 3) + i / 3 : i;
            LyReal x = signed_load(moment + stored * WIDTH, positive);
            K[i] = n ? K[i] + x : x;
        }
        if (k != l) {
            moment = find_moment(sums, n, c, a) + lane;
            positive = place[a][l] == place[c][k];
#pragma GCC unroll 9
            for (int i = 0; i < 9; ++i) {
                K[i] += signed_load(moment + (3 * (i % 3) + i / 3) * WIDTH, positive);
            }
        }
    }
#pragma GCC unroll 9
    for (int i = 0; i < 9; ++i) {
        ly_store(block + i * WIDTH, K[i]);
    }
}

// all pairs a < c row by row, spelled out so that the places of moments and their signs are
// constants
#define PAIRS_FROM_4(X) X(4, 5) X(4, 6) X(4, 7) X(5, 6) X(5, 7) X(6, 7)
#define PAIRS_FROM_2(X) X(2, 3) X(2, 4) X(2, 5) X(2, 6) X(2, 7) X(3, 4) X(3, 5) X(3, 6) X(3, 7)
#define PAIRS_FROM_1(X) X(1, 2) X(1, 3) X(1, 4) X(1, 5) X(1, 6) X(1, 7)
#define PAIRS_FROM_0(X) X(0, 1) X(0, 2) X(0, 3) X(0, 4) X(0, 5) X(0, 6) X(0, 7)
#define STORE_PAIR(a, c)                                                                           \
    store_pair(sums, lane, a, c, block);                                                           \
    block += BLOCK;

static void store_blocks(const LyCubeRule *rule, Sums *sums, int lane, double *dfdx)
{
    if (rule->n == 2) {
        sum_pairs(2, rule, lane, sums);
    } else {
        sum_pairs(3, rule, lane, sums);
    }
    double *block = dfdx + lane;
    PAIRS_FROM_0(STORE_PAIR)
    PAIRS_FROM_1(STORE_PAIR)
    PAIRS_FROM_2(STORE_PAIR)
    PAIRS_FROM_4(STORE_PAIR)
}

#endif
