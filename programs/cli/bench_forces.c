// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra bench forces`: internal force and tangent per element of every elastic model, on tets and
// cubes whose vertices and elements come in random order, beside the same kernels compiled for one
// lane. Rows force+tangent-psd take the path with an SVD per point.

#include "bench.h"

#include <stdlib.h>
#include <string.h>

#define TETS 160000
#define CUBES 20000

// what a row asks for
typedef enum Task { FORCE, TANGENT, PSD, TASK_COUNT } Task;

static const char *const task_names[TASK_COUNT] = {"force", "force+tangent", "force+tangent-psd"};

typedef struct Body {
    LyraContext *ctx;
    LyraForce *force;
    LyraAssembly *assembly;
    LyraBlockMatrix *K;
    double *x, *gradient;
    Task task; // of the next timing
} Body;

static void evaluate(void *data)
{
    Body *body = data;
    LyraEvaluation evaluation = {
        .x = body->x,
        .gradient = body->gradient,
        .dfdx = body->task == FORCE ? NULL : body->K,
        .psd = body->task == PSD,
    };
    lyra_assembly_evaluate(body->assembly, &evaluation);
}

static void end_body(Body *body)
{
    lyra_block_matrix_destroy(body->K);
    lyra_assembly_destroy(body->assembly);
    lyra_force_destroy(body->force);
    lyra_context_destroy(body->ctx);
    free(body->x);
    free(body->gradient);
    *body = (Body){0};
}

// a body of its own context; the mesh may belong to another
static bool make_body(const LyraMesh *mesh, LyraElasticModel model, int32_t threads, LyraIsa isa,
                      Body *body)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    *body = (Body){.ctx = cli_context(threads, isa)};
    size_t bytes = (size_t)view.vertex_count * 3 * sizeof(double);
    body->x = malloc(bytes);
    body->gradient = malloc(bytes);
    LyraElasticDef def = lyra_elastic_def_default();
    def.model = model;
    if (!body->ctx || !body->x || !body->gradient ||
        lyra_elastic_create(body->ctx, mesh, &def, &body->force) != LYRA_OK ||
        lyra_assembly_create(body->ctx, view.vertex_count, view.positions, 1, &body->force,
                             &body->assembly) != LYRA_OK ||
        lyra_block_matrix_create(lyra_assembly_pattern(body->assembly), &body->K) != LYRA_OK) {
        end_body(body);
        return false;
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

static CliExit bench_model(Bench *bench, const LyraMesh *mesh, const char *subject,
                           LyraElasticModel model)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    // one model shows what projection costs
    int tasks = model == LYRA_ELASTIC_NEO_HOOKEAN ? TASK_COUNT : PSD;
    Body twin;
    if (!make_body(mesh, model, 1, LYRA_ISA_SCALAR, &twin)) {
        return cli_failed();
    }
    BenchTime twin_time[TASK_COUNT];
    for (int task = 0; task < tasks; ++task) {
        twin.task = (Task)task;
        twin_time[task] = bench_time(bench, evaluate, &twin);
    }
    end_body(&twin);
    for (int32_t threads = 1; threads <= bench->threads; threads *= 2) {
        Body body;
        if (!make_body(mesh, model, threads, LYRA_ISA_AUTO, &body)) {
            return cli_failed();
        }
        for (int task = 0; task < tasks; ++task) {
            char name[64];
            snprintf(name, sizeof name, "%s/%s/%s", task_names[task],
                     lyra_elastic_model_name(model), lyra_element_kind_name(view.kind));
            body.task = (Task)task;
            BenchRow row = {
                .name = name,
                .subject = subject,
                .unit = "element",
                .items = view.element_count,
                .threads = threads,
                .isa = lyra_context_isa(body.ctx),
                .time = bench_time(bench, evaluate, &body),
                .twin = twin_time[task],
                .twin_name = "scalar",
            };
            bench_row(bench, &row);
        }
        end_body(&body);
    }
    return CLI_OK;
}

static CliExit bench_kind(Bench *bench, LyraContext *ctx, LyraElementKind kind)
{
    LyraMesh *mesh = NULL;
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    shape.kind = kind;
    shape.elements = kind == LYRA_ELEMENT_TET4 ? TETS : CUBES;
    shape.shuffle = true;
    LyraStatus status = lyra_mesh_generate(ctx, &shape, &mesh);
    CliExit exit = status == LYRA_OK ? CLI_OK : cli_failed();
    for (int model = 0; model < LYRA_ELASTIC_MODEL_COUNT && exit == CLI_OK; ++model) {
        // linear elasticity has tets only
        if (kind == LYRA_ELEMENT_TET4 || model != LYRA_ELASTIC_LINEAR) {
            exit = bench_model(bench, mesh, bench->mesh ? bench->mesh : "box, random order",
                               (LyraElasticModel)model);
        }
    }
    lyra_mesh_destroy(mesh);
    return exit;
}

CliExit bench_forces(Bench *bench)
{
    LyraContext *ctx = cli_context(1, LYRA_ISA_AUTO);
    if (!ctx) {
        return CLI_BAD_INPUT;
    }
    CliExit exit = CLI_OK;
    for (int kind = 0; kind < LYRA_ELEMENT_KIND_COUNT && exit == CLI_OK; ++kind) {
        exit = bench_kind(bench, ctx, (LyraElementKind)kind);
    }
    lyra_context_destroy(ctx);
    return exit;
}
