// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Energy density W, stress P = dW/dF and tangent dP/dF of isotropic laws at a batch of points, in
// one of two forms.
//
// Invariants. With C = F^T F, I = tr C, II = tr C^2, J = det F:
//   P = 2 W_I F + 4 W_II F C + W_J cof F.
// Along directions b_a, b_b, with g_a = F b_a, q_a = F C b_a, r_a = cof(F) b_a, Z_a = [2 g_a, 4
// q_a, r_a] and H the Hessian of W by the invariants, the block b_a . dP/dF . b_b is
//   (2 W_I b_a.b_b + 4 W_II g_a.g_b) 1 + 4 W_II (g_b g_a^T + (b_a.b_b) F F^T)
//   - W_J [F (b_a x b_b)]x + Z_a H Z_b^T.
//
// Stretches. F = U diag(s) V^T with rotations, P = U diag(W_i) V^T, and in the frames of U and V
// dP/dF splits into the Hessian W_ij of the diagonal and, for each pair, the flip
// f = (W_i - W_j)/(s_i - s_j) of its symmetric and the twist t = (W_i + W_j)/(s_i + s_j) of its
// skew part. With beta = V^T b the block is U M U^T, k running over the indices other than i:
//   M_ii = W_ii beta_i beta'_i + sum (f_ik + t_ik)/2 beta_k beta'_k,
//   M_ij = W_ij beta_i beta'_j + (f_ij - t_ij)/2 beta_j beta'_i.
// For laws on invariants nothing needs a division: with z_i = (2 s_i, 4 s_i^3, s_j s_k),
//   W_i = z_i . grad,  W_ii = 2 W_I + 12 s_i^2 W_II + z_i H z_i,  W_ij = s_k W_J + z_i H z_j,
//   f = 2 W_I + 4 W_II (s_i^2 + s_i s_j + s_j^2) - s_k W_J,
//   t = 2 W_I + 4 W_II (s_i^2 - s_i s_j + s_j^2) + s_k W_J.
// For the others f takes its limit (W_ii + W_jj)/2 - W_ij where s_i and s_j agree to 1e-5, with an
// error of the order of the square of their difference, and the denominator of t is kept above
// 1e-6 of the larger stretch: laws that are not smooth in F at s_i + s_j = 0 have a large but
// finite twist there.
//
// Stretches below the threshold s0. `clamp` puts c = max(s, s0) in place of s everywhere. `extend`
// takes, with d = s - c, the polynomial
//   W_ext(s) = [product over i of (1 + b_i D_i + b_i^2/2 D_i^2)] W (c) + sum over i of phi(-d_i),
// D_i the derivative by s_i, b = -s0 (t - t^3 + t^4/2) with t = min(-d/s0, 1), which follows d and
// stays at -s0/2 from t = 1 on, and phi(e) = B e^3 for 0 <= e <= s0, a parabola beyond, with B =
// W_11(1, 1, 1)/(3 s0). It has continuous second derivatives, and energy, stress and tangent belong
// together. b keeps the large stresses that laws with logarithms have near the threshold from
// growing with the depth of an inversion: with b = d, inverted elements blew up their neighbours
// and tangles held themselves. phi, with twice the stiffness at rest, makes every law push back.
//
// `volume` adds a function of J whose value and two derivatives are given at each point.
//
// Resistance to compression adds -(rho/2592) (J - 1)^3 for J < 1, of the true J, or of the clamped
// one with `clamp`.

#ifndef LY_FORCE_ISOTROPIC_POINT_H
#define LY_FORCE_ISOTROPIC_POINT_H

#include "force/isotropic.h"
#include "math/mat3_lanes.h"

#define LY_WIDTH LYRA_BATCH_WIDTH

/// Value and derivatives by J of the resistance
typedef struct LyResistance {
    LyReal value, slope, curvature;
} LyResistance;

