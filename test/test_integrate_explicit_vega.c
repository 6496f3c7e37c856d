// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Explicit steps by the convention of Vega, against its numbers.

#include "integrate_explicit_reference.h"
#include "lyra/lyra.h"
#include "lyra_test.h"

#include <stdlib.h>

#define FORCE_VERTEX 177
#define FORCE_STEPS 10

typedef struct Turtle {
    LyraMesh *mesh;
    LyraSolid *solid;
    LyraMassMatrix *mass;
    LyraModel *model;
    LyraSystem *system;
    LyraState *state;
    double *force;
} Turtle;

static bool make_model(LyraContext *ctx, double damping, Turtle *turtle)
{
    LyraSolidDef solid = lyra_solid_def_default();
    solid.model = "corotational";
    solid.vega = true;
    if (!TEST_OK(lyra_solid_create(ctx, turtle->mesh, &solid, &turtle->solid)) ||
        !TEST_OK(lyra_mass_matrix_create(turtle->mesh, NULL, true, &turtle->mass))) {
        return false;
    }
    LyraMeshView view = lyra_mesh_view(turtle->mesh);
    LyraModelDef def = lyra_model_def_default();
    def.vertex_count = view.vertex_count;
    def.positions = view.positions;
    def.forces = lyra_solid_forces(turtle->solid, &def.force_count);
    def.mass_matrix = turtle->mass;
    def.stiffness_damping = damping;
    def.damping_exact = true;
    turtle->force = calloc(3 * (size_t)view.vertex_count, sizeof *turtle->force);
    return TEST_OK(lyra_model_create(ctx, &def, &turtle->model));
}

static bool make_turtle(LyraContext *ctx, double damping, Turtle *turtle)
{
    const char *mesh = test_reference_path("meshes/turtle-volumetric-homogeneous.veg");
    LyraSolverDef solver = lyra_solver_def_default();
    solver.tolerance = 1e-12;
    if (!TEST_OK(lyra_mesh_load(ctx, mesh, LYRA_MESH_FORMAT_AUTO, &turtle->mesh)) ||
        !make_model(ctx, damping, turtle)) {
        return false;
    }
    const char *bou = test_reference_path("meshes/turtle-volumetric.bou");
    int32_t count = 0, *fixed = NULL, vertices = lyra_mesh_view(turtle->mesh).vertex_count;
    LyraConstraints *constraints = lyra_model_constraints(turtle->model);
    bool ok = TEST_OK(lyra_vertex_list_load(ctx, bou, 1, vertices, &count, &fixed)) &&
              TEST_OK(lyra_constraints_fix_vertices(constraints, count, fixed)) &&
              TEST_OK(lyra_system_create_sparse(ctx, turtle->model, &solver, &turtle->system)) &&
              TEST_OK(lyra_system_state_create(turtle->system, &turtle->state));
    lyra_vertex_list_destroy(ctx, fixed);
    return ok;
}

static void end_turtle(Turtle *turtle)
{
    lyra_state_destroy(turtle->state);
    lyra_system_destroy(turtle->system);
    lyra_model_destroy(turtle->model);
    lyra_mass_matrix_destroy(turtle->mass);
    lyra_solid_destroy(turtle->solid);
    lyra_mesh_destroy(turtle->mesh);
    free(turtle->force);
}

// relative to the largest entry of the same vector
static void check_vector(const char *what, int step, const LyraVector *found,
                         const double *expected)
{
    double error = 0, size = 0;
    for (int32_t p = 0; p < 3; ++p) {
        for (int32_t i = 0; i < 3; ++i) {
            double value = lyra_vector_values(found)[3 * explicit_probes[p] + i];
            error = fmax(error, fabs(value - expected[3 * p + i]));
            size = fmax(size, fabs(expected[3 * p + i]));
        }
    }
    TEST_CHECK_MSG(error <= 1e-6 * test_tolerance_scale() * size, "step %d: %s off by %.3g of %.3g",
                   step, what, error, size);
}

static void check_number(const char *what, int step, double found, double expected)
{
    TEST_CHECK_MSG(fabs(found - expected) <= 1e-6 * test_tolerance_scale() * fabs(expected),
                   "step %d: %s is %.17g, expected %.17g", step, what, found, expected);
}

static void run(const char *name, double damping, const ExplicitStep *steps, int32_t count)
{
    if (!test_reference_path("meshes/turtle-volumetric-homogeneous.veg")) {
        TEST_SKIP("the sample meshes are not here");
    }
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Turtle turtle = {0};
    LyraIntegrator *it = NULL;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = name;
    def.vega = true;
    bool ok = make_turtle(ctx, damping, &turtle) &&
              TEST_OK(lyra_integrator_create(ctx, &def, turtle.system, &it));
    for (int32_t s = 1, next = 0; ok && next < count; ++s) {
        LyraStepReport report;
        turtle.force[3 * FORCE_VERTEX + 1] = s <= FORCE_STEPS ? -200000 : 0;
        ok = TEST_OK(lyra_model_set_force(turtle.model, turtle.force)) &&
             TEST_OK(lyra_integrator_step(it, turtle.state, 0.001, &report));
        if (!ok || steps[next].step != s) {
            continue;
        }
        LyraStateView view = lyra_state_view(turtle.state);
        check_vector("u", s, view.u, steps[next].u);
        check_vector("v", s, view.v, steps[next].v);
        check_number("|u|", s, lyra_vector_norm(view.u), steps[next].norm);
        check_number("kinetic energy", s, report.kinetic, steps[next].kinetic);
        check_number("elastic energy", s, report.elastic, steps[next].elastic);
        ++next;
    }
    lyra_integrator_destroy(it);
    end_turtle(&turtle);
    test_context_end(ctx);
}

LYRA_TEST(central_differences_step_as_vega)
{
    run("central-differences", 0.01, central_differences_steps,
        sizeof central_differences_steps / sizeof central_differences_steps[0]);
}

LYRA_TEST(symplectic_euler_steps_as_vega)
{
    run("symplectic-euler", 0, symplectic_euler_steps,
        sizeof symplectic_euler_steps / sizeof symplectic_euler_steps[0]);
}
