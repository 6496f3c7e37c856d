// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "base/file.h"
#include "lyra_test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- reading ------------------------------------------------------------------------------------

LYRA_TEST(read_gives_every_byte_and_a_zero)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const size_t sizes[] = {0, 1, 4095, 4096, 65535, 65536, 65537, 3000000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        size_t size = sizes[i];
        char *content = malloc(size + 1);
        TEST_REQUIRE(content);
        for (size_t k = 0; k < size; ++k) {
            content[k] = (char)(k * 7 + k / 256);
        }
        const char *path = test_temp_path("bytes");
        test_write_file(path, content, size);
        char *text = NULL;
        size_t length = 77;
        TEST_REQUIRE_OK(ly_file_read(ctx, path, &text, &length));
        TEST_EQUAL(length, size);
        TEST_CHECK(memcmp(text, content, size) == 0 && text[size] == '\0');
        TEST_EQUAL(lyra_context_byte_count(ctx), size + 1);
        ly_release(ctx, text);
        free(content);
    }
    // files that don't tell their size
    char *text = NULL;
    TEST_REQUIRE_OK(ly_file_read(ctx, "/proc/self/status", &text, NULL));
    TEST_CONTAINS(text, "Pid:");
    ly_release(ctx, text);
    test_context_end(ctx);
}

static void check_unreadable(LyraContext *ctx, const char *path, const char *reason)
{
    char expected[1300];
    snprintf(expected, sizeof expected, "cannot read %s: %s", path, reason);
    char *text = NULL;
    size_t length = 77;
    TEST_STATUS(ly_file_read(ctx, path, &text, &length), LYRA_IO_FAILED);
    TEST_STRING(lyra_error_message(), expected);
    TEST_CHECK(text == NULL && length == 77);
}

LYRA_TEST(read_says_why_not)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    check_unreadable(ctx, test_temp_path("missing.veg"), "No such file or directory");
    check_unreadable(ctx, "", "No such file or directory");
    check_unreadable(ctx, "/", "Is a directory");
    check_unreadable(ctx, "/dev/zero", "it is a device, not a file");
    check_unreadable(ctx, "/dev/null", "it is a device, not a file");
    const char *path = test_temp_path("file");
    test_write_file(path, "x", 1);
    char below[1100];
    snprintf(below, sizeof below, "%s/x", path);
    check_unreadable(ctx, below, "Not a directory");
    if (geteuid() != 0) {
        chmod(path, 0);
        check_unreadable(ctx, path, "Permission denied");
    }
    test_context_end(ctx);
}

static void *feed_pipe(void *data)
{
    int file = open(data, O_WRONLY);
    char block[1000];
    for (int32_t i = 0; i < 300 && file >= 0; ++i) {
        memset(block, 'a' + i % 26, sizeof block);
        if (write(file, block, sizeof block) != (ssize_t)sizeof block) {
            break;
        }
    }
    close(file);
    return NULL;
}

LYRA_TEST(read_takes_pipes)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const char *path = test_temp_path("pipe");
    TEST_REQUIRE(mkfifo(path, 0600) == 0);
    pthread_t feeder;
    TEST_REQUIRE(pthread_create(&feeder, NULL, feed_pipe, (void *)path) == 0);
    char *text = NULL;
    size_t length = 0;
    TEST_OK(ly_file_read(ctx, path, &text, &length));
    pthread_join(feeder, NULL);
    TEST_EQUAL(length, 300000);
    TEST_CHECK(text && strlen(text) == 300000 && text[1000] == 'b');
    ly_release(ctx, text);
    test_context_end(ctx);
}

static LyraStatus read_growing(LyraContext *ctx, void *data)
{
    (void)data;
    char *text = NULL;
    LY_TRY(ly_file_read(ctx, "/proc/self/status", &text, NULL));
    ly_release(ctx, text);
    return LYRA_OK;
}

LYRA_TEST(read_survives_failing_allocations)
{
    test_fail_each_allocation(read_growing, NULL);
}

// ---- paths --------------------------------------------------------------------------------------

