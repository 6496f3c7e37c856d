// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// sched_setaffinity
#define _GNU_SOURCE

#include "base/base.h"
#include "base/context.h"
#include "lyra_test.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>
#include <time.h>

LYRA_TEST(context_defaults_work)
{
    LyraContext *ctx = NULL;
    TEST_REQUIRE_OK(lyra_context_create(NULL, &ctx));
    TEST_CHECK(lyra_context_thread_count(ctx) >= 1);
    TEST_CHECK(lyra_context_isa(ctx) != LYRA_ISA_AUTO);
    // the best there is: none after it can run here
    TEST_EQUAL(test_next_isa(lyra_context_isa(ctx)), LYRA_ISA_AUTO);
    TEST_EQUAL(lyra_context_byte_count(ctx), 0);
    lyra_context_destroy(ctx);
    lyra_context_destroy(NULL);
}

// ---- cores --------------------------------------------------------------------------------------

#ifdef __linux__
LYRA_TEST(threads_are_as_many_as_the_affinity_has_cores)
{
    cpu_set_t all, one;
    TEST_REQUIRE(sched_getaffinity(0, sizeof all, &all) == 0);
    TEST_CHECK(ly_core_count() <= CPU_COUNT(&all));
    int first = 0;
    while (!CPU_ISSET(first, &all)) {
        ++first;
    }
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    TEST_REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    LyraContext *ctx = test_context(0, LYRA_ISA_AUTO);
    TEST_EQUAL(lyra_context_thread_count(ctx), 1);
    test_context_end(ctx);
    TEST_REQUIRE(sched_setaffinity(0, sizeof all, &all) == 0);
}
#endif

// writes a file below `root`, and the folders on the way
static void write_below(const char *root, const char *name, const char *text)
{
    char path[2048];
    int begin = snprintf(path, sizeof path, "%s", root);
    snprintf(path + begin, sizeof path - (size_t)begin, "%s", name);
    for (char *slash = path + begin; (slash = strchr(slash, '/')); ++slash) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    test_write_file(path, text, strlen(text));
}

LYRA_TEST(quotas_of_containers_are_found)
{
    static const struct {
        const char *groups, *files[2][2];
        double cores;
    } cases[] = {
        // nothing there, and no limits
        {"0::/\n", {{0}}, 0},
        {"0::/\n", {{"/cpu.max", "max 100000\n"}}, 0},
        {"5:cpu:/\n", {{"/cpu/cpu.cfs_quota_us", "-1\n"}, {"/cpu/cpu.cfs_period_us", "100000"}}, 0},
        // version 2: in a container, outside of it, the group above, a path of another place
        {"0::/\n", {{"/cpu.max", "250000 100000\n"}}, 2.5},
        {"0::/a/b\n", {{"/a/b/cpu.max", "50000 100000\n"}, {"/a/cpu.max", "max 100000\n"}}, 0.5},
        {"0::/a/b\n", {{"/a/b/cpu.max", "max 100000\n"}, {"/a/cpu.max", "300000 100000\n"}}, 3},
        {"0::/far/away\n", {{"/cpu.max", "200000 100000\n"}}, 2},
        // version 1, alone and beside others
        {"9:pids:/\n4:cpu,cpuacct:/x\n0::/\n",
         {{"/cpu,cpuacct/x/cpu.cfs_quota_us", "150000"},
          {"/cpu,cpuacct/x/cpu.cfs_period_us", "50000"}},
         3},
        {"4:cpuacct,cpu:/docker/1\n",
         {{"/cpu/cpu.cfs_quota_us", "400000"}, {"/cpu/cpu.cfs_period_us", "100000"}},
         4},
        {"3:cpuset:/\n2:cpuacct:/\n",
         {{"/cpuset/cpu.cfs_quota_us", "1000"}, {"/cpuset/cpu.cfs_period_us", "1000"}},
         0},
        // rubbish
        {"0::\n::\n:\nx", {{"/cpu.max", "rubbish"}}, 0},
        {"0::/\n", {{"/cpu.max", "100000"}}, 0},
    };
    for (int32_t c = 0; c < LY_COUNT_OF(cases); ++c) {
        char name[32], root[1024];
        snprintf(name, sizeof name, "system-%d", (int)c);
        snprintf(root, sizeof root, "%s", test_temp_path(name));
        mkdir(root, 0777);
        write_below(root, "/proc/self/cgroup", cases[c].groups);
        for (int f = 0; f < 2 && cases[c].files[f][0]; ++f) {
            char path[512];
            snprintf(path, sizeof path, "/sys/fs/cgroup%s", cases[c].files[f][0]);
            write_below(root, path, cases[c].files[f][1]);
        }
        double cores = ly_core_quota(root);
        TEST_CHECK_MSG(cores == cases[c].cores, "case %d: %g cores", (int)c, cores);
    }
    TEST_CHECK(ly_core_quota("/nowhere") == 0);
}

