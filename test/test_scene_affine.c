// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Affine bodies of scenes in YAML: where they start, what pushes and holds them, what they show,
// and what is refused.

#include "scene_yaml.h"

#include "lyra/lyra.h"

#include <stdlib.h>

#define STONE                                                                                      \
    "bodies:\n"                                                                                    \
    "  - name: stone\n"                                                                            \
    "    kind: affine\n"                                                                           \
    "    generate: {cells: [3, 2, 2], size: [0.3, 0.2, 0.4], center: [1, 2, 3]}\n"
#define BEAM                                                                                       \
    "  - name: beam\n"                                                                             \
    "    generate: {cells: [3, 1, 1], size: [3, 1, 1]}\n"                                          \
    "    material: {young: 1 MPa}\n"

static LyraStatus load_text(LyraContext *ctx, const char *text, LyraWorld **out)
{
    const char *path = test_temp_path("scene.yaml");
    FILE *file = fopen(path, "wb");
    fputs(text, file);
    fclose(file);
    *out = NULL;
    return lyra_world_load(ctx, path, NULL, out, NULL);
}

static const double *displacements(const LyraWorld *world)
{
    return lyra_vector_values(lyra_state_view(lyra_world_view(world).state).u);
}

LYRA_TEST(a_scene_has_its_particles_shape_and_surface)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    TEST_REQUIRE_OK(load_text(ctx,
                              STONE "    material: {density: 2500}\n"
                                    "    stiffness: 3 MPa\n" BEAM,
                              &world));
    LyraWorldView view = lyra_world_view(world);
    const LyraBodyView *stone = &view.bodies[0];
    TEST_EQUAL(stone->vertex_count, 4);
    TEST_CHECK(stone->affine && stone->shape && !stone->mesh && !stone->solid);
    TEST_EQUAL(view.bodies[1].first_vertex, 4);
    TEST_CHECK(!view.bodies[1].affine && view.bodies[1].mesh);
    TEST_NEAR(lyra_affine_view(stone->affine).mass, 2500 * 0.3 * 0.2 * 0.4, 1e-10);
    TEST_EQUAL(lyra_affine_view(stone->affine).stiffness, 3e6);
    LyraModelView model = lyra_model_view(view.model);
    TEST_NEAR(model.masses[0], 2500 * 0.3 * 0.2 * 0.4 / 4, 1e-10);
    // the skin of the mesh, on the particles
    LyraSurfaceView skin = lyra_surface_view(stone->surfaces[0].surface);
    TEST_EQUAL(skin.vertex_count, 4 * 3 * 3);
    TEST_REQUIRE(stone->surfaces[0].embedding);
    TEST_EQUAL(lyra_embedding_view(stone->surfaces[0].embedding).vertex_count, 4);
    LyraForceGroup group;
    TEST_CHECK(lyra_model_group(view.model, 0, &group) && group.owner == 0);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// falls, and turns about the middle of its shape
LYRA_TEST(a_thrown_body_moves_as_its_start_says)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    TEST_REQUIRE_OK(
        load_text(ctx,
                  STONE "    start: {velocity: [1, 0, 0], angular-velocity: [0, 0, 2], "
                        "translate: [0, 5, 0]}\n"
                        "gravity: [0, -10, 0]\nintegrator: {name: newmark}\ntime: {dt: 5 ms}\n",
                  &world));
    LyraWorldView view = lyra_world_view(world);
    for (int s = 0; s < 100; ++s) {
        TEST_OK(lyra_world_step(world, NULL));
    }
    double A[9], t[3];
    lyra_affine_map(view.bodies[0].affine, displacements(world), A, t);
    TEST_NEAR(atan2(A[3], A[0]), 1, 1e-3);
    // its middle at rest is (1, 2, 3)
    TEST_NEAR(A[0] + 2 * A[1] + 3 * A[2] + t[0], 1.5, 1e-6);
    TEST_NEAR(A[3] + 2 * A[4] + 3 * A[5] + t[1], 2 + 5 - 1.25, 1e-6);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// a force on points is one on the body, with its torque; springs hold it; a constraint holds all
