// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Small problems with known motion for tests of integrators: an oscillator, an orbit, a made-up
// motion of an unsymmetric system under loads in time, and a chain of springs whose end is moved.

#ifndef LYRA_TEST_INTEGRATE_TOYS_H
#define LYRA_TEST_INTEGRATE_TOYS_H

#include "lyra/lyra.h"
#include "lyra_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A dense problem with its exact motion.
typedef struct Toy {
    const char *name;
    int32_t size;
    bool damped;
    uint32_t traits;
    double damping, stiffness; // of the oscillator
    void (*force)(void *user, double t, const double *u, const double *v, double *g,
                  double *energy);
    void (*tangent)(void *user, double t, const double *u, const double *v, double *K, double *C);
    void (*exact)(double t, double *u, double *v);
    double end; // s
} Toy;

// ---- z'' = 1000 (-1 - z) - 10 z' - 10 -----------------------------------------------------------

static inline void oscillator_force(void *user, double t, const double *u, const double *v,
                                    double *g, double *energy)
{
    (void)user, (void)t, (void)v;
    g[0] += 1010;
    if (energy) {
        *energy += 1010 * u[0];
    }
}

static inline void no_tangent(void *user, double t, const double *u, const double *v, double *K,
                              double *C)
{
    (void)user, (void)t, (void)u, (void)v, (void)K, (void)C;
}

static inline void oscillator_exact(double t, double *u, double *v)
{
    double w = 5 * sqrt(39), a = 0.01, b = -33 * sqrt(39) / 1300, e = exp(-5 * t);
    u[0] = e * (a * cos(w * t) + b * sin(w * t)) - 1.01;
    v[0] = e * ((-5 * a + w * b) * cos(w * t) + (-5 * b - w * a) * sin(w * t));
}

// ---- an ellipse of eccentricity 0.1 about the origin --------------------------------------------

static inline void orbit_force(void *user, double t, const double *u, const double *v, double *g,
                               double *energy)
{
    (void)user, (void)t, (void)v;
    double r = sqrt(u[0] * u[0] + u[1] * u[1]);
    g[0] += u[0] / (r * r * r);
    g[1] += u[1] / (r * r * r);
    if (energy) {
        *energy -= 1 / r;
    }
}

static inline void orbit_tangent(void *user, double t, const double *u, const double *v, double *K,
                                 double *C)
{
    (void)user, (void)t, (void)v, (void)C;
    double r2 = u[0] * u[0] + u[1] * u[1], r = sqrt(r2);
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            K[i + 2 * j] += ((i == j) - 3 * u[i] * u[j] / r2) / (r2 * r);
        }
    }
}

static inline void orbit_exact(double t, double *u, double *v)
{
    double e = 0.1, E = t;
    for (int i = 0; i < 50; ++i) {
        E -= (E - e * sin(E) - t) / (1 - e * cos(E));
    }
    double b = sqrt(1 - e * e), rate = 1 / (1 - e * cos(E));
    u[0] = cos(E) - e;
    u[1] = b * sin(E);
    v[0] = -sin(E) * rate;
    v[1] = b * cos(E) * rate;
}

// ---- u = (sin t, cos 2t) under the loads that make it so ----------------------------------------

static inline void made_up_inner(const double *u, const double *v, double *f)
{
    f[0] = u[0] + u[0] * u[0] * u[0] + 0.5 * u[1] + 0.3 * v[0] + 0.2 * v[0] * u[1];
    f[1] = 2 * u[1] + u[0] * u[1] + 0.4 * v[1] + 0.1 * v[0] * v[0];
}

static inline void made_up_exact(double t, double *u, double *v)
{
    u[0] = sin(t);
    u[1] = cos(2 * t);
    v[0] = cos(t);
    v[1] = -2 * sin(2 * t);
}

static inline void made_up_force(void *user, double t, const double *u, const double *v, double *g,
                                 double *energy)
{
    (void)user, (void)energy;
    double f[2], U[2], V[2], F[2];
    made_up_inner(u, v, f);
    made_up_exact(t, U, V);
    made_up_inner(U, V, F);
    g[0] += f[0] - F[0] + sin(t);
    g[1] += f[1] - F[1] + 4 * cos(2 * t);
}

