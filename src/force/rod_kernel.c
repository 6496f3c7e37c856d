// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Bending and twist of two edges a, b that meet at a vertex, after [BWR08], exact to second order
// wherever the frames were transported to. docs/theory/rods.md has the why.
//
// Each edge has the frame F0 = (t0, d1, d2) of the last step, kept as a quaternion, and an angle.
// In F0 let a' be the edge. Parallel transport from t0 to t and the turn by the angle are the
// quaternions
//
//   P(a') = (|a| + a'_x, 0, -a'_z, a'_y)      of length sqrt(2 |a| (|a| + a'_x)),
//   T     = (cos th/2, sin th/2, 0, 0).
//
// The material frame of the edge is F0 P T, and that of b as a sees it is
//
//   q = conj(P_a T_a) Q0 P_b T_b = (W, X, Y, Z),    Q0 = conj(F0_a) F0_b,
//
// up to its length, on which no strain depends:
//
//   k1 = 2 W Z/N,  k2 = -2 W Y/N,  twist = 2 arg(W + i X),  N = W^2 + X^2 = cos^2(phi/2) |q|^2
//
// which are the curvatures (m2a + m2b).kb/2, -(m1a + m1b).kb/2 and the twist of the paper. q is
// linear in P_a and in P_b, and P is linear but for |a|, so its derivatives are short:
//
//   dP/da'_x = (1 + t_x) 1,  dP/da'_y = t_y 1 + k,  dP/da'_z = t_z 1 - j,  d2P/da'2 = 1 (1 - t
//   t^T)/|a| dq/dth_a = (X, -W, Z, -Y)/2,  dq/dth_b = (-X, W, Z, -Y)/2
//
// with the units 1, j, k of quaternions. For an energy f(q): gradient g = df/dq, J = dq/d(a', b',
// th_a, th_b), tangent J^T f'' J + g . q''. As f is of degree 0, g . q = 0 and the second
// derivatives by one angle vanish. The positive tangent leaves out g . q'' and what of f'' does not
// come from products of strains.
//
// N is not counted below LY_ROD_FLOOR |q|^2: curvatures of edges that turn back stay finite.

#include "force/rod.h"
#include "math/elementary.h"
#include "math/mat3_lanes.h"

#define WIDTH LYRA_BATCH_WIDTH

// w, x, y, z
typedef struct Quaternion {
    LyReal v[4];
} Quaternion;

LY_INLINE Quaternion multiply(const Quaternion *a, const Quaternion *b)
{
    const LyReal *p = a->v, *q = b->v;
    return (Quaternion){{p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
                         p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
                         p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
                         p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]}};
}

LY_INLINE Quaternion conjugate(const Quaternion *a)
{
    return (Quaternion){{a->v[0], -a->v[1], -a->v[2], -a->v[3]}};
}

// j q
LY_INLINE Quaternion times_j(const Quaternion *q)
{
    return (Quaternion){{-q->v[2], q->v[3], q->v[0], -q->v[1]}};
}

// k q
LY_INLINE Quaternion times_k(const Quaternion *q)
{
    return (Quaternion){{-q->v[3], -q->v[2], q->v[1], q->v[0]}};
}

// q j
LY_INLINE Quaternion by_j(const Quaternion *q)
{
    return (Quaternion){{-q->v[2], -q->v[3], q->v[0], q->v[1]}};
}

// q k
LY_INLINE Quaternion by_k(const Quaternion *q)
{
    return (Quaternion){{-q->v[3], q->v[2], -q->v[1], q->v[0]}};
}

LY_INLINE LyReal dot4(const Quaternion *a, const Quaternion *b)
{
    return a->v[0] * b->v[0] + a->v[1] * b->v[1] + a->v[2] * b->v[2] + a->v[3] * b->v[3];
}

