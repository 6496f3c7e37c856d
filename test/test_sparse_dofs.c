// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "lyra/dofs.h"
#include "sparse_cases.h"

// random ascending subset, its size returned
static int32_t random_subset(TestRandom *random, int32_t count, int32_t *subset)
{
    int32_t size = 0;
    for (int32_t i = 0; i < count; ++i) {
        if (test_random_below(random, 3) == 0) {
            subset[size++] = i;
        }
    }
    return size;
}

LYRA_TEST(vectors_are_gathered_and_scattered)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraDofs *dofs = NULL, *vertices = NULL;
    const int32_t fixed[2] = {0, 3};
    TEST_REQUIRE_OK(lyra_dofs_create(ctx, 5, 2, fixed, &dofs));
    LyraDofsView view = lyra_dofs_view(dofs);
    TEST_EQUAL(view.free_count, 3);
    TEST_EQUAL(view.free[2], 4);
    TEST_EQUAL(view.reduced[3], -1);
    TEST_EQUAL(view.reduced[4], 2);
    double full[5] = {1, 2, 3, 4, 5}, reduced[3] = {0, 0, 0};
    const double values[2] = {-1, -2};
    lyra_dofs_gather(dofs, full, reduced);
    TEST_CHECK(reduced[0] == 2 && reduced[1] == 3 && reduced[2] == 5);
    reduced[1] = 30;
    lyra_dofs_scatter(dofs, reduced, full);
    TEST_CHECK(full[0] == 1 && full[2] == 30 && full[3] == 4);
    lyra_dofs_insert(dofs, reduced, values, full);
    TEST_CHECK(full[0] == -1 && full[1] == 2 && full[3] == -2);
    lyra_dofs_set_fixed(dofs, NULL, full);
    TEST_CHECK(full[0] == 0 && full[1] == 2 && full[3] == 0);
    TEST_REQUIRE_OK(lyra_dofs_create_vertices(ctx, dofs, &vertices));
    view = lyra_dofs_view(vertices);
    TEST_EQUAL(view.count, 15);
    TEST_EQUAL(view.fixed_count, 6);
    TEST_EQUAL(view.fixed[4], 10);
    lyra_dofs_destroy(vertices);
    lyra_dofs_destroy(dofs);
    lyra_dofs_destroy(NULL);

    // bad lists
    const int32_t unsorted[2] = {3, 1}, twice[2] = {1, 1}, outside[1] = {5};
    dofs = NULL;
    TEST_STATUS(lyra_dofs_create(ctx, 5, 2, unsorted, &dofs), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "1 follows 3");
    TEST_STATUS(lyra_dofs_create(ctx, 5, 2, twice, &dofs), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_dofs_create(ctx, 5, 1, outside, &dofs), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_dofs_create(ctx, -1, 0, NULL, &dofs), LYRA_INVALID_ARGUMENT);
    TEST_CHECK(dofs == NULL);
    test_context_end(ctx);
}

// Dense matrix `small` holds the free rows and columns of `full`.
static bool is_reduced(const double *full, int64_t n, const double *small, LyraDofsView rows,
                       LyraDofsView columns)
{
    bool right = true;
    for (int32_t i = 0; i < rows.free_count; ++i) {
        for (int32_t j = 0; j < columns.free_count; ++j) {
            right = right && small[(int64_t)i * columns.free_count + j] ==
                                 full[rows.free[i] * n + columns.free[j]];
        }
    }
    return right;
}

// `again` is `full` with cleared rows and columns and `diagonal` on theirs.
static bool is_cleared(const double *full, const double *again, int64_t n, LyraDofsView dofs,
                       double diagonal)
{
    bool right = true;
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < n; ++j) {
            bool fixed = dofs.reduced[i] < 0 || dofs.reduced[j] < 0;
            double expected = !fixed ? full[i * n + j] : i == j ? diagonal : 0.0;
            right = right && again[i * n + j] == expected;
        }
    }
    return right;
}

