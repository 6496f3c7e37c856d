// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Surfaces: meshes of polygons with texture coordinates, normals, groups and materials, read from
/// and written to OBJ. The rules of the file format are in docs/surfaces.md.

#ifndef LYRA_SURFACE_H
#define LYRA_SURFACE_H

#include "lyra/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- data ---------------------------------------------------------------------------------------

/// What a face looks like, as an MTL file states it.
typedef struct LyraSurfaceMaterial {
    const char *name;        ///< Unique within the surface. Copied in.
    double ambient[3];       ///< Ka, red green blue. Default 0.2.
    double diffuse[3];       ///< Kd. Default 0.8.
    double specular[3];      ///< Ks. Default 0.
    double shininess;        ///< Ns, exponent of the highlight. Default 0.
    double opacity;          ///< d, or 1 - Tr: 1 is opaque. Default 1.
    int32_t illumination;    ///< illum, number of the lighting model. Default 1.
    const char *diffuse_map; ///< map_Kd with its options, as in the file. Nullable. Copied in.
} LyraSurfaceMaterial;

/// Material without a name and with the defaults above.
LYRA_API LyraSurfaceMaterial lyra_surface_material_default(void);

/// The data of a surface: what a view lends and what a def gives. A face is a polygon of at least
/// three corners, counter-clockwise seen from outside; a corner names a vertex and, where it has
/// them, a texture coordinate and a normal.
typedef struct LyraSurfaceView {
    int32_t vertex_count, face_count, corner_count;
    int32_t texcoord_count, normal_count;
    int32_t group_count, material_count;
    const double *positions;         ///< m, [vertex_count][3].
    const double *texcoords;         ///< [texcoord_count][2].
    const double *normals;           ///< As given, not scaled to length 1, [normal_count][3].
    const int32_t *face_begin;       ///< First corner of each face, ascending, [face_count + 1].
    const int32_t *corner_vertices;  ///< Vertex ids from 0, [corner_count].
    const int32_t *corner_texcoords; ///< Ids, -1 for none, [corner_count]. Nullable: none at all.
    const int32_t *corner_normals;   ///< Ids, -1 for none, [corner_count]. Nullable: none at all.
    const int32_t *face_groups;      ///< Group of each face, [face_count]. Nullable in a def: 0.
    const int32_t *face_materials;   ///< Material, -1 for none, [face_count]. Nullable in a def.
    const char *const *groups;       ///< Unique names, [group_count].
    const LyraSurfaceMaterial *materials; ///< [material_count].
} LyraSurfaceView;

/// A polygon mesh. Immutable: operations make new ones.
typedef struct LyraSurface LyraSurface;

/// Makes a surface from a copy of `data`. Without groups it gets one, "default", that holds all
/// faces. Names hold no line ends, don't start or end with a blank and don't end with a backslash.
/// Fails with LYRA_BAD_MESH for indices out of range or faces under three corners, LYRA_NOT_FINITE
/// for numbers that are not finite.
LYRA_API LyraStatus lyra_surface_create(LyraContext *ctx, const LyraSurfaceView *data,
                                        LyraSurface **out);

/// Accepts NULL.
LYRA_API void lyra_surface_destroy(LyraSurface *surface);

/// Data of the surface, valid while it lives.
LYRA_API LyraSurfaceView lyra_surface_view(const LyraSurface *surface);

// ---- files --------------------------------------------------------------------------------------

/// Reads a surface. Failures name file, line, what was found and what was expected. A material
/// library that cannot be opened and a material that none defines are warnings in the log. Files
/// other than OBJ are repaired: vertices at one place become one, unused ones and faces without
/// area go, each kind with a line in the log; sets become groups.
LYRA_API LyraStatus lyra_surface_load(LyraContext *ctx, const char *path, LyraMeshFormat format,
                                      LyraSurface **out);

/// Reads a surface from memory. Nothing is read from the disk, and no library of materials.
LYRA_API LyraStatus lyra_surface_load_memory(LyraContext *ctx, const LyraMemoryFile *file,
                                             LyraMeshFormat format, LyraSurface **out);

