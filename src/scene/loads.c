// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Forces from outside, and materials that change with time.

#include "force/force.h"
#include "lyra/traction.h"
#include "scene/yaml.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- on vertices --------------------------------------------------------------------------------

// a force on a point of an affine body is one on its particles, by their weights
static LyraStatus share_nodal(LyYaml *yaml, const LySelection *found, LyNodal *nodal)
{
    int32_t *vertices = NULL, *own = NULL;
    double *shares = NULL, *weights = NULL;
    if (found->point_count > (INT32_MAX - found->count) / 4) {
        return ly_fail(LYRA_TOO_LARGE, "a force on %d points of affine bodies", found->point_count);
    }
    int32_t count = found->count + 4 * found->point_count;
    LY_TRY(ly_tree_allocate(yaml->arena, count, sizeof *vertices, &vertices));
    LY_TRY(ly_tree_allocate(yaml->arena, count, sizeof *shares, &shares));
    LY_TRY(ly_yaml_weigh_points(yaml, found->point_count, found->points, &own, &weights));
    for (int32_t i = 0; i < count; ++i) {
        int32_t at = i - found->count;
        vertices[i] = at < 0 ? found->vertices[i] : own[at];
        shares[i] = at < 0 ? 1 : weights[at];
    }
    nodal->count = count;
    nodal->vertices = vertices;
    nodal->shares = shares;
    return LYRA_OK;
}

static LyraStatus add_nodal(LyYaml *yaml, const LyLoadSpec *spec)
{
    LyNodal *nodal = &yaml->nodals[yaml->nodal_count];
    LySelection found;
    LY_TRY(ly_select_vertices(yaml, spec->node, spec->body, &spec->select, &found));
    nodal->spec = spec;
    nodal->scale = spec->share == 1 ? 1.0 / ((double)found.count + found.point_count) : 1;
    nodal->count = found.count;
    nodal->vertices = found.vertices;
    LY_TRY(found.point_count > 0 ? share_nodal(yaml, &found, nodal) : LYRA_OK);
    ++yaml->nodal_count;
    return LYRA_OK;
}

void ly_yaml_load(void *user, double t, const double *u, const double *v, double *f)
{
    (void)u, (void)v;
    const LyYaml *yaml = user;
    if (yaml->gravity_changes) {
        for (int i = 0; i < 3; ++i) {
            double g = ly_curve_at(&yaml->spec.gravity.axis[i], t).value;
            for (int64_t k = 0; k < yaml->vertex_count; ++k) {
                f[3 * k + i] += yaml->masses[k] * g;
            }
        }
    }
    for (int32_t n = 0; n < yaml->nodal_count; ++n) {
        const LyNodal *nodal = &yaml->nodals[n];
        double factor = nodal->scale * ly_curve_at(&nodal->spec->factor, t).value;
        for (int i = 0; i < 3; ++i) {
            double force = factor * ly_curve_at(&nodal->spec->force.axis[i], t).value;
            for (int32_t k = 0; k < nodal->count; ++k) {
                f[3 * (int64_t)nodal->vertices[k] + i] +=
                    nodal->shares ? nodal->shares[k] * force : force;
            }
        }
    }
}

// ---- on surfaces --------------------------------------------------------------------------------

static double traction_factor(void *user, double t)
{
    return ly_curve_at(&((const LyLoadSpec *)user)->factor, t).value;
}

static double pressure_factor(void *user, double t)
{
    const LyLoadSpec *spec = user;
    return ly_curve_at(&spec->factor, t).value * ly_curve_at(&spec->pressure, t).value;
}

static LyraStatus add_traction(LyYaml *yaml, const LyLoadSpec *spec)
{
    LyraTractionDef def = lyra_traction_def_default();
    LY_TRY(ly_select_triangles(yaml, spec->node, spec->body, &spec->select, &def.triangle_count,
                               &def.triangles));
    bool constant = ly_curve_is_constant(&spec->factor);
    def.symmetric = spec->symmetric;
    def.user = (void *)spec;
    if (spec->type == LY_LOAD_PRESSURE) {
        constant &= ly_curve_is_constant(&spec->pressure);
        def.kind = LYRA_TRACTION_PRESSURE;
        def.pressure = constant ? pressure_factor(def.user, 0) : 1;
        def.amplitude = constant ? NULL : pressure_factor;
    } else {
        def.kind = spec->follow ? LYRA_TRACTION_LIVE : LYRA_TRACTION_DEAD;
        for (int i = 0; i < 3; ++i) {
            def.traction[i] = spec->traction[i] * (constant ? traction_factor(def.user, 0) : 1);
        }
        def.amplitude = constant ? NULL : traction_factor;
    }
    LyraForce *force = NULL;
    LY_TRY(ly_node_within(spec->node, lyra_traction_create(yaml->scene->ctx, yaml->vertex_count,
                                                           yaml->positions, &def, &force)));
    return ly_scene_take_force(yaml->scene, force);
}

