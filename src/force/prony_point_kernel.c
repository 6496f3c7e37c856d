// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Prony series at a batch of points. The law is split into U(J) = W(J^(1/3) 1) and the rest W - U,
// with the second Piola stress S. With a = exp(-dt/tau) and g = (1 - a) tau/dt (1 at dt = 0), a
// branch of the shares beta, beta' holds
//
//   H = a H_n + beta g (S - S_n),   p = a p_n + beta' g (U' - U'_n),
//
// exact where S is linear in time. The step has the incremental potential
//
//   Psi = (1 + B) W + (B' - B) U + S_h : E + p_h J,   B = sum beta g, B' = sum beta' g,
//   S_h = sum (a H_n - beta g S_n),  p_h = sum (a p_n - beta' g U'_n),
//
// so P = (1 + B) P_W + ((B' - B) U' + p_h) cof F + F S_h, and the tangent gains (b.S_h b') 1. The
// projected tangent takes the positive part of S_h.
//
// Energy is counted from what is stored: with mu and K of the law at rest, a branch stores
// H:H/(4 mu beta) + p^2/(2 K beta'), and the energy is that, W and the growth of Psi less W since
// the last step. What is lost is the energy at the end of a step less what is stored then; in
// linear strain it is never negative.
//
// S grows as 1/s^2 where a stretch s becomes small, and has no value at 0: a step that ends below
// about s = 0.1, or inside out, leaves the branches a (H_n - beta S_n), and they count on from S =
// 0.

#include "force/stretch_form.h"
#include "math/elementary.h"

#define WIDTH LYRA_BATCH_WIDTH
// |F^-1|^2 at which a point counts as flat
#define FLAT 100.0
// Below J_0 = VOLUME_FLOOR, U goes on as U_0 + U_0' J_0 (e^{(J - J_0)/J_0} - 1), which stays
// finite: where shear relaxes more than volume U counts negative, and must not outgrow the rest.
#define VOLUME_FLOOR 0.1

static const int pair_i[6] = {0, 1, 2, 0, 1, 0}, pair_j[6] = {0, 1, 2, 1, 2, 2};

LY_INLINE LyReal contract(const LyReal a[6], const LyReal b[6])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] +
           2.0 * (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
}

// ---- the law under equal stretches --------------------------------------------------------------

typedef struct Volume {
    LyReal value, slope, curvature; // of U by J
    LyReal mu, K;                   // if at rest
} Volume;

// W_1, W_11 + 2 W_12 and W_11 - W_12 at three stretches c
static void evaluate_equal(const LyIsotropic *solid, const double *parameters, const double *c,
                           double *energy, double *first, double *sum, double *difference)
{
    double arguments[3 * WIDTH] __attribute__((aligned(64)));
    double g[3 * WIDTH] __attribute__((aligned(64))), h[6 * WIDTH] __attribute__((aligned(64)));
    bool invariants = solid->law->arguments == LYRA_MATERIAL_INVARIANTS;
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        LyReal s = ly_load(c + lane), s2 = s * s;
        ly_store(arguments + lane, invariants ? 3.0 * s2 : s);
        ly_store(arguments + WIDTH + lane, invariants ? 3.0 * s2 * s2 : s);
        ly_store(arguments + 2 * WIDTH + lane, invariants ? s2 * s : s);
    }
    LyraMaterialBatch batch = {.arguments = arguments,
                               .parameters = parameters,
                               .energy = energy,
                               .gradient = g,
                               .hessian = h};
    solid->law->evaluate(solid->law_user, &batch);
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        LyReal s = ly_load(c + lane), W[6], w = ly_load(g + lane);
        for (int n = 0; n < 6; ++n) {
            W[n] = ly_load(h + n * WIDTH + lane);
        }
        LyReal own = W[0], mixed = W[3];
        if (invariants) {
            LyReal z[3] = {2.0 * s, 4.0 * s * s * s, s * s}, Hz[3];
            LyVec3 d = ly_vec3_load_lanes(g + lane);
            Hz[0] = W[0] * z[0] + W[3] * z[1] + W[5] * z[2];
            Hz[1] = W[3] * z[0] + W[1] * z[1] + W[4] * z[2];
            Hz[2] = W[5] * z[0] + W[4] * z[1] + W[2] * z[2];
            LyReal square = z[0] * Hz[0] + z[1] * Hz[1] + z[2] * Hz[2];
            w = z[0] * d.v[0] + z[1] * d.v[1] + z[2] * d.v[2];
            own = 2.0 * d.v[0] + 12.0 * s * s * d.v[1] + square;
            mixed = s * d.v[2] + square;
        }
        ly_store(first + lane, w);
        ly_store(sum + lane, own + 2.0 * mixed);
        ly_store(difference + lane, own - mixed);
    }
}

