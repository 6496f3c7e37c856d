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
// `sum`, `difference`: Nullable, both.
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
                               .hessian = sum ? h : NULL};
    solid->law->evaluate(solid->law_user, &batch);
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        LyReal s = ly_load(c + lane), W[6], w = ly_load(g + lane);
        if (invariants) {
            LyVec3 d = ly_vec3_load_lanes(g + lane);
            w = 2.0 * s * d.v[0] + 4.0 * s * s * s * d.v[1] + s * s * d.v[2];
        }
        ly_store(first + lane, w);
        if (!sum) {
            continue;
        }
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
            own = 2.0 * d.v[0] + 12.0 * s * s * d.v[1] + square;
            mixed = s * d.v[2] + square;
        }
        ly_store(sum + lane, own + 2.0 * mixed);
        ly_store(difference + lane, own - mixed);
    }
}

// mu and K at rest: of most laws they are linear in the parameters
static void find_moduli(const LyIsotropic *solid, const double *parameters, Volume volumes[])
{
    const LyProny *prony = solid->prony;
    double c[WIDTH] __attribute__((aligned(64))), energy[WIDTH] __attribute__((aligned(64)));
    double w[WIDTH] __attribute__((aligned(64))), sum[WIDTH] __attribute__((aligned(64)));
    double difference[WIDTH] __attribute__((aligned(64)));
    if (!prony->linear) {
        for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
            ly_store(c + lane, ly_set(1));
        }
        evaluate_equal(solid, parameters, c, energy, w, sum, difference);
    }
    for (int lane = 0, n = 0; lane < WIDTH; lane += LY_LANES, ++n) {
        Volume *v = &volumes[n];
        if (!prony->linear) {
            v->mu = 0.5 * ly_load(difference + lane);
            v->K = (1.0 / 3) * ly_load(sum + lane);
            continue;
        }
        v->mu = v->K = ly_set(0);
        for (int p = 0; p < solid->law->parameter_count; ++p) {
            LyReal parameter = ly_load(parameters + p * WIDTH + lane);
            v->mu += prony->mu[p] * parameter;
            v->K += prony->K[p] * parameter;
        }
    }
}

// J^(1/3): two steps of Halley's from a series near 1, which is left as it is
LY_INLINE LyReal find_cube_root(LyReal J)
{
    LyMask near = ly_and(ly_greater(J, ly_set(0.5)), ly_less(J, ly_set(2)));
    LyReal y = ly_select(near, J, ly_set(1)), x = y - 1.0;
    LyReal r = 1.0 + x * (1.0 / 3 - x * (1.0 / 9 - x * (5.0 / 81)));
    for (int k = 0; k < 2; ++k) {
        LyReal cube = r * r * r;
        r *= (cube + 2.0 * y) / (2.0 * cube + y);
    }
    if (!ly_all(near)) {
        LyReal root = ly_exp_lanes((1.0 / 3) * ly_log_lanes(J));
        r = ly_select(near, r, root - (root * root * root - J) / (3.0 * root * root));
    }
    return r;
}

// `tangent`: with the curvature
static void find_volume_energy(const LyIsotropic *solid, const double *parameters, bool tangent,
                               const double *dets, Volume volumes[])
{
    double c[WIDTH] __attribute__((aligned(64))), energy[WIDTH] __attribute__((aligned(64)));
    double w[WIDTH] __attribute__((aligned(64))), sum[WIDTH] __attribute__((aligned(64)));
    double difference[WIDTH] __attribute__((aligned(64)));
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        // NaN stays
        ly_store(c + lane, find_cube_root(ly_max(ly_set(VOLUME_FLOOR), ly_load(dets + lane))));
    }
    evaluate_equal(solid, parameters, c, energy, w, tangent ? sum : NULL, difference);
    for (int lane = 0, n = 0; lane < WIDTH; lane += LY_LANES, ++n) {
        LyReal s = ly_load(c + lane), inverse = 1.0 / (s * s);
        LyReal first = ly_load(w + lane);
        LyReal depth = ly_min(ly_load(dets + lane) - VOLUME_FLOOR, ly_set(0));
        Volume *v = &volumes[n];
        v->value = ly_load(energy + lane);
        v->slope = first * inverse;
        v->curvature = ly_set(0);
        if (tangent) {
            v->curvature =
                (ly_load(sum + lane) - 2.0 * first * s * inverse) * inverse * inverse * (1.0 / 3);
        }
        LyMask deep = ly_less(depth, ly_set(0));
        if (ly_any(deep)) {
            LyReal fade = ly_exp_lanes(depth / VOLUME_FLOOR), faded = v->slope * fade;
            v->value = ly_select(deep, v->value + VOLUME_FLOOR * v->slope * (fade - 1.0), v->value);
            v->slope = ly_select(deep, faded, v->slope);
            v->curvature = ly_select(deep, faded / VOLUME_FLOOR, v->curvature);
        }
    }
}

