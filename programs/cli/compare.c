// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra compare`: how far two runs are apart, body by body and energy by energy, at the times that
// both have. It reads what `lyra run --out` wrote.

#include "cli.h"

#include "lyra/matrix_file.h"
#include "lyra/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// times are one where they differ by less than this part of the longer one
#define SAME_TIME 1e-9

#define NAME_MAX_CHARS 200

/// A body as summary.json has it; names as they are written there.
typedef struct CompareBody {
    char name[NAME_MAX_CHARS], files[NAME_MAX_CHARS];
    int64_t first, count;
    double *rest; // [count][3]; NULL: not written
} CompareBody;

typedef struct CompareRun {
    const char *folder;
    int32_t body_count;
    CompareBody *bodies;
    int64_t frame_count;
    double *times; // of frames; NULL: no frames
    LyraTable *steps;
    LyraTableView table;
    int32_t time_column;
} CompareRun;

/// How far two things are apart.
typedef struct Difference {
    const char *name, *unit;
    double largest, at; // and when
    int64_t vertex;     // where; -1: of a single number
    double sum;         // of squares
    int64_t count;
    double scale; // the largest number that was compared
} Difference;

typedef struct Comparison {
    CompareRun runs[2];
    LyraContext *ctx;
    int64_t frame_count, step_count; // times that both have
    int32_t body_count, column_count;
    Difference *bodies, *columns;
} Comparison;

// ---- reading ------------------------------------------------------------------------------------

// "FOLDER/NAME", to free()
static char *path_in(const char *folder, const char *name, const char *end)
{
    size_t room = strlen(folder) + strlen(name) + strlen(end) + 2;
    char *path = cli_allocate(room);
    snprintf(path, room, "%s/%s%s", folder, name, end);
    return path;
}

// the whole of a text file, to free(); NULL without one
static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t room = 1 << 16, length = 0, got;
    char *text = file ? cli_allocate(room) : NULL;
    while (file && (got = fread(text + length, 1, room - length - 1, file)) > 0) {
        length += got;
        if (room - length < 2) {
            char *grown = cli_allocate(2 * room);
            memcpy(grown, text, length);
            free(text);
            text = grown;
            room *= 2;
        }
    }
    if (file) {
        text[length] = '\0';
        fclose(file);
    }
    return text;
}

// what stands behind "key": before `end`; NULL without
static const char *find_value(const char *from, const char *end, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *at = strstr(from, quoted);
    return at && at < end ? at + strlen(quoted) : NULL;
}

// a text with its escapes, which hold no quote that ends it
static bool read_name(const char *from, const char *end, const char *key, char out[NAME_MAX_CHARS])
{
    const char *at = find_value(from, end, key);
    size_t length = 0;
    if (!at || *at++ != '"') {
        return false;
    }
    while (at[length] && at[length] != '"' && length + 3 < NAME_MAX_CHARS) {
        length += at[length] == '\\' && at[length + 1] ? 2 : 1;
    }
    memcpy(out, at, length);
    out[length] = '\0';
    return at[length] == '"';
}

static bool read_whole(const char *from, const char *end, const char *key, int64_t *out)
{
    const char *at = find_value(from, end, key);
    char *stop = NULL;
    *out = at ? strtoll(at, &stop, 10) : 0;
    return at && stop != at && *out >= 0;
}

static bool read_bodies(CompareRun *run, const char *text)
{
    // a line break stands in no name
    const char *list = strstr(text, "\"bodies\": ["), *end = list ? strstr(list, "\n  ]") : NULL;
    for (const char *at = list; end; ++run->body_count) {
        const char *open = strchr(at, '{'), *close = open ? strstr(open, "\n    }") : NULL;
        if (!open || open > end) {
            return true;
        }
        CompareBody *grown = cli_allocate(((size_t)run->body_count + 1) * sizeof *run->bodies);
        if (run->body_count > 0) {
            memcpy(grown, run->bodies, (size_t)run->body_count * sizeof *grown);
        }
        free(run->bodies);
        run->bodies = grown;
        CompareBody *body = &run->bodies[run->body_count];
        *body = (CompareBody){0};
        if (!close || !read_name(open, close, "name", body->name) ||
            !read_name(open, close, "files", body->files) ||
            !read_whole(open, close, "first_vertex", &body->first) ||
            !read_whole(open, close, "vertices", &body->count)) {
            return false;
        }
        at = close;
    }
    return false;
}