// columns: tangent and directors
LY_INLINE LyMat3 to_matrix(const Quaternion *q)
{
    LyReal w = q->v[0], x = q->v[1], y = q->v[2], z = q->v[3];
    return (LyMat3){
        {{w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)},
         {2.0 * (x * y + w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z - w * x)},
         {2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z}}};
}

// ---- joints with frames -------------------------------------------------------------------------

// One edge of a joint.
typedef struct Edge {
    Quaternion frame;        // at the begin of the step
    LyMat3 F;                // its matrix
    LyVec3 t;                // tangent in this frame
    LyReal inverse;          // 1/|a|
    LyReal angle;            // per length of the unknown
    Quaternion P, T, turned; // transport, turn, P T
} Edge;

typedef struct Joint {
    Edge a, b;
    Quaternion q, Q0;
    LyReal N, inverse; // N as it is, and 1 over its floored value
    LyMask floored;
    LyReal strain[3], change[3], stiffness[3];
} Joint;

LY_INLINE Quaternion load_quaternion(const double *p, int lane)
{
    Quaternion q;
    for (int i = 0; i < 4; ++i) {
        q.v[i] = ly_load(p + i * WIDTH + lane);
    }
    return q;
}

LY_INLINE Edge load_edge(const LyraBatch *batch, int which, int lane)
{
    Edge edge;
    const double *constants = batch->constants + (which ? LY_ROD_EDGE_B : LY_ROD_EDGE_A) * WIDTH;
    const double *from = batch->u + 3 * which * WIDTH, *to = from + 3 * WIDTH;
    LyVec3 e;
    for (int i = 0; i < 3; ++i) {
        LyReal moved = ly_load(to + i * WIDTH + lane) - ly_load(from + i * WIDTH + lane);
        e.v[i] = ly_load(constants + i * WIDTH + lane) + moved;
    }
    edge.frame =
        load_quaternion(batch->history + (which ? LY_ROD_FRAME_B : LY_ROD_FRAME_A) * WIDTH, lane);
    edge.F = to_matrix(&edge.frame);
    LyVec3 local = ly_mat3_apply_transposed(&edge.F, &e);
    LyReal length = ly_sqrt(ly_vec3_dot(&local, &local));
    // an edge of no length has no tangent: it counts as turned back
    edge.inverse = 1.0 / ly_max(ly_set(0x1p-200), length);
    for (int i = 0; i < 3; ++i) {
        edge.t.v[i] = local.v[i] * edge.inverse;
    }
    // of length 1, so that 1 + t_x is not lost beside the other parts
    LyReal zero = ly_set(0), w = ly_max(ly_set(LY_ROD_FLOOR), 1.0 + edge.t.v[0]);
    edge.P = (Quaternion){{w, zero, -edge.t.v[2], edge.t.v[1]}};
    edge.angle = ly_load(batch->constants + (LY_ROD_ANGLE_A + which) * WIDTH + lane);
    LyReal half = 0.5 * edge.angle * ly_load(batch->u + 3 * (3 + which) * WIDTH + lane);
    edge.T = (Quaternion){{zero, zero, zero, zero}};
    ly_sin_cos_lanes(half, &edge.T.v[1], &edge.T.v[0]);
    edge.turned = multiply(&edge.P, &edge.T);
    return edge;
}

// how often the turn has gone round since the last step: the nearest
LY_INLINE LyReal unwrap(LyReal turn, LyReal before)
{
    const double shift = 0x1.8p52;
    LyReal rounds = (before - turn) * 0x1.45f306dc9c883p-3 + shift;
    return turn + 0x1.921fb54442d18p2 * (rounds - shift);
}

LY_INLINE LyReal load_parameter(const LyraBatch *batch, int parameter, int lane)
{
    return ly_load(batch->parameters + parameter * WIDTH + lane);
}

