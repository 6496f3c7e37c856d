// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The `lyra mesh` commands as a user types them: output, messages, exit codes, files left behind.

#include "cli_run.h"

#include <unistd.h>

// ---- what works ---------------------------------------------------------------------------------

LYRA_TEST(cli_box_has_the_mass_of_a_box)
{
    const char *path = test_temp_path("box.veg");
    TEST_EQUAL(lyra("mesh box %s --size 3,2,1 --elements 2000 --density 500 --center 1,2,3", path),
               0);
    TEST_EQUAL(lyra("mesh info %s --json", path), 0);
    TEST_NEAR(number_of("volume"), 6, 1e-13);
    TEST_NEAR(number_of("mass"), 3000, 1e-10);
    TEST_NEAR(number_of("mass_matrix_sum"), 9000, 1e-9);
    TEST_NEAR(number_of("lumped_mass_sum"), 3000, 1e-9);
    TEST_CONTAINS(output, "\"type\": \"tet\"");
    TEST_EQUAL(number_of("components"), 1);
    TEST_EQUAL(number_of("inverted"), 0);
    TEST_EQUAL(number_of("degenerate"), 0);
    // the centre and the inertia m/12 (b^2 + c^2) of a box
    const char *center = strstr(output, "\"center_of_mass\": [");
    TEST_REQUIRE(center);
    double c[3];
    TEST_EQUAL(sscanf(center, "\"center_of_mass\": [%lf, %lf, %lf]", &c[0], &c[1], &c[2]), 3);
    for (int i = 0; i < 3; ++i) {
        TEST_NEAR(c[i], i + 1, 1e-13);
    }
    const char *inertia = strstr(output, "\"inertia\": [");
    TEST_REQUIRE(inertia);
    const char *row = strchr(inertia + 12, '[');
    TEST_REQUIRE(row);
    TEST_NEAR(strtod(row + 1, NULL), 3000.0 / 12 * (4 + 1), 1e-9);
}

LYRA_TEST(cli_every_shape_is_generated_and_read)
{
    static const char *const shapes[] = {"box", "sphere", "cylinder", "torus"};
    static const char *const types[] = {"tet", "cube", "tet10", "hex"};
    for (int s = 0; s < 4; ++s) {
        for (int t = 0; t < 4; ++t) {
            const char *path = test_temp_path(t < 2 ? "shape.veg" : "shape.vtu");
            TEST_EQUAL(
                lyra("mesh %s %s --elements 3000 --type %s --shuffle 5", shapes[s], path, types[t]),
                0);
            TEST_EQUAL(lyra("mesh info %s --json", path), 0);
            TEST_CHECK(number_of("min_element_volume") > 0);
            TEST_CHECK(number_of("elements") > 1500 && number_of("elements") < 6000);
            TEST_EQUAL(number_of("components"), 1);
            TEST_EQUAL(number_of("orphans"), 0);
            TEST_EQUAL(number_of("non_manifold_faces"), 0);
        }
    }
}

LYRA_TEST(cli_sheets_are_generated)
{
    const char *path = test_temp_path("sheet.obj");
    TEST_EQUAL(lyra("mesh strip %s --size 2,0.5 --cells 8 --faces crossed", path), 0);
    TEST_CONTAINS(output, "43 vertices, 64 triangles");
    TEST_EQUAL(lyra("mesh disc %s --radius 2 --rings 3", path), 0);
    TEST_CONTAINS(output, "37 vertices, 54 triangles");
    TEST_EQUAL(lyra("mesh grid %s --cells 4,2 --faces quads --bands 2", path), 0);
    TEST_CONTAINS(output, "15 vertices, 8 quads");
    char *text = test_read_file(path, NULL);
    TEST_REQUIRE(text);
    TEST_CHECK(strstr(text, "band2") && strstr(text, "vt "));
    free(text);
    TEST_EQUAL(lyra("mesh grid %s --cells 4", path), 2);
    TEST_CONTAINS(errors, "expected two whole numbers NX,NZ");
    TEST_EQUAL(lyra("mesh grid %s --size 4", path), 2);
    TEST_EQUAL(lyra("mesh grid %s --faces round", path), 2);
    TEST_EQUAL(lyra("mesh grid %s --bands 30", path), 2);
    TEST_CONTAINS(errors, "found 30 bands, expected 1 to 20");
    TEST_EQUAL(lyra("mesh disc %s --radius 0", path), 2);
}

