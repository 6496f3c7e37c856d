// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Tables from CSV, ticks, and charts as SVG and as pictures.

#include "lyra/plot.h"
#include "lyra_test.h"
#include "render/plot.h"
#include "render/ticks.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- tables -------------------------------------------------------------------------------------

static LyraStatus load_text(LyraContext *ctx, const char *text, LyraTable **out)
{
    LyraMemoryFile file = {"t.csv", text, strlen(text)};
    return lyra_table_load_memory(ctx, &file, out);
}

LYRA_TEST(table_reads_numbers_gaps_and_names)
{
    static const char text[] = "\xef\xbb\xbftime, \"force, N\" ,\"a \"\"b\"\"\",\r\n"
                               "0,1.5,-2e3,\r\n\r\n  \n 1 ,,inf, nan \r2,\"7\",0,4";
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraTable *table = NULL;
    TEST_REQUIRE_OK(load_text(ctx, text, &table));
    LyraTableView view = lyra_table_view(table);
    TEST_EQUAL(view.row_count, 3);
    TEST_EQUAL(view.column_count, 4);
    TEST_STRING(view.names[0], "time");
    TEST_STRING(view.names[1], "force, N");
    TEST_STRING(view.names[2], "a \"b\"");
    TEST_STRING(view.names[3], "column 4");
    static const double expected[12] = {0, 1, 2, 1.5, NAN, 7, -2000, INFINITY, 0, NAN, NAN, 4};
    for (int i = 0; i < 12; ++i) {
        TEST_CHECK(view.values[i] == expected[i] || (isnan(view.values[i]) && isnan(expected[i])));
    }
    TEST_EQUAL(view.lines[0], 2);
    TEST_EQUAL(view.lines[1], 5);
    TEST_EQUAL(view.lines[2], 6);
    lyra_table_destroy(table);
    TEST_REQUIRE_OK(load_text(ctx, "only,names\n", &table));
    TEST_EQUAL(lyra_table_view(table).row_count, 0);
    lyra_table_destroy(table);
    test_context_end(ctx);
}

LYRA_TEST(table_errors_name_the_line)
{
    static const char *const bad[][2] = {
        {"", "t.csv: found nothing"},
        {"\n \n", "t.csv: found nothing"},
        {"a,b\n1,2\n\n1\n", "t.csv:4: found 1 cells, expected 2"},
        {"a,b\n1,2\n1,two\n", "t.csv:3: found \"two\", expected a number for \"b\""},
        {"a,b\n1,0x10\n", "t.csv:2: found \"0x10\""},
        {"a,\"b\n1,2\n", "t.csv:1: a quote is not closed"},
        {"a,\"b\" c\n1,2\n", "t.csv:1: found text behind a quote"},
        {"1,2\n3,4\n", "t.csv:1: found numbers, expected the names"},
    };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraTable *table = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        TEST_STATUS(load_text(ctx, bad[i][0], &table), LYRA_BAD_FORMAT);
        TEST_CONTAINS(lyra_error_message(), bad[i][1]);
    }
    TEST_STATUS(lyra_table_load(ctx, test_temp_path("none.csv"), &table), LYRA_IO_FAILED);
    test_context_end(ctx);
}

// ---- ticks --------------------------------------------------------------------------------------

LYRA_TEST(ticks_are_round_and_inside)
{
    TestRandom random = test_random(5);
    LyTicks ticks;
    for (int trial = 0; trial < 2000; ++trial) {
        double size = pow(10, test_random_in(&random, -12, 12));
        double low = size * test_random_in(&random, -1, 1);
        double high = low + size * test_random_in(&random, 0.001, 1);
        int32_t most = 2 + test_random_below(&random, 12);
        ly_ticks_linear(low, high, most, &ticks);
        TEST_CHECK(ticks.count >= 1 && ticks.count <= most + 1);
        for (int32_t i = 0; i < ticks.count; ++i) {
            double slack = 1e-8 * (high - low);
            TEST_CHECK(ticks.values[i] >= low - slack && ticks.values[i] <= high + slack);
            TEST_CHECK(i == 0 || ticks.values[i] > ticks.values[i - 1]);
            TEST_NEAR(strtod(ticks.labels[i], NULL) * pow(10, ticks.exponent), ticks.values[i],
                      1e-13 * fabs(ticks.values[i]));
        }
    }
    ly_ticks_linear(0, 1, 5, &ticks);
    TEST_EQUAL(ticks.count, 6);
    TEST_STRING(ticks.labels[3], "0.6");
    ly_ticks_linear(-3e6, 1e6, 4, &ticks);
    TEST_EQUAL(ticks.exponent, 6);
    TEST_STRING(ticks.labels[0], "-3");
    ly_ticks_log(0.002, 5e4, 9, &ticks);
    TEST_EQUAL(ticks.count, 7);
    TEST_STRING(ticks.labels[0], "0.01");
    TEST_EQUAL(ticks.minor_count, 8 + 6 * 8 + 4);
    ly_ticks_log(1e-300, 1e300, 6, &ticks);
    TEST_CHECK(ticks.count >= 5 && ticks.count <= 7);
}

