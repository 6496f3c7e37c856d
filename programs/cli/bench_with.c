// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra bench step --with LIST`: what one more force costs that is not elastic. Bodies of one mesh,
// the first with its elastic forces alone, the others each with one force of the list, take their
// steps in turns. The ratio of a row is the median, over all turns, of its step over that of the
// first body in the same turn, so that whatever else the machine does falls on both.
//
// The forces are small beside the weight W of the body, so that all bodies go nearly the same way:
// "pull" holds a vertex to a place by a spring, "damper" and "history" join two vertices far apart
// by a damped and by a Maxwell spring, "pressure" follows the open surface that looks up.
// "viscoelastic" is no further force: the law relaxes by a Prony series of three branches, whose
// body is stiffer at once, so that its linear systems are others as well.

#include "bench_body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WARM_TURNS 4
#define TURNS_MAX 1000
#define W LYRA_BATCH_WIDTH
#define GRAVITY 9.81

static const char *const names[BENCH_WITH_COUNT] = {
    [BENCH_WITH_PULL] = "pull",
    [BENCH_WITH_DAMPER] = "damper",
    [BENCH_WITH_HISTORY] = "history",
    [BENCH_WITH_PRESSURE] = "pressure",
    [BENCH_WITH_VISCOELASTIC] = "viscoelastic",
};

bool bench_with_parse(const char *list, uint32_t *with, char expected[128])
{
    *with = 0;
    expected[0] = '\0';
    for (int32_t i = 0; i < BENCH_WITH_COUNT; ++i) {
        cli_append(expected, 128, names[i]);
    }
    for (const char *at = list;; ++at) {
        size_t length = strcspn(at, ",");
        int32_t i = 0;
        while (i < BENCH_WITH_COUNT &&
               (strlen(names[i]) != length || strncmp(names[i], at, length) != 0)) {
            ++i;
        }
        if (i == BENCH_WITH_COUNT) {
            return false;
        }
        *with |= 1u << i;
        at += length;
        if (!*at) {
            return true;
        }
    }
}

// ---- forces -------------------------------------------------------------------------------------

// sizes of a body that the forces go by
typedef struct Sizes {
    double weight, extent; // N, m
    int32_t ends[2];       // vertices far apart, not held
} Sizes;

static double distance(const double *a, const double *b)
{
    double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

static Sizes measure(const BenchSubject *subject)
{
    LyraMeshView view = lyra_mesh_view(subject->mesh);
    Sizes sizes = {.ends = {0, 0}};
    bool *held = cli_allocate((size_t)view.vertex_count);
    memset(held, 0, (size_t)view.vertex_count);
    for (int32_t i = 0; i < subject->fixed_count; ++i) {
        held[subject->fixed[i]] = true;
    }
    const double *X = view.positions, *from = X;
    // from any vertex to the farthest one, and on from there to the farthest of all
    for (int32_t end = 0; end < 2; ++end) {
        double farthest = -1;
        for (int32_t i = 0; i < view.vertex_count; ++i) {
            double far = distance(X + 3 * (int64_t)i, from);
            bool taken = held[i] || (end == 1 && i == sizes.ends[0]);
            if (!taken && far > farthest) {
                farthest = far;
                sizes.ends[end] = i;
            }
        }
        from = X + 3 * (int64_t)sizes.ends[end];
        sizes.extent = farthest;
    }
    for (int32_t i = 0; i < view.vertex_count; ++i) {
        sizes.weight += GRAVITY * subject->masses[i];
    }
    free(held);
    return sizes;
}

// a spring of no length to a place: E = k/2 |u - y|^2
static void evaluate_pull(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)self, (void)scratch;
    const double *k = batch->parameters;
    for (int32_t i = 0; i < 9 * W && batch->dfdx; ++i) {
        batch->dfdx[i] = 0;
    }
    for (int32_t i = 0; i < 3 * W; ++i) {
        int32_t e = i % W;
        double d = batch->u[i] - batch->parameters[W + i];
        if (batch->energy) {
            batch->energy[e] = (i < W ? 0 : batch->energy[e]) + 0.5 * k[e] * d * d;
        }
        if (batch->gradient) {
            batch->gradient[i] = k[e] * d;
        }
        if (batch->dfdx) {
            batch->dfdx[4 * (i / W) * W + e] = k[e];
        }
    }
}

static const LyraForceType pull_type = {
    .name = "pull",
    .nodes = 1,
    .traits = LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_SYMMETRIC | LYRA_FORCE_LINEAR |
              LYRA_FORCE_DISPLACEMENT,
    .parameter_count = 4,
    .evaluate = evaluate_pull,
};

