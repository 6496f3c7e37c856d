// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Laws on invariants. Saint Venant-Kirchhoff stands alone; all others have the form
//
//   W = f(a) + c (b - 3) + h(J),
//   a = I            or, isochoric,  a = I J^(-2/3),
//   b = (I^2 - II)/2 J^(-4/3)        (Mooney-Rivlin only),
//
// and are given by the Taylor coefficients of f and h about the present a and J: three of each make
// value, gradient and Hessian, seven make its polynomial in the stretches. So each law is written
// once.
//
// The derivatives of a and b, with k = J^(-2/3):
//   a_I = k,  a_J = -2/3 a/J,  a_IJ = -2/3 k/J,  a_JJ = 10/9 a/J^2
//   b_I = k^2 I,  b_II = -k^2/2,  b_J = -4/3 b/J,
//   b_I,I = k^2,  b_IJ = -4/3 k^2 I/J,  b_II,J = 2/3 k^2/J,  b_JJ = 28/9 b/J^2
// In the stretches a and b are sums of products of powers of single stretches:
//   a = sum over i of s_i^(4/3) (s_j s_k)^(-2/3),   b = sum over k of (s_i s_j)^(2/3) s_k^(-4/3).

#include "material/law_lanes.h"
#include "material/material.h"
#include "math/elementary.h"

#define WIDTH LYRA_MATERIAL_WIDTH

// ---- functions of one argument ------------------------------------------------------------------

// coefficients of ln x
LY_INLINE void log_terms(LyReal x, int order, LyReal *terms)
{
    LyReal inverse = 1.0 / x, power = inverse;
    terms[0] = ly_log_lanes(x);
    for (int n = 1; n <= order; ++n) {
        terms[n] = power * (n % 2 ? 1.0 / n : -1.0 / n);
        power *= inverse;
    }
}

// coefficients of the polynomial with coefficients c[0..degree] about x, by synthetic division
LY_INLINE void polynomial_terms(const LyReal *c, int degree, LyReal x, int order, LyReal *terms)
{
    LyReal work[LY_TAYLOR_TERMS];
    for (int i = 0; i <= degree; ++i) {
        work[i] = c[i];
    }
    for (int n = 0; n <= order; ++n) {
        for (int i = degree - 1; i >= n; --i) {
            work[i] += x * work[i + 1];
        }
        terms[n] = n <= degree ? work[n] : ly_set(0);
    }
}

// coefficients of slope (a - 3)
LY_INLINE void linear_terms(LyReal slope, LyReal a, int order, LyReal *terms)
{
    terms[0] = slope * (a - 3.0);
    terms[1] = slope;
    for (int n = 2; n <= order; ++n) {
        terms[n] = ly_set(0);
    }
}

// coefficients of factor/2 (J - 1)^2 + slope (J - 1)
LY_INLINE void square_terms(LyReal slope, LyReal factor, LyReal J, int order, LyReal *terms)
{
    LyReal x = J - 1.0;
    terms[0] = x * (slope + 0.5 * factor * x);
    terms[1] = slope + factor * x;
    for (int n = 2; n <= order; ++n) {
        terms[n] = n == 2 ? 0.5 * factor : ly_set(0);
    }
}

// ---- the laws: f and h --------------------------------------------------------------------------

LY_INLINE void strain_neo_hookean(const double *p, LyReal I, int order, LyReal *f)
{
    linear_terms(0.5 * ly_law_parameter(p, LY_MU), I, order, f);
}

// -mu ln J + lambda/2 (ln J)^2
LY_INLINE void volume_neo_hookean(const double *p, LyReal J, int order, LyReal *h)
{
    LyReal lambda = ly_law_parameter(p, LY_LAMBDA), mu = ly_law_parameter(p, LY_MU),
           l[LY_TAYLOR_TERMS];
    log_terms(J, order, l);
    for (int n = 0; n <= order; ++n) {
        LyReal square = ly_set(0);
        for (int i = 0; i <= n; ++i) {
            square += l[i] * l[n - i];
        }
        h[n] = 0.5 * lambda * square - mu * l[n];
    }
}

