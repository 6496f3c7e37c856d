// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Fibres. docs/theory/fibre.md has the derivation; numbers in brackets are its equations.
//
// With a the unit fibre at rest, b_a the gradient of the shape function of node a, m_a = b_a . a,
//   h = sum_a m_a u_a,  g = F a = a + h,  I4 - 1 = 2 a.h + h.h,  d = I4 - 1 (0 where slack),
//   q = k2 d^2
//   W = k1/2 d^2 phi(q) + T/2 (I4 - 1),  T = activation x active stress             [1] [2]
//   W' = dW/dI4 = k1 d e^q + T/2,  W'' = k1 (1 + 2 q) e^q
//   f_a = V m_a 2 W' g                                                                  [3]
//   K_ab = V m_a m_b (2 W' 1 + 4 W'' g g^T)                                             [4]
// whose eigenvalues are V m_a m_b times 2 W', twice, and 2 W' + 4 W'' I4 along g: the PSD mode
// clamps these at 0                                                                     [5].

#include "force/definite.h"
#include "force/fibre.h"
#include "force/mapped_lanes.h"
#include "force/rest_shape.h"
#include "math/elementary.h"
#include "math/mat3_lanes.h"

// exponents beyond count as this, so that nothing overflows
#define EXPONENT_MAX 300.0

// ---- law ----------------------------------------------------------------------------------------

typedef struct Law {
    LyReal stiffness, exponent, active;
} Law;

typedef struct Fibre {
    LyReal energy;        // per volume
    LyReal tension;       // 2 W'
    LyReal across, along; // K = across 1 + along g g^T
} Fibre;

LY_INLINE Law load_law(const LyraBatch *batch, int lane)
{
    const double *parameters = batch->parameters + lane;
    return (Law){ly_load(parameters + LYRA_FIBRE_STIFFNESS * WIDTH),
                 ly_load(parameters + LYRA_FIBRE_EXPONENT * WIDTH),
                 ly_load(parameters + LYRA_FIBRE_ACTIVATION * WIDTH) *
                     ly_load(parameters + LYRA_FIBRE_ACTIVE_STRESS * WIDTH)};
}

// `strain`: I4 - 1
LY_INLINE Fibre evaluate_law(const Law *law, bool tension_only, bool psd, LyReal strain)
{
    LyReal zero = ly_set(0), I4 = strain + 1.0, d = strain, live = ly_set(1);
    if (tension_only) {
        LyMask taut = ly_greater(strain, zero);
        d = ly_select(taut, strain, zero);
        live = ly_select(taut, live, zero);
    }
    LyReal q = ly_min(law->exponent * d * d, ly_set(EXPONENT_MAX));
    LyExponential exp = ly_exponential_lanes(q); // phi is its slope
    Fibre fibre;
    fibre.energy = 0.5 * (law->stiffness * d * d * exp.slope + law->active * strain);
    fibre.tension = 2.0 * law->stiffness * d * exp.value + law->active;
    fibre.across = fibre.tension;
    fibre.along = 4.0 * law->stiffness * (1.0 + 2.0 * q) * exp.value * live;
    if (psd) {
        LyMask exact = ly_greater_equal(fibre.tension, zero);
        // slack across: what is left along g, if anything
        LyReal rest = ly_max(fibre.tension + fibre.along * I4, zero);
        LyMask some = ly_greater(rest, zero);
        LyReal along = ly_select(some, rest / ly_select(some, I4, ly_set(1)), zero);
        fibre.across = ly_select(exact, fibre.across, zero);
        fibre.along = ly_select(exact, fibre.along, along);
    }
    return fibre;
}

// adds a to h, which makes it g; returns I4 - 1
LY_INLINE LyReal find_strain(const LyraBatch *batch, int lane, LyVec3 *h)
{
    LyReal strain = ly_set(0);
    for (int i = 0; i < 3; ++i) {
        LyReal a = ly_load(batch->constants + (LY_FIBRE_DIRECTION + i) * WIDTH + lane);
        strain += h->v[i] * (2.0 * a + h->v[i]);
        h->v[i] += a;
    }
    return strain;
}

// across 1 + along g g^T
LY_INLINE LyMat3 law_matrix(const Fibre *fibre, const LyVec3 *g)
{
    LyMat3 M;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            M.m[i][j] = fibre->along * g->v[i] * g->v[j];
        }
        M.m[i][i] += fibre->across;
    }
    return M;
}

// ---- tets ---------------------------------------------------------------------------------------

