// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "bench.h"

#include "bench_baseline.h"
#include "bench_calibrate.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct {
    const char *name;
    BenchSuite *run;
} suites[] = {
    {"math", bench_math},   {"sparse", bench_sparse}, {"io", bench_io},
    {"embed", bench_embed}, {"forces", bench_forces}, {"solvers", bench_solvers},
    {"step", bench_step},   {"memory", bench_memory}, {"volume", bench_volume},
    {NULL, NULL},
};

double bench_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

BenchTime bench_time(const Bench *bench, void (*function)(void *data), void *data)
{
    enum { SAMPLES_MIN = 5, SAMPLES_MAX = 1000 };
    double samples[SAMPLES_MAX];
    // one call to warm up also tells how many calls make a sample that the clock resolves
    function(data);
    double start = bench_now();
    function(data);
    double once = bench_now() - start;
    int calls = once < 20e-6 ? (int)(20e-6 / (once > 1e-8 ? once : 1e-8)) + 1 : 1;
    int count = 0;
    double begin = bench_now();
    while (count < SAMPLES_MAX && (count < SAMPLES_MIN || bench_now() - begin < bench->seconds)) {
        start = bench_now();
        for (int i = 0; i < calls; ++i) {
            function(data);
        }
        samples[count++] = (bench_now() - start) / calls;
    }
    qsort(samples, (size_t)count, sizeof samples[0], compare_doubles);
    return (BenchTime){.minimum = samples[0], .median = samples[count / 2]};
}

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

CliExit cli_bench(int argument_count, char **arguments)
{
    Bench bench = {.seconds = 0.5};
    bool json = false, csv = false;
    const char *baseline = NULL;
    const CliOption options[] = {
        {"--threads", CLI_INT, &bench.threads, "N", "most threads to use (default: all cores)"},
        {"--mesh", CLI_TEXT, &bench.mesh, "FILE",
         "measure on this mesh instead of a generated one"},
        {"--model", CLI_TEXT, &bench.model, "NAME",
         "only this model in the suites forces, step and memory"},
        {"--fixed", CLI_TEXT, &bench.fixed, "FILE",
         "list of the vertices, from 1, that hold the body of the suites step and memory"},
        {"--solver", CLI_TEXT, &bench.solver, "NAME", "only this solver in the suite solvers"},
        {"--dt", CLI_DOUBLE, &bench.dt, "H", "only this time step, in s, in the suite solvers"},
        {"--elements", CLI_INT, &bench.elements, "N",
         "one mesh of about N elements in the suites solvers, step and memory"},
        {"--seconds", CLI_DOUBLE, &bench.seconds, "S", "time for each figure (default 0.5)"},
        {"--baseline", CLI_TEXT, &baseline, "FILE",
         "mark what moved since an earlier --csv or --json by more than the noise of both"},
        {"--json", CLI_FLAG, &json, NULL, "print one JSON document"},
        {"--csv", CLI_FLAG, &csv, NULL, "print comma-separated rows"},
        {0},
    };
    const CliUsage usage = {
        .command = "lyra bench",
        .positional = "[SUITE...]",
        .description = "Measures speed on this machine: the minimum and the median over repeats, "
                       "beside the\nsimple twin of each fast path.",
        .example = "lyra bench sparse --threads 1",
        .options = options,
        .positional_max = 16,
    };
    const char *names[16];
    int32_t name_count;
    CliExit exit;
    if (!cli_parse(&usage, argument_count, arguments, names, &name_count, &exit)) {
        return exit;
    }
    if (bench.threads < 0 || bench.threads > 256 || bench.elements < 0 || !(bench.seconds >= 0) ||
        !(bench.dt >= 0)) {
        return cli_usage_error(&usage,
                               "--threads is 1 to 256, --elements, --dt and --seconds at least 0");
    }
    int32_t suite_count = 0;
    while (suites[suite_count].name) {
        ++suite_count;
    }
    for (int32_t i = 0; i < name_count; ++i) {
        bool known = false;
        for (int32_t s = 0; s < suite_count; ++s) {
            known |= strcmp(names[i], suites[s].name) == 0;
        }
        if (!known) {
            char list[256] = "";
            for (int32_t s = 0; s < suite_count; ++s) {
                strncat(list, s ? ", " : "", sizeof list - strlen(list) - 1);
                strncat(list, suites[s].name, sizeof list - strlen(list) - 1);
            }
            return cli_usage_error(&usage, "no suite \"%s\", expected one of: %s", names[i], list);
        }
    }
    if (bench.threads == 0) {
        LyraContext *ctx = cli_context(0, LYRA_ISA_AUTO);
        if (!ctx) {
            return CLI_BAD_INPUT;
        }
        bench.threads = lyra_context_thread_count(ctx);
        lyra_context_destroy(ctx);
    }
    if (baseline) {
        exit = bench_baseline_load(baseline, &bench.earlier);
        if (exit != CLI_OK) {
            return exit;
        }
    }
    bench.format = json ? BENCH_JSON : csv ? BENCH_CSV : BENCH_TABLE;
    print_calibration(&bench);
    exit = CLI_OK;
    for (int32_t s = 0; s < suite_count && exit == CLI_OK; ++s) {
        bool wanted = name_count == 0;
        for (int32_t i = 0; i < name_count; ++i) {
            wanted |= strcmp(names[i], suites[s].name) == 0;
        }
        if (wanted) {
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
