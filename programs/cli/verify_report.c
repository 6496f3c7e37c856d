// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The reports of `lyra verify`: a table of text, JSON, a page of HTML, Markdown with pictures.

#include "verify.h"

#include "lyra/plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- text ---------------------------------------------------------------------------------------

#define LINE "%-18s %-62s %13s %13s %12s %16s  %s\n"

void verify_print_head(FILE *file)
{
    fprintf(file, LINE, "case", "quantity", "reference", "ours", "error", "tolerance", "");
}

void verify_print_row(const Verify *verify, const VerifyRow *row)
{
    VerifyCells cells;
    verify_cells(row, &cells);
    fprintf(verify->live, LINE, verify->runs[row->case_index].what->name, row->quantity,
            cells.reference, cells.ours, cells.error, cells.tolerance, cells.verdict);
    fflush(verify->live);
}

// ---- JSON ---------------------------------------------------------------------------------------

static void print_json_row(const VerifyRow *row, CliJson *json)
{
    static const char *const kinds[] = {
        [VERIFY_RELATIVE] = "relative", [VERIFY_ABSOLUTE] = "absolute",
        [VERIFY_RANGE] = "range",       [VERIFY_INFORMATION] = "information",
        [VERIFY_SKIPPED] = "skipped",   [VERIFY_FAILED] = "failed",
    };
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "quantity", row->quantity);
    cli_json_text(json, "kind", kinds[row->kind]);
    if (row->kind != VERIFY_SKIPPED && row->kind != VERIFY_FAILED) {
        cli_json_double(json, "ours", row->ours);
    }
    if (row->kind == VERIFY_RANGE) {
        cli_json_double(json, "low", row->low);
        cli_json_double(json, "high", row->high);
    }
    if (!isnan(row->reference)) {
        cli_json_double(json, "reference", row->reference);
        cli_json_double(json, "error", row->error);
    }
    if (!isnan(row->tolerance)) {
        cli_json_double(json, "tolerance", row->tolerance);
    }
    cli_json_bool(json, "pass", row->pass);
    cli_json_close(json, '}');
}

static void print_json_plot(const VerifyPlot *plot, CliJson *json)
{
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "name", plot->name);
    cli_json_text(json, "x_label", plot->x_label);
    cli_json_text(json, "y_label", plot->y_label);
    cli_json_open(json, "series", '[');
    for (int32_t s = 0; s < plot->series_count; ++s) {
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "name", plot->series[s].name);
        cli_json_doubles(json, "x", plot->series[s].count, plot->series[s].x);
        cli_json_doubles(json, "y", plot->series[s].count, plot->series[s].y);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    cli_json_close(json, '}');
}

void verify_print_json(const Verify *verify, FILE *file)
{
    CliJson json = {.file = file};
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "version", lyra_version());
    cli_json_bool(&json, "quick", verify->quick);
    cli_json_bool(&json, "pass", verify_failure_count(verify) == 0);
    cli_json_int(&json, "failures", verify_failure_count(verify));
    cli_json_open(&json, "cases", '[');
    for (int32_t r = 0; r < verify->run_count; ++r) {
        const VerifyRun *run = &verify->runs[r];
        cli_json_open(&json, NULL, '{');
        cli_json_text(&json, "name", run->what->name);
        cli_json_text(&json, "group", run->what->group);
        cli_json_text(&json, "summary", run->what->summary);
        cli_json_open(&json, "rows", '[');
        for (int32_t i = 0; i < verify->row_count; ++i) {
            if (verify->rows[i].case_index == r) {
                print_json_row(&verify->rows[i], &json);
            }
        }
        cli_json_close(&json, ']');
        cli_json_open(&json, "plots", '[');
        for (int32_t i = 0; i < verify->plot_count; ++i) {
            if (verify->plots[i].case_index == r) {
                print_json_plot(&verify->plots[i], &json);
            }
        }
        cli_json_close(&json, ']');
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, ']');
    cli_json_close(&json, '}');
}

