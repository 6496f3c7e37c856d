// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Selectors: which vertices, faces or elements of a body are meant.

#ifndef LYRA_WORLD_SELECT_H
#define LYRA_WORLD_SELECT_H

#include "lyra/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct LyraWorld LyraWorld;

typedef struct LyraSelectBox {
    double min[3], max[3]; ///< Corners, m.
} LyraSelectBox;

typedef struct LyraSelectSphere {
    double center[3], radius; ///< m.
} LyraSelectSphere;

/// The side of a plane that its normal points to.
typedef struct LyraSelectHalfSpace {
    double point[3]; ///< m.
    double normal[3];
} LyraSelectHalfSpace;

/// Parts of the surface that face a direction; for vertices by the mean normal around.
typedef struct LyraSelectNormal {
    double direction[3];
    double angle; ///< How far off, rad, in (0, pi). Default pi / 6.
} LyraSelectNormal;

/// Points near a place; of two at one distance the first counts.
typedef struct LyraSelectNear {
    double point[3]; ///< m.
    double distance; ///< At most this far, m. NaN: not given.
    int64_t count;   ///< In place of it: the nearest ones, so many. 0: not given.
} LyraSelectNear;

/// What a selector says of the surface.
typedef enum LyraSelectSurface {
    LYRA_SELECT_ANYWHERE = 0,
    LYRA_SELECT_SURFACE,
    LYRA_SELECT_INNER, ///< Walls of cavities.
    LYRA_SELECT_OUTER, ///< The rest of the surface.
} LyraSelectSurface;

/// Which vertices, faces or elements: those that meet all that is said; at least one thing must
/// be. Places are those at rest. A face is in if all its vertices are, an element if its centre
/// is. Start from lyra_selector_default().
typedef struct LyraSelector {
    bool all;
    const int32_t *vertices; ///< Numbers, from 0, in the order of the mesh. Nullable.
    int32_t vertex_count;
    const char *file; ///< A `.bou` file of numbers. Nullable.
    int64_t first;    ///< What stands for the first vertex in `file`. Default 1.
    /// A set of the mesh, of vertices, faces or elements: its vertices. Faces are selected by a
    /// set of faces as they are, elements by sets of elements alone. Nullable.
    const char *set;
    const LyraSelectBox *box;              ///< Nullable.
    const LyraSelectSphere *sphere;        ///< Nullable.
    const LyraSelectHalfSpace *half_space; ///< Nullable.
    const LyraSelectNear *near;            ///< Nullable.
    /// A part of the body that shares no vertex with the rest, numbered by their first elements.
    /// Default -1: not given.
    int64_t component;
    const double *component_at; ///< The part at or nearest to this place, m, [3]. Nullable.
    LyraSelectSurface surface;
    const LyraSelectNormal *normal; ///< Nullable.
    bool invert;                    ///< What was not selected.
} LyraSelector;

LYRA_API LyraSelector lyra_selector_default(void);

#ifdef __cplusplus
}
#endif

#endif
