// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Tets of 10 nodes and hexahedra of small strain, at the points in a frame that turns with each of
// them. docs/theory/corotational.md has the derivation, corotational_tet_kernel.c the formulas; a
// point is there a tet with directions g_k for the gradients of its nodes.
//
//   linear:       s = D : G,        P = s,    D_kl = D : (g_k g_l)
//   corotational: s = D : (S - 1),  P = R s,  D_kl = R [D : (g_k g_l)] R^T, without the turn of R
//   exact (ENU):  D_kl = 2 mu (g_k.g_l) 1 + lambda r_k r_l^T + [r_k]x Z [r_l]x^T,  r_k = R g_k

#include "force/corotational_lanes.h"
#include "force/mapped_lanes.h"

typedef struct Point {
    LyMat3 R, Z; // frame; the turn of an exact one
    LyReal energy;
    LyMat3 P;
    bool projected; // Z is not that of the exact tangent
} Point;

LY_INLINE Point evaluate_enu(const LyCorotational *self, const LyraBatch *batch, const LyMat3 *G,
                             bool psd, int lane)
{
    LyReal lambda = ly_load(batch->parameters + LYRA_ELASTIC_LAMBDA * WIDTH + lane);
    LyReal mu = ly_load(batch->parameters + LYRA_ELASTIC_MU * WIDTH + lane), trace = ly_set(0);
    LyMat3 F = *G, apart;
    Point point;
    memset(&point, 0, sizeof point);
    for (int i = 0; i < 3; ++i) {
        F.m[i][i] += 1.0;
    }
    ly_mat3_polar(&F, &point.R);
    // tr S - 3 as the trace of R^T (F - R), which does not cancel
    for (int k = 0; k < 9; ++k) {
        int i = k / 3, j = k % 3;
        apart.m[i][j] = F.m[i][j] - point.R.m[i][j];
        trace += point.R.m[i][j] * apart.m[i][j];
    }
    LyReal pressure = lambda * trace;
    point.energy = mu * ly_mat3_norm_squared(&apart) + 0.5 * pressure * trace;
    for (int k = 0; k < 9; ++k) {
        int i = k / 3, j = k % 3;
        point.P.m[i][j] = 2.0 * mu * apart.m[i][j] + pressure * point.R.m[i][j];
    }
    if (self->model == LYRA_COROTATIONAL_EXACT && batch->dfdx) {
        LyMat3 T = ly_mat3_multiply_transposed(&F, &point.R);
        LyReal c = pressure - 2.0 * mu;
        LyMat3 Z = ly_frame_inverse(&T, c, false, mu);
        point.Z = psd ? ly_frame_inverse(&T, c, true, mu) : Z;
        for (int k = 0; psd && k < 9; ++k) {
            LyMask same = ly_equal(point.Z.m[k / 3][k % 3], Z.m[k / 3][k % 3]);
            point.projected = point.projected || !ly_all(same);
        }
    }
    return point;
}

LY_INLINE Point evaluate_any(const LyCorotational *self, const LyStiffness *D, const LyMat3 *G)
{
    Point point;
    memset(&point, 0, sizeof point);
    LyMat3 H = *G, s;
    bool linear = self->model == LYRA_COROTATIONAL_LINEAR;
    if (!linear) {
        LyMat3 F = *G;
        for (int i = 0; i < 3; ++i) {
            F.m[i][i] += 1.0;
        }
        ly_mat3_polar(&F, &point.R);
        H = ly_mat3_transposed_multiply(&point.R, &F);
        for (int i = 0; i < 3; ++i) {
            H.m[i][i] -= 1.0;
        }
    }
    s = self->isotropic ? ly_stress(true, D, &H) : ly_stress(false, D, &H);
    point.energy = ly_set(0);
    for (int k = 0; k < 9; ++k) {
        point.energy += 0.5 * s.m[k / 3][k % 3] * H.m[k / 3][k % 3];
    }
    point.P = linear ? s : ly_mat3_multiply(&point.R, &s);
    return point;
}

