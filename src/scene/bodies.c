// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Bodies of a scene in YAML: their meshes with materials, their forces, the surfaces they carry.

#include "lyra/fibre.h"
#include "lyra/mesh_edit.h"
#include "lyra/mesh_generate.h"
#include "lyra/mesh_ops.h"
#include "lyra/viscosity.h"
#include "scene/yaml.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- meshes -------------------------------------------------------------------------------------

void ly_turn_matrix(const double axis[3], double angle, double R[9])
{
    // Rodrigues: R = cos I + sin [a] + (1 - cos) a a^T
    double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    double a[3] = {axis[0] / length, axis[1] / length, axis[2] / length};
    double c = cos(angle), s = sin(angle);
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        R[3 * i + i] = c + (1 - c) * a[i] * a[i];
        R[3 * i + j] = (1 - c) * a[i] * a[j] - s * a[k];
        R[3 * i + k] = (1 - c) * a[i] * a[k] + s * a[j];
    }
}

static LyraStatus generate_mesh(LyraContext *ctx, const LyGenerateSpec *spec, LyraMesh **out)
{
    LyraMeshShapeDef def = lyra_mesh_shape_def_default();
    def.shape = (LyraMeshShape)spec->shape;
    def.kind = (LyraElementKind)spec->element;
    def.pattern = (LyraTetPattern)spec->pattern;
    def.elements = spec->elements;
    if (ly_schema_says(spec, "cells")) {
        const LyNode *node = ly_node_find(spec->node, "cells");
        if (spec->cells.count != 3) {
            return ly_node_expect(node, "three whole numbers for cells");
        }
        for (int i = 0; i < 3; ++i) {
            def.cells[i] = spec->cells.values[i];
        }
    }
    for (int i = 0; i < 3; ++i) {
        def.center[i] = spec->center[i];
        def.size[i] = spec->size[i];
    }
    def.radius = spec->radius;
    def.tube_radius = spec->tube_radius;
    def.height = spec->height;
    return ly_node_within(spec->node, lyra_mesh_generate(ctx, &def, out));
}

static LyraStatus load_mesh(LyYaml *yaml, const LyBodySpec *spec, LyraMesh **out)
{
    LyraContext *ctx = yaml->scene->ctx;
    if (!spec->mesh == !spec->generate.node) {
        return ly_node_fail(spec->node, LYRA_BAD_FORMAT,
                            "found %s, expected either mesh or generate in a body",
                            spec->mesh ? "mesh and generate" : "neither mesh nor generate");
    }
    if (!spec->mesh) {
        return generate_mesh(ctx, &spec->generate, out);
    }
    char *path = NULL;
    LY_TRY(ly_path_beside(ctx, yaml->scene->path, spec->mesh, &path));
    LyraStatus status = lyra_mesh_load(ctx, path, LYRA_MESH_FORMAT_AUTO, out);
    ly_release(ctx, path);
    return ly_node_within(ly_node_find(spec->node, "mesh"), status);
}

// puts a mesh in the place of another
static LyraStatus replace(LyraMesh **mesh, LyraMesh *made)
{
    lyra_mesh_destroy(*mesh);
    *mesh = made;
    return LYRA_OK;
}

// x -> R (S x - c) + c + t
static LyraStatus transform_mesh(const LyTransformSpec *spec, LyraMesh **mesh)
{
    if (!spec->node) {
        return LYRA_OK;
    }
    double A[9], t[3];
    LY_TRY(ly_check_direction(&spec->rotate, "axis", spec->rotate.axis));
    ly_turn_matrix(spec->rotate.axis, spec->rotate.angle, A);
    for (int i = 0; i < 3; ++i) {
        t[i] = spec->rotate.center[i] + spec->translate[i];
        for (int j = 0; j < 3; ++j) {
            t[i] -= A[3 * i + j] * spec->rotate.center[j];
            A[3 * i + j] *= spec->scale[j];
        }
    }
    LyraMesh *made = NULL;
    LY_TRY(ly_node_within(spec->node, lyra_mesh_transform(*mesh, A, t, &made)));
    return replace(mesh, made);
}

