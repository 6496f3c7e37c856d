// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// "rkc2": the stabilised explicit method of Runge-Kutta-Chebyshev type of order 2 [SSV98] on
// y = (u, v), F = (v, a). With eps = 2/13, w0 = 1 + eps/s^2, w1 = T_s'(w0)/T_s''(w0),
// b_j = T_j''/T_j'^2 (b_0 = b_1 = b_2) and a_j = 1 - b_j T_j, all at w0:
//   Y_1 = y + b_1 w1 h F_0,
//   Y_j = (1 - m - n) y + m Y_{j-1} + n Y_{j-2} + k h F_{j-1} - a_{j-1} k h F_0, (1) m = 2 b_j
//   w0/b_{j-1},   n = -b_j/b_{j-2},   k = 2 b_j w1/b_{j-1},
// with stages at t + c_j h, c_j = w1 T_j''/T_j', c_1 = b_1 w1. The stability polynomial is
// R(z) = 1 - b_s T_s(w0) + b_s T_s(w0 + w1 z): |R| <= 1 on about [-0.65 (s^2 - 1), 0].
//
// The number of stages. Roots of z^2 + c z + k are real only for modes damped beyond critical; the
// interval above says nothing of the others, which lie on and near the imaginary axis, where R
// grows weakly. So stages are counted by the modes themselves: the least s with |R(h z)| <= 1 for
// both roots z of every mode of the spectrum (stability.c), which is that of the linearised system
// with its damping read as Rayleigh's, and which may grow by MARGIN before it is looked at again.
// If no s up to 200 serves, as with too little damping, the step is beyond the critical one, and a
// step that was only warned of goes on with the s of the real interval.

#include "integrate/explicit.h"

#include <complex.h>
#include <math.h>

#define MARGIN 1.12 // of stiffness and damping, beyond their estimate

// ---- coefficients -------------------------------------------------------------------------------

// T_j, T_j', T_j'' at x from those of j - 1 and j - 2
static void next_chebyshev(double x, const double one[3], const double two[3], double out[3])
{
    out[0] = 2 * x * one[0] - two[0];
    out[1] = 2 * x * one[1] + 2 * one[0] - two[1];
    out[2] = 2 * x * one[2] + 4 * one[1] - two[2];
}

LyChebyshev ly_chebyshev(int32_t stages)
{
    double w0 = 1 + 2.0 / 13 / ((double)stages * stages);
    double two[3] = {1, 0, 0}, one[3] = {w0, 1, 0}, T[3], b2 = 0;
    for (int32_t j = 2; j <= stages; ++j) {
        next_chebyshev(w0, one, two, T);
        if (j == 2) {
            b2 = T[2] / (T[1] * T[1]);
        }
        for (int i = 0; i < 3; ++i) {
            two[i] = one[i];
            one[i] = T[i];
        }
    }
    double b = one[2] / (one[1] * one[1]);
    return (LyChebyshev){.stages = stages,
                         .w0 = w0,
                         .w1 = one[1] / one[2],
                         .b0 = b2,
                         .b_s = b,
                         .a_s = 1 - b * one[0]};
}

double ly_chebyshev_amplification(const void *data, double h, double k, double c)
{
    const LyChebyshev *method = data;
    double complex root = csqrt(0.25 * c * c - k);
    double complex z[2] = {-0.5 * c - root, -0.5 * c + root};
    double largest = 0;
    for (int i = 0; i < 2; ++i) {
        double complex x = method->w0 + method->w1 * h * z[i], two = 1, one = x;
        for (int32_t j = 2; j <= method->stages; ++j) {
            double complex T = 2 * x * one - two;
            two = one;
            one = T;
        }
        largest = fmax(largest, cabs(method->a_s + method->b_s * one));
    }
    return largest;
}

// ---- stages -------------------------------------------------------------------------------------

typedef struct Rkc {
    // the choice below is a function of these two alone
    LySpectrum spectrum;
    double h;
    LyChebyshev method;
    double critical;
} Rkc;

static LyraStatus create(LyraIntegrator *it)
{
    if (it->def.stages == 1 || it->def.stages > LY_CHEBYSHEV_STAGES_MAX) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "rkc2: %d stages, expected 0 or 2 to %d",
                       it->def.stages, LY_CHEBYSHEV_STAGES_MAX);
    }
    Rkc *self;
    LY_TRY(ly_allocate_zeroed(it->ctx, 1, sizeof *self, &self));
    it->self = self;
    return LYRA_OK;
}

// the least number of stages that is stable at h; 0: there is none
static int32_t find_stages(const LySpectrum *spectrum, double h)
{
    for (int32_t s = 2; s <= LY_CHEBYSHEV_STAGES_MAX; ++s) {
        LyChebyshev method = ly_chebyshev(s);
        if (ly_is_stable(spectrum, ly_chebyshev_amplification, &method, h)) {
            return s;
        }
    }
    return 0;
}