static LyraStatus create_pull(LyraContext *ctx, const Sizes *sizes, LyraForce **out)
{
    const double parameters[4] = {0.01 * sizes->weight / sizes->extent, 0, 0.1 * sizes->extent, 0};
    LyraForceDef def = lyra_force_def_default();
    def.type = &pull_type;
    def.stencil_count = 1;
    def.stencils = sizes->ends;
    def.parameters = parameters;
    return lyra_force_create(ctx, &def, out);
}

static LyraStatus create_spring(LyraContext *ctx, const LyraMeshView *view, const Sizes *sizes,
                                bool maxwell, LyraForce **out)
{
    LyraSprings *springs = NULL;
    LyraSpringsDef list = lyra_springs_def_default();
    list.vertex_count = view->vertex_count;
    list.positions = view->positions;
    list.spring_count = 1;
    list.vertices = sizes->ends;
    LyraStatus status = lyra_springs_create(ctx, &list, &springs);
    if (status != LYRA_OK) {
        return status;
    }
    double stiffness = 0.01 * sizes->weight / sizes->extent;
    if (maxwell) {
        LyraMaxwellSpringDef def = lyra_maxwell_spring_def_default();
        def.stiffness = def.branch_stiffness = stiffness;
        def.relaxation_time = 0.1;
        status = lyra_maxwell_spring_create(ctx, springs, &def, out);
    } else {
        LyraMassSpringDef def = lyra_mass_spring_def_default();
        def.damping_kind = LYRA_SPRING_DAMPING_FULL;
        def.stiffness = 1e-3 * stiffness;
        def.damping = 0.1 * stiffness;
        status = lyra_mass_spring_create(ctx, springs, &def, out);
    }
    lyra_springs_destroy(springs);
    return status;
}

// keeps the triangles that look up, within 45 degrees; returns their area
static double choose_triangles(const double *X, int32_t *count, int32_t *triangles)
{
    double area = 0;
    int32_t kept = 0;
    for (int32_t t = 0; t < *count; ++t) {
        const int32_t *ids = triangles + 3 * (int64_t)t;
        const double *x[3];
        double n[3];
        for (int32_t k = 0; k < 3; ++k) {
            x[k] = X + 3 * (int64_t)ids[k];
        }
        for (int32_t i = 0; i < 3; ++i) {
            int32_t j = (i + 1) % 3, k = (i + 2) % 3;
            n[i] = (x[1][j] - x[0][j]) * (x[2][k] - x[0][k]) -
                   (x[1][k] - x[0][k]) * (x[2][j] - x[0][j]);
        }
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        if (n[1] > 0.707 * length) {
            memmove(triangles + 3 * (int64_t)kept++, ids, 3 * sizeof *ids);
            area += 0.5 * length;
        }
    }
    *count = kept;
    return area;
}

static LyraStatus create_pressure(LyraContext *ctx, const LyraMesh *mesh, const Sizes *sizes,
                                  LyraForce **out)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraMeshBoundary *boundary = NULL;
    LyraStatus status = lyra_mesh_boundary_create(mesh, true, &boundary);
    if (status != LYRA_OK) {
        return status;
    }
    LyraMeshBoundaryView faces = lyra_mesh_boundary_view(boundary);
    size_t bytes = 3 * (size_t)faces.face_count * sizeof(int32_t);
    int32_t *triangles = cli_allocate(bytes);
    memcpy(triangles, faces.faces, bytes);
    LyraTractionDef def = lyra_traction_def_default();
    def.kind = LYRA_TRACTION_PRESSURE;
    def.triangle_count = faces.face_count;
    def.triangles = triangles;
    double area = choose_triangles(view.positions, &def.triangle_count, triangles);
    def.pressure = area > 0 ? 0.1 * sizes->weight / area : 0;
    status = lyra_traction_create(ctx, view.vertex_count, view.positions, &def, out);
    free(triangles);
    lyra_mesh_boundary_destroy(boundary);
    return status;
}

static LyraStatus create_force(LyraContext *ctx, const BenchSubject *subject, BenchWith with,
                               LyraForce **out)
{
    LyraMeshView view = lyra_mesh_view(subject->mesh);
    Sizes sizes = measure(subject);
    switch (with) {
    case BENCH_WITH_PULL:
        return create_pull(ctx, &sizes, out);
    case BENCH_WITH_PRESSURE:
        return create_pressure(ctx, subject->mesh, &sizes, out);
    default:
        return create_spring(ctx, &view, &sizes, with == BENCH_WITH_HISTORY, out);
    }
}

// ---- turns --------------------------------------------------------------------------------------

// a body that takes steps in turn with others
typedef struct Runner {
    const char *name; // of its force
    BenchBody body;
    double seconds[TURNS_MAX], ratios[TURNS_MAX];
    int64_t newton, linear; // iterations of the turns that count
    const char *solver;
} Runner;

