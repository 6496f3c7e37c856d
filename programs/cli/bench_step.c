// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra bench step`: whole steps of a body that swings under gravity from its rest shape, h = 10
// ms, stiffness damping 0.01 s. Rows of one Newton step start and damp as Vega does, so that they
// can be laid beside its figures; rows that end in "full" iterate until the decrement squared is
// below 1e-8 of the energies, with the settings that are ours.
//
// A figure is the time of one step, over as many steps as the time for it allows. The first steps
// are not counted: they analyze, allocate, and take the body out of its rest shape. In the columns
// of a solver, "analyze" is all that comes before the second step, making the model and the system
// included, and "solve" the forming, factoring and solving within the fastest step.

#include "bench_body.h"

#include <stdio.h>
#include <string.h>

#define WARM_STEPS 4

static const BenchWay ways[] = {
    {"backward-euler", false}, {"newmark", false}, {"backward-euler", true}};

static LyraStatus time_steps(const Bench *bench, BenchBody *body, BenchTime *time,
                             LyraStepReport *best)
{
    BenchSamples samples = {0};
    for (int32_t k = 0; bench_samples_want(&samples); ++k) {
        LyraStepReport report;
        double start = bench_now();
        LyraStatus status =
            lyra_integrator_step(body->integrator, body->state, BENCH_STEP, &report);
        double seconds = bench_now() - start;
        if (status != LYRA_OK) {
            return status;
        }
        if (k >= WARM_STEPS && bench_samples_add(bench, &samples, seconds)) {
            *best = report;
        }
    }
    *time = bench_samples_time(&samples);
    return LYRA_OK;
}

static CliExit bench_way(Bench *bench, const BenchSubject *subject, const char *model,
                         const BenchWay *way, int32_t threads)
{
    BenchBody body = {.ctx = cli_context(threads, LYRA_ISA_AUTO)};
    if (!body.ctx) {
        return CLI_BAD_INPUT;
    }
    double start = bench_now(), set_up = 0;
    BenchTime time = {0};
    LyraStepReport report = {0};
    LyraStatus status = bench_body_create(subject, model, way, &body);
    if (status == LYRA_OK) {
        status = lyra_integrator_step(body.integrator, body.state, BENCH_STEP, NULL);
    }
    set_up = bench_now() - start;
    status = status == LYRA_OK ? time_steps(bench, &body, &time, &report) : status;
    if (status != LYRA_OK) {
        bench_body_end(&body);
        return cli_failed();
    }
    char name[80];
    snprintf(name, sizeof name, "%s/%s%s", way->integrator, model, way->full ? "/full" : "");
    const BenchSolve solve = {.solver = report.solver,
                              .analyze = set_up,
                              .solve = report.solve_seconds,
                              .iterations = report.linear_iterations,
                              .bytes = (int64_t)lyra_context_byte_count(body.ctx)};
    const BenchRow row = {.name = name,
                          .subject = subject->name,
                          .unit = "step",
                          .items = 1,
                          .threads = threads,
                          .isa = lyra_context_isa(body.ctx),
                          .time = time,
                          .solve = &solve};
    bench_row(bench, &row);
    bench_body_end(&body);
    return CLI_OK;
}

static CliExit run_subject(Bench *bench, const BenchSubject *subject)
{
    static const char *const models[] = {"corotational", "stvk", "neo-hookean",
                                         "neo-hookean+prony"};
    const size_t model_count = bench->model ? 1 : sizeof models / sizeof models[0];
    CliExit exit = CLI_OK;
    for (size_t m = 0; m < model_count; ++m) {
        for (size_t w = 0; w < sizeof ways / sizeof ways[0]; ++w) {
            for (int32_t threads = 1; threads <= bench->threads && exit == CLI_OK;
                 threads = bench_next_threads(bench, threads)) {
                exit = bench_way(bench, subject, bench->model ? bench->model : models[m], &ways[w],
                                 threads);
            }
        }
    }
    return exit;
}

// backward Euler, by one Newton step and in full
static CliExit run_with(Bench *bench, const BenchSubject *subject)
{
    CliExit exit = CLI_OK;
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; ++w) {
        for (int32_t threads = 1; strcmp(ways[w].integrator, "backward-euler") == 0 &&
                                  threads <= bench->threads && exit == CLI_OK;
             threads = bench_next_threads(bench, threads)) {
            exit = bench_with(bench, subject, bench->model ? bench->model : "neo-hookean", &ways[w],
                              threads);
        }
    }
    return exit;
}

CliExit bench_step(Bench *bench)
{
    static const int32_t sizes[] = {100, 1000, 5000, 20000, 100000};
    if (bench->with) {
        return bench_subjects(bench, 1, &sizes[4], run_with);
    }
    bool cloth = bench->model && strcmp(bench->model, "cloth") == 0;
    bool shell = bench->model && strcmp(bench->model, "shell") == 0;
    if (shell) {
        return bench_shell_steps(bench);
    }
    if (bench->model && strcmp(bench->model, "rod") == 0) {
        return bench_rod_steps(bench);
    }
    CliExit exit = cloth ? CLI_OK : bench_subjects(bench, bench->large ? 5 : 4, sizes, run_subject);
    bool generated = !bench->mesh && bench->elements == 0;
    if (exit == CLI_OK && generated && (cloth || !bench->model)) {
        exit = bench_cloth_steps(bench);
    }
    return exit == CLI_OK && generated && !bench->model ? bench_rod_steps(bench) : exit;
}
