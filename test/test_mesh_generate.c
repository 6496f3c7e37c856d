// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Generated meshes: positive, conforming, of the right shape, volume and number of elements.

#include "lyra/lyra.h"
#include "lyra_test.h"

#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

static LyraMesh *generate(LyraContext *ctx, LyraMeshShape shape, LyraElementKind kind, int64_t n)
{
    LyraMeshShapeDef def = lyra_mesh_shape_def_default();
    def.shape = shape;
    def.kind = kind;
    def.elements = n;
    LyraMesh *mesh = NULL;
    TEST_OK(lyra_mesh_generate(ctx, &def, &mesh));
    return mesh;
}

// V - E + F of the boundary, 2 for a sphere and 0 for a torus.
static int32_t boundary_euler(const LyraMesh *mesh)
{
    LyraMeshBoundary *boundary = NULL;
    TEST_OK(lyra_mesh_boundary_create(mesh, false, &boundary));
    LyraMeshBoundaryView faces = lyra_mesh_boundary_view(boundary);
    LyraMeshView view = lyra_mesh_view(mesh);
    char *used = calloc((size_t)view.vertex_count + 1, 1);
    int32_t vertices = 0;
    for (int32_t i = 0; i < faces.nodes * faces.face_count; ++i) {
        vertices += !used[faces.faces[i]];
        used[faces.faces[i]] = 1;
    }
    free(used);
    // on a closed manifold every edge has two faces
    int32_t edges = faces.face_count * faces.nodes / 2;
    int32_t euler = vertices - edges + faces.face_count;
    lyra_mesh_boundary_destroy(boundary);
    return euler;
}

// Volume inside the boundary, by the divergence theorem: outward faces enclose what elements fill.
static double enclosed_volume(const LyraMesh *mesh)
{
    LyraMeshBoundary *boundary = NULL;
    TEST_OK(lyra_mesh_boundary_create(mesh, true, &boundary));
    LyraMeshBoundaryView faces = lyra_mesh_boundary_view(boundary);
    LyraMeshView view = lyra_mesh_view(mesh);
    double volume = 0;
    for (int32_t f = 0; f < faces.face_count; ++f) {
        const double *a = view.positions + 3 * faces.faces[3 * f];
        const double *b = view.positions + 3 * faces.faces[3 * f + 1];
        const double *c = view.positions + 3 * faces.faces[3 * f + 2];
        volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                   a[2] * (b[0] * c[1] - b[1] * c[0])) /
                  6;
    }
    lyra_mesh_boundary_destroy(boundary);
    return volume;
}

// Distance of a point from the surface of a shape of default size.
static double off_surface(LyraMeshShape shape, const double *x)
{
    double from_axis = hypot(x[0], x[1]);
    switch (shape) {
    case LYRA_MESH_SHAPE_SPHERE:
        return fabs(hypot(from_axis, x[2]) - 1);
    case LYRA_MESH_SHAPE_CYLINDER:
        return fmin(fabs(from_axis - 1), fabs(fabs(x[2]) - 1));
    case LYRA_MESH_SHAPE_TORUS:
        return fabs(hypot(from_axis - 1, x[2]) - 0.4);
    default:
        return fmin(fabs(fabs(x[0]) - 0.5), fmin(fabs(fabs(x[1]) - 0.5), fabs(fabs(x[2]) - 0.5)));
    }
}

static void check_tets(const LyraMesh *mesh, LyraMeshShape shape)
{
    LyraMeshQuality quality;
    TEST_REQUIRE_OK(lyra_mesh_quality(mesh, &quality));
    TEST_EQUAL(quality.inverted, 0);
    TEST_EQUAL(quality.degenerate, 0);
    TEST_EQUAL(quality.orphans, 0);
    TEST_EQUAL(quality.duplicates, 0);
    TEST_EQUAL(quality.non_manifold_faces, 0);
    TEST_EQUAL(boundary_euler(mesh), shape == LYRA_MESH_SHAPE_TORUS ? 0 : 2);
    int32_t components = 0;
    TEST_OK(lyra_mesh_components(mesh, LYRA_MESH_CONNECTION_FACE, &components, NULL));
    TEST_EQUAL(components, 1);

    LyraMassProperties properties;
    TEST_REQUIRE_OK(lyra_mesh_mass_properties(mesh, NULL, &properties));
    TEST_NEAR(enclosed_volume(mesh), properties.volume, 1e-12 * properties.volume);

    // boundary faces lie on the shape with all their vertices, so an interior face left unmatched
    // would be seen
    LyraMeshBoundary *boundary = NULL;
    TEST_REQUIRE_OK(lyra_mesh_boundary_create(mesh, false, &boundary));
    LyraMeshBoundaryView faces = lyra_mesh_boundary_view(boundary);
    LyraMeshView view = lyra_mesh_view(mesh);
    double worst = 0;
    for (int32_t i = 0; i < 3 * faces.face_count; ++i) {
        worst = fmax(worst, off_surface(shape, view.positions + 3 * faces.faces[i]));
    }
    TEST_NEAR(worst, 0, 1e-14);
    lyra_mesh_boundary_destroy(boundary);
}

