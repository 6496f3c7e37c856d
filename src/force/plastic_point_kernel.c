// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Plastic flow at a batch of points; docs/theory/plasticity.md has the why, numbers in brackets are
// its equations. F = Fe Fp with G = Fp^-1 at the begin of the step, and
// F G = U diag(s) V^T, whose elastic strains are e_i = l(s_i), l the extended logarithm
// (material/hencky.h); d = e - tr(e)/3, K = lambda + 2 mu/3.
//
// von-mises. With q = |d|, n = d/q, y(alpha) the strength (a line of slope H near the end), c =
// sqrt(2/3), eta the viscosity of flow, the step flows by the root g >= 0 of
//
//   2 mu q - c y(alpha + c g) - (2 mu + eta/dt) g = 0,
//
// cut to its caps. Force and tangent are those of the incremental potential
//
//   Psi = K/2 tr(e)^2 + mu (q - g)^2 + Y(alpha + c g) + c y(0) g + eta g^2/(2 dt),
//
// Y the integral of y - y(0). It is a function of the trial stretches: tau = K tr(e) + 2 mu th d,
// W_i = tau_i l_i', W_ij = c_ij l_i' l_j' + delta_ij tau_i l_i'', c = K + 2 mu th (1 - 1/3) -
// 2 mu tb n n^T with th = 1 - g/q, tb = 2 mu/r - (1 - th), r = 2 mu + 2 H/3 + eta/dt; tb = th - 1
// at a cap, 0 without flow. The tangent by F follows with P = P_e G^T and b' = G^T b.
//
// deformation. Energy W(F G) of any law; what of the strain exceeds the limit flows at commit.
//
// Commit: G <- G V diag(exp x) V^T, x = - g n. Where s_3 <= 0 nothing flows, as it would lead
// away from rest. Where s_3 is so small that l is no logarithm, e is not e - g n after that:
// nothing flows where the energy would rise, and no more is lost than it falls. Where |ln p| of the
// stretches p of G would exceed the limit they are scaled back to it and the point is locked: it
// does not flow until flow would lead below the limit again. Of a flow that is cut so, the part
// along it counts: all of one along the limit, none of one straight beyond it.

#include "force/plastic_point.h"
#include "material/hencky.h"
#include "material/material.h"

#define WIDTH LYRA_BATCH_WIDTH

// ---- commit -------------------------------------------------------------------------------------

// |ln p| of the singular values p of G, and G with them scaled to `limit`
LY_INLINE LyReal cut_flow(const LyMat3 *G, LyReal limit, LyMat3 *cut)
{
    LySvd3 svd;
    ly_mat3_svd(G, &svd);
    LyReal log[3], square = ly_set(0);
    for (int i = 0; i < 3; ++i) {
        log[i] = ly_log_lanes(svd.s.v[i]);
        square += log[i] * log[i];
    }
    LyReal size = ly_sqrt(square), scale = limit / ly_max(size, ly_set(0x1p-500));
    LyMat3 A;
    for (int k = 0; k < 9; ++k) {
        A.m[k / 3][k % 3] = svd.U.m[k / 3][k % 3] * ly_exp_lanes(log[k % 3] * scale);
    }
    *cut = ly_mat3_multiply_transposed(&A, &svd.V);
    return size;
}

// The part along a flow by x in the frame V of what a flow from `from` to `to` is.
LY_INLINE LyReal find_share(const LyMat3 *from, const LyMat3 *to, const LyMat3 *V,
                            const LyReal x[3])
{
    LyMat3 inverse;
    ly_mat3_inverse(from, &inverse);
    LyMat3 B = ly_mat3_multiply(&inverse, to), BV = ly_mat3_multiply(&B, V);
    LyReal along = ly_set(0), whole = ly_set(0);
    for (int i = 0; i < 3; ++i) {
        LyReal factor = V->m[0][i] * BV.m[0][i] + V->m[1][i] * BV.m[1][i] + V->m[2][i] * BV.m[2][i];
        along += x[i] * ly_log_lanes(ly_max(factor, ly_set(0x1p-500)));
        whole += x[i] * x[i];
    }
    return ly_min(ly_max(along / ly_max(whole, ly_set(0x1p-1000)), ly_set(0)), ly_set(1));
}

