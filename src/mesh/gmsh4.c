// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Gmsh's version 4.1. Numbers marked * are 8 bytes long in files of bytes, the others 4, and
// coordinates doubles.
//
//     $Entities   points* curves* surfaces* volumes*
//                 point: tag x y z groups* group...
//                 other: tag box (6) groups* group... bounds* bound...
//     $Nodes      blocks* nodes* lowest* highest*
//                 block: dimension entity parametric nodes*, then number* ..., then x y z [u [v
//                 [w]]]
//     $Elements   blocks* elements* lowest* highest*
//                 block: dimension entity type elements*, then number* node* ...
//
// The tag of a cell is that of its entity, and names the sets of the entity's physical groups.

#include "mesh/gmsh.h"

#include <stdio.h>

static LyraStatus read_size(const LyGmshReader *reader, int64_t *value, const char *what)
{
    return ly_values_int64(&reader->values, LY_SCALAR_UINT64, 0, INT32_MAX - 1, value, what);
}

static LyraStatus read_int(const LyGmshReader *reader, int32_t *value, const char *what)
{
    return ly_values_int32(&reader->values, LY_SCALAR_INT32, 1, value, what);
}

// ---- entities -----------------------------------------------------------------------------------

static LyraStatus read_entity(LyGmshReader *reader, int32_t dimension)
{
    const LyValues *values = &reader->values;
    int32_t tag, group;
    int64_t count;
    LY_TRY(read_int(reader, &tag, "an entity"));
    LY_TRY(ly_values_skip(values, LY_SCALAR_FLOAT64, dimension == 0 ? 3 : 6, "a box"));
    LY_TRY(read_size(reader, &count, "the number of groups"));
    LY_TRY(ly_values_fit(values, LY_SCALAR_INT32, count, "groups"));
    for (int64_t g = 0; g < count; ++g) {
        LY_TRY(read_int(reader, &group, "a group"));
        // the sign is that of the orientation
        group = group < 0 && group != INT32_MIN ? -group : group;
        const LyGmshName *name = ly_gmsh_find_name(reader, dimension, group);
        char buffer[32];
        int length = snprintf(buffer, sizeof buffer, "physical_%d", group);
        LySlice text = name ? name->name : (LySlice){buffer, (size_t)length};
        LY_TRY(dimension >= 2 ? ly_import_tag_set(reader->import, dimension == 3, tag, text)
                              : ly_gmsh_add_group(reader, dimension, tag, text));
    }
    if (dimension > 0) {
        LY_TRY(read_size(reader, &count, "the number of bounds"));
        LY_TRY(ly_values_skip(values, LY_SCALAR_INT32, count, "bounds"));
    }
    return LYRA_OK;
}

LyraStatus ly_gmsh4_entities(LyGmshReader *reader)
{
    int64_t counts[4];
    for (int32_t d = 0; d < 4; ++d) {
        LY_TRY(read_size(reader, &counts[d], "the number of entities"));
    }
    for (int32_t d = 0; d < 4; ++d) {
        for (int64_t i = 0; i < counts[d]; ++i) {
            LY_TRY(read_entity(reader, d));
        }
    }
    return LYRA_OK;
}

// ---- nodes --------------------------------------------------------------------------------------

/// Reads what stands in front of the blocks; the number of blocks.
static LyraStatus read_totals(LyGmshReader *reader, int64_t *blocks)
{
    int64_t total;
    LY_TRY(read_size(reader, blocks, "the number of blocks"));
    LY_TRY(read_size(reader, &total, "the number of nodes or elements"));
    return ly_values_skip(&reader->values, LY_SCALAR_UINT64, 2, "the range of numbers");
}