// ---- materials of meshes ------------------------------------------------------------------------

// The materials of a body: those of the mesh, or one by the scene; on top one for each region.
typedef struct Materials {
    LyraMeshMaterial *materials;
    LyraMeshSet *sets;
    LyraMeshRegion *regions;
} Materials;

static LyraStatus change_base(const LyMaterialSpec *spec, int32_t count,
                              LyraMeshMaterial *materials)
{
    bool young = ly_schema_says(spec, "young"), poisson = ly_schema_says(spec, "poisson");
    for (int32_t m = 0; m < count; ++m) {
        if (ly_schema_says(spec, "density")) {
            materials[m].density = spec->density;
        }
        if (poisson && !young && materials[m].kind != LYRA_MESH_MATERIAL_ENU) {
            return ly_node_fail(ly_node_find(spec->node, "poisson"), LYRA_BAD_FORMAT,
                                "found poisson alone for material \"%.60s\" of the mesh, which has "
                                "none; expected young too",
                                materials[m].name);
        }
        if (young) {
            double nu = poisson                                       ? spec->poisson
                        : materials[m].kind == LYRA_MESH_MATERIAL_ENU ? materials[m].enu.poisson
                                                                      : 0.45;
            materials[m].kind = LYRA_MESH_MATERIAL_ENU;
            materials[m].enu = (LyraMaterialEnu){spec->young, nu};
        } else if (poisson) {
            materials[m].enu.poisson = spec->poisson;
        }
    }
    return LYRA_OK;
}

static LyraStatus add_region(LyYaml *yaml, const LyRegionSpec *region, int32_t index,
                             const LyraMesh *mesh, const LyraMeshView *view, const Materials *to)
{
    int32_t *elements, count;
    LY_TRY(ly_select_elements(yaml, mesh, &region->select, &count, &elements));
    // what is not said is as in the element's material; of several, that of the first
    LyraMeshMaterial material = to->materials[view->element_materials[elements[0]]];
    const LyMaterialSpec says = {.node = region->node,
                                 .young = region->young,
                                 .poisson = region->poisson,
                                 .density = region->density};
    LY_TRY(change_base(&says, 1, &material));
    char *name = NULL;
    LY_TRY(ly_tree_allocate(yaml->arena, 40, 1, &name));
    snprintf(name, 40, "region%d", (int)index + 1);
    for (int32_t s = 0; s < view->set_count; ++s) {
        if (strcmp(to->sets[s].name, name) == 0) {
            snprintf(name, 40, "scene-region%d", (int)index + 1);
        }
    }
    material.name = name;
    to->materials[view->material_count] = material;
    to->sets[view->set_count] = (LyraMeshSet){name, elements, count};
    to->regions[view->region_count] = (LyraMeshRegion){view->material_count, view->set_count};
    return LYRA_OK;
}

static LyraStatus set_materials(LyYaml *yaml, const LyBodySpec *spec, LyraMesh **mesh)
{
    LyraMeshView view = lyra_mesh_view(*mesh);
    int32_t added = spec->regions.count;
    Materials to = {0};
    LY_TRY(ly_tree_allocate(yaml->arena, view.material_count + added, sizeof *to.materials,
                            &to.materials));
    LY_TRY(ly_tree_allocate(yaml->arena, view.set_count + added, sizeof *to.sets, &to.sets));
    LY_TRY(ly_tree_allocate(yaml->arena, view.region_count + 1 + added, sizeof *to.regions,
                            &to.regions));
    memcpy(to.materials, view.materials, (size_t)view.material_count * sizeof *to.materials);
    if (view.set_count) {
        memcpy(to.sets, view.sets, (size_t)view.set_count * sizeof *to.sets);
    }
    // elements that no region covers take the last material, which is to stay so
    to.regions[0] = (LyraMeshRegion){view.material_count - 1, LYRA_MESH_ALL_ELEMENTS};
    if (view.region_count) {
        memcpy(to.regions + 1, view.regions, (size_t)view.region_count * sizeof *to.regions);
    }
    ++view.region_count;
    LY_TRY(change_base(&spec->material, view.material_count, to.materials));
    const LyRegionSpec *regions = spec->regions.items;
    for (int32_t r = 0; r < added; ++r) {
        LY_TRY(add_region(yaml, &regions[r], r, *mesh, &view, &to));
        ++view.material_count;
        ++view.set_count;
        ++view.region_count;
    }
    view.materials = to.materials;
    view.sets = to.sets;
    view.regions = to.regions;
    LyraMesh *made = NULL;
    LY_TRY(lyra_mesh_create(yaml->scene->ctx, &view, &made));
    return replace(mesh, made);
}