LY_INLINE LyResistance ly_resistance(LyReal rho, LyReal J)
{
    LyReal k = rho * (1.0 / 2592), x = ly_min(J - 1.0, ly_set(0));
    return (LyResistance){-k * x * x * x, -3.0 * k * x * x, -6.0 * k * x};
}

/// A batch of points; arrays are [component][LY_WIDTH].
typedef struct LyPoints {
    bool stretches;             // which form holds the tangent
    bool projected;             // whether a tangent was changed by more than rounding
    bool mapped;                // F is that of the elastic part, F G of the whole
    double F[9 * LY_WIDTH];     // in
    const double *volume;       // in: added, a function of J and its derivatives, [3]; Nullable
    double energy[LY_WIDTH];    // W
    double P[9 * LY_WIDTH];     // dW/dF
    double first[3 * LY_WIDTH]; // by invariants or stretches
    double second[6 * LY_WIDTH];
    double U[9 * LY_WIDTH], V[9 * LY_WIDTH], s[3 * LY_WIDTH];
    double flip[3 * LY_WIDTH], twist[3 * LY_WIDTH]; // of 12, 23, 31
    double G[9 * LY_WIDTH];                         // if mapped
    double lost[LY_WIDTH];                          // energy density of flow, with a trial history
    bool additive; // the tangent is that of the second Piola stress S by C, in the frame V
    double S[6 * LY_WIDTH], dS[21 * LY_WIDTH]; // if so; see kinematic_point_kernel.c
    // with a Prony series: factor of the law, what `volume` points to, and a second Piola stress
    // beside
    double scale, relaxed[3 * LY_WIDTH];
    bool stressed;
    double stress[6 * LY_WIDTH];
} LyPoints;

/// The function of J that is added.
LY_INLINE LyResistance ly_points_volume(const LyPoints *points, int lane)
{
    const double *volume = points->volume + lane;
    return (LyResistance){ly_load(volume), ly_load(volume + LY_WIDTH),
                          ly_load(volume + 2 * LY_WIDTH)};
}

LY_INLINE LyVec3 ly_vec3_load_lanes(const double *p)
{
    return (LyVec3){{ly_load(p), ly_load(p + LY_WIDTH), ly_load(p + 2 * LY_WIDTH)}};
}

LY_INLINE LyMat3 ly_mat3_load_lanes(const double *p)
{
    LyMat3 A;
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
        A.m[k / 3][k % 3] = ly_load(p + k * LY_WIDTH);
    }
    return A;
}

LY_INLINE void ly_mat3_store_lanes(double *p, const LyMat3 *A)
{
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
        ly_store(p + k * LY_WIDTH, A->m[k / 3][k % 3]);
    }
}

/// Whether all stretches exceed the threshold for sure, from s_min >= 2 J / I, I = |F|^2.
LY_INLINE LyMask ly_surely_above(LyReal I, LyReal J, double threshold)
{
    return ly_greater(J, (0.5000001 * threshold) * I);
}

/// Fills everything but F and `volume`, which stand there already.
typedef void LyPointsKernel(const LyIsotropic *solid, const double *parameters, bool tangent,
                            bool psd, LyPoints *points);
LY_KERNEL_DECLARE(LyPointsKernel, ly_points_evaluate);

/// The same for a solid with plasticity, at point `q` of the elements: reads its history and writes
/// the trial one, but for what the elements have lost. F is that of the elastic part afterwards.
typedef void LyPointsFlowKernel(const LyIsotropic *solid, const LyraBatch *batch, int q,
                                bool tangent, bool psd, LyPoints *points);
LY_KERNEL_DECLARE(LyPointsFlowKernel, ly_points_flow);
LY_KERNEL_DECLARE(LyPointsFlowKernel, ly_points_flow_kinematic);
/// The same for a solid with a Prony series; F stays.
LY_KERNEL_DECLARE(LyPointsFlowKernel, ly_points_relax);