static inline void made_up_tangent(void *user, double t, const double *u, const double *v,
                                   double *K, double *C)
{
    (void)user, (void)t;
    K[0] += 1 + 3 * u[0] * u[0];
    K[1] += u[1];
    K[2] += 0.5 + 0.2 * v[0];
    K[3] += 2 + u[0];
    C[0] += 0.3 + 0.2 * u[1];
    C[1] += 0.2 * v[0];
    C[3] += 0.4;
}

static const Toy toys[3] = {
    {.name = "oscillator",
     .size = 1,
     .damped = true,
     .traits = LYRA_SYSTEM_SYMMETRIC | LYRA_SYSTEM_STATIONARY | LYRA_SYSTEM_LINEAR,
     .damping = 10,
     .stiffness = 1000,
     .force = oscillator_force,
     .tangent = no_tangent,
     .exact = oscillator_exact,
     .end = 0.25},
    {.name = "orbit",
     .size = 2,
     .traits = LYRA_SYSTEM_POTENTIAL | LYRA_SYSTEM_UNDAMPED | LYRA_SYSTEM_STATIONARY,
     .force = orbit_force,
     .tangent = orbit_tangent,
     .exact = orbit_exact,
     .end = 8},
    {.name = "made-up",
     .size = 2,
     .damped = true,
     .force = made_up_force,
     .tangent = made_up_tangent,
     .exact = made_up_exact,
     .end = 3},
};

static inline LyraSystem *toy_system(LyraContext *ctx, const Toy *toy)
{
    double mass[4] = {1, 0, 0, 1};
    LyraDenseSystemDef def = lyra_dense_system_def_default();
    def.size = toy->size;
    def.mass = mass;
    def.damping = toy->damping > 0 ? &toy->damping : NULL;
    def.stiffness = toy->stiffness > 0 ? &toy->stiffness : NULL;
    def.force = toy->force;
    def.tangent = toy->tangent;
    def.traits = toy->traits;
    LyraSystem *system = NULL;
    TEST_OK(lyra_system_create_dense_functions(ctx, &def, &system));
    return system;
}

static inline void toy_set(const Toy *toy, LyraState *state, double t)
{
    LyraStateView view = lyra_state_view(state);
    toy->exact(t, lyra_vector_values_mutable(view.u), lyra_vector_values_mutable(view.v));
}

/// Largest error of u and v of a state.
static inline double toy_error(const Toy *toy, const LyraState *state)
{
    LyraStateView view = lyra_state_view(state);
    double u[2], v[2], error = 0;
    toy->exact(view.time, u, v);
    for (int32_t i = 0; i < toy->size; ++i) {
        error = fmax(error, fabs(lyra_vector_values(view.u)[i] - u[i]));
        error = fmax(error, fabs(lyra_vector_values(view.v)[i] - v[i]));
    }
    return error;
}

// ---- a chain of masses along a line, for many unknowns, constraints and known frequencies -------

/// n masses m, springs f = k e + q e^3 between neighbours, a wall behind the last one; damping
/// D = alpha M + beta k L with L the matrix of the linear springs, and -sin(3 t) on the last mass.
/// The first mass is free, or moved as u_0 = amplitude sin^2(2 t).
typedef struct Chain {
    LyraContext *ctx;
    int32_t n;
    double m, k, q, alpha, beta, amplitude;
    bool moved, loaded;
    LyraConstraints *constraints;
    double *K; // [n][3], of the last linearise: below, on, above the diagonal
    double *S; // as K
    double a, b, c;
    double *work;
} Chain;

static inline int32_t chain_size(const void *self)
{
    return ((const Chain *)self)->n;
}

static inline uint32_t chain_traits(const void *self)
{
    const Chain *chain = self;
    return LYRA_SYSTEM_SYMMETRIC | LYRA_SYSTEM_LUMPED |
           (chain->loaded ? 0u : LYRA_SYSTEM_STATIONARY) |
           (chain->q == 0 ? LYRA_SYSTEM_LINEAR : 0u) |
           (chain->alpha == 0 && chain->beta == 0 ? LYRA_SYSTEM_UNDAMPED : 0u);
}

static inline const LyraConstraints *chain_constraints(const void *self)
{
    return ((const Chain *)self)->constraints;
}

static inline void chain_prescribe(void *self, double t, LyraVector *u, LyraVector *v,
                                   LyraVector *a)
{
    // garbage off the constraints is not to be read
    const Chain *chain = self;
    LyraVector *all[3] = {u, v, a};
    double A = chain->amplitude;
    double value[3] = {A * sin(2 * t) * sin(2 * t), 2 * A * sin(4 * t), 8 * A * cos(4 * t)};
    for (int i = 0; i < 3; ++i) {
        if (all[i]) {
            lyra_vector_fill(all[i], 1e3);
            lyra_vector_values_mutable(all[i])[0] = value[i];
        }
    }
}

