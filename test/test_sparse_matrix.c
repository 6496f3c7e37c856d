// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "sparse_cases.h"

// ---- block matrices -----------------------------------------------------------------------------

LYRA_TEST(block_operations_match_dense)
{
    TestRandom random = test_random(1);
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    CaseStencils some = case_random(&random, 17, 4, 12);
    int64_t n = 3 * (int64_t)some.vertex_count;
    double *d = case_vector(n, 5);
    for (int32_t storage = 0; storage < LYRA_STORAGE_COUNT; ++storage) {
        LyraBlockPattern *pattern = case_pattern(ctx, &some, (LyraStorage)storage);
        LyraBlockMatrix *A = case_matrix(pattern, 2), *B = case_matrix(pattern, 3), *C = NULL;
        TEST_CHECK(lyra_block_matrix_pattern(A) == pattern);
        TEST_EQUAL((uintptr_t)lyra_block_matrix_values(A) % 64, 0);
        TEST_REQUIRE_OK(lyra_block_matrix_copy(A, &C));
        TEST_OK(lyra_block_matrix_axpy(C, -0.5, B));
        lyra_block_matrix_scale(C, 3.0);
        lyra_block_matrix_add_diagonal(C, 2.0, NULL);
        lyra_block_matrix_add_diagonal(C, -1.0, d);
        double *a = case_dense(A), *b = case_dense(B), *c = case_dense(C);
        bool right = true, blocks = true;
        for (int64_t i = 0; i < n; ++i) {
            for (int64_t j = 0; j < n; ++j) {
                double expected = 3.0 * (a[i * n + j] - 0.5 * b[i * n + j]);
                expected += i == j ? 2.0 - d[i] : 0.0;
                right = right && fabs(c[i * n + j] - expected) <= 1e-14;
                double block[9];
                lyra_block_matrix_get_block(A, (int32_t)(i / 3), (int32_t)(j / 3), block);
                blocks = blocks && block[3 * (i % 3) + j % 3] == a[i * n + j];
            }
        }
        TEST_CHECK(right);
        TEST_CHECK(blocks);

        // diagonals
        double *diagonal = case_vector(n, 1), *diagonal_blocks = case_vector(3 * n, 1);
        lyra_block_matrix_diagonal(A, diagonal);
        lyra_block_matrix_diagonal_blocks(A, diagonal_blocks);
        for (int64_t i = 0; i < n; ++i) {
            TEST_CHECK(diagonal[i] == a[i * n + i]);
            TEST_CHECK(diagonal_blocks[3 * i] == a[i * n + i / 3 * 3]);
        }

        // set, zero, add
        TEST_OK(lyra_block_matrix_set(C, B));
        TEST_CHECK(case_equal(lyra_block_matrix_values(C), lyra_block_matrix_values(B),
                              9 * lyra_block_pattern_view(pattern).block_count));
        lyra_block_matrix_zero(C);
        const double one[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
        double got[9];
        TEST_OK(lyra_block_matrix_add_block(C, some.ids[0], some.ids[1], 2.0, one));
        TEST_OK(lyra_block_matrix_add_block(C, some.ids[0], some.ids[1], 1.0, one));
        lyra_block_matrix_get_block(C, some.ids[0], some.ids[1], got);
        TEST_CHECK(got[1] == 6.0 && got[3] == 12.0);
        TEST_STATUS(lyra_block_matrix_add_block(C, 0, 99, 1.0, one), LYRA_INVALID_ARGUMENT);
        TEST_STATUS(lyra_block_matrix_add_block(C, -1, 0, 1.0, one), LYRA_INVALID_ARGUMENT);

        free(diagonal);
        free(diagonal_blocks);
        free(a);
        free(b);
        free(c);
        lyra_block_matrix_destroy(A);
        lyra_block_matrix_destroy(B);
        lyra_block_matrix_destroy(C);
        lyra_block_pattern_destroy(pattern);
    }
    lyra_block_matrix_destroy(NULL);
    free(d);
    free(some.ids);
    test_context_end(ctx);
}

LYRA_TEST(conversions_keep_every_entry)
{
    TestRandom random = test_random(2);
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    for (int32_t trial = 0; trial < 10; ++trial) {
        CaseStencils some = case_random(&random, 4 + trial, 3, trial);
        int64_t n = 3 * (int64_t)some.vertex_count;
        LyraBlockPattern *upper_pattern = case_pattern(ctx, &some, LYRA_STORAGE_UPPER);
        LyraBlockPattern *full_pattern = NULL;
        LyraBlockMatrix *upper = case_matrix(upper_pattern, 4), *full = NULL, *back = NULL;
        TEST_REQUIRE_OK(
            lyra_block_pattern_convert(upper_pattern, LYRA_STORAGE_FULL, &full_pattern));
        TEST_REQUIRE_OK(lyra_block_matrix_create(full_pattern, &full));
        TEST_REQUIRE_OK(lyra_block_matrix_create(upper_pattern, &back));
        TEST_OK(lyra_block_matrix_assign(full, upper));
        double *dense = case_dense(upper), *dense_full = case_dense(full);
        TEST_CHECK(case_equal(dense, dense_full, n * n));
        TEST_CHECK(lyra_block_matrix_asymmetry(full) == 0.0);
        TEST_CHECK(lyra_block_matrix_asymmetry(upper) == 0.0);
        TEST_OK(lyra_block_matrix_assign(back, full));
        free(dense_full);
        dense_full = case_dense(back);
        TEST_CHECK(case_equal(dense, dense_full, n * n));
        free(dense_full);

        // an unsymmetric matrix and its transpose
        LyraBlockMatrix *general = case_matrix(full_pattern, 5), *transposed = NULL;
        TEST_REQUIRE_OK(lyra_block_matrix_create(full_pattern, &transposed));
        TEST_OK(lyra_block_matrix_assign_transpose(transposed, general));
        TEST_CHECK(lyra_block_matrix_asymmetry(general) > 0.1);
        double *g = case_dense(general), *t = case_dense(transposed);
        bool right = true;
        for (int64_t i = 0; i < n * n; ++i) {
            right = right && g[i] == t[i % n * n + i / n];
        }
        TEST_CHECK(right);

        // scalar twins in both storages of both
        const LyraBlockMatrix *blocks[2] = {general, upper};
        for (int32_t which = 0; which < 2; ++which) {
            double *twin = case_dense(blocks[which]);
            for (int32_t storage = 0; storage < LYRA_STORAGE_COUNT; ++storage) {
                LyraCsrPattern *csr_pattern = NULL;
                LyraCsrMatrix *csr = NULL;
                TEST_REQUIRE_OK(lyra_csr_pattern_create_block(
                    lyra_block_matrix_pattern(blocks[which]), (LyraStorage)storage, &csr_pattern));
                TEST_REQUIRE_OK(lyra_csr_matrix_create(csr_pattern, &csr));
                TEST_OK(lyra_csr_matrix_assign_block(csr, blocks[which]));
                double *scalar = case_csr_dense(csr);
                bool same = true;
                for (int64_t i = 0; i < n; ++i) {
                    for (int64_t j = storage == LYRA_STORAGE_UPPER ? i : 0; j < n; ++j) {
                        same = same && scalar[i * n + j] == twin[i * n + j];
                        same = same &&
                               lyra_csr_matrix_get(csr, (int32_t)i, (int32_t)j) == twin[i * n + j];
                    }
                }
                TEST_CHECK(same);
                // and back to blocks
                LyraBlockMatrix *again = NULL;
                TEST_REQUIRE_OK(
                    lyra_block_matrix_create(lyra_block_matrix_pattern(blocks[which]), &again));
                TEST_OK(lyra_block_matrix_assign_csr(again, csr));
                if (which == 1 || storage == LYRA_STORAGE_FULL) {
                    double *again_dense = case_dense(again);
                    TEST_CHECK(case_equal(again_dense, twin, n * n));
                    free(again_dense);
                }
                lyra_block_matrix_destroy(again);
                free(scalar);
                lyra_csr_matrix_destroy(csr);
                lyra_csr_pattern_destroy(csr_pattern);
            }
            free(twin);
        }
        free(dense);
        free(g);
        free(t);
        lyra_block_matrix_destroy(upper);
        lyra_block_matrix_destroy(full);
        lyra_block_matrix_destroy(back);
        lyra_block_matrix_destroy(general);
        lyra_block_matrix_destroy(transposed);
        lyra_block_pattern_destroy(upper_pattern);
        lyra_block_pattern_destroy(full_pattern);
        free(some.ids);
    }
    test_context_end(ctx);
}

LYRA_TEST(assignments_without_a_place_change_nothing)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    CaseStencils box = case_box(1, 1, 1), none = {1, 8, 0, NULL};
    LyraBlockPattern *pattern = case_pattern(ctx, &box, LYRA_STORAGE_FULL);
    LyraBlockPattern *small_pattern = case_pattern(ctx, &none, LYRA_STORAGE_FULL);
    LyraBlockMatrix *matrix = case_matrix(pattern, 1), *small = case_matrix(small_pattern, 2);
    double *before = case_dense(small);
    TEST_STATUS(lyra_block_matrix_assign(small, matrix), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_block_matrix_axpy(small, 1.0, matrix), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_block_matrix_set(small, matrix), LYRA_INVALID_ARGUMENT);
    LyraCsrPattern *csr_pattern = NULL;
    LyraCsrMatrix *csr = NULL;
    TEST_OK(lyra_csr_pattern_create_block(pattern, LYRA_STORAGE_FULL, &csr_pattern));
    TEST_OK(lyra_csr_matrix_create(csr_pattern, &csr));
    TEST_OK(lyra_csr_matrix_assign_block(csr, matrix));
    TEST_STATUS(lyra_block_matrix_assign_csr(small, csr), LYRA_INVALID_ARGUMENT);
    double *after = case_dense(small);
    TEST_CHECK(case_equal(before, after, 24 * 24));
    free(before);
    free(after);
    // the other way there is a place for all
    TEST_OK(lyra_block_matrix_assign(matrix, small));
    TEST_OK(lyra_csr_matrix_assign_block(csr, small));
    lyra_csr_matrix_destroy(csr);
    lyra_csr_pattern_destroy(csr_pattern);
    TEST_OK(lyra_csr_pattern_create_block(small_pattern, LYRA_STORAGE_UPPER, &csr_pattern));
    TEST_OK(lyra_csr_matrix_create(csr_pattern, &csr));
    TEST_STATUS(lyra_csr_matrix_assign_block(csr, matrix), LYRA_INVALID_ARGUMENT);
    lyra_csr_matrix_destroy(csr);
    lyra_csr_pattern_destroy(csr_pattern);
    lyra_block_matrix_destroy(matrix);
    lyra_block_matrix_destroy(small);
    lyra_block_pattern_destroy(pattern);
    lyra_block_pattern_destroy(small_pattern);
    free(box.ids);
    test_context_end(ctx);
}

