// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The inside of searches for modes: a basis that is orthonormal in the inner product of M, and the
// operator S^-1 M with S = K + sigma M on the free unknowns.

#ifndef LY_REDUCE_MODES_H
#define LY_REDUCE_MODES_H

#include "base/base.h"
#include "lyra/modes.h"

/// A search under way. The basis holds V_0 ... V_(filled - 1); the images S^-1 M V_j of the first
/// `processed` are known by their products with all of V, the columns of T.
typedef struct LySearch {
    LyraContext *ctx;
    LyraSystem *system;
    int32_t size;       // unknowns
    int32_t free_count; // free ones
    int32_t count;      // modes wanted
    int32_t block;      // vectors of a block
    int32_t capacity;   // of the basis
    int32_t processed, filled;
    LyraVector **V; // [capacity]
    LyraVector *w, *p;
    double *T;              // [capacity * capacity], column-major
    double *ritz;           // values of the processed part of T, falling, [capacity]
    double *Y;              // their vectors, [capacity * capacity], column-major
    double *A;              // scratch, [capacity * (capacity + 2)]
    double *values;         // of (K, M), rising, [count]
    double tolerance;       // of residuals, relative to theta; set before each search
    double solve_tolerance; // of solves
    uint64_t random;        // of the sequence of starts
    int32_t solves, solves_max, restarts, overlooked;
    const char *solver; // that served last
} LySearch;

/// w = S^-1 M x on the free unknowns; `Mx` is M x.
LyraStatus ly_search_solve(LySearch *search, const LyraVector *Mx, LyraVector *w);

/// Makes the basis ready to hold `count` modes of the system as it is formed now.
LyraStatus ly_search_create(LyraSystem *system, const LyraModesDef *def, double solve_tolerance,
                            LySearch *out);
void ly_search_destroy(LySearch *search);

/// Block Lanczos until `count` values are found. On return V_0 ... V_(count - 1) are their vectors
/// and `ritz` the values of S^-1 M, falling.
LyraStatus ly_search_run(LySearch *search);

/// Turns the modes V_0 ... V_(count - 1) within their span so that they diagonalise K; `values` are
/// then their eigenvalues, rising.
LyraStatus ly_search_polish(LySearch *search);

/// Goes on from polished modes and a new block, with S = K + sigma M formed, until nothing is found
/// that was overlooked (a value more often multiple than the block is wide). Polishes.
LyraStatus ly_search_check(LySearch *search, double sigma);

/// The next number of a fixed sequence, in [-1, 1].
double ly_search_random(LySearch *search);

/// Fills the first `count` vectors of V, and `ritz`, by ARPACK.
LyraStatus ly_search_arpack(LySearch *search);

/// Whether ARPACK is in this build and can serve a body with so few unknowns.
bool ly_search_arpack_serves(const LySearch *search);

#endif
