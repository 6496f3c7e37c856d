// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Axis-aligned cubes of any isotropic law, by n x n x n Gauss points.
//
// With h the edge and N_a the trilinear shape functions of the unit cube, at point q
//   F = 1/h sum over a of x_a grad N_a^T,
// energy h^3 sum w W, gradient f_a = h^2 sum w P grad N_a, and
//   K_ac = h sum over q, k, l of w (d_k N_a) (d_l N_c) D_kl,   D_kl = e_k . dP/dF . e_l.
//
// Each factor (d_k N_a)(d_l N_c) is a product of functions of single coordinates. Along coordinate
// m that function is, up to the signs of the derivatives,
//   1                    for m = k = l  (1 moment),
//   N_{c_m}              for m = k      (2 moments, by c_m),
//   N_{a_m}              for m = l      (2 moments, by a_m),
//   N_{a_m} N_{c_m}      otherwise      (3 moments, by a_m + c_m),
// so the blocks D_kl are summed over the points coordinate by coordinate into 63 moments, and a
// block K_ac is a signed sum of nine of them: about a fifth of the work of adding 28 blocks at each
// of 27 points. For l < k, D_kl = D_lk^T and the moment is the transpose of that of (c, a).

#include "force/isotropic_point.h"

#define WIDTH LYRA_BATCH_WIDTH

// corner a at place[a], as docs/conventions.md orders them
static const int place[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

// the six (k, l) in the order of the blocks: 11 22 33 12 23 13
static const int pair_k[6] = {0, 1, 2, 0, 1, 0}, pair_l[6] = {0, 1, 2, 1, 2, 2};
// moments of each along x, y, z, and where its blocks begin once x, xy, xyz are summed
static const int moments[6][3] = {{1, 3, 3}, {3, 1, 3}, {3, 3, 1}, {2, 2, 3}, {3, 2, 2}, {2, 3, 2}};
static const int begin_x[6] = {0, 1, 4, 7, 9, 12}, begin_y[6] = {0, 3, 6, 15, 19, 25};
static const int begin_z[6] = {0, 9, 18, 27, 39, 51};
enum { COUNT_X = 14, COUNT_Y = 31, COUNT_Z = 63, BLOCK = 9 * WIDTH };

// blocks of the points of a line, sums over x of the lines of a plane, over y of the planes, over z
typedef struct Sums {
    double points[3 * 6 * BLOCK], x[3 * COUNT_X * BLOCK], y[3 * COUNT_Y * BLOCK],
        z[COUNT_Z * BLOCK];
} Sums;
_Static_assert(sizeof(Sums) == LY_CUBE_SCRATCH, "what the type declares");

// the factors of the moments of pair n along coordinate m: [moment][point]
LY_INLINE const double (*factors(const LyCubeRule *rule, int n, int m))[3]
{
    static const double ones[1][3] = {{1, 1, 1}};
    int count = moments[n][m];
    return count == 1 ? ones : count == 2 ? rule->value : rule->product;
}

// One block: the sum over n of factor[i] from[i * stride]. Not inlined: the code of all blocks
// would be long.
static __attribute__((noinline)) void combine(int n, const double *factor, const double *from,
                                              int stride, double *to)
{
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
        LyReal sum =
            factor[0] * ly_load(from + k * WIDTH) + factor[1] * ly_load(from + stride + k * WIDTH);
        if (n == 3) {
            sum += factor[2] * ly_load(from + 2 * stride + k * WIDTH);
        }
        ly_store(to + k * WIDTH, sum);
    }
}

// Sums over coordinate m: of each pair, `inner` blocks from each of n neighbours become inner times
// as many as it has moments along m.
static void sum_over(int n, const LyCubeRule *rule, int m, const int *begin_from, int stride,
                     const double *from, const int *begin_to, double *to)
{
    for (int pair = 0; pair < 6; ++pair) {
        const double(*f)[3] = factors(rule, pair, m);
        int inner = (m > 0 ? moments[pair][0] : 1) * (m > 1 ? moments[pair][1] : 1);
        for (int j = 0; j < moments[pair][m]; ++j) {
            for (int i = 0; i < inner; ++i) {
                combine(n, f[j], from + (begin_from[pair] + i) * BLOCK, stride * BLOCK,
                        to + (begin_to[pair] + j * inner + i) * BLOCK);
            }
        }
    }
}

