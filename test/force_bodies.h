// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Bodies, states and checks that the tests of forces on meshes share.

#ifndef LYRA_FORCE_BODIES_H
#define LYRA_FORCE_BODIES_H

#include "force_checks.h"
#include "lyra/dense.h"
#include "lyra/force.h"
#include "lyra/mesh_generate.h"
#include "lyra/solid.h"

// edge of a cell, m
#define CELL 0.1

// ---- meshes -------------------------------------------------------------------------------------

static inline LyraMeshMaterial orthotropic_material(void)
{
    LyraMeshMaterial material = lyra_mesh_material_default();
    material.kind = LYRA_MESH_MATERIAL_ORTHOTROPIC;
    material.name = "wood";
    // axes turned about a diagonal
    double c = 0.8, s = 0.6;
    material.orthotropic = (LyraMaterialOrthotropic){
        .young = {3e5, 1e5, 5e4},
        .poisson = {0.3, 0.25, 0.1},
        .shear = {4e4, 6e4, 5e4},
        .axes = {c * c, -s, c * s, c * s, c, s * s, -s, 0, c},
    };
    return material;
}

static inline LyraMeshMaterial enu_material(double young, double poisson)
{
    LyraMeshMaterial material = lyra_mesh_material_default();
    material.enu = (LyraMaterialEnu){.young = young, .poisson = poisson};
    return material;
}

// box of cells in random order; vertices of tets jittered; two materials where two are given
static inline LyraMesh *make_box(LyraContext *ctx, LyraElementKind kind, int32_t nx, int32_t ny,
                                 int32_t nz, int32_t material_count,
                                 const LyraMeshMaterial *materials)
{
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraMesh *plain = NULL, *mesh = NULL;
    shape.kind = kind;
    shape.shuffle = true;
    shape.cells[0] = nx;
    shape.cells[1] = ny;
    shape.cells[2] = nz;
    for (int i = 0; i < 3; ++i) {
        shape.size[i] = CELL * shape.cells[i];
    }
    TEST_OK(lyra_mesh_generate(ctx, &shape, &plain));
    LyraMeshView view = lyra_mesh_view(plain);
    double *x = malloc((size_t)view.vertex_count * 3 * sizeof *x);
    TestRandom random = test_random(7);
    double jitter = kind == LYRA_ELEMENT_TET4    ? 0.15 * CELL
                    : kind == LYRA_ELEMENT_CUBE8 ? 0
                                                 : 0.04 * CELL;
    for (int32_t i = 0; i < 3 * view.vertex_count; ++i) {
        x[i] = view.positions[i] + test_random_in(&random, -jitter, jitter);
    }
    int32_t some[2] = {0, 2};
    LyraMeshSet set = {.name = "some", .elements = some, .count = view.element_count > 2 ? 2 : 1};
    LyraMeshRegion region = {.material = 0, .set = 0};
    view.positions = x;
    view.materials = materials;
    view.material_count = material_count;
    view.set_count = view.region_count = material_count > 1 ? 1 : 0;
    view.sets = &set;
    view.regions = &region;
    TEST_OK(lyra_mesh_create(ctx, &view, &mesh));
    free(x);
    lyra_mesh_destroy(plain);
    return mesh;
}

