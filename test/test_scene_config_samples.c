// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Vega's own scenes, unchanged: 100 steps of each that takes seconds, and a sentence for each whose
// mesh is missing.

#include "scene_vega_sample.h"

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

LYRA_TEST(cloth_is_refused)
{
    check_refused("cloth/bend1.config", LYRA_UNSUPPORTED, "cloth");
    check_refused("cloth/bend2.config", LYRA_UNSUPPORTED, "cloth");
    check_refused("cloth/cloth100.config", LYRA_UNSUPPORTED, "cloth");
}