// ---- contexts -----------------------------------------------------------------------------------

LYRA_TEST(context_refuses_bad_settings)
{
    LyraContext *ctx = NULL;
    LyraContextDef def = lyra_context_def_default();
    def.cookie = 0;
    TEST_STATUS(lyra_context_create(&def, &ctx), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "lyra_context_def_default");
    def = lyra_context_def_default();
    def.thread_count = -1;
    TEST_STATUS(lyra_context_create(&def, &ctx), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "-1");
    def = lyra_context_def_default();
    def.thread_count = 257;
    TEST_STATUS(lyra_context_create(&def, &ctx), LYRA_INVALID_ARGUMENT);
    def = lyra_context_def_default();
    def.isa = (LyraIsa)99;
    TEST_STATUS(lyra_context_create(&def, &ctx), LYRA_INVALID_ARGUMENT);
    def = lyra_context_def_default();
    def.allocator.release = NULL;
    TEST_STATUS(lyra_context_create(&def, &ctx), LYRA_INVALID_ARGUMENT);
    TEST_CHECK(ctx == NULL);
}

LYRA_TEST(isa_can_be_forced)
{
    int32_t count = 0;
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(1, isa);
        TEST_EQUAL(lyra_context_isa(ctx), isa);
        test_context_end(ctx);
        ++count;
    }
    TEST_CHECK(count >= 2);
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa < LYRA_ISA_COUNT; ++isa) {
        if (!lyra_isa_available(isa)) {
            LyraContext *ctx = NULL;
            LyraContextDef def = lyra_context_def_default();
            def.isa = isa;
            TEST_STATUS(lyra_context_create(&def, &ctx), LYRA_UNSUPPORTED);
            TEST_CONTAINS(lyra_error_message(), lyra_isa_name(isa));
        }
    }
}

LYRA_TEST(memory_is_aligned_and_counted)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (size_t bytes = 0; bytes < 300; bytes += 7) {
        char *memory = ly_allocate(ctx, bytes);
        TEST_REQUIRE(memory);
        TEST_EQUAL((uintptr_t)memory % LY_ALIGNMENT, 0);
        memset(memory, 1, bytes);
        TEST_EQUAL(lyra_context_byte_count(ctx), bytes);
        ly_release(ctx, memory);
        TEST_EQUAL(lyra_context_byte_count(ctx), 0);
    }
    ly_release(ctx, NULL);
    test_context_end(ctx);
}

LYRA_TEST(memory_resize_keeps_content)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    int32_t *array = NULL;
    TEST_REQUIRE_OK(ly_resize_array(ctx, 10, sizeof *array, &array));
    for (int32_t i = 0; i < 10; ++i) {
        array[i] = i;
    }
    TEST_REQUIRE_OK(ly_resize_array(ctx, 1000, sizeof *array, &array));
    for (int32_t i = 0; i < 10; ++i) {
        TEST_EQUAL(array[i], i);
    }
    TEST_REQUIRE_OK(ly_resize_array(ctx, 3, sizeof *array, &array));
    TEST_EQUAL(array[2], 2);
    TEST_EQUAL(lyra_context_byte_count(ctx), 3 * sizeof *array);
    ly_release(ctx, array);
    test_context_end(ctx);
}

