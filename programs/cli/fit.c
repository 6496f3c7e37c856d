// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra fit`: Prony series from measurements or from a constant quality factor, as a table, JSON, a
// chart, and keys of a scene.

#include "cli.h"

#include "lyra/plot.h"
#include "lyra/viscoelasticity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TWO_PI 6.28318530717958647693
#define CURVE 200 // points of a drawn fit
#define SCENE_ROOM 2048
#define POOR 0.25 // error of a series that is no fit

// what was asked for
typedef struct FitOptions {
    const char *chart, *kind;
    double ramp, poisson, error;             // NaN: without
    double q, low, high, modulus, reference; // constant-q
    int32_t branches;                        // 0: chosen
    bool young, json;
} FitOptions;

// what is fitted
typedef struct FitData {
    LyraPronyData rows; // of a constant Q: of Kjartansson's model, for the chart
    double *memory;
    double first, last; // of frequencies or times
    const char *source;
} FitData;

// the series for 1 branch, 2 ... and the one that is taken
typedef struct Fit {
    double errors[LYRA_RELAXATION_BRANCHES_MAX];
    int32_t tried;
    bool missed; // the error that was asked for
    LyraPronySeries series;
} Fit;

// ---- data ---------------------------------------------------------------------------------------

// copies a column; false after naming the row that has something else than expected
static bool take_column(const char *path, const LyraTableView *table, const char *name, bool zero,
                        double *out)
{
    const double *values = cli_column(table, name);
    for (int64_t row = 0; row < table->row_count; ++row) {
        double value = values[row];
        char found[CLI_NUMBER_MAX] = "no number";
        if (!isnan(value)) {
            cli_format_double(value, found);
        }
        if (!(value > 0 || (zero && value == 0)) || !isfinite(value)) {
            cli_fail("%s:%lld: found %s for \"%s\", expected a number %s", path,
                     (long long)table->lines[row], found, name, zero ? "from 0 up" : "above 0");
            return false;
        }
        out[row] = value;
    }
    return true;
}

static void find_ends(FitData *data)
{
    const double *at = data->rows.frequency ? data->rows.frequency : data->rows.time;
    data->first = INFINITY;
    data->last = 0;
    for (int32_t p = 0; p < data->rows.count; ++p) {
        data->first = fmin(data->first, at[p]);
        data->last = fmax(data->last, at[p]);
    }
}

