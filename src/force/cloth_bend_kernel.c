// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Bending of a hinge: an edge x_0 x_1 with the wings x_2 and x_3. With e = x_1 - x_0,
// a = x_2 - x_0, b = x_3 - x_0, N_2 = e x a, N_3 = b x e (normals of both triangles, turned alike),
//   theta = atan2(- |e| N_2.b, N_2.N_3),   E = k/2 (theta - theta_0)^2
// is 0 where the hinge is flat. Over each wing w let t = its (x_w - x_0).e/|e|^2, n = N/|N|,
// m = e^ x n, h = |N|/|e| its height. Then
//   g_2 = - n_2/h_2,  g_3 = - n_3/h_3,
//   g_0 = - (1 - t_2) g_2 - (1 - t_3) g_3,  g_1 = - t_2 g_2 - t_3 g_3                          (1)
// are the derivatives of theta. Deriving once more, with dn/dx of a triangle and the sign - of wing
// 2, + of wing 3 in front of
//   D_w = -+ (m n^T + n m^T)/h^2,   o_w = n e^^T/|N|                                           (2)
// gives the blocks of the second derivative, whose rows sum to zero:
//   H_22 = D_2,  H_33 = D_3,  H_23 = 0
//   H_0w = - (1 - t) D_w - o_w,   H_1w = - t D_w + o_w
//   H_01 = sum over w of [t (1 - t) D_w + t o_w - (1 - t) o_w^T] + (m_2 n_2^T - m_3 n_3^T)/|e|^2
// so that K = k [g g^T + (theta - theta_0) H], of which the PSD mode keeps the first term: the
// whole is indefinite wherever theta != theta_0.
//
// The difference of angles is taken in [-pi, pi], so that passing through a fold does not count as
// a turn. A wing without height has no direction of its own: such a hinge has no force.
//
// Frozen [Vega]: with A = - N_2, B = - N_3, lengths of A, B and e are constants s = S/(|A||B||e|),
// c = C/(|A||B|) of S = (A x B).e, C = A.B, differentiated as polynomials:
//   g = c s' - s c',   H = c s'' - s c'' + (s^2 - c^2)(s' c'^T + c' s'^T) + 2 s c (c' c'^T - s'
//   s'^T)
//
// Damping with the rate r = g.v adds k_d r g to the gradient, k_d g g^T to dfdv, and
// k_d [g (H v)^T + r H] to dfdx, but not in the PSD mode.

#include "force/cloth.h"
#include "force/hinge_lanes.h"

#define WIDTH LYRA_BATCH_WIDTH

typedef enum Kind { EXACT, FROZEN, DAMPED, DAMPED_SYMMETRIC } Kind;

enum { PAIRS = LY_HINGE_PAIRS };

// nodes of the pairs, in the order of the blocks
static const int first_of[PAIRS] = {0, 0, 0, 1, 1, 2}, second_of[PAIRS] = {1, 2, 3, 2, 3, 3};

typedef struct Hinge {
    LyHinge at;
    LyReal change; // theta - theta_0
} Hinge;

LY_INLINE LyReal load_parameter(const LyraBatch *batch, int parameter, int lane)
{
    return ly_load(batch->parameters + parameter * WIDTH + lane);
}

LY_INLINE LyVec3 load_vector(const double *values, int node, int lane)
{
    LyVec3 x;
    for (int i = 0; i < 3; ++i) {
        x.v[i] = ly_load(values + (3 * node + i) * WIDTH + lane);
    }
    return x;
}

LY_INLINE Hinge load_hinge(const LyraBatch *batch, bool frozen, int lane)
{
    LyVec3 x[4];
    for (int k = 0; k < 4; ++k) {
        x[k] = load_vector(batch->x, k, lane);
    }
    Hinge h = {.at = ly_hinge_at(x)};
    h.change = h.at.angle - load_parameter(batch, LYRA_CLOTH_REST_ANGLE, lane);
    h.change = frozen ? h.change : ly_hinge_wrap(h.change);
    return h;
}

// ---- frozen lengths -----------------------------------------------------------------------------

