// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Stretch and shear of a triangle of cloth [BW98]. The fabric lies in the plane (u, v), where the
// triangle is M = (uv_1 - uv_0, uv_2 - uv_0). With (c^u_1 c^v_1; c^u_2 c^v_2) = M^-1,
//   w_d = c^d_1 (x_1 - x_0) + c^d_2 (x_2 - x_0),   d = u, v
// are the images of the unit vectors of the fabric. With a factor a of the triangle's area
//   E = k a^2/2 [(|w_u| - b_u)^2 + (|w_v| - b_v)^2] + k_s a^2/2 s^2,   s = w_u.w_v.
// In terms of w = (w_u, w_v), with n = w_d/|w_d|,
//   dE/dw_d = k a^2 (|w_d| - b_d) n + k_s a^2 s w_(other)                                      (1)
//   H_dd    = k a^2 [n n^T + (1 - b_d/|w_d|) (1 - n n^T)] + k_s a^2 w_o w_o^T                  (2)
//   H_uv    = k_s a^2 (w_v w_u^T + s 1)                                                        (3)
// and the nodes have f_m = sum over d of c^d_m dE/dw_d, K_mn = sum of c^d_m c^e_n H_de.
//
// Where |w_d| = 0 there is no direction: n = 0, and the bracket of (2) is 1.
//
// Positive part. Of stretch: the bracket of (2) not below 0. Of shear: with N = |w_u|^2 + |w_v|^2,
// a = (w_u + w_v)/|..|, d = (w_v - w_u)/|..|, its six eigenvectors and values, over k_s a^2, are
//   (y, y), y normal to a:   s  (twice)        (y, -y), y normal to d:   -s  (twice)
//   (e_u, e_v): N/2 +- r,  r = sqrt(N^2 + 12 s^2)/2,                                           (4)
//   e_u, e_v = (cos p a +- sin p d)/sqrt 2,  cos 2p = 2 s/r,
// the last of which is negative with the lower sign. A triangle whose whole H is positive already
// (LDL^T) keeps it.
//
// Damping of each condition C with rate C' = dC/dx.v adds k_d C' dC/dx to the gradient,
// k_d dC/dx dC/dx^T to dfdv and, which is not symmetric and has no sign,
//   k_d [dC/dx (d2C/dx2 v)^T + C' d2C/dx2]                                                     (5)
// to dfdx, but not in the PSD mode.

#include "force/cloth.h"
#include "math/mat3_lanes.h"

#define WIDTH LYRA_BATCH_WIDTH

typedef enum Damping { UNDAMPED, DAMPED, DAMPED_SYMMETRIC } Damping;

typedef struct Triangle {
    LyReal c[2][3];            // [u, v][node]
    LyVec3 w[2], n[2];         // n: 0 where w is
    LyReal extension[2];       // |w| - b
    LyReal bracket[2];         // 1 - b/|w|
    LyReal s;                  // w_u.w_v
    LyReal stretch, shear;     // k a^2
    LyReal factor, inverse[2]; // a^2; 1/|w|
} Triangle;

// H in terms of w: blocks uu, uv, vu, vv
typedef struct Form {
    LyMat3 H[2][2];
} Form;

LY_INLINE LyReal load_parameter(const LyraBatch *batch, int parameter, int lane)
{
    return ly_load(batch->parameters + parameter * WIDTH + lane);
}

LY_INLINE LyReal load_constant(const LyraBatch *batch, int constant, int lane)
{
    return ly_load(batch->constants + constant * WIDTH + lane);
}

// sum of c^d_k (x_k - x_0)
LY_INLINE LyVec3 find_image(const LyReal c[3], const double *x, int lane)
{
    LyVec3 w;
    for (int i = 0; i < 3; ++i) {
        LyReal x0 = ly_load(x + i * WIDTH + lane);
        w.v[i] = c[1] * (ly_load(x + (3 + i) * WIDTH + lane) - x0) +
                 c[2] * (ly_load(x + (6 + i) * WIDTH + lane) - x0);
    }
    return w;
}