static bool read_summary(CompareRun *run)
{
    char *path = path_in(run->folder, "summary.json", ""), *text = read_text(path);
    bool good = text != NULL;
    if (!text) {
        cli_fail("%s: not the folder of a run, as it has no summary.json", run->folder);
    } else if (!read_bodies(run, text)) {
        cli_fail("%s: not the summary of a run, as it has no list of bodies", path);
        good = false;
    }
    free(text);
    free(path);
    return good;
}

// all numbers of a file of one dimension, to free(); NULL after printing the reason
static double *read_vector(LyraContext *ctx, const char *path, int64_t *count)
{
    LyraDense *dense = NULL;
    if (lyra_dense_load_npy(ctx, path, &dense) != LYRA_OK) {
        cli_failed();
        return NULL;
    }
    LyraDenseView view = lyra_dense_view(dense);
    *count = (int64_t)view.rows * view.columns;
    double *out = cli_allocate((size_t)*count * sizeof *out);
    if (*count > 0) {
        memcpy(out, view.values, (size_t)*count * sizeof *out);
    }
    lyra_dense_destroy(dense);
    return out;
}

static bool read_rest(LyraContext *ctx, CompareRun *run, CompareBody *body)
{
    char *path = path_in(run->folder, body->files, "_rest.npy");
    int64_t count = 0;
    bool good = true;
    if (access(path, F_OK) == 0) {
        body->rest = read_vector(ctx, path, &count);
        good = body->rest != NULL;
        if (good && count != 3 * body->count) {
            cli_fail("%s: found %lld numbers, expected %lld for %lld vertices", path,
                     (long long)count, (long long)(3 * body->count), (long long)body->count);
            good = false;
        }
    }
    free(path);
    return good;
}

static bool read_frames(LyraContext *ctx, CompareRun *run)
{
    char *path = path_in(run->folder, "time.npy", "");
    bool good = true;
    if (access(path, F_OK) == 0) {
        run->times = read_vector(ctx, path, &run->frame_count);
        good = run->times != NULL;
    }
    free(path);
    for (int32_t b = 0; good && run->times && b < run->body_count; ++b) {
        good = read_rest(ctx, run, &run->bodies[b]);
    }
    return good;
}

static bool read_steps(LyraContext *ctx, CompareRun *run)
{
    char *path = path_in(run->folder, "steps.csv", "");
    bool good = lyra_table_load(ctx, path, &run->steps) == LYRA_OK;
    if (!good) {
        cli_failed();
    } else {
        run->table = lyra_table_view(run->steps);
        run->time_column = lyra_table_find(&run->table, "time");
        good = run->time_column >= 0;
        if (!good) {
            cli_fail("%s: found no column \"time\", expected one", path);
        }
    }
    free(path);
    return good;
}

static bool read_run(LyraContext *ctx, CompareRun *run)
{
    return read_summary(run) && read_frames(ctx, run) && read_steps(ctx, run);
}

static void end_run(CompareRun *run)
{
    for (int32_t b = 0; b < run->body_count; ++b) {
        free(run->bodies[b].rest);
    }
    free(run->bodies);
    free(run->times);
    lyra_table_destroy(run->steps);
}

// ---- comparing ----------------------------------------------------------------------------------

