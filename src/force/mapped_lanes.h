// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Mapped elements in lanes: F at the points, and energies, gradients and tangents from what a law
// makes of it there.
//
// With dN_a the derivatives of the shape functions by the reference coordinates xi_k, g_k the
// gradients of these at rest and w the point's part of the volume,
//   F = 1 + sum_a,k (d_k N_a) u_a g_k^T,  f_a = sum over points, k of w (d_k N_a) P g_k,
//   K_ac = sum over points, k, l of (d_k N_a)(d_l N_c) D_kl,  D_kl = w g_k . dP/dF . g_l.
//
// Hexahedra sum the six blocks D_kl of each point by moments, as cubes do. Tets take a fourth
// coordinate, xi_0 = 1 - xi_1 - xi_2 - xi_3, so that D_0l = - sum over k of D_kl, and with L_i the
// barycentric coordinates, d_i N_a = (4 L_i - 1) for corner i = a and d_i N_ab = 4 L_b, d_j N_ab =
// 4 L_a for the middle of an edge. At the four points L_i is beta + gamma [point i], gamma =
// 1/sqrt(5), so that most of F is the same at all of them, forces need only the sums of w P g_k
// and one of them more, and with B = D_ij of a point and S the sum over the points
//   sum L_m L_n B        = beta^2 S + beta gamma (B_m + B_n) + gamma^2 [m = n] B_m,
//   sum (4 L_m - 1) L_n B = - beta gamma S - gamma^2 B_n + 4 beta gamma B_m + 4 gamma^2 [m = n]
//   B_m, sum (4 L_m - 1)(4 L_n - 1) B = S/5 - 4/5 (B_m + B_n)  for m != n:
// a block is a sum of at most twelve of these, which is a sixth of the work of adding it up at each
// point.

#ifndef LY_FORCE_MAPPED_LANES_H
#define LY_FORCE_MAPPED_LANES_H

#include "force/cube_sums.h"
#include "force/definite.h"
#include "force/mapped.h"
#include "math/mat3_lanes.h"

/// Sums of stresses over the points: f [3 nodes][WIDTH], of tets once they are finished, from
/// w P g_k of each point, [4][3][3][WIDTH].
typedef struct LyMappedForces {
    double f[30 * WIDTH], points[36 * WIDTH];
} LyMappedForces;

/// Displacements less those of node 0, and sums over the points.
typedef struct LyMapped {
    double u[27 * WIDTH];
    double base[12 * WIDTH]; // of tets: part of the derivatives of u that all points have, [4][3]
    double energy[WIDTH];
    LyMappedForces forces;
} LyMapped;

/// What a kernel has of the arena: blocks, and the tangent as it is beside the projected one.
typedef struct LyMappedTetRoom {
    double points[4 * 6 * BLOCK], exact[45 * BLOCK];
} LyMappedTetRoom;

typedef struct LyMappedHexRoom {
    Sums sums;
    double exact[28 * BLOCK];
} LyMappedHexRoom;

typedef union LyMappedRoom {
    LyMappedTetRoom tet;
    LyMappedHexRoom hex;
} LyMappedRoom;

/// Room for a tangent where one is asked for, NULL otherwise.
LY_INLINE LyMappedRoom *ly_mapped_room(const LyMappedRule *rule, const LyraBatch *batch,
                                       LyraArena *scratch)
{
    size_t bytes = rule->tet ? sizeof(LyMappedTetRoom) : sizeof(LyMappedHexRoom);
    return batch->dfdx ? lyra_arena_push(scratch, bytes) : NULL;
}

/// Where the six blocks of point q go.
LY_INLINE double *ly_mapped_blocks(const LyMappedRule *rule, LyMappedRoom *room, int q)
{
    return (rule->tet ? room->tet.points : room->hex.sums.points) + q * 6 * BLOCK;
}

LY_INLINE double *ly_mapped_exact(const LyMappedRule *rule, LyMappedRoom *room)
{
    return rule->tet ? room->tet.exact : room->hex.exact;
}

