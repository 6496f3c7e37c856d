// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Numbers that change with time. Parameters of forces are set as they are. What a force makes of
// several numbers is set as people turn it: the same functions, before each step.

#include "base/registry.h"
#include "force/force.h"
#include "force/solid.h"
#include "lyra/material.h"
#include "world/curve.h"
#include "world/parameters.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// One parameter of one force over time: base [count] times the factor, or the value over `scale`.
typedef struct Change {
    const LyraCurve *curve;
    const LyraForce *force;
    const char *parameter;
    int32_t count;  // of stencils
    double *base;   // [count]
    double *values; // [count]
    int32_t selected_count;
    const int32_t *selected; // stencils that change; NULL: all
} Change;

static LyraStatus apply_change(void *self, LyraWorld *world, double begin, double end)
{
    (void)begin;
    Change *change = self;
    double factor = ly_curve_at(change->curve, end).value;
    int32_t group = lyra_model_group_of(world->model, change->force);
    if (change->selected) {
        LY_TRY(lyra_model_get_parameter(world->model, group, change->parameter, change->values));
    }
    int32_t count = change->selected ? change->selected_count : change->count;
    for (int32_t i = 0; i < count; ++i) {
        int32_t e = change->selected ? change->selected[i] : i;
        change->values[e] = change->base[e] * factor;
    }
    return ly_undo_set_parameter(&world->undo, world->model, group, change->parameter,
                                 change->values);
}

// elements of the body of a force that change
static LyraStatus select_stencils(LyraWorld *world, const LyraChangeDef *def, Change *change)
{
    int32_t *elements = NULL;
    if (!def->select) {
        return LYRA_OK;
    }
    if (!change->force->mesh) {
        return ly_fail_key(LYRA_BAD_FORMAT, "select",
                           "found elements for %s, whose stencils are none; expected no select",
                           change->parameter);
    }
    LY_TRY(ly_select_elements(world, change->force->mesh, def->select, &change->selected_count,
                              &elements));
    change->selected = elements;
    return LYRA_OK;
}

// What one unit of the curve means for a parameter of an element: `base` is the parameter of the
// element as it was, `young` its modulus.
static LyraStatus add_change(LyraWorld *world, const LyraChangeDef *def, const LyraForce *force,
                             int32_t parameter, const double *young)
{
    Change *change = NULL;
    LY_TRY(ly_arena_allocate(world->arena, 1, sizeof *change, &change));
    *change = (Change){.curve = def->value ? def->value : def->factor,
                       .force = force,
                       .parameter = force->type->parameter_names[parameter],
                       .count = force->stencil_count};
    LY_TRY(ly_arena_allocate(world->arena, change->count, sizeof(double), &change->base));
    LY_TRY(ly_arena_allocate(world->arena, change->count, sizeof(double), &change->values));
    int32_t width = force->type->parameter_count;
    for (int32_t e = 0; e < change->count; ++e) {
        double was = force->parameters[(int64_t)width * e + parameter];
        change->base[e] = !def->value ? was : young ? was / young[e] : 1;
    }
    LY_TRY(select_stencils(world, def, change));
    return ly_world_take_rule(world, (LyRule){.apply = apply_change,
                                              .self = change,
                                              .force = force,
                                              .parameter = change->parameter});
}

// Whether a parameter of a model grows in proportion to Young's modulus: those of a law do if twice
// the modulus gives twice the parameter.
static bool grows_with_young(const LyraContext *ctx, const char *model, const LyraForceType *type,
                             int32_t parameter)
{
    double one[LYRA_MATERIAL_PARAMETERS_MAX], two[LYRA_MATERIAL_PARAMETERS_MAX];
    const LyRegistered *own = ly_registry_find(ctx, LY_REGISTRY_LAW, model);
    if (type->traits & LYRA_FORCE_SPRINGS) {
        return parameter == lyra_force_type_parameter(type, "stiffness");
    }
    LyraMaterialLaw known;
    if (parameter == lyra_force_type_parameter(type, "compression-resistance") ||
        (!own && lyra_material_law_find(model, &known) != LYRA_OK)) {
        return true; // linear, corotational, the matrix of fibres: stiffness all of it
    }
    const LyraMaterialType *law = own ? own->type : lyra_material_type(known, LYRA_ISA_SCALAR);
    // those of plasticity stand behind the law's
    if (parameter >= law->parameter_count) {
        return false;
    }
    law->from_enu(own ? own->user : NULL, 1e6, 0.3, one);
    law->from_enu(own ? own->user : NULL, 2e6, 0.3, two);
    return one[parameter] != 0 && fabs(two[parameter] / one[parameter] - 2) < 1e-12;
}