static bool same_bodies(const Comparison *all)
{
    const CompareRun *a = &all->runs[0], *b = &all->runs[1];
    if (a->body_count != b->body_count) {
        cli_fail("%s has %d bodies and %s has %d: runs of the same bodies can be compared",
                 a->folder, a->body_count, b->folder, b->body_count);
        return false;
    }
    for (int32_t i = 0; i < a->body_count; ++i) {
        const CompareBody *x = &a->bodies[i], *y = &b->bodies[i];
        if (strcmp(x->name, y->name) != 0 || x->count != y->count || x->first != y->first) {
            cli_fail("body %d is \"%s\" with %lld vertices in %s and \"%s\" with %lld in %s: runs "
                     "of the same bodies can be compared",
                     i + 1, x->name, (long long)x->count, a->folder, y->name, (long long)y->count,
                     b->folder);
            return false;
        }
    }
    return true;
}

// Pairs of places at which ascending times agree: moves on to the next pair, false past the last.
// *i and *j start at -1.
static bool next_pair(int64_t count_a, const double *a, int64_t count_b, const double *b,
                      int64_t *i, int64_t *j)
{
    ++*i, ++*j;
    while (*i < count_a && *j < count_b) {
        double longer = fmax(fabs(a[*i]), fabs(b[*j]));
        if (fabs(a[*i] - b[*j]) <= SAME_TIME * longer) {
            return true;
        }
        // a time that is none ends the search
        if (!(a[*i] < b[*j]) && !(a[*i] > b[*j])) {
            return false;
        }
        ++*(a[*i] < b[*j] ? i : j);
    }
    return false;
}

static void note(Difference *difference, double distance, double size, double time, int64_t vertex)
{
    // what is no number is far from everything
    if (!(distance <= difference->largest) && !isnan(difference->largest)) {
        difference->largest = distance;
        difference->at = time;
        difference->vertex = vertex;
    }
    difference->scale = fmax(difference->scale, size);
    difference->sum += distance * distance;
    ++difference->count;
}

// a frame of displacements, [vertices] x 3 by columns
static bool load_frame(const Comparison *all, const CompareRun *run, int64_t frame, LyraDense **out)
{
    char *path = path_in(run->folder, "displacement.npy", "");
    const CompareBody *last = run->body_count > 0 ? &run->bodies[run->body_count - 1] : NULL;
    int64_t vertices = last ? last->first + last->count : 0;
    bool good = lyra_dense_load_npy_frame(all->ctx, path, frame, out) == LYRA_OK;
    if (!good) {
        cli_failed();
    } else if (lyra_dense_view(*out).rows != vertices || lyra_dense_view(*out).columns != 3) {
        cli_fail("%s: found frames of %d by %d numbers, expected %lld by 3", path,
                 lyra_dense_view(*out).rows, lyra_dense_view(*out).columns, (long long)vertices);
        good = false;
    }
    free(path);
    return good;
}

static void compare_body(const Comparison *all, int32_t body, const LyraDenseView frames[2],
                         double time, Difference *difference)
{
    const CompareBody *a = &all->runs[0].bodies[body], *b = &all->runs[1].bodies[body];
    bool rest = a->rest && b->rest;
    for (int64_t v = 0; v < a->count; ++v) {
        double d[3], size[2] = {0};
        for (int64_t c = 0; c < 3; ++c) {
            int64_t at = a->first + v + frames[0].rows * c;
            double x = frames[0].values[at], y = frames[1].values[at];
            d[c] = y - x;
            if (rest) {
                d[c] += b->rest[v + a->count * c] - a->rest[v + a->count * c];
            }
            size[0] = hypot(size[0], x);
            size[1] = hypot(size[1], y);
        }
        note(difference, hypot(hypot(d[0], d[1]), d[2]), fmax(size[0], size[1]), time, v);
    }
}