// ---- derivatives of tets ------------------------------------------------------------------------

#define LY_TET_GAMMA 0.44721359549995793928 // 1/sqrt(5)
#define LY_TET_BETA 0.13819660112501051518  // (5 - sqrt(5))/20

// node in the middle of corners i and j
static const int8_t ly_tet10_middle[4][4] = {
    {0, 4, 6, 7}, {4, 1, 5, 8}, {6, 5, 2, 9}, {7, 8, 9, 3}};

// displacement of a node less that of node 0
LY_INLINE LyReal ly_mapped_displacement(const LyMapped *m, int node, int i, int lane)
{
    return node == 0 ? ly_set(0) : ly_load(m->u + (3 * (node - 1) + i) * WIDTH + lane);
}

// (4 beta - 1) u_i + 4 beta (sum over j of u_ij) by corner i
LY_INLINE void ly_tet10_load_base(LyMapped *m, int lane)
{
    for (int c = 0; c < 3; ++c) {
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) {
            LyReal sum = ly_set(0);
#pragma GCC unroll 4
            for (int j = 0; j < 4; ++j) {
                if (j != i) {
                    sum += ly_mapped_displacement(m, ly_tet10_middle[i][j], c, lane);
                }
            }
            ly_store(m->base + (3 * i + c) * WIDTH + lane,
                     4 * LY_TET_BETA * sum +
                         (4 * LY_TET_BETA - 1) * ly_mapped_displacement(m, i, c, lane));
        }
    }
}

// derivatives of component c of u by xi_k at point q
LY_INLINE void ly_tet10_slopes(const LyMapped *m, int q, int c, int lane, LyReal d[3])
{
    LyReal by[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
        by[i] = ly_load(m->base + (3 * i + c) * WIDTH + lane) +
                4 * LY_TET_GAMMA * ly_mapped_displacement(m, ly_tet10_middle[i][q], c, lane);
    }
    for (int k = 0; k < 3; ++k) {
        d[k] = by[k + 1] - by[0];
    }
}

// f of nodes 1 to 9: with s_i of the four corners, s_0 = - s_1 - s_2 - s_3, and S their sums over
// the points, (4 beta - 1) S_i + 4 gamma s_i(i) at corners, 4 beta (S_i + S_j) + 4 gamma (s_i(j) +
// s_j(i)) between them
LY_INLINE void ly_tet10_finish(LyMappedForces *forces, int c, int lane)
{
    LyReal s[4][4], S[4]; // [corner][point]
#pragma GCC unroll 4
    for (int q = 0; q < 4; ++q) {
        s[0][q] = ly_set(0);
#pragma GCC unroll 3
        for (int k = 0; k < 3; ++k) {
            s[k + 1][q] = ly_load(forces->points + (9 * q + 3 * k + c) * WIDTH + lane);
            s[0][q] -= s[k + 1][q];
        }
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
        S[i] = (s[i][0] + s[i][1]) + (s[i][2] + s[i][3]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
#pragma GCC unroll 4
        for (int j = i; j < 4; ++j) {
            LyReal f =
                i == j ? (4 * LY_TET_BETA - 1) * S[i] + 4 * LY_TET_GAMMA * s[i][i]
                       : 4 * LY_TET_BETA * (S[i] + S[j]) + 4 * LY_TET_GAMMA * (s[i][j] + s[j][i]);
            if (j > 0) {
                ly_store(forces->f + (3 * ly_tet10_middle[i][j] + c) * WIDTH + lane, f);
            }
        }
    }
}

// ---- points -------------------------------------------------------------------------------------

LY_INLINE void ly_mapped_load(const LyMappedRule *rule, const LyraBatch *batch, LyMapped *m)
{
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        for (int k = 0; k < 3 * (rule->nodes - 1); ++k) {
            ly_store(m->u + k * WIDTH + lane, ly_load(batch->u + (k + 3) * WIDTH + lane) -
                                                  ly_load(batch->u + k % 3 * WIDTH + lane));
        }
        if (rule->tet) {
            ly_tet10_load_base(m, lane);
        }
    }
    memset(m->energy, 0, sizeof m->energy);
    if (!rule->tet) {
        memset(m->forces.f, 0, sizeof m->forces.f);
    }
}

