// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// .vtu files: our own come back whole, those of others with their cells.

#include "mesh_file_test.h"

#include <stdlib.h>
#include <string.h>

#define OPEN "<VTKFile type=\"UnstructuredGrid\" version=\"0.1\">\n<UnstructuredGrid>\n"
#define PIECE "<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\">\n"
#define POINTS_TAG "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">"
#define POINTS POINTS_TAG "0 0 0 1 0 0 0 1 0 0 0 1</DataArray></Points>\n"
#define CELLS(connectivity, offsets, types)                                                        \
    "<Cells><DataArray type=\"Int32\" Name=\"connectivity\">" connectivity "</DataArray>\n"        \
    "<DataArray type=\"Int32\" Name=\"offsets\">" offsets "</DataArray>\n"                         \
    "<DataArray type=\"UInt8\" Name=\"types\">" types "</DataArray></Cells>\n"
#define CLOSE "</Piece></UnstructuredGrid></VTKFile>\n"

LYRA_TEST(round_trips_keep_every_bit)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int kind = 0; kind < LYRA_ELEMENT_TET10; ++kind) {
        LyraMesh *mesh = test_awkward_mesh(ctx, (LyraElementKind)kind);
        test_round_trip(mesh, "awkward.vtu");
        lyra_mesh_destroy(mesh);
    }
    static const char *const samples[] = {"mesh/tets.veg", "mesh/cubes.veg", "mesh/parts.veg",
                                          "mesh/crlf.veg", "mesh/pair.ele",  "mesh/ascii.vtu"};
    for (int i = 0; i < 6; ++i) {
        LyraMesh *mesh = NULL;
        TEST_REQUIRE_OK(
            lyra_mesh_load(ctx, test_data_path(samples[i]), LYRA_MESH_FORMAT_AUTO, &mesh));
        test_round_trip(mesh, "sample.vtu");
        lyra_mesh_destroy(mesh);
    }
    LyraMesh *empty = NULL;
    TEST_OK(lyra_mesh_create(ctx, &(LyraMeshView){0}, &empty));
    test_round_trip(empty, "empty.vtu");
    lyra_mesh_destroy(empty);
    test_context_end(ctx);
}

LYRA_TEST(names_of_any_kind_survive)
{
    // what .veg cannot hold is no trouble here
    char name[5001];
    memset(name, 'n', 5000);
    name[5000] = '\0';
    const LyraMeshSet sets[] = {
        {.name = ""}, {.name = "a,b"}, {.name = "<\n>\"&\x01\xff"}, {.name = name}};
    LyraMeshView view = {.set_count = 4, .sets = sets};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = NULL;
    TEST_OK(lyra_mesh_create(ctx, &view, &mesh));
    test_round_trip(mesh, "names.vtu");
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(text_of_other_programs_is_read)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *ours = NULL, *theirs = NULL;
    TEST_REQUIRE_OK(
        lyra_mesh_load(ctx, test_data_path("mesh/cubes.veg"), LYRA_MESH_FORMAT_AUTO, &ours));
    TEST_REQUIRE_OK(
        lyra_mesh_load(ctx, test_data_path("mesh/ascii.vtu"), LYRA_MESH_FORMAT_AUTO, &theirs));
    LyraMeshView a = lyra_mesh_view(ours), b = lyra_mesh_view(theirs);
    TEST_REQUIRE(a.vertex_count == b.vertex_count && a.element_count == b.element_count);
    TEST_EQUAL(b.kind, LYRA_ELEMENT_CUBE8);
    TEST_CHECK(memcmp(a.positions, b.positions, 12 * 24) == 0);
    TEST_CHECK(memcmp(a.elements, b.elements, 2 * 32) == 0);
    TEST_STRING(b.materials[0].name, "defaultMaterial");
    lyra_mesh_destroy(ours);
    lyra_mesh_destroy(theirs);
    test_context_end(ctx);
}

