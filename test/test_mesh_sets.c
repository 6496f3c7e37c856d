// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sets of elements, vertices and faces: what a mesh accepts, and what operations do to them.

#include "lyra/mesh_edit.h"
#include "mesh/cavities.h"
#include "mesh_sets.h"

// ---- what is accepted ---------------------------------------------------------------------------

LYRA_TEST(sets_of_vertices_and_faces_are_looked_at)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *box = sample_box(ctx, LYRA_ELEMENT_TET4, 1, 1, 1, 1), *mesh = NULL;
    int32_t vertices[2] = {3, 5}, faces[4] = {0, 3, 2, 1};
    LyraMeshVertexSet vertex_set = {"v", vertices, 2};
    LyraMeshFaceSet face_set = {"f", faces, 2};
    LyraMeshView view = lyra_mesh_view(box);
    view.vertex_set_count = view.face_set_count = 1;
    view.vertex_sets = &vertex_set;
    view.face_sets = &face_set;
    TEST_OK(lyra_mesh_create(ctx, &view, &mesh));
    // copied: what was given may go
    vertices[0] = faces[0] = -7;
    TEST_EQUAL(set_of_vertices(mesh, "v")->vertices[0], 3);
    TEST_EQUAL(set_of_faces(mesh, "f")->faces[0], 0);
    TEST_CHECK(!set_of_faces(mesh, "v") && !set_of_elements(mesh, "v"));
    lyra_mesh_destroy(mesh);
    mesh = NULL;

    static const int32_t bad_vertices[][2] = {{-1, 0}, {0, 8}, {4, 4}, {5, 4}};
    for (int32_t i = 0; i < LY_COUNT_OF(bad_vertices); ++i) {
        vertex_set.vertices = bad_vertices[i];
        TEST_STATUS(lyra_mesh_create(ctx, &view, &mesh), LYRA_BAD_MESH);
        TEST_CONTAINS(lyra_error_message(), "vertex set \"v\" has vertex");
    }
    vertex_set.vertices = (const int32_t[]){0, 7};
    static const int32_t bad_faces[][4] = {{-1, 0, 0, 0}, {0, -1, 0, 0}, {0, 0, 0, 4},
                                           {0, 0, 6, 0},  {1, 2, 1, 2},  {1, 2, 1, 1}};
    for (int32_t i = 0; i < LY_COUNT_OF(bad_faces); ++i) {
        face_set.faces = bad_faces[i];
        TEST_STATUS(lyra_mesh_create(ctx, &view, &mesh), LYRA_BAD_MESH);
        TEST_CONTAINS(lyra_error_message(), "face set \"f\" has face");
    }
    face_set.faces = (const int32_t[]){0, 0, 5, 3};
    vertex_set.name = NULL;
    TEST_STATUS(lyra_mesh_create(ctx, &view, &mesh), LYRA_INVALID_ARGUMENT);
    vertex_set.name = "v";
    face_set.count = -1;
    TEST_STATUS(lyra_mesh_create(ctx, &view, &mesh), LYRA_INVALID_ARGUMENT);
    face_set.count = 2;
    view.vertex_set_count = -1;
    TEST_STATUS(lyra_mesh_create(ctx, &view, &mesh), LYRA_INVALID_ARGUMENT);
    TEST_CHECK(!mesh);
    lyra_mesh_destroy(box);
    test_context_end(ctx);
}

// ---- operations ---------------------------------------------------------------------------------

