// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Vega's scenes move as Vega moves them: its trajectories of the turtle, and what each key does to
// bodies whose motion is known, flaws included.

#include "scene_config_files.h"

#include "integrate_reference.h"
#include "model/model.h"

#define STEP 0.01
#define G 9.81

// ---- trajectories -------------------------------------------------------------------------------

// relative to the largest entry of the same vector
static void check_probes(const char *what, int step, const double *found, const double *expected)
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

static void run_turtle(const char *solver, double dt, double force, const VegaStep *steps,
                       int32_t count)
{
    const char *found = test_reference_path("meshes/turtle-volumetric-homogeneous.veg");
    if (!found) {
        TEST_SKIP("the sample meshes are not here");
    }
    char mesh[1024], text[4096];
    snprintf(mesh, sizeof mesh, "%s", found);
    snprintf(text, sizeof text,
             "*volumetricMeshFilename\n%s\n*fixedVerticesFilename\n%s\n*deformableObjectMethod\n"
             "CLFEM\n*solver\n%s\n*timestep\n%.17g\n*dampingMassCoef\n0\n*dampingStiffnessCoef\n"
             "0.01\n*deformableObjectCompliance\n30\n*frequencyScaling\n1\n"
             "*lightingConfigFilename\nturtle.lighting\n*forceLoadsFilename\nturtle.loads\n",
             mesh, test_reference_path("meshes/turtle-volumetric.bou"), solver, dt);
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    enum { TURTLE_SIZE = 3 * 347 };
    double *loads = calloc((size_t)TURTLE_SIZE * VEGA_FORCE_STEPS, sizeof *loads);
    for (int32_t s = 0; s < VEGA_FORCE_STEPS; ++s) {
        loads[s * TURTLE_SIZE + 3 * VEGA_FORCE_VERTEX + 1] = force;
    }
    write_matrix(ctx, "turtle.loads", TURTLE_SIZE, VEGA_FORCE_STEPS, loads);
    LyraWorld *world = load_text(ctx, text);
    int32_t next = 0;
    for (int32_t s = 1; world && next < count; ++s) {
        LyraStepReport report;
        if (!TEST_OK(lyra_world_step(world, &report))) {
            break;
        }
        if (steps[next].step == s) {
            check_probes("u", s, displacements(world), steps[next].u);
            check_probes("v", s, velocities(world), steps[next].v);
            TEST_NEAR(report.kinetic, steps[next].kinetic, 1e-6 * steps[next].kinetic);
            TEST_NEAR(report.elastic, steps[next].elastic, 1e-6 * steps[next].elastic);
            ++next;
        }
    }
    TEST_EQUAL(next, count);
    lyra_world_destroy(world);
    free(loads);
    test_context_end(ctx);
}

#define STEPS_OF(table) (table), (int32_t)(sizeof(table) / sizeof(table)[0])

LYRA_TEST(backward_euler_goes_vegas_way)
{
    run_turtle("implicitBackwardEuler", VEGA_STEP, VEGA_FORCE, STEPS_OF(VEGA_BACKWARD_EULER));
}

LYRA_TEST(newmark_goes_vegas_way)
{
    run_turtle("implicitNewmark", VEGA_STEP, VEGA_FORCE, STEPS_OF(VEGA_NEWMARK));
}

LYRA_TEST(central_differences_go_vegas_way)
{
    run_turtle("centralDifferences", VEGA_EXPLICIT_STEP, VEGA_EXPLICIT_FORCE,
               STEPS_OF(VEGA_CENTRAL_DIFFERENCES));
}

LYRA_TEST(symplectic_euler_goes_vegas_way)
{
    run_turtle("symplecticEuler", VEGA_EXPLICIT_STEP, VEGA_EXPLICIT_FORCE,
               STEPS_OF(VEGA_SYMPLECTIC_EULER));
}

// ---- gravity ------------------------------------------------------------------------------------