LYRA_TEST(memory_refuses_sizes_that_overflow)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double *array = NULL;
    TEST_STATUS(ly_allocate_array(ctx, INT64_MAX / 4, sizeof *array, &array), LYRA_TOO_LARGE);
    TEST_STATUS(ly_allocate_array(ctx, -1, sizeof *array, &array), LYRA_TOO_LARGE);
    // a product that wraps around to 8 bytes
    TEST_STATUS(ly_allocate_array(ctx, (INT64_C(1) << 61) + 1, sizeof *array, &array),
                LYRA_TOO_LARGE);
    TEST_STATUS(ly_resize_array(ctx, (INT64_C(1) << 61) + 1, sizeof *array, &array),
                LYRA_TOO_LARGE);
    TEST_CHECK(array == NULL);
    TEST_CHECK(ly_allocate(ctx, SIZE_MAX) == NULL);
    test_context_end(ctx);
}

static LyraStatus allocate_three(LyraContext *ctx, void *data)
{
    (void)data;
    LyraStatus status = LYRA_OK;
    double *a = NULL, *b = NULL;
    LY_TRY_DONE(ly_allocate_zeroed(ctx, 100, sizeof *a, &a));
    LY_TRY_DONE(ly_allocate_array(ctx, 100, sizeof *b, &b));
    LY_TRY_DONE(ly_resize_array(ctx, 200, sizeof *b, &b));
    LY_TRY_DONE(ly_arena_reserve(ly_context_arena(ctx, 0), 1 << 20));
done:
    ly_release(ctx, a);
    ly_release(ctx, b);
    return status;
}

LYRA_TEST(memory_failures_leak_nothing)
{
    test_fail_each_allocation(allocate_three, NULL);
}

LYRA_TEST(arena_is_a_stack_that_settles)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraArena *arena = ly_context_arena(ctx, 0);
    int64_t requests_after_first = 0;
    for (int32_t round = 0; round < 5; ++round) {
        LyArenaMark outer = ly_arena_mark(arena);
        char *a = lyra_arena_push(arena, 1000);
        TEST_REQUIRE(a);
        TEST_EQUAL((uintptr_t)a % LY_ALIGNMENT, 0);
        memset(a, 1, 1000);
        LyArenaMark inner = ly_arena_mark(arena);
        char *b = lyra_arena_push(arena, 300000);
        TEST_REQUIRE(b);
        memset(b, 2, 300000);
        TEST_EQUAL(a[999], 1);
        ly_arena_release_to(arena, inner);
        char *c = lyra_arena_push(arena, 10);
        TEST_REQUIRE(c);
        memset(c, 3, 10);
        TEST_EQUAL(a[999], 1);
        ly_arena_release_to(arena, outer);
        if (round == 0) {
            requests_after_first = test_allocation_count();
        }
    }
    TEST_EQUAL(test_allocation_count(), requests_after_first);
    // what was reserved is pushed without an allocation, in one piece or in many
    TEST_REQUIRE_OK(ly_arena_reserve(arena, 1 << 20));
    int64_t before = test_allocation_count();
    LyArenaMark mark = ly_arena_mark(arena);
    for (int32_t i = 0; i < 1 << 10; ++i) {
        TEST_CHECK(lyra_arena_push(arena, 1 << 10));
    }
    TEST_EQUAL(test_allocation_count(), before);
    ly_arena_release_to(arena, mark);
    test_context_end(ctx);
}

// ---- parallel loops -----------------------------------------------------------------------------

typedef struct Tally {
    LyraContext *ctx;
    atomic_int hits[1000];
    atomic_int busy[8];
    atomic_int collisions, nested;
} Tally;