LY_INLINE LyReal ly_mapped_constant(const LyraBatch *batch, int q, int lane, int n)
{
    return ly_load(batch->constants + (LY_MAPPED_POINT * q + n) * WIDTH + lane);
}

LY_INLINE void ly_mapped_gradients(const LyraBatch *batch, int q, int lane, LyVec3 g[3])
{
    for (int k = 0; k < 9; ++k) {
        g[k / 3].v[k % 3] = ly_mapped_constant(batch, q, lane, LY_MAPPED_G + k);
    }
}

/// Gradient of the displacements at point q, F - 1.
LY_INLINE LyMat3 ly_mapped_gradient(const LyMappedRule *rule, const LyraBatch *batch,
                                    const LyMapped *m, int q, int lane)
{
    LyVec3 g[3];
    LyMat3 G;
    ly_mapped_gradients(batch, q, lane, g);
    for (int i = 0; i < 3; ++i) {
        LyReal d[3] = {ly_set(0), ly_set(0), ly_set(0)};
        if (rule->tet) {
            ly_tet10_slopes(m, q, i, lane, d);
        }
        for (int a = 1; !rule->tet && a < rule->nodes; ++a) {
            LyReal u = ly_load(m->u + (3 * (a - 1) + i) * WIDTH + lane);
            const double *slope = rule->shape[q][a];
            for (int k = 0; k < 3; ++k) {
                d[k] += slope[k] * u;
            }
        }
        for (int j = 0; j < 3; ++j) {
            G.m[i][j] = d[0] * g[0].v[j] + d[1] * g[1].v[j] + d[2] * g[2].v[j];
        }
    }
    return G;
}

/// F at point q.
LY_INLINE LyMat3 ly_mapped_deformation(const LyMappedRule *rule, const LyraBatch *batch,
                                       const LyMapped *m, int q, int lane)
{
    LyMat3 F = ly_mapped_gradient(rule, batch, m, q, lane);
    for (int i = 0; i < 3; ++i) {
        F.m[i][i] += 1.0;
    }
    return F;
}

/// Adds w P g_k d_k N_a of point q, or keeps w P g_k for ly_mapped_finish.
LY_INLINE void ly_mapped_add_stress(const LyMappedRule *rule, const LyraBatch *batch, int q,
                                    int lane, const LyMat3 *P, LyMappedForces *forces)
{
    LyReal weight = ly_mapped_constant(batch, q, lane, LY_MAPPED_WEIGHT);
    LyVec3 g[3], s[3];
    ly_mapped_gradients(batch, q, lane, g);
    for (int k = 0; k < 3; ++k) {
        s[k] = ly_mat3_apply(P, &g[k]);
        for (int i = 0; i < 3; ++i) {
            s[k].v[i] *= weight;
            if (rule->tet) {
                ly_store(forces->points + (9 * q + 3 * k + i) * WIDTH + lane, s[k].v[i]);
            }
        }
    }
    for (int a = 1; !rule->tet && a < rule->nodes; ++a) {
        const double *slope = rule->shape[q][a];
        for (int i = 0; i < 3; ++i) {
            double *to = forces->f + (3 * a + i) * WIDTH + lane;
            ly_store(to, ly_load(to) +
                             (slope[0] * s[0].v[i] + slope[1] * s[1].v[i] + slope[2] * s[2].v[i]));
        }
    }
}

