// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Determinant, inverse and exponential of square matrices.
//
// The exponential by scaling and squaring [AMH09]: exp(A) = r(A / 2^s)^(2^s), with r = q^-1 p the
// Pade approximant of order m in {3, 5, 7, 9, 13}. p splits into an even part V and an odd part U,
// and q = V - U. Order and s are the cheapest for which the backward error is below the unit
// roundoff. The bounds look at |A^k|^(1/k) and not at |A| alone: for matrices far from normal the
// latter would scale too much, and each squaring costs accuracy. All norms are 1-norms.

#include "math/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- determinant and inverse --------------------------------------------------------------------

LyraStatus lyra_dense_determinant(LyraContext *ctx, int32_t size, const double *A,
                                  double *determinant, double *log_magnitude)
{
    LYRA_ASSERT(ctx);
    LY_TRY(ly_dense_check("determinant", size, size, A));
    LyraDenseFactor *factor = NULL;
    LY_TRY(ly_dense_factor_reserve(ctx, LYRA_FACTOR_LU, size, &factor));
    int32_t failed = ly_dense_factor_compute(factor, A);

    // mantissa and exponent apart, as the product of many pivots overflows easily
    double mantissa = failed ? 0 : 1;
    int64_t exponent = 0;
    for (int32_t i = 0; i < size && !failed; ++i) {
        const LyDenseFactorData *data = &factor->next;
        double factors[] = {data->values[i + (int64_t)i * size], 1 / data->row_scale[i],
                            1 / data->column_scale[i]};
        for (int32_t f = 0; f < 3; ++f) {
            int e = 0;
            mantissa = frexp(mantissa * factors[f], &e);
            exponent += e;
        }
        mantissa = data->pivots[i] == i + 1 ? mantissa : -mantissa;
    }
    lyra_dense_factor_destroy(factor);
    int clamped = exponent > 4000 ? 4000 : exponent < -4000 ? -4000 : (int)exponent;
    double value = ldexp(mantissa, clamped);
    if (determinant) {
        LY_TRY(ly_dense_check_result("determinant", 1, &value));
        *determinant = value;
    }
    if (log_magnitude) {
        *log_magnitude = failed ? -INFINITY : log(fabs(mantissa)) + (double)exponent * log(2);
    }
    return LYRA_OK;
}

LyraStatus lyra_dense_inverse(LyraContext *ctx, int32_t size, const double *A, double *inverse)
{
    LYRA_ASSERT(ctx);
    LyraStatus status = LYRA_OK;
    int64_t square = (int64_t)size * size;
    double *X = NULL;
    LyraDenseFactor *factor = NULL;
    LY_TRY_DONE(lyra_dense_factor_create(ctx, LYRA_FACTOR_LU, size, A, &factor));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, square, sizeof *X, &X));
    for (int32_t i = 0; i < size; ++i) {
        X[i + (int64_t)i * size] = 1;
    }
    LY_TRY_DONE(lyra_dense_factor_solve(factor, size, X, X));
    if (square > 0) {
        memcpy(inverse, X, (size_t)square * sizeof *X);
    }
done:
    ly_release(ctx, X);
    lyra_dense_factor_destroy(factor);
    return status;
}

// ---- exponential --------------------------------------------------------------------------------

enum { ORDER_COUNT = 5, ORDER_MAX = 13 };
static const int32_t orders[ORDER_COUNT] = {3, 5, 7, 9, 13};

// largest norms for which the order is accurate to the unit roundoff [AMH09]
static const double thetas[ORDER_COUNT] = {1.495585217958292e-2, 2.539398330063230e-1,
                                           9.504178996162932e-1, 2.097847961257068, 4.25};

/// What the exponential works with: powers A^2, A^4, A^6, A^8 and room, [size * size] each.
typedef struct Powers {
    const LyDenseType *type;
    int32_t size;
    double *A, *A2, *A4, *A6, *A8, *U, *V, *room, *vector;
} Powers;

static void multiply_square(const Powers *powers, const double *X, const double *Y, double *Z)
{
    int32_t n = powers->size;
    powers->type->multiply(&(LyraDenseProduct){.rows = n,
                                               .columns = n,
                                               .inner = n,
                                               .alpha = 1,
                                               .A = X,
                                               .A_stride = n,
                                               .B = Y,
                                               .B_stride = n,
                                               .C = Z,
                                               .C_stride = n});
}

