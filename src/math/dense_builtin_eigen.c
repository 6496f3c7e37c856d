// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Eigenvalues of a symmetric matrix without LAPACK [GVL13, ch. 8].
//
// First, A = Q T Q^T with T tridiagonal: step k reflects the part x of column k below the diagonal
// onto its first entry, x -> alpha e1, by H = I - beta v v^T, v = x - alpha e1, beta = 2 / v^T v.
// The rest becomes H A22 H = A22 - v w^T - w v^T with p = beta A22 v and w = p - (beta p^T v / 2)
// v.
//
// Then T = [d, e] is made diagonal by QR steps with Wilkinson's shift, done implicitly: a rotation
// of rows and columns 0 and 1, chosen from the shifted first column, makes a bulge outside the
// tridiagonal, and further rotations push it down and out.

#include "math/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

/// Reflects column k; v replaces x, beta goes to *beta_out and the new entry below the diagonal is
/// returned.
static double reflect_column(int32_t size, double *A, int32_t k, double *p, double *beta_out)
{
    int32_t count = size - k - 1;
    double *v = A + (k + 1) + (int64_t)k * size;
    double largest = 0, norm = 0;
    for (int32_t i = 0; i < count; ++i) {
        largest = fmax(largest, fabs(v[i]));
    }
    *beta_out = 0;
    if (largest == 0) {
        return 0;
    }
    // v may have any length: scaling it keeps its square from underflow
    for (int32_t i = 0; i < count; ++i) {
        v[i] /= largest;
        norm += v[i] * v[i];
    }
    double alpha = v[0] > 0 ? -sqrt(norm) : sqrt(norm);
    v[0] -= alpha;
    double beta = -1 / (alpha * v[0]); // v^T v = -2 alpha v0
    *beta_out = beta;

    // p = beta A22 v, then w = p - (beta p^T v / 2) v
    for (int32_t i = 0; i < count; ++i) {
        p[i] = 0;
    }
    for (int32_t j = 0; j < count; ++j) {
        const double *column = A + (k + 1) + (int64_t)(k + 1 + j) * size;
        for (int32_t i = 0; i < count; ++i) {
            p[i] += beta * v[j] * column[i];
        }
    }
    double product = 0;
    for (int32_t i = 0; i < count; ++i) {
        product += p[i] * v[i];
    }
    for (int32_t i = 0; i < count; ++i) {
        p[i] -= 0.5 * beta * product * v[i];
    }
    for (int32_t j = 0; j < count; ++j) {
        double *column = A + (k + 1) + (int64_t)(k + 1 + j) * size;
        for (int32_t i = 0; i < count; ++i) {
            column[i] -= v[i] * p[j] + p[i] * v[j];
        }
    }
    return alpha * largest;
}

/// Q = H_0 H_1 ... from the vectors left in A.
static void form_reflections(int32_t size, const double *A, const double *betas, double *Q)
{
    memset(Q, 0, (size_t)size * (size_t)size * sizeof *Q);
    for (int32_t i = 0; i < size; ++i) {
        Q[i + (int64_t)i * size] = 1;
    }
    for (int32_t k = size - 3; k >= 0; --k) {
        const double *v = A + (k + 1) + (int64_t)k * size;
        int32_t count = size - k - 1;
        for (int32_t j = 0; j < count && betas[k] != 0; ++j) {
            double *column = Q + (k + 1) + (int64_t)(k + 1 + j) * size;
            double product = 0;
            for (int32_t i = 0; i < count; ++i) {
                product += v[i] * column[i];
            }
            for (int32_t i = 0; i < count; ++i) {
                column[i] -= betas[k] * product * v[i];
            }
        }
    }
}

