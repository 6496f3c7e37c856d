// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sets of elements, vertices and faces in the files of every format that has them.

#include "base/base.h"
#include "lyra/mesh_edit.h"
#include "mesh_file_test.h"
#include "mesh_sets.h"

// ---- there and back -----------------------------------------------------------------------------

typedef struct FileCase {
    LyraMeshFormat format;
    LyraMeshEncoding encoding;
} FileCase;

static const FileCase cases[] = {
    {LYRA_MESH_FORMAT_GMSH, LYRA_MESH_ENCODING_TEXT},
    {LYRA_MESH_FORMAT_GMSH, LYRA_MESH_ENCODING_BINARY},
    {LYRA_MESH_FORMAT_GMSH2, LYRA_MESH_ENCODING_TEXT},
    {LYRA_MESH_FORMAT_GMSH2, LYRA_MESH_ENCODING_BINARY},
    {LYRA_MESH_FORMAT_ABAQUS, LYRA_MESH_ENCODING_TEXT},
    {LYRA_MESH_FORMAT_VTU, LYRA_MESH_ENCODING_TEXT},
    {LYRA_MESH_FORMAT_VTU, LYRA_MESH_ENCODING_BINARY},
    {LYRA_MESH_FORMAT_VTU, LYRA_MESH_ENCODING_BASE64},
};

static bool same_ids(const int32_t *a, const int32_t *b, int64_t count)
{
    return count == 0 || memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

/// Elements are in the order they were: ids can be compared.
static void check_same_sets(const LyraMesh *a, const LyraMesh *b, const char *what)
{
    LyraMeshView x = lyra_mesh_view(a), y = lyra_mesh_view(b);
    TEST_CHECK_MSG(x.set_count == y.set_count && x.vertex_set_count == y.vertex_set_count &&
                       x.face_set_count == y.face_set_count,
                   "%s: %d, %d and %d sets", what, y.set_count, y.vertex_set_count,
                   y.face_set_count);
    for (int32_t s = 0; s < x.set_count; ++s) {
        const LyraMeshSet *one = &x.sets[s], *other = set_of_elements(b, one->name);
        TEST_CHECK_MSG(other && other->count == one->count &&
                           same_ids(one->elements, other->elements, one->count),
                       "%s: elements %s", what, one->name);
    }
    for (int32_t s = 0; s < x.vertex_set_count; ++s) {
        const LyraMeshVertexSet *one = &x.vertex_sets[s], *other = set_of_vertices(b, one->name);
        TEST_CHECK_MSG(other && other->count == one->count &&
                           same_ids(one->vertices, other->vertices, one->count),
                       "%s: vertices %s", what, one->name);
    }
    for (int32_t s = 0; s < x.face_set_count; ++s) {
        const LyraMeshFaceSet *one = &x.face_sets[s], *other = set_of_faces(b, one->name);
        TEST_CHECK_MSG(other && other->count == one->count &&
                           same_ids(one->faces, other->faces, 2 * (int64_t)one->count),
                       "%s: faces %s", what, one->name);
    }
}

LYRA_TEST(all_sets_come_back)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int kind = 0; kind < LYRA_ELEMENT_TET10; ++kind) {
        LyraMesh *mesh = sample_sets(ctx, (LyraElementKind)kind, 3, 2, 2);
        for (int32_t i = 0; i < LY_COUNT_OF(cases); ++i) {
            const char *path = test_temp_path("sets.x");
            LyraMesh *back = NULL;
            TEST_OK(lyra_mesh_save_as(mesh, path, cases[i].format, cases[i].encoding));
            if (TEST_OK(lyra_mesh_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &back))) {
                check_same_sets(mesh, back, lyra_mesh_format_name(cases[i].format));
            }
            lyra_mesh_destroy(back);
        }
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}

LYRA_TEST(renumbered_meshes_come_back_with_the_same_places)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int kind = 0; kind < LYRA_ELEMENT_TET10; ++kind) {
        LyraMesh *mesh = sample_sets(ctx, (LyraElementKind)kind, 3, 2, 2), *mixed = NULL;
        TEST_OK(lyra_mesh_shuffle(mesh, 11, NULL, NULL, &mixed));
        for (int32_t i = 0; i < LY_COUNT_OF(cases); ++i) {
            const char *path = test_temp_path("mixed.x");
            const char *what = lyra_mesh_format_name(cases[i].format);
            LyraMesh *back = NULL;
            TEST_OK(lyra_mesh_save_as(mixed, path, cases[i].format, cases[i].encoding));
            TEST_REQUIRE_OK(lyra_mesh_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &back));
            static const char *const names[] = {"top", "right", "edge"};
            for (int32_t s = 0; s < 3; ++s) {
                TEST_REQUIRE(set_of_faces(back, names[s]));
                check_covers(cover_of(back, set_of_faces(back, names[s])),
                             cover_of(mesh, set_of_faces(mesh, names[s])), what);
            }
            const LyraMeshVertexSet *right = set_of_vertices(back, "right");
            TEST_REQUIRE(right && right->count == 9);
            for (int32_t v = 0; v < 9; ++v) {
                TEST_CHECK(lyra_mesh_view(back).positions[3 * right->vertices[v]] == 3);
            }
            lyra_mesh_destroy(back);
        }
        lyra_mesh_destroy(mixed);
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}

