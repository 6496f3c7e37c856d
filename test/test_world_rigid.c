// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Rigid bodies in worlds: a free top keeps what it has, bodies answer to loads and ties with their
// mass and inertia, momentum goes over to soft bodies whole; restarts go on with the same bits, and
// what makes no sense is refused.

#include "lyra/math3.h"
#include "lyra/probe.h"
#include "lyra/scene.h"
#include "lyra/world.h"
#include "lyra_test.h"
#include "scene_yaml.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const methods[] = {"backward-euler", "newmark", "generalized-alpha",
                                      "implicit-midpoint"};

static LyraWorld *make_world(LyraContext *ctx, const char *integrator, double dt)
{
    LyraWorld *world = NULL;
    LyraWorldDef def = lyra_world_def_default();
    def.integrator.name = integrator;
    def.integrator.newton.policy = LYRA_NEWTON_FULL;
    def.time.dt = dt;
    TEST_OK(lyra_world_create(ctx, &def, &world));
    return world;
}

static LyraStatus add_body(LyraWorld *world, const char *kind, const char *name,
                           const LyraMeshShapeDef *shape, const LyraBodyRigid *rigid,
                           const double at[3], const LyraStart *start)
{
    LyraBodyDef def = lyra_body_def_default();
    def.kind = kind;
    def.name = name;
    def.generate = shape;
    def.rigid = rigid;
    memcpy(def.transform.translate, at, 3 * sizeof *at);
    if (start) {
        def.start = *start;
    }
    return lyra_world_add_body(world, &def, NULL);
}

static double distance(const double *a, const double *b, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sqrt(sum);
}

static LyraRigidMotion motion_of(LyraWorld *world, int32_t body)
{
    LyraRigidMotion motion = {0};
    TEST_OK(lyra_world_rigid_motion(world, body, &motion));
    return motion;
}

// I = (1, 2, 3) and 6 rad/s near the middle axis, which is unstable
LYRA_TEST(a_free_top_keeps_energy_and_momentum)
{
    static const double moments[3] = {1, 2, 3}, origin[3] = {0};
    for (int m = 0; m < 4; ++m) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        LyraWorld *world = make_world(ctx, methods[m], 0.01);
        LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
        LyraBodyRigid rigid = lyra_body_rigid_default();
        LyraStart start = lyra_body_def_default().start;
        rigid.mass = 12;
        rigid.moments = moments;
        start.angular_velocity[0] = start.angular_velocity[2] = 0.06;
        start.angular_velocity[1] = 6;
        TEST_OK(add_body(world, "rigid", "top", &shape, &rigid, origin, &start));
        LyraRigidMotion first = motion_of(world, 0);
        TEST_NEAR(first.angular_momentum[1], 12, 1e-4);
        double energy = lyra_rigid_energy(&first), worst[2] = {0}, middle = 0;
        for (int step = 0; step < 10000; ++step) {
            TEST_REQUIRE_OK(lyra_world_step(world, NULL));
            LyraRigidMotion now = motion_of(world, 0);
            worst[0] = fmax(worst[0], fabs(lyra_rigid_energy(&now) / energy - 1));
            worst[1] =
                fmax(worst[1], distance(now.angular_momentum, first.angular_momentum, 3) / 12);
            LyraQuat q =
                lyra_quat(now.rotation[0], -now.rotation[1], -now.rotation[2], -now.rotation[3]);
            LyraVec3 own = lyra_quat_rotate(q, lyra_vec3(now.spin[0], now.spin[1], now.spin[2]));
            middle = fmax(middle, fabs(own.y - 6));
        }
        TEST_CHECK(worst[0] < 1e-12);
        TEST_CHECK(worst[1] < 1e-13);
        TEST_CHECK(middle > 5); // it tumbled
        lyra_world_destroy(world);
        test_context_end(ctx);
    }
}

// ---- loads and ties -----------------------------------------------------------------------------

static const double moments_of_box[3] = {0.5, 0.7, 0.9};

