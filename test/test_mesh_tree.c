// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Trees against scans over all vertices and elements.

#include "lyra/embed.h"
#include "lyra_test.h"
#include "mesh_shapes.h"

#include <string.h>

// ---- elements -----------------------------------------------------------------------------------

enum { POINTS = 600 };

// points inside, outside, on vertices, edges and faces of the mesh, and far away
static void make_points(const LyraMeshView *view, double offset, double *points)
{
    TestRandom random = test_random(11);
    int32_t nodes = lyra_element_kind_nodes(view->kind);
    for (int32_t k = 0; k < POINTS; ++k) {
        double *p = points + 3 * k, weights[8] = {0}, sum = 0;
        int32_t e = test_random_below(&random, view->element_count);
        int32_t on = k % 6; // vertices of an element that the point is a mixture of
        if (on == 0 || on == 5) {
            double reach = k % 30 == 5 ? 100 : 0.4;
            for (int32_t i = 0; i < 3; ++i) {
                p[i] = offset + test_random_in(&random, -reach, 1 + reach);
            }
            continue;
        }
        for (int32_t a = 0; a < on; ++a) {
            weights[a] = on == 1 ? 1 : test_random_in(&random, 0.1, 1);
            sum += weights[a];
        }
        for (int32_t i = 0; i < 3; ++i) {
            p[i] = 0;
            for (int32_t a = 0; a < on; ++a) {
                p[i] += weights[a] / sum * shapes_vertex(view, e, (a + k) % nodes)[i];
            }
        }
    }
}

static void check_against_scan(LyraElementKind kind, double offset, double jitter, bool inverted)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    LyraMesh *mesh = shapes_box(ctx, kind, 5, offset, jitter, inverted);
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraElementTree *tree = NULL;
    TEST_OK(lyra_element_tree_create(mesh, &tree));
    int32_t nodes = lyra_element_kind_nodes(kind);
    double points[3 * POINTS], weights[8 * POINTS], more_weights[8 * POINTS];
    double distances[POINTS], closest[3 * POINTS];
    int32_t containing[POINTS], found[POINTS], inside_count = 0;
    make_points(&view, offset, points);
    lyra_element_tree_containing(tree, POINTS, points, containing, weights);
    lyra_element_tree_closest(tree, POINTS, points,
                              &(LyraClosestElements){found, distances, closest, more_weights});
    // weights of rounding where coordinates are large
    double slack = 1e-9 * (1 + offset);
    for (int32_t k = 0; k < POINTS; ++k) {
        const double *p = points + 3 * k;
        int32_t e = containing[k];
        double least = INFINITY;
        for (int32_t c = 0; c < view.element_count; ++c) {
            double depth = shapes_depth(&view, c, p);
            // whoever holds the point clearly has an id of at least that which was found
            if (depth > slack && (e < 0 || c < e)) {
                TEST_CHECK_MSG(false, "point %d is in element %d, found %d", k, c, e);
            }
            least = fmin(least, shapes_distance(&view, c, p));
        }
        if (e >= 0) {
            ++inside_count;
            TEST_CHECK_MSG(shapes_depth(&view, e, p) > -slack, "point %d is not in %d", k, e);
            TEST_EQUAL(found[k], e);
            TEST_CHECK(distances[k] == 0 && memcmp(closest + 3 * k, p, 3 * sizeof *p) == 0);
            TEST_CHECK(memcmp(weights + nodes * k, more_weights + nodes * k,
                              (size_t)nodes * sizeof *weights) == 0);
            continue;
        }
        TEST_REQUIRE(found[k] >= 0);
        TEST_CHECK(distances[k] > 0 && least > 0);
        TEST_NEAR(distances[k], least, 1e-12 * (1 + offset + least));
        TEST_NEAR(shapes_distance(&view, found[k], p), least, 1e-11 * (1 + offset + least));
        double d[3] = {closest[3 * k] - p[0], closest[3 * k + 1] - p[1], closest[3 * k + 2] - p[2]};
        TEST_NEAR(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), distances[k],
                  1e-15 * (1 + offset + least));
        // of the elements that are as close, the lowest id
        for (int32_t c = 0; c < found[k]; ++c) {
            TEST_CHECK(shapes_distance(&view, c, p) > least);
        }
        for (int32_t a = 0; a < nodes; ++a) {
            TEST_CHECK(weights[nodes * k + a] == 0);
        }
    }
    // vertices, edges, faces and insides are all found
    TEST_CHECK_MSG(inside_count >= 4 * POINTS / 6, "%d points inside", inside_count);
    lyra_element_tree_destroy(tree);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(tets_match_a_scan)
{
    check_against_scan(LYRA_ELEMENT_TET4, 0, 0.2, false);
}

