// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The energy that limits the stretches of triangles. F = (w_u, w_v) = sum of u_i s_i v_i^T with
// s_1 >= s_2 >= 0, n = u_1 x u_2, and with the area A at rest
//   E = A [W(s_1) + W(s_2)],   W(s) = k/3 [(s - high)_+^3 + (low - s)_+^3],
//   W' = k [(s - high)_+^2 - (low - s)_+^2],   W'' = 2 k [(s - high)_+ + (low - s)_+].
// dE/dF = A sum of W_i' u_i v_i^T, and its derivative has, over A, the eigenvalues and matrices
//   W_i''                            u_i v_i^T
//   (W_1' - W_2')/(s_1 - s_2)        (u_1 v_2^T + u_2 v_1^T)/sqrt 2
//   (W_1' + W_2')/(s_1 + s_2)        (u_1 v_2^T - u_2 v_1^T)/sqrt 2                            (1)
//   W_i'/s_i                         n v_i^T
// all of which the positive tangent keeps from being negative. Differences of squares are divided
// by hand, so that equal stretches cost no digits; s_1 + s_2 and s_i are floored at 1e-6. A node m
// has b_m = (c^u_m, c^v_m), f_m = dE/dF b_m, and a matrix D of (1) gives it the vector D b_m.
//
// s_1 from the eigenvalues of F^T F, s_2 = |w_u x w_v|/s_1, which keeps its digits. Where there is
// no area, n is any normal of u_1.

#include "force/strain_limit.h"
#include "math/mat3_lanes.h"

#define WIDTH LYRA_BATCH_WIDTH
#define FLOOR 1e-6

typedef struct Triangle {
    LyReal b[2][2]; // [node 1, 2][along v_1, v_2]
    LyVec3 u[2], n;
    LyReal s[2];
    LyReal over[2], under[2]; // (s - high)_+, (low - s)_+
    LyReal slope[2];          // W', over k
    LyReal stiffness;         // k A
} Triangle;

LY_INLINE LyReal load(const double *from, int i, int lane)
{
    return ly_load(from + i * WIDTH + lane);
}

LY_INLINE LyVec3 combine(LyReal a, const LyVec3 *x, LyReal b, const LyVec3 *y)
{
    LyVec3 sum;
    for (int i = 0; i < 3; ++i) {
        sum.v[i] = a * x->v[i] + b * y->v[i];
    }
    return sum;
}

LY_INLINE LyVec3 select3(LyMask mask, const LyVec3 *a, const LyVec3 *b)
{
    LyVec3 out;
    for (int i = 0; i < 3; ++i) {
        out.v[i] = ly_select(mask, a->v[i], b->v[i]);
    }
    return out;
}

// a unit vector normal to the unit vector a: from the axis that it is least along
LY_INLINE LyVec3 any_normal(const LyVec3 *a)
{
    LyReal zero = ly_set(0), one = ly_set(1), x = ly_abs(a->v[0]), y = ly_abs(a->v[1]);
    LyReal z = ly_abs(a->v[2]);
    LyMask first = ly_and(ly_less_equal(x, y), ly_less_equal(x, z)), second = ly_less_equal(y, z);
    LyVec3 axis = {{ly_select(first, one, zero),
                    ly_select(first, zero, ly_select(second, one, zero)),
                    ly_select(first, zero, ly_select(second, zero, one))}};
    LyVec3 n = ly_vec3_cross(a, &axis);
    LyReal inverse = 1.0 / ly_sqrt(ly_vec3_dot(&n, &n));
    return combine(inverse, &n, zero, &n);
}