LY_INLINE Joint load_joint(const LyraBatch *batch, int lane)
{
    Joint joint = {.a = load_edge(batch, 0, lane), .b = load_edge(batch, 1, lane)};
    Quaternion back = conjugate(&joint.a.frame), half;
    joint.Q0 = multiply(&back, &joint.b.frame);
    back = conjugate(&joint.a.turned);
    half = multiply(&joint.Q0, &joint.b.turned);
    joint.q = multiply(&back, &half);
    const LyReal *q = joint.q.v;
    joint.N = q[0] * q[0] + q[1] * q[1];
    LyReal least = LY_ROD_FLOOR * (joint.N + q[2] * q[2] + q[3] * q[3]);
    joint.floored = ly_less(joint.N, least);
    joint.inverse = 1.0 / ly_select(joint.floored, least, joint.N);
    joint.strain[0] = 2.0 * q[0] * q[3] * joint.inverse;
    joint.strain[1] = -2.0 * q[0] * q[2] * joint.inverse;
    // of the frames before the turns by the angles, which count as they are
    Quaternion P = conjugate(&joint.a.P), between;
    half = multiply(&joint.Q0, &joint.b.P);
    between = multiply(&P, &half);
    LyReal turn = 2.0 * ly_atan2_lanes(between.v[1], between.v[0]);
    turn = unwrap(turn, ly_load(batch->history + LY_ROD_TURN * WIDTH + lane));
    LyReal angle_a = joint.a.angle * ly_load(batch->u + 9 * WIDTH + lane);
    LyReal angle_b = joint.b.angle * ly_load(batch->u + 12 * WIDTH + lane);
    joint.strain[2] = turn + (angle_b - angle_a);
    for (int s = 0; s < 3; ++s) {
        joint.stiffness[s] = load_parameter(batch, LYRA_ROD_BEND_1 + s, lane);
        joint.change[s] =
            joint.strain[s] - load_parameter(batch, LYRA_ROD_REST_CURVATURE_1 + s, lane);
    }
    return joint;
}

// gradients of the strains by q
LY_INLINE void find_slopes(const Joint *joint, Quaternion slopes[3])
{
    const LyReal *q = joint->q.v;
    LyReal r = joint->inverse, zero = ly_set(0);
    LyReal of_n = ly_select(joint->floored, ly_set(2 * LY_ROD_FLOOR), ly_set(2)) * r;
    LyReal all = ly_select(joint->floored, of_n, zero);
    const Quaternion n = {{of_n * q[0], of_n * q[1], all * q[2], all * q[3]}};
    slopes[0] = (Quaternion){{2.0 * r * q[3], zero, zero, 2.0 * r * q[0]}};
    slopes[1] = (Quaternion){{-2.0 * r * q[2], zero, -2.0 * r * q[0], zero}};
    slopes[2] = (Quaternion){{-2.0 * r * q[1], 2.0 * r * q[0], zero, zero}};
    for (int i = 0; i < 4; ++i) {
        slopes[0].v[i] -= joint->strain[0] * n.v[i];
        slopes[1].v[i] -= joint->strain[1] * n.v[i];
    }
}

// derivatives of q by edge a (0 to 2), edge b (3 to 5), both angles (6, 7)
typedef struct Slopes {
    Quaternion of[8];
    Quaternion a, b; // by |a|, |b| alone: their second derivatives
} Slopes;

LY_INLINE void set_edge_slopes(const Edge *edge, const Quaternion *one, const Quaternion *j,
                               const Quaternion *k, Quaternion out[3])
{
    // P was divided by |a|, and so is its derivative
    for (int i = 0; i < 4; ++i) {
        out[0].v[i] = edge->inverse * (1.0 + edge->t.v[0]) * one->v[i];
        out[1].v[i] = edge->inverse * (edge->t.v[1] * one->v[i] + k->v[i]);
        out[2].v[i] = edge->inverse * (edge->t.v[2] * one->v[i] - j->v[i]);
    }
}

