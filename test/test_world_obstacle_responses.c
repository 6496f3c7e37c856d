// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Obstacles that hold vertices by constraints: what lies on them weighs what it weighs, what is
// lifted off is let go, what moves takes its load along, and steps go on from a copied state with
// the same bits.

#include "lyra/state.h"
#include "lyra/world.h"
#include "lyra_test.h"
#include "obstacle_scenes.h"

#include <math.h>

static const LyraObstacleResponse held[] = {LYRA_OBSTACLE_RELOCATE, LYRA_OBSTACLE_CONSTRAINT};
enum { HELD = sizeof held / sizeof held[0] };

// a cube of 1 kg at a height over the plane; `def` in place of a plane at rest, if given
static LyraWorld *make_world(LyraContext *ctx, LyraObstacleResponse response, double y,
                             const LyraObstacleDef *given)
{
    LyraWorld *world = NULL;
    LyraWorldDef def = lyra_world_def_default();
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraBodyDef body = lyra_body_def_default();
    LyraObstacleDef plane = given ? *given : lyra_obstacle_def_default();
    def.gravity[1] = lyra_curve_constant(-9.81);
    def.damping.stiffness = 2e-3;
    def.time.dt = 0.01;
    for (int i = 0; i < 3; ++i) {
        shape.cells[i] = 3;
        shape.size[i] = 0.1;
    }
    body.generate = &shape;
    body.material.model = "neo-hookean";
    body.material.young = 1e5;
    body.material.poisson = 0.4;
    body.material.inversion = LYRA_INVERSION_EXTEND;
    body.transform.translate[1] = y;
    plane.response = response;
    TEST_OK(lyra_world_create(ctx, &def, &world));
    TEST_OK(lyra_world_add_body(world, &body, NULL));
    TEST_OK(lyra_world_add_obstacle(world, &plane, NULL));
    return world;
}

static void take_steps(LyraWorld *world, int32_t count)
{
    for (int32_t i = 0; i < count; ++i) {
        if (!TEST_OK(lyra_world_step(world, NULL))) {
            break;
        }
    }
}

LYRA_TEST(what_is_held_weighs_what_it_weighs)
{
    for (int r = 0; r < HELD; ++r) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        LyraWorld *world = make_world(ctx, held[r], 0.06, NULL);
        LyraObstacleReport report;
        take_steps(world, 80);
        TEST_OK(lyra_world_obstacle(world, 0, &report));
        TEST_CHECK_MSG(fabs(report.reaction[1] + 9.81) < 1e-5, "response %d: %g N", (int)held[r],
                       report.reaction[1]);
        TEST_CHECK(fabs(report.min_gap) < 1e-12 && report.touching == 16);
        lyra_world_destroy(world);
        test_context_end(ctx);
    }
}

LYRA_TEST(what_pulls_is_let_go)
{
    // rises to 0.1 m in half a second and falls away faster than the cube
    LyraObstacleDef plane = lyra_obstacle_def_default();
    static const double times[] = {0, 0.5, 0.6}, places[] = {0, 0.1, -1};
    plane.displacement[1].key_count = 3;
    plane.displacement[1].times = times;
    plane.displacement[1].values = places;
    for (int r = 0; r < HELD; ++r) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        LyraWorld *world = make_world(ctx, held[r], 0.05, &plane);
        LyraObstacleReport report;
        take_steps(world, 50);
        TEST_OK(lyra_world_obstacle(world, 0, &report));
        TEST_CHECK_MSG(report.touching == 16 && report.min_gap > -0.003, "%d held, %g m",
                       (int)report.touching, report.min_gap);
        take_steps(world, 10);
        TEST_OK(lyra_world_obstacle(world, 0, &report));
        TEST_CHECK_MSG(report.touching == 0 && report.min_gap > 0.8, "response %d: %d held, %g m",
                       (int)held[r], (int)report.touching, report.min_gap);
        TEST_NEAR(report.reaction[1], 0, 0);
        lyra_world_destroy(world);
        test_context_end(ctx);
    }
}

