// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Factors of square matrices, for solving.
//
// Scaling. S = R A C is factored in place of A, with R and C diagonal matrices of powers of two
// that bring the largest magnitude of each row and column to about 1 (R = C for the symmetric
// kinds). Powers of two add no rounding. Then A x = b is S y = R b, x = C y. This makes the test
// for singular matrices blind to units: diag(1, 1e-20) is as good as the identity.
//
// Condition. |S^-1| in the 1-norm is estimated from a few solves with S and S^T, by Hager's method
// with Higham's second start [Hig88]: the norm is the largest of the convex function |S^-1 x| over
// |x| = 1, found by following its subgradient S^-T sign(S^-1 x) from corner to corner. A matrix is
// refused where 1 / (|S| |S^-1|) is below the precision of a double.

#include "math/dense.h"

#include "base/number.h"
#include "math/dense_tiles.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- making room --------------------------------------------------------------------------------

static bool is_tiled(LyraFactorKind kind, int32_t size)
{
    return kind == LYRA_FACTOR_CHOLESKY && size >= LY_DENSE_TILED;
}

bool ly_dense_factor_is_tiled(const LyraDenseFactor *factor)
{
    return is_tiled(factor->kind, factor->size);
}

static LyraStatus reserve_data(LyraContext *ctx, LyraFactorKind kind, int32_t size,
                               LyDenseFactorData *data)
{
    int64_t count = is_tiled(kind, size) ? ly_dense_tiles_room(size) : (int64_t)size * size;
    LY_TRY(ly_allocate_array(ctx, count, sizeof *data->values, &data->values));
    LY_TRY(ly_allocate_array(ctx, 2 * (int64_t)size, sizeof *data->row_scale, &data->row_scale));
    data->column_scale = kind == LYRA_FACTOR_LU ? data->row_scale + size : data->row_scale;
    return ly_allocate_array(ctx, size, sizeof *data->pivots, &data->pivots);
}

static void release_data(LyraContext *ctx, LyDenseFactorData *data)
{
    ly_release(ctx, data->values);
    ly_release(ctx, data->row_scale);
    ly_release(ctx, data->pivots);
}

LyraStatus ly_dense_factor_reserve(LyraContext *ctx, LyraFactorKind kind, int32_t size,
                                   LyraDenseFactor **out)
{
    LyraStatus status = LYRA_OK;
    LyraDenseFactor *factor = NULL;
    LY_TRY_DONE(ly_allocate_zeroed(ctx, 1, sizeof *factor, &factor));
    factor->ctx = ctx;
    factor->kind = kind;
    factor->size = size;
    LY_TRY_DONE(reserve_data(ctx, kind, size, &factor->now));
    LY_TRY_DONE(reserve_data(ctx, kind, size, &factor->next));
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)LY_DENSE_LDL_WORK * size, sizeof *factor->work,
                                  &factor->work));
    *out = factor;
    return LYRA_OK;
done:
    lyra_dense_factor_destroy(factor);
    return status;
}

void lyra_dense_factor_destroy(LyraDenseFactor *factor)
{
    if (factor) {
        release_data(factor->ctx, &factor->now);
        release_data(factor->ctx, &factor->next);
        ly_release(factor->ctx, factor->work);
        ly_release(factor->ctx, factor);
    }
}

// ---- scaling ------------------------------------------------------------------------------------

static double power_of_two(int exponent)
{
    return ldexp(1, exponent < -1000 ? -1000 : exponent > 1000 ? 1000 : exponent);
}

/// Exponent e with x in [2^(e-1), 2^e).
static int exponent_of(double x)
{
    int exponent = 0;
    frexp(x, &exponent);
    return exponent;
}

/// fmax(), which is no instruction, without its care for a that is no number.
static inline double larger(double a, double b)
{
    return b > a ? b : a;
}

