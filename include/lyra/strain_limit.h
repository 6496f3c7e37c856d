// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Limits of strain for triangles: cloth gives easily up to some stretch and hardly beyond it. As
/// an energy beside other forces, or as a projection of positions after a step. The formulas are in
/// docs/theory/strain_limits.md.

#ifndef LYRA_STRAIN_LIMIT_H
#define LYRA_STRAIN_LIMIT_H

#include "lyra/cloth.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Bounds of the principal stretches of each triangle. Start from lyra_strain_limit_def_default().
typedef struct LyraStrainLimitDef {
    double low;       ///< Least stretch, [0, high]. Default 0: none.
    double high;      ///< Largest stretch, > 0. Default 1.1.
    double stiffness; ///< Of the energy, N/m, >= 0. Default 1e5.
    uint32_t cookie;  ///< Written by the default function only.
} LyraStrainLimitDef;

LYRA_API LyraStrainLimitDef lyra_strain_limit_def_default(void);

/// Parameters of the force "strain-limit", by triangle.
typedef enum LyraStrainLimitParameter {
    LYRA_STRAIN_LIMIT_LOW = 0,
    LYRA_STRAIN_LIMIT_HIGH,
    LYRA_STRAIN_LIMIT_STIFFNESS,
    LYRA_STRAIN_LIMIT_PARAMETER_COUNT
} LyraStrainLimitParameter;

/// Makes the force that keeps the triangles of a cloth within bounds of stretch, measured in the
/// plane of its fabric. The cloth may end before it. Fails with LYRA_INVALID_ARGUMENT for numbers
/// that are not allowed.
LYRA_API LyraStatus lyra_strain_limit_create(const LyraCloth *cloth, const LyraStrainLimitDef *def,
                                             LyraForce **out);

/// How positions are projected.
typedef struct LyraStrainProjection {
    double low, high; ///< As in LyraStrainLimitDef.
    int32_t passes;   ///< At most, over all triangles, >= 1.
    double tolerance; ///< Stretches may be beyond their bounds by this, >= 0.
    /// What moves each vertex: a symmetric positive semi-definite matrix, 1/kg, [vertex_count][9];
    /// 1/m of a free one, 0 of one that is held, 1/m (1 - n n^T) of one that is held along n.
    const double *mobility;
} LyraStrainProjection;

/// What a projection did.
typedef struct LyraStrainProjected {
    int32_t passes; ///< That moved something.
    double beyond;  ///< By how much a stretch is beyond its bounds at the end.
} LyraStrainProjected;

/// Moves `positions` [vertex_count][3] until all stretches are within their bounds, or `passes` are
/// over: each triangle by the least motion, weighed by mass, that takes it there. The moves of the
/// vertices of a triangle have no sum and no moment, so momentum of both kinds stays. One triangle
/// after another, in order: the same bits at any thread count. Allocates nothing.
LYRA_API LyraStrainProjected lyra_cloth_limit_strain(const LyraCloth *cloth,
                                                     const LyraStrainProjection *projection,
                                                     double *positions);

#ifdef __cplusplus
}
#endif

#endif