LYRA_TEST(regular_tets_match_a_scan)
{
    check_against_scan(LYRA_ELEMENT_TET4, 0, 0, false);
}

LYRA_TEST(inverted_tets_match_a_scan)
{
    check_against_scan(LYRA_ELEMENT_TET4, 0, 0.2, true);
}

LYRA_TEST(tets_far_from_the_origin_match_a_scan)
{
    check_against_scan(LYRA_ELEMENT_TET4, 1e5, 0.2, false);
}

LYRA_TEST(cubes_match_a_scan)
{
    check_against_scan(LYRA_ELEMENT_CUBE8, 0, 0, false);
    check_against_scan(LYRA_ELEMENT_CUBE8, 1000, 0, false);
}

LYRA_TEST(points_on_vertices_find_the_lowest_element)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = shapes_box(ctx, LYRA_ELEMENT_TET4, 4, 0, 0.2, false);
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraElementTree *tree = NULL;
    TEST_OK(lyra_element_tree_create(mesh, &tree));
    for (int32_t v = 0; v < view.vertex_count; ++v) {
        int32_t element, lowest = 0;
        lyra_element_tree_containing(tree, 1, view.positions + 3 * v, &element, NULL);
        while (view.elements[4 * lowest] != v && view.elements[4 * lowest + 1] != v &&
               view.elements[4 * lowest + 2] != v && view.elements[4 * lowest + 3] != v) {
            ++lowest;
        }
        TEST_EQUAL(element, lowest);
    }
    lyra_element_tree_destroy(tree);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

