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
// the last step. What is lost in a step is the work of the branches along a ramp,
//
//   sum g H_n : dE + beta k dS : dE + (the same of p, U', J),   k = (1 - g) tau/dt,
//
// less the growth of what they store: >= 0 in linear strain.
//
// Moduli that have changed since the last step scale what is remembered: the strains of the
// branches' springs stay, their stresses are those of the new moduli.
//
// Corotated, beside a law of small strain in rotated frames: E is S - 1 with the polar stretch S of
// F, its stress T = 2 mu dev E + K tr E 1 stands for the second Piola stress, tr E for J - 1, and
// the branches are all that there is:
//
//   Psi = sum beta g mu |dev E|^2 + beta' g K tr(E)^2/2 + S_h : E + p_h tr E,
//
// whose stress and tangent by F are those of force/strain_frame.h. It is quadratic in E, so that no
// branch ever gives back more than it stores.
//
// Alone, beside a law of which one coefficient relaxes: the law has that coefficient and no other,
// beta' = beta, and 1 + B is B.
//
// S grows as 1/s^2 where a stretch s becomes small, and has no value at 0: a step that ends below
// about s = 0.1, or inside out, leaves the branches a (H_n - beta S_n), and they count on from S =
// 0.

#include "force/strain_frame.h"
#include "material/material.h"
#include "math/elementary.h"

#define WIDTH LYRA_BATCH_WIDTH
// |F^-1|^2 at which a point counts as flat
#define FLAT 100.0
// Below J_0 = VOLUME_FLOOR, U goes on as U_0 + U_0' J_0 (e^{(J - J_0)/J_0} - 1), which stays
// finite: where shear relaxes more than volume U counts negative, and must not outgrow the rest.
#define VOLUME_FLOOR 0.1

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

static void find_volume_energy(const LyIsotropic *solid, const double *parameters,
                               const LyPoints *points, Volume volumes[])
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
    }
    // the moduli at rest
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
    double mean[LYRA_RELAXATION_BRANCHES_MAX]; // k
    double shear, bulk;                        // B and B'
} Steps;

static void find_steps(const LyProny *prony, double dt, Steps *steps)
{
    steps->shear = steps->bulk = 0;
    for (int i = 0; i < prony->branch_count; ++i) {
        double y = dt > 0 ? dt / prony->branches[i].time : 0;
        steps->decay[i] = exp(-y);
        steps->growth[i] = y > 0 ? -expm1(-y) / y : 1;
        // cancels for short steps
        steps->mean[i] = y > 0.01 ? (1 - steps->growth[i]) / y : 0.5 - y * (1.0 / 6 - y / 24);
        steps->shear += prony->branches[i].shear * steps->growth[i];
        steps->bulk += prony->branches[i].bulk * steps->growth[i];
    }
}

// the history of a point in lanes, and what it makes of a step
typedef struct Past {
    LyReal E[6], S[6], W, U, slope, J; // J less 1
    LyReal Sh[6], ph, stored;
    LyReal shear, bulk; // moduli now over those of the last step
    const Volume *volume;
} Past;

LY_INLINE const double *find_branch(const LyProny *prony, const double *history, int q, int i)
{
    return history + (q * prony->numbers + LY_PRONY_BRANCHES + i * LY_PRONY_BRANCH_COUNT) * WIDTH;
}

// of a modulus to what it was, 1 before the first step
LY_INLINE LyReal find_ratio(LyReal now, LyReal was)
{
    LyMask known = ly_greater(was, ly_set(0));
    return ly_select(known, now / ly_select(known, was, ly_set(1)), ly_set(1));
}

// in a branch; a modulus of 0 stores nothing
LY_INLINE LyReal find_stored(const LyraRelaxationBranch *branch, const LyReal H[6], LyReal p,
                             const Volume *rest)
{
    LyReal mu = 4 * branch->shear * rest->mu, K = 2 * branch->bulk * rest->K;
    LyMask sheared = ly_greater(mu, ly_set(0)), pressed = ly_greater(K, ly_set(0));
    LyReal shear = contract(H, H) / ly_select(sheared, mu, ly_set(1));
    LyReal pressure = p * p / ly_select(pressed, K, ly_set(1));
    return ly_select(sheared, shear, ly_set(0)) + ly_select(pressed, pressure, ly_set(0));
}