LYRA_TEST(tets_are_positive_conforming_and_on_the_shape)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    for (int shape = 0; shape < LYRA_MESH_SHAPE_COUNT; ++shape) {
        for (int64_t n = 1; n < 60000; n = n * 3 / 2 + 1) {
            LyraMesh *mesh = generate(ctx, (LyraMeshShape)shape, LYRA_ELEMENT_TET4, n);
            TEST_REQUIRE(mesh != NULL);
            check_tets(mesh, (LyraMeshShape)shape);
            int32_t count = lyra_mesh_view(mesh).element_count;
            if (n >= 1000) {
                TEST_CHECK_MSG(fabs(log((double)count / (double)n)) < 0.2,
                               "%s: %d elements where %lld were wanted",
                               lyra_mesh_shape_name((LyraMeshShape)shape), count, (long long)n);
            }
            lyra_mesh_destroy(mesh);
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(volume_converges_to_the_shape)
{
    // the boundary is inscribed, so the error falls with the square of the edge: n^(-2/3)
    static const double exact[] = {1, 4.0 / 3 * PI, 2 * PI, 2 * PI * PI * 0.16};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int shape = 1; shape < LYRA_MESH_SHAPE_COUNT; ++shape) {
        double error[2];
        for (int32_t i = 0; i < 2; ++i) {
            LyraMesh *mesh =
                generate(ctx, (LyraMeshShape)shape, LYRA_ELEMENT_TET4, i == 0 ? 5000 : 320000);
            LyraMassProperties properties;
            TEST_REQUIRE_OK(lyra_mesh_mass_properties(mesh, NULL, &properties));
            error[i] = 1 - properties.volume / exact[shape];
            lyra_mesh_destroy(mesh);
        }
        TEST_CHECK(error[0] > 0 && error[0] < 0.1);
        // 64 times the elements: 16 times the accuracy, a little less as the grids differ
        TEST_CHECK_MSG(error[0] / error[1] > 10 && error[0] / error[1] < 25,
                       "shape %d: errors %g and %g", shape, error[0], error[1]);
    }
    test_context_end(ctx);
}

LYRA_TEST(tets_are_well_shaped)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int shape = 0; shape < LYRA_MESH_SHAPE_COUNT; ++shape) {
        LyraMesh *mesh = generate(ctx, (LyraMeshShape)shape, LYRA_ELEMENT_TET4, 30000);
        LyraMeshQuality quality;
        TEST_REQUIRE_OK(lyra_mesh_quality(mesh, &quality));
        TEST_CHECK(quality.min_dihedral > 18 * PI / 180);
        TEST_CHECK(quality.max_dihedral < 135 * PI / 180);
        TEST_CHECK(quality.max_aspect < 3.2);
        TEST_CHECK(quality.mean_aspect < 2);
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}