/// After the stresses of all points: f of all nodes but the first, which is minus their sum.
LY_INLINE void ly_mapped_finish(const LyMappedRule *rule, LyMappedForces *forces)
{
    for (int lane = 0; rule->tet && lane < WIDTH; lane += LY_LANES) {
        for (int c = 0; c < 3; ++c) {
            ly_tet10_finish(forces, c, lane);
        }
    }
}

LY_INLINE void ly_mapped_add_energy(const LyraBatch *batch, int q, int lane, LyReal density,
                                    LyMapped *m)
{
    LyReal weight = ly_mapped_constant(batch, q, lane, LY_MAPPED_WEIGHT);
    ly_store(m->energy + lane, ly_load(m->energy + lane) + weight * density);
}

/// Energy and gradient of the batch, that of node 0 being minus the sum of the others.
LY_INLINE void ly_mapped_store(const LyMappedRule *rule, const LyraBatch *batch, LyMapped *m)
{
    ly_mapped_finish(rule, &m->forces);
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        if (batch->energy) {
            ly_store(batch->energy + lane, ly_load(m->energy + lane));
        }
        for (int i = 0; batch->gradient && i < 3; ++i) {
            LyReal sum = ly_set(0);
            for (int a = 1; a < rule->nodes; ++a) {
                LyReal x = ly_load(m->forces.f + (3 * a + i) * WIDTH + lane);
                sum += x;
                ly_store(batch->gradient + (3 * a + i) * WIDTH + lane, x);
            }
            ly_store(batch->gradient + i * WIDTH + lane, -sum);
        }
    }
}

// ---- tangents of tets ---------------------------------------------------------------------------

// one component of the blocks (i, j) at the four points, and what pairs of nodes take of it
typedef struct LyTet10Parts {
    LyReal B[4][4][4]; // [i][j][point]
    LyReal X[4][4][4]; // 16 (beta gamma B + beta^2 S/2)
    LyReal Z[4][4];    // 16 beta gamma B - 4 beta gamma S at point i
    LyReal S[4][4];    // S/5
} LyTet10Parts;

// place of block (k, l), k <= l, among 11 22 33 12 23 13
LY_INLINE int ly_tet10_block(int k, int l)
{
    return k == l ? k : k + l == 1 ? 3 : k + l == 3 ? 4 : 5;
}

LY_INLINE void ly_tet10_load(const double *points, int lane, int r, int s, LyTet10Parts *parts)
{
#pragma GCC unroll 4
    for (int q = 0; q < 4; ++q) {
        const double *blocks = points + q * 6 * BLOCK + lane;
        LyReal all = ly_set(0);
#pragma GCC unroll 3
        for (int k = 0; k < 3; ++k) {
            LyReal row = ly_set(0);
#pragma GCC unroll 3
            for (int l = 0; l < 3; ++l) {
                int component = k <= l ? 3 * r + s : 3 * s + r;
                int n = k <= l ? ly_tet10_block(k, l) : ly_tet10_block(l, k);
                LyReal x = ly_load(blocks + n * BLOCK + component * WIDTH);
                parts->B[k + 1][l + 1][q] = x;
                row += x;
            }
            parts->B[k + 1][0][q] = -row;
            all += row;
        }
#pragma GCC unroll 3
        for (int l = 1; l < 4; ++l) {
            parts->B[0][l][q] = -(parts->B[1][l][q] + parts->B[2][l][q] + parts->B[3][l][q]);
        }
        parts->B[0][0][q] = all;
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) {
            const LyReal *B = parts->B[i][j];
            LyReal S = (B[0] + B[1]) + (B[2] + B[3]);
            LyReal x = (8 * LY_TET_BETA * LY_TET_BETA) * S,
                   z = (4 * LY_TET_BETA * LY_TET_GAMMA) * S;
            parts->S[i][j] = 0.2 * S;
            parts->Z[i][j] = (16 * LY_TET_BETA * LY_TET_GAMMA) * B[i] - z;
#pragma GCC unroll 4
            for (int q = 0; q < 4; ++q) {
                parts->X[i][j][q] = (16 * LY_TET_BETA * LY_TET_GAMMA) * B[q] + x;
            }
        }
    }
}

