// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// "dopri5" and "dopri853" [HNW93, II.4-6]: embedded pairs of orders 5(4) and 8(5,3) with control
// of the error and dense output. A step of the caller is filled by steps of the method's own.
//
// The error e of a step is measured against the tolerances, in m for u and m/s for v,
//   err^2 = 1/(2 n) sum (e_i/(absolute + relative max(|y_i|, |y'_i|)))^2,
// and for 8(5,3) by err = err5^2/sqrt(err5^2 + err3^2/100). err <= 1 accepts. The next step is
//   h' = h min(growth_max, max(growth_min, 0.9 err_old^beta/err^(1/q - 3/4 beta)))
// (a PI controller; q = 5 and 8). Its memory, h and err_old, is part of the state: a run that is
// continued takes the same steps. A step shortened to meet the caller's end does not shorten the
// next one.
//
// The stage at the end of an accepted step is the first of the next, except with history, which
// is committed between them, and except across calls, as loads may change there.

#include "integrate/explicit.h"

#include <math.h>
#include <string.h>

#define SAFETY 0.9
#define HALVINGS 40 // of a first step that is blocked

typedef struct Dopri {
    const LyPair *pair;
    LyNystrom method;
    double error_a[LY_STAGES_MAX], error3_a[LY_STAGES_MAX]; // error^T a: for displacements
    LyraVector *A[LY_STAGES_MAX];                           // accelerations of the stages
    LyraVector *U, *V, *u_new, *v_new, *u_old, *v_old;
    LyraState *before; // the state before the step in progress, of systems that begin steps
    bool dense;        // the last step can be looked into
    double dense_time, dense_step;
} Dopri;

enum { BLOCK_STEP, BLOCK_ERROR, BLOCK_COUNT };

static LyraStatus create(LyraIntegrator *it, const LyPair *pair)
{
    Dopri *self;
    LY_TRY(ly_allocate_zeroed(it->ctx, 1, sizeof *self, &self));
    it->self = self;
    self->pair = pair;
    self->method = ly_nystrom(&pair->tableau);
    ly_weights_times_tableau(&pair->tableau, pair->error, self->error_a);
    ly_weights_times_tableau(&pair->tableau, pair->error3, self->error3_a);
    LyraVector **named[] = {&self->U,     &self->V,     &self->u_new,
                            &self->v_new, &self->u_old, &self->v_old};
    int32_t count = LY_COUNT_OF(named);
    for (int32_t i = 0; i < count; ++i) {
        *named[i] = it->scratch[i];
    }
    for (int32_t i = 0; i + count < it->type->vector_count; ++i) {
        self->A[i] = it->scratch[i + count];
    }
    // what was made is destroyed with the integrator
    return lyra_system_has_steps(it->system) ? lyra_system_state_create(it->system, &self->before)
                                             : LYRA_OK;
}

static void destroy(LyraIntegrator *it)
{
    Dopri *self = it->self;
    if (self) {
        lyra_state_destroy(self->before);
        ly_release(it->ctx, self);
        it->self = NULL;
    }
}

// ---- errors -------------------------------------------------------------------------------------

// the sum of squares of weighted errors of u and v, with the weights `e` of the stages
static double error_squares(LyraIntegrator *it, LyraState *trial, double h, const double *e,
                            const double *e_a)
{
    Dopri *self = it->self;
    LyraStateView y = lyra_state_view(trial);
    const LyraIntegratorDef *def = &it->def;
    int32_t count = self->pair->tableau.stages + 1;
    double c[LY_STAGES_MAX], ca[LY_STAGES_MAX];
    for (int32_t i = 0; i < count; ++i) {
        c[i] = h * e[i];
        ca[i] = h * h * e_a[i];
    }
    lyra_vector_combine(count, ca, self->A, self->U);
    lyra_vector_combine(count, c, self->A, self->V);
    lyra_system_project(it->system, self->U);
    lyra_system_project(it->system, self->V);
    return lyra_vector_error_squares(self->U, y.u, self->u_new, def->absolute_tolerance,
                                     def->relative_tolerance) +
           lyra_vector_error_squares(self->V, y.v, self->v_new, def->absolute_tolerance,
                                     def->relative_tolerance);
}

static double measure_error(LyraIntegrator *it, LyraState *trial, double h)
{
    Dopri *self = it->self;
    const LyPair *pair = self->pair;
    double n = 2.0 * (double)ly_max_i64(it->size, 1);
    double main = error_squares(it, trial, h, pair->error, self->error_a) / n;
    if (!pair->two_estimates) {
        return sqrt(main);
    }
    double second = error_squares(it, trial, h, pair->error3, self->error3_a) / n;
    double sum = main + 0.01 * second;
    return sum > 0 ? main / sqrt(sum) : 0;
}

// ---- steps --------------------------------------------------------------------------------------