/// The right one, as the solid is.
#define LY_POINTS_EVALUATE(solid, batch, q, tangent, psd, points)                                  \
    do {                                                                                           \
        if ((solid)->plasticity) {                                                                 \
            LY_KERNEL(ly_points_flow)(solid, batch, q, tangent, psd, points);                      \
        } else if ((solid)->prony) {                                                               \
            LY_KERNEL(ly_points_relax)(solid, batch, q, tangent, psd, points);                     \
        } else {                                                                                   \
            LY_KERNEL(ly_points_evaluate)(solid, (batch)->parameters, tangent, psd, points);       \
        }                                                                                          \
    } while (0)

/// Adds what a point has lost, `volume` its share of the rest volume, to the last number of the
/// trial history; the first point starts from what had been lost before.
LY_INLINE void ly_points_add_lost(const LyIsotropic *solid, const LyraBatch *batch,
                                  const LyPoints *points, bool first, LyReal volume, int lane)
{
    int64_t last = (int64_t)(solid->type.history_count - 1) * LY_WIDTH + lane;
    LyReal before = ly_load((first ? batch->history : batch->trial_history) + last);
    ly_store(batch->trial_history + last, before + volume * ly_load(points->lost + lane));
}

// ---- blocks of the tangent ----------------------------------------------------------------------

// pairs of directions of the six blocks
#define LY_BLOCK_FIRST(n) ((n) < 3 ? (n) : (n) == 4 ? 1 : 0)
#define LY_BLOCK_SECOND(n) ((n) < 3 ? (n) : (n) == 3 ? 1 : 2)

// column a of A
LY_INLINE LyVec3 ly_mat3_column(const LyMat3 *A, int a)
{
    return (LyVec3){{A->m[0][a], A->m[1][a], A->m[2][a]}};
}

/// Where a block goes as soon as it stands, so that six need not be held: into `blocks`, or times
/// scale[n] to `lanes`, [6][9][LY_WIDTH].
typedef struct LyBlockSink {
    LyMat3 *blocks;
    double *lanes;
    LyReal scale[6];
} LyBlockSink;

LY_INLINE void ly_block_put(const LyBlockSink *sink, int n, const LyMat3 *D)
{
    if (sink->blocks) {
        sink->blocks[n] = *D;
        return;
    }
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
        ly_store(sink->lanes + (9 * n + k) * LY_WIDTH, sink->scale[n] * D->m[k / 3][k % 3]);
    }
}

/// What W depends on: I and J; I and linearly II, as StVK; or all of them.
typedef enum LyDependence { LY_BY_I_AND_J, LY_BY_STRAIN, LY_BY_ALL } LyDependence;

// whether W_J and all second derivatives but that by I vanish
LY_INLINE bool ly_points_strain_only(const LyPoints *points, int lane)
{
    LyReal size = ly_abs(ly_load(points->first + 2 * LY_WIDTH + lane));
    for (int n = 1; n < 6; ++n) {
        size += ly_abs(ly_load(points->second + n * LY_WIDTH + lane)); // keeps NaN
    }
    return ly_all(ly_equal(size, ly_set(0)));
}

