// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Formats of meshes and surfaces: what is written comes back, what others write is read, and files
// are known by their content.

#include "mesh/format.h"
#include "mesh/inp.h"
#include "mesh_file_test.h"
#include "mesh_samples.h"

#include <math.h>

// every format of solids, and how it can be written
typedef struct MeshCase {
    LyraMeshFormat format;
    LyraMeshEncoding encoding;
    bool sets; // comes back with its sets
} MeshCase;

static const MeshCase mesh_cases[] = {
    {LYRA_MESH_FORMAT_VTU, LYRA_MESH_ENCODING_TEXT, true},
    {LYRA_MESH_FORMAT_VTU, LYRA_MESH_ENCODING_BINARY, true},
    {LYRA_MESH_FORMAT_VTU, LYRA_MESH_ENCODING_BASE64, true},
    {LYRA_MESH_FORMAT_VTU, LYRA_MESH_ENCODING_COMPRESSED, true},
    {LYRA_MESH_FORMAT_GMSH, LYRA_MESH_ENCODING_TEXT, true},
    {LYRA_MESH_FORMAT_GMSH, LYRA_MESH_ENCODING_BINARY, true},
    {LYRA_MESH_FORMAT_GMSH2, LYRA_MESH_ENCODING_TEXT, true},
    {LYRA_MESH_FORMAT_GMSH2, LYRA_MESH_ENCODING_BINARY, true},
    {LYRA_MESH_FORMAT_VTK, LYRA_MESH_ENCODING_TEXT, false},
    {LYRA_MESH_FORMAT_VTK, LYRA_MESH_ENCODING_BINARY, false},
    {LYRA_MESH_FORMAT_ABAQUS, LYRA_MESH_ENCODING_TEXT, true},
    {LYRA_MESH_FORMAT_MEDIT, LYRA_MESH_ENCODING_TEXT, false},
};

static const struct {
    LyraMeshFormat format;
    LyraMeshEncoding encoding;
    bool indexed; // keeps the order of the vertices
} surface_cases[] = {
    {LYRA_MESH_FORMAT_STL, LYRA_MESH_ENCODING_TEXT, false},
    {LYRA_MESH_FORMAT_STL, LYRA_MESH_ENCODING_BINARY, false},
    {LYRA_MESH_FORMAT_PLY, LYRA_MESH_ENCODING_TEXT, true},
    {LYRA_MESH_FORMAT_PLY, LYRA_MESH_ENCODING_BINARY, true},
    {LYRA_MESH_FORMAT_VTU, LYRA_MESH_ENCODING_TEXT, true},
    {LYRA_MESH_FORMAT_VTU, LYRA_MESH_ENCODING_COMPRESSED, true},
    {LYRA_MESH_FORMAT_GMSH, LYRA_MESH_ENCODING_TEXT, true},
    {LYRA_MESH_FORMAT_GMSH, LYRA_MESH_ENCODING_BINARY, true},
    {LYRA_MESH_FORMAT_GMSH2, LYRA_MESH_ENCODING_TEXT, true},
    {LYRA_MESH_FORMAT_GMSH2, LYRA_MESH_ENCODING_BINARY, true},
    {LYRA_MESH_FORMAT_VTK, LYRA_MESH_ENCODING_TEXT, true},
    {LYRA_MESH_FORMAT_VTK, LYRA_MESH_ENCODING_BINARY, true},
    {LYRA_MESH_FORMAT_ABAQUS, LYRA_MESH_ENCODING_TEXT, true},
    {LYRA_MESH_FORMAT_MEDIT, LYRA_MESH_ENCODING_TEXT, true},
};

// whether this build has zlib
static bool has_zlib(void)
{
    bool used = false;
    for (int32_t i = 0; lyra_feature(i, NULL); ++i) {
        bool one;
        if (strcmp(lyra_feature(i, &one), "zlib") == 0) {
            used = one;
        }
    }
    return used;
}

/// A body whose first half is the set "low" and whose second half is "high".
static LyraMesh *halves(LyraContext *ctx, LyraElementKind kind)
{
    LyraMesh *body = sample_box(ctx, kind, 3, 2, 2, 1.0 / 3), *out = NULL;
    LyraMeshView view = lyra_mesh_view(body);
    int32_t ids[256], half = view.element_count / 2;
    for (int32_t e = 0; e < view.element_count; ++e) {
        ids[e] = e;
    }
    const LyraMeshSet sets[] = {
        {.name = "low", .elements = ids, .count = half},
        {.name = "high", .elements = ids + half, .count = view.element_count - half},
    };
    view.set_count = 2;
    view.sets = sets;
    TEST_OK(lyra_mesh_create(ctx, &view, &out));
    lyra_mesh_destroy(body);
    return out;
}

