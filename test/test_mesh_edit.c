// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Operations that make new meshes: what they keep, what they change, and the maps they give.

#include "mesh_samples.h"

static double volume_of(const LyraMesh *mesh)
{
    LyraMassProperties properties = {0};
    TEST_OK(lyra_mesh_mass_properties(mesh, NULL, &properties));
    return properties.volume;
}

static double mass_of(const LyraMesh *mesh)
{
    LyraMassProperties properties = {0};
    TEST_OK(lyra_mesh_mass_properties(mesh, NULL, &properties));
    return properties.mass;
}

static LyraMeshQuality quality_of(const LyraMesh *mesh)
{
    LyraMeshQuality quality = {0};
    TEST_OK(lyra_mesh_quality(mesh, &quality));
    return quality;
}

// Names, materials and regions as sample_grouped made them.
static void check_groups(const LyraMesh *mesh)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    TEST_EQUAL(view.material_count, 2);
    TEST_EQUAL(view.set_count, 2);
    TEST_EQUAL(view.region_count, 2);
    TEST_STRING(view.materials[1].name, "heavy");
    TEST_STRING(view.sets[0].name, "odd");
    for (int32_t i = 0; i < view.sets[0].count; ++i) {
        TEST_EQUAL(view.element_materials[view.sets[0].elements[i]], 1);
    }
}

// ---- renumbering --------------------------------------------------------------------------------

LYRA_TEST(submesh_keeps_positions_and_groups)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *plain = sample_shape(ctx, LYRA_MESH_SHAPE_SPHERE, 400);
    LyraMesh *mesh = sample_grouped(ctx, plain), *part = NULL;
    LyraMeshView old = lyra_mesh_view(mesh);
    // descending, so that sets have to be sorted again
    int32_t list[50];
    for (int32_t i = 0; i < 50; ++i) {
        list[i] = 150 - 3 * i;
    }
    int32_t *vertex_map = malloc((size_t)old.vertex_count * sizeof *vertex_map);
    int32_t *element_map = malloc((size_t)old.element_count * sizeof *element_map);
    TEST_REQUIRE_OK(lyra_mesh_submesh(mesh, 50, list, vertex_map, element_map, &part));
    LyraMeshView view = lyra_mesh_view(part);
    TEST_EQUAL(view.element_count, 50);
    TEST_EQUAL(quality_of(part).orphans, 0);
    check_groups(part);
    TEST_EQUAL(view.sets[0].count, 25);
    TEST_EQUAL(view.sets[1].count, 0);
    int32_t used = 0, last = -1;
    for (int32_t v = 0; v < old.vertex_count; ++v) {
        if (vertex_map[v] >= 0) {
            TEST_EQUAL(vertex_map[v], last + 1);
            last = vertex_map[v];
            ++used;
        }
    }
    TEST_EQUAL(used, view.vertex_count);
    for (int32_t i = 0; i < 50; ++i) {
        TEST_EQUAL(element_map[list[i]], i);
        TEST_EQUAL(view.element_materials[i], old.element_materials[list[i]]);
        for (int32_t a = 0; a < 4; ++a) {
            int32_t v = old.elements[4 * list[i] + a], w = view.elements[4 * i + a];
            TEST_EQUAL(vertex_map[v], w);
            TEST_CHECK(memcmp(old.positions + 3 * v, view.positions + 3 * w, 24) == 0);
        }
    }
    TEST_EQUAL(element_map[1], -1);
    lyra_mesh_destroy(part);
    part = NULL;
    TEST_REQUIRE_OK(lyra_mesh_submesh(mesh, 0, NULL, NULL, NULL, &part));
    TEST_EQUAL(lyra_mesh_view(part).vertex_count, 0);
    lyra_mesh_destroy(part);
    part = NULL;
    list[1] = list[0];
    TEST_STATUS(lyra_mesh_submesh(mesh, 50, list, NULL, NULL, &part), LYRA_INVALID_ARGUMENT);
    list[1] = old.element_count;
    TEST_STATUS(lyra_mesh_submesh(mesh, 50, list, NULL, NULL, &part), LYRA_INVALID_ARGUMENT);
    list[1] = -1;
    TEST_STATUS(lyra_mesh_submesh(mesh, 50, list, NULL, NULL, &part), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_mesh_submesh(mesh, -1, list, NULL, NULL, &part), LYRA_INVALID_ARGUMENT);
    TEST_CHECK(part == NULL);
    free(vertex_map);
    free(element_map);
    lyra_mesh_destroy(plain);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(shuffle_maps_lead_back)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *plain = sample_box(ctx, LYRA_ELEMENT_CUBE8, 5, 4, 3, 1);
    LyraMesh *mesh = sample_grouped(ctx, plain), *other = NULL;
    LyraMeshView old = lyra_mesh_view(mesh);
    int32_t vertex_map[6 * 5 * 4], element_map[60];
    TEST_REQUIRE_OK(lyra_mesh_shuffle(mesh, 42, vertex_map, element_map, &other));
    LyraMeshView view = lyra_mesh_view(other);
    check_groups(other);
    TEST_EQUAL(view.sets[0].count, 30);
    TEST_EQUAL(view.sets[1].elements[0], element_map[0]);
    for (int32_t e = 0; e < 60; ++e) {
        TEST_EQUAL(view.element_materials[element_map[e]], old.element_materials[e]);
        for (int32_t a = 0; a < 8; ++a) {
            int32_t v = old.elements[8 * e + a], w = view.elements[8 * element_map[e] + a];
            TEST_EQUAL(vertex_map[v], w);
            TEST_CHECK(memcmp(old.positions + 3 * v, view.positions + 3 * w, 24) == 0);
        }
    }
    TEST_NEAR(mass_of(other), mass_of(mesh), 1e-9);
    lyra_mesh_destroy(plain);
    lyra_mesh_destroy(mesh);
    lyra_mesh_destroy(other);
    test_context_end(ctx);
}