LYRA_TEST(held_points_go_on_from_a_copied_state)
{
    for (int r = 0; r < HELD; ++r) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        LyraWorld *world = make_world(ctx, held[r], 0.052, NULL);
        LyraState *copy = NULL;
        int32_t count = 0;
        double first[3];
        take_steps(world, 12);
        TEST_REQUIRE_OK(lyra_state_copy(lyra_world_view(world).state, &copy));
        take_steps(world, 8);
        const double *x = lyra_world_positions(world, 0, &count);
        for (int i = 0; i < 3; ++i) {
            first[i] = x[i];
        }
        TEST_OK(lyra_state_assign(lyra_world_view(world).state, copy));
        take_steps(world, 8);
        x = lyra_world_positions(world, 0, &count);
        for (int i = 0; i < 3; ++i) {
            TEST_NEAR(x[i], first[i], 0);
        }
        lyra_state_destroy(copy);
        lyra_world_destroy(world);
        test_context_end(ctx);
    }
}

LYRA_TEST(friction_of_held_points_is_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = make_world(ctx, LYRA_OBSTACLE_BARRIER, 0.06, NULL);
    LyraObstacleDef def = lyra_obstacle_def_default();
    def.response = LYRA_OBSTACLE_CONSTRAINT;
    def.friction = 0.5;
    TEST_STATUS(lyra_world_add_obstacle(world, &def, NULL), LYRA_UNSUPPORTED);
    TEST_CONTAINS(lyra_error_message(), "slide freely");
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// a step that lacks memory may be taken again
static LyraStatus step_twice(LyraContext *ctx, void *data)
{
    LyraWorld *world = NULL;
    LyraWorldDef def = lyra_world_def_default();
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraBodyDef body = lyra_body_def_default();
    LyraObstacleDef plane = lyra_obstacle_def_default();
    (void)data;
    def.time.dt = 0.01;
    body.generate = &shape;
    body.start.velocity[1] = -1;
    body.transform.translate[1] = 0.5;
    plane.response = LYRA_OBSTACLE_CONSTRAINT;
    LyraStatus status = lyra_world_create(ctx, &def, &world);
    status = status == LYRA_OK ? lyra_world_add_body(world, &body, NULL) : status;
    status = status == LYRA_OK ? lyra_world_add_obstacle(world, &plane, NULL) : status;
    if (status == LYRA_OK) {
        status = lyra_world_step(world, NULL);
        (void)lyra_world_step(world, NULL);
    }
    lyra_world_destroy(world);
    return status;
}

LYRA_TEST(held_points_without_memory_are_one_status)
{
    test_fail_each_allocation(step_twice, NULL);
}

LYRA_TEST(methods_that_cannot_hold_points_are_refused)
{
    static const char *const unfit[] = {"static", "dopri5"};
    for (int k = 0; k < 2; ++k) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        LyraWorld *world = make_world(ctx, LYRA_OBSTACLE_CONSTRAINT, 0.06, NULL);
        take_steps(world, 1);
        TEST_STATUS(lyra_world_set_integrator(world, unfit[k]), LYRA_UNSUPPORTED);
        TEST_CONTAINS(lyra_error_message(), "relocate or constrain");
        take_steps(world, 1);
        lyra_world_destroy(world);
        test_context_end(ctx);
    }
}

LYRA_TEST(random_scenes_stay_finite)
{
    static const LyraObstacleResponse all[] = {LYRA_OBSTACLE_PENALTY, LYRA_OBSTACLE_RELOCATE,
                                               LYRA_OBSTACLE_CONSTRAINT};
    for (int r = 0; r < 3; ++r) {
        ObstacleCount count = {.least = INFINITY};
        for (uint64_t seed = 0; seed < 12; ++seed) {
            obstacle_scene_by(all[r], seed, 60, 1, &count);
        }
        TEST_EQUAL(count.inside, 0);
        // cloth falls apart under linearly implicit methods, which end with a sentence then
        TEST_CHECK_MSG(count.ended <= 2 && count.touched > 100, "response %d: %d ended, %d touched",
                       (int)all[r], (int)count.ended, (int)count.touched);
    }
}