LY_INLINE void strain_mooney_rivlin(const double *p, LyReal a, int order, LyReal *f)
{
    linear_terms(ly_law_parameter(p, LY_MOONEY_MU10), a, order, f);
}

LY_INLINE void volume_mooney_rivlin(const double *p, LyReal J, int order, LyReal *h)
{
    square_terms(ly_set(0), 2.0 * ly_law_parameter(p, LY_MOONEY_V1), J, order, h);
}

LY_INLINE void strain_stable_neo_hookean(const double *p, LyReal I, int order, LyReal *f)
{
    linear_terms(0.5 * ly_law_parameter(p, LY_MU), I, order, f);
}

LY_INLINE void volume_stable_neo_hookean(const double *p, LyReal J, int order, LyReal *h)
{
    LyReal mu = ly_law_parameter(p, LY_MU);
    square_terms(-mu, ly_law_parameter(p, LY_LAMBDA) + mu, J, order, h);
}

// m/2 (I - 3) - m/2 ln((I + 1)/4) with m = 4/3 mu
LY_INLINE void strain_stable_neo_hookean_log(const double *p, LyReal I, int order, LyReal *f)
{
    LyReal half = ly_law_parameter(p, LY_MU) * (2.0 / 3), l[LY_TAYLOR_TERMS];
    log_terms(0.25 * (I + 1.0), order, l);
    linear_terms(half, I, order, f);
    double scale = 1;
    for (int n = 0; n <= order; ++n) {
        f[n] -= half * scale * l[n];
        scale *= 0.25;
    }
}

// l/2 (J - a)^2 less its value at rest: l/2 (J - 1)^2 - l (a - 1)(J - 1) with l (a - 1) = 3/4 m =
// mu
LY_INLINE void volume_stable_neo_hookean_log(const double *p, LyReal J, int order, LyReal *h)
{
    LyReal mu = ly_law_parameter(p, LY_MU);
    square_terms(-mu, ly_law_parameter(p, LY_LAMBDA) + mu * (5.0 / 6), J, order, h);
}

LY_INLINE void strain_yeoh(const double *p, LyReal a, int order, LyReal *f)
{
    LyReal c[4] = {ly_set(0), ly_law_parameter(p, LY_YEOH_C1), ly_law_parameter(p, LY_YEOH_C2),
                   ly_law_parameter(p, LY_YEOH_C3)};
    polynomial_terms(c, 3, a - 3.0, order, f);
}

LY_INLINE void volume_yeoh(const double *p, LyReal J, int order, LyReal *h)
{
    square_terms(ly_set(0), ly_law_parameter(p, LY_YEOH_KAPPA), J, order, h);
}

// mu' sum over i of alpha_i N^(1-i) (a^i - 3^i), N the square of the locking stretch, mu' such that
// the shear modulus at rest is mu [AB93]
LY_INLINE void strain_arruda_boyce(const double *p, LyReal a, int order, LyReal *f)
{
    const double alpha[6] = {0, 0.5, 1.0 / 20, 11.0 / 1050, 19.0 / 7000, 519.0 / 673750};
    LyReal lock = ly_law_parameter(p, LY_ARRUDA_LOCK), step = 1.0 / (lock * lock),
           factor = ly_set(1);
    LyReal c[6] = {ly_set(0)}, rest = ly_set(0), slope = ly_set(0);
    double power = 1;
    for (int i = 1; i <= 5; ++i) {
        c[i] = alpha[i] * factor;
        slope += (2.0 * i * power) * c[i];
        power *= 3;
        rest += power * c[i];
        factor *= step;
    }
    LyReal mu = ly_law_parameter(p, LY_ARRUDA_MU) / slope;
    c[0] = -rest;
    polynomial_terms(c, 5, a, order, f);
    for (int n = 0; n <= order; ++n) {
        f[n] *= mu;
    }
}

