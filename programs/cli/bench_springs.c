// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The part of `lyra bench forces` that is about springs: time per spring of the edges of a mesh.

#include "bench.h"

#include <stdlib.h>

typedef struct Net {
    LyraContext *ctx;
    LyraSprings *springs;
    LyraForce *force;
    LyraAssembly *assembly;
    LyraBlockMatrix *K;
    double *x, *gradient;
    bool tangent; // what the next timing asks for
} Net;

static void evaluate(void *data)
{
    Net *net = data;
    LyraEvaluation evaluation = {
        .x = net->x, .gradient = net->gradient, .dfdx = net->tangent ? net->K : NULL};
    lyra_assembly_evaluate(net->assembly, &evaluation);
}

static void end_net(Net *net)
{
    lyra_block_matrix_destroy(net->K);
    lyra_assembly_destroy(net->assembly);
    lyra_force_destroy(net->force);
    lyra_springs_destroy(net->springs);
    lyra_context_destroy(net->ctx);
    free(net->x);
    free(net->gradient);
    *net = (Net){0};
}

// of its own context, stretched a little; the mesh may belong to another
static bool make_net(const LyraMesh *mesh, int32_t threads, LyraIsa isa, Net *net)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    *net = (Net){.ctx = cli_context(threads, isa)};
    net->x = malloc((size_t)view.vertex_count * 3 * sizeof *net->x);
    net->gradient = malloc((size_t)view.vertex_count * 3 * sizeof *net->gradient);
    LyraMassSpringDef def = lyra_mass_spring_def_default();
    if (!net->ctx || !net->x || !net->gradient ||
        lyra_springs_create_from_mesh(net->ctx, mesh, &net->springs) != LYRA_OK ||
        lyra_mass_spring_create(net->ctx, net->springs, &def, &net->force) != LYRA_OK ||
        lyra_assembly_create(net->ctx, view.vertex_count, view.positions, 1, &net->force,
                             &net->assembly) != LYRA_OK ||
        lyra_block_matrix_create(lyra_assembly_pattern(net->assembly), &net->K) != LYRA_OK) {
        end_net(net);
        return false;
    }
    for (int64_t i = 0; i < 3 * (int64_t)view.vertex_count; ++i) {
        net->x[i] = (1 + 0.05 * (double)(i % 3)) * view.positions[i];
    }
    return true;
}

CliExit bench_springs(Bench *bench, const LyraMesh *mesh, const char *subject)
{
    Net twin;
    if (!make_net(mesh, 1, LYRA_ISA_SCALAR, &twin)) {
        return cli_failed();
    }
    BenchTime twin_time[2];
    for (int tangent = 0; tangent < 2; ++tangent) {
        twin.tangent = tangent;
        twin_time[tangent] = bench_time(bench, evaluate, &twin);
    }
    end_net(&twin);
    for (int32_t threads = 1; threads <= bench->threads; threads *= 2) {
        Net net;
        if (!make_net(mesh, threads, LYRA_ISA_AUTO, &net)) {
            return cli_failed();
        }
        for (int tangent = 0; tangent < 2; ++tangent) {
            net.tangent = tangent;
            BenchRow row = {
                .name = tangent ? "force+tangent/mass-spring/spring" : "force/mass-spring/spring",
                .subject = subject,
                .unit = "element",
                .items = lyra_springs_view(net.springs).spring_count,
                .threads = threads,
                .isa = lyra_context_isa(net.ctx),
                .time = bench_time(bench, evaluate, &net),
                .twin = twin_time[tangent],
                .twin_name = "scalar",
            };
            bench_row(bench, &row);
        }
        end_net(&net);
    }
    return CLI_OK;
}
