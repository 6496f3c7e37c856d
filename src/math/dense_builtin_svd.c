// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Singular values without LAPACK: one-sided Jacobi after a pivoted QR factorisation [DV08].
//
// A P = Q R for rows >= columns (the transpose is taken otherwise). Rotations J of pairs of columns
// make those of L = R^T orthogonal: L J = W diag(s). With Z = J this reads R = Z diag(s) W^T, and
// so A = (Q Z) diag(s) (P W)^T. Starting from R^T, whose columns are already graded and almost
// orthogonal, saves most of the sweeps; and one-sided rotations keep even small singular values to
// high relative accuracy, as no product A^T A is ever formed.

#include "math/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SWEEPS_MAX = 60 };

// the matrix is scaled to about 1: columns below this length count as 0, so that no unit vector is
// ever made from denormal numbers
static const double length_min = 1e-290;

/// Length without overflow or underflow.
static double length(int32_t count, const double *x)
{
    double square = ly_dense_dot(count, x, x);
    if (square > 1e-280) {
        return sqrt(square);
    }
    double largest = 0, sum = 0;
    for (int32_t i = 0; i < count; ++i) {
        largest = fmax(largest, fabs(x[i]));
    }
    for (int32_t i = 0; i < count && largest > 0; ++i) {
        sum += (x[i] / largest) * (x[i] / largest);
    }
    return largest * sqrt(sum);
}

/// y -= beta v (v^T y)
static void reflect(int32_t count, double beta, const double *v, double *y)
{
    double a = beta * ly_dense_dot(count, v, y);
    for (int32_t i = 0; i < count; ++i) {
        y[i] -= a * v[i];
    }
}

/// A P = Q R in place: R above the diagonal and in `diagonal`, reflections v on and below it.
static void factor_pivoted(int32_t rows, int32_t columns, double *A, double *diagonal,
                           double *betas, int32_t *order)
{
    for (int32_t j = 0; j < columns; ++j) {
        order[j] = j;
    }
    for (int32_t k = 0; k < columns; ++k) {
        // the column with the longest rest comes next
        int32_t longest = k;
        double norm = -1;
        for (int32_t j = k; j < columns; ++j) {
            double candidate = length(rows - k, A + k + (int64_t)j * rows);
            if (candidate > norm) {
                norm = candidate;
                longest = j;
            }
        }
        double *column = A + (int64_t)k * rows;
        if (longest != k) {
            double *other = A + (int64_t)longest * rows;
            for (int32_t i = 0; i < rows; ++i) {
                double t = column[i];
                column[i] = other[i];
                other[i] = t;
            }
            int32_t t = order[k];
            order[k] = order[longest];
            order[longest] = t;
        }
        // v = x / norm - alpha e1 with alpha = -sign(x0), and v^T v = -2 alpha v0
        double *v = column + k;
        diagonal[k] = betas[k] = 0;
        if (norm < length_min) {
            continue;
        }
        for (int32_t i = 0; i < rows - k; ++i) {
            v[i] /= norm;
        }
        double alpha = v[0] > 0 ? -1 : 1;
        v[0] -= alpha;
        betas[k] = -1 / (alpha * v[0]);
        diagonal[k] = alpha * norm;
        for (int32_t j = k + 1; j < columns; ++j) {
            reflect(rows - k, betas[k], v, A + k + (int64_t)j * rows);
        }
    }
}

/// Rotates columns p, q of L (and of J) until they are orthogonal; false where they are already.
static bool rotate_pair(int32_t size, double *p, double *q, double *Jp, double *Jq)
{
    double p_length = length(size, p), q_length = length(size, q);
    if (p_length < length_min || q_length < length_min) {
        memset(p_length < length_min ? p : q, 0, (size_t)size * sizeof *p);
        return false;
    }
    // cosine of the angle between the columns, free of underflow
    double cosine = 0, lengths = p_length * q_length;
    if (lengths > 1e-280) {
        cosine = ly_dense_dot(size, p, q) / lengths;
    } else {
        for (int32_t i = 0; i < size; ++i) {
            cosine += (p[i] / p_length) * (q[i] / q_length);
        }
    }
    if (fabs(cosine) <= DBL_EPSILON * sqrt((double)size)) {
        return false;
    }
    // tan of the angle: the smaller root of t^2 + 2 zeta t - 1 = 0
    double ratio = q_length / p_length;
    double zeta = (ratio - 1 / ratio) / (2 * cosine);
    double t = copysign(1, zeta) / (fabs(zeta) + hypot(1, zeta));
    double c = 1 / hypot(1, t), s = c * t;
    for (int32_t i = 0; i < size; ++i) {
        double pi = p[i];
        p[i] = c * pi - s * q[i];
        q[i] = s * pi + c * q[i];
    }
    for (int32_t i = 0; Jp && i < size; ++i) {
        double pi = Jp[i];
        Jp[i] = c * pi - s * Jq[i];
        Jq[i] = s * pi + c * Jq[i];
    }
    return true;
}

/// L J = W diag(s), W replacing L and J Nullable.
static LyraStatus orthogonalise(int32_t size, double *L, double *J)
{
    for (int32_t sweep = 0; sweep < SWEEPS_MAX; ++sweep) {
        bool changed = false;
        for (int32_t p = 0; p + 1 < size; ++p) {
            for (int32_t q = p + 1; q < size; ++q) {
                double *Jp = J ? J + (int64_t)p * size : NULL;
                double *Jq = J ? J + (int64_t)q * size : NULL;
                changed |= rotate_pair(size, L + (int64_t)p * size, L + (int64_t)q * size, Jp, Jq);
            }
        }
        if (!changed) {
            return LYRA_OK;
        }
    }
    return ly_fail(LYRA_NOT_CONVERGED, "singular values: no convergence in %d sweeps", SWEEPS_MAX);
}

