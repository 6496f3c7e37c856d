// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Inside the operations on tets of 10 nodes.

#ifndef LY_MESH_QUADRATIC_H
#define LY_MESH_QUADRATIC_H

#include "mesh/mesh.h"

/// A copy of a mesh as one of another kind with as many nodes.
LyraStatus ly_mesh_change_kind(const LyraMesh *mesh, LyraElementKind kind, LyraMesh **out);

/// lyra_mesh_refine for tets of 10 nodes.
LyraStatus ly_refine_quadratic(const LyraMesh *mesh, LyraMesh **out);

/// lyra_mesh_refine for tets at vertices that are there already: `middles` [element_count][6].
LyraStatus ly_refine_at(const LyraMesh *mesh, const int32_t *middles, LyraMesh **out);

/// Moves a point on a face with the corners x to the true shape; false: leaves it.
typedef bool LyMeshProject(const void *shape, const double *const x[3], double point[3]);

/// Moves the middle nodes on the boundary of a mesh that nobody else has yet. Elements that would
/// fold over stay straight.
LyraStatus ly_mesh_curve(LyraMesh *mesh, LyMeshProject *project, const void *shape);

#endif
