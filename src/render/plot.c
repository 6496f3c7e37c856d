// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The layout of a chart: title on top, the area of the lines with a grid and ticks, labels of the
// axes below and at the left, names of the series at the right.

#include "render/plot.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH_MIN = 160, HEIGHT_MIN = 120 };

static const double INK[3] = {0.16, 0.19, 0.24}, PAPER[3] = {1, 1, 1};
static const double TEXT = 9.5, TITLE = 12; // heights of capitals, pixels

// told apart by hue and lightness both
static const double COLORS[][3] = {
    {0.11, 0.37, 0.73}, {0.91, 0.46, 0.07}, {0.11, 0.56, 0.28}, {0.79, 0.15, 0.21},
    {0.47, 0.30, 0.71}, {0.06, 0.62, 0.68}, {0.50, 0.33, 0.20}, {0.90, 0.42, 0.66},
    {0.40, 0.43, 0.47}, {0.66, 0.62, 0.08},
};

typedef struct Chart {
    LyraContext *ctx;
    const LyraPlotDef *def;
    int32_t count;
    const LyraPlotSeries *series;
    LyPlotAxis axes[2];
    double area[4];      // of the lines
    double legend_width; // 0: none
    char exponents[2][16];
    LyPlotSink sink;
} Chart;

LyraPlotDef lyra_plot_def_default(void)
{
    return (LyraPlotDef){
        .width = 960,
        .height = 600,
        .x_range = {NAN, NAN},
        .y_range = {NAN, NAN},
        .legend = true,
        .cookie = LY_DEF_COOKIE,
    };
}

static LyTextStyle text_style(double size, LyAnchor anchor)
{
    return (LyTextStyle){.size = size, .anchor = anchor, .color = {INK[0], INK[1], INK[2]}};
}

// ---- layout -------------------------------------------------------------------------------------

static LyraStatus check_range(const char *name, const double range[2], bool log)
{
    if (isinf(range[0]) || isinf(range[1]) || range[0] >= range[1] ||
        (log && (range[0] <= 0 || range[1] <= 0))) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "plot: the range of %s is %g to %g%s", name, range[0],
                       range[1], log ? ", expected positive numbers that rise" : "");
    }
    return LYRA_OK;
}

static void make_ticks(LyPlotAxis *axis, int32_t most)
{
    if (axis->log) {
        ly_ticks_log(axis->range[0], axis->range[1], most, &axis->ticks);
    } else {
        ly_ticks_linear(axis->range[0], axis->range[1], most, &axis->ticks);
    }
}

static double label_width(const LyTicks *ticks)
{
    double width = 0;
    for (int32_t i = 0; i < ticks->count; ++i) {
        width = fmax(width, ly_text_width(ticks->labels[i], TEXT));
    }
    return width;
}

static double find_legend_width(const Chart *chart)
{
    double width = 0;
    for (int32_t s = 0; s < chart->count; ++s) {
        const char *name = chart->series[s].name;
        width = fmax(width, name ? ly_text_width(name, TEXT) : 0);
    }
    bool wanted = chart->def->legend && chart->count > 1 && width > 0;
    // names longer than that run out of the picture
    return wanted ? fmin(width + 52, 0.4 * chart->def->width) : 0;
}

static void lay_out(Chart *chart)
{
    const LyraPlotDef *def = chart->def;
    ly_plot_find_ranges(def, chart->count, chart->series, chart->axes);
    chart->legend_width = find_legend_width(chart);
    double *area = chart->area;
    area[1] = def->title ? 2.9 * TITLE + 8 : 18;
    area[3] = def->height - (def->x_label ? 52 : 34);
    LyPlotAxis *x = &chart->axes[0], *y = &chart->axes[1];
    make_ticks(y, (int32_t)fmax((area[3] - area[1]) / 45, 2));
    if (y->ticks.exponent != 0) {
        area[1] = fmax(area[1], def->title ? 2.9 * TITLE + 22 : 28);
    }
    area[0] = label_width(&y->ticks) + 22 + (def->y_label ? 24 : 0);
    area[2] = def->width - (chart->legend_width > 0 ? chart->legend_width : 22);
    area[2] = fmax(area[2], area[0] + 20);
    make_ticks(x, (int32_t)fmax((area[2] - area[0]) / 85, 2));
    for (int d = 0; d < 2; ++d) {
        LyPlotAxis *axis = &chart->axes[d];
        axis->pixels[0] = d == 0 ? area[0] : area[3];
        axis->pixels[1] = d == 0 ? area[2] : area[1];
        chart->exponents[d][0] = '\0';
        if (axis->ticks.exponent != 0) {
            snprintf(chart->exponents[d], sizeof chart->exponents[d], "x 1e%d",
                     axis->ticks.exponent);
        }
    }
}