// a good tet among flat ones, needles and points
LYRA_TEST(elements_of_no_volume_hold_no_point)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.3, 0.3, 0, 1, 1, 0};
    const int32_t elements[] = {0, 1, 2, 4, 0, 0, 0, 0, 0, 1, 2, 5, 0, 1, 1, 3, 0, 1, 2, 3};
    LyraMeshView data = {
        .vertex_count = 6, .element_count = 5, .positions = positions, .elements = elements};
    const double points[] = {0.1, 0.1, 0.1, 0.3, 0.3, 0, 0, 0, 0, 5, 5, 5, 0.9, 0.9, 0};
    int32_t found[5];
    double weights[20], distances[5];
    LyraMesh *mesh = NULL;
    LyraElementTree *tree = NULL;
    TEST_OK(lyra_mesh_create(ctx, &data, &mesh));
    TEST_OK(lyra_element_tree_create(mesh, &tree));
    lyra_element_tree_closest(
        tree, 5, points,
        &(LyraClosestElements){.elements = found, .distances = distances, .weights = weights});
    for (int32_t k = 0; k < 5; ++k) {
        TEST_EQUAL(found[k], 4);
        TEST_CHECK(isfinite(distances[k]));
        for (int32_t a = 0; a < 4; ++a) {
            TEST_CHECK(isfinite(weights[4 * k + a]));
        }
    }
    lyra_element_tree_destroy(tree);
    lyra_mesh_destroy(mesh);
    // none but flat ones
    data.element_count = 4;
    TEST_OK(lyra_mesh_create(ctx, &data, &mesh));
    TEST_OK(lyra_element_tree_create(mesh, &tree));
    lyra_element_tree_closest(
        tree, 5, points,
        &(LyraClosestElements){.elements = found, .distances = distances, .weights = weights});
    for (int32_t k = 0; k < 5; ++k) {
        TEST_EQUAL(found[k], -1);
        TEST_CHECK(isinf(distances[k]) && weights[4 * k] == 0);
    }
    lyra_element_tree_containing(tree, 5, points, found, weights);
    TEST_EQUAL(found[0], -1);
    lyra_element_tree_destroy(tree);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(empty_meshes_and_bad_points_find_nothing)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = NULL;
    LyraElementTree *tree = NULL;
    LyraMeshView none = {0};
    int32_t found = 0;
    double distance = 0;
    const double points[][3] = {{NAN, 0, 0}, {0, INFINITY, 0}, {0, 0, -1e51}, {0, 0, 1e300}};
    TEST_OK(lyra_mesh_create(ctx, &none, &mesh));
    TEST_OK(lyra_element_tree_create(mesh, &tree));
    lyra_element_tree_containing(tree, 1, (double[3]){0}, &found, NULL);
    TEST_EQUAL(found, -1);
    lyra_element_tree_destroy(tree);
    lyra_mesh_destroy(mesh);
    mesh = shapes_box(ctx, LYRA_ELEMENT_TET4, 2, 0, 0, false);
    TEST_OK(lyra_element_tree_create(mesh, &tree));
    TEST_NEAR(lyra_element_tree_tolerance(tree), 1e-12 * (1 + sqrt(3)), 1e-20);
    for (int32_t k = 0; k < 4; ++k) {
        lyra_element_tree_closest(
            tree, 1, points[k], &(LyraClosestElements){.elements = &found, .distances = &distance});
        TEST_EQUAL(found, -1);
        TEST_CHECK(isinf(distance));
    }
    // far away all elements are equally far but for rounding
    double closest[3];
    lyra_element_tree_closest(tree, 1, (double[3]){1e6, 0.5, 0.5},
                              &(LyraClosestElements){&found, &distance, closest, NULL});
    TEST_NEAR(closest[0], 1, 1e-7);
    lyra_element_tree_closest(tree, 1, (double[3]){9e49, 0.5, 0.5},
                              &(LyraClosestElements){&found, &distance, closest, NULL});
    TEST_CHECK(found >= 0 && isfinite(distance) && isfinite(closest[0]));
    lyra_element_tree_containing(tree, 0, NULL, NULL, NULL);
    lyra_element_tree_destroy(tree);
    lyra_mesh_destroy(mesh);
    lyra_element_tree_destroy(NULL);
    test_context_end(ctx);
}

LYRA_TEST(trees_refuse_what_they_cannot_serve)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraElementTree *tree = NULL;
    LyraMesh *cubes = shapes_box(ctx, LYRA_ELEMENT_CUBE8, 1, 0, 0, false);
    LyraMeshView view = lyra_mesh_view(cubes);
    double positions[24];
    memcpy(positions, view.positions, sizeof positions);
    positions[0] += 0.01;
    view.positions = positions;
    LyraMesh *mesh = NULL;
    TEST_OK(lyra_mesh_create(ctx, &view, &mesh));
    TEST_STATUS(lyra_element_tree_create(mesh, &tree), LYRA_BAD_MESH);
    TEST_CONTAINS(lyra_error_message(), "aligned");
    lyra_mesh_destroy(mesh);
    positions[0] = 1e60;
    TEST_OK(lyra_mesh_create(ctx, &view, &mesh));
    TEST_STATUS(lyra_element_tree_create(mesh, &tree), LYRA_BAD_MESH);
    TEST_CHECK(tree == NULL);
    lyra_mesh_destroy(mesh);
    lyra_mesh_destroy(cubes);
    test_context_end(ctx);
}

static void find_all(LyraContext *ctx, void *data, void *out)
{
    (void)data;
    LyraMesh *mesh = shapes_box(ctx, LYRA_ELEMENT_TET4, 6, 0, 0.2, false);
    LyraElementTree *tree = NULL;
    TEST_OK(lyra_element_tree_create(mesh, &tree));
    TestRandom random = test_random(3);
    double *values = out, points[3 * 3000];
    for (int32_t i = 0; i < 9000; ++i) {
        points[i] = test_random_in(&random, -0.5, 1.5);
    }
    int64_t before = test_allocation_count();
    lyra_element_tree_closest(
        tree, 3000, points, &(LyraClosestElements){.distances = values, .weights = values + 3000});
    TEST_EQUAL(test_allocation_count(), before);
    lyra_element_tree_destroy(tree);
    lyra_mesh_destroy(mesh);
}

