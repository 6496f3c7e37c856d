// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Explicit Runge-Kutta methods with constant steps: "explicit-midpoint", "rk4" (Kutta's classical
// method) and "rk38" (his 3/8 rule) [HNW93, II.1], and the stages that the embedded pairs of
// dopri.c share with them.
//
// A method (a, b, c) on u' = v, v' = f(t, u, v) has stages with velocities V_i and accelerations
// A_i. As V_i = v + h sum_j a_ij A_j, the velocities are eliminated,
//   U_i = u + h sum_j a_ij V_j = u + h c_i v + h^2 sum_j (a a)_ij A_j,
// so that only the A_i are kept. Prescribed displacements and velocities are imposed at the times
// t + c_i h of the stages, which makes them what they are: functions of time in the equations of
// the free unknowns. The order is that of the method.

#include "integrate/explicit.h"

// ---- tableaux -----------------------------------------------------------------------------------

const LyTableau ly_tableau_midpoint = {
    .order = 2,
    .stages = 2,
    .a = {[1] = {0.5}},
    .b = {0, 1},
    .c = {0, 0.5},
};

const LyTableau ly_tableau_rk4 = {
    .order = 4,
    .stages = 4,
    .a = {[1] = {0.5}, [2] = {0, 0.5}, [3] = {0, 0, 1}},
    .b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6},
    .c = {0, 0.5, 0.5, 1},
};

const LyTableau ly_tableau_rk38 = {
    .order = 4,
    .stages = 4,
    .a = {[1] = {1.0 / 3}, [2] = {-1.0 / 3, 1}, [3] = {1, -1, 1}},
    .b = {0.125, 0.375, 0.375, 0.125},
    .c = {0, 1.0 / 3, 2.0 / 3, 1},
};

// ---- stages -------------------------------------------------------------------------------------

void ly_weights_times_tableau(const LyTableau *tableau, const double *w, double *wa)
{
    for (int32_t j = 0; j < LY_STAGES_MAX; ++j) {
        wa[j] = 0;
        for (int32_t i = 0; i < LY_STAGES_MAX; ++i) {
            wa[j] += w[i] * tableau->a[i][j];
        }
    }
}

LyNystrom ly_nystrom(const LyTableau *tableau)
{
    LyNystrom method = {.tableau = tableau};
    for (int32_t i = 0; i < LY_STAGES_MAX; ++i) {
        ly_weights_times_tableau(tableau, tableau->a[i], method.aa[i]);
    }
    ly_weights_times_tableau(tableau, tableau->b, method.ba);
    return method;
}

void ly_stage_sum(const LyraVector *x, double theta_h, const LyraVector *xp, int32_t count,
                  double scale, const double *w, LyraVector *const *A, LyraVector *y)
{
    // they are read only
    LyraVector *terms[LY_STAGES_MAX + 2] = {(LyraVector *)x, (LyraVector *)(xp ? xp : x)};
    double c[LY_STAGES_MAX + 2] = {1, xp ? theta_h : 0};
    for (int32_t j = 0; j < count; ++j) {
        terms[j + 2] = A[j];
        c[j + 2] = scale * w[j];
    }
    lyra_vector_combine(count + 2, c, terms, y);
}

LyraStatus ly_stage(LyraIntegrator *it, LyraState *trial, const LyNystrom *method, int32_t i,
                    double t, double h, const LyStageVectors *vectors)
{
    LyraVector *const *A = vectors->A, *U = vectors->U, *V = vectors->V;
    LyraStateView y = lyra_state_view(trial);
    const LyTableau *tableau = method->tableau;
    double ch = tableau->c[i] * h, at = ly_moment(it, t, ch);
    if (i == 0) {
        return ly_explicit_acceleration(it, trial, t, 0, y.u, y.v, A[0]);
    }
    ly_stage_sum(y.u, ch, y.v, i, h * h, method->aa[i], A, U);
    ly_stage_sum(y.v, 0, NULL, i, h, tableau->a[i], A, V);
    ly_impose(it, at, U, V);
    return ly_explicit_acceleration(it, trial, at, ch, U, V, A[i]);
}

// ---- constant steps -----------------------------------------------------------------------------

// |R| with R(z) = 1 + sum_k b^T a^(k-1) 1 z^k
static double amplification(const void *data, double h, double k, double c)
{
    const LyTableau *tableau = data;
    double r[LY_STAGES_MAX + 1] = {1}, w[LY_STAGES_MAX], wa[LY_STAGES_MAX];
    for (int32_t i = 0; i < LY_STAGES_MAX; ++i) {
        w[i] = tableau->b[i];
    }
    for (int32_t power = 1; power <= tableau->stages; ++power) {
        r[power] = 0;
        for (int32_t i = 0; i < tableau->stages; ++i) {
            r[power] += w[i];
        }
        ly_weights_times_tableau(tableau, w, wa);
        for (int32_t i = 0; i < LY_STAGES_MAX; ++i) {
            w[i] = wa[i];
        }
    }
    return ly_polynomial_amplification(tableau->stages, r, h, k, c);
}

static LyraStatus step_by(LyraIntegrator *it, const LyTableau *tableau, LyraState *trial, double dt)
{
    LyraStateView y = lyra_state_view(trial);
    LyNystrom method = ly_nystrom(tableau);
    LyraVector *const *A = it->scratch + 2;
    LyStageVectors vectors = {.A = A, .U = it->scratch[0], .V = it->scratch[1]};
    ly_impose(it, y.time, y.u, y.v);
    LY_TRY(ly_check_critical(it, trial, dt, it->scratch, amplification, tableau));
    for (int32_t i = 0; i < tableau->stages; ++i) {
        LY_TRY(ly_stage(it, trial, &method, i, y.time, dt, &vectors));
    }
    ly_stage_sum(y.u, dt, y.v, tableau->stages, dt * dt, method.ba, A, y.u);
    ly_stage_sum(y.v, 0, NULL, tableau->stages, dt, tableau->b, A, y.v);
    lyra_vector_copy(A[tableau->stages - 1], y.a);
    return ly_explicit_finish(it, trial, y.time, dt);
}

static LyraStatus step_midpoint(LyraIntegrator *it, LyraState *trial, double dt)
{
    return step_by(it, &ly_tableau_midpoint, trial, dt);
}

static LyraStatus step_rk4(LyraIntegrator *it, LyraState *trial, double dt)
{
    return step_by(it, &ly_tableau_rk4, trial, dt);
}

static LyraStatus step_rk38(LyraIntegrator *it, LyraState *trial, double dt)
{
    return step_by(it, &ly_tableau_rk38, trial, dt);
}

const LyIntegratorType ly_explicit_midpoint = {
    .facts = {.name = "explicit-midpoint", .order = 2},
    .vector_count = 4,
    .step = step_midpoint,
};

const LyIntegratorType ly_rk4 = {
    .facts = {.name = "rk4", .order = 4},
    .vector_count = 6,
    .step = step_rk4,
};

const LyIntegratorType ly_rk38 = {
    .facts = {.name = "rk38", .order = 4},
    .vector_count = 6,
    .step = step_rk38,
};
