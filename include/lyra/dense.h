// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Dense algebra: products, norms, factors, eigenvalues, singular values, least squares, the matrix
/// exponential and principal components.
///
/// Matrices are column-major arrays of doubles: entry (i, j) of a matrix with `rows` rows is
/// values[i + j * rows]. Sizes may be 0. All arithmetic goes through LAPACK where the build has it
/// and through built-in code otherwise; either gives the same bits every time.
///
/// All functions answer bad sizes with LYRA_INVALID_ARGUMENT or LYRA_TOO_LARGE. All but the
/// products answer NaN or infinite input, and results beyond the range of a double, with
/// LYRA_NOT_FINITE. Unless stated otherwise an output may be the same array as an input.
///
/// A part: it may change between minor versions, and lyra/lyra.h leaves it out (lyra/parts.h).

#ifndef LYRA_DENSE_H
#define LYRA_DENSE_H

#include "lyra/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- matrices that own their values -------------------------------------------------------------

/// Dense matrix with memory of its own. The functions below take plain arrays; this is what files
/// are read into.
typedef struct LyraDense LyraDense;

/// A view of a dense matrix.
typedef struct LyraDenseView {
    int32_t rows, columns; ///< Sizes, >= 0.
    const double *values;  ///< [rows * columns], column-major. Nullable where that is 0.
} LyraDenseView;

/// Makes a matrix of zeros.
LYRA_API LyraStatus lyra_dense_create(LyraContext *ctx, int32_t rows, int32_t columns,
                                      LyraDense **out);

/// Lends sizes and values until the matrix is destroyed.
LYRA_API LyraDenseView lyra_dense_view(const LyraDense *matrix);

/// Lends the values for writing, [rows * columns], column-major.
LYRA_API double *lyra_dense_values(LyraDense *matrix);

/// Accepts NULL.
LYRA_API void lyra_dense_destroy(LyraDense *matrix);

// ---- products and norms -------------------------------------------------------------------------

/// C = alpha op(A) op(B) + beta C, where op transposes on demand: op(A) is rows x inner, op(B) is
/// inner x columns. Strides count doubles from one column to the next and are at least the height
/// of the array.
typedef struct LyraDenseProduct {
    bool A_transposed, B_transposed;
    int32_t rows, columns, inner; ///< >= 0.
    double alpha, beta;           ///< With beta = 0, C is not read.
    const double *A, *B;
    double *C; ///< Must not overlap A or B.
    int32_t A_stride, B_stride, C_stride;
} LyraDenseProduct;

/// Computes C. NaN and infinities pass through. Allocates nothing.
LYRA_API LyraStatus lyra_dense_multiply(LyraContext *ctx, const LyraDenseProduct *product);

/// y = alpha op(A) x + beta y. With beta = 0, y is not read. y must not overlap A or x. NaN and
/// infinities pass through. Allocates nothing.
LYRA_API LyraStatus lyra_dense_apply(LyraContext *ctx, bool transposed, double alpha,
                                     LyraDenseView A, const double *x, double beta, double *y);

/// Kinds of norms.
typedef enum LyraNorm {
    LYRA_NORM_MAX = 0,   ///< Largest magnitude of an entry.
    LYRA_NORM_ONE,       ///< Largest sum of magnitudes in a column.
    LYRA_NORM_INFINITY,  ///< Largest sum of magnitudes in a row.
    LYRA_NORM_FROBENIUS, ///< Root of the sum of squares.
    LYRA_NORM_TWO,       ///< Largest singular value.
} LyraNorm;

/// Norm of a matrix; 0 for an empty one.
LYRA_API LyraStatus lyra_dense_norm(LyraContext *ctx, LyraNorm kind, int32_t rows, int32_t columns,
                                    const double *A, double *norm);

// ---- factors of square matrices -----------------------------------------------------------------

/// Kinds of factors, by what is known of the matrix.
typedef enum LyraFactorKind {
    LYRA_FACTOR_LU = 0,   ///< Any square matrix; partial pivoting.
    LYRA_FACTOR_CHOLESKY, ///< Symmetric positive definite.
    LYRA_FACTOR_LDL,      ///< Symmetric, definite or not; Bunch-Kaufman pivoting.
} LyraFactorKind;

/// Signs of the eigenvalues of a symmetric matrix.
typedef struct LyraInertia {
    int32_t positive, negative, zero; ///< How many have each; the sum is the size.
} LyraInertia;

/// Factor of a matrix, for solving with it many times. Rows and columns are scaled by powers of two
/// beforehand, so a solution does not depend on the units of single unknowns, as long as the
/// entries of a row are within about 1e300 of each other.
typedef struct LyraDenseFactor LyraDenseFactor;

/// Factors A, [size * size]. The symmetric kinds read the lower triangle only. A matrix whose
/// reciprocal condition, after scaling, is below the precision of a double is refused: with
/// LYRA_NOT_POSITIVE_DEFINITE by Cholesky, with LYRA_SINGULAR by the others.
LYRA_API LyraStatus lyra_dense_factor_create(LyraContext *ctx, LyraFactorKind kind, int32_t size,
                                             const double *A, LyraDenseFactor **out);

/// Factors another matrix of the same kind and size. Allocates nothing. On failure the old factor
/// stays.
LYRA_API LyraStatus lyra_dense_factor_update(LyraDenseFactor *factor, const double *A);

/// Solves A X = B for `columns` right-hand sides, [size * columns]. X may be B. Where a solution is
/// beyond the range of a double, LYRA_NOT_FINITE, and X holds no answer. Allocates nothing; several
/// threads may solve with one factor.
LYRA_API LyraStatus lyra_dense_factor_solve(const LyraDenseFactor *factor, int32_t columns,
                                            const double *B, double *X);