// The flow of a point, as it ends a step.
typedef struct Commit {
    LyMat3 G;      // at the begin, then at the end
    LyMask moves;  // whether it would flow if it were not locked
    LyMask flows;  // whether G changes
    LyMask locked; // at the begin, then at the end
    LyReal share;  // of the flow that took place
} Commit;

// `x`: logarithms of the factors in the frame V; `isochoric`: their sum is 0
LY_INLINE void commit_flow(const LyMat3 *V, const LyReal x[3], LyReal limit, bool isochoric,
                           Commit *commit)
{
    commit->share = ly_set(0);
    commit->flows = ly_no_lane();
    if (!ly_any(commit->moves)) {
        return;
    }
    LyMat3 A, B, G, cut;
    for (int k = 0; k < 9; ++k) {
        A.m[k / 3][k % 3] = V->m[k / 3][k % 3] * ly_exp_lanes(x[k % 3]);
    }
    B = ly_mat3_multiply_transposed(&A, V);
    G = ly_mat3_multiply(&commit->G, &B);
    // |G|^2 for equal first two logarithms is the least for any of this norm
    LyReal a = limit * 0.40824829046386301637;
    LyReal least = 2.0 * ly_exp_lanes(2.0 * a) + ly_exp_lanes(-4.0 * a);
    LyMask over = ly_not(ly_less(ly_mat3_norm_squared(&G), 0.999999 * least)), stops = ly_no_lane();
    LyMask frees = ly_and(commit->locked, commit->moves);
    LyReal share = ly_set(1);
    if (isochoric) {
        // to det G = 1 but for rounding, from as near as that
        LyReal scale = (4.0 - ly_mat3_determinant(&G)) * (1.0 / 3);
        G = ly_mat3_scale(&G, scale);
    }
    if (!isochoric || ly_any(ly_and(over, commit->moves))) {
        stops = ly_greater(cut_flow(&G, limit, &cut), limit);
        frees = ly_and(frees, ly_not(stops));
        if (ly_any(ly_and(stops, commit->moves))) {
            share = ly_select(stops, find_share(&commit->G, &cut, V, x), share);
            G = ly_mat3_select(stops, &cut, &G);
        }
    }
    LyMask flows = ly_and(commit->moves, ly_not(commit->locked));
    commit->G = ly_mat3_select(flows, &G, &commit->G);
    commit->flows = flows;
    commit->share = ly_select(flows, share, ly_set(0));
    commit->locked = ly_or(ly_and(commit->locked, ly_not(frees)), ly_and(flows, stops));
}

LY_INLINE void store_commit(const Commit *commit, LyReal alpha, int q, int lane, double *history)
{
    for (int k = 0; k < 9; ++k) {
        LyReal x = commit->G.m[k / 3][k % 3];
        ly_flow_store(history, q, LY_FLOW_G + k, lane, k % 4 == 0 ? x - 1.0 : x);
    }
    ly_flow_store(history, q, LY_FLOW_ALPHA, lane, alpha);
    ly_flow_store(history, q, LY_FLOW_LOCKED, lane,
                  ly_select(commit->locked, ly_set(1), ly_set(0)));
}

LY_INLINE LyMat3 load_inverse_flow(const double *history, int q, int lane)
{
    LyMat3 G;
    for (int k = 0; k < 9; ++k) {
        LyReal x = ly_flow_load(history, q, LY_FLOW_G + k, lane);
        G.m[k / 3][k % 3] = k % 4 == 0 ? 1.0 + x : x;
    }
    return G;
}

