// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra scene`: what a scene is made of, as the library made it: bodies, groups of forces, and the
// numbers that can be set.

#include "cli.h"

#include <string.h>

// ---- words --------------------------------------------------------------------------------------

static const struct {
    uint32_t bit;
    const char *word;
} traits[] = {
    {LYRA_FORCE_CONSERVATIVE, "conservative"},
    {LYRA_FORCE_SYMMETRIC, "symmetric"},
    {LYRA_FORCE_TRANSLATION_INVARIANT, "translation-invariant"},
    {LYRA_FORCE_VELOCITY, "velocity"},
    {LYRA_FORCE_HISTORY, "history"},
    {LYRA_FORCE_REORDERABLE, "reorderable"},
    {LYRA_FORCE_CONTRACTION, "contraction"},
    {LYRA_FORCE_LINEAR, "linear"},
    {LYRA_FORCE_TIME, "time"},
    {LYRA_FORCE_SOLID, "solid"},
    {LYRA_FORCE_INEXACT, "inexact"},
    {LYRA_FORCE_DISPLACEMENT, "displacement"},
    {LYRA_FORCE_DASHPOT, "dashpot"},
    {LYRA_FORCE_LOAD, "load"},
    {LYRA_FORCE_SPRINGS, "springs"},
};

enum { TRAITS = sizeof traits / sizeof traits[0] };

static int32_t element_count(const LyraBodyView *body)
{
    const LyraMesh *mesh = body->shape ? body->shape : body->mesh;
    return mesh          ? lyra_mesh_view(mesh).element_count
           : body->cloth ? lyra_cloth_view(body->cloth).triangle_count
           : body->shell ? lyra_shell_view(body->shell).triangle_count
                         : 0;
}

static double mass_of(const LyraModelView *model, const LyraBodyView *body)
{
    double sum = 0;
    for (int32_t v = 0; v < body->vertex_count; ++v) {
        sum += model->masses[body->first_vertex + v];
    }
    return sum;
}

static const char *owner_of(const LyraWorldView *view, const LyraForceGroup *group)
{
    return group->owner >= 0 && group->owner < view->body_count ? view->bodies[group->owner].name
                                                                : NULL;
}

// ---- as text ------------------------------------------------------------------------------------

static void print_bodies(const LyraWorldView *view)
{
    LyraModelView model = lyra_model_view(view->model);
    printf("\n%-20s %-10s %10s %10s %10s %9s\n", "body", "kind", "vertices", "elements", "mass kg",
           "surfaces");
    for (int32_t b = 0; b < view->body_count; ++b) {
        const LyraBodyView *body = &view->bodies[b];
        printf("%-20s %-10s %10d %10d %10.4g %9d\n", body->name, body->kind, body->vertex_count,
               element_count(body), mass_of(&model, body), body->surface_count);
    }
}

static void print_groups(const LyraWorldView *view)
{
    LyraForceGroup group;
    printf("\n%3s  %-30s %-20s %10s  %s\n", "id", "force group", "body", "stencils", "traits");
    for (int32_t g = 0; lyra_model_group(view->model, g, &group); ++g) {
        const char *owner = owner_of(view, &group);
        char words[256] = "";
        for (int t = 0; t < TRAITS; ++t) {
            if (group.type->traits & traits[t].bit) {
                cli_append(words, sizeof words, traits[t].word);
            }
        }
        printf("%3d  %-30s %-20s ", g, group.name, owner ? owner : "-");
        if (group.changing) {
            printf("%10s  ", "changing");
        } else {
            printf("%10d  ", group.stencil_count);
        }
        printf("%s\n", words);
    }
}

static void print_parameters(LyraWorld *world)
{
    LyraWorldParameter parameter;
    printf("\n%-50s %14s  %s\n", "parameter", "value", "unit");
    for (int32_t p = 0; lyra_world_parameter(world, p, &parameter); ++p) {
        printf("%-50s %14.7g  %s\n", parameter.path, parameter.value,
               parameter.factor ? "(factor on values that differ)" : parameter.unit);
    }
}

static void print_probes(LyraWorld *world)
{
    LyraProbeView probe;
    if (lyra_world_probe_count(world) > 0) {
        printf("\n%-30s %s\n", "probe", "unit");
    }
    for (int32_t p = 0;
         p < lyra_world_probe_count(world) && lyra_world_probe(world, p, &probe) == LYRA_OK; ++p) {
        printf("%-30s %s%s\n", probe.name, probe.unit, probe.count > 1 ? ", x y z" : "");
    }
}

static CliExit print_text(LyraWorld *world, const LyraSceneView *said)
{
    LyraWorldView view = lyra_world_view(world);
    printf("%s: %s, %s, dt %g s", said->name, lyra_world_integrator(world),
           lyra_world_solver(world), view.dt);
    if (view.steps > 0) {
        printf(", %lld steps", (long long)view.steps);
    }
    printf("\n");
    print_bodies(&view);
    print_groups(&view);
    print_parameters(world);
    print_probes(world);
    return cli_finish_output();
}

// ---- as JSON ------------------------------------------------------------------------------------

