// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "lyra/matrix_market.h"
#include "sparse_cases.h"

static LyraStatus read_text(LyraContext *ctx, const char *text, LyraCsrPattern **pattern,
                            LyraCsrMatrix **matrix)
{
    return lyra_matrix_market_read(ctx, "test.mtx", text, strlen(text), pattern, matrix);
}

// reads `text` and compares with a dense matrix, row-major
static void check_text(const char *text, int32_t rows, int32_t columns, LyraStorage storage,
                       const double *expected)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraCsrPattern *pattern = NULL;
    LyraCsrMatrix *matrix = NULL;
    if (TEST_OK(read_text(ctx, text, &pattern, &matrix))) {
        LyraCsrPatternView view = lyra_csr_pattern_view(pattern);
        TEST_EQUAL(view.row_count, rows);
        TEST_EQUAL(view.column_count, columns);
        TEST_EQUAL(view.storage, storage);
        double *dense = case_csr_dense(matrix);
        TEST_CHECK(case_equal(dense, expected, (int64_t)rows * columns));
        free(dense);
    }
    lyra_csr_matrix_destroy(matrix);
    lyra_csr_pattern_destroy(pattern);
    test_context_end(ctx);
}

LYRA_TEST(every_kind_of_file_is_read)
{
    const double general[6] = {1.5, 0, -2e-3, 0, 4, 0};
    check_text("%%MatrixMarket matrix coordinate real general\n% comment\n\n  % another\n"
               "2 3 3\n\n1 1 1.5\n% between\n1 3 -2e-3\n2 2 4\n\n",
               2, 3, LYRA_STORAGE_FULL, general);
    // any case, CR LF, tabs, no newline at the end, repeated entries, a comment behind
    check_text("%%matrixmarket MATRIX Coordinate Real General\r\n2\t3 4\r\n1 1 1\r\n1 3 -2e-3\r\n"
               "2 2 4 % four\r\n1 1 .5",
               2, 3, LYRA_STORAGE_FULL, general);
    const double symmetric[4] = {2, -1, -1, 5};
    check_text("%%MatrixMarket matrix coordinate integer symmetric\n2 2 3\n1 1 2\n2 1 -1\n2 2 5\n",
               2, 2, LYRA_STORAGE_UPPER, symmetric);
    const double skew[4] = {0, -3, 3, 0};
    check_text("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n", 2, 2,
               LYRA_STORAGE_FULL, skew);
    const double ones[4] = {0, 1, 1, 1};
    check_text("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n2 1\n2 2\n", 2, 2,
               LYRA_STORAGE_UPPER, ones);
    const double array[6] = {1, 3, 5, 2, 4, 6};
    check_text("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n", 2, 3,
               LYRA_STORAGE_FULL, array);
    check_text("%%MatrixMarket matrix array integer symmetric\n2 2\n2\n-1\n5\n", 2, 2,
               LYRA_STORAGE_UPPER, symmetric);
    check_text("%%MatrixMarket matrix array real skew-symmetric\n2 2\n3\n", 2, 2, LYRA_STORAGE_FULL,
               skew);
    check_text("%%MatrixMarket matrix coordinate real general\n0 0 0\n", 0, 0, LYRA_STORAGE_FULL,
               NULL);
    check_text("%%MatrixMarket matrix array real general\n0 5", 0, 5, LYRA_STORAGE_FULL, NULL);
}

