// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A chart is boxes, lines and text, each drawn either as an element of SVG or by the painter.

#include "render/color.h"
#include "render/font.h"
#include "render/plot.h"

#include <math.h>
#include <stdio.h>

// ---- SVG ----------------------------------------------------------------------------------------

/// A place, to a hundredth of a pixel.
static void write_place(LyWriter *svg, double value)
{
    ly_writer_double(svg, floor(value * 100 + 0.5) / 100 + 0.0);
}

static void write_attribute(LyWriter *svg, const char *name, double value)
{
    ly_writer_print(svg, " %s=\"", name);
    write_place(svg, value);
    ly_writer_char(svg, '"');
}

static void write_color(LyWriter *svg, const char *name, const double color[3], double opacity)
{
    ly_writer_print(svg, " %s=\"#%02x%02x%02x\"", name, ly_color_byte(color[0]),
                    ly_color_byte(color[1]), ly_color_byte(color[2]));
    if (opacity < 1) {
        ly_writer_print(svg, " %s-opacity=\"", name);
        write_place(svg, opacity);
        ly_writer_char(svg, '"');
    }
}

static void write_box(LyWriter *svg, const double box[4])
{
    write_attribute(svg, "x", box[0]);
    write_attribute(svg, "y", box[1]);
    write_attribute(svg, "width", box[2] - box[0]);
    write_attribute(svg, "height", box[3] - box[1]);
}

/// Length of the well-formed UTF-8 character at `c` that XML allows, 0 if there is none.
static int character_length(const unsigned char *c)
{
    if (c[0] < 0x80) {
        return c[0] >= 0x20 || c[0] == '\t';
    }
    int length = c[0] >= 0xf0 && c[0] < 0xf5   ? 4
                 : c[0] >= 0xe0 && c[0] < 0xf0 ? 3
                 : c[0] >= 0xc2 && c[0] < 0xe0 ? 2
                                               : 0;
    uint32_t code = length > 0 ? c[0] & (0xffu >> (length + 1)) : 0;
    for (int i = 1; i < length; ++i) {
        if ((c[i] & 0xc0) != 0x80) {
            return 0;
        }
        code = code << 6 | (c[i] & 0x3fu);
    }
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    bool good = code >= least[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) &&
                code != 0xfffe && code != 0xffff;
    return good ? length : 0;
}

static void write_text(LyWriter *svg, const char *text)
{
    while (*text) {
        int length = character_length((const unsigned char *)text);
        switch (*text) {
        case '&':
            ly_writer_string(svg, "&amp;");
            break;
        case '<':
            ly_writer_string(svg, "&lt;");
            break;
        case '>':
            ly_writer_string(svg, "&gt;");
            break;
        default:
            if (length > 0) {
                ly_writer_bytes(svg, text, (size_t)length);
            } else {
                ly_writer_string(svg, "\xef\xbf\xbd");
            }
        }
        text += length > 0 ? length : 1;
    }
}

void ly_sink_begin_svg(LyPlotSink *sink, const LyraPlotDef *def)
{
    ly_writer_string(sink->svg, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    ly_writer_print(sink->svg,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                    "viewBox=\"0 0 %d %d\" font-family=\"Helvetica, Arial, sans-serif\">\n",
                    def->width, def->height, def->width, def->height);
}

void ly_sink_end_svg(LyPlotSink *sink)
{
    ly_writer_string(sink->svg, "</svg>\n");
}

// ---- both ---------------------------------------------------------------------------------------

void ly_sink_begin_area(LyPlotSink *sink, const double box[4])
{
    if (!sink->svg) {
        ly_painter_clip(&sink->painter, box);
        return;
    }
    ly_writer_string(sink->svg, "<clipPath id=\"area\"><rect");
    write_box(sink->svg, box);
    ly_writer_string(sink->svg, "/></clipPath>\n<g clip-path=\"url(#area)\">\n");
}

void ly_sink_end_area(LyPlotSink *sink)
{
    if (sink->svg) {
        ly_writer_string(sink->svg, "</g>\n");
    } else {
        ly_painter_clip(&sink->painter, NULL);
    }
}

void ly_sink_box(LyPlotSink *sink, const double box[4], const double color[3], double opacity)
{
    if (!sink->svg) {
        ly_paint_box(&sink->painter, box, color, opacity);
        return;
    }
    ly_writer_string(sink->svg, "<rect");
    write_box(sink->svg, box);
    write_color(sink->svg, "fill", color, opacity);
    ly_writer_string(sink->svg, "/>\n");
}

void ly_sink_text(LyPlotSink *sink, double x, double y, const LyTextStyle *style, const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    if (!sink->svg) {
        ly_paint_text(&sink->painter, x, y, style, text);
        return;
    }
    ly_writer_string(sink->svg, "<text");
    write_attribute(sink->svg, "x", x);
    write_attribute(sink->svg, "y", y);
    // capitals of common fonts are 0.72 of their size
    write_attribute(sink->svg, "font-size", style->size / 0.72);
    ly_writer_print(sink->svg, " text-anchor=\"%s\"", anchors[style->anchor]);
    write_color(sink->svg, "fill", style->color, 1);
    if (style->vertical) {
        ly_writer_string(sink->svg, " transform=\"rotate(-90 ");
        write_place(sink->svg, x);
        ly_writer_char(sink->svg, ' ');
        write_place(sink->svg, y);
        ly_writer_string(sink->svg, ")\"");
    }
    ly_writer_char(sink->svg, '>');
    write_text(sink->svg, text);
    ly_writer_string(sink->svg, "</text>\n");
}

static void write_line(LyWriter *svg, int64_t count, const double *points, const LyPlotPen *pen)
{
    if (count == 1) {
        ly_writer_string(svg, "<circle");
        write_attribute(svg, "cx", points[0]);
        write_attribute(svg, "cy", points[1]);
        write_attribute(svg, "r", 1.5 * pen->width);
        write_color(svg, "fill", pen->color, pen->opacity);
        ly_writer_string(svg, "/>\n");
        return;
    }
    ly_writer_string(svg, "<polyline fill=\"none\" stroke-linejoin=\"round\"");
    write_color(svg, "stroke", pen->color, pen->opacity);
    write_attribute(svg, "stroke-width", pen->width);
    ly_writer_string(svg, " points=\"");
    for (int64_t i = 0; i < count; ++i) {
        ly_writer_string(svg, i > 0 ? " " : "");
        write_place(svg, points[2 * i]);
        ly_writer_char(svg, ',');
        write_place(svg, points[2 * i + 1]);
    }
    ly_writer_string(svg, "\"/>\n");
}

void ly_sink_line(LyPlotSink *sink, int64_t count, const double *points, const LyPlotPen *pen)
{
    if (sink->svg) {
        write_line(sink->svg, count, points, pen);
        return;
    }
    if (count == 1) {
        ly_paint_line(&sink->painter, points[0], points[1], points[0], points[1], 3 * pen->width);
    }
    for (int64_t i = 0; i + 1 < count; ++i) {
        const double *p = points + 2 * i;
        ly_paint_line(&sink->painter, p[0], p[1], p[2], p[3], pen->width);
    }
}

void ly_sink_flush(LyPlotSink *sink, const LyPlotPen *pen)
{
    if (!sink->svg) {
        ly_paint_flush(&sink->painter, pen->color, pen->opacity);
    }
}
