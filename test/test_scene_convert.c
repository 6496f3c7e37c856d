// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Scenes of Vega made scenes in YAML: they move bit for bit alike. Overrides by paths of keys.

#include "scene_config_files.h"
#include "scene_yaml.h"

#include "lyra/matrix_file.h"
#include "scene/scene.h"

#include <stdint.h>
#include <sys/stat.h>

#define STEPS 4

static double *noise(int32_t count, double size)
{
    double *values = calloc((size_t)count, sizeof *values);
    uint32_t state = 12345;
    for (int32_t i = 0; i < count; ++i) {
        state = state * 1664525u + 1013904223u;
        values[i] = size * (state / 2147483648.0 - 1);
    }
    return values;
}

// Both go the same way. `moves`: whether it is checked that they go at all.
static void check_same_way(LyraContext *ctx, const char *config, const char *yaml,
                           const LyraSceneDef *def)
{
    LyraWorld *a = NULL, *b = NULL;
    bool loaded = TEST_OK(lyra_world_load(ctx, config, def, &a, NULL)) &&
                  TEST_OK(lyra_world_load(ctx, yaml, NULL, &b, NULL));
    for (int32_t s = 0; loaded && s < STEPS; ++s) {
        loaded = TEST_OK(lyra_world_step(a, NULL)) && TEST_OK(lyra_world_step(b, NULL));
    }
    if (loaded) {
        LyraStateView state = lyra_state_view(lyra_world_view(a).state);
        TEST_CHECK_MSG(lyra_state_equal(lyra_world_view(a).state, lyra_world_view(b).state),
                       "%s and %s part", config, yaml);
        TEST_CHECK_MSG(lyra_vector_norm(state.u) > 0 && lyra_vector_is_finite(state.u),
                       "%s does not move", config);
    }
    lyra_world_destroy(a);
    lyra_world_destroy(b);
}

static void check_text(LyraContext *ctx, const char *text)
{
    char config[1024], yaml[1024];
    snprintf(config, sizeof config, "%s", write_text("scene.config", text));
    snprintf(yaml, sizeof yaml, "%s", place("scene.yaml"));
    if (TEST_OK(lyra_scene_convert(ctx, config, NULL, yaml))) {
        check_same_way(ctx, config, yaml, NULL);
    }
}

static void write_files(LyraContext *ctx)
{
    double *push = noise(3 * BAR_VERTICES, 0.3), *loads = noise(3 * 3 * BAR_VERTICES, 20);
    write_bar(ctx, "bar.veg", LYRA_ELEMENT_TET4, 1e5);
    write_bar(ctx, "cubes.veg", LYRA_ELEMENT_CUBE8, 1e5);
    write_text("ends.bou", "1, 6, 11\n16\n");
    write_text("none.bou", "\n");
    write_matrix(ctx, "push", 3 * BAR_VERTICES, 1, push);
    write_matrix(ctx, "loads", 3 * BAR_VERTICES, 3, loads);
    write_text("bar.massspring", "*tetMeshFilename\nbar.veg\n*density\n9\n*tensileStiffness\n"
                                 "123.456\n*damping\n0\n*addGravity\n1\n");
    write_text("quads.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nv 1 1 0\nv 2 1 0\n"
                            "f 1 2 5 4\nf 2 3 6 5\n");
    write_text("quads.massspring",
               "*massSpringMeshFilename\nquads.obj\n*surfaceDensity\n9\n*tensileStiffness\n100\n"
               "*shearStiffness\n10\n*bendStiffness\n1\n*damping\n0\n*addGravity\n1\n");
    write_text("inside.obj", "v 0.1 0.1 0.1\nv 0.9 0.1 0.1\nv 0.5 0.2 0.1\nf 1 2 3\n");
    free(push);
    free(loads);
}

#define PUSHED                                                                                     \
    "*initialVelocityFilename\npush\n*dampingStiffnessCoef\n0.0123\n*dampingMassCoef\n0.1\n"       \
    "*addGravity\n1\n*g\n9.7\n"

