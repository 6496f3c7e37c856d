// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Scalar sparse matrices in compressed rows, square or not, and their conversion from and to 3x3
/// blocks.
///
/// A part: it may change between minor versions, and lyra/lyra.h leaves it out (lyra/parts.h).

#ifndef LYRA_CSR_H
#define LYRA_CSR_H

#include "lyra/sparse.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- patterns -----------------------------------------------------------------------------------

/// Where the entries of a scalar matrix are. Constant once made, and shared by any number of
/// matrices. Upper storage is for square, symmetric matrices.
typedef struct LyraCsrPattern LyraCsrPattern;

/// The arrays of a pattern, valid while it lives.
typedef struct LyraCsrPatternView {
    int32_t row_count;        ///< Rows.
    int32_t column_count;     ///< Columns.
    int64_t entry_count;      ///< Stored entries.
    LyraStorage storage;      ///< Stored part.
    const int64_t *row_start; ///< First entry of each row, [row_count + 1].
    const int32_t *column;    ///< Column of each entry, ascending in a row, [entry_count].
} LyraCsrPatternView;

/// Pattern from rows given as lists of columns in any order, [row_start[row_count]]. Repeated
/// entries count once. For upper storage the matrix must be square, and (i, j) below the diagonal
/// stands for (j, i).
LYRA_API LyraStatus lyra_csr_pattern_create_rows(LyraContext *ctx, int32_t row_count,
                                                 int32_t column_count, LyraStorage storage,
                                                 const int64_t *row_start, const int32_t *column,
                                                 LyraCsrPattern **out);

/// Scalar pattern of a block pattern: every stored block gives its 9 entries, less those below the
/// diagonal for upper storage. Fails with LYRA_TOO_LARGE beyond 2^31 - 1 rows.
LYRA_API LyraStatus lyra_csr_pattern_create_block(const LyraBlockPattern *pattern,
                                                  LyraStorage storage, LyraCsrPattern **out);

/// Pattern of the transpose, in full storage; for upper storage, of the same matrix.
LYRA_API LyraStatus lyra_csr_pattern_transpose(const LyraCsrPattern *pattern, LyraCsrPattern **out);

/// The same square pattern in the other (or the same) storage, as lyra_block_pattern_convert().
LYRA_API LyraStatus lyra_csr_pattern_convert(const LyraCsrPattern *pattern, LyraStorage storage,
                                             LyraCsrPattern **out);

/// Ends a pattern whose matrices are all destroyed. Accepts NULL.
LYRA_API void lyra_csr_pattern_destroy(LyraCsrPattern *pattern);

/// Lends the arrays until the pattern is destroyed.
LYRA_API LyraCsrPatternView lyra_csr_pattern_view(const LyraCsrPattern *pattern);

/// Place of entry (row, column), -1 where the pattern has none. With upper storage only
/// column >= row can be found.
LYRA_API int64_t lyra_csr_pattern_find(const LyraCsrPattern *pattern, int32_t row, int32_t column);

// ---- matrices -----------------------------------------------------------------------------------

/// Values on a scalar pattern, aligned to 64 bytes.
typedef struct LyraCsrMatrix LyraCsrMatrix;

/// Matrix of zeros. `pattern` must outlive it.
LYRA_API LyraStatus lyra_csr_matrix_create(const LyraCsrPattern *pattern, LyraCsrMatrix **out);

/// Entries of a matrix in any order; those at one place are summed in the order given. For upper
/// storage (i, j) below the diagonal is added at (j, i): give each pair once.
typedef struct LyraCsrEntries {
    int32_t row_count, column_count; ///< Of the matrix, >= 0.
    LyraStorage storage;
    int64_t count;               ///< Of entries, >= 0.
    const int32_t *row, *column; ///< In range, [count].
    const double *value;         ///< [count]. Nullable: zeros.
} LyraCsrEntries;

/// Pattern and matrix from entries. Writes two objects: `pattern` must outlive `out`.
LYRA_API LyraStatus lyra_csr_matrix_create_entries(LyraContext *ctx, const LyraCsrEntries *entries,
                                                   LyraCsrPattern **pattern, LyraCsrMatrix **out);

/// Copy on the same pattern.
LYRA_API LyraStatus lyra_csr_matrix_copy(const LyraCsrMatrix *matrix, LyraCsrMatrix **out);

/// Ends a matrix. Accepts NULL.
LYRA_API void lyra_csr_matrix_destroy(LyraCsrMatrix *matrix);

/// Pattern the matrix was made on.
LYRA_API const LyraCsrPattern *lyra_csr_matrix_pattern(const LyraCsrMatrix *matrix);

/// Values, [entry_count], to read.
LYRA_API const double *lyra_csr_matrix_values(const LyraCsrMatrix *matrix);

