// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Saint Venant-Kirchhoff solids that also give the derivative of their tangent, contracted with two
// directions a and b.
//
// With F, A, B the gradients of positions (1 and that of displacements) and directions, E = (F^T F
// - 1)/2, P = F S(E) and S linear up to a constant, S'(X) = lambda tr(X) 1 + 2 mu X,
//   dE_A = (F^T A + A^T F)/2,  dE_B likewise,  ddE = (A^T B + B^T A)/2,
//   ddP = A S'(dE_B) + B S'(dE_A) + F S'(ddE),
// and node n of a tet gets V ddP b_n, that of a cube with the edges H = diag(h)
// V sum over the points of w ddP H^-1 grad N_n. All is a polynomial of fourth degree at most along
// each coordinate, so three points integrate it exactly.
//
// Resistance to compression r(J) adds, with G = cof F, G_A its derivative along A, A x B that of
// G_A along B (which does not depend on F), j_A = G:A,
//   r''' j_A j_B G + r'' [ (G_A:B) G + j_A G_B + j_B G_A ] + r' (A x B).
// r''' jumps at J = 1; there it is taken from the side of J > 1, where it is 0.
//
// The rest of an evaluation is left to the kernels without the contraction.

#include "force/isotropic_point.h"

#define WIDTH LYRA_BATCH_WIDTH

// gradients of positions and directions at a point
typedef struct Gradients {
    LyMat3 F, A, B;
} Gradients;

typedef struct Constants {
    LyReal lambda, mu, resistance;
    bool resists; // whether a lane does
} Constants;

LY_INLINE Constants load_constants(const LyraBatch *batch, int lane)
{
    Constants c;
    c.lambda = ly_load(batch->parameters + LYRA_ELASTIC_LAMBDA * WIDTH + lane);
    c.mu = ly_load(batch->parameters + LYRA_ELASTIC_MU * WIDTH + lane);
    c.resistance = ly_load(batch->parameters + LYRA_ELASTIC_PARAMETER_COUNT * WIDTH + lane);
    c.resists = ly_any(ly_greater(c.resistance, ly_set(0)));
    return c;
}

// A:B
LY_INLINE LyReal double_dot(const LyMat3 *A, const LyMat3 *B)
{
    LyReal row[3];
    for (int i = 0; i < 3; ++i) {
        row[i] = A->m[i][0] * B->m[i][0] + A->m[i][1] * B->m[i][1] + A->m[i][2] * B->m[i][2];
    }
    return row[0] + row[1] + row[2];
}

// S' of (A^T B + B^T A)/2
LY_INLINE LyMat3 stress_along(const Constants *c, const LyMat3 *A, const LyMat3 *B)
{
    LyMat3 X = ly_mat3_transposed_multiply(A, B), S;
    LyReal pressure = c->lambda * (X.m[0][0] + X.m[1][1] + X.m[2][2]);
    for (int i = 0; i < 3; ++i) {
        S.m[i][i] = pressure + 2.0 * c->mu * X.m[i][i];
        for (int j = i + 1; j < 3; ++j) {
            S.m[i][j] = S.m[j][i] = c->mu * (X.m[i][j] + X.m[j][i]);
        }
    }
    return S;
}

// the derivative of cof A along B, the same as that of cof B along A
LY_INLINE LyMat3 cofactor_along(const LyMat3 *A, const LyMat3 *B)
{
    LyMat3 out;
    for (int k = 0; k < 9; ++k) {
        int i = k / 3, j = k % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
        const LyReal *a1 = A->m[(i + 1) % 3], *a2 = A->m[(i + 2) % 3];
        const LyReal *b1 = B->m[(i + 1) % 3], *b2 = B->m[(i + 2) % 3];
        out.m[i][j] = a1[j1] * b2[j2] + b1[j1] * a2[j2] - a1[j2] * b2[j1] - b1[j2] * a2[j1];
    }
    return out;
}

LY_INLINE void add_resistance(LyReal rho, const Gradients *g, LyMat3 *ddP)
{
    LyMat3 G = ly_mat3_cofactor(&g->F), GA = cofactor_along(&g->F, &g->A);
    LyMat3 GB = cofactor_along(&g->F, &g->B), GAB = cofactor_along(&g->A, &g->B);
    LyReal J = ly_mat3_determinant(&g->F), jA = double_dot(&G, &g->A), jB = double_dot(&G, &g->B);
    LyResistance r = ly_resistance(rho, J);
    LyReal third = ly_select(ly_less(J, ly_set(1)), rho * (-6.0 / 2592), ly_set(0));
    LyReal along = third * jA * jB + r.curvature * double_dot(&GA, &g->B);
    for (int k = 0; k < 9; ++k) {
        int i = k / 3, j = k % 3;
        ddP->m[i][j] += along * G.m[i][j] + r.curvature * (jA * GB.m[i][j] + jB * GA.m[i][j]) +
                        r.slope * GAB.m[i][j];
    }
}

LY_INLINE LyMat3 second_derivative(const Constants *c, const Gradients *g)
{
    LyMat3 SA = stress_along(c, &g->F, &g->A), SB = stress_along(c, &g->F, &g->B);
    LyMat3 SAB = stress_along(c, &g->A, &g->B);
    LyMat3 first = ly_mat3_multiply(&g->A, &SB), second = ly_mat3_multiply(&g->B, &SA);
    LyMat3 ddP = ly_mat3_multiply(&g->F, &SAB);
    for (int k = 0; k < 9; ++k) {
        ddP.m[k / 3][k % 3] += first.m[k / 3][k % 3] + second.m[k / 3][k % 3];
    }
    if (c->resists) {
        add_resistance(c->resistance, g, &ddP);
    }
    return ddP;
}