LyraStatus ly_gmsh4_nodes(LyGmshReader *reader)
{
    const LyValues *values = &reader->values;
    int64_t blocks, count;
    LY_TRY(read_totals(reader, &blocks));
    for (int64_t b = 0; b < blocks; ++b) {
        int32_t dimension, tag, parametric, *numbers;
        double *x;
        LY_TRY(read_int(reader, &dimension, "a dimension"));
        LY_TRY(read_int(reader, &tag, "an entity"));
        LY_TRY(read_int(reader, &parametric, "0 or 1"));
        LY_TRY(read_size(reader, &count, "the number of nodes"));
        LY_TRY(ly_values_fit(values, LY_SCALAR_UINT64, 4 * count, "nodes"));
        LY_TRY(ly_import_vertices(reader->import, count, &x, &numbers));
        LY_TRY(ly_values_int32(values, LY_SCALAR_INT64, count, numbers, "the number of a node"));
        int32_t extra = parametric && dimension >= 1 && dimension <= 3 ? dimension : 0;
        if (extra == 0) {
            LY_TRY(ly_values_doubles(values, LY_SCALAR_FLOAT64, 3 * count, x, "a coordinate"));
        }
        for (int64_t v = 0; v < count && extra > 0; ++v) {
            LY_TRY(ly_values_doubles(values, LY_SCALAR_FLOAT64, 3, x + 3 * v, "a coordinate"));
            LY_TRY(ly_values_skip(values, LY_SCALAR_FLOAT64, extra, "a coordinate"));
        }
    }
    return LYRA_OK;
}

// ---- elements -----------------------------------------------------------------------------------

/// Reads the elements of a block.
static LyraStatus read_block(LyGmshReader *reader, LyCellType type, int32_t entity, int64_t count)
{
    const LyValues *values = &reader->values;
    LyImport *import = reader->import;
    int32_t nodes = ly_cell_nodes(type.shape), *corners, row[1 + 10];
    import->quadratic[ly_cell_is_solid(type.shape)] |= type.nodes > nodes && count > 0;
    LY_TRY(ly_values_fit(values, LY_SCALAR_UINT64, (type.nodes + 1) * count, "elements"));
    LY_TRY(ly_import_cells(import, type.shape, entity, count, &corners));
    for (int64_t e = 0; e < count; ++e, corners += nodes) {
        LY_TRY(ly_values_int32(values, LY_SCALAR_INT64, 1 + nodes, row, "an element"));
        for (int32_t a = 0; a < nodes; ++a) {
            corners[a] = row[1 + a];
        }
        ly_gmsh_order(type.shape, corners);
        if (type.nodes > nodes) {
            LY_TRY(ly_values_skip(values, LY_SCALAR_UINT64, type.nodes - nodes, "an element"));
        }
    }
    return LYRA_OK;
}

/// Reads the points or lines of a block.
static LyraStatus read_points(LyGmshReader *reader, LyCellType type, int32_t entity, int64_t count)
{
    const LyValues *values = &reader->values;
    int32_t row[1 + LY_GMSH_LINE_NODES];
    reader->import->passed += count;
    LY_TRY(ly_values_fit(values, LY_SCALAR_UINT64, (type.nodes + 1) * count, "elements"));
    for (int64_t e = 0; e < count; ++e) {
        LY_TRY(ly_values_int32(values, LY_SCALAR_INT64, 1 + type.nodes, row, "an element"));
        LY_TRY(ly_gmsh_add_points(reader, type.nodes > 1, entity, type.nodes, row + 1));
    }
    return LYRA_OK;
}

LyraStatus ly_gmsh4_elements(LyGmshReader *reader)
{
    int64_t blocks, count;
    LY_TRY(read_totals(reader, &blocks));
    for (int64_t b = 0; b < blocks; ++b) {
        int32_t dimension, entity, type_number;
        LY_TRY(read_int(reader, &dimension, "a dimension"));
        LY_TRY(read_int(reader, &entity, "an entity"));
        LY_TRY(read_int(reader, &type_number, "a type of elements"));
        LY_TRY(read_size(reader, &count, "the number of elements"));
        LyCellType type = ly_gmsh_type(type_number);
        if (type.nodes == 0) {
            return ly_gmsh_fail_type(reader, type_number);
        }
        LY_TRY(type.shape == LY_CELL_NONE ? read_points(reader, type, entity, count)
                                          : read_block(reader, type, entity, count));
    }
    return LYRA_OK;
}