// a single element: the unit tet or the unit cube
static inline LyraMesh *make_single(LyraContext *ctx, LyraElementKind kind,
                                    const LyraMeshMaterial *material)
{
    static const double tet[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const double cube[24] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0,
                                    0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
    static const double tet10[30] = {0,   0,   0, 1, 0,   0, 0, 1, 0,   0,   0, 1,   0.5, 0,   0,
                                     0.5, 0.5, 0, 0, 0.5, 0, 0, 0, 0.5, 0.5, 0, 0.5, 0,   0.5, 0.5};
    static const int32_t ids[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    bool is_tet = kind == LYRA_ELEMENT_TET4;
    LyraMeshView data = {.kind = kind,
                         .vertex_count = lyra_element_kind_nodes(kind),
                         .element_count = 1,
                         .positions = is_tet                       ? tet
                                      : kind == LYRA_ELEMENT_TET10 ? tet10
                                                                   : cube,
                         .elements = ids,
                         .material_count = 1,
                         .materials = material};
    LyraMesh *mesh = NULL;
    TEST_OK(lyra_mesh_create(ctx, &data, &mesh));
    return mesh;
}

// ---- bodies -------------------------------------------------------------------------------------

typedef struct Body {
    LyraContext *ctx;
    LyraMesh *mesh;
    LyraForce *force; // or
    LyraSolid *solid;
    LyraAssembly *assembly;
    LyraBlockMatrix *K;
    int32_t n;       // vertices
    double *rest;    // [n][3]
    double *history; // zero at first
    bool psd;        // what apply_tangent's K is
} Body;

// assembly, matrix and rest of a body with its mesh
static inline void assemble(Body *body, int32_t force_count, LyraForce *const *forces)
{
    LyraMeshView view = lyra_mesh_view(body->mesh);
    TEST_OK(lyra_assembly_create(body->ctx, view.vertex_count, view.positions, force_count, forces,
                                 &body->assembly));
    TEST_OK(lyra_block_matrix_create(lyra_assembly_pattern(body->assembly), &body->K));
    body->n = view.vertex_count;
    body->rest = calloc((size_t)(3 * body->n + 1), sizeof *body->rest);
    for (int32_t i = 0; i < 3 * body->n; ++i) {
        body->rest[i] = view.positions[i];
    }
    size_t history = (size_t)lyra_assembly_history_size(body->assembly);
    body->history = calloc(history + 1, sizeof *body->history);
}

// takes mesh and force
static inline Body make_body(LyraContext *ctx, LyraMesh *mesh, LyraForce *force)
{
    Body body = {.ctx = ctx, .mesh = mesh, .force = force};
    assemble(&body, 1, &force);
    return body;
}

// takes the mesh
static inline Body make_solid_body(LyraContext *ctx, LyraMesh *mesh, const LyraSolidDef *def)
{
    Body body = {.ctx = ctx, .mesh = mesh};
    int32_t count = 0;
    TEST_OK(lyra_solid_create(ctx, mesh, def, &body.solid));
    LyraForce *const *forces = lyra_solid_forces(body.solid, &count);
    assemble(&body, count, forces);
    return body;
}

static inline void end_body(Body *body)
{
    lyra_block_matrix_destroy(body->K);
    lyra_assembly_destroy(body->assembly);
    lyra_force_destroy(body->force);
    lyra_solid_destroy(body->solid);
    lyra_mesh_destroy(body->mesh);
    free(body->rest);
    free(body->history);
}

static inline void evaluate(Body *body, const double *x, double *energy, double *gradient,
                            bool tangent)
{
    LyraEvaluation evaluation = {.x = x,
                                 .history = body->history,
                                 .psd = body->psd,
                                 .energy = energy,
                                 .gradient = gradient,
                                 .dfdx = tangent ? body->K : NULL};
    TEST_OK(lyra_assembly_evaluate(body->assembly, &evaluation));
}

static inline void energy_at(void *data, const double *x, double *f)
{
    evaluate(data, x, f, NULL, false);
}

static inline void gradient_at(void *data, const double *x, double *f)
{
    evaluate(data, x, NULL, f, false);
}

// y = K d in the caller's order
static inline void apply_tangent(const Body *body, const double *d, double *y)
{
    apply_in_order(body->assembly, body->n, body->K, d, y);
}

// the tangent as a dense matrix, column-major
static inline void dense_tangent(const Body *body, double *A)
{
    int32_t dofs = 3 * body->n;
    double *unit = calloc((size_t)dofs, sizeof *unit);
    for (int32_t j = 0; j < dofs; ++j) {
        unit[j] = 1;
        apply_tangent(body, unit, A + (size_t)j * (size_t)dofs);
        unit[j] = 0;
    }
    free(unit);
}

// ---- states -------------------------------------------------------------------------------------

typedef enum StateKind {
    STATE_SMALL,
    STATE_LARGE,
    STATE_ROTATED,
    STATE_INVERTED,
    STATE_FLATTENED,
    STATE_COLLAPSED,
    STATE_COUNT
} StateKind;

static inline const char *state_name(StateKind kind)
{
    static const char *const names[STATE_COUNT] = {"small",    "large",     "rotated",
                                                   "inverted", "flattened", "collapsed"};
    return names[kind];
}

// rotation by `angle` about a random axis
static inline void rotation_by(TestRandom *random, double angle, double R[9])
{
    double a[3], length = 0;
    for (int i = 0; i < 3; ++i) {
        a[i] = test_random_normal(random);
        length += a[i] * a[i];
    }
    for (int i = 0; i < 3; ++i) {
        a[i] /= sqrt(length);
    }
    double c = cos(angle), s = sin(angle);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            R[3 * i + j] = (1 - c) * a[i] * a[j] + (i == j ? c : 0);
        }
        int j = (i + 1) % 3, k = (i + 2) % 3;
        R[3 * i + j] -= s * a[k];
        R[3 * i + k] += s * a[j];
    }
}

// x = R diag(s) X + noise
static inline void set_state(const Body *body, StateKind kind, TestRandom *random, double *x)
{
    static const double stretches[STATE_COUNT][3] = {
        {1, 1, 1}, {1.5, 1.3, 0.8}, {1, 1, 1}, {1, 0.9, -0.4}, {1, 1, 0}, {0.02, 0.02, 0.02}};
    static const double noise[STATE_COUNT] = {1e-3, 0.08, 0.08, 0.05, 0.02, 1e-3};
    double R[9];
    rotation_by(random, kind == STATE_ROTATED ? 170 * acos(-1) / 180 : 0.3, R);
    for (int32_t i = 0; i < body->n; ++i) {
        for (int c = 0; c < 3; ++c) {
            x[3 * i + c] = noise[kind] * CELL * test_random_in(random, -1, 1);
            for (int k = 0; k < 3; ++k) {
                x[3 * i + c] += R[3 * c + k] * stretches[kind][k] * body->rest[3 * i + k];
            }
        }
    }
}

