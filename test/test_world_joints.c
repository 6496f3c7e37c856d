// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Joints: what each kind holds and leaves free, between rigid, affine and soft bodies and the
// world; what they push with; what is refused.

#include "lyra/joint.h"
#include "lyra/math3.h"
#include "lyra/probe.h"
#include "lyra/world.h"
#include "lyra_test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static LyraWorld *make_world(LyraContext *ctx, const char *integrator, double gravity)
{
    LyraWorld *world = NULL;
    LyraWorldDef def = lyra_world_def_default();
    def.integrator.name = integrator;
    def.integrator.newton.policy = LYRA_NEWTON_FULL;
    def.gravity[1] = lyra_curve_constant(-gravity);
    TEST_OK(lyra_world_create(ctx, &def, &world));
    return world;
}

static void add_box(LyraWorld *world, const char *kind, const char *name, double x,
                    const double spin[3])
{
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraBodyDef body = lyra_body_def_default();
    shape.size[0] = 0.4;
    shape.size[1] = shape.size[2] = 0.1;
    shape.cells[0] = 4;
    shape.cells[1] = shape.cells[2] = 1;
    body.name = name;
    body.kind = kind;
    body.generate = &shape;
    body.transform.translate[0] = x;
    if (spin) {
        memcpy(body.start.angular_velocity, spin, sizeof body.start.angular_velocity);
    }
    TEST_OK(lyra_world_add_body(world, &body, NULL));
}

static LyraJointDef joint_at(LyraJointKind kind, const char *body, const char *to, double x)
{
    LyraJointDef joint = lyra_joint_def_default();
    joint.kind = kind;
    joint.body = body;
    joint.to = to;
    joint.at[0] = x;
    return joint;
}

static LyraRigidMotion motion_of(LyraWorld *world, int32_t body)
{
    LyraRigidMotion motion = {0};
    TEST_OK(lyra_world_rigid_motion(world, body, &motion));
    return motion;
}

static void take_steps(LyraWorld *world, int count)
{
    for (int step = 0; step < count; ++step) {
        TEST_REQUIRE_OK(lyra_world_step(world, NULL));
    }
}

// where the place of a joint, at rest at (x, 0, 0), has gone with a body from (middle, 0, 0)
static LyraVec3 place_of(const LyraRigidMotion *m, double x, double middle)
{
    LyraQuat q = lyra_quat(m->rotation[0], m->rotation[1], m->rotation[2], m->rotation[3]);
    LyraVec3 arm = lyra_quat_rotate(q, lyra_vec3(x - middle, 0, 0));
    return lyra_vec3_add(arm, lyra_vec3(m->position[0], m->position[1], m->position[2]));
}

LYRA_TEST(joints_to_the_world_hold_what_they_are_to_hold)
{
    static const double spin[3] = {1, 0.5, 0.5};
    for (int kind = 0; kind < LYRA_JOINT_KIND_COUNT; ++kind) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        LyraWorld *world = make_world(ctx, "backward-euler", 9.81);
        add_box(world, "rigid", "bar", 0.2, spin);
        LyraJointDef joint = joint_at((LyraJointKind)kind, "bar", NULL, 0);
        joint.name = "joint";
        if (kind == LYRA_JOINT_SLIDER) {
            joint.axis[0] = joint.axis[2] = 0;
            joint.axis[1] = 1;
        }
        TEST_OK(lyra_world_add_joint(world, &joint, NULL));
        take_steps(world, 20);
        LyraRigidMotion m = motion_of(world, 0);
        LyraVec3 at = place_of(&m, 0, 0.2);
        double gap = 0, turned = acos(fmin(fabs(m.rotation[0]), 1));
        TEST_OK(lyra_world_tie_gap(world, lyra_world_find_tie(world, "joint"), &gap));
        TEST_CHECK(gap < 1e-6);
        TEST_NEAR(at.x, 0, 1e-6);
        TEST_NEAR(at.z, 0, 1e-6);
        if (kind == LYRA_JOINT_SLIDER) {
            // it falls freely: g h^2 N (N + 1) / 2
            TEST_NEAR(at.y, -9.81 * 1e-4 * 20 * 21 / 2, 1e-6);
            TEST_NEAR(turned, 0, 1e-6);
        } else {
            TEST_NEAR(at.y, 0, 1e-6);
        }
        if (kind == LYRA_JOINT_WELD || kind == LYRA_JOINT_SLIDER) {
            TEST_NEAR(turned, 0, 1e-6);
        } else {
            TEST_CHECK(turned > 0.05);
        }
        bool about_z = fabs(m.rotation[1]) < 1e-6 && fabs(m.rotation[2]) < 1e-6;
        TEST_CHECK(kind == LYRA_JOINT_BALL ? !about_z : about_z);
        lyra_world_destroy(world);
        test_context_end(ctx);
    }
}

