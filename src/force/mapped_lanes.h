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

// One component of the blocks (i, j) at the four points, and of their sum S. With it comes what the
// transposed component has: B_ij there is B_ji here.
typedef struct LyTet10Parts {
    const double *upper, *lower;      // the component of the points' blocks k <= l and k > l
    LyReal first[4][4], second[4][4]; // B_0j and B_j0 [point][j]
    LyReal S[4][4];
    LyReal H[4][4]; // 8 beta^2 (g_0 + g_k) S (g_0 + g_l)
} LyTet10Parts;

// of the edges 0k and st: 8 sum (L of s and t at their points) (g_0 + g_k) D (g_s + g_t)
typedef struct LyTet10Edges {
    LyReal P[4][10];
} LyTet10Edges;

// place of block (k, l), k <= l, among 11 22 33 12 23 13
LY_INLINE int ly_tet10_block(int k, int l)
{
    return k == l ? k : k + l == 1 ? 3 : k + l == 3 ? 4 : 5;
}

// B_ij at point q
LY_INLINE LyReal ly_tet10_at(const LyTet10Parts *p, bool turned, int i, int j, int q)
{
    if (turned) {
        int k = i;
        i = j;
        j = k;
    }
    if (i == 0) {
        return p->first[q][j];
    }
    if (j == 0) {
        return p->second[q][i];
    }
    int n = i <= j ? ly_tet10_block(i - 1, j - 1) : ly_tet10_block(j - 1, i - 1);
    return ly_load((i <= j ? p->upper : p->lower) + (6 * q + n) * BLOCK);
}

LY_INLINE LyReal ly_tet10_sum(const LyTet10Parts *p, bool turned, int i, int j)
{
    return turned ? p->S[j][i] : p->S[i][j];
}

// B_0j and B_j0 of a point
LY_INLINE void ly_tet10_complete(LyReal B[4][4])
{
#pragma GCC unroll 3
    for (int k = 1; k < 4; ++k) {
        B[0][k] = -(B[1][k] + B[2][k] + B[3][k]);
        B[k][0] = -(B[k][1] + B[k][2] + B[k][3]);
    }
    B[0][0] = -(B[0][1] + B[0][2] + B[0][3]);
}

LY_INLINE void ly_tet10_load(const double *points, int lane, int r, int s, LyTet10Parts *p)
{
    p->upper = points + (3 * r + s) * WIDTH + lane;
    p->lower = points + (3 * s + r) * WIDTH + lane;
    LyReal S[4][4];
#pragma GCC unroll 4
    for (int q = 0; q < 4; ++q) {
        LyReal B[4][4];
#pragma GCC unroll 9
        for (int k = 0; k < 9; ++k) {
            int i = k / 3 + 1, j = k % 3 + 1;
            B[i][j] = ly_tet10_at(p, false, i, j, q);
            S[i][j] = q ? S[i][j] + B[i][j] : B[i][j];
        }
        ly_tet10_complete(B);
#pragma GCC unroll 4
        for (int k = 0; k < 4; ++k) {
            p->first[q][k] = B[0][k];
            p->second[q][k] = B[k][0];
        }
    }
    ly_tet10_complete(S);
#pragma GCC unroll 16
    for (int k = 0; k < 16; ++k) {
        int i = k / 4, j = k % 4;
        p->S[i][j] = S[i][j];
        if (i > 0 && j > 0) {
            p->H[i][j] =
                (8 * LY_TET_BETA * LY_TET_BETA) * ((S[0][0] + S[i][0]) + (S[0][j] + S[i][j]));
        }
    }
}

// ends of the edge of a middle node
LY_INLINE int ly_tet10_end(int node, int side)
{
    return node == 4 ? side : node == 5 ? 1 + side : node == 6 ? 2 - 2 * side : side ? 3 : node - 7;
}

// k where the edge is 0k, -k where it is opposite to that: g_m + g_n of the two are opposite too
LY_INLINE int ly_tet10_axis(int node)
{
    return node == 4 ? 1 : node == 6 ? 2 : node == 7 ? 3 : node == 9 ? -1 : node == 8 ? -2 : -3;
}

// place of the block of nodes a < c
LY_INLINE int ly_tet10_place(int a, int c)
{
    return a * 9 - a * (a - 1) / 2 + c - a - 1;
}

