// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Stiffness matrices. An orthotropic material has, in its own axes 1, 2, 3 and with nu_ij / E_i =
// nu_ji / E_j, the compliance
//   [ 1/E1       -nu21/E2  -nu31/E3 ]
//   [ -nu12/E1   1/E2      -nu32/E3 ]  for 11, 22, 33, and 1/G12, 1/G23, 1/G31 for the shears;
//   [ -nu13/E1   -nu23/E2  1/E3     ]
// its inverse is written out below with the determinant
//   delta = 1 - nu12 nu21 - nu23 nu32 - nu31 nu13 - 2 nu21 nu32 nu13.
// It is positive definite exactly if all E, all G, the three 1 - nu_ij nu_ji and delta are
// positive. In world axes, with Q the rotation from material to world, D_ijkl = Q_ip Q_jq Q_kr Q_ls
// D_pqrs.

#include "force/stiffness.h"

#include "base/base.h"

#include <math.h>
#include <string.h>

// how far the axes of a material may be from orthonormal
#define AXES_TOLERANCE 1e-3

// place of a pair of axes among xx, yy, zz, xy, yz, zx
static const int place_of[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};
static const int first_axis[6] = {0, 1, 2, 0, 1, 2}, second_axis[6] = {0, 1, 2, 1, 2, 0};

static const char *const pair_names[3] = {"12", "23", "31"};

static LyraStatus check_axes(const LyraMeshMaterial *material)
{
    const double *Q = material->orthotropic.axes;
    double worst = 0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double dot = 0;
            for (int k = 0; k < 3; ++k) {
                dot += Q[3 * i + k] * Q[3 * j + k];
            }
            worst = fmax(worst, fabs(dot - (i == j)));
        }
    }
    double det = Q[0] * (Q[4] * Q[8] - Q[5] * Q[7]) + Q[1] * (Q[5] * Q[6] - Q[3] * Q[8]) +
                 Q[2] * (Q[3] * Q[7] - Q[4] * Q[6]);
    if (!(worst <= AXES_TOLERANCE) || !(det > 0)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "material \"%s\" has axes that are no rotation: off orthonormal by %g, "
                       "determinant %g",
                       material->name, worst, det);
    }
    return LYRA_OK;
}

// nu21, nu32, nu13
static void opposite_ratios(const LyraMaterialOrthotropic *m, double opposite[3])
{
    for (int k = 0; k < 3; ++k) {
        opposite[k] = m->poisson[k] * m->young[(k + 1) % 3] / m->young[k];
    }
}

static double compliance_delta(const LyraMaterialOrthotropic *m, const double opposite[3])
{
    const double *nu = m->poisson;
    return 1 - nu[0] * opposite[0] - nu[1] * opposite[1] - nu[2] * opposite[2] -
           2 * opposite[0] * opposite[1] * opposite[2];
}

static LyraStatus check_orthotropic(const LyraMeshMaterial *material)
{
    const LyraMaterialOrthotropic *m = &material->orthotropic;
    for (int k = 0; k < 3; ++k) {
        if (!(m->young[k] > 0)) {
            return ly_fail(LYRA_INVALID_ARGUMENT, "material \"%s\" needs E%d > 0, found %g",
                           material->name, k + 1, m->young[k]);
        }
    }
    for (int k = 0; k < 3; ++k) {
        if (!(m->shear[k] > 0)) {
            return ly_fail(LYRA_INVALID_ARGUMENT, "material \"%s\" needs G%s > 0, found %g",
                           material->name, pair_names[k], m->shear[k]);
        }
    }
    double opposite[3];
    opposite_ratios(m, opposite);
    for (int k = 0; k < 3; ++k) {
        if (!(1 - m->poisson[k] * opposite[k] > 0)) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "material \"%s\" is not positive definite: needs nu%s^2 < E%d / E%d, "
                           "found nu%s = %g",
                           material->name, pair_names[k], k + 1, (k + 1) % 3 + 1, pair_names[k],
                           m->poisson[k]);
        }
    }
    double delta = compliance_delta(m, opposite);
    if (!(delta > 0)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "material \"%s\" is not positive definite: 1 - nu12 nu21 - nu23 nu32 - nu31 "
                       "nu13 - 2 nu21 nu32 nu13 = %g, expected > 0",
                       material->name, delta);
    }
    return check_axes(material);
}

