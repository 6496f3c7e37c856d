// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Scenes in YAML as wholes: wrong ones are refused with one sentence, right ones are what they say.

#include "base/file.h"
#include "lyra/mesh_generate.h"
#include "lyra/mesh_ops.h"
#include "lyra/scene.h"
#include "lyra_test.h"
#include "scene/spec.h"
#include "scene_yaml.h"
#include "world/world.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEAM                                                                                       \
    "bodies:\n"                                                                                    \
    "  - name: beam\n"                                                                             \
    "    generate: {cells: [6, 2, 2], size: [3, 1, 1]}\n"                                          \
    "    material: {model: corotational, young: 1 MPa, poisson: 0.3}\n"
#define CLAMP                                                                                      \
    "constraints:\n"                                                                               \
    "  - select: {half-space: {point: [-1.49, 0, 0], normal: [-1, 0, 0]}}\n"

static LyraStatus load_text(LyraContext *ctx, const char *text, int32_t override_count,
                            const char *const *overrides, LyraWorld **out)
{
    const char *path = test_temp_path("scene.yaml");
    test_write_file(path, text, strlen(text));
    LyraSceneDef def = lyra_scene_def_default();
    def.overrides = overrides;
    def.override_count = override_count;
    return lyra_world_load(ctx, path, &def, out, NULL);
}

static const double *displacements(const LyraWorld *world)
{
    return lyra_vector_values(lyra_state_view(lyra_world_view(world).state).u);
}

static int32_t size_of(const LyraWorld *world)
{
    return lyra_vector_size(lyra_state_view(lyra_world_view(world).state).u);
}

// ---- wrong scenes -------------------------------------------------------------------------------

static const char *const wrong[][2] = {
    {"alias", ":1:9: found an anchor or an alias, expected the value itself"},
    {"bad_expression", ":5:34: found the end of \"0.1*sin(2*pi*t\", expected )"},
    {"bad_function", ":5:24: found \"sinh(t)\", expected a number, t, pi or one of sin cos tan exp "
                     "log sqrt abs min max step ramp"},
    {"bad_number", ":4:9: found \"lots\", expected a number in 1/s"},
    {"duplicate_key", ":4:1: found key \"mass\" a second time, expected it once as on line 3"},
    {"empty", ":1:1: found nothing, expected a scene with bodies"},
    {"empty_selection", ":4:13: found no vertices in the selection, expected some"},
    {"missing_file", ":2:11: cannot read DIR/nowhere.veg: No such file or directory"},
    {"no_bodies", ":1:1: found no key \"bodies\" in scene, expected one"},
    {"no_mesh",
     ":2:5: found neither mesh nor generate, expected either mesh or generate in a body"},
    {"no_unit", ":4:10: found \"sec\", expected a unit as s, or nothing more"},
    {"not_yaml", ":3:5: while parsing a flow sequence: did not find expected ',' or ']'"},
    {"out_of_range", ":3:25: found \"0.5\", expected a number between -1 and 0.5 for poisson"},
    {"steps_and_duration", ":3:29: found duration beside steps, expected one of them"},
    {"strange_key", ":3:1: found key \"sound\" in scene, expected one of: title, bodies, mass, "
                    "gravity, constraints, loads, forces, ties, joints, obstacles, changes, "
                    "damping, integrator, solver, "
                    "time, output, camera"},
    {"times_go_back", ":6:28: found \"1\", expected a time after the one before it"},
    {"key_elsewhere", ":3:1: found key \"probes\" in scene, expected it in output"},
    {"unknown_group", ":3:1: found key \"integrater\" in scene, expected \"integrator\" perhaps"},
    {"unknown_key", ":4:7: found key \"yuong\" in material, expected \"young\" perhaps"},
    {"wrong_body", ":4:11: found \"arm\", expected the name of a body: one of: body1"},
    {"wrong_tie",
     ":5:22: found \"bal\", expected the name of a body: \"ball\" perhaps, or another of: beam, "
     "ball"},
    {"empty_name", ":2:11: found \"\", expected a name, or no key"},
    {"empty_file", ":2:11: found \"\", expected the name of a file"},
    {"wrong_load_key",
     ":6:5: found key \"force\" in loads of type pressure, expected it with type force only"},
    {"wrong_parameter",
     ":4:16: found \"stifness\", expected one of: young, lambda, mu, compression-resistance"},
    {"wrong_type",
     ":3:10: found \"-9.81\", expected its size, not below 0, or [x, y, z] for gravity"},
    {"wrong_unit", ":4:7: found \"5 cm\", expected a number in s or a unit of its kind"},
    {"wrong_vertex", ":4:24: found vertex 99, expected 0 to 11"},
    {"wrong_word",
     ":4:14: found \"neohookean\", expected \"neo-hookean\" perhaps, or another of: linear, "
     "corotational, corotational-exact, stvk, neo-hookean, mooney-rivlin, stable-neo-hookean, "
     "stable-neo-hookean-log, ogden, yeoh, arruda-boyce, fung, reduced-polynomial, "
     "biphasic-spline, rotated-linear, hencky, fibre, mass-spring"},
    {"cycle", ":1:9: found an anchor or an alias, expected the value itself"},
    {"picture_size",
     ":3:25: found [0, 900], expected width and height of pictures, each from 16 to 8000"},
    {"eye_at_target", ":3:9: found the eye at its target, expected it elsewhere"},
    {"negative_steps", ":3:15: found \"-3\", expected a whole number not below 0 for steps"},
    {"same_name", ":5:5: found a second body called \"body\", expected names to differ"},
    {"tab", ":2:1: found a tab before the text, expected blanks"},
    {"tag", ":3:8: found a tag, expected the value alone"},
    {"too_deep", ":1:39: found values nested deeper than 32 levels, expected fewer"},
    {"too_large", ":3:17: found \"1e999\", expected a number in 1/s"},
    {"too_many_cells",
     ":2:15: mesh: 1003003001 vertices and 6000000000 elements, at most 2147483647 of each"},
    {"two_documents", ":3:1: found a second document, expected one"},
};

LYRA_TEST(wrong_scenes_are_refused_with_one_sentence)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        char name[100], expected[2000];
        snprintf(name, sizeof name, "bad-scenes/%s.yaml", wrong[i][0]);
        const char *path = test_data_path(name);
        LyraWorld *world = NULL;
        LyraStatus status = lyra_world_load(ctx, path, NULL, &world, NULL);
        TEST_CHECK_MSG(status != LYRA_OK && !world, "%s was read", path);
        // where the sentence names a file, it is one beside the scene
        const char *text = wrong[i][1], *mark = strstr(text, "DIR/");
        size_t before = mark ? (size_t)(mark - text) : strlen(text);
        snprintf(expected, sizeof expected, "%s%.*s%.*s%s", path, (int)before, text,
                 mark ? (int)ly_path_directory_length(path) : 0, path, mark ? mark + 4 : "");
        TEST_STRING(lyra_error_message(), expected);
    }
    test_context_end(ctx);
}

