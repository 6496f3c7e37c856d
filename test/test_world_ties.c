// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Ties: what hangs by them weighs what it weighs, whatever kind of body it is; they push nobody who
// moves as a whole, and keep momentum; what they are told wrong is refused.

#include "lyra/scene.h"
#include "lyra/world.h"
#include "lyra_test.h"

#include <math.h>
#include <string.h>

// an upper block that is held at its top, and a lower one, `gap` below it
static LyraStatus add_blocks(LyraWorld *world, const char *lower_kind, double gap)
{
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraSelectHalfSpace top = {.point = {0, 0.49, 0}, .normal = {0, 1, 0}};
    LyraSelector held = lyra_selector_default();
    LyraBodyDef upper = lyra_body_def_default(), lower = upper;
    shape.cells[0] = shape.cells[1] = shape.cells[2] = 2;
    upper.name = "upper";
    upper.generate = &shape;
    upper.material.young = 1e6;
    upper.material.poisson = 0.3;
    lower.name = "lower";
    lower.generate = &shape;
    lower.kind = lower_kind;
    if (strcmp(lower_kind, "solid") == 0) {
        lower.material = upper.material;
    }
    lower.density = 500;
    lower.transform.translate[1] = -1 - gap;
    LyraStatus status = lyra_world_add_body(world, &upper, NULL);
    if (status == LYRA_OK) {
        status = lyra_world_add_body(world, &lower, NULL);
    }
    held.half_space = &top;
    return status == LYRA_OK ? lyra_world_fix(world, "upper", &held) : status;
}

static LyraTieDef tie_of_top(LyraSelectHalfSpace *plane, double gap)
{
    LyraTieDef tie = lyra_tie_def_default();
    *plane = (LyraSelectHalfSpace){.point = {0, -0.51 - gap, 0}, .normal = {0, 1, 0}};
    tie.body = "lower";
    tie.select.half_space = plane;
    tie.to = "upper";
    tie.stiffness = 1e5;
    return tie;
}

static LyraWorld *make_world(LyraContext *ctx, const char *integrator, const char *kind, double gap)
{
    LyraWorld *world = NULL;
    LyraWorldDef def = lyra_world_def_default();
    def.integrator.name = integrator;
    def.gravity[1] = lyra_curve_constant(-9.81);
    TEST_OK(lyra_world_create(ctx, &def, &world));
    TEST_OK(add_blocks(world, kind, gap));
    return world;
}

LYRA_TEST(a_tied_body_hangs_with_its_weight)
{
    static const char *const kinds[] = {"solid", "affine"};
    for (int k = 0; k < 2; ++k) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        LyraWorld *world = make_world(ctx, "static", kinds[k], 0.25);
        LyraSelectHalfSpace plane;
        LyraTieDef tie = tie_of_top(&plane, 0.25);
        double force[3] = {0};
        int32_t index = -1;
        TEST_OK(lyra_world_add_tie(world, &tie, &index));
        TEST_EQUAL(index, 0);
        TEST_OK(lyra_world_step(world, NULL));
        TEST_OK(lyra_world_tie_force(world, index, force));
        // 1 m^3 of 500 kg/m^3
        TEST_NEAR(force[1], 500 * 9.81, 1e-5 * 500 * 9.81);
        TEST_NEAR(force[0], 0, 1e-3);
        lyra_world_destroy(world);
        test_context_end(ctx);
    }
}

// the same springs said as a load and as a tie to the world
LYRA_TEST(a_tie_to_the_world_is_a_spring_to_the_place_at_rest)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double places[2][81];
    for (int k = 0; k < 2; ++k) {
        LyraWorld *world = make_world(ctx, "backward-euler", "solid", 0);
        LyraSelectHalfSpace plane;
        LyraTieDef tie = tie_of_top(&plane, 0);
        LyraLoadDef load = lyra_load_def_default();
        tie.to = NULL;
        tie.damping = 30;
        load.type = LYRA_LOAD_SPRING;
        load.body = tie.body;
        load.select = tie.select;
        load.stiffness = tie.stiffness;
        load.damping = tie.damping;
        TEST_OK(k ? lyra_world_add_load(world, &load) : lyra_world_add_tie(world, &tie, NULL));
        for (int step = 0; step < 5; ++step) {
            TEST_OK(lyra_world_step(world, NULL));
        }
        int32_t count = 0;
        const double *x = lyra_world_positions(world, 1, &count);
        TEST_REQUIRE(count == 27);
        memcpy(places[k], x, sizeof places[k]);
        lyra_world_destroy(world);
    }
    for (int i = 0; i < 81; ++i) {
        TEST_NEAR(places[0][i], places[1][i], 1e-9);
    }
    test_context_end(ctx);
}