static double norm_one(int32_t size, const double *X)
{
    double norm = 0;
    for (int32_t j = 0; j < size; ++j) {
        double sum = 0;
        for (int32_t i = 0; i < size; ++i) {
            sum += fabs(X[i + (int64_t)j * size]);
        }
        norm = fmax(norm, sum);
    }
    return norm;
}

/// Squarings that the leading term of the backward error of order m asks for beyond those of the
/// norms: c |(|A|^(2m+1))| / |A| <= u 2^(2 m l), c = (m!)^2 / ((2m)! (2m+1)!).
static int32_t extra_squarings(const Powers *powers, int32_t m, double scale)
{
    int32_t n = powers->size;
    // row sums of |A|^T taken 2m+1 times give the column sums of |A|^(2m+1); lengths go to the log
    double *x = powers->vector, *y = x + n, log_norm = 0;
    for (int32_t i = 0; i < n; ++i) {
        x[i] = 1;
    }
    for (int32_t step = 0; step < 2 * m + 1; ++step) {
        double largest = 0;
        for (int32_t j = 0; j < n; ++j) {
            y[j] = 0;
            for (int32_t i = 0; i < n; ++i) {
                y[j] += fabs(powers->A[i + (int64_t)j * n]) * scale * x[i];
            }
            largest = fmax(largest, y[j]);
        }
        if (largest == 0) {
            return 0;
        }
        for (int32_t j = 0; j < n; ++j) {
            x[j] = y[j] / largest;
        }
        log_norm += log2(largest);
    }
    double log_c = -log2(2 * m + 1);
    for (int32_t i = m + 1; i <= 2 * m; ++i) {
        log_c -= 2 * log2(i);
    }
    double log_alpha = log_c + log_norm - log2(norm_one(n, powers->A) * scale);
    double l = ceil((log_alpha + 53) / (2 * m));
    return l > 0 ? (int32_t)l : 0;
}

/// U = odd part, V = even part of p, with b_j = (2m-j)! m! / ((2m)! (m-j)! j!).
static void form_parts(const Powers *powers, int32_t m)
{
    int32_t n = powers->size;
    int64_t square = (int64_t)n * n;
    double b[ORDER_MAX + 1] = {1};
    for (int32_t j = 0; j < m; ++j) {
        b[j + 1] = b[j] * (m - j) / ((2.0 * m - j) * (j + 1));
    }
    const double *even[] = {NULL, powers->A2, powers->A4, powers->A6, powers->A8};
    double *odd = powers->room, *U = powers->U, *V = powers->V;
    memset(odd, 0, (size_t)square * sizeof *odd);
    memset(V, 0, (size_t)square * sizeof *V);
    int32_t top = m - 1;
    if (m == 13) {
        // the terms above A^7 as A^6 times a polynomial of degree 3 in A^2
        double *high = powers->A8;
        for (int64_t i = 0; i < square; ++i) {
            high[i] = b[13] * even[3][i] + b[11] * even[2][i] + b[9] * even[1][i];
            U[i] = b[12] * even[3][i] + b[10] * even[2][i] + b[8] * even[1][i];
        }
        multiply_square(powers, powers->A6, high, odd);
        multiply_square(powers, powers->A6, U, V);
        top = 6;
    }
    for (int32_t j = 2; j <= top; j += 2) {
        for (int64_t i = 0; i < square; ++i) {
            odd[i] += b[j + 1] * even[j / 2][i];
            V[i] += b[j] * even[j / 2][i];
        }
    }
    for (int32_t i = 0; i < n; ++i) {
        odd[i + (int64_t)i * n] += b[1];
        V[i + (int64_t)i * n] += b[0];
    }
    multiply_square(powers, powers->A, odd, U);
}

static void scale_all(int64_t count, double scale, double *X)
{
    for (int64_t i = 0; i < count; ++i) {
        X[i] *= scale;
    }
}

/// Computes the even powers of A; where they or their norms overflow, A is halved until they do
/// not. Returns how often.
static int32_t form_powers(const Powers *powers)
{
    int32_t n = powers->size, halvings = 0;
    for (;;) {
        multiply_square(powers, powers->A, powers->A, powers->A2);
        multiply_square(powers, powers->A2, powers->A2, powers->A4);
        multiply_square(powers, powers->A2, powers->A4, powers->A6);
        multiply_square(powers, powers->A4, powers->A4, powers->A8);
        // NaN does not pass through the norms, but sums of 0 times each entry find it
        double sum = 0 * norm_one(n, powers->A);
        const double *even[] = {powers->A2, powers->A4, powers->A6, powers->A8};
        for (int32_t k = 0; k < 4; ++k) {
            sum += 0 * norm_one(n, even[k]);
            for (int64_t i = 0; i < (int64_t)n * n; ++i) {
                sum += 0 * even[k][i];
            }
        }
        if (sum == 0) {
            return halvings;
        }
        scale_all((int64_t)n * n, ldexp(1, -32), powers->A);
        halvings += 32;
    }
}

