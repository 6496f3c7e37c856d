// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What readers of formats that hold solids and surfaces alike fill: vertices, cells of any shape,
// named sets of cells, materials. At the end it becomes a mesh (of its tets, pyramids, prisms and
// hexahedra) or a surface (of its triangles, quads and polygons), repaired where that is safe.

#ifndef LY_MESH_IMPORT_H
#define LY_MESH_IMPORT_H

#include "mesh/builder.h"
#include "mesh/stream.h"
#include "mesh/surface.h"

/// Vertex orders: tets of 10 nodes as in lyra/mesh.h; pyramids have their base first; prisms one
/// triangle, then the other; hexahedra as cubes. Either orientation will do.
typedef enum LyCellShape {
    LY_CELL_NONE, ///< Points, lines and whatever else is passed over.
    LY_CELL_TRIANGLE,
    LY_CELL_QUAD,
    LY_CELL_POLYGON, ///< Its corners stand behind their number.
    LY_CELL_TET,
    LY_CELL_PYRAMID,
    LY_CELL_PRISM,
    LY_CELL_HEX,
    LY_CELL_TET10,
    LY_CELL_SHAPE_COUNT
} LyCellShape;

/// Vertices of a shape; 0 for a polygon and for what is passed over.
static inline int32_t ly_cell_nodes(LyCellShape shape)
{
    static const int8_t nodes[LY_CELL_SHAPE_COUNT] = {0, 3, 4, 0, 4, 5, 6, 8, 10};
    return nodes[shape];
}

static inline bool ly_cell_is_solid(LyCellShape shape)
{
    return shape >= LY_CELL_TET;
}

/// A cell type of a format.
typedef struct LyCellType {
    LyCellShape shape;
    int32_t nodes; ///< As the file has them, those of the shape first; more where some are dropped.
} LyCellType;

/// A tag that makes a set of the cells that have it.
typedef struct LyTagSet {
    bool solid; ///< Tags of solids and of faces are counted apart.
    int32_t tag;
    int32_t name; // id in tag_names
} LyTagSet;

/// A face that belongs to a set.
typedef struct LyImportFace {
    int32_t corners[4]; ///< Numbered as in the file; ids once cells have them.
    int32_t count;      ///< Corners: 3 or 4; 0 for all faces of `cell` that no other cell shares.
    int32_t cell;       ///< The cell whose face it is; -1: of any that has those corners.
} LyImportFace;

typedef struct LyImport {
    LyraContext *ctx;
    const char *path;
    const LyFileSource *source;
    LyScanner scanner; ///< Over the whole file.
    bool as_is;        ///< The file is Lyra's own: nothing is repaired. Set by the reader.
    bool hexahedra;    ///< Hexahedra of a file taken as it is are no cubes. Set by the reader.
    bool repeats;      ///< A cell may stand there several times, once for each set. By the reader.
    bool quadratic[2]; ///< There were faces, solids with more nodes than their shape.
    int64_t passed;    ///< Cells of no use here.

    /// Holds the positions, and materials, sets and regions; ids in sets are those of cells, and in
    /// sets of vertices the numbers of the file. Sets of faces are filled in by the reader only
    /// where the file is taken as it is.
    LyMeshBuilder builder;
    LyImportFace *faces; ///< Of all sets of faces.
    int64_t face_count;
    LySetList face_sets;  ///< Their names, and indices into `faces`.
    int32_t *vertex_ids;  ///< Numbers of the vertices in the file. NULL: vertex_first + i.
    int32_t vertex_first; ///< Number of vertex 0.

    uint8_t *shapes; ///< LyCellShape, [cell_count]
    int32_t *tags;   ///< [cell_count]
    int64_t cell_count;
    int32_t *corners; ///< Of all cells, numbered as in the file.
    int64_t corner_count;

    int64_t array_sets; ///< Sets made of arrays so far.
    LyNames tag_names;
    LyTagSet *tag_sets;
    int64_t tag_set_count;

    // reserved
    int64_t cell_capacity, corner_capacity, tag_set_capacity, face_capacity;
} LyImport;

/// Fills the import from its scanner.
typedef LyraStatus LyImportRead(LyImport *import);

// ---- for readers --------------------------------------------------------------------------------

