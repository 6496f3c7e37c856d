// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/vtk.h"

#include <string.h>

/// Shapes of VTK's types; nodes 0 for any number, and -1 for types that are not read.
static LyCellType cell_type(int64_t type)
{
    static const LyCellType types[] = {
        [0] = {LY_CELL_NONE, 0}, // empty
        [1] = {LY_CELL_NONE, 0}, // points and lines
        [2] = {LY_CELL_NONE, 0},      [3] = {LY_CELL_NONE, 0},
        [4] = {LY_CELL_NONE, 0},      [5] = {LY_CELL_TRIANGLE, 3},
        [6] = {LY_CELL_NONE, -1},                              // strips
        [7] = {LY_CELL_POLYGON, 0},   [8] = {LY_CELL_QUAD, 4}, // pixel
        [9] = {LY_CELL_QUAD, 4},      [10] = {LY_CELL_TET, 4},
        [11] = {LY_CELL_HEX, 8}, // voxel
        [12] = {LY_CELL_HEX, 8},      [13] = {LY_CELL_PRISM, 6},
        [14] = {LY_CELL_PYRAMID, 5},  [15] = {LY_CELL_NONE, -1},
        [16] = {LY_CELL_NONE, -1},    [17] = {LY_CELL_NONE, -1},
        [18] = {LY_CELL_NONE, -1},    [19] = {LY_CELL_NONE, -1},
        [20] = {LY_CELL_NONE, -1},    [21] = {LY_CELL_NONE, 0}, // quadratic lines
        [22] = {LY_CELL_TRIANGLE, 6}, [23] = {LY_CELL_QUAD, 8},
        [24] = {LY_CELL_TET10, 10},   [25] = {LY_CELL_HEX, 20},
        [26] = {LY_CELL_PRISM, 15},   [27] = {LY_CELL_PYRAMID, 13},
        [28] = {LY_CELL_QUAD, 9},     [29] = {LY_CELL_HEX, 27},
        [30] = {LY_CELL_QUAD, 6},     [31] = {LY_CELL_PRISM, 12},
        [32] = {LY_CELL_PRISM, 18},   [33] = {LY_CELL_HEX, 24},
        [34] = {LY_CELL_TRIANGLE, 7}, [35] = {LY_CELL_NONE, 0}, // cubic lines
        [36] = {LY_CELL_NONE, -1},    [37] = {LY_CELL_PYRAMID, 19},
    };
    // Lagrange cells of any order; their corners come first as well, and the middles of order 2
    switch (type) {
    case 68:
    case 75:
        return (LyCellType){LY_CELL_NONE, 0};
    case 69:
    case 76:
        return (LyCellType){LY_CELL_TRIANGLE, 0};
    case 70:
    case 77:
        return (LyCellType){LY_CELL_QUAD, 0};
    case 71:
    case 78:
        return (LyCellType){LY_CELL_TET, 0};
    case 72:
    case 79:
        return (LyCellType){LY_CELL_HEX, 0};
    case 73:
    case 80:
        return (LyCellType){LY_CELL_PRISM, 0};
    case 74:
    case 81:
        return (LyCellType){LY_CELL_PYRAMID, 0};
    default:
        return type >= 0 && type < LY_COUNT_OF(types) ? types[type]
                                                      : (LyCellType){LY_CELL_NONE, -1};
    }
}

static LyraStatus add_cell(LyImport *import, int64_t type, int64_t count, const int32_t *vertices)
{
    // rows of pixels and voxels run the same way
    static const int8_t rows[8] = {0, 1, 3, 2, 4, 5, 7, 6};
    LyCellType cell = cell_type(type);
    if (cell.shape == LY_CELL_TET && cell.nodes == 0 && count == 10) {
        cell.shape = LY_CELL_TET10;
    }
    int32_t nodes = cell.shape == LY_CELL_POLYGON ? 3 : ly_cell_nodes(cell.shape), *corners;
    if (cell.nodes < 0) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "%s: found a cell of type %lld, expected triangles, quads, polygons, tets, "
                       "pyramids, prisms or hexahedra",
                       import->path, (long long)type);
    }
    if (count < nodes || (cell.nodes > 0 && count != cell.nodes)) {
        return ly_fail(
            LYRA_BAD_FORMAT, "%s: found a cell of type %lld with %lld vertices, expected %d",
            import->path, (long long)type, (long long)count, cell.nodes > 0 ? cell.nodes : nodes);
    }
    if (cell.shape == LY_CELL_NONE) {
        import->passed += 1;
        return LYRA_OK;
    }
    if (cell.shape == LY_CELL_POLYGON) {
        LY_TRY(ly_import_polygon(import, 0, (int32_t)count, &corners));
        memcpy(corners, vertices, (size_t)count * sizeof *corners);
        return LYRA_OK;
    }
    LY_TRY(ly_import_cells(import, cell.shape, 0, 1, &corners));
    bool reordered = type == 8 || type == 11;
    for (int32_t a = 0; a < nodes; ++a) {
        corners[a] = vertices[reordered ? rows[a] : a];
    }
    import->quadratic[ly_cell_is_solid(cell.shape)] |= count > nodes;
    return LYRA_OK;
}

/// Whether all cells are tets, or all hexahedra, as they are here.
static bool is_uniform(int64_t count, const int32_t *types, const int64_t *offsets)
{
    bool uniform = count > 0 && (types[0] == LY_VTK_TETRA || types[0] == LY_VTK_HEXAHEDRON ||
                                 types[0] == LY_VTK_QUADRATIC_TETRA);
    int64_t nodes = uniform ? cell_type(types[0]).nodes : 0;
    for (int64_t c = 0; c < count && uniform; ++c) {
        uniform = types[c] == types[0] && offsets[c + 1] - offsets[c] == nodes;
    }
    return uniform;
}

LyraStatus ly_vtk_add_cells(LyImport *import, int64_t count, const int32_t *types,
                            const int64_t *offsets, const int32_t *vertices, int32_t *cells)
{
    if (is_uniform(count, types, offsets)) {
        int32_t *corners;
        LyCellType cell = cell_type(types[0]);
        LY_TRY(ly_import_cells(import, cell.shape, 0, count, &corners));
        memcpy(corners, vertices + offsets[0], (size_t)(cell.nodes * count) * sizeof *corners);
        for (int64_t c = 0; c < count; ++c) {
            cells[c] = (int32_t)(import->cell_count - count + c);
        }
        return LYRA_OK;
    }
    for (int64_t c = 0; c < count; ++c) {
        int64_t before = import->cell_count;
        LY_TRY(add_cell(import, types[c], offsets[c + 1] - offsets[c], vertices + offsets[c]));
        cells[c] = import->cell_count > before ? (int32_t)before : -1;
    }
    return LYRA_OK;
}

int32_t ly_vtk_type(const LyExport *data, int64_t cell)
{
    int32_t nodes = ly_export_nodes(data, cell);
    if (data->mesh) {
        return nodes == 4 ? LY_VTK_TETRA : nodes == 10 ? LY_VTK_QUADRATIC_TETRA : LY_VTK_HEXAHEDRON;
    }
    return nodes == 2   ? LY_VTK_LINE
           : nodes == 3 ? LY_VTK_TRIANGLE
           : nodes == 4 ? LY_VTK_QUAD
                        : LY_VTK_POLYGON;
}
