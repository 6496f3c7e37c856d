// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Reading earlier results. Both forms are read into lists of named texts, one list per row, of
// which the few that matter are kept. Of JSON, what a bench prints is accepted: after "rows", an
// array of objects whose values are texts and numbers.

#include "bench_baseline.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS_MAX 40
#define TEXT_MAX 160

typedef struct Earlier {
    char suite[TEXT_MAX], name[TEXT_MAX], mesh[TEXT_MAX], isa[TEXT_MAX];
    double threads, ns, median, memory;
} Earlier;

struct BenchBaseline {
    const char *path;
    int32_t count, capacity;
    Earlier *rows;
    int32_t verdicts[4], memory; // how many rows got each, and how many differ in memory
};

// where a reader stands
typedef struct Reader {
    const char *path, *at;
    int32_t line;
} Reader;

// one row as read: what its columns are called and what stands in them
typedef struct Fields {
    int32_t count;
    char keys[FIELDS_MAX][TEXT_MAX], values[FIELDS_MAX][TEXT_MAX];
} Fields;

static CliExit fail_at(const Reader *reader, const char *expected)
{
    return cli_fail("%s:%d: expected %s", reader->path, (int)reader->line, expected);
}

// ---- rows ---------------------------------------------------------------------------------------

static const char *find_text(const Fields *fields, const char *key)
{
    for (int32_t i = 0; i < fields->count; ++i) {
        if (strcmp(fields->keys[i], key) == 0) {
            return fields->values[i];
        }
    }
    return NULL;
}

// a number under a key that begins with `prefix`: per what, the rest of the key says
static double find_number(const Fields *fields, const char *prefix)
{
    for (int32_t i = 0; i < fields->count; ++i) {
        if (strncmp(fields->keys[i], prefix, strlen(prefix)) == 0 && fields->values[i][0]) {
            char *end = NULL;
            double value = strtod(fields->values[i], &end);
            return *end ? NAN : value;
        }
    }
    return 0;
}

static CliExit add_row(BenchBaseline *baseline, const Reader *reader, const Fields *fields)
{
    const char *texts[4] = {find_text(fields, "suite"), find_text(fields, "name"),
                            find_text(fields, "mesh"), find_text(fields, "isa")};
    Earlier row = {.threads = find_number(fields, "threads"),
                   .ns = find_number(fields, "ns_per_"),
                   .median = find_number(fields, "median_ns_per_"),
                   .memory = find_number(fields, "memory_bytes")};
    char *places[4] = {row.suite, row.name, row.mesh, row.isa};
    for (int32_t i = 0; i < 4; ++i) {
        if (!texts[i]) {
            return fail_at(reader, "a row of lyra bench, with suite, name, mesh and isa");
        }
        snprintf(places[i], TEXT_MAX, "%s", texts[i]);
    }
    if (!(row.ns > 0 && row.median >= row.ns && row.threads >= 1 && row.memory >= 0)) {
        return fail_at(reader, "positive times and a number of threads");
    }
    if (baseline->count == baseline->capacity) {
        int32_t capacity = 2 * baseline->capacity + 64;
        Earlier *rows = cli_allocate((size_t)capacity * sizeof *rows);
        if (baseline->count > 0) {
            memcpy(rows, baseline->rows, (size_t)baseline->count * sizeof *rows);
        }
        free(baseline->rows);
        baseline->rows = rows;
        baseline->capacity = capacity;
    }
    baseline->rows[baseline->count++] = row;
    return CLI_OK;
}

// ---- comma-separated values ---------------------------------------------------------------------

// one cell, and what ends it: a comma, or the end of the line; false if it does not fit
static bool read_cell(Reader *reader, char value[TEXT_MAX], bool *last)
{
    size_t length = 0;
    bool quoted = *reader->at == '"';
    reader->at += quoted;
    for (; *reader->at; ++reader->at) {
        char c = *reader->at;
        if (quoted && c == '"') {
            if (reader->at[1] != '"') {
                quoted = false;
                continue;
            }
            ++reader->at;
        } else if (!quoted && (c == ',' || c == '\n')) {
            break;
        }
        if (length + 1 >= TEXT_MAX || c == '\n') {
            return false;
        }
        if (c != '\r') {
            value[length++] = c;
        }
    }
    value[length] = '\0';
    *last = *reader->at != ',';
    reader->line += *reader->at == '\n';
    reader->at += *reader->at != '\0';
    return !quoted;
}

