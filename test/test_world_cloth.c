// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Bodies of cloth: their triangles, fabrics, masses and forces; that they can be selected, held,
// loaded, pulled, turned and restored; and what is wrong with them. Sheets that are generated.

#include "lyra/lyra.h"
#include "lyra_test.h"

#include <math.h>
#include <string.h>

static LyraBodyDef cloth_body(const LyraBodyCloth *cloth)
{
    LyraBodyDef body = lyra_body_def_default();
    body.name = "sheet";
    body.kind = "cloth";
    body.cloth = cloth;
    return body;
}

static LyraSheetDef sheet_def(int32_t nx, int32_t nz)
{
    LyraSheetDef def = lyra_sheet_def_default();
    def.cells[0] = nx;
    def.cells[1] = nz;
    return def;
}

static LyraWorld *add_one(LyraContext *ctx, const LyraBodyCloth *cloth)
{
    LyraBodyDef body = cloth_body(cloth);
    LyraWorld *world = NULL;
    if (!TEST_OK(lyra_world_create(ctx, NULL, &world)) ||
        !TEST_OK(lyra_world_add_body(world, &body, NULL))) {
        lyra_world_destroy(world);
        return NULL;
    }
    return world;
}

// two vertices of the edge at least z, at its ends
static LyraSelector corners_of(int32_t nx)
{
    static int32_t ends[2];
    LyraSelector select = lyra_selector_default();
    ends[1] = nx;
    select.vertices = ends;
    select.vertex_count = 2;
    return select;
}

static double total_mass(const LyraWorld *world)
{
    LyraModelView model = lyra_model_view(lyra_world_view(world).model);
    double sum = 0;
    for (int32_t v = 0; v < model.vertex_count; ++v) {
        sum += model.masses[v];
    }
    return sum;
}

static double elastic_of(LyraWorld *world)
{
    LyraEnergies energies = {0};
    TEST_OK(lyra_world_energies(world, &energies));
    return energies.elastic;
}

// moves all vertices to (1 + e) x
static void stretch_along_x(LyraWorld *world, double e)
{
    LyraWorldView view = lyra_world_view(world);
    const double *X = lyra_model_view(view.model).positions;
    double *u = lyra_vector_values_mutable(lyra_state_view(view.state).u);
    for (int32_t v = 0; v < lyra_model_view(view.model).vertex_count; ++v) {
        u[3 * v] = e * X[3 * v];
    }
}

// ---- sheets -------------------------------------------------------------------------------------

LYRA_TEST(sheets_have_the_area_of_their_shape_and_look_up)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int kind = 0; kind < 6; ++kind) {
        LyraSheetDef def = sheet_def(8, 3);
        def.length = 2;
        def.width = 0.5;
        def.center[1] = 0.25;
        def.shape = kind == 5 ? LYRA_SHEET_DISC : kind == 4 ? LYRA_SHEET_STRIP : LYRA_SHEET_GRID;
        def.faces = kind < 4 ? (LyraSheetFaces)kind : LYRA_SHEET_ALTERNATING;
        static const int32_t faces[6] = {48, 48, 96, 24, 32, 384};
        static const int32_t vertices[6] = {36, 36, 60, 36, 27, 217};
        LyraSurface *surface = NULL;
        LyraSurfaceReport report;
        TEST_OK(lyra_surface_generate(ctx, &def, &surface));
        LyraSurfaceView view = lyra_surface_view(surface);
        TEST_EQUAL(view.face_count, faces[kind]);
        TEST_EQUAL(view.vertex_count, vertices[kind]);
        TEST_OK(lyra_surface_report(surface, &report));
        TEST_CHECK(report.manifold && report.oriented && report.components == 1);
        TEST_EQUAL(report.unused_vertices, 0);
        TEST_EQUAL(report.euler, 1);
        LyraSurfaceMeasure measure = lyra_surface_measure(surface, NULL);
        // a disc of 8 rings is a polygon of 48 corners
        double area = kind == 5 ? 0.5 * 48 * 0.25 * sin(2 * 3.14159265358979323846 / 48) : 1;
        TEST_NEAR(measure.area, area, 1e-12);
        TEST_NEAR(measure.low[1], 0.25, 0);
        double normals[3 * 400];
        lyra_surface_face_normals(surface, NULL, normals);
        for (int32_t f = 0; f < view.face_count; ++f) {
            TEST_NEAR(normals[3 * f + 1], 1, 1e-12);
        }
        // texture coordinates are metres along x and against z
        for (int32_t c = 0; c < view.corner_count; ++c) {
            const double *uv = view.texcoords + 2 * view.corner_texcoords[c];
            const double *x = view.positions + 3 * view.corner_vertices[c];
            const double *uv0 = view.texcoords, *x0 = view.positions;
            TEST_NEAR(uv[0] - uv0[0], x[0] - x0[0], 1e-15);
            TEST_NEAR(uv[1] - uv0[1], x0[2] - x[2], 1e-15);
        }
        lyra_surface_destroy(surface);
    }
    test_context_end(ctx);
}

