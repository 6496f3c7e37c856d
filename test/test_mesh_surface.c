// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Surfaces as data: checks, triangles, normals, measures, report.

#include "lyra/surface.h"
#include "lyra_test.h"

#include <stdlib.h>
#include <string.h>

// ---- shapes -------------------------------------------------------------------------------------

static const double cube_positions[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0,
                                        0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
static const int32_t cube_corners[] = {0, 3, 2, 1, 4, 5, 6, 7, 0, 1, 5, 4,
                                       1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7};
static const int32_t cube_begin[] = {0, 4, 8, 12, 16, 20, 24};

static LyraSurfaceView cube_data(void)
{
    return (LyraSurfaceView){
        .vertex_count = 8,
        .face_count = 6,
        .corner_count = 24,
        .positions = cube_positions,
        .face_begin = cube_begin,
        .corner_vertices = cube_corners,
    };
}

static LyraSurface *make_surface(LyraContext *ctx, const LyraSurfaceView *data)
{
    LyraSurface *surface = NULL;
    TEST_OK(lyra_surface_create(ctx, data, &surface));
    return surface;
}

// faces of three corners each
static LyraSurface *make_triangles(LyraContext *ctx, int32_t vertex_count, const double *positions,
                                   int32_t face_count, const int32_t *corners)
{
    int32_t begin[64];
    for (int32_t f = 0; f <= face_count; ++f) {
        begin[f] = 3 * f;
    }
    LyraSurfaceView data = {
        .vertex_count = vertex_count,
        .face_count = face_count,
        .corner_count = 3 * face_count,
        .positions = positions,
        .face_begin = begin,
        .corner_vertices = corners,
    };
    return make_surface(ctx, &data);
}

// one polygon of n points
static LyraSurface *make_polygon(LyraContext *ctx, int32_t n, const double *positions)
{
    int32_t *corners = malloc(sizeof *corners * (size_t)n), begin[2] = {0, n};
    for (int32_t i = 0; i < n; ++i) {
        corners[i] = i;
    }
    LyraSurfaceView data = {
        .vertex_count = n,
        .face_count = 1,
        .corner_count = n,
        .positions = positions,
        .face_begin = begin,
        .corner_vertices = corners,
    };
    LyraSurface *surface = make_surface(ctx, &data);
    free(corners);
    return surface;
}

// ---- data ---------------------------------------------------------------------------------------

LYRA_TEST(surface_gives_back_what_it_got)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const char *groups[] = {"low", "the rest"};
    const int32_t face_groups[] = {0, 0, 1, 1, 1, 1}, face_materials[] = {-1, 0, 1, 1, 1, -1};
    LyraSurfaceMaterial materials[] = {lyra_surface_material_default(),
                                       lyra_surface_material_default()};
    materials[0].name = "red";
    materials[0].diffuse_map = "red.png";
    materials[1].name = "green #2";
    LyraSurfaceView data = cube_data();
    data.groups = groups;
    data.group_count = 2;
    data.face_groups = face_groups;
    data.materials = materials;
    data.material_count = 2;
    data.face_materials = face_materials;
    LyraSurface *surface = make_surface(ctx, &data);
    LyraSurfaceView view = lyra_surface_view(surface);
    TEST_EQUAL(view.vertex_count, 8);
    TEST_CHECK(memcmp(view.positions, cube_positions, sizeof cube_positions) == 0);
    TEST_CHECK(memcmp(view.corner_vertices, cube_corners, sizeof cube_corners) == 0);
    TEST_CHECK(memcmp(view.face_begin, cube_begin, sizeof cube_begin) == 0);
    TEST_CHECK(memcmp(view.face_groups, face_groups, sizeof face_groups) == 0);
    TEST_CHECK(memcmp(view.face_materials, face_materials, sizeof face_materials) == 0);
    TEST_STRING(view.groups[1], "the rest");
    TEST_STRING(view.materials[0].diffuse_map, "red.png");
    TEST_STRING(view.materials[1].name, "green #2");
    TEST_CHECK(view.materials[1].diffuse_map == NULL && view.corner_normals == NULL);
    lyra_surface_destroy(surface);
    // without groups and materials
    data = cube_data();
    surface = make_surface(ctx, &data);
    view = lyra_surface_view(surface);
    TEST_EQUAL(view.group_count, 1);
    TEST_STRING(view.groups[0], "default");
    TEST_EQUAL(view.face_groups[5], 0);
    TEST_EQUAL(view.face_materials[5], -1);
    lyra_surface_destroy(surface);
    // nothing at all
    LyraSurfaceView none = {0};
    surface = make_surface(ctx, &none);
    TEST_EQUAL(lyra_surface_measure(surface, NULL).area, 0);
    LyraSurfaceReport report;
    TEST_OK(lyra_surface_report(surface, &report));
    TEST_CHECK(!report.closed && report.euler == 0);
    lyra_surface_destroy(surface);
    lyra_surface_destroy(NULL);
    test_context_end(ctx);
}

