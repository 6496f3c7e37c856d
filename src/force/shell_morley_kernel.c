// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Bending of a triangle whose normal has an unknown at the middle of each edge (Morley's element as
// a shell). Of edge i, opposite to corner i, theta_i is the angle of the hinge of the triangle and
// the wing across, phi_i the turn of the mid-edge normal against the mean of both sides:
//
//   c_i = w_i (theta_i - theta0_i) + s_i phi_i,   E = D/2 sum of Q_ij c_i c_j,
//
// with w = 1/2 and s = +-1/L at inner edges, phi as a length, and w = 1, s = 0 at clamped ones,
// whose wing stays where it is at rest. With gamma_i = dc_i/dx and the moments M = D Q c,
//
//   f = sum of M_i gamma_i,   K = D sum of Q_ij gamma_i gamma_j^T + sum of M_i w_i H_i,
//
// Where it flows, e_i = c_i - p_i with the plastic parts p takes the place of c. With the curvature
// k = sqrt(sum of Q_ij e_i e_j/A), which is a norm of the tensor, y that of yield and r its growth,
//
//   k <= y:  W = k^2/2;   k > y:  q = (k - y)/(1 + r),  W = (k - q)^2/2 + y q + r q^2/2,
//
// E = D A W, least over q: M = D (k - q)/k Q e, and p grows by q/k e. The tangent in the place of
// Q, (k - q)/k Q + (r/(1 + r) - (k - q)/k) (Q e)(Q e)^T/(A k^2), is positive.
//
// H_i the second derivative of theta_i (cloth_bend_kernel.c), of which the PSD mode takes the first
// sum. An angle is counted on from that of the last step, which the history has, beyond half a
// turn.
//
// The kernel computes for nine nodes; self->node says which nodes of the stencil these are.

#include "force/hinge_lanes.h"
#include "force/shell.h"

#define WIDTH LYRA_BATCH_WIDTH

enum { CORNERS = 3, WINGS = 6, EDGES = 3 };

// corners and wing of the hinge of edge i, as nodes: ends of the edge, own corner, wing
#define HINGE_NODE(i, k)                                                                           \
    ((k) == 0 ? ((i) + 1) % 3 : (k) == 1 ? ((i) + 2) % 3 : (k) == 2 ? (i) : 3 + (i))

typedef struct Plate {
    LyVec3 x[WINGS];
    LyHinge hinge[EDGES];
    LyReal w[EDGES], s[EDGES];
    LyReal Q[3][3]; // times D
    LyReal e[EDGES], angle[EDGES], M[EDGES];
    LyReal energy;
    LyReal flown, passed, lost; // q/k, q, and the energy that goes with it
    LyVec3 g[EDGES][4];         // dc_i/dx of the nodes of its hinge
} Plate;

LY_INLINE LyReal load_constant(const LyraBatch *batch, int k, int lane)
{
    return ly_load(batch->constants + k * WIDTH + lane);
}

// the whole number next to x: adding this leaves no place for what is behind the point
LY_INLINE LyReal nearest(LyReal x)
{
    LyReal shift = ly_set(0x1.8p52);
    return (x + shift) - shift;
}

LY_INLINE LyReal load_history(const LyraBatch *batch, int k, int lane)
{
    return ly_load(batch->history + k * WIDTH + lane);
}

// moments and tangent of what flows, in the place of those that are elastic
LY_INLINE void flow(const LyraBatch *batch, int lane, LyReal D, LyReal square, Plate *p)
{
    LyReal area = load_constant(batch, LY_MORLEY_AREA, lane);
    LyReal r = ly_load(batch->parameters + LY_MORLEY_HARDENING * WIDTH + lane);
    LyReal y = ly_load(batch->parameters + LY_MORLEY_YIELD * WIDTH + lane) +
               r * load_history(batch, LY_MORLEY_PASSED, lane);
    LyReal zero = ly_set(0), one = ly_set(1), scale = D * area;
    LyReal k = ly_sqrt(ly_max(square / ly_select(ly_greater(scale, zero), scale, one), zero));
    LyMask flows = ly_greater(k, y);
    LyReal q = ly_select(flows, (k - y) / (1.0 + r), zero);
    LyReal length = ly_select(flows, k, one), left = 1.0 - q / length;
    LyReal turn = ly_select(flows, r / (1.0 + r) - left, zero);
    LyReal over = ly_select(flows, scale * k * k, one);
    p->flown = q / length;
    p->passed = q;
    p->lost = scale * q * (y + 0.5 * r * q);
    p->energy = 0.5 * scale * (k - q) * (k - q) + p->lost;
    for (int i = 0; i < EDGES; ++i) {
        for (int j = 0; j < EDGES; ++j) {
            p->Q[i][j] = left * p->Q[i][j] + turn * p->M[i] * p->M[j] / over;
        }
    }
    for (int i = 0; i < EDGES; ++i) {
        p->M[i] *= left;
    }
}