// momentum along y after one step of a free body
static double falling(LyraContext *ctx, const char *keys)
{
    char text[2048];
    double total[3] = {0};
    snprintf(text, sizeof text, REQUIRED "*solver\nimplicitBackwardEuler\n%s", keys);
    LyraWorld *world = load_text(ctx, text);
    if (world && take_steps(world, 1)) {
        momentum(world, total);
    }
    lyra_world_destroy(world);
    return total[1];
}

#define SPRINGS(switch_on)                                                                         \
    "*density\n7\n*tensileStiffness\n1000\n*damping\n3\n*addGravity\n" switch_on "\n"

LYRA_TEST(gravity_is_vegas)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    write_bar(ctx, "bar.veg", LYRA_ELEMENT_TET4, 1e5);
    write_bar(ctx, "cubes.veg", LYRA_ELEMENT_CUBE8, 1e5);
    write_text("bar.massspring", "*tetMeshFilename\nbar.veg\n" SPRINGS("0"));
    write_text("falls.massspring", "*tetMeshFilename\nbar.veg\n" SPRINGS("1"));
    double mass = BAR_DENSITY * BAR_VOLUME;
    // tolerances are rounding, and the solver's 1e-10
    TEST_NEAR(falling(ctx, BAR), 0, 1e-12);
    TEST_NEAR(falling(ctx, BAR "*addGravity\n1\n"), -mass * G * STEP, 1e-8);
    TEST_NEAR(falling(ctx, "*volumetricMeshFilename\ncubes.veg\n*addGravity\n1\n*g\n5\n"),
              -mass * 5 * STEP, 1e-8);
    TEST_NEAR(falling(ctx, BAR "*addGravity\n1\n*frequencyScaling\n2\n"), -4 * mass * G * STEP,
              1e-8);
    // none at all
    TEST_NEAR(falling(ctx, BAR "*addGravity\n1\n*deformableObjectMethod\nCLFEM\n"), 0, 1e-12);
    TEST_NEAR(falling(ctx, BAR "*addGravity\n1\n*deformableObjectMethod\nLinearFEM\n"), 0, 1e-12);
    // g newtons on each vertex
    TEST_NEAR(falling(ctx, BAR "*addGravity\n1\n*deformableObjectMethod\nInvertibleFEM\n"
                               "*invertibleMaterial\nneoHookean\n"),
              -BAR_VERTICES * G * STEP, 1e-8);
    // up, and without density
    const char *springs = "*massSpringSystemTetMeshConfigFilename\n";
    char keys[512];
    snprintf(keys, sizeof keys, "%sbar.massspring\n*addGravity\n1\n*g\n5\n", springs);
    TEST_NEAR(falling(ctx, keys), BAR_VOLUME * 5 * STEP, 1e-10);
    snprintf(keys, sizeof keys, "%sfalls.massspring\n*g\n5\n", springs);
    TEST_NEAR(falling(ctx, keys), BAR_VOLUME * G * STEP, 1e-10);
    snprintf(keys, sizeof keys, "%sbar.massspring\n*g\n5\n", springs);
    TEST_NEAR(falling(ctx, keys), 0, 1e-12);
    test_context_end(ctx);
}

// ---- springs ------------------------------------------------------------------------------------

