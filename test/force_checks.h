// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What all tests of forces share, whatever their bodies: products with matrices of assemblies, and
// sizes of differences.

#ifndef LYRA_FORCE_CHECKS_H
#define LYRA_FORCE_CHECKS_H

#include "lyra/force.h"
#include "lyra_test.h"

#include <stdlib.h>
#include <string.h>

// y = A d with both in the caller's order of n vertices, A in that of the assembly
static inline void apply_in_order(const LyraAssembly *assembly, int32_t n, const LyraBlockMatrix *A,
                                  const double *d, double *y)
{
    const int32_t *order = lyra_assembly_order(assembly);
    double *inner = malloc(((size_t)n * 6 + 1) * sizeof *inner), *result = inner + 3 * n;
    for (int32_t i = 0; i < n; ++i) {
        memcpy(inner + 3 * i, d + 3 * order[i], 3 * sizeof *d);
    }
    lyra_block_matrix_multiply(A, inner, result);
    for (int32_t i = 0; i < n; ++i) {
        memcpy(y + 3 * order[i], result + 3 * i, 3 * sizeof *y);
    }
    free(inner);
}

// evaluates twice, and allocates nothing the second time
static inline void check_allocates_nothing(LyraAssembly *assembly, const LyraEvaluation *evaluation)
{
    TEST_OK(lyra_assembly_evaluate(assembly, evaluation));
    int64_t before = test_allocation_count();
    TEST_OK(lyra_assembly_evaluate(assembly, evaluation));
    TEST_EQUAL(test_allocation_count(), before);
}

// the larger; NaN once one is, which fmax would drop
static inline double larger(double worst, double other)
{
    return other > worst || other != other ? other : worst;
}

// largest |values|; NaN where there is one
static inline double largest_of(int64_t count, const double *values)
{
    double largest = 0;
    for (int64_t i = 0; i < count; ++i) {
        largest = larger(largest, fabs(values[i]));
    }
    return largest;
}

// largest |a - b|; NaN where there is one
static inline double largest_difference(int64_t count, const double *a, const double *b)
{
    double largest = 0;
    for (int64_t i = 0; i < count; ++i) {
        largest = larger(largest, fabs(a[i] - b[i]));
    }
    return largest;
}

// largest |a - b| over largest |b|
static inline double apart(int32_t n, const double *a, const double *b)
{
    double size = largest_of(n, b);
    return largest_difference(n, a, b) / (size > 0 ? size : 1);
}

#endif
