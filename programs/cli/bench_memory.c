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

#include <string.h>

#include <stdlib.h>

#define STEP_COUNT 5

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

// what is counted, in the order in which it is made
enum { FORCES, MODEL, SYSTEM, INTEGRATOR, FIRST_STEP, STEPS, PART_COUNT };
static const char *const parts[] = {"forces",         "and model",      "and system",
                                    "and integrator", "and first step", "most at any time"};

static LyraStatus make_part(const BenchSubject *subject, const char *model, int32_t part,
                            BenchBody *body)
{
    const BenchWay way = {"backward-euler", false};
    switch (part) {
    case FORCES:
        return bench_body_forces(subject, model, body);
    case MODEL:
        return bench_body_model(subject, &way, body);
    case SYSTEM:
        return bench_body_system(body);
    case INTEGRATOR:
        return bench_body_integrator(&way, body);
    default:
        return lyra_integrator_step(body->integrator, body->state, BENCH_STEP, NULL);
    }
}

// makes all once, and adds a time for each part
static CliExit make_body(const Bench *bench, const BenchSubject *subject, const char *model,
                         BenchSamples times[PART_COUNT], size_t bytes[PART_COUNT], LyraIsa *isa)
{
    Counter counter = {0};
    BenchBody body = {.ctx = counted_context(&counter, bench->threads)};
    if (!body.ctx) {
        return CLI_BAD_INPUT;
    }
    *isa = lyra_context_isa(body.ctx);
    size_t own = counter.held;
    LyraStatus status = LYRA_OK;
    for (int32_t k = 0; k < FIRST_STEP + STEP_COUNT && status == LYRA_OK; ++k) {
        int32_t part = k < STEPS ? k : STEPS;
        double start = bench_now();
        status = make_part(subject, model, part, &body);
        bench_samples_add(bench, &times[part], bench_now() - start);
        bytes[part] = (part == STEPS ? counter.most : counter.held) - own;
    }
    bench_body_end(&body);
    return status == LYRA_OK ? CLI_OK : cli_failed();
}

static CliExit run_subject(Bench *bench, const BenchSubject *subject)
{
    const char *model = bench->model ? bench->model : "neo-hookean";
    BenchSamples rounds = {0}, times[PART_COUNT] = {0};
    size_t bytes[PART_COUNT] = {0};
    LyraIsa isa = LYRA_ISA_AUTO;
    for (int32_t part = 0; part < PART_COUNT; ++part) {
        times[part].warm = true; // it is the rounds that warm up
    }
    while (bench_samples_want(&rounds)) {
        double start = bench_now();
        CliExit exit = make_body(bench, subject, model, times, bytes, &isa);
        if (exit != CLI_OK) {
            return exit;
        }
        bench_samples_add(bench, &rounds, bench_now() - start);
    }
    for (int32_t part = 0; part < PART_COUNT; ++part) {
        char name[80];
        snprintf(name, sizeof name, "%s/%s", model, parts[part]);
        const BenchRow row = {.name = name,
                              .subject = subject->name,
                              .unit = "element",
                              .items = lyra_mesh_view(subject->mesh).element_count,
                              .threads = bench->threads,
                              .isa = isa,
                              .time = bench_samples_time(&times[part]),
                              .memory = (int64_t)bytes[part]};
        bench_row(bench, &row);
    }
    return CLI_OK;
}

CliExit bench_memory(Bench *bench)
{
    static const int32_t sizes[] = {1000, 10000, 100000, 1000000};
    bool cloth = bench->model && strcmp(bench->model, "cloth") == 0;
    if (cloth || (bench->model &&
                  (strcmp(bench->model, "shell") == 0 || strcmp(bench->model, "rod") == 0))) {
        bench_note(bench, "no rows of cloth, shells and rods");
        return CLI_OK;
    }
    return bench_subjects(bench, bench->large ? 4 : 3, sizes, run_subject);
}
