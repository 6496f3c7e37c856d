// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// --scale and --units: files whose lengths are not metres.

#include "mesh.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    double metres;
} units[] = {
    {"m", 1},     {"dm", 1e-1}, {"cm", 1e-2},   {"mm", 1e-3},   {"um", 1e-6},
    {"nm", 1e-9}, {"km", 1e3},  {"in", 0.0254}, {"ft", 0.3048},
};

static bool make_ready(const CliUsage *usage, CliScale *scale, CliExit *exit)
{
    double metres = scale->units ? 0 : 1;
    for (size_t i = 0; scale->units && i < sizeof units / sizeof units[0]; ++i) {
        metres = strcmp(scale->units, units[i].name) == 0 ? units[i].metres : metres;
    }
    if (metres == 0) {
        *exit = cli_usage_error(
            usage, "--units is \"%s\", expected m, dm, cm, mm, um, nm, km, in or ft", scale->units);
        return false;
    }
    if (!(scale->factor > 0)) {
        *exit = cli_usage_error(usage, "--scale is %g, expected above 0", scale->factor);
        return false;
    }
    scale->factor *= metres;
    return true;
}

bool cli_parse_scaled(const CliUsage *usage, CliScale *scale, int argument_count, char **arguments,
                      const char **paths, CliExit *exit)
{
    return cli_parse(usage, argument_count, arguments, paths, NULL, exit) &&
           make_ready(usage, scale, exit);
}

LyraStatus cli_scale_mesh(const CliScale *scale, LyraMesh **mesh)
{
    const double zero[3] = {0}, s = scale->factor, matrix[9] = {s, 0, 0, 0, s, 0, 0, 0, s};
    LyraMesh *scaled = NULL;
    if (s == 1) {
        return LYRA_OK;
    }
    LyraStatus status = lyra_mesh_transform(*mesh, matrix, zero, &scaled);
    if (status == LYRA_OK) {
        lyra_mesh_destroy(*mesh);
        *mesh = scaled;
    }
    return status;
}

LyraStatus cli_scale_surface(LyraContext *ctx, const CliScale *scale, LyraSurface **surface)
{
    LyraSurfaceView view = lyra_surface_view(*surface);
    LyraSurface *scaled = NULL;
    if (scale->factor == 1) {
        return LYRA_OK;
    }
    double *positions = cli_allocate(3 * (size_t)view.vertex_count * sizeof *positions);
    for (size_t i = 0; i < 3 * (size_t)view.vertex_count; ++i) {
        positions[i] = scale->factor * view.positions[i];
    }
    view.positions = positions;
    LyraStatus status = lyra_surface_create(ctx, &view, &scaled);
    free(positions);
    if (status == LYRA_OK) {
        lyra_surface_destroy(*surface);
        *surface = scaled;
    }
    return status;
}

LyraMesh *cli_load_scaled_mesh(LyraContext *ctx, const char *path, const CliScale *scale)
{
    LyraMesh *mesh = cli_load_mesh(ctx, path);
    if (mesh && cli_scale_mesh(scale, &mesh) != LYRA_OK) {
        cli_failed();
        lyra_mesh_destroy(mesh);
        mesh = NULL;
    }
    return mesh;
}

LyraStatus cli_load_scaled_surface(LyraContext *ctx, const char *path, const CliScale *scale,
                                   LyraSurface **out)
{
    LyraSurface *surface = NULL;
    LyraStatus status = lyra_surface_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &surface);
    if (status == LYRA_OK) {
        status = cli_scale_surface(ctx, scale, &surface);
    }
    if (status == LYRA_OK) {
        *out = surface;
    } else {
        lyra_surface_destroy(surface);
    }
    return status;
}

LyraStatus cli_load_scaled(LyraContext *ctx, const char *path, const CliScale *scale,
                           LyraMesh **mesh, LyraSurface **surface)
{
    LyraStatus status = lyra_mesh_or_surface_load(ctx, path, mesh, surface);
    if (status == LYRA_OK) {
        status = *mesh ? cli_scale_mesh(scale, mesh) : cli_scale_surface(ctx, scale, surface);
    }
    return status;
}
