// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The table of all integrators, and the begin and the end that implicit methods share.

#include "integrate/methods.h"

#include "integrate/explicit.h"

const LyIntegratorType *const ly_integrators[] = {
    &ly_backward_euler,
    &ly_newmark,
    &ly_generalized_alpha,
    &ly_static,
    &ly_implicit_midpoint,
    &ly_bdf2,
    &ly_bdf3,
    &ly_bdf4,
    &ly_euler,
    &ly_symplectic_euler,
    &ly_verlet,
    &ly_central_differences,
    &ly_explicit_midpoint,
    &ly_rk4,
    &ly_rk38,
    &ly_dopri5,
    &ly_dopri853,
    &ly_rkc2,
    &ly_rock2,
    &ly_rosenbrock2,
    &ly_rosenbrock3,
    &ly_rosenbrock4,
    &ly_amf_rk32_type,
    &ly_explicit_implicit,
    &ly_imex,
};

const int32_t ly_integrator_count = LY_COUNT_OF(ly_integrators);

void ly_start_constrained(LyraIntegrator *it, const LyStage *stage, double t, LyraVector *q)
{
    // q = (u_bar - u_0) / u_q on the constraints
    ly_prescribe(it, t);
    LyraVector *held = it->prescribed[0];
    if (stage->u_0) {
        lyra_vector_axpby(-1, stage->u_0, 1, held);
    }
    lyra_vector_axpby(1 / stage->u_q, held, 0, held);
    lyra_system_merge(it->system, held, q);
}

void ly_hold_rates(LyraIntegrator *it, const LyStage *stage, const LyraVector *q, LyraVector *v_0,
                   LyraVector *a_0)
{
    LyraVector *v = it->prescribed[1], *a = it->prescribed[2];
    lyra_vector_axpby(-stage->v_q, q, 1, v);
    lyra_system_merge(it->system, v, v_0);
    lyra_vector_axpby(-stage->a_q, q, 1, a);
    lyra_system_merge(it->system, a, a_0);
}

LyraStatus ly_end_step(LyraIntegrator *it, LyraState *trial, double t, double dt)
{
    LyraStateView view = lyra_state_view(trial);
    ly_impose(it, t, view.u, view.v);
    lyra_system_merge(it->system, it->prescribed[2], view.a);
    return ly_commit_material(it, trial, t, dt);
}
