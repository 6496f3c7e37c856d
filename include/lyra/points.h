// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Points of bodies, and sets of stencils over points that are set anew again and again, as pairs
/// in contact, pulls and ties are. The kernel of a set is an ordinary LyraForceType whose nodes are
/// points.

#ifndef LYRA_POINTS_H
#define LYRA_POINTS_H

#include "lyra/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A point that moves with vertices: x = sum of weights[k] x(vertices[k]), and its displacement and
/// velocity likewise. A vertex itself, a point of a triangle or a tet, a vertex of an embedded
/// surface. The weights of all these sum to 1; others are taken as they are.
typedef struct LyraSurfacePoint {
    int32_t count;           ///< Vertices, at least 1.
    const int32_t *vertices; ///< [count].
    const double *weights;   ///< [count]. Nullable with one vertex: 1.
} LyraSurfacePoint;

/// Stencils of one kind of force over points. It is cleared and filled by the code that knows which
/// stencils there are, and evaluated by the system that owns it. One thread at a time.
typedef struct LyraStencilSet LyraStencilSet;

/// What a set holds, valid until it is changed. Stencils stand in the order in which they came.
typedef struct LyraStencilSetView {
    int32_t count;            ///< Stencils.
    int32_t nodes;            ///< Points of a stencil.
    const uint64_t *keys;     ///< [count].
    const int64_t *start;     ///< First entry of each point, [count * nodes + 1].
    const int32_t *vertices;  ///< Of the entries.
    const double *weights;    ///< Of the entries.
    const double *parameters; ///< [count][parameters of the type].
} LyraStencilSetView;

/// Forgets all stencils and keeps the room.
LYRA_API LyraStatus lyra_stencil_set_clear(LyraStencilSet *set);

/// Adds a stencil; everything is copied. `key` names it from one setting to the next, so that its
/// history finds it; where the force has history, keys are distinct. `points`: [nodes of the type];
/// they may share vertices. `parameters`: [parameters of the type], Nullable without. Fails, and
/// leaves the set as it was, for a vertex that is none, a weight that is not finite or a parameter
/// that is not of its kind. Allocates only where the room does not suffice.
LYRA_API LyraStatus lyra_stencil_set_add(LyraStencilSet *set, uint64_t key,
                                         const LyraSurfacePoint *points, const double *parameters);

LYRA_API LyraStencilSetView lyra_stencil_set_view(const LyraStencilSet *set);

#ifdef __cplusplus
}
#endif

#endif
