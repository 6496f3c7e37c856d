// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The primitives of dense algebra without LAPACK: products, triangles and factors. Loops run down
// columns, where memory is contiguous and the compiler can vectorise.
//
// LU: right-looking elimination with partial pivoting. At step k the row with the largest magnitude
// in column k changes places with row k, then A22 -= l u^T.
//
// Cholesky: right-looking on the lower triangle, A22 -= l l^T with l = a / sqrt(pivot).
//
// LDL^T: Bunch-Kaufman partial pivoting [BK77] on the lower triangle. At step k, with lambda the
// largest magnitude below the diagonal of column k, in row r, and sigma the largest magnitude off
// the diagonal in row r, a block of one is taken at k or r, or a block of two from k and r, such
// that no step makes entries grow by more than 1 + 1/alpha, alpha = (1 + sqrt(17)) / 8.

#include "math/dense.h"

#include <math.h>
#include <stdlib.h>

/// y += a x
static void add_scaled(int32_t count, double a, const double *restrict x, double *restrict y)
{
    for (int32_t i = 0; i < count; ++i) {
        y[i] += a * x[i];
    }
}

static void swap(double *a, double *b)
{
    double t = *a;
    *a = *b;
    *b = t;
}

// ---- product ------------------------------------------------------------------------------------

/// c += a0 x0 + a1 x1 + a2 x2 + a3 x3
static void add_four(int32_t count, const double *a, const double *restrict x, int64_t stride,
                     double *restrict c)
{
    const double *restrict x1 = x + stride, *restrict x2 = x + 2 * stride;
    const double *restrict x3 = x + 3 * stride;
    for (int32_t i = 0; i < count; ++i) {
        c[i] += (a[0] * x[i] + a[1] * x1[i]) + (a[2] * x2[i] + a[3] * x3[i]);
    }
}

static void multiply(const LyraDenseProduct *product)
{
    const LyraDenseProduct p = *product;
    // entry (l, j) of op(B)
    int64_t down = p.B_transposed ? p.B_stride : 1, across = p.B_transposed ? 1 : p.B_stride;
    for (int32_t j = 0; j < p.columns; ++j) {
        double *c = p.C + (int64_t)j * p.C_stride;
        const double *b = p.B + j * across;
        for (int32_t i = 0; i < p.rows; ++i) {
            c[i] = p.beta == 0 ? 0 : p.beta * c[i];
        }
        if (p.alpha == 0) {
            continue;
        }
        if (!p.A_transposed) {
            // c += A (alpha b), four columns of A at a time
            int32_t l = 0;
            for (; l + 4 <= p.inner; l += 4) {
                double a[4];
                for (int32_t q = 0; q < 4; ++q) {
                    a[q] = p.alpha * b[(l + q) * down];
                }
                add_four(p.rows, a, p.A + (int64_t)l * p.A_stride, p.A_stride, c);
            }
            for (; l < p.inner; ++l) {
                add_scaled(p.rows, p.alpha * b[l * down], p.A + (int64_t)l * p.A_stride, c);
            }
        } else if (!p.B_transposed) {
            for (int32_t i = 0; i < p.rows; ++i) {
                c[i] += p.alpha * ly_dense_dot(p.inner, p.A + (int64_t)i * p.A_stride, b);
            }
        } else {
            for (int32_t i = 0; i < p.rows; ++i) {
                const double *a = p.A + (int64_t)i * p.A_stride;
                double sum = 0;
                for (int32_t l = 0; l < p.inner; ++l) {
                    sum += a[l] * b[l * down];
                }
                c[i] += p.alpha * sum;
            }
        }
    }
}

// ---- triangles ----------------------------------------------------------------------------------

static void solve_triangle(bool upper, bool transposed, bool unit, int32_t size, int32_t columns,
                           const double *T, double *B)
{
    // rows are eliminated from the top for L and U^T, from the bottom for U and L^T
    bool from_top = upper == transposed;
    for (int32_t j = 0; j < columns; ++j) {
        double *b = B + (int64_t)j * size;
        for (int32_t step = 0; step < size; ++step) {
            int32_t k = from_top ? step : size - 1 - step;
            const double *column = T + (int64_t)k * size;
            // the part of column k of T off the diagonal
            int32_t begin = upper ? 0 : k + 1, count = upper ? k : size - 1 - k;
            if (transposed) {
                b[k] -= ly_dense_dot(count, column + begin, b + begin);
            }
            b[k] = unit ? b[k] : b[k] / column[k];
            if (!transposed) {
                add_scaled(count, -b[k], column + begin, b + begin);
            }
        }
    }
}

// ---- LU and Cholesky ----------------------------------------------------------------------------

static void lu(int32_t size, double *A, int32_t *pivots)
{
    for (int32_t k = 0; k < size; ++k) {
        double *column = A + (int64_t)k * size;
        int32_t p = k;
        for (int32_t i = k + 1; i < size; ++i) {
            p = fabs(column[i]) > fabs(column[p]) ? i : p;
        }
        pivots[k] = p + 1;
        if (column[p] == 0) {
            continue;
        }
        for (int32_t j = 0; p != k && j < size; ++j) {
            swap(&A[k + (int64_t)j * size], &A[p + (int64_t)j * size]);
        }
        for (int32_t i = k + 1; i < size; ++i) {
            column[i] /= column[k];
        }
        for (int32_t j = k + 1; j < size; ++j) {
            double *other = A + (int64_t)j * size;
            add_scaled(size - k - 1, -other[k], column + k + 1, other + k + 1);
        }
    }
}

