// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Bending of ropes and cables: straight at rest, equally stiff all round, free to turn. Edges a, b
// from the first to the second vertex and on to the third, tangents t, u, c = t.u:
//
//   kb = 2 t x u/(1 + c),  E = k phi,  phi = |kb|^2/2 = 2 (1 - c)/(1 + c)
//   phi' = -4/(1 + c)^2,  phi'' = 8/(1 + c)^3,  p = (u - c t)/|a|,  q = (t - c u)/|b|
//   gradient  phi' p by a, phi' q by b
//   tangent   aa: phi'' p p^T - phi' [(t p^T + p t^T)/|a| + c T/|a|^2],  bb alike,
//             ab: phi'' p q^T + phi' T Q/(|a| |b|),  T = 1 - t t^T, Q = 1 - u u^T
//
// With the derivatives A = (-2 [u]x - kb u^T) T/((1 + c) |a|), B = (2 [t]x - kb t^T) Q/((1 + c)
// |b|) of kb the positive tangent is k (A, B)^T (A, B). Damping of time tau is tau k times the rate
// of |kb|, whose gradient is that of phi over |kb|: turns of all together, and of the plane of the
// bend, go free. Where the edges are straight it has no direction and is left out: |kb|^2 counts as
// |kb|^2 + 1e-16 there. 1 + c counts as 2 LY_ROD_FLOOR at least, where p and q, and so the force,
// go to 0.

#include "force/rod.h"
#include "math/mat3_lanes.h"

#define WIDTH LYRA_BATCH_WIDTH

// two edges that turn back on one another have 1 + c = 0
#define FLOOR_SUM (2 * LY_ROD_FLOOR)

typedef struct Bend {
    LyVec3 t, u, p, q;
    LyReal inverse_a, inverse_b; // of lengths
    LyReal c, sum;               // 1 + c, floored
    LyReal stiffness;
} Bend;

LY_INLINE LyVec3 load_difference(const double *values, int to, int lane)
{
    LyVec3 d;
    for (int i = 0; i < 3; ++i) {
        d.v[i] = ly_load(values + (3 * to + i) * WIDTH + lane) -
                 ly_load(values + (3 * (to - 1) + i) * WIDTH + lane);
    }
    return d;
}

LY_INLINE LyReal normalize(LyVec3 *e)
{
    LyReal inverse = 1.0 / ly_max(ly_set(0x1p-200), ly_sqrt(ly_vec3_dot(e, e)));
    for (int i = 0; i < 3; ++i) {
        e->v[i] *= inverse;
    }
    return inverse;
}

LY_INLINE Bend load_bend(const LyraBatch *batch, int lane)
{
    Bend bend = {.t = load_difference(batch->x, 1, lane), .u = load_difference(batch->x, 2, lane)};
    bend.inverse_a = normalize(&bend.t);
    bend.inverse_b = normalize(&bend.u);
    // 1 - c by the difference of tangents keeps the digits of small angles
    LyVec3 d;
    LyReal less = ly_set(0);
    for (int i = 0; i < 3; ++i) {
        d.v[i] = bend.u.v[i] - bend.t.v[i];
        less += 0.5 * d.v[i] * d.v[i];
    }
    bend.c = 1.0 - less;
    bend.sum = ly_max(ly_set(FLOOR_SUM), 2.0 - less);
    for (int i = 0; i < 3; ++i) {
        bend.p.v[i] = bend.inverse_a * (d.v[i] + less * bend.t.v[i]);
        bend.q.v[i] = bend.inverse_b * (less * bend.u.v[i] - d.v[i]);
    }
    bend.stiffness = ly_load(batch->parameters + LYRA_ROD_ROPE_BEND * WIDTH + lane);
    return bend;
}

LY_INLINE void add_outer(LyMat3 *K, LyReal factor, const LyVec3 *a, const LyVec3 *b)
{
    for (int i = 0; i < 3; ++i) {
        LyReal x = factor * a->v[i];
        for (int j = 0; j < 3; ++j) {
            K->m[i][j] += x * b->v[j];
        }
    }
}

LY_INLINE LyMat3 make_zero(void)
{
    LyMat3 K;
    for (int i = 0; i < 9; ++i) {
        K.m[i / 3][i % 3] = ly_set(0);
    }
    return K;
}

// 1 - n n^T
LY_INLINE LyMat3 project(const LyVec3 *n)
{
    LyMat3 K = ly_mat3_identity();
    add_outer(&K, ly_set(-1), n, n);
    return K;
}