LYRA_TEST(springs_of_volumes_and_quads_weigh_without_density)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    write_bar(ctx, "cubes.veg", LYRA_ELEMENT_CUBE8, 1e5);
    write_text("cubes.massspring", "*cubicMeshFilename\ncubes.veg\n" SPRINGS("0"));
    LyraWorld *world =
        load_text(ctx, REQUIRED "*massSpringSystemCubicMeshConfigFilename\ncubes.massspring\n");
    if (world && take_steps(world, 3)) {
        LyraWorldView view = lyra_world_view(world);
        TEST_NEAR(lyra_model_view(view.model).masses[0], BAR_VOLUME / 4 / 8, 1e-16);
        TEST_STRING(view.bodies[0].kind, "springs");
        TEST_CHECK(view.bodies[0].mesh && !view.bodies[0].solid);
    }
    lyra_world_destroy(world);
    // two quads of one square metre
    write_text("quads.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nv 1 1 0\nv 2 1 0\n"
                            "f 1 2 5 4\nf 2 3 6 5\n");
    write_text("quads.massspring",
               "*massSpringMeshFilename\nquads.obj\n*surfaceDensity\n9\n*tensileStiffness\n100\n"
               "*shearStiffness\n10\n*bendStiffness\n1\n*damping\n0\n*addGravity\n0\n");
    double stretch[18] = {0};
    stretch[3 * 2] = stretch[3 * 5] = 0.5;
    write_matrix(ctx, "stretch.u", 18, 1, stretch);
    world =
        load_text(ctx, REQUIRED "*massSpringSystemObjConfigFilename\nquads.massspring\n"
                                "*initialPositionFilename\nstretch.u\n*solver\nsymplecticEuler\n");
    if (world && take_steps(world, 1)) {
        LyraWorldView view = lyra_world_view(world);
        TEST_CHECK(!view.bodies[0].mesh && !view.bodies[0].solid);
        TEST_EQUAL(view.bodies[0].surface_count, 1);
        TEST_NEAR(lyra_model_view(view.model).masses[0], 0.25, 1e-15);
        TEST_NEAR(lyra_model_view(view.model).masses[1], 0.5, 1e-15);
        // on the corner at (2, 0): the edge of 1 m is longer by 0.5 m, as is the bend spring of 2
        // m, and the diagonal of the quad, along (1.5, 1)
        double diagonal = hypot(1.5, 1);
        double shear = 10 * (diagonal - sqrt(2)) / diagonal;
        TEST_NEAR(velocities(world)[3 * 2], -(100 * 0.5 + 1 * 0.5 + shear * 1.5) / 0.25 * STEP,
                  1e-12);
        TEST_NEAR(velocities(world)[3 * 2 + 1], shear * 1 / 0.25 * STEP, 1e-12);
    }
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(chains_hang_from_their_end)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = load_text(ctx, REQUIRED "*customMassSpringSystem\nchain,5,100\n"
                                               "*solver\nimplicitBackwardEuler\n");
    if (world) {
        LyraWorldView view = lyra_world_view(world);
        TEST_EQUAL(view.bodies[0].vertex_count, 5);
        TEST_NEAR(lyra_model_view(view.model).masses[2], 1, 0);
        TEST_NEAR(lyra_model_view(view.model).positions[3 * 1 + 1], 0.25, 0);
        TEST_NEAR(displacements(world)[3 * 1], 0.75, 0);
        TEST_NEAR(displacements(world)[3 * 1 + 1], 0.75, 0);
        TEST_NEAR(displacements(world)[3 * 4], 0, 0);
        take_steps(world, 100);
        TEST_CHECK(lyra_vector_is_finite(lyra_state_view(view.state).u));
        TEST_NEAR(displacements(world)[3 * 4 + 1], 0, 0);
    }
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// ---- scaling, damping, loads --------------------------------------------------------------------

// displacements after steps of two scenes agree
static void check_same(LyraContext *ctx, const char *a_text, int32_t a_steps, const char *b_text,
                       int32_t b_steps)
{
    LyraWorld *a = load_text(ctx, a_text), *b = load_text(ctx, b_text);
    if (a && b && take_steps(a, a_steps) && take_steps(b, b_steps)) {
        int32_t size = lyra_vector_size(lyra_state_view(lyra_world_view(a).state).u);
        double largest = 0, off = 0;
        for (int32_t i = 0; i < size; ++i) {
            largest = fmax(largest, fabs(displacements(a)[i]));
            off = fmax(off, fabs(displacements(a)[i] - displacements(b)[i]));
        }
        TEST_CHECK_MSG(largest > 1e-6 && off <= 1e-9 * largest, "off by %g of %g", off, largest);
    }
    lyra_world_destroy(a);
    lyra_world_destroy(b);
}

static void write_push(LyraContext *ctx)
{
    double push[3 * BAR_VERTICES] = {0};
    push[3 * 4] = 1;
    push[3 * 7 + 1] = -2;
    write_matrix(ctx, "push", 3 * BAR_VERTICES, 1, push);
}