// bytes that are no text, and texts as editors of other systems leave them
LYRA_TEST(odd_bytes_are_refused_and_odd_lines_are_read)
{
    REQUIRE_YAML();
    static const struct {
        const char *text, *sentence;
    } texts[] = {
        {"bodies:\n  - generate: {cells: [1, 1, 1]}\ntitle: a\x01z\n",
         ":3:9: control characters are not allowed, expected a text in UTF-8"},
        {"title: \xff\xfe\n", ":1:8: invalid leading UTF-8 octet, expected a text in UTF-8"},
        {"\xef\xbb\xbf"
         "bodies:\n  - generate: {cells: [1, 1, 1]}\n",
         NULL},
        {"bodies:\r\n  - generate: {cells: [1, 1, 1]}\r\n", NULL},
        {"# no end of line\nbodies: [{generate: {cells: [1, 1, 1]}}]", NULL},
    };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        LyraWorld *world = NULL;
        LyraStatus status = load_text(ctx, texts[i].text, 0, NULL, &world);
        TEST_EQUAL(status, texts[i].sentence ? LYRA_BAD_FORMAT : LYRA_OK);
        TEST_CHECK((world != NULL) == (texts[i].sentence == NULL));
        if (texts[i].sentence) {
            TEST_CONTAINS(lyra_error_message(), texts[i].sentence);
        }
        lyra_world_destroy(world);
    }
    test_context_end(ctx);
}

LYRA_TEST(sets_that_do_not_exist_are_answered_with_those_that_do)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const char tet[] = "*VERTICES\n4 3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
                              "*ELEMENTS\nTET\n1 4\n1 1 2 3 4\n";
    static const char scene_text[] = "bodies:\n  - {mesh: sets.veg, material: {young: 1 MPa}}\n"
                                     "constraints:\n  - {select: {set: lefd}}\n";
    const char *path = test_temp_path("sets.veg");
    for (int32_t sets = 0; sets <= 60; sets += sets < 2 ? 1 : 58) {
        char text[4096], expected[128] = "expected no set, as the mesh has none";
        size_t length = (size_t)snprintf(text, sizeof text, "%s", tet);
        for (int32_t s = 0; s < sets; ++s) {
            length += (size_t)snprintf(text + length, sizeof text - length, "*SET side-%d\n1\n", s);
        }
        if (sets > 0) {
            snprintf(expected, sizeof expected,
                     "found \"lefd\", expected one of the sets of the mesh: "
                     "of elements \"side-0\"%s",
                     sets > 1 ? ", \"side-1\"" : "");
        }
        test_write_file(path, text, strlen(text));
        LyraWorld *world = NULL;
        TEST_STATUS(load_text(ctx, scene_text, 0, NULL, &world), LYRA_BAD_FORMAT);
        TEST_CONTAINS(lyra_error_message(), expected);
        if (sets == 60) {
            TEST_CONTAINS(lyra_error_message(), "\"side-45\" and 14 more");
        }
    }
    test_context_end(ctx);
}

// ---- right scenes -------------------------------------------------------------------------------

LYRA_TEST(scene_is_the_model_made_by_hand)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    TEST_OK(
        load_text(ctx, BEAM CLAMP "gravity: [0, -9.81, 0]\ntime: {dt: 5 ms}\n", 0, NULL, &world));
    TEST_REQUIRE(world);

    // the same by the functions behind it
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    shape.cells[0] = 6, shape.cells[1] = shape.cells[2] = 2;
    shape.size[0] = 3;
    LyraMesh *mesh = NULL;
    LyraSolid *solid = NULL;
    LyraModel *model = NULL;
    LyraSystem *system = NULL;
    LyraIntegrator *integrator = NULL;
    LyraState *state = NULL;
    TEST_OK(lyra_mesh_generate(ctx, &shape, &mesh));
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraSolidDef material = lyra_solid_def_default();
    material.model = "corotational";
    material.young = 1e6;
    material.poisson = 0.3;
    TEST_OK(lyra_solid_create(ctx, mesh, &material, &solid));
    double *masses = malloc((size_t)view.vertex_count * sizeof *masses);
    TEST_REQUIRE(masses);
    lyra_mesh_lumped_masses(mesh, NULL, masses);
    LyraModelDef def = lyra_model_def_default();
    def.vertex_count = view.vertex_count;
    def.positions = view.positions;
    def.forces = lyra_solid_forces(solid, &def.force_count);
    def.masses = masses;
    def.gravity[1] = -9.81;
    TEST_OK(lyra_model_create(ctx, &def, &model));
    for (int32_t i = 0; i < view.vertex_count; ++i) {
        if (view.positions[3 * i] <= -1.49) {
            TEST_OK(lyra_constraints_fix_vertices(lyra_model_constraints(model), 1, &i));
        }
    }
    TEST_OK(lyra_system_create_sparse(ctx, model, NULL, &system));
    LyraIntegratorDef method = lyra_integrator_def_default();
    TEST_OK(lyra_integrator_create(ctx, &method, system, &integrator));
    TEST_OK(lyra_system_state_create(system, &state));
    for (int step = 0; step < 5; ++step) {
        TEST_OK(lyra_world_step(world, NULL));
        TEST_OK(lyra_integrator_step(integrator, state, 0.005, NULL));
    }
    TEST_CHECK(lyra_state_equal(state, lyra_world_view(world).state));
    TEST_CHECK(displacements(world)[3 * (view.vertex_count - 1) + 1] < -1e-4);

    lyra_state_destroy(state);
    lyra_integrator_destroy(integrator);
    lyra_system_destroy(system);
    lyra_model_destroy(model);
    lyra_solid_destroy(solid);
    lyra_mesh_destroy(mesh);
    free(masses);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// a text in memory is the scene that a file of it is, its files seen from the folder named
