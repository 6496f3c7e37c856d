// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Steps by the convention of Vega, semi-implicit and explicit, against its numbers.

#include "integrate_reference.h"
#include "lyra/lyra.h"
#include "lyra_test.h"

#include <stdlib.h>

#define COUNT(steps) ((int32_t)(sizeof(steps) / sizeof(steps)[0]))

// A run to be compared with Vega's numbers.
typedef struct Run {
    const char *integrator;
    double h;              // s
    double force;          // along y, N
    double damping;        // of stiffness, s
    int32_t newton;        // iterations of each step
    int32_t count;         // steps to be compared
    const VegaStep *steps; // [count]
} Run;

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
            double value = lyra_vector_values(found)[3 * VEGA_PROBES[p] + i];
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

static void check_step(const Turtle *turtle, const LyraStepReport *report, const VegaStep *expected)
{
    LyraStateView view = lyra_state_view(turtle->state);
    int step = expected->step;
    check_vector("u", step, view.u, expected->u);
    check_vector("v", step, view.v, expected->v);
    check_number("|u|", step, lyra_vector_norm(view.u), expected->norm);
    check_number("kinetic energy", step, report->kinetic, expected->kinetic);
    check_number("elastic energy", step, report->elastic, expected->elastic);
}

// steps as Vega does, and compares
static void run_steps(const Run *run)
{
    if (!test_reference_path("meshes/turtle-volumetric-homogeneous.veg")) {
        TEST_SKIP("the sample meshes are not here");
    }
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Turtle turtle = {0};
    LyraIntegrator *it = NULL;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = run->integrator;
    def.vega = true;
    def.newton.policy = LYRA_NEWTON_ONE;
    bool ok = make_turtle(ctx, run->damping, &turtle) &&
              TEST_OK(lyra_integrator_create(ctx, &def, turtle.system, &it));
    for (int32_t s = 1, next = 0; ok && next < run->count; ++s) {
        LyraStepReport report;
        turtle.force[3 * VEGA_FORCE_VERTEX + 1] = s <= VEGA_FORCE_STEPS ? run->force : 0;
        ok = TEST_OK(lyra_model_set_force(turtle.model, turtle.force)) &&
             TEST_OK(lyra_integrator_step(it, turtle.state, run->h, &report));
        if (ok && run->steps[next].step == s) {
            check_step(&turtle, &report, &run->steps[next]);
            TEST_EQUAL(report.newton_iterations, run->newton);
            ++next;
        }
    }
    lyra_integrator_destroy(it);
    end_turtle(&turtle);
    test_context_end(ctx);
}

LYRA_TEST(backward_euler_steps_as_vega)
{
    run_steps(&(Run){"backward-euler", VEGA_STEP, VEGA_FORCE, VEGA_DAMPING, 1,
                     COUNT(VEGA_BACKWARD_EULER), VEGA_BACKWARD_EULER});
}

LYRA_TEST(newmark_steps_as_vega)
{
    run_steps(&(Run){"newmark", VEGA_STEP, VEGA_FORCE, VEGA_DAMPING, 1, COUNT(VEGA_NEWMARK),
                     VEGA_NEWMARK});
}

LYRA_TEST(central_differences_step_as_vega)
{
    run_steps(&(Run){"central-differences", VEGA_EXPLICIT_STEP, VEGA_EXPLICIT_FORCE, VEGA_DAMPING,
                     0, COUNT(VEGA_CENTRAL_DIFFERENCES), VEGA_CENTRAL_DIFFERENCES});
}

LYRA_TEST(symplectic_euler_steps_as_vega)
{
    run_steps(&(Run){"symplectic-euler", VEGA_EXPLICIT_STEP, VEGA_EXPLICIT_FORCE, 0, 0,
                     COUNT(VEGA_SYMPLECTIC_EULER), VEGA_SYMPLECTIC_EULER});
}