// out += x [a]x, the matrix of the cross product
LY_INLINE void add_cross(LyMat3 *out, LyReal x, const LyVec3 *a)
{
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out->m[i][j] -= x * a->v[k];
        out->m[i][k] += x * a->v[j];
    }
}

LY_INLINE void add_outer(LyMat3 *out, LyReal x, const LyVec3 *a, const LyVec3 *b)
{
    for (int k = 0; k < 9; ++k) {
        out->m[k / 3][k % 3] += x * a->v[k / 3] * b->v[k % 3];
    }
}

LY_INLINE void add_unit(LyMat3 *out, LyReal x)
{
    for (int i = 0; i < 3; ++i) {
        out->m[i][i] += x;
    }
}

typedef struct Frozen {
    LyVec3 A, B, a[4], b[4]; // dA = sum of a_m x dx_m, dB alike
    LyReal end[4];           // de = sum of end_m dx_m
    LyVec3 Be, eA, AB;       // B x e, e x A, A x B
    LyReal s, c, S, C;       // and the factors of S and C
    LyVec3 ds[4], dc[4];
} Frozen;

LY_INLINE Frozen load_frozen(const LyHinge *h)
{
    const LyVec3 *x = h->x;
    LyReal zero = ly_set(0), one = ly_set(1);
    LyVec3 none = {{zero, zero, zero}};
    Frozen f = {.end = {-one, one, zero, zero}};
    LyVec3 minus = ly_hinge_scale(-one, &h->e);
    f.A = ly_hinge_scale(-one, &h->N[0]);
    f.B = ly_hinge_scale(-one, &h->N[1]);
    // A = (x_1 - x_2) x (x_0 - x_2), B = (x_0 - x_3) x (x_1 - x_3)
    f.a[0] = ly_hinge_subtract(&x[1], &x[2]);
    f.a[1] = ly_hinge_subtract(&x[2], &x[0]);
    f.a[2] = minus;
    f.a[3] = f.b[2] = none;
    f.b[0] = ly_hinge_subtract(&x[3], &x[1]);
    f.b[1] = ly_hinge_subtract(&x[0], &x[3]);
    f.b[3] = h->e;
    f.Be = ly_vec3_cross(&f.B, &h->e);
    f.eA = ly_vec3_cross(&h->e, &f.A);
    f.AB = ly_vec3_cross(&f.A, &f.B);
    LyReal product = ly_sqrt(h->NN[0]) * ly_sqrt(h->NN[1]);
    f.C = ly_select(h->dead, zero, 1.0 / product);
    f.S = ly_select(h->dead, zero, f.C / ly_select(h->dead, one, h->length));
    f.c = f.C * ly_vec3_dot(&f.A, &f.B);
    f.s = f.S * ly_vec3_dot(&f.AB, &h->e);
    for (int m = 0; m < 4; ++m) {
        LyVec3 p = ly_vec3_cross(&f.Be, &f.a[m]), q = ly_vec3_cross(&f.eA, &f.b[m]);
        LyVec3 u = ly_vec3_cross(&f.B, &f.a[m]), v = ly_vec3_cross(&f.A, &f.b[m]);
        for (int i = 0; i < 3; ++i) {
            f.ds[m].v[i] = f.S * (p.v[i] + q.v[i] + f.end[m] * f.AB.v[i]);
            f.dc[m].v[i] = f.C * (u.v[i] + v.v[i]);
        }
    }
    return f;
}

LY_INLINE void find_frozen_slopes(const Frozen *f, LyVec3 g[4])
{
    for (int m = 0; m < 4; ++m) {
        for (int i = 0; i < 3; ++i) {
            g[m].v[i] = f->c * f->ds[m].v[i] - f->s * f->dc[m].v[i];
        }
    }
}

// signs of [W]x in the second derivatives of A.W and B.W, by pairs
static const double bilinear_A[PAIRS] = {1, -1, 0, 1, 0, 0};
static const double bilinear_B[PAIRS] = {-1, 0, 1, 0, -1, 0};

