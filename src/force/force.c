// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "force/force.h"

#include "base/file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int32_t lyra_force_type_blocks(const LyraForceType *type)
{
    int32_t n = type->nodes;
    if (!(type->traits & LYRA_FORCE_SYMMETRIC)) {
        return n * n;
    }
    return type->traits & LYRA_FORCE_TRANSLATION_INVARIANT ? n * (n - 1) / 2 : n * (n + 1) / 2;
}

LyraForceDef lyra_force_def_default(void)
{
    return (LyraForceDef){.owner = -1, .cookie = LY_DEF_COOKIE};
}

const char *ly_parameter_fault(LyraParameterKind kind, double value)
{
    static const char *const expected[LYRA_PARAMETER_KIND_COUNT] = {
        "a finite number", "not 0", "0 or more", "more than 0", "0 to 1"};
    bool fits[LYRA_PARAMETER_KIND_COUNT] = {true, value != 0, value >= 0, value > 0,
                                            value >= 0 && value <= 1};
    return isfinite(value) && fits[kind] ? NULL : expected[kind];
}

LyraStatus ly_force_check_parameter(const LyraForceType *type, int32_t parameter, int32_t stencil,
                                    double value)
{
    LyraParameterKind kind =
        type->parameter_kinds ? type->parameter_kinds[parameter] : LYRA_PARAMETER_ANY;
    const char *expected = ly_parameter_fault(kind, value);
    if (!expected) {
        return LYRA_OK;
    }
    char number[32];
    const char *name = number;
    snprintf(number, sizeof number, "parameter %d", parameter);
    if (type->parameter_names) {
        name = type->parameter_names[parameter];
    }
    return ly_fail(isfinite(value) ? LYRA_INVALID_ARGUMENT : LYRA_NOT_FINITE,
                   "force %s: %s of element %d is %g, expected %s", type->name, name, stencil,
                   value, expected);
}

static LyraStatus check_type(const LyraForceType *type)
{
    if (!type || !type->name || !type->evaluate) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "force: the type needs a name and evaluate");
    }
    if (type->nodes < 1 || type->nodes > LYRA_STENCIL_NODES_MAX) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "force %s: %d nodes, expected 1 to %d", type->name,
                       type->nodes, LYRA_STENCIL_NODES_MAX);
    }
    if (type->traits & LYRA_FORCE_SOLID && type->nodes != 4 && type->nodes != 8 &&
        type->nodes != 10) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "force %s: a solid of elements with %d nodes, expected 4, 8 or 10",
                       type->name, type->nodes);
    }
    if (type->history_count > LY_HISTORY_MAX) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "force %s: %d numbers of history, expected at most %d", type->name,
                       type->history_count, LY_HISTORY_MAX);
    }
    if (type->constant_count < 0 || type->parameter_count < 0 || type->history_count < 0 ||
        (type->constant_count > 0 && !type->setup)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "force %s: a count is negative, or constants have no setup", type->name);
    }
    for (int32_t i = 0; type->parameter_kinds && i < type->parameter_count; ++i) {
        if ((unsigned)type->parameter_kinds[i] >= LYRA_PARAMETER_KIND_COUNT) {
            return ly_fail(LYRA_INVALID_ARGUMENT, "force %s: parameter %d of kind %d of %d",
                           type->name, i, (int)type->parameter_kinds[i], LYRA_PARAMETER_KIND_COUNT);
        }
    }
    return LYRA_OK;
}

static LyraStatus check_stencils(const LyraForceDef *def)
{
    int32_t nodes = def->type->nodes;
    for (int32_t s = 0; s < def->stencil_count; ++s) {
        const int32_t *ids = def->stencils + (int64_t)s * nodes;
        for (int32_t a = 0; a < nodes; ++a) {
            bool repeated = false;
            for (int32_t b = 0; b < a; ++b) {
                repeated |= ids[a] == ids[b];
            }
            if (ids[a] < 0 || repeated) {
                return ly_fail(LYRA_INVALID_ARGUMENT, "force %s: stencil %d has vertex %d%s",
                               def->type->name, s, ids[a], repeated ? " twice" : "");
            }
        }
    }
    int64_t count = (int64_t)def->stencil_count * def->type->parameter_count;
    for (int64_t i = 0; i < count; ++i) {
        int32_t each = def->type->parameter_count;
        LY_TRY(ly_force_check_parameter(def->type, (int32_t)(i % each), (int32_t)(i / each),
                                        def->parameters[i]));
    }
    return LYRA_OK;
}

