// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Volumetric meshes: tetrahedra, linear or quadratic, axis-aligned cubes or general hexahedra,
/// with materials, sets and regions. Vertex orders, orientation and units are in
/// docs/conventions.md.

#ifndef LYRA_MESH_H
#define LYRA_MESH_H

#include "lyra/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- data ---------------------------------------------------------------------------------------

/// Shape of the elements; a mesh has one.
typedef enum LyraElementKind {
    LYRA_ELEMENT_TET4 = 0, ///< 4 vertices; positive if ((v1-v0) x (v2-v0)) . (v3-v0) > 0.
    LYRA_ELEMENT_CUBE8,    ///< 8 vertices: (0,0,0) (1,0,0) (1,1,0) (0,1,0), then the same at z = 1.
    LYRA_ELEMENT_TET10,    ///< As TET4, then the middles of edges 01 12 20 03 13 23; may be curved.
    LYRA_ELEMENT_HEX8,     ///< As CUBE8, of any shape; trilinear.
    LYRA_ELEMENT_KIND_COUNT
} LyraElementKind;

/// "tet", "cube", "tet10" or "hex".
LYRA_API const char *lyra_element_kind_name(LyraElementKind kind);

/// Vertices of an element: 4, 8 or 10.
LYRA_API int32_t lyra_element_kind_nodes(LyraElementKind kind);

/// Corners of an element, its first vertices: 4 or 8.
LYRA_API int32_t lyra_element_kind_corners(LyraElementKind kind);

typedef enum LyraMeshMaterialKind {
    LYRA_MESH_MATERIAL_ENU = 0,       ///< Young's modulus and Poisson's ratio.
    LYRA_MESH_MATERIAL_MOONEY_RIVLIN, ///< mu01, mu10, v1.
    LYRA_MESH_MATERIAL_ORTHOTROPIC,   ///< Three moduli, ratios and shear moduli in rotated axes.
    LYRA_MESH_MATERIAL_KIND_COUNT
} LyraMeshMaterialKind;

/// Isotropic linear constants.
typedef struct LyraMaterialEnu {
    double young;   ///< Pa.
    double poisson; ///< Dimensionless.
} LyraMaterialEnu;

/// W = mu01/2 ((I^2-II)/J^(4/3) - 6) + mu10 (I/J^(2/3) - 3) + v1 (J-1)^2.
typedef struct LyraMaterialMooneyRivlin {
    double mu01, mu10, v1; ///< Pa.
} LyraMaterialMooneyRivlin;

typedef struct LyraMaterialOrthotropic {
    double young[3];   ///< E1, E2, E3, Pa.
    double poisson[3]; ///< nu12, nu23, nu31.
    double shear[3];   ///< G12, G23, G31, Pa.
    double axes[9];    ///< Row-major rotation from material axes to world axes.
} LyraMaterialOrthotropic;

/// A named material as a mesh file states it.
typedef struct LyraMeshMaterial {
    const char *name; ///< Copied in.
    LyraMeshMaterialKind kind;
    double density; ///< kg/m^3.
    LyraMaterialEnu enu;
    LyraMaterialMooneyRivlin mooney_rivlin;
    LyraMaterialOrthotropic orthotropic; ///< Only the member that `kind` names is meaningful.
} LyraMeshMaterial;

/// Material that a mesh without any takes: ENU, 1000 kg/m^3, 1e6 Pa, 0.45.
LYRA_API LyraMeshMaterial lyra_mesh_material_default(void);

/// A named set of elements. Sets of elements, of vertices and of faces have names of their own.
typedef struct LyraMeshSet {
    const char *name;        ///< Unique among the sets of elements. Copied in.
    const int32_t *elements; ///< Ids, ascending, [count].
    int32_t count;
} LyraMeshSet;

/// A named set of vertices.
typedef struct LyraMeshVertexSet {
    const char *name;        ///< Unique among the sets of vertices. Copied in.
    const int32_t *vertices; ///< Ids, ascending, [count].
    int32_t count;
} LyraMeshVertexSet;

/// A named set of faces of elements. A face between two elements may be there from either side or
/// from both.
typedef struct LyraMeshFaceSet {
    const char *name;     ///< Unique among the sets of faces. Copied in.
    const int32_t *faces; ///< Element and its local face (lyra_element_kind_face), ascending by
                          ///< both, [count][2].
    int32_t count;
} LyraMeshFaceSet;

/// Gives a material to a set of elements.
typedef struct LyraMeshRegion {
    int32_t material; ///< Index into the materials.
    int32_t set;      ///< Index into the sets; LYRA_MESH_ALL_ELEMENTS for all.
} LyraMeshRegion;