LYRA_TEST(queries_give_the_same_bits_and_allocate_nothing)
{
    test_same_bits(find_all, NULL, sizeof(double) * 15000);
}

static LyraStatus create_trees(LyraContext *ctx, void *data)
{
    LyraMeshView *view = data;
    LyraMesh *mesh = NULL;
    LyraElementTree *tree = NULL;
    LyraVertexTree *vertices = NULL;
    LyraStatus status = lyra_mesh_create(ctx, view, &mesh);
    if (status == LYRA_OK) {
        status = lyra_element_tree_create(mesh, &tree);
    }
    if (status == LYRA_OK) {
        status = lyra_vertex_tree_create(ctx, view->vertex_count, view->positions, &vertices);
    }
    lyra_vertex_tree_destroy(vertices);
    lyra_element_tree_destroy(tree);
    lyra_mesh_destroy(mesh);
    return status;
}

LYRA_TEST(trees_survive_failing_allocations)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = shapes_box(ctx, LYRA_ELEMENT_TET4, 3, 0, 0, false);
    LyraMeshView view = lyra_mesh_view(mesh);
    view.material_count = 0;
    test_fail_each_allocation(create_trees, &view);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

// ---- vertices -----------------------------------------------------------------------------------

static void check_vertices(LyraContext *ctx, int32_t count, const double *positions, double reach)
{
    enum { QUERIES = 300 };
    LyraVertexTree *tree = NULL;
    TEST_OK(lyra_vertex_tree_create(ctx, count, positions, &tree));
    TestRandom random = test_random(5);
    double points[3 * QUERIES], distances[QUERIES];
    int32_t ids[QUERIES];
    for (int32_t k = 0; k < QUERIES; ++k) {
        for (int32_t i = 0; i < 3; ++i) {
            points[3 * k + i] = test_random_in(&random, -reach, reach);
        }
        // half of them on vertices
        if (k % 2 == 0 && count > 0) {
            memcpy(points + 3 * k, positions + 3 * test_random_below(&random, count),
                   3 * sizeof *points);
        }
    }
    lyra_vertex_tree_closest(tree, QUERIES, points, ids, distances);
    for (int32_t k = 0; k < QUERIES; ++k) {
        int32_t best = -1;
        double least = INFINITY;
        for (int32_t v = 0; v < count; ++v) {
            double d2 = 0;
            for (int32_t i = 0; i < 3; ++i) {
                double d = points[3 * k + i] - positions[3 * v + i];
                d2 += d * d;
            }
            if (d2 < least) {
                least = d2;
                best = v;
            }
        }
        TEST_EQUAL(ids[k], best);
        TEST_NEAR(distances[k], sqrt(least), 1e-15 * reach);
    }
    lyra_vertex_tree_destroy(tree);
}

LYRA_TEST(closest_vertices_match_a_scan)
{
    LyraContext *ctx = test_context(3, LYRA_ISA_AUTO);
    enum { COUNT = 3000 };
    double *positions = malloc(sizeof *positions * 3 * COUNT);
    TestRandom random = test_random(9);
    for (int32_t i = 0; i < 3 * COUNT; ++i) {
        positions[i] = test_random_in(&random, -1, 1);
    }
    for (int32_t count = 0; count < 70; ++count) {
        check_vertices(ctx, count, positions, 1);
    }
    check_vertices(ctx, COUNT, positions, 1);
    check_vertices(ctx, COUNT, positions, 3);
    // on a grid, with every vertex several times: ties
    for (int32_t i = 0; i < 3 * COUNT; ++i) {
        positions[i] = test_random_below(&random, 5);
    }
    check_vertices(ctx, COUNT, positions, 6);
    // all in one place, on a line, and far away in a tight bunch
    for (int32_t i = 0; i < 3 * COUNT; ++i) {
        positions[i] = 4;
    }
    check_vertices(ctx, COUNT, positions, 6);
    for (int32_t i = 0; i < 3 * COUNT; ++i) {
        positions[i] = i % 3 == 0 ? i : 1e-3;
    }
    check_vertices(ctx, COUNT, positions, 6000);
    for (int32_t i = 0; i < 3 * COUNT; ++i) {
        positions[i] = 1e6 + test_random_in(&random, 0, 1e-3);
    }
    check_vertices(ctx, COUNT, positions, 1e6);
    free(positions);
    test_context_end(ctx);
}