// energy at the stretches s e^x; moduli: K, mu
LY_INLINE LyReal find_energy(const LyReal moduli[2], const LyVec3 *s, const LyReal x[3])
{
    LyReal e[3], square = ly_set(0);
    for (int i = 0; i < 3; ++i) {
        e[i] = ly_extended_log(s->v[i] * ly_exp_lanes(x[i])).value;
    }
    LyReal trace = e[0] + e[1] + e[2];
    for (int i = 0; i < 3; ++i) {
        LyReal d = e[i] - (1.0 / 3) * trace;
        square += d * d;
    }
    return 0.5 * moduli[0] * trace * trace + moduli[1] * square;
}

// by how much the energy falls in a flow by x
LY_INLINE LyReal find_fall(const LyReal moduli[2], const LyVec3 *s, const LyReal x[3])
{
    const LyReal none[3] = {ly_set(0), ly_set(0), ly_set(0)};
    return find_energy(moduli, s, none) - find_energy(moduli, s, x);
}

// ---- von Mises ----------------------------------------------------------------------------------

// derivatives by the trial stretches
// `at`: K, 2 mu th, 2 mu tb, tr(e)
LY_INLINE void find_form(const LyReal at[4], const LyExtendedLog l[3], const LyReal d[3],
                         const LyReal n[3], LyStretchForm *form)
{
    LyReal K = at[0], a = at[1], b = at[2], trace = at[3];
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3;
        LyReal tau = K * trace + a * d[i];
        form->first[i] = tau * l[i].slope;
        form->second[i] =
            (K + a * (2.0 / 3) - b * n[i] * n[i]) * l[i].slope * l[i].slope + tau * l[i].curvature;
        form->second[3 + i] = (K - a * (1.0 / 3) - b * n[i] * n[j]) * l[i].slope * l[j].slope;
    }
}

