// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Vectors: operations against plain loops, odd sizes, aliases, the same bits at any thread count.

#include "lyra/vector.h"
#include "lyra_test.h"

#include <stdlib.h>
#include <string.h>

static LyraVector *make(LyraContext *ctx, int32_t size, uint64_t seed)
{
    LyraVector *vector = NULL;
    TEST_OK(lyra_vector_create(ctx, size, &vector));
    TestRandom random = test_random(seed);
    for (int32_t i = 0; i < size; ++i) {
        lyra_vector_values_mutable(vector)[i] = test_random_normal(&random);
    }
    return vector;
}

LYRA_TEST(operations_match_plain_loops)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    const int32_t sizes[] = {0, 1, 3, 8, 1000, 40001};
    for (int k = 0; k < 6; ++k) {
        int32_t n = sizes[k];
        LyraVector *x = make(ctx, n, 1), *y = make(ctx, n, 2), *z = NULL;
        TEST_OK(lyra_vector_create(ctx, n, &z));
        TEST_EQUAL(lyra_vector_size(z), n);
        const double *a = lyra_vector_values(x), *b = lyra_vector_values(y);
        double dot = 0, square = 0, *c = lyra_vector_values_mutable(z);
        for (int32_t i = 0; i < n; ++i) {
            TEST_CHECK(c[i] == 0);
            dot += a[i] * b[i];
            square += a[i] * a[i];
        }
        // sums of n rounded products of size 1
        TEST_NEAR(lyra_vector_dot(x, y), dot, 1e-15 * (n + 1));
        TEST_NEAR(lyra_vector_norm(x), sqrt(square), 1e-14 * sqrt(square));
        lyra_vector_copy(x, z);
        TEST_CHECK(n == 0 || memcmp(a, c, (size_t)n * sizeof *a) == 0);
        lyra_vector_axpby(2, y, -3, z);
        for (int32_t i = 0; i < n; ++i) {
            TEST_NEAR(c[i], 2 * b[i] - 3 * a[i], 1e-14);
        }
        lyra_vector_sum(-3, x, y, z);
        double largest = 0;
        for (int32_t i = 0; i < n; ++i) {
            TEST_NEAR(c[i], b[i] - 3 * a[i], 1e-14);
            largest = fmax(largest, fabs(c[i]));
        }
        TEST_CHECK(lyra_vector_largest(z) == largest);
        lyra_vector_sum(1, z, z, z);
        TEST_CHECK(lyra_vector_largest(z) == 2 * largest);
        // with b = 0 the output is not read
        lyra_vector_fill(z, NAN);
        TEST_EQUAL(lyra_vector_is_finite(z), n == 0);
        lyra_vector_axpby(2, y, 0, z);
        TEST_CHECK(lyra_vector_is_finite(z));
        for (int32_t i = 0; i < n; ++i) {
            TEST_CHECK(c[i] == 2 * b[i]);
        }
        // both one
        lyra_vector_axpby(0.5, z, 0.25, z);
        lyra_vector_copy(z, z);
        for (int32_t i = 0; i < n; ++i) {
            TEST_CHECK(c[i] == 1.5 * b[i]);
        }
        lyra_vector_destroy(x);
        lyra_vector_destroy(y);
        lyra_vector_destroy(z);
    }
    lyra_vector_destroy(NULL);
    LyraVector *none = NULL;
    TEST_STATUS(lyra_vector_create(ctx, -1, &none), LYRA_INVALID_ARGUMENT);
    TEST_CHECK(!none);
    test_context_end(ctx);
}

LYRA_TEST(norms_neither_overflow_nor_vanish)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraVector *x = make(ctx, 4, 1);
    const double sizes[] = {1e300, 1e-300, 1};
    for (int k = 0; k < 3; ++k) {
        lyra_vector_fill(x, sizes[k]);
        TEST_NEAR(lyra_vector_norm(x) / sizes[k], 2, 1e-14);
    }
    lyra_vector_values_mutable(x)[2] = NAN;
    TEST_CHECK(isnan(lyra_vector_norm(x)));
    TEST_CHECK(lyra_vector_largest(x) == 1);
    TEST_CHECK(!lyra_vector_is_finite(x));
    lyra_vector_values_mutable(x)[2] = -INFINITY;
    TEST_CHECK(isinf(lyra_vector_norm(x)));
    TEST_CHECK(!lyra_vector_is_finite(x));
    lyra_vector_fill(x, 0);
    TEST_CHECK(lyra_vector_norm(x) == 0);
    lyra_vector_destroy(x);
    test_context_end(ctx);
}

#define BIG 200003

static void compute(LyraContext *ctx, void *data, void *out)
{
    (void)data;
    LyraVector *x = make(ctx, BIG, 1), *y = make(ctx, BIG, 2);
    double *values = out;
    lyra_vector_axpby(1.1, x, 0.3, y);
    values[0] = lyra_vector_dot(x, y);
    values[1] = lyra_vector_norm(y);
    memcpy(values + 2, lyra_vector_values(y), BIG * sizeof *values);
    lyra_vector_destroy(x);
    lyra_vector_destroy(y);
}

LYRA_TEST(bits_do_not_depend_on_threads)
{
    test_same_bits(compute, NULL, (BIG + 2) * sizeof(double));
}

static LyraStatus create(LyraContext *ctx, void *data)
{
    (void)data;
    LyraVector *x = NULL;
    LyraStatus status = lyra_vector_create(ctx, 100, &x);
    lyra_vector_destroy(x);
    return status;
}

LYRA_TEST(failing_allocations_leak_nothing)
{
    test_fail_each_allocation(create, NULL);
}