// ---- names and places ---------------------------------------------------------------------------

static LyraStatus name_body(LyYaml *yaml, const LyBodySpec *spec, int32_t index)
{
    char made[24];
    snprintf(made, sizeof made, "body%d", (int)index + 1);
    const char *name = spec->name ? spec->name : made;
    if (ly_name_index_find(&yaml->names, name) >= 0) {
        return ly_node_fail(spec->node, LYRA_BAD_FORMAT,
                            "found a second body called \"%.60s\", expected names to differ", name);
    }
    char **copy = (char **)&yaml->scene->bodies[index].name;
    LY_TRY(ly_string_copy(yaml->scene->ctx, name, strlen(name), copy));
    ly_name_index_add(&yaml->names, *copy, index);
    return LYRA_OK;
}

LyraStatus ly_yaml_bodies(LyYaml *yaml)
{
    LyraScene *scene = yaml->scene;
    int32_t count = yaml->spec.bodies.count;
    int64_t total = 0;
    LY_TRY(ly_allocate_zeroed(scene->ctx, count, sizeof *scene->bodies, &scene->bodies));
    scene->body_count = count;
    LY_TRY(ly_name_index_create(scene->ctx, count, &yaml->names));
    for (int32_t b = 0; b < count; ++b) {
        const LyBodySpec *spec = ly_body_spec(yaml, b);
        LyraSceneBody *body = &scene->bodies[b];
        LyraMesh **mesh = (LyraMesh **)&body->mesh;
        LY_TRY(name_body(yaml, spec, b));
        LY_TRY(load_mesh(yaml, spec, mesh));
        LY_TRY(transform_mesh(&spec->transform, mesh));
        LY_TRY(set_materials(yaml, spec, mesh));
        LyraMeshView view = lyra_mesh_view(*mesh);
        body->first_vertex = (int32_t)total;
        body->vertex_count = view.vertex_count;
        if (spec->kind == LY_BODY_AFFINE) {
            LY_TRY(ly_yaml_make_affine(yaml, spec, body));
        } else if (ly_schema_says(spec, "stiffness")) {
            return ly_key_fail(ly_node_find(spec->node, "stiffness"), LYRA_BAD_FORMAT,
                               "found stiffness of a solid, expected it of affine bodies alone");
        }
        total += body->vertex_count;
        if (total > INT32_MAX / 3) {
            return ly_node_fail(spec->node, LYRA_TOO_LARGE, "more than %d vertices in all bodies",
                                INT32_MAX / 3);
        }
        scene->digest = ly_digest(scene->digest, view.positions,
                                  3 * sizeof(double) * (size_t)view.vertex_count);
        scene->digest = ly_digest(scene->digest, view.elements,
                                  sizeof(int32_t) * (size_t)view.element_count *
                                      (size_t)lyra_element_kind_nodes(view.kind));
    }
    yaml->vertex_count = (int32_t)total;
    LY_TRY(ly_tree_allocate(yaml->arena, 3 * total, sizeof(double), &yaml->positions));
    LY_TRY(ly_tree_allocate(yaml->arena, total, sizeof(double), &yaml->masses));
    for (int32_t b = 0; b < count; ++b) {
        const LyraSceneBody *body = &scene->bodies[b];
        double *masses = yaml->masses + body->first_vertex;
        const LyraMesh *mesh = body->affine ? lyra_affine_view(body->affine).mesh : body->mesh;
        memcpy(yaml->positions + 3 * (int64_t)body->first_vertex, lyra_mesh_view(mesh).positions,
               3 * sizeof(double) * (size_t)body->vertex_count);
        if (body->affine) {
            memcpy(masses, lyra_affine_view(body->affine).masses,
                   sizeof(double) * (size_t)body->vertex_count);
        } else {
            lyra_mesh_lumped_masses(mesh, NULL, masses);
        }
    }
    scene->digest = ly_digest(scene->digest, yaml->masses, sizeof(double) * (size_t)total);
    return LYRA_OK;
}

