// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What is said of each step, as a row of steps.csv or as a line of JSON, and of the whole run.

#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

// ---- a step -------------------------------------------------------------------------------------

// p = sum of M v, L = sum of x cross M v
static void find_momenta(Run *run)
{
    LyraStateView state = lyra_state_view(run->view.state);
    LyraModelView model = lyra_model_view(run->view.model);
    lyra_system_apply_mass(run->view.system, state.v, run->momentum);
    const double *u = lyra_vector_values(state.u), *p = lyra_vector_values(run->momentum);
    memset(run->linear, 0, sizeof run->linear);
    memset(run->angular, 0, sizeof run->angular);
    for (int64_t k = 0; k < model.vertex_count; ++k) {
        for (int i = 0; i < 3 && !(model.scalar && model.scalar[k]); ++i) {
            int j = (i + 1) % 3, l = (i + 2) % 3;
            double xj = model.positions[3 * k + j] + u[3 * k + j];
            double xl = model.positions[3 * k + l] + u[3 * k + l];
            run->linear[i] += p[3 * k + i];
            run->angular[i] += xj * p[3 * k + l] - xl * p[3 * k + j];
        }
    }
}

bool run_read_probes(Run *run)
{
    LyraProbeView view = {0};
    for (int32_t c = 0; c < run->column_count; ++c) {
        RunColumn *column = &run->columns[c];
        if (column->component == 0 &&
            lyra_world_probe(run->world, column->probe, &view) != LYRA_OK) {
            cli_failed();
            return false;
        }
        column->value = view.values[column->component];
    }
    return true;
}

bool run_record_step(Run *run)
{
    const LyraStepReport *report = &run->report;
    RunTotals *totals = &run->totals;
    find_momenta(run);
    snprintf(run->solver, sizeof run->solver, "%s", report->solver ? report->solver : "");
    totals->newton_iterations += report->newton_iterations;
    totals->linear_iterations += report->linear_iterations;
    totals->rejected += report->rejected;
    totals->plastic += report->plastic;
    totals->viscous += report->viscous;
    totals->viscous_least = fmin(totals->viscous_least, report->viscous);
    totals->work += report->work;
    totals->change += report->change;
    totals->numerical += report->numerical;
    // NaN stays
    totals->min_det = report->min_det >= totals->min_det ? totals->min_det : report->min_det;
    return run_read_probes(run);
}

typedef struct Cell {
    const char *name;
    double value;
} Cell;

enum { CELLS = 42 };

// characters of a cell and what parts it from the next, number or name
#define ROOM 80

// counts are below 2^53, so that doubles hold them and print them as whole numbers
static void list_cells(const Run *run, Cell cells[CELLS])
{
    const LyraStepReport *r = &run->report;
    const Cell list[CELLS] = {
        {"step", (double)run->step},
        {"time", r->time},
        {"dt", r->dt},
        {"kinetic", r->kinetic},
        {"elastic", r->elastic},
        {"plastic", r->plastic},
        {"viscous", r->viscous},
        {"work", r->work},
        {"change", r->change},
        {"numerical", r->numerical},
        {"momentum_x", run->linear[0]},
        {"momentum_y", run->linear[1]},
        {"momentum_z", run->linear[2]},
        {"angular_x", run->angular[0]},
        {"angular_y", run->angular[1]},
        {"angular_z", run->angular[2]},
        {"newton_iterations", r->newton_iterations},
        {"line_search_steps", r->line_search_steps},
        {"psd_iterations", r->psd_iterations},
        {"linear_iterations", r->linear_iterations},
        {"evaluations", r->evaluations},
        {"factorisations", r->factorisations},
        {"substeps", r->substeps},
        {"rejected", r->rejected},
        {"residual_first", r->residual_first},
        {"residual_last", r->residual_last},
        {"decrement", r->decrement},
        {"step_last", r->step_last},
        {"critical_dt", r->critical_dt},
        {"error", r->error},
        {"min_det", r->min_det},
        {"min_det_element", r->min_det_element},
        {"inverted", r->inverted},
        {"tie_gap", r->gap},
        {"plastic_total", run->totals.plastic},
        {"viscous_total", run->totals.viscous},
        {"work_total", run->totals.work},
        {"change_total", run->totals.change},
        {"numerical_total", run->totals.numerical},
        {"assembly_seconds", r->assembly_seconds},
        {"solve_seconds", r->solve_seconds},
        {"seconds", r->total_seconds},
    };
    memcpy(cells, list, sizeof list);
}

