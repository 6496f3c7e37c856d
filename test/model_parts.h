// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A block of tets with forces of every kind of traits, for tests of the parts of models.

#ifndef LYRA_MODEL_PARTS_H
#define LYRA_MODEL_PARTS_H

#include "lyra/elastic.h"
#include "lyra/integrator.h"
#include "lyra/mesh_generate.h"
#include "lyra/model.h"
#include "lyra/springs.h"
#include "lyra/system.h"
#include "lyra/traction.h"
#include "lyra_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// forces of a mixed body; all but the first touch few vertices
enum {
    MIXED_ELASTIC = 1 << 0,
    MIXED_DAMPER = 1 << 1,   // symmetric, of velocities
    MIXED_HISTORY = 1 << 2,  // a Maxwell spring
    MIXED_LINEAR = 1 << 3,   // a spring to a place
    MIXED_TIMED = 1 << 4,    // a dead load over time
    MIXED_PRESSURE = 1 << 5, // on an open surface: not symmetric
    MIXED_ALONG = 1 << 6,    // a damper that is not symmetric
    MIXED_COUNT = 7,
    MIXED_SYMMETRIC = MIXED_PRESSURE - 1,
    MIXED_ALL = (1 << MIXED_COUNT) - 1,
};

typedef struct Mixed {
    LyraContext *ctx;
    LyraMesh *mesh;
    int32_t force_count;
    LyraForce *forces[MIXED_COUNT];
    double *masses;
    LyraModel *model;
} Mixed;

static inline double mixed_amplitude(void *user, double t)
{
    (void)user;
    return 1 + sin(7 * t);
}

// E = k/2 |u - y|^2 with y = (0, 0.02, 0) m
static inline void mixed_pull(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)self, (void)scratch;
    const int32_t w = LYRA_BATCH_WIDTH;
    for (int32_t i = 0; i < 9 * w && batch->dfdx; ++i) {
        batch->dfdx[i] = 0;
    }
    for (int32_t i = 0; i < 3 * w; ++i) {
        int32_t e = i % w;
        double k = batch->parameters[e], d = batch->u[i] - (i / w == 1 ? 0.02 : 0);
        if (batch->energy) {
            batch->energy[e] = (i < w ? 0 : batch->energy[e]) + 0.5 * k * d * d;
        }
        if (batch->gradient) {
            batch->gradient[i] = k * d;
        }
        if (batch->dfdx) {
            batch->dfdx[4 * (i / w) * w + e] = k;
        }
    }
}

static const char *const mixed_pull_names[] = {"stiffness"};
static const LyraForceType mixed_pull_type = {
    .name = "pull",
    .nodes = 1,
    .traits = LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_SYMMETRIC | LYRA_FORCE_LINEAR |
              LYRA_FORCE_DISPLACEMENT,
    .parameter_count = 1,
    .parameter_names = mixed_pull_names,
    .evaluate = mixed_pull,
};

static inline LyraForce *mixed_spring(const Mixed *body, int32_t kind)
{
    LyraMeshView view = lyra_mesh_view(body->mesh);
    const int32_t far = view.vertex_count - 2, pairs[4] = {1, far, 2, far - 3};
    LyraSpringsDef list = lyra_springs_def_default();
    LyraSprings *springs = NULL;
    LyraForce *force = NULL;
    list.vertex_count = view.vertex_count;
    list.positions = view.positions;
    list.spring_count = 2;
    list.vertices = pairs;
    TEST_OK(lyra_springs_create(body->ctx, &list, &springs));
    if (kind == MIXED_HISTORY) {
        LyraMaxwellSpringDef def = lyra_maxwell_spring_def_default();
        def.stiffness = 20;
        def.branch_stiffness = 30;
        def.relaxation_time = 0.04;
        TEST_OK(lyra_maxwell_spring_create(body->ctx, springs, &def, &force));
    } else {
        LyraMassSpringDef def = lyra_mass_spring_def_default();
        def.stiffness = 10;
        def.damping = 3;
        def.damping_kind =
            kind == MIXED_DAMPER ? LYRA_SPRING_DAMPING_FULL : LYRA_SPRING_DAMPING_ALONG;
        TEST_OK(lyra_mass_spring_create(body->ctx, springs, &def, &force));
    }
    lyra_springs_destroy(springs);
    return force;
}

