// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What tests of single forces share: a force alone in an assembly, states, and checks of
// derivatives, balance and definiteness.

#ifndef LYRA_FORCE_CASES_H
#define LYRA_FORCE_CASES_H

#include "force_checks.h"
#include "lyra/dense.h"
#include "lyra/force.h"
#include "lyra/mesh_generate.h"

typedef struct Case {
    LyraContext *ctx;
    LyraForce *force;
    LyraAssembly *assembly;
    LyraBlockMatrix *dfdx, *dfdv;
    int32_t n;           // vertices
    double *rest;        // [n][3]
    double dt;           // of evaluations
    double *history;     // committed, zero at first
    const double *x, *v; // the fixed one while the other is varied
    const double *a;     // direction of a contraction
    bool psd;
} Case;

// takes the force
static inline Case make_case(LyraContext *ctx, int32_t n, const double *rest, LyraForce *force)
{
    Case c = {.ctx = ctx, .force = force, .n = n};
    TEST_OK(lyra_assembly_create(ctx, n, rest, 1, &c.force, &c.assembly));
    TEST_OK(lyra_block_matrix_create(lyra_assembly_pattern(c.assembly), &c.dfdx));
    TEST_OK(lyra_block_matrix_create(lyra_assembly_pattern(c.assembly), &c.dfdv));
    c.rest = malloc((size_t)n * 3 * sizeof *c.rest);
    memcpy(c.rest, rest, (size_t)n * 3 * sizeof *c.rest);
    c.history = calloc((size_t)lyra_assembly_history_size(c.assembly) + 1, sizeof *c.history);
    return c;
}

static inline void end_case(Case *c)
{
    lyra_block_matrix_destroy(c->dfdx);
    lyra_block_matrix_destroy(c->dfdv);
    lyra_assembly_destroy(c->assembly);
    lyra_force_destroy(c->force);
    free(c->rest);
    free(c->history);
}

static inline LyraEvaluation evaluation_of(const Case *c, const double *x, const double *v)
{
    return (LyraEvaluation){.x = x, .v = v, .dt = c->dt, .psd = c->psd, .history = c->history};
}

// cells of a box of edge 0.1 m each
static inline LyraMesh *make_box(LyraContext *ctx, LyraElementKind kind, int32_t nx, int32_t ny,
                                 int32_t nz)
{
    LyraMeshShapeDef def = lyra_mesh_shape_def_default();
    def.kind = kind;
    def.cells[0] = nx;
    def.cells[1] = ny;
    def.cells[2] = nz;
    def.shuffle = true;
    for (int i = 0; i < 3; ++i) {
        def.size[i] = 0.1 * def.cells[i];
    }
    LyraMesh *mesh = NULL;
    TEST_OK(lyra_mesh_generate(ctx, &def, &mesh));
    return mesh;
}

// ---- states -------------------------------------------------------------------------------------

typedef enum StateKind {
    STATE_SMALL,
    STATE_LARGE,
    STATE_ROTATED,
    STATE_INVERTED,
    STATE_FLAT,
    STATE_COUNT
} StateKind;