LYRA_TEST(surface_refuses_bad_data)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSurface *surface = NULL;
    LyraSurfaceView data = cube_data();
    data.vertex_count = 7;
    TEST_STATUS(lyra_surface_create(ctx, &data, &surface), LYRA_BAD_MESH);
    TEST_CONTAINS(lyra_error_message(), "vertex 7");
    data = cube_data();
    data.face_begin = (int32_t[]){0, 4, 6, 12, 16, 20, 24};
    TEST_STATUS(lyra_surface_create(ctx, &data, &surface), LYRA_BAD_MESH);
    data.face_begin = (int32_t[]){0, 4, 8, 12, 16, 20, 23};
    TEST_STATUS(lyra_surface_create(ctx, &data, &surface), LYRA_BAD_MESH);
    data.face_begin = (int32_t[]){0, INT32_MAX, INT32_MIN, 12, 16, 20, 24};
    TEST_STATUS(lyra_surface_create(ctx, &data, &surface), LYRA_BAD_MESH);
    data.face_begin = NULL;
    TEST_STATUS(lyra_surface_create(ctx, &data, &surface), LYRA_INVALID_ARGUMENT);
    data = cube_data();
    double positions[24];
    memcpy(positions, cube_positions, sizeof positions);
    positions[5] = NAN;
    data.positions = positions;
    TEST_STATUS(lyra_surface_create(ctx, &data, &surface), LYRA_NOT_FINITE);
    data = cube_data();
    int32_t ids[24] = {0};
    data.corner_normals = ids;
    TEST_STATUS(lyra_surface_create(ctx, &data, &surface), LYRA_BAD_MESH);
    data = cube_data();
    ids[3] = 1;
    data.face_groups = ids;
    TEST_STATUS(lyra_surface_create(ctx, &data, &surface), LYRA_BAD_MESH);
    data = cube_data();
    data.face_materials = ids;
    TEST_STATUS(lyra_surface_create(ctx, &data, &surface), LYRA_BAD_MESH);
    data = cube_data();
    data.face_count = -1;
    TEST_STATUS(lyra_surface_create(ctx, &data, &surface), LYRA_INVALID_ARGUMENT);
    static const char *const names[] = {"",    " a",  "a ",   "a\t", "\ta", "\va",
                                        "a\f", "\fa", "a\nb", "a\r", "a\\", NULL};
    for (int32_t i = 0; i < 12; ++i) {
        data = cube_data();
        data.group_count = 1;
        data.groups = &names[i];
        TEST_STATUS(lyra_surface_create(ctx, &data, &surface), LYRA_INVALID_ARGUMENT);
    }
    data.group_count = 2;
    data.groups = (const char *const[]){"a", "a"};
    TEST_STATUS(lyra_surface_create(ctx, &data, &surface), LYRA_BAD_MESH);
    data = cube_data();
    LyraSurfaceMaterial material = lyra_surface_material_default();
    data.materials = &material;
    data.material_count = 1;
    TEST_STATUS(lyra_surface_create(ctx, &data, &surface), LYRA_INVALID_ARGUMENT);
    material.name = "a";
    material.diffuse[1] = INFINITY;
    TEST_STATUS(lyra_surface_create(ctx, &data, &surface), LYRA_NOT_FINITE);
    material = lyra_surface_material_default();
    material.name = "a";
    material.diffuse_map = "";
    TEST_STATUS(lyra_surface_create(ctx, &data, &surface), LYRA_INVALID_ARGUMENT);
    TEST_CHECK(surface == NULL);
    test_context_end(ctx);
}

