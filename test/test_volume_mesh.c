// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Repair, cubes and lattice tets: closed forms on whole surfaces, valid bodies from broken ones.

#include "volume_bodies.h"

// ---- whole surfaces -----------------------------------------------------------------------------

LYRA_TEST(tets_converge_to_the_ball)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    Soup soup = soup_make(SHAPE_BALL, 0, 20000);
    LyraSurface *surface = soup_surface(ctx, &soup);
    double volume = lyra_surface_measure(surface, NULL).volume, before = 0;
    for (int32_t resolution = 6; resolution <= 24; resolution *= 2) {
        LyraMesh *mesh = NULL;
        LyraVolumeReport report;
        LyraVolumeDef def = lyra_volume_def_default();
        def.resolution = resolution;
        TEST_REQUIRE_OK(lyra_mesh_tetrahedralize(surface, &def, &report, &mesh));
        LyraMassProperties mass;
        TEST_OK(lyra_mesh_mass_properties(mesh, NULL, &mass));
        check_valid(mesh, true, "ball");
        TEST_CHECK(!report.layer);
        TEST_NEAR(report.cell, 2.0 / resolution, 1e-3);
        // boundary vertices are on the surface, so the error falls with the square of the cell
        double error = fabs(mass.volume - volume) / volume;
        if (before > 0) {
            TEST_CHECK_MSG(error < before / 3, "error %g after %g", error, before);
        }
        before = error;
        lyra_mesh_destroy(mesh);
    }
    TEST_CHECK_MSG(before < 0.005, "error %g", before);
    lyra_surface_destroy(surface);
    soup_end(&soup);
    test_context_end(ctx);
}

// A ball with a random radius at each vertex: all cases of cut tets, near the worst of them.
LYRA_TEST(rough_surfaces_have_good_angles)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    TestRandom random = test_random(2);
    double least = 180;
    for (int32_t k = 0; k < 4; ++k) {
        Soup soup = soup_make(SHAPE_BALL, 0, 500 + 700 * k);
        for (int32_t v = 0; v < soup.vertex_count; ++v) {
            double r = test_random_in(&random, 0.7, 1.1);
            for (int32_t i = 0; i < 3; ++i) {
                soup.positions[3 * v + i] *= r;
            }
        }
        LyraSurface *surface = soup_surface(ctx, &soup);
        LyraVolumeDef def = lyra_volume_def_default();
        LyraMesh *mesh = NULL;
        LyraMeshQuality quality;
        def.resolution = 14 + 5 * k;
        TEST_REQUIRE_OK(lyra_mesh_tetrahedralize(surface, &def, NULL, &mesh));
        check_valid(mesh, true, "rough ball");
        TEST_OK(lyra_mesh_quality(mesh, &quality));
        least = fmin(least, quality.min_dihedral * 180 / 3.141592653589793);
        lyra_mesh_destroy(mesh);
        lyra_surface_destroy(surface);
        soup_end(&soup);
    }
    // the bound is met and not by far: the surfaces are rough enough to tell
    TEST_CHECK_MSG(least > 10.7 && least < 14, "least angle %g degrees", least);
    test_context_end(ctx);
}

LYRA_TEST(boundary_lies_on_the_surface)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Soup soup = soup_make(SHAPE_TORUS, 0.1, 20000);
    LyraSurface *surface = soup_surface(ctx, &soup);
    LyraSurfaceTree *tree = NULL;
    LyraMesh *mesh = NULL;
    LyraMeshBoundary *boundary = NULL;
    LyraVolumeDef def = lyra_volume_def_default();
    TEST_REQUIRE_OK(lyra_mesh_tetrahedralize(surface, &def, NULL, &mesh));
    TEST_REQUIRE_OK(lyra_surface_tree_create(surface, &tree));
    TEST_REQUIRE_OK(lyra_mesh_boundary_create(mesh, true, &boundary));
    LyraMeshBoundaryView faces = lyra_mesh_boundary_view(boundary);
    LyraMeshView view = lyra_mesh_view(mesh);
    double worst = 0, cell = 2.9 / def.resolution;
    for (int32_t c = 0; c < 3 * faces.face_count; ++c) {
        double distance;
        lyra_surface_tree_closest(tree, 1, view.positions + 3 * (size_t)faces.faces[c],
                                  &(LyraClosestFaces){.distances = &distance});
        worst = fmax(worst, distance);
    }
    TEST_CHECK_MSG(worst < 0.1 * cell, "%g of a cell", worst / cell);
    lyra_mesh_boundary_destroy(boundary);
    lyra_surface_tree_destroy(tree);
    lyra_mesh_destroy(mesh);
    lyra_surface_destroy(surface);
    soup_end(&soup);
    test_context_end(ctx);
}