LY_INLINE Triangle load_triangle(const LyraBatch *batch, int lane)
{
    Triangle t;
    for (int d = 0; d < 2; ++d) {
        t.c[d][1] = load_constant(batch, LY_CLOTH_U1 + 2 * d, lane);
        t.c[d][2] = load_constant(batch, LY_CLOTH_U2 + 2 * d, lane);
        t.c[d][0] = -(t.c[d][1] + t.c[d][2]);
        t.w[d] = find_image(t.c[d], batch->x, lane);
        LyReal square = ly_vec3_dot(&t.w[d], &t.w[d]);
        LyMask collapsed = ly_less(square, ly_set(0x1p-1022));
        LyReal length = ly_sqrt(square), b = load_parameter(batch, LYRA_CLOTH_REST_U + d, lane);
        t.inverse[d] = ly_select(collapsed, ly_set(0), 1.0 / length);
        t.extension[d] = length - b;
        t.bracket[d] = 1.0 - b * t.inverse[d];
        for (int i = 0; i < 3; ++i) {
            t.n[d].v[i] = t.w[d].v[i] * t.inverse[d];
        }
    }
    t.s = ly_vec3_dot(&t.w[0], &t.w[1]);
    t.factor = load_constant(batch, LY_CLOTH_FACTOR, lane);
    t.stretch = load_parameter(batch, LYRA_CLOTH_STRETCH, lane) * t.factor;
    t.shear = load_parameter(batch, LYRA_CLOTH_SHEAR, lane) * t.factor;
    return t;
}

// ---- the exact H --------------------------------------------------------------------------------

// A += x a b^T
LY_INLINE void add_outer(LyMat3 *A, LyReal x, const LyVec3 *a, const LyVec3 *b)
{
    for (int i = 0; i < 3; ++i) {
        LyReal xa = x * a->v[i];
        for (int j = 0; j < 3; ++j) {
            A->m[i][j] += xa * b->v[j];
        }
    }
}

LY_INLINE LyMat3 zero_matrix(void)
{
    LyMat3 A;
    for (int k = 0; k < 9; ++k) {
        A.m[k / 3][k % 3] = ly_set(0);
    }
    return A;
}

// A += x 1
LY_INLINE void add_unit(LyMat3 *A, LyReal x)
{
    for (int i = 0; i < 3; ++i) {
        A->m[i][i] += x;
    }
}

// (2) of stretch alone, the bracket as given
LY_INLINE LyMat3 make_stretch(const Triangle *t, int d, LyReal bracket)
{
    LyMat3 H = zero_matrix();
    add_outer(&H, t->stretch * (1.0 - bracket), &t->n[d], &t->n[d]);
    add_unit(&H, t->stretch * bracket);
    return H;
}

LY_INLINE void transpose(const LyMat3 *A, LyMat3 *out)
{
    for (int k = 0; k < 9; ++k) {
        out->m[k / 3][k % 3] = A->m[k % 3][k / 3];
    }
}

// H_vu is left
LY_INLINE void make_exact(const Triangle *t, Form *f)
{
    for (int d = 0; d < 2; ++d) {
        f->H[d][d] = make_stretch(t, d, t->bracket[d]);
        add_outer(&f->H[d][d], t->shear, &t->w[1 - d], &t->w[1 - d]);
    }
    f->H[0][1] = zero_matrix();
    add_outer(&f->H[0][1], t->shear, &t->w[1], &t->w[0]);
    add_unit(&f->H[0][1], t->shear * t->s);
}

// ---- the positive H -----------------------------------------------------------------------------

// a/|a|, 0 where it has no length
LY_INLINE LyVec3 unit_of(const LyVec3 *a)
{
    LyReal square = ly_vec3_dot(a, a);
    LyReal inverse =
        ly_select(ly_less(square, ly_set(0x1p-1022)), ly_set(0), 1.0 / ly_sqrt(square));
    return (LyVec3){{a->v[0] * inverse, a->v[1] * inverse, a->v[2] * inverse}};
}