LYRA_TEST(paths_are_taken_apart)
{
    TEST_STRING(ly_path_name("a.veg"), "a.veg");
    TEST_STRING(ly_path_name("d/e/a.veg"), "a.veg");
    TEST_STRING(ly_path_name("d/"), "");
    TEST_EQUAL(ly_path_directory_length("a.veg"), 0);
    TEST_EQUAL(ly_path_directory_length("d/a.veg"), 2);
    TEST_EQUAL(ly_path_directory_length("/a"), 1);
    TEST_STRING(ly_path_extension("d.x/a.veg"), ".veg");
    TEST_STRING(ly_path_extension("d.x/a"), "");
    TEST_STRING(ly_path_extension("a.1.node"), ".node");
    TEST_STRING(ly_path_extension(".hidden"), "");
    TEST_STRING(ly_path_extension("d/.."), "");
    TEST_STRING(ly_path_extension("a."), ".");
    TEST_STRING(ly_path_extension(""), "");
    TEST_CHECK(ly_path_has_extension("a.VEG", ".veg"));
    TEST_CHECK(!ly_path_has_extension("a.vega", ".veg"));
    TEST_CHECK(!ly_path_has_extension("a.ve", ".veg"));
    TEST_CHECK(ly_path_has_extension("a", ""));
}

LYRA_TEST(paths_are_put_together)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const struct {
        char kind;
        const char *a, *b, *expected;
    } cases[] = {
        {'b', "d/a.veg", "b.veg", "d/b.veg"}, {'b', "a.veg", "b.veg", "b.veg"},
        {'b', "d/a.veg", "/b.veg", "/b.veg"}, {'b', "/a", "b", "/b"},
        {'j', "d", "b.veg", "d/b.veg"},       {'j', "d/", "b.veg", "d/b.veg"},
        {'j', "", "b.veg", "b.veg"},          {'j', "d", "/b.veg", "/b.veg"},
        {'r', "d/a.node", ".ele", "d/a.ele"}, {'r', "d.x/a", ".ele", "d.x/a.ele"},
        {'r', "a.1.node", ".ele", "a.1.ele"}, {'r', ".rc", ".x", ".rc.x"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *out = NULL;
        const char *a = cases[i].a, *b = cases[i].b;
        TEST_OK(cases[i].kind == 'b'   ? ly_path_beside(ctx, a, b, &out)
                : cases[i].kind == 'j' ? ly_path_join(ctx, a, b, &out)
                                       : ly_path_replace_extension(ctx, a, b, &out));
        TEST_STRING(out, cases[i].expected);
        ly_release(ctx, out);
    }
    char *out = NULL;
    TEST_OK(ly_string_copy(ctx, "abcdef", 3, &out));
    TEST_STRING(out, "abc");
    ly_release(ctx, out);
    test_context_end(ctx);
}

// ---- writing ------------------------------------------------------------------------------------

static void check_content(const char *path, const char *expected)
{
    size_t bytes = 0;
    char *text = test_read_file(path, &bytes);
    if (TEST_CHECK_MSG(text != NULL, "%s is missing", path)) {
        TEST_STRING(text, expected);
    }
    free(text);
}

// Temporary files of writers that lie about.
static int32_t count_leftovers(void)
{
    DIR *folder = opendir(test_temp_path(""));
    int32_t count = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        count += strncmp(entry->d_name, ".lyra-", 6) == 0;
    }
    closedir(folder);
    return count;
}

static LyraStatus write_greeting(LyraContext *ctx, const char *path)
{
    LyWriter *writer = NULL;
    LY_TRY(ly_writer_create(ctx, path, &writer));
    ly_writer_string(writer, "new ");
    ly_writer_double(writer, 0.1);
    ly_writer_char(writer, ' ');
    ly_writer_int(writer, -42);
    ly_writer_print(writer, " %d %s\n", 7, "seven");
    ly_writer_bytes(writer, "", 0);
    return ly_writer_commit(writer);
}

static const char greeting[] = "new 0.1 -42 7 seven\n";

LYRA_TEST(writer_replaces_in_one_piece)
{
    int32_t before = count_leftovers();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const char *path = test_temp_path("target");
    TEST_OK(write_greeting(ctx, path));
    check_content(path, greeting);
    test_write_file(path, "old", 3);
    LyWriter *writer = NULL;
    TEST_REQUIRE_OK(ly_writer_create(ctx, path, &writer));
    for (int32_t i = 0; i < 100000; ++i) {
        ly_writer_int(writer, i);
        ly_writer_char(writer, '\n');
    }
    check_content(path, "old");
    TEST_EQUAL(count_leftovers(), before + 1);
    TEST_OK(ly_writer_status(writer));
    TEST_OK(ly_writer_commit(writer));
    TEST_EQUAL(count_leftovers(), before);
    size_t bytes = 0;
    char *text = test_read_file(path, &bytes);
    TEST_EQUAL(bytes, 588890);
    TEST_CHECK(text && memcmp(text, "0\n1\n2\n", 6) == 0);
    free(text);
    TEST_REQUIRE_OK(ly_writer_create(ctx, path, &writer));
    ly_writer_string(writer, "dropped");
    ly_writer_discard(writer);
    ly_writer_discard(NULL);
    TEST_EQUAL(count_leftovers(), before);
    text = test_read_file(path, &bytes);
    TEST_EQUAL(bytes, 588890);
    free(text);
    test_context_end(ctx);
}

