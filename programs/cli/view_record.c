// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Recordings: what `lyra run` writes, from the moment that a viewer asks for it. Each has a folder
// of its own in that of --out.

#include "view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FRAMES_PER_SECOND 30

// the first "record-N" that is not there yet; that it can be made is seen when it is
static char *free_folder(View *view)
{
    char name[32];
    struct stat info;
    size_t length = strlen(view->out);
    char *path = cli_allocate(length + sizeof name);
    memcpy(path, view->out, length);
    do {
        snprintf(name, sizeof name, "/record-%03d", (int)++view->record_count);
        memcpy(path + length, name, sizeof name);
    } while (stat(path, &info) == 0);
    return path;
}

void view_record_begin(View *view)
{
    Run *run = &view->run;
    if (view->recording) {
        return;
    }
    if (!view->out) {
        view_notice(view, "nowhere to record to: start lyra view with --out DIR");
        return;
    }
    free(view->record_folder);
    view->record_folder = free_folder(view);
    run->options.out = view->record_folder;
    run->step = 0;
    double every = round(1 / (FRAMES_PER_SECOND * run->view.dt));
    run->output = (LyraSceneOutput){.save_every = every > 1 ? (int64_t)every : 1,
                                    .vtu_every = every > 1 ? (int64_t)every : 1,
                                    .pc2 = true,
                                    .gltf = true};
    if (!run_files_open(run, false, 0) || !run_files_write(run)) {
        view_notice(view, "cannot record to %s: see the terminal", view->record_folder);
        run_files_close(run);
        return;
    }
    view->recording = true;
    view_notice(view, "recording to %s", view->record_folder);
}

void view_record_step(View *view)
{
    Run *run = &view->run;
    if (!view->recording) {
        return;
    }
    ++run->step;
    if (!run_files_write(run)) {
        view->recording = false;
        run_files_close(run);
        view_notice(view, "the recording to %s ended: see the terminal", view->record_folder);
    }
}

void view_record_end(View *view)
{
    Run *run = &view->run;
    if (!view->recording) {
        return;
    }
    view->recording = false;
    int64_t frames = run->saved.count;
    // a single frame is no animation
    run->output.gltf = frames > 1;
    bool good = run_files_finish(run);
    run_files_close(run);
    if (good) {
        view_notice(view, "%lld frame%s in %s: VTU, PC2%s", (long long)frames,
                    frames == 1 ? "" : "s", view->record_folder, frames > 1 ? ", glTF" : "");
    } else {
        view_notice(view, "the recording to %s is not complete: see the terminal",
                    view->record_folder);
    }
}
