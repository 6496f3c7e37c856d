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
CliExit cli_mesh_refine(int argument_count, char **arguments);
CliExit cli_mesh_embed(int argument_count, char **arguments);
CliExit cli_mesh_box(int argument_count, char **arguments);
CliExit cli_mesh_sphere(int argument_count, char **arguments);
CliExit cli_mesh_cylinder(int argument_count, char **arguments);
CliExit cli_mesh_torus(int argument_count, char **arguments);
CliExit cli_mesh_voxelize(int argument_count, char **arguments);
CliExit cli_mesh_tetrahedralize(int argument_count, char **arguments);
CliExit cli_mesh_distance(int argument_count, char **arguments);

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

#endif