LYRA_TEST(cli_convert_keeps_every_bit)
{
    static const char *const formats[] = {"ele", "vtu", "msh", "vtk", "inp", "mesh"};
    const char *path = test_temp_path("ball.veg"), *back = test_temp_path("back.veg");
    TEST_EQUAL(lyra("mesh sphere %s --elements 500", path), 0);
    char *first = test_read_file(path, NULL);
    for (int f = 0; f < 6; ++f) {
        char name[32];
        snprintf(name, sizeof name, "other.%s", formats[f]);
        const char *other = test_temp_path(name);
        TEST_EQUAL(lyra("mesh convert %s %s", path, other), 0);
        TEST_EQUAL(lyra("mesh convert %s %s", other, back), 0);
        TEST_STRING(errors, "");
        char *last = test_read_file(back, NULL);
        TEST_REQUIRE(first && last);
        // the tables are the same text; materials may go by another name
        const char *end = strstr(first, "*MATERIAL");
        TEST_REQUIRE(end);
        TEST_CHECK(strncmp(strstr(first, "*VERTICES"), strstr(last, "*VERTICES"),
                           (size_t)(end - strstr(first, "*VERTICES"))) == 0);
        free(last);
    }
    free(first);
}

LYRA_TEST(cli_json_is_utf8_whatever_the_names)
{
    static const char text[] = "*VERTICES\n0 3\n*ELEMENTS\nTET\n0 4\n"
                               "*SET \xc3\xa9\xf0\x9f\x90\xa2\n*SET a\xff\xed\xa0\x80\xc3\n"
                               "*SET \"\\\x01\n";
    const char *path = test_temp_path("names.veg");
    test_write_file(path, text, sizeof text - 1);
    TEST_EQUAL(lyra("mesh info %s --json", path), 0);
    TEST_CONTAINS(output, "\"name\": \"\xc3\xa9\xf0\x9f\x90\xa2\"");
    TEST_CONTAINS(output, "\"name\": \"a\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\"");
    TEST_CONTAINS(output, "\"name\": \"\\\"\\\\\\u0001\"");
}

LYRA_TEST(cli_surface_of_a_ball_is_closed)
{
    const char *path = test_temp_path("ball.veg"), *obj = test_temp_path("ball.obj");
    TEST_EQUAL(lyra("mesh sphere %s --elements 4000", path), 0);
    TEST_EQUAL(lyra("mesh info %s --json", path), 0);
    double volume = number_of("volume"), triangles = number_of("surface_triangles");
    TEST_EQUAL(lyra("mesh surface %s %s", path, obj), 0);
    TEST_EQUAL(lyra("mesh info %s --json", obj), 0);
    TEST_CONTAINS(output, "\"closed\": true");
    TEST_CONTAINS(output, "\"manifold\": true");
    TEST_CONTAINS(output, "\"oriented\": true");
    TEST_EQUAL(number_of("euler"), 2);
    TEST_EQUAL(number_of("triangles"), triangles);
    TEST_NEAR(number_of("volume"), volume, 1e-12 * volume);
}