LYRA_TEST(orphans_are_removed)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double x[21] = {9, 9, 9, 0, 0, 0, 1, 0, 0, 8, 8, 8, 0, 1, 0, 0, 0, 1, 7, 7, 7};
    const int32_t tet[4] = {1, 2, 4, 5};
    LyraMesh *mesh = sample_raw(ctx, LYRA_ELEMENT_TET4, 7, x, 1, tet), *out = NULL;
    int32_t map[7];
    const int32_t expected[7] = {-1, 0, 1, -1, 2, 3, -1};
    TEST_REQUIRE_OK(lyra_mesh_remove_orphans(mesh, map, &out));
    TEST_CHECK(memcmp(map, expected, sizeof map) == 0);
    TEST_EQUAL(lyra_mesh_view(out).vertex_count, 4);
    TEST_NEAR(volume_of(out), 1.0 / 6, 1e-16);
    lyra_mesh_destroy(mesh);
    lyra_mesh_destroy(out);
    test_context_end(ctx);
}

// ---- merging ------------------------------------------------------------------------------------

// Every element with vertices of its own, moved by up to `noise`.
static LyraMesh *explode(LyraContext *ctx, const LyraMesh *mesh, double noise)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    int32_t nodes = lyra_element_kind_nodes(view.kind), count = nodes * view.element_count;
    double *x = malloc(3 * (size_t)count * sizeof *x);
    int32_t *elements = malloc((size_t)count * sizeof *elements);
    TestRandom random = test_random(8);
    for (int32_t i = 0; i < count; ++i) {
        elements[i] = i;
        for (int32_t c = 0; c < 3; ++c) {
            x[3 * i + c] = view.positions[3 * view.elements[i] + c] +
                           (noise > 0 ? test_random_in(&random, -noise, noise) : 0);
        }
    }
    LyraMesh *out = sample_raw(ctx, view.kind, count, x, view.element_count, elements);
    free(x);
    free(elements);
    return out;
}

