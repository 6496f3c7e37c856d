// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What all of dense algebra shares: the choice of implementation, checks, scales, owned matrices,
// products and norms.

#include "math/dense.h"

#include "base/context.h"
#include "config.h"

#include <math.h>
#include <string.h>

// ---- choice of implementation -------------------------------------------------------------------

bool ly_dense_force(LyraContext *ctx, LyDenseBackend backend)
{
    if (backend == LY_DENSE_LAPACK && !LY_HAVE_LAPACK) {
        return false;
    }
    ctx->dense_backend = (int32_t)backend;
    return true;
}

const LyDenseType *ly_dense_type(const LyraContext *ctx)
{
#if LY_HAVE_LAPACK
    return ctx->dense_backend == LY_DENSE_BUILTIN ? &ly_dense_builtin : &ly_dense_lapack;
#else
    (void)ctx;
    return &ly_dense_builtin;
#endif
}

// ---- checks and scales --------------------------------------------------------------------------

LyraStatus ly_dense_check_size(const char *what, int32_t rows, int32_t columns)
{
    if (rows < 0 || columns < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "%s: a size of %d x %d is negative", what, rows,
                       columns);
    }
    // room for a few arrays of this size in one request
    if ((int64_t)rows * columns > PTRDIFF_MAX / 64) {
        return ly_fail(LYRA_TOO_LARGE, "%s: a matrix of %d x %d is too large", what, rows, columns);
    }
    return LYRA_OK;
}

static LyraStatus fail_entry(const char *what, int32_t i, int32_t j, double value)
{
    return ly_fail(LYRA_NOT_FINITE, "%s: the entry in row %d, column %d (from 0) is %s", what, i, j,
                   isnan(value) ? "not a number" : "infinite");
}

LyraStatus ly_dense_check(const char *what, int32_t rows, int32_t columns, const double *A)
{
    LY_TRY(ly_dense_check_size(what, rows, columns));
    for (int32_t j = 0; j < columns; ++j) {
        for (int32_t i = 0; i < rows; ++i) {
            double value = A[i + (int64_t)j * rows];
            if (!isfinite(value)) {
                return fail_entry(what, i, j, value);
            }
        }
    }
    return LYRA_OK;
}

LyraStatus ly_dense_check_lower(const char *what, int32_t size, const double *A)
{
    LY_TRY(ly_dense_check_size(what, size, size));
    for (int32_t j = 0; j < size; ++j) {
        for (int32_t i = j; i < size; ++i) {
            double value = A[i + (int64_t)j * size];
            if (!isfinite(value)) {
                return fail_entry(what, i, j, value);
            }
        }
    }
    return LYRA_OK;
}

LyraStatus ly_dense_check_result(const char *what, int64_t count, const double *values)
{
    for (int64_t i = 0; i < count; ++i) {
        if (!isfinite(values[i])) {
            return ly_fail(LYRA_NOT_FINITE, "%s: the result is beyond the range of a double", what);
        }
    }
    return LYRA_OK;
}

static double largest_magnitude(int64_t count, const double *values)
{
    double largest = 0;
    for (int64_t i = 0; i < count; ++i) {
        largest = fmax(largest, fabs(values[i]));
    }
    return largest;
}

double ly_dense_scale(int64_t count, const double *values)
{
    int exponent = 0;
    frexp(largest_magnitude(count, values), &exponent);
    // the power and its inverse must both be normal numbers
    exponent = exponent < -1000 ? -1000 : exponent > 1000 ? 1000 : exponent;
    return ldexp(1, -exponent);
}

void ly_dense_fix_signs(int32_t rows, int32_t columns, double *vectors, int32_t other_rows,
                        double *others)
{
    for (int32_t j = 0; j < columns; ++j) {
        double *v = vectors + (int64_t)j * rows;
        double largest = 0;
        for (int32_t i = 0; i < rows; ++i) {
            largest = fabs(v[i]) > fabs(largest) ? v[i] : largest;
        }
        if (largest < 0) {
            for (int32_t i = 0; i < rows; ++i) {
                v[i] = -v[i];
            }
            for (int32_t i = 0; others && i < other_rows; ++i) {
                others[i + (int64_t)j * other_rows] = -others[i + (int64_t)j * other_rows];
            }
        }
    }
}

void ly_dense_transpose(int32_t rows, int32_t columns, const double *A, double *B)
{
    for (int32_t j = 0; j < columns; ++j) {
        for (int32_t i = 0; i < rows; ++i) {
            B[j + (int64_t)i * columns] = A[i + (int64_t)j * rows];
        }
    }
}

void ly_dense_fill_symmetric(int32_t size, double scale, const double *A, double *full)
{
    for (int32_t j = 0; j < size; ++j) {
        for (int32_t i = j; i < size; ++i) {
            double value = scale * A[i + (int64_t)j * size];
            full[i + (int64_t)j * size] = value;
            full[j + (int64_t)i * size] = value;
        }
    }
}

// ---- owned matrices -----------------------------------------------------------------------------

struct LyraDense {
    LyraContext *ctx;
    int32_t rows, columns;
    double *values;
};

LyraStatus lyra_dense_create(LyraContext *ctx, int32_t rows, int32_t columns, LyraDense **out)
{
    LYRA_ASSERT(ctx && out);
    LyraStatus status = LYRA_OK;
    LyraDense *matrix = NULL;
    LY_TRY_DONE(ly_dense_check_size("dense matrix", rows, columns));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, 1, sizeof *matrix, &matrix));
    matrix->ctx = ctx;
    matrix->rows = rows;
    matrix->columns = columns;
    LY_TRY_DONE(ly_allocate_zeroed(ctx, (int64_t)rows * columns, sizeof(double), &matrix->values));
    *out = matrix;
    return LYRA_OK;