LYRA_TEST(loads_act_at_points_of_the_shape)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    TEST_REQUIRE_OK(
        load_text(ctx,
                  STONE "loads:\n"
                        "  - type: force\n"
                        "    select: {half-space: {point: [1.149, 0, 0], normal: [1, 0, 0]}}\n"
                        "    share: total\n    force: [0, 24 N, 0]\n",
                  &world));
    LyraWorldView view = lyra_world_view(world);
    LyraModelView model = lyra_model_view(view.model);
    double f[12], sum[3] = {0}, torque = 0;
    TEST_OK(lyra_world_loads(world, f, NULL));
    for (int i = 0; i < 12; ++i) {
        sum[i % 3] += f[i];
    }
    for (int p = 0; p < 4; ++p) {
        torque += (model.positions[3 * p] - 1) * f[3 * p + 1] -
                  (model.positions[3 * p + 1] - 2) * f[3 * p];
    }
    TEST_NEAR(sum[0], 0, 1e-12);
    TEST_NEAR(sum[1], 24, 1e-12);
    TEST_NEAR(torque, 24 * 0.15, 1e-12);
    lyra_world_destroy(world);

    // hung at the 12 points of its top, with dampers: at rest each spring is longer by m g / 12 k
    TEST_REQUIRE_OK(load_text(ctx,
                              STONE "loads:\n"
                                    "  - type: spring\n"
                                    "    select: {half-space: {point: [0, 2.099, 0], "
                                    "normal: [0, 1, 0]}}\n"
                                    "    stiffness: 1000\n    damping: 300\n"
                                    "gravity: [0, -10, 0]\ntime: {dt: 20 ms}\n",
                              &world));
    view = lyra_world_view(world);
    for (int s = 0; s < 400; ++s) {
        TEST_OK(lyra_world_step(world, NULL));
    }
    double mass = lyra_affine_view(view.bodies[0].affine).mass, A[9], t[3];
    lyra_affine_map(view.bodies[0].affine, displacements(world), A, t);
    TEST_NEAR(A[3] + 2 * A[4] + 3 * A[5] + t[1] - 2, -mass * 10 / (12 * 1000), 1e-5);
    lyra_world_destroy(world);

    TEST_REQUIRE_OK(load_text(ctx,
                              STONE
                              "constraints:\n  - {select: {all: true}, displacement: [t, 0, 0]}\n"
                              "gravity: [0, -10, 0]\ntime: {dt: 20 ms}\n",
                              &world));
    view = lyra_world_view(world);
    for (int s = 0; s < 50; ++s) {
        TEST_OK(lyra_world_step(world, NULL));
    }
    for (int i = 0; i < 12; ++i) {
        TEST_NEAR(displacements(world)[i], i % 3 == 0, 1e-12);
    }
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(what_an_affine_body_has_no_use_for_is_refused)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        {"bodies: [{kind: wood, generate: {}}]", "expected one of: solid, affine"},
        {"bodies: [{kind: felt, generate: {}}]", "expected one of: solid, affine"},
        {"bodies: [{stiffness: 1 MPa, generate: {}}]", "affine and rigid bodies alone"},
        {STONE "    material: {young: 1 MPa}\n", "density alone"},
        {STONE "    viscosity: {mu: 1}\n", "solids alone"},
        {STONE "    fibre: {stiffness: 1}\n", "solids alone"},
        {STONE "    regions: [{select: {all: true}, young: 1}]\n", "density alone"},
        {STONE "constraints: [{select: {vertices: [0]}, body: stone}]\n", "expected all of it"},
        {STONE "loads: [{type: pressure, select: {surface: true}, pressure: 1}]\n",
         "loads of type force"},
        {STONE "changes: [{body: stone, parameter: young, factor: t}]\n", "expected a solid"},
        {STONE "mass: consistent\n", "expected lumped"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        LyraWorld *world = NULL;
        TEST_CHECK_MSG(load_text(ctx, cases[i].text, &world) != LYRA_OK, "%s", cases[i].text);
        TEST_CONTAINS(lyra_error_message(), cases[i].sentence);
        lyra_world_destroy(world);
    }
    test_context_end(ctx);
}

// selectors and changes without a body reach the solids, and pass by what is not theirs
LYRA_TEST(beside_a_solid_selectors_find_what_is_theirs)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    TEST_REQUIRE_OK(load_text(
        ctx,
        STONE BEAM "constraints:\n"
                   "  - select: {half-space: {point: [-1.49, 0, 0], normal: [-1, 0, 0]}}\n"
                   "loads:\n"
                   "  - {type: pressure, body: beam, select: {surface: true}, pressure: 10}\n"
                   "  - {type: spring, select: {all: true}, stiffness: 5}\n"
                   "changes: [{parameter: young, factor: 1 + t}]\n"
                   "gravity: [0, -9.81, 0]\n",
        &world));
    LyraWorldView view = lyra_world_view(world);
    TEST_EQUAL(lyra_constraints_view(lyra_model_constraints(view.model)).count, 3 * 4);
    for (int s = 0; s < 5; ++s) {
        TEST_OK(lyra_world_step(world, NULL));
    }
    TEST_CHECK(displacements(world)[1] < 0);
    LyraWorldParameter knob;
    for (int32_t k = 0; lyra_world_parameter(world, k, &knob); ++k) {
        TEST_OK(lyra_world_set(world, knob.path, knob.value));
    }
    lyra_world_destroy(world);
    test_context_end(ctx);
}
