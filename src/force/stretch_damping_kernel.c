// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Damping by the rate of the stretches on a tet. With F = U diag(s) V^T, F'^ = U^T F' V and
// p_ij = s_i/(s_i + s_j) (1/2 in the form of [ITF04]),
//
//   S'_ij = p_ij F'^_ij + p_ji F'^_ji,   P^_ij = 4 beta p_ij S'_ij + alpha tr(S') delta_ij,
//
// so that P:F' = 2 beta |S'|^2 + alpha tr(S')^2. Along b_a and b_c, with x = V^T b_a, y = V^T b_c,
// dP/dF' is U M U^T,
//
//   M_ik = delta_ik sum_j 4 beta p_ij^2 x_j y_j + 4 beta p_ik p_ki x_k y_i + alpha x_i y_k.

#include "force/viscosity.h"
#include "math/decompose.h"

#define WIDTH LYRA_BATCH_WIDTH

typedef struct Tet {
    LyVec3 x[4];        // V^T b
    LyMat3 U, p, rate;  // rate: F'^
    LyReal beta, alpha; // times the volume
} Tet;

LY_INLINE LyMat3 load_difference(const double *values, int lane, const LyVec3 b[4])
{
    LyMat3 out;
    for (int i = 0; i < 3; ++i) {
        LyReal first = ly_load(values + i * WIDTH + lane), d[3];
        for (int a = 0; a < 3; ++a) {
            d[a] = ly_load(values + (3 * (a + 1) + i) * WIDTH + lane) - first;
        }
        for (int j = 0; j < 3; ++j) {
            out.m[i][j] = d[0] * b[1].v[j] + d[1] * b[2].v[j] + d[2] * b[3].v[j];
        }
    }
    return out;
}

LY_INLINE Tet load_tet(const LyraBatch *batch, int lane, bool irving)
{
    Tet tet;
    LyVec3 b[4];
    for (int a = 1; a < 4; ++a) {
        for (int i = 0; i < 3; ++i) {
            b[a].v[i] = ly_load(batch->constants + (LY_TET_B + 3 * (a - 1) + i) * WIDTH + lane);
        }
    }
    for (int i = 0; i < 3; ++i) {
        b[0].v[i] = -(b[1].v[i] + b[2].v[i] + b[3].v[i]);
    }
    LyMat3 F = load_difference(batch->u, lane, b), turned;
    LyMat3 rate = load_difference(batch->v, lane, b);
    for (int i = 0; i < 3; ++i) {
        F.m[i][i] += 1.0;
    }
    LySvd3 svd;
    ly_mat3_svd(&F, &svd);
    LyReal least = 0x1p-40 * ly_abs(svd.s.v[0]) + 0x1p-1000;
    for (int k = 0; k < 9; ++k) {
        LyReal own = ly_max(svd.s.v[k / 3], ly_set(0)) + least;
        LyReal other = ly_max(svd.s.v[k % 3], ly_set(0)) + least;
        tet.p.m[k / 3][k % 3] = irving ? ly_set(0.5) : own / (own + other);
    }
    turned = ly_mat3_transposed_multiply(&svd.U, &rate);
    tet.rate = ly_mat3_multiply(&turned, &svd.V);
    tet.U = svd.U;
    for (int a = 0; a < 4; ++a) {
        tet.x[a] = ly_mat3_apply_transposed(&svd.V, &b[a]);
    }
    LyReal volume = ly_load(batch->constants + LY_TET_VOLUME * WIDTH + lane);
    tet.beta = volume * ly_load(batch->parameters + LYRA_STRETCH_DAMPING_SHEAR * WIDTH + lane);
    tet.alpha = volume * ly_load(batch->parameters + LYRA_STRETCH_DAMPING_VOLUME * WIDTH + lane);
    return tet;
}

LY_INLINE void store_gradient(const LyraBatch *batch, int lane, const Tet *tet)
{
    LyReal trace = tet->rate.m[0][0] + tet->rate.m[1][1] + tet->rate.m[2][2];
    LyMat3 P;
    for (int k = 0; k < 9; ++k) {
        int i = k / 3, j = k % 3;
        LyReal stretch = tet->p.m[i][j] * tet->rate.m[i][j] + tet->p.m[j][i] * tet->rate.m[j][i];
        P.m[i][j] = 4.0 * tet->beta * tet->p.m[i][j] * stretch;
        if (i == j) {
            P.m[i][j] += tet->alpha * trace;
        }
    }
    P = ly_mat3_multiply(&tet->U, &P);
    for (int a = 0; a < 4; ++a) {
        LyVec3 f = ly_mat3_apply(&P, &tet->x[a]);
        for (int i = 0; i < 3; ++i) {
            ly_store(batch->gradient + (3 * a + i) * WIDTH + lane, f.v[i]);
        }
    }
}

LY_INLINE void store_dfdv(const LyraBatch *batch, int lane, const Tet *tet)
{
    for (int a = 0, block = 0; a < 4; ++a) {
        for (int c = a + 1; c < 4; ++c, ++block) {
            const LyReal *x = tet->x[a].v, *y = tet->x[c].v;
            LyMat3 M;
            for (int k = 0; k < 9; ++k) {
                int i = k / 3, j = k % 3;
                M.m[i][j] = 4.0 * tet->beta * tet->p.m[i][j] * tet->p.m[j][i] * x[j] * y[i] +
                            tet->alpha * x[i] * y[j];
            }
            for (int i = 0; i < 3; ++i) {
                for (int j = 0; j < 3; ++j) {
                    LyReal p = tet->p.m[i][j];
                    M.m[i][i] += 4.0 * tet->beta * p * p * x[j] * y[j];
                }
            }
            LyMat3 half = ly_mat3_multiply(&tet->U, &M);
            LyMat3 D = ly_mat3_multiply_transposed(&half, &tet->U);
            ly_mat3_store_components(batch->dfdv + 9 * block * WIDTH + lane, WIDTH, &D);
        }
    }
}

LY_INLINE void evaluate(const LyraBatch *batch, bool irving)
{
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        Tet tet = load_tet(batch, lane, irving);
        if (batch->energy) {
            ly_store(batch->energy + lane, ly_set(0));
        }
        if (batch->gradient) {
            store_gradient(batch, lane, &tet);
        }
        if (batch->dfdv) {
            store_dfdv(batch, lane, &tet);
        }
        for (int k = 0; batch->dfdx && k < 54; ++k) {
            ly_store(batch->dfdx + k * WIDTH + lane, ly_set(0));
        }
    }
}

void LY_KERNEL(ly_tet_stretch_damping)(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)self;
    (void)scratch;
    evaluate(batch, false);
}

void LY_KERNEL(ly_tet_stretch_damping_irving)(const void *self, const LyraBatch *batch,
                                              LyraArena *scratch)
{
    (void)self;
    (void)scratch;
    evaluate(batch, true);
}
