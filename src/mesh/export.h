// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What writers of formats that hold solids and surfaces alike are given: vertices, cells and named
// sets of cells, made from either kind of mesh.

#ifndef LY_MESH_EXPORT_H
#define LY_MESH_EXPORT_H

#include "base/file.h"
#include "mesh/mesh.h"
#include "mesh/names.h"
#include "mesh/surface.h"

typedef struct LyExport {
    LyraContext *ctx;
    const char *path;
    LyraMeshEncoding encoding; ///< One that the format has; never AUTO.
    int64_t vertex_count, cell_count;
    const double *positions; ///< [vertex_count][3]
    const int32_t *corners;  ///< Vertices of all cells, from 0.
    int32_t nodes;           ///< Vertices of each cell of a solid; 0 for faces.
    const int32_t *begins;   ///< First corner of each face, [cell_count + 1]; NULL for a solid.
    int32_t set_count;
    const LyraMeshSet *sets; ///< Of cells.
    const LyraMesh *mesh;    ///< The solid; NULL for a surface.
    // owned, of a surface or of faces
    LyraMeshSet *groups;
    int32_t *members, *own_corners;
    LyraSurface *triangles;
} LyExport;

/// Writes one file.
typedef LyraStatus LyExportSave(const LyExport *data);

/// Lends the data of a solid.
void ly_export_mesh(LyExport *data, const LyraMesh *mesh);

/// Lends the data of a surface; its groups become sets, unless it is all in one. Where a face has
/// more than `corners_max` corners, all become triangles.
LyraStatus ly_export_surface(LyExport *data, const LyraSurface *surface, int32_t corners_max);

/// The faces of the face sets of a solid as cells, each once, with those sets; zero if there are
/// none.
LyraStatus ly_export_faces(const LyExport *solid, LyExport *faces);

/// Accepts data that is zero.
void ly_export_finish(LyExport *data);

/// Corners of a cell.
static inline int32_t ly_export_nodes(const LyExport *data, int64_t cell)
{
    return data->begins ? data->begins[cell + 1] - data->begins[cell] : data->nodes;
}

static inline const int32_t *ly_export_corners(const LyExport *data, int64_t cell)
{
    return data->corners + (data->begins ? data->begins[cell] : data->nodes * cell);
}

/// Index of the material of a cell; 0 for faces.
static inline int32_t ly_export_material(const LyExport *data, int64_t cell)
{
    return data->mesh ? data->mesh->element_materials[cell] : 0;
}

/// The group of each cell, [cell_count], from 1: the first set that holds it, 0 for none.
LyraStatus ly_export_groups(const LyExport *data, int32_t **out);

#define LY_LABEL_MAX 64

/// Writes `name` as a word of letters, digits, '_' and '-' that starts with a letter and differs
/// from those in `used` (upper and lower case alike), to which it is added.
LyraStatus ly_export_label(LyNames *used, const char *name, char label[LY_LABEL_MAX]);

#endif
