// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Scalar nodes: unknowns of edges that are no places. What holds them, what does not see them, what
// counts them.

#include "lyra/elastic.h"
#include "lyra/integrator.h"
#include "lyra/mesh_generate.h"
#include "lyra/mesh_ops.h"
#include "lyra/model.h"
#include "lyra/solver.h"
#include "lyra/system.h"

#include "lyra_test.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define W LYRA_BATCH_WIDTH
#define PLACES 12
#define SCALARS 3
#define NODES (PLACES + SCALARS)
#define STIFFNESS 50.0
#define INERTIA 0.02

// E = k/2 (phi - (u_1 - u_0)_x)^2 of two vertices and a scalar node between them
static void turn(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)self, (void)scratch;
    for (int e = 0; e < W; ++e) {
        const double signs[3] = {1, -1, 1}, *u = batch->u;
        double r = u[6 * W + e] - u[3 * W + e] + u[e];
        if (batch->energy) {
            batch->energy[e] = 0.5 * STIFFNESS * r * r;
        }
        for (int i = 0; batch->gradient && i < 9; ++i) {
            batch->gradient[i * W + e] = i % 3 == 0 ? STIFFNESS * r * signs[i / 3] : 0;
        }
        for (int a = 0, block = 0; batch->dfdx && a < 3; ++a) {
            for (int b = a; b < 3; ++b, ++block) {
                for (int i = 0; i < 9; ++i) {
                    batch->dfdx[(9 * block + i) * W + e] =
                        i == 0 ? STIFFNESS * signs[a] * signs[b] : 0;
                }
            }
        }
    }
}

static const LyraForceType turn_type = {
    .name = "turn",
    .nodes = 3,
    .traits = LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_SYMMETRIC | LYRA_FORCE_LINEAR |
              LYRA_FORCE_DISPLACEMENT | LYRA_FORCE_DEFINITE,
    .evaluate = turn,
};

/// A block of 12 vertices with a scalar node on three of its edges.
typedef struct Block {
    LyraContext *ctx;
    LyraMesh *mesh;
    LyraForce *forces[2];
    double positions[3 * NODES], masses[NODES];
    LyraModelBody body;
    LyraModelDef def;
    LyraModel *model;
    LyraSystem *system;
    LyraIntegrator *integrator;
    LyraState *state;
} Block;

static void make_block(int32_t threads, Block *block)
{
    static const int32_t stencils[3 * SCALARS] = {0, 1, 12, 1, 2, 13, 3, 4, 14};
    *block = (Block){.ctx = test_context(threads, LYRA_ISA_AUTO)};
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    shape.cells[0] = 2;
    shape.cells[1] = shape.cells[2] = 1;
    shape.size[0] = 0.2;
    shape.size[1] = shape.size[2] = 0.1;
    TEST_OK(lyra_mesh_generate(block->ctx, &shape, &block->mesh));
    LyraMeshView mesh = lyra_mesh_view(block->mesh);
    TEST_EQUAL(mesh.vertex_count, PLACES);
    LyraElasticDef elastic = lyra_elastic_def_default();
    elastic.young = 1e4;
    TEST_OK(lyra_elastic_create(block->ctx, block->mesh, &elastic, &block->forces[0]));
    LyraForceDef force = lyra_force_def_default();
    force.type = &turn_type;
    force.stencil_count = SCALARS;
    force.stencils = stencils;
    TEST_OK(lyra_force_create(block->ctx, &force, &block->forces[1]));
    memcpy(block->positions, mesh.positions, 3 * PLACES * sizeof(double));
    lyra_mesh_lumped_masses(block->mesh, NULL, block->masses);
    for (int s = 0; s < SCALARS; ++s) {
        for (int i = 0; i < 3; ++i) {
            block->positions[3 * (PLACES + s) + i] =
                0.5 * (mesh.positions[3 * stencils[3 * s] + i] +
                       mesh.positions[3 * stencils[3 * s + 1] + i]);
        }
        block->masses[PLACES + s] = INERTIA;
    }
    block->body = (LyraModelBody){.name = "block", .vertex_count = NODES, .scalar_count = SCALARS};
    block->def = lyra_model_def_default();
    block->def.vertex_count = NODES;
    block->def.positions = block->positions;
    block->def.masses = block->masses;
    block->def.bodies = &block->body;
    block->def.body_count = 1;
    block->def.forces = block->forces;
    block->def.force_count = 2;
    TEST_OK(lyra_model_create(block->ctx, &block->def, &block->model));
}

