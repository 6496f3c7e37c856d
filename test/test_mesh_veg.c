// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// .veg files: what they hold, that they come back to the last bit, and what is said of broken ones.

#include "mesh/veg.h"
#include "mesh_file_test.h"

#include <stdlib.h>
#include <string.h>

#include <sys/stat.h>
#include <unistd.h>

#define HEAD                                                                                       \
    "*VERTICES\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"                                     \
    "*ELEMENTS\nTETS\n1 4 0\n1 1 2 3 4\n"

// ---- samples ------------------------------------------------------------------------------------

static LyraMesh *load_sample(LyraContext *ctx, const char *name)
{
    LyraMesh *mesh = NULL;
    TEST_OK(lyra_mesh_load(ctx, test_data_path(name), LYRA_MESH_FORMAT_AUTO, &mesh));
    return mesh;
}

LYRA_TEST(tets_have_positions_materials_sets_and_regions)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = load_sample(ctx, "mesh/tets.veg");
    TEST_REQUIRE(mesh);
    LyraMeshView view = lyra_mesh_view(mesh);
    TEST_EQUAL(view.kind, LYRA_ELEMENT_TET4);
    TEST_EQUAL(view.vertex_count, 5);
    TEST_EQUAL(view.element_count, 2);
    TEST_NEAR(view.positions[3 * 4], 0.75, 0);
    TEST_NEAR(view.positions[3 * 4 + 1], 0.75, 0);
    TEST_NEAR(view.positions[3 * 4 + 2], 0.75, 0);
    static const int32_t elements[] = {0, 1, 2, 3, 1, 4, 2, 3};
    TEST_CHECK(memcmp(view.elements, elements, sizeof elements) == 0);
    TEST_REQUIRE(view.material_count == 3 && view.set_count == 1 && view.region_count == 2);
    TEST_STRING(view.materials[0].name, "soft");
    TEST_NEAR(view.materials[0].enu.young, 1e6, 0);
    TEST_NEAR(view.materials[0].enu.poisson, 0.45, 0);
    TEST_NEAR(view.materials[1].mooney_rivlin.mu01, 2e5, 0);
    TEST_NEAR(view.materials[1].mooney_rivlin.mu10, 3e5, 0);
    TEST_NEAR(view.materials[1].mooney_rivlin.v1, 4e6, 0);
    TEST_NEAR(view.materials[1].density, 1100, 0);
    // nu12 = nu sqrt(E1/E2), G12 = sqrt(E1 E2) / (2 (1 + nu)); the roots are whole here
    const LyraMaterialOrthotropic *wood = &view.materials[2].orthotropic;
    TEST_EQUAL(view.materials[2].kind, LYRA_MESH_MATERIAL_ORTHOTROPIC);
    TEST_NEAR(wood->poisson[0], 0.25 * 1.5, 1e-16);
    TEST_NEAR(wood->poisson[1], 0.25 * 2, 1e-16);
    TEST_NEAR(wood->poisson[2], 0.25 / 3, 1e-16);
    TEST_NEAR(wood->shear[0], 6e9 / 2.5, 1e-6);
    TEST_NEAR(wood->shear[1], 2e9 / 2.5, 1e-6);
    TEST_NEAR(wood->shear[2], 3e9 / 2.5, 1e-6);
    TEST_NEAR(wood->axes[0] + wood->axes[4] + wood->axes[8], 3, 0);
    TEST_EQUAL(view.sets[0].count, 1);
    TEST_EQUAL(view.sets[0].elements[0], 1);
    TEST_EQUAL(view.element_materials[0], 0);
    TEST_EQUAL(view.element_materials[1], 2);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(cubes_count_from_zero_and_take_any_separator)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = load_sample(ctx, "mesh/cubes.veg");
    TEST_REQUIRE(mesh);
    LyraMeshView view = lyra_mesh_view(mesh);
    TEST_EQUAL(view.kind, LYRA_ELEMENT_CUBE8);
    TEST_EQUAL(view.vertex_count, 12);
    TEST_EQUAL(view.element_count, 2);
    static const int32_t elements[] = {0, 1, 2, 3, 4, 5, 6, 7, 1, 8, 9, 2, 5, 10, 11, 6};
    TEST_CHECK(memcmp(view.elements, elements, sizeof elements) == 0);
    TEST_NEAR(view.positions[3 * 8], 2, 0);
    TEST_NEAR(view.positions[3 * 11 + 2], 1, 0);
    TEST_REQUIRE(view.set_count == 1 && view.material_count == 1 && view.region_count == 1);
    TEST_STRING(view.sets[0].name, "both halves");
    TEST_EQUAL(view.sets[0].count, 2);
    TEST_NEAR(view.materials[0].orthotropic.poisson[2], 0.1, 0);
    TEST_NEAR(view.materials[0].orthotropic.shear[1], 5e5, 0);
    TEST_NEAR(view.materials[0].orthotropic.axes[3], -1, 0);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(line_ends_and_a_missing_last_one_do_not_matter)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *crlf = load_sample(ctx, "mesh/crlf.veg");
    LyraMesh *lf = NULL, *cr = NULL, *marked = NULL;
    TEST_OK(test_load_text(ctx, "a.veg", HEAD, &lf));
    TEST_OK(test_load_text(ctx, "a.veg",
                           "*VERTICES\r4 3\r1 0 0 0\r2 1 0 0\r3 0 1 0\r4 0 0 1\r"
                           "*ELEMENTS\rTET\r1 4\r1 1 2 3 4",
                           &cr));
    TEST_OK(test_load_text(ctx, "a.veg", "\xef\xbb\xbf" HEAD, &marked));
    TEST_REQUIRE(crlf && lf && cr && marked);
    test_meshes_equal(crlf, lf, "CR LF");
    test_meshes_equal(cr, lf, "CR");
    test_meshes_equal(marked, lf, "byte order mark");
    // no material at all: the default one
    LyraMeshView view = lyra_mesh_view(lf);
    TEST_EQUAL(view.material_count, 1);
    TEST_EQUAL(view.region_count, 0);
    TEST_NEAR(view.materials[0].density, 1000, 0);
    TEST_NEAR(view.materials[0].enu.young, 1e6, 0);
    TEST_NEAR(view.materials[0].enu.poisson, 0.45, 0);
    lyra_mesh_destroy(crlf);
    lyra_mesh_destroy(lf);
    lyra_mesh_destroy(cr);
    lyra_mesh_destroy(marked);
    test_context_end(ctx);
}