LYRA_TEST(writer_takes_pieces_of_any_size)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const size_t total = 1000000;
    char *content = malloc(total);
    TEST_REQUIRE(content);
    TestRandom random = test_random(1);
    for (size_t i = 0; i < total; ++i) {
        content[i] = (char)test_random_bits(&random);
    }
    const char *path = test_temp_path("pieces");
    LyWriter *writer = NULL;
    TEST_REQUIRE_OK(ly_writer_create(ctx, path, &writer));
    for (size_t at = 0; at < total;) {
        size_t size = (size_t)test_random_below(&random, 1 << test_random_below(&random, 18));
        size = size < total - at ? size : total - at;
        ly_writer_bytes(writer, content + at, size);
        at += size;
    }
    // longer than the stack buffer of the formatting
    memset(content, 'x', 5000);
    content[5000] = '\0';
    ly_writer_print(writer, "<%s>", content);
    TEST_OK(ly_writer_commit(writer));
    size_t bytes = 0;
    char *text = test_read_file(path, &bytes);
    TEST_REQUIRE(text);
    TEST_EQUAL(bytes, total + 5002);
    TEST_CHECK(memcmp(text + 5001, content + 5001, total - 5001) == 0);
    TEST_CHECK(text[total] == '<' && text[total + 1] == 'x' && text[total + 5001] == '>');
    free(text);
    free(content);
    test_context_end(ctx);
}

LYRA_TEST(writer_keeps_permissions)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const char *path = test_temp_path("private");
    mode_t mask = umask(027);
    TEST_OK(write_greeting(ctx, path));
    struct stat info;
    TEST_CHECK(stat(path, &info) == 0);
    TEST_EQUAL(info.st_mode & 0777, 0640);
    chmod(path, 0604);
    TEST_OK(write_greeting(ctx, path));
    TEST_CHECK(stat(path, &info) == 0);
    TEST_EQUAL(info.st_mode & 0777, 0604);
    umask(mask);
    if (geteuid() != 0) {
        chmod(path, 0444);
        TEST_STATUS(write_greeting(ctx, path), LYRA_IO_FAILED);
        TEST_CONTAINS(lyra_error_message(), "Permission denied");
    }
    test_context_end(ctx);
}

LYRA_TEST(writer_follows_links)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TEST_REQUIRE(mkdir(test_temp_path("folder"), 0700) == 0);
    const char *target = test_temp_path("folder/target");
    const char *link = test_temp_path("link");
    test_write_file(target, "old", 3);
    TEST_REQUIRE(symlink("folder/hop", link) == 0);
    TEST_REQUIRE(symlink("target", test_temp_path("folder/hop")) == 0);
    TEST_OK(write_greeting(ctx, link));
    check_content(target, greeting);
    struct stat info;
    TEST_CHECK(lstat(link, &info) == 0 && S_ISLNK(info.st_mode));
    TEST_CHECK(lstat(target, &info) == 0 && S_ISREG(info.st_mode));
    // a link to nothing yet
    unlink(target);
    TEST_OK(write_greeting(ctx, link));
    check_content(target, greeting);
    // links in a circle
    const char *circle = test_temp_path("circle");
    TEST_REQUIRE(symlink("circle", circle) == 0);
    TEST_STATUS(write_greeting(ctx, circle), LYRA_IO_FAILED);
    TEST_CONTAINS(lyra_error_message(), "circle: Too many levels of symbolic links");
    test_context_end(ctx);
}

static void check_unwritable(LyraContext *ctx, const char *path, const char *reason)
{
    char expected[1300];
    snprintf(expected, sizeof expected, "cannot write %s: %s", path, reason);
    TEST_STATUS(write_greeting(ctx, path), LYRA_IO_FAILED);
    TEST_STRING(lyra_error_message(), expected);
}