LYRA_TEST(cli_surfaces_go_from_format_to_format)
{
    const char *path = test_temp_path("ball.veg"), *obj = test_temp_path("ball.obj");
    TEST_EQUAL(lyra("mesh sphere %s --elements 500", path), 0);
    TEST_EQUAL(lyra("mesh surface %s %s", path, obj), 0);
    TEST_EQUAL(lyra("mesh info %s --json", obj), 0);
    double volume = number_of("volume"), triangles = number_of("triangles");
    static const char *const names[] = {"a.stl", "b.ply", "c.vtu",  "d.msh",
                                        "e.vtk", "f.inp", "g.mesh", "h.STL"};
    char before[1024];
    snprintf(before, sizeof before, "%s", obj);
    for (int i = 0; i < 8; ++i) {
        const char *next = test_temp_path(names[i]);
        TEST_EQUAL(lyra("mesh convert %s %s", before, next), 0);
        TEST_STRING(output, "");
        TEST_EQUAL(lyra("mesh info %s --json", next), 0);
        TEST_EQUAL(number_of("triangles"), triangles);
        TEST_CONTAINS(output, "\"closed\": true");
        // floats of STL
        TEST_NEAR(number_of("volume"), volume, 1e-6 * volume);
        snprintf(before, sizeof before, "%s", next);
    }
}

LYRA_TEST(cli_says_what_it_repairs_and_what_a_file_is)
{
    static const char inp[] = "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n"
                              "*ELEMENT,TYPE=C3D4\n1,1,3,2,4\n";
    static const char obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    const char *path = test_temp_path("in.inp"), *lie = test_temp_path("lie.stl");
    const char *out = test_temp_path("out.veg");
    test_write_file(path, inp, sizeof inp - 1);
    test_write_file(lie, obj, sizeof obj - 1);
    TEST_EQUAL(lyra("mesh convert %s %s", path, out), 0);
    TEST_STRING(output, "");
    TEST_CONTAINS(errors, "in.inp: 1 of 1 elements turned, which were inside out\n");
    TEST_EQUAL(lyra("mesh info %s --json", out), 0);
    TEST_EQUAL(number_of("inverted"), 0);
    TEST_EQUAL(lyra("mesh info %s --json", lie), 0);
    TEST_CONTAINS(errors, "lie.stl: read as obj, which its content is\n");
    TEST_EQUAL(number_of("triangles"), 1);
    // what cannot be
    TEST_EQUAL(lyra("mesh convert %s %s.stl", path, out), 1);
    TEST_CONTAINS(errors, "`lyra mesh surface` writes its boundary");
    TEST_EQUAL(lyra("mesh convert %s %s.veg", lie, lie), 1);
    TEST_CONTAINS(errors, "expected that of a surface: ");
    TEST_EQUAL(lyra("mesh orient %s %s", lie, out), 1);
    TEST_CONTAINS(errors, "found a surface, expected a volumetric mesh");
    TEST_EQUAL(lyra("mesh convert %s %s --format png", path, out), 1);
    TEST_EQUAL(lyra("mesh convert %s %s --encoding loud", path, out), 2);
    TEST_EQUAL(lyra("mesh convert %s %s --encoding base64", path, out), 1);
    TEST_CONTAINS(errors, "the format veg has no encoding base64");
}

LYRA_TEST(cli_info_lists_sets_of_every_kind)
{
    static const char inp[] = "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n"
                              "*ELEMENT,TYPE=C3D4,ELSET=all of it\n1,1,2,3,4\n"
                              "*NSET,NSET=held\n1,2,4\n*SURFACE,NAME=foot\n1,S1\n1,S2\n";
    const char *path = test_temp_path("in.inp"), *back = test_temp_path("back.msh");
    const char *veg = test_temp_path("back.veg");
    test_write_file(path, inp, sizeof inp - 1);
    TEST_EQUAL(lyra("mesh convert %s %s", path, back), 0);
    TEST_STRING(errors, "");
    TEST_EQUAL(lyra("mesh info %s", back), 0);
    TEST_CONTAINS(output, "  set              all of it: 1 element\n"
                          "  set              held: 3 vertices\n"
                          "  set              foot: 2 faces\n");
    TEST_EQUAL(lyra("mesh info %s --json", back), 0);
    TEST_CONTAINS(output, "\"vertex_sets\": [\n    {\n      \"name\": \"held\",\n      "
                          "\"vertices\": 3\n");
    TEST_CONTAINS(output, "\"face_sets\": [\n    {\n      \"name\": \"foot\",\n      "
                          "\"faces\": 2\n");
    // a format without a place for them says so
    TEST_EQUAL(lyra("mesh convert %s %s", path, veg), 0);
    TEST_CONTAINS(errors, "back.veg: 1 sets of vertices and 1 of faces are left out");
    TEST_EQUAL(lyra("mesh info %s", veg), 0);
    TEST_CONTAINS(output, "all of it: 1 element\n");
}