LYRA_TEST(text_in_memory_is_a_scene)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const char text[] = "title: in memory\n" BEAM
                               "constraints: [{select: {file: held.bou}}]\ngravity: [0, -1, 0]\n";
    static const char list[] = "1, 2, 7\n";
    char folder[1000];
    snprintf(folder, sizeof folder, "%s", test_temp_path("held.bou"));
    test_write_file(folder, list, strlen(list));
    folder[ly_path_directory_length(folder) - 1] = 0;
    LyraWorld *file = NULL, *memory = NULL;
    LyraScene *scene = NULL;
    TEST_OK(load_text(ctx, text, 0, NULL, &file));
    // no zero byte is needed
    char *copy = malloc(strlen(text));
    TEST_REQUIRE(copy);
    memcpy(copy, text, strlen(text));
    TEST_OK(lyra_world_load_memory(ctx, copy, strlen(text), folder, NULL, &memory, &scene));
    memset(copy, 'x', strlen(text));
    free(copy);
    TEST_REQUIRE(file && memory && scene);
    TEST_STRING(lyra_scene_view(scene).name, "in memory");
    TEST_CHECK(lyra_world_view(file).digest == lyra_world_view(memory).digest);
    TEST_OK(lyra_world_step(file, NULL));
    TEST_OK(lyra_world_step(memory, NULL));
    TEST_CHECK(lyra_state_equal(lyra_world_view(file).state, lyra_world_view(memory).state));
    lyra_world_destroy(file);
    lyra_world_destroy(memory);
    lyra_scene_destroy(scene);
    memory = NULL;
    TEST_STATUS(lyra_world_load_memory(ctx, "bodies: 3", 9, NULL, NULL, &memory, NULL),
                LYRA_BAD_FORMAT);
    TEST_STRING(lyra_error_message(), "scene:1:9: found \"3\", expected a list for bodies, with at "
                                      "least one item");
    TEST_STATUS(lyra_world_load_memory(ctx, NULL, 0, NULL, NULL, &memory, NULL), LYRA_BAD_FORMAT);
    TEST_CHECK(!memory);
    test_context_end(ctx);
}

// with contexts of their own, and in either order of their ends
LYRA_TEST(worlds_and_scenes_live_without_a_context)
{
    REQUIRE_YAML();
    static const char text[] = "bodies: [{generate: {cells: [1, 1, 1]}}]\n";
    for (int order = 0; order < 2; ++order) {
        LyraWorld *world = NULL;
        LyraScene *scene = NULL;
        TEST_REQUIRE_OK(
            lyra_world_load_memory(NULL, text, strlen(text), NULL, NULL, &world, &scene));
        TEST_OK(lyra_world_step(world, NULL));
        if (order) {
            lyra_scene_destroy(scene);
        }
        lyra_world_destroy(world);
        if (!order) {
            TEST_STRING(lyra_scene_view(scene).name, "scene");
            lyra_scene_destroy(scene);
        }
    }
}

LYRA_TEST(overrides_find_bodies_by_name)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const char *const young[] = {"bodies.beam.material.young=2 MPa"};
    static const char *const wrong_range[] = {"bodies.beam.material.poisson=0.5"};
    static const char *const wrong_name[] = {"bodies.arm.material.young=2 MPa"};
    LyraWorld *world = NULL;
    TEST_REQUIRE_OK(load_text(ctx, BEAM, 1, young, &world));
    LyraMeshView mesh = lyra_mesh_view(lyra_world_view(world).bodies[0].mesh);
    TEST_NEAR(mesh.materials[0].enu.young, 2e6, 0);
    lyra_world_destroy(world);
    world = NULL;
    TEST_STATUS(load_text(ctx, BEAM, 1, wrong_range, &world), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "override \"bodies.beam.material.poisson=0.5\": found "
                                        "\"0.5\", expected a number between -1 and 0.5");
    TEST_STATUS(load_text(ctx, BEAM, 1, wrong_name, &world), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "\"bodies\" has no item whose name is \"arm\"");
    test_context_end(ctx);
}

static void check_gallery_scene(LyraContext *ctx, const char *path)
{
    LyraWorld *world = NULL;
    LyraScene *scene = NULL;
    LyraStepReport report = {0};
    TEST_OK(lyra_world_load(ctx, path, NULL, &world, &scene));
    TEST_REQUIRE(world);
    for (int step = 0; step < 3; ++step) {
        TEST_OK(lyra_world_step(world, &report));
        TEST_CHECK(isfinite(report.kinetic) && isfinite(report.elastic));
    }
    LyraWorldView view = lyra_world_view(world);
    LyraSceneOutput output = lyra_scene_view(scene).output;
    TEST_CHECK(lyra_vector_is_finite(lyra_state_view(view.state).u));
    TEST_CHECK(view.steps > 0 && view.steps <= 5000);
    TEST_CHECK_MSG(output.save_every > 0 || output.snapshot_every > 0, "%s writes nothing", path);
    TEST_EQUAL(lyra_state_view(view.state).steps, 3);
    TEST_CHECK(view.bodies[0].surface_count == 1);
    lyra_scene_destroy(scene);
    lyra_world_destroy(world);
}

// whatever is in the folder
LYRA_TEST(gallery_scenes_step)
{
    REQUIRE_YAML();
    char folder[1024], path[2048];
    snprintf(folder, sizeof folder, "%s", test_data_path("../../examples/gallery"));
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    DIR *list = opendir(folder);
    TEST_REQUIRE(list);
    int scenes = 0;
    for (const struct dirent *file; (file = readdir(list)) != NULL;) {
        const char *end = strrchr(file->d_name, '.');
        if (end && strcmp(end, ".yaml") == 0) {
            snprintf(path, sizeof path, "%s/%s", folder, file->d_name);
            check_gallery_scene(ctx, path);
            ++scenes;
        }
    }
    closedir(list);
    TEST_CHECK(scenes >= 19);
    test_context_end(ctx);
}

// each field of pictures is the one that its word names
LYRA_TEST(fields_of_pictures_have_their_words)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int f = 0; f < LYRA_SCENE_FIELD_COUNT; ++f) {
        char override[100];
        const char *overrides[] = {override};
        LyraWorld *world = NULL;
        LyraScene *scene = NULL;
        LyraSceneDef def = lyra_scene_def_default();
        snprintf(override, sizeof override, "output.snapshot-field=%s",
                 lyra_scene_field_name((LyraSceneField)f));
        def.overrides = overrides;
        def.override_count = 1;
        TEST_REQUIRE_OK(
            lyra_world_load_memory(ctx, BEAM, strlen(BEAM), NULL, &def, &world, &scene));
        TEST_EQUAL(lyra_scene_view(scene).output.snapshot_field, (LyraSceneField)f);
        lyra_scene_destroy(scene);
        lyra_world_destroy(world);
    }
    TEST_STRING(lyra_scene_field_name(LYRA_SCENE_FIELD_STRAIN), "strain");
    TEST_STRING(lyra_scene_field_name(LYRA_SCENE_FIELD_VISCOUS_LOSS), "viscous-loss");
    TEST_STRING(lyra_scene_field_name(LYRA_SCENE_FIELD_COUNT), "unknown");
    test_context_end(ctx);
}

