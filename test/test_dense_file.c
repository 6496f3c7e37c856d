// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// .npy files and Vega's binary matrices: round trips to the bit, files built by hand, truncated,
// corrupted and hostile ones, failing memory and disks.

#include "dense_test.h"

#include "math/matrix_file.h"

/// Bits that survive only if nothing touches them.
static void fill_bits(int32_t count, double *values)
{
    const uint64_t bits[] = {0,
                             0x8000000000000000,  // -0
                             1,                   // smallest denormal
                             0x7ff0000000000000,  // infinity
                             0xfff0000000000000,  // -infinity
                             0x7ff8000000001234,  // NaN with a payload
                             0x3ff0000000000001,  // 1 and a bit
                             0x7fefffffffffffff}; // largest
    for (int32_t i = 0; i < count; ++i) {
        uint64_t value = bits[i % 8] + (uint64_t)(i / 8) * 3;
        memcpy(&values[i], &value, sizeof value);
    }
}

static void check_same(LyraDenseView a, LyraDenseView b)
{
    TEST_EQUAL(a.rows, b.rows);
    TEST_EQUAL(a.columns, b.columns);
    if (a.rows == b.rows && a.columns == b.columns) {
        size_t bytes = (size_t)a.rows * (size_t)a.columns * sizeof(double);
        TEST_CHECK(bytes == 0 || memcmp(a.values, b.values, bytes) == 0);
    }
}