LY_INLINE Slopes find_motion(const Joint *joint)
{
    Slopes slopes;
    const LyReal *q = joint->q.v;
    // conj(T_a) conj(unit) Q0 P_b T_b
    Quaternion G = multiply(&joint->Q0, &joint->b.turned), back = conjugate(&joint->a.T);
    Quaternion jG = times_j(&G), kG = times_k(&G), one, j, k;
    one = multiply(&back, &G);
    j = multiply(&back, &jG);
    k = multiply(&back, &kG);
    for (int i = 0; i < 4; ++i) {
        j.v[i] = -j.v[i];
        k.v[i] = -k.v[i];
    }
    slopes.a = one;
    set_edge_slopes(&joint->a, &one, &j, &k, slopes.of);
    // conj(P_a T_a) Q0 unit T_b
    Quaternion turned = conjugate(&joint->a.turned), H = multiply(&turned, &joint->Q0);
    Quaternion Hj = by_j(&H), Hk = by_k(&H);
    one = multiply(&H, &joint->b.T);
    j = multiply(&Hj, &joint->b.T);
    k = multiply(&Hk, &joint->b.T);
    slopes.b = one;
    set_edge_slopes(&joint->b, &one, &j, &k, slopes.of + 3);
    LyReal half = ly_set(0.5);
    slopes.of[6] = (Quaternion){{half * q[1], -half * q[0], half * q[3], -half * q[2]}};
    slopes.of[7] = (Quaternion){{-half * q[1], half * q[0], half * q[3], -half * q[2]}};
    return slopes;
}

// a tangent, or a product of strains, by edges in their frames and angles: [8][8]
typedef struct Square {
    LyReal m[8][8];
} Square;

LY_INLINE void set_zero(Square *H)
{
    for (int i = 0; i < 64; ++i) {
        H->m[i / 8][i % 8] = ly_set(0);
    }
}

// the upper half of the sum of factor b b^T
LY_INLINE void add_products(Square *H, const LyReal factor[3], LyReal b[3][8])
{
    for (int i = 0; i < 8; ++i) {
        LyReal c[3] = {factor[0] * b[0][i], factor[1] * b[1][i], factor[2] * b[2][i]};
        for (int j = i; j < 8; ++j) {
            H->m[i][j] += c[0] * b[0][j] + c[1] * b[1][j] + c[2] * b[2][j];
        }
    }
}

// moments m: the second derivative by q of m1 k1 + m2 k2 + m3 twist
LY_INLINE void find_bend(const Joint *joint, const LyReal m[3], LyReal K[4][4])
{
    const LyReal *q = joint->q.v;
    LyReal r = joint->inverse, zero = ly_set(0), two = ly_set(2);
    LyReal L = m[0] * q[3] - m[1] * q[2];
    LyReal f = 2.0 * q[0] * L * r;
    LyReal some = ly_select(joint->floored, ly_set(2 * LY_ROD_FLOOR), two);
    LyReal rest = ly_select(joint->floored, some, zero);
    const LyReal n[4] = {some * q[0], some * q[1], rest * q[2], rest * q[3]};
    const LyReal l[4] = {zero, zero, -m[1], m[0]};
    LyReal p[4] = {2.0 * L, zero, 2.0 * q[0] * l[2], 2.0 * q[0] * l[3]};
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            K[i][j] = 2.0 * f * r * r * n[i] * n[j] - r * r * (p[i] * n[j] + n[i] * p[j]);
        }
        K[i][i] -= f * r * (i < 2 ? some : rest);
        K[0][i] += 2.0 * r * l[i];
        K[i][0] += 2.0 * r * l[i];
    }
    LyReal turn = 2.0 * m[2] * r * r, square = turn * (q[1] * q[1] - q[0] * q[0]);
    LyReal product = 2.0 * turn * q[0] * q[1];
    K[0][0] += product;
    K[1][1] -= product;
    K[0][1] += square;
    K[1][0] += square;
}

