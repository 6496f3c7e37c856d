// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Files of dense matrices and vectors: NumPy's .npy and the binary matrices of Vega.
///
/// Values pass as bits: NaN and infinities are kept. A file is written beside its target and moved
/// into place when complete, so a failure leaves no half-written file.
///
/// A part: it may change between minor versions, and lyra/lyra.h leaves it out (lyra/parts.h).

#ifndef LYRA_MATRIX_FILE_H
#define LYRA_MATRIX_FILE_H

#include "lyra/dense.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- NumPy --------------------------------------------------------------------------------------

/// Reads an array of one dimension (as one column) or two. Format versions 1.0 and 2.0, either
/// order of storage; numbers of 4 or 8 bytes, real or signed integer, of either byte order. An
/// integer that a double cannot hold exactly, and other types, are LYRA_UNSUPPORTED; bytes after
/// the array are LYRA_BAD_FORMAT.
LYRA_API LyraStatus lyra_dense_load_npy(LyraContext *ctx, const char *path, LyraDense **out);

/// Reads frame `frame` of an array of three dimensions (frames, rows, columns) in C order, and no
/// more of the file; a negative one counts from the end. Arrays of one or two dimensions are one
/// frame. LYRA_INVALID_ARGUMENT where there is no such frame; otherwise as lyra_dense_load_npy().
LYRA_API LyraStatus lyra_dense_load_npy_frame(LyraContext *ctx, const char *path, int64_t frame,
                                              LyraDense **out);

/// How an array is laid out in a .npy file.
typedef enum LyraNpyLayout {
    LYRA_NPY_COLUMN_MAJOR = 0, ///< Two dimensions, Fortran order.
    LYRA_NPY_ROW_MAJOR,        ///< Two dimensions, C order.
    LYRA_NPY_VECTOR,           ///< One dimension; the matrix has one column.
} LyraNpyLayout;

/// Writes a column-major matrix as '<f8', format version 1.0.
LYRA_API LyraStatus lyra_dense_save_npy(LyraContext *ctx, const char *path, LyraNpyLayout layout,
                                        LyraDenseView matrix);

// ---- Vega ---------------------------------------------------------------------------------------

/// Reads one matrix: int32 rows, int32 columns, float64 values by columns, all little-endian. Bytes
/// after it are LYRA_BAD_FORMAT.
LYRA_API LyraStatus lyra_dense_load_vega(LyraContext *ctx, const char *path, LyraDense **out);

/// Writes one matrix as lyra_dense_load_vega() reads it.
LYRA_API LyraStatus lyra_dense_save_vega(LyraContext *ctx, const char *path, LyraDenseView matrix);

/// Matrices read from one file.
typedef struct LyraDenseList LyraDenseList;

/// Reads matrices as of lyra_dense_load_vega(), one after another to the end of the file. An empty
/// file is a list of none.
LYRA_API LyraStatus lyra_dense_list_load_vega(LyraContext *ctx, const char *path,
                                              LyraDenseList **out);

/// Writes `count` matrices, one after another.
LYRA_API LyraStatus lyra_dense_list_save_vega(LyraContext *ctx, const char *path, int32_t count,
                                              const LyraDenseView *matrices);

/// Matrices in the list.
LYRA_API int32_t lyra_dense_list_count(const LyraDenseList *list);

/// Lends matrix `index` in [0, count) until the list is destroyed.
LYRA_API LyraDenseView lyra_dense_list_view(const LyraDenseList *list, int32_t index);

/// Accepts NULL.
LYRA_API void lyra_dense_list_destroy(LyraDenseList *list);

#ifdef __cplusplus
}
#endif

#endif
