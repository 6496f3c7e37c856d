// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Keys that are a parameter of the forces of bodies, turned while the world runs. A fraction is set
// as it is. Other parameters are multiplied, so that elements that differ keep their ratios; where
// all agree the number is shown in its unit, otherwise as the factor.

#include "world/parameters.h"

#include "force/force.h"

#include <math.h>
#include <string.h>

#define FACTOR_RANGE 100 // of sliders, either way

static bool is_fraction(const LyKey *key)
{
    return key->range == LY_RANGE_FRACTION;
}

bool ly_world_changes(const LyraWorld *world, const LyraForce *force, const char *parameter)
{
    for (int32_t r = 0; r < world->rule_count; ++r) {
        const LyRule *rule = &world->rules[r];
        if (rule->force == force && (!parameter || strcmp(rule->parameter, parameter) == 0)) {
            return true;
        }
    }
    return false;
}

bool ly_world_changes_key(const LyraWorld *world, const LyKey *key, int32_t body)
{
    for (int32_t r = 0; r < world->rule_count; ++r) {
        const LyRule *rule = &world->rules[r];
        if (rule->key && rule->key->live == key->live &&
            (body < 0 || rule->body < 0 || rule->body == body)) {
            return true;
        }
    }
    return false;
}

bool ly_turns_is_of(const LyraWorld *world, int32_t body, const LyraForceType *type,
                    const LyTurns *turns)
{
    return (!turns->kind || strcmp(world->views[body].kind, turns->kind) == 0) &&
           (!turns->force || strcmp(type->name, turns->force) == 0);
}

// the next group from `*id` on of a body (-1: of any) with the parameter, which is its number *p
static bool next_group(const LyraWorld *world, int32_t body, const LyTurns *turns, int32_t *id,
                       LyraForceGroup *group, int32_t *p)
{
    for (; lyra_model_group(world->model, *id, group); ++*id) {
        bool owned = body < 0 ? group->owner >= 0 : group->owner == body;
        if (owned && !group->changing && ly_turns_is_of(world, group->owner, group->type, turns)) {
            *p = lyra_force_type_parameter(group->type, turns->parameter);
            if (*p >= 0) {
                return true;
            }
        }
    }
    return false;
}

bool ly_turns_find(const LyraWorld *world, int32_t body, const LyKey *key, double *start)
{
    LyraForceGroup group;
    int32_t p;
    bool begun = false, same = true;
    double first = 0, least = INFINITY, most = 0;
    for (int32_t g = 0; next_group(world, body, &key->turns, &g, &group, &p); ++g) {
        LyraForceView view = lyra_force_view(group.force);
        if (ly_world_changes(world, group.force, key->turns.parameter)) {
            return false;
        }
        for (int64_t e = 0; e < view.stencil_count; ++e) {
            double value = view.parameters[view.type->parameter_count * e + p];
            first = begun ? first : value;
            begun = true;
            same &= value == first;
            least = fmin(least, value);
            most = fmax(most, value);
        }
    }
    *start = same ? first : NAN;
    return begun && (is_fraction(key) || (least >= 0 && most > 0));
}

void ly_turns_read(const LyKey *key, double start, double turned, LyraWorldParameter *out)
{
    if (is_fraction(key)) {
        out->unit = "";
        out->start = isnan(start) ? 0 : start;
        out->value = isnan(turned) ? out->start : turned;
        out->high = 1;
        return;
    }
    bool absolute = !isnan(start);
    out->unit = absolute && key->unit ? key->unit : "";
    out->factor = !absolute;
    out->start = absolute ? start : 1;
    out->value = (isnan(turned) ? 1 : turned) * out->start;
    out->low = out->start / FACTOR_RANGE;
    out->high = out->start * FACTOR_RANGE;
    out->logarithmic = true;
}

LyraStatus ly_copy_parameter(LyraWorld *world, LyUndo *undo, int32_t group, const LyraForce *like,
                             int32_t p, double factor)
{
    double *column = NULL;
    LyraForceView view = lyra_force_view(like);
    LY_TRY(ly_allocate_array(world->ctx, view.stencil_count, sizeof *column, &column));
    for (int64_t e = 0; e < view.stencil_count; ++e) {
        column[e] = factor * view.parameters[view.type->parameter_count * e + p];
    }
    LyraStatus status =
        ly_undo_set_parameter(undo, world->model, group, view.type->parameter_names[p], column);
    ly_release(world->ctx, column);
    return status;
}

static LyraStatus fill_parameter(LyraWorld *world, LyUndo *undo, const LyraForceGroup *group,
                                 const char *parameter, double value)
{
    double *column = NULL;
    LY_TRY(ly_allocate_array(world->ctx, group->stencil_count, sizeof *column, &column));
    for (int32_t e = 0; e < group->stencil_count; ++e) {
        column[e] = value;
    }
    LyraStatus status = ly_undo_set_parameter(undo, world->model, group->id, parameter, column);
    ly_release(world->ctx, column);
    return status;
}

LyraStatus ly_turns_set(LyraWorld *world, LyUndo *undo, int32_t body, const LyKey *key,
                        double start, double value, double *turned)
{
    LyraForceGroup group;
    int32_t p;
    if (!ly_range_holds(key->range, value)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "%s is %g, expected a number %s", key->name, value,
                       ly_range_text(key->range));
    }
    double now = is_fraction(key) || isnan(start) ? value : value / start;
    for (int32_t g = 0; next_group(world, body, &key->turns, &g, &group, &p); ++g) {
        LY_TRY(is_fraction(key) ? fill_parameter(world, undo, &group, key->turns.parameter, value)
                                : ly_copy_parameter(world, undo, g, group.force, p, now));
    }
    *turned = now;
    return LYRA_OK;
}