LY_INLINE LyMat3 find_frozen_curvature(const Frozen *f, const LyVec3 *e, int pair)
{
    int m = first_of[pair], n = second_of[pair];
    const LyVec3 *am = &f->a[m], *an = &f->a[n], *bm = &f->b[m], *bn = &f->b[n];
    LyReal one = ly_set(1), end_m = f->end[m], end_n = f->end[n];
    LyMat3 C, S;
    for (int k = 0; k < 9; ++k) {
        C.m[k / 3][k % 3] = S.m[k / 3][k % 3] = ly_set(0);
    }
    // of A.B: dA.dB twice, and A and B as they are bilinear
    add_unit(&C, ly_vec3_dot(am, bn) + ly_vec3_dot(bm, an));
    add_outer(&C, -one, bn, am);
    add_outer(&C, -one, an, bm);
    add_cross(&C, ly_set(bilinear_A[pair]), &f->B);
    add_cross(&C, ly_set(bilinear_B[pair]), &f->A);
    // of (A x B).e: (dA x dB).e
    LyVec3 ba = ly_vec3_cross(bn, am), ab = ly_vec3_cross(bm, an);
    add_cross(&S, -ly_vec3_dot(bn, e), am);
    add_outer(&S, -one, &ba, e);
    add_cross(&S, ly_vec3_dot(bm, e), an);
    add_outer(&S, -one, e, &ab);
    // (dA x B).de and (A x dB).de
    add_unit(&S, end_n * ly_vec3_dot(am, &f->B) + end_m * ly_vec3_dot(an, &f->B));
    add_outer(&S, -end_n, &f->B, am);
    add_outer(&S, -end_m, an, &f->B);
    add_unit(&S, -(end_m * ly_vec3_dot(&f->A, bn) + end_n * ly_vec3_dot(&f->A, bm)));
    add_outer(&S, end_m, bn, &f->A);
    add_outer(&S, end_n, &f->A, bm);
    add_cross(&S, ly_set(bilinear_A[pair]), &f->Be);
    add_cross(&S, ly_set(bilinear_B[pair]), &f->eA);
    LyMat3 H;
    for (int k = 0; k < 9; ++k) {
        H.m[k / 3][k % 3] = f->c * f->S * S.m[k / 3][k % 3] - f->s * f->C * C.m[k / 3][k % 3];
    }
    LyReal mixed = f->s * f->s - f->c * f->c, twice = 2.0 * f->s * f->c;
    add_outer(&H, mixed, &f->ds[m], &f->dc[n]);
    add_outer(&H, mixed, &f->dc[m], &f->ds[n]);
    add_outer(&H, twice, &f->dc[m], &f->dc[n]);
    add_outer(&H, -twice, &f->ds[m], &f->ds[n]);
    return H;
}

// ---- damping ------------------------------------------------------------------------------------

// H v, from blocks of pairs whose rows sum to zero
LY_INLINE void apply_pairs(const LyMat3 H[PAIRS], const LyVec3 v[4], LyVec3 out[4])
{
    for (int m = 0; m < 4; ++m) {
        out[m] = (LyVec3){{ly_set(0), ly_set(0), ly_set(0)}};
    }
    for (int p = 0; p < PAIRS; ++p) {
        int m = first_of[p], n = second_of[p];
        LyVec3 d = ly_hinge_subtract(&v[n], &v[m]);
        LyVec3 to = ly_mat3_apply(&H[p], &d), from = ly_mat3_apply_transposed(&H[p], &d);
        for (int i = 0; i < 3; ++i) {
            out[m].v[i] += to.v[i];
            out[n].v[i] -= from.v[i];
        }
    }
}

// ---- to the nodes -------------------------------------------------------------------------------

LY_INLINE void store_block(double *out, int block, int lane, const LyMat3 *K)
{
    ly_mat3_store_components(out + 9 * block * WIDTH + lane, WIDTH, K);
}

