// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Forces of registered kinds: numbers by name, vertices body by body.

#include "lyra/registry.h"

#include "base/registry.h"
#include "force/force.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

LyraWorldForceDef lyra_world_force_def_default(void)
{
    return (LyraWorldForceDef){0};
}

// ---- numbers ------------------------------------------------------------------------------------

static int32_t find_number(const LyraForceMaker *maker, const char *name)
{
    int32_t n = 0;
    while (n < maker->number_count && strcmp(maker->numbers[n].name, name) != 0) {
        ++n;
    }
    return n < maker->number_count ? n : -1;
}

static LyraStatus refuse_number(const LyraForceMaker *maker, const char *name)
{
    char list[256] = "";
    for (int32_t n = 0; n < maker->number_count; ++n) {
        ly_list_name(sizeof list, list, maker->numbers[n].name);
    }
    return ly_fail_key(LYRA_BAD_FORMAT, "parameters", "found \"%.60s\" for force %s, expected %s%s",
                       name, maker->name, *list ? "one of: " : "none", list);
}

// the numbers in the order of the maker's, on the world's arena
static LyraStatus read_numbers(LyraWorld *world, const LyraForceMaker *maker,
                               const LyraWorldForceDef *def, double **out)
{
    double *numbers = NULL;
    LY_TRY(ly_arena_allocate(world->arena, maker->number_count, sizeof *numbers, &numbers));
    for (int32_t n = 0; n < maker->number_count; ++n) {
        numbers[n] = maker->numbers[n].optional ? maker->numbers[n].fallback : NAN;
    }
    for (int32_t c = 0; c < def->parameter_count; ++c) {
        int32_t n = find_number(maker, def->parameters[c].name);
        if (n < 0) {
            return refuse_number(maker, def->parameters[c].name);
        }
        numbers[n] = def->parameters[c].value;
        const char *expected = ly_parameter_fault(maker->numbers[n].kind, numbers[n]);
        if (expected) {
            return ly_fail_key(LYRA_BAD_FORMAT, "parameters", "found %g for %s, expected %s",
                               numbers[n], maker->numbers[n].name, expected);
        }
    }
    for (int32_t n = 0; n < maker->number_count; ++n) {
        if (isnan(numbers[n])) {
            return ly_fail_key(LYRA_BAD_FORMAT, "parameters",
                               "found no \"%s\", which force %s needs, expected a number",
                               maker->numbers[n].name, maker->name);
        }
    }
    *out = numbers;
    return LYRA_OK;
}

// ---- adding -------------------------------------------------------------------------------------

// stencils of a body's force are its vertices
static LyraStatus check_made(const LyraForceMaker *maker, const LyraBodyView *body,
                             const LyraForce *force)
{
    LyraForceView view = lyra_force_view(force);
    int64_t nodes = (int64_t)view.stencil_count * view.type->nodes;
    for (int64_t i = 0; !view.changing && i < nodes; ++i) {
        if (view.stencils[i] < 0 || view.stencils[i] >= body->vertex_count) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "force %s made a stencil with vertex %d of body \"%.60s\", expected 0 "
                           "to %d",
                           maker->name, (int)view.stencils[i], body->name,
                           (int)body->vertex_count - 1);
        }
    }
    return LYRA_OK;
}

static LyraStatus make_force(LyraWorld *world, const LyraForceMaker *maker, int32_t b,
                             LyraForceInput *input)
{
    LyraForce *force = NULL;
    input->body = &world->views[b];
    input->positions = world->bodies[b].positions;
    LY_TRY(maker->create(maker->user, input, &force));
    if (!force) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "force %s made nothing for body \"%.60s\"",
                       maker->name, input->body->name);
    }
    LyraStatus status = check_made(maker, input->body, force);
    if (status != LYRA_OK) {
        lyra_force_destroy(force);
        return status;
    }
    return ly_world_own_force(world, b, input->body->name, force);
}

static LyraStatus add_forces(LyraWorld *world, const LyraWorldForceDef *def)
{
    // a name, as the table of keys saw to
    const LyraForceMaker *maker = ly_registry_find(world->ctx, LY_REGISTRY_FORCE, def->type)->type;
    LyraSelector all = lyra_selector_default();
    int32_t first, end, count, at = 0, *own = NULL;
    const int32_t *vertices = NULL;
    double *numbers = NULL;
    all.all = true;
    LY_TRY(ly_select_bodies(world, def->body, &first, &end));
    LY_TRY(read_numbers(world, maker, def, &numbers));
    LY_TRY(ly_select_whole(world, def->body, def->select ? def->select : &all, &count, &vertices));
    LY_TRY(ly_arena_allocate(world->arena, count, sizeof *own, &own));
    for (int32_t b = first; b < end; ++b) {
        const LyraBodyView *body = &world->views[b];
        LyraForceInput input = {.ctx = world->ctx, .vertices = own + at, .numbers = numbers};
        for (; at < count && vertices[at] < body->first_vertex + body->vertex_count; ++at) {
            own[at] = vertices[at] - body->first_vertex;
            ++input.vertex_count;
        }
        if (input.vertex_count > 0) {
            LY_TRY(make_force(world, maker, b, &input));
        }
    }
    return LYRA_OK;
}

LyraStatus lyra_world_add_force(LyraWorld *world, const LyraWorldForceDef *def)
{
    LYRA_ASSERT(world && def);
    LyraWorldForceDef own;
    int32_t forces = world->force_count;
    LY_TRY(ly_world_check_open(world, "a force"));
    LY_TRY(ly_keys_copy(world->arena, &ly_force_keys, def, &own));
    LyraStatus status = add_forces(world, &own);
    if (status != LYRA_OK) {
        ly_world_drop(world, forces, world->rule_count);
    }
    return status;
}
