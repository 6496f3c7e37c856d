// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Checkpoints of a run. The note of a checkpoint is text, a word and a number in each line: the
// scene's digest, the step, what the outputs are and how much of them there is, sums over steps.
// Numbers that are not whole are in hexadecimal, so that they come back to the bit.

#include "run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOTE_MAX 2048
#define DEFAULT_SECONDS 60.0

bool run_checkpoint_is_due(const Run *run)
{
    int64_t every = run->output.checkpoint_every;
    if (every > 0 && run->step % every == 0) {
        return true;
    }
    double seconds = run->options.checkpoint_seconds;
    return run_now() - run->checkpoint_clock >= (isnan(seconds) ? DEFAULT_SECONDS : seconds);
}

// ---- notes --------------------------------------------------------------------------------------

typedef struct NoteWhole {
    const char *key;
    int64_t *value;
} NoteWhole;

typedef struct NoteReal {
    const char *key;
    double *value;
} NoteReal;

enum { WHOLES = 13, REALS = 11 };

// what a note holds, in a place where it can be read from or written to
typedef struct Note {
    uint64_t digest;
    int64_t step, frames, csv_bytes;
    int64_t save_every, vtu_every, obj_every, snapshot_every, save_history, pc2, gltf;
    double start_time;
    RunTotals totals;
    char solver[32];
} Note;

static void list_note(Note *note, NoteWhole wholes[WHOLES], NoteReal reals[REALS])
{
    const NoteWhole whole_list[WHOLES] = {
        {"step", &note->step},
        {"frames", &note->frames},
        {"csv_bytes", &note->csv_bytes},
        {"save_every", &note->save_every},
        {"vtu_every", &note->vtu_every},
        {"obj_every", &note->obj_every},
        {"snapshot_every", &note->snapshot_every},
        {"save_history", &note->save_history},
        {"pc2", &note->pc2},
        {"gltf", &note->gltf},
        {"newton_iterations", &note->totals.newton_iterations},
        {"linear_iterations", &note->totals.linear_iterations},
        {"rejected", &note->totals.rejected},
    };
    const NoteReal real_list[REALS] = {
        {"start_time", &note->start_time},      {"plastic", &note->totals.plastic},
        {"viscous", &note->totals.viscous},     {"viscous_least", &note->totals.viscous_least},
        {"work", &note->totals.work},           {"change", &note->totals.change},
        {"numerical", &note->totals.numerical}, {"min_det", &note->totals.min_det},
        {"seconds", &note->totals.seconds},     {"writing", &note->totals.writing},
        {"pictures", &note->totals.pictures},
    };
    memcpy(wholes, whole_list, sizeof whole_list);
    memcpy(reals, real_list, sizeof real_list);
}

static Note make_note(const Run *run)
{
    Note note = {
        .digest = run->view.digest,
        .step = run->step,
        .frames = run->saved.count,
        .csv_bytes = run->csv_bytes,
        .save_every = run->output.save_every,
        .vtu_every = run->output.vtu_every,
        .obj_every = run->output.obj_every,
        .snapshot_every = run->output.snapshot_every,
        .save_history = run->output.save_history,
        .pc2 = run->output.pc2,
        .gltf = run->output.gltf,
        .start_time = run->start_time,
        .totals = run->totals,
    };
    note.totals.seconds += run_now() - run->began;
    memcpy(note.solver, run->solver, sizeof note.solver);
    return note;
}

static size_t write_note(Note *note, char text[NOTE_MAX])
{
    NoteWhole wholes[WHOLES];
    NoteReal reals[REALS];
    list_note(note, wholes, reals);
    size_t length =
        (size_t)snprintf(text, NOTE_MAX, "lyra-run 3\ndigest %016" PRIx64 "\nsolver %s\n",
                         note->digest, note->solver);
    for (int i = 0; i < WHOLES; ++i) {
        length += (size_t)snprintf(text + length, NOTE_MAX - length, "%s %" PRId64 "\n",
                                   wholes[i].key, *wholes[i].value);
    }
    for (int i = 0; i < REALS; ++i) {
        length += (size_t)snprintf(text + length, NOTE_MAX - length, "%s %a\n", reals[i].key,
                                   *reals[i].value);
    }
    return length;
}

// what stands behind "key " at the beginning of a line; NULL for none
static const char *find_key(const char *text, const char *key)
{
    size_t length = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, length) == 0 && line[length] == ' ') {
            return line + length + 1;
        }
    }
    return NULL;
}

