// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Obstacles of worlds: what lies on them weighs what it weighs, slides and sticks as Coulomb has
// it, never gets inside, comes out of them gently, and goes on from a checkpoint with the same
// bits.

#include "lyra/scene.h"
#include "lyra/world.h"
#include "lyra_test.h"
#include "obstacle_scenes.h"

#include <math.h>
#include <string.h>

static LyraWorld *make_world(LyraContext *ctx, const char *integrator, double dt)
{
    LyraWorld *world = NULL;
    LyraWorldDef def = lyra_world_def_default();
    def.integrator.name = integrator;
    def.gravity[1] = lyra_curve_constant(-9.81);
    def.time.dt = dt;
    TEST_OK(lyra_world_create(ctx, &def, &world));
    return world;
}

static LyraStatus add_cube(LyraWorld *world, const char *kind, double y, double young)
{
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraBodyDef body = lyra_body_def_default();
    for (int i = 0; i < 3; ++i) {
        shape.cells[i] = 3;
        shape.size[i] = 0.1;
    }
    body.generate = &shape;
    body.kind = kind;
    if (strcmp(kind, "solid") == 0) {
        body.material.model = "neo-hookean";
        body.material.young = young;
        body.material.poisson = 0.4;
        body.material.inversion = LYRA_INVERSION_EXTEND;
    }
    body.transform.translate[1] = y;
    return lyra_world_add_body(world, &body, NULL);
}

static LyraStatus add_plane(LyraWorld *world, double friction)
{
    LyraObstacleDef plane = lyra_obstacle_def_default();
    plane.friction = friction;
    return lyra_world_add_obstacle(world, &plane, NULL);
}

// ---- several bodies -----------------------------------------------------------------------------

#define BODIES 5

// Cubes far from one another on a plane, which is told once for all of them or once for each body:
// then no two of them are worked off together.
static LyraStatus make_row(LyraContext *ctx, int bodies, bool apart, LyraWorld **out)
{
    static const char *const names[BODIES] = {"a", "b", "c", "d", "e"};
    static const char *const kinds[BODIES] = {"rigid", "rigid", "rigid", "solid", "solid"};
    LyraWorldDef def = lyra_world_def_default();
    LyraWorld *world = NULL;
    LyraStatus status = LYRA_OK;
    def.integrator.name = "backward-euler";
    def.gravity[1] = lyra_curve_constant(-9.81);
    def.time.dt = 0.01;
    status = lyra_world_create(ctx, &def, &world);
    for (int b = 0; status == LYRA_OK && b < bodies; ++b) {
        LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
        LyraBodyDef body = lyra_body_def_default();
        for (int i = 0; i < 3; ++i) {
            // ranges of the barrier are those of each body
            shape.size[i] = 0.1 + 0.02 * b;
        }
        body.generate = &shape;
        body.kind = kinds[b];
        body.name = names[b];
        body.material.young = b > 2 ? 1e5 : body.material.young;
        body.transform.translate[0] = b;
        body.transform.translate[1] = 0.5 * shape.size[1] + 0.002 * (b + 1);
        body.start.velocity[0] = 1;
        status = lyra_world_add_body(world, &body, NULL);
    }
    // one of them is smoother
    const LyraObstaclePair pair = {.body = "c", .friction = 0.1};
    for (int b = 0; status == LYRA_OK && b < (apart ? bodies : 1); ++b) {
        LyraObstacleDef plane = lyra_obstacle_def_default();
        plane.friction = 0.6;
        plane.pairs = &pair;
        plane.pair_count = 1;
        plane.body = apart ? names[b] : NULL;
        status = lyra_world_add_obstacle(world, &plane, NULL);
    }
    if (status == LYRA_OK) {
        status = lyra_world_prepare(world);
    }
    if (status != LYRA_OK) {
        lyra_world_destroy(world);
        world = NULL;
    }
    *out = world;
    return status;
}

static int32_t count_groups(LyraWorld *world)
{
    LyraForceGroup group;
    int32_t count = 0;
    while (lyra_model_group(lyra_world_view(world).model, count, &group)) {
        ++count;
    }
    return count;
}

