// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "lyra_test.h"

#include <dirent.h>
#include <locale.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXIT_SKIPPED 77

static TestCase *tests;
static atomic_int failure_count;
static bool skipped;

void test_register(TestCase *test)
{
    test->next = tests;
    tests = test;
}

// ---- checks -------------------------------------------------------------------------------------

bool test_check(bool holds, const char *file, int line, const char *format, ...)
{
    if (!holds) {
        char text[2048];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        // a loop over a million cases says enough after some lines
        if (atomic_fetch_add(&failure_count, 1) < 50) {
            fprintf(stderr, "%s:%d: %s\n", file, line, text);
        }
    }
    return holds;
}

double test_tolerance_scale(void)
{
    const char *text = getenv("LYRA_TEST_TOLERANCE");
    return text ? strtod(text, NULL) : 1;
}

bool test_check_near(double a, double b, double tolerance, const char *a_text, const char *b_text,
                     const char *file, int line)
{
    double distance = a == b ? 0 : fabs(a - b);
    return test_check(distance <= tolerance * test_tolerance_scale(), file, line,
                      "%s near %s: found %.17g and %.17g, apart %.3g, tolerance %.3g", a_text,
                      b_text, a, b, distance, tolerance);
}

bool test_check_equal(long long a, long long b, const char *a_text, const char *b_text,
                      const char *file, int line)
{
    return test_check(a == b, file, line, "%s == %s: found %lld and %lld", a_text, b_text, a, b);
}

bool test_check_string(const char *a, const char *b, const char *file, int line)
{
    return test_check(strcmp(a, b) == 0, file, line, "found \"%s\", expected \"%s\"", a, b);
}

bool test_check_contains(const char *text, const char *part, const char *file, int line)
{
    return test_check(strstr(text, part) != NULL, file, line, "\"%s\" does not contain \"%s\"",
                      text, part);
}

bool test_check_status(LyraStatus found, LyraStatus expected, const char *call, const char *file,
                       int line)
{
    return test_check(found == expected, file, line, "%s gave \"%s\" (%s), expected \"%s\"", call,
                      lyra_status_name(found), found == LYRA_OK ? "" : lyra_error_message(),
                      lyra_status_name(expected));
}

void test_skip(const char *why)
{
    printf("skipped: %s\n", why);
    skipped = true;
}

// ---- watched memory -----------------------------------------------------------------------------

static struct {
    atomic_llong requests, bytes, failing; // failing: number of the request to refuse, -1 for none
    atomic_llong peak;                     // of bytes
} watched = {.failing = -1};

static void *watched_allocate(void *user, size_t bytes, size_t alignment)
{
    (void)user;
    if (atomic_fetch_add(&watched.requests, 1) == atomic_load(&watched.failing)) {
        return NULL;
    }
    void *memory = NULL;
    if (posix_memalign(&memory, alignment, bytes) != 0) {
        return NULL;
    }
    // nobody may count on cleared memory
    memset(memory, 0xa5, bytes);
    long long held = atomic_fetch_add(&watched.bytes, (long long)bytes) + (long long)bytes;
    long long peak = atomic_load(&watched.peak);
    while (peak < held && !atomic_compare_exchange_weak(&watched.peak, &peak, held)) {
    }
    return memory;
}

static void watched_release(void *user, void *memory, size_t bytes)
{
    (void)user;
    // nor on memory that was given back
    memset(memory, 0x5a, bytes);
    atomic_fetch_sub(&watched.bytes, (long long)bytes);
    free(memory);
}

static LyraContextDef watched_def(int32_t threads, LyraIsa isa)
{
    LyraContextDef def = lyra_context_def_default();
    def.allocator = (LyraAllocator){.allocate = watched_allocate, .release = watched_release};
    def.thread_count = threads;
    def.isa = isa;
    return def;
}

LyraContext *test_context(int32_t threads, LyraIsa isa)
{
    LyraContextDef def = watched_def(threads, isa);
    LyraContext *ctx = NULL;
    if (lyra_context_create(&def, &ctx) != LYRA_OK) {
        fprintf(stderr, "no context: %s\n", lyra_error_message());
        exit(EXIT_FAILURE);
    }
    return ctx;
}