LYRA_TEST(includes_are_found_beside_the_including_and_the_first_file)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = load_sample(ctx, "mesh/parts.veg");
    TEST_REQUIRE(mesh);
    LyraMeshView view = lyra_mesh_view(mesh);
    TEST_EQUAL(view.vertex_count, 5);
    TEST_EQUAL(view.element_count, 2);
    TEST_NEAR(view.positions[3 * 4], 0.75, 0);
    TEST_EQUAL(view.elements[5], 4);
    TEST_REQUIRE(view.set_count == 2 && view.material_count == 2);
    TEST_EQUAL(view.sets[0].count, 1);
    TEST_EQUAL(view.sets[0].elements[0], 0);
    TEST_STRING(view.materials[1].name, "hard");
    TEST_EQUAL(view.element_materials[0], 0);
    TEST_EQUAL(view.element_materials[1], 1);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(elements_that_no_region_covers_take_the_last_material)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = NULL;
    TEST_REQUIRE_OK(test_load_text(ctx, "a.veg",
                                   HEAD "*MATERIAL a\nENU 1 2 3\n*MATERIAL b\nENU 4 5 0.3\n"
                                        "*SET allElements\n1\n*SET none\n*REGION\nnone a\n",
                                   &mesh));
    LyraMeshView view = lyra_mesh_view(mesh);
    TEST_EQUAL(view.element_materials[0], 1);
    // "allElements" needs no set of its own
    TEST_EQUAL(view.set_count, 1);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(rows_may_have_columns_that_their_header_announces)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = NULL;
    TEST_OK(test_load_text(ctx, "a.veg",
                           "*VERTICES\n4 3 1 1\n0 0 0 0 7 1\n1 1 0 0 7 1\n2 0 1 0 7 1\n"
                           "3 0 0 1 7 1\n*ELEMENTS\nTET\n1 4 1\n0 0 1 2 3 9\n",
                           &mesh));
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
    test_check_refused("a.veg", "*VERTICES\n1 3 0 0\n1 0 0 0 7\n", LYRA_BAD_FORMAT,
                       "a.veg:3: found \"7\", expected the end of the line");
}