LYRA_TEST(bodies_on_one_plane_do_what_they_do_on_planes_of_their_own)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    LyraWorld *worlds[2] = {NULL};
    LyraObstacleReport one, each, sum = {.min_gap = INFINITY};
    TEST_REQUIRE_OK(make_row(ctx, BODIES, false, &worlds[0]));
    TEST_REQUIRE_OK(make_row(ctx, BODIES, true, &worlds[1]));
    // a barrier and friction: of rigid bodies, of the smoother one, of solids
    TEST_EQUAL(count_groups(worlds[1]) - count_groups(worlds[0]), 2 * (BODIES - 3));
    for (int step = 0; step < 15; ++step) {
        TEST_OK(lyra_world_step(worlds[0], NULL));
        TEST_OK(lyra_world_step(worlds[1], NULL));
    }
    for (int b = 0; b < BODIES; ++b) {
        int32_t count = 0;
        const double *x = lyra_world_positions(worlds[0], b, &count),
                     *y = lyra_world_positions(worlds[1], b, NULL);
        for (int32_t i = 0; i < 3 * count; ++i) {
            TEST_NEAR(x[i], y[i], 1e-6);
        }
    }
    TEST_OK(lyra_world_obstacle(worlds[0], 0, &one));
    for (int b = 0; b < BODIES; ++b) {
        TEST_OK(lyra_world_obstacle(worlds[1], b, &each));
        sum.min_gap = fmin(sum.min_gap, each.min_gap);
        sum.normal += each.normal;
        sum.touching += each.touching;
    }
    TEST_CHECK(one.min_gap > 0 && one.touching > 0);
    TEST_EQUAL(one.touching, sum.touching);
    TEST_NEAR(one.min_gap, sum.min_gap, 1e-6);
    TEST_CHECK(fabs(one.normal - sum.normal) < 1e-3 * sum.normal);
    lyra_world_destroy(worlds[0]);
    lyra_world_destroy(worlds[1]);
    test_context_end(ctx);
}

static LyraStatus make_row_once(LyraContext *ctx, void *data)
{
    (void)data;
    LyraWorld *world = NULL;
    LyraStatus status = make_row(ctx, 3, false, &world);
    lyra_world_destroy(world);
    return status;
}

LYRA_TEST(failing_allocations_of_several_bodies_leave_nothing)
{
    test_fail_each_allocation(make_row_once, NULL);
}

// ---- a particle on an incline -------------------------------------------------------------------

#define MU 0.5
#define DT 0.01

// a particle that rests on a plane whose slope has this tangent: how far it gets, and how fast
static void slide(double tangent, double speed, int32_t steps, double *way, double *velocity)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = make_world(ctx, "backward-euler", DT);
    LyraBodyDef body = lyra_body_def_default();
    LyraBodySprings springs = lyra_body_springs_default();
    LyraObstacleDef plane = lyra_obstacle_def_default();
    double c = 1 / sqrt(1 + tangent * tangent), n[3] = {tangent * c, c, 0}, d = 1e-3;
    // the place where the push carries the weight, m g c = A k psi'(s), A = 1 m^2
    double s = 0.6, load = -(s - 1) * (2 * log(s) + (s - 1) / s), mass = 1;
    springs.over = LYRA_SPRINGS_OVER_CHAIN;
    springs.count = 1;
    springs.mass = mass;
    body.kind = "springs";
    body.springs = &springs;
    for (int i = 0; i < 3; ++i) {
        springs.from[i] = springs.to[i] = s * d * n[i];
        plane.normal[i] = n[i];
        body.start.velocity[i] = speed * (i == 0 ? c : i == 1 ? -tangent * c : 0);
    }
    plane.distance = d;
    plane.stiffness = -mass * 9.81 * c / load;
    plane.friction = MU;
    TEST_OK(lyra_world_add_body(world, &body, NULL));
    TEST_OK(lyra_world_add_obstacle(world, &plane, NULL));
    *way = *velocity = NAN;
    for (int32_t i = 0; i < steps; ++i) {
        if (!TEST_OK(lyra_world_step(world, NULL))) {
            break;
        }
    }
    const double *x = lyra_world_positions(world, 0, NULL),
                 *v = lyra_world_velocities(world, 0, NULL);
    if (x && v) {
        *way = (x[0] - s * d * n[0]) * c - (x[1] - s * d * n[1]) * tangent * c;
        *velocity = v[0] * c - v[1] * tangent * c;
    }
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(a_particle_slides_down_a_steep_incline)
{
    double way, velocity;
    slide(0.7, 0, 200, &way, &velocity);
    TEST_NEAR(velocity, 3.2146660561, 2e-9);
    TEST_NEAR(way, 3.2307393864, 2e-9);
}