// derivative of kb by an edge with tangent `of`, `other` the other one; sign -1 for the first
LY_INLINE LyMat3 find_slope(const Bend *bend, const LyVec3 *of, const LyVec3 *other, LyReal inverse,
                            double sign)
{
    LyVec3 kb = ly_vec3_cross(&bend->t, &bend->u);
    LyReal zero = ly_set(0), over = 1.0 / bend->sum;
    for (int i = 0; i < 3; ++i) {
        kb.v[i] *= 2.0 * over;
    }
    const LyReal *w = other->v, two = ly_set(2 * sign);
    LyMat3 K = {{{zero, -two * w[2], two * w[1]},
                 {two * w[2], zero, -two * w[0]},
                 {-two * w[1], two * w[0], zero}}};
    add_outer(&K, ly_set(-1), &kb, other);
    LyMat3 T = project(of);
    K = ly_mat3_multiply(&K, &T);
    return ly_mat3_scale(&K, over * inverse);
}

// blocks by edges
typedef struct Blocks {
    LyMat3 aa, ab, bb;
} Blocks;

LY_INLINE Blocks find_products(const LyMat3 *A, const LyMat3 *B, LyReal factor)
{
    Blocks K = {ly_mat3_transposed_multiply(A, A), ly_mat3_transposed_multiply(A, B),
                ly_mat3_transposed_multiply(B, B)};
    K.aa = ly_mat3_scale(&K.aa, factor);
    K.ab = ly_mat3_scale(&K.ab, factor);
    K.bb = ly_mat3_scale(&K.bb, factor);
    return K;
}

LY_INLINE Blocks find_exact(const Bend *bend)
{
    LyReal s = 1.0 / bend->sum, k = bend->stiffness;
    LyReal slope = -4.0 * k * s * s, curvature = 8.0 * k * s * s * s;
    LyMat3 T = project(&bend->t), Q = project(&bend->u), TQ = ly_mat3_multiply(&T, &Q);
    LyReal a = bend->inverse_a, b = bend->inverse_b;
    Blocks K = {ly_mat3_scale(&T, -slope * bend->c * a * a), ly_mat3_scale(&TQ, slope * a * b),
                ly_mat3_scale(&Q, -slope * bend->c * b * b)};
    add_outer(&K.aa, curvature, &bend->p, &bend->p);
    add_outer(&K.aa, -slope * a, &bend->t, &bend->p);
    add_outer(&K.aa, -slope * a, &bend->p, &bend->t);
    add_outer(&K.ab, curvature, &bend->p, &bend->q);
    add_outer(&K.bb, curvature, &bend->q, &bend->q);
    add_outer(&K.bb, -slope * b, &bend->u, &bend->q);
    add_outer(&K.bb, -slope * b, &bend->q, &bend->u);
    return K;
}

// blocks 01, 02, 12 of vertices
LY_INLINE void store_blocks(double *out, const Blocks *K, int lane)
{
    for (int i = 0; i < 9; ++i) {
        int r = i / 3, c = i % 3;
        ly_store(out + i * WIDTH + lane, K->ab.m[r][c] - K->aa.m[r][c]);
        ly_store(out + (9 + i) * WIDTH + lane, -K->ab.m[r][c]);
        ly_store(out + (18 + i) * WIDTH + lane, K->ab.m[r][c] - K->bb.m[r][c]);
    }
}

LY_INLINE void store_gradient(double *out, const LyVec3 *a, const LyVec3 *b, int lane)
{
    for (int i = 0; i < 3; ++i) {
        ly_store(out + i * WIDTH + lane, -a->v[i]);
        ly_store(out + (3 + i) * WIDTH + lane, a->v[i] - b->v[i]);
        ly_store(out + (6 + i) * WIDTH + lane, b->v[i]);
    }
}

