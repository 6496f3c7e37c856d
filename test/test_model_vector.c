// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Vectors: operations against plain loops, odd sizes, aliases, the same bits at any thread count.

#include "lyra/vector.h"
#include "lyra_test.h"
#include "model/vector.h"

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

// a vector whose numbers nobody holds to write
static LyraVector *filled(LyraContext *ctx, double value)
{
    LyraVector *vector = NULL;
    TEST_OK(lyra_vector_create(ctx, 100, &vector));
    lyra_vector_fill(vector, value);
    return vector;
}

static bool has(const LyraVector *vector, double value)
{
    bool all = true;
    for (int32_t i = 0; i < 100; ++i) {
        all = all && lyra_vector_values(vector)[i] == value;
    }
    return all;
}

LYRA_TEST(vectors_that_share_their_numbers_part_when_one_is_written)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraVector *v[4] = {filled(ctx, 1), filled(ctx, 2), filled(ctx, 3), filled(ctx, 4)};
    size_t bytes = lyra_context_byte_count(ctx);
    for (int k = 1; k < 4; ++k) {
        ly_vector_share(v[0], v[k]);
        TEST_CHECK(lyra_vector_values(v[k]) == lyra_vector_values(v[0]) && has(v[k], 1));
        TEST_CHECK(ly_vector_has_stamp_of(v[k], v[0]));
    }
    // a vector that gave its numbers writes, then one that took them; the others keep theirs
    const double half = 0.5, *before = lyra_vector_values(v[1]);
    lyra_vector_write(v[0], 0, 1, &half);
    TEST_CHECK(lyra_vector_values(v[0])[0] == 0.5 && lyra_vector_values(v[0])[1] == 1);
    TEST_CHECK(has(v[1], 1) && has(v[2], 1) && has(v[3], 1));
    double *to = ly_vector_rewrite_access(v[1]);
    TEST_CHECK(to != before);
    for (int i = 0; i < 100; ++i) {
        to[i] = 7;
    }
    TEST_CHECK(has(v[1], 7) && has(v[2], 1) && has(v[3], 1));
    lyra_vector_axpby(1, v[2], 1, v[2]);
    TEST_CHECK(has(v[2], 2) && has(v[3], 1));
    // the last reader writes in place
    TEST_CHECK(ly_vector_write_access(v[3]) == before);
    // from one group to another, and a copy out of one
    ly_vector_share(v[2], v[3]);
    ly_vector_share(v[2], v[1]);
    ly_vector_share(v[0], v[3]);
    lyra_vector_copy(v[1], v[0]);
    TEST_CHECK(has(v[0], 2) && has(v[1], 2) && has(v[2], 2));
    TEST_CHECK(lyra_vector_values(v[3])[0] == 0.5);
    // numbers that may be written at any time are not shared
    lyra_vector_values_mutable(v[3])[0] = 9;
    ly_vector_share(v[3], v[1]);
    TEST_CHECK(lyra_vector_values(v[1]) != lyra_vector_values(v[3]));
    TEST_CHECK(lyra_vector_values(v[1])[0] == 9 && has(v[2], 2));
    ly_vector_share(v[2], v[0]);
    TEST_EQUAL(lyra_context_byte_count(ctx), bytes);
    const int order[] = {2, 0, 3, 1};
    for (int k = 0; k < 4; ++k) {
        lyra_vector_destroy(v[order[k]]);
    }
    test_context_end(ctx);
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

LYRA_TEST(sums_of_many_errors_and_noise_match_plain_loops)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    const int32_t sizes[] = {0, 1, 255, 40001};
    for (int k = 0; k < 4; ++k) {
        int32_t n = sizes[k];
        LyraVector *x[4] = {make(ctx, n, 1), make(ctx, n, 2), make(ctx, n, 3), make(ctx, n, 4)};
        LyraVector *z = make(ctx, n, 5);
        const double c[4] = {2, 0, -3, 0.5};
        lyra_vector_fill(x[1], NAN);
        lyra_vector_combine(4, c, x, z);
        const double *a = lyra_vector_values(x[0]), *b = lyra_vector_values(x[2]);
        const double *d = lyra_vector_values(x[3]), *out = lyra_vector_values(z);
        double squares = 0;
        for (int32_t i = 0; i < n; ++i) {
            TEST_NEAR(out[i], 2 * a[i] - 3 * b[i] + 0.5 * d[i], 1e-14);
            double e = d[i] / (0.1 + 0.2 * fmax(fabs(a[i]), fabs(b[i])));
            squares += e * e;
        }
        double found = lyra_vector_error_squares(x[3], x[0], x[2], 0.1, 0.2);
        TEST_NEAR(found, squares, 1e-12 * squares);
        // what is zero meets a tolerance of zero
        lyra_vector_fill(z, 0);
        TEST_CHECK(lyra_vector_error_squares(z, z, z, 0, 1) == 0);
        lyra_vector_noise(x[0], x[2], x[3], z);
        for (int32_t i = 0; i < n; ++i) {
            TEST_NEAR(out[i], a[i] * (fabs(d[i]) + b[i]), 1e-13);
        }
        lyra_vector_noise(x[0], NULL, x[3], z);
        TEST_CHECK(n == 0 || out[n - 1] == a[n - 1] * fabs(d[n - 1]));
        // a result that is an operand
        lyra_vector_combine(2, (const double[2]){1, 1}, (LyraVector *[2]){z, z}, z);
        TEST_CHECK(n == 0 || out[n - 1] == 2 * (a[n - 1] * fabs(d[n - 1])));
        lyra_vector_combine(0, NULL, NULL, z);
        TEST_CHECK(lyra_vector_largest(z) == 0);
        for (int i = 0; i < 4; ++i) {
            lyra_vector_destroy(x[i]);
        }
        lyra_vector_destroy(z);
    }
    test_context_end(ctx);
}