// `b`: NULL for the axes. `by` is a constant.
LY_INLINE void ly_blocks_invariants(const LyPoints *points, int lane, const LyVec3 *b,
                                    LyDependence by, const LyBlockSink *sink)
{
    bool with_second = by != LY_BY_I_AND_J, strain_only = by == LY_BY_STRAIN;
    LyMat3 F = ly_mat3_load_lanes(points->F + lane), K = ly_mat3_cofactor(&F), left;
    LyVec3 first = ly_vec3_load_lanes(points->first + lane);
    LyReal w1 = 2.0 * first.v[0], w2 = 4.0 * first.v[1], wJ = first.v[2], h[6];
    for (int n = 0; n < 6; ++n) {
        h[n] = ly_load(points->second + n * LY_WIDTH + lane);
    }
    LyVec3 g[3], q[3], r[3], yg[3], yq[3], yr[3];
    if (with_second) {
        left = ly_mat3_multiply_transposed(&F, &F);
    }
    for (int a = 0; a < 3; ++a) {
        g[a] = b ? ly_mat3_apply(&F, &b[a]) : ly_mat3_column(&F, a);
        r[a] = b ? ly_mat3_apply(&K, &b[a]) : ly_mat3_column(&K, a);
        if (by == LY_BY_ALL) {
            q[a] = ly_mat3_apply(&left, &g[a]); // F C = (F F^T) F
        }
        // columns of Z H with the factors of Z on both sides
        for (int i = 0; i < 3; ++i) {
            LyReal zg = 2.0 * g[a].v[i], zr = r[a].v[i];
            if (strain_only) {
                yg[a].v[i] = 2.0 * (h[0] * zg);
            } else if (with_second) {
                LyReal zq = 4.0 * q[a].v[i];
                yg[a].v[i] = 2.0 * (h[0] * zg + h[3] * zq + h[5] * zr);
                yq[a].v[i] = 4.0 * (h[3] * zg + h[1] * zq + h[4] * zr);
                yr[a].v[i] = h[5] * zg + h[4] * zq + h[2] * zr;
            } else {
                yg[a].v[i] = 2.0 * (h[0] * zg + h[5] * zr);
                yr[a].v[i] = h[5] * zg + h[2] * zr;
            }
        }
    }
#pragma GCC unroll 6
    for (int n = 0; n < 6; ++n) {
        int a = LY_BLOCK_FIRST(n), c = LY_BLOCK_SECOND(n);
        LyReal bb = b ? ly_vec3_dot(&b[a], &b[c]) : ly_set(a == c);
        LyReal diagonal = b ? w1 * bb : a == c ? w1 : ly_set(0);
        LyMat3 D;
        for (int k = 0; k < 9; ++k) {
            int i = k / 3, j = k % 3;
            D.m[i][j] = g[a].v[i] * yg[c].v[j];
            if (!strain_only) {
                D.m[i][j] += r[a].v[i] * yr[c].v[j];
            }
            if (by == LY_BY_ALL) {
                D.m[i][j] += q[a].v[i] * yq[c].v[j];
            }
            if (with_second) {
                D.m[i][j] += w2 * g[c].v[i] * g[a].v[j];
            }
            if (with_second && (b || a == c)) {
                D.m[i][j] += w2 * bb * left.m[i][j];
            }
        }
        if (with_second) {
            diagonal += w2 * ly_vec3_dot(&g[a], &g[c]);
        }
        for (int i = 0; i < 3; ++i) {
            D.m[i][i] += diagonal;
        }
        if (a != c && !strain_only) {
            LyVec3 w;
            if (b) {
                LyVec3 cross = ly_vec3_cross(&b[a], &b[c]);
                w = ly_mat3_apply(&F, &cross);
            } else {
                w = ly_mat3_column(&F, 3 - a - c);
            }
            LyReal turn = b || c == a + 1 ? wJ : -wJ;
            for (int i = 0; i < 3; ++i) {
                int j = (i + 1) % 3, k = (i + 2) % 3;
                D.m[j][k] += turn * w.v[i];
                D.m[k][j] -= turn * w.v[i];
            }
        }
        ly_block_put(sink, n, &D);
    }
}