static int32_t cholesky(int32_t size, double *A)
{
    for (int32_t k = 0; k < size; ++k) {
        double *column = A + (int64_t)k * size;
        if (!(column[k] > 0)) {
            return k + 1;
        }
        column[k] = sqrt(column[k]);
        for (int32_t i = k + 1; i < size; ++i) {
            column[i] /= column[k];
        }
        for (int32_t j = k + 1; j < size; ++j) {
            add_scaled(size - j, -column[j], column + j, A + j + (int64_t)j * size);
        }
    }
    return 0;
}

// ---- LDL^T --------------------------------------------------------------------------------------

/// Entry (i, j) of a symmetric matrix kept in its lower triangle.
static double lower(int32_t size, const double *A, int32_t i, int32_t j)
{
    return i >= j ? A[i + (int64_t)j * size] : A[j + (int64_t)i * size];
}

/// Chooses the block at step k: writes the row to bring in and returns the block's size.
static int32_t choose_pivot(int32_t size, const double *A, int32_t k, int32_t *row)
{
    const double alpha = (1 + sqrt(17)) / 8;
    const double *column = A + (int64_t)k * size;
    *row = k;
    double diagonal = fabs(column[k]), lambda = 0;
    int32_t r = k;
    for (int32_t i = k + 1; i < size; ++i) {
        if (fabs(column[i]) > lambda) {
            lambda = fabs(column[i]);
            r = i;
        }
    }
    if (diagonal >= alpha * lambda) {
        return 1;
    }
    double sigma = 0;
    for (int32_t j = k; j < size; ++j) {
        if (j != r) {
            sigma = fmax(sigma, fabs(lower(size, A, r, j)));
        }
    }
    if (diagonal * sigma >= alpha * lambda * lambda) {
        return 1;
    }
    *row = r;
    return fabs(A[r + (int64_t)r * size]) >= alpha * sigma ? 1 : 2;
}

/// Rows and columns a < b of the trailing part, that begins at k, change places.
static void swap_symmetric(int32_t size, double *A, int32_t k, int32_t a, int32_t b)
{
    double *left = A + (int64_t)a * size, *right = A + (int64_t)b * size;
    for (int32_t i = b + 1; i < size; ++i) {
        swap(&left[i], &right[i]);
    }
    for (int32_t i = a + 1; i < b; ++i) {
        swap(&left[i], &A[b + (int64_t)i * size]);
    }
    swap(&left[a], &right[b]);
    if (a > k) {
        swap(&A[a + (int64_t)k * size], &A[b + (int64_t)k * size]);
    }
}

/// A22 -= a d^-1 a^T, and a becomes l = a / d.
static void eliminate_one(int32_t size, double *A, int32_t k)
{
    double *column = A + (int64_t)k * size;
    double d = column[k];
    if (d == 0) {
        return; // only where the whole column is 0
    }
    for (int32_t j = k + 1; j < size; ++j) {
        add_scaled(size - j, -column[j] / d, column + j, A + j + (int64_t)j * size);
    }
    for (int32_t i = k + 1; i < size; ++i) {
        column[i] /= d;
    }
}

/// A22 -= [x y] D^-1 [x y]^T, and [x y] becomes [x y] D^-1, with D = [a b; b c].
static void eliminate_two(int32_t size, double *A, int32_t k)
{
    double *x = A + (int64_t)k * size, *y = x + size;
    double b = x[k + 1], a_b = x[k] / b, c_b = y[k + 1] / b;
    // D^-1 = f [c/b -1; -1 a/b] with f = b / (a c - b^2); b is the largest of the three
    double f = 1 / (b * (a_b * c_b - 1));
    for (int32_t j = k + 2; j < size; ++j) {
        double u = f * (c_b * x[j] - y[j]), v = f * (a_b * y[j] - x[j]);
        double *column = A + (int64_t)j * size;
        for (int32_t i = j; i < size; ++i) {
            column[i] -= x[i] * u + y[i] * v;
        }
        // entries above row j of x and y are not needed any more
        x[j] = u;
        y[j] = v;
    }
}

static void ldl(int32_t size, double *A, int32_t *pivots, double *work)
{
    (void)work;
    int32_t k = 0;
    while (k < size) {
        int32_t row = k;
        int32_t block = choose_pivot(size, A, k, &row);
        int32_t target = k + block - 1;
        if (row != target) {
            swap_symmetric(size, A, k, target, row);
        }
        if (block == 1) {
            eliminate_one(size, A, k);
            pivots[k] = row + 1;
        } else {
            eliminate_two(size, A, k);
            pivots[k] = pivots[k + 1] = -(row + 1);
        }
        k += block;
    }
}

const LyDenseType ly_dense_builtin = {
    .name = "builtin",
    .multiply = multiply,
    .solve_triangle = solve_triangle,
    .lu = lu,
    .cholesky = cholesky,
    .ldl = ldl,
    .eigen = ly_dense_builtin_eigen,
    .svd = ly_dense_builtin_svd,
};