LYRA_TEST(wrong_sheets_are_one_sentence)
{
    static const char *const words[] = {"found length -1", "found 0 cells",   "found 9 bands",
                                        "found radius 0",  "a centre at nan", "faces"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int kind = 0; kind < 6; ++kind) {
        LyraSheetDef def = sheet_def(8, 3);
        LyraSurface *surface = NULL;
        def.length = kind == 0 ? -1 : 1;
        def.cells[1] = kind == 1 ? 0 : 3;
        def.bands = kind == 2 ? 9 : 1;
        def.shape = kind == 3 ? LYRA_SHEET_DISC : LYRA_SHEET_GRID;
        def.radius = 0;
        def.center[0] = kind == 4 ? NAN : 0;
        def.cells[0] = kind == 5 ? 100000 : 8;
        def.cells[1] = kind == 5 ? 100000 : def.cells[1];
        TEST_STATUS(lyra_surface_generate(ctx, &def, &surface),
                    kind == 5 ? LYRA_TOO_LARGE : LYRA_INVALID_ARGUMENT);
        TEST_CONTAINS(lyra_error_message(), words[kind]);
    }
    test_context_end(ctx);
}

// ---- what it is ---------------------------------------------------------------------------------

LYRA_TEST(a_world_has_cloth_with_its_masses_and_forces)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSheetDef sheet = sheet_def(4, 2);
    LyraBodyCloth cloth = lyra_body_cloth_default();
    cloth.generate = &sheet;
    cloth.uv = LYRA_CLOTH_UV_FILE;
    cloth.surface_density = 3;
    LyraWorld *world = add_one(ctx, &cloth);
    TEST_REQUIRE(world);
    TEST_OK(lyra_world_prepare(world));
    LyraWorldView view = lyra_world_view(world);
    TEST_STRING(view.bodies[0].kind, "cloth");
    TEST_REQUIRE(view.bodies[0].cloth && view.bodies[0].sheet);
    TEST_EQUAL(lyra_cloth_view(view.bodies[0].cloth).triangle_count, 16);
    TEST_EQUAL(view.bodies[0].surface_count, 1);
    TEST_CHECK(!view.bodies[0].mesh && !view.bodies[0].surfaces[0].embedding);
    TEST_NEAR(total_mass(world), 3, 1e-14);
    LyraForceGroup group;
    TEST_REQUIRE(lyra_model_group(view.model, 1, &group));
    TEST_STRING(group.name, "sheet.cloth-bend");
    // k/2 A e^2
    stretch_along_x(world, 0.1);
    TEST_NEAR(elastic_of(world), 0.5 * 1000 * 0.01, 1e-12);
    lyra_world_destroy(world);
    // twice the texture coordinates: the fabric is twice as large, and half as stretched as cut
    cloth.uv_scale = 2;
    cloth.rest_stretch[0] = cloth.rest_stretch[1] = 0.5;
    cloth.mass = 7;
    world = add_one(ctx, &cloth);
    TEST_REQUIRE(world);
    TEST_OK(lyra_world_prepare(world));
    TEST_NEAR(total_mass(world), 7, 1e-13);
    stretch_along_x(world, 0.1);
    TEST_NEAR(elastic_of(world), 0.5 * 1000 * 4 * 0.05 * 0.05, 1e-12);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// polygons are cut, and their parts keep groups, materials and texture coordinates
