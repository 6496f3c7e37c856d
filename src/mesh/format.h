// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Readers and writers of volumetric meshes, one pair per format. A new format is a file with these
// functions, a value of LyraMeshFormat and a line in the table of format.c.

#ifndef LY_MESH_FORMAT_H
#define LY_MESH_FORMAT_H

#include "mesh/mesh.h"
#include "mesh/stream.h"

/// Reads `path` and what belongs to it from `source`.
typedef LyraStatus LyMeshLoad(LyraContext *ctx, const LyFileSource *source, const char *path,
                              LyraMesh **out);

typedef LyraStatus LyMeshSave(const LyraMesh *mesh, const char *path);

LyMeshLoad ly_veg_load, ly_tetgen_load, ly_vtu_load;
LyMeshSave ly_veg_save, ly_tetgen_save, ly_vtu_save;

#endif
