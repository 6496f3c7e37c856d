// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the kernels of small strain share, in lanes: stress from strain, frames, the derivative of a
// frame. `isotropic` is a constant wherever these are called, so that only one side is compiled.

#ifndef LY_FORCE_COROTATIONAL_LANES_H
#define LY_FORCE_COROTATIONAL_LANES_H

#include "force/corotational.h"
#include "math/decompose.h"

// ---- vectors ------------------------------------------------------------------------------------

/// [e_k]x B for a constant k in 0, 1, 2.
LY_INLINE LyMat3 ly_axis_cross(int k, const LyMat3 *B)
{
    LyMat3 out;
    int i = (k + 1) % 3, j = (k + 2) % 3;
#pragma GCC unroll 3
    for (int c = 0; c < 3; ++c) {
        out.m[k][c] = ly_set(0);
        out.m[i][c] = -B->m[j][c];
        out.m[j][c] = B->m[i][c];
    }
    return out;
}

/// A [b]x
LY_INLINE LyMat3 ly_multiply_cross(const LyMat3 *A, const LyVec3 *b)
{
    LyMat3 out;
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
        const LyReal *a = A->m[i];
        out.m[i][0] = a[1] * b->v[2] - a[2] * b->v[1];
        out.m[i][1] = a[2] * b->v[0] - a[0] * b->v[2];
        out.m[i][2] = a[0] * b->v[1] - a[1] * b->v[0];
    }
    return out;
}

// ---- stress -------------------------------------------------------------------------------------

/// lambda, mu; or the upper triangle of the 6x6 matrix.
typedef struct LyStiffness {
    LyReal d[LYRA_STIFFNESS_PARAMETER_COUNT];
} LyStiffness;

LY_INLINE LyStiffness ly_stiffness_load(bool isotropic, const double *parameters)
{
    LyStiffness D;
    int count = isotropic ? LYRA_ELASTIC_PARAMETER_COUNT : LYRA_STIFFNESS_PARAMETER_COUNT;
    for (int k = 0; k < count; ++k) {
        D.d[k] = ly_load(parameters + k * LYRA_BATCH_WIDTH);
    }
    return D;
}

// place of (row, column) of the 6x6 matrix in its upper triangle
LY_INLINE int ly_stiffness_place(int row, int column)
{
    int i = row < column ? row : column, j = row < column ? column : row;
    return 6 * i - i * (i - 1) / 2 + j - i;
}

/// Stress of the symmetric part of H.
LY_INLINE LyMat3 ly_stress(bool isotropic, const LyStiffness *D, const LyMat3 *H)
{
    LyMat3 out;
    if (isotropic) {
        LyReal mu = D->d[LYRA_ELASTIC_MU];
        LyReal pressure = D->d[LYRA_ELASTIC_LAMBDA] * (H->m[0][0] + H->m[1][1] + H->m[2][2]);
#pragma GCC unroll 3
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3;
            out.m[i][i] = 2.0 * mu * H->m[i][i] + pressure;
            out.m[i][j] = out.m[j][i] = mu * (H->m[i][j] + H->m[j][i]);
        }
        return out;
    }
    LyReal e[6] = {H->m[0][0],
                   H->m[1][1],
                   H->m[2][2],
                   H->m[0][1] + H->m[1][0],
                   H->m[1][2] + H->m[2][1],
                   H->m[2][0] + H->m[0][2]};
    LyReal s[6];
#pragma GCC unroll 6
    for (int i = 0; i < 6; ++i) {
        s[i] = D->d[ly_stiffness_place(i, 0)] * e[0];
#pragma GCC unroll 5
        for (int j = 1; j < 6; ++j) {
            s[i] += D->d[ly_stiffness_place(i, j)] * e[j];
        }
    }
    return (LyMat3){{{s[0], s[3], s[5]}, {s[3], s[1], s[4]}, {s[5], s[4], s[2]}}};
}

/// K_ik = D_ijkl G_jl: the block of two nodes whose shape gradients have the product G.
LY_INLINE LyMat3 ly_stiffness_block(bool isotropic, const LyStiffness *D, const LyMat3 *G)
{
    LyMat3 K;
    if (isotropic) {
        LyReal lambda = D->d[LYRA_ELASTIC_LAMBDA], mu = D->d[LYRA_ELASTIC_MU];
        LyReal trace = mu * (G->m[0][0] + G->m[1][1] + G->m[2][2]);
#pragma GCC unroll 9
        for (int n = 0; n < 9; ++n) {
            int i = n / 3, k = n % 3;
            K.m[i][k] = lambda * G->m[i][k] + mu * G->m[k][i];
            if (i == k) {
                K.m[i][k] += trace;
            }
        }
        return K;
    }
    static const int place_of[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};
#pragma GCC unroll 9
    for (int n = 0; n < 9; ++n) {
        int i = n / 3, k = n % 3;
        K.m[i][k] = ly_set(0);
#pragma GCC unroll 9
        for (int p = 0; p < 9; ++p) {
            int j = p / 3, l = p % 3;
            K.m[i][k] += D->d[ly_stiffness_place(place_of[i][j], place_of[k][l])] * G->m[j][l];
        }
    }
    return K;
}

// ---- frames -------------------------------------------------------------------------------------

/// The rotation of an element.
typedef struct LyFrame {
    LyMat3 R;
    LyMask fresh; ///< It follows the present state; elsewhere it is kept.
} LyFrame;