LYRA_TEST(orthotropic_forms_agree)
{
    // E and nu such that all forms describe one material
    static const char *const forms[] = {
        "ORTHOTROPIC 1 4 4 4 .25 .25 .25 1.6 1.6 1.6 1 0 0 0 1 0 0 0 1",
        "ORTHOTROPIC_N3G3R9 1 4 4 4 .25 .25 .25 1.6 1.6 1.6 1 0 0 0 1 0 0 0 1",
        "ORTHOTROPIC_N3G3 1 4 4 4 .25 .25 .25 1.6 1.6 1.6",
        "ORTHOTROPIC_N1G1R9 1 4 4 4 .25 1 1 0 0 0 1 0 0 0 1",
        "ORTHOTROPIC_N1G1 1 4 4 4 .25 1",
        "ORTHOTROPIC_N1R9 1 4 4 4 .25 1 0 0 0 1 0 0 0 1",
        "orthotropic_n1, 1, 4, 4, 4, .25",
    };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *first = NULL;
    for (int i = 0; i < 7; ++i) {
        char text[1000];
        snprintf(text, sizeof text, HEAD "*MATERIAL m\n%s\n", forms[i]);
        LyraMesh *mesh = NULL;
        TEST_REQUIRE_OK(test_load_text(ctx, "a.veg", text, &mesh));
        if (!first) {
            first = mesh;
            continue;
        }
        test_meshes_equal(first, mesh, forms[i]);
        lyra_mesh_destroy(mesh);
    }
    lyra_mesh_destroy(first);
    // the factor G
    LyraMesh *mesh = NULL;
    TEST_REQUIRE_OK(
        test_load_text(ctx, "a.veg", HEAD "*MATERIAL m\nORTHOTROPIC_N1G1 1 4 4 4 .25 3\n", &mesh));
    TEST_NEAR(lyra_mesh_view(mesh).materials[0].orthotropic.shear[2], 4.8, 1e-15);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

// ---- writing ------------------------------------------------------------------------------------

LYRA_TEST(round_trips_keep_every_bit)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int kind = 0; kind < LYRA_ELEMENT_TET10; ++kind) {
        LyraMesh *mesh = test_awkward_mesh(ctx, (LyraElementKind)kind);
        test_round_trip(mesh, "awkward.veg");
        lyra_mesh_destroy(mesh);
    }
    static const char *const samples[] = {"mesh/tets.veg", "mesh/cubes.veg", "mesh/parts.veg",
                                          "mesh/crlf.veg"};
    for (int i = 0; i < 4; ++i) {
        LyraMesh *mesh = load_sample(ctx, samples[i]);
        TEST_REQUIRE(mesh);
        test_round_trip(mesh, "sample.veg");
        lyra_mesh_destroy(mesh);
    }
    LyraMesh *empty = NULL;
    TEST_OK(lyra_mesh_create(ctx, &(LyraMeshView){0}, &empty));
    test_round_trip(empty, "empty.veg");
    lyra_mesh_destroy(empty);
    test_context_end(ctx);
}

LYRA_TEST(random_numbers_come_back)
{
    enum { COUNT = 20000 };
    TestRandom random = test_random(7);
    double *positions = malloc(3 * COUNT * sizeof *positions);
    for (int i = 0; i < 3 * COUNT; ++i) {
        uint64_t bits;
        do {
            bits = test_random_bits(&random);
            memcpy(&positions[i], &bits, sizeof bits);
        } while (!isfinite(positions[i]));
    }
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMeshView view = {.vertex_count = COUNT, .positions = positions};
    LyraMesh *mesh = NULL;
    TEST_OK(lyra_mesh_create(ctx, &view, &mesh));
    test_round_trip(mesh, "random.veg");
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
    free(positions);
}

