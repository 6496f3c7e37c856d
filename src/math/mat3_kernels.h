// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Decompositions of many 3x3 matrices; the kernels behind the batch functions of lyra/math3.h.

#ifndef LY_MATH_MAT3_KERNELS_H
#define LY_MATH_MAT3_KERNELS_H

#include "math/kernel.h"

/// Of `count` row-major matrices: U [9 count] and V [9 count], nullable, and s [3 count].
typedef void LySvdKernel(int64_t count, const double *F, double *U, double *s, double *V);
LY_KERNEL_DECLARE(LySvdKernel, ly_mat3_svd_many);

/// R [9 count] and S = R^T F [9 count]; each nullable.
typedef void LyPolarKernel(int64_t count, const double *F, double *R, double *S);
LY_KERNEL_DECLARE(LyPolarKernel, ly_mat3_polar_many);

/// Values [3 count] and vectors V [9 count], the latter nullable.
typedef void LyEigenKernel(int64_t count, const double *A, double *values, double *V);
LY_KERNEL_DECLARE(LyEigenKernel, ly_mat3_eigen_many);

#endif
