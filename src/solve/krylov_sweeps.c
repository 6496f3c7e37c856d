// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Preconditioners by two sweeps for BiCGStab and GMRES, on any matrix of 3x3 blocks or scalars:
//     M = (I + L) (D + U)
// with L and U on the pattern of A below and above the diagonal and D blocks. Incomplete LU without
// fill, ILU(0), has M = A wherever the pattern has a place [MV77]; SSOR has U and D those of A and
// L = L_A D^-1, so that M = (D + L_A) D^-1 (D + U). Both work on a copy of A in full storage.
//
// A pivot of ILU(0) may be nearly singular, or of the wrong sign, although the matrix is positive:
// M would then turn some directions around. So the pivots of each D are compared with those of the
// diagonal block of A. Where they have lost too much the copy is taken anew with the diagonal
// blocks multiplied by 1 + s, s = 1e-2, 1e-1, 1, 10; with large s M is close to SSOR, and where
// even that has no inverse (a zero on the diagonal) there is none of this kind.

#include "lyra/csr.h"
#include "solve/krylov.h"

#include <math.h>
#include <string.h>

// A pivot of D smaller than this against the rows it came from is as good as singular.
#define PIVOT_MIN 1e-8

// The part of a pivot of A that ILU(0) has to leave.
#define PIVOT_KEPT 1e-2

struct LySweeps {
    LyraContext *ctx;
    bool ilu;
    int32_t rows, width; // of a block, 1 or 3
    LyraBlockPattern *block_pattern;
    LyraBlockMatrix *block;
    LyraCsrPattern *csr_pattern;
    LyraCsrMatrix *csr;
    // the copy, whichever it is
    const int64_t *row_start;
    const int32_t *column;
    double *values;
    int64_t *diagonal; // place of each diagonal block, [rows]
    double *inverse;   // of D, [rows][width * width]
    int64_t *place;    // scratch: of the columns of a row, -1, [rows]
    int64_t entries;
};

static LyraStatus take_block(LySweeps *s, const LyraOperator *A)
{
    LY_TRY(lyra_block_pattern_convert(lyra_block_matrix_pattern(A->block), LYRA_STORAGE_FULL,
                                      &s->block_pattern));
    LY_TRY(lyra_block_matrix_create(s->block_pattern, &s->block));
    LyraBlockPatternView view = lyra_block_pattern_view(s->block_pattern);
    s->width = 3;
    s->rows = view.row_count;
    s->row_start = view.row_start;
    s->column = view.column;
    s->values = lyra_block_matrix_values_mutable(s->block);
    return LYRA_OK;
}

static LyraStatus take_csr(LySweeps *s, const LyraOperator *A)
{
    LY_TRY(lyra_csr_pattern_convert(lyra_csr_matrix_pattern(A->csr), LYRA_STORAGE_FULL,
                                    &s->csr_pattern));
    LY_TRY(lyra_csr_matrix_create(s->csr_pattern, &s->csr));
    LyraCsrPatternView view = lyra_csr_pattern_view(s->csr_pattern);
    s->width = 1;
    s->rows = view.row_count;
    s->row_start = view.row_start;
    s->column = view.column;
    s->values = lyra_csr_matrix_values_mutable(s->csr);
    return LYRA_OK;
}

LyraStatus ly_sweeps_create(LyraContext *ctx, const LyraOperator *A, bool ilu, LySweeps **out)
{
    LyraStatus status = LYRA_OK;
    LySweeps *s = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *s, &s));
    s->ctx = ctx;
    s->ilu = ilu;
    LY_TRY_DONE(A->kind == LYRA_OPERATOR_BLOCK ? take_block(s, A) : take_csr(s, A));
    s->entries = s->row_start[s->rows];
    LY_TRY_DONE(ly_allocate_array(ctx, s->rows, sizeof *s->diagonal, &s->diagonal));
    LY_TRY_DONE(ly_allocate_array(ctx, s->rows, sizeof *s->place, &s->place));
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)s->width * s->width * s->rows, sizeof *s->inverse,
                                  &s->inverse));
    for (int32_t i = 0; i < s->rows; ++i) {
        s->place[i] = s->diagonal[i] = -1;
        for (int64_t k = s->row_start[i]; k < s->row_start[i + 1]; ++k) {
            s->diagonal[i] = s->column[k] == i ? k : s->diagonal[i];
        }
    }
    *out = s;
    s = NULL;