LYRA_TEST(names_that_the_format_cannot_hold_are_refused)
{
    static const char *const names[] = {"", "a,b", "a#b", " a", "a\t", "a\nb", "allElements"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const char *path = test_temp_path("names.veg");
    for (int i = 0; i < 7; ++i) {
        const LyraMeshSet set = {.name = names[i]};
        LyraMeshView view = {.set_count = 1, .sets = &set};
        LyraMesh *mesh = NULL;
        TEST_OK(lyra_mesh_create(ctx, &view, &mesh));
        TEST_STATUS(lyra_mesh_save(mesh, path, LYRA_MESH_FORMAT_AUTO), LYRA_UNSUPPORTED);
        TEST_CONTAINS(lyra_error_message(), "expected a name that .veg can hold");
        lyra_mesh_destroy(mesh);
    }
    const LyraMeshSet twins[2] = {{.name = "a"}, {.name = "a"}};
    LyraMeshView view = {.set_count = 2, .sets = twins};
    LyraMesh *mesh = NULL;
    TEST_OK(lyra_mesh_create(ctx, &view, &mesh));
    TEST_STATUS(lyra_mesh_save(mesh, path, LYRA_MESH_FORMAT_AUTO), LYRA_UNSUPPORTED);
    lyra_mesh_destroy(mesh);
    // a star in front is no trouble for the set, but for a region that starts with it
    const LyraMeshSet star = {.name = "*a"};
    const LyraMeshMaterial material = lyra_mesh_material_default();
    const LyraMeshRegion region = {.material = 0, .set = 0};
    LyraMeshView starred = {
        .set_count = 1, .sets = &star, .material_count = 1, .materials = &material};
    TEST_OK(lyra_mesh_create(ctx, &starred, &mesh));
    test_round_trip(mesh, "star.veg");
    lyra_mesh_destroy(mesh);
    starred.region_count = 1;
    starred.regions = &region;
    TEST_OK(lyra_mesh_create(ctx, &starred, &mesh));
    TEST_STATUS(lyra_mesh_save(mesh, path, LYRA_MESH_FORMAT_AUTO), LYRA_UNSUPPORTED);
    lyra_mesh_destroy(mesh);
    // and nothing was written
    size_t bytes;
    TEST_CHECK(test_read_file(path, &bytes) == NULL);
    test_context_end(ctx);
}

// ---- messages -----------------------------------------------------------------------------------

LYRA_TEST(messages_say_where_what_and_what_instead)
{
    static const struct {
        const char *text, *sentence;
        LyraStatus status;
    } cases[] = {
        {"", "a.veg:1: found the end of the file, expected *VERTICES", LYRA_BAD_FORMAT},
        {"# nothing\n", "a.veg:2: found the end of the file, expected *VERTICES", LYRA_BAD_FORMAT},
        {"hello\n", "a.veg:1: found \"hello\", expected *VERTICES", LYRA_BAD_FORMAT},
        {"*ELEMENTS\n", "a.veg:1: found \"*ELEMENTS\", expected *VERTICES in front of it",
         LYRA_BAD_FORMAT},
        {"*VERTICES\n", "a.veg:2: found the end of the file, expected the number of vertices",
         LYRA_BAD_FORMAT},
        {"*VERTICES\n-3 3\n",
         "a.veg:2: found \"-3\", expected an integer from 0 to 2147483647 for the number of "
         "vertices",
         LYRA_BAD_FORMAT},
        {"*VERTICES\n4294967295 3\n",
         "a.veg:2: found \"4294967295\", expected an integer from 0 to 2147483647 for the number "
         "of vertices",
         LYRA_BAD_FORMAT},
        {"*VERTICES\n1 2\n",
         "a.veg:2: found \"2\", expected an integer from 3 to 3 for the number of coordinates",
         LYRA_BAD_FORMAT},
        {"*VERTICES\n2 3\n1 0 0 0\n", "a.veg:4: found the end of the file, expected vertex 2 of 2",
         LYRA_BAD_FORMAT},
        {"*VERTICES\n2 3\n1 0 0 0\n*ELEMENTS\n",
         "a.veg:4: found \"*ELEMENTS\", expected vertex 2 of 2", LYRA_BAD_FORMAT},
        {"*VERTICES\n2 3\n5 0 0 0\n",
         "a.veg:3: found \"5\", expected 0 or 1, the number of the first vertex", LYRA_BAD_FORMAT},
        {"*VERTICES\n2 3\n1 0 0 0\n1 0 0 0\n",
         "a.veg:4: found \"1\", expected the number 2 of the next vertex", LYRA_BAD_FORMAT},
        {"*VERTICES\n2 3\n1 0 0.5x 0\n", "a.veg:3: found \"0.5x\", expected a number for y",
         LYRA_BAD_FORMAT},
        {"*VERTICES\n2 3\n1 0 0\n", "a.veg:3: found the end of the line, expected a number for z",
         LYRA_BAD_FORMAT},
        {"*VERTICES\n2 3\n1 nan 0 0\n", "a.veg:3: found \"nan\", expected a finite number for x",
         LYRA_NOT_FINITE},
        {"*VERTICES\n1 3\n1 0 0 1e999\n",
         "a.veg:3: found \"1e999\", expected a finite number for z", LYRA_NOT_FINITE},
        {"*VERTICES\n0 3\n*ELEMENTS\nHEX\n",
         "a.veg:4: found \"HEX\", expected the kind of the elements: TET, TETS or CUBIC",
         LYRA_BAD_FORMAT},
        {"*VERTICES\n0 3\n*ELEMENTS\nCUBIC\n1 4\n",
         "a.veg:5: found \"4\", expected an integer from 8 to 8 for the number of vertices of an "
         "element",
         LYRA_BAD_FORMAT},
        {"*VERTICES\n1 3\n1 0 0 0\n*ELEMENTS\nTET\n1 4\n1 1 1 1 2\n",
         "a.veg:7: found \"2\", expected an integer from 1 to 1 for a vertex", LYRA_BAD_FORMAT},
        {"*VERTICES\n1 3\n0 0 0 0\n*ELEMENTS\nTET\n1 4\n1 0 0 0 -1\n",
         "a.veg:7: found \"-1\", expected an integer from 0 to 0 for a vertex", LYRA_BAD_FORMAT},
        {HEAD "2 1 2 3 4\n", "a.veg:11: found \"2\", expected *MATERIAL, *SET, *REGION or *INCLUDE",
         LYRA_BAD_FORMAT},
        {HEAD "*FOO\n", "a.veg:11: found \"*FOO\", expected *MATERIAL, *SET, *REGION or *INCLUDE",
         LYRA_BAD_FORMAT},
        {HEAD "*SET a\n2\n",
         "a.veg:12: found \"2\", expected an integer from 1 to 1 for an element", LYRA_BAD_FORMAT},
        {HEAD "*SET\n1\n", "a.veg:11: found the end of the line, expected the name of a set",
         LYRA_BAD_FORMAT},
        {HEAD "*SET a\n*SET a\n", "a.veg:12: found \"a\", expected a name that no set above has",
         LYRA_BAD_FORMAT},
        {"*SET a\n1\n", "a.veg:1: found \"a\", expected *ELEMENTS in front of the first set",
         LYRA_BAD_FORMAT},
        {HEAD "*MATERIAL m\nFOO, 1\n",
         "a.veg:12: found \"FOO\", expected a material: ENU, MOONEYRIVLIN or ORTHOTROPIC, perhaps "
         "with _N3G3R9, _N3G3, _N1G1R9, _N1G1, _N1R9 or _N1 behind",
         LYRA_BAD_FORMAT},
        {HEAD "*MATERIAL m\nENU, 1000, 1e6\n",
         "a.veg:12: found the end of the line, expected a number for nu", LYRA_BAD_FORMAT},
        {HEAD "*MATERIAL m\nENU, 1000, 1e6, 0.3, 7\n",
         "a.veg:12: found \"7\", expected the end of the line", LYRA_BAD_FORMAT},
        {HEAD "*MATERIAL m\nORTHOTROPIC_N1, 1, 1, -1, 1, 0.3\n",
         "a.veg:12: found \"1\", expected moduli of one sign and a ratio above -1 that give finite "
         "constants",
         LYRA_BAD_FORMAT},
        {HEAD "*REGION\nallElements, m\n",
         "a.veg:12: found \"m\", expected the name of a material above", LYRA_BAD_FORMAT},
        {HEAD "*MATERIAL m\nENU 1 1 0\n*REGION\nb, m\n",
         "a.veg:14: found \"b\", expected the name of a set above, or allElements",
         LYRA_BAD_FORMAT},
        {HEAD "*REGION\nallElements\n",
         "a.veg:12: found \"allElements\", expected a set and a material with a comma between",
         LYRA_BAD_FORMAT},
        {HEAD "*INCLUDE\n",
         "a.veg:11: found the end of the line, expected the name of a file to include",
         LYRA_BAD_FORMAT},
        {HEAD "*INCLUDE b.txt\n",
         "a.veg:11: found \"b.txt\", expected a file to include, but cannot read b.txt: it is not "
         "among the files in memory",
         LYRA_IO_FAILED},
        {HEAD "*INCLUDE a.veg\n",
         "a.veg:11: found \"a.veg\", expected a file that does not include itself",
         LYRA_BAD_FORMAT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        test_check_refused("a.veg", cases[i].text, cases[i].status, cases[i].sentence);
    }
}

LYRA_TEST(missing_files_and_unknown_extensions_are_explained)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = NULL;
    TEST_STATUS(lyra_mesh_load(ctx, "/nowhere/a.veg", LYRA_MESH_FORMAT_AUTO, &mesh),
                LYRA_IO_FAILED);
    TEST_STRING(lyra_error_message(), "cannot read /nowhere/a.veg: No such file or directory");
    TEST_STATUS(lyra_mesh_load(ctx, "/", LYRA_MESH_FORMAT_VEG, &mesh), LYRA_IO_FAILED);
    TEST_STATUS(lyra_mesh_load(ctx, "/dev/zero", LYRA_MESH_FORMAT_VEG, &mesh), LYRA_IO_FAILED);
    TEST_STATUS(lyra_mesh_load(ctx, "a.foo", LYRA_MESH_FORMAT_AUTO, &mesh), LYRA_BAD_FORMAT);
    TEST_STRING(lyra_error_message(), "a.foo: found the extension \".foo\", expected that of a "
                                      "mesh: .veg, .node, .ele, .vtu, .msh, .vtk, .inp or .mesh");
    TEST_STATUS(lyra_mesh_load(ctx, "a.veg", (LyraMeshFormat)99, &mesh), LYRA_INVALID_ARGUMENT);
    TEST_OK(test_load_text(ctx, "a.VEG", HEAD, &mesh));
    TEST_STATUS(lyra_mesh_save(mesh, "a.foo", LYRA_MESH_FORMAT_AUTO), LYRA_UNSUPPORTED);
    TEST_STATUS(lyra_mesh_save(mesh, "/nowhere/a.veg", LYRA_MESH_FORMAT_AUTO), LYRA_IO_FAILED);
    lyra_mesh_destroy(mesh);
    // a pipe could make an include wait for ever
    const char *pipe = test_temp_path("pipe.txt"), *path = test_temp_path("pipe.veg");
    TEST_EQUAL(mkfifo(pipe, 0600), 0);
    test_write_file(path, HEAD "*INCLUDE pipe.txt\n", strlen(HEAD "*INCLUDE pipe.txt\n"));
    TEST_STATUS(lyra_mesh_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &mesh), LYRA_IO_FAILED);
    TEST_CONTAINS(lyra_error_message(), "it is not a file");
    test_context_end(ctx);
}

