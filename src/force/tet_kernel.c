// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Elastic tets whose laws have closed forms in F.
//
// With u_a the displacement of node a and b_a the gradient of its shape function,
//   G = sum_a u_a b_a^T = sum_{a=1..3} (u_a - u_0) b_a^T,  F = 1 + G,
// energy V W(F), gradient f_a = V P b_a with P = dW/dF, and tangent blocks K_ab = V b_a . dP/dF .
// b_b. Only pairs a < b are written; f_0 and the diagonal follow from translation invariance.
//
//   linear       e = (G + G^T)/2,  W = lambda/2 tr(e)^2 + mu e:e,  P = lambda tr(e) 1 + 2 mu e
//                K_ab = V [ lambda b_a b_b^T + mu (b_b b_a^T + (b_a.b_b) 1) ]
//   stvk         E = (G + G^T + G^T G)/2,  W = lambda/2 tr(E)^2 + mu E:E,  P = F S,  S = lambda
//   tr(E) 1 + 2 mu E
//                K_ab = V [ (b_a.S b_b) 1 + lambda g_a g_b^T + mu (g_b g_a^T + (b_a.b_b) F F^T) ],
//                g_a = F b_a
//   neo-hookean  W = mu/2 (tr F^T F - 3) - mu ln J + lambda/2 (ln J)^2,
//                P = mu F + (lambda ln J - mu) F^-T
//                K_ab = V [ mu (b_a.b_b) 1 + lambda h_a h_b^T + (mu - lambda ln J) h_b h_a^T ],
//                h_a = F^-T b_a
//
// The last two are the fast paths of their laws: a batch with a stretch that may lie below the
// threshold of inversion, with resistance to compression, or with a tangent to be projected is left
// to the kernel of all isotropic laws.

#include "force/isotropic_point.h"
#include "math/elementary.h"
#include "math/mat3_lanes.h"

#define WIDTH LYRA_BATCH_WIDTH

typedef struct Tet {
    LyVec3 b[4];
    LyReal lambda, mu; // times the volume, so that energies and stresses come out so too
    LyMat3 G;
} Tet;

LY_INLINE Tet load_tet(const LyraBatch *batch, int lane)
{
    Tet tet;
    LyVec3 d[3];
    for (int i = 0; i < 3; ++i) {
        LyReal u0 = ly_load(batch->u + i * WIDTH + lane);
        for (int a = 0; a < 3; ++a) {
            d[a].v[i] = ly_load(batch->u + (3 * (a + 1) + i) * WIDTH + lane) - u0;
            tet.b[a + 1].v[i] = ly_load(batch->constants + (LY_TET_B + 3 * a + i) * WIDTH + lane);
        }
        tet.b[0].v[i] = -(tet.b[1].v[i] + tet.b[2].v[i] + tet.b[3].v[i]);
    }
    LyReal volume = ly_load(batch->constants + LY_TET_VOLUME * WIDTH + lane);
    tet.lambda = volume * ly_load(batch->parameters + LYRA_ELASTIC_LAMBDA * WIDTH + lane);
    tet.mu = volume * ly_load(batch->parameters + LYRA_ELASTIC_MU * WIDTH + lane);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            tet.G.m[i][j] =
                d[0].v[i] * tet.b[1].v[j] + d[1].v[i] * tet.b[2].v[j] + d[2].v[i] * tet.b[3].v[j];
        }
    }
    return tet;
}

// f_a = P b_a, with P times the volume
LY_INLINE void store_gradient(const LyraBatch *batch, int lane, const Tet *tet, const LyMat3 *P)
{
    if (!batch->gradient) {
        return;
    }
    LyVec3 f[4];
    for (int a = 1; a < 4; ++a) {
        f[a] = ly_mat3_apply(P, &tet->b[a]);
    }
    for (int i = 0; i < 3; ++i) {
        for (int a = 1; a < 4; ++a) {
            ly_store(batch->gradient + (3 * a + i) * WIDTH + lane, f[a].v[i]);
        }
        ly_store(batch->gradient + i * WIDTH + lane, -(f[1].v[i] + f[2].v[i] + f[3].v[i]));
    }
}

LY_INLINE void store_block(const LyraBatch *batch, int lane, int pair, const LyMat3 *K)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            ly_store(batch->dfdx + (9 * pair + 3 * i + j) * WIDTH + lane, K->m[i][j]);
        }
    }
}

