// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra view`: a scene in the browser. The command's own thread serves the network, a second one
// simulates.

#include "view.h"

#include <signal.h>

typedef struct Options {
    int32_t port, threads;
    const char *listen, *out;
    bool open, paused;
    CliList sets;
} Options;

static bool parse(int argument_count, char **arguments, Options *o, const char **scene,
                  CliExit *exit)
{
    const CliOption options[] = {
        {"--port", CLI_INT, &o->port, "N", "port to listen on (default: any free port)"},
        {"--listen", CLI_TEXT, &o->listen, "ADDRESS",
         "address to listen on (default: only this machine can connect)"},
        {"--open", CLI_FLAG, &o->open, NULL, "open the browser"},
        {"--paused", CLI_FLAG, &o->paused, NULL,
         "start paused (default: start when a browser connects)"},
        {"--out", CLI_TEXT, &o->out, "DIR", "folder for recordings (default: recording is off)"},
        {"--set", CLI_LIST, &o->sets, "PATH=VALUE",
         "change a value of the scene, e.g. time.dt='5 ms'; repeatable"},
        {"--threads", CLI_THREADS, &o->threads, "N", "worker threads (default: one per core)"},
        {0},
    };
    const CliUsage usage = {
        .command = "lyra view",
        .positional = "SCENE",
        .description =
            "Runs a scene, Lyra's .yaml or Vega's .config, and shows it in the browser, where you "
            "can pull\non it. Prints the address to open; keep it to yourself, since it is the "
            "key. "
            "Ctrl-C ends it.\nMore: docs/viewer.md.",
        .example = "lyra view beam.yaml --open",
        .options = options,
    };
    if (!cli_parse(&usage, argument_count, arguments, scene, NULL, exit)) {
        return false;
    }
    if (o->port < 0 || o->port > 65535) {
        *exit = cli_usage_error(&usage, "--port is %d, expected 0 to 65535", o->port);
        return false;
    }
    return true;
}

#ifdef LYRA_VIEWER

bool cli_has_viewer(void)
{
    return true;
}

// signals go to the thread of the network, which waits for them; all others are born without
static void block_signals(sigset_t *old)
{
    sigset_t ours;
    sigemptyset(&ours);
    sigaddset(&ours, SIGINT);
    sigaddset(&ours, SIGTERM);
    sigaddset(&ours, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &ours, old);
}

static CliExit simulate_and_serve(View *view, const ViewServerDef *def, const sigset_t *signals)
{
    pthread_t thread;
    if (!view_sim_create(view)) {
        return CLI_BAD_INPUT;
    }
    if (pthread_create(&thread, NULL, view_sim_run, view) != 0) {
        return cli_fail("cannot start the thread of the simulation");
    }
    pthread_sigmask(SIG_SETMASK, signals, NULL);
    int number = view_serve(view, def);
    view_hub_end(&view->hub);
    pthread_join(thread, NULL);
    return number == SIGINT    ? CLI_INTERRUPTED
           : number == SIGTERM ? CLI_TERMINATED
           : number < 0        ? CLI_BAD_INPUT
                               : CLI_OK;
}

CliExit cli_view(int argument_count, char **arguments)
{
    Options options = {0};
    View view = {0};
    CliExit exit = CLI_BAD_INPUT;
    sigset_t signals;
    if (!parse(argument_count, arguments, &options, &view.run.options.scene, &exit)) {
        return exit;
    }
    block_signals(&signals);
    // a full disk is reported by write()
    signal(SIGXFSZ, SIG_IGN);
    view.run.options.sets = options.sets;
    view.run.options.quiet = true;
    view.out = options.out;
    view.playing = !options.paused;
    view.run.ctx = cli_context(options.threads, LYRA_ISA_AUTO);
    if (!view.run.ctx) {
        return CLI_BAD_INPUT;
    }
    const ViewServerDef def = {options.listen, options.port, options.open};
    view_hub_init(&view.hub);
    exit = CLI_BAD_INPUT;
    if (run_load(&view.run)) {
        exit = simulate_and_serve(&view, &def, &signals);
    }
    view_sim_destroy(&view);
    run_end(&view.run);
    view_hub_destroy(&view.hub);
    return exit;
}

#else

bool cli_has_viewer(void)
{
    return false;
}

CliExit cli_view(int argument_count, char **arguments)
{
    Options options = {0};
    const char *scene = NULL;
    CliExit exit = CLI_BAD_INPUT;
    if (!parse(argument_count, arguments, &options, &scene, &exit)) {
        return exit;
    }
    return cli_fail("this build has no viewer: it needs libwebsockets and, when building, npm "
                    "(make viewer)");
}

#endif
