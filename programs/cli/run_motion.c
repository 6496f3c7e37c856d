// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// bodies.csv: where rigid and affine bodies are and how they move, a row for each of them at each
// saved step. A run that is taken up again keeps the rows up to its step.

#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE 1024

static const char head[] = "step,time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,px,py,pz,Lx,Ly,Lz\n";

static bool fail(const Run *run)
{
    cli_fail("cannot write %s/bodies.csv: %s", run->options.out, strerror(errno));
    return false;
}

static bool has_bodies(const Run *run)
{
    bool any = false;
    for (int32_t b = 0; b < run->view.body_count; ++b) {
        any |= run->view.bodies[b].affine != NULL;
    }
    return any && run->output.save_every > 0;
}

// cuts the file behind the last row of a step up to the one that is reached
static bool keep_rows(Run *run)
{
    char line[LINE];
    long end = 0;
    bool first = true;
    while (fgets(line, sizeof line, run->motion)) {
        if (first ? strcmp(line, head) != 0 : strtoll(line, NULL, 10) > run->step) {
            break;
        }
        first = false;
        end = ftell(run->motion);
    }
    if (first) {
        cli_fail("%s/bodies.csv: does not begin as this program writes it; run without --resume to "
                 "start anew",
                 run->options.out);
        return false;
    }
    errno = 0;
    return (fseek(run->motion, end, SEEK_SET) == 0 &&
            ftruncate(fileno(run->motion), (off_t)end) == 0) ||
           fail(run);
}

bool run_motion_open(Run *run, bool resumed)
{
    if (!has_bodies(run)) {
        return true;
    }
    char *path = run_path(run, "bodies.csv");
    errno = 0;
    run->motion = fopen(path, resumed ? "r+" : "w");
    free(path);
    if (!run->motion) {
        return fail(run);
    }
    return resumed ? keep_rows(run) : fputs(head, run->motion) >= 0 || fail(run);
}

static void add(char line[LINE], int count, const double *values)
{
    for (int i = 0; i < count; ++i) {
        char number[CLI_NUMBER_MAX];
        cli_format_double(values[i], number);
        size_t length = strlen(line);
        snprintf(line + length, LINE - length, ",%s", number);
    }
}

bool run_motion_write(Run *run)
{
    double time = lyra_state_view(run->view.state).time;
    for (int32_t b = 0; run->motion && b < run->view.body_count; ++b) {
        char line[LINE], name[64];
        LyraRigidMotion m;
        if (!run->view.bodies[b].affine) {
            continue;
        }
        if (lyra_world_rigid_motion(run->world, b, &m) != LYRA_OK) {
            cli_failed();
            return false;
        }
        // a comma or a quote of a name would make another cell
        snprintf(name, sizeof name, "%s", run->view.bodies[b].name);
        for (char *c = name; *c; ++c) {
            *c = *c == ',' || *c == '"' || *c == '\n' ? '_' : *c;
        }
        snprintf(line, sizeof line, "%" PRId64, run->step);
        add(line, 1, &time);
        size_t length = strlen(line);
        snprintf(line + length, LINE - length, ",%s", name);
        add(line, 3, m.position);
        add(line, 4, m.rotation);
        add(line, 3, m.velocity);
        add(line, 3, m.spin);
        add(line, 3, m.momentum);
        add(line, 3, m.angular_momentum);
        errno = 0;
        if (fputs(line, run->motion) < 0 || fputc('\n', run->motion) < 0) {
            return fail(run);
        }
    }
    errno = 0;
    return !run->motion || fflush(run->motion) == 0 || fail(run);
}

bool run_motion_sync(Run *run)
{
    errno = 0;
    return !run->motion || fsync(fileno(run->motion)) == 0 || errno == EINVAL || fail(run);
}

void run_motion_close(Run *run)
{
    if (run->motion) {
        fclose(run->motion);
        run->motion = NULL;
    }
}
