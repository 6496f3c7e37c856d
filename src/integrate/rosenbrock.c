// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Rosenbrock methods: linearly implicit, one matrix and one factor per step, a solve per stage.
// In the form without products by the Jacobian [HW96, IV.7], for y' = f(t, y), J = df/dy,
//   (1/(g h) - J) U_i = f(t + alpha_i h, y + sum a_ij U_j) + sum (c_ij/h) U_j + gamma_i h f_t,
//   y' = y + sum m_i U_i.
// With y = (u, v), f = (v, -M^-1 g), U_i = (p_i, q_i) the upper half gives p_i, the lower half q_i:
//   p_i = g h (q_i + r_u),   r_u = V_i + sum (c_ij/h) p_j,
//   S q_i = g h (r_v - g h K r_u),   S = M + g h C + (g h)^2 K, (1) r_v = -g(t_i, U_i, V_i) + M sum
//   (c_ij/h) q_j - gamma_i h g_t.
//
// Constraints: u, v and a there are functions of time, so the method is applied to the free
// unknowns, whose force is G(t) = g(t, u + u_c(t), v + v_c(t)) + M a_c(t). p and q lie in the range
// of P; stages get the prescribed values at their times. G_t is the forward difference of as many
// points as the order needs, inside the step: loads may jump where steps meet. It is left out where
// neither loads nor constraints move.
//
// D is taken anew at every stage. K lacks L = d(D(u) v)/du, so with stiffness damping on large
// deformations S is inexact. rosenbrock2, rosenbrock3 and amf-rk32 are W-methods, which keep their
// order with any matrix. rosenbrock4 does not, so it repeats the solve of a stage twice with L on
// the right,
//   S q = g h (r_v - g h K r_u - L p),   p = g h (q + r_u), (2)
// L p by a difference of D v at the start of the step. A repetition contracts by O(h^2); two are
// enough for order 4. Where it contracts by less than half, in motions faster than the damping, or
// a point beside can't be reached, the stage stays without L.
//
// Where K and C themselves are inexact (the symmetric part of a viscosity's tangent, corotational
// frames that do not turn, loads that move with the body), L is all that they lack,
//   L (p, q) = dg/du p + dg/dv q - K p - C q,
// with the first two by a central difference of g, D included. What C lacks contracts by O(h) only,
// so there are three repetitions.

#include "integrate/explicit.h"

#include <math.h>
#include <string.h>

// ---- one step -----------------------------------------------------------------------------------

// what a step works with; all vectors are scratch of the integrator
typedef struct Step {
    const LyRosenbrock *method;
    LyraIntegrator *it;
    LyraState *trial;
    double t, h;
    LyraVector *U, *V; // stage
    LyraVector *G;     // force of the stage, with prescribed accelerations
    LyraVector *Gt;    // its derivative by time
    LyraVector *r_u, *rhs, *work;
    LyraVector *const *p, *const *q;
    bool repeats;                 // the matrix lacks something, and the method minds
    bool inexact;                 // ... of K or C, not of D alone
    LyraVector *Dv, *shifted, *L; // D v at the start; u + e p; L p
    LyraVector *shifted_v, *back; // v + e q; g at the point opposite
} Step;

enum {
    SCRATCH_U,
    SCRATCH_V,
    SCRATCH_G,
    SCRATCH_GT,
    SCRATCH_RU,
    SCRATCH_RHS,
    SCRATCH_WORK,
    SCRATCH_DV,
    SCRATCH_SHIFTED,
    SCRATCH_L,
    SCRATCH_SHIFTED_V,
    SCRATCH_BACK,
    SCRATCH_P,
    SCRATCH_Q = SCRATCH_P + LY_ROSENBROCK_STAGES,
    SCRATCH_COUNT = SCRATCH_Q + LY_ROSENBROCK_STAGES
};