LYRA_TEST(substeps_are_short_steps)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *whole = NULL, *parts = NULL;
    const char *text = BEAM CLAMP "gravity: [0, -9.81, 0]\ntime: {dt: 5 ms}\n";
    static const char *const overrides[] = {"time.dt=10 ms", "time.substeps=2"};
    TEST_OK(load_text(ctx, text, 0, NULL, &parts));
    TEST_OK(load_text(ctx, text, 2, overrides, &whole));
    TEST_REQUIRE(whole && parts);
    LyraStepReport report, first, second;
    TEST_OK(lyra_world_step(whole, &report));
    TEST_OK(lyra_world_step(parts, &first));
    TEST_OK(lyra_world_step(parts, &second));
    TEST_EQUAL(
        memcmp(displacements(whole), displacements(parts), (size_t)size_of(whole) * sizeof(double)),
        0);
    TEST_EQUAL(report.newton_iterations, first.newton_iterations + second.newton_iterations);
    TEST_EQUAL(report.substeps, 2);
    TEST_NEAR(report.work, first.work + second.work, 0);
    TEST_NEAR(report.dt, 0.01, 1e-17);
    TEST_EQUAL(lyra_state_view(lyra_world_view(whole).state).steps, 1);
    TEST_CHECK(lyra_world_view(whole).digest != lyra_world_view(parts).digest);
    lyra_world_destroy(whole);
    lyra_world_destroy(parts);
    test_context_end(ctx);
}

// steps to 0.2 s with a gravity that sets in at `from`
static LyraWorld *fall_from(LyraContext *ctx, const char *integrator, const char *substeps,
                            const char *from)
{
    char name[64], parts[64], gravity[64];
    snprintf(name, sizeof name, "integrator.name=%s", integrator);
    snprintf(parts, sizeof parts, "time.substeps=%s", substeps);
    snprintf(gravity, sizeof gravity, "gravity=[0, -0.01*step(t-%s), 0]", from);
    const char *const overrides[] = {name, parts, gravity, "bodies[0].material.young=1 kPa"};
    LyraWorld *world = NULL;
    TEST_OK(load_text(ctx, BEAM CLAMP "time: {dt: 10 ms}\n", 4, overrides, &world));
    for (int n = 1; world && n <= 20; ++n) {
        LyraStepReport report;
        TEST_OK(lyra_world_step(world, &report));
        TEST_CHECK(report.time == n * 0.01);
        TEST_CHECK(lyra_state_view(lyra_world_view(world).state).time == n * 0.01);
    }
    return world;
}

LYRA_TEST(what_sets_in_at_a_multiple_of_dt_is_not_late)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraIntegratorFacts facts;
    for (int32_t i = 0; lyra_integrator_name(i, &facts) && !facts.constant; ++i) {
        for (int parts = 0; parts < 2 && !facts.adaptive; ++parts) {
            const char *substeps = parts ? "3" : "1";
            LyraWorld *world = fall_from(ctx, facts.name, substeps, "0.1");
            LyraWorld *sure = fall_from(ctx, facts.name, substeps, "0.0999999");
            TEST_REQUIRE(world && sure);
            size_t bytes = (size_t)size_of(world) * sizeof(double);
            TEST_CHECK(memcmp(displacements(world), displacements(sure), bytes) == 0);
            lyra_world_destroy(world);
            lyra_world_destroy(sure);
        }
    }
    test_context_end(ctx);
}

// each set of coefficients moves the body a little differently, the one by default as without a
// word
LYRA_TEST(rosenbrock_sets_are_chosen_by_name)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const char text[] = BEAM CLAMP "gravity: [0, -9.81, 0]\n";
    const char *const plain[] = {"integrator.name=rosenbrock4"};
    LyraWorld *without = NULL;
    TEST_OK(load_text(ctx, text, 1, plain, &without));
    TEST_REQUIRE(without);
    TEST_OK(lyra_world_step(without, NULL));
    for (int32_t i = 0; lyra_rosenbrock_set(i); ++i) {
        char set[64];
        snprintf(set, sizeof set, "integrator.rosenbrock4.set=%s", lyra_rosenbrock_set(i));
        const char *const overrides[] = {plain[0], set};
        LyraWorld *world = NULL;
        TEST_OK(load_text(ctx, text, 2, overrides, &world));
        TEST_REQUIRE(world);
        TEST_OK(lyra_world_step(world, NULL));
        size_t bytes = (size_t)size_of(world) * sizeof(double);
        bool same = memcmp(displacements(world), displacements(without), bytes) == 0;
        TEST_EQUAL(same, i == 0);
        lyra_world_destroy(world);
    }
    lyra_world_destroy(without);
    const char *const wrong_set[] = {plain[0], "integrator.rosenbrock4.set=shampain"};
    TEST_STATUS(load_text(ctx, text, 2, wrong_set, &without), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "expected \"shampine\" perhaps");
    test_context_end(ctx);
}

LYRA_TEST(failed_step_leaves_the_state)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    // what is held leaves for infinity in the third of four substeps of the second step
    TEST_OK(load_text(ctx,
                      BEAM CLAMP "    displacement: [0.1*t/(1-step(t-0.034)), 0, 0]\n"
                                 "integrator: {newton: {halvings: 0}}\n"
                                 "time: {dt: 20 ms, substeps: 4}\n",
                      0, NULL, &world));
    TEST_REQUIRE(world);
    LyraState *state = lyra_world_view(world).state, *before = NULL;
    TEST_OK(lyra_world_step(world, NULL));
    TEST_OK(lyra_state_copy(state, &before));
    LyraStepReport report;
    for (int attempt = 0; attempt < 2; ++attempt) {
        TEST_CHECK(lyra_world_step(world, &report) != LYRA_OK);
        TEST_CHECK(report.outcome != LYRA_STEP_ACCEPTED && report.status != LYRA_OK);
        TEST_NEAR(report.time, 0.02, 1e-17);
        TEST_EQUAL(report.substeps, 2);
        TEST_CHECK(lyra_state_equal(state, before));
    }
    lyra_state_destroy(before);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// ---- constraints --------------------------------------------------------------------------------

