// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Whether the matrices of elements are positive semi-definite.

#ifndef LY_FORCE_DEFINITE_H
#define LY_FORCE_DEFINITE_H

#include "lyra/force.h"
#include "math/kernel.h"
#include "math/lanes.h"

#include <string.h>

/// Puts the tangents of `exact` in place of those of `dfdx` in the lanes where they, or their
/// symmetric parts, have no eigenvalue below -4e-13 of their norm. Both have the layout of a
/// translation invariant type with `nodes` nodes, at most 10: pairs a < b, or all blocks if
/// not `symmetric`.
typedef void LyKeepPositiveKernel(int nodes, bool symmetric, const double *exact, double *dfdx);
LY_KERNEL_DECLARE(LyKeepPositiveKernel, ly_keep_positive);

/// The two halves of it: 1 or 0 for each lane of `exact`, and whether all are 1; and the exchange.
typedef bool LyIsPositiveKernel(int nodes, bool symmetric, const double *exact, double *lanes);
typedef void LyKeepLanesKernel(int nodes, bool symmetric, const double *lanes, const double *exact,
                               double *dfdx);
LY_KERNEL_DECLARE(LyIsPositiveKernel, ly_is_positive);
LY_KERNEL_DECLARE(LyKeepLanesKernel, ly_keep_lanes);

/// Bytes that ly_evaluate_positive() pushes beside what `evaluate` does.
#define LY_POSITIVE_SCRATCH(nodes, symmetric)                                                      \
    ((size_t)((symmetric) ? (nodes) * ((nodes)-1) / 2 : (nodes) * (nodes)) * 9 *                   \
     LYRA_BATCH_WIDTH * sizeof(double))

/// Evaluates a batch, and puts the tangent with `psd` in where the exact one is not positive.
LY_INLINE void ly_evaluate_positive(void (*evaluate)(const void *, const LyraBatch *), int nodes,
                                    bool symmetric, const void *self, const LyraBatch *batch,
                                    LyraArena *scratch)
{
    size_t bytes = LY_POSITIVE_SCRATCH(nodes, symmetric);
    double *exact = lyra_arena_push(scratch, bytes);
    double lanes[LYRA_BATCH_WIDTH] __attribute__((aligned(64)));
    LyraBatch again = *batch;
    again.psd = false;
    evaluate(self, &again);
    if (LY_KERNEL(ly_is_positive)(nodes, symmetric, batch->dfdx, lanes)) {
        return;
    }
    memcpy(exact, batch->dfdx, bytes);
    again.psd = true;
    again.energy = again.gradient = again.trial_history = NULL;
    evaluate(self, &again);
    LY_KERNEL(ly_keep_lanes)(nodes, symmetric, lanes, exact, batch->dfdx);
}

#endif
