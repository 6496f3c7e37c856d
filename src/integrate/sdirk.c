// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A step of the singly diagonally implicit Runge-Kutta method of order 4 with five stages,
// L-stable and stiffly accurate [HW96, IV.6 eq. 6.16], which starts the methods that need values of
// high order from several steps. Each stage is an equation of the usual kind: with known
//
//   U' = u_0 + h sum_j<i a_ij V_j,   V' = v_0 + h sum_j<i a_ij A_j,
//   V_i = V' + g h A_i,   U_i = U' + g h V_i = U' + g h V' + (g h)^2 A_i,   g = 1/4,
//
// for the unknown A_i. The last stage is the end of the step.

#include "integrate/methods.h"

#define STAGES 5
#define GAMMA 0.25

// clang-format off
static const double a[STAGES][STAGES] = {
    {GAMMA},
    {1.0 / 2, GAMMA},
    {17.0 / 50, -1.0 / 25, GAMMA},
    {371.0 / 1360, -137.0 / 2720, 15.0 / 544, GAMMA},
    {25.0 / 24, -49.0 / 48, 125.0 / 16, -85.0 / 12, GAMMA},
};
// clang-format on
static const double c[STAGES] = {1.0 / 4, 3.0 / 4, 11.0 / 20, 1.0 / 2, 1};

LyraStatus ly_sdirk4_step(LyraIntegrator *it, LyraState *trial, double h, LyraVector *const *work)
{
    LyraStateView view = lyra_state_view(trial);
    LyraVector *const *V = work, *const *A = work + STAGES;
    LyraVector *u_0 = work[2 * STAGES], *v_0 = work[2 * STAGES + 1], *from = work[2 * STAGES + 2];
    LyraVector *moved = work[2 * STAGES + 3], *a_0 = work[2 * STAGES + 4];
    lyra_vector_copy(view.u, from);
    for (int32_t i = 0; i < STAGES; ++i) {
        double time = ly_moment(it, view.time, c[i] * h);
        lyra_vector_copy(view.u, u_0);
        lyra_vector_copy(view.v, v_0);
        for (int32_t j = 0; j < i; ++j) {
            lyra_vector_axpby(h * a[i][j], V[j], 1, u_0);
            lyra_vector_axpby(h * a[i][j], A[j], 1, v_0);
        }
        lyra_vector_axpby(GAMMA * h, v_0, 1, u_0);
        lyra_vector_fill(a_0, 0);

        // the damping is frozen where the acceleration before leads
        lyra_vector_copy(i > 0 ? A[i - 1] : view.a, A[i]);
        lyra_vector_sum(GAMMA * h * GAMMA * h, A[i], u_0, moved);
        LY_TRY(ly_update_damping(it, time, c[i] * h, moved, v_0, trial));
        const LyStage stage = {.time = time,
                               .dt = c[i] * h,
                               .u_q = GAMMA * h * GAMMA * h,
                               .v_q = GAMMA * h,
                               .a_q = 1,
                               .u_0 = u_0,
                               .v_0 = v_0,
                               .a_0 = a_0,
                               .previous = from,
                               .committed = trial};
        ly_start_constrained(it, &stage, time, A[i]);
        ly_hold_rates(it, &stage, A[i], v_0, a_0);
        LY_TRY(ly_newton_solve(it->newton, it, &stage, trial, A[i]));
        lyra_vector_sum(GAMMA * h, A[i], v_0, V[i]);
        lyra_vector_sum(GAMMA * h * GAMMA * h, A[i], u_0, from);
        LY_TRY(ly_reach_or_fail(it, from, time));
    }
    lyra_vector_copy(from, view.u);
    lyra_vector_copy(V[STAGES - 1], view.v);
    lyra_vector_copy(A[STAGES - 1], view.a);
    return LYRA_OK;
}
