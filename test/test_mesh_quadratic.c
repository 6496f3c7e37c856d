// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Tets of 10 nodes and general hexahedra: what meshes of them answer.

#include "curved_shapes.h"
#include "lyra/embed.h"
#include "lyra/mesh_ops.h"
#include "lyra/solid.h"
#include "mesh/element.h"
#include "mesh/element_map.h"

#define PI 3.14159265358979323846

static LyraMesh *ball(LyraContext *ctx, LyraMeshShape shape, int32_t elements)
{
    LyraMeshShapeDef def = lyra_mesh_shape_def_default();
    LyraMesh *mesh = NULL;
    def.shape = shape;
    def.kind = LYRA_ELEMENT_TET10;
    def.elements = elements;
    def.center[1] = 0.5;
    TEST_OK(lyra_mesh_generate(ctx, &def, &mesh));
    return mesh;
}

// ---- volume and mass ----------------------------------------------------------------------------

LYRA_TEST(curved_bodies_have_the_volume_of_their_shape)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    const double volumes[] = {[LYRA_MESH_SHAPE_SPHERE] = 4 * PI / 3,
                              [LYRA_MESH_SHAPE_CYLINDER] = 2 * PI,
                              [LYRA_MESH_SHAPE_TORUS] = 2 * PI * PI * 0.16};
    for (int shape = LYRA_MESH_SHAPE_SPHERE; shape <= LYRA_MESH_SHAPE_TORUS; ++shape) {
        double errors[2], plain = 0;
        for (int fine = 0; fine < 2; ++fine) {
            LyraMesh *mesh = ball(ctx, (LyraMeshShape)shape, fine ? 8000 : 1000), *linear = NULL;
            LyraMassProperties mass;
            LyraMeshQuality quality;
            TEST_OK(lyra_mesh_mass_properties(mesh, NULL, &mass));
            errors[fine] = fabs(mass.volume / volumes[shape] - 1);
            TEST_OK(lyra_mesh_quality(mesh, &quality));
            TEST_EQUAL(quality.inverted + quality.folded + quality.degenerate, 0);
            TEST_OK(lyra_mesh_linear(mesh, NULL, &linear));
            TEST_OK(lyra_mesh_mass_properties(linear, NULL, &mass));
            plain = fabs(mass.volume / volumes[shape] - 1);
            lyra_mesh_destroy(linear);
            lyra_mesh_destroy(mesh);
        }
        // straight edges are off by h^2, curved ones by h^4: with half the edges some 16 times less
        TEST_CHECK_MSG(errors[1] < 0.02 * plain, "%s: %g, straight %g",
                       lyra_mesh_shape_name((LyraMeshShape)shape), errors[1], plain);
        TEST_CHECK_MSG(errors[1] < 0.125 * errors[0], "%s: %g then %g",
                       lyra_mesh_shape_name((LyraMeshShape)shape), errors[0], errors[1]);
    }
    test_context_end(ctx);
}

// the closed table of a straight tet, and the integral of one that is bent by rounding
LYRA_TEST(the_mass_of_a_straight_tet_is_the_integral)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *straight = curved_box(ctx, LYRA_ELEMENT_TET10, 1, 1, 1, 1, 0.2, 0);
    LyraMesh *bent = curved_box(ctx, LYRA_ELEMENT_TET10, 1, 1, 1, 1, 0.2, 1e-11);
    double a[6 * 55], b[6 * 55], lumped[64], volume[6];
    lyra_mesh_element_masses(straight, NULL, a);
    lyra_mesh_element_masses(bent, NULL, b);
    for (int32_t i = 0; i < 6 * 55; ++i) {
        TEST_NEAR(a[i], b[i], 1e-7);
    }
    lyra_mesh_element_volumes(straight, volume);
    LyraMeshView view = lyra_mesh_view(straight);
    for (int32_t e = 0; e < 6; ++e) {
        double sum = 0;
        for (int32_t p = 0, k = 0; p < 10; ++p) {
            for (int32_t q = p; q < 10; ++q, ++k) {
                sum += (p == q ? 1 : 2) * a[55 * e + k];
            }
        }
        TEST_NEAR(sum, 1000 * volume[e], 1e-10);
    }
    lyra_mesh_lumped_masses(straight, NULL, lumped);
    double sum = 0, whole = 0;
    for (int32_t v = 0; v < view.vertex_count; ++v) {
        TEST_CHECK(lumped[v] > 0);
        sum += lumped[v];
    }
    for (int32_t e = 0; e < 6; ++e) {
        whole += 1000 * volume[e];
    }
    TEST_NEAR(sum, whole, 1e-9);
    lyra_mesh_destroy(straight);
    lyra_mesh_destroy(bent);
    test_context_end(ctx);
}