// ---- report and measures ------------------------------------------------------------------------

// folded on itself along a diagonal, a quad has no vector area, and the area of its two triangles
LYRA_TEST(a_folded_face_has_the_area_of_both_halves)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double positions[12] = {0, 0, 0, 3, 0, 0, 0, 2, 0, 3, 0, 0};
    const int32_t corners[4] = {0, 1, 2, 3}, begin[2] = {0, 4};
    const LyraSurfaceView data = {.vertex_count = 4,
                                  .positions = positions,
                                  .face_count = 1,
                                  .face_begin = begin,
                                  .corner_count = 4,
                                  .corner_vertices = corners};
    LyraSurface *surface = make_surface(ctx, &data);
    TEST_NEAR(lyra_surface_measure(surface, NULL).area, 6, 1e-14);
    lyra_surface_destroy(surface);
    test_context_end(ctx);
}

LYRA_TEST(cube_is_closed_and_measured)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSurfaceView data = cube_data();
    LyraSurface *surface = make_surface(ctx, &data), *triangles = NULL;
    LyraSurfaceReport report;
    TEST_OK(lyra_surface_report(surface, &report));
    TEST_EQUAL(report.quads, 6);
    TEST_EQUAL(report.triangles + report.polygons, 0);
    TEST_EQUAL(report.edges, 12);
    TEST_EQUAL(report.euler, 2);
    TEST_EQUAL(report.components, 1);
    TEST_EQUAL(report.boundary_edges + report.non_manifold_edges + report.inconsistent_edges, 0);
    TEST_EQUAL(report.non_manifold_vertices + report.degenerate_faces + report.unused_vertices, 0);
    TEST_CHECK(report.closed && report.manifold && report.oriented);
    TEST_OK(lyra_surface_triangulate(surface, &triangles));
    // far from the origin too
    for (double offset = 0; offset < 1e7; offset = 10 * offset + 1000) {
        double moved[24];
        for (int32_t i = 0; i < 24; ++i) {
            moved[i] = offset + 2 * cube_positions[i];
        }
        for (int32_t k = 0; k < 2; ++k) {
            LyraSurfaceMeasure measure = lyra_surface_measure(k ? triangles : surface, moved);
            TEST_NEAR(measure.area, 24, 1e-12);
            TEST_NEAR(measure.volume, 8, 1e-12);
            TEST_CHECK(measure.low[0] == offset && measure.high[2] == offset + 2);
        }
    }
    TEST_OK(lyra_surface_report(triangles, &report));
    TEST_EQUAL(report.edges, 18);
    TEST_CHECK(report.triangles == 12 && report.closed && report.oriented && report.euler == 2);
    lyra_surface_destroy(surface);
    lyra_surface_destroy(triangles);
    test_context_end(ctx);
}

LYRA_TEST(report_counts_every_flaw)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0.5, 0.5, 1, 2, 2, 2, 3, 3, 4, 9, 9, 9};
    LyraSurfaceReport report;
    // two triangles that run along their edge the same way
    LyraSurface *surface = make_triangles(ctx, 8, x, 2, (int32_t[]){0, 1, 2, 1, 2, 3});
    TEST_OK(lyra_surface_report(surface, &report));
    TEST_EQUAL(report.inconsistent_edges, 1);
    TEST_EQUAL(report.boundary_edges, 4);
    TEST_EQUAL(report.unused_vertices, 4);
    TEST_EQUAL(report.euler, 1);
    TEST_CHECK(!report.closed && report.manifold && !report.oriented);
    lyra_surface_destroy(surface);
    // three triangles around an edge
    surface = make_triangles(ctx, 8, x, 3, (int32_t[]){0, 1, 2, 1, 0, 3, 0, 1, 4});
    TEST_OK(lyra_surface_report(surface, &report));
    TEST_EQUAL(report.non_manifold_edges, 1);
    TEST_EQUAL(report.non_manifold_vertices, 0);
    TEST_CHECK(!report.manifold && !report.oriented);
    lyra_surface_destroy(surface);
    // two triangles that touch in a vertex
    surface = make_triangles(ctx, 8, x, 2, (int32_t[]){0, 1, 2, 0, 3, 4});
    TEST_OK(lyra_surface_report(surface, &report));
    TEST_EQUAL(report.non_manifold_vertices, 1);
    TEST_EQUAL(report.components, 1);
    TEST_CHECK(!report.manifold && report.oriented);
    lyra_surface_destroy(surface);
    // two parts, a face that names a vertex twice, and one without area
    surface = make_triangles(ctx, 8, x, 4, (int32_t[]){0, 1, 2, 4, 5, 6, 4, 4, 5, 0, 5, 7});
    TEST_OK(lyra_surface_report(surface, &report));
    TEST_EQUAL(report.degenerate_faces, 2);
    TEST_EQUAL(report.components, 1);
    lyra_surface_destroy(surface);
    surface = make_triangles(ctx, 8, x, 2, (int32_t[]){0, 1, 2, 4, 5, 6});
    TEST_OK(lyra_surface_report(surface, &report));
    TEST_EQUAL(report.components, 2);
    TEST_EQUAL(report.unused_vertices, 2);
    lyra_surface_destroy(surface);
    // a whole face on one vertex
    surface = make_triangles(ctx, 8, x, 1, (int32_t[]){3, 3, 3});
    TEST_OK(lyra_surface_report(surface, &report));
    TEST_CHECK(report.edges == 0 && report.degenerate_faces == 1 && report.components == 1);
    lyra_surface_destroy(surface);
    test_context_end(ctx);
}