LYRA_TEST(writer_says_why_not)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    check_unwritable(ctx, test_temp_path("missing/x"), "No such file or directory");
    check_unwritable(ctx, "", "No such file or directory");
    check_unwritable(ctx, test_temp_path(""), "Is a directory");
    check_unwritable(ctx, "/dev/full", "No space left on device");
    const char *path = test_temp_path("file");
    test_write_file(path, "old", 3);
    char below[1100];
    snprintf(below, sizeof below, "%s/x", path);
    check_unwritable(ctx, below, "Not a directory");
    if (geteuid() != 0) {
        TEST_REQUIRE(mkdir(test_temp_path("sealed"), 0500) == 0);
        check_unwritable(ctx, test_temp_path("sealed/x"), "Permission denied");
    }
    // an early error sticks
    LyWriter *writer = NULL;
    TEST_REQUIRE_OK(ly_writer_create(ctx, "/dev/full", &writer));
    for (int32_t i = 0; i < 100000; ++i) {
        ly_writer_double(writer, 0.1 * i);
    }
    TEST_EQUAL(ly_writer_status(writer), LYRA_IO_FAILED);
    TEST_STATUS(ly_writer_commit(writer), LYRA_IO_FAILED);
    TEST_CONTAINS(lyra_error_message(), "/dev/full: No space left on device");
    test_context_end(ctx);
}

LYRA_TEST(writer_writes_straight_to_what_is_no_file)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TEST_OK(write_greeting(ctx, "/dev/null"));
    struct stat info;
    TEST_CHECK(stat("/dev/null", &info) == 0 && S_ISCHR(info.st_mode));
    // standard output in a file: behind what is there
    const char *path = test_temp_path("output");
    int file = open(path, O_WRONLY | O_CREAT, 0600);
    TEST_REQUIRE(file >= 0);
    TEST_CHECK(write(file, "head ", 5) == 5);
    fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    dup2(file, STDOUT_FILENO);
    LyraStatus first = write_greeting(ctx, "/dev/stdout");
    LyraStatus second = write_greeting(ctx, "/dev/stdout");
    dup2(saved, STDOUT_FILENO);
    close(saved);
    close(file);
    TEST_OK(first);
    TEST_OK(second);
    check_content(path, "head new 0.1 -42 7 seven\nnew 0.1 -42 7 seven\n");
    test_context_end(ctx);
}

LYRA_TEST(writer_leaves_the_target_when_the_program_dies)
{
    int32_t before = count_leftovers();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const char *path = test_temp_path("target");
    test_write_file(path, "old", 3);
    pid_t child = fork();
    if (child == 0) {
        LyWriter *writer = NULL;
        if (ly_writer_create(ctx, path, &writer) == LYRA_OK) {
            for (int32_t i = 0; i < 100000; ++i) {
                ly_writer_int(writer, i);
            }
        }
        _exit(7);
    }
    int outcome = 0;
    TEST_CHECK(waitpid(child, &outcome, 0) == child);
    TEST_EQUAL(WEXITSTATUS(outcome), 7);
    check_content(path, "old");
    // what it left behind is in nobody's way
    TEST_EQUAL(count_leftovers(), before + 1);
    TEST_OK(write_greeting(ctx, path));
    check_content(path, greeting);
    test_context_end(ctx);
}

LYRA_TEST(writer_takes_the_longest_names)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    const char *path = test_temp_path(name);
    TEST_OK(write_greeting(ctx, path));
    check_content(path, greeting);
    test_context_end(ctx);
}

static LyraStatus write_long(LyraContext *ctx, void *data)
{
    LyWriter *writer = NULL;
    LY_TRY(ly_writer_create(ctx, data, &writer));
    char text[2000];
    memset(text, 'y', sizeof text);
    text[sizeof text - 1] = '\0';
    ly_writer_print(writer, "%s", text);
    return ly_writer_commit(writer);
}

LYRA_TEST(writer_survives_failing_allocations)
{
    int32_t before = count_leftovers();
    const char *path = test_temp_path("target");
    test_fail_each_allocation(write_long, (void *)path);
    TEST_EQUAL(count_leftovers(), before);
}

typedef struct Crowd {
    LyraContext *ctx;
    const char *path;
} Crowd;

static void *write_many(void *data)
{
    const Crowd *crowd = data;
    for (int32_t i = 0; i < 50; ++i) {
        if (write_greeting(crowd->ctx, crowd->path) != LYRA_OK) {
            return data;
        }
    }
    return NULL;
}

LYRA_TEST(writers_on_one_target_do_not_mix)
{
    int32_t before = count_leftovers();
    Crowd crowd = {test_context(1, LYRA_ISA_AUTO), test_temp_path("shared")};
    pthread_t threads[4];
    for (int32_t i = 0; i < 4; ++i) {
        TEST_REQUIRE(pthread_create(&threads[i], NULL, write_many, &crowd) == 0);
    }
    for (int32_t i = 0; i < 4; ++i) {
        void *failed = NULL;
        pthread_join(threads[i], &failed);
        TEST_CHECK(!failed);
    }
    check_content(crowd.path, greeting);
    TEST_EQUAL(count_leftovers(), before);
    test_context_end(crowd.ctx);
}