static void count_nested(void *data, int32_t index, int32_t worker)
{
    Tally *tally = data;
    (void)index;
    atomic_fetch_add(&tally->nested, worker + 1);
}

static void count_hit(void *data, int32_t index, int32_t worker)
{
    Tally *tally = data;
    if (atomic_fetch_add(&tally->busy[worker], 1) != 0) {
        atomic_fetch_add(&tally->collisions, 1);
    }
    atomic_fetch_add(&tally->hits[index], 1);
    // a loop inside a task runs on the same worker, thus adds 2 (worker + 1) in all
    if (index == 0) {
        ly_parallel_for(tally->ctx, 2, count_nested, tally);
        TEST_EQUAL(atomic_load(&tally->nested), 2 * (worker + 1));
    }
    atomic_fetch_sub(&tally->busy[worker], 1);
}

LYRA_TEST(parallel_for_runs_each_piece_once)
{
    static const int32_t counts[] = {0, 1, 2, 3, 999, 1000};
    for (int32_t threads = 1; threads <= 8; ++threads) {
        LyraContext *ctx = test_context(threads, LYRA_ISA_AUTO);
        for (int32_t c = 0; c < LY_COUNT_OF(counts); ++c) {
            for (int32_t round = 0; round < 20; ++round) {
                Tally tally = {.ctx = ctx};
                ly_parallel_for(ctx, counts[c], count_hit, &tally);
                for (int32_t i = 0; i < 1000; ++i) {
                    TEST_EQUAL(atomic_load(&tally.hits[i]), i < counts[c] ? 1 : 0);
                }
                TEST_EQUAL(atomic_load(&tally.collisions), 0);
            }
        }
        test_context_end(ctx);
    }
}

static void sleep_for(double seconds)
{
    struct timespec time = {.tv_nsec = (long)(1e9 * seconds)};
    nanosleep(&time, NULL);
}

typedef struct Naps {
    atomic_int done;
} Naps;

static void take_nap(void *data, int32_t index, int32_t worker)
{
    Naps *naps = data;
    // pieces of the pool's threads last longer than all of the caller's
    sleep_for(worker == 0 ? 0.001 : 0.05);
    (void)index;
    atomic_fetch_add(&naps->done, 1);
}

LYRA_TEST(parallel_for_waits_for_the_last_piece)
{
    LyraContext *ctx = test_context(4, LYRA_ISA_AUTO);
    for (int32_t round = 0; round < 5; ++round) {
        Naps naps = {0};
        ly_parallel_for(ctx, 40, take_nap, &naps);
        TEST_EQUAL(atomic_load(&naps.done), 40);
    }
    test_context_end(ctx);
}

// threads of this process that run or want to, beside the one that asks; -1 where it cannot be told
static int running_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int count = tasks ? 0 : -1;
    struct dirent *entry;
    while (tasks && (entry = readdir(tasks))) {
        char path[300], text[512] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/stat", entry->d_name);
        FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "r");
        if (file) {
            text[fread(text, 1, sizeof text - 1, file)] = '\0';
            fclose(file);
            const char *state = strrchr(text, ')');
            count += state && state[1] == ' ' && state[2] == 'R';
        }
    }
    if (tasks) {
        closedir(tasks);
    }
    return count > 0 ? count - 1 : count;
}

// waits until all others sleep; false if they do not for ten minutes
static bool others_sleep(void)
{
    for (int i = 0; i < 60000; ++i) {
        if (running_threads() <= 0) {
            return true;
        }
        sleep_for(0.01);
    }
    return false;
}

static void await_sleep_in_first(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    if (index == 0) {
        *(bool *)data = others_sleep();
    }
}

// Neither threads that ran out of pieces nor threads without a loop use the processor.
LYRA_TEST(threads_sleep_while_they_wait)
{
    if (running_threads() < 0) {
        TEST_SKIP("the system does not tell which threads run");
    }
    LyraContext *ctx = test_context(7, LYRA_ISA_AUTO);
    bool slept = false;
    ly_parallel_for(ctx, 100, await_sleep_in_first, &slept);
    TEST_CHECK(slept);
    TEST_CHECK(others_sleep());
    test_context_end(ctx);
}