/// Sets that must be those of `sample_sets(3, 2, 2)`, in whatever order its parts are now.
static void check_sets_of_box(const LyraMesh *mesh, double grown, const char *what)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    TEST_EQUAL(view.set_count, 2);
    TEST_EQUAL(view.vertex_set_count, 2);
    TEST_EQUAL(view.face_set_count, 3);
    const LyraMeshVertexSet *corner = set_of_vertices(mesh, "corner");
    const LyraMeshVertexSet *right = set_of_vertices(mesh, "right");
    TEST_REQUIRE(corner && right && corner->count == 1 && right->count == 9);
    for (int c = 0; c < 3; ++c) {
        TEST_CHECK_MSG(view.positions[3 * corner->vertices[0] + c] == 0, "%s: corner", what);
    }
    for (int32_t i = 0; i < right->count; ++i) {
        TEST_CHECK_MSG(view.positions[3 * right->vertices[i]] == 3, "%s: right", what);
    }
    check_covers(cover_of(mesh, set_of_faces(mesh, "top")), (Cover){6, {0, 0, 6}, {9, 6, 12}},
                 what);
    check_covers(cover_of(mesh, set_of_faces(mesh, "right")), (Cover){4, {4, 0, 0}, {12, 4, 4}},
                 what);
    check_covers(cover_of(mesh, set_of_faces(mesh, "edge")), (Cover){10, {4, 0, 6}, {21, 10, 16}},
                 what);
    double volume[2] = {0}, *volumes = malloc((size_t)view.element_count * sizeof *volumes);
    lyra_mesh_element_volumes(mesh, volumes);
    for (int s = 0; s < 2; ++s) {
        const LyraMeshSet *set = set_of_elements(mesh, s ? "high" : "low");
        TEST_REQUIRE(set);
        for (int32_t i = 0; i < set->count; ++i) {
            volume[s] += volumes[set->elements[i]];
        }
        TEST_NEAR(volume[s], 6, 1e-12);
    }
    TEST_CHECK_MSG(view.element_count == grown * 12 * (view.kind == LYRA_ELEMENT_TET4 ? 6 : 1),
                   "%s: %d elements", what, view.element_count);
    free(volumes);
}

LYRA_TEST(operations_carry_all_sets)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int kind = 0; kind < LYRA_ELEMENT_TET10; ++kind) {
        LyraMesh *mesh = sample_sets(ctx, (LyraElementKind)kind, 3, 2, 2), *next = NULL,
                 *last = NULL;
        check_sets_of_box(mesh, 1, "as made");
        TEST_OK(lyra_mesh_shuffle(mesh, 7, NULL, NULL, &next));
        check_sets_of_box(next, 1, "shuffled");
        TEST_OK(lyra_mesh_refine(next, &last));
        check_sets_of_box(last, 8, "refined");
        TEST_EQUAL(set_of_faces(last, "top")->count, 4 * set_of_faces(mesh, "top")->count);
        lyra_mesh_destroy(next);
        lyra_mesh_destroy(last);

        // mirrored at x = 0 and back again: local faces change, the sets do not
        static const double mirror[9] = {-1, 0, 0, 0, 1, 0, 0, 0, 1}, zero[3] = {0};
        TEST_OK(lyra_mesh_transform(mesh, mirror, zero, &next));
        check_covers(cover_of(next, set_of_faces(next, "right")),
                     (Cover){4, {-4, 0, 0}, {-12, 4, 4}}, "mirrored");
        TEST_OK(lyra_mesh_transform(next, mirror, zero, &last));
        check_sets_of_box(last, 1, "mirrored twice");
        lyra_mesh_destroy(next);
        lyra_mesh_destroy(last);
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}

