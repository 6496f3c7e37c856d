// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra plot` and `lyra snapshot` as a user types them.

#include "cli_run.h"
#include "lyra/matrix_file.h"
#include "lyra/output.h"
#include "lyra/picture.h"

#include <unistd.h>

// paths that stay: test_temp_path() has few
static char csv[256], out[256], mesh[256], obj[256], npy[256];

static void set_up(void)
{
    static const char text[] = "time,kinetic,elastic\n0,1,2\n1,,3\n2,5,1e-3\n";
    snprintf(csv, sizeof csv, "%s", test_temp_path("steps.csv"));
    snprintf(mesh, sizeof mesh, "%s", test_temp_path("body.veg"));
    snprintf(obj, sizeof obj, "%s", test_temp_path("body.obj"));
    snprintf(npy, sizeof npy, "%s", test_temp_path("u.npy"));
    test_write_file(csv, text, sizeof text - 1);
    remove(test_temp_path("out.ppm"));
    snprintf(out, sizeof out, "%s", test_temp_path("out.ppm"));
}

// the picture that was written, NULL if there is none
static LyraPicture *load(LyraContext *ctx)
{
    LyraPicture *picture = NULL;
    return access(out, F_OK) == 0 && lyra_picture_load(ctx, out, &picture) == LYRA_OK ? picture
                                                                                      : NULL;
}

static void check_size(int32_t width, int32_t height)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraPicture *picture = load(ctx);
    TEST_CHECK(picture != NULL);
    if (picture) {
        TEST_EQUAL(lyra_picture_view(picture).width, width);
        TEST_EQUAL(lyra_picture_view(picture).height, height);
    }
    lyra_picture_destroy(picture);
    test_context_end(ctx);
}

LYRA_TEST(cli_plot_draws_columns)
{
    set_up();
    TEST_EQUAL(lyra("plot %s -o %s --size 400x300 --title T", csv, out), 0);
    TEST_STRING(errors, "");
    check_size(400, 300);
    char svg[256];
    snprintf(svg, sizeof svg, "%s", test_temp_path("chart.svg"));
    TEST_EQUAL(lyra("plot %s --x time --y elastic,kinetic --log-y --out %s", csv, svg), 0);
    char *text = test_read_file(svg, NULL);
    TEST_REQUIRE(text);
    TEST_CONTAINS(text, ">elastic</text>");
    TEST_CONTAINS(text, ">kinetic</text>");
    TEST_CONTAINS(text, ">time</text>");
    free(text);
}

LYRA_TEST(cli_plot_says_what_is_wrong)
{
    set_up();
    TEST_EQUAL(lyra("plot %s", csv), 2);
    TEST_CONTAINS(errors, "--out is missing");
    TEST_EQUAL(lyra("plot %s -o %s --size 400", csv, out), 2);
    TEST_EQUAL(lyra("plot %s -o %s --size 40x30", csv, out), 1);
    TEST_EQUAL(lyra("plot %s -o %s --y potential", csv, out), 1);
    TEST_CONTAINS(errors, "no column \"potential\"; there are time, kinetic, elastic");
    TEST_EQUAL(lyra("plot %s -o %s --x t", csv, out), 1);
    TEST_EQUAL(lyra("plot %s -o %s --y time,time,time,time", csv, out), 1);
    TEST_EQUAL(lyra("plot /nonexistent.csv -o %s", out), 1);
    TEST_EQUAL(lyra("plot %s -o %s.txt", csv, out), 1);
    static const char bad[] = "a,b\n1,2\n3,x\n";
    test_write_file(csv, bad, sizeof bad - 1);
    TEST_EQUAL(lyra("plot %s -o %s", csv, out), 1);
    TEST_CONTAINS(errors, "steps.csv:3: found \"x\", expected a number for \"b\"");
    TEST_CHECK(access(out, F_OK) != 0);
}

// frames of displacements of the mesh; the last one stretches it upward
static int32_t write_frames(void)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *body = NULL;
    LyraSeries *series = NULL;
    LyraSeriesDef def = lyra_series_def_default();
    int32_t count = 0;
    if (lyra_mesh_load(ctx, mesh, LYRA_MESH_FORMAT_AUTO, &body) == LYRA_OK) {
        LyraMeshView view = lyra_mesh_view(body);
        count = view.vertex_count;
        double *u = calloc((size_t)count * 3, sizeof *u);
        def.shape[0] = count;
        def.shape[1] = 3;
        TEST_OK(lyra_series_create(ctx, npy, &def, &series));
        for (int frame = 0; frame < 3; ++frame) {
            for (int32_t i = 0; i < count; ++i) {
                u[3 * i + 1] = frame * view.positions[3 * i + 1];
            }
            TEST_OK(lyra_series_append(series, u));
        }
        free(u);
    }
    lyra_series_destroy(series);
    lyra_mesh_destroy(body);
    test_context_end(ctx);
    return count;
}

// rows of the picture with something other than the light background in them
static int32_t height_shown(void)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraPicture *picture = load(ctx);
    int32_t rows = 0;
    if (picture) {
        LyraPictureView view = lyra_picture_view(picture);
        for (int32_t y = 0; y < view.height; ++y) {
            bool seen = false;
            for (int32_t x = 0; x < view.width; ++x) {
                const uint8_t *p = view.pixels + 4 * (y * view.width + x);
                seen |= p[0] < 180 || p[1] < 180 || p[2] < 180;
            }
            rows += seen;
        }
    }
    lyra_picture_destroy(picture);
    test_context_end(ctx);
    return rows;
}

