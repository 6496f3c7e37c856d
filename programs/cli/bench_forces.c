// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra bench forces`: internal force and tangent per element of every elastic model, on a mesh
// whose vertices and elements come in random order, beside the same kernels compiled for one lane.

#include "bench.h"

#include <stdlib.h>
#include <string.h>

#define TETS 160000
#define CUBES 27000

// a model by its name in rows
typedef struct Model {
    const char *name;
    LyraStatus (*create)(LyraContext *ctx, const LyraMesh *mesh, int32_t model, LyraForce **out);
    int32_t model;
} Model;

static LyraStatus create_elastic(LyraContext *ctx, const LyraMesh *mesh, int32_t model,
                                 LyraForce **out)
{
    LyraElasticDef def = lyra_elastic_def_default();
    def.model = (LyraElasticModel)model;
    return lyra_elastic_create(ctx, mesh, &def, out);
}

static LyraStatus create_corotational(LyraContext *ctx, const LyraMesh *mesh, int32_t model,
                                      LyraForce **out)
{
    LyraCorotationalDef def = lyra_corotational_def_default();
    def.model = (LyraCorotationalModel)model;
    return lyra_corotational_create(ctx, mesh, &def, out);
}

typedef struct Body {
    LyraContext *ctx;
    LyraForce *force;
    LyraAssembly *assembly;
    LyraBlockMatrix *K;
    double *x, *gradient;
    bool tangent; // what the next timing asks for
} Body;

static void evaluate(void *data)
{
    Body *body = data;
    LyraEvaluation evaluation = {
        .x = body->x, .gradient = body->gradient, .dfdx = body->tangent ? body->K : NULL};
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
static bool make_body(const LyraMesh *mesh, const Model *model, int32_t threads, LyraIsa isa,
                      Body *body)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    *body = (Body){.ctx = cli_context(threads, isa)};
    size_t bytes = (size_t)view.vertex_count * 3 * sizeof(double);
    body->x = malloc(bytes);
    body->gradient = malloc(bytes);
    if (!body->ctx || !body->x || !body->gradient ||
        model->create(body->ctx, mesh, model->model, &body->force) != LYRA_OK ||
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
                           const Model *model)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    Body twin;
    if (!make_body(mesh, model, 1, LYRA_ISA_SCALAR, &twin)) {
        return cli_failed();
    }
    BenchTime twin_time[2];
    for (int tangent = 0; tangent < 2; ++tangent) {
        twin.tangent = tangent;
        twin_time[tangent] = bench_time(bench, evaluate, &twin);
    }
    end_body(&twin);
    for (int32_t threads = 1; threads <= bench->threads; threads *= 2) {
        Body body;
        if (!make_body(mesh, model, threads, LYRA_ISA_AUTO, &body)) {
            return cli_failed();
        }
        for (int tangent = 0; tangent < 2; ++tangent) {
            char name[64];
            snprintf(name, sizeof name, "%s/%s/%s", tangent ? "force+tangent" : "force",
                     model->name, lyra_element_kind_name(view.kind));
            body.tangent = tangent;
            BenchRow row = {
                .name = name,
                .subject = subject,
                .unit = "element",
                .items = view.element_count,
                .threads = threads,
                .isa = lyra_context_isa(body.ctx),
                .time = bench_time(bench, evaluate, &body),
                .twin = twin_time[tangent],
                .twin_name = "scalar",
            };
            bench_row(bench, &row);
        }
        end_body(&body);
    }
    return CLI_OK;
}

// all models that take the elements of the mesh
static CliExit bench_mesh(Bench *bench, const LyraMesh *mesh, const char *subject)
{
    CliExit exit = CLI_OK;
    if (lyra_mesh_view(mesh).kind == LYRA_ELEMENT_TET4) {
        for (int32_t m = 0; m < LYRA_ELASTIC_MODEL_COUNT && exit == CLI_OK; ++m) {
            Model model = {lyra_elastic_model_name((LyraElasticModel)m), create_elastic, m};
            exit = bench_model(bench, mesh, subject, &model);
        }
    }
    for (int32_t m = 0; m < LYRA_COROTATIONAL_MODEL_COUNT && exit == CLI_OK; ++m) {
        Model model = {lyra_corotational_model_name((LyraCorotationalModel)m), create_corotational,
                       m};
        // linear tets are among the models above
        if (m != LYRA_COROTATIONAL_LINEAR || lyra_mesh_view(mesh).kind == LYRA_ELEMENT_CUBE8) {
            exit = bench_model(bench, mesh, subject, &model);
        }
    }
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
        LyraMesh *mesh = NULL;
        LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
        shape.kind = (LyraElementKind)kind;
        shape.elements = kind == LYRA_ELEMENT_TET4 ? TETS : CUBES;
        shape.shuffle = true;
        LyraStatus status = lyra_mesh_generate(ctx, &shape, &mesh);
        exit = status == LYRA_OK
                   ? bench_mesh(bench, mesh, bench->mesh ? bench->mesh : "box, random order")
                   : cli_failed();
        lyra_mesh_destroy(mesh);
    }
    lyra_context_destroy(ctx);
    return exit;
}
