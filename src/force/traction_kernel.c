// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Loads on triangles with nodes x_0, x_1, x_2, edges e1 = x_1 - x_0, e2 = x_2 - x_0, normal
// n = e1 x e2 (twice the area long), amplitude c = c(t) times the factor of the triangle.
//
// Dead: with l a third of the load, gradient_a = -c l, energy -c l . sum_a u_a.
//
// Live: the rest traction is split as T = alpha E1 + beta E2 + T_n N. The tangent d = alpha e1 +
// beta e2 is carried by the surface, its size s = |alpha E1 + beta E2| stays:
//   gradient_a = -c/6 q,   q = s |n| d/|d| + T_n n.
// With m = n/|n|, w = d/|d|, Q = (1 - w w^T)/|d|, [a] the matrix of a x,
//   dq/de1 = s [ w (e2 x m)^T + |n| alpha Q ] - T_n [e2],
//   dq/de2 = s [ w (m x e1)^T + |n| beta Q ] + T_n [e1],   dq/dx_0 = -(dq/de1 + dq/de2),
// the same for each a. Where d or n vanish the direction is lost: the tangential part is left out.
//
// Closed: a pressure p on a closed surface is the gradient of p times the volume inside. With
// y_a = x_a - centre, energy c p/6 y_0 . (y_1 x y_2), gradient_0 = c p/6 y_1 x y_2 and so on in
// turn,
//   d gradient_0/dx_1 = -c p/6 [y_2],  d gradient_0/dx_2 = c p/6 [y_1],
//   d gradient_1/dx_2 = -c p/6 [y_0].
// Triangle by triangle this differs from the live form, not in the sum over a closed surface.
//
// Triangles of 6 nodes: with x(u, v) the quadratic surface, e1 = x_u, e2 = x_v at six points,
//   gradient_a = -c sum over points of w N_a q,  d gradient_a/dx_b = -c sum w N_a (dq/de1 N_b,u +
//   dq/de2 N_b,v).
// A closed one has the energy c p/3 sum w y . n, whose gradient is the sum over all triangles, and
// its tangents are symmetric in that sum: of each the symmetric part is kept.
//
// None of the tangents has a sign, so the PSD mode leaves them out.

#include "force/traction.h"
#include "math/mat3_lanes.h"

#define WIDTH LYRA_BATCH_WIDTH

LY_INLINE LyReal load_constant(const LyraBatch *batch, int lane, int index)
{
    return ly_load(batch->constants + index * WIDTH + lane);
}

// y_a = x_a - centre
LY_INLINE LyVec3 load_node(const LyraBatch *batch, int lane, int node)
{
    LyVec3 y;
    for (int i = 0; i < 3; ++i) {
        y.v[i] = load_constant(batch, lane, LY_TRACTION_REST + 3 * node + i) +
                 ly_load(batch->u + (3 * node + i) * WIDTH + lane);
    }
    return y;
}

LY_INLINE LyVec3 subtract(const LyVec3 *a, const LyVec3 *b)
{
    return (LyVec3){{a->v[0] - b->v[0], a->v[1] - b->v[1], a->v[2] - b->v[2]}};
}

LY_INLINE LyVec3 scale(const LyVec3 *a, LyReal factor)
{
    return (LyVec3){{a->v[0] * factor, a->v[1] * factor, a->v[2] * factor}};
}

// 1/sqrt(square), 0 where that is not a number to work with
LY_INLINE LyReal reciprocal_root(LyReal square)
{
    LyMask usable = ly_less(ly_set(1e-300), square);
    return ly_select(usable, 1.0 / ly_sqrt(ly_select(usable, square, ly_set(1))), ly_set(0));
}

// A += factor [a]
LY_INLINE void add_cross_matrix(LyMat3 *A, LyReal factor, const LyVec3 *a)
{
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        A->m[i][j] -= factor * a->v[k];
        A->m[i][k] += factor * a->v[j];
    }
}

LY_INLINE void store_vector(double *out, int lane, int node, const LyVec3 *value)
{
    for (int i = 0; i < 3; ++i) {
        ly_store(out + (3 * node + i) * WIDTH + lane, value->v[i]);
    }
}

LY_INLINE void store_zero_blocks(double *out, int lane, int blocks)
{
    for (int k = 0; k < 9 * blocks; ++k) {
        ly_store(out + k * WIDTH + lane, ly_set(0));
    }
}