LYRA_TEST(asymmetry_sees_nan)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    CaseStencils box = case_box(1, 1, 1);
    LyraBlockPattern *pattern = case_pattern(ctx, &box, LYRA_STORAGE_FULL);
    LyraBlockMatrix *matrix = NULL;
    TEST_REQUIRE_OK(lyra_block_matrix_create(pattern, &matrix));
    TEST_CHECK(lyra_block_matrix_asymmetry(matrix) == 0.0);
    lyra_block_matrix_values_mutable(matrix)[9] = 2.5;
    TEST_CHECK(lyra_block_matrix_asymmetry(matrix) == 2.5);
    lyra_block_matrix_values_mutable(matrix)[40] = NAN;
    TEST_CHECK(isnan(lyra_block_matrix_asymmetry(matrix)));
    lyra_block_matrix_destroy(matrix);
    lyra_block_pattern_destroy(pattern);
    free(box.ids);
    test_context_end(ctx);
}

// ---- scalar matrices ----------------------------------------------------------------------------

// random entries with repetitions
static LyraCsrMatrix *random_csr(LyraContext *ctx, TestRandom *random, int32_t rows,
                                 int32_t columns, LyraStorage storage, int64_t count,
                                 LyraCsrPattern **pattern, double *dense)
{
    int32_t *row = case_allocate((size_t)count, sizeof *row);
    int32_t *column = case_allocate((size_t)count, sizeof *column);
    double *value = case_allocate((size_t)count, sizeof *value);
    for (int64_t e = 0; e < count; ++e) {
        row[e] = test_random_below(random, rows);
        column[e] = test_random_below(random, columns);
        value[e] = test_random_in(random, -1.0, 1.0);
        dense[(int64_t)row[e] * columns + column[e]] += value[e];
        if (storage == LYRA_STORAGE_UPPER && row[e] != column[e]) {
            dense[(int64_t)column[e] * columns + row[e]] += value[e];
        }
    }
    LyraCsrMatrix *matrix = NULL;
    TEST_OK(lyra_csr_matrix_create_entries(ctx,
                                           &(LyraCsrEntries){.row_count = rows,
                                                             .column_count = columns,
                                                             .storage = storage,
                                                             .count = count,
                                                             .row = row,
                                                             .column = column,
                                                             .value = value},
                                           pattern, &matrix));
    free(row);
    free(column);
    free(value);
    return matrix;
}