LYRA_TEST(a_particle_creeps_on_a_flat_incline)
{
    double way, velocity;
    slide(0.4, 0, 200, &way, &velocity);
    TEST_NEAR(velocity / 1e-3, 1 - sqrt(1 - 0.4 / MU), 1e-6);
    TEST_CHECK(way < 2 * 0.56e-3);
}

LYRA_TEST(a_sliding_particle_stops_where_friction_has_its_energy)
{
    double way, velocity, speed = 2, exact = speed * speed / (2 * MU * 9.81);
    slide(0, speed, 100, &way, &velocity);
    TEST_NEAR(velocity, 0, 1e-6);
    // steps of h end the motion h v / 2 earlier
    TEST_NEAR(way, exact, 0.51 * DT * speed);
}

// ---- bodies -------------------------------------------------------------------------------------

static double height(LyraWorld *world)
{
    int32_t count;
    const double *x = lyra_world_positions(world, 0, &count);
    double y = INFINITY;
    for (int32_t i = 0; x && i < count; ++i) {
        y = fmin(y, x[3 * i + 1]);
    }
    return y;
}

LYRA_TEST(what_lies_on_a_plane_weighs_what_it_weighs)
{
    static const char *const kinds[] = {"solid", "affine"};
    for (int k = 0; k < 2; ++k) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        LyraWorld *world = make_world(ctx, "backward-euler", 0.01);
        LyraObstacleReport report;
        TEST_OK(add_cube(world, kinds[k], 0.06, 1e5));
        TEST_OK(add_plane(world, 0.3));
        for (int32_t i = 0; i < 150; ++i) {
            if (!TEST_OK(lyra_world_step(world, NULL))) {
                break;
            }
            TEST_CHECK(height(world) > 0);
        }
        TEST_OK(lyra_world_obstacle(world, 0, &report));
        TEST_STRING(report.name, "obstacle1");
        TEST_CHECK_MSG(fabs(report.reaction[1] + 9.81) < 1e-3, "%s: %g N", kinds[k],
                       report.reaction[1]);
        TEST_CHECK(report.min_gap > 0 && report.min_gap < 1e-3 && report.touching >= 3);
        TEST_NEAR(report.min_gap, height(world), 1e-15);
        lyra_world_destroy(world);
        test_context_end(ctx);
    }
}

LYRA_TEST(a_body_that_begins_inside_comes_out_without_a_blow)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = make_world(ctx, "backward-euler", 0.01);
    TEST_OK(add_cube(world, "solid", 0.04, 1e5));
    TEST_OK(add_plane(world, 0.3));
    TEST_NEAR(height(world), 0, INFINITY);
    double fastest = 0;
    for (int32_t i = 0; i < 300; ++i) {
        LyraEnergies energies;
        if (!TEST_OK(lyra_world_step(world, NULL))) {
            break;
        }
        TEST_OK(lyra_world_energies(world, &energies));
        fastest = fmax(fastest, sqrt(2 * energies.kinetic / 1));
    }
    TEST_CHECK_MSG(height(world) > 0, "%g m", height(world));
    TEST_CHECK_MSG(fastest < 0.25, "it came out with %g m/s", fastest);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(a_moving_plane_lifts_what_lies_on_it)
{
    static const char *const methods[] = {"backward-euler", "newmark", "implicit-midpoint", "bdf2"};
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; ++m) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        LyraWorld *world = make_world(ctx, methods[m], 0.01);
        LyraObstacleDef plane = lyra_obstacle_def_default();
        plane.friction = 0.5;
        plane.displacement[1] = lyra_curve_expression("0.1 * sin(6 * t)");
        TEST_OK(add_cube(world, "solid", 0.051, 1e5));
        TEST_OK(lyra_world_add_obstacle(world, &plane, NULL));
        for (int32_t i = 0; i < 80; ++i) {
            if (!TEST_OK(lyra_world_step(world, NULL))) {
                break;
            }
            double gap = height(world) - 0.1 * sin(6 * lyra_world_time(world));
            TEST_CHECK_MSG(gap > 0, "%s: %g m after %d steps", methods[m], gap, (int)i);
        }
        lyra_world_destroy(world);
        test_context_end(ctx);
    }
}