LY_INLINE void load_plate(const LyShellMorley *self, const LyraBatch *batch, int lane, Plate *p)
{
    LyReal D = ly_load(batch->parameters + lane);
    LyVec3 u0;
    for (int i = 0; i < 3; ++i) {
        u0.v[i] = ly_load(batch->u + (3 * self->node[0] + i) * WIDTH + lane);
        p->x[0].v[i] = ly_set(0);
    }
    for (int k = 1; k < WINGS; ++k) {
        for (int i = 0; i < 3; ++i) {
            LyReal X = load_constant(batch, LY_MORLEY_PLACE + 3 * (k - 1) + i, lane);
            int node = self->node[k];
            // a wing without a node stays, while the others move
            LyReal u = node < 0 ? ly_set(0) : ly_load(batch->u + (3 * node + i) * WIDTH + lane);
            p->x[k].v[i] = X + (u - u0.v[i]);
        }
    }
    for (int k = 0; k < 6; ++k) {
        int i = k % 3, j = k < 3 ? i : (i + 1) % 3;
        p->Q[i][j] = p->Q[j][i] = D * load_constant(batch, LY_MORLEY_Q + k, lane);
    }
    for (int i = 0; i < EDGES; ++i) {
        LyVec3 x[4];
        for (int k = 0; k < 4; ++k) {
            x[k] = p->x[HINGE_NODE(i, k)];
        }
        p->hinge[i] = ly_hinge_at(x);
        p->w[i] = load_constant(batch, LY_MORLEY_WEIGHT + i, lane);
        p->s[i] = load_constant(batch, LY_MORLEY_SCALE + i, lane);
        LyReal rest = load_constant(batch, LY_MORLEY_REST + i, lane);
        LyReal change = ly_hinge_wrap(p->hinge[i].angle - rest);
        // whole turns since then, so that half a turn is no end
        LyReal before = load_history(batch, LY_MORLEY_ANGLE + i, lane);
        LyReal turns = nearest((before - change) * (0.5 / LY_PI));
        p->angle[i] = change + (2 * LY_PI) * turns;
        int node = self->node[WINGS + i];
        LyReal phi = node < 0 ? ly_set(0) : ly_load(batch->u + 3 * node * WIDTH + lane);
        p->e[i] = p->w[i] * p->angle[i] + p->s[i] * phi;
        if (self->flows) {
            p->e[i] -= load_history(batch, LY_MORLEY_FLOWN + i, lane);
        }
    }
    for (int i = 0; i < EDGES; ++i) {
        p->M[i] = p->Q[i][0] * p->e[0] + p->Q[i][1] * p->e[1] + p->Q[i][2] * p->e[2];
    }
    LyReal square = p->M[0] * p->e[0] + p->M[1] * p->e[1] + p->M[2] * p->e[2];
    p->energy = 0.5 * square;
    if (self->flows) {
        flow(batch, lane, D, square, p);
    }
}

static void store_history(const LyShellMorley *self, const LyraBatch *batch, int lane,
                          const Plate *p)
{
    double *to = batch->trial_history + lane;
    for (int i = 0; i < EDGES; ++i) {
        ly_store(to + (LY_MORLEY_ANGLE + i) * WIDTH, p->angle[i]);
        if (self->flows) {
            LyReal before = load_history(batch, LY_MORLEY_FLOWN + i, lane);
            ly_store(to + (LY_MORLEY_FLOWN + i) * WIDTH, before + p->flown * p->e[i]);
        }
    }
    if (self->flows) {
        ly_store(to + LY_MORLEY_PASSED * WIDTH,
                 load_history(batch, LY_MORLEY_PASSED, lane) + p->passed);
        ly_store(to + LY_MORLEY_LOST * WIDTH, load_history(batch, LY_MORLEY_LOST, lane) + p->lost);
    }
}

// ---- gradient -----------------------------------------------------------------------------------

