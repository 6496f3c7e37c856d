// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra bench solvers --auto`: what "auto" takes beside the solvers that it could have been, on
// bodies of many shapes. A body of corotational elements, 1,000 kg/m^3, the longest edge 1 m, is
// held at its face of least x and swings from its rest shape: one Newton step of backward Euler of
// 1, 10 and 100 ms, stiffness damping 0.01 s, the median over steps after the first, in which
// "auto" compares solvers. Statics is one solve from the rest shape under a thousandth of gravity,
// analysis and all, the median of repeats; all solve to the same tolerance.

#include "bench_body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define YOUNG 1e6
#define POISSON 0.45
#define STIFFNESS_DAMPING 0.01
#define WARM_STEPS 12
#define REPEATS_MAX 60
#define TURNS 3
#define TURN_FIGURES 30 // times for a figure after which no further turn begins
#define STATICS_TOLERANCE 1e-9
// cost beyond which a solver that others beat at this size by far is not waited for
#define FACTOR_DOFS 60000

/// A body: cells along its edges, edges in m.
typedef struct Shape {
    const char *name;
    LyraElementKind kind;
    int32_t cells[3];
    double size[3];
    double poisson;
    bool mixed; // every other slab along x 1e9 Pa in place of 1e3 Pa
} Shape;

#define TETS LYRA_ELEMENT_TET4
#define CUBES LYRA_ELEMENT_CUBE8
#define TETS10 LYRA_ELEMENT_TET10

static const Shape shapes[] = {
    {"cube 300", TETS, {3, 4, 4}, {1, 1, 1}, 0.45, false},
    {"cube 3k", TETS, {8, 8, 8}, {1, 1, 1}, 0.45, false},
    {"cube 25k", TETS, {16, 16, 16}, {1, 1, 1}, 0.45, false},
    {"cube 200k", TETS, {32, 32, 32}, {1, 1, 1}, 0.45, false},
    {"bar 3k", TETS, {32, 4, 4}, {1, 0.125, 0.125}, 0.45, false},
    {"bar 25k", TETS, {64, 8, 8}, {1, 0.125, 0.125}, 0.45, false},
    {"bar 80k", TETS, {96, 12, 12}, {1, 0.125, 0.125}, 0.45, false},
    {"rod 1k", TETS, {60, 2, 2}, {1, 0.033, 0.033}, 0.45, false},
    {"rod 12k", TETS, {120, 4, 4}, {1, 0.033, 0.033}, 0.45, false},
    {"plate 5k", TETS, {20, 20, 2}, {1, 1, 0.05}, 0.45, false},
    {"plate 38k", TETS, {40, 40, 4}, {1, 1, 0.05}, 0.45, false},
    {"flat elements 12k", TETS, {26, 26, 3}, {1, 1, 0.00115}, 0.45, false},
    {"flat elements 15k", TETS, {50, 50, 1}, {1, 1, 0.0002}, 0.45, false},
    {"mixed 1e3/1e9 Pa 3k", TETS, {8, 8, 8}, {1, 1, 1}, 0.45, true},
    {"mixed 1e3/1e9 Pa 25k", TETS, {16, 16, 16}, {1, 1, 1}, 0.45, true},
    {"nu 0.4999 3k", TETS, {8, 8, 8}, {1, 1, 1}, 0.4999, false},
    {"nu 0.4999 25k", TETS, {16, 16, 16}, {1, 1, 1}, 0.4999, false},
    {"cubes 4k", CUBES, {16, 16, 16}, {1, 1, 1}, 0.45, false},
    {"cubes, bar 5k", CUBES, {80, 8, 8}, {1, 0.1, 0.1}, 0.45, false},
    {"cubes, plate 6k", CUBES, {55, 55, 2}, {1, 1, 2.0 / 55}, 0.45, false},
    {"tets of 10 nodes 400", TETS10, {4, 4, 4}, {1, 1, 1}, 0.45, false},
    {"tets of 10 nodes 3k", TETS10, {8, 8, 8}, {1, 1, 1}, 0.45, false},
    {"tets of 10 nodes, bar 3k", TETS10, {32, 4, 4}, {1, 0.125, 0.125}, 0.45, false},
};