LYRA_TEST(bad_files_get_one_clear_sentence)
{
    static const struct {
        const char *text;
        LyraStatus status;
        const char *message;
    } cases[] = {
        {"", LYRA_BAD_FORMAT, "test.mtx:1"},
        {"1 1 1\n", LYRA_BAD_FORMAT, "%MatrixMarket"},
        {"%%MatrixMarket vector coordinate real general\n", LYRA_BAD_FORMAT, "matrix"},
        {"%%MatrixMarket matrix dense real general\n", LYRA_BAD_FORMAT, "\"dense\""},
        {"%%MatrixMarket matrix coordinate complex general\n", LYRA_UNSUPPORTED, "\"complex\""},
        {"%%MatrixMarket matrix coordinate real hermitian\n", LYRA_UNSUPPORTED, "\"hermitian\""},
        {"%%MatrixMarket matrix array pattern general\n", LYRA_BAD_FORMAT, "\"pattern\""},
        {"%%MatrixMarket matrix coordinate pattern skew-symmetric\n", LYRA_BAD_FORMAT, "general"},
        {"%%MatrixMarket matrix coordinate real\n", LYRA_BAD_FORMAT, "symmetric"},
        {"%%MatrixMarket matrix coordinate real general extra\n", LYRA_BAD_FORMAT, "\"extra\""},
        {"%%MatrixMarket matrix coordinate real general\n", LYRA_BAD_FORMAT, "rows"},
        {"%%MatrixMarket matrix coordinate real general\n2 2\n", LYRA_BAD_FORMAT, "entries"},
        {"%%MatrixMarket matrix coordinate real general\n-2 2 0\n", LYRA_BAD_FORMAT, "-2"},
        {"%%MatrixMarket matrix coordinate real general\n2.5 2 0\n", LYRA_BAD_FORMAT, "2.5"},
        {"%%MatrixMarket matrix coordinate real general\n9999999999 2 0\n", LYRA_BAD_FORMAT,
         "9999999999"},
        {"%%MatrixMarket matrix coordinate real general\n2000000000 2 0\n", LYRA_TOO_LARGE,
         "2000000000 rows"},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n", LYRA_BAD_FORMAT, "square"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 4000000000000\n1 1 1\n",
         LYRA_BAD_FORMAT, "4000000000000 entries"},
        {"%%MatrixMarket matrix array real general\n900000 900000\n1\n", LYRA_BAD_FORMAT,
         "810000000000 entries"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1.0\n", LYRA_BAD_FORMAT,
         "test.mtx:3"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n0 1 1.0\n", LYRA_BAD_FORMAT, "row"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 1.0\n", LYRA_BAD_FORMAT,
         "column"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 nan\n", LYRA_NOT_FINITE,
         "\"nan\""},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1e999\n", LYRA_NOT_FINITE,
         "1e999"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1.0x\n", LYRA_BAD_FORMAT,
         "1.0x"},
        {"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 1.5\n", LYRA_BAD_FORMAT,
         "1.5"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 \n    ", LYRA_BAD_FORMAT,
         "value"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1 7\n", LYRA_BAD_FORMAT,
         "\"7\""},
        {"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.0\n%   \n", LYRA_BAD_FORMAT,
         "2 entries"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1\n2 2 2\n", LYRA_BAD_FORMAT,
         "end of the file"},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1.0\n", LYRA_BAD_FORMAT,
         "on or below"},
        {"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 2 1.0\n", LYRA_BAD_FORMAT,
         "below"},
    };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        LyraCsrPattern *pattern = NULL;
        LyraCsrMatrix *matrix = NULL;
        TEST_STATUS(read_text(ctx, cases[i].text, &pattern, &matrix), cases[i].status);
        TEST_CONTAINS(lyra_error_message(), cases[i].message);
        TEST_CONTAINS(lyra_error_message(), "test.mtx:");
        TEST_CHECK(!pattern && !matrix);
    }
    LyraCsrPattern *pattern = NULL;
    LyraCsrMatrix *matrix = NULL;
    TEST_STATUS(lyra_matrix_market_load(ctx, test_temp_path("none.mtx"), &pattern, &matrix),
                LYRA_IO_FAILED);
    TEST_CONTAINS(lyra_error_message(), "none.mtx");
    test_context_end(ctx);
}

// Whatever happens to the bytes: a matrix or a sentence, and no memory lost.
static void try_bytes(LyraContext *ctx, const char *text, size_t length)
{
    LyraCsrPattern *pattern = NULL;
    LyraCsrMatrix *matrix = NULL;
    LyraStatus status = lyra_matrix_market_read(ctx, "x", text, length, &pattern, &matrix);
    if (status == LYRA_OK) {
        TEST_CHECK(pattern && matrix);
    } else {
        TEST_CHECK(!pattern && !matrix);
        TEST_CHECK(status == LYRA_BAD_FORMAT || status == LYRA_TOO_LARGE ||
                   status == LYRA_UNSUPPORTED || status == LYRA_NOT_FINITE);
    }
    lyra_csr_matrix_destroy(matrix);
    lyra_csr_pattern_destroy(pattern);
    TEST_EQUAL(lyra_context_byte_count(ctx), 0);
}

