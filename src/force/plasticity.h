// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Plastic flow at points of isotropic solids: what set-up and kernels share.
//
// A stencil remembers LY_FLOW_COUNT numbers per point, then the energy that it has lost so far, J.
// Zeros are a point that nothing has happened to.

#ifndef LY_FORCE_PLASTICITY_H
#define LY_FORCE_PLASTICITY_H

#include "lyra/force.h"
#include "lyra/plasticity.h"

#include <stddef.h>

/// History of a point: Fp^-1 - 1, row-major; for kinematic hardening the plastic strain 11, 22, 33,
/// 12, 23, 31 and three zeros. Then the equivalent plastic strain, and 1 where flow has stopped;
/// with a goal, the distance to it.
enum { LY_FLOW_G = 0, LY_FLOW_ALPHA = 9, LY_FLOW_LOCKED, LY_FLOW_COUNT };

/// Places of the parameters after those of the elastic solid.
enum {
    LY_PLASTIC_YIELD = 0,
    LY_PLASTIC_HARDENING,
    LY_PLASTIC_VISCOSITY,
    LY_PLASTIC_FLOW_MAX,
    LY_PLASTIC_STEP_MAX,
    LY_PLASTIC_LIMIT,
    LY_PLASTIC_KINEMATIC,
    LY_PLASTIC_COUNT,
    // of a branch
    LY_BRANCH_TIME = 0,
    LY_BRANCH_COUNT,
    // of `deformation`
    LY_DEFORMATION_STRAIN = 0,
    LY_DEFORMATION_LIMIT,
    LY_DEFORMATION_GOAL,
    LY_DEFORMATION_COUNT = LY_DEFORMATION_GOAL,
    LY_PLASTIC_PARAMETERS_MAX = LY_DEFORMATION_GOAL + 6
};

typedef enum LyFlowRule {
    LY_FLOW_VON_MISES,
    LY_FLOW_KINEMATIC,
    LY_FLOW_DEFORMATION,
    LY_FLOW_BRANCH
} LyFlowRule;

/// A branch of viscoelasticity, beside the criteria of LyraYield; `viscosity` is its relaxation
/// time.
#define LY_YIELD_BRANCH LYRA_YIELD_COUNT

#define LY_FLOW_POINTS_MAX 8
#define LY_STRENGTH_ROWS_MAX 32

/// What all elements share.
typedef struct LyPlasticity {
    LyFlowRule rule;
    bool keeps_volume, goal;
    int32_t first_parameter; // of those above, in the force
    int32_t parameter_count;
    /// Strength over that at no flow, t(alpha), as lines: t = factor + slope (alpha - strain) from
    /// `strain` on; `integral` is that of t - 1 up to there.
    int32_t rows;
    double strain[LY_STRENGTH_ROWS_MAX], factor[LY_STRENGTH_ROWS_MAX];
    double slope[LY_STRENGTH_ROWS_MAX], integral[LY_STRENGTH_ROWS_MAX];
    int32_t history_count;
    const char *history_names[LY_FLOW_POINTS_MAX * LY_FLOW_COUNT + 1];
    const char *history_units[LY_FLOW_POINTS_MAX * LY_FLOW_COUNT + 1];
    char history_text[LY_FLOW_POINTS_MAX * LY_FLOW_COUNT + 1][32];
} LyPlasticity;

/// Checks the settings for a law of the name given.
LyraStatus ly_plasticity_check(const LyraPlasticityDef *def, const char *law);

/// Makes what `points` points per element share, and the names and kinds of its parameters and
/// their values at first; those of the force begin at `first_parameter`.
LyraStatus ly_plasticity_create(LyraContext *ctx, const LyraPlasticityDef *def, int32_t points,
                                int32_t first_parameter, LyPlasticity **out);

int32_t ly_plasticity_parameters(const LyraPlasticityDef *def,
                                 const char *names[LY_PLASTIC_PARAMETERS_MAX],
                                 LyraParameterKind kinds[LY_PLASTIC_PARAMETERS_MAX],
                                 double values[LY_PLASTIC_PARAMETERS_MAX]);

#endif
