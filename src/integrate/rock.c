// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// "rock2": the stabilised explicit method of orthogonal polynomials of order 2 [AM01] on y = (u,
// v), F = (v, a). Its stability polynomial is R = w P_{s-2}, where w is quadratic and positive, and
// the P_j are orthogonal with the weight w^2/sqrt(1 - x^2) on [-1, 1], which makes w P_{s-2} nearly
// equioscillating. As orthogonal polynomials have three terms, so have the stages:
//   Y_1 = y + mu_1 h F(y),   Y_j = mu_j h F(Y_{j-1}) + nu_j Y_{j-1} + ka_j Y_{j-2},  j <= s - 2,
//   (1)
// and w = 1 + 2 sigma z + tau z^2 is the end,
//   Y_{s-1} = Y_{s-2} + sigma h F(Y_{s-2}),
//   Y_s = Y_{s-1} + sigma h F(Y_{s-1}) + e,   e = sigma q h (F(Y_{s-1}) - F(Y_{s-2})), (2)
// with q = tau/sigma^2 - 1. Without e it is of order 1, so e is an estimate of the error.
//
// Coefficients. z = k (x - c), x = c a little beyond 1 being z = 0. With p_j the monic polynomials,
// p_{j+1} = (x - a_j) p_j - b_j p_{j-1}, found by Stieltjes' procedure on the nodes of Gauss and
// Chebyshev, which is exact, and r_j = p_{j+1}(c)/p_j(c):
//   mu_{j+1} = 1/(k r_j),   nu_{j+1} = (c - a_j)/r_j,   ka_{j+1} = -b_j/(r_j r_{j-1}),
// and for w = (x - m)^2 + n^2: sigma = (c - m)/(k w(c)), q = n^2/(c - m)^2. R' = R'' = 1 at z = 0
// are order 2: k = d R/dx, and the root of d^2 R/dx^2 - (d R/dx)^2 for m, by secants. c and n are
// free, and chosen for |R| <= 0.95 on the longest interval: c = 1 + 0.3/s^2 and n s^2 as below hold
// for all s. The interval is 0.807 s^2, against 0.65 s^2 of "rkc2".
//
// The balance of stages against steps. Roots z of modes that are damped less than critical are
// complex, and there |R| <= 1 has to be looked at, as for "rkc2". More stages reach further along
// the real axis, shorter steps nearer to it: a step of dt is made of the number of equal parts, and
// these of the number of stages, that together take the fewest evaluations. Parts in which the
// fastest mode turns by less than half a radian are not tried: a mode that grows even there has no
// damping, and dt is beyond the critical step.

#include "integrate/explicit.h"

#include <complex.h>
#include <math.h>

#define MARGIN 1.12 // of stiffness and damping, beyond their estimate
#define DAMPING 0.3
#define PARTS_MAX 64

// ---- coefficients -------------------------------------------------------------------------------

// Polynomials of one w: the recurrence of p_j, and R, R', R'' by x at c, divided by R(c).
typedef struct Family {
    double c, m, n;
    double a[LY_ROCK_STAGES_MAX], b[LY_ROCK_STAGES_MAX];
    double slope, curvature;
} Family;

static void orthogonalise(int32_t stages, Family *family)
{
    double x[LY_ROCK_STAGES_MAX + 4], weight[LY_ROCK_STAGES_MAX + 4];
    double one[LY_ROCK_STAGES_MAX + 4], two[LY_ROCK_STAGES_MAX + 4], norm_old = 1;
    int32_t count = stages + 4;
    for (int32_t k = 0; k < count; ++k) {
        x[k] = cos((k + 0.5) * 3.14159265358979323846 / count);
        double w = (x[k] - family->m) * (x[k] - family->m) + family->n * family->n;
        weight[k] = w * w;
        one[k] = 1;
        two[k] = 0;
    }
    for (int32_t j = 0; j < stages - 2; ++j) {
        double norm = 0, mean = 0;
        for (int32_t k = 0; k < count; ++k) {
            double part = weight[k] * one[k] * one[k];
            norm += part;
            mean += part * x[k];
        }
        double a = mean / norm, b = j > 0 ? norm / norm_old : 0;
        for (int32_t k = 0; k < count; ++k) {
            double next = (x[k] - a) * one[k] - b * two[k];
            two[k] = one[k];
            one[k] = next;
        }
        family->a[j] = a;
        family->b[j] = b;
        norm_old = norm;
    }
}