// a body that flies, spins and is pushed at a point
static LyraWorld *make_pushed(LyraContext *ctx, const char *method, double dt)
{
    static const double origin[3] = {0};
    LyraWorld *world = make_world(ctx, method, dt);
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraBodyRigid rigid = lyra_body_rigid_default();
    LyraStart start = lyra_body_def_default().start;
    LyraLoadDef load = lyra_load_def_default();
    LyraSelectSphere corner = {.center = {0.5, 0.5, 0.5}, .radius = 0.01};
    rigid.mass = 4;
    rigid.moments = moments_of_box;
    start.velocity[0] = 1;
    start.angular_velocity[1] = 2;
    start.angular_velocity[2] = 1;
    TEST_OK(add_body(world, "rigid", "stone", &shape, &rigid, origin, &start));
    load.body = "stone";
    load.select.sphere = &corner;
    load.force[0] = lyra_curve_constant(0.5);
    load.force[1] = lyra_curve_constant(-1);
    TEST_OK(lyra_world_add_load(world, &load));
    return world;
}

// the same by classical Runge-Kutta: x, v, R (9), L
static void rates(const double *y, double *d)
{
    static const double arm[3] = {0.5, 0.5, 0.5}, force[3] = {0.5, -1, 0};
    const double *R = y + 6, *L = y + 15;
    double r[3], own[3], w[3];
    for (int i = 0; i < 3; ++i) {
        r[i] = R[3 * i] * arm[0] + R[3 * i + 1] * arm[1] + R[3 * i + 2] * arm[2];
        own[i] = (R[i] * L[0] + R[3 + i] * L[1] + R[6 + i] * L[2]) / moments_of_box[i];
        d[i] = y[3 + i];
        d[3 + i] = force[i] / 4;
    }
    for (int i = 0; i < 3; ++i) {
        w[i] = R[3 * i] * own[0] + R[3 * i + 1] * own[1] + R[3 * i + 2] * own[2];
        d[15 + i] = r[(i + 1) % 3] * force[(i + 2) % 3] - r[(i + 2) % 3] * force[(i + 1) % 3];
    }
    for (int c = 0; c < 3; ++c) {
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            d[6 + 3 * i + c] = w[j] * R[3 * k + c] - w[k] * R[3 * j + c];
        }
    }
}

static void reference(double time, double *y)
{
    enum { N = 18, STEPS = 2000 };
    double h = time / STEPS, k[4][N], at[N];
    for (int step = 0; step < STEPS; ++step) {
        for (int stage = 0; stage < 4; ++stage) {
            double share = stage == 0 ? 0 : stage == 3 ? 1 : 0.5;
            for (int i = 0; i < N; ++i) {
                at[i] = y[i] + (stage ? share * h * k[stage - 1][i] : 0);
            }
            rates(at, k[stage]);
        }
        for (int i = 0; i < N; ++i) {
            y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
        }
    }
}

LYRA_TEST(a_pushed_body_turns_as_equations_say_to_the_order_of_the_method)
{
    double y[18] = {0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1.4, 0.9};
    const double order[4] = {1, 2, 2, 2};
    reference(1, y);
    for (int m = 0; m < 4; ++m) {
        double error[2][3];
        for (int k = 0; k < 2; ++k) {
            LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
            LyraWorld *world = make_pushed(ctx, methods[m], k ? 0.005 : 0.01);
            for (int step = 0; step < (k ? 200 : 100); ++step) {
                TEST_REQUIRE_OK(lyra_world_step(world, NULL));
            }
            LyraRigidMotion now = motion_of(world, 0);
            error[k][0] = distance(now.position, y, 3);
            error[k][1] = distance(now.angular_momentum, y + 15, 3);
            LyraMat3 R = lyra_quat_to_mat3(
                lyra_quat(now.rotation[0], now.rotation[1], now.rotation[2], now.rotation[3]));
            error[k][2] = distance(&R.m[0][0], y + 6, 9);
            lyra_world_destroy(world);
            test_context_end(ctx);
        }
        for (int i = 0; i < 3; ++i) {
            TEST_CHECK(error[1][i] < (m ? 1e-4 : 2e-2));
            if (error[1][i] > 1e-9) {
                TEST_CHECK(log2(error[0][i] / error[1][i]) > order[m] - 0.2);
            }
        }
    }
}