done:
    lyra_dense_destroy(matrix);
    return status;
}

LyraDenseView lyra_dense_view(const LyraDense *matrix)
{
    LYRA_ASSERT(matrix);
    return (LyraDenseView){
        .rows = matrix->rows, .columns = matrix->columns, .values = matrix->values};
}

double *lyra_dense_values(LyraDense *matrix)
{
    LYRA_ASSERT(matrix);
    return matrix->values;
}

void lyra_dense_destroy(LyraDense *matrix)
{
    if (matrix) {
        ly_release(matrix->ctx, matrix->values);
        ly_release(matrix->ctx, matrix);
    }
}

// ---- products -----------------------------------------------------------------------------------

static LyraStatus check_stride(const char *name, int32_t stride, int32_t height)
{
    if (stride < height) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "product: the stride %d of %s is below its height %d",
                       stride, name, height);
    }
    return LYRA_OK;
}

static void scale_columns(int32_t rows, int32_t columns, double beta, double *C, int32_t stride)
{
    for (int32_t j = 0; j < columns; ++j) {
        for (int32_t i = 0; i < rows; ++i) {
            double *c = &C[i + (int64_t)j * stride];
            *c = beta == 0 ? 0 : beta * *c;
        }
    }
}

LyraStatus lyra_dense_multiply(LyraContext *ctx, const LyraDenseProduct *product)
{
    LYRA_ASSERT(ctx && product);
    const LyraDenseProduct p = *product;
    LY_TRY(ly_dense_check_size("product", p.rows, p.columns));
    LY_TRY(ly_dense_check_size("product", p.rows, p.inner));
    LY_TRY(ly_dense_check_size("product", p.inner, p.columns));
    LY_TRY(check_stride("A", p.A_stride, p.A_transposed ? p.inner : p.rows));
    LY_TRY(check_stride("B", p.B_stride, p.B_transposed ? p.columns : p.inner));
    LY_TRY(check_stride("C", p.C_stride, p.rows));
    if (p.rows == 0 || p.columns == 0) {
        return LYRA_OK;
    }
    if (p.inner == 0) {
        scale_columns(p.rows, p.columns, p.beta, p.C, p.C_stride);
        return LYRA_OK;
    }
    ly_dense_type(ctx)->multiply(product);
    return LYRA_OK;
}

LyraStatus lyra_dense_apply(LyraContext *ctx, bool transposed, double alpha, LyraDenseView A,
                            const double *x, double beta, double *y)
{
    int32_t height = transposed ? A.columns : A.rows, width = transposed ? A.rows : A.columns;
    return lyra_dense_multiply(ctx, &(LyraDenseProduct){.A_transposed = transposed,
                                                        .rows = height,
                                                        .columns = 1,
                                                        .inner = width,
                                                        .alpha = alpha,
                                                        .A = A.values,
                                                        .A_stride = A.rows,
                                                        .B = x,
                                                        .B_stride = width,
                                                        .beta = beta,
                                                        .C = y,
                                                        .C_stride = height});
}

// ---- norms --------------------------------------------------------------------------------------

static double sum_magnitudes(int32_t count, int64_t stride, const double *values, double scale)
{
    double sum = 0;
    for (int32_t i = 0; i < count; ++i) {
        sum += fabs(scale * values[i * stride]);
    }
    return sum;
}

static LyraStatus largest_singular_value(LyraContext *ctx, int32_t rows, int32_t columns,
                                         const double *A, double *norm)
{
    double *s = NULL;
    LY_TRY(ly_allocate_array(ctx, rows < columns ? rows : columns, sizeof *s, &s));
    LyraStatus status = lyra_dense_svd(ctx, rows, columns, A, NULL, s, NULL);
    if (status == LYRA_OK) {
        *norm = s[0];
    }
    ly_release(ctx, s);
    return status;
}

LyraStatus lyra_dense_norm(LyraContext *ctx, LyraNorm kind, int32_t rows, int32_t columns,
                           const double *A, double *norm)
{
    LYRA_ASSERT(ctx && norm);
    LY_TRY(ly_dense_check("norm", rows, columns, A));
    int64_t count = (int64_t)rows * columns;
    if (count == 0 && kind >= LYRA_NORM_MAX && kind <= LYRA_NORM_TWO) {
        *norm = 0;
        return LYRA_OK;
    }
    double scale = ly_dense_scale(count, A), result = 0;
    switch (kind) {
    case LYRA_NORM_MAX:
        *norm = largest_magnitude(count, A);
        return LYRA_OK;
    case LYRA_NORM_ONE:
        for (int32_t j = 0; j < columns; ++j) {
            result = fmax(result, sum_magnitudes(rows, 1, A + (int64_t)j * rows, scale));
        }
        break;
    case LYRA_NORM_INFINITY:
        for (int32_t i = 0; i < rows; ++i) {
            result = fmax(result, sum_magnitudes(columns, rows, A + i, scale));
        }
        break;
    case LYRA_NORM_FROBENIUS:
        for (int64_t i = 0; i < count; ++i) {
            result += (scale * A[i]) * (scale * A[i]);
        }
        result = sqrt(result);
        break;
    case LYRA_NORM_TWO:
        return largest_singular_value(ctx, rows, columns, A, norm);
    default:
        return ly_fail(LYRA_INVALID_ARGUMENT, "norm: %d is no kind of norm", (int)kind);
    }
    result /= scale;
    LY_TRY(ly_dense_check_result("norm", 1, &result));
    *norm = result;
    return LYRA_OK;
}
