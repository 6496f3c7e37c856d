// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Neighbours, edges, boundary, components and quality.

#include "mesh_samples.h"

#define PI 3.14159265358979323846

// ---- tables of the element kinds ----------------------------------------------------------------

LYRA_TEST(local_faces_point_outward)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const int32_t tet[4] = {0, 1, 2, 3};
    LyraMesh *meshes[2] = {sample_raw(ctx, LYRA_ELEMENT_TET4, 4, x, 1, tet),
                           sample_box(ctx, LYRA_ELEMENT_CUBE8, 1, 1, 1, 1)};
    for (int32_t m = 0; m < 2; ++m) {
        LyraMeshView view = lyra_mesh_view(meshes[m]);
        int32_t nodes = lyra_element_kind_nodes(view.kind);
        for (int32_t f = 0; f < lyra_element_kind_faces(view.kind); ++f) {
            const int32_t *local = lyra_element_kind_face(view.kind, f);
            const double *p[3];
            double d[3][3], inside[3] = {0};
            for (int32_t i = 0; i < 3; ++i) {
                p[i] = view.positions + 3 * view.elements[local[i]];
            }
            for (int32_t i = 0; i < 3; ++i) {
                d[0][i] = p[1][i] - p[0][i];
                d[1][i] = p[2][i] - p[0][i];
                for (int32_t a = 0; a < nodes; ++a) {
                    inside[i] += view.positions[3 * view.elements[a] + i] / nodes;
                }
                d[2][i] = inside[i] - p[0][i];
            }
            double side = 0;
            for (int32_t i = 0; i < 3; ++i) {
                int32_t j = (i + 1) % 3, k = (i + 2) % 3;
                side += (d[0][j] * d[1][k] - d[0][k] * d[1][j]) * d[2][i];
            }
            TEST_CHECK(side < 0);
            if (view.kind == LYRA_ELEMENT_TET4) {
                TEST_CHECK(local[0] != f && local[1] != f && local[2] != f);
            }
        }
        lyra_mesh_destroy(meshes[m]);
    }
    TEST_EQUAL(lyra_element_kind_face_nodes(LYRA_ELEMENT_CUBE8), 4);
    test_context_end(ctx);
}

// ---- neighbours ---------------------------------------------------------------------------------

static bool has_vertex(const LyraMeshView *view, int32_t e, int32_t v)
{
    int32_t nodes = lyra_element_kind_nodes(view->kind);
    for (int32_t a = 0; a < nodes; ++a) {
        if (view->elements[nodes * e + a] == v) {
            return true;
        }
    }
    return false;
}

LYRA_TEST(neighbors_match_a_plain_search)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    for (int kind = 0; kind < 2; ++kind) {
        LyraMesh *plain = sample_box(ctx, (LyraElementKind)kind, 3, 4, 2, 1), *mesh = NULL;
        TEST_REQUIRE_OK(lyra_mesh_shuffle(plain, 5, NULL, NULL, &mesh));
        LyraMeshView view = lyra_mesh_view(mesh);
        int32_t faces = lyra_element_kind_faces(view.kind), nodes = kind ? 8 : 4;
        int32_t *neighbors = malloc((size_t)(view.element_count * faces) * sizeof *neighbors);
        TEST_REQUIRE_OK(lyra_mesh_neighbors(mesh, neighbors));
        for (int32_t i = 0; i < view.element_count * faces; ++i) {
            int32_t e = i / faces, found = -1;
            const int32_t *local = lyra_element_kind_face(view.kind, i % faces);
            for (int32_t other = 0; other < view.element_count; ++other) {
                bool all = other != e;
                for (int32_t a = 0; a < lyra_element_kind_face_nodes(view.kind); ++a) {
                    all = all && has_vertex(&view, other, view.elements[nodes * e + local[a]]);
                }
                found = all ? other : found;
            }
            TEST_EQUAL(neighbors[i], found);
        }
        free(neighbors);
        lyra_mesh_destroy(plain);
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}

