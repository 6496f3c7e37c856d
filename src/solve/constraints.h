// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The inside of a set of constraints, for the files of solve only.

#ifndef LY_SOLVE_CONSTRAINTS_H
#define LY_SOLVE_CONSTRAINTS_H

#include "base/base.h"
#include "lyra/constraint.h"
#include "lyra/csr.h"

struct LyraConstraints {
    LyraContext *ctx;
    int32_t size, vertex_count;
    int32_t count, capacity;
    uint64_t version;
    int32_t *vertex;   // ascending, [capacity]
    double *direction; // orthonormal in a vertex, [capacity][3]
    double *value;     // [capacity]
    uint8_t *held;     // directions of each vertex, 0 to 3, [vertex_count]
    uint8_t *mark;     // scratch of changes, zero between calls, [vertex_count]
    uint8_t *scalar;   // whether a vertex is a scalar node, [vertex_count]. NULL: none is
    bool keeps;        // the first two directions of scalar nodes, which come before any other
};

/// Unknowns of a vertex: 3 but for a last one.
static inline int32_t ly_vertex_width(int32_t size, int32_t vertex)
{
    int32_t width = size - 3 * vertex;
    return width < 3 ? width : 3;
}

/// First direction of the first vertex that is not below `vertex`.
int32_t ly_constraints_begin(const LyraConstraints *constraints, int32_t vertex);

/// P of one vertex, 3x3; exactly zero where three directions are held.
void ly_constraints_block(const LyraConstraints *constraints, int32_t vertex, double P[9]);

/// x = sum n value, zero elsewhere. False if all values are zero.
bool ly_constraints_prescribed(const LyraConstraints *constraints, double *x);

/// As lyra_constraints_eliminate_block. `matrix` is on a pattern in which the unknowns of a vertex
/// share their columns and every block is whole, the diagonal ones included
/// (ly_csr_pattern_whole_blocks), and holds A.
void ly_constraints_eliminate_csr(const LyraConstraints *constraints, double s,
                                  LyraCsrMatrix *matrix);

/// The same for a dense matrix in place, [size][size].
void ly_constraints_eliminate_dense(const LyraConstraints *constraints, double s, double *matrix);

/// The pattern with every touched 3x3 block whole and all diagonal blocks present.
LyraStatus ly_csr_pattern_whole_blocks(LyraContext *ctx, const LyraCsrPattern *pattern,
                                       LyraCsrPattern **out);

#endif
