// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra modes`: natural frequencies and shapes of a mesh or of a scene.

#include "mesh.h"

#include "lyra/dense.h"
#include "lyra/matrix_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct ModesOptions {
    LyraModesDef def;
    LyraSolidDef solid;
    const char *method, *fixed, *displacement, *shapes, *vtu;
    double density; // NaN: the mesh's
    CliList sets;
    int32_t threads;
    bool lumped, json;
} ModesOptions;

// A model to be looked at: of a scene, or made of a mesh.
typedef struct ModesBody {
    LyraContext *ctx;
    LyraWorld *world;
    LyraMesh *mesh;
    LyraSolid *solid;
    LyraMassMatrix *mass;
    LyraModel *own;   // made here
    LyraModel *model; // lent or own
    LyraSystem *system;
    LyraState *state;
    LyraModes *modes;
    LyraModesReport report;
    double *masses, *densities;
} ModesBody;

static void end_body(ModesBody *body)
{
    lyra_modes_destroy(body->modes);
    lyra_state_destroy(body->state);
    lyra_system_destroy(body->system);
    lyra_model_destroy(body->own);
    lyra_mass_matrix_destroy(body->mass);
    lyra_solid_destroy(body->solid);
    lyra_mesh_destroy(body->mesh);
    lyra_world_destroy(body->world);
    lyra_context_destroy(body->ctx);
    free(body->masses);
    free(body->densities);
}

static bool is_scene(const char *path)
{
    static const char *const extensions[] = {".config", ".yaml", ".yml"};
    const char *dot = strrchr(path, '.');
    for (int i = 0; dot && i < 3; ++i) {
        if (strcmp(dot, extensions[i]) == 0) {
            return true;
        }
    }
    return false;
}

// ---- input --------------------------------------------------------------------------------------

static LyraStatus load_scene(const char *path, const ModesOptions *options, ModesBody *body)
{
    LyraSceneDef def = lyra_scene_def_default();
    def.overrides = options->sets.items;
    def.override_count = options->sets.count;
    LyraStatus status = lyra_world_load(body->ctx, path, &def, &body->world, NULL);
    if (status == LYRA_OK) {
        body->model = lyra_world_view(body->world).model;
    }
    return status;
}

static LyraStatus fix_vertices(const ModesOptions *options, ModesBody *body)
{
    int32_t count = 0, *list = NULL;
    int32_t vertex_count = lyra_mesh_view(body->mesh).vertex_count;
    LyraStatus status =
        lyra_vertex_list_load(body->ctx, options->fixed, 1, vertex_count, &count, &list);
    if (status == LYRA_OK) {
        status = lyra_constraints_fix_vertices(lyra_model_constraints(body->model), count, list);
    }
    lyra_vertex_list_destroy(body->ctx, list);
    return status;
}

static LyraStatus make_model(const ModesOptions *options, ModesBody *body)
{
    LyraMeshView view = lyra_mesh_view(body->mesh);
    if (!isnan(options->density)) {
        body->densities = cli_allocate((size_t)view.element_count * sizeof *body->densities);
        for (int32_t e = 0; e < view.element_count; ++e) {
            body->densities[e] = options->density;
        }
    }
    LyraModelDef def = lyra_model_def_default();
    def.vertex_count = view.vertex_count;
    def.positions = view.positions;
    LyraStatus status = LYRA_OK;
    if (options->lumped) {
        body->masses = cli_allocate((size_t)view.vertex_count * sizeof *body->masses);
        lyra_mesh_lumped_masses(body->mesh, body->densities, body->masses);
        def.masses = body->masses;
    } else {
        status = lyra_mass_matrix_create(body->mesh, body->densities, true, &body->mass);
        def.mass_matrix = body->mass;
    }
    if (status == LYRA_OK) {
        status = lyra_solid_create(body->ctx, body->mesh, &options->solid, &body->solid);
    }
    if (status == LYRA_OK) {
        def.forces = lyra_solid_forces(body->solid, &def.force_count);
        status = lyra_model_create(body->ctx, &def, &body->own);
        body->model = body->own;
    }
    return status == LYRA_OK && options->fixed ? fix_vertices(options, body) : status;
}