LYRA_TEST(orienting_follows_the_faces)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int kind = 0; kind < LYRA_ELEMENT_TET10; ++kind) {
        LyraMesh *mesh = sample_sets(ctx, (LyraElementKind)kind, 3, 2, 2), *wrong = NULL,
                 *right = NULL;
        // every other element inside out, its faces found by their vertices
        LyraMeshView view = lyra_mesh_view(mesh);
        int32_t nodes = lyra_element_kind_nodes(view.kind);
        size_t bytes = (size_t)nodes * (size_t)view.element_count * sizeof(int32_t);
        int32_t *elements = malloc(bytes);
        memcpy(elements, view.elements, bytes);
        // tets swap vertices 0 and 1, and with them faces 0 and 1; cubes mirror along x
        static const int32_t tet[4] = {1, 0, 2, 3}, cube[8] = {1, 0, 3, 2, 5, 4, 7, 6};
        LyraMeshFaceSet sets[3];
        int32_t *pairs[3];
        for (int32_t e = 0; e < view.element_count; e += 2) {
            for (int32_t a = 0; a < nodes; ++a) {
                elements[nodes * e + a] = view.elements[nodes * e + (kind ? cube[a] : tet[a])];
            }
        }
        for (int32_t s = 0; s < 3; ++s) {
            sets[s] = view.face_sets[s];
            pairs[s] = malloc(2 * (size_t)sets[s].count * sizeof(int32_t));
            for (int32_t i = 0; i < sets[s].count; ++i) {
                int32_t e = sets[s].faces[2 * i], side = sets[s].faces[2 * i + 1];
                pairs[s][2 * i] = e;
                pairs[s][2 * i + 1] = e % 2 == 0 && side < 2 ? 1 - side : side;
                // keep the order
                if (i > 0 && pairs[s][2 * i - 2] == e &&
                    pairs[s][2 * i - 1] > pairs[s][2 * i + 1]) {
                    int32_t swap = pairs[s][2 * i - 1];
                    pairs[s][2 * i - 1] = pairs[s][2 * i + 1];
                    pairs[s][2 * i + 1] = swap;
                }
            }
            sets[s].faces = pairs[s];
        }
        view.elements = elements;
        view.face_sets = sets;
        TEST_REQUIRE_OK(lyra_mesh_create(ctx, &view, &wrong));
        LyraOrientReport report;
        TEST_OK(lyra_mesh_orient(wrong, &report, &right));
        TEST_EQUAL(report.flipped, view.element_count / 2);
        check_sets_of_box(right, 1, "oriented");
        for (int32_t s = 0; s < 3; ++s) {
            free(pairs[s]);
        }
        free(elements);
        lyra_mesh_destroy(mesh);
        lyra_mesh_destroy(wrong);
        lyra_mesh_destroy(right);
    }
    test_context_end(ctx);
}

LYRA_TEST(submesh_keeps_what_is_left_of_sets)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = sample_sets(ctx, LYRA_ELEMENT_CUBE8, 3, 1, 1), *part = NULL;
    // the last cube, then the first: three faces in all of the sets, the ends of the box
    static const int32_t ends[2] = {2, 0};
    TEST_OK(lyra_mesh_submesh(mesh, 2, ends, NULL, NULL, &part));
    check_covers(cover_of(part, set_of_faces(part, "top")), (Cover){2, {0, 0, 2}, {3, 1, 2}},
                 "top");
    check_covers(cover_of(part, set_of_faces(part, "right")), (Cover){1, {1, 0, 0}, {3, 0.5, 0.5}},
                 "right");
    TEST_EQUAL(set_of_vertices(part, "right")->count, 4);
    TEST_EQUAL(set_of_vertices(part, "corner")->count, 1);
    lyra_mesh_destroy(part);
    // the middle alone: sets stay, as empty ones
    static const int32_t middle[1] = {1};
    TEST_OK(lyra_mesh_submesh(mesh, 1, middle, NULL, NULL, &part));
    TEST_EQUAL(set_of_faces(part, "top")->count, 1);
    TEST_EQUAL(set_of_faces(part, "right")->count, 0);
    TEST_EQUAL(set_of_vertices(part, "right")->count, 0);
    lyra_mesh_destroy(part);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(merging_joins_vertices_of_sets)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    // two tets whose shared triangle is there twice
    static const double x[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1},
                                   {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    static const int32_t tets[2][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}};
    static const int32_t seam[4] = {1, 2, 4, 6}, faces[4] = {0, 0, 1, 3};
    const LyraMeshVertexSet vertex_set = {"seam", seam, 4};
    const LyraMeshFaceSet face_set = {"seam", faces, 2};
    const LyraMeshView view = {.kind = LYRA_ELEMENT_TET4,
                               .vertex_count = 8,
                               .element_count = 2,
                               .positions = x[0],
                               .elements = tets[0],
                               .vertex_set_count = 1,
                               .face_set_count = 1,
                               .vertex_sets = &vertex_set,
                               .face_sets = &face_set};
    LyraMesh *mesh = NULL, *merged = NULL, *orphaned = NULL;
    TEST_REQUIRE_OK(lyra_mesh_create(ctx, &view, &mesh));
    TEST_OK(lyra_mesh_merge_vertices(mesh, 0, NULL, &merged));
    const LyraMeshVertexSet *set = set_of_vertices(merged, "seam");
    TEST_REQUIRE(set && set->count == 3);
    for (int32_t i = 0; i < 3; ++i) {
        TEST_EQUAL(set->vertices[i], i + 1);
    }
    // the face between is there from both sides
    TEST_EQUAL(set_of_faces(merged, "seam")->count, 2);
    Cover cover = cover_of(merged, set_of_faces(merged, "seam"));
    TEST_NEAR(cover.area, sqrt(3.0), 1e-15);
    TEST_NEAR(cover.vector[0], 0, 1e-15);
    TEST_OK(lyra_mesh_remove_orphans(merged, NULL, &orphaned));
    TEST_EQUAL(set_of_faces(orphaned, "seam")->count, 2);
    lyra_mesh_destroy(orphaned);
    lyra_mesh_destroy(merged);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