LYRA_TEST(elements_around_vertices_are_listed_in_order)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = sample_shape(ctx, LYRA_MESH_SHAPE_SPHERE, 500);
    LyraMeshView view = lyra_mesh_view(mesh);
    int64_t *start = malloc(((size_t)view.vertex_count + 1) * sizeof *start);
    int32_t *list = malloc(4 * (size_t)view.element_count * sizeof *list);
    lyra_mesh_vertex_elements(mesh, start, list);
    TEST_EQUAL(start[0], 0);
    TEST_EQUAL(start[view.vertex_count], 4 * view.element_count);
    for (int32_t v = 0; v < view.vertex_count; ++v) {
        for (int64_t i = start[v]; i < start[v + 1]; ++i) {
            TEST_CHECK(has_vertex(&view, list[i], v));
            TEST_CHECK(i == start[v] || list[i - 1] < list[i]);
        }
    }
    free(start);
    free(list);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(faces_of_three_elements_are_non_manifold)
{
    // three tets on one face, and a double element
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double x[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.1, 0.1, 2, 1, 1, -1};
    const int32_t tets[12] = {0, 1, 2, 3, 0, 1, 2, 4, 0, 2, 1, 5};
    LyraMesh *mesh = sample_raw(ctx, LYRA_ELEMENT_TET4, 6, x, 3, tets);
    int32_t neighbors[12];
    TEST_REQUIRE_OK(lyra_mesh_neighbors(mesh, neighbors));
    TEST_EQUAL(neighbors[3], LYRA_MESH_NON_MANIFOLD);
    TEST_EQUAL(neighbors[7], LYRA_MESH_NON_MANIFOLD);
    TEST_EQUAL(neighbors[11], LYRA_MESH_NON_MANIFOLD);
    TEST_EQUAL(neighbors[0], LYRA_MESH_NO_NEIGHBOR);
    LyraMeshBoundary *boundary = NULL;
    TEST_REQUIRE_OK(lyra_mesh_boundary_create(mesh, false, &boundary));
    TEST_EQUAL(lyra_mesh_boundary_view(boundary).face_count, 9);
    TEST_EQUAL(lyra_mesh_boundary_view(boundary).non_manifold, 1);
    lyra_mesh_boundary_destroy(boundary);
    int32_t components = 0;
    TEST_REQUIRE_OK(lyra_mesh_components(mesh, LYRA_MESH_CONNECTION_FACE, &components, NULL));
    TEST_EQUAL(components, 1);
    lyra_mesh_destroy(mesh);

    const int32_t twice[8] = {0, 1, 2, 3, 0, 1, 2, 3};
    mesh = sample_raw(ctx, LYRA_ELEMENT_TET4, 6, x, 2, twice);
    TEST_REQUIRE_OK(lyra_mesh_boundary_create(mesh, false, &boundary));
    TEST_EQUAL(lyra_mesh_boundary_view(boundary).face_count, 0);
    lyra_mesh_boundary_destroy(boundary);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

// ---- edges --------------------------------------------------------------------------------------

LYRA_TEST(edges_are_unique_and_satisfy_euler)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    for (int kind = 0; kind < 2; ++kind) {
        LyraMesh *mesh = sample_box(ctx, (LyraElementKind)kind, 4, 3, 5, 1);
        LyraMeshView view = lyra_mesh_view(mesh);
        LyraMeshEdges *found = NULL;
        TEST_REQUIRE_OK(lyra_mesh_edges_create(mesh, &found));
        LyraMeshEdgesView edges = lyra_mesh_edges_view(found);
        for (int32_t i = 0; i < edges.edge_count; ++i) {
            const int32_t *e = edges.vertices + 2 * i;
            TEST_CHECK(e[0] < e[1]);
            TEST_CHECK(i == 0 || e[-2] < e[0] || (e[-2] == e[0] && e[-1] < e[1]));
        }
        int32_t nodes = lyra_element_kind_nodes(view.kind);
        for (int32_t i = 0; i < edges.element_edges * view.element_count; ++i) {
            const int32_t *local = lyra_element_kind_edge(view.kind, i % edges.element_edges);
            const int32_t *element = view.elements + nodes * (i / edges.element_edges);
            const int32_t *e = edges.vertices + 2 * edges.element_edge[i];
            int32_t a = element[local[0]], b = element[local[1]];
            TEST_CHECK((e[0] == a && e[1] == b) || (e[0] == b && e[1] == a));
        }
        // V - E + F - C = 1 for a ball, with F from boundary and inner faces
        LyraMeshQuality quality;
        TEST_REQUIRE_OK(lyra_mesh_quality(mesh, &quality));
        int32_t sides = lyra_element_kind_faces(view.kind) * view.element_count;
        int32_t faces = (sides + quality.boundary_faces) / 2;
        TEST_EQUAL(view.vertex_count - edges.edge_count + faces - view.element_count, 1);
        if (kind == 1) {
            TEST_EQUAL(edges.edge_count, 4 * 4 * 6 + 5 * 3 * 6 + 5 * 4 * 5);
        }
        lyra_mesh_edges_destroy(found);
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}

// ---- boundary and components --------------------------------------------------------------------

static double area_along(const LyraMesh *mesh, bool triangles, const double direction[3])
{
    LyraMeshBoundary *boundary = NULL;
    TEST_OK(lyra_mesh_boundary_create(mesh, triangles, &boundary));
    LyraMeshBoundaryView faces = lyra_mesh_boundary_view(boundary);
    LyraMeshView view = lyra_mesh_view(mesh);
    double area = 0;
    for (int32_t f = 0; f < faces.face_count; ++f) {
        const double *p[4];
        for (int32_t i = 0; i < 4; ++i) {
            // a triangle's first vertex stands in for its fourth
            p[i] = view.positions + 3 * faces.faces[faces.nodes * f + i % faces.nodes];
        }
        // half the cross product of the diagonals of a quad, of two edges of a triangle
        double along = 0;
        for (int32_t i = 0; i < 3; ++i) {
            int32_t j = (i + 1) % 3, k = (i + 2) % 3;
            double a[3], b[3];
            for (int32_t c = 0; c < 3; ++c) {
                a[c] = p[2][c] - p[0][c];
                b[c] = p[3][c] - p[1][c];
            }
            along += 0.5 * direction[i] * (a[j] * b[k] - a[k] * b[j]);
        }
        area += along > 0 ? along : 0;
        TEST_CHECK(faces.sides[f] < lyra_element_kind_faces(view.kind));
        TEST_CHECK(f == 0 || faces.elements[f - 1] <= faces.elements[f]);
    }
    lyra_mesh_boundary_destroy(boundary);
    return area;
}

LYRA_TEST(boundary_faces_outward_also_where_elements_are_inverted)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int kind = 0; kind < 2; ++kind) {
        LyraMesh *good = sample_box(ctx, (LyraElementKind)kind, 2, 3, 4, 1);
        LyraMeshView view = lyra_mesh_view(good);
        int32_t nodes = lyra_element_kind_nodes(view.kind);
        int32_t *elements = malloc((size_t)(nodes * view.element_count) * sizeof *elements);
        memcpy(elements, view.elements, (size_t)(nodes * view.element_count) * sizeof *elements);
        for (int32_t e = 0; e < view.element_count; e += 3) {
            for (int32_t a = 0; a < (kind ? 4 : 1); ++a) {
                int32_t other = kind ? a + 4 : 1, swap = elements[nodes * e + a];
                elements[nodes * e + a] = elements[nodes * e + other];
                elements[nodes * e + other] = swap;
            }
        }
        LyraMesh *bad = sample_raw(ctx, view.kind, view.vertex_count, view.positions,
                                   view.element_count, elements);
        for (int32_t triangles = 0; triangles < 2; ++triangles) {
            for (int32_t i = 0; i < 6; ++i) {
                double direction[3] = {0};
                direction[i / 2] = i % 2 ? 1 : -1;
                int32_t along = i / 2 + 2;
                double expected = 24.0 / along;
                TEST_NEAR(area_along(good, triangles, direction), expected, 1e-12);
                TEST_NEAR(area_along(bad, triangles, direction), expected, 1e-12);
            }
        }
        LyraMeshQuality quality;
        TEST_REQUIRE_OK(lyra_mesh_quality(bad, &quality));
        TEST_EQUAL(quality.inverted, (view.element_count + 2) / 3);
        TEST_EQUAL(quality.first_inverted, 0);
        free(elements);
        lyra_mesh_destroy(good);
        lyra_mesh_destroy(bad);
    }
    test_context_end(ctx);
}