LYRA_TEST(faces_between_elements_come_back_from_both_sides)
{
    // two cubes, the face between them named from one side
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *box = sample_box(ctx, LYRA_ELEMENT_CUBE8, 2, 1, 1, 1), *mesh = NULL;
    LyraMeshView view = lyra_mesh_view(box);
    static const int32_t face[2] = {0, 1};
    const LyraMeshFaceSet set = {"between", face, 1};
    view.face_set_count = 1;
    view.face_sets = &set;
    TEST_OK(lyra_mesh_create(ctx, &view, &mesh));
    for (int32_t i = 0; i < LY_COUNT_OF(cases); ++i) {
        const char *path = test_temp_path("between.x");
        LyraMesh *back = NULL;
        // Gmsh has faces, the others faces of elements
        bool gmsh =
            cases[i].format == LYRA_MESH_FORMAT_GMSH || cases[i].format == LYRA_MESH_FORMAT_GMSH2;
        TEST_OK(lyra_mesh_save_as(mesh, path, cases[i].format, cases[i].encoding));
        TEST_REQUIRE_OK(lyra_mesh_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &back));
        const LyraMeshFaceSet *found = set_of_faces(back, "between");
        TEST_REQUIRE(found);
        TEST_EQUAL(found->count, gmsh ? 2 : 1);
        TEST_EQUAL(found->faces[0], 0);
        TEST_EQUAL(found->faces[1], 1);
        // written again, it is one face
        if (gmsh) {
            LyraMesh *again = NULL;
            TEST_EQUAL(found->faces[2], 1);
            TEST_EQUAL(found->faces[3], 0);
            TEST_OK(lyra_mesh_save_as(back, path, cases[i].format, cases[i].encoding));
            TEST_OK(lyra_mesh_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &again));
            check_same_sets(back, again, "again");
            lyra_mesh_destroy(again);
        }
        lyra_mesh_destroy(back);
    }
    lyra_mesh_destroy(mesh);
    lyra_mesh_destroy(box);
    test_context_end(ctx);
}

// ---- files of other programs --------------------------------------------------------------------

// the unit cube of six tets around a diagonal, as Gmsh would number it
#define CUBE_NODES "1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n5 0 0 1\n6 1 0 1\n7 0 1 1\n8 1 1 1\n"

