// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Tets of 10 nodes and hexahedra of any isotropic law. mapped_lanes.h has the sums over points.
//
// In the PSD mode each point has its dP/dF projected. The sum over the points may be positive
// though a point is not: where a point was changed the exact tangent is summed as well, and stays
// where it is positive.
//
// Points that remember (plasticity, a Prony series) have their own numbers in the history.
//
// Mean dilatation. With U(J) the energy of a pure dilatation, v = sum w J and V = sum w,
//   E = sum w (W(F) - U1(J)) + V U2(v/V),
// where U1 = U2 = U but for strong compression (volumetric.h). With the pressure p = U2'(v/V), a
// number while a tangent is made,
//   gradient = sum w d(W - U1 + p J),  K = the tangent of that + U2''(v/V)/V grad v grad v^T.

#include "force/isotropic_point.h"
#include "force/mapped_lanes.h"
#include "force/volumetric_lanes.h"

_Static_assert(sizeof(LyMappedTetRoom) == (size_t)69 * 9 * LYRA_BATCH_WIDTH * sizeof(double) &&
                   sizeof(LyMappedHexRoom) == (size_t)253 * 9 * LYRA_BATCH_WIDTH * sizeof(double),
               "what ly_mapped_scratch says");

// what mean dilatation adds to the points, and grad v
typedef struct Mean {
    double point[LY_MAPPED_POINTS_MAX][3 * WIDTH]; // value, slope, curvature by J
    double energy[WIDTH];                          // V U2
    double stiffness[WIDTH];                       // U2''/V
    LyMappedForces grad;
    double F[LY_MAPPED_POINTS_MAX][9 * WIDTH]; // found on the way
} Mean;

static void find_mean(const LyIsotropic *solid, const LyraBatch *batch, const LyMapped *m,
                      Mean *mean)
{
    const LyMappedRule *rule = &solid->mapped;
    double J[LY_MAPPED_POINTS_MAX][WIDTH] __attribute__((aligned(64)));
    double theta[WIDTH] __attribute__((aligned(64))), volume[WIDTH] __attribute__((aligned(64)));
    double U[3 * WIDTH] __attribute__((aligned(64)));
    memset(mean->grad.f, 0, sizeof mean->grad.f);
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        LyReal v = ly_set(0), V = ly_set(0);
        for (int q = 0; q < rule->points; ++q) {
            LyMat3 F = ly_mapped_deformation(rule, batch, m, q, lane);
            LyReal weight = ly_mapped_constant(batch, q, lane, LY_MAPPED_WEIGHT);
            LyReal det = ly_mat3_determinant(&F);
            ly_mat3_store_lanes(mean->F[q] + lane, &F);
            ly_store(J[q] + lane, det);
            v += weight * det;
            V += weight;
            if (batch->dfdx) {
                LyMat3 K = ly_mat3_cofactor(&F);
                ly_mapped_add_stress(rule, batch, q, lane, &K, &mean->grad);
            }
        }
        ly_store(theta + lane, v / V);
        ly_store(volume + lane, V);
    }
    if (batch->dfdx) {
        ly_mapped_finish(rule, &mean->grad);
    }
    ly_volumetric(solid, batch->parameters, LY_VOLUMETRIC_ELEMENT, theta, U);
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        LyReal V = ly_load(volume + lane), curvature = ly_load(U + 2 * WIDTH + lane);
        ly_store(mean->energy + lane, V * ly_load(U + lane));
        if (batch->psd) {
            curvature = ly_max(curvature, ly_set(0));
        }
        ly_store(mean->stiffness + lane, curvature / V);
    }
    double pressure[WIDTH] __attribute__((aligned(64)));
    memcpy(pressure, U + WIDTH, sizeof pressure);
    for (int q = 0; q < rule->points; ++q) {
        double *point = mean->point[q];
        ly_volumetric(solid, batch->parameters, LY_VOLUMETRIC_POINT, J[q], point);
        for (int k = 0; k < 3 * WIDTH; k += LY_LANES) {
            ly_store(point + k, -ly_load(point + k));
        }
        for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
            double *slope = point + WIDTH + lane;
            ly_store(slope, ly_load(slope) + ly_load(pressure + lane));
        }
    }
}

// Adds stiffness grad grad^T to the pairs of nodes.
static void add_mean_tangent(const LyMappedRule *rule, const Mean *mean, double *dfdx)
{
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        LyVec3 g[LYRA_STENCIL_NODES_MAX];
        LyReal stiffness = ly_load(mean->stiffness + lane);
        g[0] = (LyVec3){{ly_set(0), ly_set(0), ly_set(0)}};
        for (int a = 1; a < rule->nodes; ++a) {
            for (int i = 0; i < 3; ++i) {
                g[a].v[i] = ly_load(mean->grad.f + (3 * a + i) * WIDTH + lane);
                g[0].v[i] -= g[a].v[i];
            }
        }
        double *block = dfdx + lane;
        for (int a = 0; a < rule->nodes; ++a) {
            LyReal left[3] = {stiffness * g[a].v[0], stiffness * g[a].v[1], stiffness * g[a].v[2]};
            for (int c = a + 1; c < rule->nodes; ++c, block += BLOCK) {
#pragma GCC unroll 9
                for (int k = 0; k < 9; ++k) {
                    double *to = block + k * WIDTH;
                    ly_store(to, ly_load(to) + left[k / 3] * g[c].v[k % 3]);
                }
            }
        }
    }
}