static inline LyraStatus chain_evaluate(void *self, const LyraPoint *at,
                                        const LyraResponse *response)
{
    const Chain *chain = self;
    const double *u = lyra_vector_values(at->u), *v = lyra_vector_values(at->v);
    double energy = 0, load = chain->loaded ? -sin(3 * at->time) : 0;
    LyraVector *all[3] = {response->g, response->external, response->damping};
    double *out[3] = {0};
    for (int i = 0; i < 3; ++i) {
        if (all[i]) {
            lyra_vector_fill(all[i], 0);
            out[i] = lyra_vector_values_mutable(all[i]);
        }
    }
    for (int32_t i = 0; i < chain->n; ++i) {
        bool last = i + 1 == chain->n;
        double e = (last ? 0 : u[i + 1]) - u[i], r = (last ? 0 : v[i + 1]) - v[i];
        double f = chain->k * e + chain->q * e * e * e, d = chain->beta * chain->k * r;
        energy += 0.5 * chain->k * e * e + 0.25 * chain->q * e * e * e * e;
        double own = chain->alpha * chain->m * v[i];
        if (out[0]) {
            out[0][i] += own - f - d - (last ? load : 0);
        }
        if (out[1] && last) {
            out[1][i] += load;
        }
        if (out[2]) {
            out[2][i] += own - d;
        }
        for (int k = 0; k < 3 && !last; k += 2) {
            if (out[k]) {
                out[k][i + 1] += (k == 0 ? f : 0) + d;
            }
        }
    }
    if (response->elastic) {
        *response->elastic = energy;
    }
    if (response->potential) {
        *response->potential = energy;
    }
    return LYRA_OK;
}

// tridiagonal matrix of springs with stiffness s_i
static inline void chain_add_spring(const Chain *chain, double *A, int32_t i, double s)
{
    A[3 * i + 1] += s;
    if (i + 1 < chain->n) {
        A[3 * i + 2] -= s;
        A[3 * (i + 1)] -= s;
        A[3 * (i + 1) + 1] += s;
    }
}

static inline LyraStatus chain_linearise(void *self, const LyraPoint *at, bool psd)
{
    Chain *chain = self;
    (void)psd;
    const double *u = lyra_vector_values(at->u);
    memset(chain->K, 0, (size_t)chain->n * 3 * sizeof(double));
    for (int32_t i = 0; i < chain->n; ++i) {
        double e = (i + 1 < chain->n ? u[i + 1] : 0) - u[i];
        chain_add_spring(chain, chain->K, i, chain->k + 3 * chain->q * e * e);
    }
    return LYRA_OK;
}

static inline LyraStatus chain_form(void *self, double a, double b, double c)
{
    Chain *chain = self;
    for (int32_t i = 0; i < 3 * chain->n; ++i) {
        chain->S[i] = c * chain->K[i];
    }
    for (int32_t i = 0; i < chain->n; ++i) {
        chain->S[3 * i + 1] += (a + b * chain->alpha) * chain->m;
        chain_add_spring(chain, chain->S, i, b * chain->beta * chain->k);
    }
    return LYRA_OK;
}

static inline void chain_multiply(const Chain *chain, const double *A, const LyraVector *x,
                                  LyraVector *y)
{
    const double *from = lyra_vector_values(x);
    double *to = lyra_vector_values_mutable(y);
    for (int32_t i = 0; i < chain->n; ++i) {
        to[i] = A[3 * i + 1] * from[i] + (i > 0 ? A[3 * i] * from[i - 1] : 0) +
                (i + 1 < chain->n ? A[3 * i + 2] * from[i + 1] : 0);
    }
}

static inline void chain_apply(void *self, const LyraVector *x, LyraVector *y)
{
    chain_multiply(self, ((Chain *)self)->S, x, y);
}

static inline void chain_apply_mass(void *self, const LyraVector *x, LyraVector *y)
{
    lyra_vector_axpby(((Chain *)self)->m, x, 0, y);
}

static inline void chain_apply_stiffness(void *self, const LyraVector *x, LyraVector *y)
{
    chain_multiply(self, ((Chain *)self)->K, x, y);
}