static LyraStatus evaluate_stage(LyraIntegrator *it, LyraState *trial, int32_t i, double t,
                                 double h)
{
    Dopri *self = it->self;
    const LyStageVectors vectors = {.A = self->A, .U = self->U, .V = self->V};
    return ly_stage(it, trial, &self->method, i, t, h, &vectors);
}

// (u_new, v_new) and the error from (u, v) and A[0] at t
static LyraStatus attempt(LyraIntegrator *it, LyraState *trial, double t, double h, double *error)
{
    Dopri *self = it->self;
    const LyTableau *tableau = &self->pair->tableau;
    LyraStateView y = lyra_state_view(trial);
    for (int32_t i = 1; i < tableau->stages; ++i) {
        LY_TRY(evaluate_stage(it, trial, i, t, h));
    }
    ly_stage_sum(y.u, h, y.v, tableau->stages, h * h, self->method.ba, self->A, self->u_new);
    ly_stage_sum(y.v, 0, NULL, tableau->stages, h, tableau->b, self->A, self->v_new);
    double end = ly_moment(it, t, h);
    ly_impose(it, end, self->u_new, self->v_new);
    // the estimate of "dopri5" uses the stage at the end, that of "dopri853" does without
    if (self->pair->error[tableau->stages] != 0) {
        LY_TRY(ly_explicit_acceleration(it, trial, end, h, self->u_new, self->v_new,
                                        self->A[tableau->stages]));
    }
    *error = measure_error(it, trial, h);
    return LYRA_OK;
}

// the end of an accepted step: what dense output needs, then (u, v), history, and A[0] of the next
static LyraStatus accept(LyraIntegrator *it, LyraState *trial, double t, double h, bool last)
{
    Dopri *self = it->self;
    const LyPair *pair = self->pair;
    LyraStateView y = lyra_state_view(trial);
    int32_t end = pair->tableau.stages;
    if (pair->error[end] == 0) {
        LY_TRY(ly_explicit_acceleration(it, trial, ly_moment(it, t, h), h, self->u_new, self->v_new,
                                        self->A[end]));
    }
    if (last) {
        for (int32_t i = end + 1; i <= end + pair->extra; ++i) {
            LY_TRY(evaluate_stage(it, trial, i, t, h));
        }
        lyra_vector_copy(y.u, self->u_old);
        lyra_vector_copy(y.v, self->v_old);
    }
    lyra_vector_copy(self->u_new, y.u);
    lyra_vector_copy(self->v_new, y.v);
    lyra_vector_copy(self->A[end], y.a);
    LY_TRY(ly_explicit_finish(it, trial, t, h));
    if (last) {
        return LYRA_OK;
    }
    if (lyra_system_traits(it->system) & LYRA_SYSTEM_HISTORY) {
        return evaluate_stage(it, trial, 0, t + h, h);
    }
    LyraVector *swap = self->A[0];
    self->A[0] = self->A[end];
    self->A[end] = swap;
    return LYRA_OK;
}

// first step [HNW93, II.4], from the sizes of y, y' and y''
static LyraStatus first_step(LyraIntegrator *it, LyraState *trial, double t, double dt, double *h)
{
    Dopri *self = it->self;
    LyraStateView y = lyra_state_view(trial);
    const LyraIntegratorDef *def = &it->def;
    double abs = def->absolute_tolerance, rel = def->relative_tolerance;
    double n = 2.0 * (double)ly_max_i64(it->size, 1);
    double d0 = lyra_vector_error_squares(y.u, y.u, y.u, abs, rel) +
                lyra_vector_error_squares(y.v, y.v, y.v, abs, rel);
    double d1 = lyra_vector_error_squares(y.v, y.u, y.u, abs, rel) +
                lyra_vector_error_squares(self->A[0], y.v, y.v, abs, rel);
    d0 = sqrt(d0 / n);
    d1 = sqrt(d1 / n);
    double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    h0 = fmin(h0, dt);
    // one step of Euler shows the second derivative
    bool can = true;
    for (int i = 0; i == 0 || (!can && i < HALVINGS); ++i) {
        h0 = i > 0 ? 0.5 * h0 : h0;
        ly_stage_sum(y.u, h0, y.v, 0, 0, NULL, NULL, self->U);
        ly_stage_sum(y.v, h0, self->A[0], 0, 0, NULL, NULL, self->V);
        ly_impose(it, t + h0, self->U, self->V);
        LY_TRY(ly_reach(it, self->U, &can));
    }
    LY_TRY(ly_explicit_acceleration(it, trial, t + h0, h0, self->U, self->V, self->u_new));
    lyra_vector_axpby(-1, self->A[0], 1, self->u_new);
    lyra_vector_axpby(-1, y.v, 1, self->V);
    double d2 = lyra_vector_error_squares(self->V, y.u, y.u, abs, rel) +
                lyra_vector_error_squares(self->u_new, y.v, y.v, abs, rel);
    d2 = sqrt(d2 / n) / h0;
    double largest = fmax(d1, d2);
    double h1 = largest <= 1e-15 ? fmax(1e-6, 1e-3 * h0)
                                 : pow(0.01 / largest, 1.0 / self->pair->tableau.order);
    *h = fmin(fmin(100 * h0, h1), dt);
    // errors that are not finite, as under forces that are not
    *h = *h > 0 ? *h : dt;
    return LYRA_OK;
}

