// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra bench memory`: what the parts of a body hold, in bytes per element, and what its steps add.
// Rows are sums: each has what was there before it, from the forces to the most that was held at
// any time of making all and taking five steps. The time of a row is that of making its part; in
// the last row, of a step.
//
// Bytes are counted by an allocator of our own, so they are exact, the same on every run, and mark
// the highest point as well. The mesh belongs to another context: a program may drop it once the
// forces stand.

#include "bench_body.h"

#include <stdlib.h>
#include <string.h>

#define STEPS 5

typedef struct Counter {
    size_t held, most;
} Counter;

// any thread may come here
static void *count_allocate(void *user, size_t bytes, size_t alignment)
{
    Counter *counter = user;
    size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void *memory = aligned_alloc(alignment, rounded);
    if (memory) {
        size_t held = __atomic_add_fetch(&counter->held, bytes, __ATOMIC_RELAXED);
        size_t most = __atomic_load_n(&counter->most, __ATOMIC_RELAXED);
        while (held > most && !__atomic_compare_exchange_n(&counter->most, &most, held, false,
                                                           __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        }
    }
    return memory;
}

static void count_release(void *user, void *memory, size_t bytes)
{
    Counter *counter = user;
    __atomic_sub_fetch(&counter->held, bytes, __ATOMIC_RELAXED);
    free(memory);
}

static LyraContext *counted_context(Counter *counter, int32_t threads)
{
    LyraContextDef def = lyra_context_def_default();
    def.allocator = (LyraAllocator){count_allocate, count_release, counter};
    def.thread_count = threads;
    LyraContext *ctx = NULL;
    if (lyra_context_create(&def, &ctx) != LYRA_OK) {
        cli_failed();
        return NULL;
    }
    return ctx;
}

static void report(Bench *bench, const BenchSubject *subject, const BenchBody *body,
                   const char *model, const char *part, double seconds, size_t bytes)
{
    char name[80];
    snprintf(name, sizeof name, "%s/%s", model, part);
    const BenchRow row = {.name = name,
                          .subject = subject->name,
                          .unit = "element",
                          .items = lyra_mesh_view(subject->mesh).element_count,
                          .threads = bench->threads,
                          .isa = lyra_context_isa(body->ctx),
                          .time = {seconds, seconds},
                          .memory = (int64_t)bytes};
    bench_row(bench, &row);
}

static CliExit run_subject(Bench *bench, const BenchSubject *subject, const char *model)
{
    const BenchWay way = {"backward-euler", false};
    Counter counter = {0};
    BenchBody body = {.ctx = counted_context(&counter, bench->threads)};
    if (!body.ctx) {
        return CLI_BAD_INPUT;
    }
    size_t own = counter.held;
    LyraStatus status = LYRA_OK;
    for (int32_t part = 0; part < 4 && status == LYRA_OK; ++part) {
        static const char *const names[] = {"forces", "and model", "and system", "and integrator"};
        double start = bench_now();
        status = part == 0   ? bench_body_forces(subject, model, &body)
                 : part == 1 ? bench_body_model(subject, &way, &body)
                 : part == 2 ? bench_body_system(&body)
                             : bench_body_integrator(&way, &body);
        if (status == LYRA_OK) {
            report(bench, subject, &body, model, names[part], bench_now() - start,
                   counter.held - own);
        }
    }
    double fastest = 0;
    for (int32_t k = 0; k < STEPS && status == LYRA_OK; ++k) {
        double start = bench_now();
        status = lyra_integrator_step(body.integrator, body.state, BENCH_STEP, NULL);
        double seconds = bench_now() - start;
        if (k == 0 && status == LYRA_OK) {
            report(bench, subject, &body, model, "and first step", seconds, counter.held - own);
        }
        fastest = k < 2 || seconds < fastest ? seconds : fastest;
    }
    if (status == LYRA_OK) {
        report(bench, subject, &body, model, "most at any time", fastest, counter.most - own);
    }
    bench_body_end(&body);
    return status == LYRA_OK ? CLI_OK : cli_failed();
}

CliExit bench_memory(Bench *bench)
{
    static const int32_t sizes[] = {1000, 10000, 100000};
    LyraContext *ctx = cli_context(1, LYRA_ISA_AUTO);
    if (!ctx) {
        return CLI_BAD_INPUT;
    }
    bool one = bench->mesh || bench->elements > 0;
    size_t count = one ? 1 : sizeof sizes / sizeof sizes[0];
    CliExit exit = CLI_OK;
    for (size_t s = 0; s < count && exit == CLI_OK; ++s) {
        BenchSubject subject = {0};
        exit = bench->mesh ? bench_subject_load(bench, ctx, &subject)
                           : bench_subject_box(
                                 ctx, bench->elements > 0 ? bench->elements : sizes[s], &subject);
        if (exit == CLI_OK) {
            exit = run_subject(bench, &subject, bench->model ? bench->model : "neo-hookean");
        }
        bench_subject_end(&subject);
    }
    lyra_context_destroy(ctx);
    return exit;
}