static void store_gradient(const LyShellMorley *self, const LyraBatch *batch, int lane,
                           const Plate *p)
{
    LyReal f[LY_MORLEY_NODES][3];
    for (int n = 0; n < LY_MORLEY_NODES; ++n) {
        f[n][0] = f[n][1] = f[n][2] = ly_set(0);
    }
    for (int i = 0; i < EDGES; ++i) {
        for (int k = 0; k < 4; ++k) {
            int n = HINGE_NODE(i, k), node = self->node[n];
            for (int d = 0; d < 3 && node >= 0; ++d) {
                f[node][d] += p->M[i] * p->g[i][k].v[d];
            }
        }
        int node = self->node[WINGS + i];
        if (node >= 0) {
            f[node][0] += p->M[i] * p->s[i];
        }
    }
    for (int k = 0; k < 3 * self->nodes; ++k) {
        ly_store(batch->gradient + k * WIDTH + lane, f[k / 3][k % 3]);
    }
}

// ---- tangent ------------------------------------------------------------------------------------

// place of block (a, b), a <= b, row by row
LY_INLINE int block_of(int nodes, int a, int b)
{
    return a * nodes - a * (a - 1) / 2 + b - a;
}

// adds K to block (a, b) of nodes of the nine, and its transpose where two are one node
LY_INLINE void put(const LyShellMorley *self, const LyraBatch *batch, int lane, int a, int b,
                   const LyMat3 *K)
{
    int m = self->node[a], n = self->node[b];
    if (m < 0 || n < 0) {
        return;
    }
    // nodes of the stencil are in the order of the nine
    double *out = batch->dfdx + 9 * block_of(self->nodes, m, n) * WIDTH + lane;
    for (int k = 0; k < 9; ++k) {
        LyReal x = K->m[k / 3][k % 3];
        if (m == n && a != b) {
            x += K->m[k % 3][k / 3];
        }
        double *to = out + k * WIDTH;
        ly_store(to, self->doubled ? ly_load(to) + x : x);
    }
}

LY_INLINE void put_column(const LyShellMorley *self, const LyraBatch *batch, int lane, int a, int b,
                          const LyVec3 *v)
{
    int m = self->node[a], n = self->node[b];
    if (m < 0 || n < 0) {
        return;
    }
    double *out = batch->dfdx + 9 * block_of(self->nodes, m, n) * WIDTH + lane;
    for (int k = 0; k < 9; ++k) {
        LyReal x = k % 3 == 0 ? v->v[k / 3] : ly_set(0);
        double *to = out + k * WIDTH;
        ly_store(to, self->doubled ? ly_load(to) + x : x);
    }
}

// gamma_i of one of the first six nodes; 0 of wings of other edges
LY_INLINE int place_in(int i, int n)
{
    return n >= CORNERS ? (n == 3 + i ? 2 + 1 : -1) : n == i ? 2 : n == (i + 1) % 3 ? 0 : 1;
}

static void store_tangent(const LyShellMorley *self, const LyraBatch *batch, int lane,
                          const Plate *p)
{
    // y_ib = sum over j of Q_ij gamma_jb
    LyVec3 y[EDGES][WINGS];
    for (int b = 0; b < WINGS; ++b) {
        for (int i = 0; i < EDGES; ++i) {
            LyVec3 sum = {{ly_set(0), ly_set(0), ly_set(0)}};
            for (int j = 0; j < EDGES; ++j) {
                int k = place_in(j, b);
                for (int d = 0; d < 3 && k >= 0; ++d) {
                    sum.v[d] += p->Q[i][j] * p->g[j][k].v[d];
                }
            }
            y[i][b] = sum;
        }
    }
    LyMat3 H[EDGES][LY_HINGE_PAIRS];
    LyReal moment[EDGES];
    for (int i = 0; i < EDGES && !batch->psd; ++i) {
        ly_hinge_curvatures(&p->hinge[i], H[i]);
        moment[i] = p->M[i] * p->w[i];
    }
    static const int pair_of[4][4] = {{-1, 0, 1, 2}, {0, -1, 3, 4}, {1, 3, -1, 5}, {2, 4, 5, -1}};
    for (int a = 0; a < WINGS; ++a) {
        for (int b = a; b < WINGS; ++b) {
            LyMat3 K;
            for (int k = 0; k < 9; ++k) {
                K.m[k / 3][k % 3] = ly_set(0);
            }
            for (int i = 0; i < EDGES; ++i) {
                int ka = place_in(i, a), kb = place_in(i, b);
                if (ka < 0) {
                    continue;
                }
                for (int k = 0; k < 9; ++k) {
                    K.m[k / 3][k % 3] += p->g[i][ka].v[k / 3] * y[i][b].v[k % 3];
                }
                if (batch->psd || kb < 0) {
                    continue;
                }
                for (int m = 0; m < 4; ++m) {
                    // the diagonal is minus the rest of its row
                    if (ka != kb ? m != kb : m == ka) {
                        continue;
                    }
                    const LyMat3 *h = &H[i][pair_of[ka][m]];
                    LyReal x = ka == kb ? -moment[i] : moment[i];
                    for (int k = 0; k < 9; ++k) {
                        int r = k / 3, c = k % 3;
                        K.m[r][c] += x * (ka < m ? h->m[r][c] : h->m[c][r]);
                    }
                }
            }
            put(self, batch, lane, a, b, &K);
        }
        for (int i = 0; i < EDGES; ++i) {
            LyVec3 column = ly_hinge_scale(p->s[i], &y[i][a]);
            put_column(self, batch, lane, a, WINGS + i, &column);
        }
    }
    for (int i = 0; i < EDGES; ++i) {
        for (int j = i; j < EDGES; ++j) {
            LyVec3 column = {{p->Q[i][j] * p->s[i] * p->s[j], ly_set(0), ly_set(0)}};
            put_column(self, batch, lane, WINGS + i, WINGS + j, &column);
        }
    }
}

