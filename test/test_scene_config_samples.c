// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Vega's own scenes, unchanged: 100 steps of each that takes seconds, and a sentence for each whose
// mesh is missing.

#include "scene_vega_sample.h"
#include "scene_yaml.h"

#include "lyra/dense.h"
#include "lyra/matrix_file.h"

#include <math.h>

LYRA_TEST(beam3_tet_runs)
{
    run_sample("beam3_tet/beam3_tet.config", 0.1);
}

LYRA_TEST(beam3_tet_springs_run)
{
    run_sample("beam3_tet/beam3_tet_massspring.config", 0.1);
}

LYRA_TEST(beam3_vox_runs)
{
    run_sample("beam3_vox/beam3_vox.config", 0.1);
}

LYRA_TEST(beam3_vox_springs_run)
{
    run_sample("beam3_vox/beam3_vox_massspring.config", 0.1);
}

LYRA_TEST(turtle_runs)
{
    run_sample("turtle/turtle.config", 1);
}

LYRA_TEST(turtle_orthotropic_runs)
{
    run_sample("turtle/turtle.ortho.config", 1);
}

LYRA_TEST(turtle_springs_run)
{
    run_sample("turtle/turtle_massspring.config", 1);
}

LYRA_TEST(asian_dragon_runs)
{
    run_sample("asianDragon/asianDragon.config", 1);
}

LYRA_TEST(asian_dragon_unconstrained_runs)
{
    run_sample("asianDragon/asianDragon_unconstrained.config", 1);
}

LYRA_TEST(asian_dragon_mooney_rivlin_runs)
{
    run_sample("asianDragon/asianDragon_MooneyRivlin.config", 1);
}

LYRA_TEST(asian_dragon_springs_run)
{
    run_sample("asianDragon/asianDragon_massspring.config", 1);
}

static void check_refused(const char *name, LyraStatus expected, const char *sentence)
{
    char path[1024];
    snprintf(path, sizeof path, "vega-examples/examples/%s", name);
    const char *found = test_reference_path(path);
    if (!found) {
        TEST_SKIP("the sample scenes are not here");
    }
    snprintf(path, sizeof path, "%s", found);
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    TEST_STATUS(lyra_world_load(ctx, path, NULL, &world, NULL), expected);
    TEST_CHECK(!world);
    TEST_CONTAINS(lyra_error_message(), name);
    TEST_CONTAINS(lyra_error_message(), sentence);
    test_context_end(ctx);
}

LYRA_TEST(a_missing_mesh_is_one_sentence)
{
    check_refused("dragon/dragon.config", LYRA_IO_FAILED, "dragon.veg");
    check_refused("tube/tube.config", LYRA_IO_FAILED, "tube-L9-R6-T6.veg");
}

// ---- conversions --------------------------------------------------------------------------------

// a velocity for each unknown, in a file of the test
static bool write_push(LyraContext *ctx, const char *scene, const char *path)
{
    LyraWorld *world = NULL;
    LyraDense *push = NULL;
    if (!TEST_OK(lyra_world_load(ctx, scene, NULL, &world, NULL))) {
        return false;
    }
    int32_t rows = 3 * lyra_world_view(world).bodies[0].vertex_count;
    lyra_world_destroy(world);
    if (!TEST_OK(lyra_dense_create(ctx, rows, 1, &push))) {
        return false;
    }
    for (int32_t i = 0; i < rows; ++i) {
        lyra_dense_values(push)[i] = 0.05 * sin(1.3 * i);
    }
    bool written = TEST_OK(lyra_dense_save_vega(ctx, path, lyra_dense_view(push)));
    lyra_dense_destroy(push);
    return written;
}

