// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "bench.h"

#include "bench_calibrate.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct {
    const char *name;
    BenchSuite *run;
} suites[] = {
    {"math", bench_math},   {"sparse", bench_sparse}, {"io", bench_io},
    {"embed", bench_embed}, {"forces", bench_forces}, {"solvers", bench_solvers},
    {"step", bench_step},   {"volume", bench_volume}, {NULL, NULL},
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

void bench_note(const Bench *bench, const char *format, ...)
{
    if (bench->format != BENCH_TABLE) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
}

static void print_table_row(const Bench *bench, const BenchRow *row, double ns, double median_ns,
                            double twin_ns)
{
    printf("%-28s %-22s %2d %-8s %10.3f %10.3f ns/%-8s", row->name, row->subject, row->threads,
           lyra_isa_name(row->isa), ns, median_ns, row->unit);
    if (row->bytes > 0) {
        double speed = row->bytes / row->time.minimum;
        double roof = row->threads > 1 ? bench->read_bandwidth_all : bench->read_bandwidth;
        printf(" %6.1f GB/s %3.0f%%", 1e-9 * speed, 100 * speed / roof);
    }
    if (row->flops > 0) {
        double speed = row->flops / row->time.minimum;
        double roof = row->threads > 1 ? bench->flops_all : bench->flops;
        printf(" %6.1f GF/s %3.0f%%", 1e-9 * speed, 100 * speed / roof);
    }
    if (row->solve) {
        const BenchSolve *solve = row->solve;
        printf(" = %9.3f ms; analyze %9.3f factor %9.3f solve %9.3f ms, %4d it, %7.1f MB, %.0e",
               1e3 * row->time.minimum, 1e3 * solve->analyze, 1e3 * solve->factor,
               1e3 * solve->solve, solve->iterations, 1e-6 * (double)solve->bytes, solve->residual);
    }
    if (twin_ns > 0) {
        printf("  %s %.3f (%.1fx)", row->twin_name ? row->twin_name : "twin", twin_ns,
               twin_ns / ns);
    }
    printf("\n");
    fflush(stdout);
}

// one field of a row, in quotes where it holds a comma or quotes, which are doubled
static void print_csv_text(const char *text)
{
    if (!strpbrk(text, ",\"")) {
        printf("%s,", text);
        return;
    }
    putchar('"');
    for (; *text; ++text) {
        if (*text == '"') {
            putchar('"');
        }
        putchar(*text);
    }
    printf("\",");
}

void bench_row(Bench *bench, const BenchRow *row)
{
    double ns = 1e9 * row->time.minimum / row->items;
    double median_ns = 1e9 * row->time.median / row->items;
    double twin_ns = 1e9 * row->twin.minimum / row->items;
    char key[64];
    switch (bench->format) {
    case BENCH_TABLE:
        print_table_row(bench, row, ns, median_ns, twin_ns);
        break;
    case BENCH_CSV:
        print_csv_text(bench->suite);
        print_csv_text(row->name);
        print_csv_text(row->subject);
        printf("%.0f,%s,%d,%s,%.6g,%.6g,%.6g,%.6g,%.6g", row->items, row->unit, row->threads,
               lyra_isa_name(row->isa), ns, median_ns, twin_ns, row->bytes / row->time.minimum,
               row->flops / row->time.minimum);
        if (row->solve) {
            printf(",%s,%.6g,%.6g,%.6g,%d,%lld,%.3g", row->solve->solver, row->solve->analyze,
                   row->solve->factor, row->solve->solve, row->solve->iterations,
                   (long long)row->solve->bytes, row->solve->residual);
        } else {
            printf(",,,,,,,");
        }
        printf("\n");
        fflush(stdout);
        break;
    case BENCH_JSON:
        cli_json_open(&bench->json, NULL, '{');
        cli_json_text(&bench->json, "suite", bench->suite);
        cli_json_text(&bench->json, "name", row->name);
        cli_json_text(&bench->json, "mesh", row->subject);
        snprintf(key, sizeof key, "%ss", row->unit);
        cli_json_double(&bench->json, key, row->items);
        cli_json_int(&bench->json, "threads", row->threads);
        cli_json_text(&bench->json, "isa", lyra_isa_name(row->isa));
        snprintf(key, sizeof key, "ns_per_%s", row->unit);
        cli_json_double(&bench->json, key, ns);
        snprintf(key, sizeof key, "median_ns_per_%s", row->unit);
        cli_json_double(&bench->json, key, median_ns);
        if (twin_ns > 0) {
            snprintf(key, sizeof key, "twin_ns_per_%s", row->unit);
            cli_json_double(&bench->json, key, twin_ns);
        }
        if (row->bytes > 0) {
            cli_json_double(&bench->json, "bytes_per_second", row->bytes / row->time.minimum);
        }
        if (row->flops > 0) {
            cli_json_double(&bench->json, "flops_per_second", row->flops / row->time.minimum);
        }
        if (row->solve) {
            cli_json_text(&bench->json, "solver", row->solve->solver);
            cli_json_double(&bench->json, "seconds", row->time.minimum);
            cli_json_double(&bench->json, "analyze_seconds", row->solve->analyze);
            cli_json_double(&bench->json, "factor_seconds", row->solve->factor);
            cli_json_double(&bench->json, "solve_seconds", row->solve->solve);
            cli_json_int(&bench->json, "iterations", row->solve->iterations);
            cli_json_int(&bench->json, "memory_bytes", row->solve->bytes);
            cli_json_double(&bench->json, "residual", row->solve->residual);
        }
        cli_json_close(&bench->json, '}');
        break;
    }
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
               "factor_seconds,solve_seconds,iterations,memory_bytes,residual\n");
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
    const CliOption options[] = {
        {"--threads", CLI_INT, &bench.threads, "N", "most threads to use (default: all cores)"},
        {"--mesh", CLI_TEXT, &bench.mesh, "FILE",
         "measure on this mesh instead of a generated one"},
        {"--model", CLI_TEXT, &bench.model, "NAME",
         "only this model in the suites forces and step"},
        {"--fixed", CLI_TEXT, &bench.fixed, "FILE",
         "list of the vertices, from 1, that hold the body of the suite step"},
        {"--solver", CLI_TEXT, &bench.solver, "NAME", "only this solver in the suite solvers"},
        {"--dt", CLI_DOUBLE, &bench.dt, "H", "only this time step, in s, in the suite solvers"},
        {"--elements", CLI_INT, &bench.elements, "N",
         "one mesh of about N elements in the suites solvers and step"},
        {"--seconds", CLI_DOUBLE, &bench.seconds, "S", "time for each figure (default 0.5)"},
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
    if (json) {
        cli_json_close(&bench.json, ']');
        cli_json_close(&bench.json, '}');
    }
    return exit == CLI_OK ? cli_finish_output() : exit;
}
