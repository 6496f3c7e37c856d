// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What is done to meshes of foreign formats as they are read, and the line that says so.

#include "mesh_file_test.h"
#include "mesh_samples.h"

#include <math.h>
#include <stdio.h>

// what the log said
static char lines[2000];

static void note(void *user, LyraLogLevel level, const char *message)
{
    (void)user;
    (void)level;
    snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "%s\n", message);
}

static LyraContext *noting_context(void)
{
    LyraContextDef def = lyra_context_def_default();
    def.thread_count = 1;
    def.log = note;
    def.log_level = LYRA_LOG_INFO;
    LyraContext *ctx = NULL;
    TEST_OK(lyra_context_create(&def, &ctx));
    lines[0] = '\0';
    return ctx;
}

static void check_lines(const char *expected)
{
    TEST_CHECK_MSG(strcmp(lines, expected) == 0, "found \"%s\", expected \"%s\"", lines, expected);
    lines[0] = '\0';
}

static double total_volume(const LyraMesh *mesh)
{
    LyraMassProperties mass;
    TEST_OK(lyra_mesh_mass_properties(mesh, NULL, &mass));
    return mass.volume;
}

LYRA_TEST(foreign_meshes_are_repaired_with_a_line_for_each_kind)
{
    // node 5 is node 2 again, node 6 is used by nobody; the second tet is inside out, the third
    // flat
    static const char text[] =
        "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n5, 1, 0, 0\n6, 9, 9, 9\n"
        "7, 1, 1, 1\n8, 0.5, 0.5, 0\n*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n2, 5, 3, 7, 4\n"
        "3, 1, 2, 8, 3\n";
    LyraContext *ctx = noting_context();
    LyraMesh *mesh = NULL;
    TEST_REQUIRE_OK(test_load_text(ctx, "a.inp", text, &mesh));
    LyraMeshView view = lyra_mesh_view(mesh);
    TEST_CHECK(view.vertex_count == 5 && view.element_count == 2);
    double volumes[2];
    lyra_mesh_element_volumes(mesh, volumes);
    TEST_CHECK(volumes[0] > 0 && volumes[1] > 0);
    check_lines("a.inp: 1 duplicate vertices merged\na.inp: 1 unused vertices dropped\n"
                "a.inp: 1 elements without volume dropped\n"
                "a.inp: 1 of 2 elements turned, which were inside out\n");
    lyra_mesh_destroy(mesh);
    lyra_context_destroy(ctx);
}

LYRA_TEST(veg_and_our_own_vtu_are_taken_as_they_are)
{
    static const double x[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
    static const int32_t tet[4] = {0, 2, 1, 3};
    LyraContext *ctx = noting_context();
    LyraMesh *mesh = sample_raw(ctx, LYRA_ELEMENT_TET4, 5, x[0], 1, tet), *back = NULL;
    static const char *const names[] = {"raw.veg", "raw.vtu"};
    for (int i = 0; i < 2; ++i) {
        const char *path = test_temp_path(names[i]);
        TEST_OK(lyra_mesh_save(mesh, path, LYRA_MESH_FORMAT_AUTO));
        TEST_OK(lyra_mesh_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &back));
        test_meshes_equal(mesh, back, names[i]);
        lyra_mesh_destroy(back);
        check_lines("");
    }
    lyra_mesh_destroy(mesh);
    lyra_context_destroy(ctx);
}

LYRA_TEST(a_mesh_of_nothing_but_flat_elements_is_refused)
{
    test_check_refused("a.inp",
                       "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 1, 1, 0\n"
                       "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n",
                       LYRA_BAD_MESH,
                       "a.inp: found 1 elements without volume, expected some with one");
}

// ---- hexahedra ----------------------------------------------------------------------------------

/// Text of a .mesh with the vertices of a grid of n^3 cells, moved by `shear`, and its hexahedra.
static char *grid_text(int32_t n, double shear)
{
    int32_t row = n + 1;
    size_t room = (size_t)(row * row * row + n * n * n) * 100 + 200, used = 0;
    char *text = malloc(room);
    used += (size_t)snprintf(text, room, "MeshVersionFormatted 2 Dimension 3\nVertices %d\n",
                             row * row * row);
    for (int32_t v = 0; v < row * row * row; ++v) {
        int32_t i = v % row, j = v / row % row, k = v / row / row;
        used +=
            (size_t)snprintf(text + used, room - used, "%.17g %d %d 0\n", i + shear * j * k, j, k);
    }
    used += (size_t)snprintf(text + used, room - used, "Hexahedra %d\n", n * n * n);
    for (int32_t c = 0; c < n * n * n; ++c) {
        int32_t v = c % n + row * (c / n % n) + row * row * (c / n / n) + 1, up = row * row;
        used += (size_t)snprintf(text + used, room - used, "%d %d %d %d %d %d %d %d %d\n", v, v + 1,
                                 v + 1 + row, v + row, v + up, v + 1 + up, v + 1 + row + up,
                                 v + row + up, c % 2);
    }
    snprintf(text + used, room - used, "End\n");
    return text;
}

