// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Selectors of scenes: sets of every kind, components, cavities, nearest points, and how they go
// together.

#include "force/force.h"
#include "lyra/mesh_edit.h"
#include "lyra/scene.h"
#include "mesh_sets.h"
#include "scene_yaml.h"
#include "world/world.h"

// ---- bodies -------------------------------------------------------------------------------------

/// 3 x 2 x 2 cubes with sets of every kind.
static void write_box(LyraContext *ctx, const char *path, bool shuffled)
{
    LyraMesh *mesh = sample_sets(ctx, LYRA_ELEMENT_CUBE8, 3, 2, 2), *mixed = NULL;
    TEST_OK(lyra_mesh_shuffle(mesh, 3, NULL, NULL, &mixed));
    TEST_OK(lyra_mesh_save(shuffled ? mixed : mesh, path, LYRA_MESH_FORMAT_VTU));
    lyra_mesh_destroy(mixed);
    lyra_mesh_destroy(mesh);
}

/// 3 x 3 x 3 cubes without the one in the middle, and one cube beside.
static void write_hollow(LyraContext *ctx, const char *path, bool shuffled)
{
    int32_t voxels[27][3], count = 0;
    for (int32_t i = 0; i < 27; ++i) {
        if (i != 13) {
            memcpy(voxels[count++], (const int32_t[]){i % 3, i / 3 % 3, i / 9}, sizeof voxels[0]);
        }
    }
    memcpy(voxels[count++], (const int32_t[]){10, 0, 0}, sizeof voxels[0]);
    static const double origin[3] = {0};
    LyraMesh *mesh = NULL, *mixed = NULL;
    TEST_OK(lyra_mesh_create_from_voxels(ctx, count, voxels[0], origin, 1, &mesh));
    TEST_OK(lyra_mesh_shuffle(mesh, 3, NULL, NULL, &mixed));
    TEST_OK(lyra_mesh_save(shuffled ? mixed : mesh, path, LYRA_MESH_FORMAT_VTU));
    lyra_mesh_destroy(mixed);
    lyra_mesh_destroy(mesh);
}

static LyraStatus load(LyraContext *ctx, const char *format, const char *select, LyraWorld **world)
{
    char text[1200];
    const char *path = test_temp_path("select.yaml");
    snprintf(text, sizeof text, format, select);
    test_write_file(path, text, strlen(text));
    LyraSceneDef def = lyra_scene_def_default();
    return lyra_world_load(ctx, path, &def, world, NULL);
}

#define BODY(name) "bodies:\n  - {mesh: " name ".vtu, material: {model: linear, young: 1 MPa}}\n"
#define HELD "constraints:\n  - select: %s\n"
#define PRESSED "loads:\n  - {type: pressure, pressure: 1, select: %s}\n"

/// How many are selected, and the sum of their positions, which numbering does not change.
static int32_t count_vertices(LyraContext *ctx, const char *format, const char *select,
                              double sum[3])
{
    LyraWorld *world = NULL;
    TEST_CHECK_MSG(load(ctx, format, select, &world) == LYRA_OK, "%s: %s", select,
                   lyra_error_message());
    if (!world) {
        return -1;
    }
    const double *positions = lyra_model_view(world->model).positions;
    int32_t count = world->motions[0].count;
    sum[0] = sum[1] = sum[2] = 0;
    for (int32_t i = 0; i < 3 * count; ++i) {
        sum[i % 3] += positions[3 * world->motions[0].vertices[i / 3] + i % 3];
    }
    lyra_world_destroy(world);
    return count;
}

static int32_t count_triangles(LyraContext *ctx, const char *format, const char *select,
                               double sum[3])
{
    LyraWorld *world = NULL;
    TEST_CHECK_MSG(load(ctx, format, select, &world) == LYRA_OK, "%s: %s", select,
                   lyra_error_message());
    if (!world) {
        return -1;
    }
    const double *positions = lyra_model_view(world->model).positions;
    // those that the pressure acts on
    const LyraForce *force = world->forces[0];
    int32_t count = force->stencil_count;
    TEST_EQUAL(force->type->nodes, 3);
    sum[0] = sum[1] = sum[2] = 0;
    for (int32_t i = 0; i < 9 * count; ++i) {
        sum[i % 3] += positions[3 * force->stencils[i / 3] + i % 3];
    }
    lyra_world_destroy(world);
    return count;
}

typedef struct SelectCase {
    const char *select;
    int32_t count;
} SelectCase;