static void check_csr_products(const LyraCsrMatrix *matrix, const double *dense, int32_t rows,
                               int32_t columns)
{
    double *x = case_vector(3 * (int64_t)(rows + columns), 1);
    double *y = case_vector(3 * (int64_t)(rows + columns), 2);
    double *start = case_vector(rows + columns, 2);
    bool right = true;
    lyra_csr_matrix_multiply(matrix, x, y);
    for (int32_t i = 0; i < rows; ++i) {
        double sum = 0.0;
        for (int32_t j = 0; j < columns; ++j) {
            sum += dense[(int64_t)i * columns + j] * x[j];
        }
        right = right && fabs(y[i] - sum) <= 1e-12;
    }
    memcpy(y, start, (size_t)rows * sizeof(double));
    lyra_csr_matrix_multiply_add(matrix, -2.0, x, y);
    for (int32_t i = 0; i < rows; ++i) {
        double sum = start[i];
        for (int32_t j = 0; j < columns; ++j) {
            sum -= 2.0 * dense[(int64_t)i * columns + j] * x[j];
        }
        right = right && fabs(y[i] - sum) <= 1e-12;
    }
    TEST_CHECK(right);
    lyra_csr_matrix_multiply_transposed(matrix, x, y);
    memcpy(y + columns, start, (size_t)columns * sizeof(double));
    lyra_csr_matrix_multiply_transposed_add(matrix, 0.5, x, y + columns);
    for (int32_t j = 0; j < columns; ++j) {
        double sum = 0.0;
        for (int32_t i = 0; i < rows; ++i) {
            sum += dense[(int64_t)i * columns + j] * x[i];
        }
        right = right && fabs(y[j] - sum) <= 1e-12;
        right = right && fabs(y[columns + j] - start[j] - 0.5 * sum) <= 1e-12;
    }
    TEST_CHECK(right);
    lyra_csr_matrix_multiply_columns(matrix, 2, x, columns, y, rows);
    lyra_csr_matrix_multiply(matrix, x + columns, start);
    TEST_CHECK(case_equal(y + rows, start, rows));
    free(x);
    free(y);
    free(start);
}

