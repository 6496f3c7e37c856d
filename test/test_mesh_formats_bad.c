// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Damaged and hostile files of every format: a status with a sentence, memory within what the file
// can hold, and nothing left behind.

#include "mesh_file_test.h"
#include "mesh_samples.h"

#include <stdio.h>

/// One load of a damaged file, as a mesh and as a surface.
static void load_both(LyraContext *ctx, const char *bytes, size_t length, int64_t bytes_each)
{
    const LyraMemoryFile file = {"a.x", bytes, length};
    int64_t held = test_allocation_bytes(), most = 131072 + bytes_each * (int64_t)length;
    for (int pass = 0; pass < 2; ++pass) {
        LyraMesh *mesh = NULL;
        LyraSurface *surface = NULL;
        test_allocation_peak_reset();
        LyraStatus status =
            pass == 0 ? lyra_mesh_load_memory(ctx, &file, 1, LYRA_MESH_FORMAT_AUTO, &mesh)
                      : lyra_surface_load_memory(ctx, &file, LYRA_MESH_FORMAT_AUTO, &surface);
        int64_t peak = test_allocation_peak() - held;
        TEST_CHECK_MSG(peak <= most, "%lld bytes allocated for %zu: %s", (long long)peak, length,
                       lyra_error_message());
        TEST_CHECK((status == LYRA_OK) == (mesh || surface));
        TEST_CHECK(status == LYRA_OK || strlen(lyra_error_message()) > 10);
        lyra_mesh_destroy(mesh);
        lyra_surface_destroy(surface);
        TEST_CHECK_MSG(test_allocation_bytes() == held, "memory leaked: %s", lyra_error_message());
    }
}

/// Cuts a file at every byte and flips every bit of it. Copies have exact bounds, so that a
/// sanitizer sees every byte read beyond them.
static void damage(const char *path, int64_t bytes_each)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    size_t length = 0;
    char *whole = test_read_file(path, &length);
    for (size_t cut = 0; cut < length; ++cut) {
        char *copy = malloc(cut + 1);
        memcpy(copy, whole, cut);
        char *exact = realloc(copy, cut > 0 ? cut : 1);
        load_both(ctx, exact, cut, bytes_each);
        free(exact);
    }
    for (size_t bit = 0; bit < 8 * length; ++bit) {
        whole[bit / 8] = (char)(whole[bit / 8] ^ 1 << bit % 8);
        load_both(ctx, whole, length, bytes_each);
        whole[bit / 8] = (char)(whole[bit / 8] ^ 1 << bit % 8);
    }
    free(whole);
    test_context_end(ctx);
}

/// A tet with a set.
static LyraMesh *tiny_mesh(LyraContext *ctx)
{
    static const double x[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int32_t tet[4] = {0, 1, 2, 3}, id[1] = {0};
    const LyraMeshSet set = {"s", id, 1};
    const LyraMeshView view = {.vertex_count = 4,
                               .element_count = 1,
                               .positions = x[0],
                               .elements = tet,
                               .set_count = 1,
                               .sets = &set};
    LyraMesh *mesh = NULL;
    TEST_OK(lyra_mesh_create(ctx, &view, &mesh));
    return mesh;
}

static void damage_mesh(LyraMeshFormat format, LyraMeshEncoding encoding, int64_t bytes_each)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = tiny_mesh(ctx);
    const char *path = test_temp_path("tiny.x");
    TEST_OK(lyra_mesh_save_as(mesh, path, format, encoding));
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
    damage(path, bytes_each);
}