LYRA_TEST(every_truncation_and_byte_flip_is_survived)
{
    static const char *const files[] = {
        "%%MatrixMarket matrix coordinate real symmetric\n% c\n3 3 4\n1 1 2.5\n2 1 -1e-3\n3 3 4\n"
        "2 2 1\n",
        "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n",
    };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (size_t f = 0; f < sizeof files / sizeof files[0]; ++f) {
        size_t length = strlen(files[f]);
        char *text = case_allocate(length, 1);
        for (size_t cut = 0; cut <= length; ++cut) {
            try_bytes(ctx, files[f], cut);
        }
        memcpy(text, files[f], length);
        for (size_t i = 0; i < length; ++i) {
            for (int32_t bit = 0; bit < 8; ++bit) {
                text[i] = (char)(files[f][i] ^ (1 << bit));
                try_bytes(ctx, text, length);
            }
            static const char odd[] = "%9-. \n\0e";
            for (size_t o = 0; o < sizeof odd - 1; ++o) {
                text[i] = odd[o];
                try_bytes(ctx, text, length);
            }
            text[i] = files[f][i];
        }
        free(text);
    }
    test_context_end(ctx);
}

LYRA_TEST(saved_matrices_come_back_exactly)
{
    TestRandom random = test_random(1);
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const char *path = test_temp_path("matrix.mtx");
    for (int32_t trial = 0; trial < 8; ++trial) {
        LyraStorage storage = trial % 2 ? LYRA_STORAGE_UPPER : LYRA_STORAGE_FULL;
        CaseStencils some = case_random(&random, 4 + trial, 4, trial);
        int64_t n = 3 * (int64_t)some.vertex_count;
        LyraBlockPattern *pattern = case_pattern(ctx, &some, storage);
        LyraBlockMatrix *matrix = case_matrix(pattern, 9);
        double *values = lyra_block_matrix_values_mutable(matrix);
        values[0] = 1.0 / 3.0;
        values[4] = 5e-324;
        values[8] = -1.7976931348623157e308;
        LyraCsrPattern *read_pattern = NULL, *again_pattern = NULL;
        LyraCsrMatrix *read = NULL, *again = NULL;
        TEST_REQUIRE_OK(lyra_block_matrix_save(matrix, path));
        TEST_REQUIRE_OK(lyra_matrix_market_load(ctx, path, &read_pattern, &read));
        TEST_REQUIRE_OK(lyra_csr_matrix_save(read, path));
        TEST_REQUIRE_OK(lyra_matrix_market_load(ctx, path, &again_pattern, &again));
        TEST_EQUAL(lyra_csr_pattern_view(read_pattern).storage, storage);
        double *a = case_dense(matrix), *b = case_csr_dense(read), *c = case_csr_dense(again);
        TEST_CHECK(case_equal(a, b, n * n));
        TEST_CHECK(case_equal(a, c, n * n));

        // a failed save leaves the file as it was
        size_t before_size = 0, after_size = 0;
        char *before = test_read_file(path, &before_size);
        values[0] = NAN;
        TEST_STATUS(lyra_block_matrix_save(matrix, path), LYRA_NOT_FINITE);
        char *after = test_read_file(path, &after_size);
        TEST_CHECK(before && after && before_size == after_size &&
                   memcmp(before, after, before_size) == 0);
        free(before);
        free(after);
        free(a);
        free(b);
        free(c);
        lyra_csr_matrix_destroy(read);
        lyra_csr_matrix_destroy(again);
        lyra_csr_pattern_destroy(read_pattern);
        lyra_csr_pattern_destroy(again_pattern);
        lyra_block_matrix_destroy(matrix);
        lyra_block_pattern_destroy(pattern);
        free(some.ids);
    }
    test_context_end(ctx);
}

static LyraStatus read_and_save(LyraContext *ctx, void *data)
{
    LyraCsrPattern *pattern = NULL;
    LyraCsrMatrix *matrix = NULL;
    LyraStatus status = read_text(
        ctx, "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 3\n3 1 2.5\n",
        &pattern, &matrix);
    if (status == LYRA_OK) {
        status = lyra_csr_matrix_save(matrix, data);
    }
    lyra_csr_matrix_destroy(matrix);
    lyra_csr_pattern_destroy(pattern);
    if (status == LYRA_OK) {
        status = lyra_matrix_market_load(ctx, data, &pattern, &matrix);
        lyra_csr_matrix_destroy(status == LYRA_OK ? matrix : NULL);
        lyra_csr_pattern_destroy(status == LYRA_OK ? pattern : NULL);
    }
    return status;
}

LYRA_TEST(failed_allocations_of_files_leak_nothing)
{
    char path[512];
    snprintf(path, sizeof path, "%s", test_temp_path("allocations.mtx"));
    test_fail_each_allocation(read_and_save, path);
}
