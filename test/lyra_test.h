// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The test harness. A file holds LYRA_TEST(name) { ... } functions; CMake finds them by that word
// and makes one CTest entry each. A failed check prints its place and the values, and the test goes
// on to its end; TEST_REQUIRE leaves the function.
//
// Tolerances are multiplied by the environment variable LYRA_TEST_TOLERANCE; 0 shows all residuals.

#ifndef LYRA_TEST_H
#define LYRA_TEST_H

#include "lyra/base.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// ---- tests and checks ---------------------------------------------------------------------------

typedef void TestFunction(void);

typedef struct TestCase {
    const char *name;
    TestFunction *function;
    struct TestCase *next;
} TestCase;

void test_register(TestCase *test);

#define LYRA_TEST(test_name)                                                                       \
    static void test_name(void);                                                                   \
    __attribute__((constructor)) static void register_##test_name(void)                            \
    {                                                                                              \
        static TestCase test = {#test_name, test_name, NULL};                                      \
        test_register(&test);                                                                      \
    }                                                                                              \
    static void test_name(void)

bool test_check(bool holds, const char *file, int line, const char *format, ...) LYRA_PRINTF(4, 5);
bool test_check_near(double a, double b, double tolerance, const char *a_text, const char *b_text,
                     const char *file, int line);
bool test_check_equal(long long a, long long b, const char *a_text, const char *b_text,
                      const char *file, int line);
bool test_check_string(const char *a, const char *b, const char *file, int line);
bool test_check_contains(const char *text, const char *part, const char *file, int line);
bool test_check_status(LyraStatus found, LyraStatus expected, const char *call, const char *file,
                       int line);

#define TEST_CHECK(condition) test_check(condition, __FILE__, __LINE__, "%s", #condition)
#define TEST_CHECK_MSG(condition, ...) test_check(condition, __FILE__, __LINE__, __VA_ARGS__)
/// Absolute difference at most `tolerance`; NaN never passes.
#define TEST_NEAR(a, b, tolerance) test_check_near(a, b, tolerance, #a, #b, __FILE__, __LINE__)
#define TEST_EQUAL(a, b)                                                                           \
    test_check_equal((long long)(a), (long long)(b), #a, #b, __FILE__, __LINE__)
#define TEST_STRING(a, b) test_check_string(a, b, __FILE__, __LINE__)
#define TEST_CONTAINS(text, part) test_check_contains(text, part, __FILE__, __LINE__)
#define TEST_OK(call) test_check_status(call, LYRA_OK, #call, __FILE__, __LINE__)
#define TEST_STATUS(call, expected) test_check_status(call, expected, #call, __FILE__, __LINE__)
#define TEST_REQUIRE(condition)                                                                    \
    do {                                                                                           \
        if (!test_check(condition, __FILE__, __LINE__, "%s", #condition)) {                        \
            return;                                                                                \
        }                                                                                          \
    } while (0)
#define TEST_REQUIRE_OK(call)                                                                      \
    do {                                                                                           \
        if (!test_check_status(call, LYRA_OK, #call, __FILE__, __LINE__)) {                        \
            return;                                                                                \
        }                                                                                          \
    } while (0)

/// Ends the test as skipped (a file that only some machines have); say why.
#define TEST_SKIP(why)                                                                             \
    do {                                                                                           \
        test_skip(why);                                                                            \
        return;                                                                                    \
    } while (0)
void test_skip(const char *why);

/// LYRA_TEST_TOLERANCE, 1 when unset.
double test_tolerance_scale(void);

// ---- contexts whose memory is watched -----------------------------------------------------------

/// Context with `threads` workers and instruction set `isa` over the watched allocator. Ends the
/// process if it cannot be made.
LyraContext *test_context(int32_t threads, LyraIsa isa);

/// Destroys it and checks that every byte came back.
void test_context_end(LyraContext *ctx);

/// Requests made of the watched allocator so far. A block between two readings that are equal
/// allocated nothing.
int64_t test_allocation_count(void);

/// Bytes held of the watched allocator now, and the most since test_allocation_peak_reset().
int64_t test_allocation_bytes(void);
int64_t test_allocation_peak(void);
void test_allocation_peak_reset(void);

/// Runs `scenario` with the first request failing, then the second, and so on until none does. Each
/// run but the last must return LYRA_OUT_OF_MEMORY and leak nothing. The scenario must succeed when
/// nothing fails.
void test_fail_each_allocation(LyraStatus (*scenario)(LyraContext *ctx, void *data), void *data);

/// Runs `compute`, which fills `bytes` bytes of `out` from zero, at 1, 2, 3 and 7 threads (several
/// times each, once under sanitizers) and checks that all bytes agree.
void test_same_bits(void (*compute)(LyraContext *ctx, void *data, void *out), void *data,
                    size_t bytes);

/// Next instruction set this machine can run after `isa`, LYRA_ISA_AUTO after the last:
/// for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)).
LyraIsa test_next_isa(LyraIsa isa);

// ---- random numbers -----------------------------------------------------------------------------

/// xoshiro256++; the same seed gives the same numbers everywhere.
typedef struct TestRandom {
    uint64_t s[4];
} TestRandom;

TestRandom test_random(uint64_t seed);
uint64_t test_random_bits(TestRandom *random);
/// Uniform in [a, b).
double test_random_in(TestRandom *random, double a, double b);
/// Uniform in [0, n).
int32_t test_random_below(TestRandom *random, int32_t n);
/// Standard normal.
double test_random_normal(TestRandom *random);

/// Kinds of 3x3 matrices that break decompositions.
typedef enum TestMatrixKind {
    TEST_MATRIX_NORMAL,        ///< Independent normal entries.
    TEST_MATRIX_NEAR_IDENTITY, ///< Small strain and a random rotation.
    TEST_MATRIX_ROTATION,
    TEST_MATRIX_REFLECTION,
    TEST_MATRIX_ZERO,
    TEST_MATRIX_RANK_1,
    TEST_MATRIX_RANK_2,
    TEST_MATRIX_NEAR_SINGULAR, ///< Smallest stretch 1e-8 to 1e-16 of the largest.
    TEST_MATRIX_TWO_EQUAL,     ///< Two equal stretches, either pair, either sign of det.
    TEST_MATRIX_THREE_EQUAL,
    TEST_MATRIX_NEARLY_EQUAL, ///< Stretches that differ by 1e-15 to 1e-4.
    TEST_MATRIX_OPPOSITE,     ///< s3 = -s2: the nearest rotation is not unique.
    TEST_MATRIX_DIAGONAL,     ///< Axis aligned, entries of either sign, zeros among them.
    TEST_MATRIX_PERMUTATION,  ///< Signed permutation times a scale.
    TEST_MATRIX_GRADED,       ///< Stretches spread over 1e0 to 1e-150.
    TEST_MATRIX_SYMMETRIC,    ///< Symmetric indefinite.
    TEST_MATRIX_INTEGER,      ///< Small integers, many ties.
    TEST_MATRIX_KIND_COUNT
} TestMatrixKind;

const char *test_matrix_kind_name(TestMatrixKind kind);

/// Row-major random matrix of a kind, times `scale`.
void test_random_matrix3(TestRandom *random, TestMatrixKind kind, double scale, double F[9]);

/// Random rotation, row-major, uniform.
void test_random_rotation(TestRandom *random, double R[9]);

// ---- finite differences -------------------------------------------------------------------------

/// Writes `f(x)` [m] for `x` [n].
typedef void TestVectorFunction(void *data, const double *x, double *f);

/// What central differences found.
typedef struct TestDifference {
    double order;      ///< Slope of the error over the steps where truncation rules.
    double error_best; ///< Smallest relative error over all steps.
    bool bit_equal; ///< Derivative and difference agree to the last bit at some step: suspicious.
} TestDifference;

/// Compares the directional derivative `dfdx` [m] along `direction` [n] with central differences of
/// `f` at steps h, h/2, ... from `step`.
TestDifference test_difference(TestVectorFunction *f, void *data, int32_t n, int32_t m,
                               const double *x, const double *direction, const double *dfdx,
                               double step);

/// Checks that the order is 2 within 0.1 (or that `f` is a quadratic, exact to rounding), and that
/// the best error is at most `tolerance`.
void test_check_difference(TestDifference difference, double tolerance, const char *what);

// ---- files --------------------------------------------------------------------------------------

/// Path of `name` in a folder of this test process that is removed at its end.
const char *test_temp_path(const char *name);

/// Changes to a locale that writes 0.5 as "0,5", made in the folder above if none is installed.
/// False, in the C locale, if there is no way.
bool test_comma_locale(void);

/// Writes `bytes` bytes to `path`.
void test_write_file(const char *path, const void *content, size_t bytes);

/// Content of `path` with a zero byte after it, to free(); NULL when there is none.
char *test_read_file(const char *path, size_t *bytes);

/// Path of a file in test/data.
const char *test_data_path(const char *name);

/// Path of a file in the folder of reference meshes and numbers, NULL where this machine has none.
const char *test_reference_path(const char *name);

#endif
