// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Isotropic laws at a batch of points: energy, stress and the form of the tangent. The formulas are
// at the head of isotropic_point.h.

#include "force/isotropic_point.h"
#include "math/decompose.h"

#define WIDTH LYRA_BATCH_WIDTH

// |det F| beside |F|^2 below which an element is flat, and the rounding of 1 + G there
#define FLAT 0x1p-40
#define REMAINDER 0x1p-48

// ---- pieces -------------------------------------------------------------------------------------

// derivatives by stretches
typedef struct StretchForm {
    LyReal energy, first[3], second[6], flip[3], twist[3];
} StretchForm;

// from derivatives by invariants at the stretches s
LY_INLINE void stretch_from_invariants(const LyReal s[3], const LyReal g[3], const LyReal h[6],
                                       StretchForm *form)
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
LY_INLINE void stretch_divide(const LyReal s[3], const LyReal c[3], StretchForm *form)
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

// value and derivatives of the polynomial `taylor` at the bounded d, and phi
LY_INLINE void stretch_from_taylor(const double *taylor, const LyReal d[3], LyReal B,
                                   double threshold, StretchForm *form)
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
LY_INLINE void stretch_select(LyMask mask, const StretchForm *other, StretchForm *form)
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

// adds a function of J
LY_INLINE void stretch_add_volume(LyResistance r, const LyReal s[3], StretchForm *form)
{
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

// beside the largest entry of the Hessian, negative eigenvalues up to this are rounding
#define ROUNDING 1e-14

// no negative eigenvalues; what has none is left as it is. Returns whether a lane had some.
LY_INLINE bool stretch_project(StretchForm *form)
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
    return ly_any(ly_less(ly_min(least, values.v[2]), -ROUNDING * size));
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

LY_INLINE LyResistance load_volume(const LyPoints *points, int lane)
{
    const double *volume = points->volume + lane;
    return (LyResistance){ly_load(volume), ly_load(volume + WIDTH), ly_load(volume + 2 * WIDTH)};
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
    const double *resistance = parameters + solid->law->parameter_count * WIDTH;
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        LyReal rho = ly_load(resistance + lane);
        if (ly_any(ly_greater(rho, ly_set(0)))) {
            LyReal J = ly_load(arguments + 2 * WIDTH + lane);
            invariants_add_volume(ly_resistance(rho, J), tangent, lane, points);
        }
        if (points->volume) {
            invariants_add_volume(load_volume(points, lane), tangent, lane, points);
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
        StretchForm form;
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

// F of a flat element, in which what is left of 1 + G by rounding is no stretch: else it would
// choose the directions in which flat elements rise
LY_INLINE LyMat3 flush_flat(const LyMat3 *F)
{
    LyReal limit = FLAT * ly_mat3_norm_squared(F);
    LyMask solid = ly_greater(ly_abs(ly_mat3_determinant(F)), limit);
    if (ly_all(solid)) {
        return *F;
    }
    LyMat3 out;
    for (int k = 0; k < 9; ++k) {
        LyReal x = F->m[k / 3][k % 3];
        LyMask noise = ly_less_equal(ly_abs(x), ly_set(REMAINDER));
        out.m[k / 3][k % 3] = ly_select(ly_or(solid, ly_not(noise)), x, ly_set(0));
    }
    return out;
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
        F = flush_flat(&F);
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
        StretchForm form = {.energy = ly_load(points->energy + lane)};
        LyReal h[6];
        for (int n = 0; n < 6; ++n) {
            h[n] = ly_load(points->second + n * WIDTH + lane);
        }
        if (invariants) {
            stretch_from_invariants(c.v, g.v, h, &form);
        } else {
            memcpy(form.first, g.v, sizeof form.first);
            memcpy(form.second, h, sizeof form.second);
            stretch_divide(c.v, c.v, &form);
        }
        if (extend) {
            LyReal d[3] = {s.v[0] - c.v[0], s.v[1] - c.v[1], s.v[2] - c.v[2]};
            StretchForm extended;
            LyReal B = ly_load(rest + lane) / (3 * solid->threshold);
            stretch_from_taylor(taylor + lane, d, B, solid->threshold, &extended);
            stretch_divide(s.v, c.v, &extended);
            // s3 is the smallest
            LyMask mask = ly_less(d[2], ly_set(0));
            stretch_select(mask, &extended, &form);
        }
        LyReal rho = ly_load(resistance + lane);
        if (ly_any(ly_greater(rho, ly_set(0)))) {
            bool clamp = solid->inversion == LYRA_INVERSION_CLAMP;
            const LyReal *at_stretch = clamp ? c.v : s.v;
            LyReal J = at_stretch[0] * at_stretch[1] * at_stretch[2];
            stretch_add_volume(ly_resistance(rho, J), at_stretch, &form);
        }
        if (points->volume) {
            stretch_add_volume(load_volume(points, lane), s.v, &form);
        }
        if (psd && stretch_project(&form)) {
            points->projected = true;
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
            ly_store(points->second + n * WIDTH + lane, form.second[n]);
        }
        for (int i = 0; i < 3; ++i) {
            ly_store(points->flip + i * WIDTH + lane, 0.5 * (form.flip[i] + form.twist[i]));
            ly_store(points->twist + i * WIDTH + lane, 0.5 * (form.flip[i] - form.twist[i]));
        }
    }
}

void LY_KERNEL(ly_points_evaluate)(const LyIsotropic *solid, const double *parameters, bool tangent,
                                   bool psd, LyPoints *points)
{
    points->stretches = solid->law->arguments == LYRA_MATERIAL_STRETCHES || (tangent && psd);
    points->projected = false;
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