// Sums over the points: energy and gradient into `m` where that is wanted, blocks into `room` where
// given. Returns whether a point was projected.
static bool sum_points(const LyIsotropic *solid, const LyraBatch *batch, bool psd, const Mean *mean,
                       bool forces, LyMapped *m, LyMappedRoom *room)
{
    const LyMappedRule *rule = &solid->mapped;
    LyPoints points __attribute__((aligned(64)));
    bool projected = false;
    for (int q = 0; q < rule->points; ++q) {
        points.volume = mean ? mean->point[q] : NULL;
        for (int lane = 0; !mean && lane < WIDTH; lane += LY_LANES) {
            LyMat3 F = ly_mapped_deformation(rule, batch, m, q, lane);
            ly_mat3_store_lanes(points.F + lane, &F);
        }
        if (mean) {
            memcpy(points.F, mean->F[q], sizeof points.F);
        }
        LY_POINTS_EVALUATE(solid, batch, q, room != NULL, psd, &points);
        projected = projected || points.projected;
        for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
            if (batch->trial_history) {
                LyReal weight = ly_mapped_constant(batch, q, lane, LY_MAPPED_WEIGHT);
                ly_points_add_lost(solid, batch, &points, q == 0, weight, lane);
            }
            if (forces) {
                LyMat3 P = ly_mat3_load_lanes(points.P + lane);
                ly_mapped_add_energy(batch, q, lane, ly_load(points.energy + lane), m);
                ly_mapped_add_stress(rule, batch, q, lane, &P, &m->forces);
            }
            if (room) {
                LyReal weight = ly_mapped_constant(batch, q, lane, LY_MAPPED_WEIGHT);
                LyReal scale[6] = {weight, weight, weight, weight, weight, weight};
                LyVec3 g[3];
                ly_mapped_gradients(batch, q, lane, g);
                ly_points_store_blocks(solid, &points, lane, g, scale,
                                       ly_mapped_blocks(rule, room, q) + lane);
            }
        }
    }
    return projected;
}

void LY_KERNEL(ly_mapped_isotropic)(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    const LyIsotropic *solid = self;
    const LyMappedRule *rule = &solid->mapped;
    LyMappedRoom *room = ly_mapped_room(rule, batch, scratch);
    LyMapped m __attribute__((aligned(64)));
    Mean mean __attribute__((aligned(64)));
    double lanes[WIDTH] __attribute__((aligned(64)));
    ly_mapped_load(rule, batch, &m);
    if (solid->mean) {
        find_mean(solid, batch, &m, &mean);
    }
    const Mean *mixed = solid->mean ? &mean : NULL;
    // points that are looked at twice are written last: what they remember may lie in one place
    LyraBatch first = *batch;
    bool twice = batch->trial_history && room && batch->psd;
    first.trial_history = twice ? NULL : batch->trial_history;
    // with branches the exact tangent seldom needs the other one
    bool plain = room && batch->psd && solid->prony;
    bool projected = sum_points(solid, &first, batch->psd && !plain, mixed, true, &m, room);
    for (int lane = 0; mixed && lane < WIDTH; lane += LY_LANES) {
        ly_store(m.energy + lane, ly_load(m.energy + lane) + ly_load(mean.energy + lane));
    }
    ly_mapped_store(rule, batch, &m);
    if (!room) {
        return;
    }
    ly_mapped_store_blocks(rule, room, batch->dfdx);
    if (mixed) {
        add_mean_tangent(rule, mixed, batch->dfdx);
    }
    if (plain && !LY_KERNEL(ly_is_positive)(rule->nodes, true, batch->dfdx, lanes)) {
        double *exact = ly_mapped_exact(rule, room);
        size_t pairs = (size_t)(rule->nodes * (rule->nodes - 1) / 2);
        memcpy(exact, batch->dfdx, pairs * BLOCK * sizeof *exact);
        first.energy = first.gradient = NULL;
        sum_points(solid, &first, true, mixed, false, &m, room);
        ly_mapped_store_blocks(rule, room, batch->dfdx);
        LY_KERNEL(ly_keep_lanes)(rule->nodes, true, lanes, exact, batch->dfdx);
    } else if (projected) {
        double *exact = ly_mapped_exact(rule, room);
        sum_points(solid, &first, false, mixed, false, &m, room);
        ly_mapped_store_blocks(rule, room, exact);
        if (mixed) {
            add_mean_tangent(rule, mixed, exact);
        }
        LY_KERNEL(ly_keep_positive)(rule->nodes, true, exact, batch->dfdx);
    }
    if (twice) {
        first.trial_history = batch->trial_history;
        first.energy = first.gradient = first.dfdx = NULL;
        sum_points(solid, &first, false, mixed, false, &m, NULL);
    }
}
