// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Cloth in `lyra bench forces` and `lyra bench step`: a unit square of N x N cells, its diagonals
// alike, 8500 and 100, bending 0.0002, 0.25 kg/m^2 in the units of Vega; rows that end in "vega"
// have its bending too. Steps: two corners held, backward Euler, h = 10 ms, stiffness damping 0.001
// s, from rest; by one Newton step, started and damped as in Vega, or "full".
//
// Shells beside it: the same square, 1 mm thick, of 1 MPa and 0.3 (neo-Hookean), 1000 kg/m^3, that
// bends with an unknown per edge; steps of h = 1 ms without damping, from rest, by one Newton step
// or "full".

#include "bench_body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FORCE_CELLS 283 // 160,178 triangles
#define WARM_STEPS 4

typedef enum Fabric { OURS, VEGA, SHELL } Fabric;

static const char *const fabric_names[] = {"cloth", "cloth/vega", "shell"};

static LyraStatus add_sheet(LyraWorld *world, int32_t cells, Fabric fabric)
{
    LyraSheetDef sheet = lyra_sheet_def_default();
    LyraBodyCloth cloth = lyra_body_cloth_default();
    LyraBodyDef body = lyra_body_def_default();
    sheet.cells[0] = sheet.cells[1] = cells;
    sheet.faces = LYRA_SHEET_SAME;
    cloth.generate = &sheet;
    cloth.fabric.stretch = 8500;
    cloth.fabric.shear = 100;
    cloth.fabric.bend_u = cloth.fabric.bend_v = 0.0002;
    cloth.area = LYRA_CLOTH_AREA_VEGA;
    cloth.frozen_bend = fabric == VEGA;
    body.kind = fabric == SHELL ? "shell" : "cloth";
    body.cloth = fabric == SHELL ? NULL : &cloth;
    LyraBodyShell shell = lyra_body_shell_default();
    shell.generate = &sheet;
    body.shell = fabric == SHELL ? &shell : NULL;
    return lyra_world_add_body(world, &body, NULL);
}

// ---- forces -------------------------------------------------------------------------------------

typedef struct Forces {
    LyraContext *ctx;
    LyraWorld *world; // owns the cloth
    LyraAssembly *assembly;
    LyraBlockMatrix *K;
    double *x, *gradient, *history;
    bool tangent, psd; // what the next timing asks for
} Forces;

static void evaluate(void *data)
{
    Forces *body = data;
    LyraEvaluation evaluation = {.x = body->x,
                                 .psd = body->psd,
                                 .gradient = body->gradient,
                                 .history = body->history,
                                 .dfdx = body->tangent ? body->K : NULL};
    lyra_assembly_evaluate(body->assembly, &evaluation);
}

static void end_forces(Forces *body)
{
    lyra_block_matrix_destroy(body->K);
    lyra_assembly_destroy(body->assembly);
    lyra_world_destroy(body->world);
    lyra_context_destroy(body->ctx);
    free(body->x);
    free(body->gradient);
    free(body->history);
    *body = (Forces){0};
}

