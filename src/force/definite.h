// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Whether the matrices of elements are positive semi-definite.

#ifndef LY_FORCE_DEFINITE_H
#define LY_FORCE_DEFINITE_H

#include "lyra/force.h"
#include "math/kernel.h"
#include "math/lanes.h"

/// Puts the tangents of `exact` in place of those of `dfdx` in the lanes where they, or their
/// symmetric parts, have no eigenvalue below -4e-13 of their norm. Both have the layout of a
/// translation invariant type with `nodes` nodes, at most 10: pairs a < b, or all blocks if
/// not `symmetric`.
typedef void LyKeepPositiveKernel(int nodes, bool symmetric, const double *exact, double *dfdx);
LY_KERNEL_DECLARE(LyKeepPositiveKernel, ly_keep_positive);

/// Bytes that ly_evaluate_positive() pushes beside what `evaluate` does.
#define LY_POSITIVE_SCRATCH(nodes, symmetric)                                                      \
    ((size_t)((symmetric) ? (nodes) * ((nodes)-1) / 2 : (nodes) * (nodes)) * 9 *                   \
     LYRA_BATCH_WIDTH * sizeof(double))

/// Evaluates a batch with `psd` and puts the exact tangent in where it is positive.
LY_INLINE void ly_evaluate_positive(void (*evaluate)(const void *, const LyraBatch *), int nodes,
                                    bool symmetric, const void *self, const LyraBatch *batch,
                                    LyraArena *scratch)
{
    double *exact = lyra_arena_push(scratch, LY_POSITIVE_SCRATCH(nodes, symmetric));
    LyraBatch again = *batch;
    evaluate(self, batch);
    again.psd = false;
    again.energy = again.gradient = again.trial_history = NULL;
    again.dfdx = exact;
    evaluate(self, &again);
    LY_KERNEL(ly_keep_positive)(nodes, symmetric, exact, batch->dfdx);
}

#endif