static bool compare_frames(Comparison *all)
{
    const CompareRun *a = &all->runs[0], *b = &all->runs[1];
    int64_t i = -1, j = -1;
    all->bodies = cli_allocate(((size_t)a->body_count + 1) * sizeof *all->bodies);
    for (int32_t k = 0; k < a->body_count; ++k) {
        all->bodies[k] = (Difference){.name = a->bodies[k].name, .unit = "m", .largest = -1};
    }
    while (next_pair(a->frame_count, a->times, b->frame_count, b->times, &i, &j)) {
        LyraDense *frames[2] = {NULL, NULL};
        bool good = load_frame(all, a, i, &frames[0]) && load_frame(all, b, j, &frames[1]);
        if (good) {
            const LyraDenseView views[2] = {lyra_dense_view(frames[0]), lyra_dense_view(frames[1])};
            for (int32_t k = 0; k < a->body_count; ++k) {
                compare_body(all, k, views, a->times[i], &all->bodies[k]);
            }
        }
        lyra_dense_destroy(frames[0]);
        lyra_dense_destroy(frames[1]);
        if (!good) {
            return false;
        }
        ++all->frame_count;
    }
    all->body_count = a->body_count;
    return true;
}

static const double *column(const CompareRun *run, int32_t index)
{
    return run->table.values + (int64_t)index * run->table.row_count;
}

// columns of energies, and those of probes, which stand behind the last one of a step
static void choose_columns(Comparison *all)
{
    static const char *const energies[] = {"kinetic", "elastic", "plastic_total", "viscous_total",
                                           "work_total"};
    const CompareRun *a = &all->runs[0], *b = &all->runs[1];
    all->columns = cli_allocate(((size_t)a->table.column_count + 1) * sizeof *all->columns);
    int32_t seconds = lyra_table_find(&a->table, "seconds");
    for (int32_t c = 0; c < a->table.column_count; ++c) {
        const char *name = a->table.names[c];
        bool energy = false;
        for (int e = 0; e < 5; ++e) {
            energy |= strcmp(name, energies[e]) == 0;
        }
        bool probe = seconds >= 0 && c > seconds;
        if ((energy || probe) && lyra_table_find(&b->table, name) >= 0) {
            all->columns[all->column_count++] =
                (Difference){.name = name, .unit = energy ? "J" : "", .largest = -1, .vertex = -1};
        }
    }
}

static void compare_steps(Comparison *all)
{
    const CompareRun *a = &all->runs[0], *b = &all->runs[1];
    const double *times_a = column(a, a->time_column), *times_b = column(b, b->time_column);
    int64_t i = -1, j = -1;
    choose_columns(all);
    while (next_pair(a->table.row_count, times_a, b->table.row_count, times_b, &i, &j)) {
        for (int32_t c = 0; c < all->column_count; ++c) {
            Difference *difference = &all->columns[c];
            double x = column(a, lyra_table_find(&a->table, difference->name))[i];
            double y = column(b, lyra_table_find(&b->table, difference->name))[j];
            note(difference, fabs(y - x), fmax(fabs(x), fabs(y)), times_a[i], -1);
        }
        ++all->step_count;
    }
}

static bool compare(Comparison *all)
{
    const CompareRun *a = &all->runs[0], *b = &all->runs[1];
    if (!same_bodies(all)) {
        return false;
    }
    compare_steps(all);
    if (a->times && b->times && !compare_frames(all)) {
        return false;
    }
    // a frame of the start, which all runs have, says nothing of them
    if (all->step_count == 0 && all->frame_count < 2) {
        cli_fail("%s and %s have no common times after the start: take the same --duration, and "
                 "steps of which one divides the other",
                 a->folder, b->folder);
        return false;
    }
    return true;
}

// ---- telling ------------------------------------------------------------------------------------

static double rms(const Difference *difference)
{
    return difference->count > 0 ? sqrt(difference->sum / (double)difference->count) : NAN;
}

static double part(const Difference *difference, double of)
{
    return difference->scale > 0 ? of / difference->scale : of > 0 ? INFINITY : 0;
}