// pairs with corners, and what pairs of middles take of the points of one of them
LY_INLINE void ly_tet10_corners(const LyTet10Parts *p, bool turned, double *to, LyTet10Edges *edges)
{
    const double u = 16 * LY_TET_BETA * LY_TET_GAMMA;
    LyReal Q[4][4];
#pragma GCC unroll 4
    for (int a = 0; a < 4; ++a) {
        LyReal Z[4];
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) {
            LyReal B = ly_tet10_at(p, turned, a, j, a), S = ly_tet10_sum(p, turned, a, j);
            Z[j] = u * B - (4 * LY_TET_BETA * LY_TET_GAMMA) * S;
            if (j > a) {
                LyReal both = B + ly_tet10_at(p, turned, a, j, j);
                ly_store(to + ly_tet10_place(a, j) * BLOCK, 0.2 * S - 0.8 * both);
            }
        }
#pragma GCC unroll 3
        for (int k = 1; k < 4; ++k) {
            Q[a][k] = Z[0] + Z[k];
        }
    }
#pragma GCC unroll 6
    for (int c = 4; c < 10; ++c) {
        int s = ly_tet10_end(c, 0), t = ly_tet10_end(c, 1), axis = ly_tet10_axis(c);
        int side = axis > 0 ? axis : -axis;
        LyReal Y[4];
#pragma GCC unroll 4
        for (int a = 0; a < 4; ++a) {
            LyReal x = ly_tet10_at(p, turned, a, t, s), y = ly_tet10_at(p, turned, a, s, t);
            LyReal corner = a == s ? x : y;
            Y[a] = x + y;
            LyReal K = axis > 0 ? Q[a][side] - 0.8 * Y[a] : -Q[a][side] - 0.8 * Y[a];
            ly_store(to + ly_tet10_place(a, c) * BLOCK, a == s || a == t ? K + 3.2 * corner : K);
        }
#pragma GCC unroll 3
        for (int k = 1; k < 4; ++k) {
            LyReal H = turned ? p->H[side][k] : p->H[k][side], both = Y[0] + Y[k];
            edges->P[k][c] = axis > 0 ? u * both + H : u * both - H;
        }
    }
}

LY_INLINE LyReal ly_tet10_side(const LyTet10Edges *edges, int a, int c)
{
    int k = ly_tet10_axis(a);
    return k > 0 ? edges->P[k][c] : -edges->P[-k][c];
}

// pairs of middles: a has the points of c's ends in `edges`, c those of a's in `across`
LY_INLINE void ly_tet10_middles(const LyTet10Parts *p, bool turned, const LyTet10Edges *edges,
                                const LyTet10Edges *across, double *to)
{
#pragma GCC unroll 6
    for (int a = 4; a < 10; ++a) {
#pragma GCC unroll 5
        for (int c = a + 1; c < 10; ++c) {
            LyReal x = ly_tet10_side(edges, a, c) + ly_tet10_side(across, c, a);
#pragma GCC unroll 4
            for (int side = 0; side < 4; ++side) {
                int m = ly_tet10_end(a, side / 2), n = ly_tet10_end(a, 1 - side / 2);
                int s = ly_tet10_end(c, side % 2), t = ly_tet10_end(c, 1 - side % 2);
                if (m == s) {
                    x += 3.2 * ly_tet10_at(p, turned, n, t, m);
                }
            }
            ly_store(to + ly_tet10_place(a, c) * BLOCK, x);
        }
    }
}

static void tet10_store_blocks(const double *points, int lane, double *dfdx)
{
    for (int k = 0; k < 6; ++k) {
        int r = k < 3 ? k : k == 5 ? 0 : k - 3, s = k < 3 ? k : k == 3 ? 1 : 2;
        double *to = dfdx + (3 * r + s) * WIDTH + lane, *turned = dfdx + (3 * s + r) * WIDTH + lane;
        LyTet10Parts parts;
        LyTet10Edges edges, across;
        ly_tet10_load(points, lane, r, s, &parts);
        ly_tet10_corners(&parts, false, to, &edges);
        if (r == s) {
            ly_tet10_middles(&parts, false, &edges, &edges, to);
            continue;
        }
        ly_tet10_corners(&parts, true, turned, &across);
        ly_tet10_middles(&parts, false, &edges, &across, to);
        ly_tet10_middles(&parts, true, &across, &edges, turned);
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