/// Makes room for `count` more vertices, numbered from vertex_first on if `ids` is NULL, otherwise
/// as `*ids` will say. The caller has made sure that the file can hold so many.
LyraStatus ly_import_vertices(LyImport *import, int64_t count, double **positions, int32_t **ids);

/// Makes room for `count` more cells of one shape, which is not that of polygons, all with this
/// tag.
LyraStatus ly_import_cells(LyImport *import, LyCellShape shape, int32_t tag, int64_t count,
                           int32_t **corners);

/// Adds a face with any number of corners, 3 or more.
LyraStatus ly_import_polygon(LyImport *import, int32_t tag, int32_t count, int32_t **corners);

/// Adds a face of sets; and one that was added, to the set of faces added last (ly_set_list_add).
LyraStatus ly_import_face(LyImport *import, const LyImportFace *face, int32_t *id);
LyraStatus ly_import_face_member(LyImport *import, int32_t id);

/// Solids or faces with `tag` belong to the set `name`. A tag may name several sets and a set
/// several tags.
LyraStatus ly_import_tag_set(LyImport *import, bool solid, int32_t tag, LySlice name);

/// Makes sets of an array of whole numbers, one for each of the `count` points or cells of the
/// file, where it groups them: import_arrays.c has the rule. `cells`: which cell each is here, -1
/// for none; NULL for points, which are numbered from 0.
LyraStatus ly_import_array_sets(LyImport *import, bool points, LySlice name, int64_t count,
                                const int32_t *values, const int32_t *cells);

/// Whether a tag makes a set; may put another name in the place of `name`.
typedef bool LyTagName(void *user, bool solid, int32_t tag, LySlice *name);

/// Each tag of the solids, and each of the faces, makes a set <prefix>_<tag>, or as `namer` says;
/// none if there are more than a thousand, or without a namer less than two. `namer`: Nullable.
LyraStatus ly_import_tag_all(LyImport *import, const char *prefix, LyTagName *namer, void *user);

// ---- for the table of formats -------------------------------------------------------------------

/// Opens and reads a file, from `source` or the disk.
LyraStatus ly_import_read(LyImport *import, LyraContext *ctx, const LyFileSource *source,
                          const char *path, LyImportRead *read);

/// Whether there are solids among the cells.
bool ly_import_has_solids(const LyImport *import);

/// Makes a mesh of the solids. What was repaired is said in the log, one line for each kind.
LyraStatus ly_import_mesh(LyImport *import, LyraMesh **out);

/// Drops elements without volume and turns those that are inside out, each with a line in the log,
/// and warns of those that fold over.
/// Replaces `*mesh`.
LyraStatus ly_mesh_repair(LyraMesh **mesh, const char *path);

/// Makes a surface of the faces, in the same way.
LyraStatus ly_import_surface(LyImport *import, LyraSurface **out);

/// Accepts an import that is zero.
void ly_import_finish(LyImport *import);

// ---- parts --------------------------------------------------------------------------------------

/// Cells of the wanted dimension alone, their corners as ids of vertices that are used and at
/// places of their own. `firsts`: for each cell of the file the wanted ones before it, [count + 1].
LyraStatus ly_import_select(LyImport *import, bool solids, int32_t **firsts);

/// Makes sets of faces of the faces in the sets of cells.
LyraStatus ly_import_split_sets(LyImport *import);

/// Finds the faces of sets among those of the elements of the builder, once these are there.
/// `firsts`: first element of each cell of the file, [cell count + 1].
LyraStatus ly_import_match_faces(LyImport *import, const int32_t *firsts);

/// Makes the sets that tags stand for.
LyraStatus ly_import_tags_to_sets(LyImport *import);

/// Makes one cell of those that are alike, in all their sets.
LyraStatus ly_import_join_repeats(LyImport *import);

/// Translates the sets from cells to what stands at firsts[cell] to firsts[cell + 1] - 1; those
/// that become empty are dropped, and regions with them.
LyraStatus ly_import_map_sets(LyImport *import, const int32_t *firsts);

/// Makes elements of the wanted cells in the builder: tets as they are; hexahedra as cubes if all
/// are axis-aligned and of one size, else as they are; mixtures and other shapes are cut into tets.
/// `firsts` [count + 1]: first element of each wanted cell, NULL where cells are elements.
LyraStatus ly_import_elements(LyImport *import, int32_t **firsts);

#endif