/// Rows first, then columns. Returns 0, or the number of a row or column of zeros.
static int32_t scale_general(int32_t size, const double *A, double *row_scale, double *column_scale)
{
    for (int32_t i = 0; i < size; ++i) {
        row_scale[i] = 0;
    }
    for (int32_t j = 0; j < size; ++j) {
        for (int32_t i = 0; i < size; ++i) {
            row_scale[i] = larger(row_scale[i], fabs(A[i + (int64_t)j * size]));
        }
    }
    int32_t empty = 0;
    for (int32_t i = size - 1; i >= 0; --i) {
        empty = row_scale[i] == 0 ? i + 1 : empty;
        row_scale[i] = power_of_two(-exponent_of(row_scale[i]));
    }
    for (int32_t j = size - 1; j >= 0; --j) {
        double largest = 0;
        for (int32_t i = 0; i < size; ++i) {
            largest = larger(largest, fabs(row_scale[i] * A[i + (int64_t)j * size]));
        }
        empty = largest == 0 ? j + 1 : empty;
        column_scale[j] = power_of_two(-exponent_of(largest));
    }
    return empty;
}

/// By the diagonal, which rules a positive definite matrix.
static int32_t scale_definite(int32_t size, const double *A, double *scale)
{
    int32_t failed = 0;
    for (int32_t i = size - 1; i >= 0; --i) {
        double diagonal = A[i + (int64_t)i * size];
        failed = diagonal > 0 ? failed : i + 1;
        scale[i] = power_of_two(-exponent_of(diagonal) / 2);
    }
    return failed;
}

/// Each round takes the root of the largest magnitude out of each row and column [Rui01].
static int32_t scale_symmetric(int32_t size, const double *A, double *scale, double *largest)
{
    int32_t empty = 0;
    for (int32_t i = 0; i < size; ++i) {
        scale[i] = 1;
    }
    for (int32_t round = 0; round < 12; ++round) {
        bool changed = false;
        for (int32_t i = 0; i < size; ++i) {
            largest[i] = 0;
        }
        for (int32_t j = 0; j < size; ++j) {
            for (int32_t i = j; i < size; ++i) {
                double value = fabs(scale[i] * A[i + (int64_t)j * size] * scale[j]);
                largest[i] = larger(largest[i], value);
                largest[j] = larger(largest[j], value);
            }
        }
        for (int32_t i = size - 1; i >= 0; --i) {
            empty = largest[i] == 0 ? i + 1 : empty;
            int shift = -exponent_of(largest[i]) / 2;
            changed |= shift != 0;
            scale[i] = power_of_two(exponent_of(scale[i]) - 1 + shift);
        }
        if (!changed) {
            break;
        }
    }
    return empty;
}

// ---- factoring ----------------------------------------------------------------------------------

/// Number of the first block of D, or diagonal entry of U, that is exactly singular; else 0.
static int32_t find_singular(LyraFactorKind kind, int32_t size, const LyDenseFactorData *data)
{
    const double *A = data->values;
    for (int32_t k = 0; k < size; ++k) {
        double diagonal = A[k + (int64_t)k * size];
        if (kind == LYRA_FACTOR_LDL && data->pivots[k] < 0) {
            double b = A[k + 1 + (int64_t)k * size], c = A[k + 1 + (int64_t)(k + 1) * size];
            if (b == 0 || (diagonal / b) * (c / b) == 1) {
                return k + 1;
            }
            ++k;
        } else if (diagonal == 0) {
            return k + 1;
        }
    }
    return 0;
}

/// Writes the scaled matrix, whole, and returns its 1-norm.
static double scale_values(const LyraDenseFactor *factor, const double *A, LyDenseFactorData *data)
{
    int32_t size = factor->size;
    bool symmetric = factor->kind != LYRA_FACTOR_LU;
    double norm = 0;
    for (int32_t j = 0; j < size; ++j) {
        double sum = 0;
        for (int32_t i = 0; i < size; ++i) {
            int64_t at = i + (int64_t)j * size;
            double value = symmetric && i < j ? A[j + (int64_t)i * size] : A[at];
            data->values[at] = data->row_scale[i] * value * data->column_scale[j];
            sum += fabs(data->values[at]);
        }
        norm = larger(norm, sum);
    }
    return norm;
}