// orders rows by their first column, for the chart
static int compare_rows(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

static void sort_rows(int32_t count, double *at, double *a, double *b)
{
    double(*rows)[3] = cli_allocate((size_t)count * sizeof *rows);
    for (int32_t p = 0; p < count; ++p) {
        rows[p][0] = at[p];
        rows[p][1] = a[p];
        rows[p][2] = b[p];
    }
    qsort(rows, (size_t)count, sizeof *rows, compare_rows);
    for (int32_t p = 0; p < count; ++p) {
        at[p] = rows[p][0];
        a[p] = rows[p][1];
        b[p] = rows[p][2];
    }
    free(rows);
}

static bool take_table(const char *path, const LyraTableView *table, const FitOptions *options,
                       FitData *data)
{
    bool dynamic =
        cli_column(table, "frequency") && cli_column(table, "storage") && cli_column(table, "loss");
    bool relaxation = cli_column(table, "time") && cli_column(table, "modulus");
    if (dynamic == relaxation) {
        char known[512] = "";
        for (int32_t c = 0; c < table->column_count && strlen(known) < 400; ++c) {
            size_t used = strlen(known);
            snprintf(known + used, sizeof known - used, "%s%.40s", c > 0 ? ", " : "",
                     table->names[c]);
        }
        cli_fail("%s: found the columns %s, expected either frequency, storage and loss, or time "
                 "and modulus",
                 path, known);
        return false;
    }
    if (dynamic && !isnan(options->ramp)) {
        cli_fail("%s: found frequencies, expected times with --ramp", path);
        return false;
    }
    if (table->row_count < 2 || table->row_count > INT32_MAX / 8) {
        cli_fail("%s: found %lld rows, expected at least 2%s", path, (long long)table->row_count,
                 table->row_count < 2 ? "" : " and fewer than that");
        return false;
    }
    int32_t count = (int32_t)table->row_count;
    data->memory = cli_allocate((size_t)count * 3 * sizeof *data->memory);
    double *at = data->memory, *a = at + count, *b = a + count;
    memset(b, 0, (size_t)count * sizeof *b);
    data->source = path;
    data->rows = (LyraPronyData){.count = count, .ramp = isnan(options->ramp) ? 0 : options->ramp};
    if (!take_column(path, table, dynamic ? "frequency" : "time", false, at) ||
        !take_column(path, table, dynamic ? "storage" : "modulus", false, a) ||
        (dynamic && !take_column(path, table, "loss", true, b))) {
        return false;
    }
    sort_rows(count, at, a, b);
    if (dynamic) {
        data->rows.frequency = at;
        data->rows.storage = a;
        data->rows.loss = b;
    } else {
        data->rows.time = at;
        data->rows.modulus = a;
    }
    find_ends(data);
    if (!(data->last > data->first)) {
        cli_fail("%s: found one %s only, expected at least 2", path,
                 dynamic ? "frequency" : "time");
        return false;
    }
    int32_t values = dynamic ? 2 * count : count, wanted = options->branches;
    wanted = wanted > 0 ? wanted : 1;
    if (2 * wanted + 1 > values) {
        cli_fail("%s: found %d moduli, expected at least %d for %d %s", path, (int)values,
                 (int)(2 * wanted + 1), (int)wanted, wanted > 1 ? "branches" : "branch");
        return false;
    }
    return true;
}

static bool load_data(LyraContext *ctx, const char *path, const FitOptions *options, FitData *data)
{
    LyraTable *csv = NULL;
    if (lyra_table_load(ctx, path, &csv) != LYRA_OK) {
        cli_failed();
        return false;
    }
    LyraTableView view = lyra_table_view(csv);
    bool good = take_table(path, &view, options, data);
    lyra_table_destroy(csv);
    return good;
}

// M = M_0 (i w/w_0)^(2 gamma), for the chart
static void sample_constant_q(const FitOptions *o, FitData *data)
{
    data->memory = cli_allocate((size_t)CURVE * 3 * sizeof *data->memory);
    double *at = data->memory, *storage = at + CURVE, *loss = storage + CURVE;
    double gamma = atan(1 / o->q) / (0.5 * TWO_PI);
    for (int32_t p = 0; p < CURVE; ++p) {
        at[p] = o->low * pow(o->high / o->low, (double)p / (CURVE - 1));
        double size = o->modulus * pow(at[p] / o->reference, 2 * gamma);
        storage[p] = size * cos(0.5 * TWO_PI * gamma);
        loss[p] = size * sin(0.5 * TWO_PI * gamma);
    }
    data->rows = (LyraPronyData){.count = CURVE, .frequency = at, .storage = storage, .loss = loss};
    data->source = "constant Q";
    find_ends(data);
}

// ---- the fit ------------------------------------------------------------------------------------

static LyraStatus fit_once(LyraContext *ctx, const FitOptions *o, const FitData *data,
                           int32_t branches, LyraPronySeries *out)
{
    if (o->q > 0) {
        return lyra_fit_constant_q(ctx, o->q, o->low, o->high, o->modulus, o->reference, branches,
                                   out);
    }
    return lyra_fit_prony(ctx, &data->rows, branches, out);
}

// the fit that is asked for, and the errors of those with fewer branches
static LyraStatus fit_all(LyraContext *ctx, const FitOptions *o, const FitData *data, Fit *fit)
{
    LyraStatus status = fit_once(ctx, o, data, o->branches, &fit->series);
    bool bounded = !isnan(o->error);
    int32_t count = o->branches > 0 ? o->branches : fit->series.branch_count;
    // and one more, to see what it would gain
    count += o->branches == 0 && count < LYRA_RELAXATION_BRANCHES_MAX;
    count = bounded ? LYRA_RELAXATION_BRANCHES_MAX : count;
    int32_t values = data->rows.frequency ? 2 * data->rows.count : data->rows.count;
    for (int32_t n = 1; n <= count && 2 * n + 1 <= values && status == LYRA_OK; ++n) {
        LyraPronySeries series = {.error = NAN};
        status = fit_once(ctx, o, data, n, &series);
        fit->errors[fit->tried++] = series.error;
        if (bounded && series.error <= o->error) {
            fit->series = series;
            return status;
        }
    }
    fit->missed = bounded;
    return status;
}

// G' and G'' at a frequency, or G(t) after a ramp
static void evaluate(const LyraPronySeries *s, const FitData *data, double at, double value[2])
{
    value[0] = s->equilibrium;
    value[1] = 0;
    for (int32_t k = 0; k < s->branch_count; ++k) {
        if (data->rows.frequency) {
            double y = TWO_PI * at * s->time[k], d = s->modulus[k] / (1 + y * y);
            value[0] += d * y * y;
            value[1] += d * y;
        } else {
            double r = data->rows.ramp / s->time[k];
            value[0] += s->modulus[k] * exp(-at / s->time[k]) * (r > 0 ? -expm1(-r) / r : 1);
        }
    }
}

// ---- results ------------------------------------------------------------------------------------

// a term of a series, as in a scene
static void append_term(char *text, size_t size, double time, double share)
{
    char term[80];
    snprintf(term, sizeof term, "{time: %.6g, share: %.6g}", time, share);
    cli_append(text, size, term);
}

// keys of a body; false where a law cannot hold the series
static bool write_scene(const FitOptions *o, const LyraPronySeries *s, char text[SCENE_ROOM])
{
    char terms[700] = "";
    if (!(s->equilibrium > 0)) {
        text[0] = '\0';
        return false;
    }
    for (int32_t k = 0; k < s->branch_count; ++k) {
        append_term(terms, sizeof terms, s->time[k], s->modulus[k] / s->equilibrium);
    }
    double young = o->young ? s->equilibrium : 2 * s->equilibrium * (1 + o->poisson);
    int length =
        snprintf(text, SCENE_ROOM, "material: {young: %.6g, poisson: %.6g}\n", young, o->poisson);
    if (s->branch_count > 0 && length > 0) {
        snprintf(text + length, SCENE_ROOM - (size_t)length,
                 "viscosity:\n  model: prony\n  shear: [%s]\n%s%s%s", terms,
                 o->young ? "  bulk: [" : "", o->young ? terms : "", o->young ? "]\n" : "");
    }
    return true;
}

// smallest and largest Q between the first and the last frequency
static void find_q(const Fit *fit, const FitData *data, double q[2])
{
    q[0] = INFINITY;
    q[1] = 0;
    for (int32_t p = 0; p < CURVE; ++p) {
        double at = data->first * pow(data->last / data->first, (double)p / (CURVE - 1)), value[2];
        evaluate(&fit->series, data, at, value);
        q[0] = fmin(q[0], value[0] / value[1]);
        q[1] = fmax(q[1], value[0] / value[1]);
    }
}

static void print_json(const FitOptions *o, const FitData *data, const Fit *fit, const char *scene)
{
    const LyraPronySeries *s = &fit->series;
    double shares[LYRA_RELAXATION_BRANCHES_MAX], all = s->equilibrium, q[2];
    for (int32_t k = 0; k < s->branch_count; ++k) {
        shares[k] = s->modulus[k] / s->equilibrium;
        all += s->modulus[k];
    }
    CliJson json = {.file = stdout};
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "data", data->source);
    cli_json_int(&json, "rows", data->rows.count);
    cli_json_int(&json, "branches", s->branch_count);
    cli_json_double(&json, "error", s->error);
    cli_json_double(&json, "equilibrium", s->equilibrium);
    cli_json_double(&json, "instantaneous", all);
    cli_json_doubles(&json, "times", s->branch_count, s->time);
    cli_json_doubles(&json, "moduli", s->branch_count, s->modulus);
    cli_json_doubles(&json, "shares", s->branch_count, shares);
    cli_json_doubles(&json, "errors", fit->tried, fit->errors);
    if (o->q > 0) {
        find_q(fit, data, q);
        cli_json_double(&json, "q_min", q[0]);
        cli_json_double(&json, "q_max", q[1]);
    }
    cli_json_text(&json, "scene", scene);
    cli_json_close(&json, '}');
}