// ---- windows ------------------------------------------------------------------------------------

/// Text of `count` vertices and `count` - 3 tets, with room for an ending.
static char *large_text(int32_t count, const char *line_end, const char *ending)
{
    char *text = malloc((size_t)count * 120 + 1000), *at = text;
    at += sprintf(at, "*VERTICES%s%d 3%s", line_end, count, line_end);
    for (int32_t i = 1; i <= count; ++i) {
        at += sprintf(at, "%d %d.5 -%d.25 1e-%d%s", i, i, i, i % 300, line_end);
    }
    at += sprintf(at, "*ELEMENTS%sTETS%s%d 4%s", line_end, line_end, count - 3, line_end);
    for (int32_t e = 1; e <= count - 3; ++e) {
        at += sprintf(at, "%d %d %d %d %d%s", e, e, e + 1, e + 2, e + 3, line_end);
    }
    sprintf(at, "%s%s", ending, line_end);
    return text;
}

LYRA_TEST(files_larger_than_the_window_read_the_same)
{
    enum { COUNT = 60000 };
    static const char *const line_ends[] = {"\n", "\r\n", "\r"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int i = 0; i < 3; ++i) {
        char *text = large_text(COUNT, line_ends[i], "*SET a");
        LyraMesh *mesh = NULL;
        TEST_OK(test_load_text(ctx, "large.veg", text, &mesh));
        TEST_REQUIRE(mesh);
        LyraMeshView view = lyra_mesh_view(mesh);
        TEST_EQUAL(view.vertex_count, COUNT);
        TEST_EQUAL(view.element_count, COUNT - 3);
        TEST_EQUAL(view.set_count, 1);
        for (int32_t v = 0; v < COUNT; ++v) {
            char number[32];
            snprintf(number, sizeof number, "1e-%d", (v + 1) % 300);
            TEST_CHECK(view.positions[3 * v] == v + 1.5 && view.positions[3 * v + 1] == -v - 1.25 &&
                       view.positions[3 * v + 2] == strtod(number, NULL));
        }
        for (int32_t e = 0; e < 4 * (COUNT - 3); ++e) {
            TEST_CHECK(view.elements[e] == e / 4 + e % 4);
        }
        // the same from the disk
        const char *path = test_temp_path("large.veg");
        test_write_file(path, text, strlen(text));
        LyraMesh *disk = NULL;
        TEST_OK(lyra_mesh_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &disk));
        test_meshes_equal(mesh, disk, "disk");
        lyra_mesh_destroy(mesh);
        lyra_mesh_destroy(disk);
        free(text);
        // lines are counted across windows
        text = large_text(COUNT, line_ends[i], "*FOO");
        TEST_STATUS(test_load_text(ctx, "large.veg", text, &mesh), LYRA_BAD_FORMAT);
        TEST_CONTAINS(lyra_error_message(), "large.veg:120003: found \"*FOO\"");
        free(text);
    }
    test_context_end(ctx);
}