LY_INLINE void add_bend(Square *H, LyReal K[4][4], const Slopes *slopes)
{
    for (int i = 0; i < 8; ++i) {
        Quaternion Kq;
        for (int c = 0; c < 4; ++c) {
            const LyReal *q = slopes->of[i].v;
            Kq.v[c] = K[c][0] * q[0] + K[c][1] * q[1] + K[c][2] * q[2] + K[c][3] * q[3];
        }
        for (int j = i; j < 8; ++j) {
            H->m[i][j] += dot4(&Kq, &slopes->of[j]);
        }
    }
}

// (1 - t t^T) of an edge
LY_INLINE void add_stretch(Square *H, const Edge *edge, LyReal factor, int at)
{
    LyReal x = factor * edge->inverse * edge->inverse;
    for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j) {
            H->m[at + i][at + j] -= x * edge->t.v[i] * edge->t.v[j];
        }
        H->m[at + i][at + i] += x;
    }
}

// g . d2q
LY_INLINE void add_motion(Square *H, const Joint *joint, const Slopes *slopes, const Quaternion *g)
{
    add_stretch(H, &joint->a, dot4(g, &slopes->a), 0);
    add_stretch(H, &joint->b, dot4(g, &slopes->b), 3);
    // by one edge and one angle: g against the derivative of a column
    LyReal h = ly_set(0.5);
    const Quaternion by_a = {{-h * g->v[1], h * g->v[0], -h * g->v[3], h * g->v[2]}};
    const Quaternion by_b = {{h * g->v[1], -h * g->v[0], -h * g->v[3], h * g->v[2]}};
    for (int i = 0; i < 6; ++i) {
        H->m[i][6] += dot4(&by_a, &slopes->of[i]);
        H->m[i][7] += dot4(&by_b, &slopes->of[i]);
    }
    H->m[6][7] += dot4(&by_b, &slopes->of[6]);
    // by both edges: (unit T_a g conj(T_b)) . (Q0 unit)
    Quaternion back = conjugate(&joint->b.T), turned = multiply(&joint->a.T, g), left[3], right[3];
    left[0] = multiply(&turned, &back);
    left[1] = times_j(&left[0]);
    left[2] = times_k(&left[0]);
    right[0] = joint->Q0;
    right[1] = by_j(&joint->Q0);
    right[2] = by_k(&joint->Q0);
    LyReal Z[3][3], half[3][3];
    for (int i = 0; i < 9; ++i) {
        Z[i / 3][i % 3] = dot4(&left[i / 3], &right[i % 3]);
    }
    const LyReal *t = joint->a.t.v, *u = joint->b.t.v;
    for (int j = 0; j < 3; ++j) {
        half[0][j] = (1.0 + t[0]) * Z[0][j];
        half[1][j] = t[1] * Z[0][j] + Z[2][j];
        half[2][j] = t[2] * Z[0][j] - Z[1][j];
    }
    LyReal x = joint->a.inverse * joint->b.inverse;
    for (int i = 0; i < 3; ++i) {
        H->m[i][3] += x * (1.0 + u[0]) * half[i][0];
        H->m[i][4] += x * (u[1] * half[i][0] + half[i][2]);
        H->m[i][5] += x * (u[2] * half[i][0] - half[i][1]);
    }
}

// second derivatives of the strains, times moments
LY_INLINE void add_curved(Square *H, const Joint *joint, const Slopes *slopes,
                          const LyReal moment[3], const Quaternion by_q[3])
{
    LyReal K[4][4];
    Quaternion g;
    for (int i = 0; i < 4; ++i) {
        g.v[i] = moment[0] * by_q[0].v[i] + moment[1] * by_q[1].v[i] + moment[2] * by_q[2].v[i];
    }
    find_bend(joint, moment, K);
    add_bend(H, K, slopes);
    add_motion(H, joint, slopes, &g);
}