LYRA_TEST(merging_undoes_an_explosion)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const double noises[4] = {0, 1e-9, 1e-4, 1e-300};
    for (int32_t i = 0; i < 8; ++i) {
        LyraMesh *mesh = i < 4 ? sample_shape(ctx, LYRA_MESH_SHAPE_TORUS, 3000)
                               : sample_box(ctx, LYRA_ELEMENT_CUBE8, 6, 5, 4, 0.1);
        LyraMeshView view = lyra_mesh_view(mesh);
        double noise = noises[i % 4];
        LyraMesh *loose = explode(ctx, mesh, noise), *merged = NULL;
        int32_t loose_count = lyra_mesh_view(loose).vertex_count;
        int32_t *map = malloc((size_t)loose_count * sizeof *map);
        // corners of a cube of half edge `noise` are at most 2 sqrt(3) noise apart
        TEST_REQUIRE_OK(lyra_mesh_merge_vertices(loose, 3.5 * noise, map, &merged));
        TEST_EQUAL(lyra_mesh_view(merged).vertex_count, view.vertex_count);
        TEST_EQUAL(quality_of(merged).boundary_faces, quality_of(mesh).boundary_faces);
        TEST_NEAR(volume_of(merged), volume_of(mesh), 1e-12 + 30 * noise);
        if (noise == 0) {
            TEST_EQUAL(quality_of(loose).duplicates, loose_count - view.vertex_count);
        }
        for (int32_t v = 0; v < loose_count; ++v) {
            TEST_CHECK(map[v] >= 0 && map[v] < view.vertex_count);
        }
        free(map);
        lyra_mesh_destroy(mesh);
        lyra_mesh_destroy(loose);
        lyra_mesh_destroy(merged);
    }
    test_context_end(ctx);
}

LYRA_TEST(merging_takes_the_first_kept_vertex)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    // a chain in steps of 0.6 with tolerance 1: 0 takes 0.6, 1.2 is kept and takes 1.8
    const double x[15] = {0, 0, 0, 0.6, 0, 0, 1.2, 0, 0, 1.8, 0, 0, -0.0, 0, 0};
    LyraMesh *mesh = sample_raw(ctx, LYRA_ELEMENT_TET4, 5, x, 0, NULL), *out = NULL;
    int32_t map[5];
    const int32_t expected[5] = {0, 0, 1, 1, 0};
    TEST_REQUIRE_OK(lyra_mesh_merge_vertices(mesh, 1, map, &out));
    TEST_CHECK(memcmp(map, expected, sizeof map) == 0);
    TEST_NEAR(lyra_mesh_view(out).positions[3], 1.2, 0);
    lyra_mesh_destroy(out);
    out = NULL;
    TEST_STATUS(lyra_mesh_merge_vertices(mesh, -1, map, &out), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_mesh_merge_vertices(mesh, NAN, map, &out), LYRA_INVALID_ARGUMENT);
    // all in one, and a tolerance far below what positions resolve
    TEST_REQUIRE_OK(lyra_mesh_merge_vertices(mesh, 1e300, map, &out));
    TEST_EQUAL(lyra_mesh_view(out).vertex_count, 1);
    lyra_mesh_destroy(out);
    TEST_REQUIRE_OK(lyra_mesh_merge_vertices(mesh, 5e-324, map, &out));
    TEST_EQUAL(lyra_mesh_view(out).vertex_count, 4);
    lyra_mesh_destroy(out);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

// ---- refinement ---------------------------------------------------------------------------------

