// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Backward differentiation of orders 2, 3 and 4 with steps of any length.
//
// With the polynomial p through the new value y_1 at t_1 and the last k values y_0, y_-1, ... at
// their times, p'(t_1) = y'_1. By Lagrange, with d_i = t_1 - t_i over the old values,
//
//   p'(t_1) = y_1 sum_i 1/d_i - sum_i y_i / d_i prod_{j != i} d_j / (d_j - d_i),
//
// so y_1 = sum_i w_i y_i + b y'_1 with b = 1 / sum 1/d_i and w_i = b / d_i prod d_j / (d_j - d_i);
// with equal steps b = 12/25 h and w = 48, -36, 16, -3 over 25 for k = 4. Twice, for u' = v and
// v' = a, in the unknown q = a_1:
//
//   v_1 = w.v + b q,   u_1 = w.u + b v_1 = w.u + b w.v + b^2 q.
//
// Start. The first k - 1 steps are of the method in sdirk.c, whose order 4 keeps that of the whole.
// A start by lower order would cost an order: BDF3 would be of order 2. The values before u_0 and
// v_0 and their times live in the state's block "bdf"; a state at another time than the block, or
// one without, starts anew.
//
// So does a step that is much longer than the one before. With steps that grow by a constant ratio,
// an error in the old values obeys e_1 = sum_i w_i e_i, whose roots stay inside the unit circle up
// to a ratio of 1 + sqrt 2, (1 + sqrt 5)/2 and 1.2807 for k = 2, 3, 4, found from its companion
// matrix; random steps within those bounds grow errors by less than 12. Beyond them w is of the
// size of the ratio to the power k - 1: a step of 10 ms after some of 1 us would make a metre out
// of every picometre. Shorter steps are always fine.
//
// The damping is frozen at the extrapolation of the old values to t_1, which is of order k - 1 as
// well: where K moves with u, D(u_0) would leave an error of first order.

#include "integrate/methods.h"

#include <math.h>

#define ORDER_MAX 4
#define HEAD (1 + ORDER_MAX) // number of old values, then their times, newest first

// by how much a step may be longer than the one before
static const double growth_max[ORDER_MAX + 1] = {[2] = 2.41, [3] = 1.61, [4] = 1.28};

// The work of ly_sdirk4_step() comes first.
enum { Q = LY_SDIRK4_WORK, U_0, V_0, A_0, W_U, COUNT };

// old values: 0 is the state's own, 1 .. in the state's vectors "bdf.values"
typedef struct History {
    int32_t known; // old values
    double *block;
    LyraVector **values; // u and v of each
} History;

static LyraVector *old_u(const History *history, int32_t i)
{
    return history->values[2 * (i - 1)];
}

static LyraVector *old_v(const History *history, int32_t i)
{
    return history->values[2 * (i - 1) + 1];
}

// weights of the old values at distances d, and b
static double find_weights(int32_t k, const double *d, double *w)
{
    double sum = 0;
    for (int32_t i = 0; i < k; ++i) {
        sum += 1 / d[i];
    }
    for (int32_t i = 0; i < k; ++i) {
        w[i] = 1 / (sum * d[i]);
        for (int32_t j = 0; j < k; ++j) {
            w[i] *= j == i ? 1 : d[j] / (d[j] - d[i]);
        }
    }
    return 1 / sum;
}

// weights that extrapolate the old values to t_1
static void find_extrapolation(int32_t k, const double *d, double *w)
{
    for (int32_t i = 0; i < k; ++i) {
        w[i] = 1;
        for (int32_t j = 0; j < k; ++j) {
            w[i] *= j == i ? 1 : d[j] / (d[j] - d[i]);
        }
    }
}

// y = sum of w over the old values
static void combine(const History *history, int32_t k, const double *w, const LyraVector *newest,
                    bool velocities, LyraVector *y)
{
    lyra_vector_axpby(w[0], newest, 0, y);
    for (int32_t i = 1; i < k; ++i) {
        lyra_vector_axpby(w[i], velocities ? old_v(history, i) : old_u(history, i), 1, y);
    }
}

// takes u and v at time t, about to become old, into the block
static void remember(History *history, int32_t order, LyraStateView view, double t)
{
    int32_t room = order - 1;
    for (int32_t i = room; i > 1; --i) {
        lyra_vector_copy(old_u(history, i - 1), old_u(history, i));
        lyra_vector_copy(old_v(history, i - 1), old_v(history, i));
        history->block[i] = history->block[i - 1];
    }
    lyra_vector_copy(view.u, old_u(history, 1));
    lyra_vector_copy(view.v, old_v(history, 1));
    history->block[1] = t;
    history->known = history->known < room ? history->known + 1 : room;
    history->block[0] = history->known;
}

