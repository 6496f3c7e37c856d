// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "bench.h"

#include "bench_baseline.h"
#include "bench_body.h"
#include "bench_calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct {
    const char *name;
    BenchSuite *run;
    enum { TAKES_NONE, TAKES_BODY, TAKES_SURFACE } takes; // what --mesh is to it
} suites[] = {
    {"math", bench_math, TAKES_NONE},       {"sparse", bench_sparse, TAKES_NONE},
    {"io", bench_io, TAKES_NONE},           {"embed", bench_embed, TAKES_BODY},
    {"forces", bench_forces, TAKES_BODY},   {"solvers", bench_solvers, TAKES_BODY},
    {"step", bench_step, TAKES_BODY},       {"bodies", bench_bodies, TAKES_NONE},
    {"memory", bench_memory, TAKES_BODY},   {"volume", bench_volume, TAKES_SURFACE},
    {"collide", bench_collide, TAKES_NONE},
};
enum { SUITE_COUNT = sizeof suites / sizeof suites[0] };

double bench_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- repeats ------------------------------------------------------------------------------------

#define SLOW 1.0 // s
#define SAMPLES_MAX (int32_t)(sizeof((BenchSamples *)0)->seconds / sizeof(double))

bool bench_samples_want(const BenchSamples *samples)
{
    int32_t least = samples->slow ? 2 : 3;
    return samples->count < SAMPLES_MAX &&
           (samples->count < least || bench_now() - samples->begin < samples->budget);
}

