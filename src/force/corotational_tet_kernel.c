// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Tets of small strain in a frame that turns with them. docs/theory/corotational.md has the
// derivation; numbers in brackets are its equations.
//
// With G the gradient of displacements, F = 1 + G, R its nearest rotation, S = R^T F, H = S - 1 and
// s = D : H the stress (for `linear` R = 1 and H = G; where R is kept, H need not be symmetric):
//   energy V/2 s:H,  f_a = V R s b_a                                                      [3] [4]
//   R^T K_ab R = V [ D_ab + A_a Z [b_b]x ],  (D_ab)_ik = D_ijkl b_aj b_bl                     [8]
//     Z = (tr S 1 - S)^-1,  column k of A_a is ([e_k]x s - D : [e_k]x H) b_a
// where the second part is left out of the approximate tangent. ENU materials with fresh frames
// have, with r_a = R b_a, T = F R^T and c = lambda (tr S - 3) - 2 mu,
//   P = 2 mu (F - R) + lambda (tr S - 3) R                                                    [5]
//   K_ab = V [ 2 mu (b_a.b_b) 1 + lambda r_a r_b^T + [r_a]x c (tr T 1 - T)^-1 [r_b]x^T ]      [9]
// and the PSD mode clamps the eigenvalues of c (tr T 1 - T)^-1 at -mu                        [11].
// That of the others is the approximate tangent, unless the exact one is positive.

#include "force/corotational_lanes.h"
#include "force/definite.h"

#define WIDTH LYRA_BATCH_WIDTH

typedef struct Tet {
    LyVec3 b[4];
    LyReal volume;
    LyMat3 G, F; // gradients of displacements and of positions
} Tet;

LY_INLINE Tet load_tet(const LyraBatch *batch, int lane)
{
    Tet tet;
    LyVec3 d[3];
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
        LyReal u0 = ly_load(batch->u + i * WIDTH + lane);
#pragma GCC unroll 3
        for (int a = 0; a < 3; ++a) {
            d[a].v[i] = ly_load(batch->u + (3 * (a + 1) + i) * WIDTH + lane) - u0;
            tet.b[a + 1].v[i] = ly_load(batch->constants + (LY_TET_B + 3 * a + i) * WIDTH + lane);
        }
        tet.b[0].v[i] = -(tet.b[1].v[i] + tet.b[2].v[i] + tet.b[3].v[i]);
    }
    tet.volume = ly_load(batch->constants + LY_TET_VOLUME * WIDTH + lane);
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
        int i = k / 3, j = k % 3;
        tet.G.m[i][j] =
            d[0].v[i] * tet.b[1].v[j] + d[1].v[i] * tet.b[2].v[j] + d[2].v[i] * tet.b[3].v[j];
        tet.F.m[i][j] = i == j ? tet.G.m[i][j] + 1.0 : tet.G.m[i][j];
    }
    return tet;
}

// f_a = V P b_a, with V P in `P`
LY_INLINE void store_gradient(const LyraBatch *batch, int lane, const Tet *tet, const LyMat3 *P)
{
    LyVec3 f[4];
#pragma GCC unroll 3
    for (int a = 1; a < 4; ++a) {
        f[a] = ly_mat3_apply(P, &tet->b[a]);
    }
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
#pragma GCC unroll 3
        for (int a = 1; a < 4; ++a) {
            ly_store(batch->gradient + (3 * a + i) * WIDTH + lane, f[a].v[i]);
        }
        ly_store(batch->gradient + i * WIDTH + lane, -(f[1].v[i] + f[2].v[i] + f[3].v[i]));
    }
}

// ---- ENU, fresh frames --------------------------------------------------------------------------

// V [ lambda r_a r_b^T + mu (r_b r_a^T + (b_a.b_b) 1) ]
LY_INLINE void store_approximate(const LyraBatch *batch, int lane, const Tet *tet, LyReal lambda,
                                 LyReal mu, const LyVec3 r[4])
{
    for (int a = 0, pair = 0; a < 4; ++a) {
        for (int b = a + 1; b < 4; ++b, ++pair) {
            LyReal diagonal = mu * ly_vec3_dot(&tet->b[a], &tet->b[b]);
            LyMat3 K;
#pragma GCC unroll 9
            for (int k = 0; k < 9; ++k) {
                int i = k / 3, j = k % 3;
                K.m[i][j] = lambda * r[a].v[i] * r[b].v[j] + mu * r[b].v[i] * r[a].v[j];
                if (i == j) {
                    K.m[i][j] += diagonal;
                }
            }
            ly_store_block(batch, lane, pair, &K);
        }
    }
}

