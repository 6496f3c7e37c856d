// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Viscosity of tets. With b_a the gradient of the shape function of node a,
//   F = 1 + sum_a u_a b_a^T,  F' = sum_a v_a b_a^T,  E' = (F^T F' + F'^T F)/2,
//   S = lambda tr(E') 1 + 2 mu E',  gradient f_a = V F S b_a.
// The power that is lost is sum_a v_a.f_a = V S:E' = V [lambda tr(E')^2 + 2 mu E':E'] >= 0. Half of
// it is a potential for the velocities, so df/dv is symmetric and positive semi-definite; df/dx is
// not symmetric. With g_a = F b_a and w_a = F' b_a,
//   df_a/dv_b = V [ lambda g_a g_b^T + mu (g_b g_a^T + (b_a.b_b) F F^T) ]
//   df_a/dx_b = V [ (b_a.S b_b) 1 + lambda g_a w_b^T + mu (g_b w_a^T + (b_a.b_b) F F'^T) ]
// Rows and columns of both sum to zero. The symmetric variant takes (df_a/dx_b + (df_b/dx_a)^T)/2
// and writes pairs a < b only. df/dx has no sign, so the PSD mode leaves it out.

#include "force/viscosity.h"
#include "math/mat3_lanes.h"

#define WIDTH LYRA_BATCH_WIDTH

typedef struct Tet {
    LyVec3 b[4];
    LyReal volume, lambda, mu;
    LyMat3 F, rate; // F and F'
} Tet;

// sum over a of values_a b_a^T, from differences to node 0
LY_INLINE LyMat3 make_gradient(const double *values, int lane, const LyVec3 *b)
{
    LyMat3 G;
    for (int i = 0; i < 3; ++i) {
        LyReal d[3], first = ly_load(values + i * WIDTH + lane);
        for (int a = 0; a < 3; ++a) {
            d[a] = ly_load(values + (3 * (a + 1) + i) * WIDTH + lane) - first;
        }
        for (int j = 0; j < 3; ++j) {
            G.m[i][j] = d[0] * b[1].v[j] + d[1] * b[2].v[j] + d[2] * b[3].v[j];
        }
    }
    return G;
}

LY_INLINE Tet load_tet(const LyraBatch *batch, int lane)
{
    Tet tet;
    for (int i = 0; i < 3; ++i) {
        for (int a = 0; a < 3; ++a) {
            tet.b[a + 1].v[i] = ly_load(batch->constants + (LY_TET_B + 3 * a + i) * WIDTH + lane);
        }
        tet.b[0].v[i] = -(tet.b[1].v[i] + tet.b[2].v[i] + tet.b[3].v[i]);
    }
    tet.volume = ly_load(batch->constants + LY_TET_VOLUME * WIDTH + lane);
    tet.lambda = tet.volume * ly_load(batch->parameters + LYRA_VISCOSITY_LAMBDA * WIDTH + lane);
    tet.mu = tet.volume * ly_load(batch->parameters + LYRA_VISCOSITY_MU * WIDTH + lane);
    tet.F = make_gradient(batch->u, lane, tet.b);
    for (int i = 0; i < 3; ++i) {
        tet.F.m[i][i] += 1.0;
    }
    tet.rate = make_gradient(batch->v, lane, tet.b);
    return tet;
}

// V S
LY_INLINE LyMat3 make_stress(const Tet *tet)
{
    LyMat3 product = ly_mat3_transposed_multiply(&tet->F, &tet->rate), S;
    LyReal trace = product.m[0][0] + product.m[1][1] + product.m[2][2];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            S.m[i][j] = tet->mu * (product.m[i][j] + product.m[j][i]);
        }
        S.m[i][i] += tet->lambda * trace;
    }
    return S;
}

LY_INLINE void store_gradient(const LyraBatch *batch, int lane, const Tet *tet, const LyMat3 *S)
{
    LyMat3 P = ly_mat3_multiply(&tet->F, S);
    LyVec3 f[4];
    for (int a = 1; a < 4; ++a) {
        f[a] = ly_mat3_apply(&P, &tet->b[a]);
    }
    for (int i = 0; i < 3; ++i) {
        for (int a = 1; a < 4; ++a) {
            ly_store(batch->gradient + (3 * a + i) * WIDTH + lane, f[a].v[i]);
        }
        ly_store(batch->gradient + i * WIDTH + lane, -(f[1].v[i] + f[2].v[i] + f[3].v[i]));
    }
}

