// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The `lyra` command: one word picks the subcommand, each in a file of its own.

#include "cli.h"

#include <string.h>

static CliExit run_version(int argument_count, char **arguments)
{
    static const CliUsage usage = {
        .command = "lyra version",
        .positional = "",
        .description = "Prints the version, the libraries this build uses and the instruction sets "
                       "this machine has.",
        .example = "lyra version",
    };
    CliExit exit;
    if (!cli_parse(&usage, argument_count, arguments, NULL, NULL, &exit)) {
        return exit;
    }
    printf("lyra %s\n", lyra_version());
    bool used;
    const char *name;
    for (int32_t i = 0; (name = lyra_feature(i, &used)); ++i) {
        printf("  %-10s %s\n", name, used ? "yes" : "no");
    }
    printf("  %-10s %s\n", "viewer", cli_has_viewer() ? "yes" : "no");
    printf("  %-10s", "isa");
    for (int isa = LYRA_ISA_SCALAR; isa < LYRA_ISA_COUNT; ++isa) {
        if (lyra_isa_available((LyraIsa)isa)) {
            printf(" %s", lyra_isa_name((LyraIsa)isa));
        }
    }
    printf("\n");
    return cli_finish_output();
}

int main(int argument_count, char **arguments)
{
    static const CliCommand commands[] = {
        {"run", "run a scene and write its results", cli_run},
        {"scene", "list the bodies, forces and parameters of a scene", cli_scene},
        {"compare", "tell how far two runs are apart", cli_compare},
        {"convert", "write a scene of Vega as one in YAML", cli_convert},
        {"view", "run a scene in the browser and pull on it", cli_view},
        {"mesh", "generate, inspect, convert and repair meshes", cli_mesh},
        {"snapshot", "draw a mesh or a surface", cli_snapshot},
        {"plot", "draw columns of a CSV file", cli_plot},
        {"modes", "compute natural frequencies and mode shapes", cli_modes},
        {"eval", "compute energy, internal force and tangent of a mesh", cli_eval},
        {"fit", "find Prony series of measurements", cli_fit},
        {"verify", "compare with closed forms and published benchmarks", cli_verify},
        {"bench", "measure speed on this machine", cli_bench},
        {"version", "print version, libraries in use, instruction sets", run_version},
        {0},
    };
    // as other programs do
    if (argument_count == 2 && strcmp(arguments[1], "--version") == 0) {
        return run_version(0, NULL);
    }
    CliExit exit = cli_dispatch("lyra", commands, argument_count - 1, arguments + 1);
    cli_remarks_end();
    return exit;
}
