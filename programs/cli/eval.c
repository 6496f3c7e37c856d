// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra eval`: energy, internal force, tangent stiffness and mass of a mesh at a state.

#include "eval.h"

#include "lyra/csr.h"
#include "lyra/dense.h"
#include "lyra/matrix_file.h"
#include "lyra/matrix_market.h"
#include "lyra/reorder.h"
#include "mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct EvalOptions {
    LyraSolidDef def;
    const char *convention, *inversion;
    const char *displacement, *velocity; // in
    const char *force_out, *stiffness_out, *mass_out;
    CliList parameters;
    EvalPoint point;
    EvalCloth cloth;
    const char *kind; // NULL: solid
    double density;   // 0: the mesh's
    int32_t threads;
    bool lumped, psd, check, json;
} EvalOptions;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

LyraStatus eval_at(const EvalBody *body, const double *x, double *energy, double *force,
                   LyraBlockMatrix *K)
{
    LyraEvaluation evaluation = {
        .x = x,
        .v = body->v,
        .psd = body->psd,
        .history = body->history,
        .energy = energy,
        .gradient = force,
        .dfdx = K,
    };
    return lyra_assembly_evaluate(body->assembly, &evaluation);
}

static void end_body(EvalBody *body)
{
    lyra_block_matrix_destroy(body->K);
    lyra_assembly_destroy(body->assembly);
    lyra_solid_destroy(body->solid);
    lyra_mesh_destroy(body->mesh);
    lyra_world_destroy(body->world);
    lyra_context_destroy(body->ctx);
    free(body->x);
    free(body->v);
    free(body->history);
    free(body->force);
}

// ---- input --------------------------------------------------------------------------------------

// adds the numbers of an .npy file, (n,3) or (3n), to `out` [n][3]
static bool add_vectors(LyraContext *ctx, const char *path, int32_t vertex_count, double *out)
{
    LyraDense *dense = NULL;
    if (lyra_dense_load_npy(ctx, path, &dense) != LYRA_OK) {
        cli_failed();
        return false;
    }
    LyraDenseView view = lyra_dense_view(dense);
    int64_t n = vertex_count, dofs = 3 * n;
    bool matrix = view.rows == n && view.columns == 3;
    bool vector = view.rows == 3 * n && view.columns == 1;
    bool good = matrix || vector;
    if (!good) {
        cli_fail("%s: found shape (%lld, %lld), expected (%lld, 3) or (%lld)", path,
                 (long long)view.rows, (long long)view.columns, (long long)n, (long long)dofs);
    }
    for (int64_t i = 0; good && i < 3 * n; ++i) {
        // column-major
        double value = matrix ? view.values[i / 3 + n * (i % 3)] : view.values[i];
        if (!isfinite(value)) {
            cli_fail("%s: entry %lld is not finite", path, (long long)i);
            good = false;
        }
        out[i] += value;
    }
    lyra_dense_destroy(dense);
    return good;
}

#define NAME_MAX_LENGTH 64

// "name=number" into a constant with its name in `name`; false if it is not that
static bool parse_constant(const char *text, char name[NAME_MAX_LENGTH], LyraElasticConstant *out)
{
    const char *equals = strchr(text, '=');
    char *end = NULL;
    if (!equals || equals == text || equals - text >= NAME_MAX_LENGTH) {
        return false;
    }
    memcpy(name, text, (size_t)(equals - text));
    name[equals - text] = '\0';
    out->name = name;
    out->value = strtod(equals + 1, &end);
    return end != equals + 1 && !*end && isfinite(out->value);
}

// ---- output -------------------------------------------------------------------------------------

static LyraStatus save_force(const EvalBody *body, const char *path)
{
    // row-major (n, 3) is what is in memory: give its transpose
    int32_t n = body->vertex_count;
    double *columns = cli_allocate((size_t)n * 3 * sizeof *columns);
    for (int64_t i = 0; i < 3 * (int64_t)n; ++i) {
        columns[i / 3 + (int64_t)n * (i % 3)] = body->force[i];
    }
    LyraDenseView view = {.rows = n, .columns = 3, .values = columns};
    LyraStatus status = lyra_dense_save_npy(body->ctx, path, LYRA_NPY_ROW_MAJOR, view);
    free(columns);
    return status;
}