void test_context_end(LyraContext *ctx)
{
    TEST_EQUAL(lyra_context_byte_count(ctx), 0);
    lyra_context_destroy(ctx);
}

int64_t test_allocation_count(void)
{
    return atomic_load(&watched.requests);
}

int64_t test_allocation_bytes(void)
{
    return atomic_load(&watched.bytes);
}

int64_t test_allocation_peak(void)
{
    return atomic_load(&watched.peak);
}

void test_allocation_peak_reset(void)
{
    atomic_store(&watched.peak, atomic_load(&watched.bytes));
}

void test_fail_each_allocation(LyraStatus (*scenario)(LyraContext *ctx, void *data), void *data)
{
    for (long long n = 0;; ++n) {
        long long bytes_before = atomic_load(&watched.bytes);
        atomic_store(&watched.failing, atomic_load(&watched.requests) + n);
        LyraContextDef def = watched_def(1, LYRA_ISA_AUTO);
        LyraContext *ctx = NULL;
        LyraStatus status = lyra_context_create(&def, &ctx);
        if (status == LYRA_OK) {
            status = scenario(ctx, data);
            TEST_CHECK_MSG(lyra_context_byte_count(ctx) == 0,
                           "%zu bytes leaked when allocation %lld failed",
                           lyra_context_byte_count(ctx), n);
            lyra_context_destroy(ctx);
        }
        bool reached = atomic_load(&watched.requests) > atomic_load(&watched.failing);
        atomic_store(&watched.failing, -1);
        TEST_CHECK_MSG(atomic_load(&watched.bytes) == bytes_before,
                       "memory outside the count leaked when allocation %lld failed", n);
        if (!reached) {
            TEST_OK(status);
            TEST_CHECK_MSG(n > 0, "the scenario allocates nothing");
            return;
        }
        if (!TEST_STATUS(status, LYRA_OUT_OF_MEMORY)) {
            fprintf(stderr, "when allocation %lld failed\n", n);
            return;
        }
    }
}

// sanitizers look at each access: what they find shows in one round
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { SAME_BITS_ROUNDS = 1 };
#else
enum { SAME_BITS_ROUNDS = 3 };
#endif

void test_same_bits(void (*compute)(LyraContext *ctx, void *data, void *out), void *data,
                    size_t bytes)
{
    static const int32_t thread_counts[] = {1, 2, 3, 7};
    unsigned char *first = calloc(1, bytes), *other = malloc(bytes);
    for (int32_t t = 0; t < 4; ++t) {
        LyraContext *ctx = test_context(thread_counts[t], LYRA_ISA_AUTO);
        for (int32_t round = 0; round < SAME_BITS_ROUNDS; ++round) {
            unsigned char *out = t == 0 && round == 0 ? first : other;
            memset(out, 0, bytes);
            compute(ctx, data, out);
            if (out == other) {
                size_t at = 0;
                while (at < bytes && first[at] == other[at]) {
                    ++at;
                }
                TEST_CHECK_MSG(at == bytes, "byte %zu of %zu differs at %d threads, round %d", at,
                               bytes, thread_counts[t], round);
            }
        }
        test_context_end(ctx);
    }
    // an output nobody wrote would agree with itself
    size_t zeros = 0;
    while (zeros < bytes && first[zeros] == 0) {
        ++zeros;
    }
    TEST_CHECK_MSG(zeros < bytes, "the output is all zero");
    free(first);
    free(other);
}

LyraIsa test_next_isa(LyraIsa isa)
{
    for (int next = (int)isa + 1; next < LYRA_ISA_COUNT; ++next) {
        if (lyra_isa_available((LyraIsa)next)) {
            return (LyraIsa)next;
        }
    }
    return LYRA_ISA_AUTO;
}

// ---- files --------------------------------------------------------------------------------------

static char temp_folder[64];

