// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// "central-differences". With w_n = (u_n - u_{n-1})/h the velocity half a step ago, the velocity at
// t_n is w_n + h/2 a_n, and M a_n + g(t_n, u_n, w_n + h/2 a_n) = 0, with g linearised in v about
// w_n, reads
//   (M + h/2 C) a_n = -g(t_n, u_n, w_n),   w_{n+1} = w_n + h a_n,   u_{n+1} = u_n + h w_{n+1}. (1)
// In displacements that is the textbook form
//   (M + h/2 D)(u_{n+1} - u_n) = h^2 (f_ext - f_int(u_n)) + (M - h/2 D)(u_n - u_{n-1}).
// A step h' after one of h has w_{n+1} = w_n + (h + h')/2 a_n and h/2 C in (1).
//
// The state carries v = w + h/2 a with the a of the step's start, right to O(h^2), so w = v - h/2 a
// is found again from it. To start, a_0 = -M^-1 g(t_0, u_0, v_0) gives w_0 = v_0 - h/2 a_0, that is
// u_-1 = u_0 - h v_0 + h^2/2 a_0. Vega starts with u_-1 = u_0 - h v_0 (order 1) and reports w.
//
// Undamped systems solve with M alone. Otherwise C and its factor are taken anew every
// def.damping_update steps (0: only at the first). The point where they were taken is part of the
// state, so that a continued run takes the same.

#include "integrate/explicit.h"

#include <string.h>

enum { BLOCK_STEP, BLOCK_AGE, BLOCK_TIME, BLOCK_POINT }; // then u and v of the point

// which matrix the system holds
typedef struct CentralDifferences {
    bool formed;
    uint64_t stamp; // of the system when it was formed
    double *key;    // a copy of the block then
} CentralDifferences;

static bool is_undamped(const LyraIntegrator *it)
{
    return lyra_system_traits(it->system) & LYRA_SYSTEM_UNDAMPED;
}

static int64_t block_count(const LyraIntegrator *it)
{
    return BLOCK_POINT + (is_undamped(it) ? 0 : 2 * (int64_t)it->size);
}

static void destroy(LyraIntegrator *it)
{
    CentralDifferences *self = it->self;
    if (self) {
        ly_release(it->ctx, self->key);
        ly_release(it->ctx, self);
        it->self = NULL;
    }
}

static LyraStatus create(LyraIntegrator *it)
{
    CentralDifferences *self;
    LY_TRY(ly_allocate_zeroed(it->ctx, 1, sizeof *self, &self));
    it->self = self;
    // what was made is destroyed with the integrator
    return ly_allocate_zeroed(it->ctx, block_count(it), sizeof *self->key, &self->key);
}

// on (u, w): a = -(k u + c w)/(1 + h c/2), w' = w + h a, u' = u + h w'
static double amplification(const void *method, double h, double k, double c)
{
    (void)method;
    double s = h / (1 + 0.5 * h * c);
    const double A[4] = {1 - h * s * k, h * (1 - s * c), -s * k, 1 - s * c};
    return ly_spectral_radius2(A);
}

// M + h/2 C with C at the point of the block, and D at that point for the forces. The driver froze
// D at the start of the step, which is that point unless it is older.
static LyraStatus form_at(LyraIntegrator *it, LyraState *trial, const double *block)
{
    CentralDifferences *self = it->self;
    // of a linear system the step alone changes the matrix, and the age never does
    bool linear = lyra_system_traits(it->system) & LYRA_SYSTEM_LINEAR;
    size_t bytes = (size_t)(linear ? BLOCK_STEP + 1 : block_count(it)) * sizeof *block;
    self->key[BLOCK_AGE] = block[BLOCK_AGE];
    bool known = self->formed && self->stamp == lyra_system_stamp(it->system) &&
                 memcmp(self->key, block, bytes) == 0;
    if (known && linear) {
        return LYRA_OK;
    }
    LyraVector *u = it->scratch[2], *v = it->scratch[3];
    size_t half = (size_t)it->size * sizeof *block;
    memcpy(lyra_vector_values_mutable(u), block + BLOCK_POINT, half);
    memcpy(lyra_vector_values_mutable(v), block + BLOCK_POINT + it->size, half);
    double h = block[BLOCK_STEP];
    const double *history = ly_state_history(it, trial);
    LyraPoint at = {.time = block[BLOCK_TIME], .u = u, .v = v, .history = history};
    LY_TRY(ly_update_damping(it, at.time, 0, u, v, history));
    if (known) {
        return LYRA_OK;
    }
    self->formed = false;
    double start = ly_time();
    LY_TRY(lyra_system_linearise(it->system, &at, false));
    it->report.assembly_seconds += ly_time() - start;
    LY_TRY(ly_linear_form(it, 1, 0.5 * h, 0));
    memcpy(self->key, block, (size_t)block_count(it) * sizeof *block);
    self->stamp = lyra_system_stamp(it->system);
    self->formed = true;
    return LYRA_OK;
}

