// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Bodies with their stiffness and masses, sets of constraints and checks that the tests of solvers
// share.

#ifndef LYRA_SOLVE_BODIES_H
#define LYRA_SOLVE_BODIES_H

#include "lyra/lyra.h"
#include "lyra_test.h"

#include <stdlib.h>
#include <string.h>

static inline void *body_allocate(int64_t count, size_t size)
{
    void *memory = calloc(count > 0 ? (size_t)count : 1, size);
    if (!memory) {
        abort();
    }
    return memory;
}

/// A body at rest: everything in the internal order of its assembly.
typedef struct Body {
    LyraMesh *mesh;
    LyraSolid *solid;
    LyraAssembly *assembly;
    LyraBlockMatrix *K; ///< Upper, at rest.
    int32_t vertex_count, size;
    double *positions; ///< m, [size]
    double *mass;      ///< kg, [size]
} Body;

static inline void body_end(Body *body)
{
    free(body->positions);
    free(body->mass);
    lyra_block_matrix_destroy(body->K);
    lyra_assembly_destroy(body->assembly);
    lyra_solid_destroy(body->solid);
    lyra_mesh_destroy(body->mesh);
    *body = (Body){0};
}

/// Takes `mesh`. Young's modulus 1e6 and Poisson's ratio 0.45 unless `young` says otherwise; 0: the
/// mesh's own.
static inline Body body_of_mesh(LyraContext *ctx, LyraMesh *mesh, double young)
{
    Body body = {.mesh = mesh};
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraSolidDef def = lyra_solid_def_default();
    def.model = "linear";
    def.young = young;
    TEST_OK(lyra_solid_create(ctx, mesh, &def, &body.solid));
    int32_t count = 0;
    LyraForce *const *forces = lyra_solid_forces(body.solid, &count);
    TEST_OK(lyra_assembly_create(ctx, view.vertex_count, view.positions, count, forces,
                                 &body.assembly));
    TEST_OK(lyra_block_matrix_create(lyra_assembly_pattern(body.assembly), &body.K));
    LyraEvaluation evaluation = {.x = view.positions, .dfdx = body.K};
    TEST_OK(lyra_assembly_evaluate(body.assembly, &evaluation));
    body.vertex_count = view.vertex_count;
    body.size = 3 * view.vertex_count;
    body.positions = body_allocate(body.size, sizeof(double));
    body.mass = body_allocate(body.size, sizeof(double));
    double *mass = body_allocate(view.vertex_count, sizeof(double));
    lyra_mesh_lumped_masses(mesh, NULL, mass);
    const int32_t *order = lyra_assembly_order(body.assembly);
    for (int32_t i = 0; i < body.size; ++i) {
        body.positions[i] = view.positions[3 * order[i / 3] + i % 3];
        body.mass[i] = mass[order[i / 3]];
    }
    free(mass);
    return body;
}

/// Box of elements, 1 m along x, with cells of equal edges.
static inline Body body_box_of(LyraContext *ctx, LyraElementKind kind, int32_t nx, int32_t ny,
                               int32_t nz)
{
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraMesh *mesh = NULL;
    shape.kind = kind;
    shape.cells[0] = nx;
    shape.cells[1] = ny;
    shape.cells[2] = nz;
    for (int32_t i = 0; i < 3; ++i) {
        shape.size[i] = (double)shape.cells[i] / nx;
    }
    TEST_OK(lyra_mesh_generate(ctx, &shape, &mesh));
    return body_of_mesh(ctx, mesh, 1e6);
}

static inline Body body_box(LyraContext *ctx, int32_t nx, int32_t ny, int32_t nz)
{
    return body_box_of(ctx, LYRA_ELEMENT_TET4, nx, ny, nz);
}

/// M + h^2 K on the pattern of K, to destroy.
static inline LyraBlockMatrix *body_dynamics(const Body *body, double h)
{
    LyraBlockMatrix *S = NULL;
    TEST_OK(lyra_block_matrix_copy(body->K, &S));
    lyra_block_matrix_scale(S, h * h);
    lyra_block_matrix_add_diagonal(S, 1.0, body->mass);
    return S;
}

