// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the cases of `lyra verify` record: rows, notes, charts.

#include "verify.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static char *format_text(const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    size_t size = (size_t)(length > 0 ? length : 0) + 1;
    char *text = cli_allocate(size);
    text[0] = '\0';
    vsnprintf(text, size, format, list);
    return text;
}

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(cli_allocate(size), text, size);
}

// room for one more of `count` items of `size` bytes
static void *grow(void *items, int32_t count, int32_t *room, size_t size)
{
    if (count < *room) {
        return items;
    }
    *room = *room > 0 ? 2 * *room : 32;
    void *larger = cli_allocate((size_t)*room * size);
    if (count > 0) {
        memcpy(larger, items, (size_t)count * size);
    }
    free(items);
    return larger;
}

// ---- rows ---------------------------------------------------------------------------------------

// judges a row, takes its quantity from the list and keeps it
static void add_row(Verify *verify, VerifyRow row, const char *format, va_list list)
{
    double difference = fabs(row.ours - row.reference);
    row.error = row.kind == VERIFY_ABSOLUTE ? difference : difference / fabs(row.reference);
    switch (row.kind) {
    case VERIFY_RELATIVE:
    case VERIFY_ABSOLUTE:
        // a NaN does not pass
        row.pass = row.error <= row.tolerance;
        break;
    case VERIFY_RANGE:
        row.pass = row.ours >= row.low && row.ours <= row.high;
        break;
    case VERIFY_INFORMATION:
    case VERIFY_SKIPPED:
        row.pass = true;
        break;
    case VERIFY_FAILED:
        row.pass = false;
        break;
    }
    row.case_index = verify->run_count - 1;
    row.quantity = format_text(format, list);
    verify->rows = grow(verify->rows, verify->row_count, &verify->row_room, sizeof row);
    verify->rows[verify->row_count++] = row;
    if (verify->live) {
        verify_print_row(verify, &row);
    }
}

static VerifyRow row_of(VerifyKind kind, double reference, double ours, double tolerance,
                        double low, double high)
{
    return (VerifyRow){.kind = kind,
                       .reference = reference,
                       .ours = ours,
                       .error = NAN,
                       .tolerance = tolerance,
                       .low = low,
                       .high = high};
}

// for functions whose last parameters are `format` and what it names
#define ADD_ROW(...)                                                                               \
    do {                                                                                           \
        va_list list;                                                                              \
        va_start(list, format);                                                                    \
        add_row(verify, row_of(__VA_ARGS__), format, list);                                        \
        va_end(list);                                                                              \
    } while (0)

void verify_relative(Verify *verify, double reference, double ours, double tolerance,
                     const char *format, ...)
{
    ADD_ROW(VERIFY_RELATIVE, reference, ours, tolerance, NAN, NAN);
}

void verify_absolute(Verify *verify, double reference, double ours, double tolerance,
                     const char *format, ...)
{
    ADD_ROW(VERIFY_ABSOLUTE, reference, ours, tolerance, NAN, NAN);
}

void verify_range(Verify *verify, double low, double high, double ours, const char *format, ...)
{
    ADD_ROW(VERIFY_RANGE, NAN, ours, NAN, low, high);
}

void verify_information(Verify *verify, double reference, double ours, const char *format, ...)
{
    ADD_ROW(VERIFY_INFORMATION, reference, ours, NAN, NAN, NAN);
}

void verify_skip(Verify *verify, const char *format, ...)
{
    ADD_ROW(VERIFY_SKIPPED, NAN, NAN, NAN, NAN, NAN);
}

LYRA_PRINTF(2, 3) static void add_failure(Verify *verify, const char *format, ...)
{
    ADD_ROW(VERIFY_FAILED, NAN, NAN, NAN, NAN, NAN);
}

// a number with 6 digits, "" for NaN
static void format_number(double value, char text[32])
{
    text[0] = '\0';
    if (!isnan(value)) {
        // minus zero is zero
        snprintf(text, 32, "%.6g", value + 0.0);
    }
}

void verify_cells(const VerifyRow *row, VerifyCells *cells)
{
    format_number(row->reference, cells->reference);
    format_number(row->ours, cells->ours);
    cells->error[0] = cells->tolerance[0] = '\0';
    if (!isnan(row->error)) {
        snprintf(cells->error, sizeof cells->error, "%.1e%s", row->error,
                 row->kind == VERIFY_ABSOLUTE ? " abs" : "");
    }
    if (row->kind == VERIFY_RANGE) {
        char low[32], high[32];
        format_number(row->low, low);
        format_number(row->high, high);
        if (isinf(row->low)) {
            snprintf(cells->tolerance, sizeof cells->tolerance, "<= %s", high);
        } else if (isinf(row->high)) {
            snprintf(cells->tolerance, sizeof cells->tolerance, ">= %s", low);
        } else {
            snprintf(cells->tolerance, sizeof cells->tolerance, "%s to %s", low, high);
        }
    } else if (!isnan(row->tolerance)) {
        snprintf(cells->tolerance, sizeof cells->tolerance, "%.1e", row->tolerance);
    }
    cells->verdict = row->kind == VERIFY_INFORMATION ? "info"
                     : row->kind == VERIFY_SKIPPED   ? "skip"
                     : row->pass                     ? "pass"
                                                     : "FAIL";
}