// cells of a line; false if there are too many or one is broken
static bool read_line(Reader *reader, char cells[FIELDS_MAX][TEXT_MAX], int32_t *count)
{
    bool last = false;
    for (*count = 0; !last; ++*count) {
        if (*count == FIELDS_MAX || !read_cell(reader, cells[*count], &last)) {
            return false;
        }
    }
    return true;
}

static CliExit read_csv(Reader *reader, Fields *fields, BenchBaseline *baseline)
{
    if (!read_line(reader, fields->keys, &fields->count)) {
        return fail_at(reader, "the names of columns");
    }
    while (*reader->at) {
        Reader before = *reader;
        int32_t cells = 0;
        if (!read_line(reader, fields->values, &cells) || cells != fields->count) {
            return fail_at(&before, "as many cells as there are columns");
        }
        CliExit exit = add_row(baseline, &before, fields);
        if (exit != CLI_OK) {
            return exit;
        }
    }
    return CLI_OK;
}

// ---- JSON ---------------------------------------------------------------------------------------

static char next_sign(Reader *reader)
{
    while (*reader->at == ' ' || *reader->at == '\n' || *reader->at == '\t' ||
           *reader->at == '\r') {
        reader->line += *reader->at == '\n';
        ++reader->at;
    }
    return *reader->at;
}

// takes `sign` if it is next
static bool take(Reader *reader, char sign)
{
    bool found = next_sign(reader) == sign;
    reader->at += found;
    return found;
}

// a text in quotes, or a number as text
static bool read_value(Reader *reader, char value[TEXT_MAX])
{
    size_t length = 0;
    bool quoted = take(reader, '"');
    for (; *reader->at; ++reader->at) {
        char c = *reader->at;
        if (quoted ? c == '"' : strchr(",}] \r\n", c) != NULL) {
            break;
        }
        if (quoted && c == '\\') {
            c = *++reader->at;
        }
        if (c == '\0' || c == '\n' || length + 1 >= TEXT_MAX) {
            return false;
        }
        value[length++] = c;
    }
    value[length] = '\0';
    return quoted ? take(reader, '"') : length > 0;
}

static CliExit read_json(Reader *reader, Fields *fields, BenchBaseline *baseline)
{
    const char *rows = strstr(reader->at, "\"rows\"");
    for (; reader->at < rows; ++reader->at) {
        reader->line += *reader->at == '\n';
    }
    reader->at += rows ? strlen("\"rows\"") : 0;
    if (!rows || !take(reader, ':') || !take(reader, '[')) {
        return fail_at(reader, "an array \"rows\"");
    }
    while (take(reader, '{')) {
        Reader before = *reader;
        fields->count = 0;
        do {
            if (fields->count == FIELDS_MAX || !read_value(reader, fields->keys[fields->count]) ||
                !take(reader, ':') || !read_value(reader, fields->values[fields->count])) {
                return fail_at(reader, "a name, a colon, and a text or a number");
            }
            ++fields->count;
        } while (take(reader, ','));
        if (!take(reader, '}')) {
            return fail_at(reader, "a comma or the end of the row");
        }
        CliExit exit = add_row(baseline, &before, fields);
        if (exit != CLI_OK) {
            return exit;
        }
        if (!take(reader, ',')) {
            break;
        }
    }
    return take(reader, ']') && take(reader, '}') ? CLI_OK : fail_at(reader, "the end of the rows");
}

// ---- files --------------------------------------------------------------------------------------

