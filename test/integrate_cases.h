// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Systems that the tests of integrators move: the toy equation, and bodies of tets.

#ifndef INTEGRATE_CASES_H
#define INTEGRATE_CASES_H

#include "lyra_test.h"

#include "lyra/lyra.h"

#include <stdlib.h>
#include <string.h>

// ---- the toy equation ---------------------------------------------------------------------------

// z'' = 1000 (-1 - z) - 10 z' - 10, z(0) = -1, z'(0) = -5
static inline void toy_force(void *user, double t, const double *u, const double *v, double *g,
                             double *energy)
{
    (void)user, (void)t, (void)v;
    g[0] += 1010;
    if (energy) {
        *energy += 1010 * u[0];
    }
}

static inline void toy_tangent(void *user, double t, const double *u, const double *v, double *K,
                               double *C)
{
    (void)user, (void)t, (void)u, (void)v, (void)K, (void)C;
}

static inline LyraSystem *make_toy(LyraContext *ctx)
{
    const double mass = 1, damping = 10, stiffness = 1000;
    LyraDenseSystemDef def = lyra_dense_system_def_default();
    def.size = 1;
    def.mass = &mass;
    def.damping = &damping;
    def.stiffness = &stiffness;
    def.force = toy_force;
    def.tangent = toy_tangent;
    def.traits = LYRA_SYSTEM_SYMMETRIC | LYRA_SYSTEM_POTENTIAL | LYRA_SYSTEM_LINEAR |
                 LYRA_SYSTEM_LUMPED | LYRA_SYSTEM_STATIONARY;
    LyraSystem *system = NULL;
    TEST_OK(lyra_system_create_dense_functions(ctx, &def, &system));
    return system;
}

static inline double toy_solution(double t)
{
    double w = 5 * sqrt(39.0);
    return exp(-5 * t) * (0.01 * cos(w * t) - 33 * sqrt(39.0) / 1300 * sin(w * t)) - 1.01;
}

// largest error of `def` on the toy equation over [0, 1] with `steps` steps
static inline double toy_error(LyraContext *ctx, LyraSystem *system, const LyraIntegratorDef *def,
                               int32_t steps)
{
    LyraState *state = NULL;
    LyraIntegrator *it = NULL;
    TEST_OK(lyra_system_state_create(system, &state));
    TEST_OK(lyra_integrator_create(ctx, def, system, &it));
    lyra_vector_values_mutable(lyra_state_view(state).u)[0] = -1;
    lyra_vector_values_mutable(lyra_state_view(state).v)[0] = -5;
    double worst = 0;
    for (int32_t i = 0; i < steps; ++i) {
        if (!TEST_OK(lyra_integrator_step(it, state, 1.0 / steps, NULL))) {
            worst = NAN;
            break;
        }
        LyraStateView view = lyra_state_view(state);
        worst = fmax(worst, fabs(lyra_vector_values(view.u)[0] - toy_solution(view.time)));
    }
    lyra_integrator_destroy(it);
    lyra_state_destroy(state);
    return worst;
}

// ---- bodies -------------------------------------------------------------------------------------

typedef struct Body {
    LyraMesh *mesh;
    LyraSolid *solid;
    LyraModel *model;
    LyraSystem *system;
    LyraState *state;
    int32_t vertex_count, size;
} Body;

typedef struct BodyDef {
    const char *model; // of lyra_solid_model()
    double young, poisson, density;
    LyraInversion inversion;
    LyraElementKind kind;      // default tets
    LyraVolumetric volumetric; // default standard
    double threshold;          // of inversion; 0: the default
    int32_t cells[3];
    double edge;   // of a cell, m
    double center; // x = y = z of the middle, m
    double gravity;
    double mass_damping, stiffness_damping;
    bool damping_exact;
    const char *solver; // "dense": a dense system; NULL: auto
    bool fixed;         // the face x = lowest
    bool consistent;
    LyraPrescription *prescription;
    void *prescription_user;
    bool held_both;                                // the face x = highest too
    const LyraPlasticityDef *plasticity;           // Nullable
    const LyraViscoelasticityDef *viscoelasticity; // Nullable
} BodyDef;