static void print_text(const FitOptions *o, const FitData *data, const Fit *fit, const char *scene)
{
    const LyraPronySeries *s = &fit->series;
    const char *unit = data->rows.frequency ? "Hz" : "s";
    if (o->q > 0) {
        printf("constant Q   %g, %g to %g Hz, |M| = %g Pa at %g Hz\n", o->q, o->low, o->high,
               o->modulus, o->reference);
    } else {
        printf("data         %s, %d rows, %g to %g %s\n", data->source, (int)data->rows.count,
               data->first, data->last, unit);
    }
    printf("\n%-12s %-12s\n", "branches", "error");
    for (int32_t n = 0; n < fit->tried; ++n) {
        printf("%-12d %-12.4g%s\n", (int)n + 1, fit->errors[n],
               n + 1 == s->branch_count ? "taken" : "");
    }
    printf("\n%-12s %-12s %-12s\n", "time s", "modulus Pa", "share");
    printf("%-12s %-12.6g\n", "at rest", s->equilibrium);
    for (int32_t k = 0; k < s->branch_count; ++k) {
        printf("%-12.6g %-12.6g %-12.6g\n", s->time[k], s->modulus[k],
               s->modulus[k] / s->equilibrium);
    }
    if (o->q > 0) {
        double q[2];
        find_q(fit, data, q);
        printf("\nQ of the fit %.4g to %.4g in the band\n", q[0], q[1]);
    }
    if (scene[0]) {
        printf("\n# keys of a body\n%s", scene);
    } else {
        printf("\n# nothing is left at rest: no law holds this series\n");
    }
}