LY_INLINE void volume_arruda_boyce(const double *p, LyReal J, int order, LyReal *h)
{
    square_terms(ly_set(0), ly_law_parameter(p, LY_ARRUDA_KAPPA), J, order, h);
}

// mu/(2 b) (exp(b (a - 3)) - 1)
LY_INLINE void strain_fung(const double *p, LyReal a, int order, LyReal *f)
{
    LyReal b = ly_law_parameter(p, LY_FUNG_B), scale = 0.5 * ly_law_parameter(p, LY_FUNG_MU) / b;
    LyReal term = scale * ly_exp_lanes(b * (a - 3.0));
    f[0] = term - scale;
    for (int n = 1; n <= order; ++n) {
        term *= b * (1.0 / n);
        f[n] = term;
    }
}

LY_INLINE void volume_fung(const double *p, LyReal J, int order, LyReal *h)
{
    square_terms(ly_set(0), ly_law_parameter(p, LY_FUNG_KAPPA), J, order, h);
}

LY_INLINE void strain_reduced_polynomial(const double *p, LyReal a, int order, LyReal *f)
{
    LyReal c[7] = {ly_set(0)};
    for (int i = 1; i <= 6; ++i) {
        c[i] = ly_law_parameter(p, LY_REDUCED_C1 + i - 1);
    }
    polynomial_terms(c, 6, a - 3.0, order, f);
}

LY_INLINE void volume_reduced_polynomial(const double *p, LyReal J, int order, LyReal *h)
{
    square_terms(ly_set(0), ly_law_parameter(p, LY_REDUCED_KAPPA), J, order, h);
}

// ---- value, gradient, Hessian -------------------------------------------------------------------

// from f and h
LY_INLINE LyLawDerivatives plain(const LyReal f[3], const LyReal h[3])
{
    LyReal zero = ly_set(0);
    return (LyLawDerivatives){.energy = f[0] + h[0],
                              .gradient = {f[1], zero, h[1]},
                              .hessian = {2.0 * f[2], zero, 2.0 * h[2], zero, zero, zero}};
}

// from f of a = k I and h, with k = J^(-2/3)
LY_INLINE LyLawDerivatives isochoric(LyReal a, LyReal k, LyReal J, const LyReal f[3],
                                     const LyReal h[3])
{
    LyReal zero = ly_set(0), inverse = 1.0 / J;
    LyReal aJ = (-2.0 / 3) * a * inverse, aIJ = (-2.0 / 3) * k * inverse;
    LyReal aJJ = (10.0 / 9) * a * inverse * inverse, f2 = 2.0 * f[2];
    return (LyLawDerivatives){.energy = f[0] + h[0],
                              .gradient = {f[1] * k, zero, f[1] * aJ + h[1]},
                              .hessian = {f2 * k * k, zero, f2 * aJ * aJ + f[1] * aJJ + 2.0 * h[2],
                                          zero, zero, f2 * k * aJ + f[1] * aIJ}};
}

// adds c (b - 3)
LY_INLINE void add_mooney(LyReal c, LyReal I, LyReal II, LyReal J, LyReal k, LyLawDerivatives *d)
{
    LyReal k2 = c * k * k, b = 0.5 * k2 * (I * I - II), inverse = 1.0 / J;
    d->energy += b - 3.0 * c;
    d->gradient[0] += k2 * I;
    d->gradient[1] -= 0.5 * k2;
    d->gradient[2] -= (4.0 / 3) * b * inverse;
    d->hessian[0] += k2;
    d->hessian[2] += (28.0 / 9) * b * inverse * inverse;
    d->hessian[4] += (2.0 / 3) * k2 * inverse;
    d->hessian[5] -= (4.0 / 3) * k2 * I * inverse;
}