LYRA_TEST(npy_round_trip_keeps_bits)
{
    static double values[DENSE_ROOM];
    const int32_t sizes[][2] = {{0, 0}, {0, 4}, {4, 0}, {1, 1}, {3, 4}, {17, 1}, {1, 9}, {40, 41}};
    const char *path = test_temp_path("matrix.npy");
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t k = 0; k < 8; ++k) {
        LyraDenseView view = {sizes[k][0], sizes[k][1], values};
        fill_bits(view.rows * view.columns, values);
        for (int32_t layout = LYRA_NPY_COLUMN_MAJOR; layout <= LYRA_NPY_VECTOR; ++layout) {
            LyraDense *back = NULL;
            if (layout == LYRA_NPY_VECTOR && view.columns != 1) {
                TEST_STATUS(lyra_dense_save_npy(ctx, path, LYRA_NPY_VECTOR, view),
                            LYRA_INVALID_ARGUMENT);
                continue;
            }
            TEST_REQUIRE_OK(lyra_dense_save_npy(ctx, path, (LyraNpyLayout)layout, view));
            TEST_REQUIRE_OK(lyra_dense_load_npy(ctx, path, &back));
            check_same(lyra_dense_view(back), view);
            lyra_dense_destroy(back);
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(npy_is_written_byte_for_byte_as_numpy_does)
{
    // numpy.save of numpy.array([[1., 2., 3.], [4., 5., 6.]])
    const double values[6] = {1, 4, 2, 5, 3, 6};
    const char *path = test_temp_path("rows.npy");
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraDenseView view = {2, 3, values};
    TEST_REQUIRE_OK(lyra_dense_save_npy(ctx, path, LYRA_NPY_ROW_MAJOR, view));
    size_t bytes = 0;
    char *content = test_read_file(path, &bytes);
    TEST_REQUIRE(content != NULL);
    TEST_EQUAL(bytes, 128 + 6 * 8);
    TEST_CHECK(memcmp(content, "\x93NUMPY\x01\x00v\x00", 10) == 0);
    const char *text = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }";
    TEST_CHECK(memcmp(content + 10, text, strlen(text)) == 0);
    for (size_t i = 10 + strlen(text); i < 127; ++i) {
        TEST_CHECK(content[i] == ' ');
    }
    TEST_CHECK(content[127] == '\n');
    TEST_CHECK(memcmp(content + 128, "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\x40", 16) == 0);
    free(content);
    test_context_end(ctx);
}

/// A file in memory: version 1 or 2, header text, data. Returns its length.
static size_t build_npy(char *file, int version, const char *text, const char *data, size_t bytes)
{
    size_t head = version == 1 ? 10 : 12, length = strlen(text);
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (char)version;
    file[7] = 0;
    ly_bytes_put_little(file + 8, version == 1 ? 2 : 4, length);
    memcpy(file + head, text, length);
    if (bytes > 0) {
        memcpy(file + head + length, data, bytes);
    }
    return head + length + bytes;
}

LYRA_TEST(npy_types_orders_and_versions_are_read)
{
    static const struct {
        int version;
        const char *text, *data;
        size_t bytes;
        int32_t rows, columns;
        double values[4]; // column-major
    } good[] = {
        {1,
         "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }\n",
         "\0\0\0\0\0\0\xf0\x3f",
         8,
         1,
         1,
         {1}},
        {2,
         "{'descr': '>f8', 'fortran_order': False, 'shape': (1,), }\n",
         "\xc0\x04\0\0\0\0\0\0",
         8,
         1,
         1,
         {-2.5}},
        {1,
         "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2)}",
         "\0\0\x80\x3f\0\0\x20\xc0",
         8,
         1,
         2,
         {1, -2.5}},
        {1,
         "{'descr': '>f4', 'fortran_order': True, 'shape': (2, 1)}",
         "\x3f\x80\0\0\xc0\x20\0\0",
         8,
         2,
         1,
         {1, -2.5}},
        {1,
         "{'descr':'<i4','fortran_order':False,'shape':(2,2)}",
         "\1\0\0\0\2\0\0\0\3\0\0\0\xff\xff\xff\xff",
         16,
         2,
         2,
         {1, 3, 2, -1}},
        {1,
         "{'descr':'<i4','fortran_order':True,'shape':(2,2,)}",
         "\1\0\0\0\2\0\0\0\3\0\0\0\xff\xff\xff\xff",
         16,
         2,
         2,
         {1, 2, 3, -1}},
        {2,
         "{\"shape\": (1L, 2L), \"descr\": \">i8\", \"fortran_order\": False}  \n",
         "\0\x20\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xfe",
         16,
         1,
         2,
         {0x1p53, -2}},
        {1,
         "{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }",
         "\0\0\0\0\0\0\0\x80",
         8,
         1,
         1,
         {-0x1p63}},
        {1, "{'descr': '=f8', 'fortran_order': False, 'shape': (0,), }", "", 0, 0, 1, {0}},
        {1,
         "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 2147483647), }",
         "",
         0,
         0,
         INT32_MAX,
         {0}},
    };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (size_t k = 0; k < sizeof good / sizeof *good; ++k) {
        char file[256];
        size_t length = build_npy(file, good[k].version, good[k].text, good[k].data, good[k].bytes);
        LyraDense *matrix = NULL;
        if (!TEST_OK(ly_dense_parse_npy(ctx, file, length, &matrix))) {
            fprintf(stderr, "for %s\n", good[k].text);
            continue;
        }
        LyraDenseView view = lyra_dense_view(matrix);
        TEST_EQUAL(view.rows, good[k].rows);
        TEST_EQUAL(view.columns, good[k].columns);
        for (int32_t i = 0; i < view.rows * view.columns; ++i) {
            TEST_CHECK(view.values[i] == good[k].values[i]);
        }
        lyra_dense_destroy(matrix);
    }
    test_context_end(ctx);
}

// frame k of (3, 2, 2) in C order holds 4k, 4k + 1 / 4k + 2, 4k + 3
LYRA_TEST(npy_frames_are_read_alone)
{
    static const char text[] = "{'descr': '<i4', 'fortran_order': False, 'shape': (3, 2, 2), }";
    static const char turned[] = "{'descr': '<i4', 'fortran_order': True, 'shape': (3, 2, 2), }";
    static const char huge[] =
        "{'descr': '<i4', 'fortran_order': False, 'shape': (9, 999999999, 999999999), }";
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const char *path = test_temp_path("frames.npy");
    char data[48] = {0}, file[512];
    for (int i = 0; i < 12; ++i) {
        data[4 * i] = (char)i;
    }
    size_t length = build_npy(file, 1, text, data, sizeof data);
    test_write_file(path, file, length);
    for (int frame = -3; frame < 3; ++frame) {
        LyraDense *matrix = NULL;
        TEST_REQUIRE_OK(lyra_dense_load_npy_frame(ctx, path, frame, &matrix));
        LyraDenseView view = lyra_dense_view(matrix);
        TEST_EQUAL(view.rows, 2);
        TEST_EQUAL(view.columns, 2);
        for (int i = 0; i < 4; ++i) {
            TEST_CHECK(view.values[i / 2 + 2 * (i % 2)] == 4 * ((frame + 3) % 3) + i);
        }
        lyra_dense_destroy(matrix);
    }
    LyraDense *none = NULL;
    TEST_STATUS(lyra_dense_load_npy_frame(ctx, path, 3, &none), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_dense_load_npy_frame(ctx, path, -4, &none), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_dense_load_npy_frame(ctx, test_temp_path("none.npy"), 0, &none),
                LYRA_IO_FAILED);
    // cut within the last frame: the others can still be read
    test_write_file(path, file, length - 1);
    TEST_STATUS(lyra_dense_load_npy_frame(ctx, path, -1, &none), LYRA_BAD_FORMAT);
    TEST_REQUIRE_OK(lyra_dense_load_npy_frame(ctx, path, 1, &none));
    lyra_dense_destroy(none);
    test_write_file(path, file, build_npy(file, 1, turned, data, sizeof data));
    TEST_STATUS(lyra_dense_load_npy_frame(ctx, path, 0, &none), LYRA_UNSUPPORTED);
    test_write_file(path, file, build_npy(file, 1, huge, data, sizeof data));
    TEST_STATUS(lyra_dense_load_npy_frame(ctx, path, 5, &none), LYRA_BAD_FORMAT);
    test_context_end(ctx);
}

LYRA_TEST(npy_refuses_with_a_sentence)
{
    static const struct {
        const char *text;
        size_t bytes;
        LyraStatus status;
        const char *message;
    } bad[] = {
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (), }", 8, LYRA_UNSUPPORTED,
         "array of 0 dimensions"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 1), }", 8, LYRA_UNSUPPORTED,
         "array of 3 dimensions"},
        {"{'descr': '<c16', 'fortran_order': False, 'shape': (1,), }", 16, LYRA_UNSUPPORTED,
         "type '<c16'"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }", 1, LYRA_UNSUPPORTED,
         "type '|u1'"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (1,), }", 2, LYRA_UNSUPPORTED,
         "type '<f2'"},
        {"{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (1,), }", 8, LYRA_UNSUPPORTED,
         "records"},
        {"{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }", 8, LYRA_UNSUPPORTED,
         "number 0 (from 0)"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", 9, LYRA_BAD_FORMAT,
         "has 9 bytes of data"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", 8, LYRA_BAD_FORMAT,
         "should hold 2 numbers of 8 bytes"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2147483647, 2147483647), }", 8,
         LYRA_BAD_FORMAT, "has 8 bytes of data"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (0, 2147483648), }", 0, LYRA_TOO_LARGE,
         "too large"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }", 8,
         LYRA_BAD_FORMAT, "out of range"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }", 8, LYRA_BAD_FORMAT,
         "not made of sizes"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1), }", 8, LYRA_BAD_FORMAT,
         "no tuple"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1 1), }", 8, LYRA_BAD_FORMAT,
         "lacks a ','"},
        {"{'descr': '<f8', 'fortran_order': maybe, 'shape': (1,), }", 8, LYRA_BAD_FORMAT,
         "neither True nor False"},
        {"{'descr': '<f8', 'fortran_order': False}", 8, LYRA_BAD_FORMAT, "lacks the key 'shape'"},
        {"{'descr': '<f8', 'descr': '<f8', 'shape': (1,)}", 8, LYRA_BAD_FORMAT,
         "a second key 'descr'"},
        {"{'colour': '<f8'}", 8, LYRA_BAD_FORMAT, "an unknown key 'colour'"},
        {"{'descr' '<f8'}", 8, LYRA_BAD_FORMAT, "lacks a ':'"},
        {"{'descr': '<f8' 'shape': (1,)}", 8, LYRA_BAD_FORMAT, "lacks a ','"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,), } x", 8, LYRA_BAD_FORMAT,
         "goes on"},
        {"{'descr': '<f8", 0, LYRA_BAD_FORMAT, "lacks a '''"},
        {"{'a key that is much too long to be any of ours': 1}", 8, LYRA_BAD_FORMAT, "too long"},
        {"{'a\tb': 1}", 8, LYRA_BAD_FORMAT, "not plain text"},
        {"", 0, LYRA_BAD_FORMAT, "lacks a '{'"},
        {"[]", 0, LYRA_BAD_FORMAT, "lacks a '{'"},
        {"{descr: 1}", 0, LYRA_BAD_FORMAT, "string in quotes"},
    };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        char file[256];
        size_t length =
            build_npy(file, 1, bad[k].text, "\1\0\0\0\0\0\0\x7f\0\0\0\0\0\0\0\0", bad[k].bytes);
        LyraDense *matrix = NULL;
        TEST_STATUS(ly_dense_parse_npy(ctx, file, length, &matrix), bad[k].status);
        TEST_CONTAINS(lyra_error_message(), bad[k].message);
        TEST_CHECK(matrix == NULL);
    }
    char file[64];
    LyraDense *matrix = NULL;
    size_t length = build_npy(file, 3, "{}", "", 0);
    TEST_STATUS(ly_dense_parse_npy(ctx, file, length, &matrix), LYRA_UNSUPPORTED);
    TEST_CONTAINS(lyra_error_message(), "version 3.0");
    TEST_STATUS(ly_dense_parse_npy(ctx, "solid", 5, &matrix), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "no .npy file");
    test_context_end(ctx);
}