LY_INLINE void ly_blocks_stretches(const LyPoints *points, int lane, const LyVec3 *b,
                                   const LyBlockSink *sink)
{
    LyMat3 U = ly_mat3_load_lanes(points->U + lane), V = ly_mat3_load_lanes(points->V + lane);
    LyReal h[6], p[3], q[3];
    for (int n = 0; n < 6; ++n) {
        h[n] = ly_load(points->second + n * LY_WIDTH + lane);
    }
    for (int i = 0; i < 3; ++i) {
        p[i] = ly_load(points->flip + i * LY_WIDTH + lane);
        q[i] = ly_load(points->twist + i * LY_WIDTH + lane);
    }
    LyVec3 beta[3];
    for (int a = 0; a < 3; ++a) {
        beta[a] =
            b ? ly_mat3_apply_transposed(&V, &b[a]) : (LyVec3){{V.m[a][0], V.m[a][1], V.m[a][2]}};
    }
#pragma GCC unroll 6
    for (int n = 0; n < 6; ++n) {
        const LyReal *x = beta[LY_BLOCK_FIRST(n)].v, *y = beta[LY_BLOCK_SECOND(n)].v;
        LyMat3 M;
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            // p and q of the pair (i, j) stand at i, of (k, i) at k
            M.m[i][i] = h[i] * x[i] * y[i] + p[i] * x[j] * y[j] + p[k] * x[k] * y[k];
            M.m[i][j] = h[3 + i] * x[i] * y[j] + q[i] * x[j] * y[i];
            M.m[j][i] = h[3 + i] * x[j] * y[i] + q[i] * x[i] * y[j];
        }
        LyMat3 half = ly_mat3_multiply(&U, &M);
        LyMat3 D = ly_mat3_multiply_transposed(&half, &U);
        ly_block_put(sink, n, &D);
    }
}

/// Place of a pair of axes among 11, 22, 33, 12, 23, 31.
#define LY_PAIR(i, j) ((i) == (j) ? (i) : (i) + (j) == 1 ? 3 : (i) + (j) == 3 ? 4 : 5)
/// Place of a pair of such pairs in the upper triangle, row by row.
#define LY_PAIR_OF_PAIRS(p, q)                                                                     \
    ((p) <= (q) ? (p) * (11 - (p)) / 2 + (q) : (q) * (11 - (q)) / 2 + (p))

// U [ (beta.S beta') 1 + 2 s_i s_k dS_ijkl beta_j beta'_l ] U^T with beta = V^T b
LY_INLINE void ly_blocks_additive(const LyPoints *points, int lane, const LyVec3 *b,
                                  const LyBlockSink *sink)
{
    LyMat3 U = ly_mat3_load_lanes(points->U + lane), V = ly_mat3_load_lanes(points->V + lane);
    LyVec3 s = ly_vec3_load_lanes(points->s + lane), beta[3];
    for (int a = 0; a < 3; ++a) {
        beta[a] =
            b ? ly_mat3_apply_transposed(&V, &b[a]) : (LyVec3){{V.m[a][0], V.m[a][1], V.m[a][2]}};
    }
#pragma GCC unroll 3
    for (int c = 0; c < 3; ++c) {
        // dS_pkl beta'_l and S_ik beta'_k, for all blocks with this second direction
        const LyReal *y = beta[c].v;
        LyReal T[6][3];
        LyVec3 t;
        for (int p = 0; p < 6; ++p) {
            for (int k = 0; k < 3; ++k) {
                T[p][k] = ly_set(0);
                for (int l = 0; l < 3; ++l) {
                    int at = LY_PAIR_OF_PAIRS(p, LY_PAIR(k, l));
                    T[p][k] += ly_load(points->dS + at * LY_WIDTH + lane) * y[l];
                }
            }
        }
        for (int i = 0; i < 3; ++i) {
            t.v[i] = ly_set(0);
            for (int k = 0; k < 3; ++k) {
                t.v[i] += ly_load(points->S + LY_PAIR(i, k) * LY_WIDTH + lane) * y[k];
            }
        }
#pragma GCC unroll 6
        for (int n = 0; n < 6; ++n) {
            if (LY_BLOCK_SECOND(n) != c) {
                continue;
            }
            const LyVec3 *x = &beta[LY_BLOCK_FIRST(n)];
            LyReal turn = ly_vec3_dot(x, &t);
            LyMat3 M;
            for (int i = 0; i < 3; ++i) {
                for (int k = 0; k < 3; ++k) {
                    LyReal sum = ly_set(0);
                    for (int j = 0; j < 3; ++j) {
                        sum += T[LY_PAIR(i, j)][k] * x->v[j];
                    }
                    M.m[i][k] = 2.0 * s.v[i] * s.v[k] * sum;
                }
                M.m[i][i] += turn;
            }
            LyMat3 half = ly_mat3_multiply(&U, &M);
            LyMat3 D = ly_mat3_multiply_transposed(&half, &U);
            ly_block_put(sink, n, &D);
        }
    }
}

