// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The parts of a chart: axes, points on them, and where it is drawn, SVG text or a picture.

#ifndef LY_RENDER_PLOT_H
#define LY_RENDER_PLOT_H

#include "lyra/plot.h"
#include "render/paint.h"
#include "render/ticks.h"

// ---- axes ---------------------------------------------------------------------------------------

typedef struct LyPlotAxis {
    double range[2];
    bool log;
    double pixels[2]; ///< Places of the ends of the range.
    LyTicks ticks;
} LyPlotAxis;

/// Place of a number on an axis.
double ly_plot_place(const LyPlotAxis *axis, double value);

/// Ranges of both axes, [0] x and [1] y, from the def or else from the series.
void ly_plot_find_ranges(const LyraPlotDef *def, int32_t count, const LyraPlotSeries *series,
                         LyPlotAxis axes[2]);

// ---- sinks --------------------------------------------------------------------------------------

/// Where a chart is drawn.
typedef struct LyPlotSink {
    LyWriter *svg; ///< Nullable: the painter.
    LyPainter painter;
} LyPlotSink;

typedef struct LyPlotPen {
    double width;
    double color[3];
    double opacity;
} LyPlotPen;

/// Between them lines and dots are kept within a box.
void ly_sink_begin_area(LyPlotSink *sink, const double box[4]);
void ly_sink_end_area(LyPlotSink *sink);

void ly_sink_box(LyPlotSink *sink, const double box[4], const double color[3], double opacity);
void ly_sink_text(LyPlotSink *sink, double x, double y, const LyTextStyle *style, const char *text);

/// A line through `points` [count][2]; a dot if there is one. Lines of a pen are coloured together
/// by ly_sink_flush.
void ly_sink_line(LyPlotSink *sink, int64_t count, const double *points, const LyPlotPen *pen);
void ly_sink_flush(LyPlotSink *sink, const LyPlotPen *pen);

void ly_sink_begin_svg(LyPlotSink *sink, const LyraPlotDef *def);
void ly_sink_end_svg(LyPlotSink *sink);

// ---- series -------------------------------------------------------------------------------------

/// Draws a series: runs of points without gaps, thinned out.
LyraStatus ly_plot_draw_series(LyraContext *ctx, const LyPlotAxis axes[2],
                               const LyraPlotSeries *series, const LyPlotPen *pen,
                               LyPlotSink *sink);

#endif
