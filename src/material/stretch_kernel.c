// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Laws on stretches.
//
//   ogden            W = sum over p of mu_p/alpha_p (sum over i of v_i - 3) + kappa/2 (J - 1)^2,
//                    v_i = s_i^alpha_p J^(-alpha_p/3), p = 1, 2, 3
//     With m the mean of the v_i: the first part has W_j = mu_p (v_j - m)/s_j and
//     W_jk = mu_p [alpha_p (v_j (delta_jk - 1/3) - (v_k - m)/3)/(s_j s_k)
//                  - delta_jk (v_j - m)/s_j^2].
//   biphasic-spline  W = sum over i of g(s_i - 1) + lambda/2 (sum over i of (s_i - 1))^2, g' = p
//   odd,
//                    p(t) = k0 t + (ke - k0)(t^2/L - t^3/(3 L^2)) for 0 <= t <= L, slope ke beyond
//   rotated-linear   W = mu sum over i of (s_i - 1)^2 + lambda/2 (sum over i of (s_i - 1))^2
//   hencky           W = mu sum over i of l_i^2 + lambda/2 (sum over i of l_i)^2, l_i the extended
//                    logarithm of s_i (hencky.h)

#include "material/hencky.h"
#include "material/law_lanes.h"
#include "material/material.h"
#include "math/elementary.h"

#define WIDTH LYRA_MATERIAL_WIDTH

// ---- Ogden --------------------------------------------------------------------------------------

void LY_KERNEL(ly_law_ogden)(const void *user, const LyraMaterialBatch *batch)
{
    (void)user;
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        const double *p = batch->parameters + lane;
        LyReal s[3], inverse[3], log_s[3], zero = ly_set(0);
        ly_law_load_stretches(batch->arguments, lane, s);
        for (int i = 0; i < 3; ++i) {
            inverse[i] = 1.0 / s[i];
            log_s[i] = ly_log_lanes(s[i]);
        }
        LyReal third = (log_s[0] + log_s[1] + log_s[2]) * (1.0 / 3);
        // volume
        LyReal kappa = ly_law_parameter(p, LY_OGDEN_KAPPA), J = s[0] * s[1] * s[2], x = J - 1.0;
        LyLawDerivatives d = {.energy = 0.5 * kappa * x * x, .hessian = {zero, zero, zero}};
        for (int i = 0; i < 3; ++i) {
            LyReal area = s[(i + 1) % 3] * s[(i + 2) % 3];
            d.gradient[i] = kappa * x * area;
            d.hessian[i] = kappa * area * area;
            d.hessian[3 + i] = kappa * (x + J) * s[(i + 2) % 3]; // of i and i + 1
        }
        for (int term = 0; term < 3; ++term) {
            LyReal mu = ly_law_parameter(p, LY_OGDEN_MU1 + 2 * term);
            LyReal alpha = ly_law_parameter(p, LY_OGDEN_ALPHA1 + 2 * term), v[3];
            for (int i = 0; i < 3; ++i) {
                v[i] = ly_exp_lanes(alpha * (log_s[i] - third));
            }
            LyReal mean = (v[0] + v[1] + v[2]) * (1.0 / 3);
            d.energy += 3.0 * mu / alpha * (mean - 1.0);
            for (int i = 0; i < 3; ++i) {
                int j = (i + 1) % 3, k = (i + 2) % 3;
                // v_i less the mean, exactly 0 at rest
                LyReal off = (1.0 / 3) * ((v[i] - v[j]) + (v[i] - v[k]));
                d.gradient[i] += mu * off * inverse[i];
                d.hessian[i] += mu * inverse[i] * inverse[i] *
                                (alpha * ((2.0 / 3) * v[i] - (1.0 / 3) * off) - off);
                d.hessian[3 + i] -=
                    mu * alpha * (1.0 / 3) * (v[i] + v[j] - mean) * inverse[i] * inverse[j];
            }
        }
        ly_law_store(batch, lane, &d);
    }
}