// at rest a weld carries the weight, 4 kg, and its torque, 0.2 m beside it
LYRA_TEST(a_weld_carries_weight_and_torque)
{
    static const char *const kinds[] = {"rigid", "affine", "solid"};
    for (int k = 0; k < 3; ++k) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        LyraWorld *world = make_world(ctx, "static", 9.81);
        double force[3], torque[3];
        int32_t index = -1;
        add_box(world, kinds[k], "bar", 0.2, NULL);
        LyraJointDef joint = joint_at(LYRA_JOINT_WELD, "bar", NULL, 0);
        joint.span = 0.05;
        TEST_OK(lyra_world_add_joint(world, &joint, &index));
        take_steps(world, 1);
        TEST_OK(lyra_world_tie_force(world, index, force));
        TEST_OK(lyra_world_tie_torque(world, index, (double[3]){0, 0, 0}, torque));
        TEST_NEAR(force[1], 4 * 9.81, 1e-4);
        TEST_NEAR(force[0], 0, 1e-4);
        // soft bars hang down, so that their weight comes closer
        TEST_NEAR(torque[2], 0.2 * 4 * 9.81, k == 2 ? 0.5 : 1e-3);
        lyra_world_destroy(world);
        test_context_end(ctx);
    }
}

// kinds on both sides of a ball joint; all moves on with what it had
LYRA_TEST(joints_between_bodies_keep_momentum)
{
    static const char *const kinds[][2] = {
        {"rigid", "rigid"}, {"rigid", "affine"}, {"solid", "rigid"}};
    static const double spin[3] = {0, 1, 2};
    for (int k = 0; k < 3; ++k) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        LyraWorld *world = make_world(ctx, "generalized-alpha", 0);
        double momentum[2][3] = {{0}};
        add_box(world, kinds[k][0], "left", 0.2, NULL);
        add_box(world, kinds[k][1], "right", 0.6, spin);
        LyraJointDef joint = joint_at(LYRA_JOINT_BALL, "left", "right", 0.4);
        TEST_OK(lyra_world_add_joint(world, &joint, NULL));
        TEST_OK(lyra_world_prepare(world));
        for (int n = 0; n < 2; ++n) {
            LyraModelView model = lyra_model_view(lyra_world_view(world).model);
            const double *v = lyra_vector_values(lyra_state_view(lyra_world_view(world).state).v);
            for (int32_t i = 0; i < 3 * model.vertex_count; ++i) {
                momentum[n][i % 3] += model.masses[i / 3] * v[i];
            }
            take_steps(world, n ? 0 : 30);
        }
        double gap = 1;
        TEST_OK(lyra_world_tie_gap(world, 0, &gap));
        TEST_CHECK(gap < 1e-6);
        for (int i = 0; i < 3; ++i) {
            TEST_NEAR(momentum[1][i], momentum[0][i], 1e-5);
        }
        lyra_world_destroy(world);
        test_context_end(ctx);
    }
}