LYRA_TEST(scalar_matrices_match_dense)
{
    static const int32_t shapes[][3] = {{0, 0, 0},   {1, 1, 1},  {0, 4, 0},   {4, 0, 0},
                                        {1, 9, 5},   {9, 1, 7},  {7, 5, 20},  {5, 7, 20},
                                        {13, 13, 9}, {6, 6, 60}, {33, 21, 99}};
    TestRandom random = test_random(6);
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(2, isa);
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; ++s) {
            for (int32_t storage = 0; storage < LYRA_STORAGE_COUNT; ++storage) {
                int32_t rows = shapes[s][0], columns = shapes[s][1];
                if (storage == LYRA_STORAGE_UPPER && rows != columns) {
                    continue;
                }
                int64_t cells = (int64_t)rows * columns;
                double *dense = case_allocate((size_t)cells, sizeof *dense);
                LyraCsrPattern *pattern = NULL, *transposed_pattern = NULL;
                LyraCsrMatrix *transposed = NULL;
                LyraCsrMatrix *matrix =
                    random_csr(ctx, &random, rows, columns, (LyraStorage)storage, shapes[s][2],
                               &pattern, dense);
                TEST_REQUIRE(matrix != NULL);
                double *twin = case_csr_dense(matrix);
                bool same = true;
                for (int64_t i = 0; i < cells; ++i) {
                    same = same && fabs(twin[i] - dense[i]) <= 1e-15 * shapes[s][2];
                }
                TEST_CHECK(same);
                check_csr_products(matrix, twin, rows, columns);
                TEST_REQUIRE_OK(lyra_csr_pattern_transpose(pattern, &transposed_pattern));
                TEST_REQUIRE_OK(lyra_csr_matrix_create(transposed_pattern, &transposed));
                TEST_OK(lyra_csr_matrix_assign_transpose(transposed, matrix));
                double *twin_transposed = case_csr_dense(transposed);
                for (int64_t i = 0; i < cells; ++i) {
                    same = same && twin_transposed[i] == twin[i % rows * columns + i / rows];
                }
                TEST_CHECK(same);
                free(dense);
                free(twin);
                free(twin_transposed);
                lyra_csr_matrix_destroy(matrix);
                lyra_csr_matrix_destroy(transposed);
                lyra_csr_pattern_destroy(pattern);
                lyra_csr_pattern_destroy(transposed_pattern);
            }
        }
        test_context_end(ctx);
    }
}