// ---- Taylor polynomials -------------------------------------------------------------------------

// a = I, with coefficients of s^2 about each stretch
static void taylor_trace(const LyReal s[3], LyTaylor *a)
{
    ly_taylor_clear(a);
    for (int i = 0; i < 3; ++i) {
        LyReal square[3] = {s[i] * s[i], 2.0 * s[i], ly_set(1)};
        ly_taylor_add_single(a, i, square);
    }
}

// a += sum over i of s_i^own (s_j s_k)^others
static void taylor_add_powers(const LyReal s[3], double own, double others, LyTaylor *a)
{
    LyReal x[3][3], y[3][3];
    for (int i = 0; i < 3; ++i) {
        ly_taylor_power(s[i], ly_pow_lanes(s[i], ly_set(own)), ly_set(own), x[i]);
        ly_taylor_power(s[i], ly_pow_lanes(s[i], ly_set(others)), ly_set(others), y[i]);
    }
    ly_taylor_add_outer(a, x[0], y[1], y[2]);
    ly_taylor_add_outer(a, y[0], x[1], y[2]);
    ly_taylor_add_outer(a, y[0], y[1], x[2]);
}

static void taylor_volume(const LyReal s[3], LyTaylor *J)
{
    LyReal x[3][3];
    for (int i = 0; i < 3; ++i) {
        x[i][0] = s[i];
        x[i][1] = ly_set(1);
        x[i][2] = ly_set(0);
    }
    ly_taylor_clear(J);
    ly_taylor_add_outer(J, x[0], x[1], x[2]);
}

// ---- laws of the form f(a) + h(J) ---------------------------------------------------------------