static bool make_forces(int32_t threads, LyraIsa isa, Fabric fabric, Forces *body)
{
    *body = (Forces){.ctx = cli_context(threads, isa)};
    if (!body->ctx || lyra_world_create(body->ctx, NULL, &body->world) != LYRA_OK ||
        add_sheet(body->world, FORCE_CELLS, fabric) != LYRA_OK) {
        end_forces(body);
        return false;
    }
    const LyraBodyView *made = &lyra_world_view(body->world).bodies[0];
    LyraSurfaceView view = lyra_surface_view(made->sheet);
    int32_t count = 0;
    LyraForce *const *forces = made->shell ? lyra_shell_forces(made->shell, &count)
                                           : lyra_cloth_forces(made->cloth, &count);
    int32_t nodes = made->vertex_count + made->scalar_count;
    body->x = cli_allocate((size_t)nodes * 3 * sizeof *body->x);
    body->gradient = cli_allocate((size_t)nodes * 3 * sizeof *body->gradient);
    // at rest, scalar nodes too
    memcpy(body->x, view.positions, (size_t)view.vertex_count * 3 * sizeof *body->x);
    if (made->shell) {
        lyra_shell_masses(made->shell, 1, NULL, body->x + 3 * (int64_t)made->vertex_count);
    }
    if (lyra_assembly_create(body->ctx, nodes, body->x, count, forces, &body->assembly) !=
            LYRA_OK ||
        lyra_block_matrix_create(lyra_assembly_pattern(body->assembly), &body->K) != LYRA_OK) {
        end_forces(body);
        return false;
    }
    size_t history = (size_t)lyra_assembly_history_size(body->assembly);
    body->history = cli_allocate((history + 1) * sizeof *body->history);
    lyra_assembly_history_init(body->assembly, body->history);
    // stretched and sheared by some per cent, in waves
    for (int32_t i = 0; i < view.vertex_count; ++i) {
        const double *X = view.positions + 3 * (int64_t)i;
        double *x = body->x + 3 * (int64_t)i;
        x[0] = 1.05 * X[0] + 0.03 * X[2];
        x[1] = 0.05 * sin(9 * X[0]) * cos(7 * X[2]);
        x[2] = 0.98 * X[2] + 0.02 * X[0] * X[2];
    }
    return true;
}

// force; force and tangent; force and positive semi-definite tangent
enum { KINDS = 3 };

static CliExit bench_forces_way(Bench *bench, Fabric fabric)
{
    BenchTime twin_time[KINDS];
    Forces body;
    if (!make_forces(1, LYRA_ISA_SCALAR, fabric, &body)) {
        return cli_failed();
    }
    for (int kind = 0; kind < KINDS; ++kind) {
        body.tangent = kind > 0;
        body.psd = kind > 1;
        twin_time[kind] = bench_time(bench, evaluate, &body);
    }
    end_forces(&body);
    for (int32_t threads = 1; threads <= bench->threads;
         threads = bench_next_threads(bench, threads)) {
        if (!make_forces(threads, LYRA_ISA_AUTO, fabric, &body)) {
            return cli_failed();
        }
        for (int kind = 0; kind < KINDS; ++kind) {
            char name[80];
            snprintf(name, sizeof name, "%s/%s%s", kind ? "force+tangent" : "force",
                     fabric_names[fabric], kind == 2 ? "/psd" : "");
            body.tangent = kind > 0;
            body.psd = kind > 1;
            const BenchRow row = {.name = name,
                                  .subject = "square",
                                  .unit = "element",
                                  .items = 2.0 * FORCE_CELLS * FORCE_CELLS,
                                  .threads = threads,
                                  .isa = lyra_context_isa(body.ctx),
                                  .time = bench_time(bench, evaluate, &body),
                                  .twin = twin_time[kind],
                                  .twin_name = "scalar"};
            bench_row(bench, &row);
        }
        end_forces(&body);
    }
    return CLI_OK;
}

CliExit bench_cloth_forces(Bench *bench)
{
    CliExit exit = bench_forces_way(bench, OURS);
    return exit == CLI_OK ? bench_forces_way(bench, VEGA) : exit;
}

CliExit bench_shell_forces(Bench *bench)
{
    return bench_forces_way(bench, SHELL);
}

// ---- steps --------------------------------------------------------------------------------------

static LyraStatus make_world(LyraContext *ctx, int32_t cells, int32_t what, bool full,
                             LyraWorld **out)
{
    Fabric fabric = (Fabric)what;
    LyraWorldDef def = lyra_world_def_default();
    LyraSelector corners = lyra_selector_default();
    const int32_t ends[2] = {0, cells};
    def.gravity[1] = lyra_curve_constant(-9.81);
    def.damping.stiffness = fabric == SHELL ? 0 : 0.001;
    def.damping.exact = !full;
    def.integrator.name = "backward-euler";
    def.integrator.vega = !full && fabric != SHELL;
    def.integrator.newton.policy = full ? LYRA_NEWTON_FULL : LYRA_NEWTON_ONE;
    def.integrator.newton.decrement = 1e-8;
    def.time.dt = fabric == SHELL ? 0.1 * BENCH_STEP : BENCH_STEP;
    corners.vertices = ends;
    corners.vertex_count = 2;
    LyraStatus status = lyra_world_create(ctx, &def, out);
    status = status == LYRA_OK ? add_sheet(*out, cells, fabric) : status;
    status = status == LYRA_OK ? lyra_world_fix(*out, NULL, &corners) : status;
    return status == LYRA_OK ? lyra_world_prepare(*out) : status;
}