static LyraStatus add_springs(LyYaml *yaml, const LyLoadSpec *spec)
{
    LySelection found;
    LyraForce *force = NULL;
    LyraContext *ctx = yaml->scene->ctx;
    LY_TRY(ly_select_vertices(yaml, spec->node, spec->body, &spec->select, &found));
    if (found.count > 0) {
        LY_TRY(ly_node_within(
            spec->node, ly_target_springs_create(ctx,
                                                 &(LyTargetSpringsDef){.count = found.count,
                                                                       .nodes = 1,
                                                                       .vertices = found.vertices,
                                                                       .stiffness = spec->stiffness,
                                                                       .damping = spec->damping,
                                                                       .offset = &spec->offset},
                                                 &force)));
        LY_TRY(ly_scene_take_force(yaml->scene, force));
    }
    if (found.point_count > 0) {
        int32_t *vertices = NULL;
        double *weights = NULL;
        LY_TRY(ly_yaml_weigh_points(yaml, found.point_count, found.points, &vertices, &weights));
        LY_TRY(ly_node_within(
            spec->node, ly_target_springs_create(ctx,
                                                 &(LyTargetSpringsDef){.count = found.point_count,
                                                                       .nodes = 4,
                                                                       .vertices = vertices,
                                                                       .weights = weights,
                                                                       .stiffness = spec->stiffness,
                                                                       .damping = spec->damping,
                                                                       .offset = &spec->offset},
                                                 &force)));
        LY_TRY(ly_scene_take_force(yaml->scene, force));
    }
    return LYRA_OK;
}

LyraStatus ly_yaml_loads(LyYaml *yaml)
{
    const LyLoadSpec *specs = yaml->spec.loads.items;
    int32_t count = yaml->spec.loads.count;
    LY_TRY(ly_tree_allocate(yaml->arena, count, sizeof *yaml->nodals, &yaml->nodals));
    for (int32_t l = 0; l < count; ++l) {
        switch ((LyLoadType)specs[l].type) {
        case LY_LOAD_FORCE:
            LY_TRY(add_nodal(yaml, &specs[l]));
            break;
        case LY_LOAD_SPRING:
            LY_TRY(add_springs(yaml, &specs[l]));
            break;
        default:
            LY_TRY(add_traction(yaml, &specs[l]));
        }
    }
    return LYRA_OK;
}

// ---- changes ------------------------------------------------------------------------------------

// One parameter of one force over time: base [count] times the factor, or the value over `scale`.
typedef struct Change {
    const LyChangeSpec *spec;
    bool by_value;
    const LyraForce *force;
    const char *parameter;
    int32_t count;  // of stencils
    double *base;   // [count]
    double *values; // [count]
} Change;

static LyraStatus apply_change(void *self, LyraScene *scene, double begin, double end)
{
    (void)begin;
    Change *change = self;
    const LyCurve *curve = change->by_value ? &change->spec->value : &change->spec->factor;
    double factor = ly_curve_at(curve, end).value;
    for (int32_t e = 0; e < change->count; ++e) {
        change->values[e] = change->base[e] * factor;
    }
    int32_t group = lyra_model_group_of(scene->model, change->force);
    return ly_node_within(change->spec->node,
                          ly_undo_set_parameter(&scene->undo, scene->model, group,
                                                change->parameter, change->values));
}

// What one unit of the curve means for a parameter of an element: `base` is the parameter of the
// element as it was, `young` its modulus.
static LyraStatus add_change(LyYaml *yaml, const LyChangeSpec *spec, const LyraForce *force,
                             int32_t parameter, const double *young)
{
    Change *change = NULL;
    LY_TRY(ly_tree_allocate(yaml->arena, 1, sizeof *change, &change));
    *change = (Change){.spec = spec,
                       .by_value = ly_schema_says(spec, "value"),
                       .force = force,
                       .parameter = force->type->parameter_names[parameter],
                       .count = force->stencil_count};
    LY_TRY(ly_tree_allocate(yaml->arena, change->count, sizeof(double), &change->base));
    LY_TRY(ly_tree_allocate(yaml->arena, change->count, sizeof(double), &change->values));
    int32_t width = force->type->parameter_count;
    for (int32_t e = 0; e < change->count; ++e) {
        double was = force->parameters[(int64_t)width * e + parameter];
        change->base[e] = !change->by_value ? was : young ? was / young[e] : 1;
    }
    return ly_yaml_add_rule(yaml, (LySceneRule){apply_change, NULL, change});
}