/// Values, [entry_count], to write.
LYRA_API double *lyra_csr_matrix_values_mutable(LyraCsrMatrix *matrix);

/// matrix = 0.
LYRA_API void lyra_csr_matrix_zero(LyraCsrMatrix *matrix);

/// matrix *= a.
LYRA_API void lyra_csr_matrix_scale(LyraCsrMatrix *matrix, double a);

/// matrix += a other. LYRA_INVALID_ARGUMENT unless both were made on one pattern.
LYRA_API LyraStatus lyra_csr_matrix_axpy(LyraCsrMatrix *matrix, double a,
                                         const LyraCsrMatrix *other);

/// Copies values. LYRA_INVALID_ARGUMENT unless both were made on one pattern.
LYRA_API LyraStatus lyra_csr_matrix_set(LyraCsrMatrix *matrix, const LyraCsrMatrix *other);

/// matrix += a diag(d). `d`: [min(row_count, column_count)], Nullable: ones. LYRA_INVALID_ARGUMENT,
/// and nothing changes, if a diagonal entry is not in the pattern.
LYRA_API LyraStatus lyra_csr_matrix_add_diagonal(LyraCsrMatrix *matrix, double a, const double *d);

/// Entry (row, column) whatever the storage; 0 where the pattern has none.
LYRA_API double lyra_csr_matrix_get(const LyraCsrMatrix *matrix, int32_t row, int32_t column);

/// Adds to entry (row, column), for upper storage at (column, row) when below the diagonal.
/// LYRA_INVALID_ARGUMENT if the pattern has no such entry.
LYRA_API LyraStatus lyra_csr_matrix_add(LyraCsrMatrix *matrix, int32_t row, int32_t column,
                                        double value);

/// Copies the diagonal, [min(row_count, column_count)], zero where the pattern has none.
LYRA_API void lyra_csr_matrix_diagonal(const LyraCsrMatrix *matrix, double *diagonal);

/// Gives `matrix` the values of `source`, as lyra_block_matrix_assign().
LYRA_API LyraStatus lyra_csr_matrix_assign(LyraCsrMatrix *matrix, const LyraCsrMatrix *source);

/// Gives `matrix` the transpose of `source`, as lyra_block_matrix_assign().
LYRA_API LyraStatus lyra_csr_matrix_assign_transpose(LyraCsrMatrix *matrix,
                                                     const LyraCsrMatrix *source);

/// Gives `matrix` the values of a block matrix; its pattern is the one that
/// lyra_csr_pattern_create_block() makes, or one that holds it. Upper storage reads the upper part
/// of diagonal blocks. LYRA_INVALID_ARGUMENT if an entry has no place; the values are then as
/// before. Allocates nothing.
LYRA_API LyraStatus lyra_csr_matrix_assign_block(LyraCsrMatrix *matrix,
                                                 const LyraBlockMatrix *source);

/// Gives a block matrix the values of a scalar one of 3 times its rows. LYRA_INVALID_ARGUMENT if
/// an entry has no block; the values are then as before.
LYRA_API LyraStatus lyra_block_matrix_assign_csr(LyraBlockMatrix *matrix,
                                                 const LyraCsrMatrix *source);

/// Largest |a_ij - a_ji|, NaN if an entry compared is NaN; 0 for upper storage, infinite for a
/// matrix that is not square.
LYRA_API double lyra_csr_matrix_asymmetry(const LyraCsrMatrix *matrix);

// ---- products -----------------------------------------------------------------------------------
//
// x and y may not overlap. Results have the same bits at any thread count. Nothing is allocated.
// One matrix serves one product at a time.

/// y = A x, x [column_count], y [row_count].
LYRA_API void lyra_csr_matrix_multiply(const LyraCsrMatrix *matrix, const double *x, double *y);

/// y += a A x.
LYRA_API void lyra_csr_matrix_multiply_add(const LyraCsrMatrix *matrix, double a, const double *x,
                                           double *y);

/// y = A^T x, x [row_count], y [column_count].
LYRA_API void lyra_csr_matrix_multiply_transposed(const LyraCsrMatrix *matrix, const double *x,
                                                  double *y);

/// y += a A^T x.
LYRA_API void lyra_csr_matrix_multiply_transposed_add(const LyraCsrMatrix *matrix, double a,
                                                      const double *x, double *y);

/// Y = A X for `columns` columns, column c at x + c x_stride and y + c y_stride.
LYRA_API void lyra_csr_matrix_multiply_columns(const LyraCsrMatrix *matrix, int32_t columns,
                                               const double *x, int64_t x_stride, double *y,
                                               int64_t y_stride);

#ifdef __cplusplus
}
#endif

#endif
