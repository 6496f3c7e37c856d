// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Fixed degrees of freedom: taking their rows and columns out of matrices and their entries out of
/// vectors, and putting them back. The reduced pattern is made once; after that each update of the
/// values is one pass.
///
/// A part: it may change between minor versions, and lyra/lyra.h leaves it out (lyra/parts.h).

#ifndef LYRA_DOFS_H
#define LYRA_DOFS_H

#include "lyra/csr.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- sets of dofs and vectors -------------------------------------------------------------------

/// Which of a number of dofs (or of vertices) are fixed and which are free.
typedef struct LyraDofs LyraDofs;

/// The arrays of a set, valid while it lives.
typedef struct LyraDofsView {
    int32_t count;          ///< Dofs in all.
    int32_t free_count;     ///< Free ones.
    int32_t fixed_count;    ///< Fixed ones.
    const int32_t *free;    ///< Free dofs, ascending, [free_count].
    const int32_t *fixed;   ///< Fixed dofs, ascending, [fixed_count].
    const int32_t *reduced; ///< Number among the free dofs, -1 for fixed ones, [count].
} LyraDofsView;

/// Set of `count` dofs with those in `fixed`, ascending without repetition, held fixed. `fixed`:
/// Nullable when fixed_count is 0.
LYRA_API LyraStatus lyra_dofs_create(LyraContext *ctx, int32_t count, int32_t fixed_count,
                                     const int32_t *fixed, LyraDofs **out);

/// The set of all 3 dofs of each vertex of a set of vertices.
LYRA_API LyraStatus lyra_dofs_create_vertices(LyraContext *ctx, const LyraDofs *vertices,
                                              LyraDofs **out);

/// Ends a set. Accepts NULL.
LYRA_API void lyra_dofs_destroy(LyraDofs *dofs);

/// Lends the arrays until the set is destroyed.
LYRA_API LyraDofsView lyra_dofs_view(const LyraDofs *dofs);

/// reduced[r] = full[free[r]].
LYRA_API void lyra_dofs_gather(const LyraDofs *dofs, const double *full, double *reduced);

/// full[free[r]] = reduced[r]; fixed entries stay as they are.
LYRA_API void lyra_dofs_scatter(const LyraDofs *dofs, const double *reduced, double *full);

/// As lyra_dofs_scatter(), and full[fixed[f]] = values[f]. `values`: Nullable: zeros.
LYRA_API void lyra_dofs_insert(const LyraDofs *dofs, const double *reduced, const double *values,
                               double *full);

/// full[fixed[f]] = values[f]; free entries stay as they are. `values`: Nullable: zeros.
LYRA_API void lyra_dofs_set_fixed(const LyraDofs *dofs, const double *values, double *full);

// ---- matrices -----------------------------------------------------------------------------------

/// Where the values of a reduced matrix stand in the full one.
typedef struct LyraReduction LyraReduction;

/// Takes whole vertices out of a block pattern: block pattern of the rest, same storage. The full
/// pattern and `vertices` must outlive the reduction.
LYRA_API LyraStatus lyra_reduction_create_block(const LyraBlockPattern *full,
                                                const LyraDofs *vertices, LyraReduction **out);

/// Takes scalar dofs (3 per vertex) out of a block pattern: scalar pattern of the rest, same
/// storage. The full pattern and `dofs` must outlive the reduction.
LYRA_API LyraStatus lyra_reduction_create_block_dofs(const LyraBlockPattern *full,
                                                     const LyraDofs *dofs, LyraReduction **out);

/// Takes rows and columns out of a scalar pattern. Upper storage takes the same set for both. The
/// full pattern and the sets must outlive the reduction. `rows`, `columns`: Nullable: keep all.
LYRA_API LyraStatus lyra_reduction_create_csr(const LyraCsrPattern *full, const LyraDofs *rows,
                                              const LyraDofs *columns, LyraReduction **out);

/// Ends a reduction and its reduced pattern, whose matrices are all destroyed. Accepts NULL.
LYRA_API void lyra_reduction_destroy(LyraReduction *reduction);

/// Reduced pattern, owned by the reduction; NULL if it is a scalar one.
LYRA_API const LyraBlockPattern *lyra_reduction_block_pattern(const LyraReduction *reduction);

/// Reduced pattern, owned by the reduction; NULL if it is a block one.
LYRA_API const LyraCsrPattern *lyra_reduction_csr_pattern(const LyraReduction *reduction);

// Each of the following fails with LYRA_INVALID_ARGUMENT, and changes nothing, unless the matrices
// were made on the full and on the reduced pattern of the reduction.

/// Copies the values that remain: block to block.
LYRA_API LyraStatus lyra_reduction_remove_block(const LyraReduction *reduction,
                                                const LyraBlockMatrix *full,
                                                LyraBlockMatrix *reduced);

/// Copies the values that remain: block to scalar.
LYRA_API LyraStatus lyra_reduction_remove_block_dofs(const LyraReduction *reduction,
                                                     const LyraBlockMatrix *full,
                                                     LyraCsrMatrix *reduced);

/// Copies the values that remain: scalar to scalar.
LYRA_API LyraStatus lyra_reduction_remove_csr(const LyraReduction *reduction,
                                              const LyraCsrMatrix *full, LyraCsrMatrix *reduced);

/// The reverse: copies reduced values to their places, clears the rows and columns of fixed
/// vertices and writes `diagonal` on their diagonal.
LYRA_API LyraStatus lyra_reduction_insert_block(const LyraReduction *reduction,
                                                const LyraBlockMatrix *reduced, double diagonal,
                                                LyraBlockMatrix *full);

/// The reverse, scalar to block.
LYRA_API LyraStatus lyra_reduction_insert_block_dofs(const LyraReduction *reduction,
                                                     const LyraCsrMatrix *reduced, double diagonal,
                                                     LyraBlockMatrix *full);

/// The reverse, scalar to scalar. The diagonal is written at rows that are fixed together with the
/// column of the same number, where the pattern has it.
LYRA_API LyraStatus lyra_reduction_insert_csr(const LyraReduction *reduction,
                                              const LyraCsrMatrix *reduced, double diagonal,
                                              LyraCsrMatrix *full);

/// Puts empty rows and columns into a scalar matrix: a new pattern and matrix of rows->count and
/// columns->count, whose free rows and columns hold `matrix`. Rows fixed together with the column
/// of the same number get `diagonal` there. `rows`, `columns`: Nullable: no new ones. `pattern`
/// must outlive `out`.
LYRA_API LyraStatus lyra_csr_matrix_insert(const LyraCsrMatrix *matrix, const LyraDofs *rows,
                                           const LyraDofs *columns, double diagonal,
                                           LyraCsrPattern **pattern, LyraCsrMatrix **out);

#ifdef __cplusplus
}
#endif

#endif