// What damping makes of a strain: its whole moment, viscosity, slope b and the velocities.
typedef struct Viscous {
    int strain;
    LyReal moment, viscosity;
    const LyReal *b, *rate;
} Viscous;

// The same of one strain alone, with the symmetric part of the damping's derivative by place:
// c (b h^T + h b^T)/2 with its slope b and h = (second derivative) times velocities.
LY_INLINE void add_viscous(Square *H, const Joint *joint, const Slopes *slopes,
                           const Quaternion by_q[3], const Viscous *of)
{
    LyReal unit[3], h[8];
    Square S;
    for (int k = 0; k < 3; ++k) {
        unit[k] = ly_set(k == of->strain);
    }
    set_zero(&S);
    add_curved(&S, joint, slopes, unit, by_q);
    for (int i = 0; i < 8; ++i) {
        h[i] = ly_set(0);
        for (int j = 0; j < 8; ++j) {
            h[i] += (i <= j ? S.m[i][j] : S.m[j][i]) * of->rate[j];
        }
    }
    LyReal half = 0.5 * of->viscosity;
    for (int i = 0; i < 8; ++i) {
        for (int j = i; j < 8; ++j) {
            H->m[i][j] += of->moment * S.m[i][j] + half * (of->b[i] * h[j] + h[i] * of->b[j]);
        }
    }
}

// ---- to the nodes -------------------------------------------------------------------------------

LY_INLINE void store_gradient(double *out, const Joint *joint, const LyReal g[8], int lane)
{
    const LyVec3 a = {{g[0], g[1], g[2]}}, b = {{g[3], g[4], g[5]}};
    LyVec3 of_a = ly_mat3_apply(&joint->a.F, &a), of_b = ly_mat3_apply(&joint->b.F, &b);
    for (int i = 0; i < 3; ++i) {
        ly_store(out + i * WIDTH + lane, -of_a.v[i]);
        ly_store(out + (3 + i) * WIDTH + lane, of_a.v[i] - of_b.v[i]);
        ly_store(out + (6 + i) * WIDTH + lane, of_b.v[i]);
        ly_store(out + (9 + i) * WIDTH + lane, i == 0 ? joint->a.angle * g[6] : ly_set(0));
        ly_store(out + (12 + i) * WIDTH + lane, i == 0 ? joint->b.angle * g[7] : ly_set(0));
    }
}

// F H G^T of a block at (row, column)
LY_INLINE LyMat3 turn_block(const LyMat3 *F, const LyMat3 *G, const Square *H, int row, int column)
{
    LyMat3 block;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            bool upper = row + i <= column + j;
            block.m[i][j] = upper ? H->m[row + i][column + j] : H->m[column + j][row + i];
        }
    }
    LyMat3 half = ly_mat3_multiply(F, &block);
    return ly_mat3_multiply_transposed(&half, G);
}

LY_INLINE void store_sum(double *out, int block, const LyReal sign[3], const LyMat3 *const of[3],
                         int lane)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            LyReal x =
                sign[0] * of[0]->m[i][j] + sign[1] * of[1]->m[i][j] + sign[2] * of[2]->m[i][j];
            ly_store(out + (9 * block + 3 * i + j) * WIDTH + lane, x);
        }
    }
}

// the first column of a block; the others are 0
LY_INLINE void store_column(double *out, int block, const LyVec3 *column, int lane)
{
    for (int i = 0; i < 9; ++i) {
        ly_store(out + (9 * block + i) * WIDTH + lane, i % 3 ? ly_set(0) : column->v[i / 3]);
    }
}

LY_INLINE void store_scalar(double *out, int block, LyReal x, int lane)
{
    for (int i = 0; i < 9; ++i) {
        ly_store(out + (9 * block + i) * WIDTH + lane, i ? ly_set(0) : x);
    }
}