LYRA_TEST(equal_stamps_mean_equal_bits)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraVector *x = NULL, *y = NULL;
    TEST_OK(lyra_vector_create(ctx, 5, &x));
    TEST_OK(lyra_vector_create(ctx, 5, &y));
    TEST_CHECK(lyra_vector_stamp(x) != 0 && lyra_vector_stamp(x) != lyra_vector_stamp(y));
    lyra_vector_fill(x, 3);
    lyra_vector_copy(x, y);
    TEST_CHECK(lyra_vector_stamp(x) == lyra_vector_stamp(y) && lyra_vector_equal(x, y));
    // every change is one
    for (int way = 0; way < 6; ++way) {
        uint64_t before = lyra_vector_stamp(y);
        if (way == 0) {
            lyra_vector_fill(y, 3);
        } else if (way == 1) {
            lyra_vector_axpby(0, x, 1, y);
        } else if (way == 2) {
            lyra_vector_sum(0, x, y, y);
        } else if (way == 3) {
            lyra_vector_combine(1, (const double[1]){1}, (LyraVector *[1]){x}, y);
        } else if (way == 4) {
            lyra_vector_write(y, 1, 1, &(double){3});
        } else {
            lyra_vector_noise(x, NULL, x, y);
        }
        TEST_CHECK(lyra_vector_stamp(y) != before && lyra_vector_stamp(y) != 0);
    }
    // numbers that were lent may change at any time, and so have none; their copies do
    double *values = lyra_vector_values_mutable(x);
    lyra_vector_copy(x, y);
    TEST_CHECK(lyra_vector_stamp(x) == 0 && lyra_vector_stamp(y) != 0);
    values[2] = 7;
    lyra_vector_copy(x, y);
    TEST_CHECK(lyra_vector_equal(x, y) && lyra_vector_values(y)[2] == 7);
    // the other way round as well
    lyra_vector_fill(x, 1);
    lyra_vector_copy(y, x);
    values[2] = 8;
    lyra_vector_copy(y, x);
    TEST_CHECK(lyra_vector_values(x)[2] == 7);
    lyra_vector_destroy(x);
    lyra_vector_destroy(y);
    test_context_end(ctx);
}

// stamps of two contexts have nothing to do with each other
LYRA_TEST(copies_between_contexts_are_made)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO), *other = test_context(1, LYRA_ISA_AUTO);
    LyraVector *x = NULL, *y = NULL, *z = NULL;
    TEST_OK(lyra_vector_create(ctx, 5, &x));
    TEST_OK(lyra_vector_create(other, 5, &y));
    TEST_OK(lyra_vector_create(ctx, 5, &z));
    lyra_vector_fill(x, 1);
    lyra_vector_fill(z, 2);
    while (lyra_vector_stamp(y) < lyra_vector_stamp(x)) {
        lyra_vector_fill(y, 3);
    }
    TEST_EQUAL(lyra_vector_stamp(x), lyra_vector_stamp(y));
    lyra_vector_copy(x, y);
    TEST_CHECK(lyra_vector_equal(x, y));
    // and back, to one whose stamp the copy may have
    while (lyra_vector_stamp(y) < lyra_vector_stamp(z)) {
        lyra_vector_fill(y, 4);
    }
    lyra_vector_copy(y, z);
    TEST_CHECK(lyra_vector_equal(y, z));
    lyra_vector_destroy(x);
    lyra_vector_destroy(y);
    lyra_vector_destroy(z);
    test_context_end(other);
    test_context_end(ctx);
}

LYRA_TEST(parts_are_read_and_written)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraVector *x = make(ctx, 7, 1), *y = make(ctx, 7, 2);
    double part[3];
    lyra_vector_read(x, 2, 3, part);
    TEST_CHECK(memcmp(part, lyra_vector_values(x) + 2, sizeof part) == 0);
    lyra_vector_write(y, 4, 3, part);
    TEST_CHECK(memcmp(part, lyra_vector_values(y) + 4, sizeof part) == 0);
    TEST_CHECK(!lyra_vector_equal(x, y) && lyra_vector_is_alike(x, y) && !lyra_vector_type(x));
    lyra_vector_write(y, 0, 7, lyra_vector_values(x));
    TEST_CHECK(lyra_vector_equal(x, y));
    lyra_vector_read(x, 7, 0, NULL);
    lyra_vector_destroy(x);
    lyra_vector_destroy(y);
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