// ---- branches -----------------------------------------------------------------------------------

_Static_assert(LYRA_RELAXATION_BRANCHES_MAX <= WIDTH, "a lane for each branch");

// k = (1 - g)/y, g = (1 - a)/y and a = e^-y; below 1/2 by k = sum of (-y)^n/(n + 2)!
LY_INLINE void find_lanes(LyReal y, LyReal *a, LyReal *g, LyReal *k)
{
    LyMask brief = ly_less(y, ly_set(0.5));
    LyReal divisor = ly_select(brief, ly_set(1), y);
    *a = ly_exp_lanes(-y);
    *g = (1.0 - *a) / divisor;
    *k = (1.0 - *g) / divisor;
    if (ly_any(brief)) {
        LyReal sum = ly_set(1);
        for (int n = 14; n >= 1; --n) {
            sum = 1.0 - y * (1.0 / (n + 2)) * sum;
        }
        sum *= 0.5;
        *k = ly_select(brief, sum, *k);
        *g = ly_select(brief, 1.0 - y * sum, *g);
        *a = ly_select(brief, 1.0 - y * *g, *a);
    }
}

void LY_KERNEL(ly_prony_steps)(const LyProny *prony, double dt, LyPronySteps *steps)
{
    steps->shear = steps->bulk = steps->shear_mean = steps->bulk_mean = 0;
    for (int lane = 0; lane < prony->branch_count; lane += LY_LANES) {
        LyReal a, g, k;
        find_lanes(ly_min(dt * ly_load(prony->rates + lane), ly_set(1e300)), &a, &g, &k);
        ly_store(steps->decay + lane, a);
        ly_store(steps->growth + lane, g);
        ly_store(steps->mean + lane, k);
    }
    for (int i = 0; i < prony->branch_count; ++i) {
        const LyraRelaxationBranch *branch = &prony->branches[i];
        steps->shear += branch->shear * steps->growth[i];
        steps->bulk += branch->bulk * steps->growth[i];
        steps->shear_mean += branch->shear * steps->mean[i];
        steps->bulk_mean += branch->bulk * steps->mean[i];
    }
}

// the history of a point in lanes, and what it makes of a step
typedef struct Past {
    LyReal E[6], J; // J less 1
    LyReal Sh[6], ph;
    LyReal stored;      // in the branches
    LyReal constant;    // of Psi, but for S_h : E_n
    LyReal shear, bulk; // moduli now over those of the last step
} Past;

LY_INLINE const double *find_branch(const double *point, int i)
{
    return point + (LY_PRONY_BRANCHES + i * LY_PRONY_BRANCH_COUNT) * WIDTH;
}

// of a modulus to what it was, 1 before the first step
LY_INLINE LyReal find_ratio(LyReal now, LyReal was)
{
    LyMask known = ly_greater(was, ly_set(0));
    return ly_select(known, now / ly_select(known, was, ly_set(1)), ly_set(1));
}

// of all branches, from sums of their shares; a modulus of 0 stores nothing
LY_INLINE LyReal find_stored(LyReal shear, LyReal bulk, const Volume *rest)
{
    LyMask sheared = ly_greater(rest->mu, ly_set(0)), pressed = ly_greater(rest->K, ly_set(0));
    LyReal mu = ly_select(sheared, rest->mu, ly_set(1)), K = ly_select(pressed, rest->K, ly_set(1));
    return ly_select(sheared, shear / mu, ly_set(0)) + ly_select(pressed, bulk / K, ly_set(0));
}