LY_INLINE void evaluate_von_mises(const LyIsotropic *solid, const LyraBatch *batch, int q, int lane,
                                  bool psd, LyPoints *points)
{
    const LyPlasticity *p = solid->plasticity;
    const double *parameters = batch->parameters;
    const double c = LY_ROOT_TWO_THIRDS;
    Commit commit = {.G = load_inverse_flow(batch->history, q, lane)};
    LyMat3 F = ly_mat3_load_lanes(points->F + lane), Fe = ly_mat3_multiply(&F, &commit.G);
    ly_mat3_store_lanes(points->G + lane, &commit.G);
    ly_mat3_store_lanes(points->F + lane, &Fe);
    Fe = ly_flush_flat(&Fe);
    LySvd3 svd;
    ly_mat3_svd(&Fe, &svd);
    ly_mat3_store_lanes(points->U + lane, &svd.U);
    ly_mat3_store_lanes(points->V + lane, &svd.V);

    // trial strain
    LyReal lambda = ly_load(parameters + LY_LAMBDA * WIDTH + lane);
    LyReal mu = ly_load(parameters + LY_MU * WIDTH + lane), K = lambda + (2.0 / 3) * mu;
    LyExtendedLog l[3];
    for (int i = 0; i < 3; ++i) {
        l[i] = ly_extended_log(svd.s.v[i]);
    }
    LyReal trace = l[0].value + l[1].value + l[2].value, d[3], n[3], square = ly_set(0);
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        d[i] = (1.0 / 3) * ((l[i].value - l[j].value) + (l[i].value - l[k].value));
        square += d[i] * d[i];
    }
    LyReal size = ly_sqrt(square), inverse = 1.0 / ly_max(size, ly_set(0x1p-500));
    for (int i = 0; i < 3; ++i) {
        n[i] = d[i] * inverse;
    }

    // flow (1)
    LyReal alpha = ly_flow_load(batch->history, q, LY_FLOW_ALPHA, lane), slope;
    commit.locked = ly_greater(ly_flow_load(batch->history, q, LY_FLOW_LOCKED, lane), ly_set(0.5));
    LyStrength y = {
        ly_max(ly_plastic_load(p, parameters, LY_PLASTIC_YIELD, lane), LY_STRENGTH_FLOOR * mu),
        ly_plastic_load(p, parameters, LY_PLASTIC_HARDENING, lane)};
    LyMask frozen;
    LyReal rate = ly_flow_rate(ly_plastic_load(p, parameters, LY_PLASTIC_VISCOSITY, lane),
                               batch->dt, svd.s.v[2], &frozen);
    LyReal stiffness = 2.0 * mu + rate;
    LyReal root = ly_flow_find(p, &y, 2.0 * mu * size, stiffness, alpha, &slope);
    LyReal room = ly_plastic_load(p, parameters, LY_PLASTIC_FLOW_MAX, lane) - alpha;
    LyReal cap = ly_min(ly_max(room, ly_set(0)) * (1 / c),
                        ly_plastic_load(p, parameters, LY_PLASTIC_STEP_MAX, lane));
    LyMask free = ly_and(ly_greater(root, ly_set(0)), ly_not(frozen));
    LyMask flows = ly_and(free, ly_not(commit.locked)), capped = ly_greater(root, cap);
    LyReal wished = ly_select(free, ly_min(root, cap), ly_set(0));
    LyReal g = ly_select(flows, wished, ly_set(0));
    LyReal less = g * inverse, th = 1.0 - less;
    LyReal tb = 2.0 * mu / (stiffness + (2.0 / 3) * slope) - less;
    tb = ly_select(flows, ly_select(capped, -less, tb), ly_set(0));

    // potential (2)
    LyReal left = size - g, end = alpha + c * g;
    LyStretchForm form = {.energy = 0.5 * K * trace * trace + mu * left * left +
                                    ly_strength_integral(p, &y, end) +
                                    g * (c * y.yield + 0.5 * rate * g)};
    const LyReal at[4] = {K, 2.0 * mu * th, 2.0 * mu * tb, trace};
    find_form(at, l, d, n, &form);
    ly_stretch_divide(svd.s.v, svd.s.v, &form);
    LyReal rho = ly_load(parameters + solid->law->parameter_count * WIDTH + lane);
    if (ly_any(ly_greater(rho, ly_set(0)))) {
        ly_stretch_add_resistance(rho, svd.s.v, &form);
    }
    if (points->volume) {
        // det G = 1, so that the stretches have the J of F
        const LyResistance more = ly_points_volume(points, lane);
        ly_stretch_add_volume(&more, svd.s.v, &form);
    }
    ly_stretch_store(&form, psd, lane, points);

    if (batch->trial_history) {
        commit.moves = ly_and(ly_greater(wished, ly_set(0)), ly_greater(svd.s.v[2], ly_set(0)));
        LyMask deep = ly_and(commit.moves, ly_less(svd.s.v[2], ly_set(LY_HENCKY_THRESHOLD)));
        LyReal fall = ly_set(0), x[3] = {-wished * n[0], -wished * n[1], -wished * n[2]};
        if (ly_any(deep)) {
            const LyReal moduli[2] = {K, mu};
            fall = find_fall(moduli, &svd.s, x) + ly_strength_integral(p, &y, alpha) -
                   ly_strength_integral(p, &y, alpha + c * wished);
            LyMask rises = ly_and(deep, ly_not(ly_greater_equal(fall, ly_set(0))));
            commit.moves = ly_and(commit.moves, ly_not(rises));
        }
        commit_flow(&svd.V, x, ly_plastic_load(p, parameters, LY_PLASTIC_LIMIT, lane), true,
                    &commit);
        LyReal done = commit.share * g, lost = done * (c * y.yield + rate * g);
        store_commit(&commit, alpha + c * done, q, lane, batch->trial_history);
        ly_store(points->lost + lane,
                 ly_select(deep, ly_min(lost, ly_max(commit.share * fall, ly_set(0))), lost));
    }
}

// ---- branches of Maxwell's ----------------------------------------------------------------------