// K in the order of the file
static LyraStatus save_stiffness(const EvalBody *body, const char *path)
{
    const LyraBlockPattern *inner = lyra_assembly_pattern(body->assembly);
    const int32_t *order = lyra_assembly_order(body->assembly);
    int32_t *place = cli_allocate((size_t)body->vertex_count * sizeof *place);
    LyraBlockPattern *pattern = NULL;
    LyraBlockMatrix *K = NULL;
    for (int32_t i = 0; i < body->vertex_count; ++i) {
        place[order[i]] = i;
    }
    LyraStatus status = lyra_block_pattern_permute(inner, place, &pattern);
    if (status == LYRA_OK) {
        status = lyra_block_matrix_create(pattern, &K);
    }
    if (status == LYRA_OK) {
        status = lyra_block_matrix_permute(K, body->K, place);
    }
    if (status == LYRA_OK) {
        status = lyra_block_matrix_save(K, path);
    }
    lyra_block_matrix_destroy(K);
    lyra_block_pattern_destroy(pattern);
    free(place);
    return status;
}

// mass of `count` entries (row, column, value), each standing for a multiple of the 3x3 identity
static LyraStatus save_mass_entries(const EvalBody *body, int64_t count, const int32_t *row,
                                    const int32_t *column, const double *value, const char *path)
{
    int32_t *rows = cli_allocate((size_t)count * 3 * sizeof *rows);
    int32_t *columns = cli_allocate((size_t)count * 3 * sizeof *columns);
    double *values = cli_allocate((size_t)count * 3 * sizeof *values);
    LyraCsrPattern *pattern = NULL;
    LyraCsrMatrix *M = NULL;
    for (int64_t i = 0; i < 3 * count; ++i) {
        rows[i] = 3 * row[i / 3] + (int32_t)(i % 3);
        columns[i] = 3 * column[i / 3] + (int32_t)(i % 3);
        values[i] = value[i / 3];
    }
    int32_t dofs = 3 * body->vertex_count;
    LyraStatus status =
        lyra_csr_matrix_create_entries(body->ctx,
                                       &(LyraCsrEntries){.row_count = dofs,
                                                         .column_count = dofs,
                                                         .storage = LYRA_STORAGE_UPPER,
                                                         .count = 3 * count,
                                                         .row = rows,
                                                         .column = columns,
                                                         .value = values},
                                       &pattern, &M);
    if (status == LYRA_OK) {
        status = lyra_csr_matrix_save(M, path);
    }
    lyra_csr_matrix_destroy(M);
    lyra_csr_pattern_destroy(pattern);
    free(rows);
    free(columns);
    free(values);
    return status;
}

static LyraStatus save_lumped(const EvalBody *body, const double *densities, const char *path)
{
    int32_t n = body->vertex_count;
    double *masses = cli_allocate((size_t)n * sizeof *masses);
    int32_t *rows = cli_allocate((size_t)n * sizeof *rows);
    for (int32_t i = 0; i < n; ++i) {
        rows[i] = i;
    }
    lyra_mesh_lumped_masses(body->mesh, densities, masses);
    LyraStatus status = save_mass_entries(body, n, rows, rows, masses, path);
    free(masses);
    free(rows);
    return status;
}

static LyraStatus save_consistent(const EvalBody *body, const double *densities, const char *path)
{
    LyraMassMatrix *mass = NULL;
    LyraStatus status = lyra_mass_matrix_create(body->mesh, densities, true, &mass);
    if (status != LYRA_OK) {
        return status;
    }
    LyraMassMatrixView view = lyra_mass_matrix_view(mass);
    int32_t *rows = cli_allocate((size_t)view.entry_count * sizeof *rows);
    for (int32_t i = 0; i < view.row_count; ++i) {
        for (int64_t k = view.row_start[i]; k < view.row_start[i + 1]; ++k) {
            rows[k] = i;
        }
    }
    status = save_mass_entries(body, view.entry_count, rows, view.column, view.values, path);
    free(rows);
    lyra_mass_matrix_destroy(mass);
    return status;
}

static LyraStatus save_mass(const EvalBody *body, const EvalOptions *options)
{
    int32_t elements = lyra_mesh_view(body->mesh).element_count;
    double *densities = NULL;
    if (options->density > 0) {
        densities = cli_allocate((size_t)elements * sizeof *densities);
        for (int32_t e = 0; e < elements; ++e) {
            densities[e] = options->density;
        }
    }
    LyraStatus status = options->lumped ? save_lumped(body, densities, options->mass_out)
                                        : save_consistent(body, densities, options->mass_out);
    free(densities);
    return status;
}

