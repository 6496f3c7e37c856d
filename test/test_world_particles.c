// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Particle cloth: its matrix is constant and factored once, by the integrator "imex" and by
// Newton's method; the motion is that of the springs; iterations fall as preconditioners get
// better; what cannot be done is refused.

#include "lyra/scene.h"
#include "lyra/world.h"
#include "lyra_test.h"
#include "scene_yaml.h"

#include <math.h>
#include <string.h>

enum { SIDE = 20, CORNER = SIDE - 1, COUNT = SIDE * SIDE };

typedef struct Settings {
    const char *integrator, *preconditioner;
    double dt, stiffness, damping, residual; // residual 0: as by default
    int32_t cells;
    bool springs; // a body of springs with the exact tangent
} Settings;

static Settings settings(const char *integrator)
{
    return (Settings){
        .integrator = integrator, .dt = 0.001, .stiffness = 5000, .damping = 0.01, .cells = 6};
}

// held at two corners, h = 1/cells, 1 m wide
static LyraWorld *make_cloth(LyraContext *ctx, const Settings *given)
{
    LyraWorld *world = NULL;
    LyraWorldDef def = lyra_world_def_default();
    LyraSheetDef sheet = lyra_sheet_def_default();
    LyraBodyParticles particles = lyra_body_particles_default();
    LyraBodySprings springs = lyra_body_springs_default();
    LyraBodyDef body = lyra_body_def_default();
    LyraSelector corners = lyra_selector_default();
    LyraSurface *surface = NULL;
    const int32_t held[2] = {0, given->cells};
    def.integrator.name = given->integrator;
    if (given->residual > 0) {
        def.integrator.newton.residual = given->residual;
        def.integrator.newton.step = 1;
    }
    if (given->preconditioner) {
        def.solver.name = "pcg";
        def.solver.preconditioner = given->preconditioner;
    }
    def.time.dt = given->dt;
    def.gravity[1] = lyra_curve_constant(-9.81);
    sheet.cells[0] = sheet.cells[1] = given->cells;
    sheet.faces = LYRA_SHEET_QUADS;
    body.name = "cloth";
    body.kind = given->springs ? "springs" : "particles";
    particles.generate = &sheet;
    particles.stiffness = springs.structural = given->stiffness;
    particles.shear = springs.shear = 20;
    particles.damping = springs.damping = given->damping;
    particles.surface_density = springs.surface_density = 0.2;
    springs.full = true;
    springs.over = LYRA_SPRINGS_OVER_QUADS;
    TEST_OK(lyra_world_create(ctx, &def, &world));
    TEST_OK(lyra_surface_generate(ctx, &sheet, &surface));
    springs.surface = surface;
    body.particles = given->springs ? NULL : &particles;
    body.springs = given->springs ? &springs : NULL;
    TEST_OK(lyra_world_add_body(world, &body, NULL));
    lyra_surface_destroy(surface);
    corners.vertices = held;
    corners.vertex_count = 2;
    TEST_OK(lyra_world_fix(world, "cloth", &corners));
    return world;
}

// the sum of reports of some steps
static LyraStepReport run(LyraWorld *world, int steps)
{
    LyraStepReport sum = {0};
    for (int step = 0; step < steps; ++step) {
        LyraStepReport report;
        TEST_OK(lyra_world_step(world, &report));
        sum.newton_iterations += report.newton_iterations;
        sum.linear_iterations += report.linear_iterations;
        sum.factorisations += report.factorisations;
    }
    return sum;
}

static double difference(LyraWorld *a, LyraWorld *b)
{
    int32_t count = 0;
    const double *x = lyra_world_positions(a, 0, &count), *y = lyra_world_positions(b, 0, NULL);
    double most = 0;
    for (int32_t i = 0; i < 3 * count; ++i) {
        most = fmax(most, fabs(x[i] - y[i]));
    }
    return most;
}

// the same matrix, once
LYRA_TEST(imex_is_one_newton_step_of_backward_euler_with_one_factor)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Settings given = settings("imex");
    LyraWorld *imex = make_cloth(ctx, &given);
    TEST_EQUAL(run(imex, 40).factorisations, 1);
    int64_t requests = test_allocation_count();
    TEST_EQUAL(run(imex, 5).factorisations, 0);
    TEST_EQUAL(test_allocation_count(), requests);
    TEST_OK(lyra_world_set(imex, "time.dt", 0.002));
    TEST_EQUAL(run(imex, 3).factorisations, 1);
    TEST_OK(lyra_world_set(imex, "damping.mass", 0.5));
    TEST_EQUAL(run(imex, 3).factorisations, 1);
    lyra_world_destroy(imex);
    test_context_end(ctx);
}