// after point q: what is complete goes up, line to plane to cube
static void close_point(int n, const LyCubeRule *rule, int q, int lane, Sums *sums)
{
    static const int begin_point[6] = {0, 1, 2, 3, 4, 5};
    int line = q / n % n, plane = q / (n * n);
    if (q % n != n - 1) {
        return;
    }
    sum_over(n, rule, 0, begin_point, 6, sums->points + lane, begin_x,
             sums->x + line * COUNT_X * BLOCK + lane);
    if (line != n - 1) {
        return;
    }
    sum_over(n, rule, 1, begin_x, COUNT_X, sums->x + lane, begin_y,
             sums->y + plane * COUNT_Y * BLOCK + lane);
    if (plane == n - 1) {
        sum_over(n, rule, 2, begin_y, COUNT_Y, sums->y + lane, begin_z, sums->z + lane);
    }
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
    return sums->z + (begin_z[n] + at) * BLOCK;
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
            LyReal x = signed_load(moment + i * WIDTH, positive);
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

static void store_blocks(const Sums *sums, int lane, double *dfdx)
{
    double *block = dfdx + lane;
    PAIRS_FROM_0(STORE_PAIR)
    PAIRS_FROM_1(STORE_PAIR)
    PAIRS_FROM_2(STORE_PAIR)
    PAIRS_FROM_4(STORE_PAIR)
}

// positions less that of node 0
typedef struct Corners {
    double x[21 * WIDTH];
} Corners;

LY_INLINE LyMat3 gradient_at(const Corners *corners, int lane, LyReal inverse,
                             const double shape[8][3])
{
    LyMat3 F;
    for (int i = 0; i < 3; ++i) {
        LyReal row[3] = {ly_set(0), ly_set(0), ly_set(0)};
        for (int a = 1; a < 8; ++a) {
            LyReal x = ly_load(corners->x + (3 * (a - 1) + i) * WIDTH + lane);
            for (int j = 0; j < 3; ++j) {
                row[j] += shape[a][j] * x;
            }
        }
        for (int j = 0; j < 3; ++j) {
            F.m[i][j] = row[j] * inverse;
        }
    }
    return F;
}

void LY_KERNEL(ly_cube_isotropic)(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    const LyIsotropic *solid = self;
    const LyCubeRule *rule = &solid->rule;
    bool tangent = batch->dfdx != NULL;
    Sums *sums = tangent ? lyra_arena_push(scratch, sizeof *sums) : NULL;
    LyPoints points __attribute__((aligned(64)));
    Corners corners __attribute__((aligned(64)));
    double energy[WIDTH] __attribute__((aligned(64))) = {0};
    double f[24 * WIDTH] __attribute__((aligned(64))) = {0};
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        for (int k = 0; k < 21; ++k) {
            ly_store(corners.x + k * WIDTH + lane, ly_load(batch->x + (k + 3) * WIDTH + lane) -
                                                       ly_load(batch->x + k % 3 * WIDTH + lane));
        }
    }
    const double *edges = batch->constants + LY_CUBE_EDGE * WIDTH;
    int n = rule->n;
    for (int q = 0; q < n * n * n; ++q) {
        for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
            LyMat3 F = gradient_at(&corners, lane, 1.0 / ly_load(edges + lane), rule->shape[q]);
            ly_mat3_store_lanes(points.F + lane, &F);
        }
        LY_KERNEL(ly_points_evaluate)(solid, batch->parameters, tangent, batch->psd, &points);
        for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
            LyReal h = ly_load(edges + lane);
            ly_store(energy + lane,
                     ly_load(energy + lane) + rule->weight[q] * ly_load(points.energy + lane));
            LyMat3 P = ly_mat3_load_lanes(points.P + lane);
            P = ly_mat3_scale(&P, rule->weight[q] * h * h);
            for (int a = 1; a < 8; ++a) {
                const double *g = rule->shape[q][a];
                for (int i = 0; i < 3; ++i) {
                    double *to = f + (3 * a + i) * WIDTH + lane;
                    ly_store(to, ly_load(to) +
                                     (P.m[i][0] * g[0] + P.m[i][1] * g[1] + P.m[i][2] * g[2]));
                }
            }
            if (tangent) {
                LyReal scale = rule->weight[q] * h;
                LyMat3 D[6];
                ly_points_blocks(solid, &points, lane, NULL, D);
                for (int k = 0; k < 6; ++k) {
                    D[k] = ly_mat3_scale(&D[k], scale);
                    ly_mat3_store_lanes(sums->points + (q % n * 6 + k) * BLOCK + lane, &D[k]);
                }
                close_point(n, rule, q, lane, sums);
            }
        }
    }
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        LyReal h = ly_load(edges + lane);
        if (batch->energy) {
            ly_store(batch->energy + lane, h * h * h * ly_load(energy + lane));
        }
        for (int i = 0; batch->gradient && i < 3; ++i) {
            LyReal sum = ly_set(0);
            for (int a = 1; a < 8; ++a) {
                LyReal x = ly_load(f + (3 * a + i) * WIDTH + lane);
                sum += x;
                ly_store(batch->gradient + (3 * a + i) * WIDTH + lane, x);
            }
            ly_store(batch->gradient + i * WIDTH + lane, -sum);
        }
        if (tangent) {
            store_blocks(sums, lane, batch->dfdx);
        }
    }
}