// d^2 R/dx^2 - (d R/dx)^2 at c, over (d R/dx)^2
static double find_defect(int32_t stages, Family *family)
{
    orthogonalise(stages, family);
    double d = family->c - family->m, w = d * d + family->n * family->n;
    // logarithmic derivatives: of w, and of p by its ratios
    double two[3] = {0, 0, 0}, one[3] = {1, 0, 0}, next[3];
    for (int32_t j = 0; j < stages - 2; ++j) {
        double x = family->c - family->a[j], b = family->b[j];
        next[0] = x * one[0] - b * two[0];
        next[1] = x * one[1] + one[0] - b * two[1];
        next[2] = x * one[2] + 2 * one[1] - b * two[2];
        for (int i = 0; i < 3; ++i) {
            two[i] = one[i];
            one[i] = next[i];
        }
    }
    double p1 = one[1] / one[0], p2 = one[2] / one[0];
    family->slope = 2 * d / w + p1;
    family->curvature = 2 / w + 4 * d / w * p1 + p2;
    return family->curvature / (family->slope * family->slope) - 1;
}

static void find_family(int32_t stages, Family *family)
{
    double s2 = 1 / ((double)stages * stages);
    family->c = 1 + DAMPING * s2;
    family->n = (3.3714 + 2 * s2 + 5.6 * s2 * s2) * s2;
    // m by secants, from the limit of many stages
    double m[2] = {1 - 3.0 * s2, 1 - 3.01 * s2}, f[2];
    family->m = m[0];
    f[0] = find_defect(stages, family);
    family->m = m[1];
    f[1] = find_defect(stages, family);
    for (int i = 0; i < 40 && f[1] != f[0] && fabs(f[1]) > 1e-15; ++i) {
        double next = m[1] - f[1] * (m[1] - m[0]) / (f[1] - f[0]);
        m[0] = m[1];
        f[0] = f[1];
        m[1] = family->m = next;
        f[1] = find_defect(stages, family);
        // to rounding, which s^2 eps is for distances of 1/s^2
        if (fabs(m[1] - m[0]) <= 1e-16) {
            break;
        }
    }
}

void ly_rock(int32_t stages, LyRock *out)
{
    Family family;
    find_family(stages, &family);
    double c = family.c, k = family.slope, ratio = 1, d = c - family.m;
    *out = (LyRock){.stages = stages, .limit = k * (1 + c)};
    for (int32_t j = 0; j < stages - 2; ++j) {
        double before = ratio;
        ratio = c - family.a[j] - (j > 0 ? family.b[j] / before : 0);
        out->mu[j] = 1 / (k * ratio);
        out->nu[j] = (c - family.a[j]) / ratio;
        out->ka[j] = j > 0 ? -family.b[j] / (ratio * before) : 0;
    }
    out->sigma = d / (k * (d * d + family.n * family.n));
    out->q = family.n * family.n / (d * d);
}

static double complex evaluate(const LyRock *method, double complex z)
{
    double complex two = 0, one = 1;
    for (int32_t j = 0; j < method->stages - 2; ++j) {
        double complex next = (method->mu[j] * z + method->nu[j]) * one + method->ka[j] * two;
        two = one;
        one = next;
    }
    double complex s = method->sigma * z;
    return one * (1 + 2 * s + (1 + method->q) * s * s);
}

double ly_rock_amplification(const void *data, double h, double k, double c)
{
    double complex root = csqrt(0.25 * c * c - k);
    return fmax(cabs(evaluate(data, h * (-0.5 * c - root))),
                cabs(evaluate(data, h * (-0.5 * c + root))));
}

// ---- parts and stages ---------------------------------------------------------------------------

typedef struct Rock {
    // the choice below is a function of these two alone
    LySpectrum spectrum;
    double h;
    int32_t parts;
    double critical;
    LyRock method;
    LyRock trial;
} Rock;