// two free bodies, tied with a gap and with damping: what one gains the other loses
LYRA_TEST(ties_keep_momentum_and_leave_rigid_motion_alone)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int spin = 0; spin < 2; ++spin) {
        LyraWorld *world = NULL;
        LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
        LyraWorldDef def = lyra_world_def_default();
        LyraSelectHalfSpace plane;
        LyraTieDef tie = tie_of_top(&plane, 0.1);
        double force[3];
        shape.cells[0] = shape.cells[1] = shape.cells[2] = 1;
        def.integrator.name = "implicit-midpoint";
        TEST_OK(lyra_world_create(ctx, &def, &world));
        for (int b = 0; b < 2; ++b) {
            LyraBodyDef body = lyra_body_def_default();
            body.name = b ? "lower" : "upper";
            body.generate = &shape;
            body.transform.translate[1] = b ? -1.1 : 0;
            body.start.velocity[0] = 2;
            body.start.velocity[2] = spin && b ? 1 : 0;
            TEST_OK(lyra_world_add_body(world, &body, NULL));
        }
        tie.damping = 50;
        TEST_OK(lyra_world_add_tie(world, &tie, NULL));
        for (int step = 0; step < 10; ++step) {
            TEST_OK(lyra_world_step(world, NULL));
        }
        TEST_OK(lyra_world_tie_force(world, 0, force));
        double size = sqrt(force[0] * force[0] + force[1] * force[1] + force[2] * force[2]);
        TEST_CHECK(spin ? size > 1 : size < 1e-6);
        LyraModelView model = lyra_model_view(lyra_world_view(world).model);
        const double *v = lyra_vector_values(lyra_state_view(lyra_world_view(world).state).v);
        double momentum[3] = {0};
        for (int32_t i = 0; i < 3 * model.vertex_count; ++i) {
            momentum[i % 3] += model.masses[i / 3] * v[i];
        }
        TEST_NEAR(momentum[0], 4000, 1e-6);
        TEST_NEAR(momentum[2], spin ? 1000 : 0, 1e-6);
        lyra_world_destroy(world);
    }
    test_context_end(ctx);
}

static void swing(LyraContext *ctx, void *data, void *out)
{
    (void)data;
    LyraWorld *world = make_world(ctx, "backward-euler", "affine", 0.25);
    LyraSelectHalfSpace plane;
    LyraTieDef tie = tie_of_top(&plane, 0.25);
    TEST_OK(lyra_world_add_tie(world, &tie, NULL));
    for (int step = 0; step < 3; ++step) {
        TEST_OK(lyra_world_step(world, NULL));
    }
    memcpy(out, lyra_world_positions(world, 0, NULL), 81 * sizeof(double));
    lyra_world_destroy(world);
}

LYRA_TEST(tied_bodies_have_the_same_bits_on_all_threads)
{
    test_same_bits(swing, NULL, 81 * sizeof(double));
}

LYRA_TEST(wrong_ties_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = make_world(ctx, "backward-euler", "solid", 0);
    LyraSelectHalfSpace plane;
    LyraTieDef tie = tie_of_top(&plane, 0);
    tie.to = "lower";
    TEST_STATUS(lyra_world_add_tie(world, &tie, NULL), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "tied to itself");
    tie.to = "louer";
    TEST_STATUS(lyra_world_add_tie(world, &tie, NULL), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "to: found \"louer\"");
    tie.to = NULL;
    tie.stiffness = -1;
    TEST_STATUS(lyra_world_add_tie(world, &tie, NULL), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "stiffness");
    tie.stiffness = 1;
    plane.point[1] = 5;
    TEST_STATUS(lyra_world_add_tie(world, &tie, NULL), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "select: found no vertices");
    TEST_OK(lyra_world_step(world, NULL));
    double force[3];
    TEST_STATUS(lyra_world_tie_force(world, 0, force), LYRA_INVALID_ARGUMENT);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

static LyraStatus load_scene(LyraContext *ctx, void *data)
{
    LyraWorld *world = NULL;
    LyraStatus status = lyra_world_load_memory(ctx, data, strlen(data), NULL, NULL, &world, NULL);
    if (status == LYRA_OK) {
        status = lyra_world_step(world, NULL);
    }
    lyra_world_destroy(world);
    return status;
}

LYRA_TEST(scenes_have_ties)
{
    char text[] = "bodies:\n"
                  "  - {name: a, generate: {cells: [1, 1, 1]}}\n"
                  "  - {name: b, generate: {cells: [1, 1, 1], center: [0, -1, 0]}}\n"
                  "constraints:\n"
                  "  - {body: a, select: {all: true}}\n"
                  "ties:\n"
                  "  - {body: b, select: {box: {min: [-1, -0.6, -1], max: [1, 0, 1]}}, to: a,\n"
                  "     stiffness: 1 kN/m, damping: 2 N s/m}\n";
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TEST_OK(load_scene(ctx, text));
    *strstr(text, "to: a") = 'T';
    TEST_STATUS(load_scene(ctx, text), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "found key \"To\" in ties");
    *strstr(text, "To: a") = 't';
    test_context_end(ctx);
    test_fail_each_allocation(load_scene, text);
}