LYRA_TEST(cli_units_make_metres)
{
    const char *path = test_temp_path("mm.veg"), *out = test_temp_path("m.veg");
    const char *obj = test_temp_path("mm.obj"), *stl = test_temp_path("m.stl");
    TEST_EQUAL(lyra("mesh box %s --size 300,200,100 --elements 100", path), 0);
    static const struct {
        const char *options;
        double factor;
    } cases[] = {
        {"", 1},
        {"--units m", 1},
        {"--units mm", 1e-3},
        {"--units cm", 1e-2},
        {"--units in", 0.0254},
        {"--units ft", 0.3048},
        {"--scale 2", 2},
        {"--units mm --scale 10", 1e-2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        double volume = 6e6 * cases[i].factor * cases[i].factor * cases[i].factor;
        TEST_EQUAL(lyra("mesh info %s --json %s", path, cases[i].options), 0);
        TEST_NEAR(number_of("volume"), volume, 1e-12 * volume);
        TEST_EQUAL(lyra("mesh convert %s %s %s", path, out, cases[i].options), 0);
        TEST_EQUAL(lyra("mesh info %s --json", out), 0);
        TEST_NEAR(number_of("volume"), volume, 1e-12 * volume);
        // the density is as the file has it
        TEST_NEAR(number_of("mass"), 1000 * volume, 1e-9 * volume);
    }
    // every command that reads a mesh or a surface
    TEST_EQUAL(lyra("mesh surface %s %s", path, obj), 0);
    TEST_EQUAL(lyra("mesh info %s --json --units cm", obj), 0);
    TEST_NEAR(number_of("volume"), 6, 1e-12);
    TEST_EQUAL(lyra("mesh convert %s %s --units mm", obj, stl), 0);
    TEST_EQUAL(lyra("mesh info %s --json", stl), 0);
    TEST_NEAR(number_of("volume"), 6e-3, 1e-8);
    static const char *const commands[] = {"orient", "refine"};
    for (int c = 0; c < 2; ++c) {
        TEST_EQUAL(lyra("mesh %s %s %s --units mm", commands[c], path, out), 0);
        TEST_EQUAL(lyra("mesh info %s --json", out), 0);
        TEST_NEAR(number_of("volume"), 6e-3, 1e-14);
    }
    TEST_EQUAL(lyra("mesh surface %s %s --units mm", path, stl), 0);
    TEST_EQUAL(lyra("mesh info %s --json", stl), 0);
    TEST_NEAR(number_of("area"), 0.22, 1e-7);
    TEST_EQUAL(lyra("mesh voxelize %s %s --units mm --resolution 3", obj, out), 0);
    TEST_EQUAL(lyra("mesh info %s --json", out), 0);
    TEST_NEAR(number_of("volume"), 6e-3, 6e-3);
    TEST_EQUAL(lyra("mesh tetrahedralize %s %s --units mm --resolution 6", obj, out), 0);
    TEST_EQUAL(lyra("mesh info %s --json", out), 0);
    TEST_NEAR(number_of("volume"), 6e-3, 6e-4);
    TEST_EQUAL(lyra("mesh embed %s %s %s --units mm", path, obj, test_temp_path("w.interp")), 0);
    TEST_CONTAINS(output, " 0 outside");
    TEST_EQUAL(lyra("mesh distance %s %s --units mm --resolution 6", obj, test_temp_path("d.vtk")),
               0);
    TEST_CONTAINS(output, "0.05 m apart");
}

LYRA_TEST(cli_refine_keeps_the_volume)
{
    const char *path = test_temp_path("a.veg"), *fine = test_temp_path("b.veg");
    TEST_EQUAL(lyra("mesh torus %s --elements 300", path), 0);
    TEST_EQUAL(lyra("mesh info %s --json", path), 0);
    double volume = number_of("volume"), elements = number_of("elements");
    TEST_EQUAL(lyra("mesh refine %s %s --times 2", path, fine), 0);
    TEST_EQUAL(lyra("mesh info %s --json", fine), 0);
    TEST_EQUAL(number_of("elements"), 64 * elements);
    TEST_NEAR(number_of("volume"), volume, 1e-12 * volume);
}

LYRA_TEST(cli_quadratic_and_linear_are_there_and_back)
{
    const char *path = test_temp_path("a.veg"), *ten = test_temp_path("ten.msh");
    const char *back = test_temp_path("back.veg"), *obj = test_temp_path("ten.obj");
    TEST_EQUAL(lyra("mesh sphere %s --elements 500", path), 0);
    TEST_EQUAL(lyra("mesh info %s --json", path), 0);
    double volume = number_of("volume"), elements = number_of("elements");
    double vertices = number_of("vertices"), triangles = number_of("surface_triangles");
    TEST_EQUAL(lyra("mesh quadratic %s %s", path, ten), 0);
    TEST_CONTAINS(output, "tets of 10 nodes");
    TEST_EQUAL(lyra("mesh info %s --json", ten), 0);
    TEST_CONTAINS(output, "\"type\": \"tet10\"");
    TEST_EQUAL(number_of("elements"), elements);
    TEST_EQUAL(number_of("folded"), 0);
    TEST_EQUAL(number_of("surface_triangles"), 4 * triangles);
    TEST_NEAR(number_of("volume"), volume, 1e-12 * volume);
    TEST_NEAR(number_of("lumped_mass_sum"), 1000 * volume, 1e-9 * volume);
    TEST_EQUAL(lyra("mesh surface %s %s", ten, obj), 0);
    TEST_EQUAL(lyra("mesh info %s --json", obj), 0);
    TEST_NEAR(number_of("volume"), volume, 1e-9 * volume);
    TEST_EQUAL(lyra("mesh linear %s %s", ten, back), 0);
    TEST_EQUAL(lyra("mesh info %s --json", back), 0);
    TEST_EQUAL(number_of("vertices"), vertices);
    TEST_EQUAL(lyra("mesh quadratic %s %s", ten, back), 1);
    TEST_CONTAINS(errors, "the elements are of kind tet10, expected tet");
    TEST_EQUAL(lyra("mesh quadratic %s %s", path, back), 1);
    TEST_CONTAINS(errors, ".veg holds tets and cubes");
}

LYRA_TEST(cli_orient_turns_what_is_inside_out)
{
    static const char text[] = "*VERTICES\n4 3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
                               "*ELEMENTS\nTET\n1 4\n1 1 3 2 4\n";
    const char *path = test_temp_path("in.veg"), *out = test_temp_path("out.veg");
    test_write_file(path, text, sizeof text - 1);
    TEST_EQUAL(lyra("mesh info %s --json", path), 0);
    TEST_EQUAL(number_of("inverted"), 1);
    TEST_EQUAL(lyra("mesh orient %s %s", path, out), 0);
    TEST_CONTAINS(output, "1 of 1 elements turned");
    TEST_EQUAL(lyra("mesh info %s --json", out), 0);
    TEST_EQUAL(number_of("inverted"), 0);
}

LYRA_TEST(cli_embed_writes_weights)
{
    const char *path = test_temp_path("a.veg"), *obj = test_temp_path("a.obj"),
               *interp = test_temp_path("a.interp");
    TEST_EQUAL(lyra("mesh box %s --elements 500", path), 0);
    TEST_EQUAL(lyra("mesh surface %s %s", path, obj), 0);
    TEST_EQUAL(lyra("mesh embed %s %s %s", path, obj, interp), 0);
    TEST_CONTAINS(output, " 0 outside");
    char *weights = test_read_file(interp, NULL);
    TEST_REQUIRE(weights);
    TEST_CHECK(strncmp(weights, "0 ", 2) == 0);
    free(weights);
}

LYRA_TEST(cli_every_command_helps)
{
    static const char *const commands[] = {"info",     "convert", "surface",   "orient",
                                           "refine",   "embed",   "box",       "sphere",
                                           "cylinder", "torus",   "quadratic", "linear"};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i) {
        TEST_EQUAL(lyra("mesh %s --help", commands[i]), 0);
        TEST_CONTAINS(output, "usage: lyra mesh");
        TEST_CONTAINS(output, "example:");
    }
    TEST_EQUAL(lyra("--help"), 0);
    TEST_CONTAINS(output, "mesh");
}