// [9], [11]
LY_INLINE void store_exact(const LyraBatch *batch, int lane, const Tet *tet, LyReal lambda,
                           LyReal mu, const LyMat3 *Z, const LyVec3 r[4])
{
    // b is never 0 in a pair a < b
    LyMat3 Q[4]; // rows r_b x (row of Z): Z [r_b]x^T
#pragma GCC unroll 3
    for (int b = 1; b < 4; ++b) {
        LyVec3 minus = {{-r[b].v[0], -r[b].v[1], -r[b].v[2]}};
        Q[b] = ly_multiply_cross(Z, &minus);
    }
    for (int a = 0, pair = 0; a < 4; ++a) {
        for (int b = a + 1; b < 4; ++b, ++pair) {
            LyReal diagonal = 2.0 * mu * ly_vec3_dot(&tet->b[a], &tet->b[b]);
            LyMat3 K;
#pragma GCC unroll 3
            for (int j = 0; j < 3; ++j) {
                LyVec3 column = {{Q[b].m[0][j], Q[b].m[1][j], Q[b].m[2][j]}};
                LyVec3 turned = ly_vec3_cross(&r[a], &column);
                LyReal scale = lambda * r[b].v[j];
#pragma GCC unroll 3
                for (int i = 0; i < 3; ++i) {
                    K.m[i][j] = turned.v[i] + scale * r[a].v[i];
                }
                K.m[j][j] += diagonal;
            }
            ly_store_block(batch, lane, pair, &K);
        }
    }
}

// `exact` and `tangent`, whether it is asked for, are constants
LY_INLINE void evaluate_enu(bool exact, bool tangent, const LyraBatch *batch, int lane)
{
    Tet tet = load_tet(batch, lane);
    // times the volume, so that energy and stress come out so too
    LyReal lambda = tet.volume * ly_load(batch->parameters + LYRA_ELASTIC_LAMBDA * WIDTH + lane);
    LyReal mu = tet.volume * ly_load(batch->parameters + LYRA_ELASTIC_MU * WIDTH + lane);
    const LyMat3 *F = &tet.F;
    LyMat3 R;
    ly_mat3_polar(F, &R);
    // tr S - 3 as the trace of R^T (F - R), which does not cancel
    LyMat3 apart;
    LyReal trace = ly_set(0);
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
        int i = k / 3, j = k % 3;
        apart.m[i][j] = F->m[i][j] - R.m[i][j];
        trace += R.m[i][j] * apart.m[i][j];
    }
    LyReal pressure = lambda * trace;
    if (batch->energy) {
        ly_store(batch->energy + lane, mu * ly_mat3_norm_squared(&apart) + 0.5 * pressure * trace);
    }
    if (batch->gradient) {
        LyMat3 P;
#pragma GCC unroll 9
        for (int k = 0; k < 9; ++k) {
            P.m[k / 3][k % 3] = 2.0 * mu * apart.m[k / 3][k % 3] + pressure * R.m[k / 3][k % 3];
        }
        store_gradient(batch, lane, &tet, &P);
    }
    if (!tangent) {
        return;
    }
    LyVec3 r[4];
    for (int a = 0; a < 4; ++a) {
        r[a] = ly_mat3_apply(&R, &tet.b[a]);
    }
    if (!exact) {
        store_approximate(batch, lane, &tet, lambda, mu, r);
        return;
    }
    LyMat3 T = ly_mat3_multiply_transposed(F, &R);
    LyReal c = pressure - 2.0 * mu;
    LyMat3 Z = batch->psd ? ly_frame_inverse(&T, c, true, mu) : ly_frame_inverse(&T, c, false, mu);
    store_exact(batch, lane, &tet, lambda, mu, &Z, r);
}

// ---- any stiffness, kept frames -----------------------------------------------------------------

// V D_ab
LY_INLINE LyMat3 local_block(bool isotropic, const LyStiffness *D, const Tet *tet, int a, int b)
{
    LyMat3 G;
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
        G.m[k / 3][k % 3] = tet->volume * tet->b[a].v[k / 3] * tet->b[b].v[k % 3];
    }
    return ly_stiffness_block(isotropic, D, &G);
}

// column k of A_a is Y_k b_a
LY_INLINE LyMat3 turn_matrix(const LyMat3 Y[3], const LyVec3 *b)
{
    LyMat3 A;
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) {
        LyVec3 column = ly_mat3_apply(&Y[k], b);
#pragma GCC unroll 3
        for (int i = 0; i < 3; ++i) {
            A.m[i][k] = column.v[i];
        }
    }
    return A;
}

// what turns with the frame
typedef struct Turn {
    LyMat3 Y[3], Z;
} Turn;