// what was asked for
static LyraStatus save(const EvalBody *body, const EvalOptions *options)
{
    LyraStatus status = LYRA_OK;
    if (options->force_out) {
        status = save_force(body, options->force_out);
    }
    if (status == LYRA_OK && options->stiffness_out) {
        status = save_stiffness(body, options->stiffness_out);
    }
    if (status == LYRA_OK && options->mass_out) {
        status = save_mass(body, options);
    }
    return status;
}

// ---- report -------------------------------------------------------------------------------------

// Frobenius norm and trace of K
static void measure_stiffness(const LyraBlockMatrix *K, double *frobenius, double *trace)
{
    LyraBlockPatternView pattern = lyra_block_pattern_view(lyra_block_matrix_pattern(K));
    const double *values = lyra_block_matrix_values(K);
    double sum = 0;
    *trace = 0;
    for (int32_t i = 0; i < pattern.row_count; ++i) {
        for (int64_t k = pattern.row_start[i]; k < pattern.row_start[i + 1]; ++k) {
            const double *block = values + 9 * k;
            bool diagonal = pattern.column[k] == i;
            double twice = pattern.storage == LYRA_STORAGE_UPPER && !diagonal ? 2 : 1;
            for (int c = 0; c < 9; ++c) {
                sum += twice * block[c] * block[c];
            }
            *trace += diagonal ? block[0] + block[4] + block[8] : 0;
        }
    }
    *frobenius = sqrt(sum);
}

double eval_norm(int64_t n, const double *v)
{
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) {
        sum += v[i] * v[i];
    }
    return sqrt(sum);
}

static void print_solid(const EvalBody *body, CliJson *json)
{
    LyraDetF det_f = lyra_elastic_det_f(body->mesh, body->x);
    if (json) {
        cli_json_double(json, "min_det_f", det_f.min);
        cli_json_int(json, "min_det_f_element", det_f.element);
        cli_json_int(json, "inverted", det_f.inverted);
        return;
    }
    printf("min det F            %.15g at element %d (counted from 0)\n", det_f.min,
           (int)det_f.element);
    printf("inverted elements    %d\n", (int)det_f.inverted);
}

static CliExit print_report(const EvalBody *body, const EvalOptions *options, double seconds)
{
    double frobenius, trace;
    measure_stiffness(body->K, &frobenius, &trace);
    double force = eval_norm(3 * (int64_t)body->vertex_count, body->force);
    void (*print_more)(const EvalBody *, CliJson *) = body->cloth ? eval_cloth_print : print_solid;
    if (options->json) {
        CliJson json = {.file = stdout};
        cli_json_open(&json, NULL, '{');
        cli_json_double(&json, "energy", body->energy);
        cli_json_double(&json, "force_norm", force);
        cli_json_double(&json, "stiffness_frobenius", frobenius);
        cli_json_double(&json, "stiffness_trace", trace);
        print_more(body, &json);
        cli_json_double(&json, "seconds", seconds);
        cli_json_close(&json, '}');
    } else {
        printf("model                %s\n", body->cloth ? "cloth" : options->def.model);
        printf("energy               %.15g J\n", body->energy);
        printf("force norm           %.15g N\n", force);
        printf("stiffness frobenius  %.15g N/m\n", frobenius);
        printf("stiffness trace      %.15g N/m\n", trace);
        print_more(body, NULL);
        printf("seconds              %.3g\n", seconds);
    }
    return cli_finish_output();
}

// ---- the command --------------------------------------------------------------------------------

static CliExit make_solid(const char *path, const EvalOptions *options, EvalBody *body)
{
    body->mesh = cli_load_mesh(body->ctx, path);
    if (!body->mesh) {
        return CLI_BAD_INPUT;
    }
    LyraMeshView view = lyra_mesh_view(body->mesh);
    body->vertex_count = view.vertex_count;
    body->positions = view.positions;
    body->edge = view.element_count > 0 ? view.elements : NULL;
    return lyra_solid_create(body->ctx, body->mesh, &options->def, &body->solid) == LYRA_OK
               ? CLI_OK
               : cli_failed();
}