// Whether a parameter of a model grows in proportion to Young's modulus: those of a law do if twice
// the modulus gives twice the parameter.
static bool grows_with_young(const char *model, const LyraForceType *type, int32_t parameter)
{
    if (type->traits & LYRA_FORCE_SPRINGS) {
        return parameter == lyra_force_type_parameter(type, "stiffness");
    }
    LyraMaterialLaw law;
    if (parameter == lyra_force_type_parameter(type, "compression-resistance") ||
        lyra_material_law_find(model, &law) != LYRA_OK) {
        return true; // linear, corotational, the matrix of fibres: stiffness all of it
    }
    double one[LYRA_MATERIAL_PARAMETERS_MAX], two[LYRA_MATERIAL_PARAMETERS_MAX];
    return parameter < LYRA_MATERIAL_PARAMETERS_MAX &&
           lyra_material_from_enu(law, 1e6, 0.3, one) == LYRA_OK &&
           lyra_material_from_enu(law, 2e6, 0.3, two) == LYRA_OK && one[parameter] != 0 &&
           fabs(two[parameter] / one[parameter] - 2) < 1e-12;
}

static LyraStatus find_young(LyYaml *yaml, const LyChangeSpec *spec, const LyraSceneBody *body,
                             double **out)
{
    LyraMeshView view = lyra_mesh_view(body->mesh);
    double *young = NULL;
    LY_TRY(ly_tree_allocate(yaml->arena, view.element_count, sizeof *young, &young));
    for (int32_t e = 0; e < view.element_count; ++e) {
        const LyraMeshMaterial *material = &view.materials[view.element_materials[e]];
        if (material->kind != LYRA_MESH_MATERIAL_ENU) {
            return ly_node_fail(ly_node_find(spec->node, "value"), LYRA_BAD_FORMAT,
                                "found a value for young of body \"%.60s\", whose material "
                                "\"%.60s\" has none; expected factor",
                                body->name, material->name);
        }
        young[e] = material->enu.young;
    }
    *out = young;
    return LYRA_OK;
}

static LyraStatus change_young(LyYaml *yaml, const LyChangeSpec *spec, int32_t b)
{
    const LyraSceneBody *body = &yaml->scene->bodies[b];
    const char *model = ly_body_spec(yaml, b)->material.model;
    int32_t count;
    LyraForce *const *forces = lyra_solid_forces(body->solid, &count);
    double *young = NULL;
    // the first force of a solid is the isotropic one
    const LyraForceType *type = lyra_force_type(forces[0]);
    if (ly_schema_says(spec, "value")) {
        if (type->traits & LYRA_FORCE_SPRINGS) {
            return ly_node_fail(ly_node_find(spec->node, "value"), LYRA_BAD_FORMAT,
                                "found a value for young of springs, expected factor");
        }
        LY_TRY(find_young(yaml, spec, body, &young));
    }
    for (int32_t p = 0; p < type->parameter_count; ++p) {
        if (grows_with_young(model, type, p)) {
            LY_TRY(add_change(yaml, spec, forces[0], p, young));
        }
    }
    return LYRA_OK;
}

static LyraStatus change_named(LyYaml *yaml, const LyChangeSpec *spec, int32_t b)
{
    const LyraSceneBody *body = &yaml->scene->bodies[b];
    int32_t count;
    LyraForce *const *forces = lyra_solid_forces(body->solid, &count);
    char list[300] = "young";
    for (int32_t f = 0; f < count; ++f) {
        const LyraForceType *type = lyra_force_type(forces[f]);
        for (int32_t p = 0; type->parameter_names && p < type->parameter_count; ++p) {
            if (strcmp(type->parameter_names[p], spec->parameter) == 0) {
                return add_change(yaml, spec, forces[f], p, NULL);
            }
            size_t used = strlen(list);
            snprintf(list + used, sizeof list - used, ", %s", type->parameter_names[p]);
        }
    }
    return ly_node_expect(ly_node_find(spec->node, "parameter"), "one of: %s", list);
}

LyraStatus ly_yaml_changes(LyYaml *yaml)
{
    const LyChangeSpec *specs = yaml->spec.changes.items;
    yaml->scene->moduli_change = yaml->spec.changes.count > 0;
    for (int32_t c = 0; c < yaml->spec.changes.count; ++c) {
        const LyChangeSpec *spec = &specs[c];
        int32_t first, end;
        if (ly_schema_says(spec, "value") == ly_schema_says(spec, "factor")) {
            return ly_node_fail(spec->node, LYRA_BAD_FORMAT,
                                "found %s, expected either factor or value in a change",
                                ly_schema_says(spec, "value") ? "factor and value"
                                                              : "neither factor nor value");
        }
        LY_TRY(ly_select_bodies(yaml, spec->node, spec->body, &first, &end));
        for (int32_t b = first; b < end; ++b) {
            if (!yaml->scene->bodies[b].solid && spec->body) {
                return ly_node_fail(ly_node_find(spec->node, "body"), LYRA_UNSUPPORTED,
                                    "found affine body \"%.60s\", expected a solid, whose "
                                    "material can change",
                                    spec->body);
            }
            if (!yaml->scene->bodies[b].solid) {
                continue;
            }
            LY_TRY(strcmp(spec->parameter, "young") == 0 ? change_young(yaml, spec, b)
                                                         : change_named(yaml, spec, b));
        }
    }
    return LYRA_OK;
}