// the displacements of an .npy file, (n,3) or (3n), as the state
static CliExit load_state(const char *path, ModesBody *body)
{
    LyraDense *dense = NULL;
    if (lyra_dense_load_npy(body->ctx, path, &dense) != LYRA_OK) {
        return cli_failed();
    }
    LyraDenseView view = lyra_dense_view(dense);
    LyraVector *u = lyra_state_view(body->state).u;
    int32_t size = lyra_vector_size(u), n = size / 3;
    bool matrix = view.rows == n && view.columns == 3, vector = view.rows == size;
    CliExit exit = CLI_OK;
    if (!matrix && !(vector && view.columns == 1)) {
        exit = cli_fail("%s: found shape (%d, %d), expected (%d, 3) or (%d)", path, view.rows,
                        view.columns, n, size);
    }
    for (int32_t i = 0; exit == CLI_OK && i < size; ++i) {
        lyra_vector_values_mutable(u)[i] =
            matrix ? view.values[i / 3 + (int64_t)n * (i % 3)] : view.values[i];
    }
    lyra_dense_destroy(dense);
    return exit;
}

static CliExit find_modes(const char *path, const ModesOptions *options, ModesBody *body)
{
    body->ctx = cli_context(options->threads, LYRA_ISA_AUTO);
    if (!body->ctx) {
        return CLI_BAD_INPUT;
    }
    if (!is_scene(path) && !(body->mesh = cli_load_mesh(body->ctx, path))) {
        return CLI_BAD_INPUT;
    }
    LyraStatus status = body->mesh ? make_model(options, body) : load_scene(path, options, body);
    // a system of its own: the scene's has a solver for steps
    LyraSolverDef solver = lyra_solver_def_default();
    solver.task = LYRA_SOLVER_MANY;
    if (status != LYRA_OK ||
        lyra_system_create_sparse(body->ctx, body->model, &solver, &body->system) != LYRA_OK ||
        lyra_system_state_create(body->system, &body->state) != LYRA_OK) {
        return cli_failed();
    }
    if (options->displacement) {
        CliExit exit = load_state(options->displacement, body);
        if (exit != CLI_OK) {
            return exit;
        }
    }
    LyraStateView state = lyra_state_view(body->state);
    LyraPoint at = {.u = state.u, .v = state.v, .committed = body->state};
    status = lyra_modes_create(body->system, &at, &options->def, &body->modes, &body->report);
    return status == LYRA_OK ? CLI_OK : cli_failed();
}

// ---- output -------------------------------------------------------------------------------------

// one body with a vector field per mode
static CliExit save_body(const ModesBody *body, const LyraMesh *mesh, int32_t first,
                         const char *path)
{
    LyraModesView view = lyra_modes_view(body->modes);
    char(*names)[64] = cli_allocate((size_t)view.count * sizeof *names);
    LyraField *fields = cli_allocate((size_t)view.count * sizeof *fields);
    for (int32_t k = 0; k < view.count; ++k) {
        snprintf(names[k], sizeof names[k], "mode %d (%.6g Hz)", k + 1, view.frequencies[k]);
        fields[k] = (LyraField){
            .name = names[k],
            .components = 3,
            .values = view.vectors + (int64_t)k * view.size + 3 * (int64_t)first,
        };
    }
    LyraStatus status = lyra_mesh_save_fields(mesh, path, NULL, 0, view.count, fields);
    free(names);
    free(fields);
    return status == LYRA_OK ? CLI_OK : cli_failed();
}

// "shapes.vtu" of body `name` among several: "shapes_name.vtu", to free()
static char *body_path(const char *path, const char *name)
{
    size_t room = strlen(path) + strlen(name) + 2;
    char *out = cli_allocate(room);
    const char *dot = strrchr(path, '.');
    int stem = (int)(dot ? dot - path : (long)strlen(path));
    snprintf(out, room, "%.*s_%s%s", stem, path, name, dot ? dot : "");
    return out;
}