LYRA_TEST(vertex_trees_refuse_bad_points)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraVertexTree *tree = NULL;
    TEST_STATUS(lyra_vertex_tree_create(ctx, 1, (double[3]){0, NAN, 0}, &tree), LYRA_NOT_FINITE);
    TEST_STATUS(lyra_vertex_tree_create(ctx, 1, (double[3]){0, 1e50, 0}, &tree), LYRA_NOT_FINITE);
    TEST_STATUS(lyra_vertex_tree_create(ctx, -1, NULL, &tree), LYRA_INVALID_ARGUMENT);
    TEST_CHECK(tree == NULL);
    TEST_OK(lyra_vertex_tree_create(ctx, 1, (double[3]){0}, &tree));
    int32_t id = 7;
    double distance = 0;
    lyra_vertex_tree_closest(tree, 1, (double[3]){NAN, 0, 0}, &id, &distance);
    TEST_EQUAL(id, -1);
    TEST_CHECK(isinf(distance));
    lyra_vertex_tree_destroy(tree);
    test_context_end(ctx);
}

LYRA_TEST(many_in_one_place_are_found_as_fast_as_one)
{
    // a product of points and queries would be felt
    enum { MANY = 100000, QUERIES = 50000 };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double *points = malloc(sizeof(double) * 3 * MANY),
           *asked = malloc(sizeof(double) * 3 * QUERIES);
    int32_t *ids = malloc(sizeof *ids * QUERIES), *elements = malloc(sizeof *elements * 4 * MANY);
    // two places, from id 3 on in turns, and three other points
    static const double corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    memcpy(points, corners, sizeof corners);
    for (int32_t i = 3; i < MANY; ++i) {
        points[3 * i] = points[3 * i + 1] = points[3 * i + 2] = i % 2 ? 0.5 : 0.25;
    }
    for (int32_t i = 0; i < QUERIES; ++i) {
        asked[3 * i] = asked[3 * i + 1] = 0.25;
        asked[3 * i + 2] = 0.25 + 1e-6 * i;
    }
    LyraVertexTree *tree = NULL;
    TEST_REQUIRE_OK(lyra_vertex_tree_create(ctx, MANY, points, &tree));
    lyra_vertex_tree_closest(tree, QUERIES, asked, ids, NULL);
    for (int32_t i = 0; i < QUERIES; ++i) {
        TEST_REQUIRE(ids[i] == 4);
    }
    lyra_vertex_tree_destroy(tree);
    // as many elements in one place
    memcpy(points, corners, sizeof corners);
    for (int32_t i = 0; i < 4 * MANY; ++i) {
        elements[i] = i % 4;
    }
    LyraMeshView view = {
        .vertex_count = 4, .element_count = MANY, .positions = points, .elements = elements};
    LyraMesh *mesh = NULL;
    LyraElementTree *element_tree = NULL;
    TEST_REQUIRE_OK(lyra_mesh_create(ctx, &view, &mesh));
    TEST_REQUIRE_OK(lyra_element_tree_create(mesh, &element_tree));
    lyra_element_tree_containing(element_tree, QUERIES, asked, ids, NULL);
    for (int32_t i = 0; i < QUERIES; ++i) {
        TEST_REQUIRE(ids[i] == 0);
    }
    lyra_element_tree_destroy(element_tree);
    lyra_mesh_destroy(mesh);
    free(elements);
    free(ids);
    free(asked);
    free(points);
    test_context_end(ctx);
}