/// Sorts columns of W (and J) by falling length, which goes to s.
static void sort_columns(int32_t size, double *W, double *J, double *s)
{
    for (int32_t j = 0; j < size; ++j) {
        s[j] = length(size, W + (int64_t)j * size);
    }
    for (int32_t k = 0; k < size; ++k) {
        int32_t longest = k;
        for (int32_t j = k + 1; j < size; ++j) {
            longest = s[j] > s[longest] ? j : longest;
        }
        if (longest == k) {
            continue;
        }
        double t = s[k];
        s[k] = s[longest];
        s[longest] = t;
        for (int32_t i = 0; i < size; ++i) {
            int64_t a = i + (int64_t)k * size, b = i + (int64_t)longest * size;
            t = W[a];
            W[a] = W[b];
            W[b] = t;
            if (J) {
                t = J[a];
                J[a] = J[b];
                J[b] = t;
            }
        }
    }
}

/// Makes the columns of W unit vectors; those of length 0 become any that complete the basis.
static void normalise_columns(int32_t size, double *W, const double *s)
{
    for (int32_t k = 0; k < size; ++k) {
        double *w = W + (int64_t)k * size;
        if (s[k] > 0) {
            for (int32_t i = 0; i < size; ++i) {
                w[i] /= s[k];
            }
            continue;
        }
        // the unit vector that the columns so far cover least, made orthogonal to them twice
        int32_t least = 0;
        double covered = 2;
        for (int32_t i = 0; i < size; ++i) {
            double sum = 0;
            for (int32_t j = 0; j < k; ++j) {
                sum += W[i + (int64_t)j * size] * W[i + (int64_t)j * size];
            }
            if (sum < covered) {
                covered = sum;
                least = i;
            }
        }
        memset(w, 0, (size_t)size * sizeof *w);
        w[least] = 1;
        for (int32_t pass = 0; pass < 2; ++pass) {
            for (int32_t j = 0; j < k; ++j) {
                const double *other = W + (int64_t)j * size;
                double a = ly_dense_dot(size, w, other);
                for (int32_t i = 0; i < size; ++i) {
                    w[i] -= a * other[i];
                }
            }
            double norm = length(size, w);
            for (int32_t i = 0; i < size; ++i) {
                w[i] /= norm;
            }
        }
    }
}

/// For rows >= columns.
static LyraStatus svd_tall(LyraContext *ctx, int32_t rows, int32_t columns, double *A, double *U,
                           double *s, double *V)
{
    LyraStatus status = LYRA_OK;
    int64_t square = (int64_t)columns * columns;
    double *memory = NULL;
    int32_t *order = NULL;
    LY_TRY_DONE(ly_allocate_zeroed(ctx, (U ? 2 : 1) * square + 2 * (int64_t)columns, sizeof *memory,
                                   &memory));
    LY_TRY_DONE(ly_allocate_array(ctx, columns, sizeof *order, &order));
    double *diagonal = memory, *betas = diagonal + columns, *L = betas + columns;
    double *J = U ? L + square : NULL;

    factor_pivoted(rows, columns, A, diagonal, betas, order);
    for (int32_t j = 0; j < columns; ++j) {
        for (int32_t i = 0; i < j; ++i) {
            L[j + (int64_t)i * columns] = A[i + (int64_t)j * rows];
        }
        L[j + (int64_t)j * columns] = diagonal[j];
        if (J) {
            J[j + (int64_t)j * columns] = 1;
        }
    }
    LY_TRY_DONE(orthogonalise(columns, L, J));
    sort_columns(columns, L, J, s);

    if (V) {
        normalise_columns(columns, L, s);
        for (int32_t j = 0; j < columns; ++j) {
            for (int32_t i = 0; i < columns; ++i) {
                V[order[i] + (int64_t)j * columns] = L[i + (int64_t)j * columns];
            }
        }
    }
    for (int32_t j = 0; U && j < columns; ++j) {
        double *u = U + (int64_t)j * rows;
        memset(u, 0, (size_t)rows * sizeof *u);
        memcpy(u, J + (int64_t)j * columns, (size_t)columns * sizeof *u);
        for (int32_t k = columns - 1; k >= 0; --k) {
            reflect(rows - k, betas[k], A + k + (int64_t)k * rows, u + k);
        }
    }
done:
    ly_release(ctx, order);
    ly_release(ctx, memory);
    return status;
}

LyraStatus ly_dense_builtin_svd(LyraContext *ctx, int32_t rows, int32_t columns, double *A,
                                double *U, double *s, double *V)
{
    if (rows >= columns) {
        return svd_tall(ctx, rows, columns, A, U, s, V);
    }
    double *transpose = NULL;
    LY_TRY(ly_allocate_array(ctx, (int64_t)rows * columns, sizeof *transpose, &transpose));
    ly_dense_transpose(rows, columns, A, transpose);
    LyraStatus status = svd_tall(ctx, columns, rows, transpose, V, s, U);
    ly_release(ctx, transpose);
    return status;
}