// ---- checks -------------------------------------------------------------------------------------

// force against energy where `conservative`, and tangent against force, along a random direction of
// `size` cells by steps of `step` of it
static inline void check_derivatives_within(Body *body, const double *x, double size, double step,
                                            double force_tolerance, TestRandom *random,
                                            bool conservative, const char *what)
{
    int32_t dofs = 3 * body->n;
    double *d = malloc((size_t)dofs * 3 * sizeof *d), *g = d + dofs, *Kd = g + dofs;
    for (int32_t i = 0; i < dofs; ++i) {
        d[i] = size * CELL * test_random_normal(random);
    }
    double energy;
    evaluate(body, x, &energy, g, true);
    double slope = 0;
    for (int32_t i = 0; i < dofs; ++i) {
        slope += g[i] * d[i];
    }
    char text[160];
    if (conservative) {
        snprintf(text, sizeof text, "%s, force", what);
        test_check_difference(test_difference(energy_at, body, dofs, 1, x, d, &slope, step),
                              force_tolerance, text);
    }
    apply_tangent(body, d, Kd);
    snprintf(text, sizeof text, "%s, tangent", what);
    test_check_difference(test_difference(gradient_at, body, dofs, dofs, x, d, Kd, step), 1e-7,
                          text);
    free(d);
}

static inline void check_derivatives(Body *body, const double *x, double size, TestRandom *random,
                                     bool conservative, const char *what)
{
    check_derivatives_within(body, x, size, 0.02, 1e-6, random, conservative, what);
}

// gradient, tangent and projected tangent in a large state on every instruction set against the
// scalar one
static inline void check_instruction_sets(Body (*make)(LyraContext *ctx, const void *data),
                                          const void *data, double tolerance)
{
    double *reference = NULL;
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(1, isa);
        Body body = make(ctx, data);
        TestRandom random = test_random(3);
        int32_t dofs = 3 * body.n;
        double *x = malloc((size_t)dofs * 4 * sizeof *x), *g = x + dofs;
        set_state(&body, STATE_LARGE, &random, x);
        evaluate(&body, x, NULL, g, true);
        apply_tangent(&body, body.rest, g + dofs);
        body.psd = true;
        evaluate(&body, x, NULL, NULL, true);
        apply_tangent(&body, body.rest, g + 2 * dofs);
        if (!reference) {
            reference = malloc((size_t)dofs * 3 * sizeof *reference);
            memcpy(reference, g, (size_t)dofs * 3 * sizeof *reference);
        }
        for (int part = 0; part < 3; ++part) {
            TEST_NEAR(apart(dofs, g + part * dofs, reference + part * dofs), 0, tolerance);
        }
        free(x);
        end_body(&body);
        test_context_end(ctx);
    }
    free(reference);
}

// smallest eigenvalue of the symmetric part over the Frobenius norm, of a body of one element
static inline double smallest_eigenvalue(const Body *body, double *K)
{
    int32_t dofs = 3 * body->n;
    double A[30 * 30], values[30], norm = 0;
    dense_tangent(body, K);
    for (int32_t i = 0; i < dofs; ++i) {
        for (int32_t j = 0; j < dofs; ++j) {
            A[i + j * dofs] = 0.5 * (K[i + j * dofs] + K[j + i * dofs]);
            norm += K[i + j * dofs] * K[i + j * dofs];
        }
    }
    TEST_OK(lyra_dense_eigen(body->ctx, dofs, A, values, NULL));
    return values[0] / sqrt(norm > 0 ? norm : 1);
}

// net force and torque about `arms`, relative to the sum of sizes
static inline void net_force(int32_t n, const double *g, const double *arms, double *force,
                             double *torque)
{
    double f[3] = {0}, t[3] = {0}, size = 0;
    for (int32_t i = 0; i < n; ++i) {
        for (int c = 0; c < 3; ++c) {
            int c1 = (c + 1) % 3, c2 = (c + 2) % 3;
            f[c] += g[3 * i + c];
            t[c] += arms[3 * i + c1] * g[3 * i + c2] - arms[3 * i + c2] * g[3 * i + c1];
            size += fabs(g[3 * i + c]);
        }
    }
    TEST_CHECK(size > 0);
    *force = fmax(fabs(f[0]), fmax(fabs(f[1]), fabs(f[2]))) / size;
    *torque = fmax(fabs(t[0]), fmax(fabs(t[1]), fabs(t[2]))) / size;
}

#endif
