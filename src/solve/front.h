// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The parts of the front end: the table of solvers, what it asks of matrices, the two ways in which
// constraints enter without the solver's help, and the check that statics is held.

#ifndef LY_SOLVE_FRONT_H
#define LY_SOLVE_FRONT_H

#include "lyra/dense.h"
#include "solve/constraints.h"
#include "solve/solve.h"

// ---- table --------------------------------------------------------------------------------------

/// Writes the names of the solvers that have all of `traits`, "a, b or c", to text [capacity].
void ly_solver_list(uint32_t traits, size_t capacity, char *text);

// ---- matrices -----------------------------------------------------------------------------------

/// LYRA_NOT_FINITE with the place of the first entry that is no number.
LyraStatus ly_operator_check_finite(LyraContext *ctx, const LyraOperator *A, const int32_t *labels);

/// Copies the diagonal, [size]. False where it is unknown.
bool ly_operator_diagonal(const LyraOperator *A, double *diagonal);

// ---- constraints by elimination -----------------------------------------------------------------

/// P A P + s (I - P) with memory of its own, in the form of A.
typedef struct LyEliminated {
    LyraContext *ctx;
    const LyraConstraints *constraints;
    LyraOperator E; // what the solver sees
    LyraOperator A; // for callbacks
    double s;
    LyraBlockMatrix *block;
    LyraCsrPattern *csr_pattern;
    LyraCsrMatrix *csr;
    double *dense;
    double *diagonal; // [size]
    double *scratch;  // for callbacks, [size]
} LyEliminated;

/// Takes the pattern. `out` is filled in place, where E of a callback points at, and empty on
/// failure.
LyraStatus ly_eliminated_create(LyraContext *ctx, const LyraOperator *A,
                                const LyraConstraints *constraints, LyEliminated *out);

/// Takes values on the pattern, and the constraints as they are now.
LyraStatus ly_eliminated_update(LyEliminated *eliminated, const LyraOperator *A);
int64_t ly_eliminated_bytes(const LyEliminated *eliminated);
void ly_eliminated_destroy(LyEliminated *eliminated);

// ---- constraints by the low-rank form -----------------------------------------------------------

/// Columns U^ = A^-1 N of a factored matrix, kept for as long as the factor is.
typedef struct LyLowRank {
    LyraContext *ctx;
    int32_t size;
    bool symmetric;
    uint64_t version;        // of the constraints it fits; 0: none
    int32_t count, capacity; // directions
    int32_t *vertex;         // [capacity]
    double *direction;       // [capacity][3]
    int32_t *slot;           // column of each direction, [capacity]
    double **columns;        // [capacity]: [size] each, NULL until needed
    double *matrix;          // N^T U^, [capacity * capacity]
    double *lambda;          // [capacity]
    double *unit;            // right-hand sides and answers of a chunk of columns
    LyraDenseFactor *factor;
    int32_t factor_size;
} LyLowRank;

void ly_low_rank_create(LyraContext *ctx, const LyraOperator *A, LyLowRank *out);

/// Forgets the columns: there is a new factor.
void ly_low_rank_reset(LyLowRank *low_rank);

/// Brings columns up to date with the constraints; only new directions are solved for.
LyraStatus ly_low_rank_update(LyLowRank *low_rank, const LyraConstraints *constraints,
                              const LyraSolverType *type, void *self);

/// x = A^-1 b in, the solution with N^T x = 0 out.
LyraStatus ly_low_rank_correct(const LyLowRank *low_rank, double *x);
int64_t ly_low_rank_bytes(const LyLowRank *low_rank);
void ly_low_rank_destroy(LyLowRank *low_rank);

// ---- statics ------------------------------------------------------------------------------------

/// LYRA_SINGULAR with a sentence that names them if there are rigid motions that neither the
/// constraints nor the block matrix resist. `positions` [size / 3][3]. `constraints`, `labels`:
/// Nullable.
/// `always` says whether the constraints resist them all, whatever the values of the matrix.
LyraStatus ly_check_held(LyraContext *ctx, const LyraOperator *A,
                         const LyraConstraints *constraints, const double *positions,
                         const int32_t *labels, bool *always);

#endif