LYRA_TEST(components_by_vertex_and_by_face)
{
    // cubes at (0,0,0) and (1,0,0) share a face, (2,1,0) an edge with the second, (9,9,9) nothing
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const int32_t voxels[12] = {9, 9, 9, 0, 0, 0, 2, 1, 0, 1, 0, 0};
    const double origin[3] = {0};
    LyraMesh *mesh = NULL;
    TEST_REQUIRE_OK(lyra_mesh_create_from_voxels(ctx, 4, voxels, origin, 1, &mesh));
    int32_t count = 0, labels[4];
    TEST_REQUIRE_OK(lyra_mesh_components(mesh, LYRA_MESH_CONNECTION_VERTEX, &count, labels));
    TEST_EQUAL(count, 2);
    const int32_t by_vertex[4] = {0, 1, 1, 1}, by_face[4] = {0, 1, 2, 1};
    TEST_CHECK(memcmp(labels, by_vertex, sizeof labels) == 0);
    TEST_REQUIRE_OK(lyra_mesh_components(mesh, LYRA_MESH_CONNECTION_FACE, &count, labels));
    TEST_EQUAL(count, 3);
    TEST_CHECK(memcmp(labels, by_face, sizeof labels) == 0);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

// ---- quality ------------------------------------------------------------------------------------

LYRA_TEST(quality_of_known_elements)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    // a regular tet, scaled to the ends of the range where volumes are still normal numbers
    static const double scales[3] = {1, 1e-90, 1e95};
    for (int32_t i = 0; i < 3; ++i) {
        double s = scales[i];
        const double x[12] = {s, s, s, s, -s, -s, -s, s, -s, -s, -s, s};
        const int32_t tet[4] = {0, 2, 1, 3};
        LyraMesh *mesh = sample_raw(ctx, LYRA_ELEMENT_TET4, 4, x, 1, tet);
        LyraMeshQuality q;
        TEST_REQUIRE_OK(lyra_mesh_quality(mesh, &q));
        TEST_NEAR(q.max_aspect, 1, 1e-14);
        TEST_NEAR(q.min_dihedral, acos(1.0 / 3), 1e-14);
        TEST_NEAR(q.max_dihedral, acos(1.0 / 3), 1e-14);
        TEST_EQUAL(q.dihedral_bins[7], 6);
        TEST_EQUAL(q.boundary_faces, 4);
        TEST_EQUAL(q.inverted + q.degenerate + q.orphans + q.duplicates, 0);
        TEST_EQUAL(q.first_inverted, -1);
        lyra_mesh_destroy(mesh);
    }
    // the six tets of a cell: dihedral angles of 45, 60 and 90 degrees
    LyraMesh *mesh = sample_box(ctx, LYRA_ELEMENT_TET4, 1, 1, 1, 1);
    LyraMeshQuality q;
    TEST_REQUIRE_OK(lyra_mesh_quality(mesh, &q));
    TEST_NEAR(q.min_dihedral, PI / 4, 1e-14);
    TEST_NEAR(q.max_dihedral, PI / 2, 1e-14);
    lyra_mesh_destroy(mesh);
    // a brick of 1 x 2 x 4
    mesh = sample_box(ctx, LYRA_ELEMENT_CUBE8, 1, 1, 1, 1);
    const double stretch[9] = {1, 0, 0, 0, 2, 0, 0, 0, 4}, zero[3] = {0};
    const double shear[9] = {1, 1, 0, 0, 1, 0, 0, 0, 1};
    LyraMesh *brick = NULL, *skew = NULL;
    TEST_REQUIRE_OK(lyra_mesh_transform(mesh, stretch, zero, &brick));
    TEST_REQUIRE_OK(lyra_mesh_transform(mesh, shear, zero, &skew));
    TEST_REQUIRE_OK(lyra_mesh_quality(brick, &q));
    TEST_NEAR(q.max_aspect, 4, 1e-15);
    TEST_NEAR(q.min_dihedral, PI / 2, 1e-15);
    TEST_EQUAL(q.not_boxes, 0);
    TEST_EQUAL(q.not_cubes, 1);
    TEST_REQUIRE_OK(lyra_mesh_quality(skew, &q));
    TEST_EQUAL(q.not_boxes, 1);
    TEST_EQUAL(q.first_not_box, 0);
    TEST_NEAR(q.min_dihedral, PI / 4, 1e-15);
    TEST_NEAR(q.max_dihedral, 3 * PI / 4, 1e-15);
    // where the limit lies: a millionth of an edge
    for (int32_t k = 0; k < 2; ++k) {
        double e = k == 0 ? 0.9e-6 : 1.1e-6;
        const double leaning[9] = {1, e, 0, 0, 1, 0, 0, 0, 1},
                     longer[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1 + e};
        lyra_mesh_destroy(brick);
        lyra_mesh_destroy(skew);
        TEST_REQUIRE_OK(lyra_mesh_transform(mesh, leaning, zero, &skew));
        TEST_REQUIRE_OK(lyra_mesh_transform(mesh, longer, zero, &brick));
        TEST_REQUIRE_OK(lyra_mesh_quality(skew, &q));
        TEST_EQUAL(q.not_boxes, k);
        TEST_REQUIRE_OK(lyra_mesh_quality(brick, &q));
        TEST_EQUAL(q.not_boxes, 0);
        TEST_EQUAL(q.not_cubes, k);
    }
    lyra_mesh_destroy(mesh);
    lyra_mesh_destroy(brick);
    lyra_mesh_destroy(skew);
    test_context_end(ctx);
}

