// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "sparse_cases.h"

// Sums of n products have errors below n eps times the sum of magnitudes; rows here have up to a
// few hundred products.
#define ROUNDING 1e-13

// y = add y0 + a op(A) x by plain loops over the pattern, and the magnitudes summed
static void plain_product(const LyraBlockMatrix *matrix, bool transposed, double a, const double *x,
                          double *y, double *size)
{
    LyraBlockPatternView view = lyra_block_pattern_view(lyra_block_matrix_pattern(matrix));
    const double *values = lyra_block_matrix_values(matrix);
    bool upper = view.storage == LYRA_STORAGE_UPPER;
    for (int32_t i = 0; i < view.row_count; ++i) {
        for (int64_t k = view.row_start[i]; k < view.row_start[i + 1]; ++k) {
            for (int32_t d = 0; d < 9; ++d) {
                int64_t row = 3 * (int64_t)i + d / 3, column = 3 * (int64_t)view.column[k] + d % 3;
                double v = a * values[9 * k + d];
                if (!transposed || upper) {
                    y[row] += v * x[column];
                    size[row] += fabs(v * x[column]);
                }
                if ((transposed && !upper) || (upper && view.column[k] != i)) {
                    y[column] += v * x[row];
                    size[column] += fabs(v * x[row]);
                }
            }
        }
    }
}

static void check_near(const double *y, const double *expected, const double *size, int64_t count,
                       const char *what)
{
    for (int64_t i = 0; i < count; ++i) {
        double gap = fabs(y[i] - expected[i]);
        if (!(gap <= test_tolerance_scale() * ROUNDING * (size[i] + 1.0))) {
            TEST_CHECK_MSG(false, "%s: entry %lld is %.17g, expected %.17g", what, (long long)i,
                           y[i], expected[i]);
            return;
        }
    }
}

static void check_products(LyraContext *ctx, const CaseStencils *stencils, LyraStorage storage)
{
    LyraBlockPattern *pattern = case_pattern(ctx, stencils, storage);
    LyraBlockMatrix *matrix = case_matrix(pattern, 7);
    int64_t n = 3 * (int64_t)stencils->vertex_count;
    enum { COLUMNS = 6 };
    double *x = case_vector(COLUMNS * (n + 5), 8), *start = case_vector(n, 9);
    double *y = case_vector(COLUMNS * (n + 2), 10);
    double *expected = case_allocate((size_t)n, sizeof(double));
    double *size = case_allocate((size_t)n, sizeof(double));

    for (int32_t transposed = 0; transposed < 2; ++transposed) {
        memset(expected, 0, (size_t)n * sizeof(double));
        memset(size, 0, (size_t)n * sizeof(double));
        plain_product(matrix, transposed, 1.0, x, expected, size);
        if (transposed) {
            lyra_block_matrix_multiply_transposed(matrix, x, y);
        } else {
            lyra_block_matrix_multiply(matrix, x, y);
        }
        check_near(y, expected, size, n, "A x");
        memcpy(expected, start, (size_t)n * sizeof(double));
        memcpy(y, start, (size_t)n * sizeof(double));
        memset(size, 0, (size_t)n * sizeof(double));
        plain_product(matrix, transposed, -1.75, x, expected, size);
        if (transposed) {
            lyra_block_matrix_multiply_transposed_add(matrix, -1.75, x, y);
        } else {
            lyra_block_matrix_multiply_add(matrix, -1.75, x, y);
        }
        check_near(y, expected, size, n, "y + a A x");
    }

    // columns have the bits of single products, whatever is reserved
    double *single = case_allocate((size_t)n, sizeof(double));
    for (int32_t reserved = 1; reserved <= 4; ++reserved) {
        TEST_OK(lyra_block_matrix_reserve_columns(matrix, reserved));
        for (int32_t columns = 0; columns <= COLUMNS; ++columns) {
            memset(y, 0, (size_t)(COLUMNS * (n + 2)) * sizeof(double));
            lyra_block_matrix_multiply_columns(matrix, columns, x, n + 5, y, n + 2);
            for (int32_t c = 0; c < COLUMNS; ++c) {
                memset(single, 0, (size_t)n * sizeof(double));
                if (c < columns) {
                    lyra_block_matrix_multiply(matrix, x + c * (n + 5), single);
                }
                TEST_CHECK(memcmp(single, y + c * (n + 2), (size_t)n * sizeof(double)) == 0);
            }
        }
        // and so has what is added to them
        memset(y, 0, (size_t)(COLUMNS * (n + 2)) * sizeof(double));
        for (int32_t c = 0; c < COLUMNS; ++c) {
            memcpy(y + c * (n + 2), start, (size_t)n * sizeof(double));
        }
        lyra_block_matrix_multiply_columns_add(matrix, 0.5, COLUMNS - 1, x, n + 5, y, n + 2);
        for (int32_t c = 0; c < COLUMNS; ++c) {
            memcpy(single, start, (size_t)n * sizeof(double));
            if (c + 1 < COLUMNS) {
                lyra_block_matrix_multiply_add(matrix, 0.5, x + c * (n + 5), single);
            }
            TEST_CHECK(memcmp(single, y + c * (n + 2), (size_t)n * sizeof(double)) == 0);
        }
    }
    TEST_STATUS(lyra_block_matrix_reserve_columns(matrix, 5), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_block_matrix_reserve_columns(matrix, 0), LYRA_INVALID_ARGUMENT);
    free(single);
    free(x);
    free(y);
    free(start);
    free(expected);
    free(size);
    lyra_block_matrix_destroy(matrix);
    lyra_block_pattern_destroy(pattern);
}