// a rigid and a soft body, tied, thrown and spinning; or three in a row of which one is light
static LyraWorld *make_tied(LyraContext *ctx, const char *method, double young, bool hard)
{
    static const double left[3] = {0, 0, 0}, right[3] = {1, 0, 0};
    LyraWorld *world = make_world(ctx, method, 0.01);
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraBodyDef soft = lyra_body_def_default();
    LyraStart start = soft.start;
    LyraTieDef tie = lyra_tie_def_default();
    LyraSelectHalfSpace face = {.point = {0.49, 0, 0}, .normal = {1, 0, 0}};
    shape.cells[0] = shape.cells[1] = shape.cells[2] = 2;
    start.velocity[1] = 1;
    start.angular_velocity[2] = 3;
    start.angular_velocity[0] = 1;
    TEST_OK(add_body(world, "rigid", "stone", &shape, NULL, left, &start));
    soft.name = "jelly";
    soft.generate = &shape;
    soft.material.young = young;
    memcpy(soft.transform.translate, right, sizeof right);
    soft.start = start;
    TEST_OK(lyra_world_add_body(world, &soft, NULL));
    tie.body = "stone";
    tie.select.half_space = &face;
    tie.to = "jelly";
    tie.hard = hard;
    tie.stiffness = hard ? NAN : 1e6;
    TEST_OK(lyra_world_add_tie(world, &tie, NULL));
    return world;
}

// linear, and angular about the origin, of all bodies
static void all_momentum(LyraWorld *world, double p[6])
{
    LyraModelView model = lyra_model_view(lyra_world_view(world).model);
    LyraStateView state = lyra_state_view(lyra_world_view(world).state);
    const double *u = lyra_vector_values(state.u), *v = lyra_vector_values(state.v);
    memset(p, 0, 6 * sizeof *p);
    for (int32_t a = 0; a < model.vertex_count; ++a) {
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            p[i] += model.masses[a] * v[3 * a + i];
            p[3 + i] +=
                model.masses[a] * ((model.positions[3 * a + j] + u[3 * a + j]) * v[3 * a + k] -
                                   (model.positions[3 * a + k] + u[3 * a + k]) * v[3 * a + j]);
        }
    }
}

LYRA_TEST(tied_rigid_and_soft_bodies_keep_momentum)
{
    for (int hard = 0; hard < 2; ++hard) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        LyraWorld *world = make_tied(ctx, "implicit-midpoint", 1e5, hard);
        double first[6], last[6];
        TEST_OK(lyra_world_prepare(world));
        all_momentum(world, first);
        for (int step = 0; step < 50; ++step) {
            TEST_REQUIRE_OK(lyra_world_step(world, NULL));
        }
        all_momentum(world, last);
        double size = sqrt(first[3] * first[3] + first[5] * first[5]);
        for (int i = 0; i < 3; ++i) {
            TEST_NEAR(last[i], first[i], 1e-6 * 2000);
            TEST_NEAR(last[3 + i], first[3 + i], 1e-5 * size);
        }
        lyra_world_destroy(world);
        test_context_end(ctx);
    }
}

// from jelly a thousand times softer than its weight's bending to steel, nothing grows
LYRA_TEST(ties_to_bodies_of_any_stiffness_are_stable)
{
    static const double young[] = {1e2, 1e5, 1e8, 2e11};
    for (int k = 0; k < 4; ++k) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        LyraWorld *world = make_tied(ctx, "backward-euler", young[k], false);
        LyraEnergies first, last;
        TEST_OK(lyra_world_energies(world, &first));
        for (int step = 0; step < 100; ++step) {
            TEST_REQUIRE_OK(lyra_world_step(world, NULL));
            TEST_OK(lyra_world_energies(world, &last));
            TEST_CHECK(last.kinetic + last.elastic < 1.0001 * first.kinetic);
        }
        lyra_world_destroy(world);
        test_context_end(ctx);
    }
}

LYRA_TEST(a_restart_goes_on_with_the_same_bits_and_no_thread_changes_them)
{
    double places[3][24];
    for (int k = 0; k < 3; ++k) {
        LyraContext *ctx = test_context(k == 1 ? 3 : 1, LYRA_ISA_AUTO);
        LyraWorld *world = make_tied(ctx, "newmark", 1e5, true);
        const char *path = "test_world_rigid.lyra";
        for (int step = 0; step < 12; ++step) {
            TEST_REQUIRE_OK(lyra_world_step(world, NULL));
            if (step == 5 && k == 2) {
                TEST_OK(lyra_world_save(world, path));
                lyra_world_destroy(world);
                world = make_tied(ctx, "newmark", 1e5, true);
                TEST_OK(lyra_world_restore(world, path));
                remove(path);
            }
        }
        memcpy(places[k], lyra_world_positions(world, 0, NULL), sizeof places[k]);
        lyra_world_destroy(world);
        test_context_end(ctx);
    }
    TEST_CHECK(memcmp(places[0], places[1], sizeof places[0]) == 0);
    TEST_CHECK(memcmp(places[0], places[2], sizeof places[0]) == 0);
}

