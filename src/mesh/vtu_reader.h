// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The parts of the reader of .vtu.

#ifndef LY_MESH_VTU_READER_H
#define LY_MESH_VTU_READER_H

#include "mesh/import.h"
#include "mesh/vtu.h"

typedef enum LyVtuSection {
    LY_VTU_NO_SECTION,
    LY_VTU_POINTS,
    LY_VTU_CELLS,
    LY_VTU_CELL_DATA,
    LY_VTU_POINT_DATA,
    LY_VTU_FIELD_DATA
} LyVtuSection;

/// The arrays of interest.
typedef enum LyVtuArrayId {
    LY_VTU_ARRAY_POINTS,
    LY_VTU_ARRAY_CONNECTIVITY,
    LY_VTU_ARRAY_OFFSETS,
    LY_VTU_ARRAY_TYPES,
    LY_VTU_ARRAY_MATERIAL,
    LY_VTU_ARRAY_MATERIAL_NAMES,
    LY_VTU_ARRAY_MATERIAL_KINDS,
    LY_VTU_ARRAY_MATERIAL_CONSTANTS,
    LY_VTU_ARRAY_SET_NAMES,
    LY_VTU_ARRAY_SET_SIZES,
    LY_VTU_ARRAY_SET_ELEMENTS,
    LY_VTU_ARRAY_VERTEX_SET_NAMES,
    LY_VTU_ARRAY_VERTEX_SET_SIZES,
    LY_VTU_ARRAY_VERTEX_SET_VERTICES,
    LY_VTU_ARRAY_FACE_SET_NAMES,
    LY_VTU_ARRAY_FACE_SET_SIZES,
    LY_VTU_ARRAY_FACE_SET_FACES,
    LY_VTU_ARRAY_REGIONS,
    LY_VTU_ARRAY_ELEMENT_COUNT,
    LY_VTU_ARRAY_HEXAHEDRA,
    LY_VTU_ARRAY_COUNT
} LyVtuArrayId;

/// An array of whole numbers on cells or points, which may group them.
typedef struct LyVtuExtra {
    bool points;
    LyVtuArray array;
} LyVtuExtra;

typedef struct LyVtuReader {
    LyVtuFile file;
    LyImport *import;
    LyMeshBuilder *builder; // of the import; ids in its sets are those of cells
    LyVtuArray arrays[LY_VTU_ARRAY_COUNT];
    LyVtuSection section; // that the tags are in
    bool has_grid, has_piece;
    int64_t vertex_count, element_count; // points and cells
    LyVtuExtra *extras;
    LyNames extra_names;
    int64_t extra_count, extra_capacity;
    int32_t *cells; // which cell of the import each is, -1 for none, [element_count]
} LyVtuReader;

/// Reads a whole array of `count` values into a new one.
LyraStatus ly_vtu_read_doubles(const LyVtuReader *reader, LyVtuArrayId id, int64_t count,
                               int64_t components, double **out);
LyraStatus ly_vtu_read_integers(const LyVtuReader *reader, LyVtuArrayId id, int64_t count,
                                int32_t low, int32_t high, int32_t **out);

/// Reads materials, sets and regions, as far as the file has them, once the cells are there.
LyraStatus ly_vtu_read_groups(LyVtuReader *reader);

#endif