// the state, and where results go
static CliExit make_state(const EvalOptions *options, EvalBody *body)
{
    size_t dofs = (size_t)body->vertex_count * 3;
    size_t history = (size_t)lyra_assembly_history_size(body->assembly) * sizeof(double);
    body->x = cli_allocate(dofs * sizeof *body->x);
    body->v = cli_allocate(dofs * sizeof *body->v);
    body->force = cli_allocate(dofs * sizeof *body->force);
    body->history = cli_allocate(history);
    memset(body->v, 0, dofs * sizeof *body->v);
    memset(body->history, 0, history);
    memcpy(body->x, body->positions, dofs * sizeof *body->x);
    bool good = true;
    if (options->displacement) {
        good = add_vectors(body->ctx, options->displacement, body->vertex_count, body->x);
    }
    if (options->velocity) {
        good = good && add_vectors(body->ctx, options->velocity, body->vertex_count, body->v);
    }
    return good ? CLI_OK : CLI_BAD_INPUT;
}

static CliExit make_body(const char *path, const EvalOptions *options, EvalClothBody *cloth,
                         EvalBody *body)
{
    body->psd = options->psd;
    body->ctx = cli_context(options->threads, LYRA_ISA_AUTO);
    if (!body->ctx) {
        return CLI_BAD_INPUT;
    }
    CliExit exit = cloth ? eval_cloth_make(path, cloth, body) : make_solid(path, options, body);
    if (exit != CLI_OK) {
        return exit;
    }
    int32_t count = 0;
    LyraForce *const *forces =
        cloth ? lyra_cloth_forces(body->cloth, &count) : lyra_solid_forces(body->solid, &count);
    body->conservative = true;
    for (int32_t f = 0; f < count; ++f) {
        body->conservative &= (lyra_force_type(forces[f])->traits & LYRA_FORCE_CONSERVATIVE) != 0;
    }
    if (lyra_assembly_create(body->ctx, body->vertex_count, body->positions, count, forces,
                             &body->assembly) != LYRA_OK ||
        lyra_block_matrix_create(lyra_assembly_pattern(body->assembly), &body->K) != LYRA_OK) {
        return cli_failed();
    }
    return make_state(options, body);
}

// A number that must be positive if it is given: 0 if it is not, which stands as NaN.
static bool take_positive(const char *name, double *value)
{
    if (isnan(*value)) {
        *value = 0;
    } else if (!(*value > 0)) {
        cli_fail("%s is %g, expected more than 0", name, *value);
        return false;
    }
    return true;
}

// whether the options are those of a mesh or those of a point
static CliExit check_point(const CliUsage *usage, int32_t meshes, const EvalOptions *o)
{
    const EvalPoint *p = &o->point;
    if (!p->path && meshes == 0) {
        return cli_usage_error(usage, "expected MESH or --point PATH.csv");
    }
    if (!p->path && (p->uniaxial || p->plasticity || p->viscosity || p->branches.count > 0 ||
                     p->strength.count > 0)) {
        return cli_usage_error(usage, "--uniaxial, --plasticity, --strength, --viscosity and "
                                      "--branch need --point");
    }
    bool of_mesh = o->displacement || o->velocity || o->force_out || o->stiffness_out ||
                   o->mass_out || o->lumped || o->psd || o->check || !isnan(o->density);
    if (p->path && (meshes > 0 || of_mesh)) {
        return cli_usage_error(usage, "--point goes without a mesh and without options of one");
    }
    return CLI_OK;
}

static CliExit run(const char *path, const EvalOptions *options, EvalClothBody *cloth)
{
    EvalBody body = {0};
    CliExit exit = make_body(path, options, cloth, &body);
    if (exit == CLI_OK) {
        double start = now();
        LyraStatus status = eval_at(&body, body.x, &body.energy, body.force, body.K);
        double seconds = now() - start;
        if (status != LYRA_OK || save(&body, options) != LYRA_OK) {
            exit = cli_failed();
        } else {
            exit = options->check ? eval_check(&body, options->json)
                                  : print_report(&body, options, seconds);
        }
    }
    end_body(&body);
    return exit;
}

// options of cloth alone, and those that cloth has not
static CliExit check_kind(const CliUsage *usage, const EvalOptions *o, bool cloth)
{
    const EvalCloth *own = &o->cloth;
    if (!cloth && (own->uv || own->groups || own->terms || own->rest_angles >= 0)) {
        return cli_usage_error(usage, "--uv, --groups, --terms and --rest-angles need --kind "
                                      "cloth");
    }
    bool of_solid = o->def.model || !isnan(o->def.young) || !isnan(o->def.poisson) ||
                    !isnan(o->density) || !isnan(o->def.stiffness) || o->inversion || o->mass_out ||
                    o->point.path;
    return cloth && of_solid
               ? cli_usage_error(usage, "--kind cloth goes without --model, --young, --poisson, "
                                        "--density, --stiffness, --inversion, --mass-out and "
                                        "--point; --param has its numbers")
               : CLI_OK;
}

