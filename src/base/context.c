// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// madvise
#define _DEFAULT_SOURCE

#include "base/context.h"
#include "config.h"
#include "lyra/version.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

// Large arrays are read from end to end in no order the address unit likes; on large pages they
// cost it less. The system may decline.
#define LARGE_PAGE ((size_t)1 << 21)

static void *allocate_with_libc(void *user, size_t bytes, size_t alignment)
{
    (void)user;
    void *memory = NULL;
    bool large = bytes >= 2 * LARGE_PAGE;
    if (posix_memalign(&memory, large ? LARGE_PAGE : alignment, bytes) != 0) {
        return NULL;
    }
#ifdef MADV_HUGEPAGE
    if (large) {
        (void)madvise(memory, bytes / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
    }
#endif
    return memory;
}

static void release_with_libc(void *user, void *memory, size_t bytes)
{
    (void)user;
    (void)bytes;
    free(memory);
}

const char *lyra_version(void)
{
    return LYRA_VERSION;
}

const char *lyra_feature(int32_t index, bool *used)
{
    static const struct {
        const char *name;
        bool used;
    } features[] = {
        {"lapack", LY_HAVE_LAPACK},   {"metis", LY_HAVE_METIS}, {"cholmod", LY_HAVE_CHOLMOD},
        {"umfpack", LY_HAVE_UMFPACK}, {"mumps", LY_HAVE_MUMPS}, {"spooles", LY_HAVE_SPOOLES},
        {"arpack", LY_HAVE_ARPACK},   {"yaml", LY_HAVE_YAML},   {"png", LY_HAVE_PNG},
        {"jpeg", LY_HAVE_JPEG},       {"zlib", LY_HAVE_ZLIB},
    };
    if (index < 0 || index >= LY_COUNT_OF(features)) {
        return NULL;
    }
    if (used) {
        *used = features[index].used;
    }
    return features[index].name;
}

LyraContextDef lyra_context_def_default(void)
{
    return (LyraContextDef){
        .allocator = {.allocate = allocate_with_libc, .release = release_with_libc},
        .log_level = LYRA_LOG_INFO,
        .isa = LYRA_ISA_AUTO,
        .cookie = LY_DEF_COOKIE,
    };
}

static LyraStatus check_def(const LyraContextDef *def)
{
    LY_CHECK_DEF(def, "lyra_context_def_default");
    if (!def->allocator.allocate || !def->allocator.release) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "context: the allocator needs both allocate and release");
    }
    if (def->thread_count < 0 || def->thread_count > LY_THREADS_MAX) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "context: thread_count is %d, expected 0 to %d",
                       def->thread_count, LY_THREADS_MAX);
    }
    if ((unsigned)def->isa >= LYRA_ISA_COUNT) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "context: isa is %d, expected 0 to %d", (int)def->isa,
                       LYRA_ISA_COUNT - 1);
    }
    if (!lyra_isa_available(def->isa)) {
        return ly_fail(LYRA_UNSUPPORTED, "context: this machine or build has no %s",
                       lyra_isa_name(def->isa));
    }
    return LYRA_OK;
}

LyraStatus lyra_context_create(const LyraContextDef *def, LyraContext **out)
{
    LYRA_ASSERT(out);
    LyraContextDef defaults = lyra_context_def_default();
    def = def ? def : &defaults;
    LY_TRY(check_def(def));
    LyraContext *ctx = ly_allocator_take(&def->allocator, sizeof *ctx);
    if (!ctx) {
        return ly_fail_memory(sizeof *ctx);
    }
    *ctx = (LyraContext){
        .allocator = def->allocator,
        .log = def->log,
        .log_user = def->log_user,
        .log_level = def->log_level,
        .task_runner = def->task_runner,
        .task_user = def->task_user,
        .thread_count = def->thread_count > 0 ? def->thread_count : ly_core_count(),
        .isa = def->isa == LYRA_ISA_AUTO ? ly_isa_best() : def->isa,
    };
    LyraStatus status = LYRA_OK;
    size_t arena_bytes = (size_t)ctx->thread_count * sizeof *ctx->arenas;
    ctx->arenas = ly_allocator_take(&ctx->allocator, arena_bytes);
    if (!ctx->arenas) {
        status = ly_fail_memory(arena_bytes);
        goto done;
    }
    for (int32_t worker = 0; worker < ctx->thread_count; ++worker) {
        ly_arena_init(&ctx->arenas[worker], ctx);
    }
    LY_TRY_DONE(ly_thread_pool_create(&ctx->allocator, ctx->task_runner ? 1 : ctx->thread_count,
                                      &ctx->pool));
    *out = ctx;
done:
    if (status != LYRA_OK) {
        lyra_context_destroy(ctx);
    }
    return status;
}

void lyra_context_destroy(LyraContext *ctx)
{
    if (!ctx) {
        return;
    }
    ly_thread_pool_destroy(&ctx->allocator, ctx->pool);
    if (ctx->arenas) {
        for (int32_t worker = 0; worker < ctx->thread_count; ++worker) {
            ly_arena_finish(&ctx->arenas[worker]);
        }
    }
    ly_registry_end(ctx);
    LyraAllocator allocator = ctx->allocator;
    ly_allocator_give(&allocator, ctx->arenas, (size_t)ctx->thread_count * sizeof *ctx->arenas);
    ly_allocator_give(&allocator, ctx, sizeof *ctx);
}

int32_t lyra_context_thread_count(const LyraContext *ctx)
{
    return ctx->thread_count;
}

LyraIsa lyra_context_isa(const LyraContext *ctx)
{
    return ctx->isa;
}

size_t lyra_context_byte_count(const LyraContext *ctx)
{
    return atomic_load_explicit(&ctx->byte_count, memory_order_relaxed);
}

uint64_t ly_context_next_stamp(LyraContext *ctx)
{
    return atomic_fetch_add_explicit(&ctx->stamp, 1, memory_order_relaxed) + 1;
}

LyraArena *ly_context_arena(LyraContext *ctx, int32_t worker)
{
    LYRA_ASSERT(worker >= 0 && worker < ctx->thread_count);
    return &ctx->arenas[worker];
}

void ly_log(const LyraContext *ctx, LyraLogLevel level, const char *format, ...)
{
    if (!ctx->log || level < ctx->log_level) {
        return;
    }
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ctx->log(ctx->log_user, level, text);
}

double ly_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
