// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Loads on the surface of a body, as forces over its triangles, flat or curved: dead tractions,
/// live ones that turn and stretch with the surface, and pressure. Stated in
/// docs/theory/traction.md.

#ifndef LYRA_TRACTION_H
#define LYRA_TRACTION_H

#include "lyra/force.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a load on a surface follows.
typedef enum LyraTractionKind {
    LYRA_TRACTION_DEAD = 0, ///< Force per area at rest, of fixed direction.
    LYRA_TRACTION_LIVE,     ///< Force per area now; its direction is carried by the surface.
    LYRA_TRACTION_PRESSURE, ///< Force per area now, against the normal that leaves the material.
    LYRA_TRACTION_COUNT
} LyraTractionKind;

/// Parameters of "traction", for lyra_assembly_set_parameter().
typedef enum LyraTractionParameter {
    LYRA_TRACTION_FACTOR = 0, ///< Multiplies the load of the triangle. Default 1.
    LYRA_TRACTION_PARAMETER_COUNT
} LyraTractionParameter;

/// Settings of a load on a surface. Start from lyra_traction_def_default(). Arrays are copied.
typedef struct LyraTractionDef {
    LyraTractionKind kind; ///< Default LYRA_TRACTION_DEAD.
    double traction[3];    ///< Pa, in the directions at rest; dead and live ones. Default 0.
    double pressure; ///< Pa; > 0 pushes into the material, which inflates a cavity. Default 0.
    int32_t triangle_count;
    int32_t nodes; ///< Vertices of a triangle: 3; or 6, the last three the middles from each corner
                   ///< to the next, as lyra_mesh_boundary_view() has them. Default 3.
    const int32_t *triangles; ///< Vertices, counter-clockwise from outside of the material, so from
                              ///< within a cavity. [triangle_count][nodes].
    /// Factor of the load at time t, s: called from any thread. Nullable: 1. Default NULL.
    double (*amplitude)(void *user, double t);
    void *user; ///< Handed to `amplitude`. Nullable.
    /// dfdx keeps its symmetric part only, so that matrices stay symmetric. Default false: dfdx is
    /// exact, and makes the matrices of an assembly full where it is not symmetric.
    bool symmetric;
    uint32_t cookie; ///< Written by the default function only.
} LyraTractionDef;

LYRA_API LyraTractionDef lyra_traction_def_default(void);

/// A load on triangles between vertices at rest at `positions` [vertex_count][3]. Its gradient is
/// minus the load. Dead loads are gradients of an energy, and so is pressure where the triangles
/// form a closed surface (every edge run through once in each direction); other pressures and live
/// tractions have no energy, and with `psd` their dfdx is 0. Fails with LYRA_BAD_MESH, naming the
/// first one, for a triangle without area at rest.
LYRA_API LyraStatus lyra_traction_create(LyraContext *ctx, int32_t vertex_count,
                                         const double *positions, const LyraTractionDef *def,
                                         LyraForce **out);

#ifdef __cplusplus
}
#endif

#endif