// 2 mu d with a damper of viscosity 2 mu tau: g = q dt/(dt + tau), tau(e) = 2 mu th d with th =
// tau/(dt + tau), Psi = mu th q^2
LY_INLINE void evaluate_branch(const LyIsotropic *solid, const LyraBatch *batch, int q, int lane,
                               bool psd, LyPoints *points)
{
    Commit commit = {.G = load_inverse_flow(batch->history, q, lane), .locked = ly_no_lane()};
    LyMat3 F = ly_mat3_load_lanes(points->F + lane), Fe = ly_mat3_multiply(&F, &commit.G);
    ly_mat3_store_lanes(points->G + lane, &commit.G);
    ly_mat3_store_lanes(points->F + lane, &Fe);
    Fe = ly_flush_flat(&Fe);
    LySvd3 svd;
    ly_mat3_svd(&Fe, &svd);
    ly_mat3_store_lanes(points->U + lane, &svd.U);
    ly_mat3_store_lanes(points->V + lane, &svd.V);
    LyReal mu = ly_load(batch->parameters + LY_MU * WIDTH + lane);
    LyReal time = ly_plastic_load(solid->plasticity, batch->parameters, LY_BRANCH_TIME, lane);
    LyExtendedLog l[3];
    for (int i = 0; i < 3; ++i) {
        l[i] = ly_extended_log(svd.s.v[i]);
    }
    LyReal d[3], none[3] = {ly_set(0), ly_set(0), ly_set(0)}, square = ly_set(0);
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        d[i] = (1.0 / 3) * ((l[i].value - l[j].value) + (l[i].value - l[k].value));
        square += d[i] * d[i];
    }
    LyReal share = batch->dt > 0 ? batch->dt / (batch->dt + time) : ly_set(0), th = 1.0 - share;
    LyStretchForm form = {.energy = mu * th * square};
    const LyReal at[4] = {ly_set(0), 2.0 * mu * th, ly_set(0), ly_set(0)};
    find_form(at, l, d, none, &form);
    ly_stretch_divide(svd.s.v, svd.s.v, &form);
    ly_stretch_store(&form, psd, lane, points);
    if (batch->trial_history) {
        commit.moves = ly_and(ly_greater(share, ly_set(0)), ly_greater(svd.s.v[2], ly_set(0)));
        LyReal x[3] = {-share * d[0], -share * d[1], -share * d[2]};
        commit_flow(&svd.V, x, ly_set(1e300), true, &commit);
        LyReal alpha = ly_flow_load(batch->history, q, LY_FLOW_ALPHA, lane);
        LyReal grown = LY_ROOT_TWO_THIRDS * share * ly_sqrt(square) * commit.share;
        store_commit(&commit, alpha + grown, q, lane, batch->trial_history);
        LyReal lost = 2.0 * mu * th * share * square * commit.share;
        LyMask deep = ly_and(commit.moves, ly_less(svd.s.v[2], ly_set(LY_HENCKY_THRESHOLD)));
        if (ly_any(deep)) {
            const LyReal moduli[2] = {ly_set(0), mu};
            LyReal fall = ly_max(find_fall(moduli, &svd.s, x), ly_set(0));
            lost = ly_select(deep, ly_min(lost, fall), lost);
        }
        ly_store(points->lost + lane, lost);
    }
}

// ---- flow at commit -----------------------------------------------------------------------------

// L = ln(Fp^T Fp)/2 of G = Fp^-1, as 11 22 33 12 23 31
LY_INLINE void find_plastic_strain(const LyMat3 *G, LyReal L[6])
{
    LySvd3 svd;
    ly_mat3_svd(G, &svd);
    for (int p = 0; p < 6; ++p) {
        L[p] = ly_set(0);
        for (int k = 0; k < 3; ++k) {
            L[p] -=
                ly_log_lanes(svd.s.v[k]) * svd.U.m[p % 3][k] * svd.U.m[p < 3 ? p : (p + 1) % 3][k];
        }
    }
}

