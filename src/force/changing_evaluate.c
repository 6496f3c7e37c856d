// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Evaluating a set of stencils, chunk by chunk: first the kernel over the batches of the chunk,
// whose results go to rows, then the sums over its contributions. Pieces of a sum begin and end
// with a target, so each target has one thread; chunks follow one another.

#include "force/changing.h"

#include <string.h>

#define WIDTH LYRA_BATCH_WIDTH

// batches and contributions that are worth waking a thread for
#define BATCH_GRAIN 16
#define SUM_GRAIN 1024
#define CLEAR_GRAIN 8192

typedef struct Evaluation {
    LyraStencilSet *set;
    const LyStencilEvaluation *at;
    LySpreadBlocksKernel *spread_blocks;
    LySpreadGradientKernel *spread_gradient;
    LySumBlocksKernel *sum_blocks;
    bool dfdv;           // the type has velocities and dfdv is asked for
    int64_t batch_begin; // of the chunk
    int64_t batch_end;
    int64_t begin, end; // contributions of the chunk
    int32_t pieces;
    double *blocks; // that are cleared
} Evaluation;

// ---- the kernel ---------------------------------------------------------------------------------

// sum over the entries of each point of a batch, on top of `rest`, component-major. Nullable: zero
static void gather(const LyraStencilSet *set, const int32_t *element, const double *values,
                   const double *rest, double *out)
{
    int32_t nodes = set->type->nodes;
    const int32_t *vertices = set->vertices;
    const double *w = set->weights;
    for (int32_t lane = 0; lane < WIDTH; ++lane) {
        int64_t point = (int64_t)element[lane] * nodes;
        for (int32_t a = 0; a < nodes; ++a) {
            double x = 0, y = 0, z = 0;
            if (set->plain) {
                const double *from = values + 3 * (int64_t)vertices[point + a];
                x = from[0];
                y = from[1];
                z = from[2];
            } else {
                for (int64_t e = set->start[point + a]; e < set->start[point + a + 1]; ++e) {
                    const double *from = values + 3 * (int64_t)vertices[e];
                    x += w[e] * from[0];
                    y += w[e] * from[1];
                    z += w[e] * from[2];
                }
            }
            int32_t at = 3 * a * WIDTH + lane;
            out[at] = rest ? rest[at] + x : x;
            out[at + WIDTH] = rest ? rest[at + WIDTH] + y : y;
            out[at + 2 * WIDTH] = rest ? rest[at + 2 * WIDTH] + z : z;
        }
    }
}

// history of the stencils of a batch, component-major
static void gather_history(int32_t count, const int32_t *element, const double *from, double *out)
{
    for (int32_t lane = 0; lane < WIDTH; ++lane) {
        for (int32_t i = 0; i < count; ++i) {
            out[i * WIDTH + lane] = from[(int64_t)element[lane] * count + i];
        }
    }
}

static void scatter_history(int32_t count, const LyraBatch *batch, double *out)
{
    for (int32_t lane = 0; lane < batch->count; ++lane) {
        for (int32_t i = 0; i < count; ++i) {
            out[(int64_t)batch->element[lane] * count + i] = batch->trial_history[i * WIDTH + lane];
        }
    }
}

static void spread(const Evaluation *evaluation, int64_t b, const LyraBatch *batch)
{
    LyraStencilSet *set = evaluation->set;
    int32_t nodes = set->type->nodes;
    bool without_diagonal = set->type->traits & LYRA_FORCE_TRANSLATION_INVARIANT;
    int64_t first = (b - evaluation->batch_begin) * WIDTH;
    int64_t block = first * ly_set_blocks(set) * 9;
    if (batch->gradient) {
        evaluation->spread_gradient(nodes, batch->gradient, set->gradients + first * nodes * 4);
    }
    if (batch->dfdx) {
        evaluation->spread_blocks(nodes, without_diagonal, batch->dfdx, set->dfdx + block);
    }
    if (batch->dfdv) {
        evaluation->spread_blocks(nodes, without_diagonal, batch->dfdv, set->dfdv + block);
    }
    if (batch->trial_history) {
        scatter_history(set->type->history_count, batch, evaluation->at->trial_history);
    }
}

