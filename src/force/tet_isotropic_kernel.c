// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Tets of any isotropic law. One point per tet: energy V W, gradient f_a = V P b_a, and from the
// six blocks D_ac of the directions b_1, b_2, b_3 those of the nodes:
//   K_ac = V D_ac for a, c > 0,  K_0c = - V sum over a > 0 of D_ac.
//
// With nodal pressure (nodal.h) W - U1 + Ubar and its slope pbar stand in for W.

#include "force/definite.h"
#include "force/isotropic_point.h"
#include "force/volumetric_lanes.h"

#define WIDTH LYRA_BATCH_WIDTH

LY_INLINE void load_directions(const LyraBatch *batch, int lane, LyVec3 b[3])
{
    for (int a = 0; a < 3; ++a) {
        b[a] = ly_vec3_load_lanes(batch->constants + (LY_TET_B + 3 * a) * WIDTH + lane);
    }
}

LY_INLINE void store_gradients(const LyraBatch *batch, const LyPoints *points, int lane)
{
    LyReal volume = ly_load(batch->constants + LY_TET_VOLUME * WIDTH + lane);
    LyMat3 P = ly_mat3_load_lanes(points->P + lane);
    LyVec3 b[3], sum = {{ly_set(0), ly_set(0), ly_set(0)}};
    load_directions(batch, lane, b);
    for (int a = 0; a < 3; ++a) {
        LyVec3 f = ly_mat3_apply(&P, &b[a]);
        for (int i = 0; i < 3; ++i) {
            f.v[i] *= volume;
            sum.v[i] += f.v[i];
            ly_store(batch->gradient + (3 * (a + 1) + i) * WIDTH + lane, f.v[i]);
        }
    }
    for (int i = 0; i < 3; ++i) {
        ly_store(batch->gradient + i * WIDTH + lane, -sum.v[i]);
    }
}

LY_INLINE void store_block(const LyraBatch *batch, int lane, int pair, const LyMat3 *K)
{
    ly_mat3_store_lanes(batch->dfdx + 9 * pair * WIDTH + lane, K);
}

LY_INLINE void store_tangent(const LyIsotropic *solid, const LyraBatch *batch,
                             const LyPoints *points, int lane)
{
    LyReal volume = ly_load(batch->constants + LY_TET_VOLUME * WIDTH + lane);
    LyVec3 b[3];
    LyMat3 D[6];
    load_directions(batch, lane, b);
    ly_points_blocks(solid, points, lane, b, D);
    for (int n = 0; n < 6; ++n) {
        D[n] = ly_mat3_scale(&D[n], volume);
    }
    // pairs 01 02 03 12 13 23; the blocks are 11 22 33 12 23 13
    const LyMat3 *d12 = &D[3], *d23 = &D[4], *d13 = &D[5];
    LyMat3 K[3];
    for (int k = 0; k < 9; ++k) {
        int i = k / 3, j = k % 3;
        K[0].m[i][j] = -(D[0].m[i][j] + d12->m[j][i] + d13->m[j][i]);
        K[1].m[i][j] = -(d12->m[i][j] + D[1].m[i][j] + d23->m[j][i]);
        K[2].m[i][j] = -(d13->m[i][j] + d23->m[i][j] + D[2].m[i][j]);
    }
    store_block(batch, lane, 0, &K[0]);
    store_block(batch, lane, 1, &K[1]);
    store_block(batch, lane, 2, &K[2]);
    store_block(batch, lane, 3, d12);
    store_block(batch, lane, 4, d13);
    store_block(batch, lane, 5, d23);
}

// what nodal pressure adds to W, and its derivatives by J, [3][WIDTH]
static void find_nodal(const LyIsotropic *solid, const LyraBatch *batch, const LyPoints *points,
                       double *added)
{
    double J[WIDTH] __attribute__((aligned(64)));
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        LyMat3 F = ly_mat3_load_lanes(points->F + lane);
        ly_store(J + lane, ly_mat3_determinant(&F));
    }
    ly_volumetric(solid, batch->parameters, LY_VOLUMETRIC_POINT, J, added);
    for (int k = 0; k < 3 * WIDTH; k += LY_LANES) {
        LyReal mean = k < 2 * WIDTH ? ly_load(batch->nodal + k) : ly_set(0);
        ly_store(added + k, mean - ly_load(added + k));
    }
}

static void evaluate(const void *self, const LyraBatch *batch)
{
    const LyIsotropic *solid = self;
    LyPoints points __attribute__((aligned(64)));
    double added[3 * WIDTH] __attribute__((aligned(64)));
    points.volume = NULL;
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        LyVec3 b[3];
        LyMat3 F;
        load_directions(batch, lane, b);
        for (int i = 0; i < 3; ++i) {
            LyReal u0 = ly_load(batch->u + i * WIDTH + lane), d[3];
            for (int a = 0; a < 3; ++a) {
                d[a] = ly_load(batch->u + (3 * (a + 1) + i) * WIDTH + lane) - u0;
            }
            for (int j = 0; j < 3; ++j) {
                F.m[i][j] = d[0] * b[0].v[j] + d[1] * b[1].v[j] + d[2] * b[2].v[j];
            }
            F.m[i][i] += 1.0;
        }
        ly_mat3_store_lanes(points.F + lane, &F);
    }
    if (batch->nodal) {
        find_nodal(solid, batch, &points, added);
        points.volume = added;
    }
    LY_POINTS_EVALUATE(solid, batch, 0, batch->dfdx != NULL, batch->psd, &points);
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        if (batch->trial_history) {
            LyReal volume = ly_load(batch->constants + LY_TET_VOLUME * WIDTH + lane);
            ly_points_add_lost(solid, batch, &points, true, volume, lane);
        }
        if (batch->energy) {
            LyReal volume = ly_load(batch->constants + LY_TET_VOLUME * WIDTH + lane);
            ly_store(batch->energy + lane, volume * ly_load(points.energy + lane));
        }
        if (batch->gradient) {
            store_gradients(batch, &points, lane);
        }
        if (batch->dfdx) {
            store_tangent(solid, batch, &points, lane);
        }
    }
}

void LY_KERNEL(ly_tet_isotropic)(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    const LyIsotropic *solid = self;
    bool roughly =
        solid->prony || (solid->plasticity && solid->plasticity->rule == LY_FLOW_KINEMATIC);
    if (!roughly || !batch->psd || !batch->dfdx) {
        evaluate(self, batch);
        return;
    }
    // the projection takes too much away: the exact tangent where it is positive. What is
    // remembered may lie in one place with what is to be, so that it is written last
    LyraBatch first = *batch;
    first.trial_history = NULL;
    ly_evaluate_positive(evaluate, 4, true, self, &first, scratch);
    if (batch->trial_history) {
        first.trial_history = batch->trial_history;
        first.dfdx = first.gradient = first.energy = NULL;
        evaluate(self, &first);
    }
}