static void remove_folder(const char *name)
{
    DIR *folder = opendir(name);
    if (!folder) {
        return;
    }
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            char path[1024];
            snprintf(path, sizeof path, "%s/%s", name, entry->d_name);
            struct stat info;
            if (lstat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
                remove_folder(path);
            } else {
                unlink(path);
            }
        }
    }
    closedir(folder);
    rmdir(name);
}

static void remove_temp_folder(void)
{
    remove_folder(temp_folder);
}

// paths of a few names live at a time, so that a test can hold several
static char *next_path(void)
{
    static char paths[16][1024];
    static int next;
    return paths[next++ % 16];
}

const char *test_temp_path(const char *name)
{
    if (!temp_folder[0]) {
        strcpy(temp_folder, "/tmp/lyra-test-XXXXXX");
        if (!mkdtemp(temp_folder)) {
            perror("mkdtemp");
            exit(EXIT_FAILURE);
        }
        atexit(remove_temp_folder);
    }
    char *path = next_path();
    snprintf(path, 1024, "%s/%s", temp_folder, name);
    return path;
}

bool test_comma_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "pt_BR.UTF-8"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; ++i) {
        found = setlocale(LC_ALL, names[i]) != NULL;
    }
    if (!found) {
        // make one where the C library brings the sources
        char command[2048];
        snprintf(command, sizeof command,
                 "localedef --no-archive -i de_DE -f UTF-8 %s >/dev/null 2>&1",
                 test_temp_path("de_DE.UTF-8"));
        if (system(command) == 0 && setenv("LOCPATH", temp_folder, 1) == 0) {
            found = setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
        }
    }
    if (found && strcmp(localeconv()->decimal_point, ",") == 0) {
        return true;
    }
    setlocale(LC_ALL, "C");
    return false;
}

void test_write_file(const char *path, const void *content, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(content, 1, bytes, file) != bytes || fclose(file) != 0) {
        perror(path);
        exit(EXIT_FAILURE);
    }
}

char *test_read_file(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *content = malloc(size + 1);
    size = fread(content, 1, size, file);
    content[size] = '\0';
    fclose(file);
    if (bytes) {
        *bytes = size;
    }
    return content;
}

const char *test_data_path(const char *name)
{
    char *path = next_path();
    snprintf(path, 1024, "%s/%s", LYRA_TEST_DATA_DIR, name);
    return path;
}

const char *test_reference_path(const char *name)
{
    const char *folder = getenv("LYRA_REFERENCE_DIR");
    char *path = next_path();
    snprintf(path, 1024, "%s/%s", folder ? folder : LYRA_TEST_REFERENCE_DIR, name);
    return access(path, R_OK) == 0 ? path : NULL;
}

// ---- running ------------------------------------------------------------------------------------

int main(int argc, char **argv)
{
    int run = 0;
    for (TestCase *test = tests; test; test = test->next) {
        bool wanted = argc < 2;
        for (int i = 1; i < argc; ++i) {
            wanted |= strcmp(argv[i], test->name) == 0;
        }
        if (wanted) {
            ++run;
            int before = atomic_load(&failure_count);
            skipped = false;
            test->function();
            // a test that took another locale leaves it to no other
            setlocale(LC_ALL, "C");
            int failures = atomic_load(&failure_count) - before;
            if (argc < 2 || failures) {
                printf("%s %s\n", failures ? "FAIL" : skipped ? "skip" : "ok  ", test->name);
            }
        }
    }
    if (run < (argc < 2 ? 1 : argc - 1)) {
        fprintf(stderr, "no such test\n");
        return EXIT_FAILURE;
    }
    TEST_CHECK_MSG(atomic_load(&watched.bytes) == 0, "%lld bytes were never given back",
                   (long long)atomic_load(&watched.bytes));
    if (atomic_load(&failure_count)) {
        fprintf(stderr, "%d checks failed\n", atomic_load(&failure_count));
        return EXIT_FAILURE;
    }
    return skipped && argc == 2 ? EXIT_SKIPPED : EXIT_SUCCESS;
}