LYRA_TEST(box_has_the_cells_asked_for)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMeshShapeDef def = lyra_mesh_shape_def_default();
    def.cells[0] = 4;
    def.cells[1] = 3;
    def.cells[2] = 2;
    def.size[0] = 2;
    def.size[1] = 3;
    def.size[2] = 5;
    def.center[0] = 1;
    def.center[1] = -1;
    def.center[2] = 7;
    for (int pattern = 0; pattern < LYRA_TET_PATTERN_COUNT; ++pattern) {
        def.pattern = (LyraTetPattern)pattern;
        LyraMesh *mesh = NULL;
        TEST_REQUIRE_OK(lyra_mesh_generate(ctx, &def, &mesh));
        LyraMeshView view = lyra_mesh_view(mesh);
        TEST_EQUAL(view.element_count, 24 * (pattern == 0 ? 6 : 5));
        TEST_EQUAL(view.vertex_count, 5 * 4 * 3);
        LyraMassProperties properties;
        TEST_REQUIRE_OK(lyra_mesh_mass_properties(mesh, NULL, &properties));
        TEST_NEAR(properties.volume, 30, 1e-13);
        TEST_CHECK(properties.min_element_volume > 0);
        TEST_NEAR(properties.box[0][1], -2.5, 0);
        TEST_NEAR(properties.box[1][2], 9.5, 0);
        LyraMeshQuality quality;
        TEST_REQUIRE_OK(lyra_mesh_quality(mesh, &quality));
        TEST_EQUAL(quality.boundary_faces, 2 * 2 * (4 * 3 + 3 * 2 + 4 * 2));
        TEST_EQUAL(boundary_euler(mesh), 2);
        lyra_mesh_destroy(mesh);
    }
    // cubes: the cells must be cubes
    LyraMesh *mesh = NULL;
    def.kind = LYRA_ELEMENT_CUBE8;
    TEST_STATUS(lyra_mesh_generate(ctx, &def, &mesh), LYRA_INVALID_ARGUMENT);
    def.size[0] = 0.4;
    def.size[1] = 0.3;
    def.size[2] = 0.2;
    TEST_REQUIRE_OK(lyra_mesh_generate(ctx, &def, &mesh));
    LyraMeshQuality quality;
    TEST_REQUIRE_OK(lyra_mesh_quality(mesh, &quality));
    TEST_EQUAL(lyra_mesh_view(mesh).element_count, 24);
    TEST_EQUAL(quality.not_cubes, 0);
    TEST_EQUAL(quality.inverted, 0);
    TEST_EQUAL(quality.boundary_faces, 2 * (4 * 3 + 3 * 2 + 4 * 2));
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(five_tets_per_cell_have_a_regular_one)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMeshShapeDef def = lyra_mesh_shape_def_default();
    def.pattern = LYRA_TET_PATTERN_FIVE;
    def.elements = 5000;
    LyraMesh *mesh = NULL;
    TEST_REQUIRE_OK(lyra_mesh_generate(ctx, &def, &mesh));
    check_tets(mesh, LYRA_MESH_SHAPE_BOX);
    LyraMeshQuality quality;
    TEST_REQUIRE_OK(lyra_mesh_quality(mesh, &quality));
    TEST_NEAR(quality.min_aspect, 1, 1e-12);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(cubes_fill_the_shape)
{
    static const double exact[] = {1, 4.0 / 3 * PI, 2 * PI, 2 * PI * PI * 0.16};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int shape = 0; shape < LYRA_MESH_SHAPE_COUNT; ++shape) {
        for (int64_t n = 1; n < 40000; n *= 7) {
            LyraMesh *mesh = generate(ctx, (LyraMeshShape)shape, LYRA_ELEMENT_CUBE8, n);
            TEST_REQUIRE(mesh != NULL);
            LyraMeshQuality quality;
            LyraMassProperties properties;
            TEST_REQUIRE_OK(lyra_mesh_quality(mesh, &quality));
            TEST_REQUIRE_OK(lyra_mesh_mass_properties(mesh, NULL, &properties));
            int32_t count = lyra_mesh_view(mesh).element_count;
            TEST_EQUAL(quality.not_cubes + quality.inverted + quality.duplicates + quality.orphans,
                       0);
            TEST_NEAR(properties.min_element_volume, properties.max_element_volume,
                      1e-11 * properties.max_element_volume);
            TEST_CHECK(count > 0);
            if (n > 300) {
                TEST_NEAR(properties.volume, exact[shape], 0.1 * exact[shape]);
                TEST_NEAR(log((double)count / (double)n), 0, 0.05);
            }
            lyra_mesh_destroy(mesh);
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(shuffled_mesh_is_the_same_body)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMeshShapeDef def = lyra_mesh_shape_def_default();
    def.shape = LYRA_MESH_SHAPE_TORUS;
    def.elements = 3000;
    LyraMeshMaterial rubber = lyra_mesh_material_default();
    rubber.name = "rubber";
    rubber.density = 1100;
    def.material = &rubber;
    LyraMesh *plain = NULL, *shuffled = NULL, *again = NULL;
    TEST_REQUIRE_OK(lyra_mesh_generate(ctx, &def, &plain));
    def.shuffle = true;
    TEST_REQUIRE_OK(lyra_mesh_generate(ctx, &def, &shuffled));
    TEST_REQUIRE_OK(lyra_mesh_generate(ctx, &def, &again));
    check_tets(shuffled, LYRA_MESH_SHAPE_TORUS);
    LyraMeshView a = lyra_mesh_view(plain), b = lyra_mesh_view(shuffled), c = lyra_mesh_view(again);
    TEST_STRING(b.materials[0].name, "rubber");
    TEST_CHECK(memcmp(b.elements, c.elements, 16 * (size_t)b.element_count) == 0);
    TEST_CHECK(memcmp(a.elements, b.elements, 16 * (size_t)b.element_count) != 0);
    // far from the old order: hardly any vertex stays where it was
    int32_t same = 0;
    for (int32_t v = 0; v < a.vertex_count; ++v) {
        same += memcmp(a.positions + 3 * v, b.positions + 3 * v, 24) == 0;
    }
    TEST_CHECK(same < 10);
    LyraMassProperties p, q;
    TEST_REQUIRE_OK(lyra_mesh_mass_properties(plain, NULL, &p));
    TEST_REQUIRE_OK(lyra_mesh_mass_properties(shuffled, NULL, &q));
    TEST_NEAR(p.mass, q.mass, 1e-12 * p.mass);
    TEST_NEAR(p.mass, 1100 * p.volume, 1e-12 * p.mass);
    lyra_mesh_destroy(plain);
    lyra_mesh_destroy(shuffled);
    lyra_mesh_destroy(again);
    test_context_end(ctx);
}

LYRA_TEST(bad_shapes_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = NULL;
    LyraMeshShapeDef good = lyra_mesh_shape_def_default(), def = {0};
    TEST_STATUS(lyra_mesh_generate(ctx, &def, &mesh), LYRA_INVALID_ARGUMENT);
    def = good;
    def.elements = 0;
    TEST_STATUS(lyra_mesh_generate(ctx, &def, &mesh), LYRA_INVALID_ARGUMENT);
    def = good;
    def.elements = INT64_MAX;
    TEST_STATUS(lyra_mesh_generate(ctx, &def, &mesh), LYRA_TOO_LARGE);
    def = good;
    def.cells[1] = 3;
    TEST_STATUS(lyra_mesh_generate(ctx, &def, &mesh), LYRA_INVALID_ARGUMENT);
    def = good;
    def.cells[0] = def.cells[1] = def.cells[2] = INT32_MAX;
    TEST_STATUS(lyra_mesh_generate(ctx, &def, &mesh), LYRA_TOO_LARGE);
    def.cells[0] = def.cells[1] = def.cells[2] = 1300;
    TEST_STATUS(lyra_mesh_generate(ctx, &def, &mesh), LYRA_TOO_LARGE);
    def = good;
    def.size[2] = 0;
    TEST_STATUS(lyra_mesh_generate(ctx, &def, &mesh), LYRA_INVALID_ARGUMENT);
    def = good;
    def.center[2] = NAN;
    TEST_STATUS(lyra_mesh_generate(ctx, &def, &mesh), LYRA_INVALID_ARGUMENT);
    def = good;
    def.shape = LYRA_MESH_SHAPE_SPHERE;
    def.radius = NAN;
    TEST_STATUS(lyra_mesh_generate(ctx, &def, &mesh), LYRA_INVALID_ARGUMENT);
    def = good;
    def.shape = LYRA_MESH_SHAPE_CYLINDER;
    def.height = -1;
    TEST_STATUS(lyra_mesh_generate(ctx, &def, &mesh), LYRA_INVALID_ARGUMENT);
    def = good;
    def.shape = LYRA_MESH_SHAPE_TORUS;
    def.tube_radius = 1;
    TEST_STATUS(lyra_mesh_generate(ctx, &def, &mesh), LYRA_INVALID_ARGUMENT);
    def.shape = (LyraMeshShape)17;
    TEST_STATUS(lyra_mesh_generate(ctx, &def, &mesh), LYRA_INVALID_ARGUMENT);
    TEST_CHECK(mesh == NULL);
    test_context_end(ctx);
}

LYRA_TEST(extreme_sizes_give_a_mesh_or_a_status)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const double lengths[] = {1e-300, 1e-9, 1, 1e9, 1e300};
    for (int32_t i = 0; i < 5 * 5 * 8; ++i) {
        LyraMeshShapeDef def = lyra_mesh_shape_def_default();
        def.shape = (LyraMeshShape)(i % 4);
        def.kind = (LyraElementKind)(i / 4 % 2);
        def.elements = 50;
        def.radius = lengths[i / 8 % 5];
        def.height = def.size[0] = lengths[i / 40];
        def.tube_radius = 0.5 * fmin(def.radius, lengths[i / 40]);
        def.size[1] = def.radius;
        LyraMesh *mesh = NULL;
        LyraStatus status = lyra_mesh_generate(ctx, &def, &mesh);
        if (status == LYRA_OK) {
            LyraMassProperties properties;
            LyraMeshQuality quality;
            status = lyra_mesh_mass_properties(mesh, NULL, &properties);
            TEST_CHECK(status == LYRA_OK || status == LYRA_NOT_FINITE);
            TEST_OK(lyra_mesh_quality(mesh, &quality));
            TEST_EQUAL(quality.inverted, 0);
        } else {
            TEST_CHECK(mesh == NULL && status != LYRA_OUT_OF_MEMORY);
        }
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}

// ---- voxels -------------------------------------------------------------------------------------

LYRA_TEST(voxels_share_corners_in_order)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const int32_t voxels[] = {1, 0, 0, 0, 0, 0, 0, 0, 1};
    const double origin[3] = {10, 20, 30};
    LyraMesh *mesh = NULL;
    TEST_REQUIRE_OK(lyra_mesh_create_from_voxels(ctx, 3, voxels, origin, 0.5, &mesh));
    LyraMeshView view = lyra_mesh_view(mesh);
    TEST_EQUAL(view.kind, LYRA_ELEMENT_CUBE8);
    TEST_EQUAL(view.element_count, 3);
    // 6 corners at z = 0, 6 at z = 1, 4 at z = 2
    TEST_EQUAL(view.vertex_count, 16);
    for (int32_t v = 1; v < view.vertex_count; ++v) {
        const double *a = view.positions + 3 * (v - 1), *b = a + 3;
        TEST_CHECK(a[2] < b[2] || (a[2] == b[2] && (a[1] < b[1] || (a[1] == b[1] && a[0] < b[0]))));
    }
    const int32_t expected[] = {1, 2, 5, 4, 7, 8, 11, 10};
    for (int32_t a = 0; a < 8; ++a) {
        TEST_EQUAL(view.elements[a], expected[a]);
    }
    TEST_NEAR(view.positions[3 * 2], 11, 0);
    LyraMeshQuality quality;
    TEST_REQUIRE_OK(lyra_mesh_quality(mesh, &quality));
    TEST_EQUAL(quality.not_cubes + quality.inverted + quality.duplicates, 0);
    TEST_EQUAL(quality.boundary_faces, 14);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(voxels_anywhere_and_bad_voxels)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double origin[3] = {0};
    LyraMesh *mesh = NULL;
    TEST_REQUIRE_OK(lyra_mesh_create_from_voxels(ctx, 0, NULL, origin, 1, &mesh));
    TEST_EQUAL(lyra_mesh_view(mesh).element_count, 0);
    lyra_mesh_destroy(mesh);
    const int32_t far[] = {INT32_MIN + 1, 0, 0, INT32_MAX, INT32_MAX, INT32_MIN};
    TEST_REQUIRE_OK(lyra_mesh_create_from_voxels(ctx, 2, far, origin, 1, &mesh));
    LyraMeshView view = lyra_mesh_view(mesh);
    TEST_EQUAL(view.vertex_count, 16);
    TEST_NEAR(view.positions[3 * view.elements[0]], -2147483647.0, 0);
    TEST_NEAR(view.positions[3 * view.elements[8 + 6]], 2147483648.0, 0);
    lyra_mesh_destroy(mesh);
    mesh = NULL;
    const int32_t ends[] = {INT32_MIN, 0, 0, INT32_MAX, 0, 0};
    TEST_STATUS(lyra_mesh_create_from_voxels(ctx, 2, ends, origin, 1, &mesh), LYRA_TOO_LARGE);
    const int32_t twice[] = {3, 4, 5, 0, 0, 0, 3, 4, 5};
    TEST_STATUS(lyra_mesh_create_from_voxels(ctx, 3, twice, origin, 1, &mesh),
                LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "(3, 4, 5)");
    TEST_STATUS(lyra_mesh_create_from_voxels(ctx, -1, twice, origin, 1, &mesh),
                LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_mesh_create_from_voxels(ctx, 1, twice, origin, 0, &mesh),
                LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_mesh_create_from_voxels(ctx, (int64_t)1 << 40, twice, origin, 1, &mesh),
                LYRA_TOO_LARGE);
    const double nowhere[3] = {0, INFINITY, 0};
    TEST_STATUS(lyra_mesh_create_from_voxels(ctx, 1, twice, nowhere, 1, &mesh), LYRA_NOT_FINITE);
    TEST_CHECK(mesh == NULL);
    test_context_end(ctx);
}