LYRA_TEST(prescribed_motion_has_its_derivatives)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    TEST_OK(load_text(ctx,
                      BEAM "constraints:\n"
                           "  - select: {half-space: {point: [1.49, 0, 0], normal: [1, 0, 0]}}\n"
                           "    displacement: [0.1*t^2, 5*sin(t) cm, 0]\n"
                           "    rotation: {axis: [1, 2, 0], center: [1, 0, 0], angle: 90*t^2 deg}\n"
                           "  - select: {half-space: {point: [-1.49, 0, 0], normal: [-1, 0, 0]}}\n"
                           "    direction: [0, 3, 4]\n"
                           "    displacement: [9, t, 0]\n",
                      0, NULL, &world));
    TEST_REQUIRE(world);
    int32_t n = size_of(world);
    double *values = calloc(5 * (size_t)n, sizeof *values);
    TEST_REQUIRE(values);
    double *u = values, *v = values + n, *a = values + 2 * n, *low = values + 3 * n;
    double *high = values + 4 * n, t = 0.6, h = 1e-4, worst_v = 0, worst_a = 0, speed = 0;
    const double *positions = lyra_model_view(lyra_world_view(world).model).positions;
    ly_world_prescribe(world, t, u, v, a);
    ly_world_prescribe(world, t - h, low, NULL, NULL);
    ly_world_prescribe(world, t + h, high, NULL, NULL);
    for (int32_t i = 0; i < n; ++i) {
        worst_v = fmax(worst_v, fabs((high[i] - low[i]) / (2 * h) - v[i]));
        worst_a = fmax(worst_a, fabs((high[i] - 2 * u[i] + low[i]) / (h * h) - a[i]));
        speed = fmax(speed, fabs(v[i]));
    }
    TEST_NEAR(worst_v, 0, 1e-6);
    TEST_NEAR(worst_a, 0, 1e-6);
    TEST_CHECK(speed > 0.5);
    // along a direction only that part is written: n = (0, 3/5, 4/5), n . d = 3/5 t
    for (int32_t i = 0; i < n; i += 3) {
        if (positions[i] < -1.49) {
            TEST_NEAR(u[i], 0, 0);
            TEST_NEAR(u[i + 1], 0.6 * 0.6 * t, 1e-15);
            TEST_NEAR(u[i + 2], 0.8 * 0.6 * t, 1e-15);
        }
    }
    // a step goes there
    TEST_OK(lyra_world_step(world, NULL));
    memset(u, 0, (size_t)n * sizeof *u);
    ly_world_prescribe(world, 0.01, u, NULL, NULL);
    for (int32_t i = 0; i < n; i += 3) {
        if (positions[i] > 1.49) {
            for (int c = 0; c < 3; ++c) {
                TEST_NEAR(displacements(world)[i + c], u[i + c], 1e-14);
            }
        }
    }
    free(values);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(selectors_choose_what_they_say)
{
    REQUIRE_YAML();
    // a box of 3 x 1 x 1 with 7 x 3 x 3 vertices
    static const struct {
        const char *select;
        int32_t count;
    } cases[] = {
        {"{all: true}", 63},
        {"{vertices: [3, 1, 3]}", 2},
        {"{surface: true}", 63 - 5},
        {"{surface: true, invert: true}", 5},
        {"{box: {min: [-0.1, -1, -1], max: [0.1, 1, 1]}}", 9},
        {"{sphere: {center: [-1.5, 0, 0], radius: 0.51}}", 6},
        {"{half-space: {point: [1, 0, 0], normal: [1, 0, 0]}}", 18},
        {"{normal: {direction: [1, 0, 0], angle: 20 deg}}", 1},
        {"{box: {min: [-0.1, -1, -1], max: [0.1, 1, 1]}, surface: true}", 8},
    };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[1000];
        snprintf(text, sizeof text, BEAM "constraints:\n  - select: %s\n", cases[i].select);
        LyraWorld *world = NULL;
        TEST_OK(load_text(ctx, text, 0, NULL, &world));
        TEST_REQUIRE(world);
        int32_t held =
            lyra_constraints_view(lyra_model_constraints(lyra_world_view(world).model)).count / 3;
        TEST_CHECK_MSG(held == cases[i].count, "%s holds %d", cases[i].select, (int)held);
        lyra_world_destroy(world);
    }
    test_context_end(ctx);
}

// ---- loads and changes --------------------------------------------------------------------------

// solves statics of a scene and gives the mean displacement
static void settle(LyraContext *ctx, const char *text, int32_t override_count,
                   const char *const *overrides, double mean[3])
{
    LyraWorld *world = NULL;
    mean[0] = mean[1] = mean[2] = NAN;
    TEST_OK(load_text(ctx, text, override_count, overrides, &world));
    TEST_REQUIRE(world);
    TEST_OK(lyra_world_step(world, NULL));
    int32_t n = size_of(world);
    mean[0] = mean[1] = mean[2] = 0;
    for (int32_t i = 0; i < n; ++i) {
        mean[i % 3] += 3 * displacements(world)[i] / n;
    }
    lyra_world_destroy(world);
}

LYRA_TEST(springs_to_targets_balance_forces)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double mean[3];
    // each vertex hangs on 50 N/m and is pulled by 2 N; targets move by 1 cm along z: rigid motion
    settle(ctx,
           BEAM "loads:\n"
                "  - {type: force, select: {all: true}, force: [2 N, 0, 0], factor: 10*t}\n"
                "  - {type: spring, select: {all: true}, stiffness: 50 N/m, "
                "offset: [0, 0, 10*t cm]}\n"
                "integrator: {name: static}\ntime: {dt: 0.1}\n",
           0, NULL, mean);
    TEST_NEAR(mean[0], 0.04, 1e-8);
    TEST_NEAR(mean[1], 0, 1e-8);
    TEST_NEAR(mean[2], 0.01, 1e-8);
    test_context_end(ctx);
}