LYRA_TEST(ticks_widen_what_is_no_range)
{
    static const double ranges[][2] = {
        {INFINITY, -INFINITY}, {0, 0},           {5, 5},
        {-1e300, -1e300},      {1e-310, 1e-310}, {-1.7e308, 1.7e308}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; ++i) {
        double range[2] = {ranges[i][0], ranges[i][1]};
        ly_ticks_widen(range, false);
        TEST_CHECK(isfinite(range[0]) && isfinite(range[1]) && range[0] < range[1]);
        LyTicks ticks;
        ly_ticks_linear(range[0], range[1], 5, &ticks);
        TEST_CHECK(ticks.count >= 1);
    }
    double range[2] = {3, 3};
    ly_ticks_widen(range, true);
    TEST_CHECK(range[0] > 0 && range[0] < 3 && range[1] > 3);
}

// ---- charts -------------------------------------------------------------------------------------

// every element is closed in order, attributes are quoted, and no bare < or & is in the text
static void check_xml(const char *at)
{
    char stack[32][32];
    int depth = 0;
    while (*at) {
        if (*at == '&') {
            TEST_CHECK(strncmp(at, "&amp;", 5) == 0 || strncmp(at, "&lt;", 4) == 0 ||
                       strncmp(at, "&gt;", 4) == 0);
        }
        if (*at++ != '<') {
            continue;
        }
        if (*at == '?') {
            at = strstr(at, "?>");
            TEST_REQUIRE(at);
            continue;
        }
        bool closing = *at == '/';
        at += closing;
        char name[32] = "";
        for (size_t n = 0; n < 31 && *at && !strchr(" />", *at); ++n) {
            name[n] = *at++;
        }
        bool quoted = false;
        while (*at && (quoted || *at != '>')) {
            TEST_CHECK(*at != '<');
            quoted ^= *at++ == '"';
        }
        TEST_REQUIRE(*at == '>' && !quoted);
        if (closing) {
            TEST_REQUIRE(depth > 0);
            TEST_STRING(stack[--depth], name);
        } else if (at[-1] != '/') {
            TEST_REQUIRE(depth < 32);
            memcpy(stack[depth++], name, sizeof name);
        }
    }
    TEST_EQUAL(depth, 0);
}

static int32_t count_parts(const char *text, const char *part)
{
    int32_t count = 0;
    while ((text = strstr(text, part))) {
        ++count;
        text += strlen(part);
    }
    return count;
}

LYRA_TEST(plot_svg_is_well_formed)
{
    static const double x[6] = {0, 1, 2, 3, 4, 5}, y[6] = {1, 4, NAN, 9, INFINITY, 2};
    LyraPlotSeries series[2] = {{"a <&> \"b\"", 6, x, y}, {"b\x01\xff \xc3\xa9", 6, NULL, x}};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraPlotDef def = lyra_plot_def_default();
    const char *path = test_temp_path("chart.svg");
    def.title = "x < y & z";
    def.x_label = "t [s]";
    def.y_label = "E";
    test_comma_locale();
    LyraStatus status = lyra_plot_save(ctx, &def, 2, series, path);
    setlocale(LC_ALL, "C");
    TEST_REQUIRE_OK(status);
    char *text = test_read_file(path, NULL);
    TEST_REQUIRE(text);
    check_xml(text);
    TEST_CONTAINS(text, ">x &lt; y &amp; z</text>");
    TEST_CONTAINS(text, ">a &lt;&amp;&gt; \"b\"</text>");
    TEST_CONTAINS(text, "b\xef\xbf\xbd\xef\xbf\xbd \xc3\xa9");
    // gaps: a line of two points and two single points
    TEST_EQUAL(count_parts(text, "<circle"), 2);
    free(text);
    test_context_end(ctx);
}

LYRA_TEST(plot_draws_lines_where_the_numbers_are)
{
    static const double x[2] = {0, 10}, y[2] = {3, 3};
    LyraPlotSeries series = {"flat", 2, x, y};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraPlotDef def = lyra_plot_def_default();
    LyraPicture *picture = NULL;
    def.y_range[0] = 0;
    def.y_range[1] = 6;
    TEST_REQUIRE_OK(lyra_plot_draw(ctx, &def, 1, &series, &picture));
    LyraPictureView view = lyra_picture_view(picture);
    // the blue line is in the middle of the area, between 18 and 600 - 34
    int32_t row = (18 + 600 - 34) / 2;
    const uint8_t *p = view.pixels + 4 * (row * 960 + 500);
    TEST_CHECK(p[2] > 150 && p[0] < 60);
    p = view.pixels + 4 * ((row + 40) * 960 + 501);
    TEST_CHECK(p[0] == 255 && p[1] == 255 && p[2] == 255);
    lyra_picture_destroy(picture);
    test_context_end(ctx);
}

