// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// "explicit-implicit-newmark", after [ITF04]: elastic forces explicit, damping implicit.
//
//   1. v~ = v + h/2 a(x, v~), implicit in the damping at x alone;
//   2. x' = x + h v~;
//   3. here bodies that touch would correct x' and v; what the material remembers is committed;
//   4. v' = v + h/2 (a(x, v) + a(x', v')), implicit in the damping at x' alone.
//
// With g linear in velocities each is one solve with M + h/2 C. Without damping it is velocity
// Verlet. Of order 2; a mode w with the damping ratio z is stable up to h w = 2 (z + sqrt(1 +
// z^2)). Strong damping is stable, but turns velocities around in every step.

#include "integrate/explicit.h"

enum { KEPT, DELTA, RIGHT, PRODUCT, COUNT };

// on (u, v)
static double amplification(const void *method, double h, double k, double c)
{
    (void)method;
    double s = 1 / (1 + 0.5 * h * c), a = 1 - 0.5 * h * h * s * k;
    const double A[4] = {a, h * s, -0.5 * h * s * k * (1 + a),
                         s * (1 - 0.5 * h * c - 0.5 * h * h * s * k)};
    return ly_spectral_radius2(A);
}

static bool is_undamped(const LyraIntegrator *it)
{
    return (lyra_system_traits(it->system) & LYRA_SYSTEM_UNDAMPED) != 0;
}

// (M + h/2 C) d = b for d on the free unknowns, given on the constraints in `d`
static LyraStatus solve(LyraIntegrator *it, LyraVector *b, LyraVector *d)
{
    LyraVector *x = it->scratch[PRODUCT];
    if (lyra_system_constraint_count(it->system) > 0) {
        lyra_system_apply(it->system, d, x);
        lyra_vector_axpby(-1, x, 1, b);
    }
    LY_TRY(ly_linear_solve(it, b, 1e-10, x));
    lyra_vector_axpby(1, x, 1, d);
    return LYRA_OK;
}

// v += (M + h/2 C)^-1 h/2 M a
static LyraStatus half_step(LyraIntegrator *it, LyraState *trial, double h)
{
    LyraStateView y = lyra_state_view(trial);
    if (is_undamped(it)) {
        lyra_vector_axpby(0.5 * h, y.a, 1, y.v);
        return LYRA_OK;
    }
    LyraVector *d = it->scratch[DELTA], *b = it->scratch[RIGHT];
    LY_TRY(ly_linearise_at(it, trial, y.time, true));
    LY_TRY(ly_linear_form(it, 1, 0.5 * h, 0));
    lyra_vector_fill(d, 0);
    lyra_system_merge(it->system, y.a, d);
    lyra_vector_axpby(0.5 * h, d, 0, d);
    lyra_system_apply_mass(it->system, y.a, b);
    lyra_vector_axpby(0.5 * h, b, 0, b);
    LY_TRY(solve(it, b, d));
    lyra_vector_axpby(1, d, 1, y.v);
    return LYRA_OK;
}

// v so that M (v - kept) + h/2 g(end, u, v) = 0, from v on; a there
static LyraStatus end_velocity(LyraIntegrator *it, LyraState *trial, double end, double h)
{
    LyraStateView y = lyra_state_view(trial);
    LyraVector *kept = it->scratch[KEPT], *d = it->scratch[DELTA], *b = it->scratch[RIGHT];
    if (is_undamped(it)) {
        LY_TRY(ly_acceleration(it, end, 0, y.u, y.v, trial, y.a));
        lyra_vector_sum(0.5 * h, y.a, kept, y.v);
        return LYRA_OK;
    }
    ly_impose(it, end, NULL, y.v);
    LY_TRY(ly_linearise_at(it, trial, end, true));
    LY_TRY(ly_linear_form(it, 1, 0.5 * h, 0));
    const LyraPoint at = {.time = end, .u = y.u, .v = y.v, .committed = trial};
    const LyraResponse response = {.g = b};
    LY_TRY(ly_evaluate(it, &at, &response));
    lyra_vector_sum(-1, y.v, kept, d);
    lyra_system_apply_mass(it->system, d, it->scratch[PRODUCT]);
    lyra_vector_axpby(1, it->scratch[PRODUCT], -0.5 * h, b);
    lyra_vector_fill(d, 0);
    LY_TRY(solve(it, b, d));
    lyra_vector_axpby(1, d, 1, y.v);
    return ly_explicit_acceleration(it, trial, end, 0, y.u, y.v, y.a);
}

static LyraStatus step(LyraIntegrator *it, LyraState *trial, double dt)
{
    LyraStateView y = lyra_state_view(trial);
    double end = ly_moment(it, y.time, dt);
    ly_impose(it, y.time, y.u, y.v);
    LY_TRY(ly_check_critical(it, trial, dt, it->scratch, amplification, NULL));
    LY_TRY(ly_start_acceleration(it, trial));
    lyra_vector_sum(0.5 * dt, y.a, y.v, it->scratch[KEPT]);
    LY_TRY(half_step(it, trial, dt));
    lyra_vector_axpby(dt, y.v, 1, y.u);
    ly_impose(it, end, y.u, NULL);
    LY_TRY(ly_commit_material(it, trial, end, dt));
    LY_TRY(end_velocity(it, trial, end, dt));
    ly_impose(it, end, NULL, y.v);
    lyra_system_merge(it->system, it->prescribed[2], y.a);
    if (!lyra_vector_is_finite(y.u) || !lyra_vector_is_finite(y.v)) {
        return ly_step_fail(it, LYRA_STEP_NOT_FINITE,
                            ly_fail(LYRA_NOT_FINITE,
                                    "%s: displacements or velocities are not finite at time %g, "
                                    "after a step of %g",
                                    it->type->facts.name, end, dt));
    }
    return ly_keep_acceleration(trial, end);
}

const LyIntegratorType ly_explicit_implicit = {
    .facts = {.name = "explicit-implicit-newmark", .order = 2},
    .vector_count = COUNT,
    .step = step,
};
