// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The scale of colours at the right of a picture, and its title.

#include "render/color.h"
#include "render/paint.h"
#include "render/ticks.h"
#include "render/view.h"

#include <math.h>
#include <stdio.h>

static const double TEXT_COLOR[3] = {0.16, 0.19, 0.24};

typedef struct Layout {
    double text;       ///< Height of capitals.
    double bar[4];     ///< Box of the colours.
    double tick;       ///< Length of a tick.
    double width;      ///< Of all, from the right side of the picture.
    char exponent[16]; ///< "x 1e6" or "".
    LyTicks ticks;
} Layout;

static void lay_out(const LyraRenderDef *def, const double range[2], Layout *layout)
{
    double unit = fmin(fmax(fmin(def->width, def->height) / 900.0, 0.55), 4);
    layout->text = 12 * unit;
    layout->tick = 6 * unit;
    double high = def->height * 0.56, label_room = 0;
    ly_ticks_linear(range[0], range[1], (int32_t)fmax(high / (60 * unit), 2), &layout->ticks);
    layout->exponent[0] = '\0';
    if (layout->ticks.exponent != 0) {
        snprintf(layout->exponent, sizeof layout->exponent, "x 1e%d", layout->ticks.exponent);
    }
    for (int32_t i = 0; i < layout->ticks.count; ++i) {
        label_room = fmax(label_room, ly_text_width(layout->ticks.labels[i], layout->text));
    }
    double bar_width = 22 * unit, side = 30 * unit;
    double room = bar_width + 2 * layout->tick + label_room;
    room = fmax(room, ly_text_width(layout->exponent, layout->text));
    room = fmax(room, def->label ? ly_text_width(def->label, layout->text) : 0);
    layout->width = room + 1.6 * side;
    layout->bar[0] = def->width - layout->width + 0.6 * side;
    layout->bar[2] = layout->bar[0] + bar_width;
    layout->bar[1] = (def->height - high) / 2 + 2 * layout->text;
    layout->bar[3] = layout->bar[1] + high;
    for (int i = 0; i < 4; ++i) {
        layout->bar[i] = floor(layout->bar[i] + 0.5);
    }
}

double ly_legend_width(const LyraRenderDef *def, const double range[2])
{
    Layout layout;
    if (!def->legend) {
        return 0;
    }
    lay_out(def, range, &layout);
    // a small picture is all body
    return layout.width <= 0.4 * def->width ? layout.width : 0;
}

static void draw_scale(const LyView *view, const Layout *layout, LyPainter *painter)
{
    const double *bar = layout->bar;
    double frame[4] = {bar[0] - 1, bar[1] - 1, bar[2] + 1, bar[3] + 1};
    ly_paint_box(painter, frame, TEXT_COLOR, 0.8);
    for (double y = bar[1]; y < bar[3]; ++y) {
        double row[4] = {bar[0], y, bar[2], y + 1}, color[3];
        ly_color_map_at(view->map, (bar[3] - y - 0.5) / (bar[3] - bar[1]), color);
        for (int c = 0; c < 3; ++c) {
            color[c] = ly_color_from_linear(color[c]);
        }
        ly_paint_box(painter, row, color, 1);
    }
    LyTextStyle style = {.size = layout->text,
                         .color = {TEXT_COLOR[0], TEXT_COLOR[1], TEXT_COLOR[2]}};
    for (int32_t i = 0; i < layout->ticks.count; ++i) {
        double t = (layout->ticks.values[i] - view->range[0]) / (view->range[1] - view->range[0]);
        double y = floor(bar[3] - t * (bar[3] - bar[1])) + 0.5;
        ly_paint_line(painter, bar[2] + 1, y, bar[2] + 1 + layout->tick, y, 1);
        ly_paint_flush(painter, TEXT_COLOR, 0.8);
        ly_paint_text(painter, bar[2] + 2 * layout->tick, y + layout->text / 2, &style,
                      layout->ticks.labels[i]);
    }
    double y = bar[1] - 1.3 * layout->text;
    if (layout->exponent[0]) {
        ly_paint_text(painter, bar[0], y, &style, layout->exponent);
        y -= 1.9 * layout->text;
    }
    if (view->def->label) {
        ly_paint_text(painter, bar[0], y, &style, view->def->label);
    }
}

LyraStatus ly_legend_draw(const LyView *view, LyraPicture *picture)
{
    bool scale = view->has_field && ly_legend_width(view->def, view->range) > 0;
    if (!scale && !view->def->title) {
        return LYRA_OK;
    }
    LyPainter painter;
    Layout layout;
    LY_TRY(ly_painter_begin(picture, &painter));
    lay_out(view->def, view->range, &layout);
    if (scale) {
        draw_scale(view, &layout, &painter);
    }
    if (view->def->title) {
        LyTextStyle style = {.size = 1.35 * layout.text,
                             .color = {TEXT_COLOR[0], TEXT_COLOR[1], TEXT_COLOR[2]}};
        ly_paint_text(&painter, 2.6 * layout.text, 4 * layout.text, &style, view->def->title);
    }
    ly_painter_end(&painter);
    return LYRA_OK;
}
