// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra bench step`: whole steps of a body that swings under gravity from its rest shape, h = 10
// ms, stiffness damping 0.01 s. Rows of one Newton step start and damp as Vega does, so that they
// can be laid beside its figures; rows that end in "full" iterate until the decrement squared is
// below 1e-8 of the energies, with the settings that are ours.
//
// A figure is the time of one step, over as many steps as the time for it allows. The first steps
// are not counted: they analyze, allocate, and take the body out of its rest shape. In the columns
// of a solver, "analyze" is all that comes before the second step, making the model and the system
// included, and "solve" the forming, factoring and solving within the fastest step.

#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEP 0.01
#define STIFFNESS_DAMPING 0.01
#define YOUNG 1e6
#define POISSON 0.45
#define WARM_STEPS 5
#define STEPS_MAX 1000

typedef struct Way {
    const char *integrator;
    bool full;
} Way;

static const Way ways[] = {{"backward-euler", false}, {"newmark", false}, {"backward-euler", true}};

static const char *const models[] = {"corotational", "stvk", "neo-hookean"};

// what does not change from way to way
typedef struct Subject {
    const LyraMesh *mesh;
    const char *name;
    bool generated;       // a box without a material of its own
    const int32_t *fixed; // [fixed_count]
    int32_t fixed_count;
    const double *masses; // [vertex_count]
} Subject;

typedef struct Body {
    LyraContext *ctx;
    LyraSolid *solid;
    LyraModel *model;
    LyraSystem *system;
    LyraState *state;
    LyraIntegrator *integrator;
} Body;

static void end_body(Body *body)
{
    lyra_integrator_destroy(body->integrator);
    lyra_state_destroy(body->state);
    lyra_system_destroy(body->system);
    lyra_model_destroy(body->model);
    lyra_solid_destroy(body->solid);
    lyra_context_destroy(body->ctx);
    *body = (Body){0};
}

static LyraStatus make_model(const Subject *subject, const char *model, const Way *way, Body *body)
{
    LyraMeshView view = lyra_mesh_view(subject->mesh);
    LyraSolidDef solid = lyra_solid_def_default();
    solid.model = model;
    solid.young = subject->generated ? YOUNG : 0;
    solid.poisson = POISSON;
    LyraStatus status = lyra_solid_create(body->ctx, subject->mesh, &solid, &body->solid);
    if (status != LYRA_OK) {
        return status;
    }
    LyraModelDef def = lyra_model_def_default();
    def.vertex_count = view.vertex_count;
    def.positions = view.positions;
    def.forces = lyra_solid_forces(body->solid, &def.force_count);
    def.masses = subject->masses;
    def.stiffness_damping = STIFFNESS_DAMPING;
    def.damping_exact = !way->full;
    def.gravity[1] = -9.81;
    status = lyra_model_create(body->ctx, &def, &body->model);
    return status == LYRA_OK ? lyra_constraints_fix_vertices(lyra_model_constraints(body->model),
                                                             subject->fixed_count, subject->fixed)
                             : status;
}

static LyraStatus make_body(const Subject *subject, const char *model, const Way *way, Body *body)
{
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = way->integrator;
    def.vega = !way->full;
    def.newton.policy = way->full ? LYRA_NEWTON_FULL : LYRA_NEWTON_ONE;
    def.newton.decrement = 1e-8;
    LyraStatus status = make_model(subject, model, way, body);
    if (status == LYRA_OK) {
        status = lyra_system_create_sparse(body->ctx, body->model, NULL, &body->system);
    }
    if (status == LYRA_OK) {
        status = lyra_system_state_create(body->system, &body->state);
    }
    if (status == LYRA_OK) {
        status = lyra_integrator_create(body->ctx, &def, body->system, &body->integrator);
    }
    return status == LYRA_OK ? lyra_integrator_step(body->integrator, body->state, STEP, NULL)
                             : status;
}