static CliExit run_cloth(const CliUsage *usage, const char *path, EvalOptions *o)
{
    EvalClothBody cloth = {0};
    if (!path) {
        return cli_usage_error(usage, "expected MESH, a surface");
    }
    o->cloth.rest_angles = o->cloth.rest_angles < 0 ? 1 : o->cloth.rest_angles;
    CliExit exit = eval_cloth_read(usage, &o->cloth, o->convention, &o->parameters, &cloth);
    exit = exit == CLI_OK ? run(path, o, &cloth) : exit;
    free(cloth.memory);
    return exit;
}

// checks and completes what was given
static CliExit complete_options(const CliUsage *usage, EvalOptions *o)
{
    if (!o->def.model) {
        return cli_usage_error(usage, "expected --model NAME");
    }
    if (o->convention && strcmp(o->convention, "vega") != 0) {
        return cli_usage_error(usage, "--convention is \"%s\", expected vega", o->convention);
    }
    if (o->lumped && !o->mass_out) {
        return cli_usage_error(usage, "--lumped is about the matrix of --mass-out");
    }
    if (isnan(o->def.young) && !isnan(o->def.poisson)) {
        return cli_usage_error(usage, "--poisson needs --young");
    }
    if (isnan(o->def.poisson)) {
        o->def.poisson = lyra_solid_def_default().poisson;
    }
    if (!take_positive("--young", &o->def.young) || !take_positive("--density", &o->density) ||
        !take_positive("--stiffness", &o->def.stiffness)) {
        return CLI_BAD_INPUT;
    }
    o->def.vega = o->convention != NULL;
    o->def.inversion = o->convention ? LYRA_INVERSION_CLAMP : o->def.inversion;
    if (o->inversion && lyra_inversion_find(o->inversion, &o->def.inversion) != LYRA_OK) {
        return cli_usage_error(usage, "--inversion: %s", lyra_error_message());
    }
    return CLI_OK;
}