LYRA_TEST(block_rows_and_columns_are_removed_and_inserted)
{
    TestRandom random = test_random(1);
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    for (int32_t trial = 0; trial < 20; ++trial) {
        LyraStorage storage = trial % 2 ? LYRA_STORAGE_UPPER : LYRA_STORAGE_FULL;
        int32_t count = 4 + test_random_below(&random, 12);
        CaseStencils some = case_random(&random, count, 4, test_random_below(&random, 10));
        int64_t n = 3 * (int64_t)count;
        int32_t fixed[64];
        int32_t fixed_count = trial == 2 ? 0 : random_subset(&random, count, fixed);
        if (trial == 3) {
            for (fixed_count = 0; fixed_count < count; ++fixed_count) {
                fixed[fixed_count] = fixed_count;
            }
        }
        LyraBlockPattern *pattern = case_pattern(ctx, &some, storage);
        LyraBlockMatrix *full = case_matrix(pattern, 5), *again = NULL, *small = NULL;
        double *dense = case_dense(full);
        TEST_OK(lyra_block_matrix_create(pattern, &again));

        // whole vertices
        LyraDofs *vertices = NULL, *vertex_dofs = NULL, *dofs = NULL;
        LyraReduction *reduction = NULL;
        TEST_OK(lyra_dofs_create(ctx, count, fixed_count, fixed, &vertices));
        TEST_OK(lyra_dofs_create_vertices(ctx, vertices, &vertex_dofs));
        TEST_OK(lyra_reduction_create_block(pattern, vertices, &reduction));
        TEST_CHECK(lyra_reduction_csr_pattern(reduction) == NULL);
        TEST_OK(lyra_block_matrix_create(lyra_reduction_block_pattern(reduction), &small));
        TEST_OK(lyra_reduction_remove_block(reduction, full, small));
        double *small_dense = case_dense(small);
        TEST_CHECK(is_reduced(dense, n, small_dense, lyra_dofs_view(vertex_dofs),
                              lyra_dofs_view(vertex_dofs)));
        TEST_OK(lyra_reduction_insert_block(reduction, small, 3.5, again));
        double *again_dense = case_dense(again);
        TEST_CHECK(is_cleared(dense, again_dense, n, lyra_dofs_view(vertex_dofs), 3.5));
        TEST_STATUS(lyra_reduction_remove_block(reduction, full, full), LYRA_INVALID_ARGUMENT);
        free(small_dense);
        free(again_dense);
        lyra_block_matrix_destroy(small);
        lyra_reduction_destroy(reduction);

        // single dofs
        fixed_count = random_subset(&random, (int32_t)n, fixed);
        LyraCsrMatrix *scalar = NULL;
        TEST_OK(lyra_dofs_create(ctx, (int32_t)n, fixed_count, fixed, &dofs));
        TEST_OK(lyra_reduction_create_block_dofs(pattern, dofs, &reduction));
        TEST_CHECK(lyra_reduction_block_pattern(reduction) == NULL);
        TEST_OK(lyra_csr_matrix_create(lyra_reduction_csr_pattern(reduction), &scalar));
        TEST_OK(lyra_reduction_remove_block_dofs(reduction, full, scalar));
        small_dense = case_csr_dense(scalar);
        TEST_CHECK(is_reduced(dense, n, small_dense, lyra_dofs_view(dofs), lyra_dofs_view(dofs)));
        TEST_OK(lyra_reduction_insert_block_dofs(reduction, scalar, -1.0, again));
        again_dense = case_dense(again);
        TEST_CHECK(is_cleared(dense, again_dense, n, lyra_dofs_view(dofs), -1.0));
        free(small_dense);
        free(again_dense);

        // a set of another size
        LyraReduction *other = NULL;
        TEST_STATUS(lyra_reduction_create_block(pattern, dofs, &other), LYRA_INVALID_ARGUMENT);
        TEST_STATUS(lyra_reduction_create_block_dofs(pattern, vertices, &other),
                    LYRA_INVALID_ARGUMENT);
        lyra_csr_matrix_destroy(scalar);
        lyra_reduction_destroy(reduction);
        lyra_dofs_destroy(vertices);
        lyra_dofs_destroy(vertex_dofs);
        lyra_dofs_destroy(dofs);
        lyra_block_matrix_destroy(full);
        lyra_block_matrix_destroy(again);
        lyra_block_pattern_destroy(pattern);
        free(dense);
        free(some.ids);
    }
    test_context_end(ctx);
}