// ---- forces -------------------------------------------------------------------------------------

LyraStatus ly_yaml_add_rule(LyYaml *yaml, LySceneRule rule)
{
    LyraScene *scene = yaml->scene;
    LY_TRY(ly_resize_array(scene->ctx, scene->rule_count + 1, sizeof *scene->rules, &scene->rules));
    scene->rules[scene->rule_count++] = rule;
    return LYRA_OK;
}

static LyraStatus make_solid(LyYaml *yaml, int32_t body, const LyraMesh *mesh, LyraSolid **out)
{
    const LyMaterialSpec *spec = &ly_body_spec(yaml, body)->material;
    const LyNode *node = ly_body_spec(yaml, body)->node;
    LyraSolidDef def = lyra_solid_def_default();
    def.model = spec->model;
    def.inversion = (LyraInversion)spec->inversion;
    def.inversion_threshold = spec->inversion_threshold;
    def.compression_resistance = spec->compression_resistance;
    def.stiffness = spec->stiffness;
    def.damping = spec->damping;
    LyraElasticConstant *constants = NULL;
    LY_TRY(ly_tree_allocate(yaml->arena, spec->parameters.count, sizeof *constants, &constants));
    for (int32_t p = 0; p < spec->parameters.count; ++p) {
        constants[p] =
            (LyraElasticConstant){spec->parameters.items[p].name, spec->parameters.items[p].value};
    }
    def.constants = constants;
    def.constant_count = spec->parameters.count;
    yaml->scene->solid_defs[body] = def;
    return ly_node_within(spec->node ? spec->node : node,
                          lyra_solid_create(yaml->scene->ctx, mesh, &def, out));
}

static LyraStatus add_viscosity(LyYaml *yaml, const LyViscositySpec *spec, int32_t body)
{
    if (!spec->node) {
        return LYRA_OK;
    }
    LyraViscosityDef def = lyra_viscosity_def_default();
    def.lambda = spec->lambda;
    def.mu = spec->mu;
    def.symmetric = spec->symmetric;
    LyraForce *force = NULL;
    LY_TRY(ly_node_within(
        spec->node,
        lyra_viscosity_create(yaml->scene->ctx, yaml->scene->bodies[body].mesh, &def, &force)));
    LY_TRY(ly_scene_take_force(yaml->scene, force));
    return ly_scene_own_force(yaml->scene, body, force);
}

// sets the activation of a force of fibres
typedef struct Activation {
    const LyFibreSpec *spec;
    const LyraForce *force;
    int32_t count; // of elements
    double *values;
} Activation;

static LyraStatus activate(void *self, LyraScene *scene, double begin, double end)
{
    (void)begin;
    const Activation *activation = self;
    double value = ly_curve_at(&activation->spec->activation, end).value;
    // a curve may overshoot by rounding
    value = value < 0 && value > -1e-12 ? 0 : value > 1 && value < 1 + 1e-12 ? 1 : value;
    for (int32_t e = 0; e < activation->count; ++e) {
        activation->values[e] = value;
    }
    return ly_node_within(
        activation->spec->node,
        ly_undo_set_parameter(&scene->undo, scene->model,
                              lyra_model_group_of(scene->model, activation->force), "activation",
                              activation->values));
}