LYRA_TEST(refinement_keeps_volume_and_conforms)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *meshes[3] = {sample_shape(ctx, LYRA_MESH_SHAPE_SPHERE, 500),
                           sample_shape(ctx, LYRA_MESH_SHAPE_TORUS, 500),
                           sample_box(ctx, LYRA_ELEMENT_CUBE8, 3, 4, 2, 0.1)};
    for (int32_t i = 0; i < 3; ++i) {
        LyraMesh *mesh = sample_grouped(ctx, meshes[i]), *fine = NULL;
        TEST_REQUIRE_OK(lyra_mesh_refine(mesh, &fine));
        LyraMeshView old = lyra_mesh_view(mesh), view = lyra_mesh_view(fine);
        LyraMeshQuality q = quality_of(mesh), r = quality_of(fine);
        TEST_EQUAL(view.element_count, 8 * old.element_count);
        TEST_NEAR(mass_of(fine), mass_of(mesh), 1e-12 * mass_of(mesh));
        TEST_EQUAL(r.boundary_faces, 4 * q.boundary_faces);
        TEST_EQUAL(r.inverted + r.degenerate + r.orphans + r.duplicates + r.non_manifold_faces, 0);
        TEST_EQUAL(r.not_cubes, 0);
        TEST_CHECK(r.max_aspect < 2 * q.max_aspect);
        TEST_CHECK(memcmp(view.positions, old.positions, 24 * (size_t)old.vertex_count) == 0);
        check_groups(fine);
        TEST_EQUAL(view.sets[0].count, 8 * old.sets[0].count);
        TEST_EQUAL(view.sets[1].elements[7], 7);
        // children of each element fill it
        double *volume = malloc((size_t)old.element_count * sizeof *volume);
        double *child = malloc((size_t)view.element_count * sizeof *child);
        lyra_mesh_element_volumes(mesh, volume);
        lyra_mesh_element_volumes(fine, child);
        for (int32_t e = 0; e < view.element_count; ++e) {
            TEST_NEAR(child[e], volume[e / 8] / 8, 1e-13 * volume[e / 8]);
        }
        free(volume);
        free(child);
        lyra_mesh_destroy(mesh);
        lyra_mesh_destroy(fine);
        lyra_mesh_destroy(meshes[i]);
    }
    test_context_end(ctx);
}

LYRA_TEST(refined_cubes_stay_cubes_to_the_last_bit)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const int32_t voxels[6] = {0, 0, 0, 0, 1, 0};
    const double origin[3] = {0.1, 0.7, -1.3};
    LyraMesh *mesh = NULL, *fine = NULL;
    TEST_REQUIRE_OK(lyra_mesh_create_from_voxels(ctx, 2, voxels, origin, 0.3, &mesh));
    TEST_REQUIRE_OK(lyra_mesh_refine(mesh, &fine));
    LyraMeshView view = lyra_mesh_view(fine);
    TEST_EQUAL(view.vertex_count, 3 * 5 * 3);
    for (int32_t e = 0; e < view.element_count; ++e) {
        const int32_t *v = view.elements + 8 * e;
        for (int32_t a = 0; a < 8; ++a) {
            // in a box, opposite corners hold all coordinates
            for (int32_t i = 0; i < 3; ++i) {
                double x = view.positions[3 * v[a] + i];
                TEST_CHECK(x == view.positions[3 * v[0] + i] || x == view.positions[3 * v[6] + i]);
            }
        }
    }
    lyra_mesh_destroy(mesh);
    lyra_mesh_destroy(fine);
    test_context_end(ctx);
}

