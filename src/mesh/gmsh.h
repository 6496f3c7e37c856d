// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The parts of the reader of Gmsh's .msh files.

#ifndef LY_MESH_GMSH_H
#define LY_MESH_GMSH_H

#include "mesh/import.h"
#include "mesh/values.h"

/// A physical group: the name of a tag, of points (0), lines (1), faces (2) or solids (3).
typedef struct LyGmshName {
    int32_t dimension, tag;
    LySlice name;
} LyGmshName;

/// Points or lines of one dimension and tag that belong to a set of vertices.
typedef struct LyGmshGroup {
    uint64_t key; // dimension and tag
    int32_t name; // id in group_names
} LyGmshGroup;

typedef struct LyGmshReader {
    LyImport *import;
    LyValues values;
    bool version4; ///< 4.1; otherwise 2
    LyGmshName *names;
    int64_t name_count, name_capacity;
    int32_t *points;      // numbers of the nodes of points and lines
    uint64_t *point_keys; // dimension and tag of each
    LyGmshGroup *groups;
    LyNames group_names;
    int64_t point_count, point_capacity, group_count, group_capacity;
} LyGmshReader;

/// Most nodes of a line.
#define LY_GMSH_LINE_NODES 6

/// Shape and nodes of a type of elements; 0 nodes if it is not known.
LyCellType ly_gmsh_type(int64_t type);

/// Between the order of a cell in a file and ours: the last two middles of a tet change places.
static inline void ly_gmsh_order(LyCellShape shape, int32_t *corners)
{
    if (shape == LY_CELL_TET10) {
        int32_t last = corners[9];
        corners[9] = corners[8];
        corners[8] = last;
    }
}

/// Where the name of a physical group stands; NULL if it has none.
const LyGmshName *ly_gmsh_find_name(const LyGmshReader *reader, int32_t dimension, int32_t tag);

LyraStatus ly_gmsh_fail_type(const LyGmshReader *reader, int64_t type);

/// Notes the nodes of points (0) or lines (1) with a tag.
LyraStatus ly_gmsh_add_points(LyGmshReader *reader, int32_t dimension, int32_t tag, int64_t count,
                              const int32_t *numbers);

/// Points or lines with a tag belong to the set of vertices `name`.
LyraStatus ly_gmsh_add_group(LyGmshReader *reader, int32_t dimension, int32_t tag, LySlice name);

/// Makes the sets of vertices.
LyraStatus ly_gmsh_finish_points(LyGmshReader *reader);
void ly_gmsh_release_points(LyGmshReader *reader);

/// Sections of version 2: behind their first line.
LyraStatus ly_gmsh2_nodes(LyGmshReader *reader);
LyraStatus ly_gmsh2_elements(LyGmshReader *reader);

/// Sections of version 4.1.
LyraStatus ly_gmsh4_entities(LyGmshReader *reader);
LyraStatus ly_gmsh4_nodes(LyGmshReader *reader);
LyraStatus ly_gmsh4_elements(LyGmshReader *reader);

#endif
