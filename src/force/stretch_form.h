// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Energy and its derivatives by principal stretches at a batch of points, and what all laws do with
// them: flips and twists, resistance to compression, projection, stress. The formulas are at the
// head of isotropic_point.h.

#ifndef LY_FORCE_STRETCH_FORM_H
#define LY_FORCE_STRETCH_FORM_H

#include "force/isotropic_point.h"
#include "math/decompose.h"

// |det F| beside |F|^2 below which an element is flat, and the rounding of 1 + G there
#define LY_FLAT 0x1p-40
#define LY_FLAT_REMAINDER 0x1p-48

/// Derivatives by stretches
typedef struct LyStretchForm {
    LyReal energy, first[3], second[6], flip[3], twist[3];
} LyStretchForm;

/// Flips and twists by divided differences at s; c gives the scale on which W varies
LY_INLINE void ly_stretch_divide(const LyReal s[3], const LyReal c[3], LyStretchForm *form)
{
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3;
        LyReal scale = ly_max(ly_abs(c[i]), ly_abs(c[j])), difference = s[i] - s[j];
        LyMask near = ly_less_equal(ly_abs(difference), 1e-5 * scale);
        LyReal limit = 0.5 * (form->second[i] + form->second[j]) - form->second[3 + i];
        LyReal divided = (form->first[i] - form->first[j]) / ly_select(near, ly_set(1), difference);
        form->flip[i] = ly_select(near, limit, divided);
        LyReal floor = ly_max(1e-6 * scale, ly_set(1e-12));
        form->twist[i] = (form->first[i] + form->first[j]) / ly_max(s[i] + s[j], floor);
    }
}

LY_INLINE void ly_stretch_scale(LyReal factor, LyStretchForm *form)
{
    form->energy *= factor;
    for (int i = 0; i < 3; ++i) {
        form->first[i] *= factor;
        form->flip[i] *= factor;
        form->twist[i] *= factor;
    }
    for (int n = 0; n < 6; ++n) {
        form->second[n] *= factor;
    }
}

/// Adds a function of J = s1 s2 s3.
LY_INLINE void ly_stretch_add_volume(const LyResistance *of_J, const LyReal s[3],
                                     LyStretchForm *form)
{
    LyResistance r = *of_J;
    LyReal area[3] = {s[1] * s[2], s[2] * s[0], s[0] * s[1]};
    form->energy += r.value;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        form->first[i] += r.slope * area[i];
        form->second[i] += r.curvature * area[i] * area[i];
        form->second[3 + i] += r.curvature * area[i] * area[j] + r.slope * s[k];
        form->flip[i] -= r.slope * s[k];
        form->twist[i] += r.slope * s[k];
    }
}

LY_INLINE void ly_stretch_add_resistance(LyReal rho, const LyReal s[3], LyStretchForm *form)
{
    LyResistance r = ly_resistance(rho, s[0] * s[1] * s[2]);
    ly_stretch_add_volume(&r, s, form);
}

// beside the largest entry of the Hessian, negative eigenvalues up to this are rounding
#define LY_PSD_ROUNDING 1e-14

// no negative eigenvalues; what has none is left as it is. Returns whether a lane had some.
LY_INLINE bool ly_stretch_project(LyStretchForm *form)
{
    LyReal *h = form->second, zero = ly_set(0);
    LyReal least = ly_min(form->flip[0], form->twist[0]), size = ly_abs(h[0]);
    for (int i = 1; i < 3; ++i) {
        least = ly_min(least, ly_min(form->flip[i], form->twist[i]));
        size = ly_max(size, ly_abs(h[i]));
    }
    LyMat3 H = {{{h[0], h[3], h[5]}, {h[3], h[1], h[4]}, {h[5], h[4], h[2]}}}, Q;
    LyVec3 values;
    ly_mat3_eigen(&H, &values, &Q);
    LyMask negative = ly_less(values.v[2], zero);
    for (int n = 0; n < 6; ++n) {
        int i = n % 3, j = n < 3 ? i : (i + 1) % 3;
        LyReal sum = zero;
        for (int k = 0; k < 3; ++k) {
            sum += ly_max(values.v[k], zero) * Q.m[i][k] * Q.m[j][k];
        }
        h[n] = ly_select(negative, sum, h[n]);
    }
    for (int i = 0; i < 3; ++i) {
        form->flip[i] = ly_max(form->flip[i], zero);
        form->twist[i] = ly_max(form->twist[i], zero);
    }
    return ly_any(ly_less(ly_min(least, values.v[2]), -LY_PSD_ROUNDING * size));
}

/// Projects, where asked for, and writes energy, stress and tangent; U and V stand there already.
LY_INLINE void ly_stretch_store(LyStretchForm *form, bool psd, int lane, LyPoints *points)
{
    if (psd && ly_stretch_project(form)) {
        points->projected = true;
    }
    // P = U diag(W_i) V^T
    LyMat3 U = ly_mat3_load_lanes(points->U + lane), V = ly_mat3_load_lanes(points->V + lane);
    LyMat3 scaled, P;
    for (int k = 0; k < 9; ++k) {
        scaled.m[k / 3][k % 3] = U.m[k / 3][k % 3] * form->first[k % 3];
    }
    P = ly_mat3_multiply_transposed(&scaled, &V);
    ly_mat3_store_lanes(points->P + lane, &P);
    ly_store(points->energy + lane, form->energy);
    for (int n = 0; n < 6; ++n) {
        ly_store(points->second + n * LY_WIDTH + lane, form->second[n]);
    }
    for (int i = 0; i < 3; ++i) {
        ly_store(points->flip + i * LY_WIDTH + lane, 0.5 * (form->flip[i] + form->twist[i]));
        ly_store(points->twist + i * LY_WIDTH + lane, 0.5 * (form->flip[i] - form->twist[i]));
    }
}

// F of a flat element, in which what is left of 1 + G by rounding is no stretch: else it would
// choose the directions in which flat elements rise
LY_INLINE LyMat3 ly_flush_flat(const LyMat3 *F)
{
    LyReal limit = LY_FLAT * ly_mat3_norm_squared(F);
    LyMask solid = ly_greater(ly_abs(ly_mat3_determinant(F)), limit);
    if (ly_all(solid)) {
        return *F;
    }
    LyMat3 out;
    for (int k = 0; k < 9; ++k) {
        LyReal x = F->m[k / 3][k % 3];
        LyMask noise = ly_less_equal(ly_abs(x), ly_set(LY_FLAT_REMAINDER));
        out.m[k / 3][k % 3] = ly_select(ly_or(solid, ly_not(noise)), x, ly_set(0));
    }
    return out;
}

#endif