void LY_KERNEL(ly_law_expand_ogden)(const void *user, const double *stretches,
                                    const double *parameters, double *taylor)
{
    (void)user;
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        const double *p = parameters + lane;
        LyReal s[3], x[3][3], y[3][3];
        LyTaylor sum, J, square;
        ly_law_load_stretches(stretches, lane, s);
        for (int i = 0; i < 3; ++i) {
            x[i][0] = s[i];
            x[i][1] = ly_set(1);
            x[i][2] = ly_set(0);
        }
        ly_taylor_clear(&J);
        ly_taylor_add_outer(&J, x[0], x[1], x[2]);
        J.c[0] -= 1.0;
        ly_taylor_clear(&sum);
        ly_taylor_multiply(&J, &J, &square);
        ly_taylor_add(&sum, 0.5 * ly_law_parameter(p, LY_OGDEN_KAPPA), &square);
        for (int term = 0; term < 3; ++term) {
            LyReal alpha = ly_law_parameter(p, LY_OGDEN_ALPHA1 + 2 * term);
            LyReal scale = ly_law_parameter(p, LY_OGDEN_MU1 + 2 * term) / alpha;
            LyReal own = alpha * (2.0 / 3), others = alpha * (-1.0 / 3);
            for (int i = 0; i < 3; ++i) {
                ly_taylor_power(s[i], ly_pow_lanes(s[i], own), own, x[i]);
                ly_taylor_power(s[i], ly_pow_lanes(s[i], others), others, y[i]);
            }
            LyTaylor powers;
            ly_taylor_clear(&powers);
            ly_taylor_add_outer(&powers, x[0], y[1], y[2]);
            ly_taylor_add_outer(&powers, y[0], x[1], y[2]);
            ly_taylor_add_outer(&powers, y[0], y[1], x[2]);
            powers.c[0] -= 3.0;
            ly_taylor_add(&sum, scale, &powers);
        }
        ly_law_store_taylor(&sum, taylor + lane);
    }
}

// ---- sums over single stretches and a pressure --------------------------------------------------

// value, slope and curvature of a function of t = s - 1
typedef struct Single {
    LyReal value, slope, curvature;
} Single;

LY_INLINE Single single_spline(const double *p, LyReal t)
{
    LyReal k0 = ly_law_parameter(p, LY_SPLINE_K0), ke = ly_law_parameter(p, LY_SPLINE_KE);
    LyReal limit = ly_law_parameter(p, LY_SPLINE_LIMIT), inverse = 1.0 / limit, rise = ke - k0;
    LyReal size = ly_abs(t), r = ly_min(size, limit), over = size - r, x = r * inverse;
    LyReal stress = r * (k0 + rise * x * (1.0 - (1.0 / 3) * x));
    LyReal value = r * r * (0.5 * k0 + rise * x * (1.0 / 3 - (1.0 / 12) * x));
    return (Single){.value = value + over * (stress + 0.5 * ke * over),
                    .slope = ly_copysign(stress + ke * over, t),
                    .curvature = k0 + rise * x * (2.0 - x)};
}

LY_INLINE LyReal pressure_spline(const double *p)
{
    return ly_law_parameter(p, LY_SPLINE_LAMBDA);
}

LY_INLINE Single single_linear(const double *p, LyReal t)
{
    LyReal mu = ly_law_parameter(p, LY_MU);
    return (Single){.value = mu * t * t, .slope = 2.0 * mu * t, .curvature = 2.0 * mu};
}

LY_INLINE LyReal pressure_linear(const double *p)
{
    return ly_law_parameter(p, LY_LAMBDA);
}

