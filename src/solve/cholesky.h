// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What a Cholesky factor costs, known from the pattern before any number is computed.

#ifndef LY_SOLVE_CHOLESKY_H
#define LY_SOLVE_CHOLESKY_H

#include "solve/solve.h"

/// Cost of a Cholesky factor.
typedef struct LyCholeskyCost {
    int64_t entries; // numbers of the factor
    double flops;    // of a factorization, products and sums counted apart
    int64_t bytes;   // that the solver holds
} LyCholeskyCost;

/// The cost for an instance of ly_solver_cholesky after its analyze.
LyCholeskyCost ly_cholesky_cost(const void *self);

#endif