// G = g(t, u, v) + M a_c(t) with u and v put on the constraints
static LyraStatus force_at(Step *s, double t, LyraVector *u, LyraVector *v, LyraVector *G)
{
    LyraIntegrator *it = s->it;
    ly_impose(it, t, u, v);
    LyraPoint at = {.time = t, .dt = t - s->t, .u = u, .v = v, .committed = s->trial};
    if (!(lyra_system_traits(it->system) & LYRA_SYSTEM_UNDAMPED)) {
        LY_TRY(ly_update_damping(it, t, at.dt, u, v, s->trial));
    }
    LyraResponse response = {.g = G};
    LY_TRY(ly_evaluate(it, &at, &response));
    if (ly_prescribed_acceleration(it, t, s->r_u)) {
        lyra_system_apply_mass(it->system, s->r_u, s->work);
        lyra_vector_axpby(1, s->work, 1, G);
    }
    return LYRA_OK;
}

// whether a constraint moves at time t
static bool constraints_move(Step *s, double t)
{
    if (!ly_prescribed_acceleration(s->it, t, s->work)) {
        return false;
    }
    bool moves = lyra_vector_norm(s->work) > 0;
    lyra_system_merge(s->it->system, s->it->prescribed[1], s->work);
    return moves || lyra_vector_norm(s->work) > 0;
}

// G_t from G at the start and `order - 1` points of distance d behind it: the error is
// O(d^(order - 1)), times h^2 in the step
static LyraStatus derivative_by_time(Step *s, bool *present)
{
    static const double weights[5][4] = {
        [2] = {-1, 1}, [3] = {-1.5, 2, -0.5}, [4] = {-11.0 / 6, 3, -1.5, 1.0 / 3}};
    *present = !(lyra_system_traits(s->it->system) & LYRA_SYSTEM_STATIONARY) ||
               constraints_move(s, s->t) || constraints_move(s, ly_moment(s->it, s->t, s->h));
    if (!*present) {
        return LYRA_OK;
    }
    LyraStateView y = lyra_state_view(s->trial);
    const double *w = weights[s->method->order];
    double d = s->h / 64;
    lyra_vector_axpby(w[0] / d, s->G, 0, s->Gt);
    for (int32_t i = 1; i < s->method->order; ++i) {
        lyra_vector_copy(y.u, s->U);
        lyra_vector_copy(y.v, s->V);
        LY_TRY(force_at(s, s->t + i * d, s->U, s->V, s->rhs));
        lyra_vector_axpby(w[i] / d, s->rhs, 1, s->Gt);
    }
    return LYRA_OK;
}

// y = x + sum_j w_j z_j over the stages before i
static void add_stages(int32_t i, const LyraVector *x, const double *w, LyraVector *const *z,
                       LyraVector *y)
{
    ly_stage_sum(x, 0, NULL, i, 1, w, z, y);
}

// D v with D at u and v of the start, without other forces
static LyraStatus damping_at(Step *s, const LyraVector *u, LyraVector *Dv)
{
    LyraIntegrator *it = s->it;
    LyraPoint at = {.time = s->t, .u = u, .v = lyra_state_view(s->trial).v, .committed = s->trial};
    LyraResponse response = {.damping = Dv};
    LY_TRY(ly_update_damping(it, at.time, 0, at.u, at.v, s->trial));
    return lyra_system_evaluate(it->system, &at, &response);
}

// by what to multiply p so that it is `part` of the body, or of the displacements where its size is
// not known; 0 for p = 0
static double find_shift(Step *s, const LyraVector *p, double part)
{
    double size = lyra_system_extent(s->it->system), length = lyra_vector_norm(p);
    size = size > 0 ? size : fmax(lyra_vector_norm(lyra_state_view(s->trial).u), length);
    return length > 0 ? part * size / length : 0;
}

// L p, of D alone; not `known` where no point beside can be reached
static LyraStatus damping_derivative(Step *s, const LyraVector *p, bool *known)
{
    LyraStateView y = lyra_state_view(s->trial);
    double e = find_shift(s, p, 1e-7);
    if (!(e > 0)) {
        lyra_vector_fill(s->L, 0);
        return LYRA_OK;
    }
    lyra_vector_sum(e, p, y.u, s->shifted);
    LY_TRY(ly_reach(s->it, s->shifted, known));
    if (!*known) {
        return LYRA_OK;
    }
    LY_TRY(damping_at(s, s->shifted, s->L));
    lyra_vector_axpby(-1 / e, s->Dv, 1 / e, s->L);
    // a damping that does not move is asked once a step
    s->repeats = lyra_vector_norm(s->L) > 0;
    return LYRA_OK;
}