static LyraStatus add_fibre(LyYaml *yaml, const LyFibreSpec *spec, int32_t body)
{
    const LyraMesh *mesh = yaml->scene->bodies[body].mesh;
    if (!spec->node) {
        return LYRA_OK;
    }
    LY_TRY(ly_check_direction(spec, "direction", spec->direction));
    LyraContext *ctx = yaml->scene->ctx;
    int32_t count = lyra_mesh_view(mesh).element_count;
    double *directions = NULL;
    LY_TRY(ly_allocate_array(ctx, 3 * (int64_t)count, sizeof *directions, &directions));
    for (int64_t i = 0; i < 3 * (int64_t)count; ++i) {
        directions[i] = spec->direction[i % 3];
    }
    LyraFibreDef def = lyra_fibre_def_default();
    def.directions = directions;
    def.stiffness = spec->stiffness;
    def.exponent = spec->exponent;
    def.active_stress = spec->active_stress;
    def.activation = ly_curve_at(&spec->activation, 0).value;
    def.tension_only = spec->tension_only;
    LyraForce *force = NULL;
    LyraStatus status = lyra_fibre_create(ctx, mesh, &def, &force);
    ly_release(ctx, directions);
    LY_TRY(ly_node_within(spec->node, status));
    LY_TRY(ly_scene_take_force(yaml->scene, force));
    LY_TRY(ly_scene_own_force(yaml->scene, body, force));
    if (ly_curve_is_constant(&spec->activation)) {
        return LYRA_OK;
    }
    yaml->scene->activation_changes = true;
    Activation *self = NULL;
    LY_TRY(ly_tree_allocate(yaml->arena, 1, sizeof *self, &self));
    *self = (Activation){spec, force, count, NULL};
    LY_TRY(ly_tree_allocate(yaml->arena, count, sizeof *self->values, &self->values));
    return ly_yaml_add_rule(yaml, (LySceneRule){activate, NULL, self});
}

// ---- surfaces -----------------------------------------------------------------------------------

static LyraStatus load_surface(LyYaml *yaml, const LyraSceneBody *body, const LySurfaceSpec *spec,
                               LyraSceneSurface *out)
{
    LyraContext *ctx = yaml->scene->ctx;
    char *weights = NULL;
    LyraStatus status = LYRA_OK;
    const char *name = spec->name ? spec->name : ly_path_name(spec->file);
    LY_TRY_DONE(ly_string_copy(ctx, name, strlen(name), (char **)&out->name));
    LY_TRY_DONE(ly_path_beside(ctx, yaml->scene->path, spec->file, (char **)&out->path));
    LY_TRY_DONE(ly_node_within(
        ly_node_find(spec->node, "file"),
        lyra_surface_load(ctx, out->path, LYRA_MESH_FORMAT_AUTO, (LyraSurface **)&out->surface)));
    LyraSurfaceView view = lyra_surface_view(out->surface);
    if (body->affine && spec->weights) {
        LY_TRY_DONE(
            ly_node_fail(ly_node_find(spec->node, "weights"), LYRA_UNSUPPORTED,
                         "found weights of a surface of an affine body, expected none: they "
                         "are computed"));
    }
    if (body->affine) {
        LY_TRY_DONE(ly_node_within(
            spec->node, lyra_affine_embed(body->affine, view.vertex_count, view.positions,
                                          (LyraEmbedding **)&out->embedding)));
        goto done;
    }
    if (!spec->weights) {
        LY_TRY_DONE(ly_node_within(
            spec->node, lyra_embedding_create(body->mesh, view.vertex_count, view.positions, 0,
                                              (LyraEmbedding **)&out->embedding, NULL)));
        goto done;
    }
    const LyNode *node = ly_node_find(spec->node, "weights");
    LY_TRY_DONE(ly_path_beside(ctx, yaml->scene->path, spec->weights, &weights));
    LY_TRY_DONE(ly_node_within(node, lyra_embedding_load(ctx, weights, body->vertex_count,
                                                         (LyraEmbedding **)&out->embedding)));
    int32_t points = lyra_embedding_view(out->embedding).point_count;
    if (points != view.vertex_count) {
        status = ly_node_fail(node, LYRA_BAD_FORMAT,
                              "found weights of %d points, expected %d as the surface has vertices",
                              (int)points, (int)view.vertex_count);
    }
done:
    ly_release(ctx, weights);
    return status;
}