// s, u, n, and the angle of v_1 in (u, v)
LY_INLINE void decompose(const LyVec3 *wu, const LyVec3 *wv, Triangle *t, LyReal *c, LyReal *s)
{
    LyReal zero = ly_set(0), one = ly_set(1), tiny = ly_set(0x1p-1000);
    LyReal uu = ly_vec3_dot(wu, wu), vv = ly_vec3_dot(wv, wv), uv = ly_vec3_dot(wu, wv);
    LyReal half = 0.5 * (uu - vv), r = ly_sqrt(half * half + uv * uv);
    LyMask round = ly_less(r, tiny);
    LyReal safe = ly_select(round, one, r);
    LyReal large = ly_sqrt(0.5 * (1.0 + ly_select(round, one, ly_abs(half) / safe)));
    LyReal small = ly_select(round, zero, ly_abs(uv) / (2.0 * safe * large));
    LyMask along = ly_greater_equal(half, zero);
    *c = ly_select(along, large, small);
    *s = ly_copysign(ly_select(along, small, large), uv);
    t->s[0] = ly_sqrt(0.5 * (uu + vv) + r);
    LyMask collapsed = ly_less(t->s[0], tiny);
    LyReal inverse = ly_select(collapsed, zero, 1.0 / ly_select(collapsed, one, t->s[0]));
    LyVec3 axis = {{one, zero, zero}};
    t->u[0] = combine(*c * inverse, wu, *s * inverse, wv);
    t->u[0] = select3(collapsed, &axis, &t->u[0]);
    LyVec3 cross = ly_vec3_cross(wu, wv);
    LyReal area = ly_sqrt(ly_vec3_dot(&cross, &cross));
    LyMask flat = ly_less(area, tiny);
    LyVec3 any = any_normal(&t->u[0]);
    t->n = combine(1.0 / ly_select(flat, one, area), &cross, zero, &cross);
    t->n = select3(flat, &any, &t->n);
    t->u[1] = ly_vec3_cross(&t->n, &t->u[0]);
    t->s[1] = ly_select(flat, zero, area * inverse);
}

LY_INLINE Triangle load_triangle(const LyraBatch *batch, int lane)
{
    Triangle t;
    LyVec3 e[2], w[2];
    LyReal u[2] = {load(batch->constants, LY_CLOTH_U1, lane),
                   load(batch->constants, LY_CLOTH_U2, lane)};
    LyReal v[2] = {load(batch->constants, LY_CLOTH_V1, lane),
                   load(batch->constants, LY_CLOTH_V2, lane)};
    for (int i = 0; i < 3; ++i) {
        e[0].v[i] = load(batch->x, 3 + i, lane) - load(batch->x, i, lane);
        e[1].v[i] = load(batch->x, 6 + i, lane) - load(batch->x, i, lane);
    }
    w[0] = combine(u[0], &e[0], u[1], &e[1]);
    w[1] = combine(v[0], &e[0], v[1], &e[1]);
    LyReal c, s, zero = ly_set(0), low = load(batch->parameters, LYRA_STRAIN_LIMIT_LOW, lane);
    LyReal high = load(batch->parameters, LYRA_STRAIN_LIMIT_HIGH, lane);
    decompose(&w[0], &w[1], &t, &c, &s);
    for (int m = 0; m < 2; ++m) {
        t.b[m][0] = c * u[m] + s * v[m];
        t.b[m][1] = c * v[m] - s * u[m];
    }
    for (int i = 0; i < 2; ++i) {
        t.over[i] = ly_max(zero, t.s[i] - high);
        t.under[i] = ly_max(zero, low - t.s[i]);
        t.slope[i] = t.over[i] * t.over[i] - t.under[i] * t.under[i];
    }
    t.stiffness = load(batch->parameters, LYRA_STRAIN_LIMIT_STIFFNESS, lane) *
                  load(batch->constants, LY_CLOTH_FACTOR, lane);
    return t;
}