static bool draw(LyraContext *ctx, const FitOptions *o, const FitData *data, const Fit *fit)
{
    double at[CURVE], first[CURVE], second[CURVE];
    for (int32_t p = 0; p < CURVE; ++p) {
        double value[2];
        at[p] = data->first * pow(data->last / data->first, (double)p / (CURVE - 1));
        evaluate(&fit->series, data, at[p], value);
        first[p] = value[0];
        second[p] = value[1];
    }
    bool dynamic = data->rows.frequency != NULL;
    const LyraPronyData *rows = &data->rows;
    LyraPlotSeries lines[4];
    int32_t count = 0;
    if (dynamic) {
        lines[count++] = (LyraPlotSeries){"storage", rows->count, rows->frequency, rows->storage};
        lines[count++] = (LyraPlotSeries){"loss", rows->count, rows->frequency, rows->loss};
        lines[count++] = (LyraPlotSeries){"storage, fit", CURVE, at, first};
        lines[count++] = (LyraPlotSeries){"loss, fit", CURVE, at, second};
    } else {
        lines[count++] = (LyraPlotSeries){"modulus", rows->count, rows->time, rows->modulus};
        lines[count++] = (LyraPlotSeries){"modulus, fit", CURVE, at, first};
    }
    char title[96];
    snprintf(title, sizeof title, "Prony series of %d branches, error %.2g %%",
             (int)fit->series.branch_count, 100 * fit->series.error);
    LyraPlotDef def = lyra_plot_def_default();
    def.title = title;
    def.x_label = dynamic ? "frequency [Hz]" : "time [s]";
    def.y_label = "modulus [Pa]";
    def.log_x = def.log_y = true;
    if (lyra_plot_save(ctx, &def, count, lines, o->chart) != LYRA_OK) {
        cli_failed();
        return false;
    }
    return true;
}