// A ball inside of a ball that faces inward: a shell. Cubes keep the cavity or fill it.
LYRA_TEST(cavities)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    Soup soup = soup_make(SHAPE_BALL, 0, 3000);
    int32_t count = soup.count, vertices = soup.vertex_count;
    add_copy(&soup, 0);
    for (int32_t i = 3 * vertices; i < 6 * vertices; ++i) {
        soup.positions[i] *= 0.5;
    }
    for (int32_t f = count; f < 2 * count; ++f) {
        turn_face(soup.triangles[f]);
    }
    LyraSurface *surface = soup_surface(ctx, &soup);
    LyraVolumeDef def = lyra_volume_def_default();
    def.cover = false;
    def.resolution = 20;
    double volumes[3];
    for (int32_t k = 0; k < 3; ++k) {
        LyraMesh *mesh = NULL;
        LyraMassProperties mass;
        def.fill_cavities = k == 1;
        TEST_REQUIRE_OK(k == 2 ? lyra_mesh_tetrahedralize(surface, &def, NULL, &mesh)
                               : lyra_mesh_voxelize(surface, &def, NULL, &mesh));
        TEST_OK(lyra_mesh_mass_properties(mesh, NULL, &mass));
        volumes[k] = mass.volume;
        lyra_mesh_destroy(mesh);
    }
    double ball = 4 * 3.141592653589793 / 3;
    TEST_NEAR(volumes[0], 0.875 * ball, 0.03 * ball);
    TEST_NEAR(volumes[1], ball, 0.03 * ball);
    TEST_NEAR(volumes[2], 0.875 * ball, 0.03 * ball);
    lyra_surface_destroy(surface);
    soup_end(&soup);
    test_context_end(ctx);
}

// Cubes of a box that they fit into, to the last one.
LYRA_TEST(cubes_of_a_box)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraMesh *box = NULL, *mesh = NULL;
    shape.size[0] = 2;
    shape.size[2] = 0.5;
    shape.center[0] = 0.3;
    TEST_REQUIRE_OK(lyra_mesh_generate(ctx, &shape, &box));
    LyraSurface *surface = boundary_surface(ctx, box);
    for (int32_t cover = 0; cover < 2; ++cover) {
        LyraVolumeDef def = lyra_volume_def_default();
        def.resolution = 8;
        def.cover = cover;
        TEST_REQUIRE_OK(lyra_mesh_voxelize(surface, &def, NULL, &mesh));
        TEST_EQUAL(lyra_mesh_view(mesh).element_count, 8 * 4 * 2);
        check_valid(mesh, false, "box");
        lyra_mesh_destroy(mesh);
    }
    lyra_surface_destroy(surface);
    lyra_mesh_destroy(box);
    test_context_end(ctx);
}

// ---- repair -------------------------------------------------------------------------------------

LYRA_TEST(repair_counts_what_it_mends)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Soup soup = soup_make(SHAPE_BALL, 0.1, 1000);
    int32_t count = soup.count, vertices = soup.vertex_count;
    LyraSurface *surface = soup_surface(ctx, &soup), *repaired = NULL;
    LyraSurfaceRepair repair;
    double volume = lyra_surface_measure(surface, NULL).volume;
    TEST_REQUIRE_OK(lyra_surface_repair(surface, &repair, &repaired));
    TEST_EQUAL(repair.merged_vertices + repair.degenerate_faces + repair.duplicate_faces +
                   repair.flipped_faces + repair.boundary_edges,
               0);
    TEST_EQUAL(repair.patches, 1);
    lyra_surface_destroy(repaired);
    lyra_surface_destroy(surface);
    // closed: the first face follows the others, and a ball inside out stays so
    for (int32_t all = 0; all < 2; ++all) {
        for (int32_t f = 0; f < (all ? count : 1); ++f) {
            turn_face(soup.triangles[f]);
        }
        surface = soup_surface(ctx, &soup);
        TEST_REQUIRE_OK(lyra_surface_repair(surface, &repair, &repaired));
        TEST_EQUAL(repair.flipped_faces, 1);
        TEST_NEAR(lyra_surface_measure(repaired, NULL).volume, all ? -volume : volume,
                  1e-12 * volume);
        lyra_surface_destroy(repaired);
        lyra_surface_destroy(surface);
    }
    for (int32_t f = 1; f < count; ++f) {
        turn_face(soup.triangles[f]);
    }
    // now one of each: 5 turned, the first among them, 2 twice, 1 without area, all torn, 1 missing
    for (int32_t f = 0; f < 5; ++f) {
        turn_face(soup.triangles[20 * f]);
    }
    memcpy(soup.triangles[soup.count++], soup.triangles[7], sizeof soup.triangles[7]);
    memcpy(soup.triangles[soup.count++], soup.triangles[30], sizeof soup.triangles[7]);
    memcpy(soup.triangles[soup.count], soup.triangles[40], sizeof soup.triangles[7]);
    soup.triangles[soup.count][1] = soup.triangles[soup.count][0];
    ++soup.count;
    memcpy(soup.triangles[200], soup.triangles[7], sizeof soup.triangles[7]);
    tear(&soup);
    surface = soup_surface(ctx, &soup);
    TEST_REQUIRE_OK(lyra_surface_repair(surface, &repair, &repaired));
    TEST_EQUAL(repair.merged_vertices, 3 * soup.count - vertices);
    TEST_EQUAL(repair.degenerate_faces, 1);
    TEST_EQUAL(repair.duplicate_faces, 3);
    TEST_EQUAL(repair.flipped_faces, 5);
    TEST_EQUAL(repair.boundary_edges, 3);
    TEST_EQUAL(repair.patches, 1);
    TEST_EQUAL(lyra_surface_view(repaired).face_count, count - 1);
    TEST_NEAR(lyra_surface_measure(repaired, NULL).volume, volume, 0.01 * volume);
    lyra_surface_destroy(repaired);
    lyra_surface_destroy(surface);
    soup_end(&soup);
    test_context_end(ctx);
}