/// Writes a surface, and its materials if it has any and the format is OBJ to a file beside it
/// whose extension is `.mtl`; all files whole or none. Numbers read back to the same bits, but for
/// those of STL, which has floats, and `.inp`. Faces that a format cannot hold are cut into
/// triangles.
LYRA_API LyraStatus lyra_surface_save(const LyraSurface *surface, const char *path,
                                      LyraMeshFormat format);

/// As lyra_surface_save, in one of the encodings of the format; LYRA_UNSUPPORTED for others.
LYRA_API LyraStatus lyra_surface_save_as(const LyraSurface *surface, const char *path,
                                         LyraMeshFormat format, LyraMeshEncoding encoding);

/// Writes a surface with fields as `.vtu`, as lyra_mesh_save_fields() does a mesh: elements are its
/// faces.
LYRA_API LyraStatus lyra_surface_save_fields(const LyraSurface *surface, const char *path,
                                             const double *positions, double time,
                                             int32_t field_count, const LyraField *fields);

/// Reads what a file holds: a volumetric mesh if it has solids, otherwise a surface. The other of
/// the two becomes NULL. Formats as with LYRA_MESH_FORMAT_AUTO.
LYRA_API LyraStatus lyra_mesh_or_surface_load(LyraContext *ctx, const char *path, LyraMesh **mesh,
                                              LyraSurface **surface);

// ---- sheets -------------------------------------------------------------------------------------

/// Sheets that lyra_surface_generate() makes.
typedef enum LyraSheetShape {
    LYRA_SHEET_GRID = 0, ///< A rectangle of `cells`.
    LYRA_SHEET_STRIP,    ///< A rectangle of cells[0] cells that are about as long as wide.
    LYRA_SHEET_DISC,     ///< Rings around a point: 6 k triangles more in each.
    LYRA_SHEET_COUNT
} LyraSheetShape;

/// How the cells of a rectangle become faces.
typedef enum LyraSheetFaces {
    LYRA_SHEET_ALTERNATING = 0, ///< Two triangles, the diagonals of neighbours crossing.
    LYRA_SHEET_SAME,            ///< Two triangles, all diagonals alike.
    LYRA_SHEET_CROSSED,         ///< Four triangles around one more vertex in the middle.
    LYRA_SHEET_QUADS,           ///< One quad.
    LYRA_SHEET_FACES_COUNT
} LyraSheetFaces;

/// What to generate. Start from lyra_sheet_def_default().
typedef struct LyraSheetDef {
    LyraSheetShape shape; ///< Default LYRA_SHEET_GRID.
    double length, width; ///< Of a rectangle along x and along z, m, > 0. Default 1.
    double radius;        ///< Of a disc, m, > 0. Default 0.5.
    int32_t cells[2];     ///< Along x and z; of a disc, cells[0] rings. >= 1. Default 20.
    LyraSheetFaces faces; ///< Of a rectangle. Default LYRA_SHEET_ALTERNATING.
    int32_t bands;        ///< Groups "band1", "band2", ... of cells along x, >= 1. Default 1.
    double center[3];     ///< m. Default 0.
    uint32_t cookie;      ///< Written by the default function only.
} LyraSheetDef;

LYRA_API LyraSheetDef lyra_sheet_def_default(void);

/// Makes a flat surface across y, its faces looking along +y, with texture coordinates in metres:
/// the first along x, the second against z, both 0 at a corner. Of a grid of n cells along x vertex
/// (i, j) has the number j (n + 1) + i. Fails with LYRA_INVALID_ARGUMENT for numbers out of range,
/// LYRA_TOO_LARGE for more faces than a surface can have.
LYRA_API LyraStatus lyra_surface_generate(LyraContext *ctx, const LyraSheetDef *def,
                                          LyraSurface **out);

// ---- triangles and normals ----------------------------------------------------------------------

