// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What selections ask of a mesh.

#ifndef LY_WORLD_SELECT_H
#define LY_WORLD_SELECT_H

#include "lyra/mesh_ops.h"
#include "world/world.h"

/// What is selected.
typedef enum LySelectKind { LY_SELECT_VERTICES, LY_SELECT_FACES, LY_SELECT_ELEMENTS } LySelectKind;

/// The set that a selector names: one of the three, or none.
typedef struct LyNamedSet {
    const LyraMeshSet *elements;
    const LyraMeshVertexSet *vertices;
    const LyraMeshFaceSet *faces;
} LyNamedSet;

/// Whether a selector says anything.
bool ly_selector_says_any(const LyraSelector *select);

/// Finds the set `select->set`, where names of several kinds are alike that of the selected kind,
/// then that of vertices, of faces, of elements. Elements are selected by sets of elements alone.
/// One that does not exist is an error that lists those that do.
LyraStatus ly_select_set(const LyraMeshView *mesh, const LyraSelector *select, LySelectKind kind,
                         LyNamedSet *set);

/// Whether a set has a face.
bool ly_set_has_face(const LyraMeshFaceSet *set, int32_t element, int32_t side);

/// Marks in `in` [element_count] the elements of the component that `select` names.
LyraStatus ly_select_component(LyraContext *ctx, const LyraMesh *mesh, const LyraSelector *select,
                               uint8_t *in);

/// Marks in `in` [face_count] the triangles of a sheet in the group or the material that is called
/// `name`. One that does not exist is an error at `key` that lists those that do.
LyraStatus ly_select_sheet_set(const LyraSurfaceView *view, const char *key, const char *name,
                               bool *in);

/// The same for a part of the sheet that shares no vertex with the rest.
LyraStatus ly_select_sheet_component(LyraContext *ctx, const LyraSurfaceView *view,
                                     const LyraSelector *select, bool *in);

/// Of the `count` points, [count][3], that are marked in `in` only the nearest stay, as
/// `select->near` says. `what` they are, for messages.
LyraStatus ly_select_nearest(LyraContext *ctx, const LyraSelector *select, int32_t count,
                             const double *points, const char *what, uint8_t *in);

#endif