// positive pressure pushes into the material: on the wall of a cavity away from its middle, on the
// skin towards it
LYRA_TEST(pressure_inflates_a_cavity_and_squeezes_a_body)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    // 3 x 3 x 3 cubes without the one in the middle
    char text[8192];
    size_t length = (size_t)snprintf(text, sizeof text, "*VERTICES\n64 3\n");
    for (int v = 0; v < 64; ++v) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%d %d %d %d\n", v + 1,
                                   v % 4, v / 4 % 4, v / 16);
    }
    length += (size_t)snprintf(text + length, sizeof text - length, "*ELEMENTS\nCUBIC\n26 8\n");
    for (int c = 0, e = 0; c < 27; ++c) {
        int v = c % 3 + 4 * (c / 3 % 3) + 16 * (c / 9) + 1;
        if (c != 13) {
            length += (size_t)snprintf(text + length, sizeof text - length,
                                       "%d %d %d %d %d %d %d %d %d\n", ++e, v, v + 1, v + 5, v + 4,
                                       v + 16, v + 17, v + 21, v + 20);
        }
    }
    test_write_file(test_temp_path("hollow.veg"), text, length);
    // in one step of many periods it comes to rest
    for (int inside = 0; inside < 2; ++inside) {
        char yaml[1024];
        snprintf(yaml, sizeof yaml,
                 "bodies:\n  - {mesh: hollow.veg, material: {model: neo-hookean, young: 1 MPa}}\n"
                 "loads:\n"
                 "  - {type: pressure, pressure: 1 kPa, select: {sphere: {center: [1.5, 1.5, 1.5], "
                 "radius: 1}, surface: true, invert: %s}}\n"
                 "integrator: {name: backward-euler}\ntime: {dt: 10}\n",
                 inside ? "false" : "true");
        LyraWorld *world = NULL;
        TEST_REQUIRE_OK(load_text(ctx, yaml, 0, NULL, &world));
        TEST_REQUIRE_OK(lyra_world_step(world, NULL));
        // the wall of the cavity; corners of the skin bend the other way
        for (int w = 0; w < 8; ++w) {
            int v = 21 + (w & 1) + 4 * (w >> 1 & 1) + 16 * (w >> 2);
            const double *u = displacements(world) + 3 * (size_t)v;
            double out = 0;
            for (int i = 0; i < 3; ++i) {
                out += u[i] * ((v >> 2 * i & 3) - 1.5);
            }
            TEST_CHECK_MSG(inside ? out > 0 : out < 0, "vertex %d moves by %g", v, out);
        }
        lyra_world_destroy(world);
    }
    test_context_end(ctx);
}

LYRA_TEST(pressure_and_traction_have_their_size)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    // a bar of 3 m, E = 1 MPa, nu = 0, on rollers, is pulled at its end by 1 kPa: its strain is
    // 1e-3 and its middle moves by 1.5 mm; pressure of -1 kPa does the same but for the small
    // change of the face, and a factor doubles it
    const char *text =
        "bodies:\n"
        "  - generate: {cells: [6, 2, 2], size: [3, 1, 1]}\n"
        "    material: {model: linear, young: 1 MPa, poisson: 0}\n"
        "constraints:\n"
        "  - {select: {half-space: {point: [-1.49, 0, 0], normal: [-1, 0, 0]}}, axes: x}\n"
        "  - {select: {vertices: [0]}, axes: xyz}\n"
        "  - {select: {all: true}, axes: yz}\n"
        "loads:\n"
        "  - type: traction\n"
        "    select: {surface: true, normal: {direction: [1, 0, 0]}}\n"
        "    traction: [1 kPa, 0, 0]\n"
        "integrator: {name: static}\n";
    static const char *const pressure[] = {
        "loads=[{type: pressure, select: {normal: {direction: [1, 0, 0]}}, pressure: -1 kPa}]"};
    static const char *const twice[] = {"loads[0].factor=2"};
    double mean[3];
    settle(ctx, text, 0, NULL, mean);
    TEST_NEAR(mean[0], 1.5e-3, 1e-9);
    settle(ctx, text, 1, pressure, mean);
    TEST_NEAR(mean[0], 1.5e-3, 1e-8);
    settle(ctx, text, 1, twice, mean);
    TEST_NEAR(mean[0], 3e-3, 1e-9);
    test_context_end(ctx);
}

// a cantilever of concrete under its own weight, at home and where coordinates have ten digits
// before the point
LYRA_TEST(a_stiff_beam_far_away_bends_as_at_home)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const char *const models[] = {"linear", "corotational", "neo-hookean"};
    for (int m = 0; m < 3; ++m) {
        double mean[2][3];
        for (int far = 0; far < 2; ++far) {
            char text[900];
            double x = far ? 5e6 : 0;
            snprintf(text, sizeof text,
                     "bodies:\n"
                     "  - generate: {cells: [10, 1, 1], size: [2, 0.2, 0.2]}\n"
                     "    transform: {translate: [%g, %g, %g]}\n"
                     "    material: {model: %s, young: 30 GPa, poisson: 0.2, density: 2400}\n"
                     "gravity: [0, -9.81, 0]\n"
                     "constraints:\n"
                     "  - {select: {half-space: {point: [%.17g, 0, 0], normal: [-1, 0, 0]}}}\n"
                     "integrator: {name: static}\n",
                     x, x, x, models[m], x - 0.99);
            settle(ctx, text, 0, NULL, mean[far]);
        }
        // edges of 0.2 m are rounded to 1e-9, which is 5e-9 of them
        TEST_CHECK_MSG(mean[0][1] < -1e-5, "%s: %g m", models[m], mean[0][1]);
        TEST_NEAR(mean[1][1], mean[0][1], 1e-7 * fabs(mean[0][1]));
    }
    test_context_end(ctx);
}

// a cantilever of rubber that live pressure rolls up: see the tip, which has gone round
#define ROLLED                                                                                     \
    "bodies:\n"                                                                                    \
    "  - generate: {cells: [10, 1, 1], size: [2, 0.2, 0.2]}\n"                                     \
    "    material: {model: neo-hookean, young: 200 kPa, poisson: 0.4}\n"                           \
    "constraints:\n"                                                                               \
    "  - {select: {half-space: {point: [-0.99, 0, 0], normal: [-1, 0, 0]}}}\n"                     \
    "integrator: {name: static}\n"                                                                 \
    "loads:\n"                                                                                     \
    "  - type: pressure\n"                                                                         \
    "    select: {surface: true, normal: {direction: [0, 1, 0], angle: 45 deg}}\n"

LYRA_TEST(live_pressure_rolls_a_beam_up)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    LyraStepReport report;
    static const char *const slowly[] = {"integrator.load-steps=10"};
    double mean[3];
    settle(ctx, ROLLED "    pressure: 1 kPa\n", 1, slowly, mean);
    TEST_CHECK_MSG(mean[0] < -0.2 && mean[1] < -0.2, "moved by %g, %g m", mean[0], mean[1]);
    TEST_REQUIRE_OK(load_text(ctx, ROLLED "    pressure: 1 kPa\n", 0, NULL, &world));
    TEST_OK(lyra_world_step(world, &report));
    double sum[3] = {0, 0, 0};
    for (int32_t i = 0; i < size_of(world); ++i) {
        sum[i % 3] += 3 * displacements(world)[i] / size_of(world);
    }
    TEST_NEAR(sum[0], mean[0], 1e-8);
    TEST_NEAR(sum[1], mean[1], 1e-8);
    TEST_CHECK_MSG(report.newton_iterations < 150, "%d iterations", report.newton_iterations);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// the share of the load in the message is one that the body bears
