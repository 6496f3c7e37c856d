// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Solves with consistent masses where vertices are wholly free or wholly held.

#ifndef LY_MODEL_MASS_SOLVE_H
#define LY_MODEL_MASS_SOLVE_H

#include "lyra/csr.h"
#include "lyra/solver.h"
#include "model/model.h"

/// Tolerance of solves with consistent masses where the solver iterates: far below the errors of
/// explicit integrators, and few iterations, since M is well conditioned.
#define LY_MASS_TOLERANCE 1e-13

/// One matrix for the three directions, made at the first solve. Start from zeros and a context.
typedef struct LyMassSolver {
    LyraContext *ctx;
    LyraCsrPattern *pattern;
    LyraCsrMatrix *matrix;
    LyraSolver *solver;
    int64_t *source; // place in the matrix of each number of the rows of masses, -1: none
    bool *held;      // [vertex_count]
    double *b, *x;   // [3][vertex_count]
    bool factored;
    uint64_t mass_version, constraints_version; // what the factor was made with
} LyMassSolver;

void ly_mass_solver_destroy(LyMassSolver *masses);

/// Whether all vertices are wholly free or wholly held.
bool ly_mass_solver_serves(const LyraModel *model);

/// Solves P M P x = P b in the caller's order, [3 vertex_count]. The two may be one.
LyraStatus ly_mass_solver_solve(LyMassSolver *masses, const LyraModel *model, const double *b,
                                double *x);

#endif