LYRA_TEST(moments_of_curved_elements_agree_with_their_refinement)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = curved_box(ctx, LYRA_ELEMENT_TET10, 2, 1, 1, 0.5, 0.1, 0.06), *fine = NULL;
    LyraMassProperties a, b;
    TEST_OK(lyra_mesh_refine(mesh, &fine));
    TEST_EQUAL(lyra_mesh_view(fine).element_count, 8 * lyra_mesh_view(mesh).element_count);
    TEST_OK(lyra_mesh_mass_properties(mesh, NULL, &a));
    TEST_OK(lyra_mesh_mass_properties(fine, NULL, &b));
    // children are parts of their parents: their integrals are the same polynomials
    TEST_NEAR(a.volume, b.volume, 1e-14);
    for (int i = 0; i < 9; ++i) {
        TEST_NEAR(a.inertia[i], b.inertia[i], 1e-11);
    }
    lyra_mesh_destroy(fine);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(elements_turned_inside_out_are_turned_back)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const LyraElementKind kinds[] = {LYRA_ELEMENT_TET10, LYRA_ELEMENT_HEX8};
    for (int k = 0; k < 2; ++k) {
        LyraMesh *mesh = curved_box(ctx, kinds[k], 2, 1, 1, 1, 0.1, 0.05), *mirrored = NULL;
        LyraMesh *raw = NULL, *back = NULL;
        const double mirror[9] = {-1, 0, 0, 0, 1, 0, 0, 0, 1}, zero[3] = {0};
        LyraMeshQuality quality;
        LyraOrientReport report;
        TEST_OK(lyra_mesh_transform(mesh, mirror, zero, &mirrored));
        TEST_OK(lyra_mesh_quality(mirrored, &quality));
        TEST_EQUAL(quality.inverted + quality.folded, 0);
        // the elements as they were at mirrored places are inside out
        LyraMeshView view = lyra_mesh_view(mirrored);
        view.elements = lyra_mesh_view(mesh).elements;
        TEST_OK(lyra_mesh_create(ctx, &view, &raw));
        TEST_OK(lyra_mesh_quality(raw, &quality));
        TEST_EQUAL(quality.inverted, view.element_count);
        TEST_OK(lyra_mesh_orient(raw, &report, &back));
        TEST_EQUAL(report.flipped, view.element_count);
        TEST_OK(lyra_mesh_quality(back, &quality));
        TEST_EQUAL(quality.inverted + quality.folded, 0);
        lyra_mesh_destroy(back);
        lyra_mesh_destroy(raw);
        lyra_mesh_destroy(mirrored);
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}