#define DEFINE_LAW(name, kind)                                                                     \
    void LY_KERNEL(ly_law_##name)(const void *user, const LyraMaterialBatch *batch)                \
    {                                                                                              \
        (void)user;                                                                                \
        for (int lane = 0; lane < WIDTH; lane += LY_LANES) {                                       \
            const double *p = batch->parameters + lane;                                            \
            LyReal s[3], lambda = pressure_##kind(p);                                              \
            ly_law_load_stretches(batch->arguments, lane, s);                                      \
            LyReal trace = (s[0] - 1.0) + (s[1] - 1.0) + (s[2] - 1.0);                             \
            LyLawDerivatives d = {.energy = 0.5 * lambda * trace * trace};                         \
            for (int i = 0; i < 3; ++i) {                                                          \
                Single g = single_##kind(p, s[i] - 1.0);                                           \
                d.energy += g.value;                                                               \
                d.gradient[i] = lambda * trace + g.slope;                                          \
                d.hessian[i] = lambda + g.curvature;                                               \
                d.hessian[3 + i] = lambda;                                                         \
            }                                                                                      \
            ly_law_store(batch, lane, &d);                                                         \
        }                                                                                          \
    }                                                                                              \
    void LY_KERNEL(ly_law_expand_##name)(const void *user, const double *stretches,                \
                                         const double *parameters, double *taylor)                 \
    {                                                                                              \
        (void)user;                                                                                \
        for (int lane = 0; lane < WIDTH; lane += LY_LANES) {                                       \
            const double *p = parameters + lane;                                                   \
            LyReal s[3], lambda = pressure_##kind(p);                                              \
            LyTaylor sum, trace, square;                                                           \
            ly_law_load_stretches(stretches, lane, s);                                             \
            ly_taylor_clear(&sum);                                                                 \
            ly_taylor_clear(&trace);                                                               \
            for (int i = 0; i < 3; ++i) {                                                          \
                LyReal t = s[i] - 1.0, line[3] = {t, ly_set(1), ly_set(0)};                        \
                Single g = single_##kind(p, t);                                                    \
                LyReal terms[3] = {g.value, g.slope, 0.5 * g.curvature};                           \
                ly_taylor_add_single(&trace, i, line);                                             \
                ly_taylor_add_single(&sum, i, terms);                                              \
            }                                                                                      \
            ly_taylor_multiply(&trace, &trace, &square);                                           \
            ly_taylor_add(&sum, 0.5 * lambda, &square);                                            \
            ly_law_store_taylor(&sum, taylor + lane);                                              \
        }                                                                                          \
    }

DEFINE_LAW(biphasic_spline, spline)
DEFINE_LAW(rotated_linear, linear)

// ---- Hencky -------------------------------------------------------------------------------------

void LY_KERNEL(ly_law_hencky)(const void *user, const LyraMaterialBatch *batch)
{
    (void)user;
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        const double *p = batch->parameters + lane;
        LyReal lambda = ly_law_parameter(p, LY_LAMBDA), mu = ly_law_parameter(p, LY_MU), s[3];
        LyExtendedLog l[3];
        ly_law_load_stretches(batch->arguments, lane, s);
        for (int i = 0; i < 3; ++i) {
            l[i] = ly_extended_log(s[i]);
        }
        LyReal trace = l[0].value + l[1].value + l[2].value;
        LyLawDerivatives d = {.energy = 0.5 * lambda * trace * trace};
        for (int i = 0; i < 3; ++i) {
            LyReal stress = 2.0 * mu * l[i].value + lambda * trace, slope = l[i].slope;
            d.energy += mu * l[i].value * l[i].value;
            d.gradient[i] = stress * slope;
            d.hessian[i] = (2.0 * mu + lambda) * slope * slope + stress * l[i].curvature;
            d.hessian[3 + i] = lambda * slope * l[(i + 1) % 3].slope;
        }
        ly_law_store(batch, lane, &d);
    }
}

void LY_KERNEL(ly_law_expand_hencky)(const void *user, const double *stretches,
                                     const double *parameters, double *taylor)
{
    (void)user;
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        const double *p = parameters + lane;
        LyReal s[3];
        LyTaylor sum, trace, square;
        ly_law_load_stretches(stretches, lane, s);
        ly_taylor_clear(&sum);
        ly_taylor_clear(&trace);
        for (int i = 0; i < 3; ++i) {
            LyExtendedLog l = ly_extended_log(s[i]);
            LyReal mu = ly_law_parameter(p, LY_MU);
            LyReal line[3] = {l.value, l.slope, 0.5 * l.curvature};
            LyReal energy[3] = {mu * l.value * l.value, 2.0 * mu * l.value * l.slope,
                                mu * (l.slope * l.slope + l.value * l.curvature)};
            ly_taylor_add_single(&trace, i, line);
            ly_taylor_add_single(&sum, i, energy);
        }
        ly_taylor_multiply(&trace, &trace, &square);
        ly_taylor_add(&sum, 0.5 * ly_law_parameter(p, LY_LAMBDA), &square);
        ly_law_store_taylor(&sum, taylor + lane);
    }
}
