// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Vega's scenes as files: keys, overrides, surfaces, camera, what the log says, memory.

#include "scene_config_files.h"

#include "scene/vega_scene.h"

LYRA_TEST(every_method_and_solver_steps)
{
    static const char *const bodies[] = {
        "*deformableObjectMethod\nStVK\n",
        "*deformableObjectMethod\nCLFEM\n*corotationalLinearFEM_warp\n0\n",
        "*deformableObjectMethod\nCLFEM\n",
        "*deformableObjectMethod\nCLFEM\n*corotationalLinearFEM_warp\n2\n",
        "*deformableObjectMethod\nLinearFEM\n",
        "*deformableObjectMethod\nInvertibleFEM\n*invertibleMaterial\nStVK\n",
        "*deformableObjectMethod\nInvertibleFEM\n*invertibleMaterial\nneoHookean\n"
        "*inversionThreshold\n0.1\n",
        "*deformableObjectMethod\nInvertibleFEM\n*invertibleMaterial\nMooneyRivlin\n"
        "*inversionThreshold\n0.1\n*enableCompressionResistance\n0\n",
    };
    static const char *const solvers[] = {"implicitNewmark", "implicitBackwardEuler", "Euler",
                                          "symplecticEuler", "centralDifferences"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    write_bar(ctx, "bar.veg", LYRA_ELEMENT_TET4, 1e5);
    write_text("ends.bou", "1, 6, 11\n16\n");
    double push[3 * BAR_VERTICES] = {0};
    for (int32_t i = 0; i < BAR_VERTICES; ++i) {
        push[3 * i + 1] = 0.1;
    }
    write_matrix(ctx, "push.v", 3 * BAR_VERTICES, 1, push);
    for (size_t b = 0; b < sizeof bodies / sizeof *bodies; ++b) {
        for (size_t s = 0; s < sizeof solvers / sizeof *solvers; ++s) {
            char text[2048];
            snprintf(text, sizeof text,
                     REQUIRED BAR "%s*solver\n%s\n*timestep\n0.0005\n*fixedVerticesFilename\n"
                                  "ends.bou\n*initialVelocityFilename\npush.v\n",
                     bodies[b], solvers[s]);
            LyraWorld *world = load_text(ctx, text);
            if (world && take_steps(world, 20)) {
                LyraStateView state = lyra_state_view(lyra_world_view(world).state);
                TEST_EQUAL(state.steps, 20);
                TEST_NEAR(state.time, 0.01, 1e-12);
                TEST_CHECK(lyra_vector_is_finite(state.u));
                // the free end went on, the fixed one did not
                TEST_CHECK(displacements(world)[3 * 4 + 1] > 5e-4);
                TEST_EQUAL(displacements(world)[1], 0);
            }
            lyra_world_destroy(world);
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(keys_are_of_any_case_and_comments_are_skipped)
{
    Log log;
    LyraContext *ctx = logged_context(&log);
    write_bar(ctx, "bar.veg", LYRA_ELEMENT_TET4, 1e5);
    LyraScene *scene = NULL;
    LyraWorld *world =
        load_scene(ctx,
                   "\xef\xbb\xbf# a scene\n\n*VOLUMETRICmeshfilename \n# no.veg\n  bar.veg  \r\n"
                   "*TimeStep\n 0.02 # s\n*dampingmasscoef\n1e-1\n"
                   "*dampingStiffnessCoef\n0\n*deformableObjectCompliance\n1\n"
                   "*frequencyScaling\n1.0\n*lightingConfigFilename\nx\n"
                   "*fixedVerticesFilename\n__none\n*solver\n"
                   "#implicitNewmark\nIMPLICITbackwardEuler\n"
                   "*addGravity\n0.0\n#*g\n#7\n",
                   &scene);
    if (world) {
        LyraWorldView view = lyra_world_view(world);
        TEST_NEAR(view.dt, 0.02, 0);
        TEST_NEAR(lyra_model_view(view.model).mass_damping, 0.1, 0);
        TEST_STRING(lyra_scene_view(scene).name, "scene.config");
        TEST_EQUAL(view.bodies[0].vertex_count, BAR_VERTICES);
        TEST_CHECK(view.bodies[0].mesh && view.bodies[0].solid);
        TEST_STRING(log.text, "");
    }
    lyra_scene_destroy(scene);
    lyra_world_destroy(world);
    end_logged(ctx);
}

LYRA_TEST(unknown_and_repeated_keys_are_warnings)
{
    Log log;
    LyraContext *ctx = logged_context(&log);
    write_bar(ctx, "bar.veg", LYRA_ELEMENT_TET4, 1e5);
    LyraWorld *world =
        load_text(ctx, REQUIRED BAR "*cameraLatitude\n8\n*timestep\n0.5\n*fequencyScaling\n3\n");
    if (world) {
        TEST_CONTAINS(log.text, "scene.config:15: unknown key \"cameraLatitude\" is ignored; the "
                                "nearest known one is \"cameraLattitude\"");
        TEST_CONTAINS(log.text, "nearest known one is \"frequencyScaling\"");
        TEST_CONTAINS(log.text, "scene.config:18: timestep stands here again");
        TEST_NEAR(lyra_world_view(world).dt, 0.5, 0);
    }
    lyra_world_destroy(world);
    end_logged(ctx);
}

LYRA_TEST(overrides_overrule_the_file_and_change_the_digest)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    write_bar(ctx, "bar.veg", LYRA_ELEMENT_TET4, 1e5);
    const char *path = write_text("scene.config", REQUIRED BAR);
    static const char *const set[] = {"TIMESTEP=0.25", "substepsPerTimeStep=4"};
    static const char *const typo[] = {"timstep=0.25"};
    static const char *const wrong[] = {"timestep=fast"};
    static const char *const bare[] = {"timestep"};
    LyraSceneDef def = lyra_scene_def_default();
    LyraWorld *plain = NULL, *again = NULL, *changed = NULL;
    TEST_OK(lyra_world_load(ctx, path, &def, &plain, NULL));
    TEST_OK(lyra_world_load(ctx, path, NULL, &again, NULL));
    def.overrides = set;
    def.override_count = 2;
    if (TEST_OK(lyra_world_load(ctx, path, &def, &changed, NULL)) && plain && again) {
        TEST_NEAR(lyra_world_view(changed).dt, 0.25, 0);
        TEST_NEAR(lyra_world_view(plain).dt, 0.01, 0);
        TEST_CHECK(lyra_world_view(plain).digest == lyra_world_view(again).digest);
        TEST_CHECK(lyra_world_view(plain).digest != lyra_world_view(changed).digest);
    }
    lyra_world_destroy(changed);
    lyra_world_destroy(again);
    // another mesh of the same name
    uint64_t digest = plain ? lyra_world_view(plain).digest : 0;
    lyra_world_destroy(plain);
    plain = NULL;
    write_bar(ctx, "bar.veg", LYRA_ELEMENT_TET4, 2e5);
    if (TEST_OK(lyra_world_load(ctx, path, NULL, &plain, NULL))) {
        TEST_CHECK(lyra_world_view(plain).digest != digest);
    }
    lyra_world_destroy(plain);
    plain = NULL;
    def.override_count = 1;
    def.overrides = typo;
    TEST_STATUS(lyra_world_load(ctx, path, &def, &plain, NULL), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "the nearest one is \"timestep\"");
    def.overrides = wrong;
    TEST_STATUS(lyra_world_load(ctx, path, &def, &plain, NULL), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "found \"fast\", expected a number above 0 for timestep");
    def.overrides = bare;
    TEST_STATUS(lyra_world_load(ctx, path, &def, &plain, NULL), LYRA_INVALID_ARGUMENT);
    test_context_end(ctx);
}

// ---- surfaces and camera ------------------------------------------------------------------------

#define TRIANGLE "v 0.1 0.1 0.1\nv 0.9 0.1 0.1\nv 0.5 0.2 0.1\nf 1 2 3\n"

LYRA_TEST(surfaces_are_those_of_the_files)
{
    Log log;
    LyraContext *ctx = logged_context(&log);
    write_bar(ctx, "bar.veg", LYRA_ELEMENT_TET4, 1e5);
    write_text("inside.obj", TRIANGLE);
    write_text("inside.interp", "0 0 1 1 0 2 0 3 0\n1 1 1 0 0 2 0 3 0\n2 2 1 1 0 0 0 3 0\n");
    // weights from the file
    LyraWorld *world = load_text(ctx, REQUIRED BAR "*secondaryRenderingMeshFilename\ninside.obj\n"
                                                   "*secondaryRenderingMeshInterpolationFilename\n"
                                                   "inside.interp\n");
    if (world) {
        const LyraBodyView *body = &lyra_world_view(world).bodies[0];
        TEST_EQUAL(body->surface_count, 1);
        TEST_STRING(body->surfaces[0].name, "inside.obj");
        TEST_EQUAL(lyra_embedding_view(body->surfaces[0].embedding).vertices[4], 1);
        TEST_STRING(log.text, "");
    }
    lyra_world_destroy(world);
    // computed, for want of a file
    world =
        load_text(ctx, REQUIRED BAR "*secondaryRenderingMeshFilename\ninside.obj\n"
                                    "*secondaryRenderingMeshInterpolationFilename\nno.interp\n");
    if (world) {
        const LyraBodyView *body = &lyra_world_view(world).bodies[0];
        LyraEmbeddingView view = lyra_embedding_view(body->surfaces[0].embedding);
        LyraMeshView mesh = lyra_mesh_view(body->mesh);
        const double points[3] = {0.1, 0.9, 0.5};
        for (int32_t p = 0; p < 3; ++p) {
            double x = 0;
            for (int32_t a = 0; a < view.node_count; ++a) {
                x += view.weights[4 * p + a] * mesh.positions[3 * view.vertices[4 * p + a]];
            }
            TEST_NEAR(x, points[p], 1e-14);
        }
        TEST_CONTAINS(log.text, "no.interp");
    }
    lyra_world_destroy(world);
    // missing surfaces are warnings, and the boundary is shown; so is one of other vertices
    world = load_text(ctx, REQUIRED BAR "*secondaryRenderingMeshFilename\nno.obj\n"
                                        "*renderingMeshFilename\ninside.obj\n");
    if (world) {
        const LyraBodyView *body = &lyra_world_view(world).bodies[0];
        TEST_EQUAL(body->surface_count, 1);
        TEST_STRING(body->surfaces[0].name, "skin");
        TEST_CHECK(!body->surfaces[0].embedding);
        LyraSurfaceView surface = lyra_surface_view(body->surfaces[0].surface);
        TEST_EQUAL(surface.vertex_count, BAR_VERTICES);
        TEST_EQUAL(surface.face_count, 2 * 18);
        TEST_NEAR(lyra_surface_measure(body->surfaces[0].surface, NULL).volume, BAR_VOLUME, 1e-15);
        TEST_CONTAINS(log.text, "no.obj");
        TEST_CONTAINS(log.text, "inside.obj has 3 vertices, and the body 20");
    }
    lyra_world_destroy(world);
    end_logged(ctx);
}

LYRA_TEST(cameras_and_settings_are_kept)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    write_bar(ctx, "bar.veg", LYRA_ELEMENT_TET4, 1e5);
    LyraScene *scene = NULL;
    LyraWorld *world = load_scene(ctx, REQUIRED BAR, &scene);
    if (world) {
        TEST_CHECK(lyra_scene_view(scene).camera.fitted);
        TEST_EQUAL(lyra_scene_view(scene).output.save_every, 0);
    }
    lyra_world_destroy(world);
    lyra_scene_destroy(scene);
    scene = NULL;
    world = load_scene(ctx,
                       REQUIRED BAR "*cameraRadius\n2\n*cameraLongitude\n-90\n"
                                    "*cameraLattitude\n30\n*focusPositionY\n3\n"
                                    "*backgroundColor\n220 220 220\n*outputFilename\nout\n",
                       &scene);
    if (world) {
        LyraSceneView view = lyra_scene_view(scene);
        TEST_CHECK(!view.camera.fitted);
        TEST_NEAR(view.camera.target[1], 3, 0);
        TEST_NEAR(view.camera.eye[0], 0, 1e-15);
        TEST_NEAR(view.camera.eye[1], 4, 1e-14);
        TEST_NEAR(view.camera.eye[2], sqrt(3), 1e-14);
        TEST_NEAR(view.camera.field_of_view, 45, 0);
        TEST_EQUAL(view.output.save_every, 0);
        TEST_STRING(view.output.matrix, "out.u");
        static const char *const kept[][2] = {{"deformableObjectCompliance", "1"},
                                              {"lightingConfigFilename", "no.lighting"},
                                              {"backgroundColor", "220 220 220"}};
        TEST_EQUAL(view.setting_count, 3);
        for (int32_t s = 0; s < 3 && s < view.setting_count; ++s) {
            TEST_STRING(view.settings[s].key, kept[s][0]);
            TEST_STRING(view.settings[s].value, kept[s][1]);
        }
    }
    lyra_world_destroy(world);
    lyra_scene_destroy(scene);
    test_context_end(ctx);
}

// ---- memory -------------------------------------------------------------------------------------

static LyraStatus load_and_step(LyraContext *ctx, void *data)
{
    LyraWorld *world = NULL;
    LyraStatus status = lyra_world_load(ctx, data, NULL, &world, NULL);
    if (status == LYRA_OK) {
        status = lyra_world_step(world, NULL);
    }
    lyra_world_destroy(world);
    return status;
}

LYRA_TEST(failing_allocations_leak_nothing)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    write_bar(ctx, "bar.veg", LYRA_ELEMENT_TET4, 1e5);
    write_text("inside.obj", TRIANGLE);
    const double loads[3 * BAR_VERTICES] = {0, 1};
    write_matrix(ctx, "loads", 3 * BAR_VERTICES, 1, loads);
    test_context_end(ctx);
    char path[1024];
    snprintf(path, sizeof path, "%s",
             write_text("scene.config",
                        REQUIRED BAR "*frequencyScaling\n2\n*dampingLaplacianCoef\n0.1\n"
                                     "*initialVelocityFilename\nloads\n*forceLoadsFilename\nloads\n"
                                     "*secondaryRenderingMeshFilename\ninside.obj\n"));
    test_fail_each_allocation(load_and_step, path);
    write_text("bar.massspring", "*tetMeshFilename\nbar.veg\n*density\n1\n*tensileStiffness\n10\n"
                                 "*damping\n0\n*addGravity\n0\n");
    write_text("scene.config", REQUIRED "*massSpringSystemTetMeshConfigFilename\nbar.massspring\n");
    test_fail_each_allocation(load_and_step, path);
}