#define LYRA_MESH_ALL_ELEMENTS (-1)

/// The data of a mesh: what a view lends and what a def gives.
typedef struct LyraMeshView {
    LyraElementKind kind;
    int32_t vertex_count, element_count;
    const double *positions; ///< m, [vertex_count][3].
    const int32_t *elements; ///< Vertex ids from 0, [element_count][nodes].
    int32_t material_count, set_count, region_count;
    const LyraMeshMaterial *materials;
    const LyraMeshSet *sets;
    const LyraMeshRegion *regions;
    int32_t vertex_set_count, face_set_count;
    const LyraMeshVertexSet *vertex_sets;
    const LyraMeshFaceSet *face_sets;
    /// Index into the materials for each element, [element_count]. Later regions overrule earlier
    /// ones; elements that no region covers take the last material. Ignored in a def.
    const int32_t *element_materials;
} LyraMeshView;

/// A volumetric mesh. Immutable: operations make new ones.
typedef struct LyraMesh LyraMesh;

/// Makes a mesh from a copy of `data`. Without materials it gets lyra_mesh_material_default() as
/// its only one. Fails with LYRA_BAD_MESH for indices out of range, LYRA_NOT_FINITE for positions
/// or constants that are not finite. Orientation and volume are not checked: see lyra_mesh_quality.
LYRA_API LyraStatus lyra_mesh_create(LyraContext *ctx, const LyraMeshView *data, LyraMesh **out);

/// Cubes of edge `size` from integer coordinates of voxels, [count][3]. Shared corners become one
/// vertex; vertices are numbered in the order of (z, y, x). Voxel (0,0,0) has its low corner at
/// `origin` [3]. A voxel given twice is an error.
LYRA_API LyraStatus lyra_mesh_create_from_voxels(LyraContext *ctx, int64_t count,
                                                 const int32_t *voxels, const double origin[3],
                                                 double size, LyraMesh **out);

/// Accepts NULL.
LYRA_API void lyra_mesh_destroy(LyraMesh *mesh);

/// Data of the mesh, valid while it lives.
LYRA_API LyraMeshView lyra_mesh_view(const LyraMesh *mesh);

// ---- files --------------------------------------------------------------------------------------

/// Formats of meshes and surfaces. docs/mesh_files.md says which holds what.
typedef enum LyraMeshFormat {
    LYRA_MESH_FORMAT_AUTO = 0, ///< Read: by content, then by extension; written: by extension.
    LYRA_MESH_FORMAT_VEG,      ///< Vega text, `.veg`: volumetric meshes.
    LYRA_MESH_FORMAT_TETGEN,   ///< `.node` and `.ele` side by side; the path may name either: tets.
    LYRA_MESH_FORMAT_VTU,      ///< VTK unstructured grid in XML, `.vtu`: both.
    LYRA_MESH_FORMAT_GMSH,     ///< Gmsh, `.msh`; written as version 4.1, read as any: both.
    LYRA_MESH_FORMAT_GMSH2,    ///< Gmsh, `.msh`; written as version 2.2, read as any: both.
    LYRA_MESH_FORMAT_VTK,      ///< VTK legacy, `.vtk`: both.
    LYRA_MESH_FORMAT_ABAQUS,   ///< Abaqus and CalculiX, `.inp`: both.
    LYRA_MESH_FORMAT_MEDIT,    ///< Medit, `.mesh`: both.
    LYRA_MESH_FORMAT_OBJ,      ///< Wavefront text, `.obj`, with materials in `.mtl`: surfaces.
    LYRA_MESH_FORMAT_STL,      ///< Triangles, `.stl`: surfaces.
    LYRA_MESH_FORMAT_PLY,      ///< Polygons, `.ply`: surfaces.
    LYRA_MESH_FORMAT_COUNT
} LyraMeshFormat;

/// "auto", "veg", "tetgen", "vtu", "gmsh", "gmsh2", "vtk", "abaqus", "medit", "obj", "stl" or
/// "ply"; "unknown" outside the list.
LYRA_API const char *lyra_mesh_format_name(LyraMeshFormat format);

/// Whether a format holds volumetric meshes, or surfaces. "auto" does.
LYRA_API bool lyra_mesh_format_holds_meshes(LyraMeshFormat format);
LYRA_API bool lyra_mesh_format_holds_surfaces(LyraMeshFormat format);