// (4)
LY_INLINE void make_positive(const Triangle *t, Form *f)
{
    const LyVec3 *wu = &t->w[0], *wv = &t->w[1];
    LyReal zero = ly_set(0), N = ly_vec3_dot(wu, wu) + ly_vec3_dot(wv, wv), s = t->s;
    LyReal r = 0.5 * ly_sqrt(N * N + 12.0 * s * s);
    LyReal cosine = ly_select(ly_greater(r, zero), 2.0 * s / r, zero);
    LyVec3 sum, difference, e[2];
    for (int i = 0; i < 3; ++i) {
        sum.v[i] = wu->v[i] + wv->v[i];
        difference.v[i] = wv->v[i] - wu->v[i];
    }
    LyVec3 a = unit_of(&sum), d = unit_of(&difference);
    // with the root of 2 in them
    LyReal ca = 0.5 * ly_sqrt(ly_max(zero, 1.0 + cosine));
    LyReal sa = 0.5 * ly_sqrt(ly_max(zero, 1.0 - cosine));
    for (int i = 0; i < 3; ++i) {
        e[0].v[i] = ca * a.v[i] + sa * d.v[i];
        e[1].v[i] = ca * a.v[i] - sa * d.v[i];
    }
    LyReal top = t->shear * (0.5 * N + r);
    // of (y, y) and (y, -y), a half each
    LyReal same = 0.5 * t->shear * ly_max(zero, s), other = 0.5 * t->shear * ly_max(zero, -s);
    for (int k = 0; k < 2; ++k) {
        f->H[k][k] = make_stretch(t, k, ly_max(zero, t->bracket[k]));
        add_outer(&f->H[k][k], top, &e[k], &e[k]);
        add_outer(&f->H[k][k], -same, &a, &a);
        add_outer(&f->H[k][k], -other, &d, &d);
        add_unit(&f->H[k][k], same + other);
    }
    f->H[0][1] = zero_matrix();
    add_outer(&f->H[0][1], top, &e[0], &e[1]);
    add_outer(&f->H[0][1], -same, &a, &a);
    add_outer(&f->H[0][1], other, &d, &d);
    add_unit(&f->H[0][1], same - other);
}

// entry (i, j) of the lower triangle of H as six rows
LY_INLINE LyReal entry(const Form *f, int i, int j)
{
    return i >= 3 && j < 3 ? f->H[0][1].m[j][i - 3] : f->H[i / 3][i / 3].m[i % 3][j % 3];
}

// lanes in which H + e 1 = L D L^T has positive pivots, e above the rounding of the factors
LY_INLINE LyMask find_positive(const Form *f)
{
    LyReal G[6][6], L[6][6], inverse[6]; // G = L D
    LyReal slack = ly_set(0), zero = ly_set(0), one = ly_set(1), least = one;
    for (int i = 0; i < 6; ++i) {
        slack += 1e-14 * ly_abs(entry(f, i, i));
    }
    for (int i = 0; i < 6; ++i) {
        LyReal pivot = entry(f, i, i) + slack;
        for (int j = 0; j < i; ++j) {
            LyReal sum = entry(f, i, j);
            for (int k = 0; k < j; ++k) {
                sum -= G[i][k] * L[j][k];
            }
            G[i][j] = sum;
            L[i][j] = sum * inverse[j];
            pivot -= sum * L[i][j];
        }
        // 1 once one was not positive, for nothing to overflow
        LyMask positive = ly_greater(pivot, zero);
        least = ly_select(positive, least, zero);
        inverse[i] = 1.0 / ly_select(positive, pivot, one);
    }
    return ly_greater(least, zero);
}

LY_INLINE void make_form(const Triangle *t, bool psd, Form *f)
{
    make_exact(t, f);
    if (!psd) {
        return;
    }
    Form positive;
    make_positive(t, &positive);
    LyMask keep = find_positive(f);
    f->H[0][0] = ly_mat3_select(keep, &f->H[0][0], &positive.H[0][0]);
    f->H[0][1] = ly_mat3_select(keep, &f->H[0][1], &positive.H[0][1]);
    f->H[1][1] = ly_mat3_select(keep, &f->H[1][1], &positive.H[1][1]);
}

// ---- damping ------------------------------------------------------------------------------------

typedef struct Rates {
    LyVec3 w[2];           // of w
    LyReal length[2], s;   // of |w|, of s
    LyReal stretch, shear; // k_d a^2
} Rates;

LY_INLINE Rates load_rates(const LyraBatch *batch, const Triangle *t, int lane)
{
    Rates r;
    for (int d = 0; d < 2; ++d) {
        r.w[d] = find_image(t->c[d], batch->v, lane);
        r.length[d] = ly_vec3_dot(&t->n[d], &r.w[d]);
    }
    r.s = ly_vec3_dot(&t->w[1], &r.w[0]) + ly_vec3_dot(&t->w[0], &r.w[1]);
    r.stretch = load_parameter(batch, LYRA_CLOTH_STRETCH_DAMPING, lane) * t->factor;
    r.shear = load_parameter(batch, LYRA_CLOTH_SHEAR_DAMPING, lane) * t->factor;
    return r;
}