/// One implicit QR step on rows first..last of T, with the rotations gathered in Q (Nullable).
static void qr_step(int32_t first, int32_t last, double *d, double *e, int32_t size, double *Q)
{
    // Wilkinson's shift: the eigenvalue of the last 2x2 block nearer to its last entry
    double delta = 0.5 * (d[last - 1] - d[last]), b = e[last - 1];
    double shift = d[last] - b * (b / (delta + copysign(hypot(delta, b), delta)));
    double x = d[first] - shift, z = e[first];
    for (int32_t k = first; k < last; ++k) {
        // rotation of rows and columns k, k+1 that turns (x, z) into (r, 0)
        double r = hypot(x, z);
        double c = r == 0 ? 1 : x / r, s = r == 0 ? 0 : z / r;
        if (k > first) {
            e[k - 1] = r;
        }
        double dk = d[k], dn = d[k + 1], ek = e[k];
        double t = s * (dk - dn) - 2 * c * ek;
        d[k] = dk - s * t;
        d[k + 1] = dn + s * t;
        e[k] = c * s * (dn - dk) + (c * c - s * s) * ek;
        if (k + 1 < last) {
            x = e[k];
            z = s * e[k + 1];
            e[k + 1] *= c;
        }
        if (Q) {
            double *p = Q + (int64_t)k * size, *q = p + size;
            for (int32_t i = 0; i < size; ++i) {
                double pi = p[i];
                p[i] = c * pi + s * q[i];
                q[i] = c * q[i] - s * pi;
            }
        }
    }
}

static LyraStatus diagonalise(int32_t size, double *d, double *e, double *Q)
{
    int64_t limit = 60 * (int64_t)size;
    int32_t last = size - 1;
    while (last > 0) {
        // entries next to nothing are dropped
        int32_t first = last;
        while (first > 0) {
            double bound = DBL_EPSILON * (fabs(d[first - 1]) + fabs(d[first]));
            if (fabs(e[first - 1]) <= fmax(bound, DBL_MIN)) {
                e[first - 1] = 0;
                break;
            }
            --first;
        }
        if (first == last) {
            --last;
            continue;
        }
        if (limit-- == 0) {
            return ly_fail(LYRA_NOT_CONVERGED, "eigenvalues: %d of %d did not converge", last + 1,
                           size);
        }
        qr_step(first, last, d, e, size, Q);
    }
    return LYRA_OK;
}

LyraStatus ly_dense_builtin_eigen(LyraContext *ctx, int32_t size, double *A, double *values,
                                  bool vectors)
{
    LyraStatus status = LYRA_OK;
    int64_t square = (int64_t)size * size;
    double *memory = NULL;
    LY_TRY(ly_allocate_array(ctx, (vectors ? square : 0) + 3 * (int64_t)size, sizeof *memory,
                             &memory));
    double *e = memory, *betas = e + size, *p = betas + size, *Q = vectors ? p + size : NULL;

    ly_dense_fill_symmetric(size, 1, A, A);
    for (int32_t k = 0; k + 2 < size; ++k) {
        e[k] = reflect_column(size, A, k, p, &betas[k]);
    }
    if (size > 1) {
        e[size - 2] = A[(size - 1) + (int64_t)(size - 2) * size];
    }
    for (int32_t k = 0; k < size; ++k) {
        values[k] = A[k + (int64_t)k * size];
    }
    if (vectors) {
        form_reflections(size, A, betas, Q);
    }
    LY_TRY_DONE(diagonalise(size, values, e, Q));

    // rising order
    for (int32_t k = 0; k < size; ++k) {
        int32_t least = k;
        for (int32_t i = k + 1; i < size; ++i) {
            least = values[i] < values[least] ? i : least;
        }
        double value = values[k];
        values[k] = values[least];
        values[least] = value;
        if (vectors) {
            // column k of the answer may overwrite A; the column it displaces moves on in Q
            memcpy(A + (int64_t)k * size, Q + (int64_t)least * size, (size_t)size * sizeof *A);
            if (least != k) {
                memcpy(Q + (int64_t)least * size, Q + (int64_t)k * size, (size_t)size * sizeof *Q);
            }
        }
    }
done:
    ly_release(ctx, memory);
    return status;
}