static void check_same_geometry(const LyraMesh *a, const LyraMesh *b, const char *what)
{
    LyraMeshView x = lyra_mesh_view(a), y = lyra_mesh_view(b);
    int64_t nodes = lyra_element_kind_nodes(x.kind);
    if (!TEST_CHECK_MSG(x.kind == y.kind && x.vertex_count == y.vertex_count &&
                            x.element_count == y.element_count,
                        "%s: %d vertices and %d elements, expected %d and %d", what, y.vertex_count,
                        y.element_count, x.vertex_count, x.element_count)) {
        return;
    }
    TEST_CHECK_MSG(
        memcmp(x.positions, y.positions, 3 * (size_t)x.vertex_count * sizeof *x.positions) == 0,
        "%s: positions", what);
    TEST_CHECK_MSG(
        memcmp(x.elements, y.elements, (size_t)(nodes * x.element_count) * sizeof *x.elements) == 0,
        "%s: elements", what);
}

static void check_same_sets(const LyraMesh *a, const LyraMesh *b, const char *what)
{
    LyraMeshView x = lyra_mesh_view(a), y = lyra_mesh_view(b);
    if (!TEST_CHECK_MSG(x.set_count == y.set_count, "%s: %d sets", what, y.set_count)) {
        return;
    }
    for (int32_t s = 0; s < x.set_count; ++s) {
        TEST_CHECK_MSG(strcmp(x.sets[s].name, y.sets[s].name) == 0 &&
                           x.sets[s].count == y.sets[s].count &&
                           memcmp(x.sets[s].elements, y.sets[s].elements,
                                  (size_t)x.sets[s].count * sizeof(int32_t)) == 0,
                       "%s: set %s", what, y.sets[s].name);
    }
}

LYRA_TEST(solids_come_back_from_every_format)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int kind = 0; kind < LYRA_ELEMENT_TET10; ++kind) {
        LyraMesh *mesh = halves(ctx, (LyraElementKind)kind);
        for (int32_t i = 0; i < LY_COUNT_OF(mesh_cases); ++i) {
            const MeshCase *one = &mesh_cases[i];
            const char *name = lyra_mesh_format_name(one->format);
            const char *path = test_temp_path("solid.x");
            LyraMesh *back = NULL;
            if (one->encoding == LYRA_MESH_ENCODING_COMPRESSED && !has_zlib()) {
                TEST_STATUS(lyra_mesh_save_as(mesh, path, one->format, one->encoding),
                            LYRA_UNSUPPORTED);
                continue;
            }
            TEST_OK(lyra_mesh_save_as(mesh, path, one->format, one->encoding));
            // by its content: the name says nothing
            if (TEST_OK(lyra_mesh_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &back))) {
                check_same_geometry(mesh, back, name);
                if (one->sets) {
                    check_same_sets(mesh, back, name);
                }
            }
            lyra_mesh_destroy(back);
        }
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}

/// Volume within, which tells orientation too.
static double volume_of(const LyraSurface *surface)
{
    return lyra_surface_measure(surface, NULL).volume;
}

LYRA_TEST(surfaces_come_back_from_every_format)
{
    // a box of quads, the faces of its lid in a group of their own, in numbers that floats can hold
    static const double x[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                   {0, 0, 2}, {1, 0, 2}, {1, 1, 2}, {0, 1, 2}};
    static const int32_t corners[] = {0, 3, 2, 1, 0, 1, 5, 4, 1, 2, 6, 5,
                                      2, 3, 7, 6, 3, 0, 4, 7, 4, 5, 6, 7};
    static const int32_t begins[] = {0, 4, 8, 12, 16, 20, 24}, groups[] = {0, 0, 0, 0, 0, 1};
    static const char *const names[] = {"body", "lid"};
    const LyraSurfaceView view = {
        .vertex_count = 8,
        .face_count = 6,
        .corner_count = 24,
        .group_count = 2,
        .positions = x[0],
        .face_begin = begins,
        .corner_vertices = corners,
        .face_groups = groups,
        .groups = names,
    };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSurface *surface = NULL;
    TEST_OK(lyra_surface_create(ctx, &view, &surface));
    for (int32_t i = 0; i < LY_COUNT_OF(surface_cases); ++i) {
        const char *name = lyra_mesh_format_name(surface_cases[i].format);
        const char *path = test_temp_path("surface.x");
        LyraSurface *back = NULL;
        if (surface_cases[i].encoding == LYRA_MESH_ENCODING_COMPRESSED && !has_zlib()) {
            continue;
        }
        TEST_OK(lyra_surface_save_as(surface, path, surface_cases[i].format,
                                     surface_cases[i].encoding));
        if (!TEST_OK(lyra_surface_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &back))) {
            continue;
        }
        LyraSurfaceView y = lyra_surface_view(back);
        bool stl = surface_cases[i].format == LYRA_MESH_FORMAT_STL;
        TEST_CHECK_MSG(y.vertex_count == 8 && y.face_count == (stl ? 12 : 6), "%s: %d, %d", name,
                       y.vertex_count, y.face_count);
        TEST_CHECK_MSG(fabs(volume_of(back) - 2) < 1e-14, "%s: volume %g", name, volume_of(back));
        if (surface_cases[i].indexed) {
            TEST_CHECK_MSG(memcmp(y.positions, x, sizeof x) == 0, "%s: positions", name);
            TEST_CHECK_MSG(memcmp(y.corner_vertices, corners, sizeof corners) == 0, "%s: faces",
                           name);
        }
        lyra_surface_destroy(back);
    }
    lyra_surface_destroy(surface);
    test_context_end(ctx);
}