static int compare_seconds(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static LyraStatus time_steps(const Bench *bench, Body *body, BenchTime *time, LyraStepReport *best)
{
    double samples[STEPS_MAX], begin = 0, fastest = INFINITY;
    int32_t count = 0;
    for (int32_t k = 0; count < STEPS_MAX; ++k) {
        if (k == WARM_STEPS) {
            begin = bench_now();
        }
        if (count >= 5 && bench_now() - begin > bench->seconds) {
            break;
        }
        LyraStepReport report;
        double start = bench_now();
        LyraStatus status = lyra_integrator_step(body->integrator, body->state, STEP, &report);
        double seconds = bench_now() - start;
        if (status != LYRA_OK) {
            return status;
        }
        if (k >= WARM_STEPS) {
            samples[count++] = seconds;
            *best = seconds < fastest ? report : *best;
            fastest = fmin(fastest, seconds);
        }
    }
    qsort(samples, (size_t)count, sizeof samples[0], compare_seconds);
    *time = (BenchTime){.minimum = samples[0], .median = samples[count / 2]};
    return LYRA_OK;
}

static CliExit bench_way(Bench *bench, const Subject *subject, const char *model, const Way *way,
                         int32_t threads)
{
    Body body = {.ctx = cli_context(threads, LYRA_ISA_AUTO)};
    if (!body.ctx) {
        return CLI_BAD_INPUT;
    }
    double start = bench_now(), set_up = 0;
    BenchTime time = {0};
    LyraStepReport report = {0};
    LyraStatus status = make_body(subject, model, way, &body);
    set_up = bench_now() - start;
    status = status == LYRA_OK ? time_steps(bench, &body, &time, &report) : status;
    if (status != LYRA_OK) {
        end_body(&body);
        return cli_failed();
    }
    char name[80];
    snprintf(name, sizeof name, "%s/%s%s", way->integrator, model, way->full ? "/full" : "");
    const BenchSolve solve = {.solver = report.solver,
                              .analyze = set_up,
                              .solve = report.solve_seconds,
                              .iterations = report.linear_iterations,
                              .bytes = (int64_t)lyra_context_byte_count(body.ctx)};
    const BenchRow row = {.name = name,
                          .subject = subject->name,
                          .unit = "step",
                          .items = 1,
                          .threads = threads,
                          .isa = lyra_context_isa(body.ctx),
                          .time = time,
                          .solve = &solve};
    bench_row(bench, &row);
    end_body(&body);
    return CLI_OK;
}

// vertices of --fixed, or those within 2 % of the least x
static CliExit find_fixed(const Bench *bench, LyraContext *ctx, Subject *subject, int32_t **list)
{
    LyraMeshView view = lyra_mesh_view(subject->mesh);
    *list = cli_allocate((size_t)view.vertex_count * sizeof **list);
    subject->fixed = *list;
    if (bench->fixed) {
        int32_t *read = NULL;
        if (lyra_vertex_list_load(ctx, bench->fixed, 1, view.vertex_count, &subject->fixed_count,
                                  &read) != LYRA_OK) {
            return cli_failed();
        }
        if (subject->fixed_count > 0) {
            memcpy(*list, read, (size_t)subject->fixed_count * sizeof *read);
        }
        lyra_vertex_list_destroy(ctx, read);
        return CLI_OK;
    }
    double low = INFINITY, high = -INFINITY;
    for (int32_t i = 0; i < view.vertex_count; ++i) {
        low = fmin(low, view.positions[3 * (int64_t)i]);
        high = fmax(high, view.positions[3 * (int64_t)i]);
    }
    for (int32_t i = 0; i < view.vertex_count; ++i) {
        if (view.positions[3 * (int64_t)i] <= low + 0.02 * (high - low)) {
            (*list)[subject->fixed_count++] = i;
        }
    }
    return CLI_OK;
}

static CliExit bench_subject(Bench *bench, LyraContext *ctx, Subject *subject)
{
    LyraMeshView view = lyra_mesh_view(subject->mesh);
    double *masses = cli_allocate((size_t)view.vertex_count * sizeof *masses);
    int32_t *fixed = NULL;
    lyra_mesh_lumped_masses(subject->mesh, NULL, masses);
    subject->masses = masses;
    CliExit exit = find_fixed(bench, ctx, subject, &fixed);
    bool found = false;
    for (size_t m = 0; m < sizeof models / sizeof models[0]; ++m) {
        if (bench->model && strcmp(bench->model, models[m]) != 0) {
            continue;
        }
        found = true;
        for (size_t w = 0; w < sizeof ways / sizeof ways[0]; ++w) {
            for (int32_t threads = 1; threads <= bench->threads && exit == CLI_OK; threads *= 2) {
                exit = bench_way(bench, subject, models[m], &ways[w], threads);
            }
        }
    }
    free(masses);
    free(fixed);
    return found || exit != CLI_OK ? exit
                                   : cli_fail("no model \"%s\" in the suite step", bench->model);
}

static CliExit bench_box(Bench *bench, LyraContext *ctx, int64_t elements)
{
    LyraMesh *mesh = NULL;
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    shape.elements = elements;
    if (lyra_mesh_generate(ctx, &shape, &mesh) != LYRA_OK) {
        return cli_failed();
    }
    char name[64];
    snprintf(name, sizeof name, "box %d tets", (int)lyra_mesh_view(mesh).element_count);
    Subject subject = {.mesh = mesh, .name = name, .generated = true};
    CliExit exit = bench_subject(bench, ctx, &subject);
    lyra_mesh_destroy(mesh);
    return exit;
}

// the last part of a path
static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

CliExit bench_step(Bench *bench)
{
    static const int32_t sizes[] = {100, 1000, 5000, 20000};
    LyraContext *ctx = cli_context(1, LYRA_ISA_AUTO);
    if (!ctx) {
        return CLI_BAD_INPUT;
    }
    CliExit exit = CLI_OK;
    LyraMesh *mesh = NULL;
    if (bench->mesh) {
        exit = lyra_mesh_load(ctx, bench->mesh, LYRA_MESH_FORMAT_AUTO, &mesh) == LYRA_OK
                   ? CLI_OK
                   : cli_failed();
        if (exit == CLI_OK) {
            Subject subject = {.mesh = mesh, .name = base_name(bench->mesh)};
            exit = bench_subject(bench, ctx, &subject);
        }
    } else if (bench->elements > 0) {
        exit = bench_box(bench, ctx, bench->elements);
    } else {
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0] && exit == CLI_OK; ++s) {
            exit = bench_box(bench, ctx, sizes[s]);
        }
    }
    lyra_mesh_destroy(mesh);
    lyra_context_destroy(ctx);
    return exit;
}
