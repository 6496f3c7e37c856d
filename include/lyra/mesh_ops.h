// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// What can be asked of a mesh: mass properties, mass matrices, topology, quality. Formulas and
/// definitions are in docs/meshes.md; operations that make new meshes are in mesh_edit.h. Results
/// have the same bits at any thread count.

#ifndef LYRA_MESH_OPS_H
#define LYRA_MESH_OPS_H

#include "lyra/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- volumes and mass ---------------------------------------------------------------------------

/// Writes the signed volume of each element, m^3, [element_count]: negative where the element is
/// inverted. TET10 and HEX8 elements, and CUBE8 ones that are no axis-aligned boxes, are integrated
/// exactly as quadratic and trilinear ones.
/// A volume beyond the range of double is infinite or NaN.
LYRA_API void lyra_mesh_element_volumes(const LyraMesh *mesh, double *volumes);

/// A body as a whole. Inverted elements count with the absolute value of their volume.
typedef struct LyraMassProperties {
    double volume;             ///< m^3.
    double mass;               ///< kg.
    double center_of_mass[3];  ///< m; the middle of the box where the mass is 0.
    double inertia[9];         ///< kg m^2 about the centre of mass, integral rho (|r|^2 I - r r^T),
                               ///< row-major, symmetric to the last bit.
    double box[2][3];          ///< Low and high corner of all vertices, m; 0 without vertices.
    double min_element_volume; ///< Signed, m^3; 0 without elements.
    double max_element_volume; ///< Signed, m^3; 0 without elements.
    int32_t min_element;       ///< First element of the smallest volume; -1 without elements.
    int32_t max_element;       ///< First element of the largest volume; -1 without elements.
} LyraMassProperties;

/// Mass properties, exact but for rounding. `densities`: kg/m^3, [element_count]; Nullable: those
/// of the materials. Fails with LYRA_NOT_FINITE if a result is beyond the range of double.
LYRA_API LyraStatus lyra_mesh_mass_properties(const LyraMesh *mesh, const double *densities,
                                              LyraMassProperties *out);

// ---- mass matrices ------------------------------------------------------------------------------

/// Numbers that lyra_mesh_element_masses writes for each element: pairs a <= b of its vertices, 10
/// for tets, 36 for cubes and hexahedra, 55 for tets of 10 nodes.
LYRA_API int32_t lyra_mesh_element_mass_count(LyraElementKind kind);

/// Writes the consistent mass of each element, integral rho N_a N_b, kg, for pairs of vertices
/// a <= b row by row: [element_count][10, 36 or 55]. Each stands for a multiple of the 3x3
/// identity. Inverted elements count with the absolute value of their volume. `densities` as above.
LYRA_API void lyra_mesh_element_masses(const LyraMesh *mesh, const double *densities,
                                       double *masses);

/// Writes the lumped mass of each vertex, kg, [vertex_count]: the row sum of the consistent mass
/// matrix; for tets of 10 nodes, whose corners would have negative sums, its diagonal, scaled to
/// the mass of each element. `densities` as above.
LYRA_API void lyra_mesh_lumped_masses(const LyraMesh *mesh, const double *densities,
                                      double *masses);

/// The consistent mass matrix of a mesh, one row per vertex.
typedef struct LyraMassMatrix LyraMassMatrix;

/// Its arrays in compressed rows, valid while it lives. Columns ascend in a row and the diagonal is
/// always there, also for vertices without elements.
typedef struct LyraMassMatrixView {
    int32_t row_count;        ///< Vertices.
    int64_t entry_count;      ///< Stored entries.
    bool upper;               ///< Only columns >= row are stored.
    const int64_t *row_start; ///< First entry of each row, [row_count + 1].
    const int32_t *column;    ///< [entry_count].
    const double *values;     ///< kg, [entry_count].
} LyraMassMatrixView;

/// Assembles the consistent mass matrix, whole or its upper triangle. `densities` as above.
LYRA_API LyraStatus lyra_mass_matrix_create(const LyraMesh *mesh, const double *densities,
                                            bool upper, LyraMassMatrix **out);