LYRA_TEST(overlapping_sets_survive_in_gmsh_4)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *body = sample_box(ctx, LYRA_ELEMENT_TET4, 2, 2, 1, 1), *mesh = NULL, *back = NULL;
    LyraMeshView view = lyra_mesh_view(body);
    int32_t ids[64];
    for (int32_t e = 0; e < view.element_count; ++e) {
        ids[e] = e;
    }
    // three classes in this order: a, a and b, b
    const LyraMeshSet sets[] = {{.name = "a", .elements = ids, .count = 8},
                                {.name = "b \xc3\xa9", .elements = ids + 4, .count = 6}};
    view.set_count = 2;
    view.sets = sets;
    TEST_OK(lyra_mesh_create(ctx, &view, &mesh));
    const char *path = test_temp_path("overlap.msh");
    TEST_OK(lyra_mesh_save(mesh, path, LYRA_MESH_FORMAT_AUTO));
    TEST_OK(lyra_mesh_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &back));
    // the elements of no set come first, in their order
    LyraMeshView y = lyra_mesh_view(back);
    TEST_CHECK(y.set_count == 2 && y.element_count == view.element_count);
    for (int32_t s = 0; s < y.set_count && s < 2; ++s) {
        TEST_CHECK(y.sets[s].count == sets[s].count);
        for (int32_t i = 0; i < y.sets[s].count; ++i) {
            int32_t e = y.sets[s].elements[i];
            bool found = false;
            for (int32_t k = 0; k < sets[s].count; ++k) {
                found = found || memcmp(y.elements + 4 * e, view.elements + 4 * sets[s].elements[k],
                                        4 * sizeof(int32_t)) == 0;
            }
            TEST_CHECK(found);
        }
    }
    lyra_mesh_destroy(back);
    lyra_mesh_destroy(mesh);
    lyra_mesh_destroy(body);
    test_context_end(ctx);
}

LYRA_TEST(materials_come_back_from_inp)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *body = sample_box(ctx, LYRA_ELEMENT_TET4, 2, 1, 1, 1), *mesh = NULL, *back = NULL;
    const LyraMeshMaterial materials[] = {
        {.name = "steel", .density = 7850, .enu = {2.1e11, 0.3}},
        {.name = "rubber",
         .kind = LYRA_MESH_MATERIAL_MOONEY_RIVLIN,
         .density = 1100,
         .mooney_rivlin = {0.25, 0.5, 4}},
        {.name = "wood",
         .kind = LYRA_MESH_MATERIAL_ORTHOTROPIC,
         .density = 500,
         .orthotropic =
             {{1e9, 2e9, 4e9}, {0.25, 0.125, 0.5}, {1e8, 2e8, 3e8}, {0, -1, 0, 1, 0, 0, 0, 0, 1}}},
    };
    static const int32_t first[] = {0, 1, 2, 3}, second[] = {4, 5}, third[] = {6, 7, 8, 9, 10, 11};
    const LyraMeshSet sets[] = {{"one", first, 4}, {"two", second, 2}, {"three", third, 6}};
    const LyraMeshRegion regions[] = {{0, 0}, {1, 1}, {2, 2}};
    LyraMeshView view = lyra_mesh_view(body);
    view.material_count = view.set_count = view.region_count = 3;
    view.materials = materials;
    view.sets = sets;
    view.regions = regions;
    TEST_OK(lyra_mesh_create(ctx, &view, &mesh));
    const char *path = test_temp_path("materials.inp");
    TEST_OK(lyra_mesh_save(mesh, path, LYRA_MESH_FORMAT_AUTO));
    if (TEST_OK(lyra_mesh_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &back))) {
        test_meshes_equal(mesh, back, "inp");
    }
    lyra_mesh_destroy(back);
    lyra_mesh_destroy(mesh);
    lyra_mesh_destroy(body);
    test_context_end(ctx);
}