/// Chooses the order and the halvings it needs.
static int32_t choose_order(const Powers *powers, int32_t *halvings)
{
    int32_t n = powers->size;
    *halvings = 0;
    // d_k = |A^k|^(1/k), and |A^10| <= |A^4| |A^6|
    double d4 = pow(norm_one(n, powers->A4), 1.0 / 4), d6 = pow(norm_one(n, powers->A6), 1.0 / 6);
    double d8 = pow(norm_one(n, powers->A8), 1.0 / 8), d10 = pow(d4, 0.4) * pow(d6, 0.6);
    double low = fmax(d4, d6), high = fmax(d6, d8);
    const double etas[ORDER_COUNT - 1] = {low, low, high, high};
    for (int32_t i = 0; i < ORDER_COUNT - 1; ++i) {
        if (etas[i] <= thetas[i] && extra_squarings(powers, orders[i], 1) == 0) {
            return orders[i];
        }
    }
    double eta = fmin(high, fmax(d8, d10));
    *halvings = eta > thetas[4] ? (int32_t)ceil(log2(eta / thetas[4])) : 0;
    *halvings += extra_squarings(powers, orders[4], ldexp(1, -*halvings));
    return orders[4];
}

static LyraStatus exponential_in_place(LyraContext *ctx, Powers *powers)
{
    LyraStatus status = LYRA_OK;
    LyraDenseFactor *factor = NULL;
    int64_t square = (int64_t)powers->size * powers->size;
    int32_t squarings = form_powers(powers), halvings = 0;
    int32_t order = choose_order(powers, &halvings);
    squarings += halvings;
    scale_all(square, ldexp(1, -halvings), powers->A);
    scale_all(square, ldexp(1, -2 * halvings), powers->A2);
    scale_all(square, ldexp(1, -4 * halvings), powers->A4);
    scale_all(square, ldexp(1, -6 * halvings), powers->A6);
    form_parts(powers, order);

    // (V - U) X = V + U
    double *X = powers->V, *other = powers->room, *U = powers->U;
    for (int64_t i = 0; i < square; ++i) {
        other[i] = X[i] - U[i];
        X[i] += U[i];
    }
    LY_TRY_DONE(lyra_dense_factor_create(ctx, LYRA_FACTOR_LU, powers->size, other, &factor));
    LY_TRY_DONE(lyra_dense_factor_solve(factor, powers->size, X, X));
    for (int32_t i = 0; i < squarings; ++i) {
        multiply_square(powers, X, X, other);
        double *t = X;
        X = other;
        other = t;
    }
    LY_TRY_DONE(ly_dense_check_result("exponential", square, X));
    powers->V = X;
done:
    lyra_dense_factor_destroy(factor);
    return status;
}

LyraStatus lyra_dense_exponential(LyraContext *ctx, int32_t size, const double *A,
                                  double *exponential)
{
    LYRA_ASSERT(ctx);
    LY_TRY(ly_dense_check("exponential", size, size, A));
    if (size == 0) {
        return LYRA_OK;
    }
    int64_t square = (int64_t)size * size;
    double *work = NULL;
    LY_TRY(ly_allocate_array(ctx, 8 * square + 2 * (int64_t)size, sizeof *work, &work));
    Powers powers = {.type = ly_dense_type(ctx), .size = size, .vector = work + 8 * square};
    double **arrays[] = {&powers.A,  &powers.A2, &powers.A4, &powers.A6,
                         &powers.A8, &powers.U,  &powers.V,  &powers.room};
    for (int32_t i = 0; i < 8; ++i) {
        *arrays[i] = work + i * square;
    }
    memcpy(powers.A, A, (size_t)square * sizeof *A);
    LyraStatus status = exponential_in_place(ctx, &powers);
    if (status == LYRA_OK) {
        memcpy(exponential, powers.V, (size_t)square * sizeof *A);
    }
    ly_release(ctx, work);
    return status;
}
