// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Lines: vertices and the edges between them, of which rods are made. Files are the lines of OBJ
/// (`l`), VTK (legacy text) and Gmsh (2.2 text).

#ifndef LYRA_LINES_H
#define LYRA_LINES_H

#include "lyra/base.h"
#include "lyra/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The data of lines: what a view lends and what is copied.
typedef struct LyraLinesView {
    int32_t vertex_count, edge_count;
    const double *positions; ///< m, [vertex_count][3].
    const int32_t *edges;    ///< [edge_count][2].
    const double *radii;     ///< Of edges, m, > 0, [edge_count]. Nullable: not said.
} LyraLinesView;

/// Immutable.
typedef struct LyraLines LyraLines;

/// Copies `data`. Fails with LYRA_BAD_MESH for an edge that names a vertex twice or one out of
/// range, LYRA_NOT_FINITE for numbers that are not finite.
LYRA_API LyraStatus lyra_lines_create(LyraContext *ctx, const LyraLinesView *data, LyraLines **out);

/// Accepts NULL.
LYRA_API void lyra_lines_destroy(LyraLines *lines);

LYRA_API LyraLinesView lyra_lines_view(const LyraLines *lines);

/// Reads lines, by the extension .obj, .vtk or .msh. Other cells are passed over, vertices that no
/// line has are left out. VTK files may have cell data `radius`. Failures name file and line.
LYRA_API LyraStatus lyra_lines_load(LyraContext *ctx, const char *path, LyraLines **out);

/// Writes .obj or .vtk, whole or not at all. Numbers read back to the same bits; OBJ has no radii.
LYRA_API LyraStatus lyra_lines_save(const LyraLines *lines, const char *path);

/// Writes lines with fields as `.vtu`, as lyra_mesh_save_fields() does a mesh: elements are edges.
LYRA_API LyraStatus lyra_lines_save_fields(LyraContext *ctx, const LyraLinesView *lines,
                                           const char *path, double time, int32_t field_count,
                                           const LyraField *fields);

// ---- generated lines ----------------------------------------------------------------------------

typedef enum LyraLineShape {
    LYRA_LINE_ROPE = 0, ///< Straight, from one point to another.
    LYRA_LINE_HELIX,    ///< About an axis along z; of no pitch and one turn a closed ring.
    LYRA_LINE_CURVE,    ///< A smooth curve through points.
    LYRA_LINE_SHAPE_COUNT
} LyraLineShape;

/// A point that a curve goes through.
typedef struct LyraLinePoint {
    double at[3]; ///< m.
} LyraLinePoint;

/// Settings of a generated line. Start from lyra_line_def_default().
typedef struct LyraLineDef {
    LyraLineShape shape;         ///< Default LYRA_LINE_ROPE.
    int32_t edges;               ///< > 0. Default 50.
    double from[3], to[3];       ///< Of a rope, m. Default 0 and (1, 0, 0).
    double radius;               ///< Of a helix, m, > 0. Default 0.1.
    double pitch;                ///< Of a helix, m per turn. Default 0.05.
    double turns;                ///< Of a helix, > 0. Default 5.
    double center[3];            ///< Of a helix: the begin of its axis, m. Default 0.
    const LyraLinePoint *points; ///< Of a curve, [point_count], at least 2.
    int32_t point_count;
    bool closed;     ///< A curve goes back to its first point. Default false.
    uint32_t cookie; ///< Written by the default function only.
} LyraLineDef;

LYRA_API LyraLineDef lyra_line_def_default(void);

/// Edges of a curve are about equally long. Fails with LYRA_INVALID_ARGUMENT.
LYRA_API LyraStatus lyra_lines_generate(LyraContext *ctx, const LyraLineDef *def, LyraLines **out);

#ifdef __cplusplus
}
#endif

#endif