#define PUSHED "*initialVelocityFilename\npush\n*dampingStiffnessCoef\n0.01\n"

LYRA_TEST(frequency_scaling_is_a_factor_on_moduli)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    write_push(ctx);
    write_bar(ctx, "bar.veg", LYRA_ELEMENT_TET4, 1e5);
    write_bar(ctx, "stiff.veg", LYRA_ELEMENT_TET4, 4e5);
    check_same(ctx, REQUIRED BAR PUSHED "*frequencyScaling\n2\n", 10,
               REQUIRED "*volumetricMeshFilename\nstiff.veg\n" PUSHED, 10);
    const char *invertible = "*deformableObjectMethod\nInvertibleFEM\n*invertibleMaterial\nStVK\n"
                             "*compressionResistance\n5000\n*volumetricMeshFilename\n";
    char soft[2048], stiff[2048];
    snprintf(soft, sizeof soft, REQUIRED "%sbar.veg\n" PUSHED "*frequencyScaling\n2\n", invertible);
    snprintf(stiff, sizeof stiff, REQUIRED "%sstiff.veg\n" PUSHED, invertible);
    check_same(ctx, soft, 10, stiff, 10);
    check_same(ctx, REQUIRED "*customMassSpringSystem\nchain,4,100\n*frequencyScaling\n3\n", 10,
               REQUIRED "*customMassSpringSystem\nchain,4,900\n", 10);
    test_context_end(ctx);
}

LYRA_TEST(substeps_divide_the_step)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    write_push(ctx);
    write_bar(ctx, "bar.veg", LYRA_ELEMENT_TET4, 1e5);
    check_same(ctx, REQUIRED BAR PUSHED "*timestep\n0.02\n*substepsPerTimeStep\n2\n", 3,
               REQUIRED BAR PUSHED "*timestep\n0.01\n", 6);
    test_context_end(ctx);
}

LYRA_TEST(newmark_numbers_are_tied)
{
    Log log;
    LyraContext *ctx = logged_context(&log);
    write_push(ctx);
    write_bar(ctx, "bar.veg", LYRA_ELEMENT_TET4, 1e5);
    check_same(ctx, REQUIRED BAR PUSHED "*newmarkBeta\n0.36\n*newmarkGamma\n0.7\n", 5,
               REQUIRED BAR PUSHED "*newmarkBeta\n0.36\n*newmarkGamma\n0.7\n", 5);
    TEST_CHECK(!strstr(log.text, "tied"));
    check_same(ctx, REQUIRED BAR PUSHED "*newmarkBeta\n0.36\n*newmarkGamma\n0.7\n", 5,
               REQUIRED BAR PUSHED "*newmarkBeta\n0.36\n", 5);
    TEST_CONTAINS(log.text, "tied as in Vega: 0.36 and 0.7");
    end_logged(ctx);
}