static LyraStatus find_young(LyraWorld *world, const LyraBodyView *body, double **out)
{
    LyraMeshView view = lyra_mesh_view(body->mesh);
    double *young = NULL;
    LY_TRY(ly_arena_allocate(world->arena, view.element_count, sizeof *young, &young));
    for (int32_t e = 0; e < view.element_count; ++e) {
        const LyraMeshMaterial *material = &view.materials[view.element_materials[e]];
        if (material->kind != LYRA_MESH_MATERIAL_ENU) {
            return ly_fail_key(LYRA_BAD_FORMAT, "value",
                               "found a value for young of body \"%.60s\", whose material "
                               "\"%.60s\" has none; expected factor",
                               body->name, material->name);
        }
        young[e] = material->enu.young;
    }
    *out = young;
    return LYRA_OK;
}

static LyraStatus change_young(LyraWorld *world, const LyraChangeDef *def, int32_t b)
{
    const LyraBodyView *body = &world->views[b];
    const char *model = world->bodies[b].solid_def.model;
    int32_t count;
    LyraForce *const *forces = lyra_solid_forces(body->solid, &count);
    double *young = NULL;
    if (!ly_model_has_moduli(world->ctx, model)) {
        return ly_fail_key(LYRA_BAD_FORMAT, "parameter",
                           "found young for body \"%.60s\", whose law %s has no moduli; expected a "
                           "parameter of the law",
                           body->name, model);
    }
    // the first force of a solid is the isotropic one
    if (def->value) {
        if (lyra_force_type(forces[0])->traits & LYRA_FORCE_SPRINGS) {
            return ly_fail_key(LYRA_BAD_FORMAT, "value",
                               "found a value for young of springs, expected factor");
        }
        LY_TRY(find_young(world, body, &young));
    }
    for (int32_t f = 0; f < count; ++f) {
        const LyraForceType *type = lyra_force_type(forces[f]);
        // a series in a group of its own has shares of the law's moduli
        bool follows = f == 0 || strncmp(type->name, "prony", 5) == 0;
        for (int32_t p = 0; follows && p < type->parameter_count; ++p) {
            if (grows_with_young(world->ctx, model, type, p)) {
                LY_TRY(add_change(world, def, forces[f], p, young));
            }
        }
    }
    return LYRA_OK;
}

static LyraStatus change_named(LyraWorld *world, const LyraChangeDef *def, int32_t b)
{
    int32_t count;
    LyraForce *const *own = world->bodies[b].type->forces(&world->views[b], &count);
    char list[300];
    snprintf(list, sizeof list, "%s", world->views[b].solid ? "young" : "");
    // the forces of the body, then those that were added to it
    for (int32_t f = 0; f < count + world->force_count; ++f) {
        const LyraForce *force = f < count ? own[f] : world->forces[f - count];
        const LyraForceType *type = lyra_force_type(force);
        if (lyra_force_view(force).owner != b && f >= count) {
            continue;
        }
        for (int32_t p = 0; type->parameter_names && p < type->parameter_count; ++p) {
            if (strcmp(type->parameter_names[p], def->parameter) == 0) {
                return add_change(world, def, force, p, NULL);
            }
            ly_list_name(sizeof list, list, type->parameter_names[p]);
        }
    }
    return ly_fail_key(LYRA_BAD_FORMAT, "parameter", "found \"%.60s\", expected one of: %s",
                       def->parameter, list);
}