LYRA_TEST(numbers_of_inp_fit_twenty_characters)
{
    const struct {
        double value;
        const char *text;
    } cases[] = {
        {0.1, "0.1"},
        {-1.2345678901234567e-300, "-1.23456789012346e-300"},
        {-0.012345678901234567, "-1.234567890123457e-2"},
        {9.9999999999999995e-301, "1e-300"},
        {123456789012345678901.0, "1.234567890123457e20"},
    };
    for (int32_t i = 0; i < LY_COUNT_OF(cases); ++i) {
        char text[LY_DOUBLE_CHARS];
        ly_inp_format(text, cases[i].value);
        double back = 0;
        TEST_CHECK_MSG(strlen(text) <= 20, "%s", text);
        TEST_CHECK(ly_parse_double(text, text + strlen(text), &back) == text + strlen(text));
        TEST_CHECK_MSG(fabs(back - cases[i].value) <= 1e-12 * fabs(cases[i].value), "%s", text);
    }
    TestRandom random = test_random(7);
    for (int32_t i = 0; i < 20000; ++i) {
        uint64_t bits = test_random_bits(&random);
        double value, back = 0;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        char text[LY_DOUBLE_CHARS];
        ly_inp_format(text, value);
        ly_parse_double(text, text + strlen(text), &back);
        TEST_CHECK_MSG(strlen(text) <= 20 && fabs(back - value) <= 1e-11 * fabs(value),
                       "%a became %s", value, text);
    }
}

// ---- what others write --------------------------------------------------------------------------

static const struct {
    const char *path, *text;
    int32_t vertices, elements, sets;
    const char *set; // the first
    int32_t members; // of it
} others[] = {
    {"old.msh",
     "$Comments\nhello $Nodes\n$EndComments\n$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
     "$PhysicalNames\n2\n2 1 \"skin\"\n3 7 \"my body\"\n$EndPhysicalNames\n"
     "$Nodes\n5\n10 0 0 0\n20 1 0 0\n30 0 1 0\n40 0 0 1\n50 1 1 1\n$EndNodes\n"
     "$Elements\n4\n1 15 2 0 1 10\n2 2 2 1 1 10 20 30\n3 4 2 7 1 10 20 30 40\n"
     "4 4 3 7 1 0 20 30 40 50\n$EndElements\n",
     5, 2, 1, "my body", 2},
    {"new.msh",
     "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 2 \"core\"\n$EndPhysicalNames\n"
     "$Entities\n1 0 0 1\n1 0 0 0 0\n5 0 0 0 1 1 1 2 2 3 0\n$EndEntities\n"
     "$Nodes\n2 4 1 4\n0 1 0 1\n1\n0 0 0\n3 5 0 3\n2\n3\n4\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n"
     "$Elements\n1 1 1 1\n3 5 4 1\n1 1 2 3 4\n$EndElements\n",
     4, 1, 2, "core", 1},
    {"new5.vtk",
     "# vtk DataFile Version 5.1\nvtk output\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n"
     "0 0 0 1 0 0 0 1 0\n0 0 1\nMETADATA\nINFORMATION 0\n\nCELLS 2 4\nOFFSETS vtktypeint64\n0 4\n"
     "CONNECTIVITY vtktypeint64\n0 1 2 3\nCELL_TYPES 1\n10\n\nPOINT_DATA 4\nanything\n",
     4, 1, 0, NULL, 0},
    {"voxel.vtk",
     "# vtk DataFile Version 2.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 int\n"
     "0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1\nCELLS 1 9\n8 0 1 2 3 4 5 6 7\n"
     "CELL_TYPES 1\n11\n",
     8, 1, 0, NULL, 0},
    {"parts.inp",
     "** comment\n*Heading\n a body\n*Node, nset=all\n 1, 0., 0., 0.\n 2, 1., 0., 0.\n"
     " 3, 0., 1., 0.\n 4, 0., 0., 1.\n 15, 1., 1., 1.\n 20, .5, .5, .5\n"
     "*Element, type=C3D4H, elset=Tets\n11, 1, 2, 3, 4\n13, 2, 3, 4, 15\n"
     "*Element, type=C3D10,\n elset=Quadratic\n 14, 2, 3, 4, 15,\n 20, 20, 20, 20,\n 20, 20\n"
     "*Nset, nset=fixed, generate\n1, 3, 1\n*Elset, elset=\"Odd ones\", generate\n 11, 19, 2\n"
     "*Elset, elset=both\n TETS, 14\n*Material, name=Soft\n*Density\n 900.,\n*Elastic\n 1e5, 0.4\n"
     "*Solid Section, elset=both, material=SOFT\n,\n*Step\n*Static\n*Element, type=nonsense\n",
     5, 3, 4, "Tets", 2},
    {"refs.mesh",
     "MeshVersionFormatted 1\n\nDimension\n3\n# a comment\nVertices\n5\n0 0 0 1\n1 0 0 1\n"
     "0 1 0 1\n0 0 1 1\n1 1 1 2\nEdges\n1\n1 2 0\nTriangles 1\n1 3 2 4\nTetrahedra\n2\n"
     "1 2 3 4 8\n2 3 4 5 9\nEnd\n",
     5, 2, 2, "region_8", 1},
};

