// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Affine bodies at rest: particles that weigh and turn as the body does, weights of points, the
// energy of the shape, and what is refused.

#include "lyra_test.h"

#include "lyra/lyra.h"

#include <string.h>

static LyraMesh *make_mesh(LyraContext *ctx, LyraMeshShape shape, LyraElementKind kind,
                           const double center[3])
{
    LyraMeshShapeDef def = lyra_mesh_shape_def_default();
    LyraMesh *mesh = NULL;
    def.shape = shape;
    def.kind = kind;
    def.elements = 200;
    def.size[0] = 0.3;
    def.size[1] = 0.2;
    def.size[2] = 0.5;
    memcpy(def.center, center, sizeof def.center);
    TEST_OK(lyra_mesh_generate(ctx, &def, &mesh));
    return mesh;
}

// the mass properties of the particles
static void weigh(const LyraAffineView *view, double *mass, double center[3], double moment[9])
{
    *mass = 0;
    memset(center, 0, 3 * sizeof *center);
    memset(moment, 0, 9 * sizeof *moment);
    for (int p = 0; p < 4; ++p) {
        *mass += view->masses[p];
    }
    for (int i = 0; i < 12; ++i) {
        center[i % 3] += view->masses[i / 3] * view->positions[i] / *mass;
    }
    for (int p = 0; p < 4; ++p) {
        for (int i = 0; i < 9; ++i) {
            moment[i] += view->masses[p] * (view->positions[3 * p + i / 3] - center[i / 3]) *
                         (view->positions[3 * p + i % 3] - center[i % 3]);
        }
    }
}

static void check_particles(const LyraAffine *affine, const LyraMassProperties *expected,
                            double rounding)
{
    LyraAffineView view = lyra_affine_view(affine);
    double mass, center[3], moment[9];
    weigh(&view, &mass, center, moment);
    double trace = moment[0] + moment[4] + moment[8];
    TEST_NEAR(mass / expected->mass, 1, 1e-14);
    TEST_EQUAL(view.masses[0] == view.masses[3], 1);
    for (int i = 0; i < 3; ++i) {
        TEST_NEAR(center[i], expected->center_of_mass[i], rounding);
    }
    for (int i = 0; i < 9; ++i) {
        double inertia = (i % 4 == 0 ? trace : 0) - moment[i];
        TEST_NEAR(inertia / trace, expected->inertia[i] / trace, rounding);
    }
}

LYRA_TEST(particles_weigh_and_turn_as_the_mesh_does)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double places[2][3] = {{0.1, -0.2, 0.3}, {1000, -2000, 500}};
    for (int c = 0; c < 8; ++c) {
        const double *center = places[c / 4];
        LyraMesh *mesh = make_mesh(ctx, c % 4 < 2 ? LYRA_MESH_SHAPE_BOX : LYRA_MESH_SHAPE_SPHERE,
                                   c % 2 ? LYRA_ELEMENT_CUBE8 : LYRA_ELEMENT_TET4, center);
        LyraMeshView view = lyra_mesh_view(mesh);
        // a body that is heavier on one side
        double densities[4096];
        TEST_REQUIRE(view.element_count <= 4096);
        for (int32_t e = 0; e < view.element_count; ++e) {
            densities[e] = e < view.element_count / 3 ? 7000 : 900;
        }
        LyraMassProperties expected;
        LyraAffineDef def = lyra_affine_def_default();
        LyraAffine *affine = NULL;
        def.mesh = mesh;
        def.densities = densities;
        TEST_OK(lyra_mesh_mass_properties(mesh, densities, &expected));
        TEST_OK(lyra_affine_create(ctx, &def, &affine));
        check_particles(affine, &expected, c < 4 ? 1e-14 : 1e-11);
        lyra_affine_destroy(affine);
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}