LYRA_TEST(refinement_cuts_at_the_shortest_diagonal_and_refuses_collapsed)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    // stretched along x, y and z in turn, all three diagonals come to be used
    for (int32_t axis = 0; axis < 3; ++axis) {
        double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
        for (int32_t v = 0; v < 4; ++v) {
            x[3 * v + axis] *= 0.1;
            x[3 * v + (axis + 1) % 3] += 0.3 * x[3 * v + axis];
        }
        const int32_t tet[4] = {0, 1, 2, 3};
        LyraMesh *mesh = sample_raw(ctx, LYRA_ELEMENT_TET4, 4, x, 1, tet), *fine = NULL;
        TEST_REQUIRE_OK(lyra_mesh_refine(mesh, &fine));
        TEST_EQUAL(quality_of(fine).inverted, 0);
        TEST_EQUAL(quality_of(fine).boundary_faces, 16);
        LyraMeshView view = lyra_mesh_view(fine);
        double shortest = INFINITY, used = 0;
        static const int32_t opposite[3][2] = {{4, 9}, {5, 8}, {6, 7}};
        for (int32_t d = 0; d < 4; ++d) {
            const double *a = view.positions + 3 * (d < 3 ? opposite[d][0] : view.elements[16]);
            const double *b = view.positions + 3 * (d < 3 ? opposite[d][1] : view.elements[17]);
            double length = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
            shortest = d < 3 ? fmin(shortest, length) : shortest;
            used = length;
        }
        TEST_NEAR(used, shortest, 1e-15);
        lyra_mesh_destroy(mesh);
        lyra_mesh_destroy(fine);
    }
    const double x[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const int32_t tet[4] = {0, 1, 2, 2};
    LyraMesh *mesh = sample_raw(ctx, LYRA_ELEMENT_TET4, 3, x, 1, tet), *fine = NULL;
    TEST_STATUS(lyra_mesh_refine(mesh, &fine), LYRA_BAD_MESH);
    TEST_CHECK(fine == NULL);
    lyra_mesh_destroy(mesh);
    mesh = sample_raw(ctx, LYRA_ELEMENT_CUBE8, 0, NULL, 0, NULL);
    TEST_REQUIRE_OK(lyra_mesh_refine(mesh, &fine));
    TEST_EQUAL(lyra_mesh_view(fine).element_count, 0);
    lyra_mesh_destroy(mesh);
    lyra_mesh_destroy(fine);
    test_context_end(ctx);
}

// ---- orientation and transformation -------------------------------------------------------------

LYRA_TEST(orientation_is_repaired_and_reported)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *plain = sample_shape(ctx, LYRA_MESH_SHAPE_SPHERE, 400);
    LyraMeshView view = lyra_mesh_view(plain);
    int32_t *tets = malloc(4 * (size_t)view.element_count * sizeof *tets);
    memcpy(tets, view.elements, 4 * (size_t)view.element_count * sizeof *tets);
    int32_t turned = 0;
    for (int32_t e = 0; e < view.element_count; e += 5, ++turned) {
        int32_t swap = tets[4 * e];
        tets[4 * e] = tets[4 * e + 3];
        tets[4 * e + 3] = swap;
    }
    tets[4 * 3 + 1] = tets[4 * 3];
    LyraMesh *bad =
        sample_raw(ctx, view.kind, view.vertex_count, view.positions, view.element_count, tets);
    LyraMesh *mesh = sample_grouped(ctx, bad), *good = NULL;
    LyraOrientReport report;
    TEST_REQUIRE_OK(lyra_mesh_orient(mesh, &report, &good));
    TEST_EQUAL(report.flipped, turned);
    TEST_EQUAL(report.degenerate, 1);
    LyraMeshQuality q = quality_of(good);
    TEST_EQUAL(q.inverted, 0);
    TEST_EQUAL(q.degenerate, 1);
    check_groups(good);
    free(tets);
    lyra_mesh_destroy(plain);
    lyra_mesh_destroy(bad);
    lyra_mesh_destroy(mesh);
    lyra_mesh_destroy(good);
    test_context_end(ctx);
}