// every force of a body that has the parameter of a key
static LyraStatus change_turned(LyraWorld *world, const LyraChangeDef *def, const LyKey *key,
                                int32_t b)
{
    int32_t count = 0;
    const LyBodyType *kind = world->bodies[b].type;
    LyraForce *const *own = kind->forces ? kind->forces(&world->views[b], &count) : NULL;
    int32_t before = world->rule_count, total = count + world->force_count;
    for (int32_t f = 0; f < total; ++f) {
        const LyraForce *force = f < count ? own[f] : world->forces[f - count];
        const LyraForceType *type = lyra_force_type(force);
        bool mine = f < count || lyra_force_view(force).owner == b;
        int32_t p = lyra_force_type_parameter(type, key->turns.parameter);
        if (mine && p >= 0 && ly_turns_is_of(world, b, type, &key->turns)) {
            LY_TRY(add_change(world, def, force, p, NULL));
        }
    }
    if (world->rule_count == before && def->body) {
        return ly_fail_key(LYRA_BAD_FORMAT, "parameter",
                           "found \"%.80s\", of which body \"%.60s\" has none", def->parameter,
                           def->body);
    }
    return LYRA_OK;
}

// ---- numbers that people turn -------------------------------------------------------------------

typedef struct Turn {
    const LyKey *key;
    int32_t body; // -1: all, or the world's own
    const LyraChangeDef *def;
} Turn;

static LyraStatus apply_turn(void *self, LyraWorld *world, double begin, double end)
{
    (void)begin;
    const Turn *turn = self;
    const LyLive *live = turn->key->live;
    LyraWorldParameter now = {0};
    ly_live_read(live, world, turn->body, &now);
    if (turn->def->value && now.factor) {
        return ly_fail(LYRA_BAD_FORMAT,
                       "a change found a value for \"%.80s\", in which elements differ; expected "
                       "factor",
                       turn->def->parameter);
    }
    double value = turn->def->value ? ly_curve_at(turn->def->value, end).value
                                    : now.start * ly_curve_at(turn->def->factor, end).value;
    return ly_live_set(live, world, &world->undo, turn->body, value);
}

static bool is_of_world(const LyLive *live)
{
    return live == &ly_live_mass_damping || live == &ly_live_stiffness_damping;
}

static LyraStatus add_turn(LyraWorld *world, const LyraChangeDef *def, const LyKey *key,
                           int32_t body)
{
    // gravity is a curve, the step belongs to a run
    if (key->live == &ly_live_gravity || key->live == &ly_live_dt) {
        return ly_fail_key(LYRA_UNSUPPORTED, "parameter", "found \"%.80s\", %s", def->parameter,
                           key->live == &ly_live_gravity
                               ? "expected it over time in the key gravity itself"
                               : "which cannot change over time");
    }
    if (!ly_live_has(key->live, world, body) || ly_world_changes_key(world, key, body)) {
        return ly_fail_key(LYRA_BAD_FORMAT, "parameter",
                           "found \"%.80s\", which this world does not have or already changes",
                           def->parameter);
    }
    if (def->select) {
        return ly_fail_key(LYRA_BAD_FORMAT, "select",
                           "found elements for \"%.80s\", which is one for %s; expected no select",
                           def->parameter, is_of_world(key->live) ? "the world" : "the body");
    }
    Turn *turn = NULL;
    LY_TRY(ly_arena_allocate(world->arena, 1, sizeof *turn, &turn));
    *turn = (Turn){.key = key, .body = body, .def = def};
    return ly_world_take_rule(
        world, (LyRule){.apply = apply_turn, .self = turn, .key = key, .body = body});
}

// ---- changes ------------------------------------------------------------------------------------

LyraChangeDef lyra_change_def_default(void)
{
    return (LyraChangeDef){.parameter = "young"};
}

// a change of Poisson's ratio sets all that the law makes of the moduli
static LyraStatus check_poisson(const LyraWorld *world, int32_t b)
{
    const LyKey poisson = {.live = &ly_live_poisson};
    return ly_world_changes_key(world, &poisson, b)
               ? ly_fail_key(LYRA_BAD_FORMAT, "parameter",
                             "found another change of body \"%.60s\", whose poisson changes; "
                             "expected one of them",
                             world->views[b].name)
               : LYRA_OK;
}