static const char *const solvers[] = {"auto", "pcg", "cholesky", "factor-reuse"};
enum { SOLVERS = sizeof solvers / sizeof solvers[0] };

static const double steps[] = {0.001, 0.01, 0.1, 0};

// ---- bodies -------------------------------------------------------------------------------------

static CliExit make_subject(const Shape *wanted, LyraContext *ctx, BenchSubject *out)
{
    *out = (BenchSubject){.generated = true};
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    shape.kind = wanted->kind;
    memcpy(shape.cells, wanted->cells, sizeof shape.cells);
    memcpy(shape.size, wanted->size, sizeof shape.size);
    if (lyra_mesh_generate(ctx, &shape, &out->mesh) != LYRA_OK) {
        return cli_failed();
    }
    snprintf(out->name, sizeof out->name, "%s", wanted->name);
    return bench_subject_finish(NULL, ctx, out);
}

static LyraStatus set_moduli(const Shape *shape, const BenchSubject *subject, BenchBody *body)
{
    LyraMeshView view = lyra_mesh_view(subject->mesh);
    double *young = cli_allocate((size_t)view.element_count * sizeof *young);
    for (int32_t e = 0; e < view.element_count; ++e) {
        int32_t v = view.elements[(int64_t)e * lyra_element_kind_nodes(view.kind)];
        double x = view.positions[3 * (int64_t)v] / shape->size[0] + 0.5;
        young[e] = (int32_t)(4 * x) % 2 == 0 ? 1e9 : 1e3;
    }
    int32_t count;
    LyraForce *const *forces = lyra_solid_forces(body->solid, &count);
    int32_t elastic = lyra_model_group_of(body->model, forces[0]);
    LyraStatus status = lyra_model_set_parameter(body->model, elastic, "lambda", young);
    free(young);
    return status;
}

// a body with the solver of that name; h = 0: statics
static LyraStatus make_body(const Shape *shape, const BenchSubject *subject, const char *solver,
                            double h, BenchBody *body)
{
    LyraSolidDef solid = lyra_solid_def_default();
    solid.model = "corotational";
    solid.young = subject->generated ? YOUNG : 0;
    solid.poisson = shape->poisson;
    LyraStatus status = lyra_solid_create(body->ctx, subject->mesh, &solid, &body->solid);
    if (status != LYRA_OK) {
        return status;
    }
    LyraModelDef def = lyra_model_def_default();
    def.vertex_count = lyra_mesh_view(subject->mesh).vertex_count;
    def.positions = lyra_mesh_view(subject->mesh).positions;
    def.forces = lyra_solid_forces(body->solid, &def.force_count);
    def.masses = subject->masses;
    def.stiffness_damping = h > 0 ? STIFFNESS_DAMPING : 0;
    def.damping_exact = true;
    def.gravity[1] = h > 0 ? -9.81 : -9.81e-3;
    status = lyra_model_create(body->ctx, &def, &body->model);
    status = status == LYRA_OK ? lyra_constraints_fix_vertices(lyra_model_constraints(body->model),
                                                               subject->fixed_count, subject->fixed)
                               : status;
    if (status == LYRA_OK && shape->mixed) {
        status = set_moduli(shape, subject, body);
    }
    LyraSolverDef settings = lyra_solver_def_default();
    settings.name = solver;
    settings.task = h > 0 ? LYRA_SOLVER_DYNAMICS : LYRA_SOLVER_STATICS;
    settings.tolerance = h > 0 ? settings.tolerance : STATICS_TOLERANCE;
    LyraIntegratorDef method = lyra_integrator_def_default();
    method.name = h > 0 ? "backward-euler" : "static";
    method.vega = h > 0;
    method.newton.policy = h > 0 ? LYRA_NEWTON_ONE : LYRA_NEWTON_FULL;
    status = status == LYRA_OK
                 ? lyra_system_create_sparse(body->ctx, body->model, &settings, &body->system)
                 : status;
    status = status == LYRA_OK ? lyra_system_state_create(body->system, &body->state) : status;
    return status == LYRA_OK
               ? lyra_integrator_create(body->ctx, &method, body->system, &body->integrator)
               : status;
}