LYRA_TEST(cubes_in_any_order_are_recognised)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(4);
    LyraMesh *plain = sample_box(ctx, LYRA_ELEMENT_CUBE8, 3, 3, 3, 0.1);
    LyraMeshView view = lyra_mesh_view(plain);
    int32_t cubes[8 * 27];
    memcpy(cubes, view.elements, sizeof cubes);
    for (int32_t e = 1; e < 27; ++e) {
        for (int32_t a = 7; a > 0; --a) {
            int32_t b = test_random_below(&random, a + 1), swap = cubes[8 * e + a];
            cubes[8 * e + a] = cubes[8 * e + b];
            cubes[8 * e + b] = swap;
        }
    }
    LyraMesh *bad = sample_raw(ctx, view.kind, view.vertex_count, view.positions, 27, cubes);
    LyraMesh *good = NULL, *mirrored = NULL, *skew = NULL;
    LyraOrientReport report;
    TEST_REQUIRE_OK(lyra_mesh_orient(bad, &report, &good));
    TEST_EQUAL(report.flipped, 26);
    TEST_CHECK(memcmp(lyra_mesh_view(good).elements, view.elements, sizeof cubes) == 0);
    // skew cubes only have a sign
    const double shear[9] = {1, 0.5, 0, 0, 1, 0, 0, 0, 1}, zero[3] = {0};
    TEST_REQUIRE_OK(lyra_mesh_transform(plain, shear, zero, &skew));
    for (int32_t i = 0; i < 8 * 27; ++i) {
        cubes[i] = lyra_mesh_view(skew).elements[i / 8 * 8 + (i + 4) % 8];
    }
    lyra_mesh_destroy(good);
    lyra_mesh_destroy(bad);
    bad = sample_raw(ctx, view.kind, view.vertex_count, lyra_mesh_view(skew).positions, 27, cubes);
    TEST_EQUAL(quality_of(bad).inverted, 27);
    TEST_REQUIRE_OK(lyra_mesh_orient(bad, &report, &good));
    TEST_EQUAL(report.flipped, 27);
    TEST_EQUAL(quality_of(good).inverted, 0);
    lyra_mesh_destroy(plain);
    lyra_mesh_destroy(bad);
    lyra_mesh_destroy(good);
    lyra_mesh_destroy(mirrored);
    lyra_mesh_destroy(skew);
    test_context_end(ctx);
}

LYRA_TEST(a_tiny_mirror_is_a_mirror)
{
    // the determinant itself is below the range of double
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = sample_box(ctx, LYRA_ELEMENT_TET4, 1, 1, 1, 1e20), *small = NULL;
    const double mirror[9] = {-1e-110, 0, 0, 0, 1e-110, 0, 0, 0, 1e-110}, zero[3] = {0};
    TEST_REQUIRE_OK(lyra_mesh_transform(mesh, mirror, zero, &small));
    TEST_EQUAL(quality_of(small).inverted, 0);
    TEST_EQUAL(quality_of(small).degenerate, 0);
    lyra_mesh_destroy(mesh);
    lyra_mesh_destroy(small);
    test_context_end(ctx);
}

LYRA_TEST(transformation_scales_mirrors_and_turns_axes)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = sample_box(ctx, LYRA_ELEMENT_CUBE8, 2, 2, 2, 1), *out = NULL;
    const double mirror[9] = {-2, 0, 0, 0, 3, 0, 0, 0, 1}, shift[3] = {1, 1, 1};
    TEST_REQUIRE_OK(lyra_mesh_transform(mesh, mirror, shift, &out));
    TEST_NEAR(volume_of(out), 6 * 8, 1e-12);
    TEST_EQUAL(quality_of(out).inverted, 0);
    lyra_mesh_destroy(out);
    out = NULL;
    const double bad[9] = {NAN};
    TEST_STATUS(lyra_mesh_transform(mesh, bad, shift, &out), LYRA_NOT_FINITE);
    TEST_CHECK(out == NULL);

    // axes of an orthotropic material turn with a rotation, whatever the scale
    LyraMeshMaterial wood = lyra_mesh_material_default();
    wood.kind = LYRA_MESH_MATERIAL_ORTHOTROPIC;
    wood.orthotropic.axes[0] = wood.orthotropic.axes[4] = wood.orthotropic.axes[8] = 1;
    LyraMeshView view = lyra_mesh_view(mesh);
    view.materials = &wood;
    LyraMesh *tree = NULL;
    TEST_REQUIRE_OK(lyra_mesh_create(ctx, &view, &tree));
    TestRandom random = test_random(6);
    double R[9], S[9];
    test_random_rotation(&random, R);
    for (int32_t i = 0; i < 9; ++i) {
        S[i] = 5 * R[i];
    }
    TEST_REQUIRE_OK(lyra_mesh_transform(tree, S, shift, &out));
    for (int32_t i = 0; i < 9; ++i) {
        TEST_NEAR(lyra_mesh_view(out).materials[0].orthotropic.axes[i], R[i], 1e-14);
    }
    lyra_mesh_destroy(out);
    TEST_REQUIRE_OK(lyra_mesh_transform(tree, mirror, shift, &out));
    TEST_NEAR(lyra_mesh_view(out).materials[0].orthotropic.axes[0], 1, 0);
    lyra_mesh_destroy(out);
    lyra_mesh_destroy(mesh);
    lyra_mesh_destroy(tree);
    test_context_end(ctx);
}