LYRA_TEST(a_line_longer_than_the_window_is_read)
{
    enum { IDS = 300000 };
    char *text = malloc(2 * IDS + 1000), *at = text + sprintf(text, HEAD "*SET a\n");
    for (int i = 0; i < IDS; ++i) {
        *at++ = '1';
        *at++ = ',';
    }
    *at = '\0';
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = NULL;
    TEST_OK(test_load_text(ctx, "a.veg", text, &mesh));
    TEST_EQUAL(lyra_mesh_view(mesh).sets[0].count, 1);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
    free(text);
}

LYRA_TEST(peak_memory_is_that_of_the_arrays_and_a_window)
{
    enum { COUNT = 200000 };
    char *text = large_text(COUNT, "\n", "");
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    int64_t before = test_allocation_bytes();
    test_allocation_peak_reset();
    LyraMesh *mesh = NULL;
    TEST_OK(test_load_text(ctx, "a.veg", text, &mesh));
    double arrays = (double)(test_allocation_bytes() - before);
    double peak = (double)(test_allocation_peak() - before);
    TEST_CHECK_MSG(peak <= 1.1 * arrays, "peak %.0f bytes for arrays of %.0f", peak, arrays);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
    free(text);
}

// ---- hostile files ------------------------------------------------------------------------------

static void damage_sample(const char *const *names, int32_t count)
{
    LyraMemoryFile files[16];
    for (int32_t i = 0; i < count; ++i) {
        char name[100];
        snprintf(name, sizeof name, "mesh/%s", names[i]);
        size_t length = 0;
        char *text = test_read_file(test_data_path(name), &length);
        TEST_REQUIRE(text);
        files[i] = (LyraMemoryFile){names[i], text, length};
    }
    test_damaged_files(files, count, LYRA_MESH_FORMAT_VEG);
    for (int32_t i = 0; i < count; ++i) {
        free((void *)files[i].bytes);
    }
}

LYRA_TEST(damaged_tets_give_a_status)
{
    damage_sample((const char *const[]){"tets.veg"}, 1);
}

LYRA_TEST(damaged_cubes_give_a_status)
{
    damage_sample((const char *const[]){"cubes.veg"}, 1);
}

LYRA_TEST(damaged_line_ends_give_a_status)
{
    damage_sample((const char *const[]){"crlf.veg"}, 1);
}

LYRA_TEST(damaged_includes_give_a_status)
{
    damage_sample((const char *const[]){"parts.veg", "parts/vertices.txt", "parts/last_element.txt",
                                        "parts/ids.txt", "parts/more_ids.txt",
                                        "parts/materials.veg", "hard.veg"},
                  7);
}

LYRA_TEST(claims_larger_than_the_file_allocate_little)
{
    static const char *const texts[] = {
        "*VERTICES\n2147483647 3 0 0\n1 0 0 0\n",
        "*VERTICES\n2147483647 3 0 0\n*INCLUDE a.veg\n",
        HEAD "*SET a\n",
        "*VERTICES\n1 3 0 0\n1 0 0 0\n*ELEMENTS\nTET\n2147483647 4 0\n1 1 1 1 1\n",
        "*VERTICES\n1 3 0 0\n1 0 0 0\n*ELEMENTS\nCUBIC\n2147483647 8 0\n1 1 1 1 1 1 1 1 1\n",
        "*VERTICES\n4294967296 3\n",
        "*VERTICES\n99999999999999999999999999 3\n",
    };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        int64_t before = test_allocation_bytes();
        test_allocation_peak_reset();
        LyraMesh *mesh = NULL;
        LyraStatus status = test_load_text(ctx, "a.veg", texts[i], &mesh);
        TEST_STATUS(status, i == 2 ? LYRA_OK : LYRA_BAD_FORMAT);
        TEST_CHECK(test_allocation_peak() - before < 20000);
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}