LYRA_TEST(steps_allocate_nothing)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = make_pushed(ctx, "newmark", 0.01);
    for (int step = 0; step < 4; ++step) {
        TEST_REQUIRE_OK(lyra_world_step(world, NULL));
    }
    int64_t requests = test_allocation_count();
    for (int step = 0; step < 4; ++step) {
        TEST_REQUIRE_OK(lyra_world_step(world, NULL));
    }
    TEST_EQUAL(test_allocation_count(), requests);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// held and turned about its own middle: it is where it is put, and has the momentum of its turn
LYRA_TEST(a_body_that_is_moved_goes_where_it_is_put)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = make_world(ctx, "newmark", 0.01);
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    static const double origin[3] = {0};
    LyraConstraintDef held = lyra_constraint_def_default();
    TEST_OK(add_body(world, "rigid", "wheel", &shape, NULL, origin, NULL));
    held.body = "wheel";
    held.select.all = true;
    held.displacement[0] = lyra_curve_constant(0.25);
    TEST_OK(lyra_world_add_constraint(world, &held));
    for (int step = 0; step < 5; ++step) {
        TEST_REQUIRE_OK(lyra_world_step(world, NULL));
    }
    LyraRigidMotion now = motion_of(world, 0);
    TEST_NEAR(now.position[0], 0.25, 1e-13);
    TEST_NEAR(now.rotation[0], 1, 1e-13);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// ---- what is refused ----------------------------------------------------------------------------

static void refuse(const LyraBodyRigid *rigid, const char *kind, const char *expected)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = make_world(ctx, "newmark", 0.01);
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    static const double origin[3] = {0};
    TEST_CHECK(add_body(world, kind, "stone", &shape, rigid, origin, NULL) != LYRA_OK);
    TEST_CONTAINS(lyra_error_message(), expected);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(masses_that_no_body_has_are_refused)
{
    LyraBodyRigid rigid = lyra_body_rigid_default();
    rigid.mass = -1;
    refuse(&rigid, "rigid", "mass");
    rigid = lyra_body_rigid_default();
    rigid.moments = (const double[3]){1, 1, 3};
    refuse(&rigid, "rigid", "none is larger than the two others together");
    rigid.moments = (const double[3]){1, 1, 0};
    refuse(&rigid, "rigid", "expected positive ones");
    rigid.moments = (const double[3]){1, 1, 1};
    rigid.products = (const double[3]){1, 0, 0};
    refuse(&rigid, "rigid", "expected positive ones");
    rigid.moments = NULL;
    refuse(&rigid, "rigid", "products without moments");
    rigid = lyra_body_rigid_default();
    refuse(&rigid, "affine", "found rigid of a body of kind affine");
}

LYRA_TEST(a_start_at_another_size_is_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = make_world(ctx, "newmark", 0.01);
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraStart start = lyra_body_def_default().start;
    static const double origin[3] = {0};
    start.scale[0] = 2;
    TEST_STATUS(add_body(world, "rigid", "stone", &shape, NULL, origin, &start), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "found scale 2 of a rigid body");
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(steps_that_no_rigid_body_has_are_refused)
{
    static const char *const unfit[] = {"rk4", "bdf2", "central-differences", "rosenbrock2"};
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    static const double origin[3] = {0};
    LyraStart start = lyra_body_def_default().start;
    start.angular_velocity[2] = 400;
    for (int k = 0; k < 5; ++k) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        LyraWorld *world = make_world(ctx, k < 4 ? unfit[k] : "newmark", 0.01);
        TEST_OK(add_body(world, "rigid", "top", &shape, NULL, origin, k < 4 ? NULL : &start));
        TEST_CHECK(lyra_world_step(world, NULL) != LYRA_OK);
        TEST_CONTAINS(lyra_error_message(),
                      k < 4 ? "with rigid bodies, expected" : "shorter steps");
        lyra_world_destroy(world);
        test_context_end(ctx);
    }
}