static void damage_surface(LyraMeshFormat format, LyraMeshEncoding encoding)
{
    static const char obj[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nf 1 2 3 4\nf 1 2 5\n";
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const LyraMemoryFile file = {"a.obj", obj, sizeof obj - 1};
    LyraSurface *surface = NULL;
    const char *path = test_temp_path("tiny.x");
    TEST_OK(lyra_surface_load_memory(ctx, &file, LYRA_MESH_FORMAT_AUTO, &surface));
    TEST_OK(lyra_surface_save_as(surface, path, format, encoding));
    lyra_surface_destroy(surface);
    test_context_end(ctx);
    damage(path, 60);
}

LYRA_TEST(damaged_gmsh_gives_a_status)
{
    damage_mesh(LYRA_MESH_FORMAT_GMSH, LYRA_MESH_ENCODING_TEXT, 60);
    damage_mesh(LYRA_MESH_FORMAT_GMSH, LYRA_MESH_ENCODING_BINARY, 60);
    damage_mesh(LYRA_MESH_FORMAT_GMSH2, LYRA_MESH_ENCODING_TEXT, 60);
    damage_mesh(LYRA_MESH_FORMAT_GMSH2, LYRA_MESH_ENCODING_BINARY, 60);
}

LYRA_TEST(damaged_vtk_gives_a_status)
{
    damage_mesh(LYRA_MESH_FORMAT_VTK, LYRA_MESH_ENCODING_TEXT, 60);
    damage_mesh(LYRA_MESH_FORMAT_VTK, LYRA_MESH_ENCODING_BINARY, 60);
    damage_surface(LYRA_MESH_FORMAT_VTK, LYRA_MESH_ENCODING_TEXT);
}

LYRA_TEST(damaged_inp_and_medit_give_a_status)
{
    damage_mesh(LYRA_MESH_FORMAT_ABAQUS, LYRA_MESH_ENCODING_TEXT, 60);
    damage_mesh(LYRA_MESH_FORMAT_MEDIT, LYRA_MESH_ENCODING_TEXT, 60);
}

LYRA_TEST(damaged_stl_and_ply_give_a_status)
{
    damage_surface(LYRA_MESH_FORMAT_STL, LYRA_MESH_ENCODING_TEXT);
    damage_surface(LYRA_MESH_FORMAT_STL, LYRA_MESH_ENCODING_BINARY);
    damage_surface(LYRA_MESH_FORMAT_PLY, LYRA_MESH_ENCODING_TEXT);
    damage_surface(LYRA_MESH_FORMAT_PLY, LYRA_MESH_ENCODING_BINARY);
}

LYRA_TEST(damaged_compressed_vtu_gives_a_status)
{
    bool zlib = false;
    for (int32_t i = 0; lyra_feature(i, NULL); ++i) {
        bool used;
        if (strcmp(lyra_feature(i, &used), "zlib") == 0) {
            zlib = used;
        }
    }
    if (!zlib) {
        TEST_SKIP("this build has no zlib");
    }
    // a byte may stand for a thousand
    damage_mesh(LYRA_MESH_FORMAT_VTU, LYRA_MESH_ENCODING_COMPRESSED, 1300);
}

LYRA_TEST(compressed_data_that_claims_too_much_is_refused)
{
    // one block of 10 bytes, said to hold half a gigabyte
    static const char text[] =
        "<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkZLibDataCompressor\">\n"
        "<UnstructuredGrid><Piece NumberOfPoints=\"4\" NumberOfCells=\"0\"><Points>\n"
        "<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"binary\">\n"
        "AQAAAAAAACAAAAAACgAAAA==AAAAAAAAAAAAAA==</DataArray></Points></Piece></UnstructuredGrid></"
        "VTKFile>\n";
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = NULL;
    test_allocation_peak_reset();
    TEST_CHECK(test_load_text(ctx, "a.vtu", text, &mesh) != LYRA_OK);
    TEST_CHECK(test_allocation_peak() < 1 << 20);
    test_context_end(ctx);
}

// ---- claims -------------------------------------------------------------------------------------

LYRA_TEST(claims_beyond_the_file_are_refused)
{
    static const struct {
        const char *path, *text, *sentence;
        LyraStatus status;
    } cases[] = {
        {"a.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2000000000\n1 0 0 0\n",
         "a.msh:6: found 8 bytes to the end of the file, expected 8000000000 numbers of nodes",
         LYRA_BAD_FORMAT},
        {"a.msh",
         "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4000000000 1 2\n2 1 0 1000000000\n",
         "a.msh:5: found \"4000000000\", expected an integer from 0 to 2147483646 for the number "
         "of "
         "nodes or elements",
         LYRA_BAD_FORMAT},
        {"a.msh", "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Elements\n1 1 1 1\n3 1 4 1000000000\n",
         "a.msh:6: found 1 bytes to the end of the file, expected 5000000000 numbers of elements",
         LYRA_BAD_FORMAT},
        {"a.msh", "$MeshFormat\n3.5 0 8\n$EndMeshFormat\n",
         "a.msh:2: found \"3.5\", expected version 2 or 4.1", LYRA_UNSUPPORTED},
        {"a.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 nan 0\n$EndNodes\n",
         "a.msh:6: found \"nan\", expected a finite number for a coordinate", LYRA_NOT_FINITE},
        {"a.msh",
         "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n1\n"
         "1 4 0 -1 2 3 4\n$EndElements\n",
         "a.msh: cell 1 names vertex -1, expected one of the 1 vertices of the file",
         LYRA_BAD_FORMAT},
        {"a.msh",
         "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2\n7 0 0 0\n7 1 0 0\n$EndNodes\n$Elements\n"
         "1\n1 4 0 7 7 7 7\n$EndElements\n",
         "a.msh: found two vertices with the number 7, expected one", LYRA_BAD_FORMAT},
        {"a.vtk",
         "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 2000000000 "
         "float\n",
         "a.vtk:6: found 0 bytes to the end of the file, expected 6000000000 numbers of points",
         LYRA_BAD_FORMAT},
        {"a.vtk",
         "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 0 float\n"
         "CELLS 1 5\n4 0 1 2 -3\nCELL_TYPES 1\n10\n",
         "a.vtk: cell 1 names vertex 0, expected one of the 0 vertices of the file",
         LYRA_BAD_FORMAT},
        {"a.vtk",
         "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 0 float\n"
         "CELLS 1000000000 0\n",
         "a.vtk:7: found 0 bytes to the end of the file, expected 1000000000 numbers of cells",
         LYRA_BAD_FORMAT},
        {"a.vtk", "# vtk DataFile Version 3.0\nt\nASCII\nDATASET STRUCTURED_POINTS\n",
         "a.vtk:4: found \"STRUCTURED_POINTS\", expected UNSTRUCTURED_GRID or POLYDATA",
         LYRA_UNSUPPORTED},
        {"a.mesh", "MeshVersionFormatted 1\nVertices\n1000000000\n",
         "a.mesh:3: found 1 bytes to the end of the file, expected 2000000000 numbers of rows",
         LYRA_BAD_FORMAT},
        {"a.inp", "*NODE\n1, 0, inf, 0\n",
         "a.inp:2: found \"inf\", expected a finite number for a coordinate", LYRA_NOT_FINITE},
        {"a.inp", "*NODE\n1, 0, 0, 0\n*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n",
         "a.inp: cell 1 names vertex 2, expected one of the 1 vertices of the file",
         LYRA_BAD_FORMAT},
        {"a.inp", "*NODE\n1, 0, 0, 0\n*ELEMENT\n1, 1, 2, 3, 4\n",
         "a.inp:3: found no TYPE=..., expected one", LYRA_BAD_FORMAT},
        {"a.inp", "*ELSET, ELSET=a\na\n",
         "a.inp:2: the set \"a\" names the set \"a\", which does not precede it", LYRA_BAD_FORMAT},
        {"a.inp", "*INCLUDE, INPUT=b.inp\n",
         "a.inp:1: found *INCLUDE, expected a file that holds all of the mesh", LYRA_UNSUPPORTED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        test_check_refused(cases[i].path, cases[i].text, cases[i].status, cases[i].sentence);
    }
}

LYRA_TEST(claims_of_surfaces_beyond_the_file_are_refused)
{
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        {"ply\nformat ascii 1.0\nelement vertex 2000000000\nproperty float x\nproperty float y\n"
         "property float z\nend_header\n",
         "a.x:8: found 0 bytes to the end of the file, expected 2000000000 numbers of rows"},
        {"ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\n"
         "property float z\nelement face 1\nproperty list int int vertex_indices\nend_header\n"
         "2000000000 1 2\n",
         "a.x:10: found 5 bytes to the end of the file, expected 2000000000 numbers of a face"},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n",
         "a.x: expected one element vertex with x, y and z"},
        {"solid\nfacet normal 0 0 0\nouter loop\nvertex 0 0 x\n",
         "a.x:4: found \"x\", expected a number for a vertex"},
    };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const LyraMemoryFile file = {"a.x", cases[i].text, strlen(cases[i].text)};
        LyraSurface *surface = NULL;
        TEST_STATUS(lyra_surface_load_memory(ctx, &file, LYRA_MESH_FORMAT_AUTO, &surface),
                    LYRA_BAD_FORMAT);
        TEST_CHECK_MSG(strcmp(lyra_error_message(), cases[i].sentence) == 0,
                       "found \"%s\", expected \"%s\"", lyra_error_message(), cases[i].sentence);
    }
    // bytes of STL that claim four billion triangles
    char stl[84];
    memset(stl, 0xff, sizeof stl);
    const LyraMemoryFile file = {"a.stl", stl, sizeof stl};
    LyraSurface *surface = NULL;
    TEST_STATUS(lyra_surface_load_memory(ctx, &file, LYRA_MESH_FORMAT_AUTO, &surface),
                LYRA_BAD_FORMAT);
    test_context_end(ctx);
}

LYRA_TEST(sets_that_multiply_are_bounded)
{
    // each line asks for all elements again
    size_t room = 200000, used = 0;
    char *text = malloc(room);
    used += (size_t)snprintf(text, room,
                             "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n"
                             "*ELEMENT,TYPE=C3D4\n");
    for (int i = 1; i <= 1000; ++i) {
        used += (size_t)snprintf(text + used, room - used, "%d,1,2,3,4\n", i);
    }
    for (int i = 0; i < 3000; ++i) {
        used +=
            (size_t)snprintf(text + used, room - used, "*ELSET,ELSET=s%d,GENERATE\n1,1000\n", i);
    }
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = NULL;
    test_allocation_peak_reset();
    TEST_STATUS(test_load_text(ctx, "a.inp", text, &mesh), LYRA_TOO_LARGE);
    TEST_CHECK(test_allocation_peak() < 60 * (int64_t)used);
    free(text);
    test_context_end(ctx);
}