LYRA_TEST(fabrics_are_those_of_groups_and_materials)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSheetDef sheet = sheet_def(6, 2);
    sheet.bands = 3;
    sheet.faces = LYRA_SHEET_QUADS;
    LyraSurface *surface = NULL;
    TEST_OK(lyra_surface_generate(ctx, &sheet, &surface));
    // the last row of cells has a material
    LyraSurfaceView data = lyra_surface_view(surface);
    LyraSurfaceMaterial silk = lyra_surface_material_default();
    int32_t materials[12];
    silk.name = "silk";
    for (int f = 0; f < 12; ++f) {
        materials[f] = f < 6 ? -1 : 0;
    }
    data.materials = &silk;
    data.material_count = 1;
    data.face_materials = materials;
    LyraSurface *both = NULL;
    TEST_OK(lyra_surface_create(ctx, &data, &both));
    LyraBodyFabric fabrics[2] = {lyra_body_fabric_default(), lyra_body_fabric_default()};
    fabrics[0].name = "band2";
    fabrics[0].fabric.stretch = 300;
    fabrics[1].name = "silk";
    fabrics[1].fabric.stretch = 50;
    fabrics[1].surface_density = 1;
    LyraBodyCloth cloth = lyra_body_cloth_default();
    cloth.surface = both;
    cloth.uv = LYRA_CLOTH_UV_FILE;
    cloth.fabrics = fabrics;
    cloth.fabric_count = 2;
    LyraWorld *world = add_one(ctx, &cloth);
    TEST_REQUIRE(world);
    TEST_OK(lyra_world_prepare(world));
    TEST_NEAR(total_mass(world), 0.5 * 0.25 + 0.5 * 1, 1e-14);
    stretch_along_x(world, 0.1);
    // the second half is of silk; of the first a third is of band2
    double stiffness = 0.5 * (2 / 3.0 * 1000 + 1 / 3.0 * 300) + 0.5 * 50;
    TEST_NEAR(elastic_of(world), 0.5 * stiffness * 0.01, 1e-12);
    // sets are groups and materials: vertices by their triangles
    LyraSelector select = lyra_selector_default();
    int32_t count, *list;
    select.set = "band1";
    TEST_OK(lyra_world_select(world, "sheet", &select, &count, &list));
    TEST_EQUAL(count, 9);
    lyra_vertex_list_destroy(ctx, list);
    select.set = "silk";
    TEST_OK(lyra_world_select(world, "sheet", &select, &count, &list));
    TEST_EQUAL(count, 14);
    lyra_vertex_list_destroy(ctx, list);
    select.set = "wool";
    TEST_STATUS(lyra_world_select(world, "sheet", &select, &count, &list), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "band1");
    TEST_CONTAINS(lyra_error_message(), "silk");
    lyra_world_destroy(world);
    lyra_surface_destroy(both);
    lyra_surface_destroy(surface);
    test_context_end(ctx);
}

// ---- what acts on it ----------------------------------------------------------------------------

static double lowest(LyraWorld *world)
{
    int32_t count;
    const double *x = lyra_world_positions(world, 0, &count);
    double low = INFINITY;
    for (int32_t v = 0; v < count; ++v) {
        low = fmin(low, x[3 * v + 1]);
    }
    return low;
}

static void swing(LyraWorld *world, int steps)
{
    for (int step = 0; step < steps; ++step) {
        if (!TEST_OK(lyra_world_step(world, NULL))) {
            return;
        }
    }
}

static LyraWorld *make_hung(LyraContext *ctx, const LyraSheetDef *sheet)
{
    static const double down[3] = {0, -9.81, 0};
    LyraBodyCloth cloth = lyra_body_cloth_default();
    LyraSelector corners = corners_of(sheet->cells[0]);
    cloth.generate = sheet;
    LyraWorld *world = add_one(ctx, &cloth);
    if (world) {
        TEST_OK(lyra_world_fix(world, "sheet", &corners));
        TEST_OK(lyra_world_set_gravity(world, down));
    }
    return world;
}