LYRA_TEST(a_press_that_squeezes_a_solid_lets_it_recover)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = make_world(ctx, "backward-euler", 0.01);
    LyraObstacleDef upper = lyra_obstacle_def_default();
    static const double times[] = {0, 0.5, 1}, places[] = {0, -0.091, 0};
    TEST_OK(add_cube(world, "solid", 0.051, 1e5));
    TEST_OK(add_plane(world, 0));
    upper.point[1] = 0.102;
    upper.normal[1] = -1;
    upper.displacement[1].key_count = 3;
    upper.displacement[1].times = times;
    upper.displacement[1].values = places;
    TEST_OK(lyra_world_add_obstacle(world, &upper, NULL));
    double least = INFINITY;
    int32_t count;
    for (int32_t i = 0; i < 200; ++i) {
        if (!TEST_OK(lyra_world_step(world, NULL))) {
            break;
        }
        const double *x = lyra_world_positions(world, 0, &count);
        double low = INFINITY, high = -INFINITY;
        for (int32_t v = 0; v < count; ++v) {
            low = fmin(low, x[3 * v + 1]);
            high = fmax(high, x[3 * v + 1]);
        }
        least = fmin(least, high - low);
        TEST_CHECK(low > 0);
        if (i == 199) {
            TEST_CHECK_MSG(fabs(high - low - 0.1) < 0.002, "%g m high at the end", high - low);
        }
    }
    TEST_CHECK_MSG(least < 0.0112, "%g m at most squeezed", least);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// a cube between a floor and what is fast: 20 to 40 ranges of the barrier in a step
static double hit_cube(LyraNewtonPolicy policy, const LyraObstacleDef *fast, int32_t steps)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    LyraWorldDef def = lyra_world_def_default();
    int32_t iterations = 0;
    def.integrator.newton.policy = policy;
    def.gravity[1] = lyra_curve_constant(-9.81);
    def.damping.stiffness = 1e-3;
    def.time.dt = 0.01;
    TEST_OK(lyra_world_create(ctx, &def, &world));
    TEST_OK(add_cube(world, "solid", 0.051, 1e5));
    TEST_OK(add_plane(world, 0.3));
    TEST_OK(lyra_world_add_obstacle(world, fast, NULL));
    for (int32_t i = 0; i < steps; ++i) {
        LyraStepReport step;
        if (!TEST_OK(lyra_world_step(world, &step))) {
            break;
        }
        iterations += step.newton_iterations;
        for (int32_t o = 0; o < 2; ++o) {
            LyraObstacleReport report;
            TEST_OK(lyra_world_obstacle(world, o, &report));
            TEST_CHECK_MSG(report.min_gap > 0, "policy %d: %g m after %d steps", (int)policy,
                           report.min_gap, (int)i);
        }
    }
    lyra_world_destroy(world);
    test_context_end(ctx);
    return (double)iterations / steps;
}

LYRA_TEST(fast_obstacles_take_few_iterations)
{
    LyraObstacleDef ram = lyra_obstacle_def_default(), press = ram, bat = ram;
    ram.shape = LYRA_SHAPE_BOX;
    ram.point[0] = -0.2;
    ram.point[1] = 0.05;
    ram.size[0] = ram.size[1] = ram.size[2] = 0.2;
    ram.displacement[0] = lyra_curve_expression("2 * t");
    press.point[1] = 0.11;
    press.normal[1] = -1;
    press.displacement[1] = lyra_curve_expression("-0.04 * (1 - cos(12 * t))");
    bat.shape = LYRA_SHAPE_CAPSULE;
    bat.point[0] = bat.end[0] = -0.12;
    bat.point[1] = bat.end[1] = 0.03;
    bat.point[2] = -0.2;
    bat.end[2] = 0.2;
    bat.radius = 0.01;
    bat.friction = 0.3;
    bat.displacement[0] = lyra_curve_expression("3 * t");
    const LyraObstacleDef *const all[] = {&ram, &press, &bat};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        double full = hit_cube(LYRA_NEWTON_FULL, all[k], 30);
        double one = hit_cube(LYRA_NEWTON_ONE, all[k], 30);
        hit_cube(LYRA_NEWTON_COUNTED, all[k], 30);
        TEST_CHECK_MSG(full < 16, "%g iterations a step, obstacle %d", full, (int)k);
        TEST_CHECK_MSG(one < 8, "%g steps of one iteration, obstacle %d", one, (int)k);
    }
}

