// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The force groups of a model: found by id, by force or by name, with parameters by name.

#include "model/model.h"

#include "base/file.h"
#include "force/elastic.h"
#include "model/history.h"

#include <stdio.h>
#include <string.h>

#define WIDTH LYRA_BATCH_WIDTH

bool lyra_model_body(const LyraModel *model, int32_t index, LyraModelBody *out)
{
    LYRA_ASSERT(model && out);
    if (index < 0 || index >= model->body_count) {
        return false;
    }
    *out = model->bodies[index];
    return true;
}

bool lyra_model_group(const LyraModel *model, int32_t id, LyraForceGroup *out)
{
    LYRA_ASSERT(model && out);
    if (id < 0 || id >= model->force_count) {
        return false;
    }
    const LyraForce *force = model->forces[id];
    *out = (LyraForceGroup){.id = id,
                            .owner = force->owner,
                            .name = model->names[id],
                            .type = force->type,
                            .force = force,
                            .mesh = force->mesh,
                            .first_vertex = ly_group_first(model, id),
                            .stencil_count = force->stencil_count,
                            .changing = force->update != NULL};
    return true;
}

// ---- finding ------------------------------------------------------------------------------------

// the place of a force among the slots: its own, that of its first group where it is in several, or
// the free one where it would go
static int32_t *find_slot(const LyraModel *model, const LyraForce *force)
{
    uint64_t bits = (uint64_t)(uintptr_t)force * 0x9e3779b97f4a7c15u;
    uint32_t at = (uint32_t)(bits >> 32) & model->force_mask;
    while (model->force_slots[at] >= 0 && model->forces[model->force_slots[at]] != force) {
        at = (at + 1) & model->force_mask;
    }
    return &model->force_slots[at];
}

static LyraStatus index_forces(LyraModel *model)
{
    uint32_t slots = 8;
    // at most half of them are used
    while (slots / 2 < (uint32_t)model->force_count) {
        slots *= 2;
    }
    LY_TRY(ly_allocate_array(model->ctx, slots, sizeof *model->force_slots, &model->force_slots));
    memset(model->force_slots, 0xff, slots * sizeof *model->force_slots);
    model->force_mask = slots - 1;
    for (int32_t g = 0; g < model->force_count; ++g) {
        int32_t *slot = find_slot(model, model->forces[g]);
        *slot = *slot < 0 ? g : *slot;
    }
    return LYRA_OK;
}

// names are those of the forces, with a number where one is taken; `tried`: the last number tried
// for the name of a group, [force_count]
static LyraStatus name_group(LyraModel *model, int32_t g, int32_t *tried)
{
    char name[128];
    snprintf(name, sizeof name, "%s", model->forces[g]->name);
    int32_t same = ly_name_index_find(&model->name_index, name);
    tried[g] = 1;
    while (ly_name_index_find(&model->name_index, name) >= 0) {
        snprintf(name, sizeof name, "%.100s-%d", model->forces[g]->name, (int)++tried[same]);
    }
    LY_TRY(ly_string_copy(model->ctx, name, strlen(name), &model->names[g]));
    ly_name_index_add(&model->name_index, model->names[g], g);
    return LYRA_OK;
}

LyraStatus ly_model_name_groups(LyraModel *model)
{
    LyraContext *ctx = model->ctx;
    int32_t count = model->force_count, *tried = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(index_forces(model));
    LY_TRY(ly_allocate_zeroed(ctx, count, sizeof *model->names, &model->names));
    LY_TRY(ly_name_index_create(ctx, count, &model->name_index));
    LY_TRY(ly_allocate_array(ctx, count, sizeof *tried, &tried));
    for (int32_t g = 0; g < count; ++g) {
        LY_TRY_DONE(name_group(model, g, tried));
    }
done:
    ly_release(ctx, tried);
    return status;
}

int32_t lyra_model_group_of(const LyraModel *model, const LyraForce *force)
{
    LYRA_ASSERT(model);
    return force ? *find_slot(model, force) : -1;
}