LY_INLINE void make_damping(const Triangle *t, const Rates *r, Form *f)
{
    for (int d = 0; d < 2; ++d) {
        f->H[d][d] = zero_matrix();
        add_outer(&f->H[d][d], r->stretch, &t->n[d], &t->n[d]);
        add_outer(&f->H[d][d], r->shear, &t->w[1 - d], &t->w[1 - d]);
    }
    f->H[0][1] = zero_matrix();
    add_outer(&f->H[0][1], r->shear, &t->w[1], &t->w[0]);
    transpose(&f->H[0][1], &f->H[1][0]);
}

// (5), or its symmetric part
LY_INLINE void add_turning(const Triangle *t, const Rates *r, bool symmetric, Form *f)
{
    LyReal half = ly_set(symmetric ? 0.5 : 1);
    for (int d = 0; d < 2; ++d) {
        // d2|w|/dw2 = (1 - n n^T)/|w|
        LyReal x = r->stretch * t->inverse[d];
        LyVec3 across;
        for (int i = 0; i < 3; ++i) {
            across.v[i] = r->w[d].v[i] - r->length[d] * t->n[d].v[i];
        }
        add_outer(&f->H[d][d], -x * r->length[d], &t->n[d], &t->n[d]);
        add_unit(&f->H[d][d], x * r->length[d]);
        add_outer(&f->H[d][d], half * x, &t->n[d], &across);
        // ds/dw = (w_v, w_u), its rate the same of the rates
        add_outer(&f->H[d][d], half * r->shear, &t->w[1 - d], &r->w[1 - d]);
        if (symmetric) {
            add_outer(&f->H[d][d], half * x, &across, &t->n[d]);
            add_outer(&f->H[d][d], half * r->shear, &r->w[1 - d], &t->w[1 - d]);
        }
    }
    add_outer(&f->H[0][1], half * r->shear, &t->w[1], &r->w[0]);
    add_unit(&f->H[0][1], r->shear * r->s);
    if (symmetric) {
        add_outer(&f->H[0][1], half * r->shear, &r->w[1], &t->w[0]);
    } else {
        add_outer(&f->H[1][0], half * r->shear, &t->w[0], &r->w[1]);
        add_unit(&f->H[1][0], r->shear * r->s);
    }
}

// ---- to the nodes -------------------------------------------------------------------------------

// f += x a
LY_INLINE void add_scaled(LyVec3 *f, LyReal x, const LyVec3 *a)
{
    for (int i = 0; i < 3; ++i) {
        f->v[i] += x * a->v[i];
    }
}

// (1)
LY_INLINE void store_gradient(const LyraBatch *batch, const Triangle *t, const Rates *r, int lane)
{
    LyVec3 f[3] = {{{ly_set(0), ly_set(0), ly_set(0)}}};
    f[2] = f[1] = f[0];
    for (int d = 0; d < 2; ++d) {
        LyVec3 g = f[0];
        add_scaled(&g, t->stretch * t->extension[d], &t->n[d]);
        add_scaled(&g, t->shear * t->s, &t->w[1 - d]);
        if (r) {
            add_scaled(&g, r->stretch * r->length[d], &t->n[d]);
            add_scaled(&g, r->shear * r->s, &t->w[1 - d]);
        }
        add_scaled(&f[1], t->c[d][1], &g);
        add_scaled(&f[2], t->c[d][2], &g);
    }
    for (int i = 0; i < 3; ++i) {
        ly_store(batch->gradient + i * WIDTH + lane, -(f[1].v[i] + f[2].v[i]));
        ly_store(batch->gradient + (3 + i) * WIDTH + lane, f[1].v[i]);
        ly_store(batch->gradient + (6 + i) * WIDTH + lane, f[2].v[i]);
    }
}

LY_INLINE void store_block(double *out, int block, int lane, const LyMat3 *K)
{
    ly_mat3_store_components(out + 9 * block * WIDTH + lane, WIDTH, K);
}

// a uu + b vv + c uv + d vu at (i, j)
LY_INLINE LyReal combine(const Triangle *t, const Form *f, int m, int n, int i, int j)
{
    return t->c[0][m] * t->c[0][n] * f->H[0][0].m[i][j] +
           t->c[1][m] * t->c[1][n] * f->H[1][1].m[i][j] +
           t->c[0][m] * t->c[1][n] * f->H[0][1].m[i][j] +
           t->c[1][m] * t->c[0][n] * f->H[1][0].m[i][j];
}