static LyraStatus add_named(LyraWorld *world, const LyraChangeDef *def, bool of_cloth)
{
    int32_t first, end;
    LY_TRY(ly_select_bodies(world, def->body, &first, &end));
    for (int32_t b = first; b < end; ++b) {
        bool solid = world->views[b].solid && !of_cloth, cloth = world->views[b].cloth;
        bool young = strcmp(def->parameter, "young") == 0;
        if (!solid && !cloth && def->body) {
            return ly_fail_key(LYRA_UNSUPPORTED, "body",
                               "found %s body \"%.60s\", expected a solid or cloth, whose material "
                               "can change",
                               world->views[b].kind, def->body);
        }
        LY_TRY(check_poisson(world, b));
        if (solid || (cloth && (def->body || !young))) {
            LY_TRY(solid && young ? change_young(world, def, b) : change_named(world, def, b));
        }
    }
    return LYRA_OK;
}

static LyraStatus add_turned(LyraWorld *world, const LyraChangeDef *def, const LyKey *key)
{
    int32_t first, end, before = world->rule_count;
    LY_TRY(ly_select_bodies(world, def->body, &first, &end));
    for (int32_t b = first; b < end; ++b) {
        LY_TRY(check_poisson(world, b));
        LY_TRY(change_turned(world, def, key, b));
    }
    return world->rule_count > before
               ? LYRA_OK
               : ly_fail_key(LYRA_BAD_FORMAT, "parameter", "found \"%.80s\", which no body has",
                             def->parameter);
}

// A path: that of a parameter, or "bodies.NAME.material.X" and the like with a parameter X of the
// body's forces. `def` gets the body.
static LyraStatus add_path(LyraWorld *world, LyraChangeDef *def)
{
    const char *path = def->parameter;
    int32_t body;
    const char *rest = ly_path_body(world, path, &body);
    const LyKey *key =
        rest ? ly_find_turned(&ly_body_keys, rest) : ly_find_turned(&ly_world_keys, path);
    const char *dot = rest ? strchr(rest, '.') : NULL;
    bool named = dot && !strchr(dot + 1, '.') &&
                 (strncmp(rest, "material.", 9) == 0 || strncmp(rest, "fibre.", 6) == 0 ||
                  strncmp(rest, "cloth.", 6) == 0);
    if (!key && (!named || strcmp(dot + 1, "young") == 0)) {
        return ly_fail_key(LYRA_BAD_FORMAT, "parameter",
                           "found \"%.80s\", expected a parameter, or a path as "
                           "bodies.NAME.material.young",
                           path);
    }
    if (def->body) {
        return ly_fail_key(LYRA_BAD_FORMAT, "body",
                           "found body beside the path \"%.80s\", expected one of them", path);
    }
    def->body = body >= 0 ? world->views[body].name : NULL;
    if (key && key->turns.parameter) {
        return add_turned(world, def, key);
    }
    bool by_name = !key || key->live == &ly_live_young || key->live == &ly_live_cloth_stretch ||
                   key->live == &ly_live_cloth_shear;
    if (by_name) {
        def->parameter = dot + 1;
        return add_named(world, def, key && key->live != &ly_live_young);
    }
    return add_turn(world, def, key, body);
}

static bool is_path(const char *parameter)
{
    return strncmp(parameter, "bodies[", 7) == 0 || strchr(parameter, '.') ||
           strcmp(parameter, "gravity") == 0;
}

LyraStatus lyra_world_add_change(LyraWorld *world, const LyraChangeDef *def)
{
    LYRA_ASSERT(world && def);
    LyraChangeDef *own = NULL;
    int32_t rules = world->rule_count;
    LY_TRY(ly_world_check_open(world, "a change"));
    LY_TRY(ly_arena_allocate(world->arena, 1, sizeof *own, &own));
    LY_TRY(ly_keys_copy(world->arena, &ly_change_keys, def, own));
    if (!own->parameter) {
        return ly_fail_key(LYRA_INVALID_ARGUMENT, "parameter",
                           "found none, expected young or a parameter of the body's forces");
    }
    if (!own->value == !own->factor) {
        return ly_fail(LYRA_BAD_FORMAT, "found %s, expected either factor or value in a change",
                       own->value ? "factor and value" : "neither factor nor value");
    }
    LyraStatus status =
        is_path(own->parameter) ? add_path(world, own) : add_named(world, own, false);
    if (status != LYRA_OK) {
        ly_world_drop(world, world->force_count, rules);
        return status;
    }
    return LYRA_OK;
}