static CliExit make_runner(const BenchSubject *subject, const char *model, const BenchWay *way,
                           int32_t with, int32_t threads, Runner *runner)
{
    BenchBody *body = &runner->body;
    runner->name = with < 0 ? "without" : names[with];
    body->ctx = cli_context(threads, LYRA_ISA_AUTO);
    if (!body->ctx) {
        return CLI_BAD_INPUT;
    }
    bool relaxes = with == BENCH_WITH_VISCOELASTIC;
    char law[80];
    snprintf(law, sizeof law, "%s%s", model, relaxes ? "+prony" : "");
    LyraStatus status = with < 0 || relaxes
                            ? LYRA_OK
                            : create_force(body->ctx, subject, (BenchWith)with, &body->added);
    status = status == LYRA_OK ? bench_body_create(subject, law, way, body) : status;
    return status == LYRA_OK ? CLI_OK : cli_failed();
}

// one step of each; the first of a turn changes
static LyraStatus take_turn(int32_t turn, int32_t count, Runner *runners, int32_t kept)
{
    for (int32_t k = 0; k < count; ++k) {
        Runner *runner = &runners[(turn + k) % count];
        LyraStepReport report;
        double start = bench_now();
        LyraStatus status =
            lyra_integrator_step(runner->body.integrator, runner->body.state, BENCH_STEP, &report);
        if (status != LYRA_OK) {
            return status;
        }
        if (kept >= 0) {
            runner->seconds[kept] = bench_now() - start;
            runner->newton += report.newton_iterations;
            runner->linear += report.linear_iterations;
            runner->solver = report.solver;
        }
    }
    for (int32_t k = 0; k < count && kept >= 0; ++k) {
        runners[k].ratios[kept] = runners[k].seconds[kept] / runners[0].seconds[kept];
    }
    return LYRA_OK;
}

static LyraStatus take_turns(const Bench *bench, int32_t count, Runner *runners, int32_t *turns)
{
    double begin = 0, budget = bench->seconds * count;
    *turns = 0;
    for (int32_t turn = 0; *turns < TURNS_MAX; ++turn) {
        bool counts = turn >= WARM_TURNS;
        begin = turn == WARM_TURNS ? bench_now() : begin;
        if (*turns >= 3 && bench_now() - begin >= budget) {
            break;
        }
        LyraStatus status = take_turn(turn, count, runners, counts ? *turns : -1);
        if (status != LYRA_OK) {
            return status;
        }
        *turns += counts;
    }
    return LYRA_OK;
}

static void report_runner(Bench *bench, const BenchSubject *subject, const char *way, int32_t turns,
                          int32_t threads, Runner *runner)
{
    char name[120];
    snprintf(name, sizeof name, "%s/%s", way, runner->name);
    bench_sort(turns, runner->seconds);
    bench_sort(turns, runner->ratios);
    const BenchRatio ratio = {.ratio = runner->ratios[turns / 2],
                              .newton = (double)runner->newton / turns,
                              .linear = (double)runner->linear / turns,
                              .solver = runner->solver};
    const BenchRow row = {.name = name,
                          .subject = subject->name,
                          .unit = "step",
                          .items = 1,
                          .threads = threads,
                          .isa = lyra_context_isa(runner->body.ctx),
                          .time = {runner->seconds[0], runner->seconds[turns / 2]},
                          .ratio = &ratio};
    bench_row(bench, &row);
}

CliExit bench_with(Bench *bench, const BenchSubject *subject, const char *model,
                   const BenchWay *way, int32_t threads)
{
    Runner *runners = cli_allocate((1 + BENCH_WITH_COUNT) * sizeof *runners);
    int32_t count = 0, turns = 0;
    CliExit exit = CLI_OK;
    memset(runners, 0, (1 + BENCH_WITH_COUNT) * sizeof *runners);
    for (int32_t with = -1; with < BENCH_WITH_COUNT && exit == CLI_OK; ++with) {
        if (with < 0 || bench->with >> with & 1) {
            exit = make_runner(subject, model, way, with, threads, &runners[count++]);
        }
    }
    if (exit == CLI_OK && take_turns(bench, count, runners, &turns) != LYRA_OK) {
        exit = cli_failed();
    }
    char name[80];
    snprintf(name, sizeof name, "%s/%s%s", way->integrator, model, way->full ? "/full" : "");
    for (int32_t k = 0; k < count; ++k) {
        if (exit == CLI_OK) {
            report_runner(bench, subject, name, turns, threads, &runners[k]);
        }
        bench_body_end(&runners[k].body);
    }
    free(runners);
    return exit;
}
