// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Plastic flow with kinematic hardening at a batch of points, by additive logarithmic strain
// [MAL02]: E = ln(F^T F)/2 = N diag(f(c)) N^T, f = ln/2, with a deviatoric plastic part Ep that is
// remembered. The small-strain return with
//
//   xi = 2 mu (dev E - Ep) - 2/3 Hk Ep,  n = xi/|xi|,  |xi| - c y(alpha + c g) - (r - 2/3 H) g = 0,
//   r = 2 mu + 2/3 (H + Hk) + eta/dt,  c = sqrt(2/3),  Ep <- Ep + g n
//
// has the potential
//
//   Psi = K/2 tr(E)^2 + mu |dev E - Ep|^2 + Hk/3 |Ep|^2 + Y(alpha) + c y(0) g + eta g^2/(2 dt),
//   T = dPsi/dE,   dT = K tr(dE) 1 + 2 mu th dev dE - 2 mu tb n (n:dE),
//   th = 1 - 2 mu g/|xi|,  tb = 2 mu/r - (1 - th); tb = th - 1 at a cap.
//
// Stress and tangent by F are those of force/strain_frame.h. Where det F <= 0 there is no
// logarithm: energy and stress are NaN.

#include "force/plastic_point.h"
#include "force/strain_frame.h"
#include "material/material.h"
#include "math/elementary.h"

#define WIDTH LYRA_BATCH_WIDTH

// (ln a - ln b)/(2 (a - b)); 1/(2 a) for equal ones
LY_INLINE LyReal divide_once(LyReal a, LyReal b, LyReal log_a, LyReal log_b)
{
    LyReal sum = a + b, r = (a - b) / sum, z = r * r;
    LyMask near = ly_less(ly_abs(r), ly_set(0.05));
    // atanh(r)/r
    LyReal series = ly_set(1.0 / 13);
    series = series * z + 1.0 / 11;
    series = series * z + 1.0 / 9;
    series = series * z + 1.0 / 7;
    series = series * z + 1.0 / 5;
    series = series * z + 1.0 / 3;
    series = series * z + 1.0;
    LyReal quotient = 0.5 * (log_a - log_b) / ly_select(near, ly_set(1), r);
    return ly_select(near, series, quotient) / sum;
}

// second difference of x, y, z from the first ones
LY_INLINE LyReal divide_twice(LyReal x, LyReal y, LyReal z, LyReal xy, LyReal yz, LyReal zx)
{
    LyReal mean = (x + y + z) * (1.0 / 3), inverse = 1.0 / mean;
    LyReal a = (x - mean) * inverse, b = (y - mean) * inverse, c = (z - mean) * inverse;
    LyReal near = inverse * inverse * (-0.25 - (1.0 / 16) * (a * a + b * b + c * c));
    // across the widest gap
    LyReal gx = ly_abs(z - x), gy = ly_abs(x - y), gz = ly_abs(y - z);
    LyMask by_x = ly_and(ly_greater_equal(gx, gy), ly_greater_equal(gx, gz));
    LyMask by_y = ly_and(ly_not(by_x), ly_greater_equal(gy, gz));
    LyReal up = ly_select(by_x, xy - yz, ly_select(by_y, zx - yz, xy - zx));
    LyReal down = ly_select(by_x, x - z, ly_select(by_y, x - y, y - z));
    LyMask close = ly_less(ly_abs(down), 1e-3 * mean);
    return ly_select(close, near, up / ly_select(close, ly_set(1), down));
}

// f[i,j,k] where i <= j <= k
LY_INLINE LyReal second_difference(const LyStrainFrame *f, const LyReal c[3], int i, int j, int k)
{
    if (i > j || j > k) {
        return ly_set(0);
    }
    return divide_twice(c[i], c[j], c[k], f->first[LY_PAIR(i, j)], f->first[LY_PAIR(j, k)],
                        f->first[LY_PAIR(k, i)]);
}

// what a step leaves behind; `wished` is the flow that a locked point would take
typedef struct Flow {
    const LyReal *Ep, *n;
    LyReal wished, alpha, yield, rate, least;
    LyMask locked;
} Flow;

