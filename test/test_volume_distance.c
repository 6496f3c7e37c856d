// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Distances and winding numbers against sums over all triangles and against closed forms.

#include "volume_surfaces.h"

#define POINTS 300

static void random_points(TestRandom *random, double points[POINTS][3])
{
    for (int32_t p = 0; p < POINTS; ++p) {
        for (int32_t i = 0; i < 3; ++i) {
            points[p][i] = test_random_in(random, -1.6, 1.6);
        }
    }
}

// ---- by all triangles ---------------------------------------------------------------------------

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double segment_distance2(const double a[3], const double b[3])
{
    double ab[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, length2 = dot(ab, ab);
    double t = length2 > 0 ? fmin(1, fmax(0, -dot(a, ab) / length2)) : 0;
    double x[3] = {a[0] + t * ab[0], a[1] + t * ab[1], a[2] + t * ab[2]};
    return dot(x, x);
}

static void cross(const double a[3], const double b[3], double c[3])
{
    for (int32_t i = 0; i < 3; ++i) {
        c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    }
}

// Distance to a triangle and its solid angle, from a point, by other formulas than the library's:
// the plane where the point is above the inside, else the sides; the sum of the angles of the
// spherical triangle less pi.
static void look_at(const Soup *soup, int32_t f, const double p[3], double *distance2,
                    double *angle)
{
    double x[3][3], n[3], e[2][3], unit[3][3];
    bool inside = true;
    for (int32_t a = 0; a < 3; ++a) {
        for (int32_t i = 0; i < 3; ++i) {
            x[a][i] = soup->positions[3 * soup->triangles[f][a] + i] - p[i];
        }
        double length = sqrt(dot(x[a], x[a]));
        for (int32_t i = 0; i < 3; ++i) {
            unit[a][i] = x[a][i] / length;
        }
    }
    for (int32_t i = 0; i < 3; ++i) {
        e[0][i] = x[1][i] - x[0][i];
        e[1][i] = x[2][i] - x[0][i];
    }
    cross(e[0], e[1], n);
    *distance2 = INFINITY;
    for (int32_t a = 0; a < 3; ++a) {
        double side[3], out[3];
        for (int32_t i = 0; i < 3; ++i) {
            side[i] = x[(a + 1) % 3][i] - x[a][i];
        }
        cross(side, n, out);
        inside = inside && dot(out, x[a]) >= 0;
        *distance2 = fmin(*distance2, segment_distance2(x[a], x[(a + 1) % 3]));
    }
    if (inside) {
        *distance2 = dot(n, x[0]) * dot(n, x[0]) / dot(n, n);
    }
    double sum = -3.14159265358979323846;
    for (int32_t a = 0; a < 3; ++a) {
        double u[3], v[3];
        cross(unit[a], unit[(a + 1) % 3], u);
        cross(unit[a], unit[(a + 2) % 3], v);
        double c = dot(u, v) / sqrt(dot(u, u) * dot(v, v));
        sum += acos(fmin(1, fmax(-1, c)));
    }
    *angle = dot(n, x[0]) > 0 ? sum : -sum;
}

LYRA_TEST(agree_with_all_triangles)
{
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(2, isa);
        TestRandom random = test_random(3);
        for (int32_t shape = 0; shape < SHAPE_COUNT; ++shape) {
            static double points[POINTS][3], closest[POINTS][3], distance[POINTS], winding[POINTS];
            static int32_t faces[POINTS];
            Soup soup = soup_make((Shape)shape, 0.2, 1501);
            LyraSurface *surface = soup_surface(ctx, &soup);
            LyraSurfaceTree *tree = NULL;
            TEST_REQUIRE_OK(lyra_surface_tree_create(surface, &tree));
            random_points(&random, points);
            lyra_surface_tree_closest(tree, POINTS, points[0],
                                      &(LyraClosestFaces){faces, distance, closest[0]});
            lyra_surface_tree_winding(tree, POINTS, points[0], winding);
            double error2 = 0;
            for (int32_t p = 0; p < POINTS; ++p) {
                double best2 = INFINITY, sum = 0, its2 = 0, angle, to_closest2 = 0;
                for (int32_t f = 0; f < soup.count; ++f) {
                    double d2;
                    look_at(&soup, f, points[p], &d2, &angle);
                    best2 = fmin(best2, d2);
                    sum += angle;
                    its2 = f == faces[p] ? d2 : its2;
                }
                TEST_NEAR(distance[p], sqrt(best2), 1e-13);
                TEST_NEAR(sqrt(its2), sqrt(best2), 1e-13);
                for (int32_t i = 0; i < 3; ++i) {
                    double d = closest[p][i] - points[p][i];
                    to_closest2 += d * d;
                }
                TEST_NEAR(sqrt(to_closest2), distance[p], 1e-13);
                // 1e-7 in arc cosines; the expansion promises 0.03
                TEST_NEAR(winding[p], sum / (4 * 3.14159265358979323846), 0.03);
                TEST_NEAR(winding[p], round(winding[p]), 0.03);
                error2 += pow(winding[p] - round(winding[p]), 2) / POINTS;
            }
            // all terms of the expansion are there: without the second it is five times as much
            TEST_CHECK_MSG(sqrt(error2) < 0.0025, "mean error %g", sqrt(error2));
            lyra_surface_tree_destroy(tree);
            lyra_surface_destroy(surface);
            soup_end(&soup);
        }
        test_context_end(ctx);
    }
}