static void run_block(Block *block, const char *integrator, bool dense)
{
    LyraSolverDef solver = lyra_solver_def_default();
    solver.task = strcmp(integrator, "static") == 0 ? LYRA_SOLVER_STATICS : LYRA_SOLVER_DYNAMICS;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = integrator;
    TEST_OK(dense ? lyra_system_create_dense(block->ctx, block->model, &block->system)
                  : lyra_system_create_sparse(block->ctx, block->model, &solver, &block->system));
    TEST_OK(lyra_integrator_create(block->ctx, &def, block->system, &block->integrator));
    TEST_OK(lyra_system_state_create(block->system, &block->state));
}

static void stop_block(Block *block)
{
    lyra_state_destroy(block->state);
    lyra_integrator_destroy(block->integrator);
    lyra_system_destroy(block->system);
    block->state = NULL;
    block->integrator = NULL;
    block->system = NULL;
}

static void end_block(Block *block)
{
    stop_block(block);
    lyra_model_destroy(block->model);
    lyra_force_destroy(block->forces[0]);
    lyra_force_destroy(block->forces[1]);
    lyra_mesh_destroy(block->mesh);
    test_context_end(block->ctx);
}

static double *values(const Block *block, bool velocity)
{
    LyraStateView state = lyra_state_view(block->state);
    return lyra_vector_values_mutable(velocity ? state.v : state.u);
}

static int32_t held(const Block *block)
{
    return lyra_constraints_view(lyra_model_constraints(block->model)).count;
}

LYRA_TEST(two_of_three_unknowns_are_held_whatever_is_cleared)
{
    Block block;
    make_block(1, &block);
    LyraConstraints *constraints = lyra_model_constraints(block.model);
    const int32_t scalar = PLACES + 1, corner = 0;
    TEST_EQUAL(held(&block), 2 * SCALARS);
    TEST_OK(lyra_constraints_fix_vertices(constraints, 1, &scalar));
    TEST_OK(lyra_constraints_fix_vertices(constraints, 1, &corner));
    TEST_EQUAL(held(&block), 2 * SCALARS + 4);
    TEST_OK(lyra_constraints_release_vertices(constraints, 1, &scalar));
    TEST_EQUAL(held(&block), 2 * SCALARS + 3);
    lyra_constraints_clear(constraints);
    TEST_EQUAL(held(&block), 2 * SCALARS);
    // nor does a value move them: the first alone can be prescribed
    double bar[3 * NODES];
    for (int i = 0; i < 3 * NODES; ++i) {
        bar[i] = 7;
    }
    TEST_OK(lyra_constraints_fix_vertices(constraints, 1, &scalar));
    TEST_OK(lyra_constraints_set_values(constraints, bar));
    LyraConstraintsView view = lyra_constraints_view(constraints);
    for (int k = 0; k < view.count; ++k) {
        TEST_EQUAL(view.value[k], view.direction[3 * k] == 1 ? 7 : 0);
    }
    end_block(&block);
}

static void prescribe_all(void *user, double t, double *u, double *v, double *a)
{
    (void)user, (void)t, (void)v, (void)a;
    for (int i = 0; i < 3 * NODES; ++i) {
        u[i] = 0.25;
    }
}

LYRA_TEST(a_prescription_moves_the_unknown_alone)
{
    Block block;
    make_block(1, &block);
    lyra_model_destroy(block.model);
    block.def.prescription = prescribe_all;
    TEST_OK(lyra_model_create(block.ctx, &block.def, &block.model));
    const int32_t scalar = PLACES;
    TEST_OK(lyra_constraints_fix_vertices(lyra_model_constraints(block.model), 1, &scalar));
    for (int dense = 0; dense < 2; ++dense) {
        run_block(&block, "backward-euler", dense);
        TEST_OK(lyra_integrator_step(block.integrator, block.state, 0.01, NULL));
        const double *u = values(&block, false);
        TEST_NEAR(u[3 * PLACES], 0.25, 0);
        for (int s = PLACES; s < NODES; ++s) {
            TEST_EQUAL(u[3 * s + 1], 0);
            TEST_EQUAL(u[3 * s + 2], 0);
        }
        stop_block(&block);
    }
    end_block(&block);
}