// ---- triangles ----------------------------------------------------------------------------------

// n points around the origin with radius r(i), turned by R
static void star(int32_t n, double (*radius)(int32_t i), const double R[9], double *positions)
{
    for (int32_t i = 0; i < n; ++i) {
        double angle = 2 * acos(-1) * i / n;
        double p[2] = {radius(i) * cos(angle), radius(i) * sin(angle)};
        for (int32_t k = 0; k < 3; ++k) {
            positions[3 * i + k] = R[3 * k] * p[0] + R[3 * k + 1] * p[1];
        }
    }
}

static double one(int32_t i)
{
    (void)i;
    return 1;
}

static double spiked(int32_t i)
{
    return i % 2 ? 1 : 0.2;
}

// triangles of a plane polygon: as many as there should be, none turned over, of the same area
static void check_triangles(LyraContext *ctx, int32_t n, const double *positions)
{
    LyraSurface *polygon = make_polygon(ctx, n, positions), *triangles = NULL;
    TEST_OK(lyra_surface_triangulate(polygon, &triangles));
    LyraSurfaceView view = lyra_surface_view(triangles);
    TEST_EQUAL(view.face_count, n - 2);
    double normal[3];
    lyra_surface_face_normals(polygon, NULL, normal);
    double area = lyra_surface_measure(polygon, NULL).area, sum = 0;
    for (int32_t t = 0; t < view.face_count; ++t) {
        const int32_t *corners = view.corner_vertices + 3 * t;
        double u[3], v[3];
        for (int32_t i = 0; i < 3; ++i) {
            u[i] = positions[3 * corners[1] + i] - positions[3 * corners[0] + i];
            v[i] = positions[3 * corners[2] + i] - positions[3 * corners[0] + i];
        }
        double along = 0.5 * (normal[0] * (u[1] * v[2] - u[2] * v[1]) +
                              normal[1] * (u[2] * v[0] - u[0] * v[2]) +
                              normal[2] * (u[0] * v[1] - u[1] * v[0]));
        TEST_CHECK_MSG(along >= -1e-12 * area, "triangle %d of %d is turned over: %g", t, n, along);
        sum += along;
    }
    TEST_NEAR(sum, area, 1e-10 * area);
    // inner edges pair up, the outer ones are those of the polygon
    LyraSurfaceReport report;
    TEST_OK(lyra_surface_report(triangles, &report));
    TEST_EQUAL(report.boundary_edges, n);
    TEST_EQUAL(report.inconsistent_edges + report.non_manifold_edges, 0);
    lyra_surface_destroy(polygon);
    lyra_surface_destroy(triangles);
}

