// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra plot`: columns of a CSV file as a chart.

#include "cli.h"

#include "lyra/plot.h"

#include <stdlib.h>
#include <string.h>

typedef struct PlotOptions {
    const char *x, *y, *title, *y_label, *size, *out;
    bool log_x, log_y;
} PlotOptions;

bool cli_parse_size(const char *text, int32_t *width, int32_t *height)
{
    char *end = NULL;
    long w = strtol(text, &end, 10);
    if (end == text || *end != 'x') {
        return false;
    }
    const char *second = end + 1;
    long h = strtol(second, &end, 10);
    if (end == second || *end || w < 1 || h < 1 || w > INT32_MAX || h > INT32_MAX) {
        return false;
    }
    *width = (int32_t)w;
    *height = (int32_t)h;
    return true;
}

// column of that name, -1 after saying which there are
static int32_t find_column(const char *path, const LyraTableView *table, const char *name,
                           size_t length)
{
    for (int32_t c = 0; c < table->column_count; ++c) {
        if (strlen(table->names[c]) == length && memcmp(table->names[c], name, length) == 0) {
            return c;
        }
    }
    char known[512] = "";
    for (int32_t c = 0; c < table->column_count && strlen(known) < 400; ++c) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%.40s", c > 0 ? ", " : "", table->names[c]);
    }
    cli_fail("%s: no column \"%.*s\"; there are %s", path, (int)length, name, known);
    return -1;
}

// fills `columns` with those of the list `names` (all but x for NULL); -1 after printing the reason
static int32_t choose_columns(const char *path, const LyraTableView *table, const char *names,
                              int32_t x, int32_t *columns)
{
    int32_t count = 0;
    if (!names) {
        for (int32_t c = 0; c < table->column_count; ++c) {
            if (c != x) {
                columns[count++] = c;
            }
        }
        return count;
    }
    while (count < table->column_count) {
        size_t length = strcspn(names, ",");
        columns[count] = find_column(path, table, names, length);
        if (columns[count++] < 0) {
            return -1;
        }
        if (!names[length]) {
            return count;
        }
        names += length + 1;
    }
    cli_fail("%s: more columns are asked for than the %d there are", path, table->column_count);
    return -1;
}

static CliExit draw(LyraContext *ctx, const char *path, const LyraTableView *table,
                    const PlotOptions *options, LyraPlotDef *def)
{
    int32_t *columns = cli_allocate((size_t)table->column_count * sizeof *columns);
    LyraPlotSeries *series = cli_allocate((size_t)table->column_count * sizeof *series);
    int32_t x = table->column_count > 1 ? 0 : -1, count = -1;
    if (options->x) {
        x = find_column(path, table, options->x, strlen(options->x));
    }
    if (!options->x || x >= 0) {
        count = choose_columns(path, table, options->y, x, columns);
    }
    for (int32_t s = 0; s < count; ++s) {
        series[s] = (LyraPlotSeries){
            .name = table->names[columns[s]],
            .count = table->row_count,
            .x = x >= 0 ? table->values + x * table->row_count : NULL,
            .y = table->values + columns[s] * table->row_count,
        };
    }
    CliExit exit = CLI_BAD_INPUT;
    if (count >= 0) {
        def->x_label = x >= 0 ? table->names[x] : "row";
        def->y_label = options->y_label ? options->y_label : count == 1 ? series[0].name : NULL;
        exit = lyra_plot_save(ctx, def, count, series, options->out) == LYRA_OK ? CLI_OK
                                                                                : cli_failed();
    }
    free(columns);
    free(series);
    return exit;
}

CliExit cli_plot(int argument_count, char **arguments)
{
    PlotOptions options = {0};
    const CliOption table[] = {
        {"--x", CLI_TEXT, &options.x, "COLUMN",
         "column of the horizontal axis (default: the first)"},
        {"--y", CLI_TEXT, &options.y, "A,B,...", "columns to draw (default: all others)"},
        {"--log-x", CLI_FLAG, &options.log_x, NULL, "logarithmic horizontal axis"},
        {"--log-y", CLI_FLAG, &options.log_y, NULL, "logarithmic vertical axis"},
        {"--title", CLI_TEXT, &options.title, "TEXT", "text above the chart (default: none)"},
        {"--y-label", CLI_TEXT, &options.y_label, "TEXT",
         "text at the vertical axis (default: none)"},
        {"--size", CLI_TEXT, &options.size, "WxH", "width and height, pixels (default 960x600)"},
        {"--out", CLI_TEXT, &options.out, "FILE", "the chart, .svg, .png or .ppm (required)"},
        {"-o", CLI_TEXT, &options.out, "FILE", "the same as --out"},
        {0},
    };
    const CliUsage usage = {
        .command = "lyra plot",
        .positional = "FILE.csv",
        .description =
            "Draws columns of a CSV file as a line chart. The first line of the file names the "
            "columns;\nempty cells leave gaps.",
        .example = "lyra plot steps.csv --x time --y kinetic,elastic --out energy.svg",
        .options = table,
    };
    const char *path;
    CliExit exit;
    if (!cli_parse(&usage, argument_count, arguments, &path, NULL, &exit)) {
        return exit;
    }
    LyraPlotDef def = lyra_plot_def_default();
    if (options.size && !cli_parse_size(options.size, &def.width, &def.height)) {
        return cli_usage_error(&usage, "--size needs WxH, found \"%s\"", options.size);
    }
    if (!options.out) {
        return cli_usage_error(&usage, "--out is missing");
    }
    def.title = options.title;
    def.log_x = options.log_x;
    def.log_y = options.log_y;
    LyraContext *ctx = cli_context(1, LYRA_ISA_AUTO);
    LyraTable *csv = NULL;
    exit = CLI_BAD_INPUT;
    if (ctx && lyra_table_load(ctx, path, &csv) != LYRA_OK) {
        cli_failed();
    } else if (ctx) {
        LyraTableView view = lyra_table_view(csv);
        exit = draw(ctx, path, &view, &options, &def);
    }
    lyra_table_destroy(csv);
    lyra_context_destroy(ctx);
    return exit;
}
