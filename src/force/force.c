// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "force/force.h"

#include <math.h>
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
    return (LyraForceDef){.cookie = LY_DEF_COOKIE};
}

static LyraStatus check_type(const LyraForceType *type)
{
    if (!type || !type->name || !type->evaluate) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "force: the type needs a name and evaluate");
    }
    if (type->nodes < 1 || type->nodes > LY_NODES_MAX) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "force %s: %d nodes, expected 1 to %d", type->name,
                       type->nodes, LY_NODES_MAX);
    }
    if (type->traits & LYRA_FORCE_SOLID && type->nodes != 4 && type->nodes != 8) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "force %s: a solid of elements with %d nodes, expected 4 or 8", type->name,
                       type->nodes);
    }
    if (type->constant_count < 0 || type->parameter_count < 0 || type->history_count < 0 ||
        (type->constant_count > 0 && !type->setup)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "force %s: a count is negative, or constants have no setup", type->name);
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
        if (!isfinite(def->parameters[i])) {
            return ly_fail(LYRA_NOT_FINITE,
                           "force %s: parameter %lld of stencil %lld is not finite",
                           def->type->name, (long long)(i % def->type->parameter_count),
                           (long long)(i / def->type->parameter_count));
        }
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
    LyraForce *force = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *force, &force));
    force->ctx = ctx;
    LyraStatus status = LYRA_OK;
    int64_t ids = (int64_t)def->stencil_count * def->type->nodes;
    int64_t parameters = (int64_t)def->stencil_count * def->type->parameter_count;
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

LyraStatus ly_force_create_on_mesh(LyraContext *ctx, const LyraMeshView *mesh,
                                   const LyraForceType *type, void *self, const double *parameters,
                                   LyraForce **out)
{
    LyraForceDef def = lyra_force_def_default();
    def.type = type;
    def.self = self;
    def.stencil_count = mesh->element_count;
    def.stencils = mesh->elements;
    def.parameters = parameters;
    return lyra_force_create(ctx, &def, out);
}

void lyra_force_destroy(LyraForce *force)
{
    if (!force) {
        return;
    }
    if (force->type && force->type->destroy) {
        force->type->destroy(force->self);
    }
    ly_release(force->ctx, force->stencils);
    ly_release(force->ctx, force->parameters);
    ly_release(force->ctx, force);
}

const LyraForceType *lyra_force_type(const LyraForce *force)
{
    return force->type;
}
