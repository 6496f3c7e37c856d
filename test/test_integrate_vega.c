// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Semi-implicit steps by the convention of Vega, against its numbers.

#include "integrate_cases.h"
#include "integrate_reference.h"

typedef struct Turtle {
    LyraMesh *mesh;
    LyraSolid *solid;
    LyraMassMatrix *mass;
    LyraModel *model;
    LyraSystem *system;
    LyraState *state;
    double *force;
} Turtle;

static bool make_turtle(LyraContext *ctx, Turtle *t)
{
    char path[1024];
    const char *place = test_reference_path("meshes/turtle-volumetric-homogeneous.veg");
    snprintf(path, sizeof path, "%s", place ? place : "");
    int32_t count = 0, *fixed = NULL;
    LyraSolidDef solid = lyra_solid_def_default();
    solid.model = "corotational";
    solid.vega = true;
    if (!TEST_OK(lyra_mesh_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &t->mesh)) ||
        !TEST_OK(lyra_solid_create(ctx, t->mesh, &solid, &t->solid)) ||
        !TEST_OK(lyra_mass_matrix_create(t->mesh, NULL, true, &t->mass))) {
        return false;
    }
    LyraMeshView view = lyra_mesh_view(t->mesh);
    LyraModelDef def = lyra_model_def_default();
    def.vertex_count = view.vertex_count;
    def.positions = view.positions;
    def.forces = lyra_solid_forces(t->solid, &def.force_count);
    def.mass_matrix = t->mass;
    def.stiffness_damping = VEGA_DAMPING;
    def.damping_exact = true;
    LyraSolverDef solver = lyra_solver_def_default();
    solver.tolerance = 1e-12;
    const char *bou = test_reference_path("meshes/turtle-volumetric.bou");
    bool ok =
        TEST_OK(lyra_model_create(ctx, &def, &t->model)) && bou &&
        TEST_OK(lyra_vertex_list_load(ctx, bou, 1, view.vertex_count, &count, &fixed)) &&
        TEST_OK(lyra_constraints_fix_vertices(lyra_model_constraints(t->model), count, fixed)) &&
        TEST_OK(lyra_system_create_sparse(ctx, t->model, &solver, &t->system)) &&
        TEST_OK(lyra_system_state_create(t->system, &t->state));
    lyra_vertex_list_destroy(ctx, fixed);
    t->force = calloc(3 * (size_t)view.vertex_count, sizeof *t->force);
    return ok;
}

static void end_turtle(Turtle *t)
{
    lyra_state_destroy(t->state);
    lyra_system_destroy(t->system);
    lyra_model_destroy(t->model);
    lyra_mass_matrix_destroy(t->mass);
    lyra_solid_destroy(t->solid);
    lyra_mesh_destroy(t->mesh);
    free(t->force);
}

// relative to the largest entry of the same vector
static void check_vector(const char *what, int step, const double *found, const double *expected)
{
    double error = 0, size = 0;
    for (int32_t p = 0; p < 3; ++p) {
        for (int32_t i = 0; i < 3; ++i) {
            double e = expected[3 * p + i];
            error = fmax(error, fabs(found[3 * VEGA_PROBES[p] + i] - e));
            size = fmax(size, fabs(e));
        }
    }
    TEST_CHECK_MSG(error <= 1e-6 * test_tolerance_scale() * size, "step %d: %s off by %.3g of %.3g",
                   step, what, error, size);
}

static void run(const char *name, const VegaStep *steps, int32_t count)
{
    if (!test_reference_path("meshes/turtle-volumetric-homogeneous.veg")) {
        TEST_SKIP("the sample meshes are not here");
    }
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Turtle t = {0};
    LyraIntegrator *it = NULL;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = name;
    def.vega = true;
    def.newton.policy = LYRA_NEWTON_ONE;
    if (make_turtle(ctx, &t) && TEST_OK(lyra_integrator_create(ctx, &def, t.system, &it))) {
        int32_t next = 0;
        for (int32_t s = 1; next < count; ++s) {
            LyraStepReport report;
            t.force[3 * VEGA_FORCE_VERTEX + 1] = s <= VEGA_FORCE_STEPS ? VEGA_FORCE : 0;
            TEST_OK(lyra_model_set_force(t.model, t.force));
            if (!TEST_OK(lyra_integrator_step(it, t.state, VEGA_STEP, &report))) {
                break;
            }
            if (steps[next].step != s) {
                continue;
            }
            LyraStateView view = lyra_state_view(t.state);
            check_vector("u", s, lyra_vector_values(view.u), steps[next].u);
            check_vector("v", s, lyra_vector_values(view.v), steps[next].v);
            TEST_NEAR(lyra_vector_norm(view.u), steps[next].norm, 1e-6 * steps[next].norm);
            TEST_NEAR(report.kinetic, steps[next].kinetic, 1e-6 * steps[next].kinetic);
            TEST_NEAR(report.elastic, steps[next].elastic, 1e-6 * steps[next].elastic);
            TEST_EQUAL(report.newton_iterations, 1);
            ++next;
        }
    }
    lyra_integrator_destroy(it);
    end_turtle(&t);
    test_context_end(ctx);
}

LYRA_TEST(backward_euler_steps_as_vega)
{
    run("backward-euler", VEGA_BACKWARD_EULER,
        sizeof VEGA_BACKWARD_EULER / sizeof VEGA_BACKWARD_EULER[0]);
}

LYRA_TEST(newmark_steps_as_vega)
{
    run("newmark", VEGA_NEWMARK, sizeof VEGA_NEWMARK / sizeof VEGA_NEWMARK[0]);
}
