// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Files of tets of 10 nodes and of general hexahedra.

#include "curved_shapes.h"
#include "lyra/mesh_ops.h"
#include "mesh_file_test.h"
#include "mesh_sets.h"

#include <stdio.h>

// ---- there and back -----------------------------------------------------------------------------

static const struct {
    LyraMeshFormat format;
    LyraMeshEncoding encoding;
    bool sets; // of faces and vertices too
} cases[] = {
    {LYRA_MESH_FORMAT_VTU, LYRA_MESH_ENCODING_BASE64, true},
    {LYRA_MESH_FORMAT_GMSH, LYRA_MESH_ENCODING_TEXT, true},
    {LYRA_MESH_FORMAT_GMSH, LYRA_MESH_ENCODING_BINARY, true},
    {LYRA_MESH_FORMAT_GMSH2, LYRA_MESH_ENCODING_TEXT, true},
    {LYRA_MESH_FORMAT_GMSH2, LYRA_MESH_ENCODING_BINARY, true},
    {LYRA_MESH_FORMAT_VTK, LYRA_MESH_ENCODING_BINARY, false},
    {LYRA_MESH_FORMAT_ABAQUS, LYRA_MESH_ENCODING_TEXT, true},
    {LYRA_MESH_FORMAT_MEDIT, LYRA_MESH_ENCODING_TEXT, false},
};

static LyraMesh *with_sets(LyraContext *ctx, LyraElementKind kind)
{
    LyraMesh *plain = curved_box(ctx, kind, 2, 2, 1, 1, 0.1, 0.04), *mesh = NULL;
    LyraMeshView view = lyra_mesh_view(plain);
    const int32_t held[] = {0, 3, 5}, faces[] = {0, 3, 1, 0},
                  some[] = {view.element_count - 2, view.element_count - 1};
    const LyraMeshVertexSet vertices = {.name = "held", .vertices = held, .count = 3};
    const LyraMeshFaceSet lid = {.name = "lid", .faces = faces, .count = 2};
    const LyraMeshSet set = {.name = "some", .elements = some, .count = 2};
    view.vertex_set_count = view.face_set_count = view.set_count = 1;
    view.vertex_sets = &vertices;
    view.face_sets = &lid;
    view.sets = &set;
    TEST_OK(lyra_mesh_create(ctx, &view, &mesh));
    lyra_mesh_destroy(plain);
    return mesh;
}

static void check_back(LyraElementKind kind)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = with_sets(ctx, kind);
    LyraMeshView x = lyra_mesh_view(mesh);
    int32_t nodes = lyra_element_kind_nodes(kind);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const char *name = lyra_mesh_format_name(cases[i].format);
        const char *path = test_temp_path("quadratic.x");
        LyraMesh *back = NULL;
        TEST_OK(lyra_mesh_save_as(mesh, path, cases[i].format, cases[i].encoding));
        if (!TEST_OK(lyra_mesh_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &back))) {
            continue;
        }
        LyraMeshView y = lyra_mesh_view(back);
        TEST_CHECK_MSG(y.kind == kind && y.vertex_count == x.vertex_count &&
                           y.element_count == x.element_count,
                       "%s: %d vertices, %d elements of kind %s", name, y.vertex_count,
                       y.element_count, lyra_element_kind_name(y.kind));
        if (y.kind == kind && y.element_count == x.element_count) {
            TEST_CHECK_MSG(memcmp(x.elements, y.elements,
                                  sizeof(int32_t) * (size_t)(nodes * x.element_count)) == 0,
                           "%s: elements", name);
            // Abaqus has 20 characters for a number
            double most = cases[i].format == LYRA_MESH_FORMAT_ABAQUS ? 1e-13 : 0;
            for (int32_t k = 0; k < 3 * x.vertex_count; ++k) {
                TEST_CHECK_MSG(fabs(x.positions[k] - y.positions[k]) <= most, "%s: positions",
                               name);
            }
        }
        if (cases[i].sets) {
            TEST_CHECK_MSG(y.face_set_count == 1 && y.face_sets[0].count >= 2 &&
                               y.vertex_set_count == 1 && y.vertex_sets[0].count == 3,
                           "%s: %d face sets, %d vertex sets", name, y.face_set_count,
                           y.vertex_set_count);
        }
        lyra_mesh_destroy(back);
    }
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(tets_of_ten_nodes_come_back_from_every_format)
{
    check_back(LYRA_ELEMENT_TET10);
}