LYRA_TEST(polygons_become_triangles)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(1);
    double positions[3 * 400], R[9];
    for (int32_t n = 4; n < 40; ++n) {
        test_random_rotation(&random, R);
        star(n, one, R, positions);
        check_triangles(ctx, n, positions);
        if (n % 2 == 0) {
            star(n, spiked, R, positions);
            check_triangles(ctx, n, positions);
        }
    }
    // radii at random: simple, with bays of all kinds
    for (int32_t round = 0; round < 200; ++round) {
        int32_t n = 5 + test_random_below(&random, 60);
        for (int32_t i = 0; i < n; ++i) {
            double angle = 2 * acos(-1) * i / n, r = test_random_in(&random, 0.05, 1);
            memcpy(positions + 3 * i, (double[3]){0, r * cos(angle), r * sin(angle)},
                   3 * sizeof(double));
        }
        check_triangles(ctx, n, positions);
    }
    // concave quads, whichever corner is the concave one
    for (int32_t turn = 0; turn < 4; ++turn) {
        const double dart[4][3] = {{0, 0, 0}, {1, 1, 0}, {2, 0, 0}, {1, 3, 0}};
        for (int32_t i = 0; i < 4; ++i) {
            memcpy(positions + 3 * i, dart[(i + turn) % 4], sizeof dart[0]);
        }
        check_triangles(ctx, 4, positions);
    }
    // a comb and an L
    int32_t n = 0;
    for (int32_t i = 0; i < 100; ++i) {
        memcpy(positions + 3 * n++, (double[3]){i, i % 2 ? 5 : 0.5, 1}, 3 * sizeof(double));
    }
    memcpy(positions + 3 * n++, (double[3]){99, -1, 1}, 3 * sizeof(double));
    memcpy(positions + 3 * n++, (double[3]){0, -1, 1}, 3 * sizeof(double));
    check_triangles(ctx, n, positions);
    const double el[] = {0, 0, 0, 0, 2, 0, 0, 2, 1, 0, 1, 1, 0, 1, 3, 0, 0, 3};
    check_triangles(ctx, 6, el);
    // a spiral, out along one side and back along the other
    n = 0;
    for (int32_t i = 0; i < 100; ++i) {
        double a = 0.2 * i, r = 1 + 0.1 * i;
        memcpy(positions + 3 * n++, (double[3]){r * cos(a), r * sin(a), 0}, 3 * sizeof(double));
    }
    for (int32_t i = 99; i >= 0; --i) {
        double a = 0.2 * i, r = 0.7 + 0.1 * i;
        memcpy(positions + 3 * n++, (double[3]){r * cos(a), r * sin(a), 0}, 3 * sizeof(double));
    }
    check_triangles(ctx, n, positions);
    test_context_end(ctx);
}

LYRA_TEST(hopeless_polygons_still_give_triangles)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(8);
    for (int32_t round = 0; round < 300; ++round) {
        double positions[3 * 40];
        int32_t n = 4 + test_random_below(&random, 36);
        for (int32_t i = 0; i < 3 * n; ++i) {
            // crossing, with coinciding points, in a line, all at one place
            positions[i] = round % 4 == 0   ? test_random_in(&random, -1, 1)
                           : round % 4 == 1 ? test_random_below(&random, 3)
                           : round % 4 == 2 ? (i % 3 == 0 ? i : 0)
                                            : 1;
        }
        LyraSurface *polygon = make_polygon(ctx, n, positions), *triangles = NULL;
        TEST_OK(lyra_surface_triangulate(polygon, &triangles));
        TEST_EQUAL(lyra_surface_view(triangles).face_count, n - 2);
        lyra_surface_destroy(polygon);
        lyra_surface_destroy(triangles);
    }
    // too large a polygon that is not convex is refused, a convex one is not
    enum { MANY = 70000 };
    const double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double *positions = malloc(sizeof *positions * 3 * MANY);
    for (int32_t k = 0; k < 2; ++k) {
        star(MANY, k ? spiked : one, R, positions);
        LyraSurface *polygon = make_polygon(ctx, MANY, positions), *triangles = NULL;
        TEST_STATUS(lyra_surface_triangulate(polygon, &triangles), k ? LYRA_TOO_LARGE : LYRA_OK);
        lyra_surface_destroy(polygon);
        lyra_surface_destroy(triangles);
    }
    free(positions);
    test_context_end(ctx);
}