// `at`: the point in lanes. `energy`: with what only energies need
LY_INLINE void load_past(const LyProny *prony, const double *at, const LyPronySteps *steps,
                         const Volume *rest, bool energy, Past *past)
{
    LyReal mu = ly_load(at + LY_PRONY_MU * WIDTH), K = ly_load(at + LY_PRONY_BULK * WIDTH);
    past->shear = past->bulk = ly_set(1);
    if (!ly_all(ly_and(ly_equal(mu, rest->mu), ly_equal(K, rest->K)))) {
        past->shear = find_ratio(rest->mu, mu);
        past->bulk = find_ratio(rest->K, K);
    }
    LyReal Sh[6], ph = -steps->bulk * ly_load(at + LY_PRONY_SLOPE * WIDTH);
    LyReal shear = ly_set(0), bulk = ly_set(0);
    for (int k = 0; k < 6; ++k) {
        Sh[k] = -steps->shear * ly_load(at + (LY_PRONY_S + k) * WIDTH);
    }
    for (int i = 0; i < prony->branch_count; ++i) {
        const double *branch = find_branch(at, i);
        LyReal H[6], p = ly_load(branch + LY_PRONY_PRESSURE * WIDTH);
        for (int k = 0; k < 6; ++k) {
            H[k] = ly_load(branch + k * WIDTH);
            Sh[k] += steps->decay[i] * H[k];
        }
        ph += steps->decay[i] * p;
        if (energy) {
            shear += prony->shear_compliance[i] * contract(H, H);
            bulk += prony->bulk_compliance[i] * (p * p);
        }
    }
    for (int k = 0; k < 6; ++k) {
        past->Sh[k] = past->shear * Sh[k];
        past->E[k] = ly_load(at + (LY_PRONY_E + k) * WIDTH);
    }
    past->ph = past->bulk * ph;
    past->J = ly_load(at + LY_PRONY_J * WIDTH);
    past->stored = past->constant = ly_set(0);
    if (energy) {
        LyReal U = ly_load(at + LY_PRONY_U * WIDTH);
        LyReal W = past->shear * (ly_load(at + LY_PRONY_W * WIDTH) - U) + past->bulk * U;
        past->stored =
            find_stored(past->shear * past->shear * shear, past->bulk * past->bulk * bulk, rest);
        past->constant = past->stored - steps->shear * W -
                         (steps->bulk - steps->shear) * (past->bulk * U) -
                         past->ph * (1.0 + past->J);
    }
}

// Writes the end of a step, (1) of docs/theory/viscoelasticity.md; returns what the branches lost.
// `at`, `to`: the point in lanes, which may be one.
LY_INLINE LyReal commit(const LyProny *prony, const double *at, double *to,
                        const LyPronySteps *steps, const Past *past, const Volume *volume,
                        LyMask regular, const LyReal now[LY_PRONY_BRANCHES])
{
    LyReal dE[6], grown[6], ended[6], mean[6], dJ = now[LY_PRONY_J] - past->J;
    LyReal rise = now[LY_PRONY_SLOPE] - past->bulk * ly_load(at + LY_PRONY_SLOPE * WIDTH);
    LyReal shear = ly_set(0), bulk = ly_set(0), pressure = steps->bulk_mean * rise;
    for (int k = 0; k < 6; ++k) {
        LyReal S = past->shear * ly_load(at + (LY_PRONY_S + k) * WIDTH);
        LyReal dS = now[LY_PRONY_S + k] - S;
        dE[k] = now[LY_PRONY_E + k] - past->E[k];
        mean[k] = steps->shear_mean * dS;
        grown[k] = ly_select(regular, dS, ly_set(0));
        ended[k] = ly_select(regular, ly_set(0), S);
    }
    for (int i = 0; i < prony->branch_count; ++i) {
        const double *from = find_branch(at, i);
        double *out = to + (from - at);
        double share = prony->branches[i].shear, growth = steps->growth[i];
        LyReal H[6], p = past->bulk * ly_load(from + LY_PRONY_PRESSURE * WIDTH);
        pressure += growth * p;
        p = steps->decay[i] * p + prony->branches[i].bulk * growth * rise;
        ly_store(out + LY_PRONY_PRESSURE * WIDTH, p);
        bulk += prony->bulk_compliance[i] * (p * p);
        for (int k = 0; k < 6; ++k) {
            LyReal was = past->shear * ly_load(from + k * WIDTH);
            mean[k] += growth * was;
            H[k] = steps->decay[i] * (was - share * ended[k]) + share * growth * grown[k];
            ly_store(out + k * WIDTH, H[k]);
        }
        shear += prony->shear_compliance[i] * contract(H, H);
    }
    for (int n = 0; n < LY_PRONY_BRANCHES; ++n) {
        ly_store(to + n * WIDTH, now[n]);
    }
    return past->stored + contract(mean, dE) + pressure * dJ - find_stored(shear, bulk, volume);
}

