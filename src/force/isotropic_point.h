// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Energy density W, stress P = dW/dF and tangent dP/dF of isotropic laws at a batch of points, in
// one of two forms.
//
// Invariants. With C = F^T F, I = tr C, II = tr C^2, J = det F:
//   P = 2 W_I F + 4 W_II F C + W_J cof F.
// Along directions b_a, b_b, with g_a = F b_a, q_a = F C b_a, r_a = cof(F) b_a, Z_a = [2 g_a, 4
// q_a, r_a] and H the Hessian of W by the invariants, the block b_a . dP/dF . b_b is
//   (2 W_I b_a.b_b + 4 W_II g_a.g_b) 1 + 4 W_II (g_b g_a^T + (b_a.b_b) F F^T)
//   - W_J [F (b_a x b_b)]x + Z_a H Z_b^T.
//
// Stretches. F = U diag(s) V^T with rotations, P = U diag(W_i) V^T, and in the frames of U and V
// dP/dF splits into the Hessian W_ij of the diagonal and, for each pair, the flip
// f = (W_i - W_j)/(s_i - s_j) of its symmetric and the twist t = (W_i + W_j)/(s_i + s_j) of its
// skew part. With beta = V^T b the block is U M U^T, k running over the indices other than i:
//   M_ii = W_ii beta_i beta'_i + sum (f_ik + t_ik)/2 beta_k beta'_k,
//   M_ij = W_ij beta_i beta'_j + (f_ij - t_ij)/2 beta_j beta'_i.
// For laws on invariants nothing needs a division: with z_i = (2 s_i, 4 s_i^3, s_j s_k),
//   W_i = z_i . grad,  W_ii = 2 W_I + 12 s_i^2 W_II + z_i H z_i,  W_ij = s_k W_J + z_i H z_j,
//   f = 2 W_I + 4 W_II (s_i^2 + s_i s_j + s_j^2) - s_k W_J,
//   t = 2 W_I + 4 W_II (s_i^2 - s_i s_j + s_j^2) + s_k W_J.
// For the others f takes its limit (W_ii + W_jj)/2 - W_ij where s_i and s_j agree to 1e-5, with an
// error of the order of the square of their difference, and the denominator of t is kept above
// 1e-6 of the larger stretch: laws that are not smooth in F at s_i + s_j = 0 have a large but
// finite twist there.
//
// Stretches below the threshold s0. `clamp` puts c = max(s, s0) in place of s everywhere. `extend`
// takes, with d = s - c, the polynomial
//   W_ext(s) = [product over i of (1 + d_i D_i + d_i^2/2 D_i^2)] W (c) + sum over i of phi(-d_i),
// D_i the derivative by s_i, and phi(e) = B e^3 for 0 <= e <= s0, a parabola beyond, with
// B = (W_11(1, 1, 1) + max(W_33(1, 1, s0), 0)) / (3 s0). It has continuous second derivatives, and
// energy, stress and tangent belong together. The first part alone makes the stress linear, but it
// pulls inwards where a law softens under compression (StVK), and the products of an isochoric law
// do so near F = 0; phi, which adds up to twice the stiffness at the threshold, lets all of them
// push back.
//
// Resistance to compression adds -(rho/2592) (J - 1)^3 for J < 1, of the true J, or of the clamped
// one with `clamp`.

#ifndef LY_FORCE_ISOTROPIC_POINT_H
#define LY_FORCE_ISOTROPIC_POINT_H

#include "force/isotropic.h"
#include "math/decompose.h"

#define LY_WIDTH LYRA_BATCH_WIDTH

/// A batch of points; arrays are [component][LY_WIDTH].
typedef struct LyPoints {
    bool stretches;             // which form holds the tangent
    double F[9 * LY_WIDTH];     // in
    double energy[LY_WIDTH];    // W
    double P[9 * LY_WIDTH];     // dW/dF
    double first[3 * LY_WIDTH]; // by invariants or stretches
    double second[6 * LY_WIDTH];
    double U[9 * LY_WIDTH], V[9 * LY_WIDTH], s[3 * LY_WIDTH];
    double flip[3 * LY_WIDTH], twist[3 * LY_WIDTH]; // of 12, 23, 31
} LyPoints;

LY_INLINE LyVec3 ly_vec3_load_lanes(const double *p)
{
    return (LyVec3){{ly_load(p), ly_load(p + LY_WIDTH), ly_load(p + 2 * LY_WIDTH)}};
}

