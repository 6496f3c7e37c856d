// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Materials of surfaces while a file is read, and MTL files.

#ifndef LY_MESH_MTL_H
#define LY_MESH_MTL_H

#include "base/file.h"
#include "base/scanner.h"
#include "mesh/names.h"
#include "mesh/surface.h"

/// Materials by name. Zero-initialise and set names.ctx.
typedef struct LyMaterials {
    LyNames names;
    LyraSurfaceMaterial *list; // [names.count], maps owned, names not filled in
    bool *defined;             // whether a library has it
    int32_t capacity;
} LyMaterials;

/// Id of the material of that name, which is added with the defaults if it is new.
LyraStatus ly_materials_add(LyMaterials *materials, LySlice name, int32_t *id);

/// Points the names of the list to those of the table, and returns the list.
const LyraSurfaceMaterial *ly_materials_list(LyMaterials *materials);

void ly_materials_release(LyMaterials *materials);

/// Reads MTL text with a zero byte at text[length] and adds what it defines; materials that are
/// defined already stay as they are. `path` is for messages. On failure what was read so far stays.
LyraStatus ly_mtl_parse(const char *path, const char *text, size_t length, LyMaterials *materials);

/// Writes the materials of a surface to an open file.
void ly_mtl_write(const LyraSurface *surface, LyWriter *writer);

#endif
