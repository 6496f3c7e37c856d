// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the generators share.

#ifndef LY_MESH_GENERATE_H
#define LY_MESH_GENERATE_H

#include "lyra/mesh_generate.h"
#include "mesh/mesh.h"

#define LY_TETS_PER_CELL 6

/// A mesh under construction, its arrays filled from the front.
typedef struct LyMeshBuilder {
    LyraContext *ctx;
    LyraElementKind kind;
    int32_t vertex_count, element_count;
    double *positions; // [vertex_count][3]
    int32_t *elements; // [element_count][nodes]
    int32_t *next;     // where the next element goes
} LyMeshBuilder;

/// Makes room. LYRA_TOO_LARGE where a count is beyond int32.
LyraStatus ly_mesh_builder_init(LyMeshBuilder *builder, LyraContext *ctx, LyraElementKind kind,
                                int64_t vertex_count, int64_t element_count);

/// Turns it into a mesh of one material, or gives its memory back when that fails.
LyraStatus ly_mesh_builder_finish(LyMeshBuilder *builder, const LyraMeshMaterial *material,
                                  LyraMesh **out);

/// Adds the six tets of a cell. Bit i of an index into `corner` is the corner's place along axis i
/// of the cell; cells that share a face must agree on the directions of its two axes.
/// `right_handed`: whether the three axes are.
void ly_mesh_builder_add_cell(LyMeshBuilder *builder, const int32_t corner[8], bool right_handed);

/// Tet meshes of the round shapes.
LyraStatus ly_generate_round(LyraContext *ctx, const LyraMeshShapeDef *def, LyraMesh **out);

/// Cube meshes of the round shapes.
LyraStatus ly_generate_round_cubes(LyraContext *ctx, const LyraMeshShapeDef *def, LyraMesh **out);

/// As lyra_mesh_create_from_voxels, with a material (nullable).
LyraStatus ly_mesh_create_from_voxels(LyraContext *ctx, int64_t count, const int32_t *voxels,
                                      const double origin[3], double size,
                                      const LyraMeshMaterial *material, LyraMesh **out);

#endif