/// Nearest rotation of F, or the one kept; writes the trial history.
LY_INLINE LyFrame ly_frame_find(const LyCorotational *self, const LyraBatch *batch, int lane,
                                const LyMat3 *F)
{
    LyFrame frame;
    ly_mat3_polar(F, &frame.R);
    frame.fresh = ly_mask_first(LY_LANES);
    if (self->frame_steps > 1) {
        const int width = LYRA_BATCH_WIDTH;
        LyReal age = ly_load(batch->history + LY_FRAME_AGE * width + lane);
        LyMat3 kept =
            ly_mat3_load_components(batch->history + LY_FRAME_ROTATION * width + lane, width);
        frame.fresh = ly_or(ly_less(age, ly_set(0.5)),
                            ly_greater(age, ly_set((double)self->frame_steps - 0.5)));
        frame.R = ly_mat3_select(frame.fresh, &frame.R, &kept);
        if (batch->trial_history) {
            ly_mat3_store_components(batch->trial_history + LY_FRAME_ROTATION * width + lane, width,
                                     &frame.R);
            ly_store(batch->trial_history + LY_FRAME_AGE * width + lane,
                     ly_select(frame.fresh, ly_set(1), age + 1.0));
        }
    }
    return frame;
}

/// Where s_j + s_k is not above this, relative to the largest stretch and absolutely, the frame is
/// singular: it then does not turn about that axis.
#define LY_FRAME_SINGULAR 0x1p-48
#define LY_FRAME_TINY 0x1p-500

/// Below this size of det G beside (tr S)^3 the inverse is taken by eigenvalues.
#define LY_FRAME_SLOW 1e-4

// tr S 1 - S
LY_INLINE LyMat3 ly_frame_matrix(const LyMat3 *S, LyReal *trace)
{
    LyMat3 G;
    *trace = S->m[0][0] + S->m[1][1] + S->m[2][2];
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        G.m[i][i] = S->m[j][j] + S->m[k][k];
        G.m[i][j] = G.m[j][i] = -0.5 * (S->m[i][j] + S->m[j][i]);
    }
    return G;
}

// c (tr S 1 - S)^-1 by eigenvalues of S, each at least `floor`; singular ones give 0 or `floor`
static inline LyMat3 ly_frame_inverse_slow(const LyMat3 *S, LyReal c, LyReal floor)
{
    LyVec3 s;
    LyMat3 V, VZ;
    ly_mat3_eigen(S, &s, &V);
    LyReal limit = ly_max(LY_FRAME_SINGULAR * s.v[0], ly_set(LY_FRAME_TINY));
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
        LyReal sum = s.v[(i + 1) % 3] + s.v[(i + 2) % 3];
        LyMask singular = ly_less_equal(sum, limit);
        LyReal z = ly_select(singular, ly_set(0), c / ly_select(singular, ly_set(1), sum));
        z = ly_max(z, floor);
#pragma GCC unroll 3
        for (int j = 0; j < 3; ++j) {
            VZ.m[j][i] = V.m[j][i] * z;
        }
    }
    return ly_mat3_multiply_transposed(&VZ, &V);
}

/// c (tr S 1 - S)^-1 for a symmetric S whose two smallest eigenvalues do not sum below 0. With
/// `clamp`, eigenvalues below -mu become -mu.
LY_INLINE LyMat3 ly_frame_inverse(const LyMat3 *S, LyReal c, bool clamp, LyReal mu)
{
    LyReal trace;
    LyMat3 G = ly_frame_matrix(S, &trace), K = ly_mat3_cofactor(&G);
    LyReal det = G.m[0][0] * K.m[0][0] + G.m[0][1] * K.m[0][1] + G.m[0][2] * K.m[0][2];
    LyMask fast = ly_greater(det, LY_FRAME_SLOW * trace * trace * trace);
    if (clamp) {
        // nothing to clamp where mu G + c 1 is positive definite: three leading minors
        LyReal a = mu * G.m[0][0] + c, b = mu * G.m[1][1] + c, d = mu * G.m[2][2] + c;
        LyReal x = mu * G.m[0][1], y = mu * G.m[1][2], z = mu * G.m[0][2];
        LyReal second = a * b - x * x;
        LyReal third = d * second - a * y * y - b * z * z + 2.0 * x * y * z;
        LyReal zero = ly_set(0);
        LyMask positive = ly_and(ly_greater(a, zero), ly_greater(second, zero));
        fast = ly_and(fast, ly_and(positive, ly_greater(third, zero)));
    }
    LyReal scale = c / det;
    LyMat3 Z;
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
        Z.m[k / 3][k % 3] = scale * K.m[k / 3][k % 3];
    }
    if (!ly_all(fast)) {
        LyMat3 slow = ly_frame_inverse_slow(S, c, clamp ? -mu : ly_set(-INFINITY));
        Z = ly_mat3_select(fast, &Z, &slow);
    }
    return Z;
}

/// The inverse above with c = 1, and 0 where the frame is kept: it does not turn with the state.
LY_INLINE LyMat3 ly_frame_turn(const LyFrame *frame, const LyMat3 *S)
{
    LyMat3 Z = ly_frame_inverse(S, ly_set(1), false, ly_set(0)), none;
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
        none.m[k / 3][k % 3] = ly_set(0);
    }
    return ly_mat3_select(frame->fresh, &Z, &none);
}

/// R K R^T
LY_INLINE LyMat3 ly_turned(const LyMat3 *R, const LyMat3 *K)
{
    LyMat3 RK = ly_mat3_multiply(R, K);
    return ly_mat3_multiply_transposed(&RK, R);
}

// ---- out ----------------------------------------------------------------------------------------

LY_INLINE void ly_store_block(const LyraBatch *batch, int lane, int block, const LyMat3 *K)
{
    ly_mat3_store_components(batch->dfdx + 9 * block * LYRA_BATCH_WIDTH + lane, LYRA_BATCH_WIDTH,
                             K);
}

#endif
