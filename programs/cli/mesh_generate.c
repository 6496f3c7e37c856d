// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra mesh box|sphere|cylinder|torus`: generated bodies.

#include "mesh.h"

#include <math.h>
#include <string.h>

// what the four commands share
typedef struct Settings {
    LyraMeshShapeDef def;
    const char *type;
    int32_t elements, seed;
    double cells[3]; // whole numbers
    LyraMeshMaterial material;
} Settings;

static Settings default_settings(LyraMeshShape shape)
{
    Settings settings = {
        .def = lyra_mesh_shape_def_default(),
        .type = "tet",
        .elements = 1000,
        .seed = -1,
        .material = lyra_mesh_material_default(),
    };
    settings.def.shape = shape;
    return settings;
}

#define COMMON_OPTIONS(s)                                                                          \
    {"--elements", CLI_INT, &(s).elements, "N", "number of elements, about (default 1000)"},       \
        {"--type", CLI_TEXT, &(s).type, "NAME",                                                    \
         "element type: tet, cube, tet10 or hex (default tet)"},                                   \
        {"--center", CLI_VECTOR, (s).def.center, "X,Y,Z", "centre, m (default 0,0,0)"},            \
        {"--shuffle", CLI_COUNT, &(s).seed, "SEED",                                                \
         "put vertices and elements in random order (default: not shuffled)"},                     \
        {"--density", CLI_DOUBLE, &(s).material.density, "RHO", "density, kg/m^3 (default 1000)"}, \
        {"--young", CLI_DOUBLE, &(s).material.enu.young, "E",                                      \
         "Young's modulus, Pa (default 1e6)"},                                                     \
    {                                                                                              \
        "--poisson", CLI_DOUBLE, &(s).material.enu.poisson, "NU", "Poisson's ratio (default 0.45)" \
    }

static CliExit generate(const CliUsage *usage, Settings *settings, int argument_count,
                        char **arguments)
{
    const char *path;
    int32_t count;
    CliExit exit;
    if (!cli_parse(usage, argument_count, arguments, &path, &count, &exit)) {
        return exit;
    }
    int kind = 0;
    while (kind < LYRA_ELEMENT_KIND_COUNT &&
           strcmp(settings->type, lyra_element_kind_name((LyraElementKind)kind)) != 0) {
        ++kind;
    }
    if (kind == LYRA_ELEMENT_KIND_COUNT) {
        return cli_usage_error(usage, "--type is \"%s\", expected tet, cube, tet10 or hex",
                               settings->type);
    }
    if (settings->elements < 1) {
        return cli_usage_error(usage, "--elements is %d, expected at least 1", settings->elements);
    }
    if (settings->material.density < 0) {
        return cli_usage_error(usage, "--density is %g, expected 0 or more",
                               settings->material.density);
    }
    LyraMeshShapeDef def = settings->def;
    for (int i = 0; i < 3; ++i) {
        double cells = settings->cells[i];
        if (cells != floor(cells) || cells < 0 || cells > 1e6) {
            return cli_usage_error(usage, "--cells needs three whole numbers of at least 1");
        }
        def.cells[i] = (int32_t)cells;
    }
    def.elements = settings->elements;
    def.kind = (LyraElementKind)kind;
    def.shuffle = settings->seed >= 0;
    def.seed = def.shuffle ? (uint64_t)settings->seed : def.seed;
    def.material = &settings->material;
    LyraContext *ctx = cli_context(0, LYRA_ISA_AUTO);
    if (!ctx) {
        return CLI_BAD_INPUT;
    }
    LyraMesh *mesh = NULL;
    LyraStatus status = lyra_mesh_generate(ctx, &def, &mesh);
    if (status == LYRA_INVALID_ARGUMENT) {
        exit = cli_usage_error(usage, "%s", lyra_error_message());
    } else if (status != LYRA_OK || lyra_mesh_save(mesh, path, LYRA_MESH_FORMAT_AUTO) != LYRA_OK) {
        exit = cli_failed();
    } else {
        LyraMeshView view = lyra_mesh_view(mesh);
        printf("%s: %d vertices, %d %s\n", path, view.vertex_count, view.element_count,
               cli_elements(view.kind));
        exit = cli_finish_output();
    }
    lyra_mesh_destroy(mesh);
    lyra_context_destroy(ctx);
    return exit;
}

CliExit cli_mesh_box(int argument_count, char **arguments)
{
    Settings settings = default_settings(LYRA_MESH_SHAPE_BOX);
    const CliOption options[] = {
        COMMON_OPTIONS(settings),
        {"--size", CLI_VECTOR, settings.def.size, "X,Y,Z", "edge lengths, m (default 1,1,1)"},
        {"--cells", CLI_VECTOR, settings.cells, "NX,NY,NZ",
         "cells along the edges, instead of --elements"},
        {0},
    };
    const CliUsage usage = {
        .command = "lyra mesh box",
        .positional = "OUT",
        .description = "Generates a box.",
        .example = "lyra mesh box bar.veg --size 3,1,1 --elements 5000",
        .options = options,
    };
    return generate(&usage, &settings, argument_count, arguments);
}

CliExit cli_mesh_sphere(int argument_count, char **arguments)
{
    Settings settings = default_settings(LYRA_MESH_SHAPE_SPHERE);
    const CliOption options[] = {
        COMMON_OPTIONS(settings),
        {"--radius", CLI_DOUBLE, &settings.def.radius, "R", "radius, m (default 1)"},
        {0},
    };
    const CliUsage usage = {
        .command = "lyra mesh sphere",
        .positional = "OUT",
        .description = "Generates a ball.",
        .example = "lyra mesh sphere ball.veg --radius 0.5 --elements 20000",
        .options = options,
    };
    return generate(&usage, &settings, argument_count, arguments);
}

CliExit cli_mesh_cylinder(int argument_count, char **arguments)
{
    Settings settings = default_settings(LYRA_MESH_SHAPE_CYLINDER);
    const CliOption options[] = {
        COMMON_OPTIONS(settings),
        {"--radius", CLI_DOUBLE, &settings.def.radius, "R", "radius, m (default 1)"},
        {"--height", CLI_DOUBLE, &settings.def.height, "H", "height along z, m (default 2)"},
        {0},
    };
    const CliUsage usage = {
        .command = "lyra mesh cylinder",
        .positional = "OUT",
        .description = "Generates a cylinder along z.",
        .example = "lyra mesh cylinder rod.veg --radius 0.1 --height 2 --elements 10000",
        .options = options,
    };
    return generate(&usage, &settings, argument_count, arguments);
}

CliExit cli_mesh_torus(int argument_count, char **arguments)
{
    Settings settings = default_settings(LYRA_MESH_SHAPE_TORUS);
    const CliOption options[] = {
        COMMON_OPTIONS(settings),
        {"--radius", CLI_DOUBLE, &settings.def.radius, "R",
         "radius of the centre line, m (default 1)"},
        {"--tube", CLI_DOUBLE, &settings.def.tube_radius, "R",
         "radius of the tube, m (default 0.4)"},
        {0},
    };
    const CliUsage usage = {
        .command = "lyra mesh torus",
        .positional = "OUT",
        .description = "Generates a solid torus around z.",
        .example = "lyra mesh torus ring.veg --radius 1 --tube 0.3 --elements 30000",
        .options = options,
    };
    return generate(&usage, &settings, argument_count, arguments);
}