LYRA_TEST(gravity_pulls_on_places_alone)
{
    Block block;
    make_block(1, &block);
    const double g[3] = {3, -9.81, 1};
    TEST_OK(lyra_model_set_gravity(block.model, g));
    for (int dense = 0; dense < 2; ++dense) {
        run_block(&block, "backward-euler", dense);
        for (int s = 0; s < 10; ++s) {
            TEST_OK(lyra_integrator_step(block.integrator, block.state, 0.01, NULL));
        }
        for (int i = 0; i < 3 * NODES; ++i) {
            // falls as one, and nothing turns
            TEST_NEAR(values(&block, true)[i], i < 3 * PLACES ? 0.1 * g[i % 3] : 0, 1e-9);
        }
        stop_block(&block);
    }
    end_block(&block);
}

// with its places held, a scalar node is an oscillator of its stiffness and its mass
LYRA_TEST(kinetic_energy_and_motion_include_them)
{
    Block block;
    make_block(1, &block);
    int32_t corners[PLACES];
    for (int i = 0; i < PLACES; ++i) {
        corners[i] = i;
    }
    TEST_OK(lyra_constraints_fix_vertices(lyra_model_constraints(block.model), PLACES, corners));
    run_block(&block, "implicit-midpoint", false);
    double omega = sqrt(STIFFNESS / INERTIA), h = 1e-3;
    values(&block, true)[3 * PLACES] = 2;
    LyraStepReport report = {0};
    for (int s = 0; s < 100; ++s) {
        TEST_OK(lyra_integrator_step(block.integrator, block.state, h, &report));
    }
    // the midpoint rule turns the phase by 2 atan(omega h / 2)
    double phase = 200 * atan(0.5 * omega * h);
    TEST_NEAR(values(&block, true)[3 * PLACES], 2 * cos(phase), 1e-7);
    TEST_NEAR(values(&block, false)[3 * PLACES], 2 / omega * sin(phase), 1e-8);
    TEST_NEAR(report.kinetic + report.elastic, 0.5 * INERTIA * 4, 1e-9);
    end_block(&block);
}

LYRA_TEST(the_rest_shape_is_fitted_to_places_alone)
{
    Block block;
    make_block(1, &block);
    double u[3 * NODES], rest[3 * NODES];
    for (int i = 0; i < 3 * NODES; ++i) {
        u[i] = i < 3 * PLACES ? 0.5 : i % 3 == 0 ? 100 : 0;
    }
    ly_rest_place(block.model, u, rest);
    for (int i = 0; i < 3 * NODES; ++i) {
        TEST_NEAR(rest[i], i < 3 * PLACES ? 0.5 : 0, 1e-12);
    }
    TEST_NEAR(block.model->extent, 0.2, 1e-12);
    end_block(&block);
    // where scalar nodes are does not matter
    make_block(1, &block);
    lyra_model_destroy(block.model);
    block.positions[3 * PLACES] = 50;
    TEST_OK(lyra_model_create(block.ctx, &block.def, &block.model));
    TEST_NEAR(block.model->extent, 0.2, 1e-12);
    TEST_NEAR(block.model->middle[0], 0.5 * (block.positions[0] + block.positions[3 * 2]), 1e-12);
    TEST_CHECK(lyra_model_view(block.model).scalar[PLACES]);
    TEST_CHECK(!lyra_model_view(block.model).scalar[PLACES - 1]);
    end_block(&block);
}