// blocks 00 01 02 03 04 11 12 13 14 22 23 24 33 34 44
LY_INLINE void store_tangent(double *out, const Joint *joint, const Square *H, int lane)
{
    const LyMat3 *F = &joint->a.F, *G = &joint->b.F;
    LyMat3 aa = turn_block(F, F, H, 0, 0), ab = turn_block(F, G, H, 0, 3);
    LyMat3 bb = turn_block(G, G, H, 3, 3), ba;
    for (int i = 0; i < 9; ++i) {
        ba.m[i / 3][i % 3] = ab.m[i % 3][i / 3];
    }
    LyReal one = ly_set(1), none = ly_set(0);
    const LyMat3 *const sides[3] = {&aa, &ab, &bb}, *const swapped[3] = {&aa, &ba, &bb};
    const LyReal first[3] = {one, none, none}, last[3] = {none, none, one};
    const LyReal second[3] = {-one, one, none}, third[3] = {none, -one, none};
    const LyReal fourth[3] = {none, one, -one};
    store_sum(out, 0, first, sides, lane);
    store_sum(out, 1, second, sides, lane);
    store_sum(out, 2, third, sides, lane);
    store_sum(out, 6, fourth, sides, lane);
    store_sum(out, 9, last, sides, lane);
    for (int i = 0; i < 9; ++i) {
        int r = i / 3, c = i % 3;
        ly_store(out + (9 * 5 + i) * WIDTH + lane,
                 (aa.m[r][c] + bb.m[r][c]) - (ab.m[r][c] + swapped[1]->m[r][c]));
    }
    for (int k = 0; k < 2; ++k) {
        LyReal angle = k ? joint->b.angle : joint->a.angle;
        LyVec3 a, b, x;
        for (int i = 0; i < 3; ++i) {
            a.v[i] = angle * H->m[i][6 + k];
            b.v[i] = angle * H->m[3 + i][6 + k];
        }
        a = ly_mat3_apply(F, &a);
        b = ly_mat3_apply(G, &b);
        for (int i = 0; i < 3; ++i) {
            x.v[i] = a.v[i] - b.v[i];
            a.v[i] = -a.v[i];
        }
        store_column(out, 3 + k, &a, lane);
        store_column(out, 7 + k, &x, lane);
        store_column(out, 10 + k, &b, lane);
    }
    LyReal x = joint->a.angle, y = joint->b.angle;
    store_scalar(out, 12, x * x * H->m[6][6], lane);
    store_scalar(out, 13, x * y * H->m[6][7], lane);
    store_scalar(out, 14, y * y * H->m[7][7], lane);
}

// the frames where the edges are now, and the strains there
LY_INLINE void store_history(const LyraBatch *batch, const Joint *joint, int lane)
{
    for (int which = 0; which < 2; ++which) {
        const Edge *edge = which ? &joint->b : &joint->a;
        Quaternion moved = multiply(&edge->frame, &edge->P);
        LyReal scale = 1.0 / ly_sqrt(dot4(&moved, &moved));
        for (int i = 0; i < 4; ++i) {
            int at = (which ? LY_ROD_FRAME_B : LY_ROD_FRAME_A) + i;
            ly_store(batch->trial_history + at * WIDTH + lane, moved.v[i] * scale);
        }
    }
    LyReal angle_a = joint->a.angle * ly_load(batch->u + 9 * WIDTH + lane);
    LyReal angle_b = joint->b.angle * ly_load(batch->u + 12 * WIDTH + lane);
    ly_store(batch->trial_history + LY_ROD_TURN * WIDTH + lane,
             joint->strain[2] - (angle_b - angle_a));
    for (int s = 0; s < 3; ++s) {
        ly_store(batch->trial_history + (LY_ROD_CURVATURE_1 + s) * WIDTH + lane, joint->strain[s]);
    }
}

// ---- over the lanes of a batch ------------------------------------------------------------------

