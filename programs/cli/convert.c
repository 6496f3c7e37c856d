// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra convert`: a scene of Vega as one in YAML, to go on editing.

#include "cli.h"

#include <unistd.h>

CliExit cli_convert(int argument_count, char **arguments)
{
    CliList sets = {0};
    bool force = false;
    const CliOption options[] = {
        {"--set", CLI_LIST, &sets, "KEY=VALUE", "change a key of the scene first; repeatable"},
        {"--force", CLI_FLAG, &force, NULL, "replace a file that is there"},
        {0},
    };
    const CliUsage usage = {
        .command = "lyra convert",
        .positional = "SCENE.config SCENE.yaml",
        .description =
            "Writes a scene of Vega as one in YAML whose bodies move alike, bit for bit. "
            "Meshes and other files\nstay where they are.",
        .example = "lyra convert turtle.config turtle.yaml",
        .options = options,
    };
    const char *paths[2];
    CliExit exit;
    if (!cli_parse(&usage, argument_count, arguments, paths, NULL, &exit)) {
        return exit;
    }
    if (!force && access(paths[1], F_OK) == 0) {
        return cli_fail("%s is there already; --force replaces it", paths[1]);
    }
    LyraContext *ctx = cli_context(0, LYRA_ISA_AUTO);
    LyraSceneDef def = lyra_scene_def_default();
    def.overrides = sets.items;
    def.override_count = sets.count;
    exit = CLI_BAD_INPUT;
    if (ctx && lyra_scene_convert(ctx, paths[0], &def, paths[1]) == LYRA_OK) {
        exit = cli_finish_output();
    } else if (ctx) {
        cli_failed();
    }
    lyra_context_destroy(ctx);
    return exit;
}