static LyraStatus create(LyraIntegrator *it)
{
    int32_t stages = it->def.stages;
    if (stages != 0 && (stages < 3 || stages > LY_ROCK_STAGES_MAX)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "rock2: %d stages, expected 0 or 3 to %d",
                       (int)stages, LY_ROCK_STAGES_MAX);
    }
    Rock *self;
    LY_TRY(ly_allocate_zeroed(it->ctx, 1, sizeof *self, &self));
    it->self = self;
    return LYRA_OK;
}

// stages that the real interval asks for
static int32_t least_stages(const LySpectrum *spectrum, double h)
{
    double c = spectrum->alpha + spectrum->beta * spectrum->stiffness;
    double reach = c * c > 4 * spectrum->stiffness
                       ? 0.5 * c + sqrt(0.25 * c * c - spectrum->stiffness)
                       : sqrt(spectrum->stiffness);
    return (int32_t)fmin(fmax(ceil(sqrt(h * reach / 0.81)), 3), LY_ROCK_STAGES_MAX + 1);
}

// the least number of stages below `limit` that is stable at h, or a sixteenth more; 0: none. Where
// four times those of the real interval do not help, more do not.
static int32_t find_stages(const LySpectrum *spectrum, double h, int32_t limit, LyRock *room)
{
    int32_t least = least_stages(spectrum, h);
    int32_t end = (int32_t)ly_min_i64(ly_min_i64(limit, LY_ROCK_STAGES_MAX + 1), 4 * least + 12);
    for (int32_t s = least; s < end; s += 1 + s / 16) {
        ly_rock(s, room);
        if (ly_is_stable(spectrum, ly_rock_amplification, room, h)) {
            return s;
        }
    }
    return 0;
}

// parts and stages of the fewest evaluations; 0 stages: none is stable
static void balance(const LySpectrum *spectrum, double h, LyRock *room, int32_t *parts,
                    int32_t *stages)
{
    int32_t best = INT32_MAX;
    *parts = 1;
    *stages = 0;
    double most = fmin(ceil(2 * h * sqrt(spectrum->stiffness)), PARTS_MAX);
    // 1, 2, 3, 4, 6, 8, 12, ...: the root of them is what evaluations grow with on the real axis
    for (int32_t m = 1, step = 1; m == 1 || m <= most; m += step) {
        if ((int64_t)m * least_stages(spectrum, h / m) >= best) {
            break;
        }
        int32_t limit = best == INT32_MAX ? INT32_MAX : (best - 1) / m + 1;
        int32_t found = find_stages(spectrum, h / m, limit, room);
        if (found > 0 && m * found < best) {
            best = m * found;
            *parts = m;
            *stages = found;
        }
        // a step of 2^k after 2 * 2^k and after 3 * 2^k
        step = (m & (m - 1)) == 0 && m > 2 ? m / 2 : step;
    }
}

static void choose(Rock *self, int32_t given, const LySpectrum *spectrum, double h)
{
    if (self->h == h && ly_spectrum_equal(&self->spectrum, spectrum)) {
        return;
    }
    int32_t parts = 1, stages = given;
    LySpectrum grown = *spectrum;
    grown.stiffness *= MARGIN;
    if (given == 0) {
        balance(&grown, h, &self->trial, &parts, &stages);
    }
    if (stages == 0) {
        balance(spectrum, h, &self->trial, &parts, &stages);
    }
    if (stages == 0) {
        parts = 1;
        stages = (int32_t)fmin(least_stages(spectrum, h), LY_ROCK_STAGES_MAX);
    }
    self->spectrum = *spectrum;
    self->h = h;
    self->parts = parts;
    ly_rock(stages, &self->method);
    self->critical = parts * ly_critical_step(spectrum, ly_rock_amplification, &self->method);
}

enum { U0, V0, U1, V1, U2, V2, A0, A1, SCRATCH_COUNT };