LY_INLINE void load_past(const LyProny *prony, const double *history, int q, int lane,
                         const Steps *steps, const Volume *rest, Past *past)
{
    const double *at = history + q * prony->numbers * WIDTH + lane;
    past->shear = find_ratio(rest->mu, ly_load(at + LY_PRONY_MU * WIDTH));
    past->bulk = find_ratio(rest->K, ly_load(at + LY_PRONY_BULK * WIDTH));
    for (int k = 0; k < 6; ++k) {
        past->E[k] = ly_load(at + (LY_PRONY_E + k) * WIDTH);
        past->S[k] = past->shear * ly_load(at + (LY_PRONY_S + k) * WIDTH);
        past->Sh[k] = -steps->shear * past->S[k];
    }
    LyReal U = ly_load(at + LY_PRONY_U * WIDTH);
    past->U = past->bulk * U;
    past->W = past->shear * (ly_load(at + LY_PRONY_W * WIDTH) - U) + past->U;
    past->slope = past->bulk * ly_load(at + LY_PRONY_SLOPE * WIDTH);
    past->J = ly_load(at + LY_PRONY_J * WIDTH);
    past->ph = -steps->bulk * past->slope;
    past->stored = ly_set(0);
    past->volume = rest;
    for (int i = 0; i < prony->branch_count; ++i) {
        const double *branch = find_branch(prony, history, q, i) + lane;
        LyReal H[6], p = past->bulk * ly_load(branch + LY_PRONY_PRESSURE * WIDTH);
        for (int k = 0; k < 6; ++k) {
            H[k] = past->shear * ly_load(branch + k * WIDTH);
            past->Sh[k] += steps->decay[i] * H[k];
        }
        past->ph += steps->decay[i] * p;
        past->stored += find_stored(&prony->branches[i], H, p, rest);
    }
}

// writes the end of a step; returns what the branches lost
LY_INLINE LyReal commit(const LyProny *prony, const LyraBatch *batch, int q, int lane,
                        const Steps *steps, const Past *past, LyMask regular,
                        const LyReal now[LY_PRONY_BRANCHES])
{
    double *to = batch->trial_history + q * prony->numbers * WIDTH + lane;
    const Volume *volume = past->volume;
    LyReal lost = past->stored, dE[6], dS[6], dJ = now[LY_PRONY_J] - past->J;
    LyReal rise = now[LY_PRONY_SLOPE] - past->slope;
    for (int k = 0; k < 6; ++k) {
        dE[k] = now[LY_PRONY_E + k] - past->E[k];
        dS[k] = now[LY_PRONY_S + k] - past->S[k];
    }
    for (int i = 0; i < prony->branch_count; ++i) {
        const double *from = find_branch(prony, batch->history, q, i) + lane;
        double *out = to + (LY_PRONY_BRANCHES + i * LY_PRONY_BRANCH_COUNT) * WIDTH;
        double shear = prony->branches[i].shear, bulk = prony->branches[i].bulk;
        LyReal H[6], mean[6], p = past->bulk * ly_load(from + LY_PRONY_PRESSURE * WIDTH);
        lost += (steps->growth[i] * p + bulk * steps->mean[i] * rise) * dJ;
        p = steps->decay[i] * p + bulk * steps->growth[i] * rise;
        ly_store(out + LY_PRONY_PRESSURE * WIDTH, p);
        for (int k = 0; k < 6; ++k) {
            LyReal was = past->shear * ly_load(from + k * WIDTH);
            LyReal grown = shear * steps->growth[i] * dS[k];
            mean[k] = steps->growth[i] * was + shear * steps->mean[i] * dS[k];
            H[k] = steps->decay[i] * was +
                   ly_select(regular, grown, -steps->decay[i] * shear * past->S[k]);
            ly_store(out + k * WIDTH, H[k]);
        }
        lost += contract(mean, dE);
        lost -= find_stored(&prony->branches[i], H, p, volume);
    }
    for (int n = 0; n < LY_PRONY_BRANCHES; ++n) {
        ly_store(to + n * WIDTH, now[n]);
    }
    return lost;
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
        now[p] = 0.5 * (C.m[ly_pair_i[p]][ly_pair_j[p]] - (p < 3 ? 1.0 : 0.0));
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
    LyReal kept = prony->alone ? ly_set(0) : W + r.value;
    LyReal energy = kept + past->stored + B * (W - past->W) + more * (volume->value - past->U) +
                    past->ph * (J - 1.0 - past->J);
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
                sum += ly_max(values.v[k], ly_set(0)) * Q.m[ly_pair_i[p]][k] * Q.m[ly_pair_j[p]][k];
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
        now[LY_PRONY_S + p] = ly_select(regular, S.m[ly_pair_i[p]][ly_pair_j[p]], ly_set(0));
    }
    now[LY_PRONY_W] = W;
    now[LY_PRONY_U] = volume->value;
    now[LY_PRONY_SLOPE] = volume->slope;
    now[LY_PRONY_J] = J - 1.0;
    now[LY_PRONY_MU] = volume->mu;
    now[LY_PRONY_BULK] = volume->K;
    LyReal lost = commit(prony, batch, q, lane, steps, past, regular, now);
    ly_store(points->lost + lane, lost);
}

// ---- beside laws in rotated frames --------------------------------------------------------------

// no sum of two stretches counts as less than this share of the largest one
#define LEAST_SUM 1e-6