LYRA_TEST(a_motor_turns_its_body)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = make_world(ctx, "backward-euler", 9.81);
    add_box(world, "rigid", "bar", 0.2, NULL);
    LyraJointDef joint = joint_at(LYRA_JOINT_WELD, "bar", NULL, 0);
    joint.angle = lyra_curve_expression("3 * t");
    TEST_OK(lyra_world_add_joint(world, &joint, NULL));
    take_steps(world, 30);
    LyraRigidMotion m = motion_of(world, 0);
    TEST_NEAR(2 * atan2(m.rotation[3], m.rotation[0]), 0.9, 1e-5);
    TEST_NEAR(m.spin[2], 3, 0.05);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

static LyraWorld *make_chain(LyraContext *ctx)
{
    LyraWorld *world = make_world(ctx, "backward-euler", 9.81);
    for (int b = 0; b < 3; ++b) {
        char name[2][8];
        snprintf(name[0], sizeof name[0], "b%d", b);
        snprintf(name[1], sizeof name[1], "b%d", b - 1);
        add_box(world, "rigid", name[0], 0.2 + 0.4 * b, NULL);
        LyraJointDef joint = joint_at(LYRA_JOINT_HINGE, name[0], b ? name[1] : NULL, 0.4 * b);
        TEST_OK(lyra_world_add_joint(world, &joint, NULL));
    }
    return world;
}

LYRA_TEST(chains_go_on_with_the_same_bits_after_a_restart_and_on_threads)
{
    double ends[3][24];
    for (int k = 0; k < 3; ++k) {
        const char *path = "test_world_joints.lyra";
        LyraContext *ctx = test_context(k == 1 ? 3 : 1, LYRA_ISA_AUTO);
        LyraWorld *world = make_chain(ctx);
        take_steps(world, 5);
        if (k == 2) {
            TEST_OK(lyra_world_save(world, path));
            lyra_world_destroy(world);
            world = make_chain(ctx);
            TEST_OK(lyra_world_restore(world, path));
            remove(path);
        }
        take_steps(world, 5);
        memcpy(ends[k], lyra_world_positions(world, 2, NULL), sizeof ends[k]);
        lyra_world_destroy(world);
        test_context_end(ctx);
    }
    TEST_CHECK(memcmp(ends[0], ends[1], sizeof ends[0]) == 0);
    TEST_CHECK(memcmp(ends[0], ends[2], sizeof ends[0]) == 0);
}

LYRA_TEST(joints_that_make_no_sense_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = make_world(ctx, "backward-euler", 0);
    add_box(world, "rigid", "bar", 0, NULL);
    LyraJointDef joint = joint_at(LYRA_JOINT_BALL, "bar", "bar", 0);
    TEST_CHECK(lyra_world_add_joint(world, &joint, NULL) != LYRA_OK);
    TEST_CONTAINS(lyra_error_message(), "tied to itself");
    joint = joint_at(LYRA_JOINT_BALL, "beam", NULL, 0);
    TEST_CHECK(lyra_world_add_joint(world, &joint, NULL) != LYRA_OK);
    TEST_CONTAINS(lyra_error_message(), "beam");
    joint = joint_at(LYRA_JOINT_HINGE, "bar", NULL, 0);
    memset(joint.axis, 0, sizeof joint.axis);
    TEST_CHECK(lyra_world_add_joint(world, &joint, NULL) != LYRA_OK);
    TEST_CONTAINS(lyra_error_message(), "axis");
    joint = joint_at(LYRA_JOINT_HINGE, "bar", NULL, 0);
    joint.angle = lyra_curve_constant(1);
    TEST_CHECK(lyra_world_add_joint(world, &joint, NULL) != LYRA_OK);
    TEST_CONTAINS(lyra_error_message(), "no weld to the world");
    joint = joint_at(LYRA_JOINT_BALL, "bar", NULL, NAN);
    TEST_CHECK(lyra_world_add_joint(world, &joint, NULL) != LYRA_OK);
    joint = joint_at(LYRA_JOINT_BALL, "bar", NULL, 0);
    joint.hard = false;
    TEST_CHECK(lyra_world_add_joint(world, &joint, NULL) != LYRA_OK);
    TEST_CONTAINS(lyra_error_message(), "stiffness");
    TEST_EQUAL(lyra_world_view(world).body_count, 1);
    lyra_world_destroy(world);
    test_context_end(ctx);
}
