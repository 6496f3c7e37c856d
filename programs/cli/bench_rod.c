// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Rods in `lyra bench step`: a rubber cable 1 mm an edge, 4 mm thick, that swings about a clamp at
// one end. Backward Euler, h = 1 ms, from rest, by one Newton step or "full".

#include "bench_body.h"

#include <stdio.h>

#define ROD_STEP 0.001

static LyraStatus make_world(LyraContext *ctx, int32_t edges, int32_t kind, bool full,
                             LyraWorld **out)
{
    (void)kind; // there is one
    LyraWorldDef def = lyra_world_def_default();
    LyraLineDef line = lyra_line_def_default();
    LyraBodyRod rod = lyra_body_rod_default();
    LyraBodyDef body = lyra_body_def_default();
    LyraSelector clamp = lyra_selector_default();
    const int32_t ends[2] = {0, 1};
    line.edges = edges;
    line.to[0] = 0.001 * edges;
    rod.generate = &line;
    rod.radius = 0.002;
    rod.young = 5e7;
    rod.density = 1200;
    rod.sides = 0;
    body.kind = "rod";
    body.rod = &rod;
    clamp.vertices = ends;
    clamp.vertex_count = 2;
    def.gravity[1] = lyra_curve_constant(-9.81);
    def.integrator.name = "backward-euler";
    def.integrator.newton.policy = full ? LYRA_NEWTON_FULL : LYRA_NEWTON_ONE;
    def.time.dt = ROD_STEP;
    LyraStatus status = lyra_world_create(ctx, &def, out);
    status = status == LYRA_OK ? lyra_world_add_body(*out, &body, NULL) : status;
    status = status == LYRA_OK ? lyra_world_fix(*out, NULL, &clamp) : status;
    return status == LYRA_OK ? lyra_world_prepare(*out) : status;
}

CliExit bench_rod_steps(Bench *bench)
{
    static const int32_t edges[] = {100, 1000, 10000};
    CliExit exit = CLI_OK;
    for (int k = 0; k < 3 && exit == CLI_OK; ++k) {
        char subject[64];
        snprintf(subject, sizeof subject, "cable %d edges", (int)edges[k]);
        const BenchWorld world = {"rod", subject, edges[k], 0, make_world};
        exit = bench_world_steps(bench, &world);
    }
    return exit;
}
