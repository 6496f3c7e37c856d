// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra mesh rope|helix|curve`: generated lines, for rods.

#include "mesh.h"

#include "lyra/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Settings {
    LyraLineDef def;
    double radius; // of the line itself, NaN: not said
    const char *points;
} Settings;

static Settings default_settings(LyraLineShape shape)
{
    Settings settings = {.def = lyra_line_def_default(), .radius = NAN};
    settings.def.shape = shape;
    return settings;
}

// "x,y,z;x,y,z;..." to free()
static bool take_points(const CliUsage *usage, Settings *settings, LyraLinePoint **out,
                        CliExit *exit)
{
    if (settings->def.shape != LYRA_LINE_CURVE) {
        return true;
    }
    int32_t count = 1;
    for (const char *c = settings->points ? settings->points : ""; *c; ++c) {
        count += *c == ';';
    }
    LyraLinePoint *points = cli_allocate((size_t)count * sizeof *points);
    const char *at = settings->points ? settings->points : "";
    *out = points;
    for (int32_t p = 0; p < count; ++p) {
        size_t length = strcspn(at, ";");
        char *text = cli_allocate(length + 1);
        memcpy(text, at, length);
        text[length] = '\0';
        bool good = cli_parse_numbers(text, 3, points[p].at, '\0');
        free(text);
        if (!good) {
            *exit = cli_usage_error(usage,
                                    "--points is \"%s\", expected X,Y,Z of each point and ; "
                                    "between points",
                                    settings->points ? settings->points : "");
            return false;
        }
        at += length + (at[length] == ';');
    }
    settings->def.points = points;
    settings->def.point_count = count;
    return true;
}

// a copy with a radius on all edges, where one is said
static LyraStatus set_radius(LyraContext *ctx, double radius, LyraLines **lines)
{
    LyraLinesView view = lyra_lines_view(*lines);
    LyraLines *made = NULL;
    if (isnan(radius)) {
        return LYRA_OK;
    }
    double *radii = cli_allocate((size_t)view.edge_count * sizeof *radii);
    for (int32_t e = 0; e < view.edge_count; ++e) {
        radii[e] = radius;
    }
    view.radii = radii;
    LyraStatus status = lyra_lines_create(ctx, &view, &made);
    free(radii);
    if (status == LYRA_OK) {
        lyra_lines_destroy(*lines);
        *lines = made;
    }
    return status;
}

static CliExit generate(const CliUsage *usage, Settings *settings, int argument_count,
                        char **arguments)
{
    const char *path;
    LyraLinePoint *points = NULL;
    CliExit exit;
    if (!cli_parse(usage, argument_count, arguments, &path, NULL, &exit) ||
        !take_points(usage, settings, &points, &exit)) {
        free(points);
        return exit;
    }
    LyraContext *ctx = cli_context(1, LYRA_ISA_AUTO);
    LyraLines *lines = NULL;
    if (!ctx) {
        free(points);
        return CLI_BAD_INPUT;
    }
    LyraStatus status = lyra_lines_generate(ctx, &settings->def, &lines);
    status = status == LYRA_OK ? set_radius(ctx, settings->radius, &lines) : status;
    if (status == LYRA_INVALID_ARGUMENT) {
        exit = cli_usage_error(usage, "%s", lyra_error_message());
    } else if (status != LYRA_OK || lyra_lines_save(lines, path) != LYRA_OK) {
        exit = cli_failed();
    } else {
        LyraLinesView view = lyra_lines_view(lines);
        printf("%s: %d vertices, %d edges\n", path, view.vertex_count, view.edge_count);
        exit = cli_finish_output();
    }
    lyra_lines_destroy(lines);
    lyra_context_destroy(ctx);
    free(points);
    return exit;
}

#define LINE_OPTIONS(s)                                                                            \
    {"--edges", CLI_INT, &(s).def.edges, "N", "how many (default 50)"},                            \
    {                                                                                              \
        "--rod-radius", CLI_DOUBLE, &(s).radius, "R",                                              \
            "radius of the rod, m, written to .vtk (default: none)"                                \
    }

CliExit cli_mesh_rope(int argument_count, char **arguments)
{
    Settings settings = default_settings(LYRA_LINE_ROPE);
    const CliOption options[] = {
        LINE_OPTIONS(settings),
        {"--from", CLI_VECTOR, settings.def.from, "X,Y,Z", "begin, m (default 0,0,0)"},
        {"--to", CLI_VECTOR, settings.def.to, "X,Y,Z", "end, m (default 1,0,0)"},
        {0},
    };
    const CliUsage usage = {
        .command = "lyra mesh rope",
        .positional = "OUT",
        .description = "Generates a straight line of edges, as .obj or .vtk.",
        .example = "lyra mesh rope rope.obj --to 2,0,0 --edges 100",
        .options = options,
    };
    return generate(&usage, &settings, argument_count, arguments);
}

CliExit cli_mesh_helix(int argument_count, char **arguments)
{
    Settings settings = default_settings(LYRA_LINE_HELIX);
    const CliOption options[] = {
        LINE_OPTIONS(settings),
        {"--radius", CLI_DOUBLE, &settings.def.radius, "R", "of the helix, m (default 0.1)"},
        {"--pitch", CLI_DOUBLE, &settings.def.pitch, "P", "height of a turn, m (default 0.05)"},
        {"--turns", CLI_DOUBLE, &settings.def.turns, "N", "how many (default 5)"},
        {"--center", CLI_VECTOR, settings.def.center, "X,Y,Z",
         "begin of the axis, which goes along z, m (default 0,0,0)"},
        {0},
    };
    const CliUsage usage = {
        .command = "lyra mesh helix",
        .positional = "OUT",
        .description = "Generates a helix; with --pitch 0 --turns 1 a closed ring.",
        .example = "lyra mesh helix spring.obj --radius 0.02 --pitch 0.01 --turns 10 --edges 400",
        .options = options,
    };
    return generate(&usage, &settings, argument_count, arguments);
}

CliExit cli_mesh_curve(int argument_count, char **arguments)
{
    Settings settings = default_settings(LYRA_LINE_CURVE);
    const CliOption options[] = {
        LINE_OPTIONS(settings),
        {"--points", CLI_TEXT, &settings.points, "P;P;...", "points X,Y,Z that it goes through, m"},
        {"--closed", CLI_FLAG, &settings.def.closed, NULL, "goes back to the first point"},
        {0},
    };
    const CliUsage usage = {
        .command = "lyra mesh curve",
        .positional = "OUT",
        .description = "Generates a smooth curve through points, of about equal edges.",
        .example = "lyra mesh curve arc.obj --points \"0,0,0;1,0.5,0;2,0,0\" --edges 80",
        .options = options,
    };
    return generate(&usage, &settings, argument_count, arguments);
}