// ---- one solver ---------------------------------------------------------------------------------

/// Seconds of a step, who served, and memory of all after the last step.
typedef struct Figure {
    double seconds;
    const char *solver;
    int32_t iterations;
    int64_t bytes;
} Figure;

static LyraStatus time_steps(const Bench *bench, BenchBody *body, double h, Figure *figure)
{
    double seconds[REPEATS_MAX], spent = 0;
    int32_t count = 0;
    LyraStatus status = LYRA_OK;
    for (int32_t k = 0; k < WARM_STEPS + REPEATS_MAX; ++k) {
        LyraStepReport report;
        double start = bench_now();
        status = lyra_integrator_step(body->integrator, body->state, h, &report);
        double now = bench_now() - start;
        if (status != LYRA_OK) {
            return status;
        }
        spent += now;
        // what takes long is known after few
        if (k >= WARM_STEPS || spent > 10) {
            seconds[count++] = now;
            figure->iterations = report.linear_iterations;
            figure->solver = report.solver;
        }
        if (count >= 7 && spent > bench->seconds) {
            break;
        }
    }
    bench_sort(count, seconds);
    figure->seconds = seconds[count / 2];
    figure->bytes = (int64_t)lyra_context_byte_count(body->ctx);
    return LYRA_OK;
}

static LyraStatus time_solver(const Bench *bench, const Shape *shape, const BenchSubject *subject,
                              const char *solver, double h, Figure *figure)
{
    double seconds[REPEATS_MAX], spent = 0;
    int32_t count = 0;
    LyraStatus status = LYRA_OK;
    do {
        BenchBody body = {.ctx = cli_context(bench->threads, LYRA_ISA_AUTO)};
        if (!body.ctx) {
            return LYRA_OUT_OF_MEMORY;
        }
        status = make_body(shape, subject, solver, h, &body);
        if (status == LYRA_OK && h > 0) {
            status = time_steps(bench, &body, h, figure);
            bench_body_end(&body);
            return status;
        }
        LyraStepReport report = {0};
        double start = bench_now();
        status = status == LYRA_OK ? lyra_integrator_step(body.integrator, body.state, 1, &report)
                                   : status;
        seconds[count] = bench_now() - start;
        spent += seconds[count++];
        figure->iterations = report.linear_iterations;
        figure->solver = report.solver;
        figure->bytes = (int64_t)lyra_context_byte_count(body.ctx);
        bench_body_end(&body);
    } while (status == LYRA_OK && count < REPEATS_MAX && (count < 3 || spent < bench->seconds) &&
             spent < 20);
    bench_sort(count, seconds);
    figure->seconds = seconds[count / 2];
    return status;
}

// ---- rows ---------------------------------------------------------------------------------------