static inline BodyDef body_def(void)
{
    return (BodyDef){.model = "neo-hookean",
                     .young = 1e5,
                     .poisson = 0.4,
                     .density = 1000,
                     .inversion = LYRA_INVERSION_EXTEND,
                     .cells = {4, 2, 2},
                     .edge = 0.1,
                     .fixed = true};
}

static inline bool make_body(LyraContext *ctx, const BodyDef *def, Body *out)
{
    Body body = {0};
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraMeshMaterial material = lyra_mesh_material_default();
    material.density = def->density;
    shape.material = &material;
    for (int i = 0; i < 3; ++i) {
        shape.kind = def->kind;
        shape.cells[i] = def->cells[i];
        shape.size[i] = def->edge * def->cells[i];
        shape.center[i] = def->center;
    }
    LyraSolidDef solid = lyra_solid_def_default();
    solid.model = def->model;
    solid.young = def->young;
    solid.poisson = def->poisson;
    solid.inversion = def->inversion;
    solid.plasticity = def->plasticity;
    solid.viscoelasticity = def->viscoelasticity;
    solid.volumetric = def->volumetric;
    solid.inversion_threshold = def->threshold > 0 ? def->threshold : solid.inversion_threshold;
    if (!TEST_OK(lyra_mesh_generate(ctx, &shape, &body.mesh)) ||
        !TEST_OK(lyra_solid_create(ctx, body.mesh, &solid, &body.solid))) {
        *out = body;
        return false;
    }
    LyraMeshView view = lyra_mesh_view(body.mesh);
    body.vertex_count = view.vertex_count;
    body.size = 3 * view.vertex_count;
    double *masses = malloc((size_t)view.vertex_count * sizeof *masses);
    int32_t *held = malloc((size_t)view.vertex_count * sizeof *held), held_count = 0;
    lyra_mesh_lumped_masses(body.mesh, NULL, masses);
    LyraMassMatrix *matrix = NULL;
    if (def->consistent) {
        TEST_OK(lyra_mass_matrix_create(body.mesh, NULL, true, &matrix));
    }
    LyraModelDef model = lyra_model_def_default();
    model.vertex_count = view.vertex_count;
    model.positions = view.positions;
    model.forces = lyra_solid_forces(body.solid, &model.force_count);
    model.masses = masses;
    model.mass_matrix = matrix;
    model.mass_damping = def->mass_damping;
    model.stiffness_damping = def->stiffness_damping;
    model.damping_exact = def->damping_exact;
    model.gravity[1] = def->gravity;
    model.prescription = def->prescription;
    model.prescription_user = def->prescription_user;
    bool ok = TEST_OK(lyra_model_create(ctx, &model, &body.model));
    double end = 0.5 * def->edge * def->cells[0] * (1 - 1e-9);
    for (int32_t i = 0; i < view.vertex_count; ++i) {
        double x = view.positions[3 * i] - def->center;
        if ((def->fixed && x < -end) || (def->held_both && x > end)) {
            held[held_count++] = i;
        }
    }
    if (ok) {
        ok = TEST_OK(
            lyra_constraints_fix_vertices(lyra_model_constraints(body.model), held_count, held));
        LyraSolverDef solver = lyra_solver_def_default();
        solver.name = def->solver ? def->solver : "auto";
        ok = ok &&
             (def->solver && strcmp(def->solver, "dense") == 0
                  ? TEST_OK(lyra_system_create_dense(ctx, body.model, &body.system))
                  : TEST_OK(lyra_system_create_sparse(ctx, body.model, &solver, &body.system)));
        ok = ok && TEST_OK(lyra_system_state_create(body.system, &body.state));
    }
    free(masses);
    free(held);
    lyra_mass_matrix_destroy(matrix);
    *out = body;
    return ok;
}

static inline void end_body(Body *body)
{
    lyra_state_destroy(body->state);
    lyra_system_destroy(body->system);
    lyra_model_destroy(body->model);
    lyra_solid_destroy(body->solid);
    lyra_mesh_destroy(body->mesh);
}

static inline double *body_u(const Body *body)
{
    return lyra_vector_values_mutable(lyra_state_view(body->state).u);
}

static inline double *body_v(const Body *body)
{
    return lyra_vector_values_mutable(lyra_state_view(body->state).v);
}

#endif