LYRA_TEST(a_surface_and_given_properties_weigh_the_same)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh =
        make_mesh(ctx, LYRA_MESH_SHAPE_BOX, LYRA_ELEMENT_TET4, (double[3]){40, 50, -60});
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraMeshBoundary *boundary = NULL;
    TEST_OK(lyra_mesh_boundary_create(mesh, true, &boundary));
    LyraMeshBoundaryView faces = lyra_mesh_boundary_view(boundary);
    int32_t begin[4096];
    TEST_REQUIRE(faces.face_count < 4096);
    for (int32_t f = 0; f <= faces.face_count; ++f) {
        begin[f] = 3 * f;
    }
    LyraSurfaceView data = {.vertex_count = view.vertex_count,
                            .positions = view.positions,
                            .face_count = faces.face_count,
                            .corner_count = 3 * faces.face_count,
                            .face_begin = begin,
                            .corner_vertices = faces.faces};
    LyraSurface *surface = NULL, *open = NULL;
    TEST_OK(lyra_surface_create(ctx, &data, &surface));
    --data.face_count;
    data.corner_count -= 3;
    TEST_OK(lyra_surface_create(ctx, &data, &open));

    LyraMassProperties expected;
    TEST_OK(lyra_mesh_mass_properties(mesh, NULL, &expected));
    LyraAffineDef def = lyra_affine_def_default();
    LyraAffine *affine = NULL;
    def.surface = surface;
    def.density = expected.mass / expected.volume;
    TEST_OK(lyra_affine_create(ctx, &def, &affine));
    check_particles(affine, &expected, 1e-12);
    TEST_NEAR(lyra_affine_view(affine).volume, 0.3 * 0.2 * 0.5, 1e-12);
    lyra_affine_destroy(affine);
    def.surface = open;
    TEST_STATUS(lyra_affine_create(ctx, &def, &affine), LYRA_BAD_MESH);
    TEST_CONTAINS(lyra_error_message(), "closed");

    // a box without a volume is found to have that of its moments
    def.surface = NULL;
    expected.volume = 0;
    def.properties = &expected;
    TEST_OK(lyra_affine_create(ctx, &def, &affine));
    check_particles(affine, &expected, 1e-12);
    TEST_NEAR(lyra_affine_view(affine).volume, 0.3 * 0.2 * 0.5, 1e-12);
    TEST_CHECK(!lyra_affine_view(affine).embedding);
    lyra_affine_destroy(affine);
    lyra_surface_destroy(surface);
    lyra_surface_destroy(open);
    lyra_mesh_boundary_destroy(boundary);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(points_move_by_the_map_of_the_particles)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh =
        make_mesh(ctx, LYRA_MESH_SHAPE_SPHERE, LYRA_ELEMENT_TET4, (double[3]){1, 2, 3});
    LyraMeshView shape = lyra_mesh_view(mesh);
    LyraAffineDef def = lyra_affine_def_default();
    LyraAffine *affine = NULL;
    def.mesh = mesh;
    TEST_REQUIRE_OK(lyra_affine_create(ctx, &def, &affine));
    LyraAffineView view = lyra_affine_view(affine);
    TestRandom random = test_random(3);
    double A[9], t[3], u[12], found[9], found_t[3], x[3 * 4096];
    TEST_REQUIRE(shape.vertex_count <= 4096);
    for (int i = 0; i < 9; ++i) {
        A[i] = (i % 4 == 0) + 0.5 * test_random_normal(&random);
        t[i % 3] = test_random_normal(&random);
    }
    for (int i = 0; i < 12; ++i) {
        const double *X = view.positions + 3 * (i / 3), *a = A + 3 * (i % 3);
        u[i] = a[0] * X[0] + a[1] * X[1] + a[2] * X[2] + t[i % 3] - X[i % 3];
    }
    lyra_affine_map(affine, u, found, found_t);
    for (int i = 0; i < 9; ++i) {
        TEST_NEAR(found[i], A[i], 1e-13);
        TEST_NEAR(found_t[i % 3], t[i % 3], 1e-12);
    }
    TEST_EQUAL(lyra_embedding_view(view.embedding).point_count, shape.vertex_count);
    lyra_embedding_move(view.embedding, u, shape.positions, x);
    for (int64_t i = 0; i < 3 * (int64_t)shape.vertex_count; ++i) {
        const double *X = shape.positions + 3 * (i / 3), *a = A + 3 * (i % 3);
        TEST_NEAR(x[i], a[0] * X[0] + a[1] * X[1] + a[2] * X[2] + t[i % 3], 1e-12);
    }
    double w[4], sum = 0;
    lyra_affine_weights(affine, (double[3]){0.5, 2.5, 2.75}, w);
    for (int p = 0; p < 4; ++p) {
        sum += w[p];
    }
    TEST_NEAR(sum, 1, 1e-15);
    lyra_affine_destroy(affine);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

