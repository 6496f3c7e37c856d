// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Axis-aligned boxes of any isotropic law, by n x n x n Gauss points.
//
// With h_i the edges, V their product and N_a the trilinear shape functions of the unit cube, at
// point q
//   F = 1 + sum over a of u_a (grad N_a)^T H^-1,   H = diag(h),
// energy V sum w W, gradient f_a = V sum w P H^-1 grad N_a, and
//   K_ac = V sum over q, k, l of w (d_k N_a) (d_l N_c) D_kl / (h_k h_l),
//   D_kl = e_k . dP/dF . e_l.
//
// Each factor (d_k N_a)(d_l N_c) is a product of functions of single coordinates. Along coordinate
// m that function is, up to the signs of the derivatives,
//   1                    for m = k = l  (1 moment),
//   N_{c_m}              for m = k      (2 moments, by c_m),
//   N_{a_m}              for m = l      (2 moments, by a_m),
//   N_{a_m} N_{c_m}      otherwise      (3 moments, by a_m + c_m),
// so the blocks D_kl are summed over the points, one coordinate after another, into 63 moments, and
// a block K_ac is a signed sum of nine of them: about a fifth of the work of adding 28 blocks at
// each of 27 points. For l < k, D_kl = D_lk^T and the moment is the transpose of that of (c, a).
//
// In the PSD mode each point has its dP/dF projected. The sum over the points may be positive
// though a point is not: where a point was changed the exact tangent is summed as well, and stays
// where it is positive.

#include "force/definite.h"
#include "force/isotropic_point.h"

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

// what the kernel has of the arena
typedef struct Scratch {
    Sums sums;
    double exact[28 * BLOCK]; // tangent, as it is beside the projected one
} Scratch;
_Static_assert(sizeof(Scratch) == LY_CUBE_SCRATCH, "what the type declares");

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

// displacements less that of node 0, and sums over the points
typedef struct Cubes {
    double u[21 * WIDTH];
    double energy[WIDTH]; // density
    double f[24 * WIDTH];
} Cubes;

LY_INLINE LyVec3 load_edges(const LyraBatch *batch, int lane)
{
    return ly_vec3_load_lanes(batch->constants + LY_CUBE_EDGES * WIDTH + lane);
}

LY_INLINE LyReal find_volume(const LyVec3 *h)
{
    return h->v[0] * h->v[1] * h->v[2];
}

static void load_corners(const LyraBatch *batch, Cubes *cubes)
{
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        for (int k = 0; k < 21; ++k) {
            ly_store(cubes->u + k * WIDTH + lane, ly_load(batch->u + (k + 3) * WIDTH + lane) -
                                                      ly_load(batch->u + k % 3 * WIDTH + lane));
        }
    }
}

LY_INLINE LyMat3 gradient_at(const Cubes *cubes, int lane, const LyVec3 *h,
                             const double shape[8][3])
{
    LyMat3 F;
    LyReal inverse[3] = {1.0 / h->v[0], 1.0 / h->v[1], 1.0 / h->v[2]};
    for (int i = 0; i < 3; ++i) {
        LyReal row[3] = {ly_set(0), ly_set(0), ly_set(0)};
        for (int a = 1; a < 8; ++a) {
            LyReal u = ly_load(cubes->u + (3 * (a - 1) + i) * WIDTH + lane);
            for (int j = 0; j < 3; ++j) {
                row[j] += shape[a][j] * u;
            }
        }
        for (int j = 0; j < 3; ++j) {
            F.m[i][j] = row[j] * inverse[j];
        }
        F.m[i][i] += 1.0;
    }
    return F;
}

// energy and gradient of point q
LY_INLINE void add_point(const LyCubeRule *rule, int q, const LyPoints *points, int lane,
                         const LyVec3 *h, Cubes *cubes)
{
    LyReal scale = rule->weight[q] * find_volume(h);
    LyMat3 P = ly_mat3_load_lanes(points->P + lane);
    ly_store(cubes->energy + lane,
             ly_load(cubes->energy + lane) + rule->weight[q] * ly_load(points->energy + lane));
    for (int j = 0; j < 3; ++j) {
        LyReal column = scale / h->v[j];
        for (int i = 0; i < 3; ++i) {
            P.m[i][j] *= column;
        }
    }
    for (int a = 1; a < 8; ++a) {
        const double *g = rule->shape[q][a];
        for (int i = 0; i < 3; ++i) {
            double *to = cubes->f + (3 * a + i) * WIDTH + lane;
            ly_store(to, ly_load(to) + (P.m[i][0] * g[0] + P.m[i][1] * g[1] + P.m[i][2] * g[2]));
        }
    }
}

