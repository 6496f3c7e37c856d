// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Readers and writers of meshes. A new format is a file with a LyImportRead and a LyExportSave, a
// value of LyraMeshFormat, and a line in the table of format.c. Those
// with more to say than cells and sets have functions of their own kind.

#ifndef LY_MESH_FORMAT_H
#define LY_MESH_FORMAT_H

#include "mesh/export.h"
#include "mesh/import.h"
#include "mesh/mesh.h"
#include "mesh/stream.h"

/// Reads `path` and what belongs to it from `source`.
typedef LyraStatus LyMeshLoad(LyraContext *ctx, const LyFileSource *source, const char *path,
                              LyraMesh **out);

typedef LyraStatus LyMeshSave(const LyraMesh *mesh, const char *path);

LyMeshLoad ly_veg_load, ly_tetgen_load;
LyMeshSave ly_veg_save, ly_tetgen_save;
LyImportRead ly_gmsh_read, ly_vtk_read, ly_inp_read, ly_medit_read, ly_stl_read, ly_ply_read;
LyImportRead ly_vtu_read;
LyExportSave ly_gmsh_save, ly_gmsh2_save, ly_vtk_save, ly_inp_save, ly_medit_save;
LyExportSave ly_stl_save, ly_ply_save, ly_vtu_save;

/// Bytes of the start of a file that ly_format_guess() looks at.
#define LY_GUESS_BYTES 4096

/// What the first bytes of a file of `size` bytes say about its format; LYRA_MESH_FORMAT_AUTO where
/// they leave it open.
LyraMeshFormat ly_format_guess(LySlice start, uint64_t size);

#endif
