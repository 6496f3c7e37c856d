// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Sparse matrices of 3x3 blocks, one row of blocks per vertex: patterns from stencils, the slots
/// that make assembly a scatter, operations and products. Scalar matrices are in csr.h.

#ifndef LYRA_SPARSE_H
#define LYRA_SPARSE_H

#include "lyra/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- patterns -----------------------------------------------------------------------------------

/// Which part of a matrix is stored.
typedef enum LyraStorage {
    LYRA_STORAGE_FULL = 0, ///< Every entry of the pattern.
    LYRA_STORAGE_UPPER,    ///< Columns >= row of a symmetric matrix; the rest is the transpose.
    LYRA_STORAGE_COUNT
} LyraStorage;

/// A set of stencils that each couple the same number of vertices, such as all tets of a mesh.
typedef struct LyraStencils {
    int32_t nodes;      ///< Vertices per stencil, [1, 64].
    int64_t count;      ///< Stencils, [0, 2^31 - 1].
    const int32_t *ids; ///< Vertices, [count][nodes]; those of one stencil are distinct.
} LyraStencils;

/// Where the blocks of a matrix are. Constant once made, and shared by any number of matrices. The
/// diagonal block of every row is present, also where no stencil touches the vertex.
typedef struct LyraBlockPattern LyraBlockPattern;

/// The arrays of a pattern, valid while it lives.
typedef struct LyraBlockPatternView {
    int32_t row_count;        ///< Block rows and block columns: vertices.
    int64_t block_count;      ///< Stored blocks, at most 2^31 - 1.
    LyraStorage storage;      ///< Stored part.
    const int64_t *row_start; ///< First block of each row, [row_count + 1].
    const int32_t *column;    ///< Column of each block, ascending in a row, [block_count].
    const int32_t *diagonal;  ///< Place of each diagonal block, [row_count].
} LyraBlockPatternView;

/// Pattern of all pairs of vertices that share a stencil, in time near linear in their number.
/// `sets`: [set_count], Nullable when set_count is 0. Fails with LYRA_TOO_LARGE beyond 2^31 - 1
/// blocks and with LYRA_INVALID_ARGUMENT for an id that is repeated or not in [0, row_count).
LYRA_API LyraStatus lyra_block_pattern_create(LyraContext *ctx, int32_t row_count,
                                              LyraStorage storage, int32_t set_count,
                                              const LyraStencils *sets, LyraBlockPattern **out);

/// Pattern from rows given as lists of columns in any order, [row_start[row_count]]. Repeated
/// entries count once; the diagonal is added; for upper storage (i, j) below the diagonal stands
/// for (j, i).
LYRA_API LyraStatus lyra_block_pattern_create_rows(LyraContext *ctx, int32_t row_count,
                                                   LyraStorage storage, const int64_t *row_start,
                                                   const int32_t *column, LyraBlockPattern **out);

/// The same pattern in the other (or the same) storage. Upper from full keeps the union of the
/// upper part and the transposed lower part.
LYRA_API LyraStatus lyra_block_pattern_convert(const LyraBlockPattern *pattern, LyraStorage storage,
                                               LyraBlockPattern **out);

/// Ends a pattern whose matrices are all destroyed. Accepts NULL.
LYRA_API void lyra_block_pattern_destroy(LyraBlockPattern *pattern);

/// Lends the arrays until the pattern is destroyed.
LYRA_API LyraBlockPatternView lyra_block_pattern_view(const LyraBlockPattern *pattern);

/// Place of block (row, column), -1 where the pattern has none. With upper storage only
/// column >= row can be found.
LYRA_API int32_t lyra_block_pattern_find(const LyraBlockPattern *pattern, int32_t row,
                                         int32_t column);

/// Slots per stencil: nodes^2 for full storage, nodes (nodes + 1) / 2 for upper.
LYRA_API int32_t lyra_stencil_slot_count(LyraStorage storage, int32_t nodes);

/// Writes, for each stencil, the places of its blocks: `slots` [count][slot count]. Full storage:
/// pairs of local nodes (a, b) row by row. Upper storage: pairs a <= b row by row; a slot s >= 0 is
/// the place of block (ids[a], ids[b]), and s < 0 says that ids[a] > ids[b]: the place is ~s and
/// holds the transpose. Fails with LYRA_INVALID_ARGUMENT if the pattern lacks a pair; the content
/// of `slots` is then undefined.
LYRA_API LyraStatus lyra_block_pattern_slots(const LyraBlockPattern *pattern,
                                             const LyraStencils *stencils, int32_t *slots);

// ---- matrices -----------------------------------------------------------------------------------

/// Values on a block pattern: 9 doubles per block, row-major, aligned to 64 bytes.
typedef struct LyraBlockMatrix LyraBlockMatrix;

/// Matrix of zeros. `pattern` must outlive it.
LYRA_API LyraStatus lyra_block_matrix_create(const LyraBlockPattern *pattern,
                                             LyraBlockMatrix **out);

/// Copy on the same pattern.
LYRA_API LyraStatus lyra_block_matrix_copy(const LyraBlockMatrix *matrix, LyraBlockMatrix **out);

/// Ends a matrix. Accepts NULL.
LYRA_API void lyra_block_matrix_destroy(LyraBlockMatrix *matrix);

