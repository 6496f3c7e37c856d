// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Springs between two vertices A and B. With z = x_B - x_A, l = |z|, n = z/l, P = 1 - n n^T and an
// energy psi(l), tension T = psi'(l) and axial stiffness kappa = psi''(l):
//   gradient     T n on B, - T n on A
//   tangent      H = kappa n n^T + (T/l) P;  blocks AA = BB = H, AB = BA = - H
//   eigenvalues  kappa along n, T/l (twice) across: negative where the spring is compressed, and
//   set
//                to 0 there in the PSD mode
//   contraction  (dH . a) b = (kappa - T/l)/l [ (n.a) P b + (n.b) P a + (Pa.Pb) n ]
//
//   mass-spring     psi = k/2 (l - l0)^2,  T = k (l - l0),  kappa = k
//   maxwell-spring  psi = k/2 e^2 + q0^2/(2 k1) + a q0 (e - e0) + g k1/2 (e - e0)^2 with e = l -
//   l0,
//                   e0 and q0 extension and tension of the branch at the beginning of the step,
//                   y = dt/tau, a = exp(-y), g = (1 - exp(-y))/y. Then q = a q0 + g k1 (e - e0) is
//                   the exact solution of q' + q/tau = k1 e' for an extension linear in time,
//                   T = k e + q and kappa = k + g k1. At dt = 0, a = g = 1. What it loses is the
//                   work of q, g q0 (e - e0) + (1 - g)/y k1 (e - e0)^2, less the growth of
//                   q^2/(2 k1).
//
// Damping adds to the gradient on B, with w = v_B - v_A:
//   full   d w,         by v: d 1,       by x: 0
//   along  d (n.w) n,   by v: d n n^T,   by x: d/l [ (n.w) P + n (P w)^T ], which is not symmetric
// The derivative by x has no sign, so the PSD mode leaves it out.
//
// A spring with a constant tangent has k 1 in place of H: n n^T + P of a spring as stiff across as
// along.
//
// Where z.z is below the smallest normal number a spring has no direction. There n = 0 and
// T/l = kappa: no force, tangent kappa 1, which is what a spring with l0 = 0 has anyway.

#include "force/springs.h"
#include "math/elementary.h"
#include "math/mat3_lanes.h"

#define WIDTH LYRA_BATCH_WIDTH

typedef struct Spring {
    LyVec3 n;
    LyReal length, inverse; // l and 1/l, 0 where collapsed
    LyMask collapsed;
    LyReal tension, kappa;
} Spring;

// how blocks are written: AB alone, or AA AB BA BB
typedef enum Layout { ONE_BLOCK, FOUR_BLOCKS } Layout;

// of B less A
LY_INLINE LyVec3 load_difference(const double *values, int lane)
{
    LyVec3 d;
    for (int i = 0; i < 3; ++i) {
        d.v[i] = ly_load(values + (3 + i) * WIDTH + lane) - ly_load(values + i * WIDTH + lane);
    }
    return d;
}

LY_INLINE LyReal load_parameter(const LyraBatch *batch, int parameter, int lane)
{
    return ly_load(batch->parameters + parameter * WIDTH + lane);
}

LY_INLINE Spring load_spring(const LyraBatch *batch, int lane)
{
    Spring s;
    LyVec3 z = load_difference(batch->x, lane);
    LyReal square = ly_vec3_dot(&z, &z);
    s.collapsed = ly_less(square, ly_set(0x1p-1022));
    s.length = ly_sqrt(square);
    s.inverse = ly_select(s.collapsed, ly_set(0), 1.0 / s.length);
    for (int i = 0; i < 3; ++i) {
        s.n.v[i] = z.v[i] * s.inverse;
    }
    return s;
}

// g on B, - g on A
LY_INLINE void store_pair(double *out, int lane, const LyVec3 *g)
{
    for (int i = 0; i < 3; ++i) {
        ly_store(out + i * WIDTH + lane, -g->v[i]);
        ly_store(out + (3 + i) * WIDTH + lane, g->v[i]);
    }
}

LY_INLINE void store_blocks(double *out, int lane, Layout layout, const LyMat3 *H)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double *at = out + (3 * i + j) * WIDTH + lane;
            if (layout == ONE_BLOCK) {
                ly_store(at, -H->m[i][j]);
                continue;
            }
            ly_store(at, H->m[i][j]);
            ly_store(at + 9 * WIDTH, -H->m[i][j]);
            ly_store(at + 18 * WIDTH, -H->m[i][j]);
            ly_store(at + 27 * WIDTH, H->m[i][j]);
        }
    }
}

