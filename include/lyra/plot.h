// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Tables of numbers from CSV files, and charts of them as SVG text or as pictures.
///
/// A part: it may change between minor versions, and lyra/lyra.h leaves it out (lyra/parts.h).

#ifndef LYRA_PLOT_H
#define LYRA_PLOT_H

#include "lyra/base.h"
#include "lyra/picture.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- tables -------------------------------------------------------------------------------------

/// The data of a table.
typedef struct LyraTableView {
    int64_t row_count;
    int32_t column_count;
    const char *const *names; ///< [column_count].
    const double *values;     ///< By columns, [column_count][row_count]; NAN where a cell is empty.
    const int64_t *lines;     ///< Line of the text that each row stands on, from 1, [row_count].
} LyraTableView;

/// Named columns of numbers. Immutable.
typedef struct LyraTable LyraTable;

/// Reads CSV text: a line of names, then lines of as many numbers, all with commas between; a cell
/// may be empty, blank lines are skipped, names may stand in double quotes. Failures name file,
/// line, what was found and what was expected.
LYRA_API LyraStatus lyra_table_load(LyraContext *ctx, const char *path, LyraTable **out);

/// As lyra_table_load, from memory.
LYRA_API LyraStatus lyra_table_load_memory(LyraContext *ctx, const LyraMemoryFile *file,
                                           LyraTable **out);

/// Accepts NULL.
LYRA_API void lyra_table_destroy(LyraTable *table);

/// Data of the table, valid while it lives.
LYRA_API LyraTableView lyra_table_view(const LyraTable *table);

/// Number of the column of that name, -1 without.
LYRA_API int32_t lyra_table_find(const LyraTableView *table, const char *name);

// ---- charts -------------------------------------------------------------------------------------

/// One line of a chart.
typedef struct LyraPlotSeries {
    const char *name; ///< For the legend, UTF-8. Nullable: none.
    int64_t count;    ///< Points.
    const double *x;  ///< [count]. Nullable: 0, 1, 2 ...
    const double *y;  ///< [count]; a point that is not finite, or not positive on a logarithmic
                      ///< axis, leaves a gap.
} LyraPlotSeries;

/// Settings of a chart. Start from lyra_plot_def_default().
typedef struct LyraPlotDef {
    int32_t width, height; ///< Pixels, at least 160 x 120. Default 960 x 600.
    const char *title;     ///< UTF-8. Nullable: none. Default NULL.
    const char *x_label;   ///< UTF-8. Nullable: none. Default NULL.
    const char *y_label;   ///< UTF-8. Nullable: none. Default NULL.
    bool log_x, log_y;     ///< Logarithmic axes. Default false.
    double x_range[2];     ///< Ends of the axis; NAN: from the data. Default NAN.
    double y_range[2];     ///< As x_range.
    bool legend;           ///< Names at the right, for two series or more. Default true.
    uint32_t cookie;       ///< Written by the default function only.
} LyraPlotDef;

LYRA_API LyraPlotDef lyra_plot_def_default(void);

/// Draws a chart of `series` [count] as a picture. Of many points in one column of pixels the
/// first, lowest, highest and last are drawn, which looks the same.
LYRA_API LyraStatus lyra_plot_draw(LyraContext *ctx, const LyraPlotDef *def, int32_t count,
                                   const LyraPlotSeries *series, LyraPicture **out);

/// Writes a chart, whole or not at all, in the format that the extension names: `.svg`, or what
/// lyra_picture_save() writes. The layout is the same in all.
LYRA_API LyraStatus lyra_plot_save(LyraContext *ctx, const LyraPlotDef *def, int32_t count,
                                   const LyraPlotSeries *series, const char *path);

#ifdef __cplusplus
}
#endif

#endif