// ---- memory -------------------------------------------------------------------------------------

static LyraStatus generate_once(LyraContext *ctx, void *data)
{
    LyraMesh *mesh = NULL;
    LyraStatus status = lyra_mesh_generate(ctx, data, &mesh);
    lyra_mesh_destroy(mesh);
    return status;
}

LYRA_TEST(generators_survive_failing_allocations)
{
    for (int32_t i = 0; i < 16; ++i) {
        LyraMeshShapeDef def = lyra_mesh_shape_def_default();
        def.elements = 200;
        def.shape = (LyraMeshShape)(i % 4);
        def.kind = (LyraElementKind)(i / 4 % 2);
        def.shuffle = i >= 8;
        test_fail_each_allocation(generate_once, &def);
    }
}

LYRA_TEST(thin_bodies_get_about_the_elements_asked_for)
{
    static const double sizes[][3] = {{1e-9, 1, 1}, {1, 1e-9, 1}, {1e9, 1, 1}, {3, 1, 0.01}};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t i = 0; i < 4; ++i) {
        LyraMeshShapeDef def = lyra_mesh_shape_def_default();
        memcpy(def.size, sizes[i], sizeof def.size);
        LyraMesh *mesh = NULL;
        TEST_REQUIRE_OK(lyra_mesh_generate(ctx, &def, &mesh));
        int32_t count = lyra_mesh_view(mesh).element_count;
        TEST_CHECK_MSG(count >= 800 && count <= 1200, "%d elements, 1000 wanted", count);
        lyra_mesh_destroy(mesh);
    }
    // needles and rings keep the shape of their cells up to four times the count
    for (int32_t i = 0; i < 2; ++i) {
        LyraMeshShapeDef def = lyra_mesh_shape_def_default();
        def.shape = i == 0 ? LYRA_MESH_SHAPE_CYLINDER : LYRA_MESH_SHAPE_TORUS;
        def.elements = 100;
        def.height = 1e9;
        def.tube_radius = 1e-6;
        LyraMesh *mesh = NULL;
        TEST_REQUIRE_OK(lyra_mesh_generate(ctx, &def, &mesh));
        TEST_CHECK(lyra_mesh_view(mesh).element_count <= 400);
        LyraMassProperties mass;
        TEST_OK(lyra_mesh_mass_properties(mesh, NULL, &mass));
        TEST_CHECK(mass.min_element_volume > 0);
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}

LYRA_TEST(bodies_without_volume_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t kind = 0; kind < LYRA_ELEMENT_KIND_COUNT; ++kind) {
        LyraMeshShapeDef def = lyra_mesh_shape_def_default();
        def.shape = LYRA_MESH_SHAPE_SPHERE;
        def.kind = (LyraElementKind)kind;
        LyraMesh *mesh = NULL;
        // too small for the range of double, too large for it, too small for its place
        def.radius = 1e-300;
        TEST_STATUS(lyra_mesh_generate(ctx, &def, &mesh), LYRA_INVALID_ARGUMENT);
        def.radius = 1e300;
        TEST_STATUS(lyra_mesh_generate(ctx, &def, &mesh), LYRA_NOT_FINITE);
        def.radius = 1;
        def.center[0] = 1e20;
        TEST_STATUS(lyra_mesh_generate(ctx, &def, &mesh), LYRA_INVALID_ARGUMENT);
        TEST_CHECK(mesh == NULL);
    }
    test_context_end(ctx);
}