static LyraStatus time_steps(const Bench *bench, LyraWorld *world, BenchTime *time,
                             LyraStepReport *best)
{
    BenchSamples samples = {0};
    for (int32_t k = 0; bench_samples_want(&samples); ++k) {
        LyraStepReport report;
        double start = bench_now();
        LyraStatus status = lyra_world_step(world, &report);
        double seconds = bench_now() - start;
        if (status != LYRA_OK) {
            return status;
        }
        if (k >= WARM_STEPS && bench_samples_add(bench, &samples, seconds)) {
            *best = report;
        }
    }
    *time = bench_samples_time(&samples);
    return LYRA_OK;
}

static CliExit bench_steps(Bench *bench, const BenchWorld *world, bool full, int32_t threads)
{
    LyraContext *ctx = cli_context(threads, LYRA_ISA_AUTO);
    if (!ctx) {
        return CLI_BAD_INPUT;
    }
    LyraWorld *made = NULL;
    BenchTime time = {0};
    LyraStepReport report = {0};
    double start = bench_now(), set_up = 0;
    LyraStatus status = world->make(ctx, world->size, world->kind, full, &made);
    status = status == LYRA_OK ? lyra_world_step(made, NULL) : status;
    set_up = bench_now() - start;
    status = status == LYRA_OK ? time_steps(bench, made, &time, &report) : status;
    if (status == LYRA_OK) {
        char name[80];
        snprintf(name, sizeof name, "backward-euler/%s%s", world->name, full ? "/full" : "");
        const BenchSolve solve = {.solver = report.solver,
                                  .analyze = set_up,
                                  .solve = report.solve_seconds,
                                  .iterations = report.linear_iterations,
                                  .bytes = (int64_t)lyra_context_byte_count(ctx)};
        const BenchRow row = {.name = name,
                              .subject = world->subject,
                              .unit = "step",
                              .items = 1,
                              .threads = threads,
                              .isa = lyra_context_isa(ctx),
                              .time = time,
                              .solve = &solve};
        bench_row(bench, &row);
    }
    CliExit exit = status == LYRA_OK ? CLI_OK : cli_failed();
    lyra_world_destroy(made);
    lyra_context_destroy(ctx);
    return exit;
}

CliExit bench_world_steps(Bench *bench, const BenchWorld *world)
{
    CliExit exit = CLI_OK;
    for (int full = 0; full < 2; ++full) {
        for (int32_t threads = 1; threads <= bench->threads && exit == CLI_OK;
             threads = bench_next_threads(bench, threads)) {
            exit = bench_steps(bench, world, full, threads);
        }
    }
    return exit;
}

static CliExit bench_all_steps(Bench *bench, Fabric fabric)
{
    static const int32_t cells[] = {32, 100, 224};
    CliExit exit = CLI_OK;
    for (int c = 0; c < (bench->large ? 3 : 2) && exit == CLI_OK; ++c) {
        char subject[64];
        snprintf(subject, sizeof subject, "square %d triangles", 2 * (int)cells[c] * (int)cells[c]);
        const BenchWorld world = {fabric_names[fabric], subject, cells[c], (int32_t)fabric,
                                  make_world};
        exit = bench_world_steps(bench, &world);
    }
    return exit;
}

CliExit bench_cloth_steps(Bench *bench)
{
    return bench_all_steps(bench, OURS);
}

CliExit bench_shell_steps(Bench *bench)
{
    return bench_all_steps(bench, SHELL);
}