// A chain of three with next to no stiffness, the last one fixed: weights (1 + 1/2)/2 between
// neighbours, so that backward Euler solves (1 + h D) v' = v with
//   D = [3/4 -3/4; -3/4 3/2].
LYRA_TEST(laplacian_damping_evens_velocities)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double still[9] = {0}, start[9] = {1};
    write_matrix(ctx, "still", 9, 1, still);
    write_matrix(ctx, "start", 9, 1, start);
    const char *keys = "*customMassSpringSystem\nchain,3,1e-12\n*initialPositionFilename\nstill\n"
                       "*initialVelocityFilename\nstart\n*dampingLaplacianCoef\n2\n";
    char text[1024];
    snprintf(text, sizeof text, REQUIRED "%s*solver\nimplicitBackwardEuler\n", keys);
    LyraWorld *world = load_text(ctx, text);
    if (world && take_steps(world, 1)) {
        double w = STEP * 2 * 0.75, det = (1 + w) * (1 + 2 * w) - w * w;
        TEST_NEAR(velocities(world)[0], (1 + 2 * w) / det, 1e-9);
        TEST_NEAR(velocities(world)[3], w / det, 1e-9);
    }
    lyra_world_destroy(world);
    // central differences do not know it
    snprintf(text, sizeof text, REQUIRED "%s*solver\ncentralDifferences\n", keys);
    world = load_text(ctx, text);
    if (world && take_steps(world, 5)) {
        TEST_NEAR(velocities(world)[0], 1, 1e-9);
    }
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(methods_of_euler_have_no_stiffness_damping)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    write_bar(ctx, "bar.veg", LYRA_ELEMENT_TET4, 1e5);
    static const char *const solvers[] = {"Euler", "symplecticEuler", "implicitNewmark"};
    for (int32_t s = 0; s < 3; ++s) {
        char text[1024];
        snprintf(text, sizeof text,
                 REQUIRED BAR "*dampingStiffnessCoef\n0.5\n*dampingMassCoef\n0.25\n*solver\n%s\n",
                 solvers[s]);
        LyraWorld *world = load_text(ctx, text);
        if (world) {
            LyraModelView model = lyra_model_view(lyra_world_view(world).model);
            TEST_NEAR(model.stiffness_damping, s < 2 ? 0 : 0.5, 0);
            TEST_NEAR(model.mass_damping, 0.25, 0);
        }
        lyra_world_destroy(world);
    }
    // the old name of the key
    LyraWorld *world = load_text(ctx, REQUIRED BAR "*implicitSolverMethod\nsymplecticEuler\n"
                                                   "*dampingStiffnessCoef\n0.5\n");
    if (world) {
        TEST_NEAR(lyra_model_view(lyra_world_view(world).model).stiffness_damping, 0, 0);
    }
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(loads_last_a_step_each)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    write_bar(ctx, "bar.veg", LYRA_ELEMENT_TET4, 1e5);
    double loads[2 * 3 * BAR_VERTICES] = {0};
    loads[3 * 3] = 10;
    loads[3 * BAR_VERTICES + 3 * 5 + 2] = -4;
    write_matrix(ctx, "loads", 3 * BAR_VERTICES, 2, loads);
    LyraWorld *world =
        load_text(ctx, REQUIRED BAR "*forceLoadsFilename\nloads\n*solver\n"
                                    "implicitBackwardEuler\n*substepsPerTimeStep\n3\n"
                                    "*deformableObjectMethod\nInvertibleFEM\n"
                                    "*invertibleMaterial\nStVK\n*addGravity\n1\n");
    // forces of the whole body change nothing in the sum
    const double expected[4][2] = {{10, 0}, {10, -4}, {10, -4}, {10, -4}};
    for (int32_t s = 0; world && s < 4; ++s) {
        double total[3];
        take_steps(world, 1);
        momentum(world, total);
        TEST_NEAR(total[0], expected[s][0] * STEP, 1e-8);
        TEST_NEAR(total[1], -(s + 1) * BAR_VERTICES * G * STEP, 1e-7);
        TEST_NEAR(total[2], expected[s][1] * STEP, 1e-8);
    }
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// the sum of the constant forces of the model
static void sum_forces(const LyraWorld *world, double total[3])
{
    const LyraModel *model = lyra_world_view(world).model;
    total[0] = total[1] = total[2] = 0;
    for (int32_t i = 0; i < 3 * model->vertex_count; ++i) {
        total[i % 3] += model->force[i];
    }
}

