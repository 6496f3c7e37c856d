// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Bodies for tests of models and systems: a block of tets with everything a model can have, and
// springs whose answers are known by hand.

#ifndef LYRA_MODEL_BODIES_H
#define LYRA_MODEL_BODIES_H

#include "force_checks.h"
#include "lyra/corotational.h"
#include "lyra/elastic.h"
#include "lyra/mesh_generate.h"
#include "lyra/model.h"
#include "lyra/springs.h"
#include "lyra/system.h"
#include "lyra/viscosity.h"

typedef enum SystemKind { SYSTEM_SPARSE, SYSTEM_DENSE, SYSTEM_KIND_COUNT } SystemKind;

// What a block has beside its elasticity.
typedef struct BlockDef {
    bool viscous, unsymmetric; // viscosity, with its exact or its symmetric tangent
    bool consistent;
    bool dampers; // a damping matrix
    bool linear;  // a linear law
    double alpha, beta;
    bool damping_exact;
    LyraLoad *load;
    void *load_user;
    bool load_moves;
    int32_t cells[3]; // 0: 2, 1, 1
} BlockDef;

typedef struct Body {
    LyraContext *ctx;
    LyraMesh *mesh;
    LyraForce *forces[2];
    int32_t force_count;
    LyraMassMatrix *mass_matrix;
    LyraBlockPattern *damping_pattern;
    LyraBlockMatrix *damping;
    double *masses;
    LyraModel *model;
    LyraSystem *system;
    int32_t size;
    LyraVector *u, *v, *x, *y, *z;
} Body;

static inline void set_values(LyraVector *x, double size, TestRandom *random)
{
    for (int32_t i = 0; i < lyra_vector_size(x); ++i) {
        lyra_vector_values_mutable(x)[i] = size * test_random_normal(random);
    }
}

// dampers between pairs of vertices that no element joins too: d n n^T, and one to the ground
static inline void make_dampers(Body *body, LyraStorage storage)
{
    int32_t n = lyra_mesh_view(body->mesh).vertex_count;
    int32_t pairs[] = {0, n - 1, 1, n / 2, 2, 3};
    const double direction[3] = {0.6, 0, 0.8};
    LyraStencils set = {.nodes = 2, .count = 3, .ids = pairs};
    TEST_OK(lyra_block_pattern_create(body->ctx, n, storage, 1, &set, &body->damping_pattern));
    TEST_OK(lyra_block_matrix_create(body->damping_pattern, &body->damping));
    double block[9];
    for (int e = 0; e < 9; ++e) {
        block[e] = 5 * direction[e / 3] * direction[e % 3];
    }
    for (int p = 0; p < 3; ++p) {
        int32_t i = pairs[2 * p], j = pairs[2 * p + 1];
        bool full = storage == LYRA_STORAGE_FULL;
        TEST_OK(lyra_block_matrix_add_block(body->damping, i, i, 1, block));
        TEST_OK(lyra_block_matrix_add_block(body->damping, j, j, 1, block));
        // a gyration between the two, so that (i, j) is not its own transpose
        double skew[9] = {0, 0.1, 0, -0.1, 0, 0, 0, 0, 0};
        TEST_OK(lyra_block_matrix_add_block(body->damping, i, j, -1, block));
        TEST_OK(lyra_block_matrix_add_block(body->damping, i, j, 1, skew));
        if (full) {
            TEST_OK(lyra_block_matrix_add_block(body->damping, j, i, -1, block));
            TEST_OK(lyra_block_matrix_add_block(body->damping, j, i, -1, skew));
        }
    }
    TEST_OK(lyra_block_matrix_add_block(body->damping, 4, 4, 2, block));
}

static inline void make_forces(Body *body, const BlockDef *def)
{
    if (def->linear) {
        LyraCorotationalDef law = lyra_corotational_def_default();
        law.model = LYRA_COROTATIONAL_LINEAR;
        TEST_OK(lyra_corotational_create(body->ctx, body->mesh, &law, &body->forces[0]));
    } else {
        LyraElasticDef law = lyra_elastic_def_default();
        law.young = 1e4;
        law.poisson = 0.3;
        TEST_OK(lyra_elastic_create(body->ctx, body->mesh, &law, &body->forces[0]));
    }
    body->force_count = 1;
    if (def->viscous) {
        LyraViscosityDef viscosity = lyra_viscosity_def_default();
        viscosity.lambda = 30;
        viscosity.mu = 7;
        viscosity.symmetric = !def->unsymmetric;
        TEST_OK(lyra_viscosity_create(body->ctx, body->mesh, &viscosity, &body->forces[1]));
        body->force_count = 2;
    }
}

static inline void make_system(Body *body, SystemKind kind, const char *solver)
{
    LyraSolverDef def = lyra_solver_def_default();
    def.name = solver ? solver : "auto";
    def.tolerance = 1e-12;
    TEST_OK(kind == SYSTEM_SPARSE
                ? lyra_system_create_sparse(body->ctx, body->model, &def, &body->system)
                : lyra_system_create_dense(body->ctx, body->model, &body->system));
    body->size = lyra_system_size(body->system);
    LyraVector **all[] = {&body->u, &body->v, &body->x, &body->y, &body->z};
    TestRandom random = test_random(9);
    for (int i = 0; i < 5; ++i) {
        TEST_OK(lyra_vector_create(body->ctx, body->size, all[i]));
        set_values(*all[i], i == 0 ? 0.005 : 0.1, &random);
    }
}