LYRA_TEST(scalar_rows_and_columns_are_removed_and_inserted)
{
    TestRandom random = test_random(2);
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    enum { ROWS = 9, COLUMNS = 7, COUNT = 30 };
    for (int32_t trial = 0; trial < 20; ++trial) {
        bool upper = trial % 2;
        int32_t columns = upper ? ROWS : COLUMNS, row[COUNT], column[COUNT], fixed[ROWS];
        double value[COUNT];
        for (int32_t e = 0; e < COUNT; ++e) {
            row[e] = test_random_below(&random, ROWS);
            column[e] = test_random_below(&random, columns);
            value[e] = test_random_in(&random, 1.0, 2.0);
        }
        LyraCsrPattern *pattern = NULL, *inserted_pattern = NULL;
        LyraCsrMatrix *full = NULL, *small = NULL, *again = NULL, *inserted = NULL;
        LyraDofs *row_dofs = NULL, *column_dofs = NULL;
        LyraReduction *reduction = NULL;
        TEST_OK(lyra_csr_matrix_create_entries(
            ctx,
            &(LyraCsrEntries){.row_count = ROWS,
                              .column_count = columns,
                              .storage = upper ? LYRA_STORAGE_UPPER : LYRA_STORAGE_FULL,
                              .count = COUNT,
                              .row = row,
                              .column = column,
                              .value = value},
            &pattern, &full));
        int32_t fixed_count = random_subset(&random, ROWS, fixed);
        TEST_OK(lyra_dofs_create(ctx, ROWS, fixed_count, fixed, &row_dofs));
        fixed_count = random_subset(&random, columns, fixed);
        TEST_OK(lyra_dofs_create(ctx, columns, fixed_count, fixed, &column_dofs));
        const LyraDofs *second = upper ? row_dofs : column_dofs;
        if (upper) {
            TEST_STATUS(lyra_reduction_create_csr(pattern, row_dofs, column_dofs, &reduction),
                        LYRA_INVALID_ARGUMENT);
        }
        TEST_OK(lyra_reduction_create_csr(pattern, row_dofs, second, &reduction));
        TEST_OK(lyra_csr_matrix_create(lyra_reduction_csr_pattern(reduction), &small));
        TEST_OK(lyra_reduction_remove_csr(reduction, full, small));
        double *dense = case_csr_dense(full), *small_dense = case_csr_dense(small);
        TEST_CHECK(is_reduced(dense, columns, small_dense, lyra_dofs_view(row_dofs),
                              lyra_dofs_view(second)));

        // back on the full pattern, and on a pattern of its own
        TEST_OK(lyra_csr_matrix_create(pattern, &again));
        TEST_OK(lyra_reduction_insert_csr(reduction, small, 1.0, again));
        TEST_OK(lyra_csr_matrix_insert(small, row_dofs, second, 1.0, &inserted_pattern, &inserted));
        double *again_dense = case_csr_dense(again), *inserted_dense = case_csr_dense(inserted);
        LyraDofsView r = lyra_dofs_view(row_dofs), c = lyra_dofs_view(second);
        bool right = true;
        for (int32_t i = 0; i < ROWS; ++i) {
            for (int32_t j = 0; j < columns; ++j) {
                bool out = r.reduced[i] < 0 || c.reduced[j] < 0;
                bool both = i == j && r.reduced[i] < 0 && c.reduced[j] < 0;
                bool stored = lyra_csr_pattern_find(pattern, i, j) >= 0;
                double expected = out ? both : dense[i * columns + j];
                right = right && inserted_dense[i * columns + j] == expected;
                right = right && again_dense[i * columns + j] == (both && !stored ? 0.0 : expected);
            }
        }
        TEST_CHECK(right);
        free(dense);
        free(small_dense);
        free(again_dense);
        free(inserted_dense);
        lyra_csr_matrix_destroy(inserted);
        lyra_csr_pattern_destroy(inserted_pattern);
        lyra_csr_matrix_destroy(full);
        lyra_csr_matrix_destroy(small);
        lyra_csr_matrix_destroy(again);
        lyra_reduction_destroy(reduction);
        lyra_csr_pattern_destroy(pattern);
        lyra_dofs_destroy(row_dofs);
        lyra_dofs_destroy(column_dofs);
    }
    test_context_end(ctx);
}

static LyraStatus make_reductions(LyraContext *ctx, void *data)
{
    const CaseStencils *box = data;
    LyraStencils set = case_view(box);
    const int32_t fixed[2] = {1, 4};
    LyraBlockPattern *pattern = NULL;
    LyraDofs *vertices = NULL, *dofs = NULL;
    LyraReduction *blocks = NULL, *scalars = NULL;
    LyraStatus status =
        lyra_block_pattern_create(ctx, box->vertex_count, LYRA_STORAGE_UPPER, 1, &set, &pattern);
    if (status == LYRA_OK) {
        status = lyra_dofs_create(ctx, box->vertex_count, 2, fixed, &vertices);
    }
    if (status == LYRA_OK) {
        status = lyra_dofs_create_vertices(ctx, vertices, &dofs);
    }
    if (status == LYRA_OK) {
        status = lyra_reduction_create_block(pattern, vertices, &blocks);
    }
    if (status == LYRA_OK) {
        status = lyra_reduction_create_block_dofs(pattern, dofs, &scalars);
    }
    lyra_reduction_destroy(blocks);
    lyra_reduction_destroy(scalars);
    lyra_dofs_destroy(vertices);
    lyra_dofs_destroy(dofs);
    lyra_block_pattern_destroy(pattern);
    return status;
}

LYRA_TEST(failed_allocations_of_reductions_leak_nothing)
{
    CaseStencils box = case_box(1, 1, 1);
    test_fail_each_allocation(make_reductions, &box);
    free(box.ids);
}