int32_t ly_dense_factor_compute(LyraDenseFactor *factor, const double *A)
{
    const LyDenseType *type = ly_dense_type(factor->ctx);
    LyDenseFactorData *data = &factor->next;
    int32_t size = factor->size, failed = 0;
    data->rcond = 1;
    if (size == 0) {
        return 0;
    }
    if (factor->kind == LYRA_FACTOR_LU) {
        failed = scale_general(size, A, data->row_scale, data->column_scale);
    } else if (factor->kind == LYRA_FACTOR_CHOLESKY) {
        failed = scale_definite(size, A, data->row_scale);
    } else {
        failed = scale_symmetric(size, A, data->row_scale, factor->work);
    }
    bool tiled = ly_dense_factor_is_tiled(factor);
    data->norm = tiled ? ly_dense_tiles_scale(factor->ctx, size, data->row_scale, A, data->values,
                                              factor->work)
                       : scale_values(factor, A, data);
    // the LDL and LU factors of a singular matrix have their uses; a half-done Cholesky has none
    if (factor->kind == LYRA_FACTOR_CHOLESKY) {
        failed = failed  ? failed
                 : tiled ? ly_dense_tiles_factor(factor->ctx, size, data->values)
                         : type->cholesky(size, data->values);
    } else {
        if (factor->kind == LYRA_FACTOR_LU) {
            type->lu(size, data->values, data->pivots);
        } else {
            type->ldl(size, data->values, data->pivots, factor->work);
        }
        failed = failed ? failed : find_singular(factor->kind, size, data);
    }
    return failed;
}

// ---- solving ------------------------------------------------------------------------------------

/// Exchanges rows as they were exchanged in factoring, or back.
static void permute(const LyraDenseFactor *factor, const int32_t *pivots, bool back,
                    int32_t columns, double *X)
{
    for (int32_t step = 0; step < factor->size; ++step) {
        int32_t k = back ? factor->size - 1 - step : step, p = pivots[k] - 1;
        for (int32_t j = 0; p != k && j < columns; ++j) {
            double *x = X + (int64_t)j * factor->size, t = x[k];
            x[k] = x[p];
            x[p] = t;
        }
    }
}

static void swap_rows(double *x, int32_t a, int32_t b)
{
    double t = x[a];
    x[a] = x[b];
    x[b] = t;
}

/// P L D L^T P^T x = b for one column; exchanges and eliminations alternate, as they were made.
static void solve_ldl(int32_t size, const double *A, const int32_t *pivots, double *x)
{
    for (int32_t k = 0; k < size;) {
        const double *p = A + (int64_t)k * size;
        if (pivots[k] > 0) {
            swap_rows(x, k, pivots[k] - 1);
            for (int32_t i = k + 1; i < size; ++i) {
                x[i] -= p[i] * x[k];
            }
            x[k] /= p[k];
            ++k;
            continue;
        }
        const double *q = p + size;
        swap_rows(x, k + 1, -pivots[k] - 1);
        for (int32_t i = k + 2; i < size; ++i) {
            x[i] -= p[i] * x[k] + q[i] * x[k + 1];
        }
        // [a b; b c] divided by b, its largest entry
        double b = p[k + 1], a_b = p[k] / b, c_b = q[k + 1] / b, f = a_b * c_b - 1;
        double u = x[k] / b, v = x[k + 1] / b;
        x[k] = (c_b * u - v) / f;
        x[k + 1] = (a_b * v - u) / f;
        k += 2;
    }
    for (int32_t k = size - 1; k >= 0;) {
        const double *q = A + (int64_t)k * size;
        for (int32_t i = k + 1; i < size; ++i) {
            x[k] -= q[i] * x[i];
        }
        if (pivots[k] > 0) {
            swap_rows(x, k, pivots[k] - 1);
            --k;
            continue;
        }
        const double *p = q - size;
        for (int32_t i = k + 1; i < size; ++i) {
            x[k - 1] -= p[i] * x[i];
        }
        swap_rows(x, k, -pivots[k] - 1);
        k -= 2;
    }
}

void ly_dense_factor_solve_scaled(const LyraDenseFactor *factor, const LyDenseFactorData *data,
                                  bool transposed, int32_t columns, double *X)
{
    const LyDenseType *type = ly_dense_type(factor->ctx);
    int32_t size = factor->size;
    const double *A = data->values;
    switch (factor->kind) {
    case LYRA_FACTOR_LU:
        if (!transposed) {
            permute(factor, data->pivots, false, columns, X);
            type->solve_triangle(false, false, true, size, columns, A, X);
            type->solve_triangle(true, false, false, size, columns, A, X);
        } else {
            type->solve_triangle(true, true, false, size, columns, A, X);
            type->solve_triangle(false, true, true, size, columns, A, X);
            permute(factor, data->pivots, true, columns, X);
        }
        break;
    case LYRA_FACTOR_CHOLESKY:
        if (ly_dense_factor_is_tiled(factor)) {
            ly_dense_tiles_solve(factor->ctx, size, A, columns, X);
            break;
        }
        type->solve_triangle(false, false, false, size, columns, A, X);
        type->solve_triangle(false, true, false, size, columns, A, X);
        break;
    case LYRA_FACTOR_LDL:
        for (int32_t j = 0; j < columns; ++j) {
            solve_ldl(size, A, data->pivots, X + (int64_t)j * size);
        }
        break;
    }
}