// ---- over the lanes of a batch ------------------------------------------------------------------

void LY_KERNEL(ly_shell_morley)(const void *data, const LyraBatch *batch, LyraArena *scratch)
{
    (void)scratch;
    const LyShellMorley *self = data;
    if (batch->dfdx && self->doubled) {
        int numbers = 9 * self->nodes * (self->nodes + 1) / 2 * WIDTH;
        for (int k = 0; k < numbers; ++k) {
            batch->dfdx[k] = 0;
        }
    }
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        Plate p;
        load_plate(self, batch, lane, &p);
        if (batch->trial_history) {
            store_history(self, batch, lane, &p);
        }
        if (batch->energy) {
            ly_store(batch->energy + lane, p.energy);
        }
        if (!batch->gradient && !batch->dfdx) {
            continue;
        }
        for (int i = 0; i < EDGES; ++i) {
            ly_hinge_slopes(&p.hinge[i], p.g[i]);
            for (int k = 0; k < 4; ++k) {
                p.g[i][k] = ly_hinge_scale(p.w[i], &p.g[i][k]);
            }
        }
        if (batch->gradient) {
            store_gradient(self, batch, lane, &p);
        }
        if (batch->dfdx) {
            store_tangent(self, batch, lane, &p);
        }
    }
}

// ---- quadratic ----------------------------------------------------------------------------------

void LY_KERNEL(ly_shell_quadratic)(const void *data, const LyraBatch *batch, LyraArena *scratch)
{
    (void)data, (void)scratch;
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        LyReal k = ly_load(batch->parameters + lane), c[4], sum[3], energy = ly_set(0);
        for (int a = 0; a < 4; ++a) {
            c[a] = load_constant(batch, a, lane);
        }
        for (int i = 0; i < 3; ++i) {
            // from node 0, as the factors sum to zero; a flat shape at rest adds nothing
            LyReal u0 = ly_load(batch->u + i * WIDTH + lane);
            sum[i] = ly_set(0);
            for (int a = 1; a < 4; ++a) {
                sum[i] += c[a] * (ly_load(batch->u + (3 * a + i) * WIDTH + lane) - u0);
            }
            energy += sum[i] * sum[i];
        }
        if (batch->energy) {
            ly_store(batch->energy + lane, 0.5 * k * energy);
        }
        for (int m = 0; m < 12 && batch->gradient; ++m) {
            ly_store(batch->gradient + m * WIDTH + lane, k * c[m / 3] * sum[m % 3]);
        }
        for (int a = 0, pair = 0; a < 4 && batch->dfdx; ++a) {
            for (int b = a + 1; b < 4; ++b, ++pair) {
                for (int m = 0; m < 9; ++m) {
                    LyReal x = m % 4 == 0 ? k * c[a] * c[b] : ly_set(0);
                    ly_store(batch->dfdx + (9 * pair + m) * WIDTH + lane, x);
                }
            }
        }
    }
}