/// Checks counts, with bodies as made and in random order.
static void check_cases(const char *format, int32_t case_count, const SelectCase *cases,
                        int32_t (*count)(LyraContext *, const char *, const char *, double[3]))
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t i = 0; i < case_count; ++i) {
        double sums[2][3];
        for (int shuffled = 0; shuffled < 2; ++shuffled) {
            write_box(ctx, test_temp_path("box.vtu"), shuffled);
            write_hollow(ctx, test_temp_path("hollow.vtu"), shuffled);
            int32_t found = count(ctx, format, cases[i].select, sums[shuffled]);
            TEST_CHECK_MSG(found == cases[i].count, "%s selects %d", cases[i].select, found);
        }
        for (int c = 0; c < 3; ++c) {
            // sums of small whole numbers are exact
            TEST_CHECK_MSG(sums[0][c] == sums[1][c], "%s hangs on the order", cases[i].select);
        }
    }
    test_context_end(ctx);
}

#define CHECK_CASES(format, cases, count) check_cases(format, LY_COUNT_OF(cases), cases, count)

// ---- vertices -----------------------------------------------------------------------------------

LYRA_TEST(sets_of_every_kind_select_vertices)
{
    REQUIRE_YAML();
    static const SelectCase cases[] = {
        {"{set: corner}", 1},
        {"{set: right}", 9},
        {"{set: top}", 12},
        {"{set: edge}", 12 + 9 - 3},
        {"{set: low}", 24},
        {"{set: right, invert: true}", 27},
        {"{set: top, half-space: {point: [2, 0, 0], normal: [1, 0, 0]}}", 6},
        {"{set: low, surface: true}", 24 - 2},
        {"{set: top, near: {point: [0, 0, 2], count: 1}}", 1},
        {"{set: top, near: {point: [0.2, 0.1, 0], count: 3}}", 3},
        {"{near: {point: [0, 0, 0], distance: 1}}", 4},
        {"{near: {point: [0, 0, 0], distance: 100 cm}, invert: true}", 32},
        {"{near: {point: [0.3, 0.2, 0.1], count: 36}}", 36},
        {"{near: {point: [0.3, 0.2, 0.1], count: 5}, invert: true}", 31},
        {"{surface: outer}", 34},
    };
    CHECK_CASES(BODY("box") HELD, cases, count_vertices);
}

LYRA_TEST(components_and_cavities_select_vertices)
{
    REQUIRE_YAML();
    static const SelectCase cases[] = {
        {"{component-at: [10.5, 0.5, 0.5]}", 8},
        {"{component-at: [50, 0, 0]}", 8},
        {"{component-at: [0.5, 0.5, 0.5]}", 64},
        {"{component-at: [1.5, 1.5, 1.5]}", 64},
        {"{component-at: [50, 0, 0], invert: true}", 64},
        {"{surface: true}", 72},
        {"{surface: inner}", 8},
        {"{surface: outer}", 64},
        {"{surface: inner, invert: true}", 64},
        {"{surface: outer, component-at: [1.5, 1.5, 1.5]}", 56},
        {"{surface: inner, near: {point: [0, 0, 0.1], count: 1}}", 1},
    };
    CHECK_CASES(BODY("hollow") HELD, cases, count_vertices);
}

LYRA_TEST(components_are_numbered_by_their_first_elements)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double sum[3];
    write_hollow(ctx, test_temp_path("hollow.vtu"), false);
    TEST_EQUAL(count_vertices(ctx, BODY("hollow") HELD, "{component: 0}", sum), 64);
    TEST_EQUAL(count_vertices(ctx, BODY("hollow") HELD, "{component: 1}", sum), 8);
    TEST_NEAR(sum[0], 8 * 10.5, 0);
    test_context_end(ctx);
}

LYRA_TEST(near_takes_the_nearest)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double sum[3];
    write_box(ctx, test_temp_path("box.vtu"), true);
    TEST_EQUAL(count_vertices(ctx, BODY("box") HELD,
                              "{set: top, near: {point: [1.2, 0.1, 0], count: 2}}", sum),
               2);
    // (1, 0, 2) and (2, 0, 2)
    TEST_CHECK(sum[0] == 3 && sum[1] == 0 && sum[2] == 4);
    // of two at one distance the first: positions ascend with ids before the shuffle
    write_box(ctx, test_temp_path("box.vtu"), false);
    TEST_EQUAL(count_vertices(ctx, BODY("box") HELD, "{near: {point: [0.5, 0, 0], count: 1}}", sum),
               1);
    TEST_CHECK(sum[0] == 0);
    test_context_end(ctx);
}