static const char gmsh2[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                            "$PhysicalNames\n4\n0 1 \"origin\"\n1 2 \"rim\"\n2 3 \"bottom plate\"\n"
                            "3 4 \"steel\"\n$EndPhysicalNames\n"
                            "$Nodes\n9\n" CUBE_NODES "9 0.5 0 0\n$EndNodes\n"
                            "$Elements\n14\n"
                            "1 15 2 1 1 1\n"
                            "2 1 2 2 1 1 2\n"
                            "3 8 2 2 2 2 4 9\n"
                            "4 1 2 0 3 5 6\n"
                            "5 2 2 3 1 1 2 4\n"
                            "6 2 2 3 1 1 4 3\n"
                            "7 2 2 8 2 5 6 8\n"
                            "8 2 2 3 9 1 2 5\n"
                            "9 4 2 4 1 1 2 4 8\n"
                            "10 4 2 4 1 1 4 3 8\n"
                            "11 4 2 4 1 1 3 7 8\n"
                            "12 4 2 4 1 1 7 5 8\n"
                            "13 4 2 4 1 1 5 6 8\n"
                            "14 4 2 4 1 1 6 2 8\n"
                            "$EndElements\n";

// the same by version 4.1: the tags of elements are entities, some of two groups
static const char gmsh4[] =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
    "$PhysicalNames\n4\n0 1 \"origin\"\n1 2 \"rim\"\n2 3 \"bottom plate\"\n3 4 \"steel\"\n"
    "$EndPhysicalNames\n"
    "$Entities\n2 2 3 1\n"
    "1 0 0 0 1 1\n"
    "2 1 0 0 0\n"
    "11 0 0 0 1 0 0 1 2 2 1 -2\n"
    "12 1 0 0 1 1 0 1 -2 2 2 4\n"
    "21 0 0 0 1 1 0 1 3 4 1 2 3 4\n"
    "22 0 0 1 1 1 1 1 8 0\n"
    "23 0 0 0 1 0 1 1 3 0\n"
    "31 0 0 0 1 1 1 1 4 6 1 2 3 4 5 6\n"
    "$EndEntities\n"
    "$Nodes\n2 8 1 8\n"
    "3 31 0 7\n1\n2\n3\n4\n5\n6\n7\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 0 1\n1 0 1\n0 1 1\n"
    "0 1 0 1\n8\n1 1 1\n"
    "$EndNodes\n"
    "$Elements\n8 13 1 13\n"
    "0 1 15 1\n1 1\n"
    "0 2 15 1\n2 2\n"
    "1 11 1 1\n3 1 2\n"
    "1 12 1 1\n4 2 4\n"
    "2 21 2 2\n5 1 2 4\n6 1 4 3\n"
    "2 22 2 1\n7 5 6 8\n"
    "2 23 2 1\n8 1 2 5\n"
    "3 31 4 6\n9 1 2 4 8\n10 1 4 3 8\n11 1 3 7 8\n12 1 7 5 8\n13 1 5 6 8\n14 1 6 2 8\n"
    "$EndElements\n";

LYRA_TEST(physical_groups_of_every_dimension_are_sets)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int version = 0; version < 2; ++version) {
        LyraMesh *mesh = NULL;
        TEST_REQUIRE_OK(test_load_text(ctx, "a.msh", version ? gmsh4 : gmsh2, &mesh));
        LyraMeshView view = lyra_mesh_view(mesh);
        TEST_EQUAL(view.element_count, 6);
        TEST_EQUAL(view.vertex_count, 8);
        TEST_EQUAL(view.vertex_set_count, 2);
        const LyraMeshVertexSet *origin = set_of_vertices(mesh, "origin");
        const LyraMeshVertexSet *rim = set_of_vertices(mesh, "rim");
        TEST_REQUIRE(origin && origin->count == 1 && rim && rim->count == 3);
        TEST_EQUAL(origin->vertices[0], 0);
        TEST_EQUAL(rim->vertices[2], 3);
        TEST_EQUAL(view.set_count, 1);
        TEST_EQUAL(set_of_elements(mesh, "steel")->count, 6);
        // the triangle 1 2 5 is no face of an element: its cut runs the other way
        TEST_EQUAL(view.face_set_count, 2);
        TEST_EQUAL(set_of_faces(mesh, "bottom plate")->count, 2);
        check_covers(cover_of(mesh, set_of_faces(mesh, "bottom plate")),
                     (Cover){1, {0, 0, -1}, {0.5, 0.5, 0}}, "bottom");
        check_covers(cover_of(mesh, set_of_faces(mesh, "physical_8")),
                     (Cover){0.5, {0, 0, 0.5}, {1.0 / 3, 1.0 / 6, 0.5}}, "top");
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}