LYRA_TEST(cloth_falls_is_pulled_and_restored)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSheetDef sheet = sheet_def(8, 8);
    LyraWorld *world = make_hung(ctx, &sheet);
    TEST_REQUIRE(world);
    swing(world, 10);
    TEST_CHECK(lowest(world) < -0.03);
    const char *path = test_temp_path("cloth.lyra");
    TEST_OK(lyra_world_save(world, path));
    double before[3 * 81];
    swing(world, 10);
    memcpy(before, lyra_world_positions(world, 0, NULL), sizeof before);
    TEST_OK(lyra_world_restore(world, path));
    swing(world, 10);
    TEST_CHECK(memcmp(before, lyra_world_positions(world, 0, NULL), sizeof before) == 0);
    // pulled up again at the free end
    static const int32_t vertex = 76;
    static const double stiffness = 500, target[3] = {0, 0.5, 0.6};
    TEST_OK(lyra_world_pull(world, 1, &vertex, &stiffness, target));
    swing(world, 100);
    TEST_CHECK(lyra_world_positions(world, 0, NULL)[3 * vertex + 1] > 0.3);
    TEST_CHECK(lyra_world_pull_energy(world) > 0);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(loads_on_triangles_and_laplacian_damping_reach_cloth)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSheetDef sheet = sheet_def(4, 4);
    LyraWorldDef def = lyra_world_def_default();
    def.damping.laplacian = 0.02;
    LyraBodyCloth cloth = lyra_body_cloth_default();
    LyraWorld *world = NULL;
    cloth.generate = &sheet;
    LyraBodyDef body = cloth_body(&cloth);
    TEST_OK(lyra_world_create(ctx, &def, &world));
    TEST_OK(lyra_world_add_body(world, &body, NULL));
    LyraLoadDef load = lyra_load_def_default();
    load.type = LYRA_LOAD_TRACTION;
    load.select.surface = LYRA_SELECT_SURFACE;
    load.traction[1] = 5;
    TEST_OK(lyra_world_add_load(world, &load));
    LyraSelectNormal up = {.direction = {0, 1, 0}, .angle = 0.5}, under = up;
    load = lyra_load_def_default();
    load.type = LYRA_LOAD_PRESSURE;
    load.select.normal = &up;
    load.pressure = lyra_curve_constant(2);
    TEST_OK(lyra_world_add_load(world, &load));
    under.direction[1] = -1;
    load.select.normal = &under;
    TEST_STATUS(lyra_world_add_load(world, &load), LYRA_BAD_FORMAT);
    TEST_OK(lyra_world_prepare(world));
    // pushed up by 5 Pa, pressed down by 2
    double loads[3 * 25], sum[3] = {0};
    TEST_OK(lyra_world_loads(world, loads, NULL));
    for (int i = 0; i < 75; ++i) {
        sum[i % 3] += loads[i];
    }
    TEST_NEAR(sum[1], 3, 1e-13);
    TEST_NEAR(sum[0], 0, 1e-13);
    swing(world, 5);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(numbers_of_cloth_are_turned)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSheetDef sheet = sheet_def(6, 2);
    sheet.bands = 2;
    LyraBodyFabric soft = lyra_body_fabric_default();
    soft.name = "band2";
    soft.fabric.shear = 10;
    LyraBodyCloth cloth = lyra_body_cloth_default();
    cloth.generate = &sheet;
    cloth.uv = LYRA_CLOTH_UV_FILE;
    cloth.fabrics = &soft;
    cloth.fabric_count = 1;
    LyraWorld *world = add_one(ctx, &cloth);
    LyraWorldParameter number;
    TEST_REQUIRE(world);
    TEST_OK(lyra_world_get(world, "bodies.sheet.cloth.stretch", &number));
    TEST_NEAR(number.value, 1000, 0);
    TEST_STRING(number.unit, "N/m");
    stretch_along_x(world, 0.1);
    double before = elastic_of(world);
    TEST_OK(lyra_world_set(world, "bodies.sheet.cloth.stretch", 3000));
    TEST_NEAR(elastic_of(world), 3 * before, 1e-12);
    TEST_OK(lyra_world_get(world, "bodies.sheet.cloth.stretch", &number));
    TEST_NEAR(number.value, 3000, 1e-9);
    TEST_STATUS(lyra_world_set(world, "bodies.sheet.cloth.stretch", -1), LYRA_INVALID_ARGUMENT);
    // fabrics that differ have a factor; one does not undo the other
    TEST_OK(lyra_world_get(world, "bodies.sheet.cloth.shear", &number));
    TEST_NEAR(number.value, 1, 0);
    TEST_STRING(number.unit, "");
    TEST_OK(lyra_world_set(world, "bodies.sheet.cloth.shear", 2));
    TEST_NEAR(elastic_of(world), 3 * before, 1e-12);
    // bending along v leaves edges along u as they are
    LyraModel *model = lyra_world_view(world).model;
    LyraForceGroup group;
    double bend[2][64];
    TEST_REQUIRE(lyra_model_group(model, 1, &group) && group.stencil_count <= 64);
    TEST_OK(lyra_model_get_parameter(model, 1, "bend", bend[0]));
    TEST_OK(lyra_world_set(world, "bodies.sheet.cloth.bend-v", 5e-4));
    TEST_OK(lyra_model_get_parameter(model, 1, "bend", bend[1]));
    LyraClothView view = lyra_cloth_view(lyra_world_view(world).bodies[0].cloth);
    for (int32_t h = 0; h < group.stencil_count; ++h) {
        const int32_t *ids = view.hinges + 4 * h;
        const double *X = lyra_model_view(model).positions;
        double dx = X[3 * ids[1]] - X[3 * ids[0]], dz = X[3 * ids[1] + 2] - X[3 * ids[0] + 2];
        double expected = 1e-4 * (dx * dx + 5 * dz * dz) / (dx * dx + dz * dz);
        TEST_NEAR(bend[0][h], 1e-4, 1e-18);
        TEST_NEAR(bend[1][h], expected, 1e-15);
    }
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(parameters_of_cloth_change_over_time)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSheetDef sheet = sheet_def(4, 2);
    LyraBodyCloth cloth = lyra_body_cloth_default();
    cloth.generate = &sheet;
    cloth.uv = LYRA_CLOTH_UV_FILE;
    LyraWorld *world = add_one(ctx, &cloth);
    TEST_REQUIRE(world);
    LyraChangeDef change = lyra_change_def_default();
    LyraCurve factor = {.expression = "1 + 100*t"};
    change.parameter = "bodies.sheet.cloth.stretch";
    change.factor = &factor;
    TEST_OK(lyra_world_add_change(world, &change));
    change.parameter = "young";
    change.body = "sheet";
    TEST_STATUS(lyra_world_add_change(world, &change), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "stretch, shear");
    TEST_OK(lyra_world_step(world, NULL));
    stretch_along_x(world, 0.1);
    TEST_NEAR(elastic_of(world), 2 * 0.5 * 1000 * 0.01, 1e-11);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(parts_of_cloth_are_selected)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    // two squares apart, of two triangles each
    double positions[24];
    const int32_t begin[] = {0, 3, 6, 9, 12}, corners[] = {0, 1, 2, 2, 1, 3, 4, 5, 6, 6, 5, 7};
    for (int v = 0; v < 8; ++v) {
        positions[3 * v] = v % 2 + (v < 4 ? 0 : 5);
        positions[3 * v + 1] = 0;
        positions[3 * v + 2] = v / 2 % 2;
    }
    LyraSurfaceView data = {.vertex_count = 8,
                            .positions = positions,
                            .face_count = 4,
                            .corner_count = 12,
                            .face_begin = begin,
                            .corner_vertices = corners};
    LyraSurface *surface = NULL;
    TEST_OK(lyra_surface_create(ctx, &data, &surface));
    LyraBodyCloth cloth = lyra_body_cloth_default();
    cloth.surface = surface;
    LyraWorld *world = add_one(ctx, &cloth);
    TEST_REQUIRE(world);
    LyraSelector select = lyra_selector_default();
    int32_t count, *list;
    select.component = 1;
    TEST_OK(lyra_world_select(world, "sheet", &select, &count, &list));
    TEST_EQUAL(count, 4);
    TEST_EQUAL(list[0], 4);
    lyra_vertex_list_destroy(ctx, list);
    const double place[3] = {0.2, 1, 0};
    select.component = -1;
    select.component_at = place;
    TEST_OK(lyra_world_select(world, "sheet", &select, &count, &list));
    TEST_EQUAL(count, 4);
    TEST_EQUAL(list[0], 0);
    lyra_vertex_list_destroy(ctx, list);
    select.component_at = NULL;
    select.component = 2;
    TEST_STATUS(lyra_world_select(world, "sheet", &select, &count, &list), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "2 components");
    select = lyra_selector_default();
    select.surface = LYRA_SELECT_INNER;
    TEST_STATUS(lyra_world_select(world, "sheet", &select, &count, &list), LYRA_UNSUPPORTED);
    lyra_world_destroy(world);
    lyra_surface_destroy(surface);
    test_context_end(ctx);
}

