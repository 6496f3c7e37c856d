// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra bench forces`: internal force and tangent per element of every model, on meshes whose
// vertices and elements come in random order, beside the same kernels compiled for one lane. Rows
// that end in "psd" ask for the positive semi-definite tangent, which takes every element through
// its SVD. Rows with a "+" flow or relax in a step of 10 ms.

#include "bench_body.h"

#include <stdlib.h>
#include <string.h>

#define TETS 160000
#define CUBES 27000

typedef struct Body {
    LyraContext *ctx;
    LyraSolid *solid;
    LyraAssembly *assembly;
    LyraBlockMatrix *K;
    double *x, *gradient;
    double *history;   // Nullable
    bool tangent, psd; // what the next timing asks for
} Body;

static void evaluate(void *data)
{
    Body *body = data;
    LyraEvaluation evaluation = {
        .x = body->x,
        .dt = BENCH_STEP,
        .history = body->history,
        .psd = body->psd,
        .gradient = body->gradient,
        .dfdx = body->tangent ? body->K : NULL,
    };
    lyra_assembly_evaluate(body->assembly, &evaluation);
}

static void end_body(Body *body)
{
    lyra_block_matrix_destroy(body->K);
    lyra_assembly_destroy(body->assembly);
    lyra_solid_destroy(body->solid);
    lyra_context_destroy(body->ctx);
    free(body->x);
    free(body->gradient);
    free(body->history);
    *body = (Body){0};
}

// a body of its own context; the mesh may belong to another
static bool make_body(const LyraMesh *mesh, const char *model, LyraVolumetric volumetric,
                      int32_t threads, LyraIsa isa, Body *body)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    *body = (Body){.ctx = cli_context(threads, isa)};
    size_t bytes = (size_t)view.vertex_count * 3 * sizeof(double);
    body->x = malloc(bytes);
    body->gradient = malloc(bytes);
    LyraSolidDef def = lyra_solid_def_default();
    BenchLaw law;
    bench_law(model, &law, &def);
    def.volumetric = volumetric;
    def.stiffness = 1;
    if (!body->ctx || !body->x || !body->gradient ||
        lyra_solid_create(body->ctx, mesh, &def, &body->solid) != LYRA_OK) {
        end_body(body);
        return false;
    }
    int32_t count = 0;
    LyraForce *const *forces = lyra_solid_forces(body->solid, &count);
    if (lyra_assembly_create(body->ctx, view.vertex_count, view.positions, count, forces,
                             &body->assembly) != LYRA_OK ||
        lyra_block_matrix_create(lyra_assembly_pattern(body->assembly), &body->K) != LYRA_OK) {
        end_body(body);
        return false;
    }
    int64_t remembered = lyra_assembly_history_size(body->assembly);
    if (remembered > 0) {
        body->history = cli_allocate((size_t)remembered * sizeof *body->history);
        lyra_assembly_history_init(body->assembly, body->history);
    }
    // a smooth deformation of a few per cent, bent and turned
    for (int32_t i = 0; i < view.vertex_count; ++i) {
        const double *X = view.positions + 3 * (int64_t)i;
        double *x = body->x + 3 * (int64_t)i;
        x[0] = 1.05 * X[0] + 0.03 * X[1] * X[2];
        x[1] = 0.98 * X[1] - 0.04 * X[0] * X[2];
        x[2] = 1.02 * X[2] + 0.02 * X[0] * X[1];
    }
    return true;
}

// force; force and tangent; force and positive semi-definite tangent
enum { KINDS = 3 };

static void choose_kind(Body *body, int kind)
{
    body->tangent = kind > 0;
    body->psd = kind > 1;
}