LY_INLINE void store_gradient(const LyraBatch *batch, const Triangle *t, int lane)
{
    LyVec3 f[2];
    for (int m = 0; m < 2; ++m) {
        f[m] = combine(t->stiffness * t->slope[0] * t->b[m][0], &t->u[0],
                       t->stiffness * t->slope[1] * t->b[m][1], &t->u[1]);
    }
    for (int i = 0; i < 3; ++i) {
        ly_store(batch->gradient + i * WIDTH + lane, -(f[0].v[i] + f[1].v[i]));
        ly_store(batch->gradient + (3 + i) * WIDTH + lane, f[0].v[i]);
        ly_store(batch->gradient + (6 + i) * WIDTH + lane, f[1].v[i]);
    }
}

// adds value g g^T to the blocks (0, 1), (0, 2), (1, 2), g_m = D b_m and g_0 = -(g_1 + g_2)
LY_INLINE void add_direction(LyMat3 K[3], LyReal value, const LyVec3 *g1, const LyVec3 *g2)
{
    LyVec3 g0 = combine(ly_set(-1), g1, ly_set(-1), g2);
    const LyVec3 *left[3] = {&g0, &g0, g1}, *right[3] = {g1, g2, g2};
    for (int k = 0; k < 27; ++k) {
        int i = k / 3 % 3, j = k % 3, p = k / 9;
        K[p].m[i][j] += value * left[p]->v[i] * right[p]->v[j];
    }
}

// the six of (1)
LY_INLINE void store_tangent(const LyraBatch *batch, const Triangle *t, int lane)
{
    LyReal zero = ly_set(0), gap = ly_max(t->s[0] - t->s[1], ly_set(0x1p-1000)), values[6];
    // where the smaller stretch is over, both are, and so on
    LyReal both = t->over[0] + t->over[1], below = t->under[0] + t->under[1];
    LyReal high = ly_select(ly_greater(t->over[1], zero), both, t->over[0] * t->over[0] / gap);
    LyReal low = ly_select(ly_greater(t->under[0], zero), below, t->under[1] * t->under[1] / gap);
    for (int i = 0; i < 2; ++i) {
        values[i] = 2.0 * (t->over[i] + t->under[i]);
        values[4 + i] = t->slope[i] / ly_max(t->s[i], ly_set(FLOOR));
    }
    values[2] = 0.5 * (high + low);
    values[3] = 0.5 * (t->slope[0] + t->slope[1]) / ly_max(t->s[0] + t->s[1], ly_set(FLOOR));
    LyMat3 K[3];
    for (int k = 0; k < 27; ++k) {
        K[k / 9].m[k / 3 % 3][k % 3] = zero;
    }
    for (int d = 0; d < 6; ++d) {
        LyVec3 g[2];
        for (int m = 0; m < 2; ++m) {
            LyReal p = t->b[m][0], q = t->b[m][1];
            g[m] = d == 0   ? combine(p, &t->u[0], zero, &t->u[1])
                   : d == 1 ? combine(zero, &t->u[0], q, &t->u[1])
                   : d == 2 ? combine(q, &t->u[0], p, &t->u[1])
                   : d == 3 ? combine(q, &t->u[0], -p, &t->u[1])
                            : combine(t->b[m][d - 4], &t->n, zero, &t->n);
        }
        LyReal value = batch->psd ? ly_max(zero, values[d]) : values[d];
        add_direction(K, t->stiffness * value, &g[0], &g[1]);
    }
    for (int p = 0; p < 3; ++p) {
        ly_mat3_store_components(batch->dfdx + 9 * p * WIDTH + lane, WIDTH, &K[p]);
    }
}

void LY_KERNEL(ly_strain_limit)(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)self, (void)scratch;
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        Triangle t = load_triangle(batch, lane);
        if (batch->energy) {
            LyReal sum = ly_set(0);
            for (int i = 0; i < 2; ++i) {
                sum += t.over[i] * t.over[i] * t.over[i] + t.under[i] * t.under[i] * t.under[i];
            }
            ly_store(batch->energy + lane, t.stiffness * sum / 3.0);
        }
        if (batch->gradient) {
            store_gradient(batch, &t, lane);
        }
        if (batch->dfdx) {
            store_tangent(batch, &t, lane);
        }
    }
}