static CliExit run_row(Bench *bench, const Shape *shape, const BenchSubject *subject, double h)
{
    Figure figures[SOLVERS] = {0};
    int32_t best = -1;
    int32_t vertices = lyra_mesh_view(subject->mesh).vertex_count;
    double begin = bench_now();
    // in turns, so that what disturbs the machine meets all
    for (int32_t turn = 0; turn < SOLVERS * TURNS; ++turn) {
        int32_t s = turn % SOLVERS;
        if (s == 0 && turn > 0 && bench_now() - begin > TURN_FIGURES * bench->seconds) {
            break;
        }
        bool factors = s >= 2, failed = turn >= SOLVERS && figures[s].seconds == 0;
        if (failed || (factors && 3 * (int64_t)vertices > FACTOR_DOFS && !bench->large)) {
            continue;
        }
        Figure figure = {0};
        LyraStatus status = time_solver(bench, shape, subject, solvers[s], h, &figure);
        if (status != LYRA_OK && s == 0) {
            return cli_failed();
        }
        // others may not come to an end where "auto" does
        if (status == LYRA_OK && (turn < SOLVERS || figure.seconds < figures[s].seconds)) {
            figures[s] = figure;
        }
    }
    for (int32_t s = 1; s < SOLVERS; ++s) {
        bool better = best < 0 || figures[s].seconds < figures[best].seconds;
        best = figures[s].seconds > 0 && better ? s : best;
    }
    if (best < 0) {
        return cli_fail("no solver but auto served %s", subject->name);
    }
    char name[80];
    snprintf(name, sizeof name, h > 0 ? "auto/h=%g" : "auto/static", h);
    const BenchChoice choice = {
        .chosen = figures[0].seconds, .best = figures[best].seconds, .name = solvers[best]};
    const BenchSolve solve = {.solver = figures[0].solver,
                              .solve = figures[0].seconds,
                              .iterations = figures[0].iterations,
                              .bytes = figures[0].bytes};
    const BenchRow row = {.name = name,
                          .subject = subject->name,
                          .unit = "step",
                          .items = 1,
                          .threads = bench->threads,
                          .isa = LYRA_ISA_AUTO,
                          .time = {figures[0].seconds, figures[0].seconds},
                          .solve = &solve,
                          .choice = &choice};
    bench_row(bench, &row);
    return CLI_OK;
}

// the time steps that the settings ask for, then statics
static CliExit run_rows(Bench *bench, const Shape *shape, const BenchSubject *subject)
{
    CliExit exit = CLI_OK;
    for (size_t s = 0; s < sizeof steps / sizeof steps[0] && exit == CLI_OK; ++s) {
        if (bench->dt == 0 && (steps[s] == 0 || !bench->statics)) {
            exit = run_row(bench, shape, subject, steps[s]);
        }
    }
    return exit == CLI_OK && bench->dt > 0 ? run_row(bench, shape, subject, bench->dt) : exit;
}

// a body of the user's, with its own materials
static CliExit run_subject(Bench *bench, const BenchSubject *subject)
{
    return run_rows(bench, &(Shape){.name = subject->name, .poisson = POISSON}, subject);
}

static CliExit check_body(const Bench *bench)
{
    char list[640] = "";
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; ++k) {
        if (!bench->body || strstr(shapes[k].name, bench->body)) {
            return CLI_OK;
        }
        cli_append(list, sizeof list, shapes[k].name);
    }
    return cli_fail("no body of --auto has \"%s\" in its name, expected a part of one of: %s",
                    bench->body, list);
}

CliExit bench_auto(Bench *bench)
{
    if (bench->mesh) {
        return bench_subjects(bench, 0, NULL, run_subject);
    }
    CliExit exit = check_body(bench);
    if (exit != CLI_OK) {
        return exit;
    }
    LyraContext *ctx = cli_context(1, LYRA_ISA_AUTO);
    if (!ctx) {
        return CLI_BAD_INPUT;
    }
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0] && exit == CLI_OK; ++k) {
        if (bench->body && !strstr(shapes[k].name, bench->body)) {
            continue;
        }
        BenchSubject subject;
        exit = make_subject(&shapes[k], ctx, &subject);
        int32_t elements = exit == CLI_OK ? lyra_mesh_view(subject.mesh).element_count : 0;
        if (exit == CLI_OK && (bench->elements == 0 || elements <= bench->elements)) {
            exit = run_rows(bench, &shapes[k], &subject);
        }
        bench_subject_end(&subject);
    }
    lyra_context_destroy(ctx);
    return exit;
}
