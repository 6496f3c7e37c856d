// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// U(J), the energy of a pure dilatation F = j 1, j = J^(1/3), of an isotropic law, with its
// derivatives by J, for mean dilatation and nodal pressure.
//
// By invariants (3 j^2, 3 j^4, J), with d = (2/j, 4 j, 1) and e = (-2/(3 j^4), 4/(3 j^2), 0) their
// derivatives: U' = W . d, U'' = W . e + d . H d. By stretches s_i = j, with s' = 1/(3 j^2) and
// s'' = -2/(9 j^5): U' = s' sum W_i, U'' = s'' sum W_i + s'^2 sum W_ij.
//
// Under strong compression the two uses part. The volume of an element goes on with the parabola of
// J2 = 0.2, so that U2 pushes inverted elements out with a finite force. At a point U is taken at
// g(J), which follows J down to 1/2 and then bends, C2, to 1/4 at J = 0 and below: what is taken
// away from the law ends there, and a point that collapses or inverts in an element of good volume
// meets all of its law.

#ifndef LY_FORCE_VOLUMETRIC_LANES_H
#define LY_FORCE_VOLUMETRIC_LANES_H

#include "force/isotropic.h"
#include "math/elementary.h"
#include "math/lanes.h"

typedef enum LyVolumetricUse { LY_VOLUMETRIC_POINT, LY_VOLUMETRIC_ELEMENT } LyVolumetricUse;

#define LY_VOLUMETRIC_BEND 0.5  // J below which g bends
#define LY_VOLUMETRIC_FLOOR 0.2 // J2

/// Writes U, U' and U'' at J [WIDTH]: [3][WIDTH].
static void ly_volumetric(const LyIsotropic *solid, const double *parameters, LyVolumetricUse use,
                          const double *J, double *out)
{
    enum { W = LYRA_BATCH_WIDTH };
    double arguments[3 * W] __attribute__((aligned(64)));
    double x[W] __attribute__((aligned(64))), slope[W] __attribute__((aligned(64)));
    double bend[W] __attribute__((aligned(64))), energy[W] __attribute__((aligned(64)));
    double first[3 * W] __attribute__((aligned(64))), second[6 * W] __attribute__((aligned(64)));
    bool invariants = solid->law->arguments == LYRA_MATERIAL_INVARIANTS;
    for (int lane = 0; lane < W; lane += LY_LANES) {
        LyReal at = ly_load(J + lane), g1 = ly_set(1), g2 = ly_set(0);
        if (use == LY_VOLUMETRIC_ELEMENT) {
            at = ly_max(ly_set(LY_VOLUMETRIC_FLOOR), at); // NaN stays
        } else {
            LyReal t = ly_max(
                ly_set(0), ly_min(ly_set(1), (LY_VOLUMETRIC_BEND - at) * (1 / LY_VOLUMETRIC_BEND)));
            LyReal t2 = t * t;
            LyMask bent = ly_less(at, ly_set(LY_VOLUMETRIC_BEND));
            at = ly_select(
                bent, LY_VOLUMETRIC_BEND - LY_VOLUMETRIC_BEND * t * (1.0 - t2 + 0.5 * t2 * t), at);
            g1 = ly_select(bent, 1.0 - t2 * (3.0 - 2.0 * t), g1);
            g2 = ly_select(bent, (6 / LY_VOLUMETRIC_BEND) * t * (1.0 - t), g2);
        }
        LyReal j = ly_pow_lanes(at, ly_set(1.0 / 3)), j2 = j * j;
        ly_store(arguments + lane, invariants ? 3.0 * j2 : j);
        ly_store(arguments + W + lane, invariants ? 3.0 * j2 * j2 : j);
        ly_store(arguments + 2 * W + lane, invariants ? at : j);
        ly_store(x + lane, j);
        ly_store(slope + lane, g1);
        ly_store(bend + lane, g2);
    }
    LyraMaterialBatch batch = {.arguments = arguments,
                               .parameters = parameters,
                               .energy = energy,
                               .gradient = first,
                               .hessian = second};
    solid->law->evaluate(solid->law_user, &batch);
    for (int lane = 0; lane < W; lane += LY_LANES) {
        LyReal j = ly_load(x + lane), inverse = 1.0 / j, w[3], h[6], U1, U2;
        LyReal i2 = inverse * inverse;
        for (int n = 0; n < 6; ++n) {
            h[n] = ly_load(second + n * W + lane);
            w[n % 3] = ly_load(first + n % 3 * W + lane);
        }
        if (invariants) {
            LyReal d0 = 2.0 * inverse, d1 = 4.0 * j;
            U1 = w[0] * d0 + w[1] * d1 + w[2];
            U2 = w[0] * (-2.0 / 3 * i2 * i2) + w[1] * (4.0 / 3 * i2) + h[0] * d0 * d0 +
                 h[1] * d1 * d1 + h[2] + 2.0 * (h[3] * d0 * d1 + h[4] * d1 + h[5] * d0);
        } else {
            LyReal s1 = 1.0 / 3 * i2, sum = w[0] + w[1] + w[2];
            U1 = s1 * sum;
            U2 = -2.0 / 9 * i2 * i2 * inverse * sum +
                 s1 * s1 * (h[0] + h[1] + h[2] + 2.0 * (h[3] + h[4] + h[5]));
        }
        LyReal U = ly_load(energy + lane);
        if (use == LY_VOLUMETRIC_ELEMENT) {
            LyReal d = ly_min(ly_load(J + lane) - LY_VOLUMETRIC_FLOOR, ly_set(0));
            U += d * (U1 + 0.5 * d * U2);
            U1 += d * U2;
        } else {
            LyReal g1 = ly_load(slope + lane);
            U2 = U2 * g1 * g1 + U1 * ly_load(bend + lane);
            U1 *= g1;
        }
        ly_store(out + lane, U);
        ly_store(out + W + lane, U1);
        ly_store(out + 2 * W + lane, U2);
    }
}

#endif