// enough entries for several pieces, rectangular: every output of the transposed product is shared
LYRA_TEST(large_rectangular_products_match_plain_loops)
{
    enum { ROWS = 3000, COLUMNS = 700, COUNT = 200000 };
    TestRandom random = test_random(8);
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    double *dense = case_allocate((size_t)ROWS * COLUMNS, sizeof *dense);
    LyraCsrPattern *pattern = NULL;
    LyraCsrMatrix *matrix =
        random_csr(ctx, &random, ROWS, COLUMNS, LYRA_STORAGE_FULL, COUNT, &pattern, dense);
    check_csr_products(matrix, dense, ROWS, COLUMNS);
    free(dense);
    lyra_csr_matrix_destroy(matrix);
    lyra_csr_pattern_destroy(pattern);
    dense = case_allocate((size_t)900 * 900, sizeof *dense);
    matrix = random_csr(ctx, &random, 900, 900, LYRA_STORAGE_UPPER, COUNT, &pattern, dense);
    check_csr_products(matrix, dense, 900, 900);
    free(dense);
    lyra_csr_matrix_destroy(matrix);
    lyra_csr_pattern_destroy(pattern);
    test_context_end(ctx);
}

LYRA_TEST(scalar_operations_work)
{
    TestRandom random = test_random(9);
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    enum { N = 12 };
    double *dense = case_allocate(N * N, sizeof *dense);
    LyraCsrPattern *pattern = NULL, *full_pattern = NULL, *upper_pattern = NULL;
    LyraCsrMatrix *A = random_csr(ctx, &random, N, N, LYRA_STORAGE_UPPER, 30, &pattern, dense);
    LyraCsrMatrix *B = NULL, *full = NULL, *upper = NULL;
    TEST_REQUIRE_OK(lyra_csr_matrix_copy(A, &B));
    TEST_OK(lyra_csr_matrix_axpy(B, 2.0, A));
    lyra_csr_matrix_scale(B, -1.0);
    double *b = case_csr_dense(B), *a = case_csr_dense(A);
    for (int32_t i = 0; i < N * N; ++i) {
        TEST_NEAR(b[i], -3.0 * a[i], 1e-14);
    }
    TEST_REQUIRE_OK(lyra_csr_pattern_convert(pattern, LYRA_STORAGE_FULL, &full_pattern));
    TEST_REQUIRE_OK(lyra_csr_matrix_create(full_pattern, &full));
    TEST_OK(lyra_csr_matrix_assign(full, A));
    free(b);
    b = case_csr_dense(full);
    TEST_CHECK(case_equal(a, b, N * N));
    TEST_CHECK(lyra_csr_matrix_asymmetry(full) == 0.0);
    TEST_CHECK(lyra_csr_matrix_asymmetry(A) == 0.0);
    TEST_REQUIRE_OK(lyra_csr_pattern_convert(full_pattern, LYRA_STORAGE_UPPER, &upper_pattern));
    TEST_REQUIRE_OK(lyra_csr_matrix_create(upper_pattern, &upper));
    TEST_OK(lyra_csr_matrix_assign(upper, full));
    free(b);
    b = case_csr_dense(upper);
    TEST_CHECK(case_equal(a, b, N * N));

    // diagonal, single entries
    double diagonal[N];
    lyra_csr_matrix_diagonal(A, diagonal);
    bool all = true;
    for (int32_t i = 0; i < N; ++i) {
        TEST_CHECK(diagonal[i] == a[i * N + i]);
        all = all && lyra_csr_pattern_find(pattern, i, i) >= 0;
    }
    TEST_EQUAL(lyra_csr_matrix_add_diagonal(A, 1.0, NULL) == LYRA_OK, all);
    int32_t j = lyra_csr_pattern_view(pattern).column[0];
    double before = lyra_csr_matrix_get(B, j, 0);
    TEST_OK(lyra_csr_matrix_add(B, j, 0, 2.0));
    TEST_CHECK(lyra_csr_matrix_get(B, 0, j) == before + 2.0);
    TEST_STATUS(lyra_csr_matrix_add(B, N, 0, 2.0), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_csr_matrix_axpy(B, 2.0, full), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_csr_matrix_set(B, full), LYRA_INVALID_ARGUMENT);
    TEST_OK(lyra_csr_matrix_set(B, A));
    lyra_csr_matrix_zero(B);
    TEST_STATUS(lyra_csr_matrix_assign(B, upper), LYRA_OK);

    LyraCsrPattern *none = NULL;
    LyraCsrMatrix *nothing = NULL;
    int32_t row[1] = {3}, column[1] = {2};
    TEST_STATUS(lyra_csr_matrix_create_entries(ctx,
                                               &(LyraCsrEntries){.row_count = 3,
                                                                 .column_count = 3,
                                                                 .storage = LYRA_STORAGE_FULL,
                                                                 .count = 1,
                                                                 .row = row,
                                                                 .column = column},
                                               &none, &nothing),
                LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "(3, 2)");
    TEST_STATUS(lyra_csr_matrix_create_entries(ctx,
                                               &(LyraCsrEntries){.row_count = 3,
                                                                 .column_count = 4,
                                                                 .storage = LYRA_STORAGE_UPPER,
                                                                 .count = 0,
                                                                 .row = NULL,
                                                                 .column = NULL},
                                               &none, &nothing),
                LYRA_INVALID_ARGUMENT);
    TEST_CHECK(!none && !nothing);
    lyra_csr_matrix_destroy(A);
    lyra_csr_matrix_destroy(B);
    lyra_csr_matrix_destroy(full);
    lyra_csr_matrix_destroy(upper);
    lyra_csr_pattern_destroy(pattern);
    lyra_csr_pattern_destroy(full_pattern);
    lyra_csr_pattern_destroy(upper_pattern);
    free(a);
    free(b);
    free(dense);
    test_context_end(ctx);
}