static double growth(const LyPair *pair, double error, double error_old)
{
    double power = 1.0 / pair->tableau.order - 0.75 * pair->beta;
    double factor = SAFETY * pow(error_old, pair->beta) / pow(error, power);
    return fmin(pair->growth_max, fmax(pair->growth_min, factor));
}

static LyraStatus too_small(LyraIntegrator *it, double t, double h, double error, bool blocked)
{
    if (blocked) {
        return ly_fail_blocked(it, t);
    }
    LyraStatus status =
        isfinite(error)
            ? ly_fail(LYRA_NOT_CONVERGED,
                      "%s: at time %g the step shrank to %g s with an error of %g tolerances",
                      it->type->facts.name, t, h, error)
            : ly_fail(LYRA_NOT_CONVERGED,
                      "%s: at time %g the step shrank to %g s, and forces or errors are still not "
                      "finite",
                      it->type->facts.name, t, h);
    return ly_step_fail(it, LYRA_STEP_TOO_SMALL, status);
}

// the controller's numbers, from the state and back
static LyraStatus find_control(LyraIntegrator *it, LyraState *trial, double *control, bool *fresh)
{
    const LyraStateBlockDef def = {
        .name = it->type->facts.name, .version = 1, .count = BLOCK_COUNT};
    void *values = NULL;
    LY_TRY(lyra_state_block(trial, &def, &values, fresh));
    memcpy(control, values, BLOCK_COUNT * sizeof *control);
    return LYRA_OK;
}

static LyraStatus note_control(LyraIntegrator *it, LyraState *trial, const double *control)
{
    const LyraStateBlockDef def = {
        .name = it->type->facts.name, .version = 1, .count = BLOCK_COUNT};
    void *values = NULL;
    bool fresh;
    LY_TRY(lyra_state_block(trial, &def, &values, &fresh));
    memcpy(values, control, BLOCK_COUNT * sizeof *control);
    return LYRA_OK;
}

// Begins a step of h, where another is begun, `begun`: the system hears of the method's own steps.
static LyraStatus begin(LyraIntegrator *it, LyraState *trial, double h, double *begun)
{
    Dopri *self = it->self;
    if (self->before && h != *begun) {
        lyra_system_discard(it->system);
        LY_TRY(lyra_state_assign(trial, self->before));
        LY_TRY(lyra_system_begin_step(it->system, trial, h));
        *begun = h;
    }
    return LYRA_OK;
}

// commits a step that is not the last, and begins one of h
static LyraStatus go_on(LyraIntegrator *it, LyraState *trial, double h, double *begun)
{
    Dopri *self = it->self;
    if (!self->before) {
        return LYRA_OK;
    }
    LY_TRY(lyra_system_commit(it->system, trial));
    LY_TRY(lyra_state_assign(self->before, trial));
    *begun = h;
    return lyra_system_begin_step(it->system, trial, h);
}