// `stored`: whether the moduli at rest are wanted
static void find_volume_energy(const LyIsotropic *solid, const double *parameters,
                               const LyPoints *points, bool stored, Volume volumes[])
{
    double c[WIDTH] __attribute__((aligned(64))), energy[WIDTH] __attribute__((aligned(64)));
    double w[WIDTH] __attribute__((aligned(64))), sum[WIDTH] __attribute__((aligned(64)));
    double difference[WIDTH] __attribute__((aligned(64)));
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        LyMat3 F = ly_mat3_load_lanes(points->F + lane);
        LyReal J = ly_max(ly_set(VOLUME_FLOOR), ly_mat3_determinant(&F)); // NaN stays
        // a Newton step sharpens the cube root, and leaves 1 as it is
        LyReal r = ly_exp_lanes((1.0 / 3) * ly_log_lanes(J));
        ly_store(c + lane, r - (r * r * r - J) / (3.0 * r * r));
    }
    evaluate_equal(solid, parameters, c, energy, w, sum, difference);
    for (int lane = 0, n = 0; lane < WIDTH; lane += LY_LANES, ++n) {
        LyMat3 F = ly_mat3_load_lanes(points->F + lane);
        LyReal J = ly_mat3_determinant(&F), s = ly_load(c + lane), inverse = 1.0 / (s * s);
        Volume *v = &volumes[n];
        LyReal first = ly_load(w + lane), depth = ly_min(J - VOLUME_FLOOR, ly_set(0));
        v->slope = first * inverse;
        v->curvature = (ly_load(sum + lane) - 2.0 * first / s) * inverse * inverse * (1.0 / 3);
        LyReal fade = ly_exp_lanes(depth / VOLUME_FLOOR);
        v->value = ly_load(energy + lane) + VOLUME_FLOOR * v->slope * (fade - 1.0);
        v->slope *= fade;
        v->curvature = ly_select(ly_less(depth, ly_set(0)), v->slope / VOLUME_FLOOR, v->curvature);
        v->mu = v->K = ly_set(1);
    }
    if (!stored) {
        return;
    }
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        ly_store(c + lane, ly_set(1));
    }
    evaluate_equal(solid, parameters, c, energy, w, sum, difference);
    for (int lane = 0, n = 0; lane < WIDTH; lane += LY_LANES, ++n) {
        volumes[n].mu = 0.5 * ly_load(difference + lane);
        volumes[n].K = (1.0 / 3) * ly_load(sum + lane);
    }
}

// ---- branches -----------------------------------------------------------------------------------

// what a step of dt does, for all elements
typedef struct Steps {
    double decay[LYRA_RELAXATION_BRANCHES_MAX], growth[LYRA_RELAXATION_BRANCHES_MAX];
    double shear, bulk; // B and B'
} Steps;

static void find_steps(const LyProny *prony, double dt, Steps *steps)
{
    steps->shear = steps->bulk = 0;
    for (int i = 0; i < prony->branch_count; ++i) {
        double y = dt > 0 ? dt / prony->branches[i].time : 0;
        steps->decay[i] = exp(-y);
        steps->growth[i] = y > 0 ? -expm1(-y) / y : 1;
        steps->shear += prony->branches[i].shear * steps->growth[i];
        steps->bulk += prony->branches[i].bulk * steps->growth[i];
    }
}

// the history of a point in lanes, and what it makes of a step
typedef struct Past {
    LyReal E[6], S[6], W, U, slope, J; // J less 1
    LyReal Sh[6], ph, stored;
    const Volume *volume;
} Past;

LY_INLINE const double *find_branch(const LyProny *prony, const double *history, int q, int i)
{
    return history + (q * prony->numbers + LY_PRONY_BRANCHES + i * LY_PRONY_BRANCH_COUNT) * WIDTH;
}