bool run_record_create(Run *run)
{
    int32_t count = lyra_world_probe_count(run->world);
    Cell cells[CELLS];
    list_cells(run, cells);
    run->columns = cli_allocate((3 * (size_t)count + 1) * sizeof *run->columns);
    for (int32_t p = 0; p < count; ++p) {
        LyraProbeView view;
        if (lyra_world_probe(run->world, p, &view) != LYRA_OK) {
            cli_failed();
            return false;
        }
        for (int32_t i = 0; i < view.count; ++i) {
            RunColumn *column = &run->columns[run->column_count++];
            *column = (RunColumn){.probe = p, .component = i, .value = view.values[i]};
            snprintf(column->name, sizeof column->name, view.count > 1 ? "%s_%c" : "%s", view.name,
                     'x' + i);
            bool taken = false;
            for (int c = 0; c < CELLS; ++c) {
                taken |= strcmp(cells[c].name, column->name) == 0;
            }
            for (int32_t c = 0; c < run->column_count - 1; ++c) {
                taken |= strcmp(run->columns[c].name, column->name) == 0;
            }
            if (taken) {
                cli_fail("probe \"%s\" makes a second column \"%s\" of steps.csv: give it another "
                         "name",
                         view.name, column->name);
                return false;
            }
        }
    }
    run->row = cli_allocate((CELLS + (size_t)run->column_count) * ROOM);
    return true;
}

void run_record_destroy(Run *run)
{
    free(run->columns);
    free(run->row);
}