// a load on four triangles of the boundary that share a vertex, or nearly
static inline LyraForce *mixed_traction(const Mixed *body, LyraTractionKind kind)
{
    LyraMeshView view = lyra_mesh_view(body->mesh);
    LyraMeshBoundary *boundary = NULL;
    LyraForce *force = NULL;
    TEST_OK(lyra_mesh_boundary_create(body->mesh, true, &boundary));
    LyraTractionDef def = lyra_traction_def_default();
    def.kind = kind;
    def.traction[1] = -100;
    def.pressure = 200;
    def.triangle_count = 3;
    def.triangles = lyra_mesh_boundary_view(boundary).faces;
    def.amplitude = kind == LYRA_TRACTION_DEAD ? mixed_amplitude : NULL;
    TEST_OK(lyra_traction_create(body->ctx, view.vertex_count, view.positions, &def, &force));
    lyra_mesh_boundary_destroy(boundary);
    return force;
}

static inline LyraForce *mixed_force(const Mixed *body, int32_t kind)
{
    LyraForce *force = NULL;
    if (kind == MIXED_ELASTIC) {
        LyraElasticDef law = lyra_elastic_def_default();
        law.young = 1e4;
        law.poisson = 0.3;
        TEST_OK(lyra_elastic_create(body->ctx, body->mesh, &law, &force));
    } else if (kind == MIXED_LINEAR) {
        const int32_t vertices[2] = {5, 1};
        const double stiffness[2] = {40, 15};
        LyraForceDef def = lyra_force_def_default();
        def.type = &mixed_pull_type;
        def.stencil_count = 2;
        def.stencils = vertices;
        def.parameters = stiffness;
        TEST_OK(lyra_force_create(body->ctx, &def, &force));
    } else if (kind == MIXED_TIMED || kind == MIXED_PRESSURE) {
        force =
            mixed_traction(body, kind == MIXED_TIMED ? LYRA_TRACTION_DEAD : LYRA_TRACTION_PRESSURE);
    } else {
        force = mixed_spring(body, kind);
    }
    return force;
}

static inline Mixed mixed_create(LyraContext *ctx, int32_t kinds, double alpha, double beta)
{
    Mixed body = {.ctx = ctx};
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    shape.kind = LYRA_ELEMENT_TET4;
    for (int32_t i = 0; i < 3; ++i) {
        shape.cells[i] = i == 0 ? 4 : 2;
        shape.size[i] = 0.1 * shape.cells[i];
    }
    TEST_OK(lyra_mesh_generate(ctx, &shape, &body.mesh));
    LyraMeshView view = lyra_mesh_view(body.mesh);
    for (int32_t kind = 1; kind <= kinds; kind *= 2) {
        if (kinds & kind) {
            body.forces[body.force_count++] = mixed_force(&body, kind);
        }
    }
    body.masses = malloc((size_t)view.vertex_count * sizeof *body.masses);
    lyra_mesh_lumped_masses(body.mesh, NULL, body.masses);
    LyraModelDef def = lyra_model_def_default();
    def.vertex_count = view.vertex_count;
    def.positions = view.positions;
    def.force_count = body.force_count;
    def.forces = body.forces;
    def.masses = body.masses;
    def.mass_damping = alpha;
    def.stiffness_damping = beta;
    def.gravity[1] = -9.81;
    TEST_OK(lyra_model_create(ctx, &def, &body.model));
    return body;
}

static inline void mixed_end(Mixed *body)
{
    lyra_model_destroy(body->model);
    for (int32_t f = 0; f < body->force_count; ++f) {
        lyra_force_destroy(body->forces[f]);
    }
    lyra_mesh_destroy(body->mesh);
    free(body->masses);
}

// holds the vertices of least x
static inline void mixed_hold(const Mixed *body)
{
    LyraMeshView view = lyra_mesh_view(body->mesh);
    double low = INFINITY;
    for (int32_t i = 0; i < view.vertex_count; ++i) {
        low = fmin(low, view.positions[3 * i]);
    }
    for (int32_t i = 0; i < view.vertex_count; ++i) {
        if (view.positions[3 * i] == low) {
            TEST_OK(lyra_constraints_fix_vertices(lyra_model_constraints(body->model), 1, &i));
        }
    }
}

static inline LyraSystem *mixed_system(const Mixed *body, const char *solver)
{
    LyraSystem *system = NULL;
    LyraSolverDef def = lyra_solver_def_default();
    def.name = solver;
    def.tolerance = 1e-12;
    TEST_OK(strcmp(solver, "dense") == 0
                ? lyra_system_create_dense(body->ctx, body->model, &system)
                : lyra_system_create_sparse(body->ctx, body->model, &def, &system));
    return system;
}

static inline LyraVector *mixed_vector(LyraContext *ctx, int32_t size, double scale,
                                       TestRandom *random)
{
    LyraVector *x = NULL;
    TEST_OK(lyra_vector_create(ctx, size, &x));
    for (int32_t i = 0; i < size; ++i) {
        lyra_vector_values_mutable(x)[i] = scale * test_random_normal(random);
    }
    return x;
}

#endif