LYRA_TEST(what_is_told_wrong_is_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = make_world(ctx, "backward-euler", 0.01);
    LyraObstacleDef def = lyra_obstacle_def_default();
    TEST_OK(add_cube(world, "solid", 0.1, 1e5));
    def.body = "nobody";
    TEST_STATUS(lyra_world_add_obstacle(world, &def, NULL), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "nobody");
    def = lyra_obstacle_def_default();
    def.friction = -1;
    TEST_STATUS(lyra_world_add_obstacle(world, &def, NULL), LYRA_INVALID_ARGUMENT);
    def = lyra_obstacle_def_default();
    def.shape = LYRA_SHAPE_MESH;
    TEST_STATUS(lyra_world_add_obstacle(world, &def, NULL), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "file");
    def = lyra_obstacle_def_default();
    def.name = "floor";
    TEST_OK(lyra_world_add_obstacle(world, &def, NULL));
    TEST_STATUS(lyra_world_add_obstacle(world, &def, NULL), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "second obstacle");
    TEST_EQUAL(lyra_world_find_obstacle(world, "floor"), 0);
    TEST_OK(lyra_world_step(world, NULL));
    def.name = "late";
    TEST_STATUS(lyra_world_add_obstacle(world, &def, NULL), LYRA_INVALID_ARGUMENT);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(no_vertex_is_ever_inside_a_few_scenes)
{
    ObstacleCount count = {.least = INFINITY};
    for (uint64_t seed = 0; seed < 24; ++seed) {
        obstacle_scene(seed, 50, 1, &count);
    }
    TEST_EQUAL(count.inside, 0);
    TEST_CHECK_MSG(count.steps > 24 * 30 && count.touched > 100, "%d steps, %d contacts, %d ended",
                   (int)count.steps, (int)count.touched, (int)count.ended);
}

// ---- restarts -----------------------------------------------------------------------------------

LYRA_TEST(a_run_goes_on_in_contact_with_the_same_bits)
{
    double ends[3][3 * 64];
    int32_t count = 0;
    for (int run = 0; run < 3; ++run) {
        LyraContext *ctx = test_context(run == 2 ? 3 : 1, LYRA_ISA_AUTO);
        LyraWorld *world = make_world(ctx, "backward-euler", 0.01);
        LyraObstacleDef plane = lyra_obstacle_def_default();
        plane.friction = 0.4;
        plane.displacement[0] = lyra_curve_expression("0.02 * sin(5 * t)");
        TEST_OK(add_cube(world, "solid", 0.0502, 1e5));
        TEST_OK(lyra_world_add_obstacle(world, &plane, NULL));
        if (run == 1) {
            TEST_OK(lyra_world_restore(world, "obstacles_restart.lyra"));
        }
        for (int32_t i = run == 1 ? 15 : 0; i < 30; ++i) {
            if (run == 0 && i == 15) {
                TEST_OK(lyra_world_save(world, "obstacles_restart.lyra"));
            }
            TEST_OK(lyra_world_step(world, NULL));
        }
        const double *x = lyra_world_positions(world, 0, &count);
        TEST_REQUIRE(x && count == 64);
        memcpy(ends[run], x, sizeof ends[run]);
        lyra_world_destroy(world);
        test_context_end(ctx);
    }
    remove("obstacles_restart.lyra");
    TEST_CHECK(memcmp(ends[0], ends[1], sizeof ends[0]) == 0);
    TEST_CHECK(memcmp(ends[0], ends[2], sizeof ends[0]) == 0);
}
