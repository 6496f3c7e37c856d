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