LYRA_API LyraMassMatrixView lyra_mass_matrix_view(const LyraMassMatrix *matrix);

/// Accepts NULL.
LYRA_API void lyra_mass_matrix_destroy(LyraMassMatrix *matrix);

// ---- topology -----------------------------------------------------------------------------------

/// Faces of an element: 4 or 6.
LYRA_API int32_t lyra_element_kind_faces(LyraElementKind kind);

/// Vertices of a face: 3, 4 or 6.
LYRA_API int32_t lyra_element_kind_face_nodes(LyraElementKind kind);

/// Corners of a face, its first vertices: 3 or 4.
LYRA_API int32_t lyra_element_kind_face_corners(LyraElementKind kind);

/// Local vertices of face `face`, [3, 4 or 6], in an order whose right-hand normal points out of a
/// positive element; of 6, the last three are the middles from each corner to the next. Face i of a
/// tet lies opposite vertex i; faces of a cube are -x +x -y +y -z +z. The array is constant.
LYRA_API const int32_t *lyra_element_kind_face(LyraElementKind kind, int32_t face);

#define LYRA_MESH_NO_NEIGHBOR (-1)  ///< The face belongs to one element: boundary.
#define LYRA_MESH_NON_MANIFOLD (-2) ///< The face belongs to more than two elements.

/// Writes the element across each face, [element_count][faces], or one of the two values above.
LYRA_API LyraStatus lyra_mesh_neighbors(const LyraMesh *mesh, int32_t *neighbors);

/// Writes the elements around each vertex: those of vertex v are elements[start[v]] to
/// elements[start[v + 1] - 1], ascending. `start`: [vertex_count + 1]; `elements`:
/// [element_count * nodes]. An element that names a vertex twice is listed twice.
LYRA_API void lyra_mesh_vertex_elements(const LyraMesh *mesh, int64_t *start, int32_t *elements);

/// The edges of a mesh.
typedef struct LyraMeshEdges LyraMeshEdges;

/// Valid while the edges live.
typedef struct LyraMeshEdgesView {
    int32_t edge_count;
    const int32_t *vertices;     ///< Lower id first, in ascending order, [edge_count][2].
    int32_t element_edges;       ///< Edges of an element: 6 or 12.
    const int32_t *element_edge; ///< Edge ids, [element_count][element_edges]; pairs of local
                                 ///< vertices as lyra_element_kind_edge gives them. -1 where an
                                 ///< element names one vertex twice.
} LyraMeshEdgesView;

/// Local vertices of edge `edge`, [2]: tets 01 02 03 12 13 23; tets of 10 nodes 01 12 20 03 13 23,
/// vertex 4 + i being the middle of edge i; cubes along x 01 32 45 76, along y
/// 03 12 47 56, along z 04 15 26 37. The array is constant.
LYRA_API const int32_t *lyra_element_kind_edge(LyraElementKind kind, int32_t edge);

/// Finds the edges. Fails with LYRA_TOO_LARGE beyond 2^31 - 1.
LYRA_API LyraStatus lyra_mesh_edges_create(const LyraMesh *mesh, LyraMeshEdges **out);
LYRA_API LyraMeshEdgesView lyra_mesh_edges_view(const LyraMeshEdges *edges);
/// Accepts NULL.
LYRA_API void lyra_mesh_edges_destroy(LyraMeshEdges *edges);

/// The faces of a mesh that belong to one element.
typedef struct LyraMeshBoundary LyraMeshBoundary;

/// Valid while the boundary lives. Faces stand in the order of their elements.
typedef struct LyraMeshBoundaryView {
    int32_t face_count;
    int32_t nodes;        ///< Vertices of a face: 3, or 4 and 6 where not cut into triangles.
    const int32_t *faces; ///< Mesh vertices, outward by the right-hand rule, [face_count][nodes].
    const int32_t *elements; ///< The element each face belongs to, [face_count].
    const int32_t *sides;    ///< Which local face of it, [face_count].
    int32_t non_manifold;    ///< Faces of more than two elements, left out.
} LyraMeshBoundaryView;