// Cuts a flow to the part that leads nearest to the goal; it may be none. Returns the distance that
// is left, and makes G = exp(-L).
LY_INLINE LyReal cut_to_goal(const LyIsotropic *solid, const LyraBatch *batch, int lane,
                             const LyMat3 *before, Commit *commit)
{
    LyReal L[6], to[6], way = ly_set(0), along = ly_set(0), left = ly_set(0);
    find_plastic_strain(before, L);
    find_plastic_strain(&commit->G, to);
    for (int p = 0; p < 6; ++p) {
        LyReal goal =
            ly_plastic_load(solid->plasticity, batch->parameters, LY_DEFORMATION_GOAL + p, lane);
        double weight = p < 3 ? 1 : 2;
        to[p] -= L[p];
        way += weight * to[p] * to[p];
        along += weight * to[p] * (goal - L[p]);
    }
    LyReal part = along / ly_max(way, ly_set(0x1p-1000));
    part = ly_select(commit->moves, ly_min(ly_max(part, ly_set(0)), ly_set(1)), ly_set(0));
    LyMat3 A, Q, scaled;
    LyVec3 values;
    for (int p = 0; p < 6; ++p) {
        int i = p % 3, j = p < 3 ? p : (p + 1) % 3;
        LyReal goal =
            ly_plastic_load(solid->plasticity, batch->parameters, LY_DEFORMATION_GOAL + p, lane);
        L[p] += part * to[p];
        left += (p < 3 ? 1.0 : 2.0) * (goal - L[p]) * (goal - L[p]);
        A.m[i][j] = A.m[j][i] = L[p];
    }
    ly_mat3_eigen(&A, &values, &Q);
    for (int k = 0; k < 9; ++k) {
        scaled.m[k / 3][k % 3] = Q.m[k / 3][k % 3] * ly_exp_lanes(-values.v[k % 3]);
    }
    LyMat3 G = ly_mat3_multiply_transposed(&scaled, &Q);
    commit->flows = ly_greater(part, ly_set(0));
    commit->G = ly_mat3_select(commit->flows, &G, before);
    commit->share = part;
    return ly_sqrt(left);
}

// What flows, of points that have been evaluated: F is the elastic part. The energy falls by what
// is lost; where it would not fall, nothing flows.
static void commit_deformation(const LyIsotropic *solid, const LyraBatch *batch, int q,
                               LyPoints *points)
{
    const LyPlasticity *p = solid->plasticity;
    LyPoints after __attribute__((aligned(64)));
    after.volume = NULL;
    Commit commits[WIDTH / LY_LANES];
    LyReal gained[WIDTH / LY_LANES], distances[WIDTH / LY_LANES];
    for (int lane = 0, n = 0; lane < WIDTH; lane += LY_LANES, ++n) {
        Commit *commit = &commits[n];
        LyMat3 before = ly_mat3_load_lanes(points->G + lane);
        commit->G = before;
        LyMat3 F = ly_mat3_load_lanes(points->F + lane), flat = ly_flush_flat(&F);
        LySvd3 svd;
        ly_mat3_svd(&flat, &svd);
        LyReal e[3], square = ly_set(0);
        for (int i = 0; i < 3; ++i) {
            e[i] = ly_extended_log(svd.s.v[i]).value;
        }
        LyReal mean = (1.0 / 3) * (e[0] + e[1] + e[2]);
        for (int i = 0; i < 3; ++i) {
            e[i] = p->keeps_volume ? e[i] - mean : e[i];
            square += e[i] * e[i];
        }
        LyReal size = ly_sqrt(square);
        LyReal gamma = ly_plastic_load(p, batch->parameters, LY_DEFORMATION_STRAIN, lane);
        LyReal excess = 1.0 - gamma / ly_max(size, ly_set(0x1p-500));
        LyReal kept = ly_flow_load(batch->history, q, LY_FLOW_LOCKED, lane);
        commit->moves = ly_and(ly_greater(size, gamma), ly_greater(svd.s.v[2], ly_set(0)));
        commit->locked = p->goal ? ly_no_lane() : ly_greater(kept, ly_set(0.5));
        LyReal x[3] = {-excess * e[0], -excess * e[1], -excess * e[2]};
        LyReal limit = p->goal ? ly_set(1e300)
                               : ly_plastic_load(p, batch->parameters, LY_DEFORMATION_LIMIT, lane);
        commit_flow(&svd.V, x, limit, p->keeps_volume, commit);
        distances[n] = kept;
        if (p->goal && ly_any(commit->moves)) {
            LyReal left = cut_to_goal(solid, batch, lane, &before, commit);
            distances[n] = ly_select(ly_greater(commit->share, ly_set(0)), left, kept);
        }
        gained[n] =
            LY_ROOT_TWO_THIRDS * ly_select(commit->moves, excess * size, ly_set(0)) * commit->share;
        // the elastic part that is left: F G_n^-1 G
        LyMat3 inverse;
        ly_mat3_inverse(&before, &inverse);
        LyMat3 step = ly_mat3_multiply(&inverse, &commit->G), left = ly_mat3_multiply(&F, &step);
        left = ly_mat3_select(commit->flows, &left, &F);
        ly_mat3_store_lanes(after.F + lane, &left);
    }
    LY_KERNEL(ly_points_evaluate)(solid, batch->parameters, false, false, &after);
    for (int lane = 0, n = 0; lane < WIDTH; lane += LY_LANES, ++n) {
        Commit *commit = &commits[n];
        LyReal fall = ly_load(points->energy + lane) - ly_load(after.energy + lane);
        LyMask rises = ly_not(ly_greater_equal(fall, ly_set(0)));
        LyMat3 before = ly_mat3_load_lanes(points->G + lane);
        LyReal kept = ly_flow_load(batch->history, q, LY_FLOW_LOCKED, lane);
        LyReal alpha = ly_flow_load(batch->history, q, LY_FLOW_ALPHA, lane);
        commit->G = ly_mat3_select(rises, &before, &commit->G);
        LyReal flag = p->goal ? distances[n] : ly_select(commit->locked, ly_set(1), ly_set(0));
        store_commit(commit, alpha + ly_select(rises, ly_set(0), gained[n]), q, lane,
                     batch->trial_history);
        ly_flow_store(batch->trial_history, q, LY_FLOW_LOCKED, lane, ly_select(rises, kept, flag));
        ly_store(points->lost + lane, ly_select(rises, ly_set(0), fall));
    }
}