// `is_isochoric` and `mooney` are constants
#define DEFINE_LAW(name, is_isochoric, mooney)                                                     \
    void LY_KERNEL(ly_law_##name)(const void *user, const LyraMaterialBatch *batch)                \
    {                                                                                              \
        (void)user;                                                                                \
        for (int lane = 0; lane < WIDTH; lane += LY_LANES) {                                       \
            const double *p = batch->parameters + lane;                                            \
            LyReal I = ly_load(batch->arguments + lane);                                           \
            LyReal II = ly_load(batch->arguments + WIDTH + lane);                                  \
            LyReal J = ly_load(batch->arguments + 2 * WIDTH + lane), f[3], h[3];                   \
            volume_##name(p, J, 2, h);                                                             \
            LyLawDerivatives d;                                                                    \
            if (is_isochoric) {                                                                    \
                LyReal k = ly_pow_lanes(J, ly_set(-2.0 / 3)), a = I * k;                           \
                strain_##name(p, a, 2, f);                                                         \
                d = isochoric(a, k, J, f, h);                                                      \
                if (mooney) {                                                                      \
                    add_mooney(ly_law_parameter(p, LY_MOONEY_MU01), I, II, J, k, &d);              \
                }                                                                                  \
            } else {                                                                               \
                strain_##name(p, I, 2, f);                                                         \
                d = plain(f, h);                                                                   \
            }                                                                                      \
            ly_law_store(batch, lane, &d);                                                         \
        }                                                                                          \
    }                                                                                              \
    void LY_KERNEL(ly_law_expand_##name)(const void *user, const double *stretches,                \
                                         const double *parameters, double *taylor)                 \
    {                                                                                              \
        (void)user;                                                                                \
        for (int lane = 0; lane < WIDTH; lane += LY_LANES) {                                       \
            LyReal s[3], f[LY_TAYLOR_TERMS], h[LY_TAYLOR_TERMS];                                   \
            LyTaylor sum, a, J;                                                                    \
            ly_law_load_stretches(stretches, lane, s);                                             \
            ly_taylor_clear(&sum);                                                                 \
            if (is_isochoric) {                                                                    \
                ly_taylor_clear(&a);                                                               \
                taylor_add_powers(s, 4.0 / 3, -2.0 / 3, &a);                                       \
            } else {                                                                               \
                taylor_trace(s, &a);                                                               \
            }                                                                                      \
            taylor_volume(s, &J);                                                                  \
            strain_##name(parameters + lane, a.c[0], LY_TAYLOR_TERMS - 1, f);                      \
            volume_##name(parameters + lane, J.c[0], LY_TAYLOR_TERMS - 1, h);                      \
            ly_taylor_add_composed(&sum, &a, f);                                                   \
            ly_taylor_add_composed(&sum, &J, h);                                                   \
            if (mooney) {                                                                          \
                LyReal c = ly_law_parameter(parameters + lane, LY_MOONEY_MU01);                    \
                ly_taylor_clear(&a);                                                               \
                taylor_add_powers(s, -4.0 / 3, 2.0 / 3, &a);                                       \
                a.c[0] -= 3.0;                                                                     \
                ly_taylor_add(&sum, c, &a);                                                        \
            }                                                                                      \
            ly_law_store_taylor(&sum, taylor + lane);                                              \
        }                                                                                          \
    }

DEFINE_LAW(neo_hookean, false, false)
DEFINE_LAW(mooney_rivlin, true, true)
DEFINE_LAW(stable_neo_hookean, false, false)
DEFINE_LAW(stable_neo_hookean_log, false, false)
DEFINE_LAW(yeoh, true, false)
DEFINE_LAW(arruda_boyce, true, false)
DEFINE_LAW(fung, true, false)
DEFINE_LAW(reduced_polynomial, true, false)

// ---- Saint Venant-Kirchhoff ---------------------------------------------------------------------

// W = lambda/8 (I - 3)^2 + mu/4 (II - 2 I + 3)
void LY_KERNEL(ly_law_stvk)(const void *user, const LyraMaterialBatch *batch)
{
    (void)user;
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        LyReal lambda = ly_law_parameter(batch->parameters + lane, LY_LAMBDA);
        LyReal mu = ly_law_parameter(batch->parameters + lane, LY_MU), zero = ly_set(0);
        LyReal x = ly_load(batch->arguments + lane) - 3.0;
        LyReal II = ly_load(batch->arguments + WIDTH + lane);
        LyLawDerivatives d = {.energy = 0.125 * lambda * x * x + 0.25 * mu * ((II - 3.0) - 2.0 * x),
                              .gradient = {0.25 * lambda * x - 0.5 * mu, 0.25 * mu, zero},
                              .hessian = {0.25 * lambda, zero, zero, zero, zero, zero}};
        ly_law_store(batch, lane, &d);
    }
}

void LY_KERNEL(ly_law_expand_stvk)(const void *user, const double *stretches,
                                   const double *parameters, double *taylor)
{
    (void)user;
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        LyReal lambda = ly_law_parameter(parameters + lane, LY_LAMBDA), s[3];
        LyReal mu = ly_law_parameter(parameters + lane, LY_MU);
        LyTaylor sum, trace, square;
        ly_law_load_stretches(stretches, lane, s);
        taylor_trace(s, &trace);
        trace.c[0] -= 3.0;
        ly_taylor_clear(&sum);
        ly_taylor_multiply(&trace, &trace, &square);
        ly_taylor_add(&sum, 0.125 * lambda, &square);
        ly_taylor_add(&sum, -0.5 * mu, &trace);
        // II - 3, with coefficients of s^4
        for (int i = 0; i < 3; ++i) {
            LyReal s2 = s[i] * s[i], quarter = 0.25 * mu;
            LyReal fourth[3] = {quarter * (s2 * s2 - 1.0), quarter * 4.0 * s2 * s[i],
                                quarter * 6.0 * s2};
            ly_taylor_add_single(&sum, i, fourth);
        }
        ly_law_store_taylor(&sum, taylor + lane);
    }
}