// the block of directions a and b, without the weight
LY_INLINE LyMat3 find_block(const LyCorotational *self, const LyStiffness *D, const Point *point,
                            const LyVec3 *a, const LyVec3 *b)
{
    LyMat3 K;
    if (self->model == LYRA_COROTATIONAL_EXACT) {
        LyVec3 r = ly_mat3_apply(&point->R, a), t = ly_mat3_apply(&point->R, b);
        LyVec3 minus = {{-t.v[0], -t.v[1], -t.v[2]}};
        LyMat3 Q = ly_multiply_cross(&point->Z, &minus);
        LyReal lambda = D->d[LYRA_ELASTIC_LAMBDA];
        LyReal diagonal = 2.0 * D->d[LYRA_ELASTIC_MU] * ly_vec3_dot(a, b);
        for (int j = 0; j < 3; ++j) {
            LyVec3 column = {{Q.m[0][j], Q.m[1][j], Q.m[2][j]}};
            LyVec3 turned = ly_vec3_cross(&r, &column);
            for (int i = 0; i < 3; ++i) {
                K.m[i][j] = turned.v[i] + lambda * r.v[i] * t.v[j];
            }
            K.m[j][j] += diagonal;
        }
        return K;
    }
    LyMat3 G;
    for (int k = 0; k < 9; ++k) {
        G.m[k / 3][k % 3] = a->v[k / 3] * b->v[k % 3];
    }
    K = self->isotropic ? ly_stiffness_block(true, D, &G) : ly_stiffness_block(false, D, &G);
    return self->model == LYRA_COROTATIONAL_LINEAR ? K : ly_turned(&point->R, &K);
}

// returns whether a point was projected
static bool sum_points(const LyCorotational *self, const LyraBatch *batch, bool psd, bool forces,
                       LyMapped *m, LyMappedRoom *room)
{
    const LyMappedRule *rule = &self->mapped;
    bool projected = false;
    bool enu = self->isotropic && self->model != LYRA_COROTATIONAL_LINEAR;
    for (int q = 0; q < rule->points; ++q) {
        for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
            const double *parameters = batch->parameters + lane;
            LyStiffness D = self->isotropic ? ly_stiffness_load(true, parameters)
                                            : ly_stiffness_load(false, parameters);
            LyMat3 G = ly_mapped_gradient(rule, batch, m, q, lane);
            Point point =
                enu ? evaluate_enu(self, batch, &G, psd, lane) : evaluate_any(self, &D, &G);
            projected = projected || point.projected;
            if (forces) {
                ly_mapped_add_energy(batch, q, lane, point.energy, m);
                ly_mapped_add_stress(rule, batch, q, lane, &point.P, &m->forces);
            }
            if (!room) {
                continue;
            }
            LyReal weight = ly_mapped_constant(batch, q, lane, LY_MAPPED_WEIGHT);
            double *blocks = ly_mapped_blocks(rule, room, q) + lane;
            LyVec3 g[3];
            ly_mapped_gradients(batch, q, lane, g);
            for (int n = 0; n < 6; ++n) {
                LyMat3 K = find_block(self, &D, &point, &g[pair_k[n]], &g[pair_l[n]]);
                K = ly_mat3_scale(&K, weight);
                ly_mat3_store_components(blocks + n * BLOCK, WIDTH, &K);
            }
        }
    }
    return projected;
}

void LY_KERNEL(ly_mapped_strain)(const void *user, const LyraBatch *batch, LyraArena *scratch)
{
    const LyCorotational *self = user;
    const LyMappedRule *rule = &self->mapped;
    LyMappedRoom *room = ly_mapped_room(rule, batch, scratch);
    LyMapped m __attribute__((aligned(64)));
    ly_mapped_load(rule, batch, &m);
    bool projected = sum_points(self, batch, batch->psd, true, &m, room);
    ly_mapped_store(rule, batch, &m);
    if (batch->contraction) {
        ly_clear_contraction(batch, rule->nodes);
    }
    if (!room) {
        return;
    }
    ly_mapped_store_blocks(rule, room, batch->dfdx);
    // others, and those of points that nothing was taken from, are positive as they are
    if (projected) {
        double *exact = ly_mapped_exact(rule, room);
        sum_points(self, batch, false, false, &m, room);
        ly_mapped_store_blocks(rule, room, exact);
        LY_KERNEL(ly_keep_positive)(rule->nodes, true, exact, batch->dfdx);
    }
}