static LyraStatus find_history(LyraIntegrator *it, LyraState *trial, int32_t order, double h,
                               History *out)
{
    bool fresh = false;
    LyraStateView view = lyra_state_view(trial);
    const LyraStateBlockDef head = {.name = "bdf", .version = order, .count = HEAD};
    const LyraStateVectorsDef old = {
        .name = "bdf.values", .version = order, .size = it->size, .count = 2 * (order - 1)};
    void *block = NULL;
    *out = (History){0};
    LY_TRY(lyra_state_block(trial, &head, &block, &fresh));
    LY_TRY(lyra_state_vectors(trial, &old, &out->values, &fresh));
    out->block = block;
    out->known = (int32_t)fmin(fmax(out->block[0], 0), order - 1);
    // block[ORDER_MAX] is the time at which the last step ended
    double gap = fabs(out->block[ORDER_MAX] - view.time);
    if (out->known > 0 && !(gap <= 1e-12 * fabs(view.time))) {
        out->known = 0;
    }
    if (out->known > 0 && h > growth_max[order] * (view.time - out->block[1])) {
        out->known = 0;
    }
    return LYRA_OK;
}

// one step by the formula, with all old values known
static LyraStatus step_formula(LyraIntegrator *it, LyraState *trial, History *history,
                               int32_t order, double h)
{
    LyraStateView view = lyra_state_view(trial);
    LyraVector *q = it->scratch[Q], *u_0 = it->scratch[U_0], *v_0 = it->scratch[V_0];
    LyraVector *w_u = it->scratch[W_U], *a_0 = it->scratch[A_0];
    double t = view.time, end = ly_moment(it, t, h), d[ORDER_MAX], w[ORDER_MAX];
    for (int32_t i = 0; i < order; ++i) {
        d[i] = i == 0 ? h : end - history->block[i];
    }
    find_extrapolation(order, d, w);
    combine(history, order, w, view.u, false, u_0);
    combine(history, order, w, view.v, true, v_0);
    LY_TRY(ly_update_damping(it, end, h, u_0, v_0, trial));

    double b = find_weights(order, d, w);
    combine(history, order, w, view.u, false, w_u);
    combine(history, order, w, view.v, true, v_0);
    lyra_vector_sum(b, v_0, w_u, u_0);
    lyra_vector_fill(a_0, 0);
    const LyStage stage = {.time = end,
                           .dt = h,
                           .u_q = b * b,
                           .v_q = b,
                           .a_q = 1,
                           .u_0 = u_0,
                           .v_0 = v_0,
                           .a_0 = a_0,
                           .previous = view.u,
                           .committed = trial};
    lyra_vector_copy(view.a, q);
    ly_start_constrained(it, &stage, end, q);
    ly_hold_rates(it, &stage, q, v_0, a_0);
    LY_TRY(ly_newton_solve(it->newton, it, &stage, trial, q));

    remember(history, order, view, t);
    lyra_vector_sum(b * b, q, u_0, view.u);
    lyra_vector_sum(b, q, v_0, view.v);
    lyra_vector_copy(q, view.a);
    return LYRA_OK;
}

static LyraStatus step_order(LyraIntegrator *it, LyraState *trial, int32_t order, double h)
{
    History history;
    LyraStateView view = lyra_state_view(trial);
    double end = ly_moment(it, view.time, h);
    LY_TRY(find_history(it, trial, order, h, &history));
    if (history.known == order - 1) {
        LY_TRY(step_formula(it, trial, &history, order, h));
    } else {
        LY_TRY(ly_start_acceleration(it, trial));
        remember(&history, order, view, view.time);
        LY_TRY(ly_sdirk4_step(it, trial, h, it->scratch));
    }
    history.block[ORDER_MAX] = end;
    LY_TRY(ly_end_step(it, trial, end, h));
    return ly_keep_acceleration(trial, end);
}

static LyraStatus step_2(LyraIntegrator *it, LyraState *trial, double h)
{
    return step_order(it, trial, 2, h);
}

static LyraStatus step_3(LyraIntegrator *it, LyraState *trial, double h)
{
    return step_order(it, trial, 3, h);
}

static LyraStatus step_4(LyraIntegrator *it, LyraState *trial, double h)
{
    return step_order(it, trial, 4, h);
}

const LyIntegratorType ly_bdf2 = {
    .facts = {.name = "bdf2", .order = 2, .is_implicit = true},
    .vector_count = COUNT,
    .newton = true,
    .step = step_2,
};

const LyIntegratorType ly_bdf3 = {
    .facts = {.name = "bdf3", .order = 3, .is_implicit = true},
    .vector_count = COUNT,
    .newton = true,
    .step = step_3,
};

const LyIntegratorType ly_bdf4 = {
    .facts = {.name = "bdf4", .order = 4, .is_implicit = true},
    .vector_count = COUNT,
    .newton = true,
    .step = step_4,
};