// the held unknowns of scalar nodes are no supports, and their own do not float
LYRA_TEST(rigid_motions_see_places_alone)
{
    Block block;
    make_block(1, &block);
    LyraFreeMode modes[6];
    int32_t count = 0, corners[3] = {0, 2, 6};
    LyraConstraints *constraints = lyra_model_constraints(block.model);
    TEST_OK(lyra_constraints_free_modes(block.ctx, constraints, block.model->pattern,
                                        block.positions, 6, modes, &count));
    TEST_EQUAL(count, 6);
    const double g[3] = {0, -9.81, 0};
    TEST_OK(lyra_model_set_gravity(block.model, g));
    run_block(&block, "static", false);
    LyraStepReport report = {0};
    TEST_CHECK(lyra_integrator_step(block.integrator, block.state, 1, &report) != LYRA_OK);
    TEST_CONTAINS(lyra_error_message(), "6 rigid motions free");
    stop_block(&block);
    TEST_OK(lyra_constraints_fix_vertices(constraints, 3, corners));
    run_block(&block, "static", false);
    TEST_OK(lyra_integrator_step(block.integrator, block.state, 1, &report));
    // free scalar nodes follow their edges
    const double *u = values(&block, false);
    TEST_NEAR(u[3 * 13], u[3 * 2] - u[3 * 1], 1e-9);
    TEST_CHECK(fabs(u[3 * 13]) > 1e-7);
    end_block(&block);
}

LYRA_TEST(explicit_methods_refuse_them_in_a_sentence)
{
    Block block;
    make_block(1, &block);
    LyraSolverDef solver = lyra_solver_def_default();
    LyraIntegratorFacts facts;
    LyraSystem *system = NULL;
    TEST_OK(lyra_system_create_sparse(block.ctx, block.model, &solver, &system));
    for (int32_t i = 0; lyra_integrator_name(i, &facts); ++i) {
        LyraIntegratorDef def = lyra_integrator_def_default();
        LyraIntegrator *it = NULL;
        def.name = facts.name;
        if (facts.constant) {
            continue;
        }
        LyraStatus status = lyra_integrator_create(block.ctx, &def, system, &it);
        TEST_EQUAL(status, facts.is_implicit ? LYRA_OK : LYRA_UNSUPPORTED);
        if (!facts.is_implicit) {
            TEST_CONTAINS(lyra_error_message(), "unknowns of edges");
            TEST_CONTAINS(lyra_error_message(), facts.name);
        }
        lyra_integrator_destroy(it);
    }
    lyra_system_destroy(system);
    end_block(&block);
}

LYRA_TEST(states_carry_them_bit_by_bit_at_any_thread_count)
{
    double ends[2][3 * NODES];
    for (int run = 0; run < 2; ++run) {
        Block block;
        make_block(run ? 3 : 1, &block);
        const double g[3] = {0, -9.81, 0};
        const int32_t corners[3] = {0, 3, 6};
        TEST_OK(lyra_model_set_gravity(block.model, g));
        TEST_OK(lyra_constraints_fix_vertices(lyra_model_constraints(block.model), 3, corners));
        run_block(&block, "backward-euler", false);
        for (int s = 0; s < 6; ++s) {
            if (run == 1 && s == 3) {
                // goes on from a packed copy in a system made anew
                size_t size = lyra_state_packed_size(block.state);
                void *bytes = malloc(size);
                lyra_state_pack(block.state, bytes);
                stop_block(&block);
                run_block(&block, "backward-euler", false);
                TEST_OK(lyra_state_unpack(block.state, bytes, size));
                free(bytes);
            }
            TEST_OK(lyra_integrator_step(block.integrator, block.state, 0.01, NULL));
        }
        memcpy(ends[run], values(&block, false), sizeof ends[run]);
        TEST_CHECK(ends[run][3 * PLACES] != 0);
        end_block(&block);
    }
    TEST_CHECK(memcmp(ends[0], ends[1], sizeof ends[0]) == 0);
}

LYRA_TEST(counts_of_scalar_nodes_that_cannot_be_are_refused)
{
    Block block;
    make_block(1, &block);
    LyraModel *model = NULL;
    block.body.scalar_count = -1;
    TEST_STATUS(lyra_model_create(block.ctx, &block.def, &model), LYRA_INVALID_ARGUMENT);
    block.body.scalar_count = NODES + 1;
    TEST_STATUS(lyra_model_create(block.ctx, &block.def, &model), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "16 scalar nodes among 15 vertices");
    // none leave no trace
    block.body.scalar_count = 0;
    TEST_OK(lyra_model_create(block.ctx, &block.def, &model));
    TEST_CHECK(lyra_model_view(model).scalar == NULL);
    TEST_EQUAL(lyra_constraints_view(lyra_model_constraints(model)).count, 0);
    lyra_model_destroy(model);
    end_block(&block);
}