LYRA_TEST(hexahedra_come_back_from_every_format)
{
    check_back(LYRA_ELEMENT_HEX8);
}

LYRA_TEST(formats_that_cannot_hold_them_say_so)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = curved_box(ctx, LYRA_ELEMENT_TET10, 1, 1, 1, 1, 0, 0);
    TEST_STATUS(lyra_mesh_save(mesh, "x.veg", LYRA_MESH_FORMAT_AUTO), LYRA_UNSUPPORTED);
    TEST_STRING(lyra_error_message(),
                "x.veg: .veg holds tets and cubes, and the elements are of kind "
                "tet10; .vtu, .msh, .vtk, .inp and .mesh hold them");
    TEST_STATUS(lyra_mesh_save(mesh, "x.ele", LYRA_MESH_FORMAT_AUTO), LYRA_UNSUPPORTED);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

// ---- orders of nodes ----------------------------------------------------------------------------

// One tet whose middle nodes are told apart by where they stand: that of edge ab at x_a/2 + x_b/2.
static void check_order(const char *path, const char *text)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = NULL;
    if (TEST_OK(test_load_text(ctx, path, text, &mesh))) {
        LyraMeshView view = lyra_mesh_view(mesh);
        TEST_CHECK_MSG(view.kind == LYRA_ELEMENT_TET10 && view.element_count == 1, "%s", path);
        for (int32_t e = 0; e < 6 && view.kind == LYRA_ELEMENT_TET10; ++e) {
            const int32_t *ends = lyra_element_kind_edge(LYRA_ELEMENT_TET10, e);
            const double *a = view.positions + 3 * view.elements[ends[0]];
            const double *b = view.positions + 3 * view.elements[ends[1]];
            const double *m = view.positions + 3 * view.elements[4 + e];
            for (int i = 0; i < 3; ++i) {
                TEST_CHECK_MSG(m[i] == 0.5 * (a[i] + b[i]), "%s: edge %d", path, e);
            }
        }
    }
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

// vertices 1 to 4 the corners, then the middles of 12 23 13 14 24 34
#define NODES(sep)                                                                                 \
    "1" sep "0" sep "0" sep "0\n2" sep "2" sep "0" sep "0\n3" sep "0" sep "2" sep "0\n"            \
    "4" sep "0" sep "0" sep "2\n5" sep "1" sep "0" sep "0\n6" sep "1" sep "1" sep "0\n"            \
    "7" sep "0" sep "1" sep "0\n8" sep "0" sep "0" sep "1\n9" sep "1" sep "0" sep "1\n"            \
    "10" sep "0" sep "1" sep "1\n"
#define PLACES "0 0 0 2 0 0 0 2 0 0 0 2 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 0 1 1\n"

LYRA_TEST(gmsh_has_the_last_two_middles_the_other_way_round)
{
    check_order("one.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n10\n" NODES(
                               " ") "$EndNodes\n$Elements\n1\n1 11 2 0 1 1 2 3 4 5 6 7 8 10 9\n"
                                    "$EndElements\n");
    check_order("four.msh",
                "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 10 1 10\n3 1 0 10\n1\n2\n3"
                "\n4\n5\n6\n7\n8\n9\n10\n" PLACES "$EndNodes\n$Elements\n1 1 1 1\n3 1 11 "
                "1\n1 1 2 3 4 5 6 7 8 10 9\n$EndElements\n");
}

LYRA_TEST(vtk_abaqus_and_medit_have_the_middles_as_here)
{
    check_order("one.vtk",
                "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 10 "
                "double\n" PLACES "CELLS 1 11\n10 0 1 2 3 4 5 6 7 8 9\nCELL_TYPES 1\n24\n");
    check_order("lagrange.vtk", "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                                "POINTS 10 double\n" PLACES
                                "CELLS 1 11\n10 0 1 2 3 4 5 6 7 8 9\nCELL_TYPES 1\n71\n");
    check_order("one.inp", "*NODE\n" NODES(",") "*ELEMENT,TYPE=C3D10\n1,1,2,3,4,5,6,7,8,9,10\n");
    check_order("one.mesh",
                "MeshVersionFormatted 2\nDimension 3\nVertices\n10\n0 0 0 0\n2 0 0 0\n0 2 0 "
                "0\n0 0 2 0\n1 0 0 0\n1 1 0 0\n0 1 0 0\n0 0 1 0\n1 0 1 0\n0 1 1 0\n"
                "TetrahedraP2\n1\n1 2 3 4 5 6 7 8 9 10 0\nEnd\n");
}

