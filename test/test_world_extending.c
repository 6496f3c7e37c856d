// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What docs/extending.md adds to the library itself: a kind of body, a format of meshes and a key
// of scenes with its slider. The page shows the files that are included here, word for word.

// the headers of meshes come before those of worlds
#include "extending/format_soup.c"

#include "extending/body_particles.c"
#include "extending/key_tilt.c"

#include "base/file.h"
#include "lyra/mesh_generate.h"
#include "lyra_test.h"
#include "scene/spec.h"
#include "scene_yaml.h"

#include <string.h>

static LyraMesh *make_box(LyraContext *ctx)
{
    LyraMeshShapeDef box = lyra_mesh_shape_def_default();
    LyraMesh *mesh = NULL;
    box.cells[0] = 2;
    box.cells[1] = box.cells[2] = 1;
    TEST_OK(lyra_mesh_generate(ctx, &box, &mesh));
    return mesh;
}

// adds a body as lyra_world_add_body() does once its kind is found
static LyraStatus add_particles(LyraWorld *world, const LyraBodyDef *def)
{
    LyraBodyView view = {0};
    LyBody body = {.type = &ly_body_particles, .def = def};
    LyraMesh *mesh = make_box(lyra_world_context(world));
    LyraStatus status = body.type->create(world, mesh, &view, &body);
    if (status == LYRA_OK) {
        status = ly_string_copy(world->ctx, "dust", 4, (char **)&view.name);
    }
    if (status != LYRA_OK) {
        ly_body_end(world->ctx, &view, &body);
        return status;
    }
    return ly_world_take_body(world, &view, &body);
}

LYRA_TEST(particles_fall_freely)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorldDef settings = lyra_world_def_default();
    LyraBodyDef def = lyra_body_def_default();
    LyraBodyFibre fibre = lyra_body_fibre_default();
    LyraWorld *world = NULL;
    int32_t count = 0;
    settings.gravity[1] = lyra_curve_constant(-10);
    settings.integrator.name = "implicit-midpoint";
    settings.time.dt = 0.1;
    TEST_REQUIRE_OK(lyra_world_create(ctx, &settings, &world));
    def.fibre = &fibre;
    TEST_STATUS(add_particles(world, &def), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "expected it of solids alone");
    def.fibre = NULL;
    TEST_REQUIRE_OK(add_particles(world, &def));
    TEST_STRING(lyra_world_view(world).bodies[0].kind, "particles");
    for (int step = 0; step < 10; ++step) {
        TEST_OK(lyra_world_step(world, NULL));
    }
    const double *x = lyra_world_positions(world, 0, &count);
    const double *rest = lyra_mesh_view(lyra_world_view(world).bodies[0].mesh).positions;
    TEST_EQUAL(count, 12);
    for (int32_t v = 0; v < count; ++v) {
        TEST_NEAR(x[3 * v + 1] - rest[3 * v + 1], -5, 1e-9); // g t^2 / 2
    }
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(soups_are_written_and_read)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = make_box(ctx), *back = NULL;
    const char *path = test_temp_path("box.soup");
    LyExport data = {.path = path, .encoding = LYRA_MESH_ENCODING_TEXT};
    ly_export_mesh(&data, mesh);
    TEST_OK(ly_soup_save(&data));
    ly_export_finish(&data);
    LyImport import = {0};
    TEST_OK(ly_import_read(&import, ctx, &(LyFileSource){0}, path, ly_soup_read));
    TEST_OK(ly_import_mesh(&import, &back));
    ly_import_finish(&import);
    TEST_REQUIRE(back);
    LyraMeshView one = lyra_mesh_view(mesh), two = lyra_mesh_view(back);
    TEST_EQUAL(two.element_count, one.element_count);
    for (int64_t i = 0; i < 4 * (int64_t)one.element_count; ++i) {
        const double *a = one.positions + 3 * (int64_t)one.elements[i];
        const double *b = two.positions + 3 * (int64_t)two.elements[i];
        TEST_CHECK(memcmp(a, b, 3 * sizeof *a) == 0);
    }
    lyra_mesh_destroy(mesh);
    lyra_mesh_destroy(back);

    // a line that is cut is an error with its place
    const LyraMemoryFile file = {.path = "cut.soup", .bytes = "0 0 0 1 0 0\n", .length = 12};
    LyImport cut = {0};
    TEST_STATUS(ly_import_read(&cut, ctx, &(LyFileSource){&file, 1}, file.path, ly_soup_read),
                LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "cut.soup:");
    TEST_CONTAINS(lyra_error_message(), "a coordinate");
    ly_import_finish(&cut);
    test_context_end(ctx);
}

static LyraStatus load_tilt(LyraArena *arena, const char *text, Tilt *out)
{
    LyNode *root = NULL;
    LY_TRY(ly_tree_parse(arena, "scene.yaml", text, strlen(text), &root));
    return ly_spec_read(arena, &tilt, root, out);
}

LYRA_TEST(tilt_is_read_and_turned)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraArena *arena = NULL;
    Tilt spec = {0}, bad = {0};
    TEST_REQUIRE_OK(ly_arena_create(ctx, 0, &arena));
    TEST_OK(load_tilt(arena, "tilt: 30 deg\n", &spec));
    TEST_NEAR(spec.tilt, 0.5235987755982988, 1e-15);
    TEST_STATUS(load_tilt(arena, "tilt: 30 m\n", &bad), LYRA_BAD_FORMAT);
    TEST_STATUS(load_tilt(arena, "tild: 1\n", &bad), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "expected \"tilt\" perhaps");
    ly_arena_destroy(ctx, arena);

    LyraWorld *world = NULL;
    LyraMeshShapeDef box = lyra_mesh_shape_def_default();
    LyraBodyDef body = lyra_body_def_default();
    LyraWorldParameter found = {0};
    const LyLive *live = tilt_keys[0].live;
    box.cells[0] = box.cells[1] = box.cells[2] = 1;
    body.generate = &box;
    TEST_REQUIRE_OK(lyra_world_create(ctx, NULL, &world));
    TEST_OK(lyra_world_set_gravity(world, (double[]){0, -10, 0}));
    TEST_OK(lyra_world_add_body(world, &body, NULL));
    TEST_OK(lyra_world_prepare(world));
    TEST_CHECK(live->has(world, -1));
    TEST_OK(live->set(world, &world->undo, -1, spec.tilt));
    live->read(world, -1, &found);
    TEST_NEAR(found.value, spec.tilt, 1e-15);
    TEST_OK(lyra_world_step(world, NULL));
    const double *v = lyra_world_velocities(world, 0, NULL);
    TEST_NEAR(v[0], 10 * 0.5 * 0.01, 1e-9);
    TEST_NEAR(v[1], -10 * sqrt(0.75) * 0.01, 1e-9);
    lyra_world_destroy(world);
    test_context_end(ctx);
}