// one line per option, with a text, within the columns of a terminal
LYRA_TEST(cli_every_option_has_one_line)
{
    static const char *const commands[] = {"run",
                                           "view",
                                           "snapshot",
                                           "plot",
                                           "modes",
                                           "eval",
                                           "verify",
                                           "bench",
                                           "mesh info",
                                           "mesh convert",
                                           "mesh orient",
                                           "mesh voxelize",
                                           "mesh tetrahedralize",
                                           "mesh distance",
                                           "mesh box"};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i) {
        TEST_EQUAL(lyra("%s --help", commands[i]), 0);
        int32_t options = 0;
        for (char *line = output; *line;) {
            size_t length = strcspn(line, "\n");
            TEST_CHECK_MSG(length <= 120, "%s --help: %.40s", commands[i], line);
            if (strncmp(line, "  -", 3) == 0) {
                ++options;
                TEST_CHECK_MSG(length > 32 && line[28] == ' ' && line[29] != ' ',
                               "%s --help: %.40s", commands[i], line);
            }
            line += length + (line[length] == '\n');
        }
        TEST_CHECK_MSG(options > 0, "%s --help has no options", commands[i]);
    }
}

// ---- what does not ------------------------------------------------------------------------------

LYRA_TEST(cli_wrong_usage_is_2)
{
    const char *path = test_temp_path("never.veg");
    TEST_EQUAL(lyra("%s", ""), 2);
    TEST_EQUAL(lyra("mush"), 2);
    TEST_CONTAINS(errors, "did you mean \"mesh\"");
    TEST_EQUAL(lyra("mesh"), 2);
    TEST_EQUAL(lyra("mesh info"), 2);
    TEST_CONTAINS(errors, "expected FILE");
    TEST_EQUAL(lyra("mesh info a b"), 2);
    TEST_EQUAL(lyra("mesh info a --loud"), 2);
    TEST_CONTAINS(errors, "--loud");
    TEST_EQUAL(lyra("mesh box %s --elements many", path), 2);
    TEST_CONTAINS(errors, "--elements needs a whole number, found \"many\"");
    TEST_EQUAL(lyra("mesh box %s --elements 0", path), 2);
    TEST_EQUAL(lyra("mesh box %s --elements", path), 2);
    TEST_EQUAL(lyra("mesh box %s --type pyramid", path), 2);
    TEST_EQUAL(lyra("mesh box %s --size 1,2", path), 2);
    TEST_EQUAL(lyra("mesh box %s --size 1,2,nan", path), 2);
    TEST_EQUAL(lyra("mesh box %s --cells 1.5,1,1", path), 2);
    TEST_EQUAL(lyra("mesh box %s --size 0,1,1", path), 2);
    TEST_EQUAL(lyra("mesh box %s --density -1", path), 2);
    TEST_EQUAL(lyra("mesh torus %s --tube 2", path), 2);
    TEST_CONTAINS(errors, "the radius of the tube is 2");
    TEST_EQUAL(lyra("mesh refine a b --times 99"), 2);
    TEST_EQUAL(lyra("mesh info a --units inch"), 2);
    TEST_CONTAINS(errors, "--units is \"inch\", expected m, dm, cm, mm, um, nm, km, in or ft");
    TEST_EQUAL(lyra("mesh convert a b --scale 0"), 2);
    TEST_CONTAINS(errors, "--scale is 0, expected above 0");
    TEST_EQUAL(lyra("mesh voxelize a b --scale -1"), 2);
    TEST_EQUAL(lyra("mesh orient a b --scale nan"), 2);
    TEST_CHECK(access(path, F_OK) != 0);
}