// E = Y V / 8 |A^T A - 1|^2, whatever the body
LYRA_TEST(the_energy_is_that_of_the_whole_body)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = make_mesh(ctx, LYRA_MESH_SHAPE_BOX, LYRA_ELEMENT_CUBE8, (double[3]){0});
    LyraAffineDef def = lyra_affine_def_default();
    LyraAffine *affine = NULL;
    def.mesh = mesh;
    def.stiffness = 3e6;
    TEST_REQUIRE_OK(lyra_affine_create(ctx, &def, &affine));
    LyraAffineView view = lyra_affine_view(affine);
    LyraAssembly *assembly = NULL;
    TEST_OK(lyra_assembly_create(ctx, 4, view.positions, view.force_count, view.forces, &assembly));
    TestRandom random = test_random(8);
    double A[9], u[12], energy, expected = 0;
    for (int i = 0; i < 9; ++i) {
        A[i] = (i % 4 == 0) + 0.2 * test_random_normal(&random);
    }
    for (int i = 0; i < 12; ++i) {
        const double *X = view.positions + 3 * (i / 3), *a = A + 3 * (i % 3);
        u[i] = a[0] * X[0] + a[1] * X[1] + a[2] * X[2] - X[i % 3];
    }
    for (int i = 0; i < 9; ++i) {
        double c = A[i / 3] * A[i % 3] + A[3 + i / 3] * A[3 + i % 3] + A[6 + i / 3] * A[6 + i % 3];
        expected += 3e6 * (0.3 * 0.2 * 0.5) / 8 * (c - (i % 4 == 0)) * (c - (i % 4 == 0));
    }
    const LyraEvaluation at = {.u = u, .energy = &energy};
    TEST_OK(lyra_assembly_evaluate(assembly, &at));
    TEST_NEAR(energy / expected, 1, 1e-12);
    lyra_assembly_destroy(assembly);
    lyra_affine_destroy(affine);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(what_is_no_body_is_refused_with_a_sentence)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMassProperties box = {.mass = 2, .volume = 1, .inertia = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    LyraAffineDef def = lyra_affine_def_default();
    LyraAffine *affine = NULL;
    TEST_STATUS(lyra_affine_create(ctx, &def, &affine), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "expected a mesh");
    // a disk: its moment about the axis is that of the two others together
    LyraMassProperties disk = box;
    disk.inertia[8] = 2;
    def.properties = &disk;
    TEST_STATUS(lyra_affine_create(ctx, &def, &affine), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "flat");
    disk.inertia[8] = 2.1;
    TEST_STATUS(lyra_affine_create(ctx, &def, &affine), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "no body");
    disk = box;
    disk.mass = 0;
    TEST_STATUS(lyra_affine_create(ctx, &def, &affine), LYRA_INVALID_ARGUMENT);
    disk = box;
    disk.inertia[1] = 0.1;
    TEST_STATUS(lyra_affine_create(ctx, &def, &affine), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "symmetric");
    disk = box;
    disk.center_of_mass[1] = NAN;
    TEST_STATUS(lyra_affine_create(ctx, &def, &affine), LYRA_NOT_FINITE);
    def.properties = &box;
    def.stiffness = -1;
    TEST_STATUS(lyra_affine_create(ctx, &def, &affine), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "stiffness");
    TEST_CHECK(!affine);
    test_context_end(ctx);
}

static LyraStatus make_and_end(LyraContext *ctx, void *data)
{
    LyraAffineDef def = lyra_affine_def_default();
    LyraAffine *affine = NULL;
    LyraMesh *mesh = NULL;
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    (void)data;
    shape.elements = 6;
    LyraStatus status = lyra_mesh_generate(ctx, &shape, &mesh);
    if (status == LYRA_OK) {
        def.mesh = mesh;
        status = lyra_affine_create(ctx, &def, &affine);
    }
    lyra_affine_destroy(affine);
    lyra_mesh_destroy(mesh);
    return status;
}

LYRA_TEST(each_failed_allocation_leaks_nothing)
{
    test_fail_each_allocation(make_and_end, NULL);
}
