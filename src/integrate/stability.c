// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The critical step of explicit methods. A mode of the linearised motion with damping as Rayleigh's
// obeys
//   q'' + c q' + k q = 0,   c = alpha + beta k,   0 < k <= k_max,
// and a step multiplies it by the amplification of the method: a polynomial R(h z) at the roots z
// of z^2 + c z + k for Runge-Kutta, a 2x2 matrix for the methods of Verlet's kind. The critical
// step is the largest h up to which no mode of a sample of 64 grows by more than 1e-9 in a step.
// That one rule gives 2/sqrt(k_max) for central differences, 2 sqrt(2)/sqrt(k_max) for rk4, what
// damping takes away from both, and for Euler and the explicit midpoint, which are unstable on the
// imaginary axis, what damping gives them (or next to nothing without it).
//
// k_max comes from the system, by Lanczos, at the start of the step. alpha and beta come from the
// Rayleigh quotients of C and K at two vectors: a rough one and the last of a power iteration on
// M^-1 C. For Rayleigh damping with the same K both are exact; other damping is replaced by the
// Rayleigh damping that agrees at the two.
//
// When to estimate again. Methods that only warn do so every def.critical_interval steps. "rkc2"
// takes its stages from the spectrum, and blows up within a few steps where a body stiffens beyond
// them. So it follows: after an interval of n steps in which the spectrum changed by the factor
// e^d, the next one is n min(2, CHANGE/d), at least 1 and at most def.critical_interval, and starts
// from 1. A change that itself grows with the square of time stays within 4 CHANGE, and its margin
// (rkc.c) covers that.

#include "integrate/explicit.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>

#define MODES 64
#define GROWTH 1e-9
#define POWER_STEPS 24
#define CHANGE 0.03
#define CHUNK 256

// ---- amplification ------------------------------------------------------------------------------

double ly_spectral_radius2(const double A[4])
{
    // half^2 - det without its cancellation: short steps have both eigenvalues next to 1
    double half = 0.5 * (A[0] + A[3]), off = 0.5 * (A[0] - A[3]), root = off * off + A[1] * A[2];
    double det = A[0] * A[3] - A[1] * A[2];
    return root < 0 ? sqrt(det) : fabs(half) + sqrt(root);
}

double ly_polynomial_amplification(int32_t degree, const double *r, double h, double k, double c)
{
    double complex root = csqrt(0.25 * c * c - k);
    double complex z[2] = {h * (-0.5 * c - root), h * (-0.5 * c + root)};
    double largest = 0;
    for (int i = 0; i < 2; ++i) {
        double complex R = r[degree];
        for (int32_t j = degree - 1; j >= 0; --j) {
            R = R * z[i] + r[j];
        }
        largest = fmax(largest, cabs(R));
    }
    return largest;
}

bool ly_is_stable(const LySpectrum *spectrum, LyAmplification *amplification, const void *method,
                  double h)
{
    for (int mode = MODES; mode >= 1; --mode) {
        double part = (double)mode / MODES, k = part * part * spectrum->stiffness;
        // overflow is growth, too
        if (!(amplification(method, h, k, spectrum->alpha + spectrum->beta * k) <= 1 + GROWTH)) {
            return false;
        }
    }
    return true;
}