int32_t lyra_model_find_group(const LyraModel *model, const char *name)
{
    LYRA_ASSERT(model && name);
    return ly_name_index_find(&model->name_index, name);
}

// ---- parameters ---------------------------------------------------------------------------------

static LyraStatus find_parameter(const LyraModel *model, int32_t group, const char *name,
                                 int32_t *parameter)
{
    if (group < 0 || group >= model->force_count) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "model: no force group %d of %d", group,
                       model->force_count);
    }
    if (model->group_part[group] < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "force group %s: its stencils change, and bring their parameters along",
                       model->names[group]);
    }
    const LyraForceType *type = model->forces[group]->type;
    *parameter = lyra_force_type_parameter(type, name);
    if (*parameter >= 0) {
        return LYRA_OK;
    }
    char list[300] = "";
    for (int32_t p = 0; type->parameter_names && p < type->parameter_count; ++p) {
        ly_list_name(sizeof list, list, type->parameter_names[p]);
    }
    return ly_fail(LYRA_INVALID_ARGUMENT,
                   "force group %s has no parameter \"%.60s\", expected %s%s", model->names[group],
                   name, list[0] ? "one of: " : "none", list);
}

LyraStatus lyra_model_set_parameter(LyraModel *model, int32_t group, const char *parameter,
                                    const double *values)
{
    LYRA_ASSERT(model && parameter);
    int32_t p = 0;
    LY_TRY(find_parameter(model, group, parameter, &p));
    LyPart *part = &model->parts[model->group_part[group]];
    LY_TRY(lyra_assembly_set_parameter(part->assembly, model->group_index[group], p, values));
    ++model->version;
    ++model->parameter_version;
    return LYRA_OK;
}

LyraStatus lyra_model_get_parameter(const LyraModel *model, int32_t group, const char *parameter,
                                    double *values)
{
    LYRA_ASSERT(model && parameter && values);
    int32_t p = 0;
    LY_TRY(find_parameter(model, group, parameter, &p));
    const LyPart *part = &model->parts[model->group_part[group]];
    const LyBatches *b = &part->assembly->batches[model->group_index[group]];
    int32_t count = b->force->type->parameter_count;
    for (int64_t batch = 0; batch < b->batch_count; ++batch) {
        const double *lanes = b->parameters + (batch * count + p) * WIDTH;
        for (int32_t lane = 0; lane < b->count[batch]; ++lane) {
            values[b->element[batch * WIDTH + lane]] = lanes[lane];
        }
    }
    return LYRA_OK;
}

// ---- evaluation ---------------------------------------------------------------------------------

LyraStatus ly_model_evaluate_group(const LyraModel *model, int32_t group, const LyraState *state,
                                   double *energies, double *gradients)
{
    LyraStateView view = lyra_state_view(state);
    if (model->group_part[group] < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "force group %s: its stencils change",
                       model->names[group]);
    }
    LyPart *part = &model->parts[model->group_part[group]];
    LyraEvaluation at = {
        .u = lyra_vector_values(view.u), .v = lyra_vector_values(view.v), .time = view.time};
    double *first = NULL; // history of a state that has not stepped yet
    if (ly_history_size(model, group) > 0) {
        const LyBatches *batches = &part->assembly->batches[model->group_index[group]];
        const double *values = ly_history_values(model, group, state, NULL);
        if (!values) {
            LY_TRY(ly_allocate_array(model->ctx, lyra_assembly_history_size(part->assembly),
                                     sizeof *first, &first));
            lyra_assembly_history_init(part->assembly, first);
        }
        // counted from the begin of the part's, of which this is all that is read
        at.history = values ? values - batches->history_begin : first;
    }
    LyraStatus status = lyra_assembly_evaluate_stencils(part->assembly, model->group_index[group],
                                                        &at, energies, gradients);
    ly_release(model->ctx, first);
    return status;
}
