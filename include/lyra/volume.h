// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// From a surface to a body that can be simulated: cubes that cover it, or tets cut to it. Any
/// finite surface will do: with holes, flipped or repeated faces, crossing itself, inside out.

#ifndef LYRA_VOLUME_H
#define LYRA_VOLUME_H

#include "lyra/distance.h"
#include "lyra/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- repair -------------------------------------------------------------------------------------

/// What lyra_surface_repair() found and did.
typedef struct LyraSurfaceRepair {
    int32_t merged_vertices;  ///< Vertices at the place of another.
    int32_t degenerate_faces; ///< Triangles without area, dropped.
    int32_t duplicate_faces;  ///< Triangles on the same three vertices as another, dropped.
    int32_t flipped_faces;    ///< Triangles turned to agree with their neighbours.
    int32_t patches;          ///< Parts connected across edges of exactly two triangles.
    int64_t boundary_edges;   ///< Edges of one triangle that are left: the rims of holes.
    double volume_before;     ///< Enclosed by the faces as given, m^3, holes closed by fans to the
                              ///< middle of the surface; negative if it is inside out.
    double volume_after;      ///< The same of the result.
} LyraSurfaceRepair;

/// Makes a surface of triangles that agree on what is outside as far as they can: vertices in one
/// place become one, triangles without area or given twice go, neighbours across an edge of two
/// triangles face the same way, the way that most of the area of their patch does. An open patch
/// that is no shell with small holes faces away from the middle of the surface. Holes stay. Groups,
/// materials, texture coordinates and normals are dropped. `report`: Nullable. The result may have
/// no faces.
LYRA_API LyraStatus lyra_surface_repair(const LyraSurface *surface, LyraSurfaceRepair *report,
                                        LyraSurface **out);

// ---- cubes and tets -----------------------------------------------------------------------------

/// How finely, and what counts as the body. Start from lyra_volume_def_default().
typedef struct LyraVolumeDef {
    int32_t resolution; ///< Cells along the longest edge of the box of the surface, >= 1.
                        ///< Default 32.
    bool repair;        ///< Repair the surface first, as lyra_surface_repair(). Default true.
    bool fill_cavities; ///< Cubes: fill what cannot be reached from outside. Default false.
    bool cover;         ///< Cubes: keep every cube that the surface touches, not only those whose
                        ///< centre is inside, so that the surface lies in the body. Default true.
    const LyraMeshMaterial *material; ///< Nullable: lyra_mesh_material_default(). Default NULL.
    uint32_t cookie;                  ///< Written by the default function only.
} LyraVolumeDef;

LYRA_API LyraVolumeDef lyra_volume_def_default(void);

/// What was done.
typedef struct LyraVolumeReport {
    LyraSurfaceRepair repair; ///< Zero without.
    double cell;              ///< Edge of a cell, m.
    bool layer; ///< Tets: the surface encloses nothing that the lattice sees, so the body is a
                ///< layer around it, about one cell thick to each side.
} LyraVolumeReport;

/// Makes a cube mesh of what is inside of `surface` by its winding number. `report`: Nullable.
/// Fails with LYRA_BAD_MESH for a surface without a face of some extent or, without `cover`, when
/// no cube has its centre inside; LYRA_TOO_LARGE beyond 2^31 - 1 cells.
LYRA_API LyraStatus lyra_mesh_voxelize(const LyraSurface *surface, const LyraVolumeDef *def,
                                       LyraVolumeReport *report, LyraMesh **out);

/// Makes a tet mesh by isosurface stuffing [LS07]: a body-centred cubic lattice whose
/// vertices near the surface move onto it and whose tets across it are cut. All dihedral angles are
/// above 10 degrees. `report`: Nullable. Fails as lyra_mesh_voxelize() does.
LYRA_API LyraStatus lyra_mesh_tetrahedralize(const LyraSurface *surface, const LyraVolumeDef *def,
                                             LyraVolumeReport *report, LyraMesh **out);

#ifdef __cplusplus
}
#endif

#endif