LYRA_TEST(cli_bad_input_is_1_and_leaves_nothing)
{
    const char *path = test_temp_path("bad.veg"), *out = test_temp_path("out.veg");
    TEST_EQUAL(lyra("mesh info /nonexistent/file.veg"), 1);
    TEST_CONTAINS(errors, "/nonexistent/file.veg");
    static const char text[] = "*VERTICES\n2 3\n1 0 0 0\n2 1 zero 0\n";
    test_write_file(path, text, sizeof text - 1);
    TEST_EQUAL(lyra("mesh convert %s %s", path, out), 1);
    TEST_CONTAINS(errors, "bad.veg:4:");
    TEST_CONTAINS(errors, "found \"zero\"");
    TEST_CONTAINS(errors, "expected");
    TEST_CHECK(access(out, F_OK) != 0);
    TEST_EQUAL(lyra("mesh box /nonexistent/folder/a.veg"), 1);
    TEST_EQUAL(lyra("mesh box %s.unknown", out), 1);
    TEST_CONTAINS(errors, ".veg");
}

LYRA_TEST(cli_full_disk_keeps_the_old_file)
{
    if (access("/dev/full", W_OK) != 0) {
        TEST_SKIP("no /dev/full here");
    }
    const char *link = test_temp_path("link.veg");
    remove(link);
    TEST_REQUIRE(symlink("/dev/full", link) == 0);
    TEST_EQUAL(lyra("mesh box %s --elements 10", link), 1);
    TEST_CONTAINS(errors, "No space left on device");
    const char *path = test_temp_path("a.veg");
    TEST_EQUAL(lyra("mesh box %s --elements 10", path), 0);
    char *before = test_read_file(path, NULL);
    // files of more than 10 blocks of 512 bytes fail; the shell below runs with that limit
    TEST_EQUAL(limited("mesh box %s --elements 100000", path), 1);
    TEST_CONTAINS(errors, "cannot write");
    char *after = test_read_file(path, NULL);
    TEST_REQUIRE(before && after);
    TEST_STRING(before, after);
    // and the part that was written is gone
    char command[2048];
    snprintf(command, sizeof command, "ls -A '%.*s' | grep -q '^[.]lyra-'",
             (int)(strrchr(path, '/') - path), path);
    TEST_CHECK(system(command) != 0);
    free(before);
    free(after);
}

