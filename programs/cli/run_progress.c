// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What a run shows while it works, on standard error: on a terminal one line that is overwritten,
// elsewhere a line now and then.

#include "run.h"

#include <unistd.h>

// seconds between two looks
#define TERMINAL_SECONDS 0.1
#define PLAIN_SECONDS 5.0

static double shown_at;
static bool line_open;

// "1:02:03", "2:03"
static void format_duration(double seconds, char text[32])
{
    long long whole = seconds < 1e15 ? (long long)(seconds + 0.5) : 0;
    if (whole >= 3600) {
        snprintf(text, 32, "%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60, whole % 60);
    } else {
        snprintf(text, 32, "%lld:%02lld", whole / 60, whole % 60);
    }
}

void run_progress(const Run *run)
{
    if (run->options.quiet || run->options.json) {
        return;
    }
    bool terminal = isatty(STDERR_FILENO) == 1;
    double now = run_now(), elapsed = now - run->began;
    double since = now - (shown_at > 0 ? shown_at : run->began);
    if (since < (terminal ? TERMINAL_SECONDS : PLAIN_SECONDS)) {
        return;
    }
    shown_at = now;
    int64_t taken = run->step - run->first, left = run->steps - run->step;
    double rate = elapsed > 0 ? (double)taken / elapsed : 0;
    char remaining[32];
    format_duration(rate > 0 ? (double)left / rate : 0, remaining);
    fprintf(stderr,
            "%s%3.0f %%  step %lld of %lld  %.3g steps/s  t = %.4g s after %.1f s  %d Newton  %s "
            "left%s",
            terminal ? "\r" : "", 100 * (double)run->step / (double)run->steps,
            (long long)run->step, (long long)run->steps, rate, run->report.time, elapsed,
            run->report.newton_iterations, remaining, terminal ? "\x1b[K" : "\n");
    fflush(stderr);
    line_open = terminal;
}

void run_progress_end(const Run *run)
{
    (void)run;
    if (line_open) {
        fprintf(stderr, "\r\x1b[K");
        fflush(stderr);
        line_open = false;
    }
}