LYRA_TEST(every_method_and_solver_is_converted)
{
    REQUIRE_YAML();
    static const char *const bodies[] = {
        "*deformableObjectMethod\nStVK\n*frequencyScaling\n1.7\n",
        "*deformableObjectMethod\nCLFEM\n*corotationalLinearFEM_warp\n0\n",
        "*deformableObjectMethod\nCLFEM\n*volumetricMeshFilename\ncubes.veg\n",
        "*deformableObjectMethod\nLinearFEM\n*dampingLaplacianCoef\n0.3\n",
        ("*deformableObjectMethod\nInvertibleFEM\n*invertibleMaterial\nneoHookean\n"
         "*inversionThreshold\n0.21\n*compressionResistance\n77\n"),
        "*massSpringSystemTetMeshConfigFilename\nbar.massspring\n*frequencyScaling\n1.3\n",
    };
    static const char *const solvers[] = {
        "implicitNewmark\n*newmarkBeta\n0.3\n", "implicitBackwardEuler\n*maxIterations\n3\n",
        "Euler\n", "symplecticEuler\n",
        "centralDifferences\n*centralDifferencesTangentialDampingUpdateMode\n2\n"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    write_files(ctx);
    for (size_t b = 0; b < sizeof bodies / sizeof *bodies; ++b) {
        for (size_t s = 0; s < sizeof solvers / sizeof *solvers; ++s) {
            char text[2048];
            snprintf(text, sizeof text,
                     REQUIRED BAR PUSHED
                     "%s*solver\n%s*timestep\n0.000437\n*fixedVerticesFilename\n"
                     "ends.bou\n*substepsPerTimeStep\n2\n",
                     bodies[b], solvers[s]);
            check_text(ctx, text);
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(loads_states_chains_and_quads_are_converted)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    write_files(ctx);
    check_text(ctx, REQUIRED BAR "*forceLoadsFilename\nloads\n*initialPositionFilename\npush\n"
                                 "*fixedVerticesFilename\nnone.bou\n*timestep\n0.0001\n");
    check_text(ctx, REQUIRED BAR "*deformableObjectMethod\nInvertibleFEM\n*invertibleMaterial\n"
                                 "StVK\n*addGravity\n1\n*forceLoadsFilename\nloads\n");
    check_text(ctx, REQUIRED "*customMassSpringSystem\nchain,7,432.1\n*dampingLaplacianCoef\n0.2\n"
                             "*frequencyScaling\n1.1\n*addGravity\n1\n");
    check_text(ctx, REQUIRED "*massSpringSystemObjConfigFilename\nquads.massspring\n*g\n3\n");
    // pictures and viewers
    check_text(ctx, REQUIRED BAR PUSHED
               "*cameraRadius\n2\n*cameraLongitude\n-90\n*focusPositionY\n3\n*outputFilename\n"
               "out\n*secondaryRenderingMeshFilename\ninside.obj\n*backgroundColor\n220 220 220\n");
    LyraScene *scene = NULL;
    LyraWorld *world = NULL;
    if (TEST_OK(lyra_world_load(ctx, place("scene.yaml"), NULL, &world, &scene))) {
        LyraSceneView view = lyra_scene_view(scene);
        TEST_STRING(view.output.matrix, "out.u");
        TEST_NEAR(view.camera.target[1], 3, 0);
        TEST_NEAR(view.camera.field_of_view, 45, 1e-12);
        TEST_STRING(lyra_world_view(world).bodies[0].surfaces[0].name, "inside.obj");
    }
    lyra_world_destroy(world);
    lyra_scene_destroy(scene);
    char *text = test_read_file(place("scene.yaml"), NULL);
    TEST_CONTAINS(text, "# backgroundColor: 220 220 220\n");
    free(text);
    test_context_end(ctx);
}

LYRA_TEST(scenes_in_other_folders_find_their_files)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    char config[1024], yaml[1100];
    write_files(ctx);
    snprintf(config, sizeof config, "%s", write_text("scene.config", REQUIRED BAR PUSHED));
    snprintf(yaml, sizeof yaml, "%s", place("sub"));
    TEST_EQUAL(mkdir(yaml, 0755), 0);
    strcat(yaml, "/scene.yaml");
    if (TEST_OK(lyra_scene_convert(ctx, config, NULL, yaml))) {
        check_same_way(ctx, config, yaml, NULL);
    }
    test_context_end(ctx);
}

LYRA_TEST(what_cannot_be_converted_leaves_the_target)
{
    static const struct {
        const char *text, *sentence;
    } bad[] = {{"*objMeshname\ncloth.obj\n", "the key *fixedVerticesFilename is missing"},
               {REQUIRED "*volumetricMeshFilename\nno.veg\n", "volumetricMeshFilename"},
               {REQUIRED BAR "*initialVelocityFilename\nno\n", "initialVelocityFilename"}};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    write_files(ctx);
    for (size_t b = 0; b < sizeof bad / sizeof *bad; ++b) {
        char config[1024], yaml[1024];
        snprintf(yaml, sizeof yaml, "%s", write_text("kept.yaml", "as it was"));
        snprintf(config, sizeof config, "%s", write_text("scene.config", bad[b].text));
        TEST_CHECK(lyra_scene_convert(ctx, config, NULL, yaml) != LYRA_OK);
        TEST_CONTAINS(lyra_error_message(), bad[b].sentence);
        char *text = test_read_file(yaml, NULL);
        TEST_STRING(text, "as it was");
        free(text);
    }
    char yaml[1024];
    snprintf(yaml, sizeof yaml, "%s", write_text("kept.yaml", "bodies: []\n"));
    TEST_STATUS(lyra_scene_convert(ctx, yaml, NULL, place("other.yaml")), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "found a scene in YAML, expected one of Vega");
    test_context_end(ctx);
}

// ---- overrides ----------------------------------------------------------------------------------

LYRA_TEST(overrides_are_keys_of_vega_or_paths_of_settings)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const char *const sets[] = {
        "timestep=0.25",
        "output.snapshot-every=10",
        "time.steps=7",
        "camera.azimuth=50 deg",
        "bodies.body.material.young=3 MPa",
        "loads[0]={type: force, select: {vertices: [3]}, force: [0, 2, 0]}"};
    static const char *const bad[][2] = {{"output.snapshot=1", "snapshot-every"},
                                         {"solver=fast", "implicitNewmark"},
                                         {"timstep=1", "the nearest one is \"timestep\""},
                                         {"bodies.beam.name=x", "beam"}};
    LyraSceneDef def = lyra_scene_def_default();
    LyraWorld *world = NULL;
    LyraScene *scene = NULL;
    char config[1024];
    write_files(ctx);
    snprintf(config, sizeof config, "%s", write_text("scene.config", REQUIRED BAR PUSHED));
    def.overrides = sets;
    def.override_count = 6;
    TEST_REQUIRE_OK(lyra_world_load(ctx, config, &def, &world, &scene));
    TEST_NEAR(lyra_world_view(world).dt, 0.25, 0);
    TEST_EQUAL(lyra_world_view(world).steps, 7);
    TEST_EQUAL(lyra_scene_view(scene).output.snapshot_every, 10);
    TEST_NEAR(lyra_scene_view(scene).camera.azimuth, 50, 1e-12);
    TEST_STRING(lyra_scene_view(scene).name, "scene.config");
    LyraWorldParameter young;
    TEST_OK(lyra_world_get(world, "bodies.*.material.young", &young));
    TEST_NEAR(young.value, 3e6, 0);
    double loads[3 * BAR_VERTICES];
    TEST_OK(lyra_world_loads(world, loads, NULL));
    double weight = loads[10] * 0; // gravity is not among them
    TEST_NEAR(loads[3 * 3 + 1] + weight, 2, 0);
    lyra_world_destroy(world);
    lyra_scene_destroy(scene);
    def.override_count = 1;
    for (size_t b = 0; b < sizeof bad / sizeof *bad; ++b) {
        world = NULL;
        def.overrides = &bad[b][0];
        TEST_CHECK(lyra_world_load(ctx, config, &def, &world, NULL) != LYRA_OK);
        TEST_CHECK(!world);
        TEST_CONTAINS(lyra_error_message(), bad[b][1]);
    }
    // a world that is changed by nothing is the same
    static const char *const nothing[] = {"output.save-every=3"};
    LyraWorld *plain = NULL;
    def.overrides = nothing;
    world = NULL;
    if (TEST_OK(lyra_world_load(ctx, config, &def, &world, NULL)) &&
        TEST_OK(lyra_world_load(ctx, config, NULL, &plain, NULL)) && take_steps(world, 3) &&
        take_steps(plain, 3)) {
        TEST_CHECK(lyra_state_equal(lyra_world_view(world).state, lyra_world_view(plain).state));
    }
    lyra_world_destroy(plain);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// ---- arrays in place of matrices ----------------------------------------------------------------

LYRA_TEST(numpy_arrays_say_what_matrices_do)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const int32_t rows = 3 * BAR_VERTICES;
    double *push = noise(rows, 0.3), *loads = noise(3 * rows, 20);
    double turned[3 * BAR_VERTICES], turned_loads[9 * BAR_VERTICES];
    char yaml[4][1024];
    write_files(ctx);
    // n rows of x, y, z; a row of 3 n forces for each step
    for (int32_t i = 0; i < rows; ++i) {
        turned[i % 3 * BAR_VERTICES + i / 3] = push[i];
        for (int32_t s = 0; s < 3; ++s) {
            turned_loads[i * 3 + s] = loads[s * rows + i];
        }
    }
    TEST_OK(lyra_dense_save_npy(ctx, place("push.npy"), LYRA_NPY_ROW_MAJOR,
                                (LyraDenseView){BAR_VERTICES, 3, turned}));
    TEST_OK(lyra_dense_save_npy(ctx, place("flat.npy"), LYRA_NPY_VECTOR,
                                (LyraDenseView){rows, 1, push}));
    TEST_OK(lyra_dense_save_npy(ctx, place("loads.npy"), LYRA_NPY_ROW_MAJOR,
                                (LyraDenseView){3, rows, turned_loads}));
    static const char *const files[][2] = {
        {"push", "loads"}, {"push.npy", "loads.npy"}, {"flat.npy", "loads.npy"}};
    for (int f = 0; f < 3; ++f) {
        char text[1024], name[32];
        snprintf(text, sizeof text,
                 "bodies:\n  - {mesh: bar.veg, start: {velocity-file: %s}}\n"
                 "loads: [{type: force, select: {all: true}, file: %s, force: [1, 0, 0]}]\n",
                 files[f][0], files[f][1]);
        snprintf(name, sizeof name, "scene%d.yaml", f);
        snprintf(yaml[f], sizeof yaml[f], "%s", write_text(name, text));
    }
    check_same_way(ctx, yaml[0], yaml[1], NULL);
    check_same_way(ctx, yaml[0], yaml[2], NULL);
    // what does not fit
    static const char *const bad[][2] = {
        {"start: {velocity-file: loads.npy}", "expected 60 numbers"},
        {"start: {displacement-file: none.bou}", "none.bou"},
        {"start: {displacement-file: no.npy}", "no.npy"}};
    for (int b = 0; b < 3; ++b) {
        char text[1024];
        LyraWorld *world = NULL;
        snprintf(text, sizeof text, "bodies:\n  - {mesh: bar.veg, %s}\n", bad[b][0]);
        TEST_CHECK(lyra_world_load(ctx, write_text("bad.yaml", text), NULL, &world, NULL) !=
                   LYRA_OK);
        TEST_CONTAINS(lyra_error_message(), bad[b][1]);
        lyra_world_destroy(world);
    }
    free(push);
    free(loads);
    test_context_end(ctx);
}

// ---- memory -------------------------------------------------------------------------------------

static LyraStatus convert(LyraContext *ctx, void *data)
{
    const char *const *paths = data;
    return lyra_scene_convert(ctx, paths[0], NULL, paths[1]);
}

LYRA_TEST(failing_allocations_of_conversions_leak_nothing)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    char config[1024], yaml[1024];
    write_files(ctx);
    test_context_end(ctx);
    snprintf(config, sizeof config, "%s",
             write_text("scene.config",
                        REQUIRED BAR PUSHED "*forceLoadsFilename\nloads\n"
                                            "*fixedVerticesFilename\nends.bou\n"
                                            "*secondaryRenderingMeshFilename\ninside.obj\n"));
    snprintf(yaml, sizeof yaml, "%s", place("scene.yaml"));
    test_fail_each_allocation(convert, (const char *[]){config, yaml});
}