// p u v^T + q v u^T
LY_INLINE LyMat3 two_products(LyReal p, LyReal q, const LyVec3 *u, const LyVec3 *v)
{
    LyMat3 K;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            K.m[i][j] = p * u->v[i] * v->v[j] + q * v->v[i] * u->v[j];
        }
    }
    return K;
}

LY_INLINE void add_diagonal(LyMat3 *K, LyReal x)
{
    for (int i = 0; i < 3; ++i) {
        K->m[i][i] += x;
    }
}

// ---- linear -------------------------------------------------------------------------------------

LY_INLINE void evaluate_linear(const LyraBatch *batch, int lane)
{
    Tet tet = load_tet(batch, lane);
    LyMat3 e, P;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            e.m[i][j] = 0.5 * (tet.G.m[i][j] + tet.G.m[j][i]);
        }
    }
    LyReal trace = e.m[0][0] + e.m[1][1] + e.m[2][2], square = ly_set(0);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            square += e.m[i][j] * e.m[i][j];
            P.m[i][j] = 2.0 * tet.mu * e.m[i][j];
        }
    }
    add_diagonal(&P, tet.lambda * trace);
    if (batch->energy) {
        ly_store(batch->energy + lane, 0.5 * tet.lambda * trace * trace + tet.mu * square);
    }
    store_gradient(batch, lane, &tet, &P);
    if (!batch->dfdx) {
        return;
    }
    // constant and positive semi-definite
    for (int a = 0, pair = 0; a < 4; ++a) {
        for (int b = a + 1; b < 4; ++b, ++pair) {
            LyMat3 K = two_products(tet.lambda, tet.mu, &tet.b[a], &tet.b[b]);
            add_diagonal(&K, tet.mu * ly_vec3_dot(&tet.b[a], &tet.b[b]));
            store_block(batch, lane, pair, &K);
        }
    }
}

// whether a closed form holds for all lanes
LY_INLINE bool surely_above(const LyIsotropic *solid, LyReal I, LyReal J)
{
    return solid->inversion == LYRA_INVERSION_NONE ||
           ly_all(ly_surely_above(I, J, solid->threshold));
}

// ---- Saint Venant-Kirchhoff ---------------------------------------------------------------------

LY_INLINE bool evaluate_stvk(const LyIsotropic *solid, const LyraBatch *batch, int lane,
                             bool tangent)
{
    Tet tet = load_tet(batch, lane);
    const LyMat3 *G = &tet.G;
    LyMat3 whole = *G, S, P;
    const LyMat3 *F = &whole;
    add_diagonal(&whole, ly_set(1));
    // S holds 2 E first
    for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j) {
            S.m[i][j] = G->m[i][j] + G->m[j][i] + G->m[0][i] * G->m[0][j] +
                        G->m[1][i] * G->m[1][j] + G->m[2][i] * G->m[2][j];
        }
    }
    LyReal trace = 0.5 * (S.m[0][0] + S.m[1][1] + S.m[2][2]);
    if (!surely_above(solid, 2.0 * trace + 3.0, ly_mat3_determinant(F))) {
        return false;
    }
    if (batch->energy) {
        LyReal square =
            S.m[0][0] * S.m[0][0] + S.m[1][1] * S.m[1][1] + S.m[2][2] * S.m[2][2] +
            2.0 * (S.m[0][1] * S.m[0][1] + S.m[0][2] * S.m[0][2] + S.m[1][2] * S.m[1][2]);
        ly_store(batch->energy + lane, 0.5 * tet.lambda * trace * trace + 0.25 * tet.mu * square);
    }
    LyReal pressure = tet.lambda * trace;
    for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j) {
            S.m[i][j] = tet.mu * S.m[i][j] + (i == j ? pressure : ly_set(0));
            S.m[j][i] = S.m[i][j];
        }
    }
    P = ly_mat3_multiply(F, &S);
    store_gradient(batch, lane, &tet, &P);
    if (!tangent) {
        return true;
    }
    LyMat3 left; // mu F F^T
    for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j) {
            left.m[i][j] = tet.mu * (F->m[i][0] * F->m[j][0] + F->m[i][1] * F->m[j][1] +
                                     F->m[i][2] * F->m[j][2]);
            left.m[j][i] = left.m[i][j];
        }
    }
    LyVec3 g[4], Sb[4];
    for (int a = 0; a < 4; ++a) {
        g[a] = ly_mat3_apply(F, &tet.b[a]);
        Sb[a] = ly_mat3_apply(&S, &tet.b[a]);
    }
    for (int a = 0, pair = 0; a < 4; ++a) {
        for (int b = a + 1; b < 4; ++b, ++pair) {
            LyReal bb = ly_vec3_dot(&tet.b[a], &tet.b[b]);
            LyMat3 K = two_products(tet.lambda, tet.mu, &g[a], &g[b]);
            for (int i = 0; i < 3; ++i) {
                for (int j = 0; j < 3; ++j) {
                    K.m[i][j] += bb * left.m[i][j];
                }
            }
            add_diagonal(&K, ly_vec3_dot(&tet.b[a], &Sb[b]));
            store_block(batch, lane, pair, &K);
        }
    }
    return true;
}