// g at the start of the step, moved by e (p, q), with D of that place
static LyraStatus force_beside(Step *s, double e, const LyraVector *p, const LyraVector *q,
                               LyraVector *g, bool *known)
{
    LyraIntegrator *it = s->it;
    LyraStateView y = lyra_state_view(s->trial);
    lyra_vector_sum(e, p, y.u, s->shifted);
    lyra_vector_sum(e, q, y.v, s->shifted_v);
    LY_TRY(ly_reach(it, s->shifted, known));
    if (!*known) {
        return LYRA_OK;
    }
    if (!(lyra_system_traits(it->system) & LYRA_SYSTEM_UNDAMPED)) {
        LY_TRY(ly_update_damping(it, s->t, 0, s->shifted, s->shifted_v, s->trial));
    }
    LyraPoint at = {.time = s->t, .u = s->shifted, .v = s->shifted_v, .committed = s->trial};
    LyraResponse response = {.g = g};
    return ly_evaluate(it, &at, &response);
}

// L (p, q), of all that the matrix lacks. The C in it is found from S, as D has moved on.
static LyraStatus missing_derivative(Step *s, const LyraVector *p, const LyraVector *q, bool *known)
{
    double gh = s->method->gamma * s->h, e = find_shift(s, p, 1e-5);
    if (!(e > 0)) {
        lyra_vector_fill(s->L, 0);
        return LYRA_OK;
    }
    LY_TRY(force_beside(s, -e, p, q, s->back, known));
    if (*known) {
        LY_TRY(force_beside(s, e, p, q, s->L, known));
    }
    if (!*known) {
        return LYRA_OK;
    }
    lyra_vector_axpby(-0.5 / e, s->back, 0.5 / e, s->L);
    // K p + C q = K (p - gh q) + (S - M) q/gh
    lyra_vector_sum(-gh, q, p, s->shifted);
    lyra_system_apply_stiffness(s->it->system, s->shifted, s->back);
    lyra_vector_axpby(-1, s->back, 1, s->L);
    lyra_system_apply(s->it->system, q, s->back);
    lyra_system_apply_mass(s->it->system, q, s->shifted);
    lyra_vector_axpby(-1 / gh, s->back, 1, s->L);
    lyra_vector_axpby(1 / gh, s->shifted, 1, s->L);
    return LYRA_OK;
}

// q and p of stage i from the right-hand side
static LyraStatus solve_for(Step *s, int32_t i, const LyraVector *rhs)
{
    double gh = s->method->gamma * s->h;
    LY_TRY(ly_linear_solve(s->it, rhs, 1e-12, s->q[i]));
    lyra_vector_copy(s->r_u, s->p[i]);
    lyra_vector_axpby(gh, s->q[i], gh, s->p[i]);
    return LYRA_OK;
}

// (2) for stage i, after (1)
static LyraStatus repeat_stage(Step *s, int32_t i)
{
    double gh = s->method->gamma * s->h, first = 0;
    int32_t repetitions = s->inexact ? 3 : 2;
    for (int32_t k = 0; k < repetitions; ++k) {
        bool known = true;
        LY_TRY(s->inexact ? missing_derivative(s, s->p[i], s->q[i], &known)
                          : damping_derivative(s, s->p[i], &known));
        if (!known) {
            return solve_for(s, i, s->rhs);
        }
        lyra_system_project(s->it->system, s->L);
        if (k == 0) {
            first = lyra_vector_norm(s->L);
        } else {
            lyra_vector_axpby(-1, s->L, 1, s->work);
            if (lyra_vector_norm(s->work) > 0.5 * first) {
                return solve_for(s, i, s->rhs);
            }
        }
        lyra_vector_copy(s->L, s->work);
        lyra_vector_axpby(1, s->rhs, -gh, s->L);
        LY_TRY(solve_for(s, i, s->L));
        if (!s->repeats) {
            break;
        }
    }
    return LYRA_OK;
}