LY_INLINE LyReal load_amplitude(const LyTraction *self, const LyraBatch *batch, int lane)
{
    double c = self->amplitude ? self->amplitude(self->user, batch->time) : 1;
    c *= 1 - batch->unloaded;
    return c * ly_load(batch->parameters + LYRA_TRACTION_FACTOR * WIDTH + lane);
}

// ---- dead ---------------------------------------------------------------------------------------

void LY_KERNEL(ly_traction_dead)(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)scratch;
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        LyReal c = load_amplitude(self, batch, lane), energy = ly_set(0);
        for (int i = 0; i < 3; ++i) {
            LyReal load = c * load_constant(batch, lane, LY_TRACTION_LOAD + i);
            LyReal sum = ly_set(0);
            for (int a = 0; a < 3; ++a) {
                sum += ly_load(batch->u + (3 * a + i) * WIDTH + lane);
                if (batch->gradient) {
                    ly_store(batch->gradient + (3 * a + i) * WIDTH + lane, -load);
                }
            }
            energy -= load * sum;
        }
        if (batch->energy) {
            ly_store(batch->energy + lane, energy);
        }
        if (batch->dfdx) {
            store_zero_blocks(batch->dfdx, lane, 6);
        }
    }
}

// ---- live ---------------------------------------------------------------------------------------

typedef struct Live {
    LyVec3 e1, e2, n, m, w; // edges, normal and its unit, unit tangent
    LyReal alpha, beta, tangent, normal, length, d_reciprocal;
} Live;

// `c` multiplies the loads that stand in `point`: alpha, beta, tangent, normal
LY_INLINE Live make_live(const LyVec3 *e1, const LyVec3 *e2, LyReal c, const double *point)
{
    LyVec3 d;
    Live live = {.e1 = *e1,
                 .e2 = *e2,
                 .alpha = ly_load(point),
                 .beta = ly_load(point + WIDTH),
                 .tangent = c * ly_load(point + 2 * WIDTH),
                 .normal = c * ly_load(point + 3 * WIDTH)};
    live.n = ly_vec3_cross(&live.e1, &live.e2);
    for (int i = 0; i < 3; ++i) {
        d.v[i] = live.alpha * live.e1.v[i] + live.beta * live.e2.v[i];
    }
    LyReal n_square = ly_vec3_dot(&live.n, &live.n), n_reciprocal = reciprocal_root(n_square);
    live.length = n_square * n_reciprocal;
    live.m = scale(&live.n, n_reciprocal);
    live.d_reciprocal = reciprocal_root(ly_vec3_dot(&d, &d));
    live.w = scale(&d, live.d_reciprocal);
    return live;
}

LY_INLINE Live load_live(const LyTraction *self, const LyraBatch *batch, int lane)
{
    LyVec3 x0 = load_node(batch, lane, 0), x1 = load_node(batch, lane, 1);
    LyVec3 x2 = load_node(batch, lane, 2);
    LyVec3 e1 = subtract(&x1, &x0), e2 = subtract(&x2, &x0);
    LyReal c = load_amplitude(self, batch, lane) * (-1.0 / 6);
    return make_live(&e1, &e2, c, batch->constants + LY_TRACTION_ALPHA * WIDTH + lane);
}

// q
LY_INLINE LyVec3 live_load(const Live *live)
{
    LyVec3 q;
    for (int i = 0; i < 3; ++i) {
        q.v[i] = live->tangent * live->length * live->w.v[i] + live->normal * live->n.v[i];
    }
    return q;
}

// D1 = -c/6 dq/de1 and D2 = -c/6 dq/de2
LY_INLINE void differentiate_live(const Live *live, LyMat3 *D1, LyMat3 *D2)
{
    LyVec3 a1 = ly_vec3_cross(&live->e2, &live->m), a2 = ly_vec3_cross(&live->m, &live->e1);
    LyReal turn = live->length * live->d_reciprocal;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            LyReal Q = turn * ((i == j ? ly_set(1) : ly_set(0)) - live->w.v[i] * live->w.v[j]);
            D1->m[i][j] = live->tangent * (live->w.v[i] * a1.v[j] + live->alpha * Q);
            D2->m[i][j] = live->tangent * (live->w.v[i] * a2.v[j] + live->beta * Q);
        }
    }
    add_cross_matrix(D1, -live->normal, &live->e2);
    add_cross_matrix(D2, live->normal, &live->e1);
}