// adds a box of 12 triangles, `turn` inward, without the last `missing` of them
static void add_box(Soup *soup, const double size[3], bool turn, int32_t missing)
{
    static const int32_t corners[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6},
                                           {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3},
                                           {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    for (int32_t t = 0; t < 12 - missing; ++t) {
        for (int32_t a = 0; a < 3; ++a) {
            soup->triangles[soup->count][a] = soup->vertex_count + corners[t][a];
        }
        if (turn) {
            turn_face(soup->triangles[soup->count]);
        }
        ++soup->count;
    }
    for (int32_t v = 0; v < 8; ++v) {
        double *x = soup->positions + 3 * (soup->vertex_count + v);
        for (int32_t i = 0; i < 3; ++i) {
            x[i] = 7 + (v >> i & 1 ? 0.5 : -0.5) * size[i];
        }
    }
    soup->vertex_count += 8;
}

LYRA_TEST(shells_that_agree_stay_as_they_face)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double outer[3] = {100, 20, 20}, inner[3] = {80, 10, 10};
    // a missing triangle, a missing face; beside the outer box, which is whole or open as well
    for (int32_t k = 0; k < 6; ++k) {
        int32_t missing = k % 3;
        bool open = k >= 3;
        double positions[3 * 16];
        int32_t triangles[24][3];
        Soup soup = {.positions = positions, .triangles = triangles};
        add_box(&soup, outer, false, open);
        add_box(&soup, inner, true, missing);
        // one face of each that does not agree
        turn_face(soup.triangles[2]);
        turn_face(soup.triangles[13]);
        LyraSurface *surface = soup_surface(ctx, &soup), *repaired = NULL;
        LyraSurfaceRepair repair;
        TEST_REQUIRE_OK(lyra_surface_repair(surface, &repair, &repaired));
        TEST_EQUAL(repair.flipped_faces, 2);
        TEST_EQUAL(repair.patches, 2);
        // Holes are closed by fans to the middle of the faces, which is off that of the boxes;
        // cells of 2 m are coarse for the cavity. Filled, it would be off by a quarter.
        double volume = 40000 - 8000;
        TEST_NEAR(repair.volume_after, volume, missing || open ? 0.12 * volume : 1e-9 * volume);
        TEST_CHECK(fabs(repair.volume_before - repair.volume_after) > 100);
        LyraVolumeDef def = lyra_volume_def_default();
        def.resolution = 50;
        def.cover = false;
        LyraMesh *mesh = NULL;
        TEST_REQUIRE_OK(lyra_mesh_voxelize(surface, &def, NULL, &mesh));
        LyraMassProperties mass;
        TEST_REQUIRE_OK(lyra_mesh_mass_properties(mesh, NULL, &mass));
        TEST_NEAR(mass.volume, volume, 0.12 * volume);
        lyra_mesh_destroy(mesh);
        lyra_surface_destroy(repaired);
        lyra_surface_destroy(surface);
    }
    test_context_end(ctx);
}

// ---- broken surfaces ----------------------------------------------------------------------------

LYRA_TEST(broken_surfaces_become_bodies)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    for (uint64_t seed = 0; seed < DEFECT_COUNT; ++seed) {
        check_broken(ctx, seed, 600, 6);
    }
    test_context_end(ctx);
}