LyraStatus lyra_dense_factor_solve(const LyraDenseFactor *factor, int32_t columns, const double *B,
                                   double *X)
{
    LYRA_ASSERT(factor);
    int32_t size = factor->size;
    LY_TRY(ly_dense_check("solve", size, columns, B));
    if (size == 0 || columns == 0) {
        return LYRA_OK;
    }
    for (int32_t j = 0; j < columns; ++j) {
        for (int32_t i = 0; i < size; ++i) {
            int64_t at = i + (int64_t)j * size;
            X[at] = factor->now.row_scale[i] * B[at];
        }
    }
    ly_dense_factor_solve_scaled(factor, &factor->now, false, columns, X);
    for (int32_t j = 0; j < columns; ++j) {
        for (int32_t i = 0; i < size; ++i) {
            X[i + (int64_t)j * size] *= factor->now.column_scale[i];
        }
    }
    return ly_dense_check_result("solve", (int64_t)size * columns, X);
}

// ---- condition ----------------------------------------------------------------------------------

static double sum_magnitudes(int32_t count, const double *x)
{
    double sum = 0;
    for (int32_t i = 0; i < count; ++i) {
        sum += fabs(x[i]);
    }
    return sum;
}

/// Estimate of |S^-1| in the 1-norm for the factor in `next`, from below; rarely off by more
/// than 3.
static double estimate_inverse_norm(LyraDenseFactor *factor)
{
    int32_t size = factor->size, corner = -1;
    double *x = factor->work, estimate = 0;
    for (int32_t i = 0; i < size; ++i) {
        x[i] = 1.0 / size;
    }
    for (int32_t round = 0; round < 5; ++round) {
        ly_dense_factor_solve_scaled(factor, &factor->next, false, 1, x);
        double found = sum_magnitudes(size, x);
        if (!isfinite(found)) {
            return INFINITY;
        }
        if (round > 0 && found <= estimate) {
            break;
        }
        estimate = found;
        // the steepest corner
        for (int32_t i = 0; i < size; ++i) {
            x[i] = x[i] < 0 ? -1 : 1;
        }
        ly_dense_factor_solve_scaled(factor, &factor->next, true, 1, x);
        int32_t best = 0;
        for (int32_t i = 1; i < size; ++i) {
            best = fabs(x[i]) > fabs(x[best]) ? i : best;
        }
        if (best == corner) {
            break;
        }
        corner = best;
        memset(x, 0, (size_t)size * sizeof *x);
        x[corner] = 1;
    }
    // the second start: alternating signs, which fools no matrix that fools the first
    for (int32_t i = 0; i < size; ++i) {
        double value = 1 + (size > 1 ? (double)i / (size - 1) : 0);
        x[i] = i % 2 ? -value : value;
    }
    ly_dense_factor_solve_scaled(factor, &factor->next, false, 1, x);
    double found = 2 * sum_magnitudes(size, x) / (3.0 * size);
    return isfinite(found) ? fmax(estimate, found) : INFINITY;
}

// ---- public -------------------------------------------------------------------------------------