// Orders: imex meets the others as steps get short; Newton's method with the constant matrix ends
// where the one with the exact tangent does, and needs one factor for all steps of one length.
LYRA_TEST(constant_and_exact_tangents_lead_to_the_same_motion)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Settings given = settings("bdf2");
    given.stiffness = 50;
    LyraWorld *constant = make_cloth(ctx, &given);
    given.springs = true;
    LyraWorld *exact = make_cloth(ctx, &given);
    run(constant, 5);
    LyraStepReport sum = run(constant, 95);
    TEST_EQUAL(sum.factorisations, 0);
    run(exact, 100);
    TEST_CHECK_MSG(difference(constant, exact) < 1e-5, "%g", difference(constant, exact));
    LyraWorld *imex[3];
    for (int k = 0; k < 3; ++k) {
        Settings fine = settings("imex");
        fine.stiffness = given.stiffness;
        fine.dt = 1e-4 / (1 << k);
        imex[k] = make_cloth(ctx, &fine);
        run(imex[k], 1000 << k);
    }
    double coarse = difference(imex[0], imex[1]), fine = difference(imex[1], imex[2]);
    TEST_CHECK_MSG(coarse > 1.7 * fine && coarse < 2.3 * fine, "%g, %g", coarse, fine);
    // what is left of the last is as much as the last difference
    TEST_CHECK(difference(imex[2], exact) < 2 * fine);
    for (int k = 0; k < 3; ++k) {
        lyra_world_destroy(imex[k]);
    }
    lyra_world_destroy(constant);
    lyra_world_destroy(exact);
    test_context_end(ctx);
}

// Hauth's table: 400 particles, h = 0.02 s, 1 s. His counts are 774, 319, 330 of cg.
LYRA_TEST(linear_iterations_fall_in_the_order_of_the_thesis)
{
    static const char *const names[3] = {"jacobi", "ic0", "ssor"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    int32_t newton[3], linear[3];
    for (int k = 0; k < 3; ++k) {
        Settings given = {.integrator = "bdf2",
                          .preconditioner = names[k],
                          .dt = 0.02,
                          .stiffness = 5000,
                          .damping = 2.5,
                          .residual = 0.1,
                          .cells = CORNER};
        LyraWorld *world = make_cloth(ctx, &given);
        LyraStepReport sum = run(world, 50);
        newton[k] = sum.newton_iterations;
        linear[k] = sum.linear_iterations;
        lyra_world_destroy(world);
    }
    TEST_CHECK_MSG(linear[0] > 2 * linear[1] && linear[0] > 2 * linear[2] &&
                       linear[1] <= linear[2] && linear[2] < 2 * linear[1],
                   "%d, %d, %d", linear[0], linear[1], linear[2]);
    TEST_CHECK_MSG(newton[0] > 100 && newton[0] < 300, "%d", newton[0]);
    test_context_end(ctx);
}

static void fall(LyraContext *ctx, void *data, void *out)
{
    (void)data;
    Settings given = settings("imex");
    LyraWorld *world = make_cloth(ctx, &given);
    run(world, 10);
    memcpy(out, lyra_world_positions(world, 0, NULL), 3 * 49 * sizeof(double));
    lyra_world_destroy(world);
}

LYRA_TEST(imex_has_the_same_bits_on_all_threads)
{
    test_same_bits(fall, NULL, 3 * 49 * sizeof(double));
}

LYRA_TEST(imex_goes_on_with_the_same_bits_after_a_checkpoint)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Settings given = settings("imex");
    LyraWorld *whole = make_cloth(ctx, &given), *part = make_cloth(ctx, &given);
    run(whole, 5);
    TEST_REQUIRE_OK(lyra_world_save(whole, test_temp_path("particles.state")));
    TEST_REQUIRE_OK(lyra_world_restore(part, test_temp_path("particles.state")));
    run(whole, 5);
    run(part, 5);
    TEST_CHECK(difference(whole, part) == 0);
    lyra_world_destroy(whole);
    lyra_world_destroy(part);
    test_context_end(ctx);
}

static LyraStatus load_scene(LyraContext *ctx, void *data)
{
    LyraWorld *world = NULL;
    LyraStatus status = lyra_world_load_memory(ctx, data, strlen(data), NULL, NULL, &world, NULL);
    status = status == LYRA_OK ? lyra_world_step(world, NULL) : status;
    lyra_world_destroy(world);
    return status;
}

LYRA_TEST(scenes_have_particles_and_refuse_what_they_cannot_do)
{
    REQUIRE_YAML();
    char text[] = "bodies:\n"
                  "  - {name: a, kind: particles, particles: {generate: {cells: [2, 2],\n"
                  "     faces: quads}, stiffness: 100 N/m, shear: 3, bend: 1, damping: 0.1}}\n"
                  "constraints:\n"
                  "  - {body: a, select: {vertices: [0]}, displacement: [0, 0.1 * t, 0]}\n"
                  "integrator: {name: imex}\n"
                  "gravity: [0, -9.81, 0]\n";
    char solid[] = "bodies:\n"
                   "  - {name: a, generate: {cells: [1, 1, 1]}}\n"
                   "integrator: {name: imex}\n";
    char linear[] = "bodies:\n"
                    "  - {name: a, generate: {cells: [1, 1, 1]}, material: {model: linear}}\n"
                    "integrator: {name: imex}\n";
    char none[] = "bodies:\n"
                  "  - {name: a, kind: particles}\n";
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TEST_OK(load_scene(ctx, text));
    TEST_OK(load_scene(ctx, linear));
    TEST_STATUS(load_scene(ctx, solid), LYRA_UNSUPPORTED);
    TEST_CONTAINS(lyra_error_message(), "integrator \"imex\": found forces whose matrices change");
    TEST_STATUS(load_scene(ctx, none), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "found a body of particles without particles");
    memcpy(strstr(text, "quads"), "same ", 5);
    TEST_STATUS(load_scene(ctx, text), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "found it over faces that are not all quads");
    memcpy(strstr(text, "same "), "quads", 5);
    test_context_end(ctx);
    test_fail_each_allocation(load_scene, text);
}