static void kernel_task(void *data, int32_t index, int32_t worker)
{
    const Evaluation *evaluation = data;
    LyraStencilSet *set = evaluation->set;
    const LyraForceType *type = set->type;
    const LyStencilEvaluation *at = evaluation->at;
    LyraArena *arena = set->arenas[worker];
    LyArenaMark mark = ly_arena_mark(arena);
    size_t vector_bytes = (size_t)(3 * type->nodes * WIDTH) * sizeof(double);
    size_t block_bytes = (size_t)(lyra_force_type_blocks(type) * 9 * WIDTH) * sizeof(double);
    size_t history_bytes = (size_t)(type->history_count * WIDTH) * sizeof(double);
    bool viscous = type->traits & LYRA_FORCE_VELOCITY;
    bool displaced = type->traits & LYRA_FORCE_DISPLACEMENT;
    bool remembers = type->history_count > 0;
    double energies[WIDTH] __attribute__((aligned(64)));
    double rates[LYRA_RATE_COUNT * WIDTH] __attribute__((aligned(64)));
    double *x = lyra_arena_push(arena, vector_bytes);
    double *v = viscous ? lyra_arena_push(arena, vector_bytes) : NULL;
    double *history = remembers ? lyra_arena_push(arena, history_bytes) : NULL;
    LyraBatch batch = {
        .psd = at->psd,
        .time = at->time,
        .dt = at->dt,
        .unloaded = at->unloaded,
        .x = displaced ? NULL : x,
        .u = displaced ? x : NULL,
        .v = v,
        .history = history,
        .energy = at->energy ? energies : NULL,
        .rates = at->rates && set->rates ? rates : NULL,
        .gradient = at->gradient ? lyra_arena_push(arena, vector_bytes) : NULL,
        .dfdx = at->dfdx ? lyra_arena_push(arena, block_bytes) : NULL,
        .dfdv = evaluation->dfdv ? lyra_arena_push(arena, block_bytes) : NULL,
        .trial_history =
            remembers && at->trial_history ? lyra_arena_push(arena, history_bytes) : NULL,
    };
    if (v) {
        memset(v, 0, vector_bytes);
    }
    int64_t batches = evaluation->batch_end - evaluation->batch_begin;
    int64_t begin = evaluation->batch_begin + ly_piece_begin(batches, evaluation->pieces, index);
    int64_t end = evaluation->batch_begin + ly_piece_begin(batches, evaluation->pieces, index + 1);
    for (int64_t b = begin; b < end; ++b) {
        batch.count = (int32_t)ly_min_i64(WIDTH, set->count - b * WIDTH);
        batch.element = set->element + b * WIDTH;
        batch.parameters = set->lane_parameters + b * type->parameter_count * WIDTH;
        gather(set, batch.element, at->u,
               set->rest ? set->rest + b * 3 * type->nodes * WIDTH : NULL, x);
        if (v && at->v) {
            gather(set, batch.element, at->v, NULL, v);
        }
        if (history) {
            gather_history(type->history_count, batch.element, at->history, history);
        }
        // forces without an energy leave it alone
        memset(energies, 0, sizeof energies);
        LyArenaMark inner = ly_arena_mark(arena);
        type->evaluate(set->self, &batch, arena);
        ly_arena_release_to(arena, inner);
        double sum = 0;
        for (int32_t lane = 0; lane < batch.count; ++lane) {
            sum += energies[lane];
        }
        set->energy[b] = sum;
        for (int32_t i = 0; batch.rates && i < LYRA_RATE_COUNT; ++i) {
            double rate = 0;
            for (int32_t lane = 0; lane < batch.count; ++lane) {
                rate += rates[i * WIDTH + lane];
            }
            set->rates[b * LYRA_RATE_COUNT + i] = rate;
        }
        spread(evaluation, b, &batch);
    }
    ly_arena_release_to(arena, mark);
}

// ---- the sums -----------------------------------------------------------------------------------

// first contribution of piece `index`: pieces begin where a target does
static int64_t piece_begin(const Evaluation *evaluation, const int32_t *target, int32_t index)
{
    int64_t count = evaluation->end - evaluation->begin;
    int64_t at = evaluation->begin + ly_piece_begin(count, evaluation->pieces, index);
    while (at > evaluation->begin && at < evaluation->end && target[at] == target[at - 1]) {
        ++at;
    }
    return at;
}

static void gradient_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Evaluation *evaluation = data;
    const LyraStencilSet *set = evaluation->set;
    const LyContributions *from = &set->of_gradient;
    int64_t end = piece_begin(evaluation, from->target, index + 1);
    for (int64_t k = piece_begin(evaluation, from->target, index); k < end;) {
        int32_t target = from->target[k];
        double x = 0, y = 0, z = 0;
        do {
            const double *g = set->gradients + 4 * (int64_t)from->source[k];
            double w = set->plain ? 1 : from->weight[k];
            x += w * g[0];
            y += w * g[1];
            z += w * g[2];
        } while (++k < end && from->target[k] == target);
        double *to = evaluation->at->gradient + 3 * (int64_t)set->touched[target];
        to[0] += x;
        to[1] += y;
        to[2] += z;
    }
}