LYRA_TEST(cli_snapshot_shows_the_frame_asked_for)
{
    static const char camera[] = "--camera 0,0,20/0,0,0 --size 200x200 --no-shadows";
    set_up();
    TEST_EQUAL(lyra("mesh box %s --elements 300", mesh), 0);
    TEST_CHECK(write_frames() > 0);
    TEST_EQUAL(lyra("snapshot %s -o %s %s", mesh, out, camera), 0);
    TEST_STRING(errors, "");
    int32_t rest = height_shown();
    TEST_EQUAL(lyra("snapshot %s -o %s %s --displacement %s --frame 0", mesh, out, camera, npy), 0);
    TEST_EQUAL(height_shown(), rest);
    TEST_EQUAL(lyra("snapshot %s -o %s %s --displacement %s", mesh, out, camera, npy), 0);
    int32_t stretched = height_shown();
    TEST_CHECK_MSG(abs(stretched - 3 * rest) <= 4, "%d rows and %d", rest, stretched);
    TEST_EQUAL(lyra("snapshot %s -o %s %s --displacement %s --frame -2", mesh, out, camera, npy),
               0);
    TEST_CHECK(abs(height_shown() - 2 * rest) <= 4);
    TEST_EQUAL(lyra("snapshot %s -o %s %s --displacement %s --frame 3", mesh, out, camera, npy), 1);
    TEST_CONTAINS(errors, "has 3 frames, and no frame 3");
    TEST_EQUAL(lyra("snapshot %s -o %s --displacement %s --frame -4", mesh, out, npy), 1);
    TEST_CONTAINS(errors, "has 3 frames, and no frame -4; frames count from 0");
    // nothing to choose from
    TEST_EQUAL(lyra("snapshot %s -o %s --frame -2", mesh, out), 2);
    TEST_CONTAINS(errors, "--frame -2 needs frames: give --displacement U.npy or --field F.npy");
    // the surface that the mesh carries, with the field carried over
    TEST_EQUAL(lyra("mesh surface %s %s", mesh, obj), 0);
    TEST_EQUAL(lyra("snapshot %s -o %s %s --displacement %s --embed %s --field displacement "
                    "--no-legend",
                    mesh, out, camera, npy, obj),
               0);
    TEST_CHECK(abs(height_shown() - stretched) <= 2);
    TEST_EQUAL(
        lyra("snapshot %s -o %s --size 300x200 --wireframe --flat --view -30,60 --up z", obj, out),
        0);
    check_size(300, 200);
}

LYRA_TEST(cli_snapshot_says_what_is_wrong)
{
    static const char list[] = "1, 2\n";
    set_up();
    TEST_EQUAL(lyra("mesh box %s --elements 300", mesh), 0);
    TEST_EQUAL(lyra("mesh surface %s %s", mesh, obj), 0);
    char fixed[256];
    snprintf(fixed, sizeof fixed, "%s", test_temp_path("fixed.bou"));
    test_write_file(fixed, list, sizeof list - 1);
    TEST_EQUAL(lyra("snapshot %s", mesh), 2);
    TEST_EQUAL(lyra("snapshot %s -o %s --view 1", mesh, out), 2);
    TEST_CONTAINS(errors, "--view needs AZIMUTH,ELEVATION");
    TEST_EQUAL(lyra("snapshot %s -o %s --view 1,91", mesh, out), 2);
    TEST_EQUAL(lyra("snapshot %s -o %s --camera 1,2,3", mesh, out), 2);
    TEST_EQUAL(lyra("snapshot %s -o %s --range 2,1", mesh, out), 2);
    TEST_EQUAL(lyra("snapshot %s -o %s --up w", mesh, out), 2);
    TEST_EQUAL(lyra("snapshot %s -o %s --fov 0", mesh, out), 2);
    TEST_EQUAL(lyra("snapshot %s -o %s --color-map jet", mesh, out), 2);
    TEST_EQUAL(lyra("snapshot %s -o %s --field displacement", mesh, out), 1);
    TEST_EQUAL(lyra("snapshot %s -o %s --embed %s", obj, out, obj), 1);
    TEST_EQUAL(lyra("snapshot %s -o %s --embed %s --fixed %s", mesh, out, obj, fixed), 1);
    TEST_EQUAL(lyra("snapshot /nonexistent.veg -o %s", out), 1);
    TEST_EQUAL(lyra("snapshot %s -o %s --size 99999x99999", mesh, out), 1);
    TEST_EQUAL(lyra("snapshot %s -o %s.gif --size 9x9", mesh, out), 1);
    TEST_CONTAINS(errors, "expected .png or .ppm");
    TEST_CHECK(access(out, F_OK) != 0);
    TEST_EQUAL(lyra("snapshot %s -o %s --fixed %s --size 90x90", mesh, out, fixed), 0);
    check_size(90, 90);
}

LYRA_TEST(cli_picture_commands_help)
{
    TEST_EQUAL(lyra("plot --help"), 0);
    TEST_CONTAINS(output, "example:");
    TEST_EQUAL(lyra("snapshot --help"), 0);
    TEST_CONTAINS(output, "example:");
}