// 1 + G
LY_INLINE LyMat3 add_identity(LyMat3 G)
{
    for (int i = 0; i < 3; ++i) {
        G.m[i][i] += 1.0;
    }
    return G;
}

// whether more than the contraction is asked for
LY_INLINE bool has_other_outputs(const LyraBatch *batch)
{
    return batch->energy || batch->gradient || batch->dfdx;
}

// ---- tets ---------------------------------------------------------------------------------------

LY_INLINE LyMat3 tet_gradient(const double *values, const LyVec3 b[3], int lane)
{
    LyMat3 F;
    for (int i = 0; i < 3; ++i) {
        LyReal first = ly_load(values + i * WIDTH + lane), d[3];
        for (int n = 0; n < 3; ++n) {
            d[n] = ly_load(values + (3 * (n + 1) + i) * WIDTH + lane) - first;
        }
        for (int j = 0; j < 3; ++j) {
            F.m[i][j] = d[0] * b[0].v[j] + d[1] * b[1].v[j] + d[2] * b[2].v[j];
        }
    }
    return F;
}

LY_INLINE void contract_tet(const LyraBatch *batch, int lane)
{
    Constants c = load_constants(batch, lane);
    LyVec3 b[3], sum = {{ly_set(0), ly_set(0), ly_set(0)}};
    for (int n = 0; n < 3; ++n) {
        b[n] = ly_vec3_load_lanes(batch->constants + (LY_TET_B + 3 * n) * WIDTH + lane);
    }
    Gradients g = {add_identity(tet_gradient(batch->u, b, lane)), tet_gradient(batch->a, b, lane),
                   tet_gradient(batch->b, b, lane)};
    LyMat3 ddP = second_derivative(&c, &g);
    LyReal volume = ly_load(batch->constants + LY_TET_VOLUME * WIDTH + lane);
    for (int n = 0; n < 3; ++n) {
        LyVec3 f = ly_mat3_apply(&ddP, &b[n]);
        for (int i = 0; i < 3; ++i) {
            f.v[i] *= volume;
            sum.v[i] += f.v[i];
            ly_store(batch->contraction + (3 * (n + 1) + i) * WIDTH + lane, f.v[i]);
        }
    }
    for (int i = 0; i < 3; ++i) {
        ly_store(batch->contraction + i * WIDTH + lane, -sum.v[i]);
    }
}

void LY_KERNEL(ly_tet_stvk_contracted)(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    for (int lane = 0; batch->contraction && lane < WIDTH; lane += LY_LANES) {
        contract_tet(batch, lane);
    }
    if (has_other_outputs(batch)) {
        LY_KERNEL(ly_tet_stvk)(self, batch, scratch);
    }
}

// ---- cubes --------------------------------------------------------------------------------------

LY_INLINE LyMat3 cube_gradient(const double *values, int lane, const LyReal inverse[3],
                               const double shape[8][3])
{
    LyMat3 F;
    for (int i = 0; i < 3; ++i) {
        LyReal first = ly_load(values + i * WIDTH + lane);
        LyReal row[3] = {ly_set(0), ly_set(0), ly_set(0)};
        for (int n = 1; n < 8; ++n) {
            LyReal x = ly_load(values + (3 * n + i) * WIDTH + lane) - first;
            for (int j = 0; j < 3; ++j) {
                row[j] += shape[n][j] * x;
            }
        }
        for (int j = 0; j < 3; ++j) {
            F.m[i][j] = row[j] * inverse[j];
        }
    }
    return F;
}

static void contract_cube(const LyCubeRule *rule, const LyraBatch *batch, int lane)
{
    Constants c = load_constants(batch, lane);
    LyVec3 h = ly_vec3_load_lanes(batch->constants + LY_CUBE_EDGES * WIDTH + lane);
    LyReal volume = h.v[0] * h.v[1] * h.v[2], f[8][3];
    LyReal inverse[3] = {1.0 / h.v[0], 1.0 / h.v[1], 1.0 / h.v[2]};
    for (int k = 0; k < 24; ++k) {
        f[k / 3][k % 3] = ly_set(0);
    }
    for (int q = 0; q < rule->n * rule->n * rule->n; ++q) {
        const double(*shape)[3] = rule->shape[q];
        Gradients g = {add_identity(cube_gradient(batch->u, lane, inverse, shape)),
                       cube_gradient(batch->a, lane, inverse, shape),
                       cube_gradient(batch->b, lane, inverse, shape)};
        LyMat3 ddP = second_derivative(&c, &g);
        for (int k = 0; k < 9; ++k) {
            ddP.m[k / 3][k % 3] *= rule->weight[q] * volume * inverse[k % 3];
        }
        for (int n = 1; n < 8; ++n) {
            for (int i = 0; i < 3; ++i) {
                f[n][i] += ddP.m[i][0] * shape[n][0] + ddP.m[i][1] * shape[n][1] +
                           ddP.m[i][2] * shape[n][2];
            }
        }
    }
    // node 0 by translation invariance
    for (int i = 0; i < 3; ++i) {
        for (int n = 1; n < 8; ++n) {
            f[0][i] -= f[n][i];
        }
        for (int n = 0; n < 8; ++n) {
            ly_store(batch->contraction + (3 * n + i) * WIDTH + lane, f[n][i]);
        }
    }
}

void LY_KERNEL(ly_cube_stvk_contracted)(const void *self, const LyraBatch *batch,
                                        LyraArena *scratch)
{
    const LyIsotropic *solid = self;
    for (int lane = 0; batch->contraction && lane < WIDTH; lane += LY_LANES) {
        contract_cube(&solid->rule, batch, lane);
    }
    if (has_other_outputs(batch)) {
        LY_KERNEL(ly_cube_isotropic)(self, batch, scratch);
    }
}