// ---- drawing ------------------------------------------------------------------------------------

static void draw_straight(Chart *chart, double x0, double y0, double x1, double y1,
                          const LyPlotPen *pen)
{
    double points[4] = {x0, y0, x1, y1};
    ly_sink_line(&chart->sink, 2, points, pen);
}

/// The middle of the pixel at a place, where a line of one pixel is sharp.
static double sharp(double place)
{
    return floor(place) + 0.5;
}

static void draw_grid(Chart *chart)
{
    const LyPlotPen strong = {1, {INK[0], INK[1], INK[2]}, 0.16};
    const LyPlotPen weak = {1, {INK[0], INK[1], INK[2]}, 0.06};
    const double *area = chart->area;
    for (int pass = 0; pass < 2; ++pass) {
        const LyPlotPen *pen = pass == 0 ? &weak : &strong;
        for (int d = 0; d < 2; ++d) {
            const LyPlotAxis *axis = &chart->axes[d];
            const double *values = pass == 0 ? axis->ticks.minors : axis->ticks.values;
            int32_t count = pass == 0 ? axis->ticks.minor_count : axis->ticks.count;
            for (int32_t i = 0; i < count; ++i) {
                double at = sharp(ly_plot_place(axis, values[i]));
                if (d == 0) {
                    draw_straight(chart, at, area[1], at, area[3], pen);
                } else {
                    draw_straight(chart, area[0], at, area[2], at, pen);
                }
            }
        }
        ly_sink_flush(&chart->sink, pen);
    }
}

static void draw_frame(Chart *chart)
{
    const LyPlotPen pen = {1, {INK[0], INK[1], INK[2]}, 0.75};
    const double *area = chart->area;
    double left = sharp(area[0]), bottom = sharp(area[3]);
    draw_straight(chart, left, area[1], left, bottom, &pen);
    draw_straight(chart, left, bottom, area[2], bottom, &pen);
    for (int d = 0; d < 2; ++d) {
        const LyPlotAxis *axis = &chart->axes[d];
        for (int32_t i = 0; i < axis->ticks.count; ++i) {
            double at = sharp(ly_plot_place(axis, axis->ticks.values[i]));
            if (d == 0) {
                draw_straight(chart, at, bottom, at, bottom + 4, &pen);
            } else {
                draw_straight(chart, left - 4, at, left, at, &pen);
            }
        }
    }
    ly_sink_flush(&chart->sink, &pen);
}

static void draw_texts(Chart *chart)
{
    const LyraPlotDef *def = chart->def;
    const double *area = chart->area;
    LyTextStyle middle = text_style(TEXT, LY_ANCHOR_MIDDLE), end = text_style(TEXT, LY_ANCHOR_END);
    LyTextStyle start = text_style(TEXT, LY_ANCHOR_START);
    const LyPlotAxis *x = &chart->axes[0], *y = &chart->axes[1];
    for (int32_t i = 0; i < x->ticks.count; ++i) {
        ly_sink_text(&chart->sink, ly_plot_place(x, x->ticks.values[i]), area[3] + 10 + TEXT,
                     &middle, x->ticks.labels[i]);
    }
    for (int32_t i = 0; i < y->ticks.count; ++i) {
        ly_sink_text(&chart->sink, area[0] - 9,
                     sharp(ly_plot_place(y, y->ticks.values[i])) + TEXT / 2, &end,
                     y->ticks.labels[i]);
    }
    if (chart->exponents[0][0]) {
        ly_sink_text(&chart->sink, area[2], area[3] + (def->x_label ? 29 : 20) + TEXT, &end,
                     chart->exponents[0]);
    }
    if (chart->exponents[1][0]) {
        ly_sink_text(&chart->sink, area[0], area[1] - 7, &start, chart->exponents[1]);
    }
    if (def->title) {
        LyTextStyle title = text_style(TITLE, LY_ANCHOR_START);
        ly_sink_text(&chart->sink, area[0], 2.1 * TITLE, &title, def->title);
    }
    if (def->x_label) {
        ly_sink_text(&chart->sink, (area[0] + area[2]) / 2, def->height - 13.0, &middle,
                     def->x_label);
    }
    if (def->y_label) {
        middle.vertical = true;
        ly_sink_text(&chart->sink, 12 + TEXT, (area[1] + area[3]) / 2, &middle, def->y_label);
    }
}

static LyPlotPen series_pen(int32_t s)
{
    const double *color = COLORS[s % LY_COUNT_OF(COLORS)];
    return (LyPlotPen){1.8, {color[0], color[1], color[2]}, 1};
}