// ---- closed forms -------------------------------------------------------------------------------

// A box of two triangles a side has the distance of a box, to rounding.
static LyraSurface *make_box(LyraContext *ctx)
{
    double positions[8][3];
    static const int32_t begin[] = {0, 4, 8, 12, 16, 20, 24};
    static const int32_t corners[] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4,
                                      2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
    for (int32_t v = 0; v < 8; ++v) {
        for (int32_t i = 0; i < 3; ++i) {
            positions[v][i] = (v >> i & 1 ? 1 : -1) * (1 - 0.25 * i);
        }
    }
    LyraSurfaceView data = {
        .vertex_count = 8,
        .face_count = 6,
        .corner_count = 24,
        .positions = positions[0],
        .face_begin = begin,
        .corner_vertices = corners,
    };
    LyraSurface *surface = NULL;
    TEST_OK(lyra_surface_create(ctx, &data, &surface));
    return surface;
}

static double box_distance(const double p[3])
{
    double outside2 = 0, inside = -INFINITY;
    for (int32_t i = 0; i < 3; ++i) {
        double d = fabs(p[i]) - (1 - 0.25 * i);
        outside2 += d > 0 ? d * d : 0;
        inside = fmax(inside, d);
    }
    return outside2 > 0 ? sqrt(outside2) : inside;
}

LYRA_TEST(box_has_its_distance)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSurface *surface = make_box(ctx);
    LyraSurfaceTree *tree = NULL;
    TEST_REQUIRE_OK(lyra_surface_tree_create(surface, &tree));
    static double points[POINTS][3], distance[POINTS], gradient[POINTS][3];
    TestRandom random = test_random(5);
    random_points(&random, points);
    lyra_surface_tree_signed_distance(tree, POINTS, points[0], distance, gradient[0]);
    for (int32_t p = 0; p < POINTS; ++p) {
        TEST_NEAR(distance[p], box_distance(points[p]), 1e-14);
        TEST_NEAR(sqrt(dot(gradient[p], gradient[p])), 1, 1e-12);
        // a small step along the gradient moves the distance by its length, off the medial axis
        double moved[3], after;
        for (int32_t i = 0; i < 3; ++i) {
            moved[i] = points[p][i] + 1e-7 * gradient[p][i];
        }
        lyra_surface_tree_signed_distance(tree, 1, moved, &after, NULL);
        TEST_NEAR(after - distance[p], 1e-7, 1e-12);
    }
    lyra_surface_tree_destroy(tree);
    lyra_surface_destroy(surface);
    test_context_end(ctx);
}