// f[i,j] = 1/(s_i + s_j) and f[i,j,k] = - f[i,j] f[j,k] f[k,i] of f = sqrt - 1
LY_INLINE void find_differences(const LyVec3 *stretches, LyStrainFrame *f)
{
    LyReal least = LEAST_SUM * stretches->v[0];
    for (int p = 0; p < 6; ++p) {
        LyReal sum = stretches->v[ly_pair_i[p]] + stretches->v[ly_pair_j[p]];
        LyReal away = ly_select(ly_less(sum, ly_set(0)), -least, least);
        f->first[p] = 1.0 / ly_select(ly_less(ly_abs(sum), least), away, sum);
    }
    for (int n = 0; n < 27; ++n) {
        int i = n / 9, j = n / 3 % 3, k = n % 3;
        f->twice[n] = -f->first[LY_PAIR(i, j)] * f->first[LY_PAIR(j, k)] * f->first[LY_PAIR(k, i)];
    }
}

static void evaluate_corotated(const LyIsotropic *solid, const LyraBatch *batch, int q, int lane,
                               bool tangent, bool psd, const Steps *steps, LyPoints *points)
{
    const LyProny *prony = solid->prony;
    LyMat3 F = ly_mat3_load_lanes(points->F + lane);
    LySvd3 svd;
    F = ly_flush_flat(&F);
    ly_mat3_svd(&F, &svd);
    ly_mat3_store_lanes(points->U + lane, &svd.U);
    ly_mat3_store_lanes(points->V + lane, &svd.V);
    LyReal mu = ly_load(batch->parameters + LY_MU * WIDTH + lane);
    LyReal K = ly_load(batch->parameters + LY_LAMBDA * WIDTH + lane) + (2.0 / 3) * mu;
    const Volume rest = {.mu = mu, .K = K};
    Past past;
    load_past(prony, batch->history, q, lane, steps, &rest, &past);
    LyStrainFrame f = {.K = steps->bulk * K, .mu = steps->shear * mu, .th = ly_set(1)};
    f.tb = ly_set(0);
    LyReal e[6], d[6], Sh[6], trace = (svd.s.v[0] - 1.0) + (svd.s.v[1] - 1.0) + (svd.s.v[2] - 1.0);
    ly_frame_turn(&svd.V, true, past.Sh, Sh);
    for (int p = 0; p < 6; ++p) {
        e[p] = p < 3 ? svd.s.v[p] - 1.0 : ly_set(0);
        d[p] = p < 3 ? e[p] - (1.0 / 3) * trace : ly_set(0);
        f.n[p] = ly_set(0);
        f.T[p] = 2.0 * f.mu * d[p] + Sh[p] + (p < 3 ? f.K * trace + past.ph : ly_set(0));
    }
    LyReal was = contract(past.E, past.E) - (1.0 / 3) * past.J * past.J;
    LyReal energy = past.stored + f.mu * (contract(d, d) - was) +
                    0.5 * f.K * (trace * trace - past.J * past.J) + contract(Sh, e) -
                    contract(past.Sh, past.E) + past.ph * (trace - past.J);
    ly_store(points->energy + lane, energy);
    for (int i = 0; i < 3; ++i) {
        ly_store(points->s + i * WIDTH + lane, svd.s.v[i]);
    }
    find_differences(&svd.s, &f);
    ly_frame_stress(&f, &svd, ly_set(0), lane, points);
    if (tangent) {
        ly_frame_store(&f, psd, lane, points);
    }
    if (batch->trial_history) {
        LyReal now[LY_PRONY_BRANCHES], S[6];
        for (int p = 0; p < 6; ++p) {
            S[p] = 2.0 * mu * d[p];
        }
        ly_frame_turn(&svd.V, false, e, now + LY_PRONY_E);
        ly_frame_turn(&svd.V, false, S, now + LY_PRONY_S);
        now[LY_PRONY_W] = now[LY_PRONY_U] = ly_set(0);
        now[LY_PRONY_SLOPE] = K * trace;
        now[LY_PRONY_J] = trace;
        now[LY_PRONY_MU] = mu;
        now[LY_PRONY_BULK] = K;
        LyMask all = ly_equal(mu, mu);
        LyReal lost = commit(prony, batch, q, lane, steps, &past, all, now);
        ly_store(points->lost + lane, lost);
    }
}

void LY_KERNEL(ly_points_relax)(const LyIsotropic *solid, const LyraBatch *batch, int q,
                                bool tangent, bool psd, LyPoints *points)
{
    Volume volumes[WIDTH / LY_LANES];
    Steps steps;
    find_steps(solid->prony, batch->dt, &steps);
    if (solid->prony->corotated) {
        points->additive = true;
        points->mapped = points->stressed = false;
        points->projected = tangent && psd;
        for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
            evaluate_corotated(solid, batch, q, lane, tangent, psd, &steps, points);
        }
        return;
    }
    Past pasts[WIDTH / LY_LANES];
    find_volume_energy(solid, batch->parameters, points, volumes);
    // above 0, as the law is found again by division
    points->scale = solid->prony->alone ? fmax(steps.shear, 1e-12) : 1 + steps.shear;
    points->volume = points->relaxed;
    for (int lane = 0, n = 0; lane < WIDTH; lane += LY_LANES, ++n) {
        Past *past = &pasts[n];
        load_past(solid->prony, batch->history, q, lane, &steps, &volumes[n], past);
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