LY_INLINE void evaluate_tet(const LyFibre *self, const LyraBatch *batch, int lane)
{
    Law law = load_law(batch, lane);
    LyReal m[4], volume = ly_load(batch->constants + LY_FIBRE_VOLUME * WIDTH + lane);
    LyVec3 g;
    for (int a = 1; a < 4; ++a) {
        m[a] = ly_load(batch->constants + (LY_FIBRE_M + a - 1) * WIDTH + lane);
    }
    m[0] = -(m[1] + m[2] + m[3]);
    for (int i = 0; i < 3; ++i) {
        LyReal u0 = ly_load(batch->u + i * WIDTH + lane);
        g.v[i] = ly_set(0);
        for (int a = 1; a < 4; ++a) {
            g.v[i] += m[a] * (ly_load(batch->u + (3 * a + i) * WIDTH + lane) - u0);
        }
    }
    LyReal strain = find_strain(batch, lane, &g);
    Fibre fibre = evaluate_law(&law, self->tension_only, batch->psd, strain);
    if (batch->energy) {
        ly_store(batch->energy + lane, volume * fibre.energy);
    }
    for (int a = 0; batch->gradient && a < 4; ++a) {
        LyReal scale = volume * m[a] * fibre.tension;
        for (int i = 0; i < 3; ++i) {
            ly_store(batch->gradient + (3 * a + i) * WIDTH + lane, scale * g.v[i]);
        }
    }
    if (!batch->dfdx) {
        return;
    }
    LyMat3 M = law_matrix(&fibre, &g);
    for (int a = 0, pair = 0; a < 4; ++a) {
        for (int b = a + 1; b < 4; ++b, ++pair) {
            LyMat3 K = ly_mat3_scale(&M, volume * m[a] * m[b]);
            ly_mat3_store_components(batch->dfdx + 9 * pair * WIDTH + lane, WIDTH, &K);
        }
    }
}

// ---- cubes, 2x2x2 Gauss points ------------------------------------------------------------------

// N_a = 1/8 prod (1 + s_i t_i) with t_i = +- 1/sqrt(3) at the points: times h_i, its derivative is
// s_i/4 (1 + s_j t_j)(1 + s_k t_k)
LY_INLINE double shape_derivative(int node, int axis, int point)
{
    double value = 0.25 * ly_cube_sign(node, axis);
    for (int j = 0; j < 3; ++j) {
        double t = 0.57735026918962576451 * ly_cube_sign(point, j);
        value *= j == axis ? 1 : 1 + ly_cube_sign(node, j) * t;
    }
    return value;
}

LY_INLINE void evaluate_cube(const LyFibre *self, const LyraBatch *batch, int lane)
{
    Law law = load_law(batch, lane);
    LyReal volume = 0.125 * ly_load(batch->constants + LY_FIBRE_VOLUME * WIDTH + lane);
    LyReal direction[3], energy = ly_set(0);
    LyVec3 u[8], f[8];
    for (int i = 0; i < 3; ++i) {
        direction[i] = ly_load(batch->constants + (LY_FIBRE_M + i) * WIDTH + lane);
        LyReal u0 = ly_load(batch->u + i * WIDTH + lane);
        for (int a = 0; a < 8; ++a) {
            u[a].v[i] = ly_load(batch->u + (3 * a + i) * WIDTH + lane) - u0;
            f[a].v[i] = ly_set(0);
        }
    }
    LyReal m[8][8]; // [point][node]
    LyMat3 M[8];    // [point]
    for (int p = 0; p < 8; ++p) {
        LyVec3 g = {{ly_set(0), ly_set(0), ly_set(0)}};
        for (int a = 0; a < 8; ++a) {
            m[p][a] = shape_derivative(a, 0, p) * direction[0] +
                      shape_derivative(a, 1, p) * direction[1] +
                      shape_derivative(a, 2, p) * direction[2];
            for (int i = 0; i < 3; ++i) {
                g.v[i] += m[p][a] * u[a].v[i];
            }
        }
        LyReal strain = find_strain(batch, lane, &g);
        Fibre fibre = evaluate_law(&law, self->tension_only, batch->psd, strain);
        energy += fibre.energy;
        for (int a = 0; a < 8; ++a) {
            for (int i = 0; i < 3; ++i) {
                f[a].v[i] += volume * m[p][a] * fibre.tension * g.v[i];
            }
        }
        M[p] = law_matrix(&fibre, &g);
        M[p] = ly_mat3_scale(&M[p], volume);
    }
    if (batch->energy) {
        ly_store(batch->energy + lane, volume * energy);
    }
    for (int a = 0; batch->gradient && a < 8; ++a) {
        for (int i = 0; i < 3; ++i) {
            ly_store(batch->gradient + (3 * a + i) * WIDTH + lane, f[a].v[i]);
        }
    }
    for (int a = 0, pair = 0; batch->dfdx && a < 8; ++a) {
        for (int b = a + 1; b < 8; ++b, ++pair) {
            LyMat3 K = ly_mat3_scale(&M[0], m[0][a] * m[0][b]);
            for (int p = 1; p < 8; ++p) {
                LyReal scale = m[p][a] * m[p][b];
                for (int k = 0; k < 9; ++k) {
                    K.m[k / 3][k % 3] += scale * M[p].m[k / 3][k % 3];
                }
            }
            ly_mat3_store_components(batch->dfdx + 9 * pair * WIDTH + lane, WIDTH, &K);
        }
    }
}