LYRA_TEST(loads_of_a_step_that_fails_are_taken_back)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    write_bar(ctx, "bar.veg", LYRA_ELEMENT_TET4, 1e5);
    double loads[3 * 3 * BAR_VERTICES] = {0}, total[3];
    loads[3 * 3] = 10;
    loads[3 * BAR_VERTICES + 3 * 5] = 20;
    // so much that the step overflows
    loads[2 * 3 * BAR_VERTICES + 3 * 5] = 1e300;
    write_matrix(ctx, "loads", 3 * BAR_VERTICES, 3, loads);
    LyraWorld *world =
        load_text(ctx, REQUIRED BAR "*forceLoadsFilename\nloads\n*solver\n"
                                    "implicitBackwardEuler\n*substepsPerTimeStep\n3\n");
    TEST_REQUIRE(world);
    take_steps(world, 2);
    for (int attempt = 0; attempt < 2; ++attempt) {
        sum_forces(world, total);
        TEST_NEAR(total[0], 20, 0);
        TEST_CHECK(lyra_world_step(world, NULL) != LYRA_OK);
        TEST_EQUAL(lyra_state_view(lyra_world_view(world).state).steps, 2);
    }
    sum_forces(world, total);
    TEST_NEAR(total[0], 20, 0);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(states_start_from_files)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    write_bar(ctx, "bar.veg", LYRA_ELEMENT_TET4, 1e5);
    write_text("one.bou", "2\n");
    double u[3 * BAR_VERTICES], v[3 * BAR_VERTICES];
    for (int32_t i = 0; i < 3 * BAR_VERTICES; ++i) {
        u[i] = 0.125;
        v[i] = i % 3 == 0 ? 0.5 : 0;
    }
    write_matrix(ctx, "start.u", 3 * BAR_VERTICES, 1, u);
    write_matrix(ctx, "start.v", 3 * BAR_VERTICES, 1, v);
    const char *start = "*initialPositionFilename\nstart.u\n*initialVelocityFilename\nstart.v\n";
    char text[2048];
    snprintf(text, sizeof text, REQUIRED BAR "%s*fixedVerticesFilename\none.bou\n", start);
    LyraWorld *world = load_text(ctx, text);
    if (world) {
        for (int32_t i = 0; i < 3 * BAR_VERTICES; ++i) {
            TEST_NEAR(displacements(world)[i], i / 3 == 1 ? 0 : u[i], 0);
            TEST_NEAR(velocities(world)[i], i / 3 == 1 ? 0 : v[i], 0);
        }
    }
    lyra_world_destroy(world);
    // Newmark with a velocity starts with the acceleration that belongs to it: -alpha v here, and
    // with gamma = 1/2 the step is the trapezoidal rule
    snprintf(text, sizeof text, REQUIRED BAR "%s*dampingMassCoef\n2\n", start);
    world = load_text(ctx, text);
    if (world && take_steps(world, 1)) {
        TEST_NEAR(velocities(world)[0], 0.5 * (1 - STEP) / (1 + STEP), 1e-9);
    }
    lyra_world_destroy(world);
    // and central differences forget to divide the step
    snprintf(text, sizeof text,
             REQUIRED BAR "%s*solver\ncentralDifferences\n*timestep\n1e-3\n"
                          "*substepsPerTimeStep\n4\n",
             start);
    world = load_text(ctx, text);
    if (world) {
        TEST_NEAR(velocities(world)[0], 2, 0);
    }
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// ---- several iterations -------------------------------------------------------------------------

#define SPRING 400.0
#define DAMPING 0.02

// A chain of two: a unit mass at (x, y), a spring of length 1 to (0, 1), which is fixed. Force and
// tangent of the spring.
static void look_at_spring(const double u[2], double f[2], double K[4])
{
    double z[2] = {u[0], u[1] - 1}, l = hypot(z[0], z[1]);
    for (int32_t i = 0; i < 2; ++i) {
        f[i] = SPRING * (l - 1) * z[i] / l;
        for (int32_t j = 0; j < 2; ++j) {
            K[2 * i + j] = SPRING * ((i == j) * (1 - 1 / l) + z[i] * z[j] / (l * l * l));
        }
    }
}