CliExit cli_eval(int argument_count, char **arguments)
{
    EvalOptions o = {.def = lyra_solid_def_default(), .density = NAN, .cloth = {.rest_angles = -1}};
    o.def.model = NULL;
    o.def.young = o.def.poisson = o.def.stiffness = NAN;
    const CliOption options[] = {
        {"--model", CLI_TEXT, &o.def.model, "NAME",
         "neo-hookean, stvk, corotational, ... (required; a wrong name prints all)"},
        {"--young", CLI_DOUBLE, &o.def.young, "E",
         "Young's modulus of all elements, Pa (default: the mesh's)"},
        {"--poisson", CLI_DOUBLE, &o.def.poisson, "NU",
         "Poisson's ratio, with --young (default 0.45)"},
        {"--density", CLI_DOUBLE, &o.density, "RHO",
         "density of all elements, kg/m^3 (default: the mesh's)"},
        {"--stiffness", CLI_DOUBLE, &o.def.stiffness, "K",
         "stiffness of mass-spring, N/m (default: from Young's modulus)"},
        {"--param", CLI_LIST, &o.parameters, "NAME=X",
         "value of a parameter of the model, SI; repeatable"},
        {"--inversion", CLI_TEXT, &o.inversion, "MODE",
         "inverted elements: none, extend or clamp (default extend)"},
        {"--inversion-threshold", CLI_DOUBLE, &o.def.inversion_threshold, "S",
         "stretch below which --inversion acts (default 0.1)"},
        {"--compression-resistance", CLI_DOUBLE, &o.def.compression_resistance, "R",
         "extra resistance to compression (default 0)"},
        {"--convention", CLI_TEXT, &o.convention, "vega",
         "frames of cubes and clamping as in Vega (default: Lyra's); of cloth ours, paper or vega"},
        {"--kind", CLI_TEXT, &o.kind, "NAME", "solid, or cloth over a surface (default solid)"},
        {"--uv", CLI_TEXT, &o.cloth.uv, "NAME",
         "cloth: auto, or file for texture coordinates in metres (default auto)"},
        {"--rest-angles", CLI_INT, &o.cloth.rest_angles, "0|1",
         "cloth: bending starts from the shape at rest, or from flat (default 1)"},
        {"--groups", CLI_TEXT, &o.cloth.groups, "GROUPS.csv",
         "cloth: rows group,stretch,shear,bend-u,bend-v of groups or materials"},
        {"--terms", CLI_TEXT, &o.cloth.terms, "LIST",
         "cloth: some of stretch,shear,bend (default: all)"},
        {"--displacement", CLI_TEXT, &o.displacement, "U.npy",
         "displacements, m, float64 (n,3) or (3n) (default: rest)"},
        {"--velocity", CLI_TEXT, &o.velocity, "V.npy",
         "velocities, m/s, float64 (n,3) or (3n) (default: zero)"},
        {"--force-out", CLI_TEXT, &o.force_out, "F.npy", "write the internal force, N, (n,3)"},
        {"--stiffness-out", CLI_TEXT, &o.stiffness_out, "K.mtx",
         "write the tangent stiffness, N/m, as Matrix Market"},
        {"--mass-out", CLI_TEXT, &o.mass_out, "M.mtx",
         "write the mass matrix, kg, as Matrix Market"},
        {"--lumped", CLI_FLAG, &o.lumped, NULL, "lumped mass matrix (default: consistent)"},
        {"--psd", CLI_FLAG, &o.psd, NULL, "positive semi-definite tangent (default: exact)"},
        {"--check", CLI_FLAG, &o.check, NULL,
         "compare force and tangent with finite differences, instead of values"},
        {"--point", CLI_TEXT, &o.point.path, "PATH.csv",
         "one point along rows t,F11,F12,...,F33, in place of a mesh"},
        {"--uniaxial", CLI_FLAG, &o.point.uniaxial, NULL,
         "--point: rows t,F11; the other sides are free"},
        {"--plasticity", CLI_TEXT, &o.point.plasticity, "NAME",
         "--point: von-mises, kinematic or deformation; --param has its parameters"},
        {"--strength", CLI_LIST, &o.point.strength, "STRAIN,STRESS",
         "--plasticity: a row of a table, in place of yield; repeatable"},
        {"--viscosity", CLI_TEXT, &o.point.viscosity, "NAME",
         "--point: prony, maxwell, constant-q or strain-rate"},
        {"--branch", CLI_LIST, &o.point.branches, "T,G[,K]",
         "--viscosity: relaxation time, shear, bulk; repeatable"},
        {"--threads", CLI_THREADS, &o.threads, "N", "worker threads (default: one per core)"},
        {"--json", CLI_FLAG, &o.json, NULL, "print one JSON document"},
        {0},
    };
    const CliUsage usage = {
        .command = "lyra eval",
        .positional = "MESH",
        .optional = true,
        .description =
            "Computes energy, internal force and tangent stiffness of a mesh, or of cloth, at "
            "given "
            "displacements "
            "and\nvelocities. Vertices are in the order of the file. With --point, drives "
            "one material point\nthrough deformation gradients and prints stress, "
            "energy, dissipation and history.",
        .example = "lyra eval turtle.veg --model neo-hookean --stiffness-out K.mtx --json",
        .options = options,
    };
    const char *path = NULL;
    int32_t paths = 0;
    CliExit exit;
    if (!cli_parse(&usage, argument_count, arguments, &path, &paths, &exit)) {
        return exit;
    }
    bool cloth = o.kind && strcmp(o.kind, "cloth") == 0;
    if (o.kind && !cloth && strcmp(o.kind, "solid") != 0) {
        return cli_usage_error(&usage, "--kind is \"%s\", expected solid or cloth", o.kind);
    }
    exit = check_kind(&usage, &o, cloth);
    if (exit == CLI_OK && cloth) {
        return run_cloth(&usage, path, &o);
    }
    if (exit != CLI_OK) {
        return exit;
    }
    exit = check_point(&usage, paths, &o);
    if (exit != CLI_OK) {
        return exit;
    }
    exit = complete_options(&usage, &o);
    if (exit != CLI_OK) {
        return exit;
    }
    LyraElasticConstant constants[CLI_LIST_MAX];
    char names[CLI_LIST_MAX][NAME_MAX_LENGTH];
    for (int32_t i = 0; i < o.parameters.count; ++i) {
        if (!parse_constant(o.parameters.items[i], names[i], &constants[i])) {
            return cli_usage_error(&usage, "--param needs NAME=NUMBER, found \"%s\"",
                                   o.parameters.items[i]);
        }
    }
    o.def.constants = constants;
    o.def.constant_count = o.parameters.count;
    o.point.json = o.json;
    return o.point.path ? eval_point(&usage, &o.def, &o.point) : run(path, &o, NULL);
}