LYRA_TEST(strange_points_and_surfaces)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSurface *surface = make_box(ctx);
    LyraSurfaceTree *tree = NULL;
    TEST_REQUIRE_OK(lyra_surface_tree_create(surface, &tree));
    // far off, on a face, on an edge, on a corner, not finite
    const double points[][3] = {{1e40, 0, 0},   {-3e9, 2, 1}, {1, 0, 0},        {1, 0.75, 0},
                                {1, 0.75, 0.5}, {NAN, 0, 0},  {INFINITY, 0, 0}, {0, 0, -2e50}};
    enum { COUNT = sizeof points / sizeof points[0] };
    double distance[COUNT], winding[COUNT], gradient[COUNT][3];
    int32_t faces[COUNT];
    lyra_surface_tree_winding(tree, COUNT, points[0], winding);
    lyra_surface_tree_closest(tree, COUNT, points[0], &(LyraClosestFaces){.faces = faces});
    lyra_surface_tree_signed_distance(tree, COUNT, points[0], distance, gradient[0]);
    TEST_NEAR(distance[0] / 1e40, 1, 1e-12);
    TEST_NEAR(distance[1] / sqrt(9e18), 1, 1e-8);
    for (int32_t p = 0; p < 2; ++p) {
        TEST_CHECK(faces[p] >= 0);
        TEST_NEAR(winding[p], 0, 1e-6);
    }
    for (int32_t p = 2; p < 5; ++p) {
        TEST_NEAR(distance[p], 0, 1e-15);
        TEST_CHECK(winding[p] >= 0 && winding[p] <= 1);
        TEST_NEAR(dot(gradient[p], gradient[p]), 0, 0);
    }
    for (int32_t p = 5; p < COUNT; ++p) {
        TEST_CHECK(distance[p] == INFINITY);
        TEST_EQUAL(faces[p], -1);
        TEST_NEAR(winding[p], 0, 0);
    }
    lyra_surface_tree_destroy(tree);
    lyra_surface_destroy(surface);
    surface = NULL;
    TEST_OK(lyra_surface_create(ctx, &(LyraSurfaceView){.face_begin = (int32_t[]){0}}, &surface));
    tree = NULL;
    TEST_STATUS(lyra_surface_tree_create(surface, &tree), LYRA_BAD_MESH);
    TEST_CHECK(!tree);
    lyra_surface_destroy(surface);
    test_context_end(ctx);
}

// ---- fields -------------------------------------------------------------------------------------