LY_INLINE LyMat3 ly_mat3_load_lanes(const double *p)
{
    LyMat3 A;
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
        A.m[k / 3][k % 3] = ly_load(p + k * LY_WIDTH);
    }
    return A;
}

LY_INLINE void ly_mat3_store_lanes(double *p, const LyMat3 *A)
{
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
        ly_store(p + k * LY_WIDTH, A->m[k / 3][k % 3]);
    }
}

LY_INLINE LyReal ly_vec3_dot(const LyVec3 *a, const LyVec3 *b)
{
    return a->v[0] * b->v[0] + a->v[1] * b->v[1] + a->v[2] * b->v[2];
}

LY_INLINE LyVec3 ly_vec3_cross(const LyVec3 *a, const LyVec3 *b)
{
    return (LyVec3){{a->v[1] * b->v[2] - a->v[2] * b->v[1], a->v[2] * b->v[0] - a->v[0] * b->v[2],
                     a->v[0] * b->v[1] - a->v[1] * b->v[0]}};
}

/// A v
LY_INLINE LyVec3 ly_mat3_apply(const LyMat3 *A, const LyVec3 *v)
{
    LyVec3 r;
    for (int i = 0; i < 3; ++i) {
        r.v[i] = A->m[i][0] * v->v[0] + A->m[i][1] * v->v[1] + A->m[i][2] * v->v[2];
    }
    return r;
}

/// A^T v
LY_INLINE LyVec3 ly_mat3_apply_transposed(const LyMat3 *A, const LyVec3 *v)
{
    LyVec3 r;
    for (int i = 0; i < 3; ++i) {
        r.v[i] = A->m[0][i] * v->v[0] + A->m[1][i] * v->v[1] + A->m[2][i] * v->v[2];
    }
    return r;
}

// ---- pieces -------------------------------------------------------------------------------------

// value and derivatives by J of the resistance
typedef struct LyResistance {
    LyReal value, slope, curvature;
} LyResistance;

LY_INLINE LyResistance ly_resistance(LyReal rho, LyReal J)
{
    LyReal k = rho * (1.0 / 2592), x = ly_min(J - 1.0, ly_set(0));
    return (LyResistance){-k * x * x * x, -3.0 * k * x * x, -6.0 * k * x};
}

/// Whether all stretches of F exceed the threshold for sure, from s_min >= 2 J / I.
LY_INLINE LyMask ly_surely_above(const LyMat3 *F, LyReal J, double threshold)
{
    return ly_greater(J, (0.5000001 * threshold) * ly_mat3_norm_squared(F));
}

// derivatives by stretches
typedef struct LyStretchForm {
    LyReal energy, first[3], second[6], flip[3], twist[3];
} LyStretchForm;

// from derivatives by invariants at the stretches s
LY_INLINE void ly_stretch_from_invariants(const LyReal s[3], const LyReal g[3], const LyReal h[6],
                                          LyStretchForm *form)
{
    LyReal z[3][3], Hz[3][3];
    for (int i = 0; i < 3; ++i) {
        z[i][0] = 2.0 * s[i];
        z[i][1] = 4.0 * s[i] * s[i] * s[i];
        z[i][2] = s[(i + 1) % 3] * s[(i + 2) % 3];
        Hz[i][0] = h[0] * z[i][0] + h[3] * z[i][1] + h[5] * z[i][2];
        Hz[i][1] = h[3] * z[i][0] + h[1] * z[i][1] + h[4] * z[i][2];
        Hz[i][2] = h[5] * z[i][0] + h[4] * z[i][1] + h[2] * z[i][2];
        form->first[i] = z[i][0] * g[0] + z[i][1] * g[1] + z[i][2] * g[2];
    }
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        LyReal squares = s[i] * s[i] + s[j] * s[j], product = s[i] * s[j];
        form->second[i] = 2.0 * g[0] + 12.0 * s[i] * s[i] * g[1] + z[i][0] * Hz[i][0] +
                          z[i][1] * Hz[i][1] + z[i][2] * Hz[i][2];
        form->second[3 + i] =
            s[k] * g[2] + z[i][0] * Hz[j][0] + z[i][1] * Hz[j][1] + z[i][2] * Hz[j][2];
        form->flip[i] = 2.0 * g[0] + 4.0 * g[1] * (squares + product) - s[k] * g[2];
        form->twist[i] = 2.0 * g[0] + 4.0 * g[1] * (squares - product) + s[k] * g[2];
    }
}