static CliExit bench_model(Bench *bench, const LyraMesh *mesh, const char *subject,
                           const char *model, LyraVolumetric volumetric)
{
    static const char *const ways[] = {"", "/mean", "/nodal"};
    const char *way = ways[volumetric];
    LyraMeshView view = lyra_mesh_view(mesh);
    Body twin;
    if (!make_body(mesh, model, volumetric, 1, LYRA_ISA_SCALAR, &twin)) {
        return cli_failed();
    }
    BenchTime twin_time[KINDS];
    for (int kind = 0; kind < KINDS; ++kind) {
        choose_kind(&twin, kind);
        twin_time[kind] = bench_time(bench, evaluate, &twin);
    }
    end_body(&twin);
    for (int32_t threads = 1; threads <= bench->threads;
         threads = bench_next_threads(bench, threads)) {
        Body body;
        if (!make_body(mesh, model, volumetric, threads, LYRA_ISA_AUTO, &body)) {
            return cli_failed();
        }
        for (int kind = 0; kind < KINDS; ++kind) {
            char name[80];
            snprintf(name, sizeof name, "%s/%s/%s%s%s", kind ? "force+tangent" : "force", model,
                     lyra_element_kind_name(view.kind), way, kind == 2 ? "/psd" : "");
            choose_kind(&body, kind);
            BenchRow row = {
                .name = name,
                .subject = subject,
                .unit = "element",
                .items = view.element_count,
                .threads = threads,
                .isa = lyra_context_isa(body.ctx),
                .time = bench_time(bench, evaluate, &body),
                .twin = twin_time[kind],
                .twin_name = "scalar",
            };
            bench_row(bench, &row);
        }
        end_body(&body);
    }
    return CLI_OK;
}

static CliExit bench_mesh(Bench *bench, const LyraMesh *mesh, const char *subject)
{
    const char *model;
    CliExit exit = CLI_OK;
    bool quadratic = lyra_mesh_view(mesh).kind == LYRA_ELEMENT_TET10;
    for (int32_t m = 0; exit == CLI_OK && (model = bench_model_name(m)); ++m) {
        // there are no springs of such tets; on a mesh of one's own, asking for them says so
        bool has = !quadratic || strcmp(model, "mass-spring") != 0 || (bench->mesh && bench->model);
        if (has && (!bench->model || strcmp(bench->model, model) == 0)) {
            exit = bench_model(bench, mesh, subject, model, LYRA_VOLUMETRIC_STANDARD);
        }
    }
    bool wanted = !bench->model || strcmp(bench->model, "neo-hookean") == 0;
    if (exit == CLI_OK && wanted) {
        bool tets = lyra_mesh_view(mesh).kind == LYRA_ELEMENT_TET4;
        exit = bench_model(bench, mesh, subject, "neo-hookean",
                           tets ? LYRA_VOLUMETRIC_NODAL : LYRA_VOLUMETRIC_MEAN);
    }
    return exit;
}

static CliExit bench_generated(Bench *bench, LyraContext *ctx, LyraElementKind kind)
{
    LyraMesh *mesh = NULL;
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    shape.kind = kind;
    shape.elements = kind == LYRA_ELEMENT_TET4 ? TETS : CUBES;
    shape.shuffle = true;
    if (lyra_mesh_generate(ctx, &shape, &mesh) != LYRA_OK) {
        return cli_failed();
    }
    CliExit exit = bench_mesh(bench, mesh, "box, random order");
    lyra_mesh_destroy(mesh);
    return exit;
}

CliExit bench_forces(Bench *bench)
{
    LyraContext *ctx = cli_context(1, LYRA_ISA_AUTO);
    if (!ctx) {
        return CLI_BAD_INPUT;
    }
    CliExit exit;
    LyraMesh *mesh = NULL;
    if (bench->model && strcmp(bench->model, "rod") == 0) {
        bench_note(bench, "no rows of rods");
        lyra_context_destroy(ctx);
        return CLI_OK;
    }
    if (!bench->mesh) {
        bool cloth = bench->model && strcmp(bench->model, "cloth") == 0;
        bool shell = bench->model && strcmp(bench->model, "shell") == 0;
        exit = shell ? bench_shell_forces(bench) : CLI_OK;
        cloth |= shell;
        for (int kind = 0; kind < LYRA_ELEMENT_KIND_COUNT && exit == CLI_OK && !cloth; ++kind) {
            exit = bench_generated(bench, ctx, (LyraElementKind)kind);
        }
        if (exit == CLI_OK && ((cloth && !shell) || !bench->model)) {
            exit = bench_cloth_forces(bench);
        }
    } else {
        char subject[64];
        exit = bench_mesh_load(bench, ctx, &mesh);
        if (exit == CLI_OK) {
            bench_mesh_name(bench, mesh, subject);
            exit = bench_mesh(bench, mesh, subject);
        }
    }
    lyra_mesh_destroy(mesh);
    lyra_context_destroy(ctx);
    return exit;
}