/// Finds the boundary. Faces of inverted elements are turned, so that they point outward too.
/// `triangles`: cut quads in two, and faces of 6 vertices in four, through these.
LYRA_API LyraStatus lyra_mesh_boundary_create(const LyraMesh *mesh, bool triangles,
                                              LyraMeshBoundary **out);
LYRA_API LyraMeshBoundaryView lyra_mesh_boundary_view(const LyraMeshBoundary *boundary);
/// Accepts NULL.
LYRA_API void lyra_mesh_boundary_destroy(LyraMeshBoundary *boundary);

/// What holds two elements together in a component.
typedef enum LyraMeshConnection {
    LYRA_MESH_CONNECTION_VERTEX = 0, ///< A shared vertex: forces pass through it.
    LYRA_MESH_CONNECTION_FACE,       ///< A shared face.
} LyraMeshConnection;

/// Counts connected components of elements. `labels`: component of each element, numbered by their
/// first element, [element_count]. Nullable. Vertices without elements are no component.
LYRA_API LyraStatus lyra_mesh_components(const LyraMesh *mesh, LyraMeshConnection connection,
                                         int32_t *count, int32_t *labels);

/// Counts vertices that no element uses. `vertices`: their ids, ascending, room for [vertex_count].
/// Nullable.
LYRA_API LyraStatus lyra_mesh_orphans(const LyraMesh *mesh, int32_t *count, int32_t *vertices);

// ---- quality ------------------------------------------------------------------------------------

/// An element is degenerate if |volume| <= this times the cube of its longest edge; one of TET10 if
/// the tet of its corners is so too.
#define LYRA_MESH_DEGENERATE 1e-12

#define LYRA_MESH_QUALITY_BINS 18

/// How good the elements are. Aspect of a tet: longest edge over 2 sqrt(6) times the radius of the
/// inscribed sphere, 1 for the regular one; of a cube: longest over shortest edge. Both
/// go by the corners alone. Degenerate elements count in `degenerate` only, not in aspect and
/// angles.
typedef struct LyraMeshQuality {
    double min_aspect, mean_aspect, max_aspect; ///< >= 1; 0 without elements.
    double min_dihedral, max_dihedral;          ///< Between faces, rad; 0 without elements.
    int32_t worst_aspect_element;               ///< First with max_aspect; -1 without.
    int32_t min_dihedral_element;               ///< First with min_dihedral; -1 without.
    int32_t inverted, first_inverted;           ///< Negative (TET10: the tet of the corners), not
                                                ///< degenerate; first: -1 if none.
    int32_t folded, first_folded;         ///< TET10 and HEX8: not inverted, but with det J <= 0 at
                                          ///< a vertex or a Gauss point; first: -1 if none.
    int32_t degenerate, first_degenerate; ///< See LYRA_MESH_DEGENERATE.
    int32_t not_boxes, first_not_box;     ///< Cubes whose corners are off those of the
                                          ///< axis-aligned box by 1e-6 of its edge or more.
    int32_t not_cubes, first_not_cube;    ///< As well, or edges that differ by so much.
    int32_t orphans, first_orphan;        ///< Vertices without elements.
    int32_t duplicates, first_duplicate;  ///< Vertices at the place of one before.
    int32_t boundary_faces;               ///< Faces of one element.
    int32_t non_manifold_faces;           ///< Faces of more than two elements.
    int64_t dihedral_bins[LYRA_MESH_QUALITY_BINS]; ///< Dihedral angles by steps of 10 degrees.
} LyraMeshQuality;

LYRA_API LyraStatus lyra_mesh_quality(const LyraMesh *mesh, LyraMeshQuality *out);

/// Writes the aspect of each element, infinite for degenerate ones, and its smallest dihedral
/// angle, rad, 0 for degenerate ones; each [element_count]. Nullable, each.
LYRA_API void lyra_mesh_element_quality(const LyraMesh *mesh, double *aspects, double *dihedrals);

#ifdef __cplusplus
}
#endif

#endif