LyraStatus lyra_force_create(LyraContext *ctx, const LyraForceDef *def, LyraForce **out)
{
    LY_CHECK_DEF(def, "lyra_force_def_default");
    LY_TRY(check_type(def->type));
    if (def->stencil_count < 0 || (def->stencil_count > 0 && !def->stencils)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "force %s: %d stencils without vertices",
                       def->type->name, def->stencil_count);
    }
    LY_TRY(check_stencils(def));
    if (def->update && def->stencil_count > 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "force %s: %d stencils of a group whose stencils change", def->type->name,
                       def->stencil_count);
    }
    if (def->owner < -1) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "force %s: owner %d, expected a body or -1",
                       def->type->name, def->owner);
    }
    LyraForce *force = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *force, &force));
    force->ctx = ctx;
    force->owner = def->owner;
    force->mesh = def->mesh;
    force->update = def->update;
    force->bound = def->bound;
    LyraStatus status = LYRA_OK;
    const char *name = def->name ? def->name : def->type->name;
    int64_t ids = (int64_t)def->stencil_count * def->type->nodes;
    int64_t parameters = (int64_t)def->stencil_count * def->type->parameter_count;
    LY_TRY_DONE(ly_string_copy(ctx, name, strlen(name), &force->name));
    LY_TRY_DONE(ly_allocate_array(ctx, ids, sizeof *force->stencils, &force->stencils));
    LY_TRY_DONE(ly_allocate_array(ctx, parameters, sizeof *force->parameters, &force->parameters));
    if (ids > 0) {
        memcpy(force->stencils, def->stencils, (size_t)ids * sizeof *force->stencils);
    }
    if (parameters > 0) {
        memcpy(force->parameters, def->parameters, (size_t)parameters * sizeof *force->parameters);
    }
    force->stencil_count = def->stencil_count;
    force->type = def->type;
    force->self = def->self;
    *out = force;
done:
    if (status != LYRA_OK) {
        lyra_force_destroy(force);
    }
    return status;
}

LyraStatus ly_force_create_on_mesh(LyraContext *ctx, const LyraMesh *mesh,
                                   const LyraForceType *type, void *self, LyRest *rest,
                                   const double *parameters, LyraForce **out)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraForceDef def = lyra_force_def_default();
    def.type = type;
    def.self = self;
    def.mesh = mesh;
    def.stencil_count = view.element_count;
    def.stencils = view.elements;
    def.parameters = parameters;
    LY_TRY(lyra_force_create(ctx, &def, out));
    rest->elements = (*out)->stencils;
    return LYRA_OK;
}

void lyra_force_destroy(LyraForce *force)
{
    if (!force) {
        return;
    }
    if (force->type && force->type->destroy) {
        force->type->destroy(force->self);
    }
    ly_release(force->ctx, force->name);
    ly_release(force->ctx, force->stencils);
    ly_release(force->ctx, force->parameters);
    ly_release(force->ctx, force);
}

LyraStatus lyra_force_set_owner(LyraForce *force, int32_t owner, const char *name)
{
    LYRA_ASSERT(force && name);
    char *copy = NULL;
    if (owner < -1) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "force %s: owner %d, expected a body or -1",
                       force->name, owner);
    }
    LY_TRY(ly_string_copy(force->ctx, name, strlen(name), &copy));
    ly_release(force->ctx, force->name);
    force->name = copy;
    force->owner = owner;
    return LYRA_OK;
}

const LyraForceType *lyra_force_type(const LyraForce *force)
{
    return force->type;
}

int32_t lyra_force_type_parameter(const LyraForceType *type, const char *name)
{
    for (int32_t p = 0; type->parameter_names && p < type->parameter_count; ++p) {
        if (strcmp(type->parameter_names[p], name) == 0) {
            return p;
        }
    }
    return -1;
}

LyraForceView lyra_force_view(const LyraForce *force)
{
    return (LyraForceView){.type = force->type,
                           .name = force->name,
                           .owner = force->owner,
                           .mesh = force->mesh,
                           .stencil_count = force->stencil_count,
                           .stencils = force->stencils,
                           .parameters = force->parameters,
                           .changing = force->update != NULL};
}
