// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Solves with A = S + U, where S is symmetric and has a solver, and U is what S leaves out.

#ifndef LY_SOLVE_OUTER_H
#define LY_SOLVE_OUTER_H

#include "solve/solve.h"

/// Room and settings. Zero but for the first fields at first.
typedef struct LyOuter {
    LyraContext *ctx;
    int64_t size;
    LyraSolver *inner;                                     // with a factor of S
    void (*apply)(void *user, const double *x, double *y); // y = A x
    void *user;
    double *Z, *W;     // directions and their images, [LY_OUTER_ROOM][size]
    double *r, *z, *w; // [size]
} LyOuter;

#define LY_OUTER_ROOM 12

void ly_outer_destroy(LyOuter *outer);

/// Solves P A P x = P b to |P (b - A x)| <= tolerance |P b|. `constraints`: Nullable. Statuses of
/// the inner solver, and LYRA_NOT_CONVERGED; x then holds the last iterate.
LyraStatus ly_outer_solve(LyOuter *outer, const LyraConstraints *constraints, double tolerance,
                          const double *b, bool warm, double *x, LyraSolveReport *report);

#endif