LYRA_TEST(files_of_other_programs_are_read)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t i = 0; i < LY_COUNT_OF(others); ++i) {
        LyraMesh *mesh = NULL;
        if (!TEST_OK(test_load_text(ctx, others[i].path, others[i].text, &mesh))) {
            continue;
        }
        LyraMeshView view = lyra_mesh_view(mesh);
        TEST_CHECK_MSG(view.vertex_count == others[i].vertices &&
                           view.element_count == others[i].elements &&
                           view.set_count == others[i].sets,
                       "%s: %d vertices, %d elements, %d sets", others[i].path, view.vertex_count,
                       view.element_count, view.set_count);
        if (others[i].set && view.set_count > 0) {
            TEST_CHECK_MSG(strcmp(view.sets[0].name, others[i].set) == 0 &&
                               view.sets[0].count == others[i].members,
                           "%s: %s of %d", others[i].path, view.sets[0].name, view.sets[0].count);
        }
        for (int32_t e = 0; e < view.element_count; ++e) {
            double volumes[8];
            lyra_mesh_element_volumes(mesh, volumes);
            TEST_CHECK_MSG(volumes[e] > 0, "%s: element %d", others[i].path, e);
        }
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}

LYRA_TEST(pixels_go_round)
{
    // their vertices stand in rows
    static const char text[] = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                               "POINTS 4 float\n0 0 0 1 0 0 0 1 0 1 1 0\nCELLS 1 5\n4 0 1 2 3\n"
                               "CELL_TYPES 1\n8\n";
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const LyraMemoryFile file = {"a.vtk", text, sizeof text - 1};
    LyraSurface *surface = NULL;
    if (TEST_OK(lyra_surface_load_memory(ctx, &file, LYRA_MESH_FORMAT_AUTO, &surface))) {
        TEST_CHECK(lyra_surface_measure(surface, NULL).area == 1);
    }
    lyra_surface_destroy(surface);
    test_context_end(ctx);
}

LYRA_TEST(sets_and_materials_of_inp_are_those_of_its_lines)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = NULL;
    TEST_REQUIRE_OK(test_load_text(ctx, others[4].path, others[4].text, &mesh));
    LyraMeshView view = lyra_mesh_view(mesh);
    TEST_REQUIRE(view.set_count == 4 && view.material_count == 1);
    // elements 11, 13, 14; the range 11, 13 ... has two of them, and "both" all
    TEST_CHECK(strcmp(view.sets[2].name, "Odd ones") == 0 && view.sets[2].count == 2);
    TEST_CHECK(strcmp(view.sets[3].name, "both") == 0 && view.sets[3].count == 3);
    TEST_CHECK(view.materials[0].density == 900 && view.materials[0].enu.young == 1e5);
    TEST_CHECK(strcmp(view.materials[0].name, "Soft") == 0 && view.region_count == 1);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(extra_properties_of_ply_are_passed_over)
{
    // one triangle and one quad; colours, a list in front, normals, another element behind
    static const char text[] =
        "ply\nformat ascii 1.0\ncomment by hand\nelement vertex 4\nproperty uchar red\n"
        "property float x\nproperty float y\nproperty float z\nproperty float nx\n"
        "element face 2\nproperty list uchar float weights\n"
        "property list uchar int vertex_index\nproperty int flags\n"
        "element edge 1\nproperty int a\nproperty int b\nend_header\n"
        "255 0 0 0 1\n0 1 0 0 1\n0 1 1 0 1\n0 0 1 0 1\n"
        "2 0.5 0.5 3 0 1 2 7\n0 4 0 1 2 3 7\n0 1\n";
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const LyraMemoryFile file = {"a.ply", text, sizeof text - 1};
    LyraSurface *surface = NULL;
    if (TEST_OK(lyra_surface_load_memory(ctx, &file, LYRA_MESH_FORMAT_AUTO, &surface))) {
        LyraSurfaceView view = lyra_surface_view(surface);
        TEST_CHECK(view.vertex_count == 4 && view.face_count == 2 && view.corner_count == 7);
        TEST_CHECK(lyra_surface_measure(surface, NULL).area == 1.5);
    }
    lyra_surface_destroy(surface);
    test_context_end(ctx);
}