static void evaluate_deformation(const LyIsotropic *solid, const LyraBatch *batch, int q,
                                 bool tangent, bool psd, LyPoints *points)
{
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        LyMat3 G = load_inverse_flow(batch->history, q, lane);
        LyMat3 F = ly_mat3_load_lanes(points->F + lane), Fe = ly_mat3_multiply(&F, &G);
        ly_mat3_store_lanes(points->G + lane, &G);
        ly_mat3_store_lanes(points->F + lane, &Fe);
    }
    LY_KERNEL(ly_points_evaluate)(solid, batch->parameters, tangent, psd, points);
    if (batch->trial_history) {
        commit_deformation(solid, batch, q, points);
    }
}

// ---- points -------------------------------------------------------------------------------------

void LY_KERNEL(ly_points_flow)(const LyIsotropic *solid, const LyraBatch *batch, int q,
                               bool tangent, bool psd, LyPoints *points)
{
    if (solid->plasticity->rule == LY_FLOW_KINEMATIC) {
        LY_KERNEL(ly_points_flow_kinematic)(solid, batch, q, tangent, psd, points);
        return;
    }
    if (solid->plasticity->rule == LY_FLOW_DEFORMATION) {
        evaluate_deformation(solid, batch, q, tangent, psd, points);
    } else {
        points->stretches = true;
        points->projected = false;
        for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
            if (solid->plasticity->rule == LY_FLOW_BRANCH) {
                evaluate_branch(solid, batch, q, lane, tangent && psd, points);
            } else {
                evaluate_von_mises(solid, batch, q, lane, tangent && psd, points);
            }
        }
    }
    points->mapped = true;
    points->additive = points->stressed = false;
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        LyMat3 P = ly_mat3_load_lanes(points->P + lane), G = ly_mat3_load_lanes(points->G + lane);
        P = ly_mat3_multiply_transposed(&P, &G);
        ly_mat3_store_lanes(points->P + lane, &P);
    }
}
