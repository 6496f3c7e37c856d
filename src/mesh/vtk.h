// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What VTK's two formats share: the types of cells.

#ifndef LY_MESH_VTK_H
#define LY_MESH_VTK_H

#include "mesh/export.h"
#include "mesh/import.h"

/// Second line of the legacy files that Lyra writes.
#define LY_VTK_TITLE "Mesh by Lyra"

/// VTK's numbers of cell types.
enum {
    LY_VTK_LINE = 3,
    LY_VTK_TRIANGLE = 5,
    LY_VTK_POLYGON = 7,
    LY_VTK_QUAD = 9,
    LY_VTK_TETRA = 10,
    LY_VTK_HEXAHEDRON = 12,
    LY_VTK_QUADRATIC_TETRA = 24,
};

/// Adds the cells of types `types` [count], whose vertices stand from offsets[c] to in front of
/// offsets[c + 1]. Points, lines and the like are passed over; others that are not known fail with
/// LYRA_UNSUPPORTED. `cells`: which cell of the import each becomes, -1 for those passed over,
/// [count].
LyraStatus ly_vtk_add_cells(LyImport *import, int64_t count, const int32_t *types,
                            const int64_t *offsets, const int32_t *vertices, int32_t *cells);

/// Type of a cell that is written.
int32_t ly_vtk_type(const LyExport *data, int64_t cell);

#endif