// what obstacles feel now; nothing without any
static void write_obstacles(const Run *run, CliJson *json)
{
    int32_t count = lyra_world_obstacle_count(run->world);
    LyraObstacleReport report;
    if (count == 0) {
        return;
    }
    cli_json_open(json, "obstacles", '[');
    for (int32_t o = 0; o < count; ++o) {
        if (lyra_world_obstacle(run->world, o, &report) != LYRA_OK) {
            break;
        }
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "name", report.name);
        cli_json_double(json, "min_gap", report.min_gap);
        cli_json_int(json, "min_vertex", report.min_vertex);
        cli_json_doubles(json, "reaction", 3, report.reaction);
        cli_json_double(json, "normal", report.normal);
        cli_json_int(json, "touching", report.touching);
        cli_json_int(json, "sliding", report.sliding);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

bool run_json_write(const Run *run)
{
    Cell cells[CELLS];
    CliJson json = {.file = stdout, .in_row = true};
    list_cells(run, cells);
    cli_json_open(&json, NULL, '{');
    for (int i = 0; i < CELLS; ++i) {
        cli_json_double(&json, cells[i].name, cells[i].value);
    }
    for (int32_t c = 0; c < run->column_count; ++c) {
        cli_json_double(&json, run->columns[c].name, run->columns[c].value);
    }
    write_obstacles(run, &json);
    cli_json_text(&json, "outcome", lyra_step_outcome_name(run->report.outcome));
    cli_json_text(&json, "solver", run->solver);
    cli_json_close(&json, '}');
    // whoever reads the lines wants them now
    return cli_finish_output() == CLI_OK;
}

// ---- steps.csv ----------------------------------------------------------------------------------

static bool fail_csv(const Run *run)
{
    cli_fail("cannot write %s/steps.csv: %s", run->options.out, strerror(errno));
    return false;
}

static bool write_csv_text(Run *run, const char *text)
{
    size_t length = strlen(text);
    errno = 0;
    if (fwrite(text, 1, length, run->csv) != length || fflush(run->csv) != 0) {
        return fail_csv(run);
    }
    run->csv_bytes += (int64_t)length;
    return true;
}

// the names, in the room of a row
static const char *format_head(const Run *run)
{
    Cell cells[CELLS];
    size_t length = 0;
    list_cells(run, cells);
    for (int i = 0; i < CELLS + run->column_count; ++i) {
        length += (size_t)snprintf(run->row + length, ROOM, "%s%s", i > 0 ? "," : "",
                                   i < CELLS ? cells[i].name : run->columns[i - CELLS].name);
    }
    run->row[length] = '\n';
    run->row[length + 1] = '\0';
    return run->row;
}

bool run_csv_write(Run *run)
{
    Cell cells[CELLS];
    size_t length = 0;
    list_cells(run, cells);
    for (int i = 0; i < CELLS + run->column_count; ++i) {
        char number[CLI_NUMBER_MAX];
        cli_format_double(i < CELLS ? cells[i].value : run->columns[i - CELLS].value, number);
        length += (size_t)snprintf(run->row + length, ROOM, "%s%s", i > 0 ? "," : "", number);
    }
    run->row[length] = '\n';
    run->row[length + 1] = '\0';
    return write_csv_text(run, run->row);
}

bool run_csv_sync(Run *run)
{
    errno = 0;
    if (fflush(run->csv) != 0 || (fsync(fileno(run->csv)) != 0 && errno != EINVAL)) {
        return fail_csv(run);
    }
    return true;
}

static void add_frames(Run *run, int64_t step, double time)
{
    if (run->output.save_every > 0 && step % run->output.save_every == 0) {
        run_frames_add(&run->saved, step, time);
    }
    if (run->output.vtu_every > 0 && step % run->output.vtu_every == 0) {
        run_frames_add(&run->vtus, step, time);
    }
}

// what the summary says of the last step
static void restore_report(Run *run, const double cells[CELLS])
{
    run->report.time = cells[1];
    run->report.dt = cells[2];
    run->report.kinetic = cells[3];
    run->report.elastic = cells[4];
    memcpy(run->linear, cells + 10, sizeof run->linear);
    memcpy(run->angular, cells + 13, sizeof run->angular);
}

// reads a line into the room of a row
static bool read_line(Run *run)
{
    return fgets(run->row, (int)((CELLS + (size_t)run->column_count) * ROOM), run->csv) != NULL;
}

// a row of numbers; false if it is none
static bool read_row(Run *run, double cells[CELLS])
{
    const char *line = run->row;
    char *end = NULL;
    int count = CELLS + run->column_count;
    for (int i = 0; i < count; ++i) {
        double value = strtod(line, &end);
        if (end == line || *end != (i < count - 1 ? ',' : '\n')) {
            return false;
        }
        *(i < CELLS ? &cells[i] : &run->columns[i - CELLS].value) = value;
        line = end + 1;
    }
    return true;
}

// whether the head names the columns of this run
static bool read_head(Run *run)
{
    if (!read_line(run)) {
        return false;
    }
    char *found = cli_allocate(strlen(run->row) + 1);
    memcpy(found, run->row, strlen(run->row) + 1);
    bool same = strcmp(found, format_head(run)) == 0;
    free(found);
    return same;
}

// the steps and times of the rows that stay, for the frames that were written at them
static bool read_csv(Run *run, int64_t bytes)
{
    double cells[CELLS] = {0};
    bool good = read_head(run);
    add_frames(run, 0, run->start_time);
    for (int64_t step = 1; good && step <= run->step; ++step) {
        good = read_line(run) && read_row(run, cells) && cells[0] == (double)step;
        if (good) {
            add_frames(run, step, cells[1]);
        }
    }
    if (good && run->step > 0) {
        restore_report(run, cells);
    }
    return good && ftell(run->csv) == bytes;
}

bool run_csv_open(Run *run, bool resumed, int64_t bytes)
{
    char *path = run_path(run, "steps.csv");
    run->csv = fopen(path, resumed ? "r+" : "w");
    free(path);
    if (!run->csv) {
        return fail_csv(run);
    }
    if (!resumed) {
        return write_csv_text(run, format_head(run));
    }
    if (!read_csv(run, bytes)) {
        cli_fail("%s/steps.csv: does not hold the %" PRId64
                 " steps of the checkpoint, with its probes; run without --resume to start anew",
                 run->options.out, run->step);
        return false;
    }
    if (fseek(run->csv, (long)bytes, SEEK_SET) != 0 ||
        ftruncate(fileno(run->csv), (off_t)bytes) != 0) {
        return fail_csv(run);
    }
    run->csv_bytes = bytes;
    return true;
}

// ---- summary.json -------------------------------------------------------------------------------

static void write_bodies(const Run *run, CliJson *json)
{
    cli_json_open(json, "bodies", '[');
    for (int32_t b = 0; b < run->view.body_count; ++b) {
        const LyraBodyView *body = &run->view.bodies[b];
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "name", body->name ? body->name : "");
        cli_json_text(json, "kind", body->kind);
        cli_json_text(json, "files", run->bodies[b].name);
        cli_json_int(json, "first_vertex", body->first_vertex);
        cli_json_int(json, "vertices", body->vertex_count);
        cli_json_int(json, "elements", body->mesh ? lyra_mesh_view(body->mesh).element_count : 0);
        cli_json_int(json, "surfaces", body->surface_count);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void write_energies(const Run *run, CliJson *json)
{
    const RunTotals *totals = &run->totals;
    bool stepped = run->step > 0;
    cli_json_open(json, "energy", '{');
    // before the first step nobody has measured them
    cli_json_double(json, "kinetic", stepped ? run->report.kinetic : NAN);
    cli_json_double(json, "elastic", stepped ? run->report.elastic : NAN);
    cli_json_double(json, "plastic", totals->plastic);
    cli_json_double(json, "viscous", totals->viscous);
    cli_json_double(json, "viscous_least", totals->viscous_least);
    cli_json_double(json, "work", totals->work);
    cli_json_double(json, "change", totals->change);
    cli_json_double(json, "numerical", totals->numerical);
    cli_json_close(json, '}');
    cli_json_doubles(json, "momentum", stepped ? 3 : 0, run->linear);
    cli_json_doubles(json, "angular_momentum", stepped ? 3 : 0, run->angular);
    cli_json_double(json, "min_det", totals->min_det);
}

static void write_probes(const Run *run, CliJson *json)
{
    cli_json_open(json, "probes", '{');
    for (int32_t c = 0; c < run->column_count; ++c) {
        cli_json_double(json, run->columns[c].name, run->columns[c].value);
    }
    cli_json_close(json, '}');
}

static void write_summary(const Run *run, const char *result, const char *reason, CliJson *json)
{
    char digest[32];
    snprintf(digest, sizeof digest, "%016" PRIx64, run->view.digest);
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "result", result);
    if (reason) {
        cli_json_text(json, "reason", reason);
    }
    cli_json_text(json, "scene", run->said.path);
    cli_json_text(json, "name", run->said.name);
    cli_json_text(json, "digest", digest);
    cli_json_text(json, "version", lyra_version());
    cli_json_text(json, "isa", lyra_isa_name(lyra_context_isa(run->ctx)));
    cli_json_int(json, "threads", lyra_context_thread_count(run->ctx));
    cli_json_text(json, "system", lyra_system_name(run->view.system));
    cli_json_text(json, "solver", run->solver);
    cli_json_int(json, "steps", run->step);
    cli_json_int(json, "steps_planned", run->steps);
    cli_json_double(json, "dt", run->view.dt);
    cli_json_double(json, "start_time", run->start_time);
    cli_json_double(json, "time", lyra_state_view(run->view.state).time);
    cli_json_double(json, "seconds", run->totals.seconds + run_now() - run->began);
    cli_json_double(json, "picture_seconds", run->totals.pictures);
    cli_json_double(json, "writing_seconds", run->totals.writing);
    cli_json_int(json, "newton_iterations", run->totals.newton_iterations);
    cli_json_int(json, "linear_iterations", run->totals.linear_iterations);
    cli_json_int(json, "rejected", run->totals.rejected);
    write_energies(run, json);
    write_probes(run, json);
    write_obstacles(run, json);
    cli_json_int(json, "frames", run->saved.count);
    cli_json_int(json, "vertices", run_vertices(run));
    write_bodies(run, json);
    cli_json_close(json, '}');
}

// room for the reason of a failure, each character of it escaped, and for longer numbers
#define SUMMARY_ROOM 4096

// writes into an open file from its present place; false leaves errno
static bool fill_summary(const Run *run, const char *result, const char *reason, FILE *file)
{
    CliJson json = {.file = file};
    write_summary(run, result, reason, &json);
    if (strcmp(result, "running") == 0) {
        fprintf(file, "%*s\n", SUMMARY_ROOM, "");
    }
    return fflush(file) == 0 && !ferror(file);
}

// closes a file; keeps errno where something failed before
static bool end_file(FILE *file, bool good)
{
    int error = errno;
    bool closed = fclose(file) == 0;
    errno = good ? errno : error;
    return good && closed;
}

// beside the old one, then in its place
static bool replace_summary(const Run *run, const char *result, const char *reason)
{
    FILE *file = fopen(run->summary_part, "w");
    bool good = file && end_file(file, fill_summary(run, result, reason, file)) &&
                rename(run->summary_part, run->summary_path) == 0;
    if (!good) {
        int error = errno;
        unlink(run->summary_part);
        errno = error;
    }
    return good;
}

// over the old one, in the room that it has on the disk
static bool overwrite_summary(const Run *run, const char *result, const char *reason)
{
    FILE *file = fopen(run->summary_path, "r+");
    if (!file) {
        return false;
    }
    bool good =
        fill_summary(run, result, reason, file) && ftruncate(fileno(file), (off_t)ftell(file)) == 0;
    return end_file(file, good);
}

static bool write_either_way(Run *run, const char *result, const char *reason)
{
    if (!run->summary_path) {
        run->summary_path = run_path(run, "summary.json");
        run->summary_part = run_path(run, ".summary.json.part");
    }
    if (replace_summary(run, result, reason)) {
        return true;
    }
    int error = errno;
    bool good = overwrite_summary(run, result, reason);
    errno = error;
    return good;
}

bool run_summary_write(Run *run, const char *result, const char *reason)
{
    if (!write_either_way(run, result, reason)) {
        cli_fail("cannot write %s: %s", run->summary_path, strerror(errno));
        return false;
    }
    return true;
}

void run_summary_fail(Run *run, const char *reason)
{
    write_either_way(run, "failed", reason);
}