// the skin of the mesh, on its own vertices, or on the particles of an affine body
static LyraStatus make_skin(LyYaml *yaml, const LyraSceneBody *body, LyraSceneSurface *out)
{
    LyraContext *ctx = yaml->scene->ctx;
    LyraMeshBoundary *boundary = NULL;
    int32_t *begin = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_string_copy(ctx, "skin", 4, (char **)&out->name));
    LY_TRY_DONE(lyra_mesh_boundary_create(ly_body_shape(body), true, &boundary));
    LyraMeshBoundaryView faces = lyra_mesh_boundary_view(boundary);
    LY_TRY_DONE(ly_allocate_array(ctx, faces.face_count + 1, sizeof *begin, &begin));
    for (int32_t f = 0; f <= faces.face_count; ++f) {
        begin[f] = 3 * f;
    }
    LyraMeshView mesh = lyra_mesh_view(ly_body_shape(body));
    LyraSurfaceView view = {.vertex_count = mesh.vertex_count,
                            .positions = mesh.positions,
                            .face_count = faces.face_count,
                            .corner_count = 3 * faces.face_count,
                            .face_begin = begin,
                            .corner_vertices = faces.faces};
    LY_TRY_DONE(lyra_surface_create(ctx, &view, (LyraSurface **)&out->surface));
    if (body->affine) {
        LY_TRY_DONE(lyra_affine_embed(body->affine, view.vertex_count, view.positions,
                                      (LyraEmbedding **)&out->embedding));
    }
done:
    ly_release(ctx, begin);
    lyra_mesh_boundary_destroy(boundary);
    return status;
}

static LyraStatus add_surfaces(LyYaml *yaml, const LyBodySpec *spec, LyraSceneBody *body)
{
    int32_t count = spec->surfaces.count ? spec->surfaces.count : 1;
    LyraSceneSurface *made = NULL;
    LY_TRY(ly_allocate_zeroed(yaml->scene->ctx, count, sizeof *made, &made));
    body->surfaces = made;
    body->surface_count = count;
    if (!spec->surfaces.count) {
        return make_skin(yaml, body, made);
    }
    const LySurfaceSpec *specs = spec->surfaces.items;
    for (int32_t s = 0; s < count; ++s) {
        LY_TRY(load_surface(yaml, body, &specs[s], &made[s]));
    }
    return LYRA_OK;
}

LyraStatus ly_yaml_materials(LyYaml *yaml)
{
    LyraScene *scene = yaml->scene;
    LY_TRY(ly_allocate_zeroed(scene->ctx, scene->body_count, sizeof *scene->solid_defs,
                              &scene->solid_defs));
    for (int32_t b = 0; b < scene->body_count; ++b) {
        const LyBodySpec *spec = ly_body_spec(yaml, b);
        LyraSceneBody *body = &scene->bodies[b];
        if (!body->affine) {
            LY_TRY(make_solid(yaml, b, body->mesh, (LyraSolid **)&body->solid));
            LY_TRY(add_viscosity(yaml, &spec->viscosity, b));
            LY_TRY(add_fibre(yaml, &spec->fibre, b));
        }
        LY_TRY(add_surfaces(yaml, spec, body));
    }
    return LYRA_OK;
}