// ---- charts -------------------------------------------------------------------------------------

static CliExit save_plot(const VerifyPlot *plot, const char *path)
{
    LyraContext *ctx = cli_context(1, LYRA_ISA_AUTO);
    if (!ctx) {
        return CLI_BAD_INPUT;
    }
    LyraPlotSeries series[VERIFY_SERIES_MAX];
    for (int32_t s = 0; s < plot->series_count; ++s) {
        series[s] = (LyraPlotSeries){.name = plot->series[s].name,
                                     .count = plot->series[s].count,
                                     .x = plot->series[s].x,
                                     .y = plot->series[s].y};
    }
    LyraPlotDef def = lyra_plot_def_default();
    def.width = 800;
    def.height = 480;
    def.title = plot->title;
    def.x_label = plot->x_label;
    def.y_label = plot->y_label;
    def.log_x = plot->log_x;
    def.log_y = plot->log_y;
    LyraStatus status = lyra_plot_save(ctx, &def, plot->series_count, series, path);
    lyra_context_destroy(ctx);
    return status == LYRA_OK ? CLI_OK : cli_failed();
}

// ends a file; says so if it could not all be written
static CliExit close_file(FILE *file, const char *path)
{
    bool bad = ferror(file) != 0;
    bad |= fclose(file) != 0;
    return bad ? cli_fail("%s: could not be written: %s", path, strerror(errno)) : CLI_OK;
}

// ---- HTML ---------------------------------------------------------------------------------------

// a chart as a picture inside the page: the names inside one SVG (of its clip path) are its own
static CliExit write_html_plot(FILE *file, const VerifyPlot *plot, const char *page)
{
    size_t size = strlen(page) + 16;
    char *path = cli_allocate(size);
    snprintf(path, size, "%s.chart.svg", page);
    CliExit exit = save_plot(plot, path);
    FILE *svg = exit == CLI_OK ? fopen(path, "rb") : NULL;
    if (exit == CLI_OK && !svg) {
        exit = cli_fail("%s: %s", path, strerror(errno));
    }
    if (svg) {
        fprintf(file, "<img alt=\"");
        cli_write_html_text(file, plot->title);
        fprintf(file, "\" src=\"data:image/svg+xml,");
        for (int c = fgetc(svg); c != EOF; c = fgetc(svg)) {
            // what RFC 3986 leaves unreserved stands as it is
            bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                         (c >= 'a' && c <= 'z') || (c > 0 && strchr("-._~", c));
            fprintf(file, plain ? "%c" : "%%%02X", c);
        }
        fprintf(file, "\">\n");
        fclose(svg);
    }
    remove(path);
    free(path);
    return exit;
}

static void write_html_row(FILE *file, const VerifyRow *row)
{
    VerifyCells cells;
    verify_cells(row, &cells);
    fprintf(file, "<tr class=\"%s\"><td>", cells.verdict);
    cli_write_html_text(file, row->quantity);
    fprintf(file, "</td><td>%s</td><td>%s</td><td>%s</td><td>", cells.reference, cells.ours,
            cells.error);
    cli_write_html_text(file, cells.tolerance);
    fprintf(file, "</td><td>%s</td></tr>\n", cells.verdict);
}

static CliExit write_html_case(FILE *file, const Verify *verify, int32_t r, const char *page)
{
    const VerifyRun *run = &verify->runs[r];
    fprintf(file, "<h2 id=\"%s\">%s</h2>\n<p>", run->what->name, run->what->name);
    cli_write_html_text(file, run->what->summary);
    fprintf(file, ".</p>\n");
    for (const char *note = run->notes; *note; note += strcspn(note, "\n") + 1) {
        char *line = cli_allocate(strcspn(note, "\n") + 1);
        snprintf(line, strcspn(note, "\n") + 1, "%s", note);
        fprintf(file, "<p>");
        cli_write_html_text(file, line);
        fprintf(file, "</p>\n");
        free(line);
    }
    fprintf(file, "<table>\n<tr><th>quantity</th><th>reference</th><th>ours</th><th>error</th>"
                  "<th>tolerance</th><th></th></tr>\n");
    for (int32_t i = 0; i < verify->row_count; ++i) {
        if (verify->rows[i].case_index == r) {
            write_html_row(file, &verify->rows[i]);
        }
    }
    fprintf(file, "</table>\n");
    CliExit exit = CLI_OK;
    for (int32_t i = 0; i < verify->plot_count && exit == CLI_OK; ++i) {
        if (verify->plots[i].case_index == r) {
            exit = write_html_plot(file, &verify->plots[i], page);
        }
    }
    return exit;
}