// along n n^T + across (1 - n n^T)
LY_INLINE LyMat3 make_axial(const Spring *s, LyReal along, LyReal across)
{
    LyMat3 H;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            H.m[i][j] = (along - across) * s->n.v[i] * s->n.v[j];
        }
        H.m[i][i] += across;
    }
    return H;
}

// T/l
LY_INLINE LyReal find_transverse(const Spring *s)
{
    return ly_select(s->collapsed, s->kappa, s->tension * s->inverse);
}

LY_INLINE LyMat3 make_tangent(const Spring *s, bool psd)
{
    LyReal across = find_transverse(s);
    // the constant first, so that NaN stays
    return make_axial(s, s->kappa, psd ? ly_max(ly_set(0), across) : across);
}

LY_INLINE void store_contraction(const LyraBatch *batch, int lane, const Spring *s)
{
    LyVec3 a = load_difference(batch->a, lane), b = load_difference(batch->b, lane), c;
    LyReal scale = (s->kappa - find_transverse(s)) * s->inverse;
    LyReal na = ly_vec3_dot(&s->n, &a), nb = ly_vec3_dot(&s->n, &b),
           across = ly_vec3_dot(&a, &b) - na * nb;
    for (int i = 0; i < 3; ++i) {
        LyReal n = s->n.v[i];
        c.v[i] = scale * (na * (b.v[i] - nb * n) + nb * (a.v[i] - na * n) + across * n);
    }
    store_pair(batch->contraction, lane, &c);
}

// ---- mass-spring --------------------------------------------------------------------------------

LY_INLINE void add_full_damping(const LyraBatch *batch, int lane, LyReal d, LyVec3 *g)
{
    LyVec3 w = load_difference(batch->v, lane);
    for (int i = 0; i < 3; ++i) {
        g->v[i] += d * w.v[i];
    }
    if (batch->dfdv) {
        LyReal o = ly_set(0);
        LyMat3 D = {{{d, o, o}, {o, d, o}, {o, o, d}}};
        store_blocks(batch->dfdv, lane, ONE_BLOCK, &D);
    }
}

LY_INLINE void add_damping_along(const LyraBatch *batch, int lane, Layout layout, LyReal d,
                                 const Spring *s, LyVec3 *g, LyMat3 *H)
{
    LyVec3 w = load_difference(batch->v, lane), across;
    LyReal rate = ly_vec3_dot(&s->n, &w);
    for (int i = 0; i < 3; ++i) {
        g->v[i] += d * rate * s->n.v[i];
        across.v[i] = w.v[i] - rate * s->n.v[i];
    }
    if (batch->dfdv) {
        LyMat3 D = make_axial(s, d, ly_set(0));
        store_blocks(batch->dfdv, lane, layout, &D);
    }
    if (!batch->dfdx || batch->psd) {
        return;
    }
    LyReal scale = d * s->inverse;
    LyMat3 turning = make_axial(s, ly_set(0), scale * rate);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            LyReal product = s->n.v[i] * across.v[j];
            if (layout == ONE_BLOCK) {
                product = 0.5 * (product + across.v[i] * s->n.v[j]);
            }
            H->m[i][j] += turning.m[i][j] + scale * product;
        }
    }
}

LY_INLINE void evaluate_spring(const LyraBatch *batch, int lane, LyraSpringDampingKind damping,
                               Layout layout, bool constant)
{
    Spring s = load_spring(batch, lane);
    LyReal extension = s.length - load_parameter(batch, LYRA_SPRING_REST_LENGTH, lane);
    s.kappa = load_parameter(batch, LYRA_SPRING_STIFFNESS, lane);
    s.tension = s.kappa * extension;
    if (batch->energy) {
        ly_store(batch->energy + lane, 0.5 * s.tension * extension);
    }
    LyVec3 g;
    LyMat3 H;
    for (int i = 0; i < 3; ++i) {
        g.v[i] = s.tension * s.n.v[i];
    }
    if (batch->dfdx) {
        H = constant ? make_axial(&s, s.kappa, s.kappa) : make_tangent(&s, batch->psd);
    }
    if (damping == LYRA_SPRING_DAMPING_FULL) {
        add_full_damping(batch, lane, load_parameter(batch, LYRA_SPRING_DAMPING, lane), &g);
    } else if (damping == LYRA_SPRING_DAMPING_ALONG) {
        add_damping_along(batch, lane, layout, load_parameter(batch, LYRA_SPRING_DAMPING, lane), &s,
                          &g, &H);
    }
    if (batch->gradient) {
        store_pair(batch->gradient, lane, &g);
    }
    if (batch->dfdx) {
        store_blocks(batch->dfdx, lane, layout, &H);
    }
    if (batch->contraction) {
        store_contraction(batch, lane, &s);
    }
}

// ---- maxwell-spring -----------------------------------------------------------------------------