// ---- neo-Hookean --------------------------------------------------------------------------------

LY_INLINE bool evaluate_neo_hookean(const LyIsotropic *solid, const LyraBatch *batch, int lane,
                                    bool tangent)
{
    Tet tet = load_tet(batch, lane);
    LyMat3 *F = &tet.G;
    add_diagonal(F, ly_set(1));
    LyMat3 inverse_transpose = ly_mat3_cofactor(F), P;
    LyReal J = F->m[0][0] * inverse_transpose.m[0][0] + F->m[0][1] * inverse_transpose.m[0][1] +
               F->m[0][2] * inverse_transpose.m[0][2];
    LyReal I = ly_mat3_norm_squared(F);
    if (!surely_above(solid, I, J)) {
        return false;
    }
    LyReal scale = 1.0 / J, log_J = ly_log_lanes(J);
    LyReal pressure = tet.lambda * log_J - tet.mu;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            inverse_transpose.m[i][j] *= scale;
            P.m[i][j] = tet.mu * F->m[i][j] + pressure * inverse_transpose.m[i][j];
        }
    }
    if (batch->energy) {
        ly_store(batch->energy + lane,
                 0.5 * tet.mu * (I - 3.0) + log_J * (0.5 * tet.lambda * log_J - tet.mu));
    }
    store_gradient(batch, lane, &tet, &P);
    if (!tangent) {
        return true;
    }
    LyVec3 h[4];
    for (int a = 0; a < 4; ++a) {
        h[a] = ly_mat3_apply(&inverse_transpose, &tet.b[a]);
    }
    for (int a = 0, pair = 0; a < 4; ++a) {
        for (int b = a + 1; b < 4; ++b, ++pair) {
            LyMat3 K = two_products(tet.lambda, -pressure, &h[a], &h[b]);
            add_diagonal(&K, tet.mu * ly_vec3_dot(&tet.b[a], &tet.b[b]));
            store_block(batch, lane, pair, &K);
        }
    }
    return true;
}

// ---- over the lanes of a batch ------------------------------------------------------------------

void LY_KERNEL(ly_tet_linear)(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)self;
    (void)scratch;
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        evaluate_linear(batch, lane);
    }
    if (batch->contraction) {
        ly_clear_contraction(batch, 4);
    }
}

// whether the batch asks for more than a closed form gives
LY_INLINE bool is_special(const LyraBatch *batch)
{
    if (batch->psd && batch->dfdx) {
        return true;
    }
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        LyReal resistance =
            ly_load(batch->parameters + LYRA_ELASTIC_PARAMETER_COUNT * WIDTH + lane);
        if (ly_any(ly_greater(resistance, ly_set(0)))) {
            return true;
        }
    }
    return false;
}

// without the tangent compiled apart, which keeps more of it in registers
#define DEFINE_KERNEL(model)                                                                       \
    void LY_KERNEL(ly_tet_##model)(const void *self, const LyraBatch *batch, LyraArena *scratch)   \
    {                                                                                              \
        bool done = !is_special(batch);                                                            \
        for (int lane = 0; done && lane < WIDTH; lane += LY_LANES) {                               \
            done = batch->dfdx ? evaluate_##model(self, batch, lane, true)                         \
                               : evaluate_##model(self, batch, lane, false);                       \
        }                                                                                          \
        if (!done) {                                                                               \
            LY_KERNEL(ly_tet_isotropic)(self, batch, scratch);                                     \
        }                                                                                          \
    }

DEFINE_KERNEL(stvk)
DEFINE_KERNEL(neo_hookean)