/// Estimate of the reciprocal condition number of the scaled matrix in the 1-norm, in (0, 1].
LYRA_API double lyra_dense_factor_rcond(const LyraDenseFactor *factor);

/// Counts of positive and negative eigenvalues; fails with LYRA_INVALID_ARGUMENT for an LU factor.
LYRA_API LyraStatus lyra_dense_factor_inertia(const LyraDenseFactor *factor, LyraInertia *inertia);

/// Accepts NULL.
LYRA_API void lyra_dense_factor_destroy(LyraDenseFactor *factor);

/// Counts the signs of the eigenvalues of a symmetric matrix (lower triangle read) by an LDL
/// factorisation; singular ones too. Eigenvalues of D within size * 2.2e-16 of zero, after scaling
/// the largest entry of each row to about 1, count as zero.
LYRA_API LyraStatus lyra_dense_inertia(LyraContext *ctx, int32_t size, const double *A,
                                       LyraInertia *inertia);

/// Determinant; 1 for size 0, 0 for a singular matrix. `determinant`: Nullable; LYRA_NOT_FINITE
/// where it overflows. `log_magnitude`: ln |det A|, minus infinity for a singular matrix. Nullable.
LYRA_API LyraStatus lyra_dense_determinant(LyraContext *ctx, int32_t size, const double *A,
                                           double *determinant, double *log_magnitude);

/// Inverse, [size * size]. LYRA_SINGULAR as for lyra_dense_factor_create().
LYRA_API LyraStatus lyra_dense_inverse(LyraContext *ctx, int32_t size, const double *A,
                                       double *inverse);

// ---- decompositions -----------------------------------------------------------------------------

/// Thin singular value decomposition A = U diag(s) V^T with k = min(rows, columns): U [rows * k],
/// s [k], not negative and falling, V [columns * k]. The entry of largest magnitude in each column
/// of V (of U, where V is not asked for) is positive. U, V: Nullable.
LYRA_API LyraStatus lyra_dense_svd(LyraContext *ctx, int32_t rows, int32_t columns, const double *A,
                                   double *U, double *s, double *V);

/// Eigenvalues, rising, [size], and orthonormal eigenvectors, the columns of `vectors`
/// [size * size], of a symmetric matrix. The lower triangle of A is read. The entry of largest
/// magnitude in each vector is positive. `vectors`: Nullable.
LYRA_API LyraStatus lyra_dense_eigen(LyraContext *ctx, int32_t size, const double *A,
                                     double *values, double *vectors);

/// Eigenvalues, rising, and vectors X of A x = l B x for symmetric A and symmetric positive
/// definite B, with X^T B X = I. The lower triangles are read. Signs as for lyra_dense_eigen().
/// `vectors`: Nullable. LYRA_NOT_POSITIVE_DEFINITE where B is not, to working precision.
LYRA_API LyraStatus lyra_dense_eigen_generalised(LyraContext *ctx, int32_t size, const double *A,
                                                 const double *B, double *values, double *vectors);

// ---- rank-deficient problems --------------------------------------------------------------------

/// Least squares: among the X [A.columns * rhs_count] that make |A X - B| smallest, the smallest.
/// Singular values up to rcond times the largest count as zero; rcond < 0 stands for
/// max(A.rows, A.columns) * 2.2e-16. `rank`: Nullable: how many were kept.
LYRA_API LyraStatus lyra_dense_least_squares(LyraContext *ctx, LyraDenseView A, int32_t rhs_count,
                                             const double *B, double rcond, double *X,
                                             int32_t *rank);

/// Moore-Penrose inverse, [columns * rows]; rcond and rank as for lyra_dense_least_squares().
LYRA_API LyraStatus lyra_dense_pseudo_inverse(LyraContext *ctx, int32_t rows, int32_t columns,
                                              const double *A, double rcond, double *inverse,
                                              int32_t *rank);

// ---- exponential --------------------------------------------------------------------------------

/// exp(A), [size * size]. LYRA_NOT_FINITE where it overflows.
LYRA_API LyraStatus lyra_dense_exponential(LyraContext *ctx, int32_t size, const double *A,
                                           double *exponential);

// ---- principal components -----------------------------------------------------------------------

/// Settings of principal component analysis. Start from lyra_pca_def_default().
typedef struct LyraPcaDef {
    bool centred;                 ///< Subtract the mean first. Default true.
    const double *sample_weights; ///< Not negative, sum positive, [samples]. Nullable: all 1.
    const double *row_weights;    ///< Positive, [rows]: the inner product is x^T diag(w) y, as with
                                  ///< lumped masses. Nullable: all 1.
    uint32_t cookie;              ///< Written by the default function only.
} LyraPcaDef;

/// The default settings, with their cookie.
LYRA_API LyraPcaDef lyra_pca_def_default(void);

/// Principal components of the columns of `data` [rows * samples]. With w the weights of the
/// samples and k = min(rows, samples): `mean` [rows] is sum w x / sum w (0 when not centred),
/// `components` [rows * k] are orthonormal in the inner product of the def, and `variances` [k],
/// falling, are sum w c^2 / sum w of the coordinates c along them. Signs as for lyra_dense_eigen().
/// `def`: Nullable: all defaults. `mean`, `components`: Nullable.
LYRA_API LyraStatus lyra_dense_pca(LyraContext *ctx, const LyraPcaDef *def, int32_t rows,
                                   int32_t samples, const double *data, double *mean,
                                   double *components, double *variances);

#ifdef __cplusplus
}
#endif

#endif