// flips and twists by divided differences at s; c gives the scale on which W varies
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

// value and derivatives of the polynomial `taylor` at d, and phi
LY_INLINE void ly_stretch_from_taylor(const double *taylor, const LyReal d[3], LyReal B,
                                      double threshold, LyStretchForm *form)
{
    // powers of each d, and their first and second derivatives
    LyReal zero = ly_set(0), one = ly_set(1), two = ly_set(2), e[3][3][3];
    for (int i = 0; i < 3; ++i) {
        LyReal powers[3][3] = {
            {one, d[i], d[i] * d[i]}, {zero, one, 2.0 * d[i]}, {zero, zero, two}};
        memcpy(e[i], powers, sizeof powers);
    }
    // over the third, then the second, then the first stretch
    LyReal third[3][9], pair[6][3];
    const int by2[6] = {0, 1, 2, 0, 1, 0}, by3[6] = {0, 0, 0, 1, 1, 2};
    for (int k = 0; k < 3; ++k) {
        for (int n = 0; n < 9; ++n) {
            third[k][n] = ly_load(taylor + 3 * n * LY_WIDTH) * e[2][k][0] +
                          ly_load(taylor + (3 * n + 1) * LY_WIDTH) * e[2][k][1] +
                          ly_load(taylor + (3 * n + 2) * LY_WIDTH) * e[2][k][2];
        }
    }
    for (int m = 0; m < 6; ++m) {
        const LyReal *p = e[1][by2[m]], *from = third[by3[m]];
        for (int n = 0; n < 3; ++n) {
            pair[m][n] = from[3 * n] * p[0] + from[3 * n + 1] * p[1] + from[3 * n + 2] * p[2];
        }
    }
    LyReal sum[6], slope[6], curvature;
    for (int m = 0; m < 6; ++m) {
        sum[m] = pair[m][0] * e[0][0][0] + pair[m][1] * e[0][0][1] + pair[m][2] * e[0][0][2];
        slope[m] = pair[m][1] * e[0][1][1] + pair[m][2] * e[0][1][2];
    }
    curvature = 2.0 * pair[0][2];
    form->energy = sum[0];
    form->first[0] = slope[0];
    form->first[1] = sum[1];
    form->first[2] = sum[3];
    form->second[0] = curvature;
    form->second[1] = sum[2];
    form->second[2] = sum[5];
    form->second[3] = slope[1]; // 12
    form->second[4] = sum[4];   // 23
    form->second[5] = slope[3]; // 31
    for (int i = 0; i < 3; ++i) {
        LyReal depth = -d[i], r = ly_min(depth, ly_set(threshold)), y = depth - r;
        form->energy += B * r * (r * r + 3.0 * y * depth);
        form->first[i] -= 3.0 * B * r * (r + 2.0 * y);
        form->second[i] += 6.0 * B * r;
    }
}

// *form = mask ? *other : *form
LY_INLINE void ly_stretch_select(LyMask mask, const LyStretchForm *other, LyStretchForm *form)
{
    form->energy = ly_select(mask, other->energy, form->energy);
    for (int i = 0; i < 3; ++i) {
        form->first[i] = ly_select(mask, other->first[i], form->first[i]);
        form->flip[i] = ly_select(mask, other->flip[i], form->flip[i]);
        form->twist[i] = ly_select(mask, other->twist[i], form->twist[i]);
    }
    for (int n = 0; n < 6; ++n) {
        form->second[n] = ly_select(mask, other->second[n], form->second[n]);
    }
}