// ---- what stands beside -------------------------------------------------------------------------

LYRA_TEST(tets_of_ten_nodes_beside_others_lose_their_middles)
{
    static const char text[] =
        "*NODE\n" NODES(",") "11,2,2,2\n*ELEMENT,TYPE=C3D10\n1,1,2,3,4,5,6,7,8,9,10\n"
                             "*ELEMENT,TYPE=C3D4\n2,2,3,4,11\n";
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = NULL;
    TEST_REQUIRE_OK(test_load_text(ctx, "both.inp", text, &mesh));
    LyraMeshView view = lyra_mesh_view(mesh);
    TEST_CHECK(view.kind == LYRA_ELEMENT_TET4 && view.element_count == 2);
    TEST_EQUAL(view.vertex_count, 5);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

// ---- faces and higher cells ---------------------------------------------------------------------

LYRA_TEST(faces_of_six_nodes_make_sets_of_faces)
{
    // shells of the face 1 2 3 beside the tet, under three names, and one of the surface
    static const char *const types[] = {"S6", "CPS6", "M3D6", "STRI65"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
        char text[1000];
        snprintf(text, sizeof text,
                 "*NODE\n%s*ELEMENT,TYPE=C3D10\n1,1,2,3,4,5,6,7,8,9,10\n"
                 "*ELEMENT,TYPE=%s,ELSET=lid\n2,1,2,3,5,6,7\n"
                 "*SURFACE,NAME=side,TYPE=ELEMENT\n1,S3\n",
                 NODES(","), types[i]);
        LyraMesh *mesh = NULL;
        TEST_REQUIRE_OK(test_load_text(ctx, "lid.inp", text, &mesh));
        const LyraMeshFaceSet *lid = set_of_faces(mesh, "lid"), *side = set_of_faces(mesh, "side");
        TEST_REQUIRE(lid && lid->count == 1 && side && side->count == 1);
        TEST_CHECK_MSG(lid->faces[1] == 3 && side->faces[1] == 0, "%s: %d, %d", types[i],
                       lid->faces[1], side->faces[1]);
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}

// A hexahedron of `nodes` nodes, all behind the corners at one place, in a row of numbers.
static void check_higher_hex(const char *path, const char *head, const char *row, const char *tail)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    char text[2000];
    LyraMesh *mesh = NULL;
    snprintf(text, sizeof text, "%s%s%s", head, row, tail);
    if (TEST_OK(test_load_text(ctx, path, text, &mesh))) {
        LyraMeshView view = lyra_mesh_view(mesh);
        TEST_CHECK_MSG(view.element_count == 1 && view.vertex_count == 8 &&
                           lyra_element_kind_nodes(view.kind) == 8,
                       "%s: %d elements, %d vertices", path, view.element_count, view.vertex_count);
    }
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

#define MANY19 "9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 "
#define PLACES9 "0 0 0 2 0 0 2 2 0 0 2 0 0 0 1 2 0 1 2 2 1 0 2 1 1 1 0.5\n"

LYRA_TEST(hexahedra_of_more_nodes_keep_their_corners)
{
    check_higher_hex("a.inp",
                     "*NODE\n1,0,0,0\n2,2,0,0\n3,2,2,0\n4,0,2,0\n5,0,0,1\n6,2,0,1\n7,2,2,1\n"
                     "8,0,2,1\n9,1,1,0.5\n*ELEMENT,TYPE=C3D27\n",
                     "1,1,2,3,4,5,6,7,8,9,9,9,9,9,9,9,\n9,9,9,9,9,9,9,9,9,9,9,9", "\n");
    check_higher_hex("a.vtk",
                     "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 9 "
                     "double\n" PLACES9 "CELLS 1 25\n24 0 1 2 3 4 5 6 7 ",
                     "8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8", "\nCELL_TYPES 1\n33\n");
    check_higher_hex("a.mesh",
                     "MeshVersionFormatted 2\nDimension 3\nVertices\n9\n0 0 0 0\n2 0 0 0\n2 2 0 0\n"
                     "0 2 0 0\n0 0 1 0\n2 0 1 0\n2 2 1 0\n0 2 1 0\n1 1 0.5 0\nHexahedraQ2\n1\n",
                     "1 2 3 4 5 6 7 8 " MANY19, "0\nEnd\n");
    check_higher_hex("a.msh",
                     "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n9\n1 0 0 0\n2 2 0 0\n3 2 2 0\n"
                     "4 0 2 0\n5 0 0 1\n6 2 0 1\n7 2 2 1\n8 0 2 1\n9 1 1 0.5\n$EndNodes\n"
                     "$Elements\n1\n1 12 2 0 1 ",
                     "1 2 3 4 5 6 7 8 " MANY19, "\n$EndElements\n");
}

LYRA_TEST(wedges_of_any_order_are_cut_into_three_tets)
{
    // VTK's quadratic, biquadratic and Lagrange wedges, and a Lagrange pyramid
    static const struct {
        int type, nodes, tets;
    } types[] = {{26, 15, 3}, {32, 18, 3}, {73, 18, 3}, {74, 13, 2}, {37, 19, 2}};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
        bool wedge = types[i].tets == 3;
        char text[1000], row[100] = "";
        for (int a = 0; a < types[i].nodes; ++a) {
            snprintf(row + strlen(row), sizeof row - strlen(row), " %d",
                     a < (wedge ? 6 : 5) ? a : 6);
        }
        snprintf(text, sizeof text,
                 "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 7 "
                 "double\n%s\nCELLS 1 %d\n%d%s\nCELL_TYPES 1\n%d\n",
                 wedge ? "0 0 0 1 0 0 0 1 0 0 0 1 1 0 1 0 1 1 9 9 9"
                       : "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 9 9 9 9 9 8",
                 types[i].nodes + 1, types[i].nodes, row, types[i].type);
        LyraMesh *mesh = NULL;
        if (TEST_OK(test_load_text(ctx, "wedge.vtk", text, &mesh))) {
            TEST_EQUAL(lyra_mesh_view(mesh).element_count, types[i].tets);
        }
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}

// ---- what is wrong ------------------------------------------------------------------------------

LYRA_TEST(rows_of_the_wrong_length_are_refused)
{
    test_check_refused("a.inp",
                       "*NODE\n" NODES(",") "*ELEMENT,TYPE=C3D10\n1,1,2,3,4,5,6,7,8,9,10,1\n",
                       LYRA_BAD_FORMAT,
                       "a.inp:13: found \"1\", expected the end of element 1, whose type has 10 "
                       "nodes");
    test_check_refused("a.inp", "*NODE\n" NODES(",") "*ELEMENT,TYPE=C3D10\n1,1,2,3,4,5,6,7,8,9\n",
                       LYRA_BAD_FORMAT,
                       "a.inp:14: found the end of the file, expected the number of a node");
    test_check_refused("a.vtk",
                       "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 10 "
                       "double\n" PLACES "CELLS 1 10\n9 0 1 2 3 4 5 6 7 8\nCELL_TYPES 1\n24\n",
                       LYRA_BAD_FORMAT,
                       "a.vtk: found a cell of type 24 with 9 vertices, expected 10");
}

LYRA_TEST(damaged_files_of_curved_tets_are_refused_or_read)
{
    static const char gmsh[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n10\n" NODES(
        " ") "$EndNodes\n$Elements\n1\n1 11 2 0 1 1 2 3 4 5 6 7 8 10 9\n$EndElements\n";
    static const char medit[] = "MeshVersionFormatted 2\nDimension 3\nVertices\n10\n0 0 0 0\n2 0 0 "
                                "0\n0 2 0 0\n0 0 2 0\n1 0 0 "
                                "0\n1 1 0 0\n0 1 0 0\n0 0 1 0\n1 0 1 0\n0 1 1 "
                                "0\nTetrahedraP2\n1\n1 2 3 4 5 6 7 8 9 10 0\nEnd\n";
    const LyraMemoryFile one = {.path = "a.msh", .bytes = gmsh, .length = sizeof gmsh - 1};
    const LyraMemoryFile two = {.path = "a.mesh", .bytes = medit, .length = sizeof medit - 1};
    test_damaged_files(&one, 1, LYRA_MESH_FORMAT_GMSH);
    test_damaged_files(&two, 1, LYRA_MESH_FORMAT_MEDIT);
}
