// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra mesh grid|strip|disc`: generated sheets, for cloth.

#include "mesh.h"

#include <math.h>
#include <string.h>

typedef struct Settings {
    LyraSheetDef def;
    const char *faces, *size, *cells;
} Settings;

static Settings default_settings(LyraSheetShape shape)
{
    Settings settings = {.def = lyra_sheet_def_default(), .faces = "alternating"};
    settings.def.shape = shape;
    return settings;
}

static bool take_faces(const CliUsage *usage, Settings *settings, CliExit *exit)
{
    static const char *const names[] = {"alternating", "same", "crossed", "quads"};
    int32_t f = 0;
    while (f < LYRA_SHEET_FACES_COUNT && strcmp(settings->faces, names[f]) != 0) {
        ++f;
    }
    if (f == LYRA_SHEET_FACES_COUNT) {
        *exit = cli_usage_error(usage,
                                "--faces is \"%s\", expected alternating, same, crossed or quads",
                                settings->faces);
        return false;
    }
    settings->def.faces = (LyraSheetFaces)f;
    return true;
}

// "A,B" as sizes and "M,N" as cells, where they are given
static bool take_pairs(const CliUsage *usage, Settings *settings, CliExit *exit)
{
    double pair[2];
    if (settings->size) {
        if (!cli_parse_numbers(settings->size, 2, pair, '\0')) {
            *exit =
                cli_usage_error(usage, "--size is \"%s\", expected LENGTH,WIDTH", settings->size);
            return false;
        }
        settings->def.length = pair[0];
        settings->def.width = pair[1];
    }
    if (settings->cells) {
        if (!cli_parse_numbers(settings->cells, 2, pair, '\0') || pair[0] != floor(pair[0]) ||
            pair[1] != floor(pair[1]) || fabs(pair[0]) > 1e6 || fabs(pair[1]) > 1e6) {
            *exit = cli_usage_error(usage, "--cells is \"%s\", expected two whole numbers NX,NZ",
                                    settings->cells);
            return false;
        }
        settings->def.cells[0] = (int32_t)pair[0];
        settings->def.cells[1] = (int32_t)pair[1];
    }
    return true;
}

static CliExit generate(const CliUsage *usage, Settings *settings, int argument_count,
                        char **arguments)
{
    const char *path;
    CliExit exit;
    if (!cli_parse(usage, argument_count, arguments, &path, NULL, &exit) ||
        !take_faces(usage, settings, &exit) || !take_pairs(usage, settings, &exit)) {
        return exit;
    }
    LyraContext *ctx = cli_context(1, LYRA_ISA_AUTO);
    LyraSurface *surface = NULL;
    if (!ctx) {
        return CLI_BAD_INPUT;
    }
    LyraStatus status = lyra_surface_generate(ctx, &settings->def, &surface);
    if (status == LYRA_INVALID_ARGUMENT) {
        exit = cli_usage_error(usage, "%s", lyra_error_message());
    } else if (status != LYRA_OK ||
               lyra_surface_save(surface, path, LYRA_MESH_FORMAT_AUTO) != LYRA_OK) {
        exit = cli_failed();
    } else {
        LyraSurfaceView view = lyra_surface_view(surface);
        printf("%s: %d vertices, %d %s\n", path, view.vertex_count, view.face_count,
               settings->def.faces == LYRA_SHEET_QUADS ? "quads" : "triangles");
        exit = cli_finish_output();
    }
    lyra_surface_destroy(surface);
    lyra_context_destroy(ctx);
    return exit;
}

#define RECTANGLE_OPTIONS(s)                                                                       \
    {"--size", CLI_TEXT, &(s).size, "L,W",                                                         \
     "length along x and width along z, m (default "                                               \
     "1,1)"},                                                                                      \
        {"--faces", CLI_TEXT, &(s).faces, "NAME",                                                  \
         "alternating, same or crossed diagonals, or quads (default alternating)"},                \
        {"--bands", CLI_INT, &(s).def.bands, "N", "groups band1, band2, ... along x (default 1)"}, \
    {                                                                                              \
        "--center", CLI_VECTOR, (s).def.center, "X,Y,Z", "centre, m (default 0,0,0)"               \
    }

CliExit cli_mesh_grid(int argument_count, char **arguments)
{
    Settings settings = default_settings(LYRA_SHEET_GRID);
    const CliOption options[] = {
        RECTANGLE_OPTIONS(settings),
        {"--cells", CLI_TEXT, &settings.cells, "NX,NZ", "cells along x and z (default 20,20)"},
        {0},
    };
    const CliUsage usage = {
        .command = "lyra mesh grid",
        .positional = "OUT",
        .description = "Generates a rectangle across y, with texture coordinates in metres.",
        .example = "lyra mesh grid cloth.obj --size 1,1 --cells 40,40 --bands 3",
        .options = options,
    };
    return generate(&usage, &settings, argument_count, arguments);
}

CliExit cli_mesh_strip(int argument_count, char **arguments)
{
    Settings settings = default_settings(LYRA_SHEET_STRIP);
    settings.def.width = 0.1;
    const CliOption options[] = {
        RECTANGLE_OPTIONS(settings),
        {"--cells", CLI_INT, &settings.def.cells[0], "N",
         "cells along x; across as many as make them square (default 20)"},
        {0},
    };
    const CliUsage usage = {
        .command = "lyra mesh strip",
        .positional = "OUT",
        .description = "Generates a strip along x of about square cells.",
        .example = "lyra mesh strip strip.obj --size 1,0.1 --cells 60 --faces crossed",
        .options = options,
    };
    return generate(&usage, &settings, argument_count, arguments);
}

CliExit cli_mesh_disc(int argument_count, char **arguments)
{
    Settings settings = default_settings(LYRA_SHEET_DISC);
    const CliOption options[] = {
        {"--radius", CLI_DOUBLE, &settings.def.radius, "R", "radius, m (default 0.5)"},
        {"--rings", CLI_INT, &settings.def.cells[0], "N", "rings of triangles (default 20)"},
        {"--center", CLI_VECTOR, settings.def.center, "X,Y,Z", "centre, m (default 0,0,0)"},
        {0},
    };
    const CliUsage usage = {
        .command = "lyra mesh disc",
        .positional = "OUT",
        .description = "Generates a disc across y, with texture coordinates in metres.",
        .example = "lyra mesh disc table.obj --radius 0.8 --rings 30",
        .options = options,
    };
    return generate(&usage, &settings, argument_count, arguments);
}