LY_INLINE void evaluate_maxwell(const LyraBatch *batch, int lane)
{
    Spring s = load_spring(batch, lane);
    LyReal k = load_parameter(batch, LYRA_MAXWELL_STIFFNESS, lane);
    LyReal k1 = load_parameter(batch, LYRA_MAXWELL_BRANCH_STIFFNESS, lane);
    LyReal q0 = ly_load(batch->history + LY_MAXWELL_TENSION * WIDTH + lane);
    LyReal e0 = ly_load(batch->history + LY_MAXWELL_EXTENSION * WIDTH + lane);
    LyReal decay = ly_set(1), growth = ly_set(1), y = ly_set(0);
    if (batch->dt > 0) {
        y = batch->dt / load_parameter(batch, LYRA_MAXWELL_RELAXATION_TIME, lane);
        LyExponential exponential = ly_exponential_lanes(-y);
        decay = exponential.value;
        growth = exponential.slope;
    }
    LyReal e = s.length - load_parameter(batch, LYRA_MAXWELL_REST_LENGTH, lane), change = e - e0;
    LyReal kept = decay * q0, gained = growth * k1 * change, q = kept + gained;
    s.tension = k * e + q;
    s.kappa = k + growth * k1;
    if (batch->trial_history) {
        ly_store(batch->trial_history + LY_MAXWELL_TENSION * WIDTH + lane, q);
        ly_store(batch->trial_history + LY_MAXWELL_EXTENSION * WIDTH + lane, e);
        LyMask small = ly_less(y, ly_set(0.01)); // cancels
        LyReal ramp = (1.0 - growth) / ly_select(small, ly_set(1), y);
        ramp = ly_select(small, 0.5 - y * (1.0 / 6 - (1.0 / 24) * y), ramp);
        LyReal grown = 0.5 * (q * q - q0 * q0) / ly_max(k1, ly_set(0x1p-1000));
        LyReal lost = change * (growth * q0 + ramp * k1 * change) -
                      ly_select(ly_greater(k1, ly_set(0)), grown, ly_set(0));
        LyReal before = ly_load(batch->history + LY_MAXWELL_LOST * WIDTH + lane);
        ly_store(batch->trial_history + LY_MAXWELL_LOST * WIDTH + lane, before + lost);
    }
    if (batch->energy) {
        // a branch without stiffness stores nothing
        LyReal stored = ly_select(ly_greater(k1, ly_set(0)), 0.5 * q0 * q0 / k1, ly_set(0));
        ly_store(batch->energy + lane, 0.5 * k * e * e + stored + change * (kept + 0.5 * gained));
    }
    if (batch->gradient) {
        LyVec3 g;
        for (int i = 0; i < 3; ++i) {
            g.v[i] = s.tension * s.n.v[i];
        }
        store_pair(batch->gradient, lane, &g);
    }
    if (batch->dfdx) {
        LyMat3 H = make_tangent(&s, batch->psd);
        store_blocks(batch->dfdx, lane, ONE_BLOCK, &H);
    }
    if (batch->contraction) {
        store_contraction(batch, lane, &s);
    }
}

// ---- over the lanes of a batch ------------------------------------------------------------------

#define DEFINE_KERNEL(name, call)                                                                  \
    void LY_KERNEL(name)(const void *self, const LyraBatch *batch, LyraArena *scratch)             \
    {                                                                                              \
        (void)self;                                                                                \
        (void)scratch;                                                                             \
        for (int lane = 0; lane < WIDTH; lane += LY_LANES) {                                       \
            call;                                                                                  \
        }                                                                                          \
    }

DEFINE_KERNEL(ly_spring_undamped,
              evaluate_spring(batch, lane, LYRA_SPRING_UNDAMPED, ONE_BLOCK, false))
DEFINE_KERNEL(ly_spring_full,
              evaluate_spring(batch, lane, LYRA_SPRING_DAMPING_FULL, ONE_BLOCK, false))
DEFINE_KERNEL(ly_spring_constant,
              evaluate_spring(batch, lane, LYRA_SPRING_UNDAMPED, ONE_BLOCK, true))
DEFINE_KERNEL(ly_spring_constant_full,
              evaluate_spring(batch, lane, LYRA_SPRING_DAMPING_FULL, ONE_BLOCK, true))
DEFINE_KERNEL(ly_spring_along,
              evaluate_spring(batch, lane, LYRA_SPRING_DAMPING_ALONG, FOUR_BLOCKS, false))
DEFINE_KERNEL(ly_spring_along_symmetric,
              evaluate_spring(batch, lane, LYRA_SPRING_DAMPING_ALONG, ONE_BLOCK, false))
DEFINE_KERNEL(ly_spring_maxwell, evaluate_maxwell(batch, lane))