LYRA_TEST(field_follows_the_surface)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    LyraSurface *surface = make_box(ctx);
    LyraSurfaceTree *tree = NULL;
    LyraDistanceField *field = NULL, *loaded = NULL;
    TEST_REQUIRE_OK(lyra_surface_tree_create(surface, &tree));
    LyraDistanceFieldDef def = lyra_distance_field_def_default();
    def.resolution = 20;
    TEST_REQUIRE_OK(lyra_distance_field_create(tree, &def, &field));
    LyraDistanceFieldView view = lyra_distance_field_view(field);
    TEST_NEAR(view.spacing, 0.1, 1e-15);
    TEST_EQUAL(view.dimensions[0], 25);
    TEST_EQUAL(view.dimensions[1], 20);
    // at the samples it is the distance, in between it is linear along each axis, so off by less
    // than a cell where the distance bends
    static double points[POINTS][3], distance[POINTS], gradient[POINTS][3];
    TestRandom random = test_random(6);
    random_points(&random, points);
    for (int32_t p = 0; p < POINTS / 2; ++p) {
        for (int32_t i = 0; i < 3; ++i) {
            points[p][i] = view.origin[i] + view.spacing * test_random_below(&random, 15);
        }
    }
    lyra_distance_field_sample(field, POINTS, points[0], distance, gradient[0]);
    for (int32_t p = 0; p < POINTS; ++p) {
        double high[3], low[3], up, down;
        TEST_NEAR(distance[p], box_distance(points[p]), p < POINTS / 2 ? 1e-12 : 0.45);
        TEST_CHECK(distance[p] >= box_distance(points[p]) - 0.05);
        for (int32_t i = 0; i < 3 && p >= POINTS / 2; ++i) {
            memcpy(high, points[p], sizeof high);
            memcpy(low, points[p], sizeof low);
            high[i] += 1e-7;
            low[i] -= 1e-7;
            lyra_distance_field_sample(field, 1, high, &up, NULL);
            lyra_distance_field_sample(field, 1, low, &down, NULL);
            TEST_NEAR(gradient[p][i], (up - down) / 2e-7, 2e-6);
        }
    }
    const char *path = test_temp_path("field.vtk");
    TEST_REQUIRE_OK(lyra_distance_field_save(field, path));
    TEST_REQUIRE_OK(lyra_distance_field_load(ctx, path, &loaded));
    LyraDistanceFieldView again = lyra_distance_field_view(loaded);
    TEST_CHECK(memcmp(again.dimensions, view.dimensions, sizeof view.dimensions) == 0);
    TEST_CHECK(memcmp(again.origin, view.origin, sizeof view.origin) == 0);
    TEST_CHECK(again.spacing == view.spacing);
    size_t count =
        (size_t)view.dimensions[0] * (size_t)view.dimensions[1] * (size_t)view.dimensions[2];
    TEST_CHECK(memcmp(again.values, view.values, count * sizeof *view.values) == 0);
    lyra_distance_field_destroy(loaded);
    lyra_distance_field_destroy(field);
    lyra_surface_tree_destroy(tree);
    lyra_surface_destroy(surface);
    test_context_end(ctx);
}

LYRA_TEST(bad_field_files_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraDistanceField *field = NULL;
    const double values[8] = {-1, 1, 1, 1, 1, 1, 1, 1};
    LyraDistanceFieldView data = {
        .dimensions = {2, 2, 2}, .origin = {0, 0, 0}, .spacing = 1, .values = values};
    TEST_REQUIRE_OK(lyra_distance_field_create_from_values(ctx, &data, &field));
    const char *path = test_temp_path("good.vtk"), *bad = test_temp_path("bad.vtk");
    TEST_REQUIRE_OK(lyra_distance_field_save(field, path));
    lyra_distance_field_destroy(field);
    field = NULL;
    size_t length = 0;
    char *text = test_read_file(path, &length);
    // cut anywhere; the last byte is only the end of a line
    for (size_t cut = 0; cut + 1 < length; ++cut) {
        test_write_file(bad, text, cut);
        TEST_STATUS(lyra_distance_field_load(ctx, bad, &field), LYRA_BAD_FORMAT);
        TEST_CONTAINS(lyra_error_message(), "bad.vtk");
    }
    static const char *const changes[][2] = {
        {"BINARY", "ASCII "},
        {"STRUCTURED_POINTS", "STRUCTURED_GRID  "},
        {"DIMENSIONS 2 2 2", "DIMENSIONS 2 2 9"},
        {"DIMENSIONS 2 2 2", "DIMENSIONS 1 2 2"},
        {"SPACING 1 1 1", "SPACING 1 2 1"},
        {"SPACING 1 1 1", "SPACING 0 0 0"},
        {"POINT_DATA 8", "POINT_DATA 9"},
        {"double", "floats"},
    };
    for (size_t c = 0; c < sizeof changes / sizeof changes[0]; ++c) {
        char *copy = malloc(length + 1);
        memcpy(copy, text, length + 1);
        char *at = strstr(copy, changes[c][0]);
        TEST_REQUIRE(at);
        memcpy(at, changes[c][1], strlen(changes[c][1]));
        test_write_file(bad, copy, length);
        TEST_STATUS(lyra_distance_field_load(ctx, bad, &field), LYRA_BAD_FORMAT);
        free(copy);
    }
    TEST_STATUS(lyra_distance_field_load(ctx, test_temp_path("none.vtk"), &field), LYRA_IO_FAILED);
    free(text);
    data.dimensions[1] = 1;
    TEST_STATUS(lyra_distance_field_create_from_values(ctx, &data, &field), LYRA_INVALID_ARGUMENT);
    data.dimensions[1] = 2;
    data.spacing = NAN;
    TEST_STATUS(lyra_distance_field_create_from_values(ctx, &data, &field), LYRA_INVALID_ARGUMENT);
    TEST_CHECK(!field);
    test_context_end(ctx);
}