// the text of a file, to free(); NULL with errno set
static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    if (!file) {
        return NULL;
    }
    size_t length = 0, size = 0, got;
    do {
        if (length + 1 >= size) {
            size = 2 * size + 65536;
            char *larger = cli_allocate(size);
            memcpy(larger, text ? text : "", length);
            free(text);
            text = larger;
        }
        got = fread(text + length, 1, size - length - 1, file);
        length += got;
    } while (got > 0);
    text[length] = '\0';
    // a folder opens, and then has nothing to read
    if (ferror(file)) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

CliExit bench_baseline_load(const char *path, BenchBaseline **out)
{
    char *text = read_text(path);
    if (!text) {
        return cli_fail("%s: %s", path, strerror(errno));
    }
    BenchBaseline *baseline = cli_allocate(sizeof *baseline);
    Fields *fields = cli_allocate(sizeof *fields);
    *baseline = (BenchBaseline){.path = path};
    *fields = (Fields){0};
    Reader reader = {.path = path, .at = text, .line = 1};
    CliExit exit = next_sign(&reader) == '{' ? read_json(&reader, fields, baseline)
                                             : read_csv(&reader, fields, baseline);
    if (exit == CLI_OK && baseline->count == 0) {
        exit = cli_fail("%s: no rows of lyra bench", path);
    }
    free(fields);
    free(text);
    if (exit != CLI_OK) {
        bench_baseline_destroy(baseline);
        return exit;
    }
    *out = baseline;
    return CLI_OK;
}

void bench_baseline_destroy(BenchBaseline *baseline)
{
    if (baseline) {
        free(baseline->rows);
        free(baseline);
    }
}

// ---- comparing ----------------------------------------------------------------------------------

const char *bench_verdict_name(BenchVerdict verdict)
{
    static const char *const names[] = {"new", "same", "faster", "slower"};
    return names[verdict];
}

BenchChange bench_baseline_compare(const Bench *bench, const BenchRow *row)
{
    BenchBaseline *baseline = bench->earlier;
    BenchChange change = {.verdict = BENCH_NEW};
    int64_t bytes = row->solve ? row->solve->bytes : row->memory;
    for (int32_t i = 0; i < baseline->count; ++i) {
        const Earlier *earlier = &baseline->rows[i];
        if (strcmp(earlier->suite, bench->suite) != 0 || strcmp(earlier->name, row->name) != 0 ||
            strcmp(earlier->mesh, row->subject) != 0 || earlier->threads != row->threads ||
            strcmp(earlier->isa, lyra_isa_name(row->isa)) != 0) {
            continue;
        }
        double ns = 1e9 * row->time.minimum / row->items;
        double spread = 1e9 * row->time.median / row->items - ns + earlier->median - earlier->ns;
        change.ns = earlier->ns;
        change.verdict = fabs(ns - earlier->ns) <= spread ? BENCH_SAME
                         : ns < earlier->ns               ? BENCH_FASTER
                                                          : BENCH_SLOWER;
        change.memory = (int64_t)earlier->memory;
        change.memory_differs = bytes > 0 && change.memory > 0 && bytes != change.memory;
        break;
    }
    ++baseline->verdicts[change.verdict];
    baseline->memory += change.memory_differs;
    return change;
}

void bench_baseline_summary(const Bench *bench)
{
    const BenchBaseline *baseline = bench->earlier;
    if (baseline) {
        bench_note(bench,
                   "against %s: %d faster, %d slower, %d within the noise, %d without an earlier "
                   "row; %d differ in memory",
                   baseline->path, (int)baseline->verdicts[BENCH_FASTER],
                   (int)baseline->verdicts[BENCH_SLOWER], (int)baseline->verdicts[BENCH_SAME],
                   (int)baseline->verdicts[BENCH_NEW], (int)baseline->memory);
        if (baseline->verdicts[BENCH_NEW] > 0 && baseline->verdicts[BENCH_FASTER] +
                                                         baseline->verdicts[BENCH_SLOWER] +
                                                         baseline->verdicts[BENCH_SAME] ==
                                                     0) {
            bench_note(bench, "nothing to compare: rows are the same if suite, name, mesh, threads "
                              "and instruction set are");
        }
    }
}