/// Pattern the matrix was made on.
LYRA_API const LyraBlockPattern *lyra_block_matrix_pattern(const LyraBlockMatrix *matrix);

/// Values, [block_count][9], to read.
LYRA_API const double *lyra_block_matrix_values(const LyraBlockMatrix *matrix);

/// Values, [block_count][9], to write.
LYRA_API double *lyra_block_matrix_values_mutable(LyraBlockMatrix *matrix);

/// matrix = 0.
LYRA_API void lyra_block_matrix_zero(LyraBlockMatrix *matrix);

/// matrix *= a.
LYRA_API void lyra_block_matrix_scale(LyraBlockMatrix *matrix, double a);

/// matrix += a other. LYRA_INVALID_ARGUMENT unless both were made on one pattern.
LYRA_API LyraStatus lyra_block_matrix_axpy(LyraBlockMatrix *matrix, double a,
                                           const LyraBlockMatrix *other);

/// Copies values. LYRA_INVALID_ARGUMENT unless both were made on one pattern.
LYRA_API LyraStatus lyra_block_matrix_set(LyraBlockMatrix *matrix, const LyraBlockMatrix *other);

/// matrix += a diag(d). `d`: [3 row_count], Nullable: ones.
LYRA_API void lyra_block_matrix_add_diagonal(LyraBlockMatrix *matrix, double a, const double *d);

/// Block (row, column) whatever the storage; zeros where the pattern has none.
LYRA_API void lyra_block_matrix_get_block(const LyraBlockMatrix *matrix, int32_t row,
                                          int32_t column, double block[9]);

/// Adds `a` times a block at (row, column); below the diagonal of upper storage its transpose at
/// (column, row). LYRA_INVALID_ARGUMENT if the pattern has no such block.
LYRA_API LyraStatus lyra_block_matrix_add_block(LyraBlockMatrix *matrix, int32_t row,
                                                int32_t column, double a, const double block[9]);

/// Copies the diagonal blocks, [row_count][9].
LYRA_API void lyra_block_matrix_diagonal_blocks(const LyraBlockMatrix *matrix, double *blocks);

/// Copies the diagonal, [3 row_count].
LYRA_API void lyra_block_matrix_diagonal(const LyraBlockMatrix *matrix, double *diagonal);

/// Gives `matrix` the values of `source`, which may have another pattern and another storage: full
/// from upper writes both triangles, upper from full reads the upper one. LYRA_INVALID_ARGUMENT if
/// a block of `source` has no place; the values are then as before.
LYRA_API LyraStatus lyra_block_matrix_assign(LyraBlockMatrix *matrix,
                                             const LyraBlockMatrix *source);

/// Gives `matrix` the transpose of `source`. For upper storage this only transposes the diagonal
/// blocks. LYRA_INVALID_ARGUMENT as lyra_block_matrix_assign().
LYRA_API LyraStatus lyra_block_matrix_assign_transpose(LyraBlockMatrix *matrix,
                                                       const LyraBlockMatrix *source);

/// Largest |a_ij - a_ji| (for upper storage, inside diagonal blocks), NaN if an entry compared is
/// NaN; 0 says symmetric.
LYRA_API double lyra_block_matrix_asymmetry(const LyraBlockMatrix *matrix);

// ---- products -----------------------------------------------------------------------------------
//
// Vectors have 3 row_count entries, and x and y may not overlap. Results have the same bits at any
// thread count. Nothing is allocated. A matrix owns the scratch of its products, so one matrix
// serves one product at a time.

/// y = A x.
LYRA_API void lyra_block_matrix_multiply(const LyraBlockMatrix *matrix, const double *x, double *y);

/// y += a A x.
LYRA_API void lyra_block_matrix_multiply_add(const LyraBlockMatrix *matrix, double a,
                                             const double *x, double *y);

/// y = A^T x; for upper storage, which is symmetric, A x.
LYRA_API void lyra_block_matrix_multiply_transposed(const LyraBlockMatrix *matrix, const double *x,
                                                    double *y);

/// y += a A^T x.
LYRA_API void lyra_block_matrix_multiply_transposed_add(const LyraBlockMatrix *matrix, double a,
                                                        const double *x, double *y);

/// Gives the matrix scratch to work on `columns`, [1, 4], columns in one pass of
/// lyra_block_matrix_multiply_columns(), 1 before this call.
LYRA_API LyraStatus lyra_block_matrix_reserve_columns(LyraBlockMatrix *matrix, int32_t columns);

/// Y = A X for `columns` columns, column c at x + c x_stride and y + c y_stride, strides
/// >= 3 row_count. Each column has the bits of lyra_block_matrix_multiply(). Upper storage reads
/// the matrix once per group of reserved columns, full storage once per 4.
LYRA_API void lyra_block_matrix_multiply_columns(const LyraBlockMatrix *matrix, int32_t columns,
                                                 const double *x, int64_t x_stride, double *y,
                                                 int64_t y_stride);

/// Y += a A X, otherwise as lyra_block_matrix_multiply_columns().
LYRA_API void lyra_block_matrix_multiply_columns_add(const LyraBlockMatrix *matrix, double a,
                                                     int32_t columns, const double *x,
                                                     int64_t x_stride, double *y, int64_t y_stride);

#ifdef __cplusplus
}
#endif

#endif
