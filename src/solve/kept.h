// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// An old factor as the preconditioner of conjugate gradients. The tangent of one step is near that
// of the step before, so (A_old)^-1 A_new is near the identity and a few iterations do what a new
// factor would; each costs one product and one solve with the factor.

#ifndef LY_SOLVE_KEPT_H
#define LY_SOLVE_KEPT_H

#include "solve/front.h"

typedef struct LyKept {
    LyraContext *ctx;
    const LyraSolverType *direct; // makes and keeps the factor
    void *self;                   // NULL: not analyzed
    LyEliminated eliminated;      // what it factors, where there are constraints
    const LyraConstraints *constraints;
    int32_t size;
    double *work;           // of the iteration, [4 size]
    double *start;          // start values, for a second try, [size]
    bool factored;          // there is a factor
    bool current;           // it is one of the values at hand
    LyraSolveReport report; // of the factor
} LyKept;

/// What a solve by the factor may do.
typedef struct LyKeptSolve {
    const LyraOperator *A;
    LyraSolverStop stop;
    double tolerance;
    int32_t iterations_max;
    bool truncate;
    LyWatch *watch; // Nullable
} LyKeptSolve;

/// Takes the pattern of A; `direct` makes and keeps the factor. `constraints` are filtered, and
/// eliminated from what is factored. Nullable: none. On failure `out` is empty.
LyraStatus ly_kept_create(LyraContext *ctx, const LyraSolverType *direct, const LyraSolverDef *def,
                          const LyraOperator *A, const LyraConstraints *constraints, LyKept *out);
void ly_kept_destroy(LyKept *kept);
int64_t ly_kept_bytes(const LyKept *kept);

/// A new factor, of the values of A. On failure there is none.
LyraStatus ly_kept_factor(LyKept *kept, const LyraOperator *A);

/// Solves for one right-hand side; `iterations` are those of this call. On failure x holds the last
/// iterate.
LyraStatus ly_kept_solve(LyKept *kept, const LyKeptSolve *solve, const double *b, bool warm,
                         double *x, LyraSolveReport *report, int32_t *iterations);

#endif