LYRA_TEST(statics_that_fail_name_the_share_of_the_load)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    static const char *const coarse[] = {"integrator.newton.halvings=6"};
    TEST_REQUIRE_OK(load_text(ctx, ROLLED "    pressure: 60 kPa\n", 1, coarse, &world));
    TEST_STATUS(lyra_world_step(world, NULL), LYRA_NOT_CONVERGED);
    const char *found = strstr(lyra_error_message(), "statics at ");
    double share = found ? strtod(found + strlen("statics at "), NULL) : 0;
    TEST_CONTAINS(lyra_error_message(), "of the loads");
    TEST_CHECK_MSG(share > 0 && share < 1, "share %g", share);
    lyra_world_destroy(world);
    char text[900];
    double mean[3];
    snprintf(text, sizeof text, ROLLED "    pressure: %.17g kPa\n", 60 * share);
    settle(ctx, text, 0, NULL, mean);
    test_context_end(ctx);
}

LYRA_TEST(materials_change_with_time)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const char *text = "bodies:\n"
                       "  - generate: {cells: [6, 2, 2], size: [3, 1, 1]}\n"
                       "    material: {model: linear, young: 1 MPa, poisson: 0.3}\n" CLAMP
                       "gravity: [0, -0.1, 0]\n"
                       "integrator: {name: static}\ntime: {dt: 1}\n";
    static const char *const factor[] = {"changes=[{factor: 1+t}]"};
    static const char *const value[] = {"changes=[{parameter: young, value: 4e6*t}]"};
    static const char *const gravity[] = {"gravity=[0, -0.2*t, 0]"};
    static const char *const models[] = {"bodies[0].material.model=stable-neo-hookean",
                                         "bodies[0].material.young=2 MPa", "gravity=[0, -0.01, 0]"};
    static const char *const changed[] = {"bodies[0].material.model=stable-neo-hookean",
                                          "gravity=[0, -0.01, 0]", "changes=[{factor: 2*t}]"};
    double base[3], mean[3];
    settle(ctx, text, 0, NULL, base);
    TEST_CHECK(base[1] < -1e-6);
    settle(ctx, text, 1, factor, mean);
    TEST_NEAR(mean[1] / base[1], 0.5, 1e-6);
    settle(ctx, text, 1, value, mean);
    TEST_NEAR(mean[1] / base[1], 0.25, 1e-6);
    settle(ctx, text, 1, gravity, mean);
    TEST_NEAR(mean[1] / base[1], 2, 1e-6);
    settle(ctx, text, 3, models, base);
    settle(ctx, text, 3, changed, mean);
    TEST_NEAR(mean[1] / base[1], 1, 1e-6);
    test_context_end(ctx);
}

LYRA_TEST(several_bodies_move_as_each_alone)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
#define BALL                                                                                       \
    "  - name: ball\n"                                                                             \
    "    generate: {shape: sphere, radius: 0.5, elements: 300}\n"                                  \
    "    transform: {translate: [0, 5, 0]}\n"                                                      \
    "    viscosity: {mu: 10 Pa s}\n"                                                               \
    "    start: {velocity: [1, 0, 0], scale: 0.9}\n"
    LyraWorld *both = NULL, *alone = NULL;
    TEST_OK(load_text(ctx,
                      BEAM BALL "constraints:\n  - {body: beam, select: {vertices: [0, 1]}}\n"
                                "mass: consistent\n",
                      0, NULL, &both));
    TEST_OK(load_text(ctx, "bodies:\n" BALL "mass: consistent\n", 0, NULL, &alone));
    TEST_REQUIRE(both && alone);
    for (int step = 0; step < 3; ++step) {
        TEST_OK(lyra_world_step(both, NULL));
        TEST_OK(lyra_world_step(alone, NULL));
    }
    LyraWorldView view = lyra_world_view(both);
    TEST_EQUAL(view.body_count, 2);
    TEST_STRING(view.bodies[1].name, "ball");
    TEST_EQUAL(view.bodies[1].first_vertex, 63);
    TEST_CHECK(lyra_model_view(view.model).consistent);
    const double *u = displacements(both) + 3 * view.bodies[1].first_vertex;
    double worst = 0;
    for (int32_t i = 0; i < size_of(alone); ++i) {
        worst = fmax(worst, fabs(u[i] - displacements(alone)[i]));
    }
    TEST_NEAR(worst, 0, 1e-6); // as far as the linear solver goes
    TEST_NEAR(displacements(both)[0], 0, 0);
    lyra_world_destroy(both);
    lyra_world_destroy(alone);
    test_context_end(ctx);
}

LYRA_TEST(digest_tells_motions_apart)
{
    REQUIRE_YAML();
    static const struct {
        const char *override;
        bool same;
    } cases[] = {
        {"title=other", true},
        {"time.steps=7", true},
        {"camera.up=[0, 0, 1]", true},
        {"output.save-every=3", true},
        {"time.dt=3 ms", false},
        {"mass=consistent", false},
        {"bodies[0].material.young=2 MPa", false},
        {"gravity=[0, 0, 1]", false},
    };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *base = NULL;
    TEST_OK(load_text(ctx, BEAM CLAMP, 0, NULL, &base));
    TEST_REQUIRE(base);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        LyraWorld *world = NULL;
        TEST_OK(load_text(ctx, BEAM CLAMP, 1, &cases[i].override, &world));
        TEST_REQUIRE(world);
        bool same = lyra_world_view(world).digest == lyra_world_view(base).digest;
        TEST_CHECK_MSG(same == cases[i].same, "%s", cases[i].override);
        lyra_world_destroy(world);
    }
    lyra_world_destroy(base);
    test_context_end(ctx);
}

