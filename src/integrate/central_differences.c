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
// def.damping_update steps (0: only at the first). The point where they were taken, and what the
// material remembered there, is part of the state, so that a continued run takes the same.

#include "integrate/explicit.h"

#include "model/state.h"

#include <string.h>

enum { BLOCK_STEP, BLOCK_AGE, BLOCK_TIME, BLOCK_COUNT };

// what the state has: numbers, and u and v of the point, of damped systems
typedef struct Memory {
    double *block;
    LyraVector **point;
} Memory;

// which matrix the system holds
typedef struct CentralDifferences {
    bool formed;
    uint64_t stamp;    // of the system when it was formed
    double step, time; // of the state's block then
    uint64_t point[2]; // stamps of its vectors
    LyraState *memory; // what the material remembered there; NULL if it never does
} CentralDifferences;

static bool is_undamped(const LyraIntegrator *it)
{
    return lyra_system_traits(it->system) & LYRA_SYSTEM_UNDAMPED;
}

static void destroy(LyraIntegrator *it)
{
    CentralDifferences *self = it->self;
    if (self) {
        lyra_state_destroy(self->memory);
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
    return lyra_system_traits(it->system) & LYRA_SYSTEM_HISTORY
               ? lyra_system_state_create(it->system, &self->memory)
               : LYRA_OK;
}

static LyraStatus find_memory(LyraIntegrator *it, LyraState *trial, Memory *out, bool *fresh)
{
    const LyraStateBlockDef head = {
        .name = "central-differences", .version = 2, .count = BLOCK_COUNT};
    const LyraStateVectorsDef point = {.name = "central-differences.point",
                                       .version = 1,
                                       .size = it->size,
                                       .count = is_undamped(it) ? 0 : 2};
    void *values = NULL;
    bool made = false;
    LY_TRY(lyra_state_block(trial, &head, &values, fresh));
    LY_TRY(lyra_state_vectors(trial, &point, &out->point, &made));
    out->block = values;
    *fresh |= made;
    return LYRA_OK;
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
static LyraStatus form_at(LyraIntegrator *it, const LyraState *trial, const Memory *memory)
{
    CentralDifferences *self = it->self;
    LyraVector *u = memory->point[0], *v = memory->point[1];
    double h = memory->block[BLOCK_STEP], time = memory->block[BLOCK_TIME];
    uint64_t point[2] = {lyra_vector_stamp(u), lyra_vector_stamp(v)};
    // of a linear system the step alone changes the matrix
    bool linear = lyra_system_traits(it->system) & LYRA_SYSTEM_LINEAR;
    bool known = self->formed && self->stamp == lyra_system_stamp(it->system) && self->step == h;
    if (known && linear) {
        return LYRA_OK;
    }
    known = known && self->time == time && point[0] != 0 && point[0] == self->point[0] &&
            point[1] != 0 && point[1] == self->point[1];
    if (self->memory) {
        known = known &&
                ly_state_blocks_equal(self->memory, LYRA_STATE_MATERIAL, trial, LYRA_STATE_KEPT);
        LY_TRY(ly_state_take_blocks(self->memory, LYRA_STATE_MATERIAL, trial, LYRA_STATE_KEPT));
    }
    LyraPoint at = {.time = time, .u = u, .v = v, .committed = self->memory};
    LY_TRY(ly_update_damping_known(it, at.time, 0, u, v, self->memory));
    if (known) {
        return LYRA_OK;
    }
    self->formed = false;
    double start = ly_time();
    LY_TRY(lyra_system_linearise(it->system, &at, false));
    it->report.assembly_seconds += ly_time() - start;
    LY_TRY(ly_linear_form(it, 1, 0.5 * h, 0));
    self->formed = true;
    self->stamp = lyra_system_stamp(it->system);
    self->step = h;
    self->time = time;
    memcpy(self->point, point, sizeof point);
    return LYRA_OK;
}

// a = -(M + h/2 C)^-1 g(t, u, w) on the free unknowns, the prescribed acceleration elsewhere
static LyraStatus damped_acceleration(LyraIntegrator *it, LyraState *trial, double t,
                                      const LyraVector *w, LyraVector *a)
{
    LyraVector *g = it->scratch[2], *x = it->scratch[3];
    LyraPoint at = {.time = t, .u = lyra_state_view(trial).u, .v = w, .committed = trial};
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
static LyraStatus age_damping(LyraIntegrator *it, LyraState *trial, bool fresh,
                              const Memory *memory)
{
    const CentralDifferences *self = it->self;
    int32_t every = it->def.damping_update;
    double *block = memory->block;
    if (is_undamped(it)) {
        return LYRA_OK;
    }
    if (fresh || (every > 0 && block[BLOCK_AGE] >= every)) {
        LyraStateView y = lyra_state_view(trial);
        block[BLOCK_AGE] = 0;
        block[BLOCK_TIME] = y.time;
        lyra_vector_copy(y.u, memory->point[0]);
        lyra_vector_copy(y.v, memory->point[1]);
        if (self->memory) {
            LY_TRY(ly_state_take_blocks(trial, LYRA_STATE_KEPT, trial, LYRA_STATE_MATERIAL));
        }
    }
    block[BLOCK_AGE] += 1;
    return LYRA_OK;
}

static LyraStatus step(LyraIntegrator *it, LyraState *trial, double dt)
{
    LyraStateView y = lyra_state_view(trial);
    LyraVector *w = it->scratch[0];
    bool fresh;
    Memory memory;
    LY_TRY(ly_check_critical(it, trial, dt, it->scratch + 2, amplification, NULL));
    LY_TRY(find_memory(it, trial, &memory, &fresh));
    double *block = memory.block;
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
    LY_TRY(age_damping(it, trial, fresh, &memory));
    if (is_undamped(it)) {
        LY_TRY(ly_explicit_acceleration(it, trial, y.time, 0, y.u, w, y.a));
    } else {
        LY_TRY(form_at(it, trial, &memory));
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
