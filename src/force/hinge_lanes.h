// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The angle of a hinge, an edge x_0 x_1 with the wings x_2 and x_3, and its first two derivatives,
// over the lanes of a batch. cloth_bend_kernel.c has the formulas.

#ifndef LY_FORCE_HINGE_LANES_H
#define LY_FORCE_HINGE_LANES_H

#include "math/elementary.h"
#include "math/mat3_lanes.h"

#define LY_PI 3.14159265358979323846

/// Pairs of the four nodes, in the order of the blocks.
enum { LY_HINGE_PAIRS = 6 };

typedef struct LyHinge {
    LyVec3 x[4];
    LyVec3 e, N[2]; // the edge; normals of both wings
    LyReal ee, length;
    LyReal NN[2]; // |N|^2
    LyReal t[2];  // of both wings along the edge
    LyMask dead;  // no force
    LyReal angle; // theta
} LyHinge;

LY_INLINE LyVec3 ly_hinge_subtract(const LyVec3 *a, const LyVec3 *b)
{
    return (LyVec3){{a->v[0] - b->v[0], a->v[1] - b->v[1], a->v[2] - b->v[2]}};
}

LY_INLINE LyVec3 ly_hinge_scale(LyReal x, const LyVec3 *a)
{
    return (LyVec3){{x * a->v[0], x * a->v[1], x * a->v[2]}};
}

/// The hinge of four places; its angle is in [-pi, pi], 0 flat.
LY_INLINE LyHinge ly_hinge_at(const LyVec3 x[4])
{
    LyHinge h;
    for (int k = 0; k < 4; ++k) {
        h.x[k] = x[k];
    }
    h.e = ly_hinge_subtract(&h.x[1], &h.x[0]);
    LyVec3 a = ly_hinge_subtract(&h.x[2], &h.x[0]), b = ly_hinge_subtract(&h.x[3], &h.x[0]);
    h.N[0] = ly_vec3_cross(&h.e, &a);
    h.N[1] = ly_vec3_cross(&b, &h.e);
    h.ee = ly_vec3_dot(&h.e, &h.e);
    h.length = ly_sqrt(h.ee);
    // heights below 1e-12 of the edge, and edges whose square is none
    LyReal least = 1e-24 * h.ee * h.ee + 0x1p-1022;
    h.dead = ly_less(h.ee, ly_set(0x1p-500));
    for (int w = 0; w < 2; ++w) {
        h.NN[w] = ly_vec3_dot(&h.N[w], &h.N[w]);
        h.dead = ly_or(h.dead, ly_less_equal(h.NN[w], least));
    }
    LyReal one = ly_set(1), inverse = 1.0 / ly_select(h.dead, one, h.ee);
    for (int w = 0; w < 2; ++w) {
        h.NN[w] = ly_select(h.dead, one, h.NN[w]);
    }
    h.t[0] = ly_vec3_dot(&a, &h.e) * inverse;
    h.t[1] = ly_vec3_dot(&b, &h.e) * inverse;
    h.angle = ly_atan2_lanes(-(h.length * ly_vec3_dot(&h.N[0], &b)), ly_vec3_dot(&h.N[0], &h.N[1]));
    return h;
}

/// A difference of angles within [-pi, pi], of one within [-3 pi, 3 pi].
LY_INLINE LyReal ly_hinge_wrap(LyReal change)
{
    LyReal turn = ly_set(2 * LY_PI), zero = ly_set(0);
    change -= ly_select(ly_greater(change, ly_set(LY_PI)), turn, zero);
    change += ly_select(ly_less(change, ly_set(-LY_PI)), turn, zero);
    return change;
}

/// Of theta by the four places: (1) there.
LY_INLINE void ly_hinge_slopes(const LyHinge *h, LyVec3 g[4])
{
    for (int w = 0; w < 2; ++w) {
        LyReal x = ly_select(h->dead, ly_set(0), -h->length / h->NN[w]);
        g[2 + w] = ly_hinge_scale(x, &h->N[w]);
    }
    for (int i = 0; i < 3; ++i) {
        LyReal g2 = g[2].v[i], g3 = g[3].v[i];
        g[1].v[i] = -(h->t[0] * g2 + h->t[1] * g3);
        g[0].v[i] = -(g2 + g3) - g[1].v[i];
    }
}

/// Blocks of the second derivative, whose rows sum to zero: (2) there.
LY_INLINE void ly_hinge_curvatures(const LyHinge *h, LyMat3 H[LY_HINGE_PAIRS])
{
    LyReal zero = ly_set(0), one = ly_set(1);
    LyReal inverse = ly_select(h->dead, zero, 1.0 / ly_select(h->dead, one, h->length));
    LyVec3 along = ly_hinge_scale(inverse, &h->e), n[2], m[2];
    LyReal height[2], size[2]; // 1/h^2 with its sign, 1/|N|
    for (int w = 0; w < 2; ++w) {
        LyReal x = ly_select(h->dead, zero, 1.0 / ly_sqrt(h->NN[w]));
        n[w] = ly_hinge_scale(x, &h->N[w]);
        m[w] = ly_vec3_cross(&along, &n[w]);
        height[w] = (w ? 1.0 : -1.0) * (h->ee * x * x);
        size[w] = x;
    }
    LyReal square = inverse * inverse;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            LyReal sum = square * (m[0].v[i] * n[0].v[j] - m[1].v[i] * n[1].v[j]);
            for (int w = 0; w < 2; ++w) {
                LyReal t = h->t[w];
                LyReal D = height[w] * (m[w].v[i] * n[w].v[j] + n[w].v[i] * m[w].v[j]);
                LyReal o = size[w] * n[w].v[i] * along.v[j], p = size[w] * along.v[i] * n[w].v[j];
                sum += t * (1.0 - t) * D + t * o - (1.0 - t) * p;
                H[1 + w].m[i][j] = (t - 1.0) * D - o;
                H[3 + w].m[i][j] = o - t * D;
            }
            H[0].m[i][j] = sum;
            H[5].m[i][j] = zero;
        }
    }
}

#endif