// a body without a system
static inline Body make_block(LyraContext *ctx, const BlockDef *def)
{
    Body body = {.ctx = ctx};
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    shape.kind = LYRA_ELEMENT_TET4;
    shape.shuffle = true;
    for (int i = 0; i < 3; ++i) {
        shape.cells[i] = def->cells[i] ? def->cells[i] : 1 + (i == 0);
        shape.size[i] = 0.1 * shape.cells[i];
    }
    TEST_OK(lyra_mesh_generate(ctx, &shape, &body.mesh));
    LyraMeshView view = lyra_mesh_view(body.mesh);
    make_forces(&body, def);
    body.masses = malloc((size_t)view.vertex_count * sizeof *body.masses);
    lyra_mesh_lumped_masses(body.mesh, NULL, body.masses);
    LyraModelDef model = lyra_model_def_default();
    model.vertex_count = view.vertex_count;
    model.positions = view.positions;
    model.force_count = body.force_count;
    model.forces = body.forces;
    model.masses = body.masses;
    if (def->consistent) {
        TEST_OK(lyra_mass_matrix_create(body.mesh, NULL, !def->unsymmetric, &body.mass_matrix));
        model.mass_matrix = body.mass_matrix;
    }
    if (def->dampers) {
        make_dampers(&body,
                     def->viscous != def->consistent ? LYRA_STORAGE_UPPER : LYRA_STORAGE_FULL);
        model.damping = body.damping;
    }
    model.mass_damping = def->alpha;
    model.stiffness_damping = def->beta;
    model.damping_exact = def->damping_exact;
    model.gravity[1] = -9.81;
    model.load = def->load;
    model.load_user = def->load_user;
    model.load_moves = def->load_moves;
    TEST_OK(lyra_model_create(ctx, &model, &body.model));
    return body;
}

static inline Body make_block_system(LyraContext *ctx, const BlockDef *def, SystemKind kind)
{
    Body body = make_block(ctx, def);
    make_system(&body, kind, NULL);
    return body;
}

static inline void end_body(Body *body)
{
    LyraVector *all[] = {body->u, body->v, body->x, body->y, body->z};
    for (int i = 0; i < 5; ++i) {
        lyra_vector_destroy(all[i]);
    }
    lyra_system_destroy(body->system);
    lyra_model_destroy(body->model);
    lyra_force_destroy(body->forces[0]);
    lyra_force_destroy(body->forces[1]);
    lyra_mass_matrix_destroy(body->mass_matrix);
    lyra_block_matrix_destroy(body->damping);
    lyra_block_pattern_destroy(body->damping_pattern);
    lyra_mesh_destroy(body->mesh);
    free(body->masses);
}

static inline LyraPoint point_of(const Body *body)
{
    return (LyraPoint){.time = 0.3, .dt = 0.01, .u = body->u, .v = body->v};
}

// two vertices whole, one held along a slanted direction, one along two
static inline void hold_some(const Body *body)
{
    LyraConstraints *constraints = lyra_model_constraints(body->model);
    int32_t n = lyra_model_view(body->model).vertex_count, fixed[2] = {0, n - 1};
    const double slanted[3] = {1, 2, -1}, second[3] = {0, 1, 1};
    TEST_OK(lyra_constraints_fix_vertices(constraints, 2, fixed));
    TEST_OK(lyra_constraints_add_direction(constraints, 2, slanted));
    TEST_OK(lyra_constraints_add_direction(constraints, 3, slanted));
    TEST_OK(lyra_constraints_add_direction(constraints, 3, second));
}

// a chain along x with springs of stiffness k between neighbours, masses m, ends fixed on demand
static inline Body make_chain(LyraContext *ctx, int32_t count, double k, double m, bool held)
{
    Body body = {.ctx = ctx, .force_count = 1};
    int32_t *pairs = malloc(2 * (size_t)count * sizeof *pairs);
    double *positions = calloc(3 * (size_t)count, sizeof *positions);
    body.masses = malloc((size_t)count * sizeof *body.masses);
    for (int32_t i = 0; i < count; ++i) {
        positions[3 * i] = 0.5 * i;
        body.masses[i] = m;
        pairs[2 * i] = i;
        pairs[2 * i + 1] = i + 1;
    }
    LyraSpringsDef list = lyra_springs_def_default();
    list.vertex_count = count;
    list.spring_count = count - 1;
    list.vertices = pairs;
    list.positions = positions;
    LyraSprings *springs = NULL;
    TEST_OK(lyra_springs_create(ctx, &list, &springs));
    LyraMassSpringDef law = lyra_mass_spring_def_default();
    law.stiffness = k;
    TEST_OK(lyra_mass_spring_create(ctx, springs, &law, &body.forces[0]));
    lyra_springs_destroy(springs);
    LyraModelDef def = lyra_model_def_default();
    def.vertex_count = count;
    def.positions = positions;
    def.force_count = 1;
    def.forces = body.forces;
    def.masses = body.masses;
    TEST_OK(lyra_model_create(ctx, &def, &body.model));
    if (held) {
        int32_t ends[2] = {0, count - 1};
        TEST_OK(lyra_constraints_fix_vertices(lyra_model_constraints(body.model), 2, ends));
    }
    free(pairs);
    free(positions);
    return body;
}

#endif