LYRA_TEST(every_way_to_encode_gives_the_same)
{
    static const char *const names[] = {"mesh/crlf.veg", "mesh/base64.vtu", "mesh/base64_split.vtu",
                                        "mesh/appended.vtu"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *meshes[4] = {0};
    for (int i = 0; i < 4; ++i) {
        TEST_REQUIRE_OK(
            lyra_mesh_load(ctx, test_data_path(names[i]), LYRA_MESH_FORMAT_AUTO, &meshes[i]));
        test_meshes_equal(meshes[0], meshes[i], names[i]);
    }
    for (int i = 0; i < 4; ++i) {
        lyra_mesh_destroy(meshes[i]);
    }
    test_context_end(ctx);
}

LYRA_TEST(field_data_of_other_cells_gives_way_to_cell_data)
{
    // three cells are left of some other number: the second material, twice the first
    static const char text[] =
        OPEN "<FieldData><DataArray type=\"Int32\" Name=\"LyraElementCount\">9</DataArray>\n"
             "<Array type=\"String\" Name=\"LyraMaterialNames\">97 0 98 98 0</Array>\n"
             "<DataArray type=\"Int32\" Name=\"LyraMaterialKinds\">0 0</DataArray>\n"
             "<DataArray type=\"Float64\" Name=\"LyraMaterialConstants\" NumberOfComponents=\"19\">"
             "1 2 0.3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 4 5 0.1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
             "</DataArray><Array type=\"String\" Name=\"LyraSetNames\">97 0</Array>\n"
             "<DataArray type=\"Int32\" Name=\"LyraSetSizes\">1</DataArray>\n"
             "<DataArray type=\"Int32\" Name=\"LyraSetElements\">8</DataArray></FieldData>\n"
             "<Piece NumberOfPoints=\"4\" NumberOfCells=\"3\">\n" POINTS CELLS(
                 "0 1 2 3 0 1 2 3 0 1 2 3", "4 8 12",
                 "10 10 10") "<CellData><DataArray type=\"Int32\" Name=\"material\">1 0 "
                             "0</DataArray></CellData>" CLOSE;
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = NULL;
    TEST_REQUIRE_OK(test_load_text(ctx, "a.vtu", text, &mesh));
    LyraMeshView view = lyra_mesh_view(mesh);
    TEST_REQUIRE(view.material_count == 2 && view.set_count == 2 && view.region_count == 2);
    TEST_STRING(view.sets[0].name, "a");
    TEST_EQUAL(view.sets[0].count, 2);
    TEST_STRING(view.sets[1].name, "bb");
    TEST_EQUAL(view.element_materials[0], 1);
    TEST_EQUAL(view.element_materials[1], 0);
    TEST_EQUAL(view.element_materials[2], 0);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(messages_say_where_what_and_what_instead)
{
    static const struct {
        const char *text, *sentence;
        LyraStatus status;
    } cases[] = {
        {"", "a.vtu:1: found the end of the file, expected the tag <VTKFile", LYRA_BAD_FORMAT},
        {"<html>\n", "a.vtu:1: found \"<html>\", expected the tag <VTKFile", LYRA_BAD_FORMAT},
        {"<VTKFile type=\"PolyData\">\n",
         "a.vtu:1: found the type \"PolyData\", expected UnstructuredGrid", LYRA_BAD_FORMAT},
        {"\n<VTKFile type=UnstructuredGrid>\n",
         "a.vtu:2: found \"UnstructuredGrid>\", expected a value in quotes", LYRA_BAD_FORMAT},
        {OPEN, "a.vtu:3: found the end of the file, expected the tag <Piece", LYRA_BAD_FORMAT},
        {OPEN "<Piece NumberOfPoints=\"4\">\n",
         "a.vtu:3: found no NumberOfCells in the tag \"Piece\", expected one", LYRA_BAD_FORMAT},
        {OPEN "<Piece NumberOfPoints=\"4294967296\" NumberOfCells=\"1\">\n",
         "a.vtu:3: found NumberOfPoints=\"4294967296\", expected an integer from 0 to 2147483647",
         LYRA_BAD_FORMAT},
        {OPEN PIECE PIECE, "a.vtu:4: found a second Piece, expected one", LYRA_UNSUPPORTED},
        {OPEN PIECE, "a.vtu:4: found the end of the file, expected the array \"Points\"",
         LYRA_BAD_FORMAT},
        {OPEN PIECE POINTS,
         "a.vtu:5: found the end of the file, expected the array \"connectivity\"",
         LYRA_BAD_FORMAT},
        {OPEN PIECE POINTS_TAG "0 0 0</DataArray></Points>" CELLS("0 1 2 3", "4", "10"),
         "a.vtu:4: array \"Points\": found 3 values, expected 12", LYRA_BAD_FORMAT},
        {OPEN PIECE POINTS_TAG
         "0 0 0 1 0 0 0 1 0 0 0         </DataArray></Points>" CELLS("0 1 2 3", "4", "10"),
         "a.vtu:4: array \"Points\": found the end of its data, expected more values",
         LYRA_BAD_FORMAT},
        {OPEN PIECE POINTS_TAG
         "0 0 0 1 0 0 0 1 0 0 0 1\n7</DataArray></Points>" CELLS("0 1 2 3", "4", "10"),
         "a.vtu:5: found \"7\", expected the end of the array \"Points\"", LYRA_BAD_FORMAT},
        {OPEN PIECE POINTS_TAG
         "0 0 0 1 0 0 0 1 0 0 0 nan</DataArray></Points>" CELLS("0 1 2 3", "4", "10"),
         "a.vtu:4: found \"nan\", expected a finite number for Points", LYRA_NOT_FINITE},
        {OPEN PIECE POINTS CELLS("0 1 2 4", "4", "10"),
         "a.vtu:5: found \"4\", expected an integer from 0 to 3 for connectivity", LYRA_BAD_FORMAT},
        {OPEN PIECE POINTS CELLS("0 1 2 3", "5", "10"),
         "a.vtu:6: found \"5\", expected an integer from 0 to 4 for offsets", LYRA_BAD_FORMAT},
        {OPEN PIECE POINTS CELLS("0 1 2 3", "4", "5"),
         "a.vtu: found a cell of type 5 with 4 vertices, expected 3", LYRA_BAD_FORMAT},
        {OPEN PIECE POINTS CELLS("0 1 2 3", "4", "42"),
         "a.vtu: found a cell of type 42, expected triangles, quads, polygons, tets, pyramids, "
         "prisms or hexahedra",
         LYRA_UNSUPPORTED},
        {OPEN PIECE POINTS CELLS("0 1 2", "3", "5"),
         "a.vtu: found a surface of 1 faces, expected a volumetric mesh", LYRA_BAD_MESH},
        {"<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkLZ4DataCompressor\">\n" PIECE
         "<Points><DataArray type=\"Float64\" format=\"binary\">AAAA</DataArray></Points>",
         "a.vtu:3: array \"Points\": found data of another compressor, expected "
         "vtkZLibDataCompressor or none",
         LYRA_UNSUPPORTED},
        {OPEN PIECE "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" "
                    "format=\"appended\" offset=\"5\"/></Points>" CELLS("0 1 2 3", "4", "10"),
         "a.vtu:4: array \"Points\": found the offset 5, expected one inside the appended data of "
         "0 bytes",
         LYRA_BAD_FORMAT},
        {OPEN PIECE "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" "
                    "format=\"binary\">/////w==</DataArray></Points>" CELLS("0 1 2 3", "4", "10"),
         "a.vtu:4: array \"Points\": found 0 bytes of data, expected 4294967295 as its head says",
         LYRA_BAD_FORMAT},
        {OPEN PIECE "<Points><DataArray type=\"Complex\"></DataArray></Points>",
         "a.vtu:4: array \"Points\": found the type \"Complex\", expected Float64, Int32 or "
         "another "
         "of VTK's",
         LYRA_BAD_FORMAT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        test_check_refused("a.vtu", cases[i].text, cases[i].status, cases[i].sentence);
    }
}

static void damage(const char *path, size_t step)
{
    size_t length = 0;
    char *text = test_read_file(path, &length);
    TEST_REQUIRE(text);
    const LyraMemoryFile file = {"a.vtu", text, length};
    if (step > 0) {
        test_cut_files(&file, 1, LYRA_MESH_FORMAT_VTU, step);
    } else {
        test_damaged_files(&file, 1, LYRA_MESH_FORMAT_VTU);
    }
    free(text);
}

LYRA_TEST(damaged_text_gives_a_status)
{
    damage(test_data_path("mesh/ascii.vtu"), 0);
}

LYRA_TEST(damaged_base64_gives_a_status)
{
    damage(test_data_path("mesh/base64.vtu"), 0);
    damage(test_data_path("mesh/appended.vtu"), 0);
}

LYRA_TEST(damaged_own_files_give_a_status)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = test_awkward_mesh(ctx, LYRA_ELEMENT_TET4);
    const char *path = test_temp_path("awkward.vtu");
    TEST_OK(lyra_mesh_save(mesh, path, LYRA_MESH_FORMAT_AUTO));
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
    damage(path, 0);
}

static LyraStatus load_and_save(LyraContext *ctx, void *data)
{
    const char *name = data;
    LyraMesh *mesh = NULL, *back = NULL;
    const char *path = test_temp_path("allocations.vtu");
    LyraStatus status = lyra_mesh_load(ctx, test_data_path(name), LYRA_MESH_FORMAT_AUTO, &mesh);
    if (status == LYRA_OK) {
        status = lyra_mesh_save(mesh, path, LYRA_MESH_FORMAT_AUTO);
    }
    if (status == LYRA_OK) {
        status = lyra_mesh_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &back);
    }
    lyra_mesh_destroy(mesh);
    lyra_mesh_destroy(back);
    return status;
}

LYRA_TEST(failing_allocations_leak_nothing)
{
    char tets[] = "mesh/tets.veg", appended[] = "mesh/appended.vtu";
    test_fail_each_allocation(load_and_save, tets);
    test_fail_each_allocation(load_and_save, appended);
}

LYRA_TEST(reference_meshes_round_trip)
{
    static const char *const names[] = {"meshes/turtle-volumetric-heterogeneous.ortho.veg",
                                        "meshes/asianDragon_MooneyRivlin.veg",
                                        "meshes/towerCrane_resol166.veg", "meshes/torus-easy.veg"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    bool found = false;
    for (int i = 0; i < 4; ++i) {
        const char *path = test_reference_path(names[i]);
        LyraMesh *mesh = NULL;
        if (path && TEST_OK(lyra_mesh_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &mesh))) {
            found = true;
            test_round_trip(mesh, "reference.vtu");
        }
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
    if (!found) {
        TEST_SKIP("no reference meshes on this machine");
    }
}