done:
    ly_sweeps_destroy(s);
    return status;
}

void ly_sweeps_destroy(LySweeps *s)
{
    if (s) {
        lyra_block_matrix_destroy(s->block);
        lyra_block_pattern_destroy(s->block_pattern);
        lyra_csr_matrix_destroy(s->csr);
        lyra_csr_pattern_destroy(s->csr_pattern);
        ly_release(s->ctx, s->diagonal);
        ly_release(s->ctx, s->place);
        ly_release(s->ctx, s->inverse);
        ly_release(s->ctx, s);
    }
}

int64_t ly_sweeps_bytes(const LySweeps *s)
{
    if (!s) {
        return 0;
    }
    int64_t square = (int64_t)s->width * s->width;
    return (int64_t)sizeof *s + s->entries * (8 * square + 4) + s->rows * (8 * square + 24);
}

// ---- blocks -------------------------------------------------------------------------------------

// B = A^-1 of a block; false where a pivot is nearly zero against `size`, the size of the row
static bool invert(int32_t width, const double *A, double size, double *B)
{
    double W[3][6] = {{0}};
    for (int32_t i = 0; i < width; ++i) {
        memcpy(W[i], A + (int64_t)i * width, (size_t)width * sizeof(double));
        W[i][width + i] = 1.0;
    }
    for (int32_t c = 0; c < width; ++c) {
        int32_t best = c;
        for (int32_t r = c + 1; r < width; ++r) {
            best = fabs(W[r][c]) > fabs(W[best][c]) ? r : best;
        }
        if (!(fabs(W[best][c]) > PIVOT_MIN * size)) {
            return false;
        }
        for (int32_t k = 0; k < 2 * width; ++k) {
            double kept = W[c][k];
            W[c][k] = W[best][k];
            W[best][k] = kept;
        }
        double scale = 1.0 / W[c][c];
        for (int32_t k = 0; k < 2 * width; ++k) {
            W[c][k] *= scale;
        }
        for (int32_t r = 0; r < width; ++r) {
            double f = W[r][c];
            for (int32_t k = 0; r != c && k < 2 * width; ++k) {
                W[r][k] -= f * W[c][k];
            }
        }
    }
    for (int32_t i = 0; i < width; ++i) {
        memcpy(B + (int64_t)i * width, W[i] + width, (size_t)width * sizeof(double));
    }
    return true;
}

// whether the pivots of D, in their order, keep sign and size of those of A
static bool keeps_pivots(int32_t width, const double *A, const double *D)
{
    double a[9], d[9];
    memcpy(a, A, (size_t)width * (size_t)width * sizeof(double));
    memcpy(d, D, (size_t)width * (size_t)width * sizeof(double));
    for (int32_t c = 0; c < width; ++c) {
        double *p = a + c * width, *q = d + c * width;
        if (p[c] == 0.0) {
            return true; // nothing to compare with: who inverts will see
        }
        if (!(q[c] / p[c] >= PIVOT_KEPT)) {
            return false;
        }
        for (int32_t r = c + 1; r < width; ++r) {
            double f = a[r * width + c] / p[c], g = d[r * width + c] / q[c];
            for (int32_t k = c; k < width; ++k) {
                a[r * width + k] -= f * p[k];
                d[r * width + k] -= g * q[k];
            }
        }
    }
    return true;
}

// C = A B, or C -= A B
static void multiply(int32_t width, const double *A, const double *B, bool subtract, double *C)
{
    for (int32_t i = 0; i < width; ++i) {
        double row[3] = {0};
        for (int32_t k = 0; k < width; ++k) {
            for (int32_t j = 0; j < width; ++j) {
                row[j] += A[i * width + k] * B[k * width + j];
            }
        }
        for (int32_t j = 0; j < width; ++j) {
            C[i * width + j] = subtract ? C[i * width + j] - row[j] : row[j];
        }
    }
}

// ---- factors ------------------------------------------------------------------------------------

// the largest entry of row `i`
static double row_size(const LySweeps *s, int32_t i)
{
    int64_t square = (int64_t)s->width * s->width;
    double size = 0.0;
    for (int64_t k = square * s->row_start[i]; k < square * s->row_start[i + 1]; ++k) {
        size = fmax(size, fabs(s->values[k]));
    }
    return size;
}

