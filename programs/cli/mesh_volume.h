// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Meshers that are programs of their own.

#ifndef LYRA_CLI_MESH_VOLUME_H
#define LYRA_CLI_MESH_VOLUME_H

#include "cli.h"

typedef enum CliMesher { CLI_MESHER_TETGEN, CLI_MESHER_GMSH, CLI_MESHER_COUNT } CliMesher;

/// The mesher that `name` names; false if there is none.
bool cli_find_mesher(const char *name, CliMesher *mesher);

/// Runs the program on a surface of triangles, for tets with edges of about `edge` m, and reads
/// what it made. Files stand in a folder of their own, which goes afterwards.
CliExit cli_run_mesher(LyraContext *ctx, CliMesher mesher, const LyraSurface *surface, double edge,
                       LyraMesh **mesh);

#endif