// The symmetric part of the damping's derivative by place: with the slope s and tangent K of the
// energy, c = tau k/(k |kb|)^2 and the rate r = s.v it is c [r K + (s (K v)^T + (K v) s^T)/2] -
// 2 k c r s s^T/(k |kb|)^2.
LY_INLINE void add_viscous(const LyraBatch *batch, Blocks *K, const LyVec3 *a, const LyVec3 *b,
                           LyReal viscous, LyReal rate, LyReal fall, int lane)
{
    LyVec3 va = load_difference(batch->v, 1, lane), vb = load_difference(batch->v, 2, lane);
    LyVec3 x = ly_mat3_apply(&K->aa, &va), y = ly_mat3_apply(&K->ab, &vb);
    LyVec3 z = ly_mat3_apply_transposed(&K->ab, &va), w = ly_mat3_apply(&K->bb, &vb);
    for (int i = 0; i < 3; ++i) {
        x.v[i] += y.v[i];
        z.v[i] += w.v[i];
    }
    LyReal share = 1.0 + viscous * rate, half = 0.5 * viscous, less = -viscous * rate * fall;
    K->aa = ly_mat3_scale(&K->aa, share);
    K->ab = ly_mat3_scale(&K->ab, share);
    K->bb = ly_mat3_scale(&K->bb, share);
    add_outer(&K->aa, half, a, &x);
    add_outer(&K->aa, half, &x, a);
    add_outer(&K->ab, half, a, &z);
    add_outer(&K->ab, half, &x, b);
    add_outer(&K->bb, half, b, &z);
    add_outer(&K->bb, half, &z, b);
    add_outer(&K->aa, less, a, a);
    add_outer(&K->ab, less, a, b);
    add_outer(&K->bb, less, b, b);
}

LY_INLINE void evaluate_bend(const LyraBatch *batch, bool damped, int lane)
{
    Bend bend = load_bend(batch, lane);
    LyReal k = bend.stiffness, s = 1.0 / bend.sum;
    if (batch->energy) {
        ly_store(batch->energy + lane, 2.0 * k * (1.0 - bend.c) * s);
    }
    if (!batch->gradient && !batch->dfdx && !(damped && batch->dfdv)) {
        return;
    }
    LyVec3 of_a, of_b;
    for (int i = 0; i < 3; ++i) {
        of_a.v[i] = -4.0 * k * s * s * bend.p.v[i];
        of_b.v[i] = -4.0 * k * s * s * bend.q.v[i];
    }
    LyMat3 A = make_zero(), B = make_zero();
    LyReal viscous = ly_set(0);
    if (batch->dfdx && batch->psd) {
        A = find_slope(&bend, &bend.t, &bend.u, bend.inverse_a, -1);
        B = find_slope(&bend, &bend.u, &bend.t, bend.inverse_b, 1);
    }
    LyVec3 slope_a = of_a, slope_b = of_b;
    LyReal over = ly_set(0), rate = ly_set(0);
    if (damped) {
        over = 1.0 / (4.0 * k * k * (1.0 - bend.c) * s + 1e-16 * k * k + 0x1p-1000);
        viscous = k * over * ly_load(batch->parameters + LYRA_ROD_ROPE_DAMPING * WIDTH + lane);
        LyVec3 va = load_difference(batch->v, 1, lane), vb = load_difference(batch->v, 2, lane);
        rate = ly_vec3_dot(&slope_a, &va) + ly_vec3_dot(&slope_b, &vb);
        for (int i = 0; i < 3; ++i) {
            of_a.v[i] += viscous * rate * slope_a.v[i];
            of_b.v[i] += viscous * rate * slope_b.v[i];
        }
    }
    if (batch->gradient) {
        store_gradient(batch->gradient, &of_a, &of_b, lane);
    }
    if (batch->dfdx) {
        Blocks K = batch->psd ? find_products(&A, &B, k) : find_exact(&bend);
        if (damped && !batch->psd) {
            add_viscous(batch, &K, &slope_a, &slope_b, viscous, rate, 2.0 * k * over, lane);
        }
        store_blocks(batch->dfdx, &K, lane);
    }
    if (damped && batch->dfdv) {
        Blocks K = {make_zero(), make_zero(), make_zero()};
        add_outer(&K.aa, viscous, &slope_a, &slope_a);
        add_outer(&K.ab, viscous, &slope_a, &slope_b);
        add_outer(&K.bb, viscous, &slope_b, &slope_b);
        store_blocks(batch->dfdv, &K, lane);
    }
}

#define DEFINE_BEND(name, damped)                                                                  \
    void LY_KERNEL(name)(const void *self, const LyraBatch *batch, LyraArena *scratch)             \
    {                                                                                              \
        (void)self;                                                                                \
        (void)scratch;                                                                             \
        for (int lane = 0; lane < WIDTH; lane += LY_LANES) {                                       \
            evaluate_bend(batch, damped, lane);                                                    \
        }                                                                                          \
    }

DEFINE_BEND(ly_rod_bend, false)
DEFINE_BEND(ly_rod_bend_damped, true)