LYRA_TEST(hexahedra_along_the_axes_and_of_one_size_become_cubes)
{
    LyraContext *ctx = noting_context();
    char *text = grid_text(3, 0);
    LyraMesh *mesh = NULL;
    TEST_REQUIRE_OK(test_load_text(ctx, "grid.mesh", text, &mesh));
    LyraMeshView view = lyra_mesh_view(mesh);
    TEST_CHECK(view.kind == LYRA_ELEMENT_CUBE8 && view.element_count == 27);
    TEST_CHECK(view.set_count == 2 && view.sets[0].count == 14);
    check_lines("");
    lyra_mesh_destroy(mesh);
    free(text);
    lyra_context_destroy(ctx);
}

LYRA_TEST(other_hexahedra_stay_what_they_are)
{
    LyraContext *ctx = noting_context();
    char *text = grid_text(3, 0.25);
    LyraMesh *mesh = NULL;
    TEST_REQUIRE_OK(test_load_text(ctx, "skew.mesh", text, &mesh));
    LyraMeshView view = lyra_mesh_view(mesh);
    TEST_CHECK(view.kind == LYRA_ELEMENT_HEX8 && view.element_count == 27);
    TEST_CHECK(view.set_count == 2 && view.sets[0].count == 14);
    // sheared cells keep their volume
    TEST_CHECK_MSG(fabs(total_volume(mesh) - 27) < 1e-9, "%g", total_volume(mesh));
    check_lines("");
    lyra_mesh_destroy(mesh);
    free(text);
    lyra_context_destroy(ctx);
}

// the text of a grid with a tet more, at vertices of its own
static char *with_tet(char *grid)
{
    size_t length = strlen(grid);
    char *text = malloc(length + 200);
    // behind the hexahedra
    memcpy(text, grid, length - 4);
    strcpy(text + length - 4, "Tetrahedra\n1\n1 2 5 17 9\nEnd\n");
    free(grid);
    return text;
}

LYRA_TEST(hexahedra_beside_tets_are_cut_into_tets_that_fit_together)
{
    LyraContext *ctx = noting_context();
    char *text = with_tet(grid_text(3, 0.25));
    LyraMesh *mesh = NULL;
    LyraMeshBoundary *boundary = NULL;
    TEST_REQUIRE_OK(test_load_text(ctx, "skew.mesh", text, &mesh));
    LyraMeshView view = lyra_mesh_view(mesh);
    TEST_CHECK(view.kind == LYRA_ELEMENT_TET4 && view.element_count == 6 * 27 + 1);
    // six tets of each of the 14 cells
    TEST_CHECK(view.set_count == 3 && view.sets[0].count == 6 * 14);
    // faces within meet, so the boundary has two triangles a quad
    LyraMesh *cells = NULL;
    int32_t ids[6 * 27];
    for (int32_t e = 0; e < 6 * 27; ++e) {
        ids[e] = e;
    }
    TEST_OK(lyra_mesh_submesh(mesh, 6 * 27, ids, NULL, NULL, &cells));
    TEST_CHECK_MSG(fabs(total_volume(cells) - 27) < 1e-9, "%g", total_volume(cells));
    TEST_OK(lyra_mesh_boundary_create(cells, true, &boundary));
    TEST_CHECK(lyra_mesh_boundary_view(boundary).face_count == 2 * 54);
    check_lines("skew.mesh: 27 pyramids, prisms and hexahedra cut into 162 tets\n");
    lyra_mesh_destroy(cells);
    lyra_mesh_boundary_destroy(boundary);
    lyra_mesh_destroy(mesh);
    free(text);
    lyra_context_destroy(ctx);
}

LYRA_TEST(every_shape_of_solid_becomes_tets_of_its_volume)
{
    // a unit cube, and on its top and sides a pyramid, a prism and a tet, in any order
    static const char text[] =
        "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n"
        "9,0.5,0.5,2\n10,2,0,0\n11,2,0,1\n12,3,0,0\n"
        "*ELEMENT,TYPE=C3D8\n1,1,2,3,4,5,6,7,8\n*ELEMENT,TYPE=C3D5\n2,5,6,7,8,9\n"
        "*ELEMENT,TYPE=C3D6\n3,2,3,10,6,7,11\n*ELEMENT,TYPE=C3D4\n4,10,3,12,11\n";
    LyraContext *ctx = noting_context();
    LyraMesh *mesh = NULL;
    TEST_REQUIRE_OK(test_load_text(ctx, "all.inp", text, &mesh));
    TEST_CHECK(lyra_mesh_view(mesh).element_count == 6 + 2 + 3 + 1);
    double expected = 1 + 1.0 / 3 + 0.5 + 1.0 / 6;
    TEST_CHECK_MSG(fabs(total_volume(mesh) - expected) < 1e-14, "%g", total_volume(mesh));
    lyra_mesh_destroy(mesh);
    lyra_context_destroy(ctx);
}

