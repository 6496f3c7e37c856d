// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Rows of `lyra bench` as a table, as comma-separated values and as JSON.

#include "bench_baseline.h"

#include <stdarg.h>
#include <string.h>

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
                            double twin_ns, const BenchChange *change)
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
    if (row->choice) {
        printf("  best %.3f ms by %s, ratio %.2f", 1e3 * row->choice->best, row->choice->name,
               row->choice->chosen / row->choice->best);
    }
    if (row->ratio) {
        printf(" = %9.3f ms, ratio %.3f; %.1f Newton, %.1f linear iterations, %s",
               1e3 * row->time.minimum, row->ratio->ratio, row->ratio->newton, row->ratio->linear,
               row->ratio->solver);
    }
    if (row->memory > 0) {
        printf(" %9.3f MB %7.1f B/%s", 1e-6 * (double)row->memory, (double)row->memory / row->items,
               row->unit);
    }
    if (twin_ns > 0) {
        printf("  %s %.3f (%.1fx)", row->twin_name ? row->twin_name : "twin", twin_ns,
               twin_ns / ns);
    }
    if (change && change->verdict == BENCH_NEW) {
        printf("  new");
    } else if (change) {
        printf("  was %.3f (%+.1f %%)%s%s", change->ns, 100 * (ns / change->ns - 1),
               change->verdict == BENCH_SAME ? "" : " ",
               change->verdict == BENCH_SAME ? "" : bench_verdict_name(change->verdict));
        if (change->memory_differs) {
            printf(", memory was %.3f MB", 1e-6 * (double)change->memory);
        }
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

static void print_csv_row(const Bench *bench, const BenchRow *row, double ns, double median_ns,
                          double twin_ns, const BenchChange *change)
{
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
        printf(",,,,,,");
        printf(row->memory > 0 ? "%lld," : ",", (long long)row->memory);
    }
    if (change) {
        printf(",%.6g,%s", change->ns, bench_verdict_name(change->verdict));
    }
    printf("\n");
    fflush(stdout);
}

static void print_json_row(Bench *bench, const BenchRow *row, double ns, double median_ns,
                           double twin_ns, const BenchChange *change)
{
    char key[64];
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
    if (row->choice) {
        cli_json_double(&bench->json, "auto", row->choice->chosen);
        cli_json_double(&bench->json, "best", row->choice->best);
        cli_json_text(&bench->json, "best_solver", row->choice->name);
        cli_json_double(&bench->json, "ratio", row->choice->chosen / row->choice->best);
    }
    if (row->ratio) {
        cli_json_text(&bench->json, "solver", row->ratio->solver);
        cli_json_double(&bench->json, "ms", 1e3 * row->time.minimum);
        cli_json_double(&bench->json, "ratio", row->ratio->ratio);
        cli_json_double(&bench->json, "newton_iterations", row->ratio->newton);
        cli_json_double(&bench->json, "linear_iterations", row->ratio->linear);
    }
    if (row->memory > 0) {
        cli_json_int(&bench->json, "memory_bytes", row->memory);
    }
    if (change) {
        cli_json_double(&bench->json, "baseline", change->ns);
        cli_json_text(&bench->json, "verdict", bench_verdict_name(change->verdict));
    }
    cli_json_close(&bench->json, '}');
}

void bench_row(Bench *bench, const BenchRow *row)
{
    double ns = 1e9 * row->time.minimum / row->items;
    double median_ns = 1e9 * row->time.median / row->items;
    double twin_ns = 1e9 * row->twin.minimum / row->items;
    BenchChange compared, *change = NULL;
    if (bench->earlier) {
        compared = bench_baseline_compare(bench, row);
        change = &compared;
    }
    switch (bench->format) {
    case BENCH_TABLE:
        print_table_row(bench, row, ns, median_ns, twin_ns, change);
        break;
    case BENCH_CSV:
        print_csv_row(bench, row, ns, median_ns, twin_ns, change);
        break;
    case BENCH_JSON:
        print_json_row(bench, row, ns, median_ns, twin_ns, change);
        break;
    }
}