// ---- points -------------------------------------------------------------------------------------

// Green's strain
LY_INLINE void find_strain(const LyMat3 *F, LyReal E[6])
{
    LyMat3 C = ly_mat3_transposed_multiply(F, F);
    for (int p = 0; p < 6; ++p) {
        E[p] = 0.5 * (C.m[ly_pair_i[p]][ly_pair_j[p]] - (p < 3 ? 1.0 : 0.0));
    }
}

// what is added to the law and a function of J at points that both were evaluated at
static void add_branches(const LyraBatch *batch, int lane, bool psd, const Past *past,
                         LyPoints *points)
{
    LyMat3 F = ly_mat3_load_lanes(points->F + lane), Sh;
    for (int k = 0; k < 9; ++k) {
        Sh.m[k / 3][k % 3] = past->Sh[LY_PAIR(k / 3, k % 3)];
    }
    LyMat3 P = ly_mat3_load_lanes(points->P + lane), FS = ly_mat3_multiply(&F, &Sh);
    for (int k = 0; k < 9; ++k) {
        P.m[k / 3][k % 3] += FS.m[k / 3][k % 3];
    }
    ly_mat3_store_lanes(points->P + lane, &P);
    for (int p = 0; p < 6; ++p) {
        ly_store(points->stress + p * WIDTH + lane, past->Sh[p]);
    }
    if (batch->energy) {
        LyReal E[6], energy = ly_load(points->energy + lane) + past->constant;
        find_strain(&F, E);
        for (int p = 0; p < 6; ++p) {
            energy += (p < 3 ? 1.0 : 2.0) * past->Sh[p] * (E[p] - past->E[p]);
        }
        ly_store(points->energy + lane, energy);
    }
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
}

// the end of the step at points that the law alone was evaluated at
static void end_step(const LyIsotropic *solid, const LyraBatch *batch, int q, int lane,
                     const LyPronySteps *steps, const Past *past, const Volume *volume,
                     LyPoints *points)
{
    int64_t point = (int64_t)q * solid->prony->numbers * WIDTH + lane;
    LyMat3 F = ly_mat3_load_lanes(points->F + lane), K = ly_mat3_cofactor(&F), inverse, S;
    LyMat3 P = ly_mat3_load_lanes(points->P + lane);
    LyReal J = ly_mat3_determinant(&F), now[LY_PRONY_BRANCHES];
    LyReal rho = ly_load(batch->parameters + solid->law->parameter_count * WIDTH + lane);
    LyResistance r = ly_resistance(rho, J);
    LyReal slope = r.slope + volume->slope;
    LyMask regular = ly_mat3_inverse(&F, &inverse);
    regular = ly_and(regular, ly_greater(J, ly_set(0)));
    regular = ly_and(regular, ly_less(ly_mat3_norm_squared(&inverse), ly_set(FLAT)));
    for (int k = 0; k < 9; ++k) {
        P.m[k / 3][k % 3] -= slope * K.m[k / 3][k % 3];
    }
    S = ly_mat3_multiply(&inverse, &P);
    find_strain(&F, now + LY_PRONY_E);
    for (int p = 0; p < 6; ++p) {
        now[LY_PRONY_S + p] = ly_select(regular, S.m[ly_pair_i[p]][ly_pair_j[p]], ly_set(0));
    }
    now[LY_PRONY_W] = ly_load(points->energy + lane) - r.value;
    now[LY_PRONY_U] = volume->value;
    now[LY_PRONY_SLOPE] = volume->slope;
    now[LY_PRONY_J] = J - 1.0;
    now[LY_PRONY_MU] = volume->mu;
    now[LY_PRONY_BULK] = volume->K;
    LyReal lost = commit(solid->prony, batch->history + point, batch->trial_history + point, steps,
                         past, volume, regular, now);
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
                               bool tangent, bool psd, const LyPronySteps *steps, LyPoints *points)
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
    int64_t point = (int64_t)q * prony->numbers * WIDTH + lane;
    Past past;
    load_past(prony, batch->history + point, steps, &rest, true, &past);
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
        LyReal lost = commit(prony, batch->history + point, batch->trial_history + point, steps,
                             &past, &rest, all, now);
        ly_store(points->lost + lane, lost);
    }
}

