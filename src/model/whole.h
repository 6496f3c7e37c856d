// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// S and what stands beside it as one matrix that is not symmetric, with a solver for such ones.

#ifndef LY_MODEL_WHOLE_H
#define LY_MODEL_WHOLE_H

#include "lyra/solver.h"
#include "model/tangent.h"

/// Start from zeros, a context and a solver; the rest is made when it is first needed.
typedef struct LyWhole {
    LyraContext *ctx;
    LyraBlockPattern *pattern; // full
    LyraBlockMatrix *matrix;
    LyraSolver *solver;
    const LyraConstraints *constraints; // it was analyzed with
    bool analyzed;
    double tolerance; // that the solver was told; 0: none yet
} LyWhole;

void ly_whole_destroy(LyWhole *whole);

/// S will be on another pattern.
void ly_whole_forget_pattern(LyWhole *whole);

/// Takes S, adds what stands beside as it was formed last, and factors. `constraints`: in the
/// internal order. Nullable: none.
LyraStatus ly_whole_form(LyWhole *whole, const LyTangent *tangent, const LyraBlockMatrix *S,
                         const LyraConstraints *constraints);

/// Solves in the internal order.
LyraStatus ly_whole_solve(LyWhole *whole, double tolerance, const double *b, bool warm, double *x,
                          LyraSolveReport *report);

#endif