static LyraStatus make_matrices(LyraContext *ctx, void *data)
{
    const CaseStencils *box = data;
    LyraStencils set = case_view(box);
    LyraBlockPattern *pattern = NULL;
    LyraBlockMatrix *matrix = NULL, *copy = NULL;
    LyraCsrPattern *csr_pattern = NULL, *transposed = NULL, *entry_pattern = NULL;
    LyraCsrMatrix *csr = NULL, *entries = NULL;
    const int32_t row[3] = {0, 2, 1}, column[3] = {1, 0, 1};
    LyraStatus status =
        lyra_block_pattern_create(ctx, box->vertex_count, LYRA_STORAGE_UPPER, 1, &set, &pattern);
    if (status == LYRA_OK) {
        status = lyra_block_matrix_create(pattern, &matrix);
    }
    if (status == LYRA_OK) {
        status = lyra_block_matrix_copy(matrix, &copy);
    }
    if (status == LYRA_OK) {
        status = lyra_block_matrix_reserve_columns(copy, 4);
    }
    if (status == LYRA_OK) {
        status = lyra_csr_pattern_create_block(pattern, LYRA_STORAGE_FULL, &csr_pattern);
    }
    if (status == LYRA_OK) {
        status = lyra_csr_matrix_create(csr_pattern, &csr);
    }
    if (status == LYRA_OK) {
        status = lyra_csr_matrix_assign_block(csr, matrix);
    }
    if (status == LYRA_OK) {
        status = lyra_csr_pattern_transpose(csr_pattern, &transposed);
    }
    if (status == LYRA_OK) {
        status = lyra_csr_matrix_create_entries(ctx,
                                                &(LyraCsrEntries){.row_count = 3,
                                                                  .column_count = 3,
                                                                  .storage = LYRA_STORAGE_UPPER,
                                                                  .count = 3,
                                                                  .row = row,
                                                                  .column = column},
                                                &entry_pattern, &entries);
    }
    lyra_csr_matrix_destroy(entries);
    lyra_csr_pattern_destroy(entry_pattern);
    lyra_csr_matrix_destroy(csr);
    lyra_csr_pattern_destroy(csr_pattern);
    lyra_csr_pattern_destroy(transposed);
    lyra_block_matrix_destroy(matrix);
    lyra_block_matrix_destroy(copy);
    lyra_block_pattern_destroy(pattern);
    return status;
}

LYRA_TEST(failed_allocations_of_matrices_leak_nothing)
{
    CaseStencils box = case_box(2, 1, 1);
    test_fail_each_allocation(make_matrices, &box);
    free(box.ids);
}