// L, D and U of row `i` in place, all rows before it being done; false where D has no inverse
static bool factor_row(LySweeps *s, int32_t i)
{
    int32_t width = s->width;
    int64_t square = (int64_t)width * width, begin = s->row_start[i], end = s->row_start[i + 1];
    double size = row_size(s, i), L[9], before[9];
    const double *D = s->values + square * s->diagonal[i];
    memcpy(before, D, (size_t)square * sizeof(double));
    for (int64_t k = begin; s->ilu && k < end; ++k) {
        s->place[s->column[k]] = k;
    }
    for (int64_t k = begin; k < end && s->column[k] < i; ++k) {
        int32_t j = s->column[k];
        multiply(width, s->values + square * k, s->inverse + square * j, false, L);
        memcpy(s->values + square * k, L, (size_t)square * sizeof(double));
        for (int64_t l = s->diagonal[j] + 1; s->ilu && l < s->row_start[j + 1]; ++l) {
            int64_t at = s->place[s->column[l]];
            if (at >= 0) {
                multiply(width, L, s->values + square * l, true, s->values + square * at);
            }
        }
    }
    for (int64_t k = begin; s->ilu && k < end; ++k) {
        s->place[s->column[k]] = -1;
    }
    return (!s->ilu || keeps_pivots(width, before, D)) &&
           invert(width, D, size, s->inverse + square * i);
}

// the values of A, its diagonal blocks multiplied
static LyraStatus copy_values(LySweeps *s, const LyraOperator *A, double shift)
{
    int64_t square = (int64_t)s->width * s->width;
    LY_TRY(A->kind == LYRA_OPERATOR_BLOCK ? lyra_block_matrix_assign(s->block, A->block)
                                          : lyra_csr_matrix_assign(s->csr, A->csr));
    for (int32_t i = 0; shift > 0.0 && i < s->rows; ++i) {
        for (int64_t k = 0; k < square; ++k) {
            s->values[square * s->diagonal[i] + k] *= 1.0 + shift;
        }
    }
    return LYRA_OK;
}

LyraStatus ly_sweeps_factor(LySweeps *s, const LyraOperator *A, bool *good, double *shift)
{
    *good = true;
    for (int32_t i = 0; i < s->rows; ++i) {
        *good = *good && s->diagonal[i] >= 0;
    }
    *shift = 0.0;
    for (int32_t attempt = 0; *good; ++attempt) {
        LY_TRY(copy_values(s, A, *shift));
        int32_t done = 0;
        while (done < s->rows && factor_row(s, done)) {
            ++done;
        }
        if (done == s->rows) {
            return LYRA_OK;
        }
        *good = s->ilu && attempt < 4;
        *shift = attempt == 0 ? 1e-2 : 10.0 * *shift;
    }
    return LYRA_OK;
}

// ---- sweeps -------------------------------------------------------------------------------------

// y -= sum over places [begin, end) of blocks times z
static void subtract_row(const LySweeps *s, int64_t begin, int64_t end, const double *z, double *y)
{
    if (s->width == 1) {
        for (int64_t k = begin; k < end; ++k) {
            y[0] -= s->values[k] * z[s->column[k]];
        }
        return;
    }
    for (int64_t k = begin; k < end; ++k) {
        const double *V = s->values + 9 * k, *x = z + 3 * (int64_t)s->column[k];
        for (int d = 0; d < 3; ++d) {
            y[d] -= V[3 * d] * x[0] + V[3 * d + 1] * x[1] + V[3 * d + 2] * x[2];
        }
    }
}

void ly_sweeps_apply(const LySweeps *s, const double *r, double *z)
{
    int32_t width = s->width;
    memcpy(z, r, (size_t)s->rows * (size_t)width * sizeof(double));
    for (int64_t i = 0; i < s->rows; ++i) {
        subtract_row(s, s->row_start[i], s->diagonal[i], z, z + i * width);
    }
    for (int64_t i = s->rows - 1; i >= 0; --i) {
        double *zi = z + i * width, y[3] = {0};
        subtract_row(s, s->diagonal[i] + 1, s->row_start[i + 1], z, zi);
        for (int32_t d = 0; d < width; ++d) {
            for (int32_t e = 0; e < width; ++e) {
                y[d] += s->inverse[width * (width * i + d) + e] * zi[e];
            }
        }
        memcpy(zi, y, (size_t)width * sizeof(double));
    }
}