LYRA_TEST(include_cycles_and_bombs_end)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = NULL;
    const LyraMemoryFile cycle[] = {
        {"d/a.veg", "*INCLUDE b.txt\n", 15},
        {"d/b.txt", "\n*INCLUDE c.txt\n", 16},
        {"d/c.txt", "\n\n*INCLUDE a.veg\n", 17},
    };
    TEST_STATUS(lyra_mesh_load_memory(ctx, cycle, 3, LYRA_MESH_FORMAT_AUTO, &mesh),
                LYRA_BAD_FORMAT);
    TEST_STRING(lyra_error_message(),
                "d/c.txt:3: found \"a.veg\", expected a file that does not include itself");

    // every file includes the next one twice: 2^20 inclusions if nothing stopped them
    enum { LEVELS = 20 };
    char names[LEVELS][16], texts[LEVELS][64];
    LyraMemoryFile bomb[LEVELS];
    for (int i = 0; i < LEVELS; ++i) {
        snprintf(names[i], sizeof names[i], "%d.veg", i);
        snprintf(texts[i], sizeof texts[i], "*INCLUDE %d.veg\n*INCLUDE %d.veg\n", i + 1, i + 1);
        bomb[i] = (LyraMemoryFile){names[i], texts[i], strlen(texts[i])};
    }
    TEST_STATUS(lyra_mesh_load_memory(ctx, bomb, LEVELS, LYRA_MESH_FORMAT_AUTO, &mesh),
                LYRA_BAD_FORMAT);
    TEST_STRING(lyra_error_message(),
                "15.veg:1: found \"16.veg\", expected files included 15 deep at most");
    bomb[10] = (LyraMemoryFile){names[10], "# end\n", 6};
    TEST_STATUS(lyra_mesh_load_memory(ctx, bomb, 11, LYRA_MESH_FORMAT_AUTO, &mesh),
                LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "found one *INCLUDE too many, expected at most 256, and 16 "
                                        "of one file");

    // on the disk, through a link that hides the cycle
    const char *path = test_temp_path("cycle.veg"), *other = test_temp_path("link.veg");
    test_write_file(path, "*INCLUDE link.veg\n", 18);
    remove(other);
    if (link(path, other) == 0) {
        TEST_STATUS(lyra_mesh_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &mesh), LYRA_BAD_FORMAT);
        TEST_CONTAINS(lyra_error_message(), "expected a file that does not include itself");
    }
    test_context_end(ctx);
}

LYRA_TEST(many_names_and_regions_take_linear_time)
{
    // 30,000 materials, sets and regions over 30,000 elements: a product would be felt
    enum { COUNT = 30000 };
    char *text = malloc((size_t)COUNT * 200), *at = text;
    at += sprintf(at, "*VERTICES\n1 3\n1 0 0 0\n*ELEMENTS\nTET\n%d 4\n", COUNT);
    for (int i = 1; i <= COUNT; ++i) {
        at += sprintf(at, "%d 1 1 1 1\n", i);
    }
    for (int i = 1; i <= COUNT; ++i) {
        at += sprintf(at, "*MATERIAL m%d\nENU 1 %d 0\n*SET s%d\n%d\n", i, i, i, i);
    }
    at += sprintf(at, "*SET many\n");
    for (int i = COUNT; i > 0; --i) {
        at += sprintf(at, "%d,\n", i);
    }
    for (int i = 1; i <= COUNT; ++i) {
        at += sprintf(at, "*REGION\nmany, m%d\n*REGION\nallElements, m%d\n*REGION\ns%d, m%d\n",
                      COUNT + 1 - i, i, i, i);
    }
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = NULL;
    TEST_OK(test_load_text(ctx, "a.veg", text, &mesh));
    LyraMeshView view = lyra_mesh_view(mesh);
    TEST_EQUAL(view.set_count, COUNT + 1);
    TEST_EQUAL(view.sets[COUNT].count, COUNT);
    TEST_EQUAL(view.element_materials[0], COUNT - 1);
    TEST_EQUAL(view.element_materials[COUNT - 1], COUNT - 1);
    test_round_trip(mesh, "many.veg");
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
    free(text);
}

