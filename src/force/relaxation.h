// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Prony series at points of isotropic solids: what set-up and kernels share.

#ifndef LY_FORCE_RELAXATION_H
#define LY_FORCE_RELAXATION_H

#include "lyra/force.h"
#include "lyra/viscoelasticity.h"

/// History of a point, as the last step left it: Green's strain E and the relaxing part S of the
/// second Piola stress (11 22 33 12 23 31), W, U, U', J - 1, the moduli mu and K at rest then (0:
/// no step yet), then for each branch its stress (6) and its pressure. A stencil remembers those of
/// its points, then what it has lost so far, J.
enum {
    LY_PRONY_E = 0,
    LY_PRONY_S = 6,
    LY_PRONY_W = 12,
    LY_PRONY_U,
    LY_PRONY_SLOPE,
    LY_PRONY_J,
    LY_PRONY_MU,
    LY_PRONY_BULK,
    LY_PRONY_BRANCHES,
    LY_PRONY_STRESS = 0,
    LY_PRONY_PRESSURE = 6,
    LY_PRONY_BRANCH_COUNT
};

#define LY_PRONY_POINTS_MAX 8
#define LY_PRONY_HISTORY_MAX                                                                       \
    (LY_PRONY_POINTS_MAX *                                                                         \
         (LY_PRONY_BRANCHES + LYRA_RELAXATION_BRANCHES_MAX * LY_PRONY_BRANCH_COUNT) +              \
     1)

/// What all elements share.
typedef struct LyProny {
    bool corotated; // strain and stress of rotated frames; the branches alone
    bool alone;     // the branches alone, without the law that they are shares of
    int32_t branch_count;
    LyraRelaxationBranch branches[LYRA_RELAXATION_BRANCHES_MAX];
    int32_t point_count, numbers; // per point
    int32_t history_count;
    const char *history_names[LY_PRONY_HISTORY_MAX], *history_units[LY_PRONY_HISTORY_MAX];
    char history_text[LY_PRONY_HISTORY_MAX][24];
} LyProny;

LyraStatus ly_viscoelasticity_check(const LyraViscoelasticityDef *def);

LyraStatus ly_prony_create(LyraContext *ctx, const LyraViscoelasticityDef *def, int32_t points,
                           LyProny **out);

#endif