static inline void chain_apply_damping(void *self, const LyraVector *x, LyraVector *y)
{
    Chain *chain = self;
    const double *from = lyra_vector_values(x);
    double *to = lyra_vector_values_mutable(y);
    for (int32_t i = 0; i < chain->n; ++i) {
        to[i] = chain->alpha * chain->m * from[i];
    }
    for (int32_t i = 0; i < chain->n; ++i) {
        double d = chain->beta * chain->k * ((i + 1 < chain->n ? from[i + 1] : 0) - from[i]);
        to[i] -= d;
        if (i + 1 < chain->n) {
            to[i + 1] += d;
        }
    }
}

// elimination on the free unknowns
static inline LyraStatus chain_solve(void *self, const LyraVector *b, double tolerance,
                                     LyraVector *x, LyraSolveReport *report)
{
    Chain *chain = self;
    (void)tolerance, (void)report;
    const double *from = lyra_vector_values(b);
    double *to = lyra_vector_values_mutable(x), *d = chain->work;
    int32_t first = chain->moved ? 1 : 0;
    to[0] = 0;
    for (int32_t i = first; i < chain->n; ++i) {
        double factor = i > first ? chain->S[3 * i] / d[i - 1] : 0;
        d[i] = chain->S[3 * i + 1] - (i > first ? factor * chain->S[3 * (i - 1) + 2] : 0);
        to[i] = from[i] - (i > first ? factor * to[i - 1] : 0);
    }
    for (int32_t i = chain->n - 1; i >= first; --i) {
        to[i] = (to[i] - (i + 1 < chain->n ? chain->S[3 * i + 2] * to[i + 1] : 0)) / d[i];
    }
    return LYRA_OK;
}

static inline LyraStatus chain_solve_mass(void *self, const LyraVector *b, LyraVector *x)
{
    Chain *chain = self;
    lyra_vector_axpby(1 / chain->m, b, 0, x);
    if (chain->moved) {
        lyra_vector_values_mutable(x)[0] = 0;
    }
    return LYRA_OK;
}

static inline void chain_destroy(void *self)
{
    Chain *chain = self;
    lyra_constraints_destroy(chain->constraints);
    free(chain->K);
    free(chain->S);
    free(chain->work);
    free(chain);
}

static const LyraSystemType chain_type = {
    .name = "chain",
    .size = chain_size,
    .traits = chain_traits,
    .constraints = chain_constraints,
    .prescribe = chain_prescribe,
    .evaluate = chain_evaluate,
    .linearise = chain_linearise,
    .form = chain_form,
    .apply = chain_apply,
    .apply_mass = chain_apply_mass,
    .apply_damping = chain_apply_damping,
    .apply_stiffness = chain_apply_stiffness,
    .solve = chain_solve,
    .solve_mass = chain_solve_mass,
    .destroy = chain_destroy,
};

static inline LyraStatus chain_create(LyraContext *ctx, Chain settings, LyraSystem **out)
{
    const int32_t dof = 0;
    Chain *chain = malloc(sizeof *chain);
    *chain = settings;
    chain->ctx = ctx;
    chain->K = calloc((size_t)chain->n * 3, sizeof(double));
    chain->S = calloc((size_t)chain->n * 3, sizeof(double));
    chain->work = calloc((size_t)chain->n, sizeof(double));
    LyraStatus status = lyra_constraints_create(ctx, chain->n, &chain->constraints);
    if (status == LYRA_OK && chain->moved) {
        status = lyra_constraints_fix_dofs(chain->constraints, 1, &dof);
    }
    status = status == LYRA_OK ? lyra_system_create(ctx, &chain_type, chain, out) : status;
    if (status != LYRA_OK) {
        chain_destroy(chain);
    }
    return status;
}

static inline LyraSystem *chain_system(LyraContext *ctx, Chain settings)
{
    LyraSystem *system = NULL;
    TEST_OK(chain_create(ctx, settings, &system));
    return system;
}

/// Largest eigenvalue of M^-1 K of the linear chain: free or held at the first mass, walled at the
/// last.
static inline double chain_largest(const Chain *chain)
{
    // held: fixed at both sides of n - 1 masses; free: quarter waves of n masses
    double pi = acos(-1), n = chain->n;
    double angle = chain->moved ? pi * (n - 1) / (2 * n) : pi * (2 * n - 1) / (2 * (2 * n + 1));
    return 4 * chain->k / chain->m * sin(angle) * sin(angle);
}

#endif