static void draw_legend(Chart *chart)
{
    LyTextStyle style = text_style(TEXT, LY_ANCHOR_START);
    double step = 2.2 * TEXT, x = chart->area[2] + 14, y = chart->area[1] + TEXT;
    int32_t room = (int32_t)fmax((chart->area[3] - y) / step, 1), shown = 0;
    for (int32_t s = 0; s < chart->count; ++s) {
        if (!chart->series[s].name) {
            continue;
        }
        if (shown + 1 == room && s + 1 < chart->count) {
            char text[48];
            snprintf(text, sizeof text, "and %d more", chart->count - s);
            ly_sink_text(&chart->sink, x + 24, y + TEXT / 2, &style, text);
            break;
        }
        LyPlotPen pen = series_pen(s);
        pen.width = 2.4;
        draw_straight(chart, x, y, x + 16, y, &pen);
        ly_sink_flush(&chart->sink, &pen);
        ly_sink_text(&chart->sink, x + 24, y + TEXT / 2, &style, chart->series[s].name);
        y += step;
        ++shown;
    }
}

static LyraStatus draw_chart(Chart *chart)
{
    const double whole[4] = {0, 0, chart->def->width, chart->def->height};
    ly_sink_box(&chart->sink, whole, PAPER, 1);
    draw_grid(chart);
    const double *area = chart->area;
    const double lines[4] = {area[0], area[1] - 2, area[2] + 2, area[3] + 2};
    ly_sink_begin_area(&chart->sink, lines);
    for (int32_t s = 0; s < chart->count; ++s) {
        LyPlotPen pen = series_pen(s);
        LY_TRY(ly_plot_draw_series(chart->ctx, chart->axes, &chart->series[s], &pen, &chart->sink));
    }
    ly_sink_end_area(&chart->sink);
    draw_frame(chart);
    draw_texts(chart);
    if (chart->legend_width > 0) {
        draw_legend(chart);
    }
    return LYRA_OK;
}

// ---- all ----------------------------------------------------------------------------------------

static LyraStatus make_chart(LyraContext *ctx, const LyraPlotDef *def, int32_t count,
                             const LyraPlotSeries *series, Chart *chart)
{
    LY_CHECK_DEF(def, "lyra_plot_def_default");
    LY_TRY(ly_picture_check_size("plot", def->width, def->height));
    if (def->width < WIDTH_MIN || def->height < HEIGHT_MIN) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "plot: found %d x %d pixels, expected at least %d x %d", def->width,
                       def->height, (int)WIDTH_MIN, (int)HEIGHT_MIN);
    }
    LY_TRY(check_range("x", def->x_range, def->log_x));
    LY_TRY(check_range("y", def->y_range, def->log_y));
    *chart = (Chart){.ctx = ctx, .def = def, .count = count, .series = series};
    lay_out(chart);
    return LYRA_OK;
}

LyraStatus lyra_plot_draw(LyraContext *ctx, const LyraPlotDef *def, int32_t count,
                          const LyraPlotSeries *series, LyraPicture **out)
{
    LYRA_ASSERT(ctx && def && out && count >= 0 && (series || count == 0));
    Chart chart;
    LyraPicture *picture = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(make_chart(ctx, def, count, series, &chart));
    LY_TRY(lyra_picture_create(ctx, def->width, def->height, NULL, &picture));
    LY_TRY_DONE(ly_painter_begin(picture, &chart.sink.painter));
    LY_TRY_DONE(draw_chart(&chart));
    *out = picture;
    picture = NULL;
done:
    ly_painter_end(&chart.sink.painter);
    lyra_picture_destroy(picture);
    return status;
}

LyraStatus lyra_plot_save(LyraContext *ctx, const LyraPlotDef *def, int32_t count,
                          const LyraPlotSeries *series, const char *path)
{
    LYRA_ASSERT(ctx && def && path && count >= 0 && (series || count == 0));
    if (!ly_path_has_extension(path, ".svg")) {
        LyraPicture *picture = NULL;
        if (!ly_path_has_extension(path, ".png") && !ly_path_has_extension(path, ".ppm")) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "%s: the extension names no format of charts, expected .svg, .png or "
                           ".ppm",
                           path);
        }
        LY_TRY(lyra_plot_draw(ctx, def, count, series, &picture));
        LyraStatus status = lyra_picture_save(picture, path);
        lyra_picture_destroy(picture);
        return status;
    }
    Chart chart;
    LY_TRY(make_chart(ctx, def, count, series, &chart));
    LY_TRY(ly_writer_create(ctx, path, &chart.sink.svg));
    ly_sink_begin_svg(&chart.sink, def);
    LyraStatus status = draw_chart(&chart);
    if (status != LYRA_OK) {
        ly_writer_discard(chart.sink.svg);
        return status;
    }
    ly_sink_end_svg(&chart.sink);
    return ly_writer_commit(chart.sink.svg);
}