// ---- what is wrong ------------------------------------------------------------------------------

LYRA_TEST(wrong_cloth_bodies_are_one_sentence)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSheetDef sheet = sheet_def(2, 2);
    static const double loose[12] = {0, 0, 0, 1, 0, 0, 0, 0, 1, 4, 4, 4};
    static const int32_t begin[] = {0, 3}, corners[] = {0, 1, 2};
    LyraSurfaceView data = {.vertex_count = 4,
                            .positions = loose,
                            .face_count = 1,
                            .corner_count = 3,
                            .face_begin = begin,
                            .corner_vertices = corners};
    LyraSurface *lonely = NULL;
    TEST_OK(lyra_surface_create(ctx, &data, &lonely));
    static const char *const words[] = {
        "cloth.surface: found none",
        "cloth.surface: found a sheet to generate and another surface",
        "cloth.uv: found no texture coordinate",
        "cloth.surface: found vertex 3 in no triangle",
        "cloth.groups[0].name: found \"wool\"",
        "cloth.shear",
        "material.young",
        "without cloth",
        "found cloth of a body of kind springs",
        "cloth.generate.cells",
    };
    for (int kind = 0; kind < 10; ++kind) {
        LyraBodyFabric wool = lyra_body_fabric_default();
        LyraBodyCloth cloth = lyra_body_cloth_default();
        LyraSheetDef shape = sheet;
        bool surface = kind == 1 || kind == 2 || kind == 3;
        wool.name = "wool";
        cloth.generate = kind == 0 || kind == 2 || kind == 3 ? NULL : &shape;
        cloth.surface = surface ? lonely : NULL;
        cloth.uv = kind == 2 ? LYRA_CLOTH_UV_FILE : LYRA_CLOTH_UV_AUTO;
        cloth.fabrics = kind == 4 ? &wool : NULL;
        cloth.fabric_count = kind == 4;
        cloth.fabric.shear = kind == 5 ? -1 : 1;
        shape.cells[0] = kind == 9 ? -1 : 2;
        LyraBodyDef body = cloth_body(&cloth);
        body.material.young = kind == 6 ? 1e6 : 0;
        body.cloth = kind == 7 ? NULL : body.cloth;
        body.kind = kind == 8 ? "springs" : "cloth";
        LyraWorld *world = NULL;
        TEST_OK(lyra_world_create(ctx, NULL, &world));
        TEST_CHECK_MSG(lyra_world_add_body(world, &body, NULL) != LYRA_OK, "case %d is taken",
                       kind);
        TEST_CONTAINS(lyra_error_message(), words[kind]);
        TEST_EQUAL(lyra_world_view(world).body_count, 0);
        lyra_world_destroy(world);
    }
    lyra_surface_destroy(lonely);
    test_context_end(ctx);
}

