// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra mesh intersections`: where surfaces pass through themselves or each other.

#include "mesh.h"

#include "lyra/collide.h"

#include <stdlib.h>

// a surface, or the boundary of a mesh with its vertex numbers
static LyraStatus load(LyraContext *ctx, const char *path, LyraSurface **out)
{
    LyraMesh *mesh = NULL;
    LyraStatus status = lyra_mesh_or_surface_load(ctx, path, &mesh, out);
    if (status == LYRA_OK && mesh) {
        status = cli_boundary_surface(ctx, mesh, true, true, out);
    }
    lyra_mesh_destroy(mesh);
    return status;
}

// What was found of up to two files.
typedef struct Findings {
    const char *paths[2];
    int32_t path_count;
    int64_t listed;
    const LyraIntersection *found;
    LyraIntersectionReport report;
} Findings;

// vertices and faces count from 1, as in OBJ files
static void print_json(const Findings *findings)
{
    CliJson json = {.file = stdout};
    cli_json_open(&json, NULL, '{');
    cli_json_int(&json, "intersections", findings->report.count);
    cli_json_int(&json, "touches", findings->report.touches);
    cli_json_open(&json, "list", '[');
    for (int64_t k = 0; k < findings->listed; ++k) {
        const LyraIntersection *item = &findings->found[k];
        bool second = item->second;
        cli_json_open(&json, NULL, '{');
        cli_json_text(&json, "edge_file", findings->paths[second ? 1 : 0]);
        cli_json_open(&json, "edge", '[');
        cli_json_int(&json, NULL, item->edge[0] + (int64_t)1);
        cli_json_int(&json, NULL, item->edge[1] + (int64_t)1);
        cli_json_close(&json, ']');
        cli_json_text(&json, "face_file",
                      findings->paths[findings->path_count == 2 && !second ? 1 : 0]);
        cli_json_int(&json, "face", item->face + (int64_t)1);
        cli_json_bool(&json, "touch", item->touch);
        cli_json_doubles(&json, "point", 3, item->point);
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, ']');
    cli_json_close(&json, '}');
    printf("\n");
}

static void print_text(const Findings *findings)
{
    for (int64_t k = 0; k < findings->listed; ++k) {
        const LyraIntersection *item = &findings->found[k];
        printf("edge %d-%d%s%s %s face %d%s%s at (%.9g, %.9g, %.9g)\n", item->edge[0] + 1,
               item->edge[1] + 1, findings->path_count == 2 ? " of " : "",
               findings->path_count == 2 ? findings->paths[item->second] : "",
               item->touch ? "touches" : "crosses", item->face + 1,
               findings->path_count == 2 ? " of " : "",
               findings->path_count == 2 ? findings->paths[!item->second] : "", item->point[0],
               item->point[1], item->point[2]);
    }
    if (findings->report.count > findings->listed) {
        printf("... and %lld more\n", (long long)(findings->report.count - findings->listed));
    }
    printf("%lld intersections, %lld of them touches\n", (long long)findings->report.count,
           (long long)findings->report.touches);
}

CliExit cli_mesh_intersections(int argument_count, char **arguments)
{
    int32_t most = 20;
    bool as_json = false;
    const CliOption options[] = {
        {"--most", CLI_INT, &most, "N", "list at most N of them (default 20)"},
        {"--json", CLI_FLAG, &as_json, NULL, "print JSON"},
        {0},
    };
    const CliUsage usage = {
        .command = "lyra mesh intersections",
        .positional = "A [B]",
        .description = "Counts the places where edges of a surface pass through its faces, or, of "
                       "two files, where\nedges of each pass through faces of the other. The test "
                       "is exact. Of a volume mesh it is the\nboundary. Edges and faces that share "
                       "a vertex are left out. An edge that ends on a face, meets\nits border or "
                       "lies in it touches. Vertices and faces count from 1.",
        .example = "lyra mesh intersections cloth.obj body.obj --json",
        .options = options,
    };
    Findings findings = {.path_count = 0};
    CliExit exit;
    if (!cli_parse(&usage, argument_count, arguments, findings.paths, &findings.path_count,
                   &exit)) {
        return exit;
    }
    if (most < 0) {
        return cli_usage_error(&usage, "--most is %d, expected 0 or more", most);
    }
    LyraContext *ctx = cli_context(0, LYRA_ISA_AUTO);
    LyraSurface *surfaces[2] = {NULL, NULL};
    LyraStatus status = ctx ? LYRA_OK : LYRA_INVALID_ARGUMENT;
    for (int32_t s = 0; s < findings.path_count && status == LYRA_OK; ++s) {
        status = load(ctx, findings.paths[s], &surfaces[s]);
    }
    // counted first: "most" may stand for all
    LyraIntersection *found = NULL;
    if (status == LYRA_OK) {
        status = lyra_surface_intersections(surfaces[0], surfaces[1], 0, NULL, &findings.report);
    }
    if (status == LYRA_OK && most > 0 && findings.report.count > 0) {
        int64_t room = findings.report.count < most ? findings.report.count : most;
        found = cli_allocate((size_t)room * sizeof *found);
        status =
            lyra_surface_intersections(surfaces[0], surfaces[1], room, found, &findings.report);
    }
    if (status == LYRA_OK) {
        findings.found = found;
        findings.listed = findings.report.count < most ? findings.report.count : most;
        if (as_json) {
            print_json(&findings);
        } else {
            print_text(&findings);
        }
        exit = cli_finish_output();
    } else {
        exit = ctx ? cli_failed() : CLI_BAD_INPUT;
    }
    free(found);
    lyra_surface_destroy(surfaces[1]);
    lyra_surface_destroy(surfaces[0]);
    lyra_context_destroy(ctx);
    return exit;
}
