// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Loops over one piece of a vector, compiled once per instruction set. Sums are kept in a fixed
// number of lanes, so that they depend on the length of the piece alone.

#ifndef LY_SOLVE_VECTOR_KERNELS_H
#define LY_SOLVE_VECTOR_KERNELS_H

#include "math/kernel.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct LyVectorKernels {
    double (*dot)(int64_t count, const double *x, const double *y);
    /// y = a x + b y; y is only written where b is 0.
    void (*axpby)(int64_t count, double a, const double *x, double b, double *y);
    /// out = y + a x; out may be x or y.
    void (*sum)(int64_t count, double a, const double *x, const double *y, double *out);
    /// Largest size of an entry; NaN loses every comparison.
    double (*largest)(int64_t count, const double *x);
    bool (*is_finite)(int64_t count, const double *x);
} LyVectorKernels;

LY_KERNEL_DECLARE(const LyVectorKernels, ly_vector_kernels);

#endif