LYRA_TEST(quality_reports_what_is_wrong)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    // 0 good, 1 inverted, 2 flat, 3 names a vertex twice; vertex 5 doubles 0, vertex 6 is unused
    const double x[21] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, -0.0, 0, 0, 7, 7, 7};
    const int32_t tets[16] = {0, 1, 2, 3, 5, 2, 1, 3, 0, 1, 2, 4, 1, 1, 2, 3};
    LyraMesh *mesh = sample_raw(ctx, LYRA_ELEMENT_TET4, 7, x, 4, tets);
    LyraMeshQuality q;
    TEST_REQUIRE_OK(lyra_mesh_quality(mesh, &q));
    TEST_EQUAL(q.inverted, 1);
    TEST_EQUAL(q.first_inverted, 1);
    TEST_EQUAL(q.degenerate, 2);
    TEST_EQUAL(q.first_degenerate, 2);
    TEST_EQUAL(q.orphans, 1);
    TEST_EQUAL(q.first_orphan, 6);
    TEST_EQUAL(q.duplicates, 1);
    TEST_EQUAL(q.first_duplicate, 5);
    TEST_CHECK(isfinite(q.max_aspect) && isfinite(q.mean_aspect));
    int32_t count = 0, ids[7];
    TEST_REQUIRE_OK(lyra_mesh_orphans(mesh, &count, ids));
    TEST_EQUAL(count, 1);
    TEST_EQUAL(ids[0], 6);
    lyra_mesh_destroy(mesh);
    mesh = sample_raw(ctx, LYRA_ELEMENT_TET4, 0, NULL, 0, NULL);
    TEST_REQUIRE_OK(lyra_mesh_quality(mesh, &q));
    TEST_NEAR(q.min_aspect + q.max_aspect + q.mean_aspect + q.min_dihedral + q.max_dihedral, 0, 0);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