LYRA_TEST(empty_sets_take_a_small_multiple_of_their_text)
{
    enum { COUNT = 100000 };
    char *text = malloc((size_t)COUNT * 20), *at = text;
    at += sprintf(at, "*VERTICES\n0 3\n*ELEMENTS\nTET\n0 4\n");
    for (int i = 1; i <= COUNT; ++i) {
        at += sprintf(at, "*SET s%d\n", i);
    }
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = NULL;
    int64_t before = test_allocation_bytes();
    test_allocation_peak_reset();
    TEST_OK(test_load_text(ctx, "a.veg", text, &mesh));
    double ratio = (double)(test_allocation_peak() - before) / (double)(at - text);
    TEST_CHECK_MSG(ratio < 12, "%g bytes for each byte of text", ratio);
    TEST_EQUAL(lyra_mesh_view(mesh).set_count, COUNT);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
    free(text);
}

static LyraStatus load_and_save(LyraContext *ctx, void *data)
{
    (void)data;
    LyraMesh *mesh = NULL;
    LyraStatus status =
        lyra_mesh_load(ctx, test_data_path("mesh/parts.veg"), LYRA_MESH_FORMAT_AUTO, &mesh);
    if (status == LYRA_OK) {
        status = lyra_mesh_save(mesh, test_temp_path("parts.veg"), LYRA_MESH_FORMAT_AUTO);
    }
    lyra_mesh_destroy(mesh);
    return status;
}

LYRA_TEST(failing_allocations_leak_nothing)
{
    test_fail_each_allocation(load_and_save, NULL);
}

LYRA_TEST(the_locale_does_not_matter)
{
    if (!test_comma_locale()) {
        TEST_SKIP("no locale with a decimal comma here");
    }
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = load_sample(ctx, "mesh/tets.veg");
    TEST_NEAR(lyra_mesh_view(mesh).positions[3 * 4], 0.75, 0);
    test_round_trip(mesh, "comma.veg");
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

// ---- files from elsewhere -----------------------------------------------------------------------

static const struct {
    const char *name;
    int32_t vertices, elements, materials;
    LyraElementKind kind;
} references[] = {
    {"turtle-volumetric-homogeneous.veg", 347, 1185, 1, LYRA_ELEMENT_TET4},
    {"turtle-volumetric-heterogeneous.veg", 347, 1185, 2, LYRA_ELEMENT_TET4},
    {"turtle-volumetric-homogeneous.ortho.veg", 347, 1185, 1, LYRA_ELEMENT_TET4},
    {"turtle-volumetric-heterogeneous.ortho.veg", 347, 1185, 2, LYRA_ELEMENT_TET4},
    {"asianDragon.veg", 959, 2591, 2, LYRA_ELEMENT_TET4},
    {"asianDragon_MooneyRivlin.veg", 959, 2591, 2, LYRA_ELEMENT_TET4},
    {"dragon-coarse.tet.veg", 197, 552, 1, LYRA_ELEMENT_TET4},
    {"beam3_tet.veg", 208, 450, 1, LYRA_ELEMENT_TET4},
    {"beam3.veg", 208, 75, 1, LYRA_ELEMENT_CUBE8},
    {"simpleBridge-ic_128_0.15_.1.veg", 4000, 12827, 1, LYRA_ELEMENT_TET4},
    {"simpleBridge_resol92-b1.155_enlarged.veg", 3923, 1736, 1, LYRA_ELEMENT_CUBE8},
    {"towerCrane_resol166.veg", 9875, 5571, 1, LYRA_ELEMENT_CUBE8},
    {"quintupleTorus.veg", 15789, 71427, 1, LYRA_ELEMENT_TET4},
    {"torus-easy.veg", 20186, 97878, 1, LYRA_ELEMENT_TET4},
};

LYRA_TEST(reference_meshes_load_and_round_trip)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    int32_t found = 0;
    for (size_t i = 0; i < sizeof references / sizeof references[0]; ++i) {
        char name[200];
        snprintf(name, sizeof name, "meshes/%s", references[i].name);
        const char *path = test_reference_path(name);
        if (!path) {
            continue;
        }
        ++found;
        LyraMesh *mesh = NULL;
        TEST_REQUIRE_OK(lyra_mesh_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &mesh));
        LyraMeshView view = lyra_mesh_view(mesh);
        TEST_EQUAL(view.vertex_count, references[i].vertices);
        TEST_EQUAL(view.element_count, references[i].elements);
        TEST_EQUAL(view.material_count, references[i].materials);
        TEST_EQUAL(view.kind, references[i].kind);
        test_round_trip(mesh, "reference.veg");
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
    if (found == 0) {
        TEST_SKIP("no reference meshes on this machine");
    }
}

LYRA_TEST(cut_reference_meshes_give_a_status)
{
    static const char *const names[] = {"beam3.veg", "dragon-coarse.tet.veg",
                                        "turtle-volumetric-heterogeneous.ortho.veg"};
    for (int i = 0; i < 3; ++i) {
        char name[200];
        snprintf(name, sizeof name, "meshes/%s", names[i]);
        const char *path = test_reference_path(name);
        if (!path) {
            TEST_SKIP("no reference meshes on this machine");
        }
        size_t length = 0;
        char *text = test_read_file(path, &length);
        const LyraMemoryFile file = {names[i], text, length};
        test_cut_files(&file, 1, LYRA_MESH_FORMAT_VEG, 13);
        free(text);
    }
}