LYRA_TEST(plot_takes_hard_data)
{
    static const double none[1] = {NAN}, one[1] = {5}, huge[3] = {-1e308, 1e308, 0},
                        negative[2] = {-1, 0};
    const LyraPlotSeries cases[] = {
        {NULL, 0, NULL, none}, {"n", 1, NULL, none},     {"one", 1, one, one},
        {"h", 3, huge, huge},  {"n", 2, NULL, negative},
    };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int i = 0; i < 5; ++i) {
        for (int log = 0; log < 2; ++log) {
            LyraPlotDef def = lyra_plot_def_default();
            LyraPicture *picture = NULL;
            def.log_x = def.log_y = log;
            def.width = 160;
            def.height = 120;
            TEST_OK(lyra_plot_draw(ctx, &def, 1, &cases[i], &picture));
            lyra_picture_destroy(picture);
            TEST_OK(lyra_plot_save(ctx, &def, 1, &cases[i], test_temp_path("hard.svg")));
        }
    }
    // more series than colours and than room for names
    LyraPlotSeries many[60];
    for (int i = 0; i < 60; ++i) {
        many[i] = (LyraPlotSeries){"name", 3, NULL, huge};
    }
    LyraPlotDef def = lyra_plot_def_default();
    const char *path = test_temp_path("many.svg");
    TEST_OK(lyra_plot_save(ctx, &def, 60, many, path));
    char *text = test_read_file(path, NULL);
    TEST_REQUIRE(text);
    TEST_CONTAINS(text, "more</text>");
    free(text);
    TEST_OK(lyra_plot_save(ctx, &def, 0, NULL, path));
    def.width = 100;
    TEST_STATUS(lyra_plot_save(ctx, &def, 0, NULL, path), LYRA_INVALID_ARGUMENT);
    def = lyra_plot_def_default();
    def.y_range[0] = 2;
    def.y_range[1] = 1;
    TEST_STATUS(lyra_plot_save(ctx, &def, 0, NULL, path), LYRA_INVALID_ARGUMENT);
    def = lyra_plot_def_default();
    TEST_STATUS(lyra_plot_save(ctx, &def, 0, NULL, test_temp_path("a.txt")), LYRA_INVALID_ARGUMENT);
    def = (LyraPlotDef){0};
    TEST_STATUS(lyra_plot_save(ctx, &def, 0, NULL, path), LYRA_INVALID_ARGUMENT);
    test_context_end(ctx);
}

// A million points of noise: few are drawn, and the picture is that of all of them.
LYRA_TEST(plot_thins_out_a_million_points)
{
    enum { COUNT = 1000000 };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(2);
    double *y = malloc(COUNT * sizeof *y);
    for (int i = 0; i < COUNT; ++i) {
        y[i] = test_random_in(&random, -1, 1) + (i == 123456 ? 50 : i == 654321 ? -70 : 0);
    }
    LyraPlotSeries series = {"noise", COUNT, NULL, y};
    LyraPlotDef def = lyra_plot_def_default();
    const char *path = test_temp_path("million.svg");
    TEST_OK(lyra_plot_save(ctx, &def, 1, &series, path));
    size_t bytes = 0;
    char *text = test_read_file(path, &bytes);
    TEST_REQUIRE(text);
    TEST_CHECK_MSG(bytes < 100000, "%zu bytes", bytes);
    // the two points that stand out are among them
    static const int32_t outliers[2] = {123456, 654321};
    LyPlotAxis axes[2] = {{{0}, false, {0}, {0}}, {{0}, false, {0}, {0}}};
    ly_plot_find_ranges(&def, 1, &series, axes);
    axes[1].pixels[0] = 566;
    axes[1].pixels[1] = 18;
    for (int i = 0; i < 2; ++i) {
        double at = ly_plot_place(&axes[1], y[outliers[i]]);
        char place[32];
        snprintf(place, sizeof place, ",%g ", floor(at * 100 + 0.5) / 100);
        TEST_CONTAINS(text, place);
    }
    free(text);
    free(y);
    test_context_end(ctx);
}

static LyraStatus draw_all(LyraContext *ctx, void *data)
{
    static const double y[300] = {[3] = 1, [7] = NAN, [200] = -2};
    LyraPlotSeries series[2] = {{"a", 300, NULL, y}, {"b", 300, NULL, y}};
    LyraPlotDef def = lyra_plot_def_default();
    LyraTable *table = NULL;
    LyraPicture *picture = NULL;
    (void)data;
    LyraStatus status = load_text(ctx, "a,b\n1,2\n3,4\n", &table);
    status = status ? status : lyra_plot_draw(ctx, &def, 2, series, &picture);
    status = status ? status : lyra_plot_save(ctx, &def, 2, series, test_temp_path("all.svg"));
    status = status ? status : lyra_picture_save(picture, test_temp_path("all.ppm"));
    lyra_picture_destroy(picture);
    lyra_table_destroy(table);
    return status;
}

LYRA_TEST(plot_survives_failing_allocations)
{
    test_fail_each_allocation(draw_all, NULL);
}