double ly_critical_step(const LySpectrum *spectrum, LyAmplification *amplification,
                        const void *method)
{
    double c = spectrum->alpha + spectrum->beta * spectrum->stiffness;
    double rate = fmax(sqrt(fmax(spectrum->stiffness, 0)), c);
    if (!(rate > 0)) {
        return INFINITY;
    }
    // from far below upward, as stability beyond the first unstable step is of no use
    double low = 0, high = 1e-6 / rate;
    while (ly_is_stable(spectrum, amplification, method, high)) {
        low = high;
        high *= 1.1;
        if (high * rate > 1e6) {
            return INFINITY;
        }
    }
    for (int i = 0; i < 40; ++i) {
        double middle = 0.5 * (low + high);
        if (ly_is_stable(spectrum, amplification, method, middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    // a method that is stable for no step: as small as was tried
    return low > 0 ? low : high;
}

// ---- the spectrum -------------------------------------------------------------------------------

// a fixed rough vector that no mode is orthogonal to, on the free unknowns
static void fill_rough(LyraIntegrator *it, LyraVector *x)
{
    uint64_t bits = 0x9e3779b97f4a7c15u;
    double part[CHUNK];
    for (int32_t i = 0; i < it->size; i += CHUNK) {
        int32_t count = it->size - i < CHUNK ? it->size - i : CHUNK;
        for (int32_t k = 0; k < count; ++k) {
            bits = bits * 6364136223846793005u + 1442695040888963407u;
            part[k] = (double)(bits >> 11) * 0x1p-53 - 0.5;
        }
        lyra_vector_write(x, i, count, part);
    }
    lyra_system_project(it->system, x);
}

// Rayleigh quotients of K and C at x
static void quotients(LyraIntegrator *it, const LyraVector *x, LyraVector *y, double *k, double *c)
{
    lyra_system_apply_mass(it->system, x, y);
    double mass = lyra_vector_dot(x, y);
    lyra_system_apply_stiffness(it->system, x, y);
    *k = mass > 0 ? lyra_vector_dot(x, y) / mass : 0;
    lyra_system_apply_damping(it->system, x, y);
    *c = mass > 0 ? lyra_vector_dot(x, y) / mass : 0;
}

static LyraStatus fit_damping(LyraIntegrator *it, LyraVector *const *scratch, LySpectrum *spectrum)
{
    LyraVector *x = scratch[0], *y = scratch[1];
    double k[2], c[2];
    fill_rough(it, x);
    quotients(it, x, y, &k[0], &c[0]);
    for (int step = 0; step < POWER_STEPS; ++step) {
        double norm = lyra_vector_norm(x);
        if (!(norm > 0)) {
            break; // no damping, or nothing is free
        }
        lyra_vector_axpby(1 / norm, x, 0, x);
        lyra_system_apply_damping(it->system, x, y);
        LY_TRY(lyra_system_solve_mass(it->system, y, x));
    }
    quotients(it, x, y, &k[1], &c[1]);
    // c = alpha + beta k through both points, with neither negative
    double beta = fabs(k[1] - k[0]) > 1e-9 * fabs(k[1]) ? (c[1] - c[0]) / (k[1] - k[0]) : 0;
    spectrum->beta = isfinite(beta) ? fmax(beta, 0) : 0;
    spectrum->alpha = fmax(c[1] - spectrum->beta * k[1], 0);
    return LYRA_OK;
}

static LyraStatus estimate(LyraIntegrator *it, LyraState *trial, LyraVector *const *scratch,
                           LySpectrum *spectrum)
{
    bool damped = !(lyra_system_traits(it->system) & LYRA_SYSTEM_UNDAMPED);
    LY_TRY(ly_linearise_at(it, trial, lyra_state_view(trial).time, damped));
    double start = ly_time();
    LY_TRY(lyra_system_largest_eigenvalue(it->system, &spectrum->stiffness));
    spectrum->stiffness = fmax(spectrum->stiffness, 0);
    if (damped) {
        LY_TRY(fit_damping(it, scratch, spectrum));
    }
    it->report.solve_seconds += ly_time() - start;
    return LYRA_OK;
}

// The estimate lives in the state, so that a run that is continued makes the same choices.
enum {
    BLOCK_LEFT,
    BLOCK_INTERVAL,
    BLOCK_STIFFNESS,
    BLOCK_ALPHA,
    BLOCK_BETA,
    BLOCK_CRITICAL,
    BLOCK_COUNT
};

static LyraStatus spectrum_block(LyraIntegrator *it, LyraState *trial, double **block, bool *made)
{
    char name[32];
    void *values = NULL;
    snprintf(name, sizeof name, "%s limit", it->type->facts.name);
    const LyraStateBlockDef def = {.name = name, .version = 2, .count = BLOCK_COUNT};
    LY_TRY(lyra_state_block(trial, &def, &values, made));
    *block = values;
    return LYRA_OK;
}

static double damping_of(const LySpectrum *spectrum)
{
    return spectrum->alpha + spectrum->beta * spectrum->stiffness;
}

// |log(a / b)|, also where one or both vanish
static double change_of(double a, double b)
{
    return a == b ? 0 : a > 0 && b > 0 ? fabs(log(a / b)) : INFINITY;
}

// steps until the next estimate, after `interval` steps that brought `old` to `found`
static double next_interval(double interval, double most, const LySpectrum *old,
                            const LySpectrum *found)
{
    double change = fmax(change_of(found->stiffness, old->stiffness),
                         change_of(damping_of(found), damping_of(old)));
    double factor = change > 0.5 * CHANGE ? CHANGE / change : 2;
    return fmin(fmax(floor(factor * interval), 1), most);
}

LyraStatus ly_spectrum(LyraIntegrator *it, LyraState *trial, bool follow,
                       LyraVector *const *scratch, LySpectrum *spectrum, bool *fresh)
{
    double *block;
    bool made;
    LY_TRY(spectrum_block(it, trial, &block, &made));
    *fresh = made || block[BLOCK_LEFT] <= 0;
    if (*fresh) {
        LySpectrum old = {block[BLOCK_STIFFNESS], block[BLOCK_ALPHA], block[BLOCK_BETA]};
        LySpectrum found = {0};
        double most = it->def.critical_interval;
        LY_TRY(estimate(it, trial, scratch, &found));
        block[BLOCK_INTERVAL] = !follow ? most
                                : made  ? 1
                                        : next_interval(block[BLOCK_INTERVAL], most, &old, &found);
        block[BLOCK_LEFT] = block[BLOCK_INTERVAL];
        block[BLOCK_STIFFNESS] = found.stiffness;
        block[BLOCK_ALPHA] = found.alpha;
        block[BLOCK_BETA] = found.beta;
    }
    block[BLOCK_LEFT] -= 1;
    *spectrum = (LySpectrum){block[BLOCK_STIFFNESS], block[BLOCK_ALPHA], block[BLOCK_BETA]};
    return LYRA_OK;
}

LyraStatus ly_judge_step(LyraIntegrator *it, double dt, double critical, bool fresh)
{
    it->report.critical_dt = critical;
    if (dt <= critical) {
        return LYRA_OK;
    }
    if (it->def.critical == LYRA_CRITICAL_REFUSE) {
        return ly_step_fail(it, LYRA_STEP_UNSTABLE,
                            ly_fail(LYRA_INVALID_ARGUMENT,
                                    "%s: a step of %g s is beyond the critical step of %g s",
                                    it->type->facts.name, dt, critical));
    }
    if (it->def.critical == LYRA_CRITICAL_WARN && fresh) {
        ly_log(it->ctx, LYRA_LOG_WARNING,
               "%s: a step of %g s is beyond the critical step of %g s; the motion may grow "
               "without bound",
               it->type->facts.name, dt, critical);
    }
    return LYRA_OK;
}

LyraStatus ly_check_critical(LyraIntegrator *it, LyraState *trial, double dt,
                             LyraVector *const *scratch, LyAmplification *amplification,
                             const void *method)
{
    if (it->def.critical == LYRA_CRITICAL_IGNORE) {
        return LYRA_OK;
    }
    LySpectrum spectrum;
    double *block;
    bool fresh, made;
    LY_TRY(ly_spectrum(it, trial, false, scratch, &spectrum, &fresh));
    LY_TRY(spectrum_block(it, trial, &block, &made));
    if (fresh) {
        block[BLOCK_CRITICAL] = ly_critical_step(&spectrum, amplification, method);
    }
    return ly_judge_step(it, dt, block[BLOCK_CRITICAL], fresh);
}