LYRA_TEST(collapsed_hexahedra_come_out_right)
{
    // a prism written as a hexahedron that names two edges' ends twice
    static const char text[] = "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n5,1,0,1\n6,0,1,1\n"
                               "*ELEMENT,TYPE=C3D8\n1,1,2,3,3,4,5,6,6\n";
    LyraContext *ctx = noting_context();
    LyraMesh *mesh = NULL;
    TEST_REQUIRE_OK(test_load_text(ctx, "wedge.inp", text, &mesh));
    TEST_CHECK(lyra_mesh_view(mesh).element_count == 3);
    TEST_CHECK(fabs(total_volume(mesh) - 0.5) < 1e-15);
    lyra_mesh_destroy(mesh);
    lyra_context_destroy(ctx);
}

LYRA_TEST(elements_that_stand_there_once_for_each_group_are_joined)
{
    static const char text[] =
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
        "5 1 1 1\n$EndNodes\n$Elements\n4\n1 4 2 7 1 1 2 3 4\n2 4 2 7 1 2 3 4 5\n"
        "3 4 2 8 1 1 2 3 4\n4 4 2 8 1 3 2 5 4\n$EndElements\n";
    LyraContext *ctx = noting_context();
    LyraMesh *mesh = NULL;
    TEST_REQUIRE_OK(test_load_text(ctx, "twice.msh", text, &mesh));
    LyraMeshView view = lyra_mesh_view(mesh);
    TEST_CHECK(view.element_count == 2 && view.set_count == 2);
    TEST_CHECK(view.sets[0].count == 2 && view.sets[1].count == 2);
    check_lines("twice.msh: 2 elements that stand there again joined\n");
    lyra_mesh_destroy(mesh);
    lyra_context_destroy(ctx);
}

// ---- surfaces -----------------------------------------------------------------------------------

LYRA_TEST(triangles_of_stl_are_joined)
{
    static const char text[] = "solid\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
                               "vertex 0 1 0\nendloop\nendfacet\n"
                               "facet normal nan nan nan\nouter loop\nvertex 1 0 0\nvertex 1 1 0\n"
                               "vertex 0 1 0\nendloop\nendfacet\n"
                               "facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
                               "vertex 0.5 0 0\nendloop\nendfacet\nendsolid\n";
    LyraContext *ctx = noting_context();
    const LyraMemoryFile file = {"a.stl", text, sizeof text - 1};
    LyraSurface *surface = NULL;
    TEST_REQUIRE_OK(lyra_surface_load_memory(ctx, &file, LYRA_MESH_FORMAT_AUTO, &surface));
    LyraSurfaceView view = lyra_surface_view(surface);
    TEST_CHECK(view.face_count == 2 && lyra_surface_measure(surface, NULL).area == 1);
    check_lines("a.stl: 4 duplicate vertices merged\na.stl: 1 faces without area dropped\n");
    lyra_surface_destroy(surface);
    lyra_context_destroy(ctx);
}

// ---- curved elements ----------------------------------------------------------------------------

#define TEN                                                                                        \
    "*NODE\n1,0,0,0\n2,2,0,0\n3,0,2,0\n4,0,0,2\n5,1,0,0\n6,1,1,0\n7,0,1,0\n8,0,0,1\n9,1,0,1\n"     \
    "10,0,1,1\n*ELEMENT,TYPE=C3D10\n"

static void check_curved(const char *row, const char *expected, int32_t folded)
{
    LyraContext *ctx = noting_context();
    LyraMesh *mesh = NULL;
    LyraMeshQuality quality;
    char text[1000];
    snprintf(text, sizeof text, "%s%s\n", TEN, row);
    if (TEST_OK(test_load_text(ctx, "a.inp", text, &mesh))) {
        TEST_OK(lyra_mesh_quality(mesh, &quality));
        TEST_EQUAL(quality.inverted, 0);
        TEST_EQUAL(quality.folded, folded);
        check_lines(expected);
    }
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(curved_elements_are_turned_or_said_to_fold)
{
    check_curved("1,1,2,3,4,5,6,7,8,9,10", "", 0);
    // corners and middles mirrored: turned, and sound
    check_curved("1,1,3,2,4,7,6,5,8,10,9", "a.inp: 1 of 1 elements turned, which were inside out\n",
                 0);
    // the order of Gmsh
    check_curved("1,1,2,3,4,5,6,7,8,10,9",
                 "a.inp: 1 of 1 elements fold over, the first is element 0; their last two middle "
                 "nodes stand at each other's edge: Gmsh writes those of 23 and 13, VTK, Abaqus "
                 "and Medit 13 and 23\n",
                 1);
    // a corner once more as a middle
    check_curved("1,1,2,3,4,1,6,7,8,9,10",
                 "a.inp: 1 unused vertices dropped\n"
                 "a.inp: 1 of 1 elements fold over, the first is element 0\n",
                 1);
}