// a = -(M + h/2 C)^-1 g(t, u, w) on the free unknowns, the prescribed acceleration elsewhere
static LyraStatus damped_acceleration(LyraIntegrator *it, LyraState *trial, double t,
                                      const LyraVector *w, LyraVector *a)
{
    LyraVector *g = it->scratch[2], *x = it->scratch[3];
    LyraPoint at = {
        .time = t, .u = lyra_state_view(trial).u, .v = w, .history = ly_state_history(it, trial)};
    LyraResponse response = {.g = g};
    LY_TRY(ly_evaluate(it, &at, &response));
    // a = x + a_c: the prescribed part goes to the right-hand side
    lyra_vector_fill(a, 0);
    if (ly_prescribed_acceleration(it, t, a)) {
        lyra_system_apply(it->system, a, x);
        lyra_vector_axpby(1, x, 1, g);
    }
    lyra_vector_axpby(-1, g, 0, g);
    LY_TRY(ly_linear_solve(it, g, 1e-10, x));
    lyra_vector_axpby(1, x, 1, a);
    return LYRA_OK;
}

// takes the point of D anew where it is due, after `fresh` for the first
static void age_damping(LyraIntegrator *it, LyraState *trial, bool fresh, double *block)
{
    int32_t every = it->def.damping_update;
    if (is_undamped(it)) {
        return;
    }
    if (fresh || (every > 0 && block[BLOCK_AGE] >= every)) {
        LyraStateView y = lyra_state_view(trial);
        size_t half = (size_t)it->size * sizeof *block;
        block[BLOCK_AGE] = 0;
        block[BLOCK_TIME] = y.time;
        memcpy(block + BLOCK_POINT, lyra_vector_values(y.u), half);
        memcpy(block + BLOCK_POINT + it->size, lyra_vector_values(y.v), half);
    }
    block[BLOCK_AGE] += 1;
}

static LyraStatus step(LyraIntegrator *it, LyraState *trial, double dt)
{
    LyraStateView y = lyra_state_view(trial);
    LyraVector *w = it->scratch[0];
    bool fresh;
    double *block;
    LY_TRY(ly_check_critical(it, trial, dt, it->scratch + 2, amplification, NULL));
    LY_TRY(lyra_state_block(trial, "central-differences", 1, block_count(it), &block, &fresh));
    ly_impose(it, y.time, y.u, y.v);
    // velocity half a step ago
    if (fresh) {
        block[BLOCK_STEP] = dt;
        if (!it->def.vega) {
            LY_TRY(ly_explicit_acceleration(it, trial, y.time, 0, y.u, y.v, y.a));
        }
    }
    double before = block[BLOCK_STEP];
    lyra_vector_copy(y.v, w);
    if (!it->def.vega) {
        lyra_vector_axpby(-0.5 * before, y.a, 1, w);
    }
    age_damping(it, trial, fresh, block);
    if (is_undamped(it)) {
        LY_TRY(ly_explicit_acceleration(it, trial, y.time, 0, y.u, w, y.a));
    } else {
        LY_TRY(form_at(it, trial, block));
        LY_TRY(damped_acceleration(it, trial, y.time, w, y.a));
    }
    lyra_vector_axpby(0.5 * (before + dt), y.a, 1, w);
    lyra_vector_axpby(dt, w, 1, y.u);
    lyra_vector_copy(w, y.v);
    if (!it->def.vega) {
        lyra_vector_axpby(0.5 * dt, y.a, 1, y.v);
    }
    block[BLOCK_STEP] = dt;
    return ly_explicit_finish(it, trial, y.time, dt);
}

const LyIntegratorType ly_central_differences = {
    .facts = {.name = "central-differences", .order = 2},
    .vector_count = 4,
    .create = create,
    .step = step,
    .destroy = destroy,
};