// ---- mapped elements, see mapped_lanes.h
// ---------------------------------------------------------

static void sum_mapped(const LyFibre *self, const LyraBatch *batch, bool psd, bool forces,
                       LyMapped *m, LyMappedRoom *room)
{
    const LyMappedRule *rule = &self->mapped;
    for (int q = 0; q < rule->points; ++q) {
        for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
            const double *constants = batch->constants + rule->points * LY_MAPPED_POINT * WIDTH;
            Law law = load_law(batch, lane);
            LyMat3 G = ly_mapped_gradient(rule, batch, m, q, lane), P;
            LyVec3 a = {{ly_load(constants + lane), ly_load(constants + WIDTH + lane),
                         ly_load(constants + 2 * WIDTH + lane)}};
            LyVec3 g = ly_mat3_apply(&G, &a);
            LyReal strain = ly_set(0);
            for (int i = 0; i < 3; ++i) {
                strain += g.v[i] * (2.0 * a.v[i] + g.v[i]);
                g.v[i] += a.v[i];
            }
            Fibre fibre = evaluate_law(&law, self->tension_only, psd, strain);
            if (forces) {
                for (int k = 0; k < 9; ++k) {
                    P.m[k / 3][k % 3] = fibre.tension * g.v[k / 3] * a.v[k % 3];
                }
                ly_mapped_add_energy(batch, q, lane, fibre.energy, m);
                ly_mapped_add_stress(rule, batch, q, lane, &P, &m->forces);
            }
            if (!room) {
                continue;
            }
            LyReal weight = ly_mapped_constant(batch, q, lane, LY_MAPPED_WEIGHT), along[3];
            LyMat3 M = law_matrix(&fibre, &g);
            LyVec3 b[3];
            ly_mapped_gradients(batch, q, lane, b);
            for (int k = 0; k < 3; ++k) {
                along[k] = ly_vec3_dot(&b[k], &a);
            }
            for (int n = 0; n < 6; ++n) {
                LyMat3 K = ly_mat3_scale(&M, weight * along[pair_k[n]] * along[pair_l[n]]);
                ly_mat3_store_components(ly_mapped_blocks(rule, room, q) + n * BLOCK + lane, WIDTH,
                                         &K);
            }
        }
    }
}

void LY_KERNEL(ly_fibre_mapped)(const void *user, const LyraBatch *batch, LyraArena *scratch)
{
    const LyFibre *self = user;
    const LyMappedRule *rule = &self->mapped;
    LyMappedRoom *room = ly_mapped_room(rule, batch, scratch);
    LyMapped m __attribute__((aligned(64)));
    ly_mapped_load(rule, batch, &m);
    sum_mapped(self, batch, batch->psd, true, &m, room);
    ly_mapped_store(rule, batch, &m);
    if (!room) {
        return;
    }
    ly_mapped_store_blocks(rule, room, batch->dfdx);
    // without tension_only points may be slack that others make up for
    if (batch->psd && !self->tension_only) {
        double *exact = ly_mapped_exact(rule, room);
        sum_mapped(self, batch, false, false, &m, room);
        ly_mapped_store_blocks(rule, room, exact);
        LY_KERNEL(ly_keep_positive)(rule->nodes, true, exact, batch->dfdx);
    }
}

// ---- over the lanes of a batch ------------------------------------------------------------------

void LY_KERNEL(ly_fibre_tet)(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)scratch;
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        evaluate_tet(self, batch, lane);
    }
}

static void evaluate_cubes(const void *self, const LyraBatch *batch)
{
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        evaluate_cube(self, batch, lane);
    }
}

void LY_KERNEL(ly_fibre_cube)(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    const LyFibre *force = self;
    // without tension_only points may be slack that others make up for
    if (force->type.scratch_bytes > 0 && batch->psd && batch->dfdx) {
        ly_evaluate_positive(evaluate_cubes, 8, true, self, batch, scratch);
    } else {
        evaluate_cubes(self, batch);
    }
}
