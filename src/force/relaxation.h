// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Prony series at points of isotropic solids: what set-up and kernels share.

#ifndef LY_FORCE_RELAXATION_H
#define LY_FORCE_RELAXATION_H

#include "lyra/force.h"
#include "lyra/material.h"
#include "lyra/viscoelasticity.h"
#include "math/kernel.h"

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
    double rates[LYRA_BATCH_WIDTH]; // 1/time of each branch, 1/s
    /// 1/(4 beta) and 1/(2 beta') of each branch, 0 where that is 0: what H:H/mu and p^2/K are to
    /// what a branch stores.
    double shear_compliance[LYRA_RELAXATION_BRANCHES_MAX];
    double bulk_compliance[LYRA_RELAXATION_BRANCHES_MAX];
    /// Whether the moduli at rest are sums of parameters of the law times these factors.
    bool linear;
    double mu[LYRA_MATERIAL_PARAMETERS_MAX], K[LYRA_MATERIAL_PARAMETERS_MAX];
    int32_t point_count, numbers; // per point
    int32_t history_count;
    const char *history_names[LY_PRONY_HISTORY_MAX], *history_units[LY_PRONY_HISTORY_MAX];
    char history_text[LY_PRONY_HISTORY_MAX][24];
} LyProny;

/// What a step of dt does at all points: a, g and k of each branch, B and B', and the sums of beta
/// k and beta' k; see prony_point_kernel.c.
typedef struct LyPronySteps {
    double decay[LYRA_BATCH_WIDTH] __attribute__((aligned(64)));
    double growth[LYRA_BATCH_WIDTH] __attribute__((aligned(64)));
    double mean[LYRA_BATCH_WIDTH] __attribute__((aligned(64)));
    double shear, bulk, shear_mean, bulk_mean;
} LyPronySteps;

typedef void LyPronyStepsKernel(const LyProny *prony, double dt, LyPronySteps *steps);
LY_KERNEL_DECLARE(LyPronyStepsKernel, ly_prony_steps);

/// The trait of types whose stencils relax by a Prony series, and that series of such a force.
#define LY_FORCE_RELAXES (1u << 29)
const LyProny *ly_prony_of(const void *self);

LyraStatus ly_viscoelasticity_check(const LyraViscoelasticityDef *def);

/// `law`: the one that relaxes.
LyraStatus ly_prony_create(LyraContext *ctx, const LyraViscoelasticityDef *def, int32_t points,
                           const LyraMaterialType *law, const void *user, LyProny **out);

#endif
