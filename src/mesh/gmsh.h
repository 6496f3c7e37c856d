// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The parts of the reader of Gmsh's .msh files.

#ifndef LY_MESH_GMSH_H
#define LY_MESH_GMSH_H

#include "mesh/import.h"
#include "mesh/values.h"

/// A physical group: the name of a tag, of lines (1), faces (2) or solids (3).
typedef struct LyGmshName {
    int32_t dimension, tag;
    LySlice name;
} LyGmshName;

typedef struct LyGmshReader {
    LyImport *import;
    LyValues values;
    bool version4; ///< 4.1; otherwise 2
    LyGmshName *names;
    int64_t name_count, name_capacity;
} LyGmshReader;

/// Shape and nodes of a type of elements; 0 nodes if it is not known.
LyCellType ly_gmsh_type(int64_t type);

/// Where the name of a physical group stands; NULL if it has none.
const LyGmshName *ly_gmsh_find_name(const LyGmshReader *reader, int32_t dimension, int32_t tag);

LyraStatus ly_gmsh_fail_type(const LyGmshReader *reader, int64_t type);

/// Sections of version 2: behind their first line.
LyraStatus ly_gmsh2_nodes(LyGmshReader *reader);
LyraStatus ly_gmsh2_elements(LyGmshReader *reader);

/// Sections of version 4.1.
LyraStatus ly_gmsh4_entities(LyGmshReader *reader);
LyraStatus ly_gmsh4_nodes(LyGmshReader *reader);
LyraStatus ly_gmsh4_elements(LyGmshReader *reader);

#endif