/// Parses a copy without room to spare, so that a read past its end shows.
typedef LyraStatus Parse(LyraContext *ctx, const char *bytes, size_t length);

static LyraStatus parse_npy(LyraContext *ctx, const char *bytes, size_t length)
{
    LyraDense *matrix = NULL;
    LyraStatus status = ly_dense_parse_npy(ctx, bytes, length, &matrix);
    lyra_dense_destroy(matrix);
    return status;
}

static LyraStatus parse_vega(LyraContext *ctx, const char *bytes, size_t length)
{
    LyraDense *matrix = NULL;
    LyraStatus status = ly_dense_parse_vega(ctx, bytes, length, &matrix);
    lyra_dense_destroy(matrix);
    return status;
}

static LyraStatus parse_list(LyraContext *ctx, const char *bytes, size_t length)
{
    LyraDenseList *list = NULL;
    LyraStatus status = ly_dense_list_parse_vega(ctx, bytes, length, &list);
    lyra_dense_list_destroy(list);
    return status;
}

static LyraStatus parse_exact(Parse *parse, LyraContext *ctx, const char *bytes, size_t length)
{
    char *copy = malloc(length > 0 ? length : 1);
    memcpy(copy, bytes, length);
    LyraStatus status = parse(ctx, copy, length);
    free(copy);
    TEST_EQUAL(lyra_context_byte_count(ctx), 0);
    return status;
}

