// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What lists of springs, their forces and their kernels share.

#ifndef LY_FORCE_SPRINGS_H
#define LY_FORCE_SPRINGS_H

#include "lyra/springs.h"
#include "math/kernel.h"

struct LyraSprings {
    LyraContext *ctx;
    LyraSpringsView view;
    int32_t *vertices, *groups;
    double *rest_lengths;
    bool distinct; // pairs ascend and none stands twice
};

/// History of a maxwell-spring: tension of the branch, N, extension l - l0, m, and energy lost, J.
enum { LY_MAXWELL_TENSION = 0, LY_MAXWELL_EXTENSION, LY_MAXWELL_LOST, LY_MAXWELL_HISTORY };

typedef void LySpringKernel(const void *self, const LyraBatch *batch, LyraArena *scratch);

LY_KERNEL_DECLARE(LySpringKernel, ly_spring_undamped);
LY_KERNEL_DECLARE(LySpringKernel, ly_spring_full);
LY_KERNEL_DECLARE(LySpringKernel, ly_spring_along);           // four blocks
LY_KERNEL_DECLARE(LySpringKernel, ly_spring_along_symmetric); // one block
LY_KERNEL_DECLARE(LySpringKernel, ly_spring_constant);
LY_KERNEL_DECLARE(LySpringKernel, ly_spring_constant_full);
LY_KERNEL_DECLARE(LySpringKernel, ly_spring_maxwell);

#endif