LYRA_TEST(block_products_match_plain_loops)
{
    TestRandom random = test_random(3);
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(2, isa);
        for (int32_t n = 0; n < 12; ++n) {
            CaseStencils some = case_random(&random, n, n < 4 ? n ? n : 1 : 4,
                                            n ? test_random_below(&random, 9) : 0);
            check_products(ctx, &some, LYRA_STORAGE_FULL);
            check_products(ctx, &some, LYRA_STORAGE_UPPER);
            free(some.ids);
        }
        test_context_end(ctx);
    }
}

// several pieces, with narrow and with wide halos
LYRA_TEST(block_products_in_pieces_match_plain_loops)
{
    TestRandom random = test_random(4);
    CaseStencils box = case_box(18, 19, 20);
    for (int32_t shuffled = 0; shuffled < 2; ++shuffled) {
        if (shuffled) {
            int32_t *order = case_shuffle(&random, box.vertex_count);
            for (int64_t i = 0; i < 4 * box.count; ++i) {
                box.ids[i] = order[box.ids[i]];
            }
            free(order);
        }
        for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
            LyraContext *ctx = test_context(2, isa);
            check_products(ctx, &box, LYRA_STORAGE_FULL);
            check_products(ctx, &box, LYRA_STORAGE_UPPER);
            test_context_end(ctx);
        }
    }
    free(box.ids);
}

static void product_bits(LyraContext *ctx, void *data, void *out)
{
    const CaseStencils *box = data;
    int64_t n = 3 * (int64_t)box->vertex_count;
    double *x = case_vector(3 * n, 21), *y = out;
    for (int32_t storage = 0; storage < LYRA_STORAGE_COUNT; ++storage) {
        LyraBlockPattern *pattern = case_pattern(ctx, box, (LyraStorage)storage);
        LyraBlockMatrix *matrix = case_matrix(pattern, 20);
        LyraCsrPattern *csr_pattern = NULL;
        LyraCsrMatrix *csr = NULL;
        TEST_OK(lyra_block_matrix_reserve_columns(matrix, 2));
        TEST_OK(lyra_csr_pattern_create_block(pattern, (LyraStorage)storage, &csr_pattern));
        TEST_OK(lyra_csr_matrix_create(csr_pattern, &csr));
        TEST_OK(lyra_csr_matrix_assign_block(csr, matrix));
        int64_t before = test_allocation_count();
        lyra_block_matrix_multiply(matrix, x, y);
        lyra_block_matrix_multiply_add(matrix, 1.5, x + n, y);
        lyra_block_matrix_multiply_transposed(matrix, x, y + n);
        lyra_block_matrix_multiply_transposed_add(matrix, 0.3, x + n, y + n);
        lyra_block_matrix_multiply_columns(matrix, 3, x, n, y + 2 * n, n);
        lyra_csr_matrix_multiply(csr, x, y + 5 * n);
        lyra_csr_matrix_multiply_transposed_add(csr, 2.5, x + n, y + 5 * n);
        TEST_EQUAL(test_allocation_count(), before);
        y += 6 * n;
        lyra_csr_matrix_destroy(csr);
        lyra_csr_pattern_destroy(csr_pattern);
        lyra_block_matrix_destroy(matrix);
        lyra_block_pattern_destroy(pattern);
    }
    free(x);
}

LYRA_TEST(products_have_the_same_bits_and_allocate_nothing)
{
    CaseStencils box = case_box(20, 20, 20);
    test_same_bits(product_bits, &box, (size_t)(36 * box.vertex_count) * sizeof(double));
    free(box.ids);
}

// A NaN or an infinity in one block reaches exactly the rows and columns of that block.
LYRA_TEST(nan_and_infinity_stay_where_they_belong)
{
    TestRandom random = test_random(5);
    CaseStencils some = case_random(&random, 14, 4, 8);
    int64_t n = 3 * (int64_t)some.vertex_count;
    double *x = case_vector(n, 6), *y = case_vector(n, 6);
    const double bad[2] = {NAN, INFINITY};
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(1, isa);
        for (int32_t storage = 0; storage < LYRA_STORAGE_COUNT; ++storage) {
            LyraBlockPattern *pattern = case_pattern(ctx, &some, (LyraStorage)storage);
            LyraBlockPatternView view = lyra_block_pattern_view(pattern);
            LyraBlockMatrix *matrix = case_matrix(pattern, 11);
            double *values = lyra_block_matrix_values_mutable(matrix);
            for (int32_t i = 0; i < view.row_count; ++i) {
                for (int64_t k = view.row_start[i]; k < view.row_start[i + 1]; ++k) {
                    for (int32_t d = 0; d < 9; ++d) {
                        double kept = values[9 * k + d];
                        values[9 * k + d] = bad[d % 2];
                        lyra_block_matrix_multiply(matrix, x, y);
                        int64_t row = 3 * (int64_t)i + d / 3;
                        int64_t column = 3 * (int64_t)view.column[k] + d % 3;
                        bool both = storage == LYRA_STORAGE_UPPER && view.column[k] != i;
                        bool right = true;
                        for (int64_t r = 0; r < n; ++r) {
                            right = right && !isfinite(y[r]) == (r == row || (both && r == column));
                        }
                        TEST_CHECK(right);
                        values[9 * k + d] = kept;
                    }
                }
            }
            // and in x
            x[n - 1] = NAN;
            lyra_block_matrix_multiply(matrix, x, y);
            for (int32_t i = 0; i < view.row_count; ++i) {
                double block[9];
                lyra_block_matrix_get_block(matrix, i, view.row_count - 1, block);
                TEST_EQUAL(isnan(y[3 * i]), block[2] != 0.0);
            }
            x[n - 1] = 0.5;
            lyra_block_matrix_destroy(matrix);
            lyra_block_pattern_destroy(pattern);
        }
        test_context_end(ctx);
    }
    free(x);
    free(y);
    free(some.ids);
}