// (1) for stage i, with G of the stage at hand
static LyraStatus solve_stage(Step *s, int32_t i, bool moves)
{
    LyraIntegrator *it = s->it;
    const LyRosenbrock *method = s->method;
    double gh = method->gamma * s->h, ch[LY_ROSENBROCK_STAGES];
    for (int32_t j = 0; j < i; ++j) {
        ch[j] = method->c[i][j] / s->h;
    }
    add_stages(i, s->V, ch, s->p, s->r_u);
    lyra_system_project(it->system, s->r_u);
    // M sum (c/h) q
    lyra_vector_fill(s->rhs, 0);
    if (i > 0) {
        add_stages(i, s->rhs, ch, s->q, s->work);
        lyra_system_apply_mass(it->system, s->work, s->rhs);
    }
    lyra_vector_axpby(-1, s->G, 1, s->rhs);
    if (moves) {
        lyra_vector_axpby(-method->gamma_sum[i] * s->h, s->Gt, 1, s->rhs);
    }
    lyra_system_apply_stiffness(it->system, s->r_u, s->work);
    lyra_vector_axpby(-gh, s->work, 1, s->rhs);
    lyra_vector_axpby(gh, s->rhs, 0, s->rhs);
    LY_TRY(solve_for(s, i, s->rhs));
    return s->repeats ? repeat_stage(s, i) : LYRA_OK;
}

static bool same_point(const LyRosenbrock *method, int32_t i)
{
    return i > 0 && method->alpha[i] == method->alpha[i - 1] &&
           memcmp(method->a[i], method->a[i - 1], sizeof method->a[i]) == 0;
}

// the difference of the two solutions, over the tolerances, of a method that has two
static void estimate_error(Step *s)
{
    LyraIntegrator *it = s->it;
    const LyRosenbrock *method = s->method;
    LyraStateView y = lyra_state_view(s->trial);
    double e[LY_ROSENBROCK_STAGES], squares = 0;
    if (method->embedded[0] == 0) {
        return;
    }
    for (int32_t i = 0; i < method->stages; ++i) {
        e[i] = method->m[i] - method->embedded[i];
    }
    LyraVector *const *x[2] = {s->p, s->q}, *from[2] = {y.u, y.v};
    for (int k = 0; k < 2; ++k) {
        lyra_vector_combine(method->stages, e, x[k], s->work);
        squares += lyra_vector_error_squares(s->work, from[k], from[k], it->def.absolute_tolerance,
                                             it->def.relative_tolerance);
    }
    it->report.error = sqrt(squares / (2.0 * (double)ly_max_i64(it->size, 1)));
}