// Vega's step, by its formulas: at most `most` iterations, each with K, f and D = beta K at the
// iterate, ended by the residual over the first one. Newmark's residual has that of the fixed end
// too. Returns the number of iterations.
static int32_t step_as_vega(bool newmark, int32_t most, double epsilon, double u[2], double v[2],
                            double a[2])
{
    const double h = STEP, b = newmark ? 0.25 : 1, c = newmark ? 0.5 : 1;
    const double u_0[2] = {u[0], u[1]}, v_0[2] = {v[0], v[1]}, a_0[2] = {a[0], a[1]};
    double first = 0;
    for (int32_t count = 0;; ++count) {
        double f[2], K[4], r[2], S[4], fixed = 0, error = 0;
        look_at_spring(u, f, K);
        for (int32_t i = 0; i < 2; ++i) {
            // u as the unknown, a and v by the method
            double d = u[i] - u_0[i];
            v[i] = newmark ? c / (b * h) * d + (1 - c / b) * v_0[i] + (1 - c / (2 * b)) * h * a_0[i]
                           : d / h;
            a[i] = newmark ? d / (b * h * h) - v_0[i] / (b * h) - (1 - 2 * b) / (2 * b) * a_0[i]
                           : (v[i] - v_0[i]) / h;
        }
        for (int32_t i = 0; i < 2; ++i) {
            double spring = f[i] + DAMPING * (K[2 * i] * v[0] + K[2 * i + 1] * v[1]);
            r[i] = a[i] + spring - (i == 1) * G;
            fixed += (-spring - (i == 1) * G) * (-spring - (i == 1) * G);
            error += r[i] * r[i];
            for (int32_t j = 0; j < 2; ++j) {
                S[2 * i + j] = (i == j) / (b * h * h) + K[2 * i + j] * (1 + c / (b * h) * DAMPING);
            }
        }
        error = sqrt(error + (newmark ? fixed : 0));
        first = count == 0 ? error : first;
        if (count == most || (count > 0 && error < epsilon * first)) {
            return count;
        }
        double det = S[0] * S[3] - S[1] * S[2];
        u[0] -= (S[3] * r[0] - S[1] * r[1]) / det;
        u[1] -= (S[0] * r[1] - S[2] * r[0]) / det;
    }
}

static void check_iterations(LyraContext *ctx, bool newmark, int32_t most, double epsilon)
{
    char text[2048];
    snprintf(text, sizeof text,
             REQUIRED "*customMassSpringSystem\nchain,2,%g\n*solver\n%s\n*maxIterations\n%d\n"
                      "*epsilon\n%g\n*addGravity\n1\n*dampingStiffnessCoef\n%g\n",
             SPRING, newmark ? "implicitNewmark" : "implicitBackwardEuler", (int)most, epsilon,
             DAMPING);
    LyraWorld *world = load_text(ctx, text);
    double u[2] = {1, 1}, v[2] = {0, 0}, a[2] = {0, 0};
    for (int32_t s = 0; world && s < 12; ++s) {
        LyraStepReport report;
        if (!TEST_OK(lyra_world_step(world, &report))) {
            break;
        }
        int32_t count = step_as_vega(newmark, most, epsilon, u, v, a);
        TEST_EQUAL(report.newton_iterations, count);
        for (int32_t i = 0; i < 2; ++i) {
            // inner solves to 1e-10, over the steps
            TEST_NEAR(displacements(world)[i], u[i], 1e-8);
            TEST_NEAR(velocities(world)[i], v[i], 1e-6);
        }
    }
    lyra_world_destroy(world);
}

LYRA_TEST(iterations_are_counted_as_vega_does)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t newmark = 0; newmark < 2; ++newmark) {
        check_iterations(ctx, newmark, 1, 1e-6);
        check_iterations(ctx, newmark, 2, 1e-6);
        check_iterations(ctx, newmark, 3, 1e-12);
        // the residual ends it
        check_iterations(ctx, newmark, 30, 0.03);
        check_iterations(ctx, newmark, 8, 1e-5);
    }
    test_context_end(ctx);
}

LYRA_TEST(more_iterations_converge)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    write_push(ctx);
    write_bar(ctx, "bar.veg", LYRA_ELEMENT_TET4, 1e4);
    LyraWorld *world = load_text(ctx, REQUIRED BAR PUSHED "*solver\nimplicitBackwardEuler\n"
                                                          "*maxIterations\n20\n*epsilon\n1e-9\n");
    LyraStepReport report = {0};
    if (world && TEST_OK(lyra_world_step(world, &report))) {
        TEST_CHECK(report.newton_iterations > 1 && report.newton_iterations < 20);
        TEST_CHECK(report.residual_last <= 1e-9 * report.residual_first);
    }
    lyra_world_destroy(world);
    test_context_end(ctx);
}