// ---- threads and memory -------------------------------------------------------------------------

typedef struct Findings {
    LyraMeshQuality quality;
    int64_t neighbor_sum;
} Findings;

static void compute_findings(LyraContext *ctx, void *data, void *out)
{
    (void)data;
    Findings *findings = out;
    LyraMesh *mesh = sample_shape(ctx, LYRA_MESH_SHAPE_SPHERE, 90000);
    TEST_OK(lyra_mesh_quality(mesh, &findings->quality));
    int32_t count = 4 * lyra_mesh_view(mesh).element_count;
    int32_t *neighbors = malloc((size_t)count * sizeof *neighbors);
    TEST_OK(lyra_mesh_neighbors(mesh, neighbors));
    for (int64_t i = 0; i < count; ++i) {
        findings->neighbor_sum += (i % 97 + 1) * neighbors[i];
    }
    free(neighbors);
    lyra_mesh_destroy(mesh);
}

LYRA_TEST(topology_has_the_same_bits_at_any_thread_count)
{
    test_same_bits(compute_findings, NULL, sizeof(Findings));
}

static LyraStatus analyse_once(LyraContext *ctx, void *data)
{
    LyraMeshShapeDef *def = data;
    LyraMesh *mesh = NULL;
    LyraMeshEdges *edges = NULL;
    LyraMeshBoundary *boundary = NULL;
    LyraMeshQuality quality;
    int32_t count, labels[200], neighbors[1200];
    LyraStatus status = lyra_mesh_generate(ctx, def, &mesh);
    status = status ? status : lyra_mesh_edges_create(mesh, &edges);
    status = status ? status : lyra_mesh_boundary_create(mesh, true, &boundary);
    status = status ? status : lyra_mesh_quality(mesh, &quality);
    status = status ? status : lyra_mesh_neighbors(mesh, neighbors);
    status =
        status ? status : lyra_mesh_components(mesh, LYRA_MESH_CONNECTION_FACE, &count, labels);
    status =
        status ? status : lyra_mesh_components(mesh, LYRA_MESH_CONNECTION_VERTEX, &count, labels);
    status = status ? status : lyra_mesh_orphans(mesh, &count, NULL);
    lyra_mesh_edges_destroy(edges);
    lyra_mesh_boundary_destroy(boundary);
    lyra_mesh_destroy(mesh);
    return status;
}

LYRA_TEST(topology_survives_failing_allocations)
{
    LyraMeshShapeDef def = lyra_mesh_shape_def_default();
    def.elements = 60;
    test_fail_each_allocation(analyse_once, &def);
    def.kind = LYRA_ELEMENT_CUBE8;
    test_fail_each_allocation(analyse_once, &def);
}