LYRA_TEST(surfaces_and_lists_come_from_files)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const char obj[] = "v -1 0 0\nv 1 0 0.25\nv 1 0.25 0\nf 1 2 3\n";
    static const char list[] = "1, 2, 7\n", few[] = "0 0 0.5 1 0.5\n";
    test_write_file(test_temp_path("skin.obj"), obj, strlen(obj));
    test_write_file(test_temp_path("held.bou"), list, strlen(list));
    test_write_file(test_temp_path("few.interp"), few, strlen(few));
    const char *text = BEAM "    surfaces: [{file: skin.obj, name: skin}]\n"
                            "    start: {translate: [0, 1, 0], rotate: {angle: 90 deg}}\n"
                            "constraints:\n  - {select: {file: held.bou}, axes: x}\n";
    static const char *const weights[] = {"bodies[0].surfaces[0].weights=few.interp"};
    LyraWorld *world = NULL;
    TEST_OK(load_text(ctx, text, 0, NULL, &world));
    TEST_REQUIRE(world);
    LyraWorldView view = lyra_world_view(world);
    LyraConstraintsView held = lyra_constraints_view(lyra_model_constraints(view.model));
    TEST_EQUAL(held.count, 3);
    TEST_EQUAL(held.vertex[2], 6);
    const LyraShownSurface *skin = view.bodies[0].surfaces;
    TEST_STRING(skin->name, "skin");
    // but for the vertices that are held, points turn about z and rise: (1, 0.25, 0) to (-0.25, 2,
    // 0)
    double moved[9];
    lyra_embedding_move(skin->embedding, displacements(world),
                        lyra_surface_view(skin->surface).positions, moved);
    TEST_NEAR(moved[6], -0.25, 1e-12);
    TEST_NEAR(moved[7], 2, 1e-12);
    TEST_NEAR(moved[8], 0, 1e-12);
    lyra_world_destroy(world);
    world = NULL;
    TEST_STATUS(load_text(ctx, text, 1, weights, &world), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(),
                  "found weights of 1 points, expected 3 as the surface has vertices");
    TEST_CHECK(!world);
    test_context_end(ctx);
}

LYRA_TEST(regions_have_their_materials)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    TEST_OK(load_text(ctx,
                      BEAM
                      "    regions:\n"
                      "      - {select: {box: {min: [0, -1, -1], max: [2, 1, 1]}}, young: 3 MPa}\n"
                      "      - {select: {half-space: {point: [1, 0, 0], normal: [1, 0, 0]}}, "
                      "density: 2 g/cm^3}\n",
                      0, NULL, &world));
    TEST_REQUIRE(world);
    LyraMeshView mesh = lyra_mesh_view(lyra_world_view(world).bodies[0].mesh);
    int32_t counts[3] = {0};
    for (int32_t e = 0; e < mesh.element_count; ++e) {
        const LyraMeshMaterial *material = &mesh.materials[mesh.element_materials[e]];
        double x = 0;
        for (int a = 0; a < 4; ++a) {
            x += mesh.positions[3 * mesh.elements[4 * e + a]] / 4;
        }
        int32_t part = x < 0 ? 0 : x < 1 ? 1 : 2;
        ++counts[part];
        // the last region that holds an element counts, and takes the rest from the body
        TEST_NEAR(material->enu.young, part == 1 ? 3e6 : 1e6, 0);
        TEST_NEAR(material->enu.poisson, 0.3, 0);
        TEST_NEAR(material->density, part == 2 ? 2000 : 1000, 1e-9);
    }
    TEST_CHECK(counts[0] == 72 && counts[1] == 48 && counts[2] == 24);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// ---- the table in print -------------------------------------------------------------------------

LYRA_TEST(scene_of_all_defaults_is_a_scene)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const char *path = test_temp_path("defaults.yaml");
    LyraWorld *world = NULL, *plain = NULL;
    TEST_OK(lyra_scene_save_defaults(ctx, path));
    TEST_OK(lyra_world_load(ctx, path, NULL, &world, NULL));
    TEST_OK(load_text(ctx, "bodies:\n  - generate: {}\n", 0, NULL, &plain));
    TEST_REQUIRE(world && plain);
    TEST_OK(lyra_world_step(world, NULL));
    TEST_OK(lyra_world_step(plain, NULL));
    TEST_CHECK(lyra_state_equal(lyra_world_view(world).state, lyra_world_view(plain).state));
    lyra_world_destroy(world);
    lyra_world_destroy(plain);
    test_context_end(ctx);
}

LYRA_TEST(page_has_the_tables_of_the_schema)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const char *path = test_temp_path("tables.md");
    LyWriter *writer = NULL;
    TEST_OK(ly_writer_create(ctx, path, &writer));
    TEST_OK(ly_spec_write_tables(ctx, writer));
    TEST_OK(ly_writer_commit(writer));
    char *tables = test_read_file(path, NULL);
    char *page = test_read_file(test_data_path("../../docs/scenes.md"), NULL);
    TEST_REQUIRE(tables && page);
    TEST_CHECK_MSG(strstr(page, tables) != NULL, "docs/scenes.md is not what %s has", path);
    free(tables);
    free(page);
    test_context_end(ctx);
}

// a little of everything that changes with time
#define FULL                                                                                       \
    "bodies:\n"                                                                                    \
    "  - generate: {cells: [1, 1, 1]}\n"                                                           \
    "    regions: [{select: {all: true}, young: 2 MPa}]\n"                                         \
    "    fibre: {active-stress: 1 kPa, activation: ramp(t)}\n"                                     \
    "constraints:\n"                                                                               \
    "  - {select: {vertices: [0, 1, 2]}, displacement: [t, 0, 0]}\n"                               \
    "loads:\n"                                                                                     \
    "  - {type: pressure, select: {surface: true}, pressure: 10*t}\n"                              \
    "  - {type: spring, select: {all: true}, stiffness: 1, damping: 1}\n"                          \
    "  - {type: force, select: {all: true}, force: [0, 1, 0]}\n"                                   \
    "changes: [{factor: 1+t}]\n"                                                                   \
    "time: {substeps: 2}\n"

LYRA_TEST(steps_allocate_nothing)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const char *const solver[] = {"solver.name=gmres"};
    LyraWorld *world = NULL;
    TEST_OK(load_text(ctx, FULL, 1, solver, &world));
    TEST_REQUIRE(world);
    for (int step = 0; step < 2; ++step) {
        TEST_OK(lyra_world_step(world, NULL));
    }
    int64_t requests = test_allocation_count();
    TEST_OK(lyra_world_step(world, NULL));
    TEST_EQUAL(test_allocation_count(), requests);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

static LyraStatus load_and_step(LyraContext *ctx, void *data)
{
    LyraWorld *world = NULL;
    LY_TRY(lyra_world_load(ctx, data, NULL, &world, NULL));
    LyraStatus status = lyra_world_step(world, NULL);
    lyra_world_destroy(world);
    return status;
}

LYRA_TEST(failing_memory_leaks_nothing)
{
    REQUIRE_YAML();
    char path[1000];
    snprintf(path, sizeof path, "%s", test_temp_path("memory.yaml"));
    test_write_file(path, FULL, strlen(FULL));
    test_fail_each_allocation(load_and_step, path);
}
