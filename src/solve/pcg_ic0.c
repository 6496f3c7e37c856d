// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Incomplete Cholesky factors of 3x3 blocks without fill, of the scaled copy inside each domain:
//     A~ + shift I ~ (I + W)^T Lambda (I + W),   W strictly upper on the pattern of A~, Lambda
// block diagonal. Row i ends with its pivot Lambda_i and W_ij = Lambda_i^-1 U_ij, where U is what
// earlier rows left of A~, and takes U_ij^T W_ik from every block (j, k) that the pattern has
// [MV77]. With unit blocks on the diagonal the sweeps of SSOR serve W as well.
//
// The factor of a positive definite matrix may meet a pivot that is not. Then it starts anew with a
// larger shift [Man80]; the diagonal of A~ is 1, so the shift is relative to that of A.

#include "solve/pcg.h"

#include <math.h>
#include <string.h>

#define SHIFT_FIRST 1e-3
#define SHIFT_GROWTH 4.0
#define SHIFT_MAX 100.0

typedef struct FactorLoop {
    LyPcgMatrix *matrix;
    double shift;
    bool broken[LY_PCG_DOMAINS_MAX];
} FactorLoop;

// A = A^-1 for a symmetric positive definite block; false if it is not
static bool invert(double *A)
{
    double c00 = A[4] * A[8] - A[5] * A[5], c01 = A[2] * A[5] - A[1] * A[8];
    double c02 = A[1] * A[5] - A[2] * A[4];
    double minor = A[0] * A[4] - A[1] * A[1], det = A[0] * c00 + A[1] * c01 + A[2] * c02;
    // pivots below this fraction of the unit diagonal would blow up what follows
    const double least = 1e-6;
    if (!(A[0] > least && minor > least * A[0] && det > least * minor)) {
        return false;
    }
    double c11 = A[0] * A[8] - A[2] * A[2], c12 = A[1] * A[2] - A[0] * A[5], s = 1.0 / det;
    double inverse[9] = {s * c00, s * c01, s * c02, s * c01,  s * c11,
                         s * c12, s * c02, s * c12, s * minor};
    memcpy(A, inverse, sizeof inverse);
    return true;
}

// B -= U^T W
static void subtract_product(const double *U, const double *W, double *B)
{
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            B[3 * r + c] -= U[r] * W[c] + U[3 + r] * W[3 + c] + U[6 + r] * W[6 + c];
        }
    }
}

static double value_at(const LyPcgMatrix *matrix, const void *values, int64_t k)
{
    return matrix->real == sizeof(float) ? (double)((const float *)values)[k]
                                         : ((const double *)values)[k];
}

static void set_value(const LyPcgMatrix *matrix, void *values, int64_t k, double value)
{
    if (matrix->real == sizeof(float)) {
        ((float *)values)[k] = (float)value;
    } else {
        ((double *)values)[k] = value;
    }
}

// takes row i, finished, from the rows below: W of the row stands in `W`, U in `U`
static void update_rows(LyPcgMatrix *matrix, int64_t begin, int64_t end, double (*W)[9])
{
    double *U = matrix->ic_work, *D = U + 9 * matrix->blocks;
    for (int64_t a = begin; a < end; ++a) {
        int64_t j = matrix->column[a], place = matrix->row_start[j];
        int64_t place_end = matrix->row_start[j + 1];
        subtract_product(U + 9 * a, W[a - begin], D + 9 * j);
        for (int64_t b = a + 1; b < end; ++b) {
            int32_t column = matrix->column[b];
            while (place < place_end && matrix->column[place] < column) {
                ++place;
            }
            if (place < place_end && matrix->column[place] == column) {
                subtract_product(U + 9 * a, W[b - begin], U + 9 * place);
            }
        }
    }
}

// blocks of a row that are worked on together; longer rows (a vertex of very many neighbours) lose
// the couplings past it, which only makes the factor a little less good
#define ROW_MAX 256

static void factor_task(void *data, int32_t domain, int32_t worker)
{
    (void)worker;
    FactorLoop *loop = data;
    LyPcgMatrix *matrix = loop->matrix;
    double *U = matrix->ic_work, *D = U + 9 * matrix->blocks, W[ROW_MAX][9];
    int32_t row_begin = matrix->domain_begin[domain], row_end = matrix->domain_begin[domain + 1];
    for (int64_t k = 9 * matrix->row_start[row_begin]; k < 9 * matrix->row_start[row_end]; ++k) {
        U[k] = value_at(matrix, matrix->values, k);
    }
    for (int64_t i = row_begin; i < row_end; ++i) {
        for (int k = 0; k < 9; ++k) {
            D[9 * i + k] = k % 4 == 0 ? 1.0 + loop->shift : 0.0;
        }
    }
    loop->broken[domain] = true;
    for (int64_t i = row_begin; i < row_end; ++i) {
        double *Di = D + 9 * i;
        if (!invert(Di)) {
            return;
        }
        int64_t begin = matrix->row_start[i], end = matrix->row_start[i + 1];
        int64_t kept = end - begin > ROW_MAX ? begin + ROW_MAX : end;
        for (int64_t a = begin; a < kept; ++a) {
            memset(W[a - begin], 0, sizeof W[0]);
            for (int k = 0; k < 9; ++k) {
                const double *row = Di + k / 3 * 3, *column = U + 9 * a + k % 3;
                W[a - begin][k] = row[0] * column[0] + row[1] * column[3] + row[2] * column[6];
                set_value(matrix, matrix->ic_values, 9 * a + k, W[a - begin][k]);
            }
        }
        for (int64_t k = 9 * kept; k < 9 * end; ++k) {
            set_value(matrix, matrix->ic_values, k, 0.0);
        }
        update_rows(matrix, begin, kept, W);
        for (int k = 0; k < 9; ++k) {
            set_value(matrix, matrix->ic_blocks, 9 * i + k, Di[k]);
        }
    }
    loop->broken[domain] = false;
}

LyraStatus ly_pcg_ic0_factor(LyPcgMatrix *matrix, double *shift)
{
    FactorLoop loop = {.matrix = matrix};
    while (loop.shift <= SHIFT_MAX) {
        ly_parallel_for(matrix->ctx, matrix->domains, factor_task, &loop);
        bool broken = false;
        for (int32_t d = 0; d < matrix->domains; ++d) {
            broken = broken || loop.broken[d];
        }
        if (!broken) {
            *shift = loop.shift;
            return LYRA_OK;
        }
        loop.shift = loop.shift == 0.0 ? SHIFT_FIRST : SHIFT_GROWTH * loop.shift;
    }
    return ly_fail(LYRA_NOT_POSITIVE_DEFINITE,
                   "pcg: no incomplete factor with shifts up to %g times the diagonal", SHIFT_MAX);
}