// blocks of all pairs, or of a < b where the layout is symmetric; `turn`: nullable
LY_INLINE void store_tangent(bool isotropic, const LyraBatch *batch, int lane, const Tet *tet,
                             const LyStiffness *D, const LyMat3 *R, const Turn *turn,
                             bool symmetric)
{
    LyMat3 A[4], right[4];
    for (int a = 0; turn && a < 4; ++a) {
        A[a] = turn_matrix(turn->Y, &tet->b[a]);
        right[a] = ly_multiply_cross(&turn->Z, &tet->b[a]);
    }
    for (int a = 0, block = 0; a < 4; ++a) {
        for (int b = symmetric ? a + 1 : 0; b < 4; ++b, ++block) {
            LyMat3 K = local_block(isotropic, D, tet, a, b);
            if (turn) {
                LyMat3 more = ly_mat3_multiply(&A[a], &right[b]);
#pragma GCC unroll 9
                for (int k = 0; k < 9; ++k) {
                    K.m[k / 3][k % 3] += tet->volume * more.m[k / 3][k % 3];
                }
            }
            if (R) {
                K = ly_turned(R, &K);
            }
            ly_store_block(batch, lane, block, &K);
        }
    }
}

LY_INLINE void evaluate_general(const LyCorotational *self, bool isotropic, bool rotated,
                                const LyraBatch *batch, int lane)
{
    Tet tet = load_tet(batch, lane);
    LyStiffness D = ly_stiffness_load(isotropic, batch->parameters + lane);
    LyFrame frame = {.R = ly_mat3_identity()};
    LyMat3 S = tet.F;
    if (rotated) {
        frame = ly_frame_find(self, batch, lane, &tet.F);
        S = ly_mat3_transposed_multiply(&frame.R, &tet.F);
    }
    LyMat3 H = rotated ? S : tet.G;
    for (int i = 0; rotated && i < 3; ++i) {
        H.m[i][i] = S.m[i][i] - 1.0;
    }
    LyMat3 stress = ly_stress(isotropic, &D, &H);
    if (batch->energy) {
        LyReal sum = ly_set(0);
        for (int k = 0; k < 9; ++k) {
            sum += stress.m[k / 3][k % 3] * H.m[k / 3][k % 3];
        }
        ly_store(batch->energy + lane, 0.5 * tet.volume * sum);
    }
    if (batch->gradient) {
        LyMat3 P = rotated ? ly_mat3_multiply(&frame.R, &stress) : stress;
        P = ly_mat3_scale(&P, tet.volume);
        store_gradient(batch, lane, &tet, &P);
    }
    if (!batch->dfdx) {
        return;
    }
    bool symmetric = self->type.traits & LYRA_FORCE_SYMMETRIC;
    if (!rotated || self->model != LYRA_COROTATIONAL_EXACT || batch->psd) {
        store_tangent(isotropic, batch, lane, &tet, &D, rotated ? &frame.R : NULL, NULL, symmetric);
        return;
    }
    Turn turn = {.Z = ly_frame_turn(&frame, &S)};
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) {
        LyMat3 turned = ly_axis_cross(k, &H), more = ly_stress(isotropic, &D, &turned);
        turn.Y[k] = ly_axis_cross(k, &stress);
#pragma GCC unroll 9
        for (int n = 0; n < 9; ++n) {
            turn.Y[k].m[n / 3][n % 3] -= more.m[n / 3][n % 3];
        }
    }
    store_tangent(isotropic, batch, lane, &tet, &D, &frame.R, &turn, symmetric);
}

// ---- over the lanes of a batch ------------------------------------------------------------------

static void evaluate_tets(const void *self, const LyraBatch *batch)
{
    const LyCorotational *force = self;
    bool rotated = force->model != LYRA_COROTATIONAL_LINEAR;
    if (!force->isotropic) {
        for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
            if (rotated) {
                evaluate_general(force, false, true, batch, lane);
            } else {
                evaluate_general(force, false, false, batch, lane);
            }
        }
    } else if (force->frame_steps > 1) {
        for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
            evaluate_general(force, true, true, batch, lane);
        }
    } else if (force->model == LYRA_COROTATIONAL_EXACT) {
        for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
            if (batch->dfdx) {
                evaluate_enu(true, true, batch, lane);
            } else {
                evaluate_enu(true, false, batch, lane);
            }
        }
    } else {
        for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
            if (batch->dfdx) {
                evaluate_enu(false, true, batch, lane);
            } else {
                evaluate_enu(false, false, batch, lane);
            }
        }
    }
}

void LY_KERNEL(ly_corotational_tet)(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    const LyCorotational *force = self;
    bool symmetric = force->type.traits & LYRA_FORCE_SYMMETRIC;
    if (batch->contraction) {
        ly_clear_contraction(batch, 4);
    }
    if (force->type.scratch_bytes > 0 && batch->psd && batch->dfdx) {
        ly_evaluate_positive(evaluate_tets, 4, symmetric, self, batch, scratch);
    } else {
        evaluate_tets(self, batch);
    }
}
