// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// "imex", after Hauth [Hau04]: what is linear in a force implicit, the rest explicit, of first
// order. With g the forces of a point on the left of M a + g = 0, and K and C constant,
//
//   (M + h C + h^2 K) dv = - h (g(t_1, u_0, v_0) + h K v_0),   v_1 = v_0 + dv,   u_1 = u_0 + h v_1,
//
// which is backward Euler where g is linear. For particles K is k 1 of each spring, far stiffer
// than the springs are across, which is what it takes to be stable. One matrix and one factor serve
// as long as step, masses and parameters stay. Systems whose K and C change with the point are
// refused: what is left explicit of them would not be known to be stable.

#include "integrate/explicit.h"
#include "integrate/methods.h"

enum { DELTA, RIGHT, PRODUCT, COUNT };

static LyraStatus create(LyraIntegrator *it)
{
    LyFormed *formed = NULL;
    if (!(lyra_system_traits(it->system) & LYRA_SYSTEM_CONSTANT)) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "integrator \"imex\": found forces whose matrices change as the body moves, "
                       "expected constant ones alone, as of particles and linear solids");
    }
    LY_TRY(ly_allocate_zeroed(it->ctx, 1, sizeof *formed, &formed));
    it->self = formed;
    return LYRA_OK;
}

static void destroy(LyraIntegrator *it)
{
    ly_release(it->ctx, it->self);
}

// dv on the constraints, zero elsewhere
static void find_held(LyraIntegrator *it, double end, const LyraVector *v, LyraVector *d)
{
    lyra_vector_fill(d, 0);
    if (lyra_system_constraint_count(it->system) > 0) {
        ly_prescribe(it, end);
        lyra_vector_axpby(-1, v, 1, it->prescribed[1]);
        lyra_system_merge(it->system, it->prescribed[1], d);
    }
}

static LyraStatus step(LyraIntegrator *it, LyraState *trial, double h)
{
    LyraStateView y = lyra_state_view(trial);
    LyraVector *d = it->scratch[DELTA], *b = it->scratch[RIGHT], *x = it->scratch[PRODUCT];
    double end = ly_moment(it, y.time, h);
    const double factors[3] = {1, h, h * h};
    const LyraPoint at = {.time = end, .dt = h, .u = y.u, .v = y.v, .committed = trial};
    const LyraResponse response = {.g = b};
    LY_TRY(ly_update_damping(it, y.time, 0, y.u, y.v, trial));
    LY_TRY(ly_evaluate(it, &at, &response));
    LyraStatus status = ly_form_constant(it, &at, false, factors, it->self);
    if (status != LYRA_OK) {
        return ly_step_fail(it, LYRA_STEP_SOLVER, status);
    }
    // b = -h (g + h K v) - S d on the constraints
    lyra_system_apply_stiffness(it->system, y.v, x);
    lyra_vector_axpby(-h * h, x, -h, b);
    find_held(it, end, y.v, d);
    if (lyra_system_constraint_count(it->system) > 0) {
        lyra_system_apply(it->system, d, x);
        lyra_vector_axpby(-1, x, 1, b);
    }
    // to the tolerance of the solver's own settings
    LY_TRY(ly_linear_solve(it, b, 0, x));
    lyra_vector_axpby(1, x, 1, d);
    lyra_vector_axpby(1, d, 1, y.v);
    lyra_vector_axpby(h, y.v, 1, y.u);
    lyra_vector_axpby(1 / h, d, 0, y.a);
    if (!lyra_vector_is_finite(y.u)) {
        return ly_step_fail(it, LYRA_STEP_NOT_FINITE,
                            ly_fail(LYRA_NOT_FINITE,
                                    "imex: displacements are not finite at time %g, after a step "
                                    "of %g",
                                    end, h));
    }
    LY_TRY(ly_end_step(it, trial, end, h));
    return ly_keep_acceleration(trial, end);
}

const LyIntegratorType ly_imex = {
    .facts = {.name = "imex", .order = 1, .is_implicit = true, .constant = true},
    .vector_count = COUNT,
    .create = create,
    .step = step,
    .destroy = destroy,
};