CliExit verify_write_html(const Verify *verify, const char *path)
{
    FILE *file = fopen(path, "wb");
    if (!file) {
        return cli_fail("%s: %s", path, strerror(errno));
    }
    fprintf(
        file,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
        "<title>Lyra %s: verification</title>\n<style>\n"
        "body { font: 15px/1.4 sans-serif; max-width: 72em; margin: 2em auto; padding: 0 1em }\n"
        "table { border-collapse: collapse; margin: 1em 0 }\n"
        "th, td { padding: 0.15em 0.8em; text-align: right; border-bottom: 1px solid #ddd }\n"
        "th:first-child, td:first-child { text-align: left }\n"
        ".FAIL { background: #fdd; font-weight: bold } .info, .skip { color: #666 }\n"
        "img { max-width: 100%% }\n</style></head><body>\n",
        lyra_version());
    int32_t failures = verify_failure_count(verify);
    fprintf(file, "<h1>Lyra %s: verification</h1>\n<p>%d rows of %d cases, %s; ", lyra_version(),
            verify->row_count, verify->run_count, verify->quick ? "the quick form" : "in full");
    fprintf(file, "%s.", failures == 0 ? "all pass" : "not all pass");
    if (failures > 0) {
        fprintf(file, " <b>%d do not.</b>", failures);
    }
    fprintf(file, " Errors are relative unless marked abs.</p>\n<ul>\n");
    for (int32_t r = 0; r < verify->run_count; ++r) {
        fprintf(file, "<li><a href=\"#%s\">%s</a>: ", verify->runs[r].what->name,
                verify->runs[r].what->name);
        cli_write_html_text(file, verify->runs[r].what->summary);
        fprintf(file, "</li>\n");
    }
    fprintf(file, "</ul>\n");
    CliExit exit = CLI_OK;
    for (int32_t r = 0; r < verify->run_count && exit == CLI_OK; ++r) {
        exit = write_html_case(file, verify, r, path);
    }
    fprintf(file, "</body></html>\n");
    CliExit closed = close_file(file, path);
    return exit == CLI_OK ? closed : exit;
}

// ---- Markdown -----------------------------------------------------------------------------------

static CliExit write_markdown_plot(FILE *file, const VerifyPlot *plot, const char *pictures)
{
    size_t size = strlen(pictures) + strlen(plot->name) + 16;
    char *path = cli_allocate(size);
    snprintf(path, size, "%s/verify_%s.svg", pictures, plot->name);
    CliExit exit = save_plot(plot, path);
    free(path);
    // the page stands beside the folder of its pictures
    const char *slash = strrchr(pictures, '/');
    fprintf(file, "![%s](%s/verify_%s.svg)\n\n", plot->title, slash ? slash + 1 : pictures,
            plot->name);
    return exit;
}

// prose in lines of at most 120 columns
static void write_paragraph(FILE *file, const char *text, size_t length)
{
    const char *end = text + length;
    size_t column = 0;
    while (text < end) {
        size_t word = 0;
        while (text + word < end && text[word] != ' ') {
            ++word;
        }
        bool wraps = column > 0 && column + 1 + word > 120;
        if (column > 0) {
            fputc(wraps ? '\n' : ' ', file);
        }
        fwrite(text, 1, word, file);
        column = (wraps || column == 0 ? 0 : column + 1) + word;
        text += word;
        while (text < end && *text == ' ') {
            ++text;
        }
    }
    fprintf(file, "\n\n");
}

