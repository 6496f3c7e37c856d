// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra verify`: picks the cases, runs them and writes the reports.

#include "verify.h"

#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 64

// in the order of the reports
static const VerifyCase *const groups[] = {
    verify_patch_cases,     verify_tension_cases,        verify_beam_cases,
    verify_cook_cases,      verify_incompressible_cases, verify_sphere_cases,
    verify_locking_cases,   verify_order_cases,          verify_modes_cases,
    verify_motion_cases,    verify_time_cases,           verify_plastic_cases,
    verify_impact_cases,    verify_viscous_cases,        verify_cloth_cases,
    verify_rod_cases,       verify_shell_cases,          verify_particles_cases,
    verify_obstacles_cases, verify_rigid_cases,          verify_calculix_cases,
};

enum { GROUP_COUNT = sizeof groups / sizeof groups[0] };

typedef struct Options {
    bool quick, json, list;
    const char *html, *markdown, *pictures;
    int32_t threads;
} Options;

static void print_list(void)
{
    for (int32_t g = 0; g < GROUP_COUNT; ++g) {
        for (const VerifyCase *what = groups[g]; what->name; ++what) {
            printf("%-18s %-10s %-6s %s\n", what->name, what->group, what->quick ? "quick" : "",
                   what->summary);
        }
    }
}

// whether a case is among the names, by its own or by its group's
static bool is_named(const VerifyCase *what, const char *const *names, int32_t count)
{
    for (int32_t i = 0; i < count; ++i) {
        if (strcmp(names[i], what->name) == 0 || strcmp(names[i], what->group) == 0) {
            return true;
        }
    }
    return false;
}

// the command line's complaint about a name that is neither of a case nor of a group
static CliExit check_name(const CliUsage *usage, const char *name)
{
    const char *known[256];
    int32_t count = 0;
    for (int32_t g = 0; g < GROUP_COUNT; ++g) {
        for (const VerifyCase *what = groups[g]; what->name; ++what) {
            if (is_named(what, &name, 1)) {
                return CLI_OK;
            }
            if (count + 2 <= (int32_t)(sizeof known / sizeof known[0])) {
                known[count++] = what->name;
                known[count++] = what->group;
            }
        }
    }
    const char *nearest = cli_nearest(name, known, count);
    return nearest ? cli_usage_error(usage, "no case \"%s\"; did you mean \"%s\"?", name, nearest)
                   : cli_usage_error(usage, "no case \"%s\"; --list prints those there are", name);
}

static CliExit write_reports(const Verify *verify, const Options *options)
{
    if (options->json) {
        verify_print_json(verify, stdout);
    } else {
        int32_t failures = verify_failure_count(verify);
        printf("%d rows of %d cases: ", verify->row_count, verify->run_count);
        printf(failures == 0 ? "all pass\n" : "%d do not pass\n", failures);
    }
    CliExit exit = CLI_OK;
    if (options->html) {
        exit = verify_write_html(verify, options->html);
    }
    if (options->markdown && exit == CLI_OK) {
        exit = verify_write_markdown(verify, options->markdown, options->pictures);
    }
    CliExit output = cli_finish_output();
    return exit == CLI_OK ? output : exit;
}

static CliExit run_cases(const Options *options, const char *const *names, int32_t name_count)
{
    Verify verify = {.quick = options->quick, .live = options->json ? NULL : stdout};
    if (verify.live) {
        verify_print_head(verify.live);
    }
    CliExit exit = CLI_OK;
    for (int32_t g = 0; g < GROUP_COUNT; ++g) {
        for (const VerifyCase *what = groups[g]; what->name && exit == CLI_OK; ++what) {
            bool wanted =
                name_count > 0 ? is_named(what, names, name_count) : what->quick || !options->quick;
            if (wanted) {
                exit = verify_run_case(&verify, what, options->threads);
            }
        }
    }
    if (exit == CLI_OK) {
        exit = write_reports(&verify, options);
    }
    if (exit == CLI_OK) {
        exit = verify_judge(&verify);
    }
    verify_end(&verify);
    return exit;
}

CliExit cli_verify(int argument_count, char **arguments)
{
    Options options = {0};
    const CliOption table[] = {
        {"--quick", CLI_FLAG, &options.quick, NULL, "only the quick cases, in their short form"},
        {"--json", CLI_FLAG, &options.json, NULL, "print one JSON document"},
        {"--html", CLI_TEXT, &options.html, "FILE", "write a page with tables and charts"},
        {"--markdown", CLI_TEXT, &options.markdown, "FILE", "write the tables as Markdown"},
        {"--pictures", CLI_TEXT, &options.pictures, "FOLDER",
         "with --markdown: write the charts as SVG into this folder"},
        {"--list", CLI_FLAG, &options.list, NULL, "print the names of the cases and exit"},
        {"--threads", CLI_THREADS, &options.threads, "N", "worker threads (default: one per core)"},
        {0},
    };
    const CliUsage usage = {
        .command = "lyra verify",
        .positional = "[CASE...]",
        .description =
            "Compares Lyra with closed forms, published benchmarks and other codes. Runs the "
            "named cases or\ngroups of cases, or all. The exit code is 0 if all rows pass, else 1.",
        .example = "lyra verify --quick elastica",
        .options = table,
        .list_max = NAMES_MAX,
    };
    const char *names[NAMES_MAX];
    int32_t name_count;
    CliExit exit;
    if (!cli_parse(&usage, argument_count, arguments, names, &name_count, &exit)) {
        return exit;
    }
    if (options.pictures && !options.markdown) {
        return cli_usage_error(&usage, "--pictures goes with --markdown");
    }
    for (int32_t i = 0; i < name_count; ++i) {
        exit = check_name(&usage, names[i]);
        if (exit != CLI_OK) {
            return exit;
        }
    }
    if (options.list) {
        print_list();
        return cli_finish_output();
    }
    return run_cases(&options, names, name_count);
}