LY_INLINE void commit(const LyraBatch *batch, const LyPlasticity *plasticity, int q, int lane,
                      const LyMat3 *V, const Flow *flow, LyPoints *points)
{
    const LyReal *Ep = flow->Ep, *n = flow->n;
    LyReal wished = flow->wished, least = flow->least;
    LyMask locked = flow->locked;
    LyReal limit = ly_plastic_load(plasticity, batch->parameters, LY_PLASTIC_LIMIT, lane);
    LyReal alpha = flow->alpha, yield = flow->yield, rate = flow->rate, next[6], out[6];
    LyMask moves = ly_and(ly_greater(wished, ly_set(0)), ly_greater(least, ly_set(0)));
    for (int p = 0; p < 6; ++p) {
        next[p] = Ep[p] + wished * n[p];
    }
    LyReal size = ly_sqrt(ly_pair_square(next)), along = ly_set(0);
    LyMask stops = ly_greater(size, limit);
    LyMask frees = ly_and(ly_and(locked, moves), ly_not(stops));
    LyReal scale = ly_select(stops, limit / ly_max(size, ly_set(0x1p-500)), ly_set(1));
    // the part along the flow of what is left of it, n being a unit
    for (int p = 0; p < 6; ++p) {
        along += (p < 3 ? 1.0 : 2.0) * (scale * next[p] - Ep[p]) * n[p];
    }
    LyReal share = ly_min(ly_max(along / ly_max(wished, ly_set(0x1p-500)), ly_set(0)), ly_set(1));
    share = ly_select(stops, share, ly_set(1));
    LyMask flows = ly_and(moves, ly_not(locked));
    LyReal done = ly_select(flows, share * wished, ly_set(0));
    for (int p = 0; p < 6; ++p) {
        next[p] = ly_select(flows, scale * next[p], Ep[p]);
    }
    ly_frame_turn(V, false, next, out);
    for (int p = 0; p < LY_FLOW_ALPHA; ++p) {
        // what does not flow keeps its bits
        LyReal old = ly_flow_load(batch->history, q, p, lane);
        ly_flow_store(batch->trial_history, q, p, lane,
                      ly_select(flows, p < 6 ? out[p] : old, old));
    }
    locked = ly_or(ly_and(locked, ly_not(frees)), ly_and(flows, stops));
    ly_flow_store(batch->trial_history, q, LY_FLOW_ALPHA, lane, alpha + LY_ROOT_TWO_THIRDS * done);
    ly_flow_store(batch->trial_history, q, LY_FLOW_LOCKED, lane,
                  ly_select(locked, ly_set(1), ly_set(0)));
    ly_store(points->lost + lane, done * (LY_ROOT_TWO_THIRDS * yield + rate * done));
}

