// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Isotropic laws at a batch of points: energy, stress and the form of the tangent. The formulas are
// at the head of isotropic_point.h.

#include "force/stretch_form.h"

#define WIDTH LYRA_BATCH_WIDTH

// ---- pieces -------------------------------------------------------------------------------------

// from derivatives by invariants at the stretches s
LY_INLINE void stretch_from_invariants(const LyReal s[3], const LyReal g[3], const LyReal h[6],
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

// value and derivatives of the polynomial `taylor` at the bounded d, and phi
LY_INLINE void stretch_from_taylor(const double *taylor, const LyReal d[3], LyReal B,
                                   double threshold, LyStretchForm *form)
{
    // powers of b(d), and their first and second derivatives by d
    LyReal zero = ly_set(0), one = ly_set(1), e[3][3][3];
    for (int i = 0; i < 3; ++i) {
        LyReal t = ly_min(-d[i] * (1 / threshold), one), t2 = t * t;
        LyReal b = -threshold * t * (1.0 - t2 + 0.5 * t2 * t), b1 = 1.0 - t2 * (3.0 - 2.0 * t);
        LyReal b2 = (6 / threshold) * t * (1.0 - t);
        LyReal powers[3][3] = {
            {one, b, b * b}, {zero, b1, 2.0 * b * b1}, {zero, b2, 2.0 * (b1 * b1 + b * b2)}};
        memcpy(e[i], powers, sizeof powers);
    }
    // over the third, then the second, then the first stretch
    LyReal third[3][9], pair[6][3];
    const int by2[6] = {0, 1, 2, 0, 1, 0}, by3[6] = {0, 0, 0, 1, 1, 2};
    for (int k = 0; k < 3; ++k) {
        for (int n = 0; n < 9; ++n) {
            third[k][n] = ly_load(taylor + 3 * n * WIDTH) * e[2][k][0] +
                          ly_load(taylor + (3 * n + 1) * WIDTH) * e[2][k][1] +
                          ly_load(taylor + (3 * n + 2) * WIDTH) * e[2][k][2];
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
    curvature = pair[0][1] * e[0][2][1] + pair[0][2] * e[0][2][2];
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
LY_INLINE void stretch_select(LyMask mask, const LyStretchForm *other, LyStretchForm *form)
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

// ---- the form in invariants ---------------------------------------------------------------------

LY_INLINE void call_law(const LyIsotropic *solid, const double *arguments, const double *parameters,
                        double *energy, double *first, double *second)
{
    LyraMaterialBatch batch = {.arguments = arguments,
                               .parameters = parameters,
                               .energy = energy,
                               .gradient = first,
                               .hessian = second};
    solid->law->evaluate(solid->law_user, &batch);
}

// the law times a factor; a function of J comes on top of it
static void scale_invariants(bool tangent, LyPoints *points)
{
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        ly_store(points->energy + lane, points->scale * ly_load(points->energy + lane));
        for (int n = 0; n < 3; ++n) {
            double *first = points->first + n * WIDTH + lane;
            ly_store(first, points->scale * ly_load(first));
        }
        for (int n = 0; tangent && n < 6; ++n) {
            double *second = points->second + n * WIDTH + lane;
            ly_store(second, points->scale * ly_load(second));
        }
    }
}

// adds a function of J
LY_INLINE void invariants_add_volume(LyResistance r, bool tangent, int lane, LyPoints *points)
{
    double *slope = points->first + 2 * WIDTH + lane;
    double *curvature = points->second + 2 * WIDTH + lane;
    ly_store(points->energy + lane, ly_load(points->energy + lane) + r.value);
    ly_store(slope, ly_load(slope) + r.slope);
    if (tangent) {
        ly_store(curvature, ly_load(curvature) + r.curvature);
    }
}

static void evaluate_invariants(const LyIsotropic *solid, const double *parameters, bool tangent,
                                LyPoints *points)
{
    double arguments[3 * WIDTH] __attribute__((aligned(64)));
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        LyMat3 F = ly_mat3_load_lanes(points->F + lane);
        LyMat3 C = ly_mat3_transposed_multiply(&F, &F);
        ly_store(arguments + lane, C.m[0][0] + C.m[1][1] + C.m[2][2]);
        ly_store(arguments + WIDTH + lane, ly_mat3_norm_squared(&C));
        ly_store(arguments + 2 * WIDTH + lane, ly_mat3_determinant(&F));
    }
    call_law(solid, arguments, parameters, points->energy, points->first,
             tangent ? points->second : NULL);
    if (solid->prony && points->scale != 1) {
        scale_invariants(tangent, points);
    }
    const double *resistance = parameters + solid->law->parameter_count * WIDTH;
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        LyReal rho = ly_load(resistance + lane);
        if (ly_any(ly_greater(rho, ly_set(0)))) {
            LyReal J = ly_load(arguments + 2 * WIDTH + lane);
            invariants_add_volume(ly_resistance(rho, J), tangent, lane, points);
        }
        if (points->volume) {
            invariants_add_volume(ly_points_volume(points, lane), tangent, lane, points);
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

// W_33 at rest, not negative
static void modulus(const LyIsotropic *solid, const double *parameters, double *modulus)
{
    double arguments[3 * WIDTH] __attribute__((aligned(64)));
    double energy[WIDTH] __attribute__((aligned(64)));
    double first[3 * WIDTH] __attribute__((aligned(64)));
    double second[6 * WIDTH] __attribute__((aligned(64)));
    bool invariants = solid->law->arguments == LYRA_MATERIAL_INVARIANTS;
    for (int i = 0; i < WIDTH; ++i) {
        arguments[i] = arguments[WIDTH + i] = invariants ? 3 : 1;
        arguments[2 * WIDTH + i] = 1;
    }
    call_law(solid, arguments, parameters, energy, first, second);
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        LyStretchForm form;
        form.second[2] = ly_load(second + 2 * WIDTH + lane);
        if (invariants) {
            LyReal s[3] = {ly_set(1), ly_set(1), ly_set(1)}, h[6];
            for (int n = 0; n < 6; ++n) {
                h[n] = ly_load(second + n * WIDTH + lane);
            }
            LyVec3 g = ly_vec3_load_lanes(first + lane);
            stretch_from_invariants(s, g.v, h, &form);
        }
        ly_store(modulus + lane, ly_max(form.second[2], ly_set(0)));
    }
}

static void evaluate_stretches(const LyIsotropic *solid, const double *parameters, bool psd,
                               LyPoints *points)
{
    double arguments[3 * WIDTH] __attribute__((aligned(64)));
    double at[3 * WIDTH] __attribute__((aligned(64))); // where the law is evaluated
    double taylor[27 * WIDTH] __attribute__((aligned(64)));
    double rest[WIDTH] __attribute__((aligned(64)));
    bool invariants = solid->law->arguments == LYRA_MATERIAL_INVARIANTS, below = false;
    LyReal threshold =
        ly_set(solid->inversion == LYRA_INVERSION_NONE ? -INFINITY : solid->threshold);
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        LyMat3 F = ly_mat3_load_lanes(points->F + lane);
        F = ly_flush_flat(&F);
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
            ly_store(points->s + i * WIDTH + lane, svd.s.v[i]);
            ly_store(at + i * WIDTH + lane, c[i]);
        }
        LyReal I = c2[0] + c2[1] + c2[2], J = c[0] * c[1] * c[2];
        LyReal II = c2[0] * c2[0] + c2[1] * c2[1] + c2[2] * c2[2];
        ly_store(arguments + lane, invariants ? I : c[0]);
        ly_store(arguments + WIDTH + lane, invariants ? II : c[1]);
        ly_store(arguments + 2 * WIDTH + lane, invariants ? J : c[2]);
    }
    call_law(solid, arguments, parameters, points->energy, points->first, points->second);
    bool extend = below && solid->inversion == LYRA_INVERSION_EXTEND;
    if (extend) {
        solid->law->expand(solid->law_user, at, parameters, taylor);
        modulus(solid, parameters, rest);
    }
    const double *resistance = parameters + solid->law->parameter_count * WIDTH;
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        LyVec3 s = ly_vec3_load_lanes(points->s + lane), c = ly_vec3_load_lanes(at + lane);
        LyVec3 g = ly_vec3_load_lanes(points->first + lane);
        LyStretchForm form = {.energy = ly_load(points->energy + lane)};
        LyReal h[6];
        for (int n = 0; n < 6; ++n) {
            h[n] = ly_load(points->second + n * WIDTH + lane);
        }
        if (invariants) {
            stretch_from_invariants(c.v, g.v, h, &form);
        } else {
            memcpy(form.first, g.v, sizeof form.first);
            memcpy(form.second, h, sizeof form.second);
            ly_stretch_divide(c.v, c.v, &form);
        }
        if (extend) {
            LyReal d[3] = {s.v[0] - c.v[0], s.v[1] - c.v[1], s.v[2] - c.v[2]};
            LyStretchForm extended;
            LyReal B = ly_load(rest + lane) / (3 * solid->threshold);
            stretch_from_taylor(taylor + lane, d, B, solid->threshold, &extended);
            ly_stretch_divide(s.v, c.v, &extended);
            // s3 is the smallest
            LyMask mask = ly_less(d[2], ly_set(0));
            stretch_select(mask, &extended, &form);
        }
        if (solid->prony) {
            ly_stretch_scale(ly_set(points->scale), &form);
        }
        if (points->volume) {
            const LyResistance more = ly_points_volume(points, lane);
            ly_stretch_add_volume(&more, s.v, &form);
        }
        LyReal rho = ly_load(resistance + lane);
        if (ly_any(ly_greater(rho, ly_set(0)))) {
            bool clamp = solid->inversion == LYRA_INVERSION_CLAMP;
            ly_stretch_add_resistance(rho, clamp ? c.v : s.v, &form);
        }
        ly_stretch_store(&form, psd, lane, points);
    }
}

void LY_KERNEL(ly_points_evaluate)(const LyIsotropic *solid, const double *parameters, bool tangent,
                                   bool psd, LyPoints *points)
{
    points->stretches = solid->law->arguments == LYRA_MATERIAL_STRETCHES || (tangent && psd);
    points->projected = points->mapped = points->additive = points->stressed = false;
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        if (points->stretches || solid->inversion == LYRA_INVERSION_NONE) {
            break;
        }
        LyMat3 F = ly_mat3_load_lanes(points->F + lane);
        LyMask above =
            ly_surely_above(ly_mat3_norm_squared(&F), ly_mat3_determinant(&F), solid->threshold);
        points->stretches = !ly_all(above);
    }
    if (points->stretches) {
        evaluate_stretches(solid, parameters, tangent && psd, points);
    } else {
        evaluate_invariants(solid, parameters, tangent, points);
    }
}