LYRA_TEST(bytes_of_ply_come_in_either_order)
{
    static const char head[] = "ply\nformat binary_big_endian 1.0\nelement vertex 3\n"
                               "property float x\nproperty float y\nproperty double z\n"
                               "element face 1\nproperty list uchar ushort vertex_indices\n"
                               "end_header\n";
    char bytes[512];
    size_t length = sizeof head - 1;
    memcpy(bytes, head, length);
    // (0, 0, 0), (2, 0, 0), (0, 2, 0): the float 2 is 40 00 00 00
    memset(bytes + length, 0, 3 * 16);
    bytes[length + 16] = 0x40;
    bytes[length + 32 + 4] = 0x40;
    length += 3 * 16;
    static const char face[] = {3, 0, 0, 0, 1, 0, 2};
    memcpy(bytes + length, face, sizeof face);
    length += sizeof face;
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const LyraMemoryFile file = {"a.ply", bytes, length};
    LyraSurface *surface = NULL;
    if (TEST_OK(lyra_surface_load_memory(ctx, &file, LYRA_MESH_FORMAT_AUTO, &surface))) {
        TEST_CHECK(lyra_surface_measure(surface, NULL).area == 2);
    }
    lyra_surface_destroy(surface);
    test_context_end(ctx);
}

// ---- known by content ---------------------------------------------------------------------------

LYRA_TEST(formats_are_known_by_their_content)
{
    static const struct {
        const char *text;
        LyraMeshFormat format;
    } cases[] = {
        {"# made by hand\n\nv 0 0 0\n", LYRA_MESH_FORMAT_OBJ},
        {"o thing\n", LYRA_MESH_FORMAT_OBJ},
        {"solid ice\nfacet normal 0 0 1\n", LYRA_MESH_FORMAT_STL},
        {"solid ice\nendsolid ice\n", LYRA_MESH_FORMAT_STL},
        {"ply\nformat ascii 1.0\n", LYRA_MESH_FORMAT_PLY},
        {"ply\r\nformat ascii 1.0\r\n", LYRA_MESH_FORMAT_PLY},
        {"$MeshFormat\n", LYRA_MESH_FORMAT_GMSH},
        {"# vtk DataFile Version 3.0\n", LYRA_MESH_FORMAT_VTK},
        {"<?xml version=\"1.0\"?>\n<VTKFile", LYRA_MESH_FORMAT_VTU},
        {"\xef\xbb\xbf<VTKFile type", LYRA_MESH_FORMAT_VTU},
        {"\n\nMeshVersionFormatted 2\n", LYRA_MESH_FORMAT_MEDIT},
        {"# hello\n*VERTICES\n", LYRA_MESH_FORMAT_VEG},
        {"*elements\n", LYRA_MESH_FORMAT_VEG},
        {"** hello\n*VERTICES\n", LYRA_MESH_FORMAT_ABAQUS},
        {"*NODE\n1, 0, 0, 0\n", LYRA_MESH_FORMAT_ABAQUS},
        {"*MATERIAL, NAME=a\n", LYRA_MESH_FORMAT_ABAQUS},
        // what leaves it open
        {"*MATERIAL soft\n", LYRA_MESH_FORMAT_AUTO},
        {"*INCLUDE other.veg\n", LYRA_MESH_FORMAT_AUTO},
        {"4 3 0 0\n1 0 0 0\n", LYRA_MESH_FORMAT_AUTO},
        {"solid", LYRA_MESH_FORMAT_AUTO},
        {"plyers\n", LYRA_MESH_FORMAT_AUTO},
        {"", LYRA_MESH_FORMAT_AUTO},
    };
    for (int32_t i = 0; i < LY_COUNT_OF(cases); ++i) {
        size_t length = strlen(cases[i].text);
        LyraMeshFormat found = ly_format_guess((LySlice){cases[i].text, length}, length);
        TEST_CHECK_MSG(found == cases[i].format, "%s: %d", cases[i].text, (int)found);
    }
    // bytes of STL may start with anything
    char stl[84 + 50] = "solid\nfacet";
    stl[80] = 1;
    TEST_CHECK(ly_format_guess((LySlice){stl, sizeof stl}, sizeof stl) == LYRA_MESH_FORMAT_STL);
}