/// What the stress beside adds to a block of two directions.
LY_INLINE LyReal ly_points_stress(const LyPoints *points, int lane, int n, const LyVec3 *b)
{
    int a = LY_BLOCK_FIRST(n), c = LY_BLOCK_SECOND(n);
    if (!b) {
        return ly_load(points->stress + LY_PAIR(a, c) * LY_WIDTH + lane);
    }
    LyReal sum = ly_set(0);
    for (int k = 0; k < 9; ++k) {
        sum += ly_load(points->stress + LY_PAIR(k / 3, k % 3) * LY_WIDTH + lane) * b[a].v[k / 3] *
               b[c].v[k % 3];
    }
    return sum;
}

LY_INLINE void ly_points_put_blocks(const LyIsotropic *solid, const LyPoints *points, int lane,
                                    const LyVec3 *b, const LyBlockSink *sink)
{
    LyVec3 mapped[3];
    if (points->mapped) {
        // b' = G^T b
        LyMat3 G = ly_mat3_load_lanes(points->G + lane);
        for (int a = 0; a < 3; ++a) {
            mapped[a] = b ? ly_mat3_apply_transposed(&G, &b[a])
                          : (LyVec3){{G.m[a][0], G.m[a][1], G.m[a][2]}};
        }
        b = mapped;
    }
    if (points->additive) {
        ly_blocks_additive(points, lane, b, sink);
    } else if (points->stretches) {
        ly_blocks_stretches(points, lane, b, sink);
    } else if (solid->law->without_second) {
        ly_blocks_invariants(points, lane, b, LY_BY_I_AND_J, sink);
    } else if (ly_points_strain_only(points, lane)) {
        ly_blocks_invariants(points, lane, b, LY_BY_STRAIN, sink);
    } else {
        ly_blocks_invariants(points, lane, b, LY_BY_ALL, sink);
    }
}

/// Blocks b_a . dP/dF . b_c for (a, c) = 11, 22, 33, 12, 23, 13 of three directions; the order of
/// LY_BLOCK_FIRST and LY_BLOCK_SECOND. `b`: Nullable: the axes.
LY_INLINE void ly_points_blocks(const LyIsotropic *solid, const LyPoints *points, int lane,
                                const LyVec3 *b, LyMat3 blocks[6])
{
    LyBlockSink sink = {.blocks = blocks};
    ly_points_put_blocks(solid, points, lane, b, &sink);
    for (int n = 0; points->stressed && n < 6; ++n) {
        LyReal more = ly_points_stress(points, lane, n, b);
        for (int i = 0; i < 3; ++i) {
            blocks[n].m[i][i] += more;
        }
    }
}

/// The same, block n times scale[n], to `lanes` [6][9][LY_WIDTH].
LY_INLINE void ly_points_store_blocks(const LyIsotropic *solid, const LyPoints *points, int lane,
                                      const LyVec3 *b, const LyReal scale[6], double *lanes)
{
    LyBlockSink sink = {.lanes = lanes};
    memcpy(sink.scale, scale, sizeof sink.scale);
    ly_points_put_blocks(solid, points, lane, b, &sink);
    for (int n = 0; points->stressed && n < 6; ++n) {
        LyReal more = scale[n] * ly_points_stress(points, lane, n, b);
        for (int i = 0; i < 3; ++i) {
            double *to = lanes + (9 * n + 4 * i) * LY_WIDTH;
            ly_store(to, ly_load(to) + more);
        }
    }
}

#endif
