// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra run`: a scene from its file to its results.
//
// A step is taken, written to the files that are due, and only then counted by a checkpoint, which
// says how long each file was. So whatever moment the program ends at, the checkpoint is whole, and
// all that it counts is there; what lies behind is cut off when the run goes on.

#include "run.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double run_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

char *run_path(const Run *run, const char *format, ...)
{
    char name[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    size_t length = strlen(run->options.out) + strlen(name) + 2;
    char *path = cli_allocate(length);
    snprintf(path, length, "%s/%s", run->options.out, name);
    return path;
}

// ---- signals ------------------------------------------------------------------------------------

static volatile sig_atomic_t signal_seen;

static void see_signal(int number)
{
    signal_seen = number;
}

// the first one is noted, the second ends the program as it would have
static void watch_signals(void)
{
    struct sigaction action = {.sa_handler = see_signal};
    // SA_RESTART and SA_RESETHAND have the top bit or not, by system: keep them as flags
    action.sa_flags = (int)(SA_RESTART | SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    // a full disk is reported by write(), a closed pipe by the end of the output
    signal(SIGXFSZ, SIG_IGN);
}

// ---- options ------------------------------------------------------------------------------------

static CliExit check_options(const CliUsage *usage, const RunOptions *o)
{
    const struct {
        const char *name;
        int32_t value;
    } counts[] = {{"--save-every", o->save_every},
                  {"--vtu-every", o->vtu_every},
                  {"--obj-every", o->obj_every},
                  {"--snapshot-every", o->snapshot_every},
                  {"--checkpoint-every", o->checkpoint_every}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        if (counts[i].value > 0 && !o->out) {
            return cli_usage_error(usage, "%s needs a folder: --out DIR", counts[i].name);
        }
    }
    if (o->steps >= 0 && !isnan(o->duration)) {
        return cli_usage_error(usage, "give --steps or --duration, not both");
    }
    if (!isnan(o->duration) && !(o->duration >= 0)) {
        return cli_usage_error(usage, "--duration is %g s, expected 0 or more", o->duration);
    }
    if (!isnan(o->checkpoint_seconds) && !(o->checkpoint_seconds > 0)) {
        return cli_usage_error(usage, "--checkpoint-seconds is %g, expected more than 0",
                               o->checkpoint_seconds);
    }
    if ((o->scene && !o->scene[0]) || (o->out && !o->out[0])) {
        return cli_usage_error(usage, "found an empty name for %s",
                               o->scene && !o->scene[0] ? "SCENE" : "--out");
    }
    if (o->resume && !o->out) {
        return cli_usage_error(usage, "--resume needs the folder of the run: --out DIR");
    }
    return CLI_OK;
}

static bool parse(int argument_count, char **arguments, RunOptions *o, CliExit *exit)
{
    const CliOption options[] = {
        {"--steps", CLI_COUNT, &o->steps, "N", "number of steps in all (default: the scene's)"},
        {"--duration", CLI_DOUBLE, &o->duration, "T",
         "simulated time, s, instead of --steps (default: the scene's)"},
        {"--out", CLI_TEXT, &o->out, "DIR",
         "folder for the results, made if missing (default: write nothing)"},
        {"--save-every", CLI_COUNT, &o->save_every, "N",
         "write frames every N steps: .npy, .pc2, .gltf (default: the scene's)"},
        {"--vtu-every", CLI_COUNT, &o->vtu_every, "N",
         "write VTU files with fields every N steps, for ParaView (default: the scene's)"},
        {"--obj-every", CLI_COUNT, &o->obj_every, "N",
         "write the surfaces as OBJ every N steps (default: the scene's)"},
        {"--snapshot-every", CLI_COUNT, &o->snapshot_every, "N",
         "write a PNG picture every N steps (default: the scene's)"},
        {"--snapshot-size", CLI_TEXT, &o->snapshot_size, "WxH",
         "pixels of the pictures (default: the scene's)"},
        {"--snapshot-field", CLI_TEXT, &o->snapshot_field, "NAME",
         "colours, as none, speed, von-mises or strain; a wrong one lists all (default: the "
         "scene's)"},
        {"--snapshot-camera", CLI_TEXT, &o->snapshot_camera, "PLACE",
         "AZIMUTH,ELEVATION in degrees, or EYE/TARGET, x,y,z each (default: the scene's)"},
        {"--checkpoint-every", CLI_COUNT, &o->checkpoint_every, "N",
         "write a checkpoint every N steps (default: the scene's)"},
        {"--checkpoint-seconds", CLI_DOUBLE, &o->checkpoint_seconds, "M",
         "write a checkpoint every M seconds of wall time (default 60)"},
        {"--resume", CLI_FLAG, &o->resume, NULL, "continue from the checkpoint in DIR"},
        {"--set", CLI_LIST, &o->sets, "PATH=VALUE",
         "change a value of the scene, e.g. time.dt='5 ms'; repeatable"},
        {"--threads", CLI_THREADS, &o->threads, "N", "worker threads (default: one per core)"},
        {"--quiet", CLI_FLAG, &o->quiet, NULL, "print only failures, warnings and remarks"},
        {"--json", CLI_FLAG, &o->json, NULL, "print one line of JSON per step"},
        {"--print-defaults", CLI_FLAG, &o->print_defaults, NULL,
         "print a scene with every key, its default and meaning, and exit"},
        {0},
    };
    const CliUsage usage = {
        .command = "lyra run",
        .positional = "SCENE",
        .optional = true,
        .description =
            "Runs a scene, Lyra's .yaml or Vega's .config, and writes its results. N counts "
            "steps; 0 means\nnever. Ctrl-C finishes the step, writes a checkpoint and exits with "
            "130; --resume continues.\nMore: docs/running.md, docs/results.md.",
        .example = "lyra run beam.yaml --steps 200 --out results --save-every 10",
        .options = options,
    };
    int32_t count = 0;
    if (!cli_parse(&usage, argument_count, arguments, &o->scene, &count, exit)) {
        return false;
    }
    if (count == 0 && !o->print_defaults) {
        *exit = cli_usage_error(&usage, "expected SCENE");
        return false;
    }
    *exit = check_options(&usage, o);
    return *exit == CLI_OK;
}

// by way of a file, as the library writes files only
static CliExit print_defaults(LyraContext *ctx)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/lyra-defaults-XXXXXX", folder ? folder : "/tmp");
    int file = mkstemp(path);
    if (file < 0) {
        return cli_fail("cannot write %s: %s", path, strerror(errno));
    }
    CliExit exit = CLI_OK;
    if (lyra_scene_save_defaults(ctx, path) != LYRA_OK) {
        exit = cli_failed();
    } else {
        FILE *text = fopen(path, "r");
        char buffer[4096];
        size_t bytes;
        while (text && (bytes = fread(buffer, 1, sizeof buffer, text)) > 0) {
            fwrite(buffer, 1, bytes, stdout);
        }
        if (text) {
            fclose(text);
        }
        exit = cli_finish_output();
    }
    close(file);
    unlink(path);
    return exit;
}

// ---- setting up ---------------------------------------------------------------------------------

static void take_count(int32_t option, int64_t *asked)
{
    *asked = option >= 0 ? option : *asked;
}

// what the scene asks for and what the command line says
static bool plan(Run *run)
{
    const RunOptions *o = &run->options;
    run->output = run->said.output;
    take_count(o->save_every, &run->output.save_every);
    take_count(o->vtu_every, &run->output.vtu_every);
    take_count(o->obj_every, &run->output.obj_every);
    take_count(o->snapshot_every, &run->output.snapshot_every);
    take_count(o->checkpoint_every, &run->output.checkpoint_every);
    // who asks for frames on the command line gets all kinds
    run->output.pc2 = run->output.pc2 || o->save_every > 0;
    run->output.gltf = run->output.gltf || o->save_every > 0;
    run->steps = o->steps >= 0 ? o->steps : run->view.steps;
    if (!isnan(o->duration)) {
        // a last step for what is left, but none for rounding
        double count = ceil(o->duration / run->view.dt * (1 - 1e-12));
        if (!(count < 9e15)) {
            cli_fail("--duration %g s is more steps of %g s than can be counted", o->duration,
                     run->view.dt);
            return false;
        }
        run->steps = (int64_t)count;
    }
    if (run->steps == 0 && o->steps < 0 && isnan(o->duration)) {
        cli_fail("%s does not say how many steps to take: give --steps N or --duration T",
                 run->said.path);
        return false;
    }
    run->totals.min_det = INFINITY;
    return run_picture_plan(run);
}

bool run_load(Run *run)
{
    LyraSceneDef def = lyra_scene_def_default();
    def.overrides = run->options.sets.items;
    def.override_count = run->options.sets.count;
    if (lyra_world_load(run->ctx, run->options.scene, &def, &run->world, &run->scene) != LYRA_OK) {
        cli_failed();
        return false;
    }
    run->view = lyra_world_view(run->world);
    run->said = lyra_scene_view(run->scene);
    run->start_time = lyra_state_view(run->view.state).time;
    int32_t size = lyra_system_size(run->view.system);
    if (lyra_vector_create(run->ctx, size, &run->momentum) != LYRA_OK ||
        lyra_vector_create(run->ctx, size, &run->reaction) != LYRA_OK) {
        cli_failed();
        return false;
    }
    return run_record_create(run);
}

void run_end(Run *run)
{
    run_files_close(run);
    run_bodies_destroy(run);
    run_record_destroy(run);
    lyra_vector_destroy(run->momentum);
    lyra_vector_destroy(run->reaction);
    lyra_world_destroy(run->world);
    lyra_scene_destroy(run->scene);
    free(run->summary_path);
    free(run->summary_part);
    lyra_context_destroy(run->ctx);
}

static bool write_start(Run *run)
{
    double now = run_now();
    bool good = run_files_write(run);
    run->totals.writing += run_now() - now;
    return good;
}

// what the summary says of a run for which the command itself found no memory
static void fail_without_memory(void *user)
{
    run_summary_fail(user, cli_last_failure());
}

// the start: from the scene, or from the checkpoint and what its files held
static bool start(Run *run)
{
    bool resumed = false;
    RunMark mark = {0};
    if (run->options.out && !run_folder_lock(run)) {
        return false;
    }
    if (run->options.resume && !run_checkpoint_read(run, &resumed, &mark)) {
        return false;
    }
    if (run->options.resume && !run->options.quiet && !run->options.json) {
        if (resumed) {
            fprintf(stderr, "going on at step %lld of %lld\n", (long long)run->step,
                    (long long)run->steps);
        } else {
            fprintf(stderr, "no checkpoint in %s: starting at the beginning\n", run->options.out);
        }
    }
    if (resumed && run->step > run->steps) {
        cli_fail("the checkpoint in %s is at step %lld, beyond the %lld to take", run->options.out,
                 (long long)run->step, (long long)run->steps);
        return false;
    }
    run->first = run->step;
    if (!run->options.out) {
        return true;
    }
    bool good = run_files_open(run, resumed, mark.frames) &&
                run_csv_open(run, resumed, mark.csv_bytes) && run_motion_open(run, resumed) &&
                run_summary_write(run, "running", NULL);
    if (good) {
        cli_set_last_words(fail_without_memory, run);
        good = resumed || write_start(run);
    }
    // what cannot go on leaves the summary of the run that it was
    if (!good && !resumed) {
        run_summary_fail(run, cli_last_failure());
    }
    return good;
}

// ---- the loop -----------------------------------------------------------------------------------

typedef enum RunEnd { RUN_FINISHED, RUN_STOPPED, RUN_FAILED, RUN_UNWRITTEN } RunEnd;

static bool write_step(Run *run)
{
    if (run->options.json && !run_json_write(run)) {
        return false;
    }
    if (run->options.out && (!run_csv_write(run) || !run_files_write(run))) {
        return false;
    }
    if (run->options.out && run_checkpoint_is_due(run) && run->step < run->steps) {
        return run_checkpoint_write(run);
    }
    return true;
}

static void describe_failure(const Run *run, LyraStatus status, char *reason, size_t room)
{
    const char *outcome = lyra_step_outcome_name(run->report.outcome);
    const char *kind = lyra_status_name(status);
    bool same = strcmp(outcome, kind) == 0;
    snprintf(reason, room, "step %lld, from t = %g s, failed: %s%s%s: %s", (long long)run->step + 1,
             lyra_state_view(run->view.state).time, outcome, same ? "" : ", ", same ? "" : kind,
             lyra_error_message());
}

static RunEnd loop(Run *run, char *reason, size_t room)
{
    while (run->step < run->steps) {
        if (signal_seen) {
            return RUN_STOPPED;
        }
        LyraStatus status = lyra_world_step(run->world, &run->report);
        if (status != LYRA_OK) {
            describe_failure(run, status, reason, room);
            return RUN_FAILED;
        }
        ++run->step;
        double now = run_now();
        if (!run_record_step(run) || !write_step(run)) {
            return RUN_UNWRITTEN;
        }
        run->totals.writing += run_now() - now;
        run_progress(run);
    }
    return RUN_FINISHED;
}

// what is left to write when the last good state stands
static bool finish(Run *run, RunEnd end, const char *reason)
{
    static const char *const results[] = {"finished", "interrupted", "failed"};
    if (!run->options.out) {
        return true;
    }
    return run_checkpoint_write(run) && run_files_finish(run) &&
           run_summary_write(run, results[end], end == RUN_FAILED ? reason : NULL);
}

static void report_end(const Run *run, RunEnd end)
{
    if (run->options.quiet || run->options.json) {
        return;
    }
    int64_t taken = run->step - run->first;
    double seconds = run_now() - run->began;
    double time = lyra_state_view(run->view.state).time;
    printf("%s: %lld steps to t = %g s in %.3g s", run->said.name, (long long)taken, time, seconds);
    if (run->totals.pictures > run->drawn) {
        printf(", %.3g s without pictures", seconds - (run->totals.pictures - run->drawn));
    }
    if (taken > 0) {
        printf(", %.3g steps/s, %.3g Newton iterations each", (double)taken / seconds,
               (double)run->totals.newton_iterations / (double)run->step);
    }
    printf("\n");
    if (end == RUN_STOPPED) {
        printf("stopped after step %lld of %lld%s\n", (long long)run->step, (long long)run->steps,
               run->options.out ? "; --resume goes on" : "");
    }
    if (run->options.out) {
        run_files_list(run);
    }
}

static CliExit execute(Run *run)
{
    char reason[1024] = "";
    RunEnd end = loop(run, reason, sizeof reason);
    run_progress_end(run);
    bool written = end != RUN_UNWRITTEN && finish(run, end, reason);
    if (!written && run->options.out) {
        run_summary_fail(run, end == RUN_FAILED ? reason : cli_last_failure());
    }
    if (end == RUN_FAILED) {
        cli_fail("%s", reason);
        if (written && run->options.out) {
            fprintf(stderr, "lyra: the state before it is in %s/%s\n", run->options.out,
                    RUN_CHECKPOINT);
        }
        return CLI_BAD_INPUT;
    }
    if (!written) {
        return CLI_BAD_INPUT;
    }
    report_end(run, end);
    CliExit exit = cli_finish_output();
    if (exit != CLI_OK || end == RUN_FINISHED) {
        return exit;
    }
    return signal_seen == SIGINT ? CLI_INTERRUPTED : CLI_TERMINATED;
}

CliExit cli_run(int argument_count, char **arguments)
{
    Run run = {.options = {.steps = -1,
                           .save_every = -1,
                           .vtu_every = -1,
                           .obj_every = -1,
                           .snapshot_every = -1,
                           .checkpoint_every = -1,
                           .duration = NAN,
                           .checkpoint_seconds = NAN}};
    CliExit exit = CLI_BAD_INPUT;
    if (!parse(argument_count, arguments, &run.options, &exit)) {
        return exit;
    }
    run.ctx = cli_context(run.options.threads, LYRA_ISA_AUTO);
    if (!run.ctx) {
        return CLI_BAD_INPUT;
    }
    if (run.options.print_defaults) {
        exit = print_defaults(run.ctx);
        lyra_context_destroy(run.ctx);
        return exit;
    }
    watch_signals();
    exit = CLI_BAD_INPUT;
    run.began = run.checkpoint_clock = run_now();
    if (run_load(&run) && plan(&run) && (!run.options.out || run_bodies_create(&run)) &&
        start(&run)) {
        exit = execute(&run);
    }
    cli_set_last_words(NULL, NULL);
    run_end(&run);
    return exit;
}