// the blocks of point q
LY_INLINE void store_point(const LyIsotropic *solid, int q, const LyPoints *points, int lane,
                           const LyVec3 *h, Sums *sums)
{
    LyReal weight = solid->rule.weight[q] * find_volume(h), scale[6];
    for (int k = 0; k < 6; ++k) {
        scale[k] = weight / (h->v[pair_k[k]] * h->v[pair_l[k]]);
    }
    ly_points_store_blocks(solid, points, lane, scale, sums->points + q * 6 * BLOCK + lane);
}

// Sums over the points: energy and gradient into `cubes`, blocks into `sums` where given. Returns
// whether a point was projected.
static bool sum_points(const LyIsotropic *solid, const LyraBatch *batch, bool psd, Cubes *cubes,
                       Sums *sums)
{
    const LyCubeRule *rule = &solid->rule;
    LyPoints points __attribute__((aligned(64)));
    bool projected = false;
    memset(cubes->energy, 0, sizeof cubes->energy);
    memset(cubes->f, 0, sizeof cubes->f);
    for (int q = 0; q < rule->n * rule->n * rule->n; ++q) {
        for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
            LyVec3 h = load_edges(batch, lane);
            LyMat3 F = gradient_at(cubes, lane, &h, rule->shape[q]);
            ly_mat3_store_lanes(points.F + lane, &F);
        }
        LY_POINTS_EVALUATE(solid, batch, q, sums != NULL, psd, &points);
        projected = projected || points.projected;
        for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
            LyVec3 h = load_edges(batch, lane);
            add_point(rule, q, &points, lane, &h, cubes);
            if (batch->trial_history) {
                LyReal volume = rule->weight[q] * find_volume(&h);
                ly_points_add_lost(solid, batch, &points, q == 0, volume, lane);
            }
            if (sums) {
                store_point(solid, q, &points, lane, &h, sums);
            }
        }
    }
    return projected;
}

static void store_all_blocks(const LyCubeRule *rule, Sums *sums, double *dfdx)
{
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        store_blocks(rule, sums, lane, dfdx);
    }
}

void LY_KERNEL(ly_cube_isotropic)(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    const LyIsotropic *solid = self;
    Scratch *room = batch->dfdx ? lyra_arena_push(scratch, sizeof *room) : NULL;
    Sums *sums = room ? &room->sums : NULL;
    Cubes cubes __attribute__((aligned(64)));
    load_corners(batch, &cubes);
    // points that are looked at twice are written last: what they remember may lie in one place
    LyraBatch first = *batch;
    bool twice = batch->trial_history && sums && batch->psd;
    first.trial_history = twice ? NULL : batch->trial_history;
    bool projected = sum_points(solid, &first, batch->psd, &cubes, sums);
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        LyVec3 h = load_edges(batch, lane);
        if (batch->energy) {
            ly_store(batch->energy + lane, find_volume(&h) * ly_load(cubes.energy + lane));
        }
        for (int i = 0; batch->gradient && i < 3; ++i) {
            LyReal sum = ly_set(0);
            for (int a = 1; a < 8; ++a) {
                LyReal x = ly_load(cubes.f + (3 * a + i) * WIDTH + lane);
                sum += x;
                ly_store(batch->gradient + (3 * a + i) * WIDTH + lane, x);
            }
            ly_store(batch->gradient + i * WIDTH + lane, -sum);
        }
    }
    if (sums) {
        store_all_blocks(&solid->rule, sums, batch->dfdx);
    }
    if (sums && projected) {
        sum_points(solid, &first, false, &cubes, sums);
        store_all_blocks(&solid->rule, sums, room->exact);
        LY_KERNEL(ly_keep_positive)(8, true, room->exact, batch->dfdx);
    }
    if (twice) {
        sum_points(solid, batch, false, &cubes, NULL);
    }
}
