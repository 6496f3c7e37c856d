// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The inside of patterns and matrices, for the files of sparse only.

#ifndef LY_SPARSE_SPARSE_H
#define LY_SPARSE_SPARSE_H

#include "base/base.h"
#include "lyra/csr.h"
#include "lyra/sparse.h"

#include <string.h>

// ---- plans --------------------------------------------------------------------------------------

/// Rows cut into pieces by the number of entries alone, and what a product needs that also writes
/// to columns (symmetric from one triangle, transposed). A piece owns the outputs of its rows (none
/// where the matrix is not square); entries whose column another piece owns go to the piece's halo,
/// a short list of columns with an accumulator each. Afterwards owners add the halos in order of
/// pieces, so the sums do not depend on threads.
typedef struct LyPlan {
    int32_t pieces;
    bool owns;             // outputs are owned by the pieces of rows: a square matrix
    int32_t *row_begin;    // first row of each piece, [pieces + 1]
    int64_t *halo_start;   // first halo column of each piece, [pieces + 1]
    int32_t *halo_column;  // ascending in a piece, [halo_start[pieces]]
    int64_t *entry_start;  // first halo entry of each piece, [pieces + 1]
    int32_t *entry_halo;   // halo number inside the piece of each off-piece entry, in row order
    int32_t target_pieces; // cut of the outputs: that of the rows where `owns`
    int32_t *target_begin; // [target_pieces + 1]
    int64_t *target_halo;  // [target_pieces + 1][pieces]: first halo place with such a column
} LyPlan;

/// Entries per piece, chosen so that a piece is worth waking a thread for and halos stay small.
#define LY_PLAN_GRAIN_BLOCKS 8192
#define LY_PLAN_GRAIN_SCALARS 65536
#define LY_PLAN_PIECES_MAX 128

LyraStatus ly_plan_create(LyraContext *ctx, int32_t row_count, int32_t column_count,
                          const int64_t *row_start, const int32_t *column, int64_t grain,
                          LyPlan *out);
void ly_plan_destroy(LyraContext *ctx, LyPlan *plan);

/// Accumulators of a plan: those of owned rows and of halos, in piece order.
static inline int64_t ly_plan_local_count(const LyPlan *plan)
{
    int64_t halo = plan->halo_start[plan->pieces];
    return plan->owns ? plan->row_begin[plan->pieces] + halo : halo;
}

/// First accumulator of piece `index`.
static inline int64_t ly_plan_local_begin(const LyPlan *plan, int32_t index)
{
    return (plan->owns ? plan->row_begin[index] : 0) + plan->halo_start[index];
}

// ---- patterns and matrices ----------------------------------------------------------------------

struct LyraBlockPattern {
    LyraContext *ctx;
    int32_t row_count;
    LyraStorage storage;
    int64_t block_count;
    int64_t *row_start;
    int32_t *column;
    int32_t *diagonal;
    LyPlan plan;
};

struct LyraBlockMatrix {
    LyraContext *ctx;
    const LyraBlockPattern *pattern;
    double *values;  // [9 block_count + LY_VALUES_PAD]
    double *scratch; // accumulators, [local count][columns][4]
    int32_t columns; // that `scratch` serves at once
};

/// Doubles after the values, so that vector loads of the last block stay inside.
#define LY_VALUES_PAD 8

struct LyraCsrPattern {
    LyraContext *ctx;
    int32_t row_count, column_count;
    LyraStorage storage;
    int64_t entry_count;
    int64_t *row_start;
    int32_t *column;
    LyPlan plan;
};

struct LyraCsrMatrix {
    LyraContext *ctx;
    const LyraCsrPattern *pattern;
    double *values;
    double *scratch; // accumulators, [local count]
};

/// Takes over arrays made by ly_allocate_array (also on failure), whose rows are sorted, without
/// repetition, and for blocks with a diagonal.
LyraStatus ly_block_pattern_take(LyraContext *ctx, int32_t row_count, LyraStorage storage,
                                 int64_t *row_start, int32_t *column, LyraBlockPattern **out);
LyraStatus ly_csr_pattern_take(LyraContext *ctx, int32_t row_count, int32_t column_count,
                               LyraStorage storage, int64_t *row_start, int32_t *column,
                               LyraCsrPattern **out);

/// First place in [begin, end) of ascending `column` that is not below `value`.
static inline int64_t ly_lower_bound(const int32_t *column, int64_t begin, int64_t end,
                                     int32_t value)
{
    int64_t count = end - begin;
    while (count > 0) {
        int64_t half = count / 2;
        bool below = column[begin + half] < value;
        begin = below ? begin + half + 1 : begin;
        count = below ? count - half - 1 : half;
    }
    return begin;
}

/// Ascending in place; insertion for the short rows of meshes, heap sort beyond.
void ly_sort_i32(int32_t *values, int64_t count);

// ---- loops over values --------------------------------------------------------------------------

void ly_values_zero(LyraContext *ctx, double *y, int64_t count);
void ly_values_copy(LyraContext *ctx, double *y, const double *x, int64_t count);
void ly_values_scale(LyraContext *ctx, double *y, double a, int64_t count);
void ly_values_axpy(LyraContext *ctx, double *y, double a, const double *x, int64_t count);

// ---- kernels ------------------------------------------------------------------------------------

/// One piece of a product. Columns of x and y stand `x_stride` and `y_stride` apart.
typedef struct LyProductPiece {
    const int64_t *row_start;
    const int32_t *column;
    const double *values;
    int32_t row_begin, row_end;
    int32_t column_count; // of the matrix; x has as many (block) entries, or rows if transposed
    const double *x;
    int64_t x_stride;
    double a; // factor; exact when 1
    // gathering products only
    double *y;
    int64_t y_stride;
    bool add; // y += rather than y =
    // scattering products only: accumulators of the owned rows, then of the halo
    double *local;
    int32_t own_begin, own_end; // outputs owned; equal where none are
    const int32_t *entry_halo;
} LyProductPiece;

/// `columns` is 1 to 4.
typedef void LyBlockKernel(const LyProductPiece *piece, int32_t columns);
typedef void LyCsrKernel(const LyProductPiece *piece);

/// The kernels of one instruction set.
typedef struct LySparseKernels {
    LyBlockKernel *block_full;       // y = A x over rows
    LyBlockKernel *block_upper;      // accumulates A x of a symmetric matrix from its upper part
    LyBlockKernel *block_transposed; // accumulates A^T x
    LyCsrKernel *csr_full;
    LyCsrKernel *csr_upper;
    LyCsrKernel *csr_transposed;
} LySparseKernels;

LySparseKernels ly_sparse_kernels(LyraIsa isa);

#define LY_SPARSE_KERNELS(isa)                                                                     \
    void ly_block_full_##isa(const LyProductPiece *piece, int32_t columns);                        \
    void ly_block_upper_##isa(const LyProductPiece *piece, int32_t columns);                       \
    void ly_block_transposed_##isa(const LyProductPiece *piece, int32_t columns);                  \
    void ly_csr_full_##isa(const LyProductPiece *piece);                                           \
    void ly_csr_upper_##isa(const LyProductPiece *piece);                                          \
    void ly_csr_transposed_##isa(const LyProductPiece *piece);
LY_SPARSE_KERNELS(scalar)
LY_SPARSE_KERNELS(baseline)
LY_SPARSE_KERNELS(avx2)
LY_SPARSE_KERNELS(avx512)

#endif