/// How numbers are written. docs/mesh_files.md says which of them a format has.
typedef enum LyraMeshEncoding {
    LYRA_MESH_ENCODING_AUTO = 0,   ///< The first that the format has in the table of that page.
    LYRA_MESH_ENCODING_TEXT,       ///< Readable.
    LYRA_MESH_ENCODING_BINARY,     ///< Bytes.
    LYRA_MESH_ENCODING_BASE64,     ///< Bytes as text, between the tags of `.vtu`.
    LYRA_MESH_ENCODING_COMPRESSED, ///< Compressed bytes in `.vtu`; needs zlib.
    LYRA_MESH_ENCODING_COUNT
} LyraMeshEncoding;

/// "auto", "text", "binary", "base64" or "compressed".
LYRA_API const char *lyra_mesh_encoding_name(LyraMeshEncoding encoding);

/// Reads a mesh; docs/mesh_files.md has the rules of each format. Failures are LYRA_IO_FAILED,
/// LYRA_BAD_FORMAT, LYRA_NOT_FINITE for a NaN or an overflow, LYRA_UNSUPPORTED for what a format
/// allows and Lyra does not read, LYRA_BAD_MESH for a file that holds a surface alone; the sentence
/// names file, line, what was found and what was expected. Formats other than `.veg`, and `.vtu` as
/// Lyra writes it, are repaired: elements that are inside out are turned, those without volume,
/// duplicate and unused vertices go, each kind with a line in the log. Hexahedra become cubes if
/// all are axis-aligned and of one size, and general hexahedra otherwise; pyramids, prisms and what
/// stands beside them are cut into tets. Tets of 10 nodes keep their middle ones.
LYRA_API LyraStatus lyra_mesh_load(LyraContext *ctx, const char *path, LyraMeshFormat format,
                                   LyraMesh **out);

/// Reads a mesh from memory: files[0], the others being what it includes or its second half (the
/// `.ele` of a `.node`), found by their paths. Nothing is read from the disk.
LYRA_API LyraStatus lyra_mesh_load_memory(LyraContext *ctx, const LyraMemoryFile *files,
                                          int32_t file_count, LyraMeshFormat format,
                                          LyraMesh **out);

/// Writes a mesh, all files whole or none. Numbers read back to the same bits. Fails with
/// LYRA_UNSUPPORTED where the format cannot hold the mesh, as with cubes in `.ele`. Sets of
/// vertices and faces that it has no place for are left out, with a warning in the log.
LYRA_API LyraStatus lyra_mesh_save(const LyraMesh *mesh, const char *path, LyraMeshFormat format);

/// As lyra_mesh_save, in one of the encodings of the format; LYRA_UNSUPPORTED for others.
LYRA_API LyraStatus lyra_mesh_save_as(const LyraMesh *mesh, const char *path, LyraMeshFormat format,
                                      LyraMeshEncoding encoding);

/// Numbers on the vertices or the elements of a mesh.
typedef struct LyraField {
    const char *name;     ///< Letters, digits, blanks and any of `_-.()/`, at least one.
    bool on_elements;     ///< One tuple per element; otherwise per vertex.
    int32_t components;   ///< Numbers in a tuple, [1, 9].
    const double *values; ///< [vertices or elements][components]; may hold NaN.
} LyraField;

/// Writes a mesh with fields as `.vtu`, for ParaView and others; the mesh reads back without them.
/// `positions` [vertex_count][3] replaces those of the mesh. Nullable: at rest. `time`, s, is that
/// of the frame. `fields` [field_count] have names of their own.
LYRA_API LyraStatus lyra_mesh_save_fields(const LyraMesh *mesh, const char *path,
                                          const double *positions, double time, int32_t field_count,
                                          const LyraField *fields);

/// Reads a list of vertices (`.bou`: whole numbers with commas or blanks between, `#` comments)
/// into a new array of ids from 0, ascending without repeats. `first` is the number that stands for
/// vertex 0: 1 in Vega's files. Numbers outside `vertex_count` vertices fail with LYRA_BAD_FORMAT.
/// Free the array with lyra_vertex_list_destroy.
LYRA_API LyraStatus lyra_vertex_list_load(LyraContext *ctx, const char *path, int32_t first,
                                          int32_t vertex_count, int32_t *count, int32_t **out);

/// As lyra_vertex_list_load, from memory.
LYRA_API LyraStatus lyra_vertex_list_load_memory(LyraContext *ctx, const LyraMemoryFile *file,
                                                 int32_t first, int32_t vertex_count,
                                                 int32_t *count, int32_t **out);

/// Writes ids from 0, `list` [count], as numbers from `first`, the file whole or not at all.
LYRA_API LyraStatus lyra_vertex_list_save(LyraContext *ctx, const char *path, int32_t first,
                                          int32_t count, const int32_t *list);

/// Accepts NULL.
LYRA_API void lyra_vertex_list_destroy(LyraContext *ctx, int32_t *list);

#ifdef __cplusplus
}
#endif

#endif