LYRA_TEST(faces_of_cells_that_are_cut_are_cut_alike)
{
    // two hexahedra that are no cubes, the second above the first, and a prism beside: their quads
    // become two triangles each, whichever their diagonals are
    static const char text[] =
        "*NODE\n1, 0, 0, 0\n2, 2, 0, 0\n3, 2, 1, 0\n4, 0, 1, 0\n"
        "5, 0, 0, 1\n6, 2, 0, 1\n7, 2, 1, 1\n8, 0, 1, 1\n"
        "9, 0, 0, 3\n10, 2, 0, 3\n11, 2, 1, 3\n12, 0, 1, 3\n13, 3, 0, 0\n14, 3, 0, 1\n"
        "*ELEMENT, TYPE=C3D8R\n10, 1, 2, 3, 4, 5, 6, 7, 8\n20, 5, 6, 7, 8, 9, 10, 11, 12\n"
        "*ELEMENT, TYPE=C3D6\n30, 2, 13, 3, 6, 14, 7\n"
        "*ELEMENT, TYPE=C3D5\n40, 5, 6, 7, 8, 9\n"
        "*ELSET, ELSET=hexes\n10, 20\n"
        "*SURFACE, NAME=front\nhexes, S3\n30, S3\n"
        "*SURFACE, NAME=floor, TYPE=ELEMENT\n10, S1\n30, S1\n"
        "*SURFACE, NAME=lid, TYPE=ELEMENT\n20, S2\n"
        "*SURFACE, NAME=slope\n30, S4\n"
        "*SURFACE, NAME=sides\n10, S4\n10, S5\n10, S6\n*SURFACE, NAME=back\n10, S5\n";
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = NULL;
    TEST_REQUIRE_OK(test_load_text(ctx, "a.inp", text, &mesh));
    check_covers(cover_of(mesh, set_of_faces(mesh, "front")), (Cover){7, {0, -7, 0}, {8.5, 0, 9.5}},
                 "front");
    check_covers(cover_of(mesh, set_of_faces(mesh, "floor")),
                 (Cover){2.5, {0, 0, -2.5}, {2 + 7.0 / 6, 1 + 1.0 / 6, 0}}, "floor");
    check_covers(cover_of(mesh, set_of_faces(mesh, "lid")), (Cover){2, {0, 0, 2}, {2, 1, 6}},
                 "lid");
    check_covers(cover_of(mesh, set_of_faces(mesh, "slope")),
                 (Cover){sqrt(2.0), {1, 1, 0}, {2.5 * sqrt(2.0), sqrt(0.5), sqrt(0.5)}}, "slope");
    // named from the cell: the one between hexahedron and prism once
    check_covers(cover_of(mesh, set_of_faces(mesh, "sides")),
                 (Cover){4, {0, 2, 0}, {2 + 2, 0.5 + 2 + 0.5, 2}}, "sides");
    check_covers(cover_of(mesh, set_of_faces(mesh, "back")), (Cover){2, {0, 2, 0}, {2, 2, 1}},
                 "back");
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

// what Abaqus/CAE writes, with a part, an instance of it and sets of the assembly
static const char assembly[] =
    "*Heading\n** Job name: cube Model name: Model-1\n*Preprint, echo=NO\n"
    "*Part, name=Part-1\n*Node\n"
    "      1,           0.,           0.,           0.\n"
    "      2,           1.,           0.,           0.\n"
    "      3,           0.,           1.,           0.\n"
    "      4,           1.,           1.,           0.\n"
    "      5,           0.,           0.,           1.\n"
    "      6,           1.,           0.,           1.\n"
    "      7,           0.,           1.,           1.\n"
    "     18,           1.,           1.,           1.\n"
    "*Element, type=C3D4\n"
    "1, 1, 2, 4, 18\n2, 1, 4, 3, 18\n3, 1, 3, 7, 18\n4, 1, 7, 5, 18\n5, 1, 5, 6, 18\n"
    "6, 1, 6, 2, 18\n"
    "*Nset, nset=Set-1, generate\n  1,  5,  2\n"
    "*Elset, elset=Set-1, generate\n  1,  6,  1\n"
    "** Section: Section-1\n*Solid Section, elset=Set-1, material=Rubber\n,\n*End Part\n"
    "*Assembly, name=Assembly\n*Instance, name=Part-1-1, part=Part-1\n*End Instance\n"
    "*Nset, nset=Held, instance=Part-1-1\n  1,  2,\n 18, Set-1\n"
    "*Nset, nset=Both\nPart-1-1.7, Part-1-1.Held\n"
    "*Nset, nset=Nodes of one, elset=Part-1-1._Surf-1_S1\n"
    "*Elset, elset=_Surf-1_S1, internal, instance=Part-1-1, generate\n 1,  2,  1\n"
    "*Elset, elset=_Surf-1_S3, internal, instance=Part-1-1\n 6,\n"
    "*Surface, type=ELEMENT, name=Surf-1\n_Surf-1_S1, S1\n_Surf-1_S3, S3\nPart-1-1.5, s3\n"
    "*Surface, type=ELEMENT, name=Skin\nSet-1,\n"
    "*Surface, type=NODE, name=Points, internal\nHeld, 1.\n7\n"
    "*End Assembly\n*Material, name=Rubber\n*Density\n1000.,\n*Elastic\n1e6, 0.4\n"
    "*Step, name=Step-1\n*Surface, name=later\nnothing, S9\n";

LYRA_TEST(node_sets_and_surfaces_of_an_assembly_are_read)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = NULL;
    // a name must precede: the set of elements that the nodes are taken from is moved up
    char text[4096];
    const char *line = "*Nset, nset=Nodes of one", *at = strstr(assembly, line);
    const char *next = strchr(at, '\n') + 1, *surface = strstr(assembly, "*Surface");
    snprintf(text, sizeof text, "%.*s%.*s%.*s%s", (int)(at - assembly), assembly,
             (int)(surface - next), next, (int)(next - at), at, surface);
    TEST_REQUIRE_OK(test_load_text(ctx, "a.inp", text, &mesh));
    static const struct {
        const char *name;
        int32_t count, ids[6];
    } sets[] = {
        {"Set-1", 3, {0, 2, 4}},           {"Held", 5, {0, 1, 2, 4, 7}},
        {"Both", 6, {0, 1, 2, 4, 6, 7}},   {"Nodes of one", 5, {0, 1, 2, 3, 7}},
        {"Points", 6, {0, 1, 2, 4, 6, 7}},
    };
    TEST_EQUAL(lyra_mesh_view(mesh).vertex_set_count, LY_COUNT_OF(sets));
    for (int32_t s = 0; s < LY_COUNT_OF(sets); ++s) {
        const LyraMeshVertexSet *set = set_of_vertices(mesh, sets[s].name);
        TEST_CHECK_MSG(set && set->count == sets[s].count &&
                           same_ids(set->vertices, sets[s].ids, set->count),
                       "%s has %d vertices", sets[s].name, set ? set->count : -1);
    }
    TEST_EQUAL(set_of_elements(mesh, "Set-1")->count, 6);
    TEST_STRING(lyra_mesh_view(mesh).materials[0].name, "Rubber");
    // the bottom; S3 of elements 5 and 6, opposite their first corner
    const LyraMeshFaceSet *surf = set_of_faces(mesh, "Surf-1");
    TEST_REQUIRE(surf && surf->count == 4);
    check_covers(cover_of(mesh, surf),
                 (Cover){2,
                         {0.5, 0, -0.5},
                         {0.5 + 0.5 * 2 / 3 + 0.5, 0.5 + 0.5 / 3 + 0.5 / 3, 0.5 + 1.0 / 3}},
                 "Surf-1");
    check_covers(cover_of(mesh, set_of_faces(mesh, "Skin")), (Cover){6, {0}, {3, 3, 3}}, "Skin");
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(shells_on_solids_are_faces)
{
    static const char text[] = "*NODE, NSET=All\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n"
                               "*ELEMENT, TYPE=C3D4, ELSET=Eall\n1, 1, 2, 3, 4\n"
                               "*ELEMENT, TYPE=S3, ELSET=skin\n2, 1, 2, 4\n"
                               "*SURFACE, NAME=outside\nskin, SPOS\n"
                               "*SURFACE, NAME=edges\nskin, E2\n"
                               "*NSET, NSET=none\n77, 78\n";
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = NULL;
    TEST_REQUIRE_OK(test_load_text(ctx, "a.inp", text, &mesh));
    static const char *const names[] = {"skin", "outside"};
    for (int32_t s = 0; s < 2; ++s) {
        const LyraMeshFaceSet *set = set_of_faces(mesh, names[s]);
        TEST_REQUIRE(set && set->count == 1);
        TEST_EQUAL(set->faces[0], 0);
        TEST_EQUAL(set->faces[1], 2);
    }
    // numbers that no node has are passed over, as with elements
    TEST_EQUAL(set_of_vertices(mesh, "none")->count, 0);
    TEST_EQUAL(set_of_vertices(mesh, "All")->count, 4);
    TEST_EQUAL(set_of_faces(mesh, "edges")->count, 0);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

#define VTU_HEAD                                                                                   \
    "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\"><UnstructuredGrid>"            \
    "<Piece NumberOfPoints=\"5\" NumberOfCells=\"4\">"                                             \
    "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">"               \
    "0 0 0 1 0 0 0 1 0 0 0 1 1 1 1</DataArray></Points>"                                           \
    "<Cells><DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">"                     \
    "0 0 1 2 3 1 2 3 4 0 2 1</DataArray>"                                                          \
    "<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">1 5 9 12</DataArray>"             \
    "<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">1 10 10 5</DataArray></Cells>"

LYRA_TEST(arrays_that_group_are_sets)
{
    static const char vtu[] = VTU_HEAD
        "<CellData><DataArray type=\"Int32\" Name=\"clamp\" format=\"ascii\">1 1 0 1</DataArray>"
        "<DataArray type=\"Int32\" Name=\"material\" format=\"ascii\">7 7 9 9</DataArray>"
        "<DataArray type=\"Int64\" Name=\"ids\" format=\"ascii\">10 11 12 13</DataArray>"
        "<DataArray type=\"Int32\" Name=\"pair\" NumberOfComponents=\"2\" format=\"ascii\">"
        "1 0 1 0 1 0 1 0</DataArray>"
        "<DataArray type=\"Float64\" Name=\"heat\" format=\"ascii\">1 0 1 0</DataArray></CellData>"
        "<PointData><DataArray type=\"UInt8\" Name=\"held\" format=\"ascii\">0 0 1 0 1</DataArray>"
        "<DataArray type=\"UInt8\" Name=\"vtkGhostType\" format=\"ascii\">0 0 1 0 1</DataArray>"
        "<DataArray type=\"Int64\" Name=\"far\" format=\"ascii\">0 0 9999999999 0 0</DataArray>"
        "<DataArray type=\"Int32\" Name=\"same\" format=\"ascii\">3 3 3 3 3</DataArray>"
        "</PointData></Piece></UnstructuredGrid></VTKFile>";
    static const char vtk[] =
        "# vtk DataFile Version 3.0\nby hand\nASCII\nDATASET UNSTRUCTURED_GRID\n"
        "POINTS 5 double\n0 0 0 1 0 0 0 1 0 0 0 1 1 1 1\n"
        "CELLS 4 16\n1 0\n4 0 1 2 3\n4 1 2 3 4\n3 0 2 1\nCELL_TYPES 4\n1\n10\n10\n5\n"
        "CELL_DATA 4\nSCALARS clamp int\nLOOKUP_TABLE default\n1 1 0 1\n"
        "SCALARS material int 1\nLOOKUP_TABLE default\n7 7 9 9\n"
        "SCALARS heat double\nLOOKUP_TABLE default\n1 0 1 0\n"
        "POINT_DATA 5\nVECTORS u double\n0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
        "FIELD data 2\nheld 1 5 int\n0 0 1 0 1\nsame 1 5 int\n3 3 3 3 3\n";
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int legacy = 0; legacy < 2; ++legacy) {
        LyraMesh *mesh = NULL;
        TEST_REQUIRE_OK(test_load_text(ctx, legacy ? "a.vtk" : "a.vtu", legacy ? vtk : vtu, &mesh));
        LyraMeshView view = lyra_mesh_view(mesh);
        TEST_EQUAL(view.set_count, 3);
        TEST_EQUAL(view.vertex_set_count, 1);
        TEST_EQUAL(view.face_set_count, 2);
        // the first cell is a point and has no place: elements are numbered without it
        const LyraMeshSet *clamp = set_of_elements(mesh, "clamp");
        const LyraMeshSet *nine = set_of_elements(mesh, "material_9");
        TEST_REQUIRE(clamp && clamp->count == 1 && nine && nine->count == 1);
        TEST_EQUAL(clamp->elements[0], 0);
        TEST_EQUAL(nine->elements[0], 1);
        TEST_EQUAL(set_of_elements(mesh, "material_7")->count, 1);
        const LyraMeshFaceSet *face = set_of_faces(mesh, "clamp");
        TEST_REQUIRE(face && face->count == 1 && set_of_faces(mesh, "material_9"));
        TEST_EQUAL(face->faces[0], 0);
        TEST_EQUAL(face->faces[1], 3);
        const LyraMeshVertexSet *held = set_of_vertices(mesh, "held");
        TEST_REQUIRE(held && held->count == 2);
        TEST_EQUAL(held->vertices[0], 2);
        TEST_EQUAL(held->vertices[1], 4);
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}

LYRA_TEST(references_of_triangles_are_faces)
{
    static const char text[] = "MeshVersionFormatted 2\nDimension 3\nVertices\n5\n"
                               "0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n1 1 1 0\n"
                               "Triangles\n3\n1 3 2 4\n1 2 4 5\n1 4 3 5\n"
                               "Tetrahedra\n2\n1 2 3 4 1\n2 3 4 5 2\nEnd\n";
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = NULL;
    TEST_REQUIRE_OK(test_load_text(ctx, "a.mesh", text, &mesh));
    TEST_EQUAL(lyra_mesh_view(mesh).set_count, 2);
    TEST_EQUAL(set_of_faces(mesh, "region_4")->count, 1);
    TEST_EQUAL(set_of_faces(mesh, "region_5")->count, 2);
    check_covers(cover_of(mesh, set_of_faces(mesh, "region_4")),
                 (Cover){0.5, {0, 0, -0.5}, {1.0 / 6, 1.0 / 6, 0}}, "region_4");
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(vertices_that_go_leave_their_sets)
{
    // 9 lies at the place of 2, 10 belongs to no element, and its set goes with it
    static const char text[] = "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n5, 1, 1, 1\n"
                               "9, 1, 0, 0\n10, 5, 5, 5\n"
                               "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n2, 9, 3, 4, 5\n"
                               "*NSET, NSET=a\n2, 9, 10, 5\n*NSET, NSET=b\n10\n"
                               "*SURFACE, NAME=s\n2, S1\n1, S3\n";
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = NULL;
    TEST_REQUIRE_OK(test_load_text(ctx, "a.inp", text, &mesh));
    TEST_EQUAL(lyra_mesh_view(mesh).vertex_count, 5);
    TEST_EQUAL(lyra_mesh_view(mesh).vertex_set_count, 1);
    const LyraMeshVertexSet *a = set_of_vertices(mesh, "a");
    TEST_REQUIRE(a && a->count == 2);
    TEST_EQUAL(a->vertices[0], 1);
    TEST_EQUAL(a->vertices[1], 4);
    TEST_EQUAL(set_of_faces(mesh, "s")->count, 2);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

// ---- what is refused ----------------------------------------------------------------------------

#define INP_TET                                                                                    \
    "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n"
#define MSH_TET                                                                                    \
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"        \
    "$EndNodes\n"

LYRA_TEST(sets_that_name_nothing_are_refused)
{
    test_check_refused("a.inp", INP_TET "*SURFACE, NAME=s\n1, S5\n", LYRA_BAD_FORMAT,
                       "a.inp:9: found no such face of element 1, expected S1 to S4");
    test_check_refused("a.inp", INP_TET "*SURFACE, NAME=s\n1, S0\n", LYRA_BAD_FORMAT,
                       "a.inp:9: found \"S0\", expected a face, S1 to S6, SPOS or SNEG");
    test_check_refused("a.inp", INP_TET "*SURFACE, NAME=s\nnone, S1\n", LYRA_BAD_FORMAT,
                       "a.inp:9: found \"none\", expected the name of a set of elements above");
    test_check_refused("a.inp", INP_TET "*SURFACE, NAME=s, TYPE=NODE\nnone, 1.\n", LYRA_BAD_FORMAT,
                       "a.inp:9: found \"none\", expected the name of a set of nodes above");
    test_check_refused("a.inp", INP_TET "*SURFACE, TYPE=ELEMENT\n1, S1\n", LYRA_BAD_FORMAT,
                       "a.inp:8: found no NAME=..., expected one");
    test_check_refused("a.inp", INP_TET "*NSET\n1\n", LYRA_BAD_FORMAT,
                       "a.inp:8: found no NSET=..., expected one");
    test_check_refused("a.inp", INP_TET "*NSET, NSET=a, ELSET=b\n", LYRA_BAD_FORMAT,
                       "a.inp:8: found \"b\", expected the name of a set of elements above");
    test_check_refused("a.inp", INP_TET "*NSET, NSET=a\n1, 2x\n", LYRA_BAD_FORMAT,
                       "a.inp:9: found \"2x\", expected the number of a node");
    test_check_refused("a.inp", INP_TET "*NSET, NSET=a\nb\n*NSET, NSET=b\n1\n", LYRA_BAD_FORMAT,
                       "a.inp:9: the set \"a\" names the set \"b\", which does not precede it");
    test_check_refused(
        "a.inp", INP_TET "*NSET, NSET=a, GENERATE\n1, 4, 0\n", LYRA_BAD_FORMAT,
        "a.inp:9: found \"0\", expected an integer from 1 to 2147483647 for the step");
    test_check_refused("a.msh",
                       MSH_TET "$Elements\n2\n1 4 2 1 1 1 2 3 4\n2 2 2 1 1 1 2 7\n$EndElements\n",
                       LYRA_BAD_FORMAT,
                       "a.msh: a face of a set names vertex 7, expected one of the 4 "
                       "vertices of the file");
    test_check_refused("a.msh",
                       MSH_TET "$Elements\n2\n1 4 2 1 1 1 2 3 4\n2 1 2 3 1 1 9\n$EndElements\n",
                       LYRA_BAD_FORMAT,
                       "a.msh: the set \"physical_3\" names vertex 9, expected one of the 4 "
                       "vertices of the file");
    // without a group nobody looks
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = NULL;
    TEST_OK(test_load_text(ctx, "a.msh",
                           MSH_TET
                           "$Elements\n3\n1 4 2 1 1 1 2 3 4\n2 1 2 0 1 1 9\n3 2 2 0 1 1 2 9\n"
                           "$EndElements\n",
                           &mesh));
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

/// A .vtu of Lyra's own, one of its numbers changed.
static void check_vtu(const char *array, const char *old, const char *new, const char *sentence)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = sample_sets(ctx, LYRA_ELEMENT_TET4, 1, 1, 1), *back = NULL;
    const char *path = test_temp_path("own.vtu");
    TEST_OK(lyra_mesh_save_as(mesh, path, LYRA_MESH_FORMAT_VTU, LYRA_MESH_ENCODING_TEXT));
    char *text = test_read_file(path, NULL), *at = strstr(text, array);
    TEST_REQUIRE(at);
    at = strstr(at, old);
    TEST_REQUIRE(at);
    size_t length = strlen(text) + strlen(new) + 1;
    char *changed = malloc(length);
    snprintf(changed, length, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
    TEST_STATUS(test_load_text(ctx, "own.vtu", changed, &back), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "own.vtu:");
    TEST_CONTAINS(lyra_error_message(), sentence);
    free(changed);
    free(text);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(own_sets_of_vtu_are_looked_at)
{
    check_vtu("LyraVertexSetVertices", "\n0\n", "\n8\n", "found \"8\", expected");
    check_vtu("LyraVertexSetSizes", "\n1\n", "\n2\n", "LyraVertexSetVertices");
    check_vtu("LyraFaceSetSizes", "\n2\n", "\n3\n", "LyraFaceSetFaces");
    check_vtu("LyraFaceSetFaces", ">\n", ">\n6\n", "the end of the array");
    check_vtu("LyraFaceSetFaces", ">\n", ">\n9", "expected 0 to 3 of one of 6 elements");
    // "corner" becomes "right"
    check_vtu("LyraVertexSetNames", "99 111 114 110 101 114 ", "114 105 103 104 116 ",
              "found \"right\" twice, expected names that differ");
}

LYRA_TEST(names_without_a_place_are_refused_or_changed)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *box = sample_box(ctx, LYRA_ELEMENT_TET4, 1, 1, 1, 1), *mesh = NULL, *back = NULL;
    LyraMeshView view = lyra_mesh_view(box);
    static const int32_t vertex[1] = {2}, face[2] = {1, 1};
    LyraMeshVertexSet vertex_sets[2] = {{"a b", vertex, 1}, {"A-B", vertex, 1}};
    LyraMeshFaceSet face_sets[2] = {{"1st", face, 1}, {"a\"b", face, 1}};
    view.vertex_set_count = view.face_set_count = 2;
    view.vertex_sets = vertex_sets;
    view.face_sets = face_sets;
    TEST_OK(lyra_mesh_create(ctx, &view, &mesh));
    const char *path = test_temp_path("names.x");
    TEST_STATUS(lyra_mesh_save(mesh, path, LYRA_MESH_FORMAT_GMSH), LYRA_UNSUPPORTED);
    TEST_STATUS(lyra_mesh_save(mesh, path, LYRA_MESH_FORMAT_GMSH2), LYRA_UNSUPPORTED);
    TEST_OK(lyra_mesh_save(mesh, path, LYRA_MESH_FORMAT_ABAQUS));
    TEST_REQUIRE_OK(lyra_mesh_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &back));
    TEST_CHECK(set_of_vertices(back, "a_b") && set_of_vertices(back, "A-B"));
    TEST_CHECK(set_of_faces(back, "S1st") && set_of_faces(back, "a_b"));
    lyra_mesh_destroy(back);
    back = NULL;
    TEST_OK(lyra_mesh_save(mesh, path, LYRA_MESH_FORMAT_VTU));
    TEST_REQUIRE_OK(lyra_mesh_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &back));
    check_same_sets(mesh, back, "vtu");
    lyra_mesh_destroy(back);
    lyra_mesh_destroy(mesh);
    lyra_mesh_destroy(box);
    test_context_end(ctx);
}

/// Loads a file that may be damaged: a sentence or a mesh, and nothing left behind.
static void load_damaged(LyraContext *ctx, const char *path, const char *bytes, size_t length)
{
    const LyraMemoryFile file = {path, bytes, length};
    LyraMesh *mesh = NULL;
    int64_t held = test_allocation_bytes();
    test_allocation_peak_reset();
    LyraStatus status = lyra_mesh_load_memory(ctx, &file, 1, LYRA_MESH_FORMAT_AUTO, &mesh);
    TEST_CHECK((status == LYRA_OK) == (mesh != NULL));
    TEST_CHECK(status == LYRA_OK || strlen(lyra_error_message()) > 10);
    TEST_CHECK(test_allocation_peak() - held < 131072 + 60 * (int64_t)length);
    lyra_mesh_destroy(mesh);
    TEST_CHECK(test_allocation_bytes() == held);
}

LYRA_TEST(damaged_sets_end_in_a_sentence_or_a_mesh)
{
    static const struct {
        const char *path, *text;
    } files[] = {{"a.msh", gmsh2}, {"a.msh", gmsh4}, {"a.inp", assembly}};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t i = 0; i < 3; ++i) {
        size_t length = strlen(files[i].text);
        char *bytes = malloc(length);
        for (size_t cut = 0; cut < length; ++cut) {
            // exact bounds, so that a sanitizer sees what is read beyond
            char *part = malloc(cut + 1);
            memcpy(part, files[i].text, cut);
            load_damaged(ctx, files[i].path, part, cut);
            free(part);
        }
        memcpy(bytes, files[i].text, length);
        for (size_t bit = 0; bit < 8 * length; ++bit) {
            bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
            load_damaged(ctx, files[i].path, bytes, length);
            bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
        }
        free(bytes);
    }
    test_context_end(ctx);
}

LYRA_TEST(short_files_cannot_ask_for_large_sets)
{
    // a thousand surfaces of a thousand faces: refused once they outgrow the file
    char *text = malloc(200000);
    size_t length = (size_t)sprintf(text, "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n"
                                          "*ELEMENT, TYPE=C3D4, ELSET=Eall\n");
    for (int32_t e = 1; e <= 1000; ++e) {
        length += (size_t)sprintf(text + length, "%d,1,2,3,4\n", e);
    }
    for (int32_t s = 0; s < 2000; ++s) {
        length += (size_t)sprintf(text + length, "*SURFACE,NAME=s%d\nEall,S1\n", s);
    }
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = NULL;
    test_allocation_peak_reset();
    TEST_STATUS(test_load_text(ctx, "a.inp", text, &mesh), LYRA_TOO_LARGE);
    TEST_CHECK(test_allocation_peak() < 130 * (int64_t)length);
    free(text);
    test_context_end(ctx);
}

static LyraStatus load_text(LyraContext *ctx, void *data)
{
    const char *const *file = data;
    LyraMesh *mesh = NULL;
    LyraStatus status = test_load_text(ctx, file[0], file[1], &mesh);
    if (status == LYRA_OK) {
        status = lyra_mesh_save(mesh, test_temp_path("again.msh"), LYRA_MESH_FORMAT_GMSH);
    }
    lyra_mesh_destroy(mesh);
    return status;
}

LYRA_TEST(failing_allocations_leak_nothing)
{
    const char *files[][2] = {{"a.msh", gmsh2}, {"a.msh", gmsh4}, {"a.inp", NULL}};
    char text[4096];
    const char *at = strstr(assembly, "*Nset, nset=Nodes of one"), *next = strchr(at, '\n') + 1;
    snprintf(text, sizeof text, "%.*s%s", (int)(at - assembly), assembly, next);
    files[2][1] = text;
    for (int32_t i = 0; i < 3; ++i) {
        test_fail_each_allocation(load_text, files[i]);
    }
}