LyraStatus ly_stiffness_check(const LyraMeshMaterial *material)
{
    if (material->kind == LYRA_MESH_MATERIAL_ORTHOTROPIC) {
        return check_orthotropic(material);
    }
    if (material->kind != LYRA_MESH_MATERIAL_ENU) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "material \"%s\" is neither ENU nor orthotropic, as this model takes",
                       material->name);
    }
    double young = material->enu.young, poisson = material->enu.poisson;
    if (!(young > 0) || !(poisson > -1 && poisson < 0.5)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "material \"%s\" needs E > 0 and -1 < nu < 0.5, found E = %g, nu = %g",
                       material->name, young, poisson);
    }
    return LYRA_OK;
}

void ly_stiffness_lame(const LyraMaterialEnu *enu, double *lambda, double *mu)
{
    *lambda = enu->young * enu->poisson / ((1 + enu->poisson) * (1 - 2 * enu->poisson));
    *mu = enu->young / (2 * (1 + enu->poisson));
}

// in material axes
static void orthotropic_matrix(const LyraMaterialOrthotropic *m, double D[6][6])
{
    const double *E = m->young, *nu = m->poisson;
    double opposite[3];
    opposite_ratios(m, opposite);
    double nu12 = nu[0], nu23 = nu[1], nu31 = nu[2];
    double nu21 = opposite[0], nu32 = opposite[1], nu13 = opposite[2];
    double scale = 1 / compliance_delta(m, opposite);
    D[0][0] = E[0] * (1 - nu23 * nu32) * scale;
    D[0][1] = D[1][0] = E[0] * (nu21 + nu31 * nu23) * scale;
    D[0][2] = D[2][0] = E[0] * (nu31 + nu21 * nu32) * scale;
    D[1][1] = E[1] * (1 - nu13 * nu31) * scale;
    D[1][2] = D[2][1] = E[1] * (nu32 + nu12 * nu31) * scale;
    D[2][2] = E[2] * (1 - nu12 * nu21) * scale;
    for (int k = 0; k < 3; ++k) {
        D[3 + k][3 + k] = m->shear[k];
    }
}

void ly_stiffness_matrix(const LyraMeshMaterial *material, double upper[21])
{
    double D[6][6] = {{0}}, turned[6][6];
    if (material->kind == LYRA_MESH_MATERIAL_ENU) {
        double lambda, mu;
        ly_stiffness_lame(&material->enu, &lambda, &mu);
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                D[i][j] = lambda + (i == j ? 2 * mu : 0);
            }
            D[3 + i][3 + i] = mu;
        }
        memcpy(turned, D, sizeof turned);
    } else {
        orthotropic_matrix(&material->orthotropic, D);
        // row I of T gives stress I in world axes from the six in material axes: D' = T D T^T
        const double *Q = material->orthotropic.axes;
        double T[6][6] = {{0}}, TD[6][6];
        for (int I = 0; I < 6; ++I) {
            int i = first_axis[I], j = second_axis[I];
            for (int p = 0; p < 3; ++p) {
                for (int q = 0; q < 3; ++q) {
                    T[I][place_of[p][q]] += Q[3 * i + p] * Q[3 * j + q];
                }
            }
        }
        for (int k = 0; k < 36; ++k) {
            TD[k / 6][k % 6] = 0;
            for (int l = 0; l < 6; ++l) {
                TD[k / 6][k % 6] += T[k / 6][l] * D[l][k % 6];
            }
        }
        for (int k = 0; k < 36; ++k) {
            turned[k / 6][k % 6] = 0;
            for (int l = 0; l < 6; ++l) {
                turned[k / 6][k % 6] += TD[k / 6][l] * T[k % 6][l];
            }
        }
    }
    for (int i = 0, k = 0; i < 6; ++i) {
        for (int j = i; j < 6; ++j, ++k) {
            upper[k] = turned[i][j];
        }
    }
}