static double find_smallest(const Fit *fit)
{
    double smallest = INFINITY;
    for (int32_t n = 0; n < fit->tried; ++n) {
        smallest = fmin(smallest, fit->errors[n]);
    }
    return smallest;
}

// fits, draws, prints
static CliExit report(LyraContext *ctx, const FitOptions *o, const FitData *data)
{
    Fit fit = {0};
    char scene[SCENE_ROOM];
    if (fit_all(ctx, o, data, &fit) != LYRA_OK) {
        return cli_failed();
    }
    if (fit.missed) {
        return cli_fail("%s: no series of up to %d branches has an error of %g or less; the "
                        "smallest is %.3g",
                        data->source, (int)fit.tried, o->error, find_smallest(&fit));
    }
    if (o->chart && !draw(ctx, o, data, &fit)) {
        return CLI_BAD_INPUT;
    }
    write_scene(o, &fit.series, scene);
    if (o->json) {
        print_json(o, data, &fit, scene);
    } else {
        print_text(o, data, &fit, scene);
    }
    if (fit.series.error > POOR) {
        fprintf(stderr,
                "lyra: warning: %s: the series is off by %.2g %%; one relaxes, so it fits storage "
                "that grows with frequency and moduli that fall with time\n",
                data->source, 100 * fit.series.error);
    }
    return cli_finish_output();
}

// ---- the commands -------------------------------------------------------------------------------

// checks what both commands have; CLI_OK to go on
static CliExit check_options(const CliUsage *usage, FitOptions *o)
{
    if (o->branches < 0 || o->branches > LYRA_RELAXATION_BRANCHES_MAX) {
        return cli_usage_error(usage, "--branches is %d, expected 1 to %d, or 0 to choose",
                               (int)o->branches, LYRA_RELAXATION_BRANCHES_MAX);
    }
    if (!isnan(o->error) && (o->branches > 0 || !(o->error > 0))) {
        return cli_usage_error(usage, o->branches > 0 ? "--branches and --error exclude each other"
                                                      : "--error needs a number above 0");
    }
    o->young = o->kind && strcmp(o->kind, "young") == 0;
    if (o->kind && !o->young && strcmp(o->kind, "shear") != 0) {
        return cli_usage_error(usage, "--kind is \"%s\", expected shear or young", o->kind);
    }
    if (!(o->poisson > -1 && o->poisson < 0.5)) {
        return cli_usage_error(usage, "--poisson is %g, expected a number above -1 and below 0.5",
                               o->poisson);
    }
    return CLI_OK;
}

#define SHARED_OPTIONS                                                                             \
    {"--branches", CLI_COUNT, &o.branches, "N",                                                    \
     "branches, up to 8 (default: until one more gains less than a fifth)"},                       \
        {"--error", CLI_DOUBLE, &o.error, "E",                                                     \
         "as few branches as have at most this relative error, 0.02 for 2 %"},                     \
        {"--kind", CLI_TEXT, &o.kind, "NAME",                                                      \
         "the modulus: shear (default), which leaves the volume elastic, or young"},               \
        {"--poisson", CLI_DOUBLE, &o.poisson, "NU", "Poisson's ratio at rest (default 0.45)"},     \
        {"--plot", CLI_TEXT, &o.chart, "FILE", "chart of data and fit, .svg, .png or .ppm"},       \
    {                                                                                              \
        "--json", CLI_FLAG, &o.json, NULL, "print one JSON document"                               \
    }