// ends of the edge of a middle node
LY_INLINE int ly_tet10_end(int node, int side)
{
    return node == 4 ? side : node == 5 ? 1 + side : node == 6 ? 2 - 2 * side : side ? 3 : node - 7;
}

// 16 sum L_m L_n B_ij
LY_INLINE LyReal ly_tet10_edges(const LyTet10Parts *p, int i, int j, int m, int n)
{
    LyReal sum = p->X[i][j][m] + p->X[i][j][n];
    return m == n ? sum + 3.2 * p->B[i][j][m] : sum;
}

// 4 sum (4 L_i - 1) L_n B_ij
LY_INLINE LyReal ly_tet10_mixed(const LyTet10Parts *p, int i, int j, int n)
{
    return p->Z[i][j] + (i == n ? 2.4 : -0.8) * p->B[i][j][n];
}

// the component of the block of nodes a < c
LY_INLINE LyReal ly_tet10_pair(const LyTet10Parts *p, int a, int c)
{
    if (c < 4) {
        return p->S[a][c] - 0.8 * (p->B[a][c][a] + p->B[a][c][c]);
    }
    int s = ly_tet10_end(c, 0), t = ly_tet10_end(c, 1);
    if (a < 4) {
        return ly_tet10_mixed(p, a, t, s) + ly_tet10_mixed(p, a, s, t);
    }
    int m = ly_tet10_end(a, 0), n = ly_tet10_end(a, 1);
    return (ly_tet10_edges(p, n, t, m, s) + ly_tet10_edges(p, n, s, m, t)) +
           (ly_tet10_edges(p, m, t, n, s) + ly_tet10_edges(p, m, s, n, t));
}

// clang-format off
#define LY_TET10_FROM(a, X) X(a, 4) X(a, 5) X(a, 6) X(a, 7) X(a, 8) X(a, 9)
#define LY_TET10_PAIRS(X)                                                                          \
    X(0, 1) X(0, 2) X(0, 3) LY_TET10_FROM(0, X)                                                    \
    X(1, 2) X(1, 3) LY_TET10_FROM(1, X)                                                            \
    X(2, 3) LY_TET10_FROM(2, X)                                                                    \
    LY_TET10_FROM(3, X)                                                                            \
    X(4, 5) X(4, 6) X(4, 7) X(4, 8) X(4, 9)                                                        \
    X(5, 6) X(5, 7) X(5, 8) X(5, 9)                                                                \
    X(6, 7) X(6, 8) X(6, 9)                                                                        \
    X(7, 8) X(7, 9)                                                                                \
    X(8, 9)
// clang-format on
#define LY_TET10_STORE(a, c)                                                                       \
    ly_store(block, ly_tet10_pair(&parts, a, c));                                                  \
    block += BLOCK;

static void tet10_store_blocks(const double *points, int lane, double *dfdx)
{
    for (int k = 0; k < 9; ++k) {
        LyTet10Parts parts;
        ly_tet10_load(points, lane, k / 3, k % 3, &parts);
        double *block = dfdx + k * WIDTH + lane;
        LY_TET10_PAIRS(LY_TET10_STORE)
    }
}

// ---- tangents -----------------------------------------------------------------------------------

/// All pairs of nodes a < c from the blocks of the points.
LY_INLINE void ly_mapped_store_blocks(const LyMappedRule *rule, LyMappedRoom *room, double *dfdx)
{
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        if (rule->tet) {
            tet10_store_blocks(room->tet.points, lane, dfdx);
            continue;
        }
        LyCubeRule cube;
        cube.n = 2;
        memcpy(cube.value, rule->value, sizeof cube.value);
        memcpy(cube.product, rule->product, sizeof cube.product);
        store_blocks(&cube, &room->hex.sums, lane, dfdx);
    }
}

#endif