// with room for growth, or without; where neither is stable, what the real interval asks for
static int32_t count_stages(const LySpectrum *spectrum, double h)
{
    LySpectrum grown = *spectrum;
    grown.stiffness *= MARGIN;
    int32_t found = find_stages(&grown, h);
    found = found > 0 ? found : find_stages(spectrum, h);
    if (found > 0) {
        return found;
    }
    double c = spectrum->alpha + spectrum->beta * spectrum->stiffness;
    double stages = ceil(sqrt(1 + h * fmax(sqrt(spectrum->stiffness), c) / 0.65));
    return (int32_t)fmin(fmax(stages, 2), LY_CHEBYSHEV_STAGES_MAX);
}

static void choose_stages(Rkc *self, int32_t given, const LySpectrum *spectrum, double h)
{
    if (self->h == h && ly_spectrum_equal(&self->spectrum, spectrum)) {
        return;
    }
    self->spectrum = *spectrum;
    self->h = h;
    self->method = ly_chebyshev(given > 0 ? given : count_stages(spectrum, h));
    self->critical = ly_critical_step(spectrum, ly_chebyshev_amplification, &self->method);
}

// coefficients of (1) at stage j, from the Chebyshev polynomials up to j
typedef struct Stage {
    double m, n, k, a, c; // a is a_{j-1}
} Stage;

static Stage stage_at(const LyChebyshev *method, double T[3][3], int32_t j)
{
    // T[0], T[1], T[2] belong to j - 2, j - 1 and j
    double b[3];
    for (int i = 0; i < 3; ++i) {
        b[i] = j - 2 + i <= 2 ? method->b0 : T[i][2] / (T[i][1] * T[i][1]);
    }
    return (Stage){.m = 2 * b[2] * method->w0 / b[1],
                   .n = -b[2] / b[0],
                   .k = 2 * b[2] * method->w1 / b[1],
                   .a = 1 - b[1] * T[1][0],
                   .c = method->w1 * T[2][2] / T[2][1]};
}

enum { U0, V0, A0, U1, V1, U2, V2, A1, SCRATCH_COUNT };

static LyraStatus run_stages(LyraIntegrator *it, LyraState *trial, const LyChebyshev *method,
                             double h)
{
    LyraStateView y = lyra_state_view(trial);
    LyraVector *const *x = it->scratch;
    LyraVector *u[3] = {x[U0], x[U1], x[U2]}, *v[3] = {x[V0], x[V1], x[V2]};
    double t = y.time, w0 = method->w0, T[3][3] = {{1, 0, 0}, {w0, 1, 0}};
    // u[1], v[1] are the last stage, u[0], v[0] the one before
    double first = method->b0 * method->w1 * h, c = method->b0 * method->w1;
    LY_TRY(ly_explicit_acceleration(it, trial, t, 0, y.u, y.v, x[A0]));
    lyra_vector_copy(y.u, u[0]);
    lyra_vector_copy(y.v, v[0]);
    lyra_vector_combine(2, (double[]){1, first}, (LyraVector *[]){y.u, y.v}, u[1]);
    lyra_vector_combine(2, (double[]){1, first}, (LyraVector *[]){y.v, x[A0]}, v[1]);
    double at = ly_moment(it, t, c * h);
    ly_impose(it, at, u[1], v[1]);
    for (int32_t j = 2; j <= method->stages; ++j) {
        next_chebyshev(w0, T[1], T[0], T[2]);
        Stage s = stage_at(method, T, j);
        LY_TRY(ly_explicit_acceleration(it, trial, at, c * h, u[1], v[1], x[A1]));
        const double w[5] = {1 - s.m - s.n, s.m, s.n, s.k * h, -s.a * s.k * h};
        lyra_vector_combine(5, w, (LyraVector *[]){y.u, u[1], u[0], v[1], y.v}, u[2]);
        lyra_vector_combine(5, w, (LyraVector *[]){y.v, v[1], v[0], x[A1], x[A0]}, v[2]);
        c = s.c;
        at = ly_moment(it, t, c * h);
        ly_impose(it, at, u[2], v[2]);
        ly_next_stage(u);
        ly_next_stage(v);
        for (int i = 0; i < 3; ++i) {
            T[0][i] = T[1][i];
            T[1][i] = T[2][i];
        }
    }
    lyra_vector_copy(u[1], y.u);
    lyra_vector_copy(v[1], y.v);
    lyra_vector_copy(x[A1], y.a);
    return LYRA_OK;
}

static LyraStatus step(LyraIntegrator *it, LyraState *trial, double dt)
{
    Rkc *self = it->self;
    LyraStateView y = lyra_state_view(trial);
    ly_impose(it, y.time, y.u, y.v);
    if (it->def.stages > 0 && it->def.critical == LYRA_CRITICAL_IGNORE) {
        self->method = ly_chebyshev(it->def.stages);
    } else {
        LySpectrum spectrum;
        bool fresh;
        LY_TRY(ly_spectrum(it, trial, true, it->scratch, &spectrum, &fresh));
        choose_stages(self, it->def.stages, &spectrum, dt);
        LY_TRY(ly_judge_step(it, dt, self->critical, fresh));
    }
    LY_TRY(run_stages(it, trial, &self->method, dt));
    return ly_explicit_finish(it, trial, y.time, dt);
}

const LyIntegratorType ly_rkc2 = {
    .facts = {.name = "rkc2", .order = 2},
    .vector_count = SCRATCH_COUNT,
    .create = create,
    .step = step,
    .destroy = ly_release_self,
};