static CliExit save_vtu(const ModesBody *body, const char *path)
{
    if (body->mesh) {
        return save_body(body, body->mesh, 0, path);
    }
    LyraWorldView view = lyra_world_view(body->world);
    CliExit exit = CLI_OK;
    for (int32_t b = 0; b < view.body_count && exit == CLI_OK; ++b) {
        const LyraBodyView *part = &view.bodies[b];
        if (part->mesh && view.body_count == 1) {
            exit = save_body(body, part->mesh, part->first_vertex, path);
        } else if (part->mesh) {
            char *own = body_path(path, part->name);
            exit = save_body(body, part->mesh, part->first_vertex, own);
            free(own);
        }
    }
    return exit;
}

static CliExit save(const ModesBody *body, const ModesOptions *options)
{
    LyraModesView view = lyra_modes_view(body->modes);
    if (options->shapes) {
        LyraDenseView shapes = {.rows = view.size, .columns = view.count, .values = view.vectors};
        if (lyra_dense_save_npy(body->ctx, options->shapes, LYRA_NPY_COLUMN_MAJOR, shapes) !=
            LYRA_OK) {
            return cli_failed();
        }
    }
    return options->vtu ? save_vtu(body, options->vtu) : CLI_OK;
}

static CliExit print_report(const ModesBody *body, bool as_json)
{
    LyraModesView view = lyra_modes_view(body->modes);
    const LyraModesReport *report = &body->report;
    if (as_json) {
        CliJson json = {.file = stdout};
        cli_json_open(&json, NULL, '{');
        cli_json_doubles(&json, "frequencies", view.count, view.frequencies);
        cli_json_doubles(&json, "eigenvalues", view.count, view.eigenvalues);
        cli_json_doubles(&json, "residuals", view.count, view.residuals);
        cli_json_int(&json, "rigid", view.rigid_count);
        cli_json_text(&json, "method", lyra_modes_method_name(report->method));
        cli_json_text(&json, "solver", report->solver);
        cli_json_double(&json, "shift", report->shift);
        cli_json_int(&json, "solves", report->solves);
        cli_json_double(&json, "seconds", report->factor_seconds + report->search_seconds);
        cli_json_close(&json, '}');
        return cli_finish_output();
    }
    printf("%5s %16s %18s %10s\n", "mode", "frequency Hz", "w^2 1/s^2", "residual");
    for (int32_t k = 0; k < view.count; ++k) {
        printf("%5d %16.9g %18.10g %10.1e\n", k + 1, view.frequencies[k], view.eigenvalues[k],
               view.residuals[k]);
    }
    printf("%d of zero frequency; %s with %s, %d solves, %.3g s\n", view.rigid_count,
           lyra_modes_method_name(report->method), report->solver, report->solves,
           report->factor_seconds + report->search_seconds);
    return cli_finish_output();
}

// ---- the command --------------------------------------------------------------------------------

static CliExit complete_options(const CliUsage *usage, const char *path, ModesOptions *o)
{
    bool of_mesh = o->solid.model || !isnan(o->solid.young) || !isnan(o->solid.poisson) ||
                   !isnan(o->density) || o->fixed || o->lumped;
    if (is_scene(path) && of_mesh) {
        return cli_usage_error(usage, "--model, --young, --poisson, --density, --fixed and "
                                      "--lumped are for meshes; a scene says these itself");
    }
    if (!is_scene(path) && o->sets.count > 0) {
        return cli_usage_error(usage, "--set is for scenes");
    }
    o->solid.model = o->solid.model ? o->solid.model : "linear";
    if (isnan(o->solid.young) && !isnan(o->solid.poisson)) {
        return cli_usage_error(usage, "--poisson needs --young");
    }
    if (!isnan(o->solid.young) && !(o->solid.young > 0)) {
        return cli_fail("--young is %g, expected more than 0", o->solid.young);
    }
    if (!isnan(o->density) && !(o->density > 0)) {
        return cli_fail("--density is %g, expected more than 0", o->density);
    }
    o->solid.young = isnan(o->solid.young) ? 0 : o->solid.young;
    o->solid.poisson =
        isnan(o->solid.poisson) ? lyra_solid_def_default().poisson : o->solid.poisson;
    for (int m = 0; o->method && m < LYRA_MODES_METHOD_COUNT; ++m) {
        if (strcmp(o->method, lyra_modes_method_name((LyraModesMethod)m)) == 0) {
            o->def.method = (LyraModesMethod)m;
            return CLI_OK;
        }
    }
    return o->method ? cli_usage_error(
                           usage, "--method is \"%s\", expected auto, lanczos or arpack", o->method)
                     : CLI_OK;
}

