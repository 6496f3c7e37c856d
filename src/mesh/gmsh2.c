// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Gmsh's version 2.
//
//     $Nodes                           as bytes: int, three doubles each
//     count
//     number x y z
//     $Elements                        as bytes in blocks: type, count, tags (ints),
//     count                            then number, tags, nodes (ints) each
//     number type tags tag... node...
//
// The first tag is the physical group. An element of several groups stands there several times.

#include "mesh/gmsh.h"

static LyraStatus read_count(LyGmshReader *reader, int64_t *count, const char *what)
{
    const LyValues text = {.scanner = reader->values.scanner};
    LY_TRY(ly_values_int64(&text, LY_SCALAR_INT32, 0, INT32_MAX - 1, count, what));
    ly_scanner_next_line(reader->values.scanner);
    return LYRA_OK;
}

LyraStatus ly_gmsh2_nodes(LyGmshReader *reader)
{
    const LyValues *values = &reader->values;
    int64_t count;
    double *x;
    int32_t *numbers;
    LY_TRY(read_count(reader, &count, "the number of nodes"));
    LY_TRY(ly_values_fit(values, LY_SCALAR_INT32, (values->binary ? 7 : 4) * count, "nodes"));
    LY_TRY(ly_import_vertices(reader->import, count, &x, &numbers));
    for (int64_t v = 0; v < count; ++v) {
        LY_TRY(ly_values_int32(values, LY_SCALAR_INT32, 1, &numbers[v], "the number of a node"));
        LY_TRY(ly_values_doubles(values, LY_SCALAR_FLOAT64, 3, x + 3 * v, "a coordinate"));
    }
    return LYRA_OK;
}

/// Reads tags and nodes of one element behind its number, type and number of tags.
static LyraStatus read_element(LyGmshReader *reader, LyCellType type, int32_t tag_count)
{
    LyImport *import = reader->import;
    const LyValues *values = &reader->values;
    int32_t tag = 0, nodes = ly_cell_nodes(type.shape), *corners;
    if (tag_count > 0) {
        LY_TRY(ly_values_int32(values, LY_SCALAR_INT32, 1, &tag, "a tag"));
        LY_TRY(ly_values_skip(values, LY_SCALAR_INT32, tag_count - 1, "tags"));
    }
    if (type.shape == LY_CELL_NONE) {
        int32_t numbers[LY_GMSH_LINE_NODES];
        import->passed += 1;
        LY_TRY(
            ly_values_int32(values, LY_SCALAR_INT32, type.nodes, numbers, "a node of an element"));
        // the group 0 is none
        return tag == 0 ? LYRA_OK
                        : ly_gmsh_add_points(reader, type.nodes > 1, tag, type.nodes, numbers);
    }
    LY_TRY(ly_import_cells(import, type.shape, tag, 1, &corners));
    LY_TRY(ly_values_int32(values, LY_SCALAR_INT32, nodes, corners, "a node of an element"));
    import->quadratic[ly_cell_is_solid(type.shape)] |= type.nodes > nodes;
    ly_gmsh_order(type.shape, corners);
    return type.nodes > nodes
               ? ly_values_skip(values, LY_SCALAR_INT32, type.nodes - nodes, "an element")
               : LYRA_OK;
}

LyraStatus ly_gmsh2_elements(LyGmshReader *reader)
{
    const LyValues *values = &reader->values;
    int64_t count;
    LY_TRY(read_count(reader, &count, "the number of elements"));
    LY_TRY(ly_values_fit(values, LY_SCALAR_INT32, (values->binary ? 1 : 4) * count, "elements"));
    for (int64_t e = 0; e < count;) {
        // number, type, tags; or of a block: type, count, tags
        int32_t head[3], number;
        int64_t block = 1;
        LY_TRY(ly_values_int32(values, LY_SCALAR_INT32, 3, head, "an element"));
        int32_t type_number = values->binary ? head[0] : head[1], tag_count = head[2];
        LyCellType type = ly_gmsh_type(type_number);
        if (type.nodes == 0) {
            return ly_gmsh_fail_type(reader, type_number);
        }
        if (values->binary) {
            block = head[1];
        }
        if (block < 1 || block > count - e || tag_count < 0 || tag_count > 1000000) {
            return ly_scanner_complain(values->scanner, values->scanner->at, LYRA_BAD_FORMAT,
                                       "found a block of %lld elements with %d tags, expected 1 to "
                                       "%lld with some",
                                       (long long)block, tag_count, (long long)(count - e));
        }
        for (int64_t i = 0; i < block; ++i) {
            if (values->binary) {
                LY_TRY(ly_values_int32(values, LY_SCALAR_INT32, 1, &number, "an element"));
            }
            LY_TRY(read_element(reader, type, tag_count));
        }
        e += block;
    }
    return LYRA_OK;
}