// ---- notes and charts ---------------------------------------------------------------------------

void verify_note(Verify *verify, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *text = format_text(format, list);
    va_end(list);
    VerifyRun *run = &verify->runs[verify->run_count - 1];
    size_t size = strlen(run->notes) + strlen(text) + 2;
    char *notes = cli_allocate(size);
    snprintf(notes, size, "%s%s\n", run->notes, text);
    free(run->notes);
    free(text);
    run->notes = notes;
}

VerifyPlot *verify_plot(Verify *verify, const char *name, const char *title, const char *x_label,
                        const char *y_label, bool log_x, bool log_y)
{
    verify->plots =
        grow(verify->plots, verify->plot_count, &verify->plot_room, sizeof *verify->plots);
    VerifyPlot *plot = &verify->plots[verify->plot_count++];
    *plot = (VerifyPlot){
        .case_index = verify->run_count - 1,
        .name = copy_text(name),
        .title = copy_text(title),
        .x_label = copy_text(x_label),
        .y_label = copy_text(y_label),
        .log_x = log_x,
        .log_y = log_y,
    };
    return plot;
}

void verify_series(VerifyPlot *plot, int32_t count, const double *x, const double *y,
                   const char *format, ...)
{
    if (plot->series_count == VERIFY_SERIES_MAX) {
        exit(cli_fail("chart %s: more than %d lines", plot->name, VERIFY_SERIES_MAX));
    }
    VerifySeries *series = &plot->series[plot->series_count++];
    size_t size = (size_t)count * sizeof *x;
    va_list list;
    va_start(list, format);
    *series = (VerifySeries){.name = format_text(format, list),
                             .count = count,
                             .x = cli_allocate(size),
                             .y = cli_allocate(size)};
    va_end(list);
    if (count > 0) {
        memcpy(series->x, x, size);
        memcpy(series->y, y, size);
    }
}

// ---- runs ---------------------------------------------------------------------------------------

CliExit verify_run_case(Verify *verify, const VerifyCase *what, int32_t threads)
{
    verify->ctx = cli_context(threads, LYRA_ISA_AUTO);
    if (!verify->ctx) {
        return CLI_BAD_INPUT;
    }
    verify->runs = grow(verify->runs, verify->run_count, &verify->run_room, sizeof *verify->runs);
    verify->runs[verify->run_count++] = (VerifyRun){.what = what, .notes = copy_text("")};
    LyraStatus status = what->run(verify);
    if (status != LYRA_OK) {
        add_failure(verify, "broke off: %s", lyra_error_message());
    }
    size_t left = lyra_context_byte_count(verify->ctx);
    if (left > 0) {
        // the context stays as well: what was kept may still look at it
        add_failure(verify, "%zu bytes were not given back", left);
    } else {
        lyra_context_destroy(verify->ctx);
    }
    verify->ctx = NULL;
    return CLI_OK;
}

int32_t verify_failure_count(const Verify *verify)
{
    int32_t count = 0;
    for (int32_t i = 0; i < verify->row_count; ++i) {
        count += !verify->rows[i].pass;
    }
    return count;
}

CliExit verify_judge(const Verify *verify)
{
    return verify_failure_count(verify) > 0 ? CLI_BAD_INPUT : CLI_OK;
}

void verify_end(Verify *verify)
{
    for (int32_t i = 0; i < verify->run_count; ++i) {
        free(verify->runs[i].notes);
    }
    for (int32_t i = 0; i < verify->row_count; ++i) {
        free(verify->rows[i].quantity);
    }
    for (int32_t i = 0; i < verify->plot_count; ++i) {
        VerifyPlot *plot = &verify->plots[i];
        for (int32_t s = 0; s < plot->series_count; ++s) {
            free(plot->series[s].name);
            free(plot->series[s].x);
            free(plot->series[s].y);
        }
        free(plot->name);
        free(plot->title);
        free(plot->x_label);
        free(plot->y_label);
    }
    free(verify->runs);
    free(verify->rows);
    free(verify->plots);
    *verify = (Verify){0};
}