/// Makes a surface of triangles: convex polygons become fans from their first corner, others are
/// cut by ears in the plane of their mean normal. A face of n corners gives n - 2 triangles in
/// place, so those of face f start at face_begin[f] - 2 f. Groups, materials and all that corners
/// name are kept. Fails with LYRA_TOO_LARGE for a polygon that is not convex and has more than
/// 65,536 corners.
LYRA_API LyraStatus lyra_surface_triangulate(const LyraSurface *surface, LyraSurface **out);

/// How faces count in the normal of a vertex.
typedef enum LyraNormalWeight {
    LYRA_NORMAL_WEIGHT_ANGLE = 0, ///< By the angle at the vertex: independent of how it is cut.
    LYRA_NORMAL_WEIGHT_AREA,      ///< By area: cheaper.
    LYRA_NORMAL_WEIGHT_COUNT
} LyraNormalWeight;

/// Writes unit normals of the faces, [face_count][3]: the direction of the vector area; zero where
/// that vanishes. `positions`: of the vertices, [vertex_count][3]. Nullable: the surface's own.
/// Allocates nothing.
LYRA_API void lyra_surface_face_normals(const LyraSurface *surface, const double *positions,
                                        double *normals);

/// Writes unit normals of the vertices, [vertex_count][3]: the weighted mean over the faces around
/// each; zero where that vanishes or no face is. `positions` as above. Allocates nothing.
LYRA_API void lyra_surface_vertex_normals(const LyraSurface *surface, const double *positions,
                                          LyraNormalWeight weight, double *normals);

/// Makes a copy of the surface with normals for its corners. Around a vertex, corners share a
/// normal if they follow each other across edges where exactly two faces meet at an angle of at
/// most `crease_angle` (radians, between their normals): 0 joins coplanar faces only, pi
/// everything. A face without area counts as at right angles to all others. Normals stand in the
/// order of the first corners that have them.
LYRA_API LyraStatus lyra_surface_split_normals(const LyraSurface *surface, double crease_angle,
                                               LyraNormalWeight weight, LyraSurface **out);

// ---- measures -----------------------------------------------------------------------------------

/// Sizes of a surface.
typedef struct LyraSurfaceMeasure {
    double low[3], high[3]; ///< Box around all vertices, m; zero without vertices.
    double area;            ///< m^2; of the fan from the first corner for polygons out of plane.
    double volume; ///< Enclosed, m^3, positive when faces point outward; meaningful when closed.
} LyraSurfaceMeasure;

/// Measures the surface at `positions`, [vertex_count][3]. Nullable: its own.
LYRA_API LyraSurfaceMeasure lyra_surface_measure(const LyraSurface *surface,
                                                 const double *positions);

/// How the faces hang together.
typedef struct LyraSurfaceReport {
    int32_t triangles, quads, polygons; ///< Faces of three, four, more corners.
    int64_t edges;                      ///< Pairs of vertices that are neighbours in some face.
    int64_t boundary_edges;             ///< Edges of one face.
    int64_t non_manifold_edges;         ///< Edges of three or more faces.
    int64_t inconsistent_edges;         ///< Edges of two faces that run along it the same way.
    int32_t non_manifold_vertices;      ///< Vertices whose faces form more than one fan.
    int32_t degenerate_faces;           ///< Faces that name a vertex twice or have no area.
    int32_t unused_vertices;            ///< Vertices of no face.
    int32_t components;                 ///< Parts connected by vertices.
    int64_t euler;                      ///< Used vertices - edges + faces; 2 for a sphere.
    bool closed;                        ///< Has faces, and every edge belongs to two or more.
    bool
        manifold; ///< No edge of three faces, no vertex of several fans, no face twice at a vertex.
    bool oriented; ///< No edge that two faces run along the same way, and manifold edges only.
} LyraSurfaceReport;

LYRA_API LyraStatus lyra_surface_report(const LyraSurface *surface, LyraSurfaceReport *report);

#ifdef __cplusplus
}
#endif

#endif
