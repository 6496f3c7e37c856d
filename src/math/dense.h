// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Inside of dense algebra. A handful of primitives exist twice, built in and through LAPACK, behind
// one table; everything public is written once on top of it. Primitives trust their input: sizes
// are checked, numbers finite and scaled to about 1, arrays do not overlap.

#ifndef LY_MATH_DENSE_H
#define LY_MATH_DENSE_H

#include "base/base.h"
#include "lyra/dense.h"

/// Column-major matrices with a stride equal to their row count, unless a stride is given.
typedef struct LyDenseType {
    const char *name;

    /// As lyra_dense_multiply(), with none of the three sizes 0.
    void (*multiply)(const LyraDenseProduct *product);

    /// B = op(T)^-1 B for a triangle T of `size` rows, whose other half is not read. `unit`: the
    /// diagonal is 1 and not read.
    void (*solve_triangle)(bool upper, bool transposed, bool unit, int32_t size, int32_t columns,
                           const double *T, double *B);

    /// A = P L U in place. pivots[k] - 1 is the row that changed places with row k. Goes on past
    /// zero pivots.
    void (*lu)(int32_t size, double *A, int32_t *pivots);

    /// A = L L^T in place in the lower triangle. Returns 0, or the number (from 1) of the column
    /// whose pivot is not positive.
    int32_t (*cholesky)(int32_t size, double *A);

    /// P^T A P = L D L^T in place in the lower triangle, with pivots as dsytrf defines them: p > 0
    /// for a block of one, twice the same p < 0 for a block of two. Goes on past singular blocks.
    /// `work`: [LY_DENSE_LDL_WORK * size].
    void (*ldl)(int32_t size, double *A, int32_t *pivots, double *work);

    /// Eigenvalues, rising; with `vectors`, A becomes the eigenvectors, else it is lost.
    LyraStatus (*eigen)(LyraContext *ctx, int32_t size, double *A, double *values, bool vectors);

    /// Thin SVD, singular values falling. A is lost. U, V: Nullable.
    LyraStatus (*svd)(LyraContext *ctx, int32_t rows, int32_t columns, double *A, double *U,
                      double *s, double *V);
} LyDenseType;

#define LY_DENSE_LDL_WORK 32

extern const LyDenseType ly_dense_builtin;
extern const LyDenseType ly_dense_lapack; ///< Only where LY_HAVE_LAPACK.

/// Two parts of the built-in table that have files of their own.
LyraStatus ly_dense_builtin_eigen(LyraContext *ctx, int32_t size, double *A, double *values,
                                  bool vectors);
LyraStatus ly_dense_builtin_svd(LyraContext *ctx, int32_t rows, int32_t columns, double *A,
                                double *U, double *s, double *V);

typedef enum LyDenseBackend {
    LY_DENSE_AUTO = 0, ///< LAPACK where the build has it.
    LY_DENSE_BUILTIN,
    LY_DENSE_LAPACK,
} LyDenseBackend;

/// Makes all dense algebra of a context use one implementation; false where the build lacks it.
bool ly_dense_force(LyraContext *ctx, LyDenseBackend backend);

/// Implementation in use.
const LyDenseType *ly_dense_type(const LyraContext *ctx);

// ---- checks and scales --------------------------------------------------------------------------

/// Refuses sizes that are negative or overflow, and entries that are not finite; `what` begins the
/// sentence.
LyraStatus ly_dense_check(const char *what, int32_t rows, int32_t columns, const double *A);

/// As ly_dense_check() for the lower triangle of a square matrix.
LyraStatus ly_dense_check_lower(const char *what, int32_t size, const double *A);

/// As ly_dense_check() for the sizes alone.
LyraStatus ly_dense_check_size(const char *what, int32_t rows, int32_t columns);

/// LYRA_NOT_FINITE where a result of `count` numbers is beyond the range of a double.
LyraStatus ly_dense_check_result(const char *what, int64_t count, const double *values);

/// Power of two that brings the largest of `count` magnitudes to about 1; 1 when all are 0.
double ly_dense_scale(int64_t count, const double *values);

/// Flips the sign of columns of `vectors`, and of the same columns of `others`, so that the entry
/// of largest magnitude is positive. `others`: Nullable.
void ly_dense_fix_signs(int32_t rows, int32_t columns, double *vectors, int32_t other_rows,
                        double *others);

/// x^T y, in four partial sums, so that the loop has no chain of additions.
static inline double ly_dense_dot(int32_t count, const double *x, const double *y)
{
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int32_t i = 0;
    for (; i + 4 <= count; i += 4) {
        s0 += x[i] * y[i];
        s1 += x[i + 1] * y[i + 1];
        s2 += x[i + 2] * y[i + 2];
        s3 += x[i + 3] * y[i + 3];
    }
    for (; i < count; ++i) {
        s0 += x[i] * y[i];
    }
    return (s0 + s1) + (s2 + s3);
}

/// B [columns * rows] = A^T. Must not overlap.
void ly_dense_transpose(int32_t rows, int32_t columns, const double *A, double *B);

/// A symmetric matrix times `scale`, both halves filled from the lower triangle of A.
void ly_dense_fill_symmetric(int32_t size, double scale, const double *A, double *full);

// ---- factors ------------------------------------------------------------------------------------

/// The scaled matrix diag(row_scale) A diag(column_scale), factored.
typedef struct LyDenseFactorData {
    double *values;       ///< [size * size]; in tiles where ly_dense_factor_is_tiled().
    double *row_scale;    ///< [size], powers of two.
    double *column_scale; ///< [size]; the same array as row_scale for the symmetric kinds.
    int32_t *pivots;      ///< [size].
    double norm, rcond;   ///< Of the scaled matrix, in the 1-norm.
} LyDenseFactorData;

struct LyraDenseFactor {
    LyraContext *ctx;
    LyraFactorKind kind;
    int32_t size;
    LyDenseFactorData now, next; ///< In use; room for the next one.
    double *work;                ///< [LY_DENSE_LDL_WORK * size].
};

/// Makes room for a factor, with nothing in it.
LyraStatus ly_dense_factor_reserve(LyraContext *ctx, LyraFactorKind kind, int32_t size,
                                   LyraDenseFactor **out);

/// Scales and factors A, checked to be finite, into `next`, singular or not. Returns 0, or the
/// number (from 1) of the first row or column at which the matrix is seen to be singular, or not
/// positive definite.
int32_t ly_dense_factor_compute(LyraDenseFactor *factor, const double *A);

/// Whether the values are tiles of the lower triangle, see dense_tiles.h: large Cholesky factors.
bool ly_dense_factor_is_tiled(const LyraDenseFactor *factor);

/// Solves with the scaled matrix (or its transpose) in place.
void ly_dense_factor_solve_scaled(const LyraDenseFactor *factor, const LyDenseFactorData *data,
                                  bool transposed, int32_t columns, double *X);

#endif