static CliExit write_markdown_case(FILE *file, const Verify *verify, int32_t r,
                                   const char *pictures)
{
    const VerifyRun *run = &verify->runs[r];
    fprintf(file, "## %s\n\n%s.\n\n", run->what->name, run->what->summary);
    for (const char *note = run->notes; *note; note += strcspn(note, "\n") + 1) {
        write_paragraph(file, note, strcspn(note, "\n"));
    }
    fprintf(file, "| quantity | reference | ours | error | tolerance | |\n"
                  "|---|---:|---:|---:|---:|---|\n");
    for (int32_t i = 0; i < verify->row_count; ++i) {
        if (verify->rows[i].case_index == r) {
            VerifyCells cells;
            verify_cells(&verify->rows[i], &cells);
            fprintf(file, "| %s | %s | %s | %s | %s | %s |\n", verify->rows[i].quantity,
                    cells.reference, cells.ours, cells.error, cells.tolerance, cells.verdict);
        }
    }
    fprintf(file, "\n");
    CliExit exit = CLI_OK;
    for (int32_t i = 0; i < verify->plot_count && pictures && exit == CLI_OK; ++i) {
        if (verify->plots[i].case_index == r) {
            exit = write_markdown_plot(file, &verify->plots[i], pictures);
        }
    }
    return exit;
}

// what the rows of a case come to
typedef struct Tally {
    int32_t judged, failed;
    double worst; // error over tolerance, of the rows that have both
} Tally;

static Tally tally_case(const Verify *verify, int32_t r)
{
    Tally tally = {0};
    for (int32_t i = 0; i < verify->row_count; ++i) {
        const VerifyRow *row = &verify->rows[i];
        if (row->case_index != r || row->kind == VERIFY_INFORMATION ||
            row->kind == VERIFY_SKIPPED) {
            continue;
        }
        ++tally.judged;
        tally.failed += !row->pass;
        if (row->tolerance > 0) {
            tally.worst = fmax(tally.worst, row->error / row->tolerance);
        }
    }
    return tally;
}

static void write_markdown_summary(FILE *file, const Verify *verify)
{
    fprintf(file,
            "| case | | rows judged | worst error / tolerance | |\n|---|---|---:|---:|---|\n");
    for (int32_t r = 0; r < verify->run_count; ++r) {
        const VerifyCase *what = verify->runs[r].what;
        Tally tally = tally_case(verify, r);
        fprintf(file, "| [%s](#%s) | %s | %d | %.2g | %s |\n", what->name, what->name,
                what->summary, tally.judged, tally.worst, tally.failed > 0 ? "FAIL" : "pass");
    }
    fprintf(file, "\n");
}

CliExit verify_write_markdown(const Verify *verify, const char *path, const char *pictures)
{
    FILE *file = fopen(path, "wb");
    if (!file) {
        return cli_fail("%s: %s", path, strerror(errno));
    }
    int32_t failures = verify_failure_count(verify);
    fprintf(
        file,
        "# Verification\n\nThis page shows how accurate Lyra is, compared with closed forms, "
        "published benchmarks and other\ncodes. Run `lyra verify CASE` to repeat a case on your "
        "machine; `lyra verify` wrote this page\n(%s%s, `--markdown` and `--pictures`). Errors "
        "are relative unless marked abs; rows marked info are\nshown and not judged.\n\n%d rows of "
        "%d cases: %s.\n\n",
        verify->quick ? "`--quick`, " : "", "version " LYRA_VERSION, verify->row_count,
        verify->run_count, failures == 0 ? "all pass" : "not all pass");
    write_markdown_summary(file, verify);
    CliExit exit = CLI_OK;
    for (int32_t r = 0; r < verify->run_count && exit == CLI_OK; ++r) {
        exit = write_markdown_case(file, verify, r, pictures);
    }
    CliExit closed = close_file(file, path);
    return exit == CLI_OK ? closed : exit;
}