LYRA_TEST(triangles_keep_what_corners_and_faces_have)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSurfaceView data = cube_data();
    int32_t texcoords[24], normals[24];
    double uv[48] = {0};
    for (int32_t c = 0; c < 24; ++c) {
        texcoords[c] = 23 - c;
        normals[c] = c % 3 - 1;
    }
    data.texcoord_count = 24;
    data.texcoords = uv;
    data.corner_texcoords = texcoords;
    data.normal_count = 2;
    data.normals = (double[]){0, 0, 1, 0, 1, 0};
    data.corner_normals = normals;
    data.group_count = 2;
    data.groups = (const char *const[]){"a", "b"};
    data.face_groups = (int32_t[]){0, 1, 0, 1, 1, 0};
    LyraSurface *surface = make_surface(ctx, &data), *triangles = NULL;
    TEST_OK(lyra_surface_triangulate(surface, &triangles));
    LyraSurfaceView view = lyra_surface_view(triangles);
    for (int32_t f = 0; f < 6; ++f) {
        // triangles of face f start at face_begin[f] - 2 f
        for (int32_t t = cube_begin[f] - 2 * f; t < cube_begin[f + 1] - 2 * (f + 1); ++t) {
            TEST_EQUAL(view.face_groups[t], data.face_groups[f]);
            for (int32_t c = 3 * t; c < 3 * t + 3; ++c) {
                int32_t from = 23 - view.corner_texcoords[c];
                TEST_CHECK(from >= cube_begin[f] && from < cube_begin[f + 1]);
                TEST_EQUAL(view.corner_vertices[c], cube_corners[from]);
                TEST_EQUAL(view.corner_normals[c], normals[from]);
            }
        }
    }
    lyra_surface_destroy(surface);
    lyra_surface_destroy(triangles);
    test_context_end(ctx);
}

// ---- normals ------------------------------------------------------------------------------------

LYRA_TEST(normals_of_a_cube)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSurfaceView data = cube_data();
    LyraSurface *surface = make_surface(ctx, &data), *triangles = NULL;
    TEST_OK(lyra_surface_triangulate(surface, &triangles));
    double normals[3 * 12];
    lyra_surface_face_normals(surface, NULL, normals);
    const double expected[] = {0, 0, -1, 0, 0, 1, 0, -1, 0, 1, 0, 0, 0, 1, 0, -1, 0, 0};
    for (int32_t i = 0; i < 18; ++i) {
        TEST_NEAR(normals[i], expected[i], 1e-15);
    }
    // by angle, the way the faces are cut does not matter
    int64_t before = test_allocation_count();
    for (int32_t k = 0; k < 3; ++k) {
        lyra_surface_vertex_normals(k == 2 ? triangles : surface, NULL,
                                    k == 1 ? LYRA_NORMAL_WEIGHT_AREA : LYRA_NORMAL_WEIGHT_ANGLE,
                                    normals);
        for (int32_t i = 0; i < 24; ++i) {
            TEST_NEAR(normals[i], (2 * cube_positions[i] - 1) / sqrt(3), 1e-15);
        }
    }
    TEST_EQUAL(test_allocation_count(), before);
    // a cube squeezed to a tenth in z: area weights differ from angles
    double flat[24];
    for (int32_t i = 0; i < 24; ++i) {
        flat[i] = cube_positions[i] * (i % 3 == 2 ? 0.1 : 1);
    }
    lyra_surface_vertex_normals(surface, flat, LYRA_NORMAL_WEIGHT_AREA, normals);
    TEST_NEAR(normals[2], -1 / sqrt(1 + 2 * 0.01), 1e-15);
    lyra_surface_vertex_normals(surface, flat, LYRA_NORMAL_WEIGHT_ANGLE, normals);
    TEST_NEAR(normals[2], -1 / sqrt(3), 1e-15);
    // far too small and large for squares
    for (double scale = 1e-140; scale < 1e150; scale *= 1e70) {
        for (int32_t i = 0; i < 24; ++i) {
            flat[i] = scale * cube_positions[i];
        }
        lyra_surface_vertex_normals(surface, flat, LYRA_NORMAL_WEIGHT_ANGLE, normals);
        TEST_NEAR(normals[0], -1 / sqrt(3), 1e-15);
    }
    lyra_surface_destroy(surface);
    lyra_surface_destroy(triangles);
    test_context_end(ctx);
}