// ---- threads and memory -------------------------------------------------------------------------

static void query_all(LyraContext *ctx, void *data, void *out)
{
    double *results = out;
    LyraSurface *surface = soup_surface(ctx, data);
    LyraSurfaceTree *tree = NULL;
    TEST_OK(lyra_surface_tree_create(surface, &tree));
    static double points[POINTS][3];
    TestRandom random = test_random(8);
    random_points(&random, points);
    lyra_surface_tree_signed_distance(tree, POINTS, points[0], results, results + POINTS);
    lyra_surface_tree_destroy(tree);
    lyra_surface_destroy(surface);
}

LYRA_TEST(same_bits)
{
    Soup soup = soup_make(SHAPE_TORUS, 0.1, 5000);
    test_same_bits(query_all, &soup, 4 * POINTS * sizeof(double));
    soup_end(&soup);
}

typedef struct Result {
    int32_t tets, cubes;
    double sum;
} Result;

static void mesh_all(LyraContext *ctx, void *data, void *out)
{
    Result *result = out;
    LyraSurface *surface = soup_surface(ctx, data);
    LyraMesh *tets = NULL, *cubes = NULL;
    LyraVolumeDef def = lyra_volume_def_default();
    def.resolution = 10;
    TEST_OK(lyra_mesh_tetrahedralize(surface, &def, NULL, &tets));
    TEST_OK(lyra_mesh_voxelize(surface, &def, NULL, &cubes));
    LyraMeshView view = lyra_mesh_view(tets);
    result->tets = view.element_count;
    result->cubes = lyra_mesh_view(cubes).element_count;
    for (int32_t i = 0; i < 3 * view.vertex_count; ++i) {
        result->sum += (1 + i % 7) * view.positions[i];
    }
    lyra_mesh_destroy(tets);
    lyra_mesh_destroy(cubes);
    lyra_surface_destroy(surface);
}

LYRA_TEST(same_mesh)
{
    Soup soup = soup_make(SHAPE_TORUS, 0.2, 2000);
    TestRandom random = test_random(1);
    cut_holes(&soup, &random);
    test_same_bits(mesh_all, &soup, sizeof(Result));
    soup_end(&soup);
}

static LyraStatus make_field(LyraContext *ctx, void *data)
{
    (void)data;
    LyraSurface *surface = NULL;
    LyraSurfaceTree *tree = NULL;
    LyraDistanceField *field = NULL;
    const double positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    LyraSurfaceView triangle = {
        .vertex_count = 3,
        .face_count = 1,
        .corner_count = 3,
        .positions = positions,
        .face_begin = (int32_t[]){0, 3},
        .corner_vertices = (int32_t[]){0, 1, 2},
    };
    LyraDistanceFieldDef def = lyra_distance_field_def_default();
    def.resolution = 3;
    LyraStatus status = lyra_surface_create(ctx, &triangle, &surface);
    if (status == LYRA_OK) {
        status = lyra_surface_tree_create(surface, &tree);
    }
    if (status == LYRA_OK) {
        status = lyra_distance_field_create(tree, &def, &field);
    }
    lyra_distance_field_destroy(field);
    lyra_surface_tree_destroy(tree);
    lyra_surface_destroy(surface);
    return status;
}

LYRA_TEST(no_memory)
{
    test_fail_each_allocation(make_field, NULL);
}