static void print_rows(int32_t count, const Difference *list, const char *what)
{
    printf("\n%-24s %12s %12s %12s %12s %10s\n", what, "largest", "of largest", "rms", "at t s",
           list[0].vertex >= 0 ? "vertex" : "");
    for (int32_t i = 0; i < count; ++i) {
        const Difference *d = &list[i];
        printf("%-24s %9.4g %-2s %12.3g %9.4g %-2s %12.6g", d->name, d->largest, d->unit,
               part(d, d->largest), rms(d), d->unit, d->at);
        if (d->vertex >= 0) {
            printf(" %10lld", (long long)d->vertex);
        }
        printf("\n");
    }
}

static void print_text(const Comparison *all)
{
    printf("%lld common steps, %lld common frames\n", (long long)all->step_count,
           (long long)all->frame_count);
    if (all->frame_count > 0 && all->body_count > 0) {
        print_rows(all->body_count, all->bodies, "positions of body");
    } else {
        printf("no positions: both runs need frames, of --save-every\n");
    }
    if (all->step_count > 0 && all->column_count > 0) {
        print_rows(all->column_count, all->columns, "energy or probe");
    }
}

static void write_rows(CliJson *json, const char *key, int32_t count, const Difference *list)
{
    cli_json_open(json, key, '[');
    for (int32_t i = 0; i < count; ++i) {
        const Difference *d = &list[i];
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "name", d->name);
        cli_json_text(json, "unit", d->unit);
        cli_json_double(json, "largest", d->largest);
        cli_json_double(json, "largest_of_size", part(d, d->largest));
        cli_json_double(json, "rms", rms(d));
        cli_json_double(json, "size", d->scale);
        cli_json_double(json, "time", d->at);
        if (d->vertex >= 0) {
            cli_json_int(json, "vertex", d->vertex);
        }
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void print_json(const Comparison *all)
{
    CliJson json = {.file = stdout};
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "a", all->runs[0].folder);
    cli_json_text(&json, "b", all->runs[1].folder);
    cli_json_int(&json, "common_steps", all->step_count);
    cli_json_int(&json, "common_frames", all->frame_count);
    write_rows(&json, "bodies", all->frame_count > 0 ? all->body_count : 0, all->bodies);
    write_rows(&json, "columns", all->step_count > 0 ? all->column_count : 0, all->columns);
    cli_json_close(&json, '}');
}

CliExit cli_compare(int argument_count, char **arguments)
{
    bool as_json = false;
    const CliOption options[] = {
        {"--json", CLI_FLAG, &as_json, NULL, "print one JSON document"},
        {0},
    };
    const CliUsage usage = {
        .command = "lyra compare",
        .positional = "RUN_A RUN_B",
        .description = "Prints how far two runs of the same bodies are apart, at the times that "
                       "both have: for each\nbody the largest and the root mean square distance "
                       "of its vertices, for energies and probes\nthose of their values. The two "
                       "are folders of lyra run --out; positions need --save-every.",
        .example = "lyra compare coarse fine --json",
        .options = options,
    };
    const char *folders[2];
    CliExit exit;
    if (!cli_parse(&usage, argument_count, arguments, folders, NULL, &exit)) {
        return exit;
    }
    Comparison all = {.ctx = cli_context(1, LYRA_ISA_AUTO)};
    bool good = all.ctx != NULL;
    for (int r = 0; r < 2 && good; ++r) {
        all.runs[r].folder = folders[r];
        good = read_run(all.ctx, &all.runs[r]);
    }
    good = good && compare(&all);
    exit = CLI_BAD_INPUT;
    if (good) {
        if (as_json) {
            print_json(&all);
        } else {
            print_text(&all);
        }
        exit = cli_finish_output();
    }
    end_run(&all.runs[0]);
    end_run(&all.runs[1]);
    free(all.bodies);
    free(all.columns);
    lyra_context_destroy(all.ctx);
    return exit;
}
