// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the adapters of direct sparse libraries share: the scalar matrix that such a library reads,
// filled through places found once, and an estimate of conditions.

#ifndef LY_SOLVE_DIRECT_H
#define LY_SOLVE_DIRECT_H

#include "solve/solve.h"

// ---- scalar matrices for libraries --------------------------------------------------------------

/// Part of a matrix that is copied.
typedef enum LyColumnsPart {
    LY_COLUMNS_LOWER, // columns of the lower triangle of a symmetric matrix, diagonals all there
    LY_COLUMNS_ROWS,  // all rows: as columns, those of the transpose
} LyColumnsPart;

/// A matrix in compressed columns with ascending rows, and where each entry comes from. The lower
/// triangle by columns is the upper one by rows, so nothing is sorted.
typedef struct LyColumns {
    LyraContext *ctx;
    LyColumnsPart part;
    LyraOperatorKind kind; // of the matrix it is made for
    int32_t size;
    int64_t count;        // entries
    int64_t source_count; // values of the matrix it is made for
    int64_t *start;       // [size + 1]
    int64_t *index;       // [count]
    int64_t *source; // place in the values of the matrix, -1: a zero it does not store, [count]
    double *values;  // [count]
} LyColumns;

/// Takes the pattern of a block or CSR matrix. On failure `out` is empty.
LyraStatus ly_columns_create(LyraContext *ctx, const LyraOperator *A, LyColumnsPart part,
                             LyColumns *out);
void ly_columns_destroy(LyColumns *columns);

/// Copies the values of A, which is on the pattern of create. LYRA_NOT_FINITE,
/// LYRA_INVALID_ARGUMENT where A is of another form or size.
LyraStatus ly_columns_gather(LyColumns *columns, const LyraOperator *A);

int64_t ly_columns_bytes(const LyColumns *columns);

// ---- symmetric factors --------------------------------------------------------------------------

/// Cholesky and LDL^T factors without pivoting, ours or those of a library. symmetric.c makes a
/// solver of it: it judges matrices by their pivots and conditions, shifts, and gives way to LU.
typedef struct LySymmetricType {
    const char *name;
    bool reads_operator; // and needs no columns
    LyraStatus (*create)(LyraContext *ctx, void **self);
    /// Takes the pattern. `columns`, the lower triangle, stays in place and has the values later;
    /// of a type that reads the operator it is empty.
    LyraStatus (*analyze)(void *self, const LyraOperator *A, const LyColumns *columns);
    /// Factors the values of the columns, or those of A with `added` [size] (nullable) on its
    /// diagonal. `failed`: the first unknown whose pivot is not positive, with `ldl` one that ends
    /// LDL^T, or -1.
    LyraStatus (*factor)(void *self, const LyraOperator *A, const double *added, bool ldl,
                         int64_t *failed);
    /// The pivots of the factor, d of L D L^T, [size] in the order of unknowns.
    void (*pivots)(const void *self, double *pivots);
    LyraStatus (*solve)(void *self, int32_t columns, const double *B, double *X);
    int64_t (*entries)(const void *self); // stored numbers of the factor
    int64_t (*bytes)(const void *self);
    void (*destroy)(void *self);
} LySymmetricType;

/// The functions of a LyraSolverType; create takes the type besides.
LyraStatus ly_symmetric_create(LyraContext *ctx, const LyraSolverDef *def,
                               const LySymmetricType *type, void **out);
LyraStatus ly_symmetric_analyze(void *self, const LyraOperator *A,
                                const LyraConstraints *constraints);
LyraStatus ly_symmetric_factor(void *self, const LyraOperator *A, LyraSolveReport *report);
LyraStatus ly_symmetric_solve(void *self, int32_t columns, const double *B, bool warm, double *X,
                              LyraSolveReport *report);
int64_t ly_symmetric_bytes(const void *self);
void ly_symmetric_destroy(void *self);

/// All of them but create, in the initialiser of a LyraSolverType.
#define LY_SYMMETRIC_FUNCTIONS                                                                     \
    .analyze = ly_symmetric_analyze, .factor = ly_symmetric_factor, .solve = ly_symmetric_solve,   \
    .bytes = ly_symmetric_bytes, .destroy = ly_symmetric_destroy

/// What the type made, for questions that only it answers.
const void *ly_symmetric_inner(const void *self);

/// The smallest pivot of the last Cholesky factor over the diagonal entry it started from.
double ly_symmetric_smallest_pivot(const void *self);

// ---- factors with pivoting ----------------------------------------------------------------------

/// What a factorization found.
typedef struct LyPivotedFacts {
    bool singular;    // a pivot is zero
    int32_t negative; // pivots below 0 of a symmetric matrix
    int64_t entries;  // stored numbers of the factor
} LyPivotedFacts;

/// LU, and LDL^T of symmetric matrices, with pivoting, by a library. pivoted.c makes a solver of
/// it.
typedef struct LyPivotedType {
    const char *name;
    LyraStatus (*create)(LyraContext *ctx, void **self);
    /// Takes the pattern: all rows, or those of the upper triangle with all diagonals. `rows` stays
    /// in place and has the values later.
    LyraStatus (*analyze)(void *self, bool symmetric, const LyColumns *rows);
    /// Factors the values of the rows.
    LyraStatus (*factor)(void *self, LyPivotedFacts *facts);
    LyraStatus (*solve)(void *self, bool transposed, int32_t columns, const double *B, double *X);
    int64_t (*bytes)(const void *self);
    void (*destroy)(void *self);
} LyPivotedType;

/// The functions of a LyraSolverType; create takes the type besides.
LyraStatus ly_pivoted_create(LyraContext *ctx, const LyraSolverDef *def, const LyPivotedType *type,
                             void **out);
LyraStatus ly_pivoted_analyze(void *self, const LyraOperator *A,
                              const LyraConstraints *constraints);
LyraStatus ly_pivoted_factor(void *self, const LyraOperator *A, LyraSolveReport *report);
LyraStatus ly_pivoted_solve(void *self, int32_t columns, const double *B, bool warm, double *X,
                            LyraSolveReport *report);
int64_t ly_pivoted_bytes(const void *self);
void ly_pivoted_destroy(void *self);

/// All of them but create, in the initialiser of a LyraSolverType.
#define LY_PIVOTED_FUNCTIONS                                                                       \
    .analyze = ly_pivoted_analyze, .factor = ly_pivoted_factor, .solve = ly_pivoted_solve,         \
    .bytes = ly_pivoted_bytes, .destroy = ly_pivoted_destroy

// ---- threads of others --------------------------------------------------------------------------

/// Keeps OpenMP, where a library brought it, to the calling thread. Gives what resume is to be
/// told.
int ly_openmp_pause(void);
void ly_openmp_resume(int levels);

// ---- conditions ---------------------------------------------------------------------------------

/// A factored matrix A, seen through its solves, with scales of rows and columns.
typedef struct LyCondition {
    int32_t size;
    const double *row_scale, *column_scale; // the matrix judged is diag(row) A diag(column)
    double norm;                            // its largest sum of magnitudes in a column
    /// x = A^-1 b or, transposed, A^-T b.
    LyraStatus (*solve)(void *user, bool transposed, const double *b, double *x);
    void *user;
    double *work; // [3 size]
} LyCondition;

/// Estimates the reciprocal condition of the scaled matrix in the 1-norm by a few solves.
LyraStatus ly_condition_estimate(const LyCondition *condition, double *rcond);

/// Below this a matrix counts as singular: four units of rounding.
#define LY_RCOND_SINGULAR (4 * 2.220446049250313e-16)

#endif