/// Vertices with coordinate `axis` within 1e-9 of `value`, to free(); their number in `count`.
static inline int32_t *body_plane(const Body *body, int32_t axis, double value, int32_t *count)
{
    int32_t *vertices = body_allocate(body->vertex_count, sizeof *vertices);
    *count = 0;
    for (int32_t v = 0; v < body->vertex_count; ++v) {
        if (fabs(body->positions[3 * v + axis] - value) < 1e-9) {
            vertices[(*count)++] = v;
        }
    }
    return vertices;
}

static inline double *body_random(int64_t count, uint64_t seed)
{
    TestRandom random = test_random(seed);
    double *x = body_allocate(count, sizeof *x);
    for (int64_t i = 0; i < count; ++i) {
        x[i] = test_random_in(&random, -1.0, 1.0);
    }
    return x;
}

/// |x - y| / |y|; |x| where y is zero.
static inline double body_distance(int64_t count, const double *x, const double *y)
{
    double difference = 0.0, norm = 0.0;
    for (int64_t i = 0; i < count; ++i) {
        difference += (x[i] - y[i]) * (x[i] - y[i]);
        norm += y[i] * y[i];
    }
    return norm > 0.0 ? sqrt(difference / norm) : sqrt(difference);
}

/// Sets of constraints that tests go through.
typedef enum BodyCase {
    BODY_NONE,    ///< An empty set.
    BODY_FIXED,   ///< The left end fixed.
    BODY_DOFS,    ///< Scattered dofs, in no order, some twice.
    BODY_MOVED,   ///< The left end fixed, the right end moved.
    BODY_SLANTED, ///< 0, 1, 2 and 3 slanted directions by turns, with values.
    BODY_ALL,     ///< All dofs, with values.
    BODY_CASE_COUNT
} BodyCase;

static inline void body_constrain(const Body *body, BodyCase kind, LyraConstraints *constraints)
{
    TestRandom random = test_random(7 + (uint64_t)kind);
    int32_t count = 0, *left = body_plane(body, 0, -0.5, &count);
    double *x_bar = body_random(body->size, 3);
    for (int32_t i = 0; i < body->size; ++i) {
        x_bar[i] *= 0.01;
    }
    lyra_constraints_clear(constraints);
    if (kind == BODY_FIXED || kind == BODY_MOVED) {
        TEST_OK(lyra_constraints_fix_vertices(constraints, count, left));
    }
    if (kind == BODY_MOVED) {
        int32_t right_count = 0, *right = body_plane(body, 0, 0.5, &right_count);
        TEST_OK(lyra_constraints_fix_vertices(constraints, right_count, right));
        memset(x_bar, 0, (size_t)body->size * sizeof *x_bar);
        for (int32_t k = 0; k < right_count; ++k) {
            x_bar[3 * right[k]] = 0.02;
            x_bar[3 * right[k] + 1] = -0.01;
        }
        TEST_OK(lyra_constraints_set_values(constraints, x_bar));
        free(right);
    }
    if (kind == BODY_DOFS) {
        int32_t dofs[20];
        for (int32_t k = 0; k < 20; ++k) {
            dofs[k] = test_random_below(&random, body->size);
        }
        dofs[19] = dofs[0];
        TEST_OK(lyra_constraints_fix_dofs(constraints, 20, dofs));
    }
    if (kind == BODY_SLANTED) {
        for (int32_t v = 0; v < body->vertex_count; v += 2) {
            for (int32_t k = 0; k < v / 2 % 4; ++k) {
                double d[3];
                for (int32_t i = 0; i < 3; ++i) {
                    d[i] = test_random_normal(&random);
                }
                TEST_OK(lyra_constraints_add_direction(constraints, v, d));
            }
        }
        TEST_OK(lyra_constraints_set_values(constraints, x_bar));
    }
    if (kind == BODY_ALL) {
        for (int32_t v = 0; v < body->vertex_count; ++v) {
            TEST_OK(lyra_constraints_fix_vertices(constraints, 1, &v));
        }
        TEST_OK(lyra_constraints_set_values(constraints, x_bar));
    }
    free(left);
    free(x_bar);
}

#endif