LY_INLINE void store_live_tangent(const LyraBatch *batch, int lane, bool symmetric,
                                  const Live *live)
{
    if (batch->psd) {
        store_zero_blocks(batch->dfdx, lane, symmetric ? 6 : 9);
        return;
    }
    LyMat3 D[3];
    differentiate_live(live, &D[1], &D[2]);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            D[0].m[i][j] = -(D[1].m[i][j] + D[2].m[i][j]);
        }
    }
    for (int a = 0, block = 0; a < 3; ++a) {
        for (int b = symmetric ? a : 0; b < 3; ++b, ++block) {
            LyMat3 K = D[b];
            if (symmetric) {
                for (int i = 0; i < 3; ++i) {
                    for (int j = 0; j < 3; ++j) {
                        K.m[i][j] = 0.5 * (D[b].m[i][j] + D[a].m[j][i]);
                    }
                }
            }
            ly_mat3_store_components(batch->dfdx + (int64_t)9 * block * WIDTH + lane, WIDTH, &K);
        }
    }
}

LY_INLINE void evaluate_live(const LyTraction *self, const LyraBatch *batch, int lane,
                             bool symmetric)
{
    Live live = load_live(self, batch, lane);
    if (batch->energy) {
        ly_store(batch->energy + lane, ly_set(0));
    }
    if (batch->gradient) {
        LyVec3 q = live_load(&live);
        for (int a = 0; a < 3; ++a) {
            store_vector(batch->gradient, lane, a, &q);
        }
    }
    if (batch->dfdx) {
        store_live_tangent(batch, lane, symmetric, &live);
    }
}

void LY_KERNEL(ly_traction_live)(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)scratch;
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        evaluate_live(self, batch, lane, false);
    }
}

void LY_KERNEL(ly_traction_live_symmetric)(const void *self, const LyraBatch *batch,
                                           LyraArena *scratch)
{
    (void)scratch;
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        evaluate_live(self, batch, lane, true);
    }
}

// ---- pressure on a closed surface ---------------------------------------------------------------

// blocks (0,0), (0,1), (0,2), (1,1), (1,2), (2,2)
LY_INLINE void store_closed_tangent(const LyraBatch *batch, int lane, LyReal p, const LyVec3 *y)
{
    store_zero_blocks(batch->dfdx, lane, 6);
    if (batch->psd) {
        return;
    }
    static const struct {
        int block, node, sign;
    } pairs[] = {{1, 2, -1}, {2, 1, 1}, {4, 0, -1}};
    for (int k = 0; k < 3; ++k) {
        LyMat3 K = {{{ly_set(0)}}};
        add_cross_matrix(&K, pairs[k].sign * p, &y[pairs[k].node]);
        ly_mat3_store_components(batch->dfdx + (int64_t)9 * pairs[k].block * WIDTH + lane, WIDTH,
                                 &K);
    }
}

void LY_KERNEL(ly_traction_closed)(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    const LyTraction *traction = self;
    (void)scratch;
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        LyReal p = load_amplitude(traction, batch, lane) * (traction->pressure / 6);
        LyVec3 y[3], gradient[3];
        for (int a = 0; a < 3; ++a) {
            y[a] = load_node(batch, lane, a);
        }
        for (int a = 0; a < 3; ++a) {
            gradient[a] = ly_vec3_cross(&y[(a + 1) % 3], &y[(a + 2) % 3]);
            gradient[a] = scale(&gradient[a], p);
        }
        if (batch->energy) {
            ly_store(batch->energy + lane, ly_vec3_dot(&y[0], &gradient[0]));
        }
        for (int a = 0; batch->gradient && a < 3; ++a) {
            store_vector(batch->gradient, lane, a, &gradient[a]);
        }
        if (batch->dfdx) {
            store_closed_tangent(batch, lane, p, y);
        }
    }
}

// ---- triangles of 6 nodes -----------------------------------------------------------------------

