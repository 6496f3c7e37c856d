// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The forces of single stencils: the batches of an evaluation and their kernels, with results that
// go to their stencils, in the caller's order of stencils and nodes, in place of the sums.

#include "force/force.h"
#include "force/nodal.h"

#define WIDTH LYRA_BATCH_WIDTH

// batches that are worth waking a thread for
#define GRAIN 64

typedef struct StencilLoop {
    const LyraAssembly *assembly;
    LyAssemblyWork *work;
    const LyBatches *batches;
    const LyraEvaluation *at;
    const double *history; // of the force. Nullable
    const double *nodal;   // as LyRun has it. Nullable
    int32_t pieces;
    double *energies;  // [stencil], Nullable
    double *gradients; // [stencil][nodes][3], Nullable
} StencilLoop;

// what the nodes of one batch see of their places, component-major
static void gather_places(const StencilLoop *loop, const int32_t *vertex, double *out)
{
    const LyraForceType *type = loop->batches->force->type;
    const LyraAssembly *assembly = loop->assembly;
    for (int32_t a = 0; a < type->nodes; ++a) {
        for (int32_t lane = 0; lane < WIDTH; ++lane) {
            int32_t id = vertex[a * WIDTH + lane];
            double place[3];
            ly_place_vertex(assembly, ly_force_place(type), loop->at, id, place);
            for (int32_t i = 0; i < 3; ++i) {
                out[(3 * a + i) * WIDTH + lane] = place[i];
            }
        }
    }
}

// one batch's nodes, component-major; without `values` zeros
static void gather(const StencilLoop *loop, const int32_t *vertex, const double *values,
                   double *out)
{
    int32_t nodes = loop->batches->force->type->nodes;
    for (int32_t a = 0; a < nodes; ++a) {
        for (int32_t lane = 0; lane < WIDTH; ++lane) {
            int64_t from = 3 * (int64_t)loop->assembly->order[vertex[a * WIDTH + lane]];
            for (int32_t i = 0; i < 3; ++i) {
                out[(3 * a + i) * WIDTH + lane] = values ? values[from + i] : 0;
            }
        }
    }
}

// live lanes to their stencils; a batch may have the nodes of a stencil in another order
static void scatter(const StencilLoop *loop, const LyraBatch *batch, const int32_t *vertex)
{
    const LyraForce *force = loop->batches->force;
    int32_t nodes = force->type->nodes;
    for (int32_t lane = 0; lane < batch->count; ++lane) {
        int64_t e = batch->element[lane];
        const int32_t *stencil = force->stencils + e * nodes;
        if (loop->energies) {
            loop->energies[e] = batch->energy[lane];
        }
        for (int32_t a = 0; loop->gradients && a < nodes; ++a) {
            const int32_t *place = loop->assembly->place + loop->batches->first;
            int32_t at = 0;
            while (place[stencil[at]] != vertex[a * WIDTH + lane]) {
                ++at;
            }
            for (int32_t i = 0; i < 3; ++i) {
                loop->gradients[3 * (e * nodes + at) + i] =
                    batch->gradient[(3 * a + i) * WIDTH + lane];
            }
        }
    }
}

static void stencil_task(void *data, int32_t index, int32_t worker)
{
    const StencilLoop *loop = data;
    const LyBatches *batches = loop->batches;
    const LyraForceType *type = batches->force->type;
    LyraArena *arena = loop->work->arenas[worker];
    LyArenaMark mark = ly_arena_mark(arena);
    size_t bytes = (size_t)(3 * type->nodes * WIDTH) * sizeof(double);
    LyraBatch batch = {.time = loop->at->time, .dt = loop->at->dt, .unloaded = loop->at->unloaded};
    double energies[WIDTH] __attribute__((aligned(64)));
    double nodal[2 * WIDTH] __attribute__((aligned(64)));
    batch.nodal = loop->nodal ? nodal : NULL;
    double *x = lyra_arena_push(arena, bytes);
    double *v = type->traits & LYRA_FORCE_VELOCITY ? lyra_arena_push(arena, bytes) : NULL;
    bool displaced = type->traits & LYRA_FORCE_DISPLACEMENT;
    batch.x = displaced ? NULL : x;
    batch.u = displaced ? x : NULL;
    batch.v = v;
    batch.energy = loop->energies ? energies : NULL;
    batch.gradient = loop->gradients ? lyra_arena_push(arena, bytes) : NULL;
    int64_t begin = ly_piece_begin(batches->batch_count, loop->pieces, index);
    int64_t end = ly_piece_begin(batches->batch_count, loop->pieces, index + 1);
    for (int64_t b = begin; b < end; ++b) {
        const int32_t *vertex = batches->vertex + b * type->nodes * WIDTH;
        int64_t history = b * type->history_count * WIDTH;
        batch.count = batches->count[b];
        batch.element = batches->element + b * WIDTH;
        batch.constants = batches->constants + b * type->constant_count * WIDTH;
        batch.parameters = batches->parameters + b * batches->parameter_stride;
        batch.history = loop->history ? loop->history + history : NULL;
        gather_places(loop, vertex, x);
        if (v) {
            gather(loop, vertex, loop->at->v, v);
        }
        if (loop->nodal) {
            ly_nodal_gather(vertex, loop->nodal, nodal);
        }
        // forces without an energy leave it alone
        for (int32_t lane = 0; lane < WIDTH; ++lane) {
            energies[lane] = 0;
        }
        LyArenaMark inner = ly_arena_mark(arena);
        type->evaluate(batches->force->self, &batch, arena);
        ly_arena_release_to(arena, inner);
        scatter(loop, &batch, vertex);
    }
    ly_arena_release_to(arena, mark);
}

LyraStatus ly_assembly_evaluate_stencils(const LyraAssembly *assembly, LyAssemblyWork *work,
                                         int32_t force, const LyraEvaluation *at, double *energies,
                                         double *gradients)
{
    if (force < 0 || force >= assembly->force_count) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "assembly: no force %d of %d", force,
                       assembly->force_count);
    }
    const LyBatches *batches = &assembly->batches[force];
    if (!at->u && !at->x && assembly->vertex_count > 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "evaluation: no displacements and no positions");
    }
    const double *history = ly_history_at(work, batches, force, at);
    if (batches->force->type->history_count > 0 && !history) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "evaluation: force %s has history, but none is given",
                       batches->force->name);
    }
    StencilLoop loop = {.assembly = assembly,
                        .work = work,
                        .batches = batches,
                        .at = at,
                        .history = history,
                        .nodal = work->nodal[force] ? work->nodal[force]->mean : NULL,
                        .pieces = ly_piece_count(batches->batch_count, GRAIN),
                        .energies = energies,
                        .gradients = gradients};
    if (loop.nodal) {
        ly_assembly_prepare_nodal(assembly, work, at, false);
    }
    ly_parallel_for(work->ctx, loop.pieces, stencil_task, &loop);
    return LYRA_OK;
}