LY_INLINE void ly_stretch_add_resistance(LyReal rho, const LyReal s[3], LyStretchForm *form)
{
    LyResistance r = ly_resistance(rho, s[0] * s[1] * s[2]);
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

// no negative eigenvalues; what has none is left as it is
LY_INLINE void ly_stretch_project(LyStretchForm *form)
{
    LyReal *h = form->second, zero = ly_set(0);
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
}

// ---- the form in invariants ---------------------------------------------------------------------

LY_INLINE void ly_call_law(const LyIsotropic *solid, const double *arguments,
                           const double *parameters, double *energy, double *first, double *second)
{
    LyraMaterialBatch batch = {.arguments = arguments,
                               .parameters = parameters,
                               .energy = energy,
                               .gradient = first,
                               .hessian = second};
    solid->law->evaluate(solid->law_user, &batch);
}

static inline void ly_points_invariants(const LyIsotropic *solid, const double *parameters,
                                        bool tangent, LyPoints *points)
{
    double arguments[3 * LY_WIDTH] __attribute__((aligned(64)));
    for (int lane = 0; lane < LY_WIDTH; lane += LY_LANES) {
        LyMat3 F = ly_mat3_load_lanes(points->F + lane);
        LyMat3 C = ly_mat3_transposed_multiply(&F, &F);
        ly_store(arguments + lane, C.m[0][0] + C.m[1][1] + C.m[2][2]);
        ly_store(arguments + LY_WIDTH + lane, ly_mat3_norm_squared(&C));
        ly_store(arguments + 2 * LY_WIDTH + lane, ly_mat3_determinant(&F));
    }
    ly_call_law(solid, arguments, parameters, points->energy, points->first,
                tangent ? points->second : NULL);
    const double *resistance = parameters + solid->law->parameter_count * LY_WIDTH;
    for (int lane = 0; lane < LY_WIDTH; lane += LY_LANES) {
        LyReal rho = ly_load(resistance + lane);
        if (ly_any(ly_greater(rho, ly_set(0)))) {
            LyResistance r = ly_resistance(rho, ly_load(arguments + 2 * LY_WIDTH + lane));
            double *slope = points->first + 2 * LY_WIDTH + lane;
            double *curvature = points->second + 2 * LY_WIDTH + lane;
            ly_store(points->energy + lane, ly_load(points->energy + lane) + r.value);
            ly_store(slope, ly_load(slope) + r.slope);
            if (tangent) {
                ly_store(curvature, ly_load(curvature) + r.curvature);
            }
        }
        LyMat3 F = ly_mat3_load_lanes(points->F + lane), K = ly_mat3_cofactor(&F), P;
        LyVec3 g = ly_vec3_load_lanes(points->first + lane);
        for (int k = 0; k < 9; ++k) {
            P.m[k / 3][k % 3] = 2.0 * g.v[0] * F.m[k / 3][k % 3] + g.v[2] * K.m[k / 3][k % 3];
        }
        if (!solid->law->without_second) {
            LyMat3 C = ly_mat3_transposed_multiply(&F, &F), FC = ly_mat3_multiply(&F, &C);
            for (int k = 0; k < 9; ++k) {
                P.m[k / 3][k % 3] += 4.0 * g.v[1] * FC.m[k / 3][k % 3];
            }
        }
        ly_mat3_store_lanes(points->P + lane, &P);
    }
}

// ---- the form in stretches ----------------------------------------------------------------------

// W_33 at the stretches (1, 1, last), not negative
static inline void ly_modulus(const LyIsotropic *solid, const double *parameters, double last,
                              double *modulus)
{
    double arguments[3 * LY_WIDTH] __attribute__((aligned(64)));
    double energy[LY_WIDTH] __attribute__((aligned(64)));
    double first[3 * LY_WIDTH] __attribute__((aligned(64)));
    double second[6 * LY_WIDTH] __attribute__((aligned(64)));
    bool invariants = solid->law->arguments == LYRA_MATERIAL_INVARIANTS;
    double square = last * last;
    for (int i = 0; i < LY_WIDTH; ++i) {
        arguments[i] = invariants ? 2 + square : 1;
        arguments[LY_WIDTH + i] = invariants ? 2 + square * square : 1;
        arguments[2 * LY_WIDTH + i] = last;
    }
    ly_call_law(solid, arguments, parameters, energy, first, second);
    for (int lane = 0; lane < LY_WIDTH; lane += LY_LANES) {
        LyStretchForm form;
        form.second[2] = ly_load(second + 2 * LY_WIDTH + lane);
        if (invariants) {
            LyReal s[3] = {ly_set(1), ly_set(1), ly_set(last)}, h[6];
            for (int n = 0; n < 6; ++n) {
                h[n] = ly_load(second + n * LY_WIDTH + lane);
            }
            LyVec3 g = ly_vec3_load_lanes(first + lane);
            ly_stretch_from_invariants(s, g.v, h, &form);
        }
        ly_store(modulus + lane, ly_max(form.second[2], ly_set(0)));
    }
}

static inline void ly_points_stretches(const LyIsotropic *solid, const double *parameters, bool psd,
                                       LyPoints *points)
{
    double arguments[3 * LY_WIDTH] __attribute__((aligned(64)));
    double at[3 * LY_WIDTH] __attribute__((aligned(64))); // where the law is evaluated
    double taylor[27 * LY_WIDTH] __attribute__((aligned(64)));
    double rest[LY_WIDTH] __attribute__((aligned(64)));
    double pressed[LY_WIDTH] __attribute__((aligned(64)));
    bool invariants = solid->law->arguments == LYRA_MATERIAL_INVARIANTS, below = false;
    LyReal threshold =
        ly_set(solid->inversion == LYRA_INVERSION_NONE ? -INFINITY : solid->threshold);
    for (int lane = 0; lane < LY_WIDTH; lane += LY_LANES) {
        LyMat3 F = ly_mat3_load_lanes(points->F + lane);
        LySvd3 svd;
        ly_mat3_svd(&F, &svd);
        ly_mat3_store_lanes(points->U + lane, &svd.U);
        ly_mat3_store_lanes(points->V + lane, &svd.V);
        LyReal c[3], c2[3];
        for (int i = 0; i < 3; ++i) {
            // NaN stays NaN
            c[i] = ly_max(threshold, svd.s.v[i]);
            c2[i] = c[i] * c[i];
            below = below || ly_any(ly_less(svd.s.v[i], threshold));
            ly_store(points->s + i * LY_WIDTH + lane, svd.s.v[i]);
            ly_store(at + i * LY_WIDTH + lane, c[i]);
        }
        LyReal I = c2[0] + c2[1] + c2[2], J = c[0] * c[1] * c[2];
        LyReal II = c2[0] * c2[0] + c2[1] * c2[1] + c2[2] * c2[2];
        ly_store(arguments + lane, invariants ? I : c[0]);
        ly_store(arguments + LY_WIDTH + lane, invariants ? II : c[1]);
        ly_store(arguments + 2 * LY_WIDTH + lane, invariants ? J : c[2]);
    }
    ly_call_law(solid, arguments, parameters, points->energy, points->first, points->second);
    bool extend = below && solid->inversion == LYRA_INVERSION_EXTEND;
    if (extend) {
        solid->law->expand(solid->law_user, at, parameters, taylor);
        ly_modulus(solid, parameters, 1, rest);
        ly_modulus(solid, parameters, solid->threshold, pressed);
    }
    const double *resistance = parameters + solid->law->parameter_count * LY_WIDTH;
    for (int lane = 0; lane < LY_WIDTH; lane += LY_LANES) {
        LyVec3 s = ly_vec3_load_lanes(points->s + lane), c = ly_vec3_load_lanes(at + lane);
        LyVec3 g = ly_vec3_load_lanes(points->first + lane);
        LyStretchForm form = {.energy = ly_load(points->energy + lane)};
        LyReal h[6];
        for (int n = 0; n < 6; ++n) {
            h[n] = ly_load(points->second + n * LY_WIDTH + lane);
        }
        if (invariants) {
            ly_stretch_from_invariants(c.v, g.v, h, &form);
        } else {
            memcpy(form.first, g.v, sizeof form.first);
            memcpy(form.second, h, sizeof form.second);
            ly_stretch_divide(c.v, c.v, &form);
        }
        if (extend) {
            LyReal d[3] = {s.v[0] - c.v[0], s.v[1] - c.v[1], s.v[2] - c.v[2]};
            LyStretchForm extended;
            LyReal B = (ly_load(rest + lane) + ly_load(pressed + lane)) / (3 * solid->threshold);
            ly_stretch_from_taylor(taylor + lane, d, B, solid->threshold, &extended);
            ly_stretch_divide(s.v, c.v, &extended);
            // s3 is the smallest
            LyMask mask = ly_less(d[2], ly_set(0));
            ly_stretch_select(mask, &extended, &form);
        }
        LyReal rho = ly_load(resistance + lane);
        if (ly_any(ly_greater(rho, ly_set(0)))) {
            bool clamp = solid->inversion == LYRA_INVERSION_CLAMP;
            ly_stretch_add_resistance(rho, clamp ? c.v : s.v, &form);
        }
        if (psd) {
            ly_stretch_project(&form);
        }
        // P = U diag(W_i) V^T
        LyMat3 U = ly_mat3_load_lanes(points->U + lane), V = ly_mat3_load_lanes(points->V + lane);
        LyMat3 scaled, P;
        for (int k = 0; k < 9; ++k) {
            scaled.m[k / 3][k % 3] = U.m[k / 3][k % 3] * form.first[k % 3];
        }
        P = ly_mat3_multiply_transposed(&scaled, &V);
        ly_mat3_store_lanes(points->P + lane, &P);
        ly_store(points->energy + lane, form.energy);
        for (int n = 0; n < 6; ++n) {
            ly_store(points->second + n * LY_WIDTH + lane, form.second[n]);
        }
        for (int i = 0; i < 3; ++i) {
            ly_store(points->flip + i * LY_WIDTH + lane, 0.5 * (form.flip[i] + form.twist[i]));
            ly_store(points->twist + i * LY_WIDTH + lane, 0.5 * (form.flip[i] - form.twist[i]));
        }
    }
}

/// Fills everything but F, which stands there already.
static inline void ly_points_evaluate(const LyIsotropic *solid, const double *parameters,
                                      bool tangent, bool psd, LyPoints *points)
{
    points->stretches = solid->law->arguments == LYRA_MATERIAL_STRETCHES || (tangent && psd);
    for (int lane = 0; lane < LY_WIDTH; lane += LY_LANES) {
        if (points->stretches || solid->inversion == LYRA_INVERSION_NONE) {
            break;
        }
        LyMat3 F = ly_mat3_load_lanes(points->F + lane);
        LyMask above = ly_surely_above(&F, ly_mat3_determinant(&F), solid->threshold);
        points->stretches = !ly_all(above);
    }
    if (points->stretches) {
        ly_points_stretches(solid, parameters, tangent && psd, points);
    } else {
        ly_points_invariants(solid, parameters, tangent, points);
    }
}

// ---- blocks of the tangent ----------------------------------------------------------------------

// pairs of directions of the six blocks
#define LY_BLOCK_FIRST(n) ((n) < 3 ? (n) : (n) == 4 ? 1 : 0)
#define LY_BLOCK_SECOND(n) ((n) < 3 ? (n) : (n) == 3 ? 1 : 2)

// column a of A
LY_INLINE LyVec3 ly_mat3_column(const LyMat3 *A, int a)
{
    return (LyVec3){{A->m[0][a], A->m[1][a], A->m[2][a]}};
}

// `b`: NULL for the axes. `with_second`, whether W depends on II, is a constant.
LY_INLINE void ly_blocks_invariants(const LyPoints *points, int lane, const LyVec3 *b,
                                    bool with_second, LyMat3 blocks[6])
{
    LyMat3 F = ly_mat3_load_lanes(points->F + lane), K = ly_mat3_cofactor(&F), left;
    LyVec3 first = ly_vec3_load_lanes(points->first + lane);
    LyReal w1 = 2.0 * first.v[0], w2 = 4.0 * first.v[1], wJ = first.v[2], h[6];
    for (int n = 0; n < 6; ++n) {
        h[n] = ly_load(points->second + n * LY_WIDTH + lane);
    }
    LyVec3 g[3], q[3], r[3], yg[3], yq[3], yr[3];
    if (with_second) {
        left = ly_mat3_multiply_transposed(&F, &F);
    }
    for (int a = 0; a < 3; ++a) {
        g[a] = b ? ly_mat3_apply(&F, &b[a]) : ly_mat3_column(&F, a);
        r[a] = b ? ly_mat3_apply(&K, &b[a]) : ly_mat3_column(&K, a);
        if (with_second) {
            q[a] = ly_mat3_apply(&left, &g[a]); // F C = (F F^T) F
        }
        // columns of Z H with the factors of Z on both sides
        for (int i = 0; i < 3; ++i) {
            LyReal zg = 2.0 * g[a].v[i], zr = r[a].v[i];
            if (with_second) {
                LyReal zq = 4.0 * q[a].v[i];
                yg[a].v[i] = 2.0 * (h[0] * zg + h[3] * zq + h[5] * zr);
                yq[a].v[i] = 4.0 * (h[3] * zg + h[1] * zq + h[4] * zr);
                yr[a].v[i] = h[5] * zg + h[4] * zq + h[2] * zr;
            } else {
                yg[a].v[i] = 2.0 * (h[0] * zg + h[5] * zr);
                yr[a].v[i] = h[5] * zg + h[2] * zr;
            }
        }
    }
#pragma GCC unroll 6
    for (int n = 0; n < 6; ++n) {
        int a = LY_BLOCK_FIRST(n), c = LY_BLOCK_SECOND(n);
        LyReal bb = b ? ly_vec3_dot(&b[a], &b[c]) : ly_set(a == c);
        LyReal diagonal = b ? w1 * bb : a == c ? w1 : ly_set(0);
        LyMat3 *D = &blocks[n];
        for (int k = 0; k < 9; ++k) {
            int i = k / 3, j = k % 3;
            D->m[i][j] = g[a].v[i] * yg[c].v[j] + r[a].v[i] * yr[c].v[j];
            if (with_second) {
                D->m[i][j] += q[a].v[i] * yq[c].v[j] + w2 * g[c].v[i] * g[a].v[j];
            }
            if (with_second && (b || a == c)) {
                D->m[i][j] += w2 * bb * left.m[i][j];
            }
        }
        if (with_second) {
            diagonal += w2 * ly_vec3_dot(&g[a], &g[c]);
        }
        for (int i = 0; i < 3; ++i) {
            D->m[i][i] += diagonal;
        }
        if (a != c) {
            LyVec3 w;
            if (b) {
                LyVec3 cross = ly_vec3_cross(&b[a], &b[c]);
                w = ly_mat3_apply(&F, &cross);
            } else {
                w = ly_mat3_column(&F, 3 - a - c);
            }
            LyReal turn = b || c == a + 1 ? wJ : -wJ;
            for (int i = 0; i < 3; ++i) {
                int j = (i + 1) % 3, k = (i + 2) % 3;
                D->m[j][k] += turn * w.v[i];
                D->m[k][j] -= turn * w.v[i];
            }
        }
    }
}

LY_INLINE void ly_blocks_stretches(const LyPoints *points, int lane, const LyVec3 *b,
                                   LyMat3 blocks[6])
{
    LyMat3 U = ly_mat3_load_lanes(points->U + lane), V = ly_mat3_load_lanes(points->V + lane);
    LyReal h[6], p[3], q[3];
    for (int n = 0; n < 6; ++n) {
        h[n] = ly_load(points->second + n * LY_WIDTH + lane);
    }
    for (int i = 0; i < 3; ++i) {
        p[i] = ly_load(points->flip + i * LY_WIDTH + lane);
        q[i] = ly_load(points->twist + i * LY_WIDTH + lane);
    }
    LyVec3 beta[3];
    for (int a = 0; a < 3; ++a) {
        beta[a] =
            b ? ly_mat3_apply_transposed(&V, &b[a]) : (LyVec3){{V.m[a][0], V.m[a][1], V.m[a][2]}};
    }
#pragma GCC unroll 6
    for (int n = 0; n < 6; ++n) {
        const LyReal *x = beta[LY_BLOCK_FIRST(n)].v, *y = beta[LY_BLOCK_SECOND(n)].v;
        LyMat3 M;
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            // p and q of the pair (i, j) stand at i, of (k, i) at k
            M.m[i][i] = h[i] * x[i] * y[i] + p[i] * x[j] * y[j] + p[k] * x[k] * y[k];
            M.m[i][j] = h[3 + i] * x[i] * y[j] + q[i] * x[j] * y[i];
            M.m[j][i] = h[3 + i] * x[j] * y[i] + q[i] * x[i] * y[j];
        }
        LyMat3 half = ly_mat3_multiply(&U, &M);
        blocks[n] = ly_mat3_multiply_transposed(&half, &U);
    }
}

/// Blocks b_a . dP/dF . b_c for (a, c) = 11, 22, 33, 12, 23, 13 of three directions; the order of
/// LY_BLOCK_FIRST and LY_BLOCK_SECOND. `b`: Nullable: the axes.
LY_INLINE void ly_points_blocks(const LyIsotropic *solid, const LyPoints *points, int lane,
                                const LyVec3 *b, LyMat3 blocks[6])
{
    if (points->stretches) {
        ly_blocks_stretches(points, lane, b, blocks);
    } else if (solid->law->without_second) {
        ly_blocks_invariants(points, lane, b, false, blocks);
    } else {
        ly_blocks_invariants(points, lane, b, true, blocks);
    }
}

#endif