// files may number their vertices as they like: far apart, in any order
LYRA_TEST(numbers_far_apart_are_found)
{
    static const char inp[] = "*NODE\n2147483646, 0, 0, 0\n7, 2, 0, 0\n1000000000, 0, 3, 0\n"
                              "500, 0, 0, 4\n2000000, 2, 3, 4\n"
                              "*ELEMENT, TYPE=C3D4\n1, 2147483646, 7, 1000000000, 500\n"
                              "2, 7, 1000000000, 500, 2000000\n";
    static const double places[5][3] = {{0, 0, 0}, {2, 0, 0}, {0, 3, 0}, {0, 0, 4}, {2, 3, 4}};
    static const int32_t expected[8] = {0, 1, 2, 3, 1, 2, 3, 4};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMemoryFile file = {"far.inp", inp, sizeof inp - 1};
    LyraMesh *mesh = NULL;
    TEST_REQUIRE_OK(lyra_mesh_load_memory(ctx, &file, 1, LYRA_MESH_FORMAT_AUTO, &mesh));
    LyraMeshView view = lyra_mesh_view(mesh);
    TEST_REQUIRE(view.vertex_count == 5 && view.element_count == 2);
    for (int32_t a = 0; a < 8; ++a) {
        const double *x = view.positions + 3 * (int64_t)view.elements[a];
        TEST_CHECK(memcmp(x, places[expected[a]], sizeof places[0]) == 0);
    }
    lyra_mesh_destroy(mesh);
    // the neighbours of the numbers that are there are not
    static const char *const missing[] = {"6",         "8",          "499",        "501",
                                          "999999999", "1000000001", "2147483645", "1"};
    for (int32_t k = 0; k < 8; ++k) {
        char text[300];
        snprintf(text, sizeof text, "%.*s3, 7, 1000000000, 500, %s\n", (int)sizeof inp - 1, inp,
                 missing[k]);
        file = (LyraMemoryFile){"far.inp", text, strlen(text)};
        mesh = NULL;
        TEST_STATUS(lyra_mesh_load_memory(ctx, &file, 1, LYRA_MESH_FORMAT_AUTO, &mesh),
                    LYRA_BAD_FORMAT);
        TEST_CONTAINS(lyra_error_message(), missing[k]);
    }
    test_context_end(ctx);
}