typedef struct TwoContexts {
    LyraContext *inner;
    atomic_int hits, busy[2], collisions;
} TwoContexts;

static void hit_inner(void *data, int32_t index, int32_t worker)
{
    TwoContexts *two = data;
    (void)index;
    TEST_REQUIRE(worker >= 0 && worker < 2);
    if (atomic_fetch_add(&two->busy[worker], 1) != 0) {
        atomic_fetch_add(&two->collisions, 1);
    }
    atomic_fetch_add(&two->hits, 1);
    atomic_fetch_sub(&two->busy[worker], 1);
}

static void hit_outer(void *data, int32_t index, int32_t worker)
{
    TwoContexts *two = data;
    (void)index;
    (void)worker;
    // long enough for every worker of the outer context to take part
    sleep_for(0.001);
    ly_parallel_for(two->inner, 10, hit_inner, two);
}

// a loop of another context inside a task has the workers of that other context
LYRA_TEST(parallel_for_nests_across_contexts)
{
    LyraContext *outer = test_context(5, LYRA_ISA_AUTO), *inner = test_context(2, LYRA_ISA_AUTO);
    TwoContexts two = {.inner = inner};
    ly_parallel_for(outer, 100, hit_outer, &two);
    TEST_EQUAL(atomic_load(&two.hits), 1000);
    TEST_EQUAL(atomic_load(&two.collisions), 0);
    test_context_end(inner);
    test_context_end(outer);
}

static void *loop_from_host_thread(void *data)
{
    for (int32_t round = 0; round < 50; ++round) {
        Tally tally = {.ctx = data};
        ly_parallel_for(data, 100, count_hit, &tally);
        TEST_EQUAL(atomic_load(&tally.collisions), 0);
        for (int32_t i = 0; i < 100; ++i) {
            TEST_EQUAL(atomic_load(&tally.hits[i]), 1);
        }
    }
    return NULL;
}

LYRA_TEST(parallel_for_serves_several_host_threads)
{
    for (int32_t threads = 1; threads <= 3; ++threads) {
        LyraContext *ctx = test_context(threads, LYRA_ISA_AUTO);
        pthread_t hosts[4];
        for (int32_t i = 0; i < 4; ++i) {
            TEST_EQUAL(pthread_create(&hosts[i], NULL, loop_from_host_thread, ctx), 0);
        }
        for (int32_t i = 0; i < 4; ++i) {
            pthread_join(hosts[i], NULL);
        }
        test_context_end(ctx);
    }
}

static void run_backwards(void *user, int32_t count, LyraTask *task, void *data)
{
    int32_t *calls = user;
    for (int32_t i = count; i-- > 0;) {
        task(data, i, i % 2);
        ++*calls;
    }
}

LYRA_TEST(parallel_for_uses_the_hosts_task_runner)
{
    int32_t calls = 0;
    LyraContextDef def = lyra_context_def_default();
    def.thread_count = 2;
    def.task_runner = run_backwards;
    def.task_user = &calls;
    LyraContext *ctx = NULL;
    TEST_REQUIRE_OK(lyra_context_create(&def, &ctx));
    Tally tally = {.ctx = ctx};
    ly_parallel_for(ctx, 10, count_hit, &tally);
    TEST_EQUAL(calls, 10);
    for (int32_t i = 0; i < 10; ++i) {
        TEST_EQUAL(atomic_load(&tally.hits[i]), 1);
    }
    lyra_context_destroy(ctx);
}