LYRA_TEST(elements_that_fold_over_are_counted)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = curved_box(ctx, LYRA_ELEMENT_TET10, 1, 1, 1, 1, 0, 0), *bad = NULL;
    LyraMeshView view = lyra_mesh_view(mesh);
    double x[3 * 64];
    memcpy(x, view.positions, 3 * (size_t)view.vertex_count * sizeof *x);
    // the middle of an edge of element 2 close to one of its ends
    const int32_t *v = view.elements + 20;
    for (int i = 0; i < 3; ++i) {
        x[3 * v[4] + i] = 0.9 * x[3 * v[0] + i] + 0.1 * x[3 * v[1] + i];
    }
    view.positions = x;
    TEST_OK(lyra_mesh_create(ctx, &view, &bad));
    LyraMeshQuality quality;
    TEST_OK(lyra_mesh_quality(bad, &quality));
    TEST_EQUAL(quality.inverted, 0);
    TEST_CHECK(quality.folded > 0 && quality.first_folded >= 0 && quality.first_folded <= 2);
    lyra_mesh_destroy(bad);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(elements_whose_middles_turn_them_inside_out_fold)
{
    // the middles mirrored alone: the volume is negative, the corners are in order
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = curved_box(ctx, LYRA_ELEMENT_TET10, 1, 1, 1, 1, 0, 0), *one = NULL;
    LyraMesh *bad = NULL, *turned = NULL;
    const int32_t first = 0;
    TEST_OK(lyra_mesh_submesh(mesh, 1, &first, NULL, NULL, &one));
    LyraMeshView view = lyra_mesh_view(one);
    double x[3 * 10], volume;
    memcpy(x, view.positions, sizeof x);
    for (int32_t a = 4; a < 10; ++a) {
        x[3 * view.elements[a]] = 1 - x[3 * view.elements[a]];
    }
    view.positions = x;
    TEST_OK(lyra_mesh_create(ctx, &view, &bad));
    lyra_mesh_element_volumes(bad, &volume);
    TEST_CHECK_MSG(volume < -1e-3, "%g", volume);
    LyraMeshQuality quality;
    LyraOrientReport report;
    TEST_OK(lyra_mesh_quality(bad, &quality));
    TEST_CHECK(quality.inverted == 0 && quality.folded == 1 && quality.first_folded == 0);
    TEST_OK(lyra_mesh_orient(bad, &report, &turned));
    TEST_EQUAL(report.flipped, 0);
    LyraSolidDef def = lyra_solid_def_default();
    LyraSolid *solid = NULL;
    TEST_STATUS(lyra_solid_create(ctx, bad, &def, &solid), LYRA_BAD_MESH);
    TEST_CHECK_MSG(strstr(lyra_error_message(), "element 0 folds over"), "%s",
                   lyra_error_message());
    lyra_mesh_destroy(turned);
    lyra_mesh_destroy(bad);
    lyra_mesh_destroy(one);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

// ---- topology -----------------------------------------------------------------------------------

LYRA_TEST(faces_of_six_vertices_bound_curved_bodies)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = ball(ctx, LYRA_MESH_SHAPE_SPHERE, 500), *linear = NULL;
    LyraMeshBoundary *curved = NULL, *flat = NULL, *corners = NULL;
    TEST_OK(lyra_mesh_linear(mesh, NULL, &linear));
    TEST_OK(lyra_mesh_boundary_create(mesh, false, &curved));
    TEST_OK(lyra_mesh_boundary_create(mesh, true, &flat));
    TEST_OK(lyra_mesh_boundary_create(linear, true, &corners));
    LyraMeshBoundaryView six = lyra_mesh_boundary_view(curved),
                         three = lyra_mesh_boundary_view(flat);
    TEST_EQUAL(six.nodes, 6);
    TEST_EQUAL(six.face_count, lyra_mesh_boundary_view(corners).face_count);
    TEST_EQUAL(three.face_count, 4 * six.face_count);
    const double *x = lyra_mesh_view(mesh).positions;
    double volume = 0;
    for (int32_t f = 0; f < three.face_count; ++f) {
        const double *a = x + 3 * three.faces[3 * f], *b = x + 3 * three.faces[3 * f + 1];
        const double *c = x + 3 * three.faces[3 * f + 2];
        volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                   a[2] * (b[0] * c[1] - b[1] * c[0])) /
                  6;
        // every vertex lies on the ball of radius 1 about (0, 0.5, 0)
        TEST_NEAR(hypot(hypot(a[0], a[1] - 0.5), a[2]), 1, 1e-14);
    }
    // outward, and closed
    TEST_CHECK_MSG(volume > 4 && volume < 4 * PI / 3, "%g", volume);
    int32_t *mine = malloc(4 * sizeof *mine * (size_t)lyra_mesh_view(mesh).element_count);
    int32_t *theirs = malloc(4 * sizeof *theirs * (size_t)lyra_mesh_view(mesh).element_count);
    TEST_OK(lyra_mesh_neighbors(mesh, mine));
    TEST_OK(lyra_mesh_neighbors(linear, theirs));
    TEST_EQUAL(memcmp(mine, theirs, 4 * sizeof *mine * (size_t)lyra_mesh_view(mesh).element_count),
               0);
    free(mine);
    free(theirs);
    lyra_mesh_boundary_destroy(curved);
    lyra_mesh_boundary_destroy(flat);
    lyra_mesh_boundary_destroy(corners);
    lyra_mesh_destroy(linear);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(each_middle_stands_between_the_corners_of_its_edge_and_face)
{
    double r[10][3];
    const double corner[4][3] = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0, 0, 2}};
    memcpy(r, corner, sizeof corner);
    for (int32_t e = 0; e < 6; ++e) {
        const int32_t *ends = lyra_element_kind_edge(LYRA_ELEMENT_TET10, e);
        for (int i = 0; i < 3; ++i) {
            r[4 + e][i] = 0.5 * (r[ends[0]][i] + r[ends[1]][i]);
        }
    }
    // as in VTK and Abaqus
    const double expected[6][3] = {{1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                   {0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
    TEST_EQUAL(memcmp(r[4], expected, sizeof expected), 0);
    for (int32_t f = 0; f < 4; ++f) {
        const int32_t *face = lyra_element_kind_face(LYRA_ELEMENT_TET10, f);
        for (int a = 0; a < 3; ++a) {
            for (int i = 0; i < 3; ++i) {
                TEST_NEAR(r[face[3 + a]][i], 0.5 * (r[face[a]][i] + r[face[(a + 1) % 3]][i]), 0);
            }
        }
    }
}

LYRA_TEST(quadratic_and_linear_undo_each_other)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *plain = curved_box(ctx, LYRA_ELEMENT_TET4, 2, 2, 2, 1, 0.1, 0), *mesh = NULL;
    LyraMesh *made = NULL, *back = NULL, *none = NULL;
    LyraMeshView view = lyra_mesh_view(plain);
    int32_t low[64], count = 0;
    for (int32_t v = 0; v < view.vertex_count; ++v) {
        if (view.positions[3 * v + 2] < 0.3) {
            low[count++] = v;
        }
    }
    const LyraMeshVertexSet held = {.name = "held", .vertices = low, .count = count};
    const int32_t faces[] = {0, 3, 5, 0}, some[] = {1, 4};
    const LyraMeshFaceSet lid = {.name = "lid", .faces = faces, .count = 2};
    const LyraMeshSet set = {.name = "some", .elements = some, .count = 2};
    view.vertex_set_count = view.face_set_count = view.set_count = 1;
    view.vertex_sets = &held;
    view.face_sets = &lid;
    view.sets = &set;
    TEST_OK(lyra_mesh_create(ctx, &view, &mesh));
    TEST_OK(lyra_mesh_quadratic(mesh, &made));
    LyraMeshView ten = lyra_mesh_view(made);
    // 9 vertices of the low face, and on its 8 triangles 16 edges
    TEST_EQUAL(count, 9);
    TEST_EQUAL(ten.vertex_sets[0].count, 9 + 16);
    for (int32_t i = 9; i < ten.vertex_sets[0].count; ++i) {
        TEST_CHECK(ten.positions[3 * ten.vertex_sets[0].vertices[i] + 2] < 0.3);
    }
    TEST_OK(lyra_mesh_linear(made, NULL, &back));
    LyraMeshView four = lyra_mesh_view(back);
    TEST_EQUAL(four.vertex_count, view.vertex_count);
    TEST_EQUAL(memcmp(four.elements, view.elements, 16 * (size_t)view.element_count), 0);
    TEST_EQUAL(memcmp(four.positions, view.positions, 24 * (size_t)view.vertex_count), 0);
    TEST_EQUAL(four.vertex_sets[0].count, 9);
    TEST_EQUAL(memcmp(four.face_sets[0].faces, faces, sizeof faces), 0);
    TEST_EQUAL(memcmp(four.sets[0].elements, some, sizeof some), 0);
    TEST_STATUS(lyra_mesh_quadratic(made, &none), LYRA_UNSUPPORTED);
    TEST_STRING(lyra_error_message(), "quadratic: the elements are of kind tet10, expected tet");
    TEST_STATUS(lyra_mesh_linear(mesh, NULL, &none), LYRA_UNSUPPORTED);
    TEST_STRING(lyra_error_message(), "linear: the elements are of kind tet, expected tet10");
    lyra_mesh_destroy(back);
    lyra_mesh_destroy(made);
    lyra_mesh_destroy(mesh);
    lyra_mesh_destroy(plain);
    test_context_end(ctx);
}

static LyraStatus change_orders(LyraContext *ctx, void *data)
{
    (void)data;
    LyraMeshShapeDef def = lyra_mesh_shape_def_default();
    LyraMesh *mesh = NULL, *fine = NULL, *linear = NULL;
    def.shape = LYRA_MESH_SHAPE_SPHERE;
    def.kind = LYRA_ELEMENT_TET10;
    def.elements = 30;
    LyraStatus status = lyra_mesh_generate(ctx, &def, &mesh);
    if (status == LYRA_OK) {
        status = lyra_mesh_refine(mesh, &fine);
    }
    if (status == LYRA_OK) {
        status = lyra_mesh_linear(fine, NULL, &linear);
    }
    lyra_mesh_destroy(mesh);
    lyra_mesh_destroy(fine);
    lyra_mesh_destroy(linear);
    return status;
}

LYRA_TEST(each_allocation_may_fail)
{
    test_fail_each_allocation(change_orders, NULL);
}

// ---- embedding ----------------------------------------------------------------------------------

static void check_embedding(LyraElementKind kind, double bend)
{
    enum { POINTS = 400 };
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    LyraMesh *mesh = curved_box(ctx, kind, 2, 2, 2, 0.5, 0.12, bend);
    LyraMeshView view = lyra_mesh_view(mesh);
    int32_t nodes = lyra_element_kind_nodes(kind);
    double *points = calloc(3 * POINTS, sizeof *points), *moved = calloc(3 * POINTS, sizeof *moved);
    int32_t found[POINTS];
    double *weights = calloc(10 * POINTS, sizeof *weights);
    TestRandom random = test_random(5);
    // images of random places in random elements
    for (int32_t p = 0; p < POINTS; ++p) {
        double xi[3], N[10], dN[10][3];
        do {
            for (int i = 0; i < 3; ++i) {
                xi[i] = test_random_in(&random, 0, 1);
            }
        } while (kind == LYRA_ELEMENT_TET10 && xi[0] + xi[1] + xi[2] > 1);
        ly_shape_functions(kind, xi, N, dN);
        const int32_t *v = view.elements + nodes * (p % view.element_count);
        for (int32_t a = 0; a < nodes; ++a) {
            for (int i = 0; i < 3; ++i) {
                points[3 * p + i] += N[a] * view.positions[3 * v[a] + i];
            }
        }
    }
    LyraElementTree *tree = NULL;
    TEST_REQUIRE_OK(lyra_element_tree_create(mesh, &tree));
    lyra_element_tree_containing(tree, POINTS, points, found, weights);
    for (int32_t p = 0; p < POINTS; ++p) {
        TEST_CHECK_MSG(found[p] == p % view.element_count, "point %d of element %d in %d", p,
                       p % view.element_count, found[p]);
    }
    lyra_element_tree_destroy(tree);
    // inside and outside: positions come back
    for (int32_t p = 0; p < POINTS; p += 2) {
        for (int i = 0; i < 3; ++i) {
            points[3 * p + i] = test_random_in(&random, -0.6, 1.6);
        }
    }
    LyraEmbedding *embedding = NULL;
    LyraEmbeddingReport report;
    TEST_REQUIRE_OK(lyra_embedding_create(mesh, POINTS, points, 0, &embedding, &report));
    TEST_CHECK(report.outside > 50 && report.outside <= 200);
    TEST_CHECK_MSG(report.distance > 0.5 && report.distance < 1.1, "%g", report.distance);
    lyra_embedding_interpolate(embedding, view.positions, moved);
    double largest = 0;
    LyraEmbeddingView data = lyra_embedding_view(embedding);
    for (int32_t i = 0; i < 3 * POINTS; ++i) {
        TEST_NEAR(moved[i], points[i], 1e-12);
    }
    for (int32_t i = 0; i < nodes * POINTS; ++i) {
        largest = fmax(largest, fabs(data.weights[i]));
    }
    // continued by gradients, weights grow as the distance and not as its square
    TEST_CHECK_MSG(largest < 40, "%g", largest);
    lyra_embedding_destroy(embedding);
    free(points);
    free(moved);
    free(weights);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(points_are_found_in_curved_tets)
{
    check_embedding(LYRA_ELEMENT_TET10, 0.05);
}

LYRA_TEST(points_are_found_in_straight_tets_of_ten_nodes)
{
    check_embedding(LYRA_ELEMENT_TET10, 0);
}

LYRA_TEST(points_are_found_in_hexahedra)
{
    check_embedding(LYRA_ELEMENT_HEX8, 0);
}

// the closest point of a curved element against a dense sampling of its faces
LYRA_TEST(the_closest_point_of_a_curved_element_is_the_closest)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const LyraElementKind kinds[] = {LYRA_ELEMENT_TET10, LYRA_ELEMENT_HEX8};
    for (int k = 0; k < 2; ++k) {
        LyraMesh *mesh = curved_box(ctx, kinds[k], 1, 1, 1, 1, 0.1, 0.06);
        TestRandom random = test_random(9);
        for (int32_t p = 0; p < 60; ++p) {
            LyElementShape shape = ly_element_shape(mesh, p % lyra_mesh_view(mesh).element_count);
            double point[3], closest[3], best = INFINITY;
            for (int i = 0; i < 3; ++i) {
                point[i] = test_random_in(&random, -0.7, 1.7);
            }
            double d = sqrt(ly_element_distance2(&shape, point, closest));
            enum { STEPS = 40 };
            for (int32_t q = 0; q < (STEPS + 1) * (STEPS + 1) * (STEPS + 1); ++q) {
                double xi[3] = {q % (STEPS + 1) / (double)STEPS,
                                q / (STEPS + 1) % (STEPS + 1) / (double)STEPS,
                                q / (STEPS + 1) / (STEPS + 1) / (double)STEPS};
                if (k == 0 && xi[0] + xi[1] + xi[2] > 1 + 1e-12) {
                    continue;
                }
                double N[10], dN[10][3], away = 0;
                ly_shape_functions(kinds[k], xi, N, dN);
                for (int i = 0; i < 3; ++i) {
                    double x = -point[i];
                    for (int32_t a = 0; a < lyra_element_kind_nodes(kinds[k]); ++a) {
                        x += N[a] * shape.x[a][i];
                    }
                    away += x * x;
                }
                best = fmin(best, sqrt(away));
            }
            // samples are a fortieth of the element apart
            TEST_CHECK_MSG(d <= best + 1e-12 && d > best - 0.04, "%d: %g, sampled %g", p, d, best);
        }
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}