static inline void set_state(const Case *c, StateKind kind, TestRandom *random, double *x)
{
    double A[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double size = kind == STATE_SMALL ? 1e-3 : kind == STATE_FLAT ? 0 : 0.01;
    if (kind == STATE_ROTATED) {
        test_random_rotation(random, A);
    }
    A[0] *= kind == STATE_LARGE ? 1.5 : kind == STATE_INVERTED ? -1 : 1;
    A[8] *= kind == STATE_LARGE ? 0.6 : kind == STATE_FLAT ? 0 : 1;
    // into a plane, but no two vertices into one place
    A[2] += kind == STATE_FLAT ? 0.31 : 0;
    A[5] += kind == STATE_FLAT ? 0.17 : 0;
    for (int32_t i = 0; i < c->n; ++i) {
        for (int r = 0; r < 3; ++r) {
            x[3 * i + r] = 0.2 + size * test_random_normal(random);
            for (int k = 0; k < 3; ++k) {
                x[3 * i + r] += A[3 * r + k] * c->rest[3 * i + k];
            }
        }
    }
}

static inline void set_random(int32_t count, double size, TestRandom *random, double *out)
{
    for (int32_t i = 0; i < count; ++i) {
        out[i] = size * test_random_normal(random);
    }
}

// ---- matrices -----------------------------------------------------------------------------------

// y = A d in the caller's order
static inline void apply_matrix(const Case *c, const LyraBlockMatrix *A, const double *d, double *y)
{
    apply_in_order(c->assembly, c->n, A, d, y);
}

// dense, column-major, in the caller's order; to free()
static inline double *dense_of(const Case *c, const LyraBlockMatrix *A)
{
    int32_t dofs = 3 * c->n;
    double *M = calloc((size_t)dofs * (size_t)(dofs + 1), sizeof *M), *unit = M + dofs * dofs;
    for (int32_t j = 0; j < dofs; ++j) {
        unit[j] = 1;
        apply_matrix(c, A, unit, M + (int64_t)j * dofs);
        unit[j] = 0;
    }
    return M;
}

// smallest eigenvalue over the largest size of one
static inline double smallest_eigenvalue(const Case *c, const LyraBlockMatrix *A)
{
    int32_t dofs = 3 * c->n;
    double *M = dense_of(c, A), *values = malloc((size_t)dofs * sizeof *values);
    TEST_OK(lyra_dense_eigen(c->ctx, dofs, M, values, NULL));
    double least = values[0] / fmax(fmax(fabs(values[0]), fabs(values[dofs - 1])), 1e-300);
    free(M);
    free(values);
    return least;
}

// largest |M_ij - M_ji| over the largest entry
static inline double asymmetry(const Case *c, const LyraBlockMatrix *A)
{
    int32_t dofs = 3 * c->n;
    double *M = dense_of(c, A), off = 0, size = 1e-300;
    for (int32_t i = 0; i < dofs; ++i) {
        for (int32_t j = 0; j < dofs; ++j) {
            off = larger(off, fabs(M[i + j * dofs] - M[j + i * dofs]));
            size = fmax(size, fabs(M[i + j * dofs]));
        }
    }
    free(M);
    return off / size;
}

static inline bool all_finite(int64_t count, const double *values)
{
    bool finite = true;
    for (int64_t i = 0; i < count; ++i) {
        finite = finite && isfinite(values[i]);
    }
    return finite;
}

static inline bool matrix_finite(const LyraBlockMatrix *A)
{
    LyraBlockPatternView view = lyra_block_pattern_view(lyra_block_matrix_pattern(A));
    return all_finite(9 * view.block_count, lyra_block_matrix_values(A));
}

// ---- derivatives --------------------------------------------------------------------------------

static inline void energy_of_x(void *data, const double *x, double *f)
{
    const Case *c = data;
    LyraEvaluation evaluation = evaluation_of(c, x, c->v);
    evaluation.energy = f;
    TEST_OK(lyra_assembly_evaluate(c->assembly, &evaluation));
}

static inline void gradient_of_x(void *data, const double *x, double *f)
{
    const Case *c = data;
    LyraEvaluation evaluation = evaluation_of(c, x, c->v);
    evaluation.gradient = f;
    TEST_OK(lyra_assembly_evaluate(c->assembly, &evaluation));
}

static inline void gradient_of_v(void *data, const double *v, double *f)
{
    const Case *c = data;
    LyraEvaluation evaluation = evaluation_of(c, c->x, v);
    evaluation.gradient = f;
    TEST_OK(lyra_assembly_evaluate(c->assembly, &evaluation));
}

// dfdx(x) a
static inline void tangent_of_x(void *data, const double *x, double *f)
{
    Case *c = data;
    LyraEvaluation evaluation = evaluation_of(c, x, c->v);
    evaluation.dfdx = c->dfdx;
    TEST_OK(lyra_assembly_evaluate(c->assembly, &evaluation));
    apply_matrix(c, c->dfdx, c->a, f);
}

// what holds of a force
enum { HAS_ENERGY = 1, HAS_VELOCITY = 2, HAS_CONTRACTION = 4 };

static inline void check_derivatives(Case *c, const double *x, const double *v, TestRandom *random,
                                     int has, const char *what)
{
    int32_t dofs = 3 * c->n;
    double *d = malloc((size_t)dofs * 5 * sizeof *d), *g = d + dofs, *Kd = g + dofs;
    double *a = Kd + dofs, *h = a + dofs, energy, slope = 0;
    char text[200];
    set_random(dofs, 0.05, random, d);
    set_random(dofs, 0.05, random, a);
    c->x = x;
    c->v = v;
    c->a = a;
    LyraEvaluation evaluation = evaluation_of(c, x, v);
    evaluation.energy = &energy;
    evaluation.gradient = g;
    evaluation.dfdx = c->dfdx;
    evaluation.dfdv = c->dfdv;
    evaluation.a = a;
    evaluation.b = d;
    evaluation.contraction = has & HAS_CONTRACTION ? h : NULL;
    TEST_OK(lyra_assembly_evaluate(c->assembly, &evaluation));
    if (has & HAS_ENERGY) {
        for (int32_t i = 0; i < dofs; ++i) {
            slope += g[i] * d[i];
        }
        snprintf(text, sizeof text, "%s, force", what);
        test_check_difference(test_difference(energy_of_x, c, dofs, 1, x, d, &slope, 0.01), 1e-7,
                              text);
    }
    apply_matrix(c, c->dfdx, d, Kd);
    snprintf(text, sizeof text, "%s, by position", what);
    test_check_difference(test_difference(gradient_of_x, c, dofs, dofs, x, d, Kd, 0.01), 1e-7,
                          text);
    if (has & HAS_VELOCITY) {
        apply_matrix(c, c->dfdv, d, Kd);
        snprintf(text, sizeof text, "%s, by velocity", what);
        test_check_difference(test_difference(gradient_of_v, c, dofs, dofs, v, d, Kd, 0.1), 1e-7,
                              text);
    }
    if (has & HAS_CONTRACTION) {
        snprintf(text, sizeof text, "%s, derivative of the tangent", what);
        test_check_difference(test_difference(tangent_of_x, c, dofs, dofs, x, d, h, 0.01), 1e-6,
                              text);
    }
    free(d);
}

// ---- physics ------------------------------------------------------------------------------------

// net force and net torque of `g` at positions x, both over the sum of |g|
static inline void find_balance(int32_t n, const double *x, const double *g, double *force,
                                double *torque)
{
    double sum[3] = {0}, moment[3] = {0}, size = 1e-300;
    for (int32_t i = 0; i < n; ++i) {
        for (int k = 0; k < 3; ++k) {
            int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            sum[k] += g[3 * i + k];
            moment[k] += x[3 * i + k1] * g[3 * i + k2] - x[3 * i + k2] * g[3 * i + k1];
            size += fabs(g[3 * i + k]);
        }
    }
    *force = fmax(fabs(sum[0]), fmax(fabs(sum[1]), fabs(sum[2]))) / size;
    *torque = fmax(fabs(moment[0]), fmax(fabs(moment[1]), fabs(moment[2]))) / size;
}

// v = u + w x (x - 0)
static inline void set_rigid_velocity(int32_t n, const double *x, TestRandom *random, double *v)
{
    double u[3], w[3];
    set_random(3, 1, random, u);
    set_random(3, 2, random, w);
    for (int32_t i = 0; i < n; ++i) {
        for (int k = 0; k < 3; ++k) {
            int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            v[3 * i + k] = u[k] + w[k1] * x[3 * i + k2] - w[k2] * x[3 * i + k1];
        }
    }
}

// gradient, dfdx times rest and dfdv times rest, [3][3 n]
static inline void evaluate_all(Case *c, const double *x, const double *v, double *out)
{
    int32_t dofs = 3 * c->n;
    LyraEvaluation evaluation = evaluation_of(c, x, v);
    evaluation.gradient = out;
    evaluation.dfdx = c->dfdx;
    evaluation.dfdv = c->dfdv;
    TEST_OK(lyra_assembly_evaluate(c->assembly, &evaluation));
    apply_matrix(c, c->dfdx, c->rest, out + dofs);
    apply_matrix(c, c->dfdv, c->rest, out + 2 * dofs);
}

// the same at a large deformation with random velocities; then ends the case
static inline void evaluate_large(Case *c, double *out)
{
    TestRandom random = test_random(3);
    double *x = malloc((size_t)c->n * 6 * sizeof *x), *v = x + 3 * c->n;
    set_state(c, STATE_LARGE, &random, x);
    set_random(3 * c->n, 1, &random, v);
    evaluate_all(c, x, v, out);
    free(x);
    end_case(c);
}

// all instruction sets give what the scalar one does, up to rounding
static inline void check_instruction_sets(Case (*make)(LyraContext *ctx, const void *data),
                                          const void *data)
{
    double *reference = NULL;
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(1, isa);
        Case c = make(ctx, data);
        int32_t count = 9 * c.n;
        double *out = malloc((size_t)count * sizeof *out);
        evaluate_large(&c, out);
        reference = reference ? reference : out;
        TEST_NEAR(largest_difference(count, out, reference), 0,
                  1e-13 * largest_of(count, reference));
        if (out != reference) {
            free(out);
        }
        test_context_end(ctx);
    }
    free(reference);
}

#endif