static void write_bodies(const LyraWorldView *view, CliJson *json)
{
    LyraModelView model = lyra_model_view(view->model);
    cli_json_open(json, "bodies", '[');
    for (int32_t b = 0; b < view->body_count; ++b) {
        const LyraBodyView *body = &view->bodies[b];
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "name", body->name);
        cli_json_text(json, "kind", body->kind);
        cli_json_int(json, "first_vertex", body->first_vertex);
        cli_json_int(json, "vertices", body->vertex_count);
        cli_json_int(json, "elements", element_count(body));
        cli_json_double(json, "mass", mass_of(&model, body));
        cli_json_int(json, "surfaces", body->surface_count);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void write_groups(const LyraWorldView *view, CliJson *json)
{
    LyraForceGroup group;
    cli_json_open(json, "forces", '[');
    for (int32_t g = 0; lyra_model_group(view->model, g, &group); ++g) {
        const char *owner = owner_of(view, &group);
        cli_json_open(json, NULL, '{');
        cli_json_int(json, "id", g);
        cli_json_text(json, "name", group.name);
        cli_json_text(json, "type", group.type->name);
        if (owner) {
            cli_json_text(json, "body", owner);
        }
        if (!group.changing) {
            cli_json_int(json, "stencils", group.stencil_count);
        }
        cli_json_bool(json, "changing", group.changing);
        cli_json_open(json, "traits", '[');
        for (int t = 0; t < TRAITS; ++t) {
            if (group.type->traits & traits[t].bit) {
                cli_json_text(json, NULL, traits[t].word);
            }
        }
        cli_json_close(json, ']');
        cli_json_open(json, "parameters", '[');
        for (int32_t p = 0; group.type->parameter_names && p < group.type->parameter_count; ++p) {
            cli_json_text(json, NULL, group.type->parameter_names[p]);
        }
        cli_json_close(json, ']');
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void write_parameters(LyraWorld *world, CliJson *json)
{
    LyraWorldParameter parameter;
    cli_json_open(json, "parameters", '[');
    for (int32_t p = 0; lyra_world_parameter(world, p, &parameter); ++p) {
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "path", parameter.path);
        cli_json_double(json, "value", parameter.value);
        cli_json_text(json, "unit", parameter.unit);
        cli_json_bool(json, "factor", parameter.factor);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void write_probes(LyraWorld *world, CliJson *json)
{
    LyraProbeView probe;
    cli_json_open(json, "probes", '[');
    for (int32_t p = 0;
         p < lyra_world_probe_count(world) && lyra_world_probe(world, p, &probe) == LYRA_OK; ++p) {
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "name", probe.name);
        cli_json_text(json, "unit", probe.unit);
        cli_json_int(json, "components", probe.count);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static CliExit print_json(LyraWorld *world, const LyraSceneView *said)
{
    LyraWorldView view = lyra_world_view(world);
    CliJson json = {.file = stdout};
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "name", said->name);
    cli_json_text(&json, "integrator", lyra_world_integrator(world));
    cli_json_text(&json, "solver", lyra_world_solver(world));
    cli_json_double(&json, "dt", view.dt);
    cli_json_int(&json, "steps", view.steps);
    int32_t vertices = 0;
    for (int32_t b = 0; b < view.body_count; ++b) {
        vertices += view.bodies[b].vertex_count;
    }
    cli_json_int(&json, "vertices", vertices);
    write_bodies(&view, &json);
    write_groups(&view, &json);
    write_parameters(world, &json);
    write_probes(world, &json);
    cli_json_close(&json, '}');
    return cli_finish_output();
}

// ---- the command --------------------------------------------------------------------------------

CliExit cli_scene(int argument_count, char **arguments)
{
    CliList sets = {0};
    bool as_json = false;
    const CliOption options[] = {
        {"--set", CLI_LIST, &sets, "PATH=VALUE", "change a value of the scene; repeatable"},
        {"--json", CLI_FLAG, &as_json, NULL, "print one JSON document"},
        {0},
    };
    const CliUsage usage = {
        .command = "lyra scene",
        .positional = "SCENE",
        .description = "Prints what a scene, Lyra's .yaml or Vega's .config, is made of: its "
                       "bodies, the groups of\nforces on them with what these are, and every "
                       "number that can be turned, by its path.",
        .example = "lyra scene beam.yaml --json",
        .options = options,
    };
    const char *path;
    CliExit exit;
    if (!cli_parse(&usage, argument_count, arguments, &path, NULL, &exit)) {
        return exit;
    }
    LyraContext *ctx = cli_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    LyraScene *scene = NULL;
    LyraSceneDef def = lyra_scene_def_default();
    def.overrides = sets.items;
    def.override_count = sets.count;
    exit = CLI_BAD_INPUT;
    if (ctx && lyra_world_load(ctx, path, &def, &world, &scene) != LYRA_OK) {
        cli_failed();
    } else if (ctx) {
        LyraSceneView said = lyra_scene_view(scene);
        exit = as_json ? print_json(world, &said) : print_text(world, &said);
    }
    lyra_world_destroy(world);
    lyra_scene_destroy(scene);
    lyra_context_destroy(ctx);
    return exit;
}