// blocks of pairs, or all sixteen with the sum of `skew` u w^T, which is not symmetric
LY_INLINE void store_all(double *out, const LyMat3 K[PAIRS], LyReal skew, const LyVec3 u[4],
                         const LyVec3 w[4], int lane)
{
    LyMat3 all[4][4];
    for (int m = 0; m < 4; ++m) {
        for (int k = 0; k < 9; ++k) {
            all[m][m].m[k / 3][k % 3] = ly_set(0);
        }
    }
    for (int p = 0; p < PAIRS; ++p) {
        int m = first_of[p], n = second_of[p];
        for (int k = 0; k < 9; ++k) {
            int i = k / 3, j = k % 3;
            LyReal value = K[p].m[i][j];
            all[m][n].m[i][j] = value;
            all[n][m].m[j][i] = value;
            all[m][m].m[i][j] -= value;
            all[n][n].m[j][i] -= value;
        }
    }
    for (int m = 0; m < 4; ++m) {
        for (int n = 0; n < 4; ++n) {
            add_outer(&all[m][n], skew, &u[m], &w[n]);
            store_block(out, 4 * m + n, lane, &all[m][n]);
        }
    }
}

LY_INLINE void store_zeros(double *out, int count, int lane)
{
    for (int k = 0; k < count; ++k) {
        ly_store(out + k * WIDTH + lane, ly_set(0));
    }
}

// x g g^T + y H, pair by pair
LY_INLINE void store_pairs(double *out, LyReal x, const LyVec3 g[4], LyReal y,
                           const LyMat3 H[PAIRS], int lane)
{
    for (int p = 0; p < PAIRS; ++p) {
        LyMat3 K;
        for (int k = 0; k < 9; ++k) {
            K.m[k / 3][k % 3] = H ? y * H[p].m[k / 3][k % 3] : ly_set(0);
        }
        add_outer(&K, x, &g[first_of[p]], &g[second_of[p]]);
        store_block(out, p, lane, &K);
    }
}

// ---- over the lanes of a batch ------------------------------------------------------------------

LY_INLINE void evaluate_undamped(const LyClothForce *force, const LyraBatch *batch, bool frozen,
                                 int lane)
{
    Hinge h = load_hinge(batch, frozen, lane);
    LyReal k = load_parameter(batch, LYRA_CLOTH_BEND, lane), moment = k * h.change;
    if (batch->energy) {
        ly_store(batch->energy + lane, force->force ? 0.5 * moment * h.change : ly_set(0));
    }
    if (!batch->gradient && !batch->dfdx) {
        return;
    }
    LyVec3 g[4];
    Frozen f;
    if (frozen) {
        f = load_frozen(&h.at);
        find_frozen_slopes(&f, g);
    } else {
        ly_hinge_slopes(&h.at, g);
    }
    for (int i = 0; i < 12 && batch->gradient; ++i) {
        ly_store(batch->gradient + i * WIDTH + lane,
                 force->force ? moment * g[i / 3].v[i % 3] : ly_set(0));
    }
    if (!batch->dfdx) {
        return;
    }
    if (!force->stiffness) {
        store_zeros(batch->dfdx, 9 * PAIRS, lane);
    } else if (batch->psd) {
        store_pairs(batch->dfdx, k, g, ly_set(0), NULL, lane);
    } else {
        LyMat3 H[PAIRS];
        if (frozen) {
            for (int p = 0; p < PAIRS; ++p) {
                H[p] = find_frozen_curvature(&f, &h.at.e, p);
            }
        } else {
            ly_hinge_curvatures(&h.at, H);
        }
        store_pairs(batch->dfdx, k, g, moment, H, lane);
    }
}