// One part of h, from `begin` after the start of the step at t. The error over the tolerances.
static LyraStatus run_stages(LyraIntegrator *it, LyraState *trial, const LyRock *method, double t,
                             double begin, double h, double *error)
{
    LyraStateView y = lyra_state_view(trial);
    LyraVector *const *x = it->scratch, *A = x[A0];
    // u[1], v[1] are the last stage, u[0], v[0] the one before
    LyraVector *u[3] = {x[U0], x[U1], x[U2]}, *v[3] = {x[V0], x[V1], x[V2]};
    double c[3] = {0, 0, 0}, at = begin;
    lyra_vector_copy(y.u, u[1]);
    lyra_vector_copy(y.v, v[1]);
    lyra_vector_copy(y.u, u[0]);
    lyra_vector_copy(y.v, v[0]);
    for (int32_t j = 0; j < method->stages - 2; ++j) {
        LY_TRY(ly_explicit_acceleration(it, trial, ly_moment(it, t, at), at, u[1], v[1], A));
        const double w[3] = {method->mu[j] * h, method->nu[j], method->ka[j]};
        lyra_vector_combine(3, w, (LyraVector *[]){v[1], u[1], u[0]}, u[2]);
        lyra_vector_combine(3, w, (LyraVector *[]){A, v[1], v[0]}, v[2]);
        c[2] = method->mu[j] + method->nu[j] * c[1] + method->ka[j] * c[0];
        at = begin + c[2] * h;
        ly_impose(it, ly_moment(it, t, at), u[2], v[2]);
        ly_next_stage(u);
        ly_next_stage(v);
        c[0] = c[1];
        c[1] = c[2];
    }
    // (2)
    double s = method->sigma * h, e[2] = {s * method->q, -s * method->q};
    LY_TRY(ly_explicit_acceleration(it, trial, ly_moment(it, t, at), at, u[1], v[1], A));
    lyra_vector_combine(2, (double[]){1, s}, (LyraVector *[]){u[1], v[1]}, u[2]);
    lyra_vector_combine(2, (double[]){1, s}, (LyraVector *[]){v[1], A}, v[2]);
    at = begin + (c[1] + method->sigma) * h;
    ly_impose(it, ly_moment(it, t, at), u[2], v[2]);
    LY_TRY(ly_explicit_acceleration(it, trial, ly_moment(it, t, at), at, u[2], v[2], x[A1]));
    lyra_vector_combine(2, e, (LyraVector *[]){v[2], v[1]}, u[0]);
    lyra_vector_combine(2, e, (LyraVector *[]){x[A1], A}, v[0]);
    lyra_vector_combine(3, (double[]){1, s, 1}, (LyraVector *[]){u[2], v[2], u[0]}, y.u);
    lyra_vector_combine(3, (double[]){1, s, 1}, (LyraVector *[]){v[2], x[A1], v[0]}, y.v);
    lyra_vector_copy(x[A1], y.a);
    lyra_system_project(it->system, u[0]);
    lyra_system_project(it->system, v[0]);
    double abs = it->def.absolute_tolerance, rel = it->def.relative_tolerance;
    double squares = lyra_vector_error_squares(u[0], y.u, y.u, abs, rel) +
                     lyra_vector_error_squares(v[0], y.v, y.v, abs, rel);
    *error = sqrt(squares / (2.0 * (double)ly_max_i64(it->size, 1)));
    return LYRA_OK;
}

static LyraStatus step(LyraIntegrator *it, LyraState *trial, double dt)
{
    Rock *self = it->self;
    LyraStateView y = lyra_state_view(trial);
    ly_impose(it, y.time, y.u, y.v);
    if (it->def.stages > 0 && it->def.critical == LYRA_CRITICAL_IGNORE) {
        if (self->method.stages != it->def.stages) {
            ly_rock(it->def.stages, &self->method);
        }
        self->parts = 1;
    } else {
        LySpectrum spectrum;
        bool fresh;
        LY_TRY(ly_spectrum(it, trial, true, it->scratch, &spectrum, &fresh));
        choose(self, it->def.stages, &spectrum, dt);
        LY_TRY(ly_judge_step(it, dt, self->critical, fresh));
    }
    double h = dt / self->parts;
    for (int32_t part = 0; part < self->parts; ++part) {
        double error;
        LY_TRY(run_stages(it, trial, &self->method, y.time, part * h, h, &error));
        it->report.error = fmax(it->report.error, error);
        ly_impose(it, ly_moment(it, y.time, (part + 1) * h), y.u, y.v);
    }
    it->report.substeps += self->parts - 1; // the driver counts the last
    return ly_explicit_finish(it, trial, y.time, dt);
}

const LyIntegratorType ly_rock2 = {
    .facts = {.name = "rock2", .order = 2},
    .vector_count = SCRATCH_COUNT,
    .create = create,
    .step = step,
    .destroy = ly_release_self,
};