LYRA_TEST(names_that_are_alike_mean_what_is_selected)
{
    REQUIRE_YAML();
    // vertex 0, the face opposite, and the element, all called the same
    static const double x[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int32_t tet[4] = {0, 1, 2, 3}, zero[2] = {0, 0};
    const LyraMeshSet set = {"a", zero, 1};
    const LyraMeshVertexSet vertex_set = {"a", zero, 1};
    const LyraMeshFaceSet face_set = {"a", zero, 1};
    LyraMeshView view = {.kind = LYRA_ELEMENT_TET4,
                         .vertex_count = 4,
                         .element_count = 1,
                         .positions = x[0],
                         .elements = tet,
                         .set_count = 1,
                         .sets = &set,
                         .vertex_set_count = 1,
                         .vertex_sets = &vertex_set,
                         .face_set_count = 1,
                         .face_sets = &face_set};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int without = 0; without < 3; ++without) {
        LyraMesh *mesh = NULL;
        double sum[3];
        view.vertex_set_count = without < 1;
        view.face_set_count = without < 2;
        TEST_REQUIRE_OK(lyra_mesh_create(ctx, &view, &mesh));
        TEST_OK(lyra_mesh_save(mesh, test_temp_path("tet.vtu"), LYRA_MESH_FORMAT_VTU));
        // the vertex, those of the face, those of the element
        static const int32_t vertices[3] = {1, 3, 4}, triangles[3] = {1, 1, 4};
        TEST_EQUAL(count_vertices(ctx, BODY("tet") HELD, "{set: a}", sum), vertices[without]);
        TEST_EQUAL(count_triangles(ctx, BODY("tet") PRESSED, "{set: a}", sum), triangles[without]);
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}

// ---- faces --------------------------------------------------------------------------------------

LYRA_TEST(sets_of_every_kind_select_faces)
{
    REQUIRE_YAML();
    static const SelectCase cases[] = {
        {"{set: top}", 12},
        // faces go before vertices of that name
        {"{set: right}", 8},
        {"{set: edge}", 20},
        {"{set: low}", 32},
        {"{set: top, invert: true}", 64 - 12},
        {"{set: top, half-space: {point: [1, 0, 0], normal: [1, 0, 0]}}", 8},
        {"{set: edge, normal: {direction: [0, 0, 1]}}", 12},
        {"{set: top, surface: outer}", 12},
    };
    CHECK_CASES(BODY("box") PRESSED, cases, count_triangles);
    // nothing is left
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    write_box(ctx, test_temp_path("box.vtu"), false);
    TEST_STATUS(load(ctx, BODY("box") PRESSED,
                     "{set: top, invert: true, normal: {direction: [0, 0, 1]}}", &world),
                LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "found no faces of the surface in the selection");
    TEST_STATUS(load(ctx, BODY("box") PRESSED, "{set: corner}", &world), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "found no faces of the surface in the selection");
    test_context_end(ctx);
}

LYRA_TEST(cavities_select_faces)
{
    REQUIRE_YAML();
    static const SelectCase cases[] = {
        {"{surface: true}", 132},
        {"{surface: inner}", 12},
        {"{surface: outer}", 120},
        {"{surface: inner, invert: true}", 120},
        {"{surface: outer, component-at: [0, 0, 0]}", 108},
        {"{component-at: [10, 0, 0]}", 12},
    };
    CHECK_CASES(BODY("hollow") PRESSED, cases, count_triangles);
}

// ---- elements -----------------------------------------------------------------------------------

/// Elements of the set that a region of the scene adds.
static int32_t count_elements(LyraContext *ctx, const char *format, const char *select,
                              double sum[3])
{
    LyraWorld *world = NULL;
    TEST_CHECK_MSG(load(ctx, format, select, &world) == LYRA_OK, "%s: %s", select,
                   lyra_error_message());
    sum[0] = sum[1] = sum[2] = 0;
    if (!world) {
        return -1;
    }
    const LyraMeshSet *set = set_of_elements(world->views[0].mesh, "region1");
    LyraMeshView view = lyra_mesh_view(world->views[0].mesh);
    int32_t count = set ? set->count : -1;
    for (int32_t i = 0; i < 24 * count; ++i) {
        sum[i % 3] +=
            view.positions[3 * view.elements[8 * set->elements[i / 24] + i % 24 / 3] + i % 3];
    }
    // the other sets are still there
    TEST_EQUAL(view.vertex_set_count + view.face_set_count, strstr(format, "box.vtu") ? 5 : 0);
    lyra_world_destroy(world);
    return count;
}

LYRA_TEST(elements_are_selected_alike)
{
    REQUIRE_YAML();
    static const SelectCase box[] = {
        {"{set: low}", 6},
        {"{set: low, invert: true}", 6},
        {"{near: {point: [0, 0, 0], distance: 1}}", 1},
        {"{near: {point: [0.1, 0.2, 0], count: 3}}", 3},
        {"{set: high, near: {point: [0.1, 0.2, 0], count: 1}}", 1},
    };
    static const SelectCase hollow[] = {
        {"{component-at: [10, 0, 0]}", 1},
        {"{component-at: [10, 0, 0], invert: true}", 26},
        {"{component-at: [0, 0, 0], half-space: {point: [0, 0, 2], normal: [0, 0, 1]}}", 9},
    };
    CHECK_CASES("bodies:\n  - mesh: box.vtu\n    material: {model: linear}\n"
                "    regions: [{young: 2 MPa, select: %s}]\n",
                box, count_elements);
    CHECK_CASES("bodies:\n  - mesh: hollow.vtu\n    material: {model: linear}\n"
                "    regions: [{young: 2 MPa, select: %s}]\n",
                hollow, count_elements);
}

// ---- what is refused ----------------------------------------------------------------------------

LYRA_TEST(wrong_selectors_are_refused_with_what_is_expected)
{
    REQUIRE_YAML();
    static const struct {
        const char *format, *select, *sentence;
    } cases[] = {
        {BODY("box") HELD, "{set: lift}",
         "found \"lift\", expected one of the sets of the mesh: of elements \"low\", \"high\"; of "
         "vertices \"corner\", \"right\"; of faces \"top\", \"right\", \"edge\""},
        {"bodies:\n  - mesh: box.vtu\n    material: {model: linear}\n"
         "    regions: [{young: 1, select: {all: true}}, {young: 2, select: %s}]\n",
         "{set: top}",
         "found \"top\", expected one of the sets of the mesh: of elements \"low\", \"high\""},
        {"bodies:\n  - mesh: hollow.vtu\n    material: {model: linear}\n"
         "    regions: [{young: 2, select: %s}]\n",
         "{set: top}", "expected no set, as the mesh has none of elements"},
        {"bodies:\n  - mesh: box.vtu\n    material: {model: linear}\n"
         "    regions: [{young: 2, select: %s}]\n",
         "{surface: inner}", "found surface for elements, expected box, sphere, half-space, near"},
        {BODY("hollow") HELD, "{component: 2}",
         "found 2, expected a number from 0 to 1, as the body has 2 components"},
        {BODY("hollow") HELD, "{component: -1}",
         "expected a whole number not below 0 for component"},
        {BODY("hollow") HELD, "{component: 0, component-at: [0, 0, 0]}",
         "found component-at beside component, expected one of them"},
        {BODY("hollow") HELD, "{near: {point: [0, 0, 0]}}", "expected either distance or count"},
        {BODY("hollow") HELD, "{near: {point: [0, 0, 0], count: 2, distance: 2}}",
         "expected either distance or count"},
        {BODY("hollow") HELD, "{near: {distance: 1}}", "point"},
        {BODY("hollow") HELD, "{surface: inner, near: {point: [0, 0, 0], count: 9}}",
         "found 9, expected at most 8, as there are so many vertices"},
        {BODY("hollow") HELD, "{surface: iner}", "\"inner\" perhaps"},
        {BODY("box") HELD, "{surface: inner}", "found no vertices in the selection"},
        {BODY("hollow") HELD, "{invert: true}", "found an empty selector, expected one of: all"},
        {"bodies:\n  - {mesh: box.vtu, material: {model: linear}}\n"
         "  - {mesh: hollow.vtu, material: {model: linear}}\n" HELD,
         "{component: 0}", "found component without a body"},
        {"bodies:\n  - {mesh: box.vtu, material: {model: linear}}\n"
         "  - {mesh: hollow.vtu, material: {model: linear}}\n" HELD,
         "{near: {point: [0, 0, 0], count: 1}}", "found near without a body"},
    };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    write_box(ctx, test_temp_path("box.vtu"), false);
    write_hollow(ctx, test_temp_path("hollow.vtu"), false);
    for (int32_t i = 0; i < LY_COUNT_OF(cases); ++i) {
        LyraWorld *world = NULL;
        TEST_STATUS(load(ctx, cases[i].format, cases[i].select, &world), LYRA_BAD_FORMAT);
        TEST_CONTAINS(lyra_error_message(), cases[i].sentence);
        lyra_world_destroy(world);
    }
    test_context_end(ctx);
}

LYRA_TEST(near_by_distance_takes_all_bodies)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double sum[3];
    write_box(ctx, test_temp_path("box.vtu"), false);
    write_hollow(ctx, test_temp_path("hollow.vtu"), false);
    TEST_EQUAL(count_vertices(ctx,
                              "bodies:\n  - {mesh: box.vtu, material: {model: linear}}\n"
                              "  - {mesh: hollow.vtu, material: {model: linear}}\n" HELD,
                              "{near: {point: [0, 0, 0], distance: 1}}", sum),
               8);
    test_context_end(ctx);
}
