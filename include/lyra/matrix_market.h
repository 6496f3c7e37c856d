// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Sparse matrices in Matrix Market files.
///
/// A part: it may change between minor versions, and lyra/lyra.h leaves it out (lyra/parts.h).

#ifndef LYRA_MATRIX_MARKET_H
#define LYRA_MATRIX_MARKET_H

#include "lyra/csr.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Reads a file: coordinate (real, integer, pattern) or array (real, integer), general, symmetric
/// or skew-symmetric. Symmetric files give upper storage, the others full; pattern entries are 1;
/// repeated entries are summed in file order. Writes two objects: `pattern` must outlive `out`.
/// Fails with LYRA_BAD_FORMAT (LYRA_NOT_FINITE for a value that is NaN, infinite or overflows) and
/// a sentence with file, line, found and expected; with LYRA_UNSUPPORTED for complex matrices; and
/// with LYRA_TOO_LARGE where rows or columns exceed a million and 16 times the bytes of the file,
/// so that a small file never asks for much memory.
LYRA_API LyraStatus lyra_matrix_market_load(LyraContext *ctx, const char *path,
                                            LyraCsrPattern **pattern, LyraCsrMatrix **out);

/// As lyra_matrix_market_load(), from `length` bytes in memory. `name` stands for the path in
/// messages.
LYRA_API LyraStatus lyra_matrix_market_read(LyraContext *ctx, const char *name, const char *text,
                                            size_t length, LyraCsrPattern **pattern,
                                            LyraCsrMatrix **out);

/// Writes `coordinate real symmetric` for upper storage and `general` for full, every stored entry
/// with as many digits (at most 17) as bring back the same bits. The file appears complete or not
/// at all. LYRA_NOT_FINITE if a value is.
LYRA_API LyraStatus lyra_csr_matrix_save(const LyraCsrMatrix *matrix, const char *path);

/// As lyra_csr_matrix_save(), for 3 times as many rows as there are block rows.
LYRA_API LyraStatus lyra_block_matrix_save(const LyraBlockMatrix *matrix, const char *path);

#ifdef __cplusplus
}
#endif

#endif