bool bench_samples_add(const Bench *bench, BenchSamples *samples, double seconds)
{
    samples->slow |= seconds >= SLOW;
    if (!samples->warm) {
        samples->warm = true;
        samples->budget = bench->seconds;
        samples->begin = bench_now();
        if (!samples->slow) {
            return false;
        }
    }
    if (samples->count == SAMPLES_MAX) {
        return false;
    }
    bool fastest = true;
    for (int32_t i = 0; i < samples->count && fastest; ++i) {
        fastest = seconds < samples->seconds[i];
    }
    samples->seconds[samples->count++] = seconds;
    return fastest;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void bench_sort(int32_t count, double *values)
{
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
}

BenchTime bench_samples_time(BenchSamples *samples)
{
    bench_sort(samples->count, samples->seconds);
    return (BenchTime){.minimum = samples->seconds[0],
                       .median = samples->seconds[samples->count / 2]};
}

BenchTime bench_time(const Bench *bench, void (*function)(void *data), void *data)
{
    BenchSamples samples = {0};
    int32_t calls = 1;
    while (bench_samples_want(&samples)) {
        double start = bench_now();
        for (int32_t i = 0; i < calls; ++i) {
            function(data);
        }
        double once = (bench_now() - start) / calls;
        bench_samples_add(bench, &samples, once);
        // the clock resolves 20 us well; the first repeat that is warm says how many calls that is
        if (samples.count == 1 && calls == 1 && once < 20e-6) {
            calls = (int32_t)(20e-6 / fmax(once, 1e-8)) + 1;
            samples.count = 0;
        }
    }
    return bench_samples_time(&samples);
}

int32_t bench_next_threads(const Bench *bench, int32_t threads)
{
    return threads < bench->threads ? bench->threads : threads + 1;
}

// ---- meshes -------------------------------------------------------------------------------------

CliExit bench_mesh_load(const Bench *bench, LyraContext *ctx, LyraMesh **out)
{
    LyraMesh *mesh = NULL;
    if (lyra_mesh_load(ctx, bench->mesh, LYRA_MESH_FORMAT_AUTO, &mesh) != LYRA_OK) {
        return cli_failed();
    }
    if (lyra_mesh_view(mesh).element_count == 0) {
        lyra_mesh_destroy(mesh);
        return cli_fail("%s has no elements to measure on", bench->mesh);
    }
    *out = mesh;
    return CLI_OK;
}

void bench_mesh_name(const Bench *bench, const LyraMesh *mesh, char name[64])
{
    LyraMeshView view = lyra_mesh_view(mesh);
    if (bench->mesh) {
        const char *slash = strrchr(bench->mesh, '/');
        snprintf(name, 64, "%s", slash ? slash + 1 : bench->mesh);
    } else if (view.element_count < 1000) {
        snprintf(name, 64, "box %d %ss", view.element_count, lyra_element_kind_name(view.kind));
    } else {
        snprintf(name, 64, "box %.0fk %ss", 1e-3 * view.element_count,
                 lyra_element_kind_name(view.kind));
    }
}

// ---- the command --------------------------------------------------------------------------------

static void print_calibration(Bench *bench)
{
    bench_calibrate(bench);
    switch (bench->format) {
    case BENCH_TABLE:
        printf("calibration: read %.1f GB/s on one thread, %.1f on %d; fused multiply-add %.1f and "
               "%.1f Gflop/s\n",
               1e-9 * bench->read_bandwidth, 1e-9 * bench->read_bandwidth_all, bench->threads,
               1e-9 * bench->flops, 1e-9 * bench->flops_all);
        printf("%-28s %-22s %2s %-8s %10s %10s\n", "name", "mesh", "th", "isa", "min", "median");
        break;
    case BENCH_CSV:
        printf("suite,name,mesh,items,unit,threads,isa,ns_per_item,median_ns_per_item,"
               "twin_ns_per_item,bytes_per_second,flops_per_second,solver,analyze_seconds,"
               "factor_seconds,solve_seconds,iterations,memory_bytes,residual%s\n",
               bench->earlier ? ",baseline_ns_per_item,verdict" : "");
        break;
    case BENCH_JSON:
        bench->json.file = stdout;
        cli_json_open(&bench->json, NULL, '{');
        cli_json_open(&bench->json, "calibration", '{');
        cli_json_double(&bench->json, "read_bytes_per_second", bench->read_bandwidth);
        cli_json_double(&bench->json, "read_bytes_per_second_all", bench->read_bandwidth_all);
        cli_json_double(&bench->json, "flops_per_second", bench->flops);
        cli_json_double(&bench->json, "flops_per_second_all", bench->flops_all);
        cli_json_int(&bench->json, "threads", bench->threads);
        cli_json_close(&bench->json, '}');
        cli_json_open(&bench->json, "rows", '[');
        break;
    }
}

// fills `wanted` from the names given: all suites, or those that measure bodies if there is --mesh
static CliExit choose_suites(const CliUsage *usage, const Bench *bench, const char **names,
                             int32_t name_count, bool wanted[SUITE_COUNT])
{
    for (int32_t s = 0; s < SUITE_COUNT; ++s) {
        wanted[s] = name_count == 0 && (!bench->mesh || suites[s].takes == TAKES_BODY);
    }
    for (int32_t i = 0; i < name_count; ++i) {
        int32_t s = 0;
        while (s < SUITE_COUNT && strcmp(names[i], suites[s].name) != 0) {
            ++s;
        }
        if (s == SUITE_COUNT) {
            char list[256] = "";
            for (s = 0; s < SUITE_COUNT; ++s) {
                cli_append(list, sizeof list, suites[s].name);
            }
            return cli_usage_error(usage, "no suite \"%s\", expected one of: %s", names[i], list);
        }
        if (bench->mesh && suites[s].takes == TAKES_NONE) {
            return cli_usage_error(usage, "--mesh is of no use in the suite %s", names[i]);
        }
        wanted[s] = true;
    }
    return CLI_OK;
}

static CliExit check_options(const CliUsage *usage, const char *with, Bench *bench)
{
    if (bench->elements < 0 || !(bench->seconds >= 0) || !(bench->dt >= 0)) {
        return cli_usage_error(usage, "--elements, --dt and --seconds are at least 0");
    }
    if (bench->mesh && (bench->elements > 0 || bench->large)) {
        return cli_usage_error(usage, "--mesh is in place of --elements and --large");
    }
    if (bench->choice && bench->solver) {
        return cli_usage_error(usage, "--auto has solvers of its own");
    }
    if (bench->body && bench->mesh) {
        return cli_usage_error(usage, "--mesh is in place of the bodies of --auto");
    }
    if (!bench->choice && (bench->body || bench->statics)) {
        return cli_usage_error(usage, "--body and --statics are of --auto");
    }
    if (bench->statics && bench->dt > 0) {
        return cli_usage_error(usage, "--statics has no time step: leave --dt out");
    }
    if (with) {
        char list[128];
        if (!bench_with_parse(with, &bench->with, list)) {
            return cli_usage_error(usage, "--with \"%s\", expected some of, by commas: %s", with,
                                   list);
        }
    }
    if (bench->fixed && !bench->mesh) {
        return cli_usage_error(usage, "--fixed needs --mesh");
    }
    if (bench->model) {
        const char *model;
        char list[512] = "";
        for (int32_t m = 0; (model = bench_model_name(m)) && strcmp(model, bench->model) != 0;
             ++m) {
            cli_append(list, sizeof list, model);
        }
        cli_append(list, sizeof list, "cloth");
        cli_append(list, sizeof list, "shell");
        cli_append(list, sizeof list, "rod");
        if (!model && strcmp(bench->model, "cloth") != 0 && strcmp(bench->model, "shell") != 0 &&
            strcmp(bench->model, "rod") != 0) {
            return cli_usage_error(usage, "no model \"%s\", expected one of: %s", bench->model,
                                   list);
        }
        if (!model && (bench->mesh || bench->elements > 0 || bench->with)) {
            return cli_usage_error(usage, "--model %s goes without --mesh, --elements and --with",
                                   bench->model);
        }
    }
    return bench->solver ? bench_solvers_check(bench->solver) : CLI_OK;
}

// what may fail before anything is measured: the number of threads, the mesh, the earlier result
static CliExit prepare(Bench *bench, const bool wanted[SUITE_COUNT], const char *baseline)
{
    LyraContext *ctx = cli_context(bench->threads, LYRA_ISA_AUTO);
    if (!ctx) {
        return CLI_BAD_INPUT;
    }
    bench->threads = lyra_context_thread_count(ctx);
    CliExit exit = CLI_OK;
    for (int32_t s = 0; s < SUITE_COUNT && bench->mesh; ++s) {
        if (wanted[s] && suites[s].takes == TAKES_BODY) {
            LyraMesh *mesh = NULL;
            exit = bench_mesh_load(bench, ctx, &mesh);
            lyra_mesh_destroy(mesh);
            break;
        }
    }
    lyra_context_destroy(ctx);
    return exit == CLI_OK && baseline ? bench_baseline_load(baseline, &bench->earlier) : exit;
}

CliExit cli_bench(int argument_count, char **arguments)
{
    Bench bench = {.seconds = 0.1};
    bool json = false, csv = false;
    const char *baseline = NULL, *with = NULL;
    const CliOption options[] = {
        {"--threads", CLI_THREADS, &bench.threads, "N",
         "measure on one thread and on N (default: one per core)"},
        {"--mesh", CLI_TEXT, &bench.mesh, "FILE",
         "measure on this mesh, or in the suite volume on this surface (default: generated "
         "meshes)"},
        {"--model", CLI_TEXT, &bench.model, "NAME",
         "suites forces, step, memory: only this model, or cloth, shell or rod (default: all)"},
        {"--fixed", CLI_TEXT, &bench.fixed, "FILE",
         "suites step, memory: fixed vertices of --mesh, numbered from 1 (default: none)"},
        {"--solver", CLI_TEXT, &bench.solver, "NAME",
         "suite solvers: only this solver (default: all)"},
        {"--auto", CLI_FLAG, &bench.choice, NULL,
         "suite solvers: compare \"auto\" with fixed choices on 23 bodies or --mesh; five "
         "minutes"},
        {"--body", CLI_TEXT, &bench.body, "NAME",
         "with --auto: only bodies with this in their names, as \"plate\" (default: all)"},
        {"--statics", CLI_FLAG, &bench.statics, NULL, "with --auto: only statics"},
        {"--dt", CLI_DOUBLE, &bench.dt, "H",
         "suite solvers: only this time step, s (default: several)"},
        {"--with", CLI_TEXT, &with, "LIST",
         "suite step: 100k tets with pull, damper, history, pressure, viscoelastic"},
        {"--elements", CLI_COUNT, &bench.elements, "N",
         "suites solvers, step, bodies, memory: about N elements; with --auto: at most N"},
        {"--large", CLI_FLAG, &bench.large, NULL,
         "also boxes of up to a million elements and slow solvers; a quarter of an hour more"},
        {"--seconds", CLI_DOUBLE, &bench.seconds, "S", "time per figure, s (default 0.1)"},
        {"--baseline", CLI_TEXT, &baseline, "FILE",
         "mark what changed against an earlier --csv or --json by more than the noise"},
        {"--json", CLI_FLAG, &json, NULL, "print one JSON document"},
        {"--csv", CLI_FLAG, &csv, NULL, "print comma-separated rows"},
        {0},
    };
    const CliUsage usage = {
        .command = "lyra bench",
        .positional = "[SUITE...]",
        .description =
            "Measures speed on this machine: the minimum and the median over repeats, "
            "beside a\nsimple version of each fast path. Suites: math, "
            "sparse, io, embed, forces, solvers,\nstep, bodies, memory, volume; without one, all.",
        .example = "lyra bench sparse --threads 1",
        .options = options,
        .list_max = 16,
    };
    const char *names[16];
    int32_t name_count;
    CliExit exit;
    if (!cli_parse(&usage, argument_count, arguments, names, &name_count, &exit)) {
        return exit;
    }
    if (json && csv) {
        return cli_usage_error(&usage, "--json and --csv are two forms of the output: take one");
    }
    bool wanted[SUITE_COUNT];
    exit = check_options(&usage, with, &bench);
    exit = exit == CLI_OK ? choose_suites(&usage, &bench, names, name_count, wanted) : exit;
    exit = exit == CLI_OK ? prepare(&bench, wanted, baseline) : exit;
    if (exit != CLI_OK) {
        return exit;
    }
    bench.format = json ? BENCH_JSON : csv ? BENCH_CSV : BENCH_TABLE;
    print_calibration(&bench);
    for (int32_t s = 0; s < SUITE_COUNT && exit == CLI_OK; ++s) {
        if (wanted[s]) {
            bench.suite = suites[s].name;
            exit = suites[s].run(&bench);
        }
    }
    bench_baseline_summary(&bench);
    bench_baseline_destroy(bench.earlier);
    if (json) {
        cli_json_close(&bench.json, ']');
        cli_json_close(&bench.json, '}');
    }
    return exit == CLI_OK ? cli_finish_output() : exit;
}