static CliExit fit_prony(int argument_count, char **arguments)
{
    FitOptions o = {.ramp = NAN, .error = NAN, .poisson = lyra_solid_def_default().poisson};
    const CliOption table[] = {
        {"--ramp", CLI_DOUBLE, &o.ramp, "S",
         "seconds that it took to reach the strain; times count from its end (default 0)"},
        SHARED_OPTIONS,
        {0},
    };
    const CliUsage usage = {
        .command = "lyra fit prony",
        .positional = "DATA.csv",
        .description =
            "Fits a Prony series to complex moduli (columns frequency, storage, loss; Hz, Pa) or "
            "to a\nrelaxation (columns time, modulus; s, Pa), and prints the keys of a scene.",
        .example = "lyra fit prony liver.csv --plot liver.svg",
        .options = table,
    };
    const char *path;
    CliExit exit;
    if (!cli_parse(&usage, argument_count, arguments, &path, NULL, &exit)) {
        return exit;
    }
    exit = check_options(&usage, &o);
    if (exit != CLI_OK) {
        return exit;
    }
    if (o.ramp < 0) {
        return cli_usage_error(&usage, "--ramp is %g, expected a number from 0 up", o.ramp);
    }
    LyraContext *ctx = cli_context(1, LYRA_ISA_AUTO);
    FitData data = {0};
    exit = ctx && load_data(ctx, path, &o, &data) ? report(ctx, &o, &data) : CLI_BAD_INPUT;
    free(data.memory);
    lyra_context_destroy(ctx);
    return exit;
}

static CliExit fit_constant_q(int argument_count, char **arguments)
{
    FitOptions o = {
        .ramp = NAN, .error = NAN, .poisson = lyra_solid_def_default().poisson, .reference = NAN};
    const CliOption table[] = {
        {"--q", CLI_DOUBLE, &o.q, "Q",
         "quality factor: 4 pi times stored over lost energy (required)"},
        {"--low", CLI_DOUBLE, &o.low, "HZ", "lowest frequency of the band (required)"},
        {"--high", CLI_DOUBLE, &o.high, "HZ", "highest frequency of the band (required)"},
        {"--modulus", CLI_DOUBLE, &o.modulus, "PA", "modulus at the reference (required)"},
        {"--reference", CLI_DOUBLE, &o.reference, "HZ",
         "frequency of --modulus (default: the middle of the band)"},
        SHARED_OPTIONS,
        {0},
    };
    const CliUsage usage = {
        .command = "lyra fit constant-q",
        .positional = "",
        .description = "Fits a Prony series to Kjartansson's model, which loses the same part of "
                       "the energy per cycle\nat all frequencies, and prints the keys of a scene.",
        .example = "lyra fit constant-q --q 4.8 --low 0.1 --high 1e4 --modulus 2500 --reference 2",
        .options = table,
    };
    CliExit exit;
    if (!cli_parse(&usage, argument_count, arguments, NULL, NULL, &exit)) {
        return exit;
    }
    exit = check_options(&usage, &o);
    if (exit != CLI_OK) {
        return exit;
    }
    if (!(o.q > 0 && o.low > 0 && o.high > o.low && o.modulus > 0)) {
        return cli_usage_error(&usage, "expected --q, --low below --high, and --modulus, all above "
                                       "0");
    }
    if (isnan(o.reference)) {
        o.reference = sqrt(o.low) * sqrt(o.high);
    }
    if (!(o.reference > 0)) {
        return cli_usage_error(&usage, "--reference is %g, expected a number above 0", o.reference);
    }
    LyraContext *ctx = cli_context(1, LYRA_ISA_AUTO);
    FitData data = {0};
    sample_constant_q(&o, &data);
    exit = ctx ? report(ctx, &o, &data) : CLI_BAD_INPUT;
    free(data.memory);
    lyra_context_destroy(ctx);
    return exit;
}

CliExit cli_fit(int argument_count, char **arguments)
{
    static const CliCommand commands[] = {
        {"prony", "fit a Prony series to measurements", fit_prony},
        {"constant-q", "fit a Prony series to a constant quality factor", fit_constant_q},
        {0},
    };
    return cli_dispatch("lyra fit", commands, argument_count, arguments);
}
