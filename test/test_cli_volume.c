// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra mesh voxelize`, `tetrahedralize`, `distance` and `info --html` as a user types them.

#include "cli_run.h"
#include "lyra/lyra.h"

#include <unistd.h>

static const char *make_ball(void)
{
    const char *path = test_temp_path("ball.veg"), *obj = test_temp_path("ball.obj");
    TEST_EQUAL(lyra("mesh sphere %s --elements 2000", path), 0);
    TEST_EQUAL(lyra("mesh surface %s %s", path, obj), 0);
    return obj;
}

LYRA_TEST(cli_ball_is_filled)
{
    const char *obj = make_ball(), *out = test_temp_path("out.veg"),
               *weights = test_temp_path("out.interp");
    TEST_EQUAL(lyra("mesh info %s --json", obj), 0);
    double volume = number_of("volume"), points = number_of("vertices");
    TEST_EQUAL(lyra("mesh tetrahedralize %s %s --resolution 12 --embed %s", obj, out, weights), 0);
    TEST_STRING(errors, "");
    TEST_CONTAINS(output, "tets");
    TEST_CONTAINS(output, "dihedral angles");
    TEST_EQUAL(lyra("mesh info %s --json", out), 0);
    TEST_NEAR(number_of("volume"), volume, 0.02 * volume);
    TEST_CHECK(number_of("min_dihedral_degrees") > 10);
    size_t bytes = 0;
    char *text = test_read_file(weights, &bytes);
    TEST_REQUIRE(text);
    int32_t lines = 0;
    for (const char *at = text; *at; ++at) {
        lines += *at == '\n';
    }
    TEST_EQUAL(lines, points);
    free(text);
    TEST_EQUAL(lyra("mesh voxelize %s %s --resolution 12 --embed %s", obj, out, weights), 0);
    // cubes cover the surface
    TEST_CONTAINS(output, " 0 outside");
    TEST_EQUAL(lyra("mesh voxelize %s %s --resolution 24 --inside-only", obj, out), 0);
    TEST_EQUAL(lyra("mesh info %s --json", out), 0);
    TEST_NEAR(number_of("volume"), volume, 0.05 * volume);
    TEST_EQUAL(number_of("not_cubes"), 0);
}

LYRA_TEST(cli_says_what_it_repaired)
{
    static const char text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 0 0\n"
                               "f 1 3 2\nf 5 2 4\nf 1 3 4\nf 2 3 4\nf 2 4 3\nf 1 1 2\n";
    const char *obj = test_temp_path("bad.obj"), *out = test_temp_path("bad.veg");
    test_write_file(obj, text, sizeof text - 1);
    TEST_EQUAL(lyra("mesh tetrahedralize %s %s --resolution 8", obj, out), 0);
    TEST_CONTAINS(errors, "1 vertex at the place of another, merged");
    TEST_CONTAINS(errors, "1 face without area, dropped");
    TEST_CONTAINS(errors, "1 face given twice, dropped");
    TEST_CONTAINS(errors, "1 face turned to agree with its neighbours");
    TEST_CONTAINS(errors, " m^3 before repair, 0.166667 m^3 after\n");
    TEST_EQUAL(lyra("mesh info %s --json", out), 0);
    TEST_NEAR(number_of("volume"), 1.0 / 6, 0.03);
    // a surface that is whole needs no word about it
    TEST_EQUAL(lyra("mesh tetrahedralize %s %s --resolution 8", make_ball(), out), 0);
    TEST_STRING(errors, "");
}

LYRA_TEST(cli_distance_is_written)
{
    const char *obj = make_ball(), *out = test_temp_path("ball.vtk");
    TEST_EQUAL(lyra("mesh distance %s %s --resolution 10 --margin 1", obj, out), 0);
    TEST_CONTAINS(output, "13 x 13 x 13 samples, 0.2 m apart");
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraDistanceField *field = NULL;
    TEST_REQUIRE_OK(lyra_distance_field_load(ctx, out, &field));
    const double points[] = {0, 0, 0, 1.1, 0, 0};
    double distance[2];
    lyra_distance_field_sample(field, 2, points, distance, NULL);
    TEST_NEAR(distance[0], -1, 0.05);
    TEST_NEAR(distance[1], 0.1, 0.05);
    lyra_distance_field_destroy(field);
    test_context_end(ctx);
}

LYRA_TEST(cli_page_shows_the_worst)
{
    const char *obj = make_ball(), *out = test_temp_path("ball<&>.veg"),
               *page = test_temp_path("page.html");
    TEST_EQUAL(lyra("mesh tetrahedralize %s '%s' --resolution 8", obj, out), 0);
    TEST_EQUAL(lyra("mesh info '%s' --html %s", out, page), 0);
    char *text = test_read_file(page, NULL);
    TEST_REQUIRE(text);
    TEST_CONTAINS(text, "ball&lt;&amp;&gt;.veg</h1>");
    TEST_CONTAINS(text, "dihedral angles, degrees");
    TEST_CONTAINS(text, "aspect of elements");
    TEST_CONTAINS(text, "Worst elements");
    TEST_CONTAINS(text, "</html>");
    TEST_CHECK(!strstr(text, "nan") && !strstr(text, "http"));
    int32_t bars = 0, figures = 0;
    for (const char *at = text; (at = strstr(at, "class=\"bar\"")) != NULL; ++at) {
        ++bars;
    }
    for (const char *at = text; (at = strstr(at, "<figcaption>element")) != NULL; ++at) {
        ++figures;
    }
    TEST_EQUAL(bars, 36);
    TEST_EQUAL(figures, 12);
    free(text);
    TEST_EQUAL(lyra("mesh info %s --html %s", obj, page), 1);
    TEST_CONTAINS(errors, "--html needs a volumetric mesh");
    TEST_EQUAL(lyra("mesh info '%s' --html /nowhere/page.html", out), 1);
    TEST_CONTAINS(errors, "/nowhere/page.html");
}

LYRA_TEST(cli_wrong_volume_commands)
{
    const char *obj = make_ball(), *out = test_temp_path("none.veg");
    TEST_EQUAL(lyra("mesh tetrahedralize %s %s --resolution 0", obj, out), 2);
    TEST_CONTAINS(errors, "--resolution is 0, expected at least 1");
    TEST_EQUAL(lyra("mesh tetrahedralize %s %s --method magic", obj, out), 2);
    TEST_CONTAINS(errors, "expected lattice, tetgen or gmsh");
    TEST_EQUAL(lyra("mesh voxelize %s %s --resolution 100000", obj, out), 1);
    TEST_CONTAINS(errors, "lower the resolution");
    TEST_EQUAL(lyra("mesh voxelize %s %s", test_temp_path("missing.obj"), out), 1);
    TEST_CONTAINS(errors, "missing.obj");
    // a program that is not there
    TEST_EQUAL(alone("mesh tetrahedralize %s %s --method tetgen", obj, out), 1);
    TEST_CONTAINS(errors, "tetgen is not installed");
    TEST_CHECK(access(out, F_OK) != 0);
}
