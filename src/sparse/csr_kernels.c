// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Kernels of scalar products, compiled once per instruction set. A row's products are summed in
// four lanes (one in the scalar twin); x is fetched entry by entry, which on common machines is as
// fast as a gather.

#include "sparse/sparse.h"

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define NAME(base) JOIN(base, LY_ISA)

// doubles and columns that are prefetched
#define PREFETCH 128

void NAME(ly_csr_full)(const LyProductPiece *piece)
{
    const int32_t *restrict column = piece->column;
    const double *restrict values = piece->values;
    const double *restrict x = piece->x;
    for (int32_t i = piece->row_begin; i < piece->row_end; ++i) {
        int64_t k = piece->row_start[i], end = piece->row_start[i + 1];
        double sum = 0.0;
#if LY_LANES > 1
        typedef double V4 __attribute__((vector_size(32)));
        V4 sums = {0.0, 0.0, 0.0, 0.0};
        for (; k + 4 <= end; k += 4) {
            V4 v;
            memcpy(&v, values + k, sizeof v);
            __builtin_prefetch(values + k + PREFETCH);
            __builtin_prefetch(column + k + PREFETCH);
            sums += v * (V4){x[column[k]], x[column[k + 1]], x[column[k + 2]], x[column[k + 3]]};
        }
        sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
#endif
        for (; k < end; ++k) {
            sum += values[k] * x[column[k]];
        }
        piece->y[i] = piece->add ? piece->y[i] + piece->a * sum : piece->a * sum;
    }
}

void NAME(ly_csr_upper)(const LyProductPiece *piece)
{
    const int32_t *restrict column = piece->column;
    const int32_t *restrict halo = piece->entry_halo;
    const double *restrict values = piece->values;
    const double *restrict x = piece->x;
    const int32_t begin = piece->row_begin, end = piece->row_end;
    double *own = piece->local, *outside = own + (end - begin);
    for (int32_t i = begin; i < end; ++i) {
        int64_t k = piece->row_start[i], row_end = piece->row_start[i + 1];
        double sum = 0.0, xi = piece->a * x[i];
        if (k < row_end && column[k] == i) {
            sum = values[k] * x[i];
            ++k;
        }
        for (; k < row_end && column[k] < end; ++k) {
            sum += values[k] * x[column[k]];
            own[column[k] - begin] += values[k] * xi;
        }
        for (; k < row_end; ++k) {
            sum += values[k] * x[column[k]];
            outside[*halo++] += values[k] * xi;
        }
        own[i - begin] += piece->a * sum;
    }
}

void NAME(ly_csr_transposed)(const LyProductPiece *piece)
{
    const int32_t *restrict column = piece->column;
    const int32_t *restrict halo = piece->entry_halo;
    const double *restrict values = piece->values;
    const int32_t begin = piece->own_begin, end = piece->own_end;
    double *own = piece->local, *outside = own + (end - begin);
    for (int32_t i = piece->row_begin; i < piece->row_end; ++i) {
        int64_t k = piece->row_start[i], row_end = piece->row_start[i + 1];
        double xi = piece->a * piece->x[i];
        for (; k < row_end && column[k] < begin; ++k) {
            outside[*halo++] += values[k] * xi;
        }
        for (; k < row_end && column[k] < end; ++k) {
            own[column[k] - begin] += values[k] * xi;
        }
        for (; k < row_end; ++k) {
            outside[*halo++] += values[k] * xi;
        }
    }
}
