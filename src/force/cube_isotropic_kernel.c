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

#include "force/cube_sums.h"
#include "force/definite.h"
#include "force/isotropic_point.h"

// what the kernel has of the arena
typedef struct Scratch {
    Sums sums;
    double exact[28 * BLOCK]; // tangent, as it is beside the projected one
} Scratch;
_Static_assert(sizeof(Scratch) == LY_CUBE_SCRATCH, "what the type declares");

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
    ly_points_store_blocks(solid, points, lane, NULL, scale, sums->points + q * 6 * BLOCK + lane);
}

// Sums over the points: energy and gradient into `cubes`, blocks into `sums` where given. Returns
// whether a point was projected.
static bool sum_points(const LyIsotropic *solid, const LyraBatch *batch, bool psd, Cubes *cubes,
                       Sums *sums)
{
    const LyCubeRule *rule = &solid->rule;
    LyPoints points __attribute__((aligned(64)));
    points.volume = NULL;
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
    double lanes[WIDTH] __attribute__((aligned(64)));
    load_corners(batch, &cubes);
    // points that are looked at twice are written last: what they remember may lie in one place
    LyraBatch first = *batch;
    bool twice = batch->trial_history && sums && batch->psd;
    first.trial_history = twice ? NULL : batch->trial_history;
    // with branches the exact tangent seldom needs the other one
    bool plain = sums && batch->psd && solid->prony;
    bool projected = sum_points(solid, &first, batch->psd && !plain, &cubes, sums);
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
    if (plain && !LY_KERNEL(ly_is_positive)(8, true, batch->dfdx, lanes)) {
        first.energy = first.gradient = NULL;
        memcpy(room->exact, batch->dfdx, sizeof room->exact);
        sum_points(solid, &first, true, &cubes, sums);
        store_all_blocks(&solid->rule, sums, batch->dfdx);
        LY_KERNEL(ly_keep_lanes)(8, true, lanes, room->exact, batch->dfdx);
    } else if (sums && projected) {
        sum_points(solid, &first, false, &cubes, sums);
        store_all_blocks(&solid->rule, sums, room->exact);
        LY_KERNEL(ly_keep_positive)(8, true, room->exact, batch->dfdx);
    }
    if (twice) {
        first.trial_history = batch->trial_history;
        first.energy = first.gradient = first.dfdx = NULL;
        sum_points(solid, &first, false, &cubes, NULL);
    }
}