LYRA_TEST(cli_intersections_are_counted_and_listed)
{
    char ball[512];
    snprintf(ball, sizeof ball, "%s", test_temp_path("ball.veg"));
    const char *box = test_temp_path("corner.obj"), *body = test_temp_path("corner.veg");
    TEST_EQUAL(lyra("mesh sphere %s --elements 1000", ball), 0);
    TEST_EQUAL(lyra("mesh box %s --elements 200 --center 0.4,0.3,0.5", body), 0);
    TEST_EQUAL(lyra("mesh surface %s %s", body, box), 0);
    TEST_EQUAL(lyra("mesh intersections %s --json", box), 0);
    TEST_EQUAL(number_of("intersections"), 0);
    TEST_EQUAL(lyra("mesh intersections %s %s --json --most 2147483647", ball, box), 0);
    double count = number_of("intersections");
    TEST_CHECK(count > 20);
    TEST_EQUAL(lyra("mesh intersections %s %s --most 3", box, ball), 0);
    TEST_CONTAINS(output, " face ");
    TEST_CONTAINS(output, "... and ");
    TEST_EQUAL(lyra("mesh intersections %s %s --json --most 0", box, ball), 0);
    TEST_EQUAL(number_of("intersections"), count);
    TEST_EQUAL(lyra("mesh intersections %s --most -1", box), 2);
    TEST_EQUAL(lyra("mesh intersections %s.gone", box), 1);
}
