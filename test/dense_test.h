// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the tests of dense algebra share: plain reference products, random matrices of every kind
// and a loop over the implementations.

#ifndef LYRA_DENSE_TEST_H
#define LYRA_DENSE_TEST_H

#include "lyra/dense.h"
#include "lyra_test.h"
#include "math/dense.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/// for each implementation of this build, the context set to use it.
#define FOR_EACH_BACKEND(ctx)                                                                      \
    for (LyDenseBackend backend = LY_DENSE_BUILTIN; backend <= LY_DENSE_LAPACK; ++backend)         \
        if (ly_dense_force(ctx, backend))

/// Unit of tolerances.
#define EPS DBL_EPSILON

typedef enum DenseKind {
    DENSE_NORMAL,
    DENSE_LOW_RANK, ///< Rank about a third of the smaller size.
    DENSE_GRADED,   ///< Rows and columns shrink to 1e-12.
    DENSE_ZERO,
    DENSE_INTEGER, ///< -1, 0, 1: many ties and zeros.
    DENSE_EQUAL,   ///< All entries equal.
    DENSE_HUGE,    ///< Near 1e300.
    DENSE_TINY,    ///< Near 1e-300.
    DENSE_MIXED,   ///< Blocks 1e-200 apart.
    DENSE_KIND_COUNT
} DenseKind;

/// Room for any matrix of these tests.
enum { DENSE_MAX = 60, DENSE_ROOM = DENSE_MAX * DENSE_MAX };

static inline void dense_multiply(int32_t m, int32_t n, int32_t k, const double *A, bool A_t,
                                  const double *B, bool B_t, double *C)
{
    for (int32_t j = 0; j < n; ++j) {
        for (int32_t i = 0; i < m; ++i) {
            double sum = 0;
            for (int32_t l = 0; l < k; ++l) {
                sum += (A_t ? A[l + i * k] : A[i + l * m]) * (B_t ? B[j + l * n] : B[l + j * k]);
            }
            C[i + j * m] = sum;
        }
    }
}

static inline double dense_max(int32_t count, const double *x)
{
    double largest = 0;
    for (int32_t i = 0; i < count; ++i) {
        largest = isnan(x[i]) ? INFINITY : fmax(largest, fabs(x[i]));
    }
    return largest;
}

/// Largest difference of entries.
static inline double dense_distance(int32_t count, const double *x, const double *y)
{
    double largest = 0;
    for (int32_t i = 0; i < count; ++i) {
        double d = fabs(x[i] - y[i]);
        largest = isnan(d) ? INFINITY : fmax(largest, d);
    }
    return largest;
}

/// Largest entry of |V^T V - I|.
static inline double dense_orthogonality(int32_t rows, int32_t columns, const double *V)
{
    double largest = 0;
    for (int32_t i = 0; i < columns; ++i) {
        for (int32_t j = 0; j < columns; ++j) {
            double sum = i == j ? -1 : 0;
            for (int32_t l = 0; l < rows; ++l) {
                sum += V[l + i * rows] * V[l + j * rows];
            }
            largest = isnan(sum) ? INFINITY : fmax(largest, fabs(sum));
        }
    }
    return largest;
}

static inline void dense_random(TestRandom *random, DenseKind kind, int32_t m, int32_t n, double *A)
{
    int32_t least = m < n ? m : n, rank = (least + 2) / 3;
    for (int32_t i = 0; i < m * n; ++i) {
        A[i] = test_random_normal(random);
    }
    if (kind == DENSE_LOW_RANK && least > 0) {
        static double L[DENSE_ROOM], R[DENSE_ROOM];
        for (int32_t i = 0; i < m * rank; ++i) {
            L[i] = test_random_normal(random);
        }
        for (int32_t i = 0; i < n * rank; ++i) {
            R[i] = test_random_normal(random);
        }
        dense_multiply(m, n, rank, L, false, R, true, A);
    }
    for (int32_t j = 0; j < n; ++j) {
        for (int32_t i = 0; i < m; ++i) {
            double *a = &A[i + j * m];
            switch (kind) {
            case DENSE_GRADED:
                *a *= pow(10, -12.0 * i / m - 12.0 * j / n);
                break;
            case DENSE_ZERO:
                *a = 0;
                break;
            case DENSE_INTEGER:
                *a = test_random_below(random, 3) - 1;
                break;
            case DENSE_EQUAL:
                *a = 0.7;
                break;
            case DENSE_HUGE:
                *a *= 1e300;
                break;
            case DENSE_TINY:
                *a *= 1e-300;
                break;
            case DENSE_MIXED:
                *a *= (i < m / 2 ? 1e-200 : 1) * (j < n / 2 ? 1 : 1e-100);
                break;
            default:
                break;
            }
        }
    }
}

/// As dense_random(), made symmetric.
static inline void dense_random_symmetric(TestRandom *random, DenseKind kind, int32_t n, double *A)
{
    dense_random(random, kind, n, n, A);
    for (int32_t j = 0; j < n; ++j) {
        for (int32_t i = 0; i < j; ++i) {
            A[i + j * n] = A[j + i * n];
        }
    }
}

/// Symmetric positive definite, condition about 1e3.
static inline void dense_random_definite(TestRandom *random, int32_t n, double *A)
{
    static double X[DENSE_ROOM];
    dense_random(random, DENSE_NORMAL, n, n, X);
    dense_multiply(n, n, n, X, false, X, true, A);
    for (int32_t i = 0; i < n; ++i) {
        A[i + i * n] += 0.1 * n;
    }
}

#endif
