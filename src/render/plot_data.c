// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// From numbers to places. Of neighbouring points that fall into one column of pixels the first, the
// lowest, the highest and the last are kept, in their order: within a column a line covers what
// lies between its lowest and highest point, and enters and leaves at the first and last, so that
// the thinned line covers the same pixels. A line of any number of points costs no more than its
// width.

#include "render/plot.h"

#include <math.h>

/// Far outside of any picture, and near enough for sums of such places to be exact.
static const double PLACE_MAX = 1e6;

double ly_plot_place(const LyPlotAxis *axis, double value)
{
    double low = axis->range[0], high = axis->range[1];
    // halves, as the span of huge numbers may not be finite
    double t = axis->log ? (log10(value) - log10(low)) / (log10(high) - log10(low))
                         : (value / 2 - low / 2) / (high / 2 - low / 2);
    double place = axis->pixels[0] + t * (axis->pixels[1] - axis->pixels[0]);
    return fmin(fmax(place, -PLACE_MAX), PLACE_MAX);
}

static bool can_show(double value, bool log)
{
    return isfinite(value) && (!log || value > 0);
}

/// Coordinates of point i; false where there is a gap.
static bool point_at(const LyraPlotSeries *series, int64_t i, const LyPlotAxis axes[2],
                     double point[2])
{
    point[0] = series->x ? series->x[i] : (double)i;
    point[1] = series->y[i];
    return can_show(point[0], axes[0].log) && can_show(point[1], axes[1].log);
}

void ly_plot_find_ranges(const LyraPlotDef *def, int32_t count, const LyraPlotSeries *series,
                         LyPlotAxis axes[2])
{
    for (int d = 0; d < 2; ++d) {
        axes[d].log = d == 0 ? def->log_x : def->log_y;
        axes[d].range[0] = INFINITY;
        axes[d].range[1] = -INFINITY;
    }
    for (int32_t s = 0; s < count; ++s) {
        for (int64_t i = 0; i < series[s].count; ++i) {
            double point[2];
            if (point_at(&series[s], i, axes, point)) {
                for (int d = 0; d < 2; ++d) {
                    axes[d].range[0] = fmin(axes[d].range[0], point[d]);
                    axes[d].range[1] = fmax(axes[d].range[1], point[d]);
                }
            }
        }
    }
    for (int d = 0; d < 2; ++d) {
        double *range = axes[d].range;
        const double *wanted = d == 0 ? def->x_range : def->y_range;
        ly_ticks_widen(range, axes[d].log);
        // room above and below the lines
        if (d == 1 && axes[d].log) {
            double factor = pow(range[1] / range[0], 0.04);
            range[0] /= isfinite(factor) ? factor : 1;
            range[1] *= isfinite(factor) ? factor : 1;
        } else if (d == 1) {
            double room = 0.04 * (range[1] / 2 - range[0] / 2) * 2;
            range[0] -= room;
            range[1] += room;
        }
        for (int i = 0; i < 2; ++i) {
            range[i] = isnan(wanted[i]) ? range[i] : wanted[i];
        }
        ly_ticks_widen(range, axes[d].log);
    }
}

// ---- runs ---------------------------------------------------------------------------------------

/// Points of a run so far, thinned out, and the open column.
typedef struct Run {
    LyraContext *ctx;
    double *points; // [capacity][2]
    int64_t count, capacity;
    double column; // of the open points
    double first[2], last[2], low[2], high[2];
    bool open, low_first;
} Run;

static void push(Run *run, const double point[2])
{
    const double *before = run->points + 2 * (run->count - 1);
    if (run->count > 0 && before[0] == point[0] && before[1] == point[1]) {
        return;
    }
    run->points[2 * run->count] = point[0];
    run->points[2 * run->count + 1] = point[1];
    ++run->count;
}

static LyraStatus close_column(Run *run)
{
    if (!run->open) {
        return LYRA_OK;
    }
    if (run->count + 4 > run->capacity) {
        int64_t capacity = 2 * run->capacity + 64;
        LY_TRY(ly_resize_array(run->ctx, capacity, 2 * sizeof(double), &run->points));
        run->capacity = capacity;
    }
    push(run, run->first);
    push(run, run->low_first ? run->low : run->high);
    push(run, run->low_first ? run->high : run->low);
    push(run, run->last);
    run->open = false;
    return LYRA_OK;
}

static void copy2(double to[2], const double from[2])
{
    to[0] = from[0];
    to[1] = from[1];
}

static LyraStatus add_point(Run *run, const double place[2])
{
    double column = floor(place[0]);
    if (run->open && column != run->column) {
        LY_TRY(close_column(run));
    }
    if (!run->open) {
        run->open = true;
        run->column = column;
        copy2(run->first, place);
        copy2(run->low, place);
        copy2(run->high, place);
    }
    if (place[1] < run->low[1]) {
        copy2(run->low, place);
        run->low_first = false;
    }
    if (place[1] > run->high[1]) {
        copy2(run->high, place);
        run->low_first = true;
    }
    copy2(run->last, place);
    return LYRA_OK;
}

LyraStatus ly_plot_draw_series(LyraContext *ctx, const LyPlotAxis axes[2],
                               const LyraPlotSeries *series, const LyPlotPen *pen, LyPlotSink *sink)
{
    Run run = {.ctx = ctx};
    LyraStatus status = LYRA_OK;
    for (int64_t i = 0; i <= series->count; ++i) {
        double point[2];
        if (i < series->count && point_at(series, i, axes, point)) {
            double place[2] = {ly_plot_place(&axes[0], point[0]),
                               ly_plot_place(&axes[1], point[1])};
            LY_TRY_DONE(add_point(&run, place));
            continue;
        }
        LY_TRY_DONE(close_column(&run));
        if (run.count > 0) {
            ly_sink_line(sink, run.count, run.points, pen);
        }
        run.count = 0;
    }
    ly_sink_flush(sink, pen);
done:
    ly_release(ctx, run.points);
    return status;
}
