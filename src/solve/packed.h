// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Scalar nodes, three to a vertex, for solvers.

#ifndef LY_SOLVE_PACKED_H
#define LY_SOLVE_PACKED_H

#include "solve/solve.h"

/// A block matrix whose scalar nodes share vertices, with its constraints and what is known of its
/// vertices. All zero where there is none.
typedef struct LyPacked {
    LyraContext *ctx;
    LyraOperator A;               // what solvers see
    LyraConstraints *constraints; // and their constraints
    double *positions;            // [3 rows]. Nullable
    int32_t *labels;              // [rows]

    int32_t vertices, rows;          // before and after
    const LyraBlockPattern *before;  // pattern of what is packed
    const LyraConstraints *followed; // constraints of what is packed
    uint64_t version;                // of those, as they were taken
    bool taken, moved;               // they were; some have values
    int32_t *row;                    // of each vertex, [vertices]
    int32_t *member;                 // vertices of each row, -1: none, [rows][3]
    int8_t *place;                   // of scalar nodes in their row; -1: a vertex, [vertices]
    LyraBlockPattern *pattern;
    LyraBlockMatrix *block;
    int64_t *start;  // what makes a block, [blocks + 1]
    int32_t *source; // its block
    uint8_t *how;    // ... and where that goes
    int32_t columns; // that those below have room for
    double *B, *X;   // [columns][3 rows]
    double *values;  // of constraints, before and after
    int64_t bytes;
} LyPacked;

/// Packs the pattern where `constraints` know of enough scalar nodes; leaves `out` zero otherwise,
/// and on failure. `positions`, `labels`: as in LyraSolverDef.
LyraStatus ly_packed_create(LyraContext *ctx, const LyraOperator *A,
                            const LyraConstraints *constraints, const double *positions,
                            const int32_t *labels, LyPacked *out);
void ly_packed_destroy(LyPacked *packed);

/// Takes values on the pattern.
LyraStatus ly_packed_update(LyPacked *packed, const LyraOperator *A);

/// Takes the constraints as they are now.
LyraStatus ly_packed_follow(LyPacked *packed);

/// Room for columns.
LyraStatus ly_packed_reserve(LyPacked *packed, int32_t columns);

/// A vector before to one after, and back.
void ly_packed_take(const LyPacked *packed, const double *x, double *y);
void ly_packed_give(const LyPacked *packed, const double *y, double *x);

#endif