// the scene and the one in YAML, both pushed, move bit for bit alike
static void check_converted(LyraContext *ctx, const char *name)
{
    char scene[1024], yaml[1024], push[1024], override[1100];
    snprintf(scene, sizeof scene, "vega-examples/examples/%s", name);
    const char *found = test_reference_path(scene);
    TEST_REQUIRE(found);
    snprintf(scene, sizeof scene, "%s", found);
    snprintf(yaml, sizeof yaml, "%s", test_temp_path("scene.yaml"));
    snprintf(push, sizeof push, "%s", test_temp_path("push"));
    snprintf(override, sizeof override, "initialVelocityFilename=%s", push);
    const char *const sets[] = {override, "addGravity=1"};
    LyraSceneDef def = lyra_scene_def_default();
    LyraWorld *a = NULL, *b = NULL;
    def.overrides = sets;
    def.override_count = 2;
    if (write_push(ctx, scene, push) && TEST_OK(lyra_scene_convert(ctx, scene, &def, yaml)) &&
        TEST_OK(lyra_world_load(ctx, scene, &def, &a, NULL)) &&
        TEST_OK(lyra_world_load(ctx, yaml, NULL, &b, NULL))) {
        for (int s = 0; s < 2; ++s) {
            TEST_OK(lyra_world_step(a, NULL));
            TEST_OK(lyra_world_step(b, NULL));
        }
        TEST_CHECK_MSG(lyra_state_equal(lyra_world_view(a).state, lyra_world_view(b).state),
                       "%s parts from its conversion", name);
        TEST_CHECK(lyra_vector_norm(lyra_state_view(lyra_world_view(a).state).u) > 0);
    }
    lyra_world_destroy(a);
    lyra_world_destroy(b);
}

LYRA_TEST(samples_are_converted)
{
    static const char *const names[] = {
        "beam3_tet/beam3_tet.config",
        "beam3_tet/beam3_tet_massspring.config",
        "beam3_vox/beam3_vox.config",
        "beam3_vox/beam3_vox_massspring.config",
        "simpleBridge_tet/simpleBridge_tet.config",
        "simpleBridge_tet/simpleBridge_tet_massspring.config",
        "simpleBridge_vox/simpleBridge_vox.config",
        "simpleBridge_vox/simpleBridge_vox_massspring.config",
        "towerCrane/towerCrane.config",
        "towerCrane/towerCrane_massspring.config",
        "turtle/turtle.config",
        "turtle/turtle.ortho.config",
        "turtle/turtle_massspring.config",
        "asianDragon/asianDragon.config",
        "asianDragon/asianDragon_unconstrained.config",
        "asianDragon/asianDragon_MooneyRivlin.config",
        "asianDragon/asianDragon_massspring.config",
    };
    REQUIRE_YAML();
    if (!test_reference_path("vega-examples/examples/turtle/turtle.config")) {
        TEST_SKIP("the sample scenes are not here");
    }
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        check_converted(ctx, names[i]);
    }
    test_context_end(ctx);
}

// scenes of cloth fall or unfold by themselves, and so do their conversions, bit for bit
LYRA_TEST(cloth_runs_and_is_converted)
{
    static const struct {
        const char *name;
        int32_t vertices, steps;
    } scenes[] = {{"bend1", 6, 100}, {"bend2", 55, 100}, {"cloth100", 10201, 10}};
    REQUIRE_YAML();
    for (int k = 0; k < 3; ++k) {
        char path[1024], yaml[1024];
        snprintf(path, sizeof path, "vega-examples/examples/cloth/%s.config", scenes[k].name);
        const char *found = test_reference_path(path);
        if (!found) {
            TEST_SKIP("the sample scenes are not here");
        }
        snprintf(path, sizeof path, "%s", found);
        snprintf(yaml, sizeof yaml, "%s", test_temp_path("cloth.yaml"));
        LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
        LyraWorld *world = NULL, *converted = NULL;
        TEST_OK(lyra_scene_convert(ctx, path, NULL, yaml));
        if (TEST_OK(lyra_world_load(ctx, path, NULL, &world, NULL)) &&
            TEST_OK(lyra_world_load(ctx, yaml, NULL, &converted, NULL))) {
            LyraWorldView view = lyra_world_view(world);
            TEST_STRING(view.bodies[0].kind, "cloth");
            TEST_EQUAL(view.bodies[0].vertex_count, scenes[k].vertices);
            for (int32_t s = 0; s < scenes[k].steps; ++s) {
                TEST_OK(lyra_world_step(world, NULL));
                TEST_OK(lyra_world_step(converted, NULL));
            }
            LyraVector *u = lyra_state_view(view.state).u;
            TEST_CHECK(lyra_vector_is_finite(u) && lyra_vector_norm(u) > 0);
            TEST_CHECK(lyra_state_equal(view.state, lyra_world_view(converted).state));
        }
        lyra_world_destroy(world);
        lyra_world_destroy(converted);
        test_context_end(ctx);
    }
}
