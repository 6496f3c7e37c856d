// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Surfaces that bodies are made of, as nets of springs, cloth and shells: read from a file or taken
// from a program, placed, cut into triangles where asked, measured, and shown.

#ifndef LY_WORLD_SHEET_H
#define LY_WORLD_SHEET_H

#include "world/world.h"

/// Where the surface comes from: one of these.
typedef struct LySheetSource {
    const char *file;             // seen from the world's folder. Nullable
    const LyraSurface *surface;   // copied. Nullable
    const LyraSheetDef *generate; // Nullable
} LySheetSource;

/// A surface that a body is made of. Zero at first, then ended by ly_sheet_release().
typedef struct LySheet {
    LyraSurface *surface; // placed
    char *path;           // of its file. Nullable
} LySheet;

/// Reads and places the surface. `triangles`: cuts polygons; texture coordinates, groups and
/// materials are kept. A surface without faces is an error. Failures name keys below the body's.
LyraStatus ly_sheet_make(const LyraWorld *world, const LySheetSource *from,
                         const LyraPlacement *place, bool triangles, LySheet *sheet);

void ly_sheet_release(LyraContext *ctx, LySheet *sheet);

/// "FILE: " of its file, or "", for messages about its faces; `separator` has the second half.
const char *ly_sheet_name(const LySheet *sheet, const char **separator);

/// Writes the mass of each vertex, [vertex_count]: each corner of a face gets an equal share of the
/// area of the face times `density`.
void ly_sheet_share_areas(const LyraSurfaceView *surface, double density, double *masses);

/// Writes each edge of the faces once, lower vertex first, ascending: `pairs` has room for
/// 2 corner_count numbers.
LyraStatus ly_sheet_edges(LyraContext *ctx, const LyraSurfaceView *surface, int32_t *count,
                          int32_t *pairs);

/// The same, and of how many faces each edge is, [corner_count], which the caller releases, also on
/// failure.
LyraStatus ly_sheet_edge_uses(LyraContext *ctx, const LyraSurfaceView *surface, int32_t *count,
                              int32_t *pairs, int32_t **uses);

/// Scales masses so that their sum is `mass`; NaN leaves them as they are.
void ly_sheet_set_mass(int32_t count, double mass, double *masses);

/// Makes the cloth of a sheet of triangles by a body's settings, its stiffnesses times `factors`
/// (stretch, shear, bend_u, bend_v). `masses`: of the vertices, [vertex_count]. Nullable. Failures
/// name keys below `cloth`.
LyraStatus ly_cloth_make(LyraContext *ctx, const LyraSurface *sheet, const LyraBodyCloth *def,
                         const double factors[4], double *masses, LyraCloth **out);

/// The faces that a body without elements is made of, on its vertices; NULL where it has none.
const LyraSurface *ly_body_faces(const LyraBodyView *view);

/// Shows the surface, on the vertices of the body as they are: takes what the sheet holds.
LyraStatus ly_sheet_show(LyraContext *ctx, LyraBodyView *view, LySheet *sheet);

#endif