LY_INLINE void load_past(const LyProny *prony, const double *history, int q, int lane,
                         const Steps *steps, const Volume *rest, bool stored, Past *past)
{
    const double *at = history + q * prony->numbers * WIDTH + lane;
    for (int k = 0; k < 6; ++k) {
        past->E[k] = ly_load(at + (LY_PRONY_E + k) * WIDTH);
        past->S[k] = ly_load(at + (LY_PRONY_S + k) * WIDTH);
        past->Sh[k] = -steps->shear * past->S[k];
    }
    past->W = ly_load(at + LY_PRONY_W * WIDTH);
    past->U = ly_load(at + LY_PRONY_U * WIDTH);
    past->slope = ly_load(at + LY_PRONY_SLOPE * WIDTH);
    past->J = ly_load(at + LY_PRONY_J * WIDTH);
    past->ph = -steps->bulk * past->slope;
    past->stored = ly_set(0);
    past->volume = rest;
    for (int i = 0; i < prony->branch_count; ++i) {
        const double *branch = find_branch(prony, history, q, i) + lane;
        LyReal H[6], p = ly_load(branch + LY_PRONY_PRESSURE * WIDTH);
        for (int k = 0; k < 6; ++k) {
            H[k] = ly_load(branch + k * WIDTH);
            past->Sh[k] += steps->decay[i] * H[k];
        }
        past->ph += steps->decay[i] * p;
        if (stored && prony->branches[i].shear > 0) {
            past->stored += contract(H, H) / (4 * prony->branches[i].shear * rest->mu);
        }
        if (stored && prony->branches[i].bulk > 0) {
            past->stored += p * p / (2 * prony->branches[i].bulk * rest->K);
        }
    }
}

// writes the end of a step; returns what is stored in the branches then
LY_INLINE LyReal commit(const LyProny *prony, const LyraBatch *batch, int q, int lane,
                        const Steps *steps, const Past *past, LyMask regular,
                        const LyReal now[LY_PRONY_BRANCHES])
{
    double *to = batch->trial_history + q * prony->numbers * WIDTH + lane;
    const Volume *volume = past->volume;
    LyReal stored = ly_set(0);
    for (int i = 0; i < prony->branch_count; ++i) {
        const double *from = find_branch(prony, batch->history, q, i) + lane;
        double *out = to + (LY_PRONY_BRANCHES + i * LY_PRONY_BRANCH_COUNT) * WIDTH;
        double shear = prony->branches[i].shear, bulk = prony->branches[i].bulk;
        LyReal H[6], p = steps->decay[i] * ly_load(from + LY_PRONY_PRESSURE * WIDTH);
        for (int k = 0; k < 6; ++k) {
            LyReal faded = steps->decay[i] * ly_load(from + k * WIDTH);
            LyReal grown = shear * steps->growth[i] * (now[LY_PRONY_S + k] - past->S[k]);
            H[k] = faded + ly_select(regular, grown, -steps->decay[i] * shear * past->S[k]);
            ly_store(out + k * WIDTH, H[k]);
        }
        p += bulk * steps->growth[i] * (now[LY_PRONY_SLOPE] - past->slope);
        ly_store(out + LY_PRONY_PRESSURE * WIDTH, p);
        stored += shear > 0 ? contract(H, H) / (4 * shear * volume->mu) : ly_set(0);
        stored += bulk > 0 ? p * p / (2 * bulk * volume->K) : ly_set(0);
    }
    for (int n = 0; n < LY_PRONY_BRANCHES; ++n) {
        ly_store(to + n * WIDTH, now[n]);
    }
    return stored;
}

// ---- points -------------------------------------------------------------------------------------