// Cells that a file holds once per set are found by a hash of their numbers. These two have the
// same hash, by the choice of their first two numbers, and are not the same cell.
LYRA_TEST(cells_of_equal_hashes_stay_apart)
{
    static const char msh[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                              "$PhysicalNames\n2\n3 1 \"a\"\n3 2 \"b\"\n$EndPhysicalNames\n"
                              "$Nodes\n6\n196748 0 0 0\n1073741824 1 0 0\n2126220 0 0 -1\n"
                              "1597592501 1 0 -1\n2000000001 0 1 0\n2000000002 0 0 1\n"
                              "$EndNodes\n$Elements\n3\n"
                              "1 4 2 1 1 196748 1073741824 2000000001 2000000002\n"
                              "2 4 2 2 2 2126220 1597592501 2000000001 2000000002\n"
                              "3 4 2 2 1 196748 1073741824 2000000001 2000000002\n"
                              "$EndElements\n";
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMemoryFile file = {"hash.msh", msh, sizeof msh - 1};
    LyraMesh *mesh = NULL;
    TEST_REQUIRE_OK(lyra_mesh_load_memory(ctx, &file, 1, LYRA_MESH_FORMAT_AUTO, &mesh));
    LyraMeshView view = lyra_mesh_view(mesh);
    TEST_CHECK(view.vertex_count == 6 && view.element_count == 2);
    // the third is the first again, in the other set
    for (int32_t s = 0; s < view.set_count; ++s) {
        TEST_EQUAL(view.sets[s].count, strcmp(view.sets[s].name, "a") == 0 ? 1 : 2);
    }
    TEST_EQUAL(view.set_count, 2);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

// sets of faces become groups: each face is in that of its own set, the last one too
LYRA_TEST(sets_of_faces_become_groups)
{
    static const char head[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                               "$PhysicalNames\n3\n2 1 \"a\"\n2 2 \"b\"\n2 3 \"c\"\n"
                               "$EndPhysicalNames\n$Nodes\n7\n1 0 0 0\n2 1 0 0\n3 0 1 0\n"
                               "4 1 1 0\n5 0 2 0\n6 1 2 0\n7 0 3 0\n$EndNodes\n"
                               "$Elements\n5\n";
    static const char *const groups[] = {"c", "a", "b", "c", "a"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    char text[800];
    size_t length = (size_t)snprintf(text, sizeof text, "%s", head);
    for (int32_t f = 0; f < 5; ++f) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%d 2 2 %d 1 %d %d %d\n",
                                   f + 1, groups[f][0] - 'a' + 1, f + 1, f + 2, f + 3);
    }
    length += (size_t)snprintf(text + length, sizeof text - length, "$EndElements\n");
    LyraMemoryFile file = {"groups.msh", text, length};
    LyraSurface *surface = NULL;
    TEST_REQUIRE_OK(lyra_surface_load_memory(ctx, &file, LYRA_MESH_FORMAT_AUTO, &surface));
    LyraSurfaceView view = lyra_surface_view(surface);
    TEST_REQUIRE(view.face_count == 5);
    TEST_EQUAL(view.group_count, 3);
    for (int32_t f = 0; f < 5; ++f) {
        TEST_STRING(view.groups[view.face_groups[f]], groups[f]);
    }
    lyra_surface_destroy(surface);
    test_context_end(ctx);
}

LYRA_TEST(names_that_lie_are_seen_through)
{
    static const char obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const LyraMemoryFile file = {"really.stl", obj, sizeof obj - 1};
    LyraSurface *surface = NULL;
    LyraMesh *mesh = NULL;
    if (TEST_OK(lyra_surface_load_memory(ctx, &file, LYRA_MESH_FORMAT_AUTO, &surface))) {
        TEST_CHECK(lyra_surface_view(surface).face_count == 1);
    }
    lyra_surface_destroy(surface);
    TEST_STATUS(lyra_mesh_load_memory(ctx, &file, 1, LYRA_MESH_FORMAT_AUTO, &mesh), LYRA_BAD_MESH);
    TEST_CHECK(strcmp(lyra_error_message(),
                      "really.stl: found a surface, expected a volumetric mesh") == 0);
    test_context_end(ctx);
}

LYRA_TEST(what_a_file_holds_decides_between_mesh_and_surface)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = sample_box(ctx, LYRA_ELEMENT_TET4, 1, 1, 1, 1), *solid = NULL;
    LyraSurface *surface = NULL;
    const char *path = test_temp_path("either.msh");
    TEST_OK(lyra_mesh_save(mesh, path, LYRA_MESH_FORMAT_AUTO));
    TEST_OK(lyra_mesh_or_surface_load(ctx, path, &solid, &surface));
    TEST_CHECK(solid && !surface);
    // solids alone are no surface
    TEST_STATUS(lyra_surface_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &surface), LYRA_BAD_MESH);
    TEST_STATUS(lyra_mesh_save_as(mesh, path, LYRA_MESH_FORMAT_AUTO, LYRA_MESH_ENCODING_BASE64),
                LYRA_UNSUPPORTED);
    TEST_CHECK(strstr(lyra_error_message(), "the format gmsh has no encoding base64"));
    lyra_mesh_destroy(solid);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

// ---- memory -------------------------------------------------------------------------------------

static LyraStatus save_and_load(LyraContext *ctx, void *data)
{
    const MeshCase *one = data;
    LyraMesh *mesh = NULL, *back = NULL;
    LyraMeshShapeDef def = lyra_mesh_shape_def_default();
    def.cells[0] = def.cells[1] = def.cells[2] = 1;
    const char *path = test_temp_path("allocations.x");
    LyraStatus status = lyra_mesh_generate(ctx, &def, &mesh);
    if (status == LYRA_OK) {
        status = lyra_mesh_save_as(mesh, path, one->format, one->encoding);
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
    for (int32_t i = 0; i < LY_COUNT_OF(mesh_cases); ++i) {
        MeshCase one = mesh_cases[i];
        if (one.encoding != LYRA_MESH_ENCODING_COMPRESSED || has_zlib()) {
            test_fail_each_allocation(save_and_load, &one);
        }
    }
}

LYRA_TEST(formats_refuse_what_they_do_not_hold)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    int32_t meshes = 0, surfaces = 0;
    for (int32_t f = LYRA_MESH_FORMAT_AUTO + 1; f < LYRA_MESH_FORMAT_COUNT; ++f) {
        LyraMeshFormat format = (LyraMeshFormat)f;
        LyraMesh *mesh = NULL;
        LyraSurface *surface = NULL;
        if (lyra_mesh_format_holds_meshes(format)) {
            ++meshes;
        } else {
            TEST_STATUS(lyra_mesh_load(ctx, "a.b", format, &mesh), LYRA_INVALID_ARGUMENT);
            TEST_CONTAINS(lyra_error_message(), lyra_mesh_format_name(format));
        }
        if (lyra_mesh_format_holds_surfaces(format)) {
            ++surfaces;
        } else {
            TEST_STATUS(lyra_surface_load(ctx, "a.b", format, &surface), LYRA_INVALID_ARGUMENT);
            TEST_CONTAINS(lyra_error_message(), lyra_mesh_format_name(format));
        }
    }
    TEST_EQUAL(meshes, 8);
    TEST_EQUAL(surfaces, 9);
    TEST_CHECK(!lyra_mesh_format_holds_meshes(LYRA_MESH_FORMAT_COUNT));
    TEST_CHECK(lyra_mesh_format_holds_surfaces(LYRA_MESH_FORMAT_AUTO));
    test_context_end(ctx);
}