LY_INLINE void store_block(double *out, int lane, int block, const LyMat3 *K)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            ly_store(out + (9 * block + 3 * i + j) * WIDTH + lane, K->m[i][j]);
        }
    }
}

// lambda p_a q_b^T + mu (p_b q_a^T + (b_a.b_b) M), the shape of both derivatives
LY_INLINE LyMat3 make_block(const Tet *tet, int a, int b, const LyVec3 *p, const LyVec3 *q,
                            const LyMat3 *M)
{
    LyReal bb = ly_vec3_dot(&tet->b[a], &tet->b[b]);
    LyMat3 K;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            K.m[i][j] = tet->lambda * p[a].v[i] * q[b].v[j] +
                        tet->mu * (p[b].v[i] * q[a].v[j] + bb * M->m[i][j]);
        }
    }
    return K;
}

LY_INLINE void store_dfdv(const LyraBatch *batch, int lane, bool symmetric, const Tet *tet)
{
    LyVec3 g[4];
    LyMat3 left = ly_mat3_multiply_transposed(&tet->F, &tet->F);
    for (int a = 0; a < 4; ++a) {
        g[a] = ly_mat3_apply(&tet->F, &tet->b[a]);
    }
    for (int a = 0, block = 0; a < 4; ++a) {
        for (int b = symmetric ? a + 1 : 0; b < 4; ++b, ++block) {
            LyMat3 D = make_block(tet, a, b, g, g, &left);
            store_block(batch->dfdv, lane, block, &D);
        }
    }
}

LY_INLINE void store_dfdx(const LyraBatch *batch, int lane, bool symmetric, const Tet *tet,
                          const LyMat3 *S)
{
    if (batch->psd) {
        LyMat3 zero = {{{ly_set(0)}}};
        for (int block = 0; block < (symmetric ? 6 : 16); ++block) {
            store_block(batch->dfdx, lane, block, &zero);
        }
        return;
    }
    LyVec3 g[4], w[4], Sb[4];
    LyMat3 mixed = ly_mat3_multiply_transposed(&tet->F, &tet->rate);
    for (int a = 0; a < 4; ++a) {
        g[a] = ly_mat3_apply(&tet->F, &tet->b[a]);
        w[a] = ly_mat3_apply(&tet->rate, &tet->b[a]);
        Sb[a] = ly_mat3_apply(S, &tet->b[a]);
    }
    for (int a = 0, block = 0; a < 4; ++a) {
        for (int b = symmetric ? a + 1 : 0; b < 4; ++b, ++block) {
            LyMat3 K = make_block(tet, a, b, g, w, &mixed);
            if (symmetric) {
                LyMat3 other = make_block(tet, b, a, g, w, &mixed);
                for (int i = 0; i < 3; ++i) {
                    for (int j = 0; j < 3; ++j) {
                        K.m[i][j] = 0.5 * (K.m[i][j] + other.m[j][i]);
                    }
                }
            }
            LyReal geometric = ly_vec3_dot(&tet->b[a], &Sb[b]);
            for (int i = 0; i < 3; ++i) {
                K.m[i][i] += geometric;
            }
            store_block(batch->dfdx, lane, block, &K);
        }
    }
}

LY_INLINE void evaluate(const LyraBatch *batch, int lane, bool symmetric)
{
    Tet tet = load_tet(batch, lane);
    LyMat3 S = make_stress(&tet);
    if (batch->energy) {
        ly_store(batch->energy + lane, ly_set(0));
    }
    if (batch->gradient) {
        store_gradient(batch, lane, &tet, &S);
    }
    if (batch->dfdv) {
        store_dfdv(batch, lane, symmetric, &tet);
    }
    if (batch->dfdx) {
        store_dfdx(batch, lane, symmetric, &tet, &S);
    }
}

void LY_KERNEL(ly_tet_viscosity)(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)self;
    (void)scratch;
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        evaluate(batch, lane, false);
    }
}

void LY_KERNEL(ly_tet_viscosity_symmetric)(const void *self, const LyraBatch *batch,
                                           LyraArena *scratch)
{
    (void)self;
    (void)scratch;
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        evaluate(batch, lane, true);
    }
}