static LyraStatus step_by(LyraIntegrator *it, const LyRosenbrock *method, LyraState *trial,
                          double dt)
{
    LyraVector *const *scratch = it->scratch;
    LyraStateView y = lyra_state_view(trial);
    Step s = {.method = method,
              .it = it,
              .trial = trial,
              .t = y.time,
              .h = dt,
              .U = scratch[SCRATCH_U],
              .V = scratch[SCRATCH_V],
              .G = scratch[SCRATCH_G],
              .Gt = scratch[SCRATCH_GT],
              .r_u = scratch[SCRATCH_RU],
              .rhs = scratch[SCRATCH_RHS],
              .work = scratch[SCRATCH_WORK],
              .p = scratch + SCRATCH_P,
              .q = scratch + SCRATCH_Q,
              .Dv = scratch[SCRATCH_DV],
              .shifted = scratch[SCRATCH_SHIFTED],
              .L = scratch[SCRATCH_L],
              .shifted_v = scratch[SCRATCH_SHIFTED_V],
              .back = scratch[SCRATCH_BACK]};
    double gh = method->gamma * dt;
    uint32_t traits = lyra_system_traits(it->system);
    bool moves = false, damped = !(traits & LYRA_SYSTEM_UNDAMPED);
    s.inexact = traits & LYRA_SYSTEM_INEXACT && method->order == 4;
    s.repeats = s.inexact || (damped && !(traits & LYRA_SYSTEM_LINEAR) && method->order == 4);
    ly_impose(it, s.t, y.u, y.v);
    LY_TRY(ly_linearise_at(it, trial, s.t, damped));
    LY_TRY(ly_linear_form(it, 1, gh, gh * gh));
    if (s.repeats && !s.inexact) {
        LY_TRY(damping_at(&s, y.u, s.Dv));
    }
    for (int32_t i = 0; i < method->stages; ++i) {
        if (!same_point(method, i)) {
            double t = ly_moment(it, s.t, method->alpha[i] * dt);
            add_stages(i, y.u, method->a[i], s.p, s.U);
            add_stages(i, y.v, method->a[i], s.q, s.V);
            LY_TRY(force_at(&s, t, s.U, s.V, s.G));
        }
        if (i == 0) {
            LY_TRY(derivative_by_time(&s, &moves));
            lyra_vector_copy(y.v, s.V);
        }
        LY_TRY(solve_stage(&s, i, moves));
    }
    // the mean acceleration of the step, which is what is known of it
    lyra_vector_copy(y.v, y.a);
    estimate_error(&s);
    add_stages(method->stages, y.u, method->m, s.p, y.u);
    add_stages(method->stages, y.v, method->m, s.q, y.v);
    lyra_vector_axpby(1 / dt, y.v, -1 / dt, y.a);
    return ly_explicit_finish(it, trial, s.t, dt);
}

static LyraStatus step(LyraIntegrator *it, LyraState *trial, double dt)
{
    return step_by(it, it->self, trial, dt);
}

// the coefficients are constant, and it->self owns nothing
static LyraStatus take(LyraIntegrator *it, const LyRosenbrock *method)
{
    it->self = (void *)method;
    return LYRA_OK;
}

static LyraStatus create2(LyraIntegrator *it)
{
    return take(it, &ly_ros2);
}

static LyraStatus create3(LyraIntegrator *it)
{
    return take(it, &ly_ros34pw2);
}

static LyraStatus create_amf(LyraIntegrator *it)
{
    return take(it, &ly_amf_rk32);
}

const char *lyra_rosenbrock_set(int32_t index)
{
    return index >= 0 && index < LY_ROSENBROCK_SETS ? ly_ros4[index].name : NULL;
}

static LyraStatus create4(LyraIntegrator *it)
{
    const char *name = it->def.rosenbrock_set;
    char list[128] = "";
    for (int32_t i = 0; i < LY_ROSENBROCK_SETS; ++i) {
        if (name && strcmp(name, ly_ros4[i].name) == 0) {
            it->def.rosenbrock_set = ly_ros4[i].name;
            return take(it, &ly_ros4[i]);
        }
        ly_list_name(sizeof list, list, ly_ros4[i].name);
    }
    return ly_fail(LYRA_INVALID_ARGUMENT, "rosenbrock4: no set is called '%s'; there are %s",
                   name ? name : "", list);
}

const LyIntegratorType ly_rosenbrock2 = {
    .facts = {.name = "rosenbrock2", .order = 2, .is_implicit = true},
    .vector_count = SCRATCH_COUNT,
    .create = create2,
    .step = step,
};

const LyIntegratorType ly_rosenbrock3 = {
    .facts = {.name = "rosenbrock3", .order = 3, .is_implicit = true},
    .vector_count = SCRATCH_COUNT,
    .create = create3,
    .step = step,
};

const LyIntegratorType ly_rosenbrock4 = {
    .facts = {.name = "rosenbrock4", .order = 4, .is_implicit = true},
    .vector_count = SCRATCH_COUNT,
    .create = create4,
    .step = step,
};

const LyIntegratorType ly_amf_rk32_type = {
    .facts = {.name = "amf-rk32", .order = 3, .is_implicit = true},
    .vector_count = SCRATCH_COUNT,
    .create = create_amf,
    .step = step,
};