LyraStatus lyra_dense_factor_update(LyraDenseFactor *factor, const double *A)
{
    LYRA_ASSERT(factor);
    int32_t size = factor->size;
    bool definite = factor->kind == LYRA_FACTOR_CHOLESKY;
    LY_TRY(factor->kind == LYRA_FACTOR_LU ? ly_dense_check("LU factor", size, size, A)
                                          : ly_dense_check_lower("symmetric factor", size, A));
    int32_t failed = ly_dense_factor_compute(factor, A);
    if (failed) {
        return definite
                   ? ly_fail(LYRA_NOT_POSITIVE_DEFINITE,
                             "Cholesky factor: the matrix of size %d is not positive definite, as "
                             "column %d (from 0) shows",
                             size, failed - 1)
                   : ly_fail(LYRA_SINGULAR,
                             "%s factor: the matrix of size %d is singular, as column %d (from 0) "
                             "shows",
                             factor->kind == LYRA_FACTOR_LU ? "LU" : "LDL", size, failed - 1);
    }
    if (size > 0) {
        factor->next.rcond = fmin(1, 1 / factor->next.norm / estimate_inverse_norm(factor));
    }
    if (!(factor->next.rcond >= DBL_EPSILON)) {
        char rcond[LY_DOUBLE_CHARS];
        ly_format_double(rcond, factor->next.rcond);
        return ly_fail(definite ? LYRA_NOT_POSITIVE_DEFINITE : LYRA_SINGULAR,
                       "the matrix of size %d is %s to working precision: its reciprocal condition "
                       "is %s",
                       size, definite ? "not positive definite" : "singular", rcond);
    }
    LyDenseFactorData old = factor->now;
    factor->now = factor->next;
    factor->next = old;
    return LYRA_OK;
}

LyraStatus lyra_dense_factor_create(LyraContext *ctx, LyraFactorKind kind, int32_t size,
                                    const double *A, LyraDenseFactor **out)
{
    LYRA_ASSERT(ctx && out);
    if (kind != LYRA_FACTOR_LU && kind != LYRA_FACTOR_CHOLESKY && kind != LYRA_FACTOR_LDL) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "factor: %d is no kind of factor", (int)kind);
    }
    LyraDenseFactor *factor = NULL;
    LY_TRY(ly_dense_check_size("factor", size, size));
    LY_TRY(ly_dense_factor_reserve(ctx, kind, size, &factor));
    LyraStatus status = lyra_dense_factor_update(factor, A);
    if (status != LYRA_OK) {
        lyra_dense_factor_destroy(factor);
        return status;
    }
    *out = factor;
    return LYRA_OK;
}

double lyra_dense_factor_rcond(const LyraDenseFactor *factor)
{
    LYRA_ASSERT(factor);
    return factor->now.rcond;
}

// ---- inertia ------------------------------------------------------------------------------------

static void count_sign(double value, double tolerance, LyraInertia *inertia)
{
    if (fabs(value) <= tolerance) {
        ++inertia->zero;
    } else if (value > 0) {
        ++inertia->positive;
    } else {
        ++inertia->negative;
    }
}

/// Signs of the eigenvalues of D, the same as those of A by Sylvester's law.
static LyraInertia count_signs(int32_t size, const LyDenseFactorData *data, double tolerance)
{
    LyraInertia inertia = {0};
    for (int32_t k = 0; k < size; ++k) {
        const double *p = data->values + (int64_t)k * size;
        if (data->pivots[k] > 0) {
            count_sign(p[k], tolerance, &inertia);
            continue;
        }
        double a = p[k], b = p[k + 1], c = p[size + k + 1];
        double middle = 0.5 * (a + c), radius = hypot(0.5 * (a - c), b);
        count_sign(middle + radius, tolerance, &inertia);
        count_sign(middle - radius, tolerance, &inertia);
        ++k;
    }
    return inertia;
}

LyraStatus lyra_dense_factor_inertia(const LyraDenseFactor *factor, LyraInertia *inertia)
{
    LYRA_ASSERT(factor && inertia);
    switch (factor->kind) {
    case LYRA_FACTOR_CHOLESKY:
        *inertia = (LyraInertia){.positive = factor->size};
        return LYRA_OK;
    case LYRA_FACTOR_LDL:
        *inertia = count_signs(factor->size, &factor->now, 0);
        return LYRA_OK;
    default:
        return ly_fail(LYRA_INVALID_ARGUMENT, "inertia: an LU factor does not show it");
    }
}

LyraStatus lyra_dense_inertia(LyraContext *ctx, int32_t size, const double *A, LyraInertia *inertia)
{
    LYRA_ASSERT(ctx && inertia);
    LY_TRY(ly_dense_check_lower("inertia", size, A));
    LyraDenseFactor *factor = NULL;
    LY_TRY(ly_dense_factor_reserve(ctx, LYRA_FACTOR_LDL, size, &factor));
    ly_dense_factor_compute(factor, A);
    *inertia = count_signs(size, &factor->next, size * DBL_EPSILON);
    lyra_dense_factor_destroy(factor);
    return LYRA_OK;
}