/// Each truncation must fail (but those to `may_end` bytes); each change of a byte must not crash.
static void damage(Parse *parse, LyraContext *ctx, char *file, size_t length, size_t may_end)
{
    TEST_OK(parse_exact(parse, ctx, file, length));
    for (size_t end = 0; end < length; ++end) {
        LyraStatus status = parse_exact(parse, ctx, file, end);
        TEST_CHECK(status == LYRA_BAD_FORMAT || end == 0 || end == may_end);
    }
    for (size_t i = 0; i < length; ++i) {
        for (int32_t change = 1; change < 256; ++change) {
            file[i] = (char)(file[i] ^ change);
            LyraStatus status = parse_exact(parse, ctx, file, length);
            TEST_CHECK(status == LYRA_OK || status == LYRA_BAD_FORMAT ||
                       status == LYRA_UNSUPPORTED || status == LYRA_TOO_LARGE);
            file[i] = (char)(file[i] ^ change);
        }
    }
}

LYRA_TEST(damaged_npy_files_do_no_harm)
{
    char file[256];
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    size_t length =
        build_npy(file, 1, "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 1), }\n",
                  "\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 16);
    damage(parse_npy, ctx, file, length, length);
    length = build_npy(file, 2, "{'shape':(1,),'fortran_order':True,'descr':'>f4'}", "\0\0\0\0", 4);
    damage(parse_npy, ctx, file, length, length);
    test_context_end(ctx);
}

/// Two matrices, 1 x 2 and 2 x 1. Returns the length of the first.
static size_t build_list(char file[48])
{
    memset(file, 0, 48);
    file[0] = 1;
    file[4] = 2;
    file[24] = 2;
    file[28] = 1;
    return 24;
}

LYRA_TEST(damaged_vega_files_do_no_harm)
{
    char file[48];
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    size_t first = build_list(file);
    damage(parse_vega, ctx, file, first, first);
    damage(parse_list, ctx, file, sizeof file, first);
    // a list may be empty, a matrix may not
    TEST_OK(parse_exact(parse_list, ctx, file, 0));
    TEST_STATUS(parse_exact(parse_vega, ctx, file, 0), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "end of the file");
    TEST_STATUS(parse_exact(parse_vega, ctx, file, sizeof file), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "is this a list?");
    // giants and negatives
    memset(file, 0x7f, 8);
    file[0] = file[1] = file[2] = file[4] = file[5] = file[6] = '\xff';
    TEST_STATUS(parse_exact(parse_vega, ctx, file, sizeof file), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "2147483647 x 2147483647 does not fit");
    TEST_STATUS(parse_exact(parse_list, ctx, file, sizeof file), LYRA_BAD_FORMAT);
    file[3] = '\xff';
    TEST_STATUS(parse_exact(parse_vega, ctx, file, sizeof file), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "-1 x 2147483647 has a negative size");
    test_context_end(ctx);
}

LYRA_TEST(vega_round_trip_keeps_bits)
{
    static double values[DENSE_ROOM];
    const char *path = test_temp_path("matrix.bin");
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    fill_bits(DENSE_ROOM, values);
    const LyraDenseView views[] = {
        {3, 4, values}, {0, 7, values}, {50, 9, values + 100}, {1, 1, values + 5}};
    for (int32_t k = 0; k < 4; ++k) {
        LyraDense *back = NULL;
        TEST_REQUIRE_OK(lyra_dense_save_vega(ctx, path, views[k]));
        TEST_REQUIRE_OK(lyra_dense_load_vega(ctx, path, &back));
        check_same(lyra_dense_view(back), views[k]);
        lyra_dense_destroy(back);
    }
    for (int32_t count = 0; count <= 4; ++count) {
        LyraDenseList *list = NULL;
        TEST_REQUIRE_OK(lyra_dense_list_save_vega(ctx, path, count, views));
        TEST_REQUIRE_OK(lyra_dense_list_load_vega(ctx, path, &list));
        TEST_EQUAL(lyra_dense_list_count(list), count);
        for (int32_t k = 0; k < lyra_dense_list_count(list); ++k) {
            check_same(lyra_dense_list_view(list, k), views[k]);
        }
        lyra_dense_list_destroy(list);
    }
    // the bytes as Vega has them
    const double one[2] = {1, -2};
    size_t bytes = 0;
    TEST_REQUIRE_OK(lyra_dense_save_vega(ctx, path, (LyraDenseView){1, 2, one}));
    char *content = test_read_file(path, &bytes);
    TEST_REQUIRE(content != NULL && bytes == 24);
    TEST_CHECK(memcmp(content, "\1\0\0\0\2\0\0\0\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\xc0", 24) == 0);
    free(content);
    test_context_end(ctx);
}

LYRA_TEST(file_failures_name_the_file)
{
    const double values[2] = {1, 2};
    const LyraDenseView view = {2, 1, values}, negative = {-1, 1, values};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraDense *matrix = NULL;
    LyraDenseList *list = NULL;
    const char *missing = test_temp_path("no/such.npy");
    TEST_STATUS(lyra_dense_load_npy(ctx, missing, &matrix), LYRA_IO_FAILED);
    TEST_CONTAINS(lyra_error_message(), "no/such.npy");
    TEST_STATUS(lyra_dense_load_vega(ctx, missing, &matrix), LYRA_IO_FAILED);
    TEST_STATUS(lyra_dense_list_load_vega(ctx, missing, &list), LYRA_IO_FAILED);
    TEST_STATUS(lyra_dense_save_npy(ctx, missing, LYRA_NPY_VECTOR, view), LYRA_IO_FAILED);
    TEST_STATUS(lyra_dense_save_vega(ctx, missing, view), LYRA_IO_FAILED);
    // a refused matrix leaves the file as it was
    const char *path = test_temp_path("kept.npy");
    test_write_file(path, "kept", 4);
    TEST_STATUS(lyra_dense_save_npy(ctx, path, LYRA_NPY_COLUMN_MAJOR, negative),
                LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_dense_save_npy(ctx, path, (LyraNpyLayout)8, view), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_dense_save_vega(ctx, path, negative), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_dense_list_save_vega(ctx, path, -1, &view), LYRA_INVALID_ARGUMENT);
    size_t bytes = 0;
    char *content = test_read_file(path, &bytes);
    TEST_CHECK(content && bytes == 4 && memcmp(content, "kept", 4) == 0);
    free(content);
    TEST_STATUS(lyra_dense_load_npy(ctx, path, &matrix), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "kept.npy: ");
    TEST_STATUS(lyra_dense_load_vega(ctx, path, &matrix), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "kept.npy: ");
    TEST_STATUS(lyra_dense_list_load_vega(ctx, path, &list), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "kept.npy: ");
    test_context_end(ctx);
}

static LyraStatus file_scenario(LyraContext *ctx, void *data)
{
    const char *path = data;
    const double values[6] = {1, 2, 3, 4, 5, 6};
    const LyraDenseView views[] = {{2, 3, values}, {1, 2, values}};
    LyraStatus status = LYRA_OK;
    LyraDense *first = NULL, *second = NULL;
    LyraDenseList *list = NULL;
    LY_TRY_DONE(lyra_dense_save_npy(ctx, path, LYRA_NPY_ROW_MAJOR, views[0]));
    LY_TRY_DONE(lyra_dense_load_npy(ctx, path, &first));
    LY_TRY_DONE(lyra_dense_save_vega(ctx, path, views[0]));
    LY_TRY_DONE(lyra_dense_load_vega(ctx, path, &second));
    LY_TRY_DONE(lyra_dense_list_save_vega(ctx, path, 2, views));
    LY_TRY_DONE(lyra_dense_list_load_vega(ctx, path, &list));
done:
    lyra_dense_destroy(first);
    lyra_dense_destroy(second);
    lyra_dense_list_destroy(list);
    return status;
}

LYRA_TEST(failing_allocations_leave_no_leaks_and_files)
{
    char path[1024];
    snprintf(path, sizeof path, "%s", test_temp_path("scenario.bin"));
    test_fail_each_allocation(file_scenario, path);
}
