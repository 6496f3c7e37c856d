// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Goal shapes: the logarithmic strain Lg = ln(Fg^T Fg)/2 of each element from rest to goal. Cubes
// take Fg at their middle, mapped elements its mean over their points.

#include "base/base.h"
#include "force/isotropic.h"
#include "lyra/math3.h"

#include <math.h>
#include <string.h>

static void find_mapped_gradient(LyraElementKind kind, const double *corners, const double *y,
                                 LyraMat3 *F)
{
    LyMappedRule rule;
    double constants[LY_MAPPED_POINTS_MAX * LY_MAPPED_POINT], volume = 0;
    ly_mapped_rule(kind, &rule);
    ly_mapped_setup(&rule, corners, constants);
    memset(F, 0, sizeof *F);
    for (int q = 0; q < rule.points; ++q) {
        const double *at = constants + q * LY_MAPPED_POINT;
        double weight = at[LY_MAPPED_WEIGHT];
        volume += weight;
        for (int n = 0; n < 9 * rule.nodes; ++n) {
            int a = n / 9, i = n / 3 % 3, j = n % 3;
            for (int k = 0; k < 3; ++k) {
                F->m[i][j] += weight * y[3 * a + i] * rule.shape[q][a][k] * at[3 * k + j];
            }
        }
    }
    for (int k = 0; k < 9; ++k) {
        F->m[k / 3][k % 3] /= volume;
    }
}

static void find_gradient(LyraElementKind kind, const double *corners, const double *y, LyraMat3 *F)
{
    if (ly_mapped_kind(kind)) {
        find_mapped_gradient(kind, corners, y, F);
        return;
    }
    double constants[LY_TET_CONSTANTS], edges[3];
    const int32_t order[4] = {0, 1, 2, 3};
    bool tet = kind == LYRA_ELEMENT_TET4;
    if (tet) {
        ly_rest_tet(corners, order, constants);
    } else {
        ly_rest_cube(corners, edges);
    }
    for (int k = 0; k < 9; ++k) {
        int i = k / 3, j = k % 3;
        F->m[i][j] = 0;
        for (int a = 1; tet && a < 4; ++a) {
            F->m[i][j] += (y[3 * a + i] - y[i]) * constants[LY_TET_B + 3 * (a - 1) + j];
        }
        for (int a = 0; !tet && a < 8; ++a) {
            F->m[i][j] += ly_cube_sign(a, j) * y[3 * a + i] / (4 * edges[j]);
        }
    }
}

LyraStatus ly_goal_strain(const LyraMeshView *mesh, int32_t element, const double *goal,
                          double strain[6])
{
    static const int pair_i[6] = {0, 1, 2, 0, 1, 0}, pair_j[6] = {0, 1, 2, 1, 2, 2};
    int32_t nodes = lyra_element_kind_nodes(mesh->kind);
    double corners[3 * LYRA_STENCIL_NODES_MAX] = {0}, y[3 * LYRA_STENCIL_NODES_MAX];
    for (int32_t k = 0; k < 3 * nodes; ++k) {
        int64_t at = 3 * (int64_t)mesh->elements[(int64_t)element * nodes + k / 3] + k % 3;
        corners[k] = mesh->positions[at];
        y[k] = goal[at];
    }
    LyraMat3 F;
    find_gradient(mesh->kind, corners, y, &F);
    LyraSvd3 svd = lyra_mat3_svd(F);
    const double s[3] = {svd.s.x, svd.s.y, svd.s.z};
    if (!(s[2] > 0) || !isfinite(s[0])) {
        return ly_fail(LYRA_BAD_MESH,
                       "plasticity: element %d is flat or inside out in the goal shape", element);
    }
    for (int p = 0; p < 6; ++p) {
        strain[p] = 0;
        for (int k = 0; k < 3; ++k) {
            strain[p] += log(s[k]) * svd.V.m[pair_i[p]][k] * svd.V.m[pair_j[p]][k];
        }
    }
    return LYRA_OK;
}