LYRA_TEST(creases_split_normals)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSurfaceView data = cube_data();
    LyraSurface *surface = make_surface(ctx, &data), *triangles = NULL, *split = NULL;
    TEST_OK(lyra_surface_triangulate(surface, &triangles));
    const double pi = acos(-1);
    static const struct {
        double angle;
        int32_t count;
    } cases[] = {{0, 24}, {0.5, 24}, {1.57, 24}, {1.571, 8}, {3.15, 8}, {1e9, 8}};
    for (int32_t k = 0; k < 12; ++k) {
        // diagonals of the triangles are no creases
        LyraSurface *input = k % 2 ? triangles : surface;
        TEST_OK(lyra_surface_split_normals(input, cases[k / 2].angle, LYRA_NORMAL_WEIGHT_ANGLE,
                                           &split));
        LyraSurfaceView view = lyra_surface_view(split);
        TEST_EQUAL(view.normal_count, cases[k / 2].count);
        double faces[36];
        lyra_surface_face_normals(input, NULL, faces);
        for (int32_t f = 0; f < view.face_count; ++f) {
            for (int32_t c = view.face_begin[f]; c < view.face_begin[f + 1]; ++c) {
                int32_t v = view.corner_vertices[c];
                for (int32_t i = 0; i < 3; ++i) {
                    double smooth = (2 * cube_positions[3 * v + i] - 1) / sqrt(3);
                    TEST_NEAR(view.normals[3 * view.corner_normals[c] + i],
                              cases[k / 2].count == 24 ? faces[3 * f + i] : smooth, 1e-15);
                }
            }
        }
        lyra_surface_destroy(split);
    }
    split = NULL;
    TEST_STATUS(lyra_surface_split_normals(surface, -1, LYRA_NORMAL_WEIGHT_AREA, &split),
                LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_surface_split_normals(surface, NAN, LYRA_NORMAL_WEIGHT_AREA, &split),
                LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_surface_split_normals(surface, pi, (LyraNormalWeight)7, &split),
                LYRA_INVALID_ARGUMENT);
    lyra_surface_destroy(surface);
    lyra_surface_destroy(triangles);
    test_context_end(ctx);
}

LYRA_TEST(normals_without_area_are_zero)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double x[] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
    LyraSurface *surface = make_triangles(ctx, 3, x, 2, (int32_t[]){0, 1, 2, 1, 1, 1}),
                *split = NULL;
    double normals[9];
    lyra_surface_face_normals(surface, NULL, normals);
    lyra_surface_vertex_normals(surface, NULL, LYRA_NORMAL_WEIGHT_ANGLE, normals);
    for (int32_t i = 0; i < 9; ++i) {
        TEST_CHECK(normals[i] == 0);
    }
    TEST_OK(lyra_surface_split_normals(surface, 1, LYRA_NORMAL_WEIGHT_ANGLE, &split));
    lyra_surface_destroy(surface);
    lyra_surface_destroy(split);
    test_context_end(ctx);
}

// ---- memory -------------------------------------------------------------------------------------

static LyraStatus all_operations(LyraContext *ctx, void *data)
{
    LyraSurface *surface = NULL, *triangles = NULL, *split = NULL;
    LyraSurfaceReport report;
    LyraStatus status = lyra_surface_create(ctx, data, &surface);
    if (status == LYRA_OK) {
        status = lyra_surface_triangulate(surface, &triangles);
    }
    if (status == LYRA_OK) {
        status = lyra_surface_split_normals(triangles, 1, LYRA_NORMAL_WEIGHT_ANGLE, &split);
    }
    if (status == LYRA_OK) {
        status = lyra_surface_report(split, &report);
    }
    lyra_surface_destroy(surface);
    lyra_surface_destroy(triangles);
    lyra_surface_destroy(split);
    return status;
}

LYRA_TEST(surfaces_survive_failing_allocations)
{
    LyraSurfaceView data = cube_data();
    LyraSurfaceMaterial materials[2] = {lyra_surface_material_default(),
                                        lyra_surface_material_default()};
    materials[0].name = "a";
    materials[1].name = "b";
    materials[1].diffuse_map = "b.png";
    data.materials = materials;
    data.material_count = 2;
    data.group_count = 2;
    data.groups = (const char *const[]){"a", "b"};
    test_fail_each_allocation(all_operations, &data);
}