static void block_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Evaluation *evaluation = data;
    const LyraStencilSet *set = evaluation->set;
    const LyContributions *from = &set->of_blocks;
    int64_t begin = piece_begin(evaluation, from->target, index);
    int64_t end = piece_begin(evaluation, from->target, index + 1);
    if (evaluation->at->dfdx) {
        evaluation->sum_blocks(from, set->plain, begin, end, set->dfdx, evaluation->at->dfdx);
    }
    if (evaluation->dfdv) {
        evaluation->sum_blocks(from, set->plain, begin, end, set->dfdv, evaluation->at->dfdv);
    }
}

static void run_sum(Evaluation *evaluation, const LyContributions *from, int32_t chunk,
                    LyraTask *task)
{
    evaluation->begin = from->chunk_start[chunk];
    evaluation->end = from->chunk_start[chunk + 1];
    evaluation->pieces = ly_piece_count(evaluation->end - evaluation->begin, SUM_GRAIN);
    ly_parallel_for(evaluation->set->ctx, evaluation->pieces, task, evaluation);
}

static void clear_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Evaluation *evaluation = data;
    int64_t count = evaluation->set->pair_count;
    int64_t begin = ly_piece_begin(count, evaluation->pieces, index);
    int64_t end = ly_piece_begin(count, evaluation->pieces, index + 1);
    memset(evaluation->blocks + 9 * begin, 0, (size_t)(9 * (end - begin)) * sizeof(double));
}

static void clear(Evaluation *evaluation, double *blocks)
{
    if (blocks && evaluation->set->pair_count > 0) {
        evaluation->blocks = blocks;
        evaluation->pieces = ly_piece_count(evaluation->set->pair_count, CLEAR_GRAIN);
        ly_parallel_for(evaluation->set->ctx, evaluation->pieces, clear_task, evaluation);
    }
}

// ---- the whole ----------------------------------------------------------------------------------

static LyraStatus check(const LyraStencilSet *set, const LyStencilEvaluation *at)
{
    if (!set->finished) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "force %s: stencils were set, but the set is not finished", set->type->name);
    }
    if (!at->u && set->count > 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "force %s: no displacements", set->type->name);
    }
    if (set->type->history_count > 0 && set->count > 0 && !at->history) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "force %s has history, but none is given",
                       set->type->name);
    }
    return LYRA_OK;
}

LyraStatus ly_stencil_set_evaluate(LyraStencilSet *set, const LyStencilEvaluation *at)
{
    static LySpreadBlocksKernel *const spread_blocks[] = LY_KERNEL_TABLE(ly_spread_blocks);
    static LySpreadGradientKernel *const spread_gradient[] = LY_KERNEL_TABLE(ly_spread_gradient);
    static LySumBlocksKernel *const sum_blocks[] = LY_KERNEL_TABLE(ly_sum_blocks);
    LY_TRY(check(set, at));
    LyraIsa isa = lyra_context_isa(set->ctx);
    Evaluation evaluation = {
        .set = set,
        .at = at,
        .spread_blocks = spread_blocks[isa],
        .spread_gradient = spread_gradient[isa],
        .sum_blocks = sum_blocks[isa],
        .dfdv = at->dfdv && set->type->traits & LYRA_FORCE_VELOCITY,
    };
    clear(&evaluation, at->dfdx);
    clear(&evaluation, at->dfdv);
    for (int32_t chunk = 0; chunk < set->chunk_count; ++chunk) {
        evaluation.batch_begin = (int64_t)chunk * set->chunk_batches;
        evaluation.batch_end =
            ly_min_i64(evaluation.batch_begin + set->chunk_batches, set->batch_count);
        evaluation.pieces =
            ly_piece_count(evaluation.batch_end - evaluation.batch_begin, BATCH_GRAIN);
        ly_parallel_for(set->ctx, evaluation.pieces, kernel_task, &evaluation);
        if (at->gradient) {
            run_sum(&evaluation, &set->of_gradient, chunk, gradient_task);
        }
        if (at->dfdx || evaluation.dfdv) {
            run_sum(&evaluation, &set->of_blocks, chunk, block_task);
        }
    }
    if (at->energy) {
        double sum = 0;
        for (int32_t b = 0; b < set->batch_count; ++b) {
            sum += set->energy[b];
        }
        *at->energy = sum;
    }
    for (int32_t b = 0; at->rates && set->rates && b < set->batch_count; ++b) {
        for (int32_t i = 0; i < LYRA_RATE_COUNT; ++i) {
            at->rates[i] += set->rates[(int64_t)b * LYRA_RATE_COUNT + i];
        }
    }
    return LYRA_OK;
}