// dfdx of a damped hinge
LY_INLINE void store_damped_tangent(const LyraBatch *batch, const Hinge *h, const LyVec3 g[4],
                                    const LyVec3 v[4], LyReal damping, bool symmetric, int lane)
{
    LyReal k = load_parameter(batch, LYRA_CLOTH_BEND, lane), zero = ly_set(0), rate = zero;
    LyVec3 Hv[4], none = {{zero, zero, zero}};
    LyMat3 H[PAIRS], K[PAIRS];
    ly_hinge_curvatures(&h->at, H);
    apply_pairs(H, v, Hv);
    for (int m = 0; m < 4; ++m) {
        rate += ly_vec3_dot(&g[m], &v[m]);
        Hv[m] = batch->psd ? none : Hv[m];
    }
    LyReal y = batch->psd ? zero : k * h->change + damping * rate;
    for (int p = 0; p < PAIRS; ++p) {
        int m = first_of[p], n = second_of[p];
        for (int i = 0; i < 9; ++i) {
            K[p].m[i / 3][i % 3] = y * H[p].m[i / 3][i % 3];
        }
        add_outer(&K[p], k, &g[m], &g[n]);
        if (symmetric) {
            add_outer(&K[p], 0.5 * damping, &g[m], &Hv[n]);
            add_outer(&K[p], 0.5 * damping, &Hv[m], &g[n]);
            store_block(batch->dfdx, p, lane, &K[p]);
        }
    }
    if (!symmetric) {
        store_all(batch->dfdx, K, damping, g, Hv, lane);
    }
}

LY_INLINE void evaluate_damped(const LyClothForce *force, const LyraBatch *batch, bool symmetric,
                               int lane)
{
    Hinge h = load_hinge(batch, false, lane);
    LyReal k = load_parameter(batch, LYRA_CLOTH_BEND, lane), moment = k * h.change;
    LyReal damping = load_parameter(batch, LYRA_CLOTH_BEND_DAMPING, lane), rate = ly_set(0);
    LyVec3 g[4], v[4];
    ly_hinge_slopes(&h.at, g);
    for (int m = 0; m < 4; ++m) {
        v[m] = load_vector(batch->v, m, lane);
        rate += ly_vec3_dot(&g[m], &v[m]);
    }
    if (batch->energy) {
        ly_store(batch->energy + lane, force->force ? 0.5 * moment * h.change : ly_set(0));
    }
    for (int i = 0; i < 12 && batch->gradient; ++i) {
        ly_store(batch->gradient + i * WIDTH + lane,
                 force->force ? (moment + damping * rate) * g[i / 3].v[i % 3] : ly_set(0));
    }
    int numbers = symmetric ? 9 * PAIRS : 9 * 16;
    if (batch->dfdx && force->stiffness) {
        store_damped_tangent(batch, &h, g, v, damping, symmetric, lane);
    } else if (batch->dfdx) {
        store_zeros(batch->dfdx, numbers, lane);
    }
    if (batch->dfdv && !force->stiffness) {
        store_zeros(batch->dfdv, numbers, lane);
    } else if (batch->dfdv && symmetric) {
        store_pairs(batch->dfdv, damping, g, ly_set(0), NULL, lane);
    } else if (batch->dfdv) {
        for (int p = 0; p < 16; ++p) {
            LyMat3 D;
            for (int i = 0; i < 9; ++i) {
                D.m[i / 3][i % 3] = ly_set(0);
            }
            add_outer(&D, damping, &g[p / 4], &g[p % 4]);
            store_block(batch->dfdv, p, lane, &D);
        }
    }
}

LY_INLINE void evaluate_hinge(const LyClothForce *force, const LyraBatch *batch, Kind kind,
                              int lane)
{
    if (kind == EXACT || kind == FROZEN) {
        evaluate_undamped(force, batch, kind == FROZEN, lane);
    } else {
        evaluate_damped(force, batch, kind == DAMPED_SYMMETRIC, lane);
    }
}

#define DEFINE_KERNEL(name, kind)                                                                  \
    void LY_KERNEL(name)(const void *self, const LyraBatch *batch, LyraArena *scratch)             \
    {                                                                                              \
        (void)scratch;                                                                             \
        for (int lane = 0; lane < WIDTH; lane += LY_LANES) {                                       \
            evaluate_hinge(self, batch, kind, lane);                                               \
        }                                                                                          \
    }

DEFINE_KERNEL(ly_cloth_bend, EXACT)
DEFINE_KERNEL(ly_cloth_bend_frozen, FROZEN)
DEFINE_KERNEL(ly_cloth_bend_damped, DAMPED)
DEFINE_KERNEL(ly_cloth_bend_damped_symmetric, DAMPED_SYMMETRIC)