CliExit cli_modes(int argument_count, char **arguments)
{
    ModesOptions o = {
        .def = lyra_modes_def_default(), .solid = lyra_solid_def_default(), .density = NAN};
    o.solid.model = NULL;
    o.solid.young = o.solid.poisson = NAN;
    const CliOption options[] = {
        {"-k", CLI_INT, &o.def.count, "N", "number of modes, smallest first (default 10)"},
        {"--model", CLI_TEXT, &o.solid.model, "NAME",
         "mesh only: linear, stvk, ... (default linear)"},
        {"--young", CLI_DOUBLE, &o.solid.young, "E",
         "mesh only: Young's modulus of all elements, Pa (default: the mesh's)"},
        {"--poisson", CLI_DOUBLE, &o.solid.poisson, "NU",
         "mesh only: Poisson's ratio, with --young (default 0.45)"},
        {"--density", CLI_DOUBLE, &o.density, "RHO",
         "mesh only: density of all elements, kg/m^3 (default: the mesh's)"},
        {"--fixed", CLI_TEXT, &o.fixed, "LIST.bou",
         "mesh only: fixed vertices, numbered from 1 (default: none)"},
        {"--lumped", CLI_FLAG, &o.lumped, NULL, "mesh only: lumped masses (default: consistent)"},
        {"--set", CLI_LIST, &o.sets, "PATH=VALUE",
         "scene only: change a value, e.g. bodies[0].material.young='2 MPa'; repeatable"},
        {"--displacement", CLI_TEXT, &o.displacement, "U.npy",
         "state to linearise at, m, float64 (n,3) or (3n) (default: rest)"},
        {"--shapes", CLI_TEXT, &o.shapes, "X.npy",
         "write the shapes, (3n,N), normalised so that X^T M X = 1"},
        {"--vtu", CLI_TEXT, &o.vtu, "FILE.vtu",
         "write the mesh with one field per mode, for ParaView"},
        {"--method", CLI_TEXT, &o.method, "NAME", "auto, lanczos or arpack (default auto)"},
        {"--shift", CLI_DOUBLE, &o.def.shift, "S", "shift S of K + S M, 1/s^2 (default: chosen)"},
        {"--threads", CLI_THREADS, &o.threads, "N", "worker threads (default: one per core)"},
        {"--json", CLI_FLAG, &o.json, NULL, "print one JSON document"},
        {0},
    };
    const CliUsage usage = {
        .command = "lyra modes",
        .positional = "SCENE|MESH",
        .description =
            "Prints the lowest natural frequencies, Hz, of a scene or a mesh, and writes the mode "
            "shapes.\nFixed vertices stay fixed. A free body has six frequencies of zero first.",
        .example = "lyra modes beam.veg -k 12 --vtu modes.vtu",
        .options = options,
    };
    const char *path;
    CliExit exit;
    if (!cli_parse(&usage, argument_count, arguments, &path, NULL, &exit)) {
        return exit;
    }
    exit = complete_options(&usage, path, &o);
    if (exit != CLI_OK) {
        return exit;
    }
    ModesBody body = {0};
    exit = find_modes(path, &o, &body);
    if (exit == CLI_OK) {
        exit = save(&body, &o);
    }
    if (exit == CLI_OK) {
        exit = print_report(&body, o.json);
    }
    end_body(&body);
    return exit;
}