// ---- memory -------------------------------------------------------------------------------------

static LyraStatus edit_once(LyraContext *ctx, void *data)
{
    const LyraMeshView *view = data;
    const int32_t list[3] = {3, 1, 0};
    const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, zero[3] = {0};
    LyraMesh *mesh = NULL, *out[7] = {NULL};
    LyraStatus status = lyra_mesh_create(ctx, view, &mesh);
    status = status ? status : lyra_mesh_submesh(mesh, 3, list, NULL, NULL, &out[0]);
    status = status ? status : lyra_mesh_shuffle(mesh, 7, NULL, NULL, &out[1]);
    status = status ? status : lyra_mesh_remove_orphans(mesh, NULL, &out[2]);
    status = status ? status : lyra_mesh_merge_vertices(mesh, 1e-3, NULL, &out[3]);
    status = status ? status : lyra_mesh_refine(mesh, &out[4]);
    status = status ? status : lyra_mesh_orient(mesh, NULL, &out[5]);
    status = status ? status : lyra_mesh_transform(mesh, unit, zero, &out[6]);
    for (int32_t i = 0; i < 7; ++i) {
        lyra_mesh_destroy(out[i]);
    }
    lyra_mesh_destroy(mesh);
    return status;
}

LYRA_TEST(edits_survive_failing_allocations)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int kind = 0; kind < 2; ++kind) {
        LyraMesh *plain = sample_box(ctx, (LyraElementKind)kind, 2, 2, 1, 1);
        LyraMesh *mesh = sample_grouped(ctx, plain);
        LyraMeshView view = lyra_mesh_view(mesh);
        test_fail_each_allocation(edit_once, &view);
        lyra_mesh_destroy(plain);
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}

static LyraStatus empty_once(LyraContext *ctx, void *data)
{
    return edit_once(ctx, data) == LYRA_INVALID_ARGUMENT ? LYRA_OK : LYRA_BAD_MESH;
}

LYRA_TEST(edits_accept_empty_meshes)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int kind = 0; kind < 2; ++kind) {
        LyraMeshView view = {.kind = (LyraElementKind)kind};
        // only the list of elements is refused
        TEST_OK(empty_once(ctx, &view));
        LyraMesh *mesh = NULL, *out = NULL;
        const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, zero[3] = {0};
        TEST_REQUIRE_OK(lyra_mesh_create(ctx, &view, &mesh));
        TEST_OK(lyra_mesh_shuffle(mesh, 7, NULL, NULL, &out));
        lyra_mesh_destroy(out);
        TEST_OK(lyra_mesh_remove_orphans(mesh, NULL, &out));
        lyra_mesh_destroy(out);
        TEST_OK(lyra_mesh_merge_vertices(mesh, 0, NULL, &out));
        lyra_mesh_destroy(out);
        TEST_OK(lyra_mesh_refine(mesh, &out));
        lyra_mesh_destroy(out);
        TEST_OK(lyra_mesh_orient(mesh, NULL, &out));
        lyra_mesh_destroy(out);
        TEST_OK(lyra_mesh_transform(mesh, unit, zero, &out));
        lyra_mesh_destroy(out);
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}