static LyraStatus make_once(LyraContext *ctx, void *data)
{
    (void)data;
    LyraSheetDef sheet = sheet_def(3, 2);
    LyraBodyFabric soft = lyra_body_fabric_default();
    LyraBodyCloth cloth = lyra_body_cloth_default();
    LyraWorld *world = NULL;
    sheet.bands = 2;
    soft.name = "band2";
    cloth.generate = &sheet;
    cloth.uv = LYRA_CLOTH_UV_FILE;
    cloth.fabrics = &soft;
    cloth.fabric_count = 1;
    LyraBodyDef body = cloth_body(&cloth);
    LyraStatus status = lyra_world_create(ctx, NULL, &world);
    status = status ? status : lyra_world_add_body(world, &body, NULL);
    status = status ? status : lyra_world_prepare(world);
    status = status ? status : lyra_world_set(world, "bodies.sheet.cloth.stretch", 2000);
    lyra_world_destroy(world);
    return status;
}

LYRA_TEST(failing_allocations_of_cloth_bodies_leak_nothing)
{
    test_fail_each_allocation(make_once, NULL);
}

LYRA_TEST(steps_of_cloth_are_the_same_at_any_thread_count)
{
    double found[2][3 * 17 * 17];
    for (int many = 0; many < 2; ++many) {
        LyraContext *ctx = test_context(many ? 3 : 1, LYRA_ISA_AUTO);
        LyraSheetDef sheet = sheet_def(16, 16);
        LyraWorld *world = make_hung(ctx, &sheet);
        TEST_REQUIRE(world);
        swing(world, 8);
        memcpy(found[many], lyra_world_positions(world, 0, NULL), sizeof found[many]);
        lyra_world_destroy(world);
        test_context_end(ctx);
    }
    TEST_CHECK(memcmp(found[0], found[1], sizeof found[0]) == 0);
}