static bool read_note(const char *text, Note *note)
{
    NoteWhole wholes[WHOLES];
    NoteReal reals[REALS];
    list_note(note, wholes, reals);
    const char *digest = find_key(text, "digest"), *solver = find_key(text, "solver");
    if (strncmp(text, "lyra-run 3\n", 11) != 0 || !digest || !solver) {
        return false;
    }
    snprintf(note->solver, sizeof note->solver, "%.*s", (int)strcspn(solver, "\n"), solver);
    note->digest = strtoull(digest, NULL, 16);
    for (int i = 0; i < WHOLES; ++i) {
        const char *value = find_key(text, wholes[i].key);
        if (!value) {
            return false;
        }
        *wholes[i].value = strtoll(value, NULL, 10);
    }
    for (int i = 0; i < REALS; ++i) {
        const char *value = find_key(text, reals[i].key);
        if (!value) {
            return false;
        }
        *reals[i].value = strtod(value, NULL);
    }
    return true;
}

// ---- files --------------------------------------------------------------------------------------

bool run_checkpoint_write(Run *run)
{
    char text[NOTE_MAX], *path = run_path(run, "%s", RUN_CHECKPOINT);
    Note note = make_note(run);
    size_t length = write_note(&note, text);
    // what it counts must be there first
    bool good = run_csv_sync(run) && run_motion_sync(run) && run_files_sync(run);
    if (good && lyra_checkpoint_save(run->ctx, path, run->view.state, text, length) != LYRA_OK) {
        cli_failed();
        good = false;
    }
    free(path);
    run->checkpoint_clock = run_now();
    return good && run_summary_write(run, "running", NULL);
}

// whether the run that is to go on is the one that was begun
static bool check_note(const Run *run, const char *path, const Note *note)
{
    const struct {
        const char *name;
        int64_t was, is;
    } outputs[] = {{"--save-every", note->save_every, run->output.save_every},
                   {"--vtu-every", note->vtu_every, run->output.vtu_every},
                   {"--obj-every", note->obj_every, run->output.obj_every},
                   {"--snapshot-every", note->snapshot_every, run->output.snapshot_every},
                   {"output of save-history", note->save_history, run->output.save_history},
                   {"output of PC2", note->pc2, run->output.pc2},
                   {"output of glTF", note->gltf, run->output.gltf}};
    if (note->digest != run->view.digest) {
        cli_fail(
            "%s: the checkpoint is of another scene than %s, or of other --set values or files "
            "(digest %016" PRIx64 ", expected %016" PRIx64 "); run without --resume to start "
            "anew",
            path, run->said.path, note->digest, run->view.digest);
        return false;
    }
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; ++i) {
        if (outputs[i].was != outputs[i].is) {
            cli_fail("%s: the run was begun with %s %" PRId64 ", found %" PRId64
                     "; it goes on as it was begun",
                     path, outputs[i].name, outputs[i].was, outputs[i].is);
            return false;
        }
    }
    return true;
}

bool run_checkpoint_read(Run *run, bool *found, RunMark *mark)
{
    char *path = run_path(run, "%s", RUN_CHECKPOINT), *text = NULL;
    size_t length = 0;
    Note note = {0};
    *found = access(path, F_OK) == 0;
    bool good = true;
    if (*found) {
        good = lyra_checkpoint_load(run->ctx, path, NULL, &text, &length) == LYRA_OK;
        if (!good) {
            cli_failed();
        } else if (!read_note(text, &note)) {
            cli_fail("%s: not the checkpoint of a run", path);
            good = false;
        } else {
            good = check_note(run, path, &note);
        }
        lyra_checkpoint_note_release(run->ctx, text);
    }
    if (*found && good) {
        good = lyra_checkpoint_load(run->ctx, path, run->view.state, &text, &length) == LYRA_OK;
        if (good) {
            lyra_checkpoint_note_release(run->ctx, text);
        } else {
            cli_failed();
        }
        run->step = note.step;
        run->start_time = note.start_time;
        run->totals = note.totals;
        run->drawn = note.totals.pictures;
        memcpy(run->solver, note.solver, sizeof run->solver);
        *mark = (RunMark){.frames = note.frames, .csv_bytes = note.csv_bytes};
    }
    free(path);
    return good;
}