// Surfaces without an inside become layers of tets around them, or the cubes they touch.
LYRA_TEST(sheets_become_layers)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double positions[] = {0, 0, 0, 2, 0.1, 0, 1, 1, 0.3};
    LyraSurfaceView triangle = {
        .vertex_count = 3,
        .face_count = 1,
        .corner_count = 3,
        .positions = positions,
        .face_begin = (int32_t[]){0, 3},
        .corner_vertices = (int32_t[]){0, 1, 2},
    };
    LyraSurface *surface = NULL;
    TEST_REQUIRE_OK(lyra_surface_create(ctx, &triangle, &surface));
    LyraVolumeDef def = lyra_volume_def_default();
    for (int32_t resolution = 1; resolution < 12; resolution += 5) {
        LyraMesh *tets = NULL, *cubes = NULL;
        LyraVolumeReport report;
        def.resolution = resolution;
        def.cover = true;
        TEST_REQUIRE_OK(lyra_mesh_tetrahedralize(surface, &def, &report, &tets));
        TEST_CHECK(report.layer);
        check_valid(tets, true, "sheet");
        TEST_REQUIRE_OK(lyra_mesh_voxelize(surface, &def, NULL, &cubes));
        check_valid(cubes, false, "sheet");
        lyra_mesh_destroy(tets);
        lyra_mesh_destroy(cubes);
        cubes = NULL;
        def.cover = false;
        TEST_STATUS(lyra_mesh_voxelize(surface, &def, NULL, &cubes), LYRA_BAD_MESH);
        TEST_CHECK(!cubes);
    }
    lyra_surface_destroy(surface);
    test_context_end(ctx);
}

LYRA_TEST(bad_settings_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Soup soup = soup_make(SHAPE_BALL, 0, 100);
    LyraSurface *surface = soup_surface(ctx, &soup);
    LyraMesh *mesh = NULL;
    LyraVolumeDef def = {0};
    TEST_STATUS(lyra_mesh_voxelize(surface, &def, NULL, &mesh), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_mesh_tetrahedralize(surface, &def, NULL, &mesh), LYRA_INVALID_ARGUMENT);
    def = lyra_volume_def_default();
    def.resolution = 0;
    TEST_STATUS(lyra_mesh_voxelize(surface, &def, NULL, &mesh), LYRA_INVALID_ARGUMENT);
    def.resolution = 100000;
    TEST_STATUS(lyra_mesh_voxelize(surface, &def, NULL, &mesh), LYRA_TOO_LARGE);
    TEST_STATUS(lyra_mesh_tetrahedralize(surface, &def, NULL, &mesh), LYRA_TOO_LARGE);
    // far from the origin the cells have no size left
    for (int32_t i = 0; i < 3 * soup.vertex_count; ++i) {
        soup.positions[i] += 1e13;
    }
    lyra_surface_destroy(surface);
    surface = soup_surface(ctx, &soup);
    def.resolution = 10;
    TEST_STATUS(lyra_mesh_voxelize(surface, &def, NULL, &mesh), LYRA_BAD_MESH);
    lyra_surface_destroy(surface);
    // a line has no area
    for (int32_t v = 0; v < soup.vertex_count; ++v) {
        soup.positions[3 * v + 1] = soup.positions[3 * v + 2] = 0;
    }
    surface = soup_surface(ctx, &soup);
    TEST_STATUS(lyra_mesh_tetrahedralize(surface, &def, NULL, &mesh), LYRA_BAD_MESH);
    TEST_CHECK(!mesh);
    lyra_surface_destroy(surface);
    soup_end(&soup);
    test_context_end(ctx);
}

// ---- memory -------------------------------------------------------------------------------------

static LyraStatus make_both(LyraContext *ctx, void *data)
{
    LyraSurface *surface = NULL;
    LyraMesh *tets = NULL, *cubes = NULL;
    LyraVolumeDef def = lyra_volume_def_default();
    def.resolution = 3;
    def.fill_cavities = true;
    LyraStatus status = soup_create(ctx, data, &surface);
    if (status == LYRA_OK) {
        status = lyra_mesh_tetrahedralize(surface, &def, NULL, &tets);
    }
    if (status == LYRA_OK) {
        status = lyra_mesh_voxelize(surface, &def, NULL, &cubes);
    }
    lyra_mesh_destroy(tets);
    lyra_mesh_destroy(cubes);
    lyra_surface_destroy(surface);
    return status;
}

LYRA_TEST(no_memory)
{
    Soup soup = soup_make(SHAPE_BALL, 0, 60);
    test_fail_each_allocation(make_both, &soup);
    soup_end(&soup);
}