static void evaluate(const LyIsotropic *solid, const LyraBatch *batch, int q, int lane,
                     bool tangent, bool psd, LyPoints *points)
{
    const LyPlasticity *p = solid->plasticity;
    const double *parameters = batch->parameters;
    const double c = LY_ROOT_TWO_THIRDS;
    LyMat3 F = ly_mat3_load_lanes(points->F + lane);
    LySvd3 svd;
    ly_mat3_svd(&F, &svd);
    ly_mat3_store_lanes(points->U + lane, &svd.U);
    ly_mat3_store_lanes(points->V + lane, &svd.V);
    LyReal lambda = ly_load(parameters + LY_LAMBDA * WIDTH + lane), log[3], c2[3];
    LyStrainFrame f = {.mu = ly_load(parameters + LY_MU * WIDTH + lane)};
    f.K = lambda + (2.0 / 3) * f.mu;
    for (int i = 0; i < 3; ++i) {
        ly_store(points->s + i * WIDTH + lane, svd.s.v[i]);
        log[i] = ly_log_lanes(svd.s.v[i]); // NaN below 0
        c2[i] = svd.s.v[i] * svd.s.v[i];
    }
    for (int k = 0; k < 6; ++k) {
        f.first[k] = divide_once(c2[ly_pair_i[k]], c2[ly_pair_j[k]], 2.0 * log[ly_pair_i[k]],
                                 2.0 * log[ly_pair_j[k]]);
    }

    // trial
    LyReal kept[6], Ep[6], d[6], xi[6], trace = log[0] + log[1] + log[2];
    for (int k = 0; k < 6; ++k) {
        kept[k] = ly_flow_load(batch->history, q, k, lane);
    }
    ly_frame_turn(&svd.V, true, kept, Ep);
    LyReal Hk = ly_plastic_load(p, parameters, LY_PLASTIC_KINEMATIC, lane);
    for (int k = 0; k < 6; ++k) {
        d[k] = k < 3 ? log[k] - (1.0 / 3) * trace - Ep[k] : -Ep[k];
        xi[k] = 2.0 * f.mu * d[k] - (2.0 / 3) * Hk * Ep[k];
    }
    LyReal size = ly_sqrt(ly_pair_square(xi)), inverse = 1.0 / ly_max(size, ly_set(0x1p-500));

    // flow
    LyReal alpha = ly_flow_load(batch->history, q, LY_FLOW_ALPHA, lane), slope;
    LyMask frozen,
        locked = ly_greater(ly_flow_load(batch->history, q, LY_FLOW_LOCKED, lane), ly_set(0.5));
    LyStrength y = {
        ly_max(ly_plastic_load(p, parameters, LY_PLASTIC_YIELD, lane), LY_STRENGTH_FLOOR * f.mu),
        ly_plastic_load(p, parameters, LY_PLASTIC_HARDENING, lane)};
    LyReal rate = ly_flow_rate(ly_plastic_load(p, parameters, LY_PLASTIC_VISCOSITY, lane),
                               batch->dt, svd.s.v[2], &frozen);
    LyReal stiffness = 2.0 * f.mu + (2.0 / 3) * Hk + rate;
    LyReal root = ly_flow_find(p, &y, size, stiffness, alpha, &slope);
    LyReal room = ly_plastic_load(p, parameters, LY_PLASTIC_FLOW_MAX, lane) - alpha;
    LyReal cap = ly_min(ly_max(room, ly_set(0)) * (1 / c),
                        ly_plastic_load(p, parameters, LY_PLASTIC_STEP_MAX, lane));
    LyMask free = ly_and(ly_greater(root, ly_set(0)), ly_not(frozen));
    LyMask flows = ly_and(free, ly_not(locked)), capped = ly_greater(root, cap);
    LyReal wished = ly_select(free, ly_min(root, cap), ly_set(0));
    LyReal g = ly_select(flows, wished, ly_set(0));
    LyReal less = 2.0 * f.mu * g * inverse;
    f.th = 1.0 - less;
    f.tb = 2.0 * f.mu / (stiffness + (2.0 / 3) * slope) - less;
    f.tb = ly_select(flows, ly_select(capped, -less, f.tb), ly_set(0));
    LyReal end[6];
    for (int k = 0; k < 6; ++k) {
        f.n[k] = xi[k] * inverse;
        d[k] -= g * f.n[k];
        end[k] = Ep[k] + g * f.n[k];
        f.T[k] = 2.0 * f.mu * d[k] + (k < 3 ? f.K * trace : ly_set(0));
    }

    LyReal energy = 0.5 * f.K * trace * trace + f.mu * ly_pair_square(d) +
                    (1.0 / 3) * Hk * ly_pair_square(end) +
                    ly_strength_integral(p, &y, alpha + c * g) + g * (c * y.yield + 0.5 * rate * g);
    LyReal poison = ly_select(ly_greater(svd.s.v[2], ly_set(0)), ly_set(0), ly_set(NAN));
    ly_frame_stress(&f, &svd, poison, lane, points);
    ly_store(points->energy + lane, energy + poison);
    if (tangent) {
        for (int m = 0; m < 27 && !psd; ++m) {
            f.twice[m] = second_difference(&f, c2, m / 9, m / 3 % 3, m % 3);
        }
        ly_frame_store(&f, psd, lane, points);
    }
    if (batch->trial_history) {
        const Flow flow = {Ep, f.n, wished, alpha, y.yield, rate, svd.s.v[2], locked};
        commit(batch, p, q, lane, &svd.V, &flow, points);
    }
}

void LY_KERNEL(ly_points_flow_kinematic)(const LyIsotropic *solid, const LyraBatch *batch, int q,
                                         bool tangent, bool psd, LyPoints *points)
{
    points->additive = true;
    points->mapped = points->stressed = false;
    points->projected = tangent && psd;
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        evaluate(solid, batch, q, lane, tangent, psd, points);
    }
}