// Pairs (0, 1), (0, 2), (1, 2), as rows sum to zero: K_01 = - (K_11 + K_12^T), K_02 = - (K_12 +
// K_22); or all nine.
LY_INLINE void store_form(double *out, const Triangle *t, const Form *f, bool symmetric, int lane)
{
    LyMat3 K[3];
    for (int m = 0; m < 3 && !symmetric; ++m) {
        for (int n = 0; n < 3; ++n) {
            for (int k = 0; k < 9; ++k) {
                K[0].m[k / 3][k % 3] = combine(t, f, m, n, k / 3, k % 3);
            }
            store_block(out, 3 * m + n, lane, &K[0]);
        }
    }
    if (!symmetric) {
        return;
    }
    LyMat3 K12;
    for (int k = 0; k < 9; ++k) {
        K12.m[k / 3][k % 3] = combine(t, f, 1, 2, k / 3, k % 3);
    }
    for (int k = 0; k < 9; ++k) {
        int i = k / 3, j = k % 3;
        K[0].m[i][j] = -(combine(t, f, 1, 1, i, j) + K12.m[j][i]);
        K[1].m[i][j] = -(combine(t, f, 2, 2, i, j) + K12.m[i][j]);
    }
    store_block(out, 0, lane, &K[0]);
    store_block(out, 1, lane, &K[1]);
    store_block(out, 2, lane, &K12);
}

LY_INLINE void store_zeros(double *out, int count, int lane)
{
    for (int k = 0; k < count; ++k) {
        ly_store(out + k * WIDTH + lane, ly_set(0));
    }
}

// ---- over the lanes of a batch ------------------------------------------------------------------

LY_INLINE void evaluate_triangle(const LyClothForce *force, const LyraBatch *batch, Damping damping,
                                 int lane)
{
    bool symmetric = damping != DAMPED;
    Triangle t = load_triangle(batch, lane);
    Rates rates, *r = NULL;
    if (damping != UNDAMPED) {
        rates = load_rates(batch, &t, lane);
        r = &rates;
    }
    if (batch->energy) {
        LyReal e =
            0.5 * t.stretch * (t.extension[0] * t.extension[0] + t.extension[1] * t.extension[1]) +
            0.5 * t.shear * t.s * t.s;
        ly_store(batch->energy + lane, force->force ? e : ly_set(0));
    }
    if (batch->gradient && force->force) {
        store_gradient(batch, &t, r, lane);
    } else if (batch->gradient) {
        store_zeros(batch->gradient, 9, lane);
    }
    int numbers = symmetric ? 27 : 81;
    if (batch->dfdx && force->stiffness) {
        Form f;
        make_form(&t, batch->psd, &f);
        transpose(&f.H[0][1], &f.H[1][0]);
        if (r && !batch->psd) {
            add_turning(&t, r, symmetric, &f);
        }
        if (r && symmetric && !batch->psd) {
            transpose(&f.H[0][1], &f.H[1][0]);
        }
        store_form(batch->dfdx, &t, &f, symmetric, lane);
    } else if (batch->dfdx) {
        store_zeros(batch->dfdx, numbers, lane);
    }
    if (r && batch->dfdv && force->stiffness) {
        Form f;
        make_damping(&t, r, &f);
        store_form(batch->dfdv, &t, &f, symmetric, lane);
    } else if (batch->dfdv) {
        store_zeros(batch->dfdv, numbers, lane);
    }
}

#define DEFINE_KERNEL(name, damping)                                                               \
    void LY_KERNEL(name)(const void *self, const LyraBatch *batch, LyraArena *scratch)             \
    {                                                                                              \
        (void)scratch;                                                                             \
        for (int lane = 0; lane < WIDTH; lane += LY_LANES) {                                       \
            evaluate_triangle(self, batch, damping, lane);                                         \
        }                                                                                          \
    }

DEFINE_KERNEL(ly_cloth_stretch, UNDAMPED)
DEFINE_KERNEL(ly_cloth_stretch_damped, DAMPED)
DEFINE_KERNEL(ly_cloth_stretch_damped_symmetric, DAMPED_SYMMETRIC)