static LyraStatus step(LyraIntegrator *it, LyraState *trial, double dt)
{
    Dopri *self = it->self;
    LyraStateView y = lyra_state_view(trial);
    double t = y.time, end = ly_moment(it, t, dt);
    bool fresh, rejected = false;
    self->dense = false;
    double begun = dt, control[BLOCK_COUNT] = {0};
    LY_TRY(find_control(it, trial, control, &fresh));
    ly_impose(it, t, y.u, y.v);
    if (self->before) {
        LY_TRY(lyra_state_assign(self->before, it->work));
        lyra_vector_copy(y.u, lyra_state_view(self->before).u);
        lyra_vector_copy(y.v, lyra_state_view(self->before).v);
    }
    LY_TRY(evaluate_stage(it, trial, 0, t, dt));
    if (fresh) {
        LY_TRY(first_step(it, trial, t, dt, &control[BLOCK_STEP]));
        control[BLOCK_ERROR] = 1e-4;
    }
    double h_min = 1e-12 * fmax(dt, fabs(end));
    for (;;) {
        double wanted = control[BLOCK_STEP], error;
        bool last = t + 1.01 * wanted >= end;
        double h = last ? end - t : wanted;
        LY_TRY(begin(it, trial, h, &begun));
        ly_reach_return(it, y.u);
        LyraStatus status = attempt(it, trial, t, h, &error);
        if (status == LYRA_OK && error <= 1) {
            status = accept(it, trial, t, h, last);
            if (status != LYRA_OK && it->report.outcome != LYRA_STEP_BLOCKED) {
                return status;
            }
        }
        // forces at a stage that are not finite, or a way that is blocked: the step was too long
        bool blocked = status != LYRA_OK && it->report.outcome == LYRA_STEP_BLOCKED;
        if (blocked || status == LYRA_NOT_FINITE || (status == LYRA_OK && !isfinite(error))) {
            error = INFINITY;
            ly_step_fail(it, LYRA_STEP_ACCEPTED, LYRA_OK);
        } else if (status != LYRA_OK) {
            return status;
        }
        double factor = growth(self->pair, fmax(error, 1e-10), control[BLOCK_ERROR]);
        if (error <= 1) {
            it->report.error = error;
            double next = h * (rejected ? fmin(factor, 1) : factor);
            control[BLOCK_STEP] = h < wanted ? fmax(next, wanted) : next;
            control[BLOCK_ERROR] = fmax(error, 1e-4);
            rejected = false;
            if (last) {
                self->dense = true;
                self->dense_time = t;
                self->dense_step = h;
                return note_control(it, trial, control);
            }
            t += h;
            it->report.substeps += 1; // the driver counts the last
            LY_TRY(go_on(it, trial, control[BLOCK_STEP], &begun));
        } else {
            rejected = true;
            it->report.rejected += 1;
            control[BLOCK_STEP] = h * fmin(factor, SAFETY);
            if (control[BLOCK_STEP] < h_min) {
                return too_small(it, t, h, error, blocked);
            }
        }
    }
}

// ---- dense output -------------------------------------------------------------------------------

// In the nested form y + x (F_0 + (1-x)(F_1 + x (F_2 + (1-x)(F_3 + ...)))) with F_0 = y' - y,
// F_1 = h k_1 - F_0, F_2 = 2 F_0 - h (k_1 + k_end) and the rows of `dense` for the rest.
void ly_dense_weights(const LyPair *pair, double theta, double w[LY_STAGES_MAX])
{
    const LyTableau *tableau = &pair->tableau;
    for (int32_t j = 0; j < LY_STAGES_MAX; ++j) {
        double first = j == 0, end = j == tableau->stages, b = tableau->b[j];
        double F[7] = {b, first - b, 2 * b - first - end};
        int32_t rows = 3 + pair->dense_rows;
        for (int32_t i = 0; i < pair->dense_rows; ++i) {
            F[3 + i] = pair->dense[i][j];
        }
        double sum = 0;
        for (int32_t i = rows - 1; i >= 0; --i) {
            sum = (sum + F[i]) * (i % 2 == 0 ? theta : 1 - theta);
        }
        w[j] = sum;
    }
}

static LyraStatus interpolate(const LyraIntegrator *it, double time, LyraVector *u, LyraVector *v)
{
    const Dopri *self = it->self;
    double h = self->dense_step, theta = (time - self->dense_time) / h;
    if (!self->dense) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "%s: no dense output without a step that succeeded",
                       it->type->facts.name);
    }
    if (!(theta >= 0 && theta <= 1)) {
        return ly_fail(
            LYRA_INVALID_ARGUMENT,
            "%s: no dense output at time %g: the last step of its own went from %g to %g",
            it->type->facts.name, time, self->dense_time, self->dense_time + h);
    }
    const LyPair *pair = self->pair;
    int32_t count = pair->tableau.stages + 1 + pair->extra;
    double w[LY_STAGES_MAX], wa[LY_STAGES_MAX];
    ly_dense_weights(pair, theta, w);
    ly_weights_times_tableau(&pair->tableau, w, wa);
    if (u) {
        ly_stage_sum(self->u_old, h * theta, self->v_old, count, h * h, wa, self->A, u);
    }
    if (v) {
        ly_stage_sum(self->v_old, 0, NULL, count, h, w, self->A, v);
    }
    return LYRA_OK;
}

// ---- types --------------------------------------------------------------------------------------

static LyraStatus create5(LyraIntegrator *it)
{
    return create(it, &ly_pair_dopri5);
}

static LyraStatus create853(LyraIntegrator *it)
{
    return create(it, &ly_pair_dopri853);
}

const LyIntegratorType ly_dopri5 = {
    .facts = {.name = "dopri5", .order = 5, .adaptive = true},
    .vector_count = 6 + 7,
    .create = create5,
    .step = step,
    .interpolate = interpolate,
    .destroy = destroy,
};

const LyIntegratorType ly_dopri853 = {
    .facts = {.name = "dopri853", .order = 8, .adaptive = true},
    .vector_count = 6 + 16,
    .create = create853,
    .step = step,
    .interpolate = interpolate,
    .destroy = destroy,
};
