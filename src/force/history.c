// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// History: numbers that stencils remember from step to step. A block holds those of all forces of
// an assembly, [batch][component][lane] each, so that kernels read whole lanes; lanes past the last
// live one repeat it, as all else in a batch does.

#include "force/force.h"

#define WIDTH LYRA_BATCH_WIDTH

int64_t lyra_assembly_history_size(const LyraAssembly *assembly)
{
    return assembly->history_size;
}

// node order[k] of a stencil stands at place k of its batch
static void find_order(const LyraAssembly *assembly, const LyBatches *b, int64_t batch,
                       int32_t lane, int32_t *order)
{
    const LyraForce *force = b->force;
    int32_t nodes = force->type->nodes;
    int64_t element = b->element[batch * WIDTH + lane];
    const int32_t *place = assembly->place + b->first, *stencil = force->stencils + element * nodes;
    for (int32_t k = 0; k < nodes; ++k) {
        order[k] = 0;
        while (place[stencil[order[k]]] != b->vertex[(batch * nodes + k) * WIDTH + lane]) {
            ++order[k];
        }
    }
}

void ly_history_init_lane(const LyraForceType *type, const void *self, int32_t element,
                          const int32_t *order, double *lane)
{
    double values[LY_HISTORY_MAX] = {0};
    if (type->history_init) {
        type->history_init(self, element, order, values);
    }
    for (int32_t i = 0; i < type->history_count; ++i) {
        lane[i * WIDTH] = values[i];
    }
}

void ly_history_begin(const LyraAssembly *assembly, int32_t force, double *history)
{
    const LyBatches *b = &assembly->batches[force];
    const LyraForceType *type = b->force->type;
    int32_t count = type->history_count, order[LYRA_STENCIL_NODES_MAX];
    for (int64_t batch = 0; count > 0 && batch < b->batch_count; ++batch) {
        double *lanes = history + batch * count * WIDTH;
        for (int32_t lane = 0; lane < WIDTH; ++lane) {
            find_order(assembly, b, batch, lane, order);
            ly_history_init_lane(type, b->force->self, b->element[batch * WIDTH + lane], order,
                                 lanes + lane);
        }
    }
}

void lyra_assembly_history_init(const LyraAssembly *assembly, double *history)
{
    LYRA_ASSERT(assembly && (history || assembly->history_size == 0));
    for (int32_t f = 0; f < assembly->force_count; ++f) {
        ly_history_begin(assembly, f, history + assembly->batches[f].history_begin);
    }
}

static LyraStatus check_component(const LyBatches *b, int32_t component)
{
    int32_t count = b->force->type->history_count;
    return component >= 0 && component < count
               ? LYRA_OK
               : ly_fail(LYRA_INVALID_ARGUMENT, "force %s has no history %d of %d", b->force->name,
                         component, count);
}

LyraStatus ly_history_read(const LyraAssembly *assembly, int32_t force, int32_t component,
                           const double *history, double *values)
{
    const LyBatches *b = &assembly->batches[force];
    int32_t count = b->force->type->history_count;
    LY_TRY(check_component(b, component));
    for (int64_t batch = 0; batch < b->batch_count; ++batch) {
        const double *lanes = history + (batch * count + component) * WIDTH;
        for (int32_t lane = 0; lane < b->count[batch]; ++lane) {
            values[b->element[batch * WIDTH + lane]] = lanes[lane];
        }
    }
    return LYRA_OK;
}

LyraStatus ly_history_set(const LyraAssembly *assembly, int32_t force, int32_t component,
                          const double *values, double *history)
{
    const LyBatches *b = &assembly->batches[force];
    int32_t count = b->force->type->history_count;
    LY_TRY(check_component(b, component));
    for (int64_t batch = 0; batch < b->batch_count; ++batch) {
        double *lanes = history + (batch * count + component) * WIDTH;
        for (int32_t lane = 0; lane < WIDTH; ++lane) {
            lanes[lane] = values[b->element[batch * WIDTH + lane]];
        }
    }
    return LYRA_OK;
}

LyraStatus lyra_assembly_read_history(const LyraAssembly *assembly, int32_t force,
                                      int32_t component, const double *history, double *values)
{
    LYRA_ASSERT(assembly && history && values);
    if (force < 0 || force >= assembly->force_count) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "assembly: no force %d of %d", force,
                       assembly->force_count);
    }
    return ly_history_read(assembly, force, component,
                           history + assembly->batches[force].history_begin, values);
}