// velocities of edges in their frames and of angles
LY_INLINE void load_rates(const LyraBatch *batch, const Joint *joint, LyReal rate[8], int lane)
{
    for (int which = 0; which < 2; ++which) {
        const double *from = batch->v + 3 * which * WIDTH + lane, *to = from + 3 * WIDTH;
        const Edge *edge = which ? &joint->b : &joint->a;
        LyVec3 e;
        for (int i = 0; i < 3; ++i) {
            e.v[i] = ly_load(to + i * WIDTH) - ly_load(from + i * WIDTH);
        }
        e = ly_mat3_apply_transposed(&edge->F, &e);
        for (int i = 0; i < 3; ++i) {
            rate[3 * which + i] = e.v[i];
        }
        rate[6 + which] = edge->angle * ly_load(batch->v + 3 * (3 + which) * WIDTH + lane);
    }
}

LY_INLINE void evaluate_joint(const LyraBatch *batch, bool damped, int lane)
{
    Joint joint = load_joint(batch, lane);
    LyReal moment[3], energy = ly_set(0);
    for (int s = 0; s < 3; ++s) {
        moment[s] = joint.stiffness[s] * joint.change[s];
        energy += 0.5 * moment[s] * joint.change[s];
    }
    if (batch->energy) {
        ly_store(batch->energy + lane, energy);
    }
    if (batch->trial_history) {
        store_history(batch, &joint, lane);
    }
    if (!batch->gradient && !batch->dfdx && !(damped && batch->dfdv)) {
        return;
    }
    Quaternion by_q[3];
    find_slopes(&joint, by_q);
    Slopes motion = find_motion(&joint);
    LyReal b[3][8], gradient[8], total[3], viscous[3], rate[8];
    for (int s = 0; s < 3; ++s) {
        total[s] = moment[s];
        for (int i = 0; i < 8; ++i) {
            b[s][i] = dot4(&by_q[s], &motion.of[i]);
        }
    }
    if (damped) {
        LyReal damping = load_parameter(batch, LYRA_ROD_DAMPING, lane);
        load_rates(batch, &joint, rate, lane);
        for (int s = 0; s < 3; ++s) {
            LyReal speed = ly_set(0);
            for (int i = 0; i < 8; ++i) {
                speed += b[s][i] * rate[i];
            }
            viscous[s] = damping * joint.stiffness[s];
            total[s] += viscous[s] * speed;
        }
    }
    if (batch->gradient) {
        for (int i = 0; i < 8; ++i) {
            gradient[i] = total[0] * b[0][i] + total[1] * b[1][i] + total[2] * b[2][i];
        }
        store_gradient(batch->gradient, &joint, gradient, lane);
    }
    Square H;
    if (batch->dfdx) {
        set_zero(&H);
        add_products(&H, joint.stiffness, b);
        if (!batch->psd && damped) {
            for (int k = 0; k < 3; ++k) {
                const Viscous of = {k, total[k], viscous[k], b[k], rate};
                add_viscous(&H, &joint, &motion, by_q, &of);
            }
        } else if (!batch->psd) {
            add_curved(&H, &joint, &motion, moment, by_q);
        }
        store_tangent(batch->dfdx, &joint, &H, lane);
    }
    if (damped && batch->dfdv) {
        set_zero(&H);
        add_products(&H, viscous, b);
        store_tangent(batch->dfdv, &joint, &H, lane);
    }
}

#define DEFINE_JOINT(name, damped)                                                                 \
    void LY_KERNEL(name)(const void *self, const LyraBatch *batch, LyraArena *scratch)             \
    {                                                                                              \
        (void)self;                                                                                \
        (void)scratch;                                                                             \
        for (int lane = 0; lane < WIDTH; lane += LY_LANES) {                                       \
            evaluate_joint(batch, damped, lane);                                                   \
        }                                                                                          \
    }

DEFINE_JOINT(ly_rod_joint, false)
DEFINE_JOINT(ly_rod_joint_damped, true)