void LY_KERNEL(ly_traction6_dead)(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)scratch;
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        LyReal c = load_amplitude(self, batch, lane), energy = ly_set(0);
        for (int k = 0; k < 18; ++k) {
            LyReal load = c * load_constant(batch, lane, LY_TRACTION6_LOAD + k);
            energy -= load * ly_load(batch->u + k * WIDTH + lane);
            if (batch->gradient) {
                ly_store(batch->gradient + k * WIDTH + lane, -load);
            }
        }
        if (batch->energy) {
            ly_store(batch->energy + lane, energy);
        }
        if (batch->dfdx) {
            store_zero_blocks(batch->dfdx, lane, 21);
        }
    }
}

// adds weight N_a (D1 N_b,u + D2 N_b,v) to all blocks, or to those a <= b of the symmetric part
LY_INLINE void add_tangent6(const LyTractionRule *rule, int p, const Live *live, bool symmetric,
                            int lane, double *dfdx)
{
    LyMat3 D1, D2, D[6];
    differentiate_live(live, &D1, &D2);
    for (int b = 0; b < 6; ++b) {
        const double *slope = rule->dN[p][b];
        for (int k = 0; k < 9; ++k) {
            int i = k / 3, j = k % 3;
            D[b].m[i][j] = rule->weight[p] * (slope[0] * D1.m[i][j] + slope[1] * D2.m[i][j]);
        }
    }
    for (int a = 0, block = 0; a < 6; ++a) {
        double Na = rule->N[p][a];
        for (int b = symmetric ? a : 0; b < 6; ++b, ++block) {
            double Nb = rule->N[p][b];
            for (int k = 0; k < 9; ++k) {
                int i = k / 3, j = k % 3;
                double *to = dfdx + (9 * block + k) * WIDTH + lane;
                LyReal x =
                    symmetric ? 0.5 * (Na * D[b].m[i][j] + Nb * D[a].m[j][i]) : Na * D[b].m[i][j];
                ly_store(to, ly_load(to) + x);
            }
        }
    }
}

LY_INLINE void evaluate_live6(const LyTraction *self, const LyraBatch *batch, int lane,
                              bool symmetric)
{
    const LyTractionRule *rule = &self->rule;
    LyReal c = -load_amplitude(self, batch, lane), energy = ly_set(0);
    LyVec3 y[6], f[6];
    for (int k = 0; k < 18; ++k) {
        y[k / 3].v[k % 3] = load_constant(batch, lane, LY_TRACTION6_REST + k) +
                            ly_load(batch->u + k * WIDTH + lane);
        f[k / 3].v[k % 3] = ly_set(0);
    }
    if (batch->dfdx) {
        store_zero_blocks(batch->dfdx, lane, symmetric ? 21 : 36);
    }
    for (int p = 0; p < LY_TRACTION_POINTS; ++p) {
        LyVec3 e[2], at;
        for (int i = 0; i < 3; ++i) {
            e[0].v[i] = e[1].v[i] = at.v[i] = ly_set(0);
            for (int a = 0; a < 6; ++a) {
                e[0].v[i] += rule->dN[p][a][0] * y[a].v[i];
                e[1].v[i] += rule->dN[p][a][1] * y[a].v[i];
                at.v[i] += rule->N[p][a] * y[a].v[i];
            }
        }
        const double *point = batch->constants + (LY_TRACTION6_POINT + 4 * p) * WIDTH + lane;
        Live live = make_live(&e[0], &e[1], c, point);
        LyVec3 q = live_load(&live);
        energy += rule->weight[p] * (1.0 / 3) * ly_vec3_dot(&at, &q);
        for (int k = 0; k < 18; ++k) {
            f[k / 3].v[k % 3] += rule->weight[p] * rule->N[p][k / 3] * q.v[k % 3];
        }
        // none of the tangents has a sign
        if (batch->dfdx && !batch->psd) {
            add_tangent6(rule, p, &live, symmetric, lane, batch->dfdx);
        }
    }
    for (int a = 0; batch->gradient && a < 6; ++a) {
        store_vector(batch->gradient, lane, a, &f[a]);
    }
    if (batch->energy) {
        ly_store(batch->energy + lane, self->closed ? energy : ly_set(0));
    }
}

void LY_KERNEL(ly_traction6_live)(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)scratch;
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        evaluate_live6(self, batch, lane, false);
    }
}

void LY_KERNEL(ly_traction6_live_symmetric)(const void *self, const LyraBatch *batch,
                                            LyraArena *scratch)
{
    (void)scratch;
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        evaluate_live6(self, batch, lane, true);
    }
}
