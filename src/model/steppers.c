// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "model/steppers.h"

#include "base/file.h"

#include <stdio.h>
#include <string.h>

// what the name of a block leaves for that of the stepper
#define NAME_MAX 23

LyraStatus ly_steppers_create(LyraModel *model, const LyraModelDef *def)
{
    int32_t count = 0, at = 0;
    for (int32_t b = 0; b < def->body_count; ++b) {
        count += def->bodies[b].stepper != NULL;
    }
    if (count == 0) {
        return LYRA_OK;
    }
    LY_TRY(ly_allocate_zeroed(model->ctx, count, sizeof *model->steppers, &model->steppers));
    model->stepper_count = count;
    for (int32_t b = 0; b < def->body_count; ++b) {
        const LyraStepper *from = def->bodies[b].stepper;
        if (!from) {
            continue;
        }
        size_t length = from->name ? strlen(from->name) : 0;
        if (length < 1 || length > NAME_MAX || from->count < 0) {
            return ly_fail(
                LYRA_INVALID_ARGUMENT,
                "model: body %s has a stepper called \"%.40s\" of %d numbers, expected a "
                "name of 1 to %d bytes and 0 numbers or more",
                model->bodies[b].name, length ? from->name : "", from->count, NAME_MAX);
        }
        for (int32_t s = 0; s < at; ++s) {
            if (strcmp(model->steppers[s].stepper.name, from->name) == 0) {
                return ly_fail(LYRA_INVALID_ARGUMENT,
                               "model: two steppers called \"%s\", expected names to differ",
                               from->name);
            }
        }
        LyStepper *made = &model->steppers[at];
        made->stepper = *from;
        made->stepper.name = NULL;
        made->first = model->stepping_count;
        LY_TRY(ly_string_copy(model->ctx, from->name, length, (char **)&made->stepper.name));
        model->bodies[b].stepper = &made->stepper;
        model->stepping_count += from->count;
        model->stepper_loads |= from->load != NULL;
        model->stepper_prescribes |= from->prescribe != NULL;
        ++at;
    }
    return LYRA_OK;
}

void ly_steppers_destroy(LyraModel *model)
{
    for (int32_t s = 0; model->steppers && s < model->stepper_count; ++s) {
        ly_release(model->ctx, (char *)model->steppers[s].stepper.name);
    }
    ly_release(model->ctx, model->steppers);
}

void ly_steppers_init(const LyraModel *model, double *values)
{
    for (int32_t s = 0; s < model->stepper_count; ++s) {
        const LyraStepper *stepper = &model->steppers[s].stepper;
        memset(values + model->steppers[s].first, 0, (size_t)stepper->count * sizeof *values);
        if (stepper->init) {
            stepper->init(stepper->self, values + model->steppers[s].first);
        }
    }
}

static LyraStateBlockDef def_of(const LyraStepper *stepper, char name[32])
{
    snprintf(name, 32, "stepper.%s", stepper->name);
    return (LyraStateBlockDef){.name = name,
                               .version = stepper->version,
                               .owner = LYRA_STATE_MATERIAL,
                               .count = stepper->count};
}

static LyraStatus find(const LyraStepper *stepper, LyraState *state, double **values)
{
    char name[32];
    const LyraStateBlockDef def = def_of(stepper, name);
    void *found = NULL;
    bool fresh = false;
    LY_TRY(lyra_state_block(state, &def, &found, &fresh));
    if (fresh && stepper->init) {
        stepper->init(stepper->self, found);
    }
    *values = found;
    return LYRA_OK;
}

LyraStatus ly_steppers_init_state(const LyraModel *model, LyraState *state)
{
    for (int32_t s = 0; s < model->stepper_count; ++s) {
        double *values = NULL;
        LY_TRY(find(&model->steppers[s].stepper, state, &values));
    }
    return LYRA_OK;
}

// the numbers as they are now
static LyraStatus take(const LyraModel *model, LyraState *state, double *values)
{
    for (int32_t s = 0; s < model->stepper_count; ++s) {
        const LyraStepper *stepper = &model->steppers[s].stepper;
        double *from = NULL;
        LY_TRY(find(stepper, state, &from));
        if (stepper->count > 0) {
            memcpy(values + model->steppers[s].first, from, (size_t)stepper->count * sizeof *from);
        }
    }
    return LYRA_OK;
}

LyraStatus ly_steppers_begin(const LyraModel *model, LyraState *state, double dt, double *values)
{
    for (int32_t s = 0; s < model->stepper_count; ++s) {
        const LyraStepper *stepper = &model->steppers[s].stepper;
        double *own = NULL;
        LY_TRY(find(stepper, state, &own));
        if (stepper->begin) {
            LY_TRY(stepper->begin(stepper->self, model, state, dt, own));
        }
    }
    return take(model, state, values);
}

LyraStatus ly_steppers_commit(const LyraModel *model, LyraState *state, double dt, double *values)
{
    for (int32_t s = 0; s < model->stepper_count; ++s) {
        const LyraStepper *stepper = &model->steppers[s].stepper;
        double *own = NULL;
        LY_TRY(find(stepper, state, &own));
        if (stepper->commit) {
            LY_TRY(stepper->commit(stepper->self, model, state, dt, own));
        }
    }
    return take(model, state, values);
}

void ly_steppers_load(const LyraModel *model, const double *values, double t, double *f)
{
    for (int32_t s = 0; s < model->stepper_count; ++s) {
        const LyraStepper *stepper = &model->steppers[s].stepper;
        if (stepper->load) {
            stepper->load(stepper->self, values + model->steppers[s].first, t, f);
        }
    }
}

void ly_steppers_prescribe(const LyraModel *model, const double *values, double t, double *u,
                           double *v, double *a)
{
    for (int32_t s = 0; s < model->stepper_count; ++s) {
        const LyraStepper *stepper = &model->steppers[s].stepper;
        if (stepper->prescribe) {
            stepper->prescribe(stepper->self, values + model->steppers[s].first, t, u, v, a);
        }
    }
}

const double *lyra_model_stepper_values(const LyraModel *model, int32_t body,
                                        const LyraState *state)
{
    LYRA_ASSERT(model && state);
    char name[32];
    LyraStateBlock block;
    if (body < 0 || body >= model->body_count || !model->bodies[body].stepper) {
        return NULL;
    }
    const LyraStateBlockDef def = def_of(model->bodies[body].stepper, name);
    bool found = lyra_state_find_block(state, name, LYRA_STATE_MATERIAL, &block) &&
                 block.version == def.version && block.type == def.type && block.count == def.count;
    return found ? block.values : NULL;
}