// what a batch of points is about to do
typedef struct Stepping {
    const LyPronySteps *steps;
    const double *dets;    // [WIDTH]
    const Volume *volumes; // [WIDTH / LY_LANES]
    const Past *pasts;     // the same
} Stepping;

// the law times 1 + B (B if the branches are alone), and the function of J
static void evaluate_potential(const LyIsotropic *solid, const LyraBatch *batch, bool tangent,
                               bool psd, const Stepping *stepping, LyPoints *points)
{
    const LyPronySteps *steps = stepping->steps;
    points->scale = solid->prony->alone ? steps->shear : 1 + steps->shear;
    points->volume = points->relaxed;
    for (int lane = 0, n = 0; lane < WIDTH; lane += LY_LANES, ++n) {
        LyReal more = ly_set(steps->bulk - steps->shear), ph = stepping->pasts[n].ph;
        const Volume *volume = &stepping->volumes[n];
        ly_store(points->relaxed + lane,
                 more * volume->value + ph * ly_load(stepping->dets + lane));
        ly_store(points->relaxed + WIDTH + lane, more * volume->slope + ph);
        ly_store(points->relaxed + 2 * WIDTH + lane, more * volume->curvature);
    }
    LY_KERNEL(ly_points_evaluate)(solid, batch->parameters, tangent, psd, points);
    points->stressed = true;
    for (int lane = 0, n = 0; lane < WIDTH; lane += LY_LANES, ++n) {
        add_branches(batch, lane, tangent && psd, &stepping->pasts[n], points);
    }
}

void LY_KERNEL(ly_points_relax)(const LyIsotropic *solid, const LyraBatch *batch, int q,
                                bool tangent, bool psd, LyPoints *points)
{
    const LyProny *prony = solid->prony;
    const LyPronySteps *steps = batch->step;
    LyPronySteps own;
    if (!steps) {
        LY_KERNEL(ly_prony_steps)(prony, batch->dt, &own);
        steps = &own;
    }
    if (prony->corotated) {
        points->additive = true;
        points->mapped = points->stressed = false;
        points->projected = tangent && psd;
        for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
            evaluate_corotated(solid, batch, q, lane, tangent, psd, steps, points);
        }
        return;
    }
    Volume volumes[WIDTH / LY_LANES] = {0};
    Past pasts[WIDTH / LY_LANES];
    double dets[WIDTH] __attribute__((aligned(64)));
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        LyMat3 F = ly_mat3_load_lanes(points->F + lane);
        ly_store(dets + lane, ly_mat3_determinant(&F));
    }
    // where shear and volume relax alike, the law tells all but what is to be remembered
    if (batch->trial_history || steps->bulk != steps->shear) {
        find_volume_energy(solid, batch->parameters, tangent, dets, volumes);
    }
    find_moduli(solid, batch->parameters, volumes);
    for (int lane = 0, n = 0; lane < WIDTH; lane += LY_LANES, ++n) {
        load_past(prony, batch->history + (int64_t)q * prony->numbers * WIDTH + lane, steps,
                  &volumes[n], batch->energy || batch->trial_history, &pasts[n]);
    }
    if (batch->trial_history) {
        points->scale = 1;
        points->volume = NULL;
        LY_KERNEL(ly_points_evaluate)(solid, batch->parameters, false, false, points);
        for (int lane = 0, n = 0; lane < WIDTH; lane += LY_LANES, ++n) {
            end_step(solid, batch, q, lane, steps, &pasts[n], &volumes[n], points);
        }
    }
    if (batch->energy || batch->gradient || tangent) {
        const Stepping stepping = {steps, dets, volumes, pasts};
        evaluate_potential(solid, batch, tangent, psd, &stepping, points);
    }
}