LYRA_TEST(pieces_cover_everything_once)
{
    for (int64_t items = 0; items < 200; ++items) {
        for (int32_t pieces = 1; pieces < 20; ++pieces) {
            TEST_EQUAL(ly_piece_begin(items, pieces, 0), 0);
            TEST_EQUAL(ly_piece_begin(items, pieces, pieces), items);
            for (int32_t i = 0; i < pieces; ++i) {
                int64_t size =
                    ly_piece_begin(items, pieces, i + 1) - ly_piece_begin(items, pieces, i);
                TEST_CHECK(size == items / pieces || size == items / pieces + 1);
            }
        }
    }
    TEST_EQUAL(ly_piece_begin(INT64_MAX, 7, 7), INT64_MAX);
    TEST_EQUAL(ly_piece_count(0, 10), 1);
    TEST_EQUAL(ly_piece_count(10, 10), 1);
    TEST_EQUAL(ly_piece_count(11, 10), 2);
    TEST_EQUAL(ly_piece_count(21, 10), 4);
    TEST_EQUAL(ly_piece_count(40, 10), 4);
    TEST_EQUAL(ly_piece_count(41, 10), 8);
    TEST_EQUAL(ly_piece_count(3, 1), 3);
    TEST_EQUAL(ly_piece_count(INT64_MAX / 2, 1), INT32_MAX);
}

// ---- messages -----------------------------------------------------------------------------------

LYRA_TEST(messages_nest_and_never_overflow)
{
    TEST_STATUS(ly_fail(LYRA_SINGULAR, "row %d is zero", 7), LYRA_SINGULAR);
    TEST_STRING(lyra_error_message(), "row 7 is zero");
    ly_fail_within(LYRA_SINGULAR, "matrix %s", "K");
    TEST_STRING(lyra_error_message(), "matrix K: row 7 is zero");
    char *text = malloc(5000);
    memset(text, 'x', 4999);
    text[4999] = '\0';
    ly_fail(LYRA_BAD_FORMAT, "%s", text);
    TEST_CHECK(strlen(lyra_error_message()) < 2000);
    ly_fail(LYRA_BAD_FORMAT, "%s", "short");
    ly_fail_within(LYRA_BAD_FORMAT, "%s", text);
    TEST_CHECK(strlen(lyra_error_message()) < 2000);
    free(text);
    for (int status = 0; status < LYRA_STATUS_COUNT; ++status) {
        TEST_CHECK(strlen(lyra_status_name((LyraStatus)status)) > 1);
    }
    TEST_STRING(lyra_status_name((LyraStatus)1000), "unknown status");
}

static void keep_line(void *user, LyraLogLevel level, const char *message)
{
    snprintf(user, 100, "%d %s", (int)level, message);
}

LYRA_TEST(log_goes_to_the_callback_by_level)
{
    char line[100] = "";
    LyraContextDef def = lyra_context_def_default();
    def.log = keep_line;
    def.log_user = line;
    LyraContext *ctx = NULL;
    TEST_REQUIRE_OK(lyra_context_create(&def, &ctx));
    ly_log(ctx, LYRA_LOG_DEBUG, "unseen");
    TEST_STRING(line, "");
    ly_log(ctx, LYRA_LOG_WARNING, "seen %d", 1);
    TEST_STRING(line, "2 seen 1");
    lyra_context_destroy(ctx);
}

static char asserted[64];

static bool note_assert(const char *condition, const char *file, int line)
{
    (void)file;
    (void)line;
    snprintf(asserted, sizeof asserted, "%s", condition);
    return true;
}

LYRA_TEST(assert_hook_sees_broken_contracts)
{
    LyraAssertHook *before = lyra_set_assert_hook(note_assert);
    TEST_CHECK(before == NULL);
    ly_assert_failed("the condition", __FILE__, __LINE__);
    TEST_STRING(asserted, "the condition");
    TEST_CHECK(lyra_set_assert_hook(before) == note_assert);
}

LYRA_TEST(features_are_named)
{
    int32_t count = 0;
    bool used;
    for (const char *name; (name = lyra_feature(count, &used)); ++count) {
        TEST_CHECK(strlen(name) > 0);
    }
    TEST_CHECK(count >= 2);
    TEST_CHECK(lyra_feature(-1, NULL) == NULL);
}