static LyraStatus edit_all(LyraContext *ctx, void *data)
{
    static const double zero[3] = {0}, mirror[9] = {-1, 0, 0, 0, 1, 0, 0, 0, 1};
    const LyraMeshView *view = data;
    LyraMesh *mesh = NULL, *other = NULL, *last = NULL;
    LyraStatus status = lyra_mesh_create(ctx, view, &mesh);
    if (status == LYRA_OK) {
        status = lyra_mesh_refine(mesh, &other);
    }
    if (status == LYRA_OK) {
        status = lyra_mesh_transform(other, mirror, zero, &last);
    }
    lyra_mesh_destroy(last);
    lyra_mesh_destroy(other);
    lyra_mesh_destroy(mesh);
    return status;
}

LYRA_TEST(failing_allocations_of_edits_leak_nothing)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = sample_sets(ctx, LYRA_ELEMENT_TET4, 1, 1, 1);
    LyraMeshView view = lyra_mesh_view(mesh);
    test_fail_each_allocation(edit_all, &view);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

// ---- cavities -----------------------------------------------------------------------------------

LYRA_TEST(walls_of_cavities_are_told_from_the_skin)
{
    // a lattice of 7 x 3 x 3 cubes without those in the middle of either end: two cavities; and a
    // cube beside it, which is skin all over
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    int32_t voxels[80][3], count = 0;
    for (int32_t i = 0; i < 63; ++i) {
        int32_t x = i % 7, y = i / 7 % 3, z = i / 21;
        if (!((x == 1 || x == 5) && y == 1 && z == 1)) {
            memcpy(voxels[count++], (const int32_t[]){x, y, z}, sizeof voxels[0]);
        }
    }
    memcpy(voxels[count++], (const int32_t[]){20, 0, 0}, sizeof voxels[0]);
    // far from the origin, where volumes are differences of large numbers
    const double origin[3] = {1e7 / 3, -1e7 / 7, 1e7 / 9};
    LyraMesh *mesh = NULL;
    TEST_REQUIRE_OK(lyra_mesh_create_from_voxels(ctx, count, voxels[0], origin, 1, &mesh));
    LyraMeshBoundary *boundary = NULL;
    TEST_REQUIRE_OK(lyra_mesh_boundary_create(mesh, true, &boundary));
    LyraMeshBoundaryView faces = lyra_mesh_boundary_view(boundary);
    LyraMeshView view = lyra_mesh_view(mesh);
    bool *inner = malloc((size_t)faces.face_count);
    TEST_OK(ly_mark_cavities(ctx, view.positions, faces.face_count, faces.faces, inner));
    int32_t found = 0;
    for (int32_t f = 0; f < faces.face_count; ++f) {
        // a wall touches a cavity, whose middle is half an edge from the plane of the face
        bool near = false;
        for (int32_t c = 0; c < 2; ++c) {
            const double middle[3] = {1.5 + 4 * c + origin[0], 1.5 + origin[1], 1.5 + origin[2]};
            double most = 0;
            for (int32_t i = 0; i < 9; ++i) {
                double d = view.positions[3 * faces.faces[3 * f + i / 3] + i % 3] - middle[i % 3];
                most = fmax(most, fabs(d));
            }
            near = near || most < 0.6;
        }
        TEST_CHECK(inner[f] == near);
        found += inner[f];
    }
    TEST_EQUAL(found, 2 * 12);
    free(inner);
    lyra_mesh_boundary_destroy(boundary);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}