// what is added to the law at points that it was evaluated at, and the end of the step
static void add_branches(const LyIsotropic *solid, const LyraBatch *batch, int q, int lane,
                         bool psd, const Steps *steps, const Past *past, LyPoints *points)
{
    const Volume *volume = past->volume;
    const LyProny *prony = solid->prony;
    LyMat3 F = ly_mat3_load_lanes(points->F + lane), K = ly_mat3_cofactor(&F);
    LyMat3 C = ly_mat3_transposed_multiply(&F, &F), P = ly_mat3_load_lanes(points->P + lane), Sh;
    LyReal J = ly_mat3_determinant(&F), now[LY_PRONY_BRANCHES];
    for (int k = 0; k < 9; ++k) {
        Sh.m[k / 3][k % 3] = past->Sh[LY_PAIR(k / 3, k % 3)];
    }
    for (int p = 0; p < 6; ++p) {
        now[p] = 0.5 * (C.m[pair_i[p]][pair_j[p]] - (p < 3 ? 1.0 : 0.0));
    }
    // the law alone
    LyReal rho = ly_load(batch->parameters + solid->law->parameter_count * WIDTH + lane);
    LyResistance r = ly_resistance(rho, J);
    LyReal less = ly_load(points->relaxed + lane) + r.value;
    LyReal slope = ly_load(points->relaxed + WIDTH + lane) + r.slope;
    LyReal W = (ly_load(points->energy + lane) - less) / points->scale;
    LyMat3 own, FS = ly_mat3_multiply(&F, &Sh);
    for (int k = 0; k < 9; ++k) {
        own.m[k / 3][k % 3] = (P.m[k / 3][k % 3] - slope * K.m[k / 3][k % 3]) / points->scale;
        P.m[k / 3][k % 3] += FS.m[k / 3][k % 3];
    }
    ly_mat3_store_lanes(points->P + lane, &P);
    LyReal B = ly_set(steps->shear), more = ly_set(steps->bulk - steps->shear);
    LyReal energy = W + r.value + past->stored + B * (W - past->W) +
                    more * (volume->value - past->U) + past->ph * (J - 1.0 - past->J);
    for (int p = 0; p < 6; ++p) {
        energy += (p < 3 ? 1.0 : 2.0) * past->Sh[p] * (now[p] - past->E[p]);
        ly_store(points->stress + p * WIDTH + lane, past->Sh[p]);
    }
    ly_store(points->energy + lane, energy);
    if (psd) {
        LyMat3 Q;
        LyVec3 values;
        ly_mat3_eigen(&Sh, &values, &Q);
        points->projected = points->projected || ly_any(ly_less(values.v[2], ly_set(0)));
        for (int p = 0; p < 6; ++p) {
            LyReal sum = ly_set(0);
            for (int k = 0; k < 3; ++k) {
                sum += ly_max(values.v[k], ly_set(0)) * Q.m[pair_i[p]][k] * Q.m[pair_j[p]][k];
            }
            ly_store(points->stress + p * WIDTH + lane, sum);
        }
    }
    if (!batch->trial_history) {
        return;
    }
    LyMat3 inverse, S;
    LyMask regular = ly_mat3_inverse(&F, &inverse);
    regular = ly_and(regular, ly_greater(J, ly_set(0)));
    regular = ly_and(regular, ly_less(ly_mat3_norm_squared(&inverse), ly_set(FLAT)));
    for (int k = 0; k < 9; ++k) {
        own.m[k / 3][k % 3] -= volume->slope * K.m[k / 3][k % 3];
    }
    S = ly_mat3_multiply(&inverse, &own);
    for (int p = 0; p < 6; ++p) {
        now[LY_PRONY_S + p] = ly_select(regular, S.m[pair_i[p]][pair_j[p]], ly_set(0));
    }
    now[LY_PRONY_W] = W;
    now[LY_PRONY_U] = volume->value;
    now[LY_PRONY_SLOPE] = volume->slope;
    now[LY_PRONY_J] = J - 1.0;
    LyReal stored = commit(prony, batch, q, lane, steps, past, regular, now);
    ly_store(points->lost + lane, energy - W - r.value - stored);
}

void LY_KERNEL(ly_points_relax)(const LyIsotropic *solid, const LyraBatch *batch, int q,
                                bool tangent, bool psd, LyPoints *points)
{
    Volume volumes[WIDTH / LY_LANES];
    Steps steps;
    find_steps(solid->prony, batch->dt, &steps);
    bool stored = batch->energy || batch->trial_history;
    Past pasts[WIDTH / LY_LANES];
    find_volume_energy(solid, batch->parameters, points, stored, volumes);
    points->scale = 1 + steps.shear;
    points->volume = points->relaxed;
    for (int lane = 0, n = 0; lane < WIDTH; lane += LY_LANES, ++n) {
        Past *past = &pasts[n];
        load_past(solid->prony, batch->history, q, lane, &steps, &volumes[n], stored, past);
        LyMat3 F = ly_mat3_load_lanes(points->F + lane);
        LyReal J = ly_mat3_determinant(&F), more = ly_set(steps.bulk - steps.shear);
        ly_store(points->relaxed + lane, more * volumes[n].value + past->ph * J);
        ly_store(points->relaxed + WIDTH + lane, more * volumes[n].slope + past->ph);
        ly_store(points->relaxed + 2 * WIDTH + lane, more * volumes[n].curvature);
    }
    LY_KERNEL(ly_points_evaluate)(solid, batch->parameters, tangent, psd, points);
    points->stressed = true;
    for (int lane = 0, n = 0; lane < WIDTH; lane += LY_LANES, ++n) {
        add_branches(solid, batch, q, lane, tangent && psd, &steps, &pasts[n], points);
    }
}
