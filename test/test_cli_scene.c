// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra scene`: what it lists is what the scene has, and wrong scenes are one sentence.

#include "lyra/scene.h"
#include "run_cases.h"
#include "scene_yaml.h"

#define TWO                                                                                        \
    "title: two of them\n"                                                                         \
    "bodies:\n"                                                                                    \
    "  - name: left\n"                                                                             \
    "    generate: {cells: [2, 1, 1]}\n"                                                           \
    "    material: {model: neo-hookean, young: 1 MPa, poisson: 0.3, density: 500}\n"               \
    "  - name: stone\n"                                                                            \
    "    kind: affine\n"                                                                           \
    "    generate: {cells: [1, 1, 1], center: [3, 0, 0]}\n"                                        \
    "constraints:\n"                                                                               \
    "  - {body: left, select: {vertices: [0, 1, 2]}}\n"                                            \
    "loads:\n"                                                                                     \
    "  - {type: pressure, body: left, select: {surface: true}, pressure: 1 kPa}\n"                 \
    "time: {dt: 4 ms, steps: 7}\n"

LYRA_TEST(a_scene_is_listed)
{
    REQUIRE_YAML();
    const char *path = kept("two.yaml");
    test_write_file(path, TWO, strlen(TWO));
    TEST_EQUAL(lyra("scene %s", path), 0);
    TEST_CONTAINS(output, "two of them: backward-euler, auto, dt 0.004 s, 7 steps\n");
    TEST_CONTAINS(output, "left                 solid              12         12        500");
    TEST_CONTAINS(output, "stone                affine              4          6");
    TEST_CONTAINS(output, "conservative");
    TEST_CONTAINS(output, "time.dt ");
    TEST_CONTAINS(output, "bodies.left.material.young ");
    TEST_STRING(errors, "");
}

LYRA_TEST(a_scene_is_listed_for_programs)
{
    REQUIRE_YAML();
    const char *path = kept("two.yaml");
    test_write_file(path, TWO, strlen(TWO));
    TEST_EQUAL(lyra("scene %s --json --set time.steps=9", path), 0);
    TEST_NEAR(number_of("steps"), 9, 0);
    TEST_NEAR(number_of("dt"), 0.004, 0);
    TEST_NEAR(number_of("vertices"), 16, 0);
    TEST_CONTAINS(output, "\"kind\": \"affine\"");
    TEST_CONTAINS(output, "\"body\": \"left\"");
    TEST_CONTAINS(output, "\"solid\"");
    TEST_CONTAINS(output, "\"path\": \"bodies.*.material.young\"");
    TEST_CONTAINS(output, "\"unit\": \"Pa\"");
    // every path that is listed can be set
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    TEST_REQUIRE_OK(lyra_world_load(ctx, path, NULL, &world, NULL));
    int count = 0;
    for (const char *at = output; (at = strstr(at, "\"path\": \"")); ++count) {
        char name[200];
        at += strlen("\"path\": \"");
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "\""), at);
        LyraWorldParameter parameter;
        TEST_OK(lyra_world_get(world, name, &parameter));
        TEST_OK(lyra_world_set(world, name, parameter.value));
    }
    TEST_CHECK_MSG(count > 6, "%d", count);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(scenes_of_vega_are_listed_too)
{
    const char *scene = make_scene();
    TEST_EQUAL(lyra("scene %s --set timestep=0.25", scene), 0);
    TEST_CONTAINS(output, "dt 0.25 s");
    TEST_CONTAINS(output, "solid");
    TEST_CONTAINS(output, "material.young");
}

LYRA_TEST(wrong_command_lines_and_scenes_are_told)
{
    TEST_EQUAL(lyra("scene"), 2);
    TEST_CONTAINS(errors, "expected SCENE");
    TEST_EQUAL(lyra("scene a.yaml b.yaml"), 2);
    TEST_EQUAL(lyra("scene --sett a"), 2);
    TEST_EQUAL(lyra("scene --help"), 0);
    TEST_CONTAINS(output, "usage: lyra scene SCENE");
    TEST_EQUAL(lyra("scene %s", kept("none.config")), 1);
    TEST_CONTAINS(errors, "No such file or directory");
    const char *scene = make_scene();
    TEST_EQUAL(lyra("scene %s --set timstep=1", scene), 1);
    TEST_CONTAINS(errors, "nearest");
}

// ---- lyra convert -------------------------------------------------------------------------------

LYRA_TEST(scenes_of_vega_become_scenes_in_yaml)
{
    REQUIRE_YAML();
    const char *scene = make_scene();
    char target[1024];
    snprintf(target, sizeof target, "%s", kept("converted.yaml"));
    TEST_EQUAL(lyra("convert %s %s --set timestep=0.25", scene, target), 0);
    TEST_STRING(errors, "");
    TEST_EQUAL(lyra("scene %s", target), 0);
    TEST_CONTAINS(output, "dt 0.25 s");
    // what is there is replaced when told to
    TEST_EQUAL(lyra("convert %s %s", scene, target), 1);
    TEST_CONTAINS(errors, "is there already; --force replaces it");
    TEST_EQUAL(lyra("scene %s", target), 0);
    TEST_CONTAINS(output, "dt 0.25 s");
    TEST_EQUAL(lyra("convert %s %s --force --set timestep=0.125", scene, target), 0);
    TEST_EQUAL(lyra("scene %s", target), 0);
    TEST_CONTAINS(output, "dt 0.125 s");
    // and not for nothing
    TEST_EQUAL(lyra("convert %s %s --force --set timestep=0", scene, target), 1);
    TEST_CONTAINS(errors, "expected a number above 0 for timestep");
    TEST_EQUAL(lyra("convert %s %s --force", target, target), 1);
    TEST_CONTAINS(errors, "found a scene in YAML, expected one of Vega");
    TEST_EQUAL(lyra("scene %s", target), 0);
    TEST_CONTAINS(output, "dt 0.125 s");
    TEST_EQUAL(lyra("convert %s", scene), 2);
    TEST_CONTAINS(errors, "expected SCENE.config SCENE.yaml");
}
