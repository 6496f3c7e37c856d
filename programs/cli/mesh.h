// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The parts of `lyra mesh`.

#ifndef LYRA_CLI_MESH_H
#define LYRA_CLI_MESH_H

#include "cli.h"

CliExit cli_mesh_info(int argument_count, char **arguments);
CliExit cli_mesh_convert(int argument_count, char **arguments);
CliExit cli_mesh_surface(int argument_count, char **arguments);
CliExit cli_mesh_orient(int argument_count, char **arguments);
CliExit cli_mesh_quadratic(int argument_count, char **arguments);
CliExit cli_mesh_linear(int argument_count, char **arguments);
CliExit cli_mesh_refine(int argument_count, char **arguments);
CliExit cli_mesh_embed(int argument_count, char **arguments);
CliExit cli_mesh_box(int argument_count, char **arguments);
CliExit cli_mesh_sphere(int argument_count, char **arguments);
CliExit cli_mesh_cylinder(int argument_count, char **arguments);
CliExit cli_mesh_torus(int argument_count, char **arguments);
CliExit cli_mesh_grid(int argument_count, char **arguments);
CliExit cli_mesh_strip(int argument_count, char **arguments);
CliExit cli_mesh_disc(int argument_count, char **arguments);
CliExit cli_mesh_rope(int argument_count, char **arguments);
CliExit cli_mesh_helix(int argument_count, char **arguments);
CliExit cli_mesh_curve(int argument_count, char **arguments);
CliExit cli_mesh_voxelize(int argument_count, char **arguments);
CliExit cli_mesh_tetrahedralize(int argument_count, char **arguments);
CliExit cli_mesh_distance(int argument_count, char **arguments);
CliExit cli_mesh_intersections(int argument_count, char **arguments);

/// "tets", "cubes", "tets of 10 nodes" or "hexahedra".
const char *cli_elements(LyraElementKind kind);

/// Whether a path names a surface file, by its extension.
bool cli_is_surface_path(const char *path);

/// The boundary of a mesh as a surface, its quads cut in two if `triangles`; vertices off the
/// boundary are dropped unless `keep`.
LyraStatus cli_boundary_surface(LyraContext *ctx, const LyraMesh *mesh, bool triangles, bool keep,
                                LyraSurface **out);

/// Writes a page about the quality of a mesh, which it calls `name`.
CliExit cli_mesh_write_html(const LyraMesh *mesh, const char *name, const char *path);

/// Reads a mesh; NULL after printing the reason.
LyraMesh *cli_load_mesh(LyraContext *ctx, const char *path);

// ---- files whose lengths are not metres ---------------------------------------------------------

/// What the lengths of a file are multiplied by.
typedef struct CliScale {
    double factor;     ///< Of --scale; with that of the units after cli_parse_scaled.
    const char *units; ///< Of --units; NULL: metres.
} CliScale;

#define CLI_SCALE_DEFAULT ((CliScale){.factor = 1})

#define CLI_SCALE_OPTIONS(s)                                                                       \
    {"--units", CLI_TEXT, &(s).units, "NAME",                                                      \
     "unit of lengths in the file read: m, dm, cm, mm, um, nm, km, in, ft (default m)"},           \
    {                                                                                              \
        "--scale", CLI_DOUBLE, &(s).factor, "X", "factor on lengths, besides --units (default 1)"  \
    }

/// As cli_parse() of a command that has CLI_SCALE_OPTIONS.
bool cli_parse_scaled(const CliUsage *usage, CliScale *scale, int argument_count, char **arguments,
                      const char **paths, CliExit *exit);

/// Scale what was read, which is replaced.
LyraStatus cli_scale_mesh(const CliScale *scale, LyraMesh **mesh);
LyraStatus cli_scale_surface(LyraContext *ctx, const CliScale *scale, LyraSurface **surface);

/// As cli_load_mesh, lyra_surface_load and lyra_mesh_or_surface_load, scaled. What the last reads
/// is the caller's even where scaling fails.
LyraMesh *cli_load_scaled_mesh(LyraContext *ctx, const char *path, const CliScale *scale);
LyraStatus cli_load_scaled_surface(LyraContext *ctx, const char *path, const CliScale *scale,
                                   LyraSurface **out);
LyraStatus cli_load_scaled(LyraContext *ctx, const char *path, const CliScale *scale,
                           LyraMesh **mesh, LyraSurface **surface);

#endif
