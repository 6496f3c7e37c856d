// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Stress and tangent of an energy of the strain E = N diag(f(c)) N^T, c and N the eigenvalues and
// axes of F^T F: f = ln/2 gives the logarithmic strain, f = sqrt - 1 that of the polar
// decomposition. With T = dPsi/dE, dT = K tr(dE) 1 + 2 mu th dev dE - 2 mu tb n (n:dE), divided
// differences f[..] of f and A = dC, in the frame N,
//
//   dE_ij = f[i,j] A_ij,  S_ij = 2 f[i,j] T_ij,  P = F S,
//   dS_ijkl = 2 f[i,j] f[k,l] dT_ijkl
//             + f[i,j,l] (T_lj d_ik + T_il d_jk) + f[i,j,k] (T_kj d_il + T_ik d_jl).
//
// The projected tangent keeps the first part of dS and the positive part of S; elements whose exact
// one is positive take that.

#ifndef LY_FORCE_STRAIN_FRAME_H
#define LY_FORCE_STRAIN_FRAME_H

#include "force/stretch_form.h"

static const int ly_pair_i[6] = {0, 1, 2, 0, 1, 0}, ly_pair_j[6] = {0, 1, 2, 1, 2, 2};

// a symmetric matrix as 11 22 33 12 23 31, turned into the frame V, or out of it
LY_INLINE void ly_frame_turn(const LyMat3 *V, bool into, const LyReal from[6], LyReal to[6])
{
    LyMat3 A, half, B;
    for (int k = 0; k < 9; ++k) {
        A.m[k / 3][k % 3] = from[LY_PAIR(k / 3, k % 3)];
    }
    if (into) {
        half = ly_mat3_multiply(&A, V);
        B = ly_mat3_transposed_multiply(V, &half);
    } else {
        half = ly_mat3_multiply(V, &A);
        B = ly_mat3_multiply_transposed(&half, V);
    }
    for (int p = 0; p < 6; ++p) {
        to[p] = B.m[ly_pair_i[p]][ly_pair_j[p]];
    }
}

LY_INLINE LyReal ly_pair_square(const LyReal a[6])
{
    return a[0] * a[0] + a[1] * a[1] + a[2] * a[2] +
           2.0 * (a[3] * a[3] + a[4] * a[4] + a[5] * a[5]);
}

// What the tangent is made of, in the frame.
typedef struct LyStrainFrame {
    LyReal K, mu, th, tb;
    LyReal n[6], T[6], first[6]; // first[p]: f[i,j]
    LyReal twice[27];            // f[i,j,k] for i <= j <= k; not of the projected tangent
} LyStrainFrame;

// place of f[i,j,k], which does not depend on the order of i, j, k
LY_INLINE int ly_frame_order(int i, int j, int k)
{
    int least = i < j ? i : j, most = i < j ? j : i;
    least = k < least ? k : least;
    most = k > most ? k : most;
    return 9 * least + 3 * (i + j + k - least - most) + most;
}

LY_INLINE void ly_frame_store(const LyStrainFrame *f, bool psd, int lane, LyPoints *points)
{
    LyReal S[6];
    for (int p = 0; p < 6; ++p) {
        S[p] = 2.0 * f->first[p] * f->T[p];
        for (int q = p; q < 6; ++q) {
            int i = ly_pair_i[p], j = ly_pair_j[p], k = ly_pair_i[q], l = ly_pair_j[q];
            LyReal C = -2.0 * f->mu * f->tb * f->n[p] * f->n[q];
            if (p < 3 && q < 3) {
                C += f->K - (2.0 / 3) * f->mu * f->th;
            }
            if (p == q) {
                C += (p < 3 ? 2.0 : 1.0) * f->mu * f->th;
            }
            LyReal sum = 2.0 * f->first[p] * f->first[q] * C;
            if (!psd) {
                LyReal ijl = f->twice[ly_frame_order(i, j, l)],
                       ijk = f->twice[ly_frame_order(i, j, k)];
                LyReal zero = ly_set(0);
                LyReal a = i == k ? f->T[LY_PAIR(l, j)] : zero;
                LyReal b = j == k ? f->T[LY_PAIR(i, l)] : zero;
                LyReal c = i == l ? f->T[LY_PAIR(k, j)] : zero;
                LyReal d = j == l ? f->T[LY_PAIR(i, k)] : zero;
                sum += ijl * (a + b) + ijk * (c + d);
            }
            ly_store(points->dS + LY_PAIR_OF_PAIRS(p, q) * LY_WIDTH + lane, sum);
        }
    }
    if (psd) {
        LyMat3 A, Q;
        LyVec3 values;
        for (int k = 0; k < 9; ++k) {
            A.m[k / 3][k % 3] = S[LY_PAIR(k / 3, k % 3)];
        }
        ly_mat3_eigen(&A, &values, &Q);
        for (int p = 0; p < 6; ++p) {
            S[p] = ly_set(0);
            for (int k = 0; k < 3; ++k) {
                S[p] +=
                    ly_max(values.v[k], ly_set(0)) * Q.m[ly_pair_i[p]][k] * Q.m[ly_pair_j[p]][k];
            }
        }
    }
    for (int p = 0; p < 6; ++p) {
        ly_store(points->S + p * LY_WIDTH + lane, S[p]);
    }
}

/// P = F S = U diag(s) S V^T. `poison`: 0, or NaN.
LY_INLINE void ly_frame_stress(const LyStrainFrame *f, const LySvd3 *svd, LyReal poison, int lane,
                               LyPoints *points)
{
    LyMat3 S, half, P;
    for (int k = 0; k < 9; ++k) {
        int pair = LY_PAIR(k / 3, k % 3);
        S.m[k / 3][k % 3] = svd->s.v[k / 3] * (2.0 * f->first[pair] * f->T[pair]) + poison;
    }
    half = ly_mat3_multiply(&svd->U, &S);
    P = ly_mat3_multiply_transposed(&half, &svd->V);
    ly_mat3_store_lanes(points->P + lane, &P);
}

#endif
