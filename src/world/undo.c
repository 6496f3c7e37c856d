// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A list of what changes found in a model. Values that were in a model are of their kind, so that
// setting them again fails for nothing.

#include "world/undo.h"

#include "model/model.h"

#include <string.h>

#define MODEL_FORCE (-1)
#define MODEL_DAMPING (-2)
#define MODEL_MASSES (-3) // of a body: its number, and its factor
#define NUMBER (-4)

// room for one more entry of `count` values, which the caller fills and counts
static LyraStatus reserve(LyUndo *undo, int64_t count, LyUndoEntry **out)
{
    if (undo->count == undo->capacity) {
        int32_t capacity = undo->capacity ? 2 * undo->capacity : 4;
        LY_TRY(ly_resize_array(undo->ctx, capacity, sizeof *undo->entries, &undo->entries));
        memset(undo->entries + undo->capacity, 0,
               (size_t)(capacity - undo->capacity) * sizeof *undo->entries);
        undo->capacity = capacity;
    }
    LyUndoEntry *entry = &undo->entries[undo->count];
    if (entry->capacity < count) {
        LY_TRY(ly_resize_array(undo->ctx, count, sizeof *entry->values, &entry->values));
        entry->capacity = count;
    }
    *out = entry;
    return LYRA_OK;
}

LyraStatus ly_undo_set_parameter(LyUndo *undo, LyraModel *model, int32_t group,
                                 const char *parameter, const double *values)
{
    LyUndoEntry *entry = NULL;
    LyraForceGroup found;
    if (!lyra_model_group(model, group, &found)) {
        return lyra_model_set_parameter(model, group, parameter, values); // says what is wrong
    }
    LY_TRY(reserve(undo, found.stencil_count, &entry));
    LY_TRY(lyra_model_get_parameter(model, group, parameter, entry->values));
    LY_TRY(lyra_model_set_parameter(model, group, parameter, values));
    int32_t p = lyra_force_type_parameter(found.type, parameter);
    entry->group = group;
    entry->parameter = found.type->parameter_names[p];
    ++undo->count;
    return LYRA_OK;
}

LyraStatus ly_undo_set_force(LyUndo *undo, LyraModel *model, const double *force)
{
    LyUndoEntry *entry = NULL;
    int64_t size = 3 * (int64_t)model->vertex_count;
    LY_TRY(reserve(undo, size, &entry));
    if (size > 0) {
        memcpy(entry->values, model->force, (size_t)size * sizeof *entry->values);
    }
    LY_TRY(lyra_model_set_force(model, force));
    entry->group = MODEL_FORCE;
    ++undo->count;
    return LYRA_OK;
}

LyraStatus ly_undo_set_damping(LyUndo *undo, LyraModel *model, double mass, double stiffness)
{
    LyUndoEntry *entry = NULL;
    LY_TRY(reserve(undo, 2, &entry));
    entry->values[0] = model->mass_damping;
    entry->values[1] = model->stiffness_damping;
    LY_TRY(lyra_model_set_damping(model, mass, stiffness));
    entry->group = MODEL_DAMPING;
    ++undo->count;
    return LYRA_OK;
}

LyraStatus ly_undo_set_mass_factor(LyUndo *undo, LyraModel *model, int32_t body, double factor)
{
    LyUndoEntry *entry = NULL;
    LY_TRY(reserve(undo, 2, &entry));
    entry->values[0] = body;
    entry->values[1] = model->mass.factor[body];
    LY_TRY(lyra_model_set_body_mass_factor(model, body, factor));
    entry->group = MODEL_MASSES;
    ++undo->count;
    return LYRA_OK;
}

LyraStatus ly_undo_set_number(LyUndo *undo, double *number, double value)
{
    LyUndoEntry *entry = NULL;
    LY_TRY(reserve(undo, 1, &entry));
    entry->values[0] = *number;
    entry->number = number;
    entry->group = NUMBER;
    *number = value;
    ++undo->count;
    return LYRA_OK;
}

static LyraStatus take_back(const LyUndoEntry *entry, LyraModel *model)
{
    switch (entry->group) {
    case MODEL_FORCE:
        return lyra_model_set_force(model, entry->values);
    case MODEL_DAMPING:
        return lyra_model_set_damping(model, entry->values[0], entry->values[1]);
    case MODEL_MASSES:
        return lyra_model_set_body_mass_factor(model, (int32_t)entry->values[0], entry->values[1]);
    case NUMBER:
        *entry->number = entry->values[0];
        return LYRA_OK;
    default:
        return lyra_model_set_parameter(model, entry->group, entry->parameter, entry->values);
    }
}

void ly_undo_keep(LyUndo *undo)
{
    undo->count = 0;
}

void ly_undo_back(LyUndo *undo, LyraModel *model)
{
    while (undo->count > 0) {
        LyraStatus status = take_back(&undo->entries[--undo->count], model);
        LYRA_ASSERT(status == LYRA_OK);
        (void)status;
    }
}

void ly_undo_end(LyUndo *undo)
{
    for (int32_t i = 0; i < undo->capacity; ++i) {
        ly_release(undo->ctx, undo->entries[i].values);
    }
    ly_release(undo->ctx, undo->entries);
    *undo = (LyUndo){.ctx = undo->ctx};
}
